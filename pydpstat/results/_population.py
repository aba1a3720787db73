"""Intervals for the population that the records are a sample of, and tests, next to those of the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from pydpstat._checks import check_alpha
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._estimates import Estimates
from pydpstat.results._intervals import NOISE, VALIDITY_MEANINGS, Interval, get_cached_limits, resolve_interval_kind
from pydpstat.results._numbers import format_rows
from pydpstat.results._report import MAX_PAGE_ROWS, Rows

if TYPE_CHECKING:
    import pandas as pd

    from pydpstat._files import Target
    from pydpstat.privacy import Guarantee
    from pydpstat.results._call import Call
    from pydpstat.results._labels import Labels
    from pydpstat.results._postprocessing import PopulationInference, PostProcessing

# what a column of numbers of records is called
COUNT_COLUMN = "count"
# a page has those of the population for so many values; each may take half a second
MAX_PAGE_INTERVALS = 12
# intervals of more values are found again each time, so that they fill no memory
_MAX_CACHED_VALUES = 1000
# how a function's release has intervals for the population
_INTERVAL_HINTS = {
    **dict.fromkeys(
        ("mean", "var", "std", "quantile", "quantiles", "median"),
        "Release it with population=True, or use pydpstat.moments.",
    ),
    **dict.fromkeys(
        ("proportion", "histogram", "crosstab"),
        "Release it with geometric noise, and with at most one record of each unit (max_records=1).",
    ),
    "count": "Release a crosstab of the groups, whose shares have them.",
}
_DEFAULT_HINT = "pydpstat.moments and the tests have intervals of many kinds."
_MORE_INTERVALS_NOTE = "Confidence intervals for the population are in to_frame() and conf_int(kind='population')."
NO_COST_NOTE = "It follows from the release at no additional privacy cost."


@runtime_checkable
class HasSubject(Protocol):
    """What has intervals of something else than what was released."""

    @property
    def subject(self) -> str:
        """Say what they are of; empty where it is what was released."""


class Difference(NamedTuple):
    """What noisy numbers of two groups say of the difference of their parameters."""

    test: str
    statistic: float
    pvalue: float
    estimate: float
    interval: Any
    validity: str
    remarks: tuple[str, ...] = ()
    floor: float = 0.0

    def invert_order(self) -> Difference:
        """Return the comparison of the second group with the first."""
        return self._replace(
            statistic=-self.statistic, estimate=-self.estimate, interval=NegatedInterval(self.interval)
        )


@dataclass(frozen=True, slots=True)
class NegatedInterval:
    """The interval of a number with the other sign."""

    inner: Interval

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return both ends."""
        low, high = self.inner.compute_limits(alpha)
        return -high + 0.0, -low + 0.0


class TableTest(NamedTuple):
    """What the noisy counts of a table say of a hypothesis."""

    statistic: float
    pvalue: float
    floor: float


class HasAssumptions(Protocol):
    """What rests on assumptions."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Return what tests and comparisons rest on, in words."""


@runtime_checkable
class SupportsIndependenceTest(HasAssumptions, Protocol):
    """What tests the counts of a table."""

    def run_independence_test(self, rows: int, columns: int) -> TableTest:
        """Test whether the first so many rows and columns are independent."""


@runtime_checkable
class SupportsGroupComparison(HasAssumptions, Protocol):
    """What compares two of the groups that were released."""

    def compare_groups(self, first: int, second: int) -> Difference:
        """Compare the groups whose values are in these places, of all values one group after the other."""


@runtime_checkable
class SupportsEqualityTest(HasAssumptions, Protocol):
    """What compares all groups that were released."""

    def test_equality(self, places: Sequence[int]) -> tuple[Difference, tuple[int, ...]]:
        """Test whether the groups whose values are in these places are equal; also return those compared."""


@runtime_checkable
class SupportsShares(HasSubject, Protocol):
    """What has intervals of shares that sums of counts have of the population."""

    def make_share_intervals(
        self, counts: Floats, rests: Floats, noises: npt.ArrayLike, is_of_total: bool, subject: str
    ) -> PopulationInference:
        """Return those for counts with so many noises and their rests, which may be those of the whole."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PopulationIntervals(Estimates):
    """Released numbers of which some have intervals for the population."""

    statistic: str
    value: np.ndarray
    labels: Labels
    noise: Any
    noise_scale: float | npt.NDArray[np.float64]
    mechanism: str
    sensitivity: float | tuple[float, ...]
    claim: Guarantee
    guarantee: Guarantee
    bounds: tuple[object, ...] | None
    nobs: int | None
    post: PostProcessing
    reproducible: bool
    grid: float | None
    record: Call

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return an interval for each value that misses with probability `alpha` at most."""
        if resolve_interval_kind(kind) == NOISE:
            return Estimates.conf_int(self, alpha)
        return self._make_interval_frame(self._compute_population_interval(alpha))

    def to_frame(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return value, noise standard deviation and intervals as a frame, a row an element.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval misses, of each one by itself.
        kind : {"noise", "population"}, optional
            Which intervals; by default all that there are. Those for the population take some time where
            there are many values: "noise" leaves them out.

        Returns
        -------
        DataFrame
            Columns ``estimate``, ``noise sd``, ``noise lower`` and ``noise upper``; values alone where the
            noise has no public distribution. Confidence intervals for the population are ``lower`` and
            ``upper``, of counts those of their ``share``: ``share lower`` and ``share upper``. Counts with
            noise on the integers are integers.

        Raises
        ------
        PydpstatError
            As `conf_int` does.

        See Also
        --------
        DPResults.conf_int : the intervals alone.
        DPResults.to_csv : the frame as CSV.

        Examples
        --------
        >>> import numpy as np, pydpstat as dp
        >>> r = dp.mean(np.linspace(20, 60, 500), 1.0, bounds=(0, 100), population=True, rng=1)
        >>> r.to_frame().columns.tolist()
        ['estimate', 'noise sd', 'noise lower', 'noise upper', 'lower', 'upper']
        """
        frame = Estimates.to_frame(self, alpha)
        if self.post.population is None if kind is None else resolve_interval_kind(kind) == NOISE:
            return frame
        low, high = (np.ravel(end, order="F") for end in self._compute_population_interval(alpha))
        if self._get_value_heading() == COUNT_COLUMN:
            # of counts the population has shares
            return frame.assign(**{"share": self._get_shares(), "share lower": low, "share upper": high})
        return frame.assign(lower=low, upper=high)

    def to_csv(self, path: Target | None = None, *, digits: int | None = None, kind: str | None = None) -> str | None:
        """Return `to_frame` as CSV in full precision, or write it into a file.

        Parameters
        ----------
        path : str, path-like or writable text file, optional
            Where to write it; a file of that name is replaced. By default the text is returned.
        digits : int, optional, keyword only
            Number of decimals. By default all digits.
        kind : str, optional, keyword only
            That of `to_frame`: "noise" leaves out confidence intervals for the population.

        Returns
        -------
        str or None
            The text; None where `path` is given. A text that a spreadsheet would run as a formula has an
            apostrophe in front.

        Raises
        ------
        PydpstatError
            If an argument is not allowed, or the file cannot be written.

        See Also
        --------
        DPResults.to_frame : the same numbers as a frame.

        Examples
        --------
        >>> import numpy as np, pydpstat as dp
        >>> r = dp.mean(np.linspace(20, 60, 500), 1.0, bounds=(0, 100), population=True, rng=1)
        >>> print(r.to_csv().splitlines()[0])
        term,estimate,noise sd,noise lower,noise upper,lower,upper
        """
        return self._export_csv(self.to_frame(kind=kind), path, digits)

    def _get_shares(self) -> Floats:
        """Return the shares of counts, whose intervals are those of the population."""
        known: Any = self.post.population
        return np.ravel(known.estimates, order="F")

    def _compute_population_interval(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:

        level = check_alpha(alpha)
        if self.post.population is None:
            function = self.record.function
            hint = _INTERVAL_HINTS.get(function, _DEFAULT_HINT)
            raise PydpstatError(
                f"this release of {self.statistic} has no confidence interval for the population "
                f"(kind='population'). {hint}"
            )
        return (
            get_cached_limits(self, level) if self.value.size <= _MAX_CACHED_VALUES else self._compute_all_limits(level)
        )

    def _compute_all_limits(self, alpha: float) -> tuple[Floats, Floats]:
        assert self.post.population is not None
        return self.post.population.compute_interval(alpha)

    def _make_rows(self, alpha: float = 0.05, max_rows: int | None = MAX_PAGE_ROWS) -> Rows:
        rows = Estimates._make_rows(self, alpha, max_rows)
        places = self._get_row_positions()
        if self.post.population is None or max_rows is not None and len(places) > MAX_PAGE_INTERVALS:
            return rows
        low, high = f"[{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]"
        found = [np.ravel(end, order="F") for end in self._compute_population_interval(alpha)]
        more = (*rows.headers, f"population {low}", high)
        if self._get_value_heading() == COUNT_COLUMN:
            # of counts the population has shares
            found.insert(0, self._get_shares())
            more = (*rows.headers, "share", low, high)
        added = format_rows([each[places].tolist() for each in found], self._has_unlike_scales())
        cells = [[*row, *each] for row, each in zip(rows.cells, added)]
        return Rows(more, rows.names, cells)

    def _collect_omissions(self) -> list[str]:
        more = self.post.population is not None and len(self._get_row_positions()) > MAX_PAGE_INTERVALS
        return [*Estimates._collect_omissions(self), *([_MORE_INTERVALS_NOTE] if more else [])]

    def _describe_coverage(self) -> str:
        """Return what the two kinds of intervals cover, and how far the second can be trusted."""
        population: Any = self.post.population
        what = population.subject if isinstance(population, HasSubject) else ""
        told = (
            "Noise intervals cover privacy noise only. Confidence intervals for "
            f"{what or 'the population'} cover sampling as well: {VALIDITY_MEANINGS[population.validity]}."
        )
        if len(self._get_row_positions()) > MAX_PAGE_INTERVALS:
            told += f" {_MORE_INTERVALS_NOTE}"
        if population.assumptions:
            told += f" Assumptions: {'; '.join(population.assumptions)}."
        return told

"""Kinds and limits of intervals, and the page of a test with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from pydpstat import _checks as checks
from pydpstat._frozen import freeze_array
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._numbers import format_column, format_pvalue, format_pvalue_cells, is_at_floor, make_floor_note
from pydpstat.results._report import Facts, GuaranteedReport, NoTruthValue, Plottable, Rows, format_significant
from pydpstat.results._words import describe_mechanism

if TYPE_CHECKING:
    from pydpstat.privacy import Guarantee
    from pydpstat.results._call import Call

# "population" and "confidence" are synonyms
INTERVAL_KINDS = ("noise", "population", "confidence")
CONFIDENCE = "confidence"
NOISE = "noise"
_COVERAGE = {
    NOISE: "its intervals cover the privacy noise only (kind='noise')",
    CONFIDENCE: "its intervals cover sampling and noise together (kind='confidence' or 'population')",
}


def resolve_interval_kind(kind: object) -> str:
    """Return the canonical kind of interval, "noise" (the default) or "confidence"."""
    resolved = NOISE if kind is None else checks.check_choice(kind, "kind", INTERVAL_KINDS)
    return NOISE if resolved == NOISE else CONFIDENCE


def copy_release_fields(release: object) -> dict[str, Any]:
    """Return the fields that a test or a model copies from its release."""
    names = "mechanism noise_scale claim guarantee bounds nobs reproducible record".split()
    return {name: getattr(release, name) for name in names}


def check_interval_kind(kind: object, available: str, subject: str) -> None:
    """Raise an error if `kind` is not the available kind of interval; None selects that one."""
    if kind is not None and resolve_interval_kind(kind) != available:
        raise PydpstatError(
            f"{subject} has no interval of kind {checks.describe_option(kind)}: {_COVERAGE[available]}. Leave kind out."
        )


class HasIntervals(Protocol):
    """Immutable result whose intervals are expensive to compute."""

    def _compute_all_limits(self, alpha: float) -> tuple[Floats, Floats]:
        """Compute the limits of all intervals."""

    def __hash__(self) -> int:
        """Return the identity hash, so that a cache entry belongs to one result."""


@lru_cache(maxsize=256)
def get_cached_limits(result: HasIntervals, alpha: float) -> tuple[Floats, Floats]:
    """Return the limits of a result's intervals, cached by result and level."""
    low, high = result._compute_all_limits(alpha)
    return freeze_array(low), freeze_array(high)


# descriptions of the validity of p-values and intervals
VALIDITY_MEANINGS = {
    "exact": "exact, for every distribution of the records",
    "model": "exact under the assumptions below",
    "measured": "not proven; the type I error rate was measured, see the documentation",
}
# null hypotheses with a text of their own
_NULL_HYPOTHESES = {"largest difference of means": "all means are equal"}


class ConfidenceInterval(NamedTuple):
    """Lower and upper limit of an interval.

    See Also
    --------
    InferenceResults.conf_int : what returns it.

    Examples
    --------
    >>> low, high = ConfidenceInterval(0.1, 0.4)
    >>> high
    0.4
    """

    low: float
    high: float


class Interval(Protocol):
    """Interval of any level, computed from released numbers only."""

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval that misses the parameter with probability at most `alpha`."""


@dataclass(frozen=True, slots=True, repr=False)
class OpaqueInterval:
    """Interval whose repr hides the numbers that it is computed from."""

    inner: Interval

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval that misses the parameter with probability at most `alpha`."""
        return self.inner.compute_limits(alpha)

    def __repr__(self) -> str:
        return "<interval of every level: conf_int(alpha)>"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class InferencePage(NoTruthValue, GuaranteedReport):
    """Fields, page and interval of `pydpstat.results.InferenceResults`."""

    test: str
    # Any: an optional float would need a check before every comparison
    statistic: Any = None
    pvalue: Any = None
    pvalue_floor: float = 0.0
    alternative: str | None = None
    null: tuple[tuple[str, float], ...] = ()
    released: tuple[tuple[str, float], ...]
    estimates: tuple[tuple[str, float], ...] = ()
    parameter: str = ""
    interval: Interval | None = None
    validity: str
    assumptions: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    behind: Plottable | None = None
    mechanism: str
    noise_scale: float | np.ndarray
    claim: Guarantee
    guarantee: Guarantee
    bounds: tuple[object, ...] | None
    nobs: int | None
    reproducible: bool
    record: Call
    _df: int | None = None

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> ConfidenceInterval:
        """Return a confidence interval for the parameter.

        It covers sampling and the privacy noise. It is post-processing: any level is available at no
        additional privacy cost.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that the interval misses the parameter; above 0 and at most 0.5.
        kind : {"confidence", "population"}, optional
            The one that there is, by either name.

        Returns
        -------
        ConfidenceInterval
            ``low`` and ``high``; one-sided where the alternative is.

        Raises
        ------
        PydpstatError
            If `alpha` is not in its range, `kind` is not available, or the test has no interval.

        See Also
        --------
        InferenceResults.confidence_interval : the same by its confidence level.

        Examples
        --------
        >>> import pydpstat
        >>> from pydpstat import InferenceResults
        >>> noisy = pydpstat.count([True, False, True], 1.0, rng=1)
        >>> InferenceResults.of(noisy, test="Sign test", validity="exact").conf_int()
        Traceback (most recent call last):
        ...
        pydpstat.errors.PydpstatError: Sign test has no interval. Use its p-value.
        """
        if self.interval is None:
            raise PydpstatError(f"{self.test} has no interval. Use its p-value.")
        check_interval_kind(kind, CONFIDENCE, self.test)
        low, high = get_cached_limits(self, checks.check_alpha(alpha))
        return ConfidenceInterval(low.item(), high.item())

    def _compute_all_limits(self, alpha: float) -> tuple[Floats, Floats]:
        assert self.interval is not None
        low, high = map(np.float64, self.interval.compute_limits(alpha))
        return np.asarray(low), np.asarray(high)

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return estimates, interval, statistic and p-value as a frame.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that the interval misses the parameter.

        Returns
        -------
        DataFrame
            Columns ``estimate``, ``lower``, ``upper``, ``statistic`` and ``p-value``, NaN where there is
            none, ``df`` of a chi-square test, and ``p``, the p-value as the summary prints it, such as
            ``< 1e-06``. Statistic and p-value are in the row of the parameter that is tested; where it is no
            estimate, in a last row with the test's name.

        See Also
        --------
        InferenceResults.conf_int : the interval alone.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> r = pydpstat.binomtest(np.repeat([True, False], [60, 40]), 5.0, rng=1)
        >>> r.to_frame().columns.tolist()
        ['estimate', 'lower', 'upper', 'statistic', 'p-value', 'p']
        """
        estimates = dict(self.estimates)
        row = self.parameter if self.interval is not None or self.parameter in estimates else self.test
        estimates.setdefault(row, math.nan)
        frame = pd.Series(estimates, name="estimate").rename_axis("term").to_frame()
        frame[["lower", "upper", "statistic", "p-value"]] = math.nan
        limits = (math.nan, math.nan) if self.interval is None else self.conf_int(alpha)
        values = [math.nan if value is None else value for value in (*limits, self.statistic, self.pvalue)]
        frame.loc[row, ["lower", "upper", "statistic", "p-value"]] = values
        if self._df is not None:
            frame.insert(4, "df", pd.Series({row: self._df}, dtype="float64"))
        return frame.assign(p=format_pvalue_cells(frame["p-value"].tolist(), repeat(self.pvalue_floor)))

    def _format_heading(self) -> str:
        return self.record.format_heading(self.test)

    def _collect_omissions(self) -> list[str]:
        # an uninformative test states the reason
        return list(self.remarks) if self.pvalue == 1.0 else []

    def _collect_facts(self) -> Facts:
        null = ", ".join(
            _NULL_HYPOTHESES.get(name, f"{name} = {format_significant(value)}") for name, value in self.null
        )
        sides = [("Null hypothesis:", null), ("Alternative:", self.alternative)]
        return [
            *((name, text) for name, text in sides if text),
            *([] if self._df is None else [("Degrees of freedom:", str(self._df))]),
            ("Validity:", self.validity),
            ("Mechanism:", describe_mechanism(self.mechanism)),
            ("No. Observations:", "private" if self.nobs is None else str(self.nobs)),
        ]

    def _make_rows(self) -> Rows:
        limits = [] if self.interval is None else list(map(float, self.conf_int()))
        texts = format_column([*(value for _, value in self.estimates), *limits])
        rows = {name: [text] for (name, _), text in zip(self.estimates, texts)}
        if limits:
            # one limit of a one-sided interval is the end of the parameter's range
            rows.setdefault(self.parameter, [""]).extend(texts[-len(limits) :])
        if self.statistic is not None:
            rows["statistic"] = format_column([float(self.statistic)])
        if self.pvalue is not None:
            rows["p-value"] = [format_pvalue(self.pvalue, self.pvalue_floor)]
        headers = ("value",) if self.interval is None else ("value", "[0.025", "0.975]")
        cells = [[*row, *[""] * (len(headers) - len(row))] for row in rows.values()]
        return Rows(headers, list(rows), cells)

    def _collect_notes(self) -> list[str]:
        lines = [
            *self._make_guarantee_notes(self.record.function),
            f"Validity: {VALIDITY_MEANINGS[self.validity]}.",
        ]
        if self.assumptions:
            lines.append(f"Assumptions: {'; '.join(self.assumptions)}.")
        if self.pvalue is not None and is_at_floor(self.pvalue, self.pvalue_floor):
            lines.append(make_floor_note(self.pvalue_floor))
        return [*lines, *self.remarks, f"Call: {self.call}"]

    def _collect_content(self) -> dict[str, object]:
        return {
            **self._collect_attributes("test", "statistic"),
            **({} if self._df is None else {"df": self._df}),
            **self._collect_attributes("pvalue", "pvalue_floor", "alternative"),
            **{name: dict(getattr(self, name)) for name in ("null", "released", "estimates")},
            **self._collect_attributes("parameter", "validity", "assumptions", "remarks", "mechanism", "noise_scale"),
            **self._collect_privacy(),
            **self._collect_attributes("bounds", "nobs", "reproducible", "call"),
        }

"""Intervals for the population that the records are a sample of, and tests, next to those of the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from pydpstat.results._report import Estimates, Rows, number
from pydpstat.results.inference_results import MEANINGS, InferenceResults, Release

if TYPE_CHECKING:
    import pandas as pd

    from pydpstat.results._group_labels import GroupLabels

Floats = npt.NDArray[np.float64]
KINDS = ("noise", "population")
# a page has those of the population for so many values; each may take half a second
MOST_INTERVALS = 12
_ABLE = ("mean", "var", "std", "quantile", "quantiles", "median")
_WITH = "Release it with population=True, or use pydpstat.moments."
_COUNTED = ("proportion", "histogram", "crosstab")
_COUNTS = "Release it with geometric noise, and with at most one record of each unit (max_records=1)."
_ELSE = "pydpstat.moments and the tests have intervals of many kinds."
FOLLOWS = "It follows from the release at no additional privacy cost."


class Population(Protocol):
    """What makes intervals for the population that the records are a sample of, from released numbers."""

    @property
    def validity(self) -> str:
        """Return how far they can be trusted: "exact", "model" or "measured"."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Return what they rest on, in words."""

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each published value, in its shape."""


@runtime_checkable
class OfOther(Protocol):
    """What has intervals of something else than what was released."""

    @property
    def about(self) -> str:
        """Say what they are of, in a clause without its full stop; empty where it is what was released."""


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


class TableTest(NamedTuple):
    """What the noisy counts of a table say of a hypothesis."""

    statistic: float
    pvalue: float
    floor: float


@runtime_checkable
class Crossed(Protocol):
    """What tests the counts of a table."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Return what tests rest on, in words."""

    def independence(self, rows: int, columns: int) -> TableTest:
        """Test whether the first so many rows and columns are independent."""


@runtime_checkable
class Comparable(Protocol):
    """What compares two of the groups that were released."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Return what comparisons rest on, in words."""

    def difference(self, first: int, second: int) -> Difference:
        """Compare the groups whose values are in these places, of all values one group after the other."""


@runtime_checkable
class Equal(Protocol):
    """What compares all groups that were released."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Return what comparisons rest on, in words."""

    def equal(self, places: Sequence[int]) -> tuple[Difference, tuple[int, ...]]:
        """Test whether the groups whose values are in these places are equal; also return those compared."""


class PopulationIntervals(Estimates):
    """Released numbers of which some have intervals for the population."""

    __slots__ = ()

    value: np.ndarray
    statistic: str
    post: Any
    record: Any
    labels: Any

    def conf_int(self, alpha: float = 0.05, kind: str = "noise") -> pd.DataFrame:
        """Return an interval for each value that misses with probability `alpha` at most.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that the interval misses, of each one by itself; between 0 and 1.
        kind : {"noise", "population"}, default "noise"
            Of the statistic of these records, so that it covers the privacy noise only, before rounding; or
            of the population that the records are a random sample of, so that it covers sampling and noise.
            Both stay within the parameter's range and are never empty. Of counts in cells the latter is for
            each cell's share of the population.

        Returns
        -------
        DataFrame with columns 0 (lower) and 1 (upper), indexed as `params`

        Raises
        ------
        PydpstatError
            Where `alpha` is not above 0 and at most 0.5, where the noise has no public distribution, or
            where what was released does not say enough of the population.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> employed = np.repeat([True, False], [600, 400])
        >>> r = pydpstat.proportion(employed, 1.0, rng=pydpstat.RRandom(123))
        >>> r.conf_int().round(3)
                        0      1
        proportion  0.596  0.602
        """
        from pydpstat._checks import one_of

        if one_of(kind, "kind", KINDS) == "noise":
            return Estimates.conf_int(self, alpha)
        return self._indexed(self._population_interval(alpha))

    def difference(self, a: object, b: object, variable: object = None) -> InferenceResults:
        """Compare two groups of the population: the difference of what was released for them.

        It is post-processing of a `mean` with ``by=`` and ``population=True``, of a `proportion` or a
        `histogram` with ``by=``, or of a `crosstab`, at no additional privacy cost. `pairs` compares all
        groups, with a correction for their number.

        Parameters
        ----------
        a, b : level, or tuple of levels
            Two different groups of the release; a tuple where several keys make the groups. Of a table of
            two variables they are levels of the first.
        variable : str, optional
            The variable to compare them in, where several were released. Of a table it is the level of the
            second variable whose shares are compared, and of a histogram the bin.

        Returns
        -------
        InferenceResults
            With `statistic`, `pvalue` (of no difference) and ``conf_int(level)`` of a minus b.

        Raises
        ------
        PydpstatError
            If there is no such group or variable, or this release has no groups that can be compared; if
            several records of a unit count, which are not independent.

        Notes
        -----
        Means: Welch's test with noise in its law, as in `ttest_ind`, with the noisy numbers of records in the
        place of public ones. Proportions and shares: the squares of the distances to the ends of both groups'
        intervals are added (Newcombe 1998, method 10), and the p-value is the level whose interval ends at 0.
        Levels were measured. Where a group may be empty nothing is said: p = 1.

        References
        ----------
        Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions:
        comparison of eleven methods. Statistics in Medicine 17, 873-890.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> employed = np.repeat([True, False, True, False], [300, 100, 200, 200])
        >>> region = np.repeat(["north", "south"], 400)
        >>> r = pydpstat.proportion(employed, 1.0, by=region, levels=["north", "south"], rng=1)
        >>> low, high = r.difference("north", "south").conf_int(0.95)
        >>> 0.1 < low < 0.25 < high < 0.4
        True
        """
        from pydpstat.errors import PydpstatError

        known, labels = self._compared()
        pair = labels.place(a, "a"), labels.place(b, "b")
        if pair[0] == pair[1]:
            raise PydpstatError(f"a and b must be two different groups; got {a!r} twice.")
        column, columns = labels.column(variable), len(labels.series) or 1
        found = known.difference(*(place * columns + column for place in pair))
        names, values = labels.elements(self.value), self.value.reshape(-1, columns)[:, column]
        return InferenceResults.of(
            self._followed("difference", a, b, variable),
            test=found.test,
            statistic=found.statistic,
            pvalue=found.pvalue,
            pvalue_floor=found.floor,
            alternative="two-sided",
            null=(("difference", 0.0),),
            released=tuple(
                (names[column * values.size + place], float(values[place])) for place in sorted(pair)
            ),
            estimates=(("difference", found.estimate),),
            parameter="difference",
            interval=found.interval,
            validity=found.validity,
            assumptions=known.assumptions,
            remarks=(*found.remarks, FOLLOWS),
        )

    def _followed(self, method: str, *arguments: object) -> Release:
        """Return this release with the call of a method of it."""
        record = self.record.followed(method, *arguments)
        return cast(Release, replace(cast(Any, self), record=record))

    def _compared(self) -> tuple[Comparable, GroupLabels]:
        """Return what compares the groups of this release, and their names."""
        from pydpstat.errors import PydpstatError
        from pydpstat.results._group_labels import GroupLabels

        if not isinstance(self.post.population, Comparable) or not isinstance(self.labels, GroupLabels):
            raise PydpstatError(
                f"this release of {self.statistic} has no groups that can be compared. Release a mean with "
                "by= and population=True, a proportion with by=, or a crosstab of two variables: with "
                "geometric noise for shares, and at most one record of each unit."
            )
        return self.post.population, self.labels

    def chi2(self) -> InferenceResults:
        """Test whether the two variables of a released table are independent, at no additional privacy cost.

        It is post-processing of a `crosstab` of two variables, and the test of `chi2_contingency`. The level
        that `crosstab` adds for other values, which no record may have, is left out.

        Returns
        -------
        InferenceResults
            With `statistic` and `pvalue`.

        Raises
        ------
        PydpstatError
            If this release is no table of two variables with geometric noise, or several records of a unit
            count, which are not independent.

        Examples
        --------
        >>> import pandas as pd, pydpstat
        >>> frame = pd.DataFrame({"smokes": ["no", "yes"] * 200, "ill": (["no"] * 3 + ["yes"]) * 100})
        >>> levels = {"smokes": ["no", "yes"], "ill": ["no", "yes"]}
        >>> table = pydpstat.crosstab(frame, 2.0, levels=levels, rng=1)
        >>> table.chi2().pvalue < 0.01
        True
        """
        from pydpstat.errors import PydpstatError

        known, dimnames = self.post.population, self.labels.dimnames
        if not isinstance(known, Crossed) or dimnames is None or len(dimnames) != 2:
            raise PydpstatError(
                f"this release of {self.statistic} is no table of two variables that can be tested. Release "
                "a crosstab of two variables, with geometric noise and at most one record of each unit."
            )
        sizes = [len(each) - self._has_other(axis) for axis, each in enumerate(dimnames)]
        found = known.independence(*sizes)
        return InferenceResults.of(
            self._followed("chi2"),
            test="Chi-square test of independence",
            statistic=found.statistic,
            pvalue=found.pvalue,
            pvalue_floor=found.floor,
            released=tuple(zip(self.labels.elements(self.value), self.value.ravel(order="F").tolist())),
            estimates=(),
            validity="measured",
            assumptions=known.assumptions,
            remarks=(FOLLOWS,),
        )

    def _has_other(self, axis: int) -> bool:
        """Tell whether a table's last level is that of values which are in none."""
        added = self._added_level()
        return added is not None and self.labels.dimnames[axis][-1] == added

    def _added_level(self) -> str | None:
        """Return the level that this release has besides the public ones, for values which are in none."""
        arguments = dict(self.record.arguments)
        levels, name = arguments.get("levels"), arguments.get("other", "other")
        if not isinstance(levels, tuple) or name is None:
            return None
        every = [each for some in levels for each in (some if isinstance(some, tuple) else (some,))]
        return None if name in every else name

    def _population_interval(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        from pydpstat._checks import alpha_of
        from pydpstat.errors import PydpstatError

        level = alpha_of(alpha)
        if self.post.population is None:
            function = self.record.function
            hint = _WITH if function in _ABLE else _COUNTS if function in _COUNTED else _ELSE
            raise PydpstatError(
                f"this release of {self.statistic} says too little of the population for an interval of kind "
                f"'population'. {hint}"
            )
        return self.post.population.interval(level)

    def _rows(self, alpha: float = 0.05) -> Rows:
        rows = Estimates._rows(self, alpha)
        if self.post.population is None or self.value.size > MOST_INTERVALS:
            return rows
        *heads, low, high = rows.headers
        ends = [np.ravel(end, order="F") for end in self._population_interval(alpha)]
        cells = [[*row, *map(number, pair)] for row, pair in zip(rows.cells, zip(*ends))]
        return Rows((*heads, f"noise {low}", high, f"population {low}", high), rows.names, cells)

    def _covered(self) -> str:
        """Return what the two kinds of intervals are for, and how far the second can be trusted."""
        population = self.post.population
        told = (
            "The interval of the noise is for the statistic of these records. That of the population covers "
            f"sampling, too: {MEANINGS[population.validity]}."
        )
        if isinstance(population, OfOther) and population.about:
            told += f" {population.about}."
        if self.value.size > MOST_INTERVALS:
            told += " conf_int(kind='population') has the latter."
        if population.assumptions:
            told += f" Assumptions: {'; '.join(population.assumptions)}."
        return told

    def f_oneway(self, variable: object = None) -> InferenceResults:
        """Test whether all groups have the same mean; it costs nothing.

        It is post-processing of a `mean` with ``by=`` and ``population=True``: Welch's analysis of variance,
        as in the function `f_oneway` for groups of private size.

        Parameters
        ----------
        variable : str, optional
            The variable to compare the groups in, where several were released.

        Returns
        -------
        InferenceResults
            With `statistic` and `pvalue`. A group that may have no record is left out, and named.

        Raises
        ------
        PydpstatError
            Where there is no such variable, or this release has no means of two groups or more.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> age = np.linspace(20, 60, 600)
        >>> region = np.repeat(["north", "south", "west"], 200)
        >>> how = {"bounds": (0, 100), "by": region, "levels": ["north", "south", "west"], "rng": 1}
        >>> pydpstat.mean(age, 1.0, **how, population=True).f_oneway().pvalue < 0.01
        True
        """
        from pydpstat.errors import PydpstatError
        from pydpstat.results._group_labels import GroupLabels

        known, labels = self.post.population, self.labels
        groups = len(labels.rows) if isinstance(labels, GroupLabels) else 0
        if not isinstance(known, Equal) or groups < 2:
            raise PydpstatError(
                f"this release of {self.statistic} has no means of groups that can be compared. Release a "
                "mean with by= and population=True."
            )
        column, columns = labels.column(variable), len(labels.series) or 1
        found, kept = known.equal(range(column, groups * columns, columns))
        names = labels.elements(self.value)[column * groups : (column + 1) * groups]
        means = dict(zip(names, self.value.reshape(-1, columns)[:, column].tolist()))
        gone = [name for place, name in enumerate(names) if place not in kept]
        return InferenceResults.of(
            cast(Release, self),
            test=found.test,
            statistic=found.statistic,
            pvalue=found.pvalue,
            pvalue_floor=found.floor,
            null=(("largest difference of means", 0.0),),
            released=tuple(means.items()),
            validity=found.validity,
            assumptions=known.assumptions,
            remarks=tuple(f"{name} is left out: it may have no record at all." for name in gone),
        )

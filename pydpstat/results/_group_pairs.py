"""What follows from a release by group, or from a table: tests and comparisons of its groups."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import Self

from pydpstat._checks import check_choice
from pydpstat._data.progress import Progress
from pydpstat.errors import PydpstatError
from pydpstat.results._histograms import HistogramResults
from pydpstat.results._labels import GroupLabels
from pydpstat.results._population import (
    NO_COST_NOTE,
    SupportsEqualityTest,
    SupportsGroupComparison,
    SupportsIndependenceTest,
    SupportsShares,
)
from pydpstat.results.inference_results import InferenceResults
from pydpstat.results.pairwise_results import CORRECTIONS, PairwiseResults, format_group

# so many shares of a group are compared at a glance
_MAX_COMPARED_SHARES = 5


class GroupComparisons(HistogramResults):
    """What can be computed from a release at no additional privacy cost."""

    __slots__ = ()

    def difference(self, a: object, b: object, variable: object = None) -> InferenceResults:
        """Compare two groups of the population by the difference of their estimates.

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
            With `statistic`, `pvalue` (of no difference) and ``conf_int(alpha)`` of a minus b.

        Raises
        ------
        PydpstatError
            If there is no such group or variable, or this release has no groups that can be compared; if
            several records of a unit count, which are not independent.

        See Also
        --------
        DPResults.pairs : all pairs of groups.

        Notes
        -----
        Means: Welch's test with noise in its distribution, as in `ttest_ind`, with the noisy numbers of
        records in the place of public ones. Proportions and shares: the squares of the distances to the ends
        of both groups' intervals are added (Newcombe 1998, method 10), and the p-value is the level whose
        interval ends at 0. Levels were measured. Where a group may be empty nothing is said: p = 1.

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
        >>> low, high = r.difference("north", "south").conf_int(0.05)
        >>> 0.1 < low < 0.25 < high < 0.4
        True
        """
        if self._is_table():
            first, second = self._get_dimnames()
            if all(each in second and each not in first for each in (a, b)):
                one, other = map(self._get_axis_key, (1, 0))
                raise PydpstatError(
                    f"a and b must be levels of {other!r}, the first variable; got {a!r} and {b!r}, levels "
                    f"of {one!r}. Write .shares(by={one!r}).difference({a!r}, {b!r}, {first[0]!r})."
                )
            return self._get_row_shares("difference", variable).difference(a, b, variable)
        known, labels = self._get_comparable_groups()
        pair = labels.find_group(a, "a"), labels.find_group(b, "b")
        if pair[0] == pair[1]:
            raise PydpstatError(
                f"a and b must be two different groups; got {a!r} twice. Give another one for "
                f"b: {labels.format_groups(pair[0])}."
            )
        column, columns = labels.find_variable(variable), len(labels.series) or 1
        # draws under the null hypothesis are not symmetric, and a comparison has one p-value
        found = known.compare_groups(*(place * columns + column for place in sorted(pair)))
        found = found if pair[0] < pair[1] else found.invert_order()
        names, values = labels.name_elements(self.value), self.value.reshape(-1, columns)[:, column]
        called = f"difference of {format_group(a)} and {format_group(b)}"
        return InferenceResults.of(
            self._add_method_call("difference", a, b, variable),
            test=found.test,
            statistic=found.statistic,
            pvalue=found.pvalue,
            pvalue_floor=found.floor,
            alternative="two-sided",
            null=((called, 0.0),),
            released=tuple((names[column * values.size + place], float(values[place])) for place in sorted(pair)),
            estimates=((called, found.estimate),),
            parameter=called,
            interval=found.interval,
            validity=found.validity,
            assumptions=known.assumptions,
            remarks=(*found.remarks, NO_COST_NOTE),
        )

    def pairs(self, correction: str | None = "holm", variable: object = None, within: object = None) -> PairwiseResults:
        """Compare all pairs of groups of the population, with a correction for their number.

        It is post-processing of a `mean` with ``by=`` and ``population=True``, of a `proportion` with
        ``by=``, or of a `crosstab` of two variables, at no additional privacy cost.

        Parameters
        ----------
        correction : {"holm", "bonferroni", None}, default "holm"
            The correction of `pvalues`: the probability of rejecting any true hypothesis is at most the
            level. None leaves them as they are. The intervals are Bonferroni's with either correction.
        variable : str, optional
            The variable to compare the groups in, where several were released. Of a table it is the level
            of the second variable whose shares are compared between levels of the first.
        within : str or list of str, optional
            Keys, such as ``"region"`` of ``by=["region", "sex"]``: only groups with the same level of each
            are compared. By default all.

        Returns
        -------
        PairwiseResults
            With `estimate`, `pvalues` (corrected), `pvalues_unadjusted`, ``conf_int()``, ``to_frame()`` and
            ``summary()``. Groups of several keys are tuples.

        Raises
        ------
        PydpstatError
            If `correction` is not allowed, there is no such variable or key, or this release has no two
            groups that can be compared.

        See Also
        --------
        DPResults.difference : one pair.
        PairwiseResults : what is returned.

        Notes
        -----
        Each pair has the test of `difference`. All groups of a release are compared but the one that is added
        for other values, which no record may have. The correction is for these pairs: those in another
        variable are not counted.

        References
        ----------
        Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of
        Statistics 6, 65-70.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> rng = np.random.default_rng(1)
        >>> region = np.repeat(["east", "north", "south"], 500)
        >>> income = rng.normal(np.repeat([50.0, 50.0, 60.0], 500), 10.0)
        >>> r = pydpstat.mean(income, 2.0, bounds=(0, 100), by=region, levels=["east", "north", "south"],
        ...                   population=True, rng=1)
        >>> (r.pairs().pvalues < 0.05).tolist()
        [False, True, True]
        """
        if correction is not None:
            check_choice(correction, "correction", CORRECTIONS[:2])
        if self._is_table():
            return self._get_row_shares("pairs", variable).pairs(correction, variable, within)
        known, labels = self._get_comparable_groups()
        column, columns = labels.find_variable(variable), len(labels.series) or 1
        added = self._get_other_levels()
        compared = [
            place
            for place, row in enumerate(labels.rows)
            if not any(level == each for level, each in zip(row, added) if each is not None)
        ]
        kept = labels.find_keys(within)
        places = [
            (a, b)
            for a, b in combinations(compared, 2)
            if all(labels.rows[a][each] == labels.rows[b][each] for each in kept)
        ]
        if not places:
            raise PydpstatError("pairs() needs two or more groups apart from that of other values.")
        found = []
        with Progress(lambda: len(places), "pairs") as progress:
            for pair in places:
                each = known.compare_groups(*(place * columns + column for place in pair))
                found.append(progress.count_one(each))
        groups = [row if len(row) > 1 else row[0] for row in labels.rows]
        return PairwiseResults(
            test=found[0].test,
            groups=tuple((groups[a], groups[b]) for a, b in places),
            differences=tuple(found),
            correction=correction,
            variable=str(labels.series[column]) if labels.series else "",
            assumptions=known.assumptions,
            claim=self.claim,
            guarantee=self.guarantee,
            reproducible=self.reproducible,
            record=self._add_method_call("pairs", correction, variable, within).record,
        )

    def _get_row_shares(self, method: str, variable: object) -> Self:
        """Return a table's shares within the levels of its first variable, in which these are compared."""
        if variable is None:
            rows, columns = map(self._get_axis_name, (0, 1))
            first, second = ([repr(each) for each in axis] for axis in self._get_dimnames())
            groups = f"{', '.join(first[:2])}, " if method == "difference" else ""
            raise PydpstatError(
                f"variable must be given for a table: the level of {columns} ({', '.join(second[:9])}) whose "
                f"share is compared between levels of {rows}; got None. Write .{method}({groups}"
                f"variable={second[0]})."
            )
        return self.shares(by=self._get_axis_key(0))

    def _add_method_call(self, method: str, *arguments: object) -> Self:
        """Return this release with the call of a method of it."""
        about = self.record.describe_subject(self.labels.describe_variables(self.statistic))
        # a test has no labels, which could tell the names
        record = replace(self.record.add_method_call(method, *arguments), names=(about,) if about else ())
        return replace(self, record=record)

    def _get_comparable_groups(self) -> tuple[SupportsGroupComparison, GroupLabels]:
        """Return what compares the groups of this release, and their names."""
        if not isinstance(self.post.population, SupportsGroupComparison) or not isinstance(self.labels, GroupLabels):
            if self.statistic == "mean" and isinstance(self.labels, GroupLabels):
                raise PydpstatError(
                    "this release of means by group has no intervals for the population, which comparisons "
                    "rest on. Write mean(..., population=True), at the same privacy cost."
                )
            raise PydpstatError(
                f"this release of {self.statistic} has no groups that can be compared. Release a mean with "
                "by= and population=True, a proportion with by=, or a crosstab of two variables: with "
                "geometric noise for shares, and at most one record of each unit."
            )
        return self.post.population, self.labels

    def chi2(self) -> InferenceResults:
        """Test whether the two variables of a released table are independent, at no additional privacy cost.

        It is post-processing of a `crosstab` of two variables, and the test of `chi2_contingency`. The
        level that `crosstab` adds for other values, which may be empty, is left out.

        Returns
        -------
        InferenceResults
            With `statistic` and `pvalue`.

        Raises
        ------
        PydpstatError
            If this release is no table of two variables with geometric noise, or several records of a unit
            count, which are not independent.

        See Also
        --------
        DPResults.shares : the shares that are compared.
        chi2_contingency : the test as a release.

        Examples
        --------
        >>> import pandas as pd, pydpstat
        >>> frame = pd.DataFrame({"smokes": ["no", "yes"] * 200, "ill": (["no"] * 3 + ["yes"]) * 100})
        >>> levels = {"smokes": ["no", "yes"], "ill": ["no", "yes"]}
        >>> table = pydpstat.crosstab(frame, 2.0, levels=levels, rng=1)
        >>> table.chi2().pvalue < 0.01
        True
        """
        known, dimnames = self.post.population, self.labels.dimnames
        two = dimnames is not None and len(dimnames) == 2
        if two and isinstance(known, SupportsShares) and not isinstance(known, SupportsIndependenceTest):
            raise PydpstatError(
                "margins cannot be tested: each has the noise of several cells, for which the test's "
                "distribution is not known. Another release would cost epsilon again. Where a test of two "
                "variables is planned, release their crosstab in the place of the larger table."
            )
        if not isinstance(known, SupportsIndependenceTest) or not two:
            raise PydpstatError(
                f"this release of {self.statistic} is not a table of two variables that can be "
                "tested. Release a crosstab of two variables, with geometric noise and at most one "
                "record of each unit."
            )
        sizes = [len(each) - self._has_other_level(axis) for axis, each in enumerate(dimnames)]
        found = known.run_independence_test(*sizes)
        return InferenceResults.of(
            self._add_method_call("chi2"),
            test="Chi-square test of independence",
            statistic=found.statistic,
            pvalue=found.pvalue,
            pvalue_floor=found.floor,
            released=tuple(zip(self.labels.name_elements(self.value), self.value.ravel(order="F").tolist())),
            estimates=(),
            validity="measured",
            assumptions=known.assumptions,
            remarks=(NO_COST_NOTE,),
            df=math.prod(size - 1 for size in sizes),
            behind=self._get_tested_shares(),
        )

    def _get_tested_shares(self) -> Self:
        """Return the shares within the levels of a variable that a test of independence compares."""
        rows, columns = self.value.shape
        # of the second variable's levels, unless only the first has as few as can be compared
        return self.shares(by=self._get_axis_key(int(columns > _MAX_COMPARED_SHARES >= rows)))

    def _has_other_level(self, axis: int) -> bool:
        """Tell whether a table's last level is that of values which are in none."""
        added = self._get_other_levels()
        return bool(added) and added[axis] is not None and self._get_dimnames()[axis][-1] == added[axis]

    def _get_other_levels(self) -> tuple[object, ...]:
        """Return each variable's level for values which are in none of its public ones, if it has one."""
        arguments = dict(self.record.arguments)
        levels, name = arguments.get("levels"), arguments.get("other", "other")
        if not isinstance(levels, tuple) or name is None:
            return ()
        each = levels if all(isinstance(own, tuple) for own in levels) else (levels,)
        return tuple(None if name in own else name for own in each)

    def f_oneway(self, variable: object = None) -> InferenceResults:
        """Test whether all groups have the same mean; at no additional privacy cost.

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

        See Also
        --------
        DPResults.pairs : which groups differ.
        f_oneway : the test as a release.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> age = np.linspace(20, 60, 600)
        >>> region = np.repeat(["north", "south", "west"], 200)
        >>> how = {"bounds": (0, 100), "by": region, "levels": ["north", "south", "west"], "rng": 1}
        >>> pydpstat.mean(age, 1.0, **how, population=True).f_oneway().pvalue < 0.01
        True
        """
        known, labels = self.post.population, self.labels
        groups = len(labels.rows) if isinstance(labels, GroupLabels) else 0
        if not isinstance(known, SupportsEqualityTest) or groups < 2:
            raise PydpstatError(
                f"this release of {self.statistic} has no means of groups that can be compared. Release a "
                "mean with by= and population=True."
            )
        column, columns = labels.find_variable(variable), len(labels.series) or 1
        found, kept = known.test_equality(range(column, groups * columns, columns))
        names = labels.name_elements(self.value)[column * groups : (column + 1) * groups]
        means = dict(zip(names, self.value.reshape(-1, columns)[:, column].tolist()))
        gone = [name for place, name in enumerate(names) if place not in kept]
        return InferenceResults.of(
            self._add_method_call("f_oneway", variable),
            test=found.test,
            statistic=found.statistic,
            pvalue=found.pvalue,
            pvalue_floor=found.floor,
            null=(("largest difference of means", 0.0),),
            released=tuple(means.items()),
            validity=found.validity,
            assumptions=known.assumptions,
            remarks=(*(f"{name} is left out: it may have no records at all." for name in gone), NO_COST_NOTE),
            behind=self if columns == 1 else None,
        )

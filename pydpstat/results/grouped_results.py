"""Results of a release by group, with comparisons of its groups."""

from __future__ import annotations

from itertools import combinations

from pydpstat._checks import check_choice
from pydpstat._data.progress import Progress
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.results._group_calls import NO_GROUPS_MESSAGE, add_method_call, get_other_levels
from pydpstat.results._labels import GroupLabels, make_wide_frame
from pydpstat.results._population import NO_COST_NOTE, SupportsEqualityTest, SupportsGroupComparison
from pydpstat.results._shapes import GROUPS, represents
from pydpstat.results.inference_results import InferenceResults
from pydpstat.results.pairwise_results import CORRECTIONS, PairwiseResults, format_group
from pydpstat.results.results import DPResults


@represents(GROUPS)
class GroupedResults(DPResults):
    """A released statistic of each group.

    Statistics with ``by=`` return it, and the shares of a table within the levels of a variable. All that
    `DPResults` has is here, by group; operators are those of single numbers.

    See Also
    --------
    DPResults : a number or several, without groups.
    TableResults : counts of records by the levels of variables.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> age, region = np.linspace(20, 60, 600), np.repeat(["north", "south"], 300)
    >>> r = pydpstat.mean(age, 1.0, bounds=(0, 100), by=region, levels=["north", "south"], population=True, rng=1)
    >>> type(r).__name__, r.difference("north", "south").pvalue < 0.01
    ('GroupedResults', True)
    """

    __slots__ = ()

    @property
    def _unavailable_names(self) -> tuple[str, ...]:
        names = super()._unavailable_names
        population, labels = self.post.population, self.labels
        assert isinstance(labels, GroupLabels)
        if not isinstance(population, SupportsGroupComparison):
            names = (*names, "difference", "pairs")
        if not isinstance(population, SupportsEqualityTest) or len(labels.rows) < 2:
            names = (*names, "f_oneway")
        return names if labels.has_wide_form(self.value) else (*names, "wide")

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
        GroupedResults.pairs : all pairs of groups.

        Notes
        -----
        Means: Welch's test with noise in its distribution, as in `ttest_ind`, with the noisy numbers of
        records instead of public ones. Proportions and shares: the squared distances to the limits
        of both groups' intervals are added (Newcombe 1998, method 10), and the p-value is the level whose
        interval ends at 0. Levels were measured. Where a group may be empty, the test is uninformative: p = 1.

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
        population, labels = self._get_comparable_groups()
        indices = labels.find_group(a, "a"), labels.find_group(b, "b")
        if indices[0] == indices[1]:
            raise PydpstatError(
                f"a and b must be two different groups; got {a!r} twice. Give another one for "
                f"b: {labels.format_groups(indices[0])}."
            )
        column, columns = labels.find_variable(variable), len(labels.series) or 1
        # fixed order: simulated p-values are not symmetric in the groups, and a comparison has one
        comparison = population.compare_groups(*(index * columns + column for index in sorted(indices)))
        comparison = comparison if indices[0] < indices[1] else comparison.invert_order()
        names, values = labels.name_elements(self.value), self.value.reshape(-1, columns)[:, column]
        parameter = f"difference of {format_group(a)} and {format_group(b)}"
        return InferenceResults.of(
            add_method_call(self, "difference", a, b, variable),
            test=comparison.test,
            statistic=comparison.statistic,
            pvalue=comparison.pvalue,
            pvalue_floor=comparison.floor,
            alternative="two-sided",
            null=((parameter, 0.0),),
            released=tuple((names[column * values.size + index], float(values[index])) for index in sorted(indices)),
            estimates=((parameter, comparison.estimate),),
            parameter=parameter,
            interval=comparison.interval,
            validity=comparison.validity,
            assumptions=population.assumptions,
            remarks=(*comparison.remarks, NO_COST_NOTE),
        )

    def pairs(self, correction: str | None = "holm", variable: object = None, within: object = None) -> PairwiseResults:
        """Compare all pairs of groups, with a correction for their number.

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
        GroupedResults.difference : one pair.
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
        population, labels = self._get_comparable_groups()
        column, columns = labels.find_variable(variable), len(labels.series) or 1
        other_levels = get_other_levels(self.record)
        compared = [
            index
            for index, row in enumerate(labels.rows)
            if not any(level == item for level, item in zip(row, other_levels) if item is not None)
        ]
        key_positions = labels.find_keys(within)
        index_pairs = [
            (a, b)
            for a, b in combinations(compared, 2)
            if all(labels.rows[a][item] == labels.rows[b][item] for item in key_positions)
        ]
        if not index_pairs:
            raise PydpstatError("pairs() needs two or more groups apart from that of other values.")
        comparisons = []
        with Progress(lambda: len(index_pairs), "pairs") as progress:
            for pair in index_pairs:
                item = population.compare_groups(*(index * columns + column for index in pair))
                comparisons.append(progress.count_one(item))
        groups = [row if len(row) > 1 else row[0] for row in labels.rows]
        return PairwiseResults(
            test=comparisons[0].test,
            groups=tuple((groups[a], groups[b]) for a, b in index_pairs),
            differences=tuple(comparisons),
            correction=correction,
            variable=str(labels.series[column]) if labels.series else "",
            assumptions=population.assumptions,
            claim=self.claim,
            guarantee=self.guarantee,
            reproducible=self.reproducible,
            record=add_method_call(self, "pairs", correction, variable, within).record,
        )

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
            If there is no such variable, or this release has no means of two groups or more.

        See Also
        --------
        GroupedResults.pairs : which groups differ.
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
        population, labels = self.post.population, self.labels
        n_groups = len(labels.rows) if isinstance(labels, GroupLabels) else 0
        if not isinstance(population, SupportsEqualityTest) or n_groups < 2:
            raise PydpstatError(
                f"this release of {self.statistic} has no means of groups that can be compared. Release a "
                "mean with by= and population=True."
            )
        column, columns = labels.find_variable(variable), len(labels.series) or 1
        test, compared = population.test_equality(range(column, n_groups * columns, columns))
        names = labels.name_elements(self.value)[column * n_groups : (column + 1) * n_groups]
        means = dict(zip(names, self.value.reshape(-1, columns)[:, column].tolist()))
        omitted = [name for index, name in enumerate(names) if index not in compared]
        return InferenceResults.of(
            add_method_call(self, "f_oneway", variable),
            test=test.test,
            statistic=test.statistic,
            pvalue=test.pvalue,
            pvalue_floor=test.floor,
            null=(("largest difference of means", 0.0),),
            released=tuple(means.items()),
            validity=test.validity,
            assumptions=population.assumptions,
            remarks=(*(f"{name} is left out: it may have no records at all." for name in omitted), NO_COST_NOTE),
            behind=self if columns == 1 else None,
        )

    def wide(self) -> pd.DataFrame:
        """Return the numbers with a column for each level of the last key.

        With several numbers per group, each has a column.

        Returns
        -------
        DataFrame
            The estimates.

        Raises
        ------
        PydpstatError
            If there is one key alone, and one number for each of its levels.

        See Also
        --------
        DPResults.to_frame : a row for each number.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> age = np.linspace(20, 60, 400)
        >>> keys = {"region": np.repeat(["north", "south"], 200), "sex": np.tile(["f", "m"], 200)}
        >>> levels = {"region": ["north", "south"], "sex": ["f", "m"]}
        >>> pydpstat.mean(age, 1.0, bounds=(0, 100), by=keys, levels=levels, rng=1).wide().shape
        (3, 3)
        """
        numbers = make_wide_frame(self.estimate)
        if numbers is None:
            raise PydpstatError(
                f"this release of {self.statistic} has one number for each level of one key, and no wide form. "
                "Write result.estimate, which is a Series."
            )
        return numbers

    def _get_comparable_groups(self) -> tuple[SupportsGroupComparison, GroupLabels]:
        """Return the inference that compares this release's groups, and their labels."""
        if not isinstance(self.post.population, SupportsGroupComparison) or not isinstance(self.labels, GroupLabels):
            if self.statistic == "mean" and isinstance(self.labels, GroupLabels):
                raise PydpstatError(
                    "this release of means by group has no intervals for the population, which comparisons "
                    "rest on. Write mean(..., population=True), at the same privacy cost."
                )
            raise PydpstatError(NO_GROUPS_MESSAGE.format(self.statistic))
        return self.post.population, self.labels

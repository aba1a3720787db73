"""Results of a table, with margins, shares, comparisons and a test of independence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from pydpstat import _checks as checks
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.results._labels import GroupLabels, Labels, make_wide_frame
from pydpstat.results._noisy_counts import can_sum_counts
from pydpstat.results._population import SupportsIndependenceTest, SupportsShares
from pydpstat.results._release_page import ReleasePage
from pydpstat.results._shapes import (
    SHARE_STATISTIC,
    TABLE,
    TABLE_STATISTICS,
    derive_release,
    find_count_dimnames,
    represents,
)
from pydpstat.results._table_axes import TableAxes, VariableNames
from pydpstat.results._table_releases import make_wide_counts, release_margins, release_shares
from pydpstat.results._table_tests import get_row_shares, has_two_variables, run_independence_test
from pydpstat.results.grouped_results import GroupedResults
from pydpstat.results.inference_results import InferenceResults
from pydpstat.results.pairwise_results import CORRECTIONS, PairwiseResults
from pydpstat.results.results import DPResults

# maximum number of shares per group in a picture
_MAX_COMPARED_SHARES = 5


@represents(TABLE)
class TableResults(DPResults):
    """A released table: counts of records by levels of variables, or shares.

    `crosstab`, and `count` of all records by groups, return it. All that `DPResults` has is here, by cell;
    operators are those of single numbers.

    See Also
    --------
    DPResults : a number or several.
    GroupedResults : a statistic of each group, such as the shares within rows.

    Examples
    --------
    >>> import pydpstat
    >>> answers = {"first": ["yes", "no"] * 50, "second": ["yes", "yes", "no", "no"] * 25}
    >>> levels = {"first": ["no", "yes"], "second": ["no", "yes"]}
    >>> table = pydpstat.crosstab(answers, 1.0, levels=levels, other=None, rng=1)
    >>> type(table).__name__, table.margins("first").estimate.index.tolist()
    ('TableResults', ['no', 'yes'])
    """

    __slots__ = ()

    @property
    def _unavailable_names(self) -> tuple[str, ...]:
        names = super()._unavailable_names
        comparison_names = ("chi2", "difference", "pairs")
        if self.statistic == SHARE_STATISTIC:
            wide = () if make_wide_frame(self.estimate) is not None else ("wide",)
            return (*names, *comparison_names, "long", "margins", "shares", *wide)
        if not can_sum_counts(self):
            return (*names, *comparison_names, "margins", "shares")
        if not has_two_variables(self) or not isinstance(self.post.population, SupportsShares):
            return (*names, *comparison_names)
        return names if isinstance(self.post.population, SupportsIndependenceTest) else (*names, "chi2")

    @overload
    def margins(self, names: str | int) -> TableResults: ...
    @overload
    def margins(self, names: Sequence[str | int]) -> DPResults: ...
    def margins(self, names: VariableNames) -> DPResults:
        """Return the margins of a released table, at no additional privacy cost.

        Each is the sum of the noisy counts of its cells. It is post-processing of a `crosstab`, or of a
        `count` of all records by groups.

        Parameters
        ----------
        names : str or list of str
            The variables to keep, in this order; the others are summed over. A variable without a name is
            given by its index, from 0. An empty list gives the total.

        Returns
        -------
        DPResults
            The margins in the table's form, with the table's guarantee. `noise` is the exact distribution
            of the sum of the independent noises of a margin's cells: with m cells its standard deviation is
            sqrt(m) times that of one cell. ``conf_int(kind="population")`` is for shares of the population,
            as that of the table.

        Raises
        ------
        PydpstatError
            If a variable is not in the table, or all of them are kept; or if the noise is not on the
            integers.

        See Also
        --------
        TableResults.shares : shares of the cells.

        Notes
        -----
        A level that `crosstab` adds for other values is summed over, too. A margin that matters more than the
        cells is more precise if it is released separately.

        References
        ----------
        Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy. Foundations and
        Trends in Theoretical Computer Science 9, proposition 2.1 (post-processing).

        Examples
        --------
        >>> import pandas as pd, pydpstat
        >>> frame = pd.DataFrame({"smokes": ["no", "yes"] * 200, "ill": (["no"] * 3 + ["yes"]) * 100})
        >>> levels = {"smokes": ["no", "yes"], "ill": ["no", "yes"]}
        >>> table = pydpstat.crosstab(frame, 2.0, levels=levels, other=None, rng=1)
        >>> ill = table.margins("ill")
        >>> bool((ill.estimate == table.estimate.sum()).all()), ill.epsilon
        (True, 2.0)
        """
        return release_margins(self._get_count_table(), names)  # type: ignore[no-any-return]

    @overload
    def shares(self, by: None = None) -> TableResults: ...
    @overload
    def shares(self, by: VariableNames) -> GroupedResults: ...
    def shares(self, by: VariableNames | None = None) -> DPResults:
        """Return the shares of a released table's cells.

        It is post-processing of a `crosstab`, or of a `count` of all records by groups, at no additional privacy
        cost.

        Parameters
        ----------
        by : str or list of str, optional
            The variables within whose levels shares add up to 1, as rows of a table do. By default they are
            shares of all records.

        Returns
        -------
        DPResults
            Shares from 0 to 1 with the table's guarantee: in the table's form, or with a row for each of the
            groups `by` and a column for each level of the others. The default intervals are those of the
            noise; ``conf_int(kind="population")`` covers sampling, too. Groups are compared by
            ``difference(a, b, level)``, and all of them by ``pairs(variable=level)``.

        Raises
        ------
        PydpstatError
            If `by` is not some of the table's variables, or these are shares already.

        See Also
        --------
        TableResults.margins : counts of one variable.
        TableResults.chi2 : a test of independence.

        Notes
        -----
        The count of a cell over the number of records where that is public, else over the sum of the noisy
        counts, clipped to [0, 1]; where that sum is not above 0 all cells have the same share. Noise
        intervals of a count over a sum are Fieller's, which hold for small groups, too; the standard
        deviation is by the delta method.

        References
        ----------
        Fieller, E. C. (1954). Some problems in interval estimation. Journal of the Royal Statistical Society
        B 16.

        Examples
        --------
        >>> import pandas as pd, pydpstat
        >>> frame = pd.DataFrame({"smokes": ["no", "yes"] * 200, "ill": (["no"] * 3 + ["yes"]) * 100})
        >>> levels = {"smokes": ["no", "yes"], "ill": ["no", "yes"]}
        >>> table = pydpstat.crosstab(frame, 2.0, levels=levels, other=None, rng=1)
        >>> shares = table.shares(by="smokes")
        >>> bool(abs(shares.estimate.loc["yes", "yes"] - 0.5) < 0.05)
        True
        """
        return release_shares(self._get_count_table(), by)  # type: ignore[no-any-return]

    def long(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return a released table as a frame with a row for each cell.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that a noise interval misses.

        Returns
        -------
        DataFrame
            A column for each variable, then those of `to_frame`: estimate, noise standard deviation, and the
            limits of the intervals.

        See Also
        --------
        TableResults.wide : a column for each level.

        Examples
        --------
        >>> import pydpstat
        >>> answers = {"first": ["yes", "no"] * 50, "second": ["yes", "yes", "no", "no"] * 25}
        >>> levels = {"first": ["no", "yes"], "second": ["no", "yes"]}
        >>> pydpstat.crosstab(answers, 1.0, levels=levels, other=None, rng=1).long().columns.tolist()[:4]
        ['first', 'second', 'estimate', 'noise sd']
        """
        table = self._get_count_table()
        axes = TableAxes.from_labels(table.labels)
        return table.to_frame(alpha).reset_index(names=[axes.get_name(axis) for axis in range(len(axes.dimnames))])

    def wide(self, margins: bool | None = None) -> pd.DataFrame:
        """Return a released table with a column for each level of the last variable.

        Parameters
        ----------
        margins : bool, optional
            Whether to add sums as a row and a column "All", as ``pandas.crosstab`` does; they are `margins`.
            By default as requested from `crosstab`.

        Returns
        -------
        DataFrame
            The estimates, integers where the noise is. A table of one variable has one row. Shares have no
            sums.

        See Also
        --------
        TableResults.long : a row for each cell.

        Examples
        --------
        >>> import pydpstat
        >>> answers = {"first": ["yes", "no"] * 50, "second": ["yes", "yes", "no", "no"] * 25}
        >>> levels = {"first": ["no", "yes"], "second": ["no", "yes"]}
        >>> table = pydpstat.crosstab(answers, 1.0, levels=levels, other=None, rng=1)
        >>> table.wide(margins=True).shape
        (3, 3)
        """
        if self.statistic == SHARE_STATISTIC and (numbers := make_wide_frame(self.estimate)) is not None:
            return numbers
        table = self._get_count_table()
        has_margins = dict(self.record.arguments).get("margins", False) if margins is None else margins
        hint = ".wide(margins=True) adds sums, and .margins('region') are those of one variable."
        frame = make_wide_counts(
            table.value, TableAxes.from_labels(table.labels), checks.check_boolean(has_margins, "margins", hint)
        )
        return frame.astype(np.int64) if ReleasePage(table).has_integer_counts() else frame

    def difference(self, a: object, b: object, variable: object = None) -> InferenceResults:
        """Compare the shares of two levels of the table's first variable.

        It is post-processing of a `crosstab` of two variables, at no additional privacy cost. `pairs`
        compares all levels, with a correction for their number.

        Parameters
        ----------
        a, b : level
            Two different levels of the first variable.
        variable : level
            The level of the second variable whose shares are compared.

        Returns
        -------
        InferenceResults
            With `statistic`, `pvalue` (of no difference) and ``conf_int(alpha)`` of a minus b.

        Raises
        ------
        PydpstatError
            If there is no such level, the table does not have two variables, or several records of a unit count,
            which are not independent.

        See Also
        --------
        GroupedResults.difference : the same of ``shares(by=...)``, with the method.
        TableResults.pairs : all pairs of levels.

        Examples
        --------
        >>> import pydpstat
        >>> answers = {"first": ["yes", "no"] * 50, "second": ["yes", "no"] * 50}
        >>> levels = {"first": ["no", "yes"], "second": ["no", "yes"]}
        >>> table = pydpstat.crosstab(answers, 5.0, levels=levels, other=None, rng=1)
        >>> table.difference("yes", "no", variable="yes").pvalue < 0.01
        True
        """
        return get_row_shares(self, "difference", variable, a, b).difference(a, b, variable)

    def pairs(self, correction: str | None = "holm", variable: object = None, within: object = None) -> PairwiseResults:
        """Compare the shares of all pairs of levels of the table's first variable.

        It is post-processing of a `crosstab` of two variables, at no additional privacy cost.

        Parameters
        ----------
        correction : {"holm", "bonferroni", None}, default "holm"
            The correction of the p-values for their number, as in `GroupedResults.pairs`.
        variable : level
            The level of the second variable whose shares are compared.
        within : optional
            As in `GroupedResults.pairs`.

        Returns
        -------
        PairwiseResults

        Raises
        ------
        PydpstatError
            As `difference` does, or if `correction` is not allowed.

        See Also
        --------
        TableResults.difference : one pair.

        Examples
        --------
        >>> import pydpstat
        >>> answers = {"first": ["yes", "no"] * 50, "second": ["yes", "no"] * 50}
        >>> levels = {"first": ["no", "yes"], "second": ["no", "yes"]}
        >>> table = pydpstat.crosstab(answers, 5.0, levels=levels, other=None, rng=1)
        >>> table.pairs(variable="yes").pvalues.index.tolist()
        [('no', 'yes')]
        """
        if correction is not None:
            checks.check_choice(correction, "correction", CORRECTIONS[:2])
        return get_row_shares(self, "pairs", variable).pairs(correction, variable, within)

    def chi2(self) -> InferenceResults:
        """Test whether the two variables of a released table are independent.

        It is post-processing of a `crosstab` of two variables, at no additional privacy cost, and the test of
        `chi2_contingency`. The level that `crosstab` adds for other values, which may be empty, is left out.

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
        TableResults.shares : the shares that are compared.
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
        return run_independence_test(self)

    def _get_tested_shares(self) -> GroupedResults:
        """Return the shares within levels of one variable, for the picture of the test of independence."""
        rows, columns = self.value.shape
        # shares of the second variable's levels, unless only the first variable has few enough levels
        return self.shares(by=TableAxes.from_labels(self.labels).get_key(int(columns > _MAX_COMPARED_SHARES >= rows)))

    def _get_count_table(self) -> TableResults:
        """Return the table of counts, converted from counts of all records by groups if necessary."""
        if isinstance(self.labels, GroupLabels):
            dimnames = find_count_dimnames(self.labels) or ()
            value = self.value.reshape([len(levels) for levels in dimnames])
            labels = Labels("table", dimnames=dimnames, dimension_names=self.labels.keys)
            return derive_release(self, statistic="table", value=value, labels=labels)  # type: ignore[no-any-return]
        if self.statistic not in TABLE_STATISTICS:
            raise PydpstatError(
                f"this release of {self.statistic} is not a table. Release a crosstab of several "
                "variables; shares of one are result.params / result.params.sum()."
            )
        return self

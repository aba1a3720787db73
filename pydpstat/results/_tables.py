"""What follows from a released table: margins, shares, and frames of either shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Self

import numpy as np

from pydpstat import _checks as checks
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import get_summand, make_noise_sum
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _ranges as ranges
from pydpstat.results._labels import GroupLabels, Labels, make_wide_frame
from pydpstat.results._population import PopulationIntervals, SupportsShares
from pydpstat.results._postprocessing import (
    NO_COST_STEP,
    NoisyValue,
    PostProcessing,
    RatioIntervals,
    ScaledValue,
    ValueWithIntervals,
)
from pydpstat.results._words import join_names

# a variable by its name, or by its place where it has none
VariableNames = str | int | Sequence[str | int]
# what a value is called whose cells are counts of records
TABLE_STATISTICS = ("table", "margins")
# sums are called so in frames
SUM_LEVEL = "All"
_TABLE_STEP = NO_COST_STEP.format("table")
NO_SUM_MESSAGE = (
    "sums of several counts with {} noise have no known distribution here. Release the counts with "
    "mechanism='geometric' or 'gaussian'."
)


class TableResults(PopulationIntervals):
    """What can be computed from a released table at no additional privacy cost."""

    __slots__ = ()

    def margins(self, names: VariableNames) -> Self:
        """Return the margins of a released table, at no additional privacy cost.

        Each is the sum of the noisy counts of its cells. It is post-processing of a `crosstab`, or of a
        `count` of all records by groups.

        Parameters
        ----------
        names : str or list of str
            The variables to keep, in this order; the others are summed over. A variable without a name is
            given by its place, from 0. An empty list gives the total.

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
            If this release is no table, a variable is not in it, or all of them are kept; or if the noise
            is not on the integers.

        See Also
        --------
        DPResults.shares : shares of the cells.

        Notes
        -----
        A level that `crosstab` adds for other values is summed over, too. A margin that matters more than the
        cells is more precise if it is released by itself.

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
        if (table := self._convert_counts_to_table()) is not None:
            return table.margins(names)
        dimnames = self._get_dimnames()
        kept = self._find_axes(names, "names")
        over = tuple(axis for axis in range(len(dimnames)) if axis not in kept)
        if not over:
            raise PydpstatError(
                f"names must omit at least one of the table's variables; got {names!r}. The table itself has all cells."
            )
        counts, factor = self._get_noisy_counts()
        # the axes that are left keep their order; then they get the one that was asked for
        sums = np.asarray(counts.sum(axis=over)).transpose(np.argsort(np.argsort(kept)).tolist())
        each, already = get_summand(self.noise)
        cells = math.prod(len(dimnames[axis]) for axis in over)
        noise = make_noise_sum(self.noise, cells)
        own, every = already * cells, already * counts.size
        known, population = self.post.population, None
        if isinstance(known, SupportsShares):
            rests = counts.sum() - sums
            population = known.make_share_intervals(sums, rests, (own, every - own), True, known.subject)
        steps = (f"summed over {self._format_axis_names(over)}", _TABLE_STEP)
        within = self.post.within
        post: NoisyValue | ScaledValue = NoisyValue(steps, population=population, within=within)
        if isinstance(self.post, ScaledValue):
            post = ScaledValue(factor, (*self.post.steps, *steps), population=population, within=within)
        names_of = self.labels.dimension_names
        labels = Labels("total")
        if kept:
            labels = Labels(
                "table",
                dimnames=tuple(dimnames[axis] for axis in kept),
                dimension_names=tuple(names_of[axis] for axis in kept) if names_of else (),
            )
        shown = names if isinstance(names, (str, int)) else list(names)
        about = join_names(map(self._get_axis_name, kept)) or "all records"
        return self._derive_release("margins", sums * factor, labels, post, ("margins", shown), about, noise=noise)

    def shares(self, by: VariableNames | None = None) -> Self:
        """Return the shares that the cells of a released table have, at no additional privacy cost.

        It is post-processing of a `crosstab`, or of a `count` of all records by groups.

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
            If this release is no table, or `by` is not some of its variables.

        See Also
        --------
        DPResults.margins : counts of one variable.
        DPResults.chi2 : a test of independence.

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
        if (table := self._convert_counts_to_table()) is not None:
            return table.shares(by)
        dimnames = self._get_dimnames()
        rows = () if by is None else self._find_axes(by, "by")
        columns = tuple(axis for axis in range(len(dimnames)) if axis not in rows)
        if not columns or by is not None and not rows:
            raise PydpstatError(
                f"by must be some of the table's variables, and not all of them; got {by!r}. Leave it out "
                "for shares of all records."
            )
        of, inside = (join_names(map(self._get_axis_name, some)) for some in (columns, rows))
        counts, _ = self._get_noisy_counts()
        shape: tuple[int, ...] = counts.shape
        labels: Labels = replace(self.labels, name="share")
        if rows:
            groups, levels = (list(product(*[dimnames[axis] for axis in some])) for some in (rows, columns))
            shape = (len(groups), len(levels))
            counts = counts.transpose(*rows, *columns).reshape(shape)
            inner = tuple(":".join(map(str, row)) for row in levels)
            keys = tuple(self._get_axis_name(axis) for axis in rows)
            labels = GroupLabels.from_labels(Labels("share", names=inner, dimension_names=(of,)), tuple(groups), keys)
        each, already = get_summand(self.noise)
        total = counts.sum(axis=-1, keepdims=True) if rows else counts.sum()
        others = (shape[-1] if rows else counts.size) - 1
        noises, known, population = (already, already * others), self.post.population, None
        if isinstance(known, SupportsShares):
            population = known.make_share_intervals(counts, total - counts, noises, not rows, "")
        within = ranges.PROPORTION
        about = f"{of} within {inside}" if inside else of
        shown = by if by is None or isinstance(by, (str, int)) else list(by)
        if self.nobs and not rows:
            steps = ("divided by the number of records", ranges.CLIPPED_STEP, _TABLE_STEP)
            post = ScaledValue(1.0 / self.nobs, steps, population=population, within=within)
            clipped = within.clip_values(counts / self.nobs)
            return self._derive_release("share", clipped, labels, post, ("shares", shown), about)
        ratios = RatioIntervals(each, counts, total - counts, np.array(noises))
        value, slopes = ratios.compute_shares(), ratios.compute_slopes()
        value = np.where(np.isnan(value), 1.0 / (others + 1), value)
        what = f"divided by their sum{' in each group' * bool(rows)}"
        flat = tuple(slopes.ravel(order="F").tolist())
        ratio = ValueWithIntervals(
            flat, (what, ranges.CLIPPED_STEP, _TABLE_STEP), ratios, population=population, within=within
        )
        return self._derive_release("share", value, labels, ratio, ("shares", shown), about, noise=each)

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
            ends of the intervals.

        See Also
        --------
        DPResults.wide : a column for each level.

        Examples
        --------
        >>> import pydpstat
        >>> answers = {"first": ["yes", "no"] * 50, "second": ["yes", "yes", "no", "no"] * 25}
        >>> levels = {"first": ["no", "yes"], "second": ["no", "yes"]}
        >>> pydpstat.crosstab(answers, 1.0, levels=levels, other=None, rng=1).long().columns.tolist()[:4]
        ['first', 'second', 'estimate', 'noise sd']
        """
        if (table := self._convert_counts_to_table()) is not None:
            return table.long(alpha)
        sizes = range(len(self._get_dimnames()))
        return self.to_frame(alpha).reset_index(names=[self._get_axis_name(axis) for axis in sizes])

    def wide(self, margins: bool | None = None) -> pd.DataFrame:
        """Return a table, or numbers by several keys, with a column for each level of the last variable.

        Parameters
        ----------
        margins : bool, optional
            Whether to add sums as a row and a column "All", as ``pandas.crosstab`` does; they are `margins`.
            By default what `crosstab` was told.

        Returns
        -------
        DataFrame
            The estimates, integers where the noise is. A table of one variable has one row. Means and shares
            have no sums.

        See Also
        --------
        DPResults.long : a row for each cell.

        Examples
        --------
        >>> import pydpstat
        >>> answers = {"first": ["yes", "no"] * 50, "second": ["yes", "yes", "no", "no"] * 25}
        >>> levels = {"first": ["no", "yes"], "second": ["no", "yes"]}
        >>> table = pydpstat.crosstab(answers, 1.0, levels=levels, other=None, rng=1)
        >>> table.wide(margins=True).shape
        (3, 3)
        """
        if (table := self._convert_counts_to_table()) is not None:
            return table.wide(margins)
        numbers = None if self.statistic in TABLE_STATISTICS else make_wide_frame(self.labels.to_pandas(self.value))
        if numbers is not None:
            return numbers
        dimnames = self._get_dimnames()
        *rows, columns = (pd.Index(levels, name=self._get_axis_name(axis)) for axis, levels in enumerate(dimnames))
        index = pd.MultiIndex.from_product(rows) if len(rows) > 1 else (rows or [pd.Index(["count"])])[0]
        values = self.value.reshape(len(index), -1) + 0.0
        shown = dict(self.record.arguments).get("margins", False) if margins is None else margins
        hint = ".wide(margins=True) adds sums, and .margins('region') are those of one variable."
        if checks.check_boolean(shown, "margins", hint):
            values = np.column_stack([values, values.sum(axis=1)])
            columns = columns.insert(len(columns), SUM_LEVEL)
            if rows:
                values = np.vstack([values, values.sum(axis=0)])
                total = (SUM_LEVEL, *[""] * (len(rows) - 1)) if len(rows) > 1 else SUM_LEVEL
                index = index.insert(len(index), total)
        frame = pd.DataFrame(values, index=index, columns=columns)
        return frame.astype(np.int64) if self._has_integer_counts() else frame

    def _derive_release(
        self,
        statistic: str,
        value: Floats,
        labels: Labels,
        post: PostProcessing,
        method_call: tuple[Any, ...],
        subject: str = "",
        **more: Any,
    ) -> Self:
        """Return what follows from this release by the method and the argument in `method_call`."""
        record = self.record.add_method_call(*method_call).replace_subject(
            subject if any(self.labels.dimension_names) else ""
        )
        return replace(self, statistic=statistic, value=value, labels=labels, post=post, record=record, **more)

    def _get_dimnames(self) -> tuple[tuple[object, ...], ...]:
        names = self.labels.dimnames
        if self.statistic not in TABLE_STATISTICS or not names:
            raise PydpstatError(
                f"this release of {self.statistic} is not a table. Release a crosstab of several "
                "variables; shares of one are result.params / result.params.sum()."
            )
        return names

    def _convert_counts_to_table(self) -> Self | None:
        """Return counts of records by groups as the table that they are; None of anything else."""
        labels = self.labels
        if self.statistic != "count" or not isinstance(labels, GroupLabels) or labels.name != "records":
            return None
        dimnames = tuple(tuple(dict.fromkeys(axis)) for axis in zip(*labels.rows))
        if tuple(product(*dimnames)) != labels.rows:
            return None
        value = self.value.reshape([len(levels) for levels in dimnames])
        table = Labels("table", dimnames=dimnames, dimension_names=labels.keys)
        return replace(self, statistic="table", value=value, labels=table)

    def _is_table(self) -> bool:
        """Tell whether this is a table of two variables."""
        return self.statistic in TABLE_STATISTICS and len(self.labels.dimnames or ()) == 2

    def _get_axis_key(self, axis: int) -> str | int:
        """Return how a variable is asked for."""
        names = self.labels.dimension_names
        return names[axis] if any(names) else axis

    def _get_noisy_counts(self) -> tuple[Floats, float]:
        """Return the noisy counts, which can be summed, and what they were multiplied with."""
        if dict(self.record.arguments).get("levels") == "discover":
            raise PydpstatError(
                "rare levels are missing from levels that were found in the data, and so are their "
                "records: the released counts have no margins or shares. Release the table with "
                "public levels."
            )
        if self.noise is None or make_noise_sum(self.noise, 2) is None:
            raise PydpstatError(NO_SUM_MESSAGE.format(self.mechanism))
        factor = float(np.asarray(self.post.factor)) if isinstance(self.post, ScaledValue) else 1.0
        return self.value / factor, factor

    def _find_axes(self, names: object, argument: str) -> tuple[int, ...]:
        """Return the places of variables that are given by name, or by place."""
        count, known = len(self._get_dimnames()), self.labels.dimension_names
        found = []
        for name in names if isinstance(names, (list, tuple)) else [names]:
            if isinstance(name, str) and name in known:
                found.append(known.index(name))
            elif type(name) is int and 0 <= name < count and not any(known):
                found.append(name)
            else:
                shown = ", ".join(map(repr, known if any(known) else range(count)))
                raise PydpstatError(
                    f"{argument} must be of the table's variables ({shown}); got {name!r}. "
                    f"{checks.suggest_spelling(name, list(map(str, known)))}"
                )
        if len(set(found)) < len(found):
            raise PydpstatError(f"{argument} must have each variable once; got {names!r}.")
        return tuple(found)

    def _get_axis_name(self, axis: int) -> str:
        names = self.labels.dimension_names
        return str(names[axis]) if names and names[axis] else f"variable {axis}"

    def _format_axis_names(self, axes: tuple[int, ...]) -> str:
        return ", ".join(map(self._get_axis_name, axes))

"""Margins and shares of a released table, as derived releases."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import get_summand, make_noise_sum
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _ranges as ranges
from pydpstat.results._labels import GroupLabels, Labels
from pydpstat.results._noisy_counts import derive_by_method, get_noisy_counts
from pydpstat.results._population import SupportsShares
from pydpstat.results._postprocessing import NO_COST_STEP, NoisyValue, RatioIntervals, ScaledValue, ValueWithIntervals
from pydpstat.results._release_page import SUM_LEVEL
from pydpstat.results._table_axes import TableAxes, VariableNames

_TABLE_STEP = NO_COST_STEP.format("table")


def release_margins(table: Any, names: VariableNames) -> Any:
    """Derive the margins of a table: sums of noisy counts over the variables that are not named."""
    axes = TableAxes.from_labels(table.labels)
    dimnames = axes.dimnames
    kept_axes = axes.find(names, "names")
    summed_axes = tuple(axis for axis in range(len(dimnames)) if axis not in kept_axes)
    if not summed_axes:
        raise PydpstatError(
            f"names must omit at least one of the table's variables; got {names!r}. The table itself has all cells."
        )
    counts, factor = get_noisy_counts(table)
    # summing preserves the order of the remaining axes; transpose to the requested one
    sums = np.asarray(counts.sum(axis=summed_axes)).transpose(np.argsort(np.argsort(kept_axes)).tolist())
    _, n_summands = get_summand(table.noise)
    n_cells = axes.count_cells(summed_axes)
    noise = make_noise_sum(table.noise, n_cells)
    margin_noises, total_noises = n_summands * n_cells, n_summands * counts.size
    table_population, population = table.post.population, None
    if isinstance(table_population, SupportsShares):
        rests = counts.sum() - sums
        population = table_population.make_share_intervals(
            sums, rests, (margin_noises, total_noises - margin_noises), True, table_population.subject
        )
    steps = (f"summed over {axes.join(summed_axes, last=False)}", _TABLE_STEP)
    within = table.post.within
    post: NoisyValue | ScaledValue = NoisyValue(steps, population=population, within=within)
    if isinstance(table.post, ScaledValue):
        post = ScaledValue(factor, (*table.post.steps, *steps), population=population, within=within)
    dimension_names = table.labels.dimension_names
    labels = Labels("total")
    if kept_axes:
        labels = Labels(
            "table",
            dimnames=tuple(dimnames[axis] for axis in kept_axes),
            dimension_names=tuple(dimension_names[axis] for axis in kept_axes) if dimension_names else (),
        )
    names_argument = names if isinstance(names, (str, int)) else list(names)
    subject = axes.join(kept_axes) or "all records"
    return derive_by_method(
        table, "margins", sums * factor, labels, post, ("margins", names_argument), subject, noise=noise
    )


def release_shares(table: Any, by: VariableNames | None) -> Any:
    """Derive the shares of a table's cells, of all records or within levels of some variables."""
    axes = TableAxes.from_labels(table.labels)
    dimnames = axes.dimnames
    rows = () if by is None else axes.find(by, "by")
    columns = tuple(axis for axis in range(len(dimnames)) if axis not in rows)
    if not columns or by is not None and not rows:
        raise PydpstatError(
            f"by must be some of the table's variables, and not all of them; got {by!r}. Leave it out "
            "for shares of all records."
        )
    column_text, row_text = (axes.join(selected) for selected in (columns, rows))
    counts, _ = get_noisy_counts(table)
    shape: tuple[int, ...] = counts.shape
    labels: Labels = replace(table.labels, name="share")
    if rows:
        groups, levels = (list(product(*[dimnames[axis] for axis in selected])) for selected in (rows, columns))
        shape = (len(groups), len(levels))
        counts = counts.transpose(*rows, *columns).reshape(shape)
        inner_names = tuple(":".join(map(str, row)) for row in levels)
        keys = tuple(axes.get_name(axis) for axis in rows)
        labels = GroupLabels.from_labels(
            Labels("share", names=inner_names, dimension_names=(column_text,)), tuple(groups), keys
        )
    summand, n_summands = get_summand(table.noise)
    total = counts.sum(axis=-1, keepdims=True) if rows else counts.sum()
    n_others = (shape[-1] if rows else counts.size) - 1
    noises, table_population, population = (n_summands, n_summands * n_others), table.post.population, None
    if isinstance(table_population, SupportsShares):
        population = table_population.make_share_intervals(counts, total - counts, noises, not rows, "")
    within = ranges.PROPORTION
    subject = f"{column_text} within {row_text}" if row_text else column_text
    by_argument = by if by is None or isinstance(by, (str, int)) else list(by)
    if table.nobs and not rows:
        steps = ("divided by the number of records", ranges.CLIPPED_STEP, _TABLE_STEP)
        post = ScaledValue(1.0 / table.nobs, steps, population=population, within=within)
        clipped = within.clip_values(counts / table.nobs)
        return derive_by_method(table, "share", clipped, labels, post, ("shares", by_argument), subject)
    ratios = RatioIntervals(summand, counts, total - counts, np.array(noises))
    value, slopes = ratios.compute_shares(), ratios.compute_slopes()
    value = np.where(np.isnan(value), 1.0 / (n_others + 1), value)
    step = f"divided by their sum{' in each group' * bool(rows)}"
    flat_slopes = tuple(slopes.ravel(order="F").tolist())
    ratio = ValueWithIntervals(
        flat_slopes, (step, ranges.CLIPPED_STEP, _TABLE_STEP), ratios, population=population, within=within
    )
    return derive_by_method(table, "share", value, labels, ratio, ("shares", by_argument), subject, noise=summand)


def make_wide_counts(value: Floats, axes: TableAxes, has_sums: bool) -> pd.DataFrame:
    """Return a table's counts with a column per level of the last variable, optionally with sums."""
    *rows, columns = (pd.Index(levels, name=axes.get_name(axis)) for axis, levels in enumerate(axes.dimnames))
    index = pd.MultiIndex.from_product(rows) if len(rows) > 1 else (rows or [pd.Index(["count"])])[0]
    values = value.reshape(len(index), -1) + 0.0
    if has_sums:
        values = np.column_stack([values, values.sum(axis=1)])
        columns = columns.insert(len(columns), SUM_LEVEL)
        if rows:
            values = np.vstack([values, values.sum(axis=0)])
            total = (SUM_LEVEL, *[""] * (len(rows) - 1)) if len(rows) > 1 else SUM_LEVEL
            index = index.insert(len(index), total)
    return pd.DataFrame(values, index=index, columns=columns)

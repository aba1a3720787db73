"""Margins and shares of a released table, as separate releases."""

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
    """Return the margins of a table: sums of noisy counts over the variables that are not named."""
    axes = TableAxes.from_labels(table.labels)
    dimnames = axes.dimnames
    kept = axes.find(names, "names")
    over = tuple(axis for axis in range(len(dimnames)) if axis not in kept)
    if not over:
        raise PydpstatError(
            f"names must omit at least one of the table's variables; got {names!r}. The table itself has all cells."
        )
    counts, factor = get_noisy_counts(table)
    # the axes that are left keep their order; then they get the one that was asked for
    sums = np.asarray(counts.sum(axis=over)).transpose(np.argsort(np.argsort(kept)).tolist())
    each, already = get_summand(table.noise)
    cells = axes.count_cells(over)
    noise = make_noise_sum(table.noise, cells)
    own, every = already * cells, already * counts.size
    known, population = table.post.population, None
    if isinstance(known, SupportsShares):
        rests = counts.sum() - sums
        population = known.make_share_intervals(sums, rests, (own, every - own), True, known.subject)
    steps = (f"summed over {axes.join(over, last=False)}", _TABLE_STEP)
    within = table.post.within
    post: NoisyValue | ScaledValue = NoisyValue(steps, population=population, within=within)
    if isinstance(table.post, ScaledValue):
        post = ScaledValue(factor, (*table.post.steps, *steps), population=population, within=within)
    names_of = table.labels.dimension_names
    labels = Labels("total")
    if kept:
        labels = Labels(
            "table",
            dimnames=tuple(dimnames[axis] for axis in kept),
            dimension_names=tuple(names_of[axis] for axis in kept) if names_of else (),
        )
    shown = names if isinstance(names, (str, int)) else list(names)
    about = axes.join(kept) or "all records"
    return derive_by_method(table, "margins", sums * factor, labels, post, ("margins", shown), about, noise=noise)


def release_shares(table: Any, by: VariableNames | None) -> Any:
    """Return the shares of a table's cells: of all records, or within the levels of some variables."""
    axes = TableAxes.from_labels(table.labels)
    dimnames = axes.dimnames
    rows = () if by is None else axes.find(by, "by")
    columns = tuple(axis for axis in range(len(dimnames)) if axis not in rows)
    if not columns or by is not None and not rows:
        raise PydpstatError(
            f"by must be some of the table's variables, and not all of them; got {by!r}. Leave it out "
            "for shares of all records."
        )
    of, inside = (axes.join(some) for some in (columns, rows))
    counts, _ = get_noisy_counts(table)
    shape: tuple[int, ...] = counts.shape
    labels: Labels = replace(table.labels, name="share")
    if rows:
        groups, levels = (list(product(*[dimnames[axis] for axis in some])) for some in (rows, columns))
        shape = (len(groups), len(levels))
        counts = counts.transpose(*rows, *columns).reshape(shape)
        inner = tuple(":".join(map(str, row)) for row in levels)
        keys = tuple(axes.get_name(axis) for axis in rows)
        labels = GroupLabels.from_labels(Labels("share", names=inner, dimension_names=(of,)), tuple(groups), keys)
    each, already = get_summand(table.noise)
    total = counts.sum(axis=-1, keepdims=True) if rows else counts.sum()
    others = (shape[-1] if rows else counts.size) - 1
    noises, known, population = (already, already * others), table.post.population, None
    if isinstance(known, SupportsShares):
        population = known.make_share_intervals(counts, total - counts, noises, not rows, "")
    within = ranges.PROPORTION
    about = f"{of} within {inside}" if inside else of
    shown = by if by is None or isinstance(by, (str, int)) else list(by)
    if table.nobs and not rows:
        steps = ("divided by the number of records", ranges.CLIPPED_STEP, _TABLE_STEP)
        post = ScaledValue(1.0 / table.nobs, steps, population=population, within=within)
        clipped = within.clip_values(counts / table.nobs)
        return derive_by_method(table, "share", clipped, labels, post, ("shares", shown), about)
    ratios = RatioIntervals(each, counts, total - counts, np.array(noises))
    value, slopes = ratios.compute_shares(), ratios.compute_slopes()
    value = np.where(np.isnan(value), 1.0 / (others + 1), value)
    what = f"divided by their sum{' in each group' * bool(rows)}"
    flat = tuple(slopes.ravel(order="F").tolist())
    ratio = ValueWithIntervals(
        flat, (what, ranges.CLIPPED_STEP, _TABLE_STEP), ratios, population=population, within=within
    )
    return derive_by_method(table, "share", value, labels, ratio, ("shares", shown), about, noise=each)


def make_wide_counts(value: Floats, axes: TableAxes, has_sums: bool) -> pd.DataFrame:
    """Return a table's counts with a column for each level of the last variable, with or without sums."""
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

"""From columns of numbers to exact sums, and from exact sums to a query."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from pydpstat._data.columns import Columns, Placeholder
from pydpstat._release.options import GivenBounds, Missing, Options, bounds_of
from pydpstat._release.query import Query
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.gaussian import root_above
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.record_grid import (
    Pairs,
    RecordGrid,
    Sums,
    bits_for,
    data_grid,
    standard_grid,
    sums,
)

Pair = tuple[float, float]
Bounds = tuple[Pair, ...]


def grids_for(bounds: Bounds, how: Options, size: int) -> list[RecordGrid]:
    """Return the grids of columns: as fine as the public size asks for, or the fixed one from -1 to 1."""
    if how.bounded:
        bits = bits_for(size, how.epsilon)
        return [data_grid(lower, upper, bits) for lower, upper in bounds]
    return [standard_grid(lower, upper) for lower, upper in bounds]


def sums_of(arrays: Sequence[Any], grids: Sequence[RecordGrid], missing: Missing, pairs: Pairs = ()) -> Sums:
    """Return exact sums; those of placeholders are 0."""
    if isinstance(arrays[0], Placeholder):
        return Sums(arrays[0].size, (0,) * len(arrays), (0,) * len(pairs))
    return sums(arrays, grids, missing, pairs)


def each_column(columns: Columns, grids: list[RecordGrid], missing: Missing, pairs: Pairs = ()) -> list[Sums]:
    """Return the sums of every column on its own."""
    return [sums_of((array,), (grid,), missing, pairs) for array, grid in zip(columns.arrays, grids)]


def column_bounds(bounds: GivenBounds, columns: Columns) -> tuple[Bounds, Bounds | Pair]:
    """Return every column's bounds, and how the result shows them."""
    pairs = bounds_of(bounds, columns.names, len(columns.arrays))
    return pairs, pairs if columns.names is not None else pairs[0]


def needs(size: int, least: int, statistic: str, argument: str = "data") -> None:
    """Check the public number of records."""
    if size < least:
        raise PydpstatError(
            f"{argument} must have at least {least} record{'s' * (least > 1)} for a {statistic} under "
            f"bounded neighbors; got {size}. Use neighbors='unbounded' where the number is private."
        )


@lru_cache(maxsize=256)
def width(pair: tuple[float, float], parts: int = 1) -> Fraction:
    """Return the exact distance of two bounds, divided by a public whole number."""
    return (Fraction(pair[1]) - Fraction(pair[0])) / parts


def ratio(numerator: int, denominator: int, unit: float, center: float = 0.0) -> Fraction:
    """Return numerator / denominator * unit + center exactly."""
    (up, down), (over, under) = unit.as_integer_ratio(), center.as_integer_ratio()
    return Fraction(numerator * up * under + over * denominator * down, denominator * down * under)


def bounded_query(
    statistic: str, columns: Columns, exact: list[Fraction], sensitivities: list[Fraction]
) -> Query:
    """Ask for one number a column, each with its own sensitivity; their number of records is public."""
    floats = [each.numerator / each.denominator for each in exact]
    return Query(
        statistic,
        np.array(floats if columns.names is not None else floats[0]),
        tuple(sensitivities),
        labels(statistic, columns),
        nobs=columns.size,
        exact=tuple(exact),
    )


def weights_query(
    statistic: str, names: Labels, how: Options, blocks: list[list[Fraction]], norm: Fraction = Fraction(1)
) -> Query:
    """Ask for the sums of weights; one record adds to each block a vector of L1 norm `norm` at most."""
    exact = [each for block in blocks for each in block]
    count = len(blocks)
    reach = Fraction(root_above(count)) if how.norm == 2 else Fraction(count)
    value = np.array([float(each) for each in exact])
    return Query(statistic, value, (reach * norm,), names, exact=tuple(exact))


def labels(statistic: str, columns: Columns) -> Labels:
    """Return the names of one number a column."""
    return Labels(columns.name or statistic, columns.names)


def by_column(noisy: np.ndarray, columns: int) -> np.ndarray:
    """Return a noisy vector as one row a block."""
    return noisy.reshape(columns, -1)


def shaped(values: Sequence[float], columns: Columns) -> np.ndarray:
    """Return one number a column, or the only one as a number."""
    array = np.array(values, dtype=np.float64)
    return array if columns.names is not None else array.reshape(())

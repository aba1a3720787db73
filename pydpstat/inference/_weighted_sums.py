"""Exact sums of records with weights, as they are released for survey statistics."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Columns, Data, Pair, numbers_of, one_column, truths_of
from pydpstat._release.additive import Query, Spender
from pydpstat._release.statistic import NO_VALUE, Missing, OnlyBounded, Options, check_records, options
from pydpstat.errors import PydpstatError
from pydpstat.inference._testing import check_epsilon
from pydpstat.random import Source
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.record_grid import BITS, chunks, rounded, standard_grid, units
from pydpstat.statistics._kernels.records import Part, Records, records_of
from pydpstat.statistics._kernels.scope import NOTHING

# the share of the noise's epsilon that the sums of the weights have; the rest is that of their squares
LINEAR = Fraction(3, 4)
_UNIT = 2.0**-BITS


class Weighted(NamedTuple):
    """Records and their weights, with bounds and options checked."""

    records: Records
    pair: Pair
    largest: float
    how: Options

    @property
    def size(self) -> int | None:
        """The number of records, where it is public."""
        return self.records.size if self.how.bounded else None


class _Pair(NamedTuple):
    """A variable and the weights as they were given. Private."""

    data: object
    weights: object


def read_weighted(
    data: Data,
    weights: Data,
    pair: Pair,
    max_weight: float,
    how: Options,
    source: Source,
    truths: bool = False,
) -> Weighted:
    """Read a variable, or truth values as 0 and 1, and its weights."""
    largest = largest_weight(max_weight)
    argument = "condition" if truths else "data"

    def read(given: object, _: str) -> Columns:
        assert isinstance(given, _Pair)
        first, second = _variable(given.data, argument, truths), one_column(given.weights, "weights")
        check_lengths(first, second, argument)
        arrays = first.arrays + second.arrays
        return Columns(arrays, first.missing + second.missing, None, first.name, first.size)

    records, how = records_of(_Pair(data, weights), how, NOTHING, source, read, argument)
    if how.bounded:
        check_records(how, records.size or 0, 1, "weighted statistic", argument)
    return Weighted(records, pair, largest, how)


def _variable(data: object, argument: str, truths: bool) -> Columns:
    found = one_column(data, argument, truths_of if truths else numbers_of)
    if not truths:
        return found
    values, absent = found.arrays[0].astype(np.float64), found.missing[0]
    if absent is not None:
        values[absent] = np.nan
    return Columns((values,), (None,), None, found.name, found.size)


def placed(part: Part, known: Weighted) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield records z in [-1, 1] and weights v in [0, 1] on the grid, some at a time."""
    grids = standard_grid(*known.pair), standard_grid(-known.largest, known.largest)
    for (z, v), _ in chunks(part.columns.arrays, grids, known.how.missing):
        yield z, np.maximum(v, 0.0)


def mean_sums(part: Part, known: Weighted) -> np.ndarray:
    """Return the six sums of a weighted mean, in units of 2^-40, as Python's integers.

    For each record they are a = v (1 - z) / 2 and b = v (1 + z) / 2, the three parts of v^2, and 1 - v. b is
    rounded to the grid and at most v, a is the rest of v; so with v^2, which is on the grid at most v, and
    its parts. None is negative, and the parts add up exactly.
    """
    total = [0] * 6
    for z, v in placed(part, known):
        upper = np.minimum(rounded(v * (1.0 + z) * 0.5, _UNIT), v)
        square = rounded(v * v, _UNIT)
        right = np.minimum(rounded(square * (1.0 + z) ** 2 * 0.25, _UNIT), square)
        middle = np.minimum(rounded(square * (1.0 - z * z) * 0.5, _UNIT), square - right)
        parts = (v - upper, upper, square - middle - right, middle, right, 1.0 - v)
        total = [one + (units(each, _UNIT, BITS) or 0) for one, each in zip(total, parts)]
    return np.array(total, dtype=object)


def cell_sums(part: Part, known: Weighted, edges: np.ndarray) -> np.ndarray:
    """Return the sums of v and of v^2 in each cell, and that of 1 - v, in units of 2^-40.

    Cells hold their left edges, the last one both.
    """
    count = edges.size - 1
    total = np.zeros(2 * count + 1, dtype=object)
    for z, v in placed(part, known):
        cell = (np.searchsorted(edges, z, side="right") - 1).clip(0, count - 1)
        for place, each in ((0, v), (count, rounded(v * v, _UNIT))):
            # so many records of at most 2^40 units add up exactly
            for start in range(0, z.size, 1 << 53 - BITS):
                piece = slice(start, start + (1 << 53 - BITS))
                added = np.bincount(cell[piece], each[piece], count) / _UNIT
                total[place : place + count] += added.astype(np.int64).astype(object)
        total[-1] += units(1.0 - v, _UNIT, BITS) or 0
    return total


def weighted_query(statistic: str, sums: np.ndarray, linear: int, known: Weighted) -> Query:
    """Ask for sums of which the first `linear` ones are of weights v, the last of 1 - v, the others of v^2.

    A record adds to them, each in its share c or 1 - c of the noise, a vector without negative elements and
    of L1 norm c v + (1 - c) v^2, where the number of records is private c (v + 1 - v) + (1 - c) v^2: at most
    1. Adding or removing it moves them by 1 at most, replacing it by 2.
    """
    shares = [LINEAR] * linear + [1 - LINEAR] * (sums.size - linear - 1) + [LINEAR]
    exact = tuple(share * Fraction(int(each), 1 << BITS) for share, each in zip(shares, sums))
    if known.how.bounded:
        exact = exact[:-1]
    value = np.array([each.numerator / each.denominator for each in exact], dtype=np.float64)
    reach = Fraction(2 if known.how.bounded else 1)
    names = Labels(known.records.name or statistic)
    return Query(statistic, value, (reach,), names, nobs=known.size, exact=exact)


def read_products(
    data: Data, weights: Data, pair: Pair, max_weight: float, how: Options, source: Source
) -> tuple[Records, Pair, float]:
    """Read records times their weights, each moved to its bounds before, with the products' bounds."""
    largest = largest_weight(max_weight)

    def read(given: object, argument: str) -> Columns:
        assert isinstance(given, _Pair)
        first, second = one_column(given.data, "data"), one_column(given.weights, "weights")
        check_lengths(first, second, argument)
        values, times = (each.arrays[0].astype(np.float64, copy=False) for each in (first, second))
        # a record's product depends on this record alone, whatever is rounded in it
        product = np.clip(values, *pair) * np.clip(times, 0.0, largest)
        for absent in (first.missing[0], second.missing[0]):
            if absent is not None:
                product[absent] = np.nan
        return Columns((product,), (None,), None, first.name, first.size)

    records, _ = records_of(_Pair(data, weights), how, NOTHING, source, read, "data")
    return records, (min(0.0, pair[0] * largest), max(0.0, pair[1] * largest)), largest


def check_lengths(first: Columns, second: Columns, argument: str) -> None:
    """Check that there is a weight for each record."""
    if first.size != second.size:
        raise PydpstatError(
            f"{argument} and weights must be of the same length, a record in the same place of both."
        )


def weighted_options(
    epsilon: float,
    neighbors: str | None,
    missing: Missing,
    budget: Spender | None,
    only: OnlyBounded | None = None,
) -> Options:
    """Check how a statistic of records with weights is to be protected."""
    if not isinstance(missing, str) or missing not in ("error", "drop"):
        # a number would stand for values and weights alike
        got = checks.shown_option(missing)
        raise PydpstatError(
            f"missing must be 'error' or 'drop' for records with weights; got {got}. Fill the missing values "
            "first, by a rule that looks at a record alone."
        )
    how = options(epsilon, 0, "laplace", neighbors, missing, fill=NO_VALUE, budget=budget, only=only)
    check_epsilon(how)
    return how


def largest_weight(max_weight: float) -> float:
    """Check the public bound of the weights."""
    hint = "Rescale the weights."
    return checks.number(
        max_weight, "max_weight", "from 1e-100 to 1e100", lambda x: 1e-100 <= x <= 1e100, hint
    )


def noise_scales(how: Options) -> tuple[float, float]:
    """Return the noise's scales of the sums of weights and of their squares."""
    reach = (2.0 if how.bounded else 1.0) / how.epsilon
    return reach / float(LINEAR), reach / float(1 - LINEAR)


def sums_of(
    noisy: np.ndarray, linear: int, squares: int
) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Return the noisy sums of weights, of their squares, and of what they lack to 1, where it is there."""
    last = linear + squares
    shares = float(LINEAR), float(1 - LINEAR)
    rest = float(noisy[last]) / shares[0] if noisy.size > last else 0.0
    first, second = noisy[:linear] / shares[0], noisy[linear:last] / shares[1]
    return tuple(first.tolist()), tuple(second.tolist()), rest

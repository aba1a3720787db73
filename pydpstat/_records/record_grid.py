"""Rounding of records to a fine public grid, and exact sums on it.

Each record is clipped to the bounds and rounded to an integer number of grid units, independently of the
other records. Sums are then sums of integers. A sum of floats depends on the order of the records and can
change by more than its sensitivity if one of them changes (Casacuberta, S., Shoemate, M., Vadhan, S. and
Wagaman, C. (2022). Widespread underestimation of sensitivity in differentially private libraries and how to
fix it. CCS 2022); a sum of integers cannot.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import add
from typing import NamedTuple

import numpy as np

from pydpstat._data.columns import Bounds, VariableBounds
from pydpstat._data.values import make_missing_error
from pydpstat._frozen import hide_values
from pydpstat._release.options import Missing, Options
from pydpstat.errors import PydpstatError

# log2 of the largest record in units: sufficient for n * epsilon up to 1e10
GRID_BITS = 40
# more bits would be lost in the 53 bits of the records
MAX_GRID_BITS = 50
# records per chunk; its arrays fit into the processor's cache
RECORDS_PER_CHUNK = 1 << 17
# adding and subtracting this many units rounds to an integer number of units, halves to even
ROUNDING_CONSTANT = 1.5 * 2.0**52


class RecordGrid(NamedTuple):
    """Grid on which a record x is ``rint(clip((x - center) * factor, low, high) / unit)`` units.

    `low` and `high` are the bounds on the grid, multiples of the unit, which is a power of two. The absolute
    value of a record is at most 2^bits units. `shift` is 1.5 * 2^52 units less the center, if a float represents
    it exactly: adding it subtracts the center and rounds in one operation. None if the center is too large.
    """

    center: float
    factor: float
    low: float
    high: float
    unit: float
    bits: int
    shift: float | None = None

    def round_records(self, x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Round records to the grid; missing values stay NaN."""
        middle = ROUNDING_CONSTANT * self.unit
        if self.shift is None:
            y = np.subtract(x, self.center, out=out, dtype=np.float64)
            y *= self.factor
            y += middle
        elif self.factor == 1.0:
            y = np.add(x, self.shift, out=out, dtype=np.float64)
        else:
            y = np.multiply(x, self.factor, out=out, dtype=np.float64)
            y += self.shift
        # values far outside the bounds were rounded more coarsely, but are clipped here
        y.clip(middle + self.low, middle + self.high, out=y)
        y -= middle
        return y


@lru_cache(maxsize=256)
def make_data_grid(lower: float, upper: float, bits: int = GRID_BITS) -> RecordGrid:
    """Return a grid in the data's unit around the midpoint of the bounds.

    Its limits are the multiples of the unit next to the bounds, inside them, so that a record on the grid plus
    the center is always within the bounds.
    """
    check_bounds_range(lower, upper)
    center = 0.5 * lower + 0.5 * upper
    mantissa, exponent = math.frexp(max(center - lower, upper - center))
    unit = math.ldexp(1.0, exponent - (mantissa == 0.5) - bits)
    shift = None
    if abs(center) < 2.0**51 * unit:
        center = round(center / unit) * unit
        shift = ROUNDING_CONSTANT * unit - center
    exact = Fraction(unit)
    below, above = (Fraction(bound) - Fraction(center) for bound in (lower, upper))
    low, high = math.ceil(below / exact) * unit, math.floor(above / exact) * unit
    return RecordGrid(center, 1.0, low, high, unit, bits, shift)


@lru_cache(maxsize=256)
def make_standard_grid(lower: float, upper: float) -> RecordGrid:
    """Return the grid on which the bounds are -1 and 1."""
    check_bounds_range(lower, upper)
    center, factor, unit = 0.5 * lower + 0.5 * upper, 1.0 / (0.5 * upper - 0.5 * lower), 2.0**-GRID_BITS
    # below this the rounding error of the product, 2^-53 of it, is less than half a unit
    near = abs(center) * factor < 2.0**10
    shift = ROUNDING_CONSTANT * unit - round(center * factor / unit) * unit if near else None
    return RecordGrid(center, factor, -1.0, 1.0, unit, GRID_BITS, shift)


def check_bounds_range(
    lower: float,
    upper: float,
    minimum: float = 1e-290,
    maximum: float = 1e302,
    purpose: str = "",
    argument: str = "bounds",
) -> None:
    """Check that floats can represent a fine grid between the bounds."""
    if not minimum < upper - lower < maximum:
        raise PydpstatError(
            f"{argument} must be between {minimum} and {maximum} apart{purpose}; got ({lower!r}, {upper!r}). "
            "Rescale the data."
        )


def compute_grid_bits(n_records: int, epsilon: float) -> int:
    """Return the bits for which the rounding of records stays below 1 % of the standard deviation of the noise.

    Rounding changes a mean by at most half a unit, which is at most the range / 2^(bits + 1), and a variance by
    twice as much relative to its range. The standard deviation of the noise is at least the range /
    (n (epsilon + 40)): that of Laplace noise is 1.4 range / (n epsilon), and Gaussian noise with a ratio of
    sensitivity to standard deviation above epsilon + 40 satisfies no delta below 1 - 1e-80.
    """
    return max(GRID_BITS, math.ceil(min(math.log2(100.0 * n_records * (epsilon + 40.0) + 1.0), MAX_GRID_BITS)))


def make_coarse_grid_error(n_records: int, epsilon: float) -> PydpstatError:
    """Return the error for data that can be read only once and need a finer grid for `n_records` records."""
    return PydpstatError(
        f"data that can be read only once must have fewer records for epsilon {epsilon!r} and bounded "
        f"neighbors, because the grid depends on their number; got {n_records}. Give data that can be "
        "read again, such as a dataset or a table, or use neighbors='unbounded'."
    )


def round_to_unit(y: np.ndarray, unit: float) -> np.ndarray:
    """Round to multiples of `unit`, a power of two, in place; values must be at most 2^51 units."""
    y += ROUNDING_CONSTANT * unit
    y -= ROUNDING_CONSTANT * unit
    return y


def sum_in_units(y: np.ndarray, unit: float, bits: int) -> int | None:
    """Return the sum of multiples of `unit` as an integer number of units; None if one of them is NaN.

    Each is at most 2^bits units, so up to 2^(53 - bits) of them add up to at most 2^53 units, and floats
    represent every partial sum exactly, in any order of addition.
    """
    row = 1 << (53 - bits)
    if y.size <= row:
        total = float(np.add.reduce(y)) / unit
        return None if total != total else int(total)
    n_in_rows = y.size - y.size % row
    sums = [*(y[:n_in_rows].reshape(-1, row).sum(axis=1) / unit).tolist(), float(y[n_in_rows:].sum()) / unit]
    return None if math.isnan(math.fsum(sums)) else sum(map(int, sums))


def iterate_chunks(
    arrays: Sequence[np.ndarray], grids: Sequence[RecordGrid], missing: Missing
) -> Iterator[tuple[list[np.ndarray], list[int]]]:
    """Yield chunks of the records on their grids, with missing values treated, and their sums in units.

    Missing values are NaN and are replaced by the number `missing`; ``"drop"`` leaves out records with a missing
    value in any variable, and ``"error"`` raises an error.
    """
    size, step = arrays[0].shape[0], max(RECORDS_PER_CHUNK // len(arrays), 1024)
    # reuse one buffer for all chunks: allocation costs more than the arithmetic
    blocks = [np.empty(min(step, size)) for _ in arrays]
    for start in range(0, size, step):
        length = min(step, size - start)
        placed = [
            grid.round_records(x[start : start + step], block[:length]) for x, grid, block in zip(arrays, grids, blocks)
        ]
        totals = [sum_in_units(y, grid.unit, grid.bits) for y, grid in zip(placed, grids)]
        if None in totals:
            placed, _ = fill_missing(placed, grids, missing)
            totals = [sum_in_units(y, grid.unit, grid.bits) for y, grid in zip(placed, grids)]
        yield placed, totals  # type: ignore[misc]


def fill_missing(
    grid_values: list[np.ndarray], grids: Sequence[RecordGrid], missing: Missing
) -> tuple[list[np.ndarray], np.ndarray | None]:
    """Treat missing values; also return a mask of the remaining records if some are dropped."""
    if missing == "error":
        raise make_missing_error()
    gaps = [np.isnan(y) for y in grid_values]
    if missing == "drop":
        is_complete = ~np.logical_or.reduce(gaps)
        return [y[is_complete] for y in grid_values], is_complete
    for y, gap, grid in zip(grid_values, gaps, grids):
        y[gap] = grid.round_records(np.array([missing]))
    return grid_values, None


IndexPairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class ExactSums:
    """Exact sums over `count` records. Private.

    `first` has the sum of each variable in units of its grid; `products` has the sum of products for each pair, in
    units of 2^bits times the product of the two grids' units.
    """

    count: int
    first: tuple[int, ...]
    products: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return hide_values(self)

    def __add__(self, other: ExactSums) -> ExactSums:
        first_sums = tuple(map(add, self.first, other.first))
        return ExactSums(self.count + other.count, first_sums, tuple(map(add, self.products, other.products)))


def sum_records(
    arrays: Sequence[np.ndarray], grids: Sequence[RecordGrid], missing: Missing, pairs: IndexPairs = ()
) -> ExactSums:
    """Sum records on their grids, and products of two variables, rounded record by record.

    `pairs` are the indices of the variables whose products are summed; their grids have the same number of bits.

    With P = 2^bits units, a product is at most P1 P2 and its unit is w = P1 P2 / 2^bits. It is rounded twice, by
    the multiplication and to a multiple of w: by at most P1 P2 / 2^53 + w / 2, which is at most (1/8 + 1/2) w for
    up to 50 bits. Rounding is monotone, and a record's square or product depends on this record only.
    """
    if len(arrays) == 1 and not pairs:
        return _sum_variable(arrays[0], grids[0], missing)
    count, variable_totals, products = 0, [0] * len(arrays), [0] * len(pairs)
    work = np.empty(min(RECORDS_PER_CHUNK, arrays[0].shape[0]) if pairs else 0)
    for placed, totals in iterate_chunks(arrays, grids, missing):
        count += placed[0].size
        variable_totals = list(map(add, variable_totals, totals))
        for index, (i, j) in enumerate(pairs):
            unit = compute_product_unit(grids[i], grids[j])
            product = np.multiply(placed[i], placed[j], out=work[: placed[i].size])
            products[index] += sum_in_units(round_to_unit(product, unit), unit, grids[i].bits) or 0
    return ExactSums(count, tuple(variable_totals), tuple(products))


def _sum_variable(x: np.ndarray, grid: RecordGrid, missing: Missing) -> ExactSums:
    """Sum one variable as `sum_records` does, without lists, whose overhead dominates for few records."""
    size, count, variable_total = x.shape[0], 0, 0
    block = np.empty(min(RECORDS_PER_CHUNK, size))
    for start in range(0, size, RECORDS_PER_CHUNK):
        y = grid.round_records(x[start : start + RECORDS_PER_CHUNK], block[: min(RECORDS_PER_CHUNK, size - start)])
        total = sum_in_units(y, grid.unit, grid.bits)
        if total is None:
            (y,), _ = fill_missing([y], (grid,), missing)
            total = sum_in_units(y, grid.unit, grid.bits) or 0
        count += y.shape[0]
        variable_total += total
    return ExactSums(count, (variable_total,))


def compute_product_unit(first: RecordGrid, second: RecordGrid) -> float:
    """Return the unit to which products of two variables are rounded."""
    return first.unit * second.unit * math.ldexp(1.0, first.bits)


def make_grids(bounds: Bounds, options: Options, size: int | None) -> list[RecordGrid]:
    """Return the grids of columns: sufficiently fine for a public size, else the standard grid from -1 to 1.

    If the size will be known only after a pass, the default number of bits is used.
    """
    if options.has_public_size:
        bits = GRID_BITS if size is None else compute_grid_bits(size, options.epsilon)
        return [make_data_grid(lower, upper, bits) for lower, upper in bounds]
    return [make_standard_grid(lower, upper) for lower, upper in bounds]


@lru_cache(maxsize=256)
def compute_width(bounds: VariableBounds, parts: int = 1) -> Fraction:
    """Return the exact difference of two bounds, divided by a public integer."""
    return (Fraction(bounds[1]) - Fraction(bounds[0])) / parts


def compute_half_width(bounds: VariableBounds) -> float:
    """Return half the difference of two bounds as a float."""
    return 0.5 * bounds[1] - 0.5 * bounds[0]


def compute_ratio(numerator: int, denominator: int, unit: float, center: float = 0.0) -> Fraction:
    """Return numerator / denominator * unit + center exactly."""
    (up, down), (over, under) = unit.as_integer_ratio(), center.as_integer_ratio()
    return Fraction(numerator * up * under + over * denominator * down, denominator * down * under)


def compute_exact_covariance(
    n: int, first: int, second: int, product: int, grid1: RecordGrid, grid2: RecordGrid
) -> Fraction:
    """Return (sum of products - product of sums / n) / (n - 1) exactly, from sums in grid units."""
    # products are in units of 2^bits times the product of the two units, which a float represents exactly
    numerator = (n * product << grid1.bits) - first * second
    return compute_ratio(numerator, n * (n - 1), grid1.unit * grid2.unit)


def compute_covariance_sensitivity(
    n: int, grid1: RecordGrid, grid2: RecordGrid, bounds1: VariableBounds, bounds2: VariableBounds
) -> Fraction:
    """Return the sensitivity of the covariance of n records on grids for bounded neighbors."""
    rounding = 2 * Fraction(compute_product_unit(grid1, grid2)) / (n - 1)
    return compute_width(bounds1) * compute_width(bounds2) / n + rounding

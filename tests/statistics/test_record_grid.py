"""Exact sums: records on their grid, against rational arithmetic; no sum passes its sensitivity."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydpstat import PydpstatError
from pydpstat._grid import _round_ratio
from pydpstat._records import record_grid
from pydpstat._records.record_grid import (
    MAX_GRID_BITS,
    compute_grid_bits,
    compute_product_unit,
    make_data_grid,
    make_standard_grid,
    sum_records,
)

BOUNDS = [(0.0, 100.0), (-1e300, 1e300), (1e9, 1e9 + 1), (0.0, 1e-250), (-0.1, 0.7), (1.0, 1.0 + 2**-40)]
values = st.one_of(st.floats(allow_nan=False), st.floats(-2, 2), st.floats(1e9 - 1, 1e9 + 2))


def units_of(x, grid):
    """Where one record is placed, in whole units."""
    place = Fraction(float(grid.round_records(np.array([x]))[0])) / Fraction(grid.unit)
    assert place.denominator == 1
    return int(place)


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("bits", [40, MAX_GRID_BITS])
@given(x=st.lists(values, min_size=1, max_size=20))
@settings(max_examples=20)
def test_sums_are_those_of_the_records(bounds, bits, x):
    grid = make_data_grid(*bounds, bits)
    with np.errstate(over="ignore"):
        places = [units_of(each, grid) for each in x]
    found = sum_records([np.array(x)], [grid], "error")
    assert found.count == len(x) and found.first == (sum(places),)
    # a record on the grid is between the bounds, and within a unit of the clipped record
    for place, each in zip(places, x):
        exact = Fraction(grid.center) + place * Fraction(grid.unit)
        assert Fraction(bounds[0]) <= exact <= Fraction(bounds[1])
        clipped = Fraction(min(max(each, bounds[0]), bounds[1]))
        rounding = Fraction(grid.unit) + Fraction(math.ulp(max(map(abs, bounds))))
        assert abs(exact - clipped) <= rounding


@pytest.mark.parametrize(
    "size, bits", [(0, 40), (8191, 40), (8193, MAX_GRID_BITS), (65537, 40), (200_001, MAX_GRID_BITS)]
)
def test_long_sums(size, bits):
    rng = np.random.default_rng(size)
    x = rng.normal(0.3, 0.5, size)
    kept = x.copy()
    grid = make_data_grid(-0.1, 0.7, bits)
    placed = (grid.round_records(x) / grid.unit).astype(np.int64)
    found = sum_records([x, x[::-1]], [grid, grid], "error", ((0, 1), (0, 0)))
    assert found.first == (sum(placed.tolist()),) * 2
    unit = compute_product_unit(grid, grid)
    squares = record_grid.round_to_unit(grid.round_records(x) ** 2, unit) / unit
    assert found.products[1] == sum(map(int, squares.tolist()))
    # the order of the records does not matter, and they stay as they are
    assert sum_records([x[::-1], x], [grid, grid], "error", ((0, 1), (0, 0))) == found and np.array_equal(x, kept)
    # in single precision and at every second place as well
    single = x.astype(np.float32)
    twice = np.repeat(single, 2)[::2], single.astype(float)
    assert len({sum_records([each], [grid], "error").first for each in (single, *twice)}) == 1


def test_products_stay_within_the_stated_rounding():
    rng = np.random.default_rng(3)
    for bits in (40, MAX_GRID_BITS):
        first, second = make_data_grid(-1.0, 3.0, bits), make_data_grid(1e9, 1e9 + 1, bits)
        x, y = rng.uniform(-2, 4, 300), 1e9 + rng.uniform(-0.5, 1.5, 300)
        w = Fraction(compute_product_unit(first, second))
        for a, b in zip(x, y):
            found = sum_records([np.array([a]), np.array([b])], [first, second], "error", ((0, 1),))
            exact = units_of(a, first) * Fraction(first.unit) * units_of(b, second) * Fraction(second.unit)
            assert abs(found.products[0] * w - exact) <= w * Fraction(5, 8)


@pytest.mark.parametrize("half, power", [(1.0, 0), (1.5, 1), (2.0, 1), (2.5, 2), (0.25, -2)])
def test_the_unit_is_a_share_of_the_least_power_of_two_that_holds_the_records(half, power):
    assert make_data_grid(3.0 - half, 3.0 + half, 40).unit == 2.0 ** (power - 40)


def test_missing_values_beyond_the_first_chunk():
    x = np.full(3 * record_grid.RECORDS_PER_CHUNK, 0.75)
    x[[5, record_grid.RECORDS_PER_CHUNK, -1]] = np.nan
    grid = make_data_grid(0.0, 1.0)
    assert sum_records([x], [grid], "drop").count == x.size - 3
    assert sum_records([x], [grid], 0.75) == sum_records([np.full(x.size, 0.75)], [grid], "error")


@pytest.mark.parametrize("bounds", [(0.0, 1e-300), (-1.7e308, 1.7e308), (0.0, 1e303)])
def test_bounds_that_no_grid_fits(bounds):
    for grid in (make_data_grid, make_standard_grid):
        with pytest.raises(PydpstatError, match="bounds"):
            grid(*bounds)


@given(st.integers(1, 10**9), st.floats(1e-3, 1e3))
def test_rounding_stays_below_a_hundredth_of_the_noise(n, epsilon):
    bits = compute_grid_bits(n, epsilon)
    if bits < MAX_GRID_BITS:
        # half a unit, at most the range / 2^(bits + 1), against the sd sqrt(2) / (n epsilon) of the range
        assert 2.0 ** -(bits + 1) <= 0.01 * math.sqrt(2.0) / (n * epsilon)


def test_memory_above_the_data():
    x = np.random.default_rng(1).normal(0.0, 1.0, 2_000_000)
    grid = make_data_grid(-1.0, 1.0)
    tracemalloc.start()
    try:
        sum_records([x], [grid], "error", ((0, 0),))
        # two blocks of a megabyte each, and little else
        assert tracemalloc.get_traced_memory()[1] < 2.5e6
    finally:
        tracemalloc.stop()


def test_ratios_are_rounded_to_the_nearest_integer_and_halves_to_even():
    assert [_round_ratio(k, 4) for k in range(-6, 11)] == [round(k / 4) for k in range(-6, 11)]

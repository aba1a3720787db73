"""Exact sums: records on their grid, against rational arithmetic; no sum passes its sensitivity."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydpstat import PydpstatError
from pydpstat.statistics._kernels import record_grid
from pydpstat.statistics._kernels.record_grid import (
    MOST_BITS,
    bits_for,
    data_grid,
    product_unit,
    standard_grid,
    sums,
)

BOUNDS = [(0.0, 100.0), (-1e300, 1e300), (1e9, 1e9 + 1), (0.0, 1e-250), (-0.1, 0.7), (1.0, 1.0 + 2**-40)]
values = st.one_of(st.floats(allow_nan=False), st.floats(-2, 2), st.floats(1e9 - 1, 1e9 + 2))


def units_of(x, grid):
    """Where one record is placed, in whole units."""
    place = Fraction(float(grid.place(np.array([x]))[0])) / Fraction(grid.unit)
    assert place.denominator == 1
    return int(place)


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("bits", [40, MOST_BITS])
@given(x=st.lists(values, min_size=1, max_size=20))
@settings(max_examples=20)
def test_sums_are_those_of_the_records(bounds, bits, x):
    grid = data_grid(*bounds, bits)
    with np.errstate(over="ignore"):
        places = [units_of(each, grid) for each in x]
    found = sums([np.array(x)], [grid], "error")
    assert found.count == len(x) and found.first == (sum(places),)
    # a record on the grid is between the bounds, and within a unit of the clipped record
    for place, each in zip(places, x):
        exact = Fraction(grid.center) + place * Fraction(grid.unit)
        assert Fraction(bounds[0]) <= exact <= Fraction(bounds[1])
        clipped = Fraction(min(max(each, bounds[0]), bounds[1]))
        rounding = Fraction(grid.unit) + Fraction(math.ulp(max(map(abs, bounds))))
        assert abs(exact - clipped) <= rounding


@pytest.mark.parametrize(
    "size, bits", [(0, 40), (8191, 40), (8193, MOST_BITS), (65537, 40), (200_001, MOST_BITS)]
)
def test_long_sums(size, bits):
    rng = np.random.default_rng(size)
    x = rng.normal(0.3, 0.5, size)
    kept = x.copy()
    grid = data_grid(-0.1, 0.7, bits)
    placed = (grid.place(x) / grid.unit).astype(np.int64)
    found = sums([x, x[::-1]], [grid, grid], "error", ((0, 1), (0, 0)))
    assert found.first == (sum(placed.tolist()),) * 2
    unit = product_unit(grid, grid)
    squares = record_grid.rounded(grid.place(x) ** 2, unit) / unit
    assert found.products[1] == sum(map(int, squares.tolist()))
    # the order of the records does not matter, and they stay as they are
    assert sums([x[::-1], x], [grid, grid], "error", ((0, 1), (0, 0))) == found and np.array_equal(x, kept)
    # in single precision and at every second place as well
    single = x.astype(np.float32)
    twice = np.repeat(single, 2)[::2], single.astype(float)
    assert len({sums([each], [grid], "error").first for each in (single, *twice)}) == 1


def test_products_stay_within_the_stated_rounding():
    rng = np.random.default_rng(3)
    for bits in (40, MOST_BITS):
        first, second = data_grid(-1.0, 3.0, bits), data_grid(1e9, 1e9 + 1, bits)
        x, y = rng.uniform(-2, 4, 300), 1e9 + rng.uniform(-0.5, 1.5, 300)
        w = Fraction(product_unit(first, second))
        for a, b in zip(x, y):
            found = sums([np.array([a]), np.array([b])], [first, second], "error", ((0, 1),))
            exact = units_of(a, first) * Fraction(first.unit) * units_of(b, second) * Fraction(second.unit)
            assert abs(found.products[0] * w - exact) <= w * Fraction(5, 8)


@pytest.mark.parametrize("half, power", [(1.0, 0), (1.5, 1), (2.0, 1), (2.5, 2), (0.25, -2)])
def test_the_unit_is_a_share_of_the_least_power_of_two_that_holds_the_records(half, power):
    assert data_grid(3.0 - half, 3.0 + half, 40).unit == 2.0 ** (power - 40)


def test_missing_values_beyond_the_first_chunk():
    x = np.full(3 * record_grid.CHUNK, 0.75)
    x[[5, record_grid.CHUNK, -1]] = np.nan
    grid = data_grid(0.0, 1.0)
    assert sums([x], [grid], "drop").count == x.size - 3
    assert sums([x], [grid], 0.75) == sums([np.full(x.size, 0.75)], [grid], "error")


@pytest.mark.parametrize("bounds", [(0.0, 1e-300), (-1.7e308, 1.7e308), (0.0, 1e303)])
def test_bounds_that_no_grid_fits(bounds):
    for grid in (data_grid, standard_grid):
        with pytest.raises(PydpstatError, match="bounds"):
            grid(*bounds)


@given(st.integers(1, 10**9), st.floats(1e-3, 1e3))
def test_rounding_stays_below_a_hundredth_of_the_noise(n, epsilon):
    bits = bits_for(n, epsilon)
    if bits < MOST_BITS:
        # half a unit, at most the range / 2^(bits + 1), against the sd sqrt(2) / (n epsilon) of the range
        assert 2.0 ** -(bits + 1) <= 0.01 * math.sqrt(2.0) / (n * epsilon)


def test_memory_above_the_data():
    x = np.random.default_rng(1).normal(0.0, 1.0, 2_000_000)
    grid = data_grid(-1.0, 1.0)
    tracemalloc.start()
    try:
        sums([x], [grid], "error", ((0, 0),))
        # two blocks of a megabyte each, and little else
        assert tracemalloc.get_traced_memory()[1] < 2.5e6
    finally:
        tracemalloc.stop()

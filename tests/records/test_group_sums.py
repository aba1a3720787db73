"""Sums by group are exact: those of fractions, for few and many groups and the most extreme records."""

from fractions import Fraction
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydpstat._data.columns import Columns
from pydpstat._records.group_sums import (
    add_to_group_totals,
    merge_sums,
    split_sums_by_group,
    sum_by_group,
    sum_columns_jointly,
    sum_each_column,
)
from pydpstat._records.record_grid import (
    compute_product_unit,
    make_data_grid,
    make_standard_grid,
    round_to_unit,
    sum_records,
)
from pydpstat._records.records import RecordChunk

PAIRS = ((0, 0), (0, 1), (1, 1))
FEW, MANY = 3, 4097


def slow(arrays, grids, places, groups):
    """Sums in fractions, record by record."""
    first = [[Fraction(0)] * len(arrays) for _ in range(groups)]
    products = [[Fraction(0)] * len(PAIRS) for _ in range(groups)]
    placed = [grid.round_records(np.asarray(x, dtype=float)) for x, grid in zip(arrays, grids)]
    for at, *record in zip(places, *placed):
        for j, y in enumerate(record):
            first[at][j] += Fraction(y) / Fraction(grids[j].unit)
        for k, (i, j) in enumerate(PAIRS):
            unit = compute_product_unit(grids[i], grids[j])
            (product,) = round_to_unit(np.array([record[i] * record[j]]), unit).tolist()
            products[at][k] += Fraction(product) / Fraction(unit)
    return first, products


VALUES = st.one_of(st.floats(-5, 5), st.sampled_from([-2.0, 3.0, 2.9999999999999996, 1e300, -1e300, 5e-324]))
ROWS = st.lists(st.tuples(VALUES, VALUES, st.integers(0, FEW - 1)), max_size=60)


@pytest.mark.slow
@settings(max_examples=40)
@given(ROWS, st.sampled_from([FEW, MANY]))
def test_any_records(rows, groups):
    x, y, places = (np.array([row[j] for row in rows]) for j in range(3))
    places = places.astype(np.int32)
    for make in (make_data_grid, make_standard_grid):
        grids = [make(-2.0, 3.0), make(-2.0, 3.0)]
        found = sum_by_group([x, y], grids, "error", PAIRS, places, groups).split_groups()
        first, products = slow([x, y], grids, places, groups)
        assert [list(each.first) for each in found] == first
        assert [list(each.products) for each in found] == products
        assert [each.count for each in found] == np.bincount(places, minlength=groups).tolist()


@pytest.mark.parametrize("groups, at", [(1, -2.0), (FEW, 3.0), (MANY, 3.0), (FEW, 0.1)])
def test_a_million_records_at_a_bound(groups, at):
    n = 1_000_000
    x, grid = np.full(n, at), make_standard_grid(-2.0, 3.0)
    places = (np.arange(n) % groups).astype(np.int32)
    found = sum_by_group([x, x], [grid, grid], "error", PAIRS, places, groups).split_groups()
    (first,), (products,) = slow([[at], [at]], [grid, grid], [0], 1)
    counts = np.bincount(places).tolist()
    assert [each.count for each in found] == counts
    assert [each.first for each in found] == [tuple(count * one for one in first) for count in counts]
    assert [each.products for each in found] == [tuple(count * one for one in products) for count in counts]


def test_the_largest_records_are_added_up_exactly():
    # 2^13 of at most 2^40 units are below 2^53; more of them are beyond what floats hold
    y, total = np.full(3 * 2**13, 2.0**40 - 1.0), np.zeros((2, 1), dtype=np.int64)
    add_to_group_totals(total, y, 1.0, np.zeros(y.size, dtype=np.intp))
    assert (int(total[0, 0]) << 26) + int(total[1, 0]) == y.size * (2**40 - 1)


def test_few_and_many_groups_and_all_together_have_the_same_sums():
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-3, 4, (2, 300_000))
    places = rng.integers(0, 2000, x.size).astype(np.int32)
    grids = [make_data_grid(-2.0, 3.0), make_data_grid(-2.5, 3.5)]
    few = sum_by_group([x, y], grids, "error", PAIRS, places, 2000).split_groups()
    many = sum_by_group([x, y], grids, "error", PAIRS, places, 5000).split_groups()
    assert few == many[:2000] and all(each.count == 0 == each.first[0] for each in many[2000:])
    total = sum(few[1:], few[0])
    assert total == sum_records([x, y], grids, "error", PAIRS)


@given(st.lists(st.integers(0, 1000), max_size=5))
def test_parts_add_up(ends):
    rng = np.random.default_rng(2)
    x, y = rng.uniform(-3, 4, (2, 1000))
    x[::7] = np.nan
    places, grids = rng.integers(0, 5, 1000).astype(np.int32), [make_standard_grid(-2.0, 3.0)] * 2
    cuts = [0, *sorted(ends), 1000]
    for tally, pairs in ((sum_each_column, ()), (sum_columns_jointly, PAIRS)):
        whole = tally(part(x, y, places), grids, "drop", pairs, 5)
        ends = pairwise(cuts)
        pieces = [tally(part(x[a:b], y[a:b], places[a:b]), grids, "drop", pairs, 5) for a, b in ends]
        assert split_sums_by_group(reduce(merge_sums, pieces)) == split_sums_by_group(whole)


def part(x, y, places):
    return RecordChunk(Columns((x, y), (None, None), None, None, len(x)), places)


def test_what_is_withheld():
    found = sum_by_group([np.ones(2)], [make_standard_grid(0.0, 1.0)], "error", (), np.zeros(2, dtype=np.int32), 2)
    assert repr(found) == "GroupSums(values withheld)"

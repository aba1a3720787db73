"""MDAV's partition, against a plain implementation; the search and the exact means behind it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pydpstat.anonymity._mdav_search import ExactMeans, RemainingRows, group_by_mdav, order_in_blocks
from pydpstat.anonymity.aggregation import group_rows
from tests.anonymity.plain import as_groups, as_partition, frame, loans, mean, notebook_mdav, plain_mdav, tables


@pytest.fixture(params=[1, 3, 512])
def block(request, monkeypatch):
    """Blocks of a few rows have boxes to rule out even in a small table."""
    monkeypatch.setattr("pydpstat.anonymity._mdav_search.BLOCK_SIZE", request.param)
    return request.param


@pytest.mark.slow
@given(table=tables(), k=st.integers(1, 12))
@example(table=np.zeros((9, 2)), k=3)
@example(table=np.arange(12.0)[:, None], k=2)
def test_the_groups_are_those_of_the_plain_steps(table, k):
    k = min(k, len(table))
    # the groups, and the order in which they are made
    assert as_groups(group_by_mdav(np.ascontiguousarray(table.T), k)) == plain_mdav(table, k)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_blocks_change_nothing(block, k):
    rng = np.random.default_rng(1)
    for table in (
        rng.normal(size=(90, 3)),
        rng.integers(0, 4, size=(90, 2)).astype(float),
        np.round(rng.standard_cauchy(size=(90, 1)), 1),
        loans(90).to_numpy(float),
    ):
        assert as_groups(group_by_mdav(np.ascontiguousarray(table.T), k)) == plain_mdav(table, k)


@pytest.mark.slow
@pytest.mark.parametrize("k, rows", [(3, 500), (10, 700), (60, 700)])
def test_loans(k, rows):
    table = loans(rows).to_numpy(float)
    assert as_groups(group_by_mdav(np.ascontiguousarray(table.T), k)) == plain_mdav(table, k)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("left", [0, 1, 2])
def test_a_notebook_s_code_gives_the_same_where_it_works(k, left):
    """It takes both groups from the full table; 3k - 1 rows it leaves in one group."""
    rows = 12 * k + left
    table = np.random.default_rng(k).normal(size=(rows, 3))
    theirs = notebook_mdav(frame(table), k)
    ours = as_groups(group_by_mdav(np.ascontiguousarray(table.T), k))
    assert theirs is not None
    if rows % (2 * k) != 3 * k - 1 - 2 * k:
        assert theirs == ours


def test_3k_minus_1_rows_are_two_groups_here():
    table = np.random.default_rng(1).normal(size=(8, 2))
    assert [len(each) for each in notebook_mdav(frame(table), 3)] == [8]
    assert [len(each) for each in as_groups(group_by_mdav(np.ascontiguousarray(table.T), 3))] == [3, 5]


def test_a_notebook_s_code_fails_where_neighborhoods_overlap():
    table = np.zeros((9, 2))
    assert notebook_mdav(frame(table), 3) is None
    assert as_groups(group_by_mdav(table.T.copy(), 3)) == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


@pytest.mark.parametrize("n, sizes", [(5, [5]), (6, [3, 3]), (8, [3, 5]), (9, [3, 3, 3]), (10, [3, 3, 4])])
def test_sizes(n, sizes):
    labels = group_by_mdav(np.random.default_rng(n).normal(size=(2, n)), 3)
    assert np.bincount(labels).tolist() == sizes


def test_the_order_of_rows_decides_ties_only():
    rng = np.random.default_rng(2)
    table = rng.normal(size=(200, 3))
    order = rng.permutation(200)
    direct = group_rows(table.T.copy(), 4, "mdav")
    turned = np.empty(200, dtype=np.int64)
    turned[order] = group_rows(table[order].T.copy(), 4, "mdav")
    assert as_partition(direct) == as_partition(turned)


@given(
    st.lists(
        st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=2) | st.just([5e-324, 1.0]),
        min_size=1,
        max_size=30,
    ),
    st.data(),
)
def test_means_are_correctly_rounded(rows, data):
    means = ExactMeans(np.array(rows).T)
    assert means.compute_means().tolist() == mean(rows)
    gone = data.draw(st.sets(st.integers(0, len(rows) - 1), max_size=len(rows) - 1))
    means.remove_rows(np.array(sorted(gone), dtype=np.int64))
    assert means.compute_means().tolist() == mean([row for i, row in enumerate(rows) if i not in gone])


def test_a_floating_point_sum_would_not_do():
    values = [1e16, 1.0, 1.0, -1e16]
    assert sum(values) / 4 != float(sum(map(Fraction, values)) / 4)
    assert ExactMeans(np.array([values])).compute_means().tolist() == [0.5]


def partition(values, place):
    """What `numpy.partition` promises: the element at its place, and the others in any order."""
    ordered = np.sort(values)
    return np.concatenate([ordered[:place][::-1], ordered[place : place + 1], ordered[:place:-1]])


@pytest.mark.parametrize("count", [1, 7, 150, 299])
def test_the_nearest_rows_are_as_many_as_asked_for(count, monkeypatch):
    monkeypatch.setattr(np, "partition", partition)
    rows = np.random.default_rng(2).normal(size=(300, 2))
    numbers, columns = order_in_blocks(np.ascontiguousarray(rows.T), 16)
    remaining, point = RemainingRows(columns, numbers, 16), np.array([0.3, -0.2])
    found = remaining.find_nearest(point, count)
    distances = ((columns - point[:, None]) ** 2).sum(axis=0)
    assert sorted(found.tolist()) == sorted(np.argsort(distances)[:count].tolist())

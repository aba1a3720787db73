"""Counts of grid points: the same however the records are cut and merged, in little memory."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat._records import ranks as kernel
from pydpstat._records.ranks import PointCounts, merge_point_counts
from tests.statistics.pieces import pieces  # noqa: F401


def filled(size, at, dense):
    """Return counts of ten cells, of so many records in one of them."""
    kind = np.int32 if size < 2**31 else np.int64
    if dense:
        counts = np.zeros(10, dtype=kind)
        counts[at] = size
        return PointCounts(size, 10, counts, ())
    return PointCounts(size, 10, None, ((np.array([at], dtype=np.int32), np.array([size], dtype=kind)),))


@pytest.mark.parametrize("dense", [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("sizes", [(2**31 - 2, 1), (2**31 - 1, 1), (2**31 - 1, 2**31 - 1), (2**40, 5)])
def test_counts_beyond_32_bits(dense, sizes, monkeypatch):
    for most in (0, 2**24) if dense == (False, False) else (2**24,):
        monkeypatch.setattr(kernel, "_MAX_DENSE_CELLS", most)
        one, other = (filled(size, 3, each) for size, each in zip(sizes, dense))
        found = merge_point_counts(one, other)
        assert found.size == sum(sizes) and found.get_counts()[3] == found.get_counts().sum() == sum(sizes)
        ((at, counts),) = found.iterate_groups(10)
        assert at.tolist() == [3] and counts.tolist() == [sum(sizes)]
        kept = found.sparse[0][1] if found.dense is None else found.dense
        assert kept.dtype == (np.int32 if sum(sizes) < 2**31 else np.int64)


def test_only_lists_of_similar_lengths_are_merged():
    def listed(size):
        return PointCounts(size, 10**5, None, ((np.arange(size, dtype=np.int32), np.ones(size, dtype=np.int32)),))

    found = merge_point_counts(merge_point_counts(listed(100), listed(10)), listed(1))
    assert [cells.size for cells, _ in found.sparse] == [100, 10, 1]
    # one beside one, but not their sum beside ten
    found = merge_point_counts(found, listed(1))
    assert [cells.size for cells, _ in found.sparse] == [100, 10, 1]
    assert found.get_counts()[:12].tolist() == [4, *[2] * 9, 1, 1]


@pytest.mark.parametrize("dense", [(True, True), (True, False), (False, True), (False, False)])
def test_the_second_part_is_left_as_it_was(dense):
    other = filled(7, 4, dense[1])
    for _ in range(2):
        # the first may be changed: it is new each time
        assert merge_point_counts(filled(5, 2, dense[0]), other).get_counts()[[2, 4]].tolist() == [5, 7]
    assert other.get_counts().tolist() == filled(7, 4, True).get_counts().tolist()


def test_a_median_of_groups_needs_little_more_than_its_counts(pieces):  # noqa: F811
    groups, points, size = 20, 2**16 + 1, 400_000
    draw = np.random.default_rng(5)
    frame = pd.DataFrame({"x": draw.random(size), "k": draw.integers(0, groups, size)})
    data = pieces(frame, 20)
    how = {"bounds": (0, 1), "by": "k", "levels": list(range(groups)), "other": None, "rng": 3}
    expected = dp.median(frame, 1.0, **how).value
    tracemalloc.start()
    try:
        found = dp.median(data, 1.0, **how).value
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.tolist() == expected.tolist()
    # 5 MB of counts; what the choice in one group needs, and lists of records before there are counts
    assert peak < 4 * groups * points * 4

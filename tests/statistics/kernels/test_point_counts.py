"""Counts of grid points: the same however the records are cut and merged, in little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat as dp
from pydpstat._data.columns import numbers_of
from pydpstat.statistics._kernels import ranks as kernel
from pydpstat.statistics._kernels.ranks import PointCounts, merged, point_counts
from pydpstat.statistics._kernels.records import Part
from tests.statistics.parts import Parted, read_in_parts


def part_of(points, groups, number):
    return Part(numbers_of(np.asarray(points, dtype=float)), None if number is None else groups)


@given(
    sizes=st.lists(st.integers(0, 40), min_size=1, max_size=12),
    points=st.sampled_from([2, 7, 200]),
    number=st.sampled_from([None, 1, 3, 30]),
    most=st.sampled_from([0, 2**24]),
    seed=st.integers(0, 2**32 - 1),
)
def test_parts_add_up_in_any_order(sizes, points, number, most, seed):
    draw = np.random.default_rng(seed)
    x, groups = draw.integers(0, points, sum(sizes)), draw.integers(0, number or 1, sum(sizes))
    ends = np.cumsum([0, *sizes])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_MOST_DENSE", most)
        patch.setattr(kernel, "_PIECE", 64)
        parts = [
            point_counts(part_of(x[a:b], groups[a:b], number), (0.0, points - 1.0, points), "error", number)
            for a, b in zip(ends, ends[1:])
        ]
        while len(parts) > 1:
            # any two, which need not be neighbors
            one, other = (parts.pop(int(draw.integers(len(parts)))) for _ in range(2))
            parts.append(merged(one, other))
        (found,) = parts
        rows = list(found.rows(points))
    expected = np.bincount(groups * points + x, minlength=(number or 1) * points)
    assert found.size == x.size and found.counts().tolist() == expected.tolist()
    assert found.counts().dtype == np.int64 and len(rows) == (number or 1)
    for (at, counts), each in zip(rows, expected.reshape(-1, points)):
        assert at.tolist() == np.flatnonzero(each).tolist() and counts.tolist() == each[each > 0].tolist()
        assert at.dtype == counts.dtype == np.int64
    assert most == 2**24 or found.dense is None


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
        monkeypatch.setattr(kernel, "_MOST_DENSE", most)
        one, other = (filled(size, 3, each) for size, each in zip(sizes, dense))
        found = merged(one, other)
        assert found.size == sum(sizes) and found.counts()[3] == found.counts().sum() == sum(sizes)
        ((at, counts),) = found.rows(10)
        assert at.tolist() == [3] and counts.tolist() == [sum(sizes)]
        kept = found.sparse[0][1] if found.dense is None else found.dense
        assert kept.dtype == (np.int32 if sum(sizes) < 2**31 else np.int64)


@pytest.mark.parametrize("dense", [(True, True), (True, False), (False, True), (False, False)])
def test_the_second_part_is_left_as_it_was(dense):
    one, other = (filled(size, at, each) for size, at, each in zip((5, 7), (2, 4), dense))
    for _ in range(2):
        # the first may be changed: it is new each time
        first = filled(5, 2, dense[0])
        assert merged(first, other).counts()[[2, 4]].tolist() == [5, 7]
    assert other.counts().tolist() == filled(7, 4, True).counts().tolist()
    assert one.size == 5


def test_a_median_of_groups_needs_little_more_than_its_counts(monkeypatch):
    read_in_parts(monkeypatch)
    groups, points, size = 20, 2**16 + 1, 400_000
    draw = np.random.default_rng(5)
    frame = pd.DataFrame({"x": draw.random(size), "k": draw.integers(0, groups, size)})
    data = Parted(frame, range(20_000, size, 20_000))
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

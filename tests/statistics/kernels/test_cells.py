"""Counts in cells, a chunk at a time, against NumPy's own counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.statistics._kernels import cells
from pydpstat.statistics._kernels.cells import bin_counts, cell_counts

finite = st.floats(-1e6, 1e6)
edge_lists = st.one_of(
    st.lists(finite, min_size=2, max_size=8, unique=True).map(sorted),
    # equal widths, up to the rounding that linspace and arange leave
    st.tuples(finite, st.floats(1e-3, 1e6), st.integers(1, 30)).map(
        lambda t: np.linspace(t[0], t[0] + t[1], t[2] + 1)
    ),
    st.tuples(st.integers(-10, 10), st.integers(1, 30)).map(lambda t: 0.1 * np.arange(t[0], t[0] + t[1] + 1)),
)


@given(edge_lists, st.lists(finite, max_size=30), st.data())
def test_bins_are_numpys(edges, values, data):
    edges = np.array(edges)
    if (np.diff(edges) <= 0).any():
        return
    # values on the edges and next to them are those that a product would misplace
    on = np.array(data.draw(st.lists(st.sampled_from(edges.tolist()), max_size=10)))
    x = np.concatenate([values, on, np.nextafter(on, np.inf), np.nextafter(on, -np.inf)])
    counts, missing = bin_counts(x, edges)
    expected = np.histogram(np.clip(x, edges[0], edges[-1]), edges)[0]
    assert missing == 0 and counts.tolist() == expected.tolist()


@pytest.mark.parametrize("bins, chunk", [(1, 7), (20, 7), (100, 32768), (1000, 64)])
def test_every_value_next_to_every_edge(bins, chunk, monkeypatch):
    monkeypatch.setattr(cells, "_CHUNK", chunk)
    for start, width in ((0.0, 0.1), (-1 / 3, 1e-9), (1e9, 7.3), (-5.0, 1e300)):
        edges = start + width * np.arange(bins + 1)
        up, down = np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)
        x = np.concatenate([edges, up, down, np.nextafter(up, np.inf), np.nextafter(down, -np.inf)])
        expected = np.histogram(np.clip(x, edges[0], edges[-1]), edges)[0]
        assert bin_counts(x, edges)[0].tolist() == expected.tolist()


def test_values_outside_and_missing_ones():
    edges = np.array([0.0, 1.0, 2.0])
    x = np.array([-np.inf, -1e308, 0.5, 1.0, 2.0, 1e308, np.inf, np.nan, np.nan])
    assert bin_counts(x, edges)[0].tolist() == [3, 4] and bin_counts(x, edges)[1] == 2
    # edges whose distance is no float
    wide = np.array([-1.7e308, 0.0, 1.7e308])
    assert bin_counts(x, wide)[0].tolist() == [2, 5]
    assert bin_counts(np.array([]), edges) == (pytest.approx([0, 0]), 0)
    assert bin_counts(np.array([0, 1, 5], dtype=np.int8), edges)[0].tolist() == [1, 2]


def test_single_precision_is_compared_exactly():
    x = np.full(50_001, 0.1, dtype=np.float32)
    # the nearest single precision number is above 0.1
    assert bin_counts(x, np.array([0.0, 0.1, 0.2]))[0].tolist() == [0, 50_001]


def crossed(codes, sizes):
    expected = np.zeros([size + 1 for size in sizes], dtype=int)
    np.add.at(expected, tuple(code.astype(int) + 1 for code in codes), 1)
    return expected


@pytest.mark.parametrize("sizes", [[1], [255], [256], [15, 15], [15, 16], [200, 200], [3, 4, 5]])
@pytest.mark.parametrize("size, kind", [(0, np.int16), (1, np.int64), (1001, np.int16), (1001, np.int64)])
def test_cells_are_counted(sizes, size, kind, monkeypatch):
    # small chunks: with several of them, odd ones, and pairs of records in each
    monkeypatch.setattr(cells, "_CHUNK", 100)
    monkeypatch.setattr(cells, "_PAIRS", 333)
    rng = np.random.default_rng(1)
    codes = [rng.integers(-1, levels, size).astype(kind) for levels in sizes]
    assert cell_counts(codes, sizes).tolist() == crossed(codes, sizes).tolist()


def test_byte_codes_of_categoricals():
    rng = np.random.default_rng(2)
    codes = [rng.integers(-1, 12, 70_001).astype(np.int8), rng.integers(-1, 3, 70_001).astype(np.int8)]
    assert cell_counts(codes, [12, 3]).tolist() == crossed(codes, [12, 3]).tolist()

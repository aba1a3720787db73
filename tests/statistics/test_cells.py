"""Counts in bins and cells are NumPy's own, wherever the values are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat as dp

# the noise is 0
HUGE = {"epsilon": 1e7, "rng": 1, "neighbors": "unbounded"}
finite = st.floats(-1e6, 1e6)
edge_lists = st.one_of(
    st.lists(finite, min_size=2, max_size=8, unique=True).map(sorted),
    # equal widths, up to the rounding that linspace and arange leave
    st.tuples(finite, st.floats(1e-3, 1e6), st.integers(1, 30)).map(lambda t: np.linspace(t[0], t[0] + t[1], t[2] + 1)),
    st.tuples(st.integers(-10, 10), st.integers(1, 30)).map(lambda t: 0.1 * np.arange(t[0], t[0] + t[1] + 1)),
)


def counted(x, edges):
    return dp.histogram(x, edges=edges, missing="drop", **HUGE).value.tolist()


def numpys(x, edges):
    return np.histogram(np.clip(x, edges[0], edges[-1]), edges)[0].tolist()


@pytest.mark.slow
@given(edge_lists, st.lists(finite, max_size=30), st.data())
def test_bins_are_numpys(edges, values, data):
    edges = np.array(edges)
    if (np.diff(edges) <= 0).any():
        return
    # values on the edges and next to them are those that a product would misplace
    on = np.array(data.draw(st.lists(st.sampled_from(edges.tolist()), max_size=10)))
    x = np.concatenate([values, on, np.nextafter(on, np.inf), np.nextafter(on, -np.inf)])
    assert counted(x, edges) == numpys(x, edges)


@pytest.mark.parametrize("bins", [1, 20, 1000])
@pytest.mark.parametrize("start, width", [(0.0, 0.1), (-1 / 3, 1e-9), (1e9, 7.3), (-5.0, 1e300)])
def test_every_value_next_to_every_edge(bins, start, width):
    edges = start + width * np.arange(bins + 1)
    up, down = np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)
    x = np.concatenate([edges, up, down, np.nextafter(up, np.inf), np.nextafter(down, -np.inf)])
    # more than are counted at once
    x = np.resize(x, 70_001)
    assert counted(x, edges) == numpys(x, edges)


def test_values_outside_and_missing_ones():
    x = np.array([-np.inf, -1e308, 0.5, 1.0, 2.0, 1e308, np.inf, np.nan, np.nan])
    assert counted(x, [0.0, 1.0, 2.0]) == [3, 4]
    # edges whose distance is no float
    assert counted(x, [-1.7e308, 0.0, 1.7e308]) == [2, 5]
    assert counted(np.array([0, 1, 5], dtype=np.int8), [0.0, 1.0, 2.0]) == [1, 2]


def test_single_precision_is_compared_exactly():
    # the nearest single precision number is above 0.1
    assert counted(np.full(50_001, 0.1, dtype=np.float32), [0.0, 0.1, 0.2]) == [0, 50_001]


@pytest.mark.parametrize("sizes", [[1], [255], [256], [15, 15], [15, 16], [200, 200], [3, 4, 5]])
@pytest.mark.parametrize("size", [0, 1, 1001, 70_001])
@pytest.mark.parametrize("category", [False, True])
def test_cells_are_counted(sizes, size, category):
    rng = np.random.default_rng(1)
    # -1 is no level; a category has its own codes, of a byte or two
    codes = [rng.integers(-1, levels, size) for levels in sizes]
    columns = [pd.Categorical(each, categories=range(-1, n)) for each, n in zip(codes, sizes)]
    frame = pd.DataFrame(dict(zip("abc", columns if category else codes)))
    found = dp.crosstab(frame, levels=dict(zip("abc", map(range, sizes))), other=None, **HUGE).value
    expected = np.zeros([levels + 1 for levels in sizes], dtype=int)
    np.add.at(expected, tuple(each + 1 for each in codes), 1)
    assert found.tolist() == expected[(slice(1, None),) * len(sizes)].tolist()

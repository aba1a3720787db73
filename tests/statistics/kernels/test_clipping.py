import numpy as np
import pytest

from pydpstat.statistics._kernels.record_grid import _ROW, clip_in_place


@pytest.mark.parametrize("size", [0, 1, _ROW - 1, _ROW, 3 * _ROW + 7])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("step", [1, -1, 2])
def test_numbers_are_moved_to_the_bounds_as_clip_does(size, kind, step):
    generator = np.random.default_rng(size)
    whole = generator.normal(0.0, 2.0, 2 * size).astype(kind)
    whole[::17], whole[5::29], whole[3::31] = np.nan, np.inf, -np.inf
    y = whole[::step][:size]
    wanted = np.clip(y, kind(-1.0), kind(1.5))
    clip_in_place(y, -1.0, 1.5)
    assert y.dtype == kind and np.array_equal(y, wanted, equal_nan=True)

import numpy as np
import pytest

from pydpstat.statistics._kernels.record_grid import standard_grid

ROW = 2048


@pytest.mark.parametrize("size, step", [(0, 1), (1, 1), (ROW - 1, -1), (ROW, 1), (3 * ROW + 7, 1), (ROW, 2)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_records_are_moved_to_the_bounds_as_clip_does(size, kind, step):
    generator = np.random.default_rng(size)
    whole = generator.normal(0.0, 2.0, 2 * size).astype(kind)
    whole[::17], whole[5::29], whole[3::31] = np.nan, np.inf, -np.inf
    y = whole[::step][:size]
    kept = y.copy()
    placed = standard_grid(-1.0, 1.5).place(y)
    wanted = (np.clip(y.astype(np.float64), -1.0, 1.5) - 0.25) / 1.25
    assert placed.dtype == np.float64 and np.array_equal(np.isnan(placed), np.isnan(wanted))
    # rounded to a multiple of 2^-40, the bounds themselves not at all
    inside = np.abs(wanted) < 1.0
    assert np.array_equal(placed[np.abs(wanted) == 1.0], wanted[np.abs(wanted) == 1.0])
    assert (np.abs(placed - wanted)[inside] <= 2.0**-40).all()
    assert np.array_equal(y, kept, equal_nan=True)

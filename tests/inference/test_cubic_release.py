"""The release of a t test with a sum of cubes: its sensitivity, what it says, and where it is made."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pydpstat as dp
from pydpstat._data.columns import Columns
from pydpstat._records.record_grid import GRID_BITS, make_standard_grid
from pydpstat._records.records import RecordChunk
from pydpstat.inference.means._cubic_release import (
    apply_cubic_weights,
    has_cubic,
    make_noise_mixing,
    sum_cubics,
    unscale_cubic_sums,
)

BOUNDS = (-1.0, 1.0)
RECORDS = st.floats(-1.5, 1.5)


def sums(values):
    column = np.array(values, dtype=np.float64)
    part = RecordChunk(Columns((column,), (None,), None, None, column.size), None)
    return sum_cubics(part, [make_standard_grid(*BOUNDS)], "error")[0]


def moved(first, second, bounded):
    pairs = zip(apply_cubic_weights(sums(first), bounded), apply_cubic_weights(sums(second), bounded))
    return sum(abs(one - other) for one, other in pairs)


@given(RECORDS, RECORDS)
@example(-1.0, 1.0)
@example(-1.0, 0.5)
@example(-(3**-0.5), 3**-0.5)
def test_a_record_that_is_replaced_moves_the_sums_by_one_at_most(old, new):
    assert moved([0.3, old], [0.3, new], True) <= 1


@given(RECORDS)
@example(1.0)
@example(-0.5)
def test_a_record_that_is_added_moves_the_sums_by_one_at_most(new):
    assert moved([0.3], [0.3, new], False) <= 1


def test_both_limits_are_attained():
    assert moved([-1.0], [1.0], True) == moved([0.0], [0.0, 1.0], False) == 1


def test_the_sums_are_those_of_the_records():
    z = np.random.default_rng(1).uniform(-1, 1, 1000)
    found = sums(z)
    unit = Fraction(1, 1 << GRID_BITS)
    assert float(found.first[0] * unit) == pytest.approx(z.sum(), abs=1e-8)
    expected = (z * z).sum(), (4 * z**3 - 3 * z).sum()
    assert [float(each * unit) for each in found.products] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("bounded", [True, False])
def test_the_noise_is_mixed_as_the_sums_are(bounded):
    z = np.random.default_rng(1).uniform(-1, 1, 50)
    exact = [float(each) for each in apply_cubic_weights(sums(z), bounded)]
    noise = np.array([0.3, -0.2, 0.7, 0.1])[: len(exact)]
    from pydpstat.inference.means._cubic_release import get_inverse_weights

    values = (np.array(exact) + noise / 5.0) * get_inverse_weights(bounded)
    known = unscale_cubic_sums(values.tolist(), 50 if bounded else None, 5.0)
    plain = np.array([50.0, z.sum(), (z * z).sum(), (z**3).sum()])
    expected = plain + np.array(make_noise_mixing(5.0, bounded)) @ noise
    assert np.allclose([*known.sums, known.cube_sum.value], expected, atol=1e-8)


def test_it_is_made_where_public_numbers_say_so():
    assert has_cubic(4.0, None) and not has_cubic(3.99, None)
    assert has_cubic(4.0, 110) and not has_cubic(3.99, 10**6)
    assert not has_cubic(1e6, 7) and has_cubic(10.0, 16) and not has_cubic(9.9, 16)
    x = np.linspace(-0.5, 0.9, 110)
    names = {
        how: [name for name, _ in dp.ttest_1samp(x, 0, epsilon, bounds=BOUNDS, shape=how, rng=1).released]
        for how, epsilon in (("any", 5.0), ("normal", 5.0))
    }
    assert names["any"] == ["sum of z", "sum of z^2", "sum of 4 z^3 - 3 z"]
    assert names["normal"] == ["sum of z", "sum of z^2"]
    assert len(dp.ttest_1samp(x, 0, 3.0, bounds=BOUNDS, rng=1).released) == 2


def test_the_noise_is_that_of_nine_tenths_and_of_one():
    x = np.linspace(-0.5, 0.9, 110)
    found = dp.ttest_1samp(x, 0, 5.0, bounds=BOUNDS, rng=1)
    assert found.noise_scale == pytest.approx(np.array([2.0, 4.0, 18.0]) / 4.5)

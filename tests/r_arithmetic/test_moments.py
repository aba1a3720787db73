"""Sums, means and covariances: values from R, chunk boundaries, and the substitute without 80 bits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic import cov, cumsum, mean, moments, sum, var
from pydpstat.r_arithmetic import elementary as error_free

FINITE = st.floats(-1e6, 1e6, allow_nan=False)


def vectors(least: int = 1) -> st.SearchStrategy[np.ndarray]:
    return arrays(np.float64, st.integers(least, 40), elements=FINITE)


def ulps(a: float, b: float) -> float:
    return abs(a - b) / math.ulp(max(abs(a), abs(b)))


@given(vectors(2))
def test_chunks_do_not_change_a_result(x):
    y = x[::-1] * 0.3
    whole = sum(x), mean(x), var(x), cov(x, y), *cumsum(x)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moments, "CHUNK_SIZE", 3)
        assert (sum(x), mean(x), var(x), cov(x, y), *cumsum(x)) == whole


def test_a_long_vector_is_added_from_first_to_last():
    x = np.random.default_rng(5).standard_normal(40_000) + 3.0
    total = np.add.accumulate(x.astype(np.longdouble))[-1]
    assert sum(x) == float(total)
    assert cumsum(x)[-1] == float(total)


@given(vectors(2))
def test_without_80_bits_the_result_agrees_to_one_ulp(x):
    exact = [Fraction(v) for v in x.tolist()]
    total = np.add.reduce(exact)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moments, "HAS_80_BIT", False)
        assert sum(x) == float(total)
        assert ulps(mean(x), float(total / x.size)) <= 1
        center = Fraction(mean(x))
        squares = np.add.reduce([(v - center) ** 2 for v in exact])
        assert ulps(var(x), float(squares / (x.size - 1))) <= 1.5
        assert cov(x, x) == var(x)


def test_without_80_bits_large_values_do_not_overflow():
    assert error_free.sum_exactly(np.array([1.5e308, 1.5e308, -1.5e308])) == 1.5e308
    assert error_free.compute_exact_mean(np.array([1.5e308, 1.5e308])) == 1.5e308
    assert math.isnan(error_free.sum_exactly(np.array([np.inf, -np.inf])))
    assert error_free.compute_exact_mean(np.array([np.inf, 1.0])) == math.inf


def test_integers_are_exact():
    assert sum([2**62, 2**62, 2**62]) == 3 * 2**62
    assert sum(np.array([-(2**63), -1])) == -(2**63) - 1
    assert sum(np.array([200, 100], dtype=np.uint8)) == 300
    assert sum(np.array([2**64 - 1, 1], dtype=np.uint64)) == 2**64
    assert sum([True, True]) == 2
    assert mean(np.array([1, 2], dtype=np.int8)) == 1.5
    assert mean(np.array([2**40, 2**40 + 1])) == 2.0**40 + 0.5
    assert cumsum(np.array([200, 100], dtype=np.uint8)).tolist() == [200, 300]


def test_edges():
    assert sum([]) == 0 and math.isnan(mean([])) and math.isnan(var([1.0]))
    assert cumsum([]).size == 0
    assert sum([1e308] * 2) == math.inf and sum([-1e308] * 2) == -math.inf
    assert mean([1.7e308, 1.7e308]) == 1.7e308
    assert math.isnan(var([1.0, math.inf]))
    assert math.isnan(mean([math.inf, -math.inf]))
    assert mean([1.0, None, 2.0]) != mean([1.0, None, 2.0])
    assert math.copysign(1.0, sum([-0.0])) == 1.0
    assert sum(2.5) == 2.5 and mean((1, 2)) == 1.5


def test_matrices_are_read_by_columns():
    assert cumsum(np.array([[1, 2], [3, 4]])).tolist() == [1, 4, 6, 10]


def test_what_is_not_numeric_is_refused():
    for x in (["a"], [object()], np.array(["2020-01-01"], dtype="datetime64[D]"), ["1", None]):
        with pytest.raises(PydpstatError, match="numeric"):
            mean(x)
    with pytest.raises(PydpstatError, match="same length"):
        cov([1.0, 2.0], [1.0])


def test_the_public_sums_are_those_of_the_module():
    assert moments.sum is sum

"""From a test to an interval: ends are next to what is not rejected, and are found in few steps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import laplace, norm, t

from pydpstat._null_distributions.simulation import find_interval_end

LAWS = {"normal": norm, "t(3)": t(3), "laplace": laplace}


@given(
    st.sampled_from(list(LAWS)),
    st.sampled_from([1.0, -1.0]),
    st.floats(0.3, 4.0),
    st.floats(0.001, 0.6),
    st.floats(1e-3, 1e3),
)
def test_ends_are_a_fiftieth_of_the_error_beyond_the_level_at_most(law, side, scale, alpha, error):
    # what is not rejected may end its p-value at any number above alpha
    def pvalue(x):
        p = min(1.0, 2.0 * float(LAWS[law].sf(abs(x - 5.0) / (scale * error))) + 1e-4)
        return p if p <= alpha else 0.5 * (p + alpha)

    end = find_interval_end(pvalue, alpha, 5.0, error, side, 1e9)
    true = 5.0 + side * scale * error * float(LAWS[law].isf(0.5 * (alpha - 1e-4)))
    assert -1e-9 * error <= side * (end - true) <= 0.02 * error * (1.0 + 1e-9)


def test_what_is_not_rejected_is_found_beyond_a_gap():
    # up to 1 and again from 2.2 to 3.2; all p-values are 0 or 1
    end = find_interval_end(lambda x: float(x <= 1.0 or 2.2 <= x <= 3.2), 0.5, 0.0, 0.5, 1.0, 10.0)
    assert 3.2 < end < 3.22
    # the search ends with the third value in succession that is rejected: 1.5, 2.25 and 3
    end = find_interval_end(lambda x: float(x <= 1.0 or 3.6 <= x <= 4.0), 0.5, 0.0, 0.5, 1.0, 10.0)
    assert 1.0 < end < 1.02
    assert find_interval_end(lambda x: 1.0, 0.5, 0.0, 0.5, -1.0, 1.0) == -1.0


@pytest.mark.parametrize(("alpha", "scale"), [(0.2, 0.8), (0.05, 1.0), (0.01, 1.3)])
def test_few_values_are_looked_at(alpha, scale):
    looked: list[float] = []

    def pvalue(x):
        looked.append(x)
        return 2.0 * float(norm.sf(abs(x) / scale))

    end = find_interval_end(pvalue, alpha, 0.0, 1.0, 1.0, math.inf)
    assert end == pytest.approx(scale * norm.isf(0.5 * alpha), abs=0.02)
    # one that is not rejected, three that are, and three in between; halving would take seven
    assert len(looked) <= 9

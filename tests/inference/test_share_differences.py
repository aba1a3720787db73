"""Intervals and tests for differences of noisy shares, beside their limits of many records."""

from __future__ import annotations

import math

import pytest
from scipy.special import ndtr

from pydpstat.inference._laws.group_difference import ShareDifference
from pydpstat.inference._laws.private_size import NoisyPair

# between exact limits and normal ones of many records, in standard errors
NEAR = 0.03


@pytest.mark.parametrize(
    ("first", "second", "n", "epsilon"),
    [(0.4388, 0.4078, 100_000, 0.1), (0.5, 0.4995, 1_000_000, 1.0), (0.31, 0.29, 20_000, 0.5)],
)
@pytest.mark.parametrize("moved", [0.0, 0.0003, 0.0011])
def test_differences_of_many_records_are_those_of_normal_variables(first, second, n, epsilon, moved):
    shares = first + moved, second
    given = ShareDifference(*(NoisyPair(share * n, (1.0 - share) * n, epsilon) for share in shares))
    # a share moves by both counts' noise, each of variance 2 / epsilon^2 and weighed with the other share
    noise = sum(2.0 / epsilon**2 * (p * p + (1.0 - p) ** 2) / n**2 for p in shares)
    error = math.sqrt(sum(p * (1.0 - p) / n for p in shares) + noise)
    low, high = given.ends(0.05)
    assert low == pytest.approx(given.estimate - 1.96 * error, abs=NEAR * error)
    assert high == pytest.approx(given.estimate + 1.96 * error, abs=NEAR * error)
    z = abs(given.estimate) / error
    # further out the counts are not normal
    assert given.pvalue() == pytest.approx(2.0 * ndtr(-z), rel=0.1) if z < 4.0 else given.pvalue() < 2e-4

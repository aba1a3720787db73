"""Intervals and tests for differences of noisy shares, beside their limits of many records."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

from pydpstat._null_distributions.noise import SMALLEST_RATE
from pydpstat._null_distributions.proportions.one_proportion import NoisyBinaryCounts
from pydpstat._null_distributions.proportions.two_proportions import ShareDifference

# between exact limits and normal ones of many records, in standard errors
NEAR = 0.03


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "n", "epsilon"),
    [
        (0.4388, 0.4078, 100_000, 0.1),
        (0.5, 0.4995, 10**6, 1.0),
        (0.31, 0.29, 20_000, 0.5),
        (0.3103, 0.29, 20_000, 0.5),
    ],
)
def test_differences_of_many_records_are_those_of_normal_variables(first, second, n, epsilon):
    shares = first, second
    given = ShareDifference(*(NoisyBinaryCounts(share * n, (1.0 - share) * n, epsilon) for share in shares))
    # a share moves by both counts' noise, each of variance 2 / epsilon^2 and weighed with the other share
    noise = sum(2.0 / epsilon**2 * (p * p + (1.0 - p) ** 2) / n**2 for p in shares)
    error = math.sqrt(sum(p * (1.0 - p) / n for p in shares) + noise)
    low, high = given.compute_limits(0.05)
    assert low == pytest.approx(given.estimate - 1.96 * error, abs=NEAR * error)
    assert high == pytest.approx(given.estimate + 1.96 * error, abs=NEAR * error)
    z = abs(given.estimate) / error
    # further out the counts are not normal
    assert (
        given.compute_pvalue() == pytest.approx(2.0 * ndtr(-z), rel=0.1) if z < 4.0 else given.compute_pvalue() < 2e-4
    )


def test_nothing_is_said_where_noise_is_all():
    found = ShareDifference(NoisyBinaryCounts(90.0, 3.0, 0.5 * SMALLEST_RATE), NoisyBinaryCounts(3.0, 90.0, 1.0))
    assert found.compute_limits(0.05) == (-1.0, 1.0) and found.compute_pvalue() == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("n, p, q", [(10, 0.0275, 0.97), (2, 0.05, 0.95), (8, 0.3, 0.7)])
def test_differences_of_shares_next_to_both_ends_are_held(n, p, q):
    # without noise, over all counts; squares of distances that are added miss 6 to 8 % here at every level
    counts = np.arange(n + 1)
    masses = np.outer(stats.binom(n, p).pmf(counts), stats.binom(n, q).pmf(counts))
    groups = [NoisyBinaryCounts(float(count), float(n - count), 60.0) for count in counts]
    missed = dict.fromkeys((0.2, 0.05, 0.01, 0.001), 0.0)
    for i, one in enumerate(groups):
        for j, other in enumerate(groups):
            found = ShareDifference(one, other)
            for alpha in missed:
                low, high = found.compute_limits(alpha)
                assert -1.0 <= low <= found.estimate <= high <= 1.0
                missed[alpha] += masses[i, j] * (not low <= p - q <= high)
    assert all(share <= alpha for alpha, share in missed.items())

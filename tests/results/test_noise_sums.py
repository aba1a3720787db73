"""The distribution of a sum of integer noises, and noise intervals of shares of noisy counts."""

import pickle
from functools import reduce

import numpy as np
import pytest

from pydpstat._null_distributions.noise import make_geometric_sum
from pydpstat.mechanisms import DiscreteGaussianNoise, LaplaceNoise, SymmetricGeometricNoise
from pydpstat.mechanisms._noise import NoiseSum, get_summand, make_noise_sum
from pydpstat.results._postprocessing import RatioIntervals, bound_sum_quantile

# sums of a few hundred probabilities that are each right to 1e-16
ROUNDINGS = 1e-13


@pytest.mark.parametrize("noise", [SymmetricGeometricNoise(0.7), DiscreteGaussianNoise(2.5)])
@pytest.mark.parametrize("terms", [2, 5])
def test_a_sum_has_the_convolution_of_its_parts(noise, terms):
    k = np.arange(-150, 151)
    pmf = reduce(np.convolve, [np.asarray(noise.pmf(k))] * terms)
    half = pmf.size // 2
    whole = NoiseSum(noise, terms)
    x = np.arange(-40, 41)
    assert np.asarray(whole.cdf(x)) == pytest.approx(pmf.cumsum()[half - 40 : half + 41], abs=ROUNDINGS)
    assert whole.std() == pytest.approx(np.sqrt(terms) * noise.std(), rel=1e-12)
    for q in (0.001, 0.025, 0.5, 0.9, 0.975, 0.9995):
        low = whole.ppf(q)
        assert whole.cdf(low) >= q > whole.cdf(low - 1)
    assert np.isnan(whole.ppf(2.0)) and whole.ppf([0.0, 1.0]).tolist() == [-np.inf, np.inf]
    assert pickle.loads(pickle.dumps(whole)) == whole


@pytest.mark.parametrize("rate", [1e-4, 1e-7])
def test_wide_noise_is_looked_at_in_steps(rate):
    whole, exact = NoiseSum(SymmetricGeometricNoise(rate), 7), make_geometric_sum(rate, 7)
    x = np.round(np.linspace(-4.0, 4.0, 17) * whole.std())
    # both gather probabilities at multiples of about 3e-4 standard deviations
    assert np.asarray(whole.cdf(x)) == pytest.approx(1.0 - exact.compute_tail(x + 1.0), abs=5e-4)
    assert whole.ppf(0.975) == pytest.approx(exact.compute_quantile(0.025), rel=1e-3)


def test_sums_of_sums_and_noise_without_a_distribution_of_sums():
    one = SymmetricGeometricNoise(1.0)
    assert make_noise_sum(make_noise_sum(one, 2), 3) == NoiseSum(one, 6) and make_noise_sum(one, 1) is one
    assert get_summand(NoiseSum(one, 6)) == (one, 6) and make_noise_sum(LaplaceNoise(1.0), 2) is None
    drawn = NoiseSum(one, 50).rvs(4000, random_state=1)
    # four standard errors of a standard deviation from 4,000 nearly normal draws
    assert abs(drawn.std() / NoiseSum(one, 50).std() - 1.0) < 4.0 / np.sqrt(8000)


@pytest.mark.parametrize(
    "noise",
    [SymmetricGeometricNoise(rate) for rate in (0.1, 0.5, 1.0, 3.0, 8.0)]
    + [DiscreteGaussianNoise(sd) for sd in (0.3, 1.0, 10.0)],
)
@pytest.mark.parametrize("terms", [(1, 1), (1, 30), (3, 9), (50, 50)])
def test_weighted_sums_seldom_reach_further_than_ratios_allow(noise, terms):
    """P(abs((1 - p) N1 - p N2) > c sqrt(v) + 1) <= alpha, computed over all values of both noises."""
    points, masses = [], []
    for number in terms:
        whole = make_noise_sum(noise, number)
        reach = int(10.0 * whole.std() + float(noise.ppf(1.0 - 1e-12)))
        k = np.arange(-reach, reach + 1.0)
        points.append(k)
        masses.append(np.diff(np.append(0.0, whole.cdf(k))))
    below = masses[0].cumsum()
    for p in (0.001, 0.1, 0.3, 0.5, 0.9, 0.99):
        deviation = noise.std() * np.sqrt((1.0 - p) ** 2 * terms[0] + p * p * terms[1])
        for alpha in (0.2, 0.05, 0.01):
            reach = bound_sum_quantile(noise, alpha) * deviation + 1.0
            # the largest value of the first noise that does not exceed, for each of the second
            last = np.floor((reach + p * points[1]) / (1.0 - p)) - points[0][0]
            inside = below[np.clip(last, 0, below.size - 1).astype(int)] * (last >= 0)
            assert 2.0 * float((masses[1] * (1.0 - inside)).sum()) <= alpha


def test_intervals_of_shares_have_the_shares_that_the_noise_allows():
    noise = SymmetricGeometricNoise(0.5)
    known = RatioIntervals(noise, np.array([[30.0, -4.0, 2.0]]), np.array([[70.0, 60.0, -3.0]]), np.array([1, 5]))
    low, high = known.compute_noise_interval(0.05)
    share = np.linspace(0.0, 1.0, 100_001)
    reach = bound_sum_quantile(noise, 0.05) * noise.std() * np.sqrt((1.0 - share) ** 2 + 5.0 * share**2) + 1.0
    for place, (count, rest) in enumerate([(30.0, 70.0), (0.0, 60.0)]):
        allowed = share[np.abs((1.0 - share) * count - share * rest) <= reach]
        # by Fieller's roots the added record is in terms of p of the total: a record or less apart
        assert low[0, place] <= allowed[0] + 1e-4 and high[0, place] >= allowed[-1] - 1e-4
        assert high[0, place] - low[0, place] <= allowed[-1] - allowed[0] + 2e-4
    assert (low[0, 2], high[0, 2]) == (0.0, 1.0)
    assert known.compute_shares()[0, :2].tolist() == [0.3, 0.0] and np.isnan(known.compute_shares()[0, 2])
    assert np.isnan(known.compute_slopes()[0, 2])

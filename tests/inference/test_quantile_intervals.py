"""Intervals for quantiles from noisy histograms."""

import itertools

import numpy as np
import pytest
from scipy import stats

from pydpstat._null_distributions.quantiles.sample_quantiles import (
    choose_bin_number,
    compute_one_sided_limits,
    compute_quantile_limits,
    compute_quantile_slope,
    compute_sample_limits,
    find_noisy_quantiles,
)


def enumerated(n, q, rate, terms, share, factor=1):
    """The largest c with P(factor K + N <= c) <= share, from all probabilities."""
    law = np.zeros(factor * n + 1)
    law[::factor] = stats.binom.pmf(np.arange(n + 1), n, q)
    reach = int(60 / rate)
    one = np.exp(-rate * np.abs(np.arange(-reach, reach + 1.0)))
    for _ in range(terms):
        law = np.convolve(law, one / one.sum())
    return int(np.flatnonzero(law.cumsum() <= share)[-1]) - terms * reach


@pytest.mark.parametrize(
    "n, q, rate, terms, share, factor",
    [
        (10, 0.5, 1.0, (1, 4), 0.025, 1),
        (30, 0.1, 0.2, (1, 2, 8), 0.025, 1),
        (30, 0.1, 0.2, (16,), 0.025, 2),
        (5, 0.9, 3.0, (1, 3), 0.25, 1),
        (200, 0.5, 0.5, (1, 5, 9), 5e-7, 1),
        (40, 0.0, 1.0, (2, 6), 0.025, 1),
    ],
)
def test_thresholds_against_enumeration(n, q, rate, terms, share, factor):
    found = find_noisy_quantiles(n, q, rate, np.array(terms), share, factor)
    assert found.tolist() == [enumerated(n, q, rate, each, share, factor) for each in terms]


def drawn(law, n, bins, rate, rng, edges):
    inner = np.searchsorted(edges[1:-1], law(n, rng), "right")
    gone = -np.expm1(-rate)
    return np.bincount(inner, minlength=bins) + rng.geometric(gone, bins) - rng.geometric(gone, bins)


ATOMS = ([-0.5, 0.2, 0.75], [0.45, 0.2, 0.35])
LAWS = {
    "normal": (lambda n, rng: rng.normal(0.03, 0.25, n), {0.5: 0.03, 0.9: 0.03 + 0.25 * stats.norm.ppf(0.9)}),
    "atoms": (lambda n, rng: rng.choice(ATOMS[0], n, p=ATOMS[1]), {0.45: -0.5, 0.5: 0.2, 0.65: 0.2}),
    "constant": (lambda n, rng: np.full(n, 0.3), {0.5: 0.3}),
    "heavy": (lambda n, rng: 0.2 * rng.standard_cauchy(n), {0.75: 0.2}),
}


@pytest.mark.parametrize(
    "name, n, epsilon",
    [("normal", 500, 0.1), ("atoms", 200, 5.0), ("heavy", 500, 0.5), ("constant", 50, 1.0)],
)
def test_intervals_cover(name, n, epsilon):
    law, truths = LAWS[name]
    rng, runs, bins = np.random.default_rng(5), 400, choose_bin_number(n, epsilon)
    edges = np.linspace(-1.0, 1.0, bins + 1)
    edges[0], edges[-1] = -np.inf, np.inf
    missed, without_noise = dict.fromkeys(truths, 0), dict.fromkeys(truths, 0)
    for _ in range(runs):
        cells = drawn(law, n, bins, 0.5 * epsilon, rng, edges)
        for q, true in truths.items():
            low, high = compute_quantile_limits(cells, edges, n, q, 0.1, 0.5 * epsilon)
            missed[q] += not low <= true <= high
            low, high = compute_quantile_limits(cells, edges, n, q, 0.1, 500.0)
            without_noise[q] += not low <= true <= high
    # 0.1 and 4 standard errors: a false alarm in 30,000 comparisons
    assert max(missed.values()) <= runs * 0.16
    if name in ("normal", "heavy"):
        assert max(without_noise.values()) > runs * 0.16


SAMPLES = {
    "tied": lambda n, rng: rng.choice([-1 / 3, 0.2833, 1 / 3], n, p=[0.2, 0.5, 0.3]),
    "integers": lambda n, rng: rng.integers(-40, 40, n) / 60.0,
    "at edges": lambda n, rng: rng.integers(-4, 5, n) / 4.0,
    "zeros": lambda n, rng: np.where(rng.random(n) < 0.15, -1.0, rng.exponential(0.3, n) - 1.0).clip(-1, 1),
    "normal": LAWS["normal"][0],
}
# between two order statistics each, by other rules
METHODS = ("inverted_cdf", "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased")


@pytest.mark.parametrize(
    ("name", "n", "epsilon"),
    [
        ("tied", 15, 2.0),
        ("tied", 20_000, 1.0),
        ("integers", 500, 0.1),
        ("at edges", 20_000, 1.0),
        ("zeros", 15, 2.0),
        ("zeros", 500, 0.1),
        ("normal", 500, 0.1),
        ("normal", 20_000, 1.0),
    ],
)
def test_intervals_of_the_noise_cover_the_records_quantile(name, n, epsilon):
    rng, runs, bins, alpha = np.random.default_rng(8), 300, choose_bin_number(n, epsilon), 0.2
    edges, x = np.linspace(-1.0, 1.0, bins + 1), SAMPLES[name](n, rng)
    counts, gone = np.histogram(x, edges)[0], -np.expm1(-0.5 * epsilon)
    for q in (0.1, 0.5, 0.75):
        truths = [np.quantile(x, q, method=method) for method in METHODS]
        ends = np.empty((runs, 2))
        for run in range(runs):
            noisy = counts + rng.geometric(gone, bins) - rng.geometric(gone, bins)
            ends[run] = compute_sample_limits(noisy, edges, n, q, alpha, 0.5 * epsilon)
        missed = (ends[:, 0] > min(truths)) | (ends[:, 1] < max(truths))
        # a false alarm in 100,000 comparisons
        assert np.count_nonzero(missed) <= stats.binom.isf(1e-5, runs, alpha)
    if name == "normal" and n == 20_000:
        # 2 standard deviations of the noise, as a share of 20,000 records, and a cell at either end
        noise = 2.0 * np.sqrt(0.5 * bins) * 2.0 / n / stats.norm.pdf(1.0) * 0.25
        assert np.mean(ends[:, 1] - ends[:, 0]) < 2.0 * noise + 2.0 * 2.0 / bins


def test_the_interval_narrows():
    rng, edges = np.random.default_rng(6), np.linspace(-1.0, 1.0, 257)
    cells = drawn(LAWS["normal"][0], 5000, 256, 0.5, rng, edges)
    widths = [np.ptp(compute_quantile_limits(cells, edges, 5000, 0.5, alpha, 0.5)) for alpha in (1e-6, 0.05, 0.5)]
    assert widths[0] >= widths[1] >= widths[2] > 0.0
    assert widths[1] < 0.1
    low, _ = compute_quantile_limits(cells, edges, 5000, 0.5, 0.05, 0.5)
    one_sided = compute_one_sided_limits(cells, edges, 5000, 0.5, (0.05, 0.0), 0.5)
    assert low <= one_sided[0] <= 0.05 and one_sided[1] == 1.0


@pytest.mark.parametrize(("n", "rate"), [(1, 1e-300), (2, 50.0), (5, 1e6), (1000, 1e-6), (1000, 0.0005), (1000, 1.0)])
def test_no_data_and_no_noise_make_an_error(n, rate):
    edges, rng = np.arange(9.0), np.random.default_rng(7)
    for cells in (np.zeros(8), np.full(8, n / 8), np.append(n, np.zeros(7)), rng.normal(0.0, 1e6, 8).round()):
        for q, alpha in itertools.product((0.0, 0.3, 1.0), (0.5, 0.05, 1e-6)):
            low, high = compute_quantile_limits(cells, edges, n, q, alpha, rate)
            assert 0.0 <= low < high <= 8.0


def test_the_number_of_bins():
    numbers = [choose_bin_number(n, 1.0) for n in (1, 30, 100, 1000, 10**4, 10**7)]
    assert numbers == sorted(numbers) and numbers[0] == 8 and numbers[-1] == 8192
    assert choose_bin_number(100, 1.0) == choose_bin_number(10, 10.0)


def test_a_slope_is_that_of_the_quantiles_around_a_share():
    assert compute_quantile_slope(lambda share: share**2, 0.5, 2.0, 0.25) == (0.75**2 - 0.25**2) / 4.0
    # shares end at 0 and 1
    assert compute_quantile_slope(lambda share: share**2, 0.125, 1.0, 0.25) == 0.375**2 / 2.0
    assert compute_quantile_slope(lambda share: share**2, 0.875, 1.0, 0.25) == (1.0 - 0.625**2) / 2.0

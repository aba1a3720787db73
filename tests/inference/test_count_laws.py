"""The laws of noisy counts: Tulap, sums of geometric noise, and exact tails of what they are added to."""

import mpmath
import numpy as np
import pytest
from levels.proportions import noise
from scipy import stats

from pydpstat._null_distributions.noise import (
    Tulap,
    compute_geometric_pmf,
    compute_noise_variance,
    compute_normal_laplace_tail,
    make_geometric_sum,
)
from pydpstat._null_distributions.proportions.one_proportion import (
    NoisyBinaryCounts,
    PrivateSizeProportionInterval,
    ProportionInterval,
    _compute_studentized_counts,
    _compute_studentized_tails,
    bound_binomial_deviation,
    compute_binomial_points,
    compute_noisy_tails,
)
from pydpstat._null_distributions.proportions.two_proportions import (
    ContrastInterval,
    NoisyGroupCounts,
    ProportionLine,
    compute_line_tails,
)

RATES = (0.05, 0.7, 50.0)


def geometric(rate, reach):
    """The probabilities of the integers from -reach to reach, by their formula."""
    k = np.arange(-reach, reach + 1)
    return k, np.tanh(0.5 * rate) * np.exp(-rate * np.abs(k))


@pytest.mark.parametrize("rate", RATES)
def test_tulap_is_geometric_and_uniform(rate):
    x = np.linspace(-20.3, 20.3, 1217)
    k, pmf = geometric(rate, int(40 / rate) + 25)
    # the uniform variable's distribution function, for each value of the geometric one
    enumerated = (pmf * np.clip(x[:, None] - k + 0.5, 0.0, 1.0)).sum(axis=1)
    noise = Tulap(rate)
    # rounding of a sum of up to 1,650 terms
    assert np.abs(noise.cdf(x) - enumerated).max() < 1e-13
    assert np.array_equal(noise.cdf(x), noise.compute_tail(-x))
    shares = np.concatenate([[1e-12, 1e-6], np.linspace(0.001, 0.999, 999), [1.0 - 1e-6]])
    assert np.abs(noise.cdf(noise.ppf(shares)) - shares).max() < 1e-15


@pytest.mark.parametrize("rate, terms", [(1.0, 1), (1.0, 2), (0.3, 5), (3.0, 40), (60.0, 3)])
def test_sums_of_geometrics_against_convolutions(rate, terms):
    _, one = geometric(rate, int(45 / rate) + 3)
    enumerated = np.array([1.0])
    for _ in range(terms):
        enumerated = np.convolve(enumerated, one)
    law, half = make_geometric_sum(rate, terms), enumerated.size // 2
    x = np.arange(-min(half, 60), min(half, 60) + 1)
    tails = enumerated[::-1].cumsum()[::-1]
    # the Fourier transform's rounding
    assert np.abs(law.compute_tail(x) - tails[x + half]).max() < 1e-13
    assert np.abs(law.compute_tail(x - 0.5) - law.compute_tail(x)).max() == 0.0
    for share in (0.3, 0.025, 1e-6):
        q = law.compute_quantile(share)
        assert law.compute_tail(q + 1) <= share < law.compute_tail(q)
    assert compute_noise_variance(rate) * terms == pytest.approx(
        (law.pmf * np.arange(-law.support_radius, law.support_radius + 1.0) ** 2).sum(), rel=1e-9
    )


@pytest.mark.parametrize("rate, step", [(0.5, 2), (0.01, 7), (3.0, 5)])
def test_steps_divide_a_value_between_their_neighbors(rate, step):
    k, pmf = geometric(rate, int(45 / rate))
    places = np.arange(-20, 21)
    divided = [(pmf * np.clip(1.0 - np.abs(k - place * step) / step, 0.0, None)).sum() for place in places]
    found = compute_geometric_pmf(rate, 900, step)
    assert np.abs(found[880:921] - divided).max() < 1e-15 and found.sum() == pytest.approx(1.0, abs=1e-14)


def test_a_law_in_steps_is_that_of_all_integers():
    fine, coarse = make_geometric_sum(2e-3, 2), make_geometric_sum(1e-4, 2)
    assert fine.step == 1 and coarse.step > 1
    x = np.array([-2.0, 0.1, 1.0, 3.0, 9.0])
    # both are nearly the law of a sum of two Laplace variables, 1e-3 of a scale apart
    assert np.allclose(fine.compute_tail(x / 2e-3), coarse.compute_tail(x / 1e-4), rtol=2e-3)
    q = coarse.compute_quantile(0.01)
    assert coarse.compute_tail(q + 1) <= 0.01 < coarse.compute_tail(q - 2 * coarse.step)


@pytest.mark.parametrize("sd, scale", [(1.0, 0.5), (1.0, 1e-3), (1.0, 1e3), (1e-8, 1.0), (3.0, 2.0)])
def test_normal_and_laplace_against_multiple_precision(sd, scale):
    with mpmath.workdps(50):
        for x in (-4.0, 0.0, 0.5, 3.0, 8.0, 30.0):
            u, r = mpmath.mpf(x) / sd, mpmath.mpf(sd) / scale
            near, far = (mpmath.exp(r * r / 2 + s * r * u) * mpmath.ncdf(s * -u - r) / 2 for s in (-1, 1))
            # an exponent of 450 is rounded to 1e-13
            exact = mpmath.ncdf(-u) + near - far
            assert abs(float(compute_normal_laplace_tail(x, sd, scale)) / exact - 1) < 2e-13


@pytest.mark.parametrize("x, sd, scale", [(0.5, 1.0, 0.3), (3.0, 0.2, 1.0), (4.0, 1.0, 0.01), (0.0, 1.0, 1.0)])
def test_the_tail_of_normal_and_laplace_is_its_integral(x, sd, scale):
    with mpmath.workdps(30):
        exact = mpmath.quad(
            lambda t: mpmath.exp(-abs(t) / scale) / (2 * scale) * mpmath.ncdf((t - x) / sd),
            [-50 * scale, 0, min(x, 40 * scale) or 1, 50 * scale + x],
        )
    assert compute_normal_laplace_tail(x, sd, scale) == pytest.approx(float(exact), rel=1e-8)


def test_normal_and_laplace_at_the_ends():
    assert compute_normal_laplace_tail([-np.inf, np.inf], 1.0, 2.0).tolist() == [1.0, 0.0]
    assert float(compute_normal_laplace_tail(1.0, 2.0, 0.0)) == pytest.approx(stats.norm.sf(0.5), rel=1e-14)
    assert float(compute_normal_laplace_tail(-1.0, 0.0, 2.0)) == pytest.approx(stats.laplace.sf(-0.5), rel=1e-14)
    x = np.linspace(-9.0, 9.0, 181)
    assert np.all(np.diff(compute_normal_laplace_tail(x, 1.0, 0.7)) < 0.0)


@pytest.mark.parametrize("n, p", [(0, 0.3), (1, 0.5), (30, 0.0), (30, 1.0), (30, 0.2), (10**6, 1e-6), (10**6, 0.3)])
def test_binomial_points_against_scipy(n, p):
    values, masses = compute_binomial_points(n, p)
    # scipy's own error for n of a million is about 1e-11
    assert np.allclose(masses, stats.binom.pmf(values, n, p), rtol=1e-9, atol=1e-16)
    assert masses.sum() == pytest.approx(1.0, abs=1e-14)
    assert stats.binom.cdf(values[0] - 1, n, p) + stats.binom.sf(values[-1], n, p) <= 1e-15


def test_the_reach_leaves_out_no_more_than_it_says():
    for n, p in ((5, 0.5), (1000, 0.001), (1000, 0.5)):
        reach = bound_binomial_deviation(n, p, 1e-3)
        inside = stats.binom.cdf(n * p + reach, n, p) - stats.binom.cdf(np.ceil(n * p - reach) - 1, n, p)
        assert inside >= 1.0 - 1e-3


def test_values_in_steps_have_the_law_of_all():
    values, masses = compute_binomial_points(10**11, 0.4)
    assert values[1] - values[0] > 1 and values.size <= 2**17 + 1
    z = (values - 4e10) / np.sqrt(2.4e10)
    assert (masses * z * z).sum() == pytest.approx(1.0, rel=1e-6)
    assert (masses * (z > 1.0)).sum() == pytest.approx(stats.norm.sf(1.0), abs=1e-4)


@pytest.mark.parametrize("n, p, rate, z", [(7, 0.3, 0.7, 4.2), (1, 0.5, 3.0, 0.9), (12, 0.05, 0.4, -6.7)])
def test_tails_against_multiple_precision(n, p, rate, z):
    with mpmath.workdps(40):
        b = mpmath.exp(-mpmath.mpf(rate))
        total = mpmath.mpf(0)
        for k in range(n + 1):
            mass = mpmath.binomial(n, k) * mpmath.mpf(p) ** k * (1 - mpmath.mpf(p)) ** (n - k)
            for g in range(-int(40 / rate), int(40 / rate) + 1):
                over = min(max(mpmath.mpf(k + g) + mpmath.mpf("0.5") - mpmath.mpf(z), 0), 1)
                total += mass * (1 - b) / (1 + b) * b ** abs(g) * over
        up, low = compute_noisy_tails(z, n, p, Tulap(rate))
        # the probability that is left out is added
        assert abs(up - total) < 1e-14 and abs(low - (1 - total)) < 1e-14


@pytest.mark.parametrize("n, epsilon, z", [(40, 0.3, 11.2), (40, 10.0, 40.2), (10**6, 0.1, 300_100.4)])
def test_the_ends_are_where_a_tail_is_half_of_alpha(n, epsilon, z):
    noise, inside = Tulap(epsilon), min(z, n)
    for alternative, below, above in (("two-sided", 0.05, 0.05), ("greater", 0.1, 0.0), ("less", 0.0, 0.1)):
        low, high = ProportionInterval(z, n, epsilon, alternative).compute_limits(0.1)
        if low:
            assert compute_noisy_tails(inside, n, low, noise)[0] == pytest.approx(below, abs=1e-6)
        if high < 1.0:
            assert compute_noisy_tails(inside, n, high, noise)[1] == pytest.approx(above, abs=1e-6)
        assert (low > 0.0) == (below > 0.0) and (high < 1.0) == (above > 0.0 and z < n)


PAIRS = [(20, 0.3, 1.0, (1, 1)), (20, 0.3, 0.05, (1, 1)), (200, 0.05, 0.5, (1, 2)), (5, 0.5, 5.0, (1, 1))]


@pytest.mark.parametrize("n, p, rate, terms", PAIRS)
def test_private_sizes_against_simulation(n, p, rate, terms):
    rng, runs = np.random.default_rng(1), 40_000
    met = rng.binomial(n, p, runs)
    first = met + sum(noise(rng, rate, runs) for _ in range(terms[0]))
    second = n - met + sum(noise(rng, rate, runs) for _ in range(terms[1]))
    drawn = _compute_studentized_counts(first, second, p, compute_noise_variance(rate), terms)
    for t in np.quantile(drawn, [0.03, 0.5, 0.97]).tolist():
        up, low = _compute_studentized_tails(t, n, p, rate, terms)
        # 4.5 standard errors: a false alarm in 140,000 comparisons
        assert abs(up - (drawn >= t - 1e-9).mean()) < 4.5 * np.sqrt(0.25 / runs)
        assert abs(low - (drawn <= t + 1e-9).mean()) < 4.5 * np.sqrt(0.25 / runs)


def enumerated(n, truth, p, rate, terms):
    """The statistics of all counts and noises, by their definition, in order, and their probabilities."""
    _, one = geometric(rate, int(33 / rate) + 1)
    noises = []
    for count in terms:
        law = np.array([1.0])
        for _ in range(count):
            law = np.convolve(law, one)
        noises.append((np.arange(law.size) - law.size // 2, law))
    (i, first), (j, second) = noises
    counts = np.arange(n + 1)
    met, unmet = counts[:, None, None] + i[:, None], n - counts[:, None, None] + j
    chances = stats.binom.pmf(counts, n, truth)[:, None, None] * np.outer(first, second)
    square = 2.0 * np.exp(-rate) / (1.0 - np.exp(-rate)) ** 2
    size = np.maximum(met + unmet, np.sqrt(2.0 * square)) * p * (1.0 - p)
    size = size + ((1.0 - p) ** 2 * terms[0] + p**2 * terms[1]) * square
    t = ((1.0 - p) * met - p * unmet) / np.sqrt(size)
    order = np.argsort(t, axis=None)
    return t.ravel()[order], chances.ravel()[order]


@pytest.mark.parametrize(
    "n, p, rate, terms, truth",
    [
        (20, 0.5, 0.5, (1, 1), None),
        (20, 0.3, 1.0, (1, 1), None),
        (7, 0.1, 0.4, (1, 1), None),
        (12, 0.85, 2.0, (1, 1), None),
        (40, 0.2, 1.5, (1, 2), None),
        (15, 0.6, 1.5, (3, 1), None),
        (20, 0.3, 1.0, (1, 1), 0.55),
    ],
)
def test_private_sizes_against_the_enumeration_of_all_counts_and_noises(n, p, rate, terms, truth):
    t, chances = enumerated(n, p if truth is None else truth, p, rate, terms)
    below = np.append(0.0, chances.cumsum())
    for share in (0.001, 0.02, 0.3, 0.7, 0.98, 0.999):
        # what is equal but for rounding belongs to both tails
        at = t[np.searchsorted(below, share) - 1]
        start, end = np.searchsorted(t, at - 1e-9), np.searchsorted(t, at + 1e-9)
        # what the enumeration and the cells leave out of the noise's tails, 1e-10 each side
        assert _compute_studentized_tails(at, n, p, rate, terms, truth) == pytest.approx(
            (below[-1] - below[start], below[end]), abs=1e-9
        )


def test_a_tail_of_twenty_records_is_the_known_one():
    # enumerated in another program
    up, low = _compute_studentized_tails(2.0137, 20, 0.5, 0.5, (1, 1))
    assert up == pytest.approx(0.023122, abs=1e-6) and low == pytest.approx(1.0 - up, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("met, unmet, rate", [(78, 170, 0.2), (3, 250, 0.05), (9, 0, 1.0), (7e4, 3e4, 0.01)])
@pytest.mark.parametrize("share", [0.2, 1e-6])
def test_ends_are_where_the_largest_tail_of_all_numbers_has_its_share(met, unmet, rate, share):
    pair, near = NoisyBinaryCounts(met, unmet, rate), 1e-6
    interval = PrivateSizeProportionInterval(pair, "two-sided")
    for end, side, out in ((interval.find_lower_limit(share), 0, -near), (interval.find_upper_limit(share), 1, near)):
        inside, outside = (
            pair.compute_tails(min(max(end + s * out, near), 1 - near), 0.02 * share)[side] for s in (-1, 1)
        )
        assert inside > share and (outside < share or not 0.0 < end < 1.0)


@pytest.mark.parametrize("alternative", ["less", "greater"])
def test_one_sided_intervals_of_half_the_level_have_ends_for_any_counts(alternative):
    # where noise is skewed a tail can be less than 1/2 at the share seen
    for met, unmet in ((1000, 3), (3, 1000), (0, 0)):
        pair = NoisyBinaryCounts(met, unmet, 1.0, (5, 1))
        low, high = PrivateSizeProportionInterval(pair, alternative).compute_limits(0.5)
        assert 0.0 <= low <= pair.proportion <= high <= 1.0
    for counts, sizes, rate in (((0.0, 7.8), (1, 20), 50.0), ((0.2, 1.9), (1, 2), 3.0)):
        low, high = ContrastInterval(NoisyGroupCounts(counts, sizes, rate), False, alternative).compute_limits(0.5)
        assert -1.0 <= low <= counts[0] / sizes[0] - counts[1] / sizes[1] <= high <= 1.0


LINES = [
    ((20, 30), (0.3, 0.3), ProportionLine.from_difference(0.0), 1.0),
    ((100, 100), (0.4, 0.2), ProportionLine.from_difference(0.2), 0.5),
    ((1000, 100_000), (0.02, 0.02), ProportionLine.from_difference(0.0), 0.05),
    ((10**7, 10**6), (0.4, 0.2), ProportionLine.from_ratio(2.0), 0.1),
    ((50, 500), (0.1, 0.05), ProportionLine.from_ratio(2.0), 0.3),
]


@pytest.mark.parametrize("sizes, p, line, rate", LINES)
def test_two_counts_against_simulation(sizes, p, line, rate):
    rng, runs = np.random.default_rng(2), 200_000
    first, second = (rng.binomial(n, share, runs) + noise(rng, rate, runs) for n, share in zip(sizes, p))
    drawn, _ = line.compute_statistics(first, second, sizes, compute_noise_variance(rate))
    # 4.5 standard errors, and 0.001 for cells in place of integers
    error = 4.5 * np.sqrt(0.25 / runs) + 1e-3
    for t in np.quantile(drawn, [0.03, 0.5, 0.97]).tolist():
        up, low = (float(each[0]) for each in compute_line_tails(t, sizes, rate, line, np.array(p)[:, None]))
        assert up == pytest.approx((drawn >= t - 1e-9).mean(), abs=error)
        assert low == pytest.approx((drawn <= t + 1e-9).mean(), abs=error)

"""Null laws of rank statistics and distances, beside enumeration, SciPy and many digits."""

import itertools
import math
from collections import Counter

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from pydpstat._null_distributions.ranks import distances
from pydpstat._null_distributions.ranks import rank_statistics as ranks
from pydpstat._null_distributions.ranks.distances import PairInterval, compute_mean_tail
from pydpstat._null_distributions.ranks.rank_statistics import compute_upper_tail

# rounding alone
CLOSE = {"rel": 1e-11, "abs": 1e-14}


def shares(values):
    """Return the probabilities of 0 to the largest of equally likely integers."""
    found = Counter(values)
    return [found[k] / len(values) for k in range(max(found) + 1)]


@pytest.mark.parametrize("records, cap", [(1, 1), (5, 5), (6, 1), (7, 3), (8, 7)])
def test_signed_ranks_beside_all_signs(records, cap):
    capped = [min(rank, cap) for rank in range(1, records + 1)]
    sums = [sum(itertools.compress(capped, signs)) for signs in itertools.product((0, 1), repeat=records)]
    assert ranks.make_signed_rank_distribution(records, cap).masses == pytest.approx(shares(sums), **CLOSE)
    assert ranks.sum_capped_ranks(records, cap) == sum(capped)


@pytest.mark.parametrize("first, second", [(19, 60), (50, 50), (50, 800)])
def test_the_recursion_for_two_samples_stays_exact(first, second):
    law = ranks.make_mann_whitney_distribution(first, second)
    variance = first * second * (first + second + 1) / 12.0
    middle = law.positions - 0.5 * first * second
    assert law.masses @ middle**2 == pytest.approx(variance, rel=1e-10)
    # what rounding makes of a symmetric law shows its size
    raw = ranks._compute_mann_whitney_masses(first, second)
    assert np.abs(raw - raw[::-1]).sum() < 1e-11


def in_digits(law, z, rate):
    """Return P(T + N >= z) with 60 digits."""
    with mpmath.workdps(60):
        b = mpmath.exp(-mpmath.mpf(rate))

        def tail(k):
            return b**k / (1 + b) if k > 0 else 1 - b ** (1 - k) / (1 + b)

        masses = zip(law.positions.tolist(), law.masses.tolist())
        return float(mpmath.fsum(mpmath.mpf(mass) * tail(int(z - position)) for position, mass in masses))


@given(st.integers(1, 12), st.integers(-200, 200), st.sampled_from([1e-6, 0.01, 0.3, 2.0, 50.0, 1e6]))
@settings(max_examples=60)
def test_tails_with_noise_have_their_digits(records, z, rate):
    law = ranks.make_signed_rank_distribution(records, max(1, records // 2))
    assert compute_upper_tail(law, float(z), rate) == pytest.approx(in_digits(law, z, rate), rel=1e-12, abs=1e-300)


@given(st.sampled_from([(3, 4), (6, 6)]), st.sampled_from([0.05, 1.0, 10.0]))
@settings(max_examples=6)
def test_p_values_of_a_true_hypothesis_are_at_most_as_often_small(sizes, rate):
    # exactly: over all values of the statistic and of the noise
    law, highest = ranks.make_mann_whitney_distribution(*sizes), sizes[0] * sizes[1]
    ratio, reach = math.exp(-rate), math.ceil(30.0 / rate)
    z = np.arange(-reach, highest + reach + 1)
    noise = (1.0 - ratio) / (1.0 + ratio) * ratio ** np.abs(np.arange(-reach, reach + 1))
    chances = np.convolve(law.masses, noise)
    for alternative in ("two-sided", "less", "greater"):
        p = np.array([ranks.compute_rank_pvalue(law, float(each), highest, rate, alternative) for each in z])
        for level in (0.01, 0.05, 0.3):
            assert chances[p <= level].sum() <= level + 1e-12
            # without the noise in its law the test would not hold
        bare = np.array([ranks.compute_rank_pvalue(law, float(each), highest, 1e3, alternative) for each in z])
        if rate < 1.0:
            assert chances[bare <= 0.05].sum() > 0.2


LARGE = {
    "two samples": lambda: _both(
        ranks._compute_mann_whitney_masses(50, 800), ranks._compute_rank_sum_cumulants(50, 800)
    ),
    "kendall": lambda: _both(
        ranks.make_kendall_distribution(250).masses,
        [float(u * (ranks.sum_powers(250, 2 * k) - 250)) for k, u in enumerate(ranks.UNIFORM_CUMULANTS, 1)],
    ),
    "signed ranks": lambda: _both(
        ranks.make_signed_rank_distribution(300, 100).masses,
        [
            float(t * (ranks.sum_powers(99, 2 * k) + 201 * 100 ** (2 * k)))
            for k, t in enumerate(ranks.TRIAL_CUMULANTS, 1)
        ],
    ),
}


def _both(masses, cumulants):
    exact = ranks._make_lattice_distribution(masses)
    return (
        exact,
        ranks._make_edgeworth_distribution(0.5 * (masses.size - 1), cumulants),
        math.sqrt(cumulants[0]),
    )


@pytest.mark.parametrize("name", LARGE)
def test_the_corrected_normal_law_is_close_to_the_exact_one(name):
    exact, normal, sd = LARGE[name]()
    middle = 0.5 * (exact.masses.size - 1)
    for rate in (0.05 / sd, 1.0 / sd, 20.0 / sd, 50.0):
        for z in np.rint(middle + sd * np.linspace(-5.0, 5.0, 21)):
            assert compute_upper_tail(normal, z, rate) == pytest.approx(compute_upper_tail(exact, z, rate), abs=2e-6)
    # the bare normal law would not do
    plain = ranks._make_edgeworth_distribution(middle, [sd**2, 0.0, 0.0])
    assert (
        abs(
            compute_upper_tail(plain, np.rint(middle + sd), 50.0)
            - compute_upper_tail(exact, np.rint(middle + sd), 50.0)
        )
        > 2e-5
    )


def test_a_large_group_is_taken_as_a_smaller_one():
    few, many = 6, 8_000
    exact = ranks._make_lattice_distribution(ranks._compute_mann_whitney_masses(few, many))
    taken = ranks.make_mann_whitney_distribution(few, many)
    sd = math.sqrt(few * many * (few + many + 1) / 12.0)
    assert taken.step > 1.0
    for rate in (0.1 / many, 1.0 / many, 1.0):
        for z in np.rint(0.5 * few * many + sd * np.linspace(-3.0, 3.0, 13)):
            assert compute_upper_tail(taken, z, rate) == pytest.approx(compute_upper_tail(exact, z, rate), abs=2e-6)


@pytest.mark.parametrize("records", [1, 2, 30, 500, 10**6])
def test_the_cap_grows_from_signs_to_ranks(records):
    caps = [ranks.choose_rank_cap(records, epsilon) for epsilon in (1e-6, 0.01, 0.1, 1.0, 10.0, 1e6)]
    assert caps == sorted(caps) and caps[0] == 1 and caps[-1] == records


# distances


@pytest.mark.parametrize("records", [1, 40, 41, 3000])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_the_distance_of_one_sample_beside_scipy(records, alternative):
    law = distances.make_one_sample_distribution(records, alternative)
    scipys = stats.kstwo if alternative == "two-sided" else stats.ksone
    unit, close = records * 2.0**32, 5e-4 if alternative == "two-sided" else 1e-3
    for d in np.array([0.3, 0.6, 1.0, 1.36, 1.8]) / math.sqrt(records):
        if d < 1.0:
            # a large epsilon leaves D as it is
            assert compute_upper_tail(law, d * unit, 1.0) == pytest.approx(scipys.sf(d, records), abs=close)
    assert law.masses.sum() == pytest.approx(1.0, abs=1e-12)


def within(sizes, reach, alternative):
    """Return the probability that a random order of two samples stays within a distance, path by path."""
    first, second = sizes
    lowest = -reach if alternative == "two-sided" else -math.inf
    row = np.zeros(second + 1)
    for i in range(first + 1):
        ahead = row.copy()
        for j in range(second + 1):
            # the last of the first i + j records is of the first sample with probability i / (i + j)
            passed = (i * ahead[j] + j * (row[j - 1] if j else 0.0)) / (i + j) if i + j else 1.0
            row[j] = passed if lowest < i * second - j * first < reach else 0.0
    return row[second]


@pytest.mark.parametrize("sizes", [(4, 7), (30, 20), (1, 1200), (450, 600), (550, 550), (20, 1001)])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_the_distance_of_two_samples_beside_all_paths(sizes, alternative):
    law = distances.make_two_sample_distribution(*sizes, alternative)
    pairs, size = sizes[0] * sizes[1], sum(sizes)
    for standard in (0.8, 1.36):
        # a value that the distance can take
        step = math.gcd(*sizes)
        k = min(round(standard * math.sqrt(pairs * size) / step) * step, pairs)
        p = 1.0 - within(sizes, k, alternative)
        # 9,999 orders: four standard errors; beyond 1,000 records the limit law, as its docstring says
        close = 4.0 * math.sqrt(p * (1.0 - p) / 9999) + 2e-4 if size <= 1000 else 6e-4 if p <= 0.05 else 5e-3
        assert compute_upper_tail(law, k, 50.0) == pytest.approx(p, abs=close)


# rank sums


def test_drawn_rank_sums_have_the_covariance_of_random_orders():
    for sizes in ((3, 5, 8), (2, 30, 1200), (400, 400, 400)):
        draws, size = distances.draw_rank_deviations(sizes), sum(sizes)
        n = np.array(sizes)
        exact = (np.diag(n * size) - np.outer(n, n)) * (size + 1.0) / 3.0
        sd = np.sqrt(np.diag(exact))
        # a correlation of 9,999 draws has a standard error of .01 at most, a variance one of .015
        assert np.abs((np.cov(draws.T) - exact) / np.outer(sd, sd)).max() < 0.06
        assert np.abs(draws.mean(axis=0) / sd).max() < 0.04


@pytest.mark.parametrize("sizes", [(30, 30, 30), (400, 500, 600)])
def test_kruskals_statistic_has_its_chi_squared_law(sizes):
    weights = tuple(distances.Fraction(1, each) for each in sizes)
    law, size = distances.make_distance_distribution(sizes, weights), sum(sizes)
    for h, p in ((1.386, 0.5), (4.605, 0.1), (5.991, 0.05)):
        z = 2.0 ** (distances.DISTANCE_DIGITS + 1) * math.sqrt(h * size * (size + 1.0) / 12.0)
        assert compute_upper_tail(law, math.floor(z), 50.0) == pytest.approx(p, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "plain"), [((5, 5, 5), True), ((3, 30, 30), False), ((3, 5, 7, 9, 20), True)])
def test_the_tail_of_a_distance_is_never_below_its_own_and_falls_on(sizes, plain):
    weights = tuple(1 if plain else distances.Fraction(1, each) for each in sizes)
    law, total, rng = (
        distances.make_distance_distribution(sizes, weights),
        sum(sizes),
        np.random.default_rng(3),
    )
    scores = np.broadcast_to(2 * np.arange(1, total + 1) - (total + 1), (200_000, total))
    drawn = np.add.reduceat(rng.permuted(scores, axis=1), np.cumsum((0, *sizes[:-1])), axis=1)
    squares = (drawn.astype(float) ** 2 * np.array([float(each) for each in weights])).sum(axis=1)
    values = np.floor(2.0**distances.DISTANCE_DIGITS * np.sqrt(squares))
    for share in (1e-2, 1e-3, 1e-4):
        z = float(np.quantile(values, 1.0 - share))
        own = float((values >= z).mean())
        # 3 errors of the 9,999 draws that it begins with, and of these
        error = 3.0 * math.sqrt(own * (1.0 - own)) * (1 / math.sqrt(9_999) + 1 / math.sqrt(200_000))
        assert own - error < compute_upper_tail(law, z, 50.0) < 4.0 * own + error
    assert compute_upper_tail(law, 1e9, 50.0) == pytest.approx(9.9e-7, rel=1e-6)
    assert law.masses.sum() == pytest.approx(1.0, abs=1e-12) and (law.masses >= 0.0).all()


# intervals


def test_the_mean_of_signs_has_a_binomial_law():
    k = np.arange(11)
    masses = stats.binom.pmf(k, 10, 0.7)
    # anywhere from a value to the next one; Simpson's rule is right to 1e-12 where there is no kink between
    parts = np.linspace(0.0, 1.0, 2001)
    for x in (-1.0, 0.1, 0.4, 1.3):
        tails = stats.laplace.sf(x - ((k[:, None] + parts) / 5.0 - 1.0), scale=0.2)
        assert compute_mean_tail(0.4, x, 10, 0.2) == pytest.approx(masses @ integrate.simpson(tails, x=parts), rel=1e-7)
    # without noise the binomial tail at its values, and a line between them
    for value in (3, 7):
        at, after = (stats.binom.sf(each - 1, 10, 0.7) for each in (value, value + 1))
        assert compute_mean_tail(0.4, value / 5.0 - 1.0, 10, 1e-12) == pytest.approx(at, rel=1e-9)
        assert compute_mean_tail(0.4, (value + 0.25) / 5.0 - 1.0, 10, 1e-12) == pytest.approx(0.75 * at + 0.25 * after)
    # very wide noise
    narrow, wide = (compute_mean_tail(0.4, 0.9, 10, 0.2 * times) for times in (1e5, 1.000001e5))
    assert narrow == pytest.approx(wide, rel=1e-9) and compute_mean_tail(0.4, 0.9, 10, math.inf) == pytest.approx(0.5)
    # the density of the noise at 0, times the distance from the mean, which half a step is added to
    assert 0.5 - wide == pytest.approx((0.9 - (0.4 + 0.1)) / (2.0 * 0.2e5), rel=1e-4)
    # exact up to 4,096 values within nine standard deviations and 40 of the mean, here 3,951
    exact = stats.binom.sf(92_949, 185_000, 0.5)
    assert compute_mean_tail(0.0, 92_950 / 92_500 - 1.0, 185_000, 1e-12) == pytest.approx(exact, rel=1e-6)
    # the normal law takes over where it is as good
    far, near = (compute_mean_tail(0.3, 0.31, pairs, 1e-3) for pairs in (60_000, 49_000))
    assert 0.5 * near < far < near < 0.1


@pytest.mark.slow
def test_a_mean_of_all_pairs_between_two_binomial_values():
    """The smaller sample is spread out so far that nearly only its signs count: .062 missed as a lattice."""
    rng, runs = np.random.default_rng(4), 3000
    first, second = rng.normal(0.0, 9.0, (runs, 12, 1)), rng.normal(size=(runs, 1, 30))
    missed = 0
    for mean, count in Counter(np.sign(first - second).mean(axis=(1, 2)).tolist()).items():
        low, high = PairInterval(mean, 12, 1e-4).compute_limits(0.05)
        missed += count * (not low <= 0.0 <= high)
    # a true share of .05 is above that once in a thousand times
    assert missed / runs < 0.05 + 3.1 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.slow
@given(
    st.floats(-3.0, 3.0),
    st.integers(1, 10**7),
    st.floats(1e-8, 1e6),
    st.floats(1e-6, 0.5),
    st.sampled_from(["two-sided", "less", "greater"]),
)
@settings(max_examples=80)
def test_intervals_are_in_range_and_grow(center, pairs, noise, alpha, alternative):
    interval = PairInterval(center, pairs, noise, alternative)
    low, high = interval.compute_limits(alpha)
    wider = interval.compute_limits(alpha / 2.0)
    assert -1.0 <= low <= min(max(center, -1.0), 1.0) + 1e-9
    assert min(max(center, -1.0), 1.0) - 1e-9 <= high <= 1.0
    assert wider[0] <= low + 1e-9 and wider[1] >= high - 1e-9

"""Power of tests of counts and ranks."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy import special
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from pydpstat._null_distributions import tables
from pydpstat._null_distributions.noise import SMALLEST_RATE, Tulap
from pydpstat._null_distributions.proportions.one_proportion import (
    compute_binary_power,
    compute_noisy_tails,
    split_alpha,
)
from pydpstat._null_distributions.proportions.two_proportions import (
    NoisyGroupCounts,
    ProportionLine,
    compute_line_tails,
)
from pydpstat._null_distributions.quantiles.block_counts import choose_blocks
from pydpstat._null_distributions.ranks import distances
from pydpstat._null_distributions.ranks import rank_statistics as ranks
from pydpstat._null_distributions.ranks.rank_statistics import DiscreteDistribution, compute_upper_tail
from pydpstat._null_distributions.simulation import make_generator, simulate_geometric_noise
from pydpstat._search import bisect_up
from pydpstat.planning._mean_power import (
    MAX_DRAWN_RECORDS,
    SIMULATION_RUNS,
    TYPICAL_RELEASES,
    compute_matrix_root,
    count_allowed_draws,
    find_critical_value,
    get_normal_draws,
    make_spaced_means,
)
from pydpstat.r_arithmetic.elementary import Floats

_MIN_BLOCK_RECORDS = 5
_FEW_CELLS = 9


def compute_count_power(n: int, rate: float, p: float, effect: float, alpha: float, alternative: str) -> float:
    """Compute the power of the binomial test if the proportion is p + effect, by exact sums."""
    noise, power = Tulap(rate), 0.0
    for tail_index, level in enumerate(split_alpha(alpha, alternative)):
        if level:
            limit = _find_critical_count(n, p, noise, level, tail_index)
            power += compute_noisy_tails(limit, n, min(max(p + effect, 0.0), 1.0), noise)[tail_index]
    return min(power, 1.0)


def _find_critical_count(n: int, p: float, noise: Tulap, level: float, tail_index: int) -> float:
    margin = (45.0 - math.log(level)) / noise.rate + 1.0
    low, high = -margin, n + margin
    # the tail probability at the limit of the search exceeds the level
    if compute_noisy_tails(low if tail_index else high, n, p, noise)[tail_index] > level:
        return low if tail_index else high

    def compute_log_excess(z: float) -> float:
        return math.log(max(compute_noisy_tails(z, n, p, noise)[tail_index], 1e-300)) - math.log(level)

    return float(brentq(compute_log_excess, low, high, xtol=1e-9))


def compute_private_count_power(
    n: int,
    rate: float,
    p: float,
    effect: float,
    alpha: float,
    alternative: str,
    n_noises: tuple[int, int] = (1, 1),
) -> float:
    """Compute the power of the binomial test if the number of records is private, by exact sums.

    `n_noises` are the numbers of noises in the count of successes and in that of all other records.
    """
    true_share, power = min(max(p + effect, 0.0), 1.0), 0.0
    upper_level, lower_level = split_alpha(alpha, alternative)
    if upper_level:
        power += compute_binary_power(n, rate, n_noises, p, true_share, upper_level)
    if lower_level:
        # a share is small if that of the other records is large
        power += compute_binary_power(n, rate, n_noises, 1.0 - p, 1.0 - true_share, lower_level)
    return min(power, 1.0)


def compute_two_counts_power(
    sizes: tuple[int, int], rate: float, p: float, effect: float, alpha: float, alternative: str
) -> float:
    """Compute the power of the test of two proportions, p + effect in the first group and p in the second.

    The critical value is the largest over the proportions that are plausible for the expected counts.
    """
    line, shares = ProportionLine.from_difference(0.0), (min(max(p + effect, 0.0), 1.0), p)
    expected = NoisyGroupCounts((sizes[0] * shares[0], sizes[1] * shares[1]), sizes, rate)
    if rate < SMALLEST_RATE:
        return 0.0
    pairs, excluded = expected.find_plausible_pairs(line)
    if not pairs.size:
        return float(2.0 * excluded <= alpha)
    truth, power = np.array(shares)[:, None], 0.0
    for side, level in enumerate(split_alpha(alpha, alternative)):
        if level <= excluded:
            continue
        sign = (1.0, -1.0)[side]

        def is_not_rejected(distance: float, side: int = side, sign: float = sign, level: float = level) -> bool:
            return bool(excluded + compute_line_tails(sign * distance, sizes, rate, line, pairs)[side].max() > level)

        _, limit = bisect_up(is_not_rejected, 0.0 if is_not_rejected(0.0) else -12.0, 12.0, steps=14)
        power += float(compute_line_tails(sign * limit, sizes, rate, line, truth)[side][0])
    return min(power, 1.0)


def make_dependent_shares(shape: tuple[int, int], effect: float) -> Floats:
    """Return the cells' shares of a table with uniform margins and a linear association of the levels."""
    a, b = (
        scores / math.sqrt(float((scores * scores).mean()))
        for scores in (make_spaced_means(size, 1.0) for size in shape)
    )
    return (1.0 + effect * np.outer(a, b)) / (shape[0] * shape[1])


def compute_largest_dependence(shape: tuple[int, int]) -> float:
    """Return the largest effect for which no share is negative."""
    squares = [3.0 * (size - 1.0) / (size + 1.0) for size in shape]
    return 1.0 / math.sqrt(squares[0] * squares[1])


def compute_table_power(
    n: int, rate: float, shape: tuple[int, int], effect: float, alpha: float, has_private_size: bool = False
) -> float:
    """Compute the power of the test of independence; `rate` is that of the noise of a cell."""
    shares = np.maximum(make_dependent_shares(shape, effect), 0.0)
    tables_drawn = (
        make_generator(7)
        .multinomial(n, shares.ravel() / shares.sum(), size=SIMULATION_RUNS)
        .reshape(SIMULATION_RUNS, *shape)
    )
    noisy = tables_drawn + simulate_geometric_noise(make_generator(8), rate, tables_drawn.shape)
    public_size = None if has_private_size else n
    statistics, limits = tables.compute_independence_statistic(noisy, public_size, rate), []
    # the statistic of many cells depends little on the release, and takes long to simulate
    releases, draws = (TYPICAL_RELEASES, None) if tables_drawn[0].size <= _FEW_CELLS else (2, 999)
    for release in noisy[:releases]:
        references = tables.simulate_independence(release, public_size, rate, draws)
        beyond = count_allowed_draws(alpha, 0.0, references[0].size)
        if beyond < 0:
            return 0.0
        limits.append(max(find_critical_value(reference, beyond) for reference in references))
    return float(np.mean([(statistics > limit).mean() for limit in limits]))


def compute_blocks_power(
    sizes: tuple[int, ...],
    epsilon: float,
    family: str,
    effect: float,
    settings: tuple[float, ...],
    alpha: float,
    alternative: str,
) -> float:
    """Compute the power of the Test of Tests with its default number of blocks."""
    max_blocks = max(1, min(sizes) // _MIN_BLOCK_RECORDS)
    number, level = choose_blocks(sum(sizes), epsilon, None, None, max_blocks)
    block_sizes = tuple(max(n // number, 1) for n in sizes)
    share = min(max(compute_block_power(block_sizes, family, effect, settings, level, alternative), 0.0), 1.0)
    noise = Tulap(epsilon)
    limit = _find_critical_count(number, level, noise, alpha, 0)
    return compute_noisy_tails(limit, number, share, noise)[0]


def compute_block_power(
    sizes: tuple[int, ...],
    family: str,
    effect: float,
    settings: tuple[float, ...],
    level: float,
    alternative: str,
) -> float:
    """Compute the power of the usual test without privacy.

    Those of t, F and chi-square tests are exact or nearly so, the others are normal approximations.
    """
    total = sum(sizes)
    if family in ("several", "table"):
        if family == "several":
            means, number = make_spaced_means(len(sizes), effect), np.array(sizes)
            noncentrality = float(number @ (means - number @ means / total) ** 2)
            between_degrees, within_degrees = len(sizes) - 1.0, float(total - len(sizes))
            if within_degrees < 1.0:
                return level
            if noncentrality == 0.0:
                return level
            from scipy.stats import ncf

            # scipy.special.ncfdtr is wrong in the sixth digit before SciPy 1.14
            return float(
                ncf.sf(
                    special.fdtri(between_degrees, within_degrees, 1.0 - level),
                    between_degrees,
                    within_degrees,
                    noncentrality,
                )
            )
        degrees = float((settings[0] - 1.0) * (settings[1] - 1.0))
        return 1.0 - float(special.chndtr(special.chdtri(degrees, level), degrees, total * effect * effect))
    if family == "shares":
        p, share = settings[0], min(max(settings[0] + effect, 0.0), 1.0)
        pooled = (sizes[0] * share + sizes[1] * p) / total
        variances = [proportion * (1.0 - proportion) for proportion in (share, p)]
        sd = math.sqrt(variances[0] / sizes[0] + variances[1] / sizes[1])
        null_sd = math.sqrt(max(pooled * (1.0 - pooled), 0.0) * (1.0 / sizes[0] + 1.0 / sizes[1]))
        if sd == 0.0:
            return 1.0
        return _approximate_normal_power(effect / sd, null_sd / sd, level, alternative)
    if family == "correlation":
        if total < 4:
            return level
        return _approximate_normal_power(math.sqrt(total - 3.0) * math.atanh(effect), 1.0, level, alternative)
    degrees = float(total - len(sizes))
    if degrees < 1.0:
        return level
    noncentrality = effect / math.sqrt(sum(1.0 / n for n in sizes))
    power = 0.0
    for sign, side_level in zip((1.0, -1.0), split_alpha(level, alternative)):
        if side_level:
            power += 1.0 - float(special.nctdtr(degrees, sign * noncentrality, -special.stdtrit(degrees, side_level)))
    return power


def _approximate_normal_power(shift: float, null_ratio: float, level: float, alternative: str) -> float:
    power = 0.0
    for sign, side_level in zip((1.0, -1.0), split_alpha(level, alternative)):
        if side_level:
            power += float(ndtr(sign * shift + null_ratio * ndtri(side_level)))
    return power


_GRID = 4_001
# largest number of records whose pairs are compared individually
_MAX_COMPARED_RECORDS = 50


def find_critical_integer(distribution: DiscreteDistribution, rate: float, alpha: float, highest: int) -> int:
    """Return the smallest noisy statistic whose upper p-value is at most alpha."""
    n_candidates = highest + math.ceil(45.0 / rate) + 1
    return bisect_left(
        range(n_candidates), True, key=lambda place: compute_upper_tail(distribution, float(place), rate) <= alpha
    )


def compute_noisy_power(
    values: Floats,
    distribution: DiscreteDistribution,
    highest: int,
    rate: float,
    alpha: float,
    alternative: str,
) -> float:
    """Compute the rejection probability of a noisy statistic whose true values are equally likely `values`.

    Its distribution under the null hypothesis, on 0 to `highest`, is symmetric.
    """
    limit = float(
        find_critical_integer(distribution, rate, 0.5 * alpha if alternative == "two-sided" else alpha, highest)
    )
    masses, power = np.full(values.size, 1.0 / values.size), 0.0
    if alternative != "less":
        power += compute_upper_tail(DiscreteDistribution(values, masses), limit, rate)
    if alternative != "greater":
        power += compute_upper_tail(DiscreteDistribution(highest - values, masses), limit, rate)
    return min(power, 1.0)


def compute_signed_rank_power(n: int, epsilon: float, effect: float, alpha: float, alternative: str) -> float:
    """Compute the power of the signed-rank test with the rank cap chosen for epsilon."""
    cap = ranks.choose_rank_cap(n, epsilon)
    total, distribution = ranks.sum_capped_ranks(n, cap), ranks.make_signed_rank_distribution(n, cap)
    return compute_noisy_power(
        _simulate_signed_rank_sums(n, cap, effect), distribution, total, epsilon / cap, alpha, alternative
    )


def _simulate_signed_rank_sums(n: int, cap: int, effect: float) -> Floats:
    """Draw sums of the capped ranks of positive records."""
    if n <= MAX_DRAWN_RECORDS:
        x = get_normal_draws(MAX_DRAWN_RECORDS, 0)[:, :n] + effect
        order = np.argsort(np.abs(x), axis=1, kind="stable")
        positive = np.take_along_axis(x > 0.0, order, axis=1)
        return positive @ np.minimum(np.arange(1.0, n + 1.0), cap)
    x = ndtri((np.arange(_GRID) + 0.5) / _GRID) + effect
    x = x[np.argsort(np.abs(x), kind="stable")]
    ranks = n * (np.arange(_GRID) + 0.5) / _GRID + 0.5
    own_ranks = np.where(x > 0.0, np.minimum(ranks, cap), 0.0)
    # a record also increases the ranks of positive records with larger absolute values
    raised_share = ((x > 0.0) & (ranks < cap))[::-1].cumsum()[::-1] / _GRID
    return _draw_rounded_normal(n * float(own_ranks.mean()), n * float((own_ranks + n * raised_share).var()))


def _draw_rounded_normal(mean: float, variance: float) -> Floats:
    """Draw integers with an approximately normal distribution."""
    return np.rint(mean + math.sqrt(variance) * get_normal_draws(MAX_DRAWN_RECORDS, 0)[:, 0])


def simulate_rank_sums(sizes: tuple[int, ...], means: Floats) -> Floats:
    """Draw rank sums of normal groups with standard deviation 1, of shape (2000, k)."""
    total, group_ends = sum(sizes), np.cumsum(sizes)
    if total <= MAX_DRAWN_RECORDS:
        x = get_normal_draws(MAX_DRAWN_RECORDS, 0)[:, :total] + np.repeat(means, sizes)
        ranks = np.argsort(np.argsort(x, axis=1), axis=1) + 1.0
        return np.add.reduceat(ranks, np.append(0, group_ends[:-1]), axis=1)
    number = np.array(sizes, dtype=np.float64)
    won = ndtr((means[:, None] - means) / math.sqrt(2.0))
    np.fill_diagonal(won, 0.0)
    expected = 0.5 * number * (number + 1.0) + number * (won @ number)
    z, covariance = ndtri((np.arange(_GRID) + 0.5) / _GRID), np.zeros((number.size, number.size))
    for group, mean in enumerate(means.tolist()):
        below = ndtr(mean + z - means[:, None])
        # pairs whose order depends on a record of this group
        contributions = number[:, None] * (1.0 - below)
        contributions[group] = (number[:, None] * below).sum(axis=0) - number[group] * below[group]
        covariance += number[group] * np.cov(contributions, bias=True)
    return np.rint(
        expected + get_normal_draws(MAX_DRAWN_RECORDS, 0)[:, : number.size] @ compute_matrix_root(covariance).T
    )


def compute_two_groups_power(
    sizes: tuple[int, int], epsilon: float, effect: float, alpha: float, alternative: str
) -> float:
    """Compute the power of the Mann-Whitney test."""
    won = simulate_rank_sums(sizes, np.array([effect, 0.0]))[:, 0] - sizes[0] * (sizes[0] + 1) // 2
    distribution, rate = ranks.make_mann_whitney_distribution(*sizes), epsilon / max(sizes)
    return compute_noisy_power(won, distribution, sizes[0] * sizes[1], rate, alpha, alternative)


def compute_several_groups_power(
    sizes: tuple[int, ...], weights: Sequence[Fraction | int], epsilon: float, effect: float, alpha: float
) -> float:
    """Compute the power of the Kruskal-Wallis test for evenly spaced means."""
    number = np.array(sizes, dtype=np.float64)
    deviations = 2.0 * simulate_rank_sums(sizes, make_spaced_means(len(sizes), effect)) - number * (number.sum() + 1.0)
    squares = deviations**2 @ np.array([float(weight) for weight in weights])
    values = np.floor(2.0**distances.DISTANCE_DIGITS * np.sqrt(squares))
    distribution = distances.make_distance_distribution(sizes, tuple(weights))
    rate = epsilon / distances.compute_distance_sensitivity(sizes, weights)
    highest = int(max(distribution.positions[-2], values.max()))
    if compute_upper_tail(distribution, float(highest + math.ceil(45.0 / rate)), rate) > alpha:
        # even the smallest p-value of the simulated reference exceeds alpha
        return 0.0
    limit = find_critical_integer(distribution, rate, alpha, highest)
    return compute_upper_tail(
        DiscreteDistribution(values, np.full(SIMULATION_RUNS, 1.0 / SIMULATION_RUNS)), float(limit), rate
    )


def compute_correlation_power(n: int, epsilon: float, effect: float, alpha: float, alternative: str) -> float:
    """Compute the power of Kendall's test for normal variables with correlation `effect`.

    Kendall's coefficient has the mean t = 2 asin(r) / pi and the variance ``2 / (n (n - 1)) (1 - t^2 +
    2 (n - 2) (1 / 9 - (2 asin(r / 2) / pi)^2))``.

    References
    ----------
    Esscher, F. (1924). On a method of determining correlation from the ranks of the variates. Scandinavian
    Actuarial Journal 1924, 201-219.
    """
    pairs = n * (n - 1) // 2
    if n <= _MAX_COMPARED_RECORDS:
        x, independent = (
            get_normal_draws(MAX_DRAWN_RECORDS, 0)[:, :n],
            get_normal_draws(MAX_DRAWN_RECORDS, 1)[:, :n],
        )
        y = effect * x + math.sqrt(1.0 - effect * effect) * independent
        concordant = np.zeros(SIMULATION_RUNS)
        for lag in range(1, n):
            concordant += ((x[:, lag:] > x[:, :-lag]) == (y[:, lag:] > y[:, :-lag])).sum(axis=1)
    else:
        tau, half = 2.0 / math.pi * math.asin(effect), 2.0 / math.pi * math.asin(0.5 * effect)
        variance = (1.0 - tau * tau + 2.0 * (n - 2.0) * (1.0 / 9.0 - half * half)) / pairs
        concordant = _draw_rounded_normal(0.5 * pairs * (1.0 + tau), 0.25 * pairs * pairs * variance)
    return compute_noisy_power(
        concordant, ranks.make_kendall_distribution(n), pairs, epsilon / (n - 1), alpha, alternative
    )

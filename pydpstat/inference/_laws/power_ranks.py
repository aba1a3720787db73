"""How often the tests by ranks reject, for normal records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from pydpstat.inference._laws import rank_laws, sampled_laws
from pydpstat.inference._laws.power_means import DRAWN, RUNS, root_of, scores, spaced
from pydpstat.inference._laws.rank_laws import Law, upper

Floats = npt.NDArray[np.float64]
_GRID = 4_001
# pairs of records are compared one by one up to so many records
_COMPARED = 50


def critical_integer(law: Law, rate: float, alpha: float, highest: int) -> int:
    """Return the smallest noisy statistic whose upper p-value is at most alpha."""
    low, high = -1, highest + math.ceil(45.0 / rate) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if upper(law, float(middle), rate) <= alpha:
            high = middle
        else:
            low = middle
    return high


def noisy_power(values: Floats, law: Law, highest: int, rate: float, alpha: float, alternative: str) -> float:
    """Return how often a statistic that takes these values is rejected, once it has noise.

    Its distribution under the null hypothesis, on 0 to `highest`, is symmetric.
    """
    limit = float(critical_integer(law, rate, 0.5 * alpha if alternative == "two-sided" else alpha, highest))
    masses, found = np.full(values.size, 1.0 / values.size), 0.0
    if alternative != "less":
        found += upper(Law(values, masses), limit, rate)
    if alternative != "greater":
        found += upper(Law(highest - values, masses), limit, rate)
    return min(found, 1.0)


def signed_rank_power(n: int, epsilon: float, effect: float, alpha: float, alternative: str) -> float:
    """Return the power of the signed-rank test with the cap that suits epsilon."""
    cap = rank_laws.best_cap(n, epsilon)
    total, law = rank_laws.capped_total(n, cap), rank_laws.signed_rank_law(n, cap)
    return noisy_power(_signed_ranks(n, cap, effect), law, total, epsilon / cap, alpha, alternative)


def _signed_ranks(n: int, cap: int, effect: float) -> Floats:
    """Draw sums of the capped ranks of positive records."""
    if n <= DRAWN:
        x = scores(DRAWN, 0)[:, :n] + effect
        order = np.argsort(np.abs(x), axis=1, kind="stable")
        positive = np.take_along_axis(x > 0.0, order, axis=1)
        return positive @ np.minimum(np.arange(1.0, n + 1.0), cap)
    x = ndtri((np.arange(_GRID) + 0.5) / _GRID) + effect
    x = x[np.argsort(np.abs(x), kind="stable")]
    ranks = n * (np.arange(_GRID) + 0.5) / _GRID + 0.5
    own = np.where(x > 0.0, np.minimum(ranks, cap), 0.0)
    # a record also raises the ranks of positive ones beyond it
    raised = ((x > 0.0) & (ranks < cap))[::-1].cumsum()[::-1] / _GRID
    return _normal(n * float(own.mean()), n * float((own + n * raised).var()))


def _normal(mean: float, variance: float) -> Floats:
    """Draw integers of about a normal distribution."""
    return np.rint(mean + math.sqrt(variance) * scores(DRAWN, 0)[:, 0])


def rank_sums(sizes: tuple[int, ...], means: Floats) -> Floats:
    """Draw the rank sums of normal groups of standard deviation 1, of shape (2000, k)."""
    total, ends = sum(sizes), np.cumsum(sizes)
    if total <= DRAWN:
        x = scores(DRAWN, 0)[:, :total] + np.repeat(means, sizes)
        ranks = np.argsort(np.argsort(x, axis=1), axis=1) + 1.0
        return np.add.reduceat(ranks, np.append(0, ends[:-1]), axis=1)
    number = np.array(sizes, dtype=np.float64)
    won = ndtr((means[:, None] - means) / math.sqrt(2.0))
    np.fill_diagonal(won, 0.0)
    expected = 0.5 * number * (number + 1.0) + number * (won @ number)
    z, covariance = ndtri((np.arange(_GRID) + 0.5) / _GRID), np.zeros((number.size, number.size))
    for group, mean in enumerate(means.tolist()):
        below = ndtr(mean + z - means[:, None])
        # the pairs that a record of this group decides
        parts = number[:, None] * (1.0 - below)
        parts[group] = (number[:, None] * below).sum(axis=0) - number[group] * below[group]
        covariance += number[group] * np.cov(parts, bias=True)
    return np.rint(expected + scores(DRAWN, 0)[:, : number.size] @ root_of(covariance).T)


def two_groups_power(
    sizes: tuple[int, int], epsilon: float, effect: float, alpha: float, alternative: str
) -> float:
    """Return the power of the Mann-Whitney test."""
    won = rank_sums(sizes, np.array([effect, 0.0]))[:, 0] - sizes[0] * (sizes[0] + 1) // 2
    law, rate = rank_laws.mann_whitney_law(*sizes), epsilon / max(sizes)
    return noisy_power(won, law, sizes[0] * sizes[1], rate, alpha, alternative)


def several_groups_power(
    sizes: tuple[int, ...],
    weights: Sequence[Fraction | int],
    epsilon: float,
    effect: float,
    alpha: float,
) -> float:
    """Return the power of the Kruskal-Wallis test, for evenly spaced means."""
    number = np.array(sizes, dtype=np.float64)
    deviations = 2.0 * rank_sums(sizes, spaced(len(sizes), effect)) - number * (number.sum() + 1.0)
    squares = deviations**2 @ np.array([float(weight) for weight in weights])
    values = np.floor(2.0**sampled_laws.DIGITS * np.sqrt(squares))
    law = sampled_laws.distance_law(sizes, tuple(weights))
    rate = epsilon / sampled_laws.scaled_reach(sizes, weights)
    highest = int(max(law.positions[-2], values.max()))
    if upper(law, float(highest + math.ceil(45.0 / rate)), rate) > alpha:
        # the fewest of the reference's draws are more
        return 0.0
    limit = critical_integer(law, rate, alpha, highest)
    return upper(Law(values, np.full(RUNS, 1.0 / RUNS)), float(limit), rate)


def correlation_power(n: int, epsilon: float, effect: float, alpha: float, alternative: str) -> float:
    """Return the power of Kendall's test where a normal correlation is `effect`.

    Esscher, F. (1924). On a method of determining correlation from the ranks of the variates. Scandinavian
    Actuarial Journal 1924, 201-219.
    """
    pairs = n * (n - 1) // 2
    if n <= _COMPARED:
        x, other = scores(DRAWN, 0)[:, :n], scores(DRAWN, 1)[:, :n]
        y = effect * x + math.sqrt(1.0 - effect * effect) * other
        concordant = np.zeros(RUNS)
        for lag in range(1, n):
            concordant += ((x[:, lag:] > x[:, :-lag]) == (y[:, lag:] > y[:, :-lag])).sum(axis=1)
    else:
        tau, half = 2.0 / math.pi * math.asin(effect), 2.0 / math.pi * math.asin(0.5 * effect)
        spread = (1.0 - tau * tau + 2.0 * (n - 2.0) * (1.0 / 9.0 - half * half)) / pairs
        concordant = _normal(0.5 * pairs * (1.0 + tau), 0.25 * pairs * pairs * spread)
    return noisy_power(concordant, rank_laws.kendall_law(n), pairs, epsilon / (n - 1), alpha, alternative)

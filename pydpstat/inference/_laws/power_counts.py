"""How often tests of counts, of tables and of random blocks reject."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from pydpstat.inference._laws import tables
from pydpstat.inference._laws.binomial import noisy_tails
from pydpstat.inference._laws.block_laws import choose_blocks
from pydpstat.inference._laws.geometric_sums import SMALLEST_RATE
from pydpstat.inference._laws.nuisance import generator, geometric_draws
from pydpstat.inference._laws.power_means import RUNS, TYPICAL, allowed, critical, spaced
from pydpstat.inference._laws.private_size import pair_power
from pydpstat.inference._laws.tulap import Tulap
from pydpstat.inference._laws.two_proportions import Line, NoisyCounts, line_tails

Floats = npt.NDArray[np.float64]
_FEWEST = 5
_CELLS = 9


def _sides(alpha: float, alternative: str) -> tuple[float, float]:
    """Return the level of each side's test, upper and lower; 0 where there is none."""
    if alternative == "two-sided":
        return 0.5 * alpha, 0.5 * alpha
    return (alpha, 0.0) if alternative == "greater" else (0.0, alpha)


def count_power(n: int, rate: float, p: float, effect: float, alpha: float, alternative: str) -> float:
    """Return the power of the binomial test where the proportion is p + effect: exact sums."""
    noise, found = Tulap(rate), 0.0
    for side, level in enumerate(_sides(alpha, alternative)):
        if level:
            limit = _critical_count(n, p, noise, level, side)
            found += noisy_tails(limit, n, min(max(p + effect, 0.0), 1.0), noise)[side]
    return min(found, 1.0)


def _critical_count(n: int, p: float, noise: Tulap, level: float, side: int) -> float:
    reach = (45.0 - math.log(level)) / noise.rate + 1.0
    low, high = -reach, n + reach
    # what is left out of the distribution of the count is more than the level
    if noisy_tails(low if side else high, n, p, noise)[side] > level:
        return low if side else high

    def excess(z: float) -> float:
        return math.log(max(noisy_tails(z, n, p, noise)[side], 1e-300)) - math.log(level)

    return float(brentq(excess, low, high, xtol=1e-9))


def private_count_power(
    n: int,
    rate: float,
    p: float,
    effect: float,
    alpha: float,
    alternative: str,
    terms: tuple[int, int] = (1, 1),
) -> float:
    """Return the power of the binomial test where the number of records is private: exact sums.

    `terms` are the noises in the count that a side is about, and in that of all other records.
    """
    truth, found = min(max(p + effect, 0.0), 1.0), 0.0
    upper, lower = _sides(alpha, alternative)
    if upper:
        found += pair_power(n, rate, terms, p, truth, upper)
    if lower:
        # a share is small where that of the others is large
        found += pair_power(n, rate, terms, 1.0 - p, 1.0 - truth, lower)
    return min(found, 1.0)


def two_counts_power(
    sizes: tuple[int, int], rate: float, p: float, effect: float, alpha: float, alternative: str
) -> float:
    """Return the power of the test of two proportions, p in the second group and p + effect in the first.

    The critical value is the largest over the proportions that the expected counts leave possible.
    """
    line, shares = Line.of_difference(0.0), (min(max(p + effect, 0.0), 1.0), p)
    expected = NoisyCounts((sizes[0] * shares[0], sizes[1] * shares[1]), sizes, rate)
    if rate < SMALLEST_RATE:
        return 0.0
    pairs, outside = expected.possible(line)
    if not pairs.size:
        return float(2.0 * outside <= alpha)
    truth, found = np.array(shares)[:, None], 0.0
    for side, level in enumerate(_sides(alpha, alternative)):
        if level <= outside:
            continue
        sign, low, high = (1.0, -1.0)[side], 0.0, 12.0
        if outside + line_tails(sign * low, sizes, rate, line, pairs)[side].max() <= level:
            low = -12.0
        for _ in range(14):
            middle = 0.5 * (low + high)
            if outside + line_tails(sign * middle, sizes, rate, line, pairs)[side].max() <= level:
                high = middle
            else:
                low = middle
        found += float(line_tails(sign * high, sizes, rate, line, truth)[side][0])
    return min(found, 1.0)


def dependent(shape: tuple[int, int], effect: float) -> Floats:
    """Return shares of cells whose rows and columns are equally frequent and whose levels go together."""
    a, b = (each / math.sqrt(float((each * each).mean())) for each in (spaced(size, 1.0) for size in shape))
    return (1.0 + effect * np.outer(a, b)) / (shape[0] * shape[1])


def largest_dependence(shape: tuple[int, int]) -> float:
    """Return the largest effect for which no share is below 0."""
    squares = [3.0 * (size - 1.0) / (size + 1.0) for size in shape]
    return 1.0 / math.sqrt(squares[0] * squares[1])


def table_power(
    n: int, rate: float, shape: tuple[int, int], effect: float, alpha: float, private: bool = False
) -> float:
    """Return the power of the test of independence; `rate` is that of a cell's noise."""
    shares = np.maximum(dependent(shape, effect), 0.0)
    drawn = generator(7).multinomial(n, shares.ravel() / shares.sum(), size=RUNS).reshape(RUNS, *shape)
    noisy = drawn + geometric_draws(generator(8), rate, drawn.shape)
    known = None if private else n
    found, limits = tables.independence_statistic(noisy, known, rate), []
    # what many cells add up to hardly depends on the release, and takes long
    releases, draws = (TYPICAL, None) if drawn[0].size <= _CELLS else (2, 999)
    for each in noisy[:releases]:
        references = tables.independence_references(each, known, rate, draws)
        beyond = allowed(alpha, 0.0, references[0].size)
        if beyond < 0:
            return 0.0
        limits.append(max(critical(reference, beyond) for reference in references))
    return float(np.mean([(found > limit).mean() for limit in limits]))


def blocks_power(
    sizes: tuple[int, ...],
    epsilon: float,
    family: str,
    effect: float,
    settings: tuple[float, ...],
    alpha: float,
    alternative: str,
) -> float:
    """Return the power of the Test of Tests with the number of blocks that it chooses itself."""
    most = max(1, min(sizes) // _FEWEST)
    number, level = choose_blocks(sum(sizes), epsilon, None, None, most)
    inside = tuple(max(n // number, 1) for n in sizes)
    share = min(max(block_power(inside, family, effect, settings, level, alternative), 0.0), 1.0)
    noise = Tulap(epsilon)
    limit = _critical_count(number, level, noise, alpha, 0)
    return noisy_tails(limit, number, share, noise)[0]


def block_power(
    sizes: tuple[int, ...],
    family: str,
    effect: float,
    settings: tuple[float, ...],
    level: float,
    alternative: str,
) -> float:
    """Return the power of the usual test, without privacy.

    Those of t, F and chi-square are exact or nearly so, the others normal approximations.
    """
    total = sum(sizes)
    if family in ("several", "table"):
        if family == "several":
            means, number = spaced(len(sizes), effect), np.array(sizes)
            away = float(number @ (means - number @ means / total) ** 2)
            first, second = len(sizes) - 1.0, float(total - len(sizes))
            if second < 1.0:
                return level
            if away == 0.0:
                return level
            from scipy.stats import ncf

            # the one in scipy.special errs in the sixth digit before 1.14
            return float(ncf.sf(special.fdtri(first, second, 1.0 - level), first, second, away))
        free = float((settings[0] - 1.0) * (settings[1] - 1.0))
        return 1.0 - float(special.chndtr(special.chdtri(free, level), free, total * effect * effect))
    if family == "shares":
        p, first = settings[0], min(max(settings[0] + effect, 0.0), 1.0)
        pooled = (sizes[0] * first + sizes[1] * p) / total
        variances = [each * (1.0 - each) for each in (first, p)]
        own = math.sqrt(variances[0] / sizes[0] + variances[1] / sizes[1])
        null = math.sqrt(max(pooled * (1.0 - pooled), 0.0) * (1.0 / sizes[0] + 1.0 / sizes[1]))
        if own == 0.0:
            return 1.0
        return _normal_power(effect / own, null / own, level, alternative)
    if family == "correlation":
        if total < 4:
            return level
        return _normal_power(math.sqrt(total - 3.0) * math.atanh(effect), 1.0, level, alternative)
    free = float(total - len(sizes))
    if free < 1.0:
        return level
    away = effect / math.sqrt(sum(1.0 / n for n in sizes))
    found = 0.0
    for sign, side in zip((1.0, -1.0), _sides(level, alternative)):
        if side:
            found += 1.0 - float(special.nctdtr(free, sign * away, -special.stdtrit(free, side)))
    return found


def _normal_power(away: float, wide: float, level: float, alternative: str) -> float:
    found = 0.0
    for sign, side in zip((1.0, -1.0), _sides(level, alternative)):
        if side:
            found += float(ndtr(sign * away + wide * ndtri(side)))
    return found

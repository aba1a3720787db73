"""Laws of noisy numbers of blocks: how many reject, and in which cells of a histogram their estimates lie."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# of a binomial law all but so much is kept, and what is left out counts as extreme
_LOST = 1e-13
LEVELS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
# the significance and the power that the number of blocks is chosen for
_ALPHA, _POWER = 0.05, 0.8
_MOST_BLOCKS = 1 << 14
LEAST_CELLS, MOST_CELLS = 8, 1024


def tulap_sf(x: npt.ArrayLike, epsilon: float) -> Floats:
    """Return P(N >= x) of a symmetric geometric variable plus one that is uniform on (-1/2, 1/2).

    With b = exp(-epsilon) and r = round(x), P(N <= x) is b^-r (b + (x - r + 1/2)(1 - b)) / (1 + b) for
    x <= 0; the law is symmetric.

    References
    ----------
    Awan, J. and Slavkovic, A. (2018). Differentially private uniformly most powerful tests for binomial
    data. NeurIPS 2018.

    Examples
    --------
    >>> tulap_sf([0.0, -math.inf, math.inf], 1.0).tolist()
    [0.5, 1.0, 0.0]
    """
    given = np.asarray(x, dtype=np.float64)
    tail, near = np.abs(given), np.exp(-epsilon)
    inside = np.minimum(tail, 1e300)
    place = np.rint(inside)
    # 1 - b without cancellation where epsilon is tiny
    part = near + (0.5 - inside + place) * -math.expm1(-epsilon)
    below = np.exp(-epsilon * place) * part / (1.0 + near)
    return np.where(given > 0.0, below, 1.0 - below)


@lru_cache(maxsize=64)
def _binomial(number: int, share: float) -> tuple[Floats, Floats]:
    """Return the points of a binomial law and their probabilities, up to what can be left out."""
    from scipy.stats import binom

    law = binom(number, share)
    low, high = int(law.ppf(_LOST)), int(law.isf(_LOST))
    points = np.arange(low, high + 1, dtype=np.float64)
    weights = law.pmf(points)
    # moved to the upper end, where it makes p-values larger
    weights[-1] += max(0.0, 1.0 - float(weights.sum()))
    return points, weights


def rejections_sf(noisy: float, blocks: int, level: float, epsilon: float) -> float:
    """Return P(K + N >= noisy): K rejections among blocks that reject with probability `level` each, N Tulap.

    It grows with `level`: where a block's level is at most that, the p-value is valid.

    Examples
    --------
    >>> round(rejections_sf(3.0, 10, 0.1, 50.0), 6), round(rejections_sf(2.5, 10, 0.1, 50.0), 6)
    (0.041493, 0.070191)
    """
    points, weights = _binomial(blocks, level)
    return float(min(1.0, weights @ tulap_sf(noisy - points, epsilon)))


def _binomial_pmf(number: int, share: float) -> Floats:
    """Return a binomial law's probabilities, good enough for a design."""
    from scipy.special import gammaln

    k = np.arange(number + 1.0)
    ways = gammaln(number + 1.0) - gammaln(k + 1.0) - gammaln(number - k + 1.0)
    return np.exp(ways + k * math.log(share) + (number - k) * math.log1p(-share))


def _critical(blocks: int, level: float, epsilon: float) -> float:
    """Return the smallest noisy number of rejections that is significant."""
    places, weights = np.arange(blocks + 1.0), _binomial_pmf(blocks, level)
    low, high = -1.0, blocks + 40.0 / epsilon + 2.0
    for _ in range(24):
        middle = 0.5 * (low + high)
        if weights @ tulap_sf(middle - places, epsilon) > _ALPHA:
            low = middle
        else:
            high = middle
    return high


def effect_needed(blocks: int, level: float, epsilon: float, size: float) -> float:
    """Return how large an effect must be, in standard errors of all records, for the power 0.8.

    A block's power that gives it is found by bisection. A block's own two-sided test has it where the
    effect is so many standard errors of the block; blocks of few records lose about 3 / (2 size) more.
    Infinite where no effect has that power.
    """
    from scipy.special import ndtri

    places = np.arange(blocks + 1.0)
    critical = _critical(blocks, level, epsilon)
    significant = tulap_sf(critical - places, epsilon)
    if significant[-1] < _POWER:
        return math.inf
    low, high = level, 1.0 - 1e-9
    for _ in range(20):
        middle = 0.5 * (low + high)
        if _binomial_pmf(blocks, middle) @ significant < _POWER:
            low = middle
        else:
            high = middle
    small = math.sqrt(1.0 + 1.5 / (size - 1.0)) if size > 1.0 else math.inf
    return math.sqrt(blocks) * float(ndtri(1.0 - 0.5 * level) + ndtri(high)) * small


def _candidates(most: int) -> list[int]:
    # fewer than four blocks could hardly reject anything
    few = min(most, 4)
    return sorted({few, *np.geomspace(few, most, 24).astype(int).tolist()})


@lru_cache(maxsize=256)
def choose_blocks(
    records: int | None, epsilon: float, blocks: int | None, level: float | None, most: int
) -> tuple[int, float]:
    """Return the number of blocks, up to `most`, and their level that need the smallest effect.

    What is given stays. Without a number of records, which is private then, `blocks` is given.

    Examples
    --------
    >>> choose_blocks(500, 1.0, None, None, 100)
    (8, 0.2)
    """
    if blocks is None:
        assert records is not None
        # more blocks than that would not help: the noise of their number is small by then
        most = min(most, _MOST_BLOCKS, math.ceil(60.0 / min(epsilon, 1.0)))
        numbers = _candidates(most)
    else:
        numbers = [blocks]
    levels = LEVELS if level is None else (level,)
    found = []
    for number in numbers:
        size = math.inf if records is None else records / number
        best = min((effect_needed(number, each, epsilon, size), each) for each in levels)
        found.append((*best, number))
        if math.isfinite(best[0]) and best[0] > 1.3 * min(found)[0]:
            # from here on it grows
            break
    least_effect = min(found)[0]
    if math.isinf(least_effect):
        return numbers[-1], levels[min(4, len(levels) - 1)]
    # of about equal ones the fewest blocks: a test keeps its level better on more records
    _, chosen, number = next(each for each in found if each[0] <= 1.03 * least_effect)
    return number, chosen


def level_limit(hits: int, draws: int) -> float:
    """Return the upper 99.9 % limit of a probability from so many hits among independent draws.

    References
    ----------
    Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the
    case of the binomial. Biometrika 26.

    Examples
    --------
    >>> round(level_limit(500, 10_000), 4), level_limit(7, 7)
    (0.0571, 1.0)
    """
    from scipy.special import betaincinv

    return 1.0 if hits >= draws else float(betaincinv(hits + 1.0, draws - hits, 0.999))


@lru_cache(maxsize=256)
def _geometric_sums(rate: float, number: int) -> tuple[int, tuple[float, ...]]:
    """Return the law of a sum of symmetric geometric variables, from -reach to reach."""
    ratio = math.exp(-rate)
    sd = math.sqrt(2.0 * ratio * number) / -math.expm1(-rate)
    reach = int(12.0 * sd + 40.0 / rate) + 1
    size = 1 << (2 * reach + 1).bit_length()
    places = np.minimum(np.arange(size), size - np.arange(size))
    single = -math.expm1(-rate) / (1.0 + ratio) * np.exp(-rate * places)
    law = np.fft.irfft(np.fft.rfft(single) ** number, size)
    kept = np.maximum(np.concatenate([law[-reach:], law[: reach + 1]]), 0.0)
    return reach, tuple((kept / kept.sum()).tolist())


@lru_cache(maxsize=1024)
def _largest_surprise(blocks: int, q: float, number: int, rate: float, tail: float) -> float:
    """Return the largest c with P(Bin(blocks, q) + the sum of `number` geometric variables <= c) <= tail."""
    points, weights = _binomial(blocks, q)
    if number == 0:
        total, start = np.cumsum(weights), points[0]
    else:
        reach, noise = _geometric_sums(rate, number)
        total, start = np.cumsum(np.convolve(weights, np.array(noise))), points[0] - reach
    return float(start + np.searchsorted(total, tail, "right") - 1)


def cells_for(blocks: int, epsilon: float) -> int:
    """Return how many cells the histogram of block estimates has.

    Examples
    --------
    >>> cells_for(40, 1.0), cells_for(2, 0.01)
    (16, 8)
    """
    wanted = 3.0 * math.sqrt(blocks * epsilon)
    return int(min(max(2 ** round(math.log2(wanted)), LEAST_CELLS), MOST_CELLS))


@dataclass(frozen=True, slots=True)
class BlockQuantile:
    """The interval for a quantile of the block estimates' law, from their noisy histogram.

    Parameters
    ----------
    low, high : float
        The public range; cells are equally wide, and what lies outside is in the outer ones.
    cells : tuple of float
        Noisy counts.
    blocks : int
        The number of blocks.
    q : float
        Which quantile.
    rate : float
        The ratio of neighboring probabilities of a cell's noise is exp(-rate).
    side : {"both", "low", "high"}, default "both"
        Which ends there are; the other one is infinite.

    Notes
    -----
    The first i cells have at least as many estimates as are at most the q-quantile Q, where edge i is the
    first one above Q; these are stochastically at least Bin(m, q). `L` is the last edge before the first
    one below which the noisy number is no longer surprisingly small. If L > Q, then the number below that
    one fixed edge was surprisingly small, which has the probability alpha / 2 at most. `U` is the mirror
    image, and the other tail's share belongs to it.

    Examples
    --------
    >>> cells = (0.0, 0.0, 0.0, 20.0, 20.0, 0.0, 0.0, 0.0)
    >>> BlockQuantile(0.0, 8.0, cells, 40, 0.5, 50.0).ends(0.05)
    (3.0, 5.0)
    """

    low: float
    high: float
    cells: tuple[float, ...]
    blocks: int
    q: float
    rate: float
    side: str = "both"

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends; beyond the public range they are infinite."""
        tail = alpha / 2.0 if self.side == "both" else alpha
        cells = np.array(self.cells)
        number = cells.size
        edges = [-math.inf, *np.linspace(self.low, self.high, number + 1)[1:-1].tolist(), math.inf]
        lower, upper = -math.inf, math.inf
        if self.side != "high":
            lower = edges[_place(cells, self.blocks, self.q, self.rate, tail)]
        if self.side != "low":
            upper = edges[number - _place(cells[::-1], self.blocks, 1.0 - self.q, self.rate, tail)]
        return min(lower, upper), max(lower, upper)

    @property
    def estimate(self) -> float:
        """The quantile of the noisy histogram, within the public range."""
        number = len(self.cells)
        counts = np.concatenate([[0.0], np.maximum.accumulate(np.cumsum(self.cells))])
        wanted = self.q * self.blocks
        after = int(np.searchsorted(counts[1:], wanted, "left"))
        if after >= number:
            return self.high
        step = counts[after + 1] - counts[after]
        part = (wanted - counts[after]) / step if step > 0.0 else 0.5
        return self.low + (self.high - self.low) * (after + float(np.clip(part, 0.0, 1.0))) / number


def _place(cells: Floats, blocks: int, q: float, rate: float, tail: float) -> int:
    """Return the last place before the first whose number of estimates below is no surprise; 0 for none."""
    number = cells.size
    below, above = np.cumsum(cells), np.cumsum(cells[::-1])
    for i in range(1, number):
        # the fewer noisy cells, the better; all of them together are the public number of blocks
        count, noisy = (below[i - 1], i) if 2 * i <= number else (blocks - above[number - i - 1], number - i)
        if count > _largest_surprise(blocks, q, noisy, rate, tail):
            return i - 1
    return number - 1


@lru_cache(maxsize=256)
def interval_blocks(epsilon: float, most: int) -> int:
    """Return the number of blocks, up to `most`, whose median has about the shortest interval.

    Examples
    --------
    >>> interval_blocks(1.0, 1000), interval_blocks(0.1, 3)
    (186, 3)
    """
    from scipy.special import ndtri

    most = min(most, _MOST_BLOCKS)
    ratio = math.exp(-epsilon / 2.0)
    variance = 2.0 * ratio / math.expm1(-epsilon / 2.0) ** 2
    found = []
    for number in _candidates(most):
        half = 1.96 * math.sqrt(number / 4.0 + variance * cells_for(number, epsilon) / 4.0) / number
        if half < 0.45:
            found.append((math.sqrt(number) * float(ndtri(0.5 + half)), number))
    if not found:
        return most
    # the fewest blocks that cost little: estimates of more records are nearer to unbiased
    return next(number for width, number in found if width <= 1.25 * min(found)[0])

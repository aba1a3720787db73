"""Distributions of noisy numbers of blocks: of rejecting blocks, and of block estimates by cell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pydpstat._null_distributions.noise import Tulap, compute_noise_variance
from pydpstat._null_distributions.proportions.one_proportion import compute_noisy_tails
from pydpstat._null_distributions.quantiles.sample_quantiles import compute_one_sided_limits, compute_quantile_limits
from pydpstat._search import bisect_up
from pydpstat.r_arithmetic.elementary import Floats, exp

TEST_LEVELS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
# alpha and power for which the number of blocks is chosen
_ALPHA, _POWER = 0.05, 0.8
_MAX_BLOCKS = 1 << 14
MIN_BLOCK_CELLS, MAX_BLOCK_CELLS = 8, 1024
_WANTED_CELLS, _MAX_HALF_WIDTH = 64, 0.3


def compute_rejections_sf(noisy_count: float, blocks: int, level: float, epsilon: float) -> float:
    """Return P(K + N >= noisy_count) for Tulap noise N and K of `blocks` that reject with probability `level`.

    It increases with `level`: the p-value is valid if the rejection probability of a block is at most `level`.
    """
    return compute_noisy_tails(noisy_count, blocks, level, Tulap(epsilon))[0]


def _compute_binomial_pmf(trials: int, probability: float) -> Floats:
    """Return the probabilities of a binomial distribution, with the accuracy needed for a design."""
    from scipy.special import gammaln

    k = np.arange(trials + 1.0)
    log_combinations = gammaln(trials + 1.0) - gammaln(k + 1.0) - gammaln(trials - k + 1.0)
    return np.asarray(exp(log_combinations + k * math.log(probability) + (trials - k) * math.log1p(-probability)))


def _compute_critical_count(blocks: int, level: float, epsilon: float) -> float:
    """Return the critical value of the noisy number of rejections."""
    counts, weights, noise = np.arange(blocks + 1.0), _compute_binomial_pmf(blocks, level), Tulap(epsilon)

    def is_below_critical(number: float) -> bool:
        return bool(weights @ noise.compute_tail(number - counts) > _ALPHA)

    return bisect_up(is_below_critical, -1.0, blocks + 40.0 / epsilon + 2.0, steps=24)[1]


def solve_detectable_effect(blocks: int, level: float, epsilon: float, size: float) -> float:
    """Return the smallest effect with power 0.8, in standard errors of all records."""
    from scipy.special import ndtri

    counts = np.arange(blocks + 1.0)
    critical = _compute_critical_count(blocks, level, epsilon)
    significant = Tulap(epsilon).compute_tail(critical - counts)
    if significant[-1] < _POWER:
        return math.inf

    def has_low_power(probability: float) -> bool:
        return bool(_compute_binomial_pmf(blocks, probability) @ significant < _POWER)

    _, high = bisect_up(has_low_power, level, 1.0 - 1e-9, steps=20)
    small = math.sqrt(1.0 + 1.5 / (size - 1.0)) if size > 1.0 else math.inf
    return math.sqrt(blocks) * float(ndtri(1.0 - 0.5 * level) + ndtri(high)) * small


def _collect_block_numbers(max_blocks: int) -> list[int]:
    return sorted(set(np.geomspace(1, max_blocks, 32).astype(int).tolist()))


@lru_cache(maxsize=256)
def choose_blocks(
    records: int | None, epsilon: float, blocks: int | None, level: float | None, max_blocks: int
) -> tuple[int, float]:
    """Return the number of blocks, at most `max_blocks`, and their level, for about the smallest detectable effect.

    Given values are kept. `records` is None if private; `blocks` is then given.
    """
    if blocks is None:
        assert records is not None
        # more blocks would not help, since the noise of their number is already small
        max_blocks = min(max_blocks, _MAX_BLOCKS, math.ceil(60.0 / min(epsilon, 1.0)))
        numbers = _collect_block_numbers(max_blocks)
    else:
        numbers = [blocks]
    levels = TEST_LEVELS if level is None else (level,)
    candidates = []
    for number in numbers:
        size = math.inf if records is None else records / number
        best = min((solve_detectable_effect(number, candidate, epsilon, size), candidate) for candidate in levels)
        candidates.append((*best, number))
        if math.isfinite(best[0]) and best[0] > 1.3 * min(candidates)[0]:
            # the effect increases from here on
            break
    least_effect = min(candidates)[0]
    if math.isinf(least_effect):
        return numbers[-1], levels[min(4, len(levels) - 1)]
    # the fewest blocks among nearly optimal numbers: tests are more accurate on larger blocks
    _, block_level, number = next(candidate for candidate in candidates if candidate[0] <= 1.01 * least_effect)
    return number, block_level


def bound_level(hits: int, draws: int) -> float:
    """Return the upper 99.9 % confidence limit of a probability from `hits` among `draws` independent draws.

    Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case
    of the binomial. Biometrika 26.
    """
    from scipy.special import betaincinv

    return 1.0 if hits >= draws else float(betaincinv(hits + 1.0, draws - hits, 0.999))


@dataclass(frozen=True, slots=True)
class BlockQuantileInterval:
    """Confidence interval for a quantile of the distribution of block estimates, from their noisy histogram."""

    low: float
    high: float
    cells: tuple[float, ...]
    blocks: int
    q: float
    rate: float
    side: str = "both"

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits; those outside the public range are infinite."""
        if compute_noise_variance(self.rate) * len(self.cells) > 4.0 * self.blocks**2:
            # half of the noise of all cells has a standard deviation above the number of blocks
            return -math.inf, math.inf
        inner = np.linspace(self.low, self.high, len(self.cells) + 1)[1:-1]
        edges = np.concatenate([[-math.inf], inner, [math.inf]])
        if self.side == "both":
            return compute_quantile_limits(self.cells, edges, self.blocks, self.q, alpha, self.rate)
        shares = (alpha, 0.0) if self.side == "low" else (0.0, alpha)
        return compute_one_sided_limits(self.cells, edges, self.blocks, self.q, shares, self.rate)

    @property
    def estimate(self) -> float:
        """Quantile of the noisy histogram, within the public range."""
        number = len(self.cells)
        counts = np.concatenate([[0.0], np.maximum.accumulate(np.cumsum(self.cells))])
        target = self.q * self.blocks
        cell = int(np.searchsorted(counts[1:], target, "left"))
        if cell >= number:
            return self.high
        step = counts[cell + 1] - counts[cell]
        fraction = (target - counts[cell]) / step if step > 0.0 else 0.5
        return self.low + (self.high - self.low) * (cell + float(np.clip(fraction, 0.0, 1.0))) / number


def _approximate_half_width(blocks: int, cells: int, epsilon: float) -> float:
    """Approximate the half width of a 95 % interval for the median, as a fraction of the blocks."""
    noise = compute_noise_variance(epsilon / 2.0) * cells / 4.0
    return 1.96 * math.sqrt(blocks / 4.0 + noise) / blocks


def choose_histogram_cells(blocks: int, epsilon: float) -> int:
    """Return the number of cells of the histogram of block estimates."""
    cells = MIN_BLOCK_CELLS
    while cells < MAX_BLOCK_CELLS and _approximate_half_width(blocks, 2 * cells, epsilon) <= _MAX_HALF_WIDTH:
        cells *= 2
    return cells


@lru_cache(maxsize=256)
def choose_interval_blocks(epsilon: float, max_blocks: int) -> int:
    """Return the fewest blocks, at most `max_blocks`, with which 64 cells, or as many as possible, are useful.

    With fewer blocks each has more records, and its estimate less bias.
    """
    max_blocks = min(max_blocks, _MAX_BLOCKS)
    n_cells = min(_WANTED_CELLS, choose_histogram_cells(max_blocks, epsilon))
    return next(
        (
            m
            for m in _collect_block_numbers(max_blocks)
            if _approximate_half_width(m, n_cells, epsilon) <= _MAX_HALF_WIDTH
        ),
        max_blocks,
    )

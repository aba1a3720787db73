"""A test of a noisy mean that holds for every distribution of records between bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, ndtri, xlog1py, xlogy

from pydpstat._frozen import frozen
from pydpstat.inference._laws.inversion import outermost
from pydpstat.inference._laws.noisy_t import NoisySums, NullLaw, null_law
from pydpstat.inference._laws.reference import NoiseLaw, noise_quantiles, survival
from pydpstat.mechanisms.mechanism import Noise

Floats = npt.NDArray[np.float64]
# the probability that the bound on the variance does not hold
LEFT_OUT = 0.002
_CUTS = 128
_FURTHEST = 1e-12


def bentkus(n: int, p: float, x: Floats) -> Floats:
    """Return bounds on P(S >= x) for each x, where T is Bin(n, p) less its mean."""
    sd = math.sqrt(n * p * (1.0 - p))
    low = max(0, int(n * p - 6.0 * sd - 6.0))
    high = min(n, int(n * p + 14.0 * sd + 60.0))
    support = np.arange(low, high + 1, dtype=np.float64)
    logs = gammaln(n + 1.0) - gammaln(support + 1.0) - gammaln(n - support + 1.0)
    mass = np.exp(logs + xlogy(support, p) + xlog1py(n - support, -p))
    values = support - n * p
    tails = [np.cumsum((mass * values**power)[::-1])[::-1] for power in range(3)]
    # h may be anywhere: some places for it keep the bound, and all of them would be many
    cuts = np.unique(np.linspace(0, support.size - 1, min(_CUTS, support.size)).astype(int))
    zeroth, first, second = (tail[cuts] for tail in tails)
    top = values[cuts]
    below = values[cuts] - 1.0
    at = x[:, None]
    with np.errstate(all="ignore"):
        best = (at * first - second) / (at * zeroth - first)
        h = np.clip(np.where(np.isfinite(best), best, top), below, top)
        bound = (second - 2.0 * h * first + h * h * zeroth) / np.square(at - h)
    bound = np.where(h < at, np.maximum(bound, 0.0), 1.0)
    found = np.minimum(bound.min(axis=1), 1.0)
    # beyond the largest sum that there can be
    found = np.where(x > n - n * p + 1e-9 * n, 0.0, found)
    return np.where(x <= 0.0, 1.0, found)


@lru_cache(maxsize=4)
def _steps() -> tuple[Floats, Floats]:
    """Return shares of probability: weights of steps, and the shares at their upper ends; a rest is left."""
    upper = np.geomspace(0.5, _FURTHEST, 140)
    shares = np.concatenate([np.linspace(0.02, 0.5, 25), 1.0 - upper[1:]])
    ends = np.concatenate([np.linspace(0.98, 0.5, 25), upper[1:]])
    return frozen(np.diff(np.concatenate([[0.0], shares]))), frozen(ends)


def noise_above(scales: tuple[float, ...], law: NoiseLaw) -> tuple[Floats, Floats, float]:
    """Return weights, values that noise does not exceed with these probabilities, and what is left.

    The noise is a sum of two or three independent ones of these scales.
    """
    weights, tails = _steps()
    if law == "normal":
        return weights, -math.hypot(*scales) * ndtri(tails), 1.0 - float(weights.sum())
    large, small = max(scales), min(scales)
    grid = np.linspace(-60.0, 60.0, 4801) * large
    if isinstance(law, tuple):
        return weights, _above_sum(scales, law, tails), 2.0 * (1.0 - float(weights.sum()))
    if len(scales) > 2:
        survival = _tail_of_sum(scales, np.abs(grid))
    elif small > 0.999 * large:
        # a little more noise: both of the larger scale
        survival = 0.25 * np.exp(-np.abs(grid) / large) * (2.0 + np.abs(grid) / large)
    else:
        ratio = small / large
        near = ratio * ratio * np.exp(-np.abs(grid) / max(small, 1e-300)) if small > 0.0 else 0.0
        survival = 0.5 * (np.exp(-np.abs(grid) / large) - near) / (1.0 - ratio * ratio)
    survival = np.where(grid >= 0.0, survival, 1.0 - survival)
    # the next point of the grid: upwards
    place = np.searchsorted(-survival, -tails, side="left")
    return weights, grid[np.minimum(place, grid.size - 1)], 1.0 - float(weights.sum())


def _above_sum(scales: tuple[float, ...], law: tuple[Noise, ...], tails: Floats) -> Floats:
    """Return values that a sum of two noises of variance 1, times scales, exceeds so rarely."""
    (large, wide), (small, narrow) = sorted(zip(scales, law), key=lambda each: -each[0])
    grid, above = survival(wide)
    weights, _ = _steps()
    # one noise goes in steps from above, in the other's unit; of what is between two points the lower counts
    steps = noise_quantiles(1.0 - tails[None], (narrow,))[0] * (small / large)
    below = np.floor((grid[:, None] - steps - grid[0]) / (grid[1] - grid[0])).astype(np.intp)
    whole = above[below.clip(0, grid.size - 1)] @ weights
    place = np.searchsorted(-whole, -tails, side="left")
    return large * grid[np.minimum(place, grid.size - 1)]


def _tail_of_sum(scales: tuple[float, ...], x: Floats) -> Floats:
    """Return P(X >= x) of a sum of Laplace variables, for x >= 0, by partial fractions.

    Scales that are close to each other are moved apart, upwards: a little more noise.
    """
    apart: list[float] = []
    for scale in sorted(scales):
        apart.append(max(scale, 1.05 * apart[-1] if apart else 1e-3 * max(scales)))
    squares = np.square(apart)
    found = np.zeros_like(x)
    for i, scale in enumerate(apart):
        others = np.delete(squares, i)
        found += 0.5 * float(np.prod(squares[i] / (squares[i] - others))) * np.exp(-x / scale)
    return found


def expected_bound(n: int, p: float, x: Floats, weights: Floats, rest: float) -> float:
    """Return the bound with the noise integrated out."""
    if not 0.0 < p < 1.0:
        found = (x <= 0.0).astype(np.float64)
    else:
        found = bentkus(n, p, x)
    return min(1.0, float(weights @ found) + rest)


def largest_variance(law: NullLaw, second: float) -> float:
    """Return a variance that the true one exceeds with probability `LEFT_OUT` at most, from Q."""
    most = 1.0 - law.mean * law.mean
    reach = (1.0 + abs(law.mean)) ** 2
    weights, noise, rest = noise_above(_scales(law.second_noise), law.law)

    def too_small(v: float) -> bool:
        x = (law.n * v - second - noise) / reach
        return expected_bound(law.n, 1.0 - v / reach, x, weights, rest) <= LEFT_OUT

    if not too_small(most):
        return most
    low, high = 0.0, most
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if too_small(middle) else (middle, high)
    return high


def _scales(noise: tuple[float, ...]) -> tuple[float, float]:
    return abs(noise[0]), abs(noise[1])


def _sides(law: NullLaw, first: float, second: float) -> tuple[float, float]:
    """Return bounds on the probability of a sum at least, and at most, as large."""
    variance = largest_variance(law, second)
    weights, noise, rest = noise_above(_scales(law.first_noise), law.law)
    sides = []
    for sign in (1.0, -1.0):
        far = 1.0 - sign * law.mean
        if far <= 0.0 or variance <= 0.0:
            # no record can be on that side of the mean
            sides.append(expected_bound(law.n, 0.0, sign * first - noise, weights, rest))
            continue
        near = variance / far
        x = (sign * first - noise) / (far + near)
        sides.append(expected_bound(law.n, near / (far + near), x, weights, rest))
    return sides[0], sides[1]


def _pvalue(law: NullLaw, first: float, second: float, alternative: str) -> float:
    up, down = _sides(law, first, second)
    share = {"greater": up, "less": down, "two-sided": 2.0 * min(up, down)}[alternative]
    return min(1.0, LEFT_OUT + share)


def exact_pvalue(known: NoisySums, mean: float, alternative: str = "two-sided") -> tuple[float, float]:
    """Return the studentized mean and a p-value for every distribution; the number of records is public."""
    law = null_law(known, mean, known.size or 1)
    first, second = law.centered(known.sums)
    return law.statistic(first, second), _pvalue(law, first, second, alternative)


@dataclass(frozen=True)
class ExactMeanInterval:
    """The means that the exact test does not reject, in the data's unit; arguments as of `NoisyTInterval`."""

    known: NoisySums
    middle: float
    half: float
    alternative: str = "two-sided"

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the mean with probability `alpha` at most."""
        size = self.known.size or 1
        cut = min(max(self.known.sums[1], -float(size)), float(size))
        start = null_law(self.known, cut / size, size)
        _, second = start.centered(self.known.sums)
        error = math.sqrt(max(second, start.floor) + start.spread) / size

        def at(mean: float) -> float:
            law = null_law(self.known, mean, size)
            first, _ = law.centered((float(size), cut, 0.0))
            _, square = law.centered(self.known.sums)
            return _pvalue(law, first, square, self.alternative)

        ends = [-1.0, 1.0]
        for place, (side, one_sided) in enumerate(((-1.0, "greater"), (1.0, "less"))):
            if self.alternative in ("two-sided", one_sided):
                ends[place] = outermost(at, alpha, cut / size, error, side, 1.0)
        bounds = self.middle - self.half, self.middle + self.half
        low, high = (min(max(self.middle + self.half * end, bounds[0]), bounds[1]) for end in ends)
        return low, high

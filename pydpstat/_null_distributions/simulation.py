"""Simulated null distributions: draws, shapes of records, p-values, tails beyond the draws, and ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Union

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, gammaln, ndtr, ndtri, xlog1py, xlogy

from pydpstat._frozen import freeze_array
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.r_arithmetic.elementary import Floats

_SEED = 1_908
# what is equal but for rounding counts as equal
_RELATIVE_TOLERANCE = 1e-9


def make_generator(*key: int) -> np.random.Generator:
    """Return the generator of reference draws for a place in the simulation: always the same stream."""
    return np.random.default_rng((_SEED, *key))


def compute_exceedance_pvalue(reference: Floats, statistic: float) -> float:
    """Return the p-value of a statistic among simulated ones: (1 + those at least as large) / (1 + all)."""
    least = statistic - _RELATIVE_TOLERANCE * max(1.0, abs(statistic))
    return float((1 + np.count_nonzero(reference >= least)) / (1 + reference.size))


def maximize_pvalue(references: Iterable[Floats], statistic: float, slack: float = 0.0) -> float:
    """Return the largest p-value over the points of a nuisance, and at most 1.

    `slack` is added: the probability that the true nuisance is outside what the points stand for. Berger, R.
    L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter. JASA 89.

    The whole way from a true table or sum to the statistic is gone again with simulated releases. Where the
    null hypothesis leaves something unknown, a nuisance, this is done at several plausible values of it, and
    the largest p-value counts. The draws have fixed seeds: the same release has the same p-value every time.
    They protect nobody.
    """
    return min(1.0, slack + max(compute_exceedance_pvalue(reference, statistic) for reference in references))


def simulate_geometric_noise(rng: np.random.Generator, rate: float, shape: tuple[int, ...]) -> Floats:
    """Draw noise with P(k) proportional to exp(-rate |k|), for simulation only.

    The whole part of an exponential variable over the rate is geometric.
    """
    first, second = rng.standard_exponential((2, *shape))
    return np.floor(first / rate) - np.floor(second / rate)


def get_reference_noise(rate: float, shape: tuple[int, ...], stream: int = 0) -> Floats:
    """Return noise for simulated releases, the same for every point of a nuisance."""
    return simulate_geometric_noise(make_generator(1, stream), rate, shape)


# of noises: one distribution for all, one of each, or that of the vector whose first elements they are; these
# have the variance 1
NoiseFamily = Union[str, "tuple[Noise, ...]", CubeNoise]
DRAWS_POWER = 13
# the smallest p-value that is told, shown as "< 1e-06"
PVALUE_FLOOR = 9.9e-7


@lru_cache(maxsize=16)
def make_uniform_points(dimension: int, power: int = DRAWS_POWER) -> Floats:
    """Return 2^power Sobol points in (0, 1)^dimension, shifted by fixed digits, of shape (dimension,
    points).
    """
    from scipy.stats import qmc

    plain = qmc.Sobol(dimension, scramble=False).random_base2(power)
    digits = np.round(plain * 2.0**30).astype(np.int64)
    # a digital shift keeps the points as even as they are, and takes them off the corner
    digits ^= np.random.RandomState(1).randint(0, 2**30, size=dimension).astype(np.int64)
    return freeze_array(((digits + 0.5) / 2.0**30).T)


def compute_noise_quantiles(shares: Floats, noise_family: NoiseFamily) -> Floats:
    """Return noises of scale 1 at uniform shares, a row a noise; a vector's norm has the first row."""
    if isinstance(noise_family, CubeNoise):
        return noise_family.at(shares.T).T
    if isinstance(noise_family, tuple):
        return np.array([_lookup_quantiles(noise, row) for noise, row in zip(noise_family, shares)])
    if noise_family == "normal":
        return ndtri(shares)
    return np.sign(shares - 0.5) * -np.log1p(-2.0 * np.abs(shares - 0.5))


@lru_cache(maxsize=16)
def tabulate_survival(noise: Noise) -> tuple[Floats, Floats]:
    """Return places from -40 to 40, and how probable a noise of variance 1 above each of them is."""
    grid = np.linspace(-40.0, 40.0, 6401)
    return freeze_array(grid), freeze_array(np.asarray(noise.cdf(-grid)))


def _lookup_quantiles(noise: Noise, shares: Floats) -> Floats:
    grid, above = tabulate_survival(noise)
    upper = grid >= 0.0
    # tails are near to exponential
    sizes = np.interp(-np.log(np.minimum(shares, 1.0 - shares)), -np.log(above[upper]), grid[upper])
    return np.where(shares < 0.5, -sizes, sizes)


class ReferenceDraws(NamedTuple):
    """Draws of what the sums of n records are made of, and of the noises."""

    normal: Floats
    chi2: Floats
    shares: Floats
    scores: Floats
    order: npt.NDArray[np.intp]
    noises: Floats


@lru_cache(maxsize=64)
def draw_reference(n: int, noise_family: NoiseFamily, n_noises: int, group: int = 0, groups: int = 1) -> ReferenceDraws:
    """Return the draws for n records of one of several groups, whose draws are independent."""
    each = 3 + n_noises + isinstance(noise_family, CubeNoise)
    points = make_uniform_points(each * groups)[each * group : each * (group + 1)]
    normal, shares = ndtri(points[0]), points[2]
    chi2 = chdtri(n - 1, 1.0 - points[1]) if n > 1 else np.zeros_like(normal)
    drawn = _draw_reference_noises(noise_family, each, group, groups)
    order = np.argsort(shares, kind="stable")
    shares = shares[order]
    parts = (normal, chi2, shares, ndtri(shares), order, drawn)
    return ReferenceDraws(*map(freeze_array, parts))


@lru_cache(maxsize=64)
def _draw_reference_noises(noise_family: NoiseFamily, dimension: int, group: int, groups: int) -> Floats:
    # the same for all numbers of records
    return freeze_array(
        compute_noise_quantiles(
            make_uniform_points(dimension * groups)[dimension * group + 3 : dimension * (group + 1)], noise_family
        )
    )


NORMAL_SHAPE, UPWARD_SHAPE, DOWNWARD_SHAPE = 0, 1, 2
SHAPES = (NORMAL_SHAPE, UPWARD_SHAPE, DOWNWARD_SHAPE)
# above this variance the expansion's quantiles are off by less than one, rarely
_EXPANSION_VARIANCE = 400.0


def simulate_centered_sums(
    draws: ReferenceDraws, n: int, mean: float, variance: float, shape: int
) -> tuple[Floats, Floats]:
    """Return the sums of n records about their mean, and of the squares of these distances, at the draws.

    Records lie in [-1, 1]. *Normal* is the symmetric shape of large samples. *Up* has the values 1 and one
    below the mean: among all distributions on the interval with this mean and variance it is the most skewed
    one, extremal in Bennett's inequality. *Down* is its mirror image. For records of two values, up or down
    is exact.

    Bennett, G. (1962). Probability inequalities for the sum of independent random variables. Journal of the
    American Statistical Association 57, 33-45.
    """
    if shape == NORMAL_SHAPE or variance <= 0.0:
        squares = variance * (draws.normal * draws.normal + draws.chi2)
        return np.sqrt(n * variance) * draws.normal, squares
    far = 1.0 - mean if shape == UPWARD_SHAPE else 1.0 + mean
    near = variance / far
    ordered = compute_binomial_quantiles(n, variance / (variance + far * far), draws.shares, draws.scores)
    count = np.empty_like(ordered)
    count[draws.order] = ordered
    sums = count * (far + near) - n * near
    squares = count * (far * far - near * near) + n * near * near
    return (sums if shape == UPWARD_SHAPE else -sums), squares


def compute_binomial_quantiles(n: int, p: float, shares: Floats, normal_scores: Floats) -> Floats:
    """Return the quantiles of Bin(n, p) at ascending shares, whose normal quantiles are at hand."""
    center, variance = n * p, n * p * (1.0 - p)
    sd = np.sqrt(variance)
    if variance > _EXPANSION_VARIANCE:
        skew, excess = (1.0 - 2.0 * p) / sd, (1.0 - 6.0 * p * (1.0 - p)) / variance
        square = normal_scores * normal_scores
        moved = skew / 6.0 * (square - 1.0) + normal_scores * (
            excess / 24.0 * (square - 3.0) - skew * skew / 36.0 * (2.0 * square - 5.0)
        )
        return np.clip(np.rint(center + sd * (normal_scores + moved)), 0.0, n)
    low = max(0, int(center - 9.0 * sd - 9.0))
    high = min(n, int(center + 9.0 * sd + 30.0))
    support = np.arange(low, high + 1, dtype=np.float64)
    logs = -gammaln(support + 1.0) - gammaln(n - support + 1.0)
    logs += xlogy(support, p) + xlog1py(n - support, -p)
    mass = np.exp(logs - logs.max())
    heights = np.cumsum(mass)
    heights /= heights[-1]
    ends = np.searchsorted(shares, heights, side="right")
    ends[-1] = shares.size
    ends[1:] -= ends[:-1].copy()
    return np.repeat(support, ends)


# the share of simulated statistics that shows the tail, and the p-values below which it is used
TAIL_PROBABILITY, TAIL_PVALUE = 0.025, 0.005
# by what factor the probabilities differ between which the share's fall is measured
_PROBABILITY_RATIO = 2.0
# degrees of freedom from which on an exponential tail is above that of Student's t
MIN_TAIL_DEGREES = 20


class _TailFit(NamedTuple):
    """Where a tail begins, its mean excess at most, and its probability."""

    start: Floats
    excess: Floats
    probability: float


def _fit_tail(sizes: Floats) -> _TailFit:
    count = sizes.shape[-1]
    beyond = max(math.ceil(TAIL_PROBABILITY * count), 3)
    top = np.partition(sizes, count - beyond, axis=-1)[..., count - beyond :]
    start = top.min(axis=-1)
    excess = (top.sum(axis=-1) - beyond * start) / (beyond - 1) * (1.0 + 2.0 / math.sqrt(beyond))
    return _TailFit(start, np.where(np.isfinite(excess), excess, math.inf), beyond / (count + 1))


class SimulatedStatistics(NamedTuple):
    """Simulated studentized statistics of shape (..., r): the size of g over its standard error.

    What a simulated statistic owes to one normal number is not drawn but integrated: given all else, the
    probability that it is large is a normal one. With as many draws such a probability is several times
    nearer.

    The tail begins where a share `TAIL_PROBABILITY` of the simulated statistics lies beyond, and falls by their mean
    excess, which counts with two standard errors on top. A distribution whose hazard does not fall (normal,
    Laplace, all that have log-concave densities) lies below that tail at every point beyond. Student's t does
    down to 1e-6 from 15 degrees of freedom on; with 10 its probability at 1e-6 is 1.8 times what the tail
    says.
    """

    absolute_values: Floats
    middle: Floats
    spread: Floats
    rest: Floats
    min_square: Floats
    error_share: Floats

    @classmethod
    def from_draws(cls, sizes: npt.ArrayLike) -> SimulatedStatistics:
        """Return statistics that are drawn as they are."""
        values = np.asarray(sizes, dtype=np.float64)
        none = np.zeros_like(values)
        return cls(values, values, none, none + 1.0, none, none)

    @classmethod
    def concatenate_parts(cls, parts: Sequence[SimulatedStatistics]) -> SimulatedStatistics:
        """Return the draws of all parts, which are along the last axis."""
        return cls(*(np.concatenate(each, axis=-1) for each in zip(*parts)))

    @np.errstate(invalid="ignore", divide="ignore", over="ignore")
    def compute_tail_probabilities(self, size: Floats) -> Floats:
        """Return how probable statistics of at least a size are."""
        squares = np.square(size)[..., None]
        left = 1.0 - squares * self.error_share
        # where the rest is below 0 every g counts that the least error lets pass
        reach = np.where(left > 0.0, squares * np.maximum(self.rest, 0.0) / left, math.inf)
        reach = np.sqrt(np.maximum(np.where(self.rest > 0.0, reach, 0.0), squares * self.min_square))
        beyond = ndtr((-reach - self.middle) / self.spread) + ndtr((self.middle - reach) / self.spread)
        # at its very end a statistic without spread counts, and so does what overflows
        found: Floats = np.where(np.isnan(beyond), 1.0, beyond).mean(axis=-1)
        return found

    def compute_pvalue(self, size: Floats, has_tail: bool = True) -> Floats:
        """Return the p-value of a statistic of a size.

        Without a tail the smallest one is one over the number of draws and 1.
        """
        found = np.maximum(self.compute_tail_probabilities(size), 1.0 / (self.absolute_values.shape[-1] + 1))
        deep = found < TAIL_PVALUE
        if has_tail and deep.any():
            sizes = np.broadcast_to(self.absolute_values, (*found.shape, self.absolute_values.shape[-1]))[deep]
            found[deep] = np.minimum(compute_simulated_pvalue(sizes, size[deep]), TAIL_PVALUE)
        return found

    @np.errstate(invalid="ignore", divide="ignore", over="ignore")
    def compute_critical_value(self, alpha: float, has_tail: bool = True) -> Floats:
        """Return the size from which on the p-value is at most alpha; infinite below the smallest one."""
        found = find_simulated_critical_value(self.absolute_values, alpha, has_tail)
        if alpha < TAIL_PVALUE:
            return found
        # the logarithm of a share falls about as fast as among the drawn statistics; then a secant's step
        more, less = (
            min(_PROBABILITY_RATIO * alpha, 1.0 - (1.0 - alpha) / _PROBABILITY_RATIO),
            alpha / _PROBABILITY_RATIO,
        )
        low, high = (find_simulated_critical_value(self.absolute_values, each, False) for each in (more, less))
        first = np.log(self.compute_tail_probabilities(found) / alpha)
        moved = _clip_finite(found + first * (high - low) / math.log(more / less), low, high, found)
        second = np.log(self.compute_tail_probabilities(moved) / alpha)
        return _clip_finite(moved + second * (moved - found) / (first - second), low, high, moved)


def _clip_finite(values: Floats, low: Floats, high: Floats, other: Floats) -> Floats:
    """Return values between two ends, and others where they are no numbers."""
    found: Floats = np.where(np.isfinite(values), values.clip(low, high), other)
    return found


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def compute_simulated_pvalue(sizes: Floats, size: Floats, has_tail: bool = True) -> Floats:
    """Return how probable a statistic of at least a size is, given simulated ones along the last axis.

    Without a tail the smallest p-value is one over their number and 1.
    """
    found: Floats = (1 + np.count_nonzero(sizes >= size[..., None], axis=-1)) / (sizes.shape[-1] + 1)
    deep = found < TAIL_PVALUE
    if has_tail and deep.any():
        own = _fit_tail(np.broadcast_to(sizes, (*found.shape, sizes.shape[-1]))[deep])
        beyond = own.probability * np.exp(-(size[deep] - own.start) / own.excess)
        found[deep] = np.fmin(np.fmax(beyond, PVALUE_FLOOR), TAIL_PVALUE)
    return found


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def find_simulated_critical_value(sizes: Floats, alpha: float, has_tail: bool = True) -> Floats:
    """Return the size from which on the p-value is at most alpha; infinite below the smallest one."""
    count = sizes.shape[-1]
    # so many simulated statistics may be at least as large as one that is rejected
    rank = math.floor((max(alpha, TAIL_PVALUE) if has_tail else alpha) * (count + 1) * (1.0 + 1e-12)) - 1
    if rank < 0 or alpha < PVALUE_FLOOR:
        return np.full(sizes.shape[:-1], math.inf)
    found: Floats = np.partition(sizes, count - 1 - rank, axis=-1)[..., count - 1 - rank]
    if not has_tail or alpha >= TAIL_PVALUE:
        return found
    own = _fit_tail(sizes)
    return np.fmax(found, own.start + own.excess * math.log(own.probability / alpha))


# of an error: how near the ends are
_LIMIT_TOLERANCE = 0.02


def find_interval_end(
    compute_pvalue: Callable[[float], float], alpha: float, center: float, error: float, side: float, end: float
) -> float:
    """Return the end of the values on one side of a center that are not rejected, or the end of all
    values.
    """
    step, last = 1.5 * error, center
    inside = center, 1.0
    rejected: list[tuple[float, float]] = []
    while len(rejected) < 3:
        at = last + side * step
        beyond = side * at >= end
        at = side * end if beyond else at
        p = compute_pvalue(at)
        if p > alpha:
            if beyond:
                return at
            inside, rejected = (at, p), []
            # beyond a few errors only few records or much noise keep means possible
            step *= 1.0 if abs(at - center) < 6.0 * error else 1.5
        else:
            rejected.append((at, p))
            if beyond:
                break
        last = at
    return _bisect_pvalues(compute_pvalue, alpha, inside, rejected[0], _LIMIT_TOLERANCE * error)


def _bisect_pvalues(
    compute_pvalue: Callable[[float], float],
    alpha: float,
    inside: tuple[float, float],
    outside: tuple[float, float],
    tolerance: float,
) -> float:
    """Return a rejected value near one that is not, between such values with their p-values."""
    middle = False
    while (gap := abs(outside[0] - inside[0])) > tolerance:
        share = 0.5
        if not middle and 0.0 < outside[1] and inside[1] > outside[1]:
            first, wanted, second = (float(ndtri(0.5 * p)) for p in (inside[1], alpha, outside[1]))
            # a little before it, or a little beyond where what is before is near
            share = (wanted - first) / (second - first) - 0.4 * tolerance / gap
            share = min(share if share > 0.1 * tolerance / gap else 0.8 * tolerance / gap, 1.0 - 0.1 * tolerance / gap)
        at = inside[0] + share * (outside[0] - inside[0])
        p = compute_pvalue(at)
        if p > alpha:
            inside = at, p
        else:
            outside = at, p
        middle = abs(outside[0] - inside[0]) > 0.5 * gap
    return outside[0]

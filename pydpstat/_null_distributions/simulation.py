"""Simulated null distributions: reference draws, shapes of records, p-values, fitted tails and interval limits."""

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


def make_generator(*key: int) -> np.random.Generator:
    """Return the generator of reference draws for a key; its seed is fixed."""
    return np.random.default_rng((_SEED, *key))


def compute_exceedance_pvalue(reference: Floats, statistic: float) -> float:
    """Return the p-value of a statistic among simulated ones: (1 + those at least as large) / (1 + all)."""
    return float((1 + np.count_nonzero(reference >= compute_tie_threshold(statistic))) / (1 + reference.size))


def compute_tie_threshold(statistic: float) -> float:
    """Return the smallest value that counts as at least as large as a statistic, up to rounding."""
    return statistic - 1e-9 * max(1.0, abs(statistic))


def maximize_pvalue(references: Iterable[Floats], statistic: float, slack: float = 0.0) -> float:
    """Return the largest p-value over the points of a nuisance parameter, plus `slack`, at most 1.

    `slack` is the probability that the true nuisance parameter is outside the set that the points represent. Berger, R.
    L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter. JASA 89.

    The references are simulated releases, including the noise, at several plausible values of the nuisance parameter.
    They have fixed seeds, so that a release always has the same p-value; they do not protect data.
    """
    return min(1.0, slack + max(compute_exceedance_pvalue(reference, statistic) for reference in references))


def simulate_geometric_noise(rng: np.random.Generator, rate: float, shape: tuple[int, ...]) -> Floats:
    """Draw noise with P(k) proportional to exp(-rate |k|), for simulation only.

    The integer part of a standard exponential variable divided by the rate is geometric.
    """
    first, second = rng.standard_exponential((2, *shape))
    return np.floor(first / rate) - np.floor(second / rate)


def get_reference_noise(rate: float, shape: tuple[int, ...], stream: int = 0) -> Floats:
    """Return noise for simulated releases, the same at every point of a nuisance parameter."""
    return simulate_geometric_noise(make_generator(1, stream), rate, shape)


# one distribution for all noises; or, of variance 1, one for each, or that of a vector that begins with them
NoiseFamily = Union[str, "tuple[Noise, ...]", CubeNoise]
DRAWS_POWER = 13
# smallest p-value that is reported, shown as "< 1e-06"
PVALUE_FLOOR = 9.9e-7


@lru_cache(maxsize=16)
def make_uniform_points(dimension: int, power: int = DRAWS_POWER) -> Floats:
    """Return 2^power Sobol points in (0, 1)^dimension with a fixed digital shift, of shape (dimension, points)."""
    from scipy.stats import qmc

    points = qmc.Sobol(dimension, scramble=False).random_base2(power)
    digits = np.round(points * 2.0**30).astype(np.int64)
    # a digital shift preserves the equidistribution and avoids the point 0
    digits ^= np.random.RandomState(1).randint(0, 2**30, size=dimension).astype(np.int64)
    return freeze_array(((digits + 0.5) / 2.0**30).T)


def compute_noise_quantiles(shares: Floats, noise_family: NoiseFamily) -> Floats:
    """Return noises of scale 1 at uniform points, one row for each noise; the first row gives the norm of a vector."""
    if isinstance(noise_family, CubeNoise):
        return noise_family.at(shares.T).T
    if isinstance(noise_family, tuple):
        return np.array([_lookup_quantiles(noise, row) for noise, row in zip(noise_family, shares)])
    if noise_family == "normal":
        return ndtri(shares)
    return np.sign(shares - 0.5) * -np.log1p(-2.0 * np.abs(shares - 0.5))


@lru_cache(maxsize=16)
def tabulate_survival(noise: Noise) -> tuple[Floats, Floats]:
    """Return a grid from -40 to 40, and the survival function of noise of variance 1 on it."""
    grid = np.linspace(-40.0, 40.0, 6401)
    return freeze_array(grid), freeze_array(np.asarray(noise.cdf(-grid)))


def _lookup_quantiles(noise: Noise, shares: Floats) -> Floats:
    grid, above = tabulate_survival(noise)
    upper = grid >= 0.0
    # tails are nearly exponential
    sizes = np.interp(-np.log(np.minimum(shares, 1.0 - shares)), -np.log(above[upper]), grid[upper])
    return np.where(shares < 0.5, -sizes, sizes)


class ReferenceDraws(NamedTuple):
    """Draws from which sums of n records are computed, and draws of the noises."""

    normal: Floats
    chi2: Floats
    shares: Floats
    scores: Floats
    order: npt.NDArray[np.intp]
    noises: Floats


@lru_cache(maxsize=64)
def draw_reference(n: int, noise_family: NoiseFamily, n_noises: int, group: int = 0, groups: int = 1) -> ReferenceDraws:
    """Return the draws for n records of one of several groups; the draws of groups are independent."""
    n_coordinates = 3 + n_noises + isinstance(noise_family, CubeNoise)
    points = make_uniform_points(n_coordinates * groups)[n_coordinates * group : n_coordinates * (group + 1)]
    normal, shares = ndtri(points[0]), points[2]
    chi2 = chdtri(n - 1, 1.0 - points[1]) if n > 1 else np.zeros_like(normal)
    noises = _draw_reference_noises(noise_family, n_coordinates, group, groups)
    order = np.argsort(shares, kind="stable")
    shares = shares[order]
    arrays = (normal, chi2, shares, ndtri(shares), order, noises)
    return ReferenceDraws(*map(freeze_array, arrays))


@lru_cache(maxsize=64)
def _draw_reference_noises(noise_family: NoiseFamily, dimension: int, group: int, groups: int) -> Floats:
    # the noises are the same for all numbers of records
    return freeze_array(
        compute_noise_quantiles(
            make_uniform_points(dimension * groups)[dimension * group + 3 : dimension * (group + 1)], noise_family
        )
    )


NORMAL_SHAPE, UPWARD_SHAPE, DOWNWARD_SHAPE = 0, 1, 2
SHAPES = (NORMAL_SHAPE, UPWARD_SHAPE, DOWNWARD_SHAPE)
# above this variance quantiles by the Cornish-Fisher expansion are rarely off by 1 or more
_EXPANSION_VARIANCE = 400.0


def simulate_centered_sums(
    draws: ReferenceDraws, n: int, mean: float, variance: float, shape: int
) -> tuple[Floats, Floats]:
    """Return the sums of n centered records and of their squares, at the draws.

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
    bound_distance = 1.0 - mean if shape == UPWARD_SHAPE else 1.0 + mean
    opposite_distance = variance / bound_distance
    ordered_counts = compute_binomial_quantiles(
        n, variance / (variance + bound_distance * bound_distance), draws.shares, draws.scores
    )
    count = np.empty_like(ordered_counts)
    count[draws.order] = ordered_counts
    sums = count * (bound_distance + opposite_distance) - n * opposite_distance
    squares = (
        count * (bound_distance * bound_distance - opposite_distance * opposite_distance)
        + n * opposite_distance * opposite_distance
    )
    return (sums if shape == UPWARD_SHAPE else -sums), squares


def compute_binomial_quantiles(n: int, p: float, shares: Floats, normal_scores: Floats) -> Floats:
    """Return the quantiles of Bin(n, p) at ascending probabilities, with their normal quantiles given."""
    center, variance = n * p, n * p * (1.0 - p)
    sd = np.sqrt(variance)
    if variance > _EXPANSION_VARIANCE:
        skew, excess = (1.0 - 2.0 * p) / sd, (1.0 - 6.0 * p * (1.0 - p)) / variance
        square = normal_scores * normal_scores
        correction = skew / 6.0 * (square - 1.0) + normal_scores * (
            excess / 24.0 * (square - 3.0) - skew * skew / 36.0 * (2.0 * square - 5.0)
        )
        return np.clip(np.rint(center + sd * (normal_scores + correction)), 0.0, n)
    low = max(0, int(center - 9.0 * sd - 9.0))
    high = min(n, int(center + 9.0 * sd + 30.0))
    support = np.arange(low, high + 1, dtype=np.float64)
    logs = -gammaln(support + 1.0) - gammaln(n - support + 1.0)
    logs += xlogy(support, p) + xlog1py(n - support, -p)
    mass = np.exp(logs - logs.max())
    cdf = np.cumsum(mass)
    cdf /= cdf[-1]
    run_lengths = np.searchsorted(shares, cdf, side="right")
    run_lengths[-1] = shares.size
    run_lengths[1:] -= run_lengths[:-1].copy()
    return np.repeat(support, run_lengths)


# fraction of simulated statistics to which the tail is fitted, and p-value below which it is used
TAIL_PROBABILITY, TAIL_PVALUE = 0.025, 0.005
# ratio of the probabilities between which the slope of the tail is measured
_PROBABILITY_RATIO = 2.0
# degrees of freedom from which an exponential tail is above that of Student's t
MIN_TAIL_DEGREES = 20


class _TailFit(NamedTuple):
    """Threshold of a fitted exponential tail, upper limit of its mean excess, and its probability."""

    start: Floats
    excess: Floats
    probability: float


def _fit_tail(sizes: Floats) -> _TailFit:
    count = sizes.shape[-1]
    beyond = max(math.ceil(TAIL_PROBABILITY * count), 3)
    largest = np.partition(sizes, count - beyond, axis=-1)[..., count - beyond :]
    start = largest.min(axis=-1)
    excess = (largest.sum(axis=-1) - beyond * start) / (beyond - 1) * (1.0 + 2.0 / math.sqrt(beyond))
    return _TailFit(start, np.where(np.isfinite(excess), excess, math.inf), beyond / (count + 1))


class SimulatedStatistics(NamedTuple):
    """Simulated studentized statistics of shape (..., r): |g| divided by its standard error.

    The normal part of each statistic is integrated, not drawn: given all other draws, the probability of a large
    statistic is a normal one. With the same number of draws this is several times more accurate.

    The tail begins at the value that a fraction `TAIL_PROBABILITY` of the simulated statistics exceeds, and decays by
    their mean excess plus two standard errors. Distributions with a nondecreasing hazard (normal, Laplace, all with
    log-concave densities) lie below that tail everywhere. Student's t does down to 1e-6 from 15 degrees of freedom on;
    with 10 its probability at 1e-6 is 1.8 times that of the tail.
    """

    absolute_values: Floats
    middle: Floats
    spread: Floats
    rest: Floats
    min_square: Floats
    error_share: Floats

    @classmethod
    def from_draws(cls, sizes: npt.ArrayLike) -> SimulatedStatistics:
        """Return statistics that are drawn completely, without an integrated part."""
        values = np.asarray(sizes, dtype=np.float64)
        zeros = np.zeros_like(values)
        return cls(values, values, zeros, zeros + 1.0, zeros, zeros)

    @classmethod
    def concatenate_parts(cls, parts: Sequence[SimulatedStatistics]) -> SimulatedStatistics:
        """Return the draws of all parts, joined along the last axis."""
        return cls(*(np.concatenate(arrays, axis=-1) for arrays in zip(*parts)))

    @np.errstate(invalid="ignore", divide="ignore", over="ignore")
    def compute_tail_probabilities(self, size: Floats) -> Floats:
        """Return the probabilities of statistics of at least `size`."""
        squares = np.square(size)[..., None]
        factor = 1.0 - squares * self.error_share
        # a negative rest counts as 0: the smallest error determines the limit of g
        threshold = np.where(factor > 0.0, squares * np.maximum(self.rest, 0.0) / factor, math.inf)
        threshold = np.sqrt(np.maximum(np.where(self.rest > 0.0, threshold, 0.0), squares * self.min_square))
        beyond = ndtr((-threshold - self.middle) / self.spread) + ndtr((self.middle - threshold) / self.spread)
        # ties of statistics without spread, and overflows, count as exceedances
        probabilities: Floats = np.where(np.isnan(beyond), 1.0, beyond).mean(axis=-1)
        return probabilities

    def compute_pvalue(self, size: Floats, has_tail: bool = True) -> Floats:
        """Return the p-value of a statistic.

        Without the fitted tail the smallest p-value is 1 / (number of draws + 1).
        """
        pvalues = np.maximum(self.compute_tail_probabilities(size), 1.0 / (self.absolute_values.shape[-1] + 1))
        is_deep = pvalues < TAIL_PVALUE
        if has_tail and is_deep.any():
            sizes = np.broadcast_to(self.absolute_values, (*pvalues.shape, self.absolute_values.shape[-1]))[is_deep]
            pvalues[is_deep] = np.minimum(compute_simulated_pvalue(sizes, size[is_deep]), TAIL_PVALUE)
        return pvalues

    @np.errstate(invalid="ignore", divide="ignore", over="ignore")
    def compute_critical_value(self, alpha: float, has_tail: bool = True) -> Floats:
        """Return the smallest statistic with a p-value of at most alpha; infinity if no p-value is that small."""
        initial = find_simulated_critical_value(self.absolute_values, alpha, has_tail)
        if alpha < TAIL_PVALUE:
            return initial
        # a step with the slope of the log probability among the draws, and then a secant step
        upper_level, lower_level = (
            min(_PROBABILITY_RATIO * alpha, 1.0 - (1.0 - alpha) / _PROBABILITY_RATIO),
            alpha / _PROBABILITY_RATIO,
        )
        low, high = (
            find_simulated_critical_value(self.absolute_values, probability, False)
            for probability in (upper_level, lower_level)
        )
        initial_excess = np.log(self.compute_tail_probabilities(initial) / alpha)
        next_value = _clip_finite(
            initial + initial_excess * (high - low) / math.log(upper_level / lower_level), low, high, initial
        )
        next_excess = np.log(self.compute_tail_probabilities(next_value) / alpha)
        return _clip_finite(
            next_value + next_excess * (next_value - initial) / (initial_excess - next_excess), low, high, next_value
        )


def _clip_finite(values: Floats, low: Floats, high: Floats, other: Floats) -> Floats:
    """Return the values clipped to [`low`, `high`], with `other` in place of infinite values and NaN."""
    clipped: Floats = np.where(np.isfinite(values), values.clip(low, high), other)
    return clipped


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def compute_simulated_pvalue(sizes: Floats, size: Floats, has_tail: bool = True) -> Floats:
    """Return the p-value of a statistic, given simulated ones along the last axis.

    Without the fitted tail the smallest p-value is 1 / (their number + 1).
    """
    pvalues: Floats = (1 + np.count_nonzero(sizes >= size[..., None], axis=-1)) / (sizes.shape[-1] + 1)
    is_deep = pvalues < TAIL_PVALUE
    if has_tail and is_deep.any():
        tail_fit = _fit_tail(np.broadcast_to(sizes, (*pvalues.shape, sizes.shape[-1]))[is_deep])
        beyond = tail_fit.probability * np.exp(-(size[is_deep] - tail_fit.start) / tail_fit.excess)
        pvalues[is_deep] = np.fmin(np.fmax(beyond, PVALUE_FLOOR), TAIL_PVALUE)
    return pvalues


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def find_simulated_critical_value(sizes: Floats, alpha: float, has_tail: bool = True) -> Floats:
    """Return the smallest statistic with a p-value of at most alpha; infinity if no p-value is that small."""
    count = sizes.shape[-1]
    # number of simulated statistics that may be at least as large as a rejected one
    rank = math.floor((max(alpha, TAIL_PVALUE) if has_tail else alpha) * (count + 1) * (1.0 + 1e-12)) - 1
    if rank < 0 or alpha < PVALUE_FLOOR:
        return np.full(sizes.shape[:-1], math.inf)
    critical_values: Floats = np.partition(sizes, count - 1 - rank, axis=-1)[..., count - 1 - rank]
    if not has_tail or alpha >= TAIL_PVALUE:
        return critical_values
    tail_fit = _fit_tail(sizes)
    return np.fmax(critical_values, tail_fit.start + tail_fit.excess * math.log(tail_fit.probability / alpha))


# tolerance of interval limits, in standard errors
_LIMIT_TOLERANCE = 0.02


def find_interval_end(
    compute_pvalue: Callable[[float], float], alpha: float, center: float, error: float, side: float, end: float
) -> float:
    """Return the limit of the non-rejected values on one side of `center`, at most `end` in absolute value."""
    step, last = 1.5 * error, center
    inside = center, 1.0
    rejected: list[tuple[float, float]] = []
    while len(rejected) < 3:
        value = last + side * step
        beyond = side * value >= end
        value = side * end if beyond else value
        p = compute_pvalue(value)
        if p > alpha:
            if beyond:
                return value
            inside, rejected = (value, p), []
            # at many errors from the center values are plausible only for few records or large noise
            step *= 1.0 if abs(value - center) < 6.0 * error else 1.5
        else:
            rejected.append((value, p))
            if beyond:
                break
        last = value
    return _bisect_pvalues(compute_pvalue, alpha, inside, rejected[0], _LIMIT_TOLERANCE * error)


def _bisect_pvalues(
    compute_pvalue: Callable[[float], float],
    alpha: float,
    inside: tuple[float, float],
    outside: tuple[float, float],
    tolerance: float,
) -> float:
    """Return a rejected value within `tolerance` of a non-rejected one, from a bracket of values with p-values."""
    middle = False
    while (gap := abs(outside[0] - inside[0])) > tolerance:
        share = 0.5
        if not middle and 0.0 < outside[1] and inside[1] > outside[1]:
            inside_score, target_score, outside_score = (float(ndtri(0.5 * p)) for p in (inside[1], alpha, outside[1]))
            # slightly inside of the interpolated limit, or slightly outside if the inner value is close
            share = (target_score - inside_score) / (outside_score - inside_score) - 0.4 * tolerance / gap
            share = min(share if share > 0.1 * tolerance / gap else 0.8 * tolerance / gap, 1.0 - 0.1 * tolerance / gap)
        value = inside[0] + share * (outside[0] - inside[0])
        p = compute_pvalue(value)
        if p > alpha:
            inside = value, p
        else:
            outside = value, p
        middle = abs(outside[0] - inside[0]) > 0.5 * gap
    return outside[0]

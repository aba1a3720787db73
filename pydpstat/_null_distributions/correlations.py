"""An interval of a correlation that is valid for every number of records, from the noisy sums alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pydpstat._null_distributions.weight_moments import PRODUCT_BASIS
from pydpstat._search import bisect_up
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.laplace import LaplaceNoise
from pydpstat.results._postprocessing import AsymmetricValue, NoiseQuantiles

# how many of the nine noises are in the sums of 1, z1, z2, z1 z2, z1^2, z2^2, each with the factor 1 or -1
_N_TERMS = tuple(int(count) for count in np.abs(PRODUCT_BASIS).sum(axis=1))
# the part of alpha that the ranges of means and variances get
_NUISANCE_SHARE = 0.1
# points in the range of the angle, and in that of each mean
_N_ANGLES, _N_MEANS = 41, 7


class Limits(NamedTuple):
    """Lower and upper end."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CorrelationValue(AsymmetricValue):
    """The published values are correlations, each from noisy sums of the nine weights of its pair.

    `size` is the number of records, where it is public, and `width` that of the variables of a matrix.
    """

    can_be_missing = True

    sums: tuple[tuple[float, ...], ...]
    size: int | None
    width: int | None = None

    def compute_interval(self, noise: NoiseQuantiles, value: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Return intervals between -1 and 1, each of which holds its correlation and the estimate."""
        ends = [compute_correlation_limits(sums, self.size, noise, alpha) for sums in self.sums]
        return make_interval_arrays(value, ends, self.width)


def make_interval_arrays(
    value: np.ndarray, limits: Sequence[tuple[float, float]], width: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs' ends in the shape of the correlations, and so that each interval holds its own.

    A correlation that is missing is in none.
    """
    both = np.array(limits).T
    if width is not None:
        # a variable's correlation with itself is 1 for certain
        both = np.array([make_symmetric_matrices(end, width, 1.0) for end in both])
    low, high = (end.reshape(value.shape) for end in both)
    return np.fmin(low, value), np.fmax(high, value)


def make_symmetric_matrices(values: np.ndarray, width: int, diagonal: float) -> np.ndarray:
    """Return symmetric matrices from what each has for its pairs of variables, in order."""
    first, second = np.triu_indices(width, 1)
    found = np.zeros((values.size // first.size, width, width))
    found[:, first, second] = found[:, second, first] = values.reshape(-1, first.size)
    found[:, range(width), range(width)] = diagonal
    return found


def compute_correlation_limits(
    sums: tuple[float, ...], size: int | None, noise: NoiseQuantiles, alpha: float
) -> Limits:
    """Return a range that holds the correlation of the records with probability 1 - alpha.

    `sums` are the noisy sums of the nine products of two variables' weights (`square_weights`), and `noise`
    is the distribution of their independent noises.

    With u and v the distances of z1 and z2 from their means, the correlation r solves
    ``2 s c sum(u v) = r (s^2 sum(u^2) + c^2 sum(v^2))``, where s / c is the standard deviation of v over
    that of u and s^2 + c^2 = 1. Both sides are linear in the nine sums, so for the true means and ratio
    the difference of the noisy sides is noise of a known distribution, whatever the number of records, and
    the r for which it is not too large are found as by Fieller. The means and the ratio are not known: a
    tenth of alpha goes to ranges that hold them all (Bonferroni), and the result is the union over a
    lattice of points in these ranges. It is -1 to 1 where a spread may be 0.

    (Fieller, E. C. (1954). Some problems in interval estimation. JRSS B 16, 175-185.)
    """
    # infinities, as of a scale near the largest float, end in the widest range
    with np.errstate(all="ignore"):
        ranges = _compute_moment_limits(np.array(sums), size, noise, _NUISANCE_SHARE * alpha)
        if ranges is None:
            return Limits(-1.0, 1.0)
        return _combine_limits(*ranges, np.array(sums), size, noise, (1.0 - _NUISANCE_SHARE) * alpha)


def _combine_limits(
    means: list[Limits],
    spreads: list[Limits],
    sums: np.ndarray,
    size: int | None,
    noise: NoiseQuantiles,
    alpha: float,
) -> Limits:
    """Return the union of the correlation's ranges over a lattice of means and ratios of the spreads."""
    angles = Limits(
        math.atan2(math.sqrt(spreads[1].low), math.sqrt(spreads[0].high)),
        math.atan2(math.sqrt(spreads[1].high), math.sqrt(spreads[0].low)),
    )
    # NumPy's sine has other last bits on other processors
    turns = np.array([complex(math.cos(angle), math.sin(angle)) for angle in np.linspace(*angles, _N_ANGLES)])
    lattice = np.meshgrid(turns, *(np.linspace(*each, _N_MEANS) for each in means), indexing="ij")
    turn, first, second = (each.ravel() for each in lattice)
    sine, cosine = turn.imag, turn.real
    one, z1, z2, product, square1, square2 = PRODUCT_BASIS[:, :, None]
    top = 2.0 * sine * cosine * (product - second * z1 - first * z2 + first * second * one)
    bottom = sine**2 * (square1 - 2.0 * first * z1 + first**2 * one)
    bottom = bottom + cosine**2 * (square2 - 2.0 * second * z2 + second**2 * one)
    return _solve_fieller(top, bottom, sums, size, _bound_weighted_quantile(noise, alpha / 2.0))


def _compute_moment_limits(
    sums: np.ndarray, size: int | None, noise: NoiseQuantiles, alpha: float
) -> tuple[list[Limits], list[Limits]] | None:
    """Return ranges of both means and both mean squares about them, which hold all but for alpha.

    None where they are empty, as noise beyond its range can make them, or a spread is 0 at most.
    """
    tail = alpha / (2.0 * (len(_N_TERMS) - (size is not None)))
    boxes = []
    for noisy, terms in zip((PRODUCT_BASIS @ sums).tolist(), _N_TERMS):
        reach = compute_sum_quantile(noise, terms, tail)
        boxes.append(Limits(noisy - reach, noisy + reach))
    count = boxes[0] if size is None else Limits(float(size), float(size))
    if count.high <= 0.0:
        return None
    means = [_bound_mean(box, count, -1.0) for box in boxes[1:3]]
    squares = [_bound_mean(box, count, 0.0) for box in boxes[4:]]
    if not all(each.low <= each.high for each in (*means, *squares)):
        return None
    spreads = []
    for mean, square in zip(means, squares):
        ends = mean.low * mean.low, mean.high * mean.high
        least = 0.0 if mean.low < 0.0 < mean.high else min(ends)
        spreads.append(Limits(max(square.low - max(ends), 0.0), square.high - least))
    return (means, spreads) if all(each.high > 0.0 for each in spreads) else None


def _bound_mean(sum_limits: Limits, count_limits: Limits, minimum: float) -> Limits:
    """Return the range of a mean of numbers between `minimum` and 1, from those of their sum and number."""
    if count_limits.low <= 0.0:
        return Limits(minimum, 1.0)
    low, high = (min(end / count_limits.low, end / count_limits.high) for end in (sum_limits.low, -sum_limits.high))
    return Limits(max(low, minimum), min(-high, 1.0))


def _solve_fieller(
    top: np.ndarray, bottom: np.ndarray, sums: np.ndarray, size: int | None, half_width: float
) -> Limits:
    """Return the smallest and largest r with ``|(top - r bottom)' sums| <= reach |top - r bottom|``.

    `top` and `bottom` have a column for each point of the lattice; without noise the products are 0.
    """
    # added up in order, as BLAS does not
    numerator, denominator = ((part * sums[:, None]).sum(axis=0) for part in (top, bottom))
    if size is not None:
        # the sums' own sum is known: what all coefficients have in common needs no noise
        common = top.mean(axis=0), bottom.mean(axis=0)
        excess = float(sums.sum()) - size
        numerator, denominator = numerator - common[0] * excess, denominator - common[1] * excess
        top, bottom = top - common[0], bottom - common[1]
    square = half_width * half_width
    a = denominator * denominator - square * (bottom * bottom).sum(axis=0)
    b = numerator * denominator - square * (top * bottom).sum(axis=0)
    c = numerator * numerator - square * (top * top).sum(axis=0)
    if not (a > 0.0).all():
        # the denominator may be 0
        return Limits(-1.0, 1.0)
    # at numerator / denominator the inequality holds, so there are roots
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    low, high = float(((b - root) / a).min()), float(((b + root) / a).max())
    # noise can move all of it beyond the ends that a correlation has
    return Limits(min(max(low, -1.0), 1.0), max(min(high, 1.0), -1.0))


def compute_sum_quantile(noise: NoiseQuantiles, n_terms: int, tail: float) -> float:
    """Return what the sum of so many independent noises passes with a probability of `tail`."""
    if isinstance(noise, GaussianNoise):
        return math.sqrt(n_terms) * float(noise.sd) * _bound_unit_quantile(True, tail)
    if isinstance(noise, LaplaceNoise):
        return float(noise.scale) * _compute_laplace_quantile(n_terms, tail)
    # where the sum passes so much, one of them passes its part
    return n_terms * float(np.asarray(noise.ppf(1.0 - tail / n_terms)))


def _bound_weighted_quantile(noise: NoiseQuantiles, tail: float) -> float:
    """Return what no sum of nine noises, whose weights have squares that add up to 1, passes more often."""
    if isinstance(noise, (GaussianNoise, LaplaceNoise)):
        return float(np.asarray(noise.std())) * _bound_unit_quantile(isinstance(noise, GaussianNoise), tail)
    # the sum is at most the noises' length as a vector, and that at most 3 times the largest of nine
    return 3.0 * float(np.asarray(noise.ppf(1.0 - tail / 18.0)))


@lru_cache(maxsize=64)
def _bound_unit_quantile(is_gaussian: bool, tail: float) -> float:
    """Return what no sum of noises of variance 1, with any weights, passes more often than with `tail`.

    Of Laplace variables with weights whose squares add up to 1 the sum passes a limit most often where
    some of the nine weights are equal and the others 0.

    (Szekely, G. J. and Bakirov, N. K. (2003). Extremal probabilities for Gaussian quadratic forms.
    Probability Theory and Related Fields 126, 184-202.)
    """
    if is_gaussian:
        return -NormalDist().inv_cdf(max(tail, 5e-324))
    return max(_compute_laplace_quantile(terms, tail) / math.sqrt(2.0 * terms) for terms in range(1, 10))


@lru_cache(maxsize=256)
def _compute_laplace_quantile(n_terms: int, tail: float) -> float:
    """Return the quantile of a sum of Laplace variables of scale 1."""
    return bisect_up(lambda x: _compute_laplace_tail(n_terms, x) > tail, steps=60)[1]


def _compute_laplace_tail(m: int, x: float) -> float:
    """Return the probability that the sum of Laplace variables of scale 1 passes x, which is not negative.

    There are m of them. Their sum is the difference of two Gamma variables G and H of the shape m, and
    ``P(G > x + H) = exp(-x) sum_i E[exp(-H) (x + H)^i] / i!`` over i below m, with
    ``E[exp(-H) H^k] = (m - 1 + k)! / ((m - 1)! 2^(m + k))``.
    """
    total = math.fsum(
        math.comb(i, k) * x ** (i - k) * math.perm(m - 1 + k, k) / (2.0 ** (m + k) * math.factorial(i))
        for i in range(m)
        for k in range(i + 1)
    )
    return math.exp(-x) * total

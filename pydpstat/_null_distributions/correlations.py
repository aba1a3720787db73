"""Noise intervals of correlations from noisy sums, valid for every number of records."""

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

# numbers of noises, with coefficients 1 or -1, in the sums of 1, z1, z2, z1 z2, z1^2, z2^2
_N_TERMS = tuple(int(count) for count in np.abs(PRODUCT_BASIS).sum(axis=1))
# fraction of alpha for the simultaneous intervals of means and variances
_NUISANCE_SHARE = 0.1
# numbers of lattice points for the angle and for each mean
_N_ANGLES, _N_MEANS = 41, 7


class Limits(NamedTuple):
    """Lower and upper limit."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CorrelationValue(AsymmetricValue):
    """Post-processing of correlations, each from the noisy sums of nine weights of a pair of variables.

    `size` is the number of records if public, and `width` the number of variables of a matrix.
    """

    can_be_missing = True

    sums: tuple[tuple[float, ...], ...]
    size: int | None
    width: int | None = None

    def compute_interval(self, noise: NoiseQuantiles, value: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Return intervals within [-1, 1], each of which contains its estimate."""
        limits = [compute_correlation_limits(sums, self.size, noise, alpha) for sums in self.sums]
        return make_interval_arrays(value, limits, self.width)


def make_interval_arrays(
    value: np.ndarray, limits: Sequence[tuple[float, float]], width: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits in the shape of the correlations, extended so that each interval contains its estimate.

    Estimates that are NaN are ignored.
    """
    stacked = np.array(limits).T
    if width is not None:
        # the correlation of a variable with itself is 1, without noise
        stacked = np.array([make_symmetric_matrices(end, width, 1.0) for end in stacked])
    low, high = (end.reshape(value.shape) for end in stacked)
    return np.fmin(low, value), np.fmax(high, value)


def make_symmetric_matrices(values: np.ndarray, width: int, diagonal: float) -> np.ndarray:
    """Return symmetric matrices from the values of the pairs of variables in row-major order."""
    rows, columns = np.triu_indices(width, 1)
    matrices = np.zeros((values.size // rows.size, width, width))
    matrices[:, rows, columns] = matrices[:, columns, rows] = values.reshape(-1, rows.size)
    matrices[:, range(width), range(width)] = diagonal
    return matrices


def compute_correlation_limits(
    sums: tuple[float, ...], size: int | None, noise: NoiseQuantiles, alpha: float
) -> Limits:
    """Return limits that contain the correlation of the records with probability at least 1 - alpha.

    `sums` are the noisy sums of the nine products of two variables' weights
    (`compute_product_weight_sums`), and `noise` is the distribution of their independent noises.

    With u and v the deviations of z1 and z2 from their means, the correlation r solves
    ``2 s c sum(u v) = r (s^2 sum(u^2) + c^2 sum(v^2))``, where s / c is the standard deviation of v over
    that of u and s^2 + c^2 = 1. Both sides are linear in the nine sums, so for the true means and ratio
    the difference of the noisy sides is noise of a known distribution, whatever the number of records, and
    the set of r for which it is not too large is found by Fieller's method. The means and the ratio are unknown: a
    tenth of alpha is spent on intervals that contain all of them (Bonferroni), and the result is the union over a
    lattice of points in these intervals. It is [-1, 1] if a variance may be 0.

    (Fieller, E. C. (1954). Some problems in interval estimation. JRSS B 16, 175-185.)
    """
    # infinities, such as for scales near the largest float, give the widest interval
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
    """Return the union of the correlation's intervals over a lattice of means and ratios of standard deviations."""
    angles = Limits(
        math.atan2(math.sqrt(spreads[1].low), math.sqrt(spreads[0].high)),
        math.atan2(math.sqrt(spreads[1].high), math.sqrt(spreads[0].low)),
    )
    # the last bits of NumPy's sine depend on the processor
    turns = np.array([complex(math.cos(angle), math.sin(angle)) for angle in np.linspace(*angles, _N_ANGLES)])
    lattice = np.meshgrid(turns, *(np.linspace(*values, _N_MEANS) for values in means), indexing="ij")
    turn, mean1, mean2 = (values.ravel() for values in lattice)
    sine, cosine = turn.imag, turn.real
    basis_one, z1, z2, product, square1, square2 = PRODUCT_BASIS[:, :, None]
    top = 2.0 * sine * cosine * (product - mean2 * z1 - mean1 * z2 + mean1 * mean2 * basis_one)
    bottom = sine**2 * (square1 - 2.0 * mean1 * z1 + mean1**2 * basis_one)
    bottom = bottom + cosine**2 * (square2 - 2.0 * mean2 * z2 + mean2**2 * basis_one)
    return _solve_fieller(top, bottom, sums, size, _bound_weighted_quantile(noise, alpha / 2.0))


def _compute_moment_limits(
    sums: np.ndarray, size: int | None, noise: NoiseQuantiles, alpha: float
) -> tuple[list[Limits], list[Limits]] | None:
    """Return simultaneous intervals, with error alpha, of both means and both variances (divisor n).

    None if an interval is empty, as extreme noise can make it, or if a variance must be 0.
    """
    tail_probability = alpha / (2.0 * (len(_N_TERMS) - (size is not None)))
    boxes = []
    for noisy, terms in zip((PRODUCT_BASIS @ sums).tolist(), _N_TERMS):
        half_width = compute_sum_quantile(noise, terms, tail_probability)
        boxes.append(Limits(noisy - half_width, noisy + half_width))
    size_limits = boxes[0] if size is None else Limits(float(size), float(size))
    if size_limits.high <= 0.0:
        return None
    means = [_bound_mean(box, size_limits, -1.0) for box in boxes[1:3]]
    squares = [_bound_mean(box, size_limits, 0.0) for box in boxes[4:]]
    if not all(limits.low <= limits.high for limits in (*means, *squares)):
        return None
    spreads = []
    for mean, square in zip(means, squares):
        squared_limits = mean.low * mean.low, mean.high * mean.high
        min_square = 0.0 if mean.low < 0.0 < mean.high else min(squared_limits)
        spreads.append(Limits(max(square.low - max(squared_limits), 0.0), square.high - min_square))
    return (means, spreads) if all(limits.high > 0.0 for limits in spreads) else None


def _bound_mean(sum_limits: Limits, count_limits: Limits, minimum: float) -> Limits:
    """Return the interval of a mean of numbers in [`minimum`, 1], from the intervals of their sum and number."""
    if count_limits.low <= 0.0:
        return Limits(minimum, 1.0)
    low, high = (min(end / count_limits.low, end / count_limits.high) for end in (sum_limits.low, -sum_limits.high))
    return Limits(max(low, minimum), min(-high, 1.0))


def _solve_fieller(
    top: np.ndarray, bottom: np.ndarray, sums: np.ndarray, size: int | None, half_width: float
) -> Limits:
    """Return the smallest and largest r with ``|(top - r bottom)' sums| <= half_width |top - r bottom|``.

    `top` and `bottom` have a column for each point of the lattice; without noise the products are 0.
    """
    # summed in a fixed order, unlike in BLAS
    numerator, denominator = ((coefficients * sums[:, None]).sum(axis=0) for coefficients in (top, bottom))
    if size is not None:
        # the total of the sums is public, so the common part of the coefficients has no noise
        mean_coefficients = top.mean(axis=0), bottom.mean(axis=0)
        excess = float(sums.sum()) - size
        numerator, denominator = numerator - mean_coefficients[0] * excess, denominator - mean_coefficients[1] * excess
        top, bottom = top - mean_coefficients[0], bottom - mean_coefficients[1]
    square = half_width * half_width
    a = denominator * denominator - square * (bottom * bottom).sum(axis=0)
    b = numerator * denominator - square * (top * bottom).sum(axis=0)
    c = numerator * numerator - square * (top * top).sum(axis=0)
    if not (a > 0.0).all():
        # the denominator may be 0
        return Limits(-1.0, 1.0)
    # the inequality holds at numerator / denominator, so there are real roots
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    low, high = float(((b - root) / a).min()), float(((b + root) / a).max())
    # noise can move the whole interval outside [-1, 1]
    return Limits(min(max(low, -1.0), 1.0), max(min(high, 1.0), -1.0))


def compute_sum_quantile(noise: NoiseQuantiles, n_terms: int, tail: float) -> float:
    """Return a limit that the sum of `n_terms` independent noises exceeds with probability at most `tail`."""
    if isinstance(noise, GaussianNoise):
        return math.sqrt(n_terms) * float(noise.sd) * _bound_unit_quantile(True, tail)
    if isinstance(noise, LaplaceNoise):
        return float(noise.scale) * _compute_laplace_quantile(n_terms, tail)
    # union bound: if the sum exceeds the limit, one noise exceeds its part
    return n_terms * float(np.asarray(noise.ppf(1.0 - tail / n_terms)))


def _bound_weighted_quantile(noise: NoiseQuantiles, tail: float) -> float:
    """Return a limit that no sum of nine weighted noises with unit norm of weights exceeds with more than `tail`."""
    if isinstance(noise, (GaussianNoise, LaplaceNoise)):
        return float(np.asarray(noise.std())) * _bound_unit_quantile(isinstance(noise, GaussianNoise), tail)
    # the sum is at most the Euclidean norm of the noises, which is at most 3 times the largest of nine
    return 3.0 * float(np.asarray(noise.ppf(1.0 - tail / 18.0)))


@lru_cache(maxsize=64)
def _bound_unit_quantile(is_gaussian: bool, tail: float) -> float:
    """Return a limit that no unit-norm combination of noises of variance 1 exceeds with more than `tail`.

    For Laplace variables the probability is largest if some of the nine weights are equal and the others 0.

    (Szekely, G. J. and Bakirov, N. K. (2003). Extremal probabilities for Gaussian quadratic forms.
    Probability Theory and Related Fields 126, 184-202.)
    """
    if is_gaussian:
        return -NormalDist().inv_cdf(max(tail, 5e-324))
    return max(_compute_laplace_quantile(terms, tail) / math.sqrt(2.0 * terms) for terms in range(1, 10))


@lru_cache(maxsize=256)
def _compute_laplace_quantile(n_terms: int, tail: float) -> float:
    """Return the upper quantile of a sum of `n_terms` Laplace variables of scale 1."""
    return bisect_up(lambda x: _compute_laplace_tail(n_terms, x) > tail, steps=60)[1]


def _compute_laplace_tail(m: int, x: float) -> float:
    """Return the probability that a sum of `m` Laplace variables of scale 1 exceeds x >= 0.

    The sum is the difference of two Gamma variables G and H of shape m, and
    ``P(G > x + H) = exp(-x) sum_i E[exp(-H) (x + H)^i] / i!`` over i below m, with
    ``E[exp(-H) H^k] = (m - 1 + k)! / ((m - 1)! 2^(m + k))``.
    """
    total = math.fsum(
        math.comb(i, k) * x ** (i - k) * math.perm(m - 1 + k, k) / (2.0 ** (m + k) * math.factorial(i))
        for i in range(m)
        for k in range(i + 1)
    )
    return math.exp(-x) * total

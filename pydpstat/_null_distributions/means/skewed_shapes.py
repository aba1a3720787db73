"""Shapes between the normal and the most skewed ones, and a t statistic that is corrected for skewness.

The t statistic of skewed records is skewed itself, the more so the rarer the distant records are. If a noisy
sum of z^3 is known, part of the skewness is removed (Hall, P. (1992). On the removal of skewness by
transformation. Journal of the Royal Statistical Society B 54, 221-228), and the p-value is not maximized over
shapes whose skewness the release rules out.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, ndtri

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.simulation import (
    NoiseFamily,
    compute_binomial_quantiles,
    compute_noise_quantiles,
    make_uniform_points,
)
from pydpstat.r_arithmetic.elementary import Floats

BooleanArray = npt.NDArray[np.bool_]
# fractions of the variance due to rare records: 0 is the normal shape, 1 the two-valued one
RARE_VARIANCE_SHARES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.27, 0.35, 0.45, 0.57, 0.72, 0.88, 1.0)
UPWARDS, DOWNWARDS = 1.0, -1.0
# smallest distance of a mean from a bound
_MIN_BOUND_DISTANCE = 1e-9
# smallest number of records for Johnson's approximation to the skewness of a normal sample
_MIN_JOHNSON_RECORDS = 8
# number of coordinates of a point without those of the noises
SHAPE_COORDINATES = 6
# exponents of the transformation to the tails for the coordinates of weighted points, and for the noises
_COORDINATE_STRETCHES = (3.0, 1.5, 3.0, 1.0, 1.0, 1.0)
_NOISE_STRETCHES = (2.5, 1.5)


class ShapeDraws(NamedTuple):
    """Weighted draws of the components of the sums of n records, and of the noises.

    `mean`, `square` and `cube` are those of n normal records, the latter two summed. `shares` are ascending,
    and `order` has the indices of their draws; `rare_component` is the component of the normal parts along
    the rare records.
    """

    mean: Floats
    square: Floats
    cube: Floats
    shares: Floats
    scores: Floats
    order: npt.NDArray[np.intp]
    rare_component: Floats
    residual_scores: Floats
    noises: Floats
    weights: tuple[Floats, Floats, Floats]

    @property
    def size(self) -> int:
        """Number of draws."""
        return int(self.mean.size)


@lru_cache(maxsize=32)
def draw_shape_reference(
    n: int,
    noise_family: NoiseFamily,
    n_noises: int,
    power: int,
    group: int = 0,
    groups: int = 1,
    has_far_draws: bool = False,
) -> ShapeDraws:
    """Return independent draws for n records of one of several groups; weighted ones if `has_far_draws`."""
    n_coordinates = SHAPE_COORDINATES + n_noises
    points = make_uniform_points(n_coordinates * groups, power)[n_coordinates * group : n_coordinates * (group + 1)]
    weights = np.ones(points.shape)
    if has_far_draws:
        powers = (*_COORDINATE_STRETCHES, *[_NOISE_STRETCHES[min(index, 1)] for index in range(n_noises)])
        tail_shares = 2.0 * np.minimum(points, 1.0 - points)
        stretches = np.array(powers)[:, None]
        lower_half = 0.5 * tail_shares**stretches
        weights = stretches * tail_shares ** (stretches - 1.0)
        points = np.where(points < 0.5, lower_half, 1.0 - lower_half)
    rare_component = ndtri(points[3])
    chi2 = rare_component * rare_component + (chdtri(n - 2, 1.0 - points[1]) if n > 2 else 0.0)
    mean = ndtri(points[0]) / math.sqrt(n)
    square = n * mean * mean + chi2
    cube = compute_skewness_quantiles(n, ndtri(points[5])) * chi2 * np.sqrt(chi2 / n)
    cube += mean * (3.0 * square - 2.0 * n * mean * mean)
    order = np.argsort(points[2], kind="stable")
    shares = points[2][order]
    noises = compute_noise_quantiles(points[SHAPE_COORDINATES:], noise_family)
    kinds = (weights[0] * weights[1], weights[2], np.prod(weights[SHAPE_COORDINATES:], axis=0))
    return ShapeDraws(
        mean=freeze_array(mean),
        square=freeze_array(square),
        cube=freeze_array(cube),
        shares=freeze_array(shares),
        scores=freeze_array(ndtri(shares)),
        order=freeze_array(order),
        rare_component=freeze_array(rare_component),
        residual_scores=freeze_array(ndtri(points[4])),
        noises=freeze_array(noises),
        weights=(freeze_array(kinds[0]), freeze_array(kinds[1]), freeze_array(kinds[2])),
    )


def compute_bound_distance(mean: float, side: float) -> float:
    """Return the distance of the bound on a side from the mean, at least a small positive number."""
    return max(1.0 - side * mean, _MIN_BOUND_DISTANCE)


def compute_skewness_quantiles(n: int, scores: Floats) -> Floats:
    """Return the quantiles of the sample skewness of n normal records, at normal scores.

    D'Agostino, R. B. (1970). Transformation to normality of the null distribution of g1. Biometrika 57.
    """
    if n < 3:
        return np.zeros_like(scores)
    sd = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3.0)))
    standardized = scores
    if n >= _MIN_JOHNSON_RECORDS:
        flat = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0)
        flat /= (n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0)
        square = math.sqrt(2.0 * (flat - 1.0)) - 1.0
        standardized = math.sqrt(2.0 / (square - 1.0)) * np.sinh(scores * math.sqrt(0.5 * math.log(square)))
    max_skewness = (n - 2.0) / math.sqrt(n - 1.0)
    return np.clip(sd * standardized, -max_skewness, max_skewness)


class CenteredSums(NamedTuple):
    """Sums of the deviations from a mean, of their squares and of their cubes."""

    first: Floats
    second: Floats
    third: Floats


def compute_centered_powers(mean: float, size: Floats, first: Floats, second: Floats, third: Floats) -> CenteredSums:
    """Return the sums about a mean from those of 1, z, z^2 and z^3."""
    return CenteredSums(
        first - mean * size,
        second - 2.0 * mean * first + mean * mean * size,
        third - 3.0 * mean * second + 3.0 * mean**2 * first - mean**3 * size,
    )


def simulate_shape_sums(
    draws: ShapeDraws, n: int, mean: float, variance: float, side: float, share: float
) -> CenteredSums:
    """Return the sums of n records about their mean at the draws.

    A record is b + a N: N is normal, and b has two values, one of them the bound on this side. `share` is the
    fraction of the variance due to b. With 0 this is the normal shape, and with 1 the most skewed one of this
    mean and variance (`simulate_centered_sums`). In between, most records are normal and rare ones are at the
    bound; among distributions with a given skewness, this one shows it in about the fewest records.

    With `b^2 = (far - near) b + far near` all but the last two sums are exact: that of `(b - B) N^2`, with B
    the mean of the b, is approximated by the mean of the normal parts of the rare records and a normal variable for
    their squares, and that of N^3 has the skewness of a normal sample.
    """
    if variance <= 0.0:
        return CenteredSums(*np.zeros((3, draws.size)))
    bound_distance = compute_bound_distance(mean, side)
    rare_variance = share * variance
    scale = math.sqrt(variance - rare_variance)
    first = second = third = np.zeros(draws.size)
    if share > 0.0:
        opposite = rare_variance / bound_distance
        count = np.empty(draws.size)
        count[draws.order] = compute_binomial_quantiles(
            n, rare_variance / (rare_variance + bound_distance * bound_distance), draws.shares, draws.scores
        )
        first = count * (bound_distance + opposite) - n * opposite
        second = count * (bound_distance * bound_distance - opposite * opposite) + n * opposite * opposite
        third = count * (bound_distance**3 + opposite**3) - n * opposite**3
    if share < 1.0:
        middle, square = draws.mean, draws.square
        if share > 0.0:
            rare_root = np.sqrt(np.maximum(second - first * first / n, 0.0))
            n_rarer = np.maximum(np.minimum(count, n - count), 1.0)
            bulge = (draws.rare_component**2 - 1.0 + np.sqrt(2.0 * (n_rarer - 1.0)) * draws.residual_scores) / np.sqrt(
                n_rarer
            )
            cross_sum = first * middle + rare_root * draws.rare_component
            third = third + 3.0 * scale * (
                (bound_distance - opposite) * cross_sum + bound_distance * opposite * n * middle
            )
            third += 3.0 * scale * scale * (first / n * square + rare_root * bulge)
            second = second + 2.0 * scale * cross_sum
        first = first + scale * n * middle
        second = second + scale * scale * square
        third = third + scale**3 * draws.cube
    return CenteredSums(side * first, second, side * third)


def correct_for_skewness(statistic: Floats, skewness: Floats) -> Floats:
    """Return Hall's monotone transformation of a t statistic, given the skewness of its numerator."""
    scaled = skewness * statistic
    corrected: Floats = statistic + skewness / 6.0 + statistic * scaled * (1.0 / 3.0 + scaled / 27.0)
    return corrected


def compute_centered_cubes(n: int, sums: CenteredSums) -> Floats:
    """Return the sum of cubes about the sample mean, from sums about another number."""
    mean = sums.first / n
    return sums.third - mean * (3.0 * sums.second - 2.0 * sums.first * mean)


_NODES, _MASSES = (freeze_array(each) for each in np.polynomial.hermite_e.hermegauss(8))


class ShapeMoments(NamedTuple):
    """Means of y^2 and of ``y^2 (1 - y / far)`` of a record's deviation y, and the variances of their sums per record.

    The sum of the latter about the sample mean varies as that of ``y^2 (1 - y / far) + 3 v y / far``.
    """

    square: Floats
    square_variance: Floats
    usual: Floats
    usual_variance: Floats


def compute_shape_moments(mean: float, variances: Floats, side: float) -> ShapeMoments:
    """Return these moments of records for all fractions of rare records (rows) and variances (columns)."""
    bound_distance = compute_bound_distance(mean, side)
    shares = np.array(RARE_VARIANCE_SHARES)[:, None]
    rare_variance = shares * variances
    chance, opposite, scale = (
        rare_variance / (rare_variance + bound_distance * bound_distance),
        rare_variance / bound_distance,
        np.sqrt(variances - rare_variance),
    )
    normal = scale[..., None] * _NODES
    masses = _MASSES / _MASSES.sum()
    moments = []
    for power in (0.0, 1.0):
        first, second = np.zeros_like(rare_variance), np.zeros_like(rare_variance)
        for weight, y in ((chance, bound_distance + normal), (1.0 - chance, normal - opposite[..., None])):
            value = y * y * (1.0 - power * y / bound_distance)
            derivative = value + power * 3.0 * variances[:, None] * y / bound_distance
            first += weight * (value @ masses)
            second += weight * (derivative * derivative @ masses)
        moments += [first, np.maximum(second - first**2, 0.0)]
    return ShapeMoments(*moments)


class MomentExceedances(NamedTuple):
    """Whether Q and E of a release are too large or too small, by shape (row) and variance (column)."""

    is_above: BooleanArray
    is_below: BooleanArray
    is_usual_above: BooleanArray
    is_usual_below: BooleanArray

    def find_plausible(self) -> BooleanArray:
        """Return a mask of the plausible shapes and variances; the true ones may lie between those of the grid.

        E decreases with the fraction of rare records, and Q and E increase with the variance.
        """
        following, previous = np.arange(1, self.is_above.shape[1] + 1), np.arange(-1, self.is_above.shape[1] - 1)
        following, previous = np.minimum(following, following.size - 1), np.maximum(previous, 0)
        rows = np.arange(self.is_above.shape[0])
        rarer, commoner = np.maximum(rows - 1, 0), np.minimum(rows + 1, rows.size - 1)
        is_excluded = self.is_above[:, following] | self.is_below[:, previous]
        is_excluded |= self.is_usual_above[rarer][:, following] | self.is_usual_below[commoner][:, previous]
        return np.asarray(~is_excluded)

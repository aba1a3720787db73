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
    each = SHAPE_COORDINATES + n_noises
    points = make_uniform_points(each * groups, power)[each * group : each * (group + 1)]
    weights = np.ones(points.shape)
    if has_far_draws:
        powers = (*_COORDINATE_STRETCHES, *[_NOISE_STRETCHES[min(place, 1)] for place in range(n_noises)])
        near = 2.0 * np.minimum(points, 1.0 - points)
        lengths = np.array(powers)[:, None]
        moved = 0.5 * near**lengths
        weights = lengths * near ** (lengths - 1.0)
        points = np.where(points < 0.5, moved, 1.0 - moved)
    across = ndtri(points[3])
    chi2 = across * across + (chdtri(n - 2, 1.0 - points[1]) if n > 2 else 0.0)
    mean = ndtri(points[0]) / math.sqrt(n)
    square = n * mean * mean + chi2
    cube = compute_skewness_quantiles(n, ndtri(points[5])) * chi2 * np.sqrt(chi2 / n)
    cube += mean * (3.0 * square - 2.0 * n * mean * mean)
    order = np.argsort(points[2], kind="stable")
    shares = points[2][order]
    drawn = compute_noise_quantiles(points[SHAPE_COORDINATES:], noise_family)
    kinds = (weights[0] * weights[1], weights[2], np.prod(weights[SHAPE_COORDINATES:], axis=0))
    return ShapeDraws(
        mean=freeze_array(mean),
        square=freeze_array(square),
        cube=freeze_array(cube),
        shares=freeze_array(shares),
        scores=freeze_array(ndtri(shares)),
        order=freeze_array(order),
        rare_component=freeze_array(across),
        residual_scores=freeze_array(ndtri(points[4])),
        noises=freeze_array(drawn),
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
    spread = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3.0)))
    found = scores
    if n >= _MIN_JOHNSON_RECORDS:
        flat = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0)
        flat /= (n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0)
        square = math.sqrt(2.0 * (flat - 1.0)) - 1.0
        found = math.sqrt(2.0 / (square - 1.0)) * np.sinh(scores * math.sqrt(0.5 * math.log(square)))
    most = (n - 2.0) / math.sqrt(n - 1.0)
    return np.clip(spread * found, -most, most)


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
    far = compute_bound_distance(mean, side)
    part = share * variance
    scale = math.sqrt(variance - part)
    first = second = third = np.zeros(draws.size)
    if share > 0.0:
        near = part / far
        count = np.empty(draws.size)
        count[draws.order] = compute_binomial_quantiles(n, part / (part + far * far), draws.shares, draws.scores)
        first = count * (far + near) - n * near
        second = count * (far * far - near * near) + n * near * near
        third = count * (far**3 + near**3) - n * near**3
    if share < 1.0:
        middle, square = draws.mean, draws.square
        if share > 0.0:
            apart = np.sqrt(np.maximum(second - first * first / n, 0.0))
            rare = np.maximum(np.minimum(count, n - count), 1.0)
            bulge = (draws.rare_component**2 - 1.0 + np.sqrt(2.0 * (rare - 1.0)) * draws.residual_scores) / np.sqrt(
                rare
            )
            both = first * middle + apart * draws.rare_component
            third = third + 3.0 * scale * ((far - near) * both + far * near * n * middle)
            third += 3.0 * scale * scale * (first / n * square + apart * bulge)
            second = second + 2.0 * scale * both
        first = first + scale * n * middle
        second = second + scale * scale * square
        third = third + scale**3 * draws.cube
    return CenteredSums(side * first, second, side * third)


def correct_for_skewness(statistic: Floats, skewness: Floats) -> Floats:
    """Return Hall's monotone transformation of a t statistic, given the skewness of its numerator."""
    lean = skewness * statistic
    found: Floats = statistic + skewness / 6.0 + statistic * lean * (1.0 / 3.0 + lean / 27.0)
    return found


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
    far = compute_bound_distance(mean, side)
    shares = np.array(RARE_VARIANCE_SHARES)[:, None]
    part = shares * variances
    chance, near, scale = part / (part + far * far), part / far, np.sqrt(variances - part)
    normal = scale[..., None] * _NODES
    masses = _MASSES / _MASSES.sum()
    found = []
    for power in (0.0, 1.0):
        first, second = np.zeros_like(part), np.zeros_like(part)
        for weight, y in ((chance, far + normal), (1.0 - chance, normal - near[..., None])):
            value = y * y * (1.0 - power * y / far)
            moved = value + power * 3.0 * variances[:, None] * y / far
            first += weight * (value @ masses)
            second += weight * (moved * moved @ masses)
        found += [first, np.maximum(second - first**2, 0.0)]
    return ShapeMoments(*found)


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
        more, less = np.arange(1, self.is_above.shape[1] + 1), np.arange(-1, self.is_above.shape[1] - 1)
        more, less = np.minimum(more, more.size - 1), np.maximum(less, 0)
        rows = np.arange(self.is_above.shape[0])
        rarer, others = np.maximum(rows - 1, 0), np.minimum(rows + 1, rows.size - 1)
        out = self.is_above[:, more] | self.is_below[:, less]
        out |= self.is_usual_above[rarer][:, more] | self.is_usual_below[others][:, less]
        return np.asarray(~out)

"""Shapes between the normal and the most skewed ones, and a t statistic that is corrected for skewness.

The t statistic of skewed records is skewed itself, the more so the fewer records are far off. If a noisy sum
of z^3 is known, part of the skewness is removed (Hall, P. (1992). On the removal of skewness by
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

from pydpstat._frozen import frozen
from pydpstat.inference._null_distributions.simulation import (
    NoiseLaw,
    binomial_quantiles,
    noise_quantiles,
    uniforms,
)
from pydpstat.r_arithmetic.elementary import Floats

# shares of the variance due to rare records far off: 0 is the normal shape, 1 has two values
SHARES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.27, 0.35, 0.45, 0.57, 0.72, 0.88, 1.0)
UPWARDS, DOWNWARDS = 1.0, -1.0
# least distance of a mean from a bound
_AT_BOUND = 1e-9
# least number of records for Johnson's approximation to the skewness of a normal sample
_JOHNSON = 8
# coordinates of a point besides those of the noises
COORDINATES = 6
# powers by which the coordinates of weighted points are stretched, and those of the noises
_STRETCHED = (3.0, 1.5, 3.0, 1.0, 1.0, 1.0)
_NOISES = (2.5, 1.5)


class Draws(NamedTuple):
    """Draws of the components of the sums of n records, and of the noises, with weights.

    `mean`, `square` and `cube` are those of n normal records, the latter two summed. `shares` are ascending,
    with the places of their draws in `order`; `across` is the component of the normal parts along the rare
    records.
    """

    mean: Floats
    square: Floats
    cube: Floats
    shares: Floats
    scores: Floats
    order: npt.NDArray[np.intp]
    across: Floats
    rest: Floats
    noises: Floats
    weights: tuple[Floats, Floats, Floats]

    @property
    def size(self) -> int:
        """The number of draws."""
        return int(self.mean.size)


@lru_cache(maxsize=32)
def draws_of(
    n: int, law: NoiseLaw, noises: int, power: int, group: int = 0, groups: int = 1, far: bool = False
) -> Draws:
    """Return draws for n records of one of several groups, independent of the others; weighted if `far`."""
    each = COORDINATES + noises
    points = uniforms(each * groups, power)[each * group : each * (group + 1)]
    weights = np.ones(points.shape)
    if far:
        powers = (*_STRETCHED, *[_NOISES[min(place, 1)] for place in range(noises)])
        near = 2.0 * np.minimum(points, 1.0 - points)
        lengths = np.array(powers)[:, None]
        moved = 0.5 * near**lengths
        weights = lengths * near ** (lengths - 1.0)
        points = np.where(points < 0.5, moved, 1.0 - moved)
    across = ndtri(points[3])
    chi2 = across * across + (chdtri(n - 2, 1.0 - points[1]) if n > 2 else 0.0)
    mean = ndtri(points[0]) / math.sqrt(n)
    square = n * mean * mean + chi2
    cube = normal_skewness(n, ndtri(points[5])) * chi2 * np.sqrt(chi2 / n)
    cube += mean * (3.0 * square - 2.0 * n * mean * mean)
    order = np.argsort(points[2], kind="stable")
    shares = points[2][order]
    drawn = noise_quantiles(points[COORDINATES:], law)
    kinds = (weights[0] * weights[1], weights[2], np.prod(weights[COORDINATES:], axis=0))
    return Draws(
        mean=frozen(mean),
        square=frozen(square),
        cube=frozen(cube),
        shares=frozen(shares),
        scores=frozen(ndtri(shares)),
        order=frozen(order),
        across=frozen(across),
        rest=frozen(ndtri(points[4])),
        noises=frozen(drawn),
        weights=(frozen(kinds[0]), frozen(kinds[1]), frozen(kinds[2])),
    )


def distance_to_bound(mean: float, side: float) -> float:
    """Return the distance of the bound on a side from the mean, slightly above 0 at the bound."""
    return max(1.0 - side * mean, _AT_BOUND)


def normal_skewness(n: int, scores: Floats) -> Floats:
    """Return the quantiles of the skewness of n normal records, at normal scores.

    D'Agostino, R. B. (1970). Transformation to normality of the null distribution of g1. Biometrika 57.
    """
    if n < 3:
        return np.zeros_like(scores)
    spread = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3.0)))
    found = scores
    if n >= _JOHNSON:
        flat = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0)
        flat /= (n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0)
        square = math.sqrt(2.0 * (flat - 1.0)) - 1.0
        found = math.sqrt(2.0 / (square - 1.0)) * np.sinh(scores * math.sqrt(0.5 * math.log(square)))
    most = (n - 2.0) / math.sqrt(n - 1.0)
    return np.clip(spread * found, -most, most)


class Centered(NamedTuple):
    """Sums of the distances from a mean, of their squares and of their cubes."""

    first: Floats
    second: Floats
    third: Floats


def shape_sums(draws: Draws, n: int, mean: float, variance: float, side: float, share: float) -> Centered:
    """Return the sums of n records about their mean at the draws.

    A record is b + a N: N is normal, and b has two values, one of them the bound on this side. `share` is the
    share of the variance due to b. With 0 this is the normal shape, and with 1 the most skewed one of this
    mean and variance (`simulation.centered_sums`). In between are normal records with rare ones at the
    bound; among distributions of one skewness, about the fewest records show it.

    With `b^2 = (far - near) b + far near` all but the last two sums are exact: that of `(b - B) N^2`, B being
    the mean of the b, is approximated as if the rare records had only the mean of their normal parts and
    squares of its variance, and that of N^3 has the skewness of a normal sample.
    """
    if variance <= 0.0:
        return Centered(*np.zeros((3, draws.size)))
    far = distance_to_bound(mean, side)
    part = share * variance
    scale = math.sqrt(variance - part)
    first = second = third = np.zeros(draws.size)
    if share > 0.0:
        near = part / far
        count = np.empty(draws.size)
        count[draws.order] = binomial_quantiles(n, part / (part + far * far), draws.shares, draws.scores)
        first = count * (far + near) - n * near
        second = count * (far * far - near * near) + n * near * near
        third = count * (far**3 + near**3) - n * near**3
    if share < 1.0:
        middle, square = draws.mean, draws.square
        if share > 0.0:
            apart = np.sqrt(np.maximum(second - first * first / n, 0.0))
            rare = np.maximum(np.minimum(count, n - count), 1.0)
            bulge = (draws.across**2 - 1.0 + np.sqrt(2.0 * (rare - 1.0)) * draws.rest) / np.sqrt(rare)
            both = first * middle + apart * draws.across
            third = third + 3.0 * scale * ((far - near) * both + far * near * n * middle)
            third += 3.0 * scale * scale * (first / n * square + apart * bulge)
            second = second + 2.0 * scale * both
        first = first + scale * n * middle
        second = second + scale * scale * square
        third = third + scale**3 * draws.cube
    return Centered(side * first, second, side * third)


def correct_for_skewness(statistic: Floats, skewness: Floats) -> Floats:
    """Return Hall's monotone transformation of a t statistic, given the skewness of its numerator."""
    lean = skewness * statistic
    found: Floats = statistic + skewness / 6.0 + statistic * lean * (1.0 / 3.0 + lean / 27.0)
    return found


def cube_about_mean(n: int, sums: Centered) -> Floats:
    """Return the sum of cubes about the sample's mean, from sums about another number."""
    mean = sums.first / n
    return sums.third - mean * (3.0 * sums.second - 2.0 * sums.first * mean)


_NODES, _MASSES = (frozen(each) for each in np.polynomial.hermite_e.hermegauss(8))


class Moments(NamedTuple):
    """Mean of a record's square y^2 and of ``y^2 (1 - y / far)``, and what they add to the variances of sums.

    A sum of the latter about the sample's mean varies as that of ``y^2 (1 - y / far) + 3 v y / far`` does.
    """

    square: Floats
    square_variance: Floats
    usual: Floats
    usual_variance: Floats


def shape_moments(mean: float, variances: Floats, side: float) -> Moments:
    """Return these moments of records of all shares, in rows, and variances."""
    far = distance_to_bound(mean, side)
    shares = np.array(SHARES)[:, None]
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
    return Moments(*found)

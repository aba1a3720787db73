"""Probabilities far below one in the number of draws: stretched points, and one noise that is integrated."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, ndtr, ndtri

from pydpstat._frozen import frozen
from pydpstat.inference._laws.reference import Reference, noise_quantiles, uniforms
from pydpstat.inference._laws.shapes import NORMAL, centered_sums

Floats = npt.NDArray[np.float64]
# how far points are stretched: normal variables and binomial shares, chi-square ones, and noises
_FAR, _SQUARES, _NOISES = 3.0, 1.5, 2.5
# errors of the weighted draws that are added
_ERRORS = 2.0


class Stretched(NamedTuple):
    """Weighted reference draws of one of several groups."""

    draws: Reference
    normal: Floats
    binomial: Floats
    noises: Floats

    def weights(self, shape: int, without: int | None = None) -> Floats:
        """Return the weights of points for records of a shape, a noise being left open."""
        found = self.normal if shape == NORMAL else self.binomial
        for place, each in enumerate(self.noises):
            if place != without:
                found = found * each
        return found

    def sums(self, n: int, mean: float, variance: float, shape: int) -> tuple[Floats, Floats]:
        """Return sums of n records about their mean, and of squares, at the points."""
        return centered_sums(self.draws, n, mean, variance, shape)


@lru_cache(maxsize=16)
def stretched(n: int, law: str, noises: int, power: int, group: int = 0, groups: int = 1) -> Stretched:
    """Return weighted draws for n records of one of several groups, whose draws are independent."""
    each = 3 + noises
    points = uniforms(each * groups, power)[each * group : each * (group + 1)]
    powers = (_FAR, _SQUARES, _FAR, *[_NOISES] * noises)
    moved = [_stretched(row, stretch) for row, stretch in zip(points, powers)]
    shares, weights = (np.array(each) for each in zip(*moved))
    order = np.argsort(shares[2], kind="stable")
    ordered = shares[2][order]
    chi2 = chdtri(n - 1, 1.0 - shares[1]) if n > 1 else np.zeros(shares.shape[1])
    drawn = noise_quantiles(shares[3:], law)
    parts = (ndtri(shares[0]), chi2, ordered, ndtri(ordered), order, drawn)
    normal, binomial = weights[0] * weights[1], weights[2]
    return Stretched(Reference(*map(frozen, parts)), frozen(normal), frozen(binomial), frozen(weights[3:]))


def _stretched(shares: Floats, power: float) -> tuple[Floats, Floats]:
    """Return shares nearer to 0 and 1, and how much less frequent they are."""
    near = 2.0 * np.minimum(shares, 1.0 - shares)
    moved = 0.5 * near**power
    return np.where(shares < 0.5, moved, 1.0 - moved), power * near ** (power - 1.0)


def survival(y: Floats, law: str) -> Floats:
    """Return how probable a noise of scale 1 above y is."""
    if law == "normal":
        return np.asarray(ndtr(-y))
    side = 0.5 * np.exp(-np.abs(y))
    return np.where(y >= 0.0, side, 1.0 - side)


class Quadratic(NamedTuple):
    """Sums as functions of the noise y that is left open: first + slope y, and zero + one y + two y^2."""

    first: Floats
    slope: float
    zero: Floats
    one: Floats | float
    two: float

    def turned(self) -> Quadratic:
        """Return them with the sign of the first and of the noise changed, which is symmetric."""
        return self._replace(first=-self.first, one=-self.one)


def conditional(sums: Quadratic, t: float, least: float, law: str) -> Floats:
    """Return how probable it is that the first sum is at least t roots of the second one, and `least`."""
    lowest = (least - sums.first) / sums.slope
    a = sums.slope * sums.slope - t * t * sums.two
    b = sums.first * sums.slope - 0.5 * t * t * sums.one
    c = sums.first * sums.first - t * t * sums.zero
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    # without cancellation
    far = -b - np.copysign(root, b)
    ends = far / a, np.divide(c, far, out=np.zeros_like(far), where=far != 0.0)
    low = np.maximum(np.minimum(*ends), lowest)
    high = np.maximum(np.maximum(*ends), lowest)
    found = survival(lowest, law) - np.where(root > 0.0, survival(low, law) - survival(high, law), 0.0)
    return np.maximum(found, 0.0)


def extreme(sums: Quadratic, ways: Iterable[float], t: float, least: float, law: str) -> Floats:
    """Return the probabilities of `conditional` for sums as they are (a way of 1), turned (-1), or both."""
    found = np.zeros_like(sums.first)
    for way in ways:
        found += conditional(sums if way > 0.0 else sums.turned(), t, least, law)
    return found


def mean_above(values: Floats) -> float:
    """Return the mean of weighted draws, and some of its standard errors on top."""
    mean = float(values.mean())
    return mean + _ERRORS * math.sqrt(max(float(np.square(values).mean()) - mean * mean, 0.0) / values.size)

"""Equations of a logistic regression with steep slopes: where they are weighted, and what they say.

Bounds that are wide beside a predictor's values hide how steep a slope is: a line cannot follow the curve
between the bounds. Here nothing is taken off. The equations are sums of (y - s(v'b)) a, where a are the
predictors about their noisy means, in units of a few of their noisy standard deviations, and clipped there.
The linear predictor v'b is not clipped: the expected value is 0 at the true coefficients whatever the weights
a are, and whatever share of the records lies beyond them. So a window that is too narrow costs precision,
and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen, frozen
from pydpstat.inference._null_distributions.logistic_cells import FARTHEST, CellTable, Line, lifted, start
from pydpstat.inference._null_distributions.noisy_logit import LogitLaw, symmetric
from pydpstat.inference._null_distributions.simulation import NORMAL
from pydpstat.mechanisms.mechanism import parts_of
from pydpstat.r_arithmetic.elementary import Floats

# of epsilon the information gets so much at least and at most, and between that so much for each unit that it
# moves by, over records times epsilon: then its noise is about a sixteenth of it
_LEAST, _MOST, _INFORMED = 0.1, 0.4, 250.0
# standard deviations from its mean to which a predictor's weight grows, at least
_NEAR = 2.5
# so many times the noise the sampling error of the equations is at least, where windows are wider
_BESIDE = 5.0
# and so many times its noise the information on a slope
_ABOVE = 20.0
# the standard deviation of y - s(v'b), about
_RESIDUAL = 0.4
_NARROWEST = 2.0**-20
# how far the log odds are moved by a step, and how far they reach, in standard deviations of the records
_STEP, _REACH = 2.0, 8.0
# equations one after another: the share of what is left that those before the last get, and how many there
# are at most where their noise is up to so many times the sampling error; further ones would not be nearer
_SHARE = 0.25
_STAGES = ((1.0, 6), (2.5, 3), (math.inf, 1))
# standard deviations of the equations that curvature moves them by over a step: the next one is the last one,
# tests take them off, and nothing is said
_NEXT, _OFF, _FAR = 0.1, 0.25, 0.5
# the noise of variances, as a share of them, from which on moments within a window follow, and from which on
# slopes may be steep whatever they look like
_BLURRED, _HIDDEN = 0.05, 0.25
# the share of what is left that moments within a window get, and the largest correlation after them
_MOMENTS, _TOGETHER = 0.1, 0.9
# from so many records times epsilon for each coefficient on, a further step costs little
_ENOUGH = 1000.0


@dataclass(frozen=True, eq=False)
class Scaling(Frozen):
    """How numbers become others: less a middle, and divided by a half width."""

    middle: Floats
    half: Floats

    @property
    def combinations(self) -> Floats:
        """The coefficients of the numbers themselves, as combinations of those of the scaled ones."""
        size = self.half.size + 1
        found = np.zeros((size, size))
        found[0, 0] = 1.0
        found[0, 1:] = -self.middle / self.half
        found[np.arange(1, size), np.arange(1, size)] = 1.0 / self.half
        return found

    @property
    def scaled(self) -> Floats:
        """The coefficients of the scaled numbers, as combinations of those of the numbers themselves."""
        size = self.half.size + 1
        found = np.zeros((size, size))
        found[0, 0] = 1.0
        found[0, 1:] = self.middle
        found[np.arange(1, size), np.arange(1, size)] = self.half
        return found


@dataclass(frozen=True, eq=False)
class NoisySums(Frozen):
    """Noisy sums of v (y - 1/2) and of v v' over the records, for v = (1, z) within [-1, 1].

    `deviations` are the standard deviations of the noise of the products' diagonal.
    """

    records: float
    response: Floats
    products: Floats
    deviations: Floats
    numeric: tuple[bool, ...]

    @cached_property
    def mean(self) -> Floats:
        """The means of z."""
        return frozen(np.clip(self.products[0, 1:] / self.records, -1.0, 1.0))

    @cached_property
    def spread(self) -> Floats:
        """The covariances of z."""
        return frozen(self.products[1:, 1:] / self.records - np.outer(self.mean, self.mean))

    def start(self, ridge: float) -> Floats:
        """Return the coefficients that normal predictors would have, however steep."""
        mean = self.mean
        share = float(self.response[0]) / self.records + 0.5
        joint = self.response[1:] / self.records + 0.5 * mean - mean * share
        return start(self.records, share, mean, self.spread, joint, ridge)

    def window(self, equation: float = math.inf, information: float = math.inf) -> Scaling:
        """Return where predictors are weighted, if these are the standard deviations of the noise.

        It is within some standard deviations of the mean, but not beyond the bounds. Twice what the noise
        moves the variance by is added. The less noise, the wider: weights that are not clipped are the most
        precise ones.
        """
        sampled = _RESIDUAL * math.sqrt(self.records) / (_BESIDE * max(equation, 1e-300))
        informed = math.sqrt(_RESIDUAL**2 * self.records / (_ABOVE * max(information, 1e-300)))
        wide = min(sampled, informed)
        half = np.clip(max(_NEAR, wide) * np.sqrt(self._most), _NARROWEST, 1.0 + np.abs(self.mean))
        numeric = np.array(self.numeric)
        return Scaling(np.where(numeric, self.mean, 0.0), np.where(numeric, half, 1.0))

    @property
    def _most(self) -> Floats:
        """The variances of z, and twice what the noise moves them by."""
        return np.maximum(np.diag(self.spread), 0.0) + 2.0 * self.deviations[1:] / self.records

    def noisy(self, share: float) -> npt.NDArray[np.bool_]:
        """Tell of which numbers' variances the noise is larger than a share of them."""
        noise = self.deviations[1:] / self.records
        return (noise > share * np.diag(self.spread)) & np.array(self.numeric, dtype=bool)

    @property
    def hidden(self) -> npt.NDArray[np.bool_]:
        """Which numbers' variances the noise hides, so that slopes may be steep whatever they look like."""
        return self.noisy(_HIDDEN)

    def about(self, window: Scaling) -> Floats:
        """Return the products of the constant and the scaled predictors, beyond their window as well.

        What curvature does must not look small because noise made variances small.
        """
        products = self.products.copy()
        places = np.arange(1, len(products))
        products[places, places] += self.records * (self._most - np.diag(self.spread))
        turned = window.combinations.T
        return turned @ products @ turned.T

    def held(self, b: Floats) -> Floats:
        """Return coefficients whose log odds do not vary more than a curve tells apart."""
        spread = lifted(self.spread, 1e-12)
        sd = math.sqrt(max(float(b[1:] @ spread @ b[1:]), 0.0))
        middle = float(b[0] + self.mean @ b[1:])
        slopes = b[1:] * min(1.0, _REACH / max(sd, 1e-300))
        most = 2.0 * _REACH
        return np.concatenate([[min(max(middle, -most), most) - float(self.mean @ slopes)], slopes])


def sums_of(table: CellTable) -> NoisySums:
    """Return the noisy sums over all cells, the indicators of levels being 0 or 1."""
    rows, numbers = table.rows, list(table.numbers)
    sizes, totals = table.counts.sum(axis=1), table.sums.sum(axis=1)
    products = (rows.T * sizes) @ rows
    crossed = rows.T @ totals
    products[:, numbers] += crossed
    products[numbers, :] += crossed.T
    products[np.ix_(numbers, numbers)] = table.products
    response = rows.T @ (table.counts[:, 1] - table.counts[:, 0])
    response[numbers] = (table.sums[:, 1] - table.sums[:, 0]).sum(axis=0)
    deviations = np.sqrt(2.0 * table.variance * np.square(rows).sum(axis=0))
    deviations[numbers] = math.sqrt(table.products_variance) * np.diag(symmetric(table.units, len(numbers)))
    numeric = tuple(place in numbers for place in range(1, rows.shape[1]))
    return NoisySums(max(float(sizes.sum()), 1.0), 0.5 * response, products, deviations, numeric)


@dataclass(frozen=True, eq=False)
class EquationLaw(LogitLaw):
    """What noisy equations of which nothing was taken off say, in the units of their window."""

    arrived: ClassVar[float] = _OFF

    @cached_property
    def bent(self) -> float:
        """By how many standard deviations curvature moves the equations, of a normal linear predictor."""
        return self._bent_by((NORMAL,))

    def _length(self, step: Floats) -> float:
        """Return by how much a step moves the log odds, at most as the records lie."""
        mean = self._spread[0]
        own = math.sqrt(max(float(step[1:] @ self._spread[1] @ step[1:]), 0.0))
        return abs(float(mean @ step)) + own

    def known(self, combination: Floats) -> bool:
        """Tell whether the equations were solved, and the information on the others stands out."""
        return not self.limited and super().known(combination)

    def _unit(self, combination: Floats) -> float:
        """Return a step of the search for ends: a standard error, as windows may be wide."""
        found = self.deviation(combination)
        return found if math.isfinite(found) else super()._unit(combination)

    @property
    def limited(self) -> bool:
        """Whether the coefficients were not followed as far as the equations lead."""
        return self._cut < 1.0 or self.bent > _FAR


@dataclass(frozen=True, eq=False)
class WindowedLogit(Frozen):
    """What the last equations say of combinations of the coefficients of the predictors in their bounds."""

    law: EquationLaw
    window: Scaling

    @cached_property
    def basis(self) -> Floats:
        """The coefficients as combinations of those in the window's units."""
        return frozen(self.window.combinations)

    @cached_property
    def estimate(self) -> Floats:
        """The coefficients after one step from the center."""
        return frozen(self.basis @ self.law.estimate)

    @property
    def limited(self) -> bool:
        """Whether the coefficients were not followed as far as the equations lead."""
        return self.law.limited

    def regularized(self) -> Floats:
        """Return estimates of all coefficients for predictions, of a size that steps are limited to."""
        return self.estimate

    def known(self, combination: Floats) -> bool:
        """Tell whether the information on the other coefficients stands out from its noise."""
        return self.law.known(combination @ self.basis)

    def deviation(self, combination: Floats) -> float:
        """Return the standard error of combination'b: sampling and noise."""
        return self.law.deviation(combination @ self.basis)

    def pvalue(self, combination: Floats, value: float) -> float:
        """Return the two-sided p-value of the hypothesis that combination'b is `value`."""
        return self.law.pvalue(combination @ self.basis, value)

    def ends(self, combination: Floats, alpha: float) -> tuple[float, float]:
        """Return the values that are not rejected, infinite where they have no end."""
        return self.law.ends(combination @ self.basis, alpha)


class Place(NamedTuple):
    """Where equations are asked for: coefficients in a window's units, and what share information gets."""

    center: Floats
    window: Scaling
    share: float


# releases numbers for some epsilon, and tells the scale of their noise
Noisy = tuple[Floats, float]


class Asked(NamedTuple):
    """What can be asked of the records, and by how much a change moves it.

    By `limits` a change moves equations and information at most, the latter in quarters. `moments` are means
    and mean squares within a window, multiplied by `unit`.
    """

    limits: tuple[int, int]
    unit: float
    moments: Callable[[Scaling, float], Noisy]
    equations: Callable[[Place, float], Noisy]


def rest_of(epsilons: tuple[float, ...]) -> float:
    """Return what is left of epsilon for stages that have not been asked for; rounded down."""
    exact = sum(map(Fraction, epsilons), Fraction(0))
    found = float(exact)
    return found if found <= exact else math.nextafter(found, 0.0)


def enough(records: float, epsilon: float, size: int) -> bool:
    """Tell whether the noise is small enough for further steps, and for slopes to look steep that are."""
    return records * epsilon >= _ENOUGH * size


def steep(slopes: Floats, sums: NoisySums, most: float = FARTHEST) -> bool:
    """Tell whether slopes in units of the bounds are too steep for lines in the curve's place, or may be."""
    return float(np.abs(slopes).sum()) > most or bool(sums.hidden.any())


def nearer(sums: NoisySums, epsilon: float, asked: Asked) -> NoisySums:
    """Return sums with means and variances of the numbers that noise hides less: those within a window."""
    window = sums.window()
    noisy, scale = asked.moments(window, epsilon)
    numeric, n = np.array(sums.numeric), sums.records
    first, second = np.split(noisy / (asked.unit * n), 2)
    noise = math.sqrt(2.0) * scale / asked.unit
    half = window.half[numeric]
    mean, variance = sums.mean.copy(), np.maximum(np.diag(sums.spread), 0.0)
    mean[numeric] = window.middle[numeric] + half * np.clip(first, -1.0, 1.0)
    variance[numeric] = half * half * np.maximum(second - first * first, 0.0)
    sds = np.sqrt(variance)
    spread = np.clip(sums.spread, -_TOGETHER * np.outer(sds, sds), _TOGETHER * np.outer(sds, sds))
    np.fill_diagonal(spread, variance)
    products = sums.products.copy()
    products[0, 1:] = products[1:, 0] = n * mean
    products[1:, 1:] = n * (spread + np.outer(mean, mean))
    deviations = sums.deviations.copy()
    deviations[1:][numeric] = half * half * noise
    return replace(sums, products=products, deviations=deviations)


def solved(sums: NoisySums, center: Floats, epsilon: float, asked: Asked) -> WindowedLogit:
    """Return what equations say that are released one after another, each at the last ones' estimates.

    The last ones get all that is left of epsilon, as soon as curvature moves the equations little. Where
    noise blurs variances, moments within a window come first.
    """
    limits = asked.limits
    d, left = center.size, epsilon
    if sums.noisy(_BLURRED).any():
        left, own = parts_of(left, (1.0 - _MOMENTS, _MOMENTS))
        sums = nearer(sums, own, asked)
        center = sums.start(float(sums.deviations[1:].min()) / sums.records + 1e-12)
    found: WindowedLogit | None = None
    noise = math.sqrt(2.0) * limits[0] / (_SHARE * left) / (_RESIDUAL * math.sqrt(sums.records) / _NEAR)
    most = next(count for least, count in _STAGES if noise <= least)
    for stage in range(most, 0, -1):
        last = stage == 1 or (found is not None and found.law.bent <= _NEXT and not found.limited)
        left, own = (0.0, left) if last else parts_of(left, (1.0 - _SHARE, _SHARE))
        share = min(max(_INFORMED * limits[1] / (own * sums.records), _LEAST), _MOST)
        unit, informed = limits[0] / (1.0 - share), 0.25 * limits[1] / share
        window = sums.window(math.sqrt(2.0) * unit / own, math.sqrt(2.0) * informed / own)
        at = Place(window.scaled @ sums.held(center), window, share)
        noisy, scale = asked.equations(at, own)
        number = noisy.size - d
        law = EquationLaw(
            at.center,
            unit * noisy[:d],
            informed * symmetric(noisy[d:], d),
            sums.about(window),
            sums.records,
            _NOTHING_TAKEN,
            np.zeros(d),
            np.zeros(number),
            np.full(d, unit * scale),
            np.full(number, informed * scale),
        )
        found = WindowedLogit(law, window)
        if last:
            return found
        center = found.estimate
    raise AssertionError


# nothing is taken off the equations
_NOTHING_TAKEN = Line(0.0, 0.0, 1.0, 0.0, 1.0)

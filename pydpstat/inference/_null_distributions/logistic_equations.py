"""Estimating equations of a logistic regression with steep slopes, and the windows of their weights.

If bounds are wide in relation to a predictor's values, slopes are steep between them, and a line cannot
approximate the logistic curve there. The equations here need no line: they are sums of (y - s(v'b)) a, where
a are the predictors minus their noisy means, in units of a few of their noisy standard deviations, clipped
to [-1, 1]. The linear predictor v'b is not clipped. At the true coefficients the expected value is 0 for all
weights a, whatever share of the records they clip: a window that is too narrow costs only precision.
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

# least and largest share of epsilon for the information, and the factor of its sensitivity over records times
# epsilon in between, with which its noise is about a sixteenth of it
_LEAST, _MOST, _INFORMED = 0.1, 0.4, 250.0
# least half width of a window, in standard deviations
_NEAR = 2.5
# windows grow while the sampling error of the equations is at least this multiple of their noise
_BESIDE = 5.0
# and the information on a slope at least this multiple of its noise
_ABOVE = 20.0
# approximate standard deviation of y - s(v'b)
_RESIDUAL = 0.4
_NARROWEST = 2.0**-20
# largest standard deviation of the log odds over the records
_REACH = 8.0
# the share of the remaining epsilon for stages before the last, and the largest numbers of stages if noise is
# at most a multiple of the sampling error
_SHARE = 0.25
_STAGES = ((1.0, 6), (2.5, 3), (math.inf, 1))
# curvature over a step, in standard deviations of the equations, from which on: the next stage is not the
# last, tests subtract it, there is no estimate
_NEXT, _OFF, _FAR = 0.1, 0.25, 0.5
# the noise of the equations below which more of them are asked for, as a multiple of their sampling error
_NEGLIGIBLE = 0.01
# the noise of variances, relative to them, above which moments within a window are released, and above which
# slopes may be steep although they do not look so
_BLURRED, _HIDDEN = 0.05, 0.25
# the share of the remaining epsilon for moments within a window, and the largest correlation after them
_MOMENTS, _TOGETHER = 0.1, 0.9
# from this number of records times epsilon per coefficient on, a further step costs little
_ENOUGH = 1000.0


@dataclass(frozen=True, eq=False)
class Scaling(Frozen):
    """An affine scaling of numbers: minus a middle, divided by a half width."""

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
class LogitSums(Frozen):
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
        """Return the window of the weights, given the standard deviations of the noise.

        It covers some standard deviations about the mean, but nothing beyond the bounds. Twice the noise of
        the variance is added. With less noise it is wider, since unclipped weights are the most precise.
        """
        sampled = _RESIDUAL * math.sqrt(self.records) / (_BESIDE * max(equation, 1e-300))
        informed = math.sqrt(_RESIDUAL**2 * self.records / (_ABOVE * max(information, 1e-300)))
        wide = min(sampled, informed)
        half = np.clip(max(_NEAR, wide) * np.sqrt(self._most), _NARROWEST, 1.0 + np.abs(self.mean))
        numeric = np.array(self.numeric)
        return Scaling(np.where(numeric, self.mean, 0.0), np.where(numeric, half, 1.0))

    @property
    def _most(self) -> Floats:
        """Upper limits of the variances of z: twice the standard deviation of the noise is added."""
        return np.maximum(np.diag(self.spread), 0.0) + 2.0 * self.deviations[1:] / self.records

    def noisy(self, share: float) -> npt.NDArray[np.bool_]:
        """Tell for which numeric predictors the noise of the variance is larger than a share of it."""
        noise = self.deviations[1:] / self.records
        return (noise > share * np.diag(self.spread)) & np.array(self.numeric, dtype=bool)

    @property
    def hidden(self) -> npt.NDArray[np.bool_]:
        """Numeric predictors whose variance the noise hides: their slopes may be steep."""
        return self.noisy(_HIDDEN)

    def about(self, window: Scaling) -> Floats:
        """Return the products of the constant and the scaled predictors, also beyond the window.

        Variances have their upper limits, so that the effect of curvature is not underestimated.
        """
        products = self.products.copy()
        places = np.arange(1, len(products))
        products[places, places] += self.records * (self._most - np.diag(self.spread))
        turned = window.combinations.T
        return turned @ products @ turned.T

    def held(self, b: Floats) -> Floats:
        """Return coefficients shrunk so that the log odds have a standard deviation of at most `_REACH`."""
        spread = lifted(self.spread, 1e-12)
        sd = math.sqrt(max(float(b[1:] @ spread @ b[1:]), 0.0))
        middle = float(b[0] + self.mean @ b[1:])
        slopes = b[1:] * min(1.0, _REACH / max(sd, 1e-300))
        most = 2.0 * _REACH
        return np.concatenate([[min(max(middle, -most), most) - float(self.mean @ slopes)], slopes])


def add_up_cells(table: CellTable) -> LogitSums:
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
    return LogitSums(max(float(sizes.sum()), 1.0), 0.5 * response, products, deviations, numeric)


@dataclass(frozen=True, eq=False)
class EquationLaw(LogitLaw):
    """The distribution of noisy equations, in the units of their window."""

    arrived: ClassVar[float] = _OFF

    @cached_property
    def bent(self) -> float:
        """Effect of curvature in standard deviations of the equations, for a normal linear predictor."""
        return self._bent_by((NORMAL,))

    def _length(self, step: Floats) -> float:
        """Return the change of the log odds by a step: at the mean, plus one standard deviation."""
        mean = self._spread[0]
        own = math.sqrt(max(float(step[1:] @ self._spread[1] @ step[1:]), 0.0))
        return abs(float(mean @ step)) + own

    def known(self, combination: Floats) -> bool:
        """Tell whether the equations were solved, and the information exceeds its noise."""
        return not self.limited and super().known(combination)

    def _unit(self, combination: Floats) -> float:
        """Return the unit of the search for ends: a standard error, since windows may be wide."""
        found = self.deviation(combination)
        return found if math.isfinite(found) else super()._unit(combination)

    @property
    def limited(self) -> bool:
        """Whether the coefficients were not followed as far as the equations lead."""
        return self._cut < 1.0 or self.bent > _FAR


@dataclass(frozen=True, eq=False)
class WindowedLogit(Frozen):
    """The last equations, for combinations of the coefficients of the predictors scaled by their bounds."""

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
        """Return estimates of all coefficients for predictions; the limited steps bound their size."""
        return self.estimate

    def known(self, combination: Floats) -> bool:
        """Tell whether the information on the other coefficients exceeds its noise."""
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


class EquationPoint(NamedTuple):
    """Where equations are evaluated: coefficients in a window's units, and the information's share."""

    center: Floats
    window: Scaling
    share: float


# noisy numbers, and the scale of their noise
Noisy = tuple[Floats, float]


class Queries(NamedTuple):
    """The queries to the records, and their sensitivities.

    `limits` are the sensitivities of equations and information, the latter in quarters. `moments` are sums of
    numbers and squares within a window, multiplied by `unit`.
    """

    limits: tuple[int, int]
    unit: float
    moments: Callable[[Scaling, float], Noisy]
    equations: Callable[[EquationPoint, float], Noisy]


def remaining_epsilon(epsilons: tuple[float, ...]) -> float:
    """Return the sum of the epsilons of the remaining stages, rounded down."""
    exact = sum(map(Fraction, epsilons), Fraction(0))
    found = float(exact)
    return found if found <= exact else math.nextafter(found, 0.0)


def has_enough_records(records: float, epsilon: float, size: int) -> bool:
    """Tell whether the noise is small enough for further steps, and for recognizing steep slopes."""
    return records * epsilon >= _ENOUGH * size


def may_be_steep(slopes: Floats, sums: LogitSums, most: float = FARTHEST) -> bool:
    """Tell whether slopes in units of the bounds are, or may be, too steep for linear approximations."""
    return float(np.abs(slopes).sum()) > most or bool(sums.hidden.any())


def refine_moments(sums: LogitSums, epsilon: float, asked: Queries) -> LogitSums:
    """Return sums with more precise means and variances of the numbers, from moments within a window."""
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


def solve_equations(sums: LogitSums, center: Floats, epsilon: float, asked: Queries) -> WindowedLogit:
    """Return the law of the last of several equations, each released at the estimates of the one before.

    As soon as the effect of curvature is small, the next equations are the last, with all of the remaining
    epsilon. If noise blurs variances, moments within a window are released first.
    """
    limits = asked.limits
    d, left = center.size, epsilon
    if sums.noisy(_BLURRED).any():
        left, own = parts_of(left, (1.0 - _MOMENTS, _MOMENTS))
        sums = refine_moments(sums, own, asked)
        center = sums.start(float(sums.deviations[1:].min()) / sums.records + 1e-12)
    found: WindowedLogit | None = None
    noise = math.sqrt(2.0) * limits[0] / (_SHARE * left) / (_RESIDUAL * math.sqrt(sums.records) / _NEAR)
    most = next(count for least, count in _STAGES if noise <= least)
    # where the noise is negligible, a further step costs nothing
    near = _NEXT * min(1.0, noise / _NEGLIGIBLE)
    for stage in range(most, 0, -1):
        last = stage == 1 or (found is not None and found.law.bent <= near and not found.limited)
        left, own = (0.0, left) if last else parts_of(left, (1.0 - _SHARE, _SHARE))
        share = min(max(_INFORMED * limits[1] / (own * sums.records), _LEAST), _MOST)
        unit, informed = limits[0] / (1.0 - share), 0.25 * limits[1] / share
        window = sums.window(math.sqrt(2.0) * unit / own, math.sqrt(2.0) * informed / own)
        at = EquationPoint(window.scaled @ sums.held(center), window, share)
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


# no line is subtracted from the equations
_NOTHING_TAKEN = Line(0.0, 0.0, 1.0, 0.0, 1.0)

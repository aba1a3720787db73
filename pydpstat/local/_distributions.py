"""How often an answer is given: its distribution for each possible truth.

`Sampled`: the persons are a random sample, each with the probability p of the category in question;
the number of answers is binomial. `Fixed`: the persons are fixed, T of n are in the category; the
number is a sum of two binomial ones. In both the answers grow with the truth in the order of the
likelihood ratio (a sum of independent 0-1 variables has a log-concave distribution), which the search for
interval ends rests on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from pydpstat._search import bisect_up
from pydpstat.r_arithmetic.elementary import exp, log

Floats = npt.NDArray[np.float64]

# what lies further from the mean than this many standard deviations, and so many units more, is left out:
# less than 1e-16 by Bernstein's inequality
_SPREADS, _UNITS = 9.0, 30.0
# two windows of up to this many products are multiplied out
_DIRECT = 1 << 20
# how exactly a proportion is found
_CLOSE = 1e-12


@dataclass(frozen=True, slots=True)
class Response:
    """How one answer depends on the truth.

    Its probability is `other` where it is not the truth, and `true` where it is. Without cancellation,
    `spread` is the second minus the first, and `missed` one minus the second.
    """

    other: float
    true: float
    spread: float
    missed: float

    def mirrored(self) -> Response:
        """Return how not giving the answer depends on not being it."""
        return Response(self.missed, 1.0 - self.other, self.spread, self.other)


class Counted:
    """A distribution on the integers from `start` on, whose probabilities are `mass`."""

    def __init__(self, start: int, mass: Floats) -> None:
        self.start, self.mass = start, mass
        # of each number and all smaller ones, and of it and all larger ones
        self.below, self.above = np.cumsum(mass), np.cumsum(mass[::-1])[::-1]

    def at_most(self, number: int) -> float:
        """Return the probability of a number or less."""
        place = number - self.start
        return 0.0 if place < 0 else float(self.below[min(place, self.below.size - 1)])

    def at_least(self, number: int) -> float:
        """Return the probability of a number or more."""
        place = number - self.start
        return 0.0 if place >= self.above.size else float(self.above[max(place, 0)])

    def largest_below(self, probability: float) -> int:
        """Return the largest number such that it or less has at most this probability."""
        return self.start + int(np.searchsorted(self.below, probability, side="right")) - 1

    def smallest_above(self, probability: float) -> int:
        """Return the smallest number such that it or more has at most this probability."""
        return (
            self.start + self.above.size - int(np.searchsorted(self.above[::-1], probability, side="right"))
        )


def binomial(n: int, chance: float) -> tuple[int, Floats]:
    """Return the masses of a binomial distribution where they matter, and where they start.

    The ratios of neighboring masses are added up on the log scale, outwards from the mode, and the
    sum made 1: the relative error stays near 1e-13, also for n in the millions.

    Examples
    --------
    >>> binomial(2, 0.5)[1].round(12)
    array([0.25, 0.5 , 0.25])
    """
    if n == 0 or chance <= 0.0:
        return 0, np.ones(1)
    if chance >= 1.0:
        return n, np.ones(1)
    reach = _SPREADS * math.sqrt(n * chance * (1.0 - chance)) + _UNITS
    first = max(math.floor(n * chance - reach), 0)
    last = min(math.ceil(n * chance + reach), n)
    k = np.arange(first, last, dtype=np.float64)
    steps = log((n - k) / (k + 1.0)) + (math.log(chance) - math.log1p(-chance))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    mass = exp(logs - logs.max())
    return first, mass / mass.sum()


def _convolved(ones: Floats, others: Floats) -> Floats:
    """Return the masses of a sum; `numpy.convolve` goes through BLAS, whose last bit is the processor's."""
    short, long = sorted((ones, others), key=len)
    padded = np.zeros(long.size + 2 * (short.size - 1))
    padded[short.size - 1 : short.size - 1 + long.size] = long
    windows = np.lib.stride_tricks.sliding_window_view(padded, short.size)
    mass: Floats = np.einsum("ij,j->i", windows, short[::-1].copy())
    return mass


@dataclass(frozen=True, slots=True)
class _Answers:
    """The number of n answers in a design: its distribution `at` a parameter, which orders it.

    Parameters go from 0 to `top`. Halfway `between` two is another, or None where they are next to each
    other; `before` one is the largest below it.
    """

    n: int
    response: Response

    def mirrored(self) -> Self:
        """Return how often the answer is not given."""
        return replace(self, response=self.response.mirrored())


class Sampled(_Answers):
    """Answers of a random sample; the parameter is the proportion p, which has none next to it."""

    __slots__ = ()

    top = 1.0

    def at(self, parameter: float) -> Counted:
        chance = (1.0 - parameter) * self.response.other + parameter * self.response.true
        return Counted(*binomial(self.n, chance))

    def between(self, low: float, high: float) -> float | None:
        return 0.5 * (low + high) if high - low > _CLOSE else None

    def before(self, parameter: float) -> float:
        return parameter


class Fixed(_Answers):
    """Answers of fixed persons; the parameter is the number T of those in the category."""

    __slots__ = ()

    @property
    def top(self) -> int:
        return self.n

    def at(self, parameter: float) -> Counted:
        """Return the distribution of the sum of two binomial numbers."""
        count = int(parameter)
        first, ones = binomial(count, self.response.true)
        second, others = binomial(self.n - count, self.response.other)
        if ones.size * others.size <= _DIRECT:
            mass = _convolved(ones, others)
        else:
            from scipy.signal import fftconvolve

            # its error is below 1e-15, absolutely
            mass = np.maximum(fftconvolve(ones, others), 0.0)
        return Counted(first + second, mass)

    def between(self, low: float, high: float) -> float | None:
        return (int(low) + int(high)) // 2 if high - low > 1 else None

    def before(self, parameter: float) -> float:
        return parameter - 1


Distribution = Fixed | Sampled


def first(distribution: Distribution, low: float, high: float, holds: Callable[[float], bool]) -> float:
    """Return the smallest parameter from low to high at which a monotone condition holds, by bisection.

    Examples
    --------
    >>> first(Fixed(9, Response(0.25, 0.75, 0.5, 0.25)), 0, 9, lambda count: count > 5.5)
    6
    """
    if holds(low):
        return low
    return bisect_up(lambda parameter: not holds(parameter), low, high, between=distribution.between)[1]

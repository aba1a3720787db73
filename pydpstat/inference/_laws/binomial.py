"""Tests and intervals for a binomial count that was released with noise of known distribution."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.geometric_sums import GeometricNoise, geometric_sum
from pydpstat.inference._laws.tulap import Tulap
from pydpstat.r_arithmetic.elementary import exp, log

Floats = npt.NDArray[np.float64]
# what is left out of the distribution of the count, and added to every p-value
DROPPED = 1e-15
# more values of the count are merged, and still more are looked at in steps
_MERGED, _MOST = 2**14, 2**17


class SymmetricNoise(Protocol):
    """Noise of a symmetric distribution."""

    def tail(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(X >= x)."""


def binomial_reach(n: int, p: float, left_out: float = DROPPED) -> float:
    """Return how far a binomial count may be from n p, but for that probability, by Bernstein's inequality.

    Examples
    --------
    >>> round(binomial_reach(100, 0.5, 0.05), 2)
    14.87
    """
    depth = math.log(2.0 / left_out)
    return depth / 3.0 + math.sqrt(depth * depth / 9.0 + 2.0 * depth * n * p * (1.0 - p))


def binomial_points(n: int, p: float, left_out: float = DROPPED) -> tuple[Floats, Floats]:
    """Return the values that a binomial count takes, and their probabilities.

    Parameters
    ----------
    n : int
        At least 0.
    p : float
        From 0 to 1.
    left_out : float
        Probability of the values that may be left out at the ends, together.

    Returns
    -------
    values, masses : ndarray
        Consecutive integers as floats, and masses that add up to 1. Of more than 131,072 integers, as for n
        above 200 million, those at equal steps, which are much shorter than a standard deviation.

    Notes
    -----
    Each mass is the one before times (n - k + 1) p / (k (1 - p)): a cumulative sum of logarithms, so that no
    gamma function of a large number is needed. They are not kept: one of the values is the true count.

    Examples
    --------
    >>> binomial_points(2, 0.5)
    (array([0., 1., 2.]), array([0.25, 0.5 , 0.25]))
    """
    center, reach = n * p, binomial_reach(n, p, left_out)
    first, last = max(0, math.ceil(center - reach)), min(n, math.floor(center + reach))
    if p == 0.0 or p == 1.0:
        first = last = round(center)
    step = -(-(last - first + 1) // _MOST)
    k = np.arange(float(first), last + 1.0, step)
    # between two values: for a step of 1 this is the logarithm of (n - k + 1) / k
    middle = 0.5 * (k[1:] + k[:-1])
    odds = math.log(p) - math.log1p(-p) if k.size > 1 else 0.0
    steps = step * (np.asarray(log((n - middle + 0.5) / (middle + 0.5))) + odds)
    logs = np.append(0.0, steps.cumsum())
    masses = np.asarray(exp(logs - logs.max()))
    return k, masses / masses.sum()


def noisy_tails(z: float, n: int, p: float, noise: SymmetricNoise) -> tuple[float, float]:
    """Return P(K + N >= z) and P(K + N <= z), K binomial, N noise of a symmetric distribution.

    Parameters
    ----------
    z : float
        The noisy count.
    n : int
        The number of trials.
    p : float
        The probability under the hypothesis.
    noise : SymmetricNoise
        What was added.

    Notes
    -----
    The sums leave out values of K with a total probability of 1e-15, which is added. More than 16,384
    values, as for n above 3 million, are merged, and moved outwards: to the larger tail. Both tails are hence
    upper bounds, and exact to about 1e-15 otherwise.

    Examples
    --------
    >>> up, low = noisy_tails(8.3, 10, 0.5, Tulap(1.0))
    >>> round(up, 6), round(low, 6)
    (0.055965, 0.944035)
    """
    values, masses = binomial_points(n, p)
    highest = values
    if values.size > _MERGED:
        starts = np.arange(0, values.size, -(-values.size // _MERGED))
        masses = np.add.reduceat(masses, starts)
        highest = values[np.append(starts[1:] - 1, values.size - 1)]
        values = values[starts]
    up = float((masses * noise.tail(z - highest)).sum()) + DROPPED
    low = float((masses * noise.tail(values - z)).sum()) + DROPPED
    return min(up, 1.0), min(low, 1.0)


def pvalue_of(up: float, low: float, alternative: str) -> float:
    """Return the p-value of an alternative from those of both sides: twice the smaller for two.

    Examples
    --------
    >>> pvalue_of(0.02, 0.99, "two-sided"), pvalue_of(0.02, 0.99, "less")
    (0.04, 0.99)
    """
    return {"greater": up, "less": low}.get(alternative, min(1.0, 2.0 * min(up, low)))


def floor_of(alternative: str) -> float:
    """Return the smallest p-value of `noisy_tails`.

    Examples
    --------
    >>> floor_of("two-sided"), floor_of("less")
    (2e-15, 1e-15)
    """
    return pvalue_of(DROPPED, DROPPED, alternative)


def tail_shares(alpha: float, alternative: str) -> tuple[float, float]:
    """Return how much of alpha an interval spends below and above; none where it is one-sided.

    Examples
    --------
    >>> tail_shares(0.05, "two-sided"), tail_shares(0.05, "greater")
    ((0.025, 0.025), (0.05, 0.0))
    """
    sides = {"greater": (alpha, 0.0), "less": (0.0, alpha)}
    return sides.get(alternative, (0.5 * alpha, 0.5 * alpha))


def crossing(
    function: Callable[[float], float], inside: float, end: float, step: float, within: float = 1e-13
) -> float:
    """Return where a function falls below 0 on the way from a place to an end; the end where it does not.

    Steps double until the function is negative. The place is right to `within`; it is `inside` where the
    function is negative already there.

    Examples
    --------
    >>> round(crossing(lambda x: 2.0 - x * x, 0.0, 9.0, 0.5), 6), crossing(lambda x: 1.0, 0.0, 9.0, 0.5)
    (1.414214, 9.0)
    """
    from scipy.optimize import brentq

    near = inside
    if function(near) < 0.0:
        return near
    while True:
        far = min(near + step, end) if end > inside else max(near - step, end)
        if function(far) < 0.0:
            return float(brentq(function, near, far, xtol=within, rtol=1e-10))
        if far == end:
            return end
        near, step = far, 2.0 * step


@dataclass(frozen=True)
class ProportionInterval:
    """The interval for the probability of a binomial count, from the count with its noise.

    Parameters
    ----------
    noisy : float
        The count with its noise.
    n : int
        The number of trials; at least 1.
    rate : float
        The noise's rate.
    alternative : {"two-sided", "less", "greater"}
        Of the test that the interval inverts.
    smooth : bool, default True
        Whether the noise is Tulap, or symmetric geometric: without the uniform number the interval is valid,
        too, and hardly longer.
    terms : int, default 1
        How many noises are in the count, of symmetric geometric ones.

    Notes
    -----
    The lower end is the largest p with P_p(K + N >= z) <= alpha / 2, and 0 where there is none; both tails
    are monotone in p, so this covers p with 1 - alpha for every p (Clopper and Pearson's construction). z is
    first moved into [0, n]. That only lengthens the interval: for z > n the upper end is 1 in either case, as
    P_1(K + N <= n) is at least 1/2, and the lower end goes down with z.

    References
    ----------
    Awan, J. and Slavkovic, A. (2020). Differentially private inference for binomial data. Journal of Privacy
    and Confidentiality 10(1).

    Examples
    --------
    >>> low, high = ProportionInterval(41.3, 100, 1.0, "two-sided").ends(0.05)
    >>> round(low, 4), round(high, 4)
    (0.3163, 0.5147)
    """

    noisy: float
    n: int
    rate: float
    alternative: str
    smooth: bool = True
    terms: int = 1

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return both ends."""
        z = min(max(self.noisy, 0.0), float(self.n))
        noise: SymmetricNoise = Tulap(self.rate) if self.smooth else GeometricNoise(self.rate)
        if self.terms > 1:
            noise = geometric_sum(self.rate, self.terms)
        below, above = tail_shares(alpha, self.alternative)

        def up(p: float) -> float:
            return noisy_tails(z, self.n, p, noise)[0] - below

        def low(p: float) -> float:
            return noisy_tails(z, self.n, p, noise)[1] - above

        center = z / self.n
        step = (0.5 * math.sqrt(self.n) + math.sqrt(self.terms) / self.rate) / self.n
        # a tail is 1/2 or more at one end of the parameter's range, and may be less at the share seen
        lowest = crossing(up, center if up(center) > 0.0 else 1.0, 0.0, step) if below else 0.0
        highest = crossing(low, center if low(center) > 0.0 else 0.0, 1.0, step) if above else 1.0
        return lowest, highest

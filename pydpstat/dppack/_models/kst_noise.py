"""Noise of the method of Kifer, Smith and Thakurta: its constants, its draws, and what a fit with it keeps.

The objective is (sum of losses + gamma penalty + extra w'w / 2 + b'w) / n, minimized where the
domain's constraints hold. Up to n, which does not move the minimum, each record adds its gradient to
-b and its matrix of second derivatives, of rank one, to a determinant; that is what the guarantees count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from pydpstat import r_arithmetic as r
from pydpstat._search import bisect_up
from pydpstat.dppack._models.cms_noise import SphericalNoise, normals
from pydpstat.dppack._models.formulas import Floats
from pydpstat.errors import PydpstatError
from pydpstat.random import Source

ADDED = "for one record added or removed epsilon is"
# largest distance of two records' gradients at one point, in units of zeta: in general, and for
# squared errors with |x|^2 <= d, |w|^2 <= d, |y| <= d. There it is half the width of the cardioid
# r = 1 + cos(t), or with d = 1 half the distance from its tip, 2, to the farthest point behind, -1/4.
PAIR, PAIR_SQUARES, PAIR_SQUARES_LINE = 2.0, 0.75 * math.sqrt(3.0), 1.125


def noise_variance(eps: float, delta: float, zeta: float) -> float:
    """Return the variance of each element of Gaussian noise in the objective, with R's operations.

    `zeta` bounds the length of one record's gradient. It is negative or NaN where `eps` and `delta`,
    both above 0, make no sense.

    Kifer, D., Smith, A. and Thakurta, A. (2012). Private convex empirical risk minimization and
    high-dimensional regression. Proceedings of the 25th Annual Conference on Learning Theory,
    Algorithm 1.

    >>> round(noise_variance(1.0, 0.01, 2.0), 3)
    185.546
    """
    with np.errstate(all="ignore"):
        spread = 8.0 * np.float64(r.log(np.float64(2.0) / delta)) + 4.0 * eps
        return float(zeta * zeta * spread / (np.float64(eps) * eps))


def replaced_epsilon(
    eps: float, delta: float, added: float, lam: float, strength: float, pair: float, size: int
) -> float:
    """Return the epsilon, at the same delta, that holds for one replaced record.

    The noise was made for `eps` and `delta`; with delta 0 its density is exp(-eps |b| / (2 zeta)).
    `added` is the delta to state the epsilon for, not used where `delta` is 0. `lam` bounds one record's
    second derivative, by `strength` the objective times n is strongly convex without the records, and
    `pair` is the largest distance of two records' gradients, in units of zeta. Where nothing is proven
    epsilon is infinite.

    The determinant changes by at most 1 + lam / strength, since a record that leaves only lowers it.
    Without delta the noise's density changes by at most exp(pair eps / 2). With delta let g be
    the change of b and s its standard deviation: the log density changes by
    |b'g| / s^2 + |g|^2 / (2 s^2). As each gradient has the direction of its record, b counts only in
    the span of two records, whose squared length over s^2 is chi-square with min(2, size) degrees
    of freedom; or only along each of the two, a normal variable each.

    >>> round(replaced_epsilon(1.0, 0.0, 0.0, 2.0, 4.0, 2.0, 2), 4)
    1.4055
    """
    grown = _determinant(lam, strength)
    if delta == 0.0:
        return pair * eps / 2.0 + grown
    unit = _gradient_in_sd(eps, delta)
    if not (math.isfinite(unit) and 0.0 < added < 1.0):
        return math.inf
    span = math.sqrt(-2.0 * math.log(added)) if size > 1 else _two_sided(added)
    along = min(pair * span, 2.0 * _two_sided(added / 2.0))
    return unit * along + (pair * unit) ** 2 / 2.0 + grown


def one_record_epsilon(eps: float, delta: float, lam: float, strength: float) -> float:
    """Return the epsilon, at the same delta, that holds for one record added or removed.

    Parameters are those of `replaced_epsilon`.

    >>> round(one_record_epsilon(1.0, 0.0, 2.0, 4.0), 4)
    0.9055
    """
    grown = _determinant(lam, strength)
    if delta == 0.0:
        return eps / 2.0 + grown
    unit = _gradient_in_sd(eps, delta)
    if not (math.isfinite(unit) and 0.0 < delta < 1.0):
        return math.inf
    return unit * _two_sided(delta) + unit**2 / 2.0 + grown


def smallest_delta(epsilon: Callable[[float], float], target: float) -> float:
    """Return a delta at which a falling function of delta is at most `target`; 1 where there is none.

    >>> round(smallest_delta(lambda delta: 1.0 - delta, 0.25), 6)
    0.75
    """
    if epsilon(1.0 - 1e-9) > target:
        return 1.0
    ends = math.log(1e-300), math.log(1.0 - 1e-9)
    return math.exp(bisect_up(lambda x: not epsilon(math.exp(x)) <= target, *ends, steps=60)[1])


def noise(eps: float, delta: float, zeta: float, size: int) -> Callable[[Source], Floats]:
    """Return how to draw the noise of a fit as R does; refuse where R stops."""
    if delta > 0.0:
        variance = noise_variance(eps, delta, zeta)
        if not 0.0 <= variance < math.inf:
            raise PydpstatError(
                f"the noise has no variance with eps={eps!r}, delta={delta!r}, zeta={zeta!r}, and R stops. "
                "Give a finite eps and a delta below 1, or delta=0."
            )
        return partial(_turned, size=size, sd=math.sqrt(variance))
    with np.errstate(all="ignore"):
        rate = float(np.float64(eps) / (2.0 * zeta))
    if not rate > 0.0:
        raise PydpstatError(
            f"zeta must be at least 0 and finite if delta is 0; got {zeta!r}, for which R stops. Give "
            "a bound on the length of a record's gradient."
        )
    # with an infinite eps R draws the direction, and then takes no noise
    return SphericalNoise(rate, (1.0,) * size).draw


def _turned(source: Source, size: int, sd: float) -> Floats:
    """Draw Gaussian noise in the order of R's mvrnorm, whose eigenvectors turn the draws round."""
    drawn = normals(source, size, 1.0)
    if size == 2:
        return sd * np.array([-drawn[1], drawn[0]])
    return sd * drawn[::-1]


def _determinant(lam: float, strength: float) -> float:
    if lam == 0.0 and strength >= 0.0:
        return 0.0
    return math.log1p(lam / strength) if lam > 0.0 and strength > 0.0 else math.inf


def _gradient_in_sd(eps: float, delta: float) -> float:
    """Return zeta over the standard deviation of the noise; zeta cancels."""
    variance = noise_variance(eps, delta, 1.0)
    return 1.0 / math.sqrt(variance) if variance > 0.0 else math.inf


def _two_sided(delta: float) -> float:
    """Return what the size of a standard normal variable exceeds with probability delta."""
    from scipy.special import ndtri

    return float(-ndtri(delta / 2.0))

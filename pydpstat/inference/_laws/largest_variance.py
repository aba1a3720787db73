"""Intervals for a measure of order between -1 and 1, from the largest variance that its estimate can have."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import erfcx, ndtr

from pydpstat._search import bisect_up


@dataclass(frozen=True, slots=True)
class LargestVariance:
    """The interval of a parameter t = scale * u + shift, u between -1 and 1.

    Parameters
    ----------
    center : float
        The noisy estimate of u; it is cut to [-1, 1].
    variance : float
        The estimate's variance is at most this times (1 - u^2).
    noise : float
        Scale of the estimate's Laplace noise.
    alternative : {"two-sided", "less", "greater"}
        One-sided intervals end at the parameter's own bound.
    scale, shift : float
        From u to the parameter.

    Notes
    -----
    The interval has every u that is not rejected: P(s Z + L >= |center - u|) >= alpha / 2, with Z normal, L the noise
    and s^2 = variance (1 - u^2). Going away from the center this falls: with c the center, both noise / (u - c) and
    s / (u - c) fall, the latter as (1 - u^2) + (u - c) u = 1 - u c > 0. The cut moves the center towards
    every u and can only lengthen the interval.

    Examples
    --------
    >>> low, high = LargestVariance(0.0, 0.02, 0.001).ends(0.05)
    >>> round(high, 3), round(low, 3)
    (0.267, -0.267)
    """

    center: float
    variance: float
    noise: float
    alternative: str = "two-sided"
    scale: float = 1.0
    shift: float = 0.0

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the parameter with probability `alpha` at most."""
        center = min(max(self.center, -1.0), 1.0)
        share = 0.5 * alpha if self.alternative == "two-sided" else alpha
        low = -1.0 if self.alternative == "less" else self._end(center, -1.0, share)
        high = 1.0 if self.alternative == "greater" else self._end(center, 1.0, share)
        return self.scale * low + self.shift, self.scale * high + self.shift

    def _end(self, center: float, side: float, share: float) -> float:
        def kept(u: float) -> bool:
            sd = math.sqrt(max(self.variance * (1.0 - u * u), 0.0))
            return normal_laplace_tail(abs(center - u), sd, self.noise) >= share

        if kept(side):
            return side
        sign = math.copysign(1.0, side)
        _, outside = bisect_up(lambda way: kept(center + sign * way), 0.0, abs(side - center), steps=60)
        return center + sign * outside


def normal_laplace_tail(x: float, sd: float, scale: float) -> float:
    """Return P(sd Z + L >= x) for x >= 0, Z standard normal and L Laplace.

    References
    ----------
    Reed, W. J. (2006). The normal-Laplace distribution and its relatives. Advances in distribution theory,
    order statistics, and inference, 61-74.

    Examples
    --------
    >>> round(normal_laplace_tail(1.96, 1.0, 1e-9), 4), round(normal_laplace_tail(1.0, 0.0, 1.0), 4)
    (0.025, 0.1839)
    """
    if sd <= 1e-12 * scale:
        return 0.5 * math.exp(-x / scale)
    u, r = x / sd, sd / scale
    density = math.exp(-0.5 * u * u)
    # the scaled error function keeps its digits where the noise is small
    if r > u:
        near = 0.25 * density * float(erfcx((r - u) / math.sqrt(2.0)))
    else:
        near = 0.5 * math.exp(0.5 * r * r - r * u) * float(ndtr(u - r))
    far = 0.25 * density * float(erfcx((u + r) / math.sqrt(2.0)))
    return float(ndtr(-u)) + near - far

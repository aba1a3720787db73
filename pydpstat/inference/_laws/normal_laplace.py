"""A normal variable and Laplace noise: the distribution of a nearly normal statistic with its noise."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import exp

_ROOT = math.sqrt(2.0)


def normal_laplace_tail(x: npt.ArrayLike, sd: float, scale: float) -> npt.NDArray[np.float64]:
    """Return P(sd N + L >= x), N standard normal, L Laplace noise of that scale.

    Reed, W. J. (2006). The normal-Laplace distribution and its relatives. In Advances in distribution theory,
    order statistics, and inference. Birkhauser.
    """
    from scipy.special import erfcx, ndtr

    values = np.asarray(x, dtype=np.float64)
    size = np.abs(values)
    if scale == 0.0:
        return np.asarray(ndtr(-values / sd))
    if sd == 0.0:
        upper = 0.5 * np.asarray(exp(-size / scale))
        return np.where(values >= 0.0, upper, 1.0 - upper)
    with np.errstate(all="ignore"):
        u, r = size / sd, sd / scale
        density = 0.5 * np.asarray(exp(-0.5 * u * u))
        beyond = density * erfcx((u + r) / _ROOT)
        # the larger argument of erfcx that is not used must not overflow
        near = density * erfcx(np.maximum(r - u, 0.0) / _ROOT)
        far = np.asarray(exp(r * np.minimum(0.5 * r - u, 0.0))) * ndtr(u - r)
        upper = ndtr(-u) + 0.5 * np.where(u <= r, near, far) - 0.5 * beyond
    upper = np.where(np.isinf(size), 0.0, upper)
    return np.where(values >= 0.0, upper, 1.0 - upper)

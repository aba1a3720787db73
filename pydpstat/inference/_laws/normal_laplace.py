"""A normal variable and Laplace noise: the distribution of a nearly normal statistic with its noise."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import exp

_ROOT = math.sqrt(2.0)


def normal_laplace_tail(x: npt.ArrayLike, sd: float, scale: float) -> npt.NDArray[np.float64]:
    """Return P(sd N + L >= x), N standard normal, L Laplace noise of that scale.

    Parameters
    ----------
    x : float or array_like
        Where the tail begins; infinities are allowed.
    sd, scale : float
        At least 0, and not both 0.

    Returns
    -------
    ndarray
        Probabilities in the shape of `x`, with a small relative error in the upper tail, too.

    Notes
    -----
    With u = x / sd and r = sd / scale it is Phi(-u) + A / 2 - B / 2, where A = exp(r^2/2 - ru) Phi(u - r)
    and B = exp(r^2/2 + ru) Phi(-u - r). As Phi(-z) = exp(-z^2/2) erfcx(z / sqrt(2)) / 2, they are
    exp(-u^2/2) / 2 times erfcx((r - u) / sqrt(2)) and erfcx((r + u) / sqrt(2)): no large exponents meet. For
    u > r the exponent of A is negative as it stands. For x >= 0, B is at most Phi(-u), so that nothing
    cancels; for x < 0 the tail is 1 minus that of -x.

    References
    ----------
    Reed, W. J. (2006). The normal-Laplace distribution and its relatives. In Advances in distribution theory,
    order statistics, and inference. Birkhauser.

    Examples
    --------
    >>> normal_laplace_tail([0.0, 3.0], 1.0, 0.5).round(6)
    array([0.5     , 0.008628])
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

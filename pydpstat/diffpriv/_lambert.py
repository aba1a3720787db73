"""The lower branch of Lambert's W function, rounded as the GNU Scientific Library rounds it."""

from __future__ import annotations

import math

import numpy as np

# coefficients of W's series in -sqrt(x + 1/e) about the branch point x = -1/e
_SERIES = (
    -1.0,
    2.331643981597124,
    -1.8121878856393634,
    1.9366311144923598,
    -2.3535512018816145,
    3.0668589010506317,
    -4.175335600258177,
    5.858023729874774,
    -8.401032217523978,
    12.25075350131446,
    -18.10069701247244,
    27.029044799010563,
)
_NEAR_BRANCH, _NEAR_ZERO = 3.0e-3, -1.0e-6
_EPSILON = 2.0**-52
_MOST_STEPS = 32


def lower_lambert_w(x: float) -> float:
    """Return the solution w <= -1 of ``w * exp(w) = x``.

    x is in [-1/e, 0). `scipy.special.lambertw` differs from it in the last bit at one of eight values.

    References
    ----------
    Corless, R. M., Gonnet, G. H., Hare, D. E. G., Jeffrey, D. J. and Knuth, D. E. (1996). On the
    Lambert W function. Advances in Computational Mathematics 5, 329-359.

    Examples
    --------
    >>> from pydpstat.diffpriv._lambert import lower_lambert_w
    >>> w = lower_lambert_w(-0.1)
    >>> round(w, 6), round(w * math.exp(w), 12)
    (-3.577152, -0.1)
    """
    above = x + 1.0 / math.e
    if above < 0.0:
        return -1.0
    if x < _NEAR_ZERO:
        w = float(np.polyval(_SERIES[::-1], -math.sqrt(above)))
        if above < _NEAR_BRANCH:
            return w
    else:
        log = math.log(-x)
        loglog = math.log(-log)
        w = log - loglog + loglog / log
    # Halley's iteration
    for _ in range(_MOST_STEPS):
        power, beside = math.exp(w), w + 1.0
        step = w * power - x
        step /= power * beside - 0.5 * (beside + 1.0) * step / beside
        w -= step
        if abs(step) < 10.0 * _EPSILON * max(abs(w), 1.0 / (abs(beside) * power)):
            break
    return w

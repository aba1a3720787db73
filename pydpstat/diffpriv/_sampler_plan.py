"""Sample size of the sensitivity sampler, and Lambert's W function with the rounding of GSL."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat.diffpriv._given import check_natural_number, is_na
from pydpstat.errors import PydpstatError

# largest number of samples that R could allocate
MAX_SAMPLES = 2.0**31

# coefficients of W's series in -sqrt(x + 1/e) about the branch point x = -1/e
_SERIES_COEFFICIENTS = (
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
_MACHINE_EPSILON = 2.0**-52
_MAX_ITERATIONS = 32


def compute_lower_lambert_w(x: float) -> float:
    """Return the solution w <= -1 of ``w * exp(w) = x`` for x in [-1/e, 0).

    `scipy.special.lambertw` differs from it in the last bit for one of eight values.

    Corless, R. M., Gonnet, G. H., Hare, D. E. G., Jeffrey, D. J. and Knuth, D. E. (1996). On the
    Lambert W function. Advances in Computational Mathematics 5, 329-359.

    >>> w = compute_lower_lambert_w(-0.1)
    >>> round(w, 6), round(w * math.exp(w), 12)
    (-3.577152, -0.1)
    """
    above = x + 1.0 / math.e
    if above < 0.0:
        return -1.0
    if x < _NEAR_ZERO:
        w = float(np.polyval(_SERIES_COEFFICIENTS[::-1], -math.sqrt(above)))
        if above < _NEAR_BRANCH:
            return w
    else:
        log = math.log(-x)
        loglog = math.log(-log)
        w = log - loglog + loglog / log
    # Halley's iteration
    for _ in range(_MAX_ITERATIONS):
        power, w_plus_one = math.exp(w), w + 1.0
        step = w * power - x
        step /= power * w_plus_one - 0.5 * (w_plus_one + 1.0) * step / w_plus_one
        w -= step
        if abs(step) < 10.0 * _MACHINE_EPSILON * max(abs(w), 1.0 / (abs(w_plus_one) * power)):
            break
    return w


class SamplerPlan(NamedTuple):
    """Number of pairs of neighbors, the share gamma, and the rank of the order statistic."""

    m: int
    gamma: float
    k: int


def make_sampler_plan(m: object = None, gamma: object = None) -> SamplerPlan:
    """Return the sampler's plan for a given m, gamma, or both; raise an error if gamma is too small for m.

    Rubinstein, B. I. P. and Alda, F. (2017). ICML 2017, Theorem 2 and its corollaries.

    >>> make_sampler_plan(gamma=0.33)
    SamplerPlan(m=20, gamma=0.33, k=20)
    """
    count = None if is_na(m) else check_natural_number(m, "m", MAX_SAMPLES)
    share = None
    if not is_na(gamma):
        allowed, hint = "one number between 0 and 1", "Give for example 0.1."
        share = checks.check_number(gamma, "gamma", allowed, lambda number: 0.0 < number < 1.0, hint)
    if count is not None:
        rho = math.exp(compute_lower_lambert_w(-1.0 / (4.0 * count)) / 2.0)
    elif share is not None:
        rho = math.exp(compute_lower_lambert_w(-share / (2.0 * math.exp(0.5))) + 0.5)
        n_samples = math.log(1.0 / rho) / (2.0 * ((share - rho) * (share - rho)))
        if n_samples > MAX_SAMPLES:
            raise PydpstatError(f"gamma={share!r} asks for {n_samples:.3g} samples, too many for R. Give a larger one.")
        count = math.ceil(n_samples)
    else:
        raise PydpstatError("m or gamma must be given, or both; got neither. Give for example gamma=0.1.")
    min_share = rho + math.sqrt(math.log(1.0 / rho) / (2.0 * count))
    if share is None:
        return SamplerPlan(count, min_share, count)
    # an m computed from gamma is sufficient up to rounding
    if share < min_share and not is_na(m):
        raise PydpstatError(
            f"gamma must be at least {min_share:.6g} for m={count}; got {share!r}. Give a larger m or gamma."
        )
    return SamplerPlan(count, share, math.ceil(count * (1.0 - share + min_share)))

"""What noise shares that is a radius with a Gamma distribution times a uniform point of a body."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pydpstat.mechanisms._noise import Floats
from pydpstat.r_arithmetic.elementary import log

SEED = 20_240_117
# where a tail is computed, between which its logarithm is nearly linear
_GRID = 400


def quantiles(tail: Callable[[Floats], Floats], q: npt.ArrayLike, most: float) -> Floats:
    """Return quantiles of a symmetric distribution by bisection; NaN outside [0, 1].

    `tail` is the probability that the absolute value is above a number of at least 0, and `most` a first
    guess of a number above all that are asked for.
    """
    p = np.asarray(q, dtype=np.float64)
    outer = 2.0 * np.minimum(p, 1.0 - p)
    low, high = np.zeros(p.shape), np.full(p.shape, most)
    while np.any(tail(high) > outer) and np.all(high < 1e6):
        high = 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = tail(middle) > outer
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    sizes = np.where(outer > 0.0, 0.5 * (low + high), np.where(outer == 0.0, np.inf, np.nan))
    return np.where(p < 0.5, -sizes, sizes) + 0.0


def with_quantiles(vectors: Floats, tail: Callable[[Floats], Floats], most: float) -> Floats:
    """Return vectors whose elements have exact quantiles, in the order of their values.

    `tail` is as for `quantiles`, of all elements, and `most` a number that it is next to 0 at.
    """
    count = len(vectors)
    grid = np.linspace(0.0, most, _GRID)
    falls = -np.asarray(log(np.maximum(tail(grid), 1e-300)))
    upper = np.interp(-np.asarray(log((2.0 * np.arange(count // 2) + 1.0) / count)), falls, grid)
    ordered = np.concatenate([-upper, np.zeros(count % 2), upper[::-1]])
    found: Floats = ordered[vectors.argsort(axis=0, kind="stable").argsort(axis=0)]
    return found


def sobol(count: int, numbers: int) -> Floats:
    """Return scrambled Sobol points, the same in every call; they protect nobody."""
    from scipy.stats import qmc

    return qmc.Sobol(numbers, seed=SEED).random(count).clip(1e-12, 1.0 - 1e-12)


def gamma_radii(width: int, uniform: Floats) -> Floats:
    """Return radii of vectors of so many elements, as quantiles of uniform numbers."""
    from scipy.special import gammaincinv

    return gammaincinv(width + 1, uniform)

"""Noise from the operating system's generator, on a public grid: one function a law.

The functions return whole numbers of grid units (or whole numbers, for the integer laws).
They invert the law on a 52-bit uniform. The law is right to floating-point accuracy; the proof of
exactness to the last bit is not part of them yet, and the guarantee of a release says so.
No entropy is kept between calls, so a forked process or another thread never sees the same bits.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

UNCOVERED = (
    "noise comes from the operating system on a public grid; the rounding inside the "
    "floating-point sampler and inside the statistic's own sum is not covered by the proof"
)

# where the bits come from; tests put a seeded source here
entropy = os.urandom

# of a Gamma variable's parts, before they are scaled
_FINE = 2.0**-40
_UNUSED, _LOWEST = np.uint64(12), np.uint64(1)


def signed_uniform(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw uniforms on the midpoints of 2^-52 wide cells of (0, 1), and a random sign with each."""
    words = np.frombuffer(entropy(8 * size), dtype="<u8")
    # the upper 52 bits make the uniform, the lowest one the sign
    return ((words >> _UNUSED) + 0.5) * 2.0**-52, (words & _LOWEST) * 2.0 - 1.0


def laplace(size: int, scale: Any, grid: float) -> np.ndarray:
    """Draw Laplace noise as whole numbers of grid units.

    Parameters
    ----------
    size : int
        How many values.
    scale : float or array of shape (size,)
        The law's scale, in the statistic's unit.
    grid : float
        The grid unit, a power of two.

    Returns
    -------
    ndarray of float64 whole numbers, shape (size,)
    """
    uniform, signs = signed_uniform(size)
    return signs * np.rint(np.log(uniform) * (scale / -grid))


def normal(size: int, sd: Any, grid: float) -> np.ndarray:
    """Draw normal noise as whole numbers of grid units; parameters as in `laplace`."""
    from scipy.special import ndtri

    # the lower half only, where a uniform next to 0 keeps its relative accuracy
    uniform, signs = signed_uniform(size)
    return signs * np.rint(ndtri(uniform * 0.5) * (sd / -grid))


def uniform(size: int) -> np.ndarray:
    """Draw uniform variables in (0, 1), of 52 bits."""
    return signed_uniform(size)[0]


def gamma(shape: int, rate: float) -> float:
    """Draw one Gamma variable with a whole shape: a sum of exponential ones, each a Laplace one's size."""
    return float(np.abs(laplace(shape, 1.0, _FINE)).sum() * _FINE) / rate


def symmetric_geometric(size: int, rate: float) -> np.ndarray:
    """Draw the difference of two geometric variables with ratio exp(-rate), whole numbers."""
    return _geometric(size, rate) - _geometric(size, rate)


def sign_geometric(size: int, rate: float) -> np.ndarray:
    """Draw a random sign times a geometric variable, whole numbers."""
    uniform, signs = signed_uniform(size)
    return signs * np.floor(np.log(uniform) / -rate)


def grid_unit(scale: float, sensitivity: float) -> float:
    """Return the public grid: the largest power of two at most 2^-20 min(scale, sensitivity).

    Examples
    --------
    >>> from pydpstat.random.secure import grid_unit
    >>> grid_unit(1.0, 0.75) == 2.0**-21
    True
    """
    smallest = min(scale, sensitivity) if scale > 0 else sensitivity
    return math.ldexp(1.0, math.frexp(smallest)[1] - 21)


def _geometric(size: int, rate: float) -> np.ndarray:
    return np.floor(np.log(signed_uniform(size)[0]) / -rate)

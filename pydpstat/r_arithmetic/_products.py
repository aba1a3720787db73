"""Products of vectors whose last bit does not depend on the processor, as BLAS's does."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def inner(a: Floats, b: Floats) -> float:
    """Return the sum of the products of two arrays' elements.

    Examples
    --------
    >>> inner(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float((a * b).sum())


def norm(a: Floats) -> float:
    """Return the Euclidean length of a vector.

    Examples
    --------
    >>> norm(np.array([3.0, 4.0]))
    5.0
    """
    return math.sqrt(inner(a, a))

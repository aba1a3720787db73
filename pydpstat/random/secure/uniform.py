"""Uniform and Gamma variables in floating point: right to rounding, and not part of any exact law."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure.continuous import laplace

# of a Gamma variable's parts, before they are scaled
_FINE = 2.0**-36


def uniform(size: int) -> npt.NDArray[np.float64]:
    """Draw uniform variables in (0, 1), of 52 bits.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> bool((secure.uniform(100) > 0.0).all())
    True
    """
    return bits.midpoints(bits.words(size))


def gamma(shape: int, rate: float) -> float:
    """Draw one Gamma variable with a whole shape: a sum of exponential ones, each a Laplace one's size.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> secure.gamma(3, 1.0) > 0.0
    True
    """
    parts = laplace(shape, 1.0, _FINE)
    return float(np.abs(parts.astype(np.float64)).sum() * _FINE) / rate

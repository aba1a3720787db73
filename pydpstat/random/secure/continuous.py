"""Laplace and normal noise: real numbers, rounded onto the grid."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._bits import Cell
from pydpstat.random.secure._inversion import Quantile, rounded

# 64 units in the last place: the C library's logarithm is right to one, NumPy's own tests allow 4
LOG_ERROR = 2.0**-46
# 128 units in the last place: Cephes states 7e-16 to 1.3e-15, that is 6, for what SciPy uses
NORMAL_ERROR = 2.0**-45


def laplace(size: int, scale: Any, grid: float) -> npt.NDArray[Any]:
    """Draw Laplace noise as whole numbers of grid units.

    Parameters
    ----------
    size : int
        How many values.
    scale : float or array of shape (size,)
        The law's scale, in the statistic's unit; at least 0.
    grid : float
        The grid unit, a power of two.

    Returns
    -------
    ndarray of shape (size,)
        Whole numbers as floats; as Python's integers where one is beyond 2^53.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> noise = secure.laplace(1000, 1.0, 2.0**-20) * 2.0**-20
    >>> bool(abs(abs(noise).mean() - 1.0) < 0.25)
    True
    """

    def finish(cell: Cell, place: int) -> int:
        return precise.whole(cell, precise.minus_log, _exact_ratio(scale, grid, place), half=True)

    return rounded(size, LOG, _ratio(scale, grid), finish)


def normal(size: int, sd: Any, grid: float) -> npt.NDArray[Any]:
    """Draw normal noise as whole numbers of grid units; parameters and result as in `laplace`.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> noise = secure.normal(1000, 1.0, 2.0**-20) * 2.0**-20
    >>> bool(abs(noise.std() - 1.0) < 0.25)
    True
    """

    def finish(cell: Cell, place: int) -> int:
        return precise.normal_whole(
            cell, _exact_ratio(sd, grid, place), lambda u: -_minus_normal_one(max(u, 2.0**-1000))
        )

    return rounded(size, NORMAL, _ratio(sd, grid), finish)


def _minus_normal_many(uniform: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    from scipy.special import ndtri

    # the lower half only, where a uniform next to 0 keeps its relative accuracy
    half = uniform * 0.5
    return ndtri(half, out=half)


def _minus_normal_one(uniform: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 * uniform))


LOG = Quantile(np.log, math.log, LOG_ERROR)
NORMAL = Quantile(_minus_normal_many, _minus_normal_one, NORMAL_ERROR)


def _ratio(scale: Any, grid: float) -> Any:
    if isinstance(scale, float):
        # the quotient is exact unless it overflows, where it is infinite, or underflows
        return scale / grid
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(scale, dtype=np.float64) / grid


def _exact_ratio(scale: Any, grid: float, place: int) -> Fraction:
    each = scale if np.ndim(scale) == 0 else scale[place]
    return Fraction(float(each)) / Fraction(grid)

"""Geometric noise on the whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._bits import Cell
from pydpstat.random.secure.continuous import LOG, rounded


def symmetric_geometric(size: int, rate: float | Fraction) -> npt.NDArray[Any]:
    """Draw the two-sided geometric law: P(k) is proportional to exp(-rate |k|).

    Parameters
    ----------
    size : int
        How many values.
    rate : float or Fraction
        Above 0; taken as the exact number that it is.

    Returns
    -------
    ndarray of shape (size,)
        Whole numbers as floats; as Python's integers where one is beyond 2^53.

    Notes
    -----
    P(|X| >= k) = 2 a^k / (1 + a) for k >= 1 with a = exp(-rate). So |X| is the largest k with
    U <= 2 a^k / (1 + a), which is floor((-log U + log(2 / (1 + a))) / rate).

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> bool(abs(secure.symmetric_geometric(1000, 1.0)).max() < 50)
    True
    """
    exact = Fraction(rate)

    def bounds(cell: Cell, precision: int) -> tuple[int, int]:
        (below, above), (least, most) = precise.minus_log(cell, precision), precise.log_share(
            exact, precision
        )
        return below + least, above + most

    # log(2 / (1 + a)) without cancellation
    return _floors(size, exact, math.log1p(math.tanh(0.5 * _float(exact))), bounds)


def sign_geometric(size: int, rate: float | Fraction) -> npt.NDArray[Any]:
    """Draw a random sign times a geometric variable; parameters and result as in `symmetric_geometric`.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> bool(abs(secure.sign_geometric(1000, 1.0)).max() < 50)
    True
    """
    return _floors(size, Fraction(rate), 0.0, precise.minus_log)


def _floors(size: int, rate: Fraction, offset: float, bounds: Any) -> npt.NDArray[Any]:
    """Draw signed floor((-log U + offset) / rate): down instead of to the nearest, so 1/2 less."""

    def finish(cell: Cell, place: int) -> int:
        return precise.whole(cell, bounds, 1 / rate, half=False)

    ratio = _float(1 / rate)
    with np.errstate(all="ignore"):
        return rounded(size, LOG, ratio, finish, shift=ratio * offset - 0.5)


def _float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf

"""Bernoulli trials with exactly given probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._bits import Cell
from pydpstat.random.secure.continuous import LOG_ERROR

_ROUNDING = 2.0**-50


def bernoulli(size: int, probability: Any) -> npt.NDArray[np.bool_]:
    """Draw trials that are true with the probability given, exactly.

    Parameters
    ----------
    size : int
        How many trials.
    probability : float, Fraction or array of shape (size,)
        From 0 to 1; a float is the binary fraction that it is.

    Returns
    -------
    ndarray of bool, shape (size,)

    Raises
    ------
    PydpstatError
        Where a probability is outside 0 to 1.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> secure.bernoulli(2, 1.0).tolist(), secure.bernoulli(2, 0).tolist()
    ([True, True], [False, False])
    """
    several = np.ndim(probability) > 0
    chances: Any = np.asarray(probability, dtype=np.float64) if several else probability
    if not np.all((chances >= 0) & (chances <= 1)):
        raise PydpstatError("probability must be between 0 and 1, every one.")
    known = bits.KNOWN_BITS
    drawn = bits.words(size) >> np.uint64(64 - known)
    # U < p: true in all cells below that of p, false in all above it
    edge: Any
    if several:
        edge = np.floor(chances * 2.0**known).astype(np.uint64)
    else:
        exact = Fraction(chances)
        edge = np.uint64((exact.numerator << known) // exact.denominator)
    result = drawn < edge
    for place in np.flatnonzero(drawn == edge).tolist():
        each = Fraction(float(chances[place])) if several else exact
        result[place] = _below(Cell(int(drawn[place]), known), each)
    return result


def bernoulli_exp(exponents: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Draw one trial for each exponent x >= 0, true with the probability exp(-x), exactly.

    Parameters
    ----------
    exponents : array_like of shape (n,)
        Floats, taken as the exact numbers that they are.

    Returns
    -------
    ndarray of bool, shape (n,)

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> secure.bernoulli_exp([0.0, 1e9]).tolist()
    [True, False]
    """
    values = np.asarray(exponents, dtype=np.float64)
    return trials_exp(values, np.zeros(values.shape), lambda place: Fraction(float(values[place])))


def trials_exp(
    exponents: npt.NDArray[np.float64],
    errors: npt.NDArray[np.float64],
    exact: Callable[[int], Fraction],
) -> npt.NDArray[np.bool_]:
    """Draw trials with the probabilities exp(-x), where floats are within `errors` of each x.

    Parameters
    ----------
    exponents, errors : ndarray of shape (n,)
        Each x >= 0 and the bound of its error; what is NaN or infinite counts as not known.
    exact : callable
        A trial's number in, its exact x out.
    """
    words = bits.words(exponents.size)
    uniform = bits.midpoints(words)
    reached = -np.log(uniform)
    with np.errstate(all="ignore"):
        # as in `inversion`, with ratio 1
        slack = 2.0 * bits.half_cell() / uniform + reached * (LOG_ERROR + _ROUNDING) + errors
        distance = reached - exponents
        result = distance > 0.0
        decided = (np.abs(distance) > slack) & (uniform > bits.half_cell())
    for place in np.flatnonzero(~decided).tolist():
        result[place] = precise.reaches(bits.cell_of(int(words[place])), exact(place))
    return result


def trial_exp(exponent: float, error: float, exact: Callable[[], Fraction]) -> bool:
    """Draw one trial as `trials_exp` does, in plain numbers: for a single one that is ten times faster."""
    word = bits.word()
    uniform = bits.midpoint(word)
    reached = -math.log(uniform)
    slack = 2.0 * bits.half_cell() / uniform + reached * (LOG_ERROR + _ROUNDING) + error
    if uniform > bits.half_cell() and abs(reached - exponent) > slack:
        return reached > exponent
    return precise.reaches(bits.cell_of(word), exact())


def _below(cell: Cell, probability: Fraction) -> Any:
    """Return whether U is below the probability."""
    while True:
        goal = probability.numerator << cell.bits
        if (cell.place + 1) * probability.denominator <= goal:
            return True
        if cell.place * probability.denominator >= goal:
            return False
        cell.refine()

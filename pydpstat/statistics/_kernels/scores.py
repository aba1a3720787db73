"""Scores of candidates: their exact differences from the best one, whatever numbers they are."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pydpstat._checks import as_float
from pydpstat._data.columns import Columns, Data, one_column, read
from pydpstat._data.values import is_missing, objects
from pydpstat.errors import PydpstatError

# numbers that are rationals and say so; a Decimal's exponent has no bound that memory could hold
_EXACT = (int, float, Fraction, np.integer, np.floating)
Exact = int | float | Fraction | np.integer | np.floating
_NOT_NUMBERS = (bool, np.timedelta64)


class Scores(NamedTuple):
    """How good each candidate is. Private.

    Parameters
    ----------
    floats : ndarray of float64, shape (k,)
        The scores, or the floats nearest to `below`.
    below : sequence of Fraction, or None
        The differences from the best score, at most 0; None where `floats` has the scores exactly.
    """

    floats: np.ndarray
    below: Sequence[Fraction] | None = None

    def __repr__(self) -> str:
        return "Scores(values withheld)"


def scores_of(scores: Data, size: int) -> Scores:
    """Read one score for each candidate.

    Raises
    ------
    PydpstatError
        Where they are not numbers, not as many as candidates, or not finite.

    Notes
    -----
    A float of 64 bits does not hold every whole number beyond 2^53, nor every long double or fraction.
    Rounded, such scores could move by more than their sensitivity, so their differences are taken as
    rationals first.

    Examples
    --------
    >>> scores_of([2**60 + 1, 2**60], 2).below
    [Fraction(0, 1), Fraction(-1, 1)]
    """
    column = one_column(scores, "scores", _columns)
    values = column.arrays[0]
    if column.size != size:
        raise PydpstatError(
            f"scores must be one number for each of the {size} candidates; got {type(scores).__name__} "
            f"of {column.size} values. Give them in the candidates' order."
        )
    if values.dtype.kind == "O":
        if not all(map(_is_finite, values.tolist())):
            raise _not_finite()
        ratios = list(map(_ratio, values.tolist()))
        top = max(ratios)
        return _from_below([ratio - top for ratio in ratios])
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            raise _not_finite()
        if values.dtype.itemsize <= 8:
            return Scores(values.astype(np.float64))
        return scores_of(values.astype(object), size)
    if values.dtype.itemsize <= 4:
        return Scores(values.astype(np.float64))
    # modulo 2^64 the differences are right for both kinds of integers
    short = np.subtract(values.max(), values).astype(np.uint64)
    if short.max() < 2**53:
        return Scores(-short.astype(np.float64))
    return _from_below([Fraction(-each) for each in short.tolist()])


def _columns(scores: object, argument: str) -> Columns:
    # NumPy would make floats of integers that have a float beside them
    values = objects(scores) if isinstance(scores, (list, tuple)) else scores
    return read(values, argument, lambda column: (_exact(column), None))


def _exact(column: object) -> np.ndarray:
    """Return numbers as they are, in their own type or as objects; NaN where one is masked."""
    values = column if isinstance(column, np.ndarray) else np.asarray(column)
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(object), np.nan)
    if values.dtype.kind in "fiu":
        return values
    other = next((type(each) for each in values.ravel().tolist() if not _is_exact(each)), None)
    if other is None and values.dtype.kind == "O":
        return values
    raise PydpstatError(
        f"scores must be numbers; got {(other or values.dtype.type).__name__} among them. Give integers, "
        "floats or fractions."
    )


def _is_exact(value: object) -> bool:
    return isinstance(value, _EXACT) and not isinstance(value, _NOT_NUMBERS) or is_missing(value)


def _from_below(below: list[Fraction]) -> Scores:
    """Return the floats nearest to differences of at most 0, which far down are all the lowest float."""
    return Scores(np.array([max(as_float(each), -sys.float_info.max) for each in below]), below)


def _is_finite(value: object) -> bool:
    return not is_missing(value) and value not in (math.inf, -math.inf)


def _ratio(value: Exact) -> Fraction:
    # NumPy's integers have no ratio
    if isinstance(value, (int, np.integer)):
        return Fraction(int(value))
    return Fraction(*value.as_integer_ratio())


def _not_finite() -> PydpstatError:
    return PydpstatError(
        "scores must be finite, every one; some are not. A score that can be infinite or missing has "
        "no sensitivity: cut it to public bounds first."
    )

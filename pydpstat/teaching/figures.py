"""Comparison of given figures, such as printed ones, with those that the package computes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np

from pydpstat._answering import explain_wrong_calls
from pydpstat._checks import describe_option
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError


@explain_wrong_calls
def beside(figures: Mapping[str, tuple[object, ...]], source: str = "text") -> pd.DataFrame:
    """Compare given numbers, such as those of a publication, with computed ones.

    Parameters
    ----------
    figures : mapping of str to (given, here) or (given, here, remark)
        For each figure the given value (a string such as ``"0.5007902"``, a number, or several),
        and the computed one: a number or as many numbers, in the same order. A frame or a matrix
        is read row by row. A remark explains a difference.
    source : str, default "text"
        Source of the given figures, used as their column's name, such as ``"R"``.

    Returns
    -------
    DataFrame with columns `source`, here, same, indexed by the figures' names
        `same` is true if all agree to the given digits. There is a column remark if
        a figure has one.

    Raises
    ------
    PydpstatError
        If `figures` is not a mapping of such tuples, or a figure has another number of values here,
        or `source` is not a string or is the name of another column.

    See Also
    --------
    pydpstat.DPResults.to_frame : a release's numbers as a table.

    Notes
    -----
    A figure with decimals is compared after rounding to the same number of decimals, an integer or a
    fraction exactly.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pydpstat.teaching import beside
    >>> beside({"mean": ("0.5007902", 0.50079015373), "chance": ("1/3", Fraction(1, 3)), "n": (6, 7)})
                 text       here   same
    mean    0.5007902  0.5007902   True
    chance        1/3        1/3   True
    n               6          7  False
    """
    if not isinstance(figures, Mapping):
        raise PydpstatError(
            f"figures must map names to pairs (given, here); got {type(figures).__name__}. "
            'Give for example {"mean": ("0.50", 0.501)}.'
        )
    if not isinstance(source, str) or source in ("here", "same", "remark"):
        raise PydpstatError(
            "source must be a string other than 'here', 'same' and 'remark', which are columns "
            f"already; got {describe_option(source)}. Give for example 'R'."
        )
    rows = []
    for name, pair in figures.items():
        if not isinstance(pair, tuple) or len(pair) not in (2, 3):
            raise PydpstatError(f"figures[{name!r}] must be a pair (given, here); got {type(pair).__name__}.")
        printed, ours = (_convert_to_list(item) for item in pair[:2])
        if len(printed) != len(ours):
            raise PydpstatError(
                f"figures[{name!r}] must have the same number of values on both sides; got "
                f"{len(printed)} and {len(ours)}."
            )
        theirs = [str(item) for item in printed]
        formatted = [_as_printed(value, text) for value, text in zip(ours, theirs)]
        rows.append((" ".join(theirs), " ".join(formatted), theirs == formatted, *map(str, pair[2:])))
    columns = [source, "here", "same", "remark"][: max(map(len, rows), default=3)]
    table = pd.DataFrame([(*row, "")[: len(columns)] for row in rows], columns=columns, index=list(figures))
    return table.astype({"same": bool})


def _convert_to_list(value: object) -> list[object]:
    """Convert one value or several to a list of plain Python values."""
    if isinstance(value, (str, Fraction)):
        return [value]
    if isinstance(value, (list, tuple, range)):
        return [item for each in value for item in _convert_to_list(each)]
    return np.asarray(value).ravel().tolist()


def _as_printed(value: Any, text: str) -> str:
    """Return a value with as many digits as the text, or in full if that is not possible."""
    try:
        printed = Decimal(text)
        exact = Fraction(value)
    except (InvalidOperation, TypeError, ValueError, OverflowError):
        return str(value)
    n_digits = -int(printed.as_tuple().exponent) if printed.is_finite() else 0
    if not printed.is_finite() or n_digits <= 0 and exact.denominator != 1:
        return str(value)
    rounded = round(exact, n_digits)
    if rounded == Fraction(printed):
        return text
    decimals = max(n_digits, 0)
    return f"{Decimal(f'{int(rounded * 10**decimals)}e-{decimals}'):f}"

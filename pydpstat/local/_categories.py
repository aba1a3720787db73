"""The categories of a design, which alone fix what answers are and of which type.

All of it is public.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._checks import did_you_mean, shown, shown_option
from pydpstat._data.containers import listed
from pydpstat._frozen import frozen
from pydpstat.errors import PydpstatError

Category = bool | int | float | str

_MOST = 10**6


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """The categories of a design.

    Parameters
    ----------
    labels : tuple
        In order. A single answer is one of these objects.
    table : ndarray
        The same as an array, whose type all arrays of answers have.
    counted : bool
        Whether they are 0 to k - 1, so that a number is its own place.
    """

    labels: tuple[Category, ...]
    table: npt.NDArray[Any]
    counted: bool


def categories_of(categories: Any) -> Categories:
    """Check categories: a whole number k of at least 2 for 0 to k - 1, or a list of them."""
    if isinstance(categories, (int, np.integer)) and not isinstance(categories, bool):
        if 2 <= categories <= _MOST:
            return _tabled(tuple(range(int(categories))))
    values = listed(categories)
    if isinstance(values, (list, tuple, range)) and 2 <= len(values) <= _MOST:
        plain = tuple(each.item() if isinstance(each, np.generic) else each for each in values)
        if all(type(each) in (str, bool, int, float) and each == each for each in plain):
            if len(set(plain)) == len(plain):
                return _tabled(plain)
    raise PydpstatError(
        "categories must be how many there are, from 2 to 1,000,000, or a list of two or more different "
        f"texts or numbers, none missing; got {shown(categories)}. Give for example ['no', 'yes']."
    )


def _tabled(labels: tuple[Category, ...]) -> Categories:
    counted = all(type(each) in (int, bool) and each == place for place, each in enumerate(labels))
    # places need no more than the shortest integers that hold them, a byte for each of many answers
    short = np.min_scalar_type(-len(labels)) if counted and set(map(type, labels)) == {int} else None
    table = np.array(labels, dtype=short)
    # a type that cannot hold them all as they are: texts beside numbers, whole numbers beyond floats
    if table.tolist() != list(labels):
        table = np.fromiter(labels, dtype=object, count=len(labels))
    return Categories(labels, frozen(table), counted)


BINARY = _tabled((0, 1))


def place_of(value: Any, categories: Categories) -> int | None:
    """Return the place of the category that missing values count as; None for "error"."""
    if isinstance(value, str) and value == "error":
        return None
    try:
        return categories.labels.index(value)
    except (ValueError, TypeError):
        texts = [each for each in categories.labels if isinstance(each, str)]
        hint = did_you_mean(value, ["error", *texts])
        raise PydpstatError(
            f"missing must be 'error' or one of the categories; got {shown_option(value)}. {hint}"
        ) from None

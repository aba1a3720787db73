"""The categories of a design, and reading truths and answers as places of them, whatever holds them.

The categories alone fix what answers are and of which type; all of that is public. Each truth's category
is found by itself. Public are the container, its shape, its index and its name; neither the types of
the values nor a type that they have together come into answers or messages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

from pydpstat._checks import as_integer, did_you_mean, excerpt, shown, shown_option
from pydpstat._data.containers import has_columns, is_index, is_series, is_vector, library_of
from pydpstat._data.held import in_memory, public_list
from pydpstat._data.lookup import places
from pydpstat._data.values import is_missing, objects
from pydpstat._frozen import frozen
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError

Category = bool | int | float | str
_MOST = 10**6
Codes = npt.NDArray[np.bool_] | npt.NDArray[np.int64]
# as many as NumPy 1.24 has
_MOST_DIMENSIONS = 32


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """The categories of a design, in order, and the same as an array, whose type arrays of answers have.

    They are `counted` if they are 0 to k - 1, so that a number is its own place.
    """

    labels: tuple[Category, ...]
    table: npt.NDArray[np.generic]
    counted: bool


def categories_of(categories: object) -> Categories:
    """Check categories: an integer k of at least 2 for 0 to k - 1, or a list of them."""
    number = as_integer(categories)
    if number is not None and 2 <= number <= _MOST:
        return _tabled(tuple(range(number)))
    values = public_list(categories, "categories")
    if isinstance(values, (list, tuple, range)) and 2 <= len(values) <= _MOST:
        plain = tuple(each.item() if isinstance(each, np.generic) else each for each in values)
        if all(type(each) in (str, bool, int, float) and each == each for each in plain):
            if len(set(plain)) == len(plain):
                return _tabled(plain)
    raise PydpstatError(
        "categories must be their number, from 2 to 1,000,000, or a list of two or more different "
        f"strings or numbers, none missing; got {shown(categories)}. Give for example ['no', 'yes']."
    )


def _tabled(labels: tuple[Category, ...]) -> Categories:
    counted = all(type(each) in (int, bool) and each == place for place, each in enumerate(labels))
    # places need no more than the shortest integers that hold them, a byte for each of many answers
    short = np.min_scalar_type(-len(labels)) if counted and set(map(type, labels)) == {int} else None
    table = np.array(labels, dtype=short)
    # a type that cannot hold them all as they are: texts beside numbers, integers beyond floats
    if table.tolist() != list(labels):
        table = np.fromiter(labels, dtype=object, count=len(labels))
    return Categories(labels, frozen(table), counted)


BINARY = _tabled((0, 1))


def place_of(value: object, categories: Categories) -> int | None:
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


class Container(NamedTuple):
    """What values came in: their shape, None for a single value, and what else than an array it is.

    Public.
    """

    shape: tuple[int, ...] | None
    like: pd.Series | pd.Index | None = None

    def __repr__(self) -> str:
        return "Container(values withheld)"


class Truths(NamedTuple):
    """Values as places of categories: bool where there are two, else int64. Private but for the container."""

    codes: Codes
    container: Container

    def __repr__(self) -> str:
        return "Truths(withheld)"


def is_single(value: object) -> bool:
    """Tell whether something is one value, not a container of them."""
    if isinstance(value, (str, bytes, np.generic)) or is_missing(value):
        return True
    return not hasattr(type(value), "__len__") and not hasattr(type(value), "__iter__")


def read(values: object, name: str, categories: Categories, missing: int | None = None) -> Truths:
    """Read values of the design's categories.

    A missing value counts as the category at the place `missing`; by default it is an error, the same as of a
    value that is no category.
    """
    column, container = _opened(values, name)
    codes = _codes(column, categories, missing)
    if codes is not None:
        return Truths(codes, container)
    wanted = f"{name} must be among the design's categories {excerpt(list(categories.labels))}"
    if missing is None:
        raise PydpstatError(
            f"{wanted}, none missing; got other or missing values. Recode them, give categories=, or "
            "create the design with missing= one of its categories, for example 'no answer'."
        )
    raise PydpstatError(f"{wanted}; got other values. Recode them, or give categories=.")


def answers_of(codes: Codes, container: Container, categories: Categories) -> object:
    """Return answers in a container like the truths', of the type that an array of the categories has.

    In a Series or an index it is the type that pandas gives to all the categories.
    """
    shape, like = container
    if shape is None:
        return categories.labels[int(codes[0])]
    if like is None and categories.counted:
        kind = categories.table.dtype
        # a truth value is a byte of 0 or 1
        same = codes.dtype == np.bool_ and kind.itemsize == 1
        return (codes.view(kind) if same else codes.astype(kind)).reshape(shape)
    chosen = codes.astype(np.intp, copy=False)
    if like is None:
        return categories.table.take(chosen).reshape(shape)

    if is_index(like):
        return pd.Index(categories.table).take(chosen).rename(like.name)
    held = pd.Series(categories.table)
    return pd.Series(held.array.take(chosen), index=like.index, name=like.name, dtype=held.dtype)


def _opened(values: object, name: str) -> tuple[object, Container]:
    """Return the values in a row, and what they came in."""
    values = in_memory(values, name)
    if isinstance(values, (list, tuple, range)):
        flat, shape = _flat(values)
        return objects(flat), Container(shape)
    if is_single(values) and not library_of(values):
        # a number of NumPy's is found as an array of its type has it
        single = np.asarray(values).reshape(1) if isinstance(values, np.generic) else objects([values])
        return single, Container(None)
    if isinstance(values, np.ndarray):
        array = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
        return array.ravel(), Container(array.shape)
    if is_vector(values) and not library_of(values):
        like = values if is_series(values) or is_index(values) else None
        return values, Container((len(values),), like)
    hint = "Give one column at a time." if has_columns(values) else "Give an array, list or Series in memory."
    raise PydpstatError(
        f"{name} must be one variable (array, list, Series, Categorical) or one value; got "
        f"{type(values).__name__}. {hint}"
    )


def _flat(values: Iterable[object]) -> tuple[list[object], tuple[int, ...]]:
    """Return the values of a list, of lists of one length in it, and so on, each as it is."""
    flat = list(values)
    shape: tuple[int, ...] = (len(flat),)
    while flat and len(shape) < _MOST_DIMENSIONS and _are_rows(flat):
        lengths = {len(row) for row in flat}
        if len(lengths) > 1:
            break
        flat = [value for row in flat for value in row]
        shape += (lengths.pop(),)
    return flat, shape


def _are_rows(values: list[object]) -> TypeGuard[list[Collection[object]]]:
    # asked of the type, as a truth of another type may do what it likes when it is asked
    return all(
        isinstance(row, (list, tuple, range)) or hasattr(type(row), "dtype") and getattr(row, "ndim", 0) > 0
        for row in values
    )


def _codes(column: object, categories: Categories, missing: int | None) -> Codes | None:
    """Return each value's place among the categories; None where one has none."""
    k = len(categories.labels)
    own = _own_places(column) if categories.counted and type(column) is np.ndarray else None
    if own is not None:
        return _within(own, k)
    found = places(column, categories.labels)
    if missing is not None:
        found[found == -1] = missing
    return _within(found, k)


def _own_places(column: np.ndarray) -> np.ndarray | None:
    """Return numbers that are their own places; None where one of them may be missing or broken."""
    if column.dtype.kind == "b":
        # a byte of another array can be any number, which stands for True and must not be seen
        return column.view(np.uint8) != 0
    if column.dtype.kind != "f":
        return column if column.dtype.kind in "iu" else None
    with np.errstate(invalid="ignore"):
        whole = column.astype(np.int64)
    return whole if np.array_equal(whole, column) else None


def _within(found: np.ndarray, k: int) -> Codes | None:
    """Return places as codes; None where one is not below k."""
    if found.dtype != np.bool_ and found.size and not (found.min() >= 0 and found.max() < k):
        return None
    return found.astype(np.bool_, copy=False) if k == 2 else found.astype(np.int64, copy=False)

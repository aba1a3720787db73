"""Categories of a design, and encoding of truths and answers from any container.

The categories alone determine the answers and their type; all of that is public. Each truth is encoded separately. The
container, its shape, its index and its name are public; neither the types of the values nor their common type affect
answers or messages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

from pydpstat._checks import as_integer, describe_option, describe_value, format_public_value, suggest_spelling
from pydpstat._data.containers import find_library, has_columns, is_index, is_series, is_vector
from pydpstat._data.labels import encode_labels
from pydpstat._data.native import to_pandas_or_numpy, to_public_list
from pydpstat._data.values import is_missing, to_object_array
from pydpstat._frozen import freeze_array, hide_values
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError

Category = bool | int | float | str
_MAX_CATEGORIES = 10**6
Codes = npt.NDArray[np.bool_] | npt.NDArray[np.int64]
# the limit of NumPy 1.24
_MAX_DIMENSIONS = 32


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """Categories of a design in order, and the same as an array, whose dtype arrays of answers have.

    `has_position_labels` means that they are 0 to k - 1, so that a number is its own code.
    """

    labels: tuple[Category, ...]
    table: npt.NDArray[np.generic]
    has_position_labels: bool


def parse_categories(categories: object) -> Categories:
    """Check categories: an integer k of at least 2 for 0 to k - 1, or a list of categories."""
    number = as_integer(categories)
    if number is not None and 2 <= number <= _MAX_CATEGORIES:
        return _build_categories(tuple(range(number)))
    values = to_public_list(categories, "categories")
    if isinstance(values, (list, tuple, range)) and 2 <= len(values) <= _MAX_CATEGORIES:
        plain = tuple(value.item() if isinstance(value, np.generic) else value for value in values)
        if all(type(value) in (str, bool, int, float) and value == value for value in plain):
            if len(set(plain)) == len(plain):
                return _build_categories(plain)
    raise PydpstatError(
        "categories must be their number, from 2 to 1,000,000, or a list of two or more different "
        f"strings or numbers, none missing; got {describe_value(categories)}. Give for example ['no', 'yes']."
    )


def _build_categories(labels: tuple[Category, ...]) -> Categories:
    counted = all(type(label) in (int, bool) and label == position for position, label in enumerate(labels))
    # the shortest integer type, so that many answers need one byte each
    dtype = np.min_scalar_type(-len(labels)) if counted and set(map(type, labels)) == {int} else None
    table = np.array(labels, dtype=dtype)
    # a common type that changes values, as for strings with numbers, or integers beyond floats
    if table.tolist() != list(labels):
        table = np.fromiter(labels, dtype=object, count=len(labels))
    return Categories(labels, freeze_array(table), counted)


BINARY = _build_categories((0, 1))


def parse_missing_category(value: object, categories: Categories) -> int | None:
    """Return the code of the category that missing values count as; None for "error"."""
    if isinstance(value, str) and value == "error":
        return None
    try:
        return categories.labels.index(value)
    except (ValueError, TypeError):
        texts = [label for label in categories.labels if isinstance(label, str)]
        hint = suggest_spelling(value, ["error", *texts])
        raise PydpstatError(
            f"missing must be 'error' or one of the categories; got {describe_option(value)}. {hint}"
        ) from None


class Container(NamedTuple):
    """Container of the values: its shape, or None for a single value, and the pandas object if it was one.

    Public.
    """

    shape: tuple[int, ...] | None
    like: pd.Series | pd.Index | None = None

    def __repr__(self) -> str:
        return hide_values(self)


class TruthCodes(NamedTuple):
    """Codes of values: bool for two categories, else int64. Private except for the container."""

    codes: Codes
    container: Container

    def __repr__(self) -> str:
        return hide_values(self)


def is_single(value: object) -> bool:
    """Return whether an object is a single value rather than a container."""
    if isinstance(value, (str, bytes, np.generic)) or is_missing(value):
        return True
    return not hasattr(type(value), "__len__") and not hasattr(type(value), "__iter__")


def read(values: object, name: str, categories: Categories, missing: int | None = None) -> TruthCodes:
    """Read values and encode them by the design's categories.

    A missing value is encoded as `missing`; by default it raises the same error as a value that is not a category.
    """
    column, container = _open_container(values, name)
    codes = _encode_categories(column, categories, missing)
    if codes is not None:
        return TruthCodes(codes, container)
    expected = f"{name} must be among the design's categories {format_public_value(list(categories.labels))}"
    if missing is None:
        raise PydpstatError(
            f"{expected}, none missing; got other or missing values. Recode them, give categories=, or "
            "create the design with missing= one of its categories, for example 'no answer'."
        )
    raise PydpstatError(f"{expected}; got other values. Recode them, or give categories=.")


def wrap_answers(codes: Codes, container: Container, categories: Categories) -> object:
    """Return answers in a container like the truths', with the dtype of an array of the categories.

    In a Series or an index, the dtype is the one that pandas gives to all the categories.
    """
    shape, like = container
    if shape is None:
        return categories.labels[int(codes[0])]
    if like is None and categories.has_position_labels:
        kind = categories.table.dtype
        # a truth value is a byte of 0 or 1
        is_same_size = codes.dtype == np.bool_ and kind.itemsize == 1
        return (codes.view(kind) if is_same_size else codes.astype(kind)).reshape(shape)
    indices = codes.astype(np.intp, copy=False)
    if like is None:
        return categories.table.take(indices).reshape(shape)

    if is_index(like):
        return pd.Index(categories.table).take(indices).rename(like.name)
    table = pd.Series(categories.table)
    return pd.Series(table.array.take(indices), index=like.index, name=like.name, dtype=table.dtype)


def _open_container(values: object, name: str) -> tuple[object, Container]:
    """Return the values as a vector, and their container."""
    values = to_pandas_or_numpy(values, name)
    if isinstance(values, (list, tuple, range)):
        flat, shape = _concatenate_rows(values)
        return to_object_array(flat), Container(shape)
    if is_single(values) and not find_library(values):
        # a NumPy scalar is encoded as an array of its dtype
        single = np.asarray(values).reshape(1) if isinstance(values, np.generic) else to_object_array([values])
        return single, Container(None)
    if isinstance(values, np.ndarray):
        array = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
        return array.ravel(), Container(array.shape)
    if is_vector(values) and not find_library(values):
        like = values if is_series(values) or is_index(values) else None
        return values, Container((len(values),), like)
    hint = "Give one column at a time." if has_columns(values) else "Give an array, list or Series in memory."
    raise PydpstatError(
        f"{name} must be one variable (array, list, Series, Categorical) or one value; got "
        f"{type(values).__name__}. {hint}"
    )


def _concatenate_rows(values: Iterable[object]) -> tuple[list[object], tuple[int, ...]]:
    """Return the unconverted values of a list, or of nested lists of equal length, and the shape."""
    flat = list(values)
    shape: tuple[int, ...] = (len(flat),)
    while flat and len(shape) < _MAX_DIMENSIONS and _has_only_rows(flat):
        lengths = {len(row) for row in flat}
        if len(lengths) > 1:
            break
        flat = [value for row in flat for value in row]
        shape += (lengths.pop(),)
    return flat, shape


def _has_only_rows(values: list[object]) -> TypeGuard[list[Collection[object]]]:
    # checks the type only, because attributes of an arbitrary object could run its code
    return all(
        isinstance(row, (list, tuple, range)) or hasattr(type(row), "dtype") and getattr(row, "ndim", 0) > 0
        for row in values
    )


def _encode_categories(column: object, categories: Categories, missing: int | None) -> Codes | None:
    """Return the codes of the values; None if a value is not a category."""
    k = len(categories.labels)
    direct_codes = _get_direct_codes(column) if categories.has_position_labels and type(column) is np.ndarray else None
    if direct_codes is not None:
        return _check_code_range(direct_codes, k)
    codes = encode_labels(column, categories.labels)
    if missing is not None:
        codes[codes == -1] = missing
    return _check_code_range(codes, k)


def _get_direct_codes(column: np.ndarray) -> np.ndarray | None:
    """Return numbers that are their own codes; None if one may be missing or fractional."""
    if column.dtype.kind == "b":
        # the byte of a true value may be any nonzero number, which must not become visible
        return column.view(np.uint8) != 0
    if column.dtype.kind != "f":
        return column if column.dtype.kind in "iu" else None
    with np.errstate(invalid="ignore"):
        integers = column.astype(np.int64)
    return integers if np.array_equal(integers, column) else None


def _check_code_range(codes: np.ndarray, k: int) -> Codes | None:
    """Return numbers as codes; None if one is outside 0 to k - 1."""
    if codes.dtype != np.bool_ and codes.size and not (codes.min() >= 0 and codes.max() < k):
        return None
    return codes.astype(np.bool_, copy=False) if k == 2 else codes.astype(np.int64, copy=False)

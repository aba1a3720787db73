"""Data frames that mark columns of R's integers with missing values, which are doubles here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd


class TypedFrame(pd.DataFrame):
    """A data frame whose integers become integers again where rows with missing values are dropped.

    Assigned columns, and the results of other methods, are those of pandas.

    Examples
    --------
    >>> frame = mark_integers(pd.DataFrame({"a": [1.0, np.nan]}), ["a"])
    >>> frame["a"].dtype.kind, frame[~frame["a"].isna()]["a"].dtype.kind
    ('f', 'i')
    """

    integers: frozenset[str] = frozenset()

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if isinstance(found, pd.Series) and found.name in self.integers:
            return TypedColumn(found)
        return _keep_integers(found, self)

    @property
    def loc(self) -> Any:
        """Indexer of rows and columns by label."""
        return _TypedIndexer(super().loc, self)

    @property
    def iloc(self) -> Any:
        """Indexer of rows and columns by position."""
        return _TypedIndexer(super().iloc, self)

    def assign(self, **columns: Any) -> pd.DataFrame:
        """Return the data frame with new columns."""
        made = {name for name, value in columns.items() if isinstance(value, TypedColumn)}
        return mark_integers(super().assign(**columns), (self.integers - set(columns)) | made)


class TypedColumn(pd.Series):
    """A column of R's integers with missing values; sums and products with other integers have the same type."""

    @property
    def _constructor(self) -> type[pd.Series]:
        return pd.Series

    @property
    def values(self) -> Any:
        """Values of the column, which become integers where the missing ones are dropped."""
        return np.asarray(super().values).view(IncompleteIntegers)

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return found.astype(np.int64) if isinstance(found, pd.Series) and _are_whole(found) else found


def _make_operator(sign: str) -> Callable[[TypedColumn, Any], Any]:
    operator = getattr(pd.Series, f"__{sign}__")

    def apply_operator(self: TypedColumn, other: Any) -> Any:
        found = operator(self, other)
        whole = isinstance(other, pd.Series) and (isinstance(other, TypedColumn) or other.dtype.kind == "i")
        return TypedColumn(found) if whole else found

    return apply_operator


for _sign in ("add", "sub", "mul", "radd", "rsub", "rmul"):
    setattr(TypedColumn, f"__{_sign}__", _make_operator(_sign))


class IncompleteIntegers(np.ndarray):
    """R's integers with missing values as doubles; the results of arithmetic are plain doubles.

    Examples
    --------
    >>> x = np.array([1.0, np.nan]).view(IncompleteIntegers)
    >>> x[~np.isnan(x)], type(x + 1).__name__
    (array([1]), 'ndarray')
    """

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [np.asarray(each) if isinstance(each, IncompleteIntegers) else each for each in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __getitem__(self, key: Any) -> Any:
        found = np.asarray(self)[key]
        if not isinstance(found, np.ndarray):
            return found
        return found.astype(np.int64) if _are_whole(found) else found.view(IncompleteIntegers)


def _are_whole(x: Any) -> bool:
    return bool(np.all(np.floor(x) == x))


class _TypedIndexer:
    """Indexer of pandas whose results preserve the integer columns."""

    def __init__(self, indexer: Any, frame: TypedFrame) -> None:
        self._indexer, self._frame = indexer, frame

    def __getitem__(self, key: Any) -> Any:
        return _keep_integers(self._indexer[key], self._frame)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._indexer[key] = value


def mark_integers(frame: pd.DataFrame, names: Any) -> pd.DataFrame:
    """Return a data frame with marked integer columns; those without missing values become integers.

    Examples
    --------
    >>> mark_integers(pd.DataFrame({"a": [1.0]}), ["a"])["a"].tolist()
    [1]
    """
    known = [name for name in names if name in frame.columns and frame[name].dtype.kind == "f"]
    whole = {name: frame[name].astype(np.int64) for name in known if not frame[name].isna().any()}
    left = frozenset(known) - set(whole)
    made = pd.DataFrame.assign(frame, **whole) if whole else frame
    if not left:
        return made
    typed = TypedFrame(made)
    object.__setattr__(typed, "integers", left)
    return typed


def _keep_integers(found: Any, frame: TypedFrame) -> Any:
    return mark_integers(found, frame.integers) if isinstance(found, pd.DataFrame) else found

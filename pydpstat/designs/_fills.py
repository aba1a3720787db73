"""Values that replace the missing ones of single columns of a design, record by record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.chunks import Chunk
from pydpstat._data.containers import Column, is_categorical, is_numeric, to_floats
from pydpstat._data.labels import get_value_kind
from pydpstat._data.native import to_series
from pydpstat._data.table import as_table
from pydpstat._data.values import is_missing
from pydpstat._lazy import pd
from pydpstat._release.options import Missing


@dataclass(frozen=True)
class FilledColumn:
    """Transformation that replaces the missing values of a column by a public value.

    The new value of a record depends on this record only, and the column's type only on the old type and the value.
    """

    name: str
    value: Missing

    expression = None
    drops = False
    makes = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """Name of the column."""
        return (self.name,)

    def compute_column(self, columns: Mapping[str, Column], size: int) -> Column:
        """Compute the column."""
        return _fill_missing(to_series(columns[self.name]), self.value)

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the chunk with the column replaced."""
        return Chunk({**chunk.columns, self.name: self.compute_column(chunk.columns, chunk.size)}, chunk.size)


def _fill_missing(series: pd.Series, value: Missing) -> pd.Series:
    """Replace missing values; the type has room for the value, whether or not one is missing."""
    if is_categorical(series):
        has_value = value in series.cat.categories
        return (series if has_value else series.cat.add_categories([value])).fillna(value)
    kind = getattr(series.dtype, "kind", "O")
    if isinstance(series.dtype, np.dtype) and kind in "iu" and checks.is_number(value):
        return series
    if is_numeric(series) and kind in "iuf" and checks.is_number(value):
        values = to_floats(series)
        return pd.Series(np.where(np.isnan(values), checks.as_float(value), values), index=series.index)
    if get_value_kind(series) == "texts" and isinstance(value, str):
        return series.fillna(value)
    values = series.astype(object).to_numpy(dtype=object, copy=True)
    values[find_missing(series)] = value
    return pd.Series(values, index=series.index, dtype=object)


def find_missing(column: Column) -> npt.NDArray[np.bool_]:
    """Return a mask of the missing values of a column."""
    series = to_series(column)
    if series.dtype == object:
        return np.fromiter(map(is_missing, series), dtype=bool, count=len(series))
    return series.isna().to_numpy(dtype=bool)


def find_incomplete_columns(data: Any, names: Sequence[str]) -> list[str]:
    """Return the columns of a frame or a table's view that have missing values."""
    table = as_table(data)
    if table is None:
        has_missing = _find_in_columns(data, names)
    else:
        has_missing = table.fold(partial(_find_in_chunk, names=tuple(names)), np.logical_or)
    return [name for name, is_incomplete in zip(names, has_missing.tolist()) if is_incomplete]


def _find_in_chunk(chunk: Chunk, names: Sequence[str]) -> npt.NDArray[np.bool_]:
    return _find_in_columns(chunk.columns, names)


def _find_in_columns(columns: Mapping[str, Column], names: Sequence[str]) -> npt.NDArray[np.bool_]:
    return np.array([find_missing(columns[name]).any() for name in names], dtype=bool)

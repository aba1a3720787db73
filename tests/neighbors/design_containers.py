"""Containers of a design's columns: dicts, frames, chunks, and tables of engines."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from tests.neighbors.kinds import Kind, objects


@dataclass(frozen=True)
class Container:
    """What holds the columns, and whether it takes a kind of labels."""

    name: str
    make: Callable[[dict[str, Any], Kind], Any]
    takes: Callable[[Kind], bool] = lambda kind: True


def _typed(name: str, values: list[Any], listed: bool) -> Any:
    """Return a column that is none of labels."""
    if listed:
        return values
    return np.array(values, dtype=object if name == "note" else None)


def is_listed(kind: Kind) -> bool:
    """Tell whether a kind of labels is held as Python's objects."""
    return kind.make in (list, tuple) or kind.make is objects


def _held(columns: dict[str, Any], kind: Kind) -> dict[str, Any]:
    return {
        name: kind.make(values) if name in ("region", "sex") else _typed(name, values, is_listed(kind))
        for name, values in columns.items()
    }


def _chunks(columns: dict[str, Any], kind: Kind) -> Iterator[Any]:
    halves = [{name: each[part] for name, each in columns.items()} for part in (slice(0, 12), slice(12, None))]
    return iter([_held(each, kind) for each in halves])


def _frame(columns: dict[str, Any], kind: Kind) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(each).reset_index(drop=True) for name, each in _held(columns, kind).items()})


def _has_a_type(kind: Kind) -> bool:
    return not is_listed(kind) and not kind.name.startswith(("masked", "days", "list", "objects", "bytes"))


def _arrow(columns: dict[str, Any], kind: Kind) -> Any:
    import pyarrow as pa

    return pa.Table.from_pandas(_frame(columns, kind), preserve_index=False)


def _polars(columns: dict[str, Any], kind: Kind) -> Any:
    import polars as pl

    return pl.from_arrow(_arrow(columns, kind))


def _duckdb(columns: dict[str, Any], kind: Kind) -> Any:
    import duckdb

    return duckdb.from_arrow(_arrow(columns, kind))


_ENGINE_KINDS = ("string", "int64", "int8", "float64", "booleans", "boolean", "Int64", "Float32")
_ENGINES = {"pyarrow": _arrow, "polars": _polars, "duckdb": _duckdb}
CONTAINERS = (
    Container("dict", _held),
    Container("frame", _frame, _has_a_type),
    Container("chunks", _chunks, lambda kind: not kind.name.startswith(("bytes", "long double", "periods"))),
    *(
        Container(name, make, lambda kind: kind.name in _ENGINE_KINDS)
        for name, make in _ENGINES.items()
        if find_spec(name) and find_spec("pyarrow")
    ),
)

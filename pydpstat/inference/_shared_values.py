"""Values in place of the dictionaries that all records of a column of Arrow, Polars or pandas share."""

from __future__ import annotations

from typing import Any

from pydpstat._data.containers import offers
from pydpstat.errors import PydpstatError


def with_own_values(sample: Any) -> Any:
    """Return records of Arrow or Polars without shared dictionaries, and others as they are."""
    library = type(sample).__module__.partition(".")[0]
    if library == "polars":
        return _of_polars(sample)
    if library == "pyarrow":
        if not offers(sample, "columns"):
            return _of_arrow(sample)
        return type(sample).from_arrays([*map(_of_arrow, sample.columns)], names=sample.column_names)
    return sample


def _of_polars(sample: Any) -> Any:
    import polars as pl

    if not offers(sample, "columns"):
        return sample.cast(_polars_type(sample.dtype))
    plain = {name: _polars_type(kind) for name, kind in sample.schema.items()}
    return sample.with_columns(pl.col(name).cast(kind) for name, kind in plain.items())


def _polars_type(kind: Any) -> Any:
    """Return a type of Polars with texts where it has categories that come from the records."""
    import polars as pl

    if kind == pl.Categorical:
        return pl.String
    if isinstance(kind, pl.List):
        return pl.List(_polars_type(kind.inner))
    if isinstance(kind, pl.Array):
        return pl.Array(_polars_type(kind.inner), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: _polars_type(field.dtype) for field in kind.fields})
    return kind


def _of_arrow(column: Any) -> Any:
    plain = arrow_type(column.type)
    return column if plain == column.type else column.cast(plain)


def arrow_type(kind: Any) -> Any:
    """Return a type of Arrow's with the types of values where it has dictionaries."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return arrow_type(kind.value_type)
    if types.is_struct(kind):
        return pa.struct([_field(kind.field(place)) for place in range(kind.num_fields)])
    if types.is_map(kind):
        return pa.map_(arrow_type(kind.key_type), arrow_type(kind.item_type), kind.keys_sorted)
    if types.is_fixed_size_list(kind):
        return pa.list_(_field(kind.value_field), kind.list_size)
    if types.is_large_list(kind):
        return pa.large_list(_field(kind.value_field))
    if types.is_list(kind):
        return pa.list_(_field(kind.value_field))
    if types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType):
        raise PydpstatError(
            f"data must have columns of simple values; got one of type {kind}. Convert it first."
        )
    return kind


def _field(field: Any) -> Any:
    return field.with_type(arrow_type(field.type))


def without_shared(column: Any) -> Any:
    """Return a column or an index of pandas without the dictionaries of its Arrow type, or as it is."""
    kind = getattr(column.dtype, "pyarrow_dtype", None)
    plain = None if kind is None else arrow_type(kind)
    if plain == kind:
        return column
    import pandas as pd

    return column.astype(pd.ArrowDtype(plain))

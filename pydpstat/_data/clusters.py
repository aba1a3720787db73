"""Tables of Dask and Spark: partitions are reduced by the workers, and their results are merged."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pydpstat._data.aggregates import AggregateQuery, AggregateRow, GroupKey, compile_query, parse_rows
from pydpstat._data.chunk_columns import convert_batch, convert_batches, convert_column
from pydpstat._data.chunks import (
    CHUNK,
    Chunk,
    MapChunk,
    Merge,
    Part,
    Table,
    check_column_names,
    check_requested_columns,
    concatenate_chunks,
    has_unit_column,
    make_column_type_error,
    report_engine_errors,
)
from pydpstat._data.containers import get_columns, get_series_name
from pydpstat._data.progress import Progress
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa
    import pyspark.sql as sql

# number of partial results that one task merges
_FAN_IN = 8


@dataclass(frozen=True)
class DaskTable:
    """A table with Dask's partitions, computed by the scheduler that the user has set."""

    frame: dd.DataFrame
    names: tuple[str, ...]
    ordered: bool = False

    def select_columns(self, names: Sequence[str]) -> Table:
        """Return the table restricted to these columns."""
        return replace(self, names=check_requested_columns(names, self.names))

    def make_empty_chunk(self) -> Chunk:
        """Return a chunk without records, with the types from Dask's metadata."""
        return _make_chunk(self.frame[list(self.names)]._meta, self.names)

    def count_records(self) -> int | None:
        """Return the number of records, counted by Dask."""
        with report_engine_errors("dask"):
            return int(self.frame[list(self.names[:1])].map_partitions(len).compute().sum())

    def compute_aggregates(self, query: AggregateQuery) -> list[AggregateRow] | None:
        """Return None: Dask computes no aggregates, so records are read."""
        return None

    def fold(self, map_chunk: MapChunk[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Apply `map_chunk` to every partition and merge the results; with `unit`, Dask shuffles first."""
        from dask import delayed

        as_one_chunk = has_unit_column(unit, self.names)
        with Progress(lambda: None), report_engine_errors("dask"):
            frame = self.frame[list(self.names)]
            if unit is not None:
                if getattr(frame[unit].dtype, "kind", "") == "f":
                    # pandas before 3 hashes 0.0 and -0.0 to different partitions, although they are the same unit
                    frame = frame.assign(**{unit: frame[unit] + 0.0})
                frame = frame.shuffle(on=unit)
            tasks = [
                delayed(_reduce_partition)(piece, self.names, map_chunk, merge, as_one_chunk)
                for piece in frame.to_delayed()
            ]
            while len(tasks) > 1:
                groups = [tasks[start : start + _FAN_IN] for start in range(0, len(tasks), _FAN_IN)]
                tasks = [delayed(_merge_parts)(group, merge) for group in groups]
            partials = tasks[0].compute()
        return partials.pop() if partials else map_chunk(self.make_empty_chunk())


def make_dask_table(data: dd.DataFrame | dd.Series) -> Table:
    """Return a table of a Dask frame or series; the workers need this package."""
    if not hasattr(data, "columns") or getattr(data, "ndim", 2) == 1:
        data = data.to_frame(get_series_name(data) or "")
    return DaskTable(data, check_column_names(list(data.columns)))


def _make_chunk(frame: pd.DataFrame, names: Sequence[str]) -> Chunk:
    columns = {name: convert_column(name, column) for name, column in zip(names, get_columns(frame))}
    return Chunk(columns, len(frame))


def _reduce_partition(
    frame: pd.DataFrame,
    names: tuple[str, ...],
    map_chunk: MapChunk[Part],
    merge: Merge[Part],
    as_one_chunk: bool,
) -> list[Part]:
    """Return the result of a partition in a list, which is empty for a partition without records."""
    step = max(len(frame), 1) if as_one_chunk else CHUNK
    partials: list[Part] = []
    for start in range(0, len(frame), step):
        partial = map_chunk(_make_chunk(frame.iloc[start : start + step], names))
        partials = [merge(partials[0], partial)] if partials else [partial]
    return partials


def _merge_parts(groups: Sequence[list[Part]], merge: Merge[Part]) -> list[Part]:
    """Merge the results of several tasks."""
    partials = [partial for group in groups for partial in group]
    # a task may run again with the same arguments, and `merge` may modify the first one
    partials[:1] = deepcopy(partials[:1])
    while len(partials) > 1:
        partials[:2] = [merge(partials[0], partials[1])]
    return partials


# Spark's type names and the Arrow types of its batches
_ARROW_TYPES = {
    "boolean": "bool_",
    "byte": "int8",
    "short": "int16",
    "integer": "int32",
    "long": "int64",
    "float": "float32",
    "double": "float64",
    "string": "string",
    "char": "string",
    "varchar": "string",
    "date": "date32",
    "void": "null",
}


_INTEGER_TYPES = {"boolean", "tinyint", "smallint", "int", "bigint"}
# a string type with a collation has a different name
_TYPES_BY_KIND = {
    "texts": {"string"},
    "integers": _INTEGER_TYPES,
    "numbers": {*_INTEGER_TYPES, "float", "double"},
    "truths": {"boolean"},
}


@dataclass(frozen=True)
class SparkTable:
    """A table with Spark's partitions."""

    frame: sql.DataFrame
    names: tuple[str, ...]
    ordered: bool = False

    def select_columns(self, names: Sequence[str]) -> Table:
        """Return the table restricted to these columns."""
        return replace(self, names=check_requested_columns(names, self.names))

    def make_empty_chunk(self) -> Chunk:
        """Return a chunk without records, with the types of Spark's schema."""
        import pyarrow as pa

        with report_engine_errors("spark"):
            types = {field.name: field.dataType for field in self.frame.schema.fields}
        schema = pa.schema([(name, _get_arrow_type(name, types[name])) for name in self.names])
        return convert_batch(schema.empty_table())

    def count_records(self) -> int | None:
        """Return the number of records, counted by Spark."""
        with report_engine_errors("spark"):
            return int(self.frame.count())

    def compute_aggregates(self, query: AggregateQuery) -> list[AggregateRow] | None:
        """Compute counts and sums in Spark; return None for columns of unsupported types."""
        from pyspark.sql import functions

        with Progress(lambda: None), report_engine_errors("spark"):
            types = {field.name: field.dataType.simpleString() for field in self.frame.schema.fields}
            if not all(
                types[name] in _TYPES_BY_KIND.get(kind, types.values()) for name, kind in query.required_columns
            ):
                return None
            plan = compile_query(query, _SparkDialect(functions))
            frame = self.frame
            for i, stage in enumerate(plan.stages):
                columns = [each.alias(name) for name, each in stage.items()]
                frame = frame.select(*(["*"] if i else []), *columns)
            counts = [functions.count(name) for name in plan.counts]
            sums = [functions.sum(name) for name in plan.sums]
            aggregated = frame.groupBy(*plan.keys).agg(functions.count(functions.lit(1)), *counts, *sums)
            # the keys are the first columns
            cut, rows = len(plan.keys), [tuple(row) for row in aggregated.collect()]
        return parse_rows(query, plan, [(each[cut], *each[:cut], *each[cut + 1 :]) for each in rows])

    def fold(self, map_chunk: MapChunk[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Apply `map_chunk` to every chunk and merge the results; with `unit`, Spark repartitions first.

        A task that Spark repeats returns the same result, and only one of the two is used.
        """
        as_one_chunk = has_unit_column(unit, self.names)
        with Progress(lambda: None), report_engine_errors("spark"):
            # mapInArrow cannot resolve a column name with a dot
            plain = [f"c{i}" for i in range(len(self.names))]
            frame = self.frame.select(*map(_quote_name, self.names)).toDF(*plain)
            if unit is not None:
                frame = frame.repartition(plain[self.names.index(unit)])
            task = _PartitionTask(self.names, map_chunk, merge, as_one_chunk)
            answers = frame.mapInArrow(task, "part binary").collect()
        partials: list[Part] = []
        for answer in answers:
            partial = pickle.loads(bytes(answer[0]))
            if isinstance(partial, PydpstatError):
                raise partial
            partials = [merge(partials[0], partial)] if partials else [partial]
        return partials[0] if partials else map_chunk(self.make_empty_chunk())


class _PartitionTask:
    """Function that Spark applies to the batches of a partition; it yields one record, the pickled result."""

    def __init__(
        self, names: tuple[str, ...], map_chunk: MapChunk[Part], merge: Merge[Part], as_one_chunk: bool
    ) -> None:
        self.names, self.partial, self.merge, self.whole = list(names), map_chunk, merge, as_one_chunk

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Fold the partition; pydpstat's own errors are passed to the driver unchanged."""
        import pyarrow as pa

        renamed = (pa.RecordBatch.from_arrays(batch.columns, self.names) for batch in batches)
        try:
            partials = self._reduce_batches(renamed)
        except PydpstatError as error:
            partials = [error]
        for partial in partials:
            yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(partial)], pa.binary())], ["part"])

    def _reduce_batches(self, batches: Iterator[pa.RecordBatch]) -> list[object]:
        if self.whole:
            chunks = [convert_batch(batch) for batch in batches if batch.num_rows]
            return [self.partial(concatenate_chunks(chunks))] if chunks else []
        partials: list[Any] = []
        for chunk in convert_batches(batches):
            partial = self.partial(chunk)
            partials = [self.merge(partials[0], partial)] if partials else [partial]
        return partials


class _SparkDialect:
    """Elementary expressions of Spark."""

    def __init__(self, functions: ModuleType) -> None:
        self.functions = functions

    def get_column(self, name: str) -> sql.Column:
        return self.functions.col(_quote_name(name))

    def get_double_column(self, name: str) -> sql.Column:
        return self.get_column(name).cast("double")

    def get_level_column(self, key: GroupKey) -> sql.Column:
        column = self.get_column(key.column)
        if not isinstance(next(iter(key.level_codes)), str):
            column = column.cast("long")
        return self.functions.when(column.isin(list(key.level_codes)), column)

    def make_constant(self, value: float) -> sql.Column:
        return self.functions.lit(value)

    def is_null(self, value: sql.Column) -> sql.Column:
        return value.isNull()

    def is_known_number(self, value: sql.Column) -> sql.Column:
        # Spark's isnan is false for null
        return value.isNotNull() & ~self.functions.isnan(value)

    def to_double(self, value: sql.Column) -> sql.Column:
        return value.cast("double")

    def is_between(self, value: sql.Column, first: sql.Column, last: sql.Column) -> sql.Column:
        return value.between(first, last)

    def make_case(
        self, cases: Sequence[tuple[sql.Column, sql.Column]], default: sql.Column | None = None
    ) -> sql.Column:
        chain: Any = self.functions
        for condition, value in cases:
            chain = chain.when(condition, value)
        return chain if default is None else chain.otherwise(default)


def make_spark_table(data: sql.DataFrame) -> Table:
    """Return a table of a Spark data frame; the workers need this package."""
    with report_engine_errors("spark"):
        # the session may have been stopped
        return SparkTable(data, check_column_names(list(data.columns)))


def _quote_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _get_arrow_type(name: str, kind: sql.types.DataType) -> pa.DataType:
    import pyarrow as pa

    type_name = kind.typeName()
    if type_name in _ARROW_TYPES:
        return getattr(pa, _ARROW_TYPES[type_name])()
    if type_name.startswith("decimal"):
        return pa.decimal128(kind.precision, kind.scale)
    if type_name == "timestamp":
        return pa.timestamp("us", "UTC")
    if type_name == "timestamp_ntz":
        return pa.timestamp("us")
    if type_name.startswith(("interval day", "daytimeinterval")):
        return pa.duration("us")
    raise make_column_type_error(name, kind.simpleString())

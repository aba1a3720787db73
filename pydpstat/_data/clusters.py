"""Tables of Dask and Spark: each partition is read where it lies, and what they give is merged."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pydpstat._data.chunk import (
    CHUNK,
    Chunk,
    Merge,
    Part,
    Partial,
    Table,
    chosen,
    column_names,
    failing_as,
    joined,
    refused,
    with_unit,
)
from pydpstat._data.chunk_columns import chunk_of_batch, chunks_of_batches, column_of
from pydpstat._data.containers import columns_of, name_of
from pydpstat._data.progress import Progress
from pydpstat._data.questions import Key, Question, Row, plan_of, rows_of
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa
    import pyspark.sql as sql

# parts that one task merges
_FAN_IN = 8


@dataclass(frozen=True)
class DaskTable:
    """A table whose partitions are Dask's, computed by the scheduler that the user has set."""

    frame: dd.DataFrame
    names: tuple[str, ...]
    ordered: bool = False

    def select(self, names: Sequence[str]) -> Table:
        """Return the table of some columns."""
        return replace(self, names=chosen(names, self.names))

    def sample(self) -> Chunk:
        """Return no records, of the types that Dask knows in advance."""
        return _chunk(self.frame[list(self.names)]._meta, self.names)

    def count(self) -> int | None:
        """Return the number of records, which Dask counts."""
        with failing_as("dask"):
            return int(self.frame[list(self.names[:1])].map_partitions(len).compute().sum())

    def ask(self, question: Question) -> list[Row] | None:
        """Return None: records are read."""
        return None

    def fold(self, partial: Partial[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Return what `partial` makes of every partition, merged; for units Dask shuffles first."""
        from dask import delayed

        whole = with_unit(unit, self.names)
        with Progress(lambda: None), failing_as("dask"):
            frame = self.frame[list(self.names)]
            if unit is not None:
                if getattr(frame[unit].dtype, "kind", "") == "f":
                    # pandas before 3 has 0.0 and -0.0 in two partitions, and they are one unit
                    frame = frame.assign(**{unit: frame[unit] + 0.0})
                frame = frame.shuffle(on=unit)
            tasks = [delayed(_part)(piece, self.names, partial, merge, whole) for piece in frame.to_delayed()]
            while len(tasks) > 1:
                groups = [tasks[start : start + _FAN_IN] for start in range(0, len(tasks), _FAN_IN)]
                tasks = [delayed(_merged)(group, merge) for group in groups]
            found = tasks[0].compute()
        return found.pop() if found else partial(self.sample())


def dask_table(data: dd.DataFrame | dd.Series) -> Table:
    """Return a frame or a series of Dask as a table that can be folded; its workers need this package."""
    if not hasattr(data, "columns") or getattr(data, "ndim", 2) == 1:
        data = data.to_frame(name_of(data) or "")
    return DaskTable(data, column_names(list(data.columns)))


def _chunk(frame: pd.DataFrame, names: Sequence[str]) -> Chunk:
    columns = {name: column_of(name, column) for name, column in zip(names, columns_of(frame))}
    return Chunk(columns, len(frame))


def _part(
    frame: pd.DataFrame, names: tuple[str, ...], partial: Partial[Part], merge: Merge[Part], whole: bool
) -> list[Part]:
    """Return what a partition gives, in a list; an empty one for a partition without records."""
    step = max(len(frame), 1) if whole else CHUNK
    parts: list[Part] = []
    for start in range(0, len(frame), step):
        part = partial(_chunk(frame.iloc[start : start + step], names))
        parts = [merge(parts[0], part)] if parts else [part]
    return parts


def _merged(groups: Sequence[list[Part]], merge: Merge[Part]) -> list[Part]:
    """Merge what some tasks gave."""
    parts = [part for group in groups for part in group]
    # a task may run again with what it was given, and merging may change the first
    parts[:1] = deepcopy(parts[:1])
    while len(parts) > 1:
        parts[:2] = [merge(parts[0], parts[1])]
    return parts


# Spark's names of types, and the Arrow types that its batches have
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


_WHOLE = {"boolean", "tinyint", "smallint", "int", "bigint"}
# a text with a collation has another name
_KINDS = {
    "texts": {"string"},
    "integers": _WHOLE,
    "numbers": {*_WHOLE, "float", "double"},
    "truths": {"boolean"},
}


@dataclass(frozen=True)
class SparkTable:
    """A table whose partitions are Spark's."""

    frame: sql.DataFrame
    names: tuple[str, ...]
    ordered: bool = False

    def select(self, names: Sequence[str]) -> Table:
        """Return the table of some columns."""
        return replace(self, names=chosen(names, self.names))

    def sample(self) -> Chunk:
        """Return no records, of the types that Spark's schema has."""
        import pyarrow as pa

        with failing_as("spark"):
            types = {field.name: field.dataType for field in self.frame.schema.fields}
        schema = pa.schema([(name, _arrow_type(name, types[name])) for name in self.names])
        return chunk_of_batch(schema.empty_table())

    def count(self) -> int | None:
        """Return the number of records, which Spark counts."""
        with failing_as("spark"):
            return int(self.frame.count())

    def ask(self, question: Question) -> list[Row] | None:
        """Return what Spark counts and adds up itself; None for columns of other types."""
        from pyspark.sql import functions

        with Progress(lambda: None), failing_as("spark"):
            types = {field.name: field.dataType.simpleString() for field in self.frame.schema.fields}
            if not all(types[name] in _KINDS.get(kind, types.values()) for name, kind in question.needs):
                return None
            plan = plan_of(question, _Expressions(functions))
            frame = self.frame
            for place, stage in enumerate(plan.stages):
                made = [each.alias(name) for name, each in stage.items()]
                frame = frame.select(*(["*"] if place else []), *made)
            counts = [functions.count(name) for name in plan.counts]
            sums = [functions.sum(name) for name in plan.sums]
            found = frame.groupBy(*plan.keys).agg(functions.count(functions.lit(1)), *counts, *sums)
            # the keys come first
            cut, answers = len(plan.keys), [tuple(row) for row in found.collect()]
        return rows_of(question, plan, [(each[cut], *each[:cut], *each[cut + 1 :]) for each in answers])

    def fold(self, partial: Partial[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Return what `partial` makes of every chunk, merged; for units Spark repartitions first.

        A task that Spark runs again gives the same part again, and only one of both is taken.
        """
        whole = with_unit(unit, self.names)
        with Progress(lambda: None), failing_as("spark"):
            # mapInArrow does not know a column whose name has a dot in it
            plain = [f"c{place}" for place in range(len(self.names))]
            frame = self.frame.select(*map(_quoted, self.names)).toDF(*plain)
            if unit is not None:
                frame = frame.repartition(plain[self.names.index(unit)])
            task = _Partition(self.names, partial, merge, whole)
            answers = frame.mapInArrow(task, "part binary").collect()
        parts: list[Part] = []
        for answer in answers:
            part = pickle.loads(bytes(answer[0]))
            if isinstance(part, PydpstatError):
                raise part
            parts = [merge(parts[0], part)] if parts else [part]
        return parts[0] if parts else partial(self.sample())


class _Partition:
    """What Spark calls with a partition's batches: it gives one record, the pickled part."""

    def __init__(
        self, names: tuple[str, ...], partial: Partial[Part], merge: Merge[Part], whole: bool
    ) -> None:
        self.names, self.partial, self.merge, self.whole = list(names), partial, merge, whole

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Fold the partition; our own errors come to the driver as they are."""
        import pyarrow as pa

        named = (pa.RecordBatch.from_arrays(batch.columns, self.names) for batch in batches)
        try:
            parts = self._parts(named)
        except PydpstatError as error:
            parts = [error]
        for part in parts:
            yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(part)], pa.binary())], ["part"])

    def _parts(self, batches: Iterator[pa.RecordBatch]) -> list[object]:
        if self.whole:
            chunks = [chunk_of_batch(batch) for batch in batches if batch.num_rows]
            return [self.partial(joined(chunks))] if chunks else []
        parts: list[Any] = []
        for chunk in chunks_of_batches(batches):
            part = self.partial(chunk)
            parts = [self.merge(parts[0], part)] if parts else [part]
        return parts


class _Expressions:
    """Spark's words for what expressions are made of."""

    def __init__(self, functions: ModuleType) -> None:
        self.say = functions

    def column(self, name: str) -> sql.Column:
        return self.say.col(_quoted(name))

    def number(self, name: str) -> sql.Column:
        return self.column(name).cast("double")

    def level(self, key: Key) -> sql.Column:
        column = self.column(key.column)
        if not isinstance(next(iter(key.known)), str):
            column = column.cast("long")
        return self.say.when(column.isin(list(key.known)), column)

    def constant(self, value: float) -> sql.Column:
        return self.say.lit(value)

    def absent(self, value: sql.Column) -> sql.Column:
        return value.isNull()

    def known(self, value: sql.Column) -> sql.Column:
        # of null it says that it is no NaN
        return value.isNotNull() & ~self.say.isnan(value)

    def truth(self, value: sql.Column) -> sql.Column:
        return value.cast("double")

    def between(self, value: sql.Column, first: sql.Column, last: sql.Column) -> sql.Column:
        return value.between(first, last)

    def when(
        self, cases: Sequence[tuple[sql.Column, sql.Column]], other: sql.Column | None = None
    ) -> sql.Column:
        chain: Any = self.say
        for condition, value in cases:
            chain = chain.when(condition, value)
        return chain if other is None else chain.otherwise(other)


def spark_table(data: sql.DataFrame) -> Table:
    """Return a data frame of Spark as a table that can be folded; its workers need this package, too."""
    with failing_as("spark"):
        # the session may be stopped
        return SparkTable(data, column_names(list(data.columns)))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _arrow_type(name: str, kind: sql.types.DataType) -> pa.DataType:
    import pyarrow as pa

    word = kind.typeName()
    if word in _ARROW_TYPES:
        return getattr(pa, _ARROW_TYPES[word])()
    if word.startswith("decimal"):
        return pa.decimal128(kind.precision, kind.scale)
    if word == "timestamp":
        return pa.timestamp("us", "UTC")
    if word == "timestamp_ntz":
        return pa.timestamp("us")
    if word.startswith(("interval day", "daytimeinterval")):
        return pa.duration("us")
    raise refused(name, kind.simpleString())

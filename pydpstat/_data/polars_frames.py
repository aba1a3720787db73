"""Series, frames and lazy frames of Polars; the batches of a lazy frame are collected in another thread.

Polars computes counts and sums of both kinds of frames itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydpstat._data.aggregates import (
    AggregateQuery,
    AggregateRow,
    GroupKey,
    Predicate,
    can_evaluate,
    compile_condition,
    compile_query,
    parse_rows,
)
from pydpstat._data.chunk_columns import convert_arrow_variable
from pydpstat._data.chunks import CHUNK, check_column_names, report_engine_errors
from pydpstat._data.progress import Progress
from pydpstat._data.streams import StreamTable, import_pyarrow, iterate_from_thread
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

# number of row groups of a Parquet file that Polars reads ahead
_PREFETCH_VARIABLE = "POLARS_ROW_GROUP_PREFETCH_SIZE"


def make_polars_table(data: pl.DataFrame | pl.LazyFrame) -> StreamTable:
    """Return a table of a Polars frame or lazy frame."""
    import_pyarrow("reading data of Polars", "polars")
    import polars as pl

    if isinstance(data, pl.DataFrame):
        return StreamTable(
            "polars",
            check_column_names(data.columns),
            lambda names: data.select(names).head(0).to_arrow().schema,
            lambda names: _iterate_batches(data.select(names).iter_slices(CHUNK)),
            lambda: data.height,
            has_known_size=True,
            ordered=True,
            run_aggregates=lambda question: _compute_aggregates(data.lazy(), question),
            filter_records=lambda test: _filter_records(data.lazy(), test, ordered=True),
        )
    if not hasattr(data, "sink_batches"):
        raise PydpstatError(
            f"data must be a LazyFrame of Polars 1.34 or later; got one of Polars {pl.__version__}. "
            "Update Polars, or give data.collect() if that fits into memory."
        )
    with report_engine_errors("polars"):
        # a file, or a column that the query names, may be missing
        names = check_column_names(data.collect_schema().names())
    return StreamTable(
        "polars",
        names,
        # a query for no records may still run the preceding steps
        lambda names: pl.DataFrame(schema=data.select(names).collect_schema()).to_arrow().schema,
        lambda names: _iterate_batches(_iterate_lazy_frames(data.select(names))),
        lambda: int(data.select(pl.len()).collect(engine="streaming").item()),
        run_aggregates=lambda question: _compute_aggregates(data, question),
        filter_records=lambda test: _filter_records(data, test, ordered=False),
    )


def convert_polars_series(data: pl.Series) -> pd.Series:
    """Convert a Polars series to a pandas series."""
    import_pyarrow("reading data of Polars", "polars")
    with report_engine_errors("polars"):
        column = data.to_arrow()
    return pd.Series(convert_arrow_variable(data.name, column), name=data.name or None, copy=False)


def _iterate_batches(frames: Iterable[pl.DataFrame]) -> Iterator[pa.RecordBatch]:
    for frame in frames:
        yield from frame.to_arrow().to_batches()
        del frame


def _iterate_lazy_frames(query: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """Run a query in another thread and yield its frames in order.

    If the engine panics, Polars' own iterator of batches ends without an error, as if there were no more records;
    `sink_batches` raises it.
    """

    def run_query(hand_over: Callable[[pl.DataFrame], bool]) -> None:
        query.sink_batches(hand_over, chunk_size=CHUNK, maintain_order=True, engine="streaming")

    with _bound_prefetch():
        yield from iterate_from_thread(run_query)


@contextmanager
def _bound_prefetch(groups: int = 1) -> Iterator[None]:
    """Limit the row groups that Polars reads ahead within the block, unless the user has set the number."""
    if _PREFETCH_VARIABLE in os.environ:
        yield
        return
    os.environ[_PREFETCH_VARIABLE] = str(groups)
    try:
        yield
    finally:
        os.environ.pop(_PREFETCH_VARIABLE, None)


_INTEGER_TYPES = {"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Boolean"}
_TYPES_BY_KIND = {
    "texts": {"String", "Categorical"},
    "integers": _INTEGER_TYPES,
    "numbers": {*_INTEGER_TYPES, "Float32", "Float64"},
    "truths": {"Boolean"},
}


class _PolarsDialect:
    """Elementary expressions of Polars."""

    def __init__(self) -> None:
        import polars

        self.pl = polars

    def get_column(self, name: str) -> pl.Expr:
        return self.pl.col(name)

    def get_double_column(self, name: str) -> pl.Expr:
        return self.pl.col(name).cast(self.pl.Float64)

    def get_level_column(self, key: GroupKey) -> pl.Expr:
        column = self.pl.col(key.column)
        if not isinstance(next(iter(key.level_codes)), str):
            # truth values become integers, and all integers a type that can represent every level
            column = column.cast(self.pl.Int128)
        return self.pl.when(column.is_in(list(key.level_codes))).then(column)

    def is_one_of(self, column: str, texts: Sequence[str]) -> pl.Expr:
        return self.pl.col(column).is_in(list(texts))

    def make_constant(self, value: float) -> pl.Expr:
        return self.pl.lit(value, dtype=self.pl.Float64)

    def is_null(self, value: pl.Expr) -> pl.Expr:
        return value.is_null()

    def is_known_number(self, value: pl.Expr) -> pl.Expr:
        return value.is_not_nan()

    def to_double(self, value: pl.Expr) -> pl.Expr:
        return value.cast(self.pl.Float64)

    def is_between(self, value: pl.Expr, first: pl.Expr, last: pl.Expr) -> pl.Expr:
        return value.is_between(first, last)

    def make_case(self, cases: Sequence[tuple[pl.Expr, pl.Expr]], default: pl.Expr | None = None) -> pl.Expr:
        chain: Any = self.pl
        for condition, value in cases:
            chain = chain.when(condition).then(value)
        return chain.otherwise(default)


def _filter_records(data: pl.LazyFrame, condition: Predicate, ordered: bool) -> StreamTable | None:
    """Return the records for which a condition is true; None if Polars compares a column differently."""
    with report_engine_errors("polars"):
        types = {name: str(kind.base_type()) for name, kind in data.collect_schema().items()}
        if not can_evaluate(condition, types, _TYPES_BY_KIND, "Float32"):
            return None
        return replace(make_polars_table(data.filter(compile_condition(condition, _PolarsDialect()))), ordered=ordered)


def _compute_aggregates(data: pl.LazyFrame, query: AggregateQuery) -> list[AggregateRow] | None:
    """Compute counts and sums in Polars; return None for columns of unsupported types."""
    import polars as pl

    # with fewer row groups than threads, threads would be idle
    with Progress(lambda: None), report_engine_errors("polars"), _bound_prefetch(pl.thread_pool_size()):
        types = {name: str(kind.base_type()) for name, kind in data.collect_schema().items()}
        if not all(types[name] in _TYPES_BY_KIND.get(kind, types.values()) for name, kind in query.required_columns):
            return None
        plan = compile_query(query, _PolarsDialect())
        frame = data.select(**plan.stages[0])
        for stage in plan.stages[1:]:
            frame = frame.with_columns(**stage)
        expressions = [
            pl.len().alias("size"),
            *(pl.col(name).count().alias(f"count of {name}") for name in plan.counts),
            *(pl.col(name).sum().alias(f"sum of {name}") for name in plan.sums),
        ]
        aggregated = frame.group_by(*plan.keys).agg(expressions) if plan.keys else frame.select(expressions)
        names = ["size", *plan.keys, *(expression.meta.output_name() for expression in expressions[1:])]
        rows = aggregated.select(names).collect(engine="streaming").rows()
    return parse_rows(query, plan, rows)

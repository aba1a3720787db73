"""Series and frames of Polars, and lazy frames, whose batches another thread takes from the engine.

Either frame can be asked to count and to add up itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydpstat._data.chunk import CHUNK, column_names, failing_as
from pydpstat._data.chunk_columns import variable_of_arrow
from pydpstat._data.progress import Progress
from pydpstat._data.questions import Key, Question, Row, Test, can_say, plan_of, rows_of, where
from pydpstat._data.streams import Stream, handed_over, pyarrow_for
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

# groups of rows of a Parquet file that Polars reads ahead
_AHEAD = "POLARS_ROW_GROUP_PREFETCH_SIZE"


def polars_table(data: pl.DataFrame | pl.LazyFrame) -> Stream:
    """Return a frame or a lazy frame of Polars as a table that can be folded."""
    pyarrow_for("reading data of Polars", "polars")
    import polars as pl

    if isinstance(data, pl.DataFrame):
        return Stream(
            "polars",
            column_names(data.columns),
            lambda names: data.select(names).head(0).to_arrow().schema,
            lambda names: _batches(data.select(names).iter_slices(CHUNK)),
            lambda: data.height,
            known=True,
            ordered=True,
            asked=lambda question: _answer(data.lazy(), question),
            kept=lambda test: _kept(data.lazy(), test, ordered=True),
        )
    if not hasattr(data, "sink_batches"):
        raise PydpstatError(
            f"data must be a LazyFrame of Polars 1.34 or later; got one of Polars {pl.__version__}. "
            "Update Polars, or give data.collect() if that fits into memory."
        )
    with failing_as("polars"):
        # a file may be gone, or a column that the query names
        names = column_names(data.collect_schema().names())
    return Stream(
        "polars",
        names,
        # a query for no records may run what comes before
        lambda names: pl.DataFrame(schema=data.select(names).collect_schema()).to_arrow().schema,
        lambda names: _batches(_lazy_frames(data.select(names))),
        lambda: int(data.select(pl.len()).collect(engine="streaming").item()),
        asked=lambda question: _answer(data, question),
        kept=lambda test: _kept(data, test, ordered=False),
    )


def variable_of_polars(data: pl.Series) -> pd.Series:
    """Return a series of Polars as a series of pandas."""
    pyarrow_for("reading data of Polars", "polars")
    with failing_as("polars"):
        column = data.to_arrow()
    return pd.Series(variable_of_arrow(data.name, column), name=data.name or None, copy=False)


def _batches(frames: Iterable[pl.DataFrame]) -> Iterator[pa.RecordBatch]:
    for frame in frames:
        yield from frame.to_arrow().to_batches()
        del frame


def _lazy_frames(query: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """Run a query in another thread, and return its frames one by one.

    Polars' own iterator of batches ends without an error where the engine panics, as if there were no more
    records. `sink_batches` raises it.
    """

    def produce(hand_over: Callable[[pl.DataFrame], bool]) -> None:
        query.sink_batches(hand_over, chunk_size=CHUNK, maintain_order=True, engine="streaming")

    with _little_ahead():
        yield from handed_over(produce)


@contextmanager
def _little_ahead(groups: int = 1) -> Iterator[None]:
    """Have Polars read few groups of rows ahead while a query runs, where the user has not said how many."""
    if _AHEAD in os.environ:
        yield
        return
    os.environ[_AHEAD] = str(groups)
    try:
        yield
    finally:
        os.environ.pop(_AHEAD, None)


_WHOLE = {"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Boolean"}
_KINDS = {
    "texts": {"String", "Categorical"},
    "integers": _WHOLE,
    "numbers": {*_WHOLE, "Float32", "Float64"},
    "truths": {"Boolean"},
}


class _Expressions:
    """Polars' words for what expressions are made of."""

    def __init__(self) -> None:
        import polars

        self.pl = polars

    def column(self, name: str) -> pl.Expr:
        return self.pl.col(name)

    def number(self, name: str) -> pl.Expr:
        return self.pl.col(name).cast(self.pl.Float64)

    def level(self, key: Key) -> pl.Expr:
        column = self.pl.col(key.column)
        if not isinstance(next(iter(key.known)), str):
            # a truth value as a number, and any whole number as one that can be every level
            column = column.cast(self.pl.Int128)
        return self.pl.when(column.is_in(list(key.known))).then(column)

    def among(self, column: str, texts: Sequence[str]) -> pl.Expr:
        return self.pl.col(column).is_in(list(texts))

    def constant(self, value: float) -> pl.Expr:
        return self.pl.lit(value, dtype=self.pl.Float64)

    def absent(self, value: pl.Expr) -> pl.Expr:
        return value.is_null()

    def known(self, value: pl.Expr) -> pl.Expr:
        return value.is_not_nan()

    def truth(self, value: pl.Expr) -> pl.Expr:
        return value.cast(self.pl.Float64)

    def between(self, value: pl.Expr, first: pl.Expr, last: pl.Expr) -> pl.Expr:
        return value.is_between(first, last)

    def when(self, cases: Sequence[tuple[pl.Expr, pl.Expr]], other: pl.Expr | None = None) -> pl.Expr:
        chain: Any = self.pl
        for condition, value in cases:
            chain = chain.when(condition).then(value)
        return chain.otherwise(other)


def _kept(data: pl.LazyFrame, test: Test, ordered: bool) -> Stream | None:
    """Return the records for which a condition holds; None for columns that are not compared alike."""
    with failing_as("polars"):
        types = {name: str(kind.base_type()) for name, kind in data.collect_schema().items()}
        if not can_say(test, types, _KINDS, "Float32"):
            return None
        return replace(polars_table(data.filter(where(test, _Expressions()))), ordered=ordered)


def _answer(data: pl.LazyFrame, question: Question) -> list[Row] | None:
    """Ask a lazy frame; None for columns of types that cannot be asked for exactly."""
    import polars as pl

    # with fewer groups than threads, threads would wait
    with Progress(lambda: None), failing_as("polars"), _little_ahead(pl.thread_pool_size()):
        types = {name: str(kind.base_type()) for name, kind in data.collect_schema().items()}
        if not all(types[name] in _KINDS.get(kind, types.values()) for name, kind in question.needs):
            return None
        plan = plan_of(question, _Expressions())
        frame = data.select(**plan.stages[0])
        for stage in plan.stages[1:]:
            frame = frame.with_columns(**stage)
        asked = [
            pl.len().alias("size"),
            *(pl.col(name).count().alias(f"count of {name}") for name in plan.counts),
            *(pl.col(name).sum().alias(f"sum of {name}") for name in plan.sums),
        ]
        found = frame.group_by(*plan.keys).agg(asked) if plan.keys else frame.select(asked)
        names = ["size", *plan.keys, *(each.meta.output_name() for each in asked[1:])]
        rows = found.select(names).collect(engine="streaming").rows()
    return rows_of(question, plan, rows)

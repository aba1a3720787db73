"""Tables of Polars: frames in memory, and lazy ones, whose batches another thread takes from the engine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydpstat._data.ahead import handed_over
from pydpstat._data.chunk import CHUNK, Table, column_names
from pydpstat._data.folding import failing_as
from pydpstat._data.streams import Stream, pyarrow_for
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import pyarrow as pa

# groups of rows of a Parquet file that Polars reads ahead
_AHEAD = "POLARS_ROW_GROUP_PREFETCH_SIZE"


def polars_table(data: Any) -> Table:
    """Return a frame, a lazy frame or a series of Polars as a table that can be folded."""
    pyarrow_for("reading data of Polars", "polars")
    import polars as pl

    if isinstance(data, pl.Series):
        data = data.to_frame()
    if isinstance(data, pl.DataFrame):
        return Stream(
            "polars",
            column_names(data.columns),
            lambda names: data.select(names).head(0).to_arrow().schema,
            lambda names: _batches(data.select(names).iter_slices(CHUNK)),
            lambda: data.height,
            known=True,
        )
    if not hasattr(data, "sink_batches"):
        raise PydpstatError(
            "data must be a LazyFrame of a Polars that gives batches, which began with 1.34; got one of "
            f"Polars {pl.__version__}. Update it, or give data.collect() where that fits into memory."
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
    )


def _batches(frames: Iterable[Any]) -> Iterator[pa.RecordBatch]:
    for frame in frames:
        yield from frame.to_arrow().to_batches()
        del frame


def _lazy_frames(query: Any) -> Iterator[Any]:
    """Run a query in another thread, and return its frames one by one.

    Polars' own iterator of batches ends without an error where the engine panics, as if there were no more
    records. `sink_batches` raises it.
    """

    def produce(hand_over: Callable[[Any], bool]) -> None:
        query.sink_batches(hand_over, chunk_size=CHUNK, maintain_order=True, engine="streaming")

    with _little_ahead():
        yield from handed_over(produce)


@contextmanager
def _little_ahead() -> Iterator[None]:
    """Have Polars read little ahead while a query runs, where the user has not said how much."""
    if _AHEAD in os.environ:
        yield
        return
    os.environ[_AHEAD] = "1"
    try:
        yield
    finally:
        os.environ.pop(_AHEAD, None)

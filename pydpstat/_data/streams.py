"""Tables whose records come as a stream of Arrow: those of Arrow, and of whatever has one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydpstat._data.ahead import ahead
from pydpstat._data.arrow_columns import chunks_of_batches, empty_chunk
from pydpstat._data.chunk import CHUNK, Chunk, Part, Table, chosen, column_names, with_unit
from pydpstat._data.filters import Test
from pydpstat._data.folding import failing_as, fold_in_order
from pydpstat._data.once import Once
from pydpstat._data.questions import Question, Row
from pydpstat.errors import MissingExtraError

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Iterator["pa.RecordBatch"]


@dataclass(frozen=True)
class Stream:
    """A table whose chunks come one after the other.

    Parameters
    ----------
    engine : str
        Its name, for messages.
    names : tuple of str
        The columns.
    schema : callable
        Takes names of columns and returns Arrow's schema of them.
    batches : callable
        Takes names of columns and begins to read these: it returns an iterator of Arrow's batches.
    size : callable
        Returns the number of records, or None.
    known : bool
        Whether that number is at hand, without a query.
    ordered : bool
        Whether the records have an order of their own, the same whenever they are read.
    slow : bool
        Whether the records have yet to be read or computed, by an engine that any thread may ask.
    asked : callable or None
        Takes a question and returns what the engine itself counts and adds up, or None; as in `Table.ask`.
    kept : callable or None
        Takes a condition and returns the table of the records for which it is known to be true, or None.
    """

    engine: str
    names: tuple[str, ...]
    schema: Callable[[tuple[str, ...]], pa.Schema]
    batches: Callable[[tuple[str, ...]], Batches]
    size: Callable[[], int | None]
    known: bool = False
    ordered: bool = False
    slow: bool = False
    asked: Callable[[Question], list[Row] | None] | None = None
    kept: Callable[[Test], Stream | None] | None = None

    def select(self, names: Sequence[str]) -> Table:
        """Return the table of some columns."""
        return replace(self, names=chosen(names, self.names))

    def sample(self) -> Chunk:
        """Return a chunk of no records."""
        with failing_as(self.engine):
            return empty_chunk(self.schema(self.names))

    def count(self) -> int | None:
        """Return the number of records where it can be had without reading them all."""
        with failing_as(self.engine):
            return self.size()

    def ask(self, question: Question) -> list[Row] | None:
        """Return what the engine counts and adds up itself; None where it cannot."""
        return None if self.asked is None else self.asked(question)

    def fold(
        self,
        partial: Callable[[Chunk], Part],
        merge: Callable[[Part, Part], Part],
        unit: str | None = None,
    ) -> Part:
        """Return what `partial` makes of every chunk, merged; for units all is taken into memory."""
        whole = with_unit(unit, self.names)
        # an error keeps what it came through, and with it a thread that reads, but for this
        with closing(self._chunks()) as chunks:
            return fold_in_order(
                chunks,
                self.sample,
                partial,
                merge,
                engine=self.engine,
                whole=whole,
                total=self.size if self.known else lambda: None,
            )

    def _chunks(self) -> Generator[Chunk, None, None]:
        if self.slow:
            yield from ahead(lambda: chunks_of_batches(self.batches(self.names)))
        else:
            yield from chunks_of_batches(self.batches(self.names))


def arrow_table(data: Any) -> Table:
    """Return a table of pyarrow's, a batch, a dataset, a scanner or a reader as one that can be folded."""
    import pyarrow as pa

    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        return _arrow_in_memory(data)
    if hasattr(data, "to_reader"):
        # a scanner has settled its columns and its readahead, and reads once
        data = data.to_reader()
    if isinstance(data, pa.RecordBatchReader):
        return _read_once("pyarrow", data, data.schema, lambda: data)
    return Stream(
        "pyarrow",
        column_names(data.schema.names),
        lambda names: _fields(data.schema, names),
        lambda names: iter(data.to_batches(columns=list(names), **_frugal(data))),
        data.count_rows,
        slow=True,
    )


def capsule_table(data: Any) -> Table:
    """Return whatever hands its records over by Arrow's stream interface; it may do so once only."""
    pa = pyarrow_for("reading a stream of Arrow's", "arrow")
    with failing_as(type(data).__name__):
        reader = pa.RecordBatchReader.from_stream(data)
    return _read_once(type(data).__name__, reader, reader.schema, lambda: reader)


def _arrow_in_memory(data: pa.Table) -> Stream:
    return Stream(
        "pyarrow",
        column_names(data.schema.names),
        lambda names: _fields(data.schema, names),
        lambda names: iter(data.select(list(names)).to_batches(max_chunksize=CHUNK)),
        lambda: data.num_rows,
        known=True,
        ordered=True,
    )


def _read_once(engine: str, source: object, schema: pa.Schema, reader: Callable[[], Any]) -> Stream:
    """Return the table of a reader whose batches come once, with all of its columns in each."""
    once = Once.of(source)

    def batches(names: tuple[str, ...]) -> Batches:
        once.use()
        return (batch.select(list(names)) for batch in reader())

    names = column_names(schema.names)
    return Stream(engine, names, lambda names: _fields(schema, names), batches, lambda: None, ordered=True)


def _fields(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([schema.field(name) for name in names])


def _frugal(data: Any) -> dict[str, Any]:
    """Return the options that keep little of a dataset in memory: one group of rows at a time."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    options: dict[str, Any] = {
        "batch_size": CHUNK,
        "batch_readahead": 0,
        "fragment_readahead": 0,
        "use_threads": False,
        # the other pools keep what they had
        "memory_pool": pa.system_memory_pool(),
    }
    file_format = getattr(data, "format", None)
    default = getattr(file_format, "default_fragment_scan_options", None)
    # what a user has set there, such as keys, stays
    if isinstance(file_format, ds.ParquetFileFormat) and default == ds.ParquetFragmentScanOptions():
        options["fragment_scan_options"] = ds.ParquetFragmentScanOptions(
            use_buffered_stream=True, buffer_size=1 << 20, pre_buffer=False
        )
    return options


def pyarrow_for(feature: str, extra: str) -> Any:
    """Return pyarrow, or the error that says how to get it."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError(feature, "pyarrow", extra) from error
    return pyarrow

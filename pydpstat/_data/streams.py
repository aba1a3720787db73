"""Tables of streams of Arrow batches, which another thread may read ahead and some of which can be read only once."""

from __future__ import annotations

import queue
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from pydpstat._data.aggregates import AggregateQuery, AggregateRow, Predicate
from pydpstat._data.chunk_columns import convert_batch, convert_batches
from pydpstat._data.chunks import (
    CHUNK,
    Chunk,
    MapChunk,
    Merge,
    Part,
    Table,
    check_column_names,
    check_requested_columns,
    has_unit_column,
    report_engine_errors,
    run_ordered_fold,
)
from pydpstat.errors import MissingExtraError, PydpstatError

if TYPE_CHECKING:
    import pyarrow as pa

Item = TypeVar("Item")
# seconds between checks by the engine's thread whether the consumer has stopped
_POLL_INTERVAL = 0.1


def iterate_from_thread(produce: Callable[[Callable[[Item], bool]], object]) -> Iterator[Item]:
    """Run `produce` in another thread and yield its items in order.

    `produce` is called with a function that takes an item, waits until there is room, and returns True if no more items
    are wanted. Exceptions in `produce` are raised again here. Closing the iterator stops the thread and waits for it.
    """
    waiting: queue.Queue[Any] = queue.Queue(maxsize=1)
    failures: list[BaseException] = []
    is_closed = threading.Event()
    end = object()

    def add_item(item: object) -> bool:
        while not is_closed.is_set():
            try:
                waiting.put(item, timeout=_POLL_INTERVAL)
                return False
            except queue.Full:
                pass
        return True

    def run_producer() -> None:
        try:
            produce(add_item)
        except BaseException as error:
            failures.append(error)
        finally:
            add_item(end)

    worker = threading.Thread(target=run_producer, daemon=True)
    worker.start()
    try:
        while (item := waiting.get()) is not end:
            yield item
            del item
    finally:
        is_closed.set()
        worker.join()
    if failures:
        raise failures[0]


def prefetch_items(make_items: Callable[[], Iterable[Item]]) -> Iterator[Item]:
    """Yield the items of an iterable that another thread computes, one ahead."""

    def emit_items(put: Callable[[Item], bool]) -> None:
        for item in make_items():
            if put(item):
                return
            # release this item before the engine makes the next one
            del item

    return iterate_from_thread(emit_items)


# entries vanish with their iterators; for one without weak references, such as a map, only the last are kept
_MAX_KEPT = 8
_kept_passes: OrderedDict[int, tuple[object, SinglePass]] = OrderedDict()
_passes: WeakKeyDictionary[object, SinglePass] = WeakKeyDictionary()


class SinglePass:
    """State of data that can be read only once: the first piece, if it was read, and whether a pass has begun.

    Arguments are checked against the types of the first piece. If a call fails these checks, the next call with the
    same iterator still gets that piece.
    """

    def __init__(self) -> None:
        self._used = False
        self._first: list[object] = []
        self._key: int | None = None

    @classmethod
    def from_source(cls, source: object) -> SinglePass:
        """Return the state of an iterator or a reader, which is the same object until a pass begins."""
        try:
            return _passes.setdefault(source, cls())
        except TypeError:
            _, reading = _kept_passes.setdefault(id(source), (source, cls()))
            reading._key = id(source)
        while len(_kept_passes) > _MAX_KEPT:
            _kept_passes.popitem(last=False)
        return reading

    def read_first(self, source: Iterator[object]) -> object:
        """Return the first piece without consuming it; StopIteration is raised if there is none."""
        if self._used:
            raise make_exhausted_error()
        if not self._first:
            self._first.append(next(source))
        return self._first[0]

    def register_reading(self) -> None:
        """Record that a pass begins; raise an error if one has begun before."""
        if self._used:
            raise make_exhausted_error()
        self._used = True

    def read_pieces(self, source: Iterator[object]) -> Iterator[object]:
        """Yield all pieces, including the first one."""
        self.register_reading()
        while self._first:
            yield self._first.pop()
        yield from source
        # a pass that ended early is kept, so that what is left of the iterator is not taken for all of it
        if self._key is not None:
            _kept_passes.pop(self._key, None)


def make_exhausted_error() -> PydpstatError:
    """Return the error for an iterator or a reader that has been consumed."""
    return PydpstatError(
        "data must have unread records; got an iterator or a reader that is used up. Create it again for every call."
    )


Batches = Iterator["pa.RecordBatch"]


@dataclass(frozen=True)
class StreamTable:
    """A table whose chunks are read one after the other by functions of an engine.

    `batches` opens a stream of Arrow batches of the given columns. `has_known_size` means that `size` runs no query,
    `ordered` that the records have a fixed order, and `is_slow` that reading ahead pays. `run_aggregates` is as
    `Table.compute_aggregates`, and `filter_records` returns the records for which a condition is known to be true.
    """

    engine: str
    names: tuple[str, ...]
    schema: Callable[[tuple[str, ...]], pa.Schema]
    batches: Callable[[tuple[str, ...]], Batches]
    size: Callable[[], int | None]
    has_known_size: bool = False
    ordered: bool = False
    is_slow: bool = False
    run_aggregates: Callable[[AggregateQuery], list[AggregateRow] | None] | None = None
    filter_records: Callable[[Predicate], StreamTable | None] | None = None

    def select_columns(self, names: Sequence[str]) -> Table:
        """Return the table restricted to these columns."""
        return replace(self, names=check_requested_columns(names, self.names))

    def make_empty_chunk(self) -> Chunk:
        """Return a chunk without records."""
        with report_engine_errors(self.engine):
            return convert_batch(self.schema(self.names).empty_table())

    def count_records(self) -> int | None:
        """Return the number of records; None if the stream can be read only once."""
        with report_engine_errors(self.engine):
            return self.size()

    def compute_aggregates(self, query: AggregateQuery) -> list[AggregateRow] | None:
        """Compute counts and sums in the engine; return None if it cannot."""
        return None if self.run_aggregates is None else self.run_aggregates(query)

    def fold(self, map_chunk: MapChunk[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Apply `map_chunk` to every chunk and merge the results; with `unit`, all records are read into memory."""
        as_one_chunk = has_unit_column(unit, self.names)
        # a traceback would keep the generator, and with it a reading thread, alive
        with closing(self._iterate_chunks()) as chunks:
            return run_ordered_fold(
                chunks,
                self.make_empty_chunk,
                map_chunk,
                merge,
                engine=self.engine,
                as_one_chunk=as_one_chunk,
                get_total=self.size if self.has_known_size else lambda: None,
            )

    def _iterate_chunks(self) -> Generator[Chunk, None, None]:
        if self.is_slow:
            yield from prefetch_items(lambda: convert_batches(self.batches(self.names)))
        else:
            yield from convert_batches(self.batches(self.names))


def make_arrow_table(data: Any) -> Table:
    """Return a table of a pyarrow table, batch, dataset, scanner or reader."""
    import pyarrow as pa

    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        return StreamTable(
            "pyarrow",
            check_column_names(data.schema.names),
            lambda names: _select_fields(data.schema, names),
            lambda names: iter(data.select(list(names)).to_batches(max_chunksize=CHUNK)),
            lambda: data.num_rows,
            has_known_size=True,
            ordered=True,
        )
    if hasattr(data, "to_reader"):
        # a scanner has fixed columns and readahead, and can be read only once
        data = data.to_reader()
    if isinstance(data, pa.RecordBatchReader):
        return _read_once("pyarrow", data)
    return StreamTable(
        "pyarrow",
        check_column_names(data.schema.names),
        lambda names: _select_fields(data.schema, names),
        lambda names: iter(data.to_batches(columns=list(names), **_get_low_memory_options(data))),
        data.count_rows,
        is_slow=True,
    )


def make_capsule_table(data: object) -> Table:
    """Return a table of an object with Arrow's stream interface, which is read only once."""
    pa = import_pyarrow("reading a stream of Arrow's", "arrow")
    with report_engine_errors(type(data).__name__):
        reader = pa.RecordBatchReader.from_stream(data)
    return _read_once(type(data).__name__, reader)


def _read_once(engine: str, reader: pa.RecordBatchReader) -> StreamTable:
    """Return the table of a reader that can be read only once and whose batches have all of its columns."""
    reading, schema = SinglePass.from_source(reader), reader.schema

    def read_batches(names: tuple[str, ...]) -> Batches:
        reading.register_reading()
        return (batch.select(list(names)) for batch in reader)

    names = check_column_names(schema.names)
    return StreamTable(
        engine, names, lambda names: _select_fields(schema, names), read_batches, lambda: None, ordered=True
    )


def _select_fields(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([schema.field(name) for name in names])


def _get_low_memory_options(data: object) -> dict[str, object]:
    """Return the scan options that limit the memory of a dataset to one row group at a time."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    options: dict[str, object] = {
        "batch_size": CHUNK,
        "batch_readahead": 0,
        "fragment_readahead": 0,
        "use_threads": False,
        # other memory pools keep freed memory
        "memory_pool": pa.system_memory_pool(),
    }
    file_format = getattr(data, "format", None)
    default = getattr(file_format, "default_fragment_scan_options", None)
    # keep options that a user has set, such as keys
    if isinstance(file_format, ds.ParquetFileFormat) and default == ds.ParquetFragmentScanOptions():
        options["fragment_scan_options"] = ds.ParquetFragmentScanOptions(
            use_buffered_stream=True, buffer_size=1 << 20, pre_buffer=False
        )
    return options


def import_pyarrow(feature: str, extra: str) -> ModuleType:
    """Return pyarrow, or raise an error with the command to install it."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError(feature, "pyarrow", extra) from error
    return pyarrow

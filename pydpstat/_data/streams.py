"""Tables whose records come as a stream of Arrow, read ahead by another thread, or once only."""

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
# seconds after which the engine's thread looks whether anybody still waits for its records
_POLL_INTERVAL = 0.1


def iterate_from_thread(produce: Callable[[Callable[[Item], bool]], object]) -> Iterator[Item]:
    """Run `produce` in another thread, and return what it hands over, one by one, in order.

    It is given a function to hand something over with, which waits until there is room, and returns whether
    no more is wanted. What it raises is raised here. When the iterator is closed, it is told so, and waited
    for.
    """
    waiting: queue.Queue[Any] = queue.Queue(maxsize=1)
    failures: list[BaseException] = []
    left = threading.Event()
    end = object()

    def add_item(item: object) -> bool:
        while not left.is_set():
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
        left.set()
        worker.join()
    if failures:
        raise failures[0]


def prefetch_items(make_items: Callable[[], Iterable[Item]]) -> Iterator[Item]:
    """Return the items of an iterable that another thread asks for, one ahead."""

    def emit_items(put: Callable[[Item], bool]) -> None:
        for item in make_items():
            if put(item):
                return
            # the engine may need the room of this one for the next
            del item

    return iterate_from_thread(emit_items)


# Most are forgotten with their iterators. One that has no weak references, such as a map, is kept until it
# is read, of those that no call has read only the last ones.
_MAX_UNREAD = 8
_unread_passes: OrderedDict[int, tuple[object, SinglePass]] = OrderedDict()
_passes: WeakKeyDictionary[object, SinglePass] = WeakKeyDictionary()


class SinglePass:
    """The state of an iterator or a reader: its first piece, once looked at, and whether it was read.

    The first piece has the types by which a call's arguments are checked. Where the call then ends with an
    error, the next one that is given the same iterator still finds the piece here.
    """

    def __init__(self) -> None:
        self._used = False
        self._first: list[object] = []
        self._key: int | None = None

    @classmethod
    def from_source(cls, source: object) -> SinglePass:
        """Return the state of an iterator or a reader, the same one until it is read."""
        try:
            return _passes.setdefault(source, cls())
        except TypeError:
            _, once = _unread_passes.setdefault(id(source), (source, cls()))
            once._key = id(source)
        while len(_unread_passes) > _MAX_UNREAD:
            _unread_passes.popitem(last=False)
        return once

    def read_first(self, source: Iterator[object]) -> object:
        """Return the first piece; StopIteration where there is none."""
        if self._used:
            raise make_exhausted_error()
        if not self._first:
            self._first.append(next(source))
        return self._first[0]

    def register_reading(self) -> None:
        """Note that the reading begins; an error where it has begun before."""
        if self._used:
            raise make_exhausted_error()
        self._used = True
        if self._key is not None:
            _unread_passes.pop(self._key, None)

    def read_pieces(self, source: Iterator[object]) -> Iterator[object]:
        """Read all pieces, the first one among them."""
        self.register_reading()
        while self._first:
            yield self._first.pop()
        yield from source


def make_exhausted_error() -> PydpstatError:
    """Return the error of an iterator or a reader that has nothing left."""
    return PydpstatError(
        "data must have unread records; got an iterator or a reader that is used up. Create it again for every call."
    )


Batches = Iterator["pa.RecordBatch"]


@dataclass(frozen=True)
class StreamTable:
    """A table whose chunks come one after the other, as the functions of an engine give them.

    `batches` begins to read columns, as Arrow's batches. `has_known_size` says that `size` takes no query, `ordered`
    that records have an order of their own, `is_slow` that they have yet to be read. `run_aggregates` is as
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
        """Return the table of some columns."""
        return replace(self, names=check_requested_columns(names, self.names))

    def make_empty_chunk(self) -> Chunk:
        """Return a chunk of no records."""
        with report_engine_errors(self.engine):
            return convert_batch(self.schema(self.names).empty_table())

    def count_records(self) -> int | None:
        """Return the number of records where it can be had without reading them all."""
        with report_engine_errors(self.engine):
            return self.size()

    def compute_aggregates(self, query: AggregateQuery) -> list[AggregateRow] | None:
        """Return what the engine counts and adds up itself; None where it cannot."""
        return None if self.run_aggregates is None else self.run_aggregates(query)

    def fold(self, map_chunk: MapChunk[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Return what `map_chunk` makes of every chunk, merged; for units all is taken into memory."""
        whole = has_unit_column(unit, self.names)
        # an error keeps what it came through, and with it a thread that reads, but for this
        with closing(self._iterate_chunks()) as chunks:
            return run_ordered_fold(
                chunks,
                self.make_empty_chunk,
                map_chunk,
                merge,
                engine=self.engine,
                as_one_chunk=whole,
                get_total=self.size if self.has_known_size else lambda: None,
            )

    def _iterate_chunks(self) -> Generator[Chunk, None, None]:
        if self.is_slow:
            yield from prefetch_items(lambda: convert_batches(self.batches(self.names)))
        else:
            yield from convert_batches(self.batches(self.names))


def make_arrow_table(data: Any) -> Table:
    """Return a table of pyarrow's, a batch, a dataset, a scanner or a reader as one that can be folded."""
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
        # a scanner has settled its columns and its readahead, and reads once
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
    """Return whatever hands its records over by Arrow's stream interface; it may do so once only."""
    pa = import_pyarrow("reading a stream of Arrow's", "arrow")
    with report_engine_errors(type(data).__name__):
        reader = pa.RecordBatchReader.from_stream(data)
    return _read_once(type(data).__name__, reader)


def _read_once(engine: str, reader: pa.RecordBatchReader) -> StreamTable:
    """Return the table of a reader whose batches come once, with all of its columns in each."""
    once, schema = SinglePass.from_source(reader), reader.schema

    def read_batches(names: tuple[str, ...]) -> Batches:
        once.register_reading()
        return (batch.select(list(names)) for batch in reader)

    names = check_column_names(schema.names)
    return StreamTable(
        engine, names, lambda names: _select_fields(schema, names), read_batches, lambda: None, ordered=True
    )


def _select_fields(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([schema.field(name) for name in names])


def _get_low_memory_options(data: object) -> dict[str, object]:
    """Return the options that keep little of a dataset in memory: one group of rows at a time."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    options: dict[str, object] = {
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


def import_pyarrow(feature: str, extra: str) -> ModuleType:
    """Return pyarrow, or the error that says how to get it."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError(feature, "pyarrow", extra) from error
    return pyarrow

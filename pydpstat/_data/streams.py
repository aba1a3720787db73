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
    fold_in_order,
    with_unit,
)
from pydpstat._data.chunk_columns import chunk_of_batch, chunks_of_batches
from pydpstat._data.questions import Question, Row, Test
from pydpstat.errors import MissingExtraError, PydpstatError

if TYPE_CHECKING:
    import pyarrow as pa

Item = TypeVar("Item")
# seconds after which the engine's thread looks whether anybody still waits for its records
_PATIENCE = 0.1


def handed_over(produce: Callable[[Callable[[Item], bool]], object]) -> Iterator[Item]:
    """Run `produce` in another thread, and return what it hands over, one by one, in order.

    It is given a function to hand something over with, which waits until there is room, and returns whether
    no more is wanted. What it raises is raised here. When the iterator is closed, it is told so, and waited
    for.
    """
    waiting: queue.Queue[Any] = queue.Queue(maxsize=1)
    failures: list[BaseException] = []
    left = threading.Event()
    end = object()

    def put(item: object) -> bool:
        while not left.is_set():
            try:
                waiting.put(item, timeout=_PATIENCE)
                return False
            except queue.Full:
                pass
        return True

    def run() -> None:
        try:
            produce(put)
        except BaseException as error:
            failures.append(error)
        finally:
            put(end)

    worker = threading.Thread(target=run, daemon=True)
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


def ahead(items: Callable[[], Iterable[Item]]) -> Iterator[Item]:
    """Return the items of an iterable that another thread asks for, one ahead."""

    def produce(put: Callable[[Item], bool]) -> None:
        for item in items():
            if put(item):
                return
            # the engine may need the room of this one for the next
            del item

    return handed_over(produce)


# Most are forgotten with their iterators. One that has no weak references, such as a map, is kept until it
# is read, of those that no call has read only the last ones.
_KEPT = 8
_waiting: OrderedDict[int, tuple[object, Once]] = OrderedDict()
_known: WeakKeyDictionary[object, Once] = WeakKeyDictionary()


class Once:
    """The state of an iterator or a reader: its first piece, once looked at, and whether it was read.

    The first piece has the types by which a call's arguments are checked. Where the call then ends with an
    error, the next one that is given the same iterator still finds the piece here.
    """

    def __init__(self) -> None:
        self._used = False
        self._first: list[object] = []
        self._key: int | None = None

    @classmethod
    def of(cls, source: object) -> Once:
        """Return the state of an iterator or a reader, the same one until it is read."""
        try:
            return _known.setdefault(source, cls())
        except TypeError:
            _, once = _waiting.setdefault(id(source), (source, cls()))
            once._key = id(source)
        while len(_waiting) > _KEPT:
            _waiting.popitem(last=False)
        return once

    def peek(self, source: Iterator[object]) -> object:
        """Return the first piece; StopIteration where there is none."""
        if self._used:
            raise used_up()
        if not self._first:
            self._first.append(next(source))
        return self._first[0]

    def use(self) -> None:
        """Note that the reading begins; an error where it has begun before."""
        if self._used:
            raise used_up()
        self._used = True
        if self._key is not None:
            _waiting.pop(self._key, None)

    def read(self, source: Iterator[object]) -> Iterator[object]:
        """Read all pieces, the first one among them."""
        self.use()
        while self._first:
            yield self._first.pop()
        yield from source


def used_up() -> PydpstatError:
    """Return the error of an iterator or a reader that has nothing left."""
    return PydpstatError(
        "data must have unread records; got an iterator or a reader that is used up. Create it again "
        "for every call."
    )


Batches = Iterator["pa.RecordBatch"]


@dataclass(frozen=True)
class Stream:
    """A table whose chunks come one after the other, as the functions of an engine give them.

    `batches` begins to read columns, as Arrow's batches. `known` says that `size` takes no query, `ordered`
    that records have an order of their own, `slow` that they have yet to be read. `asked` is as `Table.ask`,
    and `kept` returns the records for which a condition is known to be true.
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
            return chunk_of_batch(self.schema(self.names).empty_table())

    def count(self) -> int | None:
        """Return the number of records where it can be had without reading them all."""
        with failing_as(self.engine):
            return self.size()

    def ask(self, question: Question) -> list[Row] | None:
        """Return what the engine counts and adds up itself; None where it cannot."""
        return None if self.asked is None else self.asked(question)

    def fold(self, partial: Partial[Part], merge: Merge[Part], unit: str | None = None) -> Part:
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
        return Stream(
            "pyarrow",
            column_names(data.schema.names),
            lambda names: _fields(data.schema, names),
            lambda names: iter(data.select(list(names)).to_batches(max_chunksize=CHUNK)),
            lambda: data.num_rows,
            known=True,
            ordered=True,
        )
    if hasattr(data, "to_reader"):
        # a scanner has settled its columns and its readahead, and reads once
        data = data.to_reader()
    if isinstance(data, pa.RecordBatchReader):
        return _read_once("pyarrow", data)
    return Stream(
        "pyarrow",
        column_names(data.schema.names),
        lambda names: _fields(data.schema, names),
        lambda names: iter(data.to_batches(columns=list(names), **_frugal(data))),
        data.count_rows,
        slow=True,
    )


def capsule_table(data: object) -> Table:
    """Return whatever hands its records over by Arrow's stream interface; it may do so once only."""
    pa = pyarrow_for("reading a stream of Arrow's", "arrow")
    with failing_as(type(data).__name__):
        reader = pa.RecordBatchReader.from_stream(data)
    return _read_once(type(data).__name__, reader)


def _read_once(engine: str, reader: pa.RecordBatchReader) -> Stream:
    """Return the table of a reader whose batches come once, with all of its columns in each."""
    once, schema = Once.of(reader), reader.schema

    def batches(names: tuple[str, ...]) -> Batches:
        once.use()
        return (batch.select(list(names)) for batch in reader)

    names = column_names(schema.names)
    return Stream(engine, names, lambda names: _fields(schema, names), batches, lambda: None, ordered=True)


def _fields(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([schema.field(name) for name in names])


def _frugal(data: object) -> dict[str, object]:
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


def pyarrow_for(feature: str, extra: str) -> ModuleType:
    """Return pyarrow, or the error that says how to get it."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError(feature, "pyarrow", extra) from error
    return pyarrow

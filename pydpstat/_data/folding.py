"""Folding chunks that come one after the other in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from pydpstat._data.chunk import Chunk, Part, engine_failed, joined
from pydpstat._data.progress import Progress
from pydpstat.errors import MissingExtraError, PydpstatError


def fold_in_order(
    chunks: Iterable[Chunk],
    empty: Callable[[], Chunk],
    partial: Callable[[Chunk], Part],
    merge: Callable[[Part, Part], Part],
    *,
    engine: str,
    whole: bool = False,
    total: Callable[[], int | None] = lambda: None,
) -> Part:
    """Return what `partial` makes of every chunk, merged in their order.

    Parameters
    ----------
    chunks : iterable of Chunk
        An error on the way to the next one, but for our own, is one of the engine's.
    empty : callable
        Returns the chunk of no records, for where there is no other.
    partial, merge : callable
        As in `Table.fold`.
    engine : str
        Its name, for the error.
    whole : bool
        Make one chunk of all of them.
    total : callable
        Returns the number of records, or None, for the line of progress.

    Examples
    --------
    >>> import operator
    >>> chunks = [Chunk({}, 2), Chunk({}, 3)]
    >>> fold_in_order(chunks, lambda: Chunk({}, 0), lambda chunk: chunk.size, operator.add, engine="none")
    5
    """
    parts: list[Part] = []
    kept: list[Chunk] = []
    with Progress(total) as progress:
        for chunk in _guarded(chunks, engine):
            progress.add(chunk.size)
            if not chunk.size:
                continue
            if whole:
                kept.append(chunk)
                continue
            part = partial(chunk)
            parts = [merge(parts[0], part)] if parts else [part]
            # the next chunk needs the room of this one
            del chunk
        if kept:
            parts = [partial(joined(kept))]
    return parts[0] if parts else partial(empty())


def _guarded(chunks: Iterable[Chunk], engine: str) -> Iterator[Chunk]:
    """Give chunks on; an error of the engine's is told as one."""
    with failing_as(engine):
        source = iter(chunks)
    while True:
        with failing_as(engine):
            try:
                chunk = next(source)
            except StopIteration:
                return
        yield chunk
        del chunk


@contextmanager
def failing_as(engine: str) -> Iterator[None]:
    """Tell every error but our own as one of the engine's."""
    try:
        yield
    except (PydpstatError, MissingExtraError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        # a panic of Polars is no Exception
        raise engine_failed(engine, error) from error

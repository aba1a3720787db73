"""Records of which only some are in memory at a time: tables, their chunks, and how these are folded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from pydpstat._checks import format_public_value, suggest_spelling
from pydpstat._data.aggregates import AggregateQuery, AggregateRow
from pydpstat._data.containers import Column, is_categorical
from pydpstat._data.progress import Progress
from pydpstat._lazy import pd
from pydpstat.errors import MissingExtraError, PydpstatError

Part = TypeVar("Part")
# records of a chunk that is cut from more of them
CHUNK = 65_536


class Chunk(NamedTuple):
    """Some records, in memory: columns of one length by name. Private but for the columns' names and types.

    Texts are a Categorical, whose categories are those that occur: they are private, too. Times with a zone
    are a DatetimeIndex in UTC. Of whole numbers see `make_integer_column`.
    """

    columns: Mapping[str, Column]
    size: int

    def __repr__(self) -> str:
        """Withhold the values."""
        return "Chunk(values withheld)"


# what makes something of a chunk, and what merges two of such
MapChunk = Callable[[Chunk], Part]
Merge = Callable[[Part, Part], Part]


class Table(Protocol):
    """Columns of records that need not be in memory, each with its own name."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""

    @property
    def ordered(self) -> bool:
        """Whether the records have a fixed order, the same whenever they are read."""

    def select_columns(self, names: Sequence[str]) -> Table:
        """Return the table of these columns: no other will be read."""

    def make_empty_chunk(self) -> Chunk:
        """Return a chunk of no records, whose columns have the types that those of all chunks will have."""

    def count_records(self) -> int | None:
        """Return the number of records; None where it takes reading what can be read once."""

    def compute_aggregates(self, query: AggregateQuery) -> list[AggregateRow] | None:
        """Return what the engine itself counts and adds up; None where it cannot say it exactly."""

    def fold(self, map_chunk: MapChunk[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Return what `map_chunk` makes of every chunk, merged; each has all records of its units.

        Both functions can be pickled, and `map_chunk` does the same however often it is called. `merge` may
        change the first of the two, which is its own from then on.
        """


def check_column_names(names: Sequence[object]) -> tuple[str, ...]:
    """Check the names of a table's columns: texts, all different, at least one."""
    checked: list[str] = []
    for name in names:
        if not isinstance(name, str):
            raise PydpstatError(
                f"data must have columns whose names are strings; got the name {format_public_value(name)} of "
                f"type {type(name).__name__}. Rename the column."
            )
        if name in checked:
            raise PydpstatError(f"data must have columns with different names; got two columns {name!r}. Rename one.")
        checked.append(name)
    if not checked:
        raise PydpstatError("data must have at least one column; got none. Give a table with columns.")
    return tuple(checked)


def has_unit_column(unit: str | None, known: Sequence[str]) -> bool:
    """Tell whether chunks must be whole for a column, which must be among those that are read."""
    return unit is not None and bool(check_requested_columns([unit], known))


def check_requested_columns(names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Check that a table has the columns that are asked for; one that is asked for twice counts once."""
    for name in names:
        if name not in known:
            raise PydpstatError(
                f"data must have a column {name!r}; got the columns {format_public_value(list(known))}. "
                f"{suggest_spelling(name, known)}"
            )
    return tuple(dict.fromkeys(names))


def make_column_type_error(name: str, kind: object) -> PydpstatError:
    """Return the error of a column whose values are of a type that no statistic takes."""
    return PydpstatError(
        "data must have columns of numbers, truth values, strings, dates, times or durations; got "
        f"the column {name!r} of type {kind}. Convert it first, or leave it out."
    )


def make_integer_column(values: np.ndarray, absent: np.ndarray | None) -> Column:
    """Return whole numbers, of which some are `absent`, so that each is read as its own value says.

    One up to 2**53 is the same as an integer and as a float. A larger one is rounded where numbers are read
    as floats, and that must not hinge on whether another one is missing: such a column is pandas' nullable
    one.
    """
    known = values if absent is None else np.where(absent, 0, values)
    if values.dtype.itemsize == 8 and known.size and (known.max() > 2**53 or known.min() < -(2**53)):
        mask = np.zeros(values.size, dtype=bool) if absent is None else absent
        native = known.astype(known.dtype.newbyteorder("="))
        return pd.arrays.IntegerArray(native, mask.copy())
    if absent is None or not absent.any():
        return values
    return np.where(absent, np.nan, known.astype(np.float64))


def concatenate_chunks(chunks: Sequence[Chunk]) -> Chunk:
    """Return the records of several chunks as one."""
    if len(chunks) == 1:
        return chunks[0]
    columns = {name: _concatenate_columns([chunk.columns[name] for chunk in chunks]) for name in chunks[0].columns}
    return Chunk(columns, sum(chunk.size for chunk in chunks))


def _concatenate_columns(pieces: Sequence[Any]) -> Column:
    if all(isinstance(piece, np.ndarray) for piece in pieces):
        return np.concatenate(pieces)
    if all(map(is_categorical, pieces)):
        return pd.api.types.union_categoricals(pieces, ignore_order=True)
    if all(isinstance(piece, pd.DatetimeIndex) for piece in pieces):
        return pieces[0].append(list(pieces[1:]))
    nullable = next(piece.dtype for piece in pieces if not isinstance(piece, np.ndarray))
    return pd.concat([pd.Series(pd.array(piece, dtype=nullable)) for piece in pieces]).array


def run_ordered_fold(
    chunks: Iterable[Chunk],
    make_empty: Callable[[], Chunk],
    map_chunk: MapChunk[Part],
    merge: Merge[Part],
    *,
    engine: str,
    as_one_chunk: bool = False,
    get_total: Callable[[], int | None] = lambda: None,
) -> Part:
    """Return what `map_chunk` makes of every chunk, or of all as one `as_one_chunk`, merged in order.

    An error on the way to the next chunk, but for our own, is one of the engine's. `make_empty` returns the chunk
    of no records, and `get_total` the number of records for the line of progress.
    """
    parts: list[Part] = []
    kept: list[Chunk] = []
    with Progress(get_total) as progress:
        for chunk in _iterate_chunks(chunks, engine):
            progress.add_done(chunk.size)
            if not chunk.size:
                continue
            if as_one_chunk:
                kept.append(chunk)
                continue
            part = map_chunk(chunk)
            parts = [merge(parts[0], part)] if parts else [part]
            # the next chunk needs the room of this one
            del chunk
        if kept:
            parts = [map_chunk(concatenate_chunks(kept))]
    return parts[0] if parts else map_chunk(make_empty())


def _iterate_chunks(chunks: Iterable[Chunk], engine: str) -> Iterator[Chunk]:
    """Give chunks on; an error of the engine's is told as one."""
    with report_engine_errors(engine):
        source = iter(chunks)
    while True:
        with report_engine_errors(engine):
            try:
                chunk = next(source)
            except StopIteration:
                return
        yield chunk
        del chunk


@contextmanager
def report_engine_errors(engine: str) -> Iterator[None]:
    """Tell every error but our own as one of the engine's."""
    try:
        yield
    except (PydpstatError, MissingExtraError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        # a panic of Polars is no Exception
        raise PydpstatError(
            f"data could not be read because the engine failed ({engine}: {type(error).__name__}). "
            "Nothing was released or spent. Fix the cause of the engine's error above, and call again."
        ) from error

"""Tables that are read in chunks, so that only part of the records is in memory, and folds over their chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from pydpstat._checks import format_public_value, suggest_spelling
from pydpstat._data.aggregates import AggregateQuery, AggregateRow
from pydpstat._data.containers import Column, is_categorical
from pydpstat._data.progress import Progress
from pydpstat._frozen import hide_values
from pydpstat._lazy import pd
from pydpstat.errors import MissingExtraError, PydpstatError

Part = TypeVar("Part")
# largest number of records of a chunk that is a slice of a longer table
CHUNK = 65_536


class Chunk(NamedTuple):
    """Records in memory: columns of equal length by name. Private except for the columns' names and types.

    Strings are a Categorical with the observed strings as categories, which are private, too. Times with a time zone
    are a DatetimeIndex in UTC. For integers see `make_integer_column`.
    """

    columns: Mapping[str, Column]
    size: int

    def __repr__(self) -> str:
        return hide_values(self)


# functions that map a chunk to a partial result, and that merge two partial results
MapChunk = Callable[[Chunk], Part]
Merge = Callable[[Part, Part], Part]


class Table(Protocol):
    """Columns of records that need not be in memory, with distinct names."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""

    @property
    def ordered(self) -> bool:
        """Whether the records have a fixed order, the same in every pass."""

    def select_columns(self, names: Sequence[str]) -> Table:
        """Return the table restricted to these columns; no other column is read."""

    def make_empty_chunk(self) -> Chunk:
        """Return a chunk without records whose columns have the types of all chunks of the table."""

    def count_records(self) -> int | None:
        """Return the number of records; None if counting would consume data that can be read only once."""

    def compute_aggregates(self, query: AggregateQuery) -> list[AggregateRow] | None:
        """Compute counts and sums in the engine; return None if it cannot compute them exactly."""

    def fold(self, map_chunk: MapChunk[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Apply `map_chunk` to every chunk and merge the results; with `unit`, all records of a unit are in one chunk.

        Both functions can be pickled, and `map_chunk` gives the same result whenever it is called. `merge` may modify
        its first argument.
        """


def check_column_names(names: Sequence[object]) -> tuple[str, ...]:
    """Check the names of a table's columns: at least one, all strings and distinct."""
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
    """Return whether a unit column is given, so that units must not be split; check that it is in `known`."""
    return unit is not None and bool(check_requested_columns([unit], known))


def check_requested_columns(names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Check that a table has the requested columns, and return them without duplicates."""
    for name in names:
        if name not in known:
            raise PydpstatError(
                f"data must have a column {name!r}; got the columns {format_public_value(list(known))}. "
                f"{suggest_spelling(name, known)}"
            )
    return tuple(dict.fromkeys(names))


def make_column_type_error(name: str, kind: object) -> PydpstatError:
    """Return the error for a column whose type no statistic accepts."""
    return PydpstatError(
        "data must have columns of numbers, truth values, strings, dates, times or durations; got "
        f"the column {name!r} of type {kind}. Convert it first, or leave it out."
    )


def make_integer_column(values: np.ndarray, absent: np.ndarray | None) -> Column:
    """Return integers, of which some are `absent`, as a column that preserves every value.

    An integer of absolute value up to 2**53 is exact as a float. A larger one would be rounded if the column became
    floats, which must not depend on whether another value is missing: such a column is a nullable array of pandas.
    """
    filled = values if absent is None else np.where(absent, 0, values)
    if values.dtype.itemsize == 8 and filled.size and (filled.max() > 2**53 or filled.min() < -(2**53)):
        mask = np.zeros(values.size, dtype=bool) if absent is None else absent
        native = filled.astype(filled.dtype.newbyteorder("="))
        return pd.arrays.IntegerArray(native, mask.copy())
    if absent is None or not absent.any():
        return values
    return np.where(absent, np.nan, filled.astype(np.float64))


def concatenate_chunks(chunks: Sequence[Chunk]) -> Chunk:
    """Concatenate several chunks into one."""
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
    """Apply `map_chunk` to every chunk, or to all as one (`as_one_chunk`), and merge the results in order.

    An exception while the next chunk is read is reported as the engine's unless it is one of pydpstat's. `make_empty`
    returns a chunk without records, and `get_total` the number of records for the progress line.
    """
    partials: list[Part] = []
    pending: list[Chunk] = []
    with Progress(get_total) as progress:
        for chunk in _iterate_chunks(chunks, engine):
            progress.add_done(chunk.size)
            if not chunk.size:
                continue
            if as_one_chunk:
                pending.append(chunk)
                continue
            partial = map_chunk(chunk)
            partials = [merge(partials[0], partial)] if partials else [partial]
            # release this chunk before the next one is read
            del chunk
        if pending:
            partials = [map_chunk(concatenate_chunks(pending))]
    return partials[0] if partials else map_chunk(make_empty())


def _iterate_chunks(chunks: Iterable[Chunk], engine: str) -> Iterator[Chunk]:
    """Yield chunks and report exceptions of the engine."""
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
    """Report every exception except pydpstat's as a failure of the engine."""
    try:
        yield
    except (PydpstatError, MissingExtraError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        # a panic in Polars is not an Exception
        raise PydpstatError(
            f"data could not be read because the engine failed ({engine}: {type(error).__name__}). "
            "Nothing was released or spent. Fix the cause of the engine's error above, and call again."
        ) from error

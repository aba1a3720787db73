"""Records of which only some are in memory at a time: tables, their chunks, and how these are folded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from pydpstat._checks import did_you_mean, excerpt
from pydpstat._data.containers import Column, is_categorical
from pydpstat._data.progress import Progress
from pydpstat._data.questions import Question, Row
from pydpstat._lazy import pd
from pydpstat.errors import MissingExtraError, PydpstatError

Part = TypeVar("Part")
# records of a chunk that is cut from more of them
CHUNK = 65_536


class Chunk(NamedTuple):
    """Some records, in memory: columns of one length by name. Private but for the columns' names and types.

    Texts are a Categorical, whose categories are those that occur: they are private, too. Times with a zone
    are a DatetimeIndex in UTC. Of whole numbers see `whole_numbers`.
    """

    columns: Mapping[str, Column]
    size: int

    def __repr__(self) -> str:
        """Withhold the values."""
        return "Chunk(values withheld)"


# what makes something of a chunk, and what merges two of such
Partial = Callable[[Chunk], Part]
Merge = Callable[[Part, Part], Part]


class Table(Protocol):
    """Columns of records that need not be in memory, each with its own name."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""

    @property
    def ordered(self) -> bool:
        """Whether the records have a fixed order, the same whenever they are read."""

    def select(self, names: Sequence[str]) -> Table:
        """Return the table of these columns: no other will be read."""

    def sample(self) -> Chunk:
        """Return a chunk of no records, whose columns have the types that those of all chunks will have."""

    def count(self) -> int | None:
        """Return the number of records; None where it takes reading what can be read once."""

    def ask(self, question: Question) -> list[Row] | None:
        """Return what the engine itself counts and adds up; None where it cannot say it exactly."""

    def fold(self, partial: Partial[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Return what `partial` makes of every chunk, merged; each has all records of its units.

        Both functions can be pickled, and `partial` does the same however often it is called. `merge` may
        change the first of the two, which is its own from then on.
        """


def column_names(names: Sequence[object]) -> tuple[str, ...]:
    """Check the names of a table's columns: texts, all different, at least one."""
    checked: list[str] = []
    for name in names:
        if not isinstance(name, str):
            raise PydpstatError(
                f"data must have columns whose names are strings; got the name {excerpt(name)} of "
                f"type {type(name).__name__}. Rename the column."
            )
        if name in checked:
            raise PydpstatError(
                f"data must have columns with different names; got two columns {name!r}. Rename one."
            )
        checked.append(name)
    if not checked:
        raise PydpstatError("data must have at least one column; got none. Give a table with columns.")
    return tuple(checked)


def with_unit(unit: str | None, known: Sequence[str]) -> bool:
    """Tell whether chunks must be whole for a column, which must be among those that are read."""
    return unit is not None and bool(chosen([unit], known))


def chosen(names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Check that a table has the columns that are asked for; one that is asked for twice counts once."""
    for name in names:
        if name not in known:
            raise PydpstatError(
                f"data must have a column {name!r}; got the columns {excerpt(list(known))}. "
                f"{did_you_mean(name, known)}"
            )
    return tuple(dict.fromkeys(names))


def refused(name: str, kind: object) -> PydpstatError:
    """Return the error of a column whose values are of a type that no statistic takes."""
    return PydpstatError(
        "data must have columns of numbers, truth values, strings, dates, times or durations; got "
        f"the column {name!r} of type {kind}. Convert it first, or leave it out."
    )


def whole_numbers(values: np.ndarray, absent: np.ndarray | None) -> Column:
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


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Return the records of several chunks as one."""
    if len(chunks) == 1:
        return chunks[0]
    columns = {name: _joined([chunk.columns[name] for chunk in chunks]) for name in chunks[0].columns}
    return Chunk(columns, sum(chunk.size for chunk in chunks))


def _joined(pieces: Sequence[Any]) -> Column:
    if all(isinstance(piece, np.ndarray) for piece in pieces):
        return np.concatenate(pieces)
    if all(map(is_categorical, pieces)):
        return pd.api.types.union_categoricals(pieces, ignore_order=True)
    if all(isinstance(piece, pd.DatetimeIndex) for piece in pieces):
        return pieces[0].append(list(pieces[1:]))
    nullable = next(piece.dtype for piece in pieces if not isinstance(piece, np.ndarray))
    return pd.concat([pd.Series(pd.array(piece, dtype=nullable)) for piece in pieces]).array


def fold_in_order(
    chunks: Iterable[Chunk],
    empty: Callable[[], Chunk],
    partial: Partial[Part],
    merge: Merge[Part],
    *,
    engine: str,
    whole: bool = False,
    total: Callable[[], int | None] = lambda: None,
) -> Part:
    """Return what `partial` makes of every chunk, or of all as one `whole`, merged in order.

    An error on the way to the next chunk, but for our own, is one of the engine's. `empty` returns the chunk
    of no records, and `total` the number of records for the line of progress.
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
        raise PydpstatError(
            f"data could not be read because the engine failed ({engine}: {type(error).__name__}). "
            "Nothing was released or spent. Fix the cause of the engine's error above, and call again."
        ) from error

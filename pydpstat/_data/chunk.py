"""Records of which only some are in memory at a time: what a table of them can do, and what a chunk is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from pydpstat._checks import did_you_mean, excerpt
from pydpstat._data.containers import is_categorical
from pydpstat._data.questions import Question, Row
from pydpstat.errors import PydpstatError

Part = TypeVar("Part")
# records of a chunk that is cut from more of them
CHUNK = 65_536


class Chunk(NamedTuple):
    """Some records, in memory. Private but for the columns' names and types.

    Attributes
    ----------
    columns : mapping of str to ndarray, Categorical or index
        By name, each of `size` values. Texts are a Categorical, whose categories are those that occur:
        they are private, too. Times with a zone are a DatetimeIndex in UTC. Whole numbers of 64 bits are
        pandas' nullable ones where one is beyond 2**53, so that a number is read in one way whatever
        the others are.
    size : int
        Number of records.
    """

    columns: Mapping[str, Any]
    size: int

    def __repr__(self) -> str:
        """Withhold the values."""
        return "Chunk(values withheld)"


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
        """Return what the engine itself counts and adds up; None where it cannot say it exactly.

        Raises
        ------
        PydpstatError
            If the engine fails.
        """

    def fold(
        self,
        partial: Callable[[Chunk], Part],
        merge: Callable[[Part, Part], Part],
        unit: str | None = None,
    ) -> Part:
        """Return what `partial` makes of every chunk, merged.

        Parameters
        ----------
        partial : callable
            Takes a chunk. It can be pickled, and does the same however often it is called.
        merge : callable
            Takes what two chunks, or two groups of them, gave. It can be pickled. It may change the first,
            which is its own from then on.
        unit : str or None
            A column: every chunk then has all records of the units in it.

        Raises
        ------
        PydpstatError
            If the engine fails, or the data can be read once and were.
        """


def column_names(names: Sequence[object]) -> tuple[str, ...]:
    """Check the names of a table's columns: texts, all different, at least one.

    Examples
    --------
    >>> column_names(["age", "sex"])
    ('age', 'sex')
    """
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


def engine_failed(engine: str, error: BaseException) -> PydpstatError:
    """Return the error of an engine that could not give the records, to be raised from the engine's own."""
    return PydpstatError(
        f"data could not be read because the engine failed ({engine}: {type(error).__name__}). "
        "Nothing was released or spent. Fix the cause of the engine's error above, and call again."
    )


def whole_numbers(values: np.ndarray, absent: np.ndarray | None) -> Any:
    """Return whole numbers, some of them missing, so that each is read as its own value says.

    One up to 2**53 is the same as an integer and as a float. A larger one is rounded where numbers are
    read as floats, and that must not hinge on whether another value is missing: where there is one, the
    column is pandas' nullable one, which is always read so.

    Parameters
    ----------
    values : ndarray of int, shape (n,)
        What stands where a value is missing does not matter.
    absent : ndarray of bool, shape (n,), or None
        Which are missing; None where none is.

    Returns
    -------
    ndarray of int or float, or pandas' IntegerArray, of shape (n,)

    Examples
    --------
    >>> whole_numbers(np.array([1, 2]), np.array([False, True]))
    array([ 1., nan])
    """
    known = values if absent is None else np.where(absent, 0, values)
    if values.dtype.itemsize == 8 and known.size and (known.max() > 2**53 or known.min() < -(2**53)):
        import pandas as pd

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


def _joined(pieces: Sequence[Any]) -> Any:
    if all(isinstance(piece, np.ndarray) for piece in pieces):
        return np.concatenate(pieces)
    import pandas as pd

    if all(map(is_categorical, pieces)):
        from pandas.api.types import union_categoricals

        return union_categoricals(pieces, ignore_order=True)
    if all(isinstance(piece, pd.DatetimeIndex) for piece in pieces):
        return pieces[0].append(list(pieces[1:]))
    nullable = next(piece.dtype for piece in pieces if not isinstance(piece, np.ndarray))
    return pd.concat([pd.Series(pd.array(piece, dtype=nullable)) for piece in pieces]).array

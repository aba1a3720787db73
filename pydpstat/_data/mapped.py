"""Tables whose records are changed one by one on the way: columns that are made, and records left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from pydpstat._data.chunk import Chunk, Part, Table
from pydpstat._data.questions import Question, Row


class Change(Protocol):
    """What is done to each chunk: it looks at one record at a time, and can be pickled."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that it looks at."""

    @property
    def makes(self) -> tuple[str, ...]:
        """The columns that it makes."""

    @property
    def drops(self) -> bool:
        """Whether it leaves records out."""

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the chunk as it is afterwards."""


@dataclass(frozen=True)
class Mapped:
    """A table with a change.

    Parameters
    ----------
    table : Table
        What is read.
    change : Change
        What is done to it.
    names : tuple of str
        The columns afterwards.
    """

    table: Table
    change: Change
    names: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, change: Change) -> Mapped:
        """Return a table with all of its columns and those that are made."""
        return cls(table, change, (*table.names, *change.makes))

    @property
    def ordered(self) -> bool:
        """Whether the records have a fixed order."""
        return self.table.ordered

    def select(self, names: Sequence[str]) -> Mapped:
        """Return the table of these columns."""
        needed = [name for name in self.table.names if name in names or name in self.change.needs]
        # a number of records needs some column
        return Mapped(self.table.select(needed or self.table.names[:1]), self.change, tuple(names))

    def sample(self) -> Chunk:
        """Return a chunk of no records."""
        return _changed(self.change, self.names, self.table.sample())

    def count(self) -> int | None:
        """Return the number of records; None where that takes reading them."""
        return None if self.change.drops else self.table.count()

    def ask(self, question: Question) -> list[Row] | None:
        """Return None: the engine does not know the change."""
        return None

    def fold(
        self,
        each: Callable[[Chunk], Part],
        merge: Callable[[Part, Part], Part],
        unit: str | None = None,
    ) -> Part:
        """Return what `each` makes of every changed chunk, merged."""
        return self.table.fold(partial(_then, self.change, self.names, each), merge, unit)


def _changed(change: Change, names: tuple[str, ...], chunk: Chunk) -> Chunk:
    found = change(chunk)
    return Chunk({name: found.columns[name] for name in names}, found.size)


def _then(change: Change, names: tuple[str, ...], each: Callable[[Chunk], Part], chunk: Chunk) -> Part:
    return each(_changed(change, names, chunk))

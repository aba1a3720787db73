"""Data of any size: chunks of columns in memory, and tables that are read a chunk at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

Part = TypeVar("Part")


class Chunk(NamedTuple):
    """Some records in memory: columns by name, all of one length. Private but for the names."""

    columns: Mapping[str, Any]
    size: int

    def __repr__(self) -> str:
        return "Chunk(values withheld)"


class Table(Protocol):
    """Data that are read a chunk at a time; `names` are those of its columns, in order."""

    names: tuple[str, ...]

    def select(self, names: Sequence[str]) -> Table:
        """Return the table with only these columns, which are all that will be read."""

    def sample(self) -> Chunk:
        """Return a chunk of no records, whose columns have the types that all chunks will have."""

    def count(self) -> int | None:
        """Return the number of records; None for what can be read only once."""

    def fold(
        self,
        partial: Callable[[Chunk], Part],
        merge: Callable[[Part, Part], Part],
        unit: str | None = None,
    ) -> Part:
        """Return the merged results of all chunks; with `unit` a chunk has all records of its units."""


def table_of(data: object) -> Table | None:
    """Return what reads data in chunks; None for what is in memory already."""
    return None

"""Tables of Dask: each partition is read where it lies, and what they give is merged as a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from pydpstat._data.chunk import CHUNK, Chunk, Part, Table, chosen, column_names, with_unit
from pydpstat._data.containers import columns_of, name_of
from pydpstat._data.folding import failing_as
from pydpstat._data.pandas_columns import column_of
from pydpstat._data.progress import Progress
from pydpstat._data.questions import Question, Row

# parts that one task merges
_FAN_IN = 8


@dataclass(frozen=True)
class DaskTable:
    """A table whose partitions are Dask's, computed by the scheduler that the user has set."""

    frame: Any
    names: tuple[str, ...]
    ordered: bool = False

    def select(self, names: Sequence[str]) -> Table:
        """Return the table of some columns."""
        return replace(self, names=chosen(names, self.names))

    def sample(self) -> Chunk:
        """Return no records, of the types that Dask knows in advance."""
        return _chunk(self.frame[list(self.names)]._meta, self.names)

    def count(self) -> int | None:
        """Return the number of records, which Dask counts."""
        with failing_as("dask"):
            return int(self.frame[list(self.names[:1])].map_partitions(len).compute().sum())

    def ask(self, question: Question) -> list[Row] | None:
        """Return None: records are read."""
        return None

    def fold(
        self,
        partial: Callable[[Chunk], Part],
        merge: Callable[[Part, Part], Part],
        unit: str | None = None,
    ) -> Part:
        """Return what `partial` makes of every partition, merged; for units Dask shuffles first."""
        from dask import delayed

        whole = with_unit(unit, self.names)
        with Progress(lambda: None), failing_as("dask"):
            frame = self.frame[list(self.names)]
            if unit is not None:
                if getattr(frame[unit].dtype, "kind", "") == "f":
                    # pandas before 3 has 0.0 and -0.0 in two partitions, and they are one unit
                    frame = frame.assign(**{unit: frame[unit] + 0.0})
                frame = frame.shuffle(on=unit)
            tasks = [delayed(_part)(piece, self.names, partial, merge, whole) for piece in frame.to_delayed()]
            while len(tasks) > 1:
                groups = [tasks[start : start + _FAN_IN] for start in range(0, len(tasks), _FAN_IN)]
                tasks = [delayed(_merged)(group, merge) for group in groups]
            found = tasks[0].compute()
        return found.pop() if found else partial(self.sample())


def dask_table(data: Any) -> Table:
    """Return a frame or a series of Dask as a table that can be folded; its workers need this package."""
    if not hasattr(data, "columns") or getattr(data, "ndim", 2) == 1:
        data = data.to_frame(name_of(data) or "")
    return DaskTable(data, column_names(list(data.columns)))


def _chunk(frame: Any, names: Sequence[str]) -> Chunk:
    columns = {name: column_of(name, column) for name, column in zip(names, columns_of(frame))}
    return Chunk(columns, len(frame))


def _part(
    frame: Any,
    names: tuple[str, ...],
    partial: Callable[[Chunk], Part],
    merge: Callable[[Part, Part], Part],
    whole: bool,
) -> list[Part]:
    """Return what a partition gives, in a list; an empty one for a partition without records."""
    step = max(len(frame), 1) if whole else CHUNK
    parts: list[Part] = []
    for start in range(0, len(frame), step):
        part = partial(_chunk(frame.iloc[start : start + step], names))
        parts = [merge(parts[0], part)] if parts else [part]
    return parts


def _merged(groups: Sequence[list[Part]], merge: Callable[[Part, Part], Part]) -> list[Part]:
    """Merge what some tasks gave."""
    parts = [part for group in groups for part in group]
    # a task may run again with what it was given, and merging may change the first
    parts[:1] = deepcopy(parts[:1])
    while len(parts) > 1:
        parts[:2] = [merge(parts[0], parts[1])]
    return parts

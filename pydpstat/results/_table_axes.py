"""Variables of a table: names, levels and axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.results._labels import Labels
from pydpstat.results._words import join_names

# a variable by its name, or by its axis if it has no name
VariableNames = str | int | Sequence[str | int]


@dataclass(frozen=True, slots=True)
class TableAxes:
    """Variables of a table, one for each axis of its value."""

    dimnames: tuple[tuple[object, ...], ...]
    names: tuple[str, ...]

    @classmethod
    def from_labels(cls, labels: Labels) -> TableAxes:
        """Make the axes of a table from its labels."""
        return cls(labels.dimnames or (), labels.dimension_names)

    def find(self, names: object, argument: str) -> tuple[int, ...]:
        """Return the axes of variables that are given by name or by axis."""
        count, axis_names = len(self.dimnames), self.names
        axes = []
        for name in names if isinstance(names, (list, tuple)) else [names]:
            if isinstance(name, str) and name in axis_names:
                axes.append(axis_names.index(name))
            elif type(name) is int and 0 <= name < count and not any(axis_names):
                axes.append(name)
            else:
                allowed = ", ".join(map(repr, axis_names if any(axis_names) else range(count)))
                raise PydpstatError(
                    f"{argument} must be of the table's variables ({allowed}); got {name!r}. "
                    f"{checks.suggest_spelling(name, list(map(str, axis_names)))}"
                )
        if len(set(axes)) < len(axes):
            raise PydpstatError(f"{argument} must have each variable once; got {names!r}.")
        return tuple(axes)

    def get_name(self, axis: int) -> str:
        """Return a variable's name, or "variable" and its axis."""
        return str(self.names[axis]) if self.names and self.names[axis] else f"variable {axis}"

    def get_key(self, axis: int) -> str | int:
        """Return the name that selects a variable, or its axis if no variable has a name."""
        return self.names[axis] if any(self.names) else axis

    def join(self, axes: Sequence[int], last: bool = True) -> str:
        """Return the names of variables, with commas and, if `last`, "and" before the last one."""
        return join_names(map(self.get_name, axes)) if last else ", ".join(map(self.get_name, axes))

    def count_cells(self, axes: Sequence[int]) -> int:
        """Return the number of combinations of the variables' levels."""
        return math.prod(len(self.dimnames[axis]) for axis in axes)

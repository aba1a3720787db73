"""The variables of a table: their names, levels and places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.results._labels import Labels
from pydpstat.results._words import join_names

# a variable by its name, or by its place where it has none
VariableNames = str | int | Sequence[str | int]


@dataclass(frozen=True, slots=True)
class TableAxes:
    """The variables of a table, each along an axis of its value."""

    dimnames: tuple[tuple[object, ...], ...]
    names: tuple[str, ...]

    @classmethod
    def from_labels(cls, labels: Labels) -> TableAxes:
        """Return those of a table's labels."""
        return cls(labels.dimnames or (), labels.dimension_names)

    def find(self, names: object, argument: str) -> tuple[int, ...]:
        """Return the places of variables that are given by name, or by place."""
        count, known = len(self.dimnames), self.names
        found = []
        for name in names if isinstance(names, (list, tuple)) else [names]:
            if isinstance(name, str) and name in known:
                found.append(known.index(name))
            elif type(name) is int and 0 <= name < count and not any(known):
                found.append(name)
            else:
                shown = ", ".join(map(repr, known if any(known) else range(count)))
                raise PydpstatError(
                    f"{argument} must be of the table's variables ({shown}); got {name!r}. "
                    f"{checks.suggest_spelling(name, list(map(str, known)))}"
                )
        if len(set(found)) < len(found):
            raise PydpstatError(f"{argument} must have each variable once; got {names!r}.")
        return tuple(found)

    def get_name(self, axis: int) -> str:
        """Return a variable's name, or else its place in words."""
        return str(self.names[axis]) if self.names and self.names[axis] else f"variable {axis}"

    def get_key(self, axis: int) -> str | int:
        """Return how a variable is asked for."""
        return self.names[axis] if any(self.names) else axis

    def join(self, axes: Sequence[int], last: bool = True) -> str:
        """Return the names of variables, with "and" before the last one."""
        return join_names(map(self.get_name, axes)) if last else ", ".join(map(self.get_name, axes))

    def count_cells(self, axes: Sequence[int]) -> int:
        """Return how many combinations the levels of variables have."""
        return math.prod(len(self.dimnames[axis]) for axis in axes)

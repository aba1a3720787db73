"""Names of values that are released for each group: an index of the groups around what each group has."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat.errors import PydpstatError
from pydpstat.results._labels import Labels
from pydpstat.results._words import joined

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class GroupLabels(Labels):
    """How the elements of a value are called that has a group in each place of its first dimension.

    The other fields are those of one group's value: a number has none, a vector `names`, a matrix
    `dimnames`, a histogram `breaks`.

    Parameters
    ----------
    rows : tuple of tuple
        The keys' levels of each group.
    keys : tuple of str
        The keys' names, empty where one has none.
    """

    rows: tuple[tuple[Any, ...], ...] = ()
    keys: tuple[str, ...] = ()

    @classmethod
    def of(cls, each: Labels, rows: tuple[tuple[Any, ...], ...], keys: tuple[str, ...]) -> GroupLabels:
        """Return the labels of groups of which each has a value with its own labels."""
        own = {item.name: getattr(each, item.name) for item in fields(Labels)}
        return cls(**own, rows=rows, keys=keys)

    def about(self, statistic: str) -> str:
        """Return variables, and the keys by which there are groups, in words."""
        # slots: a class made again is not the one that super() without arguments means
        named, keys = Labels.about(self, statistic), joined(self.keys)
        return " ".join(filter(None, (named, keys and f"by {keys}")))

    def natural(self, value: np.ndarray) -> Any:
        """Return a Series with the groups as its index, or a frame with a row for each group.

        Of matrices the frame has a row for each group and variable.
        """
        import pandas as pd

        value = value + 0.0
        if value.ndim == 1:
            return pd.Series(value, index=self._index(self.rows, self.keys), name=self.name)
        if value.ndim == 2:
            return pd.DataFrame(value, index=self._index(self.rows, self.keys), columns=list(self._inner()))
        first, second = self.dimnames or ((), ())
        rows = [(*row, variable) for row in self.rows for variable in first]
        index = self._index(rows, (*self.keys, ""))
        return pd.DataFrame(value.reshape(len(rows), -1), index=index, columns=list(second))

    def index(self, value: np.ndarray) -> pd.Index:
        """Return the index of the value's elements: the groups change fastest."""
        if value.ndim == 1:
            return self._index(self.rows, self.keys)
        return self._index(self._elements(value), (*self.keys, *[""] * (value.ndim - 1)))

    def elements(self, value: np.ndarray) -> list[str]:
        """Return one text for each element."""
        return [":".join(map(str, row)) for row in self._elements(value)]

    def place(self, group: object, argument: str) -> int:
        """Return in which place a group is, which is given by its level, or a tuple of levels.

        Examples
        --------
        >>> GroupLabels("mean", rows=(("north",), ("south",)), keys=("region",)).place("south", "a")
        1
        """
        row = group if isinstance(group, tuple) else (group,)
        for place, each in enumerate(self.rows):
            # as it is given, or as it is printed
            if tuple(map(str, each)) == tuple(map(str, row)) or ":".join(map(str, each)) == group:
                return place
        raise PydpstatError(
            f"{argument} must be one of the release's groups ({self.listed()}); got {group!r}. Give its "
            "level, or a tuple of levels for several keys."
        )

    def listed(self, without: int = -1) -> str:
        """Return the first groups for a message, without the one in a place.

        Examples
        --------
        >>> GroupLabels("mean", rows=(("north",), ("south",)), keys=("region",)).listed(1)
        'north'
        """
        rest = [":".join(map(str, each)) for place, each in enumerate(self.rows) if place != without]
        return ", ".join(rest[:9])

    def column(self, variable: object) -> int:
        """Return in which place of every group's values a variable is, which need not be said of one.

        Examples
        --------
        >>> GroupLabels("mean", names=("age", "income"), rows=(("north",), ("south",))).column("income")
        1
        """
        names = self.series or (self.name,)
        if variable is None and len(names) == 1:
            return 0
        if variable is not None and str(variable) in names:
            return names.index(str(variable))
        raise PydpstatError(
            f"variable must be one of those that were released ({', '.join(names[:9])}); got "
            f"{variable!r}. Choose the variable in which the groups are compared."
        )

    def keys_at(self, names: object) -> tuple[int, ...]:
        """Return in which places of a group's levels keys are, given by one name or several; of None no one.

        Examples
        --------
        >>> GroupLabels("mean", rows=(("north", "f"),), keys=("region", "sex")).keys_at("sex")
        (1,)
        """
        found = () if names is None else tuple(names) if isinstance(names, (list, tuple)) else (names,)
        for each in found:
            if each not in self.keys:
                raise PydpstatError(
                    f"within must be of the release's keys ({', '.join(map(str, self.keys))}); got {each!r}. "
                    "Give one of them, or leave within out to compare all groups."
                )
        return tuple(map(self.keys.index, found))

    def in_r(self, value: np.ndarray, missing_level: bool = False) -> object:
        """Return the elements as a named vector of R."""
        plain = Labels(self.name, names=tuple(self.elements(value)))
        return plain.in_r(np.ravel(value, order="F"))

    def drawn(self, values: np.ndarray) -> np.ndarray:
        """Return values as a matrix with a row for each group and a column for each of `series`.

        Of symmetric matrices it has what is on and above the diagonal, of correlations what is above it.
        """
        if values.ndim < 3:
            return values.reshape(values.shape[0], -1)
        return values[:, *np.triu_indices(values.shape[1], self._above)]

    @property
    def series(self) -> tuple[str, ...]:
        """The names of what each group has several of; empty where it has one number."""
        if self.dimnames is None:
            return self._inner()
        names = self.dimnames[0]
        return tuple(f"{names[i]} : {names[j]}" for i, j in zip(*np.triu_indices(len(names), self._above)))

    @property
    def _above(self) -> int:
        return int(self.name == "corr")

    def _elements(self, value: np.ndarray) -> list[tuple[Any, ...]]:
        if value.ndim == 1:
            return list(self.rows)
        inner: list[tuple[Any, ...]] = [(name,) for name in self._inner()]
        if value.ndim == 3:
            first, second = self.dimnames or ((), ())
            inner = [(row, column) for column, row in product(second, first)]
        return [(*row, *each) for each in inner for row in self.rows]

    def _inner(self) -> tuple[str, ...]:
        """Return the names of one group's vector, or of its bins."""
        if self.breaks is None:
            return self.names or ()
        own = Labels(self.name, breaks=self.breaks, left_closed=self.left_closed)
        return tuple(own.elements(np.empty(len(self.breaks) - 1)))

    @staticmethod
    def _index(rows: Any, names: tuple[str, ...]) -> pd.Index:
        import pandas as pd

        shown = [name or None for name in names]
        if len(shown) > 1:
            return pd.MultiIndex.from_tuples(rows, names=shown)
        return pd.Index([row[0] for row in rows], name=shown[0], dtype=object)

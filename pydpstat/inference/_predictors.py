"""Predictors: columns as they are read, and what formulas make of them record by record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Pair, one_column, truths_of
from pydpstat._data.values import fills, missing_values
from pydpstat._release.statistic import Missing
from pydpstat.errors import PydpstatError
from pydpstat.inference._transformations import Expression
from pydpstat.statistics._kernels.levels import PublicLevels, codes_of

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
# columns and their levels' codes, all of which a record must have
Cell = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Predictor:
    """A predictor; all of it is public."""

    column: str
    text: str
    bounds: Pair | None
    levels: tuple[Any, ...] | None
    other: int = 0
    added: bool = False
    absent: tuple[int, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its coefficients."""
        if self.levels is None:
            return (self.text,)
        return tuple(f"{self.text}[T.{self.levels[code]}]" for code in self.kept)

    @property
    def kept(self) -> tuple[int, ...]:
        """The codes of the levels that have a coefficient."""
        return tuple(code for code in range(1, len(self.levels or ())) if code not in self.absent)

    @property
    def known(self) -> tuple[Any, ...]:
        """The levels that values may have."""
        levels = self.levels or ()
        return levels[:-1] if self.added else levels

    def read(self, column: Any, argument: str = "data") -> Array:
        """Return numbers, NaN where one is missing, or codes: -1 where one is, their number for no level."""
        if self.levels is None:
            return floats(column, f"{argument}[{self.column!r}]")
        return codes_of(column, PublicLevels(self.known, False)).astype(np.int64)

    def filled(self, values: Array, missing: Missing) -> Array:
        """Put a public number in the place of missing ones; what is no level counts as `other`."""
        if self.levels is None:
            return filled(values, missing)
        if missing == "error" and bool((values < 0).any()):
            raise missing_values()
        values = np.where(values >= len(self.known), self.other, values)
        return np.where(values < 0, 0, values)

    def checked(self, values: Array) -> Array:
        """Return numbers or codes of which none is missing, and none stands for what is no level."""
        if self.levels is None:
            good = not np.isnan(values).any()
        else:
            good = bool(((values >= 0) & (values < len(self.levels))).all())
        if good:
            return values
        allowed = "numbers" if self.levels is None else f"levels among {checks.excerpt(list(self.levels))}"
        raise PydpstatError(
            f"exog[{self.column!r}] must be {allowed}, none missing; it has other values. Leave out "
            "these records."
        )

    def of(self, columns: Mapping[str, Array]) -> Array:
        """Return the numbers or codes that it has in records, from those of the columns."""
        return columns[self.column]


class Truths(Predictor):
    """A response of truth values: its levels are False and True, which need no declaration."""

    __slots__ = ()

    def read(self, column: Any, argument: str = "data") -> Array:
        """Return 0 and 1, and -1 where a value is missing."""
        try:
            found = one_column(column, argument, truths_of)
        except PydpstatError as error:
            raise no_outcome(self.text, self.column, column) from error
        codes = found.arrays[0].astype(np.int64)
        return codes if found.missing[0] is None else np.where(found.missing[0], -1, codes)


@dataclass(frozen=True, slots=True)
class Derived(Predictor):
    """A predictor that is made of columns: a product of numbers, within one cell of levels or in all records.

    Without numbers it is categorical: its levels are the cells, after what is in none of them.
    """

    numbers: tuple[Expression, ...] = ()
    cells: tuple[Cell, ...] = ()
    shown: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its coefficients."""
        if self.levels is None:
            return () if self.absent else self.shown
        return tuple(self.shown[code - 1] for code in self.kept)

    def of(self, columns: Mapping[str, Array]) -> Array:
        """Return the product, 0 in other cells, or the code of each record's cell."""
        inside = [
            np.logical_and.reduce([columns[name] == code for name, code in cell]) for cell in self.cells
        ]
        if not self.numbers:
            return np.select(inside, list(range(1, len(inside) + 1)), 0).astype(np.int64)
        values = self.numbers[0].values(columns)
        for each in self.numbers[1:]:
            values = values * each.values(columns)
        return np.where(inside[0], values, 0.0) if self.cells else values


def floats(column: Any, name: str) -> Floats:
    """Return a column's numbers; NaN where one is missing."""
    return np.asarray(one_column(column, name).arrays[0], dtype=np.float64)


def clipped(columns: Sequence[Predictor], values: Sequence[npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
    """Return what was read of columns, numbers clipped to their bounds."""
    pairs = zip(columns, values)
    return [found if each.bounds is None else found.clip(*each.bounds) for each, found in pairs]


def filled(values: Floats, missing: Missing) -> Floats:
    """Put a public number in the place of missing ones, or refuse them."""
    gaps = np.isnan(values)
    return np.where(gaps, float(missing), values) if fills(int(gaps.sum()), missing) else values


def no_outcome(shown: str, response: str, column: Any) -> PydpstatError:
    """Return the refusal of a response that is made neither of truth values nor of two levels."""
    kind = f" of type {column.dtype}" if hasattr(column, "dtype") else ""
    return PydpstatError(
        f"{shown}, the response, must be truth values, or have its two levels given, because other "
        f"values do not tell which of them counts as 1; got {type(column).__name__}{kind}. Give "
        f"levels={{{response!r}: [no, yes]}}, with its two values in the places of no and yes: the second "
        "one counts as 1, and any other value as the first. Or make it a condition first, such as age >= 30."
    )


def expanded(predictors: Sequence[Predictor], read: Sequence[npt.NDArray[Any]]) -> Floats:
    """Return a matrix with a constant, the numbers, and an indicator of each level but the reference."""
    size = read[0].size if read else 0
    parts = [np.ones((size, 1))]
    for each, values in zip(predictors, read):
        if each.levels is not None:
            parts.append((values[:, None] == np.array(each.kept, dtype=np.int64)).astype(np.float64))
        elif each.names:
            parts.append(values[:, None].astype(np.float64))
    return np.concatenate(parts, axis=1)

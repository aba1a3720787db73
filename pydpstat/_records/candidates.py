"""Candidates of quantiles: a public grid of points, or the integers within the bounds."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import VariableBounds
from pydpstat._data.containers import is_frame
from pydpstat._data.native import to_public_list
from pydpstat._records.records import Records
from pydpstat.errors import PydpstatError

GRID_POINTS = 2**16 + 1
MAX_GRID_POINTS = 2**24
# largest number of integer candidates by default, and largest bound, up to which floats are exact
_MAX_INTEGER_POINTS, _MAX_INTEGER_BOUND = 2**20, 2.0**53
# smallest number of integers that bounds alone select, for which decimals in the data matter little
_MIN_INTEGER_POINTS = 65


class CandidateGrid(NamedTuple):
    """Public number of equally spaced points from the lower to the upper bound."""

    lower: float
    upper: float
    n_points: int

    @property
    def parameters(self) -> tuple[float, float, int]:
        """Bounds and number of points."""
        return self.lower, self.upper, self.n_points

    @property
    def step(self) -> float:
        """Distance between adjacent points."""
        return (self.upper - self.lower) / (self.n_points - 1)

    @property
    def steps(self) -> tuple[str, ...]:
        """Description of the candidates, if they are integers."""
        if self.step != 1.0 or not self.lower.is_integer():
            return ()
        return (f"chosen from the whole numbers from {self.lower:.0f} to {self.upper:.0f}",)

    def get_point(self, index: int) -> float:
        """Return the point of an index, rounded once."""
        # integers are faster than fractions, and their quotient is correctly rounded
        (a, b), (c, d) = self.lower.as_integer_ratio(), self.upper.as_integer_ratio()
        last = self.n_points - 1
        return (a * d * (last - int(index)) + c * b * int(index)) / (b * d * last)


def check_grid_points(grid_points: object) -> int:
    """Check the argument `grid_points`."""
    allowed = f"a whole number from 2 to {MAX_GRID_POINTS}"
    hint = f"Leave it out for the default, whole numbers or {GRID_POINTS} points."
    return checks.check_integer(grid_points, "grid_points", 2, MAX_GRID_POINTS, allowed=allowed, hint=hint)


def make_grid(bounds: VariableBounds, n_points: int | None) -> CandidateGrid:
    """Return a grid, by default of `GRID_POINTS` points; raise an error for bounds that it cannot divide."""
    lower, upper = bounds
    grid = CandidateGrid(lower, upper, GRID_POINTS if n_points is None else n_points)
    if not 0.0 < (grid.n_points - 1) / (upper - lower) < np.inf:
        raise PydpstatError(
            f"bounds must have a finite width that a grid can divide; got {checks.describe_value(bounds)}. "
            "Rescale the data."
        )
    return grid


def make_integer_grid(bounds: VariableBounds) -> CandidateGrid | None:
    """Return the integers between the bounds; None if a bound is not an integer, or the bounds are too far apart."""
    lower, upper = bounds
    if not (lower.is_integer() and upper.is_integer() and max(-lower, upper) <= _MAX_INTEGER_BOUND):
        return None
    points = int(upper) - int(lower) + 1
    return CandidateGrid(lower, upper, points) if points <= _MAX_INTEGER_POINTS else None


def has_integer_type(x: object, records: Records) -> bool | None:
    """Return whether the type of a variable is integer or Boolean; None for lists and Python objects.

    The result does not depend on records: a type is part of the schema.
    """
    column: Any = x
    if records.table is not None:
        column = records.table.make_empty_chunk().columns[records.layout.variables[0]]
    elif is_frame(x):
        column = x[records.layout.variables[0]] if records.layout.variables else x.iloc[:, 0]
    kind = getattr(column, "dtype", None)
    if kind is None:
        kind = getattr(column, "type", None)
    if kind is None or isinstance(column, (list, tuple)):
        return None
    if hasattr(kind, "is_integer"):
        # data type of Polars
        return bool(kind.is_integer()) or str(kind) == "Boolean"
    letter = getattr(kind, "kind", None)
    if letter is None or str(kind) == "category":
        # data type of Arrow
        return str(kind).startswith(("int", "uint", "bool"))
    return None if letter == "O" else letter in "iub"


def has_integer_bounds(bounds: object, grid: CandidateGrid) -> bool:
    """Return whether bounds are integers that select integer candidates for a variable without a type."""
    limits = to_public_list(bounds, "bounds")
    written = all(isinstance(limit, Integral) and not isinstance(limit, (bool, np.bool_)) for limit in limits)
    return written and grid.n_points >= _MIN_INTEGER_POINTS

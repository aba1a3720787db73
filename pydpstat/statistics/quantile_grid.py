"""What the quantile functions share: their arguments, records on the grid, and the release of grid points."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat import checks
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.queries.order_grid import grid_counts, grid_places, public_share
from pydpstat.queries.truths import missing_values
from pydpstat.random import Source
from pydpstat.release_choice import release_choice
from pydpstat.results.results import DPResults
from pydpstat.statistics.arguments import Options, bounds_pair, check_filling, options
from pydpstat.statistics.data import Columns
from pydpstat.statistics.protect import call, check_budget

GRID_POINTS = 2**16 + 1
MOST_POINTS = 2**24


def checked(
    epsilon: Any, neighbors: Any, missing: Any, bounds: Any, grid_points: Any
) -> tuple[Options, tuple[float, float], int]:
    """Check what all quantiles share."""
    how = options(epsilon, 0, "exponential", neighbors, missing, mechanisms=("exponential",))
    if not isinstance(grid_points, (int, np.integer)) or not 2 <= grid_points <= MOST_POINTS:
        raise PydpstatError(
            f"grid_points must be a whole number from 2 to {MOST_POINTS}; got {checks.shown(grid_points)}. "
            "Leave it out for 65537 points."
        )
    lower, upper = bounds_pair(bounds)
    check_filling(how.missing, [(lower, upper)])
    if not 0.0 < (int(grid_points) - 1) / (upper - lower) < np.inf:
        raise PydpstatError(
            f"bounds must be a finite distance apart that a grid can divide; got {checks.shown(bounds)}. "
            "Rescale the data."
        )
    return how, (lower, upper), int(grid_points)


def share_of(q: Any) -> float:
    """Check a quantile's share, and round it to a multiple of 2^-20."""
    number = checks.unwrap(q)
    if _is_share(number):
        return public_share(float(number))
    raise PydpstatError(
        f"q must be a number from 0 to 1; got {checks.shown(q)}. The median is 0.5. "
        "For several use quantiles()."
    )


def _is_share(number: Any) -> bool:
    return checks.is_number(number) and 0.0 <= checks.as_float(number) <= 1.0


def shares_of(qs: Any) -> list[float]:
    """Check the shares of several quantiles."""
    values = qs.tolist() if hasattr(qs, "tolist") else qs
    if not isinstance(values, (list, tuple)) or not values or not all(map(_is_share, values)):
        raise PydpstatError(
            f"qs must be one or more numbers from 0 to 1, every one; got {checks.shown(qs)}. "
            "Give for example [0.25, 0.5, 0.75]."
        )
    return [public_share(float(q)) for q in values]


def check_size(column: Columns, how: Options) -> None:
    """Check that a public number of records is not 0."""
    if how.bounded and column.size == 0:
        raise PydpstatError("x must have at least one record under bounded neighbors; got none.")


def counts_of(column: Columns, how: Options, lower: float, upper: float, points: int) -> np.ndarray:
    """Count the records at each grid point, missing ones as the options say."""
    counts, gone = grid_counts(column.arrays[0], lower, upper, points)
    if gone and how.missing == "error":
        raise missing_values()
    if gone and how.missing != "drop":
        counts[grid_places(np.array([how.missing]), lower, upper, points)] += gone
    return counts


def complete(column: Columns, how: Options, lower: float, upper: float) -> np.ndarray:
    """Return the values without missing ones, which are treated as the options say."""
    values = column.arrays[0].astype(np.float64, copy=False)
    absent = np.isnan(values)
    if not absent.any():
        return values
    if how.missing == "error":
        raise missing_values()
    return values[~absent] if how.missing == "drop" else np.where(absent, how.missing, values)


def point(lower: float, upper: float, points: int, chosen: int) -> float:
    """Return a grid point, rounded once."""
    # in integers, which are faster than fractions; the quotient is rounded correctly
    (a, b), (c, d) = lower.as_integer_ratio(), upper.as_integer_ratio()
    return (a * d * (points - 1 - int(chosen)) + c * b * int(chosen)) / (b * d * (points - 1))


def released(
    function: str,
    choose: Any,
    how: Options,
    column: Columns,
    bounds: Any,
    grid_points: Any,
    own: tuple[tuple[str, Any], ...],
    source: Source | None,
    budget: Any,
    sensitivity: float,
) -> DPResults:
    """Release a choice among grid points; a vector of them becomes the result's value."""
    lower, upper = bounds_pair(bounds)
    claim = Guarantee(how.epsilon, 0.0, how.neighbors)
    public = (*own, ("bounds", (lower, upper)))
    if grid_points != GRID_POINTS:
        public = (*public, ("grid_points", int(grid_points)))
    return release_choice(
        function,
        choose,
        source,
        draws=0,
        sensitivity=sensitivity,
        claim=claim,
        guarantee=Guarantee(how.epsilon, 0.0, how.neighbors, how.conditions),
        record=call(function, how, ("x",), public),
        bounds=(lower, upper),
        nobs=column.size if how.bounded else None,
        grid=(upper - lower) / (int(grid_points) - 1),
        exactly=choose,
        budget=check_budget(budget),
    )

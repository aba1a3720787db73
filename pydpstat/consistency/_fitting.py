"""Iterative proportional fitting of arrays, and what can be said where it does not converge."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pydpstat.consistency._sums import Margin, expanded, incidence, margin
from pydpstat.errors import PydpstatError

# a linear program of more cells takes minutes, and of fewer so many seconds at most
MOST_CELLS, SECONDS = 10_000, 10.0
# what the linear program's own tolerance may leave of a cell, in shares of the mean cell
_NOTHING = 1e-6


class Fit(NamedTuple):
    """A fitted table.

    Parameters
    ----------
    values : ndarray of float64
    iterations : int
        How often all margins were gone through.
    converged : bool
    """

    values: np.ndarray
    iterations: int
    converged: bool


def fit(values: np.ndarray, margins: list[Margin], tolerance: float, most: int) -> Fit:
    """Scale a table to one margin after the other until it has them all.

    Parameters
    ----------
    values : ndarray of float64
        At least 0, in C order. It is not changed.
    margins : list of Margin
        At least 0; each cell of a margin that is above 0 has a cell of the table above 0.
    tolerance : float
        Largest gap between a margin and the table's, in units of the margin's largest cell.
    most : int
        Most iterations.

    Returns
    -------
    Fit

    Raises
    ------
    PydpstatError
        Where a cell overflows.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.consistency._sums import Margin
    >>> rows = Margin((0,), np.array([3.0, 7.0]), np.asarray(0.0), "rows")
    >>> fit(np.ones((2, 2)), [rows], 1e-10, 10).values
    array([[1.5, 1.5],
           [3.5, 3.5]])
    """
    fitted = values.copy()
    limits = [tolerance * float(each.goal.max(initial=0.0)) for each in margins]
    for iteration in range(1, most + 1):
        near = True
        for each, limit in zip(margins, limits):
            sums = margin(fitted, each.axes)
            near = near and float(np.abs(sums - each.goal).max()) <= limit
            # a sum of 0 has a goal of 0
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                factors = each.goal / np.where(sums > 0.0, sums, 1.0)
                fitted *= expanded(factors, each.axes, fitted.ndim)
        # the sums were taken before the last steps, which only bring the table nearer
        if near and all(gap <= limit for gap, limit in zip(gaps(fitted, margins), limits)):
            return Fit(fitted, iteration, True)
    if not np.isfinite(fitted).all():
        raise PydpstatError("table must have cells above 0 that differ less in size: scaling them overflows.")
    return Fit(fitted, most, False)


def gaps(values: np.ndarray, margins: list[Margin]) -> list[float]:
    """Return for each margin the largest difference between the table's sums and the goal."""
    return [float(np.abs(margin(values, each.axes) - each.goal).max()) for each in margins]


def check_support(values: np.ndarray, margins: list[Margin]) -> None:
    """Check that no goal above 0 is for cells that are all 0."""
    for each in margins:
        empty = int(((margin(values, each.axes) == 0.0) & (each.goal > 0.0)).sum())
        if empty:
            raise PydpstatError(
                f"table must have a cell above 0 wherever {each.name} is above 0; for {empty} of "
                f"{each.goal.size} of its sums all cells are 0, and scaling keeps them at 0. "
                "Put a small number into cells that are not 0 for certain."
            )


def solution(values: np.ndarray, margins: list[Margin]) -> str:
    """Tell which tables with the same zeros have the margins.

    Returns
    -------
    {"inner", "edge", "none", "unknown"}
        Some with no further zeros; only such with further zeros; none; not found out in time.

    Notes
    -----
    A linear program: the largest t such that a table with all its free cells at least t has the
    margins.
    """
    possible = values > 0.0
    for each in margins:
        # where a margin is 0, all of its cells are
        possible = possible & (expanded(each.goal, each.axes, values.ndim) > 0.0)
    free = np.flatnonzero(possible)
    if free.size > MOST_CELLS:
        return "unknown"
    from scipy import sparse
    from scipy.optimize import linprog

    total = float(margins[0].goal.sum())
    if total == 0.0 or not free.size:
        return "inner" if total == 0.0 else "none"
    matrix: Any = incidence(values.shape, [each.axes for each in margins])
    counts = matrix[:, free]
    # the mean free cell is 1; a cell is t plus something not below 0
    goals = np.concatenate([each.goal.ravel() for each in margins]) * (free.size / total)
    level = sparse.csc_matrix(counts.sum(axis=1))
    cost = np.zeros(free.size + 1)
    cost[-1] = -1.0
    found = linprog(
        cost,
        A_eq=sparse.hstack([counts, level]).tocsc(),
        b_eq=goals,
        method="highs",
        options={"time_limit": SECONDS},
    )
    if found.status:
        return "none" if found.status == 2 else "unknown"
    return "inner" if found.x[-1] > _NOTHING else "edge"

"""Least squares to margins with any variances, or no negative cells: Newton steps on the multipliers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pydpstat.consistency._fitting import Fit
from pydpstat.consistency._sums import Margin, expanded, margin
from pydpstat.r_arithmetic._products import inner

# largest gap of the optimality conditions, relative to the sums
_TOLERANCE = 1e-12
_MOST_STEPS = 200


def fit_dual(values: np.ndarray, variance: np.ndarray, margins: list[Margin], nonnegative: bool) -> Fit:
    """Return the table with the least weighted squares.

    Parameters
    ----------
    values, variance : ndarray of float64, of one shape
        The table and the variances of its noise; above 0.
    margins : list of Margin
        Variances of 0 are for exact sums, which the table will have.
    nonnegative : bool
        Whether no cell may be negative.

    Returns
    -------
    Fit
        Not converged where no such table exists.

    Notes
    -----
    With a multiplier for each sum, the table is ``y + v A'l``, cut at 0 on request, and the sums must
    be ``A x + w l = b`` (w the sums' variances). That is the gradient of a convex function of l, which
    is quadratic in pieces: Newton's method with a line search, each step by conjugate gradients.

    References
    ----------
    Qi, L. and Sun, J. (1993). A nonsmooth version of Newton's method. Mathematical Programming 58.
    """
    goals = np.concatenate([each.goal.ravel() for each in margins])
    spread = np.concatenate([np.broadcast_to(each.variance, each.goal.shape).ravel() for each in margins])
    cuts = np.cumsum([each.goal.size for each in margins])[:-1]

    def sums(table: np.ndarray) -> np.ndarray:
        return np.concatenate([margin(table, each.axes).ravel() for each in margins])

    def back(multipliers: np.ndarray) -> np.ndarray:
        table = np.zeros(values.shape)
        for each, part in zip(margins, np.split(multipliers, cuts)):
            table += expanded(part.reshape(each.goal.shape), each.axes, values.ndim)
        return table

    def primal(multipliers: np.ndarray) -> np.ndarray:
        table = values + variance * back(multipliers)
        return np.maximum(table, 0.0) if nonnegative else table

    def height(table: np.ndarray, multipliers: np.ndarray) -> float:
        quadratic = float((table * table / variance).sum() + (spread * multipliers**2).sum())
        return 0.5 * quadratic - inner(goals, multipliers)

    # in the unit of the sums, so that none is met at the cost of another
    scale = np.maximum(np.abs(goals), sums(np.abs(values))).max(initial=0.0) or 1.0
    multipliers = np.zeros(goals.size)
    table = primal(multipliers)
    level = height(table, multipliers)
    for step in range(_MOST_STEPS + 1):
        slope = sums(table) + spread * multipliers - goals
        gap = np.abs(slope).max() / scale
        if gap <= _TOLERANCE or step == _MOST_STEPS:
            break
        moving = variance * (table > 0.0) if nonnegative else variance
        diagonal = sums(moving) + spread
        # keeps the step finite where multipliers do not count, or their cells are all 0
        ridge = 1e-10 * diagonal.mean() if diagonal.any() else 1.0

        def curvature(direction: np.ndarray) -> np.ndarray:
            return sums(moving * back(direction)) + (spread + ridge) * direction

        direction = _conjugate_gradients(curvature, -slope, diagonal + ridge)
        length, descent = 1.0, inner(slope, direction)
        while True:
            ahead = multipliers + length * direction
            there = primal(ahead)
            height_there = height(there, ahead)
            # near the solution the heights no longer tell, so the slopes do
            better = np.abs(sums(there) + spread * ahead - goals).max() < 0.5 * gap * scale
            if better or height_there <= level + 1e-4 * length * descent:
                break
            length *= 0.5
            if length < 1e-10:
                return Fit(table, step, bool(gap <= 1e-9))
        multipliers, table, level = ahead, there, height_there
    return Fit(table, step, bool(gap <= 1e-9))


def _conjugate_gradients(
    apply: Callable[[np.ndarray], np.ndarray], target: np.ndarray, diagonal: np.ndarray
) -> np.ndarray:
    """Solve a positive definite system; the diagonal is used to scale it."""
    solution, rest = np.zeros(target.size), target.copy()
    scaled = rest / diagonal
    direction, power = scaled.copy(), inner(rest, scaled)
    goal = 1e-22 * power
    for _ in range(min(20 * target.size, 2000)):
        if power <= goal:
            break
        image = apply(direction)
        length = power / inner(direction, image)
        solution += length * direction
        rest -= length * image
        scaled = rest / diagonal
        before, power = power, inner(rest, scaled)
        direction = scaled + (power / before) * direction
    return solution

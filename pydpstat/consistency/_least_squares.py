"""Least squares to margins: by the table's effects, without iteration, or by Newton steps on multipliers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from pydpstat.consistency._margins import Axes, Fit, Margin, expanded, margin, margin_of
from pydpstat.r_arithmetic.elementary import inner

# largest gap of the optimality conditions, relative to the sums
_TOLERANCE = 1e-12
_MOST_STEPS = 200
# of the curvature, for a gap of 1: smaller gaps have longer steps
_RIDGE = 0.01


def fit_effects(values: np.ndarray, variance: float, margins: list[Margin]) -> tuple[np.ndarray, float]:
    """Return the least squares table and the variance of each of its cells.

    Each cell's noise has the variance above 0, and each margin one for all its sums, 0 where they are exact.

    Notes
    -----
    A table is the sum of its effects as in an analysis of variance: the mean, the main effects, the
    interactions. They are orthogonal, so with one variance for each margin the problem falls apart
    into one for each effect: the average of what the table and the margins say about it, with the
    precisions as weights, or what the exact ones say. Effects of which no margin speaks stay.

    References
    ----------
    Barak, B. et al. (2007). Privacy, accuracy, and consistency too: a holistic solution to contingency
    table release. PODS 2007 (margins in an orthogonal basis).

    Examples
    --------
    >>> total = Margin((), np.asarray(8.0), np.asarray(0.0), "total")
    >>> fit_effects(np.array([1.0, 3.0]), 1.0, [total])
    (array([3., 5.]), 0.5)
    """
    shape, dimensions = values.shape, values.ndim
    missing = {each.axes: each.goal - margin(values, each.axes) for each in margins}
    # what is added to the cells, collected on the axes of the margins
    added = {each.axes: np.zeros(each.goal.shape) for each in margins}
    left = variance
    for effect in _effects(margins):
        told = [each for each in margins if set(effect) <= set(each.axes)]
        precise = [each for each in told if float(each.variance) == 0.0] or told
        # the precision of a sum over the margin's other axes, in units of the largest one
        variances = [_variance(each, effect, shape) for each in precise]
        unit = min(variances)
        weights = [unit / each for each in variances]
        exact = float(precise[0].variance) == 0.0
        own = 0.0 if exact else unit / (variance * _size(effect, shape))
        spoken = [_centered(margin_of(missing[each.axes], each.axes, effect)) for each in precise]
        weighted = [weight * each for weight, each in zip(weights, spoken)]
        change = np.add.reduce(weighted) / (own + sum(weights))
        home = told[0].axes
        within = tuple(home.index(axis) for axis in effect)
        added[home] += expanded(change / _size(effect, shape), within, len(home))
        gained = variance if exact else variance - unit / ((own + sum(weights)) * _size(effect, shape))
        left -= gained * _freedom(effect, shape) / values.size
    fitted = values.copy()
    for axes, change in added.items():
        fitted += expanded(change, axes, dimensions)
    return fitted, max(left, 0.0)


def _effects(margins: list[Margin]) -> list[Axes]:
    """Return the sets of axes that are part of some margin's, the small ones first."""
    found = {
        subset
        for each in margins
        for size in range(len(each.axes) + 1)
        for subset in combinations(each.axes, size)
    }
    return sorted(found, key=lambda subset: (len(subset), subset))


def _size(axes: Axes, shape: tuple[int, ...]) -> float:
    """Return how many cells of the table go into one sum on these axes."""
    return float(np.prod([length for axis, length in enumerate(shape) if axis not in axes]))


def _freedom(effect: Axes, shape: tuple[int, ...]) -> float:
    """Return the effect's degrees of freedom."""
    return float(np.prod([shape[axis] - 1 for axis in effect]))


def _variance(each: Margin, effect: Axes, shape: tuple[int, ...]) -> float:
    """Return the variance of the margin's sums on the effect's axes; 1 for an exact margin."""
    if float(each.variance) == 0.0:
        return 1.0
    terms = np.prod([shape[axis] for axis in each.axes if axis not in effect])
    return float(each.variance) * float(terms)


def _centered(sums: np.ndarray) -> np.ndarray:
    """Take the means along each axis away."""
    centered = sums
    for axis in range(sums.ndim):
        centered = centered - centered.mean(axis=axis, keepdims=True)
    return centered


def fit_dual(values: np.ndarray, variance: np.ndarray, margins: list[Margin], nonnegative: bool) -> Fit:
    """Return the table with the least weighted squares, not converged where no such table exists.

    The cells' variances are above 0. Sums with the variance 0 are exact: the table will have them.

    Notes
    -----
    With a multiplier for each sum, the table is ``y + v A'l``, clipped at 0 on request, and the sums must
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

    def at(multipliers: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the table that multipliers give, and the function's slope and height there."""
        table = values + variance * back(multipliers)
        table = np.maximum(table, 0.0) if nonnegative else table
        quadratic = float((table * table / variance).sum() + (spread * multipliers**2).sum())
        slope = sums(table) + spread * multipliers - goals
        return table, slope, 0.5 * quadratic - inner(goals, multipliers)

    # in the unit of the sums, so that none is met at the cost of another
    scale = np.maximum(np.abs(goals), sums(np.abs(values))).max(initial=0.0) or 1.0
    multipliers = np.zeros(goals.size)
    table, slope, height = at(multipliers)
    steepest = float((sums(variance) + spread).mean())
    for step in range(_MOST_STEPS + 1):
        gap = np.abs(slope).max() / scale
        if gap <= _TOLERANCE or step == _MOST_STEPS:
            break
        moving = variance * (table > 0.0) if nonnegative else variance
        diagonal = sums(moving) + spread
        # keeps the step finite where multipliers do not count, and short where their cells are all 0
        ridge = max(1e-10, _RIDGE * min(gap, 1.0)) * steepest

        def curvature(direction: np.ndarray) -> np.ndarray:
            return sums(moving * back(direction)) + (spread + ridge) * direction

        direction = _conjugate_gradients(curvature, -slope, diagonal + ridge)
        length, descent = 1.0, inner(slope, direction)
        while True:
            ahead = multipliers + length * direction
            there, slope_there, height_there = at(ahead)
            # near the solution the heights no longer tell, so the slopes do
            better = np.abs(slope_there).max() < 0.5 * gap * scale
            if better or height_there <= height + 1e-4 * length * descent:
                break
            length *= 0.5
            if length < 1e-10:
                return Fit(table, step, bool(gap <= 1e-9))
        multipliers, table, slope, height = ahead, there, slope_there, height_there
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

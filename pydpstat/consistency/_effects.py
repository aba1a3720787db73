"""Least squares to margins with one variance for each of them, by the table's effects: no iteration."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from pydpstat.consistency._sums import Axes, Margin, expanded, margin


def fit_effects(values: np.ndarray, variance: float, margins: list[Margin]) -> tuple[np.ndarray, float]:
    """Return the least squares table and the variance of each of its cells.

    Parameters
    ----------
    values : ndarray of float64
        The table.
    variance : float
        Variance of each cell's noise; above 0.
    margins : list of Margin
        Each with one variance for all its sums, 0 where they are exact.

    Returns
    -------
    fitted : ndarray of float64
    variance : float

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
    >>> import numpy as np
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
        spoken = [_centred(_summed(missing[each.axes], each.axes, effect)) for each in precise]
        weighted = [weight * each for weight, each in zip(weights, spoken)]
        change = np.add.reduce(weighted) / (own + sum(weights))
        home = told[0].axes
        added[home] += expanded(change / _size(effect, shape), _within(effect, home), len(home))
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


def _within(effect: Axes, axes: Axes) -> Axes:
    return tuple(axes.index(axis) for axis in effect)


def _summed(sums: np.ndarray, axes: Axes, effect: Axes) -> np.ndarray:
    return margin(sums, _within(effect, axes))


def _centred(sums: np.ndarray) -> np.ndarray:
    """Take the means along each axis away."""
    centred = sums
    for axis in range(sums.ndim):
        centred = centred - centred.mean(axis=axis, keepdims=True)
    return centred

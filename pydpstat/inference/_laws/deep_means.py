"""The tail of Welch's statistic of equal means, by that of each group's own studentized sum."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pydpstat.inference._laws.noisy_t import Floats, possible, variance_grid
from pydpstat.inference._laws.shapes import SHAPES
from pydpstat.inference._laws.stretched import Quadratic, extreme, mean_above, stretched

# the probability that the true variance of any group is left out
LEFT_OUT = 2e-7
_POWER, _VARIANCES, _THRESHOLDS, _CELLS = 11, 15, 12, 4000
# variances outside of those that the draws show by so many scales of their noise are possible
_MARGIN = 2.0


class Sums(NamedTuple):
    """A group's noisy sum of squares about the common mean, and how its sums' noise is made."""

    n: int
    square: float
    first: Floats
    second: Floats
    spread: float
    floor: float
    law: str


def tail_bound(groups: list[Sums], means: list[float], statistic: float, skewed: bool) -> float:
    """Return an upper bound of the p-value of a statistic, over common means, variances and shapes."""
    top, masses = np.linspace(0.0, statistic, _CELLS + 1), np.ones(1)
    known: dict[tuple[int, float], Floats] = {}
    for group in groups:
        if (like := (group.n, group.square)) not in known:
            known[like] = _envelope(group, means, statistic, skewed, LEFT_OUT / len(groups))
        x = np.square(np.linspace(0.0, math.sqrt(statistic), _THRESHOLDS))
        # the logarithm is nearly linear where records decide, and convex where the noise does
        above = np.exp(np.interp(top, x, np.log(np.maximum(known[like], 1e-300))))
        # what lies in a cell counts at its upper end
        masses = np.convolve(masses, np.append(0.0, above[:-1] - above[1:]))[: _CELLS + 1]
    return min(1.0, LEFT_OUT + 1.0 - float(masses[:_CELLS].sum()))


def _envelope(group: Sums, means: list[float], statistic: float, skewed: bool, left_out: float) -> Floats:
    """Return the largest probabilities of squares from 0 to a statistic, in equal steps of their roots."""
    a, b = group.first, group.second
    place = int(np.abs(a).argmax())
    made = stretched(group.n, group.law, a.size, _POWER)
    noise = np.delete(made.draws.noises, place, axis=0)
    rest, squared = np.delete(a, place) @ noise, np.delete(b, place) @ noise
    last = b[place] * made.draws.noises[place]
    roots = np.linspace(0.0, math.sqrt(statistic), _THRESHOLDS)
    margin = _MARGIN * float(np.linalg.norm(b))
    found = np.zeros(_THRESHOLDS)
    for mean in means:
        grid = variance_grid(1.0 - mean * mean, group.floor, group.n, _VARIANCES)
        flags, forms = np.zeros((2, grid.size), dtype=bool), []
        for index, variance in enumerate(grid.tolist()):
            above, below = [], []
            for shape in SHAPES if variance > 0.0 and skewed else SHAPES[:1]:
                sums, squares = made.sums(group.n, mean, variance, shape)
                squares = squares + squared
                weights = made.weights(shape)
                above.append(mean_above(weights * (squares + last >= group.square - margin)))
                below.append(mean_above(weights * (squares + last <= group.square + margin)))
                first = math.copysign(1.0, a[place]) * (sums + rest)
                form = Quadratic(first, abs(a[place]), squares + group.spread, float(b[place]), 0.0)
                forms.append((index, form, made.weights(shape, place)))
            flags[:, index] = max(above) <= 0.5 * left_out, max(below) <= 0.5 * left_out
        kept = possible(*flags)
        for index, form, weights in forms:
            if kept[index]:
                for step, root in enumerate(roots.tolist()):
                    found[step] = max(found[step], _beyond(group, form, weights, root))
    found[0] = 1.0
    return np.minimum.accumulate(np.minimum(found, 1.0))


def _beyond(group: Sums, form: Quadratic, weights: Floats, root: float) -> float:
    """Return how probable it is that a group's studentized sum has at least this size."""
    # W^2 >= t^2 (Q - W^2 / n + var) where W^2 (1 + t^2 / n) >= t^2 (Q + var)
    lean = root / math.sqrt(1.0 + root * root / group.n)
    low = root * math.sqrt(group.floor + group.spread)
    chance = extreme(form, (1.0, -1.0), lean, low, group.law)
    return mean_above(weights * chance)

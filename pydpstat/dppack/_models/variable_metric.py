"""Nash's variable metric minimizer, with the operations, their order and the stops of R's optim."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pydpstat.dppack._models.formulas import Floats, Mask, dot, sums_of_rows
from pydpstat.errors import PydpstatError

# the square root of the machine epsilon, which R documents as about 1e-8
R_RELTOL = 2.0**-26
_SHRINK, _ACCEPT, _RELATIVE = 0.2, 1e-4, 10.0


class Minimum(NamedTuple):
    """The last accepted point, the objective there, and how often it and its gradient were asked for.

    `convergence` is 0 where the search stopped by itself, 1 at `maxit`.
    """

    par: Floats
    value: float
    counts: tuple[int, int]
    convergence: int


def numeric_gradient(fn: Callable[[Floats], float], step: float = 1e-3) -> Callable[[Floats], Floats]:
    """Return the central differences of a function, as R's optim takes them: `step` to each side.

    >>> numeric_gradient(lambda x: float(x[0] ** 2))(np.array([1.0])).round(9)
    array([2.])
    """

    def gradient(par: Floats) -> Floats:
        point, slopes = par.copy(), np.empty(par.size)
        for i in range(par.size):
            point[i] = par[i] + step
            above = fn(point)
            point[i] = par[i] - step
            below = fn(point)
            slopes[i] = (above - below) / (2.0 * step)
            if not math.isfinite(slopes[i]):
                raise PydpstatError(
                    f"the numeric gradient of the objective is not finite (element {i + 1}); "
                    "give gradients, or a loss that is finite near the optimum."
                )
            point[i] = par[i]
        return slopes

    return gradient


def variable_metric(
    start: Floats,
    fn: Callable[[Floats], float],
    gradient: Callable[[Floats], Floats] | None = None,
    maxit: int = 100,
    reltol: float = R_RELTOL,
) -> Minimum:
    """Minimize a function as R's ``optim(start, fn, gradient, method = "BFGS")``.

    Without a gradient it takes central differences with step 1e-3. At most `maxit` gradients are taken,
    and a relative change of the objective by at most `reltol` counts as none. An objective that is not
    finite at the start is refused, as is a numeric gradient that is not finite.

    Nash, J. C. (1990). Compact numerical methods for computers, 2nd edition, Algorithm 21.

    >>> variable_metric(np.array([3.0]), lambda x: float((x[0] - 1) ** 2)).par.round(6)
    array([1.])
    """
    slope = numeric_gradient(fn) if gradient is None else gradient
    point = np.array(start, dtype=np.float64)
    size = point.size
    value = fn(point)
    if not math.isfinite(value):
        raise PydpstatError(
            "the objective is not finite at the start; remove missing or infinite values, and check bounds."
        )
    best, evaluations, gradients = value, 1, 1
    g = _checked(slope(point), size)
    restarted = gradients
    lower = np.tri(size, dtype=bool)
    while True:
        if restarted == gradients:
            inverse = np.eye(size)
        origin, last_g = point.copy(), g
        step = -sums_of_rows(inverse * g)
        projection = dot(step, g)
        if projection < 0.0:
            length, accepted = 1.0, False
            while True:
                point = origin + length * step
                unchanged = int(np.count_nonzero(_RELATIVE + origin == _RELATIVE + point))
                if unchanged < size:
                    value = fn(point)
                    evaluations += 1
                    accepted = math.isfinite(value) and value <= best + projection * length * _ACCEPT
                    if not accepted:
                        length *= _SHRINK
                if unchanged == size or accepted:
                    break
            if not (value > -math.inf and abs(value - best) > reltol * (abs(best) + reltol)):
                unchanged, best = size, value
            if unchanged < size:
                best = value
                g = _checked(slope(point), size)
                gradients += 1
                taken, change = length * step, g - last_g
                curvature = dot(taken, change)
                if curvature > 0.0:
                    inverse = _update(inverse, taken, change, curvature, lower)
                else:
                    restarted = gradients
            elif restarted < gradients:
                unchanged, restarted = 0, gradients
        else:
            unchanged = size if restarted == gradients else 0
            restarted = gradients
        if gradients >= maxit:
            break
        if gradients - restarted > 2 * size:
            restarted = gradients
        if unchanged == size and restarted == gradients:
            break
    return Minimum(point, best, (evaluations, gradients), int(gradients >= maxit))


def _update(inverse: Floats, taken: Floats, change: Floats, curvature: float, lower: Mask) -> Floats:
    """Return an inverse Hessian that maps the gradient's change to the step taken."""
    image = sums_of_rows(inverse * change)
    factor = 1.0 + dot(image, change) / curvature
    column = taken[:, None]
    grown = inverse + (factor * column * taken - image[:, None] * taken - column * image) / curvature
    # one triangle decides, as the original keeps only one
    return np.where(lower, grown, grown.T)


def _checked(slopes: Floats, size: int) -> Floats:
    slopes = np.asarray(slopes, dtype=np.float64).ravel()
    if slopes.size != size:
        raise PydpstatError(
            f"the gradient must have one element for each of the {size} coefficients; got {slopes.size}."
        )
    return slopes

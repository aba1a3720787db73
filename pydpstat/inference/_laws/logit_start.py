"""Where logistic regression begins, and the lines that noise is saved with: from public numbers alone."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.r_arithmetic.elementary import exp

Floats = npt.NDArray[np.float64]

# slopes whose sizes add up to more are cut for the expansion: probabilities are 0.002 and 0.998 there
FARTHEST = 6.0
_LOGIT_SD = 4.0


def logistic(x: npt.ArrayLike) -> Floats:
    """Return 1 / (1 + exp(-x)) for moderate x."""
    return 1.0 / (1.0 + np.asarray(exp(-np.asarray(x, dtype=np.float64))))


class Line(NamedTuple):
    """What is taken off before noise is added: s(x) - 1/2 is near level + slope x, and s'(x) near weight.

    `apart` and `weight_apart` are how far they are off at most between the ends of what was asked for.
    """

    level: float
    slope: float
    apart: float
    weight: float
    weight_apart: float


def line_for(low: float, high: float) -> Line:
    """Return the line next to s - 1/2 between two points, in the largest distance, and the middle of s'."""
    x = np.linspace(low, high, 257)
    s = logistic(x)
    slope = (s[-1] - s[0]) / (high - low) if high > low else 0.25
    # between the chord's slope and the steepest one; the distance is convex in the slope
    lowest, highest = 0.0, 0.25
    for _ in range(40):
        first, second = lowest + (highest - lowest) / 3.0, highest - (highest - lowest) / 3.0
        if np.ptp(s - first * x) <= np.ptp(s - second * x):
            highest = second
        else:
            lowest = first
    slope = 0.5 * (lowest + highest)
    rest = s - 0.5 - slope * x
    weights = s * (1.0 - s)
    # the points between the grid's are covered by a small surcharge
    apart = 1.01 * 0.5 * float(np.ptp(rest)) + 1e-4
    return Line(
        0.5 * float(rest.max() + rest.min()),
        slope,
        apart,
        0.5 * float(weights.max() + weights.min()),
        1.01 * 0.5 * float(np.ptp(weights)) + 1e-4,
    )


@lru_cache(maxsize=1)
def normal_points() -> tuple[Floats, Floats]:
    """Return points and weights of a standard normal variable."""
    points, weights = np.polynomial.hermite_e.hermegauss(21)
    return frozen(points), frozen(weights / weights.sum())


def lifted(matrix: Floats, least: float) -> Floats:
    """Return a symmetric matrix whose eigenvalues are raised to at least `least`."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return (vectors * np.maximum(values, least)) @ vectors.T


def start(records: int, response: float, mean: Floats, spread: Floats, joint: Floats, ridge: float) -> Floats:
    """Return coefficients that normal predictors with these moments would have."""
    spread = lifted(spread, ridge)
    direction = np.linalg.solve(spread, joint)
    length = math.sqrt(max(float(direction @ spread @ direction), 0.0))
    least = min(0.5, 1.0 / records + 0.1 / math.sqrt(records))
    share = min(max(response, least), 1.0 - least)
    points, weights = normal_points()

    def intercept(sd: float) -> float:
        low, high = -30.0, 30.0
        # a normal variable is near sqrt(2.9) logistic ones
        found = math.log(share / (1.0 - share)) * math.sqrt(1.0 + sd * sd / 2.9)
        for _ in range(60):
            s = logistic(found + sd * points)
            above = float(weights @ s) - share
            low, high = (found, high) if above < 0.0 else (low, found)
            step = above / float(weights @ (s * (1.0 - s)))
            if abs(step) < 1e-12:
                break
            # Newton's step, or to the middle where it leads out
            found = found - step if low < found - step < high else 0.5 * (low + high)
        return found

    low, high = 0.0, _LOGIT_SD / max(length, 1e-12)
    for _ in range(30):
        factor = 0.5 * (low + high)
        s = logistic(intercept(factor * length) + factor * length * points)
        if factor * float(weights @ (s * (1.0 - s))) < 1.0:
            low = factor
        else:
            high = factor
    slopes = low * direction
    return within(np.concatenate([[intercept(low * length) - mean @ slopes], slopes]), mean)


def within(b: Floats, mean: Floats) -> Floats:
    """Return coefficients with slopes that add up to `FARTHEST` at most, and the same log odds at `mean`.

    Where no predictors have log odds from -`FARTHEST` to `FARTHEST`, the intercept is cut, too.
    """
    size = float(np.abs(b[1:]).sum())
    if size > FARTHEST:
        # about the mean: a cut about 0 changes how many ones are expected, where predictors are far from it
        slopes = b[1:] * (FARTHEST / size)
        b = np.concatenate([[b[0] + mean @ (b[1:] - slopes)], slopes])
    most = FARTHEST + min(size, FARTHEST)
    return np.concatenate([np.clip(b[:1], -most, most), b[1:]])

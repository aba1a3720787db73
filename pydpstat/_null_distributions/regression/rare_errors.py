"""Scores of a regression if the response's errors are rare events and few records have a level.

The mean of a response of 0 and 1 with few ones is so near to its lower bound that errors cannot be normal. A
distribution with the standard deviation s whose support begins a distance a below its mean has a skewness of
at least s / a - a / s, which is positive if a < s. The distribution that attains it has two values, one of
them the bound. It is used for the errors here; for a response of two values it is exact. The other value need
not be known, so a bound that is further away does no harm. The same holds for a numeric predictor.

A score adds up errors by the levels of the tested predictor. Given the noisy numbers of records, the number of
rare errors within each level is binomial. It replaces a normal variable of the simulation at the same
probability, together with the sums of products with other predictors and the sum of squares.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.simulation import compute_binomial_quantiles
from pydpstat.r_arithmetic.elementary import Floats

# linear forms of the constant and the predictors, in rows: 1 for the records of a level and 0 for others
Partition = Floats


def find_level_partitions(
    matrix: Floats, numbers: tuple[int, ...], factors: tuple[tuple[int, ...], ...]
) -> tuple[Partition, ...]:
    """Return partitions of the records: the trivial one, by levels of factors, and by numbers near a bound.

    `matrix` has the noisy moments; `numbers` are the indices of predictors between -1 and 1.
    """
    unit, size = np.eye(len(matrix) - 1), max(float(matrix[0, 0]), 1.0)
    found = [unit[:1]]
    for levels in factors:
        own = unit[list(levels[1:])]
        found.append(np.vstack([unit[:1] - own.sum(axis=0), own]))
    for place in numbers:
        for sign in (1.0, -1.0):
            above = size + sign * matrix[0, place]
            squares = size + 2.0 * sign * matrix[0, place] + matrix[place, place]
            if above > 0.0 and 2.0 * above * above < squares * size:
                own = (unit[:1] + sign * unit[place]) / min(squares / above, 2.0)
                found.append(np.vstack([unit[:1] - own, own]))
    return tuple(map(freeze_array, found))


def choose_partition(partitions: tuple[Partition, ...], design: Floats, tested: Floats) -> Partition | None:
    """Return the partition for which the score of a form is the least normal.

    A score adds the means of levels, weighted by the form; the third cumulant of a mean of n errors is that
    of an error divided by n^2.
    """
    most, best = 0.0, None
    for each in partitions:
        numbers = np.maximum(each @ design[0], 0.5)
        third = float((np.abs(each @ tested) ** 3 / numbers**2).sum())
        if third > most:
            most, best = third, each
    return best


class RareErrors(NamedTuple):
    """Errors with two values, one of them at a bound of the response, in units of the bounds."""

    rare_probability: float
    rare_value: float
    usual_value: float

    @classmethod
    def from_moments(cls, mean: float, variance: float) -> RareErrors | None:
        """Return errors with a given variance about a mean between -1 and 1; None if they may be normal."""
        variance = min(variance, 1.0)
        # neither value is outside the bounds
        near = max(1.0 - abs(mean), 1.0 - math.sqrt(1.0 - variance))
        if not 0.0 < near * near < variance:
            return None
        sign = -1.0 if mean > 0.0 else 1.0
        share = near * near / (near * near + variance)
        return cls(share, sign * variance / near, -sign * near)

    def simulate_sums(self, design: Floats, levels: Partition, normal: Floats, sd: float) -> tuple[Floats, Floats]:
        """Return the sums of products of predictors and errors, and of squared errors, in units of `sd`.

        `normal` are the sums for normal errors of each draw, of shape (d, r), with covariance `design`.
        """
        across = levels @ design
        found, squares = normal.copy(), np.zeros(normal.shape[1])
        for number, own, row, sums in zip(
            np.rint(across[:, 0]), np.einsum("cd,cd->c", across, levels), across, levels @ normal
        ):
            if number < 1.0 or own <= 0.0:
                continue
            scores = sums / math.sqrt(own)
            order = np.argsort(scores, kind="stable")
            ordered = scores[order]
            rare = np.empty_like(ordered)
            rare[order] = compute_binomial_quantiles(int(number), self.rare_probability, ndtr(ordered), ordered)
            added = (rare * self.rare_value + (number - rare) * self.usual_value) / sd
            found += np.outer(row / own, added - sums)
            squares += (rare * self.rare_value**2 + (number - rare) * self.usual_value**2) / (sd * sd)
        return found, squares

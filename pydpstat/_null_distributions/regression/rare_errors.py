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
    partitions = [unit[:1]]
    for levels in factors:
        indicators = unit[list(levels[1:])]
        partitions.append(np.vstack([unit[:1] - indicators.sum(axis=0), indicators]))
    for index in numbers:
        for sign in (1.0, -1.0):
            above = size + sign * matrix[0, index]
            squares = size + 2.0 * sign * matrix[0, index] + matrix[index, index]
            if above > 0.0 and 2.0 * above * above < squares * size:
                indicators = (unit[:1] + sign * unit[index]) / min(squares / above, 2.0)
                partitions.append(np.vstack([unit[:1] - indicators, indicators]))
    return tuple(map(freeze_array, partitions))


def choose_partition(partitions: tuple[Partition, ...], design: Floats, tested: Floats) -> Partition | None:
    """Return the partition for which the score of a form is the least normal.

    A score adds the means of levels, weighted by the form; the third cumulant of a mean of n errors is that
    of an error divided by n^2.
    """
    max_third, best = 0.0, None
    for partition in partitions:
        numbers = np.maximum(partition @ design[0], 0.5)
        third_moment = float((np.abs(partition @ tested) ** 3 / numbers**2).sum())
        if third_moment > max_third:
            max_third, best = third_moment, partition
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
        usual_distance = max(1.0 - abs(mean), 1.0 - math.sqrt(1.0 - variance))
        if not 0.0 < usual_distance * usual_distance < variance:
            return None
        sign = -1.0 if mean > 0.0 else 1.0
        share = usual_distance * usual_distance / (usual_distance * usual_distance + variance)
        return cls(share, sign * variance / usual_distance, -sign * usual_distance)

    def simulate_sums(self, design: Floats, levels: Partition, normal: Floats, sd: float) -> tuple[Floats, Floats]:
        """Return the sums of products of predictors and errors, and of squared errors, in units of `sd`.

        `normal` are the sums for normal errors of each draw, of shape (d, r), with covariance `design`.
        """
        products = levels @ design
        score_sums, squares = normal.copy(), np.zeros(normal.shape[1])
        for number, squared_norm, row, sums in zip(
            np.rint(products[:, 0]), np.einsum("cd,cd->c", products, levels), products, levels @ normal
        ):
            if number < 1.0 or squared_norm <= 0.0:
                continue
            scores = sums / math.sqrt(squared_norm)
            order = np.argsort(scores, kind="stable")
            ordered_scores = scores[order]
            rare_counts = np.empty_like(ordered_scores)
            rare_counts[order] = compute_binomial_quantiles(
                int(number), self.rare_probability, ndtr(ordered_scores), ordered_scores
            )
            added = (rare_counts * self.rare_value + (number - rare_counts) * self.usual_value) / sd
            score_sums += np.outer(row / squared_norm, added - sums)
            squares += (rare_counts * self.rare_value**2 + (number - rare_counts) * self.usual_value**2) / (sd * sd)
        return score_sums, squares

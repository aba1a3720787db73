"""Sums of records whose law has a given mean and variance, for the three shapes that bounds allow at most.

Records lie in [-1, 1]. *Normal* is the symmetric shape of large samples. *Up* has the values 1 and one below
the mean: among all laws on the interval with this mean and variance it is the most skewed one, extremal in
Bennett's inequality. *Down* is its mirror image. For records of two values, up or down is exact.

Bennett, G. (1962). Probability inequalities for the sum of independent random variables. Journal of the
American Statistical Association 57, 33-45.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.binomial_quantiles import binomial_quantiles
from pydpstat.inference._laws.reference import Reference

Floats = npt.NDArray[np.float64]
NORMAL, UP, DOWN = 0, 1, 2
SHAPES = (NORMAL, UP, DOWN)


def centered_sums(
    draws: Reference, n: int, mean: float, variance: float, shape: int
) -> tuple[Floats, Floats]:
    """Return the sums of n records about their mean, and of the squares of these distances, at the draws.

    Examples
    --------
    >>> from pydpstat.inference._laws.reference import reference
    >>> sums, squares = centered_sums(reference(50, "laplace", 2), 50, 0.2, 0.1, UP)
    >>> abs(float(sums.mean())) < 0.01, abs(float(squares.mean()) - 5.0) < 0.01
    (True, True)
    """
    if shape == NORMAL or variance <= 0.0:
        squares = variance * (draws.normal * draws.normal + draws.chi2)
        return np.sqrt(n * variance) * draws.normal, squares
    far = 1.0 - mean if shape == UP else 1.0 + mean
    near = variance / far
    ordered = binomial_quantiles(n, variance / (variance + far * far), draws.shares, draws.scores)
    count = np.empty_like(ordered)
    count[draws.order] = ordered
    sums = count * (far + near) - n * near
    squares = count * (far * far - near * near) + n * near * near
    return (sums if shape == UP else -sums), squares

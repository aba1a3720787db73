"""Means, covariances and their gradients from noisy sums of weights that add up to 1 for each record.

The weights are Bernstein polynomials of records in [-1, 1] (`pydpstat._records.partition`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pydpstat._frozen import freeze_array

# coefficients of 1, z, z^2 in the weights
LINE_BASIS = freeze_array([[1.0, 1.0], [-1.0, 1.0]])
PARABOLA_BASIS = freeze_array([[1.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 1.0]])
# coefficients of 1, z1, z2, z1 z2 in the weights of the four corners
CORNER_BASIS = freeze_array(
    [[1.0, 1.0, 1.0, 1.0], [-1.0, -1.0, 1.0, 1.0], [-1.0, 1.0, -1.0, 1.0], [1.0, -1.0, -1.0, 1.0]]
)
# coefficients of 1, z1, z2, z1 z2, z1^2, z2^2 in the nine products of two variables' weights
PRODUCT_BASIS = freeze_array(
    [np.kron(PARABOLA_BASIS[i], PARABOLA_BASIS[j]) for i, j in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2))]
)


class NoisyMoments(NamedTuple):
    """Public means of functions of z, from noisy sums of weights, with their gradients.

    For sums of shape (..., weights), `means` are of shape (..., functions), and `gradients`, with respect to
    the sums, of shape (..., functions, weights). `growth` is n / (n - 1), with n the noisy number of records.
    """

    means: np.ndarray
    gradients: np.ndarray
    growth: np.ndarray

    def split_rows(self) -> list[NoisyMoments]:
        """Return a list with the moments of each row of sums."""
        return [NoisyMoments(*row) for row in zip(*self)]


def compute_moments(noisy_sums: np.ndarray, basis: np.ndarray) -> NoisyMoments:
    """Return the means of the basis functions; means are 0 and gradients NaN if the noisy size is at most 1."""
    # contiguous last axis, so that the sum of a row does not depend on other rows
    noisy_sums = np.ascontiguousarray(noisy_sums)
    size = noisy_sums.sum(axis=-1)
    is_informative = size > 1.0
    size = np.where(is_informative, size, 2.0)
    means = (basis * noisy_sums[..., None, :]).sum(axis=-1) / size[..., None]
    means = np.where(is_informative[..., None], means, 0.0)
    gradients = (basis - means[..., None]) / size[..., None, None]
    gradients = np.where(is_informative[..., None, None], gradients, np.nan)
    return NoisyMoments(means, gradients, np.where(is_informative, size / (size - 1.0), 1.0))


def compute_covariance(
    noisy_moments: NoisyMoments, first: int, second: int, product: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return a covariance with divisor n - 1, and its gradient; arguments are the functions' indices."""
    means, gradients = np.moveaxis(noisy_moments.means, -1, 0), np.moveaxis(noisy_moments.gradients, -2, 0)
    value = means[product] - means[first] * means[second]
    slope = gradients[product] - means[first][..., None] * gradients[second]
    slope = slope - means[second][..., None] * gradients[first]
    return value * noisy_moments.growth, slope * noisy_moments.growth[..., None]


def compute_row_norms(gradients: np.ndarray) -> np.ndarray:
    """Return the Euclidean norm of each row."""
    return np.sqrt((gradients * gradients).sum(axis=-1))

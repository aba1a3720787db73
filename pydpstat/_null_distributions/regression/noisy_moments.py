"""Noisy moments of a regression: positions of released numbers in the matrix, and their noise in quadratic forms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix
from scipy.special import ndtri

from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._null_distributions.simulation import MIN_TAIL_DEGREES, PVALUE_FLOOR
from pydpstat.mechanisms._noise import draw_sobol_points
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.r_arithmetic.elementary import Floats

# number of simulated releases for each nuisance point, for matrices below a width and wider ones
SIMULATED_RELEASES, WIDE_MATRIX, WIDE_MATRIX_RELEASES = 4096, 9, 2048


# a linear form of v: pairs of index and coefficient
LinearForm = tuple[tuple[int, float], ...]


class LinearForms(NamedTuple):
    """Linear forms of v."""

    rows: tuple[LinearForm, ...]

    @classmethod
    def from_indices(cls, indices: Sequence[int], weight: float = 1.0) -> LinearForms:
        """Return the elements of v at these indices, times a weight."""
        return cls(tuple(((index, weight),) for index in indices))

    def compute_values(self, v: Floats) -> Floats:
        """Return the forms of vectors along the next-to-last axis, as a view if possible."""
        columns, matrix, _ = _make_form_matrices(self, v.shape[-2])
        return np.matmul(matrix, v) if columns is None else v[..., columns, :]

    def reduce_values(self, v: Floats) -> Floats:
        """Return vectors of reduced length with the same scalar products as the forms' values."""
        columns, _, root = _make_form_matrices(self, v.shape[-2])
        return np.matmul(root, v) if columns is None else v[..., columns, :]


@lru_cache(maxsize=64)
def _make_form_matrices(forms: LinearForms, width: int) -> tuple[slice | None, Floats, Floats]:
    """Return the slice of successive elements that the forms are, or None, their matrix, and its triangular factor."""
    matrix = np.zeros((len(forms.rows), width))
    for row, form in zip(matrix, forms.rows):
        for index, weight in form:
            row[index] += weight
    first = forms.rows[0][0][0] if forms.rows[0] else 0
    last = first + len(forms.rows)
    columns = slice(first, last) if np.array_equal(matrix, np.eye(width)[first:last]) else None
    return columns, freeze_array(matrix), freeze_array(np.linalg.qr(matrix, mode="r"))


class MomentBlock(NamedTuple):
    """Released numbers of one kind: each adds itself times l r' + r l' to the matrix, for forms l and r."""

    kind: str
    left: LinearForms
    right: LinearForms

    def iterate_pairs(self) -> Iterator[tuple[int, int]]:
        """Return the pairs of indices of forms, in the order of the released numbers."""
        left_indices, right_indices = range(len(self.left.rows)), range(len(self.right.rows))
        if self.kind == "within":
            return combinations(left_indices, 2)
        return product(left_indices, right_indices) if self.kind == "across" else zip(left_indices, right_indices)

    @property
    def size(self) -> int:
        """Number of released values."""
        return sum(1 for _ in self.iterate_pairs())

    @property
    def _right_multiple(self) -> float:
        """Ratio of a right form to its left form, for blocks of proportional forms."""
        pairs = zip(self.left.rows, self.right.rows)
        return next((right[0][1] / left[0][1] for left, right in pairs if left), 0.0)

    def sum_squared_forms(self, a: Floats, v: Floats) -> Floats:
        """Return the sum over the numbers of (a'l r'v + a'r l'v)^2, for vectors along the next-to-last axis."""
        if self.kind == "across":
            first, second, third, fourth = (forms.reduce_values(x) for forms in (self.left, self.right) for x in (a, v))
            sum_of_squares = _sum_products(first, first) * _sum_products(fourth, fourth) + _sum_products(
                third, third
            ) * _sum_products(second, second)
            return sum_of_squares + 2.0 * _sum_products(first, second) * _sum_products(third, fourth)
        if self.kind == "paired":
            completed, constant_weight = _compute_completed_square(self)
            products = completed.compute_values(a) * completed.compute_values(v)
            products -= constant_weight * a[..., :1, :] * v[..., :1, :]
            return _sum_products(products, products)
        first, second = self.left.compute_values(a), self.left.compute_values(v)
        products = first * second
        if self.kind == "own":
            return (2.0 * self._right_multiple) ** 2 * _sum_products(products, products)
        completed = _sum_products(first, first) * _sum_products(second, second) + products.sum(axis=-2) ** 2
        return completed - 2.0 * _sum_products(products, products)


@lru_cache(maxsize=64)
def _compute_completed_square(block: MomentBlock) -> tuple[LinearForms, float]:
    """Return forms f and a number w such that pairs with the constant c add f f' - w c c'.

    With r = l / 2 + k c these are f = l + k c and w = k^2.
    """
    left_forms = [dict(form) for form in block.left.rows]
    addition = dict(block.right.rows[0])[0] - 0.5 * left_forms[0].get(0, 0.0)
    rows = (tuple({**form, 0: form.get(0, 0.0) + addition}.items()) for form in left_forms)
    return LinearForms(tuple(rows)), addition * addition


def _sum_products(one: Floats, other: Floats) -> Floats:
    return np.einsum("...ir,...ir->...r", one, other)


@lru_cache(maxsize=64)
def make_matrix_map(blocks: tuple[MomentBlock, ...], width: int) -> csr_matrix:
    """Return the sparse map from released numbers to elements of the matrix, of shape (numbers, width * width)."""
    entries: list[tuple[int, int, float]] = []
    number = 0
    for block in blocks:
        for i, j in block.iterate_pairs():
            for p, left_weight in block.left.rows[i]:
                for q, right_weight in block.right.rows[j]:
                    entries += [
                        (number, p * width + q, left_weight * right_weight),
                        (number, q * width + p, left_weight * right_weight),
                    ]
            number += 1
    rows, columns, values = zip(*entries)
    matrix = coo_matrix((values, (rows, columns)), shape=(number, width * width)).tocsr()
    for name in ("data", "indices", "indptr"):
        setattr(matrix, name, freeze_array(getattr(matrix, name)))
    return matrix


def make_moment_matrix(released: Floats, blocks: tuple[MomentBlock, ...], width: int) -> Floats:
    """Return the matrix of released numbers, or the matrices of several releases along a second axis."""
    matrix: Floats = make_matrix_map(blocks, width).T @ released
    return matrix.reshape(width, width, *released.shape[1:])


class SparsePredictor(NamedTuple):
    """Predictor with one usual value outside a level; `is_indicator` marks the indicator of the level."""

    predictor: int
    usual_value: float = 0.0
    is_indicator: bool = True


# smallest pivots, in standard deviations of their noise: for indicators, numbers within a level, and others
_INDICATOR_PIVOT, _WITHIN_LEVEL_PIVOT, _OTHER_PIVOT = 1.0, 2.0, 0.5


@dataclass(frozen=True, eq=False)
class NoisyMoments(ReadOnlyArrays):
    """Noisy moments and the distribution of their noise; all of it is public."""

    matrix: Floats
    blocks: tuple[MomentBlock, ...]
    noise: Noise
    origin: Floats
    sampling: Floats | None = None
    excluded: float = 0.0
    partitions: tuple[Floats, ...] = ()
    sparse_predictors: tuple[SparsePredictor, ...] = ()

    @property
    def size(self) -> int:
        """Number of records, or the noisy one if it is private; at least 1."""
        return max(round(float(self.matrix[0, 0])), 1)

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the residuals; at least 1."""
        return max(self.size - len(self.matrix) + 1, 1)

    @property
    def pvalue_floor(self) -> float:
        """Smallest possible p-value."""
        return self.excluded + (PVALUE_FLOOR if self.has_tail else 1.0 / (_count_draws(len(self.matrix) - 1) + 1))

    @property
    def has_tail(self) -> bool:
        """Whether there are enough records for p-values smaller than those of simulated releases."""
        return self.degrees >= MIN_TAIL_DEGREES

    @cached_property
    def variances(self) -> tuple[float, ...]:
        """Noise variance of the released numbers in each block."""
        sizes = [block.size for block in self.blocks]
        element_variances = np.broadcast_to(np.square(self.noise.std()), (sum(sizes),))
        return tuple(
            float(block_variances.mean()) for block_variances in np.split(element_variances, np.cumsum(sizes)[:-1])
        )

    def compute_noise_sd(self, a: Floats, v: Floats) -> Floats:
        """Return the standard deviation of a' E v for the noise E, for vectors along the next-to-last axis."""
        block_terms = [variance * block.sum_squared_forms(a, v) for variance, block in zip(self.variances, self.blocks)]
        # rounding can make a variance of 0 negative
        return np.sqrt(np.maximum(sum(block_terms[1:], block_terms[0]), 0.0))

    @cached_property
    def response_noise_sd(self) -> float:
        """Standard deviation of the noise of the response's sum of squares."""
        unit = np.eye(len(self.matrix))[-1:].T
        return float(self.compute_noise_sd(unit, unit)[0])

    @cached_property
    def pivot_floors(self) -> Floats:
        """Lower limits of the pivots of the predictors' matrix, proportional to the standard deviation of their noise.

        For sparse predictors, whose level may have no records, they are higher, and proportional to the noise
        of squares about the usual value: lower ones would let the noise of an empty level, divided by almost
        0, enter all other coefficients. Higher ones would merge a level of a few records with others, and
        bias them.
        """
        units, shares = np.eye(len(self.matrix))[:-1, :, None], np.full(len(self.matrix) - 1, _OTHER_PIVOT)
        for index, usual, indicator in self.sparse_predictors:
            units[index, 0] -= usual
            shares[index] = _INDICATOR_PIVOT if indicator else _WITHIN_LEVEL_PIVOT
        return freeze_array(shares * self.compute_noise_sd(units, units)[:, 0])

    @property
    def draws(self) -> MomentDraws:
        """Reference draws."""
        return _draw_moments(self.blocks, self.noise, len(self.matrix))


class MomentDraws(NamedTuple):
    """Reference draws with a fixed seed, so that results are reproducible; they do not protect data."""

    scores: Floats
    chi_square_scores: Floats
    noise: Floats

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return len(self.chi_square_scores)

    def simulate_square_sums(self, size: int) -> Floats:
        """Return sums of squares of `size` normal errors, consistent with their scores."""
        degrees = max(size - self.scores.shape[1], 0)
        # Wilson-Hilferty approximation of chi-square, with an error below that of the draws
        wilson_term = 2.0 / (9.0 * max(degrees, 1))
        chi = degrees * np.maximum(1.0 - wilson_term + self.chi_square_scores * math.sqrt(wilson_term), 0.0) ** 3
        return np.einsum("rd,rd->r", self.scores, self.scores) + chi


@lru_cache(maxsize=4)
def _draw_moments(blocks: tuple[MomentBlock, ...], noise: Noise, width: int) -> MomentDraws:
    numbers = sum(block.size for block in blocks)
    scores, chi_square_scores, noises = draw_moment_reference(width - 1, numbers, noise)
    return MomentDraws(
        freeze_array(scores), freeze_array(chi_square_scores), freeze_array(make_moment_matrix(noises.T, blocks, width))
    )


def _count_draws(width: int) -> int:
    return SIMULATED_RELEASES if width < WIDE_MATRIX else WIDE_MATRIX_RELEASES


def draw_moment_reference(width: int, numbers: int, noise: Noise) -> tuple[Floats, Floats, Floats]:
    """Return normal variables for the scores and for a chi-square, and noise of the released numbers.

    They are scrambled Sobol points, whose relative frequencies are more accurate than those of independent draws.
    """
    count = _count_draws(width)
    joint = getattr(noise, "sample", None)
    points = draw_sobol_points(count, width + 1 + numbers * (joint is None))
    normal, chances = ndtri(points[:, : width + 1]), points[:, width + 1 :]
    noises = noise.ppf(chances) if joint is None else joint(count)
    return normal[:, :width], normal[:, width], np.asarray(noises)

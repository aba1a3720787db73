"""The score test of a regression coefficient from noisy moments, and the interval that it gives.

Everything is in the unit of the moments. A matrix of moments has the order (1, predictors, response); it is
the sum over the records of v v' for v = (1, x, y), plus noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.special import ndtri

from pydpstat._frozen import Frozen, frozen

Floats = npt.NDArray[np.float64]

# simulated releases for each nuisance point, and points beside the estimate (an even number)
DRAWS = 2048
POINTS = 8
SEED = 20_240_117
# the smallest p-value
PVALUE_FLOOR = 1.0 / (DRAWS + 1)


@dataclass(frozen=True, eq=False)
class NoisyMoments(Frozen):
    """Noisy moments and the law of their noise; nothing private.

    Parameters
    ----------
    matrix : ndarray of shape (d, d)
        The noisy matrix, symmetric; its first element is the number of records, without noise.
    patterns : ndarray of shape (m, d, d)
        Where each of the m released numbers enters: the noise is ``sum(noise[k] * patterns[k])``.
    scale : float
        That of each released number's noise: Laplace's scale, or the normal standard deviation.
    gaussian : bool
        Whether the noise is normal, and not Laplace's.
    """

    matrix: Floats
    patterns: Floats
    scale: float
    gaussian: bool

    @property
    def size(self) -> int:
        """Number of records."""
        return round(float(self.matrix[0, 0]))

    @property
    def sd(self) -> float:
        """Standard deviation of each released number's noise."""
        return self.scale if self.gaussian else math.sqrt(2.0) * self.scale

    @property
    def reference(self) -> tuple[csr_matrix, Floats]:
        """The patterns as rows, mostly of zeros, and the matrices of the noise of the reference."""
        return _reference(self.patterns.tobytes(), self.matrix.shape[0], self.gaussian)

    def moved(self, by: Floats) -> NoisyMoments:
        """Return the moments of (1, x + by, y)."""
        turn = np.eye(self.matrix.shape[0])
        turn[1:-1, 0] = by
        return replace(self, matrix=turn @ self.matrix @ turn.T, patterns=turn @ self.patterns @ turn.T)


@dataclass(frozen=True, eq=False)
class Score:
    """Scores of one coefficient's hypothesis, and the estimates under it, an element or a row a release.

    The statistic is the value divided by its standard error. `left` is what the other predictors leave of
    this one, in standard deviations of its noise.
    """

    value: Floats
    error: Floats
    coefficients: Floats
    variance: Floats
    left: Floats

    @property
    def statistic(self) -> Floats:
        """The studentized scores."""
        return self.value / self.error


@lru_cache(maxsize=16)
def reference_draws(width: int, numbers: int, gaussian: bool) -> tuple[Floats, Floats, Floats]:
    """Return normal numbers for the scores, for a chi-square, and unit noise of the released numbers.

    They are scrambled Sobol points, whose shares are nearer to probabilities than those of independent draws.
    They are the same in every call, so that results repeat, and they protect nobody.
    """
    from scipy.stats import qmc

    points = qmc.Sobol(width + 1 + numbers, seed=SEED).random(DRAWS).clip(1e-12, 1.0 - 1e-12)
    normal, chances = ndtri(points[:, : width + 1]), points[:, width + 1 :]
    scores, rest = normal[:, :width].copy(), normal[:, width].copy()
    tail = np.minimum(chances, 1.0 - chances)
    noise = ndtri(chances) if gaussian else np.sign(0.5 - chances) * np.log(2.0 * tail)
    return frozen(scores), frozen(rest), frozen(noise)


@lru_cache(maxsize=16)
def _reference(patterns: bytes, width: int, gaussian: bool) -> tuple[csr_matrix, Floats]:
    rows = np.frombuffer(patterns).reshape(-1, width * width)
    cells, unit = csr_matrix(rows), reference_draws(width - 1, len(rows), gaussian)[2]
    noise = np.asarray(cells.T @ unit.T).reshape(width, width, -1)
    for name in ("data", "indices", "indptr"):
        setattr(cells, name, frozen(getattr(cells, name)))
    return cells, frozen(noise)


def score(matrices: Floats, noisy: NoisyMoments, place: int, null: float) -> Score:
    """Return the studentized scores of ``coefficient[place] = null`` for matrices of shape (d, d, r).

    With N the constant and the other predictors, theta = A_NN^-1 (A_Ny - A_Nj null) and gamma = A_NN^-1 A_Nj,
    where pivots of A_NN below the noise's standard deviation are moved up to it. The score is a' A v for
    a = e_j - gamma and v = e_y - null e_j - theta. Its variance is that of the sample plus that of the noise,
    and neither of the two factors of the former is below the standard deviation of its own noise.
    """
    width = len(matrices) - 1
    others = [each for each in range(width) if each != place]
    wide = matrices[others]
    right = np.stack([wide[:, width] - null * wide[:, place], wide[:, place]], axis=1)
    solved = _solved(wide[:, others], right, noisy.sd)
    a, v = np.zeros((2, *matrices.shape[1:]))
    a[place], v[width], v[place] = 1.0, 1.0, -null
    a[others], v[others] = -solved[:, 1], -solved[:, 0]
    cross, own, rest = (_form(matrices, noisy.reference[0], *pair) for pair in ((a, v), (a, a), (v, v)))
    spread = [noisy.sd * np.sqrt(each) for _, each in (cross, own, rest)]
    variance = np.maximum(rest[0], spread[2]) / noisy.size
    sampling = variance * np.maximum(own[0], spread[1])
    error = np.sqrt(sampling + spread[0] ** 2)
    return Score(cross[0], error, -v[:width].T, variance, own[0] / spread[1])


def _solved(blocks: Floats, right: Floats, floor: float) -> Floats:
    """Return the solutions of symmetric systems by elimination, whose pivots are moved up to a floor.

    Elimination step by step for all of them at once is many times faster than their eigenvalues. Systems are
    along the last axis, so that each step goes over memory that is in one piece.
    """
    size = len(blocks)
    work = np.concatenate([blocks, right], axis=1)
    for k in range(size):
        row = work[k, k + 1 :] / np.maximum(work[k, k], floor)
        work[k + 1 :, k + 1 :] -= work[k, k + 1 : size, None] * row
        work[k, k + 1 :] = row
    found = work[:, size:]
    for k in range(size - 2, -1, -1):
        found[k] -= np.einsum("jr,jcr->cr", work[k, k + 1 : size], found[k + 1 :])
    return found


def _form(matrices: Floats, cells: csr_matrix, left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Return left' A right, and the sum of squares of what unit noise of each number adds to it."""
    outer = left[:, None] * right
    added = cells @ outer.reshape(-1, outer.shape[2])
    return np.einsum("ijr,ijr->r", matrices, outer), np.einsum("kr,kr->r", added, added)


def _releases(noisy: NoisyMoments, design: Floats, coefficients: Floats, variance: float) -> Floats:
    """Return simulated noisy matrices for a fixed design and normal errors."""
    width = design.shape[0]
    scores, rest, _ = reference_draws(width, noisy.patterns.shape[0], noisy.gaussian)
    free = max(noisy.size - width, 0)
    # Wilson and Hilferty's cube is chi-square to within the error of the draws
    part = 2.0 / (9.0 * max(free, 1))
    chi = free * np.maximum(1.0 - part + rest * math.sqrt(part), 0.0) ** 3
    noise = math.sqrt(variance) * (_root(design) @ scores.T)
    matrices = noisy.scale * noisy.reference[1]
    fitted = design @ coefficients
    matrices[:width, :width] += design[:, :, None]
    matrices[:width, width] += fitted[:, None] + noise
    matrices[width, :width] += fitted[:, None] + noise
    squares = coefficients @ fitted + 2.0 * coefficients @ noise
    matrices[width, width] += squares + variance * ((scores**2).sum(axis=1) + chi)
    return matrices


def _root(design: Floats) -> Floats:
    values, vectors = np.linalg.eigh(design)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def _design(matrix: Floats) -> Floats:
    """Return the nearest matrix of moments of the constant and the predictors, its number of records kept."""
    values, vectors = np.linalg.eigh(matrix)
    whole = (vectors * np.maximum(values, 0.0)) @ vectors.T
    factor = np.ones(len(matrix))
    factor[0] = math.sqrt(matrix[0, 0] / whole[0, 0])
    return whole * factor * factor[:, None]


@np.errstate(over="ignore", invalid="ignore")
def pvalue(noisy: NoisyMoments, place: int, null: float, enough: float = 1.0) -> tuple[float, float]:
    """Return the statistic and the p-value of a coefficient's hypothesis, two-sided.

    The reference is simulated at the estimate, at estimates of half of `POINTS` simulated releases and at
    their mirror images about the estimate; the p-value is the largest. It is 1 where the noise hides all
    that the other predictors leave of this one. A p-value above `enough` is only known to be at least what
    is returned.
    """
    width = noisy.matrix.shape[0] - 1
    observed = score(noisy.matrix[:, :, None], noisy, place, null)
    statistic = float(observed.statistic[0])
    if observed.left[0] <= 0.0:
        return statistic, 1.0
    center = _design(noisy.matrix[:width, :width]), observed.coefficients[0], float(observed.variance[0])
    first = _releases(noisy, *center)
    at = score(first, noisy, place, null)
    largest = _share(at.statistic, abs(statistic))
    for k in range(POINTS // 2):
        if largest > enough:
            break
        near = _design(first[:width, :width, k]), at.coefficients[k], float(at.variance[k])
        far = (
            _design(2.0 * center[0] - near[0]),
            2.0 * center[1] - near[1],
            max(2.0 * center[2] - near[2], 0.0),
        )
        for point in (near, far):
            found = score(_releases(noisy, *point), noisy, place, null).statistic
            largest = max(largest, _share(found, abs(statistic)))
    return statistic, largest


def _share(statistics: Floats, size: float) -> float:
    # what overflows counts as large
    return (1 + int(np.count_nonzero(~(np.abs(statistics) < size)))) / (statistics.size + 1)


def coefficients(noisy: NoisyMoments) -> tuple[Floats, float, float]:
    """Return least squares' coefficients, the errors' sum of squares and the response's about its mean.

    Pivots of the predictors' matrix below the noise's standard deviation are moved up to it.
    """
    width = noisy.matrix.shape[0] - 1
    block, right = noisy.matrix[:width, :width], noisy.matrix[:width, width:]
    found = _solved(block[:, :, None], right[:, :, None], noisy.sd)[:, 0, 0]
    v = np.append(-found, 1.0)
    whole = float(noisy.matrix[width, width] - noisy.matrix[0, width] ** 2 / noisy.size)
    return found, float(v @ noisy.matrix @ v), whole


@np.errstate(over="ignore", invalid="ignore")
def root(noisy: NoisyMoments, place: int) -> tuple[float, float, float]:
    """Return where a coefficient's score is 0, the standard error, and what is left of the predictor.

    The score is linear in the coefficient. Where it does not fall, they are 0 and infinity; what is left is
    in standard deviations of its noise.
    """
    first, second = (score(noisy.matrix[:, :, None], noisy, place, null) for null in (0.0, 1.0))
    slope, left = float(first.value[0] - second.value[0]), float(first.left[0])
    if left <= 0.0 or slope <= 0.0:
        return 0.0, math.inf, left
    at = float(first.value[0]) / slope
    found = score(noisy.matrix[:, :, None], noisy, place, at)
    return at, float(found.error[0]) / slope, left


@dataclass(frozen=True, eq=False)
class ScoreInterval:
    """The values of a coefficient that the score test does not reject, in the data's unit.

    Parameters
    ----------
    noisy : NoisyMoments
    place : int
        The coefficient's place.
    factor, shift : float
        Its value in the data's unit is ``factor * value + shift``; the factor is above 0.
    """

    noisy: NoisyMoments
    place: int
    factor: float
    shift: float

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends; infinite where values however far are not rejected."""
        center, error, _ = root(self.noisy, self.place)
        # no p-value is below one in so many draws
        if math.isinf(error) or alpha < PVALUE_FLOOR:
            return -math.inf, math.inf
        low, high = (self._end(center, sign * 1.5 * error, alpha) for sign in (-1.0, 1.0))
        return self.factor * low + self.shift, self.factor * high + self.shift

    def pvalue(self, value: float) -> float:
        """Return the p-value of the hypothesis that the coefficient has a value, in the data's unit."""
        return pvalue(self.noisy, self.place, (value - self.shift) / self.factor)[1]

    def _stays(self, value: float, alpha: float) -> bool:
        return pvalue(self.noisy, self.place, value, alpha)[1] > alpha

    def _end(self, center: float, step: float, alpha: float) -> float:
        """Return the first value on one side that is rejected with two more beyond it, to 2 % of the step."""
        if self._stays(center + 1e6 * step, alpha):
            return math.copysign(math.inf, step)
        inside, outside, reach, rejected = 0.0, 0.0, 1.0, 0
        while rejected < 3:
            if reach > 1e6:
                return math.copysign(math.inf, step)
            if self._stays(center + reach * step, alpha):
                inside, rejected = reach, 0
            else:
                outside, rejected = outside if rejected else reach, rejected + 1
            reach *= 1.3 if rejected else 1.5
        while outside - inside > 0.02 * outside:
            middle = 0.5 * (inside + outside)
            if self._stays(center + middle * step, alpha):
                inside = middle
            else:
                outside = middle
        return center + outside * step

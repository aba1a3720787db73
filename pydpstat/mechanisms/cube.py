"""Cube noise, which for the same epsilon is less than Laplace noise for numbers that change together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import freeze_array
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import (
    Floats,
    check_positive_values,
    compute_gamma_radii,
    draw_sobol_points,
    match_quantiles,
    solve_quantiles,
    to_scalar,
)
from pydpstat.mechanisms.laplace import scale_for
from pydpstat.mechanisms.mechanism import Mechanism, Noise
from pydpstat.privacy.losses import LaplaceLoss
from pydpstat.r_arithmetic.elementary import Numbers
from pydpstat.random.secure import norm_ball

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydpstat.random import Source

_HINT = "Use sensitivity / epsilon, the sensitivity being the largest change of any column."


@dataclass(frozen=True, eq=False)
class CubeNoise(Noise):
    """Noise for vectors; its density decreases in the largest column's norm.

    Parameters
    ----------
    scale : float or array_like
        Above 0 and finite, in the unit of the statistic; an array has one for each element of
        the distribution, but draws use a single scale.
    columns : int
        Number of columns of a vector, whose noises depend on each other.
    parts : int, default 1
        Number of elements of a column. The norm is the maximum over the columns of the sum of the
        absolute values of a column's elements.

    Raises
    ------
    PydpstatError
        If a scale is not above 0, or not finite, or another parameter is not at least 1.

    See Also
    --------
    Cube : the mechanism that calibrates it.

    Notes
    -----
    Added to vectors of which one record changes each column by at most ``sensitivity`` in total it is
    ``(sensitivity / scale, 0)``-differentially private, by the triangle inequality. A vector is a radius with
    the Gamma distribution of shape M + 1, for M elements, times a uniform point of the unit ball; one element
    has the variance ``2 (M + 1) (M + 2) / ((p + 1) (p + 2)) * scale**2`` with p parts. For columns of one
    part that is ``(M + 1) (M + 2) / 3``, where the Laplace mechanism has ``2 M**2``.

    Elements are uncorrelated, but not independent. The noises of several vectors in succession are
    independent. From the operating system noise is drawn on a grid, exactly
    (`pydpstat.random.secure.discrete`): an integer vector z has the probability
    ``exp(-grid / scale * |z|)`` times a constant.

    References
    ----------
    Hardt, M. and Talwar, K. (2010). On the geometry of differential privacy. STOC 2010.
    Awan, J. and Slavkovic, A. (2021). Structure and sensitivity in differential privacy: comparing K-norm
    mechanisms. Journal of the American Statistical Association 116, 935-954.

    Examples
    --------
    >>> noise = CubeNoise(1.0, 5)
    >>> round(noise.std(), 2), round(5 * 2**0.5, 2)
    (3.74, 7.07)
    >>> noise.rvs((2, 5)).shape
    (2, 5)
    """

    scale: Numbers
    columns: int
    parts: int = 1
    name: ClassVar[str] = "linf"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", check_positive_values(self.scale, "scale", _HINT))
        object.__setattr__(self, "columns", checks.check_integer(self.columns, "columns", 1))
        object.__setattr__(self, "parts", checks.check_integer(self.parts, "parts", 1))

    @property
    def width(self) -> int:
        """Number of elements of a vector."""
        return self.columns * self.parts

    def in_shape(self, shape: tuple[int, ...]) -> CubeNoise:
        """Return the noise with its scales arranged in the shape of the elements."""
        if len(shape) > 1 and isinstance(self.scale, np.ndarray):
            return CubeNoise(self.scale.reshape(shape, order="F"), self.columns, self.parts)
        return self

    def times(self, units: Floats) -> CubeNoise:
        """Return the distribution of each element times a separate positive unit."""
        return CubeNoise(np.asarray(units) * self.scale, self.columns, self.parts)

    def std(self) -> Numbers:
        """Return the standard deviation of each element."""
        return math.sqrt(_compute_variance(self.columns, self.parts)) * self.scale

    def pdf(self, x: npt.ArrayLike) -> Numbers:
        """Return the density of one element at `x`: a float, or an array of the broadcast shape."""
        z = np.abs(np.asarray(x, dtype=np.float64)) / self.scale
        return to_scalar(0.5 * _compute_tail(z, self.width, self.parts, 1) / self.scale)

    def cdf(self, x: npt.ArrayLike) -> Numbers:
        """Return the probability that one element is at most `x`."""
        values = np.asarray(x, dtype=np.float64)
        tail = 0.5 * _compute_tail(np.abs(values) / self.scale, self.width, self.parts, 0)
        return to_scalar(np.where(values < 0.0, tail, 1.0 - tail))

    def ppf(self, q: npt.ArrayLike) -> Numbers:
        """Return the quantile of one element for the probability `q`; NaN outside [0, 1]."""
        maximum = 2.0 * self.width + 60.0
        return to_scalar(
            solve_quantiles(lambda z: _compute_tail(z, self.width, self.parts, 0), q, maximum) * self.scale
        )

    def norm(self, x: npt.ArrayLike) -> Floats:
        """Return the norm of vectors along the last axis, in scales."""
        z = np.abs(np.asarray(x, dtype=np.float64)) / self.scale
        return z.reshape(*z.shape[:-1], self.columns, self.parts).sum(axis=-1).max(axis=-1)

    def simultaneous(self, alpha: float, size: int) -> float:
        """Return the tail probability of each element's interval for which all intervals hold simultaneously.

        No element exceeds the norm of its vector, which has a Gamma distribution with the number of elements as its
        shape.
        """
        from scipy.special import gammainccinv

        each = super().simultaneous(alpha, size // self.width)
        half_width = gammainccinv(self.width, each)
        return float(_compute_tail(half_width, self.width, self.parts, 0))

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw noise for vectors with `size` elements in total: on the grid, or as real numbers."""
        count, n_left = divmod(size, self.width)
        if n_left or np.ndim(self.scale):
            raise PydpstatError(
                f"size must be a multiple of {self.width}, with one scale; got {size}. Draw whole vectors."
            )
        if grid is not None:
            rate = Fraction(grid) / Fraction(float(self.scale))
            return norm_ball(count, rate, self.columns, self.parts).ravel()
        radii = np.array([source.gamma(self.width + 1, 1.0) for _ in range(count)])
        points = self._map_to_unit_points(source.uniform(size * (1 if self.parts == 1 else 2)).reshape(count, -1))
        return (self.scale * radii[:, None] * points).ravel()

    def sample(self, count: int) -> Floats:
        """Return vectors of the joint distribution for simulations, of shape (count, elements of a vector).

        They are scrambled Sobol points, the same in every call, and must not be used as noise.
        """
        return self.scale * _sample_cube_noise(count, self.columns, self.parts)

    def at(self, uniform: Floats) -> Floats:
        """Map uniform points to vectors: the first coordinate determines the norm, the others a point of the unit ball.

        With fewer coordinates, the result is the first columns of a vector.
        """
        return self.scale * compute_gamma_radii(self.width, uniform[:, :1]) * self._map_to_unit_points(uniform[:, 1:])

    def _map_to_unit_points(self, uniform: Floats) -> Floats:
        """Map uniform points to points of the unit ball: one coordinate per element, and with parts one per sign."""
        if self.parts == 1:
            return 2.0 * uniform - 1.0
        positions, signs = np.split(uniform, 2, axis=1)
        order_statistics = np.sort(positions.reshape(len(positions), -1, self.parts), axis=2)
        sizes = np.diff(order_statistics, axis=2, prepend=0.0).reshape(len(uniform), -1)
        return np.where(signs < 0.5, -sizes, sizes)


class Cube(Mechanism):
    """The K-norm mechanism of the cube, for the largest change of a number.

    The noise is in proportion to the largest change of any number.

    See Also
    --------
    Laplace : one number.
    CubeNoise : its noise.

    Notes
    -----
    It is for vectors in which one record changes all numbers, each by at most its sensitivity. A single
    number has Laplace noise. Numbers with different sensitivities are scaled by them.

    References
    ----------
    Hardt, M. and Talwar, K. (2010). On the geometry of differential privacy. STOC 2010.

    Examples
    --------
    >>> Cube().calibrate_vector(0.5, 0.0, 1.0, 3, False)
    CubeNoise(scale=2.0, columns=3, parts=1)
    """

    name = "linf"
    norm = math.inf
    joint = True

    def calibrate(self, epsilon: float, delta: float, sensitivity: float) -> CubeNoise:
        """Return noise of one number, whose scale is the smallest float that is at least sensitivity / epsilon."""
        return self.calibrate_vector(epsilon, delta, sensitivity, 1, False)

    def calibrate_vector(
        self,
        epsilon: float,
        delta: float,
        sensitivity: float,
        size: int,
        integer: bool,
        vector_shape: tuple[int, int] | None = None,
    ) -> CubeNoise:
        """Return noise for vectors of the given columns and parts; by default one vector of all elements.

        The sensitivity is that of the sum of the vectors' norms.
        """
        scale = scale_for(sensitivity, epsilon)
        if not 0.0 < scale < math.inf:
            raise PydpstatError(
                f"epsilon must suit the bounds; got {epsilon!r}, for which the noise scale is not "
                "representable in floating point. Rescale the data."
            )
        return CubeNoise(scale, *(vector_shape or (max(size, 1), 1)))

    def loss(self, noise: CubeNoise, epsilon: float, sensitivities: Sequence[float]) -> LaplaceLoss:
        """Return the exact privacy loss, which is that of Laplace noise of one number.

        The noise is a mixture of uniform distributions on balls. The volume of the intersection of two such balls, one
        of them shifted, is a product over columns. It is smallest if each column is shifted by the whole sensitivity h
        along one of its axes: as a function of a column's shift it is symmetric, and its root is concave (Brunn and
        Minkowski). For that shift let M be the largest of ``x + rest`` and N that of ``-x + rest`` over the columns,
        with x the element that is shifted and `rest` the sum of the other parts' sizes. The norm is max(M, N), that of
        the shifted vector max(M - h, N + h), and the loss is therefore h minus ``T = M - N`` clipped to [0, 2h]. Given
        M = V, the larger, T exceeds t if the others lie in a ball that is smaller by t / 2, which has the probability
        ``(1 - t / (2 V))^(m - 1)``; since V has the Gamma distribution of shape m, that is ``exp(-t / 2)`` on average,
        as for m = 1. Several vectors that change by parts of h are compared as described in `LaplaceLoss`.
        """
        return LaplaceLoss(epsilon)


def _compute_variance(columns: int, parts: int) -> float:
    dimension = columns * parts
    return 2.0 * (dimension + 1) * (dimension + 2) / ((parts + 1) * (parts + 2))


def _compute_tail(z: Floats, width: int, parts: int, derivative: int) -> Floats:
    """Return the probability that the absolute value of an element exceeds z scales, or with `derivative` its density.

    Given a radius R, the size of a coordinate exceeds x with probability (1 - x / R)^p. Its mean over R is a sum of
    incomplete Gamma functions, whose terms have similar sizes for a small p.
    """
    from scipy.special import gammaincc, poch

    power = parts - derivative
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        terms = [
            math.comb(power, j)
            * (-z) ** j
            * gammaincc(width + 1 - derivative - j, z)
            / poch(width + 1 - derivative - j, j + derivative)
            for j in range(power + 1)
        ]
        total = np.sum(terms, axis=0)
    return np.where(np.isposinf(z), 0.0, np.maximum(parts**derivative * total, 0.0))


@lru_cache(maxsize=16)
def _sample_cube_noise(count: int, columns: int, parts: int) -> Floats:
    noise = CubeNoise(1.0, columns, parts)
    vectors = noise.at(draw_sobol_points(count, 1 + noise.width * (1 if parts == 1 else 2)))
    tail = partial(_compute_tail, width=noise.width, parts=parts, derivative=0)
    return freeze_array(match_quantiles(vectors, tail, 2.0 * noise.width + 60.0))

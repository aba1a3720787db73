"""Common base of noise distributions with a scale, checks of their parameters, and sums of noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import freeze_array
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.r_arithmetic.elementary import Floats, Numbers, log

if TYPE_CHECKING:
    from pydpstat.random import Source

SOBOL_SEED = 20_240_117
# number of points at which a tail is computed; its logarithm is nearly linear between them
_GRID_SIZE = 400
# range of a tabulated sum: standard deviations of the sum plus a quantile of a single draw
_TAIL_DEVIATIONS, _TAIL_PROBABILITY = 12.0, 1e-15
# with more values on each side, only multiples of a step are tabulated
_MAX_HALF_SIZE = 2**16


class ContinuousNoise(Noise):
    """Noise around 0 that is a scale times a standard variable.

    Only `mirrored` creates noise with the scale 0, which is no noise.
    """

    @classmethod
    def mirrored(cls, scale: npt.ArrayLike) -> Self:
        """Return the noise of a function with R's name, whose scale can be 0 in R's arithmetic."""
        self = object.__new__(cls)
        # the only field; dataclasses.fields would be slower
        (name,) = cls.__match_args__  # type: ignore[attr-defined]
        object.__setattr__(self, name, _check_scales(scale, name))
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return type(self).mirrored, (self._scale,)

    @property
    def _scale(self) -> Numbers:
        raise NotImplementedError

    def in_shape(self, shape: tuple[int, ...]) -> Self:
        """Return the noise with its scales arranged in the shape of the elements."""
        if len(shape) > 1 and isinstance(self._scale, np.ndarray):
            return self.mirrored(self._scale.reshape(shape, order="F"))
        return self

    @staticmethod
    def _compute_density(z: Floats) -> Floats:
        raise NotImplementedError

    @staticmethod
    def _compute_lower_tail(z: Floats) -> Floats:
        raise NotImplementedError

    @staticmethod
    def _compute_quantile(p: Floats, complement: Floats) -> Floats:
        raise NotImplementedError

    def pdf(self, x: npt.ArrayLike) -> Numbers:
        """Return the density at `x`: a float, or an array of the broadcast shape."""
        values = np.asarray(x, dtype=np.float64)
        with np.errstate(all="ignore"):
            density = self._compute_density(values / self._scale) / self._scale
        none = np.where(values == 0.0, np.inf, 0.0 * values)
        return to_scalar(np.where(np.equal(self._scale, 0.0), none, density))

    def cdf(self, x: npt.ArrayLike) -> Numbers:
        """Return the probability of at most `x`."""
        values = np.asarray(x, dtype=np.float64)
        with np.errstate(all="ignore"):
            z = np.where(np.equal(self._scale, 0.0) & (values >= 0.0), np.inf, values / self._scale)
            return to_scalar(self._compute_lower_tail(z))

    def ppf(self, q: npt.ArrayLike) -> Numbers:
        """Return the quantile of the probability `q`; NaN outside [0, 1], as in scipy.stats."""
        p, complement = get_tail_probabilities(q)
        with np.errstate(all="ignore"):
            quantile = self._scale * self._compute_quantile(p, complement)
        return to_scalar(np.where(np.equal(self._scale, 0.0), 0.0 * p, quantile))


def check_positive_values(value: npt.ArrayLike, name: str, hint: str) -> Numbers:
    """Check that a number, or every number of an array, is finite and above 0.

    Returns a float for a scalar and otherwise a read-only copy as float64.
    """
    if type(value) is float and 0.0 < value < math.inf:
        return value
    array = checks.to_array(value)
    if array.ndim == 0:
        return checks.check_positive(to_scalar(value), name, hint)  # type: ignore[arg-type]
    if array.dtype.kind not in "iuf" or not np.all((array > 0) & np.isfinite(array)):
        raise PydpstatError(f"{name} must be positive finite numbers; got {checks.describe_value(value)}. {hint}")
    return freeze_array(array, np.float64)


def _check_scales(value: npt.ArrayLike, name: str) -> Numbers:
    if type(value) is float and 0.0 <= value < math.inf:
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "iuf" or not np.all((array >= 0) & np.isfinite(array)):
        raise PydpstatError(f"{name} must be at least 0 and finite; got {checks.describe_value(value)}.")
    return freeze_array(array, np.float64) if array.ndim else float(array)


def get_density(noise: Noise) -> Callable[[npt.ArrayLike], Numbers] | None:
    """Return the density of a noise, or its probability function on the integers; None if it has none."""
    return getattr(noise, "pmf" if noise.integer else "pdf", None)


def to_scalar(values: Numbers) -> Numbers:
    """Convert a zero-dimensional result to a Python float; return an array unchanged."""
    if isinstance(values, (np.ndarray, np.generic)) and values.ndim == 0:
        return values.item()
    return values


def get_tail_probabilities(q: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return probabilities (NaN outside [0, 1]) and their complements, which are exact from 1/2 on."""
    p = np.asarray(q, dtype=np.float64)
    p = np.where((p >= 0.0) & (p <= 1.0), p, np.nan)
    return p, 1.0 - p


def solve_quantiles(tail: Callable[[Floats], Floats], q: npt.ArrayLike, support_radius: float) -> Floats:
    """Return quantiles of a symmetric distribution by bisection; NaN outside [0, 1].

    `tail` is the probability that the absolute value exceeds a nonnegative number, and `support_radius` a first guess
    of an upper limit of all quantiles.
    """
    p = np.asarray(q, dtype=np.float64)
    outer = 2.0 * np.minimum(p, 1.0 - p)
    low, high = np.zeros(p.shape), np.full(p.shape, support_radius)
    while np.any(tail(high) > outer) and np.all(high < 1e6):
        high = 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = tail(middle) > outer
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    sizes = np.where(outer > 0.0, 0.5 * (low + high), np.where(outer == 0.0, np.inf, np.nan))
    return np.where(p < 0.5, -sizes, sizes) + 0.0


def match_quantiles(vectors: Floats, tail: Callable[[Floats], Floats], support_radius: float) -> Floats:
    """Replace the elements of vectors by exact quantiles of their distribution, preserving their order.

    `tail` is as in `solve_quantiles`, the same for all elements, and `support_radius` a number at which it is almost 0.
    """
    count = len(vectors)
    grid = np.linspace(0.0, support_radius, _GRID_SIZE)
    falls = -np.asarray(log(np.maximum(tail(grid), 1e-300)))
    upper = np.interp(-np.asarray(log((2.0 * np.arange(count // 2) + 1.0) / count)), falls, grid)
    ordered = np.concatenate([-upper, np.zeros(count % 2), upper[::-1]])
    matched: Floats = ordered[vectors.argsort(axis=0, kind="stable").argsort(axis=0)]
    return matched


def draw_sobol_points(count: int, dimension: int) -> Floats:
    """Return scrambled Sobol points, the same in every call; they must not be used as noise."""
    from scipy.stats import qmc

    return qmc.Sobol(dimension, seed=SOBOL_SEED).random(count).clip(1e-12, 1.0 - 1e-12)


def compute_gamma_radii(width: int, uniform: Floats) -> Floats:
    """Return radii of vectors with `width` elements, as Gamma quantiles of uniform numbers."""
    from scipy.special import gammaincinv

    return gammaincinv(width + 1, uniform)


@dataclass(frozen=True, eq=False)
class NoiseSum(Noise):
    """Distribution of the sum of independent draws from one noise on the integers.

    The noise must be symmetric. The probabilities are the Fourier inverse of a power of the characteristic function, on
    integers that omit less than 1e-15 of the total; each is accurate to about 1e-16. If these are more than 131,073,
    they are aggregated to multiples of a step below a thousandth of the standard deviation.
    """

    each: Noise
    terms: int

    integer: ClassVar[bool] = True

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the noise of each summand, for summaries."""
        return self.each.name

    @property
    def scale(self) -> float | Floats:  # type: ignore[override]
        """Scale of the noise of each summand."""
        return self.each.scale

    def std(self) -> float:
        """Return the standard deviation."""
        return math.sqrt(self.terms) * float(self.each.std())

    def cdf(self, x: npt.ArrayLike) -> Numbers:
        """Return the probability of at most `x`."""
        step, below = _tabulate_sum(self.each, self.terms)
        indices = np.floor(np.asarray(x, dtype=np.float64) / step) + below.size // 2
        inside = below[np.clip(np.nan_to_num(indices), 0, below.size - 1).astype(np.intp)]
        return to_scalar(np.where(np.isnan(indices), np.nan, np.where(indices < 0.0, 0.0, inside)))

    def ppf(self, q: npt.ArrayLike) -> Numbers:
        """Return the smallest value with a distribution function of at least `q`, as a float; NaN outside [0, 1]."""
        step, below = _tabulate_sum(self.each, self.terms)
        p, _ = get_tail_probabilities(q)
        indices = np.minimum(np.searchsorted(below, p), below.size - 1) - below.size // 2
        k = np.where(p == 0.0, -np.inf, np.where(p == 1.0, np.inf, step * indices + 0.0))
        return to_scalar(np.where(np.isnan(p), np.nan, k))

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw `size` sums."""
        drawn = np.asarray(self.each.draw(source, size * self.terms, grid))
        total: npt.NDArray[np.generic] = drawn.reshape(self.terms, size).sum(axis=0)
        return total


def make_noise_sum(noise: Noise, terms: int) -> Noise | None:
    """Return the distribution of the sum of `terms` values with this noise; None if it is unknown."""
    if terms == 1:
        return noise
    each, n_summands = get_summand(noise)
    has_density = each.integer and get_density(each) is not None and np.ndim(each.scale) == 0
    return NoiseSum(each, n_summands * terms) if has_density else None


def get_summand(noise: Noise) -> tuple[Noise, int]:
    """Return the noise of each summand and the number of summands: 1 if a noise is not a sum."""
    return (noise.each, noise.terms) if isinstance(noise, NoiseSum) else (noise, 1)


@lru_cache(maxsize=256)
def _tabulate_sum(each: Noise, terms: int) -> tuple[int, Floats]:
    """Return the step and the distribution function at its multiples, symmetric around 0."""
    from scipy import fft

    half_width = math.ceil(
        _TAIL_DEVIATIONS * math.sqrt(terms) * float(each.std()) + float(each.ppf(1.0 - _TAIL_PROBABILITY))
    )
    step = -(-half_width // _MAX_HALF_SIZE)
    half = -(-half_width // step)
    k = step * np.arange(-half, half + 1.0)
    if step == 1:
        pmf = np.asarray(get_density(each)(k))  # type: ignore[misc]
    else:
        # the probability of the numbers nearest to a multiple; half of it for ties
        edges = np.append(k - 0.5 * step, k[-1] + 0.5 * step)
        pmf = np.diff(0.5 * (np.asarray(each.cdf(edges)) + np.asarray(each.cdf(np.ceil(edges) - 1.0))))
    size = fft.next_fast_len(k.size, real=True)
    spectrum = fft.rfft(np.roll(np.append(pmf, np.zeros(size - k.size)), -half)).real ** terms
    pmf = np.roll(fft.irfft(spectrum, size), half)[: k.size].clip(min=0.0)
    # the two halves are equal up to rounding
    pmf = pmf + pmf[::-1]
    below = pmf.cumsum()
    return step, freeze_array(below / below[-1])

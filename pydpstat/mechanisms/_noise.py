"""What noise distributions with a scale share, and checks of their parameters."""

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
# where a tail is computed, between which its logarithm is nearly linear
_GRID_SIZE = 400
# as far as the tails are followed, in standard deviations of the sum beyond a tail of one draw
_TAIL_DEVIATIONS, _TAIL_PROBABILITY = 12.0, 1e-15
# of more values than these to either side, those at a distance of a step are looked at
_MAX_HALF_SIZE = 2**16


class ContinuousNoise(Noise):
    """Noise around 0 that is a scale times a standard variable.

    The scale 0, no noise at all, comes from `mirrored` alone.
    """

    @classmethod
    def mirrored(cls, scale: npt.ArrayLike) -> Self:
        """Return the noise of a mirror, whose scale can be 0 where R's arithmetic comes to that."""
        self = object.__new__(cls)
        # the only field; asking for the fields takes longer
        (name,) = cls.__match_args__  # type: ignore[attr-defined]
        object.__setattr__(self, name, _check_scales(scale, name))
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return type(self).mirrored, (self._scale,)

    @property
    def _scale(self) -> Numbers:
        raise NotImplementedError

    def in_shape(self, shape: tuple[int, ...]) -> Self:
        """Return the noise with a scale for each element in the elements' shape."""
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
        """Density at `x`: a float, or an array of the broadcast shape."""
        values = np.asarray(x, dtype=np.float64)
        with np.errstate(all="ignore"):
            density = self._compute_density(values / self._scale) / self._scale
        none = np.where(values == 0.0, np.inf, 0.0 * values)
        return to_scalar(np.where(np.equal(self._scale, 0.0), none, density))

    def cdf(self, x: npt.ArrayLike) -> Numbers:
        """Probability of at most `x`."""
        values = np.asarray(x, dtype=np.float64)
        with np.errstate(all="ignore"):
            z = np.where(np.equal(self._scale, 0.0) & (values >= 0.0), np.inf, values / self._scale)
            return to_scalar(self._compute_lower_tail(z))

    def ppf(self, q: npt.ArrayLike) -> Numbers:
        """Quantile of the probability `q`; NaN outside [0, 1], as in scipy.stats."""
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
    """Return the density of noise, on the integers its probabilities; None where it has none."""
    return getattr(noise, "pmf" if noise.integer else "pdf", None)


def to_scalar(values: Numbers) -> Numbers:
    """Return a zero-dimensional result as a Python float, an array as it is."""
    if isinstance(values, (np.ndarray, np.generic)) and values.ndim == 0:
        return values.item()
    return values


def get_tail_probabilities(q: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return a probability (NaN where it is none) and its complement, which is exact from 1/2 on."""
    p = np.asarray(q, dtype=np.float64)
    p = np.where((p >= 0.0) & (p <= 1.0), p, np.nan)
    return p, 1.0 - p


def solve_quantiles(tail: Callable[[Floats], Floats], q: npt.ArrayLike, support_radius: float) -> Floats:
    """Return quantiles of a symmetric distribution by bisection; NaN outside [0, 1].

    `tail` is the probability that the absolute value is above a number of at least 0, and `support_radius` a first
    guess of a number above all that are asked for.
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
    """Return vectors whose elements have exact quantiles, in the order of their values.

    `tail` is as for `solve_quantiles`, of all elements, and `support_radius` a number that it is next to 0 at.
    """
    count = len(vectors)
    grid = np.linspace(0.0, support_radius, _GRID_SIZE)
    falls = -np.asarray(log(np.maximum(tail(grid), 1e-300)))
    upper = np.interp(-np.asarray(log((2.0 * np.arange(count // 2) + 1.0) / count)), falls, grid)
    ordered = np.concatenate([-upper, np.zeros(count % 2), upper[::-1]])
    found: Floats = ordered[vectors.argsort(axis=0, kind="stable").argsort(axis=0)]
    return found


def draw_sobol_points(count: int, dimension: int) -> Floats:
    """Return scrambled Sobol points, the same in every call; they protect nobody."""
    from scipy.stats import qmc

    return qmc.Sobol(dimension, seed=SOBOL_SEED).random(count).clip(1e-12, 1.0 - 1e-12)


def compute_gamma_radii(width: int, uniform: Floats) -> Floats:
    """Return radii of vectors of so many elements, as quantiles of uniform numbers."""
    from scipy.special import gammaincinv

    return gammaincinv(width + 1, uniform)


@dataclass(frozen=True, eq=False)
class NoiseSum(Noise):
    """The distribution of a sum of so many independent draws of one noise on the integers.

    The noise is symmetric. The probabilities are the Fourier inverse of the characteristic function's power,
    on as many integers as leave out less than 1e-15; each is right to about 1e-16. Where these are more than
    131,073, they are gathered at multiples of a step below a thousandth of the standard deviation.
    """

    each: Noise
    terms: int

    integer: ClassVar[bool] = True

    @property
    def name(self) -> str:  # type: ignore[override]
        """What summaries call the noise of each summand."""
        return self.each.name

    @property
    def scale(self) -> float | Floats:  # type: ignore[override]
        """The scale of each summand's noise."""
        return self.each.scale

    def std(self) -> float:
        """Standard deviation."""
        return math.sqrt(self.terms) * float(self.each.std())

    def cdf(self, x: npt.ArrayLike) -> Numbers:
        """Probability of at most `x`."""
        step, below = _tabulate_sum(self.each, self.terms)
        places = np.floor(np.asarray(x, dtype=np.float64) / step) + below.size // 2
        inside = below[np.clip(np.nan_to_num(places), 0, below.size - 1).astype(np.intp)]
        return to_scalar(np.where(np.isnan(places), np.nan, np.where(places < 0.0, 0.0, inside)))

    def ppf(self, q: npt.ArrayLike) -> Numbers:
        """Smallest value with a distribution function of at least `q`, as a float; NaN outside [0, 1]."""
        step, below = _tabulate_sum(self.each, self.terms)
        p, _ = get_tail_probabilities(q)
        places = np.minimum(np.searchsorted(below, p), below.size - 1) - below.size // 2
        k = np.where(p == 0.0, -np.inf, np.where(p == 1.0, np.inf, step * places + 0.0))
        return to_scalar(np.where(np.isnan(p), np.nan, k))

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw so many sums."""
        drawn = np.asarray(self.each.draw(source, size * self.terms, grid))
        total: npt.NDArray[np.generic] = drawn.reshape(self.terms, size).sum(axis=0)
        return total


def make_noise_sum(noise: Noise, terms: int) -> Noise | None:
    """Return the noise of a sum of so many values with this noise; None where its distribution is unknown."""
    if terms == 1:
        return noise
    each, already = get_summand(noise)
    known = each.integer and get_density(each) is not None and np.ndim(each.scale) == 0
    return NoiseSum(each, already * terms) if known else None


def get_summand(noise: Noise) -> tuple[Noise, int]:
    """Return the noise of which there are so many in a noise: one where it is no sum."""
    return (noise.each, noise.terms) if isinstance(noise, NoiseSum) else (noise, 1)


@lru_cache(maxsize=256)
def _tabulate_sum(each: Noise, terms: int) -> tuple[int, Floats]:
    """Return the step and the distribution function at its multiples, as many below 0 as above."""
    from scipy import fft

    reach = math.ceil(
        _TAIL_DEVIATIONS * math.sqrt(terms) * float(each.std()) + float(each.ppf(1.0 - _TAIL_PROBABILITY))
    )
    step = -(-reach // _MAX_HALF_SIZE)
    half = -(-reach // step)
    k = step * np.arange(-half, half + 1.0)
    if step == 1:
        pmf = np.asarray(get_density(each)(k))  # type: ignore[misc]
    else:
        # what lies nearest to a multiple; half of it where two are as near
        ends = np.append(k - 0.5 * step, k[-1] + 0.5 * step)
        pmf = np.diff(0.5 * (np.asarray(each.cdf(ends)) + np.asarray(each.cdf(np.ceil(ends) - 1.0))))
    size = fft.next_fast_len(k.size, real=True)
    spectrum = fft.rfft(np.roll(np.append(pmf, np.zeros(size - k.size)), -half)).real ** terms
    pmf = np.roll(fft.irfft(spectrum, size), half)[: k.size].clip(min=0.0)
    # the two halves are the same but for rounding
    pmf = pmf + pmf[::-1]
    below = pmf.cumsum()
    return step, freeze_array(below / below[-1])

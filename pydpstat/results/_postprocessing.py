"""What is done to a noisy value before it is published, and what that does to its uncertainty.

Nothing here sees the data: post-processing costs no privacy (Dwork and Roth 2014, proposition 2.1).
Each step says how the noise's standard deviation and interval carry over to the published value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import ReadOnlyArrays
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._ranges import ParameterRange

NO_COST_STEP = "which follows from the released {} at no additional privacy cost"


class PopulationInference(Protocol):
    """What makes intervals for the population that the records are a sample of, from released numbers."""

    @property
    def validity(self) -> str:
        """Return how far they can be trusted: "exact", "model" or "measured"."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Return what they rest on, in words."""

    def compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each published value, in its shape."""


@dataclass(frozen=True, eq=False)
class RatioIntervals(ReadOnlyArrays):
    """Noise intervals for counts over the sum of themselves and their rests, each with noise (Fieller 1954).

    At the true share p, W = (1 - p) count - p rest has the mean 0, and v = ((1 - p)^2 k1 + p^2 k2) s^2 is its
    variance, with k1 and k2 noises of standard deviation s. The interval has the p with
    abs(W) <= c sqrt(v) + 1, c as in `bound_sum_quantile`, with one record for the steps of integers. Computed exactly,
    W is further out with a probability of alpha at most for symmetric geometric noise of the rates 0.02 to 8
    and discrete Gaussian noise of the deviations 0.3 to 20, of up to 400 noises, at all shares and alpha from
    0.001 to 0.5.
    """

    noise: NoiseQuantiles
    counts: Floats
    # the noisy counts of all other records
    rests: Floats
    # how many noises are in each count and in each rest, in C order: of shape (2,) or (2, values)
    noises: npt.NDArray[np.intp]

    def compute_slopes(self) -> Floats:
        """Return the L2 norm of each share's gradient with respect to all noisy counts; NaN if unknown."""
        first, second = self._compute_variances()
        total, p = self.counts + self.rests, self.compute_shares()
        # where the total is below twice its noise, the delta method says nothing
        said = total > 2.0 * float(self.noise.std()) * np.sqrt(first + second)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(said, np.sqrt((1.0 - p) ** 2 * first + p * p * second) / total, np.nan)

    def compute_shares(self) -> Floats:
        """Return the shares, from 0 to 1; NaN where the noisy counts add up to nothing."""
        total = self.counts + self.rests
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(total > 0.0, np.clip(self.counts / total, 0.0, 1.0), np.nan)

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each share."""
        count, rest = np.maximum(self.counts, 0.0), np.maximum(self.rests, 0.0)
        reach = (bound_sum_quantile(self.noise, alpha) * self.noise.std()) ** 2
        first, second = (reach * each for each in self._compute_variances())
        total = count + rest
        a = total * total - first - second
        ends = []
        for record in (-1.0, 1.0):
            # a root of a p^2 - 2 b p + c
            b, c = (count + record) * total - first, (count + record) ** 2 - first
            with np.errstate(divide="ignore", invalid="ignore"):
                root = (b + record * np.sqrt(np.maximum(b * b - a * c, 0.0))) / a
            ends.append(np.where(a > 0.0, np.clip(root, 0.0, 1.0), 0.5 + 0.5 * record))
        return ends[0], ends[1]

    def _compute_variances(self) -> tuple[Floats, Floats]:
        shape = self.counts.shape
        pair = [np.broadcast_to(each, self.counts.size).reshape(shape).astype(float) for each in self.noises]
        return pair[0], pair[1]


def bound_sum_quantile(noise: NoiseQuantiles, alpha: float) -> float:
    """Return how many standard deviations a weighted sum of such noises may be away."""
    # the tails of sums lie between those of the noise and of the normal distribution
    normal = NormalDist().inv_cdf(1.0 - 0.5 * alpha)
    return max(float(noise.ppf(1.0 - 0.5 * alpha)) / float(noise.std()), normal)


class NoiseQuantiles(Protocol):
    """What the results need of the noise's distribution: of each value's, or of all alike."""

    def std(self) -> float | Floats:
        """Return the standard deviation."""

    def ppf(self, q: float) -> float | Floats:
        """Return a quantile."""


@runtime_checkable
class HasOwnInterval(Protocol):
    """Noise that depends on the truth, and so says itself which truths a value may stand for."""

    def interval(self, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the interval of the truth for each released value."""


class HasNoiseIntervals(Protocol):
    """What makes intervals of the noise by itself, from released numbers."""

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each published value, in its shape."""


@dataclass(frozen=True, slots=True)
class _PublishedValue:
    """A published value, its intervals for the population and the parameter's range, where it has them."""

    # whether values may be missing (NaN); the last step then says why
    can_be_missing: ClassVar[bool] = False

    population: PopulationInference | None = field(default=None, kw_only=True)
    within: ParameterRange | None = field(default=None, kw_only=True)

    def compute_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the interval of each element that follows from the noise alone."""
        raise NotImplementedError

    def compute_half_width(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> Floats:
        """Return how far the further end of the interval is."""
        low, high = self.compute_interval(noise, value, alpha)
        return np.maximum(value - low, high - value)

    def compute_clipped_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the interval as it is shown: within the parameter's range."""
        if self.within is None:
            return self.compute_interval(noise, value, alpha)
        return self.within.clip_interval(*self.compute_interval(noise, self.within.clip_values(value), alpha))


@dataclass(frozen=True, slots=True)
class _SymmetricValue(_PublishedValue):
    """A value whose interval reaches as far to both sides."""

    def compute_half_width(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> Floats:
        """Return half the interval's width for each element."""
        raise NotImplementedError

    def compute_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the value plus and minus its reach."""
        reach = self.compute_half_width(noise, value, alpha)
        return value - reach, value + reach


@dataclass(frozen=True, slots=True)
class _DeltaMethodValue(_SymmetricValue):
    """A value with a normal interval by the delta method."""

    def compute_standard_error(self, noise: NoiseQuantiles, value: Floats) -> Floats:
        """Return the delta method's standard error of each element."""
        raise NotImplementedError

    def compute_half_width(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> Floats:
        """Return the normal quantile times the standard error."""
        return NormalDist().inv_cdf(1.0 - alpha / 2.0) * self.compute_standard_error(noise, value)


@dataclass(frozen=True, slots=True)
class NoisyValue(_SymmetricValue):
    """The published value is the noisy value, perhaps clipped or rounded."""

    steps: tuple[str, ...] = ()

    def compute_standard_error(self, noise: NoiseQuantiles, value: Floats) -> Floats:
        """Return the noise's standard deviation for each element."""
        return np.broadcast_to(np.asarray(noise.std(), dtype=np.float64), value.shape)

    def compute_half_width(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> Floats:
        """Return the noise's quantile for each element."""
        return np.broadcast_to(np.asarray(noise.ppf(1.0 - alpha / 2.0), dtype=np.float64), value.shape)

    def compute_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the noise's own interval where it has one, else the value plus and minus its reach."""
        if isinstance(noise, HasOwnInterval):
            return noise.interval(value, alpha)
        reach = self.compute_half_width(noise, value, alpha)
        return value - reach, value + reach


@dataclass(frozen=True, slots=True)
class SquareRootValue(_PublishedValue):
    """The published value is the square root of a noisy value above 0."""

    steps: tuple[str, ...] = ("square root",)

    def compute_standard_error(self, noise: NoiseQuantiles, value: Floats) -> Floats:
        """Return the delta method's standard error: sd / (2 sqrt(v))."""
        with np.errstate(divide="ignore"):
            # where the square was clipped to 0, the delta method says nothing
            return np.where(value > 0.0, np.asarray(noise.std()) / (2.0 * value), np.nan)

    def compute_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the square roots of the squared value's interval, clipped at 0."""
        reach = np.asarray(noise.ppf(1.0 - alpha / 2.0))
        squared = value * value
        return np.sqrt(np.maximum(squared - reach, 0.0)), np.sqrt(squared + reach)


@dataclass(frozen=True, slots=True)
class ShareOfTotal(_DeltaMethodValue):
    """The published values are the noisy values divided by their sum."""

    total: float
    steps: tuple[str, ...] = ("divided by their sum",)

    def compute_standard_error(self, noise: NoiseQuantiles, value: Floats) -> Floats:
        """Return the delta method's standard errors, from the noisy total."""
        spread = (1.0 - value) ** 2 + (value.size - 1) * value**2
        return np.asarray(noise.std()) / abs(self.total) * np.sqrt(spread)


@dataclass(frozen=True, slots=True)
class ScaledValue(_SymmetricValue):
    """The published values are the noisy values times a public factor, perhaps clipped."""

    # above 0; one for all values, or one for each in Fortran order
    factor: float | tuple[float, ...]
    steps: tuple[str, ...]

    def _get_factors(self, value: Floats) -> Floats:
        factors = np.asarray(self.factor)
        return factors.reshape(value.shape, order="F") if factors.ndim else factors

    def compute_standard_error(self, noise: NoiseQuantiles, value: Floats) -> Floats:
        """Return the noise's standard deviation times the factor."""
        spread = np.asarray(noise.std(), dtype=np.float64) * self._get_factors(value)
        return np.broadcast_to(spread, value.shape)

    def compute_half_width(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> Floats:
        """Return the noise's quantile times the factor."""
        quantile = np.asarray(noise.ppf(1.0 - alpha / 2.0), dtype=np.float64)
        return np.broadcast_to(quantile * self._get_factors(value), value.shape)


@dataclass(frozen=True, slots=True)
class DerivedValue(_DeltaMethodValue):
    """The published values are functions of noisy quantities that have one distribution of noise."""

    # for each published value, in Fortran order, the L2 norm of its gradient at the noisy quantities, or NaN
    slopes: tuple[float, ...]
    steps: tuple[str, ...]
    # in the same order, the sums of the noisy quantities where these are noisy numbers of records
    sizes: tuple[float, ...] | None = field(default=None, kw_only=True)

    def compute_standard_error(self, noise: NoiseQuantiles, value: Floats) -> Floats:
        """Return the delta method's standard errors: the noise's standard deviation times the slope."""
        return np.asarray(noise.std()).item() * np.array(self.slopes).reshape(value.shape, order="F")


@dataclass(frozen=True, slots=True)
class AsymmetricValue(DerivedValue):
    """Derived values with intervals that are not by the delta method, and no longer symmetric."""

    compute_half_width = _PublishedValue.compute_half_width


@dataclass(frozen=True, slots=True)
class ValueWithIntervals(AsymmetricValue):
    """Quantiles between the edges of noisy cells, from what `known` says; their intervals end at edges."""

    known: HasNoiseIntervals

    def compute_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the intervals, wide enough to hold the estimates."""
        low, high = self.known.compute_noise_interval(alpha)
        return np.minimum(low, value), np.maximum(high, value)


PostProcessing = NoisyValue | SquareRootValue | ShareOfTotal | ScaledValue | DerivedValue
# the noisy value in, the published one and what was done to it out
PostProcessor = Callable[[Floats], tuple[Floats, PostProcessing]]

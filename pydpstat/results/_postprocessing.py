"""Post-processing of noisy values, and the uncertainty of the published values.

Nothing here sees the data: post-processing costs no privacy (Dwork and Roth 2014, proposition 2.1).
Each step computes the standard deviation and the interval of the published value from the noise.
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
    """Intervals for the population that the records are a sample of, from released numbers."""

    @property
    def validity(self) -> str:
        """Validity of the intervals: "exact", "model" or "measured"."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of the intervals, in words."""

    def compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits for each published value, in its shape."""


@dataclass(frozen=True, eq=False)
class RatioIntervals(ReadOnlyArrays):
    """Noise intervals of shares, noisy count / (count + rest) (Fieller 1954).

    At the true share p, W = (1 - p) count - p rest has the mean 0, and v = ((1 - p)^2 k1 + p^2 k2) s^2 is its
    variance, with k1 and k2 noises of standard deviation s. The interval is the set of p with
    abs(W) <= c sqrt(v) + 1, c as in `bound_sum_quantile`, where one record corrects for integer steps. Computed
    exactly, the probability that W is outside is at most alpha for symmetric geometric noise of the rates 0.02 to 8
    and discrete Gaussian noise of the deviations 0.3 to 20, of up to 400 noises, at all shares and alpha from
    0.001 to 0.5.
    """

    noise: NoiseQuantiles
    counts: Floats
    # the noisy counts of all other records
    rests: Floats
    # numbers of noise terms in each count and each rest, in C order: of shape (2,) or (2, values)
    noises: npt.NDArray[np.intp]

    def compute_slopes(self) -> Floats:
        """Return the L2 norm of each share's gradient with respect to all noisy counts; NaN if unknown."""
        count_variance, rest_variance = self._compute_variances()
        total, p = self.counts + self.rests, self.compute_shares()
        # the delta method is not informative if the total is below twice its noise
        is_informative = total > 2.0 * float(self.noise.std()) * np.sqrt(count_variance + rest_variance)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(
                is_informative, np.sqrt((1.0 - p) ** 2 * count_variance + p * p * rest_variance) / total, np.nan
            )

    def compute_shares(self) -> Floats:
        """Return the shares, clipped to [0, 1]; NaN where the noisy total is not positive."""
        total = self.counts + self.rests
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(total > 0.0, np.clip(self.counts / total, 0.0, 1.0), np.nan)

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits for each share."""
        count, rest = np.maximum(self.counts, 0.0), np.maximum(self.rests, 0.0)
        factor = (bound_sum_quantile(self.noise, alpha) * self.noise.std()) ** 2
        count_variance, rest_variance = (factor * variance for variance in self._compute_variances())
        total = count + rest
        a = total * total - count_variance - rest_variance
        limits = []
        for sign in (-1.0, 1.0):
            # root of a p^2 - 2 b p + c
            b, c = (count + sign) * total - count_variance, (count + sign) ** 2 - count_variance
            with np.errstate(divide="ignore", invalid="ignore"):
                root = (b + sign * np.sqrt(np.maximum(b * b - a * c, 0.0))) / a
            limits.append(np.where(a > 0.0, np.clip(root, 0.0, 1.0), 0.5 + 0.5 * sign))
        return limits[0], limits[1]

    def _compute_variances(self) -> tuple[Floats, Floats]:
        shape = self.counts.shape
        variances = [
            np.broadcast_to(n_noises, self.counts.size).reshape(shape).astype(float) for n_noises in self.noises
        ]
        return variances[0], variances[1]


def bound_sum_quantile(noise: NoiseQuantiles, alpha: float) -> float:
    """Return a bound on the 1 - alpha / 2 quantile of weighted sums of noises, in standard deviations."""
    # the quantile of a sum is between those of the noise and of the normal distribution
    normal_quantile = NormalDist().inv_cdf(1.0 - 0.5 * alpha)
    return max(float(noise.ppf(1.0 - 0.5 * alpha)) / float(noise.std()), normal_quantile)


class NoiseQuantiles(Protocol):
    """Noise distribution, common to all values or one per value."""

    def std(self) -> float | Floats:
        """Return the standard deviation."""

    def ppf(self, q: float) -> float | Floats:
        """Return a quantile."""


@runtime_checkable
class HasOwnInterval(Protocol):
    """Noise whose distribution depends on the true value, and which computes its own interval."""

    def interval(self, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the interval of the true value for each released value."""


class HasNoiseIntervals(Protocol):
    """Noise intervals that are computed from released numbers."""

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits for each published value, in its shape."""


@dataclass(frozen=True, slots=True)
class _PublishedValue:
    """Base of post-processing: optional population intervals and parameter range."""

    # whether values may be missing (NaN), with the reason as last step
    can_be_missing: ClassVar[bool] = False

    population: PopulationInference | None = field(default=None, kw_only=True)
    within: ParameterRange | None = field(default=None, kw_only=True)

    def compute_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the noise interval of each element."""
        raise NotImplementedError

    def compute_half_width(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> Floats:
        """Return the distance to the farther limit of the interval."""
        low, high = self.compute_interval(noise, value, alpha)
        return np.maximum(value - low, high - value)

    def compute_clipped_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the interval clipped to the parameter's range."""
        if self.within is None:
            return self.compute_interval(noise, value, alpha)
        return self.within.clip_interval(*self.compute_interval(noise, self.within.clip_values(value), alpha))


@dataclass(frozen=True, slots=True)
class _SymmetricValue(_PublishedValue):
    """Value with a symmetric interval."""

    def compute_half_width(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> Floats:
        """Return half of the interval's width for each element."""
        raise NotImplementedError

    def compute_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the value plus and minus its half-width."""
        half_width = self.compute_half_width(noise, value, alpha)
        return value - half_width, value + half_width


@dataclass(frozen=True, slots=True)
class _DeltaMethodValue(_SymmetricValue):
    """Value with a normal interval by the delta method."""

    def compute_standard_error(self, noise: NoiseQuantiles, value: Floats) -> Floats:
        """Return the delta method's standard error of each element."""
        raise NotImplementedError

    def compute_half_width(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> Floats:
        """Return the normal quantile times the standard error."""
        return NormalDist().inv_cdf(1.0 - alpha / 2.0) * self.compute_standard_error(noise, value)


@dataclass(frozen=True, slots=True)
class NoisyValue(_SymmetricValue):
    """Noisy value that is published as it is, clipped or rounded."""

    steps: tuple[str, ...] = ()

    def compute_standard_error(self, noise: NoiseQuantiles, value: Floats) -> Floats:
        """Return the noise's standard deviation for each element."""
        return np.broadcast_to(np.asarray(noise.std(), dtype=np.float64), value.shape)

    def compute_half_width(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> Floats:
        """Return the noise's quantile for each element."""
        return np.broadcast_to(np.asarray(noise.ppf(1.0 - alpha / 2.0), dtype=np.float64), value.shape)

    def compute_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the noise's own interval if it has one, else the value plus and minus its half-width."""
        if isinstance(noise, HasOwnInterval):
            return noise.interval(value, alpha)
        half_width = self.compute_half_width(noise, value, alpha)
        return value - half_width, value + half_width


@dataclass(frozen=True, slots=True)
class SquareRootValue(_PublishedValue):
    """Square root of a noisy value that is clipped at 0."""

    steps: tuple[str, ...] = ("square root",)

    def compute_standard_error(self, noise: NoiseQuantiles, value: Floats) -> Floats:
        """Return the delta method's standard error: sd / (2 sqrt(v))."""
        with np.errstate(divide="ignore"):
            # the delta method does not apply if the square was clipped to 0
            return np.where(value > 0.0, np.asarray(noise.std()) / (2.0 * value), np.nan)

    def compute_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the square roots of the squared value's interval, clipped at 0."""
        half_width = np.asarray(noise.ppf(1.0 - alpha / 2.0))
        squared = value * value
        return np.sqrt(np.maximum(squared - half_width, 0.0)), np.sqrt(squared + half_width)


@dataclass(frozen=True, slots=True)
class ShareOfTotal(_DeltaMethodValue):
    """Noisy values divided by their sum."""

    total: float
    steps: tuple[str, ...] = ("divided by their sum",)

    def compute_standard_error(self, noise: NoiseQuantiles, value: Floats) -> Floats:
        """Return the delta method's standard errors, from the noisy total."""
        spread = (1.0 - value) ** 2 + (value.size - 1) * value**2
        return np.asarray(noise.std()) / abs(self.total) * np.sqrt(spread)


@dataclass(frozen=True, slots=True)
class ScaledValue(_SymmetricValue):
    """Noisy values times a public factor, optionally clipped."""

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
    """Functions of noisy quantities that share one noise distribution."""

    # L2 norm of each published value's gradient at the noisy quantities, or NaN, in Fortran order
    slopes: tuple[float, ...]
    steps: tuple[str, ...]
    # noisy numbers of records in the same order, if the quantities sum to these
    sizes: tuple[float, ...] | None = field(default=None, kw_only=True)

    def compute_standard_error(self, noise: NoiseQuantiles, value: Floats) -> Floats:
        """Return the delta method's standard errors: the noise's standard deviation times the slope."""
        return np.asarray(noise.std()).item() * np.array(self.slopes).reshape(value.shape, order="F")


@dataclass(frozen=True, slots=True)
class AsymmetricValue(DerivedValue):
    """Derived values with asymmetric intervals that do not use the delta method."""

    compute_half_width = _PublishedValue.compute_half_width


@dataclass(frozen=True, slots=True)
class ValueWithIntervals(AsymmetricValue):
    """Derived values whose noise intervals are computed by `known`."""

    known: HasNoiseIntervals

    def compute_interval(self, noise: NoiseQuantiles, value: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the intervals, extended to include the estimates."""
        low, high = self.known.compute_noise_interval(alpha)
        return np.minimum(low, value), np.maximum(high, value)


PostProcessing = NoisyValue | SquareRootValue | ShareOfTotal | ScaledValue | DerivedValue
# maps the noisy value to the published value and its post-processing
PostProcessor = Callable[[Floats], tuple[Floats, PostProcessing]]

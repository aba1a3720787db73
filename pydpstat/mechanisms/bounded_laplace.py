"""Laplace noise that is redrawn until the value lies within public limits, with its true epsilon."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._search import bisect_up
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.laplace import LaplaceNoise
from pydpstat.mechanisms.mechanism import Floats, Mechanism, Noise
from pydpstat.r_arithmetic.elementary import Numbers

if TYPE_CHECKING:
    from pydpstat.random import Source

# the grid unit is at most this share of the scale
_GRID_SHARE = 2.0**-20
_ROUNDING_FACTOR = 1.0 + 2.0**-49


@dataclass(frozen=True, eq=False)
class BoundedLaplaceNoise(Noise):
    """Laplace noise of one number, redrawn until it lies within limits.

    Parameters
    ----------
    scale : float
        Scale of the Laplace noise, above 0 and finite.
    limits : (float, float)
        Public limits of the released value.

    See Also
    --------
    BoundedLaplace : the mechanism that calibrates it.

    Notes
    -----
    `std` and `ppf` are those of the noise before redrawing, which is wider. `interval` is exact:
    for a value y it contains every truth under which y is in neither tail of probability alpha / 2.

    References
    ----------
    Holohan, N., Antonatos, S., Braghin, S. and Mac Aonghusa, P. (2020). The bounded Laplace mechanism
    in differential privacy. Journal of Privacy and Confidentiality 10(1).

    Examples
    --------
    >>> noise = BoundedLaplaceNoise(1.0, (0.0, 10.0))
    >>> round(noise.epsilon(1.0), 4), noise.accepts(11.0)
    (1.4898, False)
    """

    scale: float
    limits: tuple[float, float]
    name: ClassVar[str] = "bounded Laplace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", checks.check_positive(self.scale, "scale"))
        object.__setattr__(self, "limits", _check_limits(self.limits))

    def std(self) -> float:
        """Return the standard deviation before redrawing, ``sqrt(2) * scale``."""
        return float(LaplaceNoise(self.scale).std())

    def cdf(self, x: npt.ArrayLike) -> Numbers:
        """Return the probability of at most `x`, before redrawing."""
        return LaplaceNoise(self.scale).cdf(x)

    def ppf(self, q: npt.ArrayLike) -> Numbers:
        """Return the quantile of the probability `q`, before redrawing."""
        return LaplaceNoise(self.scale).ppf(q)

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw Laplace noise."""
        return source.laplace(size, self.scale, grid)

    def accepts(self, value: npt.ArrayLike) -> bool:
        """Return whether a noisy value lies within the limits."""
        return bool(self.limits[0] <= np.asarray(value).item() <= self.limits[1])

    def epsilon(self, sensitivity: float) -> float:
        """Return the true pure epsilon for a number of this sensitivity, rounded up."""
        return _compute_redrawn_epsilon(sensitivity, self.scale, self.limits[1] - self.limits[0])

    def interval(self, value: npt.ArrayLike, alpha: float) -> tuple[Floats, Floats]:
        """Return the exact confidence interval of the true value for a released value."""
        flat = np.ravel(np.asarray(value, dtype=np.float64))
        limits = [[self._solve_truth(element, tail) for tail in (1.0 - 0.5 * alpha, 0.5 * alpha)] for element in flat]
        low, high = np.array(limits).reshape(-1, 2).T
        return low.reshape(np.shape(value)), high.reshape(np.shape(value))

    def _solve_truth(self, value: float, tail: float) -> float:
        """Return the true value within the limits for which `value` is the quantile of probability `tail`."""
        from scipy.optimize import brentq

        lower, upper = self.limits

        def compute_excess(truth: float) -> float:
            low, middle, high = np.asarray(LaplaceNoise(self.scale).cdf(np.array([lower, value, upper]) - truth))
            return float((middle - low) / (high - low)) - tail

        # the larger the true value, the smaller is the probability of a value below
        if compute_excess(lower) <= 0.0:
            return lower
        return upper if compute_excess(upper) >= 0.0 else float(brentq(compute_excess, lower, upper))


@dataclass(frozen=True)
class BoundedLaplace(Mechanism):
    """Laplace noise whose result stays within limits, with its true epsilon.

    Parameters
    ----------
    lower, upper : float
        Public limits of the released number, lower < upper, chosen without the data.

    Raises
    ------
    PydpstatError
        If they are not two finite numbers, the first below the second, or if more than one number is
        to be released.

    See Also
    --------
    Laplace : unbounded noise.

    Notes
    -----
    With Z(t) the probability that noise around a truth t above the lower limit stays within, one record
    that changes the truth from the limit by the sensitivity s changes the density at the limit by the factor
    ``exp(s / scale) * Z(s) / Z(0)``, and no density by more: epsilon is ``s / scale`` plus the logarithm of
    ``Z(s) / Z(0)``, at most log 2. A truth beyond a limit gives the same distribution as one at it. The
    scale is the smallest, up to rounding, with the requested epsilon.

    On a grid g of at most 2^-20 of the scale, noise is rounded to the nearest multiple, and the effective
    limits lie half a unit beyond the outermost multiples within them: the width used is ``upper - lower + g``
    in the same formula. Z(s) / Z(0) increases with the width, so that this is an upper bound.

    References
    ----------
    Holohan, N., Antonatos, S., Braghin, S. and Mac Aonghusa, P. (2020). The bounded Laplace mechanism
    in differential privacy. Journal of Privacy and Confidentiality 10(1), Theorem 3.5.

    Examples
    --------
    >>> import pydpstat
    >>> from pydpstat.mechanisms import BoundedLaplace
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> r = pydpstat.mean(ages, 0.1, bounds=(0, 100), mechanism=BoundedLaplace(0, 100))
    >>> 0.0 <= float(r) <= 100.0, r.guarantee.epsilon
    (True, 0.1)
    """

    lower: float
    upper: float
    name: ClassVar[str] = "bounded laplace"

    def __post_init__(self) -> None:
        lower, upper = _check_limits((self.lower, self.upper))
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    def calibrate(self, epsilon: float, delta: float, sensitivity: float) -> BoundedLaplaceNoise:
        """Return noise with the smallest scale whose true epsilon is the requested one."""
        width = self.upper - self.lower
        _, sufficient = bisect_up(
            lambda scale: _compute_redrawn_epsilon(sensitivity, scale, width) > epsilon,
            sensitivity / epsilon,
            2.0 * sensitivity / epsilon * _ROUNDING_FACTOR,
        )
        return BoundedLaplaceNoise(sufficient, (self.lower, self.upper))

    def calibrate_vector(
        self,
        epsilon: float,
        delta: float,
        sensitivity: float,
        size: int,
        integer: bool,
        vector_shape: tuple[int, int] | None = None,
    ) -> BoundedLaplaceNoise:
        """Return noise for one number; raise an error for a vector."""
        if size != 1:
            raise PydpstatError(
                f"mechanism BoundedLaplace releases one number; got {size} of them. Use 'laplace', or "
                "bounded neighbors, where a mean is one number."
            )
        return self.calibrate(epsilon, delta, sensitivity)

    def calibrate_each(self, epsilon: float, delta: float, sensitivities: Sequence[float]) -> Noise:
        """Return noise for one number; raise an error for several."""
        return self.calibrate_vector(epsilon, delta, sensitivities[0], len(sensitivities), False)


def _compute_redrawn_epsilon(sensitivity: float, scale: float, width: float) -> float:
    """Return the pure epsilon of Laplace noise that is redrawn until it is within limits, rounded up.

    With s the sensitivity (at most half of the width) and w the width, both in scales, Z(s) / Z(0) is ``1 + (1 -
    exp(-s)) (1 - exp(s - w)) / (1 - exp(-w))``, which is accurate for small epsilon.
    """
    wide = width + _GRID_SHARE * scale
    # past the middle, the probability of being within the limits decreases again
    step = min(sensitivity, 0.5 * wide)
    gained = math.expm1(-step / scale) * math.expm1((step - wide) / scale) / -math.expm1(-wide / scale)
    return math.nextafter((sensitivity / scale + math.log1p(gained)) * _ROUNDING_FACTOR, math.inf)


def _check_limits(limits: Iterable[float]) -> tuple[float, float]:
    lower, upper = (checks.check_scalar(limit, "a limit") for limit in limits)
    if not -math.inf < lower < upper < math.inf:
        raise PydpstatError(
            f"limits must be finite, the lower below the upper; got {lower!r} and {upper!r}. Give the public "
            "range of the result."
        )
    return lower, upper

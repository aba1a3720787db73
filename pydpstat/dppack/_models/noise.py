"""Noise of DPpack's models by both methods: its calibration, sampling and guarantees."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat._search import bisect_up
from pydpstat.dppack._models.records import FitRecords
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import Source

# grid of the operating system's draws before scaling
_GRID_UNIT = 2.0**-30
# linear predictor from which on 1 / (1 + exp(-x)) is 1 in floating point
SATURATION_THRESHOLD = 53.0 * math.log(2.0)
# limit of a trapezoidal sum in log V, with tails below 1e-17
_TAIL_WIDTH = 40.0
# relative excess of an epsilon or a norm that is attributed to rounding, without a warning
ROUNDING_TOLERANCE = 1e-9


def compute_objective_constants(eps: float, gamma: float, c: float, n: int) -> tuple[float, float]:
    """Return the epsilon of the noise and the added regularization of objective perturbation.

    The objective has gamma / n times the regularizer, and `c` bounds the loss's second derivative; `eps`
    is finite. The norm of the noise has a gamma distribution with rate half the first; the second times w'w / 2 is
    added to the objective. They may be infinite or NaN if `gamma` is not positive.

    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109, Algorithm 2.

    >>> noise_epsilon, target_delta = compute_objective_constants(1.0, 1.0, 0.25, 100)
    >>> round(noise_epsilon, 4), target_delta
    (0.5537, 0.0)
    """
    with np.errstate(all="ignore"):
        g, k = np.float64(gamma), np.float64(c)
        remaining = eps - r.log(float(1.0 + 2.0 * k / g + k * k / (g * g)))
        if not remaining <= 0.0:
            return remaining, 0.0
        growth = np.float64(r.exp(eps / 4.0)) - 1.0
        return eps / 2.0, float(k / (n * growth) - g / n)


def compute_objective_epsilon(noise_epsilon: float, c: float, strength: float, norm: float = 1.0) -> float:
    """Return the epsilon of objective perturbation for one replaced record.

    The density of the noise vector changes by at most exp(norm * noise_epsilon), and the determinant of the
    objective's second derivatives, to which one record of norm at most `norm` adds a matrix of rank one, by
    at most 1 + c norm^2 / strength. `strength` is the strong convexity of the objective times n without the
    records; epsilon is infinite if it is not positive.

    >>> round(compute_objective_epsilon(0.5, 0.25, 1.0), 4)
    0.7231
    """
    if not strength > 0.0 or not c >= 0.0 or not math.isfinite(noise_epsilon) or not math.isfinite(norm):
        return math.inf
    return norm * noise_epsilon + math.log1p(c * norm * norm / strength)


def compute_output_epsilon(rate: float, strength: float, norm: float = 1.0, weight: float = 1.0) -> float:
    """Return the epsilon of output perturbation for one replaced record.

    The minimizer changes by at most 2 weight norm / strength, with the largest weight and norm of a
    record; `strength` is the strong convexity of the objective times n without the records. `rate` is that
    of the norm of the noise.

    >>> compute_output_epsilon(5.0, 1.0)
    10.0
    """
    if not strength > 0.0 or not math.isfinite(norm):
        return math.inf
    sensitivity = 2.0 * weight * norm / strength
    return rate * sensitivity if sensitivity > 0.0 else 0.0


def compute_saturation_probability(rate: float, strength: float, size: int) -> float:
    """Return the probability that the noise of objective perturbation alone saturates a prediction.

    Without records the minimizer is -b / strength. Along a record of norm 1 it exceeds `SATURATION_THRESHOLD`
    if the noise vector's element in that direction exceeds strength times as much. `rate` is that of
    the norm of the noise vector.

    >>> f"{compute_saturation_probability(0.5, 1.0, 1):.3g}", f"{math.exp(-0.5 * SATURATION_THRESHOLD) / 2:.3g}"
    ('5.27e-09', '5.27e-09')
    """
    return float(compute_element_cdf(-SATURATION_THRESHOLD * max(strength, 0.0) * rate, size))


@dataclass(frozen=True, slots=True)
class SphericalNoise:
    """Noise vector with density proportional to exp(-rate |b|), each element then divided by a number.

    Its norm is Gamma(d, rate) and its direction uniform. Given V, which is
    Gamma((d + 1) / 2, rate^2 / 2), its elements are independent and normal with variance V. So an
    element has standard deviation sqrt(d + 1) / rate, and is Laplace if d is 1. An infinite rate
    stands for no noise; there are d divisors, all above 0.

    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109, Algorithm 1.

    >>> SphericalNoise(2.0, (1.0, 0.5, 1.0)).std()
    array([1., 2., 1.])
    """

    rate: float
    divisors: tuple[float, ...]

    @property
    def scale(self) -> Floats:
        """Scale of each element: 1 / (rate * divisor)."""
        return 1.0 / (self.rate * np.array(self.divisors))

    def draw(self, source: Source) -> Floats:
        """Draw a vector, shape (d,), not yet divided: first its norm, then its direction.

        With an infinite rate it is 0, and only the direction is drawn.

        >>> from pydpstat.random import source_from
        >>> SphericalNoise(1.0, (1.0, 1.0)).draw(source_from(123, int_seeds_r=True)).round(4)
        array([ 0.5138, -0.7293])
        """
        size = len(self.divisors)
        length = source.gamma(size, self.rate)
        direction = draw_normals(source, size, 1.0)
        direction = direction / math.sqrt(r.sum(direction * direction))
        return length * direction

    def std(self) -> Floats:
        """Return the standard deviation of each element."""
        return math.sqrt(len(self.divisors) + 1.0) * self.scale

    def cdf(self, x: npt.ArrayLike) -> Floats:
        """Return the probability that an element is at most x, which is broadcast against the d elements."""
        with np.errstate(divide="ignore"):
            return compute_element_cdf(np.asarray(x, dtype=np.float64) / self.scale, len(self.divisors))

    def ppf(self, q: float) -> Floats:
        """Return the quantile of each element for one probability q, shape (d,)."""
        return compute_element_ppf(float(q), len(self.divisors)) * self.scale


def compute_element_cdf(x: npt.ArrayLike, size: int) -> Floats:
    """Return the distribution function of one element of a vector of the given size, at rate 1.

    >>> round(float(compute_element_cdf(-1.0, 1)), 6) == round(math.exp(-1) / 2, 6)
    True
    """
    from scipy.special import ndtr

    x = np.asarray(x, dtype=np.float64)
    spread, weights = _compute_radius_nodes(size)
    total = np.zeros(x.shape)
    for sd, weight in zip(spread, weights):
        total += weight * ndtr(x / sd)
    return np.minimum(total, 1.0)


@lru_cache(maxsize=64)
def compute_element_ppf(q: float, size: int) -> float:
    """Return the quantile of one element of a vector of the given size, at rate 1."""
    from scipy.optimize import brentq

    if q > 0.5:
        return -compute_element_ppf(1.0 - q, size)
    if q == 0.5:
        return 0.0
    if q <= 0.0:
        return -math.inf
    low = -1.0
    while compute_element_cdf(low, size) > q:
        low *= 2.0
    return float(brentq(lambda x: float(compute_element_cdf(x, size)) - q, low, 0.0, xtol=1e-13, rtol=1e-13))


def _compute_radius_nodes(size: int) -> tuple[Floats, Floats]:
    """Return nodes of sqrt(V) and their weights; V / 2 is Gamma((size + 1) / 2) at rate 1."""
    from scipy.special import gammaln

    shape = (size + 1.0) / 2.0
    step = min(0.2, 0.5 / math.sqrt(shape))
    width = _TAIL_WIDTH / math.sqrt(shape)
    logs = math.log(shape) + np.arange(-width, min(width, 10.0) + step, step)
    weights = step * r.exp(shape * logs - r.exp(logs) - gammaln(shape))
    return np.sqrt(2.0) * r.exp(logs / 2.0), weights


def draw_normals(source: Source, size: int, sd: float) -> Floats:
    """Draw normal variables with mean 0."""
    if source.reproducible:
        return source.normal(size, sd)
    return np.asarray(source.normal(size, 1.0, _GRID_UNIT) * _GRID_UNIT * sd, dtype=np.float64)


class CMSPlan(NamedTuple):
    """Noise and added regularization of a fit, whether noise is drawn, and the epsilon that holds.

    `norm` is the largest norm of a record by the bounds.
    """

    noise: SphericalNoise
    extra: float
    has_noise: bool
    norm: float
    guaranteed_epsilon: float


def make_noise_plan(
    eps: float, gamma: float, c: float | None, method: str, strength: float, records: FitRecords
) -> CMSPlan:
    """Calibrate the noise of a fit as R does; raise an error if R stops or its coefficients are not finite.

    Objective perturbation needs `c`, the bound on the loss's second derivative. `strength` is the strong convexity
    of the minimized objective times n without the records.
    """
    if not eps > 0.0 or not math.isfinite(gamma):
        raise PydpstatError(
            f"eps must be above 0 and gamma finite; got {eps!r} and {gamma!r}, with which R's noise "
            "has no distribution. Give for example eps=1, gamma=1."
        )
    norm = math.sqrt(float(np.sum(records.limits * records.limits)))
    norm = 1.0 if abs(norm - 1.0) < ROUNDING_TOLERANCE else norm
    extra, noisy = 0.0, True
    if method == "output":
        with np.errstate(all="ignore"):
            rate = float(np.float64(gamma * eps) / (2.0 * records.max_weight))
        actual = compute_output_epsilon(rate, strength, norm, records.max_weight)
    elif math.isinf(eps):
        rate, actual, noisy = math.inf, math.inf, False
    else:
        curvature = checks.check_scalar(c, "c")
        remaining, extra = compute_objective_constants(eps, gamma, curvature, records.y.size)
        rate = remaining / 2.0
        actual = compute_objective_epsilon(remaining, curvature, strength + records.y.size * extra, norm)
    if not rate > 0.0 or not math.isfinite(extra):
        raise PydpstatError(
            f"with eps={eps!r} and gamma={gamma!r} the noise has no distribution: R stops, returns "
            "NaN or adds no noise. Use a positive gamma, and a positive weights_upper_bound if there "
            "are weights."
        )
    noise = SphericalNoise(rate, tuple(records.divisors.tolist()))
    return CMSPlan(noise, extra, noisy, norm, actual)


# The method of Kifer, Smith and Thakurta minimizes (losses + gamma penalty + extra w'w / 2 + b'w) / n inside
# a domain. Up to n, which does not affect the minimum, each record adds its gradient to -b and its matrix of
# second derivatives, of rank one, to a determinant, from which the guarantees are derived.
ADDED_RECORD_CONDITION = "for one record added or removed epsilon is"
# largest distance of two records' gradients at one point, in units of zeta: in general, and for
# squared errors with |x|^2 <= d, |w|^2 <= d, |y| <= d. There it is half the width of the cardioid
# r = 1 + cos(t), or with d = 1 half the distance from its tip, 2, to the farthest point behind, -1/4.
GRADIENT_DISTANCE, SQUARED_ERROR_DISTANCE, SQUARED_ERROR_DISTANCE_1D = 2.0, 0.75 * math.sqrt(3.0), 1.125


def compute_noise_variance(eps: float, delta: float, zeta: float) -> float:
    """Return the variance of each element of Gaussian noise in the objective, with R's operations.

    `zeta` bounds the norm of one record's gradient. The variance is negative or NaN for values of `eps` and
    `delta`, both above 0, without a meaning.

    Kifer, D., Smith, A. and Thakurta, A. (2012). Private convex empirical risk minimization and
    high-dimensional regression. Proceedings of the 25th Annual Conference on Learning Theory,
    Algorithm 1.

    >>> round(compute_noise_variance(1.0, 0.01, 2.0), 3)
    185.546
    """
    with np.errstate(all="ignore"):
        spread = 8.0 * np.float64(r.log(np.float64(2.0) / delta)) + 4.0 * eps
        return float(zeta * zeta * spread / (np.float64(eps) * eps))


def compute_replaced_epsilon(
    eps: float,
    delta: float,
    target_delta: float,
    lam: float,
    strength: float,
    gradient_distance: float,
    size: int,
) -> float:
    """Return the epsilon, at the same delta, that holds for one replaced record.

    The noise was calibrated to `eps` and `delta`; with delta 0 its density is exp(-eps |b| / (2 zeta)).
    `target_delta` is the delta of the returned epsilon, not used if `delta` is 0. `lam` bounds one record's second
    derivative, `strength` is the strong convexity of the objective times n without the records, and
    `gradient_distance` is the largest distance of two records' gradients, in units of zeta. Epsilon is infinite
    if nothing is proven.

    The determinant changes by at most 1 + lam / strength, since removing a record only decreases it.
    Without delta the noise's density changes by at most exp(gradient_distance eps / 2). With delta let g be
    the change of b and s its standard deviation: the log density changes by
    |b'g| / s^2 + |g|^2 / (2 s^2). As each gradient has the direction of its record, only the projection of b on
    the span of two records matters, whose squared norm over s^2 is chi-square with min(2, size) degrees
    of freedom, or the two projections on each record, which are normal.

    >>> round(compute_replaced_epsilon(1.0, 0.0, 0.0, 2.0, 4.0, 2.0, 2), 4)
    1.4055
    """
    grown = _compute_log_determinant(lam, strength)
    if delta == 0.0:
        return gradient_distance * eps / 2.0 + grown
    unit = _compute_gradient_in_sd(eps, delta)
    if not (math.isfinite(unit) and 0.0 < target_delta < 1.0):
        return math.inf
    span = math.sqrt(-2.0 * math.log(target_delta)) if size > 1 else _compute_two_sided_quantile(target_delta)
    along = min(gradient_distance * span, 2.0 * _compute_two_sided_quantile(target_delta / 2.0))
    return unit * along + (gradient_distance * unit) ** 2 / 2.0 + grown


def compute_added_epsilon(eps: float, delta: float, lam: float, strength: float) -> float:
    """Return the epsilon, at the same delta, that holds for one record added or removed.

    Parameters are those of `compute_replaced_epsilon`.

    >>> round(compute_added_epsilon(1.0, 0.0, 2.0, 4.0), 4)
    0.9055
    """
    grown = _compute_log_determinant(lam, strength)
    if delta == 0.0:
        return eps / 2.0 + grown
    unit = _compute_gradient_in_sd(eps, delta)
    if not (math.isfinite(unit) and 0.0 < delta < 1.0):
        return math.inf
    return unit * _compute_two_sided_quantile(delta) + unit**2 / 2.0 + grown


def find_smallest_delta(epsilon: Callable[[float], float], target: float) -> float:
    """Return the smallest delta at which a decreasing function of delta is at most `target`; 1 if there is none.

    >>> round(find_smallest_delta(lambda delta: 1.0 - delta, 0.25), 6)
    0.75
    """
    if epsilon(1.0 - 1e-9) > target:
        return 1.0
    limits = math.log(1e-300), math.log(1.0 - 1e-9)
    return math.exp(bisect_up(lambda x: not epsilon(math.exp(x)) <= target, *limits, steps=60)[1])


def make_objective_sampler(eps: float, delta: float, zeta: float, size: int) -> Callable[[Source], Floats]:
    """Return the sampler of the noise of a fit as in R; raise an error if R stops."""
    if delta > 0.0:
        variance = compute_noise_variance(eps, delta, zeta)
        if not 0.0 <= variance < math.inf:
            raise PydpstatError(
                f"the noise has no variance with eps={eps!r}, delta={delta!r}, zeta={zeta!r}, and R stops. "
                "Give a finite eps and a delta below 1, or delta=0."
            )
        return partial(_draw_like_mvrnorm, size=size, sd=math.sqrt(variance))
    with np.errstate(all="ignore"):
        rate = float(np.float64(eps) / (2.0 * zeta))
    if not rate > 0.0:
        raise PydpstatError(
            f"zeta must be at least 0 and finite if delta is 0; got {zeta!r}, for which R stops. Give "
            "a bound on the length of a record's gradient."
        )
    # with an infinite eps R draws the direction, but adds no noise
    return SphericalNoise(rate, (1.0,) * size).draw


def _draw_like_mvrnorm(source: Source, size: int, sd: float) -> Floats:
    """Draw Gaussian noise as R's mvrnorm does, whose eigenvectors reorder the draws."""
    drawn = draw_normals(source, size, 1.0)
    if size == 2:
        return sd * np.array([-drawn[1], drawn[0]])
    return sd * drawn[::-1]


def _compute_log_determinant(lam: float, strength: float) -> float:
    if lam == 0.0 and strength >= 0.0:
        return 0.0
    return math.log1p(lam / strength) if lam > 0.0 and strength > 0.0 else math.inf


def _compute_gradient_in_sd(eps: float, delta: float) -> float:
    """Return the ratio of zeta to the standard deviation of the noise; zeta cancels."""
    variance = compute_noise_variance(eps, delta, 1.0)
    return 1.0 / math.sqrt(variance) if variance > 0.0 else math.inf


def _compute_two_sided_quantile(delta: float) -> float:
    """Return the value that the absolute value of a standard normal variable exceeds with probability delta."""
    from scipy.special import ndtri

    return float(-ndtri(delta / 2.0))

"""DPpack's noise with R's checks and the order of R's operations: its claimed and its actual guarantee."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard, TypeVar, cast

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat._release.calibration import QuerySpec
from pydpstat.dppack import _warnings
from pydpstat.dppack._values import check_mirror_epsilon
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.gaussian_calibration import compute_classical_sd, compute_probabilistic_sd
from pydpstat.mechanisms.laplace import LaplaceNoise, truncated_positive_epsilon
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.privacy.guarantee import Guarantee
from pydpstat.privacy.losses import GaussianLoss, LaplaceLoss
from pydpstat.r_arithmetic.distributions import pnorm
from pydpstat.r_arithmetic.elementary import Floats, exp

Scale = TypeVar("Scale", float, Floats)

PRIVACY_TYPES = ("pDP", "aDP")
# squares of smaller numbers underflow
_MIN_JOINT_SENSITIVITY = 2.0**-511


def make_laplace_noise(
    size: int, eps: float, sensitivities: npt.ArrayLike, alloc_proportions: npt.ArrayLike | None
) -> LaplaceNoise:
    """Return Laplace noise of scale sum(sensitivities) / eps, or with a separate scale for each element."""
    if alloc_proportions is None and _has_single_sensitivity(sensitivities):
        # shortcut for the usual statistic, for which arrays would dominate the time
        return _make_joint_laplace(sensitivities[0] / eps)
    sens = _read_sensitivities(sensitivities, size)
    shares = _read_allocation(alloc_proportions, sens, size)
    if shares is None:
        return _make_joint_laplace((float(sens[0]) if len(sens) == 1 else r.sum(sens)) / eps)
    with np.errstate(divide="ignore", over="ignore"):
        scales = sens / (shares * eps)
    return LaplaceNoise.mirrored(_require_finite_scale(scales))


def _make_joint_laplace(scale: float) -> LaplaceNoise:
    if _require_finite_scale(scale) == 0.0:
        raise PydpstatError("s must be positive: the sensitivity is 0, or too small for this eps.")
    return LaplaceNoise(scale)


def check_noise_delta(delta: object) -> float:
    """Check the delta of Gaussian noise; as in R, 1 and more are allowed."""
    return checks.check_positive(delta, "delta", "Give a small probability, for example 1e-6.")


def make_gaussian_noise(
    size: int,
    eps: float,
    delta: float,
    sensitivities: npt.ArrayLike,
    type_DP: object,
    alloc_proportions: npt.ArrayLike | None,
    analytic: object,
    tol: float,
) -> GaussianNoise:
    """Return Gaussian noise for the L2 sensitivity, or with a separate scale for each element."""
    sens = _read_sensitivities(sensitivities, size)
    analytic = checks.check_boolean(analytic, "analytic")
    if analytic and not (isinstance(type_DP, str) and type_DP == "aDP"):
        raise PydpstatError(
            f"type_DP must be 'aDP' when analytic is True; got {checks.describe_option(type_DP)}. "
            "Only approximate DP can be used there."
        )
    type_DP = checks.check_choice(type_DP, "type_DP", PRIVACY_TYPES)
    if not analytic and type_DP == "aDP" and eps >= 1:
        raise PydpstatError(
            f"eps must be < 1 for aDP unless analytic is True; got {eps!r}. Use mechanism='analytic' "
            "(or analytic=True), which is valid for every eps and adds less noise."
        )
    shares = _read_allocation(alloc_proportions, sens, size)
    if shares is None:
        with np.errstate(over="ignore", under="ignore"):
            squares = sens * sens
        joint = math.sqrt(squares[0] if len(sens) == 1 else r.sum(squares))
        if joint < _MIN_JOINT_SENSITIVITY and sens.size:
            raise PydpstatError(
                f"sensitivities must be at least {_MIN_JOINT_SENSITIVITY:.3g} together; got "
                f"{checks.describe_value(sensitivities)}, whose squares underflow: R adds no noise, or too "
                "little. Rescale the data."
            )
        return GaussianNoise.mirrored(_require_finite_scale(_calibrate_sd(eps, delta, joint, type_DP, analytic, tol)))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        each = [
            _calibrate_sd(eps * p, delta * p, s, type_DP, analytic, tol) for p, s in zip(shares.tolist(), sens.tolist())
        ]
    return GaussianNoise.mirrored(_require_finite_scale(np.array(each)))


def _calibrate_sd(eps: float, delta: float, sensitivity: float, type_DP: str, analytic: bool, tol: float) -> float:
    if analytic:
        return float(calibrate_analytic_loop(eps, delta, sensitivity, tol))
    probabilistic = type_DP == "pDP"
    if delta >= 2.0 if probabilistic else delta > 1.25:
        raise PydpstatError(
            f"delta must be a probability above 0 and below 1; got {delta!r}, for which R returns NaN. "
            "Give a small one, for example 1e-6."
        )
    return float((compute_probabilistic_sd if probabilistic else compute_classical_sd)(eps, delta, sensitivity))


def _has_single_sensitivity(sensitivities: object) -> TypeGuard[tuple[float]]:
    return (
        type(sensitivities) is tuple
        and len(sensitivities) == 1
        and type(sensitivities[0]) is float
        and 0.0 < sensitivities[0] < math.inf
    )


def _read_sensitivities(sensitivities: npt.ArrayLike, size: int) -> np.ndarray:
    if _has_single_sensitivity(sensitivities):
        return np.array(sensitivities)
    values = np.atleast_1d(checks.to_array(sensitivities))
    if values.dtype.kind not in "fiub" or values.ndim > 1 or np.isnan(values.astype(np.float64)).any():
        raise PydpstatError(
            f"sensitivities must be one number or one for each value; got {checks.describe_value(sensitivities)}. "
            "Give a number, a list or an array of them."
        )
    if values.size not in (1, size):
        raise PydpstatError(
            f"Length of sensitivities must match length of true_values ({size}) or be 1; got {values.size}."
        )
    if (values <= 0).any():
        raise PydpstatError(
            f"Global sensitivities must be > 0; got {checks.describe_value(sensitivities)}. "
            "Check that the lower bound is below the upper bound."
        )
    return values.astype(np.float64)


def _read_allocation(alloc_proportions: npt.ArrayLike | None, sens: np.ndarray, size: int) -> np.ndarray | None:
    if alloc_proportions is None:
        return None
    values = np.atleast_1d(checks.to_array(alloc_proportions))
    if values.dtype.kind not in "fiub" or values.shape != sens.shape:
        raise PydpstatError(
            f"alloc_proportions must be numbers, as many as sensitivities ({sens.size}); "
            f"got {checks.describe_value(alloc_proportions)}. Give a list or an array."
        )
    if not (values > 0).all():
        raise PydpstatError(f"Values in alloc_proportions must be > 0; got {checks.describe_value(alloc_proportions)}.")
    if sens.size != size:
        raise PydpstatError(f"alloc_proportions with {size} values needs one sensitivity for each; got {sens.size}.")
    return values / r.sum(values)


def _require_finite_scale(scale: Scale) -> Scale:
    if not (math.isfinite(scale) if isinstance(scale, float) else np.isfinite(scale).all()):
        raise PydpstatError(
            "the noise scale is not finite, so R would return NaN or an infinite value. "
            "Give finite bounds and sensitivities, and an eps that is not too small for them."
        )
    return scale


def calibrate_analytic_loop(
    epsilon: float, delta: float, sensitivity: npt.ArrayLike, tol: float = 1e-12
) -> float | Floats:
    """Return the standard deviation of DPpack's ``calibrateAnalyticGaussianMechanism``.

    It bisects until delta is met within the absolute tolerance `tol`. For a delta near `tol` or
    below it the result is arbitrary and can be far too small, unlike that of `calibrate_gaussian`.
    As in R the sensitivity is only a factor: an array, 0 and negative numbers are allowed. An error is raised
    if R stops, never returns, or returns no finite number; from epsilon 709.79 on exp overflows.

    With A(s) = Phi(sqrt(eps s)) - exp(eps) Phi(-sqrt(eps (s + 2))) and B(s) with Phi(-sqrt(eps s)) in
    front, delta is A(s) for the noise ``sqrt(1 + s/2) - sqrt(s/2)`` times sensitivity / sqrt(2 eps),
    and B(s) for ``sqrt(1 + s/2) + sqrt(s/2)`` times the same.

    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy:
    analytical calibration and optimal denoising. ICML 2018, Algorithm 1.

    >>> round(calibrate_analytic_loop(0.5, 0.01, 1), 6)
    3.146913
    """
    eps, dlt, tolerance = (
        checks.check_scalar(value, name) for value, name in ((epsilon, "epsilon"), (delta, "delta"), (tol, "tol"))
    )
    sens = checks.to_array(sensitivity)
    if sens.dtype.kind not in "biuf" or not sens.size or not np.all(np.isfinite(sens)):
        raise PydpstatError(
            f"sensitivity must be one or more finite numbers; got {checks.describe_value(sensitivity)}."
        )
    growth = exp(eps)
    if not eps > 0.0 or math.isinf(growth):
        raise PydpstatError(
            f"epsilon must be above 0 and below 709.79 here; got {eps!r}. R stops, or returns "
            "infinity. Use calibrate_gaussian(), which accepts every positive epsilon."
        )
    if not 0.0 <= dlt <= 1.0:
        raise PydpstatError(f"delta must be between 0 and 1; got {dlt!r}. R never returns. Give 1e-6.")
    alpha = _solve_alpha(eps, dlt, growth, tolerance)
    with np.errstate(over="ignore"):
        sd = alpha * sens.astype(np.float64) / math.sqrt(2.0 * eps)
    if not np.all(np.isfinite(sd)):
        raise PydpstatError(
            f"sensitivity must lead to a finite standard deviation; got {checks.describe_value(sensitivity)}. "
            "Rescale the statistic."
        )
    return sd if sens.ndim else float(sd)


def _solve_alpha(epsilon: float, delta: float, growth: float, tol: float) -> float:
    """Return the noise relative to ``sensitivity / sqrt(2 * epsilon)``, from A for a delta above A(0), else from B."""

    def compute_delta(s: float, sign: float) -> float:
        far_tail = growth * pnorm(-math.sqrt(epsilon * (s + 2.0)))
        return float(pnorm(sign * math.sqrt(epsilon * s)) - far_tail)

    middle = compute_delta(0.0, 1.0)
    if delta == middle:
        return 1.0
    sign = 1.0 if delta > middle else -1.0
    s = _bisect_delta(lambda s: compute_delta(s, sign), sign, delta, tol)
    return math.sqrt(1.0 + s / 2.0) - sign * math.sqrt(s / 2.0)


def _bisect_delta(function: Callable[[float], float], sign: float, delta: float, tol: float) -> float:
    """Return the argument at which a monotone function, increasing if `sign` is 1, is within `tol` of delta."""
    low, high = 0.0, 1.0
    while sign * function(high) < sign * delta:
        low, high = high, 2.0 * high
        if math.isinf(high):
            raise _make_tolerance_error(delta, tol)
    while True:
        middle = low + (high - low) / 2.0
        value = function(middle)
        if abs(value - delta) <= tol:
            return middle
        before = low, high
        if sign * value > sign * delta:
            high = middle
        else:
            low = middle
        if (low, high) == before:
            # the bracket consists of adjacent floats: R's loop would never end
            raise _make_tolerance_error(delta, tol)


def _make_tolerance_error(delta: float, tol: float) -> PydpstatError:
    return PydpstatError(
        f"tol must be large enough for delta; got tol {tol!r} with delta {delta!r}. R never returns. "
        "Use calibrate_gaussian(), which needs no tolerance."
    )


# largest ratio of the exact to the claimed delta without a warning
LOOSE_DELTA_FACTOR = 1.01


@dataclass(frozen=True, slots=True)
class StatisticCalibrator:
    """Calibrator of a mirrored statistic: Laplace noise, with delta 0, or Gaussian noise.

    `type_DP` and `analytic` are R's arguments for Gaussian noise. `neighbors` are those of the claim, `conditions`
    those of the guarantee, and `guaranteed_neighbors` the neighbors for which it holds, if they differ; if
    `is_void`, nothing is guaranteed. If `is_redrawn`, the draw is repeated until the value is positive, which
    weakens the guarantee of Laplace noise. `alloc_proportions` and `tol` are the arguments of `LaplaceMechanism`
    and `GaussianMechanism`.
    """

    function: str
    is_laplace: bool
    eps: float
    delta: float
    type_DP: object
    analytic: object
    neighbors: str
    conditions: tuple[str, ...] = ()
    guaranteed_neighbors: str | None = None
    is_void: bool = False
    is_redrawn: bool = False
    alloc_proportions: npt.ArrayLike | None = None
    tol: float = 1e-12

    def calibrate(self, query_spec: QuerySpec, sensitivities: tuple[float, ...]) -> LaplaceNoise | GaussianNoise:
        """Return noise by R's calibration, with a scale for each share of `alloc_proportions`."""
        if self.is_laplace:
            return make_laplace_noise(query_spec.size, self.eps, sensitivities, self.alloc_proportions)
        return make_gaussian_noise(
            query_spec.size,
            self.eps,
            self.delta,
            sensitivities,
            self.type_DP,
            self.alloc_proportions,
            self.analytic,
            self.tol,
        )

    def make_guarantees(self, query_spec: QuerySpec, noise: Noise) -> tuple[Guarantee, Guarantee]:
        """Return the claim, and the guarantee of the whole release."""
        claim, noise_guarantee = self.make_noise_guarantees(query_spec, noise)
        if self.is_void:
            return claim, Guarantee(math.inf, 0.0, noise_guarantee.neighbors)
        neighbors = self.guaranteed_neighbors or noise_guarantee.neighbors
        if self.is_redrawn:
            # noise that is redrawn until the value is positive has a truncated distribution
            epsilon = (
                truncated_positive_epsilon(noise_guarantee.epsilon) if self.is_laplace else noise_guarantee.epsilon
            )
            return claim, Guarantee(epsilon, noise_guarantee.delta, neighbors, self.conditions)
        return claim, Guarantee(
            noise_guarantee.epsilon, noise_guarantee.delta, neighbors, self.conditions, noise_guarantee.loss
        )

    def make_noise_guarantees(self, query_spec: QuerySpec, noise: Noise) -> tuple[Guarantee, Guarantee]:
        """Return the claim, and the guarantee of the noise itself, with the larger of claimed and exact delta."""
        claim = Guarantee(self.eps, min(self.delta, 1.0), self.neighbors)
        if not isinstance(noise, GaussianNoise):
            return claim, replace(claim, loss=LaplaceLoss(self.eps))
        # the closed formulas are proven for every delta below 1
        delta = self.delta
        if self.delta >= 1.0:
            delta = self.compute_exact_delta(query_spec, noise)
        elif self.analytic:
            # R's stopping rule allows the exact delta to exceed the claimed one by its tolerance
            delta = max(delta, self.compute_exact_delta(query_spec, noise))
        return claim, replace(claim, delta=delta, loss=_make_gaussian_loss(noise, query_spec.sensitivities))

    def warn_weak_noise(self, query_spec: QuerySpec) -> None:
        """Warn if the guarantee of the noise itself is weaker than claimed."""
        if self.is_laplace or self.delta < 1.0 and not self.analytic:
            return
        noise = self.calibrate(query_spec, query_spec.sensitivities)
        exact = self.compute_exact_delta(query_spec, cast(GaussianNoise, noise))
        if self.delta >= 1.0:
            _warnings.warn_large_delta(self.function, self.delta, self.eps, exact)
        elif exact > LOOSE_DELTA_FACTOR * self.delta:
            _warnings.warn_loose_calibration(self.delta, exact)

    def compute_exact_delta(self, query_spec: QuerySpec, noise: GaussianNoise) -> float:
        """Return the exact delta of Gaussian noise at the claimed epsilon.

        With `alloc_proportions` it is the sum of the deltas of the values' separate noises.
        """
        if self.alloc_proportions is None:
            joint = math.sqrt(math.fsum(sensitivity * sensitivity for sensitivity in query_spec.sensitivities))
            return float(noise.delta(self.eps, joint))
        shares = np.atleast_1d(np.asarray(self.alloc_proportions, dtype=np.float64))
        components = zip(np.atleast_1d(noise.sd), shares / shares.sum(), query_spec.sensitivities)
        deltas = (float(GaussianNoise.mirrored(sd).delta(self.eps * share, s)) for sd, share, s in components)
        return min(1.0, math.fsum(deltas))


class AllocationCalibrator(StatisticCalibrator):
    """Calibrator of a mechanism with array arguments, which cannot be cached."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]


def make_statistic_calibrator(
    function: str,
    arguments: Mapping[str, object],
    neighbors: str,
    conditions: tuple[str, ...] = (),
    guaranteed_neighbors: str | None = None,
    is_void: bool = False,
    is_redrawn: bool = False,
) -> StatisticCalibrator:
    """Return the calibrator of a statistic with one of DPpack's three mechanisms, its parameters checked.

    `arguments` are those of the mirror; `mechanism` is checked already. R uses `delta` for Gaussian noise only, and
    `type_DP` for ``"Gaussian"`` only.
    """
    eps, mechanism = check_mirror_epsilon(arguments["eps"]), arguments["mechanism"]
    is_laplace, analytic = mechanism == "Laplace", mechanism == "analytic"
    delta = 0.0 if is_laplace else check_noise_delta(arguments["delta"])
    type_DP = "aDP" if analytic else arguments["type_DP"]
    flags = (conditions, guaranteed_neighbors, is_void, is_redrawn)
    return StatisticCalibrator(function, is_laplace, eps, delta, type_DP, analytic, neighbors, *flags)


def _make_gaussian_loss(noise: GaussianNoise, sensitivities: tuple[float, ...]) -> GaussianLoss | None:
    """Return the privacy loss of noise with one sd, or one for each sensitivity; None if an sd is 0."""
    sds = (noise.sd,) * len(sensitivities) if isinstance(noise.sd, float) else noise.sd.tolist()
    if not all(sds):
        return None
    mu = math.hypot(*(sensitivity / sd for sensitivity, sd in zip(sensitivities, sds)))
    # compensate for rounding errors
    mu *= 1.0 + 2.0**-50
    return GaussianLoss(mu) if 0.0 < mu < math.inf else None

"""Calibration of noise as DPpack's mechanisms do it: R's checks in R's order, R's float operations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat.dppack._analytic_gaussian import analytic_gaussian_loop
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.gaussian_calibration import classical_sd, probabilistic_sd
from pydpstat.mechanisms.laplace import LaplaceNoise

TYPES = ("pDP", "aDP")
# the square of a smaller number underflows
_SMALLEST_JOINT = 2.0**-511


def laplace_noise(size: int, eps: Any, sensitivities: Any, alloc_proportions: Any = None) -> LaplaceNoise:
    """Return Laplace noise of scale sum(sensitivities) / eps, or of its own scale for each element."""
    eps = checks.epsilon(eps, "eps")
    if alloc_proportions is None and _is_one(sensitivities):
        # the usual statistic; arrays would take longer than all the rest
        return _joint_laplace(sensitivities[0] / eps)
    sens = _sensitivities(sensitivities, size)
    shares = _shares(alloc_proportions, sens, size)
    if shares is None:
        return _joint_laplace((float(sens[0]) if len(sens) == 1 else r.sum(sens)) / eps)
    with np.errstate(divide="ignore", over="ignore"):
        scales = sens / (shares * eps)
    return LaplaceNoise.mirrored(_finite_scale(scales))


def _joint_laplace(scale: float) -> LaplaceNoise:
    if _finite_scale(scale) == 0.0:
        raise PydpstatError("s must be positive: there is no sensitivity, or it is too small for this eps.")
    return LaplaceNoise(scale)


def gaussian_noise(
    size: int,
    eps: Any,
    delta: Any,
    sensitivities: Any,
    type_DP: Any = "aDP",
    alloc_proportions: Any = None,
    analytic: Any = False,
    tol: Any = 1e-12,
) -> GaussianNoise:
    """Return Gaussian noise for the L2 sensitivity, or of its own scale for each element."""
    eps = checks.epsilon(eps, "eps")
    delta = checks.positive(delta, "delta", "Give a small probability, for example 1e-6.")
    sens = _sensitivities(sensitivities, size)
    analytic = checks.flag(analytic, "analytic")
    if analytic and not (isinstance(type_DP, str) and type_DP == "aDP"):
        raise PydpstatError(
            f"type_DP must be 'aDP' when analytic is True; got {checks.shown_option(type_DP)}. "
            "Only approximate DP can be used there."
        )
    checks.one_of(type_DP, "type_DP", TYPES)
    if not analytic and type_DP == "aDP" and eps >= 1:
        raise PydpstatError(
            f"eps must be < 1 for aDP unless analytic is True; got {eps!r}. Use mechanism='analytic' "
            "(or analytic=True), which holds for every eps with less noise."
        )
    shares = _shares(alloc_proportions, sens, size)
    if shares is None:
        with np.errstate(over="ignore", under="ignore"):
            squares = sens * sens
        joint = math.sqrt(squares[0] if len(sens) == 1 else r.sum(squares))
        if joint < _SMALLEST_JOINT and sens.size:
            raise PydpstatError(
                f"sensitivities must not be below {_SMALLEST_JOINT:.3g} together; got "
                f"{checks.shown(sensitivities)}, whose squares underflow: R adds no noise, or too little. "
                "Rescale the data."
            )
        return GaussianNoise.mirrored(_finite_scale(_sd(eps, delta, joint, type_DP, analytic, tol)))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        each = [
            _sd(eps * p, delta * p, s, type_DP, analytic, tol) for p, s in zip(shares.tolist(), sens.tolist())
        ]
    return GaussianNoise.mirrored(_finite_scale(np.array(each)))


def _sd(eps: float, delta: float, sensitivity: float, type_DP: str, analytic: bool, tol: Any) -> float:
    if analytic:
        return float(analytic_gaussian_loop(eps, delta, sensitivity, tol))
    if type_DP == "pDP":
        if delta >= 2.0:
            raise _beyond_r("delta", delta)
        return float(probabilistic_sd(eps, delta, sensitivity))
    if delta > 1.25:
        raise _beyond_r("delta", delta)
    return float(classical_sd(eps, delta, sensitivity))


def _beyond_r(name: str, value: float) -> PydpstatError:
    return PydpstatError(
        f"{name} must be a probability above 0 and below 1; got {value!r}, for which R returns NaN. "
        "Give a small one, for example 1e-6."
    )


def _is_one(sensitivities: Any) -> bool:
    return (
        type(sensitivities) is tuple
        and len(sensitivities) == 1
        and type(sensitivities[0]) is float
        and 0.0 < sensitivities[0] < math.inf
    )


def _sensitivities(sensitivities: Any, size: int) -> np.ndarray:
    if _is_one(sensitivities):
        return np.array(sensitivities)
    values = _vector(sensitivities)
    if values.dtype.kind not in "fiub" or values.ndim > 1 or np.isnan(values.astype(np.float64)).any():
        raise PydpstatError(
            f"sensitivities must be one number or one for each value; got {checks.shown(sensitivities)}."
        )
    if values.size not in (1, size):
        raise PydpstatError(
            f"Length of sensitivities must match length of true_values ({size}) or be 1; got {values.size}."
        )
    if (values <= 0).any():
        raise PydpstatError(
            f"Global sensitivities must be > 0; got {checks.shown(sensitivities)}. "
            "Check that the lower bound is below the upper bound."
        )
    return values.astype(np.float64)


def _shares(alloc_proportions: Any, sens: np.ndarray, size: int) -> np.ndarray | None:
    if alloc_proportions is None:
        return None
    values = _vector(alloc_proportions)
    if values.dtype.kind not in "fiub" or values.shape != sens.shape:
        raise PydpstatError(
            f"alloc_proportions must be numbers, as many as sensitivities ({sens.size}); "
            f"got {checks.shown(alloc_proportions)}."
        )
    if not (values > 0).all():
        raise PydpstatError(
            f"Values in alloc_proportions must be > 0; got {checks.shown(alloc_proportions)}."
        )
    if sens.size != size:
        raise PydpstatError(
            f"alloc_proportions with {size} values needs one sensitivity for each; got {sens.size}."
        )
    return values / r.sum(values)


def _vector(values: Any) -> np.ndarray:
    try:
        return np.atleast_1d(np.asarray(values))
    except (TypeError, ValueError):
        # a ragged list; its type is refused by the caller
        return np.array([None], dtype=object)


def _finite_scale(scale: Any) -> Any:
    if not (math.isfinite(scale) if isinstance(scale, float) else np.isfinite(scale).all()):
        raise PydpstatError(
            "the noise scale is not finite, so R would return NaN or an infinite value. "
            "Give finite bounds and sensitivities, and an eps that is not too small for them."
        )
    return scale

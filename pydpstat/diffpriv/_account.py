"""What a release by diffpriv claims and what it keeps; the warnings are given here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pydpstat.diffpriv import _warnings
from pydpstat.diffpriv.mechanisms import DPMech, DPMechExponential, DPMechGaussian
from pydpstat.diffpriv.params import DPParamsEps, DPParamsGam, delta_of
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.privacy import Guarantee
from pydpstat.results._call import Call, Named

GIVEN = "the sensitivity given is right for every pair of data sets that differ in one replaced record"
# how far an exact delta may pass the claimed one by rounding
ROUNDING = 1.0 + 1e-9


def result_params(mechanism: DPMech, params: DPParamsEps) -> DPParamsEps:
    """Return a copy of the parameters of the result, with the gamma of a sampled sensitivity."""
    gamma = mechanism.gammaSensitivity
    if gamma is None:
        return type(params)(**{name: getattr(params, name) for name in params.slots()})
    if gamma >= 1.0:
        raise PydpstatError(
            f"gammaSensitivity must be below 1 for a release; got {gamma!r}, so the sampled sensitivity "
            "promises nothing. Sample it again with a larger m."
        )
    return params.toGamma(gamma)


def held(mechanism: DPMech, params: DPParamsEps, noise: Any) -> tuple[Guarantee, Guarantee]:
    """Return claim and guarantee of a release, and warn where they differ.

    Parameters
    ----------
    mechanism : DPMech
    params : DPParamsEps
        As the caller gave them.
    noise : LaplaceNoise, GaussianNoise or None
        The calibrated noise; None for a choice.
    """
    delta = delta_of(params) if isinstance(mechanism, DPMechGaussian) else 0.0
    claim = Guarantee(params.epsilon, delta_of(params))
    use = _sound(mechanism)
    epsilon = params.epsilon
    if isinstance(mechanism, DPMechExponential):
        _warnings.proportional_choice(epsilon)
        epsilon = math.inf
    elif mechanism.sensitivity == 0.0 or epsilon == math.inf:
        cause = "a sensitivity of 0" if mechanism.sensitivity == 0.0 else "an infinite epsilon"
        _warnings.exact_value(cause, use)
        epsilon = math.inf
    elif isinstance(noise, GaussianNoise):
        delta = _gaussian_delta(noise, epsilon, delta, mechanism.sensitivity)
    conditions: tuple[str, ...] = (GIVEN,)
    if mechanism.sampled:
        _warnings.sampled_sensitivity(mechanism.gammaSensitivity, use)
        conditions = (_random(mechanism, epsilon, delta),)
        epsilon = math.inf
    elif isinstance(params, DPParamsGam) and params.gamma > 0.0:
        _warnings.random_privacy(params.gamma, use)
    elif math.isinf(epsilon):
        conditions = ()
    return claim, Guarantee(epsilon, delta, "bounded", conditions)


def _gaussian_delta(noise: GaussianNoise, epsilon: float, claimed: float, sensitivity: float) -> float:
    if epsilon < 1.0:
        # the formula is proven there
        return claimed
    exact = float(noise.delta(epsilon, sensitivity))
    if exact > claimed * ROUNDING:
        _warnings.classical_gaussian(epsilon, claimed, exact)
    return max(claimed, exact)


def _random(mechanism: DPMech, epsilon: float, delta: float) -> str:
    gamma = mechanism.gammaSensitivity
    share = "an unknown share" if gamma is None else f"a share of up to {gamma:.4g}"
    if math.isinf(epsilon):
        return "the sensitivity was sampled, and nothing holds for the data that the oracle draws either"
    return (
        "random differential privacy: for records drawn independently from the oracle "
        f"(epsilon {epsilon:.6g}, delta {delta:.6g}) holds but for {share} of the data sets; "
        "for other data nothing holds"
    )


def _sound(mechanism: DPMech) -> str:
    if isinstance(mechanism, DPMechExponential):
        return "ExponentialMechanism"
    return "GaussianMechanism" if isinstance(mechanism, DPMechGaussian) else "LaplaceMechanism"


# slots that have no short text; their names stand for them
_NAMED = {name: Named(name) for name in ("target", "responseSet")}


@dataclass(frozen=True, slots=True)
class ReleaseCall(Call):
    """A call whose first arguments are objects that are made in it.

    Parameters
    ----------
    made : tuple of Call
        The constructors' calls.
    """

    made: tuple[Call, ...] = ()

    def python(self) -> str:
        """Return the call as Python would show it."""
        return f"{self.function}({', '.join([*(call.python() for call in self.made), 'X'])})"

    def r(self) -> str | None:
        """Return the same release as an R expression."""
        return f"{self.package}::{self.function}({', '.join([*(str(call.r()) for call in self.made), 'X'])})"


def release_call(mechanism: DPMech, params: DPParamsEps) -> ReleaseCall:
    """Return the call of a release."""
    made = (_constructor(mechanism), _constructor(params))
    return ReleaseCall("releaseResponse", (("X", "X"),), (), "diffpriv", made)


def _constructor(instance: DPMech | DPParamsEps) -> Call:
    values: dict[str, Any] = {name: getattr(instance, name) for name in instance.slots()}
    arguments = ((name, _NAMED.get(name, value)) for name, value in values.items() if value is not None)
    return Call(type(instance).__name__, (), tuple(arguments), "diffpriv")

"""What a release by diffpriv claims and what it keeps; the warnings are given here."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pydpstat._warn import warn
from pydpstat.diffpriv._slots import replaced
from pydpstat.diffpriv.mechanisms import DPMech, DPMechExponential, DPMechGaussian
from pydpstat.diffpriv.params import DPParamsEps, DPParamsGam, delta_of
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.privacy import Guarantee
from pydpstat.results._call import Call, Named

GIVEN = "the given sensitivity is correct for every pair of data sets that differ in one replaced record"
# how far an exact delta may pass the claimed one by rounding
ROUNDING = 1.0 + 1e-9


def result_params(mechanism: DPMech, params: DPParamsEps) -> DPParamsEps:
    """Return a copy of the parameters of the result, with the gamma of a sampled sensitivity."""
    gamma = mechanism.gammaSensitivity
    if gamma is None:
        return replaced(params)
    if gamma >= 1.0:
        raise PydpstatError(
            f"gammaSensitivity must be below 1 for a release; got {gamma!r}, so nothing is guaranteed "
            "with the sampled sensitivity. Sample it again with a larger m."
        )
    return params.toGamma(gamma)


def held(mechanism: DPMech, params: DPParamsEps, noise: object) -> tuple[Guarantee, Guarantee]:
    """Return claim and guarantee of a release, and warn where they differ; a choice has no noise."""
    delta = delta_of(params) if isinstance(mechanism, DPMechGaussian) else 0.0
    claim = Guarantee(params.epsilon, delta_of(params))
    use = _sound(mechanism)
    epsilon = params.epsilon
    if isinstance(mechanism, DPMechExponential):
        _warn_proportional_choice(epsilon)
        epsilon = math.inf
    elif mechanism.sensitivity == 0.0 or epsilon == math.inf:
        cause = "a sensitivity of 0" if mechanism.sensitivity == 0.0 else "an infinite epsilon"
        _warn_exact_value(cause, use)
        epsilon = math.inf
    elif isinstance(noise, GaussianNoise):
        delta = _gaussian_delta(noise, epsilon, delta, mechanism.sensitivity)
    conditions: tuple[str, ...] = (GIVEN,)
    if mechanism.sampled:
        conditions = (_sampled(mechanism.gammaSensitivity, epsilon, delta, use),)
        epsilon = math.inf
    elif isinstance(params, DPParamsGam) and params.gamma > 0.0:
        _warn_random_privacy(params.gamma, use)
    elif math.isinf(epsilon):
        conditions = ()
    return claim, Guarantee(epsilon, delta, "bounded", conditions)


def _gaussian_delta(noise: GaussianNoise, epsilon: float, claimed: float, sensitivity: float) -> float:
    if epsilon < 1.0:
        # the formula is proven there
        return claimed
    exact = float(noise.delta(epsilon, sensitivity))
    if exact > claimed * ROUNDING:
        warn(
            f"DPMechGaussian's formula is proven for epsilon below 1. At epsilon {epsilon:g} its exact delta "
            f"is {exact:.4g}, not {claimed:g}. Use GaussianMechanism with analytic=True, or "
            "calibrate_gaussian.",
            row="6",
            use="GaussianMechanism",
        )
    return max(claimed, exact)


def _sampled(gamma: float | None, epsilon: float, delta: float, use: str) -> str:
    """Warn that a sampled sensitivity gives random differential privacy only; return that as a condition."""
    share = "an unknown share" if gamma is None else f"a share of up to {gamma:.4g}"
    name, own = "mean", "a statistic that takes bounds, such as pydpstat.mean"
    if use == "ExponentialMechanism":
        name, own = "choose", "pydpstat.choose"
    warn(
        "The sensitivity was sampled. This is random differential privacy: it is for data whose "
        f"records are drawn independently from the oracle, and nothing is guaranteed for {share} of "
        f"those data sets. For other data epsilon is infinite. Use {own}, or prove a sensitivity and "
        f"use {use}.",
        row="14",
        use=name,
    )
    if math.isinf(epsilon):
        return "the sensitivity was sampled, and nothing is guaranteed even for data from the oracle"
    return (
        "random differential privacy: for records drawn independently from the oracle (epsilon "
        f"{epsilon:.6g}, delta {delta:.6g}) is satisfied except for {share} of the data sets; nothing "
        "is guaranteed for other data"
    )


def _sound(mechanism: DPMech) -> str:
    if isinstance(mechanism, DPMechExponential):
        return "ExponentialMechanism"
    return "GaussianMechanism" if isinstance(mechanism, DPMechGaussian) else "LaplaceMechanism"


# slots that have no short text; their names stand for them
_NAMED = {name: Named(name) for name in ("target", "responseSet")}


@dataclass(frozen=True, slots=True)
class ReleaseCall(Call):
    """A call whose first arguments are objects, each made in it by the call of its constructor."""

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
    values: dict[str, object] = {name: getattr(instance, name) for name in instance.slots()}
    arguments = ((name, _NAMED.get(name, value)) for name, value in values.items() if value is not None)
    return Call(type(instance).__name__, (), tuple(arguments), "diffpriv")


def _warn_exact_value(cause: str, use: str) -> None:
    """Warn that no noise is added."""
    warn(
        f"releaseResponse adds no noise with {cause}: the exact value is published and epsilon is "
        f"infinite. Give a finite epsilon and a proven positive sensitivity, as {use} requires.",
        row="delta",
        use=use,
    )


def _warn_proportional_choice(epsilon: float) -> None:
    """Warn that epsilon and the sensitivity cancel in diffpriv's exponential mechanism."""
    warn(
        "DPMechExponential chooses with probabilities proportional to the qualities: epsilon "
        f"({epsilon:g} here) and the sensitivity cancel, and a response of quality 0 is never chosen. "
        "Its epsilon is infinite. Use pydpstat.choose, or ExponentialMechanism.",
        row="3",
        use="choose",
    )


def _warn_random_privacy(gamma: float, use: str) -> None:
    """Warn that the parameters ask for random differential privacy only."""
    warn(
        "DPParamsGam asks for random differential privacy: nothing is guaranteed for a share of up "
        f"to {gamma:.4g} of the data sets. (epsilon, delta) is guaranteed only if the given "
        f"sensitivity is a proven bound. Use DPParamsEps or DPParamsDel with a proven bound, or {use}.",
        row="14",
        use=use,
    )

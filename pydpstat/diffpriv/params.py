"""Privacy parameters of diffpriv, and the claim, guarantee and warnings of a release with them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pydpstat import _checks as checks
from pydpstat._warn import note_r_warning, warn_large_epsilon, warn_privacy
from pydpstat.diffpriv._given import Slot, SlotObject, refuse_unnamed, replace_slots
from pydpstat.diffpriv.mechanisms import DPMech, DPMechExponential, DPMechGaussian
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.privacy import Guarantee
from pydpstat.results._call import Call, NamedArgument


def _check_epsilon(value: object, name: str) -> float:
    hint = "Give for example 1."
    return checks.check_number(value, name, "one number above 0", lambda number: number > 0.0, hint)


def _check_probability(value: object, name: str) -> float:
    hint = "Give for example 1e-6."
    return checks.check_number(value, name, "one number in [0, 1)", lambda number: 0.0 <= number < 1.0, hint)


class DPParamsEps(SlotObject):
    """Privacy parameter epsilon, as ``diffpriv::DPParamsEps``.

    Parameters
    ----------
    epsilon : float, default 1
        Above 0. Infinity is allowed, as in R, and then no noise is added.

    Attributes
    ----------
    epsilon : float
        Checked on assignment; R checks it in ``setEpsilon<-`` but not in ``@<-``.

    Raises
    ------
    PydpstatError
        If a value is not allowed, or given without its name.

    See Also
    --------
    DPParamsDel : with a delta.
    Guarantee : the guarantee that holds.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 2.

    Examples
    --------
    >>> from pydpstat import DPParamsEps
    >>> p = DPParamsEps(epsilon=0.5)
    >>> p.epsilon = 2
    >>> p
    DPParamsEps(epsilon=2.0)
    """

    epsilon = Slot(_check_epsilon)

    def __init__(self, *unnamed: object, epsilon: float = 1) -> None:
        refuse_unnamed(self, unnamed)
        self.epsilon = epsilon

    def getEpsilon(self) -> float:
        """Return epsilon."""
        return float(self.epsilon)

    def setEpsilon(self, value: float) -> None:
        """Set epsilon of this object; R's ``setEpsilon(p) <- value`` changes one variable."""
        self.epsilon = value

    def toGamma(self, gamma: float) -> DPParamsGam:
        """Return the same parameters for random differential privacy.

        Parameters
        ----------
        gamma : float
            Share of the data sets for which nothing is guaranteed; in [0, 1).

        Examples
        --------
        >>> from pydpstat import DPParamsEps
        >>> DPParamsEps(epsilon=2).toGamma(0.1)
        DPParamsGam(epsilon=2.0, delta=0.0, gamma=0.1)
        """
        return DPParamsGam(epsilon=self.epsilon, delta=get_delta(self), gamma=gamma)


class DPParamsDel(DPParamsEps):
    """Privacy parameters epsilon and delta, as ``diffpriv::DPParamsDel``.

    Parameters
    ----------
    epsilon : float, default 1
        Above 0. Infinity is allowed, as in R, and then no noise is added.
    delta : float, default 0
        In [0, 1). The Gaussian mechanism needs one above 0.

    Attributes
    ----------
    epsilon, delta : float
        Checked on assignment.

    Raises
    ------
    PydpstatError
        If a value is not allowed, or given without its name.

    See Also
    --------
    DPParamsEps : epsilon only.
    Guarantee : the guarantee that holds.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 2.

    Examples
    --------
    >>> from pydpstat import DPParamsDel
    >>> DPParamsDel(epsilon=0.5, delta=1e-6)
    DPParamsDel(epsilon=0.5, delta=1e-06)
    """

    delta = Slot(_check_probability)

    def __init__(self, *unnamed: object, epsilon: float = 1, delta: float = 0) -> None:
        super().__init__(*unnamed, epsilon=epsilon)
        self.delta = delta

    def getDelta(self) -> float:
        """Return delta."""
        return float(self.delta)

    def setDelta(self, value: float) -> None:
        """Set delta of this object; R's ``setDelta(p) <- value`` changes one variable."""
        self.delta = value


class DPParamsGam(DPParamsDel):
    """Parameters of random differential privacy, as ``diffpriv::DPParamsGam``.

    Parameters
    ----------
    epsilon : float, default 1
        Above 0. Infinity is allowed, as in R, and then no noise is added.
    delta : float, default 0
        In [0, 1). The Gaussian mechanism needs one above 0.
    gamma : float, default 0.05
        Share of the data sets, drawn from the assumed distribution of records, for which
        (epsilon, delta) is not guaranteed; in [0, 1).

    Attributes
    ----------
    epsilon, delta, gamma : float
        Checked on assignment.

    Raises
    ------
    PydpstatError
        If a value is not allowed, or given without its name.

    See Also
    --------
    sensitivitySampler : the sampler to which gamma refers.
    DPParamsDel : without the random sensitivity.

    References
    ----------
    Hall, R., Rinaldo, A. and Wasserman, L. (2012). Random differential privacy. Journal of Privacy
    and Confidentiality 4(2), 43-59.

    Examples
    --------
    >>> from pydpstat import DPParamsGam
    >>> DPParamsGam(epsilon=0.5, gamma=0.1)
    DPParamsGam(epsilon=0.5, delta=0.0, gamma=0.1)
    """

    gamma = Slot(_check_probability)

    def __init__(self, *unnamed: object, epsilon: float = 1, delta: float = 0, gamma: float = 0.05) -> None:
        super().__init__(*unnamed, epsilon=epsilon, delta=delta)
        self.gamma = gamma

    def getGamma(self) -> float:
        """Return gamma."""
        return float(self.gamma)

    def setGamma(self, value: float) -> None:
        """Set gamma of this object; R's ``setGamma(p) <- value`` changes one variable."""
        self.gamma = value

    def toGamma(self, gamma: float) -> DPParamsGam:
        """Return the same parameters with a different gamma, with R's warning.

        Parameters
        ----------
        gamma : float
            Share of the data sets for which nothing is guaranteed; in [0, 1).
        """
        note_r_warning("toGamma() on a DPParamsGam only replaces its gamma.")
        return super().toGamma(gamma)


def get_delta(params: DPParamsEps) -> float:
    """Return delta of the parameters, 0 if they have none."""
    return float(params.delta) if isinstance(params, DPParamsDel) else 0.0


SENSITIVITY_CONDITION = (
    "the given sensitivity is correct for every pair of data sets that differ in one replaced record"
)
# largest ratio of the exact to the claimed delta that is attributed to rounding
ROUNDING_FACTOR = 1.0 + 1e-9


def make_result_params(mechanism: DPMech, params: DPParamsEps) -> DPParamsEps:
    """Return a copy of the parameters for the result, with the gamma of a sampled sensitivity."""
    gamma = mechanism.gammaSensitivity
    if gamma is None:
        return replace_slots(params)
    if gamma >= 1.0:
        raise PydpstatError(
            f"gammaSensitivity must be below 1 for a release; got {gamma!r}, so nothing is guaranteed "
            "with the sampled sensitivity. Sample it again with a larger m."
        )
    return params.toGamma(gamma)


def make_release_guarantees(mechanism: DPMech, params: DPParamsEps, noise: object) -> tuple[Guarantee, Guarantee]:
    """Return the claim and the guarantee of a release, and warn if they differ; `noise` is None for a selection."""
    delta = get_delta(params) if isinstance(mechanism, DPMechGaussian) else 0.0
    claim = Guarantee(params.epsilon, get_delta(params))
    use = _suggest_mechanism(mechanism)
    epsilon = params.epsilon
    warn_large_epsilon(epsilon)
    if isinstance(mechanism, DPMechExponential):
        _warn_proportional_choice(epsilon)
        epsilon = math.inf
    elif mechanism.sensitivity == 0.0 or epsilon == math.inf:
        cause = "a sensitivity of 0" if mechanism.sensitivity == 0.0 else "an infinite epsilon"
        _warn_exact_value(cause, use)
        epsilon = math.inf
    elif isinstance(noise, GaussianNoise):
        delta = _compute_gaussian_delta(noise, epsilon, delta, mechanism.sensitivity)
    conditions: tuple[str, ...] = (SENSITIVITY_CONDITION,)
    if mechanism.sampled:
        conditions = (_warn_sampled_sensitivity(mechanism.gammaSensitivity, epsilon, delta, use),)
        epsilon = math.inf
    elif isinstance(params, DPParamsGam) and params.gamma > 0.0:
        _warn_random_privacy(params.gamma, use)
    elif math.isinf(epsilon):
        conditions = ()
    return claim, Guarantee(epsilon, delta, "bounded", conditions)


def _compute_gaussian_delta(noise: GaussianNoise, epsilon: float, claimed_delta: float, sensitivity: float) -> float:
    if epsilon < 1.0:
        # the formula is proven for this case
        return claimed_delta
    exact = float(noise.delta(epsilon, sensitivity))
    if exact > claimed_delta * ROUNDING_FACTOR:
        warn_privacy(
            f"DPMechGaussian's formula is proven for epsilon below 1. At epsilon {epsilon:g} its exact delta "
            f"is {exact:.4g}, not {claimed_delta:g}. Use GaussianMechanism with analytic=True, or "
            "calibrate_gaussian.",
            row="6",
            use="GaussianMechanism",
        )
    return max(claimed_delta, exact)


def _warn_sampled_sensitivity(gamma: float | None, epsilon: float, delta: float, alternative: str) -> str:
    """Warn that a sampled sensitivity gives random differential privacy only; return the condition that says so."""
    share = "an unknown share" if gamma is None else f"a share of up to {gamma:.4g}"
    name, replacement = "mean", "a statistic that takes bounds, such as pydpstat.mean"
    if alternative == "ExponentialMechanism":
        name, replacement = "choose", "pydpstat.choose"
    warn_privacy(
        "The sensitivity was sampled. This is random differential privacy: it is for data whose "
        f"records are drawn independently from the oracle, and nothing is guaranteed for {share} of "
        f"those data sets. For other data epsilon is infinite. Use {replacement}, or prove a sensitivity and "
        f"use {alternative}.",
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


def _suggest_mechanism(mechanism: DPMech) -> str:
    if isinstance(mechanism, DPMechExponential):
        return "ExponentialMechanism"
    return "GaussianMechanism" if isinstance(mechanism, DPMechGaussian) else "LaplaceMechanism"


# slots without a short text, shown by their names
_NAMED_SLOTS = {name: NamedArgument(name) for name in ("target", "responseSet")}


@dataclass(frozen=True, slots=True)
class ReleaseCall(Call):
    """Call record whose first arguments are objects, shown as calls of their constructors."""

    argument_calls: tuple[Call, ...] = ()

    def format_python(self) -> str:
        """Return the call as Python code."""
        return f"{self.function}({', '.join([*(call.format_python() for call in self.argument_calls), 'X'])})"

    def format_r(self) -> str | None:
        """Return the call as an R expression."""
        arguments = [*(str(call.format_r()) for call in self.argument_calls), "X"]
        return f"{self.package}::{self.function}({', '.join(arguments)})"


def make_release_call(mechanism: DPMech, params: DPParamsEps) -> ReleaseCall:
    """Return the call record of a release."""
    constructor_calls = (_make_constructor_call(mechanism), _make_constructor_call(params))
    return ReleaseCall("releaseResponse", (("X", "X"),), (), "diffpriv", constructor_calls)


def _make_constructor_call(instance: DPMech | DPParamsEps) -> Call:
    values: dict[str, object] = {name: getattr(instance, name) for name in instance.slots()}
    arguments = ((name, _NAMED_SLOTS.get(name, value)) for name, value in values.items() if value is not None)
    return Call(type(instance).__name__, (), tuple(arguments), "diffpriv")


def _warn_exact_value(cause: str, alternative: str) -> None:
    """Warn that no noise is added."""
    warn_privacy(
        f"releaseResponse adds no noise with {cause}: the exact value is published and epsilon is "
        f"infinite. Give a finite epsilon and a proven positive sensitivity, as {alternative} requires.",
        row="delta",
        use=alternative,
    )


def _warn_proportional_choice(epsilon: float) -> None:
    """Warn that epsilon and the sensitivity cancel in diffpriv's exponential mechanism."""
    warn_privacy(
        "DPMechExponential chooses with probabilities proportional to the qualities: epsilon "
        f"({epsilon:g} here) and the sensitivity cancel, and a response of quality 0 is never chosen. "
        "Its epsilon is infinite. Use pydpstat.choose, or ExponentialMechanism.",
        row="3",
        use="choose",
    )


def _warn_random_privacy(gamma: float, alternative: str) -> None:
    """Warn that the parameters imply random differential privacy only."""
    warn_privacy(
        "DPParamsGam asks for random differential privacy: nothing is guaranteed for a share of up "
        f"to {gamma:.4g} of the data sets. (epsilon, delta) is guaranteed only if the given "
        f"sensitivity is a proven bound. Use DPParamsEps or DPParamsDel with a proven bound, or {alternative}.",
        row="14",
        use=alternative,
    )

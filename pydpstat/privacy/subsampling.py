"""Amplification of privacy by releases on a random sample."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._grid import round_up_multiple, round_up_to_float
from pydpstat.errors import PydpstatError
from pydpstat.privacy._curves import SMALLEST_DELTA, check_curve_epsilon, compute_pure_rho
from pydpstat.privacy.losses import PrivacyLoss

# sampling schemes: the neighbors for which each is valid, and the condition that it adds
SAMPLING_SCHEMES = {
    "poisson": (
        "unbounded",
        "computed from a secret random sample, drawn for this release alone: every {one} was kept "
        "independently with probability {rate:.6g}",
    ),
    "without replacement": (
        "bounded",
        "computed from a secret random sample, drawn for this release alone: a share of {rate:.6g} "
        "of the {all}, without replacement",
    ),
}
# factors that cover the rounding errors of a few functions, and those of a curve
_ROUND_DOWN_FACTOR, _ROUND_UP_FACTOR = 1.0 - 2.0**-49, 1.0 + 2.0**-40
# from here on exp overflows
_EXP_OVERFLOW = 700.0


@dataclass(frozen=True, slots=True)
class SubsampledLoss(PrivacyLoss):
    """Loss of a release on a random sample of the records.

    Parameters
    ----------
    base : PrivacyLoss
        Loss of the release on the sample, between neighboring samples.
    rate : float
        Probability that a record is in the sample; above 0, at most 1. A fraction is rounded up.
    symmetric : bool, default False
        False for Poisson sampling and unbounded neighbors, where the loss is smaller if the data set
        without the record comes first, which composition uses. True for sampling without replacement
        and bounded neighbors, where one bound covers both orders.

    Raises
    ------
    PydpstatError
        If `base` is not a privacy loss, `rate` is outside (0, 1], or `symmetric` is not a boolean.

    See Also
    --------
    before_sampling : the inverse.

    Notes
    -----
    With q the rate, ``a = exp(epsilon)`` and ``b = 1 + (a - 1) / q``, delta at epsilon is q times the
    base's delta at ``log(b)``. Let D_a(P, Q) be the largest ``P(E) - a Q(E)`` over all events E.

    Poisson sampling, one record x more. Let S be the sample of the other records, P the release on S
    with x, and Q that on S. Given S, the release with x in the data is ``q P + (1 - q) Q``, and
    ``q P(E) + (1 - q) Q(E) - a Q(E) = q (P(E) - b Q(E))``. With the larger data set first D_a is hence
    ``q D_b(P, Q)``, at most q times the base's delta; the mean over S is not larger, as D is convex. In the
    other order, with ``c = 1 - a (1 - q)``, ``Q(E) - a (q P(E) + (1 - q) Q(E)) = c Q(E) - a q P(E)``:
    D_a is 0 for c <= 0, otherwise ``c D_d(Q, P)`` with ``d = a q / c``. As ``c <= q`` and
    ``d - 1 = (a - 1) / c >= (a - 1) / q = b - 1``, this is at most q times the base's delta at
    ``log(b)``, whether or not the base itself is symmetric, because its delta holds in both
    orders.

    Without replacement, one record x replaced by y. Let R be the release on a sample without that
    record, P that on a sample with x, and P' that on one with y. The two data sets have
    ``q P + (1 - q) R`` and ``q P' + (1 - q) R``, and their D_a is q times the largest
    ``P(E) - b (w P'(E) + (1 - w) R(E))`` with ``w = a / b``: at most q times the larger of D_b(P, P')
    and D_b(P, R). P and P' can be drawn with the same other records, and P and R such that a random
    other record replaces x: both pairs are neighbors. The other order is the same with x and y
    exchanged.

    Both bounds are attained where the base's delta is: by the number of records with a property, if the
    record is the only one that can have it. A k-fold group has the base's group loss, which must cover smaller
    groups too, at the probability that any of k records is in the sample: ``1 - (1 - q)**k``, and at
    most ``k q`` without replacement. The proof is the second one, with R on samples without any of them.
    It is also the proof for Poisson sampling where x is replaced by y: each is in the sample with probability
    q, so the bound is the same, with the base's loss for one record replaced or removed.

    A pure base remains pure. The rho of Gaussian noise is not smaller after sampling: at high orders its
    Renyi divergence is almost unchanged, and `rho` is None then.

    References
    ----------
    Balle, B., Barthe, G. and Gaboardi, M. (2018). Privacy amplification by subsampling: tight analyses
    via couplings and divergences. NeurIPS 2018 (the deltas of both ways of sampling).
    Zhu, Y., Dong, J. and Wang, Y.-X. (2022). Optimal accounting of differential privacy via
    characteristic function. AISTATS 2022 (both orders, and compositions).
    Lebeda, C. J., Regehr, M., Kamath, G. and Steinke, T. (2024). Avoiding pitfalls for privacy accounting
    of subsampled mechanisms under composition. arXiv:2405.20769 (why compositions need `symmetric`).

    Examples
    --------
    >>> from pydpstat.privacy import LaplaceLoss
    >>> sampled = SubsampledLoss(LaplaceLoss(1.0), 0.1)
    >>> round(sampled.pure, 6), round(sampled.delta(0.1), 6)
    (0.158565, 0.013122)
    """

    base: PrivacyLoss
    rate: float
    symmetric: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.base, PrivacyLoss):
            raise PydpstatError(
                f"base must be a privacy loss; got {checks.describe_value(self.base)}. "
                "Use for example pydpstat.privacy.GaussianLoss(mu)."
            )
        if not isinstance(self.symmetric, bool):
            raise PydpstatError(
                f"symmetric must be True or False; got {checks.describe_value(self.symmetric)}. "
                "Give False for Poisson sampling."
            )
        object.__setattr__(self, "rate", check_sampling_rate(self.rate))

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta at an epsilon, rounded up; 0 from the pure epsilon on."""
        checked_epsilon = float(check_curve_epsilon(epsilon))
        if self.rate == 1.0:
            return self.base.delta(checked_epsilon)
        return (
            0.0
            if checked_epsilon >= self.pure
            else _scale_delta(self.base.delta(compute_base_epsilon(checked_epsilon, self.rate)), self.rate)
        )

    def reverse_delta(self, epsilon: float) -> float:
        """Return delta with the data set without the record first, rounded up and at most `delta`.

        Examples
        --------
        >>> from pydpstat.privacy import LaplaceLoss
        >>> round(SubsampledLoss(LaplaceLoss(1.0), 0.1).reverse_delta(0.05), 6)
        0.008218
        """
        checked_epsilon = float(check_curve_epsilon(epsilon))
        if self.symmetric or self.rate == 1.0:
            return self.delta(checked_epsilon)
        # c and d of the notes: a larger c gives a larger delta
        share = min(self.rate, max(0.0, -math.expm1(checked_epsilon + math.log1p(-self.rate))) + 2.0**-50)
        order = max(checked_epsilon, (checked_epsilon + math.log(self.rate / share)) * _ROUND_DOWN_FACTOR)
        return min(_scale_delta(self.base.delta(order), share), self.delta(checked_epsilon))

    @property
    def rho(self) -> float | None:
        """The rho of a pure guarantee (see `compute_pure_rho`); None if there is no pure epsilon."""
        return None if math.isinf(self.pure) else compute_pure_rho(self.pure)

    @property
    def without_rho(self) -> str:
        """Reason why `rho` is None."""
        return "it is made on a sample, and sampling does not reduce the rho of noise without a pure epsilon"

    @property
    def pure(self) -> float:
        """Pure epsilon, rounded up; infinite if the base has none."""
        return compute_amplified_epsilon(self.base.pure, self.rate)

    def group(self, size: int) -> SubsampledLoss | None:
        """Return the loss if any of `size` records can be in the sample; None if the base has none."""
        base, count = self.base.group(size), checks.check_positive_integer(size, "size")
        if base is None:
            return None
        if count == 1:
            return self
        rate = min(1.0, round_up_multiple(count, self.rate))
        if not self.symmetric and self.rate < 1.0:
            rate = min(rate, -math.expm1(count * math.log1p(-self.rate)) * _ROUND_UP_FACTOR)
        return SubsampledLoss(base, rate, symmetric=True)

    def replaced(self) -> SubsampledLoss | None:
        """Return the loss for the replacement of a record; None if the base has none."""
        base = self.base.replaced()
        return None if base is None else SubsampledLoss(base, self.rate, symmetric=True)


@explain_wrong_calls
def before_sampling(epsilon: float, rate: float | Fraction, delta: float = 0.0) -> tuple[float, float]:
    """Return the sample's guarantee that gives (epsilon, delta) for all records.

    Parameters
    ----------
    epsilon : float
        Epsilon for all records; above 0 and finite.
    rate : float or Fraction
        Probability that a record is in the sample; above 0, at most 1. A fraction is rounded up.
    delta : float, default 0.0
        Delta for all records; between 0 and 1.

    Returns
    -------
    epsilon, delta : float
        ``log(1 + (exp(epsilon) - 1) / rate)`` and ``delta / rate`` (at most 1), rounded down:
        `Guarantee.subsampled` of them is never larger than the given pair.

    Raises
    ------
    PydpstatError
        If an argument is invalid.

    See Also
    --------
    Guarantee.subsampled : the inverse.

    Notes
    -----
    These are the largest values if only the pair of the release is known. Gaussian noise calibrated to them
    has exactly `delta` at `epsilon` for all records (see `SubsampledLoss`). The sample must be drawn as
    described in `Guarantee.subsampled`.

    References
    ----------
    Balle, B., Barthe, G. and Gaboardi, M. (2018). Privacy amplification by subsampling: tight analyses
    via couplings and divergences. NeurIPS 2018.

    Examples
    --------
    >>> from pydpstat.privacy import Guarantee
    >>> spent, leak = before_sampling(0.5, 0.1, 1e-6)
    >>> round(spent, 6), round(leak, 9)
    (2.013197, 1e-05)
    >>> print(Guarantee(spent, leak, "unbounded").subsampled(0.1, "poisson"))
    (epsilon 0.5, delta 1e-06), unbounded neighbors
    """
    goal, share = checks.check_epsilon(epsilon), check_sampling_rate(rate)
    allowed = "between 0 and 1"
    leak = checks.check_number(delta, "delta", allowed, lambda value: 0.0 <= value <= 1.0, "Give for example 1e-6.")
    spent = compute_base_epsilon(goal, share)
    while spent > goal and compute_amplified_epsilon(spent, share) > goal:
        # sampling never weakens a guarantee, so the goal itself is always allowed
        spent = max(goal, spent * _ROUND_DOWN_FACTOR)
    base_delta = min(1.0, leak / share)
    while compute_amplified_delta(base_delta, share) > leak:
        base_delta = math.nextafter(base_delta, 0.0)
    return spent, base_delta


def compute_amplified_epsilon(epsilon: float, rate: float) -> float:
    """Return ``log(1 + rate * (exp(epsilon) - 1))``, rounded up."""
    if rate == 1.0 or epsilon == 0.0 or math.isinf(epsilon):
        return epsilon
    if epsilon <= _EXP_OVERFLOW:
        value = math.log1p(rate * math.expm1(epsilon)) / _ROUND_DOWN_FACTOR
    else:
        power = epsilon + math.log(rate)
        # the relative error of the exponential is about 1e-13, as its exponent's
        value = power / _ROUND_DOWN_FACTOR if power > _EXP_OVERFLOW else math.log1p(math.exp(power)) * _ROUND_UP_FACTOR
    return min(epsilon, math.nextafter(value, math.inf))


def compute_base_epsilon(epsilon: float, rate: float) -> float:
    """Return ``log(1 + (exp(epsilon) - 1) / rate)``, the inverse, rounded down."""
    if rate == 1.0:
        return epsilon
    grown = math.expm1(epsilon) if epsilon <= _EXP_OVERFLOW else math.inf
    if grown / rate < math.inf:
        value = math.log1p(grown / rate)
    else:
        value = (math.log(grown) if grown < math.inf else epsilon) - math.log(rate)
    return max(epsilon, value * _ROUND_DOWN_FACTOR)


def compute_amplified_delta(delta: float, rate: float) -> float:
    """Return the smallest float that is at least rate times delta."""
    return round_up_to_float(Fraction(rate) * Fraction(delta))


def check_sampling_rate(rate: object) -> float:
    """Check the probability that a record is in the sample; a fraction is rounded up to a float."""
    hint = "Give for example 0.1, or the sample's size / the number of records."
    value = checks.check_number(rate, "rate", "above 0 and at most 1", lambda share: 0.0 < share <= 1.0, hint)
    return round_up_to_float(Fraction(rate)) if isinstance(rate, Rational) else value


def make_sampling_condition(sampling: object, neighbors: str, rate: float, unit: str | None) -> str:
    """Check a sampling scheme against the neighbors, and return the condition that it adds.

    With a unit, whole units are drawn and protected.
    """
    served, condition = SAMPLING_SCHEMES[checks.check_choice(sampling, "sampling", tuple(SAMPLING_SCHEMES))]
    if served == neighbors:
        drawn = ("record", "records") if unit is None else ("unit, with its records,", "units")
        return condition.format(rate=rate, one=drawn[0], all=drawn[1])
    if neighbors == "bounded":
        reason = "the number of records in the sample is then random, and a bounded guarantee may reveal it"
        hint = "Draw a fixed number without replacement, or release for unbounded neighbors."
    else:
        reason = "a share of the records is public only if their number is"
        hint = "Use Poisson sampling, or guarantee.as_bounded() first."
    raise PydpstatError(
        f"sampling must suit {neighbors} neighbors; got {sampling!r}, which is for {served} neighbors: {reason}. {hint}"
    )


def _scale_delta(delta: float, rate: float) -> float:
    """Return the product of a delta and a rate, rounded up; a positive delta stays positive."""
    return min(1.0, max(SMALLEST_DELTA, delta * rate * _ROUND_UP_FACTOR)) if delta else 0.0

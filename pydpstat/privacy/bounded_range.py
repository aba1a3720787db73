"""The privacy loss of the exponential mechanism, which has a bounded range."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pydpstat import _checks as checks
from pydpstat._grid import round_up_multiple, round_up_to_float
from pydpstat.privacy._curves import compute_pure_rho, compute_responses_delta
from pydpstat.privacy.losses import PrivacyLoss


@dataclass(frozen=True, slots=True)
class BoundedRangeLoss(PrivacyLoss):
    """Loss of the exponential mechanism, which lies in an interval.

    Parameters
    ----------
    epsilon : float
        Total length of the intervals; above 0 and finite. It is a pure epsilon.
    parts : int, default 1
        Number of mechanisms in sequence, each with an equal part of epsilon.

    See Also
    --------
    ConcentratedLoss : the loss that zero-concentrated privacy alone implies.

    Notes
    -----
    A mechanism whose loss lies in an interval of length e that contains 0 has a pure epsilon of e and, by
    Hoeffding's lemma, a rho of e^2 / 8. For k of them in sequence, with epsilon / k each, the sum is
    epsilon^2 / (8 k). Independent mechanisms for several groups together have an interval whose length is the
    sum of theirs. The curve is that of the pure epsilon.

    References
    ----------
    Dong, J., Durfee, D. and Rogers, R. (2020). Optimal differential privacy composition for exponential
    mechanisms. ICML 2020. Cesar, M. and Rogers, R. (2021). Bounding, concentrating, and truncating: unifying
    privacy loss composition for data analytics. ALT 2021, lemma 3.4.

    Examples
    --------
    >>> BoundedRangeLoss(1.0).rho, BoundedRangeLoss(1.0, 2).rho
    (0.125, 0.0625)
    """

    epsilon: float
    parts: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checks.check_epsilon(self.epsilon))
        object.__setattr__(self, "parts", checks.check_positive_integer(self.parts, "parts"))

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta implied by the pure epsilon."""
        return compute_responses_delta(self.epsilon, 1, epsilon)

    @property
    def rho(self) -> float:
        """Sum over the parts of epsilon^2 / 8, or the rho of a pure guarantee if that is less; rounded up."""
        exact = Fraction(self.epsilon) ** 2 / (8 * self.parts)
        return min(compute_pure_rho(self.epsilon), round_up_to_float(exact))

    @property
    def pure(self) -> float:
        """Pure epsilon."""
        return self.epsilon

    def group(self, size: int) -> BoundedRangeLoss:
        """Return the loss between data sets that differ in `size` records."""
        return BoundedRangeLoss(round_up_multiple(size, self.epsilon), self.parts)

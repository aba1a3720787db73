"""A guarantee of differential privacy: a pair (epsilon, delta), neighbors, unit, and the privacy curve."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from pydpstat import _checks as checks
from pydpstat._answering import HelpfulErrors
from pydpstat._grid import round_up_multiple
from pydpstat._search import bisect_up
from pydpstat.errors import PydpstatError
from pydpstat.privacy._curves import compute_pure_rho
from pydpstat.privacy._units import check_unit
from pydpstat.privacy.losses import PrivacyLoss, ResponseLoss, check_nonnegative
from pydpstat.privacy.subsampling import (
    SubsampledLoss,
    check_sampling_rate,
    compute_amplified_delta,
    compute_amplified_epsilon,
    make_sampling_condition,
)

NEIGHBORS = ("bounded", "unbounded")
# far above the rounding error of every curve
_SAFETY = 1e-12


@dataclass(frozen=True, slots=True)
class Guarantee(HelpfulErrors):
    """An (epsilon, delta) guarantee of differential privacy.

    Parameters
    ----------
    epsilon : float
        At least 0. Infinity means that nothing is guaranteed.
    delta : float, default 0.0
        Between 0 and 1. The guarantee is pure if it is 0.
    neighbors : {"bounded", "unbounded"}, default "bounded"
        ``"bounded"``: one record replaced by another, the number of records public.
        ``"unbounded"``: one record added or removed, the number of records private. With a `unit`
        read "all records of one unit" for "one record", and "units" for "records".
    conditions : tuple of str, default ()
        Short sentences on the assumptions and limits of the guarantee.
    loss : PrivacyLoss, optional, keyword only
        The exact privacy loss behind the pair, where it is known: ``GaussianLoss``, ``LaplaceLoss``,
        ``GeometricLoss``, ``DiscreteGaussianLoss`` or a composition, all in ``pydpstat.privacy``.
    unit : str, optional
        Name of the column that identifies the person of a record (``"person_id"``); by default a single record.

    Raises
    ------
    PydpstatError
        If `epsilon` is negative or NaN, `delta` is outside [0, 1], `neighbors` is an unknown word,
        `conditions` is not a tuple of strings, `loss` is not a privacy loss, or `unit` is not a printable string.

    See Also
    --------
    compose, Budget : several guarantees together, and one limit for many releases.

    Notes
    -----
    Two guarantees are equal if all six parameters are. `implies` compares their strength.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy.
    Foundations and Trends in Theoretical Computer Science 9, Definition 2.4.

    Examples
    --------
    >>> print(Guarantee(1, 1e-6))
    (epsilon 1, delta 1e-06), bounded neighbors
    >>> print(Guarantee(1, neighbors="unbounded", unit="person_id"))
    (epsilon 1, delta 0), unbounded neighbors, unit person_id
    >>> print(Guarantee(float("inf")))
    none (epsilon infinite)
    >>> Guarantee(1) == Guarantee(1.0), Guarantee(1).implies(Guarantee(2))
    (True, True)
    """

    epsilon: float
    delta: float = 0.0
    neighbors: str = "bounded"
    conditions: tuple[str, ...] = ()
    loss: PrivacyLoss | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        epsilon = check_nonnegative(self.epsilon, "epsilon", "Give infinity if nothing is guaranteed.")
        delta = checks.check_scalar(self.delta, "delta")
        if not 0.0 <= delta <= 1.0:
            raise PydpstatError(f"delta must be between 0 and 1; got {delta!r}. Give 0 for a pure guarantee.")
        checks.check_choice(self.neighbors, "neighbors", NEIGHBORS)
        lines = self.conditions
        if not isinstance(lines, tuple) or not all(isinstance(line, str) for line in lines):
            raise PydpstatError(
                f"conditions must be a tuple of strings; got {checks.describe_option(lines)}. Write (text,) for one."
            )
        if not (self.loss is None or isinstance(self.loss, PrivacyLoss)):
            raise PydpstatError(
                f"loss must be a privacy loss or None; got {checks.describe_value(self.loss)}. "
                "Use for example pydpstat.privacy.GaussianLoss(mu)."
            )
        if self.unit is not None:
            object.__setattr__(self, "unit", check_unit(self.unit))
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)

    def __str__(self) -> str:
        if math.isinf(self.epsilon):
            return "none (epsilon infinite)"
        if self.delta == 1.0:
            return "none (delta 1)"
        unit_text = "" if self.unit is None else f", unit {self.unit}"
        return f"(epsilon {self.epsilon:.6g}, delta {self.delta:.6g}), {self.neighbors} neighbors{unit_text}"

    def with_conditions(self, *lines: str) -> Guarantee:
        """Return the same guarantee with further conditions.

        Examples
        --------
        >>> Guarantee(1).with_conditions("the levels are public").conditions
        ('the levels are public',)
        """
        return replace(self, conditions=self.conditions + lines)

    def delta_at(self, epsilon: float) -> float:
        """Return the smallest delta at another epsilon.

        It is the exact curve of the mechanism if its privacy loss is known, and otherwise the best bound
        that follows from the pair alone.

        Parameters
        ----------
        epsilon : float
            At least 0.

        Returns
        -------
        float

        Raises
        ------
        PydpstatError
            If `epsilon` is negative or not a number.

        References
        ----------
        Kairouz, P., Oh, S. and Viswanath, P. (2017). The composition theorem for differential
        privacy. IEEE Transactions on Information Theory 63 (the curve of a pair).

        Examples
        --------
        >>> round(Guarantee(1).delta_at(0.5), 6)
        0.287649
        >>> from pydpstat.privacy import LaplaceLoss
        >>> round(Guarantee(1, loss=LaplaceLoss(1.0)).delta_at(0.5), 6)
        0.221199
        """
        checked_epsilon = check_nonnegative(epsilon, "epsilon", "Give for example 1.")
        if math.isinf(checked_epsilon):
            return 0.0
        # from its epsilon on, the pair may be stronger than a bound from the loss
        pair = self.delta if checked_epsilon >= self.epsilon else 1.0
        return min(pair, self._get_loss().delta(checked_epsilon)) if pair else 0.0

    def epsilon_at(self, delta: float) -> float:
        """Return the smallest epsilon at another delta, rounded up.

        Parameters
        ----------
        delta : float
            Between 0 and 1.

        Returns
        -------
        float
            Infinity if the guarantee has no epsilon at that delta.

        Raises
        ------
        PydpstatError
            If `delta` is outside [0, 1] or not a number.

        Examples
        --------
        >>> from pydpstat.privacy import GaussianLoss
        >>> gaussian = Guarantee(1, 0.127, loss=GaussianLoss(1.0))
        >>> round(gaussian.epsilon_at(1e-6), 4)
        4.8866
        >>> Guarantee(1).epsilon_at(0)
        1.0
        """
        goal = checks.check_scalar(delta, "delta")
        if not 0.0 <= goal <= 1.0:
            raise PydpstatError(
                f"delta must be between 0 and 1; got {checks.describe_value(delta)}. Give for example 1e-6."
            )
        curve = self._get_loss()
        # the largest epsilon that can be the result
        top = min(self.epsilon if self.delta <= goal else math.inf, curve.pure)
        if goal == 0.0 or goal == 1.0:
            return top if goal == 0.0 else 0.0
        safe = goal / (1.0 + _SAFETY)
        high = min(1.0, top)
        while high < top and curve.delta(high) > safe:
            high = min(2.0 * high, top)
            if high > 1e300:
                return top
        if curve.delta(0.0) <= safe:
            return 0.0
        return bisect_up(lambda epsilon: not curve.delta(epsilon) <= safe, high=high, steps=200)[1]

    @property
    def rho(self) -> float | None:
        """The rho of zero-concentrated privacy (zCDP); None if there is none.

        It is ``mu**2 / 2`` for Gaussian noise and ``epsilon * tanh(epsilon / 2)`` for a pure
        guarantee. A pair with a delta above 0 alone has none.

        References
        ----------
        Bun, M. and Steinke, T. (2016). Concentrated differential privacy: simplifications,
        extensions, and lower bounds. TCC 2016-B.

        Examples
        --------
        >>> round(Guarantee(1).rho, 6), Guarantee(1, 1e-6).rho
        (0.462117, None)
        """
        if self.loss is not None:
            return self.loss.rho
        return compute_pure_rho(self.epsilon) if self.delta == 0.0 and self.epsilon < math.inf else None

    def group(self, size: int) -> Guarantee:
        """Return the guarantee for data sets that differ in several records or units.

        Parameters
        ----------
        size : int
            Number of records or units, at least 1.

        Returns
        -------
        Guarantee
            Stated at `size` times the epsilon: for the same kind of neighbors, `size` steps away.
            Noise is accounted exactly by a sensitivity of `size` times its own. For a pair alone
            delta becomes ``delta * (exp(size * epsilon) - 1) / (exp(epsilon) - 1)``.

        Raises
        ------
        PydpstatError
            If `size` is not an integer of at least 1.

        References
        ----------
        Vadhan, S. (2017). The complexity of differential privacy. Tutorials on the Foundations of
        Cryptography, Lemma 2.2.

        Examples
        --------
        >>> print(Guarantee(0.5, 1e-6).group(2))
        (epsilon 1, delta 2.64872e-06), bounded neighbors
        """
        count = checks.check_positive_integer(size, "size")
        if count == 1:
            return self
        loss = None if self.loss is None else self.loss.group(count)
        epsilon, delta = round_up_multiple(count, self.epsilon), self._compute_group_delta(count)
        if loss is not None and delta and epsilon < math.inf:
            delta = min(delta, loss.delta(epsilon))
        return replace(self, epsilon=epsilon, delta=delta, loss=loss)

    def as_bounded(self) -> Guarantee:
        """Return the guarantee for bounded neighbors.

        One record (or unit) replaced is one removed and another added, two steps between unbounded
        neighbors. The converse is not true: a release for bounded neighbors may publish the number of
        records.

        Examples
        --------
        >>> print(Guarantee(0.5, neighbors="unbounded").as_bounded())
        (epsilon 1, delta 0), bounded neighbors
        """
        if self.neighbors == "bounded":
            return self
        loss = None if self.loss is None else self.loss.replaced()
        return replace(self.group(2), neighbors="bounded", loss=loss)

    def subsampled(self, rate: float | Fraction, sampling: str) -> Guarantee:
        """Return the guarantee for all records of a release on a random sample.

        This guarantee is for the records in the sample. As a record may not be in the sample, the guarantee for
        all records is stronger: amplification by subsampling.

        Parameters
        ----------
        rate : float or Fraction
            Probability that a record is in the sample; above 0, at most 1. A fraction is rounded up.
        sampling : {"poisson", "without replacement"}
            ``"poisson"``: every record is drawn independently with probability `rate`; for unbounded
            neighbors. ``"without replacement"``: a public number of records is drawn from a public number
            of them, and `rate` is their quotient; for bounded neighbors.

        Returns
        -------
        Guarantee
            At ``log(1 + rate * (exp(epsilon) - 1))`` and ``rate * delta``, rounded up, for the same
            neighbors; its loss is a `SubsampledLoss`. A further condition states how the sample must be drawn.

        Raises
        ------
        PydpstatError
            If an argument is invalid, or the sampling is not available for the neighbors.

        Notes
        -----
        The proofs are in `SubsampledLoss`; `before_sampling` is the inverse. The sample must stay secret and
        serve a single release: for several releases on the same sample use `compose` first, for several
        releases each on its own sample use this method first.

        The other two combinations raise an error. Poisson sampling makes the sample size random, and a release
        for bounded neighbors may publish it: if all records are in the sample, which has a positive
        probability, its epsilon is not reduced. A fixed number without replacement is a share that depends on the
        number of records, which unbounded neighbors do not have in common; and one record more
        takes another's place in the sample. Take `as_bounded` first.

        References
        ----------
        Balle, B., Barthe, G. and Gaboardi, M. (2018). Privacy amplification by subsampling: tight
        analyses via couplings and divergences. NeurIPS 2018.

        Examples
        --------
        >>> sampled = Guarantee(1, 1e-6, "unbounded").subsampled(0.1, "poisson")
        >>> print(sampled)
        (epsilon 0.158565, delta 1e-07), unbounded neighbors
        """
        share = check_sampling_rate(rate)
        condition = make_sampling_condition(sampling, self.neighbors, share, self.unit)
        conditions = (*self.conditions, condition)
        if math.isinf(self.epsilon) and self.loss is None:
            return replace(self, conditions=conditions)
        loss = SubsampledLoss(self._get_loss(), share, symmetric=self.neighbors == "bounded")
        epsilon, delta = (compute_amplified_epsilon(self.epsilon, share), compute_amplified_delta(self.delta, share))
        return Guarantee(epsilon, delta, self.neighbors, conditions, loss, self.unit)

    @property
    def without_rho(self) -> str:
        """Reason why `rho` is None, for messages.

        Examples
        --------
        >>> Guarantee(1, 1e-6).without_rho
        'its privacy loss is not known in more detail'
        """
        return self._get_loss().without_rho

    def implies(self, other: Guarantee) -> bool:
        """Return whether this guarantee is at least as strong as another one.

        Its curve is at or below the other's delta at the other's epsilon. A guarantee for unbounded
        neighbors is compared with one for bounded neighbors as `as_bounded` says; one for bounded
        neighbors never implies one for unbounded neighbors. Conditions are not compared.

        Guarantees for different units never imply each other, as names do not tell whose records are
        whose. Not even one for persons implies the same pair for single records: a record that is replaced
        may be another person's afterwards, and then two persons' data change; a record that is added to a
        person's others is a person replaced, which is two steps between unbounded neighbors.

        Examples
        --------
        >>> Guarantee(1).implies(Guarantee(0.5, 0.3)), Guarantee(1).implies(Guarantee(0.5))
        (True, False)
        >>> Guarantee(1, unit="person_id").implies(Guarantee(1))
        False
        """
        if self.unit != other.unit:
            return False
        if self.neighbors != other.neighbors:
            return self.neighbors == "unbounded" and self.as_bounded().implies(other)
        return self.delta_at(other.epsilon) <= other.delta

    def _get_loss(self) -> PrivacyLoss:
        return ResponseLoss(self.epsilon, 1, self.delta) if self.loss is None else self.loss

    def _compute_group_delta(self, count: int) -> float:
        """Return delta for a group implied by the pair alone, rounded up."""
        if self.delta == 0.0:
            return 0.0
        if self.epsilon == 0.0:
            return min(1.0, count * self.delta * (1.0 + _SAFETY))
        if count * self.epsilon > 700.0:
            return 1.0
        factor = math.expm1(count * self.epsilon) / math.expm1(self.epsilon)
        return min(1.0, self.delta * factor * (1.0 + _SAFETY))

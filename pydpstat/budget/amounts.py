"""Exact amounts requested, spent, left and shared, and accountants, which add up costs.

An accountant represents the cost of a release by a pair of fractions, and the limit by another pair; both sums must
stay within it. The limit of an odometer is infinite.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, NoReturn

from pydpstat import _checks as checks
from pydpstat._search import bisect_up
from pydpstat.errors import ArgumentError, AttributeNameError, PydpstatError
from pydpstat.privacy import ConcentratedLoss, GaussianLoss, Guarantee
from pydpstat.privacy._curves import compute_pure_rho, find_largest_rho


class Amount(NamedTuple):
    """An amount of privacy loss.

    Parameters
    ----------
    epsilon, delta : float
        Privacy parameters.
    rho : float, optional
        Zero-concentrated privacy, where the accountant is "zcdp"; None otherwise.

    See Also
    --------
    pydpstat.Budget : the budget that is charged.

    Examples
    --------
    >>> print(Amount(0.5, 1e-6))
    epsilon 0.5, delta 1e-06
    """

    epsilon: float
    delta: float
    rho: float | None = None

    def __call__(self) -> NoReturn:
        raise ArgumentError(f"an amount, here {self}, is not a method. Write budget.remaining, without ( ).")

    def __str__(self) -> str:
        if self.rho is not None:
            return f"rho {self.rho:.6g}"
        return f"epsilon {self.epsilon:.6g}" + (f", delta {self.delta:.6g}" if self.delta else "")


class Share(NamedTuple):
    """Amount for each of several equal releases that use all that remains.

    Parameters
    ----------
    epsilon : float
        For each release, if all are pure.
    gaussian : Amount
        For each release, if all are Gaussian: with the accountant "basic" epsilon and delta; with "zcdp" rho, and
        the epsilon that a Gaussian release may have with the budget's delta.

    See Also
    --------
    pydpstat.Budget : the budget that is divided.

    Examples
    --------
    >>> from pydpstat import Budget
    >>> compute_share = Budget(1.0, 1e-6).plan(4)
    >>> compute_share.epsilon, compute_share.gaussian.delta
    (0.25, 2.5e-07)
    """

    epsilon: float
    gaussian: Amount

    def __enter__(self) -> NoReturn:
        raise ArgumentError(
            "a share is no budget that releases could be charged to. Reserve the parts: write "
            "with budget.allocate([1] * 4)[0]: for the first of four."
        )

    def __exit__(self, *error: object) -> None:
        """Define the other half of a block, without which Python's own error would come first."""


def _explain_missing_name(share: Share, name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeNameError(
        f"Share has no attribute {name!r}. It is the amount for each of several releases, .epsilon, and .gaussian for "
        "Gaussian noise; the plan of a release is dp.plan('mean', 1.0, n=1000, bounds=(0, 100))."
    )


# a method of the class would hide misspelled attributes from type checkers
Share.__getattr__ = _explain_missing_name  # type: ignore[attr-defined]


class BudgetExceeded(PydpstatError):
    """The budget does not cover a release; nothing was spent or drawn.

    Parameters
    ----------
    text : str
        The message.
    requested, remaining, difference : Amount
        Cost of the release, remaining amount, and missing amount.

    See Also
    --------
    Budget : the limit that is exceeded.

    Examples
    --------
    >>> from pydpstat import Budget, BudgetExceeded, Guarantee
    >>> budget = Budget(1.0)
    >>> budget.spend(Guarantee(0.75), "mean(income)")
    >>> try:
    ...     budget.spend(Guarantee(0.5), "mean(age)")
    ... except BudgetExceeded as error:
    ...     print(error.requested.epsilon, error.remaining.epsilon, error.difference.epsilon)
    0.5 0.25 0.25
    """

    def __init__(self, text: str, requested: Amount, remaining: Amount, difference: Amount) -> None:
        super().__init__(text)
        self.requested, self.remaining, self.difference = requested, remaining, difference

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.requested, self.remaining, self.difference)


@functools.lru_cache(maxsize=1024)
def to_decimal(value: float) -> Fraction:
    """Return the decimal number that Python prints for a float as an exact fraction."""
    return Fraction(repr(value))


# infinite for the limit of an odometer and the amount left of it
ExactNumber = Fraction | float
Cost = tuple[ExactNumber, ExactNumber]
ZERO_COST: Cost = (Fraction(0), Fraction(0))
# exceeds the relative rounding error of a rho
_ROUNDING_FACTOR = 1.0 + 2.0**-50
# the first level of a zcdp odometer; each further one is twice as high
_FIRST_LEVEL = 2.0**-16
# relative margin for the calibration of Gaussian noise
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class BasicAccountant:
    """Basic composition: epsilons and deltas add up, each within its limit; a valid filter (Rogers et al. 2016)."""

    epsilon: float
    delta: float

    @property
    def limit(self) -> Cost:
        """The largest total cost; infinite for an odometer, in delta as well."""
        if self.epsilon == math.inf:
            return math.inf, math.inf
        return to_decimal(self.epsilon), to_decimal(self.delta)

    def compute_cost(self, guarantee: Guarantee) -> Cost:
        """Return the cost of a release."""
        return to_decimal(_check_cost(guarantee.epsilon, "epsilon")), to_decimal(_check_cost(guarantee.delta, "delta"))

    def to_amount(self, cost: Cost) -> Amount:
        """Convert a cost to an amount."""
        return Amount(float(cost[0]), float(cost[1]))

    def convert_spent(self, total: Cost) -> Amount:
        """Convert the total spent to an amount."""
        return self.to_amount(total)

    def compute_share(self, remaining: Cost, releases: int) -> Share:
        """Return the amount for each of several equal releases within the remaining amount."""
        epsilon, delta = (_split_equally(each, releases) for each in remaining)
        return Share(epsilon, Amount(epsilon, delta))


@dataclass(frozen=True, slots=True)
class ConcentratedAccountant:
    """Composition by zero-concentrated privacy: rho adds up, to the largest rho that implies (epsilon, delta).

    Feldman and Zrnic (2021), Individual privacy accounting via a Renyi filter, NeurIPS 2021; odometers: Lecuyer (2021),
    arXiv:2103.01379.
    """

    epsilon: float
    delta: float

    @property
    def limit(self) -> Cost:
        """The largest total cost."""
        if self.epsilon == math.inf:
            return math.inf, Fraction(0)
        return Fraction(find_largest_rho(self.epsilon, self.delta)), Fraction(0)

    def compute_cost(self, guarantee: Guarantee) -> Cost:
        """Return the cost of a release; raise an error if its guarantee has no rho."""
        rho = guarantee.rho
        if rho is None:
            raise PydpstatError(
                f"guarantee must have a rho for the accountant 'zcdp'; {guarantee} has none: "
                f"{guarantee.without_rho}. Use Budget(..., accountant='basic'), or a pure release."
            )
        return Fraction(_check_cost(rho, "rho") * _ROUNDING_FACTOR), Fraction(0)

    def to_amount(self, cost: Cost) -> Amount:
        """Convert a cost to an amount; epsilon is that of the largest pure release with this cost."""
        if cost[0] == math.inf:
            return Amount(math.inf, self.delta, math.inf)
        epsilon, _ = bisect_up(lambda each: compute_pure_rho(each) * _ROUNDING_FACTOR <= cost[0])
        return Amount(epsilon, self.delta, float(cost[0]))

    def convert_spent(self, total: Cost) -> Amount:
        """Convert the total spent to an amount; epsilon is the one at the budget's delta."""
        rho = float(total[0])
        if rho == 0.0:
            return Amount(0.0, 0.0, 0.0)
        if self.epsilon == math.inf:
            return Amount(self._get_odometer_epsilon(total[0]), self.delta, rho)
        guarantee = Guarantee(math.inf, loss=ConcentratedLoss(rho * _ROUNDING_FACTOR))
        # a total within the limit satisfies the limit, even if the search rounds epsilon up
        epsilon = min(guarantee.epsilon_at(self.delta), self.epsilon)
        return Amount(epsilon, self.delta, rho)

    def _get_odometer_epsilon(self, rho: ExactNumber) -> float:
        """Return the epsilon that an odometer shows: that of the level that covers rho, at a part of delta.

        Each level is a filter, so spending that stops below it satisfies the level's epsilon and delta; the deltas of
        all levels, ``delta / ((k + 1) (k + 2))``, sum to delta.
        """
        index = 0
        while _FIRST_LEVEL * 2.0**index < rho:
            index += 1
        level = Guarantee(math.inf, loss=ConcentratedLoss(_FIRST_LEVEL * 2.0**index * _ROUNDING_FACTOR))
        return level.epsilon_at(self.delta / ((index + 1.0) * (index + 2.0)))

    def compute_share(self, remaining: Cost, releases: int) -> Share:
        """Return the amount for each of several equal releases within the remaining amount."""
        available = remaining[0]
        if not available:
            return Share(0.0, Amount(0.0, self.delta, 0.0))
        epsilon, _ = bisect_up(lambda each: releases * Fraction(compute_pure_rho(each) * _ROUNDING_FACTOR) <= available)
        rho, _ = bisect_up(lambda each: releases * Fraction(each * _ROUNDING_FACTOR) <= available)
        mu = math.sqrt(2.0 * rho) * (1.0 - _SLACK)
        gaussian = Guarantee(math.inf, loss=GaussianLoss(mu)).epsilon_at(self.delta) if mu else 0.0
        return Share(epsilon, Amount(gaussian, self.delta, rho))


Accountant = BasicAccountant | ConcentratedAccountant
ACCOUNTANTS: dict[str, type[BasicAccountant] | type[ConcentratedAccountant]] = {
    "basic": BasicAccountant,
    "zcdp": ConcentratedAccountant,
}


def _check_cost(value: object, name: str) -> float:
    """Check the cost of a release: a user-defined loss may return anything, and a negative cost would be a refund."""
    if checks.is_number(value) and 0.0 <= checks.as_float(value) * _ROUNDING_FACTOR < math.inf:
        return checks.as_float(value)
    raise PydpstatError(
        f"the {name} of guarantee must be at least 0 and finite to be charged; got {checks.describe_value(value)}. "
        "Correct the guarantee's loss."
    )


def _split_equally(left: ExactNumber, releases: int) -> float:
    """Return the largest float whose decimal number times `releases` is at most the remaining amount."""
    # no float above the nearest one fits, because its decimal number exceeds the midpoint of the two
    value = float(left / releases)
    while releases * to_decimal(value) > left:
        value = math.nextafter(value, 0.0)
    return value


def add_cost(spent: Cost, cost: Cost, limit: Cost) -> Cost | None:
    """Return the total with a further cost; None if it exceeds the limit."""
    # most deltas are 0, and sums of fractions are slow
    total = spent[0] + cost[0], spent[1] + cost[1] if cost[1] else spent[1]
    return None if total[0] > limit[0] or total[1] > limit[1] else total


def compute_shortfall(cost: Cost, remaining: Cost) -> Cost:
    """Return the amount by which a cost exceeds the remaining amount, at least 0."""
    return max(cost[0] - remaining[0], Fraction(0)), max(cost[1] - remaining[1], Fraction(0))

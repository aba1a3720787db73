"""What is asked for, spent, left and shared; exact numbers; the error of a budget that does not suffice."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import NamedTuple, NoReturn

from pydpstat.errors import ArgumentError, PydpstatError


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
    pydpstat.Budget : where it is spent.

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
    """What each of several equal releases may use, so that all of them fit.

    Parameters
    ----------
    epsilon : float
        Of each, where all are pure.
    gaussian : Amount
        Of each, where all are Gaussian: with the accountant "basic" epsilon and delta; with "zcdp" rho, and
        the epsilon that a Gaussian release may have with the budget's delta.

    See Also
    --------
    pydpstat.Budget : whose part it is.

    Examples
    --------
    >>> from pydpstat import Budget
    >>> share = Budget(1.0, 1e-6).plan(4)
    >>> share.epsilon, share.gaussian.delta
    (0.25, 2.5e-07)
    """

    epsilon: float
    gaussian: Amount


class BudgetExceeded(PydpstatError):
    """The budget does not cover a release; nothing was spent or drawn.

    Parameters
    ----------
    text : str
        The message.
    requested, remaining, difference : Amount
        What the release costs, what is left, and what is missing.

    See Also
    --------
    Budget : the limit that it speaks of.

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
def decimal(value: float) -> Fraction:
    """Return the decimal number that Python prints for a float, exactly.

    Examples
    --------
    >>> 10 * decimal(0.1) == 1
    True
    """
    return Fraction(repr(value))

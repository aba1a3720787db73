"""Uniform noise on a few integers, a counterexample that is not differentially private."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._release.charging import charge_budget, check_budget
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.random import Source, source_from

if TYPE_CHECKING:
    from pydpstat.auditing import AuditResults
    from pydpstat.budget import Budget

_MAX_INTEGER = 2**60
# limit of the resolution of a floating-point uniform
MAX_REACH = 2**31
MAX_DRAWS = 2**32


def integer(value: object, name: str, minimum: int | None = None, hint: str = "Give for example 5.") -> int:
    """Check a count or an answer: an integer small enough that sums of a few fit into 64 bits."""
    return checks.check_integer(value, name, minimum, _MAX_INTEGER, hint=hint)


def check_integers(values: Iterable[int], name: str, example: str) -> list[int]:
    """Check several such integers in any container, and return them as a list."""
    try:
        items = None if isinstance(values, (str, bytes)) else iter(values)
    except TypeError:
        items = None
    if items is None:
        raise PydpstatError(
            f"{name} must be a sequence of whole numbers; got {type(values).__name__}. Give for example {example}."
        )
    return [integer(value, name, hint=f"Give for example {example}.") for value in items]


@dataclass(frozen=True)
class UniformNoise:
    """Noise that is uniform on the integers from -reach to reach.

    It is NOT a mechanism: it is not epsilon-DP for any epsilon, and serves as an example for attacks.

    Parameters
    ----------
    reach : int, default 2
        Largest absolute noise, in the unit of the count; at least 1.

    Raises
    ------
    PydpstatError
        If `reach` is not an integer from 1 to 2**31.

    See Also
    --------
    pydpstat.mechanisms.Laplace : noise with an epsilon.

    Notes
    -----
    Guarantee: none. With true counts of 5 and 6 and reach 2, the answer 3 has the probability 1/5
    under the first and 0 under the second. No factor exp(epsilon) bounds this ratio. Only a guarantee with
    delta holds: at every epsilon, 0 included, the smallest delta is sensitivity / (2 * reach + 1).

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, Definition 2.4.

    Examples
    --------
    >>> from pydpstat.teaching import UniformNoise
    >>> noise = UniformNoise(2)
    >>> noise.probability({3}, 5), noise.probability({3}, 6)
    (Fraction(1, 5), Fraction(0, 1))
    >>> print(noise.guarantee)
    none (epsilon infinite)
    """

    reach: int = 2

    def __post_init__(self) -> None:
        half_width = integer(self.reach, "reach", 1, "Give for example 2.")
        if half_width > MAX_REACH:
            raise PydpstatError(f"reach must be at most 2**31; got {half_width}. Give for example 2.")
        object.__setattr__(self, "reach", half_width)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee: none. Epsilon is infinite."""
        return Guarantee(math.inf)

    @property
    def values(self) -> range:
        """The possible values of the noise."""
        return range(-self.reach, self.reach + 1)

    def var(self) -> float:
        """Return the variance, ``reach * (reach + 1) / 3``."""
        return self.reach * (self.reach + 1) / 3.0

    def std(self) -> float:
        """Return the standard deviation."""
        return math.sqrt(self.var())

    def possible(self, answer: int) -> range:
        """Return the true counts that are possible given an answer: those within reach of it.

        Examples
        --------
        >>> from pydpstat.teaching import UniformNoise
        >>> list(UniformNoise(2).possible(5))
        [3, 4, 5, 6, 7]
        """
        checked_answer = integer(answer, "answer")
        return range(checked_answer - self.reach, checked_answer + self.reach + 1)

    def probability(self, answers: Iterable[int], count: int = 0) -> Fraction:
        """Return the exact probability that the answer is one of these, for a true count.

        Parameters
        ----------
        answers : iterable of int
            The event: a set of answers.
        count : int, default 0
            The true count.

        Returns
        -------
        Fraction

        Raises
        ------
        PydpstatError
            If an answer or the count is not an integer.

        Examples
        --------
        >>> from pydpstat.teaching import UniformNoise
        >>> UniformNoise(2).probability({4, 5, 6}, count=5)
        Fraction(3, 5)
        """
        center = integer(count, "count")
        event = set(check_integers(answers, "answers", "{3}"))
        return Fraction(sum(abs(answer - center) <= self.reach for answer in event), len(self.values))

    def delta(self, sensitivity: int = 1) -> Fraction:
        """Return the smallest delta, which is the same at every epsilon.

        Parameters
        ----------
        sensitivity : int, default 1
            Largest change of the count by one record; at least 1.

        Returns
        -------
        Fraction
            ``sensitivity / (2 * reach + 1)``, and at most 1: the probability of the answers that are
            possible for only one of the two counts.

        Examples
        --------
        >>> from pydpstat.teaching import UniformNoise
        >>> UniformNoise(2).delta()
        Fraction(1, 5)
        """
        checked_sensitivity = integer(sensitivity, "sensitivity", 1, "Give 1 for a count.")
        return min(Fraction(1), Fraction(checked_sensitivity, len(self.values)))

    def answer(
        self, count: int, size: int | None = None, *, rng: object = None, budget: Budget | None = None
    ) -> int | npt.NDArray[np.int64]:
        """Return a true count plus noise.

        Parameters
        ----------
        count : int
            The true count.
        size : int, optional
            Number of answers; one number by default.
        rng : None, int, numpy.random.Generator or RRandom, optional
            Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
        budget : Budget, optional
            Always an error: noise without a guarantee cannot be charged.

        Returns
        -------
        int, or ndarray of int64 of shape (size,)

        Raises
        ------
        PydpstatError
            If an argument is invalid, or a budget is given.

        Notes
        -----
        Guarantee: none.

        Examples
        --------
        >>> from pydpstat.teaching import UniformNoise
        >>> UniformNoise(2).answer(6) in range(4, 9)
        True
        """
        center = integer(count, "count")
        n_answers = 1 if size is None else integer(size, "size", 0, "Leave it out for one answer.")
        if n_answers > MAX_DRAWS:
            raise PydpstatError(f"size must be at most 2**32; got {n_answers}. Ask in several parts.")
        source = source_from(rng)
        call = f"UniformNoise({self.reach}).answer(count)"
        charge_budget(check_budget(budget), self.guarantee, call, mechanism="uniform")
        answers = self._draw_answers(center, n_answers, source)
        return int(answers[0]) if size is None else answers

    def _draw_answers(self, count: int, size: int, source: Source) -> npt.NDArray[np.int64]:
        return source.integers(size, len(self.values)) + (count - self.reach)

    def audit(
        self,
        count: int = 5,
        neighbor: int = 6,
        *,
        claim: Guarantee | float | tuple[float, float] | None = 1.0,
        samples: int = 100_000,
        rng: object = None,
    ) -> AuditResults:
        """Audit the answers at two true counts with `pydpstat.audit`, which does not use the noise's distribution.

        Parameters
        ----------
        count, neighbor : int
            True counts of two data sets that differ in one record.
        claim : Guarantee, number or (number, number), default 1.0
            The claim to test; every epsilon is refuted.
        samples : int, default 100000
            Answers from each data set.
        rng : None, int, numpy.random.Generator or RRandom, optional
            Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator. It
            draws the noise, and splits the draws as in `pydpstat.audit`.

        Returns
        -------
        AuditResults

        Raises
        ------
        PydpstatError
            If an argument is invalid.

        Examples
        --------
        >>> from pydpstat.teaching import UniformNoise
        >>> found = UniformNoise(2).audit(samples=10_000, rng=1)
        >>> found.violates, found.only_under_one
        (True, True)
        """
        from pydpstat.auditing import audit

        data = integer(count, "count"), integer(neighbor, "neighbor")
        source_from(rng)
        # one stream for the noise and for the audit
        seed = checks.as_integer(rng)
        stream = rng if seed is None else np.random.default_rng(seed)
        source = source_from(stream)

        def uniform_noise(true: int, size: int) -> npt.NDArray[np.int64]:
            return self._draw_answers(true, size, source)

        return audit(uniform_noise, *data, claim=claim, samples=samples, rng=stream)

"""Two attacks on repeated answers: averaging, and intersection of the counts that bounded noise allows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsFloat

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._frozen import ReadOnlyArrays
from pydpstat._lazy import pd
from pydpstat.budget import BudgetExceeded
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee, compose
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.teaching.uniform import UniformNoise, check_integers

MAX_QUERIES = 10**7
_MAX_LISTED = 12


@dataclass(frozen=True, eq=False, repr=False)
class AveragingAttack(ReadOnlyArrays):
    """Result of averaging many answers, as returned by `averaging_attack`.

    Parameters
    ----------
    answers : ndarray of float64, shape (m,)
        The answers received.
    queries : int
        Number of answers requested.
    noise_sd : float
        Standard deviation of one answer's noise: as published with the first answer, otherwise that of
        the answers; NaN for fewer than two answers.
    guarantee : Guarantee or None
        Guarantee of all answers together (basic composition); None if they state none.
    refused : str or None
        Message of the budget if it ended the attack.

    See Also
    --------
    averaging_attack : creates it.
    """

    answers: Floats
    queries: int
    noise_sd: float
    guarantee: Guarantee | None
    refused: str | None

    @property
    def estimate(self) -> float:
        """The mean of the answers; NaN if there are none."""
        return float(self.running[-1]) if self.answers.size else math.nan

    @property
    def standard_error(self) -> float:
        """Standard deviation of the mean's noise, ``noise_sd / sqrt(m)``."""
        return self.noise_sd / math.sqrt(self.answers.size) if self.answers.size else math.nan

    @property
    def running(self) -> Floats:
        """The mean after each answer, shape (m,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.cumsum(self.answers) / np.arange(1.0, self.answers.size + 1.0)

    def to_frame(self) -> pd.DataFrame:
        """Return the mean and its standard error after 1, 10, 100, ... answers and after the last.

        Examples
        --------
        >>> import numpy as np
        >>> from pydpstat.teaching import averaging_attack
        >>> draw = np.random.default_rng(1).laplace
        >>> averaging_attack(lambda: draw(120.0, 2.0), 250).to_frame().index.tolist()
        [1, 10, 100, 250]
        """
        n_answers = self.answers.size
        sizes = [10**power for power in range(len(str(n_answers))) if 10**power < n_answers] + [n_answers] * (
            n_answers > 0
        )
        running = self.running
        return pd.DataFrame(
            {
                "mean": [running[m - 1] for m in sizes],
                "standard error": [self.noise_sd / math.sqrt(m) for m in sizes],
            },
            index=pd.Index(sizes, name="answers", dtype=np.int64),
        )

    def __repr__(self) -> str:
        n_answers = self.answers.size
        text = f"AveragingAttack: {n_answers:,} of {self.queries:,} answers"
        if n_answers:
            text += f", mean {self.estimate:.6g}, standard error {self.standard_error:.3g}"
        if self.guarantee is not None:
            text += f"; together {self.guarantee}"
        return text + ("; stopped by the budget" if self.refused is not None else "")


@explain_wrong_calls
def averaging_attack(release: Callable[[], SupportsFloat], queries: int = 1000) -> AveragingAttack:
    """Repeat the same release, and average the answers.

    Parameters
    ----------
    release : callable
        ``release()`` returns one answer: a number or a `DPResults` of one number. Each call must draw
        new noise.
    queries : int, default 1000
        Number of calls, at least 1. A `BudgetExceeded` ends the attack earlier.

    Returns
    -------
    AveragingAttack
        It contains what the attacker sees: answers, never the true value.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or an answer is not a finite number.

    See Also
    --------
    intersection_attack, differencing : other attacks.
    pydpstat.Budget : the defense against it.

    Notes
    -----
    With independent noise of standard deviation s the mean of m answers has the standard error s / sqrt(m).
    Each answer is epsilon-DP and all together are (m epsilon)-DP: the mean converges to the true value.
    With ``budget=`` in the release, the number of answers is limited to those that the budget covers.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, section 3.5
    (composition).

    Examples
    --------
    >>> import pydpstat
    >>> from pydpstat.teaching import averaging_attack
    >>> adult, budget = [True] * 6 + [False] * 4, pydpstat.Budget(1.0)
    >>> averaging_attack(lambda: pydpstat.count(adult, 0.25, budget=budget)).answers.size
    4
    """
    if not callable(release):
        raise PydpstatError(
            f"release must be a callable without arguments; got {type(release).__name__}. "
            "Give for example lambda: pydpstat.count(condition, 0.1)."
        )
    n_queries = checks.check_integer(queries, "queries", 1, hint="Give for example 1000.")
    if n_queries > MAX_QUERIES:
        raise PydpstatError(f"queries must be at most {MAX_QUERIES:,}; got {n_queries:,}. Ask fewer queries.")
    answers: list[float] = []
    guarantees: list[Guarantee] = []
    noise_sd, refused = math.nan, None
    for _ in range(n_queries):
        try:
            answer = release()
        except BudgetExceeded as error:
            refused = str(error)
            break
        if not answers:
            noise_sd = _get_published_sd(answer)
        answers.append(_convert_answer(answer))
        guarantee = getattr(answer, "guarantee", None)
        if isinstance(guarantee, Guarantee):
            guarantees.append(guarantee)
    values = np.array(answers, dtype=np.float64)
    if math.isnan(noise_sd) and values.size > 1:
        with np.errstate(over="ignore", invalid="ignore"):
            noise_sd = float(values.std(ddof=1))
    together = compose(guarantees) if guarantees and len(guarantees) == len(answers) else None
    return AveragingAttack(values, n_queries, noise_sd, together, refused)


def _convert_answer(answer: SupportsFloat) -> float:
    try:
        value = float(answer)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise PydpstatError(
            f"release() must return one finite number each time; got {type(answer).__name__}. Ask for one statistic."
        )
    return value


def _get_published_sd(answer: object) -> float:
    published = getattr(answer, "bse", None)
    return float(published.iloc[0]) if published is not None and len(published) == 1 else math.nan


@dataclass(frozen=True, repr=False)
class IntersectionAttack:
    """Information from repeated answers about the true count.

    `intersection_attack` returns it.

    Parameters
    ----------
    answers : tuple of int
        The answers, in order.
    noise : UniformNoise
        The noise of each answer.
    left : tuple of range
        The counts that remain possible after each answer.

    See Also
    --------
    intersection_attack : creates it.
    """

    answers: tuple[int, ...]
    noise: UniformNoise
    left: tuple[range, ...]

    @property
    def candidates(self) -> tuple[int, ...]:
        """The true counts that are possible given all answers."""
        return tuple(self.left[-1])

    @property
    def chance(self) -> Fraction:
        """The probability of guessing the true count, if all were equally likely at first."""
        return Fraction(1, len(self.left[-1]))

    @property
    def chances(self) -> tuple[Fraction, ...]:
        """The chance after each answer."""
        return tuple(Fraction(1, len(candidates)) for candidates in self.left)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each answer: counts possible given this answer, given all so far, and the chance.

        Examples
        --------
        >>> from pydpstat.teaching import intersection_attack
        >>> intersection_attack([5, 7]).to_frame()
           answer  leaves  still possible chance
        1       5  3 to 7          3 to 7    1/5
        2       7  5 to 9          5 to 7    1/3
        """
        rows = zip(self.answers, self.left, self.chances)
        return pd.DataFrame(
            [
                (a, _format_range(self.noise.possible(a)), _format_range(candidates), str(chance))
                for a, candidates, chance in rows
            ],
            columns=["answer", "leaves", "still possible", "chance"],
            index=range(1, len(self.answers) + 1),
        )

    def __repr__(self) -> str:
        candidates = self.candidates
        listed = ", ".join(map(str, candidates)) if len(candidates) <= _MAX_LISTED else _format_range(self.left[-1])
        count = f"{len(self.answers)} answer" + "s" * (len(self.answers) > 1)
        return f"IntersectionAttack: after {count} the count is one of {{{listed}}} (chance {self.chance})"


@explain_wrong_calls
def intersection_attack(answers: Iterable[int], reach: int = 2) -> IntersectionAttack:
    """Intersect the sets of true counts that several answers allow.

    Parameters
    ----------
    answers : iterable of int
        Answers to the same query, each the true count plus its own `UniformNoise`; at least one.
    reach : int, default 2
        The largest noise; at least 1.

    Returns
    -------
    IntersectionAttack

    Raises
    ------
    PydpstatError
        If an answer is not an integer, there is none, or no count is possible given all of them.

    See Also
    --------
    averaging_attack, differencing : other attacks.

    Notes
    -----
    Given the answer a the counts from a - reach to a + reach are possible. The intersection of these
    intervals shrinks to the true count: repeated answers remove bounded noise. Noise of a mechanism is
    unbounded, and a `Budget` limits the number of answers.

    References
    ----------
    Dinur, I. and Nissim, K. (2003). Revealing information while preserving privacy. PODS 2003
    (bounded noise and many answers).

    Examples
    --------
    >>> from pydpstat.teaching import intersection_attack
    >>> intersection_attack([5, 7])
    IntersectionAttack: after 2 answers the count is one of {5, 6, 7} (chance 1/3)
    """
    noise = UniformNoise(reach)
    observed = tuple(check_integers(answers, "answers", "[5, 7]"))
    if not observed:
        raise PydpstatError("answers must be at least one whole number; got none. Give for example [5, 7].")
    steps = [noise.possible(observed[0])]
    for answer in observed[1:]:
        alone = noise.possible(answer)
        candidates = range(max(steps[-1].start, alone.start), min(steps[-1].stop, alone.stop))
        if not candidates:
            raise PydpstatError(
                f"answers must be possible for one true count; no count is within {noise.reach} of "
                f"both {min(observed)} and {max(observed)}. Check that they answer the same query, and "
                "check the reach."
            )
        steps.append(candidates)
    return IntersectionAttack(observed, noise, tuple(steps))


def _format_range(candidates: range) -> str:
    return f"{candidates[0]} to {candidates[-1]}" if len(candidates) > 1 else str(candidates[0])

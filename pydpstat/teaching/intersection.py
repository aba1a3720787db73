"""The intersection attack: repeated answers with bounded noise leave fewer and fewer true counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pydpstat.errors import PydpstatError
from pydpstat.teaching._integers import several
from pydpstat.teaching.uniform import UniformNoise

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 12


@dataclass(frozen=True, repr=False)
class IntersectionAttack:
    """What repeated answers leave of the true count; `intersection_attack` makes it.

    Parameters
    ----------
    answers : tuple of int
        The answers, in order.
    noise : UniformNoise
        The noise that was on each.
    left : tuple of range
        The counts that are still possible after each answer.
    """

    answers: tuple[int, ...]
    noise: UniformNoise
    left: tuple[range, ...]

    @property
    def candidates(self) -> tuple[int, ...]:
        """The true counts that all answers together leave."""
        return tuple(self.left[-1])

    @property
    def chance(self) -> Fraction:
        """The chance of guessing the true count, where all were equally likely at first."""
        return Fraction(1, len(self.left[-1]))

    @property
    def chances(self) -> tuple[Fraction, ...]:
        """The chance after each answer."""
        return tuple(Fraction(1, len(each)) for each in self.left)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each answer: what it leaves alone, what is left so far, and the chance.

        Examples
        --------
        >>> from pydpstat.teaching import intersection_attack
        >>> intersection_attack([5, 7]).to_frame()
           answer  leaves  still possible chance
        1       5  3 to 7          3 to 7    1/5
        2       7  5 to 9          5 to 7    1/3
        """
        import pandas as pd

        rows = zip(self.answers, self.left, self.chances)
        return pd.DataFrame(
            [(a, _ends(self.noise.possible(a)), _ends(left), str(chance)) for a, left, chance in rows],
            columns=["answer", "leaves", "still possible", "chance"],
            index=range(1, len(self.answers) + 1),
        )

    def __repr__(self) -> str:
        left = self.candidates
        shown = ", ".join(map(str, left)) if len(left) <= _SHOWN else _ends(self.left[-1])
        count = f"{len(self.answers)} answer" + "s" * (len(self.answers) > 1)
        return f"IntersectionAttack: after {count} the count is one of {{{shown}}} (chance {self.chance})"


def intersection_attack(answers: Iterable[int], reach: int = 2) -> IntersectionAttack:
    """Intersect what each of several answers to one query leaves of the true count.

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
        Where an answer is no integer, there is none, or no count can have given them all.

    Notes
    -----
    The answer a leaves the counts from a - reach to a + reach. The interval that all answers leave
    shrinks to the true count: noise with ends is used up by asking again. Noise of a mechanism has no
    ends, and a `Budget` limits how often the query is answered.

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
    given = tuple(several(answers, "answers", "[5, 7]"))
    if not given:
        raise PydpstatError("answers must be at least one whole number; got none. Give for example [5, 7].")
    left = noise.possible(given[0])
    steps = [left]
    for answer in given[1:]:
        alone = noise.possible(answer)
        left = range(max(left.start, alone.start), min(left.stop, alone.stop))
        if not left:
            raise PydpstatError(
                f"answers must be possible for one true count; no count is within {noise.reach} of both "
                f"{min(given)} and {max(given)}. Check that they answer one query, and the reach."
            )
        steps.append(left)
    return IntersectionAttack(given, noise, tuple(steps))


def _ends(left: range) -> str:
    return f"{left[0]} to {left[-1]}" if len(left) > 1 else str(left[0])

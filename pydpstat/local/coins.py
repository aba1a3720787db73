"""Randomised response by two coins, as it is taught."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat import _multiple_precision as multiple_precision
from pydpstat.errors import PydpstatError
from pydpstat.local._categories import BINARY
from pydpstat.local._estimate import Response
from pydpstat.local._truths import Codes
from pydpstat.local.design import ResponseDesign
from pydpstat.random import Source, secure


class RandomizedResponseCoins(ResponseDesign):
    """Randomised response of yes and no by two coins.

    The first coin: tails, and the person answers the truth. Heads: the second coin decides, heads
    for 1 and tails for 0.

    Parameters
    ----------
    prob_head_first : float, default 0.5
        The first coin's chance of heads, from 0 to 1. With 1 answers are independent of the truth.
    prob_head_second : float, default 0.5
        The second coin's chance of heads, from 0 to 1.

    Raises
    ------
    PydpstatError
        Where a chance is not from 0 to 1.

    Notes
    -----
    Guarantee: local epsilon-DP with the larger of ``log P(1|1) / P(1|0)`` and
    ``log P(0|0) / P(0|1)``, where P(1|1) = 1 - p1 + p1 p2 and P(1|0) = p1 p2. It is rounded up.
    With p1 = 0, or p2 = 0 or 1 (unless p1 = 1), some answer tells the truth for certain: epsilon is
    infinite, and `respond` refuses. Fair coins keep log 3. At the same epsilon no pair of coins
    tells more than one whose second coin is fair, which is `RandomizedResponse`.

    References
    ----------
    Greenberg, B. G., Abul-Ela, A.-L. A., Simmons, W. R. and Horvitz, D. G. (1969). The unrelated
    question randomized response model. Journal of the American Statistical Association 64.
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy. Foundations and
    Trends in Theoretical Computer Science 9, section 3.2.

    Examples
    --------
    >>> from pydpstat.local import RandomizedResponseCoins
    >>> coins = RandomizedResponseCoins()
    >>> coins.epsilon
    1.0986122886681098
    >>> coins.design_matrix
    truth      0     1
    answer
    0       0.75  0.25
    1       0.25  0.75
    """

    __slots__ = ("_coins",)

    def __init__(self, prob_head_first: float = 0.5, prob_head_second: float = 0.5) -> None:
        first = _chance(prob_head_first, "prob_head_first")
        second = _chance(prob_head_second, "prob_head_second")
        self._coins = first, second
        response = Response(first * second, 1.0 - first + first * second, 1.0 - first, first * (1.0 - second))
        super().__init__(BINARY, epsilon_of(first, second), response, None)

    @property
    def prob_head_first(self) -> float:
        """The first coin's chance of heads."""
        return self._coins[0]

    @property
    def prob_head_second(self) -> float:
        """The second coin's chance of heads."""
        return self._coins[1]

    def _matrix(self) -> np.ndarray:
        design = self._response
        return np.array([[1.0 - design.other, design.missed], [design.other, design.true]])

    def _answers(self, codes: Codes, source: Source | None) -> Codes:
        first, second = self._coins
        if source is not None:
            heads = source.uniform(codes.size) < first
            return np.where(heads, source.uniform(codes.size) < second, codes)
        if second == 0.5:
            # a fair second coin turns the truth round every other time
            top, bottom = first.as_integer_ratio()
            moved = secure.flips(codes.size, secure.RationalChance(top, 2 * bottom))
            return np.logical_xor(codes, moved, out=moved)
        toss = secure.RationalChance(*first.as_integer_ratio())
        places = np.flatnonzero(secure.flips(codes.size, toss))
        given = codes.copy()
        given[places] = secure.flips(places.size, secure.RationalChance(*second.as_integer_ratio()))
        return given

    def __repr__(self) -> str:
        return f"RandomizedResponseCoins({self._coins[0]!r}, {self._coins[1]!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return RandomizedResponseCoins, self._coins


@lru_cache(maxsize=256)
def epsilon_of(first: float, second: float) -> float:
    """Return the epsilon that two coins keep, rounded up to the next float.

    Examples
    --------
    >>> epsilon_of(0.5, 0.5), epsilon_of(1.0, 0.3), epsilon_of(0.0, 0.5)
    (1.0986122886681098, 0.0, inf)
    """
    p, q = Fraction(first), Fraction(second)
    if p == 1:
        return 0.0
    # of the two ratios 1 + (1 - p) / (p q) and 1 + (1 - p) / (p (1 - q)) the larger
    rarer = p * min(q, 1 - q)
    if rarer == 0:
        return math.inf
    mp = multiple_precision.functions()
    excess = (1 - p) / rarer
    # the logarithm loses the digits that a ratio near 1 has before its excess
    lost = max(excess.denominator.bit_length() - excess.numerator.bit_length(), 0)
    ratio = mp.from_rational(excess.numerator + excess.denominator, excess.denominator, 120 + lost, "u")
    return float(mp.to_float(mp.mpf_log(ratio, 120, "u"), rnd="u"))


def _chance(value: Any, name: str) -> float:
    number = checks.unwrap(value)
    if checks.is_number(number) and 0.0 <= checks.as_float(number) <= 1.0:
        return checks.as_float(number)
    raise PydpstatError(
        f"{name} must be a number from 0 to 1; got {checks.shown(value)}. Give for example 0.5."
    )

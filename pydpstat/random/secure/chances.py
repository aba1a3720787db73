"""Many Bernoulli trials with one probability, exactly, from few bits each.

A trial is true where a uniform U is below p. U is drawn digit by digit: one byte first, which decides
all but one trial in 256, then words of 64 bits for those that are left. At the first digit where U
and p differ, U is smaller or larger. So only p's binary digits are needed, and those are integers:
of a rational number by division, of m / (exp(x) + m) by multiple precision with a bound of its error,
which is raised until the digits are certain. An irrational number differs from every binary fraction,
so that this ends.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pydpstat import _multiple_precision as multiple_precision
from pydpstat.errors import PydpstatError
from pydpstat.random.secure import _bits as bits

_HEAD, _WORD = 8, 64
_REST = (1 << _WORD) - 1
# bytes that are asked for at a time: what is made of them stays in the processor's cache
_CHUNK = 1 << 17
# bits that are computed beyond those that are asked for
_GUARD = 24


class Chance(Protocol):
    """A probability whose binary digits are known, as many as are asked for."""

    @property
    def certain(self) -> bool:
        """Whether it is 1."""

    def digits(self, count: int) -> int:
        """Return floor(2**count * p)."""


class RationalChance:
    """A rational probability.

    Parameters
    ----------
    numerator, denominator : int
        The first at least 0, the second at least as large and above 0.

    Examples
    --------
    >>> RationalChance(1, 3).digits(4)
    5
    """

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: int, denominator: int) -> None:
        if not 0 <= numerator <= denominator or not denominator:
            raise PydpstatError("numerator / denominator must be between 0 and 1.")
        self.numerator, self.denominator = numerator, denominator

    @property
    def certain(self) -> bool:
        """Whether it is 1."""
        return self.numerator == self.denominator

    def digits(self, count: int) -> int:
        """Return floor(2**count * p)."""
        return (self.numerator << count) // self.denominator


class LogisticChance:
    """The probability m / (exp(x) + m), which is irrational for a rational x other than 0.

    Parameters
    ----------
    exponent : float or Fraction
        x, above 0; taken as the exact number that it is.
    others : int, default 1
        m, at least 1.

    Examples
    --------
    >>> LogisticChance(1.0).digits(20) / 2**20  # doctest: +ELLIPSIS
    0.26894...
    """

    __slots__ = ("_known", "exponent", "others")
    certain = False

    def __init__(self, exponent: float | Fraction, others: int = 1) -> None:
        self.exponent, self.others = Fraction(exponent), others
        if self.exponent <= 0 or others < 1:
            raise PydpstatError("exponent must be above 0, and others at least 1.")
        # how many digits are computed already, and these
        self._known = 0, 0

    def digits(self, count: int) -> int:
        """Return floor(2**count * p)."""
        known, value = self._known
        if count > known:
            known = max(count, _HEAD + _WORD)
            value = self._computed(known)
            self._known = known, value
        return value >> (known - count)

    def _computed(self, count: int) -> int:
        mp = multiple_precision.functions()
        # below 2**-count: exp(x) is at least 2**x
        if self.exponent > count + self.others.bit_length():
            return 0
        top, bottom = self.exponent.numerator, self.exponent.denominator
        others, more = mp.from_int(self.others), _GUARD
        while True:
            working = count + more
            # the exponent's relative error is multiplied by its size
            size = max(top.bit_length() - bottom.bit_length() + 1, 0)
            power = mp.mpf_exp(mp.from_rational(top, bottom, working + size), working)
            share = mp.mpf_div(others, mp.mpf_add(power, others, working), working)
            # p is at most 1, and each of the four roundings is below 2**(2 - working) of it
            units = mp.to_int(mp.mpf_shift(share, working), "n")
            low, high = max(units - 32, 0) >> more, (units + 32) >> more
            if low == high:
                return low
            more *= 2


def flips(size: int, chance: Chance) -> npt.NDArray[np.bool_]:
    """Draw trials that are true with one and the same probability, exactly.

    Parameters
    ----------
    size : int
        How many.
    chance : Chance
        The probability: a `RationalChance`, a `LogisticChance`, or anything that knows its digits.

    Returns
    -------
    ndarray of bool, shape (size,)

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> bool(0 < secure.flips(1000, secure.LogisticChance(1.0)).sum() < 1000)
    True
    """
    if chance.certain:
        return np.ones(size, dtype=bool)
    result = np.empty(size, dtype=bool)
    head = np.uint8(chance.digits(_HEAD))
    for start in range(0, size, _CHUNK):
        part = result[start : start + _CHUNK]
        drawn = np.frombuffer(bits.entropy(part.size), dtype=np.uint8)
        np.less(drawn, head, out=part)
        ties = np.flatnonzero(drawn == head)
        if ties.size:
            part[ties] = _continued(ties.size, chance)
    return result


def _continued(size: int, chance: Chance) -> npt.NDArray[np.bool_]:
    """Return the outcomes of trials whose first byte is that of the probability."""
    result = np.zeros(size, dtype=bool)
    known, places = _HEAD, np.arange(size)
    while places.size:
        known += _WORD
        digit = np.uint64(chance.digits(known) & _REST)
        drawn = bits.words(places.size)
        result[places] = drawn < digit
        places = places[drawn == digit]
    return result

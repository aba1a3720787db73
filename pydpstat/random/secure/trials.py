"""Bernoulli trials with exactly given probabilities.

Of many trials with one probability (`flips`), each is true if a uniform U is below p. U is drawn digit by digit: one
byte first, which decides all but one trial in 256, then words of 64 bits for the undecided ones. At the first digit
where U and p differ, U is smaller or larger. So only p's binary digits are needed, and those are integers: of a
rational number by division, of m / (exp(x) + m) by multiple precision with an error bound, whose precision is increased
until the digits are certain. An irrational number differs from every binary fraction, so this terminates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pydpstat import _multiple_precision as multiple_precision
from pydpstat.errors import PydpstatError
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._bits import UniformCell
from pydpstat.random.secure.continuous import LOG_ERROR

_ROUNDING = 2.0**-50
_HEAD_BITS, _WORD_BITS = 8, 64
_WORD_MASK = (1 << _WORD_BITS) - 1
# bytes requested at a time, so that derived arrays fit into the processor's cache
_CHUNK_SIZE = 1 << 17
# bits computed beyond the requested ones
_GUARD_BITS = 24


def bernoulli(size: int, probability: float | Fraction | npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Draw trials that are true with the given probability, exactly; an array has one for each trial.

    A float is the binary fraction that it represents. A probability outside 0 to 1 raises an error.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> secure.bernoulli(2, 1.0).tolist(), secure.bernoulli(2, 0).tolist()
    ([True, True], [False, False])
    """
    chances = np.asarray(probability)
    if not np.all((chances >= 0) & (chances <= 1)):
        raise PydpstatError("probability must be between 0 and 1.")
    n_bits = bits.KNOWN_BITS
    drawn = bits.draw_words(size) >> np.uint64(64 - n_bits)
    # U < p: true in all cells below that of p, false in all above it
    edge: np.uint64 | npt.NDArray[np.uint64]
    if chances.ndim:
        edge = np.floor(chances.astype(np.float64) * 2.0**n_bits).astype(np.uint64)
    else:
        exact = Fraction(chances.item())
        edge = np.uint64((exact.numerator << n_bits) // exact.denominator)
    result = drawn < edge
    for index in np.flatnonzero(drawn == edge).tolist():
        each = Fraction(float(chances[index])) if chances.ndim else exact
        result[index] = is_cell_below(UniformCell(int(drawn[index]), n_bits), each)
    return result


def bernoulli_exp(exponents: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Draw one trial for each exponent x >= 0, true with probability exp(-x), exactly.

    The exponents, of shape (n,), are taken as the exact numbers that their floats represent.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> secure.bernoulli_exp([0.0, 1e9]).tolist()
    [True, False]
    """
    values = np.asarray(exponents, dtype=np.float64)
    return draw_exp_trials(values, np.zeros(values.shape), lambda place: Fraction(float(values[place])))


def draw_exp_trials(
    exponents: npt.NDArray[np.float64], errors: npt.NDArray[np.float64], exact: Callable[[int], Fraction]
) -> npt.NDArray[np.bool_]:
    """Draw trials with the probabilities exp(-x), where the `exponents` are within `errors` of each x >= 0.

    Both have the shape (n,); NaN and infinite elements count as unknown. `exact` maps a trial's index to its x.
    """
    words = bits.draw_words(exponents.size)
    uniform = bits.to_midpoints(words)
    reached = -np.log(uniform)
    with np.errstate(all="ignore"):
        # as in `bound_error` of continuous noise, with ratio 1
        slack = 2.0 * bits.get_half_cell() / uniform + reached * (LOG_ERROR + _ROUNDING) + errors
        distance = reached - exponents
        result = distance > 0.0
        decided = (np.abs(distance) > slack) & (uniform > bits.get_half_cell())
    for index in np.flatnonzero(~decided).tolist():
        result[index] = precise.is_log_at_least(bits.make_cell(int(words[index])), exact(index))
    return result


def draw_exp_trial(exponent: float, error: float, exact: Callable[[], Fraction]) -> bool:
    """Draw one trial as `draw_exp_trials` does, with plain Python numbers, which is ten times faster."""
    drawn = bits.draw_word()
    uniform = bits.to_midpoint(drawn)
    reached = -math.log(uniform)
    slack = 2.0 * bits.get_half_cell() / uniform + reached * (LOG_ERROR + _ROUNDING) + error
    if uniform > bits.get_half_cell() and abs(reached - exponent) > slack:
        return reached > exponent
    return precise.is_log_at_least(bits.make_cell(drawn), exact())


def is_cell_below(cell: UniformCell, probability: Fraction) -> bool:
    """Return whether U is below the probability."""
    while True:
        goal = probability.numerator << cell.bits
        if (cell.place + 1) * probability.denominator <= goal:
            return True
        if cell.place * probability.denominator >= goal:
            return False
        cell.draw_more_bits()


class Chance(Protocol):
    """A probability with arbitrarily many known binary digits."""

    def digits(self, count: int) -> int:
        """Return floor(2**count * p)."""


class RationalChance:
    """A rational probability: 0 <= numerator <= denominator, and the denominator above 0.

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

    def digits(self, count: int) -> int:
        """Return floor(2**count * p)."""
        return (self.numerator << count) // self.denominator


class LogisticChance:
    """The probability m / (exp(x) + m), which is irrational for a rational x other than 0.

    The exponent x is above 0, and taken as the exact number that it represents; `others` is m, at least 1.

    Examples
    --------
    >>> LogisticChance(1.0).digits(20) / 2**20  # doctest: +ELLIPSIS
    0.26894...
    """

    __slots__ = ("_known", "exponent", "others")

    def __init__(self, exponent: float | Fraction, others: int = 1) -> None:
        self.exponent, self.others = Fraction(exponent), others
        if self.exponent <= 0 or others < 1:
            raise PydpstatError("exponent must be above 0, and others at least 1.")
        # the number of digits computed so far, and these digits
        self._known = 0, 0

    def digits(self, count: int) -> int:
        """Return floor(2**count * p)."""
        n_digits, value = self._known
        if count > n_digits:
            n_digits = max(count, _HEAD_BITS + _WORD_BITS)
            value = self._compute_digits(n_digits)
            self._known = n_digits, value
        return value >> (n_digits - count)

    def _compute_digits(self, count: int) -> int:
        mp = multiple_precision.get_functions()
        # below 2**-count, because exp(x) is at least 2**x
        if self.exponent > count + self.others.bit_length():
            return 0
        top, bottom = self.exponent.numerator, self.exponent.denominator
        others, guard_bits = mp.from_int(self.others), _GUARD_BITS
        while True:
            working = count + guard_bits
            # the exponent's relative error is multiplied by its size
            size = max(top.bit_length() - bottom.bit_length() + 1, 0)
            power = mp.mpf_exp(mp.from_rational(top, bottom, working + size), working)
            share = mp.mpf_div(others, mp.mpf_add(power, others, working), working)
            # p is at most 1, and each of the four rounding errors is below 2**(2 - working) of it
            units = mp.to_int(mp.mpf_shift(share, working), "n")
            low, high = max(units - 32, 0) >> guard_bits, (units + 32) >> guard_bits
            if low == high:
                return low
            guard_bits *= 2


def flips(size: int, chance: Chance) -> npt.NDArray[np.bool_]:
    """Draw trials that are true with the same probability, exactly.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> bool(0 < secure.flips(1000, secure.LogisticChance(1.0)).sum() < 1000)
    True
    """
    leading_digits = chance.digits(_HEAD_BITS)
    if leading_digits >> _HEAD_BITS:
        # the probability is 1
        return np.ones(size, dtype=bool)
    head = np.uint8(leading_digits)
    result = np.empty(size, dtype=bool)
    for start in range(0, size, _CHUNK_SIZE):
        chunk = result[start : start + _CHUNK_SIZE]
        drawn = np.frombuffer(bits.entropy(chunk.size), dtype=np.uint8)
        np.less(drawn, head, out=chunk)
        ties = np.flatnonzero(drawn == head)
        if ties.size:
            chunk[ties] = _resolve_ties(ties.size, chance)
    return result


def _resolve_ties(size: int, chance: Chance) -> npt.NDArray[np.bool_]:
    """Return the outcomes of trials whose first byte equals that of the probability."""
    result = np.zeros(size, dtype=bool)
    n_bits, tied = _HEAD_BITS, np.arange(size)
    while tied.size:
        n_bits += _WORD_BITS
        digit = np.uint64(chance.digits(n_bits) & _WORD_MASK)
        drawn = bits.draw_words(tied.size)
        result[tied] = drawn < digit
        tied = tied[drawn == digit]
    return result

"""Trials from single bytes: the digits of probabilities, the comparison at every tie, and whole numbers."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pydpstat.errors import PydpstatError
from pydpstat.random import secure

EXPONENTS = [5e-324, 1e-17, 1e-3, 0.5, 1.0986122886681098, 3.0, 10.0, 40.0, 55.5, 300.0, 1e4, 1e300]


@pytest.mark.parametrize("others", [1, 2, 6, 999_999])
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_the_digits_of_a_logistic_chance(exponent, others):
    chance = secure.LogisticChance(exponent, others)
    for count in (1, 8, 72, 136, 500):
        # enough digits that the floor is certain: the chance is no binary fraction
        with mpmath.workprec(count + 1200):
            exact = mpmath.mpf(0)
            if exponent < 1e4:
                exact = others / (mpmath.exp(mpmath.mpf(exponent)) + others)
            assert chance.digits(count) == int(mpmath.floor(exact * mpmath.mpf(2) ** count))


def test_digits_do_not_depend_on_what_was_asked_before():
    first, second = secure.LogisticChance(0.3, 2), secure.LogisticChance(0.3, 2)
    many = first.digits(400)
    for count in (1, 8, 72, 73, 136):
        assert second.digits(count) == first.digits(count) == many >> (400 - count)


@pytest.mark.slow
@given(st.fractions(0, 1), st.integers(1, 200))
def test_the_digits_of_a_rational_chance(value, count):
    assert secure.RationalChance(*value.as_integer_ratio()).digits(count) == value * 2**count // 1


class Script:
    """Entropy that is written beforehand."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __call__(self, size: int) -> bytes:
        given, self.content = self.content[:size], self.content[size:]
        assert len(given) == size, "more bits were asked for than expected"
        return given


CHANCES = [
    secure.LogisticChance(1.0),
    secure.LogisticChance(0.1, 5),
    secure.RationalChance(1, 3),
    secure.RationalChance(3, 8),
    secure.RationalChance(2**70 + 1, 2**72),
    secure.RationalChance(0, 1),
    secure.LogisticChance(500.0),
]


@pytest.mark.parametrize("chance", CHANCES)
def test_every_first_byte_and_every_tie(chance, monkeypatch):
    head, rest = chance.digits(8), [chance.digits(8 + 64 * k) & (2**64 - 1) for k in (1, 2, 3)]

    def outcome(*digits):
        # one byte, then words of 64 bits
        script = Script(bytes([digits[0]]) + b"".join(each.to_bytes(8, "little") for each in digits[1:]))
        monkeypatch.setattr(secure._bits, "entropy", script)
        result = secure.flips(1, chance)
        assert script.content == b"" and result.dtype == bool
        return bool(result[0])

    for byte in range(256):
        if byte != head:
            assert outcome(byte) is (byte < head)
    so_far = [head]
    for digit in rest:
        if digit > 0:
            assert outcome(*so_far, digit - 1) is True
        if digit < 2**64 - 1:
            assert outcome(*so_far, digit + 1) is False
        so_far.append(digit)


def test_ties_go_to_their_own_places(monkeypatch):
    chance = secure.RationalChance(1, 3)
    tie, word = chance.digits(8), chance.digits(72) & (2**64 - 1)
    heads = bytes([0, tie, 255, tie, tie, 3])
    # of three ties the second needs a second word
    words = [word - 1, word, word + 1, 2**64 - 1]
    script = Script(heads + b"".join(each.to_bytes(8, "little") for each in words))
    monkeypatch.setattr(secure._bits, "entropy", script)
    assert secure.flips(6, chance).tolist() == [True, True, False, False, False, True]


def test_certain_and_no_trials(monkeypatch):
    monkeypatch.setattr(secure._bits, "entropy", Script(b""))
    assert secure.flips(3, secure.RationalChance(1, 1)).tolist() == [True] * 3
    assert secure.flips(0, secure.LogisticChance(1.0)).shape == (0,)


@pytest.mark.parametrize("chance", CHANCES[:5])
def test_the_distribution(chance):
    n = 400_000
    p = chance.digits(60) / 2**60
    count = int(secure.flips(n, chance).sum())
    # a false alarm in 10^6; 2 % more or less is at least seven standard deviations away
    assert stats.binomtest(count, n, p).pvalue > 1e-6
    for wrong in (1.02 * p, p / 1.02):
        assert stats.binomtest(count, n, wrong).pvalue < 1e-6


def test_chunks_do_not_repeat_bits():
    drawn = secure.flips(300_000, secure.LogisticChance(0.1))
    first, second = drawn[: 1 << 17], drawn[1 << 17 : 1 << 18]
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.02


def test_no_bits_are_kept_between_calls(monkeypatch):
    script = Script(bytes(range(10)))
    monkeypatch.setattr(secure._bits, "entropy", script)
    secure.flips(3, secure.RationalChance(200, 256))
    assert script.content == bytes(range(3, 10))


@pytest.mark.parametrize("bound", [2, 3, 7, 129, 255, 256])
def test_whole_numbers_are_equally_likely(bound, monkeypatch):
    # every possible word once; what is rejected is drawn again as 0
    words = np.arange(2**16, dtype="<u2")
    rejected = 2**16 % bound
    monkeypatch.setattr(secure._bits, "entropy", Script(words.tobytes() + bytes(2 * rejected)))
    drawn = secure.integers(2**16, bound)
    kept = drawn[: 2**16 - rejected]
    assert np.bincount(kept, minlength=bound).tolist() == [2**16 // bound] * bound
    assert not drawn[2**16 - rejected :].any()


@pytest.mark.parametrize("bound", [1, 300, 2**24, 2**24 + 1, 2**62])
def test_whole_numbers_of_any_size(bound):
    drawn = secure.integers(20_000, bound)
    assert drawn.dtype == np.int64 and drawn.min() >= 0 and drawn.max() < bound
    if bound > 1:
        assert stats.kstest((drawn + 0.5) / bound, "uniform").pvalue > 1e-6


@pytest.mark.parametrize(
    "call",
    [
        lambda: secure.RationalChance(2, 1),
        lambda: secure.RationalChance(-1, 2),
        lambda: secure.RationalChance(0, 0),
        lambda: secure.LogisticChance(0.0),
        lambda: secure.LogisticChance(-1.0),
        lambda: secure.LogisticChance(1.0, 0),
        lambda: secure.integers(1, 0),
        lambda: secure.integers(1, 2**63),
    ],
)
def test_what_is_no_chance(call):
    with pytest.raises(PydpstatError):
        call()


def test_a_fraction_as_exponent():
    assert secure.LogisticChance(Fraction(1, 2)).digits(72) == secure.LogisticChance(0.5).digits(72)

"""Choices of the exponential mechanism: probabilities, and when unlikely candidates are looked at."""

from fractions import Fraction
from unittest import mock

import mpmath
import numpy as np
import pytest
from scipy import stats

from pydpstat.random import secure
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import choices
from tests.random.secure.distributions import FALSE_ALARM


def chosen(n, *arguments):
    return np.array([secure.choose(*arguments) for _ in range(n)])


CHOICES = [
    ("equal", np.zeros(5), 1.0, None),
    ("steps", np.arange(-4.0, 4.0), Fraction(1, 3), None),
    ("measure", np.array([0.0, 1.0, 2.0, 2.0]), 0.5, np.array([1.0, 0.5, 1e-3, 3.0])),
    ("excluded", np.array([5.0, -np.inf, 4.0, 900.0]), 1.0, np.array([1.0, 1.0, 2.0, 0.0])),
    ("far apart", np.array([0.0, -1e5, 1.0, -1e308]), 1.0, np.array([1.0, 1e300, 1.0, 1e300])),
    ("extreme measures", np.array([0.0, -690.0, -691.0]), 1.0, np.array([1e-300, 1.0, 1.0])),
]


@pytest.mark.slow
@pytest.mark.parametrize("utility, rate, measure", [each[1:] for each in CHOICES], ids=[each[0] for each in CHOICES])
@pytest.mark.parametrize("precision", ["floating point", "few bits", "integers"])
def test_choices(monkeypatch, utility, rate, measure, precision):
    n = 20_000 if precision == "floating point" else 3_000
    if precision == "few bits":
        # a tenth and more of the draws are not decided
        monkeypatch.setattr(bits, "KNOWN_BITS", 6)
        monkeypatch.setattr(choices, "_WEIGHT_ERROR", 2.0**-7)
    if precision == "integers":
        monkeypatch.setattr(choices, "_choose_fast", lambda *_: None)
    found = np.bincount(chosen(n, utility, rate, measure), minlength=utility.size)
    exponents = utility * float(rate)
    with np.errstate(divide="ignore"):
        logs = exponents + np.log(np.ones(utility.size) if measure is None else measure)
    share = np.exp(logs - logs.max())
    share /= share.sum()
    possible = share > 1e-12
    assert not found[~possible].any()
    if possible.sum() > 1:
        expected = share[possible] / share[possible].sum() * n
        assert stats.chisquare(found[possible], expected).pvalue > FALSE_ALARM


@pytest.mark.slow
def test_both_ways_of_choosing_agree():
    generator = np.random.default_rng(3)
    decided = 0
    for size in (1, 2, 17, 300, 40_000):
        utility = np.rint(generator.normal(0.0, 30.0, size))
        measure = generator.exponential(1.0, size) * (generator.random(size) < 0.8) + 1e-9
        for _ in range(300 if size < 1000 else 3):
            word = bits.draw_word()
            top = choices._get_best_utility(utility, measure)
            place = choices._choose_fast(utility, Fraction(0.1), measure, top, bits.to_midpoint(word))
            decided += place is not None
            if place is not None:
                assert place == choices._choose_exactly(utility, Fraction(0.1), measure, None, bits.make_cell(word))
    assert decided >= 1190


@pytest.mark.slow
def test_a_choice_among_a_million():
    n = 1_000_000
    utility = -np.abs(np.arange(n) - 300_000.0)
    places = chosen(20, utility, 1e-3)
    assert (np.abs(places - 300_000) < 25_000).all() and len(set(places.tolist())) > 10
    word = bits.draw_word()
    quick = choices._choose_fast(utility, Fraction(1e-3), None, 0.0, bits.to_midpoint(word))
    assert quick is not None


@pytest.mark.parametrize(
    "utility, measure",
    [
        ([], None),
        ([-np.inf], None),
        ([1.0], [0.0]),
        ([np.nan, 1.0], None),
        ([np.inf], None),
        ([1.0], [np.inf]),
    ],
)
def test_nothing_to_choose(utility, measure):
    with pytest.raises(ValueError, match="utility|measure"):
        secure.choose(utility, 1.0, measure)


def test_the_seeded_bits_are_only_for_tests():
    with mock.patch.object(secure._bits, "entropy", lambda size: b"\x01" * size):
        first = secure.laplace(3, 1.0, 2.0**-20)
    assert not np.array_equal(first, secure.laplace(3, 1.0, 2.0**-20))


@pytest.mark.slow
def test_unlikely_candidates_are_looked_at_only_where_they_must(monkeypatch):
    """A choice among a part of the candidates is the choice among all, for the same bits."""
    utility = -np.abs(np.arange(200) - 70.0)
    measure = np.linspace(0.5, 2.0, 200)
    asked = []

    def everything():
        asked.append(True)
        return utility, measure

    def both(rest_from, rest_to, bits_drawn):
        monkeypatch.setattr(secure._bits, "entropy", lambda size: bits_drawn)
        part = slice(rest_from, rest_to)
        others = np.delete(utility, np.arange(rest_from, rest_to))
        rest = secure.Rest(rest_from, others.max(), 2.0 * measure.sum(), everything)
        return (secure.choose(utility, 1.0, measure), secure.choose(utility[part], 1.0, measure[part], rest))

    generator = np.random.default_rng(5)
    for _ in range(300):
        drawn = generator.bytes(8)
        # 20 places away a weight is 2e-9 of the best one, 3 places away 5 %
        for part in ((50, 90), (67, 73)):
            complete, within = both(*part, drawn)
            assert complete == within
    # of the narrow part a good share is undecided, of the wide one next to nothing
    assert 20 < len(asked) < 400
    # where nothing in the part can be chosen, the rest is asked
    monkeypatch.setattr(secure._bits, "entropy", lambda size: b"\x80" * size)
    rest = secure.Rest(0, 0.0, 400.0, everything)
    assert secure.choose([0.0], 1.0, [0.0], rest) == secure.choose(utility, 1.0, measure)


@pytest.mark.parametrize("before", [0, 1])
def test_a_clear_choice_of_the_first_candidate_needs_no_integers(before, monkeypatch):
    def ask(*_):
        raise AssertionError("the choice is clear in floating point")

    monkeypatch.setattr(choices, "_choose_exactly", ask)
    monkeypatch.setattr(secure._bits, "entropy", lambda size: b"\x80" * size)
    rest = secure.Rest(before, -900.0, 1.0, ask)
    assert secure.choose([0.0, -1.0], 1.0, None, rest) == before


@pytest.mark.parametrize("below", [True, False])
def test_a_rest_whose_weight_underflows_is_chosen_with_its_probability(below, monkeypatch):
    # exp(-1000) is 0 in floating point; U lies 2**-1588 beside the boundary
    count = 52 + 64 * 24
    with mpmath.workprec(4000):
        weight = mpmath.exp(-1000)
        boundary = int(mpmath.floor(weight / (1 + weight) * mpmath.mpf(2) ** count))
    uniform = boundary - 1 if below else boundary + 1
    # the first word's lower 12 bits are not used
    words = [uniform >> (count - 52) << 12, *(uniform >> 64 * k & (1 << 64) - 1 for k in range(23, -1, -1))]
    drawn = iter(words)
    monkeypatch.setattr(secure._bits, "entropy", lambda size: next(drawn, 0).to_bytes(size, "little"))
    rest = secure.Rest(1, -1000.0, 1.0, lambda: ([-1000.0, 0.0], None))
    assert secure.choose([0.0], 1, None, rest) == (0 if below else 1)


def test_measures_are_integers_in_the_same_proportions():
    sizes = choices._to_integer_ratios(np.array([0.5, 3.0, 0.375, 0.0]))
    assert sizes == [4, 24, 3, 0] and {type(size) for size in sizes} == {int}
    assert choices._to_integer_ratios(np.array([2.0**60, 2.0**-40])) == [2**100, 1]

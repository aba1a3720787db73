"""The uniform noise that is no mechanism: its exact law, its audit, and the budget that refuses it."""

from __future__ import annotations

import math
import pickle
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import pydpstat
from pydpstat import PydpstatError, RRandom
from pydpstat.random import secure
from pydpstat.teaching import UniformNoise
from tests.junk import JUNK


def test_the_table_of_the_text():
    noise = UniformNoise(2)
    assert [(noise.probability(event, 5), noise.probability(event, 6)) for event in ({3}, {4, 5, 6}, {7, 8})] == [
        (Fraction(1, 5), 0),
        (Fraction(3, 5), Fraction(3, 5)),
        (Fraction(1, 5), Fraction(2, 5)),
    ]


@pytest.mark.parametrize("reach", [1, 2, 7])
def test_the_law_is_one_and_has_its_moments(reach):
    noise = UniformNoise(reach)
    assert noise.probability(noise.values) == 1 and noise.probability(range(-100, 101), 3) == 1
    second = sum(k * k * noise.probability({k}) for k in noise.values)
    assert noise.var() == pytest.approx(float(second)) and noise.std() == pytest.approx(math.sqrt(second))


@pytest.mark.parametrize("reach", [1, 2, 3])
@pytest.mark.parametrize("sensitivity", [1, 2, 4, 9])
def test_delta_is_the_excess_of_the_best_event_at_every_epsilon(reach, sensitivity):
    noise = UniformNoise(reach)
    for factor in (1, 3, 1000):
        answers = range(-20, 21)
        excess = sum(max(noise.probability({a}) - factor * noise.probability({a}, sensitivity), 0) for a in answers)
        assert excess == noise.delta(sensitivity)


def test_it_is_marked_as_no_mechanism():
    assert "NOT a mechanism" in UniformNoise.__doc__ and "Guarantee: none" in UniformNoise.__doc__
    assert UniformNoise().guarantee.epsilon == math.inf and str(UniformNoise().guarantee).startswith("none")


@pytest.mark.parametrize("rng", ["operating system", 1, "R"])
@pytest.mark.parametrize("reach", [1, 2, 4])
def test_draws_have_the_law_and_no_other(rng, reach):
    source = {"operating system": None, 1: np.random.default_rng(1), "R": RRandom(1)}[rng]
    n = 60_000
    sample = UniformNoise(reach).answer(100, n, rng=source) - 100
    counts = np.array([(sample == k).sum() for k in range(-reach - 1, reach + 2)])
    assert counts.sum() == n and counts[0] == counts[-1] == 0
    # a false alarm once in a million samples of this seed
    assert stats.chisquare(counts[1:-1]).pvalue > 1e-6
    # and a law that is 10 % wider or narrower at its ends is rejected
    for wrong in (0.9, 1.1):
        weights = np.ones(2 * reach + 1)
        weights[[0, -1]] = wrong
        expected = n * weights / weights.sum()
        assert stats.chisquare(counts[1:-1], expected).pvalue < 1e-6


def test_words_that_would_favor_small_numbers_are_drawn_again(monkeypatch):
    words = iter([2**16 - 1, 2**16 - 2, 12, 2**16 - 1, 13])

    def entropy(size):
        return b"".join(next(words).to_bytes(2, "little") for _ in range(size // 2))

    monkeypatch.setattr(secure._bits, "entropy", entropy)
    # 2**16 is 1 more than a multiple of 5 and of 3: only the last word is beyond
    assert UniformNoise(2).answer(0, 3).tolist() == [13 % 5 - 2, (2**16 - 2) % 5 - 2, 12 % 5 - 2]


def test_answers():
    noise = UniformNoise(2)
    assert type(noise.answer(6)) is int and noise.answer(6) in range(4, 9)
    assert noise.answer(6, 0).shape == (0,) and noise.answer(np.int64(6), 3).dtype == np.int64
    assert np.array_equal(noise.answer(6, 50, rng=3), noise.answer(6, 50, rng=3))
    assert pickle.loads(pickle.dumps(noise)) == noise and UniformNoise(3) != noise


def test_the_audit_finds_it_by_itself():
    found = UniformNoise(2).audit(samples=20_000, rng=1)
    assert found.violates and found.only_under_one and found.epsilon_lower > 5.0
    assert found.witness in ("the result is at most 3", "the result is above 7")
    again = UniformNoise(2).audit(samples=20_000, rng=1)
    assert again.epsilon_lower == found.epsilon_lower
    # a wider one fails as well: its ends are as certain
    assert UniformNoise(10).audit(5, 6, samples=20_000, rng=2).violates


def test_a_budget_refuses_it_and_keeps_what_it_has():
    budget = pydpstat.Budget(100.0)
    with pytest.raises(PydpstatError, match="no budget covers a release that guarantees nothing. Nothing was"):
        UniformNoise().answer(6, budget=budget)
    assert budget.remaining.epsilon == 100.0 and budget.entries == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: UniformNoise(0), "reach must be a whole number of at least 1; got 0. Give for example 2."),
        (lambda: UniformNoise(2**31 + 1), r"reach must be at most 2\*\*31"),
        (lambda: UniformNoise().answer(5.5), "count must be a whole number; got 5.5"),
        (lambda: UniformNoise().answer(5, -1), "size must be a whole number of at least 0; got -1"),
        (lambda: UniformNoise().answer(5, 2**33), r"size must be at most 2\*\*32"),
        (lambda: UniformNoise().answer(5, budget=3), "budget must be None or a Budget"),
        (lambda: UniformNoise().answer(5, rng="x"), "rng must be None, an int"),
        (lambda: UniformNoise().probability("3"), "answers must be a sequence of whole numbers; got str"),
        (lambda: UniformNoise().probability([0.5]), "answers must be a whole number; got 0.5"),
        (lambda: UniformNoise().delta(0), "sensitivity must be a whole number of at least 1; got 0"),
        (lambda: UniformNoise().audit(rng=-1), "rng must be None, an int"),
        (lambda: UniformNoise().audit(5, "6"), "neighbor must be a whole number; got str of length 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(PydpstatError, match=message):
        call()


@pytest.mark.parametrize("name", JUNK)
def test_junk(name):
    for call in (
        lambda x: UniformNoise(x),
        lambda x: UniformNoise().answer(x),
        lambda x: UniformNoise().probability(x),
        lambda x: UniformNoise().possible(x),
    ):
        with suppress(PydpstatError):
            call(JUNK[name]())


def test_an_audit_goes_on_with_the_generator_that_is_given():
    first, again = (UniformNoise(2).audit(samples=2_000, rng=np.random.default_rng(1)) for _ in range(2))
    assert first.to_dict() == again.to_dict()
    # of an int the noise and the audit share one stream
    assert UniformNoise(2).audit(samples=2_000, rng=1).to_dict() == first.to_dict()


def test_the_largest_reach():
    assert UniformNoise(2**31).reach == 2**31
    with pytest.raises(PydpstatError, match="reach must be"):
        UniformNoise(2**31 + 1)

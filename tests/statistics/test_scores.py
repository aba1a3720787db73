"""Scores that no float holds: their differences are exact, and so is the choice between them."""

import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pydpstat
from pydpstat import PydpstatError
from pydpstat.random import _weighted_choice
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import choices
from pydpstat.random.source import SYSTEM
from pydpstat.statistics.choice import read_scores

LARGE = 2**60
# the bits are seeded: a right sampler passes each time, a random one would fail once in a million
FALSE_ALARM = 1e-6


def exact(scores):
    """Each score's exact difference from the best one."""
    read = read_scores(scores, len(scores))
    if read.exact_utilities is not None:
        return list(read.exact_utilities)
    top = Fraction(float(read.floats.max()))
    return [Fraction(each) - top for each in read.floats.tolist()]


@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        lambda scores: np.array(scores, dtype=np.uint64),
        lambda scores: np.array(scores, dtype=">i8"),
        lambda scores: np.array(scores, dtype=np.longdouble),
        lambda scores: list(map(Fraction, scores)),
        lambda scores: list(map(np.int64, scores)),
        lambda scores: pd.Series(scores, dtype="Int64"),
        lambda scores: pd.DataFrame({"score": scores}),
    ],
    ids="list int64 uint64 swapped long-double fractions scalars Int64 frame".split(),
)
def test_one_record_moves_a_difference_by_its_sensitivity(make):
    before, after = make([LARGE + 128, LARGE]), make([LARGE + 129, LARGE])
    assert exact(before) == [0, -128] and exact(after) == [0, -129]


@pytest.mark.slow
@given(st.lists(st.integers(-(2**70), 2**70) | st.floats(-1e300, 1e300) | st.fractions(), min_size=1))
def test_differences_are_exact(scores):
    top = max(map(Fraction, scores))
    assert exact(scores) == [Fraction(each) - top for each in scores]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_differences_of_integers_are_exact(scores):
    assert exact(np.array(scores)) == exact(scores) == [each - max(scores) for each in scores]


def test_floats_are_the_nearest():
    read = read_scores([Fraction(1, 3), 0, -(10**400)], 3)
    assert read.floats.tolist() == [0.0, -1 / 3, -sys.float_info.max]
    assert repr(read) == "Scores(values withheld)"


@pytest.mark.parametrize("bits_known", [4, 52])
@pytest.mark.parametrize("mechanism", ["exponential", "noisy max"])
def test_the_law_of_large_scores(monkeypatch, mechanism, bits_known):
    # with 4 bits known at first most draws are finished in multiple precision
    if mechanism == "noisy max":
        monkeypatch.setattr(bits, "KNOWN_BITS", bits_known)
    elif bits_known == 4:
        monkeypatch.setattr(choices, "_choose_fast", lambda *arguments: None)
    draws, scores = 1500, [LARGE + 1, LARGE, LARGE - 1]
    seen = np.bincount(
        [int(pydpstat.choose(range(3), scores, 2.0, 1, mechanism=mechanism)) for _ in range(draws)],
        minlength=3,
    )
    heads = np.exp([0.0, -1.0, -2.0])
    if mechanism == "exponential":
        law = heads / heads.sum()
    else:
        # in the order of the first that is taken, over all orders
        a, b = heads[1:]
        second, third = a * (1 / 3 + (1 - b) / 6), b * (1 / 3 + (1 - a) / 6)
        law = np.array([1 - second - third, second, third])
    assert stats.chisquare(seen, draws * law).pvalue > FALSE_ALARM
    # scores that were rounded to floats would all be equal
    assert stats.chisquare(seen).pvalue < FALSE_ALARM


def test_a_difference_that_no_float_shows_is_no_tie():
    less = Fraction(-1, 10**400)
    # with a large rate the probability of the second is small, though its float is that of the first
    rate = 10**401 * Fraction(4)
    exact = [Fraction(0), less]
    assert not any(
        _weighted_choice.permute_and_flip(np.zeros(2), rate, SYSTEM, exact_utilities=exact) for _ in range(200)
    )


@pytest.mark.parametrize(
    "scores, word",
    [
        ([1, Decimal(2)], "Decimal among them"),
        ([1, True], "bool among them"),
        ([1, "2"], "str among them"),
        (np.ma.masked_array([1, 2], [0, 1]), "finite"),
        ([Fraction(1, 3), float("inf")], "finite"),
        (np.array([1, np.inf], dtype=np.longdouble), "finite"),
        (pd.Series([1, None], dtype="Int64"), "finite"),
        (np.zeros((2, 2)), "one variable"),
        (3, "must be a vector"),
    ],
)
def test_other_scores_are_refused(scores, word):
    with pytest.raises(PydpstatError, match=word) as caught:
        pydpstat.choose(["a", "b"], scores, 1.0, 1)
    assert "scores" in str(caught.value)

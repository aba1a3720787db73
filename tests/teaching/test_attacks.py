"""The attacks: what repeated answers leave, how fast a mean gets there, and what stops both."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat
from pydpstat import BudgetExceeded, PydpstatError
from pydpstat.mechanisms import SymmetricGeometricNoise
from pydpstat.teaching import UniformNoise, averaging_attack, intersection_attack
from pydpstat.teaching.attacks import _format_range
from tests.junk import JUNK
from tests.privacy_search import findings

ADULT = np.array([True] * 6 + [False] * 4)

# intersection


def test_the_text_s_two_answers():
    attack = intersection_attack([5, 7])
    assert [list(each) for each in attack.left] == [[3, 4, 5, 6, 7], [5, 6, 7]]
    assert attack.candidates == (5, 6, 7)
    assert attack.chances == (Fraction(1, 5), Fraction(1, 3)) and attack.chance == Fraction(1, 3)
    frame = attack.to_frame()
    assert frame["leaves"].tolist() == ["3 to 7", "5 to 9"] and frame["chance"].tolist() == ["1/5", "1/3"]
    assert repr(attack).endswith("the count is one of {5, 6, 7} (chance 1/3)")


@given(st.integers(-50, 50), st.integers(1, 6), st.data())
def test_the_true_count_is_always_left_and_nothing_impossible(count, reach, data):
    noise = st.integers(-reach, reach)
    answers = [count + k for k in data.draw(st.lists(noise, min_size=1, max_size=12))]
    attack = intersection_attack(answers, reach)
    assert count in attack.candidates
    possible = set.intersection(*(set(UniformNoise(reach).possible(answer)) for answer in answers))
    assert set(attack.candidates) == possible
    sizes = [len(left) for left in attack.left]
    assert sizes == sorted(sizes, reverse=True)


def test_both_ends_seen_give_the_count_away():
    attack = intersection_attack([4, 8])
    assert attack.candidates == (6,) and attack.chance == 1 and "{6}" in repr(attack)
    assert intersection_attack([0], 50).to_frame()["leaves"].tolist() == ["-50 to 50"]
    assert repr(intersection_attack([0], 50)).startswith("IntersectionAttack: after 1 answer the count")


def test_enough_answers_always_do():
    # the chance that both ends are missing from 200 answers is below 1e-18
    assert intersection_attack(UniformNoise(2).answer(6, 200)).candidates == (6,)


def test_a_budget_ends_the_repetition():
    budget = pydpstat.Budget(1.0)
    answers = [pydpstat.count(ADULT, 0.5, budget=budget) for _ in range(2)]
    with pytest.raises(BudgetExceeded):
        pydpstat.count(ADULT, 0.5, budget=budget)
    assert len(answers) == 2 and budget.remaining.epsilon == 0.0


@pytest.mark.parametrize(
    ("answers", "reach", "message"),
    [
        ([3, 9], 2, "no count is within 2 of both 3 and 9"),
        ([], 2, "answers must be at least one whole number; got none"),
        ([5.5], 2, "answers must be a whole number; got 5.5"),
        ("57", 2, "answers must be a sequence of whole numbers; got str"),
        (5, 2, "answers must be a sequence of whole numbers; got int"),
        ([5], 0, "reach must be a whole number of at least 1"),
    ],
)
def test_bad_answers(answers, reach, message):
    with pytest.raises(PydpstatError, match=message):
        intersection_attack(answers, reach)


# averaging


def test_the_error_shrinks_with_the_root_of_the_queries():
    draw = np.random.default_rng(5).laplace
    m, runs = 400, 300
    ends = np.array([averaging_attack(lambda: draw(6.0, 2.0), m).estimate for _ in range(runs)])
    # standard deviation of one answer 2 sqrt(2); a sample sd of 300 means is right to 4.1 %
    expected = 2.0 * math.sqrt(2.0) / math.sqrt(m)
    spread = 1.0 / math.sqrt(2 * (runs - 1))
    assert abs(ends.std(ddof=1) / expected - 1.0) < 4.0 * spread
    # as if the error shrank with the fourth root, or with the number itself
    for wrong in (m**-0.25, 1.0 / m):
        assert abs(ends.std(ddof=1) / (2.0 * math.sqrt(2.0) * wrong) - 1.0) > 4.0 * spread


def test_the_published_noise_and_the_guarantee_of_all_together():
    rng = np.random.default_rng(1)
    attack = averaging_attack(lambda: pydpstat.count(ADULT, 0.5, rng=rng), 250)
    sd = SymmetricGeometricNoise(0.5).std()
    assert attack.noise_sd == pytest.approx(sd) and attack.refused is None
    assert attack.standard_error == pytest.approx(sd / math.sqrt(250))
    assert attack.guarantee.epsilon == 125.0 and attack.guarantee.neighbors == "bounded"
    assert abs(attack.estimate - 6.0) < 5.0 * attack.standard_error
    frame = attack.to_frame()
    assert frame.index.tolist() == [1, 10, 100, 250] and frame["mean"].iloc[-1] == pytest.approx(attack.estimate)
    assert frame["standard error"].to_numpy() == pytest.approx(sd / np.sqrt([1, 10, 100, 250]))
    assert attack.running[-1] == pytest.approx(attack.estimate)
    assert repr(attack).startswith("AveragingAttack: 250 of 250 answers, mean ")


def test_the_budget_stops_it():
    budget = pydpstat.Budget(1.0)
    attack = averaging_attack(lambda: pydpstat.count(ADULT, 0.1, budget=budget), 1000)
    assert attack.answers.size == 10 and attack.queries == 1000
    assert attack.refused.startswith("the budget does not cover this release: it needs epsilon 0.1")
    assert attack.guarantee.epsilon == pytest.approx(1.0) and "stopped by the budget" in repr(attack)
    # asked once more, it gets nothing at all
    empty = averaging_attack(lambda: pydpstat.count(ADULT, 0.1, budget=budget), 1000)
    assert empty.answers.size == 0 and math.isnan(empty.estimate) and math.isnan(empty.standard_error)
    assert empty.guarantee is None and empty.to_frame().empty and "0 of 1,000 answers" in repr(empty)


def test_answers_that_publish_nothing_show_their_own_spread():
    numbers = iter([1.0, 2.0, 4.0])
    attack = averaging_attack(lambda: next(numbers), 3)
    assert attack.noise_sd == pytest.approx(np.std([1, 2, 4], ddof=1)) and attack.guarantee is None
    assert math.isnan(averaging_attack(lambda: 3, 1).standard_error)


def test_it_holds_what_was_published_only():
    data = np.random.default_rng(3).uniform(1e6, 9e6, 50)
    attack = averaging_attack(lambda: pydpstat.mean(data, 1.0, bounds=(0, 1e7)), 20)
    assert findings(attack, [data.mean()], (data,)) == []
    with pytest.raises(ValueError):
        attack.answers[0] = 1.0


@pytest.mark.parametrize(
    ("ask", "queries", "message"),
    [
        (3, 10, "release must be a callable without arguments; got int"),
        (lambda: "a", 10, "must return one finite number each time; got str"),
        (lambda: math.nan, 10, "must return one finite number"),
        (
            lambda: pydpstat.count(np.eye(2) > 0, 1),
            10,
            "must return one finite number each time; got DPResults",
        ),
        (lambda: 1, 0, "queries must be a whole number of at least 1; got 0"),
        (lambda: 1, 10**8, "queries must be at most 10,000,000"),
    ],
)
def test_bad_attacks(ask, queries, message):
    with pytest.raises(PydpstatError, match=message):
        averaging_attack(ask, queries)


def test_an_error_of_the_release_is_not_swallowed():
    with pytest.raises(ZeroDivisionError):
        averaging_attack(lambda: 1 / 0)


@pytest.mark.parametrize("name", JUNK)
def test_junk(name):
    for call in (
        lambda x: intersection_attack(x),
        lambda x: intersection_attack([5], x),
        lambda x: averaging_attack(lambda: x, 2),
        lambda x: averaging_attack(lambda: 1, x),
    ):
        with suppress(PydpstatError):
            call(JUNK[name]())


@pytest.mark.parametrize("count, sizes", [(1, [1]), (10, [1, 10]), (100, [1, 10, 100]), (250, [1, 10, 100, 250])])
def test_a_frame_has_a_row_for_each_power_of_ten_and_all_answers(count, sizes):
    attack = averaging_attack(lambda: 3.0, count)
    assert attack.to_frame().index.tolist() == sizes


def test_one_count_that_is_left_is_shown_as_one():
    assert _format_range(range(5, 6)) == "5" and _format_range(range(5, 8)) == "5 to 7"


def test_an_attack_cannot_be_changed():
    attack = intersection_attack([120, 123], 2)
    with pytest.raises(FrozenInstanceError):
        attack.answers = (1,)

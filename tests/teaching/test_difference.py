"""The differencing attack: exact answers decide, and noise leaves what epsilon allows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import pydpstat
from pydpstat import PydpstatError
from pydpstat.mechanisms import (
    BoundedLaplaceNoise,
    DiscreteGaussianNoise,
    GaussianNoise,
    LaplaceNoise,
    SignGeometricNoise,
    SymmetricGeometricNoise,
)
from pydpstat.teaching import UniformNoise, differencing
from tests.junk import JUNK

AGES = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
ROUNDS = 40_000
# of each share of right guesses; the draws are seeded
FALSE_ALARM = 1e-6


def test_either_answer_decides_where_there_is_no_noise():
    adult = [age >= 18 for age in AGES]
    for place, truth in enumerate(adult):
        attack = differencing(sum(adult), sum(adult[:place] + adult[place + 1 :]))
        assert attack.guess == truth and attack.chance == attack.success == 1
    assert repr(differencing(6, 6)).endswith("6 with the record, 6 without: it adds 0 (chance 1)")
    frame = differencing(7, 6).to_frame()
    assert frame["exact answer"].tolist() == [6, 7] and frame["chance"].tolist() == ["0", "1"]


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0, 3.0])
def test_what_epsilon_leaves(epsilon):
    most = math.exp(epsilon) / (1.0 + math.exp(epsilon))
    geometric, laplace = SymmetricGeometricNoise(epsilon), LaplaceNoise(1.0 / epsilon)
    assert differencing(6, 6, noise=geometric).success == pytest.approx(most, rel=1e-12)
    assert differencing(6, 6, noise=laplace).success == pytest.approx(1 - math.exp(-epsilon / 2) / 2)
    for answer in (-3, 5, 6, 7, 8, 40):
        for noise in (geometric, laplace):
            assert differencing(answer, 6, noise=noise).chance <= most * (1.0 + 1e-12)


NOISES = [
    LaplaceNoise(2.0),
    GaussianNoise(0.8),
    SymmetricGeometricNoise(1.0),
    SignGeometricNoise(1.0),
    DiscreteGaussianNoise(1.5),
    UniformNoise(2),
]


@pytest.mark.parametrize("contributions", [(0, 1), (0, 1, 4)])
@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: type(noise).__name__)
def test_so_many_guesses_are_right(noise, contributions):
    rng = np.random.default_rng(5)
    truths = rng.choice(contributions, ROUNDS)
    if isinstance(noise, UniformNoise):
        added = noise.answer(0, ROUNDS, rng=rng)
    else:
        added = noise.rvs(ROUNDS, random_state=rng)
    answers = np.round(truths + added, 2)
    guesses = {each: differencing(each, 0, contributions, noise).guess for each in np.unique(answers)}
    right = sum(guesses[answer] == truth for answer, truth in zip(answers, truths))
    success = float(differencing(0, 0, contributions, noise).success)
    # a Hoeffding bound of both sides
    slack = math.sqrt(math.log(2.0 / FALSE_ALARM) / (2.0 * ROUNDS))
    assert abs(right / ROUNDS - success) < slack
    assert 1.0 / len(contributions) < success < 1.0 - slack


def test_uniform_noise_in_fractions():
    noise = UniformNoise(2)
    assert differencing(6, 6, noise=noise).chances == (Fraction(1, 2), Fraction(1, 2))
    assert differencing(9, 6, noise=noise).chances == (0, 1)
    # of five answers to each count, one is only the smaller's and one only the larger's
    assert differencing(6, 6, noise=noise).success == Fraction(3, 5)
    assert differencing(6, 6, (0, 9), noise=noise).success == 1


def test_a_release_brings_its_noise():
    result = pydpstat.count([True] * 6, 0.5)
    attack = differencing(result, 6)
    assert attack.noise == result.noise and attack.success == pytest.approx(1 / (1 + math.exp(-0.5)))
    assert attack.answer == float(result)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((8, 6), r"answer must be possible for one of the contributions \(0, 1\); got 8, and 6 without"),
        ((9, 6, (0, 1), UniformNoise(1)), "answer must be possible"),
        ((9.5, 6, (0, 1), UniformNoise(1)), "with UniformNoise must be a whole number"),
        ((math.inf, 6), "answer must be"),
        ((6, None), "without must be a number"),
        ((6, 6, (1, 1)), "contributions must be from 2 to 1,000 different numbers"),
        ((6, 6, 5), "contributions must be from 2"),
        ((6, 6, (0, 1), LaplaceNoise([1.0, 2.0])), "noise must be a distribution of one number"),
        ((6, 6, (0, 1), BoundedLaplaceNoise(1.0, (0, 3))), "noise must be a distribution of one number"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(PydpstatError, match=message):
        differencing(*arguments)


@pytest.mark.parametrize("name", JUNK)
def test_junk(name):
    for call in (
        lambda value: differencing(value, 6),
        lambda value: differencing(6, value),
        lambda value: differencing(6, 6, value),
        lambda value: differencing(6, 6, noise=value),
    ):
        try:
            differencing_or_none = call(JUNK[name]())
        except PydpstatError as error:
            assert "Traceback" not in str(error)
        else:
            assert sum(differencing_or_none.chances) == pytest.approx(1.0)

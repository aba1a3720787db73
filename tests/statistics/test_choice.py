"""choose: both laws against exact probabilities, their loss by enumeration, and what the result holds."""

import math
from fractions import Fraction
from itertools import permutations, product

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat
from pydpstat.random import _weighted_choice
from pydpstat.random.source import SYSTEM
from pydpstat.statistics.choice import read_scores

# the bits are seeded: a right sampler passes each time, a random one would fail once in a million
FALSE_ALARM = 1e-6


def exponential(scores, rate):
    weights = [mpmath.exp(mpmath.mpf(rate) * score) for score in scores]
    return [weight / mpmath.fsum(weights) for weight in weights]


def flipped(scores, rate):
    """Permute-and-flip, by its definition: the mean over all orders."""
    heads = [mpmath.exp(mpmath.mpf(rate) * (score - max(scores))) for score in scores]
    law = [mpmath.mpf(0)] * len(scores)
    orders = list(permutations(range(len(scores))))
    for order in orders:
        left = mpmath.mpf(1) / len(orders)
        for place in order:
            law[place] += left * heads[place]
            left *= 1 - heads[place]
    return law


LAWS = {"exponential": exponential, "noisy max": flipped}


@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize("scores, seed", [([0, 1, 1, 3], None), ([0, 1, 1, 3], 8), ([5, 5, 5, 5], None)])
def test_the_law(mechanism, scores, seed):
    rng = None if seed is None else np.random.default_rng(seed)
    draws, how = 1500, {"mechanism": mechanism, "rng": rng}
    chosen = [int(pydpstat.choose(range(4), scores, 1.5, 0.5, **how)) for _ in range(draws)]
    seen = np.bincount(chosen, minlength=4)
    law = np.array(LAWS[mechanism](scores, 1.5), dtype=float)
    assert law.sum() == pytest.approx(1.0)
    assert stats.chisquare(seen, draws * law).pvalue > FALSE_ALARM
    if len(set(scores)) > 1:
        for wrong in (1.0, 2.2):
            other = np.array(LAWS[mechanism](scores, wrong), dtype=float)
            assert stats.chisquare(seen, draws * other).pvalue < 0.01


@pytest.mark.parametrize("mechanism", LAWS)
def test_the_loss_is_at_most_epsilon(mechanism):
    for epsilon in (0.3, 6.0):
        scores = list(product(range(4), repeat=3))
        with mpmath.workdps(40):
            laws = {each: LAWS[mechanism](each, mpmath.mpf(epsilon) / 2) for each in scores}
            pairs = product(scores, repeat=2)
            near = [(a, b) for a, b in pairs if max(abs(s - t) for s, t in zip(a, b)) == 1]
            worst = max(abs(mpmath.log(p / q)) for a, b in near for p, q in zip(laws[a], laws[b]))
            assert 0.5 * epsilon <= worst <= epsilon * (1 + mpmath.mpf(10) ** -30)


def test_the_result_holds_the_chosen_candidate_alone():
    r = pydpstat.choose(["a", "b"], [0, 1000], 1.0, 1)
    assert r.estimate == "b" and r.mechanism == "exponential" and r.nobs is None and r.noise is None
    assert r.guarantee.epsilon == 1.0 and "given sensitivity" in r.guarantee.conditions[0]
    assert r.call == "choose(candidates, scores, epsilon=1.0, sensitivity=1.0)"
    assert "1000" not in r.summary().as_text() and "'a'" not in repr(r.to_dict())
    flip = pydpstat.choose(["a", "b"], [0, 1000], 1.0, 1, mechanism="noisy max")
    assert flip.estimate == "b" and flip.mechanism == "permute-and-flip"
    assert pydpstat.choose([(1, 2), None], [0, 1000], 1.0, 1).estimate is None
    assert pydpstat.choose(pd.Series([3, 4]), pd.Series([0, 1000]), 1.0, 1).estimate == 4
    assert pydpstat.choose(np.array([0.5]), [7], 1.0, 1).estimate == 0.5


@pytest.mark.parametrize("mechanism", LAWS)
def test_extreme_scores(mechanism):
    options = {"mechanism": mechanism}
    for scores, reach, epsilon in (
        ([1e308, -1e308, 0.0], 1.0, 1.0),
        ([1e308, -1e308, 0.0], 1e-300, 1e300),
        ([5e-324, 0.0, 0.0], 5e-324, 1e3),
        ([1e300, 0.0, 1e299], 1e297, 5.0),
    ):
        assert pydpstat.choose([0, 1, 2], scores, epsilon, reach, **options).estimate == 0
    # all the same where the rate is next to nothing
    seen = [pydpstat.choose([0, 1], [0, 1], 1e-300, 1e300, **options).estimate for _ in range(500)]
    assert stats.binomtest(sum(seen), 500, 0.5).pvalue > FALSE_ALARM


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_scores_that_floats_cannot_tell_apart_keep_their_differences(kind):
    for below in (2**53 - 1, 2**53 + 1, 2**60 + 1):
        read = read_scores(np.array([0, 1, below], dtype=kind), 3)
        exact = read.floats.tolist() if read.exact_utilities is None else read.exact_utilities
        assert [Fraction(each) - Fraction(exact[2]) for each in exact] == [-below, 1 - below, 0]


def test_undecided_trials_are_finished_exactly(monkeypatch):
    # with four known bits most trials are undecided at first, and the law is the same
    monkeypatch.setattr("pydpstat.random.secure._bits.KNOWN_BITS", 4)
    scores = np.array([0.0, 1.0, 1.5])
    chosen = [_weighted_choice.permute_and_flip(scores, Fraction(1), SYSTEM) for _ in range(3000)]
    seen = np.bincount(chosen, minlength=3)
    law = np.array(flipped(scores.tolist(), 1), dtype=float)
    assert stats.chisquare(seen, 3000 * law).pvalue > FALSE_ALARM


def test_candidates_are_a_list_and_scores_are_known():
    with pytest.raises(pydpstat.PydpstatError, match="candidates"):
        pydpstat.choose(3, [1], 1.0, 1)
    with pytest.raises(pydpstat.PydpstatError, match="candidates"):
        pydpstat.choose([], [], 1.0, 1)
    with pytest.raises(pydpstat.PydpstatError, match="scores"):
        pydpstat.choose(["a", "b"], [1], 1.0, 1)
    with pytest.raises(pydpstat.PydpstatError, match="sensitivity"):
        pydpstat.choose(["a", "b"], [1, 2], 1.0, math.inf)

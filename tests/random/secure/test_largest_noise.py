"""Permute-and-flip by the largest noise of runs: its probabilities, and the bounds that decide."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure import largest_noise as module
from pydpstat.random.secure.largest_noise import noisy_max
from tests.flips import enumerated, flip_law
from tests.random.secure.distributions import FALSE_ALARM

RUNS = [
    ("equal", [0.0] * 4, [1] * 4, Fraction(1)),
    ("steps", [-3.0, -1.0, 0.0, -0.5, -2.0], [1] * 5, Fraction(2, 3)),
    ("runs", [-3.0, -1.0, 0.0, -0.5], [9, 1, 2, 4], Fraction(3, 2)),
    ("one best of many", [0.0, -5.0], [1, 40], Fraction(1)),
]


def law(scores, counts, rate):
    """Return the probability of each run, out of those of its members."""
    each = flip_law(float(rate) * np.repeat(scores, counts))
    return np.add.reduceat(each, np.cumsum([0, *counts[:-1]]))


def drawn(n, scores, counts, rate, at_once):
    if not at_once:
        one = np.array(scores), rate, np.array(counts), np.array([0])
        return np.array([noisy_max(*one)[0] for _ in range(n)])
    size = len(scores)
    first = np.arange(n) * size
    return np.array(noisy_max(np.tile(scores, n), rate, np.tile(counts, n), first)) - first


def test_the_closed_form_is_that_of_all_orders():
    for logs in ([0.0, 0.0], [-1.0, 0.0, -2.0, -0.1], [0.0, -0.5, -9.0, 0.0, -1.0]):
        assert flip_law(logs) == pytest.approx(enumerated(np.exp(logs)), rel=1e-13)
        assert flip_law(logs).sum() == pytest.approx(1.0, abs=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("scores, counts, rate", [each[1:] for each in RUNS], ids=[each[0] for each in RUNS])
@pytest.mark.parametrize("known", [52, 3])
def test_runs(monkeypatch, scores, counts, rate, known):
    n = 60_000 if known == 52 else 3_000
    # with few bits most choices are finished in integers
    monkeypatch.setattr(bits, "KNOWN_BITS", known)
    found = np.bincount(drawn(n, scores, counts, rate, known == 52), minlength=len(scores))
    assert stats.chisquare(found, n * law(scores, counts, rate)).pvalue > FALSE_ALARM
    if known == 52 and len(set(scores)) > 1:
        # it has power against a rate that is wrong by a tenth
        for wrong in (rate * 9 / 10, rate * 11 / 10):
            assert stats.chisquare(found, n * law(scores, counts, wrong)).pvalue < 1e-3


def test_the_bounds_hold_and_both_ways_agree():
    generator, differences = np.random.default_rng(3), []
    uniform = np.concatenate([generator.random(300), 2.0 ** -generator.uniform(0, 50, 300)])
    uniform = np.concatenate([uniform, 1.0 - uniform / 2.0])
    uniform = (np.floor(uniform * 2.0**52) + 0.5) * 2.0**-52
    counts = generator.integers(1, 2**40, uniform.size)
    noise, errors = module._compute_largest_noise(uniform, counts)
    assert np.isfinite(errors).mean() > 0.9
    with mpmath.workdps(60):
        for u, count, value, error in zip(uniform.tolist(), counts.tolist(), noise.tolist(), errors.tolist()):
            for end in (-1, 0, 1):
                real = mpmath.mpf(u) + end * mpmath.mpf(2) ** -53
                if 0 < real < 1:
                    exact = -mpmath.log(1 - real ** (mpmath.mpf(1) / count))
                    assert abs(exact - value) <= error
            place = int(u * 2**60)
            exact = -mpmath.log(1 - (mpmath.mpf(place) / 2**60) ** (mpmath.mpf(1) / count)) * 2**100
            differences.append(abs(precise.compute_largest_noise(place, 60, count, 100) - exact))
    assert max(differences) <= 1


def test_scores_far_apart_and_extreme_rates():
    best = np.array([0.0, 7.0, 5.0]), np.array([2**40, 1, 2**40])
    for rate in (Fraction(10) ** 300, Fraction(2) ** 901, Fraction(1000)):
        assert noisy_max(best[0], rate, best[1], np.array([0])) == [1]
    # next to nothing of a rate leaves all candidates equal
    tiny = [
        noisy_max(np.array([0.0, 1e3]), Fraction(1, 10**330), np.array([1, 1]), np.array([0]))[0] for _ in range(200)
    ]
    assert 60 < sum(tiny) < 140


def test_groups_are_chosen_from_apart():
    scores = np.array([0.0, 1e6, 0.0, 1e6, 3e6, 2e6])
    assert noisy_max(scores, Fraction(1), np.ones(6, dtype=int), np.array([0, 2, 5])) == [1, 4, 5]


def test_the_bits_that_are_asked_for_are_one_word_a_run(monkeypatch):
    asked = []

    def entropy(size):
        asked.append(size)
        return np.random.default_rng(size).bytes(size)

    monkeypatch.setattr(bits, "entropy", entropy)
    noisy_max(np.array([0.0, -1e6]), Fraction(1), np.array([1, 2**30]), np.array([0]))
    assert asked == [16]

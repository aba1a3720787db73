"""Choices among points by permute-and-flip: the same distribution by runs, by points, and with a seed."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from pydpstat._records.permute_and_flip import compute_flip_probabilities, compute_flip_weights
from pydpstat._records.ranks import compute_rank_utility, split_grid_into_runs
from pydpstat._records.selection import PointSelection
from pydpstat.random import source_from
from pydpstat.random.source import SYSTEM
from tests.flips import flip_law

# a right sampler passes each time, as its bits are seeded
FALSE_ALARM = 1e-6
COUNTS = np.array([2, 0, 0, 3, 0, 1, 0, 0, 0])
RATE = Fraction(4, 5)


def by_points():
    return flip_law(float(RATE) * compute_rank_utility(COUNTS, 0.5))


def drawn(way, source, n, flips=True, rate=RATE):
    selection = PointSelection(rate, source, flips)
    if way == "points":
        utility = compute_rank_utility(COUNTS, 0.5)
        return [selection.choose_point_above(utility, 0, utility.size, -750.0) for _ in range(n)]
    if way == "window":
        # with the limit next to the utilities what is left out is chosen, too
        utility = np.maximum(compute_rank_utility(COUNTS, 0.5), -3.0)[3:6]
        return [selection.choose_point_above(utility, 3, COUNTS.size, -3.0) for _ in range(n)]
    occupied = np.flatnonzero(COUNTS)
    counts, starts, widths = split_grid_into_runs(occupied, COUNTS[occupied], COUNTS.size)
    runs = [(compute_rank_utility(counts, 0.5), starts, widths)]
    return selection.choose_points(runs * n)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["points", "runs"])
@pytest.mark.parametrize("seed", [None, 4])
def test_points_have_the_closed_form(way, seed):
    n = 5000
    source = SYSTEM if seed is None else source_from(seed)
    found = np.bincount(drawn(way, source, n), minlength=COUNTS.size)
    assert stats.chisquare(found, n * by_points()).pvalue > FALSE_ALARM
    # neither a rate that is wrong by a fifth nor the exponential mechanism would pass
    for wrong in (RATE * 4 / 5, RATE * 6 / 5):
        other = np.bincount(drawn(way, source, n, rate=wrong), minlength=COUNTS.size)
        assert stats.chisquare(other, n * by_points()).pvalue < 1e-3
    other = np.bincount(drawn(way, source, n, flips=False), minlength=COUNTS.size)
    assert stats.chisquare(other, n * by_points()).pvalue < 1e-3


@pytest.mark.slow
def test_points_that_are_left_out_at_first_are_chosen_as_often_as_they_should_be():
    n = 5000
    utility = np.full(COUNTS.size, -3.0)
    utility[3:6] = np.maximum(compute_rank_utility(COUNTS, 0.5), -3.0)[3:6]
    law = flip_law(float(RATE) * utility)
    found = np.bincount(drawn("window", SYSTEM, n), minlength=COUNTS.size)
    assert found[[0, 1, 2, 6, 7, 8]].min() > 0
    assert stats.chisquare(found, n * law).pvalue > FALSE_ALARM


def test_all_points_that_are_left_out_at_first_can_be_chosen():
    # each has a probability above 0.02
    assert {*drawn("window", SYSTEM, 600)} == {*range(COUNTS.size)}


def test_the_quadrature_is_the_closed_form():
    generator = np.random.default_rng(5)
    for size in (1, 2, 7, 60):
        logs = generator.uniform(-6.0, 0.0, size)
        counts = generator.integers(1, 4, size)
        logs[0] = 0.0
        each = flip_law(np.repeat(logs, counts))
        expected = np.add.reduceat(each, np.cumsum(counts) - counts)
        assert compute_flip_probabilities(np.exp(logs), counts) == pytest.approx(expected, rel=1e-10, abs=1e-15)


def test_the_mean_of_the_weights_given_the_largest_score_is_the_law():
    # of the largest score's quantiles, each with the shares of its runs
    logs, counts = np.array([0.0, -0.3, -2.0, -1.0]), np.array([1, 2, 40, 0])
    uniform = (np.arange(20_000) + 0.5) / 20_000
    size, groups = logs.size, uniform.size
    weights = compute_flip_weights(
        np.tile(np.exp(logs), groups), np.tile(counts, groups), np.arange(groups) * size, uniform
    ).reshape(groups, size)
    found = (weights / weights.sum(axis=1, keepdims=True)).mean(axis=0)
    assert found == pytest.approx(compute_flip_probabilities(np.exp(logs), counts), abs=1e-5)
    alone = compute_flip_weights(np.ones(1), np.ones(1, dtype=int), np.zeros(1, dtype=int), np.array([1e-300]))
    assert np.isfinite(alone).all()

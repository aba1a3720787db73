"""Quantiles and tables by group and by unit: the law of each choice, and the loss of what can come out."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

import pydpstat as dp
from pydpstat._records import quantile_points
from pydpstat._records.ranks import compute_rank_range, compute_rank_utility, round_share
from pydpstat.statistics.tables import compute_unit_threshold
from tests.statistics.regions import GRID, HOW, ONE, SEXES, frame


def weights(utility, rate):
    found = np.exp(rate * utility)
    return found / found.sum()


@pytest.mark.parametrize("neighbors, part", [("unbounded", 1.0), ("bounded", 0.5)])
def test_a_group_has_the_choice_of_a_release_of_its_own(neighbors, part):
    # unbounded neighbors: epsilon in every group; bounded ones: half of it
    data, own = frame(3000), {"bounds": (0, 100), "neighbors": "unbounded"}
    groups = {"bounds": (0, 100), "neighbors": neighbors, "by": "sex", "levels": SEXES, "other": None}
    for seed in range(5):
        together = dp.median(data[["x", "sex"]], 0.1, **groups, rng=seed)
        draw = np.random.default_rng(seed)
        alone = [float(dp.median(data.x[data.sex == sex], 0.1 * part, rng=draw, **own)) for sex in SEXES]
        assert together.value.tolist() == alone


def joint_loss(one, two, share, rate, points):
    """The largest log ratio of the probabilities of all groups' choices together."""
    total = 0.0
    for a, b in zip(one, two):
        first, second = (weights(compute_rank_utility(np.array(each), share), rate) for each in (a, b))
        total += np.abs(np.log(first / second)).max()
    return total


def counts_up_to(size, points):
    return [
        tuple(np.bincount(each, minlength=points))
        for n in range(size + 1)
        for each in combinations_with_replacement(range(points), n)
    ]


def changed(counts, place, by):
    return tuple(c + by * (point == place) for point, c in enumerate(counts))


@pytest.mark.parametrize("q, epsilon", [(0.0, 8.0), (0.25, 0.5), (0.5, 8.0), (1.0, 0.5)])
def test_the_loss_of_a_record_that_moves_is_at_most_epsilon(q, epsilon):
    # bounded: one record leaves a group and enters another, or is another one in its group
    points, share = 3, round_share(q)
    rate = epsilon / float(2 * compute_rank_range(share, "unbounded"))
    within = lambda a, b: joint_loss([a], [b], share, rate, points)  # noqa: E731
    worst = single = 0.0
    for counts in counts_up_to(4, points):
        for place in range(points):
            added = changed(counts, place, 1)
            single = max(single, within(counts, added))
            # in one group
            others = [changed(counts, other, 1) for other in range(points)]
            worst = max([worst, *(within(added, other) for other in others)])
    # groups choose on their own, so the worst of a move is the worst of a departure and of an arrival
    worst = max(worst, 2 * single)
    assert worst <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize("q", [0.25, 0.5])
def test_the_loss_is_reached(q):
    # many points above the records hold nearly all of the weight
    points, epsilon, share = 4000, 1.0, round_share(q)
    rate = epsilon / float(2 * compute_rank_range(share, "unbounded"))
    less = np.zeros(points, dtype=int)
    less[1] = 10
    more = less.copy()
    # one more at the lowest point lifts it, and lowers those
    more[0] = 1
    loss = joint_loss([less, more], [more, less], share, rate, points)
    assert 0.97 * epsilon < loss <= epsilon
    # a range that is too small by a tenth is found
    assert joint_loss([less, more], [more, less], share, rate / 0.9, points) > epsilon


def test_several_quantiles_of_groups_pay_for_one_record_each(monkeypatch):
    asked = []

    def split(records, points, shares, epsilon, neighbors, choose, below):
        asked.append((float(epsilon), neighbors))
        return [0] * len(shares)

    monkeypatch.setattr(quantile_points, "split_quantiles", split)
    data = frame(50)
    columns, options = HOW["both"]
    dp.quantiles(data[["x"]], [0.5], 1.0, **GRID)
    dp.quantiles(data[["x", "region"]], [0.5], 1.0, **GRID, **ONE)
    dp.quantiles(data[["x", "region"]], [0.5], 1.0, neighbors="unbounded", **GRID, **ONE)
    dp.quantiles(data[columns], [0.5], 1.2, **GRID, **options)
    dp.quantiles(data[columns], [0.5], 1.2, neighbors="unbounded", **GRID, **options)
    expected = [(1.0, "bounded"), (0.5, "unbounded"), (1.0, "unbounded")]
    expected += [(pytest.approx(0.2), "unbounded"), (pytest.approx(0.4), "unbounded")]
    assert list(dict.fromkeys(asked)) == expected


@pytest.mark.parametrize("most, ends", [(1, 1), (2, 2), (5, 1)])
@pytest.mark.parametrize("epsilon, delta", [(5.0, 1e-6), (0.1, 0.2), (20.0, 1e-9)])
def test_the_threshold_covers_every_way_in_which_a_unit_has_levels_alone(most, epsilon, delta, ends):
    rate = epsilon / (ends * most)
    threshold = compute_unit_threshold(Fraction(rate), delta, most)

    def passes(counts, at):
        a = math.exp(-rate)
        # P(c + noise >= T) of symmetric geometric noise
        chances = [a ** (at - c) / (1 + a) if at >= c else 1 - a ** (c - at + 1) / (1 + a) for c in counts]
        return 1.0 - math.prod(1.0 - each for each in chances)

    ways = [
        counts
        for number in range(1, most + 1)
        for counts in combinations_with_replacement(range(1, most + 1), number)
        if sum(counts) <= most
    ]
    assert max(passes(counts, threshold) for counts in ways) <= delta * (1 + 1e-9)
    # not larger than need be: one less fails the bound that is proven, by the union of the levels
    a = math.exp(-rate)
    bound = max(most * a ** (threshold - 2), a ** (threshold - 1 - most)) / (1 + a)
    assert bound > delta or threshold == max(2, most + 1)

"""Several quantiles by splitting: the loss by enumeration of everything that can come out."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

from pydpstat._records.quantile_points import compute_split_range, split_quantiles
from pydpstat._records.ranks import round_share


def law(records, points, shares, epsilon, neighbors):
    """The exact probabilities of all results, by walking through all random choices."""
    found = defaultdict(float)
    waiting = [[]]
    while waiting:
        script = waiting.pop()
        taken, chance = [], [1.0]

        def draw(weights):
            place = script[len(taken)] if len(taken) < len(script) else 0
            if len(taken) >= len(script):
                waiting.extend(taken + [other] for other in range(1, len(weights)))
            taken.append(place)
            chance.append(weights[place] / sum(weights))
            return place

        chosen = split_quantiles(
            np.array(records, dtype=np.int64),
            points,
            shares,
            Fraction(epsilon),
            neighbors,
            lambda widths, utility, rate: draw((widths * np.exp(float(rate) * utility)).tolist()),
            lambda limit: draw([1.0] * limit),
        )
        found[tuple(chosen)] += math.prod(chance)
    return found


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize(
    "shares, points, largest, limit",
    [
        ([0.5], 4, 3, 750),
        ([0.25, 0.75], 4, 3, 1),
        ([0.25, 0.5, 0.75], 3, 3, 750),
        ([0.1, 0.2, 0.9], 3, 3, 750),
        ([0.1, 0.2, 0.9], 3, 3, 1),
        ([0.0, 0.5, 1.0], 3, 3, 750),
        ([0.05, 0.1, 0.15, 0.2], 3, 3, 750),
    ],
)
def test_the_loss_is_at_most_epsilon(neighbors, shares, points, largest, limit, monkeypatch):
    # with a low limit of the utility pieces are put together
    monkeypatch.setattr("pydpstat._records.ranks._MAX_LOG_WEIGHT", limit)
    worst = {}
    for epsilon in (1, 12):
        laws = {
            records: law(records, points, shares, epsilon, neighbors)
            for size in range(largest + 1)
            for records in combinations_with_replacement(range(points), size)
        }
        for known in laws.values():
            assert abs(sum(known.values()) - 1.0) < 1e-12
            assert all(list(result) == sorted(result) for result in known)
        worst[epsilon] = max(
            abs(math.log(laws[a][result] / laws[b][result]))
            for a in laws
            for b in laws
            if are_neighbors(a, b, neighbors)
            for result in laws[a]
        )
        # the enumeration itself is in floating point
        assert worst[epsilon] <= epsilon * (1 + 1e-9)
    # the account is not far from the truth
    assert worst[12] >= 0.3 * 12 or limit == 1


def are_neighbors(a, b, neighbors):
    if neighbors == "unbounded":
        return len(b) == len(a) + 1 and any(b[:i] + b[i + 1 :] == a for i in range(len(b)))
    return len(a) == len(b) > 0 and any(
        a[:i] + a[i + 1 :] == b[:j] + b[j + 1 :] for i in range(len(a)) for j in range(len(b))
    )


def test_pieces_beyond_the_limit_are_put_together_without_a_change(monkeypatch):
    records = (0, 0, 1, 3, 4, 4, 6, 7)
    monkeypatch.setattr("pydpstat._records.ranks._MAX_LOG_WEIGHT", 2)
    found = law(records, 9, [0.4], 2, "bounded")
    # rate 1, so that the utility of every point is at least -2
    share = round_share(0.4)
    utility = [max(-abs(sum(r < z for r in records) - share * 8), -2.0) for z in range(9)]
    weights = np.exp(utility)
    assert [found[(z,)] for z in range(9)] == pytest.approx((weights / weights.sum()).tolist(), rel=1e-12)


def test_all_results_are_possible_for_all_data():
    results = {frozenset(law(data, 3, [0.3, 0.6], 1, "bounded")) for data in [(), (0, 0), (0, 1, 2), (2,)]}
    assert len(results) == 1


def test_a_replaced_record_costs_twice_one_added_where_there_are_two_sides():
    assert compute_split_range(0.5, "bounded", True) == compute_split_range(0.5, "bounded", False) == 2
    assert compute_split_range(0.75, "bounded", True) == 2 and compute_split_range(0.75, "bounded", False) == 3
    assert (
        compute_split_range(0.75, "unbounded", False) == compute_split_range(0.75, "unbounded", True) == Fraction(3, 2)
    )
    assert compute_split_range(1.0, "bounded", False) == 2 and compute_split_range(1.0, "bounded", True) == 1

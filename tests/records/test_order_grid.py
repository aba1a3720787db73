"""Ranks on a grid: the utility's sensitivity by brute force, and the exact loss on small domains."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from pydpstat._data.columns import read_numbers
from pydpstat._records.ranks import (
    compute_rank_range,
    compute_rank_utility,
    compute_utility_limit,
    count_part_points,
    find_grid_indices,
    round_share,
)
from pydpstat._records.records import RecordChunk
from tests.flips import flip_law

POINTS = 4
SHARES = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]


def data_sets(largest):
    """All data sets of up to so many records on the grid, as counts."""
    for counts in product(range(largest + 1), repeat=POINTS):
        if sum(counts) <= largest:
            yield np.array(counts)


def pairs(neighbors, largest=5):
    for counts in data_sets(largest):
        for place in range(POINTS):
            added = counts.copy()
            added[place] += 1
            if neighbors == "unbounded":
                yield counts, added
                continue
            for other in range(POINTS):
                replaced = counts.copy()
                replaced[other] += 1
                yield added, replaced


@pytest.mark.parametrize("q", SHARES)
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_the_range_of_the_utilitys_changes(q, neighbors):
    share = round_share(q)
    changes = [compute_rank_utility(b, share) - compute_rank_utility(a, share) for a, b in pairs(neighbors)]
    largest = max(change.max() - change.min() for change in changes)
    reach = float(compute_rank_range(share, neighbors))
    assert largest <= reach
    # attained, unless so few records do not reach q n from both sides
    if q in (0.0, 0.25, 0.5, 0.75, 1.0):
        assert largest == reach
    # no change is larger than the sensitivity, half of the range, but where all go to one side
    if 0.0 < q < 1.0:
        assert max(np.abs(change).max() for change in changes) <= reach / 2


@pytest.mark.parametrize("q", SHARES)
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_the_exact_loss_is_at_most_epsilon(q, neighbors):
    share = round_share(q)
    both = list(pairs(neighbors))
    for epsilon in (0.5, 8.0):
        rate = epsilon / float(compute_rank_range(share, neighbors))
        utilities = {tuple(counts): rate * compute_rank_utility(counts, share) for counts in data_sets(6)}
        for law in (log_law, lambda logs: np.log(flip_law(logs))):
            known = {counts: law(logs) for counts, logs in utilities.items()}
            worst = max(np.abs(known[tuple(a)] - known[tuple(b)]).max() for a, b in both)
            # the logarithms are of at most 100, and rounded a few times
            assert worst <= epsilon * (1.0 + 1e-11) + 100 * 2.0**-50
            if epsilon == 8.0 and q in (0.0, 0.5, 1.0):
                # many more points would bring it to epsilon; here the sum of all weights moves less
                assert worst >= 0.6 * epsilon


def log_law(logs):
    return logs - np.logaddexp.reduce(logs)


def test_the_utility_counts_records_between():
    x = np.array([0, 0, 0, 5, 5, 9])
    counts = np.bincount(x, minlength=10)
    for q in SHARES:
        share = round_share(q)
        expected = [min(share * 6 - (x < z).sum(), (x <= z).sum() - share * 6) for z in range(10)]
        assert compute_rank_utility(counts, share).tolist() == expected
    # a median among ties is the better, the more of them there are on both sides; in a gap all are equal
    assert compute_rank_utility(np.bincount([3] * 7, minlength=10), 0.5).tolist() == [-3.5] * 3 + [3.5] + [-3.5] * 6
    assert (compute_rank_utility(counts, 0.5)[:6] == [0, 0, 0, 0, 0, 0]).sum() == 6


def counted(x, lower, upper, points):
    part = RecordChunk(read_numbers(x), None)
    return count_part_points(part, (lower, upper, points), "drop", None).get_counts().tolist()


@pytest.mark.parametrize("size", [0, 5000])
def test_records_go_to_the_nearest_point(size):
    x = np.random.default_rng(3).normal(size=size)
    x[::7] = np.nan
    x[1::7] = np.inf
    x[2::7] = -np.inf
    found = counted(x, -2.0, 1.0, 31)
    kept = np.clip(x[~np.isnan(x)], -2.0, 1.0)
    points = np.linspace(-2.0, 1.0, 31)
    nearest = np.abs(kept[:, None] - points).argmin(axis=1)
    assert found == np.bincount(nearest, minlength=31).tolist()
    assert find_grid_indices(kept, -2.0, 1.0, 31).tolist() == nearest.tolist()


def test_extreme_bounds_and_whole_numbers():
    assert counted(np.array([1, 2, 2, 9]), 0.0, 3.0, 4) == [0, 1, 2, 1]
    assert counted(np.array([-1e308, 0.0, 8e307]), -8e307, 8e307, 3) == [1, 1, 1]
    above = np.nextafter(1.0, 2.0)
    assert counted(np.array([1.0, above]), 1.0, above, 65537)[-1] == 1


def test_shares_make_exact_ranks():
    for q in (0.1, 1 / 3, 0.999):
        share = round_share(q)
        assert abs(share - q) <= 2**-21 and share * 2**20 == round(share * 2**20)
        n = 2**33 - 1
        assert share * float(n) == round(share * 2**20) * n / 2**20


def test_utilities_are_raised_where_nobody_is_chosen_and_where_floats_end():
    # 2^40 candidates of exp(-128) weigh less than 2^-144; beyond 2^53 utilities are no longer all floats
    found = [compute_utility_limit(rate) for rate in (Fraction(1, 10), Fraction(3), Fraction(1, 10**30))]
    assert found == [1280.0, 128.0, 2.0**53]

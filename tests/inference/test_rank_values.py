"""Rank statistics beside their definitions, and their sensitivities by trying all neighbors of small data."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydpstat._null_distributions.ranks import distances
from pydpstat._null_distributions.ranks import rank_statistics as ranks
from pydpstat.inference.ranks.rank_groups import choose_group_weights

TIED = st.lists(st.integers(-3, 3), min_size=1, max_size=9)


def arrays(*lists):
    return [np.array(each, dtype=np.float64) for each in lists]


def changes(start, other, value):
    """Return by how much a value changes where one record of `start` becomes that of `other`, at most."""
    base = value(start)
    return max(abs(value([*start[:i], new, *start[i + 1 :]]) - base) for i in range(len(start)) for new in other)


@given(TIED, TIED)
@settings(max_examples=60)
def test_statistics_beside_their_definitions(first, second):
    x, y = arrays(first, second)
    keys = np.arange(x.size + y.size)
    ties = sum(a == b for a in first for b in second)
    won = sum(a > b for a in first for b in second)
    assert won <= ranks.count_pairs_won(x, y, keys) <= won + ties
    # the keys decide: those of x are all lower, or all higher
    assert ranks.count_pairs_won(x, y, keys) == won
    assert ranks.count_pairs_won(x, y, keys[::-1]) == won + ties
    at = range(-3, 4)
    gaps = [sum(a <= k for a in first) * y.size - sum(b <= k for b in second) * x.size for k in at]
    assert ranks.compute_two_sample_ks_distance(x, y, "two-sided") == max(map(abs, gaps))
    assert ranks.compute_two_sample_ks_distance(x, y, "less") == -min(gaps)
    deviations = ranks.compute_rank_deviations([x, y], keys)
    assert sum(deviations) == 0
    assert deviations[0] == 2 * won - x.size * y.size


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=9), st.randoms())
@settings(max_examples=60)
def test_concordant_pairs_beside_all_pairs(records, random):
    x, y = arrays(*zip(*records))
    keys = np.array([random.sample(range(100), x.size) for _ in range(2)])
    placed = [list(zip(each, key)) for each, key in zip((x, y), keys)]
    pairs = itertools.combinations(range(x.size), 2)
    found = sum((placed[0][i] < placed[0][j]) == (placed[1][i] < placed[1][j]) for i, j in pairs)
    assert ranks.count_concordant_pairs(x, y, keys) == found


def test_concordant_pairs_of_many_records_are_exact():
    # SciPy's integer of discordant pairs is what it rounds: n of 2e5 has 2e10 pairs
    size = 200_000
    x = np.arange(size, dtype=np.float64)
    y = np.concatenate((x[1:], x[:1]))
    keys = np.zeros((2, size), dtype=np.int64)
    assert ranks.count_concordant_pairs(x, y, keys) == size * (size - 1) // 2 - (size - 1)


@given(TIED, st.integers(1, 9), st.randoms())
@settings(max_examples=60)
def test_signed_ranks_beside_sorting(values, cap, random):
    (x,) = arrays(values)
    keys = np.array(random.sample(range(100), x.size))
    signs = np.array([random.random() < 0.5 for _ in values])
    order = sorted(range(x.size), key=lambda i: (abs(values[i]), keys[i]))
    found = sum(min(rank, cap) for rank, i in enumerate(order, 1) if values[i] > 0 or (values[i] == 0 and signs[i]))
    assert ranks.sum_positive_ranks(x, signs, keys, cap) == found


# sensitivities: all small data with all records that one could become, keys shared


@pytest.mark.slow
def test_the_sensitivity_of_pairs_won():
    for first, second in ((1, 3), (3, 1), (2, 2), (2, 3)):
        worst = 0
        for data in itertools.product(range(3), repeat=first + second):
            for keys in (np.arange(first + second), np.arange(first + second)[::-1]):

                def value(records, keys=keys):
                    x, y = arrays(records[:first], records[first:])
                    return ranks.count_pairs_won(x, y, keys)

                worst = max(worst, changes(list(data), (-1, 0, 1, 2, 3), value))
        assert worst == max(first, second)


@pytest.mark.slow
@pytest.mark.parametrize("cap", [1, 3, 4])
def test_the_sensitivity_of_signed_ranks(cap):
    worst, keys, signs = 0, np.array([2, 0, 3, 1]), np.array([True, False, True, False])
    for data in itertools.product((-2, -1, 0, 1, 2), repeat=4):

        def value(records):
            return ranks.sum_positive_ranks(*arrays(records), signs, keys, cap)

        worst = max(worst, changes(list(data), (-3, -2, -1, 0, 1, 2, 3), value))
    assert worst == cap


@pytest.mark.slow
def test_the_sensitivity_of_concordant_pairs():
    worst, keys = 0, np.array([[0, 1, 2, 3], [3, 1, 0, 2]])
    for y in itertools.product(range(3), repeat=4):

        def value(records):
            return ranks.count_concordant_pairs(*arrays(*zip(*records)), keys)

        new = list(itertools.product((-1, 4), repeat=2))
        worst = max(worst, changes(list(zip((0, 1, 1, 2), y)), new, value))
    assert worst == 3


@pytest.mark.parametrize(
    ("sizes", "weighted"),
    [((1, 2), True), ((3, 3), False), ((1, 2, 3), True), ((2, 1, 1, 2), True), ((2, 2, 2), False)],
)
def test_the_sensitivity_of_the_distance_of_rank_sums(sizes, weighted):
    weights = tuple(distances.Fraction(1, n) if weighted else 1 for n in sizes)
    ends = np.cumsum(sizes)
    rng, worst, size = np.random.default_rng(3), 0, sum(sizes)
    for _ in range(150):
        data, keys = rng.integers(0, 5, size).tolist(), rng.permutation(size)

        def value(records, keys=keys):
            groups = np.split(np.array(records, dtype=np.float64), ends[:-1])
            return distances.compute_scaled_distance(ranks.compute_rank_deviations(groups, keys), weights)

        worst = max(worst, changes(data, (-1, 0, 2, 4, 5), value))
    assert (
        0.4 * distances.compute_distance_sensitivity(sizes, weights)
        < worst
        <= distances.compute_distance_sensitivity(sizes, weights)
    )


def test_the_sensitivity_of_the_distance_of_rank_sums_is_reached():
    # the lowest record of the upper group passes all of the lower one
    low, high = np.arange(1.0, 11.0), np.concatenate(([0.0], np.arange(11.0, 20.0)))
    last, keys = np.concatenate(([20.0], high[1:])), np.arange(20)
    ends = [
        distances.compute_scaled_distance(ranks.compute_rank_deviations([low, each], keys), (1, 1))
        for each in (high, last)
    ]
    assert abs(ends[1] - ends[0]) == pytest.approx(distances.compute_distance_sensitivity((10, 10), (1, 1)), abs=1.01)


def test_the_sensitivity_of_distances():
    for alternative in ("two-sided", "less", "greater"):
        worst = {"one": 0.0, "two": 0}
        for data in itertools.product((0.0, 0.3, 0.7, 1.0), repeat=3):

            def one(records, alternative=alternative):
                at = np.array(records)
                # with a jump of any size at each record
                return ranks.compute_ks_distance(at, at**2, alternative) / (3 * 2**32)

            def two(records, alternative=alternative):
                return ranks.compute_two_sample_ks_distance(*arrays(records[:1], records[1:]), alternative)

            worst["one"] = max(worst["one"], changes(list(data), (0.0, 0.5, 1.0), one))
            worst["two"] = max(worst["two"], changes(list(data), (-1.0, 0.5, 2.0), two))
        assert worst["one"] == pytest.approx(1.0 / 3.0, abs=1e-9) and worst["two"] == 2


def test_weights_follow_from_public_numbers():
    assert choose_group_weights((15, 40, 200), 100.0) == tuple(distances.Fraction(1, n) for n in (15, 40, 200))
    assert choose_group_weights((15, 40, 200), 0.1) == (1, 1, 1)
    assert choose_group_weights((5, 5), 1e-3)[0] == distances.Fraction(1, 5)

"""P-values over what a release leaves possible: what the sets leave out is added, once for each set."""

import pytest

from pydpstat._null_distributions.means.mean_differences import WelchInterval
from pydpstat._null_distributions.means.noisy_t import EXCLUDED_PROBABILITY, NoisySums, compute_t_pvalue
from pydpstat._null_distributions.means.noisy_welch import (
    SHAPE_PAIRS,
    _SimulatedGroups,
    compute_welch_pvalue,
    make_welch_groups,
    maximize_welch_tail,
)
from pydpstat._null_distributions.simulation import DRAWS_POWER

NOISE = ((0.0, 0.0), (2.0, 0.0), (0.0, 4.0))
# no draw is as extreme as what was observed: the observed one is the only one of all
LEAST = 1 / (2**DRAWS_POWER + 1)


def sums(n, mean):
    return NoisySums((float(n), mean * n, float(n)), NOISE, "laplace", n)


def test_a_mean_far_off_adds_what_one_variance_leaves_out():
    assert compute_t_pvalue(sums(100, 0.9), -0.9)[1] == pytest.approx(EXCLUDED_PROBABILITY + LEAST, rel=1e-12)


@pytest.mark.parametrize("sizes", [(20, 20), (50, 400)])
def test_means_far_apart_add_what_both_variances_leave_out(sizes):
    # each set of variances misses with probability LEFT_OUT at most, both together with twice that
    pair = sums(sizes[0], 0.9), sums(sizes[1], -0.9)
    assert compute_welch_pvalue(pair)[1] == pytest.approx(2 * EXCLUDED_PROBABILITY + LEAST, rel=1e-12)


@pytest.mark.slow
def test_no_difference_is_rejected_at_a_level_that_the_sets_use_up():
    pair = sums(100, 0.9), sums(100, -0.9)
    # the wider sets leave out 2e-7 each
    assert WelchInterval(pair, 3.0).compute_limits(3e-7) == (-6.0, 6.0)
    low, deeper = (
        WelchInterval(pair, 3.0).compute_limits(level)[0]
        for level in (10 * EXCLUDED_PROBABILITY, 1.5 * EXCLUDED_PROBABILITY)
    )
    assert low > deeper > 0.0


def test_a_p_value_is_the_largest_over_all_pairs_of_variances_and_shapes():
    given = ((100, 21.0), (60, 4.0))
    pair = tuple(NoisySums((float(n), first, 9.0), NOISE, "laplace", n) for n, first in given)
    every = slice(None)
    groups, distance = make_welch_groups(pair, 0.0), 21.0 / 100 - 4.0 / 60
    both = _SimulatedGroups(groups, distance, "two-sided")
    counts = max(int(both.count_exceedances(shapes, every, every).max()) for shapes in SHAPE_PAIRS)
    assert compute_welch_pvalue(pair)[1] == pytest.approx(2 * EXCLUDED_PROBABILITY + (1 + counts) * LEAST, rel=1e-12)
    # not at the variances where the search begins
    assert counts > max(
        int(both.count_exceedances(shapes, slice(15, 16), slice(15, 16)).max()) for shapes in SHAPE_PAIRS
    )
    # nor does a search end there that may stop above a larger one
    assert maximize_welch_tail(groups, distance, "two-sided", 0.9, (15, 15))[1] == pytest.approx((1 + counts) * LEAST)

"""A slope from the numbers of pairs below public slopes: law, counts, sensitivity, intervals and tests."""

import math
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from levels import regression as levels
from scipy import stats

import pydpstat
from pydpstat._null_distributions.noise import make_geometric_sum
from pydpstat._null_distributions.regression.slopes import PairGroups, SlopeInterval, compute_pair_cdf
from pydpstat.inference.regression import _slopes
from pydpstat.inference.regression._slopes import FRACTION_BITS, PairSlopes, compute_group_sizes, make_looks

SURE = 1e6
# the false-alarm rate of each simulated coverage, for a true share of misses of 0.05
FALSE_ALARMS = 1e-5
RUNS = 200


def inverted(order):
    return sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order)))


@pytest.mark.parametrize(("sizes", "rate", "terms"), [((3,), 0.7, 1), ((5,), 0.2, 3), ((4, 3), 1.5, 2), ((2,), 9.0, 1)])
def test_the_law_is_that_of_all_orders_with_all_noises(sizes, rate, terms):
    total = Counter({0: 1.0})
    for size in sizes:
        own = Counter(map(inverted, permutations(range(size))))
        orders = math.factorial(size)
        total = Counter(
            {
                count: sum(total[count - more] * own[more] / orders for more in own)
                for count in range(max(total) + max(own) + 1)
            }
        )
    pairs, noise = PairGroups.from_sizes(sizes), make_geometric_sum(rate, terms)
    assert pairs.n_pairs == max(total) and pairs.max_pairs == max(sizes) - 1
    mean = sum(count * chance for count, chance in total.items())
    variance = sum((count - mean) ** 2 * chance for count, chance in total.items())
    assert mean == pytest.approx(pairs.n_pairs / 2) and pairs.variance == pytest.approx(variance)
    for bound in range(-4, pairs.n_pairs + 5):
        wanted = sum(chance * float(noise.compute_tail(count - bound)) for count, chance in total.items())
        assert compute_pair_cdf(bound - pairs.n_pairs / 2, pairs, rate, terms) == pytest.approx(wanted, abs=1e-12)


def test_many_records_have_a_normal_law():
    pairs = PairGroups.from_sizes([151] * 4)
    sd = math.sqrt(pairs.variance)
    for z in (-3.0, -1.0, 0.0, 2.0):
        bound = math.floor(z * sd)
        wanted = stats.norm.cdf((bound + 0.5) / sd)
        assert compute_pair_cdf(bound, pairs, 50.0, 1) == pytest.approx(wanted, rel=1e-5)
    # noise that would need too many frequencies tells nothing
    assert compute_pair_cdf(-1e9, pairs, 1e-12, 1) == 0.5


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(2, 30), st.sampled_from([4, 11, 20_000]), st.booleans())
def test_cells_count_all_pairs_of_a_group(seed, n, most, rounded):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-1, 1, (2, n))
    if rounded:
        x, y = np.rint(2.0 * x) / 2.0, np.rint(2.0 * y) / 2.0
    edges = np.sort(rng.integers(-3 << FRACTION_BITS, 3 << FRACTION_BITS, 5))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_slopes, "MAX_GROUP_SIZE", most)
        slopes, sizes = PairSlopes.from_records(x, y, rng), compute_group_sizes(n)
    assert [each[0].size for each in slopes.groups] == sizes and max(sizes) <= max(most, 1)
    wanted = np.zeros(6, dtype=int)
    for own, response, ties in slopes.groups:
        for i in range(own.size):
            for j in range(i + 1, own.size):
                left = [(response[k] << FRACTION_BITS) - edges * own[k] for k in (i, j)]
                below = (left[0] > left[1]) | ((left[0] == left[1]) & (ties[i] > ties[j]))
                # a pair is below all edges from some edge on
                assert (np.diff(below.astype(int)) >= 0).all()
                wanted[5 - below.sum()] += 1
    assert slopes.count_cells(edges, len(sizes)).tolist() == wanted.tolist()


def moved(x, y, place, record, edges, seed):
    """Return how far the cells move where one record is replaced."""
    cells = []
    for own in (None, record):
        a, b = x.copy(), y.copy()
        if own is not None:
            a[place], b[place] = own
        cells.append(PairSlopes.from_records(a, b, np.random.default_rng(seed)).count_cells(edges, 1))
    return int(np.abs(cells[0] - cells[1]).sum())


def test_a_record_moves_as_many_pairs_as_it_is_in():
    rng, n = np.random.default_rng(2), 12
    edges = np.array([-1 << FRACTION_BITS, 0, 1 << FRACTION_BITS])
    found = []
    for seed in range(200):
        x, y = rng.choice([-1.0, 0.0, 1.0], (2, n)) if seed % 2 else rng.uniform(-1, 1, (2, n))
        found.append(moved(x, y, int(rng.integers(n)), tuple(rng.uniform(-1, 1, 2)), edges, seed))
    # all other records lie together, and the record goes from one side of them to the other
    x, y = np.full((2, n), 0.0)
    x[0], y[0] = -1.0, -0.5
    found.append(moved(x, y, 0, (-1.0, 0.5), edges, 1))
    assert max(found) == 2 * (n - 1) == make_looks(n, 1.0)[-1].sensitivity


@given(st.integers(0, 10_000), st.sampled_from([0.02, 0.3, 3.0]))
def test_what_an_interval_leaves_out_its_test_rejects(seed, alpha):
    rng = np.random.default_rng(seed)
    edges = tuple(np.sort(rng.normal(size=7)).tolist())
    low = np.sort(rng.random(7)) ** 3
    known = SlopeInterval(edges, tuple(low.tolist()), tuple((1.0 - low).tolist()), 0.0)
    for value in rng.normal(0.0, 2.0, 20):
        lower, upper = known.compute_limits(min(alpha, 0.99))
        inside = lower < value < upper
        assert inside == (known.compute_pvalue(value) > min(alpha, 0.99))


def test_without_noise_it_is_theil_and_sens():
    rng = np.random.default_rng(4)
    x = rng.uniform(0.0, 10.0, 300)
    y = 2.0 - 0.7 * x + rng.standard_t(4, 300)
    fit = pydpstat.ols(y, x, SURE, bounds=[(-20, 20), (0, 10)], method="rank", interval=True, rng=1)
    slope, _, low, high = stats.theilslopes(y, x)
    lower, upper = fit.conf_int().to_numpy()[0]
    assert fit.params.iloc[0] == pytest.approx(slope, abs=0.02 * (high - low))
    assert lower <= low + 1e-3 and high - 1e-3 <= upper
    # the cells of the last look are small beside it
    assert (upper - lower) / (high - low) < 1.2
    assert fit.pvalues.iloc[0] < 1e-6 and list(fit.validity) == ["model"]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "epsilon", "most"), [(1000, 1.0, 0.25), (5000, 1.0, 0.08)])
def test_its_width(n, epsilon, most):
    how, widths = {"bounds": [(-1.5, 1.5), (-1, 1)], "method": "rank", "interval": True}, []
    for seed in range(9):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1.0, 1.0, n)
        fit = pydpstat.ols(0.5 * x + rng.normal(0.0, 0.35, n), x, epsilon, **how, rng=seed)
        widths.append(np.diff(fit.conf_int().to_numpy()[0]))
    assert np.median(widths) < most


WORST = ["rank, near a bound, 1 predictors, n 300, epsilon 5", "rank, normal, 1 predictors, n 100, epsilon 1"]


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
def test_intervals_miss_as_rarely_as_they_say(name):
    (setting,) = [each for each in levels.SETTINGS if each["name"] == name]
    assert levels.misses(setting, RUNS, 3) <= stats.binom.isf(FALSE_ALARMS, RUNS, 0.05)


@pytest.mark.slow
def test_the_simulation_finds_noise_that_is_left_out(monkeypatch):
    real = _slopes.make_slope_interval
    monkeypatch.setattr(_slopes, "make_slope_interval", lambda *given: real(*given[:3], 1e3))
    (setting,) = [each for each in levels.SETTINGS if each["name"] == WORST[1]]
    assert levels.misses(setting, RUNS, 3) > stats.binom.isf(FALSE_ALARMS, RUNS, 0.05)


def test_looks_share_epsilon():
    for n, epsilon in ((5, 0.3), (1000, 1.0), (10**6, 2.0), (10**7, 100.0)):
        looks = make_looks(n, epsilon)
        assert 2 <= len(looks) <= 5 and math.fsum(each.epsilon for each in looks) <= epsilon
        assert looks[-1].epsilon == pytest.approx(0.7 * epsilon)
        assert looks[-1].groups == len(compute_group_sizes(n)) and looks[0].groups <= 5
    budget = pydpstat.Budget(1.0)
    x = np.arange(50.0)
    pydpstat.ols(x, x, 0.5, bounds=(0, 50), method="rank", interval=True, budget=budget)
    assert budget.spent.epsilon == 0.5 and len(budget.entries) == 1

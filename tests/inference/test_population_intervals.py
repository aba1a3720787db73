"""Intervals for the population on pydpstat's releases: coverage, ranges, edges, noise and sensitivities."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from levels import population as levels
from scipy import stats

import pydpstat
from pydpstat._data.columns import read_numbers
from pydpstat._null_distributions.means.exact_moments import (
    VarianceInterval,
    bound_noise_by_steps,
    bound_noise_quantile,
    make_plausible_region,
)
from pydpstat._null_distributions.means.noisy_t import NoisySums
from pydpstat._null_distributions.proportions.shares import compute_share_limits
from pydpstat._records import population as moments
from pydpstat._records.records import read_records
from pydpstat._release.options import options
from pydpstat.errors import PydpstatError

RNG = np.random.default_rng(11)
X = RNG.normal(40.0, 12.0, 400)
GROUPS = np.repeat(["u", "v"], 200)
UNIT = {"bounds": (0, 100)}
BOTH = ("bounded", "unbounded")
ALMOST_WITHOUT_NOISE = 1e8
# the false-alarm rate of each simulated coverage, for a true share of misses of 0.05
FALSE_ALARMS = 1e-5
MISSES = 300


def population(release, alpha=0.05):
    return release.conf_int(alpha, kind="population").to_numpy()


# coverage ---------------------------------------------------------------------------------------------

WORST = [
    "share, p 0.02, n 20, epsilon 1.0, number public",
    "share, p 0.5, n 100, epsilon 0.3, number private",
    "std, constant, n 5000, epsilon 0.5, number public",
    "std, constant, n 2000, epsilon 1.0, number private",
    "mean, Bernoulli .05, n 30, epsilon 5.0, number private",
    "median, exponential, n 500, epsilon 0.3",
    "two shares, p 0.5, n 20, epsilon 1.0, other 200",
    "two means, Bernoulli .05, n 30, epsilon 5.0, other 30",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
def test_intervals_miss_as_seldom_as_they_say(name):
    setting = next(each for each in levels.SETTINGS if each["name"] == name)
    runs = 40 if name.startswith("two") else 150 if name.startswith(("mean", "std")) else MISSES
    missed = levels.misses(setting, runs, 3)
    assert missed <= stats.binom.isf(FALSE_ALARMS, runs, 0.05)


def test_an_interval_that_leaves_the_noise_out_is_noticed():
    rng, missed, runs = np.random.default_rng(5), 0, 100
    for _ in range(runs):
        count, noise = rng.binomial(100, 0.5), levels.geometric(0.1, 2, rng)
        # a rate that says there is hardly any noise
        low, high = compute_share_limits(count + noise[0], 100 - count + noise[1], 100, 50.0, (1, 1), 0.05)
        missed += not low <= 0.5 <= high
    assert missed > stats.binom.isf(FALSE_ALARMS, runs, 0.05)


def test_the_settings_simulate_what_is_released():
    """The engines' inputs are those of the functions: with a seed the parts of a release are compared."""
    z = levels.draw("normal", 400, np.random.default_rng(1))
    known = levels.noisy_sums(z, ALMOST_WITHOUT_NOISE, True, np.random.default_rng(2))
    release = pydpstat.std(z, ALMOST_WITHOUT_NOISE, bounds=(-1, 1), population=True, rng=1)
    expected = VarianceInterval(known, 1.0, True).compute_limits(0.05)
    # the grid of 2^-40 and noise of 1e-8
    assert population(release)[0] == pytest.approx(expected, abs=1e-6)
    median = pydpstat.median(z, ALMOST_WITHOUT_NOISE, bounds=(-1, 1), population=True, rng=1)
    cells = np.histogram(z, median.post.population.edges)[0]
    assert median.post.population.cells.tolist() == cells.tolist()


# means and spreads ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism, delta", [("laplace", 0), ("gaussian", 1e-6)])
def test_a_mean_s_noise_is_that_of_a_mean_alone(mechanism, delta):
    how = {**UNIT, "mechanism": mechanism, "delta": delta, "rng": 1}
    for data in (X, pd.DataFrame({"a": X, "b": X / 2})):
        plain = pydpstat.mean(data, 1.0, **how)
        more = pydpstat.mean(data, 1.0, **how, population=True)
        # sensitivities have the roundings of squares in them, 2^-40
        assert more.bse.to_numpy() == pytest.approx(plain.bse.to_numpy(), rel=1e-11)
        assert np.asarray(more.noise_scale) == pytest.approx(np.asarray(plain.noise_scale), rel=1e-11)
        assert np.ravel(more.accuracy()) == pytest.approx(np.ravel(plain.accuracy()), rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", BOTH)
def test_with_next_to_no_noise_statistics_are_those_of_numpy(neighbors):
    how = {**UNIT, "neighbors": neighbors, "population": True, "rng": 1}
    z = X.clip(0, 100)
    for name, value in {"mean": z.mean(), "var": z.var(ddof=1), "std": z.std(ddof=1)}.items():
        release = getattr(pydpstat, name)(X, ALMOST_WITHOUT_NOISE, **how)
        low, high = population(release)[0]
        assert float(release) == pytest.approx(value, rel=1e-6) and low < value < high
    by = {"by": GROUPS, "levels": ["u", "v"], "other": None}
    means = pydpstat.mean(X, ALMOST_WITHOUT_NOISE, **by, **how)
    assert np.ravel(means.estimate) == pytest.approx([z[:200].mean(), z[200:].mean()], rel=1e-6)


def _moved(first, second, norm, neighbors, columns):
    """Return how far the weighted sums move between two data sets, over their sensitivity."""
    mechanism = "laplace" if norm == 1 else "gaussian"
    how = options(1.0, 0 if norm == 1 else 1e-6, mechanism, neighbors, "error")
    exact = []
    for data in (first, second):
        records, used = read_records(pd.DataFrame(data), how, read_numbers)
        query = moments.make_column_sums_query("mean", records, ((-1.0, 1.0),) * columns, used)
        exact.append(query.exact)
    moved = np.array([float(a - b) for a, b in zip(*exact)])
    return np.linalg.norm(moved, norm) / float(query.sensitivities[0])


@pytest.mark.parametrize("norm", [1, 2])
def test_a_search_finds_no_neighbors_further_apart_than_the_sensitivity(norm):
    grid = np.linspace(-1.0, 1.0, 9)
    replaced = [
        _moved({"a": [0.3, u]}, {"a": [0.3, w]}, norm, "bounded", 1) for u, w in itertools.combinations(grid, 2)
    ]
    assert max(replaced) <= 1.0 and (norm == 2 or max(replaced) == pytest.approx(1.0, abs=1e-9))
    # in the L2 norm the weight of squares is nearly as large as it may be
    assert max(replaced) > 0.95
    added = [_moved({"a": [0.3]}, {"a": [0.3, u]}, norm, "unbounded", 1) for u in grid]
    assert max(added) == pytest.approx(1.0, abs=1e-9)
    two = [
        _moved({"a": [0.3, u], "b": [0.1, w]}, {"a": [0.3, w], "b": [0.1, u]}, norm, "bounded", 2)
        for u, w in itertools.combinations(grid[::2], 2)
    ]
    assert 0.95 < max(two) <= 1.0


@pytest.mark.parametrize(
    ("name", "how", "said"),
    [
        ("mean", {"unit": np.arange(400), "max_records": 2}, "max_records must be 1 with population=True"),
        ("std", {"population": "yes"}, "population must be"),
        ("median", {"sample": 0.5}, "sample must be left out with population=True"),
        ("median", {"grid_points": 2000}, "grid_points must be a whole number from 9 to 1025"),
    ],
)
def test_what_population_cannot_have_is_refused(name, how, said):
    with pytest.raises(PydpstatError, match=said):
        getattr(pydpstat, name)(X, 1.0, **{**UNIT, "population": True, **how})


def test_releases_without_what_it_takes_have_no_interval_of_the_population():
    gaussian = pydpstat.proportion(X > 40, 1.0, mechanism="gaussian", delta=1e-6)
    for release, said in (
        (pydpstat.mean(X, 1.0, **UNIT), "population=True, or use pydpstat.moments"),
        (gaussian, "has no confidence interval"),
    ):
        with pytest.raises(PydpstatError, match=said):
            release.conf_int(kind="population")


# edges ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "most"), [("mean", 100), ("std", 50), ("median", 100)])
def test_without_data_to_speak_of_the_whole_range_is_left(name, most):
    release = getattr(pydpstat, name)([1, 2], 0.001, **UNIT, population=True, rng=1)
    assert population(release).tolist() == [[0, most]]


@pytest.mark.slow
@given(
    n=st.integers(2, 10**7),
    mean=st.floats(-1, 1),
    square=st.floats(0, 1),
    epsilon=st.floats(0.001, 100),
    alpha=st.floats(1e-6, 0.5),
)
@settings(max_examples=25)
def test_an_interval_of_a_variance_has_ends_in_order(n, mean, square, epsilon, alpha):
    b = 2.0 / epsilon
    sums = (float(n), 3.0 * n * mean, n * (2.0 * square - 0.5))
    known = NoisySums(sums, ((0.0, 0.0), (b, 0.0), (0.0, 2.0 * b)), "laplace", n)
    low, high = VarianceInterval(known, 1.0, False).compute_limits(alpha)
    assert 0.0 <= low <= high <= 1.0


# the laws below ---------------------------------------------------------------------------------------


def test_a_region_of_a_variance_has_the_true_one_and_not_far_ones():
    n = 20_000
    known = NoisySums((float(n), 0.0, 0.04 * n), ((0.0, 0.0), (2.0, 0.0), (0.0, 4.0)), "laplace", n)
    low, high = VarianceInterval(known, 1.0, False).compute_limits(0.05)
    # a record's square is at most 1 here and so the standard error sqrt(.04 * .96 / n) at most
    error = np.sqrt(0.04 * 0.96 / n)
    assert low < 0.04 - 1.9 * error and high > 0.04 + 1.9 * error
    assert low > 0.04 - 5.0 * error and high < 0.04 + 5.0 * error
    narrow, wide = (
        make_plausible_region(known, 0.05).find_mean_range(0.01),
        make_plausible_region(known, 0.05).find_mean_range(0.5),
    )
    assert wide[0] < narrow[0] < 0.0 < narrow[1] < wide[1]


def test_sums_of_three_laplace_variables_are_bounded_from_above():
    scales, rng = np.array([1.0, 1.02, 0.4]), np.random.default_rng(3)
    drawn = rng.laplace(size=(10**5, 3)) @ scales
    weights, values, rest = bound_noise_by_steps(tuple(scales), "laplace")
    assert weights.sum() + rest == pytest.approx(1.0)
    above = values > 0.0
    said, below = weights.cumsum()[above], (np.searchsorted(np.sort(drawn), values) / drawn.size)[above]
    # not exceeded with these probabilities at least, 5 standard errors of 1e5 draws, and not far too large
    assert (below >= said - 5.0 * 0.5 / np.sqrt(1e5)).all() and (below <= said + 0.03).all()
    reach = bound_noise_quantile(scales, "laplace", 0.001)
    assert (drawn > 0.5 * reach).mean() > 0.001 >= (drawn > reach).mean()


# quantiles and cells ----------------------------------------------------------------------------------


def test_with_next_to_no_noise_quantiles_are_those_of_the_records():
    how = {**UNIT, "population": True, "rng": 1}
    release = pydpstat.quantiles(pd.Series(X, name="age"), [0.1, 0.5, 0.9], 1e5, **how)
    expected = np.quantile(X, [0.1, 0.5, 0.9])
    # a cell of 100 / 8192, and the distance of neighboring order statistics
    assert release.estimate.to_numpy() == pytest.approx(expected, abs=1.0)
    ends = population(release)
    assert (ends[:, 0] < expected).all() and (expected < ends[:, 1]).all()
    assert release.estimate.index.tolist() == ["0.1", "0.5", "0.9"] and release.nobs == 400
    one = pydpstat.quantile(X, 0.1, 1e5, **how)
    assert float(one) == pytest.approx(release.estimate.iloc[0]) and "population=True" in one.call


def test_the_largest_quantile_of_an_empty_last_cell_is_in_its_middle():
    cells = moments.CellQuantiles(np.array([4.0, 4.0, 0.0]), np.array([0.0, 1.0, 2.0, 4.0]), 8, 1.0)
    assert [cells.compute_quantile(share) for share in (0.0, 0.25, 0.75, 1.0)] == [0.0, 0.5, 1.5, 3.0]


def test_a_private_number_of_records_is_their_noisy_sum_and_at_least_1():
    for counts, total in (([2.0, -1.5], 1.0), ([-4.0, -5.0], 1.0), ([4.0, -1.0], 3.0)):
        cells = moments.CellQuantiles(np.array(counts), np.array([0.0, 1.0, 2.0]), None, 1.0)
        assert cells.total == total and cells.compute_quantile(0.5) <= 1.0


def test_the_interval_of_a_median_covers_the_noise_or_says_nothing():
    x = np.linspace(0.0, 10.0, 101)
    how = {"bounds": (0, 10), "population": True}
    found = [pydpstat.median(x, 1.0, **how, rng=seed).conf_int() for seed in range(100)]
    # at a rate of 0.95 fewer than 88 have a probability of 0.4 per cent
    assert sum(each.iloc[0, 0] <= 5.0 <= each.iloc[0, 1] for each in found) >= 88
    assert np.isnan(pydpstat.median(x, 0.1, **how, rng=1).bse).all()


def test_cells_have_intervals_of_shares():
    release = pydpstat.histogram(X, 1.0, edges=[0, 30, 50, 100], rng=1)
    ends, shares = population(release), np.histogram(X, [0, 30, 50, 100])[0] / X.size
    assert (ends[:, 0] < shares).all() and (shares < ends[:, 1]).all()
    text = " ".join(release.summary().as_text().split())
    assert "for each cell's share of the population" in text
    assert "share" not in pydpstat.proportion(X > 4, 1.0, rng=1).summary().as_text()
    half = pydpstat.crosstab(GROUPS, 1.0, levels=["u", "v"], sample=200, rng=1)
    assert population(half).shape == (3, 2) and (population(half)[:2, 0] > 0.3).all()


def test_a_summary_has_both_intervals_or_names_the_method_of_many():
    text = pydpstat.mean(X, 1.0, **UNIT, population=True, rng=1).summary(0.1).as_text()
    assert "noise [0.05" in text and "population [0.05" in text and "a random sample" in text
    assert "population" not in pydpstat.mean(X, 1.0, **UNIT, rng=1).summary().as_text()
    many = pydpstat.histogram(X, 1.0, edges=np.linspace(0, 100, 41), rng=1)
    text = many.summary().as_text()
    assert "population [" not in text and "conf_int(kind='population')" in text
    assert population(many).shape == (40, 2)


@pytest.mark.slow
def test_kinds_and_levels_of_intervals_are_checked():
    release = pydpstat.mean(X, 1.0, **UNIT, population=True, rng=1)
    assert release.conf_int(0.1).equals(release.conf_int(0.1, "noise"))
    assert (population(pickle.loads(pickle.dumps(release))) == population(release)).all()
    for how, said in (
        ({"kind": "sampling"}, "kind must be"),
        ({"alpha": 2.0, "kind": "population"}, "alpha must"),
    ):
        with pytest.raises(PydpstatError, match=said):
            release.conf_int(**how)

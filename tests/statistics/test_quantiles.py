"""quantile, median and quantiles: laws, bounds, ties, missing values, and what their results tell."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat
from pydpstat._records.ranks import compute_rank_range, compute_rank_utility, find_grid_indices, round_share
from pydpstat._records.selection import PointSelection
from pydpstat.random import _weighted_choice, source_from
from pydpstat.random.source import SYSTEM
from tests.flips import flip_law
from tests.ledger import Ledger

# the bits are seeded: a right sampler passes each time, a random one would fail once in a million
FALSE_ALARM = 1e-6
AGES = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]


def exact_law(x, points, q, epsilon, neighbors):
    share = round_share(q)
    utility = compute_rank_utility(np.bincount(x, minlength=points), share)
    return flip_law(epsilon / float(compute_rank_range(share, neighbors)) * utility)


@pytest.mark.slow
@pytest.mark.parametrize(
    "q, neighbors, seed",
    [(0.0, "bounded", None), (0.3, "bounded", None), (0.3, "unbounded", 5), (1.0, "unbounded", None)],
)
def test_the_law(q, neighbors, seed):
    x, draws = [0, 1, 1, 1, 4], 1500
    how = {"bounds": (0, 5), "neighbors": neighbors, "grid_points": 6}
    rng = None if seed is None else np.random.default_rng(seed)
    results = [float(pydpstat.quantile(x, q, 1.5, **how, rng=rng)) for _ in range(draws)]
    law = exact_law(x, 6, q, 1.5, neighbors)
    seen = np.bincount(np.array(results, dtype=int), minlength=6)
    assert stats.chisquare(seen, draws * law).pvalue > FALSE_ALARM
    # the test has power against an epsilon that is wrong by two thirds
    for wrong in (0.9, 2.5):
        assert stats.chisquare(seen, draws * exact_law(x, 6, q, wrong, neighbors)).pvalue < 1e-3


def test_a_seed_chooses_the_same_point_by_runs_and_by_points():
    x = np.random.default_rng(1).normal(50, 20, 200)
    utility = compute_rank_utility(np.bincount(find_grid_indices(x, 0, 100, 1001), minlength=1001), round_share(0.3))
    for seed in range(10):
        selection = PointSelection(Fraction(1, 2), source_from(seed), True)
        by_points = selection.choose_point_above(utility, 0, 1001, -1000.0)
        chosen = pydpstat.quantile(x, 0.3, 1.0, bounds=(0, 100), grid_points=1001, rng=seed)
        assert float(chosen) == pytest.approx(by_points / 10)


def test_ties_gaps_and_infinities():
    for x in ([5.0] * 5000, [-math.inf] * 5 + [5.0] * 5000 + [math.inf] * 5):
        assert float(pydpstat.median(x, 1.0, bounds=(0, 10), grid_points=11, rng=1)) == 5.0
    # any point of an empty gap is a median, and none outside it is likely
    apart = [0.0] * 500 + [10.0] * 500
    chosen = [float(pydpstat.median(apart, 1.0, bounds=(0, 10), rng=seed)) for seed in range(200)]
    assert stats.kstest(chosen, stats.uniform(0, 10).cdf).pvalue > FALSE_ALARM
    assert float(pydpstat.quantile([math.inf] * 100, 0.5, 5.0, bounds=(0, 1), rng=1)) == 1.0
    assert float(pydpstat.quantile([-math.inf] * 100, 0.5, 5.0, bounds=(0, 1), rng=1)) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("bounds, points", [((0, 100), 101), ((-1 / 3, 0.1), 65537), ((-1e308, 7e307), 1000)])
def test_results_are_public_grid_points(bounds, points):
    x = np.random.default_rng(1).uniform(-1, 1, 300) * max(map(abs, bounds))
    lower, upper = map(Fraction, bounds)
    grid = {float(lower + (upper - lower) * Fraction(place, points - 1)) for place in range(points)}
    for _ in range(5):
        result = pydpstat.median(x, 1.0, bounds=bounds, grid_points=points)
        assert float(result) in grid and result.grid == pytest.approx((bounds[1] - bounds[0]) / (points - 1))
        several = pydpstat.quantiles(x, [0.2, 0.8], 1.0, bounds=bounds, grid_points=points)
        assert set(several.value.tolist()) <= grid


def test_quantiles_are_monotone_and_in_the_order_asked_for():
    x = np.random.default_rng(2).integers(0, 5, 400)
    qs = [0.9, 0.1, 0.5, 0.5, 0.0, 1.0, 0.25]
    for seed in range(30):
        values = np.asarray(pydpstat.quantiles(x, qs, 1.0, bounds=(0, 4), grid_points=5, rng=seed))
        ordered = values[np.argsort(qs, kind="stable")]
        assert (np.diff(ordered) >= 0).all() and values[2] == values[3]
    frame = pydpstat.quantiles(pd.Series(x, name="age"), qs, 1.0, bounds=(0, 4)).estimate
    assert frame.index.tolist() == list(map(str, qs)) and frame.name == "age"


def test_heavy_ties_do_not_spoil_the_other_quantiles():
    # two in five are 0, so the first quartile is 0 and the others are not
    x = np.concatenate([np.zeros(4000), np.arange(1, 6001)])
    qs = [0.1, 0.3, 0.5, 0.7, 0.9]
    expected = np.quantile(x, qs)
    for seed in range(10):
        values = np.asarray(pydpstat.quantiles(x, qs, 3.0, bounds=(0, 6000), grid_points=6001, rng=seed))
        # ranks are off by some tens, and so are these values
        assert np.abs(values - expected).max() < 150


def mean_error(releases, x, qs):
    ranks = np.searchsorted(np.sort(x), releases) / x.size
    return np.abs(ranks - qs).mean()


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_splitting_beats_single_quantiles(neighbors):
    x = np.random.default_rng(4).normal(size=2000)
    qs = np.arange(1, 16) / 16
    options = {"bounds": (-10, 10), "neighbors": neighbors}
    together = [pydpstat.quantiles(x, qs.tolist(), 1.0, rng=seed, **options).value for seed in range(20)]
    rng = np.random.default_rng(5)
    alone = [[float(pydpstat.quantile(x, q, 1.0 / 15, rng=rng, **options)) for q in qs] for _ in range(10)]
    error, other = mean_error(np.array(together), x, qs), mean_error(np.array(alone), x, qs)
    # four levels in the place of fifteen shares: about a quarter of the error
    assert error < 0.5 * other


def test_missing_values():
    x = [1.0, np.nan, 3.0, None]
    for function in (pydpstat.median, lambda *a, **k: pydpstat.quantiles(a[0], [0.5], a[1], **k)):
        with pytest.raises(pydpstat.PydpstatError, match="missing"):
            function(x, 1.0, bounds=(0, 4))
        filled = function(x, 200.0, bounds=(0, 4), grid_points=5, missing=2.0, rng=1)
        assert np.asarray(filled).item() == 2.0
        assert filled.nobs == 4 and filled.guarantee.conditions == (filled.guarantee.conditions[-1],)
        dropped = function([5, np.nan, np.nan], 200.0, bounds=(0, 9), missing="drop", neighbors="unbounded")
        assert dropped.nobs is None
        with pytest.raises(pydpstat.PydpstatError, match="drop"):
            function(x, 1.0, bounds=(0, 4), missing="drop")


def test_the_result_tells_what_holds_and_nothing_of_n():
    def released(x):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("pydpstat.random.secure._bits.entropy", np.random.default_rng(1).bytes)
            r = pydpstat.median(x, 1.0, bounds=(0, 100), neighbors="unbounded")
        return {key: value for key, value in r.to_dict().items() if key not in ("estimate", "params")}

    first, second = released(AGES), released(AGES * 5)
    first.pop("values", None), second.pop("values", None)
    assert first["nobs"] is None and first["sensitivity"] == second["sensitivity"] == 0.5
    r = pydpstat.median(AGES, 1.0, bounds=(0, 100))
    assert r.guarantee.epsilon == 1.0 and r.guarantee.delta == 0.0 and r.nobs == 10 and r.noise is None
    assert r.call == "median(x, epsilon=1.0, bounds=[0.0, 100.0], grid_points=101)"
    with pytest.raises(pydpstat.PydpstatError, match="interval"):
        r.conf_int()


def test_the_default_grid_has_65537_points():
    x = np.full(1000, 12_345 / 65_536)
    assert float(pydpstat.median(x, 100.0, bounds=(0, 1))) == 12_345 / 65_536
    assert float(pydpstat.median(x, 100.0, bounds=(0, 1), grid_points=65_537)) == 12_345 / 65_536


def test_nobody_without_records_is_bounded():
    assert 0 <= float(pydpstat.median([], 1.0, bounds=(0, 1), neighbors="unbounded")) <= 1
    assert pydpstat.quantiles([], [0.2, 0.8], 1.0, bounds=(0, 1), neighbors="unbounded").value.size == 2
    for function in (pydpstat.median, lambda x, e, **k: pydpstat.quantiles(x, [0.5], e, **k)):
        with pytest.raises(pydpstat.PydpstatError, match="at least 1 record"):
            function([], 1.0, bounds=(0, 1))


@pytest.mark.parametrize(
    "change, word",
    [
        ({"q": 1.5}, "q "),
        ({"q": [0.1, 0.2]}, "quantiles"),
        ({"bounds": (-1.7e308, 1.7e308)}, "bounds"),
        ({"bounds": (0, 5e-324)}, "bounds"),
        ({"missing": "dorp"}, "drop"),
        ({"grid_points": 1}, "grid_points"),
        ({"grid_points": 1e9}, "grid_points"),
        ({"x": [[1, 2], [3, 4]]}, "x "),
    ],
)
def test_errors_name_the_argument(change, word):
    arguments = {"x": AGES, "q": 0.5, "epsilon": 1.0, "bounds": (0, 100), **change}
    with pytest.raises(pydpstat.PydpstatError, match=word):
        pydpstat.quantile(**arguments)


@pytest.mark.parametrize("qs", [[], 1.5, [0.5, 2.0], [None]])
def test_shares_are_checked(qs):
    with pytest.raises(pydpstat.PydpstatError, match="qs"):
        pydpstat.quantiles(AGES, qs, 1.0, bounds=(0, 100))


def test_the_budget_is_charged_before_a_choice(monkeypatch):
    ledger = Ledger()
    pydpstat.quantiles(AGES, [0.2, 0.8], 0.7, bounds=(0, 100), budget=ledger)
    assert [epsilon for epsilon, _ in ledger.spent] == [0.7]

    def never(size):
        raise AssertionError("bits were drawn")

    monkeypatch.setattr("pydpstat.random.secure._bits.entropy", never)
    with pytest.raises(pydpstat.PydpstatError, match="nothing is left"):
        pydpstat.median(AGES, 1.0, bounds=(0, 100), budget=Ledger(refuse=True))


def test_helpers_of_choices():
    for limit in (1, 2, 3, 300):
        drawn = [_weighted_choice.draw_integer_below(limit, SYSTEM) for _ in range(3000)]
        assert stats.chisquare(np.bincount(drawn, minlength=limit)).pvalue > FALSE_ALARM or limit == 1
        assert 0 <= min(drawn) and max(drawn) < limit
    places = _weighted_choice.draw_integers(20_000, 4, SYSTEM)
    assert stats.chisquare(np.bincount(places, minlength=16)).pvalue > FALSE_ALARM and places.max() == 15

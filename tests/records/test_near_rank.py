"""Counts near one rank: they give every grid point the utility that all records give it."""

import numpy as np
import pytest
from scipy.stats import chisquare

import pydpstat
from pydpstat._records import quantile_points
from pydpstat._records.ranks import RankTarget, count_window
from pydpstat.random._weighted_choice import choose_point_by_weight
from pydpstat.random.source import SYSTEM, source_from

N, GRID = 40_000, (0.0, 100.0, 1025)
RNG = np.random.default_rng(20_240_815)
NORMAL = RNG.normal(50.0, 12.0, N)
DATA = {
    "normal": NORMAL,
    "whole numbers": np.floor(NORMAL),
    "integers": NORMAL.astype(np.int64),
    "many zeros": np.where(RNG.random(N) < 0.45, 0.0, NORMAL),
    "one value": np.full(N, 38.5),
    "truth values": NORMAL > 50.0,
    "descending": np.sort(NORMAL)[::-1],
    "beyond the bounds": 10.0 * (NORMAL - 40.0),
    "with infinities": np.where(RNG.random(N) < 0.2, np.inf, np.where(RNG.random(N) < 0.2, -np.inf, NORMAL)),
}


def test_a_sample_that_tells_wrong_and_missing_values_are_noticed():
    x = NORMAL.copy()
    # every value that the sample can have
    x[:: N // 2**13] = 99.0
    assert count_window(x, GRID, RankTarget(0.5, 10.0)) is None
    x = NORMAL.copy()
    x[7] = np.nan
    assert count_window(x, GRID, RankTarget(0.5, 10.0)) is None
    assert count_window(np.full(N, np.nan), GRID, RankTarget(0.5, 10.0)) is None


@pytest.mark.parametrize("side", [-1, 1])
def test_the_ends_of_a_window_may_be_as_far_from_the_rank_as_the_tolerance(side):
    def count(n_outside):
        x = np.full(N, 50.0 - 30.0 * side)
        x[: 4 * n_outside // 3 + 1] = 50.0 + 30.0 * side
        # every value of the sample
        x[::4] = 50.0
        assert np.count_nonzero(x == 50.0 + 30.0 * side) == n_outside
        return count_window(x, (0.0, 100.0, 101), RankTarget(0.5, 10.0))

    # the median's rank is 20,000
    window = count(19_990)
    assert (window.size, window.first) == (N, 49) and window.counts.tolist() == [10_010, 10_000, 19_990][::side]
    assert count(19_991) is None


@pytest.mark.parametrize("name", ["normal", "integers", "many zeros", "truth values", "beyond the bounds"])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.filterwarnings("ignore:quantile was given q=1")
def test_releases_are_those_of_all_records(name, share, monkeypatch):
    own = {"bounds": (0, 100), "grid_points": 1025}
    found = [pydpstat.quantile(DATA[name], share, 0.01, **own, rng=seed).value for seed in range(8)]
    monkeypatch.setattr(quantile_points, "count_window", lambda *arguments: None)
    assert found == [pydpstat.quantile(DATA[name], share, 0.01, **own, rng=seed).value for seed in range(8)]


@pytest.mark.parametrize("missing", ["drop", 3.0])
def test_missing_values_are_treated_as_ever(missing):
    x = np.where(np.arange(N) % 7 == 0, np.nan, NORMAL)
    plain = x[~np.isnan(x)] if missing == "drop" else np.where(np.isnan(x), missing, x)
    own = {"bounds": (0, 100), "grid_points": 1025, "neighbors": "unbounded"}
    for seed in range(8):
        found = pydpstat.median(x, 0.01, missing=missing, **own, rng=seed)
        assert found.value == pydpstat.median(plain, 0.01, **own, rng=seed).value


@pytest.mark.slow
@pytest.mark.parametrize("least, seeded", [(-1.5, False), (-40.0, False), (-1.5, True)])
def test_choices_have_the_weights_of_all_points(least, seeded):
    utility = np.array([least, -1.0, 0.0, -0.25, least])
    points, first, draws = 12, 4, 20_000
    source = source_from(5) if seeded else SYSTEM
    drawn = [choose_point_by_weight(utility, first, points, 1, source, least) for _ in range(draws)]
    weights = np.full(points, np.exp(least))
    weights[first : first + utility.size] = np.exp(utility)
    if seeded:
        # of the likely points alone, as the others' weights are 0 in floating point where it is used
        weights[[place for place in range(points) if not first < place < first + 4]] = 0.0
    likely = weights * draws > 0.5
    seen = np.bincount(drawn, minlength=points)
    assert not seen[~likely].any()
    expected = weights[likely] / weights[likely].sum() * draws
    assert chisquare(seen[likely], expected).pvalue > 1e-3
    # and weights that are a tenth off are found
    wrong = expected * np.where(expected == expected.max(), 1.1, 1.0)
    assert chisquare(seen[likely], wrong / wrong.sum() * draws).pvalue < 1e-3

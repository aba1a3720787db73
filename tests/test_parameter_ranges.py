"""Estimates and intervals stay within the parameter's range, for every statistic that has one."""

import math
import pickle
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat as dp
from pydpstat import RRandom
from pydpstat.errors import PydpstatError

# so few records with so much noise that unrestricted values lie far outside
X = np.tile([0.0, 1.0, 2.0, 5.0], 5)
Y = np.tile([0.0, 0.0, 5.0, 5.0], 5)
FRAME = pd.DataFrame({"x": X, "y": Y})
N, EPSILON = X.size, 0.1
BY: dict[str, Any] = {"by": np.repeat(["a", "b"], 10), "levels": ["a", "b", "empty"], "other": None}
OPEN: dict[str, Any] = {"neighbors": "unbounded"}
UNIT: dict[str, Any] = {"bounds": (0, 5)}
WEIGHTS: dict[str, Any] = {"weights": np.ones(N), "max_weight": 2.0}
INFINITY = math.inf
# in the words of the mirrors
ENDS: dict[str, Any] = {"lower_bound": 0, "upper_bound": 5}
BINS: dict[str, Any] = {"breaks": [0, 2.5, 5]}
TABLE: dict[str, Any] = {"which_sensitivity": "unbounded", "allow_negative": True}
# the divisor n - 1 of 20 records, and of the two that a private number of them may be
LARGEST, OF_TWO = 6.25 * N / (N - 1), 12.5


def _numbers(function, limit, **options):
    """Return calls for both kinds of neighbors, by group, with the range of each."""
    public, private = limit
    frame = FRAME if function not in (dp.cov, dp.corr) else X
    more = () if frame is FRAME else (Y,)
    return [
        (public, lambda rng: function(frame, *more, EPSILON, **options, rng=rng)),
        (private, lambda rng: function(frame, *more, EPSILON, **options, **OPEN, rng=rng)),
        (private, lambda rng: function(frame, *more, EPSILON, **options, **BY, rng=rng)),
        (private, lambda rng: function(frame, *more, EPSILON, **options, **BY, **OPEN, rng=rng)),
    ]


CLIPPED = {
    "mean": _numbers(dp.mean, [(0.0, 5.0)] * 2, **UNIT),
    "var": _numbers(dp.var, [(0.0, LARGEST), (0.0, OF_TWO)], **UNIT),
    "std": _numbers(dp.std, [(0.0, math.sqrt(LARGEST)), (0.0, math.sqrt(OF_TWO))], **UNIT),
    "cov": _numbers(dp.cov, [(-LARGEST, LARGEST), (-OF_TWO, OF_TWO)], **UNIT),
    "corr": _numbers(dp.corr, [(-1.0, 1.0)] * 2, **UNIT),
    "proportion": [
        ((0.0, 1.0), lambda rng, how=how: dp.proportion(FRAME > 1, EPSILON, **how, rng=rng))
        for how in ({}, OPEN, BY, {**BY, **OPEN}, {"mechanism": "gaussian", "delta": 1e-6})
    ],
    "with population=True": [
        (limit, lambda rng, name=name, how=how: getattr(dp, name)(X, EPSILON, **UNIT, **how, rng=rng))
        for how in ({"population": True}, {"population": True, **OPEN}, {"population": True, **BY})
        for name, limit in (
            ("mean", (0.0, 5.0)),
            ("var", (0.0, LARGEST if len(how) == 1 else OF_TWO)),
            ("std", (0.0, math.sqrt(LARGEST if len(how) == 1 else OF_TWO))),
        )
    ],
    "quantiles": [((0.0, 5.0), lambda rng: dp.quantiles(X, [0, 0.5, 1], EPSILON, **UNIT, population=True, rng=rng))],
    "weighted": [
        ((0.0, 5.0), lambda rng: dp.weighted_mean(X, epsilon=EPSILON, **WEIGHTS, **UNIT, rng=rng)),
        ((0.0, 1.0), lambda rng: dp.weighted_proportion(X > 1, epsilon=EPSILON, **WEIGHTS, rng=rng)),
        ((0.0, 10.0 * N), lambda rng: dp.weighted_total(X, epsilon=EPSILON, **WEIGHTS, **UNIT, rng=rng)),
        ((0.0, 5.0), lambda rng: dp.weighted_quantile(X, q=0.5, epsilon=EPSILON, **WEIGHTS, **UNIT, rng=rng)),
    ],
}
# whose estimates are left as they were drawn
DRAWN = {
    "count": [
        ((0.0, most), lambda rng, how=how: dp.count(FRAME > 1, EPSILON, **how, rng=rng))
        for how, most in (({}, N), (OPEN, INFINITY), (BY, INFINITY), ({"sample": 10}, N))
    ],
    "sum": [
        ((0.0, most), lambda rng, how=how: dp.sum(FRAME, EPSILON, **UNIT, **how, rng=rng))
        for how, most in (({}, 5.0 * N), (OPEN, INFINITY), (BY, INFINITY), ({**BY, **OPEN}, INFINITY))
    ],
    "a sum below 0": [((-INFINITY, 0.0), lambda rng: dp.sum(-X, EPSILON, bounds=(-5, 0), **OPEN, rng=rng))],
    "cells": [
        ((0.0, N), lambda rng: dp.histogram(X, EPSILON, edges=[0, 1, 5], rng=rng)),
        ((0.0, INFINITY), lambda rng: dp.histogram(X, EPSILON, edges=[0, 1, 5], **BY, **OPEN, rng=rng)),
        ((0.0, N), lambda rng: dp.crosstab(X, EPSILON, levels=[0.0, 1.0], rng=rng)),
        ((0.0, INFINITY), lambda rng: dp.nunique(X, EPSILON, **OPEN, rng=rng)),
    ],
    "mirrors": [
        ((0.0, 5.0), lambda rng: dp.meanDP(X, EPSILON, 0, 5, rng=rng)),
        ((0.0, OF_TWO), lambda rng: dp.varDP(X, EPSILON, 0, 5, rng=rng)),
        ((0.0, math.sqrt(OF_TWO)), lambda rng: dp.sdDP(X, EPSILON, 0, 5, rng=rng)),
        ((-OF_TWO, OF_TWO), lambda rng: dp.covDP(X, Y, EPSILON, 0, 5, 0, 5, rng=rng)),
        ((0.0, INFINITY), lambda rng: dp.histogramDP(X, EPSILON, 0, 5, **BINS, allow_negative=True, rng=rng)),
        ((0.0, 1.0), lambda rng: dp.histogramDP(X, EPSILON, 0, 5, **BINS, normalize=True, rng=rng)),
        ((0.0, INFINITY), lambda rng: dp.tableDP(X > 1, eps=EPSILON, **TABLE, rng=rng)),
        ((0.0, OF_TWO), lambda rng: dp.pooledVarDP(X[:10], X[10:], eps=EPSILON, **ENDS, rng=rng)),
    ],
}
SEEDS = range(5)


def released(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dp.PrivacyWarning)
        return [call(RRandom(seed)) for seed in SEEDS]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CLIPPED, *DRAWN])
def test_intervals_are_in_the_range_and_never_empty(name):
    """And estimates are in their intervals, but for those that are left as they were drawn."""
    for (least, most), call in (CLIPPED | DRAWN)[name]:
        # a float's rounding
        most *= 1.0 + 1e-12
        for release in released(call):
            frame = release.to_frame()
            values, low, high = (frame[name].to_numpy() for name in ("estimate", "noise lower", "noise upper"))
            assert (low >= least).all() and (high <= most).all() and (low <= high).all(), release
            # a correlation of a variable with itself is 1, whatever the noise
            assert ((low < high) | (low == 1.0)).all(), release
            if name in CLIPPED:
                # a correlation may be missing
                known = ~np.isnan(values)
                values, low, high = values[known], low[known], high[known]
                assert name == "corr" or known.all()
                assert (values >= least).all() and (values <= most).all(), release
                assert (low <= values).all() and (values <= high).all(), release


@pytest.mark.parametrize("name", ["count", "cells", "sum"])
def test_what_is_to_add_up_is_left_as_it_was_drawn(name):
    values = np.concatenate([each.params.to_numpy() for _, call in DRAWN[name] for each in released(call)])
    assert (values < 0.0).any()


def test_the_standard_deviation_is_that_of_the_noise_before():
    release = dp.mean(X, EPSILON, **UNIT, rng=1)
    assert release.bse.iloc[0] == pytest.approx(math.sqrt(2.0) * 5.0 / N / EPSILON, rel=1e-12)
    assert release.postprocessing == ("clipped to the parameter's range",)
    assert "Post-processing: clipped to the parameter's range." in release.summary().as_text()
    # and so is the accuracy, which a plan says before
    planned = dp.plan("mean", EPSILON, n=N, **UNIT)
    assert release.accuracy() == pytest.approx(math.log(20.0) * 5.0 / N / EPSILON, rel=1e-12)
    # the plan's noise covers a grid, too
    assert planned.accuracy() == pytest.approx(release.accuracy(), rel=1e-5)


def test_an_interval_is_made_about_the_clipped_estimate():
    """Far outside no point is left of the unrestricted interval: that would be no interval at all."""
    seen = set()
    for seed in range(40):
        release, mirror = (
            dp.mean(np.zeros(N), EPSILON, **UNIT, rng=RRandom(seed)),
            dp.meanDP(np.zeros(N), EPSILON, 0, 5, rng=RRandom(seed)),
        )
        reach = release.accuracy()
        # with an R stream both have the same noise, and the mirror's number is R's
        assert float(release) == min(max(float(mirror), 0.0), 5.0)
        expected = [max(float(release) - reach, 0.0), min(float(release) + reach, 5.0)]
        assert release.conf_int().to_numpy()[0] == pytest.approx(expected, rel=1e-12)
        assert mirror.conf_int().equals(release.conf_int())
        seen.add(float(mirror) < -reach)
    assert seen == {False, True}


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("truth", [0.0, 2.0, 5.0])
def test_clipping_takes_no_coverage(truth, level):
    # each column is a release with its own noise and its share of epsilon
    runs = 1000
    release = dp.mean(np.full((N, runs), truth), runs * 0.5, **UNIT, rng=6)
    low, high = release.conf_int(1.0 - level).to_numpy().T
    covered = np.count_nonzero((low <= truth) & (truth <= high))
    # a false alarm in 100,000 tests
    assert covered >= stats.binom.ppf(1e-5, runs, level)
    # and of a truth far from both bounds no more than should be
    assert truth != 2.0 or covered <= stats.binom.isf(1e-5, runs, level)


def test_where_the_noise_leaves_no_interval_the_range_is_left():
    levels = {"by": ["a"] * N, "levels": list("abcdef"), "other": None, "rng": 3}
    for (least, most), release in (
        ((0.0, 1.0), dp.proportion(X > 1, EPSILON, **levels)),
        ((0.0, 5.0), dp.mean(X, EPSILON, **UNIT, **levels)),
        ((0.0, OF_TWO), dp.var(X, EPSILON, **UNIT, **levels)),
    ):
        unknown = release.bse.isna().to_numpy()
        assert unknown.any() and (release.conf_int().to_numpy()[unknown] == [least, most]).all()


def test_results_keep_the_range():
    release = dp.mean(FRAME, EPSILON, bounds=[(0, 5), (-3, 4)], rng=4)
    again = pickle.loads(pickle.dumps(release))
    assert again.conf_int().equals(release.conf_int()) and again.post == release.post
    moved = replace(release, value=release.value + 100.0)
    assert moved.conf_int()[1].tolist() == [5.0, 4.0]
    moved.plot()


def test_a_picture_of_a_count_below_its_interval(tmp_path):
    pytest.importorskip("matplotlib")
    for release in released(DRAWN["count"][3][1]):
        low, values = release.conf_int()[0].to_numpy(), release.params.to_numpy()
        if (values < low).any():
            release.plot().figure.savefig(tmp_path / "count.png")
            return
    raise AssertionError("no count below 0")


@pytest.mark.parametrize("call", [dp.median, dp.quantile, dp.quantiles, dp.medianDP, dp.quantileDP])
def test_a_quantile_without_an_interval_names_the_way_to_one(call):
    share = {dp.quantile: (0.5,), dp.quantiles: ([0.5],), dp.quantileDP: (0.5,)}.get(call, ())
    bounds = (0, 5) if call.__name__.endswith("DP") else ()
    release = call(X, *share, 1.0, *bounds, **({} if bounds else UNIT), rng=1)
    name = call.__name__.removesuffix("DP")
    for ask in (release.conf_int, release.accuracy):
        with pytest.raises(PydpstatError, match=f"pydpstat.{name} has intervals with population=True"):
            ask()
    assert "population=True" in release.summary().as_text()
    chosen = dp.choose(["a", "b"], [1, 2], 1.0, 1.0, rng=1)
    with pytest.raises(PydpstatError, match="Use the estimate alone"):
        chosen.conf_int()

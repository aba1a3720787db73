"""Few records, equal ones and ones beyond their bounds: every answer is a number within its range."""

import itertools
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp

UNIT, SHARES, SIGNED, LINE = (0.0, 1.0), (0.0, 1.0), (-1.0, 1.0), (-math.inf, math.inf)
BOUNDS = {"bounds": UNIT}
WEIGHTED = {**BOUNDS, "max_weight": 3}
LEVELS, PAIR = {"levels": ["a", "b"]}, {"levels": [["a", "b"]] * 2}
POPULATION = {"population": True, **BOUNDS}
BOTH, PUBLIC = ("bounded", "unbounded"), ("bounded",)


def letters(x):
    return np.where(x > 0.5, "b", "a")


def three(x):
    return pd.DataFrame({"x": x.repeat(2), "y": -x.repeat(2), "c": 1.0})


def by_group(x):
    return {"by": ["u"] * len(x), "levels": ["u", "empty"]}


# the range of what is estimated, the neighbors, and the call
CALLS = {
    "ttest_1samp": (UNIT, BOTH, lambda x, **o: dp.ttest_1samp(x, 0.5, **BOUNDS, **o)),
    "ttest_1samp, greater": (
        UNIT,
        PUBLIC,
        lambda x, **o: dp.ttest_1samp(x, 0.0, alternative="greater", **BOUNDS, **o),
    ),
    "ttest_1samp, exact": (
        UNIT,
        PUBLIC,
        lambda x, **o: dp.ttest_1samp(x, 1.0, **BOUNDS, **o, method="exact"),
    ),
    "ttest_rel": (SIGNED, PUBLIC, lambda x, **o: dp.ttest_rel(x, x, **BOUNDS, **o)),
    "ttest_ind": (SIGNED, PUBLIC, lambda x, **o: dp.ttest_ind(x, [0.2, 0.4], **BOUNDS, **o)),
    "f_oneway": (UNIT, BOTH, lambda x, **o: dp.f_oneway(x, np.append(x, x[0]), **BOUNDS, **o)),
    "binomtest": (SHARES, BOTH, lambda x, **o: dp.binomtest(x > 0.5, p=0.3, **o)),
    "proportions_test": (SIGNED, PUBLIC, lambda x, **o: dp.proportions_test(x > 0.5, [True], **o)),
    "proportions_test, ratio": (
        (0.0, math.inf),
        PUBLIC,
        lambda x, **o: dp.proportions_test(x > 0.5, [True], **o, compare="ratio"),
    ),
    "quantile_test": (SHARES, BOTH, lambda x, **o: dp.quantile_test(x, q=0.5, p=0.3, **o)),
    "quantile_test, no ties": (SHARES, BOTH, lambda x, **o: dp.quantile_test(x, q=0.5, ties=False, **o)),
    "chisquare": (SHARES, BOTH, lambda x, **o: dp.chisquare(letters(x), **LEVELS, **o)),
    "chi2_contingency": (
        SHARES,
        BOTH,
        lambda x, **o: dp.chi2_contingency(letters(x), letters(x), **PAIR, **o),
    ),
    "mannwhitneyu": (SHARES, PUBLIC, lambda x, **o: dp.mannwhitneyu(x, x[:1], **o)),
    "wilcoxon": (SIGNED, PUBLIC, lambda x, **o: dp.wilcoxon(x, **o)),
    "wilcoxon, pairs": (SIGNED, PUBLIC, lambda x, **o: dp.wilcoxon(x, -x, **o)),
    "kruskal": (LINE, PUBLIC, lambda x, **o: dp.kruskal(x, x[:1], x, **o)),
    "kendalltau": (SIGNED, PUBLIC, lambda x, **o: dp.kendalltau(x, x, **o)),
    "kstest": (LINE, PUBLIC, lambda x, **o: dp.kstest(x, "norm", **o)),
    "ks_2samp": (LINE, PUBLIC, lambda x, **o: dp.ks_2samp(x, x[:1], **o)),
    "any_test": (SHARES, PUBLIC, lambda x, **o: dp.any_test(x, lambda block: 0.01, **o)),
    "any_interval": (LINE, PUBLIC, lambda x, **o: dp.any_interval(x, np.mean, range=UNIT, **o)),
    "moments": (UNIT, BOTH, lambda x, **o: dp.moments(x, **BOUNDS, **o).ttest(0.5)),
    "mean": (UNIT, BOTH, lambda x, **o: dp.mean(x, **POPULATION, **o)),
    "std by group": (
        UNIT,
        BOTH,
        lambda x, **o: dp.std(x.repeat(2), **POPULATION, **by_group(x.repeat(2)), **o),
    ),
    "quantiles": (UNIT, PUBLIC, lambda x, **o: dp.quantiles(x, [0, 0.5], **POPULATION, **o)),
    "corr": (SIGNED, BOTH, lambda x, **o: dp.corr(three(x), **BOUNDS, **o)),
    "proportion": (SHARES, BOTH, lambda x, **o: dp.proportion(x > 0.5, **o)),
    "proportion by group": (SHARES, BOTH, lambda x, **o: dp.proportion(x > 0.5, **by_group(x), **o)),
    "crosstab": (SHARES, BOTH, lambda x, **o: dp.crosstab(letters(x), **LEVELS, **o)),
    "histogram": (SHARES, BOTH, lambda x, **o: dp.histogram(x, edges=[0, 0.5, 1], **o)),
    "weighted_mean": (UNIT, BOTH, lambda x, **o: dp.weighted_mean(x, np.ones(x.size), **WEIGHTED, **o)),
    "weighted_quantile": (
        UNIT,
        BOTH,
        lambda x, **o: dp.weighted_quantile(x, np.ones(x.size), q=0.5, bins=8, **WEIGHTED, **o),
    ),
}
RECORDS = {
    "one": [0.5],
    "two beyond": [9.0, 9.0],
    "far apart": [-1e300, 1e308, 1e308],
    "infinite": [math.inf, -math.inf],
    "equal": [0.3] * 5,
    "at both ends": [0.0, 1.0, 1.0, 0.0],
}
EPSILONS = (0.001, 1.0, 100.0)


def ends(result, alpha):
    """The intervals at a level, a row each; of the population where there is one of the noise, too."""
    kind = {"kind": "population"} if isinstance(result, dp.DPResults) else {}
    return np.atleast_2d(np.asarray(result.conf_int(alpha, **kind), dtype=float)).T


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("records", RECORDS)
def test_p_values_and_intervals_are_in_their_ranges(name, records):
    (least, most), kinds, call = CALLS[name]
    for epsilon, neighbors in itertools.product(EPSILONS, kinds):
        result = call(np.array(RECORDS[records]), epsilon=epsilon, neighbors=neighbors, rng=1)
        assert result.summary().as_text()
        if not isinstance(result, dp.DPResults):
            assert result.pvalue is None or 0.0 <= result.pvalue <= 1.0
            assert result.statistic is None or math.isfinite(result.statistic)
            assert all(least <= each <= most for _, each in result.estimates)
            if result.interval is None:
                continue
        (low, high), (lower, higher) = ends(result, 0.5), ends(result, 1e-6)
        assert (least <= lower).all() and (lower <= low).all() and (low <= high).all()
        # a float's rounding
        assert (high <= higher).all() and (higher <= most * (1.0 + 1e-12)).all()


@pytest.mark.parametrize("name", ["binomtest", "proportions_test", "proportions_test, ratio", "quantile_test"])
@pytest.mark.parametrize("epsilon", [1e-300, 1e300])
def test_counts_can_have_any_noise(name, epsilon):
    (least, most), kinds, call = CALLS[name]
    for neighbors in kinds:
        result = call(np.linspace(0.0, 1.0, 40), epsilon=epsilon, neighbors=neighbors, rng=1)
        assert 0.0 <= result.pvalue <= 1.0
        assert result.interval is None or least <= result.conf_int().low < result.conf_int().high <= most


FITS = {
    "moments": (dp.ols, {}),
    "private number": (dp.ols, {"neighbors": "unbounded"}),
    "robust": (dp.ols, {"cov_type": "HC3"}),
    "robust, private number": (dp.ols, {"cov_type": "HC3", "neighbors": "unbounded"}),
    "rank": (dp.ols, {"method": "rank", "interval": True}),
    "logit": (dp.logit, {}),
    "logit, private number": (dp.logit, {"neighbors": "unbounded"}),
}
DRAWN = np.random.default_rng(5).uniform(-1, 1, (3, 5))
PREDICTORS = {
    "random": (DRAWN[1], DRAWN[2]),
    "constant": (np.full(5, 0.5), np.full(5, 0.5)),
    "outside": (DRAWN[1] + 9.0, DRAWN[2] + 9.0),
    "collinear": (DRAWN[1], DRAWN[1]),
}


@pytest.mark.slow
@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize(
    ("how", "n", "epsilon"),
    [
        ("random", 0, 1.0),
        ("random", 1, 100.0),
        ("random", 5, 0.001),
        ("constant", 2, 100.0),
        ("outside", 5, 100.0),
        ("collinear", 5, 100.0),
        ("one level", 2, 0.001),
        ("one level", 5, 100.0),
    ],
)
def test_regressions_have_whole_lines_and_never_nan(how, n, epsilon, fit):
    call, own = FITS[fit]
    n = max(n, 0 if "neighbors" in own else 1)
    a, b = PREDICTORS.get(how, PREDICTORS["random"])
    y = DRAWN[0][:n] if call is dp.ols else DRAWN[0][:n] > 0.0
    data = {"y": y, "a": a[:n], "b": b[:n], "g": ["u"] * n}
    formula, levels = ("y ~ a + C(g)", {"g": ["u", "v"]}) if how == "one level" else ("y ~ a + b", None)
    bounds = {name: (-1, 1) for name in "yab"[call is dp.logit :] if name in formula}
    r = call(formula, data, epsilon, bounds=bounds, levels=levels, rng=5, **own)
    low, high = r.conf_int().to_numpy().T
    told = [r.bse, r.tvalues, r.pvalues, r.conf_int().stack(), r.conf_int(1e-6).stack()]
    assert not any(each.isna().any() for each in told)
    # an estimate is missing where nothing is known, and nowhere else
    assert (r.params.isna() == np.isinf(r.bse)).all()
    assert r.pvalues.between(0.0, 1.0).all() and (low <= high).all()
    assert pickle.loads(pickle.dumps(r)).released == r.released and "nan" not in str(r.summary())
    # the noise is thousands of times the data
    assert epsilon > 1.0 or np.isinf(r.conf_int().loc["a"]).any()


@pytest.mark.parametrize(("n", "epsilon"), [(1, 1.0), (2, 100.0), (3, 1e-3), (3, 100.0)])
def test_three_records_say_nothing_of_a_slope_by_ranks(n, epsilon):
    x = np.arange(float(n))
    fit = dp.ols(x, x, epsilon, bounds=(0, 5), method="rank", interval=True, rng=1)
    assert fit.conf_int(1e-6).to_numpy()[0].tolist() == [-math.inf, math.inf]
    # an interval without ends is a dash
    assert any(line.split()[-2:] == ["-", "-"] for line in fit.summary().as_text().splitlines())

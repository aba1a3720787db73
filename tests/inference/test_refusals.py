"""What tests and intervals refuse: the message names the argument, and nothing is spent."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat as dp

X = np.linspace(20.0, 60.0, 60)
ANSWERS = ["a", "b", "b", "c"] * 30
ABC = ["a", "b", "c"]
FRAME = pd.DataFrame({"y": X, "x": X[::-1], "w": 1.0, "region": ["a", "b", "c"] * 20, "yes": X > 40.0, "hole": np.nan})
UNIT, WIDE, WEIGHTED = {"bounds": (0, 1)}, {"bounds": (0, 100)}, {"bounds": (0, 1), "max_weight": 1}
BY, STRATA = {"by": "region", "levels": ABC}, {"strata": FRAME.region.to_numpy(), "levels": ABC}
OPEN = {"neighbors": "unbounded"}
MOMENTS = dp.moments(X, 1.0, **WIDE, rng=1)


def t_test(block):
    return stats.ttest_1samp(block, 0.0)


def blocks(test=t_test, epsilon=1.0, data=X, **own):
    return dp.any_test(data, test, epsilon, **own)


def ends_of_blocks(estimator=np.mean, **own):
    return dp.any_interval(X, estimator, 1.0, **{"range": (0, 1), **own})


def chisquare(data=ANSWERS, **own):
    return dp.chisquare(data, 1.0, **own)


def ols(formula="y ~ x", **own):
    return dp.ols(formula, FRAME, 1.0, **{"bounds": {"y": (0, 99), "x": (0, 99)}, **own})


def logit(formula="yes ~ x", data=FRAME, epsilon=1.0, **own):
    return dp.logit(formula, data, epsilon, **{"bounds": {"x": (0, 99)}, **own})


REFUSED = [
    (lambda: dp.ttest_1samp(X, 101, 1.0, **WIDE), "popmean must be a number within the bounds"),
    (lambda: dp.ttest_1samp(X, 40, 1.0, **WIDE, method="z"), "method must be"),
    (lambda: dp.ttest_1samp(X, 4, 1.0, **WIDE, **OPEN, method="exact"), "'bounded' with method 'exact'"),
    (lambda: dp.ttest_1samp([], 40, 1.0, **WIDE), "a must have at least 1 record"),
    (lambda: dp.ttest_ind(X, [], 1.0, **WIDE), "b must have at least 1 record"),
    (lambda: dp.ttest_ind(X, X, 1.0, **WIDE, equal_var=True), "equal_var must be False"),
    (lambda: dp.ttest_rel(X, X[1:], 1.0, **WIDE), "same length"),
    (lambda: dp.ttest_rel(X, X, 1.0, bounds=(1, 2)), "bounds must contain 0"),
    (lambda: dp.f_oneway([0.5], epsilon=1.0, **UNIT), "samples must be 2 to 100 groups; got 1"),
    (lambda: dp.f_oneway([0.5], [], epsilon=1.0, **UNIT), "sample2 must have at least 1 record"),
    (lambda: dp.f_oneway([0.5], [0.5], epsilon=1.0, **UNIT, shape="t"), "shape must be"),
    (lambda: dp.f_oneway(X, X, epsilon=1e-12, **UNIT), "epsilon must be at least 1e-09"),
    (lambda: dp.moments([], 1.0, **UNIT), "data must have at least 1 record"),
    (lambda: dp.moments(X, 1.0, **UNIT, mechanism="staircase"), "mechanism must be"),
    (lambda: MOMENTS.ttest(101), "popmean must be"),
    (lambda: MOMENTS.conf_int(0.95), "alpha must be"),
    (lambda: MOMENTS.conf_int(column="x"), "column must be None"),
    (lambda: dp.mannwhitneyu(X, X, 1.0, alternative="larger"), "alternative must be one of"),
    (lambda: dp.mannwhitneyu(X, [1.0, None], 1.0), "missing must say how to treat missing"),
    (lambda: dp.kruskal(X, epsilon=1.0), "samples must be two or more groups; got 1"),
    (lambda: dp.kendalltau(X, X[1:], 1.0), "x and y must have the same length"),
    (lambda: dp.wilcoxon(X, 1.0, cap=61), "cap must be from 1 to the number of records, 60"),
    (lambda: dp.wilcoxon([], 1.0), "x must have at least 1 record"),
    (lambda: dp.kstest(X, "poisson", 1.0), "cdf must be a continuous distribution of scipy.stats"),
    (lambda: dp.kstest(X, "gamma", 1.0), "args must be the parameters of 'gamma'"),
    (lambda: dp.kstest(X, X, 1.0), "For two samples use ks_2samp"),
    (lambda: dp.binomtest([1, 0], 1.0), "condition must be truth values"),
    (lambda: dp.binomtest([], 1.0), "condition must have at least 1 record"),
    (lambda: dp.binomtest([True], 1.0, p=1.5), "p must be a number from 0 to 1"),
    (lambda: dp.binomtest([True, None], 1.0), "missing must say how to treat missing"),
    (lambda: dp.binomtest([True], 0.0), "epsilon must be"),
    (lambda: dp.proportions_test([True], [True], 1.0, compare="odds"), "compare must be one of"),
    (lambda: dp.proportions_test([True], [True], 1.0, value=1.0), "value must be a difference between"),
    (lambda: dp.proportions_test([True], [True], 1.0, compare="ratio", value=0), "a positive finite number;"),
    (lambda: dp.proportions_test([True], [], 1.0), "condition2 must have at least 1 record"),
    (lambda: dp.proportions_test([True], [True], 1.0, **OPEN), r"for proportions_test.*ion\(.*difference"),
    (lambda: dp.quantile_test(X, 1.0, p=0.0), "p must be above 0 and below 1"),
    (lambda: dp.quantile_test(X, 1.0, q=np.inf), "q must be a finite number"),
    (lambda: dp.quantile_test(X, 1.0, ties="no"), "ties must be True or False"),
    (lambda: dp.quantile_test(np.ones((3, 2)), 1.0), "x must be one variable"),
    (lambda: dp.quantile_test([np.nan], 1.0), "missing must say how to treat missing"),
    (lambda: dp.quantile_test([], 1.0), "x must have at least 1 record"),
    (lambda: chisquare(), "levels must be given"),
    (lambda: chisquare(levels="discover"), "levels must not be 'discover'"),
    (lambda: chisquare({"x": ANSWERS, "y": ANSWERS}, levels=[["a"], ["b"]]), "must be one variable"),
    (lambda: chisquare(levels=ABC, f_exp=[1, 2]), "f_exp must have a positive finite number"),
    (lambda: chisquare(levels=ABC, f_exp=[1, 2, 0]), "for each"),
    (lambda: chisquare(levels=ABC, f_exp={"a": 1}), "f_exp must name every level"),
    (lambda: chisquare(levels=range(1_001)), "levels must"),
    (lambda: dp.chi2_contingency(ANSWERS, ["u"], 1.0, levels=[ABC, ["u"]]), "have the same length"),
    (lambda: blocks(3), "test must be a function"),
    (lambda: blocks(blocks=0), "blocks must be a whole number"),
    (lambda: blocks(level=1.0), "level must be a number between 0 and 1"),
    (lambda: blocks(**OPEN), "blocks must be given with neighbors 'unbounded'"),
    (lambda: blocks(**OPEN, blocks=3, null=t_test), "null must be None"),
    (lambda: blocks(data=iter([1.0])), "data must be records in memory"),
    (lambda: blocks(data=np.empty(0)), "data must have at least 1 record"),
    (lambda: blocks(epsilon=1e-12), "epsilon must be at least 1e-09"),
    (lambda: ends_of_blocks(limit="both", level=0.1), "limit must be one of"),
    (lambda: ends_of_blocks(limit="lower"), "level must be above 0 and at most 0.5"),
    (lambda: ends_of_blocks(limit="lower", level=0.7), "level must be above 0 and at most 0.5"),
    (lambda: ends_of_blocks(level=0.1), "level must be None if limit is None"),
    (lambda: ends_of_blocks(range=(1, 0)), "range must be a pair"),
    (lambda: ends_of_blocks(range=(-1.7e308, 1.7e308)), "range must be between 1e-290 and 1e"),
    (lambda: ends_of_blocks("mean"), "estimator must be a function"),
    (lambda: dp.weighted_mean([1], [1], 1.0, bounds=(0, 1), max_weight=0), "max_weight must be"),
    (lambda: dp.weighted_mean([1, 2], [1], 1.0, **WEIGHTED), "data and weights must have the same length"),
    (lambda: dp.weighted_mean([1], [1], 1.0, **WEIGHTED, missing=0.5), "missing must be 'error' or 'drop'"),
    (lambda: dp.weighted_mean([], [], 1.0, **WEIGHTED), "at least 1 record"),
    (lambda: dp.weighted_mean(X, "w", 1.0, **WEIGHTED), "must have a weight for each record"),
    (lambda: dp.weighted_mean(FRAME[["x", "w"]], "wt", 1.0, **WEIGHTED), "weights must be a column.*'wt'"),
    (lambda: dp.weighted_mean(FRAME, "w", 1.0, **BY, **WEIGHTED), "must have one variable apart from"),
    (lambda: dp.weighted_mean(X, X, 1.0, by=X, **WEIGHTED), "levels must be given with by"),
    (lambda: dp.weighted_mean(X, X, 1.0, by=X, **STRATA, **WEIGHTED), "strata must be left out with by"),
    (lambda: dp.weighted_total(X, X, 1.0, strata=X, **WEIGHTED), "levels must be given with strata"),
    (
        lambda: dp.weighted_mean(FRAME[["x", "w"]], "w", 1.0, strata="s", levels=ABC, **WEIGHTED),
        "strata must be a column of the data",
    ),
    (lambda: dp.weighted_quantile([1], [1], 1.5, 1.0, **WEIGHTED), "q must be"),
    (lambda: dp.weighted_quantile([1], [1], 0.5, 1.0, bins=4, **WEIGHTED), "bins must be"),
    (lambda: ols(**OPEN, method="rank"), "neighbors must be 'bounded' for a regression by ranks"),
    (lambda: ols(missing="drop"), "missing must not be 'drop' with neighbors 'bounded'"),
    (lambda: ols(missing=199.0), "within the bounds"),
    (lambda: ols(bounds={"y": (0, 1)}), "bounds must name every column"),
    (lambda: ols(bounds=[(0, 1)]), "bounds must be one pair, or one for each"),
    (lambda: ols(method="lasso"), "method must be one of"),
    (lambda: ols(coefficients="x"), "left out with method 'moments'"),
    (lambda: ols(method="rank", coefficients="w"), "coefficients must be names of slopes"),
    (lambda: ols(method="rank", mechanism="gaussian", delta=1e-6), "mechanism must be one of"),
    (lambda: ols(levels={"w": [1, 2]}), "levels must be of columns of the model"),
    (lambda: ols(levels={"x": [1]}), "must be two or more"),
    (lambda: ols(null=math.inf), "null must be a finite number"),
    (lambda: ols(cov_type="HC1"), "cov_type must be one of {'nonrobust', 'HC3'}; got 'HC1'"),
    (lambda: ols(cov_type=None), "cov_type must be"),
    (lambda: ols(cov_type="HC3", method="rank"), "cov_type must be left out with method 'rank'"),
    (lambda: logit("yes ~ log(x)"), "lower bound is above 0, where log is defined"),
    (lambda: logit("yes ~ x + C(region)"), "levels must include the public levels of 'region'"),
    (lambda: logit("yes ~ x + C(region)", bounds=None, levels={"region": ABC}), "bounds must be a pair"),
    (lambda: logit("yes ~ x + w"), r"it lacks 'w', for the columns \['x', 'w'\]"),
    (lambda: logit("yes ~ x + w", bounds=[(0, 99)]), r"each numeric variable.*\['x', 'w'\]; got 1"),
    (lambda: logit(bounds={"z": (0, 1)}), "bounds must name every column"),
    (lambda: logit(missing="drop"), "missing must not be 'drop'"),
    (lambda: logit("yes ~ hole", bounds=(0, 1)), "missing must say how to treat missing"),
    (lambda: logit(data=FRAME[:0]), "data must have at least 1 record"),
    (lambda: logit(epsilon=0.0), "epsilon must be"),
    (lambda: logit(epsilon=1e-300), "epsilon must be at least 1e-09"),
]


@pytest.mark.parametrize(("call", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_the_message_names_the_argument_and_nothing_is_spent(call, said):
    with dp.Budget.odometer() as budget, pytest.raises(dp.PydpstatError, match=said):
        call()
    assert not budget.entries

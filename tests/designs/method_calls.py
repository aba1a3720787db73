"""How each function is asked of a design, and the same call alone."""

import numpy as np
import pandas as pd

import pydpstat as dp
from pydpstat.statistics._catalog import COLUMN_STATISTICS, list_statistics

N = 1200
RNG = np.random.default_rng(20_241_003)
FRAME = pd.DataFrame(
    {
        "person": np.arange(N) // 2,
        "w": RNG.uniform(0.5, 2.0, N),
        "income": RNG.lognormal(10.0, 0.5, N),
        "age": RNG.uniform(0.0, 100.0, N),
        "region": RNG.choice(["n", "s", "w"], N),
        "sex": RNG.choice(["f", "m"], N),
        "employed": RNG.random(N) < 0.6,
        "before": RNG.uniform(0.0, 1.0, N),
        "after": RNG.uniform(0.0, 1.0, N),
        "note": "x",
    }
)
BOUNDS = {"income": (0, 200_000), "age": (0, 110), "w": (0, 3), "before": (0, 1), "after": (0, 1)}
LEVELS = {"region": ["n", "s", "w"], "sex": ["f", "m"], "employed": [False, True]}
INCOME, AGE, REGION, SEX = (FRAME[name] for name in ("income", "age", "region", "sex"))
ONE = {"bounds": BOUNDS["income"]}
TWO = {"bounds": {"income": BOUNDS["income"], "age": BOUNDS["age"]}}
OPEN = {"neighbors": "unbounded"}
# samples have the names of their groups
SEXES = [INCOME[SEX == level].rename(level) for level in LEVELS["sex"]]
REGIONS = [INCOME[REGION == level].rename(level) for level in LEVELS["region"]]
EMPLOYED = [FRAME.employed[SEX == level].rename(level) for level in LEVELS["sex"]]


def sized(**more):
    return dp.design(FRAME, bounds=BOUNDS, levels=LEVELS, weights="w", neighbors="bounded", **more)


def unsized(**more):
    return dp.design(FRAME, bounds=BOUNDS, levels=LEVELS, **more)


def _column_case(name):
    return (
        lambda how=sized: getattr(how(), name)("income", 0.5, rng=5),
        lambda: getattr(dp, name)(INCOME, 0.5, **ONE, rng=5),
    )


def _pairs_case(name):
    return (
        lambda how=sized: getattr(how(), name)(["income", "age"], 0.5, rng=5),
        lambda: getattr(dp, name)(FRAME[["income", "age"]], epsilon=0.5, **TWO, rng=5),
    )


def _condition_case(name):
    return (
        lambda how=unsized: getattr(how(), name)("employed", 0.5, rng=5),
        lambda: getattr(dp, name)(FRAME.employed, 0.5, **OPEN, rng=5),
    )


# method: how it is asked of a design, of whatever data `how` makes it, and the same call alone
CASES = {
    **{name: _column_case(name) for name in COLUMN_STATISTICS},
    **{name: _pairs_case(name) for name in list_statistics("pairs")},
    **{name: _condition_case(name) for name in list_statistics("conditions")},
    "any_interval": (
        lambda how=sized: how().any_interval("age", np.mean, 0.5, range=(0, 110), rng=5),
        lambda: dp.any_interval(AGE, np.mean, 0.5, range=(0, 110), rng=5),
    ),
    "any_test": (
        lambda how=sized: how().any_test("age", lambda x: float(np.mean(x) < 0.0), 0.5, rng=5),
        lambda: dp.any_test(AGE, lambda x: float(np.mean(x) < 0.0), 0.5, rng=5),
    ),
    "binomtest": (
        lambda how=sized: how().binomtest("employed", 0.5, p=0.5, rng=5),
        lambda: dp.binomtest(FRAME.employed, 0.5, p=0.5, rng=5),
    ),
    "chi2_contingency": (
        lambda how=sized: how().chi2_contingency(["region", "sex"], 0.5, rng=5),
        lambda: dp.chi2_contingency(
            REGION, SEX, 0.5, levels={"region": LEVELS["region"], "sex": LEVELS["sex"]}, other="other", rng=5
        ),
    ),
    "chisquare": (
        lambda how=unsized: how().chisquare("region", 0.5, rng=5),
        lambda: dp.chisquare(REGION, 0.5, levels=LEVELS["region"], other="other", **OPEN, rng=5),
    ),
    "cov": (
        lambda how=unsized: how().cov(["income", "age"], 0.5, rng=5),
        lambda: dp.cov(FRAME[["income", "age"]], epsilon=0.5, **TWO, **OPEN, rng=5),
    ),
    "crosstab": (
        lambda how=unsized: how().crosstab(["region", "employed"], 0.5, rng=5),
        lambda: dp.crosstab(
            FRAME[["region", "employed"]],
            0.5,
            levels={"region": LEVELS["region"], "employed": LEVELS["employed"]},
            **OPEN,
            rng=5,
        ),
    ),
    "f_oneway": (
        lambda how=sized: how().f_oneway("income ~ region", 0.5, rng=5),
        lambda: dp.f_oneway(*REGIONS, epsilon=0.5, **ONE, rng=5),
    ),
    "histogram": (
        lambda how=sized: how().histogram("age", 0.5, edges=[0, 50, 110], rng=5),
        lambda: dp.histogram(AGE, 0.5, edges=[0, 50, 110], rng=5),
    ),
    "kendalltau": (
        lambda how=sized: how().kendalltau(["income", "age"], 0.5, rng=5),
        lambda: dp.kendalltau(INCOME, AGE, 0.5, rng=5),
    ),
    "kruskal": (
        lambda how=sized: how().kruskal("income ~ region", 0.5, rng=5),
        lambda: dp.kruskal(*REGIONS, epsilon=0.5, rng=5),
    ),
    "ks_2samp": (
        lambda how=sized: how().ks_2samp("income ~ sex", 0.5, rng=5),
        lambda: dp.ks_2samp(*SEXES, 0.5, rng=5),
    ),
    "kstest": (
        lambda how=sized: how().kstest("before", "uniform", 0.5, rng=5),
        lambda: dp.kstest(FRAME.before, "uniform", 0.5, rng=5),
    ),
    "logit": (
        lambda how=sized: how().logit("employed ~ age + C(sex)", 0.5, rng=5),
        lambda: dp.logit(
            "employed ~ age + C(sex)",
            FRAME,
            0.5,
            bounds={"age": BOUNDS["age"]},
            levels={"employed": [False, True], "sex": LEVELS["sex"]},
            rng=5,
        ),
    ),
    "mannwhitneyu": (
        lambda how=sized: how().mannwhitneyu("income ~ sex", 0.5, rng=5),
        lambda: dp.mannwhitneyu(*SEXES, 0.5, rng=5),
    ),
    "mean": (
        lambda how=unsized: how().mean("income", 0.5, by=["region", "sex"], rng=5),
        lambda: dp.mean(
            FRAME[["income", "region", "sex"]],
            0.5,
            by=["region", "sex"],
            levels={"region": LEVELS["region"], "sex": LEVELS["sex"]},
            **ONE,
            **OPEN,
            rng=5,
        ),
    ),
    "median": (
        lambda how=sized: how().median("age", 0.5, population=True, rng=5),
        lambda: dp.median(AGE, 0.5, bounds=BOUNDS["age"], population=True, rng=5),
    ),
    "moments": (
        lambda how=sized: how().moments(["income", "age"], 0.5, rng=5),
        lambda: dp.moments(FRAME[["income", "age"]], 0.5, **TWO, rng=5),
    ),
    "nunique": (
        lambda how=unsized: how().nunique("note", 0.5, rng=5),
        lambda: dp.nunique(FRAME.note, 0.5, **OPEN, rng=5),
    ),
    "ols": (
        lambda how=sized: how().ols("income ~ age + C(sex)", 0.5, rng=5),
        lambda: dp.ols("income ~ age + C(sex)", FRAME, 0.5, **TWO, levels={"sex": LEVELS["sex"]}, rng=5),
    ),
    "proportion": (
        lambda how=sized: how().proportion("employed", 0.5, by="sex", rng=5),
        lambda: dp.proportion(FRAME[["employed", "sex"]], 0.5, by="sex", levels=LEVELS["sex"], rng=5),
    ),
    "proportions_test": (
        lambda how=sized: how().proportions_test("employed ~ sex", 0.5, rng=5),
        lambda: dp.proportions_test(*EMPLOYED, 0.5, rng=5),
    ),
    "quantile": (
        lambda how=unsized: how().quantile("age", 0.3, 0.5, rng=5),
        lambda: dp.quantile(AGE, 0.3, 0.5, bounds=BOUNDS["age"], **OPEN, rng=5),
    ),
    "quantile_test": (
        lambda how=sized: how().quantile_test("age", 0.5, q=50, rng=5),
        lambda: dp.quantile_test(AGE, 0.5, q=50, rng=5),
    ),
    "quantiles": (
        lambda how=sized: how().quantiles("age", [0.2, 0.8], 0.5, rng=5),
        lambda: dp.quantiles(AGE, [0.2, 0.8], 0.5, bounds=BOUNDS["age"], rng=5),
    ),
    "sum": (
        lambda how=unsized: how(unit="person", max_records=2).sum("income", 0.5, by="sex", rng=5),
        lambda: dp.sum(
            FRAME[["income", "sex", "person"]],
            0.5,
            by="sex",
            levels=LEVELS["sex"],
            unit="person",
            max_records=2,
            **ONE,
            **OPEN,
            rng=5,
        ),
    ),
    "ttest_1samp": (
        lambda how=sized: how().ttest_1samp("age", 50, 0.5, rng=5),
        lambda: dp.ttest_1samp(AGE, 50, 0.5, bounds=BOUNDS["age"], rng=5),
    ),
    "ttest_ind": (
        lambda how=sized: how().ttest_ind("income ~ sex", 0.5, rng=5),
        lambda: dp.ttest_ind(*SEXES, 0.5, **ONE, rng=5),
    ),
    "ttest_rel": (
        lambda how=sized: how().ttest_rel(["before", "after"], 0.5, rng=5),
        lambda: dp.ttest_rel(FRAME.before, FRAME.after, 0.5, bounds=(-1, 1), rng=5),
    ),
    "var": (
        lambda how=sized: how().var(["income", "age"], 0.5, rng=5),
        lambda: dp.var(FRAME[["income", "age"]], 0.5, **TWO, rng=5),
    ),
    "weighted_mean": (
        lambda how=sized: how().weighted_mean("income", 0.5, rng=5),
        lambda: dp.weighted_mean(INCOME, FRAME.w, 0.5, max_weight=3, **ONE, rng=5),
    ),
    "weighted_proportion": (
        lambda how=sized: how().weighted_proportion("employed", 0.5, rng=5),
        lambda: dp.weighted_proportion(FRAME.employed, FRAME.w, 0.5, max_weight=3, rng=5),
    ),
    "weighted_quantile": (
        lambda how=sized: how().weighted_quantile("income", 0.5, 0.5, rng=5),
        lambda: dp.weighted_quantile(INCOME, FRAME.w, 0.5, 0.5, max_weight=3, **ONE, rng=5),
    ),
    "weighted_total": (
        lambda how=sized: how().weighted_total("income", 0.5, rng=5),
        lambda: dp.weighted_total(INCOME, FRAME.w, 0.5, max_weight=3, **ONE, rng=5),
    ),
    "wilcoxon": (
        lambda how=sized: how().wilcoxon(["before", "after"], 0.5, rng=5),
        lambda: dp.wilcoxon(FRAME.before, FRAME.after, 0.5, rng=5),
    ),
}


# whose declared bounds and levels each of them rests on; the others rest on none
BOUNDED = {
    **{name: ["income"] for name in COLUMN_STATISTICS},
    **{name: ["income", "age"] for name in list_statistics("pairs")},
    "f_oneway": ["income"],
    "logit": ["age"],
    "median": ["age"],
    "moments": ["income", "age"],
    "ols": ["income", "age"],
    "quantile": ["age"],
    "quantiles": ["age"],
    "ttest_1samp": ["age"],
    "ttest_ind": ["income"],
    "ttest_rel": ["before", "after"],
    "var": ["income", "age"],
    "weighted_mean": ["income", "w"],
    "weighted_proportion": ["w"],
    "weighted_quantile": ["income", "w"],
    "weighted_total": ["income", "w"],
}
LEVELED = {
    "chi2_contingency": ["region", "sex"],
    "chisquare": ["region"],
    "crosstab": ["region", "employed"],
    "f_oneway": ["region"],
    "kruskal": ["region"],
    "ks_2samp": ["sex"],
    "logit": ["employed", "sex"],
    "mannwhitneyu": ["sex"],
    "mean": ["region", "sex"],
    "ols": ["sex"],
    "proportion": ["sex"],
    "proportions_test": ["sex"],
    "sum": ["sex"],
    "ttest_ind": ["sex"],
}

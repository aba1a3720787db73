"""What is done in another way here than words for arguments of R, pandas, SciPy and statsmodels say."""

from __future__ import annotations

from pydpstat._words import LOWER, SAME, UPPER

# the data themselves, which come first without a name
_DATA = ("data", "x", "y", "X", "df", "frame", "dataset", "dataframe", "endog", "exog")
_SUBSETS = ("subset", "where", "filter", "query")
_WEIGHTS = ("weights", *SAME["weights"])
_QUANTILES = ("median", "quantile", "quantiles", "weighted_quantile")
_RANKS = ("kendalltau", "mannwhitneyu", "wilcoxon")
# words for what is done in another way here: in every release; in those named before a dot; in methods of a
# design, which have a dot alone
_WAYS = {
    "missing='drop' leaves missing values out, with neighbors='unbounded'; a number replaces them": (
        "na_rm",
        "skipna",
        "dropna",
        "nan_policy",
        "na_action",
    ),
    "var, std and cov divide by n - 1, as R's do": ("ddof",),
    "the result has intervals of every level: result.conf_int(alpha=0.05)": (
        "conf_level",
        "confidence_level",
        "alpha",
        "level",
    ),
    "ttest_rel(before, after, ...) and wilcoxon(before, after, ...) test pairs": ("paired",),
    "ttest_ind is Welch's test, which does not assume equal variances": ("var_equal",),
    "weighted_mean, weighted_total, weighted_proportion and weighted_quantile take weights": (*_WEIGHTS,),
    "the bounds of weights are declared once: dp.design(frame, bounds={{'w': (0, 3)}}, weights='w')": (
        ".max_weight",
        ".max_weights",
        ".weight_bound",
    ),
    "the released table has shares: crosstab(...).shares()": ("normalize",),
    "the released table has margins: crosstab(..., margins=True) or crosstab(...).margins()": ("margins",),
    "the data come first: {example}": _DATA,
    "a design has its data: leave it out": tuple(f".{word}" for word in _DATA),
    "a plan costs nothing": ("plan.budget",),
    "the sensitivity follows from the bounds and levels": ("sensitivity", *SAME["sensitivity"]),
    "a plan draws nothing": tuple(f"plan.{word}" for word in ("rng", *SAME["rng"])),
    "levels are lists by column: levels={{'sex': ['f', 'm']}}": ("design.level",),
    "tests have alternatives: ttest_1samp(x, popmean=50, epsilon=1.0, bounds=(0, 100), alternative='less')": (
        "alternative",
    ),
    "n is that of a plan: plan('mean', 1.0, n=1000, bounds=(0, 100))": ("n", *SAME["n"]),
    "probabilities are those of quantiles: quantile(x, q=0.5, epsilon=1.0, bounds=(0, 100))": (
        "q",
        "qs",
        *SAME["q"],
        *SAME["qs"],
    ),
    "strata are declared for weighted statistics: dp.design(frame, ..., strata='region', weights='w')": (
        "strata",
        *SAME["strata"],
    ),
    "a plan looks at no data": tuple(f"plan.{word}" for word in _DATA),
    (
        "power and effect are those of a test, plan('ttest_ind', 1.0, effect=0.5, power=0.8); a release has "
        "accuracy=, the half width of its 95 % interval"
    ): ("plan.power", "plan.effect", "plan.effect_size"),
    "distribution='normal' is the shape that data may have": ("plan.family", "plan.dist"),
    "{name} needs no delta: its guarantee has epsilon alone": ("delta", *SAME["delta"]),
    "epsilon and delta are given in each call: design.mean('income', 1.0)": tuple(
        f"design.{word}" for word in ("epsilon", *SAME["epsilon"], "delta", *SAME["delta"])
    ),
    "groups are given in each call: design.mean('income', 1.0, by='sex')": tuple(
        f"design.{word}" for word in ("by", *SAME["by"])
    ),
    "a budget draws no noise: give rng= to a release, or to dp.design(frame, ..., budget=budget, rng=1)": (
        tuple(f"Budget.{word}" for word in ("rng", *SAME["rng"]))
    ),
    "bins are those of a histogram: histogram(x, 1.0, edges=np.linspace(0, 100, 21))": (
        "edges",
        *SAME["edges"],
    ),
    "ttest_1samp compares a mean with a number: ttest_1samp(x, popmean=50, epsilon=1.0, bounds=(0, 100))": (
        "popmean",
        *SAME["popmean"],
    ),
    "the difference is compared with 0: for another one subtract it from the first sample": tuple(
        f"{test}.mu" for test in ("ttest_ind", "ttest_rel", "mannwhitneyu", "wilcoxon")
    ),
    "{name} needs no bounds: leave them out": ("bounds", *SAME["bounds"], *LOWER, *UPPER),
    "there is no regression with weights; weighted_mean, weighted_total and the like take them": (
        *(f"{model}.{word}" for model in ("ols", "logit") for word in _WEIGHTS),
    ),
    "there is no continuity correction: the null distribution includes the noise": ("correct",),
    "the null distribution of the statistic with its noise is always computed": (
        "exact",
        *(f"{test}.method" for test in (*_RANKS, "kruskal", "ks_2samp", "kstest", "binomtest")),
    ),
    "corr is Pearson's correlation, and kendalltau(x, y, 1.0) the rank correlation": ("corr.method",),
    "the accountant is the budget's: Budget(1.0, 1e-6, accountant='zcdp')": (
        "accountant",
        "accounting",
        "composition",
    ),
    "epsilon alone is a pure guarantee; delta=1e-6 with mechanism='gaussian' makes it approximate": (
        "type_DP",
    ),
    "bounds clip values and there is no trimming: median(x, 1.0, bounds=(0, 100)) is robust": (
        "trim",
        "proportiontocut",
    ),
    "bounds clip values and there is no trimming: medianDP(x, 1.0, 0, 100) is robust": ("meanDP.trim",),
    "the effect is in standard deviations: plan('ttest_ind', 1.0, effect=0.5, power=0.8)": tuple(
        f"plan of {test}.{word}"
        for test in ("ttest_1samp", "ttest_ind", "ttest_rel", "wilcoxon", "mannwhitneyu")
        for word in ("delta", "diff", "difference")
    ),
    "the test's name has it: 'ttest_1samp' has one sample, 'ttest_ind' two and 'ttest_rel' pairs": (
        "plan.type",
    ),
    "a block labels releases in a ledger: with budget.labeled('ages'): {name}(..., budget=budget)": (
        "label",
        "tag",
    ),
    "its releases are labeled in blocks: with budget.labeled('ages'): mean(x, 1.0, bounds=(0, 100), "
    "budget=budget)": ("Budget.label", "Budget.tag"),
    "a design names its budget, whose blocks label releases: with budget.labeled('ages'): "
    "design.mean('income', 1.0)": tuple(f"{scope}label" for scope in (".", "design.")),
    "columns are released separately, and records are rows": ("axis",),
    "mechanism= chooses the noise of means, sums and tables": ("method",),
    "groups are given by a formula in a design: dp.design(frame, ...).{name}('income ~ sex', 1.0)": tuple(
        f"{test}.{word}"
        for test in ("f_oneway", "kruskal", "ks_2samp", "mannwhitneyu", "proportions_test", "ttest_ind")
        for word in ("formula", "levels", "by", *SAME["by"])
    ),
    "the variables of a table are its groups: {example}": tuple(
        f"{table}.{word}"
        for table in ("crosstab", "chi2_contingency")
        for word in ("formula", "by", *SAME["by"])
    ),
    "{name} has no groups: take a subset, dp.design(frame, ...).subset(\"sex == 'f'\").{name}(...)": (
        "levels",
        "by",
        *SAME["by"],
    ),
    "tests of groups and models have formulas; others have by, mean(frame, 1.0, by='sex', ...)": ("formula",),
    "the model has no penalty; LogisticRegressionDP has one, gamma": ("C", "penalty", "solver", "max_iter"),
    (
        "a table is made of the columns of a data frame: crosstab(frame[['sex', 'region']], 1.0, "
        "levels={{...}})"
    ): (
        "index",
        "rows",
        "values",
        "aggfunc",
    ),
    (
        "ols is linear and logit is logistic regression; numbers of events have means by group, "
        "mean(..., by=..., population=True), and ols(..., cov_type='HC3')"
    ): ("family", "link"),
    "a quantile is chosen between the bounds, with a probability that depends on its rank": (
        "interpolation",
        *(f"{name}.{word}" for name in _QUANTILES for word in ("method", "mechanism", *SAME["mechanism"])),
    ),
    "the constant is always in the model": ("fit_intercept", "add_constant"),
    "shares are post-processing: result.params / result.params.sum()": ("density", "stat"),
    "select columns first: frame[['income', 'age']]": (
        "columns",
        "column",
        "col",
        "variable",
        "value",
        "numeric_only",
    ),
    "a design has subsets: dp.design(frame, ...).subset('age >= 18')": _SUBSETS,
    "take the subset first: design.subset('age >= 18').{name}(...)": tuple(f".{word}" for word in _SUBSETS),
    "there is no parallel processing": ("n_jobs", "parallel", "workers"),
    "nothing is printed": ("verbose",),
}
WAYS = {word: way for way, words in _WAYS.items() for word in words}
# what the arguments of releases are told to those who make something else
OTHERWISE = {
    "Budget": "a budget only pays: give it to a release, mean(x, 1.0, bounds=(0, 100), budget=budget)",
    "design": "a design has what is declared, and each call what is computed: design.mean('income', 1.0)",
}

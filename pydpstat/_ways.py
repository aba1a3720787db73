"""Hints for arguments and attributes of R, pandas, SciPy and statsmodels that have no direct counterpart."""

from __future__ import annotations

from pydpstat._words import ARGUMENT_SYNONYMS, LOWER_SYNONYMS, UPPER_SYNONYMS

# names of the data argument, which is the first positional argument here
_DATA_NAMES = ("data", "x", "y", "X", "df", "frame", "dataset", "dataframe", "endog", "exog")
_SUBSET_NAMES = ("subset", "where", "filter", "query")
_WEIGHT_NAMES = ("weights", *ARGUMENT_SYNONYMS["weights"])
_QUANTILE_FUNCTIONS = ("median", "quantile", "quantiles", "weighted_quantile")
_RANK_TESTS = ("kendalltau", "mannwhitneyu", "wilcoxon")
# hints by word: for every release; for the function before a dot; for a design's methods with a leading dot
_ARGUMENT_HINTS = {
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
    "weighted_mean, weighted_total, weighted_proportion and weighted_quantile take weights": (*_WEIGHT_NAMES,),
    "the bounds of weights are declared once: dp.design(frame, bounds={{'w': (0, 3)}}, weights='w')": (
        ".max_weight",
        ".max_weights",
        ".weight_bound",
    ),
    "the released table has shares: crosstab(...).shares()": ("normalize",),
    "the released table has margins: crosstab(..., margins=True) or crosstab(...).margins()": ("margins",),
    "the data come first: {example}": _DATA_NAMES,
    "a design has its data: leave it out": tuple(f".{word}" for word in _DATA_NAMES),
    "a plan costs nothing": ("plan.budget",),
    "the sensitivity follows from the bounds and levels": ("sensitivity", *ARGUMENT_SYNONYMS["sensitivity"]),
    "a plan draws nothing": tuple(f"plan.{word}" for word in ("rng", *ARGUMENT_SYNONYMS["rng"])),
    "levels are lists by column: levels={{'sex': ['f', 'm']}}": ("design.level",),
    "tests have alternatives: ttest_1samp(x, popmean=50, epsilon=1.0, bounds=(0, 100), alternative='less')": (
        "alternative",
    ),
    "n is that of a plan: plan('mean', 1.0, n=1000, bounds=(0, 100))": ("n", *ARGUMENT_SYNONYMS["n"]),
    "probabilities are those of quantiles: quantile(x, q=0.5, epsilon=1.0, bounds=(0, 100))": (
        "q",
        "qs",
        *ARGUMENT_SYNONYMS["q"],
        *ARGUMENT_SYNONYMS["qs"],
    ),
    "strata are declared for weighted statistics: dp.design(frame, ..., strata='region', weights='w')": (
        "strata",
        *ARGUMENT_SYNONYMS["strata"],
    ),
    "a plan looks at no data": tuple(f"plan.{word}" for word in _DATA_NAMES),
    (
        "power and effect are those of a test, plan('ttest_ind', 1.0, effect=0.5, power=0.8); a release has "
        "accuracy=, the half width of its 95 % interval"
    ): ("plan.power", "plan.effect", "plan.effect_size"),
    "distribution='normal' is the shape that data may have": ("plan.family", "plan.dist"),
    "{name} needs no delta: its guarantee has epsilon alone": ("delta", *ARGUMENT_SYNONYMS["delta"]),
    "epsilon and delta are given in each call: design.mean('income', 1.0)": tuple(
        f"design.{word}" for word in ("epsilon", *ARGUMENT_SYNONYMS["epsilon"], "delta", *ARGUMENT_SYNONYMS["delta"])
    ),
    "groups are given in each call: design.mean('income', 1.0, by='sex')": tuple(
        f"design.{word}" for word in ("by", *ARGUMENT_SYNONYMS["by"])
    ),
    "a budget draws no noise: give rng= to a release, or to dp.design(frame, ..., budget=budget, rng=1)": (
        tuple(f"Budget.{word}" for word in ("rng", *ARGUMENT_SYNONYMS["rng"]))
    ),
    "bins are those of a histogram: histogram(x, 1.0, edges=np.linspace(0, 100, 21))": (
        "edges",
        *ARGUMENT_SYNONYMS["edges"],
    ),
    "ttest_1samp compares a mean with a number: ttest_1samp(x, popmean=50, epsilon=1.0, bounds=(0, 100))": (
        "popmean",
        *ARGUMENT_SYNONYMS["popmean"],
    ),
    "the difference is compared with 0: for another one subtract it from the first sample": tuple(
        f"{test}.mu" for test in ("ttest_ind", "ttest_rel", "mannwhitneyu", "wilcoxon")
    ),
    "{name} needs no bounds: leave them out": (
        "bounds",
        *ARGUMENT_SYNONYMS["bounds"],
        *LOWER_SYNONYMS,
        *UPPER_SYNONYMS,
    ),
    "there is no regression with weights; weighted_mean, weighted_total and the like take them": (
        *(f"{model}.{word}" for model in ("ols", "logit") for word in _WEIGHT_NAMES),
    ),
    "there is no continuity correction: the null distribution includes the noise": ("correct",),
    "the null distribution of the statistic with its noise is always computed": (
        "exact",
        *(f"{test}.method" for test in (*_RANK_TESTS, "kruskal", "ks_2samp", "kstest", "binomtest")),
    ),
    "corr is Pearson's correlation, and kendalltau(x, y, 1.0) the rank correlation": ("corr.method",),
    "the accountant is the budget's: Budget(1.0, 1e-6, accountant='zcdp')": (
        "accountant",
        "accounting",
        "composition",
    ),
    "epsilon alone is a pure guarantee; delta=1e-6 with mechanism='gaussian' makes it approximate": ("type_DP",),
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
    "the test's name has it: 'ttest_1samp' has one sample, 'ttest_ind' two and 'ttest_rel' pairs": ("plan.type",),
    "a block labels releases in a ledger: with budget.labeled('ages'): {name}(..., budget=budget)": (
        "label",
        "tag",
    ),
    "its releases are labeled in blocks: with budget.labeled('ages'): mean(x, 1.0, bounds=(0, 100), budget=budget)": (
        "Budget.label",
        "Budget.tag",
    ),
    "a design names its budget, whose blocks label releases: with budget.labeled('ages'): "
    "design.mean('income', 1.0)": tuple(f"{scope}label" for scope in (".", "design.")),
    "columns are released separately, and records are rows": ("axis",),
    "mechanism= chooses the noise of means, sums and tables": ("method",),
    "groups are given by a formula in a design: dp.design(frame, ...).{name}('income ~ sex', 1.0)": tuple(
        f"{test}.{word}"
        for test in ("f_oneway", "kruskal", "ks_2samp", "mannwhitneyu", "proportions_test", "ttest_ind")
        for word in ("formula", "levels", "by", *ARGUMENT_SYNONYMS["by"])
    ),
    "the variables of a table are its groups: {example}": tuple(
        f"{table}.{word}"
        for table in ("crosstab", "chi2_contingency")
        for word in ("formula", "by", *ARGUMENT_SYNONYMS["by"])
    ),
    "{name} has no groups: take a subset, dp.design(frame, ...).subset(\"sex == 'f'\").{name}(...)": (
        "levels",
        "by",
        *ARGUMENT_SYNONYMS["by"],
    ),
    "tests of groups and models have formulas; others have by, mean(frame, 1.0, by='sex', ...)": ("formula",),
    "the model has no penalty; LogisticRegressionDP has one, gamma": ("C", "penalty", "solver", "max_iter"),
    ("a table is made of the columns of a data frame: crosstab(frame[['sex', 'region']], 1.0, levels={{...}})"): (
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
        *(
            f"{name}.{word}"
            for name in _QUANTILE_FUNCTIONS
            for word in ("method", "mechanism", *ARGUMENT_SYNONYMS["mechanism"])
        ),
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
    "a design has subsets: dp.design(frame, ...).subset('age >= 18')": _SUBSET_NAMES,
    "take the subset first: design.subset('age >= 18').{name}(...)": tuple(f".{word}" for word in _SUBSET_NAMES),
    "there is no parallel processing": ("n_jobs", "parallel", "workers"),
    "nothing is printed": ("verbose",),
}
ARGUMENT_HINTS = {word: way for way, words in _ARGUMENT_HINTS.items() for word in words}
# hints for arguments of releases that are given to Budget or design
FUNCTION_HINTS = {
    "Budget": "a budget only pays: give it to a release, mean(x, 1.0, bounds=(0, 100), budget=budget)",
    "design": "a design has what is declared, and each call what is computed: design.mean('income', 1.0)",
}


# rows of an attribute that the object has, the words that it answers, and the hint
ATTRIBUTE_HINTS = (
    (
        "to_frame",
        ("to_excel", "to_parquet", "to_json", "to_string", "describe"),
        "write result.to_frame(), which has {name}()",
    ),
    ("noisy_nobs", ("round",), "write round(result, 1); to_markdown, to_latex and to_html have digits=1"),
    (
        "to_frame",
        ("round",),
        "write result.to_frame().round(1); to_markdown, to_latex and to_html have digits=1",
    ),
    (
        "to_latex",
        ("save", "write", "to_file", "to_word", "to_pdf"),
        "files are written by to_latex('mean.tex'), to_html, to_markdown and to_csv",
    ),
    ("summary", ("print", "as_text"), "write result.summary()"),
    (
        "mids",
        (
            "index",
            "values",
            "loc",
            "iloc",
            "to_frame",
            "to_numpy",
            "sum",
            "plot",
            "round",
            "[ ]",
            "len()",
            "+",
        ),
        "a histogram has counts, breaks and mids; write result.params for a Series of the counts",
    ),
    (
        "noisy_nobs",
        ("margins", "shares", "long", "chi2"),
        "this release is not a table: release a crosstab of several variables, which has {name}(); shares of one "
        "are result.params / result.params.sum()",
    ),
    (
        "_planned_release",
        ("unstack", "pivot", "wide"),
        "write plan.to_frame(epsilon=[0.5, 1], n=[1000, 4000]).pivot(index='epsilon', columns='n', values='accuracy')",
    ),
    (
        "noisy_nobs",
        ("wide",),
        "a crosstab has wide(), and so have numbers by several keys, mean(..., by=['region', 'sex'])",
    ),
    (
        "noisy_nobs",
        ("quantile", "cdf"),
        "this release is not a histogram, so it has no quantiles: pydpstat.histogram with public edges has {name}()",
    ),
    (
        "noisy_nobs",
        ("difference", "pairs"),
        "this release has no groups that can be compared: release a mean with by= and population=True, a proportion "
        "with by=, or a crosstab of two variables",
    ),
    (
        "noisy_nobs",
        ("f_oneway",),
        "this release has no means of groups that can be compared: release a mean with by= and population=True",
    ),
    ("noisy_nobs", ("breaks", "mids"), "a histogram's are in result.estimate.{name}"),
    ("noisy_nobs", ("edges", "bins", "bin_edges"), "a histogram's are in result.estimate.breaks"),
    (
        "noisy_nobs",
        ("density", "densities", "frequencies", "proportions"),
        "shares of a histogram are result.params / result.params.sum()",
    ),
    (
        "estimate",
        ("value_", "estimates", "estimate_", "values", "counts", "apply", "map", "loc", "iloc", "mean", "std")
        + ("item", "index", "T", "head", "tail", "sum", "max", "min", "astype", "tolist", "to_numpy"),
        "write result.estimate, which is a number, a Series, a DataFrame or an array",
    ),
    ("pvalue", ("p", "p_value", "pval", "pvalues"), "write result.pvalue"),
    ("pvalues", ("p", "p_value", "pval", "pvalue"), "write result.pvalues"),
    ("tvalues", ("zscore", "z", "tstat", "t_value", "statistic", "zvalues"), "write result.tvalues"),
    ("pvalue", ("zscore", "z", "t", "tstat", "F", "W", "U", "chisq"), "write result.statistic"),
    (
        "difference",
        ("test", "ttest", "t_test", "compare"),
        "compare groups with result.difference(a, b); for one mean use pydpstat.ttest_1samp",
    ),
    (
        "noisy_nobs",
        (
            "p",
            "p_value",
            "pval",
            "pvalue",
            "pvalues",
            "tvalues",
            "zscore",
            "tstat",
            "test",
            "ttest",
            "t_test",
            "compare",
        ),
        "a release is no test: a mean is tested by ttest_1samp(x, popmean=50, epsilon=1.0, bounds=(0, 100))",
    ),
    ("chi2", ("chi2_contingency", "chisq_test", "chisquare", "chi_square"), "write result.chi2()"),
    ("cov_params", ("vcov", "cov", "covariance"), "write result.cov_params()"),
    (
        "f_test",
        ("anova", "aov", "anova_lm", "linear_hypothesis", "linearHypothesis", "waldtest"),
        "write result.f_test('age = 0') for a joint test",
    ),
    (
        "rsquared",
        ("df_resid", "df_residual", "df_model", "df"),
        "tests follow from the distribution of the noisy sums, not from degrees of freedom; those of the "
        "residuals are result.nobs - len(result.params), where nobs is public",
    ),
    ("coeff", ("coef_", "coef", "coefficients", "intercept_", "coefs", "params"), "write model.coeff"),
    ("params", ("coef_", "coef", "coefficients", "intercept_", "coefs", "beta"), "write result.params"),
    ("params", ("+",), "calculate with its estimates, result.params"),
    ("params", ("[ ]", "len()"), "its estimates are result.params"),
    (
        "coeff",
        ("summary", "to_frame", "to_latex", "to_markdown", "to_html", "to_csv", "to_dict", "plot")
        + ("conf_int", "bse", "guarantee", "epsilon", "statement", "bounds", "nobs"),
        "after fit, write model.results.{name}",
    ),
    (
        "conf_int",
        ("confint", "ci", "conf_interval", "interval", "confidence_interval"),
        "write result.conf_int()",
    ),
    ("bse", ("stderr", "se", "std_err", "sd", "std_error", "noise_sd", "noise_std"), "write result.bse"),
    (
        "remaining",
        ("left", "rest", "available", "balance", "remaining_budget", "epsilon_left", "remaining_epsilon"),
        "write budget.remaining",
    ),
    (
        "allocate",
        ("split", "divide", "distribute", "reserve", "share", "partition", "assign", "allot", "apportion"),
        "write budget.allocate({{'mean age': 3, 'adults': 1}}), with weights or plans",
    ),
    ("spent", ("used", "consumed", "total", "cost"), "write budget.spent"),
    ("entries", ("log", "ledger", "history", "releases"), "write budget.entries, or budget.to_frame()"),
    ("entries", ("[ ]", "len()"), "its lines are budget.entries: len(budget.entries)"),
    ("remaining", ("+",), "a budget stays as it is; for other data create another, pydpstat.Budget(2.0)"),
    (
        "remaining",
        ("reset", "refund", "clear", "add", "increase"),
        "what is spent stays spent; create another pydpstat.Budget for other data",
    ),
    ("subset", ("filter", "query", "where", "mask"), "write design.subset('age >= 18')"),
    ("subset", ("svyglm",), "there is no regression with weights: ols and logit count all records alike"),
    (
        "subset",
        ("svytable",),
        "write design.crosstab(['sex', 'region'], 1.0), which counts records without weights",
    ),
    ("subset", ("value_counts",), "write design.count(1.0, by='region')"),
    (
        "subset",
        ("groupby", "group_by", "agg", "tapply", "aggregate", "svyby", "summarise", "summarize"),
        "give groups with by=, as in design.mean('income', 1.0, by='sex')",
    ),
    ("subset", ("ecdf",), "write design.histogram('age', 1.0, edges=np.linspace(18, 90, 21)).cdf()"),
    (
        "subset",
        ("density", "kde"),
        "there is no kernel density: design.histogram('age', 1.0, edges=np.linspace(18, 90, 21)) counts "
        "records in intervals",
    ),
    ("subset", ("boxplot", "box"), "write design.quantiles('age', [0.25, 0.5, 0.75], 1.0).plot()"),
    (
        "subset",
        ("mad",),
        "there is no median absolute deviation: design.quantiles('age', [0.25, 0.75], 1.0) has the middle "
        "half of the records",
    ),
    ("subset", ("mode",), "it is the largest count: design.crosstab('region', 1.0).params.idxmax()"),
    (
        "subset",
        ("fisher_test", "fisher_exact"),
        "there is no exact test of a table: write design.chi2_contingency(['sex', 'region'], 1.0)",
    ),
    ("subset", ("kmeans", "KMeans"), "there is no clustering: by='region' has groups that are known"),
    ("subset", ("predict",), "a fitted model predicts: design.ols('income ~ age', 1.0).get_prediction(new)"),
    ("subset", ("confint", "conf_int"), "a release has intervals: design.mean('income', 1.0).conf_int()"),
    ("subset", ("len()",), "the number of records is private: release it, design.count(1.0)"),
    ("subset", ("[ ]",), "the records are private, and columns are named: design.mean('income', 1.0)"),
    ("subset", ("+",), "columns are computed by design.assign(total='first + second')"),
    ("subset", ("head", "tail", "sample", "values", "data", "iloc", "loc"), "the records are private"),
    ("coeff", ("predict_proba", "decision_function"), "write model.predict(X, raw_value=True)"),
    ("coeff", ("accuracy_score",), "compare model.predict(X) on public records"),
)

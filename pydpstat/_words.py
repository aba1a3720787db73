"""What words of R, pandas, SciPy and statsmodels are here: arguments, functions and attributes."""

from __future__ import annotations

# words for an argument that is here: the value is kept
SAME = {
    "epsilon": ("eps", "e", "epsilon_", "privacy", "budget_epsilon", "privacy_budget", "eps_"),
    "neighbors": ("neighbours", "neighbor", "neighbour", "adjacency", "which_sensitivity", "neighboring"),
    "neighbor": ("neighbour", "neighbors", "neighbours"),
    "rng": ("random_state", "seed", "random_seed", "generator", "prng"),
    "random_state": ("rng", "seed", "random_seed", "generator"),
    "eps": ("epsilon", "e", "privacy", "privacy_budget"),
    "lower_bound": ("lower", "min", "low", "lb", "lower_bounds"),
    "upper_bound": ("upper", "max", "high", "ub", "upper_bounds"),
    "which_sensitivity": ("neighbors", "neighbours", "neighbor", "adjacency"),
    "sensitivities": ("sensitivity", "sens", "delta_f"),
    "regularizer": ("penalty",),
    "gamma": ("C", "lam", "lambda_", "l2", "reg", "regularization"),
    "quant": ("q", "probs", "prob", "quantile", "p"),
    "breaks": ("bins", "edges", "nbins"),
    "alpha": ("level", "conf_level", "confidence_level", "confidence", "conf", "sig_level"),
    "effect": ("effect_size", "d", "h", "w"),
    "n": ("N", "nobs", "sample_size", "size"),
    "by": ("groupby", "group_by", "group", "groups", "hue", "on"),
    "edges": ("bins", "breaks", "bin_edges", "cuts", "nbins", "n_bins"),
    "popmean": ("mu", "mean0", "pop_mean", "null_value"),
    "max_weight": ("weight_bound", "max_weights"),
    "weights": ("weight", "sample_weight", "w", "wts"),
    "accountant": ("method", "composition", "accounting"),
    "unit": ("ids", "id", "person", "privacy_unit", "cluster", "clusters", "entity"),
    "max_records": ("max_contributions", "max_rows", "max_records_per_unit"),
    "bounds": ("bound", "limits", "clip", "range", "xlim", "clipping", "clamp", "clamping", "bounds_"),
    "levels": ("categories", "labels", "factors", "keys"),
    "delta": ("del", "delta_", "tol"),
    "mechanism": ("noise", "dist", "distribution"),
    "strata": ("stratum", "stratify"),
    "sensitivity": ("sens", "delta_f", "sensitivities"),
    "q": ("probs", "prob", "quantile", "percentile", "p"),
    "qs": ("probs", "q", "quantiles", "percentiles", "p"),
    "range": ("bounds", "bound", "limits"),
    "cov_type": ("robust", "vcov", "vcov_type", "se_type"),
    "correction": ("method", "adjust", "adjustment", "p_adjust", "p_adjust_method"),
    "missing": ("missings", "na", "nan"),
    "cdf": ("dist", "distribution"),
    "distribution": ("shape",),
    "value": ("mu", "difference"),
    "p": ("prop", "probability", "null"),
    "f_exp": ("p", "expected", "exp"),
    "other": ("others", "rest"),
    "path": ("file", "filename", "ledger", "db"),
    "digits": ("float_format", "floatfmt", "decimals", "ndigits", "precision"),
    "population": ("superpopulation",),
}
LOWER = ("lower", "lower_bound", "min", "low", "lb", "minimum", "a_min", "lower_bounds")
UPPER = ("upper", "upper_bound", "max", "high", "ub", "maximum", "a_max", "upper_bounds")
# arguments whose values are public, and as which kinds they are shown
PUBLIC: dict[str, tuple[type, ...]] = {
    "epsilon": (int, float),
    "delta": (float,),
    "bounds": (int, float, list),
    "edges": (list,),
    "eps": (int, float),
    "lower_bound": (int, float),
    "upper_bound": (int, float),
    "quant": (float,),
    "n": (int,),
    "q": (float,),
    "qs": (list,),
    "popmean": (int, float),
    "effect": (float,),
    "max_weight": (int, float),
    "max_records": (int,),
    "rng": (int,),
    "neighbors": (str,),
    "mechanism": (str,),
    "by": (str,),
    "unit": (str,),
    "strata": (str,),
    "correction": (str,),
    "accountant": (str,),
}
EXAMPLES = {
    "digits": "1",
    "epsilon": "1.0",
    "bounds": "(0, 100)",
    "levels": "['a', 'b']",
    "max_weight": "10",
    "popmean": "50",
    "q": "0.5",
    "qs": "[0.25, 0.5, 0.75]",
    "design.bounds": "{'age': (18, 90)}",
    "design.levels": "{'sex': ['f', 'm']}",
    "edges": "np.linspace(0, 100, 21)",
    "eps": "1.0",
    "lower_bound": "0",
    "upper_bound": "100",
    "sensitivities": "1.0",
    "quant": "0.5",
    "gamma": "1.0",
    "regularizer": "'l2'",
    "which_sensitivity": "'bounded'",
    "breaks": "[0, 50, 100]",
    "alpha": "0.05",
    "effect": "0.5",
    "n": "1000",
    "upper_bounds": "[100]",
    "lower_bounds": "[0]",
    "seed": "123",
    "call": "'mean of age'",
    "condition": "age >= 18",
    "range": "(0, 100)",
    "variables": "'income'",
    "formula": "'income ~ sex'",
    "sensitivity": "1.0",
    "cdf": "'norm'",
    "weights": "'weight'",
    "delta": "1e-6",
    "by": "'region'",
    "unit": "'person'",
    "strata": "'stratum'",
    "rng": "1",
    "random_state": "1",
    "path": "'budget.db'",
    "max_records": "5",
    "missing": "'drop'",
    "correction": "'holm'",
    "cov_type": "'HC3'",
    "accountant": "'zcdp'",
}
# what choices mean, where none is near to what was given
MEANINGS = {
    "neighbors": "'unbounded' adds or removes a record, and 'bounded' replaces one.",
    "missing": "'drop' omits records with missing values.",
}
# tests whose counts are often at hand
_COUNTED = ("binomtest", "chi2_contingency", "chisquare", "proportions_test")
NOTES = dict.fromkeys(_COUNTED, " It takes records, of which it releases counts, not counts themselves.")
# the same of single methods
_INDEX = "rows have their names; without them write result.to_frame().{method}(index=False)"
_FILES = {"to_csv": "csv", "to_html": "html", "to_latex": "tex", "to_markdown": "md"}
_WRITES = "a statement is written by its own methods, as {method}(...).to_latex('statement.tex')"
METHODS = {
    **{(method, "index"): _INDEX for method in _FILES},
    **{
        (method, word): f"write {method}('mean.{ending}')"
        for method, ending in _FILES.items()
        for word in ("file", "filename", "buf", "path_or_buf")
    },
    **{("fit", word): "the model counts all records alike" for word in ("sample_weight", "weights")},
    ("shares", "axis"): "write by='region', the variable in whose groups shares add up to 1",
    **{
        (model, "fit_intercept"): "fit has it, as model.fit(X, y, [100], [0], add_bias=True)"
        for model in ("LogisticRegressionDP", "LinearRegressionDP", "svmDP")
    },
    **{("statement", word): _WRITES for word in ("format", "form", "output", "path", "file", "filename")},
}
# what names of R, pandas, SciPy and statsmodels are here
NAMES = {
    "std": ("sd", "stdev", "stddev", "std_dev"),
    "var": ("variance",),
    "corr": ("cor", "correlation", "pearsonr", "cor_test"),
    "cov": ("covariance",),
    "mean": ("average", "avg", "colMeans"),
    "sum": ("total", "colSums"),
    "count": ("nrow", "n", "len", "size", "counts"),
    "nunique": ("n_distinct", "count_distinct", "distinct"),
    "crosstab": ("table", "value_counts", "xtabs", "contingency", "contingency_table", "ftable"),
    "histogram": ("hist",),
    "quantile": ("percentile",),
    "proportion": ("share", "prop", "ratio"),
    "ols": ("lm", "OLS", "linear_regression", "regression", "regress"),
    "logit": ("glm", "Logit", "logistic_regression", "GLM"),
    "ttest_ind": ("t_test", "ttest", "t_test_ind", "welch", "welch_test"),
    "ttest_rel": ("paired_t_test", "ttest_paired"),
    "mannwhitneyu": ("wilcox_test", "mannwhitney", "ranksums", "mann_whitney"),
    "kruskal": ("kruskal_test", "kruskal_wallis"),
    "chi2_contingency": ("chisq_test", "chi2", "chi2_test", "chi_square"),
    "binomtest": ("binom_test", "prop_test", "proportions_ztest"),
    "ks_2samp": ("ks_test", "kstest2"),
    "f_oneway": ("aov", "anova", "anova_oneway", "oneway_test"),
    "kendalltau": ("kendall", "tau"),
    "weighted_mean": ("svymean", "weighted_average"),
    "weighted_total": ("svytotal", "weighted_sum"),
    "weighted_quantile": ("svyquantile", "weighted_median"),
    "design": ("svydesign", "survey_design", "context", "Context", "session", "Session", "groupby"),
    "plan": ("power", "power_t_test", "sample_size", "accuracy"),
    "RRandom": ("set_seed", "seed", "Random", "RNG"),
    "LogisticRegressionDP": ("LogisticRegression", "SGDClassifier"),
    "LinearRegressionDP": ("LinearRegression", "Ridge"),
    "svmDP": ("SVC", "svm", "LinearSVC"),
    "LaplaceMechanism": ("Laplace", "laplace", "rlaplace"),
    "GaussianMechanism": ("Gaussian", "gaussian"),
    "any_interval": ("bootstrap", "boot"),
    "quantiles": ("iqr", "IQR", "describe", "fivenum", "summary", "min", "max"),
    "Budget": ("budget", "PrivacyBudget", "accountant", "Accountant", "BudgetAccountant"),
}
# names of what is elsewhere
_ELSEWHERE = {
    "R's random numbers are drawn by RRandom(123).{name}(3)": (
        "rnorm",
        "runif",
        "rexp",
        "rgamma",
        "rbeta",
        "rgeom",
        "rpois",
        "rbinom",
        "sample",
    ),
    "Read the file with pandas, Polars or DuckDB, as pd.{name} does, and give the frame": (
        "read_csv",
        "read_parquet",
        "read_excel",
        "read_sql",
        "read_table",
    ),
    "Groups are given by by=, as in mean(frame[['income', 'sex']], 1.0, bounds=(0, 1e5), by='sex', "
    "levels=['f', 'm'])": ("tapply", "aggregate", "ave", "by", "group_by", "summarise", "summarize"),
    "Groups of weighted statistics are given by by=, as in dp.design(frame, ..., "
    "weights='w').weighted_mean('income', 1.0, by='region')": ("svyby",),
    "There is no regression with weights: ols and logit count all records alike": ("svyglm", "WLS", "wls"),
    "It follows from a histogram: histogram(x, 1.0, edges=np.linspace(0, 100, 21)).cdf()": ("ecdf", "ECDF"),
    "There is no kernel density: histogram(x, 1.0, edges=np.linspace(0, 100, 21)) counts records in "
    "intervals": ("density", "kde", "gaussian_kde"),
    "Release what it shows, and plot it: quantiles(x, [0.25, 0.5, 0.75], 1.0, bounds=(0, 100)).plot()": (
        "boxplot",
        "box",
    ),
    "There is no median absolute deviation: quantiles(x, [0.25, 0.75], 1.0, bounds=(0, 100)) has the middle "
    "half of the records": ("mad", "median_abs_deviation"),
    "It is the level with the largest count: crosstab(x, 1.0, levels=['a', 'b']).params.idxmax()": ("mode",),
    "There is no exact test of a table: chi2_contingency(sex, region, 1.0, levels=(['f', 'm'], [...])) takes "
    "its noise into account": ("fisher_test", "fisher_exact", "fisher"),
    "There is no clustering: mean and crosstab describe groups that are known, by='region'": (
        "kmeans",
        "KMeans",
        "hclust",
    ),
    "A fitted model predicts: ols('income ~ age', frame, 1.0, bounds={{...}}).get_prediction(new)": (
        "predict",
        "get_prediction",
    ),
    "A result has intervals: result.conf_int(alpha=0.05)": ("confint", "conf_int", "ci"),
    "Data frames are those of pandas, Polars or Arrow, as pd.DataFrame(columns): give one to a function": (
        "DataFrame",
        "Series",
        "data_frame",
        "tibble",
    ),
}
ELSEWHERE = {word: way for way, words in _ELSEWHERE.items() for word in words}
# how functions are called whose signature alone does not say it
CALLS = {
    "corr": "corr(frame[['age', 'income']], epsilon=1.0, bounds={'age': (18, 90), 'income': (0, 1e5)})",
    "cov": "cov(frame[['age', 'income']], epsilon=1.0, bounds={'age': (18, 90), 'income': (0, 1e5)})",
    **{f"design.{name}": f"design.{name}(['age', 'income'], 1.0)" for name in ("corr", "cov")},
    **{f"design.{name}": f"design.{name}(['before', 'after'], 1.0)" for name in ("ttest_rel", "wilcoxon")},
    "design.nunique": "design.nunique('person', 1.0)",
    "design.kendalltau": "design.kendalltau(['age', 'income'], 1.0)",
    "design.crosstab": "design.crosstab(['sex', 'region'], 1.0)",
    "design.chi2_contingency": "design.chi2_contingency(['sex', 'region'], 1.0)",
    "design.count": "design.count(1.0, by='region') or design.count('age >= 18', 1.0)",
    "DPResults.margins": "crosstab(frame[['sex', 'region']], 1.0, ...).margins('region')",
    "crosstab": "crosstab(frame[['sex', 'region']], 1.0, levels={'sex': ['f', 'm'], 'region': [...]})",
    "chisquare": "chisquare(sex, 1.0, levels=['f', 'm'])",
    "chi2_contingency": "chi2_contingency(sex, region, 1.0, levels=(['f', 'm'], [...]))",
    "count": "count(frame['age'] > 65, 1.0)",
    "binomtest": "binomtest(frame['age'] > 65, 1.0, p=0.5)",
    "wilcoxon": "wilcoxon(before, after, 1.0)",
    "quantile_test": "quantile_test(x, 1.0, q=50, p=0.5)",
    "histogram": "histogram(x, 1.0, edges=np.linspace(0, 100, 21))",
    "ols": "ols('income ~ age', frame, 1.0, bounds={'income': (0, 1e5), 'age': (18, 90)})",
    "logit": "logit('employed ~ age', frame, 1.0, bounds={'age': (18, 90)})",
    "design": "design(frame, bounds={'age': (18, 90)}, levels={'sex': ['f', 'm']})",
    "plan": "plan('mean', 1.0, n=1000, bounds=(0, 100))",
    "compose": "compose([first.guarantee, second.guarantee])",
    "audit": "audit(lambda data: pydpstat.mean(data, 1.0, bounds=(0, 1)), [0, 1], [1, 1], claim=1.0)",
    "tableDP": "tableDP(sex, region, eps=1.0)",
    "pooledVarDP": "pooledVarDP(first, second, eps=1.0, lower_bound=0, upper_bound=100)",
    "Laplace": "mean(x, 1.0, bounds=(0, 100), mechanism=Laplace())",
    "Gaussian": "mean(x, 1.0, bounds=(0, 100), delta=1e-6, mechanism=Gaussian())",
    "Geometric": "count(age >= 18, 1.0, mechanism=Geometric())",
    # what only functions return
    **{
        kind: f"{call}, which returns it"
        for kind, call in {
            "DPResults": "mean(x, 1.0, bounds=(0, 100))",
            "InferenceResults": "ttest_1samp(x, 50, 1.0, bounds=(0, 100))",
            "RegressionResults": "ols('income ~ age', frame, 1.0, bounds={...})",
            "PairwiseResults": "crosstab(frame[['sex', 'region']], 1.0, levels={...}).pairs()",
            "ModelResults": "LogisticRegressionDP('l2', 1.0, 1.0).fit(X, y, [100], [0])",
            "AuditResults": "audit(release, data, neighbor)",
        }.items()
    },
    "Design": "dp.design(frame, bounds={'age': (18, 90)}, levels={'sex': ['f', 'm']})",
    "Design.subset": ".subset('age >= 18')",
    "Design.assign": ".assign(log_income='log(income)')",
}

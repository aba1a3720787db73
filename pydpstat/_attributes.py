"""What attributes and methods of other packages' objects are here."""

from __future__ import annotations

# what attributes and methods of other packages' objects are here: one that an object has, words for it, and
# what to write
ATTRIBUTES = (
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
        "noisy_nobs",
        ("p", "p_value", "pval", "pvalue", "pvalues", "tvalues", "zscore", "tstat"),
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
    ("spent", ("used", "consumed", "total", "cost"), "write budget.spent"),
    ("entries", ("log", "ledger", "history", "releases"), "write budget.entries, or budget.to_frame()"),
    ("entries", ("[ ]", "len()"), "its lines are budget.entries: len(budget.entries)"),
    (
        "remaining",
        ("+",),
        "a budget stays as it is; for other data create another, pydpstat.Budget(2.0)",
    ),
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
    (
        "subset",
        ("kmeans", "KMeans"),
        "there is no clustering: by='region' has groups that are known",
    ),
    ("subset", ("predict",), "a fitted model predicts: design.ols('income ~ age', 1.0).get_prediction(new)"),
    ("subset", ("confint", "conf_int"), "a release has intervals: design.mean('income', 1.0).conf_int()"),
    ("subset", ("len()",), "the number of records is private: release it, design.count(1.0)"),
    ("subset", ("[ ]",), "the records are private, and columns are named: design.mean('income', 1.0)"),
    ("subset", ("+",), "columns are computed by design.assign(total='first + second')"),
    ("subset", ("head", "tail", "sample", "values", "data", "iloc", "loc"), "the records are private"),
    (
        "difference",
        ("test", "ttest", "t_test", "compare"),
        "compare groups with result.difference(a, b); for one mean use pydpstat.ttest_1samp",
    ),
    ("coeff", ("predict_proba", "decision_function"), "write model.predict(X, raw_value=True)"),
    ("coeff", ("accuracy_score",), "compare model.predict(X) on public records"),
)

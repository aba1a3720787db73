"""Answers to calls that do not fit a function's signature: which argument, and what to write instead.

Users type the words of R, pandas, SciPy and statsmodels. One table has what these are here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from pydpstat import _checks as checks
from pydpstat.errors import ArgumentError

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

# words for an argument that is here: the value is kept
SAME = {
    "epsilon": ("eps", "e", "epsilon_", "privacy", "budget_epsilon", "privacy_budget", "eps_"),
    "neighbors": ("neighbours", "neighbor", "neighbour", "adjacency", "which_sensitivity", "neighboring"),
    "rng": ("random_state", "seed", "random_seed", "generator", "prng"),
    "random_state": ("rng", "seed", "random_seed", "generator"),
    "by": ("groupby", "group_by", "group", "groups", "hue", "on"),
    "edges": ("bins", "breaks", "bin_edges", "cuts"),
    "popmean": ("mu", "mean0", "pop_mean", "null_value"),
    "max_weight": ("weight_bound", "max_weights"),
    "unit": ("ids", "id", "person", "privacy_unit", "cluster", "clusters", "entity"),
    "max_records": ("max_contributions", "max_rows", "max_records_per_unit"),
    "bounds": ("bound", "limits", "clip", "range", "xlim", "clipping", "bounds_"),
    "levels": ("categories", "level", "labels", "factors", "keys"),
    "delta": ("del", "delta_"),
    "mechanism": ("noise", "dist", "distribution", "method"),
    "strata": ("stratum", "stratify"),
    "sensitivity": ("sens", "delta_f"),
    "q": ("probs", "prob", "quantile", "percentile"),
    "qs": ("probs", "q", "quantiles", "percentiles"),
    "condition": ("data", "x"),
    "missing": ("missings", "na", "nan"),
    "cdf": ("dist", "distribution"),
    "value": ("mu", "difference"),
    "p": ("prop", "probability", "null"),
    "f_exp": ("p", "expected", "exp"),
    "other": ("others", "rest"),
    "path": ("file", "filename", "ledger", "db"),
    "population": ("superpopulation",),
}
# words for what is done in another way here
_WAYS = {
    "missing='drop' leaves them out, with neighbors='unbounded'; a number takes their place": (
        "na_rm",
        "skipna",
        "dropna",
        "nan_policy",
        "na_action",
    ),
    "var, std and cov divide by n - 1, as R's do": ("ddof",),
    "the result has intervals of every level, as result.conf_int(alpha=0.05)": (
        "conf_level",
        "confidence_level",
        "alpha",
        "level",
    ),
    "pairs are tested by ttest_rel(before, after, ...) and wilcoxon(before, after, ...)": ("paired",),
    "ttest_ind is Welch's test, which needs no equal variances": ("var_equal",),
    "weighted_mean, weighted_total, weighted_proportion and weighted_quantile take weights": (
        "weights",
        "weight",
    ),
    "the released table has shares, as crosstab(...).shares()": ("normalize",),
    "the released table has margins, as crosstab(..., margins=True) and crosstab(...).margins()": (
        "margins",
    ),
    "there is no continuity correction: the distribution has the noise": ("correct",),
    "the distribution of the statistic with its noise is computed in any case": ("exact",),
    "columns are released one by one, and records are rows": ("axis",),
    "ols is linear and logit is logistic regression": ("family", "link"),
    "a quantile is chosen between the bounds, with the probability that its rank gives": ("interpolation",),
    "the constant is always in the model": ("fit_intercept", "add_constant"),
    "the released histogram has shares, as histogram(...).shares()": ("density",),
    "select columns first, as in frame[['income', 'age']]": ("columns", "numeric_only"),
    "a design has subsets, as dp.design(frame, ...).subset('age >= 18')": ("subset",),
    "nothing runs in several processes": ("n_jobs",),
    "nothing is printed": ("verbose",),
}
WAYS = {word: way for way, words in _WAYS.items() for word in words}
LOWER = ("lower", "lower_bound", "min", "low", "lb", "minimum", "a_min", "lower_bounds")
UPPER = ("upper", "upper_bound", "max", "high", "ub", "maximum", "a_max", "upper_bounds")
# arguments whose values are public, and as which kinds they are shown
PUBLIC: dict[str, tuple[type, ...]] = {
    "epsilon": (int, float),
    "delta": (float,),
    "bounds": (int, float, list),
    "edges": (list,),
    "q": (float,),
    "qs": (list,),
    "popmean": (int, float),
    "max_weight": (int, float),
    "max_records": (int,),
    "rng": (int,),
    "neighbors": (str,),
    "mechanism": (str,),
    "by": (str,),
    "unit": (str,),
    "strata": (str,),
}
EXAMPLES = {
    "epsilon": "1.0",
    "bounds": "(0, 100)",
    "levels": "['a', 'b']",
    "max_weight": "10",
    "popmean": "50",
    "q": "0.5",
    "qs": "[0.25, 0.5, 0.75]",
    "edges": "[0, 10, 20]",
    "range": "(0, 100)",
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
}
# what names of R, pandas, SciPy and statsmodels are here
NAMES = {
    "std": ("sd", "stdev", "stddev", "std_dev"),
    "var": ("variance",),
    "corr": ("cor", "correlation", "pearsonr", "cor_test"),
    "cov": ("covariance",),
    "mean": ("average", "avg", "colMeans"),
    "sum": ("total", "colSums"),
    "count": ("nrow", "n", "len", "size", "value_counts", "counts"),
    "nunique": ("n_distinct", "count_distinct", "distinct"),
    "crosstab": ("table", "xtabs", "contingency", "contingency_table", "ftable"),
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
    "design": ("svydesign", "survey_design", "context", "Context", "session", "Session"),
    "plan": ("power", "power_t_test", "sample_size", "accuracy"),
    "RRandom": ("set_seed", "seed", "Random", "RNG"),
    "Budget": ("budget", "PrivacyBudget", "accountant", "Accountant", "BudgetAccountant"),
}


def answered(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Let calls that do not fit a function's signature be answered.

    Examples
    --------
    >>> @answered
    ... def release(data, epsilon, *, bounds):
    ...     return data
    >>> try:
    ...     release([1, 2], eps=1, lower=0, upper=9)
    ... except TypeError as error:
    ...     print(error)
    release has no argument 'eps', 'lower' or 'upper': write bounds=(0, 9), epsilon=1.
    """

    @wraps(function)
    def called(*arguments: Parameters.args, **options: Parameters.kwargs) -> Returned:
        try:
            return function(*arguments, **options)
        except TypeError as error:
            refuse(function, arguments, options, error)
            raise

    return called


def refuse(
    function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any], error: TypeError
) -> None:
    """Raise what a user should read, where it is the call itself that the error is of."""
    # the function was not entered
    if error.__traceback__ is None or error.__traceback__.tb_next is not None:
        return
    own, name = inspect.signature(function), function.__name__
    if "self" in own.parameters:
        name = function.__qualname__.split(".")[0] if name == "__init__" else name
        arguments, own = arguments[1:], own.replace(parameters=list(own.parameters.values())[1:])
    raise ArgumentError(answer(name, own, arguments, options)) from None


def answer(name: str, own: inspect.Signature, arguments: Sequence[Any], options: Mapping[str, Any]) -> str:
    """Return what is wrong with a call, and what to write."""
    known = list(own.parameters.values())
    unknown = {each: value for each, value in options.items() if each not in own.parameters}
    if unknown:
        return not_there(name, list(own.parameters), unknown)
    places = [each.name for each in known if each.kind == each.POSITIONAL_OR_KEYWORD]
    various = any(each.kind == each.VAR_POSITIONAL for each in known)
    if len(arguments) > len(places) and not various:
        said = f"{name} takes {_listed(places)} by place, and all else by name; got {len(arguments)} values"
        return f"{said} by place. Write {_example(name, own)}."
    twice = [each for each in places[: len(arguments)] if each in options]
    if twice:
        return f"{name} was given {twice[0]} twice, by place and by name. Write {_example(name, own)}."
    given = {*places[: len(arguments)], *options}
    needed = [each.name for each in known if each.default is each.empty and each.kind != each.VAR_POSITIONAL]
    gone = [each for each in needed if each not in given]
    return f"{name} needs {_listed(gone)}; got none. Write {_example(name, own)}."


def not_there(name: str, known: Sequence[str], unknown: Mapping[str, Any]) -> str:
    """Return the answer to arguments that a function does not have."""
    said = f"{name} has no argument {_listed([repr(each) for each in unknown], 'or')}"
    low, high = (next((unknown[each] for each in words if each in unknown), None) for words in (LOWER, UPPER))
    write, ways, near = [], [], []
    if "bounds" in known and not (low is None and high is None):
        write.append(f"bounds=({_shown('bounds', low, 'lower')}, {_shown('bounds', high, 'upper')})")
    for each, value in unknown.items():
        if write and each in (*LOWER, *UPPER):
            continue
        here = next((here for here, words in SAME.items() if here in known and each in words), None)
        if here is not None:
            write.append(f"{here}={_shown(here, value, EXAMPLES.get(here, '...'))}")
        elif each in WAYS:
            ways.append(WAYS[each])
        else:
            near.append(checks.did_you_mean(each, known))
    if write:
        ways.append(f"write {', '.join(write)}")
    if ways:
        return f"{said}: {'; '.join(ways)}."
    word = next((each for each in near if each.startswith("Did")), "")
    return f"{said}. {word + ' ' * bool(word)}It has {', '.join(known)}."


def _shown(name: str, value: Any, usual: str) -> str:
    """Return what was given for a public argument, and else how it is usually written."""
    kinds = PUBLIC.get(name, ())
    several = isinstance(value, (list, tuple)) and len(value) < 6 and list in kinds
    if several and all(isinstance(each, (int, float)) for each in value):
        return repr(value)
    plain = isinstance(value, tuple(each for each in kinds if each is not list))
    return repr(value) if plain and not (isinstance(value, str) and len(value) > 40) else usual


def _example(name: str, own: inspect.Signature) -> str:
    """Return how the function is called, with what it needs."""
    parts = []
    for each in own.parameters.values():
        if each.kind == each.VAR_POSITIONAL:
            parts.append("first, second")
        elif each.default is each.empty and each.kind != each.VAR_KEYWORD:
            usual = EXAMPLES.get(each.name)
            parts.append(each.name if usual is None else f"{each.name}={usual}")
    return f"{name}({', '.join(parts)})"


def _listed(names: Sequence[str], word: str = "and") -> str:
    """Return names in a row: a, b and c."""
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def name_hint(name: str, known: Collection[str]) -> str:
    """Return what a name of another package is here, as the end of a message; empty for any other.

    Examples
    --------
    >>> name_hint("sd", ["std", "sum"]), name_hint("meen", ["mean", "sum"])
    (". Use 'std'.", '')
    """
    here = next((here for here, words in NAMES.items() if name in words and here in known), None)
    return "" if here is None else f". Use {here!r}."

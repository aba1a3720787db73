"""What was asked, in a statistician's words: for titles, ledgers and statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# statistics and models that have another name in print than as a function
_PRINTED = {
    "any_interval": "interval from blocks",
    "binomtest": "binomial test",
    "any_test": "test of tests",
    "chi2_contingency": "chi-square test",
    "chisquare": "chi-square test",
    "choose": "choice",
    "corr": "correlation",
    "cov": "covariance",
    "crosstab": "table",
    "f_oneway": "analysis of variance",
    "kendalltau": "Kendall's tau",
    "kruskal": "Kruskal-Wallis test",
    "ks_2samp": "Kolmogorov-Smirnov test",
    "kstest": "Kolmogorov-Smirnov test",
    "logit": "logistic regression",
    "mannwhitneyu": "Mann-Whitney U test",
    "margins": "margin",
    "nunique": "number of different values",
    "ols": "regression",
    "proportions_test": "two-proportion test",
    "quantile_test": "quantile test",
    "release_hierarchy": "hierarchy of counts",
    "share below": "distribution function",
    "std": "standard deviation",
    "symmetric_geometric": "noisy count",
    "ttest_1samp": "one-sample t test",
    "ttest_ind": "Welch's t test",
    "ttest_rel": "paired t test",
    "var": "variance",
    "weighted_mean": "weighted mean",
    "weighted_proportion": "weighted proportion",
    "weighted_quantile": "weighted quantile",
    "weighted_total": "weighted total",
    "wilcoxon": "Wilcoxon signed-rank test",
}
# mechanisms that have another name in print than as an argument
_MECHANISMS = {"exponential": "exponential mechanism", "linf": "maximum-norm"}
# noise that a call names as a mechanism
_NOISES = {"laplace": "Laplace", "gaussian": "Gaussian", "geometric": "symmetric geometric"}
# what is no noise that is added
_NO_NOISE = ("", "-", "exponential mechanism", "randomized response")
_MODELS = ("logit", "ols")
# what they release are sums and ranks inside, whose labels are no variables
UNLABELED = frozenset(
    "any_interval any_test binomtest chi2_contingency chisquare f_oneway kendalltau kruskal ks_2samp kstest "
    "mannwhitneyu moments proportions_test quantile_test ttest_1samp ttest_ind ttest_rel wilcoxon".split()
)


def printed(function: str) -> str:
    """Return how a function's statistic, test or model is called in print.

    Examples
    --------
    >>> printed("ttest_ind"), printed("mean")
    ("Welch's t test", 'mean')
    """
    return _PRINTED.get(function, function)


def mechanism_words(mechanism: str) -> str:
    """Return how a mechanism is called in print.

    Examples
    --------
    >>> mechanism_words("linf"), mechanism_words("laplace")
    ('maximum-norm', 'laplace')
    """
    return _MECHANISMS.get(mechanism, mechanism)


def noise_words(mechanism: str) -> str:
    """Return what a mechanism does, in print.

    Examples
    --------
    >>> noise_words("linf"), noise_words("laplace"), noise_words("exponential")
    ('maximum-norm noise', 'Laplace noise', 'exponential mechanism')
    """
    words = _NOISES.get(mechanism) or mechanism_words(mechanism)
    return words if words in _NO_NOISE or words.endswith("perturbation") else f"{words} noise"


def joined(names: Iterable[str]) -> str:
    """Return names with commas between them and "and" before the last.

    Examples
    --------
    >>> joined(["age", "sex", "region"])
    'age, sex and region'
    """
    every = [name for name in names if name]
    return " and ".join([*([", ".join(every[:-1])] if every[1:] else []), *every[-1:]])


def about(function: str, variables: object, by: Sequence[str] = ()) -> str:
    """Return variables and groups in words, as a design's method or a model's formula has them.

    Examples
    --------
    >>> about("ttest_ind", "income ~ sex"), about("mean", ["age", "income"], ["region", "sex"])
    ('income by sex', 'age and income by region and sex')
    >>> about("ols", "income ~ age + C(sex):region"), about("ttest_rel", "before - after ~ 1")
    ('income on age and sex:region', 'before and after')
    """
    if variables is None:
        named = "records"
    elif isinstance(variables, str) and _is_formula(variables):
        named = _of_formula(function, *(side.strip() for side in variables.split("~", 1)))
    else:
        named = joined(map(_variable, [variables] if isinstance(variables, str) else variables))  # type: ignore[call-overload]
    return f"{named} by {joined(by)}" if by else named


def variables_of(function: str, given: object, levels: object = None) -> tuple[str, ...]:
    """Return the variables that have bounds, by what stands for the data in a design's call; () if not known.

    Examples
    --------
    >>> variables_of("mean", "income"), variables_of("ttest_ind", "income ~ sex")
    (('income',), ('income',))
    >>> variables_of("ols", "income ~ age + C(sex) + age:sex", {"sex": ["f", "m"]})
    ('income', 'age')
    """
    if function in _MODELS and isinstance(given, str):
        response, _, terms = given.partition("~")
        sides = [*([response] if function == "ols" else []), *re.split(r"[+:*]", terms)]
        names = dict.fromkeys(re.sub(r"\bC\((\w+)\)", r"\1", each).strip() for each in sides)
        return tuple(each for each in names if each not in _keys(levels))
    several = [given] if isinstance(given, str) else given
    if not isinstance(several, list) or not all(isinstance(each, str) for each in several):
        return ()
    named = tuple(each.partition("~")[0].strip() for each in several)
    return named if all(each.isidentifier() for each in named) else ()


def _keys(levels: object) -> tuple[str, ...]:
    # a call keeps a dict of public values as pairs
    found = getattr(levels, "items", ())
    return tuple(key for key, _ in (found() if callable(found) else found))


def in_words(function: str, named: str) -> str:
    """Return a statistic, test or model with what it is about.

    Examples
    --------
    >>> in_words("std", "income by sex"), in_words("ols", ""), in_words("mean", "")
    ('standard deviation of income by sex', 'regression', '')
    """
    if not named:
        # a call says more than a name alone that the call has, too
        return _PRINTED.get(function, "")
    return titled(printed(function), named)


def titled(word: str, named: str) -> str:
    """Return a word with what it is of: variables, or the keys of groups where the variables have no names.

    Examples
    --------
    >>> titled("mean", "income by sex"), titled("mean", "by sex"), titled("mean", "")
    ('mean of income by sex', 'mean by sex', 'mean')
    """
    return " ".join(filter(None, (word, "of" * bool(named and not named.startswith("by ")), named)))


def of_model(function: str, first: str) -> str | None:
    """Return what a model is about by its call's first text, which may be a formula in quotes.

    Examples
    --------
    >>> of_model("ols", "'y ~ x'"), of_model("ols", "y"), of_model("mean", "data")
    ('y on x', '', None)
    """
    if function not in _MODELS:
        return None
    return about(function, first.strip("'\"")) if _is_formula(first) else ""


def _is_formula(text: str) -> bool:
    return "~" in text


def _variable(name: str) -> str:
    # a condition in the place of a variable
    return f"records with {name}" if re.search(r"[<>=]|\b(and|in|not|or)\b", name) else name


def _of_formula(function: str, left: str, right: str) -> str:
    if function in _MODELS:
        terms = re.sub(r"\bC\((\w+)\)", r"\1", right).split("+")
        return f"{left} on {joined(each.strip() for each in terms)}"
    if right == "1":
        return joined(each.strip() for each in left.split(" - "))
    if not left:
        return joined(each.strip() for each in right.split("+"))
    return f"{_variable(left)} by {right}"

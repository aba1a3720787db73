"""What was asked, and which records count, in a statistician's words: for titles, ledgers and statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

# statistics and models that have another name in print than as a function
_PRINTED_NAMES = {
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
_MECHANISM_NAMES = {"exponential": "exponential mechanism", "linf": "maximum-norm"}
# noise that a call names as a mechanism
_NOISE_NAMES = {"laplace": "Laplace", "gaussian": "Gaussian", "geometric": "symmetric geometric"}
# mechanisms without additive noise
_NOISELESS_MECHANISMS = ("", "-", "exponential mechanism", "permute-and-flip", "randomized response")
_MODEL_FUNCTIONS = ("logit", "ols")
# what they release are sums and ranks inside, whose labels are no variables
UNLABELED_FUNCTIONS = frozenset(
    "any_interval any_test binomtest chi2_contingency chisquare f_oneway kendalltau kruskal ks_2samp kstest "
    "mannwhitneyu moments proportions_test quantile_test ttest_1samp ttest_ind ttest_rel wilcoxon".split()
)


def get_printed_name(function: str) -> str:
    """Return how a function's statistic, test or model is called in print."""
    return _PRINTED_NAMES.get(function, function)


def describe_mechanism(mechanism: str) -> str:
    """Return how a mechanism is called in print."""
    return _MECHANISM_NAMES.get(mechanism, mechanism)


def describe_noise(mechanism: str) -> str:
    """Return what a mechanism does, in print."""
    words = _NOISE_NAMES.get(mechanism) or describe_mechanism(mechanism)
    return words if words in _NOISELESS_MECHANISMS or words.endswith("perturbation") else f"{words} noise"


def join_names(names: Iterable[str]) -> str:
    """Return names with commas between them and "and" before the last."""
    every = [name for name in names if name]
    return " and ".join([*([", ".join(every[:-1])] if every[1:] else []), *every[-1:]])


def describe_subject(function: str, variables: object, by: Sequence[str] = ()) -> str:
    """Return variables and groups in words, as a design's method or a model's formula has them."""
    if variables is None:
        named = "records"
    elif isinstance(variables, str) and _is_formula(variables):
        named = _describe_formula(function, *(side.strip() for side in variables.split("~", 1)))
    else:
        named = join_names(map(_describe_variable, [variables] if isinstance(variables, str) else variables))  # type: ignore[call-overload]
    return f"{named} by {join_names(by)}" if by else named


def collect_bounded_variables(function: str, given: object, levels: object = None) -> tuple[str, ...]:
    """Return the variables with bounds, by what stands for the data in a design's call; () if not known."""
    if function in _MODEL_FUNCTIONS and isinstance(given, str):
        response, _, terms = given.partition("~")
        sides = [*([response] if function == "ols" else []), *re.split(r"[+:*]", terms)]
        names = dict.fromkeys(re.sub(r"\bC\((\w+)\)", r"\1", each).strip() for each in sides)
        return tuple(each for each in names if each not in _collect_level_keys(levels))
    several = [given] if isinstance(given, str) else given
    if not isinstance(several, list) or not all(isinstance(each, str) for each in several):
        return ()
    named = tuple(each.partition("~")[0].strip() for each in several)
    return named if all(each.isidentifier() for each in named) else ()


def _collect_level_keys(levels: object) -> tuple[str, ...]:
    # a call keeps a dict of public values as pairs
    found = getattr(levels, "items", ())
    return tuple(key for key, _ in (found() if callable(found) else found))


def describe_statistic(function: str, subject: str) -> str:
    """Return a statistic, test or model with what it is about."""
    if not subject:
        # a call says more than a name alone that the call has, too
        return _PRINTED_NAMES.get(function, "")
    return format_title(get_printed_name(function), subject)


def format_title(word: str, subject: str) -> str:
    """Return a word with what it is of: variables, or keys of groups where variables have no names."""
    return " ".join(filter(None, (word, "of" * bool(subject and not subject.startswith("by ")), subject)))


def describe_model_subject(function: str, data: str) -> str | None:
    """Return what a model is about by its call's first text, which may be a formula in quotes."""
    if function not in _MODEL_FUNCTIONS:
        return None
    return describe_subject(function, data.strip("'\"")) if _is_formula(data) else ""


def _is_formula(text: str) -> bool:
    return "~" in text


def _describe_variable(name: str) -> str:
    # a condition in the place of a variable
    return f"records with {name}" if re.search(r"[<>=]|\b(and|in|not|or)\b", name) else name


def _describe_formula(function: str, left: str, right: str) -> str:
    if function in _MODEL_FUNCTIONS:
        terms = re.sub(r"\bC\((\w+)\)", r"\1", right).split("+")
        return f"{left} on {join_names(each.strip() for each in terms)}"
    if right == "1":
        return join_names(each.strip() for each in left.split(" - "))
    if not left:
        return join_names(each.strip() for each in right.split("+"))
    return f"{_describe_variable(left)} by {right}"


_UNIT_RESULT_NOTE = ": the result describes units, not records"


def describe_contribution(function: str, arguments: Mapping[str, object]) -> str:
    """Say how many records of each unit count, by a call and its public arguments; empty without a unit."""
    unit, most = arguments.get("unit"), arguments.get("max_records", 1)
    # what counts units looks at all of their records
    if unit is None or function == "nunique":
        return ""
    groups = arguments.get("max_groups")
    within = "" if groups is None or most == 1 else f", in at most {groups} group{'s' * (groups != 1)}"
    return f"at most {most} record{'s' * (most != 1)} of each {unit} count{'s' * (most == 1)}{within}"


def format_contribution_sentence(function: str, arguments: Mapping[str, object], brief: bool = False) -> str:
    """Return the same as a sentence, which tells a result of units from one of records."""
    said = describe_contribution(function, arguments)
    if not said:
        return ""
    by_units = "" if brief or arguments.get("max_records", 1) != 1 else _UNIT_RESULT_NOTE
    return f"A{said[1:]}, drawn at random{by_units}."


def describe_missing_values(arguments: Mapping[str, object]) -> str:
    """Say what was done with missing values, by a call's public arguments; empty where they are an error."""
    missing = arguments.get("missing", "error")
    if missing == "drop":
        return "Records with missing values are left out."
    number = isinstance(missing, (int, float)) and not isinstance(missing, bool)
    return f"Missing values count as {missing:g}." if number else ""

"""Descriptions of statistics, mechanisms and records, for titles, ledgers and statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

# printed names of statistics and models that differ from the function's name in words
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
    "wilcoxon": "Wilcoxon signed-rank test",
}
# printed names of mechanisms that differ from the argument
_MECHANISM_NAMES = {"exponential": "exponential mechanism", "linf": "maximum-norm"}
# printed names of noise, by mechanism
_NOISE_NAMES = {"laplace": "Laplace", "gaussian": "Gaussian", "geometric": "symmetric geometric"}
# mechanisms without additive noise
_NOISELESS_MECHANISMS = ("", "-", "exponential mechanism", "permute-and-flip", "randomized response")
_MODEL_FUNCTIONS = ("logit", "ols")
# functions whose releases are sums or ranks, with labels that are no variables
UNLABELED_FUNCTIONS = frozenset(
    "any_interval any_test binomtest chi2_contingency chisquare f_oneway kendalltau kruskal ks_2samp kstest "
    "mannwhitneyu moments proportions_test quantile_test ttest_1samp ttest_ind ttest_rel wilcoxon".split()
)


def get_printed_name(function: str) -> str:
    """Return the printed name of a function's statistic, test or model."""
    return _PRINTED_NAMES.get(function, function.replace("_", " "))


def describe_mechanism(mechanism: str) -> str:
    """Return the printed name of a mechanism."""
    return _MECHANISM_NAMES.get(mechanism, mechanism)


def describe_noise(mechanism: str) -> str:
    """Return the printed name of a mechanism's noise."""
    words = _NOISE_NAMES.get(mechanism) or describe_mechanism(mechanism)
    return words if words in _NOISELESS_MECHANISMS or words.endswith("perturbation") else f"{words} noise"


def join_names(names: Iterable[str]) -> str:
    """Join names with commas and "and" before the last one."""
    nonempty = [name for name in names if name]
    return " and ".join([*([", ".join(nonempty[:-1])] if nonempty[1:] else []), *nonempty[-1:]])


def describe_subject(function: str, variables: object, by: Sequence[str] = ()) -> str:
    """Describe the variables and groups of a design's method or a formula in words."""
    if variables is None:
        subject = "records"
    elif isinstance(variables, str) and _is_formula(variables):
        subject = _describe_formula(function, *(side.strip() for side in variables.split("~", 1)))
    else:
        subject = join_names(map(_describe_variable, [variables] if isinstance(variables, str) else variables))  # type: ignore[call-overload]
    return f"{subject} by {join_names(by)}" if by else subject


def collect_bounded_variables(function: str, given: object, levels: object = None) -> tuple[str, ...]:
    """Return the bounded variables of a design's call, by its first argument; () if unknown."""
    if function in _MODEL_FUNCTIONS and isinstance(given, str):
        response, _, terms = given.partition("~")
        sides = [*([response] if function == "ols" else []), *re.split(r"[+:*]", terms)]
        names = dict.fromkeys(re.sub(r"\bC\((\w+)\)", r"\1", name).strip() for name in sides)
        return tuple(name for name in names if name not in _collect_level_keys(levels))
    variables = [given] if isinstance(given, str) else given
    if not isinstance(variables, list) or not all(isinstance(name, str) for name in variables):
        return ()
    columns = tuple(name.partition("~")[0].strip() for name in variables)
    return columns if all(name.isidentifier() for name in columns) else ()


def _collect_level_keys(levels: object) -> tuple[str, ...]:
    # a call record stores a dict argument as pairs
    items = getattr(levels, "items", ())
    return tuple(key for key, _ in (items() if callable(items) else items))


def describe_statistic(function: str, subject: str) -> str:
    """Describe a statistic, test or model with its subject."""
    if not subject:
        # without a subject only a printed name adds to the call
        return _PRINTED_NAMES.get(function, "")
    return format_title(get_printed_name(function), subject)


def format_title(word: str, subject: str) -> str:
    """Join a name and its subject: variables, or keys of groups."""
    return " ".join(filter(None, (word, "of" * bool(subject and not subject.startswith("by ")), subject)))


def describe_model_subject(function: str, data: str) -> str | None:
    """Describe the subject of a model from its call's first argument; None for other functions."""
    if function not in _MODEL_FUNCTIONS:
        return None
    return describe_subject(function, data.strip("'\"")) if _is_formula(data) else ""


def _is_formula(text: str) -> bool:
    return "~" in text


def _describe_variable(name: str) -> str:
    # a condition instead of a variable name
    return f"records with {name}" if re.search(r"[<>=]|\b(and|in|not|or)\b", name) else name


def _describe_formula(function: str, left: str, right: str) -> str:
    if function in _MODEL_FUNCTIONS:
        terms = re.sub(r"\bC\((\w+)\)", r"\1", right).split("+")
        return f"{left} on {join_names(term.strip() for term in terms)}"
    if right == "1":
        return join_names(term.strip() for term in left.split(" - "))
    if not left:
        return join_names(term.strip() for term in right.split("+"))
    return f"{_describe_variable(left)} by {right}"


_UNIT_RESULT_NOTE = ": the result describes units, not records"


def describe_contribution(function: str, arguments: Mapping[str, object]) -> str:
    """Describe the contribution bound of a call by its public arguments; empty without a unit."""
    unit, max_records = arguments.get("unit"), arguments.get("max_records", 1)
    # nunique counts units, by all of their records
    if unit is None or function == "nunique":
        return ""
    groups = arguments.get("max_groups")
    within = "" if groups is None or max_records == 1 else f", in at most {groups} group{'s' * (groups != 1)}"
    return (
        f"at most {max_records} record{'s' * (max_records != 1)} of each {unit} count{'s' * (max_records == 1)}{within}"
    )


def format_contribution_sentence(function: str, arguments: Mapping[str, object], brief: bool = False) -> str:
    """Describe the contribution bound in a sentence; mark a result that describes units."""
    contribution = describe_contribution(function, arguments)
    if not contribution:
        return ""
    by_units = "" if brief or arguments.get("max_records", 1) != 1 else _UNIT_RESULT_NOTE
    return f"A{contribution[1:]}, drawn at random{by_units}."


def describe_missing_values(arguments: Mapping[str, object]) -> str:
    """Describe the handling of missing values by a call's arguments; empty if they are an error."""
    missing = arguments.get("missing", "error")
    if missing == "drop":
        return "Records with missing values are left out."
    is_number = isinstance(missing, (int, float)) and not isinstance(missing, bool)
    return f"Missing values count as {missing:g}." if is_number else ""

"""How a function becomes a method of a design: its data by name, its options from what is declared."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import pydpstat
from pydpstat import _checks as checks
from pydpstat._data.columns import bounds_pair
from pydpstat.designs._conditions import Condition
from pydpstat.designs._facts import Facts
from pydpstat.designs._views import RECORDS, Made, whole
from pydpstat.errors import PydpstatError

# a variable or several by name, the first arguments of the function
VARIABLES: tuple[str, ...] = (
    "any_interval",
    "any_test",
    "binomtest",
    "chisquare",
    "corr",
    "count",
    "cov",
    "crosstab",
    "histogram",
    "kstest",
    "mean",
    "median",
    "moments",
    "nunique",
    "proportion",
    "quantile",
    "quantile_test",
    "quantiles",
    "std",
    "sum",
    "ttest_1samp",
    "var",
)
# two variables of the same records
PAIRS = ("chi2_contingency", "kendalltau", "ttest_rel", "wilcoxon")
# a variable by groups, as a formula
GROUPS = ("f_oneway", "kruskal", "ks_2samp", "mannwhitneyu", "proportions_test", "ttest_ind")
MODELS = ("logit", "ols")
WEIGHTED = ("weighted_mean", "weighted_proportion", "weighted_quantile", "weighted_total")
METHODS = (*VARIABLES, *PAIRS, *GROUPS, *MODELS, *WEIGHTED)
# what a call may give itself, and what it may not
_DECLARED, _FIXED = {"bounds", "levels"}, {"unit", "neighbors", "budget", "max_weight"}
# of several variables one result, whatever their number
_TOGETHER = ("corr", "cov")
# truth values need no bounds or levels
_TRUTHS = ("binomtest", "count", "proportion", "weighted_proportion")
# their variables' levels make the cells
_CELLS = ("chi2_contingency", "chisquare", "crosstab")


class Design(Protocol):
    """What a method needs of the design."""

    facts: Facts
    columns: tuple[str, ...]
    budget: Any
    rng: Any

    def _view(self, names: Sequence[str], made: Sequence[Made], single: bool) -> Any:
        """Return some columns of the data."""


class Signature(NamedTuple):
    """A function's parameters as a method has them: `data` are those that names stand for."""

    function: Any
    data: tuple[str, ...]
    own: inspect.Signature
    options: frozenset[str]
    plain: tuple[str, ...]


@lru_cache(maxsize=None)
def signature_of(name: str) -> Signature:
    """Return how a method is called, from its function's own signature."""
    function = getattr(pydpstat, name)
    given = list(inspect.signature(function).parameters.values())
    several = name in GROUPS and given[0].kind != given[0].VAR_POSITIONAL
    count = 2 if several or name in (*PAIRS, *WEIGHTED, *_TOGETHER) else 1
    data, rest = given[:count], given[count:]
    if name in MODELS:
        data, rest = given[1:2], given[2:]
    first = "condition" if name == "count" else "formula" if name in (*GROUPS, *MODELS) else "variables"
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    before = [each for each in rest if each.kind == kind and each.name != "epsilon"]
    # it follows the name, also where it stands alone behind samples
    plain = [each.replace(kind=kind, default=each.empty) for each in rest if each.name == "epsilon"]
    options = [each for each in rest if each.kind != kind and each.name != "epsilon"]
    after = [
        each.replace(default=None) if each.name in _DECLARED else each
        for each in options
        if each.name not in _FIXED
    ]
    own = inspect.Signature([inspect.Parameter(first, kind), *before, *plain, *after])
    plainly = tuple(each.name for each in (*before, *plain) if each.default is each.empty)
    return Signature(
        function,
        tuple(each.name for each in data),
        own,
        frozenset(each.name for each in options),
        (first, *plainly),
    )


def asked(design: Design, name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a function for a design."""
    if name == "count" and (not arguments or checks.is_number(arguments[0])) and "condition" not in options:
        # how many records there are
        arguments = (None, *arguments)
    how = signature_of(name)
    given = _bound(how, name, arguments, options)
    if name in GROUPS:
        return _by_groups(design, how, given.pop("formula"), given, name)
    if name in MODELS:
        return _model(design, how, given.pop("formula"), given)
    variables = given.pop(next(iter(how.own.parameters)), None)
    return _of_variables(design, how, name, variables, given)


def _bound(how: Signature, name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return what was given, by the method's parameters."""
    if len(arguments) == len(how.plain) and how.options >= options.keys() and not _FIXED & options.keys():
        # as nearly always, and many times quicker than a signature
        given = {**dict(zip(how.plain, arguments)), **options}
    else:
        try:
            given = dict(how.own.bind(*arguments, **options).arguments)
        except TypeError as error:
            said = ", ".join(each for each in how.own.parameters if each not in how.options)
            own = ", ".join(each for each in how.own.parameters if each in how.options)
            raise PydpstatError(
                f"{name} of a design must be called as {name}({said}), with the options {own}; {error}. What "
                "is declared is left out."
            ) from error
    return {key: value for key, value in given.items() if key not in _DECLARED or value is not None}


def _of_variables(design: Design, how: Signature, name: str, variables: Any, given: dict[str, Any]) -> Any:
    names, made = _named(design, variables, name)
    single = (isinstance(variables, str) or variables is None) and name not in _TOGETHER
    pair = name in PAIRS
    if pair and len(names) != 2:
        raise PydpstatError(
            f"variables must be two columns for {name}; got {len(names)}. Give for example "
            "['before', 'after']."
        )
    keys = _keys(given.get("by"))
    options = {**_common(design, how, names, given), **given}
    if "bounds" in how.options and "bounds" not in given:
        options["bounds"] = _bounds(design, names, single, pair)
    elif given.get("bounds") is not None:
        _check_narrower(design, names, given["bounds"])
    levels = names if name in _CELLS else keys
    if levels and "levels" in how.options and "levels" not in given:
        options["levels"] = _levels(design, levels, listed=single and name in _CELLS)
    extra = [*keys, *([options["unit"]] if isinstance(options.get("unit"), str) else [])]
    if name in WEIGHTED:
        weights = design.facts.weights
        if weights is None:
            raise PydpstatError(
                f"the design must have weights for {name}. Declare their column, dp.design(..., weights='w')."
            )
        options.setdefault("max_weight", design.facts.bounds[weights][1])
        columns = whole(design._view([*names, weights], made, False))
        data: list[Any] = [columns[names[0]], columns[weights]]
    elif pair:
        columns = whole(design._view(names, made, False))
        data = [columns[each] for each in names]
    else:
        data = [design._view([*names, *extra], made, single and not extra)]
        data += [None] * (len(how.data) - 1)
    before = [given[each] for each in how.own.parameters if each in given and each not in how.options]
    options = {key: value for key, value in options.items() if key in how.options}
    return how.function(*data, *before, **options)


def _model(design: Design, how: Signature, formula: Any, given: dict[str, Any]) -> Any:
    from pydpstat.inference._formulas import formula_terms

    if not isinstance(formula, str):
        raise PydpstatError(
            f"formula must be a text such as 'income ~ age + C(sex)'; got {checks.shown(formula)}."
        )
    said = formula_terms(formula)
    names, made = _named(design, [*said.response.columns, *said.columns], how.function.__name__)
    facts = design.facts
    factors = [each for each in said.columns if each in said.categories or each not in facts.bounds]
    numbers = [each for each in names if each not in factors]
    if how.function.__name__ == "logit":
        response = said.response.columns[0]
        numbers.remove(response)
        if response in facts.levels:
            factors = [response, *factors]
    options = {**_common(design, how, names, given), **given}
    if "bounds" not in given:
        options["bounds"] = _bounds(design, numbers, False, False) if numbers else None
    if factors and "levels" not in given:
        options["levels"] = _levels(design, factors, listed=False)
    epsilon = options.pop("epsilon")
    return how.function(formula, design._view(names, made, False), epsilon, **options)


def _by_groups(design: Design, how: Signature, formula: Any, given: dict[str, Any], name: str) -> Any:
    sides = [each.strip() for each in formula.split("~")] if isinstance(formula, str) else []
    if len(sides) != 2 or not all(sides):
        raise PydpstatError(
            f"formula must be a variable and its groups; got {checks.shown_option(formula)}. Write for "
            "example 'income ~ sex'."
        )
    names, made = _named(design, sides, name)
    levels = _levels(design, names[1:], listed=True)
    if isinstance(levels, str):
        raise PydpstatError(
            f"levels of {names[1]!r} must be named for {name}; got 'declared'. Give them as a list."
        )
    if len(how.data) == 2 and len(levels) != 2:
        raise PydpstatError(
            f"{name} must have two groups; {names[1]!r} has {len(levels)} levels: "
            f"{checks.excerpt(list(levels))}."
        )
    options = {**_common(design, how, names[:1], given), **given}
    if "bounds" in how.options and "bounds" not in given:
        options["bounds"] = _bounds(design, names[:1], True, False)
    if options.get("neighbors") != "bounded":
        raise PydpstatError(
            f"{name} must have groups of public size; the design has neighbors 'unbounded'. Declare "
            "neighbors='bounded' where it is public who is in which group."
        )
    import pandas as pd

    columns = whole(design._view(names, made, False))
    groups, values = pd.Series(columns[names[1]]), pd.Series(columns[names[0]])
    samples = [values[(groups == level).to_numpy(dtype=bool, na_value=False)] for level in levels]
    epsilon = options.pop("epsilon")
    if len(how.data) == 2:
        return how.function(*samples, epsilon, **options)
    return how.function(*samples, epsilon=epsilon, **options)


def _named(design: Design, variables: Any, name: str) -> tuple[list[str], list[Made]]:
    """Return the columns that are asked for, and those of them that have to be made."""
    if variables is None and name == "count":
        return [RECORDS], [Made(RECORDS, None)]
    given = [variables] if isinstance(variables, str) else variables
    if not isinstance(given, (list, tuple)) or not given or not all(isinstance(each, str) for each in given):
        raise PydpstatError(
            f"variables must be a column's name, or a list of names; got {checks.shown(variables)}. Give for "
            "example 'income'."
        )
    made = []
    for each in given:
        if each in design.columns:
            continue
        if each.isidentifier():
            raise PydpstatError(
                f"variables must be columns of the data; got {each!r}. "
                f"{checks.did_you_mean(each, design.columns)} "
                f"The columns are {checks.excerpt(list(design.columns))}."
            )
        condition = Condition(each)
        condition.check(design.facts.declared)
        made.append(Made(each, condition))
    return list(given), made


def _common(design: Design, how: Signature, names: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the declared options that a function takes."""
    facts = design.facts
    options = {"neighbors": facts.neighbors, "budget": design.budget, "rng": design.rng}
    if "missing" not in given and "missing" in how.options:
        options["missing"] = facts.missing_of(names)
    if given.get("by") is not None or how.function.__name__ == "crosstab":
        options["other"] = facts.other
    if facts.unit is not None:
        if "unit" not in how.options:
            raise PydpstatError(
                f"{how.function.__name__} protects records, and the design has the unit {facts.unit!r}. "
                "Declare a design without unit where every unit has one record."
            )
        options["unit"], options["max_records"] = facts.unit, facts.max_records
    return {key: value for key, value in options.items() if key in how.options}


def _keys(by: Any) -> list[str]:
    keys = [] if by is None else [by] if isinstance(by, str) else list(by)
    if not all(isinstance(each, str) for each in keys):
        raise PydpstatError("by must name columns of the design's data. Give for example by='region'.")
    return keys


def _bounds(design: Design, names: Sequence[str], single: bool, difference: bool) -> Any:
    """Return the declared bounds of variables; those of the difference of two."""
    facts = design.facts
    for each in names:
        if each not in facts.bounds:
            raise PydpstatError(
                f"bounds must have those of {each!r}; none are declared. Declare them, "
                f"dp.design(..., bounds={{{each!r}: (lower, upper)}})."
            )
    pairs = [facts.bounds[each] for each in names]
    if difference:
        return pairs[0][0] - pairs[1][1], pairs[0][1] - pairs[1][0]
    return pairs[0] if single else dict(zip(names, pairs))


def _check_narrower(design: Design, names: Sequence[str], bounds: Any) -> None:
    given = bounds if isinstance(bounds, Mapping) else dict.fromkeys(names, bounds)
    for each, given_pair in given.items():
        pair = bounds_pair(given_pair)
        low, high = design.facts.bounds.get(each, (-float("inf"), float("inf")))
        if not low <= pair[0] < pair[1] <= high:
            raise PydpstatError(
                f"bounds of {each!r} must lie within the declared ones, {(low, high)}; got {pair}. Give what "
                "is declared or less: a call cannot widen a design."
            )


def _levels(design: Design, names: Sequence[str], listed: bool) -> Any:
    """Return the declared levels of columns: a list of one, else a dict."""
    found = {}
    for each in names:
        if each not in design.facts.levels:
            raise PydpstatError(
                f"levels must have those of {each!r}; none are declared. Declare them, "
                f"dp.design(..., levels={{{each!r}: [...]}})."
            )
        found[each] = design.facts.levels[each]
    if all(isinstance(each, str) for each in found.values()):
        return "declared"
    lists = {key: each if isinstance(each, str) else list(each) for key, each in found.items()}
    return lists[names[0]] if listed else lists

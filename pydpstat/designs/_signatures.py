"""Functions that are methods of a design, their signatures, and their calls as text."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import pydpstat
from pydpstat._release.declared_facts import Fact
from pydpstat.designs._conditions import Condition
from pydpstat.designs._facts import Levels
from pydpstat.results._call import DesignCallText, format_argument, format_call
from pydpstat.results._words import describe_subject
from pydpstat.statistics._catalog import COLUMN_STATISTICS, RECORD_STATISTICS, list_statistics

if TYPE_CHECKING:
    # methods with their signatures for type checkers and editors, written by tools/stubs.py
    from pydpstat.designs._calls import Calls as Calls
else:
    Calls = object

# one or several variables by name, the first arguments of the function
VARIABLE_METHODS = sorted(
    (*RECORD_STATISTICS, *"any_interval any_test binomtest chisquare kstest moments quantile_test ttest_1samp".split())
)
# methods to which a single variable is passed as a column, and whose calls are cached
SINGLE_VARIABLE_METHODS = (*COLUMN_STATISTICS, "median", "moments", "proportion")
# methods that accept a condition
CONDITION_METHODS = ("binomtest", "count", "proportion", "weighted_proportion")
# two variables of the same records
PAIR_METHODS = ("chi2_contingency", "kendalltau", "ttest_rel", "wilcoxon")
# one variable by groups, as a formula
GROUP_METHODS = ("f_oneway", "kruskal", "ks_2samp", "mannwhitneyu", "proportions_test", "ttest_ind")
MODEL_METHODS = ("logit", "ols")
WEIGHTED_METHODS = ("weighted_mean", "weighted_proportion", "weighted_quantile", "weighted_total")
DESIGN_METHODS = (*VARIABLE_METHODS, *PAIR_METHODS, *GROUP_METHODS, *MODEL_METHODS, *WEIGHTED_METHODS)
# arguments that a call may give, and those that it must not
NARROWABLE_ARGUMENTS, FIXED_ARGUMENTS = {"bounds", "levels"}, {"unit", "neighbors", "budget", "max_weight"}
# one result for any number of variables
JOINT_METHODS = list_statistics("pairs")
# the levels of the variables make the cells
TABLE_METHODS = ("chi2_contingency", "chisquare", "crosstab")
# options of a call
CallOptions = dict[str, Any]


class MethodSignature(NamedTuple):
    """Parameters of a function in its form as a method.

    `data_parameters` are replaced by names, `first_parameter` is the name of that parameter of the method,
    `positional_parameters` are the other ones that can be passed by position, and `required_positional` those that
    must be.
    """

    function: Callable[..., object]
    data_parameters: tuple[str, ...]
    signature: inspect.Signature
    first_parameter: str
    positional_parameters: tuple[str, ...]
    option_names: frozenset[str]
    required_positional: tuple[str, ...]
    required_options: frozenset[str]


class CachedCall(NamedTuple):
    """Arguments of a function for one variable, possibly by groups, except epsilon.

    `names` are the columns that it reads. The text of the call is `text_before_epsilon`, the epsilon and
    `text_after_epsilon`.
    """

    function: Callable[..., object]
    names: list[str]
    options: CallOptions
    facts: tuple[Fact, ...]
    design_call: DesignCallText
    text_before_epsilon: str
    text_after_epsilon: str


class RepeatedCall(NamedTuple):
    """Cached call with a different epsilon."""

    name: str
    cached_call: CachedCall
    epsilon: float

    def describe_call(self) -> DesignCallText:
        """Return the call as text."""
        cached_call = self.cached_call
        return DesignCallText(
            f"{cached_call.text_before_epsilon}{self.epsilon!r}{cached_call.text_after_epsilon}",
            cached_call.design_call.data,
            cached_call.design_call.subject,
        )


def make_cache_key(
    name: str, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> tuple[str, str, str | None] | None:
    """Return the key of a cached call; None for arguments other than a variable, epsilon and a column of groups."""
    by = options.get("by")
    if [*map(type, arguments)] != [str, float] or len(options) > 1 or options and type(by) is not str:
        return None
    return name, arguments[0], by


@cache
def get_method_signature(name: str) -> MethodSignature:
    """Return the signature of a method, derived from that of its function."""
    function = getattr(pydpstat, name)
    parameters = list(inspect.signature(function).parameters.values())
    several = name in GROUP_METHODS and parameters[0].kind != parameters[0].VAR_POSITIONAL
    count = 2 if several or name in (*PAIR_METHODS, *WEIGHTED_METHODS, *JOINT_METHODS) else 1
    data, other_parameters = parameters[:count], parameters[count:]
    if name in MODEL_METHODS:
        data, other_parameters = parameters[1:2], parameters[2:]
    first_parameter = (
        "condition" if name == "count" else "formula" if name in (*GROUP_METHODS, *MODEL_METHODS) else "variables"
    )
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    before = [parameter for parameter in other_parameters if parameter.kind == kind and parameter.name != "epsilon"]
    # epsilon follows the variables, also if it is keyword-only after samples
    plain = [
        parameter.replace(kind=kind, default=parameter.empty)
        for parameter in other_parameters
        if parameter.name == "epsilon"
    ]
    options = [parameter for parameter in other_parameters if parameter.kind != kind and parameter.name != "epsilon"]
    after = [
        parameter.replace(default=None) if parameter.name in NARROWABLE_ARGUMENTS else parameter
        for parameter in options
        if parameter.name not in FIXED_ARGUMENTS
    ]
    signature = inspect.Signature([inspect.Parameter(first_parameter, kind), *before, *plain, *after])
    plainly = tuple(parameter.name for parameter in (*before, *plain) if parameter.default is parameter.empty)
    return MethodSignature(
        function,
        tuple(parameter.name for parameter in data),
        signature,
        first_parameter,
        tuple(parameter.name for parameter in (*before, *plain)),
        frozenset(parameter.name for parameter in options),
        (first_parameter, *plainly),
        frozenset(parameter.name for parameter in after if parameter.default is parameter.empty),
    )


class MethodCall(NamedTuple):
    """Call of a method, formatted only if it releases something, when its arguments have been checked.

    `subset` is the condition of the design, and `levels` are its declared levels.
    """

    name: str
    arguments: tuple[object, ...]
    options: Mapping[str, Any]
    subset: Condition | None
    levels: Mapping[str, Levels]

    def describe_call(self) -> DesignCallText:
        """Return the call as text, without the source of randomness."""
        signature = get_method_signature(self.name)
        first_argument = self.arguments[0] if self.arguments else self.options.get(signature.first_parameter)
        by = self.options.get("by") or ()
        options = {key: value for key, value in self.options.items() if key != "rng"}
        words = describe_subject(self.name, first_argument, [by] if isinstance(by, str) else by)
        words += "" if self.subset is None else f" where {self.subset.text}"
        groups: tuple[str, ...] = ()
        if self.name in GROUP_METHODS:
            groups = tuple(map(str, self.levels.get(str(first_argument).split("~")[-1].strip(), ())))
        # a count of all records has no argument before epsilon
        plain = [pair for pair in zip(signature.signature.parameters, self.arguments) if pair[1] is not None]
        typed = format_call(self._format_method(), plain, options)
        return DesignCallText(
            typed,
            "" if first_argument is None else format_argument(first_argument, signature.first_parameter),
            words,
            groups,
        )

    def _format_method(self) -> str:
        subset = "" if self.subset is None else f".subset({self.subset.text!r})"
        return f"design{subset}.{self.name}"

    def split_call_at_epsilon(self) -> tuple[DesignCallText, str, str]:
        """Return the call, and its source text before and after epsilon, for use with another epsilon."""
        design_call, first_parameter = self.describe_call(), get_method_signature(self.name).first_parameter
        before = format_call(self._format_method(), [(first_parameter, self.arguments[0])], {}).removesuffix(")") + ", "
        return design_call, before, design_call.text[len(before) + len("0.0") :]


def make_docstring(name: str) -> str:
    """Return the docstring of a method: that of its function, with the differences."""
    summary, _, body = (inspect.getdoc(get_method_signature(name).function) or "").partition("\n")
    differs = "with this design's data: variables are named, and what is declared is left out."
    return f"{summary}\n\nIt is `pydpstat.{name}` {differs}\n{body}"

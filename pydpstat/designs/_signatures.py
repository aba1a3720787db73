"""Which functions are methods of a design, how each is called, and how a call is written down."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import pydpstat
from pydpstat._release.declared_facts import Fact
from pydpstat.designs._conditions import Condition
from pydpstat.designs._facts import Levels
from pydpstat.results._call import DesignCallText, format_argument, format_call
from pydpstat.results._words import describe_subject

if TYPE_CHECKING:
    # each method with its signature, for type checkers and editors: tools/stubs.py writes it
    from pydpstat.designs._calls import Calls as Calls
else:
    Calls = object

# a variable or several by name, the first arguments of the function
VARIABLE_METHODS = (
    "any_interval any_test binomtest chisquare corr count cov crosstab histogram kstest mean median moments "
    "nunique proportion quantile quantile_test quantiles std sum ttest_1samp var"
).split()
# a variable alone is handed over as it is
SINGLE_VARIABLE_METHODS = ("mean", "median", "moments", "proportion", "std", "sum", "var")
# they take a condition
CONDITION_METHODS = ("binomtest", "count", "proportion", "weighted_proportion")
# two variables of the same records
PAIR_METHODS = ("chi2_contingency", "kendalltau", "ttest_rel", "wilcoxon")
# a variable by groups, as a formula
GROUP_METHODS = ("f_oneway", "kruskal", "ks_2samp", "mannwhitneyu", "proportions_test", "ttest_ind")
MODEL_METHODS = ("logit", "ols")
WEIGHTED_METHODS = ("weighted_mean", "weighted_proportion", "weighted_quantile", "weighted_total")
DESIGN_METHODS = (*VARIABLE_METHODS, *PAIR_METHODS, *GROUP_METHODS, *MODEL_METHODS, *WEIGHTED_METHODS)
# what a call may give itself, and what it may not
NARROWABLE_ARGUMENTS, FIXED_ARGUMENTS = {"bounds", "levels"}, {"unit", "neighbors", "budget", "max_weight"}
# of several variables one result, whatever their number
JOINT_METHODS = ("corr", "cov")
# their variables' levels make the cells
TABLE_METHODS = ("chi2_contingency", "chisquare", "crosstab")
# of a call, for the function that is called
CallOptions = dict[str, Any]


class MethodSignature(NamedTuple):
    """A function's parameters as a method has them.

    `data_parameters` are those that names stand for, `first_parameter` is what they are called in a method,
    `positional_parameters` are the others that a call may give by their places, and
    `required_positional` those that it always gives so.
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
    """What a function is called with for one variable, by groups or not, besides the epsilon.

    `names` are the columns that it looks at. The call is written as `text_before_epsilon`, the epsilon and
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
    """A known call with another epsilon."""

    name: str
    cached_call: CachedCall
    epsilon: float

    def describe_call(self) -> DesignCallText:
        """Return the call in plain text."""
        known = self.cached_call
        return DesignCallText(
            f"{known.text_before_epsilon}{self.epsilon!r}{known.text_after_epsilon}",
            known.design_call.data,
            known.design_call.subject,
        )


def make_cache_key(
    name: str, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> tuple[str, str, str | None] | None:
    """Return what a call is known by next time; None where it says more than a variable and groups."""
    by = options.get("by")
    if [*map(type, arguments)] != [str, float] or len(options) > 1 or options and type(by) is not str:
        return None
    return name, arguments[0], by


@lru_cache(maxsize=None)
def get_method_signature(name: str) -> MethodSignature:
    """Return how a method is called, from its function's own signature."""
    function = getattr(pydpstat, name)
    given = list(inspect.signature(function).parameters.values())
    several = name in GROUP_METHODS and given[0].kind != given[0].VAR_POSITIONAL
    count = 2 if several or name in (*PAIR_METHODS, *WEIGHTED_METHODS, *JOINT_METHODS) else 1
    data, rest = given[:count], given[count:]
    if name in MODEL_METHODS:
        data, rest = given[1:2], given[2:]
    first = "condition" if name == "count" else "formula" if name in (*GROUP_METHODS, *MODEL_METHODS) else "variables"
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    before = [each for each in rest if each.kind == kind and each.name != "epsilon"]
    # it follows the name, also where it stands alone behind samples
    plain = [each.replace(kind=kind, default=each.empty) for each in rest if each.name == "epsilon"]
    options = [each for each in rest if each.kind != kind and each.name != "epsilon"]
    after = [
        each.replace(default=None) if each.name in NARROWABLE_ARGUMENTS else each
        for each in options
        if each.name not in FIXED_ARGUMENTS
    ]
    own = inspect.Signature([inspect.Parameter(first, kind), *before, *plain, *after])
    plainly = tuple(each.name for each in (*before, *plain) if each.default is each.empty)
    return MethodSignature(
        function,
        tuple(each.name for each in data),
        own,
        first,
        tuple(each.name for each in (*before, *plain)),
        frozenset(each.name for each in options),
        (first, *plainly),
        frozenset(each.name for each in after if each.default is each.empty),
    )


class MethodCall(NamedTuple):
    """A call of a method, which is written down where it releases something: its arguments are checked then.

    `subset` is the design's condition, and `levels` are those that it declares.
    """

    name: str
    arguments: tuple[object, ...]
    options: Mapping[str, Any]
    subset: Condition | None
    levels: Mapping[str, Levels]

    def describe_call(self) -> DesignCallText:
        """Return the call in plain text; where randomness comes from is no part of it."""
        how = get_method_signature(self.name)
        first = self.arguments[0] if self.arguments else self.options.get(how.first_parameter)
        by = self.options.get("by") or ()
        named = {key: each for key, each in self.options.items() if key != "rng"}
        words = describe_subject(self.name, first, [by] if isinstance(by, str) else by)
        words += "" if self.subset is None else f" where {self.subset.text}"
        groups: tuple[str, ...] = ()
        if self.name in GROUP_METHODS:
            groups = tuple(map(str, self.levels.get(str(first).split("~")[-1].strip(), ())))
        # of all records nothing stands before epsilon
        plain = [pair for pair in zip(how.signature.parameters, self.arguments) if pair[1] is not None]
        typed = format_call(self._format_method(), plain, named)
        return DesignCallText(
            typed, "" if first is None else format_argument(first, how.first_parameter), words, groups
        )

    def _format_method(self) -> str:
        subset = "" if self.subset is None else f".subset({self.subset.text!r})"
        return f"design{subset}.{self.name}"

    def split_call_at_epsilon(self) -> tuple[DesignCallText, str, str]:
        """Return the call of a variable with an epsilon of 0.0, and its text before and after that."""
        asked, first = self.describe_call(), get_method_signature(self.name).first_parameter
        before = format_call(self._format_method(), [(first, self.arguments[0])], {}).removesuffix(")") + ", "
        return asked, before, asked.text[len(before) + len("0.0") :]


def make_docstring(name: str) -> str:
    """Return a method's docstring: its function's, and what differs."""
    first, _, rest = (inspect.getdoc(get_method_signature(name).function) or "").partition("\n")
    differs = "with this design's data: variables are named, and what is declared is left out."
    return f"{first}\n\nIt is `pydpstat.{name}` {differs}\n{rest}"

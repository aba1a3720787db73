"""Functions of packages with a counterpart, and calls that draw random numbers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType

from pydpstat import diffpriv, dppack
from pydpstat.porting._argument_matching import DOTS
from pydpstat.porting._code import TranslationError, make_python_name
from pydpstat.porting._scope import get_function_name, iterate_nodes
from pydpstat.porting._syntax import Call, Function, Name, Node
from pydpstat.random.r_stream import RRandom

PACKAGES: Mapping[str, ModuleType] = {"DPpack": dppack, "diffpriv": diffpriv}
# internal functions of diffpriv
INTERNAL_FUNCTIONS = {".rlap": "rlap"}
# internal methods of diffpriv's parameters
GENERIC_FUNCTIONS = {"getEpsilon", "getDelta", "getGamma", "toGamma"}
# R's generators that a stream draws with another generator
DERIVED_GENERATORS = {"rlnorm", "rchisq", "sample.int"}
# methods that draw, and functions whose arguments draw
DRAWING_METHODS = {"fit", "sampling"}
_DRAWN_BY_OTHERS = {"sensitivitySampler", "sensitivitySamplerManual"}
# functions that display or change something outside themselves
_SIDE_EFFECTS = {"cat", "print", "message", "warning", "<<-", "Recall", "do.call"}
_BRANCHES = {"if", "for", "while", "repeat", "&&", "||", "switch", "ifelse"}


def has_export(package: str, name: str) -> bool:
    """Return whether a mirror has a function or class with this R name."""
    plain = make_python_name(name) if name.isascii() else "_"
    return not plain.startswith("_") and callable(getattr(PACKAGES.get(package), plain, None))


@cache
def has_stream_parameter(package: str, name: str) -> bool:
    """Return whether a function of a mirror has a stream parameter."""
    thing = getattr(PACKAGES[package], name, None)
    return callable(thing) and "rng" in inspect.signature(thing).parameters


def is_stream_function(name: str) -> bool:
    """Return whether an R function draws from the stream."""
    name = INTERNAL_FUNCTIONS.get(name, name)
    return name in DERIVED_GENERATORS or (name.startswith(("r", "sample")) and hasattr(RRandom, name))


class ScriptFunctions(dict[str, Function]):
    """Functions of a script by name, with those that draw, determined once."""

    _drawing: frozenset[str] | None = None

    def __setitem__(self, name: str, made: Function) -> None:
        if self.get(name) is not made:
            self._drawing = None
        super().__setitem__(name, made)

    @property
    def drawing_names(self) -> frozenset[str]:
        """Names of the functions that draw or have side effects, directly or through calls."""
        if self._drawing is None:
            callers: dict[str, list[str]] = {}
            for name, made in self.items():
                for one in {one for each in iterate_nodes(made) for one in _get_used_names(each)}:
                    callers.setdefault(one, []).append(name)
            left = [name for name, made in self.items() if any(map(_has_side_effect, iterate_nodes(made)))]
            found = set(left)
            while left:
                more = set(callers.get(left.pop(), ())) - found
                found |= more
                left += more
            self._drawing = frozenset(found)
        return self._drawing


def can_draw(node: Node | None, functions: ScriptFunctions) -> bool:
    """Return whether evaluating a node may draw random numbers or have a side effect."""
    return any(
        _has_side_effect(each) or not functions.drawing_names.isdisjoint(_get_used_names(each))
        for each in iterate_nodes(node)
    )


def _get_used_names(node: Node) -> tuple[str, ...]:
    """Return the names that a node refers to or calls."""
    name = get_function_name(node) or (node.name if isinstance(node, Name) else "")
    return (name,) if name else ()


def _has_side_effect(node: Node) -> bool:
    """Return whether a node's own call draws or has a side effect."""
    name = get_function_name(node)
    plain = make_python_name(name)
    if is_stream_function(name) or name in _SIDE_EFFECTS:
        return True
    if isinstance(node, Call) and get_function_name(node.function) == "$" and isinstance(node.function, Call):
        method = node.function.arguments[1].value
        if isinstance(method, Name) and method.name in DRAWING_METHODS:
            return True
    return plain not in _DRAWN_BY_OTHERS and any(has_stream_parameter(package, plain) for package in PACKAGES)


def is_safe_order(function: Function, names: Sequence[str], functions: ScriptFunctions) -> bool:
    """Return whether a function uses these arguments in this order, on every path and before it draws."""
    left = list(names)
    for each in _collect_evaluated_nodes(function.body):
        if not left:
            return True
        if isinstance(each, Name) and each.name in left:
            if each.name != left.pop(0):
                return False
        elif isinstance(each, Function) or get_function_name(each) in _BRANCHES:
            return False
        elif isinstance(each, Call) and can_draw(each, functions):
            inside = {one.name for one in iterate_nodes(each) if isinstance(one, Name)}
            if not inside & set(left):
                return False
    return not left


def _collect_evaluated_nodes(node: Node | None) -> list[Node]:
    """Return nodes approximately in R's order of evaluation, arguments before the called function."""
    if not isinstance(node, Call):
        return [] if node is None else [node]
    name = get_function_name(node)
    values = [each.value for each in node.arguments]
    if name in ("<-", "=", "<<-"):
        values = values[1:]
    inside = [one for each in values for one in _collect_evaluated_nodes(each)]
    if name in _BRANCHES:
        # a condition is evaluated on every path
        return (
            [*_collect_evaluated_nodes(values[0]), node] if name in ("if", "ifelse", "switch", "&&", "||") else [node]
        )
    return [*inside, node]


def check_argument_order(
    values: Sequence[tuple[str, Node]],
    function: Function | None,
    functions: ScriptFunctions,
    what: str,
) -> None:
    """Refuse a call whose arguments draw in different orders in R and Python."""
    drawing = [name for name, value in values if can_draw(value, functions)]
    if not drawing:
        return
    if function is None:
        if len(drawing) > 1 and set(drawing) != {DOTS}:
            raise TranslationError(f"two arguments of {what} draw or act, and R does it when {what} uses them")
        return
    r_names = {make_python_name(str(each.name)): str(each.name) for each in function.formals}
    names = [r_names.get(name, name) for name in drawing]
    given = {r_names.get(name, name) for name, _ in values}
    defaults = [each for each in find_drawing_defaults(function, functions) if each not in given]
    if not is_safe_order(function, [*names, *defaults], functions):
        raise TranslationError(f"R evaluates {', '.join([*names, *defaults])} only when {what} uses it")


def has_dots(function: Function) -> bool:
    """Return whether a function takes further arguments by ``...``."""
    return any(each.name == DOTS for each in function.formals)


def find_drawing_defaults(function: Function, functions: ScriptFunctions) -> list[str]:
    """Return the parameters whose defaults draw, in order."""
    return [str(each.name) for each in function.formals if each.value and can_draw(each.value, functions)]


def find_added_parameters(function: Function) -> set[str]:
    """Return the parameters that a function adds or multiplies unchanged."""
    found = [
        each
        for each in iterate_nodes(function.body)
        if get_function_name(each) in ("+", "*") and isinstance(each, Call)
    ]
    names = [one.value for each in found for one in each.arguments]
    return {make_python_name(each.name) for each in names if isinstance(each, Name)}


def find_index_parameters(function: Function) -> set[str]:
    """Return the parameters that are positions of a vector's elements."""
    found = [each for each in iterate_nodes(function.body) if get_function_name(each) == "[" and isinstance(each, Call)]
    names = [one.value for each in found for one in each.arguments[1:]]
    return {make_python_name(each.name) for each in names if isinstance(each, Name)}


def find_lazy_parameters(function: Function) -> set[str]:
    """Return the parameters that only inner functions use, which R evaluates later."""
    used = {one.name for one in _collect_evaluated_nodes(function.body) if isinstance(one, Name)}
    inside = {
        one.name
        for each in iterate_nodes(function.body)
        if isinstance(each, Function)
        for one in iterate_nodes(each.body)
        if isinstance(one, Name)
    }
    return {str(each.name) for each in function.formals} & inside - used

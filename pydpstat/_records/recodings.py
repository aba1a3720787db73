"""What to write in place of functions of R, NumPy and pandas that recode a column."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

_OF_OTHER_RECORDS = (
    "What depends on other records, such as a mean, must be released first: write its value, a public number."
)
_ELSEWHERE = (
    "Compute it in the data first, from each record alone, and declare the bounds or the levels of the new column."
)
_CASES = (
    "Make a condition of each case, as assign(old='age >= 65', near=\"region in ('north', 'south')\"): its levels are "
    "False and True."
)
_NAMES = {
    "ifelse": ("ifelse", "if_else", "fifelse", "where", "iif"),
    "cut": ("cut", "findInterval", "digitize"),
    "cases": ("case_when", "case_match", "recode", "map", "replace", "select", "mapvalues", "fct_recode", "switch"),
    "factor": ("factor", "ordered", "category", "as_factor", "Categorical"),
    "number": ("numeric", "integer", "double", "float", "int", "astype", "to_numeric", "logical", "bool"),
    "between": ("between",),
    "clip": ("clip", "pmin", "pmax", "minimum", "maximum"),
    "records": "mean median sum sd std var min max scale center rank quantile qcut ntile poly count n len".split(),
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names}
_CALLED = re.compile(r"(?:[A-Za-z_]\w*(?:\.|::))*([A-Za-z_]\w*)\s*\(")


def has_recoding(text: str) -> bool:
    """Return whether a text calls a known function that recodes a column."""
    return any(name in _KINDS for name in _CALLED.findall(text))


def suggest_recoding(text: str) -> str:
    """Return what to write in place of an expression that is not arithmetic of one record's columns.

    Examples
    --------
    >>> suggest_recoding("ifelse(age > 50, 1, 0)")
    "Write the condition alone, 'age > 50'."
    >>> suggest_recoding("between(age, 20, 30)")
    "Write '20 <= age <= 30'."
    """
    try:
        tree: ast.AST | None = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    for node in [] if tree is None else ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Attribute(attr="dt" | "str" | "cat" as accessor), attr=part):
                example = f"{part}=frame['day'].{accessor}.{part}"
                return f"Compute the column in the data frame first, frame.assign({example}), and declare it."
        if isinstance(node, ast.IfExp):
            return _suggest_choice([node.test, node.body, node.orelse])
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            return _suggest_cut([node.left])
    kinds = [_KINDS[name] for name in _CALLED.findall(text) if name in _KINDS]
    if not kinds:
        return _ELSEWHERE
    kind = kinds[0]
    return _SUGGESTIONS[kind](_find_arguments(tree, kind))


def _find_arguments(tree: ast.AST | None, kind: str) -> list[ast.expr]:
    """Return the arguments of the first call of a function of this kind; the object of a method comes first."""
    for node in [] if tree is None else ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and _KINDS.get(node.func.id) == kind:
            return node.args
        if isinstance(node.func, ast.Attribute) and _KINDS.get(node.func.attr) == kind:
            module = ast.unparse(node.func.value) in ("np", "numpy", "pd", "pandas")
            return node.args if module else [node.func.value, *node.args]
    return []


def _suggest_choice(arguments: list[ast.expr]) -> str:
    if len(arguments) != 3:
        return _CASES
    condition, yes, no = map(ast.unparse, arguments)
    if (yes, no) in (("1", "0"), ("True", "False"), ("TRUE", "FALSE"), ("T", "F")):
        return f"Write the condition alone, {condition!r}."
    if any(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in arguments[1:]):
        return f"Write the condition alone, {condition!r}: its levels are False and True."
    return (
        f"Make the condition a column first, assign(is_true={condition!r}), and then the numbers, "
        f"assign(x='({yes}) * is_true + ({no}) * (1 - is_true)')."
    )


def _suggest_cut(arguments: list[ast.expr]) -> str:
    column, limits = "age", ["30", "60"]
    if arguments and isinstance(arguments[0], ast.Name):
        column = arguments[0].id
    given = arguments[1] if len(arguments) > 1 else None
    parts = given.args if isinstance(given, ast.Call) else getattr(given, "elts", [])
    if len(parts) > 2:
        # the outer limits are those of the bounds
        limits = [ast.unparse(each) for each in parts[1:-1]][:3]
    columns = [f"from_{limit}='{column} >= {limit}'" for limit in limits if limit.isdigit()]
    columns = columns or [f"above='{column} >= {limits[0]}'"]
    names = ", ".join(repr(each.partition("=")[0]) for each in columns)
    return (
        f"Make a condition of each limit, assign({', '.join(columns)}), and use them together, by=[{names}]. "
        "Counts of intervals are a histogram."
    )


def _suggest_between(arguments: list[ast.expr]) -> str:
    if len(arguments) < 3:
        return "Write two comparisons, as in '18 <= age <= 65'."
    column, low, high = map(ast.unparse, arguments[:3])
    return f"Write '{low} <= {column} <= {high}'."


_SUGGESTIONS: dict[str, Callable[[list[ast.expr]], str]] = {
    "ifelse": _suggest_choice,
    "cut": _suggest_cut,
    "cases": lambda _: _CASES,
    "factor": lambda _: "Declare the levels of the column: it is then one of groups, and C(column) in a formula.",
    "number": lambda _: (
        "Write the column alone: a column with bounds is one of numbers, and a condition counts as 0 or 1."
    ),
    "between": _suggest_between,
    "clip": lambda _: "Declare narrower bounds: values outside are clipped to them.",
    "records": lambda _: _OF_OTHER_RECORDS,
}

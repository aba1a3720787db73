"""Expressions as R deparses them for the names of data."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydpstat.porting._scope import get_function_name
from pydpstat.porting._syntax import Argument, Call, Constant, Name, Node
from pydpstat.r_arithmetic import as_character

_UNSPACED_OPERATORS = {"/", "^", ":", "$", "@", "::", ":::"}
_SPACED_OPERATORS = {"+", "-", "*", "<", ">", "<=", ">=", "==", "!=", "&", "|", "&&", "||", "~"}
_UNARY_OPERATORS = {"-", "+", "!", "~"}
_LOGICAL_WORDS = {True: "TRUE", False: "FALSE", None: "NA"}


def format_as_r(node: Node | None) -> str | None:
    """Return an expression as R's ``deparse`` writes it, or None where the result may differ.

    Examples
    --------
    >>> from pydpstat.porting import parse
    >>> format_as_r(parse("c( a$b[ 1:3,'u' ],-2e5 , n=1L )").expressions[0])
    'c(a$b[1:3, "u"], -2e+05, n = 1L)'
    """
    if isinstance(node, Name):
        return node.name if _is_syntactic_name(node.name) else None
    if isinstance(node, Constant):
        return _format_constant(node)
    if not isinstance(node, Call):
        return None
    name, given = get_function_name(node), node.arguments
    if name in ("[", "[["):
        first, rest = _format_arguments(given[:1]), _format_arguments(given[1:])
        return None if first is None or rest is None else f"{first}{name}{rest}{']' * len(name)}"
    parts = [format_as_r(each.value) for each in given]
    if name == "(" or (name in _UNARY_OPERATORS and len(parts) == 1):
        return None if parts[0] is None else f"({parts[0]})" if name == "(" else f"{name}{parts[0]}"
    if len(parts) == 2 and (name in _UNSPACED_OPERATORS | _SPACED_OPERATORS or name.startswith("%")):
        between = name if name in _UNSPACED_OPERATORS else f" {name} "
        return None if None in parts else between.join(map(str, parts))
    inside = _format_arguments(given)
    return None if inside is None or not _is_syntactic_name(name) else f"{name}({inside})"


def _is_syntactic_name(name: str) -> bool:
    return re.fullmatch(r"(?!\d|\.\d|_)[\w.]+", name) is not None and name not in ("if", "for", "while")


def _format_constant(node: Constant) -> str | None:
    value = node.value
    if node.kind == "NULL":
        return "NULL"
    if node.kind == "logical":
        return _LOGICAL_WORDS[value]  # type: ignore[index]
    if isinstance(value, str):
        return f'"{value}"' if value.isprintable() and not {'"', "\\"} & {*value} else None
    if value is None or isinstance(value, complex):
        return None
    return f"{value}L" if node.kind == "integer" else as_character(value)


def _format_arguments(given: Sequence[Argument]) -> str | None:
    parts = ["" if each.value is None else format_as_r(each.value) for each in given]
    if None in parts or not all(_is_syntactic_name(each.name) for each in given if each.name):
        return None
    names = [f"{each.name} = " if each.name else "" for each in given]
    return ", ".join(f"{name}{part}" for name, part in zip(names, parts))

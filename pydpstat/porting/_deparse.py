"""Expressions as R writes them, which it takes for names of data."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydpstat.porting._scope import function_name
from pydpstat.porting._syntax import Argument, Call, Constant, Name, Node
from pydpstat.r_arithmetic import as_character

_TIGHT = {"/", "^", ":", "$", "@", "::", ":::"}
_SPACED = {"+", "-", "*", "<", ">", "<=", ">=", "==", "!=", "&", "|", "&&", "||", "~"}
_SIGNS = {"-", "+", "!", "~"}
_WORDS = {True: "TRUE", False: "FALSE", None: "NA"}


def deparsed(node: Node | None) -> str | None:
    """Return an expression as R's ``deparse`` writes it, or None where it may be otherwise.

    Examples
    --------
    >>> from pydpstat.porting import parse
    >>> deparsed(parse("c( a$b[ 1:3,'u' ],-2e5 , n=1L )").expressions[0])
    'c(a$b[1:3, "u"], -2e+05, n = 1L)'
    """
    if isinstance(node, Name):
        return node.name if _is_plain(node.name) else None
    if isinstance(node, Constant):
        return _constant(node)
    if not isinstance(node, Call):
        return None
    name, given = function_name(node), node.arguments
    if name in ("[", "[["):
        first, rest = _arguments(given[:1]), _arguments(given[1:])
        return None if first is None or rest is None else f"{first}{name}{rest}{']' * len(name)}"
    parts = [deparsed(each.value) for each in given]
    if name == "(" or (name in _SIGNS and len(parts) == 1):
        return None if parts[0] is None else f"({parts[0]})" if name == "(" else f"{name}{parts[0]}"
    if len(parts) == 2 and (name in _TIGHT | _SPACED or name.startswith("%")):
        between = name if name in _TIGHT else f" {name} "
        return None if None in parts else between.join(map(str, parts))
    inside = _arguments(given)
    return None if inside is None or not _is_plain(name) else f"{name}({inside})"


def _is_plain(name: str) -> bool:
    return re.fullmatch(r"(?!\d|\.\d|_)[\w.]+", name) is not None and name not in ("if", "for", "while")


def _constant(node: Constant) -> str | None:
    value = node.value
    if node.kind == "NULL":
        return "NULL"
    if node.kind == "logical":
        return _WORDS[value]  # type: ignore[index]
    if isinstance(value, str):
        return f'"{value}"' if value.isprintable() and not {'"', "\\"} & {*value} else None
    if value is None or isinstance(value, complex):
        return None
    return f"{value}L" if node.kind == "integer" else as_character(value)


def _arguments(given: Sequence[Argument]) -> str | None:
    parts = ["" if each.value is None else deparsed(each.value) for each in given]
    if None in parts or not all(_is_plain(each.name) for each in given if each.name):
        return None
    names = [f"{each.name} = " if each.name else "" for each in given]
    return ", ".join(f"{name}{part}" for name, part in zip(names, parts))

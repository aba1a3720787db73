"""Public transformations in formulas: computed record by record, with bounds that follow from the columns'.

The bounds are those of interval arithmetic: a monotone function has them at its argument's bounds, an even
power has 0 between bounds of two signs, and a product has them among the products of bounds. Nothing is
evaluated as code: Python's own grammar reads a text, of which arithmetic and a few functions are allowed.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Pair
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import exp, expm1, log, log1p, log10

Floats = npt.NDArray[np.float64]
# each with the least number that it is defined at, or above which it is
_FUNCTIONS: dict[str, tuple[Callable[[Floats], Any], float, bool]] = {
    "log": (log, 0.0, False),
    "log2": (lambda x: log(x) / math.log(2.0), 0.0, False),
    "log10": (log10, 0.0, False),
    "log1p": (log1p, -1.0, False),
    "exp": (exp, -math.inf, True),
    "expm1": (expm1, -math.inf, True),
    "sqrt": (np.sqrt, 0.0, True),
    "abs": (np.abs, -math.inf, True),
}
_LEARNS = ("center", "scale", "standardize", "bs", "ns", "cr", "cc", "cs", "te", "poly", "hashed", "lag")
_MOST_POWER = 20


@dataclass(frozen=True, slots=True)
class Expression:
    """A number that is computed from columns of its own record; public.

    Parameters
    ----------
    text : str
        As the formula has it, such as ``"I(x ** 2)"`` or ``"np.log(x)"``.
    """

    text: str

    def check(self) -> None:
        """Refuse what is no transformation of columns, or looks at other records."""
        _check(_parsed(self.text), self.text)
        if not self.columns:
            raise _unsuitable(self.text)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it needs."""
        return tuple(dict.fromkeys(_columns(_parsed(self.text))))

    def bounds(self, pairs: Mapping[str, Pair]) -> Pair:
        """Return public bounds from those of the columns."""
        low, high = _interval(_parsed(self.text), pairs, self.text)
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise PydpstatError(
                f"{self.text} must have finite bounds, the lower one less; from the columns' bounds follow "
                f"{(low, high)}. Give narrower bounds, or another transformation."
            )
        return low, high

    def values(self, columns: Mapping[str, Floats]) -> Floats:
        """Return the numbers of records; not finite where it is not defined."""
        with np.errstate(all="ignore"):
            return np.asarray(_values(_parsed(self.text), columns), dtype=np.float64)


def named_column(node: ast.expr) -> str | None:
    """Return the column that a part of a formula is: its name, or Q() of it."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Name(id="Q"), args=[ast.Constant(value=str(name))], keywords=[]):
            return name
    return None


@lru_cache(maxsize=256)
def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise _unsuitable(text) from error


def _unsuitable(text: str) -> PydpstatError:
    return PydpstatError(
        "formula must have columns, C(column), and public transformations as its terms: I() of +, -, *, / "
        f"and **, and {', '.join(_FUNCTIONS)}, with or without np.; got {checks.shown_option(text)}. Make a "
        "column of anything else first, with bounds of its own. Of levels the first one given is the "
        "reference."
    )


def _function(node: ast.Call) -> str:
    """Return a function's name without the package it is from; empty where it has another form."""
    match node.func:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name):
            return name
    return ""


def _check(node: ast.expr, text: str) -> None:
    if named_column(node) is not None or _constant(node) is not None:
        return
    match node:
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            power = _constant(right)
            if power is None or not (power == int(power) and 1 <= power <= _MOST_POWER):
                raise PydpstatError(
                    f"formula must have powers that are integers from 1 to {_MOST_POWER}; got "
                    f"{checks.shown_option(text)}. Write sqrt(x) or 1 / x for others."
                )
            return _check(left, text)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            _check(left, text)
            return _check(right, text)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _check(operand, text)
        case ast.Call(args=args):
            name = _function(node)
            if name in _LEARNS:
                raise PydpstatError(
                    f"formula must not have {name}(), which learns from all records what it does to one, so "
                    f"that bounds and sensitivity would depend on the data; got {checks.shown_option(text)}. "
                    "Write one with public numbers, such as I((x - 40) / 10), I(x ** 2) or log(x)."
                )
            if len(args) == 1 and not node.keywords and (name == "I" or name in _FUNCTIONS):
                return _check(args[0], text)
    raise _unsuitable(text)


def _constant(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value) if type(value) is not bool:
            return float(value)
    return None


def _columns(node: ast.expr) -> list[str]:
    name = named_column(node)
    if name is not None:
        return [name]
    parts = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    return [each for part in parts if isinstance(part, ast.expr) for each in _columns(part)]


def _values(node: ast.expr, columns: Mapping[str, Floats]) -> Any:
    name, number = named_column(node), _constant(node)
    if name is not None or number is not None:
        return number if name is None else columns[name]
    match node:
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            found = base = _values(left, columns)
            for _ in range(int(_constant(right) or 1) - 1):
                found = found * base
            return found
        case ast.BinOp(left=left, op=op, right=right):
            return _combined(op, _values(left, columns), _values(right, columns))
        case ast.UnaryOp(op=op, operand=operand):
            found = _values(operand, columns)
            return -found if isinstance(op, ast.USub) else found
        case ast.Call(args=args):
            name, found = _function(node), _values(args[0], columns)
            return found if name == "I" else _FUNCTIONS[name][0](np.asarray(found, dtype=np.float64))
    raise AssertionError(ast.dump(node))


def _combined(op: ast.operator, one: Any, other: Any) -> Any:
    if isinstance(op, ast.Add):
        return one + other
    if isinstance(op, ast.Sub):
        return one - other
    return one * other if isinstance(op, ast.Mult) else np.divide(one, other)


def _interval(node: ast.expr, pairs: Mapping[str, Pair], text: str) -> Pair:
    name, number = named_column(node), _constant(node)
    if name is not None or number is not None:
        return (number, number) if name is None else pairs[name]  # type: ignore[return-value]
    match node:
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            low, high = _interval(left, pairs, text)
            power = int(_constant(right) or 1)
            ends = [_power(low, power), _power(high, power)]
            return (0.0 if power % 2 == 0 and low < 0.0 < high else min(ends)), max(ends)
        case ast.BinOp(left=left, op=op, right=right):
            return _operated(op, _interval(left, pairs, text), _interval(right, pairs, text), text)
        case ast.UnaryOp(op=op, operand=operand):
            low, high = _interval(operand, pairs, text)
            return (-high, -low) if isinstance(op, ast.USub) else (low, high)
        case ast.Call(args=args):
            return _applied(_function(node), _interval(args[0], pairs, text), text)
    raise AssertionError(ast.dump(node))


def _power(x: float, power: int) -> float:
    found = x
    for _ in range(power - 1):
        found *= x
    return found


def _operated(op: ast.operator, one: Pair, other: Pair, text: str) -> Pair:
    if isinstance(op, ast.Sub):
        one, other, op = one, (-other[1], -other[0]), ast.Add()
    if isinstance(op, ast.Add):
        return one[0] + other[0], one[1] + other[1]
    if isinstance(op, ast.Div):
        if other[0] <= 0.0 <= other[1]:
            raise PydpstatError(
                f"{text} must divide by what is never 0; from the columns' bounds follow {other}. Give "
                "bounds of one sign, or divide by a public number."
            )
        other = 1.0 / other[1], 1.0 / other[0]
    ends = [a * b for a in one for b in other]
    return min(ends), max(ends)


def _applied(name: str, pair: Pair, text: str) -> Pair:
    if name == "I":
        return pair
    function, least, itself = _FUNCTIONS[name]
    if pair[0] < least or (pair[0] == least and not itself):
        also = " Or write log1p(x), which is defined at 0." if least == pair[0] == 0.0 else ""
        raise PydpstatError(
            f"{text} must be of numbers whose lower bound is {'at least' if itself else 'above'} {least:g}, "
            f"where {name} is defined; from the columns' bounds follows {pair[0]!r}. Give a larger lower "
            f"bound, to which smaller values are clipped.{also}"
        )
    if name == "abs":
        ends = [abs(pair[0]), abs(pair[1])]
        return (0.0 if pair[0] < 0.0 < pair[1] else min(ends)), max(ends)
    with np.errstate(over="ignore"):
        low, high = (float(function(np.array([end]))[0]) for end in pair)
    return low, high

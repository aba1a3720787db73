"""Numbers made of declared columns, such as ``log(income)`` or ``after - before``, record by record.

An expression is read by Python's own grammar, of which only arithmetic and a few functions are allowed, and
nothing is evaluated as code. What is made of a record depends on this record alone: operations of floats are
rounded as IEEE 754 says, and functions as the C library rounds them, wherever a record stands among others.
What is missing or undefined, as the logarithm of 0, makes a missing value.
"""

from __future__ import annotations

import ast
import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Pair
from pydpstat._data.containers import floats_of, is_numeric
from pydpstat._release.statistic import quiet
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic import elementary

Floats = npt.NDArray[np.float64]
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.divide,
    ast.Pow: lambda base, exponent: _power(base, float(exponent)),
}
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs,
    "exp": elementary.exp,
    "log": elementary.log,
    "log10": elementary.log10,
    "log1p": elementary.log1p,
    "sqrt": np.sqrt,
}
# below these a function has no value, and at them none that is finite, or one
_FROM = {"log": 0.0, "log10": 0.0, "log1p": -1.0, "sqrt": 0.0}
# up to so many factors a power is their product
_FACTORS = 8
_EXAMPLE = "Write for example 'log(income)' or 'after - before'."
_WHOLE_LINE = (-math.inf, math.inf)


@dataclass(frozen=True)
class Numbers:
    """Numbers made of columns; public.

    Parameters
    ----------
    text : str
        As it was written.
    """

    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it needs."""
        return names_in(parsed(self.text))

    def check(self, declared: Sequence[str]) -> None:
        """Refuse what is no arithmetic, or needs a column of which nothing is declared."""
        node = parsed(self.text)
        check_arithmetic(node, self.text)
        if not self.names:
            raise PydpstatError(f"an expression must be of columns; got {self.text!r}. {_EXAMPLE}")
        check_names(self.names, declared, "expression", self.text)

    def within(self, bounds: Mapping[str, Pair]) -> Pair:
        """Return bounds of the numbers, by interval arithmetic; infinite ones where they have none."""
        return _range(parsed(self.text), bounds)

    def values(self, columns: Mapping[str, Any]) -> Floats:
        """Return the number of each record, NaN where it is missing or undefined."""
        return arithmetic(parsed(self.text), columns)


@lru_cache(maxsize=256)
def parsed(text: str) -> ast.expr:
    """Return an expression as Python's grammar has it."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise PydpstatError(
            f"a condition or an expression must be one that Python can read; got {checks.excerpt(text)}. "
            "Write for example \"age >= 18 and region == 'north'\", or 'log(income)'."
        ) from error


def names_in(node: ast.AST) -> tuple[str, ...]:
    """Return the columns of an expression, each once; a function's name is none."""
    called = {id(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}
    found = [each.id for each in ast.walk(node) if isinstance(each, ast.Name) and id(each) not in called]
    return tuple(dict.fromkeys(found))


def check_names(names: Iterable[str], declared: Sequence[str], what: str, text: str) -> None:
    """Refuse columns of which nothing is declared."""
    for name in names:
        if name not in declared:
            raise PydpstatError(
                f"the {what} {text!r} must be on declared columns; got {name!r}. Declare its bounds or "
                f"levels; a text needs quotes. {checks.did_you_mean(name, declared)}"
            )


def check_arithmetic(node: ast.expr, text: str) -> None:
    """Refuse whatever is no arithmetic of columns and numbers."""
    match node:
        case ast.Name():
            return
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and _fits(value):
            return
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return check_arithmetic(operand, text)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            if isinstance(op, ast.Pow) and not _constant(right):
                raise PydpstatError(
                    "an expression must have a number other than 0 as exponent; got "
                    f"{checks.excerpt(ast.unparse(node))}. Use exp() and log() for other powers."
                )
            check_arithmetic(left, text)
            return check_arithmetic(right, text)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return check_arithmetic(argument, text)
    raise PydpstatError(
        f"an expression must be made of columns and numbers by + - * / ** and {', '.join(_FUNCTIONS)}; got "
        f"{checks.excerpt(ast.unparse(node))} in {checks.excerpt(text)}. What looks at other records, as "
        "a mean does, must be released first: write its number."
    )


def is_arithmetic(node: ast.expr) -> bool:
    """Tell whether something is a column, a number, or made of these."""
    try:
        check_arithmetic(node, "")
    except PydpstatError:
        return False
    return True


def _fits(value: float) -> bool:
    return abs(value) <= sys.float_info.max


def _constant(node: ast.expr) -> float | None:
    """Return a number that stands there, with a sign or without."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -float(value)
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
    return None


@quiet
def arithmetic(node: ast.expr, columns: Mapping[str, Any]) -> Floats:
    """Return the numbers of an expression, a number for all records where it needs no column."""
    match node:
        case ast.Name(id=name):
            found = _numbers(name, columns[name])
        case ast.Constant(value=int() | float() as value):
            found = np.asarray(float(value))
        case ast.UnaryOp(op=op, operand=operand):
            found = arithmetic(operand, columns)
            return -found if isinstance(op, ast.USub) else found
        case ast.BinOp(left=left, op=op, right=right):
            found = _ARITHMETIC[type(op)](arithmetic(left, columns), arithmetic(right, columns))
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            found = _FUNCTIONS[name](arithmetic(argument, columns))
        case _:
            raise AssertionError(ast.dump(node))
    return np.where(np.isfinite(found), found, np.nan)


def _numbers(name: str, column: Any) -> Floats:
    import pandas as pd

    series = pd.Series(column)
    if not is_numeric(series):
        raise PydpstatError(
            f"an expression must be of numbers or truth values; {name!r} has the type {series.dtype}. Use it "
            "in a comparison, as in \"region == 'north'\"."
        )
    return floats_of(series)


def _range(node: ast.expr, bounds: Mapping[str, Pair]) -> Pair:
    """Return the smallest and the largest value that an expression can have; the whole line for no limit."""
    match node:
        case ast.Name(id=name):
            return bounds.get(name, _WHOLE_LINE)
        case ast.Constant(value=int() | float() as value):
            return float(value), float(value)
        case ast.UnaryOp(op=op, operand=operand):
            low, high = _range(operand, bounds)
            return (-high, -low) if isinstance(op, ast.USub) else (low, high)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            exponent = _constant(right)
            assert exponent is not None
            return _power_range(_range(left, bounds), exponent)
        case ast.BinOp(left=left, op=op, right=right):
            first, second = _range(left, bounds), _range(right, bounds)
            if isinstance(op, ast.Div) and second[0] <= 0.0 <= second[1]:
                return _WHOLE_LINE
            return _hull(_ARITHMETIC[type(op)], [(x, y) for x in first for y in second])
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            low, high = _range(argument, bounds)
            if name == "abs":
                return _power_range((low, high), 1.0, lambda x, _: abs(x))
            least = _FROM.get(name, -math.inf)
            return _WHOLE_LINE if high < least else _hull(_FUNCTIONS[name], [(max(low, least),), (high,)])
    raise AssertionError(ast.dump(node))


def _power(base: Any, exponent: float) -> Any:
    """Return a power: of few factors by multiplication."""
    if exponent == int(exponent) and abs(exponent) <= _FACTORS:
        found = reduce(operator.mul, [base] * int(abs(exponent)))
        return found if exponent > 0.0 else np.divide(1.0, found)
    return elementary.power(base, exponent)


def _power_range(base: Pair, exponent: float, power: Callable[[Any, float], Any] = _power) -> Pair:
    """Return what a power makes of a range: it is monotone on either side of 0."""
    low, high = base
    if exponent != int(exponent):
        low = max(low, 0.0)
    if high < low:
        return _WHOLE_LINE
    if exponent < 0.0 and low <= 0.0 <= high:
        return _WHOLE_LINE
    places = [low, high, *([0.0] if low < 0.0 < high else [])]
    return _hull(power, [(each, exponent) for each in places])


@quiet
def _hull(function: Callable[..., Any], places: list[tuple[float, ...]]) -> Pair:
    """Return the smallest and the largest value of a function at some places; the whole line for NaN."""
    found = [float(function(*map(np.float64, each))) for each in places]
    return _WHOLE_LINE if any(map(math.isnan, found)) else (min(found), max(found))

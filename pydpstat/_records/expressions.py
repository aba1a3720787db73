"""Arithmetic of columns, record by record, and bounds of its results by interval arithmetic.

An expression is parsed by Python's grammar, of which only arithmetic and a few functions are allowed, and is
never evaluated as code. The result for a record depends on this record only: floating-point operations are
rounded as specified by IEEE 754, and functions as implemented in `elementary`, at any position of the record.

The extrema of a sum, product or ratio are among its values at the operands' bounds, with the same rounding as
the numbers themselves, and those of a monotone function are at its argument's bounds; an even power and the
absolute value are monotone on either side of 0.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import VariableBounds
from pydpstat._records.recodings import has_recoding, suggest_recoding
from pydpstat._release.statistic import guard_release
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic import elementary
from pydpstat.r_arithmetic.elementary import Floats, Numbers

_BINARY_OPERATORS: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.divide,
    ast.Pow: lambda base, exponent: _raise_to_power(base, float(exponent)),
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "exp": elementary.exp,
    "expm1": elementary.expm1,
    "log": elementary.log,
    "log2": lambda x: elementary.log(x) / math.log(2.0),
    "log10": elementary.log10,
    "log1p": elementary.log1p,
    "sqrt": np.sqrt,
}
# functions are undefined below these, and infinite or defined at them
DOMAIN_MINIMUM = {"log": 0.0, "log2": 0.0, "log10": 0.0, "log1p": -1.0, "sqrt": 0.0}
# integer powers up to this exponent are products
MAX_FACTORS = 20
REAL_LINE = (-math.inf, math.inf)
# syntax of R and SQL that differs from Python's
_R_AND_SQL_HINTS = {
    r"%in%": "Write in, as in \"region in ('north', 'south')\".",
    r"&&|\|\||!(?!=)": "Write and, or, not, as in \"age >= 18 and not region == 'north'\".",
    r"=[<>]": "Write <= or >=, as in 'age >= 18'.",
    r"<>": "Write !=, as in \"region != 'north'\".",
    r"\bis\.na\b|\bis (not )?null\b": "A comparison leaves out records whose value is missing.",
    r"(?<![=<>!])=(?!=)": "Write ==, as in \"region == 'north'\".",
}


# a string, or R's sign for powers outside of strings
_POWER = re.compile(r"""('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|\^""")


class _NotationRewriter(ast.NodeTransformer):
    """Rewriter of ``I(x)`` to x, and of functions of NumPy to those of the same name."""

    def visit_Call(self, node: ast.Call) -> ast.expr:  # noqa: N802
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="I"), args=[inner], keywords=[]):
                return inner
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name)) if name in FUNCTIONS:
                node.func = ast.Name(name, ast.Load())
        return node


@lru_cache(maxsize=256)
def parse_syntax_tree(text: str) -> ast.expr:
    """Parse an expression by Python's grammar, with ``^`` for powers, ``I()`` and ``np.`` as in formulas."""
    try:
        tree = ast.parse(_POWER.sub(lambda part: part[1] or "**", text.strip()), mode="eval").body
        rewritten: ast.expr = _NotationRewriter().visit(tree)
        return rewritten
    except checks.SYNTAX_ERRORS as error:
        default_hint = "Write for example \"age >= 18 and region == 'north'\", or 'log(income)'."
        default_hint = suggest_recoding(text) if has_recoding(text) else default_hint
        hint = next((hint for pattern, hint in _R_AND_SQL_HINTS.items() if re.search(pattern, text)), default_hint)
        raise PydpstatError(
            "a condition or an expression must be one that Python can read; got "
            f"{checks.format_public_value(text)}. {hint}"
        ) from error


def find_column_names(node: ast.AST) -> tuple[str, ...]:
    """Return the columns of an expression in order of occurrence, without repetition and without function names."""
    children = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    own_name = [node.id] if isinstance(node, ast.Name) else []
    return tuple(dict.fromkeys([*own_name, *(name for child in children for name in find_column_names(child))]))


def find_unsupported_part(node: ast.expr) -> ast.expr | None:
    """Return the first part that is not arithmetic of columns and numbers, or None."""
    match node:
        case ast.Name():
            return None
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and _is_finite_float(value):
            return None
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return find_unsupported_part(operand)
        case ast.BinOp(op=ast.Pow(), right=right) if not get_constant(right):
            return node
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY_OPERATORS:
            return find_unsupported_part(left) or find_unsupported_part(right)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return find_unsupported_part(argument)
    return node


def _is_finite_float(value: float) -> bool:
    return abs(value) <= sys.float_info.max


def get_constant(node: ast.expr) -> float | None:
    """Return the value of a number with or without a sign; None for other expressions."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -float(value)
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
    return None


@guard_release
def evaluate_expression(node: ast.expr, columns: Mapping[str, Floats]) -> Floats:
    """Evaluate an expression for each record, NaN where undefined; a scalar if it has no column."""
    match node:
        case ast.Name(id=name):
            values = columns[name]
        case ast.Constant(value=int() | float() as value):
            values = np.asarray(float(value))
        case ast.UnaryOp(op=op, operand=operand):
            values = evaluate_expression(operand, columns)
            return -values if isinstance(op, ast.USub) else values
        case ast.BinOp(left=left, op=op, right=right):
            values = _BINARY_OPERATORS[type(op)](
                evaluate_expression(left, columns), evaluate_expression(right, columns)
            )
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            values = FUNCTIONS[name](evaluate_expression(argument, columns))
        case _:
            raise AssertionError(ast.dump(node))
    return np.where(np.isfinite(values), values, np.nan)


def compute_expression_bounds(node: ast.expr, bounds: Mapping[str, VariableBounds]) -> VariableBounds:
    """Return the smallest and the largest value of an expression; infinities if it is unlimited."""
    match node:
        case ast.Name(id=name):
            return bounds.get(name, REAL_LINE)
        case ast.Constant(value=int() | float() as value):
            return float(value), float(value)
        case ast.UnaryOp(op=op, operand=operand):
            low, high = compute_expression_bounds(operand, bounds)
            return (-high, -low) if isinstance(op, ast.USub) else (low, high)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            exponent = get_constant(right)
            assert exponent is not None
            return _bound_power(compute_expression_bounds(left, bounds), exponent)
        case ast.BinOp(left=left, op=op, right=right):
            left_bounds, right_bounds = (
                compute_expression_bounds(left, bounds),
                compute_expression_bounds(right, bounds),
            )
            if isinstance(op, ast.Div) and right_bounds[0] <= 0.0 <= right_bounds[1]:
                return REAL_LINE
            return compute_range(_BINARY_OPERATORS[type(op)], [(x, y) for x in left_bounds for y in right_bounds])
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            low, high = compute_expression_bounds(argument, bounds)
            if name == "abs":
                return _bound_power((low, high), 1.0, lambda x, _: abs(x))
            minimum = DOMAIN_MINIMUM.get(name, -math.inf)
            return REAL_LINE if high < minimum else compute_range(FUNCTIONS[name], [(max(low, minimum),), (high,)])
    raise AssertionError(ast.dump(node))


def _raise_to_power(base: Numbers, exponent: float) -> Numbers:
    """Return a power; for small integer exponents by multiplication."""
    if exponent == int(exponent) and abs(exponent) <= MAX_FACTORS:
        product = reduce(operator.mul, [base] * int(abs(exponent)))
        return product if exponent > 0.0 else np.divide(1.0, product)
    return elementary.compute_power(base, exponent)


def _bound_power(
    base: VariableBounds, exponent: float, power: Callable[[float, float], Numbers] = _raise_to_power
) -> VariableBounds:
    """Return the range of a power over a range of the base; the power is monotone on either side of 0."""
    low, high = base
    if exponent != int(exponent):
        low = max(low, 0.0)
    if high < low:
        return REAL_LINE
    if exponent < 0.0 and low <= 0.0 <= high:
        return REAL_LINE
    points = [low, high, *([0.0] if low < 0.0 < high else [])]
    return compute_range(power, [(point, exponent) for point in points])


@guard_release
def compute_range(function: Callable[..., Numbers], points: list[tuple[float, ...]]) -> VariableBounds:
    """Return the smallest and the largest value of a function at given points; infinities if a value is NaN."""
    values = [float(function(*map(np.float64, point))) for point in points]
    return REAL_LINE if any(map(math.isnan, values)) else (min(values), max(values))

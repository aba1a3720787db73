"""Public transformations in formulas: computed record by record, with bounds that follow from the
columns'.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache

from pydpstat import _checks as checks
from pydpstat._data.columns import Pair
from pydpstat.errors import PydpstatError
from pydpstat.statistics._kernels import expressions
from pydpstat.statistics._kernels.expressions import FACTORS, FROM, FUNCTIONS, Floats, bounds_of, constant

# a column of groups as R and pandas have it
_CATEGORY = re.compile(r"^(as\.)?(factor|ordered|category|categorical|Categorical)\((?P<inner>.+)\)$")
_LEARNS = ("center", "scale", "standardize", "bs", "ns", "cr", "cc", "cs", "te", "poly", "hashed", "lag")


@dataclass(frozen=True, slots=True)
class Expression:
    """A number that is computed from columns of its own record; public."""

    text: str

    def check(self) -> None:
        """Refuse what is no transformation of columns, or looks at other records."""
        node = _parsed(self.text)
        for part in ast.walk(node):
            _check_part(part, self.text)
        if expressions.foreign(node) is not None or not self.columns:
            raise _unsuitable(self.text)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it needs."""
        return expressions.names_in(_parsed(self.text))

    def bounds(self, pairs: Mapping[str, Pair]) -> Pair:
        """Return public bounds from those of the columns."""
        node = _parsed(self.text)
        # the innermost come first
        for part in reversed(list(ast.walk(node))):
            _check_defined(part, pairs, self.text)
        low, high = bounds_of(node, pairs)
        if not low < high:
            raise _unbounded(self.text, (low, high))
        return low, high

    def values(self, columns: Mapping[str, Floats]) -> Floats:
        """Return the numbers of records, NaN where it is not defined."""
        return expressions.values_of(_parsed(self.text), columns)


def named_column(node: ast.expr) -> str | None:
    """Return the column that a part of a formula is: its name, or Q() of it."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Name(id="Q"), args=[ast.Constant(value=str(name))], keywords=[]):
            return name
    return None


class _Plain(ast.NodeTransformer):
    """Writes columns and functions of formulas as expressions have them."""

    def visit_Call(self, node: ast.Call) -> ast.expr:  # noqa: N802
        name = named_column(node)
        if name is not None:
            return ast.Name(name, ast.Load())
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="I"), args=[inner], keywords=[]):
                return inner
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=called)):
                node.func = ast.Name(called, ast.Load())
        return node


@lru_cache(maxsize=256)
def _parsed(text: str) -> ast.expr:
    try:
        found: ast.expr = _Plain().visit(deepcopy(expressions.parsed(text)))
    except PydpstatError as error:
        raise _unsuitable(text) from error
    return found


def _unsuitable(text: str) -> PydpstatError:
    category = _CATEGORY.match(text)
    if category or text == ".":
        way = f"Write C({category['inner']})" if category else "Name the columns, as in 'y ~ x + C(group)'"
        return PydpstatError(
            "formula must have columns, C(column) and public transformations as its terms; got "
            f"{checks.shown_option(text)}. {way}."
        )
    return PydpstatError(
        "formula must have columns, C(column) and public transformations as its terms: I() of +, -, "
        f"*, / and **, and {', '.join(FUNCTIONS)}, with or without np.; got "
        f"{checks.shown_option(text)}. Create a column for anything else first, with its own bounds. "
        "The first level given is the reference level."
    )


def _unbounded(text: str, pair: Pair) -> PydpstatError:
    return PydpstatError(
        f"{text} must have finite bounds, the lower one smaller; the columns' bounds imply {pair}. "
        "Give narrower bounds, or another transformation."
    )


def _check_part(part: ast.AST, text: str) -> None:
    """Refuse other powers than a few, and functions of all records."""
    match part:
        case ast.BinOp(op=ast.Pow(), right=right):
            power = constant(right)
            if power is None or not (power == int(power) and 1 <= power <= FACTORS):
                raise PydpstatError(
                    f"formula must have powers that are integers from 1 to {FACTORS}; got "
                    f"{checks.shown_option(text)}. Write sqrt(x) or 1 / x for others."
                )
        case ast.Call(func=ast.Name(id=name)) if name in _LEARNS:
            raise PydpstatError(
                f"formula must not have {name}(), which depends on all records, so that bounds and "
                f"sensitivity would depend on the data; got {checks.shown_option(text)}. Write one "
                "with public numbers, such as I((x - 40) / 10), I(x ** 2) or log(x)."
            )


def _check_defined(part: ast.AST, pairs: Mapping[str, Pair], text: str) -> None:
    """Refuse what is not defined, or not finite, at all numbers within the bounds."""
    match part:
        case ast.BinOp(op=ast.Div(), right=right):
            low, high = bounds_of(right, pairs)
            if low <= 0.0 <= high:
                raise PydpstatError(
                    f"{text} must not divide by what may be 0; the columns' bounds imply "
                    f"{(low, high)}. Give bounds of one sign, or divide by a public number."
                )
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in FROM:
            (low, _), least, itself = bounds_of(argument, pairs), FROM[name], name == "sqrt"
            if low < least or (low == least and not itself):
                also = " Or write log1p(x), which is defined at 0." if least == low == 0.0 else ""
                raise PydpstatError(
                    f"{text} must be of numbers whose lower bound is "
                    f"{'at least' if itself else 'above'} {least:g}, where {name} is defined; the "
                    f"columns' bounds imply {low!r}. Give a larger lower bound, to which smaller "
                    f"values are clipped.{also}"
                )
    # an infinite number on the way is none, though it may make a finite one
    pair = bounds_of(part, pairs) if isinstance(part, (ast.BinOp, ast.Call)) else (0.0, 0.0)
    if not all(map(math.isfinite, pair)):
        raise _unbounded(text, pair)

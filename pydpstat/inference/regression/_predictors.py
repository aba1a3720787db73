"""Predictors of a regression: columns, levels, transformations and their products."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import VariableBounds, read_booleans, read_single_column
from pydpstat._data.values import make_missing_error, should_fill
from pydpstat._records import expressions
from pydpstat._records.expressions import (
    DOMAIN_MINIMUM,
    FUNCTIONS,
    MAX_FACTORS,
    compute_expression_bounds,
    get_constant,
)
from pydpstat._records.levels import PublicLevels, encode_public_levels
from pydpstat._records.recodings import suggest_recoding
from pydpstat._release.options import Missing
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats

# categorical columns in the notation of R and pandas
_CATEGORY = re.compile(r"^(as\.)?(factor|ordered|category|categorical|Categorical)\((?P<inner>.+)\)$")
_DATA_DEPENDENT_TRANSFORMS = (
    "center",
    "scale",
    "standardize",
    "bs",
    "ns",
    "cr",
    "cc",
    "cs",
    "te",
    "poly",
    "hashed",
    "lag",
)


@dataclass(frozen=True, slots=True)
class Expression:
    """Public numeric expression of the columns of one record."""

    text: str

    def check_transformation(self) -> None:
        """Raise an error if the text is not a transformation of columns, or depends on other records."""
        node = _parse_expression(self.text)
        for child in ast.walk(node):
            _check_part(child, self.text)
        if expressions.find_unsupported_part(node) is not None or not self.columns:
            raise _make_term_error(self.text)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that occur in the expression."""
        return expressions.find_column_names(_parse_expression(self.text))

    def compute_bounds(self, pairs: Mapping[str, VariableBounds]) -> VariableBounds:
        """Return the bounds implied by those of the columns."""
        node = _parse_expression(self.text)
        # innermost parts first
        for child in reversed(list(ast.walk(node))):
            _check_defined(child, pairs, self.text)
        low, high = compute_expression_bounds(node, pairs)
        if not low < high:
            raise _make_unbounded_error(self.text, (low, high))
        return low, high

    def compute_values(self, columns: Mapping[str, Floats]) -> Floats:
        """Return the values of records, NaN where undefined."""
        return expressions.evaluate_expression(_parse_expression(self.text), columns)


def get_column_name(node: ast.expr) -> str | None:
    """Return the column that a part of a formula names, directly or by Q(); None for other parts."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Name(id="Q"), args=[ast.Constant(value=str(name))], keywords=[]):
            return name
    return None


class _FormulaRewriter(ast.NodeTransformer):
    """Rewriter of quoted columns in formulas to the syntax of expressions."""

    def visit_Call(self, node: ast.Call) -> ast.expr:  # noqa: N802
        name = get_column_name(node)
        if name is not None:
            return ast.Name(name, ast.Load())
        self.generic_visit(node)
        return node


@lru_cache(maxsize=256)
def _parse_expression(text: str) -> ast.expr:
    try:
        expression: ast.expr = _FormulaRewriter().visit(deepcopy(expressions.parse_syntax_tree(text)))
    except PydpstatError as error:
        raise _make_term_error(text) from error
    return expression


def _make_term_error(text: str) -> PydpstatError:
    category = _CATEGORY.match(text)
    if category or text == ".":
        hint = f"Write C({category['inner']})" if category else "Name the columns, as in 'y ~ x + C(group)'"
        return PydpstatError(
            "formula must have columns, C(column) and public transformations as its terms; got "
            f"{checks.describe_option(text)}. {hint}."
        )
    return PydpstatError(
        "formula must have columns, C(column) and public transformations as its terms: I() of +, -, "
        f"*, / and **, and {', '.join(FUNCTIONS)}, with or without np.; got "
        f"{checks.describe_option(text)}. {suggest_recoding(text)} The first level given is the reference level."
    )


def _make_unbounded_error(text: str, bounds: VariableBounds) -> PydpstatError:
    return PydpstatError(
        f"{text} must have finite bounds, the lower one smaller; the columns' bounds imply {bounds}. "
        "Give narrower bounds, or another transformation."
    )


def _check_part(part: ast.AST, text: str) -> None:
    """Raise an error for powers that are not small integers, and for functions of all records."""
    match part:
        case ast.BinOp(op=ast.Pow(), right=right):
            power = get_constant(right)
            if power is None or not (power == int(power) and 1 <= power <= MAX_FACTORS):
                raise PydpstatError(
                    f"formula must have powers that are integers from 1 to {MAX_FACTORS}; got "
                    f"{checks.describe_option(text)}. Write sqrt(x) or 1 / x for others."
                )
        case ast.Call(func=ast.Name(id=name)) if name in _DATA_DEPENDENT_TRANSFORMS:
            raise PydpstatError(
                f"formula must not have {name}(), which depends on all records, so that bounds and "
                f"sensitivity would depend on the data; got {checks.describe_option(text)}. Write one "
                "with public numbers, such as I((x - 40) / 10), I(x ** 2) or log(x)."
            )


def _check_defined(part: ast.AST, pairs: Mapping[str, VariableBounds], text: str) -> None:
    """Raise an error if a part is undefined or infinite for some numbers within the bounds."""
    match part:
        case ast.BinOp(op=ast.Div(), right=right):
            low, high = compute_expression_bounds(right, pairs)
            if low <= 0.0 <= high:
                raise PydpstatError(
                    f"{text} must not divide by what may be 0; the columns' bounds imply "
                    f"{(low, high)}. Give bounds of one sign, or divide by a public number."
                )
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in DOMAIN_MINIMUM:
            (low, _), minimum, itself = (
                compute_expression_bounds(argument, pairs),
                DOMAIN_MINIMUM[name],
                name == "sqrt",
            )
            if low < minimum or (low == minimum and not itself):
                also = " Or write log1p(x), which is defined at 0." if minimum == low == 0.0 else ""
                raise PydpstatError(
                    f"{text} must be of numbers whose lower bound is "
                    f"{'at least' if itself else 'above'} {minimum:g}, where {name} is defined; the "
                    f"columns' bounds imply {low!r}. Give a larger lower bound, to which smaller "
                    f"values are clipped.{also}"
                )
    # an infinite intermediate result is an error even if the final one is finite
    pair = compute_expression_bounds(part, pairs) if isinstance(part, (ast.BinOp, ast.Call)) else (0.0, 0.0)
    if not all(map(math.isfinite, pair)):
        raise _make_unbounded_error(text, pair)


Array = np.ndarray
# columns with the level codes that define a cell
LevelCell = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Predictor:
    """Public description of a predictor."""

    column: str
    text: str
    bounds: VariableBounds | None
    levels: tuple[object, ...] | None
    default_code: int = 0
    has_other_level: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its coefficients."""
        if self.levels is None:
            return (self.text,)
        return tuple(f"{self.text}[T.{level}]" for level in self.levels[1:])

    @property
    def declared_levels(self) -> tuple[object, ...]:
        """Levels without the added one for other values."""
        levels = self.levels or ()
        return levels[:-1] if self.has_other_level else levels

    def read_column(self, column: object, argument: str = "data") -> Array:
        """Return numbers, with NaN for missing ones, or level codes.

        Codes are -1 for missing values and the number of declared levels for unknown ones.
        """
        if self.levels is None:
            return read_numbers(column, f"{argument}[{self.column!r}]")
        return encode_public_levels(column, PublicLevels(self.declared_levels, False)).astype(np.int64)

    def fill_missing(self, values: Array, missing: Missing) -> Array:
        """Replace missing numbers by the public one; missing levels get code 0 and unknown ones `default_code`."""
        if self.levels is None:
            return fill_missing_numbers(values, missing)
        if missing == "error" and bool((values < 0).any()):
            raise make_missing_error()
        values = np.where(values >= len(self.declared_levels), self.default_code, values)
        return np.where(values < 0, 0, values)

    def check_values(self, values: Array) -> Array:
        """Check that no number or code is missing and every code is that of a level."""
        if self.levels is None:
            good = not np.isnan(values).any()
        else:
            good = bool(((values >= 0) & (values < len(self.levels))).all())
        if good:
            return values
        allowed = "numbers" if self.levels is None else f"levels among {checks.format_public_value(list(self.levels))}"
        raise PydpstatError(
            f"exog[{self.column!r}] must be {allowed}, none missing; it has other values. Leave out these records."
        )

    def compute_values(self, columns: Mapping[str, Array]) -> Array:
        """Return the predictor's numbers or codes from the columns."""
        return columns[self.column]


class BooleanResponse(Predictor):
    """Boolean response, with levels False and True that need no declaration."""

    __slots__ = ()

    def read_column(self, column: object, argument: str = "data") -> Array:
        """Return codes 0 and 1, and -1 for missing values."""
        try:
            columns = read_single_column(column, argument, read_booleans)
        except PydpstatError as error:
            raise make_response_error(self.text, self.column, column) from error
        codes = columns.arrays[0].astype(np.int64)
        return codes if columns.missing[0] is None else np.where(columns.missing[0], -1, codes)


@dataclass(frozen=True, slots=True)
class DerivedPredictor(Predictor):
    """Predictor computed from columns: a product of numbers, optionally set to 0 outside a cell of levels.

    Without numbers it is categorical: its levels are the cells, preceded by a level for all other records.
    """

    numbers: tuple[Expression, ...] = ()
    cells: tuple[LevelCell, ...] = ()
    coefficient_names: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its coefficients."""
        return self.coefficient_names

    def compute_values(self, columns: Mapping[str, Array]) -> Array:
        """Return the product, which is 0 outside the cell, or the code of each record's cell."""
        inside = [np.logical_and.reduce([columns[name] == code for name, code in cell]) for cell in self.cells]
        if not self.numbers:
            return np.select(inside, list(range(1, len(inside) + 1)), 0).astype(np.int64)
        values = self.numbers[0].compute_values(columns)
        for number in self.numbers[1:]:
            values = values * number.compute_values(columns)
        return np.where(inside[0], values, 0.0) if self.cells else values


def read_numbers(column: object, name: str) -> Floats:
    """Return the numbers of a column, with NaN for missing ones."""
    return np.asarray(read_single_column(column, name).arrays[0], dtype=np.float64)


def clip_to_bounds(columns: Sequence[Predictor], values: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Clip numeric columns to their bounds; level codes are unchanged."""
    pairs = zip(columns, values)
    return [
        column_values if column.bounds is None else column_values.clip(*column.bounds)
        for column, column_values in pairs
    ]


def fill_missing_numbers(values: Floats, missing: Missing) -> Floats:
    """Replace missing numbers by the public one, or raise an error."""
    gaps = np.isnan(values)
    return np.where(gaps, float(missing), values) if should_fill(int(gaps.sum()), missing) else values


def make_response_error(argument: str, response: str, column: object) -> PydpstatError:
    """Return the error for a response that is neither boolean nor has two given levels."""
    kind = f" of type {column.dtype}" if hasattr(column, "dtype") else ""
    return PydpstatError(
        f"{argument}, the response, must be truth values, or have its two levels given, because other "
        f"values do not tell which of them counts as 1; got {type(column).__name__}{kind}. Give "
        f"levels={{{response!r}: [no, yes]}}, with its two values in the places of no and yes: the second "
        "one counts as 1, and any other value as the first. Or make it a condition first, such as age >= 30."
    )


def build_design_matrix(predictors: Sequence[Predictor], read: Sequence[np.ndarray]) -> Floats:
    """Return a matrix with a constant, the numbers, and an indicator of each level except the reference."""
    size = read[0].size if read else 0
    blocks = [np.ones((size, 1))]
    for predictor, values in zip(predictors, read):
        if predictor.levels is not None:
            blocks.append((values[:, None] == np.arange(1, len(predictor.levels))).astype(np.float64))
        else:
            blocks.append(values[:, None].astype(np.float64))
    return np.concatenate(blocks, axis=1)

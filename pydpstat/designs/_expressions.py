"""Numbers computed from declared columns, such as ``log(income)`` or ``after - before``, record by record.

Columns are clipped to their bounds first. Undefined results, such as the logarithm of 0, raise no error, which
would reveal a record. The arithmetic is that of `pydpstat._records.expressions`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import VariableBounds, convert_objects_to_floats
from pydpstat._data.containers import Column, is_numeric, to_floats
from pydpstat._data.native import to_series
from pydpstat._data.values import to_object_array
from pydpstat._lazy import pd
from pydpstat._records.expressions import (
    FUNCTIONS,
    Floats,
    compute_expression_bounds,
    evaluate_expression,
    find_column_names,
    find_unsupported_part,
    parse_syntax_tree,
)
from pydpstat._records.recodings import suggest_recoding
from pydpstat.errors import PydpstatError

Clipping = tuple[tuple[str, VariableBounds], ...]
_EXAMPLE = "Write for example 'log(income)' or 'after - before'."


@dataclass(frozen=True)
class ColumnExpression:
    """Expression of columns; public. Columns are clipped to `bounds` first."""

    text: str
    bounds: Clipping = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that the expression uses."""
        return find_column_names(parse_syntax_tree(self.text))


@dataclass(frozen=True)
class NumericExpression(ColumnExpression):
    """Numbers computed from columns."""

    def check_expression(self, declared: Sequence[str], data_columns: Sequence[str] = ()) -> None:
        """Raise an error for anything but arithmetic of declared columns."""
        _check_arithmetic(self.text)
        if not self.names:
            raise PydpstatError(f"an expression must be of columns; got {self.text!r}. {_EXAMPLE}")
        check_names(self.names, declared, f"expression {self.text!r}", data_columns)

    def compute_bounds(self, bounds: Mapping[str, VariableBounds]) -> VariableBounds:
        """Compute bounds of the numbers by interval arithmetic; infinite if unlimited."""
        return compute_expression_bounds(parse_syntax_tree(self.text), bounds)

    def compute_values(self, columns: Mapping[str, Column], undefined_value: float = np.nan) -> Floats:
        """Compute the number of each record, NaN if one of its columns is missing."""
        values, is_known = evaluate_arithmetic(parse_syntax_tree(self.text), columns, dict(self.bounds))
        return np.where(is_known & np.isnan(values), undefined_value, values)


def check_names(
    names: Iterable[str],
    declared: Sequence[str],
    subject: str,
    data_columns: Sequence[str] = (),
    truth_columns: Sequence[str] = (),
) -> None:
    """Raise an error for columns that are not declared; `truth_columns` are used as Booleans."""
    for name in names:
        if name in declared:
            continue
        hint, near = f"Declare its bounds or levels; a string needs quotes, {name!r}.", ""
        if name in data_columns:
            argument, example = ("levels", "[False, True]") if name in truth_columns else ("bounds", "(lower, upper)")
            hint = f"Declare it, dp.design(..., {argument}={{{name!r}: {example}}})."
        elif checks.suggest_spelling(name, declared).startswith("Did"):
            near = f" {checks.suggest_spelling(name, declared)}"
        raise PydpstatError(f"the {subject} must be on declared columns; got {name!r}. {hint}{near}")


def _check_arithmetic(text: str) -> None:
    """Raise an error for anything but arithmetic of columns and numbers."""
    unsupported_part = find_unsupported_part(parse_syntax_tree(text))
    if unsupported_part is None:
        return
    shown = checks.format_public_value(ast.unparse(unsupported_part))
    if isinstance(unsupported_part, ast.BinOp) and isinstance(unsupported_part.op, ast.Pow):
        raise PydpstatError(
            f"an expression must have a number other than 0 as exponent; got {shown}. Use exp() and log() "
            "for other powers."
        )
    raise PydpstatError(
        f"an expression must be made of columns and numbers by + - * / ** and {', '.join(FUNCTIONS)}; "
        f"got {shown} in {checks.format_public_value(text)}. {suggest_recoding(text)}"
    )


def evaluate_arithmetic(
    node: ast.expr, columns: Mapping[str, Column], bounds: Mapping[str, VariableBounds]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the numbers of an expression, NaN where undefined, and a mask of records without missing columns.

    The number is a scalar if the expression has no column.
    """
    numbers = {name: _read_number_column(name, columns[name], bounds.get(name)) for name in find_column_names(node)}
    is_known = ~reduce(np.logical_or, map(np.isnan, numbers.values()), np.zeros((), dtype=bool))
    return evaluate_expression(node, numbers), is_known


def _read_number_column(name: str, column: Column, bounds: VariableBounds | None) -> Floats:
    series = to_series(column)
    if series.dtype == object and bounds is not None:
        # declared as numbers: other values are missing, and each value is converted separately
        series = pd.Series([_convert_to_float(value, name) for value in series], dtype=np.float64)
    elif series.dtype == object:
        # Booleans with a missing value
        with suppress(PydpstatError):
            series = pd.Series(convert_objects_to_floats(series.to_numpy(), name))
    if not is_numeric(series):
        raise PydpstatError(
            f"an expression must be of numbers or truth values; {name!r} has the type {series.dtype}. Use it "
            "in a comparison, as in \"region == 'north'\"."
        )
    values = to_floats(series)
    return values if bounds is None else np.clip(values, *bounds)


def _convert_to_float(value: object, name: str) -> float:
    """Convert an object to a float, NaN if it is not a number."""
    try:
        return float(convert_objects_to_floats(to_object_array([value]), name)[0])
    except PydpstatError:
        return np.nan

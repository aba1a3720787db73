"""Conditions on declared columns, such as ``age >= 18 and region == 'Wien'``, evaluated record by record.

A condition is parsed by Python's grammar, of which only comparisons, their combinations, literals and
arithmetic are allowed, and is never evaluated as code. Missing values make a comparison unknown, and
combinations follow Kleene's logic, as in R and SQL.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.aggregates import AllOf, AnyOf, Comparison, IsIn, Not, Predicate, is_exact
from pydpstat._data.columns import VariableBounds
from pydpstat._data.containers import Column, is_categorical
from pydpstat._data.labels import encode_labels, get_value_kind, is_label_of_kind
from pydpstat._data.native import to_series
from pydpstat._data.values import is_missing
from pydpstat._lazy import pd
from pydpstat._records.expressions import FUNCTIONS, find_column_names, find_unsupported_part, parse_syntax_tree
from pydpstat._records.recodings import suggest_recoding
from pydpstat.designs._expressions import (
    Clipping,
    ColumnExpression,
    NumericExpression,
    check_names,
    evaluate_arithmetic,
)
from pydpstat.errors import PydpstatError

Truths = npt.NDArray[np.bool_]
_ORDER_OPERATORS: dict[type[ast.cmpop], Callable[..., Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_COMPARISON_OPERATORS = {**_ORDER_OPERATORS, ast.Eq: operator.eq, ast.NotEq: operator.ne}
_SYMBOLS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_REVERSED_OPERATORS = dict(zip(_COMPARISON_OPERATORS, (ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.Eq, ast.NotEq)))
_EXAMPLE = "Write for example \"age >= 18 and region in ('north', 'south')\"."
# methods of pandas columns
_PANDAS_METHODS = {
    "isin": "Write in, as in \"region in ('north', 'south')\".",
    "between": "Write two comparisons, as in '18 <= age <= 65'.",
    **dict.fromkeys(("isna", "isnull", "notna", "notnull"), "A comparison leaves out records whose value is missing."),
}


@dataclass(frozen=True)
class Condition(ColumnExpression):
    """Condition on columns."""

    def check_expression(self, declared: Sequence[str], data_columns: Sequence[str] = ()) -> None:
        """Raise an error for a condition that is not valid or uses undeclared columns.

        `data_columns` are all columns of the data.
        """
        node = parse_syntax_tree(self.text)
        _check_condition(node, self.text)
        truths = [column.id for column in _find_truth_columns(node)]
        check_names(self.names, declared, f"condition {self.text!r}", data_columns, truths)

    def check_values(self, numbers: Collection[str], levels: Mapping[str, object]) -> None:
        """Raise an error for numbers used as Booleans, and for values that are not levels of a column."""
        for node in _find_truth_columns(parse_syntax_tree(self.text)):
            column_levels = levels.get(node.id)
            if column_levels is None and node.id in numbers:
                description, example = "numbers", f"{node.id} > 0"
            elif isinstance(column_levels, tuple) and not {*column_levels} <= {False, True}:
                description, example = (
                    f"the levels {checks.format_public_value(list(column_levels))}",
                    f"{node.id} == {column_levels[0]!r}",
                )
            else:
                continue
            raise PydpstatError(
                f"the condition {self.text!r} must compare {node.id!r}, which has {description}, not truth "
                f"values. Write for example {example!r}."
            )
        for name, value in _find_equality_values(parse_syntax_tree(self.text)):
            column_levels = levels.get(name)
            if isinstance(column_levels, tuple) and value not in column_levels:
                hint = checks.suggest_spelling(value, list(map(str, column_levels)))
                raise PydpstatError(
                    f"the condition {self.text!r} must have levels of {name!r}; got {value!r}, and there are "
                    f"{checks.format_public_value(list(column_levels))}. {hint}"
                )

    @property
    def engine_test(self) -> Predicate | None:
        """Condition in the form that engines evaluate, or None."""
        return make_engine_test(parse_syntax_tree(self.text))

    def evaluate_truths(self, columns: Mapping[str, Column]) -> tuple[Truths, Truths]:
        """Return a mask of records for which the condition is known to be true, and of those for which it is known."""
        return _evaluate_condition(parse_syntax_tree(self.text), columns, dict(self.bounds))


def make_engine_test(node: ast.expr) -> Predicate | None:
    """Return a condition for evaluation by engines; None if they would round its values differently."""
    match node:
        case ast.BoolOp(op=op, values=values):
            return _combine_tests(AllOf if isinstance(op, ast.And) else AnyOf, map(make_engine_test, values))
        case ast.UnaryOp(operand=operand):
            return _combine_tests(lambda parts: Not(*parts), [make_engine_test(operand)])
        case ast.Name(id=name):
            return Comparison(name, "==", 1.0)
        case ast.Compare():
            return _combine_tests(
                AllOf, [_make_comparison_test(*comparison) for comparison in _split_comparisons(node)]
            )
    raise AssertionError(ast.dump(node))


def _combine_tests(
    kind: Callable[[tuple[Predicate, ...]], Predicate], parts: Iterable[Predicate | None]
) -> Predicate | None:
    tests = tuple(parts)
    return None if None in tests else kind(tests)  # type: ignore[arg-type]


def _make_comparison_test(left: ast.expr, op: ast.cmpop, right: ast.expr) -> Predicate | None:
    among = isinstance(op, (ast.In, ast.NotIn))
    if not isinstance(left, ast.Name) or not (among or _is_value(right)):
        return None
    value = ast.literal_eval(right)
    values = tuple(dict.fromkeys(value)) if among else (value,)
    test = _make_equality_test(left.id, values) if among or isinstance(op, (ast.Eq, ast.NotEq)) else None
    if test is None and not among and not isinstance(value, str) and is_exact(value):
        test = Comparison(left.id, _SYMBOLS[type(op)], float(value)) if type(op) in _SYMBOLS else None
    return _combine_tests(lambda parts: Not(*parts), [test]) if isinstance(op, (ast.NotEq, ast.NotIn)) else test


def _make_equality_test(name: str, values: tuple[Any, ...]) -> Predicate | None:
    if values and all(isinstance(value, str) for value in values):
        return IsIn(name, values)
    if values and all(not isinstance(value, str) and is_exact(value) for value in values):
        return AnyOf(tuple(Comparison(name, "==", float(value)) for value in values))
    return None


def parse_expression(text: str, bounds: Clipping = ()) -> Condition | NumericExpression:
    """Parse a text as a condition or as numbers computed from columns."""
    conditional = isinstance(parse_syntax_tree(text), (ast.BoolOp, ast.Compare)) or _is_negation(
        parse_syntax_tree(text)
    )
    return Condition(text, bounds) if conditional else NumericExpression(text, bounds)


def _is_negation(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _find_truth_columns(node: ast.expr) -> list[ast.Name]:
    """Return the columns that are used as Booleans."""
    match node:
        case ast.BoolOp(values=values):
            return [name for value in values for name in _find_truth_columns(value)]
        case ast.UnaryOp(operand=operand):
            return _find_truth_columns(operand)
    return [node] if isinstance(node, ast.Name) else []


def _find_equality_values(node: ast.expr) -> Iterator[tuple[str, object]]:
    """Yield columns with the values with which they are compared for equality."""
    for child in ast.walk(node):
        for left, op, right in _split_comparisons(child) if isinstance(child, ast.Compare) else ():
            if not isinstance(left, ast.Name):
                continue
            if isinstance(op, (ast.In, ast.NotIn)):
                yield from ((left.id, value) for value in ast.literal_eval(right))
            elif isinstance(op, (ast.Eq, ast.NotEq)) and _is_value(right):
                yield left.id, ast.literal_eval(right)


def _check_condition(node: ast.expr, text: str) -> None:
    """Raise an error for anything but comparisons of columns with values, and combinations of them."""
    match node:
        case ast.BoolOp(values=values):
            for value in values:
                _check_condition(value, text)
            return
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            _check_condition(operand, text)
            return
        case ast.Name():
            return
        case ast.Compare():
            if all(_is_simple_comparison(*comparison) for comparison in _split_comparisons(node)):
                return
    raise PydpstatError(
        "a condition must compare columns by < <= == != >= > or in, combined by and, or, not; got "
        f"{checks.format_public_value(text)}. {_suggest_condition(node)}"
    )


def _suggest_condition(node: ast.expr) -> str:
    """Suggest a replacement for syntax of pandas and R in a condition."""
    for child in ast.walk(node):
        match child:
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr()) | ast.UnaryOp(op=ast.Invert()):
                return f"Write and, or, not in place of & | ~. {_EXAMPLE}"
            case ast.Call(func=ast.Attribute(attr=name)):
                return _PANDAS_METHODS.get(name, _EXAMPLE)
            case ast.Call(func=ast.Name(id=name)) if name not in FUNCTIONS:
                return suggest_recoding(ast.unparse(child))
    return f"{_EXAMPLE} Create a computed column first: design.assign(log_income='log(income)')."


def _is_simple_comparison(left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool:
    if isinstance(op, (ast.In, ast.NotIn)):
        values = isinstance(right, (ast.Tuple, ast.List)) and all(map(_is_value, right.elts))
        return isinstance(left, ast.Name) and values
    if type(op) not in _REVERSED_OPERATORS:
        return False
    if _is_column_and_value(left, right):
        return True
    return not (find_unsupported_part(left) or find_unsupported_part(right)) and bool(
        find_column_names(left) or find_column_names(right)
    )


def _is_column_and_value(left: ast.expr, right: ast.expr) -> bool:
    """Return whether a column is compared with a value, in the column's type, strings included."""
    return isinstance(left, ast.Name) and _is_value(right)


def _is_value(node: ast.expr) -> bool:
    try:
        return isinstance(ast.literal_eval(node), (bool, int, float, str))
    except ValueError:
        return False


def _split_comparisons(node: ast.Compare) -> list[tuple[ast.expr, ast.cmpop, ast.expr]]:
    """Return the comparisons of a chain such as ``18 <= age < 65``, each with the column before its value."""
    comparisons = zip([node.left, *node.comparators], node.ops, node.comparators)
    return [
        _order_column_first(*comparison) if type(comparison[1]) in _REVERSED_OPERATORS else comparison
        for comparison in comparisons
    ]


def _order_column_first(left: ast.expr, op: ast.cmpop, right: ast.expr) -> tuple[ast.expr, ast.cmpop, ast.expr]:
    return (right, _REVERSED_OPERATORS[type(op)](), left) if _is_column_and_value(right, left) else (left, op, right)


def _evaluate_condition(
    node: ast.expr, columns: Mapping[str, Column], bounds: Mapping[str, VariableBounds]
) -> tuple[Truths, Truths]:
    match node:
        case ast.BoolOp(op=op, values=values):
            truths = [_evaluate_condition(value, columns, bounds) for value in values]
            return _combine_by_and(truths) if isinstance(op, ast.And) else _combine_by_or(truths)
        case ast.UnaryOp(operand=operand):
            true, is_known = _evaluate_condition(operand, columns, bounds)
            return is_known & ~true, is_known
        case ast.Name(id=name):
            return _compare_column(name, columns[name], ast.Eq(), True)
        case ast.Compare():
            return _combine_by_and(
                [_evaluate_comparison(columns, bounds, *comparison) for comparison in _split_comparisons(node)]
            )
    raise AssertionError(ast.dump(node))


def _evaluate_comparison(
    columns: Mapping[str, Column],
    bounds: Mapping[str, VariableBounds],
    left: ast.expr,
    op: ast.cmpop,
    right: ast.expr,
) -> tuple[Truths, Truths]:
    if type(op) in _REVERSED_OPERATORS and not _is_column_and_value(left, right):
        (left_values, is_left_known), (right_values, is_right_known) = (
            evaluate_arithmetic(side, columns, bounds) for side in (left, right)
        )
        is_known = is_left_known & is_right_known
        # comparisons with undefined numbers are known to be false
        return _COMPARISON_OPERATORS[type(op)](left_values, right_values) & is_known, is_known
    assert isinstance(left, ast.Name)
    if isinstance(op, (ast.In, ast.NotIn)):
        truths = [_compare_column(left.id, columns[left.id], ast.Eq(), value) for value in ast.literal_eval(right)]
        true, is_known = _combine_by_or(truths) if truths else (np.zeros(len(columns[left.id]), dtype=bool),) * 2
        return (is_known & ~true, is_known) if isinstance(op, ast.NotIn) else (true, is_known)
    return _compare_column(left.id, columns[left.id], op, ast.literal_eval(right))


def _compare_column(name: str, column: Column, op: ast.cmpop, value: object) -> tuple[Truths, Truths]:
    """Compare a column with a value; whether that is possible depends on the column's type only.

    Equality is determined as for the levels of groups and tables.
    """
    series, kind = to_series(column), get_value_kind(column)
    if kind in ("times", "zoned") and isinstance(value, str) and type(op) not in _ORDER_OPERATORS:
        value = _parse_moment(name, series, value)
    if type(op) in _ORDER_OPERATORS and (kind == "texts" or isinstance(value, str) and kind != "numbers"):
        raise PydpstatError(
            f"a condition must compare strings by == or in; got another comparison of {name!r}. {_EXAMPLE}"
        )
    if not is_label_of_kind(value, kind) or type(op) in _ORDER_OPERATORS and kind not in (None, "numbers"):
        raise PydpstatError(
            f"a condition must compare {name!r} with possible values; it has the type {series.dtype}, "
            f"and got {value!r}. {_EXAMPLE}"
        )
    if type(op) in _ORDER_OPERATORS:
        return _compare_by_order(series, op, value)
    code = encode_labels(series, [value])
    true, is_known = code == 0, code != -1
    if kind is None:
        is_known &= true | np.array([_is_comparable(element, value) for element in series], dtype=bool)
    return (is_known & ~true, is_known) if isinstance(op, ast.NotEq) else (true, is_known)


def _is_comparable(element: object, value: object) -> bool:
    """Return whether an object can be compared; one that raises an error is missing."""
    try:
        return bool(element == value) or True
    except Exception:  # an object's comparison may raise any error
        return False


def _compare_by_order(series: pd.Series, op: ast.cmpop, value: object) -> tuple[Truths, Truths]:
    if series.dtype == object:
        # numbers or Booleans with a missing value: compare each element separately
        truths = [_is_satisfied(element, op, value) for element in series]
        return np.array([truth is True for truth in truths], dtype=bool), np.array(
            [truth is not None for truth in truths], dtype=bool
        )
    is_known = ~series.isna().to_numpy(dtype=bool)
    if is_categorical(series):
        # compare by the order of the numbers, not of the categories
        series = series.astype(series.cat.categories.dtype)
    comparison = _ORDER_OPERATORS[type(op)](series, value)
    return comparison.fillna(False).to_numpy(dtype=bool) & is_known, is_known


def _parse_moment(name: str, series: pd.Series, text: str) -> object:
    """Parse the date or time in a string, in the column's time zone if it has one."""
    try:
        moment = pd.Timestamp(text)
    except ValueError as error:
        raise PydpstatError(
            f"a condition must compare {name!r}, which has dates or times, with a date or time; got "
            f"{text!r}. Write, for example, \"day == '2020-02-29'\"."
        ) from error
    zone = getattr(series.dtype, "tz", None)
    return moment.tz_localize(zone) if zone is not None and moment.tzinfo is None else moment


def _is_satisfied(element: object, op: ast.cmpop, value: object) -> bool | None:
    """Return whether a number satisfies a comparison; None for a missing value or one that raises an error."""
    if is_missing(element):
        return None
    # NumPy durations are registered as integral numbers
    number = isinstance(element, (Real, np.bool_, Decimal)) and not isinstance(element, np.timedelta64)
    try:
        return number and bool(_ORDER_OPERATORS[type(op)](element, value))
    except Exception:  # an object's comparison may raise any error
        return None


def _combine_by_and(parts: list[tuple[Truths, Truths]]) -> tuple[Truths, Truths]:
    """Combine truth values by and: false if one is known to be false."""
    true = np.logical_and.reduce([true_values for true_values, _ in parts])
    false = np.logical_or.reduce([is_known & ~true_values for true_values, is_known in parts])
    return true, true | false


def _combine_by_or(parts: list[tuple[Truths, Truths]]) -> tuple[Truths, Truths]:
    """Combine truth values by or: true if one is known to be true."""
    true = np.logical_or.reduce([true_values for true_values, _ in parts])
    false = np.logical_and.reduce([is_known & ~true_values for true_values, is_known in parts])
    return true, true | false

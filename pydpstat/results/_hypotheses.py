"""Parser of linear hypotheses on coefficients, from texts such as ``"x1 = x2"`` or matrices."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats

_EXAMPLE = "Write for example 'x1 = x2' or 'x1 + x2 = 1, x3 = 0', or a matrix with a column for each coefficient."
# smaller values are rounding errors, as the largest factor of a hypothesis is 1
_ROUNDING_TOLERANCE = 1e-12


class Hypotheses(NamedTuple):
    """Linear hypotheses ``matrix @ coefficients = values``."""

    labels: tuple[str, ...]
    matrix: Floats
    values: Floats


def parse_hypotheses(given: object, names: Sequence[str]) -> Hypotheses:
    """Parse hypotheses given as text, a list of texts, a matrix, or a matrix with values."""
    if isinstance(given, str):
        given = [given]
    if isinstance(given, (list, tuple)) and given and all(isinstance(item, str) for item in given):
        hypotheses = [item for text in given for item in _parse_hypothesis_text(text, names)]
        labels, rows, values = zip(*hypotheses)
        matrix, constants = np.array(rows), np.array(values)
    else:
        matrix, constants = _read_hypothesis_matrix(given, len(names))
        labels = tuple(f"c{index}" for index in range(len(matrix)))
    if not (np.abs(matrix).max(axis=1) > 0.0).all():
        raise PydpstatError(f"r_matrix must have coefficients in every hypothesis; one has none. {_EXAMPLE}")
    return Hypotheses(tuple(labels), matrix, constants)


def reduce_hypotheses(found: Hypotheses, names: Sequence[str]) -> Hypotheses:
    """Return hypotheses in reduced row echelon form, which does not depend on how they are written."""
    # exact fractions of the decimals, to avoid rounding
    rows = [
        [Fraction(str(factor)) for factor in (*row, value)]
        for row, value in zip(found.matrix.tolist(), found.values.tolist())
    ]
    rows = [[factor / max(map(abs, row[:-1])) for factor in row] for row in rows]
    rank = 0
    for column in range(len(names)):
        remaining = [[Fraction(0)] * len(names) + row[-1:] if _is_redundant(row) else row for row in rows[rank:]]
        rows[rank:] = sorted(remaining, key=lambda row: -abs(row[column]))
        if rank == len(rows) or not rows[rank][column]:
            continue
        pivot = [factor / rows[rank][column] for factor in rows[rank]]
        rows = [[x - row[column] * y for x, y in zip(row, pivot)] for row in rows]
        rows[rank] = pivot
        rank += 1
    if any(abs(row[-1]) > _ROUNDING_TOLERANCE * max(1.0, np.abs(found.values).max()) for row in rows[rank:]):
        raise PydpstatError(
            f"r_matrix must have hypotheses that can hold together; {checks.format_public_value(list(found.labels))} "
            f"contradict each other. {_EXAMPLE}"
        )
    matrix = np.array(rows[:rank], dtype=np.float64)
    labels = tuple(_format_hypothesis(row[:-1], float(row[-1]), names) for row in matrix)
    return Hypotheses(labels, matrix[:, :-1], matrix[:, -1])


def _is_redundant(row: Sequence[Fraction]) -> bool:
    """Return whether all factors of a reduced hypothesis are zero up to rounding."""
    return all(abs(factor) <= _ROUNDING_TOLERANCE for factor in row[:-1])


def _format_hypothesis(row: Floats, value: float, names: Sequence[str]) -> str:
    """Return a hypothesis as text."""
    text = ""
    for factor, name in zip(row.tolist(), names):
        if factor:
            sign = (" - " if factor < 0.0 else " + ") if text else "-" * (factor < 0.0)
            text += f"{sign}{'' if abs(factor) == 1.0 else f'{abs(factor):.6g}*'}{name}"
    return f"{text} = {value:.6g}"


def _read_hypothesis_matrix(given: Any, width: int) -> tuple[Floats, Floats]:
    has_values = isinstance(given, tuple) and len(given) == 2
    matrix, values = given if has_values else (given, 0.0)
    try:
        rows = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
        constants = np.broadcast_to(np.asarray(values, dtype=np.float64), rows.shape[:1])
    except (TypeError, ValueError) as error:
        raise _make_hypothesis_error(given) from error
    if rows.ndim != 2 or rows.shape[1] != width or not rows.size:
        raise PydpstatError(
            f"r_matrix must have a column for each of the {width} coefficients; got the shape {rows.shape}. {_EXAMPLE}"
        )
    if not (np.isfinite(rows).all() and np.isfinite(constants).all()):
        raise _make_hypothesis_error(given)
    return rows, constants


def _parse_hypothesis_text(text: str, names: Sequence[str]) -> list[tuple[str, Floats, float]]:
    """Parse a text into hypotheses, each with label, matrix row and value."""
    columns = {name: column for column, name in enumerate(names)}
    escaped_names = sorted(map(re.escape, names), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(escaped_names)})(?!\w)")
    encoded = pattern.sub(lambda match: f"_{columns[match[0]]}_", text)
    hypotheses = []
    for equation in encoded.split(","):
        sides = [_parse_linear_form(side, text, names) for side in equation.split("=")]
        if len(sides) == 1:
            sides.append((np.zeros(len(names)), 0.0))
        label = re.sub(r"_(\d+)_", lambda match: names[int(match[1])], equation).strip()
        for (left, left_constant), (right, right_constant) in pairwise(sides):
            hypotheses.append((label, left - right, right_constant - left_constant))
    return hypotheses


def _parse_linear_form(text: str, full_text: str, names: Sequence[str]) -> tuple[Floats, float]:
    """Parse the coefficients and the constant of a linear form."""
    try:
        return _evaluate_linear_form(ast.parse(text.strip(), mode="eval").body, len(names))
    except (*checks.SYNTAX_ERRORS, ZeroDivisionError) as error:
        raise PydpstatError(
            "r_matrix must have linear combinations of coefficients; got "
            f"{checks.describe_option(full_text)}. The coefficients are {checks.format_public_value(list(names))}. "
            f"{_EXAMPLE}"
        ) from error


def _evaluate_linear_form(node: ast.expr, width: int) -> tuple[Floats, float]:
    match node:
        case ast.Name(id=name) if re.fullmatch(r"_\d+_", name):
            return np.eye(width)[int(name[1:-1])], 0.0
        case ast.Constant(value=int() | float() as value):
            return np.zeros(width), float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            row, constant = _evaluate_linear_form(operand, width)
            return -row, -constant
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            (left_row, left_constant), (right_row, right_constant) = (
                _evaluate_linear_form(left, width),
                _evaluate_linear_form(right, width),
            )
            sign = 1.0 if isinstance(op, ast.Add) else -1.0
            return left_row + sign * right_row, left_constant + sign * right_constant
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            (left_row, left_constant), (right_row, right_constant) = (
                _evaluate_linear_form(left, width),
                _evaluate_linear_form(right, width),
            )
            if isinstance(op, ast.Mult) and not left_row.any():
                left_row, left_constant, right_row, right_constant = right_row, right_constant, left_row, left_constant
            if not right_row.any():
                factor = right_constant if isinstance(op, ast.Mult) else 1.0 / right_constant
                return left_row * factor, left_constant * factor
    raise ValueError("not linear")


def _make_hypothesis_error(given: object) -> PydpstatError:
    return PydpstatError(
        "r_matrix must be a string, strings, a matrix of finite numbers, or a tuple of a matrix and "
        f"values; got {checks.describe_value(given)}. {_EXAMPLE}"
    )

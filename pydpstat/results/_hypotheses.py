"""Linear hypotheses on coefficients, from texts such as ``"x1 = x2"`` or from matrices; all public."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats

_EXAMPLE = "Write for example 'x1 = x2' or 'x1 + x2 = 1, x3 = 0', or a matrix with a column for each coefficient."
# what is smaller in hypotheses whose largest factor is 1 comes from rounding
_ROUNDING_TOLERANCE = 1e-12


class Hypotheses(NamedTuple):
    """Hypotheses ``matrix @ coefficients = values``."""

    labels: tuple[str, ...]
    matrix: Floats
    values: Floats


def parse_hypotheses(given: object, names: Sequence[str]) -> Hypotheses:
    """Return hypotheses from a text, several of them, a matrix, or a matrix and values."""
    if isinstance(given, str):
        given = [given]
    if isinstance(given, (list, tuple)) and given and all(isinstance(each, str) for each in given):
        found = [each for text in given for each in _parse_hypothesis_text(text, names)]
        labels, rows, values = zip(*found)
        matrix, wanted = np.array(rows), np.array(values)
    else:
        matrix, wanted = _read_hypothesis_matrix(given, len(names))
        labels = tuple(f"c{place}" for place in range(len(matrix)))
    if not (np.abs(matrix).max(axis=1) > 0.0).all():
        raise PydpstatError(f"r_matrix must have coefficients in every hypothesis; one has none. {_EXAMPLE}")
    return Hypotheses(tuple(labels), matrix, wanted)


def reduce_hypotheses(found: Hypotheses, names: Sequence[str]) -> Hypotheses:
    """Return the same hypotheses in reduced row echelon form: the same ones, however they are written."""
    # decimals as they are written, so that nothing is rounded
    rows = [
        [Fraction(str(each)) for each in (*row, value)]
        for row, value in zip(found.matrix.tolist(), found.values.tolist())
    ]
    rows = [[each / max(map(abs, row[:-1])) for each in row] for row in rows]
    rank = 0
    for column in range(len(names)):
        left = [[Fraction(0)] * len(names) + row[-1:] if _is_redundant(row) else row for row in rows[rank:]]
        rows[rank:] = sorted(left, key=lambda row: -abs(row[column]))
        if rank == len(rows) or not rows[rank][column]:
            continue
        pivot = [each / rows[rank][column] for each in rows[rank]]
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
    """Tell whether a hypothesis follows from others, but for what rounding left."""
    return all(abs(each) <= _ROUNDING_TOLERANCE for each in row[:-1])


def _format_hypothesis(row: Floats, value: float, names: Sequence[str]) -> str:
    """Return a hypothesis as a text."""
    text = ""
    for factor, name in zip(row.tolist(), names):
        if factor:
            sign = (" - " if factor < 0.0 else " + ") if text else "-" * (factor < 0.0)
            text += f"{sign}{'' if abs(factor) == 1.0 else f'{abs(factor):.6g}*'}{name}"
    return f"{text} = {value:.6g}"


def _read_hypothesis_matrix(given: Any, width: int) -> tuple[Floats, Floats]:
    pair = isinstance(given, tuple) and len(given) == 2
    matrix, values = given if pair else (given, 0.0)
    try:
        found = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
        wanted = np.broadcast_to(np.asarray(values, dtype=np.float64), found.shape[:1])
    except (TypeError, ValueError) as error:
        raise _make_hypothesis_error(given) from error
    if found.ndim != 2 or found.shape[1] != width or not found.size:
        raise PydpstatError(
            f"r_matrix must have a column for each of the {width} coefficients; got the shape {found.shape}. {_EXAMPLE}"
        )
    if not (np.isfinite(found).all() and np.isfinite(wanted).all()):
        raise _make_hypothesis_error(given)
    return found, wanted


def _parse_hypothesis_text(text: str, names: Sequence[str]) -> list[tuple[str, Floats, float]]:
    """Return the hypotheses of a text: label, row and value."""
    places = {name: place for place, name in enumerate(names)}
    longest = sorted(map(re.escape, names), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(longest)})(?!\w)")
    marked = pattern.sub(lambda match: f"_{places[match[0]]}_", text)
    found = []
    for part in marked.split(","):
        sides = [_parse_linear_form(side, text, names) for side in part.split("=")]
        if len(sides) == 1:
            sides.append((np.zeros(len(names)), 0.0))
        label = re.sub(r"_(\d+)_", lambda match: names[int(match[1])], part).strip()
        for (left, first), (right, second) in zip(sides, sides[1:]):
            found.append((label, left - right, second - first))
    return found


def _parse_linear_form(text: str, full_text: str, names: Sequence[str]) -> tuple[Floats, float]:
    """Return the factors of a linear form, and its constant."""
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
            row, rest = _evaluate_linear_form(operand, width)
            return -row, -rest
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            (one, first), (other, second) = (
                _evaluate_linear_form(left, width),
                _evaluate_linear_form(right, width),
            )
            sign = 1.0 if isinstance(op, ast.Add) else -1.0
            return one + sign * other, first + sign * second
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            (one, first), (other, second) = (
                _evaluate_linear_form(left, width),
                _evaluate_linear_form(right, width),
            )
            if isinstance(op, ast.Mult) and not one.any():
                one, first, other, second = other, second, one, first
            if not other.any():
                factor = second if isinstance(op, ast.Mult) else 1.0 / second
                return one * factor, first * factor
    raise ValueError("not linear")


def _make_hypothesis_error(given: object) -> PydpstatError:
    return PydpstatError(
        "r_matrix must be a string, strings, a matrix of finite numbers, or a tuple of a matrix and "
        f"values; got {checks.describe_value(given)}. {_EXAMPLE}"
    )

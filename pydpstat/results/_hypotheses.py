"""Linear hypotheses on coefficients, from texts such as ``"x1 = x2"`` or from matrices; all public."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError

Floats = npt.NDArray[np.float64]
_EXAMPLE = (
    "Write for example 'x1 = x2' or 'x1 + x2 = 1, x3 = 0', or a matrix with a column for each coefficient."
)


class Hypotheses(NamedTuple):
    """Hypotheses ``matrix @ coefficients = values``.

    Parameters
    ----------
    labels : tuple of str
        Their names.
    matrix : ndarray of shape (q, d)
        A row for each.
    values : ndarray of shape (q,)
        What each is equal to.
    """

    labels: tuple[str, ...]
    matrix: Floats
    values: Floats


def hypotheses(given: Any, names: Sequence[str]) -> Hypotheses:
    """Return hypotheses from a text, several of them, a matrix, or a matrix and values.

    Examples
    --------
    >>> found = hypotheses("a = 2*b, b + 1 = 3", ["a", "b"])
    >>> found.labels, found.matrix.tolist(), found.values.tolist()
    (('a = 2*b', 'b + 1 = 3'), [[1.0, -2.0], [0.0, 1.0]], [0.0, 2.0])
    """
    if isinstance(given, str):
        given = [given]
    if isinstance(given, (list, tuple)) and given and all(isinstance(each, str) for each in given):
        found = [each for text in given for each in _of_text(text, names)]
        labels, rows, values = zip(*found)
        matrix, wanted = np.array(rows), np.array(values)
    else:
        matrix, wanted = _of_matrix(given, len(names))
        labels = tuple(f"c{place}" for place in range(len(matrix)))
    if not (np.abs(matrix).max(axis=1) > 0.0).all():
        raise PydpstatError(f"r_matrix must have coefficients in every hypothesis; one has none. {_EXAMPLE}")
    return Hypotheses(tuple(labels), matrix, wanted)


def _of_matrix(given: Any, width: int) -> tuple[Floats, Floats]:
    pair = isinstance(given, tuple) and len(given) == 2
    matrix, values = given if pair else (given, 0.0)
    try:
        found = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
        wanted = np.broadcast_to(np.asarray(values, dtype=np.float64), found.shape[:1])
    except (TypeError, ValueError) as error:
        raise _unsuitable(given) from error
    if found.ndim != 2 or found.shape[1] != width or not found.size:
        raise PydpstatError(
            f"r_matrix must have a column for each of the {width} coefficients; got the shape {found.shape}. "
            f"{_EXAMPLE}"
        )
    if not (np.isfinite(found).all() and np.isfinite(wanted).all()):
        raise _unsuitable(given)
    return found, wanted


def _of_text(text: str, names: Sequence[str]) -> list[tuple[str, Floats, float]]:
    """Return the hypotheses of a text: label, row and value."""
    places = {name: place for place, name in enumerate(names)}
    longest = sorted(map(re.escape, names), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(longest)})(?!\w)")
    marked = pattern.sub(lambda match: f"_{places[match[0]]}_", text)
    found = []
    for part in marked.split(","):
        sides = [_linear(side, text, names) for side in part.split("=")]
        if len(sides) == 1:
            sides.append((np.zeros(len(names)), 0.0))
        label = re.sub(r"_(\d+)_", lambda match: names[int(match[1])], part).strip()
        for (left, first), (right, second) in zip(sides, sides[1:]):
            found.append((label, left - right, second - first))
    return found


def _linear(text: str, whole: str, names: Sequence[str]) -> tuple[Floats, float]:
    """Return the factors of a linear form, and its constant."""
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, len(names))
    except (SyntaxError, ValueError, ZeroDivisionError) as error:
        raise PydpstatError(
            "r_matrix must have linear combinations of coefficients; got "
            f"{checks.shown_option(whole)}. The coefficients are {checks.excerpt(list(names))}. "
            f"{_EXAMPLE}"
        ) from error


def _value(node: ast.expr, width: int) -> tuple[Floats, float]:
    match node:
        case ast.Name(id=name) if re.fullmatch(r"_\d+_", name):
            return np.eye(width)[int(name[1:-1])], 0.0
        case ast.Constant(value=int() | float() as value):
            return np.zeros(width), float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            row, rest = _value(operand, width)
            return -row, -rest
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            (one, first), (other, second) = _value(left, width), _value(right, width)
            sign = 1.0 if isinstance(op, ast.Add) else -1.0
            return one + sign * other, first + sign * second
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            (one, first), (other, second) = _value(left, width), _value(right, width)
            if isinstance(op, ast.Mult) and not one.any():
                one, first, other, second = other, second, one, first
            if not other.any():
                factor = second if isinstance(op, ast.Mult) else 1.0 / second
                return one * factor, first * factor
    raise ValueError("not linear")


def _unsuitable(given: Any) -> PydpstatError:
    return PydpstatError(
        "r_matrix must be a string, strings, a matrix of finite numbers, or a tuple of a matrix and "
        f"values; got {checks.shown(given)}. {_EXAMPLE}"
    )

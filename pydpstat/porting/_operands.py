"""Operands of operators: literals, conversion to numbers, alignment, and the kind of the result."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import cast

from pydpstat import r_arithmetic
from pydpstat.porting._code import (
    ATOM,
    NUMERIC_VECTOR_KINDS,
    RELEASE_KINDS,
    SCALAR_KINDS,
    Code,
    TranslationError,
    is_whole_number,
    write_call,
    write_number,
)
from pydpstat.porting._escapes import quote_text
from pydpstat.porting._syntax import Constant, Node

_NON_NUMERIC_KINDS = {"text", "texts", "factor", "list", "dict", "frame", "function", "null", "formula", "time"}
# kinds of values that become doubles with a double, and kinds that are Python integers
_SURE_KINDS = {"doubles", "count", "flag"}
_MISSING_TEXTS = {"integer": "np.nan", "double": "np.nan", "character": "None"}
# kinds of values whose lengths are known, or that are no vectors
WITHOUT_LENGTH = {*SCALAR_KINDS, *RELEASE_KINDS, "matrix", "predictions", "table", "frame", "groups", "time", "object"}
# operands that R compares with numbers as text
_NUMBER_LIKE_TEXT = re.compile(r"\s*[-+]?(\d|\.\d|inf|nan|na$|true$|false$|t$|f$)", re.IGNORECASE)
# the product of two such numbers exceeds R's integers
_LARGE_INTEGER = 46341


def refuse_non_numbers(*codes: Code) -> None:
    """Refuse arithmetic with values that are not numbers."""
    for each in codes:
        if each.kind in _NON_NUMERIC_KINDS:
            raise TranslationError(f"arithmetic with a {each.kind}")


def as_double(code: Code, other: Code) -> Code:
    """Return an R double as a Python double where the other operand may be an integer array."""
    sure = other.kind in _SURE_KINDS or (other.kind == "position" and other.text.isidentifier())
    if not code.double or other.double or sure or not other.is_computed:
        return code
    return replace(code, text=code.typed_text, level=ATOM, double=False)


def as_integers(code: Code) -> Code:
    """Return TRUE and FALSE as the integers of R's arithmetic."""
    text = f"int({code.text})" if code.kind == "flag" else write_call("np.asarray", [code.text, "dtype=int"])
    return Code(text, {"flag": "number", "flags": "ints"}.get(code.kind, ""), missing=code.missing)


def align_operands(left: Code, right: Code) -> tuple[Code, Code, str]:
    """Return two operands that are aligned row by row, and the data frame whose rows they follow."""
    both = left, right
    frames = [each.frame for each in both if each.kind == "column"]
    sizes = left.size, right.size
    if min(sizes) > 1 and sizes[0] != sizes[1]:
        # the shorter operand is repeated
        left, right = (
            each if each.size == max(sizes) else replace(each, text=f"np.resize({each.text}, {max(sizes)})", level=ATOM)
            for each in both
        )
    elif (left.plain == "[]") != (right.plain == "[]") and not {left.kind, right.kind} & SCALAR_KINDS:
        # nothing is left of the longer operand
        left, right = (
            each if each.plain == "[]" else replace(each, text=f"np.resize({each.text}, 0)", level=ATOM, size=0)
            for each in both
        )
    if left.kind == right.kind == "named":
        right = replace(right, text=f"{right.wrap_at(ATOM)}.values", level=ATOM)
    if not frames or (len(set(frames)) == 1 and frames[0]):
        return left, right, frames[0] if frames else ""
    left, right = (
        replace(each, text=each.array, level=ATOM, kind="vector") if each.kind == "column" else each for each in both
    )
    return left, right, ""


def write_recycled(sign: str, left: Code, right: Code) -> str:
    """Return the call of an operator whose operands may be vectors of unequal lengths.

    Examples
    --------
    >>> write_recycled("+", Code("x"), Code("y"))
    'r.recycled(x, "+", y)'
    """
    return write_call("r.recycled", [left.array, quote_text(sign), right.array])


def find_operation_kind(left: Code, right: Code, frame: str, scalar: str, vector: str) -> str:
    """Return the kind of the result of an elementwise operation."""
    kinds = {left.kind, right.kind}
    if frame:
        return "column"
    for kind in ("matrix", "predictions", "named"):
        if kind in kinds:
            return kind
    if kinds <= SCALAR_KINDS:
        return scalar
    return vector if kinds & {*NUMERIC_VECTOR_KINDS, "flags", "texts", "vector", "factor"} else ""


def translate_constant(node: Constant) -> Code:
    """Translate a literal of R."""
    value = node.value
    if node.kind == "NULL":
        return Code("None", "null")
    if value is None:
        kind = "text" if node.kind == "character" else "number"
        return Code(_MISSING_TEXTS.get(node.kind, "np.nan"), kind, missing=2)
    if isinstance(value, bool):
        return Code(str(value), "flag")
    if isinstance(value, str):
        return Code(quote_text(value), "text")
    if node.kind == "integer" and abs(value) >= _LARGE_INTEGER:
        raise TranslationError(f"{value}L may lead beyond R's integers, where all is NA")
    if isinstance(value, complex):
        if not math.isfinite(value.imag):
            raise TranslationError("a complex number that is not finite")
        return Code(repr(value))
    if node.kind == "integer":
        return Code(write_number(value), "count")
    text = write_number(value)
    return Code(text, "number", double=is_whole_number(text))


def has_only_numbers(*given: Node | None) -> bool:
    """Return whether all of these nodes are number literals."""
    return all(
        isinstance(each, Constant) and each.kind in ("double", "integer") and each.value is not None for each in given
    )


def is_power_exact(first: Node | None, second: Node | None) -> bool:
    """Return whether both nodes are number literals, of which Python's power is finite and that of R."""
    if not has_only_numbers(first, second):
        return False
    base, exponent = (cast(float, cast(Constant, node).value) for node in (first, second))
    power = float(r_arithmetic.elementary.compute_power(base, exponent))
    # Python raises an error for some others
    return math.isfinite(power) and bool(power == base**exponent)


def is_number_like(text: str) -> bool:
    """Return whether a text in quotes begins like a number or a value that R writes as text."""
    return bool(_NUMBER_LIKE_TEXT.match(text.strip('"')))

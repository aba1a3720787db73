"""R's operators, constants and subscripts as Python expressions."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from pydpstat import r_arithmetic
from pydpstat.porting._code import (
    AND,
    ATOM,
    BIT_AND,
    BIT_OR,
    COMPARE,
    NOT,
    NUMBERS,
    OR,
    POWER,
    PRODUCT,
    SCALARS,
    SIGN,
    SUM,
    VECTORS,
    Code,
    TooManySteps,
    Untranslated,
    called,
    is_whole,
    number,
)
from pydpstat.porting._escapes import quoted
from pydpstat.porting._operands import (
    align_operands,
    as_double,
    as_integers,
    kind_of_operation,
    refuse_non_numbers,
)
from pydpstat.porting._scope import Scope, Variable, arguments_of, function_name, word
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node, Script

_ARITHMETIC = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}
_COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}
_LOGIC = {"&": ("&", BIT_AND), "|": ("|", BIT_OR), "&&": ("and", AND), "||": ("or", OR)}
_WORDS = {"%in%": "r.is_in", "%o%": "r.outer", "%*%": "r.matmul", "%%": "r.modulo", "%/%": "r.quotient"}
_MISSING = {"integer": "np.nan", "double": "np.nan", "character": "None"}
# what R compares with numbers as text
_LIKE_A_NUMBER = re.compile(r"\s*[-+]?(\d|\.\d|inf|nan|na$|true$|false$|t$|f$)", re.IGNORECASE)
# the product of two such is beyond R's integers
_TOO_LARGE = 46341
CONSTANTS = {
    "pi": Code("math.pi", "number"),
    **{name: Code(f"r.{name}", "texts") for name in ("letters", "LETTERS")},
    **{"T": Code("True", "flag"), "F": Code("False", "flag")},
}


class Expressions(ABC):
    """What expressions are in Python, in the scope in which they stand."""

    # whether the text is for a comparison, which finds wrong values by itself
    lenient: bool

    def __init__(self, script: Script) -> None:
        self.script = script
        self.scope = Scope()
        # the data frames whose columns names may be, the innermost last, with their names in Python
        self.frames: list[tuple[str, Variable, Scope]] = []
        # what is known of data frames that have no name
        self.made: dict[str, Variable] = {}
        # texts whose values are known not to be missing
        self.complete: set[str] = set()
        # whether a comparison with a missing value stops R, and whether it counts as false
        self.tested = self.dropped = False
        # how many expressions were translated, and how many may be
        self.steps, self.most_steps = 0, math.inf

    @abstractmethod
    def subscript(self, node: Call, single: bool) -> Code:
        """Return ``x[i]``, ``x[[i]]`` or ``x[i, j]``."""

    @abstractmethod
    def part(self, of: Code, name: str, sign: str = "$") -> Code:
        """Return a component by its name."""

    @abstractmethod
    def called(self, node: Call) -> Code:
        """Return a call of a function that is no operator."""

    @abstractmethod
    def reference(self, name: str, package: str = "") -> str:
        """Return one of R's functions, or of the packages', as a value."""

    @abstractmethod
    def function(self, node: Function) -> Code:
        """Return a function without a name."""

    @abstractmethod
    def named(self, node: Name) -> Code:
        """Return a name."""

    def value(self, node: Node | None) -> Code:
        """Return an expression."""
        if node is None:
            raise Untranslated("an argument is empty")
        self.steps += 1
        if self.steps > self.most_steps:
            raise TooManySteps(f"its translation takes more than {self.most_steps:,} steps")
        if isinstance(node, Constant):
            if isinstance(node.value, float) and math.isnan(node.value) and not self.lenient:
                raise Untranslated("NaN is NA in Python")
            return _constant(node)
        if isinstance(node, Name):
            return self.named(node)
        if isinstance(node, Function):
            return self.function(node)
        name = function_name(node) if isinstance(node.function, Name) else ""
        given = node.arguments
        variable = self.scope.find(name) if name else None
        if variable is not None and variable.made is not None:
            return self.called(node)
        if name == "(" and given:
            return self.value(given[0].value)
        if name in ("::", ":::") and len(given) == 2:
            return Code(self.reference(word(given[1].value), word(given[0].value)), "function")
        if name in ("[", "[["):
            return self.subscript(node, single=name == "[[")
        if name in ("$", "@"):
            return self.part(self.value(given[0].value), word(given[1].value), name)
        if len(given) == 1 and name in ("-", "+", "!"):
            return self._unary(name, self.value(given[0].value))
        if len(given) == 2 and all(each.value is not None and each.name is None for each in given):
            left, right = (each.value for each in given)
            if name in _LOGIC:
                return self._logic(name, left, right)
            if name == ":":
                return self._colon(left, right)
            if name in _ARITHMETIC:
                first, second = (self.bare(self.value(each)) for each in (left, right))
                return self._arithmetic(name, first, second, nonzero=self.is_nonzero(right))
            if name in _COMPARISONS:
                return self._comparison(name, *(self.bare(self.value(each)) for each in (left, right)))
            if name == "^":
                return self._power(left, right)
            if name in _WORDS:
                return self._word(name, self.value(left), self.value(right))
        return self.called(node)

    def is_nonzero(self, node: Node | None) -> bool:
        """Return whether an expression is a number that is surely not zero."""
        if isinstance(node, Name):
            return (found := self.scope.find(node.name)) is not None and found.nonzero
        inner = arguments_of(node)
        if function_name(node) in ("(", "-", "*", "sqrt", "exp") and inner:
            return all(map(self.is_nonzero, inner))
        return isinstance(node, Constant) and isinstance(node.value, (int, float)) and node.value != 0

    # missing values

    def known(self, code: Code) -> Code:
        """Return values that are compared, with a check where a missing one would change the result."""
        sure = code.missing < (2 if self.tested else 1) or code.text in self.complete
        return code if sure or self.dropped or self.lenient else code.known()

    @contextmanager
    def condition(self, tested: bool = False, dropped: bool = False) -> Iterator[None]:
        """Mark what is translated as a condition: of a branch, or of rows that are left out if missing."""
        before = self.tested, self.dropped
        self.tested, self.dropped = tested, dropped
        yield
        self.tested, self.dropped = before

    def test(self, node: Node | None) -> Code:
        """Return the condition of a branch or loop, which stops R where it is missing or NULL."""
        with self.condition(tested=True):
            found = self.known(self.value(node))
        if found.kind == "null":
            raise Untranslated("NULL is no condition")
        return found

    def present(self, node: Node | None) -> set[str]:
        """Return the texts of what a condition says is not missing."""
        inner = arguments_of(node) if node is not None else []
        if function_name(node) == "&" and len(inner) == 2:
            return self.present(inner[0]) | self.present(inner[1])
        if function_name(node) == "!" and function_name(inner[0]) == "is.na":
            return {self.value(each).text for each in arguments_of(inner[0])}
        if function_name(node) in ("is.finite", "complete.cases"):
            return {self.value(each).text for each in inner}
        return set()

    def bare(self, code: Code) -> Code:
        """Return a value as R's arithmetic has it: of a released table its counts."""
        if code.kind != "table" or self.lenient:
            return code
        return Code(called("r.released", [code.text]))

    # operators

    def _unary(self, sign: str, code: Code) -> Code:
        if sign == "!":
            if code.is_na:
                raise Untranslated("! of NA is NA")
            if code.kind == "flag":
                return replace(code, text=f"not {code.at(NOT)}", level=NOT)
            if code.kind in ("flags", "column"):
                return replace(code, text=f"~{code.at(SIGN)}", level=SIGN)
            return Code(called("np.logical_not", [code.text]), "flags" if code.kind in VECTORS else "truth")
        refuse_non_numbers(code)
        if code.kind in ("flag", "flags", "truth"):
            code = as_integers(code)
        kind = "number" if code.kind in NUMBERS else "ints" if code.kind == "positions" else code.kind
        return replace(code, text=f"{sign}{code.at(SIGN)}", level=SIGN, plain="", kind=kind)

    def _logic(self, sign: str, first: Node | None, second: Node | None) -> Code:
        word_, level = _LOGIC[sign]
        left = self.value(first)
        before = set(self.complete)
        if sign in ("&", "&&"):
            self.complete |= self.present(first)
        right = self.value(second)
        self.complete = before
        truths = {"flag", "flags", "truth", "column"}
        if left.is_na or right.is_na:
            raise Untranslated(f"{sign} with NA depends on the other side")
        if sign in ("&&", "||"):
            texts = (each if each.kind in truths else Code(f"bool({each.text})") for each in (left, right))
            a, b = texts
            return Code(f"{a.at(level)} {word_} {b.at(level + 1)}", "flag", level)
        left, right, frame = align_operands(left, right)
        kind = kind_of_operation(left, right, frame, "flag", "flags")
        if not {left.kind, right.kind} <= truths:
            function = "np.logical_and" if sign == "&" else "np.logical_or"
            left, right = self.known(left), self.known(right)
            return Code(called(function, [left.text, right.text]), kind or "truth", frame=frame)
        return Code(f"{left.at(level)} {word_} {right.at(level + 1)}", kind or "truth", level, frame=frame)

    def _arithmetic(self, sign: str, left: Code, right: Code, nonzero: bool = False) -> Code:
        refuse_non_numbers(left, right)
        truths = ("flag", "flags", "truth")
        unsure = (*truths, "", "column")
        if left.kind in truths and right.kind in unsure:
            left = as_integers(left)
        if right.kind in truths and left.kind in unsure:
            right = as_integers(right)
        if {left.kind, right.kind} & {"ints", "positions"}:
            left, right = as_double(left), as_double(right)
        left, right, frame = align_operands(left, right)
        kind = kind_of_operation(left, right, frame, "number", "doubles")
        whole = {left.kind, right.kind} <= {"ints", "positions", *NUMBERS} and sign != "/"
        if kind == "doubles" and whole:
            kind = "ints"
        level = _ARITHMETIC[sign]
        texts = left.text, right.text
        if sign == "*" and all(map(is_whole, texts)) and int(texts[0]) * int(texts[1]) > 2**53:
            left = replace(left, text=f"{left.text}.0")
        missing = max(left.missing, right.missing)
        text = f"{left.at(level)} {sign} {right.at(level + 1)}"
        if sign == "/" and not nonzero and {left.kind, right.kind} <= {*NUMBERS, ""} and not self.lenient:
            return Code(called("r.divide", [left.text, right.text]), kind, missing=missing)
        if sign == "*" and {left.kind, right.kind} <= {"ints", "positions", "count"}:
            return Code(called("r.integers", [text]), kind, missing=missing, size=max(left.size, right.size))
        return Code(text, kind, level, frame=frame, missing=missing, size=max(left.size, right.size))

    def _comparison(self, sign: str, left: Code, right: Code) -> Code:
        for each in (left, right):
            if each.kind in ("list", "dict", "function", "null"):
                raise Untranslated(f"{sign} compares a {each.kind}")
            if each.is_na:
                raise Untranslated(f"{sign} with NA is NA")
        left, right, frame = align_operands(self.known(left), self.known(right))
        kind = kind_of_operation(left, right, frame, "flag", "flags") or "truth"
        if sign not in ("==", "!=") and "factor" in (left.kind, right.kind):
            raise Untranslated(f"{sign} of a factor")
        texts = [each for each in (left, right) if each.kind in ("text", "texts")]
        if texts and sign not in ("==", "!="):
            given = [left.array, quoted(sign), right.array]
            return Code(called("r.ordered", given), "flags" if kind == "column" else kind)
        others = {left.kind, right.kind} - {"text", "texts", "factor", "named"}
        if len(texts) == 1 and others and (not texts[0].text.startswith('"') or _numeric(texts[0].text)):
            function = "r.equal" if sign == "==" else "r.unequal"
            return Code(called(function, [left.array, right.array]), "flags" if kind == "column" else kind)
        text = f"{left.at(COMPARE + 1)} {sign} {right.at(COMPARE + 1)}"
        return Code(text, kind, COMPARE, frame=frame, size=max(left.size, right.size))

    def _power(self, first: Node | None, second: Node | None) -> Code:
        left, right = self.bare(self.value(first)), self.bare(self.value(second))
        refuse_non_numbers(left, right)
        if left.kind in ("flag", "flags", "truth"):
            left = as_integers(left)
        left, right, _ = align_operands(left, right)
        both = (first.value, second.value) if _numbers(first, second) else None  # type: ignore[union-attr]
        exact = both and float(r_arithmetic.elementary.power(*both)) == both[0] ** both[1]  # type: ignore
        simple = left.kind in ("doubles", "matrix", "predictions", "column") and right.text == "2"
        kind = kind_of_operation(left, right, left.frame, "number", "doubles")
        missing = max(left.missing, right.missing)
        if exact or simple:
            text = f"{left.at(POWER + 1)}**{right.at(POWER)}"
            return Code(text, kind, POWER, frame=left.frame, missing=missing)
        kind = "doubles" if kind == "column" else kind
        return Code(called("r.power", [left.text, right.text]), kind, missing=missing)

    def _word(self, sign: str, left: Code, right: Code) -> Code:
        if sign in ("%%", "%/%"):
            refuse_non_numbers(left, right)
            whole = re.fullmatch(r"[\d_]+", right.text) and right.text != "0"
            native = whole and (sign == "%%" or left.kind in ("ints", "positions", "position"))
            left, right, frame = align_operands(left, right)
            kind = kind_of_operation(left, right, frame, "number", "doubles")
            missing = max(left.missing, right.missing)
            if native:
                text = f"{left.at(PRODUCT)} {'%' if sign == '%%' else '//'} {right.at(PRODUCT + 1)}"
                return Code(text, kind, PRODUCT, frame=frame, missing=missing)
            return Code(called(_WORDS[sign], [left.array, right.array]), kind, missing=missing)
        kind = {"%in%": "flag" if left.kind in SCALARS else "flags"}.get(sign, "matrix")
        if sign == "%in%" and left.kind == "column":
            text = f"{left.at(ATOM)}.isin({right.sequence})"
            if right.kind == "texts" and right.plain:
                return Code(text, "column", frame=left.frame)
        if sign == "%in%" and not left.kind:
            kind = "truth"
        if sign == "%*%" and left.kind == right.kind == "matrix" and self.lenient:
            return Code(f"{left.at(PRODUCT)} @ {right.at(PRODUCT + 1)}", "matrix", PRODUCT)
        first = left.array if left.kind == "column" else left.sequence
        return Code(called(_WORDS[sign], [first, right.sequence]), kind)

    def _colon(self, first: Node | None, second: Node | None) -> Code:
        low, high = self.value(first), self.value(second)
        if _numbers(first, second) and low.text.isdigit() and high.text.isdigit():
            a, b = int(low.text), int(high.text)
            if a <= b:
                kind = "positions" if a > 0 else "ints"
                return Code(f"np.arange({a}, {b + 1})", kind, plain=f"range({a}, {b + 1})", size=b + 1 - a)
        return Code(called("r.colon", [low.text, high.text]), "ints")


def _constant(node: Constant) -> Code:
    value = node.value
    if node.kind == "NULL":
        return Code("None", "null")
    if value is None:
        kind = "text" if node.kind == "character" else "number"
        return Code(_MISSING.get(node.kind, "np.nan"), kind, missing=2)
    if isinstance(value, bool):
        return Code(str(value), "flag")
    if isinstance(value, str):
        return Code(quoted(value), "text")
    if node.kind == "integer" and abs(value) >= _TOO_LARGE:
        raise Untranslated(f"{value}L may lead beyond R's integers, where all is NA")
    if isinstance(value, complex):
        if not math.isfinite(value.imag):
            raise Untranslated("a complex number that is not finite")
        return Code(repr(value))
    return Code(number(value), "count" if node.kind == "integer" else "number")


def _numbers(*given: Node | None) -> bool:
    return all(
        isinstance(each, Constant) and each.kind in ("double", "integer") and each.value is not None
        for each in given
    )


def _numeric(text: str) -> bool:
    return bool(_LIKE_A_NUMBER.match(text.strip('"')))

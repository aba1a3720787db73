"""R's operators, constants and subscripts as Python expressions."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from pydpstat.porting._code import (
    AND,
    ATOM,
    BIT_AND,
    BIT_OR,
    COMPARE,
    NOT,
    NUMBER_KINDS,
    OR,
    POWER,
    PRODUCT,
    SCALAR_KINDS,
    SIGN,
    SUM,
    VECTOR_KINDS,
    Code,
    StepLimitError,
    TranslationError,
    is_whole_number,
    write_call,
)
from pydpstat.porting._escapes import quote_text
from pydpstat.porting._lengths import Lengths
from pydpstat.porting._operands import (
    WITHOUT_LENGTH,
    align_operands,
    as_double,
    as_integers,
    find_operation_kind,
    has_only_numbers,
    is_number_like,
    is_power_exact,
    refuse_non_numbers,
    translate_constant,
    write_recycled,
)
from pydpstat.porting._scope import Scope, Variable, get_arguments, get_function_name, get_word, make_call
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node, Script

_ARITHMETIC_LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}
_COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}
_LOGICAL_OPERATORS = {"&": ("&", BIT_AND), "|": ("|", BIT_OR), "&&": ("and", AND), "||": ("or", OR)}
# operators whose operands are conditions in the same way as their result
_CONDITION_OPERATORS = {"(", "!", *_LOGICAL_OPERATORS, *_COMPARISONS}
_SPECIAL_OPERATORS = {"%in%": "r.is_in", "%o%": "r.outer", "%*%": "r.matmul", "%%": "r.modulo", "%/%": "r.quotient"}
CONSTANTS = {
    "pi": Code("math.pi", "number"),
    **{name: Code(f"r.{name}", "texts") for name in ("letters", "LETTERS")},
    **{"T": Code("True", "flag"), "F": Code("False", "flag")},
}


class Expressions(ABC):
    """Translation of R's expressions to Python, in their scope."""

    # whether the text is for a comparison of results, which detects wrong values itself
    is_lenient: bool

    def __init__(self, script: Script) -> None:
        self.script = script
        self.scope = Scope()
        self.lengths = Lengths(script.expressions)
        # data frames whose columns the names may be, the innermost last, with their names in Python
        self.frames: list[tuple[str, Variable, Scope]] = []
        # facts known of data frames without a name
        self.unnamed_frames: dict[str, Variable] = {}
        # texts of expressions whose values are known not to be missing
        self.complete_texts: set[str] = set()
        # whether a comparison with a missing value stops R, and whether it counts as false
        self.is_tested = self.is_dropped = False
        # number of translated expressions, and its limit
        self.steps, self.most_steps = 0, math.inf

    @abstractmethod
    def translate_subscript(self, node: Call, single: bool) -> Code:
        """Translate ``x[i]``, ``x[[i]]`` or ``x[i, j]``."""

    @abstractmethod
    def translate_component(self, owner: Code, name: str, sign: str = "$") -> Code:
        """Translate the access of a component by name."""

    @abstractmethod
    def translate_call(self, node: Call) -> Code:
        """Translate a call of a function that is not an operator."""

    @abstractmethod
    def translate_reference(self, name: str, package: str = "") -> str:
        """Translate a function of R or of a package that is used as a value."""

    @abstractmethod
    def translate_function(self, node: Function) -> Code:
        """Translate an anonymous function."""

    @abstractmethod
    def translate_name(self, node: Name) -> Code:
        """Translate a name."""

    def translate_node(self, node: Node | None) -> Code:
        """Translate an expression."""
        if node is None:
            raise TranslationError("an argument is empty")
        if (self.is_tested or self.is_dropped) and get_function_name(node) not in _CONDITION_OPERATORS:
            with self.set_condition_mode():
                return self.translate_node(node)
        self.steps += 1
        if self.steps > self.most_steps:
            raise StepLimitError(f"its translation takes more than {self.most_steps:,} steps")
        if isinstance(node, Constant):
            if isinstance(node.value, float) and math.isnan(node.value) and not self.is_lenient:
                raise TranslationError("NaN is NA in Python")
            code = translate_constant(node)
            return replace(code, double=False) if self.is_lenient else code
        if isinstance(node, Name):
            return self.translate_name(node)
        if isinstance(node, Function):
            return self.translate_function(node)
        name = get_function_name(node) if isinstance(node.function, Name) else ""
        given = node.arguments
        variable = self.scope.find_variable(name) if name else None
        if variable is not None and variable.made is not None:
            return self.translate_call(node)
        if name == "(" and given:
            return self.translate_node(given[0].value)
        if name in ("::", ":::") and len(given) == 2:
            return Code(self.translate_reference(get_word(given[1].value), get_word(given[0].value)), "function")
        if name in ("[", "[["):
            return self.translate_subscript(node, single=name == "[[")
        if name in ("$", "@"):
            return self.translate_component(self.translate_node(given[0].value), get_word(given[1].value), name)
        if len(given) == 1 and name in ("-", "+", "!"):
            # a false comparison would become true
            with self.set_condition_mode(tested=self.is_tested):
                return self._translate_unary(name, self.unwrap_operand(self.translate_node(given[0].value)))
        if len(given) == 2 and all(each.value is not None and each.name is None for each in given):
            left, right = (each.value for each in given)
            if name in _LOGICAL_OPERATORS:
                return self._translate_logic(name, node)
            if name == ":":
                return self._translate_colon(left, right)
            if name in _ARITHMETIC_LEVELS:
                first, second = (self.unwrap_operand(self.translate_node(each)) for each in (left, right))
                recycled = self._is_recycled(node, first, second)
                return self._translate_arithmetic(name, first, second, self.is_nonzero(right), recycled)
            if name in _COMPARISONS:
                if name == "!=" and self.is_dropped:
                    return self._translate_dropped_inequality(node)
                with self.set_condition_mode():
                    first, second = (self.unwrap_operand(self.translate_node(each)) for each in (left, right))
                return self._translate_comparison(name, first, second, self._is_recycled(node, first, second))
            if name == "^":
                return self._translate_power(left, right)
            if name in _SPECIAL_OPERATORS:
                first, second = (self.unwrap_operand(self.translate_node(each)) for each in (left, right))
                return self._translate_special_operator(name, first, second)
        return self.translate_call(node)

    def is_nonzero(self, node: Node | None) -> bool:
        """Return whether an expression is a number that is certain not to be zero."""
        if isinstance(node, Name):
            return (found := self.scope.find_variable(node.name)) is not None and found.nonzero
        inner = get_arguments(node)
        if get_function_name(node) in ("(", "-", "*", "sqrt", "exp") and inner:
            return all(map(self.is_nonzero, inner))
        return isinstance(node, Constant) and isinstance(node.value, (int, float)) and node.value != 0

    # missing values

    def check_missing(self, code: Code) -> Code:
        """Return compared values, with a check where a missing value would change the result."""
        sure = code.missing < (2 if self.is_tested else 1) or code.text in self.complete_texts
        return code if sure or self.is_lenient else code.add_missing_check()

    @contextmanager
    def set_condition_mode(self, tested: bool = False, dropped: bool = False) -> Iterator[None]:
        """Translate the body of the context as a condition: of a branch, or of rows dropped if missing."""
        before = self.is_tested, self.is_dropped
        self.is_tested, self.is_dropped = tested, dropped
        yield
        self.is_tested, self.is_dropped = before

    def translate_condition(self, node: Node | None) -> Code:
        """Translate the condition of a branch or loop; a missing or NULL condition stops R."""
        with self.set_condition_mode(tested=True):
            found = self.check_missing(self.translate_node(node))
        if found.kind == "null":
            raise TranslationError("NULL is no condition")
        return found

    def find_present_texts(self, node: Node | None) -> set[str]:
        """Return the texts of the expressions that a condition tests to be not missing."""
        inner = get_arguments(node) if node is not None else []
        if get_function_name(node) == "&" and len(inner) == 2:
            return self.find_present_texts(inner[0]) | self.find_present_texts(inner[1])
        if get_function_name(node) == "!" and get_function_name(inner[0]) == "is.na":
            return {self.translate_node(each).text for each in get_arguments(inner[0])}
        if get_function_name(node) in ("is.finite", "complete.cases"):
            return {self.translate_node(each).text for each in inner}
        return set()

    def unwrap_release(self, code: Code) -> Code:
        """Return the operand of R's arithmetic: for a released table, its counts."""
        if code.kind != "table" or self.is_lenient:
            return code
        return Code(write_call("r.released", [code.text]))

    def unwrap_operand(self, code: Code) -> Code:
        """Return the operand of an operator: for a release of several numbers, these numbers."""
        if code.kind == "noisy numbers" and not self.is_lenient:
            return Code(write_call("r.released", [code.text]))
        return self.unwrap_release(code)

    # operators

    def _translate_unary(self, sign: str, code: Code) -> Code:
        if sign == "!":
            if code.is_na:
                raise TranslationError("! of NA is NA")
            if code.kind == "flag":
                return replace(code, text=f"not {code.wrap_at(NOT)}", level=NOT)
            if code.kind in ("flags", "column"):
                return replace(code, text=f"~{code.wrap_at(SIGN)}", level=SIGN)
            return Code(write_call("np.logical_not", [code.text]), "flags" if code.kind in VECTOR_KINDS else "truth")
        refuse_non_numbers(code)
        if code.kind in ("flag", "flags", "truth"):
            code = as_integers(code)
        kind = {"position": "number", "positions": "ints"}.get(code.kind, code.kind)
        return replace(code, text=f"{sign}{code.wrap_at(SIGN)}", level=SIGN, plain="", kind=kind)

    def _is_recycled(self, node: Call, left: Code, right: Code) -> bool:
        """Return whether the operands of an operator may be vectors of unequal lengths, known only at run time."""
        kinds = {left.kind, right.kind}
        known = (left.size and right.size) or "[]" in (left.plain, right.plain)
        if self.is_lenient or self.frames or kinds & WITHOUT_LENGTH or known:
            return False
        return not (left.frame and left.frame == right.frame) and self.lengths.may_differ(*get_arguments(node))

    def _translate_logic(self, sign: str, node: Call) -> Code:
        first, second = get_arguments(node)
        word_, level = _LOGICAL_OPERATORS[sign]
        left = self.translate_node(first)
        before = set(self.complete_texts)
        if sign in ("&", "&&"):
            self.complete_texts |= self.find_present_texts(first)
        right = self.translate_node(second)
        self.complete_texts = before
        truths = {"flag", "flags", "truth", "column"}
        if left.is_na or right.is_na:
            raise TranslationError(f"{sign} with NA depends on the other side")
        if sign in ("&&", "||"):
            # names, which a comparison may preserve, are lost
            texts = (each if each.kind == "flag" else Code(f"bool({each.text})") for each in (left, right))
            a, b = texts
            return Code(f"{a.wrap_at(level)} {word_} {b.wrap_at(level + 1)}", "flag", level)
        if self._is_recycled(node, left, right):
            left, right = self.check_missing(left), self.check_missing(right)
            return Code(write_recycled(sign, left, right), "flags")
        left, right, frame = align_operands(left, right)
        kind = find_operation_kind(left, right, frame, "flag", "flags")
        if not {left.kind, right.kind} <= truths:
            function = "np.logical_and" if sign == "&" else "np.logical_or"
            left, right = self.check_missing(left), self.check_missing(right)
            return Code(write_call(function, [left.text, right.text]), kind or "truth", frame=frame)
        return Code(f"{left.wrap_at(level)} {word_} {right.wrap_at(level + 1)}", kind or "truth", level, frame=frame)

    def _translate_arithmetic(
        self, sign: str, left: Code, right: Code, nonzero: bool = False, recycled: bool = False
    ) -> Code:
        refuse_non_numbers(left, right)
        truths = ("flag", "flags", "truth")
        unsure = (*truths, "", "column")
        if left.kind in truths and right.kind in unsure:
            left = as_integers(left)
        if right.kind in truths and left.kind in unsure:
            right = as_integers(right)
        double = (left.double or right.double) and left.is_whole and right.is_whole and sign != "/"
        if sign != "/":
            left, right = as_double(left, right), as_double(right, left)
        left, right, frame = (left, right, "") if recycled else align_operands(left, right)
        kind = find_operation_kind(left, right, frame, "number", "doubles")
        whole = {left.kind, right.kind} <= {"ints", "positions", "position", "count"} and sign != "/"
        if kind == "doubles" and whole:
            kind = "ints"
        level = _ARITHMETIC_LEVELS[sign]
        texts = left.text, right.text
        if sign == "*" and all(map(is_whole_number, texts)) and int(texts[0]) * int(texts[1]) > 2**53:
            left = replace(left, text=f"{left.text}.0")
        missing = max(left.missing, right.missing)
        text = f"{left.wrap_at(level)} {sign} {right.wrap_at(level + 1)}"
        if recycled:
            text, level, kind = write_recycled(sign, left, right), ATOM, "" if kind == "column" else kind
        elif sign == "/" and not nonzero and {left.kind, right.kind} <= {*NUMBER_KINDS, ""} and not self.is_lenient:
            return Code(write_call("r.divide", [left.text, right.text]), kind, missing=missing)
        if sign == "*" and {left.kind, right.kind} <= {"ints", "positions", "count"}:
            return Code(write_call("r.integers", [text]), kind, missing=missing, size=max(left.size, right.size))
        size = max(left.size, right.size)
        return Code(text, kind, level, frame=frame, missing=missing, size=size, double=double)

    def _translate_dropped_inequality(self, node: Call) -> Code:
        """Translate ``!=`` where a missing value counts as false; Python's is true."""
        test = node
        with self.set_condition_mode():
            for each in get_arguments(node):
                value = next(iter(get_arguments(each)), None) if get_function_name(each) == "$" else each
                if isinstance(value, Name) and (code := self.translate_node(each)) != self.check_missing(code):
                    present = make_call("!", make_call("is.na", each, like=node), like=node)
                    test = make_call("&", present, test, like=node)
            return self.translate_node(test)

    def _translate_comparison(self, sign: str, left: Code, right: Code, recycled: bool = False) -> Code:
        for each in (left, right):
            if each.kind in ("list", "dict", "function", "null", "formula"):
                raise TranslationError(f"{sign} compares a {each.kind}")
            if each.is_na:
                raise TranslationError(f"{sign} with NA is NA")
        if not self.is_dropped:
            left, right = self.check_missing(left), self.check_missing(right)
        left, right, frame = (left, right, "") if recycled else align_operands(left, right)
        kind = find_operation_kind(left, right, frame, "flag", "flags") or "truth"
        if sign not in ("==", "!=") and "factor" in (left.kind, right.kind):
            raise TranslationError(f"{sign} of a factor")
        texts = [each for each in (left, right) if each.kind in ("text", "texts")]
        if texts and sign not in ("==", "!="):
            given = [left.array, quote_text(sign), right.array]
            return Code(write_call("r.ordered", given), "flags" if kind == "column" else kind)
        others = {left.kind, right.kind} - {"text", "texts", "factor", "named"}
        if len(texts) == 1 and others and (not texts[0].text.startswith('"') or is_number_like(texts[0].text)):
            function = "r.equal" if sign == "==" else "r.unequal"
            return Code(write_call(function, [left.array, right.array]), "flags" if kind == "column" else kind)
        if recycled:
            return Code(write_recycled(sign, left, right), "flags" if kind == "column" else kind)
        text = f"{left.wrap_at(COMPARE + 1)} {sign} {right.wrap_at(COMPARE + 1)}"
        return Code(text, kind, COMPARE, frame=frame, size=max(left.size, right.size))

    def _translate_power(self, first: Node | None, second: Node | None) -> Code:
        left, right = (
            self.unwrap_operand(self.translate_node(first)),
            self.unwrap_operand(self.translate_node(second)),
        )
        refuse_non_numbers(left, right)
        if left.kind in ("flag", "flags", "truth"):
            left = as_integers(left)
        left, right, _ = align_operands(left, right)
        exact = is_power_exact(first, second)
        simple = left.kind in ("doubles", "matrix", "predictions", "column") and right.text == "2"
        kind = find_operation_kind(left, right, left.frame, "number", "doubles")
        missing = max(left.missing, right.missing)
        if exact or simple:
            text = f"{left.wrap_at(POWER + 1)}**{right.wrap_at(POWER)}"
            return Code(text, kind, POWER, frame=left.frame, missing=missing)
        kind = "doubles" if kind == "column" else kind
        return Code(write_call("r.power", [left.text, right.text]), kind, missing=missing)

    def _translate_special_operator(self, sign: str, left: Code, right: Code) -> Code:
        if sign in ("%%", "%/%"):
            refuse_non_numbers(left, right)
            whole = re.fullmatch(r"[\d_]+", right.text) and right.text != "0"
            native = whole and (sign == "%%" or left.kind in ("ints", "positions", "position"))
            double = (left.double or right.double) and left.is_whole and right.is_whole
            left, right = as_double(left, right), as_double(right, left)
            left, right, frame = align_operands(left, right)
            kind = find_operation_kind(left, right, frame, "number", "doubles")
            missing = max(left.missing, right.missing)
            if native:
                text = f"{left.wrap_at(PRODUCT)} {'%' if sign == '%%' else '//'} {right.wrap_at(PRODUCT + 1)}"
                return Code(text, kind, PRODUCT, frame=frame, missing=missing, double=double)
            text = write_call(_SPECIAL_OPERATORS[sign], [left.array, right.array])
            return Code(text, kind, missing=missing, double=double)
        kind = {"%in%": "flag" if left.kind in SCALAR_KINDS else "flags"}.get(sign, "matrix")
        if sign == "%in%" and left.kind == "column":
            text = f"{left.wrap_at(ATOM)}.isin({right.sequence})"
            if right.kind == "texts" and right.plain:
                return Code(text, "column", frame=left.frame)
        if sign == "%in%" and not left.kind:
            kind = "truth"
        if sign == "%*%" and left.kind == right.kind == "matrix" and self.is_lenient:
            return Code(f"{left.wrap_at(PRODUCT)} @ {right.wrap_at(PRODUCT + 1)}", "matrix", PRODUCT)
        first = left.array if left.kind == "column" else left.sequence
        return Code(write_call(_SPECIAL_OPERATORS[sign], [first, right.sequence]), kind)

    def _translate_colon(self, first: Node | None, second: Node | None) -> Code:
        low, high = self.translate_node(first), self.translate_node(second)
        if has_only_numbers(first, second) and low.text.isdigit() and high.text.isdigit():
            a, b = int(low.text), int(high.text)
            if a <= b:
                kind = "positions" if a > 0 else "ints"
                return Code(f"np.arange({a}, {b + 1})", kind, plain=f"range({a}, {b + 1})", size=b + 1 - a)
        return Code(write_call("r.colon", [low.text, high.text]), "ints")

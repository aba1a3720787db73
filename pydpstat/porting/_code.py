"""Pieces of Python text, with the facts known of their values."""

from __future__ import annotations

import builtins
import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from keyword import iskeyword

from pydpstat.porting._escapes import quote_text
from pydpstat.porting._modules import RESERVED_NAMES

# precedence levels of Python's operators
LAMBDA, TERNARY, OR, AND, NOT, COMPARE, BIT_OR, BIT_AND, SUM, PRODUCT, SIGN, POWER, ATOM = range(13)
# kinds of values, an empty string if unknown; counts and positions are R integers, "predictions" a
# matrix of one column, and "noisy numbers" a release with one number for each of its argument
RELEASE_KINDS = {"release", "noisy numbers"}
NUMBER_KINDS = {"number", "position", "count"}
SCALAR_KINDS = {*NUMBER_KINDS, "text", "flag"}
NUMERIC_VECTOR_KINDS = {"doubles", "ints", "positions"}
VECTOR_KINDS = {*NUMERIC_VECTOR_KINDS, "flags", "texts"}
ELEMENT_OF = {
    "doubles": "number",
    "ints": "number",
    "positions": "position",
    "texts": "text",
    "flags": "flag",
}
VECTOR_OF = {"number": "doubles", "position": "ints", "count": "ints", "text": "texts", "flag": "flags"}
# names that ported scripts use, and built-in names of Python
_RESERVED_NAMES = {*dir(builtins), "_value_of_this_line", *RESERVED_NAMES}
# invisible characters
_INVISIBLE_CHARACTERS = {
    "\u034f",
    "\u115f",
    "\u1160",
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
}
_MAX_WHOLE_NUMBER = 10**15
# from here on R may show a double as 1e+05
LARGE_NUMBER = 100_000


class TranslationError(ValueError):
    """R code without a certain counterpart; the message states the reason."""


class StepLimitError(Exception):
    """A statement whose translation would take too many steps; the text says how many."""


@dataclass(frozen=True, slots=True)
class Code:
    """Python text of an expression.

    `level` is the precedence of its operator. `plain` is a shorter text for functions that take any
    sequence. `frame` is the data frame with whose rows the values are aligned. `missing` is 2 for data
    that may be missing, 1 for unknown values, and otherwise 0. `size` is a vector's length, 0 if unknown.
    `double` is whether a Python integer is a double in R.
    """

    text: str
    kind: str = ""
    level: int = ATOM
    plain: str = ""
    frame: str = ""
    missing: int = 0
    size: int = 0
    double: bool = False

    def wrap_at(self, level: int) -> str:
        """Return the text, in parentheses where the operator around it binds tighter."""
        return f"({self.text})" if self.level < level else self.text

    @property
    def sequence(self) -> str:
        """The text for a function that takes any sequence."""
        # of a grouped data frame it is the columns that it is grouped by
        return self.text if self.kind == "groups" else self.plain or self.text

    @property
    def array(self) -> str:
        """The text without the index of the data frame that a column comes from."""
        return f"{self.wrap_at(ATOM)}.values" if self.kind == "column" else self.text

    @property
    def typed_text(self) -> str:
        """The text of an array, or of a number that is a double where R's is one."""
        if not self.double:
            return self.array
        return f"{self.text}.0" if is_whole_number(self.text) else write_call("float", [self.text])

    @property
    def is_na(self) -> bool:
        """Whether the text is NA itself."""
        return self.missing == 2 and self.text in ("np.nan", "None")

    @property
    def is_computed(self) -> bool:
        """Whether the value is computed rather than a number literal in the script."""
        return re.fullmatch(r"-?[\d_]*\.?\d*(e-?\d+)?", self.text) is None

    @property
    def is_whole(self) -> bool:
        """Whether the value is certain to be a Python integer."""
        return self.double or self.kind in ("count", "position") or is_whole_number(self.text)

    @property
    def is_truth(self) -> bool:
        """Whether the value is TRUE or FALSE, or a vector of logical values."""
        return self.kind in ("flag", "flags", "truth") or COMPARE <= self.level < SUM

    def add_missing_check(self) -> Code:
        """Return the values with a check that raises an error at run time if one is missing."""
        return replace(self, text=f"r.known({self.text})", plain="", level=ATOM, missing=0)


@dataclass(frozen=True, slots=True)
class TranslationProblem:
    """A statement without a certain translation: its line, text and position in R, and the reason."""

    line: int
    text: str
    reason: str
    start: int = 0


def make_python_name(name: str) -> str:
    """Return an R name in Python: dots become underscores, and Python's keywords get a final underscore.

    Examples
    --------
    >>> make_python_name("type.DP"), make_python_name("lambda")
    ('type_DP', 'lambda_')
    """
    plain = unicodedata.normalize("NFKC", name.replace(".", "_"))
    # Python normalizes names, so that two R names may become one
    plain = "".join(each if f"_{each}".isidentifier() and each not in _INVISIBLE_CHARACTERS else "_" for each in plain)
    plain = plain if plain[:1].isidentifier() else f"_{plain}"
    return f"{plain}_" if iskeyword(plain) else plain


def make_variable_name(name: str) -> str:
    """Return a variable name that differs from the names that ported scripts and Python use.

    Examples
    --------
    >>> [make_variable_name(each) for each in ("total", "r", "exec", "__builtins__")]
    ['total', 'r_', 'exec_', '__builtins___']
    """
    plain = make_python_name(name)
    return f"{plain}_" if plain in _RESERVED_NAMES or plain.startswith("__") else plain


def write_attribute(owner: str, name: str) -> str:
    """Return the access of a public attribute; private ones would expose Python's internals.

    Examples
    --------
    >>> write_attribute("model", "upper.bounds")
    'model.upper_bounds'
    """
    plain = make_python_name(name)
    if plain.startswith("_"):
        raise TranslationError(f"{name} is no name of a component")
    return f"{owner}.{plain}"


def write_keyword(name: str | None, text: str) -> str:
    """Return a keyword argument, also for a name that is not valid in Python.

    Examples
    --------
    >>> write_keyword("n", "1"), write_keyword("a b", "1"), write_keyword("class", "1"), write_keyword(None, "1")
    ('n=1', '**{"a b": 1}', '**{"class": 1}', '1')
    """
    if not name:
        return text
    plain = make_python_name(name) == name and not name.startswith("__")
    return f"{name}={text}" if plain else f"**{{{quote_text(name)}: {text}}}"


def write_number(value: float, allows_integer: bool = True) -> str:
    """Return a number literal; with `allows_integer`, without a decimal point where none is needed."""
    if math.isnan(value):
        return "np.nan"
    if math.isinf(value):
        return "np.inf"
    if value == int(value) and abs(value) < _MAX_WHOLE_NUMBER:
        digits = f"{int(value):_}" if abs(value) >= 100_000 else str(int(value))
        # arrays of integers would overflow
        return digits if allows_integer and abs(value) < 2**31 else f"{digits}.0"
    return repr(float(value)).replace("e-0", "e-")


def is_whole_number(text: str) -> bool:
    """Return whether a text is a whole number, which is an integer in Python."""
    return re.fullmatch(r"-?[\d_]+", text) is not None


def find_common_kind(parts: Iterable[Code]) -> str:
    """Return the kind of the vector of some scalars, or an empty string."""
    kinds = {each.kind for each in parts}
    # doubles if any of the numbers is one
    kinds -= {"count"} if "number" in kinds else set()
    return VECTOR_OF.get(kinds.pop(), "") if len(kinds) == 1 else ""


def refuse_groups(code: Code, what: str) -> None:
    """Refuse a grouped data frame where Python would lose its groups."""
    if "group" in code.kind:
        raise TranslationError(f"{what} of a grouped data frame")


def merge_kinds(first: str, second: str) -> str:
    """Return the common kind of a value with two possible kinds."""
    both = {first, second}
    for kinds, kind in ((NUMBER_KINDS, "number"), ({"ints", "positions"}, "ints")):
        if len(both) > 1 and both <= kinds:
            return kind
    return first if first == second else ""


def write_call(function: str, arguments: Iterable[str]) -> str:
    """Return a call of a function.

    Examples
    --------
    >>> write_call("r.mean", ["x", "na_rm=True"])
    'r.mean(x, na_rm=True)'
    """
    return f"{function}({', '.join(arguments)})"

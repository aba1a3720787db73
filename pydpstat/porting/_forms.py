"""Forms that the checker evaluates: a common representation of R's and Python's trees, with positions."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from pydpstat.porting._escapes import escape_text

# deepest nesting of forms
MAX_DEPTH = 400
# maximum length of a displayed form
_MAX_TEXT_LENGTH = 60


class Place(NamedTuple):
    """Position of a form, with line and column from 1, and its text on one line."""

    line: int
    column: int
    text: str

    @classmethod
    def from_text(cls, line: int, column: int, text: str) -> Place:
        """Return a place with a shortened text."""
        shown = escape_text(" ".join(text[: 4 * _MAX_TEXT_LENGTH].split()))
        return cls(line, column, shown if len(shown) <= _MAX_TEXT_LENGTH else f"{shown[: _MAX_TEXT_LENGTH - 3]}...")

    def __str__(self) -> str:
        return f"{self.text}, line {self.line}"


class Literal(NamedTuple):
    """A number, a string, a logical value or a null value, as a Python constant."""

    place: Place
    value: object


class Variable(NamedTuple):
    """A reference to a variable."""

    place: Place
    name: str


class Apply(NamedTuple):
    """A call of a function, an operator or a method; `package` is its known origin.

    Arguments are pairs of a name, or None, and a form; a method is called on `receiver`.
    """

    place: Place
    function: str
    arguments: tuple[tuple[str | None, Form], ...]
    package: str = ""
    receiver: Form | None = None


class ElementAccess(NamedTuple):
    """Access of an element, ``x$name``, ``x[i, j]`` or ``x.name``; `name` is empty if computed."""

    place: Place
    owner: Form
    name: str
    keys: tuple[Form, ...] = ()


class Spread(NamedTuple):
    """Arguments of a call that are unpacked from one value, such as R's dots."""

    place: Place
    value: Form


class Lambda(NamedTuple):
    """A function; `has_implicit_return` is whether its last value is returned, as in R.

    A formal argument ``...`` or ``*name`` takes the remaining unnamed arguments, and ``...`` or ``**name``
    the remaining named ones.
    """

    place: Place
    formals: tuple[tuple[str, Form | None], ...]
    body: Form
    has_implicit_return: bool


class Assign(NamedTuple):
    """An assignment to variables or parts; `is_nonlocal` is whether it assigns outside the function."""

    place: Place
    targets: tuple[Variable | ElementAccess, ...]
    value: Form
    is_nonlocal: bool = False


class Block(NamedTuple):
    """A sequence of statements; at top level, R shows their values if `is_displayed`."""

    place: Place
    body: tuple[Form, ...]
    is_displayed: bool = False


class Branch(NamedTuple):
    """Alternative statements, of which one is run."""

    place: Place
    test: Form
    branches: tuple[Form, ...]


class Loop(NamedTuple):
    """A body that runs for each of some values, or until a condition holds."""

    place: Place
    names: tuple[str, ...]
    iterable: Form | None
    body: Form


Form: TypeAlias = Literal | Variable | Apply | ElementAccess | Spread | Lambda | Assign | Block | Branch | Loop


def count_forms(form: Form) -> int:
    """Return the number of forms in a form, itself included."""
    left: list[object] = [form]
    found = 0
    while left:
        each = left.pop()
        if isinstance(each, tuple) and not isinstance(each, Place):
            found += hasattr(each, "place")
            left += each
    return found

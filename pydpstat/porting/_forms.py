"""What the checker reads: a few forms that R's trees and Python's are turned into, each with its place."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from pydpstat.porting._escapes import escape_text

# deepest nesting of forms
MAX_DEPTH = 400
# so much of a form's text is shown
_MAX_TEXT_LENGTH = 60


class Place(NamedTuple):
    """Where a form stands, both from 1, and its text in one line."""

    line: int
    column: int
    text: str

    @classmethod
    def from_text(cls, line: int, column: int, text: str) -> Place:
        """Return a place with a text that is shortened."""
        shown = escape_text(" ".join(text[: 4 * _MAX_TEXT_LENGTH].split()))
        return cls(line, column, shown if len(shown) <= _MAX_TEXT_LENGTH else f"{shown[: _MAX_TEXT_LENGTH - 3]}...")

    def __str__(self) -> str:
        return f"{self.text}, line {self.line}"


class Literal(NamedTuple):
    """A number, a text, a logical value or nothing, as Python has it."""

    place: Place
    value: object


class Variable(NamedTuple):
    """A name whose value is asked for."""

    place: Place
    name: str


class Apply(NamedTuple):
    """A call of a function, an operator or a method; `package` is where it is known to come from.

    Arguments are pairs of a name, or None, and a form; that of a method is called on `receiver`.
    """

    place: Place
    function: str
    arguments: tuple[tuple[str | None, Form], ...]
    package: str = ""
    receiver: Form | None = None


class ElementAccess(NamedTuple):
    """What ``x$name``, ``x[i, j]`` or ``x.name`` is; `name` is empty where it is not written."""

    place: Place
    owner: Form
    name: str
    keys: tuple[Form, ...] = ()


class Spread(NamedTuple):
    """Arguments of a call that are the parts of one value, as R's dots."""

    place: Place
    value: Form


class Lambda(NamedTuple):
    """A function; `has_implicit_return` says that its last value is returned, as in R.

    A formal argument ``...`` or ``*name`` takes arguments without a name that are left, and ``...`` or
    ``**name`` those with one.
    """

    place: Place
    formals: tuple[tuple[str, Form | None], ...]
    body: Form
    has_implicit_return: bool


class Assign(NamedTuple):
    """An assignment to variables or parts; `is_nonlocal` reaches out of a function."""

    place: Place
    targets: tuple[Variable | ElementAccess, ...]
    value: Form
    is_nonlocal: bool = False


class Block(NamedTuple):
    """Statements one after another; at the top, R shows the values of those with `is_displayed`."""

    place: Place
    body: tuple[Form, ...]
    is_displayed: bool = False


class Branch(NamedTuple):
    """Statements of which one is run."""

    place: Place
    test: Form
    branches: tuple[Form, ...]


class Loop(NamedTuple):
    """A body for each of some values, or without them until something holds."""

    place: Place
    names: tuple[str, ...]
    iterable: Form | None
    body: Form


Form: TypeAlias = Literal | Variable | Apply | ElementAccess | Spread | Lambda | Assign | Block | Branch | Loop


def count_forms(form: Form) -> int:
    """Return how many forms there are in one."""
    left: list[object] = [form]
    found = 0
    while left:
        each = left.pop()
        if isinstance(each, tuple) and not isinstance(each, Place):
            found += hasattr(each, "place")
            left += each
    return found

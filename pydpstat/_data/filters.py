"""Conditions that an engine evaluates itself: the records that stay are those that pandas would leave.

A condition is built of comparisons of a column with a constant. What is missing makes one unknown, and
combinations follow Kleene's logic. Negation goes down to the comparisons, each of which an engine finds true,
false or null; then a null above them can only leave a record out, as what is unknown does.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple, Protocol, Union

from pydpstat._data.questions import Dialect

# below it every whole number has a double of its own
_WHOLE = 2.0**53


class Compared(NamedTuple):
    """A column of numbers or truth values compared by ``<``, ``<=``, ``>``, ``>=`` or ``==``."""

    column: str
    by: str
    value: float


class Among(NamedTuple):
    """A column of texts that is one of some."""

    column: str
    texts: tuple[str, ...]


class Not(NamedTuple):
    """What is false where another condition is true."""

    part: Test


class Every(NamedTuple):
    """Conditions of which each holds."""

    parts: tuple[Test, ...]


class Some(NamedTuple):
    """Conditions of which one holds at least."""

    parts: tuple[Test, ...]


class Comparing(Dialect, Protocol):
    """How an engine says what conditions are made of; truth values have Python's ``& | ~``."""

    def among(self, column: str, texts: Sequence[str]) -> Any:
        """Tell whether a column's text is one of some, byte by byte; null for null."""


Test = Union[Compared, Among, Not, Every, Some]


def needs_of(test: Test) -> tuple[tuple[str, str], ...]:
    """Return the columns that a condition reads, and what each must be: numbers or texts."""
    match test:
        case Compared(column=column):
            return ((column, "numbers"),)
        case Among(column=column):
            return ((column, "texts"),)
        case Not(part=part):
            return needs_of(part)
        case Every(parts=parts) | Some(parts=parts):
            return tuple(each for part in parts for each in needs_of(part))


def can_say(test: Test, types: Mapping[str, str], kinds: Mapping[str, set[str]], single: str) -> bool:
    """Tell whether an engine can evaluate a condition as NumPy does: `single` is the type of short floats.

    These are compared in their own precision.
    """
    return all(types[name] in kinds[kind] and types[name] != single for name, kind in needs_of(test))


def where(test: Test, say: Comparing) -> Any:
    """Return an engine's expression that is true for the records for which a condition is known to be."""
    return _known(test, True, say)


def is_exact(value: float) -> bool:
    """Tell whether a constant is compared with whole numbers alike as a double and as itself."""
    return abs(value) < _WHOLE


def _known(test: Test, sought: bool, say: Comparing) -> Any:
    """Return what is true where a condition is known to be what is sought, and false or null elsewhere."""
    match test:
        case Not(part=part):
            return _known(part, not sought, say)
        case Every(parts=parts) | Some(parts=parts):
            every = isinstance(test, Every) is sought
            return reduce(operator.and_ if every else operator.or_, [_known(x, sought, say) for x in parts])
        case Among(column=column, texts=texts):
            found = say.among(column, texts)
            return found if sought else ~found
        case Compared(column=column, by=by, value=value):
            x, constant = say.number(column), say.constant(value)
            held = {
                "<": x < constant,
                ">=": x < constant,
                ">": constant < x,
                "<=": constant < x,
                "==": say.between(x, constant, constant),
            }[by]
            # an engine may count NaN as a number, and the largest
            return say.known(x) & (held if (by in ("<", ">", "==")) is sought else ~held)

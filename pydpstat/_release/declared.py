"""What a release was asked for: a design's call, its declared facts, and the names of the data."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from contextvars import ContextVar, Token
from functools import lru_cache
from typing import Protocol

import numpy as np

from pydpstat._data.containers import is_vector, offers
from pydpstat.results._call import Asked

Fact = tuple[str, tuple[str, ...]]


class Question(Protocol):
    """A call of a design's method."""

    @property
    def name(self) -> str:
        """Return the method's name, which is that of its function."""

    def asked(self) -> Asked:
        """Return the call in plain text."""


# a type that is found for all records of a column may follow from one of them: whether 2**53 + 1 is a level,
# and whether two ids are one, then depends on it
TYPES = "the types of the columns are public"


class declared:
    """Collect the facts that releases inside rest on, which a design's method may be asked for.

    `types` is what they rest on where records are `compared`, and None of lists, which have no types.
    """

    __slots__ = ("_token", "compared", "facts", "question", "types")
    _token: Token[declared | None]

    def __init__(
        self, question: Question | None = None, facts: Iterable[Fact] = (), types: str | None = TYPES
    ) -> None:
        self.question = question
        self.facts = [*facts]
        self.types, self.compared = types, False

    def __enter__(self) -> None:
        self._token = _inside.set(self)

    def __exit__(self, *raised: object) -> None:
        _inside.reset(self._token)


_inside: ContextVar[declared | None] = ContextVar("_inside", default=None)


def rest_on(kind: str, names: Iterable[str]) -> None:
    """Note bounds or levels of columns as facts that what is released next rests on."""
    around = _inside.get()
    if around is not None:
        around.facts.append((kind, tuple(names)))


def compared() -> None:
    """Note that what is released next rests on comparisons: on a condition, or groups of records."""
    around = _inside.get()
    if around is not None:
        around.compared = True


def types_compared() -> tuple[str, ...]:
    """Return the condition on types of a release of a design whose records were compared."""
    around = _inside.get()
    return () if around is None or not around.compared or around.types is None else (around.types,)


def types_given() -> tuple[str, ...]:
    """Return the condition on types of the data that a function was called with; none of lists."""
    around = _inside.get()
    if around is not None:
        return () if around.types is None else (around.types,)
    _, arguments, options = handed.get()
    given = [*arguments, *(each for key, each in options.items() if key not in _PUBLIC)]
    return (TYPES,) if any(map(_has_types, given)) else ()


# arguments that have no records
_PUBLIC = {"bounds", "levels", "budget", "rng", "mechanism", "edges", "f_exp", "hierarchy"}
# values, and lists, whose values have a type each
_UNTYPED = (str, bytes, numbers.Number, np.generic, range, type(None))


def _has_types(given: object) -> bool:
    """Tell whether something is a container whose type says what its values are, or has such in it."""
    if isinstance(given, Mapping):
        return any(map(_has_types, given.values()))
    if isinstance(given, (list, tuple)):
        # variables, each of all records: what one record is plays no part
        return all(map(is_vector, given)) and any(hasattr(each, "dtype") for each in given)
    return not isinstance(given, _UNTYPED) and not callable(given)


def noted() -> tuple[Fact, ...]:
    """Return the facts that were noted so far."""
    around = _inside.get()
    return () if around is None else tuple(around.facts)


def asked_for(function: str) -> Asked | None:
    """Return how a design was asked for a function's release; None where none was."""
    around = _inside.get()
    if around is None or around.question is None or around.question.name != function:
        return None
    return around.question.asked()


def of_subset() -> bool:
    """Tell whether a design was asked for a release of some records of its sample."""
    around = _inside.get()
    return around is not None and getattr(around.question, "subset", None) is not None


# the function that runs, and its arguments by place and by name
handed: ContextVar[tuple[str, tuple[object, ...], Mapping[str, object]]] = ContextVar(
    "handed", default=("", (), {})
)


def names_handed(function: str) -> tuple[str, ...]:
    """Return the names of the series that a function was called with, which are public as columns' are."""
    name, arguments, _ = handed.get()
    series = [each for each in arguments if offers(each, "to_frame")] if name == function else []
    names = [getattr(each, "name", None) for each in series]
    return tuple(dict.fromkeys(each for each in names if isinstance(each, str)))


def stated() -> tuple[str, ...]:
    """Return the facts in one sentence, as a condition of a guarantee; nothing where there are none."""
    facts = noted()
    return _sentence(facts) if facts else ()


@lru_cache(maxsize=256)
def _sentence(facts: tuple[Fact, ...]) -> tuple[str, ...]:
    said = []
    for kind in sorted({kind for kind, _ in facts}):
        names = dict.fromkeys(name for each, names in facts if each == kind for name in names)
        said += [f"{kind} of {', '.join(map(_shown, names))}"] if names else []
    return (f"the declared {' and '.join(said)} are public",) if said else ()


def _shown(name: str) -> str:
    # a budget's file has a condition a line
    return name if name.isidentifier() else repr(name)

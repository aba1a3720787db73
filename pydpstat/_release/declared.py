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


# an inferred column type may depend on one record, and with it whether values or ids are equal
TYPES = "the types of the columns are public"


class declared:
    """Collect the facts that releases inside rest on, which a design's method may be asked for.

    `types` is the condition if records are `compared`; None for lists, which have no types.
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
    """Note that the next release depends on comparisons: a condition, or groups of records."""
    around = _inside.get()
    if around is not None:
        around.compared = True


def types_compared() -> tuple[str, ...]:
    """Return the condition on types if a design's records were compared for this release."""
    around = _inside.get()
    return () if around is None or not around.compared or around.types is None else (around.types,)


def types_given() -> tuple[str, ...]:
    """Return the condition on the types of the data that a function was called with; none for lists."""
    around = _inside.get()
    if around is not None:
        return () if around.types is None else (around.types,)
    _, arguments, options = handed.get()
    given = [*arguments, *(each for key, each in options.items() if key not in _PUBLIC)]
    return (TYPES,) if any(map(_has_types, given)) else ()


# arguments without records
_PUBLIC = {"bounds", "levels", "budget", "rng", "mechanism", "edges", "f_exp", "hierarchy"}
# single values, and ranges, have no column type
_UNTYPED = (str, bytes, numbers.Number, np.generic, range, type(None))


def _has_types(given: object) -> bool:
    """Tell whether an argument is a container with a column type, or contains one."""
    if isinstance(given, Mapping):
        return any(map(_has_types, given.values()))
    if isinstance(given, (list, tuple)):
        # a list of variables has types; a list of records has none
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

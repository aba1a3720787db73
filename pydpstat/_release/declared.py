"""Declared facts that a release rests on: a design names them, and the guarantee says so."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar, Token
from functools import lru_cache

Fact = tuple[str, tuple[str, ...]]
_used: ContextVar[list[Fact] | None] = ContextVar("_used", default=None)


class declared:
    """Collect the facts that releases inside rest on.

    Examples
    --------
    >>> with declared():
    ...     rest_on("bounds", ["income", "age"])
    ...     rest_on("levels", ["region"])
    ...     stated()
    ('the declared bounds of income, age and levels of region are public knowledge',)
    >>> stated()
    ()
    """

    __slots__ = ("_token",)
    _token: Token[list[Fact] | None]

    def __enter__(self) -> None:
        self._token = _used.set([])

    def __exit__(self, *raised: object) -> None:
        _used.reset(self._token)


def rest_on(kind: str, names: Iterable[str]) -> None:
    """Note bounds or levels of columns as facts that what is released next rests on."""
    used = _used.get()
    if used is not None:
        used.append((kind, tuple(names)))


def stated() -> tuple[str, ...]:
    """Return the facts in one sentence, as a condition of a guarantee; nothing where there are none."""
    used = _used.get()
    return _sentence(tuple(used)) if used else ()


@lru_cache(maxsize=256)
def _sentence(facts: tuple[Fact, ...]) -> tuple[str, ...]:
    said = []
    for kind in sorted({kind for kind, _ in facts}):
        names = dict.fromkeys(name for each, names in facts if each == kind for name in names)
        said += [f"{kind} of {', '.join(map(_shown, names))}"] if names else []
    return (f"the declared {' and '.join(said)} are public knowledge",) if said else ()


def _shown(name: str) -> str:
    # a budget's file has a condition a line
    return name if name.isidentifier() else repr(name)

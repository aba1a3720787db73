"""Declared facts that a release rests on: a design names them, and the guarantee says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_used: ContextVar[dict[str, dict[str, None]] | None] = ContextVar("_used", default=None)


@contextmanager
def declared() -> Iterator[None]:
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
    token = _used.set({})
    try:
        yield
    finally:
        _used.reset(token)


def rest_on(kind: str, names: Iterable[str]) -> None:
    """Note bounds or levels of columns as facts that what is released next rests on."""
    used = _used.get()
    if used is not None:
        used.setdefault(kind, {}).update(dict.fromkeys(names))


def stated() -> tuple[str, ...]:
    """Return the facts in one sentence, as a condition of a guarantee; nothing where there are none."""
    used = _used.get()
    if not used:
        return ()
    parts = [f"{kind} of {', '.join(map(_shown, names))}" for kind, names in sorted(used.items())]
    return (f"the declared {' and '.join(parts)} are public knowledge",)


def _shown(name: str) -> str:
    # a budget's file has a condition a line
    return name if name.isidentifier() else repr(name)

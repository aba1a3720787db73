"""Counts and answers: integers of which 64 bits hold a few added up."""

from __future__ import annotations

from collections.abc import Iterable

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError

_LARGEST = 2**60


def integer(value: object, name: str, least: int | None = None, hint: str = "Give for example 5.") -> int:
    """Check one such integer."""
    return checks.integer(value, name, least, _LARGEST, hint=hint)


def several(values: Iterable[int], name: str, example: str) -> list[int]:
    """Check several such integers, of any container, and return them as a list.

    Examples
    --------
    >>> from pydpstat.teaching._integers import several
    >>> several((5, 7.0), "answers", "[5, 7]")
    [5, 7]
    """
    try:
        given = None if isinstance(values, (str, bytes)) else iter(values)
    except TypeError:
        given = None
    if given is None:
        raise PydpstatError(
            f"{name} must be several whole numbers; got {type(values).__name__}. Give for example {example}."
        )
    return [integer(value, name, hint=f"Give for example {example}.") for value in given]

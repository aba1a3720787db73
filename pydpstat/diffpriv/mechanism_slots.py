"""What the slots of a mechanism may hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydpstat import checks
from pydpstat.diffpriv.slots import is_na, is_whole, one_number, whole_number
from pydpstat.errors import PydpstatError


def bound(value: Any, name: str) -> float:
    """Check a sensitivity: one number of at least 0, or infinity."""
    hint = "Give a proven bound, or leave it out and use sensitivitySampler."
    number = one_number(value, name, "of at least 0", hint)
    if number < 0.0:
        raise PydpstatError(f"{name} must be one number of at least 0; got {checks.shown(value)}. {hint}")
    return number


def function(value: Any, name: str) -> Callable[[Any], Any]:
    """Check a target: anything that can be called."""
    if not callable(value):
        raise PydpstatError(
            f"{name} must be a function of the data set; got {checks.shown(value)}. "
            "Give for example lambda X: sum(X) / len(X)."
        )
    return value  # type: ignore[no-any-return]


def share(value: Any, name: str) -> float | None:
    """Check the gamma of a sampled sensitivity; None stands for R's NA."""
    if is_na(value):
        return None
    number = one_number(value, name, "in [0, 1), or None", "Leave it to sensitivitySampler.")
    if not 0.0 <= number < 1.0:
        raise PydpstatError(
            f"{name} must be None or one number in [0, 1); got {checks.shown(value)}. "
            "Leave it to sensitivitySampler."
        )
    return number


def length(value: Any, name: str) -> int | None:
    """Check how many numbers a target returns; R takes any whole number, and NA, here None."""
    number = checks.unwrap(value)
    if is_na(number):
        return None
    if not is_whole(number):
        raise PydpstatError(
            f"{name} must be one whole number, the length of what target returns; "
            f"got {checks.shown(value)}. Give for example 1."
        )
    return int(number)


def natural(value: Any, name: str) -> int:
    """Check a whole number of at least 1."""
    return whole_number(value, name, 1)


def responses(value: Any, name: str) -> list[Any]:
    """Check a set of responses: a list with at least one."""
    if not isinstance(value, (list, tuple)) or not value:
        raise PydpstatError(
            f"{name} must be a list with at least one response; got {checks.shown(value)}. "
            "Give for example list('abc')."
        )
    return list(value)

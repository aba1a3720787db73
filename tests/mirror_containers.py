"""Every mirror that takes vectors or matrices, with each of them in another container: what a call gives."""

import re
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import pydpstat
from tests.containers import _numbers
from tests.mirror_base_calls import diffpriv_calls, dppack_calls

CALLS = {**dppack_calls(), **diffpriv_calls()}
# to the caller's own function, whatever it is
OWN = {"releaseResponse", "sensitivityNorm"}


def _is_vector(value: Any) -> bool:
    plain = isinstance(value, list) and len(value) > 1 and isinstance(value[0], (int, float, str))
    return plain or isinstance(value, np.ndarray) and value.ndim == 1


def _is_matrix(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 2


def _arguments(fits: Callable[[Any], bool]) -> list[tuple[str, str]]:
    every = [(name, key) for name, base in CALLS.items() for key in base.arguments]
    return [(name, key) for name, key in every if fits(CALLS[name].arguments[key])]


# each call's arguments that are vectors, and those that are matrices
VECTORS, MATRICES = _arguments(_is_vector), _arguments(_is_matrix)


@cache
def expected(name: str) -> Any:
    """Return what a call gives with arrays and lists."""
    return outcome(name, {})


def outcome(name: str, given: dict[str, Any]) -> Any:
    """Return the numbers of a call, or the error's text."""
    base = CALLS[name]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = base.call(**{**base.arguments, **given})
    except pydpstat.PydpstatError as error:
        return str(error)
    if hasattr(found, "to_dict"):
        return list(_numbers(found.to_dict()))
    if isinstance(found, tuple):
        return [list(_numbers(np.asarray(each).tolist())) for each in found]
    try:
        return list(_numbers(np.asarray(found, dtype=np.float64).tolist()))
    except (TypeError, ValueError):
        return type(found).__name__


def check(name: str, key: str, make: Callable[[np.ndarray], Any], taken: bool = False) -> None:
    """Check that a call gives the same numbers, or names the argument and says what to give.

    What is `taken` has to give numbers.
    """
    given = make(np.asarray(CALLS[name].arguments[key]))
    found = outcome(name, {key: given})
    if found == expected(name):
        return
    assert not taken, (name, key, found)
    assert isinstance(found, str), (name, key)
    # one of several groups, factors or data sets is told by the name of all
    known = rf"{key}|samples|variables|factor|X\b"
    assert re.search(known, found) and re.search(r"\b([Gg]ive|[Cc]onvert|[Rr]ead)\b", found), found

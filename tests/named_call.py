"""A call with its arguments by name, and the small data that calls are given."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

X = np.array([0.2, 0.4, 0.7, 0.9])
Y = np.array([0.1, 0.5, 0.6, 1.0])
PAIRS = np.column_stack([X, Y])
LABELS = np.array([0, 0, 1, 1])


class Base(NamedTuple):
    """A call that returns with its arguments, which are by name."""

    call: Callable[..., Any]
    arguments: dict[str, Any]
    # those that go to a function of the caller's own, which may raise what it likes
    spared: tuple[str, ...] = ()


def positional(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Give some arguments by place."""

    def call(**arguments: Any) -> Any:
        first = [arguments.pop(name) for name in names]
        return function(*first, **arguments)

    return call

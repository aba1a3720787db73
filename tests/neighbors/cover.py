"""The cases: each function with each kind of data, every record and every setting once, in seeded pairs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from tests.neighbors.engine import Case
from tests.neighbors.kinds import Kind
from tests.neighbors.table import Function, Settings


def cases(function: Function, kind: Kind) -> Iterator[Case]:
    """Return a function's cases for a kind of data."""
    if function.steps:
        return _of_steps(function, kind)
    return _of_records(function, kind)


def _of_records(function: Function, kind: Kind) -> Iterator[Case]:
    drawn = random.Random(f"{function.name} {kind.name}")
    settings = _cycle(function.settings, drawn)
    odds = [(odd, False) for odd in kind.odd] + [(gap, True) for gap in kind.gaps]
    records = _cycle(odds, drawn)
    shares = _cycle(function.shares, drawn)
    for each in islice(records, max(len(odds), len(function.settings))):
        odd, gap = each
        gap = gap or function.closed and not _known(odd, kind.base)
        chosen = next(settings)
        tries = 0
        # what is missing is public knowledge with "error"
        while gap and chosen["missing"] == "error" and tries < len(function.settings):
            chosen, tries = next(settings), tries + 1
        if gap and chosen["missing"] == "error":
            continue
        front = not function.aligned and drawn.random() < 0.3
        empty = chosen["neighbors"] == "unbounded" and drawn.random() < 0.15
        base = [] if empty else list(kind.base)
        if chosen["neighbors"] == "bounded":
            first, second = base, [*base[:-1], odd]
        else:
            first, second = base, [*base, odd]
        if front:
            first, second = first[::-1], second[::-1]
        name = f"{function.name}, {kind.name}, {_name(odd)}{', empty' * empty}, {chosen}"
        yield _case(name, function, kind, chosen, first, second, next(shares))


def _of_steps(function: Function, kind: Kind) -> Iterator[Case]:
    for settings in function.settings:
        for steps in kind.odd:
            second = [number + step for number, step in zip(kind.base, steps)]
            name = f"{function.name}, {kind.name}, {steps}, {settings}"
            yield _case(name, function, kind, settings, list(kind.base), second, 0.5)


def _case(
    name: str,
    function: Function,
    kind: Kind,
    settings: Settings,
    first: list[Any],
    second: list[Any],
    share: float,
) -> Case:
    return Case(
        name,
        lambda data, budget: function.call(data, kind, settings, budget),
        lambda: kind.make(first),
        lambda: kind.make(second),
        _secrets([*first, *second], kind),
        share,
        function.discovers,
    )


def _cycle(items: Any, drawn: random.Random) -> Iterator[Any]:
    """Go through all items in a random order, again and again."""
    order = list(items)
    while True:
        drawn.shuffle(order)
        yield from list(order)


def _known(odd: Any, base: tuple[Any, ...]) -> bool:
    try:
        return any(type(odd) is type(each) and odd == each for each in base)
    except Exception:  # an object may raise what it likes
        return False


def _name(odd: Any) -> str:
    try:
        return f"{type(odd).__name__} {odd!r}"[:40]
    except Exception:
        return type(odd).__name__


def _secrets(records: list[Any], kind: Kind) -> tuple[str, ...]:
    """Return how records look in a text, where that is long enough not to be there by chance."""
    public = [str(level) for level in kind.levels]
    texts = {
        str(each)
        for each in records
        if isinstance(each, (str, int, float, Decimal, Fraction, np.number)) and not isinstance(each, bool)
    }
    return tuple(sorted(text for text in texts if len(text) > 5 and text not in public))

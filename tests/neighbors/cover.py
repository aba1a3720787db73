"""The cases: each function with each kind of data, every record and every setting once, in seeded pairs."""

import random
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np

from pydpstat.privacy import NEIGHBORS
from tests.neighbors.calls import Settings
from tests.neighbors.engine import Case, compared
from tests.neighbors.kinds import Kind
from tests.neighbors.table import Function


def cases(function: Function, kind: Kind) -> Iterator[Case]:
    """Return a function's cases for a kind of data."""
    if function.steps:
        return _of_steps(function, kind)
    return chain(_of_records(function, kind), _of_the_same(function, kind))


def wrong(function: Function, kind: Kind) -> list[str]:
    """Return what is wrong with a function and a kind of data."""
    found, released = compared(cases(function, kind))
    # a container is taken or refused for its type
    if bool(released) is (kind.name in function.refused):
        found.append(f"released: {'some' if released else 'never'}")
    return found


def _of_records(function: Function, kind: Kind) -> Iterator[Case]:
    drawn = random.Random(f"{function.name} {kind.name}")
    odds = [(odd, function.closed and not _known(odd, kind.base)) for odd in kind.odd]
    odds += [(gap, True) for gap in kind.gaps]
    shares = _cycle(function.shares, drawn)
    for neighbors in NEIGHBORS:
        allowed = [each for each in function.settings if each["neighbors"] == neighbors]
        if not allowed:
            # a function may be for one kind of neighbors only
            continue
        # what is missing is public knowledge with "error"
        open_ = [each for each in allowed if each["missing"] != "error"]
        settings, other = _cycle(allowed, drawn), _cycle(open_, drawn)
        for odd, gap in islice(_cycle(odds, drawn), max(len(odds), len(allowed))):
            if gap and not open_:
                continue
            chosen = next(other if gap else settings)
            empty = neighbors == "unbounded" and drawn.random() < 0.15
            base = [] if empty else list(kind.base)
            first, second = base, [*(base[:-1] if neighbors == "bounded" else base), odd]
            if not function.aligned and drawn.random() < 0.3:
                first, second = first[::-1], second[::-1]
            name = f"{function.name}, {kind.name}, {_name(odd)}{', empty' * empty}, {chosen}"
            yield _case(name, function, kind, chosen, first, second, next(shares))


def _of_the_same(function: Function, kind: Kind) -> Iterator[Case]:
    """Return cases of missing values that look different, and of others under a mask."""
    settings = _cycle(function.settings, random.Random(f"{kind.name} {function.name}"))
    for gap, other in zip(kind.gaps, [*kind.gaps[1:], kind.gaps[0]] if kind.gaps else []):
        for chosen in islice(settings, 3):
            records, name = list(kind.base), f"{function.name}, {kind.name}, {_name(gap)}, the same, {chosen}"
            case = _case(name, function, kind, chosen, [*records, gap], [*records, other], 0.5)
            yield replace(case, same=True)
            if kind.twin is not kind.make:
                twin = partial(kind.twin, [*records, gap])
                yield replace(case, same=True, second=twin, name=f"{name}, under the mask")


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

"""What is known of a value: whether it is public, noisy or private, and from what it was computed."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pydpstat.porting._forms import Lambda, Place

PUBLIC, NOISY, PRIVATE = range(3)
# the levels of a variable that are written in the script
WRITTEN = "written"


class Source(NamedTuple):
    """Where records come from."""

    name: str
    line: int

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}"


class Unknown:
    """The constant of a value that is not written in the script."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Made:
    """An object by the call that made it: a model, a mechanism, its parameters, a budget or a generator."""

    function: str
    arguments: Mapping[str, Value]
    place: Place


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of a value.

    `why` is what made it private, and `summary` says that it is one figure of all records. `mixed` is how
    records were changed by such a figure. `origins` are the vectors that are written in the script or made
    at random, which may turn out to be data. `marks` are the loops whose variable is in it, and `split`
    those of which each round has other records. `unknown` is why it could not be followed.
    """

    level: int = PUBLIC
    constant: object = UNKNOWN
    sources: frozenset[Source] = frozenset()
    origins: frozenset[str] = frozenset()
    why: str = ""
    summary: bool = False
    mixed: str = ""
    levels: str = ""
    selected: str = ""
    marks: frozenset[int] = frozenset()
    split: frozenset[int] = frozenset()
    unknown: str = ""
    seeded: Place | None = None
    items: tuple[Value, ...] = ()
    parts: Mapping[str, Value] = field(default_factory=dict)
    made: Made | None = None
    function: Lambda | None = None

    @property
    def private(self) -> bool:
        """Whether data are in it that no noise protects."""
        return self.level == PRIVATE

    @property
    def known(self) -> bool:
        """Whether its constant is written in the script."""
        return self.constant is not UNKNOWN


NOTHING = Value(constant=None)


def joined(values: Iterable[Value]) -> Value:
    """Return what is known of a value that is made from others, or is one of them."""
    given = [each for each in values if each != NOTHING]
    if len(given) == 1:
        return given[0]
    private = [each for each in given if each.private]
    return Value(
        level=max((each.level for each in given), default=PUBLIC),
        sources=frozenset().union(*(each.sources for each in given)),
        origins=frozenset().union(*(each.origins for each in given)),
        why=_first(each.why for each in private),
        summary=bool(private) and all(each.summary for each in private),
        mixed=_first(each.mixed for each in given),
        selected=_first(each.selected for each in given),
        marks=frozenset().union(*(each.marks for each in given)),
        split=frozenset().union(*(each.split for each in given)),
        unknown=_first(each.unknown for each in given),
        seeded=next((each.seeded for each in given if each.seeded), None),
        made=next((each.made for each in given if each.made), None),
        function=next((each.function for each in given if each.function), None),
    )


def either(first: Value, second: Value) -> Value:
    """Return what is known of a value that is one of two."""
    if first == second:
        return first
    both = joined((first, second))
    names = first.parts.keys() | second.parts.keys()
    parts = {
        name: joined(each.parts[name] for each in (first, second) if name in each.parts) for name in names
    }
    levels = first.levels if first.levels == second.levels else first.levels or second.levels
    return replace(both, parts=parts, levels=levels if WRITTEN not in (first.levels, second.levels) else "")


def records_of(values: Sequence[Value], place: Place) -> Value:
    """Return what a function that works record by record makes of values.

    Records that are changed by a figure of the same data are no longer one person's only.
    """
    both = joined(values)
    private = [each for each in values if each.private]
    summaries = [each for each in private if each.summary]
    if summaries and len(summaries) < len(private) and not both.mixed:
        return replace(both, mixed=str(place), made=None)
    return replace(both, made=None)


def _first(texts: Iterable[str]) -> str:
    return next(filter(None, texts), "")


# arithmetic with constants

_SIGNS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
}
_FUNCTIONS: dict[str, Callable[..., object]] = {
    "sqrt": math.sqrt,
    "log": math.log,
    "exp": math.exp,
    "abs": abs,
    "as.numeric": float,
    "float": float,
    "int": math.floor,
    "round": round,
}
# so many rounds or values are counted one by one
_MOST = 1_000_000


def calculated(function: str, constants: Sequence[object]) -> object:
    """Return what a function makes of constants; `UNKNOWN` where it is not one of the simplest."""
    try:
        return _calculated(function, constants)
    except (ArithmeticError, ValueError, TypeError):
        return UNKNOWN


def _calculated(function: str, constants: Sequence[object]) -> object:
    numbers = [each for each in constants if isinstance(each, float) and not isinstance(each, bool)]
    if function == "c":
        flat: list[object] = []
        for each in constants:
            flat.extend(each if isinstance(each, list) else [each])
        return flat
    if function in ("length", "len") and len(constants) == 1:
        return float(len(constants[0])) if isinstance(constants[0], list) else UNKNOWN
    if function in ("rep", "*") and len(constants) == 2 and isinstance(constants[1], float):
        if isinstance(constants[0], list) and function == "*":
            return UNKNOWN
        if function == "rep" and constants[1] <= _MOST:
            first = constants[0] if isinstance(constants[0], list) else [constants[0]]
            return first * int(constants[1])
    if len(numbers) < len(constants):
        return UNKNOWN
    if function in _SIGNS and len(numbers) == 2:
        return _SIGNS[function](*numbers)
    if function == "-" and len(numbers) == 1:
        return -numbers[0]
    if function in (":", "seq_len", "range", "seq", "linspace"):
        return _sequence(function, numbers)
    if function in _FUNCTIONS and len(numbers) == 1:
        result = _FUNCTIONS[function](*numbers)
        return float(result) if isinstance(result, (int, float)) else UNKNOWN
    return UNKNOWN


def _sequence(function: str, numbers: Sequence[float]) -> object:
    if function == "linspace":
        if len(numbers) != 3 or not 2 <= numbers[2] <= _MOST:
            return UNKNOWN
        low, high, count = numbers
        return [low + (high - low) * k / (count - 1) for k in range(int(count))]
    if function == "range":
        low, high = (0.0, numbers[0]) if len(numbers) == 1 else numbers[:2]
        high -= 1.0
    else:
        low, high = (1.0, numbers[0]) if len(numbers) == 1 else numbers[:2]
    step = numbers[2] if len(numbers) == 3 else math.copysign(1.0, high - low) if function != "range" else 1.0
    count = (high - low) / step
    return [low + step * k for k in range(math.floor(count + 1e-10) + 1)] if 0 <= count <= _MOST else []

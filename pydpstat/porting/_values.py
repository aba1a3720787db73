"""Facts known of a value: whether it is public, noisy or private, and its sources."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from typing import Any, NamedTuple, TypeAlias

from pydpstat.porting._forms import Lambda, Place

PUBLIC, NOISY, PRIVATE = range(3)
# mark of factor levels that are literals in the script
WRITTEN_LEVELS = "written"
# marks of records in disjoint groups, and of statistics of such groups
GROUPED_MARK, TABLED_MARK = -1, -2
EMPTY_SET: frozenset[Any] = frozenset()


_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'")


class Source(NamedTuple):
    """Origin of records; `drawn` are the loops that draw them, or None if they are not random."""

    name: str
    line: int
    drawn: frozenset[int] | None = None

    @property
    def file(self) -> str:
        """File from which the records are read, or else the function that makes them."""
        quoted = _QUOTED.search(self.name)
        return self.name if quoted is None else quoted[0][1:-1]

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}"


class Unknown(NamedTuple):
    """Constant of a value that is unknown, or of a vector too long to be tracked."""

    size: float = math.inf

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()


class CreatedObject(NamedTuple):
    """An object with the call that made it: a model, a mechanism, its parameters, a budget or a generator."""

    function: str
    arguments: Mapping[str, Value]
    place: Place


@dataclass(frozen=True, slots=True)
class Value:
    """Facts known of a value.

    `why` is the reason why it is private or noisy, and `summary` whether it is a statistic of all records.
    `mixed` is the place where records were changed by such a statistic, `missing` the place where some
    became missing, each an empty string if there is none. `origins` are vector literals or random vectors,
    which may turn out to be data. `stated` are the numbers of an epsilon or a budget that it was computed
    from. `marks` are the loops on whose variable it depends, and `split` those with other records in each
    round. `unknown` is the reason why it could not be evaluated. `rounds` are its constants in the rounds
    of a loop. `labels` is the place where labels were taken from the data, and `groups` that of labels by
    which records are grouped. `present` is whether it is a missingness indicator, and `chosen` whether
    records were selected by other criteria. `compared` is whether it also depends on a noisy value.
    `closure_scopes` are the variables around a function.
    """

    level: int = PUBLIC
    constant: object = UNKNOWN
    sources: frozenset[Source] = EMPTY_SET
    origins: frozenset[str] = EMPTY_SET
    stated: frozenset[float] = EMPTY_SET
    marks: frozenset[int] = EMPTY_SET
    split: frozenset[int] = EMPTY_SET
    why: str = ""
    summary: bool = False
    mixed: str = ""
    missing: str = ""
    levels: str = ""
    selected: str = ""
    unknown: str = ""
    seeded: Place | None = None
    made: CreatedObject | None = None
    function: Lambda | None = None
    items: tuple[Value, ...] = ()
    parts: Mapping[str, Value] = field(default_factory=dict)
    rounds: tuple[object, ...] = ()
    labels: str = ""
    groups: str = ""
    present: bool = False
    chosen: bool = False
    compared: bool = False
    closure_scopes: tuple[dict[str, Value], ...] = field(default=(), compare=False, repr=False)

    @property
    def is_private(self) -> bool:
        """Whether the value depends on data without noise."""
        return self.level == PRIVATE

    @property
    def is_known(self) -> bool:
        """Whether the constant is known from the script."""
        return not isinstance(self.constant, Unknown)

    @property
    def count(self) -> float:
        """Number of elements; infinite if unknown."""
        if isinstance(self.constant, list):
            return float(len(self.constant))
        if self.items:
            return float(len(self.items))
        return self.constant.size if isinstance(self.constant, Unknown) else 1.0


NULL_VALUE = Value(constant=None)
_UNION_FIELDS = ("sources", "origins", "stated", "marks", "split")
_FIRST_TRUE_FIELDS = (
    *("mixed", "missing", "selected", "unknown", "seeded", "made", "function", "closure_scopes"),
    *("labels", "groups", "chosen"),
)


def merge_values(values: Iterable[Value]) -> Value:
    """Return the facts of a value that is computed from others, or is one of them."""
    # comparing whole values is slow
    given = [each for each in values if each.constant is not None or each != NULL_VALUE]
    if len(given) == 1:
        return given[0]
    level = max((each.level for each in given), default=PUBLIC)
    found: dict[str, Any] = {}
    for name in _UNION_FIELDS:
        if several := [one for each in given if (one := getattr(each, name))]:
            found[name] = several[0].union(*several[1:])
    for name in _FIRST_TRUE_FIELDS:
        for each in given:
            if one := getattr(each, name):
                found[name] = one
                break
    private = [each for each in given if each.is_private]
    compared = any(each.level == NOISY or each.compared for each in given)
    return Value(
        level=level,
        why=next((each.why for each in given if each.level == level and each.why), ""),
        summary=bool(private) and all(each.summary for each in private),
        compared=compared,
        **found,
    )


def merge_alternatives(first: Value, second: Value) -> Value:
    """Return the facts of a value that is one of two."""
    if first is second or second == NULL_VALUE or first == second:
        return first
    if first == NULL_VALUE:
        return second
    parts = {
        name: merge_values(each.parts[name] for each in (first, second) if name in each.parts)
        for name in first.parts.keys() | second.parts.keys()
    }
    levels = first.levels if first.levels == second.levels else first.levels or second.levels
    written = WRITTEN_LEVELS in (first.levels, second.levels)
    same = first.is_known and type(first.constant) is type(second.constant) and first.constant == second.constant
    constant = first.constant if same else UNKNOWN
    return replace(merge_values((first, second)), parts=parts, levels="" if written else levels, constant=constant)


def combine_records(values: Sequence[Value], place: Place) -> Value:
    """Return the result of a record-wise function of values.

    Records changed by a statistic of the same data depend on more than one person.
    """
    both = merge_values(values)
    summaries = {each.summary for each in values if each.is_private}
    mixed = both.mixed or (str(place) if len(summaries) == 2 else "")
    return replace(both, mixed=mixed, made=None, labels="" if len(values) > 1 else both.labels)


NamedValues: TypeAlias = list[tuple[str | None, "Value"]]


def make_list_value(pairs: NamedValues) -> Value:
    """Return a list of values, some of them named."""
    values = tuple(value for _, value in pairs)
    parts = {name: value for name, value in pairs if name}
    return replace(merge_values(values), items=values, parts=parts, constant=UNKNOWN) if pairs else NULL_VALUE


def get_named_values(value: Value) -> NamedValues:
    """Return the values of a list with their names, as arguments of a call; empty if unknown."""
    if value.items:
        names = list(value.parts.items())
        found: NamedValues = []
        for item in value.items:
            at = next((k for k, (_, each) in enumerate(names) if each is item), None)
            found.append((None if at is None else names.pop(at)[0], item))
        return found
    if value.parts:
        return [*value.parts.items()]
    if isinstance(value.constant, list):
        return [(None, Value(constant=each, stated=value.stated)) for each in value.constant]
    return [] if value == NULL_VALUE or value.unknown else [(None, value)]


def calculate_rounds(work: Callable[[list[object]], object], values: Sequence[Value]) -> tuple[object, ...]:
    """Return the results of `work` for the constants of each round of a loop; empty unless all are known."""
    sizes = {len(each.rounds) for each in values if each.rounds}
    if len(sizes) != 1 or not all(each.is_known or each.rounds for each in values):
        return ()
    rows = ([each.rounds[k] if each.rounds else each.constant for each in values] for k in range(*sizes))
    found = tuple(map(work, rows))
    return () if UNKNOWN in found else found


# arithmetic with constants

_ARITHMETIC_FUNCTIONS: dict[str, Callable[..., float]] = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow},
    **{"sqrt": math.sqrt, "log": math.log, "exp": math.exp, "abs": abs, "round": round},
    **{"as.numeric": float, "float": float, "int": math.floor},
}
_REDUCTIONS: dict[str, Callable[[list[float]], float]] = {"sum": math.fsum, "min": min, "max": max}
_REORDERINGS: dict[str, Callable[[list[Any]], list[Any]]] = {
    **dict.fromkeys(("sort", "sorted"), sorted),
    **{"rev": lambda values: values[::-1], "unique": lambda values: list(dict.fromkeys(values))},
}
# maximum number of elements known individually
MAX_CONSTANTS = 1000
# maximum number of rounds known individually
MAX_ROUNDS = 40


def calculate_constant(function: str, constants: Sequence[object]) -> object:
    """Return the result of a simple function of constants, or `UNKNOWN`."""
    try:
        return _apply_to_constants(function, constants)
    except (ArithmeticError, ValueError, TypeError, IndexError):
        return UNKNOWN


def _apply_to_constants(function: str, constants: Sequence[object]) -> object:
    vectors = [each if isinstance(each, list) else [each] for each in constants]
    flat = [each for vector in vectors for each in vector]
    if function == "c":
        return flat if len(flat) <= MAX_CONSTANTS else Unknown(float(len(flat)))
    if function in ("length", "len") and isinstance(constants[0], list):
        return float(len(flat))
    if function == "rep" and isinstance(constants[1], float):
        size = len(vectors[0]) * max(0, int(constants[1]))
        return vectors[0] * int(constants[1]) if size <= MAX_CONSTANTS else Unknown(float(size))
    if function == "seq_along" and constants:
        return [float(k) for k in range(1, len(flat) + 1)] if len(flat) <= MAX_CONSTANTS else Unknown(float(len(flat)))
    if function in _REORDERINGS and len(vectors) == 1:
        return _REORDERINGS[function](flat)
    if function == "float" and flat == ["inf"]:
        return math.inf
    numbers = [each for each in flat if isinstance(each, float)]
    if len(numbers) < len(flat):
        return UNKNOWN
    if function in _REDUCTIONS:
        return _REDUCTIONS[function](numbers)
    if function in (":", "seq_len", "range", "arange", "seq", "linspace"):
        return _make_sequence(function, *numbers)
    if function not in _ARITHMETIC_FUNCTIONS:
        return UNKNOWN
    work = operator.neg if function == "-" and len(vectors) == 1 else _ARITHMETIC_FUNCTIONS[function]
    size = max(map(len, vectors))
    result = [float(work(*row)) for row in zip(*(islice(cycle(each), size) for each in vectors))]
    return result if any(isinstance(each, list) for each in constants) else result[0]


def _make_sequence(function: str, low: float, high: float | None = None, step: float = 0.0) -> object:
    open_end = function in ("range", "arange")
    if high is None:
        low, high = (0.0 if open_end else 1.0), low
    if function == "linspace":
        count, step = step - 1.0, (high - low) / (step - 1.0)
    else:
        step = step or (math.copysign(1.0, high - low) if function in (":", "seq") else 1.0)
        count = (high - low) / step - open_end
    size = (math.ceil if open_end else math.floor)(count + 1e-10) + 1
    return [low + step * k for k in range(size)] if size <= MAX_CONSTANTS else Unknown(float(size))

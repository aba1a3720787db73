"""What an engine counts and adds up by itself, and conditions that it evaluates, for all engines.

Every sum that is asked for is one of floating-point numbers that are multiples of a unit, so few and so small
that each partial sum is one, too: it is exact in whatever order an engine adds. What a record adds is made
by comparisons, additions, subtractions and products of doubles, each rounded as IEEE 754 says, which are the
same bits everywhere.

A condition is built of comparisons of a column with a constant, and the records that stay are those that
pandas would leave. What is missing makes one unknown, and combinations follow Kleene's logic. Negation goes
down to the comparisons, each of which an engine finds true, false or null; then a null above them can only
leave a record out, as what is unknown does.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, Union

# codes of a key that say that a value is missing, or is no level
MISSING, NO_LEVEL = -1, -2
_OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class Key(NamedTuple):
    """A column whose values are levels, whole numbers or texts; None for a level that it cannot hold.

    `apart` asks for missing values apart from those that are no level.
    """

    column: str
    levels: tuple[str | int | None, ...]
    apart: bool = False

    @property
    def known(self) -> dict[str | int, int]:
        """The place of each level that the column can hold."""
        return {level: place for place, level in enumerate(self.levels) if level is not None}


class Line(NamedTuple):
    """What becomes of a number: `steps` from `first` to `last`, `low` below and `high` above; no NaN.

    A step is an operation, one of ``+ - *``, with its right side.
    """

    first: float
    last: float
    low: float
    high: float
    steps: tuple[tuple[str, float], ...]


class Cell(NamedTuple):
    """A column of numbers, and the bin that each is in: found by comparison with the inner edges.

    Where bins are equally wide, a line gives the place of the nearest edge, which `width` and `start` lead
    back to: a number is compared with this one only.
    """

    column: str
    edges: tuple[float, ...]
    line: Line | None = None
    width: float = 0.0
    start: float = 0.0


class Number(NamedTuple):
    """A column of numbers, placed on a line and added up; without a line, of truth values that are counted.

    Adding and subtracting `coarse` splits a placed number into two, of each of which many can be added up.
    `square` asks for sums of squares, too: to round them, and to split them.
    """

    column: str
    line: Line | None = None
    coarse: float = 0.0
    square: tuple[float, float] | None = None


class Question(NamedTuple):
    """What to count and to add up, for every combination of keys' levels and cells that occurs.

    Of the columns in `present` it is counted how many values are not missing.
    """

    keys: tuple[Key, ...] = ()
    cells: tuple[Cell, ...] = ()
    numbers: tuple[Number, ...] = ()
    present: tuple[str, ...] = ()

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """The columns to read, and what each must be: texts, integers, numbers, truths or anything.

        Integers may be truth values, and numbers either.
        """
        keys = [
            (key.column, "texts" if isinstance(next(iter(key.known)), str) else "integers")
            for key in self.keys
        ]
        cells = [(cell.column, "numbers") for cell in self.cells]
        numbers = [(each.column, "truths" if each.line is None else "numbers") for each in self.numbers]
        return (*keys, *cells, *numbers, *((name, "anything") for name in self.present))


class Row(NamedTuple):
    """The records of one combination of levels and bins. Private.

    `codes` are places of levels, `NO_LEVEL` or `MISSING`. `numbers` has how many of each number are not
    missing, and the sums of its parts.
    """

    codes: tuple[int, ...]
    bins: tuple[int, ...]
    size: int
    present: tuple[int, ...]
    numbers: tuple[tuple[int, tuple[float, ...]], ...]

    def __repr__(self) -> str:
        return "Row(values withheld)"


class Expression(Protocol):
    """What a dialect's expressions can do."""

    def __add__(self: Said, other: Said, /) -> Said: ...
    def __sub__(self: Said, other: Said, /) -> Said: ...
    def __mul__(self: Said, other: Said, /) -> Said: ...
    def __lt__(self: Said, other: Said, /) -> Said: ...
    def __and__(self: Said, other: Said, /) -> Said: ...
    def __invert__(self: Said) -> Said: ...


Said = TypeVar("Said", bound=Expression)


class Dialect(Protocol[Said]):
    """How an engine says what expressions are made of; they have Python's operators."""

    def column(self, name: str) -> Said:
        """Return a column as it is, or one that a stage before has made."""

    def number(self, name: str) -> Said:
        """Return a column of numbers or truth values as doubles."""

    def level(self, key: Key) -> Said:
        """Return a key's value where it is a level, and null elsewhere."""

    def constant(self, value: float) -> Said:
        """Return a double."""

    def absent(self, value: Said) -> Said:
        """Tell whether a value is null."""

    def known(self, value: Said) -> Said:
        """Tell whether a double is neither null nor NaN."""

    def truth(self, value: Said) -> Said:
        """Return a truth value as a double, 0 or 1."""

    def between(self, value: Said, first: Said, last: Said) -> Said:
        """Tell whether a double lies between two others, or is one of them."""

    def when(self, cases: Sequence[tuple[Said, Said]], other: Said | None = None) -> Said:
        """Return the value of the first condition that holds; `other`, or null, where none does."""


class Plan(NamedTuple, Generic[Said]):
    """Expressions in the order in which they are made, and which of them are keys, counted and summed."""

    stages: tuple[dict[str, Said], ...]
    keys: tuple[str, ...]
    counts: tuple[str, ...]
    sums: tuple[str, ...]


def plan_of(question: Question, say: Dialect[Said]) -> Plan[Said]:
    """Return a question in an engine's expressions; each stage may use the names of those before."""
    stages: tuple[dict[str, Said], ...] = ({}, {}, {}, {}, {})
    keys, counts, sums = [], [], []
    for place, key in enumerate(question.keys):
        stages[0][f"k{place}"] = say.level(key)
        keys.append(f"k{place}")
        if key.apart:
            stages[0][f"m{place}"] = say.absent(say.column(key.column))
            keys.append(f"m{place}")
    for place, name in enumerate(question.present):
        stages[0][f"p{place}"] = say.column(name)
        counts.append(f"p{place}")
    for place, cell in enumerate(question.cells):
        stages[0][f"v{place}"] = say.number(cell.column)
        v, nearest = say.column(f"v{place}"), say.column(f"e{place}")
        if cell.line is None:
            stages[1][f"b{place}"] = say.when([(say.known(v), _among(say, v, cell.edges, 0))])
        else:
            stages[1][f"e{place}"] = _stepped(say, v, cell.line)
            stages[2][f"b{place}"] = _beside(say, v, nearest, cell)
        keys.append(f"b{place}")
    for place, number in enumerate(question.numbers):
        stages[0][f"x{place}"] = say.number(number.column)
        x, y, high, q, top = (say.column(f"{letter}{place}") for letter in "xyhqt")
        stages[1][f"y{place}"] = (
            x if number.line is None else _inside(say, x, number.line, _stepped(say, x, number.line))
        )
        counts.append(f"y{place}")
        if number.line is None:
            sums.append(f"y{place}")
            continue
        coarse = say.constant(number.coarse)
        stages[2][f"h{place}"] = (y + coarse) - coarse
        stages[3][f"l{place}"] = y - high
        sums += [f"h{place}", f"l{place}"]
        if number.square is not None:
            fine, coarse = map(say.constant, number.square)
            stages[2][f"q{place}"] = (y * y + fine) - fine
            stages[3][f"t{place}"] = (q + coarse) - coarse
            stages[4][f"r{place}"] = q - top
            sums += [f"t{place}", f"r{place}"]
    return Plan(tuple(filter(None, stages)), tuple(keys), tuple(counts), tuple(sums))


def _stepped(say: Dialect[Said], x: Said, line: Line) -> Said:
    for operation, by in line.steps:
        x = _OPERATIONS[operation](x, say.constant(by))
    return x


def _inside(say: Dialect[Said], x: Said, line: Line, y: Said) -> Said:
    first, last, low, high = map(say.constant, line[:4])
    return say.when([(say.between(x, first, last), y), (x < first, low), (say.known(x), high)])


def _beside(say: Dialect[Said], x: Said, nearest: Said, cell: Cell) -> Said:
    assert cell.line is not None
    edge = nearest * say.constant(cell.width)
    if cell.start:
        edge = edge + say.constant(cell.start)
    return _inside(say, x, cell.line, nearest - say.truth(x < edge))


def _among(say: Dialect[Said], x: Said, edges: Sequence[float], lowest: int) -> Said:
    """Compare with the middle edge, and then with those of its half."""
    if not edges:
        return say.constant(float(lowest))
    half = len(edges) // 2
    below = _among(say, x, edges[:half], lowest)
    above = _among(say, x, edges[half + 1 :], lowest + half + 1)
    edge = say.constant(edges[half])
    return say.when([(x < edge, below)], above)


def rows_of(question: Question, plan: Plan, found: Iterable[Sequence[Any]]) -> list[Row]:
    """Return what an engine gives, a sequence for each combination: size, keys, counts and sums of a plan."""
    known = [key.known for key in question.keys]
    return [_row(question, plan, known, each) for each in found]


def _row(question: Question, plan: Plan, known: Sequence[dict[str | int, int]], found: Sequence[Any]) -> Row:
    cut = 1 + len(plan.keys)
    named = dict(zip(plan.keys, found[1:cut]))
    counted = dict(zip(plan.counts, map(int, found[cut : cut + len(plan.counts)])))
    added = {name: each or 0.0 for name, each in zip(plan.sums, found[cut + len(plan.counts) :])}
    codes = []
    for place, levels in enumerate(known):
        code = levels.get(named[f"k{place}"], NO_LEVEL)
        codes.append(MISSING if named.get(f"m{place}") else code)
    bins = tuple(named[f"b{place}"] for place, _ in enumerate(question.cells))
    numbers = []
    for place, number in enumerate(question.numbers):
        letters = "y" if number.line is None else "hl" if number.square is None else "hltr"
        parts = tuple(float(added[f"{letter}{place}"]) for letter in letters)
        numbers.append((counted[f"y{place}"], parts))
    return Row(
        tuple(codes),
        tuple(MISSING if each is None else int(each) for each in bins),
        int(found[0]),
        tuple(counted[f"p{place}"] for place, _ in enumerate(question.present)),
        tuple(numbers),
    )


# below it every whole number has a double of its own
_WHOLE = 2.0**53


class Compared(NamedTuple):
    """A column of numbers or truth values compared by ``<``, ``<=``, ``>``, ``>=`` or ``==``."""

    column: str
    by: str
    value: float


class Among(NamedTuple):
    """A column of texts that is one of some."""

    column: str
    texts: tuple[str, ...]


class Not(NamedTuple):
    """What is false where another condition is true."""

    part: Test


class Every(NamedTuple):
    """Conditions of which each holds."""

    parts: tuple[Test, ...]


class Some(NamedTuple):
    """Conditions of which one holds at least."""

    parts: tuple[Test, ...]


class Comparing(Dialect[Said], Protocol[Said]):
    """How an engine says what conditions are made of; truth values have Python's ``& | ~``."""

    def among(self, column: str, texts: Sequence[str]) -> Said:
        """Tell whether a column's text is one of some, byte by byte; null for null."""


Test = Union[Compared, Among, Not, Every, Some]


def needs_of(test: Test) -> tuple[tuple[str, str], ...]:
    """Return the columns that a condition reads, and what each must be: numbers or texts."""
    match test:
        case Compared(column=column):
            return ((column, "numbers"),)
        case Among(column=column):
            return ((column, "texts"),)
        case Not(part=part):
            return needs_of(part)
        case Every(parts=parts) | Some(parts=parts):
            return tuple(each for part in parts for each in needs_of(part))


def can_say(test: Test, types: Mapping[str, str], kinds: Mapping[str, set[str]], single: str) -> bool:
    """Tell whether an engine can evaluate a condition as NumPy does: `single` is the type of short floats.

    These are compared in their own precision.
    """
    return all(types[name] in kinds[kind] and types[name] != single for name, kind in needs_of(test))


def where(test: Test, say: Comparing[Said]) -> Said:
    """Return an engine's expression that is true for the records for which a condition is known to be."""
    return _known(test, True, say)


def is_exact(value: float) -> bool:
    """Tell whether a constant is compared with whole numbers alike as a double and as itself."""
    return abs(value) < _WHOLE


def _known(test: Test, sought: bool, say: Comparing[Said]) -> Said:
    """Return what is true where a condition is known to be what is sought, and false or null elsewhere."""
    match test:
        case Not(part=part):
            return _known(part, not sought, say)
        case Every(parts=parts) | Some(parts=parts):
            every = isinstance(test, Every) is sought
            return reduce(operator.and_ if every else operator.or_, [_known(x, sought, say) for x in parts])
        case Among(column=column, texts=texts):
            found = say.among(column, texts)
            return found if sought else ~found
        case Compared(column=column, by=by, value=value):
            x, constant = say.number(column), say.constant(value)
            held = {
                "<": x < constant,
                ">=": x < constant,
                ">": constant < x,
                "<=": constant < x,
                "==": say.between(x, constant, constant),
            }[by]
            # an engine may count NaN as a number, and the largest
            return say.known(x) & (held if (by in ("<", ">", "==")) is sought else ~held)

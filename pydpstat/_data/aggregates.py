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
MISSING, UNKNOWN_LEVEL = -1, -2
_OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class GroupKey(NamedTuple):
    """A column whose values are levels, whole numbers or texts; None for a level that it cannot hold.

    `has_missing_group` asks for missing values apart from those that are no level.
    """

    column: str
    levels: tuple[str | int | None, ...]
    has_missing_group: bool = False

    @property
    def level_codes(self) -> dict[str | int, int]:
        """The place of each level that the column can hold."""
        return {level: place for place, level in enumerate(self.levels) if level is not None}


class ClippedTransform(NamedTuple):
    """What becomes of a number: `steps` from `first` to `last`, `low` below and `high` above; no NaN.

    A step is an operation, one of ``+ - *``, with its right side.
    """

    first: float
    last: float
    low: float
    high: float
    steps: tuple[tuple[str, float], ...]


class BinnedColumn(NamedTuple):
    """A column of numbers, and the bin that each is in: found by comparison with the inner edges.

    Where bins are equally wide, a line gives the place of the nearest edge, which `width` and `start` lead
    back to: a number is compared with this one only.
    """

    column: str
    edges: tuple[float, ...]
    transform: ClippedTransform | None = None
    width: float = 0.0
    start: float = 0.0


class SummedColumn(NamedTuple):
    """A column of numbers, placed on a line and added up; without a line, of truth values that are counted.

    Adding and subtracting `coarse` splits a placed number into two, of each of which many can be added up.
    `square` asks for sums of squares, too: to round them, and to split them.
    """

    column: str
    transform: ClippedTransform | None = None
    coarse: float = 0.0
    square: tuple[float, float] | None = None


class AggregateQuery(NamedTuple):
    """What to count and to add up, for every combination of keys' levels and cells that occurs.

    Of the columns in `present` it is counted how many values are not missing.
    """

    keys: tuple[GroupKey, ...] = ()
    cells: tuple[BinnedColumn, ...] = ()
    numbers: tuple[SummedColumn, ...] = ()
    present: tuple[str, ...] = ()

    @property
    def required_columns(self) -> tuple[tuple[str, str], ...]:
        """The columns to read, and what each must be: texts, integers, numbers, truths or anything.

        Integers may be truth values, and numbers either.
        """
        keys = [
            (key.column, "texts" if isinstance(next(iter(key.level_codes)), str) else "integers") for key in self.keys
        ]
        cells = [(cell.column, "numbers") for cell in self.cells]
        numbers = [(each.column, "truths" if each.transform is None else "numbers") for each in self.numbers]
        return (*keys, *cells, *numbers, *((name, "anything") for name in self.present))


class AggregateRow(NamedTuple):
    """The records of one combination of levels and bins. Private.

    `codes` are places of levels, `UNKNOWN_LEVEL` or `MISSING`. `numbers` has how many of each number are not
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

    def __add__(self: ExpressionT, other: ExpressionT, /) -> ExpressionT: ...
    def __sub__(self: ExpressionT, other: ExpressionT, /) -> ExpressionT: ...
    def __mul__(self: ExpressionT, other: ExpressionT, /) -> ExpressionT: ...
    def __lt__(self: ExpressionT, other: ExpressionT, /) -> ExpressionT: ...
    def __and__(self: ExpressionT, other: ExpressionT, /) -> ExpressionT: ...
    def __invert__(self: ExpressionT) -> ExpressionT: ...


ExpressionT = TypeVar("ExpressionT", bound=Expression)


class Dialect(Protocol[ExpressionT]):
    """How an engine says what expressions are made of; they have Python's operators."""

    def get_column(self, name: str) -> ExpressionT:
        """Return a column as it is, or one that a stage before has made."""

    def get_double_column(self, name: str) -> ExpressionT:
        """Return a column of numbers or truth values as doubles."""

    def get_level_column(self, key: GroupKey) -> ExpressionT:
        """Return a key's value where it is a level, and null elsewhere."""

    def make_constant(self, value: float) -> ExpressionT:
        """Return a double."""

    def is_null(self, value: ExpressionT) -> ExpressionT:
        """Tell whether a value is null."""

    def is_known_number(self, value: ExpressionT) -> ExpressionT:
        """Tell whether a double is neither null nor NaN."""

    def to_double(self, value: ExpressionT) -> ExpressionT:
        """Return a truth value as a double, 0 or 1."""

    def is_between(self, value: ExpressionT, first: ExpressionT, last: ExpressionT) -> ExpressionT:
        """Tell whether a double lies between two others, or is one of them."""

    def make_case(
        self, cases: Sequence[tuple[ExpressionT, ExpressionT]], default: ExpressionT | None = None
    ) -> ExpressionT:
        """Return the value of the first condition that holds; `default`, or null, where none does."""


class AggregatePlan(NamedTuple, Generic[ExpressionT]):
    """Expressions in the order in which they are made, and which of them are keys, counted and summed."""

    stages: tuple[dict[str, ExpressionT], ...]
    keys: tuple[str, ...]
    counts: tuple[str, ...]
    sums: tuple[str, ...]


def compile_query(query: AggregateQuery, dialect: Dialect[ExpressionT]) -> AggregatePlan[ExpressionT]:
    """Return a question in an engine's expressions; each stage may use the names of those before."""
    stages: tuple[dict[str, ExpressionT], ...] = ({}, {}, {}, {}, {})
    keys, counts, sums = [], [], []
    for place, key in enumerate(query.keys):
        stages[0][f"k{place}"] = dialect.get_level_column(key)
        keys.append(f"k{place}")
        if key.has_missing_group:
            stages[0][f"m{place}"] = dialect.is_null(dialect.get_column(key.column))
            keys.append(f"m{place}")
    for place, name in enumerate(query.present):
        stages[0][f"p{place}"] = dialect.get_column(name)
        counts.append(f"p{place}")
    for place, cell in enumerate(query.cells):
        stages[0][f"v{place}"] = dialect.get_double_column(cell.column)
        v, nearest = dialect.get_column(f"v{place}"), dialect.get_column(f"e{place}")
        if cell.transform is None:
            stages[1][f"b{place}"] = dialect.make_case(
                [(dialect.is_known_number(v), _find_bin_by_bisection(dialect, v, cell.edges, 0))]
            )
        else:
            stages[1][f"e{place}"] = _apply_steps(dialect, v, cell.transform)
            stages[2][f"b{place}"] = _find_bin_near_edge(dialect, v, nearest, cell)
        keys.append(f"b{place}")
    for place, number in enumerate(query.numbers):
        stages[0][f"x{place}"] = dialect.get_double_column(number.column)
        x, y, high, q, top = (dialect.get_column(f"{letter}{place}") for letter in "xyhqt")
        stages[1][f"y{place}"] = (
            x
            if number.transform is None
            else _clip_expression(dialect, x, number.transform, _apply_steps(dialect, x, number.transform))
        )
        counts.append(f"y{place}")
        if number.transform is None:
            sums.append(f"y{place}")
            continue
        coarse = dialect.make_constant(number.coarse)
        stages[2][f"h{place}"] = (y + coarse) - coarse
        stages[3][f"l{place}"] = y - high
        sums += [f"h{place}", f"l{place}"]
        if number.square is not None:
            fine, coarse = map(dialect.make_constant, number.square)
            stages[2][f"q{place}"] = (y * y + fine) - fine
            stages[3][f"t{place}"] = (q + coarse) - coarse
            stages[4][f"r{place}"] = q - top
            sums += [f"t{place}", f"r{place}"]
    return AggregatePlan(tuple(filter(None, stages)), tuple(keys), tuple(counts), tuple(sums))


def _apply_steps(dialect: Dialect[ExpressionT], x: ExpressionT, transform: ClippedTransform) -> ExpressionT:
    for operation, by in transform.steps:
        x = _OPERATIONS[operation](x, dialect.make_constant(by))
    return x


def _clip_expression(
    dialect: Dialect[ExpressionT], x: ExpressionT, transform: ClippedTransform, y: ExpressionT
) -> ExpressionT:
    first, last, low, high = map(dialect.make_constant, transform[:4])
    return dialect.make_case(
        [(dialect.is_between(x, first, last), y), (x < first, low), (dialect.is_known_number(x), high)]
    )


def _find_bin_near_edge(
    dialect: Dialect[ExpressionT], x: ExpressionT, nearest: ExpressionT, cell: BinnedColumn
) -> ExpressionT:
    assert cell.transform is not None
    edge = nearest * dialect.make_constant(cell.width)
    if cell.start:
        edge = edge + dialect.make_constant(cell.start)
    return _clip_expression(dialect, x, cell.transform, nearest - dialect.to_double(x < edge))


def _find_bin_by_bisection(
    dialect: Dialect[ExpressionT], x: ExpressionT, edges: Sequence[float], lowest: int
) -> ExpressionT:
    """Compare with the middle edge, and then with those of its half."""
    if not edges:
        return dialect.make_constant(float(lowest))
    half = len(edges) // 2
    below = _find_bin_by_bisection(dialect, x, edges[:half], lowest)
    above = _find_bin_by_bisection(dialect, x, edges[half + 1 :], lowest + half + 1)
    edge = dialect.make_constant(edges[half])
    return dialect.make_case([(x < edge, below)], above)


def parse_rows(query: AggregateQuery, plan: AggregatePlan, found: Iterable[Sequence[Any]]) -> list[AggregateRow]:
    """Return what an engine gives, a sequence for each combination: size, keys, counts and sums of a plan."""
    known = [key.level_codes for key in query.keys]
    return [_parse_row(query, plan, known, each) for each in found]


def _parse_row(
    query: AggregateQuery, plan: AggregatePlan, known: Sequence[dict[str | int, int]], found: Sequence[Any]
) -> AggregateRow:
    cut = 1 + len(plan.keys)
    named = dict(zip(plan.keys, found[1:cut]))
    counted = dict(zip(plan.counts, map(int, found[cut : cut + len(plan.counts)])))
    added = {name: each or 0.0 for name, each in zip(plan.sums, found[cut + len(plan.counts) :])}
    codes = []
    for place, levels in enumerate(known):
        code = levels.get(named[f"k{place}"], UNKNOWN_LEVEL)
        codes.append(MISSING if named.get(f"m{place}") else code)
    bins = tuple(named[f"b{place}"] for place, _ in enumerate(query.cells))
    numbers = []
    for place, number in enumerate(query.numbers):
        letters = "y" if number.transform is None else "hl" if number.square is None else "hltr"
        parts = tuple(float(added[f"{letter}{place}"]) for letter in letters)
        numbers.append((counted[f"y{place}"], parts))
    return AggregateRow(
        tuple(codes),
        tuple(MISSING if each is None else int(each) for each in bins),
        int(found[0]),
        tuple(counted[f"p{place}"] for place, _ in enumerate(query.present)),
        tuple(numbers),
    )


# below it every whole number has a double of its own
_EXACT_INTEGER_LIMIT = 2.0**53


class Comparison(NamedTuple):
    """A column of numbers or truth values compared by ``<``, ``<=``, ``>``, ``>=`` or ``==``."""

    column: str
    by: str
    value: float


class IsIn(NamedTuple):
    """A column of texts that is one of some."""

    column: str
    texts: tuple[str, ...]


class Not(NamedTuple):
    """What is false where another condition is true."""

    part: Predicate


class AllOf(NamedTuple):
    """Conditions of which each holds."""

    parts: tuple[Predicate, ...]


class AnyOf(NamedTuple):
    """Conditions of which one holds at least."""

    parts: tuple[Predicate, ...]


class ConditionDialect(Dialect[ExpressionT], Protocol[ExpressionT]):
    """How an engine says what conditions are made of; truth values have Python's ``& | ~``."""

    def is_one_of(self, column: str, texts: Sequence[str]) -> ExpressionT:
        """Tell whether a column's text is one of some, byte by byte; null for null."""


Predicate = Union[Comparison, IsIn, Not, AllOf, AnyOf]


def get_required_columns(condition: Predicate) -> tuple[tuple[str, str], ...]:
    """Return the columns that a condition reads, and what each must be: numbers or texts."""
    match condition:
        case Comparison(column=column):
            return ((column, "numbers"),)
        case IsIn(column=column):
            return ((column, "texts"),)
        case Not(part=part):
            return get_required_columns(part)
        case AllOf(parts=parts) | AnyOf(parts=parts):
            return tuple(each for part in parts for each in get_required_columns(part))


def can_evaluate(condition: Predicate, types: Mapping[str, str], kinds: Mapping[str, set[str]], single: str) -> bool:
    """Tell whether an engine can evaluate a condition as NumPy does: `single` is the type of short floats.

    These are compared in their own precision.
    """
    return all(types[name] in kinds[kind] and types[name] != single for name, kind in get_required_columns(condition))


def compile_condition(condition: Predicate, dialect: ConditionDialect[ExpressionT]) -> ExpressionT:
    """Return an engine's expression that is true for the records for which a condition is known to be."""
    return _compile_known(condition, True, dialect)


def is_exact(value: float) -> bool:
    """Tell whether a constant is compared with whole numbers alike as a double and as itself."""
    return abs(value) < _EXACT_INTEGER_LIMIT


def _compile_known(condition: Predicate, expected: bool, dialect: ConditionDialect[ExpressionT]) -> ExpressionT:
    """Return what is true where a condition is known to be what is sought, and false or null elsewhere."""
    match condition:
        case Not(part=part):
            return _compile_known(part, not expected, dialect)
        case AllOf(parts=parts) | AnyOf(parts=parts):
            every = isinstance(condition, AllOf) is expected
            return reduce(
                operator.and_ if every else operator.or_, [_compile_known(x, expected, dialect) for x in parts]
            )
        case IsIn(column=column, texts=texts):
            found = dialect.is_one_of(column, texts)
            return found if expected else ~found
        case Comparison(column=column, by=by, value=value):
            x, constant = dialect.get_double_column(column), dialect.make_constant(value)
            held = {
                "<": x < constant,
                ">=": x < constant,
                ">": constant < x,
                "<=": constant < x,
                "==": dialect.is_between(x, constant, constant),
            }[by]
            # an engine may count NaN as a number, and the largest
            return dialect.is_known_number(x) & (held if (by in ("<", ">", "==")) is expected else ~held)

"""Aggregate queries and record filters that engines evaluate themselves, in a form common to all engines.

Every sum in a query is over floating-point multiples of a unit, few and small enough that each partial sum is also a
multiple: the sum is exact in any order. The value that a record adds is computed by comparisons, additions,
subtractions and products of doubles, rounded according to IEEE 754, so that all engines obtain the same bits.

A condition consists of comparisons of a column with a constant and selects the same records as pandas. Comparisons with
missing values are unknown; combinations follow Kleene's logic. Negation is moved into the comparisons, which an engine
evaluates to true, false or null; a null result excludes the record, as an unknown condition does.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pydpstat._frozen import hide_values

# codes of a key for a missing value and for a value that is not a level
MISSING, UNKNOWN_LEVEL = -1, -2
_OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class GroupKey(NamedTuple):
    """A column whose values are levels (integers or strings); None for a level that the column cannot represent.

    If `has_missing_group` is true, missing values are distinguished from values that are not levels.
    """

    column: str
    levels: tuple[str | int | None, ...]
    has_missing_group: bool = False

    @property
    def level_codes(self) -> dict[str | int, int]:
        """Index of each level that the column can represent."""
        return {level: code for code, level in enumerate(self.levels) if level is not None}


class ClippedTransform(NamedTuple):
    """Clipped transform of a number: `steps` are applied between `first` and `last`.

    The result is `low` below `first` and `high` above `last`; NaN is not allowed. A step is a pair of an operator
    (``+``, ``-`` or ``*``) and its right operand.
    """

    first: float
    last: float
    low: float
    high: float
    steps: tuple[tuple[str, float], ...]


class BinnedColumn(NamedTuple):
    """A column of numbers and the inner edges of the bins, found by comparison with the edges.

    For bins of equal width, `transform` computes the index of the nearest edge, which is at ``start + index * width``;
    a number is compared with this edge only.
    """

    column: str
    edges: tuple[float, ...]
    transform: ClippedTransform | None = None
    width: float = 0.0
    start: float = 0.0


class SummedColumn(NamedTuple):
    """A column of numbers to be transformed and summed; without a transform, of truth values to be counted.

    Adding and subtracting `coarse` splits a transformed number into two parts that can each be summed exactly over many
    records. `square` requests sums of squares as well: it has the constants that round a square and split it.
    """

    column: str
    transform: ClippedTransform | None = None
    coarse: float = 0.0
    square: tuple[float, float] | None = None


class AggregateQuery(NamedTuple):
    """Counts and sums to compute for every combination of levels and bins that occurs.

    For the columns in `present`, the values that are not missing are counted.
    """

    keys: tuple[GroupKey, ...] = ()
    cells: tuple[BinnedColumn, ...] = ()
    numbers: tuple[SummedColumn, ...] = ()
    present: tuple[str, ...] = ()

    @property
    def required_columns(self) -> tuple[tuple[str, str], ...]:
        """Names of the columns to read with their required kinds of values, such as "texts" or "numbers".

        The kind "integers" includes truth values, and "numbers" includes both.
        """
        firsts = [(key.column, next(iter(key.level_codes))) for key in self.keys]
        keys = [(column, "texts" if isinstance(level, str) else "integers") for column, level in firsts]
        cells = [(cell.column, "numbers") for cell in self.cells]
        numbers = [(number.column, "truths" if number.transform is None else "numbers") for number in self.numbers]
        return (*keys, *cells, *numbers, *((name, "anything") for name in self.present))


class AggregateRow(NamedTuple):
    """Aggregates of the records of one combination of levels and bins. Private.

    `codes` are indices of levels, `UNKNOWN_LEVEL` or `MISSING`. `numbers` has, for each summed column, the number of
    values that are not missing and the sums of the parts.
    """

    codes: tuple[int, ...]
    bins: tuple[int, ...]
    size: int
    present: tuple[int, ...]
    numbers: tuple[tuple[int, tuple[float, ...]], ...]

    def __repr__(self) -> str:
        return hide_values(self)


class Expression(Protocol):
    """Operators that an engine's expressions support."""

    def __add__(self: ExpressionT, other: ExpressionT, /) -> ExpressionT: ...
    def __sub__(self: ExpressionT, other: ExpressionT, /) -> ExpressionT: ...
    def __mul__(self: ExpressionT, other: ExpressionT, /) -> ExpressionT: ...
    def __lt__(self: ExpressionT, other: ExpressionT, /) -> ExpressionT: ...
    def __and__(self: ExpressionT, other: ExpressionT, /) -> ExpressionT: ...
    def __invert__(self: ExpressionT) -> ExpressionT: ...


ExpressionT = TypeVar("ExpressionT", bound=Expression)


class Dialect(Protocol[ExpressionT]):
    """Elementary expressions of an engine; expressions support Python's operators."""

    def get_column(self, name: str) -> ExpressionT:
        """Return a column without conversion, or an expression of an earlier stage."""

    def get_double_column(self, name: str) -> ExpressionT:
        """Return a column of numbers or truth values as doubles."""

    def get_level_column(self, key: GroupKey) -> ExpressionT:
        """Return a key's value if it is a level, else null."""

    def make_constant(self, value: float) -> ExpressionT:
        """Return a constant of type double."""

    def is_null(self, value: ExpressionT) -> ExpressionT:
        """Return whether a value is null."""

    def is_known_number(self, value: ExpressionT) -> ExpressionT:
        """Return whether a double is neither null nor NaN."""

    def to_double(self, value: ExpressionT) -> ExpressionT:
        """Return a truth value as a double, 0 or 1."""

    def is_between(self, value: ExpressionT, first: ExpressionT, last: ExpressionT) -> ExpressionT:
        """Return whether a double lies between two others, ends included."""

    def make_case(
        self, cases: Sequence[tuple[ExpressionT, ExpressionT]], default: ExpressionT | None = None
    ) -> ExpressionT:
        """Return the value of the first condition that is true; if none is, `default` or null."""


class AggregatePlan(NamedTuple, Generic[ExpressionT]):
    """Expressions in the order of evaluation, and the names of the keys, counts and sums among them."""

    stages: tuple[dict[str, ExpressionT], ...]
    keys: tuple[str, ...]
    counts: tuple[str, ...]
    sums: tuple[str, ...]


def compile_query(query: AggregateQuery, dialect: Dialect[ExpressionT]) -> AggregatePlan[ExpressionT]:
    """Translate a query into an engine's expressions; each stage may refer to names of earlier stages."""
    stages: tuple[dict[str, ExpressionT], ...] = ({}, {}, {}, {}, {})
    keys, counts, sums = [], [], []
    for i, key in enumerate(query.keys):
        stages[0][f"k{i}"] = dialect.get_level_column(key)
        keys.append(f"k{i}")
        if key.has_missing_group:
            stages[0][f"m{i}"] = dialect.is_null(dialect.get_column(key.column))
            keys.append(f"m{i}")
    for i, name in enumerate(query.present):
        stages[0][f"p{i}"] = dialect.get_column(name)
        counts.append(f"p{i}")
    for i, cell in enumerate(query.cells):
        stages[0][f"v{i}"] = dialect.get_double_column(cell.column)
        v, nearest = dialect.get_column(f"v{i}"), dialect.get_column(f"e{i}")
        if cell.transform is None:
            stages[1][f"b{i}"] = dialect.make_case(
                [(dialect.is_known_number(v), _find_bin_by_bisection(dialect, v, cell.edges, 0))]
            )
        else:
            stages[1][f"e{i}"] = _apply_steps(dialect, v, cell.transform)
            stages[2][f"b{i}"] = _find_bin_near_edge(dialect, v, nearest, cell)
        keys.append(f"b{i}")
    for i, number in enumerate(query.numbers):
        stages[0][f"x{i}"] = dialect.get_double_column(number.column)
        x, y, high, q, top = (dialect.get_column(f"{letter}{i}") for letter in "xyhqt")
        stages[1][f"y{i}"] = (
            x
            if number.transform is None
            else _clip_expression(dialect, x, number.transform, _apply_steps(dialect, x, number.transform))
        )
        counts.append(f"y{i}")
        if number.transform is None:
            sums.append(f"y{i}")
            continue
        coarse = dialect.make_constant(number.coarse)
        stages[2][f"h{i}"] = (y + coarse) - coarse
        stages[3][f"l{i}"] = y - high
        sums += [f"h{i}", f"l{i}"]
        if number.square is not None:
            fine, coarse = map(dialect.make_constant, number.square)
            stages[2][f"q{i}"] = (y * y + fine) - fine
            stages[3][f"t{i}"] = (q + coarse) - coarse
            stages[4][f"r{i}"] = q - top
            sums += [f"t{i}", f"r{i}"]
    return AggregatePlan(tuple(filter(None, stages)), tuple(keys), tuple(counts), tuple(sums))


def _apply_steps(dialect: Dialect[ExpressionT], x: ExpressionT, transform: ClippedTransform) -> ExpressionT:
    for operation, constant in transform.steps:
        x = _OPERATIONS[operation](x, dialect.make_constant(constant))
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
    """Compare with the middle edge, then recursively with the edges of the matching half."""
    if not edges:
        return dialect.make_constant(float(lowest))
    half = len(edges) // 2
    below = _find_bin_by_bisection(dialect, x, edges[:half], lowest)
    above = _find_bin_by_bisection(dialect, x, edges[half + 1 :], lowest + half + 1)
    edge = dialect.make_constant(edges[half])
    return dialect.make_case([(x < edge, below)], above)


def parse_rows(query: AggregateQuery, plan: AggregatePlan, found: Iterable[Sequence[Any]]) -> list[AggregateRow]:
    """Parse an engine's rows (size, keys, counts and sums of a plan), one for each combination."""
    level_codes = [key.level_codes for key in query.keys]
    return [_parse_row(query, plan, level_codes, row) for row in found]


def _parse_row(
    query: AggregateQuery, plan: AggregatePlan, known: Sequence[dict[str | int, int]], found: Sequence[Any]
) -> AggregateRow:
    cut = 1 + len(plan.keys)
    keys = dict(zip(plan.keys, found[1:cut]))
    counted = dict(zip(plan.counts, map(int, found[cut : cut + len(plan.counts)])))
    added = {name: each or 0.0 for name, each in zip(plan.sums, found[cut + len(plan.counts) :])}
    codes = []
    for i, levels in enumerate(known):
        code = levels.get(keys[f"k{i}"], UNKNOWN_LEVEL)
        codes.append(MISSING if keys.get(f"m{i}") else code)
    bins = tuple(keys[f"b{i}"] for i, _ in enumerate(query.cells))
    numbers = []
    for i, number in enumerate(query.numbers):
        letters = "y" if number.transform is None else "hl" if number.square is None else "hltr"
        sums = tuple(float(added[f"{letter}{i}"]) for letter in letters)
        numbers.append((counted[f"y{i}"], sums))
    return AggregateRow(
        tuple(codes),
        tuple(MISSING if each is None else int(each) for each in bins),
        int(found[0]),
        tuple(counted[f"p{i}"] for i, _ in enumerate(query.present)),
        tuple(numbers),
    )


# every integer below this limit is exactly representable as a double
_EXACT_INTEGER_LIMIT = 2.0**53


class Comparison(NamedTuple):
    """A column of numbers or truth values compared by ``<``, ``<=``, ``>``, ``>=`` or ``==``."""

    column: str
    by: str
    value: float


class IsIn(NamedTuple):
    """Whether the string in a column is one of `texts`."""

    column: str
    texts: tuple[str, ...]


class Not(NamedTuple):
    """Negation of a condition."""

    part: Predicate


class AllOf(NamedTuple):
    """Conjunction of conditions."""

    parts: tuple[Predicate, ...]


class AnyOf(NamedTuple):
    """Disjunction of conditions."""

    parts: tuple[Predicate, ...]


class ConditionDialect(Dialect[ExpressionT], Protocol[ExpressionT]):
    """Elementary conditions of an engine; truth values support Python's ``& | ~``."""

    def is_one_of(self, column: str, texts: Sequence[str]) -> ExpressionT:
        """Return whether a column's string equals one of `texts`, byte by byte; null for null."""


Predicate = Comparison | IsIn | Not | AllOf | AnyOf


def get_required_columns(condition: Predicate) -> tuple[tuple[str, str], ...]:
    """Return the columns that a condition reads with their required kinds ("numbers" or "texts")."""
    match condition:
        case Comparison(column=column):
            return ((column, "numbers"),)
        case IsIn(column=column):
            return ((column, "texts"),)
        case Not(part=operand):
            return get_required_columns(operand)
        case AllOf(parts=parts) | AnyOf(parts=parts):
            return tuple(each for operand in parts for each in get_required_columns(operand))


def can_evaluate(condition: Predicate, types: Mapping[str, str], kinds: Mapping[str, set[str]], single: str) -> bool:
    """Return whether an engine can evaluate a condition as NumPy does, by its columns' types.

    `single` is the name of the type of single-precision floats, which NumPy compares in their own precision.
    """
    return all(types[name] in kinds[kind] and types[name] != single for name, kind in get_required_columns(condition))


def compile_condition(condition: Predicate, dialect: ConditionDialect[ExpressionT]) -> ExpressionT:
    """Return an engine's expression that is true for the records for which a condition is known to be true."""
    return _compile_known(condition, True, dialect)


def is_exact(value: float) -> bool:
    """Return whether comparing integers with a constant gives the same result if it is converted to double."""
    return abs(value) < _EXACT_INTEGER_LIMIT


def _compile_known(condition: Predicate, expected: bool, dialect: ConditionDialect[ExpressionT]) -> ExpressionT:
    """Return an expression that is true if a condition is known to be `expected`, else false or null."""
    match condition:
        case Not(part=part):
            return _compile_known(part, not expected, dialect)
        case AllOf(parts=parts) | AnyOf(parts=parts):
            every = isinstance(condition, AllOf) is expected
            return reduce(
                operator.and_ if every else operator.or_, [_compile_known(x, expected, dialect) for x in parts]
            )
        case IsIn(column=column, texts=texts):
            is_match = dialect.is_one_of(column, texts)
            return is_match if expected else ~is_match
        case Comparison(column=column, by=by, value=value):
            x, constant = dialect.get_double_column(column), dialect.make_constant(value)
            comparison = {
                "<": x < constant,
                ">=": x < constant,
                ">": constant < x,
                "<=": constant < x,
                "==": dialect.is_between(x, constant, constant),
            }[by]
            # an engine may order NaN as the largest number
            return dialect.is_known_number(x) & (comparison if (by in ("<", ">", "==")) is expected else ~comparison)

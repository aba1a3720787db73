"""Relations of DuckDB: read chunk by chunk, or with counts and sums computed by DuckDB itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pydpstat._data.aggregates import (
    AggregateQuery,
    AggregateRow,
    GroupKey,
    Predicate,
    can_evaluate,
    compile_condition,
    compile_query,
    parse_rows,
)
from pydpstat._data.chunks import CHUNK, check_column_names, report_engine_errors
from pydpstat._data.progress import Progress
from pydpstat._data.streams import StreamTable, import_pyarrow

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyRelation

_INTEGER_TYPES = {*"TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT BOOLEAN".split()}
# decimals and 128-bit integers are not always rounded to the nearest double
_TYPES_BY_KIND = {
    "texts": {"VARCHAR"},
    "integers": _INTEGER_TYPES,
    "numbers": {*_INTEGER_TYPES, "FLOAT", "DOUBLE"},
    "truths": {"BOOLEAN"},
}


def make_duckdb_table(data: DuckDBPyRelation) -> StreamTable:
    """Return a table of a DuckDB relation; each pass runs its query again."""
    import_pyarrow("reading data of DuckDB", "duckdb")
    with report_engine_errors("duckdb"):
        # the connection may have been closed
        names = check_column_names(data.columns)
    return StreamTable(
        "duckdb",
        names,
        lambda names: _open_reader(_select_columns(data, names).limit(0)).schema,
        lambda names: _open_reader(_select_columns(data, names)),
        lambda: int(data.aggregate("count(*)").fetchall()[0][0]),
        is_slow=True,
        run_aggregates=lambda question: _compute_aggregates(data, question),
        filter_records=lambda test: _filter_records(data, test),
    )


def _select_columns(relation: DuckDBPyRelation, names: Sequence[str]) -> DuckDBPyRelation:
    return relation.project(", ".join(map(_quote_name, names)))


def _open_reader(relation: DuckDBPyRelation) -> pa.RecordBatchReader:
    # newer versions of DuckDB have to_arrow_reader, older ones fetch_arrow_reader
    begin = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return begin(CHUNK)


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _make_operator(word: str) -> Callable[[_SqlExpression, _SqlExpression], _SqlExpression]:
    return lambda left, right: _SqlExpression(f"({left.text} {word} {right.text})")


class _SqlExpression:
    """An SQL expression with Python's operators."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __invert__(self) -> _SqlExpression:
        return _SqlExpression(f"(NOT {self.text})")

    __add__, __sub__, __mul__, __lt__, __and__, __or__ = map(_make_operator, ("+", "-", "*", "<", "AND", "OR"))


class _SqlDialect:
    """Elementary expressions of DuckDB."""

    def get_column(self, name: str) -> _SqlExpression:
        return _SqlExpression(_quote_name(name))

    def get_double_column(self, name: str) -> _SqlExpression:
        return _SqlExpression(f"CAST({_quote_name(name)} AS DOUBLE)")

    def get_level_column(self, key: GroupKey) -> _SqlExpression:
        present_levels = [level for level in key.levels if level is not None]
        name = _quote_name(key.column)
        if isinstance(present_levels[0], str):
            # a cast to an enumeration compares bytes, whatever the collation of the column or connection
            levels = ", ".join("'" + str(level).replace("'", "''") + "'" for level in present_levels)
            return _SqlExpression(f"TRY_CAST({name} AS ENUM({levels}))")
        integer = f"CAST({name} AS HUGEINT)"
        return _SqlExpression(f"CASE WHEN {integer} IN ({', '.join(map(str, present_levels))}) THEN {integer} END")

    def is_one_of(self, column: str, texts: Sequence[str]) -> _SqlExpression:
        # compares bytes, whatever the collation; a cast to an enumeration is slow for values that are not in it
        listed = ", ".join("encode('" + text.replace("'", "''") + "')" for text in texts)
        return _SqlExpression(f"(encode({_quote_name(column)}) IN ({listed}))")

    def make_constant(self, value: float) -> _SqlExpression:
        # a string is converted to the nearest double; a literal with a decimal point would be a decimal
        return _SqlExpression(f"CAST('{value!r}' AS DOUBLE)")

    def is_null(self, value: _SqlExpression) -> _SqlExpression:
        return _SqlExpression(f"({value.text} IS NULL)")

    def is_known_number(self, value: _SqlExpression) -> _SqlExpression:
        return _SqlExpression(f"(NOT isnan({value.text}))")

    def to_double(self, value: _SqlExpression) -> _SqlExpression:
        return _SqlExpression(f"CAST({value.text} AS DOUBLE)")

    def is_between(self, value: _SqlExpression, first: _SqlExpression, last: _SqlExpression) -> _SqlExpression:
        return _SqlExpression(f"({value.text} BETWEEN {first.text} AND {last.text})")

    def make_case(
        self, cases: Sequence[tuple[_SqlExpression, _SqlExpression]], default: _SqlExpression | None = None
    ) -> _SqlExpression:
        branches = " ".join(f"WHEN {condition.text} THEN {value.text}" for condition, value in cases)
        return _SqlExpression(f"(CASE {branches}{'' if default is None else f' ELSE {default.text}'} END)")


def _filter_records(data: DuckDBPyRelation, condition: Predicate) -> StreamTable | None:
    """Return the records for which a condition is true; None if DuckDB compares a column differently."""
    if not can_evaluate(condition, dict(zip(data.columns, map(str, data.types))), _TYPES_BY_KIND, "FLOAT"):
        return None
    with report_engine_errors("duckdb"):
        return make_duckdb_table(data.filter(compile_condition(condition, _SqlDialect()).text))


def _compute_aggregates(data: DuckDBPyRelation, query: AggregateQuery) -> list[AggregateRow] | None:
    """Compute counts and sums in DuckDB; return None for columns of unsupported types."""
    types = dict(zip(data.columns, map(str, data.types)))
    if not all(types[name] in _TYPES_BY_KIND.get(kind, types.values()) for name, kind in query.required_columns):
        return None
    plan = compile_query(query, _SqlDialect())
    with Progress(lambda: None), report_engine_errors("duckdb"):
        relation = data
        for i, stage in enumerate(plan.stages):
            columns = [f"{expression.text} AS {name}" for name, expression in stage.items()]
            relation = relation.project(", ".join((["*"] if i else []) + columns))
        expressions = [
            "count(*)",
            *plan.keys,
            *(f"count({name})" for name in plan.counts),
            *(f"sum({name})" for name in plan.sums),
        ]
        rows = relation.aggregate(", ".join(expressions), ", ".join(plan.keys)).fetchall()
    return parse_rows(query, plan, rows)

"""Relations of DuckDB: read chunk by chunk, or asked to count and to add up themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pydpstat._data.chunk import CHUNK, column_names, failing_as
from pydpstat._data.progress import Progress
from pydpstat._data.questions import Key, Question, Row, Test, can_say, plan_of, rows_of, where
from pydpstat._data.streams import Stream, pyarrow_for

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyRelation

_WHOLE = {*"TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT BOOLEAN".split()}
# a decimal or an integer of 128 bits is not always rounded to the nearest double
_KINDS = {
    "texts": {"VARCHAR"},
    "integers": _WHOLE,
    "numbers": {*_WHOLE, "FLOAT", "DOUBLE"},
    "truths": {"BOOLEAN"},
}


def duckdb_table(data: DuckDBPyRelation) -> Stream:
    """Return a relation of DuckDB as a table that can be folded: each fold runs its query again."""
    pyarrow_for("reading data of DuckDB", "duckdb")
    with failing_as("duckdb"):
        # the connection may be closed
        names = column_names(data.columns)
    return Stream(
        "duckdb",
        names,
        lambda names: _reader(_projected(data, names).limit(0)).schema,
        lambda names: _reader(_projected(data, names)),
        lambda: int(data.aggregate("count(*)").fetchall()[0][0]),
        slow=True,
        asked=lambda question: _answer(data, question),
        kept=lambda test: _kept(data, test),
    )


def _projected(relation: DuckDBPyRelation, names: Sequence[str]) -> DuckDBPyRelation:
    return relation.project(", ".join(map(_quoted, names)))


def _reader(relation: DuckDBPyRelation) -> pa.RecordBatchReader:
    # newer versions of DuckDB call it the first, older ones the second
    begin = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return begin(CHUNK)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _operator(word: str) -> Callable[[_Text, _Text], _Text]:
    return lambda left, right: _Text(f"({left.text} {word} {right.text})")


class _Text:
    """A piece of SQL with Python's operators."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __invert__(self) -> _Text:
        return _Text(f"(NOT {self.text})")

    __add__, __sub__, __mul__, __lt__, __and__, __or__ = map(_operator, ("+", "-", "*", "<", "AND", "OR"))


class _Sql:
    """DuckDB's words for what expressions are made of."""

    def column(self, name: str) -> _Text:
        return _Text(_quoted(name))

    def number(self, name: str) -> _Text:
        return _Text(f"CAST({_quoted(name)} AS DOUBLE)")

    def level(self, key: Key) -> _Text:
        own = [level for level in key.levels if level is not None]
        name = _quoted(key.column)
        if isinstance(own[0], str):
            # a cast compares bytes, whatever collation a column or a connection has
            levels = ", ".join("'" + str(level).replace("'", "''") + "'" for level in own)
            return _Text(f"TRY_CAST({name} AS ENUM({levels}))")
        whole = f"CAST({name} AS HUGEINT)"
        return _Text(f"CASE WHEN {whole} IN ({', '.join(map(str, own))}) THEN {whole} END")

    def among(self, column: str, texts: Sequence[str]) -> _Text:
        # bytes, whatever collation there is; a cast to other levels takes long for what is none
        listed = ", ".join("encode('" + each.replace("'", "''") + "')" for each in texts)
        return _Text(f"(encode({_quoted(column)}) IN ({listed}))")

    def constant(self, value: float) -> _Text:
        # as a text it is read to the nearest double; a number with a point would be a decimal
        return _Text(f"CAST('{value!r}' AS DOUBLE)")

    def absent(self, value: _Text) -> _Text:
        return _Text(f"({value.text} IS NULL)")

    def known(self, value: _Text) -> _Text:
        return _Text(f"(NOT isnan({value.text}))")

    def truth(self, value: _Text) -> _Text:
        return _Text(f"CAST({value.text} AS DOUBLE)")

    def between(self, value: _Text, first: _Text, last: _Text) -> _Text:
        return _Text(f"({value.text} BETWEEN {first.text} AND {last.text})")

    def when(self, cases: Sequence[tuple[_Text, _Text]], other: _Text | None = None) -> _Text:
        said = " ".join(f"WHEN {condition.text} THEN {value.text}" for condition, value in cases)
        return _Text(f"(CASE {said}{'' if other is None else f' ELSE {other.text}'} END)")


def _kept(data: DuckDBPyRelation, test: Test) -> Stream | None:
    """Return the records for which a condition holds; None for columns that are not compared alike."""
    if not can_say(test, dict(zip(data.columns, map(str, data.types))), _KINDS, "FLOAT"):
        return None
    with failing_as("duckdb"):
        return duckdb_table(data.filter(where(test, _Sql()).text))


def _answer(data: DuckDBPyRelation, question: Question) -> list[Row] | None:
    """Ask a relation; None for columns of types that cannot be asked for exactly."""
    types = dict(zip(data.columns, map(str, data.types)))
    if not all(types[name] in _KINDS.get(kind, types.values()) for name, kind in question.needs):
        return None
    plan = plan_of(question, _Sql())
    with Progress(lambda: None), failing_as("duckdb"):
        relation = data
        for place, stage in enumerate(plan.stages):
            made = [f"{each.text} AS {name}" for name, each in stage.items()]
            relation = relation.project(", ".join((["*"] if place else []) + made))
        asked = [
            "count(*)",
            *plan.keys,
            *(f"count({name})" for name in plan.counts),
            *(f"sum({name})" for name in plan.sums),
        ]
        found = relation.aggregate(", ".join(asked), ", ".join(plan.keys)).fetchall()
    return rows_of(question, plan, found)

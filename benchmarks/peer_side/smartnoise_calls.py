"""SmartNoise's side: queries to a SQLite table in memory, which is filled before the clock starts."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import snsql

VERSION = version("smartnoise-sql")
_NOISE = "its noise is OpenDP's"
LACKS = {"median": "its SQL has no quantiles", "Laplace noise": _NOISE, "Gaussian noise": _NOISE}
NOISES: dict[str, Callable[[int], Callable[[], Any]]] = {}


def records(path: str, size: int) -> Any:
    """Return a reader of a table of the first numbers of the file."""
    numbers = array("d")
    with Path(path).open("rb") as file:
        numbers.fromfile(file, size)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x REAL)")
    connection.executemany("INSERT INTO t VALUES (?)", ((number,) for number in numbers))
    connection.commit()
    column = {"type": "float", "lower": 0.0, "upper": 100.0}
    return snsql.from_connection(
        connection,
        engine="sqlite",
        privacy=snsql.Privacy(epsilon=1.0, delta=1e-6),
        metadata={"": {"main": {"t": {"row_privacy": True, "rows": size, "x": column}}}},
    )


def _query(sql: str, reader: Any) -> Callable[[], Any]:
    return lambda: reader.execute(sql)


STATISTICS: dict[str, Callable[[Any], Callable[[], Any]]] = {
    "mean": partial(_query, "SELECT AVG(x) AS m FROM main.t"),
    "sum": partial(_query, "SELECT SUM(x) AS s FROM main.t"),
    "variance": partial(_query, "SELECT VAR(x) AS v FROM main.t"),
    "histogram": partial(_query, "SELECT FLOOR(x / 5) AS b, COUNT(*) AS c FROM main.t GROUP BY FLOOR(x / 5)"),
}

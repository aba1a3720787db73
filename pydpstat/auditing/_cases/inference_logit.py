"""Logistic regression at its worst neighbors: the releases it consists of, each with epsilon 1, and whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pydpstat._release.additive import Query
from pydpstat._release.statistic import call, options, release_stage
from pydpstat.auditing._cases.case import Case, Release
from pydpstat.auditing._cases.stage import stage
from pydpstat.inference._design import read_regression
from pydpstat.inference._logit_records import CellRecords, Cells, LogitRecords
from pydpstat.inference._moment_noise import CellCubes
from pydpstat.inference._null_distributions.logistic_cells import line_for, lines_at
from pydpstat.inference.logit import logit, records_of
from pydpstat.privacy import Guarantee
from pydpstat.random import source_from
from pydpstat.results import DPResults

# a regression takes ten milliseconds
SLOW = 20_000
# a response turns and its predictor goes from the end to the middle: the sums move by 1 in their units
END: Any = ([True, False], [1.0, 0.0])
MIDDLE: Any = ([False, False], [0.5, 0.0])
# the predictors' sums move most where a response stays
STAYS: Any = (END[0], [0.0, 0.0])
# one of two predictors goes to the other end, or to another level
BOTH: Any = ([True, False], [[1.0, 1.0], [0.0, 0.0]])
OTHER: Any = ([False, False], [[0.0, 1.0], [0.0, 0.0]])
LEVEL: Any = ([True, False], {"g": ["a", "b"]})
ANOTHER: Any = ([False, False], {"g": ["c", "b"]})
# the furthest that a score was seen to move, at these coefficients
CENTER = -5.2, -4.6
LEFT: Any = ([False, False], [0.0, 0.5])
NEAR: Any = ([False, False], [0.25, 0.5])
MOVES = 0.731
# coefficients of a constant, two levels and a number, and how far what lines leave moves there
STEEP, RESTS = (0.5, -1.0, 1.0, 4.0), 0.768
UNIT: dict[str, Any] = {"bounds": (0, 1)}
LEVELS: dict[str, Any] = {"levels": {"g": ["a", "b", "c"]}}
# a record goes to another cell, and its number from an end to the middle
CELL: Any = ([True, False], {"g": ["a", "b"], "x": [1.0, 0.0]})
OTHER_CELL: Any = ([False, False], {"g": ["c", "b"], "x": [0.5, 0.0]})
# or it stays in its cell, and the number goes to the other end: products do not move
OTHER_END: Any = ([True, False], {"g": ["a", "b"], "x": [0.0, 0.0]})
# one record more
MORE: Any = ([True, False, True], {"g": ["a", "b", "a"], "x": [1.0, 0.0, 1.0]})


def _logit(**given: Any) -> Release:
    return lambda data: logit(data[0], data[1], 1.0, **given).released


def _stage(query: Callable[[LogitRecords], Query], bounds: list[tuple[int, int]] | None = None) -> Release:
    """Return a release of what is asked of the records."""
    ends = (0, 1) if bounds is None else [(0, 1), *bounds]
    return stage(
        "logit", lambda data: query(records_of(read_regression(data[0], data[1], ends, None, "error")))
    )


def _cells(ask: Callable[[CellRecords, int], tuple[Query, CellCubes]], ends: int = 2) -> Release:
    """Return a release of what is asked of the records by cell, of which a record changes so many."""
    neighbors = "bounded" if ends > 1 else "unbounded"
    how = options(1.0, 0, "laplace", neighbors, "error", others=False)
    record, source = call("logit", how, ("formula", "data")), source_from(None)

    def release(data: Any) -> DPResults:
        regression = read_regression(data[0], data[1], (0, 1), LEVELS["levels"], "error", binary=True)
        query, mechanism = ask(CellRecords(regression, Cells.of(regression.design)), ends)
        return release_stage(query, how._replace(mechanism=mechanism), 1.0, (), source, record)

    return release


def _table(records: CellRecords, ends: int) -> tuple[Query, CellCubes]:
    return records.table(ends, None), records.cells.table_noise(ends)


def _rest(records: CellRecords, ends: int) -> tuple[Query, CellCubes]:
    """Ask for what lines leave at a steep slope, of which ends are far from the middle."""
    cells, center = records.cells, np.array(STEEP)
    lines = lines_at(cells.rows @ center, STEEP[-1], np.full(len(cells.rows), 1.0 / len(cells.rows)))
    return records.rest(center, lines, ends, None), cells.rest_noise(ends)


def _score(*center: float) -> Callable[[LogitRecords], Query]:
    """Return what asks for the score at coefficients of the constant and the scaled predictors."""
    at, reach = np.array(center), float(np.abs(center[1:]).sum())
    return lambda records: records.score(at, line_for(center[0] - reach, center[0] + reach))


def _case(name: str, release: Release, data: object, neighbor: object) -> Case:
    return Case("sound", name, release, data, neighbor, true=1.0, most=SLOW)


def _part(name: str, release: Release, data: object, neighbor: object, true: float = 1.0) -> Case:
    return Case("sound", f"logit, {name}", release, data, neighbor, Guarantee(1.0), true=true)


MOMENTS = LogitRecords.moments
CASES = (
    _part("its moments", _stage(MOMENTS, [(0, 1)]), END, MIDDLE),
    _part("its moments, two predictors", _stage(MOMENTS, [(0, 1)] * 2), BOTH, OTHER),
    _part("its table, another cell", _cells(_table), CELL, OTHER_CELL),
    _part("its table, another number", _cells(_table), CELL, OTHER_END, 0.88),
    _part("its table, one more", _cells(_table, 1), CELL, MORE),
    _part("its lines", _cells(_rest), CELL, OTHER_CELL, RESTS),
    _part("its score", _stage(_score(*CENTER), [(0, 1)]), LEFT, NEAR, MOVES),
    _case("logit", _logit(**UNIT), END, MIDDLE),
    _case("logit, the response stays", _logit(**UNIT), END, STAYS),
    _case("logit, two predictors", _logit(**UNIT), BOTH, OTHER),
    _case("logit, levels", _logit(**LEVELS), LEVEL, ANOTHER),
)

"""Regressions at their worst neighbors: whole, and the releases they consist of, each with epsilon 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pydpstat._data.columns import Data
from pydpstat._release.additive import Query
from pydpstat._release.options import options
from pydpstat._release.statistic import call, release_stage
from pydpstat.auditing._cases.case import OPEN, UNIT, Case, Options, Release, sound, stage
from pydpstat.inference._design import read_regression
from pydpstat.inference._logit_cells import CellRecords, Cells
from pydpstat.inference._logit_records import LogitRecords
from pydpstat.inference._moment_noise import CellCubes
from pydpstat.inference._null_distributions.logistic_cells import line_for, lines_at
from pydpstat.inference._null_distributions.slopes import Pairs
from pydpstat.inference._regression_moments import Influences, influence_query
from pydpstat.inference._slopes import Look, PairSlopes, edges_from, group_sizes
from pydpstat.inference.logit import logit, records_of
from pydpstat.inference.regression import ols
from pydpstat.mechanisms import Cube
from pydpstat.privacy import Guarantee
from pydpstat.results import DPResults

# draws of what takes milliseconds
FEW_DRAWS = 20_000
# a response turns and its predictor goes from the end to the middle: the sums move by 1 in their units
END = ([True, False], [1.0, 0.0])
MIDDLE = ([False, False], [0.5, 0.0])
# the predictors' sums move most where a response stays
STAYS = (END[0], [0.0, 0.0])
# one of two predictors goes to the other end, or to another level
BOTH = ([True, False], [[1.0, 1.0], [0.0, 0.0]])
OTHER = ([False, False], [[0.0, 1.0], [0.0, 0.0]])
LEVEL = ([True, False], {"g": ["a", "b"]})
ANOTHER = ([False, False], {"g": ["c", "b"]})
# the furthest that a score was seen to move, at these coefficients
CENTER = -5.2, -4.6
LEFT = ([False, False], [0.0, 0.5])
NEAR = ([False, False], [0.25, 0.5])
MOVES = 0.731
# coefficients of a constant, two levels and a number, and how far what lines leave moves there
STEEP, RESTS = (0.5, -1.0, 1.0, 4.0), 0.768
LEVELS: Options = {"levels": {"g": ["a", "b", "c"]}}
# a record goes to another cell, and its number from an end to the middle
CELL = ([True, False], {"g": ["a", "b"], "x": [1.0, 0.0]})
OTHER_CELL = ([False, False], {"g": ["c", "b"], "x": [0.5, 0.0]})
# or it stays in its cell, and the number goes to the other end: products do not move
OTHER_END = ([True, False], {"g": ["a", "b"], "x": [0.0, 0.0]})
# one record more
MORE = ([True, False, True], {"g": ["a", "b", "a"], "x": [1.0, 0.0, 1.0]})


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
    record = call("logit", how, ("formula", "data"))

    def release(data: tuple[Data, Data]) -> DPResults:
        regression = read_regression(data[0], data[1], (0, 1), LEVELS["levels"], "error", binary=True)
        query, mechanism = ask(CellRecords(regression, Cells.of(regression.design)), ends)
        return release_stage(query, how._replace(mechanism=mechanism), 1.0, (), record)

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


def _part(name: str, release: Release, data: object, neighbor: object, true: float = 1.0) -> Case:
    return sound(f"logit, {name}", release, data, neighbor, true=true, claim=Guarantee(1.0))


MOMENTS = LogitRecords.moments
LOGIT = (
    _part("its moments", _stage(MOMENTS, [(0, 1)]), END, MIDDLE),
    _part("its moments, two predictors", _stage(MOMENTS, [(0, 1)] * 2), BOTH, OTHER),
    _part("its table, another cell", _cells(_table), CELL, OTHER_CELL),
    _part("its table, another number", _cells(_table), CELL, OTHER_END, 0.88),
    _part("its table, one more", _cells(_table, 1), CELL, MORE),
    _part("its lines", _cells(_rest), CELL, OTHER_CELL, RESTS),
    _part("its score", _stage(_score(*CENTER), [(0, 1)]), LEFT, NEAR, MOVES),
    sound("logit", _logit(**UNIT), END, MIDDLE, FEW_DRAWS),
    sound("logit, the response stays", _logit(**UNIT), END, STAYS, FEW_DRAWS),
    sound("logit, two predictors", _logit(**UNIT), BOTH, OTHER, FEW_DRAWS),
    sound("logit, levels", _logit(**LEVELS), LEVEL, ANOTHER, FEW_DRAWS),
)

Records = tuple[list[float], list[float] | list[str] | list[list[float]]]
# one record: sums, product and half squares of these are 4.5 apart, as far as it goes
HIGH: Records = [1.0], [1.0]
LOW: Records = [-0.5], [-0.5]
# a record whose level changes, with the same numbers but for their signs
ONE: Records = [1.0], ["a"]
OTHER_SIGN: Records = [-1.0], ["b"]
# a record that is not there
NONE: Records = [], []
# three records of which one goes from below all others to above them
RISING: Records = [0.0, 0.5, 1.0], [0.0, 0.5, 1.0]
FALLING: Records = [1.0, 0.1, 0.5], [0.0, 0.5, 1.0]
# a record whose slopes with all others, who lie together, change their sign
UPWARD: Records = [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]
DOWNWARD: Records = [-0.5, 0.0, 0.0], [1.0, 0.0, 0.0]
# the same, and no two predictors are equal: ties go to cells at random
ABOVE: Records = [0.5, 0.0, 0.0], [1.0, 0.1, 0.0]
BELOW: Records = [-0.5, 0.0, 0.0], [1.0, 0.1, 0.0]
# a record whose influence goes from the largest to none; the other one has none
FAR: Records = [1.0, 0.0], [1.0, 0.0]
STILL: Records = [0.0, 0.0], [1.0, 0.0]
# a block whose score changes its sign
UP: Records = [0.0] * 5 + [1.0], [[0.0, 0.1], [0.2, 0.9], [0.4, 0.3], [0.6, 0.7], [0.8, 0.2], [1.0, 0.5]]
DOWN: Records = [0.0] * 5 + [-1.0], UP[1]


def _moments(ends: list[float], others: list[float], levels: bool = False, **given: Any) -> Release:
    """Return a release that says by how much its numbers are nearer to one truth than to another."""

    def release(records: Records) -> float:
        y, x = np.array(records[0], dtype=float), np.array(records[1], dtype=str if levels else float)
        model: tuple[Data, Data] = ("y ~ C(g)", {"y": y, "g": x}) if levels else (y, x)
        result = ols(*model, 1.0, bounds=(-1, 1), levels={"g": ["a", "b"]} if levels else None, **given)
        noisy = np.array([value for _, value in result.released])
        first, second = np.abs(noisy - np.array(ends)), np.abs(noisy - np.array(others))
        # in noise scales
        return float(((second - first) / result.noise_scale).sum())

    return release


def _ranks(records: Records) -> float:
    y, x = records
    return ols(y, np.array(x), 1.0, bounds=(-1, 1), method="rank", coefficients="x1").released[0][1]


def _slope(records: Records) -> float:
    y, x = records
    result = ols(y, np.array(x), 1.0, bounds=(-1, 1), method="rank", interval=True)
    # all that the first look says of one slope and of the other one
    noisy = np.array([value for name, value in result.released if name.startswith("look 1")])
    middle = noisy.size // 2
    return float(noisy[middle:].sum() - noisy[:middle].sum())


def _look(records: Records) -> Query:
    """Ask for the cells of one look at the slopes of all pairs."""
    y, x = map(np.array, records)
    sizes = group_sizes(y.size)
    own = Look(1.0, len(sizes), Pairs.of(sizes))
    return PairSlopes.of(x, y, np.random.default_rng(1)).query(edges_from(None), own)


def _influences(records: Records) -> Query:
    """Ask for squared influences where predictors are from -1 to 1, and the estimates are 0."""
    y, x = records
    regression = read_regression(np.array(y), np.array(x), (-1, 1), None, "error")
    forms = np.array([[0.5, 0.0], [0.0, 0.5]])
    at = Influences(np.zeros(2), forms, forms, np.array([1.0, 1.0]), 0.5)
    return influence_query(regression, regression.design, at, (np.zeros(1), np.ones(1)), True)


# the sums of the records, and of those of the neighbor
FULL, PART = [1.0, 1.0, 1.0, 0.5, 0.5], [-0.5, -0.5, 0.25, 0.125, 0.125]
FIRST, LAST = [1.0, 0.0, 1.0, 0.0, 0.5], [0.0, 1.0, 0.0, -1.0, 0.5]
OLS = (
    sound("ols, squared influences", stage("ols", _influences, Cube()), FAR, STILL, claim=Guarantee(1.0)),
    sound(
        "ols, moments, HC3",
        _moments([*FULL, 1.0, 1.0], [*PART, 0.0, 0.0], cov_type="HC3"),
        HIGH,
        LOW,
        FEW_DRAWS,
    ),
    sound("ols, moments", _moments(FULL, PART), HIGH, LOW, FEW_DRAWS),
    sound("ols, moments with levels", _moments(FIRST, LAST, True), ONE, OTHER_SIGN, FEW_DRAWS),
    sound("ols, moments of a private number", _moments([1.0] * 6, [0.0] * 6, **OPEN), HIGH, NONE, FEW_DRAWS),
    sound(
        "ols, private number and levels",
        _moments([*FIRST[:4], 1.0], [0.0] * 5, True, **OPEN),
        ONE,
        NONE,
        FEW_DRAWS,
    ),
    sound("ols, one predictor by ranks", _ranks, RISING, FALLING, FEW_DRAWS),
    sound("ols, several predictors by ranks", _ranks, UP, DOWN, FEW_DRAWS),
    sound("ols, one look at slopes", stage("ols", _look), ABOVE, BELOW, claim=Guarantee(1.0)),
    sound("ols, one slope and its interval", _slope, UPWARD, DOWNWARD, FEW_DRAWS),
)

"""Regressions at their worst neighbors: complete ones, and the releases that they consist of, each with epsilon 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pydpstat._data.columns import Data
from pydpstat._null_distributions.logistic.logistic_cells import fit_cell_lines, fit_minimax_line
from pydpstat._null_distributions.regression.slopes import PairGroups
from pydpstat._records.moment_noise import CellCubes
from pydpstat._release.options import options
from pydpstat._release.pipeline import Query
from pydpstat._release.statistic import make_call, release_stage
from pydpstat.auditing._cases.case import (
    UNBOUNDED,
    UNIT_BOUNDS,
    Case,
    Options,
    Release,
    make_sound_case,
    make_stage_release,
)
from pydpstat.inference.logistic._logit_cells import CellRecords, DesignCells
from pydpstat.inference.logistic._logit_records import LogitRecords
from pydpstat.inference.logistic.logit import logit, make_logit_records
from pydpstat.inference.regression._design import read_regression
from pydpstat.inference.regression._regression_moments import Influences, make_influence_query
from pydpstat.inference.regression._slopes import PairSlopes, SlopeLook, compute_group_sizes, compute_look_edges
from pydpstat.inference.regression.ols import ols
from pydpstat.mechanisms import Cube
from pydpstat.privacy import Guarantee
from pydpstat.results import DPResults

# draws for releases that take milliseconds
FEW_DRAWS = 20_000
# a response flips and its predictor moves from the end to the middle: the sums change by 1 in their units
END = ([True, False], [1.0, 0.0])
MIDDLE = ([False, False], [0.5, 0.0])
# the predictors' sums change most if the response is unchanged
STAYS = (END[0], [0.0, 0.0])
# one of two predictors moves to the other end, or to another level
BOTH = ([True, False], [[1.0, 1.0], [0.0, 0.0]])
OTHER = ([False, False], [[0.0, 1.0], [0.0, 0.0]])
LEVEL = ([True, False], {"g": ["a", "b"]})
ANOTHER = ([False, False], {"g": ["c", "b"]})
# the largest observed change of a score, at these coefficients
SCORE_CENTER = -5.2, -4.6
LEFT = ([False, False], [0.0, 0.5])
NEAR = ([False, False], [0.25, 0.5])
SCORE_SENSITIVITY = 0.731
# coefficients of a constant, two levels and a number, and the largest change of the remainders there
STEEP_COEFFICIENTS, REST_SENSITIVITY = (0.5, -1.0, 1.0, 4.0), 0.768
LEVELS: Options = {"levels": {"g": ["a", "b", "c"]}}
# a record moves to another cell, and its number from an end to the middle
CELL = ([True, False], {"g": ["a", "b"], "x": [1.0, 0.0]})
OTHER_CELL = ([False, False], {"g": ["c", "b"], "x": [0.5, 0.0]})
# or it stays in its cell, and the number moves to the other end: products are unchanged
OTHER_END = ([True, False], {"g": ["a", "b"], "x": [0.0, 0.0]})
# one record more
MORE = ([True, False, True], {"g": ["a", "b", "a"], "x": [1.0, 0.0, 1.0]})


def _make_logit_release(**given: Any) -> Release:
    return lambda data: logit(data[0], data[1], 1.0, **given).released


def _make_logit_stage(
    make_query: Callable[[LogitRecords], Query], bounds: list[tuple[int, int]] | None = None
) -> Release:
    """Return a release of a query of the records."""
    limits = (0, 1) if bounds is None else [(0, 1), *bounds]
    return make_stage_release(
        "logit",
        lambda data: make_query(make_logit_records(read_regression(data[0], data[1], limits, None, "error"))),
    )


def _make_cells_release(
    make_query: Callable[[CellRecords, int], tuple[Query, CellCubes]], n_changed_cells: int = 2
) -> Release:
    """Return a release of a query of the records by cell, of which a record changes `n_changed_cells`."""
    neighbors = "bounded" if n_changed_cells > 1 else "unbounded"
    checked_options = options(1.0, 0, "laplace", neighbors, "error", allow_objects=False)
    record = make_call("logit", checked_options, ("formula", "data"))

    def release_data(data: tuple[Data, Data]) -> DPResults:
        regression = read_regression(data[0], data[1], (0, 1), LEVELS["levels"], "error", binary=True)
        query, mechanism = make_query(
            CellRecords(regression, DesignCells.from_design(regression.design)), n_changed_cells
        )
        return release_stage(query, checked_options._replace(mechanism=mechanism), 1.0, (), record)

    return release_data


def _make_table_query(records: CellRecords, n_changed_cells: int) -> tuple[Query, CellCubes]:
    return records.make_table_query(n_changed_cells, None), records.cells.make_table_mechanism(n_changed_cells)


def _make_rest_query(records: CellRecords, n_changed_cells: int) -> tuple[Query, CellCubes]:
    """Return the query of the remainders after fitting lines at a steep slope, where ends are far from the middle."""
    cells, center = records.cells, np.array(STEEP_COEFFICIENTS)
    lines = fit_cell_lines(cells.rows @ center, STEEP_COEFFICIENTS[-1], np.full(len(cells.rows), 1.0 / len(cells.rows)))
    return records.make_remainder_query(center, lines, n_changed_cells, None), cells.make_remainder_mechanism(
        n_changed_cells
    )


def _make_score_query(*center: float) -> Callable[[LogitRecords], Query]:
    """Return a function that makes the query of the score at coefficients of the constant and the scaled predictors."""
    coefficients, half_width = np.array(center), float(np.abs(center[1:]).sum())
    return lambda records: records.make_score_query(
        coefficients, fit_minimax_line(center[0] - half_width, center[0] + half_width)
    )


def _make_part_case(name: str, release: Release, data: object, neighbor: object, true: float = 1.0) -> Case:
    return make_sound_case(f"logit, {name}", release, data, neighbor, true=true, claim=Guarantee(1.0))


MOMENTS = LogitRecords.make_moments_query
LOGIT = (
    _make_part_case("its moments", _make_logit_stage(MOMENTS, [(0, 1)]), END, MIDDLE),
    _make_part_case("its moments, two predictors", _make_logit_stage(MOMENTS, [(0, 1)] * 2), BOTH, OTHER),
    _make_part_case("its table, another cell", _make_cells_release(_make_table_query), CELL, OTHER_CELL),
    _make_part_case("its table, another number", _make_cells_release(_make_table_query), CELL, OTHER_END, 0.88),
    _make_part_case("its table, one more", _make_cells_release(_make_table_query, 1), CELL, MORE),
    _make_part_case("its lines", _make_cells_release(_make_rest_query), CELL, OTHER_CELL, REST_SENSITIVITY),
    _make_part_case(
        "its score",
        _make_logit_stage(_make_score_query(*SCORE_CENTER), [(0, 1)]),
        LEFT,
        NEAR,
        SCORE_SENSITIVITY,
    ),
    make_sound_case("logit", _make_logit_release(**UNIT_BOUNDS), END, MIDDLE, FEW_DRAWS),
    make_sound_case("logit, the response stays", _make_logit_release(**UNIT_BOUNDS), END, STAYS, FEW_DRAWS),
    make_sound_case("logit, two predictors", _make_logit_release(**UNIT_BOUNDS), BOTH, OTHER, FEW_DRAWS),
    make_sound_case("logit, levels", _make_logit_release(**LEVELS), LEVEL, ANOTHER, FEW_DRAWS),
)

Records = tuple[list[float], list[float] | list[str] | list[list[float]]]
# one record: the sums, product and half squares of these differ by 4.5, the maximum
HIGH: Records = [1.0], [1.0]
LOW: Records = [-0.5], [-0.5]
# a record whose level changes, with the same numbers except for their signs
ONE: Records = [1.0], ["a"]
OTHER_SIGN: Records = [-1.0], ["b"]
# a record that is absent
NONE: Records = [], []
# three records, of which one moves from below all others to above them
RISING: Records = [0.0, 0.5, 1.0], [0.0, 0.5, 1.0]
FALLING: Records = [1.0, 0.1, 0.5], [0.0, 0.5, 1.0]
# a record whose slopes with all others, which coincide, change their sign
UPWARD: Records = [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]
DOWNWARD: Records = [-0.5, 0.0, 0.0], [1.0, 0.0, 0.0]
# the same with distinct predictors: ties are assigned to cells at random
ABOVE: Records = [0.5, 0.0, 0.0], [1.0, 0.1, 0.0]
BELOW: Records = [-0.5, 0.0, 0.0], [1.0, 0.1, 0.0]
# a record whose influence changes from the largest to none; the other record has none
FAR: Records = [1.0, 0.0], [1.0, 0.0]
STILL: Records = [0.0, 0.0], [1.0, 0.0]
# a block whose score changes its sign
UP: Records = [0.0] * 5 + [1.0], [[0.0, 0.1], [0.2, 0.9], [0.4, 0.3], [0.6, 0.7], [0.8, 0.2], [1.0, 0.5]]
DOWN: Records = [0.0] * 5 + [-1.0], UP[1]


def _make_moments_release(
    expected: list[float], neighbor_expected: list[float], levels: bool = False, **given: Any
) -> Release:
    """Return a release of the difference between its numbers' distances to two true values."""

    def release_data(records: Records) -> float:
        y, x = np.array(records[0], dtype=float), np.array(records[1], dtype=str if levels else float)
        model: tuple[Data, Data] = ("y ~ C(g)", {"y": y, "g": x}) if levels else (y, x)
        result = ols(*model, 1.0, bounds=(-1, 1), levels={"g": ["a", "b"]} if levels else None, **given)
        noisy = np.array([value for _, value in result.released])
        distances, neighbor_distances = np.abs(noisy - np.array(expected)), np.abs(noisy - np.array(neighbor_expected))
        # in noise scales
        return float(((neighbor_distances - distances) / result.noise_scale).sum())

    return release_data


def _release_ranks(records: Records) -> float:
    y, x = records
    return ols(y, np.array(x), 1.0, bounds=(-1, 1), method="rank", coefficients="x1").released[0][1]


def _release_slope(records: Records) -> float:
    y, x = records
    result = ols(y, np.array(x), 1.0, bounds=(-1, 1), method="rank", interval=True)
    # all numbers in the first look about one slope and the other
    noisy = np.array([value for name, value in result.released if name.startswith("look 1")])
    middle = noisy.size // 2
    return float(noisy[middle:].sum() - noisy[:middle].sum())


def _make_look_query(records: Records) -> Query:
    """Return the query of the cells of one look at the slopes of all pairs."""
    y, x = map(np.array, records)
    sizes = compute_group_sizes(y.size)
    look = SlopeLook(1.0, len(sizes), PairGroups.from_sizes(sizes))
    return PairSlopes.from_records(x, y, np.random.default_rng(1)).make_query(compute_look_edges(None), look)


def _make_influence_query(records: Records) -> Query:
    """Return the query of squared influences for predictors from -1 to 1 and estimates of 0."""
    y, x = records
    regression = read_regression(np.array(y), np.array(x), (-1, 1), None, "error")
    forms = np.array([[0.5, 0.0], [0.0, 0.5]])
    influences = Influences(np.zeros(2), forms, forms, np.array([1.0, 1.0]), 0.5)
    return make_influence_query(regression, regression.design, influences, (np.zeros(1), np.ones(1)), True)


# the sums of the records, and those of the neighbor's
FULL, PART = [1.0, 1.0, 1.0, 0.5, 0.5], [-0.5, -0.5, 0.25, 0.125, 0.125]
FIRST, LAST = [1.0, 0.0, 1.0, 0.0, 0.5], [0.0, 1.0, 0.0, -1.0, 0.5]
OLS = (
    make_sound_case(
        "ols, squared influences",
        make_stage_release("ols", _make_influence_query, Cube()),
        FAR,
        STILL,
        claim=Guarantee(1.0),
    ),
    make_sound_case(
        "ols, moments, HC3",
        _make_moments_release([*FULL, 1.0, 1.0], [*PART, 0.0, 0.0], cov_type="HC3"),
        HIGH,
        LOW,
        FEW_DRAWS,
    ),
    make_sound_case("ols, moments", _make_moments_release(FULL, PART), HIGH, LOW, FEW_DRAWS),
    make_sound_case("ols, moments with levels", _make_moments_release(FIRST, LAST, True), ONE, OTHER_SIGN, FEW_DRAWS),
    make_sound_case(
        "ols, moments of a private number",
        _make_moments_release([1.0] * 6, [0.0] * 6, **UNBOUNDED),
        HIGH,
        NONE,
        FEW_DRAWS,
    ),
    make_sound_case(
        "ols, private number and levels",
        _make_moments_release([*FIRST[:4], 1.0], [0.0] * 5, True, **UNBOUNDED),
        ONE,
        NONE,
        FEW_DRAWS,
    ),
    make_sound_case("ols, one predictor by ranks", _release_ranks, RISING, FALLING, FEW_DRAWS),
    make_sound_case("ols, several predictors by ranks", _release_ranks, UP, DOWN, FEW_DRAWS),
    make_sound_case(
        "ols, one look at slopes",
        make_stage_release("ols", _make_look_query),
        ABOVE,
        BELOW,
        claim=Guarantee(1.0),
    ),
    make_sound_case("ols, one slope and its interval", _release_slope, UPWARD, DOWNWARD, FEW_DRAWS),
)

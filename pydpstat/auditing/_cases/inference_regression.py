"""Regressions at neighbors that move all that is released as far as it goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._release.additive import Query
from pydpstat.auditing._cases.case import Case
from pydpstat.auditing._cases.stage import stage
from pydpstat.inference._design import read_regression
from pydpstat.inference._null_distributions.slopes import Pairs
from pydpstat.inference._regression_moments import Influences, influence_query
from pydpstat.inference._slopes import Look, PairSlopes, edges_from, group_sizes
from pydpstat.inference.regression import ols
from pydpstat.mechanisms import Cube
from pydpstat.privacy import Guarantee
from pydpstat.results import RegressionResults

# a regression takes a millisecond
DRAWS = 20_000
Records = tuple[list[float], list[Any]]
# one record: sums, product and half squares of these are 4.5 apart, as far as it goes
HIGH: Records = [1.0], [1.0]
LOW: Records = [-0.5], [-0.5]
# a record whose level changes, with the same numbers but for their signs
ONE: Records = [1.0], ["a"]
OTHER: Records = [-1.0], ["b"]
# a record that is not there
NONE: Records = [], []
# three records of which one goes from below all others to above them
RISING: Records = [0.0, 0.5, 1.0], [0.0, 0.5, 1.0]
FALLING: Records = [1.0, 0.1, 0.5], [0.0, 0.5, 1.0]
# a record whose slopes with all others, who lie together, change their sign
STEEP: Records = [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]
DEEP: Records = [-0.5, 0.0, 0.0], [1.0, 0.0, 0.0]
# the same, and no two predictors are equal: ties go to cells at random
ABOVE: Records = [0.5, 0.0, 0.0], [1.0, 0.1, 0.0]
BELOW: Records = [-0.5, 0.0, 0.0], [1.0, 0.1, 0.0]
# a record whose influence goes from the largest to none; the other one has none
FAR: Records = [1.0, 0.0], [1.0, 0.0]
STILL: Records = [0.0, 0.0], [1.0, 0.0]
# a block whose score changes its sign
UP: Records = [0.0] * 5 + [1.0], [[0.0, 0.1], [0.2, 0.9], [0.4, 0.3], [0.6, 0.7], [0.8, 0.2], [1.0, 0.5]]
DOWN: Records = [0.0] * 5 + [-1.0], UP[1]


def _released(result: RegressionResults, ends: npt.ArrayLike, others: npt.ArrayLike) -> float:
    """Return by how much what was released is nearer to one truth than to another, in noise scales."""
    noisy = np.array([value for _, value in result.released])
    first, second = np.abs(noisy - np.asarray(ends)), np.abs(noisy - np.asarray(others))
    return float(((second - first) / result.noise_scale).sum())


def _moments(records: Records) -> float:
    y, x = records
    result = ols(y, x, 1.0, bounds=(-1, 1))
    return _released(result, [1.0, 1.0, 1.0, 0.5, 0.5], [-0.5, -0.5, 0.25, 0.125, 0.125])


def _levels(records: Records) -> float:
    y, g = records
    result = ols("y ~ C(g)", {"y": y, "g": g}, 1.0, bounds={"y": (-1, 1)}, levels={"g": ["a", "b"]})
    return _released(result, [1.0, 0.0, 1.0, 0.0, 0.5], [0.0, 1.0, 0.0, -1.0, 0.5])


def _private(records: Records) -> float:
    y, x = records
    result = ols(
        np.array(y, dtype=float), np.array(x, dtype=float), 1.0, bounds=(-1, 1), neighbors="unbounded"
    )
    return _released(result, [1.0] * 6, [0.0] * 6)


def _private_levels(records: Records) -> float:
    y, g = records
    bounds, levels = {"y": (-1, 1)}, {"g": ["a", "b"]}
    frame = {"y": np.array(y, dtype=float), "g": np.array(g, dtype=str)}
    result = ols("y ~ C(g)", frame, 1.0, bounds=bounds, levels=levels, neighbors="unbounded")
    return _released(result, [1.0, 0.0, 1.0, 0.0, 1.0], [0.0] * 5)


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


def _robust(records: Records) -> float:
    y, x = records
    result = ols(y, x, 1.0, bounds=(-1, 1), cov_type="HC3")
    return _released(result, [1.0, 1.0, 1.0, 0.5, 0.5, 1.0, 1.0], [-0.5, -0.5, 0.25, 0.125, 0.125, 0.0, 0.0])


CASES = (
    Case(
        "sound",
        "ols, squared influences",
        stage("ols", _influences, Cube()),
        FAR,
        STILL,
        Guarantee(1.0),
        true=1.0,
    ),
    Case("sound", "ols, moments, HC3", _robust, HIGH, LOW, true=1.0, most=DRAWS),
    Case("sound", "ols, moments", _moments, HIGH, LOW, true=1.0, most=DRAWS),
    Case("sound", "ols, moments with levels", _levels, ONE, OTHER, true=1.0, most=DRAWS),
    Case("sound", "ols, moments of a private number", _private, HIGH, NONE, true=1.0, most=DRAWS),
    Case("sound", "ols, private number and levels", _private_levels, ONE, NONE, true=1.0, most=DRAWS),
    Case("sound", "ols, one predictor by ranks", _ranks, RISING, FALLING, true=1.0, most=DRAWS),
    Case("sound", "ols, several predictors by ranks", _ranks, UP, DOWN, true=1.0, most=DRAWS),
    Case("sound", "ols, one look at slopes", stage("ols", _look), ABOVE, BELOW, Guarantee(1.0), true=1.0),
    Case("sound", "ols, one slope and its interval", _slope, STEEP, DEEP, true=1.0, most=DRAWS),
)

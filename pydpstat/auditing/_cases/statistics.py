"""All of pydpstat's functions at neighbors that show their worst case.

A release of one column is audited as it stands, with all that its result shows. Where a function takes
many columns, each column of a wide matrix is a release of its own with its own share of epsilon, so that
one call gives thousands of independent draws.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pydpstat.auditing._cases.case import GAUSSIAN, OPEN, UNIT, Case, Options, Release, many, sound
from pydpstat.privacy import Guarantee
from pydpstat.statistics.association import corr, cov
from pydpstat.statistics.choice import choose
from pydpstat.statistics.counts import count, proportion
from pydpstat.statistics.histograms import histogram
from pydpstat.statistics.integer_noise import symmetric_geometric, symmetric_geometric_noise
from pydpstat.statistics.mean import mean, sum
from pydpstat.statistics.quantiles import median, quantile, quantiles
from pydpstat.statistics.spread import std, var
from pydpstat.statistics.tables import crosstab

# a power of two: the columns' shares of epsilon are exact
COLUMNS = 4_096
# what shows in every draw if at all: scales, labels, shapes, errors
FORMS = 20_000
# few points make a choice quick, and each is seen often
POINTS = 33
NAN = math.nan


def _call(function: Release, epsilon: float = 1.0, **options: object) -> Release:
    """Return a release of the data by one of the package's functions."""
    return lambda data: function(data, epsilon, **options)


def _columns(function: Release, **options: object) -> Release:
    """Return a release of many copies of one column, each with epsilon 1 and its own noise."""
    options = {"mechanism": "laplace", **options} if function not in (count, proportion) else options

    def release(data: npt.ArrayLike, size: int) -> np.ndarray:
        wide = np.repeat(np.asarray(data)[:, None], COLUMNS, axis=1)
        return many(lambda: np.asarray(function(wide, float(COLUMNS), **options)), COLUMNS, size)

    return release


def _ranked(function: Release, shares: float | list[float], **options: object) -> Release:
    return lambda x: function(x, shares, 1.0, bounds=(0, 1), grid_points=POINTS, **options)


def _choose(mechanism: str) -> Release:
    return lambda scores: choose(["a", "b", "c"], scores, 1.0, 1, mechanism=mechanism)


def _pair(function: Release, **options: object) -> Release:
    return lambda xy: function(xy[0], xy[1], 1.0, bounds=((0, 1), (0, 1)), **options)


def _wide(name: str, release: Release, data: object, neighbor: object) -> Case:
    return sound(f"{name}, many columns", release, data, neighbor, claim=Guarantee(1.0))


ZERO, ONE = np.array([0.0]), np.array([1.0])
LOW, HIGH = np.array([0.0, 0.0]), np.array([0.0, 1.0])
# every column at its other bound
ROWS = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
LESS, MORE = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])
NO, YES = np.array([False, False]), np.array([False, True])
# the lowest of three records moves to the top: almost all points lose a rank, the highest gains one
RANKS, MOVED = np.array([0.0, 0.95, 1.0]), np.array([0.95, 1.0, 1.0])
MIDDLE, SHIFTED = RANKS[:2], MOVED[:2]
TWO: Options = {"levels": ["a", "b"]}
DISCOVERED: Options = {"levels": "discover", "delta": 1e-3}
QUARTILES = [0.25, 0.5, 0.75]
EIGHT = ["a"] * 8
EDGES: Options = {"edges": [0, 1, 2]}
# of epsilon 1 on a sample of half the records
HALF = math.log1p(0.5 * math.expm1(1.0))
SAMPLED = np.zeros(4), np.array([0.0, 0.0, 0.0, 1.0])

CASES = (
    sound("mean", _call(mean, **UNIT), ZERO, ONE),
    sound("mean, Gaussian", _call(mean, **UNIT, **GAUSSIAN), ZERO, ONE),
    sound("mean, unbounded", _call(mean, **UNIT, **OPEN), LESS, MORE),
    sound("mean, unbounded, empty", _call(mean, **UNIT, **OPEN), ZERO[:0], ONE),
    sound("mean, unbounded, Gaussian", _call(mean, **UNIT, **OPEN, **GAUSSIAN), LESS, MORE),
    _wide("mean", _columns(mean, **UNIT), ZERO, ONE),
    _wide("mean, unbounded", _columns(mean, **UNIT, **OPEN), LESS, MORE),
    _wide("mean, thirds", _columns(mean, **UNIT), [0.1, 0.2, 0.3], [0.1, 0.2, 1.0]),
    sound("mean, missing=0.5", _call(mean, missing=0.5, **UNIT), [0.25, NAN], [0.25, 1.0]),
    sound("mean, missing='drop'", _call(mean, missing="drop", **UNIT, **OPEN), [0.25], [0.25, NAN], true=0.0),
    sound("mean, an infinity", _call(mean, **UNIT), [0.0], [math.inf]),
    sound("sum", _call(sum, **UNIT), ZERO, ONE),
    sound("sum, unbounded", _call(sum, **UNIT, **OPEN), LESS, MORE),
    _wide("sum", _columns(sum, **UNIT), ZERO, ONE),
    sound("sum, Gaussian", _call(sum, **UNIT, **GAUSSIAN), ZERO, ONE),
    _wide("sum, unbounded", _columns(sum, **UNIT, **OPEN), LESS, MORE),
    sound("count", _call(count), NO, YES),
    sound("count, unbounded", _call(count, **OPEN), NO, np.array([False, False, True])),
    sound("count, Gaussian", _call(count, **GAUSSIAN), NO, YES),
    _wide("count", _columns(count), NO, YES),
    sound("proportion", _call(proportion), NO, YES),
    sound("proportion, unbounded", _call(proportion, **OPEN), NO, np.array([False, False, True])),
    _wide("proportion", _columns(proportion), NO, YES),
    sound("var", _call(var, **UNIT), LOW, HIGH),
    sound("var, Gaussian", _call(var, **UNIT, **GAUSSIAN), LOW, HIGH),
    sound("var, unbounded", _call(var, **UNIT, **OPEN), LESS, MORE),
    _wide("var", _columns(var, **UNIT), LOW, HIGH),
    sound("std", _call(std, **UNIT), LOW, HIGH),
    sound("std, unbounded", _call(std, **UNIT, **OPEN), LESS, MORE),
    _wide("std", _columns(std, **UNIT), LOW, HIGH),
    sound("cov", _pair(cov), (LOW, LOW), (HIGH, HIGH)),
    sound("cov, unbounded", _pair(cov, **OPEN), (LESS, LESS), (MORE, MORE)),
    sound("corr", _pair(corr), (LOW, LOW), (HIGH, HIGH)),
    sound("corr, unbounded", _pair(corr, **OPEN), (LESS, LESS), (MORE, MORE)),
    sound("quantile", _ranked(quantile, 1 / 3), RANKS, MOVED),
    sound("quantile, unbounded", _ranked(quantile, 1 / 3, **OPEN), RANKS, RANKS[1:]),
    sound("quantiles", _ranked(quantiles, QUARTILES), MIDDLE, SHIFTED),
    sound("quantiles, unbounded", _ranked(quantiles, QUARTILES, **OPEN), RANKS, RANKS[1:]),
    sound("median", _call(median, grid_points=POINTS, **UNIT), MIDDLE, SHIFTED),
    sound("median, empty", _call(median, grid_points=POINTS, **UNIT, **OPEN), ZERO[:0], ONE),
    sound("histogram", _call(histogram, **EDGES), [0.5, 0.5], [0.5, 1.5]),
    sound("histogram, outside", _call(histogram, **EDGES), [0.5, -math.inf], [0.5, 1e9]),
    sound("histogram, unbounded", _call(histogram, **EDGES, **OPEN), [0.5], [0.5, 1.5]),
    sound("histogram, Gaussian", _call(histogram, **EDGES, **GAUSSIAN), [0.5, 0.5], [0.5, 1.5]),
    sound("crosstab", _call(crosstab, **TWO), ["a", "a"], ["a", "b"]),
    sound("crosstab, unbounded", _call(crosstab, **TWO, **OPEN), ["a"], ["a", "b"]),
    sound("crosstab, another level", _call(crosstab, **TWO), ["a", "b"], ["a", "zebra"]),
    sound("crosstab, Gaussian", _call(crosstab, **TWO, **GAUSSIAN), ["a", "a"], ["a", "b"]),
    sound("crosstab, levels='discover'", _call(crosstab, **DISCOVERED), ["a", "a"], ["a", "b"]),
    sound(
        "crosstab, levels='discover', unbounded", _call(crosstab, **DISCOVERED, **OPEN), EIGHT, [*EIGHT, "b"]
    ),
    sound("mean, three columns", _call(mean, **UNIT), ROWS[:1], ROWS[1:]),
    sound("mean, three columns, unbounded", _call(mean, **UNIT, **OPEN), ROWS[[0, 0]], ROWS[[0, 0, 1]]),
    sound("sum, three columns", _call(sum, **UNIT), ROWS[:1], ROWS[1:]),
    sound("var, three columns", _call(var, **UNIT), ROWS[[0, 0]], ROWS),
    sound("var, three columns, unbounded", _call(var, **UNIT, **OPEN), ROWS[[0, 0]], ROWS[[0, 0, 1]]),
    sound("cov, three columns", _call(cov, **UNIT), ROWS[[0, 0]], ROWS),
    sound("cov, three columns, unbounded", _call(cov, **UNIT, **OPEN), ROWS[[0, 0]], ROWS[[0, 0, 1]]),
    sound("mean, sampled", _call(mean, sample=2, **UNIT), *SAMPLED, true=HALF),
    sound("mean, unbounded, sampled", _call(mean, sample=0.5, **UNIT, **OPEN), LESS, MORE, true=HALF),
    sound("count, sampled", _call(count, sample=0.5, **OPEN), NO, np.array([False, False, True]), true=HALF),
    sound("choose", _choose("exponential"), [3, 2, 2], [2, 3, 3]),
    sound("choose, noisy max", _choose("noisy max"), [3, 2, 2], [2, 3, 3]),
    sound("symmetric_geometric", _call(symmetric_geometric), 5, 6),
    _wide(
        "symmetric_geometric_noise", lambda count, size: count + symmetric_geometric_noise(size, 1.0), 5, 6
    ),
    Case(
        "exception",
        "mean, missing='error'",
        _call(mean, **UNIT),
        [0.5, NAN],
        [0.5, 0.5],
        true=math.inf,
        most=FORMS,
    ),
)

"""The settings of the consistency's accuracy table, fixed before anything was measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pydpstat.consistency import Hierarchy

EPSILON, SEED = 1.0, 2024


class Setting(NamedTuple):
    """A hierarchy with true counts, and how epsilon is shared.

    Parameters
    ----------
    name : str
    what : str
        In words.
    fans : tuple of int
        Children of each node, level by level.
    counts : callable
        A generator and the number of leaves in, the leaves' true counts out.
    split : "uniform" or tuple of float
        For the levels from the top down.
    """

    name: str
    what: str
    fans: tuple[int, ...]
    counts: Callable[[np.random.Generator, int], np.ndarray]
    split: Any = "uniform"

    def hierarchy(self) -> Hierarchy:
        """Return the labels: numbers."""
        nested: Any = None
        for fan in reversed(self.fans):
            nested = {str(place): nested for place in range(fan)}
        return Hierarchy(nested)

    def truth(self) -> np.ndarray:
        """Return the leaves' true counts."""
        return self.counts(np.random.default_rng(SEED), int(np.prod(self.fans)))


class TableSetting(NamedTuple):
    """A two-way table with true counts; cells, rows and columns get a third of epsilon each."""

    name: str
    what: str
    shape: tuple[int, int]
    counts: Callable[[np.random.Generator, tuple[int, int]], np.ndarray]

    def truth(self) -> np.ndarray:
        """Return the true counts."""
        return self.counts(np.random.default_rng(SEED), self.shape)


def _poisson(mean: float) -> Callable[[np.random.Generator, Any], np.ndarray]:
    return lambda draw, size: draw.poisson(mean, size)


def _sparse(draw: np.random.Generator, size: int) -> np.ndarray:
    return np.where(draw.random(size) < 0.85, 0, draw.geometric(0.25, size))


def _skewed(draw: np.random.Generator, size: int) -> np.ndarray:
    return np.rint(draw.lognormal(np.log(20.0), 2.0, size)).astype(np.int64)


def _skewed_table(draw: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    rows, columns = (draw.lognormal(0.0, 1.0, length) for length in shape)
    return draw.poisson(30.0 * np.outer(rows, columns))


SETTINGS = (
    Setting("balanced", "10 x 10, about 100 a leaf", (10, 10), _poisson(100.0)),
    Setting("sparse", "20 x 50, 85 % of the leaves empty, about 4 elsewhere", (20, 50), _sparse),
    Setting("skewed", "30 x 30, log-normal leaves, median 20", (30, 30), _skewed),
    Setting("deep", "a binary tree of 9 levels, about 50 a leaf", (2,) * 8, _poisson(50.0)),
    Setting("wide", "2000 leaves below the top, about 20 each", (2000,), _poisson(20.0)),
    Setting("unequal split", "as balanced, epsilon 1 : 2 : 5", (10, 10), _poisson(100.0), (1.0, 2.0, 5.0)),
)
TABLES = (
    TableSetting("table, balanced", "20 x 15, about 50 a cell", (20, 15), _poisson(50.0)),
    TableSetting("table, sparse", "30 x 30, about 0.5 a cell", (30, 30), _poisson(0.5)),
    TableSetting("table, skewed", "20 x 15, log-normal rows and columns", (20, 15), _skewed_table),
)

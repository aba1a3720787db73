"""The settings of the table of quantiles: data of every kind, drawn again for each group of releases.

It needs NumPy alone, as every package's environment has it: all packages get the same data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

SIZES = (100, 1000, 10_000)
EPSILONS = (0.05, 0.2, 1.0)
# so many data sets, and releases of each
DATA_SETS, RELEASES = 60, 50


# pydpstat with a coarser grid than by default
COARSE = "pydpstat grid_points=201"


class Kind(NamedTuple):
    """A kind of data, with a quantile of it and public bounds.

    `candidates` are a package's that has to be given some: all whole numbers, or 201 points of floats.
    """

    name: str
    q: float
    bounds: tuple[int, int]
    draw: Callable[[np.random.Generator, int], Any]
    candidates: int

    @property
    def coarse(self) -> bool:
        """Whether these are fewer than pydpstat's by default."""
        return self.candidates == 201


def _two_values(rng: np.random.Generator, n: int) -> Any:
    return rng.permutation(np.repeat([20, 60], [n * 55 // 100, n - n * 55 // 100]))


KINDS = (
    Kind("ages", 0.5, (0, 100), lambda rng, n: np.rint(rng.normal(42.0, 17.0, n)).astype(np.int64), 101),
    Kind("counts, Poisson(1.5)", 0.9, (0, 100), lambda rng, n: rng.poisson(1.5, n), 101),
    Kind("years of birth", 0.5, (1920, 2020), lambda rng, n: rng.integers(1940, 2008, n), 101),
    Kind("two values, 55:45", 0.5, (0, 100), _two_values, 101),
    Kind(
        "six tied values",
        0.5,
        (0, 100),
        lambda rng, n: rng.choice([0, 10, 20, 30, 50, 100], n, p=[0.1, 0.2, 0.3, 0.2, 0.15, 0.05]),
        101,
    ),
    Kind("incomes, log-normal", 0.5, (0, 250_000), lambda rng, n: rng.lognormal(np.log(30e3), 0.8, n), 201),
    Kind("normal", 0.5, (0, 100), lambda rng, n: rng.normal(50.0, 10.0, n), 201),
)


class Cell(NamedTuple):
    """A cell of the table."""

    kind: int
    n: int
    epsilon: float

    def data(self, data_set: int) -> Any:
        """Return a data set: the same for all packages and epsilons."""
        return KINDS[self.kind].draw(np.random.default_rng([2026, self.kind, self.n, data_set]), self.n)


def cells() -> list[Cell]:
    """Return all cells, in the table's order."""
    return [Cell(kind, n, epsilon) for kind in range(len(KINDS)) for n in SIZES for epsilon in EPSILONS]

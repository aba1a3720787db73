"""pydpstat's side: the calls that the peers are measured by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pydpstat
from pydpstat.random import secure

VERSION = pydpstat.__version__
BOUNDS = (0.0, 100.0)
EDGES = np.linspace(*BOUNDS, 21)
GRID = 2.0**-20
LACKS: dict[str, str] = {}


def records(path: str, size: int) -> np.ndarray:
    """Return the first numbers of the file."""
    return np.fromfile(path, count=size)


STATISTICS: dict[str, Callable[[Any], Callable[[], Any]]] = {
    "mean": lambda x: lambda: pydpstat.mean(x, 1.0, bounds=BOUNDS),
    "sum": lambda x: lambda: pydpstat.sum(x, 1.0, bounds=BOUNDS),
    "variance": lambda x: lambda: pydpstat.var(x, 1.0, bounds=BOUNDS),
    "histogram": lambda x: lambda: pydpstat.histogram(x, 1.0, edges=EDGES),
    "median": lambda x: lambda: pydpstat.median(x, 1.0, bounds=BOUNDS),
}
NOISES: dict[str, Callable[[int], Callable[[], Any]]] = {
    "Laplace noise": lambda size: lambda: GRID * secure.laplace(size, 1.0, GRID),
    "Gaussian noise": lambda size: lambda: GRID * secure.normal(size, 1.0, GRID),
}

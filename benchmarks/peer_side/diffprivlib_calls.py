"""diffprivlib's side."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
from diffprivlib import mechanisms, tools

VERSION = version("diffprivlib")
BOUNDS = (0.0, 100.0)
LACKS: dict[str, str] = {}


def records(path: str, size: int) -> np.ndarray:
    """Return the first numbers of the file."""
    return np.fromfile(path, count=size)


def _drawn(mechanism: Any, size: int) -> Callable[[], Any]:
    # one number a call is what it offers
    return lambda: [mechanism.randomise(0.0) for _ in range(size)]


STATISTICS: dict[str, Callable[[Any], Callable[[], Any]]] = {
    "mean": lambda x: lambda: tools.mean(x, epsilon=1.0, bounds=BOUNDS),
    "sum": lambda x: lambda: tools.sum(x, epsilon=1.0, bounds=BOUNDS),
    "variance": lambda x: lambda: tools.var(x, epsilon=1.0, bounds=BOUNDS),
    "histogram": lambda x: lambda: tools.histogram(x, epsilon=1.0, bins=20, range=BOUNDS),
    "median": lambda x: lambda: tools.median(x, epsilon=1.0, bounds=BOUNDS),
}
NOISES: dict[str, Callable[[int], Callable[[], Any]]] = {
    "Laplace noise": lambda size: _drawn(mechanisms.Laplace(epsilon=1.0, sensitivity=1.0), size),
    "Gaussian noise": lambda size: _drawn(mechanisms.GaussianAnalytic(epsilon=1.0, delta=1e-6, sensitivity=1.0), size),
}

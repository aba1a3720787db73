"""PyDP's side: Google's C++ library, which takes lists."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydp.algorithms import laplacian, numerical_mechanisms

VERSION = version("python-dp")
OPTIONS: dict[str, Any] = {"epsilon": 1.0, "lower_bound": 0.0, "upper_bound": 100.0, "dtype": "float"}
LACKS = {"histogram": "it counts one set of records a call"}


def records(path: str, size: int) -> list[float]:
    """Return the first numbers of the file."""
    numbers = array("d")
    with Path(path).open("rb") as file:
        numbers.fromfile(file, size)
    return numbers.tolist()


def _result(algorithm: Any, x: list[float]) -> Callable[[], Any]:
    return lambda: algorithm.quick_result(x)


def _drawn(mechanism: Any, size: int) -> Callable[[], Any]:
    # one number a call is what it offers
    return lambda: [mechanism.add_noise(0.0) for _ in range(size)]


STATISTICS: dict[str, Callable[[Any], Callable[[], Any]]] = {
    "mean": lambda x: _result(laplacian.BoundedMean(**OPTIONS), x),
    "sum": lambda x: _result(laplacian.BoundedSum(**OPTIONS), x),
    "variance": lambda x: _result(laplacian.BoundedVariance(**OPTIONS), x),
    "median": lambda x: _result(laplacian.Median(**OPTIONS), x),
}
NOISES: dict[str, Callable[[int], Callable[[], Any]]] = {
    "Laplace noise": lambda size: _drawn(numerical_mechanisms.LaplaceMechanism(1.0, 1.0), size),
    "Gaussian noise": lambda size: _drawn(numerical_mechanisms.GaussianMechanism(1.0, 1e-6, 1.0), size),
}

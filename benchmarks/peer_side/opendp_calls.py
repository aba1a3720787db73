"""OpenDP's side: a measurement is made before the clock starts, for a public number of records."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib")

VERSION = version("opendp")
BOUNDS = (0.0, 100.0)
EDGES = [5.0 * place for place in range(1, 20)]
# the median is one of these
CANDIDATES = [float(number) for number in range(101)]
# noise is on the grid 2^-20, as ours
GRID_POWER = -20
LACKS: dict[str, str] = {}


def records(path: str, size: int) -> np.ndarray:
    """Return the first numbers of the file."""
    return np.fromfile(path, count=size)


def _numbers(size: int, **options: Any) -> Any:
    return dp.vector_domain(dp.atom_domain(T=float, nan=False), size=size, **options)


def _clamped(x: np.ndarray) -> Any:
    return (_numbers(x.size), dp.symmetric_distance()) >> dp.t.then_clamp(BOUNDS)


def _on(x: np.ndarray, measurement: Any) -> Callable[[], Any]:
    return lambda: measurement(x)


def _mean(x: np.ndarray) -> Callable[[], Any]:
    return _on(x, _clamped(x) >> dp.t.then_mean() >> dp.m.then_laplace(scale=100.0 / x.size))


def _sum(x: np.ndarray) -> Callable[[], Any]:
    return _on(x, _clamped(x) >> dp.t.then_sum() >> dp.m.then_laplace(scale=100.0))


def _variance(x: np.ndarray) -> Callable[[], Any]:
    return _on(x, _clamped(x) >> dp.t.then_variance() >> dp.m.then_laplace(scale=100.0**2 / x.size))


def _histogram(x: np.ndarray) -> Callable[[], Any]:
    binned = (_numbers(x.size), dp.symmetric_distance()) >> dp.t.then_find_bin(edges=EDGES)
    counted = binned >> dp.t.then_count_by_categories(categories=list(range(20)), null_category=False)
    return _on(x, counted >> dp.m.then_laplace(scale=2.0))


def _median(x: np.ndarray) -> Callable[[], Any]:
    space = _numbers(x.size), dp.symmetric_distance()
    quantile = dp.m.then_private_quantile(dp.max_divergence(), candidates=CANDIDATES, alpha=0.5, scale=2.0)
    return _on(x, space >> quantile)


def _noise(metric: Any, law: Callable[..., Any], size: int) -> Callable[[], Any]:
    return _on(np.zeros(size), (_numbers(size), metric) >> law(scale=1.0, k=GRID_POWER))


STATISTICS: dict[str, Callable[[Any], Callable[[], Any]]] = {
    "mean": _mean,
    "sum": _sum,
    "variance": _variance,
    "histogram": _histogram,
    "median": _median,
}
NOISES: dict[str, Callable[[int], Callable[[], Any]]] = {
    "Laplace noise": partial(_noise, dp.l1_distance(T=float), dp.m.then_laplace),
    "Gaussian noise": partial(_noise, dp.l2_distance(T=float), dp.m.then_gaussian),
}

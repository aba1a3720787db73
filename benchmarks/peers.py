"""Rows: Laplace mean and Laplace noise beside those of other Python packages, where they are installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from data import numbers
from own_data import BOUNDS
from table import Row, duration
from timing import Bench, Benchmark, ratio

import pydpstat
from pydpstat.random import secure

GRID = 2.0**-20


class Peer(NamedTuple):
    """A package's Laplace mean of numbers, and its Laplace noise, drawn n times."""

    module: str
    mean: Callable[[Any, np.ndarray], Callable[[], Any]]
    noise: Callable[[Any, int], Callable[[], Any]]


def _diffprivlib_noise(tools: Any, size: int) -> Callable[[], Any]:
    mechanism = import_module("diffprivlib.mechanisms").Laplace(epsilon=1.0, delta=0.0, sensitivity=1.0)
    # it draws one number a call
    return lambda: [mechanism.randomise(0.0) for _ in range(size)]


def _opendp_mean(dp: Any, x: np.ndarray) -> Callable[[], Any]:
    dp.enable_features("contrib")
    lower, upper = BOUNDS
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    resized = space >> dp.t.then_clamp(BOUNDS) >> dp.t.then_resize(x.size, (lower + upper) / 2.0)
    release = resized >> dp.t.then_mean() >> dp.m.then_laplace(scale=(upper - lower) / x.size)
    # lists are what every version takes
    records = x.tolist()
    return lambda: release(records)


def _opendp_noise(dp: Any, size: int) -> Callable[[], Any]:
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    release, zeros = space >> dp.m.then_laplace(scale=1.0), [0.0] * size
    return lambda: release(zeros)


PEERS = (
    Peer(
        "diffprivlib.tools",
        lambda tools, x: lambda: tools.mean(x, epsilon=1.0, bounds=BOUNDS),
        _diffprivlib_noise,
    ),
    Peer("opendp.prelude", _opendp_mean, _opendp_noise),
)


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks beside the packages that can be imported."""
    found = []
    for peer in PEERS:
        try:
            module = import_module(peer.module)
        except ImportError:
            continue
        name = peer.module.partition(".")[0]
        mean, noise = f"mean, beside {name}", f"exact Laplace, beside {name}"
        found += [
            Benchmark(mean, partial(_mean, mean, peer, module)),
            Benchmark(noise, partial(_noise, noise, peer, module)),
        ]
    return found


def _mean(what: str, peer: Peer, module: Any, bench: Bench) -> Row:
    size = max(1, bench.size // 10)
    x = numbers(size)["x"]
    return _row(what, size, bench, lambda: pydpstat.mean(x, 1.0, bounds=BOUNDS), peer.mean(module, x))


def _noise(what: str, peer: Peer, module: Any, bench: Bench) -> Row:
    # peers draw one number after the other, in microseconds to tens of them
    size = max(1, bench.size // 100)
    return _row(what, size, bench, lambda: secure.laplace(size, 1.0, GRID), peer.noise(module, size))


def _row(what: str, size: int, bench: Bench, ours: Callable[[], Any], theirs: Callable[[], Any]) -> Row:
    mine, other = bench.compare(ours, theirs)
    name = what.rpartition(" ")[2]
    shown = f"{duration(other)} ({name})" if other else "-"
    return Row(what, f"{size:,}", duration(mine), shown, ratio(mine, other))

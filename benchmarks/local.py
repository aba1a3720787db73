"""Rows: randomized response beside NumPy's step, and a simulation study of it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from table import Row, duration, timed
from timing import Bench, Benchmark, met, ratio

from pydpstat.local import RandomizedResponse, RandomizedResponseCoins, get_prob_from_epsilon

EPSILON = 1.0986122886681098
AIM, SIMULATION_AIM = 2.0, 1.0
EPSILONS, SIZES, RUNS = np.arange(0.001, 10.0, 0.1), (100, 500, 2000), 10


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of randomized response."""
    return [
        *(Benchmark(_name(kind), partial(_responses, kind)) for kind in ("bool", "int64")),
        Benchmark("a simulation of randomized response", _simulation),
    ]


def _name(kind: str) -> str:
    return f"randomized response of {kind}, beside ((rng.random(n) < f) == x).sum()"


def _responses(kind: str, bench: Bench) -> Row:
    """Time answers, their estimate and both standard errors."""
    rng = np.random.default_rng(1)
    x = (rng.random(bench.size) < 0.2).astype(kind)
    design = RandomizedResponse(EPSILON)
    f = float(np.exp(EPSILON) / (1.0 + np.exp(EPSILON)))

    def ours() -> Any:
        found = design.estimate(design.respond(x))
        return float(found), found.bse, found.bse_population

    seconds, other = bench.compare(ours, lambda: ((rng.random(x.size) < f) == x).sum())
    quotient = ratio(seconds, other)
    # the aim is for bits
    aim = AIM if kind == "bool" else None
    return Row(
        _name(kind),
        f"{bench.size:,}",
        duration(seconds),
        f"{duration(other)} (NumPy)" if other else "-",
        quotient,
        "-" if aim is None else f"ratio <= {aim:g}",
        met(quotient, aim),
    )


def _simulation(bench: Bench) -> Row:
    """Time a design, answers, estimate and uncertainty for each epsilon, number of answers and run."""
    rng = np.random.default_rng(1)

    def ours() -> list[tuple[float, float]]:
        found = []
        for epsilon in EPSILONS.tolist():
            for n in SIZES:
                for _ in range(RUNS):
                    coins = RandomizedResponseCoins(get_prob_from_epsilon(epsilon))
                    r = coins.estimate(coins.respond(rng.random(n) < 0.2))
                    found.append((float(r), r.uncertainty))
        return found

    taken = bench.compare(ours, None)[0]
    size = f"{EPSILONS.size * len(SIZES) * RUNS:,} x 100 to 2000"
    return timed("a simulation of randomized response", size, taken, SIMULATION_AIM)

"""Rows: the mirrors against DPpack and diffpriv, on the same data; order statistics beside NumPy."""

from __future__ import annotations

from functools import partial

import numpy as np
from data import MIRRORS, Mirror
from table import Row, duration
from timing import Bench, Benchmark, met, ratio

import pydpstat

RELEASE_AIM = 50e-6
RECORDS = 100
BESIDE_NUMPY = (
    "medianDP, beside np.sort",
    "quantileDP, beside np.sort",
    "ExponentialMechanism, beside np.exp",
)


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of the mirrors."""
    long = [Benchmark(mirror.what, partial(_mirror, mirror)) for mirror in MIRRORS]
    rngs = {"meanDP, a release": False, "meanDP, a release, R's stream": True}
    return [
        *long,
        *(Benchmark(what, partial(_beside_numpy, what)) for what in BESIDE_NUMPY),
        *(Benchmark(what, partial(_releases, what, seeded)) for what, seeded in rngs.items()),
    ]


def _mirror(mirror: Mirror, bench: Bench) -> Row:
    size = max(1, bench.size // mirror.part)
    arrays = mirror.data(size)
    inputs = mirror.inputs(arrays)
    theirs = None
    if bench.r and bench.r.has(mirror.package):
        bench.r.give(arrays)
        bench.r.run(mirror.r_inputs or "NULL")
        theirs = bench.r.function(mirror.r)
    ours, other = bench.compare(lambda: mirror.python(*inputs), theirs)
    if bench.r:
        bench.r.run("rm(list = ls())")
    quotient = ratio(ours, other)
    return Row(
        mirror.what,
        f"{size:,}",
        duration(ours),
        duration(other) if other else "-",
        quotient,
        "-" if mirror.aim is None else f"ratio <= {mirror.aim:g}",
        met(quotient, mirror.aim),
    )


def _beside_numpy(what: str, bench: Bench) -> Row:
    """Time a selection from a million beside the one step of NumPy that it cannot do without."""
    size = max(1, bench.size // 10)
    x = np.random.default_rng(1).normal(50.0, 20.0, size)
    utility = -np.abs(x)
    call, step, aim = {
        "medianDP, beside np.sort": (lambda: pydpstat.medianDP(x, 1.0, 0, 100), lambda: np.sort(x), 1.5),
        "quantileDP, beside np.sort": (
            lambda: pydpstat.quantileDP(x, 0.9, 1.0, 0, 100),
            lambda: np.sort(x),
            1.5,
        ),
        "ExponentialMechanism, beside np.exp": (
            lambda: pydpstat.ExponentialMechanism(utility, 1.0, 1.0),
            lambda: np.exp(utility),
            2.0,
        ),
    }[what]
    ours, other = bench.compare(call, step)
    quotient = ratio(ours, other)
    shown = f"{duration(other)} (NumPy)" if other else "-"
    return Row(what, f"{size:,}", duration(ours), shown, quotient, f"ratio <= {aim:g}", met(quotient, aim))


def _releases(what: str, seeded: bool, bench: Bench) -> Row:
    """Time many releases of few records, a loop on either side."""
    times = max(1, bench.size // 1000)
    few = np.random.default_rng(1).normal(50.0, 20.0, RECORDS)
    rng = pydpstat.RRandom(1) if seeded else None
    release = pydpstat.meanDP

    def ours() -> None:
        for _ in range(times):
            release(few, 1.0, 0, 100, rng=rng)

    theirs = None
    if bench.r and bench.r.has("DPpack"):
        bench.r.give({"x": few})
        bench.r.run("set.seed(1)")
        loop = f"release <- DPpack::meanDP; for (i in seq_len({times})) release(x, 1, 0, 100)"
        theirs = bench.r.function(loop)
    mine, other = bench.compare(ours, theirs)
    return Row(
        what,
        f"{times:,} x {RECORDS}",
        duration(mine / times),
        duration(other / times) if other else "-",
        ratio(mine, other),
        f"<= {duration(RELEASE_AIM)}",
        met(mine / times, RELEASE_AIM),
    )

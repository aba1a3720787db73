"""Rows: DPpack's mirrors against DPpack, on the same data."""

from __future__ import annotations

from functools import partial

import numpy as np
from data import MIRRORS, Mirror
from table import Row, duration
from timing import Bench, Benchmark, met, ratio

import pydpstat

RATIO_AIM = 0.5
RELEASE_AIM = 50e-6
RECORDS = 100


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of the mirrors."""
    long = [Benchmark(mirror.what, partial(_mirror, mirror)) for mirror in MIRRORS]
    rngs = {"meanDP, a release": False, "meanDP, a release, R's stream": True}
    return long + [Benchmark(what, partial(_releases, what, seeded)) for what, seeded in rngs.items()]


def _mirror(mirror: Mirror, bench: Bench) -> Row:
    arrays = mirror.data(bench.size)
    inputs = mirror.inputs(arrays)
    theirs = None
    if bench.r and bench.r.has("DPpack"):
        bench.r.give(arrays)
        bench.r.run(mirror.r_inputs or "NULL")
        theirs = bench.r.function(mirror.r)
    ours, other = bench.compare(lambda: mirror.python(*inputs), theirs)
    if bench.r:
        bench.r.run("rm(list = ls())")
    quotient = ratio(ours, other)
    return Row(
        mirror.what,
        f"{bench.size:,}",
        duration(ours),
        duration(other) if other else "-",
        quotient,
        f"ratio <= {RATIO_AIM}",
        met(quotient, RATIO_AIM),
    )


def _releases(what: str, seeded: bool, bench: Bench) -> Row:
    """Time many releases of few records, a loop on either side."""
    times = max(1, bench.size // 100)
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

"""Rows: the own statistics beside NumPy, their memory above the data, and a small release."""

from __future__ import annotations

from functools import partial

import numpy as np
from mirrors import RECORDS, RELEASE_AIM
from own_data import BOUNDS, OWN, Own
from processes import child
from table import Row, duration, timed
from timing import Bench, Benchmark, met, ratio

import pydpstat

_MB = 2**20


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of the own statistics."""
    return [
        *(Benchmark(own.what, partial(_own, own)) for own in OWN),
        *(
            Benchmark(_memory_name(own), partial(_memory, own, own.megabytes))
            for own in OWN
            if own.megabytes is not None
        ),
        Benchmark("mean, a release", _releases),
    ]


def _own(own: Own, bench: Bench) -> Row:
    size = max(1, bench.size // own.part)
    arrays = own.data(size)
    inputs = own.inputs(arrays)
    ours, other = bench.compare(lambda: own.python(*inputs), lambda: own.step(**arrays))
    quotient = ratio(ours, other)
    return Row(
        own.what,
        f"{size:,}",
        duration(ours),
        f"{duration(other)} (NumPy)" if other else "-",
        quotient,
        "-" if own.aim is None else f"ratio <= {own.aim:g}",
        met(quotient, own.aim),
    )


def _memory_name(own: Own) -> str:
    return f"memory of {own.what.partition(', beside')[0]}, above the data"


def _memory(own: Own, aim: float, bench: Bench) -> Row:
    size = max(1, bench.size // own.part)
    peak = child("memory", own.what, str(size))["peak"] / _MB
    return Row(_memory_name(own), f"{size:,}", f"{peak:.1f} MB", aim=f"<= {aim:g} MB", met=peak <= aim)


def _releases(bench: Bench) -> Row:
    """Time many releases of few records, out of a loop."""
    times = max(1, bench.size // 1000)
    few = np.random.default_rng(1).normal(50.0, 20.0, RECORDS)
    release = pydpstat.mean

    def ours() -> None:
        for _ in range(times):
            release(few, 1.0, bounds=BOUNDS)

    taken = bench.compare(ours, None)[0] / times
    return timed("mean, a release", f"{times:,} x {RECORDS}", taken, RELEASE_AIM)

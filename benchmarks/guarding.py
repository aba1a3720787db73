"""Rows: a budget on disk beside SQLite's bare commit, and the auditor beside the draws that it judges."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from mirrors import RECORDS
from own_data import BOUNDS
from table import Row, duration
from timing import Bench, Benchmark, met, ratio

import pydpstat
from pydpstat.budget._file import CONNECTION_SETTINGS
from pydpstat.random import secure

BUDGET_AIM, AUDIT_AIM = 3.0, 1.5
# transactions a turn
COMMITS = 50
GRID = 2.0**-20
# in the checkout: a system's temporary folder may be in memory
PLACE = Path(__file__).resolve().parents[1] / "output"
ON_DISK = "mean, a release, budget on disk, beside a bare commit"
OWN_WORK = "audit without its draws, beside the draws"
WHOLE = "audit with its draws, beside the draws"


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of the budget and the auditor."""
    return [
        Benchmark(ON_DISK, _budgeted),
        Benchmark(OWN_WORK, partial(_audited, OWN_WORK)),
        Benchmark(WHOLE, partial(_audited, WHOLE)),
    ]


def _budgeted(bench: Bench) -> Row:
    """Time releases that spend from a ledger, and commits of one row to a file beside it."""
    few = np.random.default_rng(1).normal(50.0, 20.0, RECORDS)
    release = pydpstat.mean
    PLACE.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=PLACE) as folder, closing(_database(Path(folder, "bare.db"))) as bare:
        budget = pydpstat.Budget(1e9, path=Path(folder, "budget.db"))

        def ours() -> None:
            for _ in range(COMMITS):
                release(few, 1.0, bounds=BOUNDS, budget=budget)

        def theirs() -> None:
            for _ in range(COMMITS):
                bare.execute("INSERT INTO spends VALUES (1.0)")

        mine, other = bench.compare(ours, theirs)
        size = f"{COMMITS} x {RECORDS}, {_file_system(folder)}"
    quotient = ratio(mine, other)
    return Row(
        ON_DISK,
        size,
        duration(mine / COMMITS),
        f"{duration(other / COMMITS)} (SQLite)" if other else "-",
        quotient,
        f"ratio <= {BUDGET_AIM:g}",
        met(quotient, BUDGET_AIM),
    )


def _database(path: Path) -> sqlite3.Connection:
    """Open a file with the ledger's settings and one table; each statement is a transaction."""
    connection = sqlite3.connect(path, isolation_level=None)
    for setting in CONNECTION_SETTINGS:
        connection.execute(setting)
    connection.execute("CREATE TABLE spends (epsilon REAL)")
    return connection


def _file_system(folder: str) -> str:
    """Return the type of a folder's file system, where the system tells (Linux)."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    except OSError:
        return "file system unknown"
    above = [mount for mount in mounts if os.path.commonpath([mount[1], folder]) == mount[1]]
    # of mounts on one place the last one is seen
    return max(enumerate(above), key=lambda each: (len(each[1][1]), each[0]))[1][2]


def _drawn(truth: int, size: int) -> np.ndarray:
    return truth + GRID * secure.laplace(size, 1.0, GRID)


def _stored(draws: Sequence[np.ndarray]) -> Callable[[int, int], np.ndarray]:
    """Return a release that hands out what was drawn beforehand, again from the start when all is used."""
    places = [0] * len(draws)

    def release(truth: int, size: int) -> np.ndarray:
        start = places[truth]
        places[truth] = (start + size) % draws[truth].size
        return draws[truth][start : start + size]

    return release


def _audited(what: str, bench: Bench) -> Row:
    """Time an audit of exact Laplace noise around 0 and 1, and drawing the noise of both."""
    size = max(1000, bench.size // 10)
    release = _drawn if what == WHOLE else _stored([_drawn(truth, size) for truth in (0, 1)])
    ours, other = bench.compare(
        lambda: pydpstat.audit(release, 0, 1, claim=1.0, samples=size),
        lambda: [_drawn(truth, size) for truth in (0, 1)],
    )
    quotient = ratio(ours, other)
    aim = AUDIT_AIM if what == OWN_WORK else None
    return Row(
        what,
        f"2 x {size:,}",
        duration(ours),
        f"{duration(other)} (draws)" if other else "-",
        quotient,
        "-" if aim is None else f"ratio <= {aim:g}",
        met(quotient, aim),
    )

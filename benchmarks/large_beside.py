"""Other packages: means and counts of the same groups of the same file at the same epsilon."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import large_data
import numpy as np
import peer_environments
from large_tables import Table, environment
from table import duration

SIDES = Path(__file__).resolve().parent / "large_peers"
EPSILON = 1.0
LIMIT = 1200
Show = Callable[[str], None]


class Peer(NamedTuple):
    """A package: its name, the module of its side, and what its environment is made of."""

    name: str
    side: str
    requirements: tuple[str, ...]


PEERS = (
    Peer("OpenDP, Polars", "opendp", ("opendp[polars]",)),
    Peer("PipelineDP, local", "pipelinedp", ("pipeline-dp", "pyarrow")),
    Peer("Tumult Analytics, Spark", "tumult", ("tmlt.analytics",)),
)


def tables(folder: Path, size: int, repeats: int, place: Path, show: Show) -> list[Table]:
    """Return the table of times and errors of the packages that can be installed."""
    path, times = large_data.plain(folder, size), max(repeats, 2)
    truth = _truth(path)
    rows = [("package", "version", "records", "time", "ours by it", "error of means", "error of counts", "")]
    show("pydpstat by group")
    ours = _ask([sys.executable, str(SIDES / "pydpstat_side.py"), str(path)], times, environment())
    rows.append(_row("pydpstat, Polars", size, ours, ours, truth))
    for peer in PEERS:
        show(f"{peer.name} by group")
        try:
            python = peer_environments.environment(peer.side, peer.requirements, place)
            made = {**peer_environments.clean(), "PYSPARK_PYTHON": str(python)}
            found = _ask([str(python), str(SIDES / f"{peer.side}_side.py"), str(path)], times, made)
        except peer_environments.NotInstalled as reason:
            found = {"reason": str(reason)}
        rows.append(_row(peer.name, size, found, ours, truth))
    note = (
        f"Means and counts of 40 groups at epsilon {EPSILON:g} together, unbounded neighbors: ours from two "
        "sums a group that are released at once, the others' with half of epsilon each (PipelineDP divides a "
        "sum about the middle of the bounds by the count that it shows); each package in a separate "
        "environment and process, after one release without the clock. The "
        f"time is the least of {times}, reading the file included; in the next column ours is divided by it. "
        "An error is the root mean squared one of all groups and releases. OpenDP has a sum instead of a "
        "mean, and the number by which it is divided; it is told that no group has more than "
        "100,000 records. "
        "PipelineDP takes a privacy id for each record."
    )
    return [Table("peers", "Other packages, by group", rows, (note,))]


def _truth(path: Path) -> np.ndarray:
    import pandas as pd

    frame = pd.read_parquet(path, columns=["income", *large_data.KEYS])
    low, high = large_data.BOUNDS
    groups = frame.assign(income=frame.income.clip(low, high)).groupby(large_data.KEYS)["income"]
    # regions and sexes in the order of the sides' groups
    return np.column_stack([groups.mean(), groups.count()])


def _ask(command: list[str], times: int, made: dict[str, str]) -> dict[str, Any]:
    try:
        finished = subprocess.run(
            [*command, str(EPSILON), str(times)], capture_output=True, text=True, timeout=LIMIT, env=made
        )
    except subprocess.TimeoutExpired:
        return {"reason": f"no answer in {LIMIT} s"}
    if finished.returncode:
        return {"reason": (finished.stderr.strip().splitlines() or ["its process failed"])[-1][:160]}
    answer: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return answer


def _row(name: str, size: int, found: dict[str, Any], ours: dict[str, Any], truth: np.ndarray) -> tuple[str, ...]:
    if "reason" in found:
        return (name, "-", f"{size:,}", "-", "-", "-", "-", found["reason"])
    off = np.array(found["found"], dtype=np.float64) - truth
    errors = np.sqrt(np.square(off).mean(axis=(0, 1)))
    taken = min(found["seconds"])
    quotient = f"{min(ours['seconds']) / taken:.2g}" if "seconds" in ours else "-"
    cells = (found["version"], f"{size:,}", duration(taken), quotient, f"{errors[0]:.3g}", f"{errors[1]:.3g}")
    return (name, *cells, "")

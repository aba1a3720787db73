"""Statistics by group of large files: the peak of memory, seconds beside the engines' own, and growth."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import large_data
from large_tables import Table, environment, met
from table import duration

CHILD = Path(__file__).resolve().parent / "large_child.py"
STREAMED = ("pyarrow", "polars", "duckdb")
STATISTICS = ("mean", "var", "median", "histogram", "crosstab")
# ratios that are aimed at, and the largest part of the files that Dask and Spark are given
AIMS = {"pyarrow": 1.5, "polars": 1.5, "duckdb": 1.5, "dask": 1.3, "spark": 2.0}
PART = {"dask": 4, "spark": 4}
MEMORY_AIM = 300e6
# an exact median of groups takes all of their values into memory
ALONE = ("median",)
LIMIT = 1800
Show = Callable[[str], None]
Found = dict[str, Any]


def tables(folder: Path, size: int, statistics: Sequence[str], repeats: int, show: Show) -> list[Table]:
    """Return the tables of memory and time, and of growth."""
    show("files")
    run = partial(_least, small=large_data.parts(folder, 80_000)[0], repeats=repeats, show=show)
    paths = large_data.parts(folder, size)
    rows = [
        (
            "statistic",
            "through",
            "records",
            "peak memory",
            "time",
            "processor",
            "engine's own",
            "ratio",
            "aim met",
        )
    ]
    reasons: list[str] = []
    for engine in AIMS:
        chosen = paths[: large_data.PARTS // PART.get(engine, 1)]
        for statistic in statistics if engine in STREAMED else ("mean",):
            ours, own = run(engine, statistic, chosen)
            rows.append(_row(statistic, engine, len(chosen) * (size // large_data.PARTS), ours, own))
            for side, found in (("", ours), (", the engine's own", own)):
                if "reason" in found:
                    reasons.append(f"No figure of {statistic} through {engine}{side}: {found['reason']}.")
    return [
        Table("files", f"{size:,} records of Parquet", rows, (*_NOTES, *reasons)),
        _growth(paths, size, run),
    ]


_NOTES = (
    "Each statistic is released for 40 groups, 20 regions by 2 sexes, at epsilon 1, from files of row "
    f"groups of {large_data.GROUP:,} records: incomes as floats, and both keys as texts in "
    "dictionaries. A histogram "
    "has 20 bins. Each call has a fresh process, after one on few records for what is imported then. Peak "
    "memory is the most that the process ever had, with Python, pandas and the engine; the aim "
    f"is {MEMORY_AIM / 1e6:.0f} MB, and in brackets stands that of the engine's own, for which nothing "
    "else is imported. Of Spark it is that of Python alone.",
    "The engine's own is its aggregate of the same columns, without privacy. Both sides run in turn, with "
    "the number of threads that each has by default, and the least time counts; the processor's is "
    "that of all "
    "threads together, and of the engine's own it is in brackets. The aims of the ratio: "
    + ", ".join(f"{engine} {aim:g}" for engine, aim in AIMS.items())
    + ". In the last column stand memory and ratio. An exact median of groups takes all values into memory, "
    "so that none is shown next to ours.",
)


def _row(statistic: str, engine: str, size: int, ours: Found, own: Found) -> tuple[str, ...]:
    ratio = ours["seconds"] / own["seconds"] if "seconds" in ours and "seconds" in own else None
    peak = ours.get("peak") if engine in STREAMED else None
    return (
        statistic,
        engine,
        f"{size:,}",
        _memory(ours) + (f" ({_memory(own)})" if own.get("peak") else ""),
        _seconds(ours),
        f"{ours['processor']:.1f} s" if "processor" in ours and engine != "spark" else "-",
        _seconds(own) + (f" ({own['processor']:.1f} s)" if "processor" in own and engine != "spark" else ""),
        "-" if ratio is None else f"{ratio:.2f}",
        f"{met(peak, MEMORY_AIM)}, {met(ratio, AIMS[engine])}",
    )


def _growth(paths: Sequence[Path], size: int, run: Callable[..., tuple[Found, Found]]) -> Table:
    """Return the seconds of a mean by group of an eighth, a quarter, a half and all records."""
    parts = [1 << power for power in range(large_data.PARTS.bit_length())]
    head = [
        "a mean by group",
        *(f"{size // large_data.PARTS * part:,}" for part in parts),
        "the last by the first",
    ]
    rows = [head]
    for engine in STREAMED:
        taken = [run(engine, "mean", paths[:part], alone=True)[0] for part in parts]
        first, last = taken[0].get("processor"), taken[-1].get("processor")
        cells = [f"{_seconds(each)} ({each.get('processor', 0.0):.2f} s)" for each in taken]
        rows.append([engine, *cells, f"{last / first:.1f}" if first and last else "-"])
    note = (
        "Seconds, and the processor's in brackets, whose quotient is in the last column: "
        f"{large_data.PARTS} is linear growth."
    )
    return Table("files", "Growth with the number of records", rows, (note,))


def _memory(found: Found) -> str:
    return f"{found['peak'] / 1e6:.0f} MB" if found.get("peak") else "-"


def _seconds(found: Found) -> str:
    return duration(found["seconds"]) if "seconds" in found else "-"


def _least(
    engine: str,
    statistic: str,
    paths: Sequence[Path],
    small: Path,
    repeats: int,
    show: Show,
    alone: bool = False,
) -> tuple[Found, Found]:
    """Return the least of each figure of both sides, which take turns; of memory the most."""
    found: dict[str, list[Found]] = {"ours": [], "own": []}
    sides = ("ours",) if alone or statistic in ALONE else ("ours", "own")
    for turn in range(repeats):
        for side in sides:
            show(f"{statistic} through {engine}, {side}, {len(paths)} files, {turn + 1} of {repeats}")
            found[side].append(_child(engine, side, statistic, small, paths))
    return _joined(found["ours"]), _joined(found["own"])


def _joined(runs: Sequence[Found]) -> Found:
    failed = next((each for each in runs if "reason" in each), None)
    if failed or not runs:
        return failed or {}
    least = {key: min(each[key] for each in runs) for key in ("seconds", "processor")}
    return {**least, "peak": max(each["peak"] or 0.0 for each in runs)}


def _child(engine: str, side: str, statistic: str, small: Path, paths: Sequence[Path]) -> Found:
    command = [sys.executable, str(CHILD), engine, side, statistic, str(small), *map(str, paths)]
    with tempfile.TemporaryDirectory() as place:
        try:
            finished = subprocess.run(
                command, capture_output=True, text=True, timeout=LIMIT, env=environment(), cwd=place
            )
        except subprocess.TimeoutExpired:
            return {"reason": f"no answer in {LIMIT} s"}
    if finished.returncode:
        return {"reason": (finished.stderr.strip().splitlines() or ["its process failed"])[-1][:160]}
    answer: Found = json.loads(finished.stdout.splitlines()[-1])
    return answer

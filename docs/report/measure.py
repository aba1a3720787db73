"""Run the whole report at full size in every engine, and record what the page shows of it.

``python docs/report/measure.py`` needs Polars, Dask, Spark and pyarrow. It makes the file in a temporary
folder, runs ``whole_report.py`` some times for each engine in turn, each time in a process of its own,
checks that all release the same numbers, and writes ``measured.json`` and ``released.csv`` beside itself.
The seconds are those of the quickest run, the memory is that of the largest. No date, machine or path is in
the record.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ENGINES = {"polars": "polars", "dask": "dask", "spark": "pyspark"}
SEED = 2024
# seconds between two looks at the memory
PAUSE = 0.1


def tree(process: int) -> list[int]:
    """Return a process and all that it started."""
    found = [process]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue
    return found


def memory(process: int) -> float:
    """Return the megabytes that a process and all that it started hold; shared pages count once."""
    total = 0
    for each in tree(process):
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def measured(file: Path, engine: str, persons: int) -> dict[str, Any]:
    """Run the report in one engine; return its seconds, its memory and its last line of progress."""
    command = [sys.executable, HERE / "whole_report.py", file, "--engine", engine]
    command += ["--persons", str(persons), "--seed", str(SEED)]
    started, most = time.monotonic(), 0.0
    with tempfile.TemporaryFile("w+") as told, tempfile.TemporaryFile("w+") as failed:
        # Spark's workers are this Python, too
        environment = {**os.environ, "PYDPSTAT_PROGRESS": "1", "PYSPARK_PYTHON": sys.executable}
        with subprocess.Popen(command, stdout=told, stderr=failed, env=environment) as running:
            while running.poll() is None:
                most = max(most, memory(running.pid))
                time.sleep(PAUSE)
        seconds = time.monotonic() - started
        failed.seek(0)
        lines = [line.strip() for line in failed.read().replace("\r", "\n").splitlines()]
    if running.returncode:
        raise SystemExit("\n".join(lines))
    progress = [line for line in lines if line.startswith("pydpstat: ")]
    return {"seconds": round(seconds, 1), "megabytes": round(most), "progress": progress[-1:]}


def best(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the quickest of some runs, with the most memory that any of them held."""
    quickest = min(runs, key=lambda run: run["seconds"])
    return {**quickest, "megabytes": max(run["megabytes"] for run in runs)}


def main() -> None:
    """Measure, compare and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--persons", type=int, default=5_000_000)
    parser.add_argument("--runs", type=int, default=3, help="runs of each engine")
    parser.add_argument("--into", type=Path, default=HERE, help="folder of the records")
    given = parser.parse_args()
    sys.path.insert(0, str(HERE))
    from whole_report import write

    runs: dict[str, list[dict[str, Any]]] = {engine: [] for engine in ENGINES}
    released = set()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "persons.parquet"
        write(file, given.persons)
        megabytes = file.stat().st_size / 1e6
        for engine in [*ENGINES] * given.runs:
            runs[engine].append(measured(file, engine, given.persons))
            print(engine, runs[engine][-1], flush=True)
            released.add((file.parent / "released.csv").read_text(encoding="utf-8"))
    if len(released) > 1:
        raise SystemExit("the engines released different numbers")
    versions = {name: metadata.version(name) for name in ("numpy", "pandas", "pyarrow", *ENGINES.values())}
    record = {
        "persons": given.persons,
        "file in megabytes": round(megabytes),
        "seed": SEED,
        "processors": os.cpu_count(),
        "versions": {"Python": platform.python_version(), **versions},
        "runs": given.runs,
        "engines": {engine: best(own) for engine, own in runs.items()},
    }
    text = json.dumps(record, indent=1) + "\n"
    (given.into / "measured.json").write_text(text, encoding="utf-8")
    (given.into / "released.csv").write_text(released.pop(), encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

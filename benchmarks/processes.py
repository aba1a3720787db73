"""Rows from fresh processes: memory above the data, and what importing costs."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any

from data import MIRRORS, Mirror
from table import Row, duration, timed
from timing import Bench, Benchmark

IMPORT_AIM = 0.1
LEAST_STARTS = 7
STATEMENTS = {"import pydpstat": "package", "from pydpstat import meanDP": "function"}
CHILD = Path(__file__).resolve().parent / "child.py"
_MB = 2**20


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks that need processes of their own."""
    return [
        *(
            Benchmark(f"memory of {mirror.what}", partial(_memory, mirror))
            for mirror in MIRRORS
            if mirror.copies is None or mirror.copies > 0
        ),
        *(Benchmark(line, partial(_import_time, line, key)) for line, key in STATEMENTS.items()),
        Benchmark("first release", _first_release),
        Benchmark("memory of the import", _import_memory),
        Benchmark("heavy modules loaded", _heavy_modules),
    ]


def _memory(mirror: Mirror, bench: Bench) -> Row:
    """Measure the peak memory of a call above its data."""
    size = max(1, bench.size // mirror.part)
    found = child("memory", mirror.what, str(size))
    copies = found["peak"] / found["data"]
    # a tenth more is still one copy: the buffers of a chunk do not grow with the data
    reached = None if mirror.copies is None else round(copies, 1) <= mirror.copies
    aim = "-" if mirror.copies is None else f"<= {mirror.copies:g} copy"
    return Row(f"memory of {mirror.what}", f"{size:,}", f"{copies:.2f} copies", aim=aim, met=reached)


def _import_time(what: str, key: str, bench: Bench) -> Row:
    taken = median(start[key] for start in _starts(bench.repeats))
    return timed(what, "-", taken, IMPORT_AIM)


def _first_release(bench: Bench) -> Row:
    return Row("first release", "-", duration(median(start["release"] for start in _starts(bench.repeats))))


def _import_memory(bench: Bench) -> Row:
    found = [start["memory"] for start in _starts(bench.repeats) if start["memory"] is not None]
    return Row("memory of the import", "-", f"{median(found) / _MB:.1f} MB" if found else "-")


def _heavy_modules(bench: Bench) -> Row:
    loaded = sorted({name for start in _starts(bench.repeats) for name in start["heavy"]})
    return Row("heavy modules loaded", "-", ", ".join(loaded) or "none", aim="none", met=not loaded)


@cache
def _starts(repeats: int) -> tuple[dict[str, Any], ...]:
    """Import in fresh processes; the first, which may have to compile the modules, does not count."""
    return tuple(child("import") for _ in range(max(repeats, LEAST_STARTS) + 1))[1:]


def child(*arguments: str) -> dict[str, Any]:
    """Return what a fresh process measures: ``child.py`` with these arguments."""
    command = [sys.executable, str(CHILD), *arguments]
    finished = subprocess.run(command, capture_output=True, text=True)
    if finished.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{finished.stderr}")
    result: dict[str, Any] = json.loads(finished.stdout)
    return result

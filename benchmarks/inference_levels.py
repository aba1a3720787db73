"""Measure levels, coverage and power of tests and intervals: ``python benchmarks/inference_levels.py``.

Runs add up: what was measured is kept in a file, and each run begins where the last one ended, with seeds of
its own.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import pkgutil
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

import files
import levels
import pages
import table

from pydpstat import _files

FILE = Path(__file__).resolve().parent / "levels.json"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "levels.md"
ALPHA = 0.05
CHUNK, RUNS, POWER_RUNS = 100, 4000, 1000
KINDS = {"rejections": "SETTINGS", "misses": "SETTINGS", "power": "POWER"}
# a topic may count rejections and misses of the same releases
BOTH = "both"
TITLES = {
    "rejections": "Share of true hypotheses that are rejected at 0.05",
    "misses": "Share of 95 % intervals that miss",
    "power": "Power at 0.05",
}
# settings by kind and topic, with the number of hits and of runs
Counts = dict[str, dict[str, dict[str, list[int]]]]


class Job(NamedTuple):
    """So many runs of one setting; `done` is how many there were before, which gives the seed."""

    topic: str
    kind: str
    place: int
    name: str
    done: int
    runs: int


def topics() -> list[str]:
    """Return the topics' names."""
    found = [each.name for each in pkgutil.iter_modules(levels.__path__)]
    return sorted(name for name in found if hasattr(importlib.import_module(f"levels.{name}"), "SETTINGS"))


def load(path: Path = FILE) -> Counts:
    """Read what was measured."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def jobs(names: Sequence[str], kinds: Sequence[str], found: Counts, runs: int, power_runs: int) -> Iterator[Job]:
    """Return what is still to be run, every setting's next part in turn."""
    waiting = []
    for name in names:
        module = importlib.import_module(f"levels.{name}")
        together = hasattr(module, BOTH) and {"rejections", "misses"} <= set(kinds)
        for kind, listed in {BOTH: "SETTINGS", "power": "POWER"}.items() if together else KINDS.items():
            if kind not in (BOTH, *kinds) or not hasattr(module, kind):
                continue
            wanted = power_runs if kind == "power" else runs
            for place, setting in enumerate(getattr(module, listed)):
                done = _done(found, name, kind, setting["name"])
                chunk = getattr(module, "CHUNK", CHUNK)
                parts = range(done, wanted, chunk)
                waiting.append([Job(name, kind, place, setting["name"], start, chunk) for start in parts])
    for turn in range(max(map(len, waiting), default=0)):
        yield from (parts[turn] for parts in waiting if turn < len(parts))


def _done(found: Counts, topic: str, kind: str, name: str) -> int:
    """Return how many runs of a setting there were, the fewer where two kinds are counted together."""
    own = found.get(topic, {})
    kinds = ("rejections", "misses") if kind == BOTH else (kind,)
    return min(own.get(each, {}).get(name, [0, 0])[1] for each in kinds)


def run(job: Job) -> dict[str, int]:
    """Return the hits of a job, by kind."""
    module = importlib.import_module(f"levels.{job.topic}")
    setting = getattr(module, KINDS.get(job.kind, "SETTINGS"))[job.place]
    # every setting has seeds of its own
    seed = 1 + job.done + 1_000_003 * job.place + 7_919 * len(job.kind)
    found = getattr(module, job.kind)(setting, job.runs, seed)
    return dict(zip(("rejections", "misses"), found)) if job.kind == BOTH else {job.kind: int(found)}


def measure(
    names: Sequence[str], kinds: Sequence[str], runs: int, power_runs: int, seconds: float, processes: int
) -> Counts:
    """Run until everything was run so often, or the time is over."""
    found, end = load(), time.monotonic() + seconds
    waiting = jobs(names, kinds, found, runs, power_runs)
    saved = time.monotonic()
    with ProcessPoolExecutor(processes) as pool:
        running: dict[Any, Job] = {}
        while True:
            while len(running) < processes and time.monotonic() < end:
                job = next(waiting, None)
                if job is None:
                    break
                running[pool.submit(run, job)] = job
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                job = running.pop(future)
                for kind, hits in future.result().items():
                    counts = found.setdefault(job.topic, {}).setdefault(kind, {}).setdefault(job.name, [0, 0])
                    counts[0] += hits
                    counts[1] += job.runs
                    files.progress(f"{job.topic}, {kind}: {job.name} {counts[0]} of {counts[1]}")
            if time.monotonic() > saved + 20.0:
                save(found)
                saved = time.monotonic()
    save(found)
    return found


def save(found: Counts, path: Path = FILE) -> None:
    """Write what was measured, whole or not at all."""
    _files.write_text(path, json.dumps(found, indent=1, sort_keys=True) + "\n")


def tables(found: Counts) -> str:
    """Return the page's tables, a topic after the other, and what is above its aim."""
    parts = []
    for topic in topics():
        module = importlib.import_module(f"levels.{topic}")
        for kind, listed in KINDS.items():
            measured = found.get(topic, {}).get(kind, {})
            settings = [each for each in getattr(module, listed, []) if each["name"] in measured]
            if not settings:
                continue
            about = str(module.__doc__).splitlines()[0].rstrip(".")
            title = f"## {about}: {TITLES[kind][0].lower()}{TITLES[kind][1:]}"
            parts += [title, _summary(kind, settings, measured), _table(kind, settings, measured)]
    return "\n\n".join(parts)


def _share(counts: Sequence[int]) -> tuple[float, float]:
    hits, runs = counts
    share = hits / runs
    return share, math.sqrt(max(share * (1.0 - share), ALPHA * (1.0 - ALPHA)) / runs)


def beyond(kind: str, setting: dict[str, Any], counts: Sequence[int]) -> bool:
    """Return whether a share is beyond its aim by more than three standard errors."""
    share, error = _share(counts)
    if kind == "power":
        return share < setting.get("figure", 0.0) - 3.0 * error
    return share > ALPHA + 3.0 * error


def _summary(kind: str, settings: Sequence[dict[str, Any]], measured: dict[str, list[int]]) -> str:
    shares = [_share(measured[each["name"]])[0] for each in settings]
    over = [each["name"] for each in settings if beyond(kind, each, measured[each["name"]])]
    side = "below what is to be reached" if kind == "power" else f"above {ALPHA}"
    told = f"{len(over)} of {len(settings)} settings are {side} by more than three standard errors"
    told += f": {'; '.join(over)}." if over else "."
    if kind == "power":
        return told
    return f"Largest {max(shares):.4f}, mean {math.fsum(shares) / len(shares):.4f}. {told}"


def _table(kind: str, settings: Sequence[dict[str, Any]], measured: dict[str, list[int]]) -> str:
    aimed = kind == "power"
    head = ("setting", "runs", "share", "standard error", *(("to be reached",) if aimed else ()))
    lines = [head]
    for each in settings:
        counts = measured[each["name"]]
        share, error = _share(counts)
        figure = (f"{each['figure']:.2f}" if "figure" in each else "-",) if aimed else ()
        lines.append((each["name"], f"{counts[1]:,}", f"{share:.4f}", f"{error:.4f}", *figure))
    return table.piped(lines, (False, *(True,) * (len(head) - 1)))


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, write the file, and tell what is beyond its aim; return 1 where something is."""
    parser = argparse.ArgumentParser(description="Measure levels, coverage and power.")
    parser.add_argument("--only", metavar="TOPIC", nargs="+", default=None, help="these topics")
    parser.add_argument("--kinds", nargs="+", choices=[*KINDS], default=[*KINDS], help="these kinds of runs")
    parser.add_argument("--runs", type=int, default=RUNS, help="of every setting (default: %(default)s)")
    parser.add_argument("--power-runs", type=int, default=POWER_RUNS, help="(default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after these")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--page", action="store_true", help="measure nothing: write the page")
    options = parser.parse_args(argv)
    if options.page:
        _files.write_text(PAGE, pages.rewritten(PAGE.read_text(encoding="utf-8"), tables(load())))
        return 0
    names = options.only or topics()
    found = measure(names, options.kinds, options.runs, options.power_runs, options.seconds, options.processes)
    over = []
    for name in names:
        module = importlib.import_module(f"levels.{name}")
        for kind, listed in KINDS.items():
            measured = found.get(name, {}).get(kind, {})
            for setting in getattr(module, listed, []):
                counts = measured.get(setting["name"])
                if counts and beyond(kind, setting, counts):
                    over.append(f"{name}, {kind}: {setting['name']} {counts[0]} of {counts[1]}")
    print("\n".join(over) or "Nothing is beyond its aim.")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())

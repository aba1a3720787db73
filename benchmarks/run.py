"""Run the benchmarks and print them as a table: ``python benchmarks/run.py``."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import textwrap
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import anonymity
import consistency
import draws
import files
import guarding
import local
import measured
import mirrors
import numpy as np
import own
import pages
import peers
import processes
import r_side
import table
from peer_table import PeerTable
from peer_turns import LONGEST
from timing import Bench, Benchmark

from pydpstat import PrivacyWarning, __version__

SIZE, REPEATS = 10_000_000, 5
QUICK_SIZE, QUICK_REPEATS = 1_000_000, 3
HOW = (
    "A ratio is our median time divided by R's: below 1 ours is faster. Both sides are timed in turn "
    "(ours, R, ours, R, ...) in one process, after one run each without the clock: at least {repeats} "
    "times each, short calls up to 25 times.",
    "R runs inside the Python process (rpy2). It is given its data, its functions are compiled and its "
    "garbage is collected before the clock starts. The clock is Python's perf_counter on both sides, in "
    "R's case around a function that returns NULL, so that nothing is converted{overhead}. R's own "
    "system.time counts whole milliseconds only.",
    "The mirrors run with their defaults: Laplace noise, here from the operating system, in R from its "
    "stream. Bounds are 0 and 100, and 1.2 % of the numbers lie outside. Integers are 32 bits wide on both "
    "sides and have 20 values; the second factor has 5 levels.",
    "A release is one call on 100 numbers, out of a loop of calls on either side.",
    "Own statistics, exact noise and order statistics are shown next to NumPy's step on the same data. In "
    "the crosstab both variables are Categoricals of 20 declared levels, and the step beside it is on their "
    "codes, 32 bits wide. Noise is on the grid 2^-20.",
    "Each package, ours included, is in a separate environment and process (.cache/bench), and gets "
    "its numbers in the form that it takes fastest, before the clock starts. What can be made once (OpenDP's "
    "measurements, PyDP's algorithms, SmartNoise's table) is made before, too. All sides take turns. A side "
    "whose call takes longer than {longest:g} s is timed on a part of the numbers. Cold is a fresh process: "
    "importing the package with all that it imports, without and with the first release after it.",
    "The budget's file and the file of the bare commits (one row each, in a table without anything else) are "
    "in one folder of the named file system, with the same settings: a journal, full "
    "synchronisation. The auditor is given exact Laplace noise around 0 and 1. The first audit gets draws "
    "that were made before, so that its time is its own work; the second one draws.",
    "Calibrations are of random pairs, epsilon from .01 to 5 and delta from 1e-10 to 1e-2, both even on "
    "the log scale: all in one call here, one after the other in R.",
    "Proportional fitting is of a table of uniform numbers to the margins of another one, the same on both "
    "sides. Hierarchies have noisy values at every node; their labels are not part of what is timed.",
    "Microaggregation is of simulated loans, four columns. The pandas side does MDAV's steps with whole "
    "columns and finds the same groups; sdcMicro, in C++, takes distances in standard deviations, as ours "
    "does beside it. A loss is the sum of squared changes over that of distances from the mean.",
    "Memory is the peak of what a call allocates beside its data (tracemalloc), in copies of the data, a "
    "process for each call.",
    "Imports are timed in fresh processes, at least 7, from the moment when numpy is imported. Heavy "
    "modules are pandas, statsmodels, matplotlib and rpy2, looked for after the first release.",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmarks.

    Parameters
    ----------
    argv : sequence of str, optional
        The command's arguments; those of the process by default.

    Returns
    -------
    int
        0: a timing is no test.
    """
    parser = _parser()
    options = parser.parse_args(argv)
    if options.readme:
        pages.write(measured.load())
        return 0
    size = options.size or (QUICK_SIZE if options.quick else SIZE)
    repeats = options.repeats or (QUICK_REPEATS if options.quick else REPEATS)
    chosen = [benchmark for benchmark in _benchmarks() if options.only in benchmark.what]
    beside = [] if options.no_peers else [what for what in peers.rows() if options.only in what]
    if not chosen and not beside:
        parser.error(f"no row has {options.only!r} in its name")
    whole = not (options.only or options.no_peers or options.quick or options.size)
    target = Path(options.json) if options.json else measured.FILE if whole else None
    # read first: a file that cannot be read must not end a long run
    before = measured.load(target) if target and target.exists() else measured.Measured()
    warnings.simplefilter("ignore", PrivacyWarning)
    r, reason = r_side.start()
    show = files.progress if sys.stderr.isatty() else lambda line: None
    rows = _measure(chosen, Bench(r, size, repeats), show)
    table_beside = peers.measure(beside, size, repeats, show) if beside else PeerTable()
    found = measured.Measured(measured.Run(_heading(r, reason), rows), _how(r, repeats), table_beside)
    _print(found)
    if options.markdown:
        files.write(Path(options.markdown), ["# Benchmarks", pages.speed(found)])
    if target:
        measured.save(target, measured.after(found, before))
        print(f"\nWritten: {target}")
    if whole:
        print("The tables of README.md and docs/speed.md are written from it with --readme.")
    return 0


def _benchmarks() -> list[Benchmark]:
    parts = (mirrors, own, local, guarding, processes, draws, consistency, anonymity)
    return [benchmark for part in parts for benchmark in part.benchmarks()]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Time pydpstat beside R and print a table of ratios.")
    parser.add_argument("--only", metavar="TEXT", default="", help="only rows with TEXT in their name")
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"{QUICK_SIZE:,} instead of {SIZE:,} numbers, {QUICK_REPEATS} timings instead of {REPEATS}",
    )
    parser.add_argument("--repeats", metavar="N", type=_positive, help="least number of timings a side")
    parser.add_argument(
        "--size",
        metavar="N",
        type=_positive,
        help="length of the long data; streams draw a tenth, releases less",
    )
    parser.add_argument("--no-peers", action="store_true", help="without other packages beside")
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write what was measured to FILE (a whole run writes benchmarks/measured.json)",
    )
    parser.add_argument(
        "--readme",
        action="store_true",
        help="measure nothing: write README.md's and docs/speed.md's tables from benchmarks/measured.json",
    )
    parser.add_argument("--markdown", metavar="FILE", help="write the table to FILE, too")
    return parser


def _positive(value: str) -> int:
    number = int(float(value))
    if number < 1:
        raise argparse.ArgumentTypeError(f"{value} is not at least 1")
    return number


def _measure(benchmarks: Sequence[Benchmark], bench: Bench, show: Callable[[str], None]) -> list[table.Row]:
    """Measure one row after the other, and tell how far it is."""
    rows = []
    for number, benchmark in enumerate(benchmarks, start=1):
        show(f"[{number}/{len(benchmarks)}] {benchmark.what}")
        rows.append(benchmark.measure(bench))
    show("")
    return rows


def _heading(r: r_side.RSide | None, reason: str) -> str:
    """Return the line that tells what was measured on what."""
    parts = [
        f"pydpstat {__version__}",
        f"Python {platform.python_version()}",
        f"numpy {np.__version__}",
        *([f"{name} {version}" for name, version in _versions(r)] if r else [f"no R ({reason})"]),
        f"{platform.system()} {platform.machine()}",
        f"{os.cpu_count()} cores",
    ]
    return ", ".join(parts)


def _versions(r: r_side.RSide) -> list[tuple[str, str]]:
    names = ("R", "DPpack", "diffpriv", "rmutil", "mipfp", "sdcMicro")
    return [(name, r.versions[name]) for name in names if r.versions.get(name)]


def _how(r: r_side.RSide | None, repeats: int) -> list[str]:
    """Return the text on how it was measured."""
    overhead = f" (an empty call takes {table.duration(r.overhead())})" if r else ""
    return [part.format(repeats=repeats, overhead=overhead, longest=LONGEST) for part in HOW]


def _print(found: measured.Measured) -> None:
    beside = found.peers
    parts = [found.run.heading, *([table.text(found.run.rows)] if found.run.rows else [])]
    if beside.lines:
        parts += [beside.caption(), table.aligned(beside.cells(), beside.right())]
    filled = [textwrap.fill(part, 110) for part in (*beside.notes(), *found.how)]
    print("\n\n".join([*parts, *filled]))


if __name__ == "__main__":
    sys.exit(main())

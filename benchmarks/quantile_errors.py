"""Measure how far quantiles are off beside other packages': ``python benchmarks/quantile_errors.py``.

A whole run writes benchmarks/quantiles.json, from which the accuracy page shows its table.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import files
import peer_environments
import table
from quantile_data import COARSE, DATA_SETS, KINDS, RELEASES, Cell, cells

RECORDED = Path(__file__).with_name("quantiles.json")
DRAWS = Path(__file__).with_name("peer_side") / "quantile_draws.py"
OURS = "pydpstat"
PEERS = {"opendp": ("opendp", "numpy"), "diffprivlib": ("diffprivlib", "scikit-learn<1.7")}
NAMES = {"opendp": "OpenDP", "diffprivlib": "diffprivlib"}
HEAD = ("data", "n", "epsilon", OURS, "with 201 points", *NAMES.values(), "ratio")
RIGHT = (False, *[True] * 7)


def measure(pythons: dict[str, Path], chosen: Sequence[Cell], show: Callable[[str], None]) -> dict[str, Any]:
    """Return the errors of every package in every cell, and the packages' versions."""
    asked = "".join(json.dumps(cell._asdict()) + "\n" for cell in chosen)
    processes = {}
    for name, python in pythons.items():
        environment = peer_environments.STARTED if name in (OURS, COARSE) else peer_environments.clean()
        command = [str(python), str(DRAWS), name]
        pipe = subprocess.PIPE
        processes[name] = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
        # all work at the same time, as no time is measured; the questions fit into the pipe
        _in(processes[name]).write(asked)
        _in(processes[name]).close()
    rows: list[dict[str, Any]] = [dict(cell._asdict()) for cell in chosen]
    versions = {}
    for name, process in processes.items():
        with process:
            assert process.stdout is not None
            versions[name] = json.loads(process.stdout.readline())["version"]
            for place, row in enumerate(rows, start=1):
                show(f"{name} [{place}/{len(rows)}]")
                row[name] = json.loads(process.stdout.readline())
    show("")
    return {"versions": versions, "runs": DATA_SETS * RELEASES, "rows": rows}


def _in(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdin is not None
    return process.stdin


def recorded() -> list[tuple[str, ...]]:
    """Return the lines of the recorded table, in the order of the head."""
    return _lines(json.loads(RECORDED.read_text(encoding="utf-8")))


def versions() -> str:
    """Return the versions that were measured, and how many releases of each there are."""
    measured = json.loads(RECORDED.read_text(encoding="utf-8"))
    found = measured["versions"].items()
    named = [f"{NAMES.get(name, name)} {version}" for name, version in found if name != COARSE]
    return f"{', '.join(named)}; {measured['runs']:,} releases for each error"


def _lines(measured: dict[str, Any]) -> list[tuple[str, ...]]:
    lines = []
    for row in measured["rows"]:
        kind = KINDS[row["kind"]]
        each = [row[name] for name in (OURS, COARSE, *NAMES)]
        others = min(one["rmse"] for one in each[2:])
        ratio = f"{each[0]['rmse'] / others:.2f}" if others else "1.00" if not each[0]["rmse"] else "-"
        name = f"{kind.name}, {'median' if kind.q == 0.5 else f'{kind.q:g} quantile'}"
        lines.append((name, f"{row['n']:,}", f"{row['epsilon']:g}", *map(_shown, each), ratio))
    return lines


def _shown(error: dict[str, float] | None) -> str:
    """Return an error with two digits of its standard error."""
    if error is None:
        return "-"
    digits = max(0, 1 - math.floor(math.log10(error["se"]))) if error["se"] else 0
    return f"{error['rmse']:,.{min(digits, 4)}f} ± {error['se']:,.{min(digits, 4)}f}"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table and perhaps record it; return 0."""
    parser = argparse.ArgumentParser(description="Measure quantiles' errors beside those of other packages.")
    parser.add_argument("--only", metavar="WORD", default="", help="only data with this in their name")
    parser.add_argument("--python", metavar="FILE", help="an interpreter that has all of the other packages")
    options = parser.parse_args(argv)
    chosen = [cell for cell in cells() if options.only in KINDS[cell.kind].name]
    pythons = dict.fromkeys((OURS, COARSE), Path(sys.executable))
    for name, requirements in PEERS.items():
        given = options.python
        pythons[name] = Path(given) if given else peer_environments.environment(name, requirements)
    measured = measure(pythons, chosen, files.progress if sys.stderr.isatty() else lambda line: None)
    print(table.aligned([HEAD, *_lines(measured)], RIGHT))
    if not options.only:
        rows = ",\n  ".join(json.dumps(row) for row in measured["rows"])
        head = json.dumps({key: measured[key] for key in ("versions", "runs")})
        files.write(RECORDED, [f'{head[:-1]}, "rows": [\n  {rows}\n]}}'])
    return 0


if __name__ == "__main__":
    sys.exit(main())

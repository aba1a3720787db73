"""One statistic of files, once, in a fresh process: ``large_child.py ENGINE SIDE STATISTIC SMALL FILE...``.

It prints seconds, processor seconds and the most memory that the process had, as one line of JSON. What a
first call imports is imported by a call on a small file, without the clock.
"""

from __future__ import annotations

import json
import resource
import sys
import warnings
from pathlib import Path
from time import perf_counter
from typing import Any

from large_data import BOUNDS, EDGES, KEYS, LEVELS
from large_engines import Paths, aggregated, opened


def released(statistic: str, data: Any) -> Any:
    """Return our release of a statistic of each group."""
    import pydpstat as dp

    how: dict[str, Any] = {"neighbors": "unbounded"}
    if statistic == "crosstab":
        return dp.crosstab(data, 1.0, levels=LEVELS, other=None, **how)
    how |= {"by": KEYS, "levels": LEVELS, "other": None}
    if statistic == "histogram":
        return dp.histogram(data, 1.0, edges=EDGES, **how)
    return getattr(dp, statistic)(data, 1.0, bounds=BOUNDS, **how)


def measured(engine: str, side: str, statistic: str, small: str, paths: Paths) -> dict[str, float | None]:
    """Return the seconds, processor seconds and peak memory in bytes of one call."""
    columns = KEYS if statistic == "crosstab" else ["income", *KEYS]

    def call(files: Paths) -> Any:
        data = opened(engine, files, columns)
        return aggregated(engine, statistic, data) if side == "own" else released(statistic, data)

    call([small])
    before, start = _processor(), perf_counter()
    call(paths)
    return {"seconds": perf_counter() - start, "processor": _processor() - before, "peak": _peak()}


def _processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _peak() -> float | None:
    """Return the most memory that this process had, where the system tells (Linux)."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next(float(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(measured(*sys.argv[1:5], sys.argv[5:])))

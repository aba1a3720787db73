"""Measures in a fresh process and prints JSON: ``child.py memory NAME SIZE`` or ``child.py import``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

HEAVY = ("pandas", "statsmodels", "matplotlib", "rpy2")


def memory(what: str, size: int) -> dict[str, int]:
    """Return the bytes of a call's data, and the peak of what the call allocates beside them."""
    import tracemalloc
    import warnings

    from data import MIRRORS
    from own_data import OWN

    from pydpstat import PrivacyWarning

    warnings.simplefilter("ignore", PrivacyWarning)
    calls: tuple[Any, ...] = (*MIRRORS, *OWN)
    call = next(call for call in calls if call.what == what)
    # a short call first, for the modules that a first call imports
    call.python(*call.inputs(call.data(1000)))
    inputs = call.inputs(call.data(size))
    tracemalloc.start()
    call.python(*inputs)
    peak = tracemalloc.get_traced_memory()[1]
    return {"data": sum(getattr(values, "codes", values).nbytes for values in inputs), "peak": peak}


def imports() -> dict[str, Any]:
    """Return seconds and bytes that the package's import takes after NumPy's, and a first release."""
    import numpy

    values = numpy.arange(100.0)
    before, start = resident(), time.perf_counter()
    import pydpstat

    package = time.perf_counter()
    release = pydpstat.meanDP
    function = time.perf_counter()
    after = resident()
    clock = time.perf_counter()
    release(values, 1.0, 0, 100)
    return {
        "release": time.perf_counter() - clock,
        "package": package - start,
        "function": function - start,
        "memory": None if before is None or after is None else after - before,
        "heavy": [name for name in HEAVY if name in sys.modules],
    }


def resident() -> int | None:
    """Return the bytes of memory that this process has, where the system tells (Linux)."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))


if __name__ == "__main__":
    print(json.dumps(imports() if sys.argv[1] == "import" else memory(sys.argv[2], int(sys.argv[3]))))

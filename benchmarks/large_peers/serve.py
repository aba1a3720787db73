"""What the packages' sides share: the groups, and a loop that releases, takes the time and prints JSON.

With the standard library alone, so that it runs in each package's environment.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version

Found = dict[tuple[str, str], tuple[float, float]]
BOUNDS = (0.0, 200_000.0)
KEYS = ["region", "sex"]
LEVELS = {"region": [f"region {number:02d}" for number in range(20)], "sex": ["female", "male"]}
GROUPS = [(region, sex) for region in LEVELS["region"] for sex in LEVELS["sex"]]


def main(package: str, release: Callable[[str, float], Found], known: str = "") -> None:
    """Release so many times as the command says: ``FILE EPSILON TIMES``; a first time does not count."""
    path, epsilon, times = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    release(path, epsilon)
    seconds, found = [], []
    for _ in range(times):
        start = time.perf_counter()
        groups = release(path, epsilon)
        seconds.append(time.perf_counter() - start)
        found.append([groups[group] for group in GROUPS])
    print(json.dumps({"version": known or version(package), "seconds": seconds, "found": found}))

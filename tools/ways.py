"""Count the modules and calls that releases pass through: ``python tools/ways.py``.

A release without a seed may draw again what it rejects: of several the shortest way is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np
import pandas as pd

import pydpstat
from pydpstat.consistency import Hierarchy, release_hierarchy

PACKAGE = str(Path(pydpstat.__file__).parent)
TIMES = 20

NUMBERS = np.linspace(0.0, 1.0, 100)
ROWS = np.column_stack([np.sin(np.arange(100.0)), np.cos(np.arange(100.0))])
LABELS = (ROWS.sum(axis=1) > 0).astype(float)
UPPER, LOWER = [1.0, 1.0], [-1.0, -1.0]
MODEL = pydpstat.LogisticRegressionDP("l2", 1.0, 0.1)
COUNTRY = Hierarchy({"North": ["a", "b"], "South": ["c"]})
PEOPLE = pd.DataFrame({"state": ["North"] * 200 + ["South"] * 40, "town": ["a", "b"] * 100 + ["c"] * 40})

# what is called, with the modules and the calls that it should pass through at most
WAYS: dict[str, tuple[Callable[[], object], int, int | None]] = {
    "meanDP": (lambda: pydpstat.meanDP(NUMBERS, 1.0, 0.0, 1.0), 12, 40),
    "mean": (lambda: pydpstat.mean(NUMBERS, 1.0, bounds=(0.0, 1.0)), 12, 60),
    "sum": (lambda: pydpstat.sum(NUMBERS, 1.0, bounds=(0.0, 1.0)), 12, 60),
    "count": (lambda: pydpstat.count(NUMBERS > 0.5, 1.0), 12, 60),
    "histogram": (lambda: pydpstat.histogram(NUMBERS, 1.0, edges=[0.0, 0.5, 1.0]), 12, 60),
    "ttest_ind": (lambda: pydpstat.ttest_ind(NUMBERS, NUMBERS, 1.0, bounds=(0.0, 1.0)), 16, None),
    "ols": (lambda: pydpstat.ols(LABELS, ROWS, 1.0, bounds=[(0, 1), (-1, 1), (-1, 1)]), 20, None),
    "LogisticRegressionDP.fit": (lambda: MODEL.fit(ROWS, LABELS, UPPER, LOWER, rng=123), 18, None),
    "release_hierarchy": (lambda: release_hierarchy(PEOPLE, 1.0, hierarchy=COUNTRY), 16, None),
}


def way(call: Callable[[], object]) -> list[str]:
    """Return the module of each Python function of the package that a call enters, in order.

    Parameters
    ----------
    call : callable
        Called once before, so that nothing is imported or computed for the first time.

    Returns
    -------
    list of str
    """
    entered: list[str] = []

    def enter(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            entered.append(frame.f_globals["__name__"])

    call()
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
    return entered


def main() -> None:
    """Print a row for each way, then the modules of each with the calls in them."""
    names = sys.argv[1:] or list(WAYS)
    found = {name: min((way(WAYS[name][0]) for _ in range(TIMES)), key=len) for name in names}
    print(f"{'way':<26} {'modules':>8} {'at most':>8} {'calls':>8} {'at most':>8}")
    for name, entered in found.items():
        _, modules, calls = WAYS[name]
        print(f"{name:<26} {len(set(entered)):>8} {modules:>8} {len(entered):>8} {calls or '':>8}")
    for name, entered in found.items():
        print(f"\n{name}:")
        for module in dict.fromkeys(entered):
            print(f"{entered.count(module):>6}  {module}")


if __name__ == "__main__":
    main()

"""Two sides timed in turn, with one clock."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from r_side import RSide
from table import Row

Action = Callable[[], object]
# short actions are repeated for about so many seconds, at most so many times
_LONG_ENOUGH, _MOST = 0.5, 25


@dataclass(frozen=True)
class Bench:
    """What the benchmarks share.

    Parameters
    ----------
    r : RSide or None
        The other side, where R can be used.
    size : int
        Length of the long data; other sizes are parts of it.
    repeats : int
        Least number of timings of each side.
    """

    r: RSide | None
    size: int
    repeats: int

    def compare(self, ours: Action, theirs: Action | None) -> tuple[float, float | None]:
        """Time two actions in turn and return the median seconds of each.

        Each runs once without the clock. Both languages collect their garbage before each turn.
        """
        spent = _seconds(ours) + (_seconds(theirs) if theirs else 0.0)
        times: tuple[list[float], list[float]] = [], []
        for _ in range(max(self.repeats, min(_MOST, int(_LONG_ENOUGH / spent)))):
            self._collect()
            for action, taken in zip((ours, theirs), times):
                if action:
                    taken.append(_seconds(action))
        return median(times[0]), median(times[1]) if times[1] else None

    def _collect(self) -> None:
        gc.collect()
        if self.r:
            self.r.collect()


@dataclass(frozen=True)
class Benchmark:
    """A row to be measured.

    Parameters
    ----------
    what : str
        Its name in the table.
    measure : callable
        Returns the row.
    """

    what: str
    measure: Callable[[Bench], Row]


def met(value: float | None, aim: float | None) -> bool | None:
    """Tell whether a value is at most the aim; None where one of them is missing."""
    return None if value is None or aim is None else value <= aim


def ratio(ours: float, theirs: float | None) -> float | None:
    """Divide two times, where there are two."""
    return None if theirs is None else ours / theirs


def _seconds(action: Action) -> float:
    start = perf_counter()
    action()
    return perf_counter() - start

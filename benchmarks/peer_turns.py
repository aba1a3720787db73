"""Packages in processes of their own, timed in turn: ours, one peer, the next, and again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from peer_process import PeerProcess, Unavailable, cold
from peer_table import Taken

# a call that takes longer, in seconds, is timed on a part of its records
LONGEST = 2.0
PARTS = (1000, 100, 10, 1)
FEWEST = 100
# short calls are repeated for so many seconds; a slow side has its turns until it has used so much
LOOP, MOST_TIMES, ENOUGH, LEAST_TURNS = 0.02, 1000, 3.0, 3


@dataclass(frozen=True)
class Side:
    """A package that takes part."""

    name: str
    python: Path
    calls: str
    environment: Mapping[str, str]
    process: PeerProcess


@dataclass(frozen=True)
class Turns:
    """How the sides are timed.

    Parameters
    ----------
    sides : sequence of Side
    path : Path
        The file of the numbers.
    repeats : int
        Turns of each side.
    """

    sides: Sequence[Side]
    path: Path
    repeats: int

    def warm(self, case: str, size: int) -> tuple[dict[str, Taken], dict[str, str]]:
        """Return the median of each side's turns, and why a side has none.

        What a side does first, to find how many records it can be given, is not counted.
        """
        parts, times, reasons = {}, {}, {}
        for side in self.sides:
            try:
                parts[side.name], seconds = self._largest(side, case, size)
            except Unavailable as reason:
                reasons[side.name] = str(reason)
                continue
            times[side.name] = max(1, min(MOST_TIMES, int(LOOP / max(seconds, 1e-9))))
        turns: dict[str, list[float]] = {name: [] for name in parts}
        for _ in range(self.repeats):
            for side in self.sides:
                if side.name in turns and not _enough(turns[side.name]):
                    try:
                        turns[side.name].append(side.process.run(times[side.name]))
                    except Unavailable as reason:
                        reasons[side.name] = str(reason)
                        del turns[side.name]
        return {name: Taken(parts[name] * median(taken), parts[name]) for name, taken in turns.items()}, reasons

    def cold(self, starts: int) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
        """Return medians of fresh processes, and why a side has none; the first start does not count."""
        found: dict[str, list[dict[str, float]]] = {side.name: [] for side in self.sides}
        reasons: dict[str, str] = {}
        for _ in range(starts + 1):
            for side in self.sides:
                if side.name not in reasons:
                    try:
                        found[side.name].append(cold(side.python, side.calls, self.path, side.environment))
                    except Unavailable as reason:
                        reasons[side.name] = str(reason)
        return {
            name: {key: median(start[key] for start in taken[1:]) for key in taken[0]}
            for name, taken in found.items()
            if name not in reasons
        }, reasons

    def _largest(self, side: Side, case: str, size: int) -> tuple[int, float]:
        """Return the least part of the records that is not too slow, and the seconds of a call on it."""
        chosen, seconds, growth = 0, 0.0, 0.0
        for part in _parts(size):
            # ten times the records cost ten times the growth; what a call costs on none does not grow
            if seconds + 10.0 * growth > LONGEST:
                break
            side.process.prepare(case, self.path, size // part)
            # the first call may do what later ones need not
            side.process.run(1)
            taken = side.process.run(1)
            # how a first time grows is not known: it may be what a call costs on none
            growth = max(taken - seconds, 0.0) if chosen or taken >= LONGEST / 2.0 else 0.0
            chosen, seconds = part, taken
        side.process.prepare(case, self.path, size // chosen)
        return chosen, seconds


def _parts(size: int) -> Iterable[int]:
    return [part for part in PARTS if part == 1 or size // part >= FEWEST]


def _enough(taken: Sequence[float]) -> bool:
    return len(taken) >= LEAST_TURNS and sum(taken) >= ENOUGH

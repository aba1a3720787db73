"""A ledger in the memory of one process."""

from __future__ import annotations

import os
import threading

from pydpstat.budget.accountants import NOTHING, Cost, added, exceeds, missing
from pydpstat.budget.entry import Entry
from pydpstat.errors import PydpstatError


class MemoryLedger:
    """Keeps the spends of one process; its threads share it."""

    def __init__(self) -> None:
        self._total = NOTHING
        self._entries: list[Entry] = []
        self._lock = threading.Lock()
        self._process = os.getpid()

    def spend(self, limit: Cost, cost: Cost, entry: Entry) -> Cost | None:
        """Add a spend; where it is too much, leave everything as it is and return what remains."""
        self._check_process()
        with self._lock:
            total = added(self._total, cost)
            if exceeds(total, limit):
                return missing(limit, self._total)
            self._total = total
            self._entries.append(entry)
        return None

    def total(self) -> Cost:
        """Sum of all spends."""
        self._check_process()
        with self._lock:
            return self._total

    def entries(self) -> tuple[Entry, ...]:
        """Every spend, the oldest first."""
        self._check_process()
        with self._lock:
            return tuple(self._entries)

    def _check_process(self) -> None:
        # after a fork parent and child would both spend what is left
        if os.getpid() != self._process:
            raise PydpstatError(
                "a budget in memory belongs to the process that made it. "
                "Give the budget a path, so that several processes share one ledger."
            )

"""One line of a ledger: a call without data, what it guarantees, and when."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

from pydpstat.budget._accountants import NOTHING, Cost, added, exceeds, missing
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee


@dataclass(frozen=True, slots=True)
class Entry:
    """A spend.

    Parameters
    ----------
    call : str
        The call, without data.
    epsilon, delta : float
        What the release keeps.
    rho : float or None
        Its zero-concentrated privacy.
    loss : str
        Its privacy loss as text; empty where it is not known.
    conditions : str
        Its conditions, one a line.
    time : str
        When, in UTC.
    process : int
        The process's number.

    Examples
    --------
    >>> entry = Entry.of(Guarantee(0.5), "mean(income)")
    >>> entry.call, entry.epsilon
    ('mean(income)', 0.5)
    """

    call: str
    epsilon: float
    delta: float
    rho: float | None
    loss: str
    conditions: str
    time: str
    process: int

    def row(self) -> tuple[str | float | None, ...]:
        """Return the fields in order."""
        return (
            self.call,
            self.epsilon,
            self.delta,
            self.rho,
            self.loss,
            self.conditions,
            self.time,
            self.process,
        )

    @classmethod
    def of(cls, guarantee: Guarantee, call: str) -> Entry:
        """Return the entry of a release that is made now."""
        return cls(
            call,
            guarantee.epsilon,
            guarantee.delta,
            guarantee.rho,
            "" if guarantee.loss is None else repr(guarantee.loss),
            "\n".join(guarantee.conditions),
            time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            os.getpid(),
        )


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

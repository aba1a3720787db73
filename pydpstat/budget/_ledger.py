"""Ledgers: in the memory of one process, and what those that several processes share have in common.

A shared ledger locks the row of its total, reads it, compares, adds and commits, so that writers wait for
each other and cannot exceed the limit together. Each process has a connection of its own.

Its row is sealed: it has a check sum of the limits, the total and the chain, which is a check sum of the last
entry and of the chain before. What was damaged, or altered by hand, is hence an error, and never another
limit or another total. Two things nobody can tell: an older copy that was put back, of which only a total
that shrinks while it is used is noticed, and check sums that were computed again.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction

from pydpstat.budget._entry import Entry
from pydpstat.budget.amounts import NOTHING, Cost, charged, missing
from pydpstat.errors import PydpstatError
from pydpstat.privacy._units import told_unit

# how long a writer waits for others, in seconds
PATIENCE = 60.0
# the limits as texts, in which floats compare exactly: epsilon, delta, accountant, neighbors, unit
Limits = tuple[str, str, str, str, str | None]
# a total, and what puts an entry and the new total into the ledger
Change = tuple[Cost, Callable[[Entry, Cost], object]]


class MemoryLedger:
    """Keeps the spends of one process; its threads share it."""

    place = "in memory"

    def __init__(self) -> None:
        self._total = NOTHING
        self._entries: list[Entry] = []
        self._lock = threading.Lock()
        self._process = os.getpid()

    def spend(self, limit: Cost, cost: Cost, entry: Entry) -> Cost | None:
        """Add a spend; where it is too much, leave everything as it is and return what remains."""
        self._check_process()
        with self._lock:
            total = charged(self._total, cost, limit)
            if total is None:
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
                "a budget in memory belongs to the process that created it. Give the budget a path "
                "or a url, so that several processes can share one ledger."
            )


class SharedLedger:
    """A ledger outside of the process, written by one transaction for each spend.

    A subclass says where it is, opens connections and runs transactions. Its `limits` are those that it
    was made with.
    """

    limits: Limits

    def __init__(self, place: str) -> None:
        self.place = place
        self._lock = threading.Lock()
        self._seen = NOTHING

    def spend(self, limit: Cost, cost: Cost, entry: Entry) -> Cost | None:
        """Add a spend; where it is too much, leave everything as it is and return what remains."""
        with self._transaction() as (before, add):
            total = charged(before, cost, limit)
            if total is None:
                return missing(limit, before)
            add(entry, total)
        self._seen = total
        return None

    def total(self) -> Cost:
        """Sum of all spends."""
        raise NotImplementedError

    def entries(self) -> tuple[Entry, ...]:
        """Every spend, the oldest first."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the connection, which nobody may be using; the next use opens another."""
        raise NotImplementedError

    def _transaction(self) -> AbstractContextManager[Change]:
        """Lock the total and give it; what was added is in the ledger for good when this ends."""
        raise NotImplementedError

    def _damaged(self, what: str) -> PydpstatError:
        """Return the error of a ledger that is not as it was written."""
        raise NotImplementedError

    def _unsealed(self, rows: Sequence[Sequence[object]]) -> Sequence[object]:
        """Return a ledger's row without its seal, which has to be right."""
        if len(rows) != 1:
            raise self._damaged(f"it has {len(rows)} rows with limits and a total instead of one")
        *row, seal = rows[0]
        if seal != link("", row):
            raise self._damaged("its limits or its total were altered")
        return row

    def _later(self, texts: Sequence[object]) -> Cost:
        """Return a total that was kept as texts, and is not less than it was."""
        total = Fraction(str(texts[0])), Fraction(str(texts[1]))
        if total[0] < self._seen[0] or total[1] < self._seen[1]:
            raise self._damaged("less is spent than before, as in an older copy")
        self._seen = total
        return total

    def _chained(self, rows: Iterable[Sequence[object]], chain: object) -> tuple[Entry, ...]:
        """Return the entries of a ledger, all of which have to be as they were written."""
        rows, found = list(rows), FIRST
        for row in rows:
            found = link(found, row)
        if found != chain:
            raise self._damaged("entries are missing or were altered")
        return tuple(Entry(*row) for row in rows)  # type: ignore[arg-type]

    def _same_limits(self, found: Limits, given: Limits | None, argument: str) -> Limits:
        """Check the limits of the ledger against those given, and return its own."""
        if given is not None and found != given:
            raise PydpstatError(
                f"the ledger {self.place!r} was created with {_described(found)}; got "
                f"{_described(given)}. Open it with its own limits, or Budget.open({argument}), or "
                f"give a new {argument}."
            )
        return found


def is_url(place: str) -> bool:
    """Tell the url of a server from a file's path."""
    return place.startswith(("postgresql://", "postgres://"))


# the chain of a ledger without entries
FIRST = ""
_written = json.JSONEncoder(default=repr).encode


def link(chain: str, values: Iterable[object]) -> str:
    """Return the check sum of values and of a chain before them; the same texts and numbers have the same."""
    return hashlib.sha256(_written([chain, *values]).encode()).hexdigest()


def texts_of(cost: Cost) -> tuple[str, str]:
    """Return a total as texts, which are exact."""
    return str(cost[0]), str(cost[1])


def _described(limits: Limits) -> str:
    epsilon, delta, accountant, neighbors, unit = limits
    pair = f"epsilon {epsilon}, delta {delta}, accountant {accountant!r}, neighbors {neighbors!r}"
    return f"{pair}, for {told_unit(unit)}"


# no connection may cross a fork: each is closed before, and both sides open their own
_LEDGERS: weakref.WeakSet[SharedLedger] = weakref.WeakSet()
# by thread: two threads may fork at once
_held = threading.local()


def closed_at_forks(ledger: SharedLedger) -> None:
    """Close a ledger's connection whenever the process forks."""
    _LEDGERS.add(ledger)


def _before_fork() -> None:
    _held.ledgers = list(_LEDGERS)
    for ledger in _held.ledgers:
        ledger._lock.acquire()
        ledger.close()


def _after_fork() -> None:
    for ledger in _held.__dict__.pop("ledgers", []):
        ledger._lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)

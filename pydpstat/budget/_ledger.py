"""The ledger in memory, and the common part of ledgers that several processes share.

A shared ledger locks the row of its total, reads it, compares, adds and commits, so that writers wait for each other
and cannot exceed the limit together. Each process has its own connection.

The row is sealed with a checksum of the limits, the total, the reservations and the chain, which is a checksum of the
last entry and of the chain before it. Damage or alteration by hand therefore raises an error and never leads to another
limit or total. Two cases cannot be detected: an older copy that was put back, unless the total shrinks while it is in
use, and recomputed checksums.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

from pydpstat.budget._entry import Entry
from pydpstat.budget._state import LedgerState, Reserved, parse_state
from pydpstat.budget.amounts import ZERO_COST, Cost
from pydpstat.errors import PydpstatError
from pydpstat.privacy._units import describe_unit

# how long a writer waits for others, in seconds
MAX_WAIT = 60.0
# the limits as strings, in which floats compare exactly: epsilon, delta, accountant, neighbors, unit
Limits = tuple[str, str, str, str, str | None]
# a state, and a function that writes the next one, with an entry if there is one
Change = tuple[LedgerState, Callable[[LedgerState, Entry | None], object]]


class Ledger:
    """A ledger, whose total and reservations change in transactions.

    A subclass reads the state and runs the transactions. A step that would exceed the limit changes nothing.
    """

    place: str
    # the last total that was read or written
    _seen = ZERO_COST

    def record_spend(self, limit: Cost, cost: Cost, entry: Entry, key: str | None = None) -> Cost | None:
        """Add an entry, from a reservation if its key is given; if it is not covered, return the remaining amount."""
        with self._open_transaction() as (before, write):
            after = before.spend(limit, cost, key)
            if after is None:
                return before.compute_remaining(limit, key)
            write(after, entry)
        self._seen = after.total
        return None

    def reserve(self, limit: Cost, new: Mapping[str, Reserved]) -> Cost | None:
        """Add reservations, all or none; if they are not covered, return the remaining amount."""
        with self._open_transaction() as (before, write):
            after = before.reserve(limit, new)
            if after is None:
                return before.compute_remaining(limit)
            write(after, None)
        return None

    def release(self, keys: Collection[str]) -> None:
        """End reservations; those that have ended already are ignored."""
        with self._open_transaction() as (before, write):
            if not before.reservations.keys().isdisjoint(keys):
                write(before.release(keys), None)

    def read_state(self) -> LedgerState:
        """Return the total of all entries, and the open reservations."""
        raise NotImplementedError

    def read_entries(self) -> tuple[Entry, ...]:
        """Return all entries in the order of charging."""
        raise NotImplementedError

    def _open_transaction(self) -> AbstractContextManager[Change]:
        """Lock the state and yield it with a function that writes the next one; leaving the block commits."""
        raise NotImplementedError


class MemoryLedger(Ledger):
    """A ledger in the memory of one process, shared by its threads."""

    place = "in memory"

    def __init__(self) -> None:
        self._state = LedgerState()
        self._entries: list[Entry] = []
        self._lock = threading.Lock()
        self._process = os.getpid()

    def read_state(self) -> LedgerState:
        """Return the total of all entries, and the open reservations."""
        self._check_process()
        with self._lock:
            return self._state

    def read_entries(self) -> tuple[Entry, ...]:
        """Return all entries in the order of charging."""
        self._check_process()
        with self._lock:
            return tuple(self._entries)

    @contextmanager
    def _open_transaction(self) -> Iterator[Change]:
        self._check_process()
        with self._lock:
            yield self._state, self._write

    def _write(self, state: LedgerState, entry: Entry | None) -> None:
        self._state = state
        if entry is not None:
            self._entries.append(entry)

    def _check_process(self) -> None:
        # after a fork both processes would spend the same remaining amount
        if os.getpid() != self._process:
            raise PydpstatError(
                "a budget in memory belongs to the process that created it. Give the budget a path "
                "or a url, so that several processes can share one ledger."
            )


class SharedLedger(Ledger):
    """A ledger outside the process, written by one transaction per entry.

    A subclass opens connections and runs transactions. `limits` are the limits with which the ledger was created.
    """

    limits: Limits

    def __init__(self, place: str) -> None:
        self.place = place
        self._lock = threading.Lock()

    def close_connection(self) -> None:
        """Close the connection, which must not be in use; the next use opens a new one."""
        raise NotImplementedError

    def _make_damage_error(self, what: str) -> PydpstatError:
        """Return the error for a ledger that was altered or damaged."""
        raise NotImplementedError

    def _verify_seal(self, rows: Sequence[Sequence[object]]) -> Sequence[object]:
        """Return a ledger's row without its seal, after checking the seal."""
        if len(rows) != 1:
            raise self._make_damage_error(f"it has {len(rows)} rows with limits and a total instead of one")
        *row, seal = rows[0]
        if seal != compute_checksum("", row):
            raise self._make_damage_error("its limits or its total were altered")
        return row

    def _check_state(self, texts: Sequence[object]) -> LedgerState:
        """Return a state stored as strings, after checking that its total did not shrink."""
        state = parse_state(texts)
        if state.total[0] < self._seen[0] or state.total[1] < self._seen[1]:
            raise self._make_damage_error("less is spent than before, as in an older copy")
        self._seen = state.total
        return state

    def _verify_chain(self, rows: Iterable[Sequence[object]], chain: object) -> tuple[Entry, ...]:
        """Return the entries of a ledger, after checking that none is missing or altered."""
        rows, checksum = list(rows), INITIAL_CHAIN
        for row in rows:
            checksum = compute_checksum(checksum, row)
        if checksum != chain:
            raise self._make_damage_error("entries are missing or were altered")
        return tuple(Entry(*row) for row in rows)  # type: ignore[arg-type]

    def _check_limits(self, found: Limits, given: Limits | None, argument: str) -> Limits:
        """Check the limits of the ledger against those given, and return the former."""
        if given is not None and found != given:
            raise PydpstatError(
                f"the ledger {self.place!r} was created with {_describe_limits(found)}; got "
                f"{_describe_limits(given)}. Open it with its own limits, or Budget.open({argument}), or "
                f"give a new {argument}."
            )
        return found


def is_url(place: str) -> bool:
    """Return whether a location is the url of a server rather than a file's path."""
    return place.startswith(("postgresql://", "postgres://"))


# the chain of a ledger without entries
INITIAL_CHAIN = ""
_encode_json = json.JSONEncoder(default=repr).encode


def compute_checksum(chain: str, values: Iterable[object]) -> str:
    """Return the SHA-256 checksum of values and of the chain before them, by their JSON text."""
    return hashlib.sha256(_encode_json([chain, *values]).encode()).hexdigest()


def _describe_limits(limits: Limits) -> str:
    epsilon, delta, accountant, neighbors, unit = limits
    pair = f"epsilon {epsilon}, delta {delta}, accountant {accountant!r}, neighbors {neighbors!r}"
    return f"{pair}, for {describe_unit(unit)}"


# connections must not cross a fork: they are closed before it, and both processes open new ones
_OPEN_LEDGERS: weakref.WeakSet[SharedLedger] = weakref.WeakSet()
# per thread because two threads may fork at the same time
_fork_state = threading.local()


def close_at_forks(ledger: SharedLedger) -> None:
    """Register a ledger so that its connection is closed whenever the process forks."""
    _OPEN_LEDGERS.add(ledger)


def _close_before_fork() -> None:
    _fork_state.ledgers = list(_OPEN_LEDGERS)
    for ledger in _fork_state.ledgers:
        ledger._lock.acquire()
        ledger.close_connection()


def _release_after_fork() -> None:
    for ledger in _fork_state.__dict__.pop("ledgers", []):
        ledger._lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_close_before_fork, after_in_parent=_release_after_fork, after_in_child=_release_after_fork
    )

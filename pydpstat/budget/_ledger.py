"""A ledger: its entries, which have no data, kept in memory and shown as a table in statsmodels' form."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

from pydpstat.budget._accountants import NOTHING, Cost, charged, missing
from pydpstat.budget.amounts import Amount
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.results._report import MOST_ROWS, Facts, Report, Rows, number

WIDEST_CALL = 36


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
                "a budget in memory belongs to the process that made it. "
                "Give the budget a path, so that several processes share one ledger."
            )


@dataclass(frozen=True)
class LedgerReport(Report):
    """A budget's limits, what was spent, and the calls."""

    epsilon: float
    delta: float
    accountant: str
    neighbors: str
    path: str | None
    entries: tuple[Entry, ...]
    spent: Amount
    remaining: Amount

    _title = "Privacy Budget"

    def _facts(self) -> Facts:
        return [
            ("Limit of epsilon:", number(self.epsilon)),
            ("Limit of delta:", number(self.delta)),
            ("Accountant:", self.accountant),
            ("Neighbors:", self.neighbors),
            ("No. Releases:", str(len(self.entries))),
            *_amounts(self.spent, "spent"),
            *_amounts(self.remaining, "left"),
        ]

    def _rows(self) -> Rows:
        shown = self.entries[-MOST_ROWS:]
        second = "rho" if self.accountant == "zcdp" else "delta"
        cells = [
            [number(each.epsilon), _number(getattr(each, second)), each.time.removesuffix("Z")]
            for each in shown
        ]
        headers = ("epsilon", second, "time (UTC)")
        return Rows(headers, [_shortened(each.call) for each in shown], cells)

    def _notes(self) -> list[str]:
        notes = [f"Ledger: {'in memory' if self.path is None else self.path}"]
        count = len(self.entries)
        if count > MOST_ROWS:
            notes.append(f"The last {MOST_ROWS} of {count} releases are shown; `entries` has all.")
        if self.accountant == "zcdp":
            notes.append("Epsilon spent: of the rho spent, at the limit of delta.")
            notes.append("Epsilon left: the largest pure one that the rho left covers.")
        return [*notes, *(line for each in self.entries for line in each.conditions.split("\n") if line)]

    def _lines(self) -> list[str]:
        # a path has to stay in one line
        return ["Notes:", *(f"- {line}" for line in dict.fromkeys(self._notes()))]


def _amounts(amount: Amount, word: str) -> Facts:
    if amount.rho is None:
        return [(f"Epsilon {word}:", number(amount.epsilon)), (f"Delta {word}:", number(amount.delta))]
    return [(f"Rho {word}:", number(amount.rho)), (f"Epsilon {word}:", number(amount.epsilon))]


def _number(value: float | None) -> str:
    return "-" if value is None else number(value)


def _shortened(call: str) -> str:
    line = " ".join(call.split())
    return line if len(line) <= WIDEST_CALL else line[: WIDEST_CALL - 3] + "..."

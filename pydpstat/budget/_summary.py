"""The ledger as a table in statsmodels' form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydpstat.budget._entry import Entry
from pydpstat.budget.amounts import Amount
from pydpstat.results._report import MOST_ROWS, Facts, Report, Rows, number

if TYPE_CHECKING:
    from pydpstat.budget.budget import Budget

WIDEST_CALL = 36


class LedgerReport(Report):
    """The limits, what was spent, and the calls.

    Parameters
    ----------
    budget : Budget
    """

    __slots__ = ("_budget", "_entries")

    _title = "Privacy Budget"

    def __init__(self, budget: Budget) -> None:
        self._budget, self._entries = budget, budget.entries

    def _facts(self) -> Facts:
        budget = self._budget
        return [
            ("Limit of epsilon:", number(budget.epsilon)),
            ("Limit of delta:", number(budget.delta)),
            ("Accountant:", budget.accountant),
            ("Neighbors:", budget.neighbors),
            ("No. Releases:", str(len(self._entries))),
            *_amounts(budget.spent, "spent"),
            *_amounts(budget.remaining, "left"),
        ]

    def _rows(self) -> Rows:
        shown = self._entries[-MOST_ROWS:]
        rho = self._budget.accountant == "zcdp"
        cells = [
            [number(each.epsilon), _rho(each) if rho else number(each.delta), each.time.removesuffix("Z")]
            for each in shown
        ]
        headers = ("epsilon", "rho" if rho else "delta", "time (UTC)")
        return Rows(headers, [_shortened(each.call) for each in shown], cells)

    def _notes(self) -> list[str]:
        path, entries = self._budget.path, self._entries
        notes = [f"Ledger: {'in memory' if path is None else path}"]
        if len(entries) > MOST_ROWS:
            notes.append(f"The last {MOST_ROWS} of {len(entries)} releases are shown; `entries` has all.")
        if self._budget.accountant == "zcdp":
            notes.append("Epsilon spent: of the rho spent, at the limit of delta.")
            notes.append("Epsilon left: the largest pure one that the rho left covers.")
        return [*notes, *(line for each in entries for line in each.conditions.split("\n") if line)]

    def _lines(self) -> list[str]:
        # a path has to stay in one line
        return ["Notes:", *(f"- {line}" for line in dict.fromkeys(self._notes()))]


def _amounts(amount: Amount, word: str) -> Facts:
    if amount.rho is None:
        return [(f"Epsilon {word}:", number(amount.epsilon)), (f"Delta {word}:", number(amount.delta))]
    return [(f"Rho {word}:", number(amount.rho)), (f"Epsilon {word}:", number(amount.epsilon))]


def _rho(entry: Entry) -> str:
    return "-" if entry.rho is None else number(entry.rho)


def _shortened(call: str) -> str:
    line = " ".join(call.split())
    return line if len(line) <= WIDEST_CALL else line[: WIDEST_CALL - 3] + "..."

"""The ledger as a table in statsmodels' form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydpstat.budget._entry import Entry
from pydpstat.budget.amounts import Amount
from pydpstat.results._summary import number

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from pydpstat.budget.budget import Budget

MOST_ROWS = 60
WIDEST_CALL = 36


def summary(budget: Budget) -> Summary:
    """Return the limits, what was spent, and the calls."""
    from pydpstat.results._summary_page import SummaryPage

    entries = budget.entries
    shown = entries[-MOST_ROWS:]
    headers = ("epsilon", "delta", "time (UTC)")
    cells = [[number(each.epsilon), number(each.delta), each.time.removesuffix("Z")] for each in shown]
    if budget.accountant == "zcdp":
        headers = ("epsilon", "rho", "time (UTC)")
        cells = [[cell[0], _rho(each), cell[2]] for cell, each in zip(cells, shown)]
    names = [_shortened(each.call) for each in shown]
    facts, notes = _facts(budget, len(entries)), _notes(budget, entries)
    return SummaryPage(facts, headers, names, cells, notes, "Privacy Budget")


def _facts(budget: Budget, count: int) -> list[tuple[str, str]]:
    spent, left = budget.spent, budget.remaining
    facts = [
        ("Limit of epsilon:", number(budget.epsilon)),
        ("Limit of delta:", number(budget.delta)),
        ("Accountant:", budget.accountant),
        ("Neighbors:", budget.neighbors),
        ("No. Releases:", str(count)),
        *_amounts(spent, "spent"),
        *_amounts(left, "left"),
    ]
    return facts


def _amounts(amount: Amount, word: str) -> list[tuple[str, str]]:
    if amount.rho is None:
        return [(f"Epsilon {word}:", number(amount.epsilon)), (f"Delta {word}:", number(amount.delta))]
    return [(f"Rho {word}:", number(amount.rho)), (f"Epsilon {word}:", number(amount.epsilon))]


def _rho(entry: Entry) -> str:
    return "-" if entry.rho is None else number(entry.rho)


def _shortened(call: str) -> str:
    line = " ".join(call.split())
    return line if len(line) <= WIDEST_CALL else line[: WIDEST_CALL - 3] + "..."


def _notes(budget: Budget, entries: tuple[Entry, ...]) -> list[str]:
    notes = ["Notes:", f"- Ledger: {'in memory' if budget.path is None else budget.path}"]
    if len(entries) > MOST_ROWS:
        notes.append(f"- The last {MOST_ROWS} of {len(entries)} releases are shown; `entries` has all.")
    if budget.accountant == "zcdp":
        notes.append("- Epsilon spent: of the rho spent, at the limit of delta.")
        notes.append("- Epsilon left: the largest pure one that the rho left covers.")
    conditions = dict.fromkeys(line for each in entries for line in each.conditions.split("\n") if line)
    return [*notes, *(f"- {line}" for line in conditions)]

"""A ledger as a table in statsmodels' form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pydpstat.budget._entry import Entry
from pydpstat.budget.amounts import Amount
from pydpstat.results._report import MOST_ROWS, Facts, Report, Rows, number, one_line, unit_fact

if TYPE_CHECKING:
    from pydpstat.plots._pictures import Amounts

WIDEST_CALL = 36


@dataclass(frozen=True)
class LedgerReport(Report):
    """A budget's limits, what was spent, and the calls."""

    epsilon: float
    delta: float
    accountant: str
    neighbors: str
    unit: str | None
    place: str
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
            *unit_fact(self.unit),
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
        return Rows(headers, [one_line(each.label or each.call, WIDEST_CALL) for each in shown], cells)

    def _notes(self) -> list[str]:
        notes = [f"Ledger: {self.place}"]
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


def spending(
    entries: tuple[Entry, ...],
    spent: Amount,
    remaining: Amount,
    epsilon: float,
    delta: float,
    accountant: str,
) -> Amounts:
    """Describe the picture of what was spent by label, or by function where a release has none.

    Examples
    --------
    >>> spending((), Amount(0.0, 0.0), Amount(1.0, 0.0), 1.0, 0.0, "basic").left
    ('left', 1.0)
    """
    from pydpstat.plots._pictures import Amounts, Head

    unit = "rho" if accountant == "zcdp" else "epsilon"
    sums: dict[str, float] = {}
    for each in entries:
        name = each.label or each.call.split("(")[0]
        sums[name] = sums.get(name, 0.0) + float(getattr(each, unit) or 0.0)
    values = np.array(list(sums.values()))
    total, left = getattr(spent, unit), getattr(remaining, unit)
    limit = f"epsilon {number(epsilon)}" if math.isfinite(epsilon) else "no limit"
    limits = f"{limit}, delta {number(delta)}" if delta else limit
    head = Head(f"Privacy budget ({limits})", f"{unit} spent: {number(total)} (accountant: {accountant})")
    axis = f"{unit} of the releases"
    if not math.isclose(float(values.sum()), total, rel_tol=1e-9, abs_tol=1e-12):
        axis += ", whose composition is less than the sum"
    return Amounts(head, list(sums), values, axis, ("left", left) if math.isfinite(left) else None)


def _amounts(amount: Amount, word: str) -> Facts:
    if amount.rho is None:
        return [(f"Epsilon {word}:", number(amount.epsilon)), (f"Delta {word}:", number(amount.delta))]
    return [(f"Rho {word}:", number(amount.rho)), (f"Epsilon {word}:", number(amount.epsilon))]


def _number(value: float | None) -> str:
    return "-" if value is None else number(value)

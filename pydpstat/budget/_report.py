"""A ledger as a table in statsmodels' form, and what was spent by label as a short one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pydpstat._markup import as_html
from pydpstat.budget._entry import Entry
from pydpstat.budget.amounts import Amount, decimal
from pydpstat.results._report import MOST_ROWS, Facts, Report, Rows, number, one_line, unit_fact
from pydpstat.results._words import printed

if TYPE_CHECKING:
    from pydpstat.plots._pictures import Amounts

# wide enough for a regression on some variables
WIDEST_CALL = 46
_WIDEST_LABEL = 56


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

    _title = "Privacy budget"

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

    def _every_row(self) -> Rows:
        return self._rows(len(self.entries))

    def _rows(self, most: int = MOST_ROWS) -> Rows:
        shown = self.entries[-most:]
        second = "rho" if self.accountant == "zcdp" else "delta"
        cells = [[number(each.epsilon), _number(getattr(each, second)), each.time[:10]] for each in shown]
        headers = ("epsilon", second, "date (UTC)")
        return Rows(headers, [one_line(each.label or each.call, WIDEST_CALL) for each in shown], cells)

    def _notes(self) -> list[str]:
        notes = [f"Ledger: {self.place}"]
        count = len(self.entries)
        if count > MOST_ROWS:
            notes.append(f"The last {MOST_ROWS} of {count} releases are shown; `entries` has all.")
        if self.accountant == "zcdp":
            notes.append("Epsilon spent: the epsilon of the rho spent, at the limit of delta.")
            notes.append("Epsilon left: the largest pure epsilon that the remaining rho covers.")
        return [*notes, *(line for each in self.entries for line in each.conditions.split("\n") if line)]

    def _lines(self) -> list[str]:
        # a path has to stay in one line
        return ["Notes:", *(f"- {line}" for line in dict.fromkeys(self._notes()))]

    def _spent(self) -> list[tuple[str, ...]]:
        """Return the short table: its heads, a row for each label, and what was spent and is left."""
        part, limit, both = self._part(), self._whole(), self.accountant == "basic" and self.delta > 0.0
        heads = ("", "releases", part, *(("delta",) if both else ()), *(("share",) if limit else ()))

        def row(name: str, count: str, amount: float | None, delta: float | None) -> tuple[str, ...]:
            share = () if not limit else (f"{100.0 * (amount or 0.0) / limit:.3g} %",)
            return name, count, _number(amount), *((_number(delta),) if both else ()), *share

        rows = [
            row(one_line(name, _WIDEST_LABEL), str(len(some)), _total(some, part), _total(some, "delta"))
            for name, some in by_label(self.entries).items()
        ]
        spent, left = (getattr(each, part) for each in (self.spent, self.remaining))
        rows.append(row("spent", str(len(self.entries)), spent, self.spent.delta))
        return [heads, *rows, *([row("left", "", left, self.remaining.delta)] if limit else [])]

    def _part(self) -> str:
        return "rho" if self.accountant == "zcdp" else "epsilon"

    def _whole(self) -> float:
        """Return the limit of what adds up; 0 without one."""
        spent, left = (getattr(each, self._part()) for each in (self.spent, self.remaining))
        return 0.0 if math.isinf(left) else float(spent + left)

    def _head(self) -> str:
        limit = "without a limit" if math.isinf(self.epsilon) else f"of epsilon {number(self.epsilon)}"
        more = f", delta {number(self.delta)}" if self.delta else ""
        unit = "" if self.unit is None else f", unit {one_line(self.unit)}"
        return f"Privacy budget {limit}{more}, {self.neighbors} neighbors{unit}, accountant {self.accountant}"

    def by_label(self) -> str:
        """Return what was spent by label, and what is left, as plain text."""
        heads, *rows = self._spent()
        wide = [max(map(len, column)) for column in zip(heads, *rows)]
        line = "-" * (sum(wide) + 2 * len(wide) - 2)
        shown = [
            "  ".join([f"{row[0]:{wide[0]}}", *(f"{each:>{size}}" for each, size in zip(row[1:], wide[1:]))])
            for row in (heads, *rows)
        ]
        sums = 2 if self._whole() else 1
        parts = [shown[0], line, *shown[1:-sums], *([line] if rows[sums:] else []), *shown[-sums:]]
        return "\n".join([self._head(), "", *(each.rstrip() for each in parts), *self._converted()])

    def _converted(self) -> list[str]:
        """Return what the rho spent means, where rho adds up."""
        if self.accountant == "basic":
            return []
        epsilon, delta = map(number, (self.spent.epsilon, self.delta))
        return ["", f"The rho spent corresponds to epsilon {epsilon} at delta {delta}."]

    def by_label_html(self) -> str:
        """Return what was spent by label, and what is left, as HTML."""
        heads, *rows = self._spent()
        last = len(rows) - (2 if self._whole() else 1)
        lines = [_html_row(heads, "th", "")]
        for place, row in enumerate(rows):
            lines.append(_html_row(row, "td", "border-top: 1px solid" if place == last else ""))
        caption = as_html(". ".join(filter(None, (self._head(), *self._converted()))))
        return f"<table><caption>{caption}</caption>{''.join(lines)}</table>"

    def picture(self) -> Amounts:
        """Describe the picture of what was spent by label, or by function where a release has none."""
        from pydpstat.plots._pictures import Amounts, Head

        part = self._part()
        sums = {name: _total(some, part) or 0.0 for name, some in by_label(self.entries).items()}
        values = np.array(list(sums.values()))
        total, left = (getattr(each, part) for each in (self.spent, self.remaining))
        limit = f"epsilon {number(self.epsilon)}" if math.isfinite(self.epsilon) else "no limit"
        limits = f"{limit}, delta {number(self.delta)}" if self.delta else limit
        spent = f"{part} spent: {number(total)} (accountant: {self.accountant})"
        axis = f"{part} of the releases"
        if not math.isclose(float(values.sum()), total, rel_tol=1e-9, abs_tol=1e-12):
            axis += ", whose composition is less than the sum"
        rest = ("left", left) if math.isfinite(left) else None
        return Amounts(Head(f"Privacy budget ({limits})", spent), list(sums), values, axis, rest)


def by_label(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Return the entries of each label, in the order of their first; what has none goes by its function."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.label or printed(entry.call.split("(")[0]), []).append(entry)
    return found


def _total(entries: Iterable[Entry], part: str) -> float | None:
    """Return an exact sum of decimal numbers, as the budget adds them up; None where one is not known."""
    values = [getattr(each, part) for each in entries]
    return None if None in values else float(sum(map(decimal, values)))


def _html_row(row: Sequence[str], kind: str, style: str) -> str:
    cells = [
        f'<{kind} style="text-align: {side}; {style}">{as_html(each)}</{kind}>'
        for side, each in zip(("left", *["right"] * len(row)), row)
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _amounts(amount: Amount, word: str) -> Facts:
    if amount.rho is None:
        return [(f"Epsilon {word}:", number(amount.epsilon)), (f"Delta {word}:", number(amount.delta))]
    return [(f"Rho {word}:", number(amount.rho)), (f"Epsilon {word}:", number(amount.epsilon))]


def _number(value: float | None) -> str:
    return "-" if value is None else number(value)

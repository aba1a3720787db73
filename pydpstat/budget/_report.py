"""A ledger as a table in statsmodels' form, and a short table of the amounts spent by label."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pydpstat._markup import as_html
from pydpstat.budget._entry import Entry
from pydpstat.budget.amounts import Amount, to_decimal
from pydpstat.results._report import MAX_PAGE_ROWS, Facts, Report, Rows, format_significant, make_unit_fact, trim_name
from pydpstat.results._words import get_printed_name

if TYPE_CHECKING:
    from pydpstat.plots._pictures import AmountPicture

# wide enough for the call of a regression on several variables
MAX_CALL_WIDTH = 46
_MAX_LABEL_WIDTH = 56


@dataclass(frozen=True)
class LedgerReport(Report):
    """A budget's limits, the amounts spent and left, and the entries."""

    epsilon: float
    delta: float
    accountant: str
    neighbors: str
    unit: str | None
    place: str
    entries: tuple[Entry, ...]
    spent: Amount
    remaining: Amount
    reserved: Amount

    _title = "Privacy budget"

    def _collect_facts(self) -> Facts:
        return [
            ("Limit of epsilon:", format_significant(self.epsilon)),
            ("Limit of delta:", format_significant(self.delta)),
            ("Accountant:", self.accountant),
            ("Neighbors:", self.neighbors),
            *make_unit_fact(self.unit),
            ("No. Releases:", str(len(self.entries))),
            *_format_amount(self.spent, "spent"),
            *(_format_amount(self.reserved, "reserved") if self._has_reservations else []),
            *_format_amount(self.remaining, "left"),
        ]

    def _make_all_rows(self) -> Rows:
        return self._make_rows(len(self.entries))

    def _make_rows(self, max_rows: int = MAX_PAGE_ROWS) -> Rows:
        entries = self.entries[-max_rows:]
        parameter = "rho" if self.accountant == "zcdp" else "delta"
        cells = [
            [format_significant(entry.epsilon), _format_optional(getattr(entry, parameter)), entry.time[:10]]
            for entry in entries
        ]
        headers = ("epsilon", parameter, "date (UTC)")
        return Rows(headers, [trim_name(entry.label or entry.call, MAX_CALL_WIDTH) for entry in entries], cells)

    def _collect_notes(self) -> list[str]:
        notes = [f"Ledger: {self.place}"]
        count = len(self.entries)
        if count > MAX_PAGE_ROWS:
            notes.append(f"The last {MAX_PAGE_ROWS} of {count} releases are shown; `entries` has all.")
        if self.accountant == "zcdp":
            notes.append("Epsilon spent: the epsilon of the rho spent, at the limit of delta.")
            notes.append("Epsilon left: the largest pure epsilon that the remaining rho covers.")
        if self._has_reservations:
            notes.append("Reserved amounts are not spent: `reservations` has them, and can release them.")
        return [*notes, *(line for entry in self.entries for line in entry.conditions.split("\n") if line)]

    def _format_notes(self) -> list[str]:
        # paths must not be wrapped
        return ["Notes:", *(f"- {line}" for line in dict.fromkeys(self._collect_notes()))]

    def _summarize_by_label(self) -> list[tuple[str, ...]]:
        """Return the rows of the short table: headers, one row per label, the total spent and the amount left."""
        parameter, limit, has_delta = (
            self._get_parameter_name(),
            self._get_total_limit(),
            self.accountant == "basic" and self.delta > 0.0,
        )
        heads = ("", "releases", parameter, *(("delta",) if has_delta else ()), *(("share",) if limit else ()))

        def make_row(name: str, count: str, amount: float | None, delta: float | None) -> tuple[str, ...]:
            share = () if not limit else (f"{100.0 * (amount or 0.0) / limit:.3g} %",)
            return (
                name,
                count,
                _format_optional(amount),
                *((_format_optional(delta),) if has_delta else ()),
                *share,
            )

        rows = [
            make_row(
                trim_name(name, _MAX_LABEL_WIDTH),
                str(len(some)),
                _sum_exactly(some, parameter),
                _sum_exactly(some, "delta"),
            )
            for name, some in group_by_label(self.entries).items()
        ]
        spent, remaining = (getattr(amounts, parameter) for amounts in (self.spent, self.remaining))
        rows.append(make_row("spent", str(len(self.entries)), spent, self.spent.delta))
        if self._has_reservations:
            rows.append(make_row("reserved", "", getattr(self.reserved, parameter), self.reserved.delta))
        return [heads, *rows, *([make_row("left", "", remaining, self.remaining.delta)] if limit else [])]

    @property
    def _has_reservations(self) -> bool:
        return getattr(self.reserved, self._get_parameter_name()) > 0.0

    @property
    def _n_sums(self) -> int:
        """The number of rows with sums at the end of the short table."""
        return 1 + self._has_reservations + bool(self._get_total_limit())

    def _get_parameter_name(self) -> str:
        return "rho" if self.accountant == "zcdp" else "epsilon"

    def _get_total_limit(self) -> float:
        """Return the limit of the additive parameter; 0 without a limit."""
        parameter = self._get_parameter_name()
        spent, reserved, left = (getattr(amount, parameter) for amount in (self.spent, self.reserved, self.remaining))
        return 0.0 if math.isinf(left) else float(spent + reserved + left)

    def _format_caption(self) -> str:
        limit = "without a limit" if math.isinf(self.epsilon) else f"of epsilon {format_significant(self.epsilon)}"
        delta_text = f", delta {format_significant(self.delta)}" if self.delta else ""
        unit = "" if self.unit is None else f", unit {trim_name(self.unit)}"
        return f"Privacy budget {limit}{delta_text}, {self.neighbors} neighbors{unit}, accountant {self.accountant}"

    def format_by_label(self) -> str:
        """Return the amounts spent by label, and the amount left, as plain text."""
        heads, *rows = self._summarize_by_label()
        wide = [max(map(len, column)) for column in zip(heads, *rows)]
        line = "-" * (sum(wide) + 2 * len(wide) - 2)
        formatted = [
            "  ".join([f"{row[0]:{wide[0]}}", *(f"{each:>{size}}" for each, size in zip(row[1:], wide[1:]))])
            for row in (heads, *rows)
        ]
        sums = self._n_sums
        lines = [formatted[0], line, *formatted[1:-sums], *([line] if rows[sums:] else []), *formatted[-sums:]]
        return "\n".join([self._format_caption(), "", *(each.rstrip() for each in lines), *self._describe_conversion()])

    def _describe_conversion(self) -> list[str]:
        """Return lines with the epsilon of the rho spent, unless the accountant is basic."""
        if self.accountant == "basic":
            return []
        epsilon, delta = map(format_significant, (self.spent.epsilon, self.delta))
        return ["", f"The rho spent corresponds to epsilon {epsilon} at delta {delta}."]

    def format_html_by_label(self) -> str:
        """Return the amounts spent by label, and the amount left, as HTML."""
        heads, *rows = self._summarize_by_label()
        last = len(rows) - self._n_sums
        lines = [_format_html_row(heads, "th", "")]
        for i, row in enumerate(rows):
            lines.append(_format_html_row(row, "td", "border-top: 1px solid" if i == last else ""))
        caption = as_html(". ".join(filter(None, (self._format_caption(), *self._describe_conversion()))))
        return f"<table><caption>{caption}</caption>{''.join(lines)}</table>"

    def make_picture(self) -> AmountPicture:
        """Return the picture of the amounts spent by label, or by function for releases without a label."""
        from pydpstat.plots._pictures import AmountPicture, PictureHead

        parameter = self._get_parameter_name()
        sums = {name: _sum_exactly(some, parameter) or 0.0 for name, some in group_by_label(self.entries).items()}
        values = np.array(list(sums.values()))
        total, remaining = (getattr(amounts, parameter) for amounts in (self.spent, self.remaining))
        limit = f"epsilon {format_significant(self.epsilon)}" if math.isfinite(self.epsilon) else "no limit"
        limits = f"{limit}, delta {format_significant(self.delta)}" if self.delta else limit
        spent = f"{parameter} spent: {format_significant(total)} (accountant: {self.accountant})"
        axis = f"{parameter} of the releases"
        if not math.isclose(float(values.sum()), total, rel_tol=1e-9, abs_tol=1e-12):
            axis += ", whose composition is less than the sum"
        remainder = ("left", remaining) if math.isfinite(remaining) else None
        names = list(sums)
        if self._has_reservations:
            names, values = [*names, "reserved"], np.append(values, getattr(self.reserved, parameter))
        return AmountPicture(PictureHead(f"Privacy budget ({limits})", spent), names, values, axis, remainder)


def group_by_label(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Return the entries of each label, in order of first occurrence; entries without a label by function."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.label or get_printed_name(entry.call.split("(")[0]), []).append(entry)
    return groups


def _sum_exactly(entries: Iterable[Entry], part: str) -> float | None:
    """Return the exact sum of decimal numbers, as the budget computes it; None if a number is unknown."""
    values = [getattr(entry, part) for entry in entries]
    return None if None in values else float(sum(map(to_decimal, values)))


def _format_html_row(row: Sequence[str], kind: str, style: str) -> str:
    cells = [
        f'<{kind} style="text-align: {alignment}; {style}">{as_html(cell)}</{kind}>'
        for alignment, cell in zip(("left", *["right"] * len(row)), row)
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _format_amount(amount: Amount, word: str) -> Facts:
    if amount.rho is None:
        return [
            (f"Epsilon {word}:", format_significant(amount.epsilon)),
            (f"Delta {word}:", format_significant(amount.delta)),
        ]
    return [
        (f"Rho {word}:", format_significant(amount.rho)),
        (f"Epsilon {word}:", format_significant(amount.epsilon)),
    ]


def _format_optional(value: float | None) -> str:
    return "-" if value is None else format_significant(value)

"""The speed tables of README.md and docs/speed.md, written from what a run measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import table
from measured import Measured
from table import Row

from pydpstat import _files as files

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- measured from here -->", "<!-- measured up to here -->"
# the rows that the README shows, by their names in a run
SHOWN = {
    "meanDP": "`meanDP`, beside R",
    "quantileDP": "`quantileDP`, beside R",
    "LogisticRegressionDP, 20 predictors": "`LogisticRegressionDP`, 20 predictors, beside R",
    "mean, beside np.clip(x, a, b).sum()": "`mean`, beside `np.clip(x, a, b).sum()`",
    "exact Gaussian": "exact Gaussian noise, beside `Generator.normal`",
}


def readme(found: Measured) -> str:
    """Return the README's table: some rows beside R and beside NumPy."""
    rows = {row.what: row for row in (*found.run.rows, *_marked(found))}
    lines = [("What", "Size", "pydpstat", "Other", "Ratio")]
    for what, shown in SHOWN.items():
        _, size, ours, theirs, ratio, *_ = rows[what].cells()
        lines.append((shown, size, ours, theirs.removesuffix(" (NumPy)"), ratio))
    return f"{_heading(found)}\n\n{table.piped(lines, (False, True, True, True, True))}"


def speed(found: Measured) -> str:
    """Return the page's tables: all rows, and how they were measured."""
    parts = [_heading(found), table.markdown([*found.run.rows, *_marked(found)]), *found.how, _peers(found)]
    return "\n\n".join(parts)


# each page's tables
PAGES: Mapping[Path, Callable[[Measured], str]] = {
    ROOT / "README.md": readme,
    ROOT / "docs" / "speed.md": speed,
}


def rewritten(page: str, tables: str) -> str:
    """Return a page with other tables between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page lacks {BEGIN} or {END}")
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


def write(found: Measured) -> None:
    """Write the tables into both pages."""
    for path, tables in PAGES.items():
        files.write_text(path, rewritten(path.read_text(encoding="utf-8"), tables(found)))


def _heading(found: Measured) -> str:
    marked = f" Rows marked * were measured with {found.earlier.heading}." if found.earlier.rows else ""
    return f"Measured with {found.run.heading}.{marked}"


def _marked(found: Measured) -> list[Row]:
    """Return the rows of an earlier run, marked."""
    return [replace(row, size=f"{row.size} *") for row in found.earlier.rows]


def _peers(found: Measured) -> str:
    peers = found.peers
    return "\n\n".join(
        (
            f"Other packages at epsilon 1 on the same numbers ({peers.caption()}), each in a separate "
            "environment and process, timed in turn. In brackets stands our time divided by theirs:",
            table.piped(peers.cells(), peers.right()),
            "\n".join(f"- {note}" for note in peers.notes()),
        )
    )

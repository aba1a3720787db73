"""The page on large data, written from what a whole run measured."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import pages
from large_tables import Table

from pydpstat import _files as files

FILE = Path(__file__).resolve().parent / "large.json"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "large_data.md"


class Measured(NamedTuple):
    """What a whole run measured."""

    heading: str
    tables: Sequence[Table]


def load(path: Path = FILE) -> Measured:
    """Read what was measured."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Measured(content["heading"], [Table(**each) for each in content["tables"]])


def save(found: Measured, path: Path = FILE) -> None:
    """Write what was measured, whole or not at all."""
    content = {"heading": found.heading, "tables": [asdict(each) for each in found.tables]}
    files.write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def after(heading: str, tables: Sequence[Table], only: str, path: Path = FILE) -> Measured:
    """Return what was found; where one part alone was measured, with the others of the run before."""
    if not only or not path.exists():
        return Measured(heading, tables)
    before = load(path)
    parts = ("files", "memory", "errors", "peers")
    merged = [each for each in before.tables if each.part != only] + list(tables)
    return Measured(before.heading, sorted(merged, key=lambda each: parts.index(each.part)))


def tables(found: Measured) -> str:
    """Return the page's tables."""
    return "\n\n".join([found.heading, *(each.markdown() for each in found.tables)])


def write(found: Measured) -> None:
    """Write the tables into the page."""
    files.write_text(PAGE, pages.rewritten(PAGE.read_text(encoding="utf-8"), tables(found)))

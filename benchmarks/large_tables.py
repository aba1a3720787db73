"""Tables of what was measured on large data, and the line that says on what."""

from __future__ import annotations

import os
import platform
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import table

from pydpstat import __version__

_PACKAGES = ("numpy", "pandas", "pyarrow", "polars", "duckdb", "dask", "pyspark")


@dataclass(frozen=True)
class Table:
    """A table with a title and notes.

    Parameters
    ----------
    part : str
        The part of the run that it is of.
    title : str
    rows : sequence of sequence of str
        The first is the head.
    notes : sequence of str
        How it was measured.
    """

    part: str
    title: str
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def text(self) -> str:
        """Return the table as text."""
        notes = [textwrap.fill(note, 110) for note in self.notes]
        return "\n\n".join([self.title, table.aligned(self.rows, self._right()), *notes])

    def markdown(self) -> str:
        """Return the table in Markdown, under a heading."""
        return "\n\n".join([f"## {self.title}", table.piped(self.rows, self._right()), *self.notes])

    def _right(self) -> list[bool]:
        """Numbers end at the right: all columns but the first and the last."""
        return [0 < place < len(self.rows[0]) - 1 for place in range(len(self.rows[0]))]


def met(value: float | None, aim: float | None) -> str:
    """Return whether a value is at most the aim, as a cell."""
    return "-" if value is None or aim is None else "yes" if value <= aim else "no"


def heading() -> str:
    """Return the line that tells what was measured on what."""
    load = f", {os.getloadavg()[0]:.1f} other processes at work at its start" if hasattr(os, "getloadavg") else ""
    packages = [f"{name} {found}" for name in _PACKAGES if (found := _version(name))]
    return (
        f"Measured with pydpstat {__version__}, Python {platform.python_version()}, {', '.join(packages)}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}."
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def environment() -> dict[str, str]:
    """Return the environment of a process that is to find this package and this interpreter."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return {**os.environ, "PYTHONPATH": root, "PYSPARK_PYTHON": sys.executable}

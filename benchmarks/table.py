"""The table of the benchmarks, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HEAD = ("what", "size", "ours", "R", "ratio", "aim", "met")
RIGHT = (False, True, True, True, True, False, False)


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Parameters
    ----------
    what : str
        What was measured.
    size : str
        How much of it.
    ours, theirs : str
        The two sides, with units; "-" where there is no other side.
    ratio : float or None
        Ours divided by the other side's: below 1 ours is faster.
    aim : str
        What was aimed at, "-" for nothing.
    met : bool or None
        Whether it was reached; None where there is no aim or no ratio.
    """

    what: str
    size: str
    ours: str
    theirs: str = "-"
    ratio: float | None = None
    aim: str = "-"
    met: bool | None = None

    def cells(self) -> tuple[str, ...]:
        """Return the row's texts, in the order of the head."""
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}"
        met = "-" if self.met is None else ("yes" if self.met else "no")
        return self.what, self.size, self.ours, self.theirs, ratio, self.aim, met


def duration(seconds: float) -> str:
    """Return a time with three digits, in s, ms or us.

    Examples
    --------
    >>> duration(0.01234)
    '12.3 ms'
    """
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1.0:
            break
    value = seconds * factor
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


def timed(what: str, size: str, taken: float, aim: float) -> Row:
    """Return the row of a time in seconds that has no other side, with its aim."""
    return Row(what, size, duration(taken), aim=f"<= {duration(aim)}", met=taken <= aim)


def text(rows: Sequence[Row]) -> str:
    """Return an aligned table."""
    return aligned([HEAD, *(row.cells() for row in rows)], RIGHT)


def markdown(rows: Sequence[Row]) -> str:
    """Return the table in Markdown."""
    return piped([HEAD, *(row.cells() for row in rows)], RIGHT)


def aligned(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Return lines of cells, the first a head, in columns; `right` says which are aligned there."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    rule = tuple("-" * width for width in widths)
    return "\n".join(_aligned(line, widths, right) for line in (lines[0], rule, *lines[1:]))


def piped(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Return lines of cells, the first a head, in Markdown."""
    marks = ["---:" if each else "---" for each in right]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], marks, *lines[1:]))


def _aligned(line: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    places = zip(line, widths, right)
    cells = (cell.rjust(width) if ends else cell.ljust(width) for cell, width, ends in places)
    return "  ".join(cells).rstrip()

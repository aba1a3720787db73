"""Results with a frame and a page, as text for other programs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydpstat._csv import cell as csv_cell
from pydpstat._files import write
from pydpstat.results._report import Report, cell

if TYPE_CHECKING:
    import pandas as pd


class Exported(Report):
    """A result whose frame and page can be had as Markdown, LaTeX, HTML and CSV.

    Examples
    --------
    >>> import pydpstat
    >>> planned = pydpstat.plan("mean", 1.0, bounds=(0, 100), n=1000)
    >>> print(planned.to_markdown())
    |      | epsilon | n    | noise sd | accuracy |
    |------|---------|------|----------|----------|
    | mean | 1       | 1000 | 0.141421 | 0.299573 |
    """

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a frame."""
        raise NotImplementedError

    def to_markdown(self) -> str:
        """Return the frame as a table in Markdown, numbers with six significant digits."""
        frame = self.to_frame()
        heads, *rows = [[text.replace("|", "\\|") for text in row] for row in _texts(frame, cell, "-")]
        widths = [max(map(len, column)) for column in zip(heads, *rows)]
        lines = [" | ".join(map(str.ljust, row, widths)) for row in (heads, *rows)]
        rule = "|".join("-" * (width + 2) for width in widths)
        return "\n".join([f"| {lines[0]} |", f"|{rule}|", *(f"| {line} |" for line in lines[1:])])

    def to_latex(self) -> str:
        """Return the summary as LaTeX."""
        return self.summary().as_latex()

    def to_html(self) -> str:
        """Return the summary as HTML."""
        return self.summary().as_html()

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return the frame as CSV with numbers in full precision, or write it into a file.

        A text that a spreadsheet would run as a formula has an apostrophe in front.
        """
        rows = _texts(self.to_frame(), str, "")
        content = "".join(",".join(map(csv_cell, row)) + "\n" for row in rows)
        if path is None:
            return content
        write(Path(path), content)
        return None


def _texts(frame: pd.DataFrame, shown: Callable[[Any], str], missing: str) -> list[list[str]]:
    """Return the head and the rows of a frame with its index, every cell as a text."""
    import pandas as pd

    # row by row, so that whole numbers stay whole
    rows = zip(*(frame[name].tolist() for name in frame.columns))
    keys = [each if isinstance(each, tuple) else (each,) for each in frame.index]
    heads = ["" if each is None else str(each) for each in (*frame.index.names, *frame.columns)]
    cells = ([missing if pd.isna(each) else shown(each) for each in row] for row in rows)
    return [heads, *([*map(str, key), *row] for key, row in zip(keys, cells))]

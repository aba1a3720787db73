"""What every result can be written as: HTML, LaTeX, Markdown and CSV."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from pydpstat._csv import text_of
from pydpstat._files import given

if TYPE_CHECKING:
    import pandas as pd
    from statsmodels.iolib.summary import Summary


class Exports:
    """A result with a summary and a frame, written in other forms."""

    # without it every result would have a dictionary
    __slots__ = ()

    def summary(self) -> Summary:
        """Return the result as a table in statsmodels' form."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a frame."""
        raise NotImplementedError

    def _numbers(self) -> tuple[tuple[str, ...], list[str], list[list[str]]]:
        """State the columns' heads, the rows' names and their cells."""
        raise NotImplementedError

    def to_html(self) -> str:
        """Return the summary as HTML, as a notebook shows it.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> r.to_html().count("<table")
        2
        """
        return self.summary().as_html()

    def to_latex(self) -> str:
        """Return the numbers as one LaTeX tabular, for the package booktabs.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> r.to_latex().splitlines()[1:3]
        ['\\\\begin{tabular}{lcccc}', '\\\\toprule']
        """
        table: Any = self.summary().tables[0]
        return str(table.as_latex_tabular())

    def to_markdown(self) -> str:
        """Return the numbers as a Markdown table.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> print(r.to_markdown())
        |  | estimate | noise sd | [0.025 | 0.975] |
        | --- | ---: | ---: | ---: | ---: |
        | mean | 1.80861 | 1.76777 | 0 | 5 |
        """
        heads, names, cells = self._numbers()
        rows = [["", *heads], *([name, *row] for name, row in zip(names, cells))]
        lines = ["| " + " | ".join(map(_markdown, row)) + " |" for row in rows]
        lines.insert(1, "| --- |" + " ---: |" * len(heads))
        return "\n".join(lines)

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return `to_frame` as CSV in full precision, or write it into a file.

        Parameters
        ----------
        path : str or path-like, optional
            The file, which is replaced; it is whole or not there. By default the text is returned.

        Returns
        -------
        str or None
            A text that a spreadsheet would run as a formula has an apostrophe in front.

        Raises
        ------
        PydpstatError
            If `path` is no file's name, or cannot be written.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
        >>> print(r.to_csv().splitlines()[0])
        term,estimate,noise sd,lower,upper
        """
        frame = self.to_frame()
        keys = [str(name or "term") for name in frame.index.names]
        rows: list[list[object]] = [[*keys, *frame.columns]]
        for index, row in zip(frame.index, frame.itertuples(index=False, name=None)):
            own = index if isinstance(index, tuple) else (index,)
            rows.append([*own, *(None if each != each else each for each in row)])
        return given(text_of(rows), path)


def _markdown(text: str) -> str:
    return re.sub(r"([|\\`*_<])", r"\\\1", text)

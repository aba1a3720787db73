"""What every result can be written as: HTML, LaTeX, Markdown and CSV."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydpstat import _checks as checks
from pydpstat._answering import Answering
from pydpstat._files import Target, given, text_of
from pydpstat.errors import PydpstatError
from pydpstat.results._columns import Rows, Shown

if TYPE_CHECKING:
    import pandas as pd
    from statsmodels.iolib.summary import Summary


class Exports(Answering):
    """A result with a summary and a frame, written in other forms."""

    # without it every result would have a dictionary
    __slots__ = ()

    def summary(self) -> Summary:
        """Return the result as a table in statsmodels' form."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a frame."""
        raise NotImplementedError

    def _page(self, rows: Rows) -> Summary:
        """Return the page that has these rows."""
        raise NotImplementedError

    def _rows(self) -> Rows:
        """State the columns' heads, the rows' names and their cells."""
        raise NotImplementedError

    def _every_row(self) -> Rows:
        """State all rows, also where a page shows the first of them alone."""
        return self._rows()

    def _numbers(self, digits: int | None) -> Rows:
        """Return all rows with a number of decimals; p-values and counts stay as they are."""
        return _rounded(self._every_row(), _decimals(digits))

    def to_html(self, path: Target | None = None, *, digits: int | None = None) -> str | None:
        """Return the summary as HTML, as a notebook shows it, or write it into a file.

        Parameters
        ----------
        {path}
        digits : int, optional, keyword only
            Number of decimals. By default six significant digits.

        Returns
        -------
        str or None
            The text; None where `path` is given.

        Raises
        ------
        PydpstatError
            If an argument is not allowed, or the file cannot be written.

        See Also
        --------
        DPResults.to_latex, DPResults.to_markdown : the numbers in other formats.

        Examples
        --------
        >>> import pydpstat as dp
        >>> r = dp.mean([1, 2, 3, 4], 1.0, bounds=(0, 5), rng=1)
        >>> r.to_html().count("<table")
        2
        """
        page = self.summary() if digits is None else self._page(_rounded(self._rows(), _decimals(digits)))
        return given(page.as_html(), path, "mean.html")

    def to_latex(
        self,
        path: Target | None = None,
        *,
        caption: str | None = None,
        label: str | None = None,
        digits: int | None = None,
    ) -> str | None:
        r"""Return the numbers as a LaTeX table, or write it into a file.

        Parameters
        ----------
        {path}
        caption, label : str, optional, keyword only
            Caption, as LaTeX, and label; with one of them the table is a float.
        digits : int, optional, keyword only
            Number of decimals. By default six significant digits.

        Returns
        -------
        str or None
            The text; None where `path` is given.

        Raises
        ------
        PydpstatError
            If an argument is not allowed, or the file cannot be written.

        See Also
        --------
        DPResults.to_markdown, DPResults.to_html : other formats.

        Notes
        -----
        The preamble needs ``\usepackage{booktabs}``, and ``\usepackage{longtable}`` for more than 40 rows. A
        wide table has smaller letters.

        Examples
        --------
        >>> import pydpstat as dp
        >>> r = dp.mean([1, 2, 3, 4], 1.0, bounds=(0, 5), rng=1)
        >>> print("\n".join(r.to_latex(caption="Mean", label="tab:mean").splitlines()[2:5]))
        \caption{Mean}
        \label{tab:mean}
        \begin{tabular}{lrrrr}
        """
        from pydpstat.results._latex import of_table

        for name, each, usual in (("caption", caption, "Mean income"), ("label", label, "tab:income")):
            if each is not None and not isinstance(each, str):
                got = checks.shown_option(each)
                raise PydpstatError(
                    f"{name} must be a string or None; got {got}. For example, {name}={usual!r}."
                )
        return given(of_table(*self._numbers(digits), caption, label), path, "mean.tex")

    def to_markdown(self, path: Target | None = None, *, digits: int | None = None) -> str | None:
        """Return the numbers as a Markdown table, or write it into a file.

        Parameters
        ----------
        {path}
        digits : int, optional, keyword only
            Number of decimals. By default six significant digits.

        Returns
        -------
        str or None
            The text; None where `path` is given.

        Raises
        ------
        PydpstatError
            If an argument is not allowed, or the file cannot be written.

        See Also
        --------
        DPResults.to_latex, DPResults.to_html : other formats.

        Examples
        --------
        >>> import pydpstat as dp
        >>> r = dp.mean([1, 2, 3, 4], 1.0, bounds=(0, 5), rng=1)
        >>> print(r.to_markdown(digits=2).splitlines()[1])
        | --- | ---: | ---: | ---: | ---: |
        """
        heads, names, cells = self._numbers(digits)
        rows = [["", *heads], *([name, *row] for name, row in zip(names, cells))]
        lines = ["| " + " | ".join(map(_markdown, row)) + " |" for row in rows]
        lines.insert(1, "| --- |" + " ---: |" * len(heads))
        return given("\n".join(lines), path, "mean.md")

    def to_csv(self, path: Target | None = None, *, digits: int | None = None) -> str | None:
        """Return `to_frame` as CSV in full precision, or write it into a file.

        Parameters
        ----------
        {path}
        digits : int, optional, keyword only
            Number of decimals, of all numbers but p-values. By default all digits.

        Returns
        -------
        str or None
            The text; None where `path` is given. A text that a spreadsheet would run as a formula has an
            apostrophe in front.

        Raises
        ------
        PydpstatError
            If an argument is not allowed, or the file cannot be written.

        See Also
        --------
        DPResults.to_frame : the same numbers as a frame.

        Examples
        --------
        >>> import pydpstat as dp
        >>> r = dp.mean([1, 2, 3, 4], 1.0, bounds=(0, 5), rng=1)
        >>> print(r.to_csv().splitlines()[0])
        term,estimate,noise sd,noise lower,noise upper
        """
        return self._csv(self.to_frame(), path, digits)

    def _csv(self, frame: pd.DataFrame, path: Target | None, digits: int | None) -> str | None:
        known = _decimals(digits)
        if known is not None:
            frame = frame.round({name: known for name in frame.columns if "p-value" not in str(name)})
        rows: list[list[object]] = [[*keys_of(frame.index), *frame.columns]]
        for index, row in zip(frame.index, frame.itertuples(index=False, name=None)):
            own = index if isinstance(index, tuple) else (index,)
            rows.append([*own, *(None if each != each else each for each in row)])
        return given(text_of(rows), path, "mean.csv")


def keys_of(index: pd.Index) -> list[str]:
    """Return what the levels of a frame's index are called; those without a name are terms.

    Examples
    --------
    >>> import pandas as pd
    >>> keys_of(pd.Index(["a"])), keys_of(pd.MultiIndex.from_tuples([("a", "b")]))
    (['term'], ['term 1', 'term 2'])
    """
    several = sum(not name for name in index.names) > 1
    return [str(name or f"term{f' {place}' * several}") for place, name in enumerate(index.names, 1)]


def _rounded(rows: Rows, digits: int | None) -> Rows:
    names = [" ".join(name.split()) for name in rows.names]
    if digits is None:
        return rows._replace(names=names)
    cells = [
        [each.rounded(digits) if isinstance(each, Shown) else each for each in row] for row in rows.cells
    ]
    return rows._replace(names=names, cells=cells)


def _decimals(digits: int | None) -> int | None:
    return (
        digits if digits is None else checks.integer(digits, "digits", 0, 15, hint="For example, digits=1.")
    )


def _markdown(text: str) -> str:
    return re.sub(r"([|\\`*_<])", r"\\\1", text)

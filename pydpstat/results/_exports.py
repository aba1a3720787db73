"""What every result can be written as: HTML, LaTeX, Markdown and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pydpstat import _checks as checks
from pydpstat._answering import Answering
from pydpstat._files import Target, given, text_of
from pydpstat._markup import as_latex, as_markdown
from pydpstat.errors import PydpstatError
from pydpstat.results._numbers import Rows, Shown

if TYPE_CHECKING:
    import pandas as pd
    from statsmodels.iolib.summary import Summary

# in points: the width of a page of article, of its usual letter, and the space on both sides of a column
_PAGE, _LETTER = 345.0, 4.6
# sizes of letters with their parts of the usual one, and the space beside a column in points
_SIZES = (("", 1.0, 6), (r"\small", 0.92, 6), (r"\small", 0.92, 4), (r"\footnotesize", 0.84, 3))
_SMALLEST = (r"\scriptsize", 0.75, 2)
# rows that a page has place for
_MOST_ROWS = 40
# what is written above the two ends of an interval
_OVER = {"noise": "noise interval", "population": "confidence interval"}


def escaped(text: str) -> str:
    """Return a text as LaTeX shows it."""
    if re.fullmatch(r"-[\d.]+(e[-+]?\d+)?|-inf", text):
        return f"$-${text[1:]}"
    return as_latex(text)


def row_of(cells: Sequence[str]) -> str:
    """Return a row of a table."""
    first, *others = map(escaped, cells)
    # these would belong to the end of the row above
    first = f"{{{first[0]}}}{first[1:]}" if first.startswith(("[", "*")) else first
    return f"{' & '.join([first, *others])} \\\\"


def of_table(
    heads: Sequence[str],
    names: Sequence[str],
    cells: Sequence[Sequence[str]],
    caption: str | None,
    label: str | None,
) -> str:
    """Return a table of numbers with a column of names; a long one goes over several pages."""
    size, space = _size(_widths(heads, names, cells))
    setting = [*([size] if size else []), *([rf"\setlength{{\tabcolsep}}{{{space}pt}}"] if space < 6 else [])]
    columns = "l" + "r" * len(heads)
    head = [r"\toprule", *_head(heads), r"\midrule"]
    body = [row_of([name, *row]) for name, row in zip(names, cells)]
    # a label refers to the number that a caption has
    titled = [] if caption is None and label is None else [rf"\caption{{{_bare(caption or '')}}}"]
    titled += [] if label is None else [rf"\label{{{label}}}"]
    if len(body) > _MOST_ROWS:
        first = ["".join(titled) + r" \\", *head, r"\endfirsthead"] if titled else []
        head += [r"\endhead", r"\bottomrule", r"\endfoot"]
        lines = [rf"\begin{{longtable}}{{{columns}}}", *first, *head, *body, r"\end{longtable}"]
        return "\n".join(["{", *setting, *lines, "}"] if setting else lines)
    tabular = [rf"\begin{{tabular}}{{{columns}}}", *head, *body, r"\bottomrule", r"\end{tabular}"]
    if titled:
        return "\n".join([r"\begin{table}[htbp]", r"\centering", *setting, *titled, *tabular, r"\end{table}"])
    return "\n".join([r"\begin{center}", *setting, *tabular, r"\end{center}"])


def _head(heads: Sequence[str]) -> Iterator[str]:
    """Yield the row of heads; above it what the ends of an interval are of, where they say it."""
    over, under, ruled = [""], [""], []
    place = 0
    while place < len(heads):
        what, end, low = heads[place].partition(" [")
        if end and what in _OVER:
            over.append(rf"\multicolumn{{2}}{{c}}{{{_OVER[what]}}}")
            ruled.append(rf"\cmidrule(lr){{{place + 2}-{place + 3}}}")
            under += [f"[{low}", heads[place + 1]]
            place += 2
        else:
            over.append("")
            under.append(heads[place])
            place += 1
    if ruled:
        yield f"{' & '.join(over)} \\\\"
        yield " ".join(ruled)
    yield row_of(under)


def _bare(caption: str) -> str:
    r"""Return a caption, which is LaTeX, with the signs that would end it or the table written out."""
    return re.sub(r"(?<!\\)([%&#])", r"\\\1", caption)


def _widths(heads: Sequence[str], names: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    """Return the letters of each column."""
    shown = [head.partition(" [")[2] or head for head in heads]
    rows = [["", *shown], *([name, *row] for name, row in zip(names, cells))]
    return [max(map(len, column)) for column in zip(*rows)]


def _size(widths: Sequence[int]) -> tuple[str, int]:
    """Return the largest letters, and the space beside a column, with which the columns fit the page."""
    for size, part, space in _SIZES:
        if sum(widths) * _LETTER * part + 2 * space * len(widths) <= _PAGE:
            return size, space
    return _SMALLEST[0], _SMALLEST[2]


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
        path : str, path-like or writable text file, optional
            Where to write it; a file of that name is replaced. By default the text is returned.
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
        path : str, path-like or writable text file, optional
            Where to write it; a file of that name is replaced. By default the text is returned.
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
        path : str, path-like or writable text file, optional
            Where to write it; a file of that name is replaced. By default the text is returned.
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
        lines = ["| " + " | ".join(map(as_markdown, row)) + " |" for row in rows]
        lines.insert(1, "| --- |" + " ---: |" * len(heads))
        return given("\n".join(lines), path, "mean.md")

    def to_csv(self, path: Target | None = None, *, digits: int | None = None) -> str | None:
        """Return `to_frame` as CSV in full precision, or write it into a file.

        Parameters
        ----------
        path : str, path-like or writable text file, optional
            Where to write it; a file of that name is replaced. By default the text is returned.
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
    """Return what the levels of a frame's index are called; those without a name are terms."""
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

"""What every result can be written as: HTML, LaTeX, Markdown and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pydpstat import _checks as checks
from pydpstat._answering import HelpfulErrors
from pydpstat._files import Target, format_csv, return_or_write
from pydpstat._markup import as_latex, as_markdown
from pydpstat.errors import PydpstatError
from pydpstat.results._numbers import FormattedNumber, Rows

if TYPE_CHECKING:
    import pandas as pd
    from statsmodels.iolib.summary import Summary

# in points: the width of a page of article, of its usual letter, and the space on both sides of a column
_PAGE_WIDTH, _LETTER_WIDTH = 345.0, 4.6
# sizes of letters with their parts of the usual one, and the space beside a column in points
_FONT_SIZES = (("", 1.0, 6), (r"\small", 0.92, 6), (r"\small", 0.92, 4), (r"\footnotesize", 0.84, 3))
_SMALLEST_FONT = (r"\scriptsize", 0.75, 2)
# rows that a page has place for
_MAX_TABLE_ROWS = 40
# what is written above the two ends of an interval
_INTERVAL_HEADINGS = {"noise": "noise interval", "population": "confidence interval"}


def escape_latex_cell(text: str) -> str:
    """Return a text as LaTeX shows it."""
    if re.fullmatch(r"-[\d.]+(e[-+]?\d+)?|-inf", text):
        return f"$-${text[1:]}"
    return as_latex(text)


def format_latex_row(cells: Sequence[str]) -> str:
    """Return a row of a table."""
    first, *others = map(escape_latex_cell, cells)
    # these would belong to the end of the row above
    first = f"{{{first[0]}}}{first[1:]}" if first.startswith(("[", "*")) else first
    return f"{' & '.join([first, *others])} \\\\"


def format_latex_table(
    heads: Sequence[str],
    names: Sequence[str],
    cells: Sequence[Sequence[str]],
    caption: str | None,
    label: str | None,
) -> str:
    """Return a table of numbers with a column of names; a long one goes over several pages."""
    size, space = _choose_font_size(_count_column_letters(heads, names, cells))
    setting = [*([size] if size else []), *([rf"\setlength{{\tabcolsep}}{{{space}pt}}"] if space < 6 else [])]
    columns = "l" + "r" * len(heads)
    head = [r"\toprule", *_iter_head_lines(heads), r"\midrule"]
    body = [format_latex_row([name, *row]) for name, row in zip(names, cells)]
    # a label refers to the number that a caption has
    titled = [] if caption is None and label is None else [rf"\caption{{{_escape_caption(caption or '')}}}"]
    titled += [] if label is None else [rf"\label{{{label}}}"]
    if len(body) > _MAX_TABLE_ROWS:
        first = ["".join(titled) + r" \\", *head, r"\endfirsthead"] if titled else []
        head += [r"\endhead", r"\bottomrule", r"\endfoot"]
        lines = [rf"\begin{{longtable}}{{{columns}}}", *first, *head, *body, r"\end{longtable}"]
        return "\n".join(["{", *setting, *lines, "}"] if setting else lines)
    tabular = [rf"\begin{{tabular}}{{{columns}}}", *head, *body, r"\bottomrule", r"\end{tabular}"]
    if titled:
        return "\n".join([r"\begin{table}[htbp]", r"\centering", *setting, *titled, *tabular, r"\end{table}"])
    return "\n".join([r"\begin{center}", *setting, *tabular, r"\end{center}"])


def _iter_head_lines(heads: Sequence[str]) -> Iterator[str]:
    """Yield the row of heads; above it what the ends of an interval are of, where they say it."""
    over, under, ruled = [""], [""], []
    place = 0
    while place < len(heads):
        what, end, low = heads[place].partition(" [")
        if end and what in _INTERVAL_HEADINGS:
            over.append(rf"\multicolumn{{2}}{{c}}{{{_INTERVAL_HEADINGS[what]}}}")
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
    yield format_latex_row(under)


def _escape_caption(caption: str) -> str:
    r"""Return a caption, which is LaTeX, with the signs that would end it or the table written out."""
    return re.sub(r"(?<!\\)([%&#])", r"\\\1", caption)


def _count_column_letters(heads: Sequence[str], names: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    """Return the letters of each column."""
    shown = [head.partition(" [")[2] or head for head in heads]
    rows = [["", *shown], *([name, *row] for name, row in zip(names, cells))]
    return [max(map(len, column)) for column in zip(*rows)]


def _choose_font_size(widths: Sequence[int]) -> tuple[str, int]:
    """Return the largest letters, and the space beside a column, with which the columns fit the page."""
    for size, part, space in _FONT_SIZES:
        if sum(widths) * _LETTER_WIDTH * part + 2 * space * len(widths) <= _PAGE_WIDTH:
            return size, space
    return _SMALLEST_FONT[0], _SMALLEST_FONT[2]


class Exports(HelpfulErrors):
    """A result with a summary and a frame, written in other forms."""

    # without it every result would have a dictionary
    __slots__ = ()

    def summary(self) -> Summary:
        """Return the result as a table in statsmodels' form."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a frame."""
        raise NotImplementedError

    def _make_page(self, rows: Rows) -> Summary:
        """Return the page that has these rows."""
        raise NotImplementedError

    def _make_rows(self) -> Rows:
        """State the columns' heads, the rows' names and their cells."""
        raise NotImplementedError

    def _make_all_rows(self) -> Rows:
        """State all rows, also where a page shows the first of them alone."""
        return self._make_rows()

    def _make_rounded_rows(self, digits: int | None) -> Rows:
        """Return all rows with a number of decimals; p-values and counts stay as they are."""
        return _round_rows(self._make_all_rows(), _check_digits(digits))

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
        page = (
            self.summary() if digits is None else self._make_page(_round_rows(self._make_rows(), _check_digits(digits)))
        )
        return return_or_write(page.as_html(), path, "mean.html")

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
                got = checks.describe_option(each)
                raise PydpstatError(f"{name} must be a string or None; got {got}. For example, {name}={usual!r}.")
        return return_or_write(format_latex_table(*self._make_rounded_rows(digits), caption, label), path, "mean.tex")

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
        heads, names, cells = self._make_rounded_rows(digits)
        rows = [["", *heads], *([name, *row] for name, row in zip(names, cells))]
        lines = ["| " + " | ".join(map(as_markdown, row)) + " |" for row in rows]
        lines.insert(1, "| --- |" + " ---: |" * len(heads))
        return return_or_write("\n".join(lines), path, "mean.md")

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
        return self._export_csv(self.to_frame(), path, digits)

    def _export_csv(self, frame: pd.DataFrame, path: Target | None, digits: int | None) -> str | None:
        known = _check_digits(digits)
        if known is not None:
            frame = frame.round({name: known for name in frame.columns if "p-value" not in str(name)})
        rows: list[list[object]] = [[*name_index_levels(frame.index), *frame.columns]]
        for index, row in zip(frame.index, frame.itertuples(index=False, name=None)):
            own = index if isinstance(index, tuple) else (index,)
            rows.append([*own, *(None if each != each else each for each in row)])
        return return_or_write(format_csv(rows), path, "mean.csv")


def name_index_levels(index: pd.Index) -> list[str]:
    """Return what the levels of a frame's index are called; those without a name are terms."""
    several = sum(not name for name in index.names) > 1
    return [str(name or f"term{f' {place}' * several}") for place, name in enumerate(index.names, 1)]


def _round_rows(rows: Rows, digits: int | None) -> Rows:
    names = [" ".join(name.split()) for name in rows.names]
    if digits is None:
        return rows._replace(names=names)
    cells = [
        [each.format_rounded(digits) if isinstance(each, FormattedNumber) else each for each in row]
        for row in rows.cells
    ]
    return rows._replace(names=names, cells=cells)


def _check_digits(digits: int | None) -> int | None:
    return digits if digits is None else checks.check_integer(digits, "digits", 0, 15, hint="For example, digits=1.")

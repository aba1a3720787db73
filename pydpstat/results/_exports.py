"""Base of all results: a page of facts, rows and notes, and its export formats."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from pydpstat import _checks as checks
from pydpstat._answering import HelpfulErrors
from pydpstat._files import Target, format_csv, return_or_write
from pydpstat._markup import as_markdown
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.results._latex import format_latex_table
from pydpstat.results._numbers import FormattedNumber, Rows

if TYPE_CHECKING:
    import pandas as pd
    import polars
    from statsmodels.iolib.summary import Summary

Facts = list[tuple[str, str]]
MAX_PAGE_ROWS = 60
_NOTE_WIDTH, _TITLE_WIDTH = 78, 84
_PRIVATE_SUFFIX = ", differentially private"


class Report(HelpfulErrors):
    """Base of results that are shown as a page of facts, rows and notes, and exported."""

    # without slots every result would have a __dict__
    __slots__ = ()

    # title of results without a heading
    _title = ""
    # maximum length of a row's name
    _max_name_length = 32

    def _format_heading(self) -> str:
        """Return the subject of the result in words; empty if the title states it."""
        return ""

    def _collect_facts(self) -> Facts:
        """Return the facts below the numbers, as pairs of name and value."""
        raise NotImplementedError

    def _collect_right_facts(self) -> Facts:
        """Return the facts of the right column; if empty, the facts are split in two columns."""
        return []

    def _collect_notes(self) -> list[str]:
        """Return the notes below the table."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a frame."""
        raise NotImplementedError

    def _make_rows(self) -> Rows:
        """Return the column headers, row names and cells of the table."""
        raise NotImplementedError

    def _make_all_rows(self) -> Rows:
        """Return all rows, including those that a page omits."""
        return self._make_rows()

    def _make_rounded_rows(self, digits: int | None) -> Rows:
        """Return all rows with numbers rounded to `digits` decimals; p-values and counts unchanged."""
        return _round_rows(self._make_all_rows(), _check_digits(digits))

    def summary(self) -> Summary:
        """Return the result as a table in statsmodels' form.

        Returns
        -------
        statsmodels.iolib.summary.Summary
            Has ``as_text``, ``as_html``, ``as_latex`` and ``as_csv``; printing it shows the text.

        See Also
        --------
        InferenceResults.to_frame : the numbers as a frame.

        Examples
        --------
        >>> from pydpstat.consistency import ipf
        >>> fitted = ipf([[1, 2], [3, 4]], {0: [5, 5], 1: [4, 6]})
        >>> "Converged:" in fitted.summary().as_text()
        True
        """
        return self._make_page(self._make_rows())

    def _make_page(self, rows: Rows) -> Summary:
        from pydpstat.results._summary_page import SummaryPage

        shown = rows._replace(names=[trim_name(name, self._max_name_length) for name in rows.names])
        return SummaryPage(
            self._collect_facts(),
            *shown,
            self._format_notes(),
            self._format_title(),
            self._collect_right_facts(),
        )

    def _format_title(self) -> str:
        heading = textwrap.shorten(self._format_heading(), _TITLE_WIDTH)
        # do not change a name that has capitals
        first_word = heading.partition(" ")[0]
        heading = heading[:1].upper() + heading[1:] if first_word.islower() else heading
        return f"{heading}{_PRIVATE_SUFFIX}" if heading else self._title

    def _format_notes(self) -> list[str]:
        return wrap_notes(self._collect_notes())

    def _repr_html_(self) -> str:
        return self.summary().as_html()

    def to_html(self, path: Target | None = None, *, digits: int | None = None) -> str | None:
        """Return the summary as HTML for a notebook, or write it into a file.

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
            If an argument is invalid, or the file cannot be written.

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
            If an argument is invalid, or the file cannot be written.

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
        for name, value, example in (("caption", caption, "Mean income"), ("label", label, "tab:income")):
            if value is not None and not isinstance(value, str):
                got = checks.describe_option(value)
                raise PydpstatError(f"{name} must be a string or None; got {got}. For example, {name}={example!r}.")
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
            If an argument is invalid, or the file cannot be written.

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
        headers, names, cells = self._make_rounded_rows(digits)
        rows = [["", *headers], *([name, *row] for name, row in zip(names, cells))]
        lines = ["| " + " | ".join(map(as_markdown, row)) + " |" for row in rows]
        lines.insert(1, "| --- |" + " ---: |" * len(headers))
        return return_or_write("\n".join(lines), path, "mean.md")

    def to_polars(self, **options: Any) -> polars.DataFrame:
        """Return `to_frame` as a frame of Polars; needs polars.

        Parameters
        ----------
        **options
            Those of `to_frame`, such as ``alpha=0.1``.

        Returns
        -------
        polars.DataFrame
            The index of `to_frame` comes first, as columns: ``term`` if it has no name. NaN is null, and an
            index of values of different types is text.

        Raises
        ------
        MissingExtraError
            If polars is not installed; the message has the command.
        PydpstatError
            As `to_frame` does.

        See Also
        --------
        DPResults.to_frame : the same numbers as a frame of pandas.

        Examples
        --------
        >>> import pydpstat as dp
        >>> r = dp.mean([1, 2, 3, 4], 1.0, bounds=(0, 5), rng=1)
        >>> r.to_polars().columns  # doctest: +SKIP
        ['term', 'estimate', 'noise sd', 'noise lower', 'noise upper']
        """
        return _make_polars_frame(self.to_frame(**options))

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
            If an argument is invalid, or the file cannot be written.

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
        return write_csv(self.to_frame(), path, digits)


def write_csv(frame: pd.DataFrame, path: Target | None, digits: int | None) -> str | None:
    """Return a frame as CSV, or write it into a file."""
    decimals = _check_digits(digits)
    if decimals is not None:
        frame = frame.round({name: decimals for name in frame.columns if "p-value" not in str(name)})
    rows: list[list[object]] = [[*name_index_levels(frame.index), *frame.columns]]
    for index, row in zip(frame.index, frame.itertuples(index=False, name=None)):
        keys = index if isinstance(index, tuple) else (index,)
        rows.append([*keys, *(None if value != value else value for value in row)])
    return return_or_write(format_csv(rows), path, "mean.csv")


def _make_polars_frame(frame: pd.DataFrame) -> polars.DataFrame:
    """Return a frame of Polars with the index as columns, except row numbers without a name."""
    try:
        import polars
    except ImportError as error:
        raise MissingExtraError("to_polars()", "polars", "polars") from error
    index = frame.index
    is_numbered = index.name is None and index.tolist() == list(range(len(frame)))
    names = [] if is_numbered else name_index_levels(index)
    columns = [(name, index.get_level_values(place)) for place, name in enumerate(names)]
    columns += [(str(name), frame.iloc[:, place]) for place, name in enumerate(frame.columns)]
    series: dict[str, polars.Series] = {}
    for name, values in columns:
        while name in series:
            # a variable of the data may have the name of a column
            name += "_"
        series[name] = polars.Series(name, _list_plain_values(values))
    return polars.DataFrame(list(series.values()))


def _list_plain_values(column: pd.Series | pd.Index) -> list[object]:
    """Return values of one type, or their texts, with None for missing ones."""
    values = [None if missing else value for value, missing in zip(column.tolist(), column.isna())]
    kinds = {type(value) for value in values if value is not None}
    return values if len(kinds) < 2 else [None if value is None else str(value) for value in values]


def wrap_notes(notes: list[str]) -> list[str]:
    """Return notes wrapped at the width of the page."""
    return ["\n".join(textwrap.wrap(note, _NOTE_WIDTH)) for note in notes]


def trim_name(name: str, max_length: int = 32) -> str:
    """Return a name on one line, truncated to `max_length`."""
    name = " ".join(name.split())
    return name if len(name) <= max_length else name[: max_length - 3] + "..."


def name_index_levels(index: pd.Index) -> list[str]:
    """Return names of the index levels, "term" for levels without a name."""
    is_numbered = sum(not name for name in index.names) > 1
    return [str(name or f"term{f' {number}' * is_numbered}") for number, name in enumerate(index.names, 1)]


def _round_rows(rows: Rows, digits: int | None) -> Rows:
    names = [" ".join(name.split()) for name in rows.names]
    if digits is None:
        return rows._replace(names=names)
    cells = [
        [cell.format_rounded(digits) if isinstance(cell, FormattedNumber) else cell for cell in row]
        for row in rows.cells
    ]
    return rows._replace(names=names, cells=cells)


def _check_digits(digits: int | None) -> int | None:
    return digits if digits is None else checks.check_integer(digits, "digits", 0, 15, hint="For example, digits=1.")

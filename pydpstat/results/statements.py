"""Statement of releases and their guarantee, for a methods section or a privacy office."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeGuard

from pydpstat import _checks as checks
from pydpstat._answering import HelpfulErrors, explain_wrong_calls
from pydpstat._files import Target, return_or_write
from pydpstat._lazy import pd
from pydpstat._markup import as_html, as_markdown
from pydpstat.errors import PydpstatError
from pydpstat.results._latex import escape_latex_cell, format_latex_row
from pydpstat.results._stated_releases import LedgerEntry, make_item_from_entry, make_item_from_result, match_entries
from pydpstat.results._statement_text import (
    collect_shared_lists,
    compose_total,
    make_budget_total,
    make_statement_parts,
)

_TEXT_WIDTH = 78
_TABLE_WIDTHS = (22, 17, 20)
# LaTeX column type of text, and column widths of points and releases as shares of the line width
_COLUMN_TYPE = r"\newcolumntype{L}[1]{>{\raggedright\arraybackslash}p{#1}}"
_POINT_WIDTHS, _RELEASE_WIDTHS, _WIDTH_FACTOR = (0.22, 0.72), (0.2, 0.22, 0.28), 0.7


class Ledger(Protocol):
    """Ledger of a budget, with one entry per release."""

    @property
    def entries(self) -> Sequence[LedgerEntry]: ...


@dataclass(frozen=True)
class Statement(HelpfulErrors):
    """A statement of differential privacy: a paragraph, points and a table.

    `pydpstat.statement` returns it. It contains nothing private. Printing it shows the text.

    Parameters
    ----------
    sentences : tuple of str
        Those of the paragraph for a methods section.
    points : tuple of (str, str)
        Facts on protection, trust model and mechanisms: names and texts.
    headers : tuple of str
        Heads of the table's columns.
    cells : tuple of tuple of str
        The table: a row for each release.

    Examples
    --------
    >>> import pydpstat
    >>> r = pydpstat.mean([1, 2, 3, 4] * 50, 1.0, bounds=(0, 5))
    >>> statement = pydpstat.statement(r)
    >>> statement.to_frame()["mechanism"].item()
    'Laplace noise, standard deviation 0.03536'
    """

    sentences: tuple[str, ...]
    points: tuple[tuple[str, str], ...]
    headers: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    @property
    def paragraph(self) -> str:
        """The sentences for a methods section, in one line."""
        return " ".join(self.sentences)

    @property
    def text(self) -> str:
        """The statement as plain text, 78 characters wide."""
        head = "Statement of differential privacy"
        lines, rows = self._collect_shared_lists()
        width = max(len(name) for name, _ in lines) + 2
        points = [
            textwrap.fill(f"{name + ':':{width}}{text}", _TEXT_WIDTH, subsequent_indent=" " * width)
            for name, text in lines
        ]
        blocks = [f"{head}\n{'=' * len(head)}", textwrap.fill(self.paragraph, _TEXT_WIDTH), "\n".join(points)]
        return "\n\n".join([*blocks, *([self._format_text_table(rows)] if rows else [])]) + "\n"

    def _format_text_table(self, rows: Sequence[Sequence[str]]) -> str:
        widths = [
            min(max(len(row[column]) for row in (self.headers, *rows)), max_width)
            for column, max_width in enumerate((*_TABLE_WIDTHS, *[12] * (len(self.headers) - len(_TABLE_WIDTHS))))
        ]
        lines = ["-" * (sum(widths) + 2 * len(widths) - 2)]
        for row in (self.headers, *rows):
            cells = [textwrap.wrap(cell, width) or [""] for cell, width in zip(row, widths)]
            for line in range(max(map(len, cells))):
                shown = [cell[line] if line < len(cell) else "" for cell in cells]
                lines.append("  ".join(f"{text:{width}}" for text, width in zip(shown, widths)).rstrip())
            if row is self.headers:
                lines.append(lines[0])
        return "\n".join([*lines, lines[0]])

    def to_frame(self) -> pd.DataFrame:
        """Return the table with one row for each release.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.mean([1, 2, 3, 4] * 50, 1.0, bounds=(0, 5))
        >>> list(pydpstat.statement(r).to_frame().columns)
        ['release', 'mechanism', 'public', 'epsilon', 'delta']
        """
        frame = pd.DataFrame(list(self.cells), columns=list(self.headers))
        numbers = [name for name in self.headers if name.split()[-1] in ("epsilon", "delta")]
        return frame.assign(**{name: pd.to_numeric(frame[name], errors="coerce") for name in numbers})

    def to_text(self, path: Target | None = None) -> str | None:
        """Return the statement as plain text, or write it into a file.

        Parameters
        ----------
        path : str, path-like or writable text file, optional
            Where to write it; a file of that name is replaced. By default the text is returned.
        """
        return return_or_write(self.text, path, "statement.txt")

    def to_markdown(self, path: Target | None = None) -> str | None:
        """Return the statement as Markdown, or write it into a file.

        Parameters
        ----------
        path : str, path-like or writable text file, optional
            Where to write it; a file of that name is replaced. By default the text is returned.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.mean([1, 2, 3, 4] * 50, 1.0, bounds=(0, 5))
        >>> "| mean |" in pydpstat.statement(r).to_markdown()
        True
        """

        def format_markdown_table(rows: Iterable[Sequence[str]]) -> str:
            first, *others = [f"| {' | '.join(map(as_markdown, row))} |" for row in rows]
            return "\n".join([first, re.sub(r"[^|]+", " --- ", first.replace(r"\|", "")), *others])

        points, cells = self._collect_shared_lists()
        tables = (
            format_markdown_table([("", "Statement"), *points]),
            format_markdown_table([self.headers, *cells]),
        )
        return return_or_write("\n\n".join([as_markdown(self.paragraph), *tables]) + "\n", path, "statement.md")

    def to_latex(self, path: Target | None = None) -> str | None:
        r"""Return the statement as LaTeX, or write it into a file.

        Parameters
        ----------
        path : str, path-like or writable text file, optional
            Where to write it; a file of that name is replaced. By default the text is returned.

        Notes
        -----
        The preamble needs ``\usepackage{array, longtable}``. The tables fit a page of the class article and
        continue on further pages.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.mean([1, 2, 3, 4] * 50, 1.0, bounds=(0, 5))
        >>> print(pydpstat.statement(r).to_latex().split("\n")[4])
        \begin{longtable}{@{}L{0.22\linewidth}L{0.72\linewidth}@{}}
        """

        points, cells = self._collect_shared_lists()
        numbers = len(self.headers) - len(_RELEASE_WIDTHS)
        shares = [share * (1.0 if numbers == 2 else _WIDTH_FACTOR) for share in _RELEASE_WIDTHS]
        tables = [_format_longtable(points, _POINT_WIDTHS)]
        if cells:
            tables.append(_format_longtable(cells, shares, "r" * numbers, self.headers))
        # \sloppy, since narrow columns need loose lines
        blocks = [
            _format_greek_letters(escape_latex_cell(self.paragraph)),
            "",
            r"{\small\sloppy",
            _COLUMN_TYPE,
            *tables,
            "}\n",
        ]
        return return_or_write("\n".join(blocks), path, "statement.tex")

    def to_html(self, path: Target | None = None) -> str | None:
        """Return the statement as HTML for a notebook, or write it into a file.

        Parameters
        ----------
        path : str, path-like or writable text file, optional
            Where to write it; a file of that name is replaced. By default the text is returned.
        """
        return return_or_write(self._repr_html_(), path, "statement.html")

    def _repr_html_(self) -> str:
        def format_html_table(rows: Iterable[Sequence[str]], head: str = "td") -> str:
            lines = []
            for position, row in enumerate(rows):
                kind = head if position == 0 else "td"
                cells = "".join(f'<{kind} style="text-align: left">{as_html(cell)}</{kind}>' for cell in row)
                lines.append(f"<tr>{cells}</tr>")
            return f"<table>{''.join(lines)}</table>"

        points, cells = self._collect_shared_lists()
        releases = format_html_table([self.headers, *cells], "th")
        return f"<p>{as_html(self.paragraph)}</p>{format_html_table(points)}{releases}"

    def _collect_shared_lists(self) -> tuple[Sequence[tuple[str, str]], Sequence[Sequence[str]]]:
        """Return points and cells, with lists that several releases share moved to the points."""
        lists, cells = collect_shared_lists(self.cells)
        return [*self.points, *((f"List {name}", text) for name, text in lists)], cells

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        count = len(self.cells)
        return f"<Statement of {count} release{'s' * (count != 1)}: {dict(self.points)['Privacy loss']}>"


@explain_wrong_calls
def statement(releases: object, *, budget: object = None, delta: float | None = None) -> Statement:
    """State releases and their guarantee, as for a methods section.

    Parameters
    ----------
    releases : result, Budget, list of results, or dict of them by name
        What was released. Of a budget every line of its ledger counts; names of a dict replace
        those of the results.
    budget : Budget, optional, keyword only
        The budget that paid for the releases. The total is then the budget's, and what else it paid for is
        in the table, too.
    delta : float, optional, keyword only
        The delta at which the total of a list is stated besides the sum, if a smaller epsilon holds there.

    Returns
    -------
    Statement
        With ``text``, ``paragraph`` and ``to_frame()``; ``to_text(path)``, ``to_markdown(path)``,
        ``to_latex(path)`` and ``to_html(path)`` write files.

    Raises
    ------
    PydpstatError
        If something in `releases` is no release, units differ, or a release is not in the budget's ledger.

    See Also
    --------
    DPResults : what it speaks of.
    Budget : a release's cost among that of others.

    Notes
    -----
    Guarantee: nothing is released, as all of it follows from results and ledgers, which are public. What
    holds is stated, and what was claimed where it differs, as for some functions of R's packages.

    The total of a list is the sum of epsilons and deltas. If the list was fixed in advance, `compose`
    may have a smaller epsilon at the same delta; it is stated with its name. Of releases for different
    neighbors all are stated for one record replaced.

    The points are those that NIST asks for: unit and neighbors, privacy parameters, composition, trust model,
    mechanisms, randomness, what must be public, and what the guarantee does not cover.

    References
    ----------
    Near, J. P., Darais, D., Lefkovitz, N. and Howarth, G. (2025). Guidelines for evaluating differential
    privacy guarantees. NIST Special Publication 800-226.

    Examples
    --------
    >>> import pydpstat
    >>> ages = [20, 30, 40, 50] * 50
    >>> mean = pydpstat.mean(ages, 0.5, bounds=(0, 100))
    >>> adults = pydpstat.count([age >= 25 for age in ages], 0.25)
    >>> both = pydpstat.statement([mean, adults])
    >>> dict(both.points)["Privacy loss"], both.to_frame()["epsilon"].tolist()
    ('epsilon = 0.75', [0.5, 0.25])
    """
    if delta is not None:
        checks.check_number(delta, "delta", "above 0 and below 1", lambda x: 0.0 < x < 1.0, "Give for example 1e-6.")
    if _is_ledger(releases):
        if budget is not None and budget is not releases:
            raise PydpstatError("budget must be left out if releases is a Budget; got two. Give one.")
        return Statement(
            *make_statement_parts(
                [make_item_from_entry(item) for item in releases.entries], make_budget_total(releases)
            )
        )
    results = _collect_named_results(releases)
    if budget is not None:
        if not _is_ledger(budget):
            raise PydpstatError(
                f"budget must be a Budget or None; got {checks.describe_value(budget)}. Give the budget that paid."
            )
        return Statement(*make_statement_parts(list(match_entries(budget.entries, results)), make_budget_total(budget)))
    items = [make_item_from_result(item, name) for name, item in results]
    return Statement(*make_statement_parts(items, compose_total([item.guarantee for item in items], delta)))


def _collect_named_results(releases: object) -> list[tuple[str | None, object]]:
    if isinstance(releases, Mapping) and not hasattr(releases, "guarantee"):
        results: list[tuple[str | None, object]] = [(str(name), release) for name, release in releases.items()]
    elif isinstance(releases, (list, tuple)) and not hasattr(releases, "guarantee"):
        results = [(None, release) for release in releases]
    else:
        results = [(None, releases)]
    if results:
        return results
    raise PydpstatError("releases must have at least one release; got an empty list. Give for example [r].")


def _is_ledger(thing: object) -> TypeGuard[Ledger]:
    return hasattr(type(thing), "entries") and hasattr(type(thing), "remaining")


# privacy parameters, which are set as Greek letters
_PRIVACY_PARAMETER = re.compile(r"\b(epsilon|delta) = ")


def _format_greek_letters(text: str) -> str:
    return _PRIVACY_PARAMETER.sub(lambda found: rf"$\{'var' * (found[1] == 'epsilon')}{found[1]}$ = ", text)


def _format_longtable(
    rows: Iterable[Sequence[str]],
    shares: Sequence[float],
    number_columns: str = "",
    heads: Sequence[str] = (),
) -> str:
    """Return a longtable whose text columns have the given shares of the line width."""
    columns = "".join(rf"L{{{share:g}\linewidth}}" for share in shares) + number_columns
    head = [format_latex_row(heads), r"\hline", r"\endhead"] if heads else []
    body = [_format_greek_letters(format_latex_row(row)) for row in rows]
    lines = [rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}", r"\hline", *head, *body, r"\hline"]
    return "\n".join([*lines, r"\end{longtable}"])

"""The statement of what was released and what it keeps, for a methods section or a privacy office."""

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
# in LaTeX: a column of text, and the parts of a line of the points' columns, and of the releases' beside two
# numbers
_COLUMN_TYPE = r"\newcolumntype{L}[1]{>{\raggedright\arraybackslash}p{#1}}"
_POINT_WIDTHS, _RELEASE_WIDTHS, _WIDTH_FACTOR = (0.22, 0.72), (0.2, 0.22, 0.28), 0.7


class Ledger(Protocol):
    """What was spent from a budget, line by line."""

    @property
    def entries(self) -> Sequence[LedgerEntry]: ...


@dataclass(frozen=True)
class Statement(HelpfulErrors):
    """A statement of differential privacy: a paragraph, the points that readers ask for, and a table.

    `pydpstat.statement` returns it. It contains nothing private. Printing it shows the text.

    Parameters
    ----------
    sentences : tuple of str
        Those of the paragraph for a methods section.
    points : tuple of (str, str)
        What is protected, against whom and how: names and texts.
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
        """All of it as plain text, 78 characters wide."""
        head = "Statement of differential privacy"
        stated, rows = self._collect_shared_lists()
        wide = max(len(name) for name, _ in stated) + 2
        points = [
            textwrap.fill(f"{name + ':':{wide}}{text}", _TEXT_WIDTH, subsequent_indent=" " * wide)
            for name, text in stated
        ]
        parts = [f"{head}\n{'=' * len(head)}", textwrap.fill(self.paragraph, _TEXT_WIDTH), "\n".join(points)]
        return "\n\n".join([*parts, *([self._format_text_table(rows)] if rows else [])]) + "\n"

    def _format_text_table(self, rows: Sequence[Sequence[str]]) -> str:
        widths = [
            min(max(len(row[place]) for row in (self.headers, *rows)), most)
            for place, most in enumerate((*_TABLE_WIDTHS, *[12] * (len(self.headers) - len(_TABLE_WIDTHS))))
        ]
        lines = ["-" * (sum(widths) + 2 * len(widths) - 2)]
        for row in (self.headers, *rows):
            cells = [textwrap.wrap(cell, width) or [""] for cell, width in zip(row, widths)]
            for place in range(max(map(len, cells))):
                shown = [cell[place] if place < len(cell) else "" for cell in cells]
                lines.append("  ".join(f"{each:{width}}" for each, width in zip(shown, widths)).rstrip())
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
        """Return all of it as plain text, or write it into a file.

        Parameters
        ----------
        path : str, path-like or writable text file, optional
            Where to write it; a file of that name is replaced. By default the text is returned.
        """
        return return_or_write(self.text, path, "statement.txt")

    def to_markdown(self, path: Target | None = None) -> str | None:
        """Return all of it as Markdown, or write it into a file.

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
        shown = (
            format_markdown_table([("", "Statement"), *points]),
            format_markdown_table([self.headers, *cells]),
        )
        return return_or_write("\n\n".join([as_markdown(self.paragraph), *shown]) + "\n", path, "statement.md")

    def to_latex(self, path: Target | None = None) -> str | None:
        r"""Return all of it as LaTeX, or write it into a file.

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
        # narrow columns need loose lines
        parts = [
            _format_greek_letters(escape_latex_cell(self.paragraph)),
            "",
            r"{\small\sloppy",
            _COLUMN_TYPE,
            *tables,
            "}\n",
        ]
        return return_or_write("\n".join(parts), path, "statement.tex")

    def to_html(self, path: Target | None = None) -> str | None:
        """Return all of it as HTML, as a notebook shows it, or write it into a file.

        Parameters
        ----------
        path : str, path-like or writable text file, optional
            Where to write it; a file of that name is replaced. By default the text is returned.
        """
        return return_or_write(self._repr_html_(), path, "statement.html")

    def _repr_html_(self) -> str:
        def format_html_table(rows: Iterable[Sequence[str]], head: str = "td") -> str:
            lines = []
            for place, row in enumerate(rows):
                kind = head if place == 0 else "td"
                cells = "".join(f'<{kind} style="text-align: left">{as_html(each)}</{kind}>' for each in row)
                lines.append(f"<tr>{cells}</tr>")
            return f"<table>{''.join(lines)}</table>"

        points, cells = self._collect_shared_lists()
        releases = format_html_table([self.headers, *cells], "th")
        return f"<p>{as_html(self.paragraph)}</p>{format_html_table(points)}{releases}"

    def _collect_shared_lists(self) -> tuple[Sequence[tuple[str, str]], Sequence[Sequence[str]]]:
        """Return points and cells, with levels that several releases share in the points instead."""
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
        What was released. Of a budget every line of its ledger counts; names of a dict take the place of
        those that results have themselves.
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
                [make_item_from_entry(each) for each in releases.entries], make_budget_total(releases)
            )
        )
    named = _collect_named_results(releases)
    if budget is not None:
        if not _is_ledger(budget):
            raise PydpstatError(
                f"budget must be a Budget or None; got {checks.describe_value(budget)}. Give the budget that paid."
            )
        return Statement(*make_statement_parts(list(match_entries(budget.entries, named)), make_budget_total(budget)))
    items = [make_item_from_result(each, name) for name, each in named]
    return Statement(*make_statement_parts(items, compose_total([each.guarantee for each in items], delta)))


def _collect_named_results(releases: object) -> list[tuple[str | None, object]]:
    if isinstance(releases, Mapping) and not hasattr(releases, "guarantee"):
        given: list[tuple[str | None, object]] = [(str(name), each) for name, each in releases.items()]
    elif isinstance(releases, (list, tuple)) and not hasattr(releases, "guarantee"):
        given = [(None, each) for each in releases]
    else:
        given = [(None, releases)]
    if given:
        return given
    raise PydpstatError("releases must have at least one release; got an empty list. Give for example [r].")


def _is_ledger(thing: object) -> TypeGuard[Ledger]:
    return hasattr(type(thing), "entries") and hasattr(type(thing), "remaining")


# the signs of the privacy parameters
_PRIVACY_PARAMETER = re.compile(r"\b(epsilon|delta) = ")


def _format_greek_letters(text: str) -> str:
    return _PRIVACY_PARAMETER.sub(lambda found: rf"$\{'var' * (found[1] == 'epsilon')}{found[1]}$ = ", text)


def _format_longtable(
    rows: Iterable[Sequence[str]],
    shares: Sequence[float],
    number_columns: str = "",
    heads: Sequence[str] = (),
) -> str:
    """Return a table whose columns of text have parts of a line, and that goes over pages."""
    columns = "".join(rf"L{{{share:g}\linewidth}}" for share in shares) + number_columns
    head = [format_latex_row(heads), r"\hline", r"\endhead"] if heads else []
    body = [_format_greek_letters(format_latex_row(row)) for row in rows]
    lines = [rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}", r"\hline", *head, *body, r"\hline"]
    return "\n".join([*lines, r"\end{longtable}"])

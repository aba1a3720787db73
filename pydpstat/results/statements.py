"""The statement of what was released and what it keeps, for a methods section or a privacy office."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydpstat import _checks as checks
from pydpstat._wrong_calls import answered
from pydpstat.errors import PydpstatError
from pydpstat.results._stated_releases import matched, of_entry, of_result
from pydpstat.results._statement_text import parts_of, total_of, total_of_budget

if TYPE_CHECKING:
    import pandas as pd

_WIDTH = 78
_TABLE_WIDTHS = (22, 17, 20)


@dataclass(frozen=True)
class Statement:
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
        wide = max(len(name) for name, _ in self.points) + 2
        points = [
            textwrap.fill(f"{name + ':':{wide}}{text}", _WIDTH, subsequent_indent=" " * wide)
            for name, text in self.points
        ]
        parts = [f"{head}\n{'=' * len(head)}", textwrap.fill(self.paragraph, _WIDTH), "\n".join(points)]
        return "\n\n".join([*parts, *([self._table()] if self.cells else [])]) + "\n"

    def _table(self) -> str:
        widths = [
            min(max(len(row[place]) for row in (self.headers, *self.cells)), most)
            for place, most in enumerate((*_TABLE_WIDTHS, *[12] * (len(self.headers) - len(_TABLE_WIDTHS))))
        ]
        lines = ["-" * (sum(widths) + 2 * len(widths) - 2)]
        for row in (self.headers, *self.cells):
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
        import pandas as pd

        frame = pd.DataFrame(list(self.cells), columns=list(self.headers))
        numbers = [name for name in self.headers if name.split()[-1] in ("epsilon", "delta")]
        return frame.assign(**{name: pd.to_numeric(frame[name], errors="coerce") for name in numbers})

    def to_markdown(self) -> str:
        """Return all of it as Markdown.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.mean([1, 2, 3, 4] * 50, 1.0, bounds=(0, 5))
        >>> "| mean |" in pydpstat.statement(r).to_markdown()
        True
        """

        def table(rows: Iterable[Sequence[str]]) -> str:
            first, *others = [f"| {' | '.join(map(_markdown, row))} |" for row in rows]
            return "\n".join([first, re.sub(r"[^|]+", " --- ", first.replace(r"\|", "")), *others])

        points, releases = table([("", "Statement"), *self.points]), table([self.headers, *self.cells])
        return f"{_markdown(self.paragraph)}\n\n{points}\n\n{releases}\n"

    def to_latex(self) -> str:
        r"""Return all of it as LaTeX, which requires no package.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.mean([1, 2, 3, 4] * 50, 1.0, bounds=(0, 5))
        >>> print(pydpstat.statement(r).to_latex().split("\n")[2])
        \begin{tabular}{@{}p{0.22\linewidth}p{0.72\linewidth}@{}}
        """

        def table(rows: Iterable[Sequence[str]], columns: str) -> str:
            body = " \\\\\n".join(" & ".join(map(_latex, row)) for row in rows)
            return (
                f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n\\hline\n{body} \\\\\n\\hline\n\\end{{tabular}}"
            )

        wide = [r"p{%s\linewidth}" % share for share in ("0.26", "0.22", "0.24")]
        columns = "".join([*wide, "r" * (len(self.headers) - len(wide))])
        points = table(self.points, r"p{0.22\linewidth}p{0.72\linewidth}")
        heads = [self.headers, *self.cells]
        return f"{_latex(self.paragraph)}\n\n{points}\n\n\\medskip\n{table(heads, columns)}\n"

    def _repr_html_(self) -> str:
        def table(rows: Iterable[Sequence[str]], head: str = "td") -> str:
            lines = []
            for place, row in enumerate(rows):
                kind = head if place == 0 else "td"
                cells = "".join(
                    f'<{kind} style="text-align: left">{html.escape(each)}</{kind}>' for each in row
                )
                lines.append(f"<tr>{cells}</tr>")
            return f"<table>{''.join(lines)}</table>"

        releases = table([self.headers, *self.cells], "th")
        return f"<p>{html.escape(self.paragraph)}</p>{table(self.points)}{releases}"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        count = len(self.cells)
        return f"<Statement of {count} release{'s' * (count != 1)}: {dict(self.points)['Privacy loss']}>"


@answered
def statement(releases: Any, *, budget: Any = None, delta: float | None = None) -> Statement:
    """State releases and their guarantee, for a methods section or a privacy office.

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
        With ``text``, ``paragraph``, ``to_markdown()``, ``to_latex()`` and ``to_frame()``.

    Raises
    ------
    PydpstatError
        If something in `releases` is no release, units differ, or a release is not in the budget's ledger.

    See Also
    --------
    DPResults : what it speaks of.
    Budget : a release's cost beside that of others.

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
        checks.number(
            delta, "delta", "above 0 and below 1", lambda x: 0.0 < x < 1.0, "Give for example 1e-6."
        )
    if _is_ledger(releases):
        if budget is not None and budget is not releases:
            raise PydpstatError("budget must be left out if releases is a Budget; got two. Give one.")
        return Statement(*parts_of([of_entry(each) for each in releases.entries], total_of_budget(releases)))
    named = _named_results(releases)
    if budget is not None:
        if not _is_ledger(budget):
            raise PydpstatError(
                f"budget must be a Budget or None; got {checks.shown(budget)}. Give the budget that paid."
            )
        return Statement(*parts_of(list(matched(budget.entries, named)), total_of_budget(budget)))
    items = [of_result(each, name, "releases") for name, each in named]
    return Statement(*parts_of(items, total_of([each.guarantee for each in items], delta)))


def _named_results(releases: Any) -> list[tuple[str | None, Any]]:
    if isinstance(releases, Mapping) and not hasattr(releases, "guarantee"):
        given: list[tuple[str | None, Any]] = [(str(name), each) for name, each in releases.items()]
    elif isinstance(releases, (list, tuple)) and not hasattr(releases, "guarantee"):
        given = [(None, each) for each in releases]
    else:
        given = [(None, releases)]
    if given:
        return given
    raise PydpstatError("releases must have at least one release; got an empty list. Give for example [r].")


def _is_ledger(thing: Any) -> bool:
    return hasattr(type(thing), "entries") and hasattr(type(thing), "remaining")


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_|<>\[\]~])", r"\\\1", text)


# the signs of the privacy parameters
_GREEK = re.compile(r"\b(epsilon|delta) = ")
_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}"} | {each: f"\\{each}" for each in "%_#$&{}"}


def _latex(text: str) -> str:
    plain = "".join(_LATEX.get(each, each) for each in text)
    return _GREEK.sub(lambda found: rf"$\{'var' * (found[1] == 'epsilon')}{found[1]}$ = ", plain)

"""statsmodels summary with texts escaped for HTML, LaTeX and CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from statsmodels.iolib.summary import Summary
from statsmodels.iolib.table import SimpleTable
from statsmodels.iolib.tableformatting import fmt_2cols, fmt_params

from pydpstat._files import format_csv_cell
from pydpstat._markup import as_html, as_latex

Escape = Callable[[str], str]
# turn off statsmodels' replacements, as labels are escaped already
_NO_REPLACEMENTS: dict[str, dict[str, str]] = {"replacements": {}}


class SummaryPage(Summary):
    """Summary page with a table of estimates, a table of facts, and notes."""

    def __init__(
        self,
        facts: list[tuple[str, str]],
        headers: tuple[str, ...],
        names: list[str],
        cells: list[list[str]],
        notes: list[str],
        title: str,
        right_facts: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__()
        self.title = title
        half = len(facts) if right_facts else (len(facts) + 1) // 2
        left, right = facts[:half], [*facts[half:], *right_facts]
        blank = ("", "")
        self._facts = list(zip_longest(left, right, fillvalue=blank))
        self._parts = headers, names, cells, notes
        self._fill_page(self, str, str)

    def _fill_page(self, page: Summary, escape: Escape, escape_note: Escape) -> Summary:
        headers, names, cells, notes = self._parts
        rows = [[escape(left[1]), *map(escape, right)] for left, right in self._facts]
        page.tables = [
            SimpleTable(
                [list(map(escape, row)) for row in cells],
                headers=list(map(escape, headers)),
                stubs=[escape(name) for name in names],
                title=escape(self.title),
                txt_fmt=dict(fmt_params, data_fmts=["%s"] * 5),
                ltx_fmt=_NO_REPLACEMENTS,
            ),
            SimpleTable(
                rows,
                stubs=[escape(left[0]) for left, _ in self._facts],
                txt_fmt=dict(fmt_2cols, data_fmts=["%s"] * 4),
                ltx_fmt=_NO_REPLACEMENTS,
            ),
        ]
        page.add_extra_txt([escape_note(note) for note in notes])
        return page

    def as_html(self) -> str:
        """Return the page as HTML, with markup in names escaped."""
        return Summary.as_html(self._fill_page(Summary(), as_html, as_html))

    def as_latex(self) -> str:
        """Return the page as LaTeX with special characters escaped, one tabular per table."""
        page = self._fill_page(Summary(), as_latex, _escape_latex_lines)
        # statsmodels would merge the tables, whose numbers of columns may differ
        tabulars = [table.as_latex_tabular() for table in page.tables]
        return "\n".join([*tabulars, "", page.extra_txt.replace("\n", " \\newline\n ")])

    def as_csv(self) -> str:
        """Return the page as CSV, with names and notes in one cell each and formulas escaped."""
        return Summary.as_csv(self._fill_page(Summary(), format_csv_cell, format_csv_cell))


def _escape_latex_lines(note: str) -> str:
    return "\n".join(map(as_latex, note.splitlines()))

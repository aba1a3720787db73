"""LaTeX tables with a font size that fits the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pydpstat._markup import as_latex

# in points: text width of the article class, and mean width of a letter
_PAGE_WIDTH, _LETTER_WIDTH = 345.0, 4.6
# font size, its ratio to the normal size, and \tabcolsep in points
_FONT_SIZES = (("", 1.0, 6), (r"\small", 0.92, 6), (r"\small", 0.92, 4), (r"\footnotesize", 0.84, 3))
_SMALLEST_FONT = (r"\scriptsize", 0.75, 2)
# maximum number of rows on a page
_MAX_TABLE_ROWS = 40
# headings above the two limits of an interval
_INTERVAL_HEADINGS = {"noise": "noise interval", "population": "confidence interval"}


def escape_latex_cell(text: str) -> str:
    """Return a text escaped for a LaTeX cell, with a minus sign for a negative number."""
    if re.fullmatch(r"-[\d.]+(e[-+]?\d+)?|-inf", text):
        return f"$-${text[1:]}"
    return as_latex(text)


def format_latex_row(cells: Sequence[str]) -> str:
    """Return a table row with escaped cells."""
    first, *others = map(escape_latex_cell, cells)
    # a leading [ or * would be read as an argument of the previous row's \\
    first = f"{{{first[0]}}}{first[1:]}" if first.startswith(("[", "*")) else first
    return f"{' & '.join([first, *others])} \\\\"


def format_latex_table(
    heads: Sequence[str],
    names: Sequence[str],
    cells: Sequence[Sequence[str]],
    caption: str | None,
    label: str | None,
) -> str:
    """Return a table with a column of names, as a longtable if it exceeds a page."""
    size, space = _choose_font_size(_count_column_letters(heads, names, cells))
    settings = [*([size] if size else []), *([rf"\setlength{{\tabcolsep}}{{{space}pt}}"] if space < 6 else [])]
    columns = "l" + "r" * len(heads)
    head = [r"\toprule", *_iter_head_lines(heads), r"\midrule"]
    body = [format_latex_row([name, *row]) for name, row in zip(names, cells)]
    # a label needs a caption, whose number it refers to
    title_lines = [] if caption is None and label is None else [rf"\caption{{{_escape_caption(caption or '')}}}"]
    title_lines += [] if label is None else [rf"\label{{{label}}}"]
    if len(body) > _MAX_TABLE_ROWS:
        first_head = ["".join(title_lines) + r" \\", *head, r"\endfirsthead"] if title_lines else []
        head += [r"\endhead", r"\bottomrule", r"\endfoot"]
        lines = [rf"\begin{{longtable}}{{{columns}}}", *first_head, *head, *body, r"\end{longtable}"]
        return "\n".join(["{", *settings, *lines, "}"] if settings else lines)
    tabular = [rf"\begin{{tabular}}{{{columns}}}", *head, *body, r"\bottomrule", r"\end{tabular}"]
    if title_lines:
        return "\n".join([r"\begin{table}[htbp]", r"\centering", *settings, *title_lines, *tabular, r"\end{table}"])
    return "\n".join([r"\begin{center}", *settings, *tabular, r"\end{center}"])


def _iter_head_lines(heads: Sequence[str]) -> Iterator[str]:
    """Yield the header row, preceded by a row of interval headings with their rules if there are any."""
    upper_cells, lower_cells, rules = [""], [""], []
    column = 0
    while column < len(heads):
        kind, bracket, level = heads[column].partition(" [")
        if bracket and kind in _INTERVAL_HEADINGS:
            upper_cells.append(rf"\multicolumn{{2}}{{c}}{{{_INTERVAL_HEADINGS[kind]}}}")
            rules.append(rf"\cmidrule(lr){{{column + 2}-{column + 3}}}")
            lower_cells += [f"[{level}", heads[column + 1]]
            column += 2
        else:
            upper_cells.append("")
            lower_cells.append(heads[column])
            column += 1
    if rules:
        yield f"{' & '.join(upper_cells)} \\\\"
        yield " ".join(rules)
    yield format_latex_row(lower_cells)


def _escape_caption(caption: str) -> str:
    r"""Return a LaTeX caption with unescaped %, & and # escaped."""
    return re.sub(r"(?<!\\)([%&#])", r"\\\1", caption)


def _count_column_letters(heads: Sequence[str], names: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    """Return the maximum number of letters of each column."""
    texts = [head.partition(" [")[2] or head for head in heads]
    rows = [["", *texts], *([name, *row] for name, row in zip(names, cells))]
    return [max(map(len, column)) for column in zip(*rows)]


def _choose_font_size(widths: Sequence[int]) -> tuple[str, int]:
    """Return the largest font size, with its column separation, at which the columns fit the page."""
    for size, ratio, space in _FONT_SIZES:
        if sum(widths) * _LETTER_WIDTH * ratio + 2 * space * len(widths) <= _PAGE_WIDTH:
            return size, space
    return _SMALLEST_FONT[0], _SMALLEST_FONT[2]

"""Tables in LaTeX, with letters that fit the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pydpstat._markup import as_latex

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

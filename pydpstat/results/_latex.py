r"""LaTeX of tables that fit a page of the class article, for the packages booktabs and longtable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_SIGNS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_SIGNS |= {"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"} | {
    each: f"\\{each}" for each in "%_#$&{}"
}
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
    r"""Return a text as LaTeX shows it.

    Examples
    --------
    >>> print(escaped("50 % of a_b"), escaped("< 1e-06"), escaped("-1.5"))
    50 \% of a\_b \textless{} 1e-06 $-$1.5
    """
    if re.fullmatch(r"-[\d.]+(e[-+]?\d+)?|-inf", text):
        return f"$-${text[1:]}"
    return "".join(_SIGNS.get(each, each) for each in text)


def row_of(cells: Sequence[str]) -> str:
    r"""Return a row of a table.

    Examples
    --------
    >>> print(row_of(["[18, 30)", "12"]))
    {[}18, 30) & 12 \\
    """
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
    r"""Return a table of numbers with a column of names; a long one goes over several pages.

    Examples
    --------
    >>> print(of_table(["noise [0.025", "0.975]"], ["age"], [["1", "2"]], "Means", "tab:age"))
    \begin{table}[htbp]
    \centering
    \caption{Means}
    \label{tab:age}
    \begin{tabular}{lrr}
    \toprule
     & \multicolumn{2}{c}{noise interval} \\
    \cmidrule(lr){2-3}
     & [0.025 & 0.975] \\
    \midrule
    age & 1 & 2 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
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

"""Cells of CSV that a spreadsheet reads as they are: a text is never run as a formula."""

from __future__ import annotations

import re
from collections.abc import Iterable

# a spreadsheet runs what begins so (OWASP, "CSV Injection"); a sign alone is none
_FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]\s*\S")


def cell(value: object) -> str:
    """Return a value as one cell, in quotes where it needs them; None is an empty one.

    A text that a spreadsheet would run as a formula gets an apostrophe in front. A number remains one, also
    where it comes as a text. A formula after apostrophes gets another, so that a reader can take one away.

    Examples
    --------
    >>> print(cell("=1+1"), cell("-1.5"), cell(-1.5), cell("a, b"))
    '=1+1 -1.5 -1.5 "a, b"
    """
    text = "" if value is None else str(value)
    # the apostrophes that it has
    bare = text.lstrip("'")
    if _FORMULA.match(bare) and not _is_number(bare):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if re.search('[",\r\n]', text) else text


def text_of(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as lines of cells.

    Examples
    --------
    >>> text_of([["name", "value"], ["=a", 1.5]])
    "name,value\\n'=a,1.5\\n"
    """
    return "".join(",".join(map(cell, row)) + "\n" for row in rows)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

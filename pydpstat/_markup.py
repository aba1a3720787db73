"""Labels as text in LaTeX, Markdown and HTML: what a format would take for a command, link or tag is shown.

Names of columns, levels and releases come from outside. A label may hold ``\\input{...}``, ``<script>`` or
``[l](javascript:1)``; each format has one function here, which every export uses. Cells of CSV are those of
`pydpstat._files`, and labels of plots those of `pydpstat.plots._text`.
"""

from __future__ import annotations

import html as _html
import re

_COMMANDS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_COMMANDS |= {"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}
_COMMANDS |= {each: f"\\{each}" for each in "%_#$&{}"}
# a line's end would end a comment, a cell, or a table
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_MARKS = re.compile(r"([\\`*_|<>\[\]~{}$&^])")


def as_latex(text: str) -> str:
    r"""Return a text in one line as LaTeX shows it.

    >>> print(as_latex(r"\input{a_b}"))
    \textbackslash{}input\{a\_b\}
    """
    return "".join(_COMMANDS.get(each, each) for each in in_one_line(text))


def as_markdown(text: str) -> str:
    r"""Return a text in one line as Markdown shows it, in a table too.

    >>> print(as_markdown("[l](javascript:1)"))
    \[l\](javascript:1)
    """
    return _MARKS.sub(r"\\\1", in_one_line(text))


def as_html(text: str) -> str:
    """Return a text as HTML shows it, in an attribute too.

    >>> print(as_html("<script>"))
    &lt;script&gt;
    """
    return _html.escape(text)


def in_one_line(text: str) -> str:
    r"""Return a text with one space in the place of the ends of lines and control characters.

    >>> in_one_line("a\n\nb")
    'a b'
    """
    return _BREAKS.sub(" ", text)

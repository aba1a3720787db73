"""Escape labels in LaTeX, Markdown and HTML, so that commands, links and tags are shown as text.

Names of columns, levels and releases are untrusted input. A label may contain ``\\input{...}``, ``<script>``
or ``[l](javascript:1)``; each format has one function here, which every export uses. Cells of CSV are escaped
by `pydpstat._files`, and labels of plots by `pydpstat.plots._text`.
"""

from __future__ import annotations

import html as _html
import re

_LATEX_ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX_ESCAPES |= {"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}
_LATEX_ESCAPES |= {each: f"\\{each}" for each in "%_#$&{}"}
# a line break would end a comment, a cell, or a table
_WHITE_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_MARKDOWN_CHARACTERS = re.compile(r"([\\`*_|<>\[\]~{}$&^])")


def as_latex(text: str) -> str:
    r"""Escape a text for LaTeX, in one line.

    >>> print(as_latex(r"\input{a_b}"))
    \textbackslash{}input\{a\_b\}
    """
    return "".join(_LATEX_ESCAPES.get(letter, letter) for letter in join_lines(text))


def as_markdown(text: str) -> str:
    r"""Escape a text for Markdown, in one line, also for tables.

    >>> print(as_markdown("[l](javascript:1)"))
    \[l\](javascript:1)
    """
    return _MARKDOWN_CHARACTERS.sub(r"\\\1", join_lines(text))


def as_html(text: str) -> str:
    """Escape a text for HTML, also for attributes.

    >>> print(as_html("<script>"))
    &lt;script&gt;
    """
    return _html.escape(text)


def join_lines(text: str) -> str:
    r"""Replace runs of white space and control characters by one space.

    >>> join_lines("a\n\nb")
    'a b'
    """
    return _WHITE_SPACE.sub(" ", text)

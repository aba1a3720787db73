"""Escapes in texts of a script for code, comments, reports and terminals."""

from __future__ import annotations

import json
import re

# an encoding declaration, which Python reads in the first two lines of a file (PEP 263)
_ENCODING_SIGN = re.compile(r"(?<=coding)[:=]")
# maximum length of a text in a reason or a report
_MAX_TEXT_LENGTH = 300


def escape_text(text: str) -> str:
    r"""Return a text on one line with visible characters only.

    Line ends, control characters, direction marks, lone surrogates and non-ASCII spaces become Python
    escapes. A tab becomes spaces.

    Examples
    --------
    >>> print(escape_text("a\nb\x1b[2J\u202e c\t\u2028\udcff"))
    a\x0ab\x1b[2J\u202e c  \u2028\udcff
    """
    text = text.expandtabs(2)
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _escape_character(each) for each in text)


def _escape_character(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quote_text(text: str | None) -> str:
    r"""Return a text as a Python string in double quotes, with invisible characters escaped.

    Examples
    --------
    >>> print(quote_text('say "x"\n\u202e'), quote_text(None))
    "say \"x\"\n\u202e" None
    """
    return "None" if text is None else escape_text(json.dumps(text, ensure_ascii=False))


def write_comments(text: str, indent: str = "") -> list[str]:
    r"""Return a text as lines of Python comments.

    Examples
    --------
    >>> write_comments("a\rimport os\x0c\nb", "    ")
    ['    # a', '    # import os\\x0c', '    # b']
    """
    return [f"{indent}# {escape_text(line.strip(' '))}".rstrip(" ") for line in re.split(r"\r\n?|\n", text)]


def write_first_comment(text: str) -> str:
    r"""Return a one-line comment without an encoding declaration, for the first line of a file.

    Examples
    --------
    >>> print(write_first_comment("coding: utf-7 +AAo-\n"))
    # coding\x3a utf-7 +AAo-\x0a
    """
    return f"# {_ENCODING_SIGN.sub(lambda found: _escape_character(found[0]), escape_text(text))}"


def trim_text(text: str) -> str:
    """Return a text for a report: on one line, truncated with dots if it is too long."""
    shown = escape_text(text)
    return shown if len(shown) <= _MAX_TEXT_LENGTH else f"{shown[: _MAX_TEXT_LENGTH - 3]}..."


def as_json(content: object) -> str:
    r"""Return JSON that is safe on a terminal: invisible characters are escaped.

    Examples
    --------
    >>> print(as_json("é\u202e\udcff\U000e0001"))
    "é\u202e\udcff\udb40\udc01"
    """
    written = json.dumps(content, indent=2, ensure_ascii=False)
    if written.replace("\n", "").isprintable():
        return written
    return "".join(each if each == "\n" or each.isprintable() else json.dumps(each)[1:-1] for each in written)

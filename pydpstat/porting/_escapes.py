"""Escape texts of a script for code, comments, reports and terminals."""

from __future__ import annotations

import json
import re

# an encoding declaration, which Python reads in the first two lines of a file (PEP 263)
_DECLARED = re.compile(r"(?<=coding)[:=]")
# the length to which texts in a reason or a report are shortened
_SHOWN = 300


def escaped(text: str) -> str:
    r"""Return a text in one line with only visible characters.

    Line ends, control characters, direction marks, lone surrogates and non-ASCII spaces become escapes of
    Python. A tab becomes spaces.

    Examples
    --------
    >>> print(escaped("a\nb\x1b[2J\u202e c\t\u2028\udcff"))
    a\x0ab\x1b[2J\u202e c  \u2028\udcff
    """
    text = text.expandtabs(2)
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _code(each) for each in text)


def _code(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quoted(text: str | None) -> str:
    r"""Return a text as a Python string in double quotes, with invisible characters escaped.

    Examples
    --------
    >>> print(quoted('say "x"\n\u202e'), quoted(None))
    "say \"x\"\n\u202e" None
    """
    return "None" if text is None else escaped(json.dumps(text, ensure_ascii=False))


def comments(text: str, indent: str = "") -> list[str]:
    r"""Return a text as lines of Python comments.

    Examples
    --------
    >>> comments("a\rimport os\x0c\nb", "    ")
    ['    # a', '    # import os\\x0c', '    # b']
    """
    return [f"{indent}# {escaped(line.strip(' '))}".rstrip(" ") for line in re.split(r"\r\n?|\n", text)]


def first_comment(text: str) -> str:
    r"""Return a comment in one line that declares no encoding, for the first line of a file.

    Examples
    --------
    >>> print(first_comment("coding: utf-7 +AAo-\n"))
    # coding\x3a utf-7 +AAo-\x0a
    """
    return f"# {_DECLARED.sub(lambda found: _code(found[0]), escaped(text))}"


def shortened(text: str) -> str:
    """Return a text for a report: in one line, truncated with dots if it is too long."""
    shown = escaped(text)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."


def as_json(content: object) -> str:
    r"""Return content as JSON that is safe on a terminal: invisible characters are escaped.

    Examples
    --------
    >>> print(as_json("é\u202e\udcff\U000e0001"))
    "é\u202e\udcff\udb40\udc01"
    """
    written = json.dumps(content, indent=2, ensure_ascii=False)
    if written.replace("\n", "").isprintable():
        return written
    return "".join(each if each == "\n" or each.isprintable() else json.dumps(each)[1:-1] for each in written)

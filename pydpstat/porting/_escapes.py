"""Texts of a script where they must stay texts: in code, in comments, in reports and on a terminal."""

from __future__ import annotations

import json
import re

# a declaration that Python obeys in the first two lines of a file (PEP 263)
_DECLARED = re.compile(r"(?<=coding)[:=]")
# so much of a text is quoted in a reason or a report
_SHOWN = 300


def escaped(text: str) -> str:
    r"""Return a text in one line in which everything can be seen.

    Line ends, control characters, marks of direction, lone surrogates and spaces other than that of ASCII
    become Python's escapes. A tab becomes spaces.

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
    r"""Return a text as Python writes it, in double quotes and with escapes for what cannot be seen.

    Examples
    --------
    >>> print(quoted('say "x"\n\u202e'), quoted(None))
    "say \"x\"\n\u202e" None
    """
    return "None" if text is None else escaped(json.dumps(text, ensure_ascii=False))


def comments(text: str, indent: str = "") -> list[str]:
    r"""Return a text as lines of Python that are comments, each with its own sign.

    Examples
    --------
    >>> comments("a\rimport os\x0c\nb", "    ")
    ['    # a', '    # import os\\x0c', '    # b']
    """
    return [f"{indent}# {escaped(line.strip(' '))}".rstrip(" ") for line in re.split(r"\r\n?|\n", text)]


def first_comment(text: str) -> str:
    r"""Return a comment in one line that may be the first of a file: it declares no encoding.

    Examples
    --------
    >>> print(first_comment("coding: utf-7 +AAo-\n"))
    # coding\x3a utf-7 +AAo-\x0a
    """
    return f"# {_DECLARED.sub(lambda found: _code(found[0]), escaped(text))}"


def shortened(text: str) -> str:
    """Return a text for a report: in one line, with dots in the place of what is too long."""
    shown = escaped(text)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."


def as_json(content: object) -> str:
    r"""Return content as JSON that is safe on a terminal: all that cannot be seen is escaped.

    Examples
    --------
    >>> print(as_json("é\u202e\udcff\U000e0001"))
    "é\u202e\udcff\udb40\udc01"
    """
    written = json.dumps(content, indent=2, ensure_ascii=False)
    if written.replace("\n", "").isprintable():
        return written
    return "".join(each if each == "\n" or each.isprintable() else json.dumps(each)[1:-1] for each in written)

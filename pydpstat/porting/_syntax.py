"""Syntax trees of R's ``parse``, with the position of each node."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf
from typing import TypeAlias

# a line directive of R sets the number of the next line
_LINE_DIRECTIVE = re.compile(r"#line[ \t\f]*([0-9]+)")


def _compute_widths(line: str) -> list[int]:
    """Return the width of each prefix of a line, with tab stops at multiples of eight."""
    found = [0]
    for letter in line:
        found.append(found[-1] - found[-1] % 8 + 8 if letter == "\t" else found[-1] + 1)
    return found


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, a string, a logical value or NULL.

    `kind` is R's ``typeof``: double, integer, complex, logical, character or NULL. `value` is the value in
    Python, and None if it is missing or NULL. Invalid UTF-8 bytes of a string are encoded by Python's
    ``surrogateescape``.
    """

    value: float | complex | str | None
    kind: str
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A reference to a variable or function, without backquotes."""

    name: str
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call, or a formal argument of a function; its name or its value may be absent."""

    name: str | None
    value: Node | None


@dataclass(frozen=True, slots=True)
class Call:
    """A call. Operators, braces, parentheses, loops and conditions are calls as well, as in R."""

    function: Node
    arguments: tuple[Argument, ...]
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Function:
    """A function definition by ``function`` or the backslash."""

    formals: tuple[Argument, ...]
    body: Node
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


Node: TypeAlias = Constant | Name | Call | Function


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its sign, up to the end of the line."""

    text: str
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


class Script:
    """A script's text with its `expressions` and `comments`.

    ``script.place(node.start)`` is the line and the column of a node, ``script.written(node)`` its text.
    """

    def __init__(self, text: str, comments: tuple[Comment, ...]) -> None:
        self.text, self.comments = text, comments
        self.expressions: list[Node] = []
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]
        self._widths: dict[int, list[int]] = {}
        # offsets from which a line directive applies, with the shift of the line numbers
        self._line_offsets = [(0, 0)]
        for each in comments:
            line = bisect_right(self._starts, each.start)
            if each.start == self._starts[line - 1] and (found := _LINE_DIRECTIVE.match(each.text)):
                self._line_offsets.append((each.end + 1, int(found[1]) - line - 1))

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both from 1, with tab stops at multiples of eight."""
        line = bisect_right(self._starts, offset)
        _, more = self._line_offsets[bisect_right(self._line_offsets, (offset, inf)) - 1]
        return line + more, self._compute_column(line - 1, offset - self._starts[line - 1]) + 1

    def _compute_column(self, line: int, size: int) -> int:
        """Return the width of a line's prefix; widths are computed once per line."""
        if line not in self._widths:
            text = self._lines[line]
            self._widths[line] = _compute_widths(text) if "\t" in text else []
        return self._widths[line][size] if self._widths[line] else size

    def line(self, offset: int) -> str:
        """Return the line of an offset, with spaces for tabs."""
        return self._lines[bisect_right(self._starts, offset) - 1].expandtabs(8)

    def written(self, node: Node | Comment) -> str:
        """Return the text of a node or comment."""
        return self.text[node.start : node.end]


class RSyntaxError(ValueError):
    """A syntax error in R code.

    `reason` is R's message, `line` and `column` are the position in it: tab stops are at multiples of eight,
    and a token that is missing at the end of a line or of the text is reported for column 0 of the next line.
    `text` is the line.
    """

    def __init__(self, reason: str, line: int, column: int, text: str) -> None:
        self.reason, self.line, self.column, self.text = reason, line, column, text
        # a missing token is reported after the preceding line
        head, caret = f"{line if column else line - 1}: ", column or len(text) + 1
        super().__init__(f"{line}:{column}: {reason}\n{head}{text}\n{'^':>{len(head) + caret}}")

    def __reduce__(self) -> tuple[type[RSyntaxError], tuple[str, int, int, str]]:
        return type(self), (self.reason, self.line, self.column, self.text)

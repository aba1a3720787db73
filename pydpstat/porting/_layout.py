"""Line breaks in Python code: long calls are split at their arguments."""

from __future__ import annotations

import io
import re
import tokenize
from itertools import pairwise
from keyword import iskeyword

LINE_WIDTH = 88
_OPENING_BRACKETS, _CLOSING_BRACKETS = "([{", ")]}"


def split_statement(line: str) -> list[str]:
    """Return a statement as lines of at most 88 characters, where it can be split.

    Examples
    --------
    >>> print("\\n".join(split_statement("total = " + "summed(" + ", ".join(["a_long_name"] * 8) + ")")))
    total = summed(
        a_long_name,
        a_long_name,
        a_long_name,
        a_long_name,
        a_long_name,
        a_long_name,
        a_long_name,
        a_long_name,
    )
    """
    if len(line) <= LINE_WIDTH or (found := _find_brackets(line)) is None:
        return [line]
    first, last, commas = found
    indent = line[: len(line) - len(line.lstrip())]
    ends = [first, *commas, last]
    parts = [line[a + 1 : b].strip() for a, b in pairwise(ends)]
    parts = [each for each in parts if each]
    head, tail = line[: first + 1], line[last:]
    inside = f"{indent}    {', '.join(parts)}"
    if len(inside) <= LINE_WIDTH:
        return [head, inside, *split_statement(f"{indent}{tail.lstrip()}")]
    # with a comma, grouping parentheses would become a tuple
    comma = "" if _is_grouping(head) or (len(parts) == 1 and _is_generator(parts[0])) else ","
    lines = [piece for each in parts for piece in split_statement(f"{indent}    {each}{comma}")]
    return [head, *lines, *split_statement(f"{indent}{tail.lstrip()}")]


def _is_grouping(head: str) -> bool:
    """Return whether a line ends with a parenthesis that is not a call."""
    before = re.search(r"(\w+|[\])])$", head[:-1])
    return head.endswith("(") and (before is None or iskeyword(before[0]))


def _is_generator(part: str) -> bool:
    return part.startswith("*") or " for " in part


def _find_brackets(line: str) -> tuple[int, int, list[int]] | None:
    """Return the positions of the brackets of the last call that can be split, and of its commas."""
    depth = 0
    stack: list[tuple[int, list[int]]] = []
    found: list[tuple[int, int, list[int]]] = []
    try:
        # a line may continue after a bracket that closes
        text = re.sub(r"^[)\]}]+", lambda found: "_" * len(found[0]), line.strip())
        words = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError):
        return None
    offset = len(line) - len(line.lstrip())
    for word in words:
        if word.type != tokenize.OP:
            continue
        place = word.start[1] + offset
        if word.string in _OPENING_BRACKETS:
            stack.append((place, []))
            depth += 1
        elif word.string in _CLOSING_BRACKETS:
            opened, commas = stack.pop()
            depth -= 1
            if depth == 0 and place - opened > 1:
                found.append((opened, place, commas))
        elif word.string == "," and stack:
            stack[-1][1].append(place)
    return max(found, key=lambda each: each[1] - each[0]) if found else None

"""A comparison's code with its inputs as a person would type it, in R and in Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from itertools import pairwise

from pydpstat.parity.case import Case, format_python_literal, format_r_literal

# what half a page holds
WIDTH = 44
_IMPORTS = {
    "math": "import math",
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "pydpstat": "import pydpstat",
    "r": "from pydpstat.porting import r",
}
_MIRRORS = ("diffpriv", "dppack")
_OPENING, _CLOSING = "([{", ")]}"


def r_lines(case: Case) -> list[str]:
    """Return the R code that a reader can run: the seed, the inputs, the call."""
    words = set(re.findall(r"[\w.]+", case.r))
    inputs = [f"{name} <- {format_r_literal(value)}" for name, value in case.inputs.items() if name in words]
    seed = [f"set.seed({case.seed})"] if _draws(case) else []
    return folded([*seed, *inputs, *case.r.strip().splitlines()])


def python_lines(case: Case) -> list[str]:
    """Return the Python code that a reader can run: imports, the stream, the inputs, the call."""
    words = set(re.findall(r"\w+", case.python))
    inputs = [f"{name} = {format_python_literal(value)}" for name, value in case.inputs.items() if name in words]
    body = [*inputs, *case.python.strip().splitlines()]
    names = _free_names("\n".join(body))
    imports = [line for name, line in _IMPORTS.items() if name in names and name not in case.inputs]
    stream = [f"rng = RRandom({case.seed})"] if _draws(case) else []
    own = ["RRandom"] * len(stream) + [name for name in _MIRRORS if name in names]
    imports += [f"from pydpstat import {', '.join(own)}"] if own else []
    return folded([*sorted(imports, key=_by_kind), "", *stream, *body], joined=True)


def _draws(case: Case) -> bool:
    return re.search(r"\brng\b", case.python) is not None


def _free_names(source: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(source)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    stored = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    stored |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {node.id for node in names} - (stored - set(_MIRRORS))


def _by_kind(line: str) -> tuple[bool, bool, str]:
    return "pydpstat" in line, line.startswith("from"), line


def folded(lines: Iterable[str], width: int = WIDTH, joined: bool = False) -> list[str]:
    """Break long lines of R or Python at commas inside brackets; others stay as they are.

    A call on several lines is put on one before, if one of its lines is long or all are to be `joined`.

    Examples
    --------
    >>> print("\\n".join(folded(["f(first, second, third)"], 16)))
    f(
        first,
        second,
        third
    )
    """
    found = _joined("\n".join(lines).splitlines(), 0 if joined else width)
    return [part for line in found for part in _fold(line, width)]


def _joined(lines: Iterable[str], width: int) -> list[str]:
    """Put a call that goes on over several lines on one, where one of them is longer than the width."""
    result: list[str] = []
    waiting: list[str] = []
    for line in lines:
        if waiting and not line.strip():
            continue
        waiting.append(line)
        depth, braces = _depth(waiting)
        if depth <= 0 or braces or "#" in line:
            long = len(waiting) > 1 and max(map(len, waiting)) > width and not braces and "#" not in line
            result += [_one_line(waiting)] if long else waiting
            waiting = []
    return result + waiting


def _one_line(parts: Iterable[str]) -> str:
    first, *others = parts
    for part in map(str.strip, others):
        ends = part[0] in _CLOSING
        first = first.removesuffix(",") if ends else first
        first += part if ends or first[-1] in _OPENING else f" {part}"
    return first


def _depth(lines: Iterable[str]) -> tuple[int, bool]:
    """Return how many brackets are open, and whether braces are among them."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "", " ".join(lines))
    return text.count("(") + text.count("[") - text.count(")") - text.count("]"), text.count("{") > text.count("}")


def _fold(line: str, width: int) -> list[str]:
    found = _bracket(line) if len(line) > width and "#" not in line else None
    if found is None:
        return [line]
    start, end, commas = found
    edges = [start, *commas, end]
    items = [line[a + 1 : b].strip() for a, b in pairwise(edges)]
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    rows = [indent + items[0]]
    for item in items[1:]:
        if len(rows[-1]) + len(item) + 3 <= width:
            rows[-1] += f", {item}"
        else:
            rows[-1] += ","
            rows.append(indent + item)
    inner = [part for row in rows for part in _fold(row, width)]
    return [line[: start + 1], *inner, " " * (len(indent) - 4) + line[end:]]


def _bracket(line: str) -> tuple[int, int, list[int]] | None:
    """Return the longest bracket that holds commas and is in no other such: its ends and its commas."""
    found: list[tuple[int, int, list[int]]] = []
    opened: list[tuple[int, list[int]]] = []
    quote = ""
    for place, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote and line[place - 1] != "\\" else quote
        elif letter in "'\"":
            quote = letter
        elif letter in _OPENING:
            opened.append((place, []))
        elif letter in _CLOSING and opened:
            start, commas = opened.pop()
            if commas and not line[:start].endswith("function"):
                found = [*(each for each in found if each[0] < start), (start, place, commas)]
        elif letter == "," and opened:
            opened[-1][1].append(place)
    return max(found, key=lambda each: each[1] - each[0], default=None)

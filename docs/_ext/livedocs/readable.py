"""A comparison's inputs and code as a person would type them, in R and in Python."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from pydpstat.parity.case import Case, Factor

# what half a page holds
WIDTH = 44
_IMPORTS = {
    "math": "import math",
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "pydpstat": "import pydpstat",
    "r": "from pydpstat import r_arithmetic as r",
}
_MIRRORS = ("diffpriv", "dppack")
_OPENING, _CLOSING = "([{", ")]}"


def r_lines(case: Case) -> list[str]:
    """Return the R code that a reader can run: the seed, the inputs, the call."""
    words = set(re.findall(r"[\w.]+", case.r))
    inputs = [f"{name} <- {r_literal(value)}" for name, value in case.inputs.items() if name in words]
    seed = [f"set.seed({case.seed})"] if _draws(case) else []
    return folded([*seed, *inputs, *case.r.strip().splitlines()])


def python_lines(case: Case) -> list[str]:
    """Return the Python code that a reader can run: imports, the stream, the inputs, the call."""
    words = set(re.findall(r"\w+", case.python))
    inputs = [f"{name} = {python_literal(value)}" for name, value in case.inputs.items() if name in words]
    body = [*inputs, *case.python.strip().splitlines()]
    names = _free_names("\n".join(body))
    imports = [line for name, line in _IMPORTS.items() if name in names and name not in case.inputs]
    stream = [f"rng = RRandom({case.seed})"] if _draws(case) else []
    own = ["RRandom"] * len(stream) + [name for name in _MIRRORS if name in names]
    imports += [f"from pydpstat import {', '.join(own)}"] if own else []
    return folded([*sorted(imports, key=_by_kind), "", *stream, *body])


def _draws(case: Case) -> bool:
    return re.search(r"\brng\b", case.python) is not None


def _free_names(source: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(source)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    stored = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    stored |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {node.id for node in names} - (stored - set(_MIRRORS))


def _by_kind(line: str) -> tuple[bool, bool]:
    return "pydpstat" in line, line.startswith("from")


def r_literal(value: Any) -> str:
    """Return a value as R code.

    Examples
    --------
    >>> r_literal([1.0, 2.5]), r_literal(Factor(("b", None), ("a", "b")))
    ('c(1, 2.5)', 'factor(c("b", NA), levels = c("a", "b"))')
    """
    if isinstance(value, Factor):
        return f"factor({r_literal(value.values)}, levels = {r_literal(value.levels)})"
    if isinstance(value, np.ndarray) and value.ndim == 2:
        return f"matrix({r_literal(value.ravel(order='F').tolist())}, nrow = {value.shape[0]})"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return f"c({', '.join(map(_r_element, value))})" if value else "numeric(0)"
    return _r_element(value)


def _r_element(value: Any) -> str:
    if value is None:
        return "NA"
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, np.integer)):
        return f"{int(value)}L"
    if isinstance(value, (float, np.floating)):
        return _number(float(value), "NaN", "Inf")
    return _quoted(value)


def python_literal(value: Any) -> str:
    """Return a value as Python code; numbers stand in a NumPy array, as parity cases see them.

    Examples
    --------
    >>> python_literal([1.0, 2.5]), python_literal(["a", "b"])
    ('np.array([1.0, 2.5])', '["a", "b"]')
    """
    if isinstance(value, Factor):
        return f"pd.Categorical({_python_list(value.values)}, categories={_python_list(value.levels)})"
    if isinstance(value, np.ndarray):
        return f"np.array({_python_list(value.tolist())})"
    if isinstance(value, list) and value and not isinstance(value[0], str):
        return f"np.array({_python_list([math.nan if item is None else item for item in value])})"
    if isinstance(value, (list, tuple)):
        return _python_list(value)
    return _python_element(value)


def _python_list(values: Iterable[Any]) -> str:
    return f"[{', '.join(_python_list(v) if isinstance(v, list) else _python_element(v) for v in values)}]"


def _python_element(value: Any) -> str:
    if isinstance(value, float):
        return _number(value, "math.nan", "math.inf", point=True)
    return _quoted(value) if isinstance(value, str) else repr(value)


def _number(value: float, nan: str, infinity: str, point: bool = False) -> str:
    if math.isnan(value):
        return nan
    if math.isinf(value):
        return infinity if value > 0 else f"-{infinity}"
    text = repr(value)
    return text[:-2] if text.endswith(".0") and not point else text


def _quoted(value: Any) -> str:
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def folded(lines: Iterable[str], width: int = WIDTH) -> list[str]:
    """Break long lines of R or Python at commas inside brackets; others stay as they are.

    Examples
    --------
    >>> print("\\n".join(folded(["f(first, second, third)"], 16)))
    f(
        first,
        second,
        third
    )
    """
    return [part for line in _joined("\n".join(lines).splitlines(), width) for part in _fold(line, width)]


def _joined(lines: Iterable[str], width: int) -> list[str]:
    """Put a call that goes on over several lines on one, where one of them is too long."""
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
        first += part if first[-1] in _OPENING or part[0] in _CLOSING else f" {part}"
    return first


def _depth(lines: Iterable[str]) -> tuple[int, bool]:
    """Return how many brackets are open, and whether braces are among them."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "", " ".join(lines))
    return text.count("(") + text.count("[") - text.count(")") - text.count("]"), text.count(
        "{"
    ) > text.count("}")


def _fold(line: str, width: int) -> list[str]:
    found = _bracket(line) if len(line) > width and "#" not in line else None
    if found is None:
        return [line]
    start, end, commas = found
    edges = [start, *commas, end]
    items = [line[a + 1 : b].strip() for a, b in zip(edges, edges[1:])]
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

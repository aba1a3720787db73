"""An R script in, the Python script out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pydpstat.porting._assignments import LEFT, SHOWN
from pydpstat.porting._code import Problem, Untranslated
from pydpstat.porting._grammar import parse
from pydpstat.porting._scope import assigned, function_name
from pydpstat.porting._statements import Statements
from pydpstat.porting._syntax import Call, Name, Node
from pydpstat.porting._verify import Chunk

_IMPORTS = (
    (r"\bmath\.", "import math"),
    (r"\bsecrets\.", "import secrets"),
    (r"\bwarnings\.", "import warnings"),
    (r"\bpydpstat\.", "import pydpstat"),
    (r"\bnp\.", "import numpy as np"),
    (r"\bpd\.", "import pandas as pd"),
)
_NAMES = (("RRandom", r"\bRRandom\("), ("diffpriv", r"\bdiffpriv\."), ("dppack", r"\bdppack\."))
_UNSEEDED = "rng = RRandom(secrets.randbelow(2**31))  # R's stream without a seed differs from run to run"


@dataclass(frozen=True)
class Port:
    """A script in Python: the text before its statements, the statements, and those that are left."""

    name: str
    head: str
    chunks: tuple[Chunk, ...]
    problems: tuple[Problem, ...]
    statements: int
    # what --own changes, by line
    remarks: tuple[tuple[int, str], ...] = ()

    @property
    def runs(self) -> tuple[Chunk, ...]:
        """The statements with the text before them."""
        return (Chunk(-1, 0, self.head), *self.chunks)

    @property
    def text(self) -> str:
        """The Python script."""
        body = "\n".join(each.python for each in self.chunks if each.python)
        return f"{self.head}\n\n{_spaced(body)}\n" if body else f"{self.head}\n"


def ported(text: str, name: str = "script.R", own: bool = False) -> Port:
    """Return a script of R in Python.

    Parameters
    ----------
    text
        The script.
    name
        What it is called in the first line.
    own
        Whether pydpstat's functions take the place of DPpack's where one serves.

    Raises
    ------
    RSyntaxError
        Where it is no R.

    Examples
    --------
    >>> print(ported("set.seed(1)\\nx <- rnorm(5)\\nmean(x)").text)
    # Ported from script.R.
    from pydpstat import RRandom
    from pydpstat.porting import r
    <BLANKLINE>
    rng = RRandom(1)
    x = rng.rnorm(5)
    r.print(r.mean(x))
    <BLANKLINE>
    """
    script = parse(text)
    writer = Statements(script, own=own)
    starts, found = [], []
    for index, each in enumerate(script.expressions):
        starts.append(len(writer.lines))
        writer.statement(each, SHOWN)
        names = tuple(
            (one, writer.scope.names[one].python) for one in assigned(each) if one in writer.scope.names
        )
        line, _ = script.place(each.start)
        found.append(Chunk(index, line, "", names))
    writer.flush(len(script.text))
    ends = [*starts[1:], len(writer.lines)]
    # a comment at the end of a statement's line came with the next statement
    chunks = [each._replace(python="\n".join(writer.lines[a:b])) for each, a, b in zip(found, starts, ends)]
    head = _head("\n".join(each.python for each in chunks), name)
    return Port(name, head, tuple(chunks), tuple(writer.problems), len(chunks), tuple(writer.remarks))


def translate(text: str, names: Iterable[str] = ()) -> str:
    """Return lines of R in Python, as comparisons write them: a vector that is the last value is a list.

    `names` are variables that the text finds. What has no sure translation is an ``Untranslated``.

    Examples
    --------
    >>> text = "m <- DPpack::svmDP$new('l2', 1, TRUE)\\nm$fit(data.frame(x, y), l, c(1, .5))"
    >>> print(translate(text, ["x", "y", "l"]))
    m = dppack.svmDP("l2", 1, True)
    m.fit(pd.DataFrame({"x": x, "y": y}), l, [1, 0.5], rng=rng)
    """
    script = parse(text)
    writer = Statements(script, tuple(names), lenient=True)
    *before, last = script.expressions
    for each in (*before, _listed(last)):
        writer.statement(each, LEFT)
    if writer.problems:
        raise Untranslated(writer.problems[0].reason)
    return "\n".join(writer.lines)


def _listed(node: Node) -> Node:
    """Return a list in the place of a vector, with slots that may be None instead of NA."""
    if not isinstance(node, Call) or function_name(node) != "c" or any(each.name for each in node.arguments):
        return node
    given = [
        replace(each, value=replace(each.value, function=Name("$")))
        if isinstance(each.value, Call) and function_name(each.value) == "@"
        else each
        for each in node.arguments
    ]
    return replace(node, function=Name("list"), arguments=tuple(given))


def _head(body: str, name: str) -> str:
    """Return the first lines of a script: what it imports, and a stream if it has no seed."""
    lines = [f"# Ported from {name}."]
    unseeded = "rng" in body and not _seeded_first(body)
    whole = f"{_UNSEEDED}\n{body}" if unseeded else body
    lines += [statement for pattern, statement in _IMPORTS if re.search(pattern, whole)]
    names = [each for each, pattern in _NAMES if re.search(pattern, whole)]
    ours = [f"from pydpstat import {', '.join(names)}"] if names else []
    ours += ["from pydpstat.porting import r"] if re.search(r"\br\.", whole) else []
    standard = [each for each in lines[1:] if " as " not in each and "pydpstat" not in each]
    others = [each for each in lines[1:] if " as " in each]
    ours = [*(each for each in lines[1:] if each == "import pydpstat"), *ours]
    blocks = ["\n".join(each) for each in (standard, others, ours) if each]
    lines = [lines[0], *["\n\n".join(blocks)] * bool(blocks)]
    if unseeded:
        lines += ["", _UNSEEDED]
    return "\n".join(lines)


def _seeded_first(body: str) -> bool:
    seed = re.search(r"^rng = RRandom\(", body, re.MULTILINE)
    # a function that is defined before draws later
    used = re.search(r"^[^ #\n].*\brng\b", body, re.MULTILINE)
    return bool(seed and (not used or used.start() >= seed.start()))


def _spaced(body: str) -> str:
    """Return lines with two empty ones around functions, and no more than one elsewhere."""
    lines: list[str] = []
    inside = False
    for line in re.sub(r"\n{3,}", "\n\n", body.strip("\n")).split("\n"):
        starts = line.startswith("def ")
        ends = inside and bool(line) and not line.startswith((" ", ")"))
        if starts or ends:
            place = len(lines)
            while starts and place and lines[place - 1].startswith("#"):
                place -= 1
            while place and not lines[place - 1]:
                del lines[place - 1]
                place -= 1
            if place:
                lines[place:place] = ["", ""]
        inside = starts or (inside and not ends)
        lines.append(line)
    return "\n".join(lines)

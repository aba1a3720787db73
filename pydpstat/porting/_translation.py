"""An R script in, the Python script out."""

from __future__ import annotations

import ast
import re
from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pydpstat.porting._assignments import LEFT, SHOWN
from pydpstat.porting._code import Problem, TooManySteps, Untranslated
from pydpstat.porting._escapes import first_comment
from pydpstat.porting._grammar import parse
from pydpstat.porting._guard import Guard, is_drawing, is_seeding, modules_of
from pydpstat.porting._scope import assigned, depth, function_name, nodes
from pydpstat.porting._statements import Statements
from pydpstat.porting._syntax import Call, Name, Node
from pydpstat.porting._verify import Chunk

# in the order of imports: the standard library's, others, and pydpstat's
_IMPORTS = (
    {"math": "import math", "secrets": "import secrets", "warnings": "import warnings"},
    {"np": "import numpy as np", "pd": "import pandas as pd"},
    {"pydpstat": "import pydpstat"},
)
_UNSEEDED = "rng = RRandom(secrets.randbelow(2**31))  # R's stream without a seed differs from run to run"
# deepest nesting of expressions
_DEEPEST = 400
# limits on the steps of a statement's translation: per node, and at least
_STEPS, _LEAST_STEPS = 20, 2000


@dataclass(frozen=True)
class Port:
    """A script in Python: the text before its statements, the statements, and those that are left."""

    name: str
    head: str
    chunks: tuple[Chunk, ...]
    problems: tuple[Problem, ...]
    statements: int
    # how many of the statements are left in whole or in part
    left: int
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
    writer, guard = Statements(script, own=own, deepest=_DEEPEST), Guard(script.expressions)
    starts, trees, found = [], [], []
    for index, each in enumerate(script.expressions):
        starts.append(len(writer.lines))
        trees.append(_written(writer, guard, each))
        names = tuple(
            (one, writer.scope.names[one].python) for one in assigned(each) if one in writer.scope.names
        )
        line, _ = script.place(each.start)
        found.append(Chunk(index, line, "", names))
    writer.flush(len(script.text))
    ends = [*starts[1:], len(writer.lines)]
    # a comment at the end of a statement's line came with the next statement
    chunks = [each._replace(python="\n".join(writer.lines[a:b])) for each, a, b in zip(found, starts, ends)]
    head = _head(trees, name)
    # a statement may be left in several places, as in a function
    firsts = [each.start for each in script.expressions]
    left = len({bisect(firsts, each.start) for each in writer.problems})
    return Port(name, head, tuple(chunks), tuple(writer.problems), len(chunks), left, tuple(writer.remarks))


def _written(writer: Statements, guard: Guard, node: Node) -> ast.Module:
    """Add a statement of the script and return its tree in Python; uncertain ones are left to the user."""
    writer.flush(node.start)
    start = len(writer.lines)
    writer.steps, writer.most_steps = 0, _LEAST_STEPS + _STEPS * sum(1 for _ in nodes(node))
    back = writer.state()
    try:
        if depth(node) > _DEEPEST:
            raise TooManySteps(f"more than {_DEEPEST} expressions are inside one another")
        writer.statement(node, SHOWN)
        return guard.checked("\n".join(writer.lines[start:]))
    except Untranslated as error:
        reason = str(error)
    except TooManySteps as error:
        reason = f"{error}; split it into several statements"
    writer.restore(back)
    writer.refuse(node, reason)
    return guard.checked("\n".join(writer.lines[start:]))


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


def _head(trees: Sequence[ast.Module], name: str) -> str:
    """Return the first lines of a script: what it imports, and a stream if it has no seed."""
    used = modules_of(trees)
    first = next((each for each in trees if is_drawing(each) or is_seeding(each)), None)
    unseeded = "rng" in used and not (first is not None and is_seeding(first))
    if unseeded:
        used |= {"RRandom", "secrets"}
    blocks = [[line for module, line in group.items() if module in used] for group in _IMPORTS]
    names = [each for each in ("RRandom", "diffpriv", "dppack") if each in used]
    blocks[-1] += [f"from pydpstat import {', '.join(names)}"] * bool(names)
    blocks[-1] += ["from pydpstat.porting import r"] * ("r" in used)
    lines = [first_comment(f"Ported from {name}."), "\n\n".join("\n".join(each) for each in blocks if each)]
    return "\n".join([*filter(None, lines), *["", _UNSEEDED][: 2 * unseeded]])


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

"""Translation of an R script to a Python script."""

from __future__ import annotations

import ast
import re
from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pydpstat.porting._assignments import DISCARD_SINK, SHOW_SINK
from pydpstat.porting._code import StepLimitError, TranslationError, TranslationProblem
from pydpstat.porting._escapes import write_first_comment
from pydpstat.porting._grammar import parse
from pydpstat.porting._guard import TranslationGuard, find_modules, is_drawing, is_seeding
from pydpstat.porting._scope import compute_depth, find_assigned_names, get_function_name, iterate_nodes
from pydpstat.porting._statements import Statements
from pydpstat.porting._syntax import Call, Name, Node
from pydpstat.porting._verify import Chunk

# in the order of imports: the standard library's, others, and pydpstat's
_IMPORT_LINES = (
    {"math": "import math", "secrets": "import secrets", "warnings": "import warnings"},
    {"np": "import numpy as np", "pd": "import pandas as pd"},
    {"pydpstat": "import pydpstat"},
)
_UNSEEDED_STREAM_LINE = "rng = RRandom(secrets.randbelow(2**31))  # R's stream without a seed differs from run to run"
# deepest nesting of expressions
_MAX_DEPTH = 400
# limits on the steps of a statement's translation: per node, and at least
_STEPS_PER_NODE, _MIN_STEPS = 20, 2000


@dataclass(frozen=True)
class PortedScript:
    """A translated script: the text before its statements, the statements, and those not translated."""

    name: str
    header: str
    chunks: tuple[Chunk, ...]
    problems: tuple[TranslationProblem, ...]
    n_statements: int
    # number of statements that are not translated, in whole or in part
    n_left: int
    # changes caused by --own, by line
    remarks: tuple[tuple[int, str], ...] = ()

    @property
    def all_chunks(self) -> tuple[Chunk, ...]:
        """Statements with the text before them."""
        return (Chunk(-1, 0, self.header), *self.chunks)

    @property
    def text(self) -> str:
        """Text of the Python script."""
        body = "\n".join(each.python for each in self.chunks if each.python)
        return f"{self.header}\n\n{_add_blank_lines(body)}\n" if body else f"{self.header}\n"


def translate_script(text: str, name: str = "script.R", use_own_functions: bool = False) -> PortedScript:
    """Translate an R script to Python.

    Parameters
    ----------
    text
        The script.
    name
        The name of the script in the first line.
    use_own_functions
        Whether pydpstat's functions replace DPpack's where possible.

    Raises
    ------
    RSyntaxError
        If the text is not valid R.

    Examples
    --------
    >>> print(translate_script("set.seed(1)\\nx <- rnorm(5)\\nmean(x)").text)
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
    writer = Statements(script, use_own_functions=use_own_functions, deepest=_MAX_DEPTH)
    guard = TranslationGuard([*script.expressions, *writer.dots_functions.nodes])
    starts, trees, found = [], [], []
    for index, each in enumerate(script.expressions):
        starts.append(len(writer.lines))
        trees.append(_translate_statement(writer, guard, each))
        names = tuple(
            (one, writer.scope.names[one].python) for one in find_assigned_names(each) if one in writer.scope.names
        )
        line, _ = script.place(each.start)
        grouped = tuple((one, _read_groups(writer.scope.names[one].groups)) for one, _ in names)
        found.append(Chunk(index, line, "", names, tuple(each for each in grouped if each[1])))
    writer.emit_comments(len(script.text))
    ends = [*starts[1:], len(writer.lines)]
    # a comment at the end of a statement's line was read with the next statement
    chunks = [each._replace(python="\n".join(writer.lines[a:b])) for each, a, b in zip(found, starts, ends)]
    head = _make_header(trees, name)
    # a statement may have several untranslated parts, for example in a function
    firsts = [each.start for each in script.expressions]
    left = len({bisect(firsts, each.start) for each in writer.problems})
    return PortedScript(name, head, tuple(chunks), tuple(writer.problems), len(chunks), left, tuple(writer.remarks))


def _read_groups(text: str) -> tuple[str, ...]:
    """Return the grouping columns of a data frame, given the text of a Python list."""
    return tuple(ast.literal_eval(text)) if text else ()


def _translate_statement(writer: Statements, guard: TranslationGuard, node: Node) -> ast.Module:
    """Append a statement of the script and return its tree in Python; uncertain ones are left to the user."""
    writer.emit_comments(node.start)
    start = len(writer.lines)
    writer.steps, writer.most_steps = 0, _MIN_STEPS + _STEPS_PER_NODE * sum(1 for _ in iterate_nodes(node))
    back = writer.save_state()
    try:
        if compute_depth(node) > _MAX_DEPTH:
            raise StepLimitError(f"more than {_MAX_DEPTH} expressions are inside one another")
        writer.emit_statement(node, SHOW_SINK)
        return guard.check_statement("\n".join(writer.lines[start:]))
    except TranslationError as error:
        reason = str(error)
    except StepLimitError as error:
        reason = f"{error}; split it into several statements"
    writer.reset_state(back)
    writer.emit_refusal(node, reason)
    return guard.check_statement("\n".join(writer.lines[start:]))


def translate_for_comparison(text: str, names: Iterable[str] = ()) -> str:
    """Translate lines of R for comparisons, with a list in place of a vector as the last value.

    `names` are existing variables. Code without a certain translation raises a ``TranslationError``.

    Examples
    --------
    >>> text = "m <- DPpack::svmDP$new('l2', 1, TRUE)\\nm$fit(data.frame(x, y), l, c(1, .5))"
    >>> print(translate_for_comparison(text, ["x", "y", "l"]))
    m = dppack.svmDP("l2", 1, True)
    m.fit(pd.DataFrame({"x": x, "y": y}), l, [1, 0.5], rng=rng)
    """
    script = parse(text)
    writer = Statements(script, tuple(names), lenient=True)
    *before, last = script.expressions
    for each in (*before, _convert_vector_to_list(last)):
        writer.emit_statement(each, DISCARD_SINK)
    if writer.problems:
        raise TranslationError(writer.problems[0].reason)
    return "\n".join(writer.lines)


def _convert_vector_to_list(node: Node) -> Node:
    """Return a list in place of a vector, with slots that may be None instead of NA."""
    if not isinstance(node, Call) or get_function_name(node) != "c" or any(each.name for each in node.arguments):
        return node
    given = [
        replace(each, value=replace(each.value, function=Name("$")))
        if isinstance(each.value, Call) and get_function_name(each.value) == "@"
        else each
        for each in node.arguments
    ]
    return replace(node, function=Name("list"), arguments=tuple(given))


def _make_header(trees: Sequence[ast.Module], name: str) -> str:
    """Return the first lines of a script: its imports, and a stream if it sets no seed."""
    used = find_modules(trees)
    first = next((each for each in trees if is_drawing(each) or is_seeding(each)), None)
    unseeded = "rng" in used and not (first is not None and is_seeding(first))
    if unseeded:
        used |= {"RRandom", "secrets"}
    blocks = [[line for module, line in group.items() if module in used] for group in _IMPORT_LINES]
    names = [each for each in ("RRandom", "diffpriv", "dppack") if each in used]
    blocks[-1] += [f"from pydpstat import {', '.join(names)}"] * bool(names)
    blocks[-1] += ["from pydpstat.porting import r"] * ("r" in used)
    lines = [
        write_first_comment(f"Ported from {name}."),
        "\n\n".join("\n".join(each) for each in blocks if each),
    ]
    return "\n".join([*filter(None, lines), *["", _UNSEEDED_STREAM_LINE][: 2 * unseeded]])


def _add_blank_lines(body: str) -> str:
    """Return lines with two blank lines around functions, and at most one elsewhere."""
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

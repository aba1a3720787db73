"""A ported script beside its R original: each top-level value and each printed number."""

from __future__ import annotations

import ast
import io
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from pydpstat.porting._escapes import shortened
from pydpstat.porting._recorded import Record, deviations
from pydpstat.porting.r._options import DEFAULTS, options

EQUAL, CLOSE, NOT_COMPARED = "equal bit for bit", "within the tolerance", "not compared"
DIFFERENT, R_STOPPED, PYTHON_STOPPED = "different", "R stopped", "Python stopped"

_MODELS = "LogisticRegressionDP LinearRegressionDP svmDP EmpiricalRiskMinimizationDP_CMS WeightedERMDP_CMS \
EmpiricalRiskMinimizationDP_KST tune_classification_model tune_linear_regression_model"
_LIBRARIES = "lm glm solve det matmul crossprod tcrossprod t_test chisq_test prop_test binom_test cor_test \
var_test shapiro_test fisher_test ks_test kruskal_test wilcox_test pt qt pchisq qchisq pf qf pbeta qbeta \
pgamma qgamma pbinom qbinom ppois qpois dbinom dpois dt dchisq df dgamma dbeta"
# relative deviations that functions may have which R leaves to an optimizer, a library or its BLAS
TOLERANCES = {f"dppack.{name}": 1e-6 for name in _MODELS.split()}
TOLERANCES |= {f"r.{name}": 1e-9 for name in _LIBRARIES.split()}

_VALUE = "_value_of_this_line"
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
# a module's function with the module
_WORD = re.compile(r"(?:\b(?:r|dppack)\.)?\b[^\W\d]\w*")
# the places that R prints before a line of a vector or matrix
_PLACES = re.compile(r"^\s*\[\d*,?\d*\](?=\s|$)", re.MULTILINE)


class Chunk(NamedTuple):
    """The Python text of one top-level R expression; `names` are pairs of R's and Python's names.

    `index` is the expression's place in the script, from 0; text that no expression has is -1.
    """

    index: int  # type: ignore[assignment]
    line: int
    python: str
    names: tuple[tuple[str, str], ...] = ()


class Line(NamedTuple):
    """What the comparison says of one top-level expression, which begins in `line`."""

    index: int  # type: ignore[assignment]
    line: int
    status: str
    note: str = ""


@dataclass(frozen=True)
class Verification:
    """What the comparison says of each expression."""

    lines: tuple[Line, ...]

    @property
    def failed(self) -> bool:
        """Whether a number differs, or one of the two sides stopped alone."""
        return any(each.status in (DIFFERENT, PYTHON_STOPPED) for each in self.lines)

    def text(self) -> str:
        """Return a report, line by line, with the sums at the end."""
        found = Counter(each.status for each in self.lines)
        told = [
            f"line {line}: {status}{f' ({shortened(note)})' * bool(note)}"
            for _, line, status, note in self.lines
        ]
        sums = ", ".join(f"{count} {status}" for status, count in found.most_common())
        return "\n".join([*told, f"{len(self.lines)} expressions: {sums or 'none'}"])


def verify(
    chunks: Sequence[Chunk], record: Record, folder: Path, tolerances: Mapping[str, float] = TOLERANCES
) -> Verification:
    """Run the Python text of a script, and compare it with what R computed and printed.

    Parameters
    ----------
    chunks
        Python's text, in order.
    record
        What R computed: see `pydpstat.porting._recorded.record_of`.
    folder
        The script's folder, where Python's text is run.
    tolerances
        Functions, as ported scripts write them (``r.lm``), whose numbers and all that is computed from them
        may deviate from R's, with the relative deviations. All others must be equal bit for bit.

    Examples
    --------
    >>> one = {"kind": "double", "count": 1, "values": ["0x1.8p+0"]}
    >>> expressions = [{"index": 0, "line": 1, "visible": False, "output": [], "variables": {"x": one}}]
    >>> record = {"expressions": expressions, "pool": []}
    >>> print(verify([Chunk(0, 1, "x = 3 / 2", (("x", "x"),))], record, Path(".")).text())
    line 1: equal bit for bit
    1 expressions: 1 equal bit for bit
    """
    with chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Verification(tuple(_lines(chunks, record, dict(tolerances))))


def _lines(chunks: Sequence[Chunk], record: Record, allowed: dict[str, float]) -> Iterator[Line]:
    space: dict[str, Any] = {"__name__": "__main__"}
    options(**DEFAULTS)
    pending = list(chunks)
    for each in record["expressions"]:
        index, line, failure = each["index"], each["line"], each.get("error")
        mine = [chunk for chunk in pending if chunk.index <= index]
        pending = pending[len(mine) :]
        printed, error = "", ""
        for chunk in mine:
            text, error = _run(chunk.python, space, allowed)
            printed += text if chunk.index == index else ""
            if error:
                break
        if error:
            yield Line(index, line, R_STOPPED if failure else PYTHON_STOPPED, failure or error)
            return
        if failure:
            yield Line(index, line, DIFFERENT, f"R stopped: {failure}; Python did not")
            return
        if not any(chunk.index == index for chunk in mine):
            yield Line(index, line, NOT_COMPARED, "no Python")
        else:
            yield Line(index, line, *_compared(each, mine[-1], space, printed, record["pool"], allowed))


def _run(python: str, space: dict[str, object], allowed: dict[str, float]) -> tuple[str, str]:
    """What the text printed, and the error it stopped with; its last value is kept in `space`."""
    printed = io.StringIO()
    space.pop(_VALUE, None)
    try:
        tree = ast.parse(python)
        _keep_value(tree)
        # what is computed from inexact numbers is inexact as well
        if tolerance := _tolerance(python, allowed):
            allowed.update(dict.fromkeys(_assigned(tree), tolerance))
        with redirect_stdout(printed):
            exec(compile(ast.fix_missing_locations(tree), "<port>", "exec"), space)
    except (Exception, SystemExit) as error:
        return printed.getvalue(), f"{type(error).__name__}: {error}"
    return printed.getvalue(), ""


def _tolerance(python: str, allowed: dict[str, float]) -> float:
    return max((allowed.get(word, 0.0) for word in re.findall(_WORD, python)), default=0.0)


def _assigned(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef):
            yield node.name


def _keep_value(tree: ast.Module) -> None:
    """Let the value of the last expression, or what it prints, have a name."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        return
    call = last.value
    prints = isinstance(call, ast.Call) and ast.unparse(call.func) in ("print", "r.print") and call.args
    shown = call.args[0] if isinstance(call, ast.Call) and prints else call
    if isinstance(shown, ast.Starred):
        return
    kept = ast.NamedExpr(ast.Name(_VALUE, ast.Store()), shown)
    if isinstance(call, ast.Call) and prints:
        call.args[0] = kept
    else:
        last.value = kept


def _compared(
    recorded: Record,
    chunk: Chunk,
    space: dict[str, object],
    printed: str,
    pool: list[Record],
    allowed: dict[str, float],
) -> tuple[str, str]:
    tolerance = _tolerance(chunk.python, allowed)
    found: list[tuple[float, str]] = []
    if "value" in recorded and _VALUE in space:
        found += deviations(recorded["value"], space[_VALUE], pool)
    shown = bool(found)
    names = dict(chunk.names)
    for name, value in recorded.get("variables", {}).items():
        if name in names and names[name] in space:
            found += deviations(value, space[names[name]], pool, name)
    found += _printed("\n".join(recorded["output"]), printed, shown)
    if not found:
        return NOT_COMPARED, ""
    worst, words = max(found)
    if worst == 0:
        return EQUAL, ""
    return (CLOSE, f"{worst:.1e}, at most {tolerance:.0e}") if worst <= tolerance else (DIFFERENT, words)


def _printed(theirs: str, mine: str, shown: bool) -> Iterator[tuple[float, str]]:
    """How far what was printed deviates; of a value that was itself compared only whether it is printed."""
    if not theirs.strip() or shown:
        if bool(theirs.strip()) != bool(mine.strip()):
            who, text = ("R", theirs) if theirs.strip() else ("Python", mine)
            yield math.inf, f"only {who} prints {text.strip()[:40]!r}"
        return
    words = [_PLACES.sub("", text).replace('"', "").split() for text in (theirs, mine)]
    for place, (a, b) in enumerate(zip_longest(*words, fillvalue="nothing")):
        off = _off(a, b)
        if off:
            yield off, f"printed word {place + 1}: R {a}, Python {b}"
            return
    yield 0.0, ""


def _off(a: str, b: str) -> float:
    """How far two printed words are apart: numbers relatively, all else not at all or infinitely."""
    if a == b:
        return 0.0
    if re.sub(_NUMBER, "#", a) != re.sub(_NUMBER, "#", b):
        return math.inf
    pairs = zip(re.findall(_NUMBER, a), re.findall(_NUMBER, b))
    return max(abs(float(x) - float(y)) / max(abs(float(x)), abs(float(y)), 5e-324) for x, y in pairs)

"""Comparison of a ported script with its R original: each top-level value, and all printed text."""

from __future__ import annotations

import ast
import io
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from pydpstat.errors import PydpstatError
from pydpstat.porting._comparison import Deviation, iterate_deviations
from pydpstat.porting._dependence import UnknownVariables
from pydpstat.porting._escapes import trim_text
from pydpstat.porting._groupings import separate_groups
from pydpstat.porting._recorded import ScriptRecord
from pydpstat.porting.r._options import DEFAULT_OPTIONS, options
from pydpstat.random.r_stream import RRandom

EQUAL, CLOSE, NOT_COMPARED = "equal bit for bit", "within the tolerance", "not compared"
DIFFERENT, R_STOPPED, PYTHON_STOPPED = "different", "R stopped", "Python stopped"
NOT_TRANSLATED, REFUSED, UNSEEDED = "not translated", "refused", "not seeded, not compared"

_MODEL_FUNCTIONS = "LogisticRegressionDP LinearRegressionDP svmDP EmpiricalRiskMinimizationDP_CMS WeightedERMDP_CMS \
EmpiricalRiskMinimizationDP_KST tune_classification_model tune_linear_regression_model"
_LIBRARY_FUNCTIONS = "lm glm solve det matmul crossprod tcrossprod t_test chisq_test prop_test binom_test cor_test \
var_test shapiro_test fisher_test ks_test kruskal_test wilcox_test pt qt pchisq qchisq pf qf pbeta qbeta \
pgamma qgamma pbinom qbinom ppois qpois dbinom dpois dt dchisq df dgamma dbeta"
# relative deviations allowed for functions that R delegates to an optimizer, a library or its BLAS
TOLERANCES = {f"dppack.{name}": 1e-6 for name in _MODEL_FUNCTIONS.split()}
TOLERANCES |= {f"r.{name}": 1e-9 for name in _LIBRARY_FUNCTIONS.split()}

# functions whose values differ from run to run
_VARYING_FUNCTIONS = {"r.tempfile", "r.Sys_time"}
_VARYING_REMARK = "the value differs from run to run"
_VALUE_NAME = "_value_of_this_line"
_NUMBER_PATTERN = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
# a function, with its module if it has one
_WORD_PATTERN = re.compile(r"(?:\b(?:r|dppack)\.)?\b[^\W\d]\w*")
# memory addresses in printed functions and environments
_ADDRESS_PATTERN = re.compile(r"(?<=: )0x[0-9a-f]+(?=>)")
_REFUSAL_PATTERN = re.compile(r"line \d+ is not translated: ")


class Chunk(NamedTuple):
    """The Python text of one top-level R expression; `names` are pairs of R's and Python's names.

    `groups` are pairs of a data frame's name in R and its grouping columns, which the data frame in Python
    does not store.

    `index` is the zero-based position of the expression in the script, or -1 for text without an expression.
    """

    index: int  # type: ignore[assignment]
    line: int
    python: str
    names: tuple[tuple[str, str], ...] = ()
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()


class LineResult(NamedTuple):
    """Result of the comparison of one top-level expression, which begins in `line`."""

    index: int  # type: ignore[assignment]
    line: int
    status: str
    note: str = ""


@dataclass(frozen=True)
class Verification:
    """Results of the comparison of all expressions."""

    lines: tuple[LineResult, ...]

    @property
    def has_failed(self) -> bool:
        """Whether a number differs, or only one of the two sides stopped."""
        return any(each.status in (DIFFERENT, PYTHON_STOPPED, REFUSED) for each in self.lines)

    def to_text(self) -> str:
        """Return a report, one line per result, with the totals at the end."""
        found = Counter(each.status for each in self.lines)
        told = [f"line {line}: {status}{f' ({trim_text(note)})' * bool(note)}" for _, line, status, note in self.lines]
        sums = ", ".join(f"{count} {status}" for status, count in found.most_common())
        return "\n".join([*told, f"{len(self.lines)} expressions: {sums or 'none'}"])


def verify_port(
    chunks: Sequence[Chunk], record: ScriptRecord, folder: Path, tolerances: Mapping[str, float] = TOLERANCES
) -> Verification:
    """Run the Python text of a script, and compare it with the values and output recorded in R.

    Values must be identical in R's sense, with names, dimensions, classes, attributes and types, and printed
    text must be the same. A piece that is not translated, or that stops, is skipped with all pieces that
    depend on it; so are results computed from random numbers without a seed.

    Parameters
    ----------
    chunks
        The pieces of Python text, in order.
    record
        The values and output recorded in R: see `pydpstat.porting._recorded.load_record`.
    folder
        The script's folder, in which the Python text is run.
    tolerances
        Maximum relative deviations from R for the results of functions, by their names in ported scripts
        (``r.lm``), and for all numbers computed from them. Other numbers must be equal bit for bit.

    Examples
    --------
    >>> one = {"kind": "double", "count": 1, "values": ["0x1.8p+0"]}
    >>> expressions = [{"index": 0, "line": 1, "visible": False, "output": [], "variables": {"x": one}}]
    >>> record = {"expressions": expressions, "pool": []}
    >>> print(verify_port([Chunk(0, 1, "x = 3 / 2", (("x", "x"),))], record, Path(".")).to_text())
    line 1: equal bit for bit
    1 expressions: 1 equal bit for bit
    """
    with chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options(**DEFAULT_OPTIONS)
        try:
            return Verification(tuple(_PortComparison(record["pool"], dict(tolerances)).compare_lines(chunks, record)))
        finally:
            options(**DEFAULT_OPTIONS)


class _RunResult(NamedTuple):
    """Result of running a piece of Python: its output, and the error that stopped it."""

    output: str = ""
    messages: str = ""
    error: BaseException | None = None


class _PortComparison:
    """Comparison of a script's pieces in one run."""

    def __init__(self, pool: list[ScriptRecord], tolerances: dict[str, float]) -> None:
        self._pool, self._allowed = pool, tolerances
        self._namespace: dict[str, Any] = {"__name__": "__main__"}
        self._names: dict[str, str] = {}
        self._groups: dict[str, tuple[str, ...]] = {}
        self._unknown = UnknownVariables()
        # reason for which the stream of random numbers differs from R's, as a status and a note
        self._stream_status = (UNSEEDED, "")

    def compare_lines(self, chunks: Sequence[Chunk], record: ScriptRecord) -> Iterator[LineResult]:
        """Yield the result of the comparison of each expression."""
        pending = list(chunks)
        for each in record["expressions"]:
            index, line = each["index"], each["line"]
            mine = [chunk for chunk in pending if chunk.index <= index]
            pending = pending[len(mine) :]
            for chunk in mine:
                self._names |= dict(chunk.names)
                self._groups |= {name: () for name, _ in chunk.names} | dict(chunk.groups)
                if chunk.index != index:
                    self._run_piece(ast.parse(chunk.python), chunk.python)
            found = [chunk for chunk in mine if chunk.index == index]
            python = found[-1].python if found else ""
            status, note = self._compare_piece(each, python) if found else (NOT_COMPARED, "no Python")
            if "error" in each and status != DIFFERENT:
                status, note = R_STOPPED, each["error"]
            yield LineResult(index, line, status, note)
            if "error" in each:
                return

    def _compare_piece(self, recorded: ScriptRecord, python: str) -> tuple[str, str]:
        """Run a piece and compare it, or skip it; return its status with a note."""
        tree = _parse_python(python)
        if tree is None:
            return self._skip_piece(recorded, [], PYTHON_STOPPED, "SyntaxError")
        if reason := self._unknown.find_reason(tree):
            status, _, note = reason.partition(": ")
            return self._skip_piece(recorded, self._unknown.find_changed_names(tree), status, note)
        self._unknown.note_functions(tree)
        before = self._get_stream_state()
        changed = self._unknown.find_changed_names(tree)
        with _count_seeds() as seeds:
            ran = self._run_piece(tree, python)
        drawn = before != self._get_stream_state()
        if ran.error is not None:
            return self._skip_piece(recorded, changed, *_describe_stop(ran.error, recorded["line"]), seeds=bool(seeds))
        if "error" in recorded:
            return DIFFERENT, f"R stopped: {recorded['error']}; Python did not"
        if seeds:
            self._stream_status = ("", "")
        elif drawn and self._stream_status[0]:
            return self._skip_piece(recorded, changed, *self._stream_status)
        elif drawn != bool(recorded.get("draws")) and "rng" in self._namespace:
            who, other = ("Python", "R") if drawn else ("R", "Python")
            return DIFFERENT, f"{who} draws random numbers, {other} does not"
        self._unknown.note_known(changed)
        if called := _VARYING_FUNCTIONS & _find_calls(tree):
            # reads and writes of a temporary file are compared, results that depend on the time are not
            if called != {"r.tempfile"}:
                return self._skip_piece(recorded, changed, NOT_COMPARED, _VARYING_REMARK)
            return NOT_COMPARED, _VARYING_REMARK
        return self._compare_values(recorded, python, ran)

    def _skip_piece(
        self, recorded: ScriptRecord, names: list[str], status: str, note: str, seeds: bool = False
    ) -> tuple[str, str]:
        """Record the unknown values after a skipped piece that changes `names`; return its status with a note."""
        changed = [self._names[name] for name in recorded.get("variables", {}) if name in self._names]
        line = f"depends on line {recorded['line']}"
        known = status in (UNSEEDED, NOT_COMPARED)
        reason = f"{status}: {note or line}" if known else f"{NOT_COMPARED}: {line}"
        self._unknown.note_unknown([*names, *changed], reason)
        if (recorded.get("draws") or seeds) and not self._stream_status[0]:
            self._stream_status = (NOT_COMPARED, f"random numbers follow those of line {recorded['line']}")
        return status, note

    def _get_stream_state(self) -> bytes:
        """Return the state of the stream, or empty bytes without one."""
        rng = self._namespace.get("rng")
        return rng.state.tobytes() if isinstance(rng, RRandom) else b""

    def _run_piece(self, tree: ast.Module, python: str) -> _RunResult:
        """Run a piece, and store its last value, for which its tree is modified."""
        printed, messages = io.StringIO(), io.StringIO()
        self._namespace.pop(_VALUE_NAME, None)
        error: BaseException | None = None
        try:
            _name_last_value(tree)
            # results computed from inexact numbers are inexact as well
            if tolerance := _find_tolerance(python, self._allowed):
                self._allowed.update(dict.fromkeys(_iterate_assigned_names(tree), tolerance))
            with redirect_stdout(printed), redirect_stderr(messages):
                exec(compile(ast.fix_missing_locations(tree), "<port>", "exec"), self._namespace)
        except (Exception, SystemExit) as caught:
            error = caught
        return _RunResult(printed.getvalue(), messages.getvalue(), error)

    def _compare_values(self, recorded: ScriptRecord, python: str, ran: _RunResult) -> tuple[str, str]:
        tolerance = _find_tolerance(python, self._allowed)
        found: list[Deviation] = []
        if "value" in recorded and _VALUE_NAME in self._namespace:
            found += iterate_deviations(recorded["value"], self._namespace[_VALUE_NAME], self._pool)
        for name, value in recorded.get("variables", {}).items():
            mine = self._names.get(name)
            if mine in self._namespace:
                own = self._namespace[mine]
                value, grouped = separate_groups(value, own, self._groups.get(name, ()), self._pool, name)
                found += [*grouped, *iterate_deviations(value, own, self._pool, name)]
            elif python and value.get("kind") != "other":
                found.append(Deviation(math.inf, f"{name}: only R has it"))
        theirs = "\n".join(recorded["output"]) + "\n" * (bool(recorded["output"]) and "unended" not in recorded)
        found += _compare_text(theirs, ran.output, tolerance)
        # dplyr's messages get their line end when they are written
        messages = "".join(each if each.endswith("\n") else f"{each}\n" for each in recorded.get("messages", []))
        if python and messages != ran.messages:
            found.append(Deviation(math.inf, f"messages: R {messages!r}, Python {ran.messages!r}"))
        if not found:
            return NOT_COMPARED, ""
        worst, words = max(found)
        if worst == 0:
            return EQUAL, words
        return (CLOSE, f"{worst:.1e}, at most {tolerance:.0e}") if worst <= tolerance else (DIFFERENT, words)


def _parse_python(python: str) -> ast.Module | None:
    try:
        return ast.parse(python)
    except SyntaxError:
        return None


def _describe_stop(error: BaseException, line: int) -> tuple[str, str]:
    """Return the status of a piece that stopped, with a note."""
    if isinstance(error, NotImplementedError) and _REFUSAL_PATTERN.match(str(error)):
        own = f"line {line} is not translated: "
        return NOT_TRANSLATED, str(error).removeprefix(own)
    refused = isinstance(error, PydpstatError)
    return (REFUSED if refused else PYTHON_STOPPED), f"{type(error).__name__}: {error}"


@contextmanager
def _count_seeds() -> Iterator[list[None]]:
    """Record each seeding of a stream inside the context."""
    seeds: list[None] = []

    def wrap_method(method: Callable[..., None]) -> Callable[..., None]:
        def call_and_count(*given: Any, **named: Any) -> None:
            seeds.append(None)
            method(*given, **named)

        return call_and_count

    # both methods are inherited
    methods = {name: getattr(RRandom, name) for name in ("__init__", "set_seed")}
    for name, method in methods.items():
        setattr(RRandom, name, wrap_method(method))
    try:
        yield seeds
    finally:
        for name in methods:
            delattr(RRandom, name)


def _find_calls(tree: ast.AST) -> set[str]:
    """Return the called functions, as written."""
    return {ast.unparse(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)}


def _find_tolerance(python: str, tolerances: dict[str, float]) -> float:
    return max((tolerances.get(word, 0.0) for word in re.findall(_WORD_PATTERN, python)), default=0.0)


def _iterate_assigned_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef):
            yield node.name


def _name_last_value(tree: ast.Module) -> None:
    """Assign the value of the last expression, or the value that it prints, to a name."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        return
    call = last.value
    prints = isinstance(call, ast.Call) and ast.unparse(call.func) in ("print", "r.print") and call.args
    shown = call.args[0] if isinstance(call, ast.Call) and prints else call
    if isinstance(shown, ast.Starred):
        return
    kept = ast.NamedExpr(ast.Name(_VALUE_NAME, ast.Store()), shown)
    if isinstance(call, ast.Call) and prints:
        call.args[0] = kept
    else:
        last.value = kept


def _compare_text(theirs: str, mine: str, tolerance: float) -> Iterator[Deviation]:
    """Yield the deviations of Python's printed text from R's; inexact numbers may differ in their digits."""
    theirs, mine = (_ADDRESS_PATTERN.sub("0x0", text) for text in (theirs, mine))
    if theirs == mine:
        if theirs:
            yield Deviation(0.0)
        return
    if not theirs or not mine:
        who, text = ("R", theirs) if theirs else ("Python", mine)
        yield Deviation(math.inf, f"only {who} prints {text.strip()[:40]!r}")
        return
    lines = list(zip_longest(theirs.split("\n"), mine.split("\n")))
    for place, (a, b) in enumerate(lines, 1):
        off = 0.0 if a == b else _compare_line(a, b) if tolerance else math.inf
        if off > tolerance:
            yield Deviation(off, f"printed line {place}: R {a!r}, Python {b!r}")
            return
        yield Deviation(off)


def _compare_line(a: str | None, b: str | None) -> float:
    """Return the largest relative deviation of the numbers in two lines, infinite if other text differs."""
    if a is None or b is None:
        return math.inf
    if re.sub(_NUMBER_PATTERN, "#", a).split() != re.sub(_NUMBER_PATTERN, "#", b).split():
        return math.inf
    pairs = zip(re.findall(_NUMBER_PATTERN, a), re.findall(_NUMBER_PATTERN, b))
    return max(abs(float(x) - float(y)) / max(abs(float(x)), abs(float(y)), 5e-324) for x, y in pairs)

"""Python's side of a comparison, executed from source code, and the verdict with the largest difference."""

from __future__ import annotations

import ast
import math
import struct
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pydpstat._lazy import pd
from pydpstat.errors import PrivacyWarning, PydpstatError
from pydpstat.parity.case import Case, Factor, Input
from pydpstat.r_arithmetic import Histogram
from pydpstat.random.r_stream import RRandom
from pydpstat.results import DPResults, DPResultsPair

# the namespace in which code runs
Variables = dict[str, object]
Status = Literal["passed", "failed", "not run"]
Against = Literal["live", "recorded", "-"]
# levels at which Python stops and R does not
DIFFERENCE_LEVELS = ("difference", "endless", "refused")


@dataclass(frozen=True)
class CodeResult:
    """Result of running code: the value of a last expression, warnings, and the error that ended it."""

    value: object
    warnings: tuple[PrivacyWarning, ...]
    error: Exception | None


@dataclass(frozen=True)
class Outcome:
    """Outcome of one side: numbers, labels, or an error; and the stream's next uniform number."""

    values: tuple[float, ...]
    labels: tuple[str, ...]
    error: str
    next_uniform: float


def run_python(
    source: str,
    names: Variables,
    *,
    other_warnings: str = "ignore",
    on_warning: Callable[[PrivacyWarning], object] | None = None,
    on_value: Callable[[object], object] | None = None,
) -> CodeResult:
    """Run Python code in the namespace `names`.

    Warnings that are not about privacy are ignored, raised as errors, or passed on. `on_warning` is called with each
    PrivacyWarning, and `on_value` with the value of a last expression, while the code runs.
    """
    caught: list[PrivacyWarning] = []
    pass_on = warnings.showwarning

    def record_warning(message: Warning | str, *where: object, **more: object) -> None:
        if not isinstance(message, PrivacyWarning):
            pass_on(message, *where, **more)  # type: ignore[arg-type]
            return
        caught.append(message)
        if on_warning is not None:
            on_warning(message)

    value, error = None, None
    with warnings.catch_warnings():
        if other_warnings in ("ignore", "error"):
            warnings.simplefilter(other_warnings)  # type: ignore[arg-type]
        warnings.simplefilter("always", PrivacyWarning)
        warnings.showwarning = record_warning
        try:
            value = _run_code(source, names)
            if on_value is not None:
                on_value(value)
        except Exception as raised:
            error = raised
    return CodeResult(value, tuple(caught), error)


def _run_code(source: str, names: Variables) -> object:
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<lines>", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "<lines>", "eval"), names)


def evaluate_in_python(case: Case) -> Outcome:
    """Evaluate the Python code of a comparison on R's stream."""
    import pydpstat
    from pydpstat import diffpriv, dppack
    from pydpstat.porting import r

    scope: Variables = {"np": np, "pd": pd, "math": math, "pydpstat": pydpstat}
    scope |= {"diffpriv": diffpriv, "dppack": dppack, "r": r, "rng": RRandom(case.seed)}
    scope |= {name: _convert_input(value) for name, value in case.inputs.items()}
    return evaluate_code(textwrap.dedent(case.python), scope, case.seed)[0]


def evaluate_code(source: str, names: Variables, seed: int) -> tuple[Outcome, CodeResult]:
    """Evaluate code whose last line is an expression, and return its outcome and the value itself.

    The next uniform number is drawn from ``rng`` in the namespace, or from a stream with the seed. Errors other than a
    ``PydpstatError`` are propagated.
    """
    if not isinstance(ast.parse(source).body[-1], ast.Expr):
        raise ValueError(f"the last line must be an expression: {source!r}")
    done = run_python(source, names)
    if done.error is not None and not isinstance(done.error, PydpstatError):
        raise done.error
    values: list[float] = []
    labels: list[str] = []
    if done.error is None:
        collect_results(done.value, values, labels)
    stream = names.get("rng")
    rng = stream if isinstance(stream, RRandom) else RRandom(seed)
    error = "" if done.error is None else str(done.error)
    return Outcome(tuple(values), tuple(labels), error, float(np.ravel(rng.runif(1))[0])), done


def collect_results(value: object, values: list[float], labels: list[str]) -> None:
    """Append a result's numbers, in R's order, and its labels to two lists."""
    if isinstance(value, DPResultsPair):
        collect_results(value.Bounded, values, labels)
        collect_results(value.Unbounded, values, labels)
    elif isinstance(value, DPResults) and value.labels.breaks is not None:
        collect_results(value.labels.make_histogram(value.value), values, labels)
    elif isinstance(value, DPResults):
        collect_results(np.asarray(value), values, labels)
        for names in value.labels.dimnames or (value.labels.names or (),):
            labels.extend(names)
    elif isinstance(value, Histogram):
        values.extend(map(float, [*value.breaks, *value.counts, *value.mids]))
    elif isinstance(value, (list, tuple)):
        for item in value:
            collect_results(item, values, labels)
    else:
        from pydpstat.porting.r._shapes import get_dimnames, get_element_names

        cells = np.asarray(value).ravel(order="F").tolist()
        if any(isinstance(label, str) for label in cells):
            labels.extend(cells)
        else:
            values.extend(np.asarray(cells, dtype=np.float64).tolist())
            element_names = get_element_names(value) if getattr(value, "ndim", 0) == 1 else None
            dimnames = (element_names, *get_dimnames(value))
            labels.extend("NA" if label is None else str(label) for names in dimnames for label in names or ())


def _convert_input(value: Input) -> object:
    if isinstance(value, Factor):
        return pd.Categorical(value.values, categories=value.levels)
    if isinstance(value, list) and value and not isinstance(value[0], str):
        return np.array([math.nan if item is None else item for item in value])
    return value


@dataclass(frozen=True)
class Verdict:
    """Result of one comparison, with R run live or as recorded.

    The difference is the largest one, in units in the last place (relative for ``"rtol"``).
    """

    case: Case
    status: Status
    against: Against
    difference: float = 0.0
    message: str = ""

    @property
    def name(self) -> str:
        """Id of the case."""
        return self.case.id


def compare_outcomes(case: Case, ours: Outcome, theirs: Outcome, against: Against) -> Verdict:
    """Compare Python's outcome with R's at the case's level of agreement."""
    message = _describe_disagreement(case, ours, theirs)
    if message or case.level in ("error", *DIFFERENCE_LEVELS):
        return Verdict(case, "failed" if message else "passed", against, 0.0, message)
    allowance = case.tolerance
    if against == "recorded" and case.level != "rtol":
        allowance += case.recorded_ulp
    measure = compute_relative_difference if case.level == "rtol" else compute_ulp_difference
    differences = [measure(mine, yours) for mine, yours in zip(ours.values, theirs.values)]
    worst = max(differences, default=0.0)
    if worst > allowance:
        index = differences.index(worst)
        message = (
            f"value {index + 1} of {len(differences)}: R has {theirs.values[index]!r}, "
            f"Python {ours.values[index]!r}; difference {worst:g}, allowed {allowance:g}"
        )
    return Verdict(case, "failed" if message else "passed", against, worst, message)


def _describe_disagreement(case: Case, ours: Outcome, theirs: Outcome) -> str:
    """Return how the outcomes differ in kind, or an empty string."""
    if case.draws and case.level not in DIFFERENCE_LEVELS and ours.next_uniform != theirs.next_uniform:
        return f"the streams diverge: next uniform {theirs.next_uniform!r} in R, {ours.next_uniform!r} in Python"
    if case.level in DIFFERENCE_LEVELS:
        if not ours.error:
            return f"Python returned {ours.values[:3]} but should raise an error"
        usable = theirs.values and all(map(math.isfinite, theirs.values)) and not theirs.error
        if case.level == "difference" and usable:
            return f"R returned {theirs.values[:3]}, a finite number that Python should reproduce"
        return ""
    if bool(ours.error) != bool(theirs.error):
        side, text = ("Python", ours.error) if ours.error else ("R", theirs.error)
        return f"only {side} stops: {text}"
    if case.level == "error":
        return "" if ours.error else "neither side stops"
    if ours.error:
        return f"both sides stop: {theirs.error}"
    if len(ours.values) != len(theirs.values):
        return f"R returns {len(theirs.values)} values, Python {len(ours.values)}"
    if ours.labels != theirs.labels:
        return f"labels differ: {list(theirs.labels[:6])} in R, {list(ours.labels[:6])} in Python"
    return ""


def compute_ulp_difference(a: float, b: float) -> float:
    """Return the distance between two doubles in units in the last place; 0 only for equal bits (or NaN)."""
    if math.isnan(a) or math.isnan(b):
        return 0.0 if math.isnan(a) and math.isnan(b) else math.inf
    return float(abs(_rank_double(a) - _rank_double(b)))


def compute_relative_difference(a: float, b: float) -> float:
    """Return |a - b| / |b|; 0 for equal values."""
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0.0
    if not (math.isfinite(a) and math.isfinite(b)) or b == 0.0:
        return math.inf
    return abs(a - b) / abs(b)


def _rank_double(x: float) -> int:
    """Return a double's rank among all doubles; -0 is directly below +0."""
    bits = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF) - 1

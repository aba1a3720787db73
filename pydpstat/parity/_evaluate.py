"""Python's side: the one place that runs lines of Python and keeps their value, warnings and error."""

from __future__ import annotations

import ast
import math
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pydpstat.errors import PrivacyWarning, PydpstatError
from pydpstat.parity.case import Case, Factor, Input
from pydpstat.r_arithmetic import Histogram
from pydpstat.random.r_stream import RRandom
from pydpstat.results import DPResults, DPResultsPair

# the variables that lines see and change
Names = dict[str, object]


@dataclass(frozen=True)
class Run:
    """What lines of Python gave.

    The value is that of the last line where it is an expression, else None; warnings are in the order in
    which they came; the error is what ended the lines.
    """

    value: object
    warnings: tuple[PrivacyWarning, ...]
    error: Exception | None


@dataclass(frozen=True)
class Outcome:
    """What one side returned: numbers, labels, or an error; and the stream's next uniform."""

    values: tuple[float, ...]
    labels: tuple[str, ...]
    error: str
    next_uniform: float


def run_python(
    source: str,
    names: Names,
    *,
    others: str = "ignore",
    told: Callable[[PrivacyWarning], object] | None = None,
    shown: Callable[[object], object] | None = None,
) -> Run:
    """Run lines of Python, which see and change the variables `names`.

    Warnings that are not about privacy are ignored, errors, or passed on. `told` is called with each
    PrivacyWarning, and `shown` with the last line's value, while the lines run.

    Examples
    --------
    >>> run_python("a = 20\\na + 1", {}).value, run_python("1 / 0", {}).error
    (21, ZeroDivisionError('division by zero'))
    """
    caught: list[PrivacyWarning] = []
    pass_on = warnings.showwarning

    def keep(message: Warning | str, *where: object, **more: object) -> None:
        if not isinstance(message, PrivacyWarning):
            pass_on(message, *where, **more)  # type: ignore[arg-type]
            return
        caught.append(message)
        if told is not None:
            told(message)

    value, error = None, None
    with warnings.catch_warnings():
        if others in ("ignore", "error"):
            warnings.simplefilter(others)  # type: ignore[arg-type]
        warnings.simplefilter("always", PrivacyWarning)
        warnings.showwarning = keep
        try:
            value = _executed(source, names)
            if shown is not None:
                shown(value)
        except Exception as raised:
            error = raised
    return Run(value, tuple(caught), error)


def _executed(source: str, names: Names) -> object:
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<lines>", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "<lines>", "eval"), names)


def evaluate_in_python(case: Case) -> Outcome:
    """Evaluate the Python expression of a comparison on R's stream."""
    import pandas as pd

    import pydpstat
    from pydpstat import diffpriv, dppack
    from pydpstat.porting import r

    scope: Names = {"np": np, "pd": pd, "math": math, "pydpstat": pydpstat}
    scope |= {"diffpriv": diffpriv, "dppack": dppack, "r": r, "rng": RRandom(case.seed)}
    scope |= {name: _input(value) for name, value in case.inputs.items()}
    return evaluate(textwrap.dedent(case.python), scope, case.seed)[0]


def evaluate(source: str, names: Names, seed: int) -> tuple[Outcome, Run]:
    """Return what lines give: numbers and labels for the comparison, and the value itself.

    The last line is an expression. Afterwards the next uniform number is drawn from ``rng`` among the names,
    or else from a stream of the seed. What the lines raise goes on, but for a ``PydpstatError``, which is an
    outcome.
    """
    if not isinstance(ast.parse(source).body[-1], ast.Expr):
        raise ValueError(f"the last line must be an expression: {source!r}")
    done = run_python(source, names)
    if done.error is not None and not isinstance(done.error, PydpstatError):
        raise done.error
    values: list[float] = []
    labels: list[str] = []
    if done.error is None:
        flatten(done.value, values, labels)
    stream = names.get("rng")
    rng = stream if isinstance(stream, RRandom) else RRandom(seed)
    error = "" if done.error is None else str(done.error)
    return Outcome(tuple(values), tuple(labels), error, float(np.ravel(rng.runif(1))[0])), done


def flatten(value: object, values: list[float], labels: list[str]) -> None:
    """Add a result's numbers, in R's order, and its labels to two lists."""
    if isinstance(value, DPResultsPair):
        flatten(value.Bounded, values, labels)
        flatten(value.Unbounded, values, labels)
    elif isinstance(value, DPResults) and value.labels.breaks is not None:
        flatten(value.labels.histogram(value.value), values, labels)
    elif isinstance(value, DPResults):
        flatten(np.asarray(value), values, labels)
        for names in value.labels.dimnames or (value.labels.names or (),):
            labels.extend(names)
    elif isinstance(value, Histogram):
        values.extend(map(float, [*value.breaks, *value.counts, *value.mids]))
    elif isinstance(value, (list, tuple)):
        for item in value:
            flatten(item, values, labels)
    else:
        from pydpstat.porting.r._shapes import dimnames_of, names_of

        cells = np.asarray(value).ravel(order="F").tolist()
        if any(isinstance(each, str) for each in cells):
            labels.extend(cells)
        else:
            values.extend(np.asarray(cells, dtype=np.float64).tolist())
            own = names_of(value) if getattr(value, "ndim", 0) == 1 else None
            dimnames = (own, *dimnames_of(value))
            labels.extend("NA" if each is None else str(each) for names in dimnames for each in names or ())


def _input(value: Input) -> object:
    if isinstance(value, Factor):
        import pandas as pd

        return pd.Categorical(value.values, categories=value.levels)
    if isinstance(value, list) and value and not isinstance(value[0], str):
        return np.array([math.nan if item is None else item for item in value])
    return value

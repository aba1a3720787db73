"""Python's side of a comparison, and what both sides are compared by."""

from __future__ import annotations

import ast
import math
import textwrap
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from pydpstat.errors import PydpstatError
from pydpstat.parity.case import Case, Factor
from pydpstat.r_arithmetic import Histogram, Table
from pydpstat.random.r_stream import RRandom
from pydpstat.results import DPResults, DPResultsPair


@dataclass(frozen=True)
class Outcome:
    """What one side returned: numbers, labels, or an error; and the stream's next uniform."""

    values: tuple[float, ...]
    labels: tuple[str, ...]
    error: str
    next_uniform: float


def evaluate_in_python(case: Case) -> Outcome:
    """Evaluate the Python expression of a comparison on R's stream."""
    import pandas as pd

    import pydpstat
    from pydpstat import diffpriv, dppack
    from pydpstat import r_arithmetic as r

    rng = RRandom(case.seed)
    scope: dict[str, Any] = {
        "np": np,
        "pd": pd,
        "math": math,
        "pydpstat": pydpstat,
        "diffpriv": diffpriv,
        "dppack": dppack,
        "r": r,
        "rng": rng,
    }
    scope.update({name: _input(value) for name, value in case.inputs.items()})
    error = ""
    values: list[float] = []
    labels: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            flatten(run_python(case.python, scope), values, labels)
        except PydpstatError as raised:
            error = str(raised)
    return Outcome(tuple(values), tuple(labels), error, float(np.ravel(rng.runif(1))[0]))


def run_python(source: str, scope: dict[str, Any]) -> Any:
    """Run lines of Python and return the value of the last one, an expression."""
    *statements, last = ast.parse(textwrap.dedent(source)).body
    assert isinstance(last, ast.Expr), f"the last line must be an expression: {source!r}"
    exec(compile(ast.Module(statements, []), "<case>", "exec"), scope)
    return eval(compile(ast.Expression(last.value), "<case>", "eval"), scope)


def flatten(value: Any, values: list[float], labels: list[str]) -> None:
    """Add a result's numbers, in R's order, and its labels to two lists."""
    if isinstance(value, DPResultsPair):
        flatten(value.Bounded, values, labels)
        flatten(value.Unbounded, values, labels)
    elif isinstance(value, DPResults) and value.labels.breaks is not None:
        flatten(value.labels.histogram(value.value), values, labels)
    elif isinstance(value, DPResults):
        values.extend(np.asarray(value).ravel(order="F").tolist())
        for names in value.labels.dimnames or (value.labels.names or (),):
            labels.extend(names)
    elif isinstance(value, Histogram):
        values.extend(map(float, [*value.breaks, *value.counts, *value.mids]))
    elif isinstance(value, Table):
        values.extend(value.counts.ravel(order="F").astype(np.float64).tolist())
        labels.extend("NA" if level is None else level for names in value.dimnames for level in names)
    elif isinstance(value, str):
        labels.append(value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            flatten(item, values, labels)
    else:
        array = np.asarray(value)
        if array.dtype.kind in "US":
            labels.extend(array.ravel(order="F").tolist())
        else:
            values.extend(array.astype(np.float64).ravel(order="F").tolist())


def _input(value: Any) -> Any:
    if isinstance(value, Factor):
        import pandas as pd

        return pd.Categorical(value.values, categories=value.levels)
    if isinstance(value, list) and value and not isinstance(value[0], str):
        return np.array([math.nan if item is None else item for item in value])
    return value

"""Results of every kind: what can be changed in them, and what they state first."""

import math
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

import pydpstat
from pydpstat.consistency import Hierarchy, make_consistent
from pydpstat.local import RandomizedResponse
from tests.neighbors.cover import cases
from tests.neighbors.engine import run
from tests.neighbors.seams import Outcome
from tests.neighbors.table import FUNCTIONS
from tests.sample_results import parts, quietly

Make = Callable[[], Any]
_X = np.linspace(0.0, 1.0, 40)
_TABLE = pd.DataFrame({"a": _X, "b": _X[::-1]})
_TREE = Hierarchy({"N": ["a", "b"], "S": ["c"]})
# a text that says what holds: nothing, or a pair with its neighbors
_HELD = re.compile(r"no guarantee|none \([^)]*\)|\(epsilon [^)]*\), \w+ neighbors(?:, unit \w+)?")


def results() -> dict[str, Make]:
    """Return what makes a result of each kind, by name."""
    made = {name: make for function in FUNCTIONS for name, make in _of_table(function)}
    return {**made, **_others()}


def _of_table(function: Any) -> Iterator[tuple[str, Make]]:
    kinds = [kind for kind in function.kinds if kind.name not in function.refused]
    for kind in kinds[:1]:
        for place, case in enumerate(islice(cases(function, kind), 4)):
            yield f"{function.name}, {place}", lambda case=case: _result(case)


def _result(case: Any) -> Any:
    done = run(case, case.first, Outcome())
    assert done.error is None, done.error
    return done.result


def _others() -> dict[str, Make]:
    d = pydpstat
    gaussian = {"mechanism": "Gaussian", "delta": 0.01}
    column = np.repeat(["a", "b"], 20)
    made = {
        "meanDP": lambda: d.meanDP(_X, 1.0, 0, 1),
        "meanDP, both": lambda: d.meanDP(_X, 1.0, 0, 1, "both"),
        "varDP": lambda: d.varDP(_X, 1.0, 0, 1),
        "sdDP, Gaussian": lambda: d.sdDP(_X, 0.5, 0, 1, **gaussian),
        "histogramDP, breaks of the data": lambda: d.histogramDP(_X, 1.0, 0, 1),
        "tableDP": lambda: d.tableDP(column, eps=1.0),
        "medianDP": lambda: d.medianDP(_X, 1.0, 0, 1, "unbounded"),
        "pooledVarDP": lambda: d.pooledVarDP(_X, _X, eps=1.0, lower_bound=0, upper_bound=1),
        "LaplaceMechanism": lambda: d.LaplaceMechanism([1.0, 2.0], 1.0, [1.0, 2.0]),
        "GaussianMechanism": lambda: d.GaussianMechanism(np.ones((2, 2)), 0.5, 1e-3, 1.0),
        "LogisticRegressionDP": lambda: d.LogisticRegressionDP("l2", 1.0, 1.0).fit(
            _TABLE, (_X > 0.5).astype(int), [1, 1], [0, 0]
        ),
        "many columns": lambda: d.mean(pd.DataFrame({"x": _X, "y": _X}), 1.0, bounds={"x": (0, 1), "y": (0, 3)}),
        "answers": lambda: RandomizedResponse(1.0).estimate([0, 1, 1, 0, 1]),
        "answers of three": lambda: RandomizedResponse(1.0, 3).estimate([0, 1, 1, 2, 1]),
        "plan": lambda: d.plan("mean", 1.0, bounds=(0, 1), n=10).result,
        "make_consistent": lambda: make_consistent(_TREE, [[6.0], [3.0, 3.0], [2.0, 1.0, 3.0]]),
    }
    return {name: lambda make=make: quietly(make) for name, make in made.items()}


def statements(result: Any) -> list[str]:
    """Return where a result states first what does not hold."""
    found = []
    for each in parts(result):
        if not hasattr(each, "guarantee"):
            continue
        held = each.guarantee
        void = math.isinf(held.epsilon) or held.delta == 1.0
        pair = (held.epsilon, held.delta)
        first = _HELD.search(repr(each))
        if first and first.group() not in ({"no guarantee", str(held)} if void else {str(held)}):
            found.append("the short form")
        shown = each.to_dict()
        epsilon = math.inf if shown["epsilon"] == "infinite" else shown["epsilon"]
        if not _is(held, void, epsilon, shown["delta"], shown["neighbors"]):
            found.append("to_dict()")
        if not _is(held, void, each.epsilon, each.delta, each.neighbors):
            found.append("the attributes")
        lines = [place for place, line in enumerate(str(each.summary()).splitlines()) if "psilon" in line]
        page = str(each.summary())
        at = page.find("Guaranteed epsilon"), page.find("Claimed epsilon")
        if not lines or pair != (each.claim.epsilon, each.claim.delta) and not -1 < at[0] < at[1]:
            found.append("the summary")
    return found


def _is(held: Any, void: bool, epsilon: float, delta: float, neighbors: str) -> bool:
    if void:
        return math.isinf(epsilon) or delta == 1.0
    return (epsilon, delta, neighbors) == (held.epsilon, held.delta, held.neighbors)

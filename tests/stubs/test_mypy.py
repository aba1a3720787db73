"""What mypy sees of the package: the types of what it returns, and calls that are wrong."""

from __future__ import annotations

import os
import re
import site
import subprocess
import sys
from pathlib import Path

import pytest

import pydpstat

pytest.importorskip("mypy", reason="mypy is not installed: pip install 'pydpstat[dev]'")

RESULTS = "pydpstat.results.results.DPResults"
TABLE = "pydpstat.results.table_results.TableResults"
MODEL = "pydpstat.dppack._models.regressions.LinearRegressionDP"
CALL = "dp.mean(x, 1.0, bounds=(0, 1))"

# an expression, and its type; mypy before 1.17 writes builtins.float
TYPES = {
    CALL: RESULTS,
    "dp.sum(x, 1.0, bounds=(0, 1))": RESULTS,
    "dp.quantile(x, 0.5, 1.0, bounds=(0, 1))": RESULTS,
    "dp.crosstab(x, 1.0, levels=[0, 1])": TABLE,
    "dp.crosstab(x, 1.0, levels=[0, 1]).margins(0).shares()": TABLE,
    "dp.crosstab(x, 1.0, levels=[0, 1]).shares(by=0)": "pydpstat.results.grouped_results.GroupedResults",
    "dp.crosstab(x, 1.0, levels=[0, 1]).chi2()": "pydpstat.results.inference_results.InferenceResults",
    "dp.histogram(x, 1.0, edges=[0, 1])": "pydpstat.results.histogram_results.HistogramResults",
    "dp.histogram(x, 1.0, edges=[0, 1]).quantile()": RESULTS,
    "dp.design(x, bounds={}).crosstab('a', 1.0)": TABLE,
    "dp.meanDP(x, 1.0, 0, 1)": RESULTS,
    "dp.dppack.meanDP(x, 1.0, 0, 1)": RESULTS,
    "sdDP(x, 1.0, 0, 1)": RESULTS,
    "dp.diffpriv.DPParamsEps(1.0)": "pydpstat.diffpriv.params.DPParamsEps",
    "dp.RRandom(1)": "pydpstat.random.r_stream.RRandom",
    "dp.random.r_stream.RRandom(1)": "pydpstat.random.r_stream.RRandom",
    "dp.local.RandomizedResponse(1.0)": "pydpstat.local.randomized_response.RandomizedResponse",
    "dp.consistency.Hierarchy": "def (.*) -> pydpstat.consistency.hierarchy.Hierarchy",
    "dp.anonymity.microaggregation": "def (.*) -> .*",
    "dp.Guarantee(1.0)": "pydpstat.privacy.guarantee.Guarantee",
    "dp.Budget(epsilon=1.0)": "pydpstat.budget.budget.Budget",
    "dp.calibrate_gaussian(1.0, 1e-6)": "float",
    "dp.dppack.calibrateAnalyticGaussianMechanism(1.0, 1e-6, 1.0)": "float",
    "dp.mechanisms.calibrate_laplace(1.0, 1.0)": "float",
    "dp.LinearRegressionDP('l2', 1.0, 0.0, 1.0).clone()": MODEL,
    "dp.tune_linear_regression_model([dp.LinearRegressionDP('l2', 1.0, 0.0, 1.0)], x, x, 1, 0)": MODEL,
    "dp.__version__": "str",
    "r.epsilon": "float",
    "r.nobs": r"int \| None|Union\[int, None\]",
    "r.guarantee": "pydpstat.privacy.guarantee.Guarantee",
    # pandas brings no types of its own
    "r.conf_int": (
        r"def \(alpha: float =, kind: (str \| None|Union\[str, None\]) =, \*, joint: bool =\)"
        r" -> (Any|pandas\..*DataFrame)"
    ),
    "r.to_dict()": r"dict\[str, Any\]",
    "float(r)": "float",
    # its shape follows the data, and what is usual needs no narrowing
    "[r.estimate + 1, round(r.estimate, 1), r.estimate.round(1), r.estimate['a']]": r"list\[Any\]",
    "(t.estimate['mean'], t.conf_int().low, t.conf_int()[0])": r"[Tt]uple\[Any, float, float\]",
    "t.pvalue < 0.05 and t.statistic > 1.0": "Any",
    "m.estimate": r"Any|pandas\..*Series.*",
    "dp.design(x, bounds={}).mean('a', 1.0)": RESULTS,
    "dp.design(x, bounds={}).ols('y ~ x', 1.0).conf_int()": r"Any|pandas\..*DataFrame",
    "[r * 2, 2 - r, -r, abs(r), round(r, 3), r > 1.5, r == r]": r"list\[Any\]",
}

# a statement, and what mypy says of it
ERRORS = {
    "dp.nonexistent": 'Module has no attribute "nonexistent"',
    "dp.meanDp": 'Module has no attribute "meanDp"',
    "dp.importlib": 'Module has no attribute "importlib"',
    "dp.dppack.meanDp": 'Module has no attribute "meanDp"',
    "dp.random.nonexistent": 'Module has no attribute "nonexistent"',
    "dp.consistency.nonexistent": 'Module has no attribute "nonexistent"',
    "dp.anonymity.nonexistent": 'Module has no attribute "nonexistent"',
    # a star brings no namespace that hides a module of Python's
    "random.random()": 'Name "random" is not defined',
    "r.estimat": '"DPResults" has no attribute "estimat"',
    "r.margins": '"DPResults" has no attribute "margins"',
    "r.cdf": '"DPResults" has no attribute "cdf"',
    "m.coef": '"RegressionResults" has no attribute "coef"',
    "r.conf_int(0.05, 'noise', 3)": 'Too many positional arguments for "conf_int"',
    "dp.mean(x, 1.0, bound=(0, 1))": 'Unexpected keyword argument "bound" for "mean"',
    "dp.mean(x, 1.0)": 'Missing named argument "bounds" for "mean"',
    "dp.mean(bounds=(0, 1))": 'Missing positional arguments "data", "epsilon"',
    "dp.mean(x, 'one', bounds=(0, 1))": 'Argument 2 to "mean" has incompatible type "str"',
    "dp.meanDP(x, 1.0, lower=0, upper_bound=1)": 'Unexpected keyword argument "lower" for "meanDP"',
    "dp.meanDP(x, 1.0, 0)": 'Missing positional argument "upper_bound"',
    "sdDP(x, 1.0, 0)": 'Missing positional argument "upper_bound"',
}

HEAD = f"""
import pydpstat as dp
from pydpstat import *
from pydpstat.dppack import *

x = [0.25, 0.75]
r = {CALL}
t = dp.ttest_1samp(x, 0.5, 1.0, bounds=(0, 1))
m = dp.ols("y ~ x", x, 1.0, bounds=[])
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What mypy says of each expression, in one run: this takes some seconds."""
    folder = tmp_path_factory.mktemp("mypy")
    lines = [*HEAD.splitlines(), *[f"reveal_type({each})" for each in TYPES], *ERRORS]
    (folder / "user.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    root = Path(pydpstat.__file__).parents[1]
    installed = str(root) in site.getsitepackages()
    done = subprocess.run(
        # the user's file alone is judged, by the default settings
        [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent", "user.py"],
        capture_output=True,
        text=True,
        timeout=540,
        cwd=folder,
        env={**os.environ, **({} if installed else {"MYPYPATH": str(root)})},
    )
    assert done.returncode == 1 and re.search(r"Found \d+ errors? in 1 file", done.stdout), done
    found: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        if match := re.match(r"user\.py:(\d+): (?:note: Revealed type is|error:) (.*)", line):
            found.setdefault(lines[int(match[1]) - 1], []).append(match[2])
    return found


@pytest.mark.slow
def test_types(said):
    wrong = {}
    for expression, kind in TYPES.items():
        revealed = said.get(f"reveal_type({expression})", [])
        shown = [each.strip('"').replace("builtins.", "") for each in revealed]
        if len(shown) != 1 or not re.fullmatch(kind, shown[0]):
            wrong[expression] = shown
    assert wrong == {}


@pytest.mark.slow
def test_errors(said):
    errors = {each: " ".join(texts) for each, texts in said.items() if not each.startswith("reveal_type")}
    assert {*errors} == {*ERRORS}
    assert {each: text for each, text in errors.items() if ERRORS[each] not in text} == {}

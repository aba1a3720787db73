"""R calls the package by way of reticulate: the page's script, its numbers, and R's NA."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat._data import native
from pydpstat._data.columns import read_numbers
from pydpstat.results._reticulate import (
    collect_intervals,
    collect_numbers,
    convert_frame_to_lists,
    get_names,
    register_r_methods,
)

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "docs" / "own" / "reticulate.R"
PLACE = np.arange(1000)
PEOPLE = pd.DataFrame(
    {
        "income": 20000.0 + 100 * (PLACE % 400) + 5000 * (PLACE % 5 > 1),
        "age": 18.0 + PLACE % 70,
        "region": pd.Categorical(np.array(["north", "south", "west"])[PLACE % 3]),
        "employed": PLACE % 5 > 1,
    }
)
LEVELS = {"region": ["north", "south", "west"], "employed": [False, True]}
# each number of R's bit for bit, a line each
PRINTED = """
say <- function(name, x) cat(name, sprintf("%a", as.numeric(x)), "\\n")
say("mirror", mirror)
say("means", means); say("tails", confint(means, level = 0.9)); say("frame", as.data.frame(means)$estimate)
say("counts", counts); say("welch", welch$pvalue); say("model", coef(model)); say("ends", confint(model))
say("shares", shares); say("by", by_region); say("deciles", deciles); say("answered", answered)
say("signed", signed$pvalue)
say("missing", dp$sum(c(1L, NA, 3L), 1, bounds = c(0, 5), missing = 2L, rng = 1))
say("frames", dp$sum(data.frame(a = c(1L, NA), b = c(NA, 2L)), 1, bounds = c(0, 5), missing = 2L, rng = 1))
writeLines(paste("page", capture.output(print(as.data.frame(means)))))
say("spent", sum(as.data.frame(budget)$epsilon))
cat("names", names(coef(model)), "\\n")
cat("columns", names(as.data.frame(means)), "\\n")
cat("interval", rownames(confint(welch)), "\\n")
writeLines(paste("printed", capture.output(print(released))))
writeLines(paste("left", capture.output(print(budget))))
cat("text", grepl("epsilon", tolower(summary(released)), fixed = TRUE), "\\n")
"""


def has_reticulate():
    """Tell whether R has reticulate, and this Python what R loads."""
    try:
        asked = ["Rscript", "-e", "quit(status = !requireNamespace('reticulate', quietly = TRUE))"]
        found = subprocess.run(asked, capture_output=True).returncode == 0
    except OSError:
        return False
    return found and bool(sysconfig.get_config_var("Py_ENABLE_SHARED"))


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    if not has_reticulate():
        pytest.skip("R has no reticulate, or this Python no shared library")
    # elsewhere: reticulate would read this checkout's pyproject.toml
    folder = tmp_path_factory.mktemp("r")
    script = folder / "script.R"
    script.write_text(f'source("{SCRIPT.as_posix()}")\n{PRINTED}')
    made = {**os.environ, "RETICULATE_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    made.pop("R_HOME", None)
    command = ["Rscript", "--vanilla", str(script)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=made)
    assert ran.returncode == 0, ran.stderr
    lines = [line.split(" ", 1) for line in ran.stdout.splitlines() if " " in line]
    pages = {page: [rest for name, rest in lines if name == page] for page in ("page", "printed", "left")}
    return {**{name: rest.split() for name, rest in lines}, **pages}


def floats(words):
    return [float.fromhex(word) for word in words]


def study():
    bounds = {"income": (0, 100_000), "age": (0, 110)}
    return dp.design(PEOPLE, bounds=bounds, levels=LEVELS, neighbors="bounded", rng=123)


@pytest.mark.slow
def test_the_number_is_the_recorded_one_of_r(printed):
    recorded = json.loads((ROOT / "r_reference" / "references.json").read_text(encoding="utf-8"))
    assert floats(printed["mirror"]) == floats(recorded["cases"]["meanDP/start page"]["values"])


@pytest.mark.slow
def test_a_designs_numbers_are_pythons(printed):
    people = study()
    means = people.mean("income", 0.5, by="region")
    counts = people.crosstab(["region", "employed"], 0.5)
    welch = people.ttest_ind("income ~ employed", 1)
    model = people.ols("income ~ age + C(region)", 4)
    assert floats(printed["means"]) == floats(printed["frame"]) == means.params.tolist()
    assert floats(printed["tails"]) == means.conf_int(alpha=1 - 0.9).to_numpy().ravel(order="F").tolist()
    assert floats(printed["counts"]) == counts.params.tolist()
    assert floats(printed["welch"]) == [welch.pvalue]
    assert floats(printed["model"]) == model.params.tolist()
    # intervals of a regression are computed with as many threads as a process has
    ends = model.conf_int(alpha=1 - 0.95).to_numpy().ravel(order="F").tolist()
    assert floats(printed["ends"]) == pytest.approx(ends, rel=1e-9)
    assert printed["names"] == model.params.index.tolist()
    assert " ".join(printed["columns"]) == "region estimate noise sd noise lower noise upper"
    assert printed["text"] == ["TRUE"] and floats(printed["spent"]) == [0.5 + 0.5 + 1 + 4]


@pytest.mark.slow
def test_the_page_shows_what_r_prints(printed):
    page = SCRIPT.with_suffix(".md").read_text(encoding="utf-8")
    assert "\n".join(["```text", *printed["page"], "```"]) in page
    assert f"The result is {floats(printed['mirror'])[0]:.6f}" in page


@pytest.mark.slow
def test_r_prints_numbers_as_python_does(printed):
    assert any("epsilon" in line for line in printed["printed"]) and "budget" in printed["left"][0]
    assert " ".join(printed["interval"]) == study().ttest_ind("income ~ employed", 1).parameter


@pytest.mark.slow
def test_vectors_are_pythons(printed):
    regions = {"by": PEOPLE["region"], "levels": LEVELS["region"]}
    shares = dp.proportion(PEOPLE["employed"], 0.5, rng=123)
    means = dp.mean(PEOPLE["income"], 0.5, bounds=(0, 100_000), **regions, rng=123)
    deciles = dp.quantiles(PEOPLE["age"], [0.1, 0.5, 0.9], 1, bounds=(0, 110), rng=123)
    answered = dp.proportion([True, None, False, True], 0.5, missing=False, rng=123)
    assert floats(printed["shares"]) == [float(shares)]
    assert floats(printed["by"]) == means.params.tolist()
    assert floats(printed["deciles"]) == deciles.params.tolist()
    assert floats(printed["answered"]) == [float(answered)]
    assert 0.0 <= floats(printed["signed"])[0] <= 1.0


@pytest.mark.slow
def test_nas_of_rs_integers_are_missing(printed):
    assert floats(printed["missing"]) == [float(dp.sum([1, 2, 3], 1, bounds=(0, 5), rng=1))]
    filled = dp.sum(pd.DataFrame({"a": [1, 2], "b": [2, 2]}), 1, bounds=(0, 5), rng=1)
    assert floats(printed["frames"]) == filled.params.tolist()


@pytest.mark.parametrize(
    "data",
    [
        [1, -(2**31), 3],
        np.array([[1], [-(2**31)], [3]], dtype="i4"),
        pd.DataFrame({"a": np.array([1, -(2**31), 3], dtype="i4")}),
    ],
    ids=["list", "matrix", "frame"],
)
def test_the_number_of_na_is_missing_within_r_only(data, monkeypatch):
    (column,) = read_numbers(data).arrays
    assert column.tolist() == [1, -(2**31), 3]
    monkeypatch.setattr(native, "_WITHIN_R", True)
    (column,) = read_numbers(data).arrays
    np.testing.assert_array_equal(column, [1, np.nan, 3])


@pytest.mark.slow
def test_what_r_asks_of_results():
    table = study().crosstab(["region", "employed"], 0.5)
    assert list(convert_frame_to_lists(table))[:3] == ["region", "employed", "estimate"]
    assert collect_numbers(table) == convert_frame_to_lists(table)["estimate"] and len(get_names(table)) == 12
    known, low, high = collect_intervals(table, 0.9)
    assert known == get_names(table) and low < high
    welch = study().ttest_ind("income ~ employed", 1)
    assert (
        convert_frame_to_lists(welch)["estimate"] == collect_numbers(welch) and len(collect_intervals(table, 0.95)) == 3
    )
    assert collect_intervals(welch, 0.9)[0] == ["difference of False and True"] == [welch.parameter]
    fit = study().ols("income ~ age", 1.0)
    assert collect_intervals(fit.t_test("age = 0"), 0.9)[0] == ["age = 0"]
    alone = dp.moments(PEOPLE["age"], 1.0, bounds=(0, 110), neighbors="bounded", rng=1)
    assert collect_intervals(alone, 0.9)[0] == ["mean"] and len(collect_intervals(alone, 0.9)[1]) == 1


def test_a_budgets_frame_has_plain_columns():
    budget = dp.Budget(2.0)
    dp.count([True, False], 0.5, budget=budget)
    dp.mean([1.0, 2.0], 1.0, bounds=(0, 3), budget=budget)
    shown = convert_frame_to_lists(budget)
    assert next(iter(shown)) == "call" and shown["epsilon"] == [0.5, 1.0]
    assert {type(each) for column in shown.values() for each in column} <= {bool, int, float, str}


def test_another_main_named_r_is_left_alone(monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], "r", 3, raising=False)
    register_r_methods()

"""Ported scripts: what is translated, what is refused, and that values are R's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import diffpriv, dppack
from pydpstat.__main__ import main
from pydpstat.parity._evaluate import Names, _input, evaluate_in_python, run_python
from pydpstat.parity.case import Case
from pydpstat.parity.reference import all_cases
from pydpstat.porting import parse, r
from pydpstat.porting._assignments import LEFT
from pydpstat.porting._statements import Statements
from pydpstat.porting._translation import ported, translate
from pydpstat.random.r_stream import RRandom

SCRIPTS = sorted((Path(__file__).parents[2] / "r_reference" / "scripts").glob("*.R"))


def body(text: str) -> str:
    return "\n".join(each.python for each in ported(text).chunks)


@pytest.mark.parametrize(
    ("script", "python"),
    [
        ("x <- c(1, 2.5)\ny = 3 -> z", "x = np.array([1.0, 2.5])\nz = 3\ny = z"),
        ("2 -> a.b", "a_b = 2"),
        ("x <- 1:10; x[-1]", "x = np.arange(1, 11)\nr.print(x[1:])"),
        ("set.seed(5)\nx <- runif(3)\nset.seed(6)", "rng = RRandom(5)\nx = rng.runif(3)\nrng.set_seed(6)"),
        ("f <- function(x, n = 2) x^n", "def f(x, n=2):\n    return r.power(x, n)"),
        ("if (TRUE) x <- 1 else x <- 2", "if True:\n    x = 1\nelse:\n    x = 2"),
        ("while (TRUE) break", "while True:\n    break"),
        ("x <- numeric(3)\nfor (i in 1:3) x[i] <- i^2", None),
        ("l <- list(a = 1)\nl$a", 'l = {"a": 1}\nr.print(r.part(l, "a"))'),
        ("'it\\'s'", 'r.print("it\'s")'),
        ("5 %/% 2 * 3", "r.print(r.quotient(5, 2) * 3)"),
        ("-2^2", "r.print(-2**2)"),
    ],
)
def test_statements(script, python):
    found = ported(script)
    assert not found.problems
    compile(found.text, "<script>", "exec")
    if python is not None:
        assert body(script) == python


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("foo(1)", "foo has no counterpart"),
        ("x <- quote(a)", "quote"),
        ("f <- function(n) if (n == 0) 1 else n * Recall(n - 1)", "Recall"),
        ("`+` <- function(a, b) 1", "+ is defined"),
        ("f <- function(a, b) b + a\nf(runif(1), runif(1))", "evaluates"),
        ("f <- function(x = runif(1)) { y <- runif(1); x + y }", "default of x draws"),
        ("library(unknown)", "unknown"),
        ("f <- function(...) sum(...)", "..."),
        ("x <- 'a' + 1", "arithmetic with a text"),
        ("x <- 1; x == NA", "NA is NA"),
        ("f <- function(c) c(1, 2)", "may be a function or a value"),
        ("x <- list(1)\nx[[1]][2] <- 3", None),
        ("mean(1:3, nosuch = 2)", "nosuch"),
        ("data(iris)\nmean(iris$Sepal.Length)", "data"),
        ("print.mine <- function(x) 1", "print.mine"),
        ("eval(parse(text = '1'))", "eval"),
        ("x <- month.name", "month.name is neither"),
    ],
)
def test_what_is_not_sure_is_refused(script, reason):
    found = ported(script)
    if reason is None:
        return
    assert any(reason in each.reason for each in found.problems), found.problems
    line = found.problems[0].line
    with pytest.raises(NotImplementedError, match=f"line {line} is not translated"):
        exec(compile(found.text + "\nf(2)", "<script>", "exec"), {})


def test_a_redefined_function_is_the_script_s():
    text = "mean <- function(x) 7\nmean(c(1, 2))"
    assert body(text).endswith("r.print(mean(np.array([1.0, 2.0])))")
    # R looks for a function
    assert body("c <- 3\nx <- c(1, 2)").endswith("x = np.array([1.0, 2.0])")
    assert body("T <- 0\nx <- T").endswith("x = T")


def test_functions_that_call_each_other_at_their_ends_are_translated():
    assert body("f <- function(n) g(n)\ng <- function(n) f(n)\nf(1)").endswith("r.print(f(1))")


def test_a_condition_is_denied_as_a_whole():
    assert body("a <- TRUE\nstopifnot(a && FALSE)").endswith(
        'if not (a and False):\n    raise ValueError("a && FALSE is not TRUE")'
    )


def test_a_copy_is_a_copy():
    names: dict[str, object] = {}
    exec(ported("x <- numeric(2)\ny <- x\nfor (i in 1:2) y[i] <- 5\nx").text.replace("r.print(x)", ""), names)
    np.testing.assert_array_equal(names["x"], [0, 0])
    np.testing.assert_array_equal(names["y"], [5, 5])


def test_comments_stay():
    text = "# first\nx <- 1  # one\n\n# second\nf <- function(a) {\n  # inside\n  a + 1\n}\n# last\n"
    found = ported(text).text
    assert "# first\nx = 1  # one" in found
    assert "# second\ndef f(a):\n    # inside\n    return a + 1" in found
    assert found.endswith("# last\n")


def translated() -> Iterator[tuple[Case, int, list[str], str]]:
    for case in all_cases():
        script = parse(case.r)
        writer = Statements(script, tuple(case.inputs), lenient=True)
        for each in script.expressions:
            writer.statement(each, LEFT)
        yield (
            case,
            len(script.expressions),
            [each.reason for each in writer.problems],
            "\n".join(writer.lines),
        )


def numbers(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from numbers(each)
    elif isinstance(value, pydpstat.DPResultsPair):
        yield from numbers(value.Bounded)
        yield from numbers(value.Unbounded)
    elif isinstance(value, pydpstat.r_arithmetic.Histogram):
        yield from numbers([*value.breaks, *value.counts, *value.mids])
    elif isinstance(value, pydpstat.r_arithmetic.Table):
        yield from numbers(value.counts.ravel(order="F"))
    elif isinstance(value, pydpstat.DPResults) and value.labels.breaks is not None:
        yield from numbers(value.labels.histogram(value.value))
    elif isinstance(value, (pd.DataFrame, pd.Series)):
        yield from numbers(value.to_numpy())
    else:
        for each in np.asarray(value).ravel(order="F").tolist():
            if not isinstance(each, str) and each is not None:
                yield float(each)


def test_comparisons_r_sides_are_translated_and_give_r_s_values():
    cases = list(translated())
    statements = sum(count for _, count, _, _ in cases)
    left = sum(len(reasons) for _, _, reasons, _ in cases)
    # the rest is of packages without a mirror, and of what the two do not export
    assert left <= 0.025 * statements, (left, statements)
    wrong = []
    for case, _, reasons, text in cases:
        if reasons:
            continue
        names: Names = {"np": np, "pd": pd, "math": math, "r": r, "rng": RRandom(case.seed)}
        names |= {"diffpriv": diffpriv, "dppack": dppack}
        names |= {name: _input(value) for name, value in case.inputs.items()}
        theirs = evaluate_in_python(case)
        mine = run_python(text, names)
        if theirs.error or mine.error is not None:
            # an error instead of a number is no wrong number
            continue
        found = np.array(list(numbers(mine.value)), dtype=np.float64)
        if not np.array_equal(found, np.array(theirs.values), equal_nan=True) and not (
            found.shape == np.shape(theirs.values)
            and np.allclose(found, theirs.values, rtol=max(case.tolerance, 1e-9), atol=0)
            and case.level != "exact"
        ):
            wrong.append((case.id, found[:5], theirs.values[:5]))
    assert not [each for each in wrong if len(each[1]) == len(each[2])], wrong


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_differ_nowhere(script, capsys):
    status = main(["port", str(script), "--verify", "--recorded", str(script.with_suffix(".json"))])
    shown = capsys.readouterr().out
    assert status in (0, 1)
    assert ": different" not in shown


def test_the_command_writes_a_script(tmp_path, capsys):
    script = tmp_path / "analysis.R"
    script.write_text("library(DPpack)\nset.seed(1)\nmeanDP(c(1, 2, 3), 1, 0, 5)\n")
    assert main(["port", str(script)]) == 0
    shown = capsys.readouterr()
    assert "r.print(dppack.meanDP([1, 2, 3], 1, 0, 5, rng=rng))" in shown.out
    assert "3 statements, all translated." in shown.err
    assert main(["port", str(script), "--own", "--output", str(tmp_path / "a.py")]) == 0
    assert "pydpstat.mean([1, 2, 3], epsilon=1, bounds=(0, 5))" in (tmp_path / "a.py").read_text()
    assert "line 3: pydpstat.mean in the place of meanDP" in capsys.readouterr().out
    assert main(["port", str(script), "--record", str(tmp_path / "record.R")]) == 0
    assert "analysis.json" in (tmp_path / "record.R").read_text()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("x <- (1", "line 2, column 0"),
        ("", "nothing to port"),
        ("# only this\n", "nothing to port"),
        ("\0", "binary"),
    ],
)
def test_no_script(tmp_path, capsys, content, said):
    path = tmp_path / "a.R"
    path.write_text(content)
    assert main(["port", str(path)]) == 2
    assert said in capsys.readouterr().err


def test_work_that_is_left_is_listed(tmp_path, capsys):
    path = tmp_path / "a.R"
    path.write_text("x <- 1\nfoo(x)\n")
    assert main(["port", str(path)]) == 1
    assert "2 statements; 1 left to you:\n  line 2: foo has no counterpart" in capsys.readouterr().err


def test_translate_is_that_of_the_comparisons():
    assert translate("DPpack::meanDP(x, eps = 1, lower.bound = 0, upper.bound = 5)", ["x"]) == (
        "dppack.meanDP(x, eps=1, lower_bound=0, upper_bound=5, rng=rng)"
    )

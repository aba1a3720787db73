"""Ported scripts: what is translated, what is refused, and that values are R's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pydpstat import RRandom, dppack
from pydpstat.__main__ import main
from pydpstat.errors import PydpstatError
from pydpstat.parity.case import Case, all_cases
from pydpstat.porting import parse
from pydpstat.porting._assignments import DISCARD_SINK
from pydpstat.porting._code import TranslationError
from pydpstat.porting._recorded import load_record
from pydpstat.porting._statements import Statements
from pydpstat.porting._translation import translate_for_comparison, translate_script
from pydpstat.porting._verify import verify_port

SCRIPTS = sorted((Path(__file__).parents[2] / "r_reference" / "scripts").glob("*.R"))


def body(text: str) -> str:
    return "\n".join(each.python for each in translate_script(text).chunks)


@pytest.mark.parametrize(
    ("script", "python"),
    [
        ("x <- c(1, 2.5)\ny = 3 -> z", "x = np.array([1.0, 2.5])\nz = 3\ny = z"),
        ("2 -> a.b", "a_b = 2"),
        ("x <- 1:10; print(x[-1])", "x = np.arange(1, 11)\nr.print(x[1:])"),
        ("set.seed(5)\nx <- runif(3)\nset.seed(6)", "rng = RRandom(5)\nx = rng.runif(3)\nrng.set_seed(6)"),
        ("f <- function(x, n = 2) x^n", "def f(x, n=2.0):\n    return r.power(x, n)"),
        ("if (TRUE) x <- 1 else x <- 2", "if True:\n    x = 1\nelse:\n    x = 2"),
        ("while (TRUE) break", "while True:\n    break"),
        ("x <- numeric(3)\nfor (i in 1:3) x[i] <- i^2", None),
        ("l <- list(a = 1)\nl$a", 'l = {"a": 1.0}\nr.print(r.part(l, "a"))'),
        ("'it\\'s'", 'r.print("it\'s")'),
        ("5 %/% 2 * 3", "r.print(r.quotient(5, 2) * 3)"),
        ("-2^2", "r.print(-2**2)"),
        ("a <- c(1, 2)\ntable(a)", 'a = np.array([1.0, 2.0])\nr.print(r.table(a, dnn="a"))'),
        ("x <- matrix(c(1, 2), 1)", "x = r.matrix([1.0, 2.0], 1)"),
        ("x <- pmin(c(5L, 1L), 3)", "x = r.pmin([5, 1], 3.0)"),
        ("x <- seq(0, 10, by = 5)", "x = r.seq(0.0, 10.0, by=5.0)"),
        ("x <- seq(0L, 10L, by = 5L)", "x = r.seq(0, 10, by=5)"),
        ("x <- numeric(0) + 1:3", "x = np.zeros(0) + np.resize(np.arange(1, 4), 0)"),
    ],
)
def test_statements(script, python):
    found = translate_script(script)
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
        ("x <- NA & FALSE", "NA depends on the other side"),
        ("x <- c(TRUE, NA)", "TRUE, FALSE and NA"),
        ("2147483647L + 1L", "beyond R's integers"),
        ("f <- function(x) sum(x)\nsum <- function(x) 0\nf(2)", "R's function or the script's"),
        (
            "f <- function(a, b) { b; a }\ng <- function(x) { cat(x); x }\nf(g(1), g(2))",
            "only when f uses it",
        ),
        ("f <- function(a = runif(1), b = runif(1)) { force(b); a }", "in the order in which they are used"),
        ("f <- function(a = runif(1), b = runif(1)) a - b\nf(b = runif(1))", "R evaluates b, a only when f"),
        ("f <- function(x) function() x\nfor (i in 1:3) h <- f(i)", "of the time of its call"),
        ("x <- sapply(1:3, function(i) i, simplify = FALSE)\nx * 2", "arithmetic with a list"),
        ("f <- factor('a')\nf < 'b'", "of a factor"),
        ("x <- 1:3\nx[NA]", "NA is an index"),
        ("each(1)", "each has no counterpart"),
        ("set.seed(1)\nsmoothmest::rdoublex(3, 0, 2)", "the package smoothmest has no counterpart"),
        ("extraDistr::rlaplace(3)", "the package extraDistr has no counterpart"),
        ("rlaplace(3)", "rlaplace is a function of rmutil, and the script does not attach it"),
        ("mutate(data.frame(x = 1), y = 2)", "mutate is a function of dplyr"),
        ("library(rmutil)\nas.data.frame(1)", "as.data.frame of rmutil has no counterpart"),
        ("library(dplyr)\nlibrary(MASS)\nselect(data.frame(a = 1), a)", "select of MASS has no counterpart"),
        ("lag(1:3)", "lag has no counterpart"),
        ("stats::mutate(1)", "stats has no function mutate"),
        ("c(1, , 2)", "argument 2 of c is empty"),
        ("x <- factor(c(1, NA), exclude = NULL)", "by which NA is a level"),
        ("names(t.test(c(1, 2, 4)))", "the names of a test"),
        ("m <- lm(dist ~ speed, data.frame(dist = 1:3, speed = 3:1))\nnames(m)", "the names of a test"),
        ("d <- as.data.frame(d)", "d is neither assigned"),
        ("x <- list(a = 1, a = 2)", "two elements of the list have one name"),
        ("names(dimnames(table(c(1, 2))))", "the names of dimnames"),
        ("str(list(a = 1))", "str of a list"),
        ("x <- array(1:3, 3)", "an array of one dimension"),
        ("x <- array(1:3)", "an array of one dimension"),
        ("library(dplyr)\ndesc(1:3)", "desc of dplyr has no counterpart"),
        ("x <- c(1, 2)\nx[1, drop = TRUE]", "drop=TRUE of what is no factor"),
        ("data.frame(x = 1, row.names = 1)", "row.names of data.frame is no vector of texts"),
        ("data.frame(x = 1, check.rows = TRUE)", "check.rows of data.frame has no counterpart"),
        ("c(a = 1, b = c(1, 2), 3)", "only some elements of c have names"),
        ("f <- function(a = b, b = a) a", "defaults that use each other"),
        ("paste('a', , 'b')", "argument 2 of paste is empty"),
        ("hist(1:3, main = 'a')", "the argument main of hist has no counterpart"),
        ("cor(x = 1:3, y = 3:1, use = 'complete.obs', kind = 1)", "cor has no argument kind"),
        ("rnorm(1, m = 2, mean = 3, me = 4)", "rnorm has no argument"),
        ("f <- function(aa, ab) aa\nf(a = 1)", "a may be aa or ab"),
        ("f <- function(a, b) b\nf(1)", "b is not given to f"),
        ("library(dplyr)\nd <- data.frame(g = 1)\nslice_head(d, prop = .5)", "prop of slice_head"),
        ("library(dplyr)\nd <- group_by(data.frame(g = 1), g)\nf <- function(x) x\nf(d)", "grouped"),
        ("library(dplyr)\nd <- group_by(data.frame(g = 1), g)\nlist(d)", "a list of a grouped data frame"),
        ("d <- data.frame(a = 1:2)\nd$m <- cbind(1:2)", "a matrix becomes a column"),
        (
            "m <- cbind(1:2, 2:3)\nx <- 1:2\nglm(m ~ x, family = binomial)",
            "a matrix is a variable of a formula",
        ),
    ],
)
def test_what_is_not_sure_is_refused(script, reason):
    found = translate_script(script)
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
    assert body("f <- function(n) g(n)\ng <- function(n) f(n)\nf(1)").endswith("r.print(f(1.0))")


def test_a_vector_is_drawn_from_whatever_its_name_is():
    text = "s <- c(1, 2) + 0\nsample(s, 1)"
    assert body(text).endswith("r.print(rng.sample(r.population(s), 1))")


def test_a_condition_is_denied_as_a_whole():
    assert body("a <- TRUE\nstopifnot(a && FALSE)").endswith(
        'if not (a and False):\n    raise ValueError("a && FALSE is not TRUE")'
    )


def test_a_copy_is_a_copy():
    names: dict[str, object] = {}
    exec(
        translate_script("x <- numeric(2)\ny <- x\nfor (i in 1:2) y[i] <- 5\nx").text.replace("r.print(x)", ""),
        names,
    )
    np.testing.assert_array_equal(names["x"], [0, 0])
    np.testing.assert_array_equal(names["y"], [5, 5])


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ("(-x)^2", "r.print((-x)**2)"),
        ("-x^2", "r.print(-x**2)"),
        ("(-2)^2", "r.print(r.power(-2, 2))"),
        ("-2^2", "r.print(-2**2)"),
    ],
)
def test_a_sign_before_a_power_keeps_its_place(text, python):
    assert body(f"x <- c(1, 2)\n{text}").endswith(python)


def test_truth_values_and_missing_ones_are_not_made_numbers():
    frames = "d <- data.frame(a = c(TRUE, FALSE))\ne <- rbind(d, data.frame(a = NA))"
    with pytest.raises(PydpstatError, match="no common kind"):
        exec(translate_script(frames).text, {})


def test_comments_stay():
    text = "# first\nx <- 1  # one\n\n# second\nf <- function(a) {\n  # inside\n  a + 1\n}\n# last\n"
    found = translate_script(text).text
    assert "# first\nx = 1  # one" in found
    assert "# second\ndef f(a):\n    # inside\n    return a + 1" in found
    assert found.endswith("# last\n")


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ("DPpack::meanDP(x, 1, upper.bound = Inf)", "dppack.meanDP(x, 1, upper_bound=np.inf, rng=rng)"),
        ("DPpack::meanDataAccess(x, 0, 5)", "dppack.meanDataAccess(x, 0, 5)"),
        ("DPpack::meanDP(numeric(0), eps = 1e-6)", "dppack.meanDP([], eps=1e-6, rng=rng)"),
        (
            "m <- DPpack::svmDP$new('l2', 1, 1)\nm$fit(x, y, c(1, .5))\nk <- m$clone()\nc(m$coeff, k$eps)",
            'm = dppack.svmDP("l2", 1, 1)\nm.fit(x, y, [1, 0.5], rng=rng)\nk = m.clone()\n[m.coeff, k.eps]',
        ),
        (
            "s <- diffpriv::sensitivitySampler(m, function(n) rnorm(n), 5, m = 3)\nc(s@sensitivity, s@dims)",
            "s = diffpriv.sensitivitySampler(m, rng.rnorm, 5, m=3, rng=rng)\n[s.sensitivity, s.dims]",
        ),
        ("rmutil::rlaplace(2, s = 1e-3)", "rng.rlaplace(2, s=0.001)"),
        ("sample.int(n = 5, size = 2)", "rng.sample(x=5, size=2)"),
        ("hist(x, plot = FALSE)", "r.hist(x, plot=False)"),
        ("sapply(X = x, FUN = function(a, b) a + b, 2)", "r.sapply(x, lambda a, b: a + b, 2)"),
        ("data.frame(x, b = 2 * y)", 'pd.DataFrame({"x": x, "b": 2 * y})'),
        ("function(X) function(y) y * sum(X)", "lambda X: lambda y: y * r.sum(X)"),
        ("sum(x > 2)", "r.sum(x > 2)"),
        (
            "f <- function(r, n = 2) r * n\nf(r = 2, n = 3)",
            "def f(r_, n=2):\n    return r_ * n\nf(r_=2, n=3)",
        ),
        ("a <- suppressWarnings(sum(x)) +\n  1", "a = r.sum(x) + 1"),
        ("sum <- 1\nsum", "sum_ = 1\nsum_"),
    ],
)
def test_the_text_of_a_comparison(text, python):
    assert translate_for_comparison(text, ["x", "y", "m"]) == python


@pytest.mark.parametrize(
    ("text", "reason"),
    [("nofunction(1)", "has no counterpart"), ("mean(x)", "mean may be a function or a value here")],
)
def test_a_comparison_without_a_sure_text_is_refused(text, reason):
    with pytest.raises(TranslationError, match=reason):
        translate_for_comparison(text, ["x", "mean"])


@pytest.mark.slow
def test_statements_of_comparisons_are_translated():
    left = total = 0
    for case in all_cases():
        script = parse(case.r)
        writer = Statements(script, tuple(case.inputs), lenient=True)
        for each in script.expressions:
            writer.emit_statement(each, DISCARD_SINK)
        total += len(script.expressions)
        left += len(writer.problems)
    # the rest is of packages and functions without a counterpart
    assert left <= 0.02 * total, (left, total)


@pytest.mark.slow
def test_few_comparisons_have_a_python_text_of_their_own():
    def own(case: Case) -> bool:
        try:
            return case.python != translate_for_comparison(case.r, case.inputs)
        except TranslationError:
            return True

    assert sum(map(own, all_cases())) < 110


# a tibble is shown, and 0 / 0
REFUSED = {"everyday": [35], "schools": [20]}


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_are_ported_whole_and_differ_nowhere(script):
    port = translate_script(script.read_text(encoding="utf-8"), script.name)
    assert not port.problems
    found = verify_port(port.all_chunks, load_record(script, script.with_suffix(".json")), script.parent).lines
    assert not [each for each in found if each.status == "different"]
    assert [each.line for each in found if each.status == "refused"] == REFUSED.get(script.stem, [])
    assert not [each for each in found if "stopped" in each.status]


@pytest.mark.parametrize(
    ("line", "expected"),
    {
        "y <- c(1, 2) + noise": lambda noise: np.array([1.0, 2.0]) + noise,
        "y <- -noise": lambda noise: -noise,
        "y <- 2 * noise - noise": lambda noise: 2 * noise - noise,
        "y <- noise > 0": lambda noise: noise > 0,
        "y <- noise^2": lambda noise: noise**2,
        "y <- LaplaceMechanism(c(0, 0), 1, c(1, 1)) / 2": None,
    }.items(),
)
def test_noisy_numbers_are_calculated_with_as_vectors(line, expected):
    space = {}
    exec(
        translate_script(f"library(DPpack)\nset.seed(3)\nnoise <- LaplaceMechanism(c(0, 0), 1, c(1, 1))\n{line}").text,
        space,
    )
    noise = dppack.LaplaceMechanism([0.0, 0.0], 1, [1, 1], rng=RRandom(3)).estimate
    if expected is None:
        assert np.shape(space["y"]) == (2,)
    else:
        assert np.array_equal(space["y"], expected(noise))


@pytest.mark.parametrize(
    "call",
    [
        "do.call(meanDP, list(x, 1, 0, 5))",
        'do.call("meanDP", list(x, 1, 0, 5))',
        "g <- meanDP\ng(x, 1, 0, 5)",
    ],
)
def test_a_release_that_is_called_through_a_value_draws_from_the_stream(call):
    space = {}
    lines = call.splitlines()
    script = "\n".join(["library(DPpack)", "x <- c(1, 2)", "set.seed(3)", *lines[:-1], f"y <- {lines[-1]}"])
    exec(translate_script(script).text, space)
    assert space["y"] == dppack.meanDP([1.0, 2.0], 1, 0, 5, rng=RRandom(3))
    # the stream went on
    stream = RRandom(3)
    dppack.meanDP([1.0, 2.0], 1, 0, 5, rng=stream)
    assert space["rng"].runif(1) == stream.runif(1)


def test_the_command_writes_a_script(tmp_path, capsys):
    script = tmp_path / "analysis.R"
    script.write_text("library(DPpack)\nset.seed(1)\nmeanDP(c(1, 2, 3), 1, 0, 5)\n")
    assert main(["port", str(script)]) == 0
    shown = capsys.readouterr()
    assert "r.print(dppack.meanDP([1.0, 2.0, 3.0], 1, 0, 5, rng=rng))" in shown.out
    assert "3 statements, all translated." in shown.err
    assert main(["port", str(script), "--own", "--output", str(tmp_path / "a.py")]) == 0
    assert "pydpstat.mean([1.0, 2.0, 3.0], epsilon=1, bounds=(0, 5))" in (tmp_path / "a.py").read_text()
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


@pytest.mark.parametrize("text", ['x <- "caf\\xe9"', 'x <- c("caf\\xe9" = 1)', 'x <- "a"; x == "\\351"'])
def test_a_string_that_is_no_utf_8_is_refused(text):
    found = translate_script(text)
    assert "bytes that are no UTF-8" in found.problems[0].reason
    assert found.text.encode()


def test_a_script_is_utf_8_whatever_the_pipe(tmp_path):
    path = tmp_path / "a.R"
    path.write_text('x <- "caf\u00e9"\ncat(x, "\\n")\nnosuch("\u00e9")\n', encoding="utf-8")
    for options in ([], ["--output", str(tmp_path / "caf\u00e9.py")]):
        command = [sys.executable, "-m", "pydpstat", "port", str(path), *options]
        done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"})
        assert done.returncode == 1 and b"Traceback" not in done.stderr
        text = done.stdout if not options else (tmp_path / "caf\u00e9.py").read_bytes()
        assert 'x = "caf\u00e9"' in text.decode("utf-8")


def test_work_that_is_left_is_listed(tmp_path, capsys):
    path = tmp_path / "a.R"
    path.write_text("x <- 1\nfoo(x)\n")
    assert main(["port", str(path)]) == 1
    assert "2 statements; 1 left to you:\n  line 2: foo has no counterpart" in capsys.readouterr().err


@pytest.mark.parametrize(
    "script", ["u <- NA\nif (u) 1 else 2", "u <- NA\nwhile (u) 1", "u <- NA\nx <- if (u) 1 else 2"]
)
def test_a_missing_condition_stops_python_as_it_stops_r(script):
    with pytest.raises(PydpstatError, match="missing"):
        exec(translate_script(script).text, {})


def test_a_name_that_is_bound_to_a_function_stops_no_translation():
    found = translate_script('makeActiveBinding("e", function() 2, environment())\ne <- 1\ny <- 2')
    assert [each.line for each in found.problems] == [1, 2]
    assert "y = 2" in found.text

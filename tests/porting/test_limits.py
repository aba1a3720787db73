"""Scripts that are long, deep or repetitive: both commands answer within seconds, and without a traceback."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pydpstat.__main__ import main
from pydpstat.errors import PydpstatError
from pydpstat.porting import RSyntaxError, parse
from pydpstat.porting._check import check_script
from pydpstat.porting._port import _translate_file
from pydpstat.porting._translation import translate_script

SECONDS, MEGABYTES = 10.0, 500
# Linux takes the memory in use as the new peak: other tests may have used more before
RESET_PEAK = Path("/proc/self/clear_refs")
measured = pytest.mark.skipif(not RESET_PEAK.exists(), reason="memory is measured through /proc")
RELEASE = "x <- DPpack::meanDP(readRDS('a'), 1, 0, 1)\nprint(x)\n"


def loops(levels, head="for (i{k} in 1:10)", body=RELEASE):
    return "".join(f"{head.format(k=k)} {{\n" for k in range(levels)) + body + "}" * levels


def lines(text, count):
    return "\n".join(text.format(k=k, next=k + 1, before=k - 1) for k in range(count))


# each of about 100 kB, where one expression is not already as bad as many
SCRIPTS = {
    "loops": loops(10),
    "long loops": loops(12, "for (i{k} in 1:1000000)"),
    "deep loops": "for (i in 1:100) " * 6000 + "x <- 1",
    "loops of 19": "\n".join([loops(19, "while (i{k})", "y <- x\n")] * 200),
    "many loops": lines("for (i in 1:{k}) x{k} <- i", 3000),
    "a chain in a loop": f"while (TRUE) {{\n{lines('x{k} <- x{next}', 4000)}\nx4000 <- 'a'\n}}",
    "sequences": lines("x{k} <- 1:100{k}", 6000),
    "doubling": "x <- c(1, 2)\n" + "x <- c(x, x)\n" * 7000,
    "doubling of what is not known": "x <- c(rnorm(2), y)\n" + "x <- c(x, x)\n" * 7000,
    "digits": "x <- 1" + "2" * 16_000 + "e-300000",
    "digits of an exponent": "x <- 1e" + "1" * 5000,
    "long numbers": lines(f"x <- {{k}}{'7' * 480}e-350", 200),
    "small numbers": lines("x <- {k}e-20000", 6000),
    "a sum": "x <- " + "+".join(["1"] * 49_000),
    "sums": lines(f"x <- {'+'.join(['a1'] * 300)}", 110),
    "signs": "x <- " + "-" * 99_000 + "1",
    "powers": "x <- " + "^".join(["a"] * 49_000),
    "arrows": "<-".join(["a"] * 33_000),
    "pipes": "x" + "|>f()" * 16_000,
    "parentheses": "(" * 49_000 + "1" + ")" * 49_000,
    "parentheses of 49": "\n".join(["(" * 49 + "1" + ")" * 49] * 1000),
    "functions": "function(x)" * 9000 + "1",
    "functions of 300": "f <- " + "function(x)" * 300 + "1",
    "branches": "if (a) " * 14_000 + "1",
    "branches one after another": "if (a) 1 " + "else if (a) 1 " * 6000,
    "calls": "f" + "()" * 49_000,
    "subscripts": "x" + "[1]" * 33_000,
    "calls that are looked into twice": "\n".join(["nrow(" * 45 + "x" + ")" * 45] * 300),
    "calls that are looked into three times": "x <- 1\n" + "cbind(" * 45 + "x" + ", 2)" * 45,
    "conditions": "a <- TRUE\nx <- " + "!is.na(a & " * 24 + "a" + ")" * 24,
    "many statements": lines("x{k} <- {k}", 8000),
    "many branches": "u <- TRUE\n" + lines("if (u) x{k} <- {k}", 4500),
    "branches in a loop": f"u <- TRUE\nfor (i in 1:3) {{\n{lines('if (u) x{k} <- x{before}', 3500)}\n}}",
    "a long vector": f"x <- c({','.join(['1'] * 49_000)})",
    "a long line": ";".join(f"x{k}<-y+{k}" for k in range(8000)),
    "a long line with tabs": ";\t".join(f"x{k}<-y+{k}" for k in range(7000)),
    "functions that call functions": lines("f{k} <- function(x) if (x) f{next}(x) else f{next}(x - 1)", 1500),
    "functions of functions": lines("f{k} <- function(x, y) f{before}(x, y) + f{before}(x, 1)", 1500),
    "functions of all functions": lines("f{k} <- function(x, y) f{next}(f0(x), f{next}(y))", 1500),
    "objects of objects": "m <- 1\n" + "m <- DPpack::svmDP$new(m, m, m, m, m)\n" * 2000 + "m$fit(x, y, 1, 0)",
    "many releases": lines("DPpack::meanDP(x{k}, {k}.5, 0, 1)", 2500),
    "releases of the same": "x <- read.csv('a')\n" + lines("DPpack::meanDP(x$a, {k}.5, 0, 1)", 2500),
    "many sources": "a0 <- 1\n" + lines("a{next} <- c(a{k}, read.csv('{k}'))", 3000),
    "much that is not known": "nosuch(1);" * 9000,
    "a switch": f"f <- function(x = 'a') switch(x, {','.join(f'a{k}={k}' for k in range(3000))})",
    "comments": "x <- 1 " + "# a\n" * 25_000,
    "empty lines": "x <- 1" + "\n" * 99_000 + "y",
    "a long string": "x <- '" + "a" * 99_000 + "'",
    "a long name": "a" * 99_000 + " <- 1",
    "functions applied": "sapply(x, function(i) {" * 22 + "i" + "})" * 22,
    "many arguments": f"f <- function({','.join(f'a{k}' for k in range(4000))}) a1\n"
    f"f({','.join(f'a{k}=1' for k in range(4000))})",
    "many columns": f"library(dplyr)\nd <- read.csv('f')\nmutate(d, {','.join(f'y{k}=x{k}+1' for k in range(4000))})",
}


def answer(path, run):
    """Return what a command says, or why it does not."""
    start, before = time.process_time(), megabytes("VmRSS")
    RESET_PEAK.write_text("5")
    try:
        said = run()
    except PydpstatError as error:
        said = str(error)
    # the time of the processor: others may use it as well
    assert time.process_time() - start < SECONDS
    assert megabytes("VmHWM") - before < MEGABYTES
    return said


def megabytes(name):
    """Return a figure of the memory of this process."""
    lines = dict(each.split(":", 1) for each in Path("/proc/self/status").read_text().splitlines())
    return int(lines[name].split()[0]) / 1024


@measured
@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_both_commands_answer(tmp_path, name):
    path = tmp_path / "a.R"
    path.write_text(SCRIPTS[name], encoding="utf-8")
    text = answer(path, lambda: _translate_file(path, False).text)
    # where the script is run, Python goes no deeper than usual
    assert "this is no R" in text or compile(text, "<script>", "exec")
    assert answer(path, lambda: check_script(path).to_text())


@measured
@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        f"x = {'-' * 90_000}1\n",
        f"x = {'+'.join(['1'] * 50_000)}\n",
        f"x = {'(' * 150}1{')' * 150}\n",
        "x = 0x" + "f" * 90_000 + "\n",
        "x = 1" + "1" * 90_000 + "\n",
        "".join(f"{' ' * k}for i in range(9):\n" for k in range(19)) + f"{' ' * 19}pass\n",
        "def f(x):\n    return f(x) + f(x)\n" * 2000,
        "x = [x, x]\n" * 9000,
        "'\\d'\n" * 20_000,
    ],
)
def test_scripts_of_python_are_answered(tmp_path, script):
    path = tmp_path / "a.py"
    path.write_text(script, encoding="utf-8")
    assert answer(path, lambda: check_script(path).to_text())


def test_loops_inside_one_another_are_walked_through_a_few_times(monkeypatch):
    from pydpstat.porting._statements import Statements

    steps = []
    value = Statements.translate_node
    monkeypatch.setattr(Statements, "translate_node", lambda self, node: steps.append(1) or value(self, node))
    counts = []
    for levels in (1, 4, 16):
        steps.clear()
        assert not translate_script(loops(levels, body="x <- x + i0\n").replace("for", "x <- 1\nfor", 1)).problems
        counts.append(len(steps))
    # as the script grows, and not as a power of it
    assert counts[2] < 2 * 16 * counts[0]


def test_what_changes_in_a_later_round_is_known_in_the_first():
    inner = "for (j in 1:2) {\ny <- a == 'u'\na <- b\nb <- k\n}"
    script = f"a <- 1\nb <- 1\nk <- 1\nfor (i in 1:3) {{\n{inner}\nk <- 'u'\n}}"
    space: dict[str, object] = {}
    exec(translate_script(script).text, space)
    assert bool(space["y"])


@pytest.mark.parametrize(
    "body, call",
    [
        ("function(x) if (x) f{next}(x) else f{next}(x)", "f0(1)"),
        (
            "function(x) f{next}(x) + f{next}(x)",
            "g <- function(a, b) a + b\ng(f0(1), f0(2))\ny <- mean(f0(1))",
        ),
    ],
)
def test_functions_that_call_another_twice_are_looked_into_once(body, call):
    script = lines(f"f{{k}} <- {body}", 40) + "\nf40 <- function(x) x\n" + call
    assert not translate_script(script).problems


def test_releases_in_loops_add_up(tmp_path):
    path = tmp_path / "a.R"
    script = loops(10, body="print(DPpack::meanDP(x$a, 0.1, 0, 1))\n")
    path.write_text(f"x <- read.csv('a')\n{script}", encoding="utf-8")
    [finding] = [each for each in check_script(path).findings if each.rule == "repeated"]
    assert "10000000000" in finding.what.replace(",", "") or "1e+10" in finding.what
    assert "epsilon 1e+09" in finding.figure


@pytest.mark.parametrize("number", ["1" * 501, "1e" + "1" * 500, "0x" + "f" * 500, "1." + "0" * 500])
def test_a_number_has_a_limit(tmp_path, capsys, number):
    with pytest.raises(RSyntaxError, match="1:6: a number of more than 500 characters"):
        parse(f"x <- {number}")
    path = tmp_path / "a.R"
    path.write_text(f"x <- {number}\n", encoding="utf-8")
    for command in ("port", "check"):
        assert main([command, str(path)]) == 2
        assert "a number of more than 500 characters" in capsys.readouterr().err


def test_numbers_far_beyond_doubles_are_those_of_r():
    zeros = "0" * 320
    texts = ["1e-20000", "1e20000", f"{'9' * 400}e-399", f"0.{zeros}1e321", f"{zeros}1e2", "1e309", "4e-324"]
    found = [each.value for each in parse("\n".join(texts)).expressions]
    assert found == [0.0, float("inf"), 10.0, 1.0, 100.0, float("inf"), 5e-324]


def test_a_statement_that_is_too_deep_is_left_and_the_rest_is_translated(tmp_path):
    found = translate_script(f"x <- 1\ny <- {'+'.join(['x'] * 500)}\nz <- x + 1")
    [problem] = found.problems
    assert problem.line == 2
    assert problem.reason.startswith("more than 400 expressions are inside one another; split it into")
    assert found.text.endswith("z = x + 1\n")
    path = tmp_path / "a.R"
    path.write_text(f"y <- {'+'.join(['x'] * 500)}\nprint(read.csv('private.csv'))", encoding="utf-8")
    report = check_script(path)
    assert [each.rule for each in report.findings] == ["raw-value"]
    assert [why for _, why in report.not_followed] == ["it is nested too deeply"]


def test_a_statement_that_takes_too_many_steps_is_left():
    found = translate_script("x <- 1\n" + "rep(" * 20 + "x" + ", 2)" * 20)
    assert "steps; split it into several statements" in found.problems[0].reason


def test_a_script_that_takes_too_many_steps_is_told(tmp_path):
    path = tmp_path / "a.R"
    several = "c(f{k}(x), f{k}(x), f{k}(x), f{k}(x))"
    script = "f0 <- function(x) x\n" + lines(f"f{{next}} <- function(x) {several}", 11)
    path.write_text(f"{script}\nf11(1)\nprint(read.csv('a'))\n", encoding="utf-8")
    report = check_script(path)
    assert any("too many" in why for _, why in report.not_followed)

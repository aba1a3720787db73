"""What a check finds in scripts that were made for it, what it leaves alone, and how it says so."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from pydpstat.__main__ import main
from pydpstat.errors import PydpstatError
from pydpstat.porting._check import check_script
from pydpstat.porting._findings import RULES, format_sarif

SCRIPTS = Path(__file__).parent / "scripts"
SOUND = sorted((SCRIPTS / "sound").iterdir())
UNSOUND = sorted((SCRIPTS / "unsound").iterdir())


def expected(path):
    """Return what a script's comments say is found, as lines and rules."""
    lines = path.read_text(encoding="utf-8").splitlines()
    marks = ((k, re.search(r"# finds: (.+)", line)) for k, line in enumerate(lines, start=1))
    return {(k, rule) for k, mark in marks if mark for rule in mark[1].split()}


def found(path):
    return {(each.place.line, each.rule) for each in check_script(path).findings}


@pytest.mark.parametrize("path", UNSOUND, ids=lambda path: path.name)
def test_everything_is_found_and_nothing_else(path):
    assert found(path) == expected(path)


@pytest.mark.parametrize("path", SOUND, ids=lambda path: path.name)
def test_a_sound_script_is_left_alone(path):
    report = check_script(path)
    assert report.findings == () and not report.is_broken
    assert report.releases or "added by hand" in report.to_text()


def test_there_are_scripts_for_all():
    rules = [rule for path in UNSOUND for _, rule in expected(path)]
    assert len(SOUND) >= 20
    assert {"finding" if rule.startswith("finding-") else rule for rule in rules} == {*RULES}
    assert [rule for rule in set(rules) if rules.count(rule) < 2] == []


# what is said of it


def test_a_finding_says_all_that_is_needed(capsys):
    assert main(["check", str(SCRIPTS / "unsound" / "variance.R")]) == 1
    shown = capsys.readouterr().out
    assert "variance.R:3:1: error: varDP keeps less than it claims. [finding-2]" in shown
    assert "Its true epsilon is 1.4899, not 1." in shown
    assert 'instead: mechanism = "analytic" with a delta; or pydpstat.var.' in shown
    assert "line 3: varDP: (epsilon 1.48988, delta 0), bounded neighbors" in shown


@pytest.mark.parametrize("path", UNSOUND, ids=lambda path: path.name)
def test_every_finding_is_a_sentence(path):
    for each in check_script(path).findings:
        assert each.what.endswith(".") and each.why.endswith(".") and each.instead.endswith(".")
        assert each.figure.endswith(".") or each.severity == "note"


def test_the_sum_by_zcdp_is_said_where_it_is_smaller():
    repeated = check_script(SCRIPTS / "unsound" / "repeated_in_loops.R")
    first, second, _ = (each.figure for each in repeated.findings)
    assert "epsilon 0.3," in first and "zCDP" not in first
    assert "epsilon 10," in second and "by zCDP (epsilon 0.63" in second


def test_json(capsys, tmp_path):
    assert main(["check", "--format", "json", str(SCRIPTS / "unsound" / "endless.R")]) == 1
    content = json.loads(capsys.readouterr().out)
    keys = {"file", "language", "holds", "findings", "releases", "totals", "not_followed", "remarks"}
    assert content.keys() == keys and content["holds"] is False
    assert content["releases"][0]["times"] is None
    [finding] = content["findings"]
    assert finding["rule"] == "repeated-without-end" and finding["place"]["line"] == 4
    assert main(["check", "--format", "json", "--output", str(tmp_path / "r.json"), str(SOUND[0])]) == 0
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["holds"] is True
    assert capsys.readouterr().out == ""


# of SARIF's schema 2.1.0: the properties that are written, which are required, and of what type they are
LOG = {"version!": "2.1.0", "$schema": str, "runs!": ["run"]}
SCHEMA = {
    "run": {"tool!": "tool", "columnKind": str, "invocations": ["invocation"], "results": ["result"]},
    "tool": {"driver!": "driver"},
    "driver": {"name!": str, "version": str, "rules": ["rule"]},
    "rule": {"id!": str, "shortDescription": "text"},
    "text": {"text!": str},
    "invocation": {"executionSuccessful!": bool, "toolExecutionNotifications": ["notification"]},
    "notification": {"level": str, "message!": "text", "locations": ["location"]},
    "result": {"ruleId": str, "ruleIndex": int, "level": str, "message!": "text", "locations": ["location"]},
    "location": {"physicalLocation": "place"},
    "place": {"artifactLocation": "file", "region": "region"},
    "file": {"uri": str},
    "region": {"startLine": int, "startColumn": int},
}


def validate(node, kind):
    """Compare a part of SARIF with the schema: its properties, the required ones and their types."""
    if isinstance(kind, list):
        assert isinstance(node, list)
        for each in node:
            validate(each, kind[0])
    elif isinstance(kind, dict):
        known = {name.rstrip("!"): (each, name[-1] == "!") for name, each in kind.items()}
        assert {name for name, (_, required) in known.items() if required} <= node.keys() <= known.keys()
        for name, each in node.items():
            validate(each, known[name][0])
    elif isinstance(kind, type):
        assert type(node) is kind
    else:
        assert node == kind if kind == "2.1.0" else validate(node, SCHEMA[kind]) is None


def test_sarif():
    reports = [check_script(path) for path in (*UNSOUND, *SOUND)]
    content = json.loads(format_sarif(reports))
    validate(content, LOG)
    assert content["$schema"].endswith("sarif-schema-2.1.0.json")
    assert len(content["runs"]) == len(reports)
    for run, report in zip(content["runs"], reports):
        rules = run["tool"]["driver"]["rules"]
        assert len({each["id"] for each in rules}) == len(rules) and run["columnKind"] == "unicodeCodePoints"
        assert run["invocations"][0]["executionSuccessful"] is True
        assert len(run["results"]) == len(report.findings)
        for each in [*run["results"], *run["invocations"][0]["toolExecutionNotifications"]]:
            assert each["level"] in ("error", "warning", "note") and each["message"]["text"]
            [location] = each["locations"]
            place = location["physicalLocation"]
            assert place["artifactLocation"]["uri"] == Path(report.path).as_posix()
            assert place["region"]["startLine"] >= 1 and place["region"]["startColumn"] >= 1
        assert [rules[each["ruleIndex"]]["id"] for each in run["results"]] == [
            each["ruleId"] for each in run["results"]
        ]


def test_a_path_in_sarif_is_a_uri(tmp_path):
    path = tmp_path / "année 1#.R"
    path.write_text("x <- 1\nsource('é')\n", encoding="utf-8")
    [run] = json.loads(format_sarif([check_script(path)]))["runs"]
    [note] = run["invocations"][0]["toolExecutionNotifications"]
    uri = note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.endswith("/ann%C3%A9e%201%23.R")


# files that are no scripts


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.R", "x <- 1\ny <- (2 +* 3)\n", r"this is no R: line 2, column 10: unexpected '\*'"),
        ("a.R", "f <- function(x) {\n", "this is no R: line 2, column 0: unexpected end of input"),
        ("a.py", "x = 1\ny = (2 +* 3\n", "this is no Python: line 2, column"),
        ("a.csv", "a,b\n1,2\n", r"this is no R: line 1, column 2: unexpected ','.*ends with \.py"),
        ("a.R", "", "the file is empty"),
        ("a.R", "# only a comment\n\n", "the file is empty"),
        ("a.png", b"\x89PNG\r\n\0\0", "this is no script, but a binary file"),
    ],
)
def test_what_is_no_script_is_refused(tmp_path, capsys, name, content, message):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(PydpstatError, match=message):
        check_script(path)
    assert main(["check", str(path), str(SOUND[0])]) == 2
    shown = capsys.readouterr()
    assert str(path) in shown.err and "Traceback" not in shown.err and SOUND[0].name in shown.out


def test_a_file_that_is_not_there(tmp_path, capsys):
    assert main(["check", str(tmp_path / "none.R")]) == 2
    assert "the file cannot be read: No such file" in capsys.readouterr().err


@pytest.mark.slow
def test_a_long_script_takes_seconds(tmp_path):
    body = (SCRIPTS / "sound" / "report.R").read_text(encoding="utf-8")
    body += (SCRIPTS / "unsound" / "standardized.R").read_text(encoding="utf-8")
    lines = (body * (10_000 // body.count("\n") + 1)).splitlines()[:10_000]
    (tmp_path / "long.R").write_text("\n".join(lines), encoding="utf-8")
    start = time.process_time()
    assert check_script(tmp_path / "long.R").is_broken
    assert time.process_time() - start < 30


@pytest.mark.slow
def test_a_script_that_nests_deeply_is_answered(tmp_path):
    (tmp_path / "deep.R").write_text(f"x <- {' + '.join(['1'] * 5000)}\n", encoding="utf-8")
    (tmp_path / "deep.py").write_text(f"x = {'-' * 5000}1\n", encoding="utf-8")
    for name in ("deep.R", "deep.py"):
        try:
            assert check_script(tmp_path / name).findings == ()
        except PydpstatError as error:
            assert "nested too deeply" in str(error)


def test_signs_that_are_called_like_functions(tmp_path):
    signs = "if for while repeat $ @ [ [[ { ( <- %>% ~ - :: new".split()
    calls = [f"`{sign}`({given})" for sign in signs for given in ("", "x", "x, y")]
    script = "\n".join([*calls, "f()()", "x[]", "x[[1]]()", "a$b()()"])
    (tmp_path / "a.R").write_text(script, encoding="utf-8")
    assert check_script(tmp_path / "a.R").findings == ()


def test_functions_that_call_themselves_end(tmp_path):
    script = "f <- function(x) g(x - 1)\ng <- function(x) if (x > 0) f(x) + f(x) else x\nprint(f(9))\n"
    (tmp_path / "a.R").write_text(script, encoding="utf-8")
    assert any("calls itself" in reason for _, reason in check_script(tmp_path / "a.R").not_followed)


# a sound script, and one change that breaks it

BASE = """library(DPpack)
total.eps <- 1
d <- read.csv("d.csv")
low <- 0
age <- pmax(d$age, low)
sex <- factor(d$sex, levels = c("f", "m"))
m <- meanDP(age, total.eps / 2, low, 100)
t <- tableDP(sex, eps = total.eps / 2)
print(m)
"""
CHANGES = [
    ("low <- 0", "low <- min(d$age)", "argument-from-data"),
    ("low <- 0", "low = floor(min(d[['age']], na.rm = TRUE)) - 1", "argument-from-data"),
    ("low, 100)", "low, up = max(age))", "argument-from-data"),
    ("low, 100)", "low, sort(age)[length(age)])", "argument-from-data"),
    ("low <- 0", "low <- 0; if (nrow(d) > 5) low <- range(d$age)[1]", "argument-from-data"),
    ("low <- 0", "f <- function() min(d$age)\nlow <- f()", "argument-from-data"),
    ("low <- 0", "with(d, age) -> a; a |> min() -> low", "argument-from-data"),
    (', levels = c("f", "m"))', ")", "finding-8"),
    ('levels = c("f", "m")', "levels = unique(d$sex)", "levels-from-data"),
    ('levels = c("f", "m")', "lev = names(table(d$sex))", "levels-from-data"),
    ("library(DPpack)", "set.seed(3)", "seed"),
    ("total.eps <- 1", "total.eps <- 1; other <- 0.9\ntotal.eps -> e; rm(total.eps)", None),
    ("total.eps / 2, low", "total.eps, low", "repeated"),
    ("print(m)", "print(c(m, mean(age)))", "raw-value"),
    ("print(m)", "d", "raw-value"),
    ("print(m)", "invisible(d)", None),
    ("print(m)", "write.csv(t, 't.csv')", None),
    ("print(m)", "for (i in 1:3) print(m)", None),
    ("pmax(d$age, low)", "d$age - mean(d$age)", "records-changed"),
    ("pmax(d$age, low)", "d$age - 40", None),
    ("meanDP(", "varDP(", "finding-2"),
    ("low, 100)", "low, 100, 'unb')", None),
    ("low, 100)", "low, 100, which = 'unbounded')", "finding-5"),
    ("m <- meanDP", "while (TRUE) m <- meanDP", "repeated-without-end"),
    ("print(m)", "print(m, digits = 12)", "finding-12"),
    ("print(m)", "print(signif(m, 3), digits = 12)", None),
    ("pmax(d$age, low)", "replace(d$age, d$age > 120, NA)", "finding-15"),
    ("pmax(d$age, low)", "na_if(d$age, 999)", "finding-15"),
    ("total.eps <- 1", "total.eps <- 1; rgamma <- rgeom", None),
    ("total.eps / 2, low", "0.5, low", None),
    ("total.eps / 2", "0.5", "repeated"),
]


@pytest.mark.parametrize("old, new, rule", CHANGES)
def test_a_change_is_found(tmp_path, old, new, rule):
    (tmp_path / "a.R").write_text(BASE, encoding="utf-8")
    assert check_script(tmp_path / "a.R").findings == ()
    assert old in BASE
    (tmp_path / "a.R").write_text(BASE.replace(old, new, 2 if new == "0.5" else 1), encoding="utf-8")
    rules = {each.rule for each in check_script(tmp_path / "a.R").findings}
    assert rules == set() if rule is None else rule in rules


@pytest.mark.parametrize(
    "script, reason",
    [
        ("source('other.R')\n", "not read"),
        ("DPpack::meanDP(readRDS('x'), eps, 0, 1)\n", "eps is no number"),
        ("f <- function(x, e) DPpack::meanDP(x, e, 0, 1)\n", "eps is no number"),
        ("DPpack::meanDP(readRDS('x'), 1, 0, top)\n", "top is not assigned"),
        ("DPpack::meanDP(readRDS('x'), 1, 0, 1, colour = 2)\n", "no argument colour"),
        ("DPpack::meanDP(readRDS('x'), -1, 0, 1)\n", "eps must be"),
        ("eval(parse(text = 'print(1)'))\n", "computed"),
        ("P <- R6Class('P', list(f = function(x, e) DPpack::meanDP(x, e, 0, 1)))\n", "methods of its objects"),
        ("P <- setRefClass('P', methods = list(f = function(e) meanDP(x, e, 0, 1)))\n", "methods of its objects"),
        ("y <- sum(readRDS('x')) + rnorm(1)\nprint(y)\n", "by hand"),
    ],
)
def test_what_is_not_followed_is_said(tmp_path, script, reason):
    (tmp_path / "a.R").write_text(script, encoding="utf-8")
    report = check_script(tmp_path / "a.R")
    assert any(reason in said for _, said in report.not_followed), report.not_followed
    assert reason in report.to_text()

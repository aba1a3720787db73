"""What port says of its translation: counts, advice, what is not private, and which values R shows."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from pydpstat.__main__ import main
from pydpstat.porting import _matching as matching
from pydpstat.porting import _packages as packages
from pydpstat.porting._advice import ADVICE
from pydpstat.porting._names import find_counterpart
from pydpstat.porting._port import format_port_report
from pydpstat.porting._translation import translate_script
from tests.filled_pages import read_page

PAGE = read_page("which.md")


# counts


@pytest.mark.parametrize(
    "script, said",
    [
        ("foo(1)", "1 statement; 1 left to you:\n  line 1: foo"),
        ("f <- function(x) {\n  foo(x)\n  bar(x)\n}", "1 statement; 1 left to you, in 2 places:"),
        ("f <- function(x) {\n  foo(x)\n}\nbar(1)\ny <- 1", "3 statements; 2 left to you:"),
        ("x <- foo(1); y <- bar(2); z <- 3", "3 statements; 2 left to you:"),
        ("x <- 1", "1 statement, all translated."),
    ],
)
def test_no_more_statements_are_left_than_there_are(script, said):
    assert format_port_report(translate_script(script)).startswith(said)


# advice


def named_on_the_page():
    """Return functions that have no counterpart, with the page's call for the same question."""
    found = {}
    for line in PAGE.splitlines():
        if not line.startswith("|") or set(line) <= set("|- "):
            continue
        *_, theirs, own = line.strip("|").split("|")
        parts = [part for each in re.findall("`([^`]+)`", theirs) for part in each.split(";")]
        matches = [re.match(r"\s*(?:\w+::)?([A-Za-z][\w.]*)(?=\s*\(|\s*$|\s*[,~])", part) for part in parts]
        calls = re.findall("`([^`]+)`", own)
        if len(calls) != len(matches) or " or " in own:
            calls = calls[:1] * len(matches)
        for match, call in zip(matches, calls):
            if match and not is_known(match[1]):
                found.setdefault(match[1], call)
    return found


def is_known(name):
    of_packages = any(matching.has_export(package, name) for package in matching.PACKAGES)
    of_r = find_counterpart(packages.find_package(name, ("dplyr",)), name) is not None
    return of_r or matching.is_stream_function(name) or of_packages or name in ("set.seed", "n_distinct")


def test_advice_is_that_of_the_page():
    assert named_on_the_page().items() <= ADVICE.items()
    assert [name for name, call in ADVICE.items() if name not in PAGE or call not in PAGE] == []


@pytest.mark.parametrize(
    "script, advice",
    [
        ("svymean(~x, d)", "svymean has no counterpart; for a private release s.weighted_mean("),
        ("ggplot(d)", "ggplot has no counterpart; for a private release r.plot()"),
        ("nosuch(d)", "nosuch has no counterpart"),
    ],
)
def test_a_refusal_says_what_to_write(script, advice):
    [problem] = translate_script(f"d <- c(1, 2)\n{script}").problems
    assert problem.reason.startswith(advice)


# --own


def test_own_names_what_is_computed_from_the_data(tmp_path, capsys):
    path = tmp_path / "a.R"
    path.write_text("library(DPpack)\nx <- c(1, 2, 9)\nmeanDP(x, 1, 0, max(x))\n", encoding="utf-8")
    assert main(["port", "--own", str(path)]) == 1
    said = capsys.readouterr().err
    assert "3 statements, all translated, but not private:\n  line 3: upper.bound of meanDP is" in said
    assert "computed from the data: max(x), line 3. Write upper.bound = 100" in said
    assert main(["port", str(path)]) == 0
    path.write_text("library(DPpack)\nx <- c(1, 2, 9)\nmeanDP(x, 1, 0, 10)\n", encoding="utf-8")
    assert main(["port", "--own", str(path)]) == 0
    assert "3 statements, all translated.\n" in capsys.readouterr().err


# which values R shows


SILENT = [
    "f <- function(x) return(invisible(x))\nf(1)",
    "f <- function(x) return(y <- x)\nf(1)",
    "f <- function(x) {\n  if (x > 1) return(invisible(x))\n  invisible(3)\n}\nf(1)",
    "f <- function(x) if (x > 1) invisible(2) else invisible(3)\nf(1)",
    "f <- function(x) g(x)\ng <- function(x) return(invisible(x))\nf(1)",
    "a <- list(say = function() invisible(4))\na$say()",
    "a <- list(say = function() return(invisible(4)))\na$say()",
    "g <- function() invisible(4)\na <- list(say = g)\na$say()",
    "a <- list(b = 1)\na$say <- function() invisible(4)\na$say()",
]
SHOWN = [
    "f <- function(x) return(x)\nf(1)",
    "f <- function(x) {\n  y <- x\n  (y)\n}\nf(1)",
    "f <- function(x) if (x > 1) 2 else 3\nf(1)",
    "f <- function() return()\nf()",
    "a <- list(say = function() 4)\na$say()",
]


@pytest.mark.parametrize("script", SILENT)
def test_what_r_does_not_show_is_not_printed(script):
    found = translate_script(script)
    assert not found.problems and "print" not in found.text


@pytest.mark.parametrize("script", SHOWN)
def test_what_r_shows_is_printed(script):
    found = translate_script(script)
    assert not found.problems and "r.print(" in found.text.splitlines()[-1]


@pytest.mark.parametrize(
    "script",
    [
        "f <- function(x) {\n  if (x > 1) return(invisible(x))\n  x\n}\nf(1)",
        "a <- list(say = function() invisible(4))\nb <- list(say = function() 4)\na$say()",
    ],
)
def test_what_r_shows_sometimes_is_refused(script):
    assert [each.reason for each in translate_script(script).problems] == [
        "whether R shows the value depends on a condition"
    ]


@pytest.mark.live
@pytest.mark.slow
def test_r_shows_the_same(tmp_path):

    if shutil.which("Rscript") is None:
        pytest.skip("needs Rscript")
    for k, script in enumerate([*SILENT, *SHOWN]):
        (tmp_path / f"{k + 10}.R").write_text(script, encoding="utf-8")
    code = "length(capture.output(source(f, local = new.env(), print.eval = TRUE))) > 0"
    command = ["Rscript", "-e", f"for (f in list.files()) cat({code}, '')"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["FALSE"] * len(SILENT) + ["TRUE"] * len(SHOWN)

"""What a translation calls is there and takes the arguments; a statement that cannot run is listed."""

from __future__ import annotations

import ast

import pytest

from pydpstat.porting._code import TranslationError
from pydpstat.porting._guard import TranslationGuard
from pydpstat.porting._output_check import OutputCheck
from pydpstat.porting._translation import translate_script


@pytest.mark.parametrize(
    ("python", "wrong"),
    [
        ("r.nosuch(x)", "r has no nosuch"),
        ("y = r.nosuch", "r has no nosuch"),
        ("rng.rnosuch(1)", "rng has no rnosuch"),
        ("dppack.meanDP(1, 2, 3, 4, nosuch=1)", "meanDP() got an unexpected keyword argument 'nosuch'"),
        ("r.sd(x, True, 3)", "sd() too many positional arguments"),
        ("rng.rnorm()", "rnorm() missing a required argument: 'n'"),
        ("r.mean(x, **{'y': 2})", "mean() got an unexpected keyword argument 'y'"),
        ("g(1)", "g() missing a required argument: 'b'"),
        ("r.mean(*x)", ""),
        ("r.paste(1, 2, 3, sep='')", ""),
        ("rng.rnorm(3, sd=2)", ""),
        ("g(b=1, a=2)", ""),
        ("h(1, 2, 3)", ""),
        ("def k(g):\n    return g(1)", ""),
        ("unknown(1)", ""),
    ],
)
def test_wrong_calls(python, wrong):
    check = OutputCheck()
    before = "def g(a, b):\n    return a\ndef h(x):\n    return x\nh = x"
    assert list(check.find_wrong_calls(ast.parse(before))) == []
    assert next(check.find_wrong_calls(ast.parse(python)), "") == wrong


def test_a_statement_that_cannot_run_is_listed_and_the_others_stay(monkeypatch):
    def checked(self, python):
        if "mean" in python and "raise" not in python:
            raise TranslationError("its translation cannot run: mean")
        return ast.parse(python)

    monkeypatch.setattr(TranslationGuard, "check_statement", checked)
    found = translate_script("x <- c(1, 2)\nmean(x)\ny <- sum(x)\n")
    assert [each.line for each in found.problems] == [2]
    assert "y = r.sum(x)" in found.text


def test_parentheses_on_several_lines_make_no_tuple():
    whole = " + ".join(["length(c(1, 2, 3))"] * 12)
    names: dict[str, float] = {}
    exec(translate_script(f"x <- sqrt(3 * ({whole}))\ny <- 2 - ({whole})").text, names)
    assert (names["x"], names["y"]) == (108**0.5, -34)

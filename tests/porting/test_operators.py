"""Operators inside one another: a ported expression has R's value, or is refused."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter

import numpy as np
import pytest

from pydpstat.errors import PydpstatError
from pydpstat.porting import RSyntaxError
from pydpstat.porting._translation import translate_script
from r_reference import operators

RECORDED: dict[str, list[str]] = json.loads(operators.RECORDED.read_text(encoding="utf-8"))


def theirs(text):
    """Return R's values, None where R has an error."""
    words = RECORDED[text]
    return None if words == ["error"] else [float.fromhex(each.replace("NA", "nan")) for each in words]


def ours(texts):
    """Yield expressions with their values in Python, None where they were refused or stop."""
    start = operators.SETTING.count("\n")
    # what R cannot read would end the whole script
    readable = [text for text in texts if theirs(text) is not None]
    found = translate_script(operators.SETTING + "".join(f"value <- {text}\n" for text in readable))
    space: dict[str, object] = {}
    exec("\n".join([found.header, *(each.python for each in found.chunks[:start])]), space)
    for text, chunk in zip(readable, found.chunks[start:], strict=True):
        here = dict(space)
        try:
            with np.errstate(all="ignore"):
                exec(chunk.python, here)
        except (NotImplementedError, PydpstatError, ValueError, TypeError, ArithmeticError):
            yield text, None
            continue
        yield text, np.ravel(np.asarray(here["value"], dtype=float)).tolist()


def test_every_pair_is_recorded():
    assert list(RECORDED) == operators.expressions()
    assert len(RECORDED) > 4000


def compared(texts):
    """Return the expressions whose values differ, and how many are equal and refused."""
    differ, counts = [], Counter[str]()
    for text, mine in ours(texts):
        counts["refused" if mine is None else "equal"] += 1
        if mine is not None and not np.array_equal(mine, theirs(text), equal_nan=True):
            differ.append((text, mine, theirs(text)))
    return differ, counts


def test_some_values_are_those_of_r():
    assert compared([*RECORDED][::23])[0] == []


@pytest.mark.slow
def test_values_are_those_of_r():
    differ, counts = compared(RECORDED)
    assert differ == []
    # what is refused is told, but a translator that refuses all would be of no use
    assert counts["equal"] > 10 * counts["refused"], counts


@pytest.mark.parametrize("text", ["a < b < k", "a == b == k", "x < y == z", "1 <= 2 > 3"])
def test_a_chain_of_comparisons_is_no_r(text):
    with pytest.raises(RSyntaxError):
        translate_script(text)


@pytest.mark.parametrize(
    "text, python",
    [
        ("(-x)^2", "(-x)**2"),
        ("-x^2", "-x**2"),
        ("(x^2)^2", "(x**2)**2"),
        ("(x + 1)^2", "(x + 1)**2"),
        ("(x > y) == (y > x)", "(x > y) == (y > x)"),
        ("!(x > y)", "~(x > y)"),
        ("x - (y - x)", "x - (y - x)"),
        ("x * (y %% 2)", "x * (y % 2)"),
        ("(x * y) %% 2", "x * y % 2"),
        ("!(x %in% y)", "~r.is_in(x, y)"),
    ],
)
def test_parentheses_are_those_that_are_needed(text, python):
    script = f"x <- c(1, 2)\ny <- c(2.5, 1)\nz <- {text}"
    assert translate_script(script).chunks[-1].python == f"z = {python}"


@pytest.mark.parametrize(
    "text, python",
    [
        ("(1:3 + 1L) %/% 2L", "(np.arange(1, 4) + 1) // 2"),
        ("(1:3 + 1L) %/% 2", "(np.arange(1, 4) + 1) // 2.0"),
        ("(1:3 + 1) %/% 2", "r.quotient(np.arange(1, 4) + 1.0, 2)"),
        ("(1:3 * Inf) %/% 2", "r.quotient(np.arange(1, 4) * np.inf, 2)"),
        ("(1:3 / 10) %/% 2", "r.quotient(np.arange(1, 4) / 10, 2)"),
    ],
)
def test_quotients_of_integers_are_pythons(text, python):
    assert translate_script(f"x <- {text}").chunks[-1].python == f"x = {python}"


@pytest.mark.live
@pytest.mark.slow
def test_what_is_recorded_is_what_r_has(tmp_path):
    if os.environ.get("PYDPSTAT_NO_R", "0") not in ("", "0") or shutil.which("Rscript") is None:
        pytest.skip("R's own values need Rscript")
    assert operators.theirs(tmp_path) == RECORDED


@pytest.mark.parametrize("power", ["1e5^1e5", "0^-1", "2^5000", "2^-5000"])
def test_powers_of_which_python_has_none_are_those_of_r(power):
    assert translate_script(f"x <- {power}").chunks[0].python.startswith("x = r.power(")


def test_no_statement_uses_an_operator_that_the_script_defines():
    found = translate_script("`+` <- function(a, b) a - b\nless <- 7 + 2\nmore <- 7 * 2\nf <- function(x) x + 1\nf(2)")
    assert [each.line for each in found.problems] == [1, 2, 4] and "more = 7 * 2" in found.text
    assert "+ is a function of the script" in found.problems[1].reason

"""Vectors, text and what is printed are R's, whose values are recorded."""

from __future__ import annotations

import datetime
import math
import shutil

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat.errors import PydpstatError
from pydpstat.porting import r
from r_reference import values

CASES = [
    pytest.param(python, given, space, id=r[:60])
    for path in values.CASES
    for space in [values.variables(path)]
    for (r, python), given in zip(values.cases(path), values.recorded(path), strict=True)
]


# what R gives and the port refuses, with an error that says why
REFUSED = {
    'r.print(r.summarize(d, ["g"], m=lambda d: r.mean(d["n"]), k=len))',
    'r.print(r.summarize(d, ["g", "h"], m=lambda d: r.sum(d["n"])))',
    'r.print(r.summarize(d, ["h", "g"], m=lambda d: r.sum(d["n"])))',
    'r.print(r.summarize(f, ["k"], m=lambda d: r.mean(d["v"])))',
    'r.print(r.mutate(d, ["g"], m=lambda d: d["n"] - r.mean(d["n"])))',
    'r.print(r.transmute(d, ["g"], m=lambda d: d["n"] - r.min(d["n"])))',
    'r.print(r.slice_min(d, "x", n=9))',
    "r.lag(r.c(True, False))",
    'r.print(r.lm("y ~ x + I(2 * x)", d))',
    'r.print(r.cor_test("~ x + y", d))',
    'r.print(r.merge(d, f, by_x="n", by_y="v", all=True))',
    'r.print(r.merge(d, f, by_x="n", by_y="v", all_y=True))',
    'r.print(r.aggregate("w ~ f", data=d, FUN=lambda x: r.c(r.mean(x), r.length(x))))',
    'r.print(r.sapply(r.colon(1, 2), lambda i: {"a": i, "b": "x"}))',
    "r.print(r.apply(r.matrix(r.colon(1, 6), 2), [1, 2], lambda x: r.c(x, x)))",
    "r.format(-100000, digits=3.0)",
    "r.print(r.sin(inf))",
    "r.paste(r.log(-1.0))",
    "r.cat(r.mean(r.numeric(0)))",
    'r.formatC(r.power(-8.0, 1 / 3), format="f")',
}


@pytest.mark.parametrize(("python", "given", "space"), CASES)
def test_values_are_r_s(python, given, space):
    mine = values.ours(python, dict(space))
    if python in REFUSED:
        assert mine == "error" != given
    else:
        assert values.agree(mine, given), (mine, given)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_recorded_values_are_those_of_this_r():
    for path in values.CASES:
        found = values.theirs(r for r, _ in values.cases(path))
        # a package may not be there
        if found[0] != "error":
            assert found == values.recorded(path)


FRAME = pd.DataFrame({"a": [1, 2]})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: r.union(FRAME, FRAME), "sets of rows"),
        (lambda: r.cbind(FRAME, [3, 4]), "vectors beside a frame need a name"),
        (lambda: r.print([r.mean]), "the text of a function"),
        (lambda: r.print(r.as_tibble(FRAME)), "a tibble"),
        (lambda: r.print(r.summarize(FRAME, ["a"], n=len)), "a tibble"),
        (lambda: r.print(r.t_test([1.0, 2.0])), "data_name"),
        (lambda: r.factor(["a", None], exclude=""), "no level"),
        (lambda: r.getOption("OutDec"), "only R has"),
        (lambda: r.na_omit(r.matrix([1.0, math.nan], 1)), "a frame or a vector"),
        (lambda: r.cbind(FRAME, FRAME), "different names; got 'a' twice"),
        (lambda: r.cbind(d=FRAME, e=FRAME), "different names; got 'a' twice"),
        (lambda: r.gsub("(a)", "\\U\\1", "a", perl=True), "case conversion"),
    ],
)
def test_what_r_has_otherwise_is_refused(call, said):
    with pytest.raises(PydpstatError, match=said):
        call()


@pytest.mark.parametrize("name", ["counts", "breaks", "mids"])
def test_a_released_histogram_has_the_parts_of_r_s(name):
    release = pydpstat.histogram([0.5, 1.5], 1.0, edges=[0, 1, 2], rng=1)
    expected = {"counts": release.value, "breaks": [0.0, 1.0, 2.0], "mids": [0.5, 1.5]}[name]
    assert np.array_equal(r.part(release, name), expected)


def test_dates_are_text(capsys):
    day = datetime.date(2024, 2, 9)
    assert (r.paste("on", day), r.format(day, "%d.%m.%Y"), r.as_character(day)) == (
        "on 2024-02-09", "09.02.2024", "2024-02-09")  # fmt: skip
    r.print(day)
    assert capsys.readouterr().out == '[1] "2024-02-09"\n'
    assert r.format(datetime.datetime(2024, 2, 9, 8, 7, 6, 5)) == "2024-02-09 08:07:06"


def test_a_column_of_missing_strings_alone_is_text(capsys):
    rows = pd.DataFrame({"s": ["a", None]})[1:]
    assert r.is_character(rows["s"])
    r.print(rows)
    assert capsys.readouterr().out == "     s\n2 <NA>\n"


def test_options_say_how_numbers_are_written(capsys):
    given = r.options(digits=3, scipen=10, width=20)
    try:
        r.cat(math.pi, 1e6, r.paste(1e6), r.format(math.pi), "\n")
        r.print(np.arange(1, 12) * 100000.5)
    finally:
        r.options(given)
    shown = "3.14 1000000 1000000 3.14 \n [1]  100000  200001\n [3]  300002  400002\n"
    assert capsys.readouterr().out.startswith(shown)
    r.cat(math.pi, 1e6)
    assert capsys.readouterr().out == "3.141593 1e+06"
    with pytest.raises(PydpstatError, match="options are"):
        r.options(OutDec=",")


def test_quantiles_of_the_t_distribution_have_all_digits():
    # R's; SciPy before 1.12 has nine digits of them
    given = [2.57058183563631371, 0.28867513459481314, -5.87111712041888278, 17.82031051446279690]
    assert r.qt([0.975, 0.6, 1e-6, 0.995], [5, 2, 30, 1.5]).tolist() == pytest.approx(given, rel=1e-14)
    assert r.qt(0.01, 4, lower_tail=False) == pytest.approx(3.7469473879791964, rel=1e-14)

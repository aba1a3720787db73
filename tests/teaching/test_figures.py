"""Figures of a text beside ours: what counts as the same."""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from pydpstat import PydpstatError
from pydpstat.teaching import beside
from tests.junk import JUNK


@pytest.mark.parametrize(
    ("text", "here", "shown", "same"),
    [
        ("0.5007902", 0.50079015373681646, "0.5007902", True),
        ("0.5007902", 0.50079026, "0.5007903", False),
        ("0.50", 0.499, "0.50", True),
        (0.75, 0.75, "0.75", True),
        (6, 6.0, "6", True),
        # a whole number is no rounded one
        ("6", 6.3, "6.3", False),
        ("1.17e8", 117000000, "1.17e8", True),
        ("1/3", Fraction(1, 3), "1/3", True),
        ("1/3", Fraction(2, 3), "2/3", False),
        ("-0.5", -0.5, "-0.5", True),
        ("-0.50", -0.26, "-0.26", False),
        ("0.010", 12.0001, "12.000", False),
        ([3, 4], np.array([3.0, 5.0]), "3 5", False),
        ([[1, 2], [3, 4]], pd.DataFrame({"a": [1, 3], "b": [2, 4]}), "1 2 3 4", True),
        ("0.25", float("nan"), "nan", False),
        ("yes", "yes", "yes", True),
        (1.0986122886681098, np.float64(math.log(3)), "1.0986122886681098", True),
    ],
)
def test_what_counts_as_the_same(text, here, shown, same):
    table = beside({"figure": (text, here)})
    assert list(table.columns) == ["text", "here", "same"]
    assert table.loc["figure", "here"] == shown and bool(table.loc["figure", "same"]) is same


def test_a_remark_has_a_column():
    table = beside({"a": (1, 1), "b": (2, 3, "a misprint")})
    assert table["remark"].tolist() == ["", "a misprint"] and table["same"].tolist() == [True, False]
    assert table["same"].dtype == bool and beside({}).empty


@pytest.mark.parametrize(
    ("figures", "message"),
    [
        ([(1, 2)], "figures must map names to pairs .given, here.; got list"),
        ({"a": 3}, r"figures\['a'\] must be a pair .given, here.; got int"),
        ({"a": (1, 2, 3, 4)}, "must be a pair"),
        ({"a": ([1, 2], [1])}, "must have the same number of values on both sides; got 2 and 1"),
    ],
)
def test_bad_input(figures, message):
    with pytest.raises(PydpstatError, match=message):
        beside(figures)


@pytest.mark.parametrize("name", JUNK)
def test_junk(name):
    for call in (
        beside,
        lambda x: beside({"a": x}),
        lambda x: beside({"a": (x, 1)}),
        lambda x: beside({"a": ("1.5", x)}),
    ):
        with suppress(PydpstatError):
            call(JUNK[name]())


def test_the_source_names_the_given_figures():
    table = beside({"mean": (0.5, 0.5), "n": (6, 7, "a misprint")}, source="R")
    assert list(table.columns) == ["R", "here", "same", "remark"]
    assert table.same.tolist() == [True, False]


@pytest.mark.parametrize("source", ["here", "remark", 1, None])
def test_a_source_that_is_no_name_of_a_column(source):
    with pytest.raises(PydpstatError, match="source must be a string other than"):
        beside({"mean": (0.5, 0.5)}, source=source)

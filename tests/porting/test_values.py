"""Vectors, text and what is printed are R's, whose values are recorded."""

from __future__ import annotations

import shutil

import pytest

from r_reference import values

CASES = [
    pytest.param(python, given, id=r[:60])
    for path in values.CASES
    for (r, python), given in zip(values.cases(path), values.recorded(path), strict=True)
]


@pytest.mark.parametrize(("python", "given"), CASES)
def test_values_are_r_s(python, given):
    mine = values.ours(python)
    assert values.agree(mine, given), (mine, given)


def test_most_values_are_there():
    refused = [
        python for python, given in (each.values for each in CASES) if values.ours(python) == "error" != given
    ]
    assert len(refused) <= 0.05 * len(CASES), refused


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_recorded_values_are_those_of_this_r():
    for path in values.CASES:
        assert values.theirs(r for r, _ in values.cases(path)) == values.recorded(path)

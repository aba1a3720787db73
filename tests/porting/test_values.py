"""Vectors, text and what is printed are R's, whose values are recorded."""

from __future__ import annotations

import shutil

import pytest

from r_reference import values

CASES = [
    pytest.param(python, given, space, id=r[:60])
    for path in values.CASES
    for space in [values.variables(path)]
    for (r, python), given in zip(values.cases(path), values.recorded(path), strict=True)
]


@pytest.mark.parametrize(("python", "given", "space"), CASES)
def test_values_are_r_s(python, given, space):
    mine = values.ours(python, dict(space))
    assert values.agree(mine, given), (mine, given)


def test_most_values_are_there():
    refused = [
        python
        for python, given, space in (each.values for each in CASES)
        if values.ours(python, dict(space)) == "error" != given
    ]
    assert len(refused) <= 0.05 * len(CASES), refused


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_recorded_values_are_those_of_this_r():
    for path in values.CASES:
        found = values.theirs(r for r, _ in values.cases(path))
        # a package may not be there
        if found[0] != "error":
            assert found == values.recorded(path)

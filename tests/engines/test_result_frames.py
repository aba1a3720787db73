"""Results as frames of Polars."""

import math

import numpy as np
import pytest

import pydpstat as dp
from tests.results.test_exports import FRAME, ONE, RESULTS, X

polars = pytest.importorskip("polars")


@pytest.mark.parametrize("name", RESULTS)
def test_polars_has_the_numbers_of_the_frame(name):
    result = RESULTS[name]()
    frame, found = result.to_frame(), result.to_polars()
    assert isinstance(found, polars.DataFrame) and found.height == len(frame)
    levels = found.width - frame.shape[1]
    assert levels == frame.index.nlevels or levels == 0 and frame.index.tolist() == list(range(len(frame)))
    assert found.columns[levels:] == list(map(str, frame.columns))
    for place, column in enumerate(found.columns[levels:]):
        theirs = [None if value != value else value for value in frame.iloc[:, place].tolist()]
        assert found[column].to_list() == theirs


def test_the_index_comes_first():
    table = RESULTS["table"]().to_polars()
    assert table.columns[:2] == ["g", "h"] and table["g"].to_list()[:2] == ["a", "b"]
    assert RESULTS["number"]().to_polars()["term"].to_list() == ["mean"]
    assert RESULTS["regression"]().to_polars()["term"].to_list() == ["Intercept", "x"]
    assert RESULTS["number"]().to_polars().schema["estimate"] == polars.Float64


def test_options_are_those_of_the_frame():
    r = dp.mean(X, 1.0, population=True, **ONE)
    assert r.to_polars(kind="noise").width == 5
    assert math.isclose(r.to_polars(alpha=0.1)["upper"][0], r.to_frame(0.1)["upper"].iloc[0])
    with pytest.raises(TypeError, match="has no argument"):
        r.to_polars(level=0.9)


def test_levels_of_other_types_and_names_of_columns():
    mixed = dp.mean(X, 1.0, by=np.tile([True, False], 200), levels=[True, False], other="other", **ONE).to_polars()
    assert mixed.columns[0] == "term" and mixed.columns[1] == "estimate" and mixed.height == 3
    named = FRAME.assign(estimate=FRAME.h)[["x", "estimate"]]
    found = dp.mean(named, 1.0, by="estimate", levels=["u", "v"], other=None, **ONE).to_polars()
    assert found.columns[:2] == ["estimate", "estimate_"]


def test_ledgers_and_plans():
    budget = dp.Budget(1.0)
    dp.mean(X, 0.5, bounds=(0, 1), budget=budget)
    ledger = budget.to_polars()
    assert ledger["epsilon"].to_list() == [0.5] and ledger.columns == list(budget.to_frame().columns)
    assert dp.plan("mean", 1.0, n=100, bounds=(0, 1)).to_polars()["term"].to_list() == ["mean"]

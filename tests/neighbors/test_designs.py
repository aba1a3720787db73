"""Neighboring data cannot be told apart by more than the noise through any method of a design."""

from importlib import import_module

import pandas as pd
import pytest

import pydpstat
from pydpstat.designs import _facts, _methods, _views
from pydpstat.designs._signatures import DESIGN_METHODS
from tests.neighbors.designs import EQUAL, KINDS, MIXED, Way, tallied, ways
from tests.neighbors.losses import CLOSE

WAYS = {way.name: way for way in ways()}
# each takes less than a tenth of a second for a pair
QUICK = ("mean", "crosstab", "mannwhitneyu", "nunique, by group", "count, subset", "sum, computed")


def uses_levels(way: Way) -> bool:
    """Tell whether a call rests on the levels of the columns that have equal ones."""
    frame = pd.DataFrame({"region": ["a", "b"] * 20, "sex": ["b", "a"] * 20, "employed": [True, False] * 20})
    numbers = {"person": range(40), "w": 1.0, "income": 1.0, "age": 2.0, "before": 0.5, "after": 0.25}
    frame = frame.assign(**numbers, note="x")
    facts = {"levels": {"region": ["a", "b"], "sex": ["a", "b"], "employed": [False, True]}}
    facts["bounds"] = {"income": (0, 10), "age": (0, 110), "w": (0, 3), "before": (0, 1), "after": (0, 1)}
    facts |= {"weights": "w", "neighbors": "bounded" if way.bounded else "unbounded"}

    def how(**more):
        return pydpstat.design(frame, **{**facts, **more})

    how.level = "a"
    found = way.ask(how)
    told = " ".join(each for each in found.guarantee.conditions if "levels of" in each)
    return "region" in told or "sex" in told


def test_every_method_is_asked():
    assert {way.method for way in WAYS.values()} == {*DESIGN_METHODS}


@pytest.mark.parametrize("name", QUICK)
def test_a_record_of_mixed_types_moves_no_other(name):
    found = tallied(WAYS[name], MIXED[:3], 1)
    assert found.wrong == [] and found.released and found.largest <= CLOSE
    refused = tallied(WAYS[name], EQUAL[:3], 1)
    assert refused.wrong == [] and refused.released == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", WAYS)
def test_neighbors_are_alike_to_a_design(name):
    found = tallied(WAYS[name], KINDS, 1)
    assert found.wrong == [] and found.released
    assert found.largest <= CLOSE


@pytest.mark.slow
@pytest.mark.parametrize("name", WAYS)
def test_levels_that_are_one_value_are_refused(name):
    found = tallied(WAYS[name], EQUAL, 1)
    assert found.wrong == [] and found.largest <= CLOSE
    assert found.released == 0 or not uses_levels(WAYS[name])


def _inferred(data):
    return pd.DataFrame({name: list(each) for name, each in data.items()})


def test_types_that_pandas_finds_are_found_out(monkeypatch):
    real = _views.read_design_data
    assert tallied(WAYS["mean"], MIXED[:3], 3).wrong == []
    monkeypatch.setattr(
        import_module("pydpstat.designs.design"),
        "read_design_data",
        lambda data: _inferred(data) if isinstance(data, dict) else real(data),
    )
    found = tallied(WAYS["mean"], MIXED[:3], 3)
    assert any("movement" in each for each in found.wrong) and found.largest > 2.0


def _by_equality(columns, names, levels, unit):
    group = pd.Series(columns[names[1]])
    inside = [(group == level).to_numpy(dtype=bool, na_value=False) for level in levels]
    return [pd.Series(columns[names[0]])[each].rename(str(level)) for each, level in zip(inside, levels)]


@pytest.mark.parametrize(
    "name",
    ["kruskal", *(pytest.param(name, marks=pytest.mark.slow) for name in ("proportions_test", "f_oneway"))],
)
def test_a_record_in_two_samples_is_found_out(monkeypatch, name):
    monkeypatch.setattr(_methods, "split_samples", _by_equality)
    monkeypatch.setattr(_facts, "check_level_values", lambda given, name: tuple(given))
    found = tallied(WAYS[name], EQUAL[:2], 3)
    assert found.released and found.largest > 1.1
    assert any("movement: beyond the sensitivity" in each or "above" in each for each in found.wrong)

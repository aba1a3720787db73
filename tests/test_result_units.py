"""A result says for which privacy unit it holds, wherever it shows its guarantee."""

import copy
import json
import pickle
import re
from dataclasses import replace

import pytest

import pydpstat as dp
from pydpstat.consistency import Hierarchy, release_hierarchy

RESULTS = {
    "number": lambda: dp.mean([1.0, 2.0], 0.5, bounds=(0, 3), rng=1),
    "quantile": lambda: dp.median([1.0, 2.0], 0.5, bounds=(0, 3), rng=1),
    "table": lambda: dp.crosstab(list("aab"), 0.5, levels=["a", "b"], rng=1),
    "model": lambda: dp.LogisticRegressionDP("l2", 1.0, 1.0, "output").fit([[0.2], [0.9]], [0, 1], [1], [0], rng=1),
    "hierarchy": lambda: release_hierarchy(dict.fromkeys("ab", 3), 0.5, hierarchy=Hierarchy(["a", "b"]), rng=1),
}
UNIT = "person_id"


def of_persons(result):
    stated = {name: replace(getattr(result, name), unit=UNIT) for name in ("guarantee", "claim")}
    return replace(result, **stated)


@pytest.fixture(params=RESULTS)
def made(request):
    return RESULTS[request.param]()


def test_a_result_of_records_has_nothing_to_say(made):
    assert made.unit is None and "Unit:" not in made.summary().as_text() and "unit" not in repr(made)
    found = made.to_dict()
    assert found["unit"] is found["guarantee"]["unit"] is found["claim"]["unit"] is None


def test_a_unit_is_in_every_form(made):
    result = of_persons(made)
    # a hierarchy's has no guarantee in it
    assert result.unit == UNIT and repr(result).count("neighbors") == repr(result).count(f", unit {UNIT}")
    text = result.summary().as_text()
    assert re.search(rf"Neighbors: +bounded\n.* Unit: +{UNIT}\n", text)
    assert UNIT in str(result)
    assert UNIT in result.summary().as_csv() and UNIT in result._repr_html_()
    latex = result.summary().as_latex()
    assert latex.count(r"person\_id") == 1 and UNIT not in latex
    found = json.loads(json.dumps(result.to_dict()))
    assert found["unit"] == found["guarantee"]["unit"] == found["claim"]["unit"] == UNIT
    # nothing else has another form
    assert list(found) == list(made.to_dict())


def test_a_unit_survives_copies(made):
    result = of_persons(made)
    for again in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
        assert again.guarantee == result.guarantee and again.unit == UNIT


def test_markup_in_a_name_is_shown_and_not_run():
    result = replace(RESULTS["number"](), guarantee=dp.Guarantee(0.5, unit="<b>id</b>"))
    assert "<b>id" not in result.summary().as_html() and "&lt;b&gt;id" in result.summary().as_html()


def test_a_long_name_is_cut_in_the_table_only():
    result = replace(RESULTS["number"](), guarantee=dp.Guarantee(0.5, unit="u" * 200))
    head = result.summary().as_text().partition("Conditions:")[0]
    assert "u" * 29 + "..." in head and "u" * 30 not in head and result.unit == "u" * 200
    assert max(map(len, head.splitlines())) <= 100


def test_a_plan_names_the_unit():
    planned = dp.plan("mean", 0.5, bounds=(0, 3), n=10)
    assert "Unit:" not in planned.summary().as_text()
    of_each = replace(planned, result=of_persons(planned.result))
    assert re.search(rf"Unit: +{UNIT}", of_each.summary().as_text())

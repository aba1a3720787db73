"""What cannot be by group or by unit is refused in words, before anything is spent."""

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import Budget, PydpstatError

# a text and a number that occur in the data alone
SECRET, NUMBER = "Smithereens", 7.654321
N = 6
FRAME = pd.DataFrame(
    {
        "x": [NUMBER, 1.0, 2.0, 3.0, 4.0, 5.0],
        "g": ["a", "b", SECRET, "a", "b", "a"],
        "p": [SECRET, "p", "q", "q", "p", "p"],
    }
)
X, G, P = FRAME.x, FRAME.g, FRAME.p
NAMED = pd.DataFrame({0: X, 1: G})
TWICE = pd.DataFrame({"x": X, "g": G})[["x", "x", "g"]]
AB = {"levels": ["a", "b"]}
BY = {"by": "g", **AB}
UNIT = {"unit": "p", "max_records": 2}

WRONG = {
    "unknown column": (FRAME, {"by": "G!", **AB}, "by must be a column of the data"),
    "unknown unit": (FRAME[["x", "p"]], {"unit": "q", "max_records": 1}, "unit must be a column of the data"),
    "a name beside an array": (X.to_numpy(), BY, "by must have a value for each record"),
    "a unit's name beside an array": (X.to_numpy(), UNIT, "unit must have a value for each record"),
    "a short key": (X, {"by": G[:3], **AB}, "by must have a value for each record of"),
    "a short unit": (X, {"unit": P[:3], "max_records": 1}, "unit must have a value for each record of"),
    "keys that differ": (X, {"by": (G, G[:3]), "levels": [["a"]] * 2}, "by must have at least one variable"),
    "no keys": (X, {"by": {}, **AB}, "by must have at least one variable"),
    "a matrix": (X, {"by": np.ones((N, 2)), **AB}, "by must be one variable"),
    "a column's number": (NAMED, {"by": 1, **AB}, "by must be a column name.*The columns are"),
    "a unit's number": (NAMED, {"unit": 1, "max_records": 1}, "unit must be a column name"),
    "a name twice": (FRAME[["x", "g"]], {"by": ["g", "g"], **AB}, "by must name every column once"),
    "columns of one name": (TWICE, BY, "data must have columns with different names"),
    "no levels": (X, {"by": G}, "levels must be given with by"),
    "discovered levels": (X, {"by": G, "levels": "discover"}, "levels must be public with by"),
    "a text for levels": (X, {"by": G, "levels": "ab"}, "levels must be lists of public levels"),
    "a level twice": (X, {"by": G, "levels": ["a", "a"]}, "levels must be a list of values without rep"),
    "a missing level": (X, {"by": G, "levels": ["a", None]}, "levels must be a list of values without"),
    "levels of another type": (X, {"by": np.arange(N), **AB}, "levels must be numbers or truth values"),
    "levels that look alike": (X, {"by": G.tolist(), "levels": ["1", 1]}, "levels must differ"),
    "levels of another key": (X, {"by": {"g": G}, "levels": {"h": ["a"]}}, "levels must"),
    "levels for one of two keys": (X, {"by": (G, G.tolist()), "levels": [["a"]]}, "levels must be a list of"),
    "too many groups": (X, {"by": ([1] * N,) * 2, "levels": [range(4000)] * 2}, "levels must make"),
    "levels without keys": (X, AB, "levels must not be given without by"),
    "other of a number": (X, {"by": G, **AB, "other": 3}, "other must be the name of a level"),
    "only a key": (FRAME[["g"]], BY, "data must have a column apart from"),
    "no max_records": (FRAME[["x", "p"]], {"unit": "p"}, "max_records must be a whole number"),
    "max_records alone": (X, {"max_records": 2}, "max_records must not be given without unit"),
    "max_groups alone": (X, {"max_groups": 2}, "max_groups must not be given without unit"),
    "max_groups without keys": (FRAME[["x", "p"]], {**UNIT, "max_groups": 1}, "max_groups must not"),
    "a frame of units": (X, {"unit": FRAME[["p"]], "max_records": 1}, "unit must be the name of"),
    "a unit that is a set": (X, {"unit": set(range(N)), "max_records": 1}, "unit must be the name of"),
    "nobody's record": (X, {"unit": [None, *P[1:]], "max_records": 1}, "unit must identify the unit"),
    **{
        f"{name} {value!r}": (FRAME, {**BY, **UNIT, name: value}, f"{name} must be a whole number")
        for name in ("max_records", "max_groups")
        for value in (0, 1.5, True)
    },
}


@pytest.mark.parametrize("case", WRONG)
def test_it_is_refused_in_words_that_tell_nothing_of_the_data(case):
    data, options, message = WRONG[case]
    budget = Budget(epsilon=10)
    with pytest.raises(PydpstatError, match=message) as found:
        pydpstat.mean(data, 1.0, bounds=(0, 10), **options, budget=budget)
    said = f"{found.value} {found.value.__cause__}"
    assert SECRET not in said and str(NUMBER) not in said and budget.spent.epsilon == 0.0


def test_other_statistics_name_their_own_argument():
    with pytest.raises(PydpstatError, match="^condition must have a column apart from"):
        pydpstat.count(FRAME[["g"]], 1.0, **BY)
    with pytest.raises(PydpstatError, match="^x must have a column apart from"):
        pydpstat.cov(FRAME[["p"]], epsilon=1.0, bounds=(0, 10), **UNIT)
    with pytest.raises(PydpstatError, match="^by must have a value for each record of"):
        pydpstat.cov(X, X, 1.0, bounds=(0, 10), by=G[:3], **AB)


RIGHT = {
    "a column's number as a text": (NAMED, {"by": "1", **AB}),
    "NumPy's whole numbers": (FRAME[["x", "p"]], {"unit": "p", "max_records": np.int64(2)}),
    "a key that is the unit": (FRAME[["x", "p"]], {"by": "p", "levels": ["p", "q"], **UNIT}),
    "a frame's own column": (FRAME[["x"]], {"by": G, **AB}),
    "more records than there are": (FRAME[["x", "p"]], {"unit": "p", "max_records": 10**6}),
    "a unit in no group": (FRAME, {"by": "g", "levels": ["none"], "other": None, **UNIT, "max_groups": 1}),
}


@pytest.mark.parametrize("case", RIGHT)
def test_it_works(case):
    data, options = RIGHT[case]
    budget = Budget(epsilon=10, unit="p") if "unit" in options else Budget(epsilon=10)
    r = pydpstat.mean(data, 1.0, bounds=(0, 10), **options, budget=budget)
    assert np.isfinite(r.value).all() and budget.spent.epsilon == 1.0


def test_texts_that_an_engine_or_an_iterator_has_declare_no_levels():
    frame = pd.DataFrame({"x": [1.0, 2.0], "g": ["a", "b"]})
    with pytest.raises(PydpstatError, match="^levels must be given with by"):
        pydpstat.mean((chunk for chunk in [frame]), 1.0, bounds=(0, 5), by="g")
    with pytest.raises(PydpstatError, match="^levels='declared' needs every variable to be"):
        pydpstat.crosstab((chunk for chunk in [frame[["g"]]]), 1.0, levels="declared")
    declared = frame.assign(g=pd.Categorical(["a", "b"], categories=["a", "b", "c"]))
    own = {"bounds": (0, 5), "by": "g", "levels": "declared"}
    released = pydpstat.mean((chunk for chunk in [declared]), 1.0, **own)
    assert released.estimate.index.tolist() == ["a", "b", "c"]

"""A rule for the missing values of one column of a design, beside columns with other rules or none."""

import itertools

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.errors import MissingValuesError, PydpstatError

SEX = ["f", "m", "f", "m"] * 50
H = ["good", "bad", None, "good"] * 50
INCOME = [1.0, 2.0, np.nan, 5.0] * 50
FACTS = {
    "bounds": {"income": (0, 9), "age": (0, 100)},
    "levels": {"sex": ["f", "m"], "h": ["good", "bad"], "g": [1, 2], "day": ["declared"]},
    "rng": 1,
}


def frame() -> pd.DataFrame:
    columns = {"sex": SEX, "h": H, "g": [1.0, np.nan, 2.0, 2.0] * 50, "income": INCOME, "age": [30.0, 40, 50, 60] * 50}
    return pd.DataFrame({**columns, "day": "declared"})


def people(data=None, **facts):
    return dp.design(frame() if data is None else data, **{**FACTS, **facts})


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_a_level_for_missing_values_belongs_to_its_variable(neighbors):
    s = people(missing={"h": "no answer"}, neighbors=neighbors)
    assert s.facts.levels["h"] == ("good", "bad", "no answer") and s.facts.levels["sex"] == ("f", "m")
    table = s.crosstab(["sex", "h"], 1e6, other=None).estimate
    assert table.index.tolist() == ["f", "m"] and table.columns.tolist() == ["good", "bad", "no answer"]
    assert table.to_numpy().tolist() == [[50, 0, 50], [50, 50, 0]]
    alone = s.crosstab("h", 1e6, other=None).estimate
    assert alone.to_dict() == {"good": 100, "bad": 50, "no answer": 50}


def test_a_level_for_missing_values_is_a_group():
    s = people(missing={"h": "no answer"}, other=None)
    assert s.mean("age", 1e6, by="h").estimate.round(3).to_dict() == {"good": 45.0, "bad": 40.0, "no answer": 50.0}
    assert s.count(1e6, by="h").estimate.to_dict() == {"good": 100, "bad": 50, "no answer": 50}
    assert s.count("h == 'no answer'", 1e6).value == 50
    assert s.subset("h == 'no answer'").count(1e6).value == 50
    assert s.f_oneway("age ~ h", 1e6).pvalue < 0.01
    assert "C(h)[T.no answer]" in s.ols("age ~ C(h)", 1e6).params
    tested = s.chi2_contingency(["sex", "h"], 1e6)
    assert tested.df == 2
    assert s.plan("crosstab", ["sex", "h"], 1.0).to_frame().shape[0] >= 1


def test_numbers_are_replaced_in_their_own_columns():
    s = people(missing={"income": 3.0})
    assert s.mean(["income", "age"], 1e6).estimate.round(3).tolist() == [2.75, 45.0]
    # a rule of one column is not that of another
    holes = frame().assign(age=[np.nan, 40.0, 50.0, 60.0] * 50)
    with pytest.raises(MissingValuesError, match="'age' has some"):
        people(holes, missing={"income": 3.0}).mean(["income", "age"], 1.0)
    different = people(holes, missing={"income": 3.0, "age": 45.0}, neighbors="bounded")
    assert different.mean(["income", "age"], 1e6).estimate.round(3).tolist() == [2.75, 48.75]
    assert people(holes, missing={"income": 3.0, "age": "drop"}).mean("income", 1e6, by="sex").estimate.iloc[0] < 3
    high = people(missing={"income": 3.0}).assign(high="income > 2.5", double="2 * income")
    assert high.count("income > 2.5", 1e6).value == high.count("high", 1e6).value == 100
    assert abs(high.mean("double", 1e6).value - 5.5) < 1e-3
    # what the call says comes first
    assert abs(s.mean("income", 1e6, missing="drop").value - 8 / 3) < 1e-3


def test_a_column_of_numbers_has_a_text_as_level():
    s = people(missing={"g": "none"}, other=None)
    assert s.crosstab("g", 1e6).estimate.tolist() == [50, 100, 50]
    assert s.crosstab(["g", "sex"], 1e6).estimate.shape == (3, 2)


KINDS = {
    "objects": lambda h: pd.Series(h, dtype=object),
    "texts": lambda h: pd.Series(h, dtype="string"),
    "categories": lambda h: pd.Series(h).astype("category"),
    "a list": list,
}


@pytest.mark.parametrize("kind, level", list(itertools.product(KINDS, ["no answer", "bad"])))
def test_types_of_columns(kind, level):
    data = {"sex": SEX if kind == "a list" else pd.Series(SEX), "h": KINDS[kind](H)}
    s = dp.design(data, levels={"sex": ["f", "m"], "h": ["good", "bad"]}, missing={"h": level}, other=None, rng=1)
    table = s.crosstab(["sex", "h"], 1e6).estimate
    expected = [[50, 0, 50], [50, 50, 0]] if level == "no answer" else [[50, 50], [50, 50]]
    assert table.to_numpy().tolist() == expected


def test_declared_categories_get_the_level():
    data = frame().astype({"h": "category"})
    s = dp.design(data, levels={"h": "declared", "sex": ["f", "m"]}, missing={"h": "no answer"}, rng=1)
    assert s.crosstab(["h"], 1e6).estimate.to_dict() == {"bad": 50, "good": 100, "no answer": 50}
    assert s.crosstab(["h", "sex"], 1e6).estimate.index.tolist() == ["bad", "good", "no answer"]


@pytest.mark.parametrize("make", ["polars", "lazy", "arrow"])
def test_engines(make):
    if make == "arrow":
        data = pytest.importorskip("pyarrow").Table.from_pandas(frame())
    else:
        data = pytest.importorskip("polars").DataFrame(frame().to_dict("list"), strict=False)
        data = data.lazy() if make == "lazy" else data
    s = people(data, missing={"h": "no answer", "income": 3.0}, other=None)
    assert s.crosstab(["sex", "h"], 1e6).estimate.to_numpy().tolist() == [[50, 0, 50], [50, 50, 0]]
    assert s.subset("h == 'no answer'").mean(["income", "age"], 1e6).estimate.round(2).tolist() == [3.0, 50.0]
    with pytest.raises(MissingValuesError, match="because 'h' has some"):
        people(data).crosstab(["sex", "h"], 1.0)


def test_chunks():
    chunks = [frame().iloc[:77], frame().iloc[77:]]
    s = people(iter(chunks), missing={"h": "no answer"}, other=None)
    assert s.crosstab(["sex", "h"], 1e6).estimate.to_numpy().tolist() == [[50, 0, 50], [50, 50, 0]]
    # chunks of an iterator cannot be read twice
    with pytest.raises(MissingValuesError, match="because the data have some"):
        people(iter(chunks)).crosstab(["sex", "h"], 1.0)


@pytest.mark.parametrize("rule", ["drpo", "eror", "omit"])
def test_a_misspelled_rule_is_no_level(rule):
    with pytest.raises(PydpstatError, match=f"got {rule!r}"):
        people(missing={"h": rule})


def test_a_saved_design_has_the_level():
    s = people(missing={"h": "no answer"})
    again = dp.Design.from_dict(frame(), s.to_dict())
    assert again.facts == s.facts


CALLS = {
    "h": [
        lambda s: s.crosstab(["sex", "h"], 1.0),
        lambda s: s.mean("age", 1.0, by=["sex", "h"]),
        lambda s: s.ols("age ~ C(h)", 1.0),
    ],
    "income": [
        lambda s: s.mean("income", 1.0),
        lambda s: s.median("income", 1.0, by="sex"),
        lambda s: s.corr(["age", "income"], 1.0),
        lambda s: s.ttest_ind("income ~ sex", 1.0),
        lambda s: s.ols("age ~ income", 1.0),
        lambda s: s.count("income > 2", 1.0),
        lambda s: s.assign(more="income + 1").mean("more", 1.0),
    ],
}


@pytest.mark.parametrize("name, call", [(name, call) for name, calls in CALLS.items() for call in calls])
def test_an_error_names_the_columns_that_have_missing_values(name, call):
    with pytest.raises(MissingValuesError, match=f"because {name!r} has some, which this error reveals. Declare"):
        call(people())
    filled = people(frame().fillna({"h": "good", "income": 1.0, "g": 1.0}))
    call(filled)
    call(filled)


def test_an_error_names_several_columns_and_what_to_write():
    with pytest.raises(MissingValuesError) as caught:
        people().mean("income", 1.0, by="h")
    assert "'income' and 'h' have some" in str(caught.value)
    assert "dp.design(..., missing={'income': 'drop', 'h': 'no answer'})" in str(caught.value)
    with pytest.raises(MissingValuesError, match=r"missing=\{'income': 0.0, 'h': 'no answer'\}"):
        people(neighbors="bounded").mean("income", 1.0, by="h")


def test_an_error_is_silent_of_records_outside_of_a_subset_and_of_other_columns():
    s = people().subset("sex == 'm'")
    assert s.mean("income", 1e6).value > 0
    with pytest.raises(MissingValuesError) as caught:
        people().mean("income", 1.0, by="sex")
    assert "'h'" not in str(caught.value) and "'sex'" not in str(caught.value)

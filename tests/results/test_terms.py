"""Readable names of coefficients and of new records; the names by which users address them stay."""

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.results._terms import label_records, label_terms

LABELS = {
    "Intercept": "Intercept",
    "age": "age",
    "sex[T.f]": "sex: f",
    "C(sex)[T.f]": "sex: f",
    "C(sex, Treatment('m'))[T.f]": "sex: f",
    "sex[f]": "sex: f",
    "C(education)[T.primary]:C(sex)[T.f]": "education: primary x sex: f",
    "age:C(sex)[T.m]": "age x sex: m",
    "age:income": "age x income",
    "np.log(age)": "np.log(age)",
    "I(age ** 2):sex[T.f]": "I(age ** 2) x sex: f",
    "place[T.a:b]": "place: a:b",
    "place[T.no] here]": "place: no] here",
    "place[T.x(]:sex[T.f]": "place: x(]:sex[T.f",
}


@pytest.mark.parametrize("name", LABELS)
def test_terms_are_readable(name):
    assert label_terms(["Intercept", name])[1] == LABELS[name]


def test_names_that_would_not_differ_stay():
    names = ["Intercept", "sex[T.f]", "C(sex)[T.f]"]
    assert label_terms(names) == tuple(names)
    # without a formula a colon belongs to the name of a column
    assert label_terms(["const", "a:b", "g[T.b]"]) == ("const", "a:b", "g: b")


@pytest.fixture(scope="module")
def fit():
    draw = np.random.default_rng(1)
    n = 4000
    frame = pd.DataFrame({"age": draw.uniform(18, 90, n), "sex": draw.choice(["f", "m"], n)})
    frame["education"] = draw.choice(["none", "primary school of the canton of Unterwalden"], n)
    frame["income"] = 1000 + 10 * frame["age"] + draw.normal(0, 100, n)
    levels = {name: sorted(frame[name].unique()) for name in ("sex", "education")}
    bounds = {"income": (0, 3000), "age": (18, 90)}
    return dp.ols("income ~ age + C(education) * C(sex)", frame, 10.0, bounds=bounds, levels=levels, rng=1)


def test_tables_have_whole_labels_and_frames_the_names(fit):
    name = "C(education)[T.primary school of the canton of Unterwalden]:C(sex)[T.m]"
    label = "education: primary school of the canton of Unterwalden x sex: m"
    assert name in fit.params.index and name in fit.to_frame().index and name in fit.tidy()["term"].tolist()
    for text in (str(fit), fit.summary().as_text(), fit.to_markdown(), fit.to_latex(), fit.to_html()):
        assert label in text
    assert "statsmodels' names in params" in " ".join(fit.summary().as_text().split())
    assert label in fit._describe_picture(0.05).names
    assert fit.test(name, 0.0) == fit.pvalues[name]


def test_predictions_are_labeled_by_their_values(fit):
    new = {"age": [30, 50.5], "sex": ["f", "m"], "education": ["none", "none"]}
    found = fit.get_prediction(new)
    labels = ["age: 30, sex: f", "age: 50.5, sex: m"]
    assert found._describe_picture(0.05).names == labels and all(label in str(found) for label in labels)
    alone = fit.get_prediction(pd.DataFrame(new)[:1])._describe_picture(0.05)
    assert alone.names == ["age: 30, education: none, sex: f"]
    assert found.params.index.tolist() == found.to_frame().index.tolist() == [0, 1]


def test_records_have_labels_from_arrays_and_none_from_too_many_columns():
    assert label_records([[1, 2.5], [3, 2.5]], ["a", "b"]) == ("a: 1", "a: 3")
    assert label_records(np.ones((1, 2)), ["a", "b"]) == ("a: 1, b: 1",)
    assert label_records(np.arange(20.0).reshape(2, 10), list("abcdefghij")) == ()
    assert label_records(None, ["a"]) == () and label_records({"a": [1]}, ["a", "b"]) == ()


def test_a_difference_names_its_two_samples():
    x = np.linspace(0, 1, 400)
    test = dp.ttest_ind(x, x / 2, 1.0, bounds=(0, 1), rng=1)
    assert test._describe_picture(0.05).panels[0].label == "difference of a and b"

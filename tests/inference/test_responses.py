"""Responses of logistic regressions: what counts as 1 is public before the data are looked at."""

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import Budget, PydpstatError
from pydpstat.inference.regression._predictors import BooleanResponse

DRAW = np.random.default_rng(6)
N = 1000
X = DRAW.uniform(0, 10, N)
TRUE = DRAW.random(N) < 0.1 * X
AGE = np.round(18.0 + 60.0 * DRAW.random(N))


def fitted(y, formula="y ~ x", **own):
    data = {"y": y, "x": X}
    return pydpstat.logit(formula, data, 2.0, **{"bounds": {"x": (0, 10)}, "rng": 1, **own})


WANTED = fitted(TRUE)


@pytest.mark.parametrize(
    "y",
    [
        TRUE.tolist(),
        pd.Series(TRUE),
        pd.Series(TRUE, dtype="boolean"),
        TRUE.astype(object),
        np.ma.MaskedArray(TRUE, False),
        pd.Series(TRUE, dtype=pd.SparseDtype(bool)),
    ],
    ids=lambda y: f"{type(y).__name__} of {getattr(y, 'dtype', 'values')}",
)
def test_truth_values_of_every_kind_are_read_alike(y):
    assert fitted(y).released == WANTED.released
    assert pydpstat.logit(y, X, 2.0, bounds=(0, 10), rng=1).released[0] == WANTED.released[0]


def test_levels_say_which_value_counts_as_1():
    for values, levels in (
        (TRUE.astype(int), [0, 1]),
        (TRUE + 1.0, [1, 2]),
        (np.where(TRUE, "yes", "no"), ["no", "yes"]),
        (pd.Series(np.where(TRUE, "a", "b")), ["b", "a"]),
        (pd.Categorical(np.where(TRUE, "a", "b")), ["b", "a"]),
    ):
        r = fitted(values, levels={"y": levels})
        assert r.released == WANTED.released and r.params.equals(WANTED.params)
        assert r.call.endswith(f"levels={{'y': {levels!r}}})")
        assert r.remarks[-1] == f"y = {levels[1]} counts as 1, and any other value as {levels[0]}."
        named = pd.Series(values, name="ill")
        assert pydpstat.logit(named, X, 2.0, bounds=(0, 10), levels={"ill": levels}, rng=1).response == "ill"
    other = fitted(TRUE.astype(int), levels={"y": [1, 0]})
    assert dict(other.released)["y"] != dict(WANTED.released)["y"]
    # what is none of them is no 1
    strange = np.where(TRUE, 1.0, np.where(X > 5.0, 0.0, 17.0))
    assert fitted(strange, levels={"y": [0, 1]}).released == WANTED.released


def test_declared_categories_are_levels_of_a_response():
    y = pd.Categorical(np.where(TRUE, "yes", "no"), ["no", "yes"])
    r = fitted(y, levels="declared")
    assert r.released == WANTED.released and r.call.endswith("levels='declared')")
    assert any("categories are public" in each for each in r.guarantee.conditions)
    # no value is outside the categories
    assert not any("counts as 1" in each for each in r.remarks)
    both = pd.DataFrame({"y": y, "g": pd.Categorical(np.where(X > 5.0, "u", "v"))})
    r = pydpstat.logit("y ~ C(g)", both, 2.0, levels="declared", rng=1)
    assert list(r.params.index) == ["Intercept", "C(g)[T.v]"]
    own = pydpstat.logit("y ~ C(g)", both, 2.0, levels={"y": ["no", "yes"], "g": ["u", "v"]}, rng=1)
    assert own.released == r.released and own.call.endswith("levels={'y': ['no', 'yes'], 'g': ['u', 'v']})")


@pytest.mark.parametrize(
    "y, kind",
    [
        (AGE, "ndarray of type float64"),
        (TRUE + 1, "ndarray of type int64"),
        (pd.Series(AGE), "Series of type float64"),
        (pd.Series(TRUE.astype(int), dtype="Int64"), "Series of type Int64"),
        (AGE.tolist(), "list"),
        (np.where(TRUE, "yes", "no"), "ndarray of type <U3"),
        (np.where(TRUE, 1, 0).astype(object), "ndarray of type object"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_other_values_are_refused_before_anything_is_spent(y, kind):
    budget = Budget(5.0)
    for call in (lambda: fitted(y, budget=budget), lambda: pydpstat.logit(y, X, 2.0, bounds=(0, 10))):
        with pytest.raises(PydpstatError) as caught:
            call()
        said = str(caught.value)
        assert ", the response, must be truth values, or have its two levels given" in said
        assert f"got {kind}. Give levels={{'y': [no, yes]}}" in said and "second one counts as 1" in said
    assert not budget.entries


def test_types_are_refused_before_any_value_is_read():
    class Unread(list):
        def __getitem__(self, place):
            raise AssertionError("a record was looked at")

    frame = pd.DataFrame({"y": AGE, "x": X})

    def chunks():
        yield frame[:10]
        raise AssertionError("a record was looked at")

    with pytest.raises(PydpstatError, match=r"data\['y'\], the response, must be truth values"):
        pydpstat.logit("y ~ x", {"y": AGE, "x": Unread(X.tolist())}, 2.0, bounds=(0, 10))
    with pytest.raises(PydpstatError, match=r"data\['y'\], the response, must be truth values"):
        pydpstat.logit("y ~ x", chunks(), 2.0, bounds=(0, 10))
    frame["y"] = TRUE
    parts = (frame[start : start + 300] for start in range(0, N, 300))
    assert pydpstat.logit("y ~ x", parts, 2.0, bounds=(0, 10), rng=1).released == WANTED.released


@pytest.mark.parametrize(
    "y, own, said",
    [
        (TRUE.astype(int), {"levels": {"y": [0, 1, 2]}}, r"levels\['y'\] must be two, of which the second"),
        (TRUE.astype(int), {"levels": {"y": ["no", "yes"]}}, "numbers or truth values"),
        (pd.Categorical(TRUE), {}, "levels must include the public levels of 'y'"),
        (pd.Categorical(["a", "b", "c", "c"] * 250), {"levels": "declared"}, "must be two"),
        (TRUE, {"levels": {"z": [0, 1]}}, "levels must be of"),
        (TRUE, {"bounds": {"x": (0, 10), "y": (0, 1)}}, "bounds must name every column"),
        (
            pd.Series(TRUE, name="x"),
            {"formula": None},
            "response whose name differs from those of the predictors",
        ),
    ],
)
def test_what_is_refused_says_what_to_do(y, own, said):
    with pytest.raises(PydpstatError, match=said):
        if "formula" in own:
            pydpstat.logit(y, {"x": X}, 2.0, bounds=(0, 10))
        fitted(y, **own)


def test_missing_truth_values_have_no_code_of_a_level():
    outcome = BooleanResponse("y", "y", None, (False, True))
    for y in ([True, None, False], pd.Series([True, None, False], dtype="boolean")):
        assert outcome.read_column(y).tolist() == [1, -1, 0]


def test_missing_responses_count_as_0_where_missing_values_are_allowed():
    gaps = pd.Series(TRUE, dtype="boolean").where(X > 1.0)
    with pytest.raises(PydpstatError, match="missing must say how to treat missing"):
        fitted(gaps)
    # a number within the bounds of x, which takes no response's place
    assert fitted(gaps, missing=5.0).released == fitted(gaps.fillna(False)).released
    words = pd.Series(np.where(TRUE, "yes", "no")).where(X > 1.0)
    filled = fitted(words, missing=5.0, levels={"y": ["no", "yes"]})
    assert filled.released == fitted(gaps.fillna(False)).released

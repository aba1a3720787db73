"""R's vectors, factors and data frames as data, by way of rpy2."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat._data.columns import read_booleans, read_numbers
from pydpstat._data.labels import encode_labels, get_value_kind
from pydpstat._data.native import to_pandas_or_numpy
from pydpstat.dppack import LogisticRegressionDP, meanDP
from tests.mirror_containers import MATRICES, OWN, VECTORS, check, outcome

robjects = pytest.importorskip("rpy2.robjects")
r = robjects.r


@pytest.mark.parametrize(
    "text, found",
    [
        ("c(1.5, NA, NaN)", [1.5, np.nan, np.nan]),
        ("c(1L, NA, 3L)", [1, np.nan, 3]),
        ("1:3", [1, 2, 3]),
        ("c(a = 1, b = 2)", [1, 2]),
        ("integer(0)", []),
        ("c(TRUE, NA, FALSE)", [1, np.nan, 0]),
    ],
)
def test_numbers(text, found):
    columns = read_numbers(r(text))
    assert columns.names is None and columns.size == len(found)
    np.testing.assert_array_equal(columns.arrays[0], found)


def test_truth_values():
    columns = read_booleans(r("c(TRUE, NA, FALSE)"))
    assert columns.arrays[0].tolist() == [True, False, False]
    assert columns.missing[0].tolist() == [False, True, False]
    assert read_booleans(r("c(TRUE, FALSE)")).missing == (None,)


def test_a_matrix_has_columns():
    columns = read_numbers(r("matrix(c(1, 2, 3, NA, 5, 6), 2)"))
    np.testing.assert_array_equal(np.stack(columns.arrays), [[1, 2], [3, np.nan], [5, 6]])


def test_texts_and_factors():
    texts = to_pandas_or_numpy(r("c('b', NA, 'é')"))
    assert get_value_kind(texts) == "texts" and encode_labels(texts, ["é", "b"]).tolist() == [1, -1, 0]
    factor = to_pandas_or_numpy(r("factor(c('a', NA, 'b'), levels = c('b', 'a', 'c'))"))
    assert factor.categories.tolist() == ["b", "a", "c"] and factor.codes.tolist() == [1, -1, 0]
    level = to_pandas_or_numpy(r("addNA(factor(c('a', NA)))"))
    assert level.categories.tolist() == ["a"] and level.codes.tolist() == [0, -1]


def test_a_factors_levels_are_declared_and_texts_have_none():
    factor = r("factor(c('a', 'b', 'a'), levels = c('b', 'a', 'c'))")
    table = dp.crosstab(factor, 1e6, levels="declared", rng=1)
    assert table.params.round().to_dict() == {"b": 1, "a": 2, "c": 0}
    with pytest.raises(dp.PydpstatError, match="needs every variable to be a Categorical"):
        dp.crosstab(r("c('a', 'b')"), 1.0, levels="declared")


@pytest.mark.parametrize("converter", [None, "pandas2ri", "numpy2ri"])
def test_a_data_frame_is_read_as_pandas_has_it_whatever_conversion_is_set(converter):
    frame = r("data.frame(x = c(1.5, NA, 4, 2), i = c(1L, 2L, NA, 4L), s = c('u', 'v', 'u', NA), l = TRUE)")
    same = pd.DataFrame({"x": [1.5, None, 4, 2], "i": [1, 2, None, 4], "s": ["u", "v", "u", None], "l": [True] * 4})
    found = []
    for data in (frame, same):
        how = {"bounds": (0, 5), "missing": 1.0, "rng": 1, "levels": ["u", "v"]}
        if converter is None:
            found.append(dp.mean(data, 1.0, by="s", unit="l", max_records=2, **how).to_dict())
            continue
        rules = robjects.default_converter + pytest.importorskip(f"rpy2.robjects.{converter}").converter
        with rules.context():
            found.append(dp.mean(data, 1.0, by="s", unit="l", max_records=2, **how).to_dict())
    assert found[0] == found[1]


def test_a_formula_with_a_factor():
    frame = r("data.frame(y = c(1, 2, 3, 4, 2, 1), x = 1:6, g = factor(c('a', 'b', 'a', 'b', 'a', 'b')))")
    same = pd.DataFrame({"y": [1.0, 2, 3, 4, 2, 1], "x": range(1, 7), "g": pd.Categorical(["a", "b"] * 3)})
    how = {"bounds": (0, 6), "levels": "declared", "rng": 1}
    assert dp.ols("y ~ x + g", frame, 1.0, **how).to_dict() == dp.ols("y ~ x + g", same, 1.0, **how).to_dict()


@pytest.mark.parametrize(
    "text, name",
    [
        ("as.Date('2020-01-01')", "Date"),
        ("as.difftime(1, units = 'mins')", "difftime"),
        ("structure(c(1, 2), class = 'integer64')", "integer64"),
        ("list(1, 2)", "list"),
        ("complex(real = 1)", "complex"),
        ("matrix('a')", "matrix"),
        ("NULL", "NULL"),
        ("mean", "function"),
    ],
)
def test_other_classes_are_refused_by_name(text, name):
    with pytest.raises(dp.PydpstatError, match=f"^x from R must be a vector .*; got R's class '{name}'. Convert"):
        dp.median(r(text), 1.0, bounds=(0, 1))


def test_a_column_of_another_class_is_named():
    frame = r("data.frame(day = as.Date('2020-01-01') + 0:2)")
    with pytest.raises(dp.PydpstatError, match="got the column 'day' of type R's Date. Convert it first"):
        dp.mean(frame, 1.0, bounds=(0, 1))


@pytest.mark.parametrize("text", ["c(2L, NA, 1L)", "c(TRUE, NA, TRUE)"])
def test_na_is_missing_in_a_list_of_a_vectors_values(text):
    data = list(r(text))
    with pytest.raises(dp.PydpstatError, match="missing"):
        dp.sum(data, 1.0, bounds=(0, 5))
    released = dp.sum(data, 1e6, bounds=(0, 5), missing=3.0, rng=1)
    assert round(float(released)) == sum(data[::2]) + 3
    counted = dp.crosstab(list(r("c('a', NA)")), 1e6, levels=["a"], missing="none", rng=1)
    assert counted.params.round().to_dict() == {"a": 1, "other": 0, "none": 1}


def test_mirrors_read_r_too():
    kinds = r("factor(c('a', 'b', 'a'), levels = c('b', 'a'))")
    table = dp.tableDP(Type=kinds, eps=1e6, rng=1)
    assert table.params.round().to_dict() == {"b": 1, "a": 2}
    frame = r("data.frame(x = c(0, 1, 0.5, 0.2))")
    models = [LogisticRegressionDP("l2", 1.0, 1.0) for _ in range(2)]
    for model, X in zip(models, (frame, pd.DataFrame({"x": [0, 1, 0.5, 0.2]}))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, r("c(0, 1, 1, 0)"), [1], [0], rng=1)
    assert models[0].coeff.tolist() == models[1].coeff.tolist()
    values = [43, 15, 50, 51]
    assert float(meanDP(robjects.IntVector(values), 1, 0, 100, rng=1)) == float(meanDP(values, 1, 0, 100, rng=1))
    with pytest.raises(dp.PydpstatError, match="numeric vector"):
        meanDP(r("factor(c('a', 'b'))"), 1, 0, 100)


def r_vector(values):
    """Return an array as a vector of R's."""
    kinds = {"f": "Float", "i": "Int", "b": "Bool", "U": "Str"}
    return getattr(robjects, f"{kinds[values.dtype.kind]}Vector")(values.tolist())


def r_matrix(values):
    return r.matrix(r_vector(values.ravel(order="F")), ncol=values.shape[1])


def r_frame(values):
    columns = {f"c{place}": r_vector(values[:, place]) for place in range(values.shape[1])}
    return robjects.DataFrame(columns)


@pytest.mark.parametrize("name, key", VECTORS)
def test_every_mirror_takes_vectors_of_r(name, key):
    check(name, key, r_vector, taken=True)


@pytest.mark.parametrize("name, key", VECTORS)
def test_every_mirror_refuses_a_factor_among_numbers(name, key):
    if name in OWN or key in ("candidates", "responseSet") or name.startswith(("table", "mapXy_gr_linear")):
        pytest.skip("a factor has a meaning there, or is not looked at")
    assert isinstance(outcome(name, {key: r("factor")(robjects.StrVector(list("abca")))}), str)


@pytest.mark.parametrize("make", [r_matrix, r_frame])
@pytest.mark.parametrize("name, key", MATRICES)
def test_every_mirror_takes_matrices_and_data_frames_of_r(name, key, make):
    check(name, key, make, taken=True)


def test_public_lists_may_be_rs():
    edges, qs, levels = r("c(0, 1, 2)"), r("c(0.25, 0.5)"), r("c('a', 'b')")
    data = [0.5, 1.5, 1.0]
    for call, given, same in (
        (lambda each: dp.histogram(data, 1, edges=each, rng=1), edges, [0, 1, 2]),
        (lambda each: dp.quantiles(data, each, 1, bounds=(0, 2), rng=1), qs, [0.25, 0.5]),
        (lambda each: dp.crosstab(["a", "b"], 1, levels=each, rng=1), levels, ["a", "b"]),
        (lambda each: dp.mean(data, 1, bounds=each, rng=1), r("c(0, 2)"), (0, 2)),
    ):
        assert call(given).params.to_dict() == call(same).params.to_dict()

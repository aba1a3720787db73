"""What every mirror keeps: the containers it takes, and what it leaves unchanged."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PydpstatError, dppack
from tests.dppack.mirror_calls import GOOD, X, call, values


def variants(data):
    """The same numbers in other containers."""
    array = np.array(data, dtype=float)
    wide = np.zeros((array.size, 3))
    wide[:, 1] = array
    read_only = array.copy()
    read_only.flags.writeable = False
    masked = pd.Series(array).convert_dtypes()
    return {
        "list": list(data),
        "tuple": tuple(data),
        "array": array,
        "Series": pd.Series(array, index=np.arange(array.size)[::-1]),
        "float32": array.astype(np.float32),
        "a column": wide[:, 1],
        "backwards twice": array[::-1].copy()[::-1],
        "read-only": read_only,
        "objects": np.array(list(data), dtype=object),
        "nullable": masked,
        "big endian": array.astype(">f8"),
        "longdouble": array.astype(np.longdouble),
        "Index": pd.Index(array),
        "array of pandas": pd.array(array),
    }


@pytest.mark.parametrize("kind", variants([1.0]))
@pytest.mark.parametrize("name", [name for name in GOOD if not name.startswith(("table", "pooled"))])
def test_containers(name, kind):
    # halves are exact in every type
    data = [1.0, 2.5, 3.0, 4.0, 7.5, -3.5, 0.5, 2.0]
    changed = {"x1": data, "x2": data} if name == "covDP" else {next(iter(GOOD[name])): data}
    good = {**GOOD[name], **changed}
    if "sensitivities" in good:
        good |= {"sensitivities": 1, "alloc_proportions": None}
    expected = values(call(name, good, 9))
    other = {each: variants(data)[kind] if value is data else value for each, value in good.items()}
    before = [np.array(value, dtype=object).tolist() for value in other.values()]
    if name.endswith("Mechanism") and kind in ("objects",):
        with pytest.raises(PydpstatError, match="(true_values|utility) must be numeric"):
            call(name, other, 9)
        return
    assert np.array_equal(values(call(name, other, 9)), expected)
    assert [np.array(value, dtype=object).tolist() for value in other.values()] == before


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "u8", "i8"])
def test_small_integers_do_not_overflow(dtype):
    data = np.array([100, 120, 127, 90], dtype=dtype)
    for name in ("meanDP", "varDP", "sdDP", "covDP"):
        columns, ends = (("x1", "x2"), ("1", "2")) if name == "covDP" else (("x",), ("",))
        bounds = {f"lower_bound{end}": 0 for end in ends} | {f"upper_bound{end}": 1000 for end in ends}
        wide, narrow = (
            call(name, {**dict.fromkeys(columns, each), "eps": 1.0, **bounds}, 3) for each in (data.astype(float), data)
        )
        assert float(wide) == float(narrow)


def test_booleans_are_zero_and_one():
    for truths, upper in (([True, False, True], 1), (np.array([True, False]), True)):
        numbers = [int(each) for each in truths]
        released = float(dppack.meanDP(truths, 1, False, upper, rng=1))
        assert released == float(dppack.meanDP(numbers, 1, 0, 1, rng=1))


def test_a_matrix_is_a_vector_for_a_mean_only():
    matrix = np.array(X).reshape(2, 4)
    assert float(dppack.meanDP(matrix, 1, 0, 5, rng=1)) == float(dppack.meanDP(matrix.ravel(order="F"), 1, 0, 5, rng=1))
    assert (
        values(call("histogramDP", {**GOOD["histogramDP"], "x": matrix}, 1)).tolist()
        == values(call("histogramDP", GOOD["histogramDP"], 1)).tolist()
    )
    for name in ("varDP", "sdDP"):
        with pytest.raises(PydpstatError, match="x must be a numeric vector; got 2 dimensions"):
            call(name, {**GOOD[name], "x": matrix}, 1)


def test_one_number_in_a_container_is_a_scalar():
    for wrapped in ([0.5], (0.5,), np.array([0.5]), np.array(0.5), np.float64(0.5)):
        assert float(dppack.meanDP(X, wrapped, 0, [5], rng=1)) == float(dppack.meanDP(X, 0.5, 0, 5, rng=1))


@pytest.mark.parametrize("name", GOOD)
def test_arguments_are_not_modified(name):
    arguments = {each: np.array(value) if isinstance(value, list) else value for each, value in GOOD[name].items()}
    copies = {each: value.copy() for each, value in arguments.items() if isinstance(value, np.ndarray)}
    for rng in (None, 1, np.random.default_rng(1)):
        call(name, arguments, rng)
    assert all(
        np.array_equal(arguments[each], value) and arguments[each].flags.writeable for each, value in copies.items()
    )


def test_the_tables_columns():
    letters, groups = ["b", "a", "b"], ["u", "v", "u"]
    frame = pd.DataFrame({"kind": letters, "group": groups})
    expected = call("tableDP", {"kind": letters, "group": groups, "eps": 3.0}, 1)
    for result in (
        call_table(frame),
        call_table(frame["kind"], frame["group"]),
        call_table(frame["kind"], group=groups),
        call_table(letters, np.array(groups), dnn=["kind", "group"]),
        call_table(dict(kind=letters, group=groups)),
    ):
        assert result.estimate.equals(expected.estimate)
        assert result.labels.dimension_names == ("kind", "group")
    assert call_table(frame["kind"].astype("category"), group=pd.Categorical(groups)).estimate.equals(expected.estimate)


def call_table(*columns, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dppack.tableDP(*columns, eps=3.0, rng=1, **keywords)


@pytest.mark.parametrize("value", [5, "a", 2.5, True])
def test_a_table_of_one_value(value):
    # R tabulates a scalar
    assert call_table(value).estimate.size == 1


def test_the_calibration_is_a_plain_number():
    assert type(dppack.calibrateAnalyticGaussianMechanism(1, 1e-6, 1)) is float
    assert dppack.calibrateAnalyticGaussianMechanism(1, 1e-6, np.array([1.0, 2.0])).shape == (2,)


def test_mirrors_are_the_packages_own():
    for name in dppack.__all__:
        assert getattr(pydpstat, name) is getattr(dppack, name)


def test_a_sensitivity_beyond_all_floats_once_the_grid_is_added():
    with pytest.raises(PydpstatError, match="finite"):
        dppack.LaplaceMechanism(1.0, 1e20, np.finfo(float).max)

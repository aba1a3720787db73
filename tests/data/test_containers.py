"""What the package knows of users' containers, for each kind of them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from pydpstat._data import containers
from pydpstat._data.lookup import label_columns
from pydpstat._data.values import is_missing, without_mask

SERIES = pd.Series([2, 1], index=["a", "b"], name="x")
CONTAINERS = {
    "list": [2, 1],
    "tuple": (2, 1),
    "range": range(2),
    "array": np.array([2, 1]),
    "masked": np.ma.masked_array([2, 1], [False, True]),
    "matrix": np.ones((2, 2)),
    "series": SERIES,
    "nullable": SERIES.astype("Int64"),
    "index": pd.Index([2, 1], name="x"),
    "categorical": pd.Categorical(["u", "v"]),
    "factor": pd.Series(["u", "v"], dtype="category"),
    "frame": pd.DataFrame({"x": [2, 1]}),
    "dict": {"x": [2, 1]},
    "text": "ab",
    "number": 2.0,
    "none": None,
}
FRAMES, INDEXES, CATEGORICALS = {"frame"}, {"index"}, {"categorical", "factor"}
COLUMNS = {"series", "nullable", "factor"}
VECTORS = COLUMNS | CATEGORICALS | INDEXES | {"list", "tuple", "range", "array", "masked"}


@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize(
    "tell, kinds",
    [
        (containers.is_frame, FRAMES),
        (containers.has_columns, FRAMES),
        (containers.is_pandas_frame, FRAMES),
        (containers.is_series, COLUMNS),
        (containers.is_index, INDEXES),
        (containers.has_rows, FRAMES | COLUMNS),
        (containers.is_vector, VECTORS),
        (containers.is_categorical, CATEGORICALS),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_each_container_is_known(tell, kinds, kind):
    assert tell(CONTAINERS[kind]) is (kind in kinds)


def test_names_are_texts():
    frame = pd.DataFrame([[1, 2, 3]], columns=[0, "a", "a"])
    assert containers.names_of(frame) == ("0", "a", "a")
    assert [column.item() for column in containers.columns_of(frame)] == [1, 2, 3]
    assert [containers.name_of(each) for each in (SERIES, SERIES.rename(3), SERIES.rename(None), [1])] == [
        "x",
        "3",
        None,
        None,
    ]
    assert containers.row_names(SERIES) == ("a", "b")
    assert containers.row_names(pd.Index([1])) is containers.row_names([1]) is None


@pytest.mark.parametrize("kind", ["list", "array", "series"])
def test_rows_are_taken_by_place(kind):
    assert containers.rows(CONTAINERS[kind], 1) == 1
    assert list(containers.rows(CONTAINERS[kind], slice(0, 1))) == [2]


@pytest.mark.parametrize("dtype", ["Int64", "Float32", "boolean"])
def test_numbers_that_can_be_missing_become_floats(dtype):
    column = pd.Series([1, None], dtype=dtype)
    np.testing.assert_array_equal(containers.as_array(column), [1.0, np.nan])
    assert containers.is_numeric(column) and not containers.is_numeric(SERIES.astype(complex))


def test_only_what_has_a_list_becomes_one():
    assert containers.listed(np.array([1, 2])) == containers.listed(pd.Index([1, 2])) == [1, 2]
    assert containers.listed((1, 2)) == (1, 2) and containers.listed("ab") == "ab"


@pytest.mark.parametrize("value", [None, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.ma.masked])
def test_what_is_missing_in_a_list_stays_missing(value):
    assert is_missing(value)
    assert is_missing(without_mask([[1, value], [2, 3]])[0][1])


@pytest.mark.parametrize("columns", [{"x": ["u", 1]}, pd.DataFrame({"x": np.array(["u", 1], dtype=object)})])
def test_labels_stay_what_they_are(columns):
    ((name, column),) = label_columns(columns, "columns")
    assert name == "x" and column.tolist() == ["u", 1]


def test_containers_are_known_without_pandas():
    # whether or not it is installed, telling what a list is loads nothing
    tells = (
        "is_frame has_columns is_pandas_frame is_series is_index has_rows is_vector is_categorical".split()
    )
    code = (
        "import sys; from pydpstat._data import containers\n"
        f"print([getattr(containers, each)([1]) for each in {tells}], 'pandas' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "[False, False, False, False, False, False, True, False] False"

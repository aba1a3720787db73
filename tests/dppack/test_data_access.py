"""The data access functions: R's components, equal to what the releases are made of."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from pydpstat import (
    PydpstatError,
    covDataAccess,
    histogramDataAccess,
    meanDataAccess,
    pooledCovDataAccess,
    pooledVarDataAccess,
    quantileDataAccess,
    tableDataAccess,
    varDataAccess,
)

X = [1, 4, 3, 2]


@pytest.mark.parametrize(
    "mechanism, bounded", [("Laplace", 2.0), ("Gaussian", math.sqrt(2)), ("analytic", math.sqrt(2))]
)
def test_counts(mechanism, bounded):
    histogram = histogramDataAccess([1, 4, 3, 2, 3], "Sturges", mechanism)
    assert histogram.True_Values.counts.tolist() == [2, 2, 1] and histogram.True_Values.density is None
    assert histogram[1:] == (bounded, 1.0)
    table = tableDataAccess(["b", "a", "b"], mechanism=mechanism)
    assert table.True_Values.to_dict() == {"a": 1, "b": 2} and table[1:] == (bounded, 1.0)
    assert table.Bounded_Sensitivities == bounded and table.Unbounded_Sensitivities == 1.0


def test_a_table_of_named_columns():
    kinds = pd.Categorical(["u", "v", "u"], categories=["u", "v", "w"])
    counted = tableDataAccess(kind=kinds, side=["l", "l", "r"]).True_Values
    assert counted.index.name == "kind" and counted.columns.name == "side"
    assert counted.loc["u"].tolist() == [1, 1] and counted.loc["w"].tolist() == [0, 0]
    assert (counted.dtypes == np.int64).all()
    frame = pd.DataFrame({"kind": kinds, "side": ["l", "l", "r"]})
    assert tableDataAccess(frame).True_Values.equals(counted)


@pytest.mark.parametrize(
    "call",
    [
        lambda: meanDataAccess([], 0, 5),
        lambda: meanDataAccess([1.0, math.nan], 0, 5),
        lambda: meanDataAccess(X, 0, math.inf),
        lambda: meanDataAccess(X, [0, 1], 5),
        lambda: varDataAccess([1.0], 0, 5),
        lambda: varDataAccess(np.ones((2, 2)), 0, 5),
        lambda: covDataAccess(X, X[:2], 0, 5, 0, 5),
        lambda: histogramDataAccess(X, "Sturges", "laplace"),
        lambda: tableDataAccess(X, mechanism="foo"),
        lambda: tableDataAccess(),
        lambda: pooledVarDataAccess(X, 0, 5, False),
        lambda: pooledVarDataAccess([], 0, 5, False),
        lambda: pooledVarDataAccess([[1, 2]], 0, 5, False),
        lambda: pooledVarDataAccess([X], 0, 5, "a"),
        lambda: pooledCovDataAccess([X], 0, 5, 0, 5, False),
        lambda: quantileDataAccess(X, 0.5, 0, math.inf),
        lambda: quantileDataAccess(X, "a", 0, 5),
    ],
)
def test_what_is_refused(call):
    with pytest.raises(PydpstatError):
        call()


def test_the_data_are_not_modified():
    x = np.array([3.0, 1.0, 9.0])
    quantileDataAccess(x, 0.5, 0, 5)
    pooledVarDataAccess([x], 0, 5, False)
    assert x.tolist() == [3.0, 1.0, 9.0]

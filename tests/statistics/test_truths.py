"""count and proportion: booleans in, whole noise, missing values, what is refused."""

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PydpstatError

T = np.arange(900) % 3 == 0
BOTH = ["count", "proportion"]


def test_counts_are_whole_and_proportions_cut():
    assert all(float(pydpstat.count(T[:3], 0.01)).is_integer() for _ in range(50))
    for neighbors in ("bounded", "unbounded"):
        shares = [float(pydpstat.proportion(T[:3], 0.01, neighbors=neighbors, rng=s)) for s in range(200)]
        assert min(shares) == 0.0 and max(shares) == 1.0
    assert pydpstat.proportion(T, 1.0).bse.iloc[0] == pydpstat.count(T, 1.0).bse.iloc[0] / 900


def test_unbounded_share_without_records():
    results = [pydpstat.proportion(T[:0], 50.0, neighbors="unbounded", rng=s) for s in range(20)]
    assert 0.5 in [float(r) for r in results]
    with pytest.raises(PydpstatError, match="condition"):
        pydpstat.proportion(T[:0], 1.0)


@pytest.mark.parametrize(
    "condition",
    [
        [True, None, True, False],
        pd.Series([True, None, True, False], dtype="boolean"),
        pd.Series([True, np.nan, True, False], dtype=object),
        np.ma.masked_array([True, True, True, False], mask=[False, True, False, False]),
    ],
    ids=["list", "boolean", "object", "masked"],
)
def test_missing(condition):
    with pytest.raises(PydpstatError, match="missing"):
        pydpstat.count(condition, 1.0)
    with pytest.raises(PydpstatError, match="unbounded"):
        pydpstat.count(condition, 1.0, missing="drop")
    # at epsilon 60 the noise is 0 but once in 10^26
    for missing, count, share in ((True, 3, 3 / 4), (False, 2, 1 / 2), ("drop", 2, 2 / 3)):
        how = {"missing": missing, "neighbors": "unbounded"}
        assert float(pydpstat.count(condition, 60.0, **how)) == count
        assert float(pydpstat.proportion(condition, 60.0, **how)) == pytest.approx(share, rel=1e-15)


@pytest.mark.parametrize("function", BOTH)
def test_frames(function):
    frame = pd.DataFrame({"a": T, "b": ~T})
    for neighbors in ("bounded", "unbounded"):
        r = getattr(pydpstat, function)(frame, 100.0, neighbors=neighbors)
        assert list(r.estimate.index) == ["a", "b"] and r.sensitivity == 2.0
        expected = np.array([300.0, 600.0]) / (900.0 if function == "proportion" else 1.0)
        assert r.estimate.to_numpy() == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("junk", [[1, 0], None, "ab", [True, 1], 3, np.zeros((2, 2, 2), bool), [[True], []]])
def test_junk(junk):
    for function in BOTH:
        with pytest.raises(PydpstatError, match="condition"):
            getattr(pydpstat, function)(junk, 1.0)


def test_a_count_of_numbers_needs_a_condition():
    with pytest.raises(PydpstatError, match="Give a condition, such as age > 65, or x == 1 for 0 and 1.$"):
        pydpstat.count(np.arange(5), 1.0)


@pytest.mark.parametrize("function", BOTH)
def test_nothing_tells_the_number_of_records(function):
    def shown(size):
        r = getattr(pydpstat, function)(T[:size], 1.0, neighbors="unbounded").to_dict()
        return {key: value for key, value in r.items() if key not in ("estimate", "noise_sd")}

    assert shown(3) == shown(437)


@pytest.mark.parametrize("columns, sd", [(1, 4.2247), (2, 5.9746), (4, 8.4494)])
def test_discrete_gaussian(columns, sd):
    frame = np.column_stack([T] * columns)
    r = pydpstat.count(frame, 1.0, mechanism="gaussian", delta=1e-6)
    assert all(float(each).is_integer() for each in r)
    # one or two columns as the continuous law; more by concentrated privacy, at most 10 % above it
    assert sd * 0.9999 < r.bse.iloc[0] < sd * (1.002 if columns < 3 else 1.1)
    assert 0.9e-6 < r.guarantee.delta_at(1.0) <= 1e-6
    assert r.guarantee.rho == pytest.approx(columns / (2.0 * r.noise_scale**2), rel=1e-12)
    share = pydpstat.proportion(frame, 1.0, mechanism="gaussian", delta=1e-6, neighbors="unbounded")
    assert share.noise == r.noise

"""plan() and accuracy(): the release's own noise, to the digit, before it is made."""

import math

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PydpstatError

X = np.arange(1000.0) % 97
GAUSS = {"mechanism": "gaussian", "delta": 1e-6}
CALLS = {
    "mean": ((X,), {"bounds": (0, 100)}),
    "sum": ((X,), {"bounds": (0, 100)}),
    "var": ((X,), {"bounds": (0, 100)}),
    "std": ((X,), {"bounds": (0, 100)}),
    "cov": ((X, X[::-1]), {"bounds": ((0, 100), (0, 50))}),
    "corr": ((X, X[::-1]), {"bounds": ((0, 100), (0, 50))}),
    "count": ((X > 3,), {}),
    "proportion": ((X > 3,), {}),
}
DERIVED = {("bounded", "std"), ("bounded", "corr")}
DERIVED |= {("unbounded", f) for f in ("mean", "var", "std", "cov", "corr", "proportion")}


@pytest.mark.parametrize("mechanism", [{}, GAUSS], ids=["default", "Gaussian"])
@pytest.mark.parametrize("neighbors, rng", [("bounded", None), ("bounded", 5), ("unbounded", None)])
@pytest.mark.parametrize("function", CALLS)
def test_a_plan_is_what_the_release_uses(function, neighbors, mechanism, rng):
    data, public = CALLS[function]
    options = {**public, **mechanism, "neighbors": neighbors, "rng": rng}
    result = getattr(pydpstat, function)(*data, 0.7, **options)
    planned = pydpstat.plan(function, 0.7, n=1000, **options)
    for name in ("noise", "noise_scale", "sensitivity", "mechanism", "guarantee", "grid"):
        assert getattr(planned, name) == getattr(result, name)
    assert function in repr(planned) and function in planned.summary().as_text()
    if (neighbors, function) in DERIVED and function not in ("std", "corr"):
        # the worst data's
        assert planned.accuracy() >= 0.97 * result.accuracy() and planned.sd >= 0.97 * result.bse.iloc[0]
    elif (neighbors, function) in DERIVED:
        with pytest.raises(PydpstatError, match="depends on the data"):
            planned.accuracy()
        with pytest.raises(PydpstatError, match="depends on the data"):
            planned.sd
    else:
        assert planned.sd == float(result.bse.iloc[0])
        for alpha in (0.5, 0.05, 1e-6):
            assert planned.accuracy(alpha) == result.accuracy(alpha)
    assert pydpstat.plan(getattr(pydpstat, function), 0.7, n=1000, **options).noise == planned.noise


def test_frames():
    frame = np.column_stack([X, X / 10])
    planned = pydpstat.plan("mean", 1.0, bounds=[(0, 100), (0, 10)], n=1000, columns=["0", "1"])
    result = pydpstat.mean(frame, 1.0, bounds=[(0, 100), (0, 10)])
    assert planned.noise == result.noise and planned.accuracy().equals(result.accuracy())
    assert list(planned.sd.index) == ["0", "1"]
    joint = pydpstat.plan("corr", 1.0, bounds=(0, 100), n=1000, columns=["0", "1"])
    assert joint.noise == pydpstat.corr(frame, 1.0, bounds=(0, 100)).noise


def test_accuracy_formulas():
    laplace = pydpstat.mean(X, 1.0, bounds=(0, 100))
    # P(|noise| > t) = exp(-t / scale)
    assert laplace.accuracy(0.05) == pytest.approx(laplace.noise_scale * math.log(20.0), rel=1e-12)
    gauss = pydpstat.mean(X, 1.0, bounds=(0, 100), **GAUSS)
    assert gauss.accuracy(0.05) == pytest.approx(1.959963984540054 * gauss.noise_scale, rel=1e-12)
    for r in (laplace, gauss, pydpstat.count(X > 3, 1.0), pydpstat.proportion(X > 3, 1.0)):
        interval = r.conf_int(0.1)
        half = 0.5 * (interval[1] - interval[0]).iloc[0]
        assert r.accuracy(0.1) == pytest.approx(half, rel=1e-12)
    root = pydpstat.std(X, 1.0, bounds=(0, 100), rng=1)
    interval = root.conf_int(0.1)
    assert root.accuracy(0.1) == max(float(root) - interval[0].iloc[0], interval[1].iloc[0] - float(root))
    count = pydpstat.count(X > 3, 1.0)
    assert count.noise.cdf(count.accuracy()) - count.noise.cdf(-count.accuracy() - 1) >= 0.95


def test_accuracy_without_a_law():
    with pytest.raises(PydpstatError, match="no public distribution"):
        pydpstat.quantileDP(X, 0.5, 1.0, 0, 100, rng=1).accuracy()
    for alpha in (0, 1, -1, "x", None, math.nan):
        with pytest.raises(PydpstatError, match="alpha"):
            pydpstat.mean(X, 1.0, bounds=(0, 100), rng=1).accuracy(alpha)


@pytest.mark.parametrize(
    "function, options, text",
    [
        ("maen", {}, "Did you mean 'mean'"),
        (3, {}, "function"),
        ("median", {"bounds": (0, 1)}, "n must be given"),
        ("choose", {}, "depends on the data"),
        ("mean", {"n": 5}, "bounds must be given"),
        ("mean", {"bounds": (0, 1)}, "n must be given"),
        ("mean", {"bounds": (0, 1), "n": 2.5}, "n must be a whole number"),
        ("mean", {"bounds": (0, 1), "n": 0}, "at least 1 record"),
        ("var", {"bounds": (0, 1), "n": 1}, "at least 2 records"),
        ("mean", {"bonds": (0, 1), "n": 2}, "Did you mean 'bounds'"),
        ("mean", {"bounds": (0, 1), "n": 2, "budget": 3}, "mean has no argument .budget"),
    ],
)
def test_what_cannot_be_planned(function, options, text):
    with pytest.raises(PydpstatError, match=text):
        pydpstat.plan(function, 1.0, **options)


GROUPED = {"by": ["region", "sex"], "levels": {"region": ["n", "s"], "sex": ["f", "m"]}}
BY_NAME = {
    **{name: {"bounds": (0, 100)} for name in ("mean", "sum", "var", "std")},
    **{name: {"bounds": ((0, 100), (0, 50))} for name in ("cov", "corr")},
    "count": {},
    "proportion": {},
    "histogram": {"edges": [0, 50, 100]},
    "nunique": {},
}


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("function", BY_NAME)
def test_a_plan_takes_the_names_of_groups_and_units(function, neighbors):
    columns = {"x": X, "y": X[::-1], "region": np.array(["n", "s"])[(X > 50).astype(int)]}
    frame = pd.DataFrame({**columns, "sex": "f", "id": np.arange(X.size) % 77})
    if function in ("count", "proportion"):
        frame["x"] = frame.x > 3
    own = ["x", "y"] if function in ("cov", "corr") else ["x"]
    names = own if len(own) > 1 else None
    for unit in ({}, {"unit": "id", "max_records": 3}):
        if function == "nunique" and unit:
            continue
        data = frame[[*own, "region", "sex", *(["id"] if unit else [])]]
        options = {**BY_NAME[function], **GROUPED, **unit, "neighbors": neighbors}
        planned = pydpstat.plan(function, 1.0, columns=names, **options)
        # by the operating system, as the plan
        released = getattr(pydpstat, function)(data, 1.0, **options)
        assert planned.noise == released.noise and planned.sensitivity == released.sensitivity
        assert planned.result.labels.rows == released.labels.rows
        assert planned.grid == released.grid and planned.mechanism == released.mechanism
        # the data's columns have names of their own, which a number of units is for
        if function != "nunique":
            assert planned.guarantee == released.guarantee
        assert "n:f" in str(planned.summary())


def test_a_plan_of_groups_needs_no_number_of_records_and_public_levels():
    assert pydpstat.plan("mean", 1.0, bounds=(0, 1), unit="id", max_records=2).sensitivity == 4.0
    columns = ["age", "income", "region"]
    planned = pydpstat.plan("mean", 1.0, bounds=[(0, 1)] * 2, columns=columns, by="region", levels=["n"])
    assert planned.result.value.shape == (2, 2)
    with pytest.raises(PydpstatError, match="levels must be given"):
        pydpstat.plan("count", 1.0, by="region")
    many = pydpstat.plan("count", 1.0, by="region", levels=list(range(1000)))
    assert "941 more rows" in str(many.summary()) and len(str(many.summary()).splitlines()) < 100


def test_a_plan_says_whose_records_n_are_and_what_was_asked():
    public = {"bounds": {"income": (0, 100)}, "levels": {"region": ["n", "s"]}, "unit": "id", "other": None}
    facts = pydpstat.design(**public, neighbors="unbounded")
    groups = facts.plan("mean", "income", 0.5, by="region", n=200)
    line = str(groups).splitlines()[0]
    assert line.startswith("Plan of mean of income by region: accuracy ")
    assert line.endswith("n 200 in each group, epsilon 0.5, unbounded neighbors, unit id")
    assert "n 200 in each group" in repr(groups)
    text = str(groups.summary())
    assert "N of each group:" in text and "smallest one" in text and "At most 1 record of each id" in text
    alone = facts.plan("mean", "income", 0.5, n=200)
    assert "in each group" not in str(alone) and "No. Observations:" in str(alone.summary())
    cells = facts.plan("histogram", "income", 0.5, edges=[0, 50, 100])
    assert str(cells).startswith("Plan of histogram of income: ") and cells.to_frame().index.name == "income"
    assert str(facts.plan("crosstab", "region", 0.5)).startswith("Plan of table of region: ")

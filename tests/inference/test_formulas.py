"""Formulas of regressions: terms, names and coding as patsy has them, bounds, and what is refused."""

import itertools
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

import pydpstat
from pydpstat.errors import PydpstatError
from pydpstat.inference.regression._formulas import parse_formula
from pydpstat.inference.regression._predictors import Expression

# noise that no digit shows
SURE = 1e8
BOUNDS = {"y": (-8.0, 12.0), "x": (1.0, 10.0), "z": (-4.0, 4.0), "w": (0.5, 9.0)}
LEVELS = {"g": ["a", "b", "c"], "h": [1, 2]}
MODELS = [
    "y ~ x * z",
    "y ~ x + I(x**2)",
    "y ~ x * C(g)",
    "y ~ C(g) + x:C(g)",
    "y ~ C(g) * C(h)",
    "y ~ C(g) + C(g):C(h)",
    "y ~ x * C(g) * C(h)",
    "y ~ x:C(g) + x:C(h) + C(g) * C(h)",
    "y ~ np.log(x) + np.sqrt(w) + np.exp(z) + np.abs(z)",
    "y ~ np.log(x) * C(g) + np.log1p(w):z",
    "np.log(w) ~ x + I((z - 1) / 10) + I(x * z)",
    "y ~ (x + z + C(h))**2",
]


def public(formula):
    """Return bounds and levels of what a formula names."""
    said = parse_formula(formula)
    names = [*said.response.columns, *said.columns]
    return {
        "bounds": {name: BOUNDS[name] for name in names if name in BOUNDS},
        "levels": {name: LEVELS[name] for name in names if name in LEVELS} or None,
    }


@pytest.mark.parametrize("formula", MODELS)
def test_without_noise_it_is_least_squares_by_the_same_names(frame, formula):
    fit = pydpstat.ols(formula, frame, SURE, **public(formula), rng=1)
    known = smf.ols(formula, frame).fit()
    assert set(fit.params.index) == set(known.params.index)
    # noise below 1e-6 of 600 records, and moments of correlated terms
    wanted = known.params[fit.params.index]
    pd.testing.assert_series_equal(fit.params, wanted, check_names=False, atol=2e-4)
    new = frame[:5]
    assert fit.predict(new) == pytest.approx(known.predict(new).to_numpy(), abs=1e-3)
    assert fit.response == known.model.endog_names


@pytest.mark.parametrize("formula", MODELS)
def test_either_package_reads_the_same(monkeypatch, formula):
    # with old versions of statsmodels there is one of the two only
    if not find_spec("formulaic") or not find_spec("patsy"):
        pytest.skip("patsy and formulaic are needed")
    read = parse_formula(formula)
    monkeypatch.setitem(sys.modules, "patsy", None)
    other = parse_formula(formula)
    assert other.response == read.response
    assert {frozenset(term) for term in other.terms} == {frozenset(term) for term in read.terms}
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(ImportError, match=r"pip install 'pydpstat\[formulas\]'"):
        parse_formula(formula)


def test_logistic_regressions_and_ranks_have_them_too(frame):
    data = frame.assign(y=frame.y > 1)
    fit = pydpstat.logit("y ~ x * C(h)", data, 1e7, bounds={"x": BOUNDS["x"]}, levels={"h": [1, 2]}, rng=1)
    known = smf.logit("y ~ x * C(h)", data.assign(y=data.y.astype(int))).fit(disp=False)
    wanted = known.params[fit.params.index]
    # what the steps end at is not the maximum itself
    assert (np.abs(fit.params - wanted) < 0.3 * known.bse[fit.params.index]).all()
    with pytest.raises(PydpstatError, match="must have a column as the response of logit"):
        pydpstat.logit("np.log(y) ~ x", frame, 1.0, bounds={"x": BOUNDS["x"]})
    tested = pydpstat.ols("y ~ x * z", frame, 1e6, **public("y ~ x * z"), method="rank", rng=1)
    assert list(tested.pvalues.index) == ["x", "z", "x:z"] and tested.pvalues["x"] < 1e-3


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("np.log(x)", (0.0, np.log(10.0))),
        ("log10(x)", (0.0, 1.0)),
        ("I(z ** 2)", (0.0, 16.0)),
        ("I(z ** 3)", (-64.0, 64.0)),
        ("I(x ** 2)", (1.0, 100.0)),
        ("I(-x * z)", (-40.0, 40.0)),
        ("I(x - z)", (-3.0, 14.0)),
        ("I(z / x)", (-4.0, 4.0)),
        ("I((x - 40) / 10)", (-3.9, -3.0)),
        ("I(x / 0.7 - z / 7)", (1 / 0.7 - 4 / 7, 10 / 0.7 + 4 / 7)),
        ("abs(z)", (0.0, 4.0)),
        ("sqrt(w)", (np.sqrt(0.5), 3.0)),
        ("exp(log(x))", (1.0, 10.0)),
    ],
)
def test_bounds_are_those_of_interval_arithmetic(text, bounds):
    made = Expression(text)
    made.check_transformation()
    assert made.compute_bounds(BOUNDS) == pytest.approx(bounds)
    grid = [np.linspace(*BOUNDS[name], 41) for name in made.columns]
    points = dict(zip(made.columns, map(np.array, zip(*itertools.product(*grid)))))
    values = made.compute_values(points)
    low, high = made.compute_bounds(BOUNDS)
    # rounded as the numbers are, so that none is beyond its bounds
    assert low <= values.min() and values.max() <= high
    # a grid with both ends and 0 reaches the bounds, as each column is there once
    assert values.min() == pytest.approx(low) and values.max() == pytest.approx(high)


def test_values_are_clipped_before_they_are_transformed(frame):
    wild = frame.assign(x=frame.x.where(frame.index > 3, [-5.0, 0.0, np.inf, 1e300] + [0.0] * 596))
    calm = wild.assign(x=wild.x.clip(1, 10))
    formula = "y ~ np.log(x) * C(g)"
    one, other = (pydpstat.ols(formula, each, 1.0, **public(formula), rng=1) for each in (wild, calm))
    assert one.released == other.released
    gaps = frame.assign(x=frame.x.where(frame.index > 3))
    filled = pydpstat.ols("y ~ np.log(x)", gaps, 1.0, **public("y ~ x"), missing=2.0, rng=1)
    wanted = pydpstat.ols("y ~ np.log(x)", gaps.fillna(2.0), 1.0, **public("y ~ x"), rng=1)
    assert filled.released == wanted.released
    with pytest.raises(PydpstatError, match="missing must say how to treat missing"):
        pydpstat.ols("y ~ np.log(x)", gaps, 1.0, **public("y ~ x"))


def test_the_call_has_the_bounds_of_the_columns(frame):
    fit = pydpstat.ols("np.log(w) ~ np.log(x) * C(g)", frame, 1.0, **public("w ~ x + C(g)"), rng=1)
    assert "bounds=[[0.5, 9.0], [1.0, 10.0]], levels={'g': ['a', 'b', 'c']}" in fit.call
    assert fit.bounds[0] == pytest.approx((np.log(0.5), np.log(9.0)))


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("y ~ x - 1", "must have a constant"),
        ("x", "must have one response"),
        ("C(g) ~ x", "a numeric response"),
        ("np.log(y) ~ y", "from a column that is not a predictor"),
        ("y ~ (", "read by patsy or formulaic"),
        ("y ~ nothing", "must have a column 'nothing'"),
        ("y ~ C(g)", "levels must include the public levels of 'g'"),
        ("y ~ np.log(z)", "lower bound is above 0, where log is defined; .*imply -4.0"),
        ("y ~ sqrt(z)", "lower bound is at least 0"),
        ("y ~ I(1 / z)", "must not divide by what may be 0"),
        ("y ~ I(x - x**0.5)", "powers that are integers from 1 to 20"),
        ("y ~ exp(I(x * 1000))", "must have finite bounds"),
        ("y ~ I(1 / exp(x * 1000))", "must have finite bounds"),
        ("y ~ center(x)", r"must not have center\(\), which depends on all records,"),
        ("y ~ scale(x)", r"must not have scale\(\), .* Write one with public numbers"),
        ("y ~ bs(x, df=3)", r"must not have bs\(\)"),
        ("y ~ np.mean(x)", "with or without np.; got 'np.mean"),
        ("y ~ C(" + "-" * 90_000 + "x)", "public transformations as its terms"),
        ("y ~ I(x > 3)", "since a condition needs a design"),
        ("y ~ x.sum()", "public transformations as its terms"),
        ("y ~ C(g, Treatment('b'))", "The first level given is the reference"),
    ],
)
def test_other_formulas_are_refused(frame, formula, said):
    with pytest.raises(PydpstatError, match=said):
        pydpstat.ols(formula, frame, 1.0, bounds={name: BOUNDS[name] for name in BOUNDS if name in formula})


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("y ~ C(g):C(h)", r"must have the main terms of an interaction.* Write \* for :"),
        ("y ~ x + np.log(g)", "one of 'g', which has levels"),
        ("y ~ g + C(g)", "must have every term once"),
        ("y ~ C(g) + I(g * 2)", r"must have 'g' either as a number or as C\(g\)"),
    ],
)
def test_what_levels_do_not_allow_is_refused(frame, formula, said):
    with pytest.raises(PydpstatError, match=said):
        pydpstat.ols(formula, frame, 1.0, bounds=(1, 2), levels=public(formula)["levels"])


def test_chunks_and_designs_are_read_alike(frame):
    formula = "np.log(w) ~ np.log(x) * C(g) + I(x**2) + z:x"
    wanted = pydpstat.ols(formula, frame, 1.0, **public(formula), rng=1)
    chunks = iter([frame[start : start + 170] for start in range(0, 600, 170)])
    assert pydpstat.ols(formula, chunks, 1.0, **public(formula), rng=1).released == wanted.released
    declared = pydpstat.design(frame, bounds=BOUNDS, levels=LEVELS, neighbors="bounded", rng=1)
    found = declared.ols(formula, 1.0, rng=1)
    assert found.released == wanted.released and found.params.equals(wanted.params)
    further = declared.ols("y ~ x + C(g)", 5.0, other="rest", rng=1)
    assert any(name == "count(0=3)" for name, _ in further.released)


def test_new_records_need_what_the_transformations_need(frame):
    fit = pydpstat.ols("y ~ np.log(x)", frame, 10.0, **public("y ~ x"), rng=1)
    # beyond the bounds a line goes on, as without a transformation
    assert np.isfinite(fit.predict({"x": [0.5, 20.0]})).all()
    with pytest.raises(PydpstatError, match="the formula's transformations are defined"):
        fit.predict({"x": [-1.0]})

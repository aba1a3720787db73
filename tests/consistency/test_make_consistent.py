"""Noisy values in all forms; the tutorial's numbers; what each method does."""

import numpy as np
import pandas as pd
import pytest

from pydpstat import PydpstatError
from pydpstat.consistency import Hierarchy, ipf, make_consistent
from pydpstat.parity._tutorial import TutorialSession
from pydpstat.parity.case import part

STEPS = part("tutorial.steps").STEPS
COUNTRY = Hierarchy({"North": ["a", "b"], "South": ["c"]})
FLAT = [100, 64, 41, 30, 31, 39]
LEVELS = [[100], [64, 41], [30, 31, 39]]


def test_the_tutorials_three_steps():
    session = TutorialSession()
    for step in STEPS[:-1]:
        session.run_step(step)
    # the noise of the last three rows, once more and on the same stream
    other = TutorialSession()
    for step in STEPS[:-3]:
        other.run_step(step)
    rng = other.names["rng"]
    country = 1000 + rng.rlaplace(1, s=10)
    states = np.array([300, 400, 300]) + rng.rlaplace(3, s=5)
    towns = np.array([[100, 200], [150, 250], [200, 100]]) + rng.rlaplace(6, s=2).reshape(3, 2, order="F")
    tree = Hierarchy({state: [f"{state}{town}" for town in (1, 2)] for state in "ABC"})
    fit = make_consistent(tree, [country, states, towns], method="ratio")
    for values, step in zip(fit.values, STEPS[-3:]):
        recorded = np.ravel(step.recorded[0].value)
        # the C library's logarithm may differ in its last place elsewhere
        np.testing.assert_allclose(values, recorded, rtol=1e-15, atol=0.0)
    np.testing.assert_allclose(fit.values[1], session.names["states"], rtol=1e-15)


@pytest.mark.parametrize(
    "noisy",
    [
        LEVELS,
        tuple(LEVELS),
        FLAT,
        np.array(FLAT),
        [np.array(100.0), np.array([[64], [41]]), pd.Series([30, 31, 39])],
        pd.Series(FLAT, COUNTRY.names()),
        pd.Series(FLAT[::-1], COUNTRY.names()[::-1], dtype="Int64"),
        dict(zip(COUNTRY.names(), FLAT)),
    ],
    ids=["lists", "tuple", "flat", "array", "shapes", "series", "reversed", "dict"],
)
def test_forms_of_noisy_values(noisy):
    fit = make_consistent(COUNTRY, noisy, variances=[0, 2, 4])
    np.testing.assert_allclose(fit.params, [100, 61.363636, 38.636364, 30.181818, 31.181818, 38.636364])
    assert fit.noisy.value.tolist() == FLAT and fit.noisy.value.dtype == np.int64


def test_variances():
    each = make_consistent(COUNTRY, LEVELS, variances=[[1.0], [1.0, 1.0], [1.0, 1.0, 1.0]])
    for other in (None, 1, [1, 1, 1], [3.0, 3.0, 3.0]):
        np.testing.assert_allclose(make_consistent(COUNTRY, LEVELS, variances=other).params, each.params)
    assert make_consistent(COUNTRY, LEVELS, variances=[0, 1, 1]).params.iloc[0] == 100.0


def test_without_variances_there_are_no_standard_errors():
    fit = make_consistent(COUNTRY, LEVELS)
    assert fit.bse.isna().all() and fit.noise_sd.isna().all()
    assert "variances were not given" in fit.reason
    assert fit.reason in fit.summary().as_text().replace("\n", " ")
    with pytest.raises(PydpstatError, match="were not given"):
        fit.conf_int()
    assert make_consistent(COUNTRY, LEVELS, variances=1).bse.notna().all()


def test_ratios_without_negative_values_are_proportional_fitting():
    table = np.array([[4.0, 0.0, 7.0], [2.0, 5.0, 1.0]])
    tree = Hierarchy({"a": list("xyz"), "b": list("xyz")})
    fit = make_consistent(tree, [[30], [12, 14], table], method="ratio", nonnegative=True)
    rows = np.array([12.0, 14.0]) * 30 / 26
    np.testing.assert_allclose(fit.values[2], ipf(table, {0: rows}).estimate.ravel(), rtol=1e-12)


def test_whole_numbers_only_where_asked_or_usual():
    for method, kinds in (("least squares", "fif"), ("ratio", "fif"), ("top-down", "iif")):
        for integer, kind in zip((None, True, False), kinds):
            fit = make_consistent(COUNTRY, LEVELS, method=method, integer=integer)
            assert fit.values[0].dtype.kind == kind and fit.largest_gap < 1e-9
    real = make_consistent(COUNTRY, [[100.5], [64, 41], [30, 31, 39]], method="top-down")
    assert real.values[0].dtype.kind == "f"


def test_negative_values():
    noisy = [[10], [-3, 12], [-4, 2, 12]]
    assert (make_consistent(COUNTRY, noisy).params < 0).any()
    assert (make_consistent(COUNTRY, noisy, method="ratio").params < 0).any()
    for method, sign in (("ratio", True), ("top-down", None)):
        fit = make_consistent(COUNTRY, noisy, method=method, nonnegative=sign)
        assert (fit.params >= 0).all() and fit.largest_gap < 1e-9


def test_summary_and_steps():
    for method, words in (
        ("least squares", "weighted least squares"),
        ("ratio", "children scaled to their parent"),
        ("top-down", "none negative"),
    ):
        fit = make_consistent(COUNTRY, LEVELS, method=method)
        text = fit.summary().as_text().replace("\n", " ")
        assert words in text and "costs no privacy budget" in text and "Consistent hierarchy" in text
        assert words in " ".join(fit.postprocessing)


@pytest.mark.parametrize(
    "noisy, options, words",
    [
        ([1, 2], {}, "one array for each of the 3 levels"),
        ([[1], [2], [3, 4, 5]], {}, r"noisy\[1\] must have 2 values"),
        (["a"] * 6, {}, "noisy must be numbers"),
        ([1, 2, 3, 4, 5, np.nan], {}, "missing at a leaf"),
        ([1, 2, 3, 4, 5, np.inf], {}, "some are infinite"),
        (pd.Series(FLAT), {}, "by its name"),
        ({"total": 1}, {}, "by its name"),
        (LEVELS, {"variances": [1, 2]}, "for each of the 3 levels"),
        (LEVELS, {"variances": [1, -2, 1]}, r"variances\[1\] must be one number, or 2"),
        (LEVELS, {"variances": np.nan}, r"variances\[0\]"),
        (LEVELS, {"variances": 0}, "variance 0 must add up"),
        (LEVELS, {"method": "mean"}, "method must be one of"),
    ],
)
def test_errors(noisy, options, words):
    with pytest.raises(PydpstatError, match=words):
        make_consistent(COUNTRY, noisy, **options)


def test_names_that_occur_twice():
    twice = Hierarchy({"a / b": ["c"], "a": {"b": ["c"]}})
    with pytest.raises(PydpstatError, match="same name"):
        make_consistent(twice, dict.fromkeys(twice.names(), 1))
    with pytest.raises(PydpstatError, match="hierarchy must be a Hierarchy"):
        make_consistent({"a": ["b"]}, [1, 2, 3])


def test_intervals_are_normal_and_around_the_consistent_values():
    fit = make_consistent(Hierarchy(["a", "b"]), [[13.0], [4.0, 6.0]], variances=3)
    assert fit.params.tolist() == [12.0, 5.0, 7.0] and fit.bse.to_numpy() == pytest.approx(2.0**0.5)
    low, high = fit.conf_int(0.05).to_numpy().T
    assert low == pytest.approx(fit.params - 1.959964 * 2.0**0.5, rel=1e-6)
    assert high == pytest.approx(fit.params + 1.959964 * 2.0**0.5, rel=1e-6)

"""The smallest p-value that a test can return: known from public numbers, attained, and shown as a limit."""

import json
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat.results._numbers import format_pvalue, is_at_floor, round_up_floor

HIGH, LOW = np.full(40, 90.0), np.full(40, 10.0)
MANY = np.random.default_rng(1).normal(60, 10, 2000)
LABELS = np.repeat(["a", "b"], 40)
OPEN = {"neighbors": "unbounded"}
PAIR = {"bounds": (0, 100)}
EPS = 1e6


def contingency(size, **how):
    x = np.repeat(["a", "b"], size)
    return pydpstat.chi2_contingency(x, x, EPS, levels=(["a", "b"],) * 2, rng=1, **how)


def ols(**how):
    x = np.linspace(0, 1, 2000)
    return pydpstat.ols(x, x, EPS, bounds=[(0, 1), (0, 1)], rng=1, **how)


def compared(function, data, **how):
    r = function(data, EPS, by=LABELS, levels=["a", "b"], other=None, rng=1, **how)
    return r.difference("a", "b")


def two_moments():
    return pydpstat.moments(pd.DataFrame({"x": MANY, "y": MANY}), EPS, rng=1, **PAIR)


# shown as "< 1e-06"
FLOOR = 9.9e-7
# points of a t test's reference draws
DRAW = 1.0 / 8193.0
SIMULATED = {
    "t": (lambda: pydpstat.ttest_1samp(MANY, 20, EPS, rng=1, **PAIR), FLOOR),
    "t, private n": (lambda: pydpstat.ttest_1samp(MANY, 20, EPS, rng=1, **OPEN, **PAIR), FLOOR),
    "t, moments": (lambda: pydpstat.moments(MANY, EPS, rng=1, **PAIR).ttest(20), FLOOR),
    "t, moments of two": (lambda: two_moments().ttest(20, column="x"), 0.001 + DRAW),
    "t, pairs": (lambda: pydpstat.ttest_rel(MANY, MANY - 40.0, EPS, bounds=(-100, 100), rng=1), FLOOR),
    "Welch": (lambda: pydpstat.ttest_ind(MANY, MANY - 40.0, EPS, rng=1, **PAIR), FLOOR),
    "F": (lambda: pydpstat.f_oneway(MANY, MANY, MANY - 40.0, epsilon=EPS, rng=1, **PAIR), FLOOR),
    "kruskal": (lambda: pydpstat.kruskal(HIGH, LOW, LOW, epsilon=EPS, rng=1), FLOOR),
    "ks_2samp": (lambda: pydpstat.ks_2samp(HIGH, LOW, EPS, rng=1), 1e-4),
    "chisquare": (lambda: pydpstat.chisquare(["a"] * 80, EPS, levels=["a", "b"], rng=1), FLOOR),
    "chisquare, private n": (
        lambda: pydpstat.chisquare(["a"] * 80, EPS, levels=["a", "b"], rng=1, **OPEN),
        FLOOR,
    ),
    "chi2": (lambda: contingency(40), FLOOR),
    "chi2, private n": (lambda: contingency(40, **OPEN), FLOOR),
    "proportions": (lambda: pydpstat.proportions_test(HIGH > 50, LOW > 50, EPS, rng=1), 2e-6),
    "binomial, private n": (lambda: pydpstat.binomtest(HIGH > 50, EPS, rng=1, **OPEN), 2e-6),
    "binomial": (lambda: pydpstat.binomtest(MANY < 999, EPS, rng=1), 2e-15),
    "quantile": (lambda: pydpstat.quantile_test(MANY, EPS, q=-20.0, alternative="greater", rng=1), 1e-15),
    "coins": (lambda: pydpstat.ttest_1samp(HIGH, 1e-9, 1e3, method="exact", rng=1, **PAIR), 2e-15),
    "quantile, private n": (
        lambda: pydpstat.quantile_test(HIGH, EPS, q=20.0, alternative="greater", rng=1, **OPEN),
        1e-6,
    ),
    "difference of means": (
        lambda: compared(pydpstat.mean, np.append(HIGH, LOW), population=True, **PAIR),
        FLOOR,
    ),
    "difference of shares": (lambda: compared(pydpstat.proportion, np.append(HIGH, LOW) > 50), 5e-6),
}
EXACT = {
    "wilcoxon": lambda: pydpstat.wilcoxon(HIGH, EPS, rng=1),
    "mannwhitneyu": lambda: pydpstat.mannwhitneyu(HIGH, LOW, EPS, rng=1),
    "kendalltau": lambda: pydpstat.kendalltau(np.arange(40), np.arange(40), EPS, rng=1),
    "kstest": lambda: pydpstat.kstest(HIGH, "norm", EPS, rng=1),
    "ks_2samp, many": lambda: pydpstat.ks_2samp(np.repeat(HIGH, 20), np.repeat(LOW, 20), EPS, rng=1),
    "any_test": lambda: pydpstat.any_test(HIGH, lambda block: 0.0, EPS, rng=1),
    "any_interval": lambda: pydpstat.any_interval(HIGH, np.mean, EPS, range=(0, 100), rng=1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATED)
def test_the_smallest_p_value_is_known_and_attained(name):
    call, floor = SIMULATED[name]
    r = call()
    assert r.pvalue_floor == pytest.approx(floor, rel=1e-12)
    assert r.pvalue_floor <= r.pvalue < float(round_up_floor(r.pvalue_floor))
    above = round_up_floor(r.pvalue_floor) if r.pvalue >= 1e-6 else "1e-06"
    assert f"p < {above}, " in repr(r)
    text = " ".join(r.summary().as_text().split())
    assert f"p-value < {above} " in text and "The test returns no p-value below" in text
    content = json.loads(json.dumps(r.to_dict()))
    assert (content["pvalue"], content["pvalue_floor"]) == (r.pvalue, r.pvalue_floor)


def test_the_documentation_has_the_floors():
    page = (Path(__file__).parents[2] / "docs" / "own" / "tests.md").read_text("utf-8")
    table = page.split("## The smallest p-value")[1].split("\n## ")[0]
    shown = {float(each) for each in re.findall(r"0\.\d+|\de-\d+", table)}
    for name, (_, floor) in SIMULATED.items():
        assert float(f"{floor:.3g}") in shown, name


def test_an_exact_test_of_a_mean_has_the_level_of_its_variance_as_its_floor():
    r = pydpstat.ttest_1samp(MANY, 20, EPS, method="exact", rng=1, **PAIR)
    assert r.pvalue_floor == 0.002 <= r.pvalue < 0.0021 and "p < 0.0021, " in repr(r)


@pytest.mark.parametrize("name", EXACT)
def test_exact_laws_have_no_floor(name):
    r = EXACT[name]()
    assert r.pvalue_floor == 0.0 == r.to_dict()["pvalue_floor"]
    limits = [] if r.pvalue is None or r.pvalue >= 1e-6 else ["p < 1e-06, "]
    assert re.findall("p < .*?, ", repr(r)) == limits and "no p-value below" not in r.summary().as_text()


def test_p_values_above_the_floor_are_shown_as_they_are():
    r = pydpstat.ttest_1samp(HIGH, 89.9, 0.5, rng=1, **PAIR)
    assert r.pvalue > 0.05 and f"p = {r.pvalue:.3g}, " in repr(r)
    assert "no p-value below" not in r.summary().as_text()


@pytest.mark.slow
def test_regressions():
    r = ols()
    assert r.pvalue_floor == 9.9e-7 == r.to_dict()["pvalue_floor"] == r.pvalues["x1"]
    text = " ".join(r.summary().as_text().split())
    assert "< 1e-06 " in text and "The test returns no p-value below 9.9e-07" in text
    assert r.pvalues.dtype == np.float64
    ranks = ols(method="rank")
    assert ranks.pvalue_floor == 0.0 and "no p-value below" not in ranks.summary().as_text()
    draw = np.random.default_rng(1)
    x = draw.uniform(0, 1, 2000)
    data = pd.DataFrame({"x": x, "y": draw.uniform(0, 1, 2000) < x})
    for fit in (
        pydpstat.logit("y ~ x", data, 5.0, bounds=(0, 1), rng=1),
        pydpstat.logit("y ~ x", data, 5.0, bounds=(0, 1), neighbors="unbounded", rng=1),
    ):
        assert fit.pvalue_floor == 1e-300 <= fit.pvalues.min()
        text = " ".join(fit.summary().as_text().split())
        assert "< 1e-06 " in text and "e-300" not in text


def test_a_limit_has_two_digits_and_is_above_its_floor():
    for floor in [1e-6, 2e-6, 1e-4, 1 / 2049, 0.001 + DRAW, 0.0015, 0.0099, 0.5, 0.995]:
        text = round_up_floor(floor)
        assert float(text) > floor and Decimal(text) <= Decimal(repr(floor)) * Decimal("1.1")
        assert len(text.lstrip("0.").replace(".", "").split("e")[0]) <= 2
    assert round_up_floor(0.002 + DRAW) == "0.0022" and round_up_floor(0.0099) == "0.01"
    assert format_pvalue(0.002 + DRAW, 0.002 + DRAW) == "< 0.0022" and format_pvalue(0.04, 0.002) == "0.04"
    assert not is_at_floor(0.0, 0.0) and format_pvalue(0.0, 0.0) == format_pvalue(1e-7, 1e-15) == "< 1e-06"

"""Results of models and tests under broom's names, and p-values as texts in frames."""

import math

import numpy as np
import pytest

import pydpstat as dp
from pydpstat.errors import PydpstatError
from tests.results.test_exports import FRAME, ONE, PAIR, RESULTS, X

TERMS = ["term", "estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high"]


def test_a_regression_has_a_row_for_each_coefficient():
    r = RESULTS["regression"]()
    tidy, frame = r.tidy(0.1), r.to_frame(0.1)
    assert tidy.columns.tolist() == TERMS and tidy["term"].tolist() == ["Intercept", "x"]
    assert np.array_equal(tidy[TERMS[1:]].to_numpy(), frame.drop(columns="p").to_numpy(dtype=float), equal_nan=True)
    with pytest.raises(PydpstatError, match=r"^exponentiate must be False for OLS .* logit\(...\).tidy\("):
        r.tidy(exponentiate=True)
    with pytest.raises(AttributeError, match="augment.*would reveal the data"):
        _ = r.augment


def test_odds_ratios_are_exponentiated():
    x = np.tile(X, 10)
    r = dp.logit(x + 0.5 * np.sin(17.0 * np.arange(x.size)) > 0.5, x, 5.0, bounds=(0, 1), rng=1)
    tidy, odds = r.tidy(), r.tidy(exponentiate=True)
    assert np.isfinite(tidy[TERMS[1:]]).all(axis=None)
    for name in ("estimate", "conf_low", "conf_high"):
        assert np.allclose(odds[name], np.exp(tidy[name]), rtol=1e-12)
    assert odds["std_error"].equals(tidy["std_error"]) and odds["p_value"].equals(tidy["p_value"])
    assert r.glance().columns.tolist() == ["nobs", "epsilon", "delta"]


def test_a_release_for_tests_alone_has_no_estimates():
    r = dp.ols("y ~ x", FRAME, 5.0, bounds=PAIR, method="rank", rng=1)
    assert r.tidy().columns.tolist() == ["term", "statistic", "p_value"] and r.tidy()["term"].tolist() == ["x"]


def test_the_fit_is_one_row():
    r = RESULTS["regression"]()
    row = r.glance().iloc[0]
    assert (row["r_squared"], row["adj_r_squared"]) == (r.rsquared, r.rsquared_adj)
    assert row["sigma"] == math.sqrt(r.scale) and (row["nobs"], row["epsilon"], row["delta"]) == (400, 1.0, 0.0)
    private = dp.ols("y ~ x", FRAME, 1.0, bounds=PAIR, neighbors="unbounded", rng=1)
    assert private.glance()["nobs"].isna().all()


def test_a_test_is_one_row():
    one = RESULTS["test"]()
    row = one.tidy(0.1).iloc[0]
    assert row["estimate"] == one.params["mean"] and (row["statistic"], row["p_value"]) == (one.statistic, one.pvalue)
    assert (row["conf_low"], row["conf_high"]) == one.conf_int(0.1)
    assert (row["method"], row["alternative"]) == (one.test, "two-sided") and len(one.tidy()) == 1
    two = dp.ttest_ind(X, X / 2, 1.0, **ONE)
    assert two.tidy().columns.tolist()[:3] == ["estimate", "estimate1", "estimate2"]
    assert len({*two.tidy().iloc[0, :3]} & {*two.params}) == 3
    ranks = RESULTS["test without estimates"]().tidy()
    assert ranks.columns.tolist() == ["statistic", "p_value", "method", "alternative"]
    table = RESULTS["table"]().chi2()
    assert table.tidy()["parameter"].tolist() == [table.df] and table.glance()["nobs"].tolist() == [400]


def test_pairs_have_both_p_values():
    pairs = RESULTS["pairs"]()
    tidy = pairs.tidy()
    head = ["group1", "group2", "estimate", "statistic", "adj_p_value", "p_value", "conf_low", "conf_high"]
    assert tidy.columns.tolist() == head and tidy["estimate"].tolist() == pairs.estimate.tolist()
    assert tidy["adj_p_value"].tolist() == pairs.pvalues.tolist()
    assert tidy["p_value"].tolist() == pairs.pvalues_unadjusted.tolist()
    assert list(zip(tidy["group1"], tidy["group2"])) == list(pairs.groups)


@pytest.mark.parametrize("name", ["test", "test of groups", "pairs", "regression", "hypotheses", "joint test"])
def test_frames_say_p_values_as_the_summary_does(name):
    result = RESULTS[name]()
    frame, text = result.to_frame(), result.to_markdown()
    assert frame.columns[-1] == "p" and frame["p-value"].dtype == np.float64
    assert ((frame["p"] == "") == frame["p-value"].isna()).all()
    cells = {cell.strip().replace("\\", "") for cell in text.split("|")}
    assert {*frame["p"]} - {""} <= cells


def test_a_small_p_value_is_a_limit():
    sure = dp.ttest_1samp(X, 0.05, 100.0, **ONE)
    assert sure.to_frame()["p"].tolist() == ["< 1e-06"] and ",< 1e-06" in sure.to_csv()
    fit = dp.ols("y ~ x", FRAME, 1e6, bounds=PAIR, rng=1)
    assert fit.to_frame().loc["x", "p"] == "< 1e-06" and fit.to_frame().loc["x", "p-value"] < 1e-6

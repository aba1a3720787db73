"""The t tests and the analysis of variance that assume normal records."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

import pydpstat as dp

RNG = np.random.default_rng(5)
X, Y = RNG.normal(0.3, 1.0, 110), RNG.normal(0.0, 1.0, 110)
HOW = {"epsilon": 1e5, "bounds": (-4, 4), "rng": 1}
FRAME = {"x": np.concatenate([X, Y]), "g": ["a"] * 110 + ["b"] * 110}

TESTS = {
    "one sample": (lambda **how: dp.ttest_1samp(X, 0, **how), stats.ttest_1samp(X, 0).pvalue),
    "pairs": (lambda **how: dp.ttest_rel(X, Y, **how), stats.ttest_1samp((X - Y).clip(-4, 4), 0).pvalue),
    "two samples": (lambda **how: dp.ttest_ind(X, Y, **how), stats.ttest_ind(X, Y, equal_var=False).pvalue),
    "several": (lambda **how: dp.f_oneway(X, Y, **how), stats.ttest_ind(X, Y, equal_var=False).pvalue),
}


@pytest.mark.parametrize("test", TESTS)
def test_p_values_are_those_of_the_ordinary_test_without_noise(test):
    function, ordinary = TESTS[test]
    found, general = function(**HOW, shape="normal"), function(**HOW)
    # the variances left out add 0.001 in each group, and 1,999 draws have an error of 0.005
    assert found.pvalue == pytest.approx(ordinary, abs=0.012)
    # a large one is the same in both
    assert found.pvalue < max(general.pvalue, 0.5) or found.pvalue == pytest.approx(general.pvalue, abs=0.005)
    said = [each for each in found.assumptions if "close to normal" in each]
    assert len(said) == 1 and said[0] in found.summary().as_text()
    assert not [each for each in general.assumptions if "normal" in each]


def test_an_interval_is_that_of_the_ordinary_test_without_noise():
    usual = stats.ttest_1samp(X, 0).confidence_interval(0.99)
    found = dp.ttest_1samp(X, 0, **HOW, shape="normal").conf_int(0.01)
    # 0.001 of 0.01 are for variances left out
    assert np.allclose(found, usual, atol=0.03)


def test_designs_take_the_shape():
    design = dp.design(FRAME, bounds={"x": (-4, 4)}, levels={"g": ["a", "b"]})
    one = design.ttest_1samp("x", 0, 1e5, shape="normal", rng=1)
    assert "the records' distribution is close to normal" in one.assumptions
    two = design.ttest_ind("x ~ g", 1e5, shape="normal", rng=1)
    assert two.pvalue == pytest.approx(TESTS["two samples"][1], abs=0.012)


@pytest.mark.parametrize("test", ["ttest_1samp", "ttest_rel", "ttest_ind", "f_oneway"])
def test_other_shapes_are_refused(test):
    data = {"ttest_1samp": (X, 0), "f_oneway": (X, Y)}.get(test, (X, Y))
    with pytest.raises(dp.PydpstatError, match="shape must be"):
        getattr(dp, test)(*data, **HOW, shape="skewed")
    with pytest.raises(dp.PydpstatError, match="shape must be"):
        dp.plan(test, 1.0, n=100, effect=0.3, shape=(2, 2))


@pytest.mark.parametrize("arguments", [("ttest_1samp", X, 0.0), ("ttest_rel", X, Y)])
def test_the_exact_test_assumes_no_shape(arguments):
    test, *data = arguments
    with pytest.raises(dp.PydpstatError, match="shape must be 'any' with method 'exact'"):
        getattr(dp, test)(*data, **HOW, method="exact", shape="normal")


@pytest.mark.slow
@pytest.mark.parametrize(("test", "n"), [("ttest_1samp", 110), ("ttest_ind", 220), ("f_oneway", 220)])
def test_the_power_grows_with_epsilon(test, n):
    powers = [dp.plan(test, epsilon, n=n, effect=0.3, shape="normal").power for epsilon in (0.5, 1, 2, 4, 10, 100)]
    # the same records are drawn for each, so that little is left of their error
    assert all(later >= earlier - 0.01 for earlier, later in pairwise(powers))
    assert powers[-1] > dp.plan(test, 100, n=n, effect=0.3).power

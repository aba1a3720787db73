"""Groups compared for the population by one release: differences of means, of proportions, of variables."""

import pickle

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat._null_distributions.proportions.one_proportion import NoisyBinaryCounts
from pydpstat._null_distributions.proportions.two_proportions import ShareDifference
from pydpstat.errors import PydpstatError

X = np.random.default_rng(11).normal(40.0, 12.0, 400)
GROUPS = np.repeat(["u", "v"], 200)
UNIT = {"bounds": (0, 100)}
BOTH = ("bounded", "unbounded")


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", BOTH)
def test_groups_that_differ_are_told_apart(neighbors):
    y = X + np.where(GROUPS == "u", 20.0, 0.0)
    how = {"by": GROUPS, "levels": ["u", "v"], "neighbors": neighbors, "rng": 1}
    for release, truth in (
        (pydpstat.mean(y, 2.0, **UNIT, **how, population=True), y[:200].mean() - y[200:].mean()),
        (pydpstat.proportion(y > 45, 2.0, **how), (y[:200] > 45).mean() - (y[200:] > 45).mean()),
    ):
        found, back, nobody = (release.difference(*pair) for pair in (("u", "v"), ("v", "u"), ("u", "other")))
        low, high = found.conf_int(0.05)
        assert found.pvalue < 0.01 and found.statistic > 3 and low < truth < high
        assert back.conf_int(0.05) == pytest.approx((-high, -low), abs=0.02 * (high - low))
        assert pickle.loads(pickle.dumps(found)).pvalue == found.pvalue
        low, high = nobody.conf_int(1e-6)
        assert nobody.pvalue > 0.05 and low < high
        for pair, said in (("wv", "a must be one of the release's groups"), ("uu", "two different groups")):
            with pytest.raises(PydpstatError, match=said):
                release.difference(*pair)


def test_a_p_value_is_the_level_whose_interval_ends_at_0():
    given_pairs = ShareDifference(NoisyBinaryCounts(62.0, 41.0, 1.0), NoisyBinaryCounts(45.0, 60.0, 1.0))
    p = given_pairs.compute_pvalue()
    # it is found to 1 per cent, upwards
    assert given_pairs.compute_limits(p)[0] >= 0.0 >= given_pairs.compute_limits(0.97 * p)[0]


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", BOTH)
def test_groups_are_compared_in_one_of_several_variables(neighbors):
    frame = pd.DataFrame({"age": X, "income": 0.5 * X + np.where(GROUPS == "u", 20.0, 0.0)})
    how = {"by": GROUPS, "levels": ["u", "v"], "neighbors": neighbors, "rng": 1}
    for release, data in (
        (pydpstat.mean(frame, 1e4, bounds=[(0, 100), (0, 100)], **how, population=True), frame),
        (pydpstat.proportion(frame > 45, 1e4, **how), frame > 45),
    ):
        for variable in frame:
            found = release.difference("u", "v", variable=variable)
            values = dict(found.released)
            assert list(values) == [f"u:{variable}", f"v:{variable}"]
            means = data[variable].groupby(GROUPS).mean()
            assert list(values.values()) == pytest.approx(means.to_list(), abs=0.01)
            assert dict(found.estimates)["difference of u and v"] == pytest.approx(means["u"] - means["v"], abs=0.01)
        for variable in (None, "wealth", 3):
            with pytest.raises(PydpstatError, match=r"variable must be one of .* \(age, income\)"):
                release.difference("u", "v", variable)
    # that of one variable need not be named
    one = pydpstat.proportion(frame[["age"]] > 45, 1.0, **how)
    assert one.difference("u", "v").pvalue == one.difference("u", "v", "age").pvalue


def test_only_means_proportions_and_counts_of_groups_are_compared():
    grouped = {"by": GROUPS, "levels": ["u", "v"]}
    for release in (
        pydpstat.mean(X, 1.0, **UNIT),
        pydpstat.mean(X, 1.0, **UNIT, **grouped),
        pydpstat.std(X, 1.0, **UNIT, **grouped, population=True),
        pydpstat.proportion(X > 40, 1.0),
        pydpstat.histogram(X, 1.0, edges=[0, 50, 100]),
    ):
        with pytest.raises(PydpstatError, match="no (groups that can be compared|intervals for the pop)"):
            release.difference("u", "v")


@pytest.mark.slow
def test_groups_of_private_sizes_have_the_test_of_a_released_mean_by_group():
    x = np.linspace(20.0, 60.0, 500)
    f, m = (pd.Series(x[:size] + shift, name=name) for size, shift, name in ((400, 0, "f"), (300, 5, "m")))
    how = {"bounds": (0, 100), "neighbors": "unbounded", "missing": "drop", "rng": 1}
    r = pydpstat.ttest_ind(f, m, 1.0, **how)
    keys = {"by": np.repeat(["f", "m"], [400, 300]), "levels": ["f", "m"], "other": None}
    other = pydpstat.mean(np.append(f, m), 1.0, **keys, **how, population=True).difference("f", "m")
    assert (r.statistic, r.pvalue, r.conf_int()) == (other.statistic, other.pvalue, other.conf_int())
    assert r.nobs is None and r.guarantee.neighbors == "unbounded" and len(r.released) == 6
    assert not any("group" in each for each in r.guarantee.conditions)
    assert [name for name, _ in r.estimates] == ["mean of f", "mean of m", "difference of f and m"]
    assert r.parameter == "difference of f and m" and "f: lower" in dict(r.released)
    # the mean of m is the larger
    assert pydpstat.ttest_ind(f, m, 1.0, alternative="greater", **how).pvalue > 0.5
    empty = pydpstat.ttest_ind(f, [], 1.0, **how)
    assert empty.pvalue == 1.0 and tuple(empty.conf_int()) == (-100.0, 100.0) and "no record" in empty.remarks[0]

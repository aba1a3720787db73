"""All pairs of the groups of one release, with corrected p-values."""

import pickle

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

import pydpstat
from pydpstat import PairwiseResults, PydpstatError

RNG = np.random.default_rng(1)
REGIONS = ["e", "n", "s", "w"]
GROUPS = np.repeat(REGIONS, 250)
X = RNG.normal(np.repeat([50.0, 50.0, 56.0, 70.0], 250), 10.0)
TRUTHS = RNG.random(1000) < np.repeat([0.3, 0.32, 0.45, 0.9], 250)


def by_region(function, data, **how):
    return function(data, 2.0, by=GROUPS, levels=REGIONS, rng=1, **how)


def shares(**how):
    return by_region(pydpstat.proportion, TRUTHS, **how)


@pytest.fixture(scope="module")
def means():
    return by_region(pydpstat.mean, X, bounds=(0, 120), population=True)


@pytest.mark.slow
@pytest.mark.parametrize("correction, method", [("holm", "holm"), ("bonferroni", "bonferroni")])
@pytest.mark.parametrize("kind", ["means", "shares"])
def test_corrections_are_those_of_statsmodels(kind, correction, method, means):
    found = (means if kind == "means" else shares()).pairs(correction=correction)
    wanted = multipletests(found.pvalues_unadjusted, method=method)[1]
    assert found.pvalues.to_list() == pytest.approx(wanted.tolist(), rel=1e-12)
    assert (found.pvalues >= found.pvalues_unadjusted).all() and found.pvalues.max() <= 1.0
    told, frame = found.to_dict(), found.to_frame()
    assert told["pvalue"] == found.pvalues.to_list() == frame["p-value"].to_list()
    assert told["pvalue_unadjusted"] == frame["unadjusted p-value"].to_list()


@pytest.mark.slow
def test_each_pair_is_the_difference_of_its_groups(means):
    found = means.pairs(correction=None)
    assert found.estimate.index.to_list()[:3] == [("e", "n"), ("e", "s"), ("e", "w")]
    assert len(found.estimate) == 6
    assert found.pvalues.to_list() == found.pvalues_unadjusted.to_list()
    alone = means.difference("e", "w")
    assert found.pvalues["e", "w"] == alone.pvalue
    assert found.estimate["e", "w"] == dict(alone.estimates)["difference of e and w"]


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_with_a_correction_intervals_hold_at_once(correction):
    r = shares()
    found = r.pairs(correction)
    low, high = found.conf_int(0.06).loc[("e", "n")]
    assert (low, high) == r.difference("e", "n").conf_int(0.01)
    alone = r.pairs(None).conf_int(0.01).loc[("e", "n")]
    assert tuple(alone) == (low, high)
    assert "hold simultaneously" in found.summary().as_text() and "Bonferroni" in found.summary().as_text()


def test_the_group_of_other_values_is_left_out():
    assert "other" in shares().estimate.index
    assert not any("other" in pair for pair in shares().pairs().groups)
    # unless it is one of the public levels
    named = pydpstat.proportion(TRUTHS, 2.0, by=GROUPS, levels=[*REGIONS[:3], "other"], rng=1)
    assert ("e", "other") in named.pairs().groups


def test_groups_of_several_keys_are_tuples_and_variables_have_names():
    keys = pd.DataFrame({"region": GROUPS, "sex": np.tile(["f", "m"], 500)})
    frame = pd.DataFrame({"old": TRUTHS, "young": ~TRUTHS})
    levels = {"region": ["e", "w"], "sex": ["f", "m"]}
    r = pydpstat.proportion(frame, 4.0, by=keys, levels=levels, rng=1)
    found = r.pairs(variable="old")
    assert found.groups[0] == (("e", "f"), ("e", "m")) and len(found.groups) == 6
    assert found.variable == "old" and ".pairs('holm', 'old')" in found.call
    assert "e:f - e:m" in found.summary().as_text()
    with pytest.raises(PydpstatError, match="variable must be one of those that were released"):
        r.pairs()


@pytest.mark.slow
def test_a_table_and_a_histogram_by_group_have_pairs():
    frame = pd.DataFrame({"region": GROUPS, "job": np.where(TRUTHS, "yes", "no")})
    cross = pydpstat.crosstab(frame, 4.0, levels={"region": REGIONS, "job": ["no", "yes"]}, rng=1)
    found = cross.pairs(variable="yes")
    assert found.pvalues["e", "w"] < 1e-3 and len(found.groups) == 6
    histogram = by_region(pydpstat.histogram, X, edges=[0, 60, 120])
    assert histogram.pairs(variable="[0, 60)").pvalues["e", "w"] < 1e-3


def test_what_it_is_and_that_it_is_free():
    release = shares()
    found = release.pairs()
    assert isinstance(found, PairwiseResults) and (found.guarantee, found.epsilon) == (release.guarantee, 2.0)
    text = " ".join(found.summary().as_text().split())
    assert "It follows from the release at no additional privacy cost." in text and "holm" in text
    again = pickle.loads(pickle.dumps(found))
    assert again.pvalues.equals(found.pvalues) and "6 pairs" in repr(found)
    told = found.to_dict()
    assert told["pairs"][0] == ["e", "n"] and len(told["interval"]) == 6 and told["epsilon"] == 2.0
    frame = found.to_frame()
    names = ["difference", "statistic", "p-value", "unadjusted p-value", "lower", "upper", "p"]
    assert frame.columns.to_list() == names
    assert (frame["lower"] < frame["difference"]).all() and (frame["difference"] < frame["upper"]).all()


def test_p_values_at_their_floor_are_shown_as_limits():
    found = shares().pairs()
    text = found.summary().as_text()
    # six pairs: the smallest corrected p-value is six times the floor of one
    assert "< 5.1e-06" in text and "< 3.1e-05" in text and "The test returns no p-value below 5e-06." in text


def test_what_is_refused(means):
    with pytest.raises(PydpstatError, match="correction must be one of"):
        means.pairs("tukey")
    for release in (
        pydpstat.mean(X, 1.0, bounds=(0, 120), rng=1),
        by_region(pydpstat.mean, X, bounds=(0, 120)),
    ):
        with pytest.raises(PydpstatError, match="no (groups that can be compared|intervals for the pop)"):
            release.pairs()
    with pytest.raises(PydpstatError, match="two or more"):
        pydpstat.proportion(TRUTHS, 1.0, by=GROUPS, levels=["e"], rng=1).pairs()
    units = shares(unit=np.arange(1000) // 2, max_records=2)
    with pytest.raises(PydpstatError, match="at most one record of each unit"):
        units.pairs()
    assert len(shares(unit=np.arange(1000), max_records=1).pairs().groups) == 6


@pytest.mark.slow
def test_pairs_within_a_key_and_numbers_by_two_keys_side_by_side():
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"a": draw.choice(["x", "y"], 900), "b": draw.choice(["q", "p", "r"], 900), "v": 1.0})
    levels = {"a": ["x", "y"], "b": ["q", "p", "r"]}
    how = {"by": ["a", "b"], "levels": levels, "other": None, "bounds": (0, 2), "rng": 1}
    means = pydpstat.mean(frame, 2.0, **how, population=True)
    found = means.pairs(within="b")
    assert found.groups == tuple((("x", level), ("y", level)) for level in levels["b"])
    every = means.pairs(within=["a"])
    assert [a[0] == b[0] for a, b in every.groups] == [True] * 6 and len(means.pairs().groups) == 15
    with pytest.raises(PydpstatError, match=r"within must be of the release's keys \(a, b\); got 'c'"):
        means.pairs(within="c")
    wide = means.wide()
    assert wide.index.tolist() == ["x", "y"] and wide.columns.tolist() == ["q", "p", "r"]
    assert all(wide.loc[a, b] == means.estimate[a, b] for a in "xy" for b in "pqr")
    table = pydpstat.crosstab(frame[["a", "b"]], 2.0, levels=levels, other=None, rng=1)
    assert table.shares(by="a").wide().equals(table.shares(by="a").estimate)
    for call in (lambda: table.difference("x:p", "y:p"), table.pairs):
        with pytest.raises(PydpstatError, match=r"level of b \('q', 'p', 'r'\) .* Write .*variable='q'\)"):
            call()


@pytest.mark.slow
def test_a_comparison_has_one_p_value_in_either_order():
    shares = by_region(pydpstat.proportion, TRUTHS)
    means = by_region(pydpstat.mean, X, bounds=(0, 120), population=True)
    for release in (shares, means):
        a, b = (str(each) for each in release.params.index[:2])
        one, other = release.difference(a, b), release.difference(b, a)
        assert one.pvalue == other.pvalue and one.statistic == -other.statistic
        low, high = other.conf_int()
        assert tuple(one.conf_int()) == (-high, -low)
        assert one.estimate.tolist() == (-other.estimate).tolist()

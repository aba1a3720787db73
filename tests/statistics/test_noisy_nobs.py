"""The noisy number of records that comes with a mean or a variance."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp

HOW = {"bounds": (0.0, 10.0), "neighbors": "unbounded"}
# of each, how many noisy sums the number is the total of
SUMS = {"mean": 2, "var": 3, "std": 3}
# the draws are seeded: a right law passes each time, a random one would fail once in a million
DEVIATIONS = 4.9


def frame(size=900):
    draw = np.random.default_rng(2)
    data = pd.DataFrame({"x": draw.random(size) * 12 - 1, "y": draw.random(size) * 10})
    return data.assign(k=draw.choice(["a", "b", "c"], size), id=np.arange(size) // 3)


@pytest.mark.parametrize("name", SUMS)
def test_it_is_the_number_of_records(name):
    function, data = getattr(dp, name), frame()
    data.loc[::7, "x"] = np.nan
    how = {**HOW, "missing": "drop", "rng": 1}
    known = data.x.notna()
    one = function(data.x, 1e9, **how)
    assert isinstance(one.noisy_nobs, float) and one.noisy_nobs == pytest.approx(known.sum(), abs=1e-6)
    assert one.nobs is None and one.to_dict()["noisy_nobs"] == one.noisy_nobs
    two = function(data[["x", "y"]], 1e9, **how).noisy_nobs
    assert two.index.tolist() == ["x", "y"] and two.round(5).tolist() == [known.sum(), len(data)]
    groups = function(data[["x", "y", "k"]], 1e9, by="k", levels=["a", "b", "d"], **how)
    expected = data[["x", "y"]].notna().groupby(data.k.where(data.k != "c", "other")).sum()
    assert groups.noisy_nobs.columns.tolist() == ["x", "y"]
    for group, row in groups.noisy_nobs.round(5).iterrows():
        assert row.tolist() == ([0, 0] if group == "d" else expected.loc[group].tolist())
    stated = json.loads(json.dumps(groups.to_dict()))["noisy_nobs"]
    assert stated == groups.noisy_nobs.to_numpy().ravel(order="F").tolist()
    persons = function(data[["y", "id"]], 1e9, unit="id", max_records=2, **how)
    assert persons.noisy_nobs == pytest.approx(len(data) / 3 * 2, abs=1e-6)


@pytest.mark.parametrize("name", SUMS)
def test_its_noise_is_that_of_the_sums(name):
    groups, draws = 200, 40
    data = pd.DataFrame({"x": np.full(groups * 3, 4.0), "k": np.repeat(np.arange(groups), 3)})
    how = {**HOW, "by": "k", "levels": list(range(groups)), "other": None}
    releases = [getattr(dp, name)(data, 0.5, rng=seed, **how) for seed in range(draws)]
    off = np.concatenate([each.noisy_nobs.to_numpy() - 3 for each in releases])
    stated = math.sqrt(SUMS[name]) * float(releases[0].noise.std())
    # a sum of k Laplace variables has the kurtosis 3 + 3 / k; its mean is 0
    error = math.sqrt((2 + 3 / SUMS[name]) / off.size)

    def fits(sd):
        return abs(np.mean(off**2) / sd**2 - 1) < DEVIATIONS * error

    assert fits(stated) and not fits(0.85 * stated) and not fits(1.15 * stated)
    assert abs(off.mean()) < DEVIATIONS * stated / math.sqrt(off.size)


def test_the_standard_error_of_a_mean_rests_on_it():
    found = dp.mean(frame().y, 0.1, rng=3, **HOW)
    place = (found.value - 5.0) / 5.0
    slope = 5.0 * math.sqrt(2 + 2 * place**2) / found.noisy_nobs
    assert found.bse.iloc[0] == pytest.approx(slope * float(found.noise.std()), rel=1e-12)


def test_other_releases_have_none():
    data = frame()
    bounded = dp.mean(data.x, 1.0, bounds=(0, 10), rng=1)
    total = dp.sum(data.x, 1.0, rng=1, **HOW)
    share = dp.proportion(data.x > 5, 1.0, neighbors="unbounded", rng=1)
    for found in (bounded, total, share):
        assert found.noisy_nobs is None and "noisy_nobs" not in found.to_dict()

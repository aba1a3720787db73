"""Weighted statistics of a part of a sample: how many of its records that part has is random."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.errors import PydpstatError

N = 4000
ALMOST_WITHOUT_NOISE = 1e8
FACTS = {
    "bounds": {"y": (0, 100), "w": (0, 2)},
    "levels": {"size": ["s", "l"], "inside": [False, True]},
    "weights": "w",
}


def sample(seed: int = 1) -> pd.DataFrame:
    """Return a sample of two strata, of which a tenth is of the domain."""
    rng = np.random.default_rng(seed)
    size = np.repeat(["s", "l"], N // 2)
    y = np.where(size == "s", 20.0, 80.0) + rng.normal(0.0, 1.0, N)
    w = np.where(rng.random(N) < 0.5, 1.0, 2.0)
    return pd.DataFrame({"size": size, "y": y, "w": w, "inside": rng.random(N) < 0.1})


def within(frame: pd.DataFrame, z: pd.Series) -> float:
    """Return the standard error of a sum over a sample by strata: `survey`'s, with replacement."""
    return float(np.sqrt(sum(n.size * n.var() for _, n in z.groupby(frame["size"]))))


def half_width(r) -> float:
    low, high = r.conf_int(kind="population").to_numpy()[0]
    return (high - low) / 2 / 1.96


def test_a_subset_of_strata_has_the_error_of_a_domain():
    frame = sample()
    design = dp.design(frame, strata="size", rng=1, **FACTS).subset("inside")
    inside = frame[frame["inside"]]
    mean = design.weighted_mean("y", ALMOST_WITHOUT_NOISE)
    assert float(mean) == pytest.approx(np.average(inside["y"], weights=inside["w"]), abs=1e-6)
    linear = frame["w"].where(frame["inside"], 0.0) * (frame["y"] - float(mean)) / inside["w"].sum()
    # the reference draws are 8,192 and their quantiles right to two per cent
    assert half_width(mean) == pytest.approx(within(frame, linear), rel=0.06)
    total = design.weighted_total("y", ALMOST_WITHOUT_NOISE)
    products = (frame["w"] * frame["y"]).where(frame["inside"], 0.0)
    assert float(total) == pytest.approx(products.sum(), rel=1e-6)
    assert half_width(total) == pytest.approx(within(frame, products), rel=0.06)


def test_records_that_are_read_in_parts_have_the_same_domain():
    frame = sample()
    parts = iter([frame.iloc[:1500], frame.iloc[1500:]])
    one, other = (
        dp.design(each, strata="size", rng=1, **FACTS).subset("inside and y > 10").weighted_mean("y", 1.0)
        for each in (frame, parts)
    )
    assert one.to_dict() == other.to_dict()


@pytest.mark.slow
def test_records_that_are_dropped_are_of_their_strata():
    frame = sample()
    design = dp.design(frame, strata="size", rng=1, **FACTS)
    gone = frame.assign(y=frame["y"].where(frame["inside"]), w=frame["w"].where(frame["inside"]))
    for data in (gone, gone.assign(w=frame["w"]), gone.assign(y=frame["y"])):
        dropping = dp.design(data, strata="size", missing="drop", rng=1, **FACTS)
        for name in ("weighted_mean", "weighted_total"):
            one, other = (
                getattr(each, name)("y", ALMOST_WITHOUT_NOISE) for each in (design.subset("inside"), dropping)
            )
            assert float(one) == pytest.approx(float(other), rel=1e-6)
            # of other reference draws
            assert half_width(one) == pytest.approx(half_width(other), rel=0.02)
    share = dropping.weighted_proportion("y > 50", ALMOST_WITHOUT_NOISE)
    linear = gone["w"].fillna(0.0) * ((frame["y"] > 50) - float(share)) / gone["w"].sum()
    assert half_width(share) == pytest.approx(within(frame, linear), rel=0.06)


def test_what_is_outside_of_a_subset_may_be_missing():
    frame = sample()
    gone = frame.assign(y=frame["y"].where(frame["inside"]), w=frame["w"].where(frame["inside"]))
    for strata in ("size", None):
        whole, part = (dp.design(each, strata=strata, rng=1, **FACTS).subset("inside") for each in (frame, gone))
        for name in ("weighted_mean", "weighted_total"):
            assert float(getattr(whole, name)("y", 1.0)) == float(getattr(part, name)("y", 1.0))


@pytest.mark.slow
def test_the_total_of_a_subset_varies_with_its_number_of_records():
    frame = sample()
    frame["y"], frame["w"] = 50.0, 1.0
    facts = {**FACTS, "bounds": {"y": (0, 50), "w": (0, 1)}}
    subset = dp.design(frame, rng=1, **facts).subset("inside")
    number, share = frame["inside"].sum(), frame["inside"].mean()
    total = subset.weighted_total("y", ALMOST_WITHOUT_NOISE)
    assert half_width(total) == pytest.approx(50.0 * np.sqrt(number * (1.0 - share)), rel=0.06)
    # by group the records outside are not counted: they may be any number
    by = subset.weighted_total("y", ALMOST_WITHOUT_NOISE, by="size").conf_int(kind="population")
    each = frame[frame["inside"]]["size"].value_counts()[["s", "l"]].to_numpy()
    halves = np.diff(by.to_numpy()[:2], axis=1)[:, 0] / 2 / 1.96
    assert halves == pytest.approx(50.0 * np.sqrt(each), rel=0.06)
    dropping = dp.design(frame.assign(y=frame["y"].where(frame["inside"])), missing="drop", rng=1, **facts)
    assert half_width(dropping.weighted_total("y", ALMOST_WITHOUT_NOISE)) == pytest.approx(half_width(total), rel=0.02)


def test_a_total_says_that_one_record_of_each_unit_counts():
    frame = sample().assign(person=np.arange(N) % 1000)
    facts = {**FACTS, "unit": "person", "rng": 1}
    with pytest.raises(PydpstatError, match="max_records must be 1.*one record of each person counts"):
        dp.design(frame, max_records=4, **facts).weighted_total("y", 1.0)
    for neighbors in ("bounded", "unbounded"):
        total = dp.design(frame, neighbors=neighbors, **facts).weighted_total("y", 1.0)
        assert total.post.steps[0].endswith(", in which one record of each person counts")
        assert "one record of each person counts" in str(total.summary()).replace("\n", " ")
    assert "record" not in dp.design(frame, **{**FACTS, "rng": 1}).weighted_total("y", 1.0).post.steps[0]


@pytest.mark.slow
def test_intervals_of_a_subset_of_strata_cover_the_mean():
    covered = 0
    for seed in range(30):
        design = dp.design(sample(seed), strata="size", rng=seed, **FACTS).subset("inside")
        low, high = design.weighted_mean("y", 10.0).conf_int(kind="population").to_numpy()[0]
        covered += low <= 50.0 <= high
    # at a rate of 0.95 fewer than 25 have a probability of 0.3 per cent
    assert covered >= 25

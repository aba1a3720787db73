"""Statistics by group: what pandas' groupby has, with its names and gaps, and noise as of one group alone."""

import datetime
import math

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PydpstatError
from tests.statistics.grouped import CLOSE, EPSILON, FRAME, GROUPS, NUMBERS, OPEN, STATISTICS, TRUTHS, data_of, released

GAUSSIAN = {"mechanism": "gaussian", "delta": 1e-5}


def expected(name, data, keys):
    """What pandas' groupby has."""
    groups = data.groupby(keys[0] if len(keys) == 1 else keys)
    rest = [column for column in data.columns if column not in keys]
    if name == "proportion":
        return groups[rest].mean()
    return groups[rest].sum() if name == "count" else getattr(groups[rest], name)()


@pytest.mark.parametrize(
    "keys, columns, neighbors",
    [
        (["g"], ["x"], "bounded"),
        (["g", "h"], ["x"], "unbounded"),
        (["g"], ["x", "y"], "unbounded"),
        (["h", "g"], ["x", "y", "z"], "bounded"),
        (["h", "g"], ["x", "y", "z"], "unbounded"),
    ],
)
@pytest.mark.parametrize("name", STATISTICS)
def test_each_group_has_what_groupby_has(name, keys, columns, neighbors):
    if name in ("cov", "corr") and len(columns) < 2:
        columns = ["y", "x"]
    data = data_of(name)[[*columns, *keys]]
    levels = {"g": ["a", "b", "c"], "h": [0, 1]}
    chosen = {key: levels[key] for key in keys}
    r = released(name, data, by=keys, levels=chosen, other=None, neighbors=neighbors)
    truth = expected(name, data, keys)
    if len(columns) == 1:
        truth = truth["x"]
    found = r.estimate
    np.testing.assert_allclose(found.to_numpy(), truth.to_numpy(dtype=float), atol=CLOSE, rtol=1e-8)
    assert found.index.tolist() == truth.index.tolist()
    named = list(found.index.names)
    assert [name or None for name in named[: len(keys)]] == keys
    if len(columns) > 1:
        assert list(found.columns) == columns
    else:
        assert found.name == "x"


WAYS = {
    "names": lambda: (FRAME[["x", "g", "h"]], {"by": ["g", "h"]}),
    "a frame": lambda: (FRAME.x, {"by": FRAME[["g", "h"]]}),
    "Series": lambda: (FRAME.x, {"by": (FRAME.g, FRAME.h)}),
    "arrays": lambda: (FRAME.x.to_numpy(), {"by": (FRAME.g.to_numpy(), FRAME.h.to_numpy())}),
    "lists": lambda: (FRAME.x.tolist(), {"by": (FRAME.g.tolist(), FRAME.h.tolist())}),
    "a dict": lambda: (FRAME.x, {"by": {"g": FRAME.g.tolist(), "h": FRAME.h}}),
    "nullable types": lambda: (FRAME.x.astype("Float64"), {"by": FRAME[["g", "h"]].convert_dtypes()}),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_container_gives_the_same(way):
    data, options = WAYS[way]()
    r = released("mean", data, **options, levels=[["a", "b", "c"], [0, 1]], **OPEN)
    usual = released("mean", FRAME[["x", "g", "h"]], by=["g", "h"], levels=[["a", "b", "c"], [0, 1]], **OPEN)
    assert r.value.tolist() == usual.value.tolist()
    assert r.labels.rows == usual.labels.rows


def test_one_key_as_a_list_of_texts_beside_an_array():
    r = released("mean", FRAME.x.to_numpy(), by=FRAME.g.tolist(), levels=["a", "b", "c"])
    assert r.value[:3] == pytest.approx(FRAME.groupby("g").x.mean().to_numpy(), abs=CLOSE)
    assert r.estimate.index.name is None


@pytest.mark.parametrize("name", ["cov", "corr"])
def test_two_variables_beside_their_groups(name):
    r = getattr(pydpstat, name)(
        FRAME.x, FRAME.y, EPSILON, bounds=(0, 10), by=FRAME.g, levels=["a", "b", "c"], other=None, rng=1
    )
    true = {"cov": np.cov, "corr": np.corrcoef}[name]
    truth = [true(group.x, group.y)[0, 1] for _, group in FRAME.groupby("g")]
    assert r.value == pytest.approx(truth, abs=CLOSE)
    assert r.estimate.index.tolist() == ["a", "b", "c"] and r.estimate.index.name == "g"
    assert r.estimate.name == "x, y"


@pytest.mark.parametrize("name", STATISTICS)
def test_a_unit_of_as_many_records_as_it_has_changes_no_value(name):
    data = data_of(name)[["x", "y", "g", "p"]]
    r = released(name, data, by="g", levels=["a", "b", "c"], other=None, unit="p", max_records=400)
    truth = expected(name, data.drop(columns="p"), ["g"])
    np.testing.assert_allclose(r.estimate.to_numpy(), truth.to_numpy(float), atol=400 * CLOSE, rtol=1e-5)


def test_categories_are_levels_and_their_order_is_kept():
    kind = pd.Categorical(FRAME.g, categories=["c", "a", "unused", "b"])
    r = released("count", TRUTHS.x, by=kind, levels="declared", **OPEN)
    assert r.estimate.index.tolist() == ["c", "a", "unused", "b"] and "levels='declared'" in r.call
    truth = TRUTHS.groupby("g").x.sum()
    assert r.estimate.tolist() == [truth["c"], truth["a"], 0, truth["b"]]
    assert any("categories are public" in each for each in r.guarantee.conditions)
    given = released("count", TRUTHS.x, by=kind, levels=["c", "a", "b"], **OPEN)
    assert given.estimate.index.tolist() == ["c", "a", "b", "other"]
    assert not any("categories are public" in each for each in given.guarantee.conditions)


@pytest.mark.parametrize("name", ["mean", "cov", "count"])
def test_categories_are_public_only_where_somebody_says_so(name):
    data = data_of(name)[["x", "y", "g"]].astype({"g": "category"})
    with pytest.raises(PydpstatError) as caught:
        released(name, data, by="g")
    said = str(caught.value)
    assert said.startswith("levels must be given with by") and "levels='declared'" in said
    r = released(name, data, by="g", levels="declared")
    assert any("categories are public" in each for each in r.guarantee.conditions)


def test_what_is_no_level_is_other_or_nothing():
    truth = TRUTHS.groupby("g").x.sum()
    rest = truth["a"] + truth["c"]
    for levels, other, found in (
        (["b"], {}, {"other": rest}),
        (["b"], {"other": "rest"}, {"rest": rest}),
        (["b"], {"other": None}, {}),
        # a level of that name takes them in
        (["b", "a"], {"other": "a"}, {"a": rest}),
    ):
        r = released("count", TRUTHS[["x", "g"]], by="g", levels=levels, **other)
        assert r.estimate.to_dict() == {"b": truth["b"], **found}


LEVEL_TYPES = {
    "ints": ([3, 1, 2], [3, 1, 2]),
    "floats": ([0.5, -1.5, 2.0], [0.5, -1.5, 2.0]),
    "bools": ([True, False], [True, False]),
    "texts": (["b", "a", ""], ["b", "a", ""]),
    "dates": (list(np.array(["2020-01-01", "2020-02-01"], "M8[D]")), ["2020-01-01", "2020-02-01"]),
    "days": ([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], ["2020-01-01", "2021-01-01"]),
}


@pytest.mark.parametrize("kind", LEVEL_TYPES)
def test_levels_keep_their_order_and_plain_types(kind):
    levels, shown = LEVEL_TYPES[kind]
    key = [levels[i % len(levels)] for i in range(60)]
    by = np.array(key) if kind == "dates" else key
    r = released("count", [True] * 60, by=by, levels=levels, other=None)
    assert r.estimate.index.tolist() == shown
    assert [type(each) for each in r.estimate.index] == [type(each) for each in shown]
    assert r.estimate.tolist() == [60 / len(levels)] * len(levels)
    two = released("count", [True] * 60, by={"k": by, "l": ["u"] * 60}, levels=[levels, ["u"]], other=None)
    assert two.estimate.index.tolist() == [(each, "u") for each in shown]


GAPS = pd.DataFrame(
    {
        "x": [1.0, np.nan, 3.0, 4.0, np.nan, 6.0, 7.0, 8.0, 9.0],
        "y": [2.0, 1.0, np.nan, 4.0, np.nan, 6.0, 9.0, 8.0, 1.0],
        "g": ["a", "a", "a", "a", "b", "b", "b", None, "c"],
    }
)


@pytest.mark.parametrize("name", NUMBERS)
def test_missing_values_of_numbers(name):
    two = name in ("cov", "corr")
    columns = ["x", "y", "g"] if two else ["x", "g"]
    data = GAPS[columns]
    with pytest.raises(PydpstatError, match="^missing must say"):
        released(name, data, by="g", levels=["a", "b"])
    with pytest.raises(PydpstatError, match="^missing must say"):
        released(name, data.dropna(subset=columns[:-1]), by="g", levels=["a", "b"])
    with pytest.raises(PydpstatError, match="^missing must not be 'drop'"):
        released(name, data, by="g", levels=["a", "b"], missing="drop", neighbors="bounded")
    pick = (lambda r: r[0, 1]) if two else (lambda r: float(r))
    some = released(name, data, by="g", levels=["a", "b"], missing="drop", **OPEN)
    filled = released(name, data, by="g", levels=["a", "b"], missing=5, neighbors="bounded")
    assert list(dict.fromkeys(row[0] for row in some.labels.rows)) == ["a", "b", "other"]
    for result, kept in ((some, data.dropna()), (filled, data.fillna({"x": 5, "y": 5}))):
        group = kept.g.where(kept.g.isin(["a", "b"]), "other")
        for place, level in enumerate(["a", "b", "other"]):
            own = kept[group == level].drop(columns="g")
            if len(own) < 2:
                continue
            truth = getattr(own, name)().to_numpy()
            assert pick(result.value[place]) == pytest.approx(truth[0, 1] if two else truth[0], abs=1e-5)
    assert filled.value.shape == some.value.shape


@pytest.mark.parametrize("name", ["count", "proportion"])
def test_missing_truth_values(name):
    truths, groups = [True, None, False, True, None, True], ["a", "a", "a", "b", "b", None]
    data = pd.DataFrame({"t": truths, "g": groups}, dtype=object)
    options = {"by": "g", "levels": ["a", "b"], **OPEN}
    with pytest.raises(PydpstatError, match="^missing must say"):
        released(name, data, **options)
    share = name == "proportion"
    dropped, true, false = (released(name, data, **options, missing=each) for each in ("drop", True, False))
    # a missing key: left out with "drop", and in other where values are filled; noise is far below 1e-6, but
    # the share of a single record, whose noisy number may be at most 1, is not asked for
    assert dropped.value == pytest.approx([0.5, 1, 0.5] if share else [1, 1, 0], abs=CLOSE)
    assert true.value == pytest.approx([2 / 3, 1, 1] if share else [2, 2, 1], abs=CLOSE)
    assert false.value == pytest.approx([1 / 3, 0.5, 1] if share else [1, 1, 1], abs=CLOSE)


def test_columns_of_one_frame_drop_their_own_missing_values():
    r = released("sum", GAPS, by="g", levels=["a", "b", "c"], other=None, missing="drop", **OPEN)
    truth = GAPS.groupby("g")[["x", "y"]].sum()
    np.testing.assert_allclose(r.estimate.to_numpy(), truth.to_numpy(), atol=CLOSE)


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("name", STATISTICS)
def test_no_records_at_all_and_groups_of_none_and_one(name, neighbors):
    # what is published of no record, whatever the noise
    usual = {"mean": 5.0, "proportion": 0.5, "corr": math.nan}.get(name, 0.0)
    for rows in (0, 1):
        data = data_of(name)[["x", "y", "g"]][:rows]
        r = released(name, data, by="g", levels=["no", "none"], other=None, neighbors=neighbors)
        values = r.value[:, 0, 1] if name in ("cov", "corr") else r.value
        assert values == pytest.approx(np.full(values.shape, usual), abs=2 * CLOSE, nan_ok=True)
        assert r.nobs is None
    one = released("sum", FRAME[["x", "g"]][:1], **GROUPS, neighbors=neighbors)
    assert float(one.estimate[FRAME.g[0]]) == pytest.approx(FRAME.x[0], abs=CLOSE)


PAIRS = [(name, mechanism) for name in STATISTICS for mechanism in ("laplace", "gaussian")]


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("name, mechanism", PAIRS)
def test_each_group_has_the_noise_of_a_release_of_its_own(name, mechanism, columns):
    chosen = ["x", "y"] if name in ("cov", "corr") or columns == 2 else ["x"]
    gauss = mechanism == "gaussian"
    how = {"mechanism": mechanism} if not gauss else GAUSSIAN
    if name in ("count", "proportion") and not gauss:
        how = {}
    data = data_of(name)
    alone = released(name, data[chosen] if len(chosen) > 1 else data.x, 1.0, **how, **OPEN)
    open_, bounded = (
        released(name, data[[*chosen, "g"]], 1.0, **GROUPS, **how, neighbors=neighbors)
        for neighbors in ("unbounded", "bounded")
    )
    # the noise of several columns' sums is in units of their sensitivities
    scale_of = (lambda r: r.bse.unique()) if name == "sum" else (lambda r: np.unique(r.noise_scale))
    scale, factor = scale_of(alone), math.sqrt(2) if gauss else 2.0
    assert scale_of(open_) == pytest.approx(np.full(scale_of(open_).shape, scale[0]), rel=1e-9)
    # discrete Gaussian noise has a curve that is no multiple, and that of more than two counts is not exact
    near = {1: 0.01, 2: 0.09}[columns] if gauss and name in ("count", "proportion") else 1e-9
    found = scale_of(bounded)
    assert found == pytest.approx(np.full(found.shape, factor * scale[0]), rel=near)
    assert scale.max() == pytest.approx(scale.min(), rel=1e-9)

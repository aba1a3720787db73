"""crosstab: shapes and levels that do not depend on the data, and levels found in them."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat._null_distributions.proportions.shares import compute_share_limits
from pydpstat.mechanisms import SymmetricGeometricNoise
from pydpstat.statistics.tables import compute_threshold

# so large that the noise is 0 with all but 1e-80 probability
EXACT = 200.0
TEXTS = ["yes", "no", "yes", "perhaps", "yes"]


@pytest.mark.parametrize(
    "data",
    [
        TEXTS,
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        pd.Series(TEXTS, dtype="string"),
        pd.Series(pd.Categorical(TEXTS, categories=["perhaps", "unused", "no", "yes"])),
        pd.CategoricalIndex(TEXTS),
    ],
    ids=lambda data: type(data).__name__,
)
def test_one_variable(data):
    r = pydpstat.crosstab(data, EXACT, levels=["no", "yes"])
    assert r.estimate.to_dict() == {"no": 1, "yes": 3, "other": 1}
    assert r.nobs == 5 and r.sensitivity == 2.0 and r.estimate.name == "table"
    # an empty level is there, and no more levels than asked for
    again = pydpstat.crosstab(data, EXACT, levels=["never", "yes"], neighbors="unbounded")
    assert again.estimate.to_dict() == {"never": 0, "yes": 3, "other": 2}
    assert again.nobs is None and again.sensitivity == 1.0


@pytest.mark.parametrize(
    "data, levels, expected",
    [
        ([1, 2, 2, 7], [1, 2], [1, 2, 1]),
        (np.array([1, 2, 2], dtype=np.int8), (1, 2), [1, 2, 0]),
        (np.array([True, False]), [0, 1], [1, 1, 0]),
        ([0, 1, 2], [False, True], [1, 1, 1]),
        (["1", 1, 1.0], [1], [2, 1]),
        ([[1], {2}, "a"], ["a"], [1, 2]),
        (pd.to_datetime(["2020-01-01", "2021-01-01"]), pd.to_datetime(["2020-01-01"]), [1, 1]),
        ([], ["a"], [0, 0]),
        ([10**400, 3], [3], [1, 1]),
    ],
)
def test_values_of_all_types(data, levels, expected):
    assert pydpstat.crosstab(data, EXACT, levels=levels).value.tolist() == expected


def test_two_variables_make_a_frame():
    frame = pd.DataFrame({"sex": ["f", "m", "f", "x"], "answer": [1, 2, 2, 3]})
    expected = [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    for levels in ({"answer": [1, 2], "sex": ["f", "m"]}, [["f", "m"], [1, 2]]):
        r = pydpstat.crosstab(frame, EXACT, levels=levels)
        assert r.estimate.index.tolist() == ["f", "m", "other"] and r.estimate.index.name == "sex"
        assert r.estimate.columns.tolist() == [1, 2, "other"] and r.estimate.columns.name == "answer"
        assert r.estimate.to_numpy().tolist() == expected and np.asarray(r).tolist() == expected
        assert r.summary().as_text().splitlines()[2].split() == ["1", "2", "other"]
    pair = pydpstat.crosstab((frame["sex"], frame["answer"]), EXACT, levels=levels)
    assert pair.estimate.equals(r.estimate)
    unnamed = pydpstat.crosstab((frame["sex"].tolist(), [1, 2, 2, 3]), EXACT, levels=levels)
    assert unnamed.value.tolist() == expected and unnamed.estimate.index.name is None
    named = pydpstat.crosstab(dict(frame), EXACT, levels={"sex": ["f", "m"], "answer": [1, 2]})
    assert named.estimate.equals(r.estimate)


def test_three_variables_make_a_multi_index():
    frame = pd.DataFrame({"a": list("xyxy"), "b": [1, 1, 2, 2], "c": [True, True, False, True]})
    r = pydpstat.crosstab(frame, EXACT, levels=[["x", "y"], [1, 2], [False, True]], other=None)
    assert r.estimate.index.names == ["a", "b", "c"] and r.estimate.size == 8
    assert r.estimate["x", 2, False] == 1 and r.estimate["x", 2, True] == 0 and r.value.sum() == 4
    assert r.value.shape == (2, 2, 2) and r.value[0, 1, 0] == 1


def test_declared_categories():
    first = pd.Categorical(["b", "a", "b"], categories=["a", "b", "unused"])
    r = pydpstat.crosstab(first, EXACT, levels="declared")
    assert r.estimate.to_dict() == {"a": 1, "b": 2, "unused": 0}
    assert any("declared categories" in line for line in r.guarantee.conditions)
    frame = pd.DataFrame({"one": first, "two": pd.Categorical([1, 2, 2])})
    assert pydpstat.crosstab(frame, EXACT, levels="declared").estimate.loc["b"].tolist() == [1, 1]
    for data in (["a"], pd.DataFrame({"one": first, "two": [1, 2, 2]})):
        with pytest.raises(pydpstat.PydpstatError, match="Categorical"):
            pydpstat.crosstab(data, 1.0, levels="declared")


def test_other():
    named = pydpstat.crosstab(TEXTS, EXACT, levels=["no", "yes"], other="rest")
    assert named.estimate.to_dict() == {"no": 1, "yes": 3, "rest": 1} and "other='rest'" in named.call
    assert pydpstat.crosstab(TEXTS, EXACT, levels=["no", "other"]).estimate.to_dict() == {"no": 1, "other": 4}
    left_out = pydpstat.crosstab(TEXTS, EXACT, levels=["no", "yes"], other=None)
    assert left_out.estimate.to_dict() == {"no": 1, "yes": 3}
    with pytest.raises(pydpstat.PydpstatError, match="other"):
        pydpstat.crosstab(TEXTS, 1.0, levels=["no"], other=3)


def test_missing_values():
    data = {"a": ["x", None, "x", "q"], "b": [1.0, 1.0, np.nan, 1.0]}
    levels = {"a": ["x"], "b": [1]}
    with pytest.raises(pydpstat.PydpstatError, match="missing"):
        pydpstat.crosstab(data, 1.0, levels=levels)
    r = pydpstat.crosstab(data, EXACT, levels=levels, missing="none")
    assert r.estimate.columns.tolist() == [1, "other", "none"] and r.value.sum() == 4
    assert r.estimate.loc["none", 1] == 1 and r.estimate.loc["x", "none"] == 1
    # the level is there without a missing value as well, and may be one of the others
    full = pydpstat.crosstab(["x"], EXACT, levels=["x"], missing="none").estimate
    assert full.to_dict() == {"x": 1, "other": 0, "none": 0}
    same = pydpstat.crosstab(["x", None, "q"], EXACT, levels=["x"], missing="other").estimate
    assert same.to_dict() == {"x": 1, "other": 2}
    dropped = pydpstat.crosstab(data, EXACT, levels=levels, missing="drop", neighbors="unbounded")
    assert dropped.value.tolist() == [[1, 0], [1, 0]]
    with pytest.raises(pydpstat.PydpstatError, match="drop"):
        pydpstat.crosstab(data, 1.0, levels=levels, missing="drop")
    category = pd.Categorical(["a", None, "a"])
    assert pydpstat.crosstab(category, EXACT, levels="declared", missing="a").estimate.to_dict() == {"a": 3}
    assert pydpstat.crosstab(category, EXACT, levels=["a"], missing="?").value.tolist() == [2, 0, 1]


def test_empty_cells_get_noise():
    r = pydpstat.crosstab(["a"], 0.1, levels=list(range(300)), rng=1)
    assert (r.value[:300] != 0).mean() > 0.8


@pytest.mark.parametrize("neighbors, reach", [("bounded", 2**0.5), ("unbounded", 1.0)])
def test_gaussian_noise(neighbors, reach):
    how = {"delta": 1e-6, "mechanism": "gaussian", "neighbors": neighbors, "rng": 1}
    r = pydpstat.crosstab(TEXTS, 1.0, levels=["no"], **how)
    assert reach <= r.sensitivity <= reach * (1 + 1e-15) and r.guarantee.delta == 1e-6


TWO = {"a": TEXTS, "b": TEXTS}


@pytest.mark.parametrize(
    "data, levels, word",
    [
        (TEXTS, "declard", "declared"),
        *((TEXTS, levels, "levels") for levels in ([], 3, [["a"], ["b"]])),
        (TEXTS, ["a", "a"], "without repetition"),
        (TEXTS, ["a", None], "none missing"),
        (TEXTS, [1, "1"], "differ as strings"),
        (TWO, [["yes"]], "levels"),
        (TWO, [range(5000), range(5000)], "cells"),
        ({"a": TEXTS, "b": TEXTS[:2]}, [["yes"], ["no"]], "length"),
        ({}, [], "at least one"),
        (np.zeros((3, 2)), [0], "matrix"),
        *((data, ["yes"], "data") for data in (None, "yes")),
    ],
)
def test_errors_name_the_argument(data, levels, word):
    with pytest.raises(pydpstat.PydpstatError, match=word):
        pydpstat.crosstab(data, 1.0, levels=levels)


def test_found_levels_pass_a_threshold():
    data = ["often"] * 300 + [1.5] * 200 + ["rare"]
    r = pydpstat.crosstab(data, 1.0, levels="discover", delta=1e-6)
    assert r.estimate.index.tolist() == [1.5, "often"]
    assert (r.value >= compute_threshold(r_rate(r), 1e-6)).all()
    assert r.guarantee.epsilon == 1.0 and r.guarantee.delta == 1e-6
    assert any("found in the data" in line for line in r.guarantee.conditions)
    assert r.sensitivity == 2.0 and r.noise == SymmetricGeometricNoise(1.0, 2)
    assert "left out" in r.postprocessing[0] and "levels='discover'" in r.call
    nothing = pydpstat.crosstab(["rare"], 1.0, levels="discover", delta=1e-6, neighbors="unbounded")
    assert nothing.value.size == 0 and nothing.nobs is None and len(nothing.estimate) == 0
    assert pydpstat.crosstab([], 1.0, levels="discover", delta=1e-6).value.size == 0


@pytest.mark.parametrize("dtype", [object, "str"])
def test_found_texts_are_counted_beside_other_values(dtype):
    texts = ["b"] * 40 + ["a"] * 60 + ["7"] * 30
    how = {"levels": "discover", "delta": 1e-6, "neighbors": "unbounded", "missing": "drop"}
    data = pd.Series([*texts, None, *["a"] * 5], dtype=dtype)
    found = pydpstat.crosstab(data, EXACT, **how)
    assert found.estimate.to_dict() == {"7": 30, "a": 65, "b": 40}
    mixed = [*texts, 7, None, *[np.str_("a")] * 5, *[7] * 29, *[True] * 35, np.nan, *["b"] * 3]
    found = pydpstat.crosstab(np.array(mixed, dtype=object), EXACT, **how)
    assert list(zip(found.estimate.index, found.value)) == [(True, 35), (7, 30), ("7", 30), ("a", 65), ("b", 43)]


def r_rate(result):
    return Fraction(result.noise.epsilon) / int(result.noise.sensitivity)


@pytest.mark.slow
@pytest.mark.parametrize("neighbors, rate", [("bounded", 0.5), ("unbounded", 1.0)])
def test_a_single_record_is_found_with_probability_delta(neighbors, rate):
    delta, draws = 0.05, 1500
    chance = 1.0 - SymmetricGeometricNoise(rate).cdf(compute_threshold(Fraction(rate), delta) - 2)
    how = {"levels": "discover", "delta": delta, "neighbors": neighbors}
    found = sum(pydpstat.crosstab(["x"], 1.0, **how).value.size for _ in range(draws))
    assert chance <= delta
    assert abs(found - draws * chance) < 5 * (draws * chance) ** 0.5


def test_the_order_of_found_levels_says_nothing():
    for data in (["b"] * 90 + ["a"] * 80, ["a"] * 80 + ["b"] * 90):
        r = pydpstat.crosstab(data, 5.0, levels="discover", delta=1e-6, rng=1)
        assert r.estimate.index.tolist() == ["a", "b"]


def test_what_a_found_level_is_called_depends_on_its_records_alone():
    for data in ([1] * 50 + [True] * 60 + [1.0] * 70, [True] * 60 + [1.0] * 70 + [1] * 50):
        r = pydpstat.crosstab(data, EXACT, levels="discover", delta=1e-6)
        found = [(type(level), count) for level, count in zip(r.estimate.index, r.value)]
        assert found == [(bool, 60), (float, 70), (int, 50)]
    zeros = pydpstat.crosstab([-0.0] * 50 + [0.0] * 50, EXACT, levels="discover", delta=1e-6)
    assert list(map(str, zeros.estimate.index)) == ["0.0"] and zeros.value.tolist() == [100]
    tens = [Decimal("1.0")] * 50 + [Decimal("1")] * 40
    found = pydpstat.crosstab(tens, EXACT, levels="discover", delta=1e-6)
    assert found.estimate.to_dict() == {"1": 40, "1.0": 50}
    for data in (np.array([3, 3, 4]), pd.Series([3, 3, None, 4], dtype="Int64"), pd.Categorical([3, 4, 3])):
        how = {"levels": "discover", "delta": 0.1, "missing": "drop", "neighbors": "unbounded"}
        r = pydpstat.crosstab(data, EXACT, **how)
        assert r.estimate.to_dict() == {3: 2}


@pytest.mark.parametrize("kind", [">i4", "f2", "g", "U1", "S1", "?", "M8[D]"])
def test_arrays_of_all_types(kind):
    data = np.array([0, 1, 1] * 40).astype(kind)
    level = data[1].item()
    r = pydpstat.crosstab(data, EXACT, levels=[level])
    assert r.value.tolist() == [80, 40]
    found = pydpstat.crosstab(data, EXACT, levels="discover", delta=1e-6)
    assert sorted(found.value.tolist()) == [40, 80]


@pytest.mark.parametrize("first", ["a", 1, None, True, pd.Timestamp("2020-01-01"), 2.5])
def test_a_value_is_placed_without_regard_to_the_others(first):
    # whatever stands beside it, 1 is the level 1 and "x" is none
    r = pydpstat.crosstab([first] * 3 + [1, 1, "x"], EXACT, levels=[1, "b"], missing="gone")
    others = {1: 5}.get(first, 2)
    assert r.estimate[1] == others and r.estimate["b"] == 0


def test_missing_values_of_found_levels():
    data, how = ["a"] * 90 + [None] * 80, {"levels": "discover", "delta": 1e-6, "neighbors": "unbounded"}
    with pytest.raises(pydpstat.PydpstatError, match="missing"):
        pydpstat.crosstab(data, 1.0, **how)
    for missing, found in (("none", {"a": 90, "none": 80}), ("a", {"a": 170}), ("drop", {"a": 90})):
        assert pydpstat.crosstab(data, EXACT, missing=missing, **how).estimate.to_dict() == found


@pytest.mark.parametrize(
    "data, change, word",
    [
        (TEXTS, {"delta": 0}, "delta"),
        (TEXTS, {"delta": 1.0}, "delta"),
        (TEXTS, {"mechanism": "gaussian"}, "mechanism"),
        ({"a": TEXTS, "b": TEXTS}, {}, "one variable"),
        ([[1], [2]], {}, "type list"),
    ],
)
def test_errors_of_found_levels(data, change, word):
    with pytest.raises(pydpstat.PydpstatError, match=word):
        pydpstat.crosstab(data, 1.0, levels="discover", **{"delta": 1e-6, **change})


@pytest.mark.parametrize("unit", ["D", "M", "s", "ns"])
def test_times_are_levels_whatever_their_unit(unit):
    records = np.array(["2020-01-01", "2020-02-01", "NaT"] * 200, dtype=f"M8[{unit}]")
    options = {"neighbors": "unbounded", "missing": "drop"}
    given = pydpstat.crosstab(records, 50.0, levels=[np.datetime64("2020-01-01", "D")], **options)
    assert given.estimate.to_dict() == pytest.approx({"2020-01-01": 200, "other": 200}, abs=5)
    found = pydpstat.crosstab(records, 50.0, levels="discover", delta=1e-6, **options)
    first, second = ("2020-01", "2020-02") if unit == "M" else ("2020-01-01", "2020-02-01")
    assert [name.startswith(each) for name, each in zip(found.estimate.index, (first, second))] == [True] * 2
    assert found.estimate.to_numpy() == pytest.approx([200, 200], abs=5)


@pytest.mark.parametrize(
    "far", [np.array(["4242-04-24"], "M8[D]"), np.array([2**62], "m8[s]"), np.array([2**62], "M8[Y]")]
)
def test_a_time_that_nanoseconds_cannot_hold_is_no_level(far):
    # an error would tell of the record
    records = np.repeat(far, 300)
    times = [np.datetime64("2020-01-01"), pd.Timestamp("1970-01-01"), datetime.date(1999, 1, 1)]
    for level in times if far.dtype.kind == "M" else [pd.Timedelta(0), np.timedelta64(3, "D")]:
        counts = pydpstat.crosstab(records, 50.0, levels=[level]).estimate.to_numpy()
        assert counts == pytest.approx([0, 300], abs=5)
    counts = pydpstat.crosstab(records, 50.0, levels=[far[0]]).estimate.to_numpy()
    assert counts == pytest.approx([300, 0], abs=5)
    found = pydpstat.crosstab(records, 50.0, levels="discover", delta=1e-6)
    name = np.datetime_as_string(far[0], unit="auto") if far.dtype.kind == "M" else str(far[0])
    assert found.estimate.index.tolist() == [name]


@pytest.mark.parametrize("mask", [[0, 1, 0, 1], [1, 1, 1, 1]])
@pytest.mark.parametrize("levels", [[1, 2], "discover"])
def test_what_a_mask_hides_is_missing(mask, levels):
    data = np.ma.masked_array([1, 2, 2, 1] * 50, mask * 50)
    same = [None if gone else value for value, gone in zip([1, 2, 2, 1] * 50, mask * 50)]
    delta = {"delta": 1e-6} if levels == "discover" else {}
    for how in ({"missing": "gone"}, {"missing": "drop", "neighbors": "unbounded"}):
        both = [pydpstat.crosstab(each, EXACT, levels=levels, **how, **delta) for each in (data, same)]
        assert both[0].estimate.to_dict() == both[1].estimate.to_dict()
    with pytest.raises(pydpstat.PydpstatError, match="missing values"):
        pydpstat.crosstab(data, EXACT, levels=levels, **delta)
    crossed = pydpstat.crosstab({"a": data, "b": ["x"] * 200}, EXACT, levels=[[1, 2], ["x"]], missing="gone")
    assert crossed.estimate.loc["gone", "x"] == 50 * sum(mask)


@pytest.mark.parametrize(
    "data, levels, word",
    [
        (np.array([1, 2]), ["1", "2"], "numbers or truth values, .*; got str"),
        (pd.Series([1], dtype="Int64"), ["1"], "got str"),
        (np.array(["1"]), [1], "texts, .*; got int"),
        (pd.Categorical([1, 2]), ["1", "2"], "got str"),
        (np.array([1, 2], dtype="M8[D]"), ["1970-01-02"], "dates or times, .*; got str"),
        (np.array([1, 2], dtype="m8[D]"), [1, 2], "durations, .*; got int"),
        (pd.Series(pd.date_range("2020", periods=1, tz="UTC")), [np.datetime64("2020-01-01")], "zone"),
    ],
)
def test_levels_of_another_type_are_refused(data, levels, word):
    # by type alone: no record could be one of them
    for each in (data, data[:0]):
        with pytest.raises(pydpstat.PydpstatError, match=word):
            pydpstat.crosstab(each, 1.0, levels=levels)


def test_levels_as_an_array_of_times():
    days = np.array(["2020-01-01", "2020-01-02"], dtype="M8[ns]")
    for levels in (days, pd.DatetimeIndex(days), list(days), pd.Series(days)):
        r = pydpstat.crosstab(np.repeat(days, [1, 3]), EXACT, levels=levels)
        assert r.value.tolist() == [1, 3, 0] and r.estimate.index[0].startswith("2020-01-01")
    hours = np.array([1, 2], dtype="m8[h]")
    assert pydpstat.crosstab(hours, EXACT, levels=hours[:1]).value.tolist() == [1, 1]


@pytest.mark.parametrize("neighbors, rate", [("bounded", 1.0), ("unbounded", 2.0)])
def test_intervals_of_shares_know_the_noise_of_a_count(neighbors, rate):
    # a record that is replaced changes two counts, which get half of epsilon
    found = pydpstat.crosstab(["a"] * 60 + ["b"] * 40, 2.0, levels=["a", "b"], neighbors=neighbors, rng=1)
    size, counts = found.nobs, found.value
    low, high = found.conf_int(0.1, kind="population").to_numpy().T
    rests = [counts.sum() - each for each in counts]
    noises = (1, 1) if size else (1, counts.size - 1)
    expected = [compute_share_limits(a, b, size, rate, noises, 0.1) for a, b in zip(counts, rests)]
    assert np.column_stack([low, high]) == pytest.approx(np.array(expected), abs=1e-9)

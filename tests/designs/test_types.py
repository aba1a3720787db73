"""What a record is to a design follows from this record and its column's type alone, and it has one level."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat._release.declared_facts import TYPES_CONDITION
from pydpstat.consistency import Hierarchy, release_hierarchy

ALMOST = {"epsilon": 1e4}
OPEN = {"neighbors": "unbounded", "missing": "drop", "rng": 1}
NOON, DAY = dt.datetime(2020, 1, 1, 12), dt.date(2020, 1, 1)
# a list's usual record, and records that would give all of the list another type
MIXED = {
    "integers beside a missing one": (2**53 + 1, [None, float("nan"), pd.NA]),
    "integers beside a fraction": (2**53 + 1, [0.5, Decimal("0.5"), Fraction(1, 3)]),
    "integers beside a huge one": (2**53 + 1, [2**70, 2**63, 10**400]),
    "integers beside a text": (3, ["3", "new", b"3"]),
    "truth values beside a number": (True, [2, 0.5, None, "True"]),
    "short floats beside a long one": (np.float32(0.1), [0.1, 1, np.longdouble("0.1")]),
    "times beside a text": (pd.Timestamp(NOON), ["noon", None, "2020-01-01 12:00"]),
    "times beside one with a zone": (pd.Timestamp(NOON), [pd.Timestamp(NOON, tz="UTC"), pd.NaT]),
    "dates beside a time": (DAY, [NOON, "2020-01-01", np.datetime64("2020-01-01")]),
    "durations beside a text": (pd.Timedelta("1 day"), ["1 day", 86_400, pd.NaT]),
    "periods beside a text": (pd.Period("2020-01", "M"), ["2020-01", pd.NaT]),
    "decimals beside a float": (Decimal("0.1"), [0.1, Decimal("NaN")]),
    "texts beside a number": ("3", [3, None, np.str_("4")]),
}


@pytest.mark.parametrize("name", MIXED)
def test_a_record_of_a_list_changes_no_other(name):
    """Count the records of a level in every way that a design has."""
    usual, odd = MIXED[name]
    for extra in ([], *([each] for each in odd)):
        ids = [usual] * 300 + extra
        data = {"id": ids, "x": [1.0] * len(ids), "g": ["a", "b"] * 150 + ["a"] * len(extra)}
        facts = {"levels": {"id": [usual, "another"], "g": ["a", "b"]}, "bounds": {"x": (0, 1)}}
        people = dp.design(data, **facts, neighbors="unbounded", missing="drop", rng=1)
        for counts in (people.count(by="id", **ALMOST), people.crosstab("id", **ALMOST)):
            assert abs(counts.value[0] - 300) <= 1, (name, extra)
        assert abs(dp.crosstab(ids, 1e4, levels=facts["levels"]["id"], **OPEN).value[0] - 300) <= 1
        assert abs(people.sum("x", by="id", **ALMOST).value[0] - 300) <= 1.01
        assert abs(people.nunique("id", **ALMOST).value - 1) <= 2
        if isinstance(usual, (bool, int, float, str)) and not isinstance(usual, np.generic):
            for condition in (f"id == {usual!r}", f"id in ({usual!r}, 'z')", f"not id != {usual!r}"):
                part = dp.design(data, levels={"id": [usual, "z"]}, neighbors="unbounded", missing="drop", rng=1)
                assert abs(part.subset(condition).count(**ALMOST).value - 300) <= 1, (condition, extra)
                assert abs(part.assign(c=condition).count(by="c", **ALMOST).value[1] - 300) <= 1


def test_integers_beyond_floats_are_compared_as_they_are():
    for extra in ([], [None], [0.5], ["text"]):
        people = dp.design(
            {"id": [2**53 + 1] * 1000 + extra},
            bounds={"id": (0, 2**60)},
            neighbors="unbounded",
            missing="drop",
            rng=1,
        )
        found = people.subset("id > 9007199254740992").count(1e4)
        assert abs(found.value - 1000) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ttest_ind", "f_oneway", "mannwhitneyu", "kruskal", "ks_2samp"])
@pytest.mark.parametrize("kind", ["integers beside a missing one", "times beside a text"])
def test_the_samples_of_a_formula_are_found_record_by_record(name, kind):
    usual, odd = MIXED[kind]
    for extra in ([], *([each] for each in odd if each is not None)):
        g = [usual] * 30 + ["other"] * 30 + extra
        data = {"x": [1.0, 2.0] * 30 + [1.0] * len(extra), "g": g}
        people = dp.design(data, levels={"g": [usual, "other"]}, bounds={"x": (0, 3)}, neighbors="bounded", rng=1)
        assert getattr(people, name)("x ~ g", 1.0).nobs == 60, extra


def test_a_chunk_of_lists_is_read_as_a_list():
    for extra in ([], [None], ["text"], [0.5]):
        ids = [2**53 + 1] * 300 + extra
        found = dp.crosstab(iter([{"id": ids}]), 1e4, levels=[2**53 + 1, 2], **OPEN)
        assert abs(found.value[0] - 300) <= 1
        chunks = iter([{"id": [3] * 100}, {"id": [3] * 100 + extra}])
        facts = {"levels": {"id": ["x", 3]}, "neighbors": "unbounded", "missing": "drop"}
        # which values a condition may have is told by types, and a list has none
        assert abs(dp.design(chunks, **facts, rng=1).count("id == 3 or id == 'x'", 1e4).value - 200) <= 1


def test_a_unit_is_known_by_its_id_whatever_the_others_are():
    for extra in ([], [0.5], ["text"], [None] * 0):
        ids = [2**53, 2**53 + 1] * 50 + extra
        data = {"id": ids, "x": [1.0] * len(ids)}
        people = dp.design(data, bounds={"x": (0, 1)}, unit="id", max_records=50, rng=1)
        assert abs(people.sum("x", 1e5).value - 100 - len(extra)) < 0.1
        assert abs(people.nunique("id", 1e4).value - 2 - len(extra)) <= 1


def test_times_of_an_array_keep_their_type():
    days = np.array(["2020-01-01", "2020-01-02", "9999-01-01"] * 20, dtype="M8[D]")
    people = dp.design({"day": days}, levels={"day": [np.datetime64("2020-01-01"), dt.date(2020, 1, 2)]}, rng=1)
    assert np.abs(people.crosstab("day", 1e4).value - 20).max() <= 1


def test_columns_of_another_byte_order_are_selected_as_others():
    frame = pd.DataFrame({"x": np.array([1.0, 2.0] * 20, dtype=">f8"), "g": np.array([1, 2] * 20, dtype=">i4")})
    people = dp.design(frame, bounds={"x": (0, 3)}, levels={"g": [1, 2]}, rng=1)
    assert abs(people.subset("g == 1").sum("x", 1e5).value - 20) < 0.01


def test_a_dict_of_columns_is_read_by_place():
    index = pd.Series([1.0, 2.0], index=[5, 7])
    people = dp.design({"x": index, "y": [True, False], "z": (1, 2)}, bounds={"x": (0, 3)}, rng=1)
    assert people.columns == ("x", "y", "z")
    with pytest.raises(dp.PydpstatError, match="series with the same index"):
        dp.design({"x": index, "y": pd.Series([1.0, 2.0])})
    for wrong in ({"x": [1, 2], "y": [1]}, {"x": 1.0}, {"x": np.zeros((2, 2))}, {"x": {"a": 1}}):
        with pytest.raises(dp.PydpstatError, match="a dict of columns of the same length"):
            dp.design(wrong)


LISTED = {"x": [1.0, 2.0] * 20, "g": ["a", "b"] * 20, "id": list(range(40))}
FRAME = pd.DataFrame(LISTED)
RESTING = {
    "by": lambda d: d.mean("x", 1.0, by="g"),
    "crosstab": lambda d: d.crosstab("g", 1.0),
    "chisquare": lambda d: d.chisquare("g", 1.0),
    "subset": lambda d: d.subset("g == 'a'").mean("x", 1.0),
    "condition": lambda d: d.count("g == 'a'", 1.0),
    "assigned": lambda d: d.assign(c="x > 1").count(1.0, by="c"),
    "unit": lambda d: d.nunique("id", 1.0),
    "levels": lambda d: d.ols("x ~ C(g)", 1.0),
    "plan": lambda d: d.plan("mean", "x", 1.0, by="g", n=40),
}
FREE = {"mean": lambda d: d.mean("x", 1.0), "sum": lambda d: d.assign(y="2 * x").sum("y", 1.0)}


@pytest.mark.parametrize("name", [*RESTING, *FREE])
def test_a_guarantee_rests_on_types_where_columns_have_some(name):
    facts = {"bounds": {"x": (0, 3)}, "levels": {"g": ["a", "b"]}, "neighbors": "unbounded", "rng": 1}
    call = {**RESTING, **FREE}[name]
    assert (TYPES_CONDITION in call(dp.design(FRAME, **facts)).guarantee.conditions) is (name in RESTING)
    arrays = {key: np.array(each) for key, each in LISTED.items()}
    assert (TYPES_CONDITION in call(dp.design(arrays, **facts)).guarantee.conditions) is (name in RESTING)
    assert TYPES_CONDITION not in call(dp.design(LISTED, **facts)).guarantee.conditions


def test_functions_say_what_they_rest_on():
    x, g, ids = LISTED.values()
    two = {"levels": ["a", "b"]}
    calls = [
        lambda x, g, ids: dp.mean(x, 1.0, bounds=(0, 3), by=g, **two, rng=1),
        lambda x, g, ids: dp.sum(x, 1.0, bounds=(0, 3), unit=ids, max_records=1, rng=1),
        lambda x, g, ids: dp.crosstab(g, 1.0, **two, rng=1),
        lambda x, g, ids: dp.crosstab({"g": g}, 1.0, **two, rng=1),
        lambda x, g, ids: dp.crosstab((g, g), 1.0, levels=[["a", "b"]] * 2, rng=1),
        lambda x, g, ids: dp.chi2_contingency(g, g, 1.0, levels=(["a", "b"],) * 2, rng=1),
        lambda x, g, ids: dp.ols("x ~ C(g)", {"x": x, "g": g}, 1.0, bounds=(0, 3), levels={"g": ["a", "b"]}, rng=1),
        lambda x, g, ids: dp.nunique(ids, 1.0, neighbors="unbounded", rng=1),
        lambda x, g, ids: dp.ttest_1samp(x, 1.0, 1.0, bounds=(0, 3), unit=ids, rng=1),
        lambda x, g, ids: (
            release_hierarchy({"g": g}, 1.0, hierarchy=Hierarchy(["a", "b"]), rng=1)
            if isinstance(g, int)
            else release_hierarchy(pd.DataFrame({"g": g}), 1.0, hierarchy=Hierarchy(["a", "b"]), rng=1)
        ),
    ]
    for place, call in enumerate(calls):
        assert TYPES_CONDITION in call(np.array(x), np.array(g), np.array(ids)).guarantee.conditions, place
        if place < len(calls) - 1:
            assert TYPES_CONDITION not in call(x, g, ids).guarantee.conditions, place
    # what a list has in it is no type, whichever record it is
    for odd in (np.ma.masked, np.array([1]), np.float32(1), pd.Series([1]), dt.date(2020, 1, 1)):
        r = dp.crosstab(["a", "b", odd], 1.0, levels=["a", "b"], missing="gone", rng=1)
        assert TYPES_CONDITION not in r.guarantee.conditions
    assert TYPES_CONDITION in dp.plan("mean", 1.0, by="g", levels=["a", "b"], n=40, bounds=(0, 3)).guarantee.conditions
    assert TYPES_CONDITION not in dp.mean(FRAME.x, 1.0, bounds=(0, 3), rng=1).guarantee.conditions


STAMP = pd.Timestamp("2020-01-01")
EQUAL = {
    "numbers of many types": (list, [0, 1, np.int64(1), 1.0], 1),
    "truth values": (list, [0, False], 0),
    "decimals": (list, [1, Decimal(1)], 1),
    "fractions": (list, [Fraction(1, 2), 0.5], 0.5),
    "five of them": (list, [1, 1.0, True, np.float32(1), Decimal("1.0")], 1),
    "texts": (list, ["a", np.str_("a")], "a"),
    "moments in two zones": (
        list,
        [STAMP.tz_localize("UTC"), pd.Timestamp("2020-01-01 01:00", tz="Europe/Berlin")],
        STAMP,
    ),
    "a date and its time": (list, [np.datetime64("2020-01-01"), np.datetime64("2020-01-01T00:00")], STAMP),
    "times of two libraries": (list, [STAMP, dt.datetime(2020, 1, 1)], STAMP),
    "durations": (list, [pd.Timedelta("1 day"), np.timedelta64(24, "h")], 1),
    "integers": ("i8", [1, 1.0], 1),
    "short floats": ("f4", [0.1, 0.10000000001], 0.1),
    "shorter floats": ("f2", [0.1, 0.1 + 1e-6], 0.1),
    "times": ("M8[s]", [np.datetime64("2020-01-01"), dt.datetime(2020, 1, 1)], np.datetime64("2020-01-01")),
    "nullable": ("Float32", [0.1, 0.10000000001], 0.1),
    "missing": (list, [1, float("nan")], 1),
    "missing twice": (list, [float("nan"), None, pd.NA], 1),
    "a missing decimal": (list, [Decimal("sNaN"), 1], 1),
}
LEVELED = {
    "mean": lambda d: d.mean("x", 1.0, by="g"),
    "sum": lambda d: d.sum("x", 1.0, by="g"),
    "std": lambda d: d.std("x", 1.0, by="g"),
    "var": lambda d: d.var("x", 1.0, by="g"),
    "cov": lambda d: d.cov(["x", "w"], 1.0, by="g"),
    "corr": lambda d: d.corr(["x", "w"], 1.0, by="g"),
    "count": lambda d: d.count(1.0, by="g"),
    "proportion": lambda d: d.proportion("t", 1.0, by="g"),
    "quantile": lambda d: d.quantile("x", 0.5, 1.0, by="g"),
    "quantiles": lambda d: d.quantiles("x", [0.2, 0.5], 1.0, by="g"),
    "median": lambda d: d.median("x", 1.0, by="g"),
    "histogram": lambda d: d.histogram("x", 1.0, edges=[0, 1, 3], by="g"),
    "nunique": lambda d: d.nunique("id", 1.0, by="g"),
    "moments": lambda d: d.moments("x", 1.0, by="g"),
    "crosstab": lambda d: d.crosstab("g", 1.0),
    "chisquare": lambda d: d.chisquare("g", 1.0),
    "chi2_contingency": lambda d: d.chi2_contingency(["g", "g2"], 1.0),
    "ols": lambda d: d.ols("x ~ C(g)", 1.0),
    "logit": lambda d: d.logit("t ~ C(g)", 1.0),
    "weighted_mean": lambda d: d.weighted_mean("x", 1.0, by="g"),
    "weighted_total": lambda d: d.weighted_total("x", 1.0, by="g"),
    "weighted_proportion": lambda d: d.weighted_proportion("t", 1.0, by="g"),
    "weighted_quantile": lambda d: d.weighted_quantile("x", 0.5, 1.0, by="g"),
    "strata": lambda d: d.weighted_mean("x", 1.0, strata="g"),
    "f_oneway": lambda d: d.f_oneway("x ~ g", 1.0),
    "kruskal": lambda d: d.kruskal("x ~ g", 1.0),
    "ttest_ind": lambda d: d.ttest_ind("x ~ g", 1.0),
    "mannwhitneyu": lambda d: d.mannwhitneyu("x ~ g", 1.0),
    "ks_2samp": lambda d: d.ks_2samp("x ~ g", 1.0),
    "proportions_test": lambda d: d.proportions_test("t ~ g", 1.0),
}


def leveled(kind, levels, usual, neighbors):
    """Return a frame with a column of a type, and the design of it with such levels."""
    made = {"x": [1.0, 2.0] * 10, "w": 1.0, "t": [True, False] * 10, "id": range(20), "g2": ["a", "b"] * 10}
    column = [usual] * 20 if kind is list else pd.array([usual] * 20, dtype=kind) if kind[0].isupper() else None
    column = np.array([usual] * 20, dtype=kind) if column is None else column
    frame = pd.DataFrame(made).assign(g=pd.Series(column, dtype=object if kind is list else None))
    bounds = {"x": (0, 3), "w": (0, 1)}
    facts = {
        "levels": {"g": levels, "g2": ["a", "b"]},
        "bounds": bounds,
        "weights": "w",
        "neighbors": neighbors,
    }
    return lambda: dp.design(frame, **facts, rng=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", EQUAL)
def test_equal_levels_are_refused_by_every_function(name):
    for function, call in LEVELED.items():
        neighbors = "bounded" if function not in ("nunique", "count") else "unbounded"
        design = leveled(*EQUAL[name], neighbors)
        with pytest.raises(dp.PydpstatError, match="levels.*(without repetition|different values|among them)"):
            call(design())


@pytest.mark.parametrize("kind, levels, usual", EQUAL.values(), ids=EQUAL)
def test_equal_levels_are_refused_outside_of_designs(kind, levels, usual):
    column = [usual] * 20
    if kind is not list:
        column = pd.array(column, dtype=kind) if kind[0].isupper() else np.array(column, dtype=kind)
    x, truths = np.arange(20.0), np.arange(20) % 2 == 0
    frame = {"y": x, "t": truths, "g": column}
    calls = [
        lambda: dp.mean(x, 1.0, bounds=(0, 20), by=column, levels=levels),
        lambda: dp.crosstab(column, 1.0, levels=levels),
        lambda: dp.crosstab({"g": column, "t": truths}, 1.0, levels={"g": levels, "t": [False, True]}),
        lambda: dp.chisquare(column, 1.0, levels=levels),
        lambda: dp.chi2_contingency(column, truths, 1.0, levels=[levels, [False, True]]),
        lambda: dp.ols("y ~ C(g)", frame, 1.0, bounds=(0, 20), levels={"g": levels}),
        lambda: dp.logit("t ~ C(g)", frame, 1.0, levels={"g": levels}),
        lambda: dp.weighted_mean(x, x, 1.0, bounds=(0, 20), max_weight=20, by=column, levels=levels),
        lambda: dp.weighted_total(x, x, 1.0, bounds=(0, 20), max_weight=20, strata=column, levels=levels),
        lambda: dp.nunique(column, 1.0, by=column, levels=levels),
    ]
    for place, call in enumerate(calls):
        with pytest.raises(dp.PydpstatError, match="levels.*(without repetition|different values)"):
            assert call() is None, place


def test_no_text_is_a_date():
    frame = pd.DataFrame({"x": [1.0, 2.0] * 10, "g": pd.to_datetime(["2020-01-01", "2020-01-02"] * 10)})
    people = dp.design(
        frame,
        bounds={"x": (0, 3)},
        levels={"g": ["2020-01-01", "2020-01-01 00:00"]},
        neighbors="bounded",
        rng=1,
    )
    for name in ("ttest_ind", "f_oneway", "kruskal", "mannwhitneyu", "ks_2samp"):
        with pytest.raises(dp.PydpstatError, match=r"levels\['g'\] must be dates or times"):
            getattr(people, name)("x ~ g", 1.0)
    # a condition has one value only
    open_ = dp.design(frame, bounds={"x": (0, 3)}, levels={"g": "declared"}, rng=1)
    for text in ("2020-01-01", "2020-01-01 00:00"):
        assert abs(open_.subset(f"g == {text!r}").count(1e4).value - 10) <= 1
    with pytest.raises(dp.PydpstatError, match="which has dates or times"):
        open_.subset("g == 'noon or so'").count(1.0)


def test_a_record_is_in_one_sample_at_most():
    class Everything:
        def __eq__(self, other):
            return True

        __hash__ = object.__hash__

    for odd in (Everything(), Decimal("sNaN"), np.timedelta64(1, "s"), [1], {}):
        data = {"x": [1.0, 2.0] * 30 + [3.0], "g": [1, 2] * 30 + [odd]}
        people = dp.design(data, bounds={"x": (0, 3)}, levels={"g": [1, 2]}, neighbors="bounded", rng=1)
        for name in ("kruskal", "mannwhitneyu", "ks_2samp"):
            assert getattr(people, name)("x ~ g", 1.0).nobs in (60, 61)

"""How far neighbors move what is released by group and by unit: never further than stated, and so far."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat
from pydpstat import PydpstatError
from pydpstat._release import statistic
from pydpstat.statistics import counts, mean
from pydpstat.statistics._kernels import partition

NUMBERS = ("mean", "sum", "var", "std", "cov", "corr")
STATISTICS = (*NUMBERS, "count", "proportion")
PAIRED = ("cov", "corr")
GROUPS: dict[str, Any] = {"by": "g", "levels": ["a", "b"]}
LAPLACE = {"mechanism": "laplace"}
GAUSSIAN: dict[str, Any] = {"mechanism": "gaussian", "delta": 1e-3}
# of each statistic's worst pair; the products' rounding is 9 * 2^-41
ATTAINED = 0.99


class Asked(Exception):
    """The query, instead of a release."""


def query_of(name: str, data: pd.DataFrame, bounds: Any, options: dict[str, Any]) -> Any:
    def stop(query: Any, prepared: Any, source: Any, **rest: Any) -> Any:
        raise Asked(query)

    more = {"bounds": bounds} if name in NUMBERS else {}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")
        patch.setattr(statistic, "release", stop)
        with pytest.raises(Asked) as found:
            # the same seed is the same key of the choice
            getattr(pydpstat, name)(data, epsilon=1.0, rng=7, **{**more, **options})
    return found.value.args[0]


def moved(one: Any, other: Any, norm: int) -> float:
    """How far two neighbors' values are apart, in units of the stated sensitivity."""
    assert one.sensitivities == other.sensitivities
    change = [abs(Fraction(a) - Fraction(b)) for a, b in zip(one.exact, other.exact, strict=True)]
    stated = list(map(Fraction, one.sensitivities))
    if len(stated) > 1:
        return max(float(size / reach) for size, reach in zip(change, stated, strict=True))
    if norm == 1:
        return float(sum(change) / stated[0])
    return float(sum(each * each for each in change) / stated[0] ** 2) ** 0.5


def columns_of(name: str, width: int) -> list[str]:
    return ["x", "y", "z"][: max(width, 2) if name in PAIRED else width]


def frame(name: str, rows: list[tuple[Any, ...]], width: int) -> pd.DataFrame:
    """Records as rows of values, the group and the unit."""
    columns = columns_of(name, width)
    found = pd.DataFrame([(*row[0][: len(columns)], *row[1:]) for row in rows], columns=[*columns, "g", "p"])
    kind = float if name in NUMBERS else bool
    return found.astype({**dict.fromkeys(columns, kind), "g": object, "p": int})


def corners(name: str, width: int, bounds: tuple[float, float]) -> list[tuple[Any, ...]]:
    inside = 0.25 * bounds[0] + 0.75 * bounds[1]
    ends: tuple[Any, ...] = (*bounds, inside) if name in NUMBERS else (False, True)
    return list(product(ends, repeat=len(columns_of(name, width))))


def fitting(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return options without the noise that counts do not have."""
    geometric = name in ("count", "proportion") and options.get("mechanism") == "laplace"
    return {key: value for key, value in options.items() if key != "mechanism" or not geometric}


def worst(
    name: str, neighbors: str, width: int, bounds: tuple[float, float], records: int, options: dict[str, Any]
) -> float:
    """Return how far the worst of all pairs of corner records are apart; a unit has so many equal ones."""
    norm = 2 if "delta" in options else 1
    chosen = columns_of(name, width) + [options[key] for key in ("by", "unit") if key in options]
    given = {"neighbors": neighbors, **fitting(name, options)}
    ends = corners(name, width, bounds)
    rest = [(ends[-1], "a", 1), (ends[0], "b", 2)]
    groups = ("a", "b", "no level")
    # all records of a unit count: whose they are changes nothing
    more = [[(values, group, 3)] * records for values in ends for group in groups]
    # another unit may have fewer, at the least none
    more += [[]] if records > 1 else []
    asked = [query_of(name, frame(name, [*rest, *own], width)[chosen], bounds, given) for own in more]
    if neighbors == "unbounded":
        none = query_of(name, frame(name, rest, width)[chosen], bounds, given)
        return max(moved(none, one, norm) for one in asked)
    return max(moved(one, other, norm) for one, other in combinations(asked, 2))


SCOPES = {
    "groups": (1, GROUPS),
    "groups, none for others": (1, {**GROUPS, "other": None}),
    "a single group": (1, {"by": "g", "levels": ["a"], "other": None}),
    "units": (3, {"unit": "p", "max_records": 3}),
    "groups and units": (3, {**GROUPS, "unit": "p", "max_records": 3}),
}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("name", STATISTICS)
def test_the_worst_neighbors_move_it_as_far_as_is_stated(name, neighbors, noise, scope):
    records, options = SCOPES[scope]
    for bounds in [(0.0, 8.0), (-3.0, 5.0), (-8.0, -1.0)] if name == "sum" else [(0.0, 8.0)]:
        ratio = worst(name, neighbors, 1, bounds, records, {**options, **noise})
        assert ATTAINED < ratio <= 1.0


@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("scope", ["groups", "groups and units"])
@pytest.mark.parametrize("name", STATISTICS)
def test_several_columns_move_as_far_as_is_stated(name, scope, noise):
    records, options = SCOPES[scope]
    width = 3 if name in PAIRED else 2
    assert ATTAINED < worst(name, "unbounded", width, (0.0, 8.0), records, {**options, **noise}) <= 1.0


@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("name", STATISTICS)
def test_several_columns_of_a_record_that_is_replaced(name, noise):
    assert ATTAINED < worst(name, "bounded", 2, (0.0, 8.0), 1, {**GROUPS, **noise}) <= 1.0


MUTATIONS = {
    "mean": (partition, "reach_of"),
    "sum": (mean, "_reach"),
    "var": (partition, "reach_of"),
    "std": (partition, "reach_of"),
    "cov": (partition, "reach_of"),
    "corr": (partition, "reach_of"),
    "count": (counts, "reach_of"),
    "proportion": (counts, "reach_of"),
}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("name", STATISTICS)
def test_a_sensitivity_that_is_a_tenth_too_small_is_found(name, neighbors, scope, monkeypatch):
    where, what = MUTATIONS[name]
    real = getattr(where, what)
    monkeypatch.setattr(where, what, lambda *given: real(*given) * Fraction(9, 10))
    records, options = SCOPES[scope]
    try:
        assert worst(name, neighbors, 1, (0.0, 8.0), records, options) > 1.05
    except PydpstatError as error:
        # counts' noise takes whole numbers: nine tenths of 1 are none
        assert name in ("count", "proportion") and "sensitivity must be" in str(error)


def test_units_that_are_forgotten_are_found(monkeypatch):
    forgetful = lambda ones, how, apart=True: partition.norm_of(ones * how.ends, how)  # noqa: E731
    monkeypatch.setattr(partition, "reach_of", forgetful)
    assert worst("mean", "unbounded", 1, (0.0, 8.0), 3, {**GROUPS, "unit": "p", "max_records": 3}) > 2.9


# any data

VALUES = st.one_of(st.floats(-20, 20), st.sampled_from([-2.0, 7.0, 0.0, 1e300, -1e300, 1e-300]))
RECORD = st.tuples(st.tuples(VALUES, VALUES), st.sampled_from(["a", "b", "no level"]))
UNIT = st.lists(RECORD, max_size=6)


@pytest.mark.slow
@given(
    st.sampled_from(STATISTICS),
    st.sampled_from([LAPLACE, GAUSSIAN]),
    st.sampled_from(["bounded", "unbounded"]),
    st.sampled_from(["other", None]),
    st.lists(RECORD, max_size=5),
    RECORD,
    RECORD,
)
def test_no_record_moves_it_further(name, noise, neighbors, other, rest, first, second):
    bounded = neighbors == "bounded"
    pair = ([*rest, first], [*rest, second]) if bounded else (rest, [*rest, first])
    assert ratio_of(name, noise, neighbors, pair, {**GROUPS, "other": other}) <= 1.0


@pytest.mark.slow
@given(
    st.sampled_from(STATISTICS),
    st.sampled_from([LAPLACE, GAUSSIAN]),
    st.sampled_from(["bounded", "unbounded"]),
    st.lists(UNIT, max_size=3),
    UNIT,
    UNIT,
    st.integers(1, 4),
    st.sampled_from([None, 1, 2]),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_no_unit_moves_it_further(name, noise, neighbors, rest, own, others, most, groups, grouped, random):
    """A unit with records in every group comes, goes or is replaced, and all records are shuffled."""
    kept = [(*record, place) for place, unit in enumerate(rest) for record in unit]
    first, second = [(*record, 91) for record in own], [(*record, 92) for record in others]
    one, other = ([*kept, *first], [*kept, *second]) if neighbors == "bounded" else (kept, [*first, *kept])
    random.shuffle(other)
    options: dict[str, Any] = {"unit": "p", "max_records": most}
    if grouped:
        options |= {**GROUPS, "max_groups": groups}
    assert ratio_of(name, noise, neighbors, (one, other), options) <= 1.0


def ratio_of(
    name: str, noise: dict[str, Any], neighbors: str, pair: tuple[Any, Any], options: dict[str, Any]
) -> float:
    width = 2 if name in PAIRED else 1
    chosen = columns_of(name, width) + [options[key] for key in ("by", "unit") if key in options]
    queries = []
    for rows in pair:
        rows = [row if len(row) == 3 else (*row, 0) for row in rows]
        if name not in NUMBERS:
            rows = [(tuple(value > 0 for value in values), *keys) for values, *keys in rows]
        data = frame(name, rows, width)[chosen]
        given = fitting(name, {**options, **noise})
        queries.append(query_of(name, data, (-2.0, 7.0), {**given, "neighbors": neighbors}))
    return moved(*queries, 2 if "delta" in noise else 1)


@pytest.mark.slow
@given(st.lists(RECORD, min_size=1, max_size=12), st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_order_of_records_is_no_part_of_what_is_asked(rows, most, random):
    rows = [(*row, place % 3) for place, row in enumerate(rows)]
    again = rows[:]
    random.shuffle(again)
    options = {**GROUPS, "unit": "p", "max_records": most, "neighbors": "unbounded"}
    for name in ("mean", "var", "cov"):
        data = [frame(name, each, 2 if name == "cov" else 1) for each in (rows, again)]
        one, other = (query_of(name, each, (-2.0, 7.0), options) for each in data)
        assert one.exact == other.exact
    assert np.isfinite(one.value).all()

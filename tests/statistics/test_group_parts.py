"""Statistics by group and by unit: the order of records and the parts that they come in change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat import RRandom
from tests.statistics.grouped import GROUPS, OPEN, STATISTICS, data_of, released
from tests.statistics.parts import Parted, read_in_parts


def random_of(seed: int) -> Any:
    return RRandom(seed)


WHOLE = {"by": ["g", "h"], "levels": [["a", "b"], [0, 1]]}
SCOPES: dict[str, dict[str, Any]] = {
    "groups": WHOLE,
    "units": {"unit": "p", "max_records": 3},
    "both": {**WHOLE, "unit": "p", "max_records": 3, "max_groups": 2},
}


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", STATISTICS)
def test_the_order_of_records_and_parts_change_nothing(name, scope, neighbors, monkeypatch):
    read_in_parts(monkeypatch)
    options = {**SCOPES[scope], "neighbors": neighbors}
    used = {"groups": ["g", "h"], "units": ["p"], "both": ["g", "h", "p"]}[scope]
    data = data_of(name)[["x", "y", "z", *used]]
    once = released(name, data, 1.0, **options, rng=random_of(5)).value
    for seed in (1, 2):
        order = np.random.default_rng(seed).permutation(len(data))
        again = released(name, data.iloc[order], 1.0, **options, rng=random_of(5)).value
        np.testing.assert_array_equal(once, again)
    for ends in ([], [1], [0, 200, 200, 399], list(range(7, 400, 13))):
        read = released(name, Parted(data, ends), 1.0, **options, rng=random_of(5))
        np.testing.assert_array_equal(once, read.value)


@pytest.mark.slow
@given(st.lists(st.integers(0, 400), max_size=6), st.sampled_from(STATISTICS), st.booleans())
def test_any_split_gives_the_same(ends, name, units):
    data = data_of(name)[["x", "y", "g", "p"]]
    options = {**GROUPS, **({"unit": "p", "max_records": 2} if units else {})}
    data = data if units else data.drop(columns="p")
    once = released(name, data, 1.0, **options, rng=random_of(3)).value
    with pytest.MonkeyPatch.context() as patch:
        read_in_parts(patch)
        read = released(name, Parted(data, sorted(ends)), 1.0, **options, rng=random_of(3)).value
    np.testing.assert_array_equal(once, read)


@pytest.mark.parametrize("missing", ["drop", True, False])
def test_missing_truth_values_of_a_unit_are_chosen_in_whatever_order(missing):
    rng = np.random.default_rng(8)
    values = np.array([True, False, None], dtype=object)[rng.integers(0, 3, 300)]
    data = pd.DataFrame({"t": values, "p": rng.integers(0, 30, 300)})
    options = {"unit": "p", "max_records": 3, "missing": missing, **OPEN}
    found = set()
    for _ in range(10):
        found.add(float(released("count", data.iloc[rng.permutation(300)], 1.0, **options)))
    assert len(found) == 1


def test_a_table_without_groups_gives_what_a_frame_does(monkeypatch):
    read_in_parts(monkeypatch)
    for name in STATISTICS:
        data = data_of(name)[["x", "y"]]
        for neighbors in ("bounded", "unbounded"):
            once = released(name, data, 1.0, neighbors=neighbors, rng=random_of(5))
            read = released(name, Parted(data, [3, 100]), 1.0, neighbors=neighbors, rng=random_of(5))
            np.testing.assert_array_equal(once.value, read.value)
            assert once.nobs == read.nobs

"""Which records of a unit count: a choice that looks at nobody else's, at random, and never too many."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pydpstat import PydpstatError
from pydpstat._records.contributions import ContributionBounds, encode_units, select_contributions

KEYS = np.random.default_rng(3).integers(0, 1 << 53, 2_000).tolist()
RECORD_PARTS = (st.integers(-1, 3), st.sampled_from([0.0, 1.0, 2.5]))
RECORD = st.tuples(st.sampled_from([1, 2, 3, 0.5, "a"]), *RECORD_PARTS)


def of(ids, most=2, groups=None, key=11, places=None, values=None):
    values = [np.arange(len(ids), dtype=float)] if values is None else values
    return select_contributions(ids, ContributionBounds("p", most, groups, key), places, values)


def chosen(rows, key, most, groups):
    """The records that stay, as they are, with how many there are of each."""
    ids, places, values = zip(*rows) if rows else ((), (), ())
    stay = of(list(ids), most, groups, key, np.array(places, dtype=np.int32), [np.array(values, dtype=float)])
    assert stay.dtype == bool and stay.shape == (len(rows),)
    return sorted(map(repr, (row for row, stays in zip(rows, stay) if stays)))


@pytest.mark.slow
@given(st.lists(RECORD, max_size=25), st.integers(0, 9), st.integers(1, 4), st.sampled_from([None, 1, 2]))
def test_no_unit_has_too_many_and_none_loses_more_than_it_must(rows, key, most, groups):
    stay = chosen(rows, key, most, groups)
    for unit in {row[0] for row in rows}:
        own = [row for row in rows if row[0] == unit and row[1] >= 0]
        mine = [row for row in rows if repr(row) in stay and row[0] == unit]
        count = len([text for text in stay if text.startswith(f"({unit!r},")])
        assert count <= most and all(row[1] >= 0 for row in mine)
        if groups is None:
            assert count == min(most, len(own))
        else:
            assert len({row[1] for row in mine}) <= groups
            assert count >= min(most, 1, len(own))


@pytest.mark.slow
@given(
    st.lists(RECORD, max_size=15),
    st.lists(st.tuples(st.sampled_from(["new", 7.25]), *RECORD_PARTS), max_size=9),
    st.integers(0, 9),
    st.integers(1, 3),
    st.sampled_from([None, 1, 2]),
    st.randoms(use_true_random=False),
)
def test_another_unit_and_another_order_change_nobodys_choice(rows, new, key, most, groups, random):
    alone, more = chosen(rows, key, most, groups), [*rows, *new]
    random.shuffle(more)
    beside = chosen(more, key, most, groups)
    assert [text for text in beside if not text.startswith(("('new'", "(7.25"))] == alone


IDS = np.repeat([3, 1, 2, 40, 5], 8)
DTYPES = {
    "int32": IDS.astype("int32"),
    "float64": IDS.astype(float),
    "objects": IDS.astype(object),
    "a list": IDS.tolist(),
    "floats and ints": [*IDS[:9].tolist(), *IDS[9:].astype(float).tolist()],
    "decimals": list(map(Decimal, IDS.tolist())),
    "Int64": pd.Series(IDS, dtype="Int64"),
    "a Categorical": pd.Categorical(IDS, categories=[9, 40, 5, 3, 2, 1]),
    "a masked array": np.ma.masked_array(IDS),
    "a Series with other labels": pd.Series(IDS, index=range(100, 60, -1)),
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_equal_ids_have_the_same_choice_in_every_dtype(dtype):
    assert of(DTYPES[dtype]).tolist() == of(IDS).tolist()


def test_integers_have_the_same_hash_beside_texts():
    for ids in ([-3, 5, 0], [-(2**63), 2**63 - 1, 7]):
        _, hashes = encode_units(np.array(ids), "p")
        _, beside = encode_units([*ids, "a"], "p")
        assert beside[:3].tolist() == hashes.tolist() and len({*beside.tolist()}) == 4
    _, hashes = encode_units([2**70, -(2**70), "a"], "p")
    assert hashes.dtype == np.uint64


def test_texts_have_the_same_choice_in_every_dtype():
    texts = [f"person {each}" for each in IDS]
    usual = of(texts)
    for other in (np.array(texts), pd.Series(texts, dtype="string"), pd.Categorical(texts), pd.Series(texts)):
        assert of(other).tolist() == usual.tolist()
    assert usual.sum() == 10 and of(["\ud800", "\ud800", "b"], 1).sum() == 2


@pytest.mark.parametrize(
    "ids",
    [
        [(1, 2)] * 3 + [(1, 3)],
        [True] * 3 + [False],
        pd.to_datetime(["2020"] * 3 + ["2021"]),
        [[1], [1], [1], [2]],
    ],
)
def test_pairs_truth_values_dates_and_what_cannot_be_hashed_are_ids(ids):
    assert of(ids, 1).sum() == 2


@pytest.mark.parametrize(
    "ids",
    [[1, None], [1.0, np.nan], ["a", pd.NA], pd.Series([1, None], dtype="Int64"), pd.Categorical(["a", None])]
    + [np.ma.masked_array([1, 2], [False, True]), pd.to_datetime(["2020-01-01", None])],
)
def test_a_record_of_nobody_is_an_error(ids):
    with pytest.raises(PydpstatError, match="^unit must identify the unit of each record; 'p' has missing"):
        of(ids)


def times(most, records, places=None, groups=None, values=None, units=1):
    """How often each record of a unit stays, over keys."""
    ids = np.arange(records) % units
    return np.sum([of(ids, most, groups, key, places, values) for key in KEYS], axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("values", [None, [np.zeros(6)], [np.array([0.0, 0.0, 1.0, 1.0, 1.0, 2.0])]])
@pytest.mark.parametrize("most", [1, 3])
def test_each_record_stays_as_often(most, values):
    # a false alarm in 1 of 1e6 runs; the keys are fixed
    found = times(most, 6, values=values)
    assert found.sum() == most * len(KEYS)
    if values is None:
        # of so many without replacement the statistic is chi-square after dividing by what is left of 1
        square = ((found - found.mean()) ** 2).sum() / found.mean() / (1 - most / 6) * 5 / 6
        assert square < stats.chi2(5).isf(1e-6)
    else:
        # of equal records the first is as good as any other: their numbers are compared
        _, same = np.unique(values[0], return_inverse=True)
        count, size = np.bincount(same, found), np.bincount(same)
        share = count / len(KEYS) - most * size / 6
        assert np.abs(share).max() < 5 * np.sqrt(most / len(KEYS))


def test_every_set_of_records_is_as_likely():
    sets = [tuple(np.flatnonzero(of(np.zeros(5, dtype=int), 2, key=key))) for key in KEYS]
    found = np.unique(sets, axis=0, return_counts=True)[1]
    assert found.size == 10 and stats.chisquare(found).pvalue > 1e-6


@pytest.mark.slow
def test_every_group_is_as_likely_and_units_choose_for_themselves():
    places = np.array([0, 0, 0, 1, 2, 3], dtype=np.int32)
    found = times(3, 6, places, 1)
    per_group = np.array([found[0], found[3], found[4], found[5]])
    assert (found[:3] == found[0]).all() and per_group.sum() == len(KEYS)
    assert stats.chisquare(per_group).pvalue > 1e-6
    # two units with equal records: whether both keep the same one
    ids, values = np.repeat([0, 1], 4), [np.tile(np.arange(4.0), 2)]
    same = np.sum([of(ids, 1, key=key, values=values).reshape(2, 4).all(axis=0).any() for key in KEYS])
    assert stats.binomtest(int(same), len(KEYS), 0.25).pvalue > 1e-6


def test_no_records_and_all_in_no_group():
    assert of([], 1).tolist() == [] and of(np.array([], dtype=object), 1, 1).size == 0
    assert not of([1, 1, 2], 1, 1, places=np.full(3, -1, dtype=np.int32)).any()


@pytest.mark.parametrize(
    "values, groups, records",
    [
        (np.arange(40.0), None, [4, 6, 13, 15, 16, 22, 24, 30, 37, 38]),
        (np.arange(40.0) % 3, None, [3, 6, 9, 15, 20, 23, 28, 30, 37, 38]),
        (np.arange(40.0) % 3, 2, [3, 6, 10, 14, 20, 23, 29, 30, 37, 38]),
    ],
)
def test_a_key_selects_the_recorded_records(values, groups, records):
    assert np.flatnonzero(of(IDS, 2, groups, values=[values])).tolist() == records

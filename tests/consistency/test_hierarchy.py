"""Hierarchies from nested labels, pairs and columns, and where records and counts are in them."""

import numpy as np
import pandas as pd
import pytest

from pydpstat import PydpstatError
from pydpstat.consistency import Hierarchy
from pydpstat.consistency.hierarchy_fit import count_leaf_records

NESTED = {"North": {"a": ["m", "f"], "b": ["m", "f"]}, "South": {"c": ["m"]}, "Isles": None}
NAMES = ["total", "North", "South", "Isles", "North / a", "North / b", "South / c"]
NAMES += ["North / a / m", "North / a / f", "North / b / m", "North / b / f", "South / c / m"]

PATHS = [("Isles", None, None), ("North", "a", "m"), ("North", "a", "f"), ("North", "b", "m")]
PATHS += [("North", "b", "f"), ("South", "c", "m")]


@pytest.fixture
def country():
    return Hierarchy(NESTED)


def test_nested_labels(country):
    assert country.sizes == (1, 3, 3, 5) and country.leaves == 6 and len(country) == country.nodes == 12
    assert country.names() == NAMES
    assert country.levels == ("level 0", "level 1", "level 2", "level 3")
    assert country.frame().label.tolist() == [name.split(" / ")[-1] for name in NAMES]
    assert country.frame().level.tolist() == ["level 0", *3 * ["level 1"], *3 * ["level 2"], *5 * ["level 3"]]
    assert repr(country) == "<Hierarchy: 4 levels of 1, 3, 3, 5 nodes>"


def test_pairs_give_the_same(country):
    child, parent = ["North", "South", "Isles", *"abc"], [None, None, None, "North", "North", "South"]
    assert Hierarchy.from_parents(child, parent, root="total").names() == NAMES[:7]
    frame = pd.DataFrame({"child": child, "parent": parent}).fillna("all")[::-1]
    assert Hierarchy.from_parents(frame.child, frame.parent).sizes == (1, 3, 3)
    numbers = Hierarchy.from_parents([1, 2, 3], [0.0, 1.0, np.nan], root=-1)
    assert numbers.sizes == (1, 2, 1, 1) and numbers.labels[3].tolist() == [2]


def test_columns_give_the_same(country):
    rows = [*PATHS[1:], PATHS[0], PATHS[1]]
    frame = pd.DataFrame(rows, columns=["state", "town", "sex"])
    made = Hierarchy.from_columns(frame)
    assert made.names() == NAMES and made.levels == ("level 0", "state", "town", "sex")
    assert Hierarchy.from_columns(frame.astype("category")).names() == NAMES
    lists = {name: frame[name].tolist() for name in frame}
    assert Hierarchy.from_columns(lists, levels=list("abcd")).names() == NAMES


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: Hierarchy([]), "must have labels below 'total'"),
        (lambda: Hierarchy("ab"), "must be dicts and lists of labels"),
        (lambda: Hierarchy({"a": 3}), "must be dicts and lists of labels"),
        (lambda: Hierarchy(["a", "a"]), "has one twice"),
        (lambda: Hierarchy([["a"], ["b"]]), "a list inside a list"),
        (lambda: Hierarchy(["a"], levels=["top"]), "levels must be 2 different names"),
        (lambda: Hierarchy(["a"], levels=["top", "top"]), "levels must be 2 different names"),
        (lambda: Hierarchy(["a"], levels=3), "levels must be a list of names"),
        (lambda: Hierarchy.from_parents(["a", "b"], ["b", "a"]), "every label has a parent"),
        (lambda: Hierarchy.from_parents([*"abc"], ["b", "a", "top"]), "2 labels are in a cycle"),
        (lambda: Hierarchy.from_parents(["a", "a"], ["b", "c"]), "some have two parents"),
        (lambda: Hierarchy.from_parents(["a", "b"], ["c", "d"]), "one top; there are 2"),
        (lambda: Hierarchy.from_parents(["a", None], ["c", "c"]), "none of them missing"),
        (lambda: Hierarchy.from_parents(["a"], ["b", "c"]), "the same length; got 1 and 2"),
        (lambda: Hierarchy.from_parents("a", ["b"]), "child must be a column of labels"),
        (lambda: Hierarchy.from_columns({"a": ["x", "x"], "b": [None, "y"]}), "a leaf in one row"),
        (lambda: Hierarchy.from_columns({"a": ["x", None], "b": ["y", "z"]}), "down to each leaf"),
        (lambda: Hierarchy.from_columns({"a": [[1], [2]]}), "hashable labels"),
        (lambda: Hierarchy.from_columns({"a": []}), "must have rows"),
        (lambda: Hierarchy.from_columns([1, 2]), "a column for each level; got list"),
    ],
)
def test_errors(call, words):
    with pytest.raises(PydpstatError, match=words):
        call()


def flat(data, hierarchy, drop=False):
    counts, records = count_leaf_records(data, hierarchy, drop)
    return np.concatenate(counts).tolist(), records


def test_a_leaf_without_a_label_takes_no_records():
    hierarchy = Hierarchy({"N": [None, "a"], "S": ["b"]})
    frame = pd.DataFrame({"s": ["N", "N", "N", "S"], "t": ["a", "c", None, "b"]}, dtype=object)
    counts, _ = flat(frame, hierarchy, drop=True)
    assert counts == [0, 0, 0, 0, 1, 1]


def test_records_in_columns(country):
    rows = [("North", "a", "f"), ("North", "a", "f"), ("Isles", None, None), ("South", "c", "m")]
    frame = pd.DataFrame(rows, columns=["s", "t", "x"])
    counts, records = flat(frame, country)
    found = {"North / a / f": 2, "Isles": 1, "South / c / m": 1}
    assert records and dict(zip(NAMES, counts)) == {**dict.fromkeys(NAMES, 0), **found}
    assert flat(frame.astype("category"), country) == (counts, True)


@pytest.mark.parametrize(
    "row",
    [
        ("North", "a", "x"),
        ("North", "c", "m"),
        ("West", "a", "m"),
        ("North", "a", None),
        ("Isles", "a", None),
        ("Isles", None, "m"),
        (None, None, None),
        (None, "a", "m"),
    ],
    ids=str,
)
def test_records_at_no_leaf(row, country):
    frame = pd.DataFrame([("North", "a", "m"), row], columns=["s", "t", "x"])
    with pytest.raises(PydpstatError, match="at a leaf of the hierarchy; some are not"):
        flat(frame, country)
    assert sum(flat(frame, country, drop=True)[0]) == 1


def test_records_with_the_leaves_labels():
    country = Hierarchy({"North": ["a", "b"], "South": ["c"]})
    assert flat(pd.DataFrame({"town": ["c", "b", "c"]}), country) == ([0, 0, 0, 0, 1, 2], True)
    with pytest.raises(PydpstatError, match="identify leaves by all their labels"):
        flat(pd.DataFrame({"x": ["m"]}), Hierarchy(NESTED))


@pytest.mark.parametrize(
    "data",
    [
        [1, 2, 3, 4, 5, 6],
        np.array([[1, 2, 3], [4, 5, 6]], dtype=np.int8),
        pd.Series([1.0, 2, 3, 4, 5, 6], pd.MultiIndex.from_tuples(PATHS)),
        pd.Series([6, 5, 4, 3, 2, 1], pd.MultiIndex.from_tuples(PATHS[::-1]), dtype="Int64"),
        {tuple(filter(None, path)): count for count, path in enumerate(PATHS, start=1)},
    ],
    ids=["list", "array", "series", "nullable", "dict"],
)
def test_counts(data, country):
    assert flat(data, country) == ([0, 0, 0, 1, 0, 0, 0, 2, 3, 4, 5, 6], False)


def test_counts_by_label():
    country = Hierarchy({"North": ["a", "b"], "South": ["c"]})
    for data in ({"c": 3, "a": 1, "b": 2}, pd.Series([1, 2, 3], ["a", "b", "c"])):
        assert flat(data, country) == ([0, 0, 0, 1, 2, 3], False)


@pytest.mark.parametrize(
    "data, words",
    [
        ({"a": 1, "b": 2}, "one count for each of the 3 leaves"),
        ({"a": 1, "b": 2, "d": 3}, "one count for each of the 3 leaves"),
        (pd.Series([1, 2, 3, 4], ["a", "b", "c", "c"]), "one count for each of the 3 leaves"),
        ([1, 2], "a count for each of the 3 leaves"),
        ([1, 2, -3], "whole numbers of at least 0"),
        ([1, 2, 0.5], "whole numbers of at least 0"),
        ([1, 2, np.nan], "finite numbers only; some are"),
        ([1, 2, 2.0**60], "below 2\\^53"),
        (["a", "b", "c"], "data must be numbers"),
        (pd.DataFrame({"x": ["a"], "y": ["b"], "z": ["c"]}), "a column for each of the 2 levels"),
    ],
)
def test_counts_that_are_none(data, words):
    with pytest.raises(PydpstatError, match=words):
        flat(data, Hierarchy({"North": ["a", "b"], "South": ["c"]}))

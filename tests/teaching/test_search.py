"""Sensitivity by search: known answers, a plain second search, witnesses, and the limit."""

from __future__ import annotations

import itertools
import math
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pydpstat import PydpstatError
from pydpstat.teaching import sensitivity
from tests.junk import JUNK


def mean(data):
    return Fraction(sum(data), len(data)) if data else 0


def histogram(data):
    return [sum(x == level for x in data) for level in range(3)]


def test_the_figures_of_the_text():
    count = sensitivity(lambda x: sum(age >= 18 for age in x), [14, 17, 18, 69], 4)
    two = sensitivity(lambda x: (sum(a >= 18 for a in x), sum(a >= 15 for a in x)), [14, 16, 69], 4)
    vector = sensitivity(lambda x: x[0], [(0, 0, 0, 0), (2, 3, -4, 6)], 1)
    assert (count.value, two.value, vector.value) == (1, 2, 15)
    assert vector.outputs == ((0, 0, 0, 0), (2, 3, -4, 6)) and vector.data == ((0, 0, 0, 0),)


@pytest.mark.parametrize(
    ("function", "domain", "n", "options", "value"),
    [
        (sum, range(4), 3, {}, 3),
        (sum, range(-2, 6), 3, {"neighbors": "unbounded"}, 5),
        (len, ["a"], 5, {"neighbors": "unbounded"}, 1),
        (len, ["a", "b"], 5, {}, 0),
        (mean, [0, 1], 5, {}, Fraction(1, 5)),
        (mean, [0, 1], 5, {"neighbors": "unbounded"}, 1),
        (histogram, range(3), 4, {}, 2),
        (histogram, range(3), 4, {"neighbors": "unbounded"}, 1),
        (histogram, range(3), 4, {"norm": "L2"}, math.sqrt(2)),
        (lambda x: (3 * sum(x), 4 * sum(x)), [0, 1], 2, {"norm": "L2"}, 5),
        (lambda x: [mean(x), mean(x)], [0, 3], 4, {"norm": "L2"}, math.sqrt(9 / 8)),
        (lambda x: 0.1 * sum(x), [0, 1], 1, {}, 0.1),
        (lambda x: sum(map(Decimal, x)), ["0.1", "0.4"], 2, {}, None),
        (lambda x: np.median(x), [0.0, 1.0], 3, {}, 1.0),
        (lambda x: pd.Series(x).value_counts().reindex([0, 1], fill_value=0), [0, 1], 2, {}, 2),
        (lambda x: any(x), [False, True], 3, {}, 1),
        (lambda x: x[0] * 1e308, [-1.5, 1.5], 1, {}, math.inf),
    ],
)
def test_known_sensitivities(function, domain, n, options, value):
    found = sensitivity(function, domain, n, **options)
    if value is None:
        assert float(found) == pytest.approx(0.3)
    else:
        assert found.value == value and (type(found.value) is type(value))
    # the witness attains it
    first, second = (np.ravel(np.asarray(function(data), dtype=float)) for data in (found.data, found.neighbor))
    order = 2 if options.get("norm") == "L2" else 1
    with np.errstate(over="ignore"):
        assert np.linalg.norm(first - second, order) == pytest.approx(float(found.value))


def plain(function, domain, n, norm, neighbors):
    """The definition, word for word: every two data sets, and whether they are neighbors."""
    sizes = [n] if neighbors == "bounded" else range(n + 1)
    sets = [data for size in sizes for data in itertools.product(domain, repeat=size)]
    best = Fraction(0)
    for first, second in itertools.product(sets, repeat=2):
        if neighbors == "bounded":
            near = sum(a != b for a, b in zip(first, second)) == 1
        else:
            near = any(first[:i] + first[i + 1 :] == second for i in range(len(first)))
        if near:
            gaps = [abs(a - b) for a, b in zip(function(first), function(second))]
            best = max(best, sum(gaps) if norm == "L1" else sum(gap**2 for gap in gaps))
    return best


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-9, 9), min_size=2, max_size=3, unique=True),
    st.integers(1, 3),
    st.sampled_from(["L1", "L2"]),
    st.sampled_from(["bounded", "unbounded"]),
    st.randoms(use_true_random=False),
)
def test_a_second_plain_search_agrees(domain, n, norm, neighbors, random):
    values = {}

    def function(data):
        # any function at all, also one that depends on the order
        return values.setdefault(data, (random.randint(-5, 5), Fraction(random.randint(-5, 5), 3)))

    found = sensitivity(function, domain, n, norm=norm, neighbors=neighbors)
    best = plain(function, domain, n, norm, neighbors)
    assert (found.value if norm == "L1" else found.squared) == best

    def unordered(data):
        return function(tuple(sorted(data)))

    fewer = sensitivity(unordered, domain, n, norm=norm, neighbors=neighbors, symmetric=True)
    everything = sensitivity(unordered, domain, n, norm=norm, neighbors=neighbors)
    assert fewer.value == everything.value and fewer.data_sets <= everything.data_sets


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize(("values", "n"), [(2, 1), (2, 4), (3, 3), (5, 2)])
def test_the_size_that_the_limit_is_compared_with_is_the_true_one(neighbors, symmetric, values, n):
    calls = []
    found = sensitivity(lambda x: calls.append(x) or sum(x), range(values), n, neighbors=neighbors, symmetric=symmetric)
    assert len(calls) == len(set(calls)) == found.data_sets
    work = found.data_sets + found.pairs
    sensitivity(sum, range(values), n, neighbors=neighbors, symmetric=symmetric, limit=work)
    with pytest.raises(PydpstatError, match="limit allows"):
        sensitivity(sum, range(values), n, neighbors=neighbors, symmetric=symmetric, limit=work - 1)


def test_square_roots_are_exact_where_they_can_be():
    third = sensitivity(lambda x: (Fraction(x[0], 3), 0), [0, 1], 1, norm="L2")
    assert third.value == Fraction(1, 3) and third.squared == Fraction(1, 9)
    irrational = sensitivity(lambda x: (x[0], x[0]), [0, 1], 1, norm="L2")
    assert irrational.value == math.sqrt(2) and irrational.squared == 2
    tiny = sensitivity(lambda x: (Fraction(x[0], 10**150), Fraction(x[0], 10**150)), [0, 1], 1, norm="L2")
    assert tiny.value == pytest.approx(math.sqrt(2) * 1e-150, rel=1e-15)
    large = sensitivity(lambda x: (x[0] * 10**40, x[0]), [0, 1], 1, norm="L2")
    assert large.value == pytest.approx(1e40, rel=1e-15)


def test_records_of_any_type():
    people = [{"age": 20, "paid": 3}, {"age": 70, "paid": 9}]
    assert sensitivity(lambda x: sum(each["paid"] for each in x), people, 2).value == 6
    for domain in (np.array([0, 2]), pd.Series([0, 2]), pd.Index([0, 2]), (0, 2), [0.0, 2.0]):
        assert sensitivity(sum, domain, 2).value == 2
    assert sensitivity(lambda x: sum(each is None for each in x), [None, 1], 2).value == 1


def test_text():
    text = repr(sensitivity(sum, range(4), 2))
    assert text == (
        "Sensitivity: 3 in the L1 norm (bounded neighbors), attained by (0, 0) and (0, 3); 48 pairs of 16 data sets"
    )


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((3, [0, 1], 2), {}, "function must be a callable of a tuple of records; got int"),
        ((sum, "01", 2), {}, "domain must be a list of the values that a record can have; got str"),
        ((sum, {0, 1}, 2), {}, "domain must be a list"),
        ((sum, np.eye(2), 2), {}, "domain must be a list"),
        ((sum, [], 2), {}, "domain must have at least one value; got none"),
        ((sum, [1], 2), {}, "domain must have two or more values under bounded neighbors; got one"),
        ((sum, [0, 1], 0), {}, "n must be a whole number of at least 1; got 0"),
        ((sum, [0, 1], 2), {"norm": "l2"}, "norm must be one of .*; got 'l2'. Did you mean 'L2'?"),
        ((sum, [0, 1], 2), {"neighbors": "bound"}, "Did you mean 'bounded'?"),
        ((sum, [0, 1], 2), {"symmetric": "yes"}, "symmetric must be True or False; got str of length 3"),
        ((sum, [0, 1], 2), {"limit": 0}, "limit must be a whole number of at least 1; got 0"),
        ((sum, range(9), 9), {}, "give 387,420,489 data sets and 13,947,137,604 pairs of neighbors; limit"),
        ((sum, range(2), 10**9), {}, "give more than 1,000,000,000 data sets; limit allows 1,000,000"),
        ((sum, range(2), 9999), {}, r"give about 10\*\*30\d\d data sets"),
        ((sum, range(10**12), 1), {}, "domain must have at most limit = 1,000,000 values"),
        (
            (lambda x: 1 / len(x), [0], 2),
            {"neighbors": "unbounded"},
            "ZeroDivisionError: .* An empty data set",
        ),
        ((lambda x: list(set(x)), [0, 1], 2), {}, "it returned 1 for .0, 0. and 2 for .0, 1.. A shape"),
        ((lambda x: "a", [0, 1], 2), {}, "function must return finite numbers; it returned 'a'"),
        ((lambda x: math.inf, [0, 1], 2), {}, "function must return finite numbers; it returned inf"),
        ((lambda x: [[1], [2]], [0, 1], 2), {}, "a flat list of numbers"),
        ((lambda x: 1j, [0, 1], 2), {}, "function must return finite numbers"),
    ],
)
def test_bad_input(arguments, options, message):
    with pytest.raises(PydpstatError, match=message):
        sensitivity(*arguments, **options)


@pytest.mark.parametrize("name", JUNK)
def test_junk(name):
    for call in (
        lambda x: sensitivity(x, [0, 1], 2),
        lambda x: sensitivity(len, x, 2),
        lambda x: sensitivity(sum, [0, 1], x),
        lambda x: sensitivity(lambda data: x, [0, 1], 2),
        lambda x: sensitivity(sum, [0, 1], 2, norm=x),
        lambda x: sensitivity(sum, [0, 1], 2, symmetric=x),
        lambda x: sensitivity(sum, [0, 1], 2, limit=x),
    ):
        with suppress(PydpstatError):
            call(JUNK[name]())

"""Each statistic's sensitivity: worst neighbors by brute force and by search, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pydpstat
from pydpstat._release import statistic as protection

BOUNDS = (-0.1, 0.7)
R = Fraction(BOUNDS[1]) - Fraction(BOUNDS[0])


@pytest.fixture
def asked(monkeypatch):
    """The queries of releases: true values with their sensitivities."""
    queries = []
    original = protection.release

    def spy(query, *arguments, **keywords):
        queries.append(query)
        return original(query, *arguments, **keywords)

    monkeypatch.setattr(protection, "release", spy)
    return queries


def query(asked, function, *data, **options):
    getattr(pydpstat, function)(*data, 1.0, **options)
    return asked[-1]


def change(first, second, gaussian=False):
    """Exact distance of two queries' values, and what they claim at most."""
    differences = [abs(a - b) for a, b in zip(first.exact, second.exact)]
    assert first.sensitivities == second.sensitivities
    if len(first.sensitivities) > 1:
        return max(d / Fraction(s) for d, s in zip(differences, first.sensitivities)), 1
    if gaussian:
        return sum(d * d for d in differences), Fraction(first.sensitivities[0]) ** 2
    return sum(differences), Fraction(first.sensitivities[0])


FUNCTIONS = [
    "mean",
    "sum",
    "var",
    "std",
    "cov",
    "corr",
    "cov of a frame",
    "corr of a frame",
    "mean of a frame",
]
grid_points = [-5.0, -0.1, 0.0, 0.3, 0.30000001, 0.7, np.inf]


def data_of(function, rows):
    """Arrange records, pairs of numbers, as the function wants them."""
    x, y = np.array(rows, dtype=float).reshape(-1, 2).T
    name = function.split()[0]
    if "frame" in function:
        return name, (pd.DataFrame({"x": x, "y": y, "z": np.minimum(x, y)}),)
    return name, ((x, y) if name in ("cov", "corr") else (x,))


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_replacing_a_record(asked, function, mechanism):
    options = {"bounds": BOUNDS, "mechanism": mechanism, "delta": 1e-6 if mechanism == "gaussian" else 0}
    largest = 0.0
    for others in (
        np.full((3, 2), -0.1),
        np.full((3, 2), 0.7),
        np.array([[-0.1, 0.7], [0.3, 0.3], [0.1, 0.2]]),
    ):
        found = []
        for record in product([-5.0, 0.30000001, 0.7], repeat=2):
            name, data = data_of(function, np.vstack([others, record]))
            found.append(query(asked, name, *data, **options))
        for a, b in product(found, repeat=2):
            moved, allowed = change(a, b, mechanism == "gaussian")
            assert moved <= allowed
            largest = max(largest, float(moved / allowed))
    # the sensitivity is attained: no noise is wasted
    assert largest > 0.999


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
@pytest.mark.parametrize("function", FUNCTIONS)
@given(rows=st.lists(st.tuples(*[st.sampled_from(grid_points)] * 2), max_size=6))
@settings(max_examples=15)
def test_adding_a_record(function, mechanism, rows):
    options = {"bounds": BOUNDS, "mechanism": mechanism, "delta": 1e-6 if mechanism == "gaussian" else 0}
    asked = []
    with pytest.MonkeyPatch.context() as patch:
        original = protection.release
        patch.setattr(protection, "release", lambda q, *a, **k: asked.append(q) or original(q, *a, **k))
        name, data = data_of(function, rows)
        alone = query(asked, name, *data, neighbors="unbounded", **options)
        for record in ((np.inf, np.inf), (0.1, 0.6999999), (-0.1, 0.7)):
            name, data = data_of(function, [*rows, record])
            more = query(asked, name, *data, neighbors="unbounded", **options)
            moved, allowed = change(alone, more, mechanism == "gaussian")
            assert moved <= allowed


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=8),
    st.floats(-1, 1),
    st.sampled_from(["mean", "sum", "var"]),
)
def test_replacing_any_record(rows, other, function):
    asked = []
    with pytest.MonkeyPatch.context() as patch:
        original = protection.release
        patch.setattr(protection, "release", lambda q, *a, **k: asked.append(q) or original(q, *a, **k))
        a = query(asked, function, rows, bounds=BOUNDS)
        b = query(asked, function, [other, *rows[1:]], bounds=BOUNDS)
    moved, allowed = change(a, b)
    assert moved <= allowed
    n = len(rows)
    limit = {"mean": R / n, "sum": R, "var": R * R / n * (1 + Fraction(1, 2**36))}[function]
    assert Fraction(a.sensitivities[0]) <= limit


def test_weights_add_up_to_one(asked):
    # a single record: its weights are not negative and their sum is 1, whatever the record is
    rng = np.random.default_rng(5)
    records = [*rng.uniform(-0.2, 0.8, 200), *np.nextafter([-0.1, 0.7, 0.3], 0.3), -0.1, 0.7, 0.7 - 2**-41]
    for x, y in zip(records, records[::-1]):
        for function, data, norm in (
            ("mean", ([x],), 1),
            ("var", ([x],), 1),
            ("cov", ([x], [y]), 1),
            ("corr", ([x], [y]), None),
        ):
            exact = query(asked, function, *data, bounds=BOUNDS, neighbors="unbounded").exact
            assert min(exact) >= 0
            total = sum(exact)
            assert total == norm or norm is None and total <= Fraction(asked[-1].sensitivities[0])

"""What an error or a warning says, with all that caused it, tells nothing of the data."""

from __future__ import annotations

import datetime
import decimal
import inspect
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PydpstatError

SECRET, TEXT = 4.2424242e7, "Zyzzyva Quark"
# what of them would be seen in a message
TRACES = ("4242", "42424242", "Zyzzyva", "1973", "8128")
BOUNDS = (0.0, 1.0)

DATA: dict[str, Any] = {
    "a text": TEXT,
    "bytes": TEXT.encode(),
    "a number": SECRET,
    "a whole number": 42424242,
    "texts": [TEXT, "b"],
    "numbers and a text": [SECRET, TEXT, 1.0],
    "numbers as texts": ["4.2424242e7", "1"],
    "missing": [SECRET, None, 1.0],
    "NaN": np.array([SECRET, np.nan]),
    "NA": pd.Series([42424242, pd.NA], dtype="Int64"),
    "ragged": [[SECRET, 1.0], [SECRET]],
    "a dict": {TEXT: SECRET},
    "a set": {SECRET, TEXT},
    "a generator": (each for each in [SECRET, TEXT]),
    "objects": np.array([object(), TEXT, SECRET], dtype=object),
    "complex": [SECRET + 1j, 2.0],
    "dates": [datetime.date(1973, 4, 2), datetime.date(1973, 4, 3)],
    "times": np.array(["1973-04-24", "NaT"], dtype="M8[D]"),
    "far times": np.array(["4242-04-24", "1973-01-01", "NaT"], dtype="M8[D]"),
    "far durations": np.array([4242 * 10**9, 1], dtype="m8[s]"),
    "decimals": [decimal.Decimal("4.2424242e7"), decimal.Decimal("NaN")],
    "a cube": np.full((2, 2, 2), SECRET),
    "0-d": np.array(SECRET),
    "a categorical": pd.Categorical([TEXT, "b"]),
    "a frame of texts": pd.DataFrame({"x": [TEXT, "b"], "y": [SECRET, 1.0]}),
    "nested": [[TEXT, SECRET], [TEXT, SECRET]],
    "huge": [10**400 + 42424242, SECRET],
    "lists in it": [[SECRET], TEXT, 1.0],
    "records": np.array([(SECRET, b"Zyzzyva")], dtype=[("a", "f8"), ("b", "S8")]),
    "perfect numbers": [8128.5, "8128", None],
}


def _calls() -> dict[str, Callable[[Any], Any]]:
    """Each own function with the data in one of its places, for both neighbors."""
    d = pydpstat
    other = np.linspace(0, 1, 2)
    calls: dict[str, Callable[[Any], Any]] = {}
    for neighbors in ("bounded", "unbounded"):
        for name in ("mean", "sum", "var", "std", "median"):
            calls[f"{name}, {neighbors}"] = lambda x, f=getattr(d, name), n=neighbors: f(
                x, 1.0, bounds=BOUNDS, neighbors=n
            )
        for name in ("cov", "corr"):
            calls[f"{name}, x, {neighbors}"] = lambda x, f=getattr(d, name), n=neighbors: f(
                x, other, 1.0, bounds=(BOUNDS, BOUNDS), neighbors=n
            )
            calls[f"{name}, y, {neighbors}"] = lambda x, f=getattr(d, name), n=neighbors: f(
                other, x, 1.0, bounds=(BOUNDS, BOUNDS), neighbors=n
            )
        for name in ("count", "proportion"):
            calls[f"{name}, {neighbors}"] = lambda x, f=getattr(d, name), n=neighbors: f(x, 1.0, neighbors=n)
        calls |= {
            f"quantile, {neighbors}": lambda x, n=neighbors: d.quantile(
                x, 0.5, 1.0, bounds=BOUNDS, neighbors=n
            ),
            f"quantiles, {neighbors}": lambda x, n=neighbors: d.quantiles(
                x, [0.2, 0.5], 1.0, bounds=BOUNDS, neighbors=n
            ),
            f"histogram, {neighbors}": lambda x, n=neighbors: d.histogram(x, 1.0, edges=[0, 1], neighbors=n),
            f"crosstab, {neighbors}": lambda x, n=neighbors: d.crosstab(
                x, 1.0, levels=["a", "b"], neighbors=n
            ),
            f"crosstab, discover, {neighbors}": lambda x, n=neighbors: d.crosstab(
                x, 1.0, levels="discover", delta=1e-9, neighbors=n
            ),
        }
    calls["crosstab, declared"] = lambda x: d.crosstab(x, 1.0, levels="declared")
    calls["choose"] = lambda x: d.choose(["a", "b"], x, 1.0, 1.0)
    # the data in the place of what follows them
    calls["mean, in the place of epsilon"] = lambda x: d.mean(other, x, bounds=BOUNDS)
    calls["mean, unbounded, with an option misspelt"] = lambda x: d.mean(
        x, 1.0, bounds=BOUNDS, neighbors="unbounded", missing="dorp"
    )
    calls["cov, of a frame"] = lambda x: d.cov(x, epsilon=1.0, bounds=(BOUNDS, BOUNDS))
    calls["proportion, in the place of epsilon"] = lambda x: d.proportion(other > 0.5, x)
    calls["symmetric_geometric"] = lambda x: d.symmetric_geometric(x, 1.0)
    calls["cov, x, in the place of epsilon"] = lambda x: d.cov(other, other, x, bounds=BOUNDS)
    return calls


CALLS = _calls()

# what an argument could get where the data were meant to be given
MISPLACED: dict[str, Any] = {
    "a list": [4242.5, 42424242.0],
    "a tuple": (4242.5, 42424242.0),
    "an array": np.array([4242.5, 42424242.0]),
    "integers": np.array([4242, 42424242]),
    "a Series": pd.Series([4242.5, 42424242.0], name="Zyzzyva"),
    "a frame": pd.DataFrame({"x": [4242.5, 42424242.0]}),
    "a dict": {TEXT: 42424242},
    "a dict of numbers": {4242.5: 42424242},
    "a set": {42424242},
    "a text": TEXT,
    "texts": [TEXT, "b"],
    "bytes": TEXT.encode(),
    "decimals": [decimal.Decimal("42424242.5")],
    "a long text": TEXT * 9,
    "truth values": [True, TEXT],
}
# options that are texts: what is misspelt is shown, if it is short
NAMED = ("mechanism", "neighbors", "missing", "levels", "other", "accountant", "path", "unit")
NAMED += ("type_DP", "which_sensitivity", "breaks")


def _options(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("args", "kwargs")]


def _misplacing() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Each function with good arguments, of which one is to be replaced."""
    d, x = pydpstat, np.linspace(0, 1, 20)
    real = {"data": x, "epsilon": 1.0, "bounds": BOUNDS, "delta": 0, "mechanism": "laplace"}
    rules = {"neighbors": "bounded", "missing": "error", "rng": None, "budget": None}
    counted = {"epsilon": 1.0, "delta": 0, "mechanism": "geometric", **rules}
    found: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {}
    for name in ("mean", "sum", "var", "std"):
        found[name] = getattr(d, name), {**real, **rules}
    two = {**real, **rules, "x": x, "y": x}
    del two["data"]
    found |= {name: (getattr(d, name), two) for name in ("cov", "corr")}
    chosen = {"x": x, "epsilon": 1.0, "bounds": BOUNDS, "grid_points": 101, **rules}
    found["median"] = d.median, chosen
    found["quantile"] = d.quantile, {**chosen, "q": 0.5}
    found["quantiles"] = d.quantiles, {**chosen, "qs": [0.5]}
    found["count"] = d.count, {**counted, "condition": x > 0.5}
    found["proportion"] = d.proportion, {**counted, "condition": x > 0.5}
    found["histogram"] = d.histogram, {**counted, "x": x, "edges": [0, 1]}
    found["crosstab"] = d.crosstab, {**counted, "data": ["a"], "levels": ["a"], "other": "other"}
    found["choose"] = (
        d.choose,
        {
            "candidates": ["a", "b"],
            "scores": [1, 2],
            "epsilon": 1.0,
            "sensitivity": 1,
            "mechanism": "exponential",
            "rng": None,
            "budget": None,
        },
    )
    found["symmetric_geometric"] = (
        d.symmetric_geometric,
        {
            "value": 3,
            "epsilon": 1.0,
            "sensitivity": 1,
            "rng": None,
        },
    )
    mirror = {"x": x, "eps": 1.0, "lower_bound": 0, "upper_bound": 1, "rng": 1}
    found["meanDP"] = d.meanDP, {**mirror, "delta": 0, "which_sensitivity": "bounded", "type_DP": "aDP"}
    found["varDP"] = d.varDP, {**mirror, "delta": 0}
    found["quantileDP"] = d.quantileDP, {**mirror, "quant": 0.5, "mechanism": "exponential"}
    found["medianDP"] = d.medianDP, mirror
    found["histogramDP"] = d.histogramDP, {**mirror, "breaks": [0, 1], "normalize": False}
    noisy = {"true_values": [1.0], "eps": 1.0, "sensitivities": 1.0, "alloc_proportions": None, "rng": 1}
    found["LaplaceMechanism"] = d.LaplaceMechanism, noisy
    found["GaussianMechanism"] = d.GaussianMechanism, {**noisy, "delta": 0.1, "eps": 0.5, "type_DP": "aDP"}
    utility = {"utility": [1.0, 2.0], "eps": 1.0, "sensitivity": 1.0, "measure": None, "candidates": None}
    found["ExponentialMechanism"] = d.ExponentialMechanism, {**utility, "rng": 1}
    limits = {"epsilon": 1.0, "delta": 0.0, "accountant": "basic", "neighbors": "bounded", "unit": "id"}
    found["Budget"] = d.Budget, limits
    found["Guarantee"] = d.Guarantee, {"epsilon": 1.0, "delta": 0.0, "neighbors": "bounded", "unit": "id"}
    found["calibrate_gaussian"] = d.calibrate_gaussian, {"epsilon": 1.0, "delta": 0.1, "sensitivity": 1.0}
    found["audit"] = (
        d.audit,
        {
            "release": lambda data, size: np.zeros(size),
            "data": 1,
            "neighbor": 2,
            "claim": 1.0,
            "samples": 1000,
            "rng": 1,
        },
    )
    return found


WELL_PLACED = _misplacing()


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what caused it and in whose handling it was raised."""
    seen: set[int] = set()
    stack = [error]
    while stack:
        each = stack.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            yield each
            stack += [each.__cause__, each.__context__]


def said(error: BaseException) -> list[str]:
    """All texts of an error: messages, arguments, notes, and the printed traceback without its code."""
    texts = []
    for each in chain(error):
        texts += [str(each), repr(each), repr(vars(each)), *getattr(each, "__notes__", ())]
        texts += [str(argument) for argument in each.args]
        texts += traceback.format_exception_only(type(each), each)
    return texts


@pytest.mark.parametrize("name", WELL_PLACED)
def test_data_in_another_arguments_place_are_not_shown(name):
    function, good = WELL_PLACED[name]
    assert set(good) <= set(_options(function))
    errors = 0
    for argument in good:
        for kind, wrong in MISPLACED.items():
            if argument in NAMED and kind == "a text":
                continue
            texts: list[str] = []
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    function(**{**good, argument: wrong})
                except PydpstatError as error:
                    errors += 1
                    texts = said(error)
            texts += [str(each.message) for each in caught]
            assert not [(argument, kind, text) for text in texts for trace in TRACES if trace in text]
    assert errors >= len(good)


@pytest.mark.parametrize("kind", DATA)
def test_errors_and_warnings_do_not_show_the_data(kind):
    errors = 0
    for name, call in CALLS.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                call(DATA[kind])
            except PydpstatError as error:
                errors += 1
                texts = said(error)
            else:
                texts = []
        texts += [str(each.message) for each in caught]
        assert not [(name, text) for text in texts for trace in TRACES if trace in text]
    assert errors


def test_a_wrong_length_shows_lengths_only():
    with pytest.raises(PydpstatError) as caught:
        pydpstat.cov([SECRET, 1.0, 2.0], [SECRET, 1.0], 1.0, bounds=(BOUNDS, BOUNDS))
    assert not [text for text in said(caught.value) if "4242" in text]


def test_a_refused_release_shows_no_data():
    budget = pydpstat.Budget(0.5)
    with pytest.raises(pydpstat.BudgetExceeded) as caught:
        pydpstat.mean([SECRET, 1.0], 1.0, bounds=BOUNDS, budget=budget)
    assert not [text for text in said(caught.value) if "4242" in text]
    assert budget.entries == ()


def test_what_is_raised_on_missing_values_is_the_same_for_all_data():
    # that there is one is all that it tells
    texts = set()
    for place, n in ((0, 3), (1, 3), (2, 3), (0, 50)):
        data = np.linspace(0, 1, n)
        data[place] = np.nan
        with pytest.raises(PydpstatError, match="missing") as caught:
            pydpstat.mean(data, 1.0, bounds=BOUNDS, neighbors="unbounded")
        texts.add(str(caught.value))
    assert len(texts) == 1

"""Data in the place of another argument, or changed with it, are in no message."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pydpstat import consistency, local
from tests.base_calls import BASES
from tests.neighbors.engine import said
from tests.neighbors.named import parameters
from tests.neighbors.test_completeness import EXEMPT, own

TRACES = ("4242", "Zyzzyva")
DATA = {
    "list": [4242.5, 42424242],
    "tuple": (4242.5, 42424242),
    "array": np.array([4242.5, 42424242.0]),
    "integers": np.array([4242, 42424242]),
    "long doubles": np.array([4242.5, 42424242], dtype=np.longdouble),
    "matrix": np.full((2, 2), 42424242.0),
    "Series": pd.Series([4242.5, 42424242.0], name="income", index=["Zyzzyva", "b"]),
    "Int64": pd.Series([4242, pd.NA], dtype="Int64"),
    "frame": pd.DataFrame({"x": [4242.5, 42424242.0]}),
    "masked": np.ma.masked_array([4242.5, 42424242.0], [False, True]),
    "dict": {"Zyzzyva Quark": 42424242},
    "dict of lists": {"x": [4242.5]},
    "set": {42424242},
    "texts": ["Zyzzyva Quark", "b"],
    "array of texts": np.array(["Zyzzyva Quark", "b"]),
    "Categorical": pd.Categorical(["Zyzzyva Quark", "b"]),
    "bytes": b"Zyzzyva Quark",
    "decimals": [Decimal("42424242.5")],
    "mixed": [4242.5, "Zyzzyva", None, [4242]],
    "one number": np.array([4242.5]),
}
# names of arguments that are private
PRIVATE = ("data", "x", "y", "condition", "scores", "value", "values", "answers", "array", "table", "noisy")
TREE = consistency.Hierarchy({"N": ["a", "b"], "S": ["c"]})
_RULES = {"rng": None, "budget": None}


def _respond(values: Any, rng: Any) -> Any:
    return local.RandomizedResponse(1.0).respond(values, rng)


def _noise(values: Any, rng: Any) -> Any:
    return local.LaplaceAccess(1.0, (0.0, 1.0)).respond(values, rng)


def _estimate(answers: Any, method: Any) -> Any:
    return local.RandomizedResponseCoins().estimate(answers, method)


def _federate(array: Any, n_nodes: Any, definition: Any, repeat: Any, budget: Any, rng: Any) -> Any:
    nodes = local.federate_array(array, n_nodes)
    nodes.configure_data_access(definition, repeat=repeat, budget=budget)
    return nodes.query(rng)


Call = tuple[Callable[..., Any], dict[str, Any]]
CALLS: dict[str, Call] = {
    **{name: BASES[name][:2] for name in BASES if name in own() - set(EXEMPT)},
    "local.RandomizedResponse": (
        local.RandomizedResponse,
        {"epsilon": 1.0, "categories": [1, 2], "missing": "error"},
    ),
    "local.RandomizedResponse.respond": (_respond, {"values": [0, 1], "rng": None}),
    "local.RandomizedResponse.estimate": (_estimate, {"answers": [0, 1], "method": "ml"}),
    "local.RandomizedResponseCoins": (
        local.RandomizedResponseCoins,
        {"prob_head_first": 0.5, "prob_head_second": 0.5},
    ),
    "local.LaplaceAccess": (local.LaplaceAccess, {"epsilon": 1.0, "bounds": (0, 1)}),
    "local.LaplaceAccess.respond": (_noise, {"values": [0.5, 1.0], "rng": None}),
    "local.GaussianAccess": (local.GaussianAccess, {"epsilon": 1.0, "delta": 0.1, "bounds": (0, 1)}),
    "local.federate_array": (
        _federate,
        {
            "array": [0, 1],
            "n_nodes": 2,
            "definition": local.RandomizedResponse(1.0),
            "repeat": "same",
            **_RULES,
        },
    ),
    "consistency.release_hierarchy": (
        consistency.release_hierarchy,
        {
            "data": [3, 1, 2],
            "epsilon": 1.0,
            "hierarchy": TREE,
            "split": "uniform",
            "neighbors": "bounded",
            "method": "least squares",
            "nonnegative": None,
            "integer": None,
            "missing": "error",
            **_RULES,
        },
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "function, good", parameters((f"messages of {name}", call) for name, call in CALLS.items())
)
def test_no_message_has_data(function, good):
    function(**good)
    errors, found = told(function, good)
    assert found == []
    assert errors > len(good)


def told(function: Callable[..., Any], good: dict[str, Any]) -> tuple[int, list[tuple[str, str, str]]]:
    """Return how often something is said, and what of it has data in it."""
    private = [name for name in good if name in PRIVATE]
    errors, found = 0, []
    for argument in good:
        for kind, data in DATA.items():
            calls = [{**good, argument: data}]
            # changed with each other
            calls += [{**good, argument: data, name: good[argument]} for name in private if name != argument]
            for arguments in calls:
                texts = heard(function, arguments)
                errors += bool(texts)
                found += [(argument, kind, text) for text in texts if any(each in text for each in TRACES)]
    return errors, found


def heard(function: Callable[..., Any], arguments: dict[str, Any]) -> list[str]:
    """Everything that a call says in errors and warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        texts = []
        try:
            function(**arguments)
        except Exception as error:
            texts = said(error)
    return texts + [str(each.message) for each in caught]


def test_every_function_that_takes_data_is_called():
    covered = {name if "." not in name else ".".join(name.split(".")[:2]) for name in CALLS}
    assert covered == own() - set(EXEMPT)

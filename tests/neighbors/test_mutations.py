"""Each defect that neighboring data have shown is found when it is put back."""

from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pydpstat
import pydpstat._checks as checks
from pydpstat import Budget, compose
from pydpstat._data import labels
from pydpstat._data.values import to_object_array
from pydpstat._records import levels
from pydpstat.budget.amounts import BasicAccountant, ConcentratedAccountant
from pydpstat.local import FederatedArray
from pydpstat.local.design import ResponseDesign
from pydpstat.results.results import DPResults
from pydpstat.statistics import choice, quantiles, tables
from pydpstat.statistics.choice import Scores
from tests.neighbors import test_accounts as accounts
from tests.neighbors.cover import wrong
from tests.neighbors.engine import compared
from tests.neighbors.published import results, statements
from tests.neighbors.sameness import writeable
from tests.neighbors.surveys import SURVEYS, surveyed
from tests.neighbors.table import FUNCTIONS
from tests.test_error_privacy import misplaced

BY_NAME = {function.name: function for function in FUNCTIONS}


def found(name: str, *kinds: str) -> str:
    """All that is wrong with a function, as one text."""
    function = BY_NAME[name]
    chosen = [kind for kind in function.kinds if not kinds or kind.name in kinds]
    return "\n".join(chain.from_iterable(wrong(function, kind) for kind in chosen))


def at_once(values: list[Any], labels: Any) -> np.ndarray:
    """Look up all values together, as one that cannot be hashed does not allow."""
    try:
        codes, names = pd.factorize(to_object_array(values))
    except TypeError:
        return np.full(len(values), -1, dtype=np.intp)
    places = {label: place for place, label in enumerate(labels) if label is not None}
    table = np.array([places.get(name, len(labels)) for name in names] + [-1], dtype=np.intp)
    return table[codes]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["release_hierarchy", "crosstab"])
def test_labels_that_are_looked_up_together(monkeypatch, name):
    assert found(name, "list") == ""
    monkeypatch.setattr(labels, "_encode_objects", at_once)
    assert "movement: beyond the sensitivity" in found(name, "list")


def test_a_traceback_that_is_printed(monkeypatch):
    real = labels._encode_objects

    def printing(values: list[Any], labels: Any) -> np.ndarray:
        for value in values:
            try:
                hash(value)
            except (TypeError, ZeroDivisionError):
                print("Traceback (most recent call last)")
        return real(values, labels)

    monkeypatch.setattr(labels, "_encode_objects", printing)
    assert "printed: something" in found("crosstab", "list")
    assert "printed: something" in found("release_hierarchy", "list")


@pytest.mark.parametrize("kind", ["large", "fractions", "long double", "int64", "objects", "Int64"])
def test_scores_that_are_rounded_to_floats(monkeypatch, kind):
    assert found("choose", kind) == ""

    def rounded(scores: Any, size: int) -> Scores:
        values = scores.iloc[:, 0] if hasattr(scores, "columns") else scores
        return Scores(np.array([float(each) for each in values]))

    monkeypatch.setattr(choice, "read_scores", rounded)
    text = found("choose", kind)
    assert "movement: a loss above epsilon" in text
    assert "exponential" in text and "noisy max" in text


def answers_of_type(real: Any) -> Any:
    def respond(self: Any, values: Any, rng: Any = None) -> Any:
        answers = real(self, values, rng)
        if type(values) in (float, bool):
            return type(values)(answers)
        if isinstance(values, list) and answers.dtype.kind in "iufb":
            kind = np.asarray(values).dtype
            return answers.astype(kind if kind.kind in "iufb" else object)
        return answers

    return respond


@pytest.mark.parametrize("kind, told", [("scalar", "other types"), ("list", "other dtypes")])
def test_answers_of_the_truths_type(monkeypatch, kind, told):
    monkeypatch.setattr(ResponseDesign, "respond", answers_of_type(ResponseDesign.respond))
    survey = SURVEYS[0]
    (container,) = (each for each in survey.kinds if each.name == kind)
    text = "\n".join(compared(surveyed(survey, container))[0])
    assert "float nan" in text and told in text


def test_a_guarantee_of_one_node_alone(monkeypatch):
    def largest(self: Any) -> Any:
        spent = self._FederatedArray__ledger
        each = [[*spent, *single] for single in self._FederatedArray__single.values()] or [spent]
        return max(map(compose, each), key=lambda kept: (kept.epsilon, kept.delta)) if each[0] else None

    monkeypatch.setattr(FederatedArray, "guarantee", property(largest))
    assert accounts.asked(accounts.ORDERS["one answer a node"]) == [0]


@pytest.mark.parametrize("kind", ["masked texts", "masked integers", "masked objects"])
def test_masks_that_are_ignored(monkeypatch, kind):
    assert found("crosstab", kind) == ""
    real = levels.encode_labels
    monkeypatch.setattr(levels, "encode_labels", lambda column, labels: real(np.ma.getdata(column), labels))
    assert "movement: of the same data" in found("crosstab", kind)
    monkeypatch.undo()
    tallied = tables._count_values
    monkeypatch.setattr(tables, "_count_values", lambda column: tallied(np.ma.getdata(column)))
    assert "movement: of the same data" in found("crosstab, discover", kind)


@pytest.mark.parametrize(
    "name, kind",
    [
        ("mean", "float64"),
        ("mean", "list of long doubles"),
        ("var", "masked long doubles"),
        ("sum", "long double"),
        ("corr", "float32"),
        ("histogram", "long double"),
        ("median", "float64"),
        ("quantile, 0.3", "list"),
        ("quantiles", "long double"),
    ],
)
def test_floating_point_flags_that_are_heard(monkeypatch, name, kind):
    assert found(name, kind) == ""
    own = name.split(",")[0]
    monkeypatch.setattr(pydpstat, own, getattr(pydpstat, own).__wrapped__)
    assert "raised: FloatingPointError" in found(name, kind)


def test_durations_that_are_taken_for_numbers(monkeypatch):
    monkeypatch.setitem(labels._KIND_BY_DTYPE, "m", "numbers")
    assert "released: never" in found("crosstab", "durations")


def test_times_that_become_numbers(monkeypatch):
    assert found("crosstab, levels in an array", "nanoseconds") == ""
    real = levels.check_level_values
    monkeypatch.setattr(levels, "check_level_values", lambda given, name: real(np.asarray(given).tolist(), name))
    assert "released: never" in found("crosstab, levels in an array", "nanoseconds")


@pytest.mark.parametrize("accountant", [BasicAccountant, ConcentratedAccountant])
def test_a_spend_that_is_a_refund(monkeypatch, accountant):
    name = "basic" if accountant is BasicAccountant else "zcdp"
    real = accountant.compute_cost

    def refunding(self: Any, guarantee: Any) -> Any:
        epsilon, delta = real(self, guarantee)
        return (epsilon, delta) if guarantee.loss is None else (-epsilon / 100, delta)

    monkeypatch.setattr(accountant, "compute_cost", refunding)
    losses = accounts.LOSSES["Laplace"]
    assert accounts.refunds(Budget(10.0, 1e-3, accountant=name), lambda _: losses(1.0)) != []


def test_an_array_whose_flag_can_be_set_back():
    result = results()["many columns"]()
    scale = np.ones(2)
    scale.setflags(write=False)
    object.__setattr__(result, "noise_scale", scale)
    assert "an array of float64, shape (2,)" in writeable(result)
    assert not scale.flags.writeable


@pytest.mark.parametrize("name", ["mean", "crosstab", "consistency.release_hierarchy", "local.LaplaceAccess"])
def test_messages_that_show_what_was_given(monkeypatch, name):
    assert misplaced(name)[1] == []
    for module in (checks, *(each for each in vars(pydpstat).values() if hasattr(each, "describe_value"))):
        monkeypatch.setattr(module, "describe_value", repr)
    assert misplaced(name)[1] != []


def test_a_claim_that_is_stated_where_less_holds(monkeypatch):
    result = results()["varDP"]()
    assert result.claim != result.guarantee
    monkeypatch.setattr(DPResults, "__repr__", lambda self: f"<DPResults: {self.value}, {self.claim}>")
    assert "the short form" in statements(result)


def test_choices_that_move_too_far(monkeypatch):
    real = quantiles.compute_rank_range
    monkeypatch.setattr(quantiles, "compute_rank_range", lambda *arguments: real(*arguments) / 4)
    assert "movement: a loss above epsilon" in found("median", "float64")


def test_sums_that_move_too_far(monkeypatch):
    from pydpstat._records import record_grid

    real = record_grid.compute_width
    monkeypatch.setattr(record_grid, "compute_width", lambda pair, parts=1: real(pair, parts) / 2)
    text = found("mean", "float64")
    assert "movement: beyond the sensitivity" in text and "movement: a loss above" in text

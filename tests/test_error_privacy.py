"""What an error or a warning says, with all that caused it, tells nothing of the data."""

import datetime
import decimal
import itertools
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PydpstatError, consistency, local
from tests import containers
from tests.base_calls import BASES
from tests.named_call import Base
from tests.neighbors.test_completeness import EXEMPT, own

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
    "a generator": lambda: (each for each in [SECRET, TEXT]),
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
    calls: dict[str, Callable[[Any], Any]] = {}
    for name, (call, arguments, records) in containers.CALLS.items():
        # two records beside the data, as most of them have
        own = {**arguments, **{place: arguments[place][:2] for place in records}}
        own |= {"missing": "error"} if "missing" in own else {}
        for place, neighbors in itertools.product(records, ("bounded", "unbounded")):
            how = {**own, "neighbors": neighbors} if "neighbors" in own else own
            calls[f"{name}, {place}, {neighbors}"] = lambda x, f=call, how=how, place=place: f(**{**how, place: x})
    d = pydpstat
    levels = {"levels": "discover", "delta": 1e-9}
    calls["crosstab, discover"] = lambda x: d.crosstab(x, 1.0, **levels)
    calls["crosstab, discover, unbounded"] = lambda x: d.crosstab(x, 1.0, **levels, neighbors="unbounded")
    calls["crosstab, declared"] = lambda x: d.crosstab(x, 1.0, levels="declared")
    calls["mean, with an option misspelt"] = lambda x: d.mean(x, 1.0, bounds=BOUNDS, missing="dorp")
    calls["cov, of a frame"] = lambda x: d.cov(x, epsilon=1.0, bounds=(BOUNDS, BOUNDS))
    return calls


CALLS = _calls()

TAKES_DATA = own() - set(EXEMPT)
_RULES = {"rng": None, "budget": None}


def _respond(design: Any) -> Callable[..., Any]:
    return lambda values, rng: design.respond(values, rng)


def _federate(array: Any, n_nodes: Any, definition: Any, repeat: Any, budget: Any, rng: Any) -> Any:
    nodes = local.federate_array(array, n_nodes)
    nodes.configure_data_access(definition, repeat=repeat, budget=budget)
    return nodes.query(rng)


# what takes data in other modules
MODULES: dict[str, Base] = {
    "local.RandomizedResponse": Base(
        local.RandomizedResponse, {"epsilon": 1.0, "categories": [1, 2], "missing": "error"}
    ),
    "local.RandomizedResponse.respond": Base(_respond(local.RandomizedResponse(1.0)), {"values": [0, 1], "rng": None}),
    "local.RandomizedResponse.estimate": Base(
        lambda answers, method: local.RandomizedResponseCoins().estimate(answers, method),
        {"answers": [0, 1], "method": "ml"},
    ),
    "local.RandomizedResponseCoins": Base(
        local.RandomizedResponseCoins, {"prob_head_first": 0.5, "prob_head_second": 0.5}
    ),
    "local.LaplaceAccess": Base(local.LaplaceAccess, {"epsilon": 1.0, "bounds": (0, 1)}),
    "local.LaplaceAccess.respond": Base(
        _respond(local.LaplaceAccess(1.0, BOUNDS)), {"values": [0.5, 1.0], "rng": None}
    ),
    "local.GaussianAccess": Base(local.GaussianAccess, {"epsilon": 1.0, "delta": 0.1, "bounds": (0, 1)}),
    "local.federate_array": Base(
        _federate,
        dict(array=[0, 1], n_nodes=2, definition=local.RandomizedResponse(1.0), repeat="same", **_RULES),
    ),
    "consistency.release_hierarchy": Base(
        consistency.release_hierarchy,
        {
            **dict(data=[3, 1, 2], epsilon=1.0, hierarchy=consistency.Hierarchy({"N": ["a", "b"], "S": ["c"]})),
            **dict(split="uniform", neighbors="bounded", method="least squares", nonnegative=None),
            **dict(integer=None, missing="error", **_RULES),
        },
    ),
}

# what an argument could get where the data were meant to be given
MISPLACED: dict[str, Any] = {
    "a list": [4242.5, 42424242.0],
    "a tuple": (4242.5, 42424242.0),
    "an array": np.array([4242.5, 42424242.0]),
    "integers": np.array([4242, 42424242]),
    "long doubles": np.array([4242.5, 42424242], dtype=np.longdouble),
    "one number": np.array([4242.5]),
    "a matrix": np.full((2, 2), 42424242.0),
    "masked": np.ma.masked_array([4242.5, 42424242.0], [False, True]),
    "NA": pd.Series([4242, pd.NA], dtype="Int64"),
    "a Series": pd.Series([4242.5, 42424242.0], name="Zyzzyva"),
    "a labelled Series": pd.Series([4242.5, 42424242.0], index=["Zyzzyva", "b"]),
    "a frame": pd.DataFrame({"x": [4242.5, 42424242.0]}),
    "a dict": {TEXT: 42424242},
    "a dict of numbers": {4242.5: 42424242},
    "a dict of lists": {"x": [4242.5]},
    "a set": {42424242},
    "a text": TEXT,
    "texts": [TEXT, "b"],
    "an array of texts": np.array([TEXT, "b"]),
    "a categorical": pd.Categorical([TEXT, "b"]),
    "bytes": TEXT.encode(),
    "decimals": [decimal.Decimal("42424242.5")],
    "mixed": [4242.5, TEXT, None, [4242]],
    "a long text": TEXT * 9,
    "truth values": [True, TEXT],
}
# options are texts: what is misspelt is shown, if it is short; and so are these
NAMED = ("missing", "levels", "path", "unit", "breaks", "formula", "conditions")
# names of columns are public: those of a Series, and what a dict gives by column
PUBLIC = {("design", "data", "a Series"), ("logit", "formula", "a Series")}
PUBLIC |= {("design", argument, "a dict of numbers") for argument in ("bounds", "levels", "missing")}
# texts are names of columns
PUBLIC |= {("plan", "columns", kind) for kind in ("texts", "an array of texts", "a categorical")}


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


def told(call: Callable[[], Any]) -> tuple[bool, list[str]]:
    """Return whether a call is refused, and all that it says, of which nothing may show the data."""
    refused, texts = False, []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except PydpstatError as error:
            refused, texts = True, said(error)
    texts += [str(each.message) for each in caught]
    return refused, [text for text in texts for trace in TRACES if trace in text]


def misplaced(name: str) -> tuple[int, list[tuple[str, str]]]:
    """Return how often data in an argument's place are refused, and where they are shown."""
    base, errors, found = {**BASES, **MODULES}[name], 0, []
    for argument, (kind, wrong) in itertools.product(base.arguments, MISPLACED.items()):
        option = isinstance(base.arguments[argument], str) or argument in NAMED
        if option and kind == "a text" or argument in base.spared or (name, argument, kind) in PUBLIC:
            continue
        # to R, and where no data are given, one number is the number
        if kind == "one number" and name in BASES and name not in TAKES_DATA:
            continue
        refused, shown = told(lambda: base.call(**{**base.arguments, argument: wrong}))
        errors += refused
        found += [(argument, kind)] * bool(shown)
    return errors, found


@pytest.mark.parametrize("name", [*BASES, *MODULES])
def test_data_in_another_arguments_place_are_not_shown(name, tmp_path, monkeypatch):
    # a text may be a file's name
    monkeypatch.chdir(tmp_path)
    errors, found = misplaced(name)
    assert found == []
    assert errors >= len({**BASES, **MODULES}[name].arguments)


def test_every_function_of_the_other_modules_that_takes_data_is_called():
    called = {".".join(name.split(".")[:2]) for name in MODULES}
    assert called == {name for name in TAKES_DATA if "." in name}


@pytest.mark.parametrize("kind", DATA)
def test_errors_and_warnings_do_not_show_the_data(kind):
    errors = 0
    for name, call in CALLS.items():
        # a formula is none of the data
        if kind == "a text" and ", formula, " in name:
            continue
        refused, shown = told(lambda: call(DATA[kind]() if callable(DATA[kind]) else DATA[kind]))
        errors += refused
        assert shown == [], name
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

"""Calls that do not fit: each message names the argument, and says what to write instead."""

import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat as dp
from pydpstat._answering import explain_wrong_calls
from pydpstat._ways import ARGUMENT_HINTS, ATTRIBUTE_HINTS
from pydpstat._words import ARGUMENT_SYNONYMS, EXAMPLE_CALLS, EXAMPLE_VALUES, FUNCTION_SYNONYMS, PUBLIC_ARGUMENT_TYPES
from pydpstat._wrong_calls import _format_argument, suggest_name
from pydpstat.errors import ArgumentError, PydpstatError
from pydpstat.r_arithmetic.histogram import Histogram

X = np.arange(100.0)
FRAME = pd.DataFrame({"income": 1000.0 * X, "sex": list("fm") * 50, "id": range(100)})
PAIR = {"bounds": (0, 100)}
# what tests/mistakes has of these is what is mistyped most often, and its message whole
UNFIT = {
    "two for one": (
        lambda: dp.mean(X, eps=2, lower_bound=0, upper_bound=9),
        "'eps', 'lower_bound' or 'upper_bound': write bounds=(0, 9), epsilon=2.",
    ),
    "misspelt": (lambda: dp.mean(X, 1.0, buonds=(0, 1)), "Did you mean 'bounds'?"),
    "nowhere": (lambda: dp.mean(X, 1.0, zzz=1, **PAIR), "It has data, epsilon, bounds, delta"),
    "compose": (lambda: dp.compose([], methods="zcdp"), "Did you mean 'method'?"),
    "audit": (lambda: dp.audit(len, [1], [2], claims=1), "Did you mean 'claim'?"),
    "nothing": (lambda: dp.mean(), "mean needs data, epsilon and bounds"),
    "twice": (lambda: dp.mean(X, 1.0, epsilon=2.0, **PAIR), "mean was given epsilon twice"),
    "samples": (lambda: dp.kruskal(X, X), "kruskal needs epsilon"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_the_message_says_what_to_write(name):
    call, said = UNFIT[name]
    with pytest.raises(ArgumentError) as caught:
        call()
    assert said in str(caught.value)
    # whoever expects Python's own error has it
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, PydpstatError)


@pytest.mark.parametrize(
    "name", [name for names in FUNCTION_SYNONYMS.values() for name in names if not hasattr(dp, name)]
)
def test_names_of_other_packages_lead_to_those_here(name):
    here = next(here for here, words in FUNCTION_SYNONYMS.items() if name in words)
    with pytest.raises(AttributeError, match=f"has no attribute {name!r}. Use {here!r}."):
        getattr(dp, name)


def test_other_names_are_left_to_python():
    assert not hasattr(dp, "histograms") and suggest_name("zzz", dp.__all__) == ""
    assert suggest_name("zzz", ["mean"]) == ". It has mean."


@pytest.mark.parametrize("ask", [len, lambda thing: thing["a"], lambda thing: thing + 1])
def test_what_is_no_result_says_what_it_has(ask):
    with pytest.raises(ArgumentError, match=r"\. It has as_bounded, conditions, delta, "):
        ask(dp.Guarantee(1.0))


def test_the_words_are_of_arguments_and_functions_that_exist():
    functions = [getattr(dp, name) for name in dp.__all__]
    functions = [each for each in functions if inspect.isfunction(each) or each is dp.Budget]
    classes = [dp.DPResults, dp.RegressionResults, dp.InferenceResults, dp.Budget, dp.Design, dp.RRandom]
    classes += [
        dp.TableResults,
        dp.HistogramResults,
        dp.GroupedResults,
        dp.LogisticRegressionDP,
        dp.DPMechLaplace,
        Histogram,
        type(dp.plan("count", 1.0)),
    ]
    methods = [each for kind in classes for _, each in inspect.getmembers(kind, inspect.isfunction)]
    # k_means has scikit-learn's word for a seed
    called = functions + methods + [dp.local.federate_array, dp.anonymity.k_means]
    known = {name for each in called for name in inspect.signature(each).parameters} | {"variables", "effect"}
    assert {
        *ARGUMENT_SYNONYMS,
        *PUBLIC_ARGUMENT_TYPES,
        *(name.removeprefix("design.") for name in EXAMPLE_VALUES),
    } <= known
    assert {*FUNCTION_SYNONYMS} <= {*dp.__all__}
    assert {name.rpartition(".")[2] for name in EXAMPLE_CALLS} <= {
        *dp.__all__,
        *dir(dp.Design),
        *dir(dp.DPResults),
        *dir(dp.TableResults),
        *dir(dp.mechanisms),
    }
    for here, words, _ in ATTRIBUTE_HINTS:
        having = [kind for kind in classes if hasattr(kind, here)]
        assert having and all(any(not hasattr(kind, word) for kind in having) for word in words), here
    # a word says one thing in a function
    for each in functions:
        own = [*inspect.signature(each).parameters]
        for word in {word for here in own for word in ARGUMENT_SYNONYMS.get(here, ())} - {*own}:
            assert word not in ARGUMENT_HINTS or sum(word in ARGUMENT_SYNONYMS.get(here, ()) for here in own) <= 1, (
                each,
                word,
            )


@given(st.lists(st.integers(1000, 9999), min_size=1, max_size=5), st.sampled_from("ids x groups data1".split()))
def test_no_message_has_data(values, word):
    for given_ in (values, np.array(values), pd.Series(values), str(values)):
        with pytest.raises(ArgumentError) as caught:
            dp.mean(X, 1.0, **PAIR, **{word: given_})
        if not isinstance(given_, str):
            assert not any(str(each) in str(caught.value) for each in values)


def test_errors_from_inside_are_left_as_they_are():
    def inner(value):
        raise TypeError("its own")

    with pytest.raises(TypeError, match="its own") as caught:
        explain_wrong_calls(inner)(1)
    assert not isinstance(caught.value, ArgumentError)
    # a callable of the user's that does not take what it is given
    with pytest.raises(PydpstatError):
        dp.any_interval(X, lambda: 0.0, 1.0, limit=3, rng=1)


def test_a_method_called_on_the_class_names_what_was_given_in_the_objects_place():
    release, budget = dp.mean(X, 1.0, rng=1, **PAIR), dp.Budget(1.0)
    # a guarantee has no such method, and a budget one of its own
    for other in (dp.Guarantee(1.0), budget):
        with pytest.raises(
            ArgumentError, match=r"summary must be called on an object, not on its class; got an object of "
        ):
            dp.DPResults.summary(other, alpha=0.1, zzz=1)
    with pytest.raises(ArgumentError, match=r"^DPResults.summary has no argument 'zzz'"):
        dp.DPResults.summary(release, zzz=1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: dp.mean(FRAME, 1.0, **PAIR), "got texts in 'sex'. Convert it, or select other columns"),
        (lambda: dp.mean(X, 1.0, rng=-1, **PAIR), "An int is from 0 on."),
        (lambda: dp.mean(X, 1.0, budget=dp.Budget, **PAIR), "got the class itself. Give pydpstat.Budget"),
        (lambda: dp.mean(X, 1.0, other="rest", **PAIR), "other must be left out without by"),
    ],
)
def test_values_that_are_wrong_in_a_usual_way(call, said):
    with pytest.raises(PydpstatError) as caught:
        call()
    assert said in str(caught.value)


def test_bounds_are_written_as_the_function_has_them():
    with pytest.raises(ArgumentError, match=r"write lower_bound=0, upper_bound=100\.$"):
        dp.meanDP(X, 1.0, bounds=(0, 9))
    with pytest.raises(ArgumentError) as caught:
        dp.meanDP(X, 1.0, 0, 9, zzz=1)
    assert "write" not in str(caught.value)
    # a pair of anything but numbers may be data
    for bounds, edges in (((0, 9), "0, 9, 21"), ((0, "nine"), "0, 100, 21")):
        with pytest.raises(ArgumentError) as caught:
            dp.histogram(X, 1.0, bounds=bounds)
        assert f"write edges=np.linspace({edges})" in str(caught.value)


def test_a_level_is_a_number_between_0_and_1():
    written = {value: _format_argument("alpha", value, "0.05") for value in (0.1, 0.95, 1, 0, 1.0)}
    assert written == {0.1: "0.1", 0.95: "0.05", 1: "0.05", 0: "0.05"}


def test_values_by_position_are_counted():
    with pytest.raises(ArgumentError, match="mean takes .* by position, and all others by name; got 5 values by"):
        dp.mean(X, 1.0, (0, 9), 0.0, 5)
    # a function of any number of values names what is missing
    with pytest.raises(ArgumentError, match="^kruskal needs epsilon"):
        dp.kruskal(X, X, X)

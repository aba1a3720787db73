"""Whatever an argument is, a public function returns, or says in a PydpstatError what is wrong with it."""

import re
import time
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as numbers

import pydpstat
from pydpstat import PydpstatError
from pydpstat.errors import UsageWarning
from tests.base_calls import BASES, NO_CALLS
from tests.junk import JUNK

# how often as long as the same call without junk, in seconds of this process, and what is short in any case
TIMES = 20.0
SHORT = 1.0
# functions of the caller's own may raise what they like
CALLABLES = {
    "histogramDP": "breaks",
    "histogramDataAccess": "breaks",
    "bernstein": "f",
    # it is called on records that are made up
    "any_test": "null",
}
_BOUNDS = ("bounds", "lower bound", "sensitivities", "breaks")
_SAMPLES = ("samples", "vectors?", "factor", "these data", "the value", "finite bounds")
# the noisy counts may sum to 0, whatever the arguments are
ANY_TIME = "normalize divides by the sum of the noisy counts"
# in R's words an argument may have another name: what a message may say instead
OTHER_WORDS = {
    "eps": ("epsilon", "noise scale", "tol"),
    "epsilon": ("tol",),
    "delta": ("noise scale",),
    "rng": ("seed",),
    # the responses may stand in its place
    "formula": ("data", "missing"),
    "lower_bound": _BOUNDS,
    "upper_bound": _BOUNDS,
    "lower_bound1": _BOUNDS,
    "upper_bound1": _BOUNDS,
    "lower_bound2": _BOUNDS,
    "upper_bound2": _BOUNDS,
    "lower_bounds": ("bounds",),
    "upper_bounds": ("bounds",),
    "x": ("these data", "finite bounds", "the value", "missing values", "breaks"),
    "x1": ("these data", "the value"),
    "x2": ("these data", "the value"),
    "true_values": ("these data", "the value"),
    "first": _SAMPLES,
    "second": _SAMPLES,
    "samples": ("the value",),
    "sensitivities": ("sensitivity", "alloc_proportions"),
    "dims": ("the function",),
    # squared errors of huge responses are no utility
    "y": ("utility", "missing"),
    # a frame has other variables than the levels that were given, or a column of texts, which is named
    "data": ("levels", "must be numbers"),
    "by": ("levels", "missing"),
    "weights": ("missing",),
    "condition": ("missing",),
}


def names_it(message: str, argument: str) -> bool:
    """Whether a message names an argument, or has one of the patterns for it."""
    return any(
        re.search(rf"\b{word}\b", message, re.IGNORECASE)
        for word in (argument, ANY_TIME, *OTHER_WORDS.get(argument, ()))
    )


@cache
def time_limit(name: str) -> float:
    """Seconds that a call with junk may take; a test with a simulated null distribution takes its time."""
    base = BASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # the first call imports what it needs
        base.call(**base.arguments)
        start = time.process_time()
        base.call(**base.arguments)
    return max(SHORT, TIMES * (time.process_time() - start))


def outcome(name: str, argument: str, junk: Any) -> str:
    """Call a function with one argument replaced; return what is wrong with what happens, or nothing."""
    base = BASES[name]
    limit = time_limit(name)
    start = time.process_time()
    with warnings.catch_warnings():
        # any warning but the package's own
        warnings.simplefilter("error")
        for own in (pydpstat.PrivacyWarning, UsageWarning):
            warnings.simplefilter("ignore", own)
        try:
            result = base.call(**{**base.arguments, argument: junk})
            wrong = "" if is_valid(result) else f"returned {result!r}"
        except PydpstatError as error:
            message = str(error)
            wrong = "" if names_it(message, argument) and len(message) < 1200 else f"said {message!r}"
        except Exception as error:
            own = callable(junk) and CALLABLES.get(name) == argument
            wrong = "" if own else f"raised {error!r}"
    spent = time.process_time() - start
    return wrong or (f"took {spent:.1f} s" if spent > limit else "")


def is_valid(result: Any) -> bool:
    """Whether a release is one: finite numbers, a guarantee."""
    if isinstance(result, pydpstat.DPResultsPair):
        return all(map(is_valid, result.values()))
    if isinstance(result, pydpstat.DPResults):
        value = result.value
        # a candidate is what the caller gave
        if result.statistic == "choice" or value.dtype.kind != "f":
            return True
        # what may be missing is, with its reason; nothing is infinite
        return bool((np.isfinite(value) | (np.isnan(value) & result.post.can_be_missing)).all())
    return result is not None


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    # some junk is a file's name
    monkeypatch.chdir(tmp_path)


def test_every_public_name_has_a_call():
    called = {name.split(".")[0] for name in BASES}
    missing = {*pydpstat.__all__} - called - {*NO_CALLS}
    assert not missing, f"add a call of {missing} to tests/own_base_calls.py or tests/mirror_base_calls.py"
    assert called | {*NO_CALLS} == {*pydpstat.__all__} and not called & {*NO_CALLS}


@pytest.mark.parametrize("name", BASES)
def test_the_calls_work(name):
    base = BASES[name]
    with warnings.catch_warnings():
        for own in (pydpstat.PrivacyWarning, UsageWarning):
            warnings.simplefilter("ignore", own)
        assert is_valid(base.call(**base.arguments))


@pytest.mark.slow
@pytest.mark.parametrize("name", BASES)
def test_junk_is_refused_or_taken(name):
    base = BASES[name]
    failures = {}
    for argument in base.arguments:
        if argument in base.spared:
            continue
        for kind, make in JUNK.items():
            wrong = outcome(name, argument, make())
            if wrong:
                failures[argument, kind] = wrong
    assert failures == {}


_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=8),
    st.binary(max_size=8),
    st.dates(),
    st.timedeltas(),
    st.decimals(),
    st.fractions(),
)
_arrays = numbers.arrays(
    st.one_of(
        numbers.floating_dtypes(),
        numbers.integer_dtypes(),
        numbers.boolean_dtypes(),
        numbers.unicode_string_dtypes(max_len=3),
        numbers.datetime64_dtypes(),
        numbers.complex_number_dtypes(),
    ),
    numbers.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
_hashable = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4))
junk = st.one_of(
    _arrays,
    st.recursive(
        _scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=5),
            st.lists(inner, max_size=4).map(tuple),
            st.dictionaries(_hashable, inner, max_size=3),
        ),
        max_leaves=6,
    ),
    st.sets(_hashable, max_size=3),
)
PLACES = [
    (name, argument)
    for name, base in BASES.items()
    for argument in base.arguments
    # a path that is a text makes a file; a program's own function raises its own errors
    if argument not in base.spared
    and (name, argument) != ("Budget", "path")
    # so many draws of the caller's take the time that they take
    and not name.startswith("sensitivitySampler")
]


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(st.sampled_from(PLACES), junk)
def test_any_junk_is_refused_or_taken(place, value):
    assert outcome(*place, value) == ""


OPTIONS = [
    (name, argument)
    for name, base in BASES.items()
    for argument, value in base.arguments.items()
    if isinstance(value, str) and argument not in ("first", "second", "columns", "data", "missing", "other", "function")
]


@pytest.mark.parametrize("name, option", OPTIONS)
def test_a_misspelt_option_gets_its_name(name, option):
    base = BASES[name]
    right = base.arguments[option]
    # the last two letters in the wrong order, which is what a hurried hand does
    wrong = right[:-2] + right[-1] + right[-2] if right[-1] != right[-2] else right[:-1]
    with pytest.raises(PydpstatError, match=option) as caught:
        base.call(**{**base.arguments, option: wrong})
    assert len(right) < 5 or f"Did you mean {right!r}?" in str(caught.value)


@pytest.mark.parametrize(
    "wrong, right",
    [
        ({"mechanism": "guassian", "delta": 1e-6}, "'gaussian'"),
        ({"mechanism": "Laplace"}, "'laplace'"),
        ({"neighbors": "unbound"}, "'unbounded'"),
        ({"missing": "eror"}, "'error'"),
    ],
)
def test_own_options_misspelt(wrong, right):
    with pytest.raises(PydpstatError, match=f"Did you mean {right}"):
        pydpstat.mean([0.5], 1.0, bounds=(0, 1), **wrong)


def test_a_misspelt_option_of_a_plan():
    with pytest.raises(PydpstatError, match="Did you mean 'bounds'"):
        pydpstat.plan("mean", 1.0, n=10, bouns=(0, 1))
    with pytest.raises(PydpstatError, match="Did you mean 'mean'"):
        pydpstat.plan("maen", 1.0, n=10, bounds=(0, 1))

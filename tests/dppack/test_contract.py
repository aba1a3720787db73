"""What every mirror keeps: R's signature, R's order of checks, the stream, the inputs, the messages."""

from __future__ import annotations

import decimal
import inspect
import itertools
import subprocess
import sys
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pydpstat
from pydpstat import DPResults, DPResultsPair, PydpstatError, RRandom, dppack

X = [1.0, 2.5, 3.0, 4.0, 7.25, -3.5, 0.1, 2.0]
Y = [0.3, -1.2, 2.2, 2.8, 3.1, 3.3, 4.9, 5.0]
PAIRS = np.column_stack([X, Y])
_TAIL = {"which.sensitivity": "bounded", "mechanism": "Laplace", "delta": 0, "type.DP": "aDP"}
REQUIRED = inspect.Parameter.empty
_CHOICE_TAIL = {"which.sensitivity": "bounded", "mechanism": "exponential"}
_BOUNDS2 = ("lower.bound1", "upper.bound1", "lower.bound2", "upper.bound2")
# R's formals: DPpack 0.2.2
FORMALS = {
    "meanDP": {"x": REQUIRED, "eps": REQUIRED, "lower.bound": REQUIRED, "upper.bound": REQUIRED, **_TAIL},
    "varDP": {"x": REQUIRED, "eps": REQUIRED, "lower.bound": REQUIRED, "upper.bound": REQUIRED, **_TAIL},
    "sdDP": {"x": REQUIRED, "eps": REQUIRED, "lower.bound": REQUIRED, "upper.bound": REQUIRED, **_TAIL},
    "covDP": {
        **dict.fromkeys(
            ("x1", "x2", "eps", "lower.bound1", "upper.bound1", "lower.bound2", "upper.bound2"), REQUIRED
        ),
        **_TAIL,
    },
    "histogramDP": {
        **dict.fromkeys(("x", "eps", "lower.bound", "upper.bound"), REQUIRED),
        "breaks": "Sturges",
        "normalize": False,
        **_TAIL,
        "allow.negative": False,
    },
    "tableDP": {"...": REQUIRED, "eps": 1, **_TAIL, "allow.negative": False},
    "LaplaceMechanism": {
        **dict.fromkeys(("true.values", "eps", "sensitivities"), REQUIRED),
        "alloc.proportions": None,
    },
    "GaussianMechanism": {
        **dict.fromkeys(("true.values", "eps", "delta", "sensitivities"), REQUIRED),
        "type.DP": "aDP",
        "alloc.proportions": None,
        "analytic": False,
        "tol": 1e-12,
    },
    "calibrateAnalyticGaussianMechanism": {
        **dict.fromkeys(("epsilon", "delta", "sensitivity"), REQUIRED),
        "tol": 1e-12,
    },
    "ExponentialMechanism": {
        **dict.fromkeys(("utility", "eps", "sensitivity"), REQUIRED),
        "measure": None,
        "candidates": None,
    },
    "quantileDP": {
        **dict.fromkeys(("x", "quant", "eps", "lower.bound", "upper.bound"), REQUIRED),
        **_CHOICE_TAIL,
    },
    "medianDP": {**dict.fromkeys(("x", "eps", "lower.bound", "upper.bound"), REQUIRED), **_CHOICE_TAIL},
    "pooledVarDP": {
        "...": REQUIRED,
        "eps": 1,
        **dict.fromkeys(("lower.bound", "upper.bound"), REQUIRED),
        **_TAIL,
        "approx.n.max": False,
    },
    "pooledCovDP": {
        "...": REQUIRED,
        "eps": 1,
        **dict.fromkeys(_BOUNDS2, REQUIRED),
        **_TAIL,
        "approx.n.max": False,
    },
    "meanDataAccess": dict.fromkeys(("x", "lower.bound", "upper.bound"), REQUIRED),
    "varDataAccess": dict.fromkeys(("x", "lower.bound", "upper.bound"), REQUIRED),
    "covDataAccess": dict.fromkeys(("x1", "x2", *_BOUNDS2), REQUIRED),
    "histogramDataAccess": dict.fromkeys(("x", "breaks", "mechanism"), REQUIRED),
    "tableDataAccess": {"...": REQUIRED, "mechanism": "Laplace"},
    "pooledVarDataAccess": dict.fromkeys(("samples", "lower.bound", "upper.bound", "approx.n.max"), REQUIRED),
    "pooledCovDataAccess": dict.fromkeys(("samples", *_BOUNDS2, "approx.n.max"), REQUIRED),
    "quantileDataAccess": dict.fromkeys(("x", "quant", "lower.bound", "upper.bound"), REQUIRED),
}
DRAWING = [name for name in FORMALS if not name.startswith("calibrate") and not name.endswith("DataAccess")]
# two releases of whole numbers may be equal
COUNTED = ("histogramDP", "tableDP", "ExponentialMechanism")
# a call that works for each: what is named, positional arguments excepted
GOOD = {
    "meanDP": {
        "x": X,
        "eps": 0.5,
        "lower_bound": 0,
        "upper_bound": 5,
        "mechanism": "Gaussian",
        "delta": 0.01,
    },
    "varDP": {"x": X, "eps": 0.5, "lower_bound": 0, "upper_bound": 5, "mechanism": "Gaussian", "delta": 0.01},
    "sdDP": {"x": X, "eps": 0.5, "lower_bound": 0, "upper_bound": 5, "mechanism": "Gaussian", "delta": 0.01},
    "covDP": {
        "x1": X,
        "x2": Y,
        "eps": 0.5,
        "lower_bound1": 0,
        "upper_bound1": 5,
        "lower_bound2": 0,
        "upper_bound2": 6,
        "mechanism": "Gaussian",
        "delta": 0.01,
    },
    "histogramDP": {
        "x": X,
        "eps": 0.5,
        "lower_bound": 0,
        "upper_bound": 5,
        "breaks": [0, 2.5, 5],
        "mechanism": "Gaussian",
        "delta": 0.01,
    },
    "tableDP": {"a": [1, 2, 2], "eps": 0.5, "mechanism": "Gaussian", "delta": 0.01},
    "LaplaceMechanism": {
        "true_values": [1.0, 2.0, 3.0],
        "eps": 0.5,
        "sensitivities": [1, 2, 3],
        "alloc_proportions": [1, 1, 1],
    },
    "GaussianMechanism": {
        "true_values": [1.0, 2.0, 3.0],
        "eps": 0.5,
        "delta": 0.01,
        "sensitivities": [1, 2, 3],
        "alloc_proportions": [1, 1, 1],
    },
    "ExponentialMechanism": {"utility": X, "eps": 0.5, "sensitivity": 1, "measure": [1, 1, 1, 1, 2, 2, 2, 2]},
    "quantileDP": {"x": X, "quant": 0.75, "eps": 0.5, "lower_bound": 0, "upper_bound": 5},
    "medianDP": {"x": X, "eps": 0.5, "lower_bound": 0, "upper_bound": 5},
    "pooledVarDP": {
        "samples": (X, Y),
        "eps": 0.5,
        "lower_bound": 0,
        "upper_bound": 5,
        "mechanism": "Gaussian",
        "delta": 0.01,
    },
    "pooledCovDP": {
        "samples": (PAIRS, PAIRS),
        "eps": 0.5,
        "lower_bound1": 0,
        "upper_bound1": 5,
        "lower_bound2": 0,
        "upper_bound2": 6,
        "mechanism": "Gaussian",
        "delta": 0.01,
    },
}
# each argument that R checks, in R's order, with a wrong value in Python and in R
_BOUND, _WHICH = ([5, 6], "c(5, 6)"), ("foo", "'foo'")
_CHECKS = {
    "which_sensitivity": _WHICH,
    "mechanism": _WHICH,
    "eps": (-1, "-1"),
    "delta": (0, "0"),
    "type_DP": ("foo", "'foo'"),
}
_POOLED_CHECKS = {
    "which_sensitivity": _WHICH,
    "mechanism": _WHICH,
    "approx_n_max": ("a", "'a'"),
    "eps": (-1, "-1"),
    "delta": (0, "0"),
    "type_DP": ("foo", "'foo'"),
}
_MATRIX = (np.ones((2, 3)), "matrix(1, 2, 3)")
ORDER = {
    "meanDP": {"upper_bound": _BOUND, "lower_bound": _BOUND, **_CHECKS},
    "varDP": {"x": _MATRIX, "upper_bound": _BOUND, "lower_bound": _BOUND, **_CHECKS},
    "sdDP": {"x": _MATRIX, "upper_bound": _BOUND, "lower_bound": _BOUND, **_CHECKS},
    "covDP": {
        "x1": _MATRIX,
        "x2": _MATRIX,
        "upper_bound1": _BOUND,
        "lower_bound1": _BOUND,
        "upper_bound2": _BOUND,
        "lower_bound2": _BOUND,
        **_CHECKS,
    },
    "histogramDP": {
        "upper_bound": _BOUND,
        "lower_bound": _BOUND,
        "which_sensitivity": _WHICH,
        "mechanism": _WHICH,
        "breaks": ("foo", "'foo'"),
        "eps": (-1, "-1"),
        "delta": (0, "0"),
        "type_DP": ("foo", "'foo'"),
        "allow_negative": ("a", "'a'"),
        "normalize": ("a", "'a'"),
    },
    "tableDP": {
        "which_sensitivity": _WHICH,
        "mechanism": _WHICH,
        "b": ([1], "1"),
        "eps": (-1, "-1"),
        "delta": (0, "0"),
        "type_DP": ("foo", "'foo'"),
        "allow_negative": ("a", "'a'"),
    },
    "LaplaceMechanism": {
        "true_values": ("a", "'a'"),
        "eps": (-1, "-1"),
        "sensitivities": ([-1, 1, 1], "c(-1, 1, 1)"),
        "alloc_proportions": ([1, 2], "c(1, 2)"),
    },
    "GaussianMechanism": {
        "true_values": ("a", "'a'"),
        "eps": (-1, "-1"),
        "delta": (0, "0"),
        "sensitivities": ([-1, 1, 1], "c(-1, 1, 1)"),
        "type_DP": ("foo", "'foo'"),
        "alloc_proportions": ([1, 2], "c(1, 2)"),
    },
    "ExponentialMechanism": {
        "utility": ("a", "'a'"),
        "eps": (-1, "-1"),
        "sensitivity": ([1, 2], "c(1, 2)"),
        "measure": ([1, 2], "c(1, 2)"),
        "candidates": ([1, 2], "c(1, 2)"),
    },
    "quantileDP": {
        "upper_bound": _BOUND,
        "lower_bound": _BOUND,
        "quant": (2, "2"),
        "which_sensitivity": _WHICH,
        "mechanism": _WHICH,
        "eps": (-1, "-1"),
    },
    "medianDP": {
        "upper_bound": _BOUND,
        "lower_bound": _BOUND,
        "which_sensitivity": _WHICH,
        "mechanism": _WHICH,
        "eps": (-1, "-1"),
    },
    "pooledVarDP": {"lower_bound": _BOUND, "upper_bound": _BOUND, **_POOLED_CHECKS},
    "pooledCovDP": {
        "lower_bound1": _BOUND,
        "lower_bound2": _BOUND,
        "upper_bound1": _BOUND,
        "upper_bound2": _BOUND,
        **_POOLED_CHECKS,
    },
}
WRONG_PAIRS = [
    (name, first, second)
    for name, checks in ORDER.items()
    for first, second in itertools.combinations(checks, 2)
]


def call(name, arguments, rng=None):
    """Call a mirror without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named = dict(arguments)
        samples = named.pop("samples", ())
        groups = samples if isinstance(samples, tuple) else (samples,)
        return getattr(dppack, name)(*groups, **named, rng=rng)


def values(result):
    results = result.values() if isinstance(result, DPResultsPair) else [result]
    return np.concatenate([np.ravel(each.value, order="F") for each in results])


def r_argument(name):
    return name.replace("_", ".")


# signatures


@pytest.mark.parametrize("name", FORMALS)
def test_signature_is_rs(name):
    parameters = list(inspect.signature(getattr(dppack, name)).parameters.values())
    if name in DRAWING:
        rng = [each for each in parameters if each.name == "rng"][0]
        assert rng.kind is rng.KEYWORD_ONLY and rng.default is None
        parameters.remove(rng)
    if "..." in FORMALS[name]:
        # R's dots are *factors and **columns, or *samples
        if name.startswith("table"):
            assert parameters.pop().kind is inspect.Parameter.VAR_KEYWORD
        assert parameters[0].kind is inspect.Parameter.VAR_POSITIONAL
        assert all(each.kind is each.KEYWORD_ONLY for each in parameters[1:])
    else:
        assert all(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters)
    ours = {
        "..." if each.kind is each.VAR_POSITIONAL else r_argument(each.name): each.default
        for each in parameters
    }
    assert list(ours.items()) == list(FORMALS[name].items())


@pytest.mark.live
@pytest.mark.parametrize("name", FORMALS)
def test_signature_in_live_r(live_r, name):
    formals = live_r.r(f"vapply(formals(DPpack::{name}), function(f) paste(deparse(f), collapse = ''), '')")
    written = {REQUIRED: "", False: "FALSE", None: "NULL"}

    def in_r(default):
        if default in (REQUIRED, None) or default is False:
            return written[default]
        return f'"{default}"' if isinstance(default, str) else f"{default:g}"

    expected = {each: in_r(default) for each, default in FORMALS[name].items()}
    assert list(zip(formals.names, map(str, formals))) == list(expected.items())


# the order of the checks


@pytest.mark.parametrize("name, first, second", WRONG_PAIRS)
def test_of_two_wrong_arguments_rs_first_is_named(name, first, second):
    arguments = dict(GOOD[name]) | {each: ORDER[name][each][0] for each in (second, first)}
    rng = RRandom(3)
    before = rng.state
    with pytest.raises(PydpstatError) as error:
        call(name, arguments, rng)
    if first == "b":
        assert "same length" in str(error.value)
    else:
        # bound1 is the first of bound1 and bound2, x1 of x1 and x2
        assert first in str(error.value).split(";")[0], str(error.value)
    assert np.array_equal(rng.state, before)


@pytest.mark.live
@pytest.mark.parametrize("name", ORDER)
def test_rs_order_of_checks(live_r, name):
    """R stops at two wrong arguments with the message of the first alone."""
    live_r.r("x <- c(1, 2.5, 3, 4, 7.25, -3.5, .1, 2); y <- c(.3, -1.2, 2.2, 2.8, 3.1, 3.3, 4.9, 5)")
    texts = {"X": "x", "Y": "y"}

    def written(value):
        if value is X or value is Y:
            return texts["X" if value is X else "Y"]
        if value is PAIRS:
            return "cbind(x, y)"
        if isinstance(value, list):
            return f"c({', '.join(map(str, value))})"
        return f"'{value}'" if isinstance(value, str) else str(value)

    def message(*wrong):
        good = dict(GOOD[name])
        groups = [written(sample) for sample in good.pop("samples", ())]
        arguments = {each: written(value) for each, value in good.items()}
        arguments |= {each: ORDER[name][each][1] for each in wrong}
        text = ", ".join([*groups, *(f"{r_argument(each)} = {value}" for each, value in arguments.items())])
        stopped = "suppressWarnings(tryCatch({%s; 'no error'}, error = conditionMessage))"
        return str(live_r.r(stopped % f"DPpack::{name}({text})")[0])

    wrong = [pair for pair in itertools.combinations(ORDER[name], 2) if message(*pair) != message(pair[0])]
    assert wrong == [] and all(message(each) != "no error" for each in ORDER[name])


# the stream


@pytest.mark.parametrize("name", DRAWING)
def test_an_int_seeds_rs_stream(name):
    stream = RRandom(77)
    first = values(call(name, GOOD[name], stream))
    assert np.array_equal(first, values(call(name, GOOD[name], 77)))
    assert np.array_equal(first, values(call(name, GOOD[name], np.int64(77))))
    # the stream goes on; a release does not start it again
    assert not np.array_equal(first, values(call(name, GOOD[name], stream)))


@pytest.mark.parametrize("name", DRAWING)
def test_a_numpy_generator(name):
    generator = np.random.default_rng(5)
    first, second = (values(call(name, GOOD[name], generator)) for _ in range(2))
    assert np.array_equal(first, values(call(name, GOOD[name], np.random.default_rng(5))))
    if name not in COUNTED:
        assert not np.array_equal(first, second)
    result = call(name, GOOD[name], generator)
    assert result.reproducible and result.grid is None


@pytest.mark.parametrize("name", DRAWING)
def test_no_rng_is_the_operating_system(name):
    result = call(name, GOOD[name])
    assert not result.reproducible and result.grid is not None
    if name not in COUNTED:
        assert not np.array_equal(values(result), values(call(name, GOOD[name])))


@pytest.mark.parametrize("name", DRAWING)
@pytest.mark.parametrize(
    "rng",
    [
        True,
        1.0,
        "1",
        [1],
        np.random.RandomState(1),
        np.random.PCG64(1),
        np.random,
        np.random.SeedSequence(1),
        object(),
    ],
    ids=lambda rng: type(rng).__name__,
)
def test_another_rng_is_refused(name, rng):
    with pytest.raises(
        PydpstatError, match="rng must be None, an int, a numpy.random.Generator or an RRandom; got"
    ):
        call(name, GOOD[name], rng)


def test_a_seed_beyond_rs_names_the_argument():
    with pytest.raises(
        PydpstatError, match="^(rng|seed) must be a whole number from -2147483647 to 2147483647"
    ):
        dppack.meanDP(X, 1, 0, 5, rng=2**31)


# wrong arguments


class Odd:
    """An object of no use as an argument."""

    def __repr__(self):
        return "Odd()"


WRONG = [
    None,
    "a",
    "",
    "Laplace",
    -1,
    0,
    0.0,
    1,
    2,
    0.5,
    float("nan"),
    float("inf"),
    -float("inf"),
    [],
    (),
    [1, 2],
    [[1], [1, 2]],
    {},
    {"a": [1]},
    1j,
    True,
    False,
    b"x",
    np.array([]),
    np.array([1.0, 2.0]),
    np.array(["a"]),
    np.zeros((2, 2)),
    np.array([1.0]),
    pd.NA,
    pd.NaT,
    pd.Series([1.0, 2.0]),
    pd.DataFrame({"a": [1.0]}),
    1e-320,
    1e-300,
    decimal.Decimal(1),
    Fraction(1, 2),
    range(3),
    Odd(),
    10**400,
    np.float32(0.5),
    np.datetime64("2020-01-01"),
    [None],
    [float("nan")],
    {1, 2},
    lambda x: 2,
    Ellipsis,
    pd.Categorical(["a"]),
]
# errors about the noisy value itself come after the draw: it cannot be known before
AFTER = ("the released", "normalize divides by the sum")


def wrong_calls(name):
    arguments = [
        each
        for each in inspect.signature(getattr(dppack, name)).parameters
        if each not in ("rng", "factors", "columns")
    ]
    if name == "tableDP":
        arguments += ["a", "b", "useNA", "exclude", "dnn"]
    for argument, value in itertools.product(arguments, WRONG):
        if argument == "tol" and name == "GaussianMechanism":
            yield {**GOOD[name], "analytic": True, "tol": value}
        yield {**GOOD[name], argument: value}


@pytest.mark.parametrize("name", DRAWING)
def test_a_wrong_argument_stops_before_any_draw(name):
    """Each argument with each odd value gives a finite result, or a PydpstatError and a stream that stays."""
    crashes, moved = [], []
    for arguments in wrong_calls(name):
        rng = RRandom(5)
        before = rng.state
        changed = {each: value for each, value in arguments.items() if GOOD[name].get(each) is not value}
        try:
            with np.errstate(all="ignore"):
                result = call(name, arguments, rng)
            assert (
                isinstance(result, (DPResults, DPResultsPair)) and np.isfinite(values(result)).all()
            ), changed
        except PydpstatError as error:
            if not np.array_equal(rng.state, before) and not str(error).startswith(AFTER):
                moved.append((changed, str(error)))
        except Exception as error:
            crashes.append((changed, f"{type(error).__name__}: {error}"))
    assert moved == []
    assert crashes == []


@pytest.mark.parametrize("name", DRAWING)
@settings(max_examples=30)
@given(data=st.data())
def test_several_wrong_arguments(name, data):
    arguments = dict(GOOD[name])
    for argument in data.draw(
        st.lists(st.sampled_from(sorted(arguments)), min_size=2, max_size=4, unique=True)
    ):
        # huge whole numbers and ragged lists have the test above
        arguments[argument] = data.draw(
            st.sampled_from([value for value in WRONG if value is not WRONG[16] and value is not WRONG[38]])
        )
    rng = RRandom(5)
    before = rng.state
    try:
        assert np.isfinite(values(call(name, arguments, rng))).all()
    except PydpstatError as error:
        assert np.array_equal(rng.state, before) or str(error).startswith(AFTER)


NUMBER, TEXT = 4.242424242e7, "Zyxomma-petiolatum"
SECRET = np.array([1.0, NUMBER, 2.0, 3.0])


@pytest.mark.parametrize("name", DRAWING)
def test_no_message_has_data(name):
    """Neither the message nor the errors behind it show a value of the data, whatever else is wrong."""
    data = {"x", "x1", "x2", "true_values", "a", "utility", "measure", "samples"}
    for wrong in wrong_calls(name):
        for secret in (
            SECRET,
            SECRET.tolist(),
            pd.Series(SECRET),
            np.array([TEXT, "b"]),
            [TEXT, 1.0],
            [1.0, TEXT],
            pd.Series([TEXT, 2]),
        ):
            arguments = {each: secret if each in data else value for each, value in wrong.items()}
            try:
                call(name, arguments, 1)
            except Exception as error:
                chain = [error]
                while chain[-1].__cause__ or chain[-1].__context__:
                    chain.append(chain[-1].__cause__ or chain[-1].__context__)
                text = " ".join(map(str, chain))
                assert "4242424" not in text and "Zyx" not in text, text


@pytest.mark.parametrize("breaks", [[0, 1], [5e7, 6e7], [1e3, 2e3, 3e3]])
def test_breaks_that_miss_the_data_do_not_tell_where_the_data_are(breaks):
    with pytest.raises(PydpstatError, match="breaks") as error:
        dppack.histogramDP(SECRET, 1, 0, 1e8, breaks=breaks, rng=1)
    assert "42424242" not in str(error.value) and "1.0" not in str(error.value).replace("[0.0, 1.0]", "")


def test_a_function_that_returns_data_as_breaks_does_not_tell_them():
    with pytest.raises(PydpstatError) as error:
        dppack.histogramDP(SECRET, 1, 0, 1e8, breaks=lambda x: -x.max(), rng=1)
    assert "42424242" not in str(error.value)


MESSAGES = {
    "eps must be a scalar > 0 and finite; got -1": ("meanDP", {"eps": -1}),
    "Length of upper_bound must be 1; got [5, 6]": ("meanDP", {"upper_bound": [5, 6]}),
    "lower_bound must be a number and not missing; got '0'": ("meanDP", {"lower_bound": "0"}),
    "which_sensitivity must be one of {'bounded', 'unbounded', 'both'}; got 'foo'": (
        "varDP",
        {"which_sensitivity": "foo"},
    ),
    "mechanism must be one of {'Laplace', 'Gaussian', 'analytic'}; got 'laplace'": (
        "covDP",
        {"mechanism": "laplace"},
    ),
    "delta must be a scalar > 0 and finite; got 0": ("sdDP", {"delta": 0}),
    "type_DP must be one of {'pDP', 'aDP'}; got 'foo'": ("histogramDP", {"type_DP": "foo"}),
    "eps must be < 1 for aDP unless analytic is True; got 2": ("tableDP", {"eps": 2}),
    "normalize must be True or False; got 'a'": ("histogramDP", {"normalize": "a"}),
    "Global sensitivities must be > 0; got 0": (
        "LaplaceMechanism",
        {"sensitivities": 0, "alloc_proportions": None},
    ),
    "Length of sensitivities must match length of true_values (3) or be 1; got 2": (
        "GaussianMechanism",
        {"sensitivities": [1, 2]},
    ),
    "true_values must be numeric atomic vectors or scalars; got str": (
        "LaplaceMechanism",
        {"true_values": "a"},
    ),
    "x1 and x2 must have the same length; got 2 and 8": ("covDP", {"x1": [1.0, 2.0]}),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_name_the_argument_and_the_value(message):
    name, wrong = MESSAGES[message]
    with pytest.raises(PydpstatError) as error:
        call(name, GOOD[name] | wrong, 1)
    # a tuple of sensitivities is shown where a list was given
    ends = (".", ")", "?")
    assert message.rstrip("0 ").rstrip("got") in str(error.value) and str(error.value).endswith(ends)


SLOW = """
import resource, pydpstat
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
try:
    pydpstat.histogramDP([1.0, 2.0, 3.0], 1, {lower}, {upper}, breaks=[0, 2, 4], rng=1)
except pydpstat.PydpstatError as error:
    print("refused:", error)
"""


@pytest.mark.parametrize("lower, upper", [(0, 1e300), (-1e17, 5), (0, 1e12)])
def test_a_histogram_of_endlessly_many_bins_is_refused(lower, upper):
    # R adds bins until it reaches the bounds, which it never does, or not within anybody's patience
    code = SLOW.format(lower=lower, upper=upper)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=5
    )
    assert done.stdout.startswith("refused:"), done.stderr[-300:]


# the data


def variants(data):
    """The same numbers in other containers."""
    array = np.array(data, dtype=float)
    wide = np.zeros((array.size, 3))
    wide[:, 1] = array
    read_only = array.copy()
    read_only.flags.writeable = False
    masked = pd.Series(array).convert_dtypes()
    return {
        "list": list(data),
        "tuple": tuple(data),
        "array": array,
        "Series": pd.Series(array, index=np.arange(array.size)[::-1]),
        "float32": array.astype(np.float32),
        "a column": wide[:, 1],
        "backwards twice": array[::-1].copy()[::-1],
        "read-only": read_only,
        "objects": np.array(list(data), dtype=object),
        "nullable": masked,
        "big endian": array.astype(">f8"),
        "longdouble": array.astype(np.longdouble),
        "Index": pd.Index(array),
        "array of pandas": pd.array(array),
    }


@pytest.mark.parametrize("kind", variants([1.0]))
@pytest.mark.parametrize(
    "name",
    [
        "meanDP",
        "varDP",
        "sdDP",
        "covDP",
        "histogramDP",
        "quantileDP",
        "medianDP",
        "LaplaceMechanism",
        "GaussianMechanism",
        "ExponentialMechanism",
    ],
)
def test_containers(name, kind):
    # halves are exact in every type
    data = [1.0, 2.5, 3.0, 4.0, 7.5, -3.5, 0.5, 2.0]
    changed = {"x1": data, "x2": data} if name == "covDP" else {next(iter(GOOD[name])): data}
    good = {**GOOD[name], **changed}
    if "sensitivities" in good:
        good |= {"sensitivities": 1, "alloc_proportions": None}
    expected = values(call(name, good, 9))
    other = {each: variants(data)[kind] if value is data else value for each, value in good.items()}
    before = [np.array(value, dtype=object).tolist() for value in other.values()]
    if name.endswith("Mechanism") and kind in ("objects",):
        with pytest.raises(PydpstatError, match="(true_values|utility) must be numeric"):
            call(name, other, 9)
        return
    assert np.array_equal(values(call(name, other, 9)), expected)
    assert [np.array(value, dtype=object).tolist() for value in other.values()] == before


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "u8", "i8"])
def test_small_integers_do_not_overflow(dtype):
    data = np.array([100, 120, 127, 90], dtype=dtype)
    for name in ("meanDP", "varDP", "sdDP"):
        wide, narrow = (
            call(name, {"x": each, "eps": 1.0, "lower_bound": 0, "upper_bound": 1000}, 3)
            for each in (data.astype(float), data)
        )
        assert float(wide) == float(narrow)
    assert call(
        "covDP",
        {
            "x1": data,
            "x2": data,
            "eps": 1.0,
            "lower_bound1": 0,
            "upper_bound1": 1000,
            "lower_bound2": 0,
            "upper_bound2": 1000,
        },
        3,
    ) == call(
        "covDP",
        {
            "x1": data * 1.0,
            "x2": data * 1.0,
            "eps": 1.0,
            "lower_bound1": 0,
            "upper_bound1": 1000,
            "lower_bound2": 0,
            "upper_bound2": 1000,
        },
        3,
    )


def test_booleans_are_zero_and_one():
    assert float(dppack.meanDP([True, False, True], 1, 0, 1, rng=1)) == float(
        dppack.meanDP([1, 0, 1], 1, 0, 1, rng=1)
    )
    assert float(dppack.meanDP(np.array([True, False]), 1, False, True, rng=1)) == float(
        dppack.meanDP([1, 0], 1, 0, 1, rng=1)
    )


def test_a_matrix_is_a_vector_for_a_mean_only():
    matrix = np.array(X).reshape(2, 4)
    assert float(dppack.meanDP(matrix, 1, 0, 5, rng=1)) == float(
        dppack.meanDP(matrix.ravel(order="F"), 1, 0, 5, rng=1)
    )
    assert (
        values(call("histogramDP", {**GOOD["histogramDP"], "x": matrix}, 1)).tolist()
        == values(call("histogramDP", GOOD["histogramDP"], 1)).tolist()
    )
    for name in ("varDP", "sdDP"):
        with pytest.raises(PydpstatError, match="x must be a numeric vector; got 2 dimensions"):
            call(name, {**GOOD[name], "x": matrix}, 1)


def test_one_number_in_a_container_is_a_scalar():
    for wrapped in ([0.5], (0.5,), np.array([0.5]), np.array(0.5), np.float64(0.5)):
        assert float(dppack.meanDP(X, wrapped, 0, [5], rng=1)) == float(dppack.meanDP(X, 0.5, 0, 5, rng=1))


@pytest.mark.parametrize("name", DRAWING)
def test_arguments_are_not_modified(name):
    arguments = {
        each: np.array(value) if isinstance(value, list) else value for each, value in GOOD[name].items()
    }
    copies = {each: value.copy() for each, value in arguments.items() if isinstance(value, np.ndarray)}
    for rng in (None, 1, np.random.default_rng(1)):
        call(name, arguments, rng)
    assert all(
        np.array_equal(arguments[each], value) and arguments[each].flags.writeable
        for each, value in copies.items()
    )


def test_the_tables_columns():
    letters, groups = ["b", "a", "b"], ["u", "v", "u"]
    frame = pd.DataFrame({"kind": letters, "group": groups})
    expected = call("tableDP", {"kind": letters, "group": groups, "eps": 3.0}, 1)
    for result in (
        call_table(frame),
        call_table(frame["kind"], frame["group"]),
        call_table(frame["kind"], group=groups),
        call_table(letters, np.array(groups), dnn=["kind", "group"]),
        call_table(dict(kind=letters, group=groups)),
    ):
        assert result.estimate.equals(expected.estimate) and result.labels.dimension_names == (
            "kind",
            "group",
        )
    assert call_table(frame["kind"].astype("category"), group=pd.Categorical(groups)).estimate.equals(
        expected.estimate
    )


def call_table(*columns, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dppack.tableDP(*columns, eps=3.0, rng=1, **keywords)


@pytest.mark.parametrize("value", [5, "a", 2.5, True])
def test_a_table_of_one_value(value):
    # R tabulates a scalar
    assert call_table(value).estimate.size == 1


def test_the_calibration_is_a_plain_number():
    assert type(dppack.calibrateAnalyticGaussianMechanism(1, 1e-6, 1)) is float
    assert dppack.calibrateAnalyticGaussianMechanism(1, 1e-6, np.array([1.0, 2.0])).shape == (2,)


def test_mirrors_are_the_packages_own():
    for name in dppack.__all__:
        assert getattr(pydpstat, name) is getattr(dppack, name)

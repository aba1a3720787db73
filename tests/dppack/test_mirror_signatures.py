"""What every mirror keeps: R's signature, R's order of checks, the stream."""

from __future__ import annotations

import inspect
import itertools

import numpy as np
import pytest

from pydpstat import PydpstatError, RRandom, dppack
from tests.dppack.mirror_calls import DRAWING, FORMALS, GOOD, PAIRS, REQUIRED, X, Y, call, values

# two releases of whole numbers may be equal
COUNTED = ("histogramDP", "tableDP", "ExponentialMechanism")

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


def r_argument(name):
    return name.replace("_", ".")


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


@pytest.mark.slow
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
        1.5,
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

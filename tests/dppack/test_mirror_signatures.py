"""What every mirror keeps: R's order of checks, the stream."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pydpstat import PydpstatError, RRandom, dppack
from tests.dppack.mirror_calls import GOOD, NO_SOURCES, PAIRS, X, Y, call, refused_before_any_draw, values

# two releases of whole numbers may be equal
COUNTED = ("histogramDP", "tableDP", "ExponentialMechanism")

# each argument that R checks, in R's order, with a wrong value in Python and in R
_TEXT, _OTHER, _TWO = ("a", "'a'"), ("foo", "'foo'"), ([1, 2], "c(1, 2)")
_BOUND, _MATRIX = ([5, 6], "c(5, 6)"), (np.ones((2, 3)), "matrix(1, 2, 3)")
_BOUNDS = {"upper_bound": _BOUND, "lower_bound": _BOUND}
_WHICH = {"which_sensitivity": _OTHER, "mechanism": _OTHER}
_EPS = {"eps": (-1, "-1")}
_TAIL = {**_EPS, "delta": (0, "0"), "type_DP": _OTHER}
_SCALES = {"sensitivities": ([-1, 1, 1], "c(-1, 1, 1)")}
_POOLED = {**_WHICH, "approx_n_max": _TEXT, **_TAIL}
ORDER = {
    "meanDP": {**_BOUNDS, **_WHICH, **_TAIL},
    "varDP": {"x": _MATRIX, **_BOUNDS, **_WHICH, **_TAIL},
    "sdDP": {"x": _MATRIX, **_BOUNDS, **_WHICH, **_TAIL},
    "covDP": {
        **dict.fromkeys(("x1", "x2"), _MATRIX),
        **dict.fromkeys(("upper_bound1", "lower_bound1", "upper_bound2", "lower_bound2"), _BOUND),
        **_WHICH,
        **_TAIL,
    },
    "histogramDP": {
        **_BOUNDS,
        **_WHICH,
        "breaks": _OTHER,
        **_TAIL,
        **dict.fromkeys(("allow_negative", "normalize"), _TEXT),
    },
    "tableDP": {**_WHICH, "b": ([1], "1"), **_TAIL, "allow_negative": _TEXT},
    "LaplaceMechanism": {"true_values": _TEXT, **_EPS, **_SCALES, "alloc_proportions": _TWO},
    "GaussianMechanism": {
        "true_values": _TEXT,
        **_EPS,
        "delta": (0, "0"),
        **_SCALES,
        "type_DP": _OTHER,
        "alloc_proportions": _TWO,
    },
    "ExponentialMechanism": {
        "utility": _TEXT,
        **_EPS,
        **dict.fromkeys(("sensitivity", "measure", "candidates"), _TWO),
    },
    "quantileDP": {**_BOUNDS, "quant": (2, "2"), **_WHICH, **_EPS},
    "medianDP": {**_BOUNDS, **_WHICH, **_EPS},
    "pooledVarDP": {"lower_bound": _BOUND, "upper_bound": _BOUND, **_POOLED},
    "pooledCovDP": {
        **dict.fromkeys(("lower_bound1", "lower_bound2", "upper_bound1", "upper_bound2"), _BOUND),
        **_POOLED,
    },
}

WRONG_PAIRS = [
    (name, first, second) for name, checks in ORDER.items() for first, second in itertools.combinations(checks, 2)
]


def r_argument(name):
    return name.replace("_", ".")


@pytest.mark.parametrize("name, first, second", WRONG_PAIRS)
def test_of_two_wrong_arguments_rs_first_is_named(name, first, second):
    arguments = dict(GOOD[name]) | {each: ORDER[name][each][0] for each in (second, first)}
    # bound1 is the first of bound1 and bound2, x1 of x1 and x2
    with refused_before_any_draw("same length" if first == "b" else f"^[^;]*{first}") as stream:
        call(name, arguments, stream)


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


@pytest.mark.parametrize("name", GOOD)
def test_an_int_seeds_rs_stream(name):
    stream = RRandom(77)
    first = values(call(name, GOOD[name], stream))
    assert np.array_equal(first, values(call(name, GOOD[name], 77)))
    assert np.array_equal(first, values(call(name, GOOD[name], np.int64(77))))
    # the stream goes on; a release does not start it again
    assert not np.array_equal(first, values(call(name, GOOD[name], stream)))


@pytest.mark.parametrize("name", GOOD)
def test_a_numpy_generator(name):
    generator = np.random.default_rng(5)
    first, second = (values(call(name, GOOD[name], generator)) for _ in range(2))
    assert np.array_equal(first, values(call(name, GOOD[name], np.random.default_rng(5))))
    if name not in COUNTED:
        assert not np.array_equal(first, second)
    result = call(name, GOOD[name], generator)
    assert result.reproducible and result.grid is None


@pytest.mark.parametrize("name", GOOD)
def test_no_rng_is_the_operating_system(name):
    result = call(name, GOOD[name])
    assert not result.reproducible and result.grid is not None
    if name not in COUNTED:
        assert not np.array_equal(values(result), values(call(name, GOOD[name])))


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("rng", NO_SOURCES, ids=lambda rng: type(rng).__name__)
def test_another_rng_is_refused(name, rng):
    with pytest.raises(PydpstatError, match="rng must be None, an int, a numpy.random.Generator or an RRandom; "):
        call(name, GOOD[name], rng)


def test_a_seed_beyond_rs_names_the_argument():
    with pytest.raises(PydpstatError, match="^(rng|seed) must be a whole number from -2147483647 to "):
        dppack.meanDP(X, 1, 0, 5, rng=2**31)

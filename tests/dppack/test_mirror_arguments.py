"""What every mirror keeps: wrong arguments stop before any draw, and no message has data."""

from __future__ import annotations

import decimal
import inspect
import itertools
import math
import subprocess
import sys
from contextlib import nullcontext
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from pydpstat import DPResults, DPResultsPair, PrivacyWarning, PydpstatError, RRandom, dppack
from pydpstat._release.calibration import ROUNDING_CONDITION
from pydpstat.dppack._models.formulas import compute_cross_entropy
from tests.dppack.mirror_calls import GOOD, call, values


class Odd:
    """An object of no use as an argument."""

    def __repr__(self):
        return "Odd()"


HUGE, RAGGED = 10**400, [[1], [1, 2]]
WRONG = [
    *(None, "a", "", "Laplace", b"x", True, False, 1j, Ellipsis, Odd(), lambda x: 2, HUGE, RAGGED),
    *(-1, 0, 0.0, 1, 2, 0.5, 1e-320, 1e-300, float("nan"), float("inf"), -float("inf")),
    *(decimal.Decimal(1), Fraction(1, 2), np.float32(0.5), np.datetime64("2020-01-01"), pd.NA, pd.NaT),
    *([], (), [1, 2], [None], [float("nan")], {}, {"a": [1]}, {1, 2}, range(3)),
    *(np.array([]), np.array([1.0]), np.array([1.0, 2.0]), np.array(["a"]), np.zeros((2, 2))),
    *(pd.Series([1.0, 2.0]), pd.DataFrame({"a": [1.0]}), pd.Categorical(["a"])),
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


@pytest.mark.slow
@pytest.mark.parametrize("name", GOOD)
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
            assert isinstance(result, (DPResults, DPResultsPair)) and np.isfinite(values(result)).all(), changed
        except PydpstatError as error:
            if not np.array_equal(rng.state, before) and not str(error).startswith(AFTER):
                moved.append((changed, str(error)))
        except Exception as error:
            crashes.append((changed, f"{type(error).__name__}: {error}"))
    assert moved == []
    assert crashes == []


NUMBER, TEXT = 4.242424242e7, "Zyxomma-petiolatum"
SECRET = np.array([1.0, NUMBER, 2.0, 3.0])


@pytest.mark.slow
@pytest.mark.parametrize("name", GOOD)
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


@pytest.mark.filterwarnings("ignore::pydpstat.PrivacyWarning")
def test_bounds_may_be_as_many_bins_beyond_the_breaks_as_stated(monkeypatch):
    """However many bins are between the breaks themselves."""
    monkeypatch.setattr("pydpstat.dppack._values.MAX_BINS", 8)
    breaks, data = np.arange(21.0), [0.5, 19.5]
    for lower, upper in ((0, 20), (0, 28), (-8, 20), (-8, 28)):
        counts = dppack.histogramDP(data, 1, lower, upper, breaks=breaks, rng=1)
        assert counts.value.size == upper - lower
    for lower, upper in ((0, 29), (-9, 20)):
        with pytest.raises(PydpstatError, match="must be within 8 bins of the breaks"):
            dppack.histogramDP(data, 1, lower, upper, breaks=breaks, rng=1)


def test_a_function_that_returns_data_as_breaks_does_not_tell_them():
    with pytest.raises(PydpstatError) as error:
        dppack.histogramDP(SECRET, 1, 0, 1e8, breaks=lambda x: -x.max(), rng=1)
    assert "42424242" not in str(error.value)


@pytest.mark.parametrize(
    ("bounds", "breaks", "public"),
    [
        ((0, 4), [0, 2, 4], True),
        ((4, 0), [-1, 2, 5], True),
        ((0, 4), [1, 2.5, 4], False),
        ((0, 4), [0, 1.5, 3], False),
        ((0, 4), 4, False),
        # a number of bins is no vector, even if it equals both bounds
        ((2, 2), 2, False),
    ],
)
def test_breaks_are_public_where_a_vector_reaches_both_bounds(bounds, breaks, public):
    told = nullcontext() if public else pytest.warns(PrivacyWarning, match="breaks computed from the data")
    with told:
        guarantee = dppack.histogramDP([1.5, 2.5, 3.0], 1.0, *bounds, breaks=breaks, rng=1).guarantee
    assert guarantee.epsilon == (1.0 if public else math.inf)
    assert ("the breaks were chosen without the data" in guarantee.conditions) == public


MESSAGES = {
    "eps must be a positive finite number; got -1": ("meanDP", {"eps": -1}),
    "upper_bound must be one number; got list of length 2": ("meanDP", {"upper_bound": [5, 6]}),
    "lower_bound must be a number and not missing; got str of length 1": ("meanDP", {"lower_bound": "0"}),
    "which_sensitivity must be one of {'bounded', 'unbounded', 'both'}; got 'foo'": (
        "varDP",
        {"which_sensitivity": "foo"},
    ),
    "mechanism must be one of {'Laplace', 'Gaussian', 'analytic'}; got 'laplace'": (
        "covDP",
        {"mechanism": "laplace"},
    ),
    "delta must be a positive finite number; got 0": ("sdDP", {"delta": 0}),
    "type_DP must be one of {'pDP', 'aDP'}; got 'foo'": ("histogramDP", {"type_DP": "foo"}),
    "eps must be < 1 for aDP unless analytic is True; got 2": ("tableDP", {"eps": 2}),
    "normalize must be True or False; got str of length 1": ("histogramDP", {"normalize": "a"}),
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
resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
try:
    pydpstat.histogramDP([1.0, 2.0, 3.0], 1, {lower}, {upper}, breaks=[0, 2, 4], rng=1)
except pydpstat.PydpstatError as error:
    print("refused:", error)
"""


@pytest.mark.parametrize("lower, upper", [(0, 1e300), (-1e17, 5), (0, 1e12)])
def test_a_histogram_of_endlessly_many_bins_is_refused(lower, upper):
    # R adds bins until it reaches the bounds, which it never does, or not within anybody's patience
    code = SLOW.format(lower=lower, upper=upper)
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.stdout.startswith("refused:"), done.stderr[-300:]


@pytest.mark.parametrize(
    "first, second",
    [
        ({"eps": 1}, {"eps": 1.0}),
        ({"lower_bound": 0.0}, {"lower_bound": -0.0}),
        ({"delta": 0.0}, {"delta": -0.0}),
    ],
)
def test_equal_arguments_that_look_different_stay_apart(first, second):
    """What is public of a release is planned once: not for a call with another text."""
    usual = {"eps": 2.0, "lower_bound": -1.0, "upper_bound": 5.0, "delta": 0.5}
    for changed in (first, second, first):
        ((name, value),) = changed.items()
        call = dppack.meanDP([1.0, 2.0], **{**usual, **changed}, rng=1).call
        assert f"{name}={value!r}," in call


def test_an_argument_that_equals_a_right_one_is_still_refused():
    """(True,) equals (1,), but is no number."""
    dppack.meanDP([1.0, 2.0], (1,), 0, 5, rng=1)
    with pytest.raises(PydpstatError, match="eps must be"):
        dppack.meanDP([1.0, 2.0], (True,), 0, 5, rng=1)


def test_names_and_numbers_of_records_do_not_mix():
    """The plan of one call has nothing of another's."""
    for name, n in (("age", 4), ("income", 4), ("age", 5)):
        data = pd.Series(np.ones(n), name=name)
        released = dppack.meanDP(data, 1.0, 0, 5, rng=1)
        assert (released.labels.name, released.nobs, released.sensitivity) == (name, n, 5 / n)
        with pytest.warns(PrivacyWarning):
            assert dppack.meanDP(data, 1.0, 0, 5, "unbounded", rng=1).nobs is None


def test_the_classic_gaussian_mechanism_needs_an_epsilon_below_1():
    how = {"mechanism": "Gaussian", "delta": 1e-6, "type_DP": "aDP", "rng": 1}
    with pytest.raises(PydpstatError, match="eps must be < 1 for aDP unless analytic is True; got 1"):
        dppack.meanDP([1.0, 2.0], 1, 0, 4, **how)
    assert dppack.meanDP([1.0, 2.0], 0.999, 0, 4, **how).noise.std() > 0.0


def test_noise_intervals_of_variances_end_at_the_largest_variance():
    """Two records at both bounds have it: twice the squared half-width."""
    for function, largest in ((dppack.varDP, 8.0), (dppack.sdDP, 8.0**0.5)):
        with pytest.warns(PrivacyWarning):
            found = function([0.0, 1.0, 4.0], 0.001, 0, 4, rng=1)
        assert found.conf_int().to_numpy()[0].tolist() == [0.0, pytest.approx(largest, rel=1e-12)]


def test_a_cross_entropy_of_shares_has_both_terms():
    predicted, observed = np.array([0.25, 0.4, 0.8]), np.array([0.0, 0.3, 1.0])
    expected = -(observed * np.log(predicted) + (1.0 - observed) * np.log(1.0 - predicted))
    assert compute_cross_entropy(predicted, observed) == pytest.approx(expected, rel=1e-14)
    assert compute_cross_entropy(predicted[::2], observed[::2]) == pytest.approx(expected[::2], rel=1e-14)


def test_the_rounding_inside_a_moment_is_not_covered_by_the_proof():
    for function in (dppack.meanDP, dppack.varDP):
        with nullcontext() if function is dppack.meanDP else pytest.warns(PrivacyWarning):
            assert ROUNDING_CONDITION in function([1.0, 2.0, 3.0], 1.0, 0, 4).guarantee.conditions

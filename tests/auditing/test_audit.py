import json
import math
import pickle
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import AuditResults, Guarantee, PydpstatError, RRandom, audit
from pydpstat._data.progress import Progress
from pydpstat.auditing._sampling import OTHER_FORM, Sampler


def laplace(seed=1, grid=2.0**-20):
    rng = np.random.default_rng(seed)
    # rounded onto a grid: unrounded noise shows in the last bits
    return lambda x, size: np.rint((x + rng.laplace(0.0, 1.0, size)) / grid) * grid


def gaussian(seed=1, sd=1.0):
    rng = np.random.default_rng(seed)
    return lambda x, size: np.rint((x + rng.normal(0.0, sd, size)) * 2.0**20) * 2.0**-20


def geometric(seed=1):
    rng = np.random.default_rng(seed)
    p = 1 - math.exp(-1)
    return lambda x, size: x + rng.geometric(p, size) - rng.geometric(p, size)


# what is found


def test_uniform_noise_is_not_private():
    rng = np.random.default_rng(1)
    r = audit(lambda n, size: n + rng.integers(-2, 3, size), 5, 6, claim=1.0, samples=20_000, rng=1)
    assert r.violates and r.epsilon_lower > 5 and r.only_under_one
    assert (r.witness, r.likelier_under) in {
        ("the result is at most 3", "data"),
        ("the result is above 7", "neighbor"),
    }
    assert "It occurred under only one of the two data sets." in r.summary().as_text()


def test_the_sign_geometric_law_keeps_log_2_more():
    release = lambda n, size: n + pydpstat.symmetric_geometric_noise(size, 1.0, method="sign")  # noqa: E731
    r = audit(release, 5, 6, claim=1.0, samples=200_000, rng=1)
    assert 1.6 < r.epsilon_lower < 1 + math.log(2)
    assert r.witness in ("the result is 5", "the result is 6")


def test_floating_point_noise_shows_in_the_last_bits():
    rng = np.random.default_rng(1)
    r = audit(lambda x, size: x + rng.laplace(0.0, 1.0, size), 0.0, 1.0, claim=1.0, samples=20_000, rng=1)
    assert r.violates and r.epsilon_lower > 4 and "not a multiple of 2^-5" in r.witness


@pytest.mark.slow
def test_the_support_of_rs_noise_is_found_without_the_true_value():
    stream, x = RRandom(1), np.random.default_rng(7).uniform(size=100)
    release = lambda data: pydpstat.meanDP(data, 1.0, 0, 1, rng=stream)  # noqa: E731
    r = audit(release, x, np.append(x[:-1], 1.0), samples=16_000, rng=1)
    assert r.violates and "2^32 F(the result" in r.witness and r.q < 0.01 < 0.99 < r.p


@pytest.mark.slow
def test_breaks_levels_scales_and_errors_are_events():
    cases = [
        (lambda x: pydpstat.histogramDP(x, 1.0, 0, 10), [1.0, 2.0, 3.0], [1.0, 2.0, 10.0], "the labels are"),
        (lambda x: pydpstat.tableDP(x, eps=1.0), ["a", "b"], ["a", "c"], "the labels are (a,"),
        (
            lambda x: pydpstat.meanDP(x, 1.0, 0, 1, which_sensitivity="unbounded"),
            [0.5] * 5,
            [0.5] * 4,
            "the noise scale is 0.2",
        ),
        (lambda x: pydpstat.meanDP(x, 1.0, 0, 1), [0.5, math.nan], [0.5, 0.5], "the call "),
    ]
    for release, data, neighbor, words in cases:
        r = audit(release, data, neighbor, samples=800, rng=1)
        assert r.violates and r.claim.epsilon == 1.0
        assert any(event.words.startswith(words) and event.q == 0 for event in r.events), r.summary()


def test_an_error_is_named_by_type_and_message():
    r = audit(lambda x: 1 / x, 0, 1, samples=500, rng=1)
    assert {event.words for event in r.events} >= {"the call raises ZeroDivisionError: division by zero"}


def test_an_error_of_many_at_once_is_tried_alone():
    sizes = []

    def release(x, size):
        sizes.append(size)
        if x:
            raise KeyError("x")
        return np.zeros(size)

    r = audit(release, True, False, claim=1, samples=20_000, rng=1)
    assert r.violates and r.draws == (2_000, 20_000) and sizes.count(1) == 2_000


@dataclass(frozen=True)
class Parts:
    a: float
    b: str


@pytest.mark.parametrize(
    "first, second, words",
    [
        ("yes", "no", "the result is 'yes'"),
        (None, 1.0, "the result is None"),
        (math.nan, 1.0, "the result is missing (NaN)"),
        ([1, 2], [1, 2, 3], "the result has shape (2,)"),
        (pd.Series([1.0], index=["a"]), pd.Series([1.0], index=["b"]), "the labels are"),
        ({"a": 1.0}, {"b": 1.0}, "the parts are"),
        (Parts(1.0, "x"), Parts(1.0, "y"), "the parts are"),
        (np.array(["u", "v"]), np.array(["u", "w"]), "the result is"),
        (True, False, "the result is"),
        (np.inf, 1.0, "the result is"),
    ],
)
def test_all_kinds_of_results(first, second, words):
    r = audit(lambda x: x, first, second, claim=1, samples=500, rng=1)
    assert r.violates and r.only_under_one
    assert any(event.words.startswith(words) for event in r.events), r.summary()


def test_results_of_many_at_once_may_be_texts_or_a_list():
    rng = np.random.default_rng(1)
    texts = lambda x, size: np.where(rng.random(size) < x, "a", "b")  # noqa: E731
    assert "the result is" in audit(texts, 0.9, 0.1, claim=1, samples=4000, rng=1).witness
    many = lambda x, size: [x] * size  # noqa: E731
    assert audit(many, "u", "v", claim=1, samples=4000, rng=1).only_under_one


def test_vectors_are_seen_as_a_whole():
    rng = np.random.default_rng(1)

    def release(x, size):
        return np.rint((np.array(x) + rng.laplace(0, 1, (size, 3))) * 2**20) / 2**20

    r = audit(release, [0, 0, 0], [1, -1, 0], claim=1.0, samples=60_000, rng=1)
    # each element alone keeps 1, both together 2
    assert r.violates and 1.5 < r.epsilon_lower < 2.0
    assert "log likelihood ratio of elements" in r.witness


def test_a_delta_is_allowed_for():
    def release(x, size):
        return np.where(np.random.default_rng(x).random(size) < 0.05 * x, 1.0, 0.0)

    assert audit(release, 1, 0, claim=(0.1, 0.06), samples=20_000, rng=1).violates is False
    assert audit(release, 1, 0, claim=(0.1, 0.03), samples=20_000, rng=1).violates is True


# what is cleared


@pytest.mark.parametrize("noisy", [laplace(), geometric()], ids=["Laplace", "geometric"])
def test_sound_noise_is_cleared_and_the_bound_is_near_the_truth(noisy):
    r = audit(noisy, 0, 1, claim=1.0, samples=200_000, rng=1)
    assert r.violates is False and 0.95 < r.epsilon_lower < 1.0


@pytest.mark.slow
def test_the_claim_of_the_results_is_taken():
    r = audit(lambda n: pydpstat.symmetric_geometric(n, 0.5), 5, 6, samples=2_000, rng=1)
    assert r.claim.epsilon == 0.5 and r.violates is False and r.verdict == "no violation found"


@pytest.mark.slow
def test_false_alarms_are_as_rare_as_stated():
    # delta of a normal variable with sd 1 against one moved by 1, at epsilon 1
    from scipy.stats import norm

    delta = norm.cdf(-0.5) - math.e * norm.cdf(-1.5)
    alarms = total = 0
    for seed in range(70):
        for release, claim in ((laplace, 1.0), (geometric, 1.0), (gaussian, (1.0, delta))):
            alarms += audit(release(seed), 0, 1, claim=claim, samples=2_000, rng=seed).violates
            total += 1
    # stated: 5 % at most; the correction for the events makes it far fewer
    assert total == 210 and alarms <= 0.05 * total


# arguments and results


@pytest.mark.parametrize(
    "claim, epsilon, delta",
    [(1, 1.0, 0.0), (np.float64(0.5), 0.5, 0.0), ((2, 0.1), 2.0, 0.1), (Guarantee(3.0, 0.2), 3.0, 0.2)],
)
def test_forms_of_a_claim(claim, epsilon, delta):
    r = audit(lambda x: x, 0, 0, claim=claim, samples=500, rng=1)
    assert (r.claim.epsilon, r.claim.delta, r.delta, r.violates) == (epsilon, delta, delta, False)


def test_without_a_claim_there_is_no_verdict():
    r = audit(lambda x: x, 0, 1, samples=500, rng=1)
    assert r.claim is None and r.violates is None and r.verdict == "no claim" and r.epsilon_lower > 3


@pytest.mark.parametrize(
    "change, words",
    [
        ({"release": 3}, "release must be a callable"),
        ({"samples": 10}, "samples must be a whole number of at least 500"),
        ({"samples": 700.5}, "samples must be"),
        ({"samples": True}, "samples must be"),
        ({"confidence": 1.0}, "confidence must be a number between 0 and 1"),
        ({"confidence": "x"}, "confidence must be"),
        ({"claim": "1"}, "claim must be a Guarantee"),
        ({"claim": (1, 2, 3)}, "claim must be"),
        ({"claim": -1}, "an epsilon of at least 0"),
        ({"seconds": 0}, "seconds must be"),
        ({"rng": "x"}, "rng must be"),
        ({"release": lambda x: 1 / 0}, "the same error on both data sets: ZeroDivisionError"),
        ({"release": lambda x, size: [1.0]}, "must return 500 results along the first axis"),
    ],
)
def test_bad_arguments(change, words):
    arguments = {"release": lambda x: x, "data": 1, "neighbor": 2, "samples": 500, "rng": 1, **change}
    with pytest.raises(PydpstatError, match=words):
        audit(arguments.pop("release"), arguments.pop("data"), arguments.pop("neighbor"), **arguments)


def test_outcomes_that_nothing_sets_apart():
    r = audit(lambda x: "same", 0, 1, claim=1, samples=500, rng=1)
    assert (r.epsilon_lower, r.violates, r.witness) == (0.0, False, "any outcome")


def test_time_can_be_limited():
    r = audit(lambda x: x, 0, 1, samples=10**9, seconds=0.05, rng=1)
    assert 100 < r.draws[0] < 10**8 and r.draws[0] == r.draws[1]


def test_rng_decides_the_split_alone():
    first, second = (audit(laplace(3), 0, 1, claim=1, samples=4_000, rng=5) for _ in range(2))
    assert first.to_dict() == second.to_dict()


def test_warnings_of_the_release_are_left_out():
    def release(x):
        warnings.warn("again", stacklevel=1)
        return x

    assert audit(release, 0, 1, samples=500, rng=1).only_under_one


def test_an_infinite_claim_is_json_too():
    plain = audit(laplace(), 0, 1, claim=math.inf, samples=500).to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False))["claim"]["epsilon"] == "infinite"


def test_the_results():
    r = audit(laplace(), 0, 1, claim=1.0, samples=4_000, confidence=0.9, rng=1)
    assert isinstance(r, AuditResults) and repr(r).startswith("<AuditResults <lambda>: epsilon >= 0.")
    assert json.loads(json.dumps(r.to_dict()))["events"][0]["words"] == r.witness
    assert pickle.loads(pickle.dumps(r)).to_dict() == r.to_dict()
    assert 0 < r.p_lower < r.p <= 1 and 0 <= r.q < r.q_upper
    assert r.epsilon_lower == pytest.approx(math.log(r.p_lower / r.q_upper))
    page = r.summary()
    assert "Audit of a release" in page.as_text() and r.verdict in page.as_text()
    assert "<table" in r._repr_html_() and "Epsilon at least" in page.as_latex()
    assert [e.epsilon_lower for e in r.events] == sorted((e.epsilon_lower for e in r.events), reverse=True)


@pytest.mark.parametrize("noisy, data, neighbor", [(laplace(), 0, 1), (geometric(), 0, 1), (lambda x: x, "a", "b")])
def test_plot_draws_into_the_axes_given(noisy, data, neighbor):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    r = audit(noisy, data, neighbor, claim=1.0, samples=2_000, rng=1)
    figure, axes = pyplot.subplots()
    assert r.plot(ax=axes) is axes
    assert "epsilon at least" in axes.get_title()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["data", "data, in the event", "neighbor", "neighbor, in the event"]
    pyplot.close(figure)
    pyplot.close(r.plot().figure)


def test_constant_results_have_a_picture():
    # no whole number, so that it is in bins
    found = audit(lambda x, size: np.full(size, 0.5), 1, 2, claim=1.0, samples=2_000)
    edges = found.picture.edges
    assert (np.diff(edges) > 0.0).all() and edges[0] == 0.5 and np.isfinite(found.picture.shares).all()


def test_outcomes_beyond_a_number_are_one(monkeypatch):
    monkeypatch.setattr("pydpstat.auditing._sampling.MAX_FORMS", 3)
    sampler = Sampler(lambda x: None, 0, 1)
    codes = [sampler._get_form_code(("value", str(place))) for place in (0, 1, 2, 3, 4, 1)]
    assert codes == [0, 1, 2, 3, 3, 1] and sampler.forms[3:] == [OTHER_FORM]


def test_the_progress_is_that_of_the_slower_side(monkeypatch):
    done = []

    class Watched(Progress):
        done = property(lambda self: done[-1], lambda self, number: done.append(number))

    def draw(x, size):
        if x and size > 1:
            raise ValueError("one at a time")
        return np.zeros(size)

    monkeypatch.setattr("pydpstat.auditing._sampling.Progress", Watched)
    Sampler(draw, 0, 1).draw_samples(1_000, None)
    # 0 at first; calls for several draws fail once, and are then repeated one by one
    assert done[1] < 1_000 and done == sorted(done) and done[-1] == 1_000

"""The sensitivity sampler: its plan, the data it makes, what it returns, what it says."""

from __future__ import annotations

import logging
import math
import pickle
import time

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import (
    DPMechExponential,
    DPMechLaplace,
    DPParamsEps,
    PrivacyWarning,
    PydpstatError,
    RRandom,
    releaseResponse,
    sensitivitySampler,
    sensitivitySamplerManual,
)
from pydpstat._data import progress
from pydpstat.diffpriv._given import add_record
from pydpstat.diffpriv.sensitivity import make_sampler_plan


def mean(X):
    return float(np.mean(X))


def laplace(target=mean, dims=1):
    return DPMechLaplace(target=target, dims=dims)


def test_plan_by_m_alone():
    for m in (1, 2, 10, 500):
        plan = make_sampler_plan(m)
        assert plan.m == plan.k == m
    assert make_sampler_plan(1).gamma == pytest.approx(1.0744, abs=1e-4)
    assert make_sampler_plan(10_000).gamma < make_sampler_plan(100).gamma < make_sampler_plan(10).gamma


def test_the_plans_meet_the_theorem():
    """The k-th of m bounds all but a share gamma with room for rho + sqrt(log(1/rho)/(2m))."""
    for gamma in (0.9, 0.5, 0.33, 0.1, 0.02):
        m, _, k = make_sampler_plan(gamma=gamma)
        rho = np.linspace(1e-6, gamma, 20_000)
        room = float((rho + np.sqrt(np.log(1 / rho) / (2 * m))).min())
        # R's rho minimizes the m of gamma, not the room of m; both are tight here
        assert k <= m and k >= math.floor(m * (1 - gamma + room))
        assert room <= gamma * 1.001


def test_plan_by_both():
    least = make_sampler_plan(100).gamma
    for gamma in (least, 0.5, 0.99):
        assert make_sampler_plan(100, gamma).k == math.ceil(100 * (1 - gamma + least))
    with pytest.raises(PydpstatError, match=r"gamma must be at least 0\.434623 for m=10; got 0\.4"):
        make_sampler_plan(10, 0.4)


@pytest.mark.parametrize(
    ("m", "gamma", "name"),
    [
        (None, None, "m or gamma"),
        (0, None, "m"),
        (1.5, None, "m"),
        ("a", None, "m"),
        ([1, 2], None, "m"),
        (None, 0, "gamma"),
        (None, 1, "gamma"),
        (None, "a", "gamma"),
        (None, 1e-9, "gamma"),
    ],
)
def test_wrong_plans(m, gamma, name):
    with pytest.raises(PydpstatError, match=f"^{name}"):
        make_sampler_plan(m, gamma)


def test_the_mechanism_stays_as_it_is():
    m = DPMechLaplace(target=lambda X: [mean(X), 1.0])
    oracle = np.random.default_rng(1).standard_normal
    found = sensitivitySampler(m, oracle, 10, m=5)
    assert (m.sensitivity, m.dims, m.gammaSensitivity, m.sampled) == (math.inf, None, None, False)
    assert 0 < found.sensitivity < math.inf and found.dims == 2 and found.sampled
    assert found.gammaSensitivity == make_sampler_plan(5).gamma and found.target is m.target


def test_the_order_statistic():
    def run(k):
        records = iter([5.0, 3.0, 1.0, 9.0, 2.0, 2.0])
        total = laplace(lambda X: float(np.sum(X)))
        return sensitivitySamplerManual(total, lambda n: next(records) if n else np.zeros(0), 1, 3, k)

    assert [run(k).sensitivity for k in (1, 2, 3)] == [0.0, 2.0, 8.0]


def test_one_sample_stores_a_gamma_above_one_and_the_release_stops():
    m = sensitivitySampler(laplace(), RRandom(1).rnorm, 5, m=1)
    assert m.gammaSensitivity > 1
    stream = RRandom(3)
    with pytest.raises(PydpstatError, match="gammaSensitivity must be below 1 .* larger m"):
        releaseResponse(m, DPParamsEps(), [1.0], rng=stream)
    assert stream.runif(1) == RRandom(3).runif(1)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"object": 1}, "object"),
        ({"oracle": 1}, "oracle"),
        ({"n": 0}, "n"),
        ({"n": "5"}, "n"),
        ({"m": 0}, "m"),
        ({"k": 0}, "k"),
        ({"k": 4}, "k"),
        ({"k": 1.5}, "k"),
        ({"rng": "a"}, "rng"),
        ({"rng": 1}, "rng=1 has no effect"),
    ],
)
def test_wrong_arguments(change, name):
    right = {"object": laplace(), "oracle": RRandom(1).rnorm, "n": 5, "m": 3, "k": 3}
    with pytest.raises(PydpstatError, match=f"^{name}"):
        sensitivitySamplerManual(**{**right, **change})


def test_missing_and_infinite_distances():
    def target(X):
        return math.nan if X[-1] > 0 else float(X[-1])

    oracle = np.random.default_rng(3).standard_normal
    assert sensitivitySamplerManual(laplace(target), oracle, 3, 40, 2).sensitivity > 0
    with pytest.raises(PydpstatError, match="missing or infinite, as R's NA"):
        sensitivitySamplerManual(laplace(target), oracle, 3, 40, 40)


def test_an_oracle_with_rng_gets_the_stream():
    def oracle(n, rng):
        return rng.rnorm(n)

    stream = RRandom(5)
    found = sensitivitySampler(laplace(), oracle, 10, m=5, rng=stream)
    by_seed = sensitivitySampler(laplace(), oracle, 10, m=5, rng=5)
    closed = RRandom(5)
    assert found == by_seed == sensitivitySampler(laplace(), closed.rnorm, 10, m=5)
    assert stream.runif(1) == closed.runif(1)
    numpy = sensitivitySampler(laplace(), lambda n, *, rng: rng.normal(size=n), 10, m=5)
    again = sensitivitySampler(laplace(), lambda n, *, rng: rng.normal(size=n), 10, m=5)
    assert numpy.sensitivity != again.sensitivity


def test_records_are_appended_to_every_kind_of_data():
    frame = pd.DataFrame({"a": [1.0], "b": ["x"]})
    two = {"a": [1.0, 2.0], "b": ["x", "y"]}
    assert add_record([1], 2) == add_record([1], [2]) == [1, 2]
    assert add_record([[1, 2]], (3, 4)) == [[1, 2], (3, 4)]
    np.testing.assert_array_equal(add_record(np.array([1.5]), 2), [1.5, 2])
    np.testing.assert_array_equal(add_record(np.array(["a"]), np.array(["bc"])), ["a", "bc"])
    np.testing.assert_array_equal(add_record(np.ones((1, 2)), [3, 4]), [[1, 1], [3, 4]])
    np.testing.assert_array_equal(add_record(1.5, 2.5), [1.5, 2.5])
    assert add_record("ab", "c") == ["ab", "c"]
    assert add_record(pd.Series([1.0]), 2.0).tolist() == [1.0, 2.0]
    for record in (
        {"a": 2.0, "b": "y"},
        (2.0, "y"),
        frame.assign(a=2.0, b="y"),
        pd.Series({"a": 2.0, "b": "y"}),
    ):
        assert add_record(frame, record).to_dict("list") == two
    assert frame.shape == (1, 2)


@pytest.mark.parametrize(
    "data",
    [np.array([True]), pd.Series([True]), pd.Categorical(["a"]), None, {"a": 1}, np.zeros((1, 1, 1)), True],
)
def test_other_kinds_of_data_are_refused(data):
    with pytest.raises(PydpstatError, match="oracle must return"):
        add_record(data, 1)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize(
    "one",
    [float, lambda x: x, np.array, lambda x: np.array([x])],
    ids=["float", "NumPy", "0-d", "array of one"],
)
@pytest.mark.parametrize("dims", [None, 2])
def test_an_oracle_may_return_one_number_where_it_else_returns_a_list(n, one, dims):
    def sampled(oracle):
        mechanism = laplace(lambda X: [float(len(X)), float(np.mean(np.array(X)))], dims=dims)
        return sensitivitySamplerManual(mechanism, oracle, n, 8, 5)

    first, second = RRandom(4), RRandom(4)
    listed = sampled(lambda size: list(first.rnorm(size)) if size != 1 else one(first.rnorm(1)[0]))
    found = sampled(second.rnorm)
    assert listed.sensitivity == found.sensitivity > 0.0 and listed.dims == 2


def test_no_record_and_several_records():
    with pytest.raises(PydpstatError, match="one record; it returned none"):
        add_record(np.zeros(2), [])
    with pytest.warns(UserWarning, match="returned 3 records; the first is taken"):
        assert add_record(np.zeros(1), [7.0, 8.0, 9.0]).tolist() == [0.0, 7.0]


def test_it_is_logged_and_long_runs_say_how_far_they_are(caplog, capsys, monkeypatch):
    with caplog.at_level(logging.INFO, logger="pydpstat"):
        sensitivitySampler(laplace(), RRandom(1).rnorm, 5, m=3)
    assert "m=3 gamma=0.712" in caplog.text and capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "_INITIAL_DELAY", 0.01)
    monkeypatch.setattr(progress, "_UPDATE_INTERVAL", 0.01)
    for forced, is_written in (("0", False), ("1", True)):
        monkeypatch.setenv("PYDPSTAT_PROGRESS", forced)
        sensitivitySampler(laplace(), lambda n: time.sleep(0.02) or RRandom(1).rnorm(n), 5, m=3)
        assert (" of 3 samples (" in capsys.readouterr().err) == is_written


def test_a_sensitivity_set_by_hand_is_no_longer_sampled():
    m = sensitivitySamplerManual(laplace(), RRandom(1).rnorm, 5, 3, 3)
    assert m.gammaSensitivity is None and m.sampled and pickle.loads(pickle.dumps(m)).sampled
    with pytest.warns(PrivacyWarning, match="an unknown share"):
        releaseResponse(m, DPParamsEps(), [1.0], rng=1)
    m.sensitivity = 0.5
    assert not m.sampled
    assert releaseResponse(m, DPParamsEps(), [1.0], rng=1).guarantee.epsilon == 1


def test_the_exponential_mechanism_is_sampled_too():
    m = DPMechExponential(target=lambda X: lambda r: X.count(r), responseSet=list("ab"))
    rng = RRandom(2)
    found = sensitivitySampler(m, lambda n: rng.sample(["a", "b", "c"], n, replace=True), 8, gamma=0.4)
    assert found.sensitivity == 1 and found.gammaSensitivity == 0.4


def test_more_samples_or_records_than_r_takes():
    mechanism = pydpstat.DPMechLaplace(target=lambda X: 1.0, dims=1)
    for name, call in (
        ("m", lambda: pydpstat.sensitivitySampler(mechanism, np.ones, n=2, m=1e300)),
        ("n", lambda: pydpstat.sensitivitySampler(mechanism, np.ones, n=1e300, m=10)),
        ("m", lambda: pydpstat.sensitivitySamplerManual(mechanism, np.ones, n=2, m=1e300, k=1)),
    ):
        with pytest.raises(PydpstatError, match=f"^{name} must be at most"):
            call()

"""Releases: values, guarantees, warnings with their figures, and nothing private in a result."""

from __future__ import annotations

import json
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import (
    DPMechBernstein,
    DPMechExponential,
    DPMechGaussian,
    DPMechLaplace,
    DPParamsDel,
    DPParamsEps,
    DPParamsGam,
    DPResults,
    PrivacyWarning,
    PydpstatError,
    RRandom,
    calibrate_gaussian,
    releaseResponse,
    sensitivityNorm,
)
from pydpstat.mechanisms.gaussian import GaussianNoise
from tests.privacy_search import findings

X = 4.242424242e7 + 10_007.31 * np.sin(np.arange(40.0) * 1.7) * np.arange(1.0, 41.0)
EPS, DEL, GAM = (
    DPParamsEps(epsilon=2),
    DPParamsDel(epsilon=0.5, delta=0.01),
    DPParamsGam(epsilon=2, gamma=0.2),
)
SOURCES = {"R": 987_654_321, "NumPy": np.random.default_rng(5), "none": None}


def mean(X):
    return float(np.mean(X))


def laplace(sensitivity=1e5, **slots):
    return DPMechLaplace(**{"sensitivity": sensitivity, "target": mean, "dims": 1, **slots})


def gaussian(sensitivity=1e5, **slots):
    return DPMechGaussian(**{"sensitivity": sensitivity, "target": mean, "dims": 1, **slots})


def choice(**slots):
    target = lambda X: lambda r: float(np.sum(X > r))  # noqa: E731
    return DPMechExponential(**{"sensitivity": 1, "target": target, "responseSet": [4.2e7, 4.3e7], **slots})


def function(sensitivity=1e5, **slots):
    target = lambda X: lambda y: y * mean(X)  # noqa: E731
    return DPMechBernstein(**{"sensitivity": sensitivity, "target": target, "latticeK": 3, "dims": 1, **slots})


RELEASES = {
    "Laplace": (laplace(), EPS, [X.mean()]),
    "Laplace, vector": (laplace(target=lambda X: X, dims=40), EPS, X),
    "Gaussian": (gaussian(), DEL, [X.mean()]),
    "exponential": (choice(), EPS, []),
    "Bernstein": (function(), EPS, X.mean() * np.arange(4) / 3),
    "sampled": (laplace(gammaSensitivity=0.1), DEL, [X.mean()]),
}


def quiet(*arguments, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return releaseResponse(*arguments, **more)


def caught(*arguments, **more):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = releaseResponse(*arguments, **{"rng": 1, **more})
    return result, {each.message.row: each.message for each in seen if each.category is PrivacyWarning}


# values


def test_noise_of_a_function_covers_all_coefficients():
    r = releaseResponse(function(), EPS, X, rng=7)
    np.testing.assert_array_equal(r.response.coeffs, X.mean() * (np.arange(4) / 3) + RRandom(7).rlap(4, 0, 2e5))
    assert (r.sensitivity, r.noise_scale, r.latticeK, r.dims) == (1e5, 2e5, 3, 1)
    assert r.response(1.0) == r.response.coeffs[-1] == r.estimate[-1]


@pytest.mark.slow
def test_the_choice_is_proportional_to_the_qualities():
    m = choice(target=lambda X: lambda r: r, responseSet=[1, 3])
    seen = [quiet(m, EPS, None, rng=None).response for _ in range(4000)]
    # five standard errors of a share of 3/4 among 4000
    assert set(seen) == {1, 3} and np.mean(np.array(seen) == 3) == pytest.approx(0.75, abs=0.035)


@pytest.mark.parametrize("rng", SOURCES.values(), ids=SOURCES)
def test_shapes_and_parts(rng):
    r = releaseResponse(laplace(), EPS, X, rng=rng)
    assert isinstance(r, DPResults) and isinstance(r.response, float) and r.response == float(r)
    assert (r.privacyParams, r.dims, r.sensitivity, r.latticeK, r.responseSet) == (EPS, 1, 1e5, None, None)
    named = laplace(target=lambda X: pd.Series([1.0, 2.0], index=["a", "b"]), dims=2)
    assert list(releaseResponse(named, EPS, X, rng=rng).response.index) == ["a", "b"]
    assert releaseResponse(laplace(target=lambda X: [1, 2], dims=2), EPS, X, rng=rng).response.shape == (2,)
    chosen = quiet(choice(), EPS, X, rng=rng)
    assert chosen.response in (4.2e7, 4.3e7) and chosen.responseSet == (4.2e7, 4.3e7)


def test_unseeded_noise_lies_on_a_grid():
    r = releaseResponse(laplace(1.0), EPS, X)
    assert r.grid == 2.0**-21 and (r.response / r.grid).is_integer() and not r.reproducible
    assert r.noise_scale == (1 + r.grid) / 2


def test_the_parameters_of_a_result_are_a_copy():
    p = DPParamsEps(epsilon=1)
    r = releaseResponse(laplace(), p, X, rng=1)
    p.epsilon = 5
    assert r.privacyParams.epsilon == r.epsilon == 1


def test_calls_hold_the_slots_and_names_of_functions():
    r = releaseResponse(laplace(gammaSensitivity=None), DEL, X, rng=1)
    assert r.call == (
        "releaseResponse(DPMechLaplace(sensitivity=100000.0, target=target, dims=1), "
        "DPParamsDel(epsilon=0.5, delta=0.01), X)"
    )
    assert r.r_call == (
        "diffpriv::releaseResponse(diffpriv::DPMechLaplace(sensitivity = 100000, target = target, dims = 1), "
        "diffpriv::DPParamsDel(epsilon = 0.5, delta = 0.01), X)"
    )
    assert "responseSet=responseSet" in quiet(choice(), EPS, X, rng=1).call


# what stops


@pytest.mark.parametrize(
    ("mechanism", "params", "text"),
    [
        (1, EPS, "mechanism must be one of diffpriv's; got 1. Give for example DPMechLaplace"),
        (laplace(), 1, "privacyParams must be a DPParamsEps"),
        (laplace(dims=None), EPS, "dims must be set"),
        (laplace(math.inf), EPS, "sensitivity must be finite; got inf"),
        (laplace(math.inf), DPParamsEps(epsilon=math.inf), "sensitivity must be finite"),
        (laplace(1e308), DPParamsEps(epsilon=1e-3), "noise scale is not finite"),
        (laplace(target=lambda X: True), EPS, "target must return numbers; it returned bool"),
        (laplace(target=lambda X: "a"), EPS, "it returned str"),
        (laplace(target=lambda X: None), EPS, "it returned NoneType"),
        (laplace(target=lambda X: [[1], [2, 3]]), EPS, "it returned list"),
        (laplace(target=lambda X: np.zeros((1, 1))), EPS, "it returned 2 dimensions"),
        (laplace(target=lambda X: math.nan), EPS, "missing or infinite"),
        (gaussian(), EPS, "must have a delta for DPMechGaussian"),
        (gaussian(), DPParamsDel(), "delta above 0"),
        (gaussian(math.inf), DEL, "sensitivity must be finite"),
        (choice(sensitivity=math.inf), EPS, "not numbers with sensitivity inf"),
        (choice(sensitivity=0), EPS, "not numbers with sensitivity 0"),
        (choice(), DPParamsEps(epsilon=math.inf), "epsilon inf"),
        (choice(target=lambda X: lambda r: 0), EPS, "their sum must not be 0"),
        (choice(target=lambda X: lambda r: math.nan), EPS, "no quality may be missing"),
        (choice(target=lambda X: lambda r: r - 4.24e7), EPS, "must not have both signs"),
        (choice(target=lambda X: lambda r: "a"), EPS, "quality of a response must be one number; got str"),
        (choice(target=mean), EPS, "must return a function for this mechanism; it returned float"),
        (function(math.inf), EPS, "sensitivity must be finite"),
        (function(target=mean), EPS, "must return a function"),
        (DPMechBernstein(), EPS, "must return a function"),
        (laplace(gammaSensitivity=None, dims=1), "a", "privacyParams"),
    ],
)
def test_errors_come_before_any_draw(mechanism, params, text):
    stream = RRandom(3)
    with pytest.raises(PydpstatError, match=text):
        quiet(mechanism, params, X, rng=stream)
    assert stream.runif(1) == RRandom(3).runif(1)


def test_an_unexpected_length_is_remarked_on():
    with pytest.warns(UserWarning, match="the number of values that target returns differs from dims, 3"):
        assert releaseResponse(laplace(target=lambda X: [1, 2], dims=3), EPS, X, rng=1).response.shape == (2,)


# what holds


def test_sound_releases_do_not_warn():
    for mechanism, params in [
        (laplace(), EPS),
        (laplace(), DEL),
        (gaussian(), DEL),
        (gaussian(), DPParamsDel(epsilon=5, delta=0.01)),
        (function(), EPS),
        (laplace(), DPParamsGam(epsilon=2, gamma=0)),
    ]:
        result, seen = caught(mechanism, params, X)
        assert seen == {} and result.guarantee.epsilon == params.epsilon
        assert result.guarantee.delta == (params.delta if isinstance(mechanism, DPMechGaussian) else 0)
        assert result.neighbors == "bounded"


@pytest.mark.parametrize(
    ("epsilon", "delta", "exact"), [(20, 0.01, 0.483), (9, 1e-5, None), (10, 1e-10, None), (5, 0.5, None)]
)
def test_a_large_epsilon_has_its_exact_delta(epsilon, delta, exact):
    result, seen = caught(gaussian(), DPParamsDel(epsilon=epsilon, delta=delta), X)
    sd = calibrate_gaussian(0.5, delta, 1.0, method="classical") * 0.5 / epsilon
    truth = GaussianNoise(sd).delta(epsilon, 1.0)
    assert result.guarantee.delta == pytest.approx(truth, rel=1e-9) and truth > delta
    assert exact is None or truth == pytest.approx(exact, abs=5e-4)
    assert f"exact delta is {truth:.4g}, not {delta:g}" in str(seen["6"])
    assert seen["6"].use == "GaussianMechanism" and result.claim.delta == delta


@pytest.mark.parametrize(("epsilon", "delta"), [(6.77, 0.01), (8.42, 1e-5), (8.78, 1e-6), (9.85, 1e-10), (4.47, 0.5)])
def test_where_the_classical_formula_begins_to_fail(epsilon, delta):
    below = caught(gaussian(), DPParamsDel(epsilon=epsilon - 0.01, delta=delta), X)[1]
    above = caught(gaussian(), DPParamsDel(epsilon=epsilon + 0.01, delta=delta), X)[1]
    assert below == {} and list(above) == ["6"]


def test_the_exponential_mechanism_warns_always():
    result, seen = caught(choice(), EPS, X)
    assert list(seen) == ["3"] and seen["3"].use == "choose" and "cancel" in str(seen["3"])
    assert math.isinf(result.epsilon) and result.claim.epsilon == 2


def test_no_noise_warns_and_is_exact():
    no_noise = [
        (laplace(0), EPS, "a sensitivity of 0"),
        (laplace(), DPParamsEps(epsilon=math.inf), "an infinite epsilon"),
        (gaussian(0), DEL, "a sensitivity of 0"),
        (gaussian(), DPParamsDel(epsilon=math.inf, delta=0.1), "an infinite epsilon"),
        (function(0), EPS, "a sensitivity of 0"),
    ]
    for mechanism, params, text in no_noise:
        result, seen = caught(mechanism, params, X)
        assert list(seen) == ["delta"] and text in str(seen["delta"])
        assert math.isinf(result.guarantee.epsilon)
        assert np.ravel(result)[-1] == X.mean()
        unseeded = caught(mechanism, params, X, rng=None)[0]
        # on the grid the exact value is rounded, where one record can move it
        assert np.ravel(unseeded)[-1] == pytest.approx(X.mean(), abs=unseeded.grid or 0)
    assert caught(laplace(0), EPS, X, rng=None)[0].response == X.mean()


@pytest.mark.parametrize("mechanism", [laplace, gaussian, function, choice], ids=lambda m: m.__name__)
def test_a_sampled_sensitivity_is_random_privacy(mechanism):
    result, seen = caught(mechanism(gammaSensitivity=0.25), DEL, X)
    assert "a share of up to 0.25" in str(seen["14"]) and math.isinf(result.guarantee.epsilon)
    assert result.privacyParams == DPParamsGam(epsilon=0.5, delta=0.01, gamma=0.25)
    assert any("sampled" in line or "random differential" in line for line in result.guarantee.conditions)


def test_asking_for_random_privacy_warns():
    result, seen = caught(laplace(), GAM, X)
    assert "a share of up to 0.2 of the data" in str(seen["14"]) and result.guarantee.epsilon == 2
    assert result.privacyParams == GAM
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        with pytest.warns(UserWarning, match="only replaces its gamma"):
            replaced = releaseResponse(laplace(gammaSensitivity=0.1), GAM, X, rng=1)
    assert replaced.privacyParams.gamma == 0.1


def test_a_sampled_sensitivity_of_zero_has_both_warnings():
    result, seen = caught(laplace(0, gammaSensitivity=0.1), EPS, X)
    assert set(seen) == {"14", "delta"} and result.response == X.mean()


def test_a_warning_as_an_error_stops_before_any_draw():
    for mechanism, params in [(choice(), EPS), (laplace(0), EPS), (laplace(), GAM)]:
        stream = RRandom(3)
        with warnings.catch_warnings(), pytest.raises(PrivacyWarning):
            warnings.simplefilter("error")
            releaseResponse(mechanism, params, X, rng=stream)
        assert stream.runif(1) == RRandom(3).runif(1)


# nothing private


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", RELEASES)
def test_nothing_private_can_be_reached(name, source):
    mechanism, params, truth = RELEASES[name]
    result = quiet(mechanism, params, X, rng=SOURCES[source])
    # where the true value is 0, the noise is what is published
    noise = (np.ravel(result).astype(float) - truth)[np.asarray(truth) != 0] if len(truth) else np.empty(0)
    secrets = np.concatenate([X, truth, noise, [987_654_321.0]])
    assert findings(result, secrets, (X, mechanism, mechanism.target, params)) == []
    assert findings(result.response, secrets, (X, mechanism, mechanism.target)) == []


@pytest.mark.parametrize("name", RELEASES)
def test_texts_and_copies(name):
    mechanism, params, truth = RELEASES[name]
    result = quiet(mechanism, params, X, rng=7)
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result) and np.all(np.ravel(again) == np.ravel(result))
    assert (again.call, again.guarantee, again.dims) == (result.call, result.guarantee, result.dims)
    assert again.privacyParams == result.privacyParams and not again.value.flags.writeable
    texts = [repr(result), result.summary().as_text(), json.dumps(result.to_dict()), result.r_call]
    for secret in truth:
        assert not any(repr(float(secret))[:9] in text for text in texts if secret)


# norms


def test_norms():
    a, b = [1.0, 2.0, 4.0], [1.0, 5.0, 0.0]
    vector = {"target": lambda X: X, "dims": 3}
    assert sensitivityNorm(laplace(**vector), a, b) == 7
    assert sensitivityNorm(gaussian(**vector), a, b) == 5
    assert sensitivityNorm(laplace(target=lambda X: [], dims=0), a, b) == 0
    assert sensitivityNorm(laplace(), a, b) == abs(np.mean(a) - np.mean(b))
    assert sensitivityNorm(choice(target=lambda X: lambda r: -r * sum(X), responseSet=[1, 2]), a, b) == 2
    assert sensitivityNorm(function(), [3.0], [9.0]) == 6


def test_norms_stop_and_remark():
    with pytest.raises(PydpstatError, match="the same number of values on both data sets; it returned 1 and 2"):
        sensitivityNorm(laplace(target=lambda X: X, dims=None), [1.0], [1.0, 2.0])
    with pytest.raises(PydpstatError, match="mechanism must be one of diffpriv's; got 1"):
        sensitivityNorm(1, 1, 1)
    with pytest.raises(PydpstatError, match="needs latticeK and dims"):
        sensitivityNorm(_empty_function(), 1, 1)
    with pytest.warns(UserWarning, match="dims is not set"):
        assert sensitivityNorm(laplace(dims=None), [1.0], [3.0]) == 2
    with pytest.warns(UserWarning, match="differs from dims, 2"):
        assert sensitivityNorm(laplace(dims=2), [1.0], [3.0]) == 2


def _empty_function():
    m = DPMechBernstein()
    m.target = lambda X: lambda y: y
    return m


def test_infinite_values_make_no_foreign_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in (pydpstat.DPMechLaplace, pydpstat.DPMechGaussian):
            mechanism = kind(target=lambda X: [math.inf, 1.0], dims=2)
            assert math.isnan(pydpstat.sensitivityNorm(mechanism, 1, 2))
        mechanism = pydpstat.DPMechExponential(
            sensitivity=1e-308, target=lambda X: lambda r: 1, responseSet=["a", "b", "c"]
        )
        with pytest.raises(PydpstatError, match="too few positive probabilities"):
            pydpstat.releaseResponse(mechanism, pydpstat.DPParamsEps(epsilon=2), 1)

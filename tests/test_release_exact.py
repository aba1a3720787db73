"""The pipeline: exact values, budgets, and scales that are too small."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pydpstat
from pydpstat import PydpstatError
from pydpstat._release.calibration import calibrate_release
from pydpstat._release.pipeline import Query, release_query
from pydpstat.mechanisms import GaussianNoise, LaplaceNoise, SymmetricGeometricNoise, scale_for
from pydpstat.privacy import Guarantee
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from tests.ledger import Ledger
from tests.pipeline_calls import on_grid
from tests.specs import CallableSpec


def test_noise_prepared_for_another_source_is_refused():
    query = Query("mean", np.asarray(1.0), (1.0,), Labels("mean"))
    guarantee = Guarantee(1.0)
    for seeded in (True, False):
        spec = CallableSpec(lambda _: LaplaceNoise(1.0), guarantee)
        prepared = calibrate_release(query.spec, spec, seeded)
        source = pydpstat.random.source_from(None if seeded else 5)
        with pytest.raises(ValueError, match="another kind of source"):
            release_query(query, prepared, source, call=Call("mean", (), ()))


def exact_release(exact, sensitivity, noise=None, budget=None, rng=None, shape=(), integer=False):
    """Release exact rationals with noise of epsilon 1, and return what the calibration was asked for."""
    asked = []

    def calibrate(sensitivities):
        asked.append(sensitivities)
        return LaplaceNoise(scale_for(math.fsum(sensitivities), 1.0)) if noise is None else noise

    value = np.array([float(each) for each in exact]).reshape(shape, order="F")
    query = Query("mean", value, (sensitivity,), Labels("mean"), integer, None, tuple(exact))
    guarantee = Guarantee(1.0)
    result = release_query(
        query,
        calibrate_release(query.spec, CallableSpec(calibrate, guarantee), rng is not None),
        pydpstat.random.source_from(rng),
        call=Call("mean", (("x", "x"),), (("epsilon", 1.0),)),
        budget=budget,
    )
    return result, asked


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(-7, 11), Fraction(10**30, 7), Fraction(0)])
def test_an_exact_value_is_rounded_exactly(monkeypatch, value):
    # the same bits each time, and so the same noise
    monkeypatch.setattr("pydpstat.random.secure._bits.entropy", lambda size: bytes([0x80]) * size)
    (zero, _), (result, asked) = exact_release([Fraction(0)], 1.0), exact_release([value], 1.0)
    grid = Fraction(result.grid)
    total = round(value / grid) + int(Fraction(float(zero)) / grid)
    assert float(result) == float(total * grid)
    assert len(asked) == 2 and Fraction(asked[1][0]) == 1 + grid
    assert result.guarantee.conditions == ()


def test_exact_sensitivities_are_rounded_up():
    sensitivity = Fraction(1, 3)
    result, asked = exact_release([Fraction(1, 7)] * 3, sensitivity, shape=(3,))
    assert Fraction(asked[0][0]) >= sensitivity
    assert Fraction(asked[1][0]) >= sensitivity + 3 * Fraction(result.grid)
    assert asked[1][0] == pytest.approx(1 / 3 + 3 * result.grid, rel=1e-15)
    assert Fraction(asked[1][0]) / Fraction(result.noise_scale) <= 1


def test_a_value_on_the_grid_costs_what_others_cost():
    # what is added may not depend on the data
    assert exact_release([Fraction(3, 2**10)], 1.0)[0].noise_scale > 1.0


def test_exact_values_keep_their_shape(monkeypatch):
    monkeypatch.setattr("pydpstat.random.secure._bits.entropy", lambda size: b"\x80" * size)
    exact = [Fraction(k) for k in range(6)]
    zero, _ = exact_release([Fraction(0)] * 6, 1.0, shape=(2, 3))
    result, _ = exact_release(exact, 1.0, shape=(2, 3))
    difference = np.asarray(result) - np.asarray(zero)
    assert np.array_equal(difference, np.arange(6.0).reshape((2, 3), order="F"))


@pytest.mark.parametrize("noise", [SymmetricGeometricNoise(0.5), LaplaceNoise(3.0), GaussianNoise(3.0)])
def test_counts_have_no_condition_and_a_grid_of_at_most_one(noise):
    result, _ = exact_release([12], 2.0**30, noise, integer=True)
    assert result.grid <= 1.0 and result.guarantee.conditions == () and on_grid(result)


def test_a_seeded_source_takes_the_floats():
    result, asked = exact_release([Fraction(1, 3)], 1.0, rng=5)
    noise = np.random.default_rng(5).laplace(0.0, 1.0, 1)[0]
    assert float(result) == 1 / 3 + noise and asked == [(1.0,)]


def test_a_budget_is_charged_before_the_noise_is_drawn(monkeypatch):
    ledger = Ledger()
    exact_release([Fraction(1, 3)], 1.0, budget=ledger)
    assert ledger.spent == [(1.0, "mean(x, epsilon=1.0)")]
    refused = "pydpstat.random.secure._bits.entropy"
    monkeypatch.setattr(refused, lambda size: pytest.fail("something was drawn"))
    with pytest.raises(PydpstatError, match="nothing is left"):
        exact_release([Fraction(1, 3)], 1.0, budget=Ledger(refuse=True))
    with pytest.raises(PydpstatError):
        # no grid is below so small a sensitivity
        exact_release([Fraction(1, 3)], 5e-324, LaplaceNoise(1.0), budget=(unspent := Ledger()))
    assert unspent.spent == []


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 50.0), st.integers(1, 5))
@settings(max_examples=60)
def test_the_real_epsilon_is_at_most_the_claimed_one(sensitivity, eps, n):
    """As exact rationals: sensitivity and grid by scale, for the mirrors' float arithmetic too."""
    joint = pydpstat.LaplaceMechanism([0.1] * n, eps, sensitivity)
    moved = Fraction(sensitivity) + n * Fraction(joint.grid)
    assert moved / Fraction(joint.noise_scale) <= Fraction(eps)
    shares = [1.0 + k for k in range(n)]
    split = pydpstat.LaplaceMechanism([0.1] * n, eps, [sensitivity] * n, shares)
    each = Fraction(sensitivity) + Fraction(split.grid)
    assert sum(each / Fraction(float(scale)) for scale in np.ravel(split.noise_scale)) <= Fraction(eps)


def test_no_sign_of_zero_tells_the_side(monkeypatch):
    for value in (-1e-9, 1e-9):
        for noise in (-0.0, 0.0):
            monkeypatch.setattr("pydpstat.random.secure.laplace", lambda n, *_, z=noise: np.full(n, z))
            for values in (value, [value] * 3):
                assert not np.signbit(np.asarray(pydpstat.LaplaceMechanism(values, 1, 1))).any()


TINY = [1e-100, 2e-100, 3e-100]
TINY_GAUSS = {"mechanism": "Gaussian", "delta": 0.01}


@pytest.mark.parametrize("rng", [None, 1])
@pytest.mark.parametrize(
    "call",
    [
        lambda rng: pydpstat.GaussianMechanism(7.5, 0.5, 0.01, 1e-200, rng=rng),
        lambda rng: pydpstat.GaussianMechanism(7.5, 0.5, 0.01, 1e-200, analytic=True, rng=rng),
        lambda rng: pydpstat.GaussianMechanism(7.5, 0.5, 0.01, 1e-160, type_DP="pDP", rng=rng),
        lambda rng: pydpstat.GaussianMechanism(7.5, 0.5, 1.25, 1e-200, rng=rng),
        lambda rng: pydpstat.sdDP(TINY, 0.5, 0, 1e-99, **TINY_GAUSS, rng=rng),
        lambda rng: pydpstat.pooledVarDP(TINY, TINY, eps=0.5, lower_bound=0, upper_bound=1e-99, **TINY_GAUSS, rng=rng),
    ],
)
def test_no_release_where_the_squared_sensitivity_underflows(call, rng):
    with pytest.raises(PydpstatError, match="squares underflow"):
        call(rng)


def test_no_release_where_the_scale_underflows():
    for call in (
        pydpstat.LaplaceMechanism,
        lambda *a, **k: pydpstat.GaussianMechanism(a[0], 0.5, 0.01, a[2], **k),
    ):
        with pytest.raises(PydpstatError, match="underflows for this sensitivity"):
            call(7.5, 4, 1e-323, alloc_proportions=[1], rng=1)
    mechanism = pydpstat.DPMechLaplace(sensitivity=1e-100, target=lambda X: 1.0, dims=1)
    with pytest.raises(PydpstatError, match="underflows for this sensitivity"):
        pydpstat.releaseResponse(mechanism, pydpstat.DPParamsEps(epsilon=1e300), 1, rng=1)


def test_an_overflow_inside_is_told_by_the_error_alone():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(PydpstatError, match="not finite"):
            pydpstat.GaussianMechanism(7.5, 0.5, 0.01, 1e308, "pDP", [0.5], rng=1)

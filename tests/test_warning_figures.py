"""The figures in the warnings are the true ones."""

import math
import re
import warnings

import mpmath
import pytest

import pydpstat
from pydpstat import PrivacyWarning
from tests.warning_calls import CELLS, X, caught, hist, mean, table


@pytest.mark.parametrize("eps", [0.01, 0.5, 1.0, 2.0, 10.0])
@pytest.mark.parametrize("call", [pydpstat.varDP, pydpstat.sdDP])
def test_the_figure_of_redrawing(call, eps):
    (seen,) = caught(call, X, eps, 0, 5, rng=1)
    kept = eps + math.log(2 - math.exp(-eps))
    assert f"epsilon is {kept:.4f}, not {eps:g}" in str(seen.message)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = call(X, eps, 0, 5, rng=1)
    # the bound is attained: variance 0 against the sensitivity, near 0
    assert result.guarantee.epsilon == pytest.approx(kept, rel=1e-14) and result.claim.epsilon == eps


def exact_delta(eps, sd, sensitivity):
    with mpmath.workdps(60):
        a, e = mpmath.mpf(sensitivity) / mpmath.mpf(sd), mpmath.mpf(eps)
        return float(mpmath.ncdf(a / 2 - e / a) - mpmath.exp(e) * mpmath.ncdf(-a / 2 - e / a))


@pytest.mark.parametrize("delta", [1.0, 1.1, 1.2])
def test_the_figure_of_a_large_delta(delta):
    (seen,) = caught(pydpstat.GaussianMechanism, 1, 0.5, delta, 1, rng=1)
    sd = math.sqrt(2 * math.log(1.25 / delta)) / 0.5
    assert f"delta={delta:g}" in str(seen.message)
    assert f"at epsilon 0.5 the exact delta is {exact_delta(0.5, sd, 1):.3g}" in str(seen.message)


def test_delta_125_publishes_the_true_value():
    (seen,) = caught(pydpstat.GaussianMechanism, 1, 0.5, 1.25, 1, rng=1)
    assert "the true value is published" in str(seen.message)
    with pytest.warns(PrivacyWarning):
        result = pydpstat.GaussianMechanism(1, 0.5, 1.25, 1, rng=1)
    assert float(result) == 1.0 and result.guarantee.delta == 1.0


@pytest.mark.parametrize("delta", [1e-13, 1e-14, 1e-15])
def test_the_figure_of_a_loose_calibration(delta):
    seen = caught(pydpstat.GaussianMechanism, 1, 0.1, delta, 1, analytic=True, rng=1)
    sd = pydpstat.calibrateAnalyticGaussianMechanism(0.1, delta, 1)
    exact = exact_delta(0.1, sd, 1)
    if exact <= 1.01 * delta:
        assert seen == []
        return
    (only,) = seen
    figure, times = re.search(r"exact delta is (\S+), (\S+) times the claimed", str(only.message)).groups()
    assert float(figure) == pytest.approx(exact, rel=0.01)
    assert float(times) == pytest.approx(exact / delta, rel=0.01)
    with pytest.warns(PrivacyWarning):
        result = pydpstat.GaussianMechanism(1, 0.1, delta, 1, analytic=True, rng=1)
    assert result.guarantee.delta == pytest.approx(exact, rel=1e-6) and result.claim.delta == delta


def test_some_loose_calibration_is_seen():
    ratios = [
        exact_delta(0.1, pydpstat.calibrateAnalyticGaussianMechanism(0.1, delta, 1), 1) / delta
        for delta in (1e-13, 1e-14, 1e-15)
    ]
    assert max(ratios) > 7


def test_the_figures_of_a_sign_times_a_geometric():
    (seen,) = caught(pydpstat.symmetric_geometric_noise, 3, 1.0, method="sign", rng=1)
    assert f"epsilon is {1 + math.log(2):.4f}, not 1; at epsilon 1 its delta is {(1 - math.exp(-1)) / 2:.4f}" in str(
        seen.message
    )


def epsilon_that_holds(call, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(rng=1, **more).guarantee.epsilon


def test_guarantees():
    assert epsilon_that_holds(mean) == 0.5 and epsilon_that_holds(hist) == 0.5
    assert epsilon_that_holds(table, a=CELLS) == 0.5
    assert math.isinf(epsilon_that_holds(hist, breaks="Sturges"))
    assert math.isinf(epsilon_that_holds(table, a=[1, 2]))
    assert math.isinf(epsilon_that_holds(table, a=CELLS, useNA="ifany"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = mean(which_sensitivity="unbounded", rng=1)
    assert result.claim.neighbors == "unbounded" and result.neighbors == "bounded" and result.nobs is None
    assert any("nothing is guaranteed" in line for line in result.guarantee.conditions)

"""DPpack's linear regression and its base: what it keeps, and what it warns of."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from pydpstat import PrivacyWarning, RRandom, dppack
from pydpstat.dppack._models.noise import (
    SQUARED_ERROR_DISTANCE,
    _draw_like_mvrnorm,
    compute_added_epsilon,
    compute_noise_variance,
    compute_replaced_epsilon,
    find_smallest_delta,
)
from pydpstat.parity._compare import compare_outcomes, evaluate_in_python
from pydpstat.parity._r_side import LiveRSession
from pydpstat.parity.case import Case
from pydpstat.random import source_from
from r_reference.cases.models_kst import CASES
from tests.dppack.kst_models import X, base, fit, linear

pytestmark = pytest.mark.filterwarnings("ignore::pydpstat.PrivacyWarning")


def rows(model, **more):
    """Return row and text of each privacy warning of a fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit(model, **more)
    return {each.message.row: str(each.message) for each in caught if issubclass(each.category, PrivacyWarning)}


def test_every_fit_warns_that_the_minimum_is_rough():
    assert "exact minimum" in rows(linear(eps=3.0))["C6"]
    assert set(rows(linear(eps=3.0))) == {"C6"}


@pytest.mark.parametrize(
    "model, size, pair", [(linear, 2, 0.75 * math.sqrt(3.0)), (base, 2, 2.0)], ids=["linear", "base"]
)
@pytest.mark.parametrize("eps, delta, gamma", [(1.0, 0.0, 0.0), (0.2, 0.0, 0.0), (0.5, 1e-3, 0.5)])
def test_c5_gives_the_epsilon_for_a_replaced_record(model, size, pair, eps, delta, gamma):
    made = model(eps=eps, delta=delta, gamma=gamma)
    kept = compute_replaced_epsilon(eps, delta, delta, 2.0, gamma + 4.0 / eps, pair, size)
    assert kept > eps
    assert f"epsilon {kept:.4g}" in rows(made)["C5"]
    held = fit(made).guarantee
    assert (held.epsilon, held.delta, held.neighbors) == (kept, delta, "bounded")
    one = compute_added_epsilon(eps, delta, 2.0, gamma + 4.0 / eps)
    assert one <= eps and f"for one record added or removed epsilon is {one:.6g}" in held.conditions


def test_the_pure_figure_in_closed_form():
    assert compute_replaced_epsilon(1.0, 0.0, 0.0, 2.0, 5.0, 2.0, 3) == pytest.approx(1.0 + math.log(1.4), rel=1e-15)


def test_one_coefficient_keeps_the_claim_for_a_replaced_record():
    made = linear()
    more = {"X": X[["a"]], "upper_bounds": [1, 1], "lower_bounds": [-1, -1]}
    assert set(rows(made, **more)) == {"C6"} and fit(made, **more).guarantee.epsilon == 1.0


def test_an_own_regularizer_counts_as_convex_only():
    own = linear(eps=0.5, gamma=50.0, regularizer=lambda w: float(w @ w) / 2.0)
    l2 = linear(eps=0.5, gamma=50.0)
    assert fit(own).guarantee.epsilon > fit(l2).guarantee.epsilon
    assert any("regularizer" in line for line in fit(own).guarantee.conditions)


@pytest.mark.parametrize(
    "model, word",
    [
        (linear(eps=math.inf), "eps=inf"),
        (linear(eps=None), "eps=inf"),
        (linear(gamma=-10.0), "gamma=-10"),
        (linear(gamma=-0.1, regularizer=lambda w: float(w @ w)), "gamma=-0.1"),
        (base(lambda_=-0.2), "lambda_=-0.2"),
    ],
)
def test_c8_where_an_argument_leaves_nothing(model, word):
    assert word in rows(model)["C8"]
    assert math.isinf(fit(model).guarantee.epsilon)


def test_c8_gives_the_delta_that_is_proven():
    model = linear(delta=1.0)
    held = fit(model).guarantee
    assert 0.0 < held.delta < 1.0 and held.epsilon == 1.0
    assert f"delta {held.delta:.3g} is proven" in rows(model)["C8"]
    claim = fit(model).claim
    assert (claim.epsilon, claim.delta) == (1.0, 1.0)


def test_c3_where_the_gradient_is_none():
    wrong = base(mapXy=dppack.mapXy_sigmoid, mapXy_gr=dppack.mapXy_gr_sigmoid)
    assert "C3" in rows(wrong) and math.isinf(fit(wrong).guarantee.epsilon)


def test_warnings_as_errors_stop_before_any_draw():
    rng = RRandom(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        with pytest.raises(PrivacyWarning) as raised:
            fit(linear(), rng=rng)
    assert hasattr(dppack, raised.value.use) and rng.runif(1) == RRandom(1).runif(1)


def test_smallest_delta_is_where_epsilon_meets_its_target():
    def epsilon(at):
        return compute_replaced_epsilon(1.0, 0.05, at, 2.0, 4.0, 1.3, 2)

    found = find_smallest_delta(epsilon, 0.95)
    # the search halves an interval of 700 in log delta sixty times
    assert epsilon(found) == pytest.approx(0.95, rel=1e-9) and epsilon(found) <= 0.95
    assert find_smallest_delta(lambda delta: 2.0, 1.0) == 1.0


def _gradient(w, x, y):
    return x * (x @ w - y)


def _points(rng, size, count):
    """Draw points of a ball of radius sqrt(size), half of them on its surface."""
    points = rng.normal(size=(count, size))
    points *= np.sqrt(size) / np.linalg.norm(points, axis=1, keepdims=True)
    return points * np.where(rng.uniform(size=(count, 1)) < 0.5, 1.0, rng.uniform(size=(count, 1)))


@pytest.mark.parametrize("size, bound", [(1, 1.125), (2, 0.75 * math.sqrt(3.0)), (4, 0.75 * math.sqrt(3.0))])
def test_no_two_gradients_of_squared_errors_are_farther_apart(size, bound):
    rng = np.random.default_rng(size)
    count = 200_000
    w, x, z = (_points(rng, size, count) for _ in range(3))
    y, v = (size * np.clip(rng.normal(size=count) * 2.0, -1.0, 1.0) for _ in range(2))
    first = x * ((x * w).sum(axis=1) - y)[:, None]
    second = z * ((z * w).sum(axis=1) - v)[:, None]
    zeta = 2.0 * size**1.5
    assert np.linalg.norm(first, axis=1).max() <= zeta * (1.0 + 1e-12)
    assert np.linalg.norm(first - second, axis=1).max() <= bound * zeta * (1.0 + 1e-12)


def test_the_largest_distance_of_two_gradients_is_attained():
    angle, size = math.pi / 3.0, 2
    root = math.sqrt(size)
    w = np.array([root, 0.0])
    x, z = (
        root * np.array([math.cos(angle), math.sin(angle)]),
        root * np.array([math.cos(angle), -math.sin(angle)]),
    )
    apart = np.linalg.norm(_gradient(w, x, -size) - _gradient(w, z, -size))
    assert apart == pytest.approx(SQUARED_ERROR_DISTANCE * 2.0 * size**1.5, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("eps, gamma", [(0.1, 0.0), (1.0, 1.0), (3.0, 0.2)])
def test_log_densities_of_neighbors_stay_within_the_figure(eps, gamma):
    """The density of the minimum inside the domain, with and without a record replaced."""
    rng, size, worst = np.random.default_rng(7), 2, 0.0
    extra, zeta = 2.0 * size / eps, 2.0 * size**1.5
    for _ in range(4_000):
        w = _points(rng, size, 1)[0]
        x, y = _points(rng, size, 4), size * rng.choice([-1.0, 1.0], 4)
        value = []
        for keep in ([0, 1, 2], [0, 1, 3]):
            noise = -(sum(_gradient(w, x[i], y[i]) for i in keep) + (gamma + extra) * w)
            curvature = x[keep].T @ x[keep] + (gamma + extra) * np.eye(size)
            value.append(-eps * np.linalg.norm(noise) / (2.0 * zeta) + math.log(np.linalg.det(curvature)))
        worst = max(worst, abs(value[0] - value[1]))
    kept = compute_replaced_epsilon(eps, 0.0, 0.0, size, gamma + extra, SQUARED_ERROR_DISTANCE, size)
    assert 0.3 * kept < worst <= kept


@pytest.mark.parametrize("eps, delta", [(1.0, 0.01), (0.3, 1e-5)])
def test_gaussian_loss_of_two_fixed_gradients_stays_below_delta(eps, delta):
    """For gradients that do not depend on w the loss is normal, and its delta is known exactly."""
    from pydpstat.mechanisms.gaussian import GaussianNoise

    sd = math.sqrt(compute_noise_variance(eps, delta, 1.0))
    for pair in (1.0, SQUARED_ERROR_DISTANCE, 2.0):
        kept = compute_replaced_epsilon(eps, delta, delta, 0.0, 1.0, pair, 2)
        assert float(GaussianNoise(sd).delta(kept, pair)) <= delta


def test_noise_variance_is_r_s():
    assert compute_noise_variance(1.0, 0.01, 2.0) == 4.0 * (8.0 * math.log(2.0 / 0.01) + 4.0)


@pytest.mark.slow
@pytest.mark.live
def test_every_comparison_is_exact_with_the_reference_blas(live_r):
    """In this order of additions even answers that hang on the last bit are R's."""
    import nlopt

    session = LiveRSession()
    blas = session.evaluate_case(Case("blas", "", "base", "extSoftVersion()[['BLAS']]", "''")).labels
    if nlopt.version_major() != 2 or nlopt.version_minor() != 7 or "openblas" in blas[0]:
        pytest.skip("needs NLopt 2.7 and R with the reference BLAS")
    verdicts = [compare_outcomes(case, evaluate_in_python(case), session.evaluate_case(case), "live") for case in CASES]
    assert [each.name for each in verdicts if each.difference or each.status != "passed"] == []


def test_a_delta_of_one_proves_nothing():
    assert compute_replaced_epsilon(0.5, 0.01, 1.0, 2.0, 4.0, 2.0, 2) == math.inf
    assert compute_replaced_epsilon(0.5, 0.01, 0.01, 2.0, 4.0, 2.0, 2) < math.inf


def test_two_normal_variables_are_in_the_order_of_rs_eigenvectors():
    """MASS::mvrnorm(1, c(0, 0), 9 * diag(2)) after set.seed(1), whose rnorm(2) is -0.6264538, 0.1836433."""
    drawn = _draw_like_mvrnorm(source_from(1, int_seeds_r=True), 2, 3.0)
    assert drawn.tolist() == pytest.approx([-0.5509300, -1.8793614], abs=1e-7)
    three, stream = _draw_like_mvrnorm(source_from(1, int_seeds_r=True), 3, 1.0), RRandom(1)
    assert three.tolist() == stream.rnorm(3)[::-1].tolist()

"""Losses, maps, kernels, sums and constants of empirical risk minimization."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from pydpstat import PydpstatError
from pydpstat.dppack._models import formulas
from pydpstat.dppack._models.formulas import compute_dot_product, compute_matrix_vector
from pydpstat.dppack._models.kernels import draw_features, draw_phases
from pydpstat.dppack._models.minimizers import RowProducts
from pydpstat.dppack._models.noise import (
    SphericalNoise,
    compute_element_cdf,
    compute_element_ppf,
    compute_objective_constants,
    compute_objective_epsilon,
)
from pydpstat.dppack._models.records import read_predictors
from pydpstat.random import source_from

RNG = np.random.default_rng(3)


def one_by_one(terms):
    total = 0.0
    for term in terms:
        total += term
    return total


# sums in R's order


@pytest.mark.parametrize("n, d", [(1, 1), (3, 1), (5, 4), (255, 3), (256, 3), (1500, 1), (3000, 7)])
def test_products_are_added_from_first_to_last(n, d):
    X, w, r = RNG.normal(size=(n, d)), RNG.normal(size=d), RNG.normal(size=n)
    rows = [one_by_one(X[i, j] * w[j] for j in range(d)) for i in range(n)]
    columns = [one_by_one(X[i, j] * r[i] for i in range(n)) for j in range(d)]
    assert compute_matrix_vector(np.asfortranarray(X), w).tolist() == rows
    assert RowProducts(np.ascontiguousarray(X))(r).tolist() == columns
    assert RowProducts(np.asfortranarray(X))(r).tolist() == columns
    assert compute_dot_product(w, w) == one_by_one(w * w)


# losses


def test_huber_is_continuous_and_weighted():
    h, one = 0.5, np.ones(1)
    for edge in (1 - h, 1 + h):
        below, above = (formulas.compute_huber_loss(one * (edge + step), one, h)[0] for step in (-1e-12, 1e-12))
        assert below == pytest.approx(above, abs=1e-11)
    scores, labels, w = np.array([-2.0, 0.9, 3.0]), np.ones(3), np.array([0.5, 2.0, 7.0])
    assert (
        formulas.compute_huber_loss(scores, labels, h, w).tolist()
        == (w * formulas.compute_huber_loss(scores, labels, h)).tolist()
    )
    assert formulas.compute_huber_loss(scores, labels, h).tolist() == [3.0, 0.18, 0.0]


def test_certain_and_wrong_is_infinite():
    assert formulas.compute_cross_entropy(np.array([0.0]), np.array([1.0]))[0] == math.inf
    assert math.isnan(formulas.compute_cross_entropy(np.array([1.0]), np.array([1.0]))[0])


def test_labels_between_0_and_1_take_both_logarithms():
    y_hat, y = [0.2, 0.7, 0.6], [0.0, 1.0, 0.25]
    expected = [-(b * math.log(a) + (1.0 - b) * math.log(1.0 - a)) for a, b in zip(y_hat, y)]
    assert formulas.compute_cross_entropy(np.array(y_hat), np.array(y)).tolist() == pytest.approx(expected, rel=1e-14)


# maps and kernels


def test_the_recycled_gradient_is_right_for_one_column_only():
    X, w = RNG.normal(size=(6, 1)), np.array([0.4])
    p = formulas.compute_logistic_probabilities(X, w)
    assert formulas.compute_recycled_gradient(X, w) == pytest.approx(p * (1 - p) * X.T)
    X, w = RNG.normal(size=(6, 2)), np.array([0.4, -1.0])
    p = formulas.compute_logistic_probabilities(X, w)
    assert not np.allclose(formulas.compute_recycled_gradient(X, w), p * (1 - p) * X.T, atol=0.01)


@pytest.mark.slow
def test_features_approximate_the_gaussian_kernel():
    source = source_from(5)
    made = draw_features(source, 20_000, 2, math.sqrt(2 * 0.7))
    x, z = np.array([[0.3, -0.5]]), np.array([[0.9, 0.2]])
    product = (made.compute_features(x) * made.compute_features(z)).sum()
    # each of 20,000 terms has variance of at most 1.5 / 20,000^2
    assert product == pytest.approx(math.exp(-0.7 * ((x - z) ** 2).sum()), abs=5 * math.sqrt(1.5 / 20_000))


# records


def test_a_vector_of_new_records_is_a_column():
    assert read_predictors([1.0, 2.0]).shape == (2, 1)
    with pytest.raises(PydpstatError, match="must be a DataFrame if add_bias is True"):
        read_predictors([1.0, 2.0], True)


# constants


def test_constants_of_objective_perturbation():
    left, extra = compute_objective_constants(1.0, 1.0, 0.25, 100)
    assert (left, extra) == (pytest.approx(1 - 2 * math.log(1.25), rel=1e-14), 0.0)
    left, extra = compute_objective_constants(0.1, 0.5, 0.25, 100)
    assert left == 0.05 and extra == pytest.approx(0.25 / (100 * math.expm1(0.025)) - 0.005, rel=1e-12)
    assert compute_objective_constants(1.0, -0.25, 0.25, 100) == (math.inf, 0.0)


@pytest.mark.parametrize("eps", [0.05, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("gamma", [0.0, 0.01, 0.5, 1.0, 30.0])
@pytest.mark.parametrize("c", [0.25, 1.0, 10.0])
def test_objective_perturbation_keeps_its_promise(eps, gamma, c):
    left, extra = compute_objective_constants(eps, gamma, c, 50)
    assert compute_objective_epsilon(left, c, gamma + 50 * extra) <= eps * (1 + 1e-12)


# the distribution of the noise


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 3, 10, 60])
@pytest.mark.parametrize("seed", ["R", 4, None])
def test_noise_has_a_gamma_length_and_each_element_its_standard_deviation(size, seed):
    source = source_from(9, int_seeds_r=True) if seed == "R" else source_from(None if seed is None else seed)
    source = source_from(np.random.default_rng(seed)) if seed == 4 else source
    noise = SphericalNoise(2.0, (1.0,) * size)
    drawn = np.array([noise.draw(source) for _ in range(3000)])
    lengths = np.linalg.norm(drawn, axis=1)
    assert stats.kstest(lengths, stats.gamma(size, scale=0.5).cdf).pvalue > 1e-4
    assert stats.kstest(drawn[:, 0] * 2.0, lambda x: compute_element_cdf(x, size)).pvalue > 1e-4
    # E b^2 = E|b|^2 / d = d (d + 1) / (rate^2 d); the mean of 3,000 squares is right to five errors
    squares = (drawn**2).mean(axis=1)
    assert abs(squares.mean() - (size + 1) / 4.0) < 5 * squares.std() / math.sqrt(3000)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 200])
def test_the_distribution_of_one_element(size):
    x = np.linspace(0, 40 * math.sqrt(size), 20_001)
    tail = compute_element_cdf(-x, size)
    # E b^2 = 2 int x P(|b| > x) dx = 4 int x P(b > x) dx; the trapezoid's own error is below 1e-5
    assert 4 * np.sum(x * tail) * x[1] == pytest.approx(size + 1, rel=1e-4)
    assert compute_element_cdf(0.0, size) == pytest.approx(0.5, abs=1e-13)
    for q in (1e-12, 0.025, 0.5, 0.6, 0.999):
        assert compute_element_cdf(compute_element_ppf(q, size), size) == pytest.approx(q, rel=1e-9)


def test_closed_forms():
    x = np.array([-20.0, -3.0, -0.1])
    assert compute_element_cdf(x, 1) == pytest.approx(np.exp(x) / 2, rel=1e-12)
    assert compute_element_cdf(x, 3) == pytest.approx(np.exp(x) * (2 - x) / 4, rel=1e-12)
    assert compute_element_ppf(0.0, 2) == -math.inf


def test_the_noise_is_rescaled():
    noise = SphericalNoise(2.0, (1.0, 4.0))
    assert noise.std() == pytest.approx(np.sqrt(3) / 2 * np.array([1, 0.25]))
    assert noise.cdf(noise.ppf(0.1)) == pytest.approx([0.1, 0.1])
    assert SphericalNoise(math.inf, (1.0,)).std().tolist() == [0.0]


def test_an_infinite_rate_draws_the_direction_only():
    source = source_from(1, int_seeds_r=True)
    assert np.all(SphericalNoise(math.inf, (1.0, 1.0)).draw(source) == 0.0)
    other = source_from(1, int_seeds_r=True)
    other.normal(2, 1.0)
    assert source.normal(1, 1.0) == other.normal(1, 1.0)


@pytest.mark.parametrize("seed", [None, np.random.default_rng(2), 3])
def test_phases_are_uniform(seed):
    drawn = draw_phases(source_from(seed, int_seeds_r=True), 4000)
    assert stats.kstest(drawn, stats.uniform(-math.pi, 2 * math.pi).cdf).pvalue > 1e-4

"""The score tests of all coefficients together: against one at a time by plain algebra, and their work."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import pydpstat
from pydpstat._null_distributions.regression import noisy_score
from pydpstat._null_distributions.regression.noisy_moments import NoisyMoments, make_matrix_map, make_moment_matrix
from pydpstat._null_distributions.regression.score_tests import NuisancePoints, ScoreTests, compute_score_limits
from pydpstat.inference.regression._regression_moments import MomentLayout
from pydpstat.mechanisms import LaplaceNoise

# numbers alone, and three levels and two levels beside two numbers
LAYOUTS = {
    "numbers": MomentLayout((1, 2, 3), (), ("1", "a", "b", "y")),
    "levels": MomentLayout((1, 5), ((-1, 2, 3), (-1, 4)), ("1", "a", "g", "g", "h", "y")),
}


def moments(layout, n=300, scale=2.0, seed=1):
    rng = np.random.default_rng(seed)
    v = np.ones((n, layout.width))
    v[:, list(layout.numbers)] = rng.uniform(-1, 1, (n, len(layout.numbers)))
    for places in layout.factors:
        v[:, places[1:]] = rng.integers(0, len(places), n)[:, None] == np.arange(1, len(places))
    v[:, -1] = v[:, 1] * 0.4 + 0.1 + 0.2 * rng.standard_normal(n)
    blocks = layout.make_blocks(1)
    noise = make_moment_matrix(rng.laplace(0, scale, sum(block.size for block in blocks)), blocks, layout.width)
    origin = rng.uniform(-1, 1, layout.width - 2)
    return NoisyMoments(v.T @ v + noise, blocks, LaplaceNoise(scale), origin)


def plain(noisy, matrix, place, null):
    """A score by eliminating the other predictors, the constant's with the predictors moved to the origin."""
    width = len(matrix) - 1
    turn = np.eye(width + 1)
    if place == 0:
        turn[1:-1, 0] = -noisy.origin
    matrix = turn @ matrix @ turn.T
    others = [each for each in range(width) if each != place]
    block = matrix[np.ix_(others, others)]
    theta = np.linalg.solve(block, matrix[others, width] - null * matrix[others, place])
    a, v = np.zeros((2, width + 1))
    a[place], a[others] = 1.0, -np.linalg.solve(block, matrix[others, place])
    v[width], v[place], v[others] = 1.0, -null, -theta
    patterns = make_matrix_map(noisy.blocks, width + 1).toarray().reshape(-1, width + 1, width + 1)
    patterns = turn @ patterns @ turn.T
    sd = noisy.noise.std()
    spread = [sd * np.sqrt(((a @ patterns @ z) ** 2).sum()) for z in (v, a)]
    residual = turn.T @ v
    least = noisy.response_noise_sd * (residual @ residual)
    variance = max(v @ matrix @ v, least) / noisy.size * max(a @ matrix @ a, spread[1]) + spread[0] ** 2
    return a @ matrix @ v / np.sqrt(variance)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_scores_are_those_of_eliminating_the_other_predictors(layout):
    noisy = moments(layout)
    width = layout.width - 1
    tests = ScoreTests(noisy, np.ones(width), np.zeros(width))
    for null in (-0.3, 0.0, 0.5):
        wanted = [plain(noisy, noisy.matrix, place, null) for place in range(width)]
        found = tests.observed.compute_scores(tests._indices, tests._scale_hypothesis(null))
        assert (found.gap / found.error)[:, 0, 0] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_simulated_scores_are_those_of_whole_simulated_releases(layout):
    noisy = moments(layout)
    width = layout.width - 1
    design = noisy.matrix[:width, :width]
    rng = np.random.default_rng(2)
    which, nulls = np.arange(width), rng.uniform(-0.3, 0.3, (width, 2))
    coefficients, variance = rng.uniform(-0.5, 0.5, (width, 2, width)), rng.uniform(0.02, 0.2, (width, 2))
    made, part = noisy_score.simulate_releases(noisy, design), slice(3, 6)
    given = noisy_score.simulate_responses(noisy, made, coefficients, variance, part)
    found = noisy_score.compute_scores(
        noisy, noisy_score.NoisyInverse(*(each[..., part] for each in made.inverse)), which, given, nulls
    )
    values, vectors = np.linalg.eigh(design)
    squares = noisy.draws.simulate_square_sums(noisy.size)
    for place, k, draw in itertools.product(range(width), range(2), range(3, 6)):
        normal = np.sqrt(variance[place, k]) * (vectors * np.sqrt(values)) @ noisy.draws.scores[draw]
        beta, matrix = coefficients[place, k], noisy.draws.noise[:, :, draw].copy()
        matrix[:width, :width] += design
        matrix[width, :width] += design @ beta + normal
        matrix[:width, width] = matrix[width, :width]
        matrix[width, width] += beta @ design @ beta + 2.0 * beta @ normal
        matrix[width, width] += variance[place, k] * squares[draw]
        statistic = (found.gap / found.error)[place, k, draw - 3]
        assert statistic == pytest.approx(plain(noisy, matrix, place, nulls[place, k]), rel=1e-8)


def test_the_noise_of_a_form_is_the_sum_over_the_released_numbers():
    for layout, norm in itertools.product(LAYOUTS.values(), (1, 2)):
        blocks, width = layout.make_blocks(norm), layout.width
        assert len(layout.collect_names(norm)) == sum(block.size for block in blocks)
        patterns = make_matrix_map(blocks, width).toarray().reshape(-1, width, width)
        assert np.array_equal(patterns, patterns.transpose(0, 2, 1))
        a, v = np.random.default_rng(3).normal(size=(2, width))
        forms = sum(block.sum_squared_forms(a[:, None], v[:, None])[0] for block in blocks)
        assert forms == pytest.approx(((a @ patterns @ v) ** 2).sum(), rel=1e-12)


def data(seed, n=3000):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, (n, 3))
    return 0.2 + 0.3 * x[:, 0] + 0.1 * rng.standard_normal(n), x


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.01, 0.3])
def test_intervals_end_where_p_values_reach_their_level(alpha):
    y, x = data(1)
    fit = pydpstat.ols(y, x, 2.0, bounds=(0, 1), rng=4)
    ends = fit.conf_int(alpha)
    assert np.isfinite(ends).to_numpy().all()
    for name, estimate in fit.params.items():
        for end in ends.loc[name]:
            assert fit.test(name, end) <= alpha < fit.test(name, estimate + 0.98 * (end - estimate))


def test_a_coefficient_that_noise_hides_has_no_ends():
    noisy = moments(LAYOUTS["levels"], scale=30.0, seed=2)
    tests = ScoreTests(noisy, np.ones(5), np.zeros(5))
    hidden = np.flatnonzero(tests.observed.signal_to_noise <= 0.0)
    assert hidden.size and np.isfinite(tests.observed.errors).all()
    assert np.isinf(compute_score_limits(noisy, 0.8, hidden)).all()


def test_only_levels_below_the_smallest_p_value_have_no_ends():
    noisy = replace(moments(LAYOUTS["numbers"], scale=0.5), excluded=0.01)
    assert 0.01 < noisy.pvalue_floor < 0.0101
    below, above = (compute_score_limits(noisy, alpha, np.array([1]))[1] for alpha in (0.01, 0.015))
    assert np.isinf(below).all() and np.isfinite(above).all()


def test_simulated_scores_of_several_chunks_are_all_draws():
    noisy = moments(LAYOUTS["numbers"])
    (found, *_) = next(NuisancePoints(noisy).iterate_simulated_scores(np.arange(1), np.zeros((1, 1))))
    assert found.absolute_values.shape == (1, 1, noisy.draws.n_draws)

"""Cube noise: exact on a grid, its marginals and loss, and that it is less than Laplace noise."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

import pydpstat
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import Cube, CubeNoise, LaplaceNoise
from pydpstat.random import secure
from pydpstat.random.secure import discrete
from pydpstat.random.source import SYSTEM, source_from

# of each p-value; the bits are seeded, so that it is the same each time
FALSE_ALARM = 1e-6
DRAWS = 60_000
SHAPES = [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3)]


def norm(points, columns, parts):
    return np.abs(points).reshape(*points.shape[:-1], columns, parts).sum(axis=-1).max(axis=-1)


def p_value(drawn, rate, columns, parts, most):
    """Chi-square of integer vectors against all points up to a norm, from the definition."""
    side = range(-most, most + 1)
    points = np.array(list(itertools.product(side, repeat=columns * parts)))
    sizes = norm(points, columns, parts)
    points, sizes = points[sizes <= most], sizes[sizes <= most]
    weights = np.exp(-rate * sizes)
    # what is beyond the largest norm has a geometric tail times a polynomial: counted by the formula
    r = np.arange(most + 1, most + int(80 / rate))
    shells = np.diff(ball_sizes(np.append(most, r), columns, parts))
    whole = weights.sum() + (shells * np.exp(-rate * r)).sum()
    radix = (2 * most + 1) ** np.arange(columns * parts)
    inside = norm(drawn, columns, parts) <= most
    keys, counts = np.unique((drawn[inside] + most) @ radix, return_counts=True)
    observed = np.zeros(len(points))
    order = np.argsort((points + most) @ radix)
    observed[order[np.searchsorted(((points + most) @ radix)[order], keys)]] = counts
    expected = len(drawn) * weights / whole
    often = expected > 10.0
    observed = np.append(observed[often], len(drawn) - observed[often].sum())
    expected = np.append(expected[often], len(drawn) - expected[often].sum())
    return stats.chisquare(observed, expected).pvalue


def ball_sizes(radii, columns, parts):
    """Number of integer points: those of a column with k parts that are not 0, for all k."""
    one = sum(
        2.0**k * math.comb(parts, k) * np.array([math.comb(int(r), k) for r in radii], dtype=float)
        for k in range(parts + 1)
    )
    return one**columns


@pytest.mark.slow
@pytest.mark.parametrize("columns, parts", SHAPES)
def test_draws_on_a_coarse_grid_have_the_exact_probabilities(columns, parts):
    rate, most = 0.75, 6 if columns * parts < 3 else 3
    drawn = secure.norm_ball(DRAWS, Fraction(rate), columns, parts).astype(np.int64)
    assert p_value(drawn, rate, columns, parts, most) > FALSE_ALARM
    for factor in (0.95, 1.05):
        assert p_value(drawn, rate * factor, columns, parts, most) < FALSE_ALARM


def test_draws_whose_radius_is_doubtful_are_decided_exactly(monkeypatch):
    monkeypatch.setattr(discrete, "_ROUNDING", 2.0)
    drawn = secure.norm_ball(DRAWS // 10, Fraction(3, 4), 2).astype(np.int64)
    assert p_value(drawn, 0.75, 2, 1, 6) > FALSE_ALARM


def test_vectors_of_huge_integers_are_exact_integers():
    drawn = secure.norm_ball(50, Fraction(1, 2**64), 3, 2)
    assert drawn.dtype == object and drawn.shape == (50, 6)
    assert all(isinstance(each, int) for each in drawn.flat)
    assert 2.0**62 < np.abs(drawn.astype(float)).mean() < 2.0**67


@pytest.mark.parametrize("columns, parts", [(1, 1), (2, 2), (1, 3), (3, 3), (14, 1)])
def test_the_marginal_is_that_of_quadrature(columns, parts):
    noise, width = CubeNoise(2.0, columns, parts), columns * parts

    def tail(x):
        def above(r):
            return stats.gamma.pdf(r, width + 1) * (1.0 - x / r) ** parts

        return integrate.quad(above, x, x + 40.0 + 6.0 * width, epsabs=1e-13, limit=200)[0]

    x = np.array([0.0, 0.1, 0.7, 2.0, 5.0, 11.0])
    expected = [0.5 * tail(each) for each in x]
    # the quadrature's own error is below 1e-12
    assert np.allclose(noise.cdf(-2.0 * x), expected, rtol=1e-9, atol=1e-11)
    assert np.allclose(noise.cdf(2.0 * x), 1.0 - np.array(expected), rtol=0.0, atol=1e-11)
    q = np.array([0.001, 0.3, 0.5, 0.9, 0.9999])
    assert np.allclose(noise.cdf(noise.ppf(q)), q, rtol=1e-9)
    assert noise.ppf(0.0) == -math.inf and noise.ppf(1.0) == math.inf and np.isnan(noise.ppf(1.5))
    steps = 1e-4
    slope = (noise.cdf(x + steps) - noise.cdf(x - steps)) / (2.0 * steps)
    assert np.allclose(noise.pdf(x[1:]), slope[1:], rtol=1e-5)
    variance = 2.0 * integrate.quad(lambda z: z * z * noise.pdf(z), 0.0, 400.0, limit=400)[0]
    assert noise.std() ** 2 == pytest.approx(variance, rel=1e-8)
    # the formulas of the docstring
    assert noise.var() == pytest.approx(4.0 * 2.0 * (width + 1) * (width + 2) / ((parts + 1) * (parts + 2)))


@pytest.mark.parametrize("columns, parts", [(1, 1), (3, 1), (1, 2), (2, 2)])
def test_draws_on_a_fine_grid_seeded_ones_and_samples_have_the_distribution(columns, parts):
    noise, width, grid = CubeNoise(1.5, columns, parts), columns * parts, 2.0**-24
    exact = np.asarray(noise.draw(SYSTEM, 20_000 * width, grid), dtype=np.float64) * grid
    seeded = noise.draw(source_from(1), 20_000 * width, None)
    for sample in (exact.reshape(-1, width), seeded.reshape(-1, width)):
        sizes = norm(sample, columns, parts)
        # the norm is a radius to itself: Gamma of as many degrees as elements
        assert stats.kstest(sizes / 1.5, stats.gamma(width).cdf).pvalue > FALSE_ALARM
        for factor in (0.9, 1.1):
            assert stats.kstest(sizes * factor / 1.5, stats.gamma(width).cdf).pvalue < FALSE_ALARM
        assert stats.kstest(sample[:, -1], noise.cdf).pvalue > FALSE_ALARM
        # elements are not correlated, to five standard errors
        assert np.abs(np.corrcoef(sample.T) - np.eye(width)).max() < 5.0 / math.sqrt(20_000)
    points = noise.sample(4096)
    # Sobol points are nearer to the distribution than random ones
    assert np.allclose(points.std(axis=0), noise.std(), rtol=0.02)
    assert stats.kstest(norm(points, columns, parts) / 1.5, stats.gamma(width).cdf).statistic < 0.02


@pytest.mark.parametrize("columns, parts", [(1, 1), (3, 1), (2, 2)])
def test_the_loss_is_that_of_one_laplace_number_and_no_move_has_more(columns, parts):
    epsilon, width = 1.3, columns * parts
    noise = CubeNoise(1.0, columns, parts)
    x = noise.sample(2**16)
    loss = Cube().loss(noise, epsilon, (1.0,))

    def delta(move, at):
        ratio = norm(x - np.array(move), columns, parts) - norm(x, columns, parts)
        return np.maximum(1.0 - np.exp(at - ratio), 0.0).mean()

    one = np.zeros((columns, parts))
    one[:, 0] = epsilon
    worst = one.ravel()
    moves = [np.append(epsilon, np.zeros(width - 1)), worst * np.resize([1.0, -1.0], width)]
    moves += [np.full(width, epsilon / parts)]
    for at in (0.0, 0.4, 1.0):
        # Sobol points of this number are right to a thousandth
        assert delta(worst, at) == pytest.approx(loss.delta(at), abs=1.5e-3)
        assert all(delta(move, at) <= loss.delta(at) + 1.5e-3 for move in moves)
    assert loss.delta(epsilon) == 0.0 and loss.pure == epsilon


def test_the_table_of_standard_deviations():
    for numbers, least in ((2, 0.708), (3, 0.61), (5, 0.53), (14, 0.46), (35, 0.44)):
        ratio = CubeNoise(1.0, numbers).std() / (numbers * LaplaceNoise(1.0).std())
        assert ratio <= least
    # pairs and triples of weights that add up to 1
    assert CubeNoise(1.0, 4, 2).var() == pytest.approx(15.0) and 15.0 < 2.0 * 4**2
    assert CubeNoise(1.0, 4, 3).var() < 2.0 * 4**2


def test_arguments():
    with pytest.raises(PydpstatError, match="multiple of 3"):
        CubeNoise(1.0, 3).draw(SYSTEM, 4, 1.0)
    with pytest.raises(PydpstatError, match="for several numbers"):
        pydpstat.histogram([1.0], 1.0, edges=[0, 2], mechanism=Cube())


FRAME = {"a": [0.2, 0.4, 0.9, 0.1] * 50, "b": [1.0, 3.0, 2.0, 5.0] * 50, "c": [7.0, 7.0, 8.0, 6.0] * 50}
BOUNDS = {"a": (0, 1), "b": (0, 10), "c": (5, 9)}


@pytest.mark.parametrize("name", ["mean", "sum", "var", "std", "cov"])
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_several_columns_have_it_by_default_and_are_right(name, neighbors):
    frame, call = pd.DataFrame(FRAME), getattr(pydpstat, name)
    options = {"bounds": BOUNDS, "neighbors": neighbors}
    plain = call(frame, 1e9, mechanism="laplace", rng=1, **options)
    for rng in (None, 1):
        exact = call(frame, 1e9, rng=rng, **options)
        assert exact.mechanism == "linf" and "mechanism" not in exact.call
        assert np.allclose(np.asarray(exact), np.asarray(plain), rtol=1e-5, atol=1e-5)
    one, other = call(frame, 1.0, rng=1, **options), call(frame, 1.0, rng=1, mechanism="laplace", **options)
    assert "mechanism='laplace'" in other.call
    assert (np.asarray(one.noise.std()) < np.asarray(other.noise.std())).all()


def test_by_group_each_group_has_a_cube_of_its_own():
    frame = pd.DataFrame(FRAME)
    frame["g"] = ["u", "v"] * 100
    options = {"by": "g", "levels": ["u", "v"], "bounds": BOUNDS, "other": None}
    for name, ball in (("mean", (3, 2)), ("var", (3, 3)), ("sum", (3, 1))):
        for neighbors, ends in (("unbounded", 1.0), ("bounded", 2.0)):
            r = getattr(pydpstat, name)(frame, 0.5, neighbors=neighbors, **options)
            assert (r.noise.columns, r.noise.parts) == ball
            # two groups change where a record is replaced; a sum is in units of its sensitivity
            unit = 1.0 if name == "sum" else ends
            assert np.min(r.noise_scale) == pytest.approx(unit / 0.5, rel=1e-4)


@pytest.mark.slow
def test_intervals_cover_each_column_and_joint_ones_all_columns():
    frame = np.tile(np.array([[0.1, 0.7, 0.4], [0.5, 0.2, 0.9]]), (50, 1))
    missed, true = np.zeros(2), frame.mean(axis=0)
    for seed in range(200):
        r = pydpstat.mean(frame, 0.5, bounds=(0, 1), rng=seed)
        for place, joint in enumerate((False, True)):
            low, high = np.asarray(r.conf_int(0.1, joint=joint)).T
            outside = (low > true) | (high < true)
            missed[place] += outside.any() if joint else outside.mean()
    # four standard errors of 200 vectors
    assert (np.abs(missed / 200 - 0.1) < 4.0 * math.sqrt(0.09 / 200)).all()


def test_joint_intervals_leave_out_the_share_of_the_largest_element():
    for noise, size in ((LaplaceNoise(1.0), 4), (CubeNoise(1.0, 4), 4), (CubeNoise(1.0, 2), 4)):
        share = noise.simultaneous(0.1, size)
        drawn = np.abs(noise.draw(source_from(5), 4 * 20_000, None).reshape(-1, 4)).max(axis=1)
        beyond = (drawn > noise.ppf(1.0 - share / 2.0)).mean()
        assert abs(beyond - 0.1) < 5.0 * math.sqrt(0.09 / 20_000)

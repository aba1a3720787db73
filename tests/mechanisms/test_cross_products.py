"""Noise of cross products: it covers every move of a record, is exact on a grid, and has its stated width."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import CrossProductNoise, CubeNoise
from pydpstat.mechanisms.cross_products import (
    _ADDED_BODY_MOMENTS,
    _BODY_MOMENTS,
    MAX_CYCLE_PLACES,
    MAX_TRIANGLE_PLACES,
    _sample_body,
    _simulate_size_quantiles,
)
from pydpstat.random.source import SYSTEM, source_from

# of each p-value; the bits are seeded, so that it is the same each time
FALSE_ALARM = 1e-6


def norm(moves, places):
    """The norm of the body, from its inequalities, written out element by element."""
    edges = {edge: k for k, edge in enumerate(itertools.combinations(range(places), 2))}

    def at(i, j):
        return moves[..., edges[min(i, j), max(i, j)]]

    sizes = [np.abs(moves).max(axis=-1)]
    if places <= MAX_TRIANGLE_PLACES:
        for i, j, k in itertools.combinations(range(places), 3):
            sizes.append((abs(at(i, j)) + abs(at(j, k)) + abs(at(i, k))) / 2)
    if places <= MAX_CYCLE_PLACES:
        for four in itertools.combinations(range(places), 4):
            for a, b, c, d in ((0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 1, 3)):
                i, j, k, m = (four[place] for place in (a, b, c, d))
                ring = np.stack([at(i, j), at(j, k), at(k, m), at(m, i)])
                for signs in itertools.product((-1, 1), repeat=4):
                    if math.prod(signs) < 0:
                        sizes.append(np.tensordot(signs, ring, 1) / 2)
    return np.max(sizes, axis=0)


def products(numbers):
    """Products of each two numbers, the constant first."""
    whole = np.concatenate([np.ones((*numbers.shape[:-1], 1)), numbers], axis=-1)
    pairs = itertools.combinations(range(whole.shape[-1]), 2)
    return np.stack([whole[..., i] * whole[..., j] for i, j in pairs], axis=-1)


def norm_of_added(moves, places):
    """The norm of the body of what a record adds, from its inequalities; the number of records first."""
    edges = {edge: k + 1 for k, edge in enumerate(itertools.combinations(range(places), 2))}

    def at(i, j):
        return moves[..., edges[min(i, j), max(i, j)]]

    number, among = moves[..., 0], itertools.combinations
    fours = [(number, at(i, j), at(j, k), at(i, k)) for i, j, k in among(range(places), 3)]
    for i, j, k, m in among(range(places), 4):
        rings = (i, j, k, m), (i, j, m, k), (i, k, j, m)
        fours += [(at(a, b), at(b, c), at(c, d), at(d, a)) for a, b, c, d in rings]
    odd = [signs for signs in itertools.product((-1, 1), repeat=4) if math.prod(signs) < 0]
    sizes = [np.tensordot(signs, np.stack(four), 1) / 2 for four in fours for signs in odd]
    return np.max([np.abs(moves).max(axis=-1), *sizes], axis=0)


def with_number(numbers):
    """What a record adds: 1 to the number of records, and its products."""
    return np.concatenate([np.ones((*numbers.shape[:-1], 1)), products(numbers)], axis=-1)


@pytest.mark.parametrize("places", [2, 3, 4, 5, 7])
def test_no_record_moves_by_more_than_1_and_corners_do(places):
    rng = np.random.default_rng(places)
    one, other = rng.uniform(-1, 1, (2, 4000, places - 1))
    # numbers at their bounds move furthest
    sharp = rng.random((2, 4000, places - 1)) < 0.7
    one, other = np.where(sharp[0], np.sign(one), one), np.where(sharp[1], np.sign(other), other)
    sizes = norm((products(one) - products(other)) / 2, places)
    assert sizes.max() <= 1.0 + 1e-12
    ends = rng.choice([-1.0, 1.0], (2, 500, places - 1))
    moved = np.any(ends[0] != ends[1], axis=-1)
    assert np.allclose(norm((products(ends[0]) - products(ends[1])) / 2, places)[moved], 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "added, size_of, rate, most, side", [(False, norm, 1.0, 6, 30), (True, norm_of_added, 1.5, 6, 12)]
)
def test_draws_on_a_coarse_grid_have_the_exact_probabilities(added, size_of, rate, most, side):
    size, noise = 40_000, CrossProductNoise(1.0 / rate, 3, added)
    drawn = noise.draw(SYSTEM, noise.width * size, 1.0).reshape(-1, noise.width)
    sizes = np.ceil(size_of(drawn, 3) - 1e-9).astype(int)
    # of 40,000 draws less than one is expected beyond these points
    points = np.array(list(itertools.product(range(-side, side + 1), repeat=noise.width)), dtype=np.int8)
    shells = np.bincount(np.ceil(size_of(points.astype(float), 3) - 1e-9).astype(int))[:side]

    def p_value(rate):
        weights = shells * np.exp(-rate * np.arange(side))
        expected = np.append(weights[: most + 1], weights[most + 1 :].sum()) * size / weights.sum()
        observed = np.bincount(np.minimum(sizes, most + 1), minlength=most + 2)
        return stats.chisquare(observed, expected).pvalue

    assert p_value(rate) > FALSE_ALARM
    assert all(p_value(rate * factor) < FALSE_ALARM for factor in (0.94, 1.06))
    # of one norm all points are alike: those of norm 1
    points, counts = np.unique(drawn[sizes == 1], axis=0, return_counts=True)
    assert len(points) == shells[1] and stats.chisquare(counts).pvalue > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize(
    "places, size, added",
    [(2, 2000, True), (3, 2000, False), (5, 1000, False), (5, 1000, True), (9, 100, False), (9, 100, True)],
)
def test_draws_and_samples_have_the_distribution(places, size, added):
    size_of = norm_of_added if added else norm
    noise, grid = CrossProductNoise(2.0, places, added), 2.0**-24
    width, stated = noise.width, np.broadcast_to(noise.std(), noise.width)
    exact = noise.draw(SYSTEM, size * width, grid).reshape(-1, width) * grid
    seeded = noise.draw(source_from(1), size * width, None).reshape(-1, width)
    # chains of 8 points each are a little dependent
    for sample in (exact, seeded, noise.sample(2048)):
        sizes = noise.norm(sample)
        assert added and places > MAX_CYCLE_PLACES or np.allclose(sizes[:500], size_of(sample[:500], places) / 2.0)
        assert stats.kstest(sizes, stats.gamma(width).cdf).pvalue > FALSE_ALARM
        # the radius alone has a relative spread of 1 / sqrt(width) in each vector; six standard errors
        slack = 6.0 * math.sqrt((0.5 + 1.0 / width) / len(sample))
        # the number of records is one element by itself
        found, others = np.sqrt((sample**2).mean(axis=0)), slice(int(added), None)
        assert found[others].mean() == pytest.approx(stated[others].mean(), rel=slack)
        assert found[0] == pytest.approx(stated[0], rel=6.0 * math.sqrt(1.25 / len(sample)))
        related = np.atleast_2d(np.corrcoef(sample.T)) - np.eye(width)
        assert np.abs(related).max() < 6.0 / math.sqrt(len(sample))
    first = lambda x: noise.cdf(x[:, None] * np.ones(width))[:, 0]  # noqa: E731
    assert stats.kstest(exact[:, 0], first).pvalue > FALSE_ALARM
    q = np.repeat([[0.001], [0.2], [0.5], [0.999]], width, axis=1)
    assert np.allclose(noise.cdf(noise.ppf(q)), q, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "places, added",
    [*((p, False) for p in sorted(_BODY_MOMENTS)), *((p, True) for p in sorted(_ADDED_BODY_MOMENTS))],
)
def test_measured_constants_are_those_of_other_points(places, added):
    """Chains of Gibbs steps and the stated mean squares and shares were made in different ways."""
    number, others, share = _ADDED_BODY_MOMENTS[places] if added else (None, *_BODY_MOMENTS[places])
    assert 0.0 < share <= 1.0
    if added or places <= MAX_CYCLE_PLACES:
        points = _sample_body(2048, places, added) ** 2
        # 2,048 points of width elements, in chains of 8: four standard errors with a few per cent
        assert points[:, int(added) :].mean() == pytest.approx(others, rel=0.04 if added else 0.03)
        # one element by itself has 256 chains
        assert not added or points[:, 0].mean() == pytest.approx(number, rel=0.12)


@pytest.mark.parametrize("measured", [_BODY_MOMENTS, _ADDED_BODY_MOMENTS])
def test_the_body_is_a_smaller_share_of_the_cube_for_more_places(measured):
    shares = {places: share for places, (*_, share) in measured.items()}
    assert all(0.0 < share <= 1.0 for share in shares.values())
    # from 9 places on it has fewer inequalities
    for places in set(shares) - {min(shares), MAX_CYCLE_PLACES + 1}:
        assert shares[places] < shares[places - 1]


@pytest.mark.parametrize("places", [2, 3, 4, 5, 7])
def test_no_record_adds_more_than_1_and_every_one_adds_that(places):
    rng = np.random.default_rng(places)
    numbers = rng.uniform(-1, 1, (4000, places - 1))
    numbers = np.where(rng.random(numbers.shape) < 0.7, np.sign(numbers), numbers)
    sizes = norm_of_added(with_number(numbers), places)
    assert sizes.max() <= 1.0 + 1e-12 and sizes.min() == 1.0
    # what is taken away is as long
    assert np.array_equal(norm_of_added(-with_number(numbers), places), sizes)
    noise = CrossProductNoise(0.5, places, True)
    assert np.allclose(noise.norm(with_number(numbers)), 2.0 * sizes)


@pytest.mark.parametrize("places, added", [(3, False), (4, False), (5, False), (3, True), (4, True), (9, False)])
def test_simulated_points_are_in_the_body_and_reach_its_boundary(places, added):
    sizes = (norm_of_added if added else norm)(_sample_body(512, places, added), places)
    assert 0.99 < sizes.max() <= 1.0 + 1e-12


def test_the_number_of_records_and_the_products_have_quantiles_of_their_own(monkeypatch):
    points = np.tile([0.25, -0.75, 0.75, 0.75], (8, 1))
    monkeypatch.setattr("pydpstat.mechanisms.cross_products._sample_body", lambda *_: points)
    number, *products = _simulate_size_quantiles.__wrapped__(3, True)
    assert (number == 0.25).all() and len(products) == 3 and (np.array(products) == 0.75).all()


def test_it_is_less_than_the_cube_and_laplace_noise():
    for places, ratio in ((3, 0.92), (5, 0.73), (8, 0.63)):
        noise = CrossProductNoise(2.0, places)
        assert noise.std() < ratio * CubeNoise(2.0, noise.width).std()
    # sensitivity 12 of sums and cross products of four numbers in the L1 norm
    assert CrossProductNoise(2.0, 5).std() < 0.6 * 12.0 * math.sqrt(2.0)


def test_a_release_moves_lattice_points_by_no_more_than_the_grid_allows():
    """Rounded products move the norm, in grid units, by less than the sensitivity and three units."""
    rng, grid, places = np.random.default_rng(1), 2.0**-6, 5
    one, other = rng.choice([-1.0, 1.0, 0.3], (2, 3000, places - 1))
    sums = rng.uniform(0, 1, (3000, 10))
    before, after = (np.rint((sums + products(each)) / grid) for each in (one, other))
    assert (np.ceil(norm(after - before, places)) <= 2.0 / grid + 3.0).all()


def test_arguments():
    with pytest.raises(PydpstatError, match="multiple of 3"):
        CrossProductNoise(1.0, 3).draw(SYSTEM, 4, 1.0)

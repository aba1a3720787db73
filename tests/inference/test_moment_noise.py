"""The noise of a regression's moments: what a record can move, shares of epsilon, and simulated draws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat
from pydpstat._records.moment_noise import MomentCube, allocate_epsilon, is_joint_table_better, make_noise_blocks
from pydpstat.inference.regression._design import Predictor, Regression, RegressionDesign
from pydpstat.inference.regression._regression_moments import MomentLayout, make_regression_query
from pydpstat.mechanisms import Cube, CubeNoise


def design_of(numbers, levels):
    predictors = [Predictor(f"x{k}", f"x{k}", (-1.0, 1.0), None) for k in range(numbers - 1)]
    predictors += [Predictor(f"g{k}", f"g{k}", None, tuple(range(size))) for k, size in enumerate(levels)]
    return RegressionDesign("y", (-1.0, 1.0), tuple(predictors), "const")


def released(design, numbers, codes):
    columns = [np.array([each]) for each in (*numbers[:-1], *codes)]
    query = make_regression_query(Regression(design, np.array([numbers[-1]]), tuple(columns)), math.inf)
    return np.array([float(each) for each in query.exact])


def norms(layout, move):
    """What each part's noise would show of a move, in shares of the epsilon that the part has."""
    mechanism = layout.mechanism
    noise = mechanism.calibrate_vector(1.0, 0.0, 1.0, move.size, False)
    drawn, found = np.empty(move.size), []
    drawn[list(noise.order)] = move
    blocks = np.split(drawn, np.cumsum(noise.sizes)[:-1])
    for part, block in zip(make_noise_blocks(mechanism.numbers, mechanism.tables), blocks):
        rows = block.reshape(part.vectors, -1)
        cube = isinstance(part.noise, CubeNoise)
        found.append((np.abs(rows).max(axis=1) / part.noise.scale).sum() if cube else part.noise.norm(rows[0]))
    return found


LAYOUTS = [(2, ()), (4, ()), (1, (3,)), (3, (2, 3)), (2, (12, 12))]


@pytest.mark.slow
@pytest.mark.parametrize(("numbers", "levels"), LAYOUTS)
def test_no_record_moves_any_part_by_more_than_its_share_covers(numbers, levels):
    design, rng, moves = design_of(numbers, levels), np.random.default_rng(1), []
    layout = MomentLayout.from_design(design)
    for turn in range(150):
        values = rng.choice([-1.0, 1.0], (2, numbers)) if turn % 3 else rng.uniform(-1, 1, (2, numbers))
        if turn % 3 == 1:
            values[rng.integers(2)] *= rng.choice([0.0, 1.0], numbers)
        codes = [[int(rng.integers(size)) for size in levels] for _ in range(1 + (turn % 2 == 0))]
        gap = released(design, values[0], codes[0]) - released(design, values[1], codes[-1])
        moves.append(norms(layout, gap))
    most = np.max(moves, axis=0)
    # opposite records and records in other cells reach each part's bound
    assert (most <= float(layout.compute_sensitivity(math.inf))).all() and most == pytest.approx(np.ones(most.size))


@pytest.mark.parametrize(("numbers", "levels"), LAYOUTS)
def test_parts_have_no_more_than_epsilon_together(numbers, levels):
    layout = MomentLayout.from_design(design_of(numbers, levels))
    size = sum(block.size for block in layout.make_blocks(math.inf))
    for epsilon, sensitivity in ((0.1, 1.0), (1.0, 1.0 + 1e-9), (7.3, 1.5)):
        noise = layout.mechanism.calibrate_vector(epsilon, 0.0, sensitivity, size, False)
        assert sum(noise.sizes) == size == len(layout.collect_names(math.inf))
        whole = sum(
            Fraction(float(part.noise.scale)) * Fraction(sensitivity) / Fraction(float(each.scale))
            for part, each in zip(make_noise_blocks(numbers, layout.mechanism.tables), noise.noises)
        )
        assert Fraction(epsilon) * Fraction(999, 1000) < whole <= Fraction(epsilon)


def test_shares_make_the_weighted_sum_of_variances_least():
    found = make_noise_blocks(3, [4])
    best = np.array(allocate_epsilon(found))

    def weighted(parted):
        return sum(part.weight * (part.noise.std() / share) ** 2 for part, share in zip(found, parted))

    assert best.sum() == pytest.approx(1.0)
    for one, other in itertools.permutations(range(len(found)), 2):
        moved = best.copy()
        moved[one], moved[other] = moved[one] + 0.01, moved[other] - 0.01
        assert weighted(moved) > weighted(best)


def test_predictors_are_crossed_if_that_has_less_noise():
    # sex and twelve regions: half of the noise; two times twelve: more than a table of each
    assert (
        is_joint_table_better(1, (2, 12))
        and is_joint_table_better(2, (3, 12))
        and not is_joint_table_better(1, (12, 12))
    )
    assert not is_joint_table_better(1, (12,)) and not is_joint_table_better(2, ())
    assert MomentLayout.from_design(design_of(2, (2, 3))).collect_tables(math.inf) == ((0, 1),)
    assert MomentLayout.from_design(design_of(2, (2, 3))).collect_tables(1) == ((0,), (1,))


@pytest.mark.slow
def test_a_cell_has_one_vector_of_noise_in_columns_of_the_value():
    noise = MomentCube(2, (3,)).calibrate_vector(1.0, 0.0, 1.0, 12, False)
    # counts of three cells, then a sum by cell after the other, then the cross product and the squares
    assert noise.order == (0, 3, 6, 1, 4, 7, 2, 5, 8, 9, 10, 11)
    rows = np.abs(noise.rvs((4000, 12), random_state=1))
    # the elements of a vector have one radius: their sizes are correlated, by 0.2 in a cube of three
    related = np.corrcoef(rows.T)
    assert related[0, 3] > 0.1 and related[1, 4] > 0.1 and related[10, 11] > 0.1
    # 4.5 standard errors of 4,000 draws
    assert np.abs([related[0, 1], related[0, 4], related[0, 9], related[9, 10]]).max() < 4.5 / math.sqrt(4000)


@pytest.mark.slow
def test_simulated_draws_have_the_distribution_of_the_noise():
    layout = MomentLayout.from_design(design_of(2, (3,)))
    size = sum(block.size for block in layout.make_blocks(math.inf))
    noise = layout.mechanism.calibrate_vector(1.0, 0.0, 1.0, size, False)
    drawn, simulated = noise.rvs((2000, size), random_state=2), noise.sample(4096)
    assert simulated.shape == (4096, size)
    # 2 %: ten million draws tell variances of the body to 1 %, and its simulated points to another
    assert simulated.std(axis=0) == pytest.approx(noise.std(), rel=0.02)
    rng = np.random.default_rng(3)
    for form in (*np.eye(size)[:: max(size // 4, 1)], *rng.normal(size=(3, size))):
        assert stats.ks_2samp(drawn @ form, simulated @ form).pvalue > 1e-3


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    made = pd.DataFrame({"x": rng.uniform(0, 1, 500), "g": rng.choice(["a", "b"], 500)})
    return made.assign(h=rng.choice([1, 2, 3], 500), y=0.3 * made.x + 0.1 * rng.uniform(size=500))


def test_the_default_is_the_noise_of_the_largest_change(frame):
    own = {"bounds": (0, 1), "levels": {"g": ["a", "b"], "h": [1, 2, 3]}, "rng": 1}
    fit = pydpstat.ols("y ~ x + C(g) + C(h)", frame, 2.0, **own)
    assert fit.mechanism == "linf" and fit.guarantee.epsilon == 2.0 and fit.guarantee.delta == 0.0
    assert "mechanism" not in fit.call
    named = [name for name, _ in fit.released]
    assert named[0] == "count(0=0,1=0)" and named[6] == "sum(x|0=0,1=0)" and named[-1] == "sum(y^2)"
    for same in ("linf", Cube()):
        again = pydpstat.ols("y ~ x + C(g) + C(h)", frame, 2.0, mechanism=same, **own)
        assert again.released == fit.released and "mechanism" in again.call
    laplace = pydpstat.ols("y ~ x + C(g) + C(h)", frame, 2.0, mechanism="laplace", **own)
    assert laplace.mechanism == "Laplace" and laplace.noise_scale > float(np.max(fit.noise_scale))


def test_the_operating_systems_noise_has_the_same_standard_errors(frame):
    seeded = pydpstat.ols("y ~ x", frame, 20.0, bounds=(0, 1), rng=1)
    found = pydpstat.ols("y ~ x", frame, 20.0, bounds=(0, 1))
    # the grid's units are a millionth of the scale
    assert found.noise_scale == pytest.approx(seeded.noise_scale, rel=1e-4)
    assert found.bse["x"] == pytest.approx(seeded.bse["x"], rel=0.5)

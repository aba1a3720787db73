"""The moments' release: values, sensitivity and what follows."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import pydpstat as dp
from pydpstat._null_distributions.means.exact_moments import bound_noise_by_steps
from pydpstat._null_distributions.means.noisy_t import NoisySums, compute_t_pvalue
from pydpstat._null_distributions.simulation import draw_reference
from pydpstat._records.moment_release import (
    apply_weights,
    choose_moment_mechanism,
    choose_weights,
    collect_product_pairs,
    compute_moment_sensitivity,
    make_unit_noise_family,
)
from pydpstat._records.record_grid import GRID_BITS, make_standard_grid, sum_records
from pydpstat._release.calibration import VECTOR_MECHANISMS
from pydpstat._release.options import options

X = np.linspace(20.0, 60.0, 500)


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_with_next_to_no_noise_moments_are_those_of_the_data(neighbors):
    r = dp.moments(X, 1e8, bounds=(0, 100), neighbors=neighbors, rng=1)
    assert r.mean == pytest.approx(X.mean(), abs=1e-6)
    assert r.var == pytest.approx(X.var(ddof=1), abs=1e-4)
    assert r.std == pytest.approx(X.std(ddof=1), abs=1e-5)


def test_a_record_has_a_mean_and_none_has_the_middle():
    assert dp.moments([30.0], 1e8, bounds=(0, 100), rng=1).mean == pytest.approx(30.0, abs=1e-5)
    assert dp.moments([], 1e8, bounds=(0, 100), neighbors="unbounded", rng=1).mean == 50.0


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("mechanism", ["linf", "laplace", "gaussian"])
@pytest.mark.parametrize("columns", [1, 3])
def test_the_matrix_has_the_sums_of_products(columns, mechanism, neighbors):
    data = np.random.default_rng(1).uniform(-1, 1, size=(200, columns))
    delta = 1e-6 if mechanism == "gaussian" else 0
    r = dp.moments(data, 1e9, bounds=(-1, 1), mechanism=mechanism, delta=delta, neighbors=neighbors, rng=1)
    full = np.column_stack([np.ones(200), data])
    # seven standard deviations of the noise, below 0.001, and the grid's rounding
    assert r.noise_sd.max() < 1.5e-4
    assert (np.abs(r.matrix - full.T @ full) <= 7 * r.noise_sd + 200 * 2.0**-40).all()
    assert (r.matrix == r.matrix.T).all() and (r.noise_sd == r.noise_sd.T).all()
    assert (r.nobs == 200) == (neighbors == "bounded") == (r.noise_sd[0, 0] == 0.0)
    for place, known in enumerate(r.sums, start=1):
        assert known.sums == pytest.approx(tuple(r.matrix[[0, 0, place], [0, place, place]]))
        mixed = np.sqrt(known.unit_variance * np.square(np.array(known.noise)).sum(axis=1))
        expected = [r.noise_sd[0, 0], r.noise_sd[0, place], r.noise_sd[place, place]]
        assert mixed == pytest.approx(expected)


def vector(record: tuple[int, ...], how) -> np.ndarray:
    """What one record, in grid units, adds to the weighted sums."""
    grid = make_standard_grid(-1.0, 1.0)
    columns = [np.array([z * grid.unit]) for z in record]
    found = sum_records(columns, [grid] * len(record), "error", collect_product_pairs(len(record)))
    exact, _ = apply_weights(found, len(record), how)
    return np.array(exact, dtype=object)


def moved(one: tuple[int, ...], other: tuple[int, ...] | None, how) -> Fraction:
    """How far replacing a record, or adding one, moves the weighted sums; squared for the L2 norm."""
    change = vector(one, how) if other is None else vector(one, how) - vector(other, how)
    if how.norm == math.inf:
        noise = how.mechanism.calibrate_vector(1.0, 0.0, 1.0, change.size, True)
        if not how.has_public_size:
            return Fraction(float(noise.norm(change.astype(float))))
        parts = np.split(change.astype(float), np.cumsum(noise.sizes)[:-1])
        return Fraction(sum(float(each.norm(part)) for each, part in zip(noise.noises, parts)))
    return sum((abs(each) for each in change), Fraction(0)) if how.norm == 1 else sum(change * change)


UNITS = 1 << GRID_BITS
CORNERS = (-UNITS, 0, UNITS, UNITS // 2, -UNITS // 2, 618 * UNITS // 1000, 3, UNITS - 1)
NOISES = (("laplace", 0.0), ("gaussian", 1e-6), (None, 0.0))


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize(("mechanism", "delta"), NOISES)
@given(st.data())
@settings(max_examples=60)
def test_no_record_moves_the_sums_by_more_than_the_sensitivity(mechanism, delta, neighbors, data):
    how = options(1.0, delta, mechanism, neighbors, "error", mechanisms=VECTOR_MECHANISMS)
    variables = data.draw(st.integers(1, 3))
    how = choose_moment_mechanism(how, variables)
    value = st.one_of(st.sampled_from(CORNERS), st.integers(-UNITS, UNITS))
    one, other = (data.draw(st.tuples(*[value] * variables)) for _ in range(2))
    most = compute_moment_sensitivity(variables, how)
    change = moved(one, other if how.has_public_size else None, how)
    # a cube's norm is of floats
    assert change <= {1: most, 2: most * most, math.inf: most * Fraction(1 + 1e-12)}[how.norm]


@pytest.mark.parametrize("variables", [1, 2, 3, 4])
def test_a_search_over_records_finds_the_whole_sensitivity(variables):
    how = options(1.0, 0, "laplace", "bounded", "error")
    rng = np.random.default_rng(variables)
    best = Fraction(0)
    for _ in range(300):
        one, other = (tuple(int(rng.choice([-UNITS, 0, UNITS])) for _ in range(variables)) for _ in range(2))
        best = max(best, moved(one, other, how))
    # exactly 1 at records of corners: 10 % less noise would not cover it
    assert best == 1
    assert compute_moment_sensitivity(variables, how) - 1 < Fraction(1, 1 << 36)


def test_the_least_favorable_pair_of_one_variable_needs_the_whole_gaussian_sensitivity():
    how = options(1.0, 1e-6, "gaussian", "bounded", "error")
    assert moved((UNITS,), (-UNITS,), how) == 1
    # and next to the golden ratio the square takes part
    assert moved((UNITS,), (UNITS - 2 * int(0.618034 * UNITS),), how) > Fraction(99, 100)


def test_the_sum_has_the_noise_of_a_mean_released_alone():
    r = dp.moments(X, 2.0, bounds=(0, 100), rng=1)
    alone = dp.mean(X, 2.0, bounds=(0, 100), rng=1)
    # a mean's scale is (upper - lower) / (n epsilon); the sum of z is in units of 50
    assert r.sums[0].noise[1][0] * 50 / 500 == pytest.approx(alone.noise_scale, rel=1e-9)
    assert choose_weights(1, 1, True) == (0, Fraction(1, 2), Fraction(1, 2), Fraction(1, 4), 1)


def test_columns_are_tested_by_name():
    frame = pd.DataFrame({"x": X, "y": X[::-1] / 2})
    r = dp.moments(frame, 50.0, bounds={"x": (0, 100), "y": (0, 50)}, rng=1)
    assert r.mean["x"] == pytest.approx(40.0, abs=2) and r.mean["y"] == pytest.approx(20.0, abs=1)
    assert r.ttest(20, column="y").pvalue > 0.05 > r.ttest(30, column="x").pvalue
    with pytest.raises(dp.PydpstatError, match="column must be"):
        r.ttest(20)


@pytest.mark.parametrize(
    ("columns", "neighbors", "figures"),
    [
        (2, "bounded", (6.4, 7.6)),
        (3, "bounded", (9.2, 10.5)),
        (5, "bounded", (16.5, 17.3)),
        (2, "unbounded", (4.3, 4.3)),
        (5, "unbounded", (13.0, 13.0)),
    ],
)
def test_the_least_noise_is_the_default(columns, neighbors, figures):
    data, own = np.zeros((100, columns)), {"bounds": (-1, 1), "neighbors": neighbors, "rng": 1}
    least, laplace, gaussian = (
        dp.moments(data, 1.0, mechanism=kind, delta=delta, **own).noise_sd
        for kind, delta in ((None, 0), ("laplace", 0), ("gaussian", 1e-6))
    )
    assert (least[0, 1], least[1, 1]) == pytest.approx(figures, abs=0.06)
    # of two columns a sum has what Laplace noise has, and a square less
    assert least[0, 1] < 1.01 * laplace[0, 1] and least[1, 1] < 0.7 * laplace[1, 1]
    assert least[0, 1] < gaussian[0, 1] and least[1, 1] < gaussian[1, 1]


def test_the_default_of_one_variable_is_laplace_noise():
    one = [dp.moments(X, 1.0, bounds=(0, 100), mechanism=m, rng=1) for m in (None, "linf", "laplace")]
    assert {each.release.mechanism for each in one} == {"Laplace"}
    assert one[0].matrix.tolist() == one[1].matrix.tolist() == one[2].matrix.tolist()


def noise_of(variables, neighbors):
    """The noise of moments of several variables, for epsilon 1, and the law of one variable's sums."""
    how = choose_moment_mechanism(options(1.0, 0, None, neighbors, "error", mechanisms=VECTOR_MECHANISMS), variables)
    size = variables * (variables + 3) // 2 + (not how.has_public_size)
    noise = how.mechanism.calibrate_vector(1.0, 0.0, 1.0, size, False)
    return noise, make_unit_noise_family(noise)


@pytest.mark.slow
@pytest.mark.parametrize(("variables", "neighbors"), [(3, "bounded"), (2, "unbounded"), (5, "unbounded")])
def test_simulated_noise_has_the_law_of_what_is_drawn(variables, neighbors):
    noise, law = noise_of(variables, neighbors)
    runs, rng = 20_000, np.random.default_rng(variables)
    if neighbors == "bounded":
        drawn = [each.rvs((runs, each.width), rng)[:, 0] / each.std() for each in noise.noises]
    else:
        drawn = (noise.rvs((runs, noise.width), rng)[:, :3] / noise.std()).T
    made = draw_reference(100, law, len(drawn)).noises
    for place, (one, other) in enumerate(zip(made, drawn)):
        cdf = law[place].cdf if neighbors == "bounded" else law.cdf
        # 8,192 even points, and as many random ones as have a distance of 0.0138 once in a thousand times
        assert stats.kstest(one, cdf).statistic < 0.004
        assert stats.kstest(other, cdf).pvalue > 1e-3
        assert all(stats.kstest(scale * other, cdf).pvalue < 1e-3 for scale in (0.9, 1.1))
    # elements of one vector are large together, which independent ones are not
    together = np.corrcoef(made[0] ** 2, made[1] ** 2)[0, 1], np.corrcoef(drawn[0] ** 2, drawn[1] ** 2)[0, 1]
    assert together[0] == pytest.approx(together[1], abs=0.05)
    assert abs(together[0]) < 0.02 if neighbors == "bounded" else together[0] > 0.08


@pytest.mark.slow
@pytest.mark.parametrize("scales", [(9.0, 2.0), (1.0, 30.0)])
def test_noise_is_bounded_from_above_and_no_more_than_needed(scales):
    noise, law = noise_of(3, "bounded")
    rng = np.random.default_rng(8)
    parts = [each.rvs((100_000, each.width), rng)[:, 0] / each.std() for each in noise.noises]
    total = scales[0] * parts[0] + scales[1] * parts[1]
    weights_, values, rest = bound_noise_by_steps(scales, law)
    assert rest < 1e-11 and np.all(np.diff(values) >= 0.0)
    shares = np.cumsum(weights_)
    for share in (0.1, 0.5, 0.9, 0.99, 0.999):
        value = values[np.searchsorted(shares, share)]
        above = np.count_nonzero(total > value) / total.size
        error = (share * (1 - share) / total.size) ** 0.5
        # five standard errors; steps from above leave a hundredth more of the tail at most, and half a step
        assert above <= 1.0 - share + 5.0 * error
        assert above >= 0.85 * (1.0 - share) - 5.0 * error - 0.03 * (share < 0.6)


@pytest.mark.slow
def test_tests_of_several_variables_keep_their_level_with_a_private_number_of_records():
    noise, law = noise_of(3, "unbounded")
    sd, runs, found = noise.std(), 150, {1.0: 0, 0.25: 0}
    rng = np.random.default_rng(5)
    for _ in range(runs):
        z = np.where(rng.random(100) < 0.3, 0.6, -0.4)
        sums = np.array([100.0, z.sum(), (z * z).sum()]) + noise.rvs(noise.width, rng)[:3]
        for share in found:
            # and with less noise than there is it does not
            mix = tuple(map(tuple, (share * sd * np.eye(3)).tolist()))
            found[share] += compute_t_pvalue(NoisySums(tuple(sums), mix, law, None), -0.1, stop_above=0.05)[1] <= 0.05
    # 5 standard errors
    assert found[1.0] <= runs * (0.05 + 5 * (0.0475 / runs) ** 0.5) < found[0.25]

"""Rare responses and levels of few records: errors of two values, and the tests that follow from them."""

import numpy as np
import pytest
from levels import regression as levels
from scipy import stats

import pydpstat
from pydpstat._null_distributions.regression import score_tests
from pydpstat._null_distributions.regression.rare_errors import RareErrors, choose_partition, find_level_partitions

# next to no noise
SURE = 1e6
RNG = np.random.default_rng(1)


@pytest.mark.parametrize("share", [0.001, 0.015, 0.3])
def test_a_response_of_two_values_has_their_errors(share):
    mean, variance = 2.0 * share - 1.0, 4.0 * share * (1.0 - share)
    found = RareErrors.from_moments(mean, variance)
    assert found == pytest.approx((share, 1.0 - mean, -1.0 - mean))
    # of a frequent one the other value is rare
    assert RareErrors.from_moments(-mean, variance) == pytest.approx((share, mean - 1.0, 1.0 + mean))


def test_errors_near_a_bound_have_a_distribution_with_their_mean_and_variance():
    for mean, variance in ((-0.9, 0.05), (-0.99, 0.01), (0.8, 0.3), (-0.999, 0.5)):
        share, rare, usual = RareErrors.from_moments(mean, variance)
        assert share * rare + (1.0 - share) * usual == pytest.approx(0.0, abs=1e-15)
        assert share * rare**2 + (1.0 - share) * usual**2 == pytest.approx(variance)
        assert share < 0.5 and abs(rare - usual) <= 2.0 + 1e-12
        # a further bound on the other side changes nothing: the skewness is the least that there can be
        if abs(rare - usual) < 2.0:
            near = (1.0 - abs(mean)) / np.sqrt(variance)
            skewness = (share * rare**3 + (1.0 - share) * usual**3) / variance**1.5
            assert abs(skewness) == pytest.approx(1.0 / near - near)


def test_errors_far_from_both_bounds_may_be_normal():
    assert RareErrors.from_moments(0.0, 0.9) is None and RareErrors.from_moments(-0.8, 0.039) is None
    assert RareErrors.from_moments(-1.0, 0.0) is None


def matrix_of(*columns):
    v = np.column_stack([np.ones(columns[0].size), *columns])
    return v.T @ v, v[:, :-1]


def test_records_are_divided_by_levels_and_by_numbers_of_two_values():
    g, y = RNG.integers(0, 3, 500), RNG.uniform(-1, 1, 500)
    rare, usual = np.where(RNG.random(500) < 0.05, 0.2, -1.0), RNG.normal(0, 0.25, 500).clip(-1, 1)
    frequent = np.where(RNG.random(500) < 0.9, 1.0, -1.0)
    matrix, v = matrix_of(rare, usual, frequent, g == 1, g == 2, y)
    whole, by_level, *numbers = find_level_partitions(matrix, (1, 2, 3), ((-1, 4, 5),))
    assert np.array_equal(v @ whole.T, np.ones((500, 1)))
    assert np.array_equal(v @ by_level.T, g[:, None] == np.arange(3))
    # the one with a normal distribution divides nothing
    assert len(numbers) == 2
    for forms, usual_one in zip(numbers, (rare == -1.0, frequent == 1.0)):
        assert v @ forms.T == pytest.approx(np.column_stack([1.0 * usual_one, 1.0 - usual_one]), abs=1e-9)
    design, unit = matrix[:-1, :-1], np.eye(6)
    assert choose_partition((whole, by_level, *numbers), design, unit[1]) is numbers[0]
    assert choose_partition((whole, by_level, *numbers), design, unit[4]) is by_level
    assert choose_partition((whole, by_level, *numbers), design, unit[2]) is None


def test_less_than_one_noisy_record_at_an_end_divides_the_records():
    _, forms = find_level_partitions(np.array([[10.0, -9.5, 0.0], [-9.5, 9.1, 0.0], [0.0, 0.0, 1.0]]), (1,), ())
    # 1 + x has the sum 0.5 and the sum of squares 0.1
    assert forms == pytest.approx(np.array([[-4.0, -5.0], [5.0, 5.0]]))


def test_the_errors_of_each_level_are_counts_with_all_that_follows_from_them():
    g, draws = np.repeat([0, 1, 2], [700, 250, 50]), 4096
    matrix, v = matrix_of(g == 1, g == 2, 0.1 + 0.2 * (g == 2) + RNG.normal(0, 0.1, g.size), g)
    design = v.T @ v
    _, by_level = find_level_partitions(matrix, (), ((-1, 1, 2),))
    root = np.linalg.cholesky(design)
    normal = root @ stats.norm.ppf(stats.qmc.Sobol(4, seed=1).random(draws)).T
    share = 0.03
    errors = RareErrors.from_moments(2.0 * share - 1.0, 4.0 * share * (1.0 - share))
    sd = np.sqrt(4.0 * share * (1.0 - share))
    sums, squares = errors.simulate_sums(design, by_level, normal, sd)
    counts = (by_level @ sums * sd - np.array([[700], [250], [50]]) * errors.usual_value) / 2.0
    assert np.abs(counts - np.rint(counts)).max() < 1e-6
    for each, number in zip(counts, (700, 250, 50)):
        # scrambled points are nearer to their law than random ones
        k = np.arange(30)
        below = np.mean(np.rint(each) <= k[:, None], axis=1)
        assert np.abs(below - stats.binom.cdf(k, number, share)).max() < 0.01
    total = np.rint(counts).sum(axis=0)
    assert squares * sd**2 == pytest.approx(total * errors.rare_value**2 + (1000 - total) * errors.usual_value**2)
    # what the other predictor has in the levels moves with their errors
    assert np.cov(sums) == pytest.approx(design, rel=0.12, abs=20.0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["level", "number", "reference"])
def test_p_values_of_rare_ones_are_those_of_counts(kind):
    # 1 of 10 records in the level, and 14 of 990 others
    inside, y = np.arange(1000) < 10, np.zeros(1000)
    y[[0, *range(100, 114)]] = 1.0
    g = np.where(inside, "b", "a")
    public = {"bounds": {"y": (0, 1)}, "levels": {"g": ["a", "b"] if kind == "level" else ["b", "a"]}}
    data, formula = {"y": y, "g": g}, "y ~ C(g)"
    if kind == "number":
        data, formula, public = {"y": y, "x": inside * 1.0}, "y ~ x", {"bounds": (0, 1)}
    fit = pydpstat.ols(formula, data, SURE, **public, rng=1)
    rng, q, draws = np.random.default_rng(3), 15 / 1000, 400_000
    first, second = rng.binomial(10, q, draws), rng.binomial(990, q, draws)

    def studentized(first, second):
        gap, total = first / 10 - second / 990, first + second
        # the scores' residuals are those of the hypothesis
        return np.abs(gap) / np.sqrt(np.maximum(total / 1000 * (1.0 - total / 1000), 1e-12))

    drawn, seen = studentized(first, second), studentized(1, 14)
    # what noise there is decides on ties; three standard errors of 4,096 draws
    above, least = (np.mean(drawn >= seen * (1.0 + side * 1e-9)) for side in (1.0, -1.0))
    assert above - 0.012 <= fit.pvalues.iloc[1] <= least + 0.012
    # of normal errors it would be half of that
    assert above - 0.012 > 0.04 and 2.0 * stats.norm.sf(seen * np.sqrt(9.9)) < 0.03


def test_results_name_coefficients_that_few_records_determine():
    g = np.repeat(["a", "b", "c"], [600, 380, 20])
    data = {"y": RNG.normal(0.5, 0.1, 1000), "g": g}
    for levels_given, named in (("abc", "C(g)[T.c]"), ("cab", "C(g)[T.a], C(g)[T.b]"), ("ab", "")):
        kept = {name: values[g != "c"] if levels_given == "ab" else values for name, values in data.items()}
        fit = pydpstat.ols("y ~ C(g)", kept, 20.0, bounds=(0, 1), levels={"g": list(levels_given)}, rng=1)
        told = [each for each in fit.remarks if "fewer than 30 records" in each]
        assert bool(told) == bool(named) and all(f" {named} " in each for each in told)


@pytest.mark.slow
def test_a_response_that_is_far_from_its_bounds_is_as_before(monkeypatch):
    x = RNG.uniform(0, 1, 500)
    y = 0.4 + 0.2 * x + 0.1 * RNG.standard_normal(500)

    def never(found, design, tested):
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(score_tests, "choose_partition", never)
        fit = pydpstat.ols(y, x, 5.0, bounds=(0, 1), rng=1)
        assert np.isfinite(fit.conf_int()).to_numpy().all() and fit.pvalues["x1"] < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("law", ["rare ones", "rare ones, a rare level"])
def test_the_level_holds_where_a_rare_response_meets_a_rare_level(law):
    setting = {"method": "moments", "law": law, "predictors": 2 if "level" in law else 1, "n": 1000}
    # of true levels of 0.05 more rejections come once in 2,500 tests
    assert levels.rejections({**setting, "epsilon": 50.0}, 400, 3) <= stats.binom.isf(4e-4, 400, 0.05)


@pytest.mark.slow
def test_intervals_of_rare_ones_have_the_values_that_are_not_rejected():
    rng = np.random.default_rng(5)
    g = rng.permutation(np.repeat(["a", "b"], [1900, 100]))
    y = rng.random(2000) < np.where(g == "b", 0.06, 0.03)
    fit = pydpstat.ols("y ~ C(g)", {"y": y * 1.0, "g": g}, 20.0, bounds=(0, 1), levels={"g": ["a", "b"]}, rng=1)
    for name in fit.params.index:
        low, high = fit.conf_int().loc[name]
        assert low < fit.params[name] < high < 0.3
        for end, side in ((low, -1.0), (high, 1.0)):
            assert fit.test(name, end + side * 0.002) <= 0.05 < fit.test(name, end - side * 0.004)

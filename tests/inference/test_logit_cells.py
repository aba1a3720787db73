"""Logistic regression by cells: sums of proven sensitivity, and what follows from them."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat
from pydpstat import Budget, PydpstatError
from pydpstat._null_distributions.logistic.cell_logit import CellLogit, ScoreExpansion
from pydpstat._null_distributions.logistic.logistic_cells import CellModel, CellTable, evaluate_logistic, fit_cell_lines
from pydpstat._null_distributions.noise import BinomialTerms, CubeTerms, GeometricTerms, WeightedSum
from pydpstat.inference.logistic._cell_regression import EPSILON_SHARES, fit_cell_model, make_cell_table
from pydpstat.inference.logistic._logit_cells import CellRecords, DesignCells
from pydpstat.inference.regression._design import read_regression
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.mechanisms.mechanism import split_by_shares
from pydpstat.random import source_from

DRAW = np.random.default_rng(12)
N = 40_000
REGIONS = [f"r{place}" for place in range(6)]
FRAME = pd.DataFrame(
    {
        "x": DRAW.uniform(0.0, 10.0, N),
        "w": DRAW.exponential(2.0, N),
        "region": DRAW.choice(REGIONS, N, p=[0.4, 0.3, 0.15, 0.1, 0.04, 0.01]),
        "sex": DRAW.choice(["f", "m"], N),
    }
)
ODDS = -1.0 + 0.2 * FRAME.x - 0.1 * FRAME.w + 0.5 * (FRAME.region == "r2") - 0.4 * (FRAME.sex == "m")
FRAME["y"] = DRAW.uniform(size=N) < evaluate_logistic(ODDS)
LEVELS = {"region": REGIONS, "sex": ["f", "m"]}
BOUNDS = {"x": (0, 10), "w": (0, 20)}


def logit(formula, epsilon, data=FRAME, **own):
    levels = {name: each for name, each in LEVELS.items() if name in formula}
    bounds = {name: each for name, each in BOUNDS.items() if f" {name}" in formula}
    return pydpstat.logit(formula, data, epsilon, bounds=bounds or None, levels=levels or None, **own)


def plain(formula):
    formulas = pytest.importorskip("statsmodels.formula.api")
    return formulas.logit(formula, FRAME.assign(y=FRAME.y.astype(int), w=FRAME.w.clip(0, 20))).fit(disp=0)


FORMULAS = ["y ~ C(region)", "y ~ C(sex) * C(region)", "y ~ x + C(region)", "y ~ x + C(sex) + w"]


@pytest.mark.slow
@pytest.mark.parametrize(("formula", "neighbors"), list(zip(FORMULAS, ["bounded", "unbounded"] * 2)))
def test_with_next_to_no_noise_it_is_the_maximum_of_the_likelihood(formula, neighbors):
    r, fitted = logit(formula, 1e6, neighbors=neighbors, rng=1), plain(formula)
    assert sorted(r.params.index) == sorted(fitted.params.index)
    # the steps arrive within a hundredth of a standard error
    assert ((r.params - fitted.params).abs() / fitted.bse).max() < 0.01
    assert (r.bse / fitted.bse).to_numpy() == pytest.approx(1.0, abs=0.01)
    ends, wald = r.conf_int().to_numpy(), fitted.conf_int().loc[r.params.index].to_numpy()
    # an interval by inversion of score tests is not symmetric, and as long
    assert (ends[:, 1] - ends[:, 0]) == pytest.approx(wald[:, 1] - wald[:, 0], rel=0.04)
    assert (r.nobs is None) == (neighbors == "unbounded")


@pytest.mark.slow
@pytest.mark.parametrize("formula", FORMULAS)
def test_every_coefficient_has_a_standard_error_near_the_plain_one(formula):
    r, fitted = logit(formula, 1.0, rng=2), plain(formula)
    assert ((r.bse / fitted.bse) < 3.0).all()
    assert ((r.params - fitted.params).abs() / r.bse < 5.0).all()


def records(data):
    """Records of a factor of three levels, and of two numbers."""
    regression = read_regression("y ~ C(g) + u + v", data, (-1, 1), {"g": [0, 1, 2]}, "error", binary=True)
    return CellRecords(regression, DesignCells.from_design(regression.design))


def one(y, g, u, v):
    return records({"y": np.array([y]), "g": np.array([g]), "u": np.array([u]), "v": np.array([v])})


def norms(query, mechanism):
    """The exact values by part: of each vector a list."""
    found, start = [], 0
    for part in mechanism.parts:
        values = query.exact[start : start + part.size]
        found.append(np.array(values, dtype=object).reshape(part.vectors, part.noise.columns))
        start += part.size
    return found


def moved(first, second, mechanism):
    """How far each part's vectors move in all, in units of what its noise is for."""
    pairs = zip(norms(first, mechanism), norms(second, mechanism), mechanism.parts)
    return [sum(max(map(abs, row)) for row in a - b) / Fraction(part.noise.scale) for a, b, part in pairs]


CENTER = np.array([0.5, -1.0, 1.0, 2.0, -1.0])


def asked(own, ends):
    """Both queries with their mechanisms."""
    cells = own.cells
    lines = fit_cell_lines(cells.rows @ CENTER, 3.0, np.full(3, 1.0 / 3.0))
    rest = own.make_remainder_query(CENTER, lines, ends, None)
    return (own.make_table_query(ends, None), cells.make_table_mechanism(ends)), (
        rest,
        cells.make_remainder_mechanism(ends),
    )


@pytest.mark.slow
def test_no_record_moves_a_part_by_more_than_its_noise_is_for():
    draw, worst = np.random.default_rng(8), [Fraction(0)] * 4
    values = [-1.0, -0.999, 0.0, 0.3, 1.0]
    for _ in range(150):
        both = [(draw.random() < 0.5, draw.integers(3), *draw.choice(values, 2)) for _ in range(2)]
        pairs = zip(asked(one(*both[0]), 2), asked(one(*both[1]), 2))
        found = [each for (a, noise), (b, _) in pairs for each in moved(a, b, noise)]
        worst = [max(a, b) for a, b in zip(worst, found)]
    assert max(worst) <= 1
    # the table's parts are moved by all of it
    assert worst[0] == worst[1] == 1


def test_a_record_more_moves_half_as_much():
    draw = np.random.default_rng(9)
    nobody = records({"y": np.empty(0, bool), "g": np.empty(0), "u": np.empty(0), "v": np.empty(0)})
    for _ in range(40):
        own = one(draw.random() < 0.5, draw.integers(3), *draw.choice([-1.0, 0.0, 1.0], 2))
        for (a, noise), (b, _) in zip(asked(own, 1), asked(nobody, 1)):
            assert max(moved(a, b, noise)) <= 1


def test_remainders_are_what_lines_leave_of_the_curve():
    draw, size = np.random.default_rng(10), 400
    y, g, (u, v) = draw.random(size) < 0.5, draw.integers(0, 3, size), draw.uniform(-1.0, 1.0, (2, size))
    own = records({"y": y, "g": g, "u": u, "v": v})
    query, _ = asked(own, 2)[1]
    lines = fit_cell_lines(own.cells.rows @ CENTER, 3.0, np.full(3, 1.0 / 3.0))
    along = CENTER[3] * u + CENTER[4] * v
    s = evaluate_logistic(lines.middle[g] + along)
    weight = s * (1.0 - s)
    score = (s - lines.level[g] - lines.slope[g] * along) / lines.max_error[g]
    information = (weight - lines.weight[g]) / lines.max_weight_error[g]
    expected = [
        float(addend[g == cell].sum())
        for cell in range(3)
        for addend in (score, information, information * u, information * v)
    ]
    common = (s - lines.common_level[g] - lines.common_slope * along) / lines.common_max_error
    rest = (weight - lines.common_weight) / lines.common_max_weight_error
    expected += [float(addend.sum()) for addend in (common * u, common * v, rest * u * u, rest * u * v, rest * v * v)]
    # every addend is rounded to 2^-30
    assert list(map(float, query.exact)) == pytest.approx(expected, abs=size * 2.0**-30)


def test_an_interaction_makes_no_more_cells():
    data = FRAME[:10]
    made = [
        DesignCells.from_design(
            read_regression(f"y ~ C(sex) {sign} C(region)", data, None, LEVELS, "error", True).design
        )
        for sign in "+*"
    ]
    assert made[0].names == made[1].names and len(made[1].rows) == 12


def test_counts_are_those_of_pandas():
    regression = read_regression("y ~ C(sex) + C(region)", FRAME, None, LEVELS, "error", binary=True)
    query = CellRecords(regression, DesignCells.from_design(regression.design)).make_counts_query(2, N)
    wanted = FRAME.groupby(["sex", "region", "y"]).size()
    assert query.exact == tuple(wanted.tolist()) and query.sensitivities == (2,)
    assert query.labels.names[1] == "sex=f, region=r0, y=True"


ROWS = np.array([[1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0, 0.0]])


def table_of_two_numbers(means, covariance):
    """A table without noise of three cells, each with these means of two numbers and this covariance matrix."""
    sizes, responses = np.array([300.0, 150.0, 50.0]), np.array([[0.6, 0.4], [0.5, 0.5], [0.2, 0.8]])
    counts, products = sizes[:, None] * responses, sizes.sum() * (covariance + np.outer(means, means))
    return CellTable(ROWS, (3, 4), counts, counts[..., None] * means, products, 0.0, False, 0.0, np.ones(3))


def test_two_numbers_have_beta_distributions_in_all_cells():
    means, variances = np.array([0.3, -0.2]), np.array([0.1, 0.25])
    model = CellModel(table_of_two_numbers(means, np.diag(variances)))
    points, masses = model._points, model._masses
    # 128 points of a sequence of low discrepancy, which are turned a little for the exact covariance
    shares = (np.arange(128) + 0.5) / 128
    for mean, variance, values in zip(means, variances, points[0].T):
        size = (1.0 - mean * mean) / variance - 1.0
        beta = stats.beta(0.5 * (1.0 + mean) * size, 0.5 * (1.0 - mean) * size, -1.0, 2.0)
        assert (mean + np.sort(values))[8:-8] == pytest.approx(beta.ppf(shares)[8:-8], abs=0.03)
    assert masses == pytest.approx(1.0 / 128)


def test_sums_and_information_of_two_numbers_are_those_of_records_at_the_points():
    means, covariance = np.array([0.1, -0.3]), np.array([[0.1, 0.03], [0.03, 0.05]])
    table = table_of_two_numbers(means, covariance)
    model = CellModel(table)
    points, masses = model._points, model._masses
    assert (points[0].T * masses) @ points[0] == pytest.approx(covariance) and masses @ points[0] == pytest.approx(0.0)
    b, expected, information = np.array([0.4, -0.5, 1.0, 2.0, -1.5]), np.zeros(5), np.zeros((5, 5))
    for row, size in zip(ROWS, table.counts.sum(axis=1)):
        x = np.hstack([np.tile(row[:3], (128, 1)), means + points[0]])
        s = evaluate_logistic(x @ b)
        expected += size * (masses * s) @ x
        information += size * (x.T * (masses * s * (1.0 - s))) @ x
    found = model.evaluate_at(b)
    assert found.expected == pytest.approx(expected) and found.information == pytest.approx(information)


def test_the_noise_of_a_numbers_information_is_that_of_its_remainder():
    table, zero = table_of_two_numbers(np.zeros(2), 0.1 * np.eye(2)), np.zeros(5)
    # two sums and three products in one vector of cube noise
    units = np.array([3.0, 3.0, 0.5, 0.5, 0.5])
    expansion = ScoreExpansion(
        zero, zero, np.eye(5), np.zeros(3), np.zeros(3), np.zeros(3), 0.2, np.zeros((3, 4)), units
    )
    found = CellLogit(table, expansion)._compute_information_noise(np.eye(5))
    assert found == pytest.approx([0.0, 0.0, 0.0, *[0.25 * CubeNoise(1.0, 5).std() ** 2] * 2])


@pytest.mark.slow
def test_tails_are_those_of_draws():
    draw, runs, weights = np.random.default_rng(1), 200_000, np.array([[0.7, -0.4], [0.2, 0.9]])
    cubes = sum(CubeNoise(1.0, 2).rvs((runs, 2), random_state=k) @ weights[k] for k in range(2))
    counts = (draw.binomial(30, 0.05, runs) - 1.5) * 0.8
    noise = np.subtract(*draw.geometric(1.0 - math.exp(-0.5), (2, runs))) * 0.3
    binomial = BinomialTerms(np.array([30.0]), np.array([0.05]), np.array([0.8]))
    both = WeightedSum(0.5, (CubeTerms(weights), binomial, GeometricTerms(0.5, np.array([0.3]))))
    sums = cubes + counts + noise + math.sqrt(0.5) * draw.standard_normal(runs)
    assert sums.var() == pytest.approx(0.5 + sum(part.variance for part in both.terms), rel=0.02)
    for share in (0.1, 0.02, 0.002):
        x = float(np.quantile(sums, 1.0 - share))
        # 5 % are added; 400 draws are beyond the last one
        assert 0.95 < both.approximate_tail(x) / share < 1.25
    for x in (0.5, 2.0, 6.0):
        assert WeightedSum(1.0, ()).approximate_tail(x) == pytest.approx(1.05 * stats.norm.sf(x), rel=1e-3)


def simulated(n, b, epsilon, draw, spread, number):
    """What a release says of three levels, and a number with skewed values; `spread` multiplies the noise."""
    g, u = draw.choice(3, n, p=[0.6, 0.3, 0.1]), np.clip(draw.exponential(0.3, n) - 1.0, -1.0, 1.0)
    odds = b[0] + b[1] * (g == 1) + b[2] * (g == 2) + (b[3] * u if number else 0.0)
    data = {"y": draw.random(n) < evaluate_logistic(odds), "g": g, "u": u}
    formula = "y ~ C(g) + u" if number else "y ~ C(g)"
    regression = read_regression(formula, data, (-1, 1) if number else None, {"g": [0, 1, 2]}, "error", True)
    own = CellRecords(regression, DesignCells.from_design(regression.design))
    if not number:
        noise = np.subtract(*draw.geometric(1.0 - math.exp(-0.5 * epsilon), (2, 6)))
        noisy = own.make_counts_query(2, n).value + spread * noise
        return CellLogit(make_cell_table(own.cells, noisy, (0.5 * epsilon, 0.0), 2), None)

    def ask(query, mechanism, share):
        noise = mechanism.calibrate_vector(share, 0.0, 1.0, query.value.size)
        drawn = noise.draw(source_from(draw), query.value.size, None)
        return query.value + spread * drawn, (noise.scale[0], noise.scale[-1])

    return fit_cell_model(own, split_by_shares(epsilon, EPSILON_SHARES), 2, n, ask)[0]


@pytest.mark.slow
@pytest.mark.parametrize("number", [False, True])
def test_true_coefficients_are_rejected_as_often_as_stated(number):
    draw, b = np.random.default_rng(4), (-0.5, 0.5, 0.0, 2.0)[: 4 if number else 3]

    def rejected(spread, runs):
        laws = [simulated(2000, b, 2.0 if number else 0.5, draw, spread, number) for _ in range(runs)]
        return sum(law.compute_pvalue(np.eye(len(b))[2], b[2]) <= 0.05 for law in laws)

    # three standard errors of 60 runs, whose false alarm is 0.3 %; the seed is fixed
    assert rejected(1.0, 60) <= 60 * (0.05 + 3.0 * math.sqrt(0.05 * 0.95 / 60))
    # where eight times as much noise was added as is known, more often: 40 runs at 0.05 have more than 7
    # with a probability of 1 in 1,000
    assert rejected(8.0, 40) > 7


@pytest.mark.slow
def test_intervals_have_what_is_not_rejected():
    law = simulated(5000, (-0.5, 0.5, 0.0, 1.0), 2.0, np.random.default_rng(3), 1.0, True)
    for combination in (*np.eye(4), np.array([0.0, 1.0, -1.0, 0.0])):
        low, high = law.compute_limits(combination, 0.05)
        assert low < combination @ law.estimate < high
        assert law.compute_pvalue(combination, low) == pytest.approx(0.05, rel=1e-3)
        assert law.compute_pvalue(combination, high) == pytest.approx(0.05, rel=1e-3)
        wider = law.compute_limits(combination, 1e-6)
        assert wider[0] < low and high < wider[1]


def test_a_private_number_of_records_is_not_told():
    for formula in FORMULAS[::2]:
        budget = Budget(1.0, neighbors="unbounded")
        r = logit(formula, 1.0, budget=budget)
        assert r.nobs is None and r.guarantee.neighbors == "unbounded"
        assert r.guarantee.epsilon == 1.0 == budget.spent.epsilon and len(budget.entries) == 1
        assert str(N) not in str(r.to_dict())
        assert pickle.loads(pickle.dumps(r)).params.equals(r.params)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "epsilon"), [(0, 1.0), (3, 1e-9), (40, 100.0)])
@pytest.mark.parametrize("formula", ["y ~ C(sex)", "y ~ x + C(sex)", "y ~ x"])
def test_whatever_the_records_are(formula, n, epsilon):
    r = logit(formula, epsilon, data=FRAME[:n], neighbors="unbounded", rng=n)
    assert np.isfinite(r.params).equals(np.isfinite(r.bse)) and not r.bse.isna().any()
    assert ((r.pvalues > 0.0) & (r.pvalues <= 1.0)).all()
    for alpha in (0.5, 1e-6):
        ends = r.conf_int(alpha).to_numpy()
        assert not np.isnan(ends).any() and (ends[:, 0] < ends[:, 1]).all()


def test_too_many_cells_are_refused_before_anything_is_paid():
    levels = {"sex": [*"fm", *map(str, range(50))], "region": [*REGIONS, *map(str, range(50))]}
    budget = Budget(1.0)
    with pytest.raises(PydpstatError, match="at most 2,000 combinations"):
        pydpstat.logit("y ~ C(sex) + C(region)", FRAME, 1.0, levels=levels, budget=budget)
    assert not budget.spent.epsilon


@pytest.mark.parametrize("dip", [0.0499, 0.03])
def test_an_interval_reaches_the_last_value_that_is_not_rejected(dip):
    """p-values that fall below the level and rise above it again belong to values inside of the interval."""

    class Fallen(CellLogit):
        def __init__(self):
            pass

        def compute_pvalue(self, combination, value):
            size = abs(value)
            return 1.0 - size if size < 0.9 else dip if size < 5.0 else 0.2 if size < 9.0 else 0.001

    for side in (-1.0, 1.0):
        assert Fallen()._find_limit(np.ones(1), 0.0, 0.3 * side, 0.05) == pytest.approx(9.0 * side, rel=1e-4)

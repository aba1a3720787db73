"""Slopes that are steep between the bounds: what is released then, and what is said or is missing."""

import math
from fractions import Fraction

import numpy as np
import pytest

import pydpstat
from pydpstat._null_distributions.logistic.logistic_cells import evaluate_logistic
from pydpstat._null_distributions.logistic.logistic_equations import (
    EquationPoint,
    EquationQueries,
    LogitSums,
    Scaling,
    solve_equations,
    sum_remaining_epsilon,
)
from pydpstat.inference.logistic._logit_records import LogitRecords
from pydpstat.inference.regression._design import read_regression
from tests.neighbors.engine import Case, compared

SLOPE = 0.2
KINDS = ("bounded", "unbounded")


def ages(seed, n=20_000):
    """Ages of 60 +- 6 years, and a response whose log odds grow with them."""
    draw = np.random.default_rng(seed)
    age = 60.0 + 6.0 * draw.standard_normal(n)
    return age, draw.random(n) < evaluate_logistic(SLOPE * (age - 60.0))


def fitted(seed, epsilon, bounds, neighbors):
    age, y = ages(seed)
    return pydpstat.logit(y, {"age": age}, epsilon, bounds=bounds, neighbors=neighbors, rng=seed)


def one_story(r):
    """Estimate, standard error, interval and p-value of each coefficient are there, or all are missing."""
    for name, (low, high) in zip(r.params.index, r.conf_int().to_numpy()):
        missing = math.isnan(r.params[name])
        assert missing == math.isinf(r.bse[name]) == (math.isinf(low) and math.isinf(high))
        assert not missing or r.pvalues[name] == r.test(name, 1.0) == 1.0
        assert low < 0.0 < high or not (math.isinf(low) and math.isinf(high))
        # where an interval has no end on the side of 0, it is not rejected
        assert not (low < 0.0 < high and math.isinf(low if r.params[name] > 0.0 else high)) or (r.pvalues[name] > 0.05)
    return not r.params.isna().any()


@pytest.mark.parametrize("neighbors", KINDS)
@pytest.mark.parametrize("top", [120, 1000])
def test_a_steep_slope_is_not_cut(top, neighbors):
    r = fitted(3, 2.0, (0, top), neighbors)
    assert one_story(r) and abs(r.params["age"] - SLOPE) < 4.0 * r.bse["age"] < 0.03
    assert r.pvalues["age"] < 0.05
    (told,) = [each for each in r.remarks if each.startswith("Slopes are steep")]
    low, high = (float(told.split(f" {word} ")[-1].split(" ")[0].rstrip(".")) for word in ("from", "to"))
    # about 2.5 standard deviations of 6 about a mean of 60
    assert 35.0 < low < 50.0 and 70.0 < high < 85.0
    assert r.guarantee.epsilon == 2.0 and "model has no other bounds" in " ".join(r.summary().as_text().split())


def test_a_steep_slope_beside_levels_needs_records_for_each_coefficient():
    draw, n = np.random.default_rng(5), 4000
    age, levels = 60.0 + 6.0 * draw.standard_normal(n), ["a", "b", "c"]
    columns = {"age": age, "g": draw.choice(levels, n), "h": draw.choice(levels, n)}
    columns["y"] = draw.random(n) < evaluate_logistic(2.0 * SLOPE * (age - 60.0))
    own = {"bounds": {"age": (0, 120)}, "levels": {"g": levels, "h": levels}}
    # 7,600 of the 1,000 that each of 6 coefficients needs; each of 9 cells would need as many
    r = pydpstat.logit("y ~ age + g + h", columns, 1.9, **own, rng=1)
    assert any(each.startswith("Slopes are steep") for each in r.remarks)


@pytest.mark.parametrize("epsilon", [100.0, 1e4])
@pytest.mark.parametrize("neighbors", KINDS)
def test_a_larger_epsilon_does_not_lose_a_slope_that_is_at_the_limit_of_lines(neighbors, epsilon):
    r = fitted(4, epsilon, (0, 1000), neighbors)
    one_story(r)
    assert abs(r.params["age"] - SLOPE) < 4.0 * r.bse["age"] < 0.02


def test_levels_at_a_limit_do_not_make_slopes_steep():
    draw, n = np.random.default_rng(6), 4000
    columns = {"age": draw.uniform(0.0, 100.0, n), "g": draw.choice(["a", "b"], n)}
    columns["y"] = (draw.random(n) < evaluate_logistic(0.02 * (columns["age"] - 50.0))) & (columns["g"] == "a")
    given = {"bounds": {"age": (0, 100)}, "levels": {"g": ["a", "b"]}}
    r = pydpstat.logit("y ~ age + g", columns, 50.0, neighbors="unbounded", **given, rng=1)
    assert math.isnan(r.params["g[T.b]"]) and abs(r.params["age"] - 0.02) < 4.0 * r.bse["age"]
    assert not any(each.startswith("Slopes are steep") for each in r.remarks)


@pytest.mark.parametrize("neighbors", KINDS)
def test_where_it_is_hidden_it_is_missing_with_the_reason(neighbors):
    age, y = ages(2, 1000)
    r = pydpstat.logit(y, {"age": age}, 0.5, bounds=(0, 1000), neighbors=neighbors, rng=1)
    one_story(r)
    assert math.isnan(r.params["age"])
    assert any("age" in each and ("uninformative" in each or "no estimate" in each) for each in r.remarks)


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", KINDS)
@pytest.mark.parametrize("bounds, epsilon", [((0, 120), 2.0), ((30, 90), 0.5), ((0, 1000), 0.5)])
def test_standard_errors_are_honest(bounds, epsilon, neighbors):
    found = [fitted(seed, epsilon, bounds, neighbors) for seed in range(40)]
    told = [r for r in found if not math.isnan(r.params["age"])]
    far = sum(abs(r.params["age"] - SLOPE) > 1.96 * r.bse["age"] for r in told)
    # three standard errors of so many runs
    assert far <= len(told) * 0.05 + 3.0 * math.sqrt(len(told) * 0.05 * 0.95)
    assert bounds != (0, 120) or len(told) >= 38
    assert [one_story(r) for r in found]


SHAPES = {
    "exponential": lambda draw, n: 40.0 + draw.exponential(6.0, n),
    "two values": lambda draw, n: np.where(draw.random(n) < 0.2, 72.0, 60.0),
    "uniform": lambda draw, n: draw.uniform(50.0, 70.0, n),
    "heavy tails": lambda draw, n: 60.0 + 3.0 * draw.standard_t(3, n),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_of_other_shapes_it_is_not_rejected_more_often(shape):
    rejected = far = told = 0
    for seed in range(40):
        draw = np.random.default_rng(seed)
        age = SHAPES[shape](draw, 10_000)
        y = draw.random(age.size) < evaluate_logistic(0.3 * (np.clip(age, 0.0, 120.0) - 60.0))
        r = pydpstat.logit(y, {"age": age}, 2.0, bounds=(0, 120), neighbors=KINDS[seed % 2], rng=seed)
        one_story(r)
        rejected += r.test("age", 0.3) <= 0.05
        if not math.isnan(r.params["age"]):
            told += 1
            far += abs(r.params["age"] - 0.3) > 1.96 * r.bse["age"]
    # three standard errors of 40 runs
    assert rejected <= 6 and far <= 6
    # of the exponential ages 6 % are ones, at the ends of the noisy moments' window: there most are missing
    assert told >= 20 or shape == "exponential"


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", KINDS)
@pytest.mark.parametrize("bounds", [[(5, 30), (5, 40)], [(0, 50), (0, 100)]])
def test_without_noise_it_is_that_of_statsmodels(bounds, neighbors):
    from statsmodels.api import Logit, add_constant

    data = pytest.importorskip("sklearn.datasets").load_breast_cancer()
    x, y = data.data[:, :2], data.target == 0
    r = pydpstat.logit(y, x, 1e6, bounds=bounds, neighbors=neighbors, rng=1)
    m = Logit(y.astype(int), add_constant(x)).fit(disp=0)
    assert (np.abs(r.params.to_numpy() - m.params) < 0.002 * m.bse).all()
    assert r.bse.to_numpy() == pytest.approx(m.bse, rel=0.01)


DATA = {"y": [True], "x": [0.0], "w": [0.0], "g": ["a"]}
ASKED = {"bounds": {"x": (-1, 1), "w": (-1, 1)}, "levels": {"g": ["a", "b", "c"]}}


def records(formula, **own):
    data = {name: np.array([own.get(name, each[0])]) for name, each in DATA.items()}
    levels = ASKED["levels"] if "C(g)" in formula else None
    bounds = {name: pair for name, pair in ASKED["bounds"].items() if name in formula}
    read = read_regression(formula, data, bounds, levels, "error", binary=True)
    return LogitRecords(read, Scaling(*read.design.units))


def moved(one, other):
    return sum(map(abs, (a - b for a, b in zip(one.exact, other.exact))))


@pytest.mark.parametrize("formula", ["y ~ x", "y ~ x + w", "y ~ x + C(g)", "y ~ x * C(g) + w"])
def test_no_record_moves_equations_or_moments_by_more_than_1(formula):
    draw, worst = np.random.default_rng(3), {}
    size = len(records(formula).names)
    window = Scaling(draw.uniform(-0.5, 0.5, size), draw.uniform(0.01, 1.0, size))
    at = EquationPoint(draw.uniform(-3.0, 3.0, size + 1), window, 0.3)
    steep = at._replace(center=np.full(size + 1, 1e6))
    for turn in range(60):
        both = [
            records(formula, y=draw.random() < 0.5, x=x, w=w, g=g)
            for x, w, g in zip(
                draw.choice([-1.0, 1.0, 0.1], 2), draw.uniform(-1.0, 1.0, 2), draw.choice(["a", "b", "c"], 2)
            )
        ]
        place = steep if turn % 4 == 0 else at
        for name, ask in {
            "equations": lambda own, ends, place=place: own.make_equations_query(place, ends, None),
            "moments": lambda own, ends: own.make_window_query(window, ends, None),
        }.items():
            one, other = (ask(each, 2) for each in both)
            alone = ask(both[0], 1)
            assert moved(one, other) <= one.sensitivities[0] < 1 + Fraction(1, 10**6)
            assert sum(map(abs, alone.exact)) <= alone.sensitivities[0] < 1 + Fraction(1, 10**6)
            worst[name] = max(worst.get(name, 0), moved(one, other))
    assert min(worst.values()) > 0.2


@pytest.mark.parametrize("changed, limits", [(1, (2, 3)), (2, (4, 4))])
def test_equations_and_information_have_their_shares_of_epsilon(changed, limits):
    own, window = records("y ~ x", y=True, x=1.0), Scaling(np.zeros(1), np.ones(1))
    # r = 1 - 1/2 and w = 1 at coefficients of 0, and a = (1, 1)
    sums = own.make_equations_query(EquationPoint(np.zeros(2), window, 0.25), changed, None)
    assert sums.exact == (*[Fraction(3, 8) / limits[0]] * 2, *[Fraction(1, 4) / limits[1]] * 3)


def test_moments_within_a_window_are_moved_by_all_of_it():
    # u from 1 to -1 / 2: 3 / 2 and 3 / 4
    one, other = (
        records("y ~ x", x=x).make_window_query(Scaling(np.zeros(1), np.ones(1)), 2, None) for x in (1.0, -0.5)
    )
    assert moved(one, other) == 1
    assert (
        sum(
            map(
                abs,
                records("y ~ x", x=1.0).make_window_query(Scaling(np.zeros(1), np.ones(1)), 1, None).exact,
            )
        )
        == 1
    )


def test_a_window_is_within_the_bounds_and_wider_without_noise():
    sums = LogitSums(1000.0, np.zeros(2), np.array([[1000.0, 100.0], [100.0, 20.0]]), np.array([0.0, 1.0]), (True,))
    near, wide, whole = sums.choose_window(), sums.choose_window(0.8, 1e-3), sums.choose_window(1e-9, 1e-9)
    # a variance of 0.02 - 0.01, and twice a thousandth for its noise
    assert near.half_width == pytest.approx(2.5 * math.sqrt(0.012)) and near.middle == pytest.approx(0.1)
    assert near.half_width < wide.half_width < whole.half_width == 1.1
    turned = whole.inverse_combinations @ np.array([0.5, 2.0])
    assert whole.combinations @ turned == pytest.approx([0.5, 2.0])


@pytest.mark.parametrize("records, share", [(1e3, 0.4), (1e6, 0.1)])
def test_the_information_has_between_a_tenth_and_four_tenths_of_epsilon(records, share):
    sums, asked = LogitSums(records, np.zeros(2), records * np.diag([1.0, 0.1]), np.zeros(2), (True,)), []

    def release_equations(point, epsilon):
        asked.append((point.information_share, epsilon))
        return np.array([0.0, 0.0, records, 0.0, records]), 1.0 / epsilon

    solve_equations(sums, np.zeros(2), 0.4, EquationQueries((1, 4), 1.0, None, release_equations))
    assert math.fsum(epsilon for _, epsilon in asked) == pytest.approx(0.4)
    assert [each for each, _ in asked] == [share] * len(asked)


def test_what_is_left_of_epsilon_is_not_rounded_up():
    shares = (0.1, 0.2, 0.3, 0.7)
    assert Fraction(sum_remaining_epsilon(shares)) <= sum(map(Fraction, shares))
    assert sum_remaining_epsilon(shares) == pytest.approx(1.3, rel=1e-15)


@pytest.mark.parametrize("neighbors", KINDS)
@pytest.mark.parametrize("formula", ["y ~ age", "y ~ age + C(g)"])
@pytest.mark.parametrize("odd", [0.0, 66.0, 1000.0, np.inf])
def test_neighbors_have_the_same_stages(formula, neighbors, odd):
    age, y = ages(3, 2000)
    g = np.where(np.arange(2000) % 3 == 0, "a", "b")
    changed = np.append(age, odd) if neighbors == "unbounded" else np.where(np.arange(2000) == 7, odd, age)
    levels = {"g": ["a", "b"]} if "C(g)" in formula else None

    def call(data, budget):
        given = {"neighbors": neighbors, "bounds": {"age": (0, 1000)}, "levels": levels}
        r = pydpstat.logit(formula, data, 50.0, budget=budget, **given)
        # steep slopes are those of equations
        assert any(name.split(": ")[-1].startswith("equation") for name, _ in r.released)
        return r

    size = changed.size
    second = {"age": changed, "y": np.resize(y, size), "g": np.resize(g, size)}
    second["y"][7] ^= neighbors == "bounded"
    case = Case("steep", call, lambda: {"age": age, "y": y, "g": g}, lambda: second, replayed=True)

    found, released = compared([case])
    assert found == [] and released == 1

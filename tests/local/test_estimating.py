"""The estimates: unbiased, likeliest, with the standard errors that the exact law has."""

import copy
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pydpstat import Budget, DPResults, PydpstatError
from pydpstat.local import RandomizedResponse, RandomizedResponseCoins, ResponseResults
from pydpstat.local import _intervals as estimate
from pydpstat.local._intervals import FixedAnswerCount, SampledAnswerCount
from tests.privacy_search import findings

LABELS = ["never", "sometimes", "daily"]
COINS = RandomizedResponseCoins()
BINARY = [
    RandomizedResponse(0.5),
    RandomizedResponse(3.0),
    COINS,
    RandomizedResponseCoins(0.6, 0.2),
    RandomizedResponseCoins(0.2, 0.95),
]


def answers_of(counts, categories):
    return np.repeat(np.array(categories), counts)


def test_the_text_books_formulas():
    r = COINS.estimate(answers_of([65, 35], [0, 1]))
    assert math.isclose(float(r), (0.35 - 0.25) / 0.5) and math.isclose(r.counts, 2 * 35 - 50)
    assert math.isclose(r.bse.iloc[0], math.sqrt(0.75 * 0.25 / 100) / 0.5)
    assert math.isclose(r.bse_population.iloc[0], math.sqrt(0.35 * 0.65 / 100) / 0.5)
    assert math.isclose(r.uncertainty, 2 * r.bse_population.iloc[0])
    assert r.nobs == 100 and r.answers.to_dict() == {0: 65, 1: 35}
    assert r.estimate == r.moment == r.ml == float(r)
    f = math.exp(0.5) / (1 + math.exp(0.5))
    other = RandomizedResponse(0.5).estimate([True] * 3 + [False] * 7)
    assert math.isclose(float(other), (0.3 + f - 1) / (2 * f - 1))


def test_many_categories_by_the_inverse_of_the_matrix():
    design = RandomizedResponse(1.3, LABELS)
    r = design.estimate(answers_of([50, 30, 20], LABELS))
    expected = np.linalg.solve(design.design_matrix.to_numpy(), [0.5, 0.3, 0.2])
    assert np.allclose(r.params, expected, rtol=1e-13) and math.isclose(r.params.sum(), 1.0)
    assert list(r.params.index) == LABELS and np.allclose(r.counts, 100 * expected)
    assert isinstance(r.estimate, pd.Series) and r.answers["sometimes"] == 30


@given(st.lists(st.integers(0, 60), min_size=2, max_size=8), st.floats(0.05, 4.0))
def test_the_likeliest_proportions_meet_the_conditions_of_a_maximum(counts, epsilon):
    n = sum(counts)
    if not n:
        return
    labels = [f"c{j}" for j in range(len(counts))]
    r = RandomizedResponse(epsilon, labels).estimate(answers_of(counts, labels), "ml")
    p = r.params.to_numpy()
    assert (p >= 0).all() and math.isclose(p.sum(), 1.0, abs_tol=1e-12) and np.array_equal(p, r.ml)
    design = r.design._response
    # the gradient is one number where p > 0 and no larger elsewhere
    gradient = np.array(counts) / (design.other + design.spread * p)
    level = gradient[p > 1e-9]
    assert np.ptp(level) <= 1e-6 * level.max() and gradient.max() <= level.max() * (1 + 1e-6)
    if (r.moment >= 0).all():
        assert np.allclose(p, r.moment, atol=1e-10)


def test_two_categories_are_cut_and_both_ways_are_one():
    for ones in range(11):
        counts = [10 - ones, ones]
        single = RandomizedResponse(1.0).estimate(answers_of(counts, [0, 1]), "ml")
        both = RandomizedResponse(1.0, ["no", "yes"]).estimate(answers_of(counts, ["no", "yes"]), "ml")
        assert math.isclose(float(single), both["yes"], abs_tol=1e-14)
        assert float(single) == min(max(single.moment, 0.0), 1.0)
        assert np.allclose(both.bse["yes"], single.bse.iloc[0])
        assert both.conf_int().loc["yes"].tolist() == single.conf_int().iloc[0].tolist()


def exactly(law, parameter, response, function):
    at = law.get_distribution(parameter)
    values = function(at.start + np.arange(at.mass.size))
    return float((at.mass * values).sum())


@pytest.mark.parametrize("design", BINARY, ids=repr)
@pytest.mark.parametrize("n", [10, 300])
def test_mean_and_variance_of_the_moment_estimate(design, n):
    response = design._response
    for p in (0.0, 0.1, 0.5, 1.0):
        laws = (FixedAnswerCount(n, response), round(p * n)), (SampledAnswerCount(n, response), p)
        for place, (law, parameter) in enumerate(laws):
            mean = exactly(law, parameter, response, lambda c: estimate.estimate_by_moments(c, n, response))
            second = exactly(
                law, parameter, response, lambda c: (estimate.estimate_by_moments(c, n, response) - p) ** 2
            )
            expected = float(estimate.compute_standard_errors(p, n, response)[place])
            assert math.isclose(mean, p, abs_tol=1e-11)
            assert math.isclose(math.sqrt(second), expected, rel_tol=1e-10, abs_tol=1e-12)


@pytest.mark.parametrize("n", [1, 7, 2000])
def test_the_laws_are_those_of_scipy(n):
    response = RandomizedResponse(1.0)._response
    for p in (0.0, 0.02, 0.5, 1.0):
        at = SampledAnswerCount(n, response).get_distribution(p)
        exact = stats.binom(n, response.other + p * response.spread)
        numbers = at.start + np.arange(at.mass.size)
        assert np.allclose(at.mass, exact.pmf(numbers), rtol=1e-9, atol=1e-15)
        for number in (0, n // 3, n):
            assert math.isclose(at.compute_lower_tail(number), exact.cdf(number), rel_tol=1e-9, abs_tol=1e-14)
            assert math.isclose(at.compute_upper_tail(number), exact.sf(number - 1), rel_tol=1e-9, abs_tol=1e-14)
        assert at.compute_lower_tail(-1) == at.compute_upper_tail(n + 1) == 0.0
        count = round(p * n)
        fixed = FixedAnswerCount(n, response).get_distribution(count)
        parts = [(m, q) for m, q in ((count, response.true), (n - count, response.other)) if m]
        # some versions of scipy divide by zero on their way to a probability of 0
        with np.errstate(divide="ignore"):
            chances = [stats.binom.pmf(np.arange(m + 1), m, q) for m, q in parts]
        full = chances[0] if len(chances) == 1 else np.convolve(*chances)
        window = full[fixed.start : fixed.start + fixed.mass.size]
        assert np.allclose(fixed.mass, window, rtol=1e-9, atol=1e-15)


def test_large_numbers_of_answers():
    # windows so wide that they are convolved by Fourier transforms
    response = RandomizedResponse(0.5)._response
    n = 4_000_000
    at = FixedAnswerCount(n, response).get_distribution(n // 2)
    numbers = at.start + np.arange(at.mass.size)
    mean = n // 2 * (response.true + response.other)
    variance = n * response.true * response.other
    assert math.isclose(at.mass.sum(), 1.0, rel_tol=1e-9)
    assert abs(float((at.mass * numbers).sum()) - mean) < 1e-3
    assert math.isclose(float((at.mass * (numbers - mean) ** 2).sum()), variance, rel_tol=1e-9)


def test_a_simulation_with_many_categories():
    design = RandomizedResponse(1.0, 4)
    p, n, runs = np.array([0.5, 0.3, 0.15, 0.05]), 500, 400
    rng = np.random.default_rng(5)
    found = np.array([design.estimate(design.respond(rng.choice(4, n, p=p))).value for _ in range(runs)])
    randomization, population = estimate.compute_standard_errors(p, n, design._response)
    z = (found.mean(axis=0) - p) / (population / math.sqrt(runs))
    # 4.9 standard deviations: a false alarm in 10^6
    assert np.abs(z).max() < 4.9
    ratio = found.std(axis=0, ddof=1) / population
    # sd of a standard deviation of 400 runs: 3.5 %
    assert (np.abs(ratio - 1) < 0.18).all() and (randomization < population).all()


@pytest.mark.parametrize(
    "answers",
    [
        [0, 1, 1],
        np.array([False, True, True]),
        np.array([[0.0, 1.0, 1.0]]),
        pd.Series([0, 1, 1], dtype="Int8"),
        pd.Categorical([0, 1, 1], categories=[1, 0]),
    ],
    ids=lambda each: type(each).__name__,
)
def test_any_container_of_answers(answers):
    r = COINS.estimate(answers)
    assert r.counted == (1, 2) and r.nobs == 3 and isinstance(r, DPResults)


def test_one_answer():
    r = COINS.estimate(True)
    assert float(r) == 1.5 and r.ml == 1.0 and r.conf_int().iloc[0].tolist() == [0.0, 1.0]


def test_the_result_is_one_of_the_packages():
    r = RandomizedResponse(2.0, LABELS).estimate(answers_of([50, 30, 20], LABELS))
    assert isinstance(r, ResponseResults) and r.guarantee == r.claim and r.epsilon == 2.0
    assert json.loads(json.dumps(r.to_dict()))["answers"] == [50, 30, 20]
    for again in (pickle.loads(pickle.dumps(r)), copy.copy(r), copy.deepcopy(r)):
        assert again.to_dict() == r.to_dict() and again.design == r.design and not again.value.flags.writeable
    assert np.allclose(np.asarray(r), r.params) and round(r, 2)["never"] == round(r["never"], 2)
    assert r["daily"] == r.params["daily"] and len(r) == 3
    assert r.call == f"{r.design!r}.estimate(answers, method='moment')"
    frame = r.to_frame(kind="population")
    assert np.array_equal(frame[["lower", "upper"]], r.conf_int(kind="population"))
    assert np.allclose(r.accuracy(), (r.conf_int()[1] - r.conf_int()[0]) / 2)
    single = COINS.estimate([1, 0, 0])
    assert math.isclose(single.accuracy(), float(np.diff(single.conf_int().iloc[0])[0]) / 2)
    assert repr(single).startswith("<ResponseResults proportion: 0.166667, 3 answers, (epsilon 1.09861")
    assert single.bounds is None and single.r_call is None and single.reproducible is False


def test_a_budget_takes_an_estimate():
    budget = Budget(2.0)
    budget.charge(COINS.estimate([1, 0]))
    assert budget.spent.epsilon == COINS.epsilon


def test_the_summary_shows_both_standard_errors():
    r = RandomizedResponse(2.0, LABELS).estimate(answers_of([50, 30, 20], LABELS))
    text = r.summary().as_text()
    for label in LABELS:
        for kind, errors in (("randomization", r.bse), ("population", r.bse_population)):
            row = next(line for line in text.splitlines() if line.startswith(f"{label}, {kind}"))
            assert f"{errors[label]:.6g}" in row and f"{r.moment[label]:.6g}" in row
    assert "one person's value replaced" in text and "Blaker" in text
    assert "<table" in r._repr_html_() and "tabular" in r.summary().as_latex() and "," in r.summary().as_csv()
    assert "[0.05" in r.summary(0.1).as_text() and max(map(len, text.splitlines())) < 100
    single = COINS.estimate([1, 0, 0], "ml").summary().as_text()
    assert "maximum likelihood" in single and "\nrandomization " in single and "\npopulation " in single
    nothing = RandomizedResponseCoins(0.0).estimate([1, 0]).summary().as_text()
    assert "Nothing is guaranteed" in nothing and "infinite" in nothing
    many = RandomizedResponse(1.0, 200).estimate(np.arange(200)).summary().as_text()
    assert "340 more rows" in many


def test_the_picture():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for r in (COINS.estimate([1] * 35 + [0] * 65), RandomizedResponse(2.0, LABELS).estimate(LABELS * 20)):
        axes = r.plot()
        assert axes.get_xlabel() == "proportion" and "epsilon = " in axes.get_title()
        shown = {text.get_text() for text in axes.get_legend().get_texts()}
        assert shown == {"95 % interval, persons asked", "95 % interval, population"}
        assert r.plot(axes) is axes
    pyplot.close("all")


def test_nothing_private_is_kept():
    truth = np.arange(1000) % 2 == 0
    rng = np.random.default_rng(987_654_321)
    answers = COINS.respond(truth, rng)
    r = COINS.estimate(answers)
    r.conf_int(), r.summary()
    assert findings(r, [987_654_321, 500], (truth, answers, rng)) == []
    assert findings(COINS, [987_654_321], (truth, answers, rng)) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: COINS.estimate([]), "^answers must have at least one answer"),
        (lambda: COINS.estimate([0, 2]), "^answers must be among the design's categories"),
        (lambda: COINS.estimate(pd.DataFrame({"x": [1]})), "^answers must be one variable"),
        (lambda: COINS.estimate([1], "moments"), "Did you mean 'moment'"),
        (lambda: RandomizedResponse(0.0).estimate([1]), "^epsilon must be large"),
        (lambda: RandomizedResponseCoins(1.0).estimate([1]), "^epsilon must be large"),
        (lambda: COINS.estimate([1]).conf_int(0.0), "^alpha must be"),
        (lambda: COINS.estimate([1]).conf_int(kind="populaton"), "Did you mean 'population'"),
        (lambda: COINS.estimate([1]).conf_int(method="wilson"), "^method must be one of"),
        (lambda: COINS.estimate([1]).summary("x"), "^alpha must be"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(PydpstatError, match=message):
        call()

"""The intervals' coverage, exactly, and the tests that they invert."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pydpstat import PydpstatError
from pydpstat.local import RandomizedResponse, RandomizedResponseCoins, get_prob_from_epsilon, required_n, uncertainty
from pydpstat.local._intervals import (
    DISTRIBUTIONS,
    KINDS,
    METHODS,
    FixedAnswerCount,
    IntegerDistribution,
    SampledAnswerCount,
    compute_proportion_interval,
    compute_standard_errors,
    is_accepted_by_blaker,
)

# the least coverage that each method is to have
PROMISED = {"blaker": 0.95, "clopper-pearson": 0.95, "score": 0.94}
POINTS = [(epsilon, n, p) for epsilon in (0.5, 3.0) for n in (100, 2000) for p in (0.02, 0.5)]


def masses(kind, response, n, p):
    """The law of the number of answers, by scipy."""
    if kind == "population":
        return binomial_masses(n, response.other + p * response.spread)
    count = round(n * p)
    return np.convolve(binomial_masses(count, response.true), binomial_masses(n - count, response.other))


def binomial_masses(n, p):
    # on the log scale: scipy's own masses overflow where p is near 0
    return np.exp(stats.binom.logpmf(np.arange(n + 1), n, p)) if n else np.ones(1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_coverage_is_as_promised(kind, method):
    for epsilon, n, p in POINTS:
        covered = RandomizedResponse(epsilon).coverage(n, p, kind=kind, method=method)
        assert covered >= PROMISED[method], (epsilon, n, p)
        # no interval is needlessly long: at 0 and 1 half of the level stays unused
        assert covered < 0.99


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_coverage_is_that_of_the_intervals_themselves(kind, method):
    n = 50
    for epsilon in (0.5, 3.0):
        design = RandomizedResponse(epsilon)
        results = [design.estimate(np.arange(n) < count) for count in range(n + 1)]
        low, high = np.array([each.conf_int(0.1, kind, method).iloc[0] for each in results]).T
        assert (np.diff(low) >= 0).all() and (np.diff(high) >= 0).all()
        for p in (0.0, 0.02, 0.2, 0.5, 0.94, 1.0):
            inside = (low <= p + 1e-9) & (p - 1e-9 <= high)
            expected = masses(kind, design._response, n, p)[inside].sum()
            found = design.coverage(n, p, alpha=0.1, kind=kind, method=method)
            assert math.isclose(found, expected, abs_tol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_coverage_of_many_answers(kind):
    """The counts near both ends decide: those inside cover, those outside do not."""
    n, p = 2000, 0.2
    design = RandomizedResponseCoins(0.6, 0.2)
    law, mass = DISTRIBUTIONS[kind](n, design._response), masses(kind, design._response, n, p)
    below = np.cumsum(mass)
    first, last = (int(np.searchsorted(below, share)) for share in (0.024, 0.976))
    inside = [count for end in (first, last) for count in range(end - 6, end + 7) if _covers(law, count, p)]
    assert first - 6 < inside[0] < first + 6 and last - 6 < inside[-1] < last + 6
    between = mass[inside[0] : inside[-1] + 1].sum()
    assert math.isclose(design.coverage(n, p, kind=kind), between, abs_tol=1e-9)


def _covers(law, count, p):
    low, high = compute_proportion_interval(law, count, 0.05, "blaker")
    return low - 1e-9 <= p <= high + 1e-9


@pytest.mark.slow
def test_over_all_proportions():
    """At every proportion on a grid, also for few answers, the exact methods keep what they promise."""
    for epsilon in (0.3, 5.0):
        design = RandomizedResponse(epsilon)
        for n in (5, 20):
            for kind in KINDS:
                for p in np.arange(n + 1) / n:
                    for method in METHODS[:2]:
                        assert design.coverage(n, p, kind=kind, method=method) >= 0.95 - 1e-9


designs = st.builds(RandomizedResponseCoins, st.floats(0.01, 0.99), st.floats(0.0, 1.0)) | st.builds(
    RandomizedResponse, st.floats(0.01, 8.0), st.integers(2, 9)
)


@pytest.mark.slow
@settings(max_examples=40)
@given(designs, st.integers(1, 40), st.data(), st.floats(0.01, 0.4))
def test_intervals_are_nested_and_mirrored(design, n, data, alpha):
    response, count = design._response, data.draw(st.integers(0, n))
    for kind in KINDS:
        law = DISTRIBUTIONS[kind](n, response)
        ends = {method: compute_proportion_interval(law, count, alpha, method) for method in METHODS}
        for low, high in ends.values():
            assert 0.0 <= low <= high <= 1.0
        assert ends["clopper-pearson"][0] - 1e-9 <= ends["blaker"][0]
        assert ends["blaker"][1] <= ends["clopper-pearson"][1] + 1e-9
        for method in METHODS:
            low, high = compute_proportion_interval(law.get_complement(), n - count, alpha, method)
            # at equal tails rounding decides which of two neighboring numbers it is
            close = 1e-7 if kind == "population" or method == "score" else 1.0 / n + 1e-9
            assert np.allclose((1 - high, 1 - low), ends[method], rtol=0, atol=close)


@settings(max_examples=30)
@given(designs, st.integers(1, 12), st.data())
def test_clopper_and_pearsons_ends_solve_their_equations(design, n, data):
    response, count = design._response, data.draw(st.integers(0, n))
    count = min(max(count, math.floor(n * response.other)), math.ceil(n * response.true))
    low, high = compute_proportion_interval(SampledAnswerCount(n, response), count, 0.1, "clopper-pearson")
    chances = [response.other + p * response.spread for p in (low, high)]
    if low > 0.0:
        assert math.isclose(stats.binom.sf(count - 1, n, chances[0]), 0.05, rel_tol=1e-6)
    if high < 1.0:
        assert math.isclose(stats.binom.cdf(count, n, chances[1]), 0.05, rel_tol=1e-6)


@settings(max_examples=30)
@given(designs, st.integers(1, 12), st.data())
def test_blakers_interval_has_all_accepted_numbers_of_persons(design, n, data):
    """Against the definition: a number of persons is accepted where its confidence is above alpha."""
    response, count = design._response, data.draw(st.integers(0, n))
    least, most = math.floor(n * response.other), math.ceil(n * response.true)
    if not least <= count <= most:
        return
    accepted = []
    for persons in range(n + 1):
        mass = masses("randomization", response, n, persons / n)
        tails = np.minimum(np.cumsum(mass), np.cumsum(mass[::-1])[::-1])
        if mass[tails <= tails[count] * (1 + 1e-9)].sum() > 0.1:
            accepted.append(persons / n)
    low, high = compute_proportion_interval(FixedAnswerCount(n, response), count, 0.1, "blaker")
    if accepted:
        assert math.isclose(low, accepted[0], abs_tol=1e-9)
        assert math.isclose(high, accepted[-1], abs_tol=1e-9)


def test_the_score_interval_solves_its_equation():
    for design in (RandomizedResponse(1.0), RandomizedResponseCoins(0.6, 0.2)):
        response, n, z = design._response, 400, stats.norm.ppf(0.975)
        for kind in KINDS:
            low, high = compute_proportion_interval(DISTRIBUTIONS[kind](n, response), 170, 0.05, "score")
            for p, side in ((low, 1.0), (high, -1.0)):
                mean = n * float(response.other + response.spread * p)
                if kind == "population":
                    variance = mean * (1 - mean / n)
                else:
                    variance = n * (p * response.true * response.missed)
                    variance += n * (1 - p) * response.other * (1 - response.other)
                assert math.isclose((170 - mean) / math.sqrt(variance), side * z, rel_tol=1e-9)


def test_few_answers_are_no_sharp_knowledge():
    # at epsilon .1 three answers of 30 are much fewer than the 14 that a proportion of 0 gives
    r = RandomizedResponse(0.1).estimate(np.arange(30) < 3)
    assert r.ml == 0.0
    for kind in KINDS:
        for method in METHODS:
            low, high = r.conf_int(kind=kind, method=method).iloc[0]
            assert low == 0.0 and high > 0.9


def test_many_answers_are_quick():
    r = RandomizedResponse(1.0).estimate(np.arange(3_000_000) < 1_000_000)
    for kind in KINDS:
        low, high = r.conf_int(kind=kind).iloc[0]
        score = r.conf_int(kind=kind, method="score").iloc[0]
        assert np.allclose((low, high), score, rtol=0, atol=2e-6)


@pytest.mark.parametrize("design", [RandomizedResponse(0.5), RandomizedResponseCoins(0.6, 0.2)], ids=repr)
def test_the_bias_by_scipys_law(design):
    response = design._response
    for n in (100, 2000):
        for p in (0.0, 0.02, 0.5, 1.0):
            mass = masses("population", response, n, p)
            moment = (np.arange(n + 1) / n - response.other) / response.spread
            expected = float((mass * np.clip(moment, 0, 1)).sum()) - p
            assert math.isclose(design.bias(n, p), expected, abs_tol=1e-10)
            assert abs(design.bias(n, p, "moment")) < 1e-11
    # towards the middle, and gone where there are many answers
    assert design.bias(100, 0.02) > 0.01 > design.bias(20_000, 0.02) > -1e-12
    assert math.isclose(RandomizedResponse(0.5).bias(100, 0.98), -RandomizedResponse(0.5).bias(100, 0.02))


def test_get_prob_from_epsilon():
    epsilons = np.array([0.0, 0.5, math.log(3), 10.0, 800.0])
    f = np.exp(epsilons[:-1]) / (1 + np.exp(epsilons[:-1]))
    assert np.allclose(get_prob_from_epsilon(epsilons)[:-1], 2 * (1 - f), rtol=1e-12)
    for epsilon in (0.5, 3.0, np.float64(2.0), 1):
        prob = get_prob_from_epsilon(epsilon)
        assert type(prob) is float
        assert math.isclose(RandomizedResponseCoins(prob).epsilon, epsilon, rel_tol=1e-14)


def test_uncertainty_is_that_of_a_result():
    for epsilon, ones in ((0.5, 480), (2.0, 300)):
        r = RandomizedResponse(epsilon).estimate(np.arange(1000) < ones)
        assert math.isclose(uncertainty(ones / 1000, 1000, epsilon), r.uncertainty, rel_tol=1e-12)
    f = math.e / (1 + math.e)
    expected = 2 / (2 * f - 1) * np.sqrt([0.3 * 0.7 / 100, 0.3 * 0.7 / 400])
    assert np.allclose(uncertainty(0.3, np.array([100, 400]), 1.0), expected, rtol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("design", [RandomizedResponse(1.0), RandomizedResponse(1.0, 5), RandomizedResponseCoins()])
def test_required_n_gives_the_width(design, kind):
    for proportion in (None, 0.1):
        n = design.required_n(0.1, kind=kind, proportion=proportion)
        p = 0.5 if proportion is None else proportion
        place = KINDS.index(kind)
        z = stats.norm.ppf(0.975)
        worst = [p] if proportion is not None else np.linspace(0, 1, 2001)
        widths = 2 * z * compute_standard_errors(worst, n, design._response)[place]
        before = 2 * z * compute_standard_errors(worst, n - 1, design._response)[place]
        assert widths.max() <= 0.1 + 1e-12 and before.max() > 0.1 - 1e-6
    assert required_n(1.0, 0.1, kind=kind) == RandomizedResponse(1.0).required_n(0.1, kind=kind)
    # the interval that is made then is about as wide
    if len(design.categories) == 2:
        n = design.required_n(0.1, kind=kind)
        half = int(n * (design._response.other + 0.5 * design._response.spread))
        low, high = design.estimate(np.arange(n) < half).conf_int(kind=kind).iloc[0]
        assert 0.095 < high - low < 0.105


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: required_n(0, 0.1), "^epsilon must be a positive finite number;"),
        (lambda: required_n(1, 0), "^width must be"),
        (lambda: required_n(1, 1e-12), "^width must be large enough for 2"),
        (lambda: required_n(1, 0.1, alpha=1), "^alpha must be"),
        (lambda: required_n(1, 0.1, proportion=-0.1), "^proportion must be a number from 0 to 1"),
        (lambda: required_n(1, 0.1, kind="sample"), "^kind must be one of"),
        (lambda: RandomizedResponse(0).required_n(0.1), "^epsilon must be large"),
        (lambda: RandomizedResponse(1).coverage(0, 0.2), "^n must be a whole number"),
        (lambda: RandomizedResponse(1).coverage(100, 2), "^proportion must be a number from 0 to 1"),
        (lambda: RandomizedResponse(1).coverage(100, 0.205), "^proportion must be a whole number of the n"),
        (lambda: RandomizedResponse(1).coverage(100, 0.2, method="exact"), "^method must be one of"),
        (lambda: RandomizedResponse(1).bias(100, 0.2, "mle"), "Did you mean 'ml'"),
        (lambda: RandomizedResponse(1, 3).bias(100, 0.2), r"^bias\(\) is for designs of two categories"),
        (lambda: get_prob_from_epsilon(-1), "^epsilon must all be at least 0"),
        (lambda: get_prob_from_epsilon([1.0, math.nan]), "^epsilon must be a number"),
        (lambda: uncertainty(2, 100, 1), "^mean_answer must all be from 0 to 1"),
        (lambda: uncertainty(0.2, 0, 1), "^n must all be at least 1"),
        (lambda: uncertainty(0.2, 100, 0), "^epsilon must all be above 0"),
        (lambda: uncertainty([None], 100, 1), "^mean_answer must be a number"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(PydpstatError, match=message):
        call()


def test_tails_and_the_numbers_that_they_reach():
    law = IntegerDistribution(5, np.array([0.125, 0.25, 0.25, 0.25, 0.125]))
    numbers = range(3, 12)
    assert [law.compute_lower_tail(k) for k in numbers] == [0, 0, 0.125, 0.375, 0.625, 0.875, 1, 1, 1]
    assert [law.compute_upper_tail(k) for k in numbers] == [1, 1, 1, 0.875, 0.625, 0.375, 0.125, 0, 0]
    for probability in (0.0, 0.1, 0.125, 0.3, 0.375, 0.5, 0.625, 0.9):
        largest, smallest = law.find_largest_below(probability), law.find_smallest_above(probability)
        assert law.compute_lower_tail(largest) <= probability < law.compute_lower_tail(largest + 1)
        assert law.compute_upper_tail(smallest) <= probability < law.compute_upper_tail(smallest - 1)


def test_blakers_test_rejects_at_its_level():
    law = IntegerDistribution(5, np.array([0.125, 0.25, 0.25, 0.25, 0.125]))
    # an end has a probability of 0.25 together with the other one, its neighbor 0.75
    for count, pvalue in ((5, 0.25), (6, 0.75), (8, 0.75), (9, 0.25)):
        assert not is_accepted_by_blaker(law, count, pvalue)
        assert is_accepted_by_blaker(law, count, pvalue - 1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_coverage_of_few_answers_that_are_all_but_certain(kind):
    for n, p in ((1, 0.0), (1, 1.0), (2, 0.0), (2, 1.0)):
        assert RandomizedResponse(20.0).coverage(n, p, kind=kind) == pytest.approx(1.0, abs=1e-7)

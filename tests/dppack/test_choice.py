"""ExponentialMechanism, quantileDP and medianDP: the results, the guarantees, the draws."""

from __future__ import annotations

import json
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat import ExponentialMechanism, PrivacyWarning, PydpstatError, RRandom, medianDP, quantileDP
from pydpstat.dppack._values import make_quantile_intervals
from tests.dppack.mirror_calls import refused_before_any_draw

U = [0.0, 1.0, 2.5, 2.5, -4.0]
WORDS = list("abcde")
AGES = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]


# what is returned


def test_an_index_counts_from_one():
    result = ExponentialMechanism(U, 100, 1, rng=1)
    assert result.estimate in (3, 4) and type(result.estimate) is int
    assert int(result) == result.estimate and WORDS[result - 1] in "cd"


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, pd.Index, pd.Categorical, pd.array])
def test_candidates_as_given(kind):
    place = ExponentialMechanism(U, 1, 1, rng=7).estimate
    assert ExponentialMechanism(U, 1, 1, candidates=kind(WORDS), rng=7).estimate == WORDS[place - 1]


def test_candidates_of_any_kind():
    things = [(1, 2), None, {"a": 1}, b"x", 5]
    for seed in range(8):
        place = ExponentialMechanism(U, 1, 1, rng=seed).estimate
        assert ExponentialMechanism(U, 1, 1, None, things, rng=seed).estimate is things[place - 1]


def test_a_number_is_a_number():
    result = ExponentialMechanism([0, 100], 1, 1, candidates=[0.25, 0.5], rng=1)
    assert result.estimate == 0.5 and result * 2 == 1.0 and float(result) == 0.5
    assert type(ExponentialMechanism([0, 100], 1, 1, candidates=[3, 4], rng=1).estimate) is int


def test_names_are_kept():
    named = pd.Series([0.0, 50.0], index=["x", "y"])
    assert ExponentialMechanism(named, 1, 1, rng=1).estimate.to_dict() == {"y": 2}
    assert ExponentialMechanism([0, 50], 1, 1, named, rng=1).estimate.to_dict() == {"y": 2}
    # a candidate has its own name, as in R
    result = ExponentialMechanism(named, 1, 1, candidates=pd.Series(["u", "v"], index=["p", "q"]), rng=1)
    assert result.estimate.to_dict() == {"q": "v"}
    assert ExponentialMechanism(pd.Series([0.0, 50.0]), 1, 1, rng=1).estimate == 2


RESULTS = {
    "index": lambda rng: ExponentialMechanism(U, 1, 1, rng=rng),
    "named index": lambda rng: ExponentialMechanism(pd.Series(U, WORDS), 1, 1, rng=rng),
    "text": lambda rng: ExponentialMechanism(U, 1, 1, candidates=WORDS, rng=rng),
    "named text": lambda rng: ExponentialMechanism(U, 1, 1, candidates=pd.Series(WORDS, WORDS), rng=rng),
    "number": lambda rng: ExponentialMechanism(U, 1, 1, candidates=U, rng=rng),
    "pair": lambda rng: ExponentialMechanism(U, 1, 1, candidates=[(1, 2)] * 5, rng=rng),
    "quantile": lambda rng: quantileDP(AGES, 0.25, 1, 0, 100, rng=rng),
    "median": lambda rng: medianDP(pd.Series(AGES, name="age"), 1, 0, 100, rng=rng),
}


@pytest.mark.parametrize("source", ["R", "NumPy", "none"])
@pytest.mark.parametrize("kind", RESULTS)
def test_the_tables_read_well(kind, source):
    result = RESULTS[kind]({"R": 5, "NumPy": np.random.default_rng(5), "none": None}[source])
    assert result.noise is None and result.mechanism == "exponential"
    assert result.bse.isna().all() and len(result.params) == 1
    with pytest.raises(PydpstatError, match="no public distribution"):
        result.conf_int()
    text = result.summary().as_text()
    assert "no interval" in " ".join(text.split()) and "Epsilon:" in text
    assert "The interval covers" not in text
    assert repr(result).startswith("<DPResults ") and "exponential" in repr(result)
    frame = result.to_frame()
    assert list(frame.columns) == ["estimate"] and len(frame) == 1
    stored = json.loads(json.dumps(result.to_dict()))
    assert stored["noise_sd"] is None and stored["noise_scale"] is None
    copied = pickle.loads(pickle.dumps(result))
    assert str(copied.estimate) == str(result.estimate) and not copied.value.flags.writeable
    assert result._repr_html_() and result.summary().as_latex() and f"{result}" == str(result.estimate)
    assert (result.grid is None) == (source != "none" or kind in ("text", "named text", "number", "pair"))


def test_the_texts_of_a_choice():
    result = RESULTS["text"](5)
    assert repr(result) == f"<DPResults choice: {result.estimate}, exponential, {result.claim}>"
    assert result.params.tolist() == [result.estimate] and result.to_dict()["estimate"] == result.estimate
    assert result.r_call == ("DPpack::ExponentialMechanism(utility, candidates = candidates, eps = 1, sensitivity = 1)")
    assert "Noise" not in result.summary().as_text() and str(result).startswith("choice: ")


@pytest.mark.slow
@pytest.mark.live
@pytest.mark.parametrize("kind", RESULTS)
def test_r_objects(live_r, kind):
    result = RESULTS[kind](5)
    if kind == "pair":
        with pytest.raises(PydpstatError, match="no R object for a candidate of type tuple"):
            result.to_r()
        return
    assert result.to_r()[0] == (result.estimate.iloc[0] if "named" in kind else result.estimate)
    if kind == "index":
        assert live_r.r("is.integer")(result.to_r())[0]


# the quantile


DATA = st.lists(st.floats(-10, 10), max_size=60)
QUANTS = st.floats(0, 1)


def plain_point(x, quant, eps, lower, upper, uniforms):
    """The release as R's code has it, over all intervals."""
    from pydpstat.mechanisms._exponential import choose_candidate

    edges = np.concatenate([[lower], np.sort(np.clip(x, lower, upper)), [upper]])
    n = len(x)
    place = choose_candidate(-np.abs(np.arange(n + 1) - quant * n), eps, 1.0, np.diff(edges), uniforms[0])
    return uniforms[1] * (edges[place + 1] - edges[place]) + edges[place]


@pytest.mark.slow
@given(DATA, QUANTS, st.floats(1e-3, 1e4), st.tuples(st.floats(1e-9, 0.999), st.floats(1e-9, 0.999)))
def test_few_intervals_give_what_all_give(x, quant, eps, uniforms):
    intervals = make_quantile_intervals(np.array(x), quant, eps, -5.0, 8.0)
    try:
        expected = plain_point(np.array(x), quant, eps, -5.0, 8.0, uniforms)
    except PydpstatError:
        with pytest.raises(PydpstatError):
            intervals.choice.check_candidates()
        return
    assert intervals.select_point(uniforms) == expected


@pytest.mark.parametrize("eps", [1e-3, 0.1, 1, 10, 1e3])
@pytest.mark.parametrize("quant", [0.0, 1e-4, 0.3, 0.5, 0.9999, 1.0])
def test_few_of_many_intervals_give_what_all_give(quant, eps):
    x = np.random.default_rng(3).normal(size=30_000)
    before = x.copy()
    intervals = make_quantile_intervals(x, quant, eps, -6.0, 6.5)
    for uniforms in ((0.001, 0.2), (0.4, 0.7), (0.999, 0.5)):
        assert intervals.select_point(uniforms) == plain_point(x, quant, eps, -6.0, 6.5, uniforms)
    assert np.array_equal(x, before)


@pytest.mark.slow
@given(DATA, QUANTS, st.integers(0, 1000))
def test_a_quantile_is_within_the_bounds(x, quant, seed):
    for rng in (RRandom(seed), np.random.default_rng(seed), None):
        assert -3 <= float(quantileDP(x, quant, 1.0, -3, 4.5, rng=rng)) <= 4.5


def test_the_median_is_a_quantile():
    assert float(medianDP(AGES, 1, 0, 100, rng=4)) == float(quantileDP(AGES, 0.5, 1, 0, 100, rng=4))
    assert medianDP(AGES, 1, 0, 100, rng=4).statistic == "median"
    assert medianDP(AGES, 1, 0, 100, rng=4).r_call.startswith("DPpack::medianDP(x, eps = 1, lower.bound = 0")


def test_a_large_epsilon_finds_the_quantile():
    x = np.random.default_rng(1).normal(size=2001)
    # the neighbors of the median are closer than that
    assert abs(float(medianDP(x, 50, -5, 5)) - np.median(x)) < 0.02


def test_without_a_seed_the_value_is_on_a_public_grid():
    results = [quantileDP(AGES, 0.3, 1, 0, 100) for _ in range(200)]
    grid = results[0].grid
    assert math.log2(grid) == int(math.log2(grid)) and 2.0**-31 * 100 < grid < 2.0**-28 * 100
    assert all(float(each) % grid == 0 for each in results) and len({float(each) for each in results}) == 200
    assert quantileDP(AGES, 0.3, 1, 0, 100, rng=1).grid is None


@pytest.mark.parametrize("bounds", [(1e15, 1e15 + 8), (-1e-3, -1e-3 + 1e-9), (-1e308, 1e308), (1.0, 1.0 + 1e-15)])
def test_the_grid_stays_within_the_bounds(bounds):
    for _ in range(20):
        value = float(medianDP([bounds[0]], 1, *bounds))
        assert bounds[0] <= value <= bounds[1]


def test_bounds_without_a_grid_between_them():
    with pytest.raises(PydpstatError, match="too close for a grid"):
        medianDP([0.0], 1, 0, 5e-324)


# the guarantees


def test_what_a_quantile_keeps():
    bounded = quantileDP(AGES, 0.75, 2, 0, 100, rng=1)
    assert bounded.guarantee.epsilon == 2 and bounded.guarantee.neighbors == "bounded" and bounded.nobs == 10
    hidden = quantileDP(AGES, 0.75, 2, 0, 100, "unbounded", rng=1)
    assert hidden.claim.epsilon == 2 and hidden.guarantee.epsilon == 1.5 and hidden.nobs is None
    assert hidden.guarantee.neighbors == "unbounded" and float(hidden) == float(bounded)
    assert "for one replaced record epsilon is 2" in hidden.guarantee.conditions
    assert medianDP(AGES, 2, 0, 100, "unbounded").guarantee.epsilon == 1.0
    with pytest.warns(UserWarning, match="one value is returned"):
        assert medianDP(AGES, 2, 0, 100, "both", rng=1).guarantee.epsilon == 1.0


def exact_density(x, quant, eps, lower, upper, at):
    from pydpstat.mechanisms._exponential import compute_choice_probabilities

    edges = np.concatenate([[lower], np.sort(x), [upper]])
    p = compute_choice_probabilities(-np.abs(np.arange(len(x) + 1) - quant * len(x)), eps, 1.0, np.diff(edges))
    place = np.searchsorted(edges, at) - 1
    return p[place] / np.diff(edges)[place]


@given(
    st.lists(st.floats(0.5, 9.5), min_size=1, max_size=12, unique=True),
    st.floats(0.5, 9.5),
    QUANTS,
    st.floats(0.1, 3),
)
def test_the_guarantees_hold_exactly(x, other, quant, eps):
    at = np.linspace(0.0123, 9.9877, 57)
    density = exact_density(np.array(x), quant, eps, 0.0, 10.0, at)
    added = exact_density(np.array([*x, other]), quant, eps, 0.0, 10.0, at)
    replaced = exact_density(np.array([*x[1:], other]), quant, eps, 0.0, 10.0, at)
    # the logarithm of rounded numbers
    assert np.abs(np.log(density / replaced)).max() <= eps + 1e-9
    assert np.abs(np.log(density / added)).max() <= max(quant, 1 - quant) * eps + 1e-9


def test_ties_are_a_condition_where_they_can_stop_the_release():
    few = medianDP(AGES, 1, 0, 100, rng=1).guarantee.conditions
    many = medianDP(np.arange(5000.0), 1, 0, 5000, rng=1).guarantee.conditions
    assert not any("equal" in line for line in few)
    assert "fewer than 1490 records are equal once clipped" in many
    # where n is private, the condition does not depend on it
    assert any("equal" in line for line in medianDP(AGES, 1, 0, 100, "unbounded", rng=1).guarantee.conditions)


def test_so_many_ties_stop_the_release():
    with pytest.raises(PydpstatError, match="numeric\\(0\\)"):
        medianDP([5.0] * 5000, 1, 0, 10, rng=1)
    assert 0 < float(medianDP([5.0] * 1489, 1, 0, 10, rng=1)) < 10


def test_an_infinite_upper_bound_keeps_nothing():
    with pytest.warns(PrivacyWarning, match="always chooses the lowest interval") as caught:
        result = quantileDP([1, 2.5, 3, 4], 0.5, 1, 0, math.inf, rng=5)
    assert caught[0].message.row == "9" and caught[0].message.use == "quantile"
    # R: set.seed(5); quantileDP(c(1, 2.5, 3, 4), .5, 1, 0, Inf)
    assert float(result) == 0.68521859566681087 and math.isinf(result.guarantee.epsilon)


def test_sound_releases_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in RESULTS.values():
            kind(None)


def test_a_choice_states_its_conditions():
    result = RESULTS["text"](None)
    assert "the given sensitivity is correct for these neighbors" in result.guarantee.conditions
    # the choice itself is exact, and nothing of it is left out
    assert not any("not covered" in line for line in result.guarantee.conditions)
    assert not result.reproducible and RESULTS["text"](1).reproducible


# the draws


def test_one_uniform_a_choice_and_two_a_quantile():
    for call, draws in ((RESULTS["index"], 1), (RESULTS["quantile"], 2), (RESULTS["median"], 2)):
        stream, other = RRandom(11), RRandom(11)
        call(stream)
        other.runif(draws)
        assert np.array_equal(stream.state, other.state)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda rng: medianDP([1.0, math.nan], 1, 0, 5, rng=rng), "missing"),
        (lambda rng: medianDP([None, 1.0], 1, 0, 5, rng=rng), "missing"),
        (lambda rng: medianDP(pd.Series([1, pd.NA], dtype="Int64"), 1, 0, 5, rng=rng), "missing"),
        (lambda rng: medianDP([1.0], 1, 5, 0, rng=rng), "lower_bound must be below upper_bound"),
        (lambda rng: ExponentialMechanism([math.nan], 1, 1, rng=rng), "no candidate can be chosen"),
    ],
)
def test_what_is_refused_draws_nothing(call, said):
    with refused_before_any_draw(said) as stream:
        call(stream)


@pytest.mark.parametrize(
    "wrong", [{1, 2}, {"a": 1, "b": 2}, "ab", b"ab", pd.DataFrame({"u": [1, 2]}), 5, [1], [1, 2, 3]]
)
def test_candidates_of_no_use(wrong):
    with pytest.raises(PydpstatError, match="andidates must"):
        ExponentialMechanism([0, 1], 1, 1, candidates=wrong, rng=1)


@pytest.mark.live
@pytest.mark.parametrize("kind", [kind for kind in RESULTS if kind != "pair"])
def test_r_calls_run_in_r(live_r, kind):
    names = "setNames(c(0, 1, 2.5, 2.5, -4), letters[1:5])" if kind == "named index" else "c(0, 1, 2.5, 2.5, -4)"
    live_r.r(f"utility <- {names}; x <- c({', '.join(map(str, AGES))})")
    live_r.r("candidates <- " + ("utility" if kind == "number" else "letters[1:5]"))
    live_r.r("set.seed(77)")
    result = RESULTS[kind](77)
    theirs = live_r.r(result.r_call)[0]
    assert theirs == result.value.item() and isinstance(theirs, type(result.value.item()))

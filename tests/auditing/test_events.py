from dataclasses import replace

import numpy as np
import pytest

from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._events import (
    LINE_END,
    LINE_START,
    Cut,
    Projection,
    count_outcomes,
    iterate_range_events,
    make_element_projection,
    make_form_event,
    make_length_projection,
    make_missing_event,
    make_range_event,
    make_sum_projection,
)
from pydpstat.auditing._float_events import (
    iterate_bit_events,
    make_multiple_event,
    make_support_event,
    make_trailing_zeros_event,
)
from pydpstat.auditing._sampling import Draws
from pydpstat.mechanisms.laplace import LaplaceNoise

RESULT = make_element_projection("the result", 0)


def draws(values):
    values = np.asarray(values, dtype=float)
    return Draws(np.zeros(len(values), dtype=np.int32), values.reshape(len(values), -1))


@pytest.mark.parametrize(
    "low, high, words, inside",
    [
        (LINE_START, Cut(2), "the result is below 2", [0.0, 1.0]),
        (LINE_START, Cut(2, True), "the result is at most 2", [0.0, 1.0, 2.0]),
        (Cut(2), LINE_END, "the result is at least 2", [2.0, 3.0]),
        (Cut(2, True), LINE_END, "the result is above 2", [3.0]),
        (Cut(1), Cut(2.5), "the result is at least 1 and below 2.5", [1.0, 2.0]),
        (Cut(1), Cut(1, True), "the result is 1", [1.0]),
    ],
)
def test_ranges(low, high, words, inside):
    event, z = make_range_event(RESULT, ((low, high),)), np.arange(4.0)
    assert event.words == words
    assert z[event.select_outcomes(draws(z))].tolist() == inside


def test_values_inside_are_events_except_of_what_orders_outcomes():
    same, middle = np.tile([1.0, 2.0, 3.0], 1000), np.full(3000, 2.0)
    forecast = Forecast((3000, 3000), (3000, 3000), 0.0, 0.003)
    words = [event.words for event, _ in iterate_range_events(RESULT, middle, same, forecast)]
    assert "the result is 2" in words
    ordered = Projection("the loss", RESULT.compute, tails_only=True)
    for event, _ in iterate_range_events(ordered, middle, same, forecast):
        inside = event.select_outcomes(draws([0.0, 1.0, 2.0, 3.0, 4.0])).tolist()
        assert inside in (sorted(inside), sorted(inside, reverse=True))


def test_several_values_are_a_list():
    event = make_range_event(RESULT, ((Cut(1), Cut(1, True)), (Cut(3), Cut(3, True))))
    assert event.words == "the result is one of 1, 3"
    assert event.select_outcomes(draws(np.arange(5.0))).tolist() == [False, True, False, True, False]


def test_a_value_and_a_range_are_told_apart():
    event = make_range_event(RESULT, ((Cut(1), Cut(1, True)), (Cut(3), LINE_END)))
    assert event.words == "the result is 1 or is at least 3"
    assert event.select_outcomes(draws(np.arange(5.0))).tolist() == [False, True, False, True, True]


def test_multiples_of_powers_of_two():
    z = [0.25, 0.25 + 2.0**-54, -0.25, 0.75, 0.0, np.inf, np.nan]
    inside = make_multiple_event(RESULT, -53, False, 0.5).select_outcomes(draws(z))
    assert inside.tolist() == [False, True, False, False, False, False, False]
    assert (
        make_multiple_event(RESULT, -53, False, 0.5).words == "0 < the result < 0.5 and it is not a multiple of 2^-53"
    )
    assert (
        make_multiple_event(RESULT, -2, True, -0.5).select_outcomes(draws(z)).tolist()
        == [False, False, True] + [False] * 4
    )
    assert make_multiple_event(RESULT, -2, True).select_outcomes(draws(z)).tolist()[:5] == [
        True,
        False,
        True,
        True,
        True,
    ]
    # beyond what a power of two can be as a float
    assert make_multiple_event(RESULT, -1074, True).select_outcomes(draws([5e-324, 1.0])).all()


def test_zeros_at_the_end_of_the_mantissa():
    z = [1.0, 1.5, 1 + 2.0**-52, 3.0, np.nan]
    assert make_trailing_zeros_event(RESULT, 52, True).select_outcomes(draws(z)).tolist() == [
        True,
        False,
        False,
        False,
        False,
    ]
    assert make_trailing_zeros_event(RESULT, 1, False).select_outcomes(draws(z)).tolist() == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert make_trailing_zeros_event(RESULT, 1, False).words == "the last bit of the result (of 53) is 1"
    assert make_trailing_zeros_event(RESULT, 5, False).words == "the last 5 bits of the result (of 53) are not all 0"


def test_missing_sum_norm_form():
    both = draws([[3.0, 4.0], [np.nan, 1.0]])
    assert make_missing_event(RESULT).select_outcomes(both).tolist() == [False, True]
    assert (
        make_sum_projection("s", 2).compute(both)[0] == 7.0 and make_length_projection("n", 2).compute(both)[0] == 5.0
    )
    coded = Draws(np.array([0, 1, 2], dtype=np.int32), np.empty((3, 0)))
    assert make_form_event("f", (0, 2)).select_outcomes(coded).tolist() == [True, False, True]


def test_the_support_of_inverse_cdf_noise():
    law = LaplaceNoise(0.5)
    uniform = np.random.default_rng(1).integers(1, 2**32, 1000) * 2.0**-32
    event = make_support_event(RESULT, law, 0.3, 32)
    assert event.select_outcomes(draws(0.3 + law.ppf(uniform))).mean() > 0.999
    # a share of two thousandths by chance
    assert event.select_outcomes(draws(0.31 + law.ppf(uniform))).mean() < 0.02


def test_counting_goes_part_by_part():
    z = np.arange(100_000.0)
    assert count_outcomes(make_range_event(RESULT, ((Cut(99_990), LINE_END),)), draws(z)) == 10


def test_negative_values_on_a_lattice_are_an_event_of_their_range():
    rng = np.random.default_rng(1)
    low, high = -rng.uniform(0.25, 0.5, (2, 4000)), rng.uniform(0.25, 0.5, (2, 4000))
    # one sample is on a lattice below 0, the other one above
    one = np.append((np.floor(low[0] * 64) + 0.5) / 64, high[0])
    other = np.append(low[1], (np.floor(high[1] * 64) + 0.5) / 64)
    forecast = Forecast((8000, 8000), (8000, 8000), 0.0, 0.003)
    events = [event for event, _ in iterate_bit_events(RESULT, one, other, forecast) if event.family == "multiple"]
    found = [event for event in events if event.words.startswith("-0.5 < the result < 0 and it is")]
    assert found and not any(event.select_outcomes(draws([0.5, -0.5])).any() for event in found)


def test_limits_of_ranges_have_few_digits():
    rng = np.random.default_rng(1)
    one, other = rng.laplace(0.0, 1.0, 20_000), rng.laplace(1.0, 1.0, 20_000)
    forecast = Forecast((20_000, 20_000), (20_000, 20_000), 0.0, 0.003)
    tails = [event.words for event, _ in iterate_range_events(RESULT, one, other, forecast)][:2]
    # sixteen digits as drawn
    assert all(len(words) < len("the result is at least -0.12345") for words in tails)


def test_events_are_compared_by_identity():
    one = make_form_event("f", (0, 2))
    other = replace(one)
    assert one != other and len({one, one, other}) == 2

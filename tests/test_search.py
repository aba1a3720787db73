"""The bisection and the golden sections that the package's bounds rest on."""

import math

import pytest

from pydpstat._search import bisect_up, minimize_unimodal


@pytest.mark.parametrize("limit", [0.0, 5e-324, 1e-300, 0.1, 1.0, 1.5, 3.0, 1e10, 1e300])
def test_the_ends_are_neighbors_on_both_sides(limit):
    last, first = bisect_up(lambda x: x <= limit)
    assert last == limit and first == math.nextafter(limit, math.inf)


def test_an_end_that_is_given_is_not_asked():
    asked = []
    last, first = bisect_up(lambda x: asked.append(x) or True, 0.0, 1.0)
    assert (last, first) == (math.nextafter(1.0, 0.0), 1.0)
    assert 0.0 not in asked and 1.0 not in asked


def test_steps_end_a_search_with_both_ends_on_their_sides():
    last, first = bisect_up(lambda x: x <= 0.3, high=1.0, steps=5)
    assert last <= 0.3 < first and first - last == 2.0**-5


def test_integers_are_searched_between_integers():
    halves = []

    def between(low, high):
        halves.append((low, high))
        return (low + high) // 2 if high - low > 1 else None

    assert bisect_up(lambda count: count <= 41, 0, 100, find_middle=between) == (41, 42)
    assert len(halves) <= 8


@pytest.mark.parametrize("place", [0.0, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("leftmost", [False, True])
def test_the_lowest_place_is_found(place, leftmost):
    where, height = minimize_unimodal(lambda x: abs(x - place), 0.0, 1.0, 60, leftmost=leftmost)
    assert where == pytest.approx(place, abs=1e-12) and height == abs(where - place)


def test_a_level_stretch_is_gone_through_to_the_side_asked_for():
    left, right = (minimize_unimodal(lambda x: 0.0, 0.0, 1.0, 60, leftmost=each)[0] for each in (True, False))
    assert left < 1e-9 and right > 1.0 - 1e-9

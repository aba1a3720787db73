"""Sums of losses on a grid beside exact sums of fractions."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from pydpstat.privacy._convolution import LossSum, Masses, split_masses

INTERVAL = 2.0**-10
# what the proven bounds add, as a share of delta
EXCESS = 1e-6


def exact_curve(parts):
    """Every list of losses, in many digits."""
    sums = {0: mpmath.mpf(1)}
    for part, times in parts:
        each = [(int(place), float(part.values[place])) for place in np.flatnonzero(part.values)]
        for _ in range(times):
            following = {}
            for (loss, mass), (place, value) in product(sums.items(), each):
                at = loss + part.first + place
                following[at] = following.get(at, 0) + mass * mpmath.mpf(value)
            sums = following

    def delta(epsilon):
        losses = ((loss * mpmath.mpf(INTERVAL) - epsilon, mass) for loss, mass in sums.items())
        return mpmath.fsum(mass * -mpmath.expm1(-above) for above, mass in losses if above > 0)

    return delta


def some(rng, size, first):
    values = rng.random(size) ** 3
    return Masses(first, values / values.sum())


@pytest.mark.parametrize("seed", range(4))
def test_no_delta_is_below_the_exact_one(seed):
    rng = np.random.default_rng(seed)
    parts = [(some(rng, 12, -5), 6), (some(rng, 4, -20), 4), (some(rng, 3, 40), 3)]
    whole = LossSum(parts, INTERVAL)
    with mpmath.workdps(50):
        curve = exact_curve(parts)
        for share in (0.05, 0.3, 0.6, 0.9, 0.99):
            epsilon = share * whole._highest * INTERVAL
            exact = curve(epsilon)
            assert 0.0 < exact <= whole.compute_delta(epsilon) <= exact * (1 + EXCESS)
    assert whole.compute_delta(whole._highest * INTERVAL) == 0.0


def test_a_rare_large_loss_is_inside_of_every_window():
    values = np.zeros(5001)
    values[0], values[-1] = 1.0 - 2.0**-40, 2.0**-40
    parts = [(Masses(-1, values), 4)]
    whole = LossSum(parts, INTERVAL)
    with mpmath.workdps(50):
        curve = exact_curve(parts)
        for epsilon in (0.0, 1.0, 4.0, 9.0, 14.0):
            exact = curve(epsilon)
            # the transform's bound is one of the bulk of the masses, which is far from epsilon here
            assert exact <= whole.compute_delta(epsilon) <= exact * (1 + EXCESS) + 4e-12


def test_infinite_losses_are_told_by_any_part():
    whole = LossSum([(Masses(0, np.array([0.5]), 0.5), 3)], INTERVAL)
    assert whole.compute_delta(1.0) == pytest.approx(0.875, rel=1e-12) and whole.compute_delta(1.0) >= 0.875


def test_a_split_keeps_both_neighbors_masses_and_tells_no_less():
    losses, masses = np.array([0.3, -0.7, 5 * INTERVAL, 1e-9]), np.array([0.4, 0.3, 0.2, 0.1])
    found = split_masses(losses, masses, INTERVAL)
    at = found.get_losses(INTERVAL)
    assert found.values.sum() == pytest.approx(1.0, rel=1e-15)
    other = float((found.values * np.exp(-at)).sum())
    assert other == pytest.approx(float((masses * np.exp(-losses)).sum()), rel=1e-12)

    def told(epsilon, xs, ms):
        shares = (Fraction(-math.expm1(min(0.0, epsilon - x))) for x in xs.tolist())
        return sum(Fraction(m) * share for m, share in zip(ms.tolist(), shares))

    for epsilon in (0.0, 0.1, 0.2999, 0.3, 0.30001):
        before, after = told(epsilon, losses, masses), told(epsilon, at, found.values)
        assert before <= after * (1 + Fraction(1, 2**48)) and after - before <= INTERVAL


@pytest.mark.parametrize("values", [(0.3, 0.7), (0.1, 0.9), (1 / 3, 2 / 3)])
def test_the_rounding_errors_of_many_parts_are_within_their_bound(values):
    times = 4000
    whole = LossSum([(Masses(0, np.array(values)), times)], INTERVAL)
    masses, bound = whole.compute_convolution(whole._make_tilt(0.0), 4096)
    with mpmath.workdps(50):
        p = mpmath.mpf(values[1]) / (mpmath.mpf(values[0]) + mpmath.mpf(values[1]))
        places = [int(times * p) + away for away in (-30, -5, 0, 5, 30)]
        exact = [mpmath.binomial(times, k) * p**k * (1 - p) ** (times - k) for k in places]
        errors = [abs(float(masses[k]) - each) for k, each in zip(places, exact)]
    # they are above 1e-16, and the bound is below a thousandth of a millionth
    assert 1e-16 < max(errors) <= bound < 1e-9


def test_masses_are_compared_by_identity():
    one, other = Masses(0, np.ones(2)), Masses(0, np.ones(2))
    assert len({one, one, other}) == 2 and one != other

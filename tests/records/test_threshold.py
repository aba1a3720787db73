"""The threshold for levels found in the data: exact probabilities, and delta by enumeration."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest

from pydpstat.statistics.tables import compute_threshold


def tail(rate, least):
    """P(K >= least) of symmetric geometric noise, from its probabilities."""
    ratio = mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator)
    if least <= 0:
        return 1 - tail(rate, 1 - least)
    return ratio**least / (1 + ratio)


@pytest.mark.parametrize("rate", [Fraction(1, 100), Fraction(1), Fraction(7)])
@pytest.mark.parametrize("delta", [0.3, 1e-6, 1e-300])
def test_the_smallest_that_keeps_delta(rate, delta):
    threshold = compute_threshold(rate, delta)
    with mpmath.workdps(400):
        assert tail(rate, threshold - 1) <= mpmath.mpf(delta)
        assert threshold == 2 or tail(rate, threshold - 2) > mpmath.mpf(delta)


def outcome_law(counts, rate, threshold, most=25):
    """Released pairs (level, count) of each level: its probabilities, the far tail in one outcome."""
    laws = []
    for count in counts:
        law = {None: mpmath.mpf(1)}
        if count:
            law = {value: pmf(rate, value - count) for value in range(threshold, threshold + most)}
            law["more"] = tail(rate, threshold + most - count)
            law[None] = 1 - mpmath.fsum(law.values())
        laws.append(law)
    return laws


def pmf(rate, k):
    return tail(rate, k) - tail(rate, k + 1)


def excess(a, b, epsilon):
    """The delta of two pairs of independent outcomes: sum of (P - e^epsilon Q) where positive."""
    factor = mpmath.exp(epsilon)
    total = mpmath.mpf(0)
    for first, second in product(set(a[0]) | set(b[0]), set(a[1]) | set(b[1])):
        p = a[0].get(first, 0) * a[1].get(second, 0)
        q = b[0].get(first, 0) * b[1].get(second, 0)
        total += max(p - factor * q, 0)
    return total


@pytest.mark.parametrize("delta", [0.2, 1e-3])
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_delta_by_enumeration(neighbors, delta):
    epsilon = Fraction(1)
    rate = epsilon / 2 if neighbors == "bounded" else epsilon
    threshold = compute_threshold(rate, delta)
    tables = [(a, b) for a in range(3) for b in range(3)]
    worst = mpmath.mpf(0)
    with mpmath.workdps(30):
        for a in tables:
            for b in tables:
                difference = sorted((b[0] - a[0], b[1] - a[1]))
                if difference == ([-1, 1] if neighbors == "bounded" else [0, 1]):
                    first, second = (outcome_law(each, rate, threshold) for each in (a, b))
                    for p, q in ((first, second), (second, first)):
                        worst = max(worst, excess(p, q, mpmath.mpf(1)))
        assert worst <= mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -20)
        # the next smaller threshold would not do: the enumeration sees it
        reachable = tail(rate, threshold - 1)
        assert worst >= reachable * (1 - mpmath.mpf(10) ** -20)

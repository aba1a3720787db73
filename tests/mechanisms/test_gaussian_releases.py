"""A Gaussian release keeps the delta it claims, grid included, and wastes less than a thousandth of it."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from pydpstat._release.additive import Query, release
from pydpstat._release.calibration import prepare
from pydpstat.mechanisms import GaussianNoise, calibrate_gaussian
from pydpstat.privacy import Guarantee
from pydpstat.random.source import SYSTEM
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from tests.specs import CallableSpec


def exact_delta(epsilon, ratio):
    """Balle and Wang's curve in multiple precision."""
    low, high = epsilon / ratio - ratio / 2, epsilon / ratio + ratio / 2
    root = mpmath.sqrt(2)
    return (mpmath.erfc(low / root) - mpmath.exp(epsilon) * mpmath.erfc(high / root)) / 2


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("sensitivity", [Fraction(1), Fraction(7, 30_000)])
def test_the_exact_delta(epsilon, delta, sensitivity):
    guarantee = Guarantee(epsilon, delta)
    query = Query("mean", np.asarray(1 / 3), (sensitivity,), Labels("mean"), exact=(Fraction(1, 3),))
    spec = CallableSpec(lambda sens: GaussianNoise(calibrate_gaussian(epsilon, delta, sens[0])), guarantee)
    prepared = prepare(query.question, spec, False)
    result = release(query, prepared, SYSTEM, record=Call("mean", (("x", "x"),), ()))
    with mpmath.workdps(300):
        moved = sensitivity + Fraction(result.grid)
        ratio = mpmath.mpf(moved.numerator) / moved.denominator / mpmath.mpf(result.noise_scale)
        kept = exact_delta(mpmath.mpf(epsilon), ratio)
        assert 0.999 * delta <= kept <= delta

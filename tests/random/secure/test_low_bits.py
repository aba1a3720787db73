"""A release's last bits say nothing of the data; those of R's noise do."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pydpstat
from pydpstat import RRandom
from tests.lattices import differing_lattices

N = 1500


def vector(truth, rng, mechanism):
    if mechanism == "Laplace":
        return pydpstat.LaplaceMechanism(np.full(20 * N, truth), 1.0, 1.0, rng=rng)
    return pydpstat.GaussianMechanism(np.full(20 * N, truth), 0.9, 1e-3, 1.0, analytic=True, rng=rng)


def statistic(call, x, rng, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array([float(call(x, 1.0, 0.0, 10.0, rng=rng, **options)) for _ in range(N)])


# each with the true values 0 and 1, or other neighbors
RELEASES = {
    "LaplaceMechanism": (lambda rng, t: vector(t, rng, "Laplace"), 0.0, 1.0),
    "GaussianMechanism": (lambda rng, t: vector(t, rng, "Gaussian"), 0.0, 1.0),
    "meanDP": (lambda rng, t: statistic(pydpstat.meanDP, [0.0] * 9 + [10.0 * t], rng), 0.0, 1.0),
    "meanDP, thirds": (lambda rng, t: statistic(pydpstat.meanDP, [0.0, 5.0, t], rng), 5.0, 0.1),
    "varDP": (lambda rng, t: statistic(pydpstat.varDP, [0.0] * 9 + [t], rng), 0.0, 10.0),
    "meanDP, analytic": (
        lambda rng, t: statistic(
            pydpstat.meanDP, [0.0] * 9 + [10.0 * t], rng, mechanism="analytic", delta=1e-3
        ),
        0.0,
        1.0,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("draw, first, second", RELEASES.values(), ids=RELEASES)
def test_the_lattices_of_neighbors_are_the_same(draw, first, second):
    assert differing_lattices(draw(None, first), draw(None, second)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["LaplaceMechanism", "GaussianMechanism", "meanDP"])
def test_the_test_sees_the_noise_of_r(name):
    draw, first, second = RELEASES[name]
    rng = RRandom(1)
    assert differing_lattices(draw(rng, first), draw(rng, second))


@pytest.mark.slow
def test_the_test_has_no_false_alarm_on_the_same_distribution():
    generator = np.random.default_rng(5)
    for _ in range(3):
        # rounded to a grid, as a release is
        samples = np.rint(generator.laplace(0.3, 1.0, (2, 20_000)) * 2.0**20) / 2.0**20
        assert differing_lattices(*samples) == []

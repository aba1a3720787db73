"""The last bits of the own functions' releases say nothing of the data; with R's noise they would."""

import math
from functools import partial

import numpy as np
import pytest

import pydpstat
from pydpstat import RRandom
from tests.lattices import differing_lattices

# a power of two: the columns' shares of epsilon are exact
COLUMNS = 4_096
ROUNDS = 2
PAIRS = 1_500
ZERO, ONE = [0.0], [1.0]
LOW, HIGH = [0.0, 0.0], [0.0, 1.0]
LESS, MORE = [0.0] * 3, [0.0, 0.0, 0.0, 1.0]
TENTHS, MOVED = [0.1, 0.2, 0.3], [0.1, 0.2, 1.0]
GAUSSIAN = {"mechanism": "gaussian", "delta": 1e-3}
OPEN = {"neighbors": "unbounded"}
# where values are clipped: the bounds, and the largest (co)variance of two records with its root; what a
# quotient is where no record is seen
ENDS = (-1.0, -0.5, 0.0, 0.5, math.sqrt(0.5), 1.0)


def columns(function, **options):
    """Return many draws of one column's release: each column of a wide matrix is one."""

    def draw(data, rng):
        wide = np.repeat(np.asarray(data)[:, None], COLUMNS, axis=1)
        call = partial(getattr(pydpstat, function), mechanism="laplace")
        return np.concatenate(
            [np.asarray(call(wide, float(COLUMNS), bounds=(0, 1), rng=rng, **options)) for _ in range(ROUNDS)]
        )

    return draw


def pairs(function, **options):
    def draw(data, rng):
        x, call = np.asarray(data), getattr(pydpstat, function)
        bounds = ((0, 1), (0, 1))
        return np.array([float(call(x, x, 1.0, bounds=bounds, rng=rng, **options)) for _ in range(PAIRS)])

    return draw


# value plus noise: all results are compared
ADDITIVE = {
    "mean": (columns("mean"), ZERO, ONE),
    "mean of tenths": (columns("mean"), TENTHS, MOVED),
    "mean, Gaussian": (columns("mean", **GAUSSIAN), ZERO, ONE),
    "sum": (columns("sum"), ZERO, ONE),
    "sum, Gaussian": (columns("sum", **GAUSSIAN), ZERO, ONE),
    "sum, unbounded": (columns("sum", **OPEN), LESS, MORE),
    "sum, unbounded, Gaussian": (columns("sum", **OPEN, **GAUSSIAN), LESS, MORE),
    "var": (columns("var"), LOW, HIGH),
    "var, Gaussian": (columns("var", **GAUSSIAN), LOW, HIGH),
    "cov": (pairs("cov"), LOW, HIGH),
    "cov, Gaussian": (pairs("cov", **GAUSSIAN), LOW, HIGH),
}

# computed from released values
COMPUTED = {
    "mean, unbounded": (columns("mean", **OPEN), LESS, MORE),
    "mean, unbounded, Gaussian": (columns("mean", **OPEN, **GAUSSIAN), LESS, MORE),
    "var, unbounded": (columns("var", **OPEN), LESS, MORE),
    "std": (columns("std"), LOW, HIGH),
    "std, Gaussian": (columns("std", **GAUSSIAN), LOW, HIGH),
    "std, unbounded": (columns("std", **OPEN), LESS, MORE),
    "cov, unbounded": (pairs("cov", **OPEN), LESS, MORE),
    "corr": (pairs("corr"), LOW * 20, LOW * 19 + HIGH),
    "corr, unbounded": (pairs("corr", **OPEN), LOW * 20, LOW * 20 + ONE),
}


@pytest.mark.slow
@pytest.mark.parametrize("draw, first, second", ADDITIVE.values(), ids=ADDITIVE)
def test_the_lattices_of_neighbors_are_the_same(draw, first, second):
    assert differing_lattices(draw(first, None), draw(second, None), cuts=ENDS) == []


@pytest.mark.slow
@pytest.mark.parametrize("draw, first, second", COMPUTED.values(), ids=COMPUTED)
def test_values_computed_from_releases_add_no_lattice(draw, first, second):
    assert differing_lattices(draw(first, None), draw(second, None), cuts=ENDS, whole=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mean of tenths", "sum, unbounded, Gaussian", "var", "cov"])
def test_the_test_sees_the_noise_of_r(name):
    draw, first, second = ADDITIVE[name]
    rng = RRandom(1)
    assert differing_lattices(draw(first, rng), draw(second, rng), cuts=ENDS)

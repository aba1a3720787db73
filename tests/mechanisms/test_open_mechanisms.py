"""A mechanism from outside of the package, wherever a name would do."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat
from pydpstat import PydpstatError
from pydpstat.consistency import Hierarchy, release_hierarchy
from pydpstat.mechanisms import DiscreteGaussian, Gaussian, Geometric, Laplace, LaplaceNoise, Mechanism, Noise
from pydpstat.mechanisms.mechanism import split_equally
from tests.pipeline_calls import on_grid

X = np.linspace(1.0, 99.0, 60)
FRAME = pd.DataFrame({"x": X, "y": 100.0 - X})


@dataclass(frozen=True, eq=False)
class PlainNoise(Noise):
    """Laplace noise without anything of the package's own class."""

    width: float
    name: ClassVar[str] = "plain"

    @property
    def scale(self):
        return self.width

    def std(self):
        return 2.0**0.5 * self.width

    def cdf(self, x):
        return LaplaceNoise(self.width).cdf(x)

    def ppf(self, q):
        return LaplaceNoise(self.width).ppf(q)

    def draw(self, source, size, grid):
        return source.laplace(size, self.width, grid)


class Plain(Mechanism):
    """The Laplace mechanism, written outside; `part` below 1 makes it wrong."""

    name = "plain"

    def __init__(self, part=1.0):
        self.part = part

    def calibrate(self, epsilon, delta, sensitivity):
        return PlainNoise(self.part * sensitivity / epsilon)


class Joint(Plain):
    joint = True


REAL = {
    "mean": lambda **o: pydpstat.mean(X, 1.0, bounds=(0, 100), **o),
    "mean of columns": lambda **o: pydpstat.mean(FRAME, 1.0, bounds=(0, 100), **o),
    "sum": lambda **o: pydpstat.sum(X, 1.0, bounds=(0, 100), **o),
    "var": lambda **o: pydpstat.var(X, 1.0, bounds=(0, 100), **o),
    "std": lambda **o: pydpstat.std(X, 1.0, bounds=(0, 100), **o),
    "cov": lambda **o: pydpstat.cov(X, 100.0 - X, 1.0, bounds=((0, 100), (0, 100)), **o),
    "corr": lambda **o: pydpstat.corr(X, 100.0 - X, 1.0, bounds=((0, 100), (0, 100)), **o),
}
COUNTS = {
    "count": lambda **o: pydpstat.count(X > 50, 1.0, **o),
    "proportion": lambda **o: pydpstat.proportion(X > 50, 1.0, **o),
    "histogram": lambda **o: pydpstat.histogram(X, 1.0, edges=[0, 50, 100], **o),
    "crosstab": lambda **o: pydpstat.crosstab(np.where(X > 50, "b", "a"), 1.0, levels=["a", "b"], **o),
}
ALL = REAL | COUNTS


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("name", ALL)
def test_every_additive_statistic(name, neighbors):
    budget = pydpstat.Budget(1.0, neighbors=neighbors)
    result = ALL[name](mechanism=Plain(), neighbors=neighbors, budget=budget)
    assert result.mechanism == "plain" and result.grid is not None
    assert (result.guarantee.epsilon, result.guarantee.delta, result.guarantee.loss) == (1.0, 0.0, None)
    assert budget.spent.epsilon == 1.0
    assert "mechanism=Plain(part=1.0)" in result.call.replace("\n", " ")
    assert "plain" in result.summary().as_text() and np.all(np.isfinite(result.noise_scale))
    assert pickle.loads(pickle.dumps(result)).noise == result.noise
    if not result.postprocessing:
        assert on_grid(result)


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("name", ALL)
def test_the_noise_is_that_of_the_laplace_mechanism_or_safer(name, neighbors):
    # without the rule for vectors epsilon is divided among what may move; with it the scale is Laplace's
    results = [ALL[name](mechanism=each, neighbors=neighbors) for each in (Laplace(), Plain(), Joint())]
    usual, parted, joint = (np.max(each.noise_scale) for each in results)
    assert joint == pytest.approx(usual, rel=1e-12) and parted >= usual * (1.0 - 1e-12)


def test_hierarchies_and_plans():
    tree = Hierarchy({"North": ["a", "b"], "South": ["c"]})
    result = release_hierarchy({"a": 9, "b": 5, "c": 7}, 1.0, hierarchy=tree, mechanism=Plain())
    assert result.mechanism == "plain" and result.epsilons.tolist() == [0.0, 0.5, 0.5]
    # replacing a record moves two counts of a level by 1, each of which costs half of the level's part
    assert result.noise_scale.tolist()[1:] == [4.0, 4.0] and result.largest_gap < 1e-9
    planned = pydpstat.plan("mean", 1.0, n=60, bounds=(0, 100), mechanism=Plain())
    assert planned.noise_scale == pydpstat.mean(X, 1.0, bounds=(0, 100), mechanism=Plain()).noise_scale


@pytest.mark.slow
def test_the_auditor_tells_a_wrong_one():
    def release(part):
        return lambda x: pydpstat.mean(x, 1.0, bounds=(0, 1), mechanism=Plain(part))

    sound = pydpstat.audit(release(1.0), [0.0], [1.0], samples=2000, rng=1)
    wrong = pydpstat.audit(release(0.3), [0.0], [1.0], samples=2000, rng=1)
    assert not sound.violates and wrong.violates and wrong.epsilon_lower > 1.2


def test_what_a_name_does_an_object_does():
    for calls, name, each, more in (
        (REAL, "laplace", Laplace(), {}),
        (REAL, "gaussian", Gaussian(), {"delta": 1e-6}),
        (COUNTS, "geometric", Geometric(), {}),
        (COUNTS, "gaussian", DiscreteGaussian(), {"delta": 1e-6}),
    ):
        for call in calls.values():
            first, second = call(mechanism=name, rng=5, **more), call(mechanism=each, rng=5, **more)
            assert np.array_equal(first.value, second.value, equal_nan=True)
            assert first.guarantee == second.guarantee


def test_an_integer_mechanism_is_for_counts_only():
    with pytest.raises(PydpstatError, match="real numbers"):
        pydpstat.mean(X, 1.0, bounds=(0, 100), mechanism=Geometric())
    for delta in (0.0, 1.0):
        with pytest.raises(PydpstatError, match="delta must be above 0 and below 1"):
            pydpstat.mean(X, 1.0, bounds=(0, 100), mechanism=Gaussian(), delta=delta)
    with pytest.raises(PydpstatError, match="delta must be 0"):
        pydpstat.mean(X, 1.0, bounds=(0, 100), mechanism=Plain(), delta=1e-6)
    with pytest.raises(TypeError):
        pydpstat.median(X, 1.0, bounds=(0, 100), mechanism=Plain())


def test_what_a_mechanism_lacks_is_named():
    class Empty(Mechanism):
        name = "empty"

    with pytest.raises(NotImplementedError, match=r"Empty must define calibrate\(\)"):
        pydpstat.count(X > 50, 1.0, mechanism=Empty())


def drawing(draw):
    """Return the plain mechanism with another draw."""
    noise = type("Drawn", (PlainNoise,), {"draw": draw})
    return type("Drawing", (Plain,), {"calibrate": lambda self, e, d, s: noise(s / e)})()


@pytest.mark.parametrize("name", ALL)
def test_noise_that_takes_no_notice_of_the_grid_is_refused(name):
    # cut to whole units there would be next to no noise
    mechanism = drawing(lambda self, source, size, grid: self.ppf(source.uniform(size)))
    with pytest.raises(PydpstatError, match="draw of Drawn must return whole numbers.* Nothing was released"):
        ALL[name](mechanism=mechanism)
    seeded = ALL[name](mechanism=mechanism, rng=1)
    # a correlation of noisy sums may be missing
    assert np.all(np.isfinite(seeded.value) | (np.isnan(seeded.value) & seeded.post.can_be_missing))


@pytest.mark.parametrize("rng", [None, 1])
@pytest.mark.parametrize("more", [1, -1])
def test_as_many_numbers_as_elements_are_drawn(more, rng):
    def draw(self, source, size, grid):
        return source.laplace(size + more, self.width, grid)

    for call in (COUNTS["histogram"], REAL["mean"]):
        with pytest.raises(PydpstatError, match=r"draw of Drawn must return an array of shape \(\d,\)"):
            call(mechanism=drawing(draw), rng=rng)
    with pytest.raises(PydpstatError, match="got float. Nothing was released"):
        REAL["mean"](mechanism=drawing(lambda self, source, size, grid: 5.0), rng=rng)


def test_whole_numbers_of_python_are_drawn_as_well():
    def draw(self, source, size, grid):
        return np.array([int(each) for each in source.laplace(size, self.width, grid)], dtype=object)

    assert all(on_grid(REAL[name](mechanism=drawing(draw))) for name in ("mean", "sum", "var"))


def test_the_interval_of_a_correlation_holds_with_any_noise():
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 100, 4000)
    y = 0.6 * x + 0.4 * rng.uniform(0, 100, 4000)
    call = dict(bounds=((0, 100), (0, 100)), mechanism=Plain())
    exact = float(pydpstat.corr(x, y, 1e6, **call))
    ends = [pydpstat.corr(x, y, 20.0, **call, rng=seed).conf_int().iloc[0].tolist() for seed in range(40)]
    assert all(low <= exact <= high for low, high in ends)
    assert np.median([high - low for low, high in ends]) < 0.2


def test_a_class_is_no_mechanism_yet():
    with pytest.raises(PydpstatError, match=r"Write Plain\(\)"):
        pydpstat.count(X > 50, 1.0, mechanism=Plain)


@given(st.floats(1e-300, 1e6), st.integers(1, 10_000))
def test_equal_parts_are_the_largest_that_are_not_above_the_whole(total, parts):
    part = split_equally(total, parts)
    assert parts * Fraction(part) <= Fraction(total) < parts * Fraction(math.nextafter(part, math.inf))

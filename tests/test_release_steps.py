"""Steps of a release on their own: the sum on the grid, the checks of noise and models, what a call says."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat import Guarantee, PydpstatError
from pydpstat._null_distributions import correlations
from pydpstat._records.aggregates import _convert_levels
from pydpstat._records.record_grid import GRID_BITS, make_standard_grid
from pydpstat._release.calibration import _SMALLEST_SCALE, _check_underflow
from pydpstat._release.models import release_model
from pydpstat._release.pipeline import _add_noise_in_floats
from pydpstat.mechanisms import Gaussian, Laplace, LaplaceNoise
from pydpstat.random.source import source_from


def test_one_element_that_is_too_large_for_the_grid_is_an_error():
    with pytest.raises(PydpstatError, match="too large for the grid"):
        _add_noise_in_floats(np.array([1.0, 1e300]), np.array([1, 1]), 1e-20)


def test_one_scale_that_underflows_is_an_error():
    question = SimpleNamespace(statistic="mean")
    for scale in (np.array([1.0, 1e-200]), _SMALLEST_SCALE):
        _check_underflow(question, SimpleNamespace(scale=scale))
    for scale in (np.array([1.0, 1e-320]), 1e-320):
        with pytest.raises(PydpstatError, match="underflows"):
            _check_underflow(question, SimpleNamespace(scale=scale))


@pytest.mark.parametrize("coefficient", [math.nan, math.inf])
def test_one_coefficient_that_is_no_number_is_an_error(coefficient):
    with pytest.raises(PydpstatError, match="not a finite number"):
        release_model(
            lambda noise: np.array([1.0, coefficient]),
            None,
            source_from(1),
            size=2,
            perturbation="objective",
            unscale=lambda coeff: coeff,
            guarantee=Guarantee(1.0),
            fields={},
        )


def test_calls_say_what_was_given():
    x, g = [1.0, 2.0, 3.0], pd.Series(["a", "b", "a"], name="g")
    noise = {"bounds": (0, 4), "delta": 1e-6, "rng": 1}
    assert "mechanism='gaussian'" in dp.mean(x, 1.0, mechanism="gaussian", **noise).call
    assert "mechanism=Gaussian()" in dp.mean(x, 1.0, mechanism=Gaussian(), **noise).call
    flags = pd.Series([True, False, True], name="t")
    one = dp.count(flags, 1.0, by=g, levels=["a", "b"], rng=1)
    assert "by='g'" in one.call and "neighbors" not in one.call
    some = dp.count(flags, 1.0, neighbors="unbounded", rng=1)
    assert "neighbors='unbounded'" in some.call and "mechanism" not in some.call


def test_only_integers_need_a_grid_of_at_most_1():
    assert dp.sum([1.0, 2.0], 1.0, bounds=(0, 1e15)).grid > 1.0
    assert dp.count([True, False], 1e-12, mechanism=Laplace()).grid <= 1.0


def test_engines_are_not_asked_for_levels_that_they_may_read_otherwise():
    column = pd.Series([1, 2], dtype="int64")
    assert _convert_levels(column, [1, -(2**53)]) == (1, -(2**53)) and _convert_levels(column, [1, 2**53]) == (1, 2**53)
    # pandas before 3 has no type of its own for texts
    texts = np.array(["a", "b"])
    assert _convert_levels(texts, ["a", "c"]) == ("a", "c") and _convert_levels(texts, ["a", "b\0"]) is None
    assert _convert_levels(column, [1, -(2**53) - 1]) is None and _convert_levels(column, [1, 2**53 + 1]) is None


def test_records_far_from_0_are_placed_as_exactly():
    lower, upper = 1e12, 1e12 + 3.0
    grid, x = make_standard_grid(lower, upper), np.array([1e12 + 0.25, 1e12 + 1.0, 1e12 + 2.9])
    exact = [2 * (Fraction(each) - Fraction(lower)) / 3 - 1 for each in x.tolist()]
    placed = map(Fraction, grid.round_records(x).tolist())
    assert all(abs(at - to) <= Fraction(2, 2**GRID_BITS) for at, to in zip(placed, exact))


@pytest.mark.parametrize("size", [None, 1000])
def test_ranges_of_moments_miss_with_alpha_together(monkeypatch, size):
    tails, real = [], correlations.compute_sum_quantile

    def heard(noise, terms, tail):
        tails.append(tail)
        return real(noise, terms, tail)

    monkeypatch.setattr(correlations, "compute_sum_quantile", heard)
    sums = np.array([3625.0, 250.0, 625.0, 250.0, 500.0, 250.0, 625.0, 250.0, 3625.0])
    correlations._compute_moment_limits(sums, size, LaplaceNoise(2.0), 0.01)
    # a number of records that is public has no noise
    assert 2.0 * math.fsum(tails[(size is not None) :]) == pytest.approx(0.01)

"""Exact draws against their distribution, with 1e6 draws and the power to see a scale wrong by 1 %.

``PYDPSTAT_DRAWS=10000000 pytest tests/random/secure/test_distributions.py`` makes 1e7 draws of each.
"""

import os
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from pydpstat.mechanisms import DiscreteGaussianNoise, SignGeometricNoise, SymmetricGeometricNoise
from pydpstat.random import secure
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _gaussian_table, continuous
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._gaussian_table import is_table_faster
from tests.random.secure.distributions import FALSE_ALARM, Rounded, Whole, p_values

N = int(os.environ.get("PYDPSTAT_DRAWS", "1000000"))
WRONG = 1.01


def draw_by_trials(n, sd):
    """So few draws at a time that no table is made."""
    assert not is_table_faster(2_000, sd)
    return np.concatenate([secure.discrete_gaussian(2_000, sd) for _ in range(n // 2_000)])


# name, draw(n), distribution(factor) of the scale times it, whether the last digits are even, share of N
CONTINUOUS = [
    (
        f"{name} {ratio:g}",
        lambda n, d=draw, r=ratio: d(n, r, 1.0),
        lambda f, w=true, r=ratio: Rounded(w, f * r),
        ratio,
    )
    for name, draw, true in (
        ("Laplace", secure.laplace, stats.laplace),
        ("normal", secure.normal, stats.norm),
    )
    for ratio in (0.8, 3.7, 2.0**20, 1.37 * 2.0**20, 3e8)
]
INTEGER = [
    (
        f"{name} {rate:g}",
        lambda n, d=draw, r=rate: d(n, r),
        lambda f, w=distribution, r=rate: Whole(w(r / f)),
        1.0 / rate,
    )
    for name, draw, distribution in (
        ("geometric", secure.symmetric_geometric, SymmetricGeometricNoise),
        ("sign times geometric", secure.sign_geometric, SignGeometricNoise),
    )
    for rate in (1e-6, 0.01, 0.5, 2.0)
]
GAUSSIAN = [
    (
        f"discrete Gaussian {sd:g}",
        lambda n, s=sd: secure.discrete_gaussian(n, s),
        lambda f, s=sd: Whole(DiscreteGaussianNoise(s * f)),
        sd,
    )
    for sd in (0.3, 0.5, 1.3, 20.0, 1000.0, 7777.7)
] + [
    (
        f"discrete Gaussian by trials {sd:g}",
        lambda n, s=sd: draw_by_trials(n, s),
        lambda f, s=sd: Whole(DiscreteGaussianNoise(s * f)),
        sd,
    )
    for sd in (0.5, 20.0)
]
CASES = CONTINUOUS + INTEGER + GAUSSIAN


@pytest.mark.slow
@pytest.mark.parametrize("draw, distribution, scale", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_distribution(draw, distribution, scale):
    sample = draw(N)
    assert sample.shape == (N,) and np.array_equal(sample, np.rint(sample))
    wide = scale > 2.0**15
    found = p_values(sample, distribution(1.0), wide)
    assert min(found.values()) > FALSE_ALARM, found
    for factor in (WRONG, 1.0 / WRONG):
        assert min(p_values(sample, distribution(factor), wide).values()) < FALSE_ALARM


class Counter:
    """Counts the draws that multiple precision finishes."""

    def __init__(self, monkeypatch, *names):
        self.count = 0
        for name in names:
            module = _gaussian_table if name == "resolve_draw" else precise
            monkeypatch.setattr(module, name, self._counting(getattr(module, name)))

    def _counting(self, function):
        def counted(*arguments, **keywords):
            self.count += 1
            return function(*arguments, **keywords)

        return counted


FINE = 2.0**-20
# draw, its arguments, its distribution with a scale times the factor, known bits, number of draws
UNDECIDED = {
    "Laplace": (secure.laplace, (3.7, 1.0), lambda f: Rounded(stats.laplace, 3.7 * f), 5, 20_000),
    "Laplace, fine": (secure.laplace, (1.0, FINE), lambda f: Rounded(stats.laplace, f / FINE), 24, 20_000),
    "normal": (secure.normal, (3.7, 1.0), lambda f: Rounded(stats.norm, 3.7 * f), 5, 6_000),
    "normal, fine": (secure.normal, (1.0, FINE), lambda f: Rounded(stats.norm, f / FINE), 24, 6_000),
    **{
        name: (draw, (rate,), lambda f, law=law, rate=rate: Whole(law(rate / f)), known, 20_000)
        for name, draw, law, rate, known in (
            ("geometric", secure.symmetric_geometric, SymmetricGeometricNoise, 0.3, 5),
            ("geometric, fine", secure.symmetric_geometric, SymmetricGeometricNoise, 1e-5, 21),
            ("sign times geometric", secure.sign_geometric, SignGeometricNoise, 0.3, 5),
        )
    },
    **{
        name: (draw, (2.5,), lambda f: Whole(DiscreteGaussianNoise(2.5 * f)), 5, 10_000)
        for name, draw in (
            ("discrete Gaussian", secure.discrete_gaussian),
            ("discrete Gaussian by trials", draw_by_trials),
        )
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNDECIDED)
def test_what_is_mostly_undecided(monkeypatch, name):
    draw, scale, distribution, known, n = UNDECIDED[name]
    monkeypatch.setattr(bits, "KNOWN_BITS", known)
    counter = Counter(monkeypatch, "compute_floor", "compute_normal_floor", "is_log_at_least", "resolve_draw")
    sample = draw(n, *scale)
    assert 0.15 * n < counter.count
    found = p_values(sample, distribution(1.0), False)
    assert min(found.values()) > FALSE_ALARM, found
    for factor in (1.15, 1 / 1.15):
        assert min(p_values(sample, distribution(factor), False).values()) < FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("ratio, most", [(2.0**20, 2e-6), (2.0**27, 1e-4), (2.0**41, 0.2)])
@pytest.mark.parametrize("draw", [secure.laplace, secure.normal], ids=["Laplace", "normal"])
def test_few_draws_are_undecided(monkeypatch, draw, ratio, most):
    monkeypatch.setattr(precise, "compute_floor", lambda *_, **__: 0)
    monkeypatch.setattr(precise, "compute_normal_floor", lambda *_, **__: 0)
    counter = Counter(monkeypatch, "compute_floor", "compute_normal_floor")
    draw(1_000_000, ratio, 1.0)
    assert counter.count <= most * 1_000_000


def test_no_scale_is_no_noise():
    assert not secure.normal(5, 0.0, 2.0**-20).any() and not secure.laplace(5, 0.0, 2.0**-20).any()
    assert not secure.discrete_gaussian(5, 0.0).any()


@pytest.mark.parametrize("draw, distribution", [(secure.laplace, stats.laplace), (secure.normal, stats.norm)])
def test_scales_of_their_own(draw, distribution):
    scales = np.tile([1.0, 10.0, 100.0], 100_000)
    noise = draw(scales.size, scales, 2.0**-20)
    for scale in (1.0, 10.0, 100.0):
        found = p_values(noise[scales == scale], Rounded(distribution, scale * 2.0**20), True)
        assert min(found.values()) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("draw, distribution", [(secure.laplace, stats.laplace), (secure.normal, stats.norm)])
@pytest.mark.parametrize("scale, grid", [(1e300, 2.0**-1000), (1e-300, 2.0**-1040), (1.0, 2.0**-60), (1e300, 2.0**970)])
def test_extreme_scales_and_grids(draw, distribution, scale, grid):
    ratio = Fraction(scale) / Fraction(grid)
    units = draw(1500 if ratio < 2**100 else 60, scale, grid)
    # as shares of the scale, exactly: beyond 2^53 units the numbers are Python's integers
    z = np.array([float(Fraction(int(unit)) / ratio) for unit in units])
    assert stats.kstest(z, distribution.cdf).pvalue > FALSE_ALARM
    if ratio > 2**60:
        assert units.dtype == object and len({int(unit) % 1024 for unit in units}) > 0.45 * units.size
        assert [draw(1, scale, grid).dtype for _ in range(3)].count(np.dtype(object)) == 3


@pytest.mark.parametrize("rate", [1e-17, Fraction(1, 10**15), 40.0, 1e300])
def test_extreme_rates(rate):
    for distribution, reference in (
        (secure.symmetric_geometric, SymmetricGeometricNoise),
        (secure.sign_geometric, SignGeometricNoise),
    ):
        sample = distribution(1000, rate)
        if rate < 1:
            z = np.array([float(int(each) * Fraction(rate)) for each in sample])
            assert stats.kstest(z, stats.laplace.cdf).pvalue > FALSE_ALARM
        else:
            assert (sample != 0).sum() <= 5 and float(reference(float(rate)).pmf(0)) > 0.99


@pytest.mark.parametrize("sd", [1e-300, 1e-3, 1e9, 1e15, 1e20])
def test_extreme_discrete_gaussians(sd):
    sample = np.array([int(each) for each in secure.discrete_gaussian(300, sd)], dtype=object)
    if sd < 1:
        assert not sample.any()
    else:
        z = np.array([float(each) / sd for each in sample])
        assert stats.kstest(z, stats.norm.cdf).pvalue > FALSE_ALARM
        assert len({each % 64 for each in sample}) > 50


@pytest.mark.slow
@pytest.mark.parametrize("known", [52, 5])
@pytest.mark.parametrize("sd", [0.6, 2.5, 30.0])
def test_single_discrete_gaussians(monkeypatch, known, sd):
    monkeypatch.setattr(bits, "KNOWN_BITS", known)
    sample = np.array([float(secure.discrete_gaussian(1, sd)[0]) for _ in range(8000)])
    found = p_values(sample, Whole(DiscreteGaussianNoise(sd)), False)
    assert min(found.values()) > FALSE_ALARM, found
    assert min(p_values(sample, Whole(DiscreteGaussianNoise(sd * 1.15)), False).values()) < FALSE_ALARM


@pytest.mark.parametrize("known", [52, 3])
@pytest.mark.parametrize("probability", [0.5, 0.1, 1e-4, Fraction(1, 3), Fraction(6, 7), 0.999])
def test_trials(monkeypatch, known, probability):
    monkeypatch.setattr(bits, "KNOWN_BITS", known)
    n = 300_000 if known == 52 else 60_000
    heads = secure.bernoulli(n, probability)
    assert stats.binomtest(int(heads.sum()), n, float(probability)).pvalue > FALSE_ALARM
    several = secure.bernoulli(n, np.full(n, float(probability)))
    assert stats.binomtest(int(several.sum()), n, float(probability)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("known", [52, 6])
@pytest.mark.parametrize("exponent", [1e-3, 0.7, 3.0, 9.0])
def test_exponential_trials(monkeypatch, known, exponent):
    monkeypatch.setattr(bits, "KNOWN_BITS", known)
    n = 300_000 if known == 52 else 20_000
    heads = secure.bernoulli_exp(np.full(n, exponent))
    assert stats.binomtest(int(heads.sum()), n, float(np.exp(-exponent))).pvalue > FALSE_ALARM


def test_certain_trials():
    assert secure.bernoulli(1000, 1).all() and not secure.bernoulli(1000, 0.0).any()
    assert secure.bernoulli_exp(np.zeros(1000)).all() and not secure.bernoulli_exp(np.full(1000, 1e300)).any()
    for wrong in (-0.1, 1.1, float("nan"), [0.5, 2.0]):
        with pytest.raises(ValueError, match="probability"):
            secure.bernoulli(2, wrong)


@pytest.mark.parametrize("quantile", [continuous.NORMAL_QUANTILE, continuous.LOG_QUANTILE])
def test_a_clear_draw_is_decided_in_floating_point(quantile):
    for uniform in (0.01, 0.3, 0.5, 0.9):
        value = -quantile.minus_one(uniform)
        # the distance from a half is at least 0.1
        ratio = (3.0 if value > 0.1 else 30.0) / value
        assert abs(continuous._round_one(quantile, ratio, 0.0, int(uniform * 2**64))) == round(ratio * value)

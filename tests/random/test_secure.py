"""The operating system's noise: its laws with seeded bits, its grid, and its use of bits."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from scipy import stats

from pydpstat.mechanisms import SignGeometricNoise, SymmetricGeometricNoise
from pydpstat.random import secure

# the bits are seeded: a right sampler passes each time, a random one would fail once in a million
FALSE_ALARM = 1e-6
N = 400_000


def fits(count, probability, size=N):
    return stats.binomtest(int(count), size, probability).pvalue > FALSE_ALARM


def test_bits_come_from_the_operating_system():
    assert secure.entropy is os.urandom


@pytest.mark.parametrize("byte", [0x00, 0xFF, 0x80, 0x7F])
def test_uniforms_stay_inside_0_and_1(monkeypatch, byte):
    monkeypatch.setattr(secure, "entropy", lambda size: bytes([byte]) * size)
    values, signs = secure.signed_uniform(3)
    assert values.shape == signs.shape == (3,) and set(np.abs(signs)) == {1.0}
    assert (values > 0.0).all() and (values < 1.0).all()
    # noise at the very ends is finite too
    for law in (secure.laplace, secure.normal):
        assert np.isfinite(law(3, 1.0, 2.0**-20)).all()
    for law in (secure.symmetric_geometric, secure.sign_geometric):
        assert np.isfinite(law(3, 1.0)).all()


def test_uniforms(seeded_entropy):
    values, signs = secure.signed_uniform(N)
    assert fits((signs > 0).sum(), 0.5)
    # sign and size do not know of each other: standard error 1 / sqrt(n)
    assert abs(np.corrcoef(values, signs)[0, 1]) < 5 / math.sqrt(N)
    assert stats.kstest(values, stats.uniform.cdf).pvalue > FALSE_ALARM
    assert fits((values < 2**-10).sum(), 2**-10) and fits((values > 1 - 2**-10).sum(), 2**-10)
    # neighbours are not correlated: standard error 1 / sqrt(n)
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 5 / math.sqrt(N)


def has_moments(z, reference):
    """Whether mean and variance are within five standard errors of the law's."""
    kurtosis = reference.moment(4) / reference.var() ** 2
    return abs(z.mean()) < 5 * reference.std() / math.sqrt(N) and abs(
        (z**2).mean() / reference.var() - 1
    ) < 5 * math.sqrt((kurtosis - 1) / N)


@pytest.mark.parametrize(
    "law, reference",
    [(secure.laplace, stats.laplace), (secure.normal, stats.norm)],
    ids=["Laplace", "normal"],
)
@pytest.mark.parametrize("scale", [1e-300, 0.37, 1.0, 12.5, 1e300])
def test_real_laws(seeded_entropy, law, reference, scale):
    grid = secure.grid_unit(scale, scale)
    units = law(N, scale, grid)
    assert np.array_equal(units, np.rint(units))
    # a scale is 2^20 to 2^21 units, so that the grid does not show in these tests
    z = units / (scale / grid)
    assert stats.kstest(z, reference.cdf).pvalue > FALSE_ALARM
    assert has_moments(z, reference)
    for tail in (1e-2, 1e-3, 1e-4):
        far = reference.isf(tail)
        assert fits((z > far).sum(), tail) and fits((z < -far).sum(), tail)


@pytest.mark.parametrize(
    "law, reference",
    [(secure.laplace, stats.laplace), (secure.normal, stats.norm)],
    ids=["Laplace", "normal"],
)
def test_a_scale_wrong_by_two_percent_is_seen(seeded_entropy, law, reference):
    # 4 % of the variance is more than ten standard errors
    for factor in (1.02, 1 / 1.02):
        assert not has_moments(law(N, factor, 2.0**-20) * 2.0**-20, reference)


def test_scales_of_their_own(seeded_entropy):
    scales = np.tile([1.0, 10.0, 100.0], N // 3)
    noise = secure.laplace(scales.size, scales, 2.0**-20) * 2.0**-20
    for scale in (1.0, 10.0, 100.0):
        each = np.abs(noise[scales == scale]).mean()
        assert abs(each / scale - 1) < 5 / math.sqrt(N // 3)


@pytest.mark.parametrize(
    "draw, law",
    [(secure.symmetric_geometric, SymmetricGeometricNoise), (secure.sign_geometric, SignGeometricNoise)],
)
@pytest.mark.parametrize("rate", [1e-9, 0.01, 0.5, 1.0, 5.0, 40.0])
def test_integer_laws(seeded_entropy, draw, law, rate):
    noise, reference = draw(N, rate), law(rate)
    assert np.array_equal(noise, np.rint(noise))
    assert fits((noise == 0).sum(), reference.pmf(0)) and fits((noise > 0).sum(), 1 - reference.cdf(0))
    fourth = float((noise**4).mean())
    assert (
        abs((noise**2).mean() - reference.var())
        <= 6 * math.sqrt(max(fourth - reference.var() ** 2, reference.var()) / N) + 1e-9
    )
    for tail in (1e-2, 1e-3):
        far = reference.ppf(1 - tail)
        assert fits((noise > far).sum(), 1 - reference.cdf(far))
    if rate in (0.5, 1.0):
        edges = np.arange(-6, 7)
        expected = np.diff(np.concatenate([[0.0], reference.cdf(edges), [1.0]])) * N
        observed = np.bincount(np.searchsorted(edges, noise), minlength=expected.size)
        assert stats.chisquare(observed, expected).pvalue > FALSE_ALARM


def test_no_scale_is_no_noise():
    assert not secure.normal(5, 0.0, 2.0**-20).any() and not secure.laplace(5, 0.0, 2.0**-20).any()


def test_nothing_is_drawn_for_nothing():
    for law in (
        lambda: secure.laplace(0, 1.0, 1.0),
        lambda: secure.normal(0, 1.0, 1.0),
        lambda: secure.symmetric_geometric(0, 1.0),
    ):
        assert law().shape == (0,)


def test_no_bit_is_used_twice(monkeypatch):
    asked = []

    def counting(size):
        asked.append(size)
        return os.urandom(size)

    monkeypatch.setattr(secure, "entropy", counting)
    secure.laplace(5, 1.0, 1.0)
    # 64 bits a variable: 53 for its size, one for its sign
    assert sum(asked) == 5 * 8
    secure.symmetric_geometric(5, 1.0)
    assert sum(asked) == 15 * 8


@pytest.mark.parametrize(
    "scale, sensitivity",
    [(1.0, 1.0), (0.75, 2.0), (3.0, 0.1), (1e-300, 1e300), (0.0, 0.75), (2.0**-30, 1.0)],
)
def test_grid_unit(scale, sensitivity):
    grid, smallest = secure.grid_unit(scale, sensitivity), min(scale or sensitivity, sensitivity)
    assert math.frexp(grid)[0] == 0.5 and smallest * 2**-21 < grid <= smallest * 2**-20

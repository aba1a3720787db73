"""`Noise.rvs`: every noise draws from its distribution, from any source, in SciPy's shapes."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from pydpstat import PydpstatError, RRandom
from pydpstat.mechanisms import (
    BoundedLaplaceNoise,
    GaussianNoise,
    LaplaceNoise,
    Noise,
    SignGeometricNoise,
    SymmetricGeometricNoise,
)
from pydpstat.mechanisms.mechanism import SeparateNoise
from tests.junk import JUNK
from tests.mechanisms.calibrated import calibrate, find_mechanisms

# of each p-value; the bits are seeded, so that it is the same each time
FALSE_ALARM = 1e-6
DRAWS = 60_000
REAL = {
    **{name: partial(calibrate, each) for name, each in find_mechanisms(integer=False).items()},
    "bounded laplace": lambda scale: BoundedLaplaceNoise(scale, (0.0, 1.0)),
}
WHOLE = {
    **{name: partial(calibrate, each) for name, each in find_mechanisms(integer=True).items()},
    "sign geometric": lambda scale: SignGeometricNoise(1.0 / scale),
}
SOURCES = {"system": lambda: None, "numpy": lambda: 7, "r": lambda: RRandom(7)}


def p_value_of_whole(sample, noise):
    reach = 40
    places = np.arange(-reach, reach + 1)
    counts = np.array([(sample == place).sum() for place in places])
    masses = noise.pmf(places)
    keep = masses * sample.size > 10.0
    observed = np.append(counts[keep], sample.size - counts[keep].sum())
    expected = np.append(masses[keep], 1.0 - masses[keep].sum())
    return stats.chisquare(observed, expected / expected.sum() * sample.size).pvalue


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("kind", [*REAL, *WHOLE])
def test_noise_has_its_distribution(kind, source):
    make, real = {**REAL, **WHOLE}[kind], kind in REAL
    sample = make(3.0).rvs(DRAWS, random_state=SOURCES[source]())
    assert sample.shape == (DRAWS,) and sample.dtype == (np.float64 if real else np.int64)

    def p_value(noise):
        return stats.kstest(sample, noise.cdf).pvalue if real else p_value_of_whole(sample, noise)

    assert p_value(make(3.0)) > FALSE_ALARM
    # 7 % move a distribution function by 0.013, and 60,000 draws know that to 0.002; 5 % add
    # 60,000 * 0.05^2 = 150 to chi-square
    for factor in (0.93, 1.07) if real else (0.95, 1.05):
        assert p_value(make(3.0 * factor)) < FALSE_ALARM


@pytest.mark.parametrize("scale", [3.0, 1e-9, 2.0**40])
def test_the_grid_is_fine_and_in_proportion_to_the_scale(scale):
    grid = 2.0 ** (math.floor(math.log2(scale)) - 32)
    units = LaplaceNoise(scale).rvs(2000) / grid
    assert np.array_equal(units, np.rint(units)) and (units % 2 == 1).any()
    # among 2**32 units two of 2,000 draws would be the same once in 10,000 samples
    assert np.unique(units).size == 2000


def test_a_scale_of_0_draws_0_and_tiny_and_huge_ones_what_floats_hold():
    assert LaplaceNoise.mirrored(0.0).rvs(3).tolist() == [0.0, 0.0, 0.0]
    assert not np.signbit(LaplaceNoise.mirrored(0.0).rvs(50)).any()
    assert (LaplaceNoise(1e-310).rvs(100) != 0.0).any() and np.isinf(LaplaceNoise(1.7e308).rvs(100)).any()
    assert all(type(each) is int for each in SymmetricGeometricNoise(1e-30).rvs(20).tolist())


def test_shapes_are_scipy_s():
    noise, counts = GaussianNoise(2.0), SymmetricGeometricNoise(1.0)
    assert type(noise.rvs()) is float and type(counts.rvs(random_state=1)) is int
    assert noise.rvs((2, 3), random_state=1).shape == (2, 3) == counts.rvs((2, 3)).shape
    assert noise.rvs(0).shape == (0,) and noise.rvs((3, 0)).shape == (3, 0)
    assert np.array_equal(noise.rvs(5, random_state=1), noise.rvs((5,), random_state=1))
    assert np.array_equal(noise.rvs(4, RRandom(3)), RRandom(3).rnorm(4, 0.0, 2.0))
    generator = np.random.default_rng(1)
    assert noise.rvs(random_state=generator) != noise.rvs(random_state=generator)


@pytest.mark.parametrize("state", [None, 1])
def test_noise_with_a_scale_an_element_draws_one_of_each(state):
    several = LaplaceNoise([1.0, 100.0])
    blocks = SeparateNoise((LaplaceNoise(1.0), LaplaceNoise(100.0)), (1, 1))
    for noise in (several, blocks):
        assert noise.rvs(random_state=state).shape == (2,)
        sample = noise.rvs((4000, 2), random_state=state)
        # the mean absolute value has a relative standard deviation of 1 / sqrt(4000)
        assert np.allclose(np.abs(sample).mean(axis=0), [1.0, 100.0], rtol=0.12)
    with pytest.raises(PydpstatError, match=r"size must end with \(2,\), because.* for example \(1000, 2\)"):
        several.rvs(3)


@pytest.mark.parametrize("argument", ["size", "random_state"])
def test_junk(argument):
    for make in JUNK.values():
        try:
            LaplaceNoise(1.0).rvs(**{argument: make()})
        except PydpstatError as error:
            assert str(error).startswith(f"{argument} must")


def test_a_noise_of_ones_own_has_it_from_the_base_class():
    class Plain(Noise):
        name, scale = "plain", 2.0

        def draw(self, source, size, grid):
            return source.laplace(size, self.scale, grid)

    assert stats.kstest(Plain().rvs(2000, random_state=3), LaplaceNoise(2.0).cdf).pvalue > FALSE_ALARM

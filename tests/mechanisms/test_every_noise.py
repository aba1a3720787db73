"""What every kind of noise has: ends, an inverse, a value's equality, and parameters that are checked."""

import copy
import math
import pickle

import numpy as np
import pytest

from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import (
    CrossProductNoise,
    CubeNoise,
    DiscreteGaussianNoise,
    GaussianNoise,
    LaplaceNoise,
    SignGeometricNoise,
    SymmetricGeometricNoise,
)
from tests.mechanisms.calibrated import calibrate, find_mechanisms

MECHANISMS = [find_mechanisms(integer=False), find_mechanisms(integer=True)]
REAL = {
    **{name: calibrate(each, 2.0) for name, each in MECHANISMS[0].items()},
    "cube": CubeNoise(2.0, 2, 2),
}
WHOLE = {
    **{name: calibrate(each, 2.0) for name, each in MECHANISMS[1].items()},
    "geometric of two records": SymmetricGeometricNoise(0.7, 2),
    "geometric with a sign": SignGeometricNoise(0.7, 2),
}
SEVERAL = {"Laplace": LaplaceNoise([1.0, 2.0]), "Gaussian": GaussianNoise([1.0, 2.0])}
NOISES = {**REAL, **WHOLE}
# each once with another parameter
OTHERS = [calibrate(each, 3.0) for kinds in MECHANISMS for each in kinds.values()]
OTHERS += [CubeNoise(2.0, 4, 1), SymmetricGeometricNoise(0.7), SignGeometricNoise(0.7)]


@pytest.mark.parametrize("name", NOISES)
def test_the_ends(name):
    noise = NOISES[name]
    assert noise.ppf([0.0, 1.0]).tolist() == [-math.inf, math.inf]
    assert np.isnan(noise.ppf([-0.5, 1.5])).all() and math.isnan(noise.cdf(math.nan))
    assert noise.cdf([-math.inf, math.inf]).tolist() == [0.0, 1.0]
    assert isinstance(noise.ppf(0.2), float) and isinstance(noise.cdf(0.2), float)
    assert noise.std() ** 2 == pytest.approx(noise.var(), rel=1e-14)


@pytest.mark.parametrize("name", NOISES)
def test_quantiles_invert_the_distribution_function(name):
    noise, q = NOISES[name], np.array([1e-9, 0.001, 0.3, 0.5, 0.77, 0.9, 0.9999])
    if name in REAL:
        assert noise.cdf(noise.ppf(q)) == pytest.approx(q, rel=1e-9)
        assert noise.cdf(0.0) == 0.5 and noise.ppf(0.25) == pytest.approx(-noise.ppf(0.75), rel=1e-12)
    else:
        found, k = noise.ppf(q), np.arange(-12.0, 13.0)
        assert (noise.cdf(found) >= q).all() and (noise.cdf(found - 1) < q).all()
        assert noise.ppf(noise.cdf(k)).tolist() == k.tolist()


@pytest.mark.parametrize("name", WHOLE)
def test_between_two_whole_numbers_there_is_nothing(name):
    noise = WHOLE[name]
    assert noise.pmf([0.5, math.inf, -math.inf]).tolist() == [0.0, 0.0, 0.0]
    assert math.isnan(noise.pmf(math.nan))
    assert noise.cdf(-0.5) == noise.cdf(-1) and noise.cdf(0.99) == noise.cdf(0)


@pytest.mark.parametrize("noise", [*NOISES.values(), *SEVERAL.values()], ids=str)
def test_it_is_a_value(noise):
    for twin in (pickle.loads(pickle.dumps(noise)), copy.copy(noise), copy.deepcopy(noise)):
        assert twin == noise and hash(twin) == hash(noise) and repr(twin) == repr(noise)
        assert isinstance(twin.scale, float) or not np.asarray(twin.scale).flags.writeable
    assert repr(noise).startswith(type(noise).__name__ + "(")
    everything = [*NOISES.values(), *SEVERAL.values(), *OTHERS]
    assert [each for each in everything if each == noise] == [noise] and noise != "Laplace"


@pytest.mark.parametrize("noise", SEVERAL.values(), ids=SEVERAL)
def test_several_scales_are_several_noises_and_have_no_one_curve(noise):
    alone = [type(noise)(scale) for scale in (1.0, 2.0)]
    assert noise.cdf(-1.0).tolist() == [each.cdf(-1.0) for each in alone]
    assert noise.std().tolist() == [each.std() for each in alone]
    with pytest.raises(ValueError, match="read-only"):
        noise.scale[0] = 5.0
    with pytest.raises(PydpstatError, match="must be one number for a privacy curve; got 2"):
        noise.delta(1.0, 1.0)


@pytest.mark.parametrize("kind", [LaplaceNoise, GaussianNoise])
def test_no_noise_at_all(kind):
    none = kind.mirrored(0.0)
    assert none.cdf([-1.0, 0.0, 1.0]).tolist() == [0.0, 1.0, 1.0] and none.std() == 0.0
    assert none.pdf([-1.0, 0.0]).tolist() == [0.0, math.inf]
    assert none.ppf([0.0, 0.3, 1.0]).tolist() == [0.0, 0.0, 0.0]
    assert none.delta([0.0, 9.0], 1.0).tolist() == [1.0, 1.0]
    assert pickle.loads(pickle.dumps(none)) == none == copy.copy(none)


SCALES = [0, [1.0, 0.0], math.inf, math.nan, "1", None, [1.0, -2.0], True]
WRONG = [
    *((lambda scale=scale: LaplaceNoise(scale), "scale must be .* sensitivity / epsilon") for scale in SCALES),
    *((lambda scale=scale: GaussianNoise(scale), "sd must be .* calibrate_gaussian") for scale in SCALES),
    *((lambda sd=sd: DiscreteGaussianNoise(sd), "sd must be") for sd in (0.0, math.inf)),
    (lambda: DiscreteGaussianNoise(1.0).delta(-1.0), "epsilon must be"),
    (lambda: DiscreteGaussianNoise(1.0).delta(1.0, 1.5), "must be"),
    (lambda: DiscreteGaussianNoise(1.0).delta(1.0, 1, cells=3), "cells must be"),
    (lambda: SymmetricGeometricNoise(0), "epsilon must be a positive finite number;"),
    (lambda: SymmetricGeometricNoise(1, 1.5), "sensitivity must be a whole number; got 1.5"),
    (lambda: SymmetricGeometricNoise(1, 0), "sensitivity must be a positive finite number;"),
    (lambda: SignGeometricNoise(0), "epsilon must be a positive finite number;"),
    (lambda: SignGeometricNoise(1, 1.5), "sensitivity must be a whole number; got 1.5"),
    (lambda: SignGeometricNoise(1, 0), "sensitivity must be a positive finite number;"),
    *((lambda wrong=wrong: CubeNoise(*wrong), " must ") for wrong in ((0.0, 2), (1.0, 0), (1.0, 2.5), (math.inf, 1))),
    *((lambda wrong=wrong: CrossProductNoise(*wrong), " must ") for wrong in ((0.0, 3), (1.0, 1), (1.0, 2.5))),
]


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_parameters_are_checked(call, said):
    with pytest.raises(PydpstatError, match=said):
        call()

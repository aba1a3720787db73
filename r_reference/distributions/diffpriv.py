"""Distributions of diffpriv: two noises, a choice, the coefficients of a function, a sampled sensitivity."""

from __future__ import annotations

import math
import warnings

import numpy as np

from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.laplace import LaplaceNoise
from pydpstat.parity.distribution import SEED, Distribution, Noise, Stream
from pydpstat.r_arithmetic.elementary import compute_power
from r_reference.distributions.choice import Places

# chosen in proportion; a wrong factor shows as a wrong exponent
QUALITIES = (81.0, 27.0, 9.0, 3.0, 1.0)
_EPS = "diffpriv::DPParamsEps(epsilon = 0.5)"


def _proportional(exponent: float) -> Places:
    weights = compute_power(QUALITIES, exponent)
    return Places(tuple((weights / weights.sum()).tolist()))


def _distributions() -> tuple[Distribution, ...]:
    from pydpstat import diffpriv

    eps, delta = diffpriv.DPParamsEps(epsilon=0.5), diffpriv.DPParamsDel(epsilon=0.5, delta=0.01)
    half = 2.0 * math.sqrt(2.0 * math.log(125.0)) / 0.5

    def laplace(n: int, rng: Stream) -> np.ndarray:
        m = diffpriv.DPMechLaplace(sensitivity=2, target=np.zeros, dims=n)
        return np.asarray(diffpriv.releaseResponse(m, eps, n, rng=rng))

    def gaussian(n: int, rng: Stream) -> np.ndarray:
        m = diffpriv.DPMechGaussian(sensitivity=2, target=np.zeros, dims=n)
        return np.asarray(diffpriv.releaseResponse(m, delta, n, rng=rng))

    def choices(n: int, rng: Stream) -> np.ndarray:
        m = diffpriv.DPMechExponential(
            sensitivity=1, target=lambda X: lambda each: QUALITIES[each - 1], responseSet=[1, 2, 3, 4, 5]
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.array([float(diffpriv.releaseResponse(m, eps, None, rng=rng)) for _ in range(n)])

    def coefficients(n: int, rng: Stream) -> np.ndarray:
        m = diffpriv.DPMechBernstein(sensitivity=1 / n, target=lambda X: lambda y: 0.0, latticeK=n - 1, dims=1)
        return np.asarray(diffpriv.releaseResponse(m, eps, None, rng=rng))

    def sensitivities(n: int, rng: Stream) -> np.ndarray:
        draw = (rng or np.random.default_rng(SEED)).standard_normal
        m = diffpriv.DPMechLaplace(target=np.mean, dims=1)
        return np.array([diffpriv.sensitivitySampler(m, draw, 2, 1).sensitivity for _ in range(n)])

    def half_normal(factor: float) -> Noise:
        from scipy.stats import halfnorm

        # the means of two records that differ in one: half the distance of two normal values
        return halfnorm(scale=factor / np.sqrt(2.0))

    return (
        Distribution(
            "sensitivitySampler",
            "diffpriv",
            "local({ m <- diffpriv::DPMechLaplace(target = mean, dims = 1); "
            "replicate(n, suppressMessages(diffpriv::sensitivitySampler(m, rnorm, 2, 1))@sensitivity) })",
            sensitivities,
            half_normal,
        ),
        Distribution(
            "DPMechLaplace",
            "diffpriv",
            "diffpriv::releaseResponse(diffpriv::DPMechLaplace(sensitivity = 2, target = numeric, dims = n), "
            f"{_EPS}, n)$response",
            laplace,
            lambda f: LaplaceNoise(4.0 * f),
        ),
        Distribution(
            "DPMechGaussian",
            "diffpriv",
            "diffpriv::releaseResponse("
            "diffpriv::DPMechGaussian(sensitivity = 2, target = numeric, dims = n), "
            "diffpriv::DPParamsDel(epsilon = 0.5, delta = 0.01), n)$response",
            gaussian,
            lambda f: GaussianNoise(half * f),
        ),
        Distribution(
            "DPMechExponential",
            "diffpriv",
            "local({ m <- diffpriv::DPMechExponential(sensitivity = 1, responseSet = as.list(1:5), "
            f"target = function(X) function(i) 3^(5 - i)); p <- {_EPS}; "
            "replicate(n, diffpriv::releaseResponse(m, p, 1)$response) })",
            choices,
            _proportional,
            discrete=True,
        ),
        Distribution(
            "DPMechBernstein",
            "diffpriv",
            "environment(diffpriv::releaseResponse(diffpriv::DPMechBernstein(sensitivity = 1 / n, "
            "target = function(X) function(y) 0, latticeK = n - 1, dims = 1), "
            f"{_EPS}, 1)$response)$appFunc$coeffs",
            coefficients,
            lambda f: LaplaceNoise(2.0 * f),
        ),
    )


DISTRIBUTIONS = _distributions()

"""Distributions of DPpack's mechanisms and statistics, and of the symmetric geometric noise."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.geometric import SignGeometricNoise, SymmetricGeometricNoise
from pydpstat.mechanisms.laplace import LaplaceNoise
from pydpstat.parity.distribution import Distribution, NoiseFactory, Stream
from r_reference.distributions._redrawn import Positive, Rounded

_X = "c(1, 2, 3, 4, 5, 6, 7, 8)"
_CELLS = "rep(c(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 50) - 0.5"
_FACTOR = "factor(rep(letters[1:10], 50))"


def _repeat(release: Callable[[Stream], npt.ArrayLike], n: int, rng: Stream) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array([float(release(rng)) for _ in range(n)])


def _cells(release: Callable[[Stream], npt.ArrayLike], n: int, rng: Stream) -> np.ndarray:
    """Collect the noise of ten cells of 50 records at a time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.concatenate([np.asarray(release(rng)) - 50.0 for _ in range(n // 10)])


def _number(
    name: str, call: Callable[[Stream], npt.ArrayLike], noise: NoiseFactory, r: str, at: float = 0.0
) -> Distribution:
    """Return the distribution of a single number, of which n releases are drawn."""
    expression = f"replicate(n, DPpack::{r}) - {at}"
    return Distribution(name, "DPpack", expression, lambda n, rng: _repeat(call, n, rng) - at, noise)


def _counts(name: str, call: Callable[[Stream], npt.ArrayLike], noise: NoiseFactory, r: str) -> Distribution:
    """Return the distribution of ten cells, of which n / 10 releases are drawn."""
    expression = f"replicate(n / 10, {r}) - 50"
    return Distribution(name, "DPpack", expression, lambda n, rng: _cells(call, n, rng), noise, discrete=True)


def _distributions() -> tuple[Distribution, ...]:
    from pydpstat import calibrate_gaussian, dppack, symmetric_geometric, symmetric_geometric_noise

    zeros = np.zeros
    x, cells, letters = np.arange(1.0, 9.0), np.tile(np.arange(1.0, 11.0), 50) - 0.5, list("abcdefghij") * 50
    half = calibrate_gaussian(0.9, 0.01, 0.5, method="classical")
    private = calibrate_gaussian(2.0, 1e-5, 0.5, method="probabilistic")
    analytic = calibrate_gaussian(1.0, 1e-3, 1.0)
    edges = np.arange(0.0, 11.0)
    return (
        Distribution(
            "LaplaceMechanism",
            "DPpack",
            "DPpack::LaplaceMechanism(rep(0, n), 1, 2)",
            lambda n, rng: np.asarray(dppack.LaplaceMechanism(zeros(n), 1, 2, rng=rng)),
            lambda f: LaplaceNoise(2.0 * f),
        ),
        Distribution(
            "GaussianMechanism, aDP",
            "DPpack",
            "DPpack::GaussianMechanism(rep(0, n), 0.9, 0.01, 0.5)",
            lambda n, rng: np.asarray(dppack.GaussianMechanism(zeros(n), 0.9, 0.01, 0.5, rng=rng)),
            lambda f: GaussianNoise(half * f),
        ),
        Distribution(
            "GaussianMechanism, pDP",
            "DPpack",
            "DPpack::GaussianMechanism(rep(0, n), 2, 1e-5, 0.5, 'pDP')",
            lambda n, rng: np.asarray(dppack.GaussianMechanism(zeros(n), 2, 1e-5, 0.5, "pDP", rng=rng)),
            lambda f: GaussianNoise(private * f),
        ),
        Distribution(
            "GaussianMechanism, analytic",
            "DPpack",
            "DPpack::GaussianMechanism(rep(0, n), 1, 1e-3, 1, analytic = TRUE)",
            lambda n, rng: np.asarray(dppack.GaussianMechanism(zeros(n), 1, 1e-3, 1, analytic=True, rng=rng)),
            lambda f: GaussianNoise(analytic * f),
        ),
        _number(
            "meanDP",
            lambda rng: dppack.meanDP(x, 1, 0, 8, rng=rng),
            lambda f: LaplaceNoise(1.0 * f),
            f"meanDP({_X}, 1, 0, 8)",
            4.5,
        ),
        _number(
            "varDP",
            lambda rng: dppack.varDP(x, 1, 0, 8, rng=rng),
            lambda f: Positive(LaplaceNoise(8.0 * f), 6.0),
            f"varDP({_X}, 1, 0, 8)",
        ),
        _number(
            "sdDP, squared",
            lambda rng: float(dppack.sdDP(x, 2, 0, 2, mechanism="Gaussian", delta=1e-5, type_DP="pDP", rng=rng)) ** 2,
            lambda f: Positive(GaussianNoise(private * f), float(np.var(np.minimum(x, 2), ddof=1))),
            f"sdDP({_X}, 2, 0, 2, mechanism = 'Gaussian', delta = 1e-5, type.DP = 'pDP')^2",
        ),
        _number(
            "covDP",
            lambda rng: dppack.covDP(x, x, 0.9, 0, 4, 1, 2, mechanism="Gaussian", delta=0.01, rng=rng),
            lambda f: GaussianNoise(half * f),
            f"covDP({_X}, {_X}, 0.9, 0, 4, 1, 2, mechanism = 'Gaussian', delta = 0.01)",
            float(np.cov(np.minimum(x, 4), np.minimum(x, 2))[0, 1]),
        ),
        _counts(
            "histogramDP",
            lambda rng: dppack.histogramDP(cells, 1, 0, 10, breaks=edges, allow_negative=True, rng=rng),
            lambda f: Rounded(LaplaceNoise(2.0 * f)),
            f"DPpack::histogramDP({_CELLS}, 1, 0, 10, breaks = 0:10, allow.negative = TRUE)$counts",
        ),
        _counts(
            "tableDP",
            lambda rng: dppack.tableDP(
                letters,
                which_sensitivity="unbounded",
                mechanism="analytic",
                delta=1e-3,
                allow_negative=True,
                rng=rng,
            ),
            lambda f: Rounded(GaussianNoise(analytic * f)),
            f"DPpack::tableDP({_FACTOR}, which.sensitivity = 'unbounded', mechanism = 'analytic', "
            "delta = 1e-3, allow.negative = TRUE)",
        ),
        Distribution(
            "symmetric_geometric",
            "base",
            "rgeom(n, 1 - exp(-0.25)) - rgeom(n, 1 - exp(-0.25))",
            lambda n, rng: np.asarray(symmetric_geometric(zeros(n), 0.5, sensitivity=2, rng=rng)),
            lambda f: SymmetricGeometricNoise(0.25 / f),
            discrete=True,
        ),
        Distribution(
            "symmetric_geometric_noise, sign",
            "base",
            "sample(c(-1, 1), n, TRUE) * rgeom(n, 1 - exp(-0.25))",
            lambda n, rng: _quiet_signs(symmetric_geometric_noise, n, rng),
            lambda f: SignGeometricNoise(0.25 / f),
            discrete=True,
        ),
    )


def _quiet_signs(noise: Callable[..., np.ndarray], n: int, rng: Stream) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return noise(n, 0.25, method="sign", rng=rng)


DISTRIBUTIONS = _distributions()

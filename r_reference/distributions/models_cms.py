"""Distributions of the noise of DPpack's empirical risk minimization, by fits whose minimiser is known.

Records of zeros leave the regularizer alone. Output perturbation then returns the noise itself, and
objective perturbation minus the noise over the strength of the regularization. The noise's length is
Gamma with as many degrees as there are coefficients, so 20 coefficients need few fits.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from types import ModuleType

import numpy as np
import numpy.typing as npt

from pydpstat.dppack._models.noise import compute_element_cdf, compute_objective_constants
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.parity.distribution import Distribution, Noise, NoiseFactory, Stream

_SIZE = 20
# a length is one value of n / 10 fits, a coefficient one of n / 2
_ZEROS, _ONES = f"matrix(0, 1, {_SIZE})", f"rep(1, {_SIZE})"
_R_LENGTH = (
    "local({{ m <- DPpack::{new}; X <- " + _ZEROS + "; b <- " + _ONES + "; "
    "replicate(n / 10, {{ m$fit(X, {y}, b, -b{more}); sqrt(sum(m$coeff^2)) * {unit} }}) }})"
)


class Coefficient:
    """Distribution of one element of a noise vector of three, of the given scale.

    Examples
    --------
    >>> from r_reference.distributions.models_cms import Coefficient
    >>> round(abs(float(Coefficient(2.0).ppf(0.5))), 9)
    0.0
    """

    _grid = np.linspace(-40.0, 40.0, 16_001)

    def __init__(self, scale: float) -> None:
        self.scale, self._table = scale, compute_element_cdf(self._grid, 3)

    def cdf(self, x: npt.ArrayLike) -> np.ndarray:
        """Return the probability of at most x."""
        return compute_element_cdf(np.asarray(x) / self.scale, 3)

    def ppf(self, q: npt.ArrayLike) -> np.ndarray:
        """Return the quantiles, interpolated."""
        return np.interp(q, self._table, self._grid) * self.scale


def _gamma(rate: float) -> NoiseFactory:
    def noise(factor: float) -> Noise:
        from scipy.stats import gamma

        return gamma(_SIZE, scale=factor / rate)

    return noise


def _lengths(
    name: str,
    make: Callable[[ModuleType], object],
    new: str,
    rate: float,
    unit: float,
    y: int = 0,
    more: str = "",
    **options: str,
) -> Distribution:
    """Return the distribution of the noise's length in n / 10 fits."""

    def python(n: int, rng: Stream) -> np.ndarray:
        from pydpstat import dppack

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model, X, ones = make(dppack), np.zeros((1, _SIZE)), np.ones(_SIZE)
            fits = (model.fit(X, [y], ones, -ones, rng=rng, **options) for _ in range(n // 10))
            return np.array([float(np.linalg.norm(fit.coeff)) * unit for fit in fits])

    r = _R_LENGTH.format(new=new, y=y, more=more, unit=f"{unit!r}")
    return Distribution(name, "DPpack", r, python, _gamma(rate))


def _bases(name: str, python_name: str) -> tuple[Distribution, ...]:
    def make(method: str) -> Callable[[ModuleType], object]:
        return lambda dppack: getattr(dppack, python_name)(
            dppack.mapXy_linear,
            dppack.generate_loss_huber(0.5),
            "l2",
            0.9,
            2.0,
            method,
            1.0,
            dppack.mapXy_gr_linear,
            dppack.generate_loss_gr_huber(0.5),
        )

    def new(method: str) -> str:
        return (
            f"{name}$new(DPpack::mapXy.linear, DPpack::generate.loss.huber(0.5), 'l2', 0.9, 2, "
            f"'{method}', 1, "
            "DPpack::mapXy.gr.linear, DPpack::generate.loss.gr.huber(0.5))"
        )

    left, extra = compute_objective_constants(0.9, 2.0, 1.0, 1)
    return (
        _lengths(f"{name}, output", make("output"), new("output"), 0.9, 1.0, 1),
        _lengths(f"{name}, objective", make("objective"), new("objective"), left / 2, 2.0 + extra, 1),
    )


def _scaled() -> tuple[Distribution, ...]:
    root = math.sqrt(_SIZE)
    left, extra = compute_objective_constants(1.0, 0.5, 0.25, 1)
    svm_left, svm_extra = compute_objective_constants(3.0, 1.5, 1.0, 1)
    kernel = dict(weights=[0.0], weights_upper_bound=2.0)
    kernel_r = ", weights = 0, weights.upper.bound = 2"
    return (
        _lengths(
            "LogisticRegressionDP, output",
            lambda dppack: dppack.LogisticRegressionDP("l2", 1.5, 2.0, "output"),
            "LogisticRegressionDP$new('l2', 1.5, 2, 'output')",
            1.5,
            root,
        ),
        _lengths(
            "LogisticRegressionDP, objective",
            lambda dppack: dppack.LogisticRegressionDP("l2", 1.0, 0.5),
            "LogisticRegressionDP$new('l2', 1, 0.5)",
            left / 2,
            root * (1.0 + extra),
        ),
        _lengths(
            "svmDP, output, weighted",
            lambda dppack: dppack.svmDP("l2", 1.5, 2.0, "output"),
            "svmDP$new('l2', 1.5, 2, 'output')",
            0.75,
            root,
            0,
            kernel_r,
            **kernel,
        ),
        _lengths(
            "svmDP, Gaussian, output, weighted",
            lambda dppack: dppack.svmDP("l2", 1.5, 2.0, "output", "Gaussian", _SIZE),
            f"svmDP$new('l2', 1.5, 2, 'output', 'Gaussian', {_SIZE})",
            0.75,
            math.sqrt(2.0),
            0,
            kernel_r,
            **kernel,
        ),
        _lengths(
            "svmDP, objective",
            lambda dppack: dppack.svmDP("l2", 3.0, 1.5),
            "svmDP$new('l2', 3, 1.5)",
            svm_left / 2,
            root * (1.5 + svm_extra),
        ),
    )


def _one_coefficient() -> Distribution:
    def python(n: int, rng: Stream) -> np.ndarray:
        from pydpstat import dppack

        model = dppack.svmDP("l2", 0.5, 1.0, "output")
        fits = (model.fit(np.zeros((1, 3)), [0], [1, 1, 1], [0, 0, 0], rng=rng) for _ in range(n // 2))
        return np.array([float(fit.coeff[0]) for fit in fits])

    r = (
        "local({ m <- DPpack::svmDP$new('l2', 0.5, 1, 'output'); X <- matrix(0, 1, 3); "
        "replicate(n / 2, { m$fit(X, 0, c(1, 1, 1), c(0, 0, 0)); m$coeff[1] }) })"
    )
    return Distribution(
        "svmDP, output, one coefficient",
        "DPpack",
        r,
        python,
        lambda factor: Coefficient(factor * 4.0 / math.sqrt(3.0)),
        draws=10_000,
    )


def _frequencies() -> Distribution:
    def python(n: int, rng: Stream) -> np.ndarray:
        from pydpstat import dppack

        return dppack.generate_sampling(2.0)(n, rng=rng)[:-1]

    return Distribution(
        "generate.sampling",
        "DPpack",
        "DPpack::generate.sampling(2)(n)[seq_len(n)]",
        python,
        lambda f: GaussianNoise(2.0 * f),
    )


DISTRIBUTIONS = (
    *_bases("EmpiricalRiskMinimizationDP.CMS", "EmpiricalRiskMinimizationDP_CMS"),
    *_bases("WeightedERMDP.CMS", "WeightedERMDP_CMS"),
    *_scaled(),
    _one_coefficient(),
    _frequencies(),
)

"""Distributions of the noise of DPpack's linear regression, and of its choices among models.

Records of zeros leave the regularizer alone: the minimum is minus the noise over the strength of the
regularization, which is large here so that the minimum lies inside the domain. For the choices the models
are replaced by ones that make a known number of errors.
"""

from __future__ import annotations

import math
import warnings
from importlib.util import find_spec
from types import ModuleType

import numpy as np
import numpy.typing as npt

from pydpstat.dppack._models.noise import compute_noise_variance
from pydpstat.mechanisms._exponential import compute_choice_probabilities
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.parity.distribution import Distribution, Noise, NoiseFactory, Stream
from r_reference.distributions.choice import Places

_SIZE, _GAMMA, _ZETA = 20, 1e5, 4.0
# as many models, with errors from 0 on: so many that 10 % of epsilon shows
_MODELS = 8
_DELTA = 0.01
_BALL = "list(constraints = function(w) sum(w^2) - 20, jacobian = function(w) 2 * w)"
_NEW = {
    "LinearRegressionDP": "LinearRegressionDP$new('l2', 1, {delta}, 1e5)",
    "EmpiricalRiskMinimizationDP.KST": (
        "EmpiricalRiskMinimizationDP.KST$new("
        "DPpack::mapXy.linear, DPpack::loss.squared.error, 'l2', 1, {delta}, "
        f"{_BALL}, {_ZETA}, 1, 1e5, DPpack::mapXy.gr.linear, DPpack::loss.gr.squared.error)"
    ),
}


def _length(rate: float) -> NoiseFactory:
    def noise(factor: float) -> Noise:
        from scipy.stats import gamma

        return gamma(_SIZE, scale=factor / rate)

    return noise


def _model(dppack: ModuleType, name: str, delta: float) -> object:
    if name == "LinearRegressionDP":
        return dppack.LinearRegressionDP("l2", 1.0, delta, _GAMMA)
    return dppack.EmpiricalRiskMinimizationDP_KST(
        dppack.mapXy_linear,
        dppack.loss_squared_error,
        "l2",
        1.0,
        delta,
        {"constraints": lambda w: w @ w - _SIZE, "jacobian": lambda w: 2.0 * w},
        _ZETA,
        1.0,
        _GAMMA,
        dppack.mapXy_gr_linear,
        dppack.loss_gr_squared_error,
    )


def _fits(name: str, delta: float) -> Distribution:
    """Return the distribution of the noise's length, or with delta of its elements, in n / 20 fits."""
    linear = name == "LinearRegressionDP"
    zeta, lam = (2.0 * _SIZE**1.5, float(_SIZE)) if linear else (_ZETA, 1.0)
    # a linear regression gives coefficients in the unit of the data: y's bound 1 is 20 inside
    unit = (_GAMMA + 2.0 * lam) * (_SIZE if linear else 1.0)
    element = "sqrt(sum(m$coeff^2))" if delta == 0.0 else "m$coeff"

    def python(n: int, rng: Stream) -> np.ndarray:
        from pydpstat import dppack

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model, X, ones = _model(dppack, name, delta), np.zeros((1, _SIZE)), np.ones(_SIZE + 1)
            fits = [np.array(model.fit(X, [0.0], ones, -ones, rng=rng).coeff) for _ in range(n // _SIZE)]
        values = [np.linalg.norm(fit) if delta == 0.0 else fit for fit in fits]
        return np.ravel(np.array(values)) * unit

    r = (
        f"local({{ m <- DPpack::{_NEW[name].format(delta=delta)}; X <- matrix(0, 1, {_SIZE}); "
        f"b <- rep(1, {_SIZE + 1}); "
        f"as.numeric(replicate(n %/% {_SIZE}, {{ m$fit(X, 0, b, -b); {element} * {unit!r} }})) }})"
    )
    noise = _length(1.0 / (2.0 * zeta))
    if delta > 0.0:
        sd = math.sqrt(compute_noise_variance(1.0, delta, zeta))
        return Distribution(f"{name}, delta", "DPpack", r, python, lambda f: GaussianNoise(sd * f))
    return Distribution(name, "DPpack", r, python, noise)


def _choice(function: str, bounds: tuple[str, list[float], list[float]]) -> Distribution:
    """Return the distribution of the place of the chosen model, whose errors are one less than its place."""
    rows = (_MODELS + 1) * (_MODELS - 1)

    def python(n: int, rng: Stream) -> np.ndarray:
        from pydpstat import dppack

        tune = getattr(dppack, function)
        models = [_fixed(dppack, i) for i in range(_MODELS)]
        X, y = np.zeros((rows, 1)), np.zeros(rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.array([float(tune(models, X, y, *bounds[1:], rng=rng).place) for _ in range(n)])

    # R asks a model for no more than this
    r = (
        f"local({{ m <- lapply(0:{_MODELS - 1}, function(i) list(eps = 1, place = i + 1, "
        f"fit = function(...) NULL, predict = function(...) rep(c(1, 0), c(i, {_MODELS - 1} - i)))); "
        f"X <- matrix(0, {rows}, 1); y <- numeric({rows}); "
        f"replicate(n, DPpack::{function}(m, X, y, {bounds[0]})$place) }})"
    )
    errors = -np.arange(float(_MODELS))
    return Distribution(
        function,
        "DPpack",
        r,
        python,
        lambda f: Places(tuple(compute_choice_probabilities(errors, 1.0 / f).tolist())),
        discrete=True,
        draws=10_000,
    )


def _fixed(dppack: ModuleType, errors: int) -> object:
    """Return a model that is fitted once and for all and makes a known number of errors."""

    class Fixed(dppack.LogisticRegressionDP):  # type: ignore[misc, name-defined]
        """Its `fit` returns old results, its `predict` the same labels for any records."""

        place = errors + 1

        def __init__(self) -> None:
            super().__init__("l2", 1.0, 1.0)
            self._results = super().fit([[0.0]], [0], [1], [-1], rng=1)
            self._labels = np.repeat([1.0, 0.0], [errors, _MODELS - 1 - errors])

        def fit(self, *data: object, **settings: object) -> object:
            return self._results

        def predict(self, X: npt.ArrayLike, add_bias: bool = False, raw_value: bool = False) -> np.ndarray:
            return self._labels

    return Fixed()


def _distributions() -> tuple[Distribution, ...]:
    choices = (
        _choice("tune_classification_model", ("1, -1", [1.0], [-1.0])),
        _choice("tune_linear_regression_model", ("c(1, 1), c(-1, 0)", [1.0, 1.0], [-1.0, 0.0])),
    )
    if find_spec("nlopt") is None:
        return choices
    fits = (_fits(name, delta) for name in _NEW for delta in (0.0, _DELTA))
    return (*choices, *fits)


DISTRIBUTIONS = _distributions()

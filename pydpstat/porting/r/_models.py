"""R's linear and generalized linear models, fitted as R fits them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import solve_triangular

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._formulas import Design
from pydpstat.porting.r._least_squares import least_squares
from pydpstat.porting.r._linear_algebra import matmul
from pydpstat.porting.r._matrices import row_name
from pydpstat.porting.r._shapes import Array, named, refuse_unknown, vector
from pydpstat.r_arithmetic import exp, log

_SMALLEST = float(np.finfo(np.float64).eps)
# R's: a column that the ones before it explain up to this share has no coefficient
_ALIASED = 1e-7
_FAMILIES = ("gaussian", "binomial", "poisson")


def _series(values: Any, names: Any) -> pd.Series:
    return pd.Series(np.asarray(values), index=pd.Index(list(names), dtype=object))


class Model:
    """A fitted model; its attributes have R's names.

    Examples
    --------
    >>> fit = lm("y ~ x", {"x": [1, 2, 3], "y": [1.0, 3.0, 5.0]})
    >>> coef(fit).round(9).to_dict()
    {'(Intercept)': -1.0, 'x': 2.0}
    """

    def __init__(self, formula: str, data: Any, weights: Any, family: str | None) -> None:
        self.formula, self.family = formula, family
        self._design = design = Design(formula, data)
        keep = design.keep
        y = design.y
        if family == "binomial" and isinstance(y, pd.Categorical):
            y = y.codes > 0
        if isinstance(y, pd.Categorical) or y.dtype.kind == "O":
            raise PydpstatError(
                f"formula must have a response of numbers; got strings or a factor in {formula!r}"
            )
        self._y = y = np.asarray(y, dtype=np.float64)
        self._x, self.names = design.matrix(data, keep)
        self._w = np.ones(y.size) if weights is None else vector(weights).astype(np.float64)[keep]
        if not (self._w > 0).all():
            raise PydpstatError("weights must be above 0 and not missing")
        if family == "binomial" and (y.min() < 0 or y.max() > 1):
            raise PydpstatError("the response of a binomial model must be in [0, 1]")
        if family == "poisson" and y.min() < 0:
            raise PydpstatError("the response of a Poisson model must not be negative")
        labels = data.index if isinstance(data, pd.DataFrame) else range(keep.size)
        self._rows = [row_name(label) for label, kept in zip(labels, keep) if kept]
        self.rank, self.df_residual = len(self.names), y.size - len(self.names)
        self._iterate() if family else self._solve(y, self._w)
        mu = self._mu(np.asarray(matmul(self._x, self._beta))[:, 0]) if family else y - self._rest
        self.coefficients, self.fitted_values = _series(self._beta, self.names), _series(mu, self._rows)
        self.deviance = self._deviance(mu)
        spread = self.deviance / self.df_residual if self.df_residual else math.nan
        self._dispersion = spread if family in (None, "gaussian") else 1.0

    def _solve(self, z: Array, w: Array) -> None:
        """Least squares with weights."""
        root = np.sqrt(w)
        self._beta, self._effects, rest, triangle, aliased = least_squares(
            self._x * root[:, None], z * root, _ALIASED
        )
        self._rest = rest / root
        if aliased:
            name = self.names[aliased[0]]
            raise PydpstatError(
                f"the coefficient of {name} is NA in R: other columns make it up. Leave it out"
            )
        inverse = solve_triangular(triangle, np.eye(len(triangle)))
        self._unscaled = inverse @ inverse.T

    def _iterate(self) -> None:
        """R's iteratively reweighted least squares, with R's start and R's end."""
        y, w = self._y, self._w
        start = {"binomial": (w * y + 0.5) / (w + 1), "poisson": y + 0.1}.get(str(self.family), y)
        eta = log(start / (1 - start if self.family == "binomial" else 1)) if start is not y else y
        before, mu = self._deviance(start), start
        for self.iter in range(1, 26):
            slope, variance = self._slopes(eta, mu)
            self._solve(eta + (y - mu) / slope, w * slope**2 / variance)
            eta = np.asarray(matmul(self._x, self._beta))[:, 0]
            mu = self._mu(eta)
            now = self._deviance(mu)
            self.converged = abs(now - before) / (abs(now) + 0.1) < 1e-8
            if self.converged:
                break
            before = now

    def _slopes(self, eta: Array, mu: Array) -> tuple[Array, Array]:
        if self.family == "binomial":
            inner = exp(eta) / (1 + exp(eta)) ** 2
            return np.where(np.abs(eta) > 30, _SMALLEST, inner), mu * (1 - mu)
        return (mu, mu) if self.family == "poisson" else (np.ones(mu.size), np.ones(mu.size))

    def _mu(self, eta: Array) -> Array:
        if self.family == "binomial":
            odds = np.where(eta < -30, _SMALLEST, np.where(eta > 30, 1 / _SMALLEST, exp(np.minimum(eta, 31))))
            return odds / (1 + odds)
        return np.maximum(exp(eta), _SMALLEST) if self.family == "poisson" else eta

    def _parts(self, mu: Array) -> Array:
        from scipy.special import xlogy

        y, w = self._y, self._w
        if self.family == "binomial":
            return 2 * w * (xlogy(y, y / mu) + xlogy(1 - y, (1 - y) / (1 - mu)))
        if self.family == "poisson":
            return 2 * w * (xlogy(y, y / mu) - (y - mu))
        return w * (y - mu) ** 2

    def _deviance(self, mu: Array) -> float:
        return float(self._parts(mu).sum())

    @property
    def residuals(self) -> pd.Series:
        """Differences from the fitted values; of a generalized model R's working residuals."""
        mu = self.fitted_values.to_numpy()
        slope = self._slopes(self._x @ self._beta, mu)[0]
        return _series((self._y - mu) / slope, self._rows)

    @property
    def null_deviance(self) -> float:
        """The deviance of the model that has an intercept only."""
        if self._design.intercept:
            return self._deviance(np.full(self._y.size, np.average(self._y, weights=self._w)))
        return self._deviance(self._mu(np.zeros(self._y.size)))

    @property
    def df_null(self) -> int:
        """The degrees of freedom of that model."""
        return int(self._y.size - self._design.intercept)

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        from scipy.stats import binom, poisson

        y, w, mu, n = self._y, self._w, self.fitted_values.to_numpy(), self._y.size
        if self.family == "binomial":
            return float(-2 * binom.logpmf(np.rint(w * y), np.rint(w), mu).sum() + 2 * self.rank)
        if self.family == "poisson":
            return float(-2 * (w * poisson.logpmf(y, mu)).sum() + 2 * self.rank)
        return float(
            n * (math.log(2 * math.pi * self.deviance / n) + 1) + 2 - np.log(w).sum() + 2 * self.rank
        )

    def summary(self) -> Any:
        """Return R's summary of the model."""
        from pydpstat.porting.r._model_summaries import Summary

        return Summary(self)

    def __str__(self) -> str:
        """Return what R prints, but for the arguments of the call other than the formula and the family."""
        from pydpstat.porting.r._model_summaries import model_text

        return model_text(self)


def lm(formula: str, data: Any, weights: Any = None) -> Model:
    """Return a linear model fitted by least squares, as R's ``lm``.

    `data` is a frame or a dict of vectors. A coefficient that R would give as NA is refused.

    Examples
    --------
    >>> print(lm("y ~ x", {"x": [1, 2, 3], "y": [1.0, 3.0, 5.0]}))
    Call:
    lm(formula = y ~ x)
    Coefficients:
    (Intercept)            x
             -1            2
    """
    return Model(formula, data, weights, None)


def glm(formula: str, family: str = "gaussian", data: Any = None, weights: Any = None) -> Model:
    """Return a generalized linear model with the family's own link, iterated as R's ``glm``.

    Examples
    --------
    >>> fit = glm("y ~ 1", family="binomial", data={"y": [0, 1, 1, 1]})
    >>> round(float(coef(fit).iloc[0]), 6)
    1.098612
    """
    if isinstance(family, (pd.DataFrame, dict)):
        family, data = (data if isinstance(data, str) else "gaussian"), family
    refuse_unknown("family", family, _FAMILIES)
    return Model(formula, data, weights, family)


def coef(object: Any) -> Any:
    """Return a model's coefficients with R's names, or the table of a summary.

    Examples
    --------
    >>> coef(lm("y ~ 1", {"y": [1.0, 3.0]})).round(12).to_dict()
    {'(Intercept)': 2.0}
    """
    return object.coefficients


def residuals(object: Model) -> pd.Series:
    """Return a linear model's residuals, and a generalized one's deviance residuals.

    Examples
    --------
    >>> residuals(lm("y ~ 1", {"y": [1.0, 3.0]})).round(12).tolist()
    [-1.0, 1.0]
    """
    if object.family is None:
        return _series(object._rest, object._rows)
    gap = object._y - object.fitted_values.to_numpy()
    return _series(
        np.sign(gap) * np.sqrt(np.maximum(object._parts(object.fitted_values.to_numpy()), 0)), object._rows
    )


def fitted(object: Model) -> pd.Series:
    """Return a model's fitted values.

    Examples
    --------
    >>> fitted(lm("y ~ 1", {"y": [1.0, 3.0]})).round(12).tolist()
    [2.0, 2.0]
    """
    return object.fitted_values


def vcov(object: Model) -> Array:
    """Return the covariances of a model's coefficients.

    Examples
    --------
    >>> vcov(lm("y ~ 1", {"y": [1.0, 3.0]})).round(9).tolist()
    [[1.0]]
    """
    return named(object._unscaled * object._dispersion, (object.names, object.names))


def deviance(object: Model) -> float:
    """Return a model's deviance, or its sum of squares.

    Examples
    --------
    >>> deviance(lm("y ~ 1", {"y": [1.0, 3.0]}))
    2.0
    """
    return object.deviance


def df_residual(object: Model) -> int:
    """Return the residual degrees of freedom.

    Examples
    --------
    >>> df_residual(lm("y ~ 1", {"y": [1.0, 3.0]}))
    1
    """
    return object.df_residual


def nobs(object: Model) -> int:
    """Return how many rows a model has used.

    Examples
    --------
    >>> nobs(lm("y ~ 1", {"y": [1.0, 3.0]}))
    2
    """
    return int(object._y.size)


def sigma(object: Model) -> float:
    """Return the residual standard error.

    Examples
    --------
    >>> round(sigma(lm("y ~ 1", {"y": [1.0, 3.0]})), 6)
    1.414214
    """
    return math.sqrt(object.deviance / object.df_residual)


def AIC(object: Model, k: float = 2.0) -> float:
    """Return Akaike's criterion.

    Examples
    --------
    >>> round(AIC(lm("y ~ 1", {"y": [1.0, 3.0]})), 6)
    9.675754
    """
    return object.aic + (k - 2) * _parameters(object)


def BIC(object: Model) -> float:
    """Return Schwarz's criterion.

    Examples
    --------
    >>> round(BIC(lm("y ~ 1", {"y": [1.0, 3.0]})), 6)
    7.062048
    """
    return AIC(object, math.log(nobs(object)))


def logLik(object: Model) -> float:
    """Return the logarithm of the likelihood.

    Examples
    --------
    >>> round(logLik(lm("y ~ 1", {"y": [1.0, 3.0]})), 6)
    -2.837877
    """
    return _parameters(object) - object.aic / 2


def _parameters(fit: Model) -> int:
    return fit.rank + (fit.family in (None, "gaussian"))

"""Fits of linear and generalized linear models, by the steps of R's algorithms."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.linalg import solve_triangular

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._formulas import DesignMatrix
from pydpstat.porting.r._linear_algebra import matmul
from pydpstat.porting.r._named import NamedVector
from pydpstat.porting.r._shapes import Array, format_row_name, to_vector
from pydpstat.porting.r._values import Value
from pydpstat.r_arithmetic import exp, log

_MACHINE_EPSILON = float(np.finfo(np.float64).eps)
# R's tolerance: a column explained by earlier ones up to this share has no coefficient
_ALIASING_TOLERANCE = 1e-7


def _sum_products(a: Array, b: Array) -> float:
    """Return the sum of products, added in order."""
    return float(np.add.accumulate(a * b)[-1]) if a.size else 0.0


def _compute_norm(a: Array) -> float:
    return float(np.sqrt(_sum_products(a, a)))


def fit_least_squares(x: Array, y: Array, tolerance: float) -> tuple[Array, Array, Array, Array, list[int]]:
    """Return coefficients, effects, residuals, the triangular factor, and the linearly dependent columns.

    Examples
    --------
    >>> x = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
    >>> fit_least_squares(x, np.array([2.0, 3.0, 4.0]), 1e-7)[0].round(9)
    array([1., 1.])
    """
    q, effects = x.T.copy(), y.copy()
    p, n = q.shape
    norms = np.array([_compute_norm(each) for each in q])
    first, heads = np.where(norms == 0, 1.0, norms), np.zeros(p)
    if p > n:
        return np.empty(0), effects, effects, np.zeros((p, p)), [n]
    for k in range(p):
        if norms[k] < first[k] * tolerance:
            return np.empty(0), effects, effects, np.zeros((p, p)), [k]
        if k == n - 1:
            break
        column = q[k, k:]
        size = np.copysign(_compute_norm(column), column[0] or 1.0)
        column *= 1 / size
        column[0] += 1
        for j in range(k + 1, p):
            q[j, k:] += -_sum_products(column, q[j, k:]) / column[0] * column
            if norms[j]:
                rest = max(0.0, 1 - (abs(q[j, k]) / norms[j]) ** 2)
                norms[j] = norms[j] * np.sqrt(rest) if rest >= 1e-6 else _compute_norm(q[j, k + 1 :])
        effects[k:] += -_sum_products(column, effects[k:]) / column[0] * column
        heads[k], column[0] = column[0], -size
    triangle, beta = np.triu(q[:, :p].T), effects[:p].copy()
    for k in range(p - 1, -1, -1):
        beta[k] /= triangle[k, k]
        beta[:k] -= beta[k] * triangle[:k, k]
    residuals = np.append(np.zeros(p), effects[p:])
    for k in range(min(p, n - 1) - 1, -1, -1):
        column = np.append(heads[k], q[k, k + 1 :])
        residuals[k:] += -_sum_products(column, residuals[k:]) / column[0] * column
    return beta, effects, residuals, triangle, []


def make_named_vector(values: Value, names: Value) -> pd.Series:
    """Return a named vector.

    Examples
    --------
    >>> make_named_vector([1], ["a"]).to_dict()
    {'a': 1}
    """
    return NamedVector(np.asarray(values), index=pd.Index(list(names), dtype=object))


class Model:
    """A fitted model, with R's names for its attributes.

    Examples
    --------
    >>> fit = Model("y ~ x", {"x": [1, 2, 3], "y": [1.0, 3.0, 5.0]}, None, None)
    >>> fit.coefficients.round(9).to_dict()
    {'(Intercept)': -1.0, 'x': 2.0}
    """

    def __init__(self, formula: str, data: Value, weights: Value, family: str | None) -> None:
        self.formula, self.family = formula, family
        self._design = design = DesignMatrix(formula, data)
        keep = design.complete_rows
        y = design.y
        if family == "binomial" and isinstance(y, pd.Categorical):
            y = y.codes > 0
        if isinstance(y, pd.Categorical) or y.dtype.kind == "O":
            raise PydpstatError(f"formula must have a response of numbers; got strings or a factor in {formula!r}")
        self._y = y = np.asarray(y, dtype=np.float64)
        self._x, self.names = design.make_model_matrix(data, keep)
        self._w = np.ones(y.size) if weights is None else to_vector(weights).astype(np.float64)[keep]
        if not (self._w > 0).all():
            raise PydpstatError("weights must be above 0 and not missing")
        if family == "binomial" and (y.min() < 0 or y.max() > 1):
            raise PydpstatError("the response of a binomial model must be in [0, 1]")
        if family == "poisson" and y.min() < 0:
            raise PydpstatError("the response of a Poisson model must not be negative")
        labels = data.index if isinstance(data, pd.DataFrame) else range(keep.size)
        self._row_names = [format_row_name(label) for label, kept in zip(labels, keep) if kept]
        self.rank, self.df_residual = len(self.names), y.size - len(self.names)
        self._fit_iteratively() if family else self._solve_least_squares(y, self._w)
        mu = self._invert_link(np.asarray(matmul(self._x, self._beta))[:, 0]) if family else y - self._raw_residuals
        self.coefficients, self.fitted_values = (
            make_named_vector(self._beta, self.names),
            make_named_vector(mu, self._row_names),
        )
        self.deviance = self._compute_deviance(mu)
        spread = self.deviance / self.df_residual if self.df_residual else math.nan
        self._dispersion = spread if family in (None, "gaussian") else 1.0

    def _solve_least_squares(self, z: Array, w: Array) -> None:
        """Fit by weighted least squares."""
        root = np.sqrt(w)
        self._beta, self._effects, rest, triangle, aliased = fit_least_squares(
            self._x * root[:, None], z * root, _ALIASING_TOLERANCE
        )
        self._raw_residuals = rest / root
        if aliased:
            name = self.names[aliased[0]]
            raise PydpstatError(f"the coefficient of {name} is NA in R: other columns make it up. Leave it out")
        inverse = solve_triangular(triangle, np.eye(len(triangle)))
        self._unscaled_covariance = inverse @ inverse.T

    def _fit_iteratively(self) -> None:
        """Fit by iteratively reweighted least squares, with R's starting values and convergence criterion."""
        y, w = self._y, self._w
        start = {"binomial": (w * y + 0.5) / (w + 1), "poisson": y + 0.1}.get(str(self.family), y)
        eta = log(start / (1 - start if self.family == "binomial" else 1)) if start is not y else y
        before, mu = self._compute_deviance(start), start
        for self.iter in range(1, 26):
            slope, variance = self._compute_slope_and_variance(eta, mu)
            self._solve_least_squares(eta + (y - mu) / slope, w * slope**2 / variance)
            eta = np.asarray(matmul(self._x, self._beta))[:, 0]
            mu = self._invert_link(eta)
            now = self._compute_deviance(mu)
            self.converged = abs(now - before) / (abs(now) + 0.1) < 1e-8
            if self.converged:
                break
            before = now

    def _compute_slope_and_variance(self, eta: Array, mu: Array) -> tuple[Array, Array]:
        if self.family == "binomial":
            inner = exp(eta) / (1 + exp(eta)) ** 2
            return np.where(np.abs(eta) > 30, _MACHINE_EPSILON, inner), mu * (1 - mu)
        return (mu, mu) if self.family == "poisson" else (np.ones(mu.size), np.ones(mu.size))

    def _invert_link(self, eta: Array) -> Array:
        if self.family == "binomial":
            odds = np.where(
                eta < -30,
                _MACHINE_EPSILON,
                np.where(eta > 30, 1 / _MACHINE_EPSILON, exp(np.minimum(eta, 31))),
            )
            return odds / (1 + odds)
        return np.maximum(exp(eta), _MACHINE_EPSILON) if self.family == "poisson" else eta

    def _compute_deviance_parts(self, mu: Array) -> Array:
        from scipy.special import xlogy

        y, w = self._y, self._w
        if self.family == "binomial":
            return 2 * w * (xlogy(y, y / mu) + xlogy(1 - y, (1 - y) / (1 - mu)))
        if self.family == "poisson":
            return 2 * w * (xlogy(y, y / mu) - (y - mu))
        return w * (y - mu) ** 2

    def _compute_deviance(self, mu: Array) -> float:
        return float(self._compute_deviance_parts(mu).sum())

    @property
    def residuals(self) -> pd.Series:
        """Differences from the fitted values; for a generalized linear model, working residuals."""
        mu = self.fitted_values.to_numpy()
        slope = self._compute_slope_and_variance(self._x @ self._beta, mu)[0]
        return make_named_vector((self._y - mu) / slope, self._row_names)

    @property
    def null_deviance(self) -> float:
        """Deviance of the model with an intercept only."""
        if self._design.intercept:
            return self._compute_deviance(np.full(self._y.size, np.average(self._y, weights=self._w)))
        return self._compute_deviance(self._invert_link(np.zeros(self._y.size)))

    @property
    def df_null(self) -> int:
        """Degrees of freedom of the model with an intercept only."""
        return int(self._y.size - self._design.intercept)

    @property
    def aic(self) -> float:
        """Akaike information criterion."""
        from scipy.stats import binom, poisson

        y, w, mu, n = self._y, self._w, self.fitted_values.to_numpy(), self._y.size
        if self.family == "binomial":
            return float(-2 * binom.logpmf(np.rint(w * y), np.rint(w), mu).sum() + 2 * self.rank)
        if self.family == "poisson":
            return float(-2 * (w * poisson.logpmf(y, mu)).sum() + 2 * self.rank)
        return float(n * (math.log(2 * math.pi * self.deviance / n) + 1) + 2 - np.log(w).sum() + 2 * self.rank)


def residuals(object: Model) -> pd.Series:
    """Return the residuals of a linear model, or the deviance residuals of a generalized linear model.

    Examples
    --------
    >>> residuals(Model("y ~ 1", {"y": [1.0, 3.0]}, None, None)).round(12).tolist()
    [-1.0, 1.0]
    """
    if object.family is None:
        return make_named_vector(object._raw_residuals, object._row_names)
    gap = object._y - object.fitted_values.to_numpy()
    return make_named_vector(
        np.sign(gap) * np.sqrt(np.maximum(object._compute_deviance_parts(object.fitted_values.to_numpy()), 0)),
        object._row_names,
    )

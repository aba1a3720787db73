"""R's linear and generalized linear models."""

from __future__ import annotations

import math

import pandas as pd

from pydpstat.porting.r._coefficients import format_numbers
from pydpstat.porting.r._fits import Model
from pydpstat.porting.r._model_summaries import Summary, format_model
from pydpstat.porting.r._shapes import Array, refuse_unknown, with_dimnames
from pydpstat.porting.r._values import Value

_FAMILIES = ("gaussian", "binomial", "poisson")


class Fit(Model):
    """A model with R's summary and printed output, except for the arguments of its call."""

    def summary(self) -> Summary:
        """Return R's summary of the model."""
        return Summary(self)

    def __str__(self) -> str:
        return format_model(self)


def lm(formula: str, data: Value, weights: Value = None) -> Model:
    """Fit a linear model by least squares, as R's ``lm``.

    `data` is a data frame or a dict of vectors. A coefficient that R would give as NA is refused.

    Examples
    --------
    >>> print(lm("y ~ x", {"x": [1, 2, 3], "y": [1.0, 3.0, 5.0]}))
    Call:
    lm(formula = y ~ x)
    Coefficients:
    (Intercept)            x
             -1            2
    """
    return Fit(formula, data, weights, None)


def glm(formula: str, family: str = "gaussian", data: Value = None, weights: Value = None) -> Model:
    """Fit a generalized linear model with the family's default link, iterated as R's ``glm``.

    Examples
    --------
    >>> fit = glm("y ~ 1", family="binomial", data={"y": [0, 1, 1, 1]})
    >>> round(float(coef(fit).iloc[0]), 6)
    1.098612
    """
    if isinstance(family, (pd.DataFrame, dict)):
        family, data = (data if isinstance(data, str) else "gaussian"), family
    refuse_unknown("family", family, _FAMILIES)
    return Fit(formula, data, weights, family)


def coef(object: Value) -> Value:
    """Return a model's coefficients with R's names, or the coefficient table of a summary.

    Examples
    --------
    >>> coef(lm("y ~ 1", {"y": [1.0, 3.0]})).round(12).to_dict()
    {'(Intercept)': 2.0}
    """
    return object.coefficients


def fitted(object: Model) -> pd.Series:
    """Return the fitted values of a model.

    Examples
    --------
    >>> fitted(lm("y ~ 1", {"y": [1.0, 3.0]})).round(12).tolist()
    [2.0, 2.0]
    """
    return object.fitted_values


def vcov(object: Model) -> Array:
    """Return the covariance matrix of a model's coefficients.

    Examples
    --------
    >>> vcov(lm("y ~ 1", {"y": [1.0, 3.0]})).round(9).tolist()
    [[1.0]]
    """
    return with_dimnames(object._unscaled_covariance * object._dispersion, (object.names, object.names))


def deviance(object: Model) -> float:
    """Return a model's deviance: for a linear model, the residual sum of squares.

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
    """Return the number of rows used in a fit.

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
    """Return the Akaike information criterion.

    Examples
    --------
    >>> round(AIC(lm("y ~ 1", {"y": [1.0, 3.0]})), 6)
    9.675754
    """
    return object.aic + (k - 2) * _count_parameters(object)


def BIC(object: Model) -> float:
    """Return the Bayesian information criterion.

    Examples
    --------
    >>> round(BIC(lm("y ~ 1", {"y": [1.0, 3.0]})), 6)
    7.062048
    """
    return AIC(object, math.log(nobs(object)))


class LogLik(float):
    """Logarithm of a likelihood, with the numbers of parameters and of observations."""

    r_class = "logLik"
    attributes: dict[str, Value]

    def lines(self) -> list[str]:
        """Return R's printed line."""
        return [f"'log Lik.' {format_numbers(float(self), 7)[0]} (df={self.attributes['df']:g})"]


def logLik(object: Model) -> LogLik:
    """Return the log-likelihood of a model.

    Examples
    --------
    >>> round(logLik(lm("y ~ 1", {"y": [1.0, 3.0]})), 6)
    -2.837877
    """
    found = LogLik(_count_parameters(object) - object.aic / 2)
    # R adds a double for the variance
    df = float(_count_parameters(object)) if object.family in (None, "gaussian") else _count_parameters(object)
    found.attributes = {"df": df, "nobs": nobs(object), **({} if object.family else {"nall": nobs(object)})}
    return found


def _count_parameters(fit: Model) -> int:
    return fit.rank + (fit.family in (None, "gaussian"))

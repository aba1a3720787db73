"""Predictions and confidence intervals of regression models."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._distributions import compute_t_quantile
from pydpstat.porting.r._fits import Model, make_named_vector
from pydpstat.porting.r._shapes import Array, format_row_name, refuse_unknown, to_vector, with_dimnames
from pydpstat.porting.r._values import Value


def predict(
    object: Model, newdata: Value = None, type: str | None = None, interval: str = "none", level: float = 0.95
) -> Value:
    """Return predictions for new data, with R's names; for a glm, of the ``link`` unless `type` differs.

    With an `interval` ("confidence" or "prediction") of a linear model, return a matrix of
    ``fit``, ``lwr``, ``upr``.

    Examples
    --------
    >>> from pydpstat.porting.r import lm
    >>> fit = lm("y ~ x", {"x": [1, 2, 3], "y": [1.0, 3.0, 5.0]})
    >>> predict(fit, {"x": [4, 5]}).round(9).tolist()
    [7.0, 9.0]
    """
    refuse_unknown("type", type, (None, "response", "link"))
    refuse_unknown("interval", interval, ("none", "confidence", "prediction"))
    x, rows = object._x, object._row_names
    if newdata is not None:
        x, _ = object._design.make_model_matrix(newdata)
        rows = [
            format_row_name(each) for each in (newdata.index if isinstance(newdata, pd.DataFrame) else range(len(x)))
        ]
    eta = x @ object._beta
    if interval == "none":
        return make_named_vector(object._invert_link(eta) if type == "response" else eta, rows)
    if object.family is not None:
        raise PydpstatError("interval must be 'none' for a generalized model")
    spread = np.einsum("ij,jk,ik->i", x, object._unscaled_covariance, x) + (interval == "prediction")
    half = compute_t_quantile((1 + level) / 2, object.df_residual) * np.sqrt(spread * object._dispersion)
    return with_dimnames(np.column_stack([eta, eta - half, eta + half]), (rows, ["fit", "lwr", "upr"]))


def confint(object: Model, parm: Value = None, level: float = 0.95) -> Array:
    """Return confidence intervals of a linear model's coefficients; R's profile intervals of a glm are refused.

    Examples
    --------
    >>> from pydpstat.porting.r import lm
    >>> confint(lm("y ~ 1", {"y": [1.0, 3.0]})).round(3).tolist()
    [[-10.706, 14.706]]
    """
    if object.family is not None:
        raise PydpstatError("confint of a glm profiles the likelihood in R: write confint_default, R's confint.default")
    return _compute_wald_interval(object, parm, level, float(compute_t_quantile((1 + level) / 2, object.df_residual)))


def confint_default(object: Model, parm: Value = None, level: float = 0.95) -> Array:
    """Return normal confidence intervals of a model's coefficients.

    Examples
    --------
    >>> from pydpstat.porting.r import lm
    >>> confint_default(lm("y ~ 1", {"y": [1.0, 3.0]})).round(3).tolist()
    [[0.04, 3.96]]
    """
    from scipy.stats import norm

    return _compute_wald_interval(object, parm, level, float(norm.ppf((1 + level) / 2)))


def _compute_wald_interval(fit: Model, parm: Value, level: float, factor: float) -> Array:
    half = factor * np.sqrt(np.diag(fit._unscaled_covariance) * fit._dispersion)
    share = [f"{100 * each:.3g} %" for each in ((1 - level) / 2, (1 + level) / 2)]
    bounds = with_dimnames(np.column_stack([fit._beta - half, fit._beta + half]), (fit.names, share))
    if parm is None:
        return bounds
    places = [fit.names.index(each) if isinstance(each, str) else int(each) - 1 for each in to_vector(parm).tolist()]
    return with_dimnames(np.asarray(bounds)[places], ([fit.names[i] for i in places], share))

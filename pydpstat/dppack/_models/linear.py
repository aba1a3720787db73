"""DPpack's private linear regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pydpstat.dppack._models import domain as method
from pydpstat.dppack._models.erm_kst import EmpiricalRiskMinimizationDP_KST
from pydpstat.dppack._models.helpers import (
    loss_gr_squared_error,
    loss_squared_error,
    mapXy_gr_linear,
    mapXy_linear,
)
from pydpstat.dppack._models.kst_plan import FIXED
from pydpstat.dppack._models.linear_algebra import Floats, dot
from pydpstat.dppack._models.records import Records
from pydpstat.errors import PydpstatError


class LinearRegressionDP(EmpiricalRiskMinimizationDP_KST):
    """Private regularized linear regression, as ``DPpack::LinearRegressionDP``.

    ``LinearRegressionDP$new(...)`` of R is ``LinearRegressionDP(...)``; methods and public fields
    have R's names with underscores for dots.

    Parameters
    ----------
    regularizer : {"l2"} or callable
        ``regularizer(coeff)``: the penalty, a float. ``"l2"`` is half the squared length.
    eps : float
        Privacy parameter epsilon, above 0. Infinity (or None) adds no noise and keeps nothing.
    delta : float
        Privacy parameter delta; 0 for pure differential privacy.
    gamma : float
        Regularization constant: the objective has gamma / n times the regularizer.
    regularizer_gr : callable, optional
        ``regularizer_gr(coeff)``: gradient, shape (d,), of an own regularizer. Without it NLopt's
        COBYLA minimises, else its MMA.

    Attributes
    ----------
    coeff : ndarray of shape (d,) or None
        The released coefficients, after `fit`, in the unit of the data as given.
    zeta, lambda_ : float or None
        Bounds on a record's gradient and second derivative, set by `fit`: 2 d^1.5 and d.

    Raises
    ------
    PydpstatError
        Where `regularizer` is something else.

    Notes
    -----
    Guarantee: (epsilon, delta) for one record added or removed, if the minimum is found exactly.
    For one replaced record and delta 0 epsilon is 0.65 eps + log(1 + d / (gamma + 2 d / eps)) where
    that is more than eps (with one coefficient 0.5625 eps instead); `fit` warns with the figure.
    R scales columns and response by the bounds, and looks for coefficients with a squared length
    of at most d in that scale. It needs the package nlopt.

    References
    ----------
    Kifer, D., Smith, A. and Thakurta, A. (2012). Private convex empirical risk minimization and
    high-dimensional regression. Proceedings of the 25th Annual Conference on Learning Theory.

    Examples
    --------
    >>> import warnings
    >>> from pydpstat import PrivacyWarning
    >>> warnings.simplefilter("ignore", PrivacyWarning)
    >>> from pydpstat import LinearRegressionDP, RRandom
    >>> model = LinearRegressionDP("l2", 1.0, 0.0, 1.0)
    >>> x = [[0.1], [0.3], [0.5], [0.7], [0.9]]
    >>> r = model.fit(x, [0.2, 0.3, 0.5, 0.6, 0.9], [1, 1], [0, 0], rng=RRandom(123))
    >>> model.coeff.round(3)
    array([0.185])
    """

    def __init__(
        self,
        regularizer: str | Callable[..., Any],
        eps: float,
        delta: float,
        gamma: float,
        regularizer_gr: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(
            mapXy_linear,
            loss_squared_error,
            regularizer,
            eps,
            delta,
            {"constraints": _outside, "jacobian": _outside_gradient},
            None,
            None,
            gamma,
            mapXy_gr_linear,
            loss_gr_squared_error,
            regularizer_gr,
        )

    def _records(self, X: Any, y: Any, upper_bounds: Any, lower_bounds: Any, add_bias: bool) -> Records:
        records = super()._records(X, y, upper_bounds, lower_bounds, add_bias)
        size = len(records.names)
        self.zeta, self.lambda_ = 2.0 * size**1.5, float(size)
        if not np.all(records.limits > 0.0):
            raise PydpstatError(
                "upper_bounds and lower_bounds must not both be 0 for a column; leave it out."
            )
        shift, scale = _response_scale(records)
        if scale == 0.0 or not np.isfinite([shift, scale]).all():
            raise PydpstatError(
                "the bounds of y, the last ones, must be finite, differ where add_bias is True, and not both "
                "be 0 otherwise. Give public bounds of y."
            )
        for j, limit in enumerate(records.limits):
            records.X[:, j] /= limit
        return replace(records, y=(records.y - shift) / scale, divisors=records.limits)

    def _finish(self, records: Records, coeff: Floats) -> Floats:
        shift, scale = _response_scale(records)
        coeff = coeff / records.divisors * scale
        coeff[0] += shift
        return coeff

    def _pair(self, size: int) -> float:
        return method.PAIR_SQUARES if size > 1 else method.PAIR_SQUARES_LINE

    def _conditions(self) -> tuple[str, ...]:
        return (*FIXED, *self._penalty_condition())

    def _arguments(self) -> tuple[tuple[str, Any], ...]:
        return (
            ("regularizer", self._regularizer()),
            ("eps", self.eps),
            ("delta", self.delta),
            ("gamma", self.gamma),
            *self._own_gradient(),
        )


def _response_scale(records: Records) -> tuple[float, float]:
    """Return what R subtracts from the response, and what it divides it by."""
    upper, lower = records.bounds[0][-1], records.bounds[1][-1]
    size = len(records.names)
    # with a bias column there are as many coefficients as bounds, those of y included
    if size == len(records.bounds[0]):
        return lower + (upper - lower) / 2.0, (upper - lower) / (2.0 * size)
    return 0.0, max(abs(lower), abs(upper)) / size


def _outside(coeff: Floats) -> float:
    """Return how far the squared length exceeds the number of coefficients."""
    return dot(coeff, coeff) - coeff.size


def _outside_gradient(coeff: Floats) -> Floats:
    return 2.0 * coeff

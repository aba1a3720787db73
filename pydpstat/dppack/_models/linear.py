"""DPpack's private linear regression."""

from __future__ import annotations

import math

import numpy.typing as npt

from pydpstat.dppack._models.erm_kst import MINIMUM, EmpiricalRiskMinimizationDP_KST
from pydpstat.dppack._models.fitted_model import Function, compared
from pydpstat.dppack._models.formulas import Floats, dot
from pydpstat.dppack._models.kst_noise import PAIR_SQUARES, PAIR_SQUARES_LINE
from pydpstat.dppack._models.losses import loss_gr_squared_error, loss_squared_error
from pydpstat.dppack._models.maps import mapXy_gr_linear, mapXy_linear
from pydpstat.dppack._moments import FIXED


class LinearRegressionDP(EmpiricalRiskMinimizationDP_KST):
    """Private regularized linear regression, as ``DPpack::LinearRegressionDP``.

    ``LinearRegressionDP$new(...)`` of R is ``LinearRegressionDP(...)``; methods and public fields
    have R's names with underscores for dots.

    Parameters
    ----------
    {regularizer}
    eps : float
        Privacy parameter epsilon, above 0. Infinity (or None) adds no noise and keeps nothing.
    delta : float
        Privacy parameter delta; 0 for pure differential privacy.
    {gamma}
    regularizer_gr : callable, optional
        ``regularizer_gr(coeff)``: gradient, shape (d,), of an own regularizer. Without it NLopt's
        COBYLA minimizes, else its MMA.

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

    See Also
    --------
    ols : pydpstat's own, with tests and intervals.
    tune_linear_regression_model : a choice among several of them.

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

    _arguments = ("regularizer", "eps", "delta", "gamma", "regularizer_gr")
    _scaled = True
    _pairs = (PAIR_SQUARES_LINE, PAIR_SQUARES)
    _conditions = (*FIXED, MINIMUM)

    def __init__(
        self,
        regularizer: str | Function,
        eps: float | None,
        delta: float,
        gamma: float,
        regularizer_gr: Function | None = None,
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

    def score(self, X: npt.ArrayLike, y: npt.ArrayLike, add_bias: bool = False) -> float:
        """Return R-squared of the predictions: 1 less the share of the response's variance that is left.

        It is computed from the records themselves: it is not private, and no part of the guarantee. R has no
        such method; it is there for scikit-learn's.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, p)
            Records, as for `predict`.
        y : array_like of shape (m,)
            Their responses.
        add_bias : bool, default False
            As for `predict`.

        Returns
        -------
        float
            At most 1; NaN where all responses are the same.

        Raises
        ------
        PydpstatError
            Before `fit`, and where the columns or the numbers of records do not match.

        Examples
        --------
        >>> from pydpstat import LinearRegressionDP
        >>> model = LinearRegressionDP("l2", 1.0, 0.0, 1.0)
        >>> model.coeff = [0.5]
        >>> model.score([[0.0], [1.0], [2.0]], [0.0, 0.5, 1.0])
        1.0
        """
        predicted, responses = compared(self.predict(X, add_bias), y)
        left, whole = responses - predicted, responses - responses.mean()
        square = dot(whole, whole)
        return 1.0 - dot(left, left) / square if square > 0.0 else math.nan


def _outside(coeff: Floats) -> float:
    """Return how far the squared length exceeds the number of coefficients."""
    return dot(coeff, coeff) - coeff.size


def _outside_gradient(coeff: Floats) -> Floats:
    return 2.0 * coeff

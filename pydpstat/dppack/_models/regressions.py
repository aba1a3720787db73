"""DPpack's private logistic and linear regression."""

from __future__ import annotations

import math

import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat.dppack import _warnings
from pydpstat.dppack._models.erm_cms import EmpiricalRiskMinimizationDP_CMS
from pydpstat.dppack._models.erm_kst import MINIMUM_CONDITION, EmpiricalRiskMinimizationDP_KST
from pydpstat.dppack._models.fitted_model import Classifier, Function, Prediction, check_predictions
from pydpstat.dppack._models.formulas import compute_dot_product
from pydpstat.dppack._models.losses import (
    loss_cross_entropy,
    loss_gr_cross_entropy,
    loss_gr_squared_error,
    loss_squared_error,
)
from pydpstat.dppack._models.maps import mapXy_gr_linear, mapXy_gr_sigmoid, mapXy_linear, mapXy_sigmoid
from pydpstat.dppack._models.noise import SQUARED_ERROR_DISTANCE, SQUARED_ERROR_DISTANCE_1D
from pydpstat.dppack._moments import PUBLIC_SIZE_CONDITIONS
from pydpstat.r_arithmetic.elementary import Floats

PREDICTION = Prediction("sigmoid", "round")


class LogisticRegressionDP(Classifier, EmpiricalRiskMinimizationDP_CMS):
    """Private regularized logistic regression, as in ``DPpack``.

    ``LogisticRegressionDP$new(...)`` of R is ``LogisticRegressionDP(...)``; methods and public
    fields have R's names with underscores for dots.

    Parameters
    ----------
    regularizer : {"l2"} or callable
        ``regularizer(coeff)``: the penalty, a float. ``"l2"`` is half the squared length.
    eps : float
        Privacy parameter epsilon, above 0. Infinity adds no noise and guarantees nothing.
    gamma : float
        Regularization constant to which the noise is calibrated. R's optimizer uses 1 instead.
    perturbation_method : {"objective", "output"}, default "objective"
        Whether the noise enters the objective, or is added to the fitted coefficients.
    regularizer_gr : callable, optional
        ``regularizer_gr(coeff)``: gradient, shape (d,), of a user-defined regularizer. Without it the
        minimizer uses central differences.

    Attributes
    ----------
    coeff : ndarray of shape (d,) or None
        The released coefficients, after `fit`, in the unit of the data as given.

    Raises
    ------
    PydpstatError
        If `regularizer` or `perturbation_method` is something else.

    Warns
    -----
    PrivacyWarning
        By `fit`, where `gamma` is above 1 ("output") or 2.118 ("objective"), negative, or `eps`
        is infinite: the privacy loss can then exceed `eps`, by the amount in the message. With
        objective perturbation and much noise also if the noise alone can drive a prediction
        to 1, where R's loss is NaN: then nothing is guaranteed.

    See Also
    --------
    logit : pydpstat's model, with tests and intervals.
    tune_classification_model : selection among several of them.

    Notes
    -----
    Guarantee: epsilon for one replaced record, the number of records public, with ``gamma=1``.
    R scales the records to length at most 1 by the bounds.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109.

    Examples
    --------
    >>> from pydpstat import LogisticRegressionDP, RRandom
    >>> model = LogisticRegressionDP("l2", 2.0, 1.0)
    >>> r = model.fit([[0.2], [0.4], [0.7], [0.9]], [0, 0, 1, 1], [1], [0], rng=RRandom(123))
    >>> model.predict([[0.1], [0.8]], raw_value=True).round(3)
    array([0.505, 0.539])
    """

    _argument_names = ("regularizer", "eps", "gamma", "perturbation_method", "regularizer_gr")
    _class_labels = (0.0, 1.0)
    _has_scaled_records = True
    # independent of gamma; R's class does not use mapXy.gr, whose recycled slopes are not a gradient
    _fixed_strength = 1.0
    _prediction = PREDICTION

    def __init__(
        self,
        regularizer: str | Function,
        eps: float,
        gamma: float,
        perturbation_method: str = "objective",
        regularizer_gr: Function | None = None,
    ) -> None:
        super().__init__(
            mapXy_sigmoid,
            loss_cross_entropy,
            regularizer,
            eps,
            gamma,
            perturbation_method,
            0.25,
            mapXy_gr_sigmoid,
            loss_gr_cross_entropy,
            regularizer_gr,
        )

    def predict(self, X: npt.ArrayLike, add_bias: bool = False, raw_value: bool = False) -> Floats:
        """Predict labels or probabilities of new records.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, p)
            New records; they are not clipped.
        add_bias : bool, default False
            Whether to put a column of ones in front; True if the model was fitted with one.
        raw_value : bool, default False
            Whether to return probabilities of label 1 instead of labels.

        Returns
        -------
        ndarray of shape (m,)

        Raises
        ------
        PydpstatError
            Before `fit`, and where the columns do not match the coefficients.

        Examples
        --------
        >>> from pydpstat import LogisticRegressionDP, RRandom
        >>> model = LogisticRegressionDP("l2", 2.0, 1.0)
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=RRandom(123))
        >>> model.predict([[0.0]])
        array([0.])
        """
        bias, raw = checks.check_boolean(add_bias, "add_bias"), checks.check_boolean(raw_value, "raw_value")
        return PREDICTION(X, self._require_coefficients(), add_bias=bias, raw_value=raw)

    def _warn_weaker_guarantee(
        self, name: str, eps: float, guaranteed_epsilon: float, gamma: float, norm: float
    ) -> None:
        _warnings.warn_gamma_mismatch(eps, gamma, guaranteed_epsilon)


class LinearRegressionDP(EmpiricalRiskMinimizationDP_KST):
    """Private regularized linear regression, as ``DPpack::LinearRegressionDP``.

    ``LinearRegressionDP$new(...)`` of R is ``LinearRegressionDP(...)``; methods and public fields
    have R's names with underscores for dots.

    Parameters
    ----------
    regularizer : {"l2"} or callable
        ``regularizer(coeff)``: the penalty, a float. ``"l2"`` is half the squared length.
    eps : float
        Privacy parameter epsilon, above 0. Infinity (or None) adds no noise and guarantees nothing.
    delta : float
        Privacy parameter delta; 0 for pure differential privacy.
    gamma : float
        Regularization constant: the objective has gamma / n times the regularizer.
    regularizer_gr : callable, optional
        ``regularizer_gr(coeff)``: gradient, shape (d,), of a user-defined regularizer. Without it NLopt's
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
        If `regularizer` is something else.

    See Also
    --------
    ols : pydpstat's model, with tests and intervals.
    tune_linear_regression_model : selection among several of them.

    Notes
    -----
    Guarantee: (epsilon, delta) for one record added or removed, if the minimum is found exactly.
    For one replaced record and delta 0 epsilon is 0.65 eps + log(1 + d / (gamma + 2 d / eps)) where
    that is more than eps (with one coefficient 0.5625 eps instead); `fit` warns with the figure.
    R scales columns and response by the bounds, and restricts the squared norm of the scaled
    coefficients to at most d. It needs the package nlopt.

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

    _argument_names = ("regularizer", "eps", "delta", "gamma", "regularizer_gr")
    _has_scaled_records = True
    _gradient_distances = (SQUARED_ERROR_DISTANCE_1D, SQUARED_ERROR_DISTANCE)
    _conditions = (*PUBLIC_SIZE_CONDITIONS, MINIMUM_CONDITION)

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
            {"constraints": _compute_domain_excess, "jacobian": _compute_domain_gradient},
            None,
            None,
            gamma,
            mapXy_gr_linear,
            loss_gr_squared_error,
            regularizer_gr,
        )

    def score(self, X: npt.ArrayLike, y: npt.ArrayLike, add_bias: bool = False) -> float:
        """Return R-squared of the predictions: 1 less the share of the response's variance that is not explained.

        It is computed from the records themselves: it is not private, and not part of the guarantee. R has no
        such method; it exists for scikit-learn.

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
            At most 1; NaN if all responses are equal.

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
        predicted, responses = check_predictions(self.predict(X, add_bias), y)
        residuals, deviations = responses - predicted, responses - responses.mean()
        square = compute_dot_product(deviations, deviations)
        return 1.0 - compute_dot_product(residuals, residuals) / square if square > 0.0 else math.nan


def _compute_domain_excess(coeff: Floats) -> float:
    """Return the squared norm of the coefficients less their number."""
    return compute_dot_product(coeff, coeff) - coeff.size


def _compute_domain_gradient(coeff: Floats) -> Floats:
    return 2.0 * coeff

"""DPpack's private logistic regression."""

from __future__ import annotations

import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat.dppack import _warnings
from pydpstat.dppack._models.erm_cms import EmpiricalRiskMinimizationDP_CMS
from pydpstat.dppack._models.fitted_model import Classifier, Function, Prediction
from pydpstat.dppack._models.formulas import Floats
from pydpstat.dppack._models.losses import loss_cross_entropy, loss_gr_cross_entropy
from pydpstat.dppack._models.maps import mapXy_gr_sigmoid, mapXy_sigmoid

PREDICTION = Prediction("sigmoid", "round")


class LogisticRegressionDP(Classifier, EmpiricalRiskMinimizationDP_CMS):
    """Private regularized logistic regression, as in ``DPpack``.

    ``LogisticRegressionDP$new(...)`` of R is ``LogisticRegressionDP(...)``; methods and public
    fields have R's names with underscores for dots.

    Parameters
    ----------
    {regularizer, eps (mirror)}
    gamma : float
        Regularization constant that the noise is made for. R's optimizer uses 1 instead.
    perturbation_method : {"objective", "output"}, default "objective"
        Whether the noise enters the objective, or is added to the fitted coefficients.
    regularizer_gr : callable, optional
        ``regularizer_gr(coeff)``: gradient, shape (d,), of an own regularizer. Without it the
        minimizer takes central differences.

    Attributes
    ----------
    coeff : ndarray of shape (d,) or None
        The released coefficients, after `fit`, in the unit of the data as given.

    Raises
    ------
    PydpstatError
        Where `regularizer` or `perturbation_method` is something else.

    Warns
    -----
    PrivacyWarning
        By `fit`, where `gamma` is above 1 ("output") or 2.118 ("objective"), negative, or `eps`
        is infinite: then more than `eps` can be lost, and the message says how much. With
        objective perturbation and much noise also where the noise alone can drive a prediction
        to 1, where R's loss is NaN: then nothing holds.

    See Also
    --------
    logit : pydpstat's own, with tests and intervals.
    tune_classification_model : a choice among several of them.

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

    _arguments = ("regularizer", "eps", "gamma", "perturbation_method", "regularizer_gr")
    _labels = (0.0, 1.0)
    _scaled = True
    # whatever gamma is; and R's class does not use mapXy.gr, whose recycled slopes are no gradient
    _strength = 1.0
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
        {add_bias}
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
        bias, raw = checks.flag(add_bias, "add_bias"), checks.flag(raw_value, "raw_value")
        return PREDICTION(X, self._fitted(), add_bias=bias, raw_value=raw)

    def _explain(self, name: str, eps: float, kept: float, gamma: float, norm: float) -> None:
        _warnings.other_gamma(eps, gamma, kept)

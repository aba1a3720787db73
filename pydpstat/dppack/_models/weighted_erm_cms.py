"""DPpack's weighted empirical risk minimization."""

from __future__ import annotations

import numpy.typing as npt

from pydpstat.dppack._models.erm_cms import EmpiricalRiskMinimizationDP_CMS
from pydpstat.errors import PydpstatError
from pydpstat.results.model_results import ModelResults


class WeightedERMDP_CMS(EmpiricalRiskMinimizationDP_CMS):
    """Private empirical risk minimization with weighted records.

    It is the base of `svmDP`, which is safer: this class does not scale records.
    ``WeightedERMDP.CMS$new(...)`` of R is ``WeightedERMDP_CMS(...)``. Its arguments are those of
    `EmpiricalRiskMinimizationDP_CMS`, with weights as a third argument of the loss.

    Parameters
    ----------
    mapXy : callable
        ``mapXy(X, coeff)``: predictions, shape (n,), of records (n, d) and coefficients (d,).
    loss : callable
        ``loss(y_hat, y, w)``: one loss per record, shape (n,); `w` is None without weights.
    regularizer : {"l2"} or callable
        ``regularizer(coeff)``: the penalty, a float. ``"l2"`` is half the squared length.
    eps : float
        Privacy parameter epsilon, above 0. Infinity adds no noise and guarantees nothing.
    gamma : float
        Regularization constant: the objective has gamma / n times the regularizer.
    perturbation_method : {"objective", "output"}, default "objective"
        Where the noise is put. Weights are for ``"output"`` only.
    c : float, optional
        Bound on the loss's second derivative; needed for ``"objective"``.
    mapXy_gr : callable, optional
        ``mapXy_gr(X, coeff)``: derivatives of the predictions, shape (d, n).
    loss_gr : callable, optional
        ``loss_gr(y_hat, y, w)``: derivatives of the losses, shape (n,).
    regularizer_gr : callable, optional
        ``regularizer_gr(coeff)``: gradient, shape (d,).

    Attributes
    ----------
    coeff : ndarray of shape (d,) or None
        The released coefficients, after `fit`.

    Raises
    ------
    PydpstatError
        If `regularizer` or `perturbation_method` is something else, or `c` is needed.

    See Also
    --------
    EmpiricalRiskMinimizationDP_CMS : without weights.
    svmDP : a model that takes weights.

    Notes
    -----
    Guarantee: epsilon for one record replaced together with its weight, as for
    `EmpiricalRiskMinimizationDP_CMS`.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109. Yang, X., Song, Q. and
    Cao, A. (2005). Weighted support vector machine for data classification. Proceedings of the
    International Joint Conference on Neural Networks 2, 859-864.

    Examples
    --------
    >>> from pydpstat import RRandom, dppack
    >>> loss, slope = dppack.generate_loss_huber(0.5), dppack.generate_loss_gr_huber(0.5)
    >>> model = dppack.WeightedERMDP_CMS(
    ...     dppack.mapXy_linear, loss, "l2", 1.0, 1.0, "output", 1.0, dppack.mapXy_gr_linear, slope
    ... )
    >>> X, y, w = [[0.2], [0.9]], [-1, 1], [1.0, 0.5]
    >>> r = model.fit(X, y, [1], [0], weights=w, weights_upper_bound=1, rng=RRandom(123))
    >>> r.epsilon
    1.0
    """

    _has_weights = True

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        upper_bounds: npt.ArrayLike | None,
        lower_bounds: npt.ArrayLike | None,
        add_bias: bool = False,
        weights: npt.ArrayLike | None = None,
        weights_upper_bound: float | None = None,
        *,
        rng: object = None,
    ) -> ModelResults:
        """Fit the model and set `coeff`.

        Parameters
        ----------
        X : DataFrame or array_like of shape (n, p)
            Predictors; values outside their bounds are clipped to them.
        y : array_like of shape (n,)
            Responses.
        upper_bounds, lower_bounds : array_like of shape (p,)
            Public bounds of the columns, chosen without looking at them.
        add_bias : bool, default False
            Whether to put a column "bias" of ones in front; for a DataFrame only, as in R.
        weights : array_like of shape (n,), optional
            Weights of the records, at least 0; for output perturbation only.
        weights_upper_bound : float, optional
            Public upper bound of the weights, which are clipped to it.
        rng : None, int, numpy.random.Generator or RRandom, keyword only
            Source of the noise. None (default) is the operating system; an int seeds R's stream.

        Returns
        -------
        ModelResults
            The released model. R returns the object itself.

        Raises
        ------
        PydpstatError
            If R stops or would return NaN.

        Warns
        -----
        PrivacyWarning
            If the guarantee of the fit is weaker than `eps`.

        Examples
        --------
        >>> from pydpstat import RRandom, svmDP
        >>> svmDP("l2", 1.0, 1.0).fit([[0.2], [0.9]], [0, 1], [1], [0], rng=RRandom(1)).nobs
        2
        """
        if weights is not None and self.perturbation_method != "output":
            raise PydpstatError(
                f"weights must be None with {self.perturbation_method} perturbation; got weights. "
                "Use perturbation_method='output'."
            )
        return self._fit_model(X, y, upper_bounds, lower_bounds, add_bias, rng, weights, weights_upper_bound)

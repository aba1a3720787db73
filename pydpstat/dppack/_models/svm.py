"""DPpack's private support vector machine."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat.dppack import _warnings
from pydpstat.dppack._models.fitted_model import Classifier, Function, Prediction
from pydpstat.dppack._models.kernels import FourierFeatures, check_integer_at_least, generate_sampling, phi_gaussian
from pydpstat.dppack._models.losses import generate_loss_gr_huber, generate_loss_huber
from pydpstat.dppack._models.maps import mapXy_gr_linear, mapXy_linear
from pydpstat.dppack._models.records import read_predictors
from pydpstat.dppack._models.weighted_erm_cms import WeightedERMDP_CMS
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results.model_results import ModelResults

KERNELS = ("linear", "Gaussian")
PREDICTION = Prediction("linear", "sign")
_LEADING_ARGUMENTS = ("regularizer", "eps", "gamma", "perturbation_method", "kernel")


class svmDP(Classifier, WeightedERMDP_CMS):
    """Private support vector machine, linear or with a Gaussian kernel.

    ``svmDP$new(...)`` of R is ``svmDP(...)``; methods and public fields have R's names with
    underscores for dots.

    Parameters
    ----------
    regularizer : {"l2"} or callable
        ``regularizer(coeff)``: the penalty, a float. ``"l2"`` is half the squared length.
    eps : float
        Privacy parameter epsilon, above 0. Infinity adds no noise and guarantees nothing.
    gamma : float
        Regularization constant: the objective has gamma / n times the regularizer.
    perturbation_method : {"objective", "output"}, default "objective"
        Whether the noise enters the objective, or is added to the coefficients. Weights are for
        ``"output"`` only.
    kernel : {"linear", "Gaussian"}, default "linear"
        ``"Gaussian"`` is approximated by random Fourier features.
    D : int, optional
        Number of features; needed for ``"Gaussian"``.
    kernel_param : float, optional
        The Gaussian kernel's gamma; 1 / p by default, set by the first fit and kept for later ones.
    regularizer_gr : callable, optional
        ``regularizer_gr(coeff)``: gradient, shape (d,), of a user-defined regularizer.
    huber_h : float, default 0.5
        Half-width of the parabola that replaces the corner of the hinge loss.

    Attributes
    ----------
    coeff : ndarray of shape (d,) or None
        The released coefficients, after `fit`: in the unit of the data, or one for each feature.
    prefilter : ndarray of shape (D, d + 1) or None
        Frequencies and phases of the features, drawn by the last fit without the data.
    kernel_param : float or None
        The kernel's parameter.

    Raises
    ------
    PydpstatError
        If an argument is invalid.

    See Also
    --------
    logit : pydpstat's model of two levels, with intervals.
    LogisticRegressionDP : a different classifier of R's DPpack.
    tune_classification_model : selection among several of them.

    Notes
    -----
    Guarantee: epsilon for one record replaced together with its weight, the number of records
    public. R scales the records to length at most 1 by the bounds; features have length 1 at most.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109. Rahimi, A. and Recht, B. (2007).
    Random features for large-scale kernel machines. Advances in Neural Information Processing
    Systems 20.

    Examples
    --------
    >>> from pydpstat import RRandom, svmDP
    >>> model = svmDP("l2", 1.0, 1.0, "output", kernel="Gaussian", D=3)
    >>> r = model.fit([[0.2], [0.4], [0.7], [0.9]], [0, 0, 1, 1], [1], [0], rng=RRandom(123))
    >>> model.kernel_param, model.coeff.shape
    (1.0, (3,))
    """

    _class_labels = (-1.0, 1.0)
    _has_scaled_records = True
    _prediction = PREDICTION

    def __init__(
        self,
        regularizer: str | Function,
        eps: float,
        gamma: float,
        perturbation_method: str = "objective",
        kernel: str = "linear",
        D: int | None = None,
        kernel_param: float | None = None,
        regularizer_gr: Function | None = None,
        huber_h: float = 0.5,
    ) -> None:
        h = checks.check_scalar(huber_h, "huber_h")
        super().__init__(
            mapXy_linear,
            generate_loss_huber(h),
            regularizer,
            eps,
            gamma,
            perturbation_method,
            1.0 / (2.0 * h) if h else math.inf,
            mapXy_gr_linear,
            generate_loss_gr_huber(h),
            regularizer_gr,
        )
        self._huber_h = h
        self.kernel = checks.check_choice(kernel, "kernel", KERNELS, "Give one of them: 'rbf' is 'Gaussian'.")
        if kernel == "Gaussian":
            self.phi, self.kernel_param = phi_gaussian, kernel_param
            if D is None:
                raise PydpstatError("D must be specified for nonlinear kernel; got None. Give for example 20.")
            self.D = check_integer_at_least(D, "D", 1)

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        upper_bounds: npt.ArrayLike | None = None,
        lower_bounds: npt.ArrayLike | None = None,
        add_bias: bool = False,
        weights: npt.ArrayLike | None = None,
        weights_upper_bound: float | None = None,
        *,
        rng: object = None,
    ) -> ModelResults:
        """Fit the model and set `coeff`, and with a Gaussian kernel `prefilter` and `kernel_param`.

        Parameters
        ----------
        X : DataFrame or array_like of shape (n, p)
            Predictors; with the linear kernel values outside their bounds are clipped to them.
        y : array_like of shape (n,)
            Labels 0 and 1.
        upper_bounds, lower_bounds : array_like of shape (p,), optional
            Public bounds of the columns, chosen without looking at them. The linear kernel needs them;
            the Gaussian one does not use them.
        add_bias : bool, default False
            Whether to put a column "bias" of ones in front; for a DataFrame only, as in R.
        weights : array_like of shape (n,), optional
            Weights of the records, at least 0; for output perturbation only.
        weights_upper_bound : float, optional
            Public upper bound of the weights, which are clipped to it.
        rng : None, int, numpy.random.Generator or RRandom, keyword only
            Source of the noise and the features. None (default) is the operating system; an int
            seeds R's stream.

        Returns
        -------
        ModelResults
            The released model. R returns the object itself.

        Raises
        ------
        PydpstatError
            If R stops or would return NaN.

        Examples
        --------
        >>> from pydpstat import RRandom, svmDP
        >>> r = svmDP("l2", 1.0, 1.0, "output").fit([[0.2], [0.9]], [0, 1], [1], [0], rng=RRandom(1))
        >>> list(r.params.index)
        ['x1']
        """
        if self.kernel == "Gaussian":
            if self.kernel_param is None:
                self.kernel_param = 1.0 / (np.shape(X)[1] if np.ndim(X) == 2 else 1)
            self.sampling = generate_sampling(self.kernel_param)
        of_kernel = () if self.kernel == "linear" else ("D", "kernel_param")
        self._argument_names = (*_LEADING_ARGUMENTS, *of_kernel, "regularizer_gr", "_huber_h")
        return super().fit(X, y, upper_bounds, lower_bounds, add_bias, weights, weights_upper_bound, rng=rng)

    def XtoV(self, X: npt.ArrayLike) -> Floats:
        """Map records to the features of the fitted Gaussian kernel.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, d)
            Records, a bias column included where the model was fitted with one.

        Returns
        -------
        ndarray of shape (m, D)

        Raises
        ------
        PydpstatError
            Before `fit`, with a linear kernel, and where the columns do not match.

        Examples
        --------
        >>> from pydpstat import RRandom, svmDP
        >>> model = svmDP("l2", 1.0, 1.0, "output", kernel="Gaussian", D=2)
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=RRandom(1))
        >>> model.XtoV([[0.5]]).shape
        (1, 2)
        """
        records = read_predictors(X)
        if self.prefilter is None:
            raise PydpstatError("svmDP has no features yet; call fit with kernel='Gaussian' first.")
        return FourierFeatures(self.prefilter).compute_features(records)

    def predict(self, X: npt.ArrayLike, add_bias: bool = False, raw_value: bool = False) -> Floats:
        """Predict labels or scores of new records.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, p)
            New records; they are not clipped.
        add_bias : bool, default False
            Whether to put a column of ones in front; True if the model was fitted with one.
        raw_value : bool, default False
            Whether to return scores instead of labels. A score of exactly 0 is label 0.

        Returns
        -------
        ndarray of shape (m,)

        Raises
        ------
        PydpstatError
            Before `fit`, and where the columns do not match the coefficients.

        Examples
        --------
        >>> from pydpstat import RRandom, svmDP
        >>> model = svmDP("l2", 1.0, 1.0)
        >>> r = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=RRandom(123))
        >>> model.predict([[0.0]])
        array([0.])
        """
        bias, raw = checks.check_boolean(add_bias, "add_bias"), checks.check_boolean(raw_value, "raw_value")
        prediction = PREDICTION
        if self.kernel != "linear" and self.prefilter is not None:
            prediction = replace(prediction, features=FourierFeatures(self.prefilter))
        return prediction(X, self._require_coefficients(), add_bias=bias, raw_value=raw)

    def _get_feature_shape(self) -> tuple[int, float] | None:
        if self.kernel == "linear":
            return None
        width = checks.check_scalar(self.kernel_param, "kernel_param")
        return check_integer_at_least(self.D, "D", 1), math.sqrt(2.0 * width)

    def _has_valid_noise(self, size: int) -> bool:
        return self._huber_h > 0.0

    def _warn_weaker_guarantee(
        self, name: str, eps: float, guaranteed_epsilon: float, gamma: float, norm: float
    ) -> None:
        h = self._huber_h
        _warnings.warn_no_guarantee(name, *(("gamma", gamma) if h > 0.0 else ("huber_h", h)))

    def _describe_settings(self) -> tuple[tuple[str, str], ...]:
        kernel_text = str(self.kernel)
        if self.kernel != "linear":
            kernel_text += f", {self.D} features, {float(self.kernel_param or 0.0):.6g}"
        return ("Kernel:", kernel_text), ("Huber h:", f"{self._huber_h:.6g}")

"""DPpack's empirical risk minimization by the method of Chaudhuri, Monteleoni and Sarwate."""

from __future__ import annotations

import inspect
import math
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._release.charging import charge_once, get_open_budgets
from pydpstat._release.models import ModelFields, add_source_condition, get_constructor_arguments, release_model
from pydpstat.dppack import _warnings
from pydpstat.dppack._models import losses, maps
from pydpstat.dppack._models.fitted_model import FittedModel, Function, Prediction
from pydpstat.dppack._models.kernels import draw_features
from pydpstat.dppack._models.minimizers import (
    GradientFunction,
    Objective,
    make_summed_gradient,
    minimize_variable_metric,
)
from pydpstat.dppack._models.noise import ROUNDING_TOLERANCE, CMSPlan, compute_saturation_probability, make_noise_plan
from pydpstat.dppack._models.records import (
    FitRecords,
    clip_records,
    encode_binary_labels,
    make_feature_records,
    read_records,
    read_weights,
    scale_records,
)
from pydpstat.dppack._moments import PUBLIC_SIZE_CONDITIONS
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import source_from
from pydpstat.results._call import ModelCall
from pydpstat.results.model_results import ModelResults

METHODS = ("output", "objective")
# largest delta that is regarded as negligible
NEGLIGIBLE_DELTA = 1e-6
# predictions of known maps; a user's function might refer to data, so a result does not store it
_PREDICTIONS_BY_MAP = {id(maps.mapXy_linear): Prediction("linear"), id(maps.mapXy_sigmoid): Prediction("sigmoid")}

# conditions of a guarantee besides PUBLIC_SIZE_CONDITIONS
MINIMUM_CONDITION = (
    "the minimum is assumed to be exact; R's optimizer stops at a relative change of 1.5e-8 or after 100 gradients"
)
LOSS_CONDITION = (
    "the loss is convex in the linear predictor, with first derivative at most 1 and second derivative at most c"
)
LABELS_CONDITION = "whether every label is 0 or 1 is treated as public"
SATURATION_CONDITION = (
    "no record has a linear predictor above 36.74, where R's cross-entropy is NaN and its optimizer turns back"
)
REGULARIZER_CONDITION = "the regularizer is differentiable and 1-strongly convex"


class EmpiricalRiskMinimizationDP_CMS(FittedModel):
    """Private empirical risk minimization for binary classification.

    It is the base of `LogisticRegressionDP` and `svmDP`, which are safer: this class does not scale records.
    ``EmpiricalRiskMinimizationDP.CMS$new(...)`` of R is ``EmpiricalRiskMinimizationDP_CMS(...)``;
    methods and public fields have R's names with underscores for dots.

    Parameters
    ----------
    mapXy : callable
        ``mapXy(X, coeff)``: predictions, shape (n,), of records (n, d) and coefficients (d,).
    loss : callable
        ``loss(y_hat, y)``: one loss per record, shape (n,).
    regularizer : {"l2"} or callable
        ``regularizer(coeff)``: the penalty, a float. ``"l2"`` is half the squared length.
    eps : float
        Privacy parameter epsilon, above 0. Infinity adds no noise and guarantees nothing.
    gamma : float
        Regularization constant: the objective has gamma / n times the regularizer.
    perturbation_method : {"objective", "output"}, default "objective"
        Whether the noise enters the objective, or is added to the fitted coefficients.
    c : float, optional
        Bound on the loss's second derivative; needed for ``"objective"`` (1/4 for the logistic loss).
    mapXy_gr : callable, optional
        ``mapXy_gr(X, coeff)``: derivatives of the predictions, shape (d, n).
    loss_gr : callable, optional
        ``loss_gr(y_hat, y)``: derivatives of the losses, shape (n,).
    regularizer_gr : callable, optional
        ``regularizer_gr(coeff)``: gradient, shape (d,). If one of the three gradients is not
        given, the minimizer uses central differences.

    Attributes
    ----------
    coeff : ndarray of shape (d,) or None
        The released coefficients, after `fit`.
    results : ModelResults or None
        Result of the last `fit`.
    mapXy, mapXy_gr, loss, loss_gr, regularizer, regularizer_gr : callable or None
        As given; the functions of ``"l2"`` where that was given.
    eps, gamma, perturbation_method, c
        As given; `fit` reads them.
    kernel, D, sampling, phi, kernel_param, prefilter
        Used by `svmDP` only.

    Raises
    ------
    PydpstatError
        If `regularizer` or `perturbation_method` is something else, or `c` is needed.

    See Also
    --------
    LogisticRegressionDP, svmDP : models of this kind.
    WeightedERMDP_CMS : with weights.
    logit : pydpstat's model, with intervals.

    Notes
    -----
    Guarantee: epsilon for one replaced record, the number of records public, if every record has
    norm at most 1 and the loss is convex in the linear predictor with derivatives of at most 1
    and c. R does not check the norm; if the bounds allow more, `fit` warns with the
    epsilon that holds.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109.

    Examples
    --------
    >>> from pydpstat import RRandom, dppack
    >>> model = dppack.EmpiricalRiskMinimizationDP_CMS(
    ...     dppack.mapXy_sigmoid, dppack.loss_cross_entropy, "l2", 1.0, 1.0, "output"
    ... )
    >>> r = model.fit([[0.2], [0.4], [0.9]], [0, 0, 1], [1], [0], rng=RRandom(123))
    >>> model.coeff.round(3)
    array([0.484])
    """

    # values of labels 0 and 1; None if responses may be any numbers
    _class_labels: tuple[float, float] | None = None
    # whether records are scaled to norm at most 1
    _has_scaled_records = False
    # whether the losses have an argument for weights
    _has_weights = False
    # factor of the regularizer in R's logistic objective; None for gamma and the given functions
    _fixed_strength: float | None = None
    # map from coefficients to predictions; None if it depends on mapXy
    _prediction: Prediction | None = None

    def __init__(
        self,
        mapXy: Function,
        loss: Function,
        regularizer: str | Function,
        eps: float,
        gamma: float,
        perturbation_method: str = "objective",
        c: float | None = None,
        mapXy_gr: Function | None = None,
        loss_gr: Function | None = None,
        regularizer_gr: Function | None = None,
    ) -> None:
        super().__init__(mapXy, mapXy_gr, loss, loss_gr, regularizer, regularizer_gr)
        self.eps, self.gamma = eps, gamma
        self.perturbation_method = checks.check_choice(perturbation_method, "perturbation_method", METHODS)
        if perturbation_method == "objective" and c is None:
            raise PydpstatError("c must be given for 'objective' perturbation_method; got None.")
        self.c = c
        self.kernel: str | None = None
        self.D: int | None = None
        self.sampling: Function | None = None
        self.phi: Function | None = None
        self.kernel_param: float | None = None
        self.prefilter: Floats | None = None

    # names of the constructor's arguments, which are also fields
    _argument_names: tuple[str, ...] = tuple(inspect.signature(__init__).parameters)[1:]

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        upper_bounds: npt.ArrayLike,
        lower_bounds: npt.ArrayLike,
        add_bias: bool = False,
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
        >>> from pydpstat import RRandom, dppack
        >>> model = dppack.LogisticRegressionDP("l2", 2.0, 1.0)
        >>> model.fit([[0.2], [0.4], [0.9]], [0, 0, 1], [1], [0], rng=RRandom(123)).nobs
        3
        """
        return self._fit_model(X, y, upper_bounds, lower_bounds, add_bias, rng)

    def _fit_model(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        upper_bounds: npt.ArrayLike | None,
        lower_bounds: npt.ArrayLike | None,
        add_bias: bool,
        rng: object,
        weights: npt.ArrayLike | None = None,
        weights_upper_bound: float | None = None,
    ) -> ModelResults:
        name = type(self).__name__
        source = source_from(rng, int_seeds_r=True)
        bias = checks.check_boolean(add_bias, "add_bias")
        checks.check_choice(self.perturbation_method, "perturbation_method", METHODS)
        records, shape = read_records(X, y, bias), self._get_feature_shape()
        if shape is not None:
            # the features are drawn later, after all checks
            records = make_feature_records(records, shape[0])
        else:
            records = clip_records(records, upper_bounds, lower_bounds, bias)
        if self._class_labels is not None:
            records = replace(records, y=encode_binary_labels(records.y, self._class_labels))
        if self._has_scaled_records and shape is None:
            records = scale_records(records)
        fit_arguments: tuple[tuple[str, object], ...] = (
            ("upper_bounds", upper_bounds),
            ("lower_bounds", lower_bounds),
            ("add_bias", bias),
        )
        if weights is not None:
            records = read_weights(records, weights, weights_upper_bound)
            fit_arguments = (*fit_arguments, ("weights_upper_bound", weights_upper_bound))
        plan = self._make_plan(records)
        prediction = self._prediction or _PREDICTIONS_BY_MAP.get(id(self.mapXy))
        weighed = ("Weights up to:", f"{records.max_weight:.6g}")
        l2 = self.regularizer is maps.regularizer_l2
        guarantee = add_source_condition(
            Guarantee(plan.guaranteed_epsilon, 0.0, "bounded", self._collect_conditions()), source
        )
        record = ModelCall(
            name,
            get_constructor_arguments(self, self._argument_names, l2),
            fit_arguments,
            () if weights is None else ("weights",),
        )
        mechanism = f"{self.perturbation_method} perturbation"
        # the features are drawn before the noise
        with charge_once(None, guarantee, record, mechanism) if get_open_budgets() else nullcontext():
            if shape is not None and prediction is not None:
                drawn = draw_features(source, shape[0], records.X.shape[1], shape[1])
                self.prefilter = drawn.prefilter
                records = replace(records, X=drawn.compute_unit_features(records.X))
                prediction = replace(prediction, features=drawn)
            published = ModelFields(
                model=name,
                names=records.names,
                prediction=prediction,
                noise=plan.noise if self.perturbation_method == "output" else None,
                claim=Guarantee(checks.check_scalar(self.eps, "eps")),
                gamma=checks.check_scalar(self.gamma, "gamma"),
                bounds=records.bounds,
                nobs=records.y.size,
                record=record,
                facts=self._describe_settings() if weights is None else (*self._describe_settings(), weighed),
            )
            result = release_model(
                partial(self._minimize_objective, records, plan.extra),
                plan.noise.draw if plan.has_noise else None,
                source,
                size=len(records.names),
                perturbation=self.perturbation_method,
                unscale=records.unscale_coefficients,
                guarantee=guarantee,
                fields=published,
            )
        self.coeff, self.results = result.coeff.copy(), result
        return result

    def _get_feature_shape(self) -> tuple[int, float] | None:
        """Return the number of a Gaussian kernel's features and the standard deviation of their frequencies."""
        return None

    def _make_plan(self, records: FitRecords) -> CMSPlan:
        """Calibrate the noise as R does, determine its guarantee, and warn if that is weaker than claimed."""
        size, name = len(records.names), type(self).__name__
        eps, gamma = checks.check_scalar(self.eps, "eps"), checks.check_scalar(self.gamma, "gamma")
        _warnings.warn_large_eps(eps)
        strength = gamma if self._fixed_strength is None else self._fixed_strength
        if strength < 0.0 and self.regularizer is not maps.regularizer_l2:
            # a 1-strongly convex regularizer is unbounded above, so a negative multiple is unbounded below
            strength = -math.inf
        plan = make_noise_plan(eps, gamma, self.c, self.perturbation_method, strength, records)
        actual, saturated = plan.guaranteed_epsilon if self._has_valid_noise(size) else math.inf, 0.0
        if self._can_saturate() and self.perturbation_method != "output" and plan.has_noise:
            # the noise alone may drive a prediction to 1, for which R's loss is NaN
            saturated = compute_saturation_probability(plan.noise.rate, strength + records.y.size * plan.extra, size)
        if math.isinf(eps):
            _warnings.warn_no_guarantee(name, "eps", eps)
        elif actual > eps * (1.0 + ROUNDING_TOLERANCE) and (math.isinf(actual) or saturated <= NEGLIGIBLE_DELTA):
            self._warn_weaker_guarantee(name, eps, actual, gamma, plan.norm)
        if saturated > NEGLIGIBLE_DELTA:
            _warnings.warn_saturation(name, eps, saturated)
            actual = math.inf
        return plan._replace(guaranteed_epsilon=actual if actual > eps * (1.0 + ROUNDING_TOLERANCE) else eps)

    def _has_valid_noise(self, size: int) -> bool:
        """Return whether the noise protects the fit, which a wrong gradient would undo."""
        return self._fixed_strength is not None or not self._has_wrong_gradient(size)

    def _warn_weaker_guarantee(
        self, name: str, eps: float, guaranteed_epsilon: float, gamma: float, norm: float
    ) -> None:
        """Warn that the guarantee of a fit is weaker than claimed; `norm` is the largest norm of a record."""
        if norm > 1.0:
            _warnings.warn_long_records(name, norm, eps, guaranteed_epsilon)
        if self.mapXy_gr is maps.mapXy_gr_sigmoid and math.isinf(guaranteed_epsilon):
            _warnings.warn_wrong_gradient(name)
        elif not gamma > 0.0:
            _warnings.warn_no_guarantee(name, "gamma", gamma)
        elif norm <= 1.0:
            _warnings.warn_no_guarantee(name, "c", float(self.c or 0.0))

    def _can_saturate(self) -> bool:
        return self.loss is losses.loss_cross_entropy and self.mapXy is maps.mapXy_sigmoid

    def _collect_conditions(self) -> tuple[str, ...]:
        saturating = (SATURATION_CONDITION,) if self._can_saturate() else ()
        penalty = () if self.regularizer is maps.regularizer_l2 else (REGULARIZER_CONDITION,)
        return (
            *PUBLIC_SIZE_CONDITIONS,
            MINIMUM_CONDITION,
            LABELS_CONDITION if self._class_labels else LOSS_CONDITION,
            *saturating,
            *penalty,
        )

    def _minimize_objective(self, records: FitRecords, extra: float, noise: Floats) -> Floats:
        weights = (records.weights,) if self._has_weights else ()
        mapXy, loss = maps.UNCHECKED_MAPS.get(id(self.mapXy)), self.loss
        if mapXy is not None and not weights:
            # known maps need no check of their predictions
            loss = losses.UNCHECKED_LOSSES.get(id(loss), loss)
        penalties, strength = maps.UNCHECKED_REGULARIZERS, self._fixed_strength
        objective = Objective(
            n=records.y.size,
            predict=partial(mapXy or self.mapXy, records.X),
            losses=lambda y_hat: loss(y_hat, records.y, *weights),
            loss_gradient=self._make_loss_gradient(records, weights),
            penalty=penalties.get(id(self.regularizer), self.regularizer),
            penalty_gradient=penalties.get(id(self.regularizer_gr), self.regularizer_gr),
            gamma=checks.check_scalar(self.gamma, "gamma") if strength is None else strength,
            extra=extra,
            b=noise,
        )
        return minimize_variable_metric(np.zeros(noise.size), objective.compute_value, objective.gradient).par

    def _make_loss_gradient(
        self, records: FitRecords, loss_arguments: tuple[Floats | None, ...] = (), strict: bool = False
    ) -> GradientFunction | None:
        if self._fixed_strength is None or None in (self.mapXy_gr, self.loss_gr):
            return super()._make_loss_gradient(records, loss_arguments, strict)
        return make_summed_gradient(records.X, None, lambda y_hat: np.subtract(y_hat, records.y))

    def _describe_settings(self) -> tuple[tuple[str, str], ...]:
        """Return the settings for the summary."""
        if self._fixed_strength is not None:
            return () if self.gamma == self._fixed_strength else (("Gamma of the fit:", f"{self._fixed_strength:g}"),)
        return () if self.c is None else (("Loss curvature c:", f"{float(self.c):.6g}"),)

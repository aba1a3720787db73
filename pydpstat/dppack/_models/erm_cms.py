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
from pydpstat._release.model import Published, constructor_arguments, held, release_model
from pydpstat._release.payment import in_force, paid
from pydpstat.dppack import _warnings
from pydpstat.dppack._models import losses, maps
from pydpstat.dppack._models.fitted_model import FittedModel, Function, Prediction
from pydpstat.dppack._models.kernels import features
from pydpstat.dppack._models.minimizers import Objective, Slope, summed_slope, variable_metric
from pydpstat.dppack._models.noise import ROUNDING, Plan, make_plan, saturation_probability
from pydpstat.dppack._models.records import (
    Records,
    binary_labels,
    clip_records,
    feature_records,
    read_records,
    read_weights,
    scale_records,
)
from pydpstat.dppack._moments import FIXED
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import source_from
from pydpstat.results._call import ModelCall
from pydpstat.results.model_results import ModelResults

METHODS = ("output", "objective")
# a delta below it is one that people accept
WORTH_A_WARNING = 1e-6
# of the maps whose predictions results may give: an own function might refer to data
_LINKS = {id(maps.mapXy_linear): Prediction("linear"), id(maps.mapXy_sigmoid): Prediction("sigmoid")}

# what a guarantee rests on, besides FIXED
MINIMUM = (
    "the minimum is assumed to be exact; R's optimizer stops at a relative change of 1.5e-8 or "
    "after 100 gradients"
)
LOSS = (
    "the loss is convex in the linear predictor, with first derivative at most 1 and second "
    "derivative at most c"
)
BINARY = "whether every label is 0 or 1 is treated as public"
SATURATING = (
    "no record has a linear predictor above 36.74, where R's cross-entropy is NaN and its optimizer "
    "turns back"
)
PENALTY = "the regularizer is differentiable and 1-strongly convex"


class EmpiricalRiskMinimizationDP_CMS(FittedModel):
    """Private empirical risk minimization for binary classification.

    It is the base of `LogisticRegressionDP` and `svmDP`, which are safer: this class scales nothing.
    ``EmpiricalRiskMinimizationDP.CMS$new(...)`` of R is ``EmpiricalRiskMinimizationDP_CMS(...)``;
    methods and public fields have R's names with underscores for dots.

    Parameters
    ----------
    mapXy : callable
        ``mapXy(X, coeff)``: predictions, shape (n,), of records (n, d) and coefficients (d,).
    loss : callable
        ``loss(y_hat, y)``: one loss a record, shape (n,).
    regularizer : {"l2"} or callable
        ``regularizer(coeff)``: the penalty, a float. ``"l2"`` is half the squared length.
    eps : float
        Privacy parameter epsilon, above 0. Infinity adds no noise and keeps nothing.
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
        ``regularizer_gr(coeff)``: gradient, shape (d,). Where one of the three gradients is not
        given, the minimizer takes central differences.

    Attributes
    ----------
    coeff : ndarray of shape (d,) or None
        The released coefficients, after `fit`.
    results : ModelResults or None
        What the last `fit` returned.
    mapXy, mapXy_gr, loss, loss_gr, regularizer, regularizer_gr : callable or None
        As given; the functions of ``"l2"`` where that was given.
    eps, gamma, perturbation_method, c
        As given; `fit` reads them.
    kernel, D, sampling, phi, kernel_param, prefilter
        Used by `svmDP` only.

    Raises
    ------
    PydpstatError
        Where `regularizer` or `perturbation_method` is something else, or `c` is needed.

    See Also
    --------
    LogisticRegressionDP, svmDP : models of this kind.
    WeightedERMDP_CMS : with weights.
    logit : pydpstat's own, with intervals.

    Notes
    -----
    Guarantee: epsilon for one replaced record, the number of records public, if every record has
    length at most 1 and the loss is convex by the linear predictor with derivatives of at most 1
    and c. R does not look at the length; where the bounds allow more, `fit` warns with the
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

    # what labels 0 and 1 stand for; None where responses are any numbers
    _labels: tuple[float, float] | None = None
    # whether records are divided to length at most 1
    _scaled = False
    # whether the losses take weights
    _weighted = False
    # what R's own logistic objective multiplies the regularizer by; None for gamma and the functions given
    _strength: float | None = None
    # how coefficients become predictions; None where the map decides
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
        self.perturbation_method = checks.one_of(perturbation_method, "perturbation_method", METHODS)
        if perturbation_method == "objective" and c is None:
            raise PydpstatError("c must be given for 'objective' perturbation_method; got None.")
        self.c = c
        self.kernel: str | None = None
        self.D: int | None = None
        self.sampling: Function | None = None
        self.phi: Function | None = None
        self.kernel_param: float | None = None
        self.prefilter: Floats | None = None

    # the fields that have the constructor's arguments, in their order
    _arguments: tuple[str, ...] = tuple(inspect.signature(__init__).parameters)[1:]

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
            What may be published. R returns the object itself.

        Raises
        ------
        PydpstatError
            Where R stops or would return NaN.

        Warns
        -----
        PrivacyWarning
            Where the fit keeps less than `eps`.

        Examples
        --------
        >>> from pydpstat import RRandom, dppack
        >>> model = dppack.LogisticRegressionDP("l2", 2.0, 1.0)
        >>> model.fit([[0.2], [0.4], [0.9]], [0, 0, 1], [1], [0], rng=RRandom(123)).nobs
        3
        """
        return self._fit(X, y, upper_bounds, lower_bounds, add_bias, rng)

    def _fit(
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
        bias = checks.flag(add_bias, "add_bias")
        checks.one_of(self.perturbation_method, "perturbation_method", METHODS)
        records, shape = read_records(X, y, bias), self._feature_shape()
        if shape is not None:
            # the features' part comes with the source, after everything is checked
            records = feature_records(records, shape[0])
        else:
            records = clip_records(records, upper_bounds, lower_bounds, bias)
        if self._labels is not None:
            records = replace(records, y=binary_labels(records.y, self._labels))
        if self._scaled and shape is None:
            records = scale_records(records)
        fit_arguments: tuple[tuple[str, object], ...] = (
            ("upper_bounds", upper_bounds),
            ("lower_bounds", lower_bounds),
            ("add_bias", bias),
        )
        if weights is not None:
            records = read_weights(records, weights, weights_upper_bound)
            fit_arguments = (*fit_arguments, ("weights_upper_bound", weights_upper_bound))
        plan = self._plan(records)
        prediction = self._prediction or _LINKS.get(id(self.mapXy))
        weighed = ("Weights up to:", f"{records.weight:.6g}")
        l2 = self.regularizer is maps.regularizer_l2
        guarantee = held(Guarantee(plan.kept, 0.0, "bounded", self._conditions()), source)
        record = ModelCall(
            name,
            constructor_arguments(self, self._arguments, l2),
            fit_arguments,
            () if weights is None else ("weights",),
        )
        mechanism = f"{self.perturbation_method} perturbation"
        # the features are drawn before the noise
        with paid(None, guarantee, record, mechanism) if in_force() else nullcontext():
            if shape is not None and prediction is not None:
                drawn = features(source, shape[0], records.X.shape[1], shape[1])
                self.prefilter = drawn.prefilter
                records = replace(records, X=drawn.unit(records.X))
                prediction = replace(prediction, features=drawn)
            published = Published(
                model=name,
                names=records.names,
                prediction=prediction,
                noise=plan.noise if self.perturbation_method == "output" else None,
                claim=Guarantee(checks.scalar(self.eps, "eps")),
                gamma=checks.scalar(self.gamma, "gamma"),
                bounds=records.bounds,
                nobs=records.y.size,
                record=record,
                facts=self._facts() if weights is None else (*self._facts(), weighed),
            )
            result = release_model(
                partial(self._minimize, records, plan.extra),
                plan.noise.draw if plan.noisy else None,
                source,
                size=len(records.names),
                perturbation=self.perturbation_method,
                finish=records.unscaled,
                guarantee=guarantee,
                published=published,
            )
        self.coeff, self.results = result.coeff.copy(), result
        return result

    def _feature_shape(self) -> tuple[int, float] | None:
        """Return the number of a Gaussian kernel's features and their frequencies' standard deviation."""
        return None

    def _plan(self, records: Records) -> Plan:
        """Work out the noise as R does, and say what it keeps; it warns."""
        size, name = len(records.names), type(self).__name__
        eps, gamma = checks.scalar(self.eps, "eps"), checks.scalar(self.gamma, "gamma")
        strength = gamma if self._strength is None else self._strength
        if strength < 0.0 and self.regularizer is not maps.regularizer_l2:
            # a 1-strongly convex regularizer has no upper bound, so its negative multiple has no lower one
            strength = -math.inf
        plan = make_plan(eps, gamma, self.c, self.perturbation_method, strength, records)
        kept, saturated = plan.kept if self._proven(size) else math.inf, 0.0
        if self._saturates() and self.perturbation_method != "output" and plan.noisy:
            # the noise alone may drive a prediction to 1, where R's loss is NaN
            saturated = saturation_probability(plan.noise.rate, strength + records.y.size * plan.extra, size)
        if math.isinf(eps):
            _warnings.no_promise(name, "eps", eps)
        elif kept > eps * (1.0 + ROUNDING) and (math.isinf(kept) or saturated <= WORTH_A_WARNING):
            self._explain(name, eps, kept, gamma, plan.norm)
        if saturated > WORTH_A_WARNING:
            _warnings.saturation(name, eps, saturated)
            kept = math.inf
        return plan._replace(kept=kept if kept > eps * (1.0 + ROUNDING) else eps)

    def _proven(self, size: int) -> bool:
        """Tell whether the noise counts, which a wrong gradient undoes."""
        return self._strength is not None or not self._wrong_gradient(size)

    def _explain(self, name: str, eps: float, kept: float, gamma: float, norm: float) -> None:
        """Warn that a fit keeps less than is claimed; `norm` is the largest length of a record."""
        if norm > 1.0:
            _warnings.long_records(name, norm, eps, kept)
        if self.mapXy_gr is maps.mapXy_gr_sigmoid and math.isinf(kept):
            _warnings.wrong_gradient(name)
        elif not gamma > 0.0:
            _warnings.no_promise(name, "gamma", gamma)
        elif norm <= 1.0:
            _warnings.no_promise(name, "c", float(self.c or 0.0))

    def _saturates(self) -> bool:
        return self.loss is losses.loss_cross_entropy and self.mapXy is maps.mapXy_sigmoid

    def _conditions(self) -> tuple[str, ...]:
        saturating = (SATURATING,) if self._saturates() else ()
        penalty = () if self.regularizer is maps.regularizer_l2 else (PENALTY,)
        return (*FIXED, MINIMUM, BINARY if self._labels else LOSS, *saturating, *penalty)

    def _minimize(self, records: Records, extra: float, noise: Floats) -> Floats:
        more = (records.weights,) if self._weighted else ()
        mapXy, loss = maps.PLAIN.get(id(self.mapXy)), self.loss
        if mapXy is not None and not more:
            # predictions that need no further check
            loss = losses.PLAIN.get(id(loss), loss)
        penalties, strength = maps.PLAIN_PENALTIES, self._strength
        objective = Objective(
            n=records.y.size,
            predict=partial(mapXy or self.mapXy, records.X),
            losses=lambda y_hat: loss(y_hat, records.y, *more),
            loss_slope=self._loss_slope(records, more),
            penalty=penalties.get(id(self.regularizer), self.regularizer),
            penalty_slope=penalties.get(id(self.regularizer_gr), self.regularizer_gr),
            gamma=checks.scalar(self.gamma, "gamma") if strength is None else strength,
            extra=extra,
            b=noise,
        )
        return variable_metric(np.zeros(noise.size), objective.value, objective.gradient).par

    def _loss_slope(
        self, records: Records, more: tuple[Floats | None, ...] = (), strict: bool = False
    ) -> Slope | None:
        if self._strength is None or None in (self.mapXy_gr, self.loss_gr):
            return super()._loss_slope(records, more, strict)
        return summed_slope(records.X, None, lambda y_hat: np.subtract(y_hat, records.y))

    def _facts(self) -> tuple[tuple[str, str], ...]:
        """Return the settings for the summary."""
        if self._strength is not None:
            return () if self.gamma == self._strength else (("Gamma of the fit:", f"{self._strength:g}"),)
        return () if self.c is None else (("Loss curvature c:", f"{float(self.c):.6g}"),)

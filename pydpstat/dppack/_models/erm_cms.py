"""DPpack's empirical risk minimization by the method of Chaudhuri, Monteleoni and Sarwate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._release.model import release_model
from pydpstat.dppack._models import warnings
from pydpstat.dppack._models.fitted_model import FittedModel
from pydpstat.dppack._models.helpers import (
    loss_cross_entropy,
    mapXy_gr_linear,
    mapXy_gr_sigmoid,
    mapXy_sigmoid,
)
from pydpstat.dppack._models.linear_algebra import Floats, RowProducts
from pydpstat.dppack._models.objective import Objective
from pydpstat.dppack._models.perturbation import saturation_probability
from pydpstat.dppack._models.plan import ROUNDING, Plan, make_plan
from pydpstat.dppack._models.prediction import Prediction
from pydpstat.dppack._models.records import Records, clip_records, read_records
from pydpstat.dppack._models.spherical import SphericalNoise
from pydpstat.dppack._models.variable_metric import variable_metric
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.random import source_from
from pydpstat.random._vectors import spherical
from pydpstat.results._call import ModelCall
from pydpstat.results.model_results import ModelResults

METHODS = ("output", "objective")
FIXED = (
    "the number of records is public",
    "no value is missing, and everybody knows it",
    "the minimiser is taken as exact; R's stops at a relative change of 1.5e-8 or after 100 gradients",
)
SATURATING = (
    "no linear predictor of a record passes 36.74, where R's cross-entropy is NaN and its optimiser "
    "turns back"
)
# a delta below it is one that people accept
WORTH_A_WARNING = 1e-6
LOSS = "the loss is convex by the linear predictor, its first derivative at most 1, its second at most c"


class EmpiricalRiskMinimizationDP_CMS(FittedModel):
    """Binary classification by private empirical risk minimization, as ``DPpack``'s class of this name.

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
        given, the minimiser takes central differences.

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

    _weighted = False
    _penalty = "the regularizer is differentiable and 1-strongly convex"

    def __init__(
        self,
        mapXy: Callable[..., Any],
        loss: Callable[..., Any],
        regularizer: str | Callable[..., Any],
        eps: float,
        gamma: float,
        perturbation_method: str = "objective",
        c: float | None = None,
        mapXy_gr: Callable[..., Any] | None = None,
        loss_gr: Callable[..., Any] | None = None,
        regularizer_gr: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(mapXy, mapXy_gr, loss, loss_gr, regularizer, regularizer_gr)
        self.eps, self.gamma = eps, gamma
        self.perturbation_method = checks.one_of(perturbation_method, "perturbation_method", METHODS)
        if perturbation_method == "objective" and c is None:
            raise PydpstatError("c must be given for 'objective' perturbation_method; got None.")
        self.c = c
        self.kernel: str | None = None
        self.D: int | None = None
        self.sampling: Callable[..., Any] | None = None
        self.phi: Callable[..., Any] | None = None
        self.kernel_param: float | None = None
        self.prefilter: Floats | None = None

    def fit(
        self, X: Any, y: Any, upper_bounds: Any, lower_bounds: Any, add_bias: bool = False, *, rng: Any = None
    ) -> ModelResults:
        """Fit the model and set `coeff`.

        Parameters
        ----------
        X : DataFrame or array_like of shape (n, p)
            Predictors; values outside their bounds are moved onto them.
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
        X: Any,
        y: Any,
        upper_bounds: Any,
        lower_bounds: Any,
        add_bias: Any,
        rng: Any,
        weights: Any = None,
        weights_upper_bound: Any = None,
    ) -> ModelResults:
        source = source_from(rng, int_seeds_r=True)
        bias = checks.flag(add_bias, "add_bias")
        checks.one_of(self.perturbation_method, "perturbation_method", METHODS)
        records = self._records(X, y, upper_bounds, lower_bounds, bias)
        records = self._with_weights(records, weights, weights_upper_bound)
        plan = self._plan(records)
        if records.expand is not None:
            records = records.expand(records, source)
        size = len(records.names)
        output = self.perturbation_method == "output"
        fit_arguments = [
            ("upper_bounds", upper_bounds),
            ("lower_bounds", lower_bounds),
            ("add_bias", bias),
        ]
        if weights is not None:
            fit_arguments.append(("weights_upper_bound", weights_upper_bound))
        result = release_model(
            partial(self._minimise, records, plan.extra),
            partial(spherical, size=size, rate=plan.rate) if plan.noisy else None,
            source,
            size=size,
            perturbation=self.perturbation_method,
            finish=lambda coeff: coeff / records.divisors,
            guarantee=Guarantee(plan.kept, 0.0, "bounded", self._conditions()),
            model=type(self).__name__,
            names=records.names,
            prediction=self._prediction(),
            noise=SphericalNoise(plan.rate, tuple(records.divisors.tolist())) if output else None,
            claim=plan.claim,
            gamma=checks.scalar(self.gamma, "gamma"),
            bounds=records.bounds,
            nobs=records.y.size,
            record=ModelCall(
                type(self).__name__,
                self._arguments(),
                tuple(fit_arguments),
                () if weights is None else ("weights",),
            ),
            facts=self._facts(records),
        )
        return self._keep(result)

    def _records(self, X: Any, y: Any, upper_bounds: Any, lower_bounds: Any, add_bias: bool) -> Records:
        return clip_records(read_records(X, y, add_bias), upper_bounds, lower_bounds, add_bias)

    def _with_weights(self, records: Records, weights: Any, upper_bound: Any) -> Records:
        return records

    def _plan(self, records: Records) -> Plan:
        """Work out the noise as R does, and say what it keeps."""
        plan = make_plan(
            checks.scalar(self.eps, "eps"),
            checks.scalar(self.gamma, "gamma"),
            self.c,
            self.perturbation_method,
            self._convexity(),
            records,
        )
        kept, eps = self._kept(plan.kept, len(records.names)), plan.claim.epsilon
        saturated = self._saturation(plan, records)
        if math.isinf(eps):
            warnings.no_noise(type(self).__name__, "eps", eps)
        elif kept > eps * (1.0 + ROUNDING) and (math.isinf(kept) or saturated <= WORTH_A_WARNING):
            self._warn(eps, kept, plan.norm)
        if saturated > WORTH_A_WARNING:
            warnings.saturation(type(self).__name__, eps, saturated)
            kept = math.inf
        return replace(plan, kept=max(kept, eps) if kept > eps * (1.0 + ROUNDING) else eps)

    def _strength(self) -> float:
        """What the regularizer is multiplied by."""
        return checks.scalar(self.gamma, "gamma")

    def _convexity(self) -> float:
        """What the minimised objective times n is strongly convex by, without records and noise."""
        # a 1-strongly convex regularizer has no upper bound, so a negative multiple of it has no lower one
        strength = self._strength()
        return strength if strength >= 0.0 or self._l2 else -math.inf

    def _saturates(self) -> bool:
        return self.loss is loss_cross_entropy and self.mapXy is mapXy_sigmoid

    def _saturation(self, plan: Plan, records: Records) -> float:
        """Return how probable the noise alone drives a prediction to 1, where R's loss is NaN."""
        if not self._saturates() or self.perturbation_method == "output" or not plan.noisy:
            return 0.0
        strength = self._convexity() + records.y.size * plan.extra
        return saturation_probability(plan.rate, strength, len(records.names))

    def _kept(self, kept: float, size: int) -> float:
        return math.inf if self._wrong_gradient(size) else kept

    def _warn(self, eps: float, kept: float, norm: float) -> None:
        """Warn that the fit keeps `kept`, which is more than `eps`."""
        name = type(self).__name__
        if norm > 1.0:
            warnings.long_records(name, norm, eps, kept)
        if self.mapXy_gr is mapXy_gr_sigmoid and math.isinf(kept):
            warnings.wrong_gradient(name)
        elif not self.gamma > 0:
            warnings.no_noise(name, "gamma", checks.scalar(self.gamma, "gamma"))
        elif norm <= 1.0:
            warnings.no_noise(name, "c", float(self.c or 0.0))

    def _minimise(self, records: Records, extra: float, noise: Floats) -> Floats:
        objective = Objective(
            n=records.y.size,
            predict=partial(self.mapXy, records.X),
            losses=partial(self._losses, records),
            loss_slope=self._loss_slope(records),
            penalty=self.regularizer,
            penalty_slope=self.regularizer_gr,
            gamma=self._strength(),
            extra=extra,
            b=noise,
        )
        return variable_metric(np.zeros(noise.size), objective.value, objective.gradient).par

    def _losses(self, records: Records, y_hat: Any) -> Any:
        return self.loss(y_hat, records.y, records.weights) if self._weighted else self.loss(y_hat, records.y)

    def _loss_slope(self, records: Records) -> Callable[[Floats, Floats], Floats] | None:
        mapXy_gr, loss_gr = self.mapXy_gr, self.loss_gr
        if mapXy_gr is None or loss_gr is None:
            return None
        more = (records.weights,) if self._weighted else ()
        by_record = lambda y_hat: _vector(loss_gr(y_hat, records.y, *more))  # noqa: E731
        if mapXy_gr is mapXy_gr_linear:
            products = RowProducts(records.X)
            return lambda coeff, y_hat: products(by_record(y_hat))
        derivatives = partial(mapXy_gr, records.X)
        return lambda coeff, y_hat: RowProducts(np.transpose(derivatives(coeff)))(by_record(y_hat))

    def _prediction(self) -> Prediction | None:
        return Prediction("sigmoid") if self.mapXy is mapXy_sigmoid else super()._prediction()

    def _conditions(self) -> tuple[str, ...]:
        return (*FIXED, LOSS, *self._further_conditions())

    def _further_conditions(self) -> tuple[str, ...]:
        return (*((SATURATING,) if self._saturates() else ()), *self._penalty_condition())

    def _arguments(self) -> tuple[tuple[str, Any], ...]:
        return (
            ("mapXy", self.mapXy),
            ("loss", self.loss),
            ("regularizer", self._regularizer()),
            ("eps", self.eps),
            ("gamma", self.gamma),
            ("perturbation_method", self.perturbation_method),
            ("c", self.c),
            ("mapXy_gr", self.mapXy_gr),
            ("loss_gr", self.loss_gr),
            ("regularizer_gr", None if self._l2 else self.regularizer_gr),
        )

    def _facts(self, records: Records) -> tuple[tuple[str, str], ...]:
        return () if self.c is None else (("Loss curvature c:", f"{float(self.c):.6g}"),)


def _vector(values: Any) -> Floats:
    return np.asarray(values, dtype=np.float64).ravel()

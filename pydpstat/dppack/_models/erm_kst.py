"""DPpack's empirical risk minimization by the method of Kifer, Smith and Thakurta, for linear regression."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._release.models import ModelFields, add_source_condition, get_constructor_arguments, release_model
from pydpstat.dppack import _warnings
from pydpstat.dppack._models.fitted_model import FittedModel, Function, Prediction
from pydpstat.dppack._models.maps import mapXy_linear, regularizer_l2
from pydpstat.dppack._models.minimizers import Objective, minimize_constrained, require_nlopt
from pydpstat.dppack._models.noise import (
    ADDED_RECORD_CONDITION,
    GRADIENT_DISTANCE,
    ROUNDING_TOLERANCE,
    compute_added_epsilon,
    compute_replaced_epsilon,
    find_smallest_delta,
    make_objective_sampler,
)
from pydpstat.dppack._models.records import FitRecords, clip_records, read_records, scale_regression
from pydpstat.dppack._moments import PUBLIC_SIZE_CONDITIONS
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import Source, source_from
from pydpstat.results._call import ModelCall
from pydpstat.results.model_results import ModelResults

# conditions of a guarantee besides PUBLIC_SIZE_CONDITIONS
MINIMUM_CONDITION = (
    "the minimum is assumed to be exact; R's optimizer stops at a relative step of 1e-4 or after 100 evaluations"
)
LOSS_CONDITION = (
    "the loss is convex in the linear predictor; inside the domain zeta bounds the length of a "
    "record's gradient and lambda its second derivative"
)
REGULARIZER_CONDITION = "the regularizer is differentiable and convex"


class KSTPlan(NamedTuple):
    """Added regularization, sampler of the noise, claim and guarantee."""

    extra: float
    draw: Callable[[Source], Floats]
    claim: Guarantee
    guarantee: Guarantee


class EmpiricalRiskMinimizationDP_KST(FittedModel):
    """Private empirical risk minimization for regression.

    It is the base of `LinearRegressionDP`, which is safer: this class does not scale records and takes
    `zeta` and `lambda_` as given. ``EmpiricalRiskMinimizationDP.KST$new(...)`` of R is
    ``EmpiricalRiskMinimizationDP_KST(...)``; methods and public fields have R's names with
    underscores for dots, and ``lambda``, a keyword of Python, is ``lambda_``.

    Parameters
    ----------
    mapXy : callable
        ``mapXy(X, coeff)``: predictions, shape (n,), of records (n, d) and coefficients (d,).
    loss : callable
        ``loss(y_hat, y)``: one loss per record, shape (n,).
    regularizer : {"l2"} or callable
        ``regularizer(coeff)``: the penalty, a float. ``"l2"`` is half the squared length.
    eps : float
        Privacy parameter epsilon, above 0. Infinity (or None) adds no noise and guarantees nothing.
    delta : float
        Privacy parameter delta; 0 for pure differential privacy.
    domain : mapping
        ``{"constraints": function, "jacobian": function}`` of the coefficients: the objective is
        minimized where every constraint is at most 0. The jacobian is used with gradients only.
    zeta : float
        Bound on the length of the gradient of one record's loss, inside the domain.
    lambda_ : float
        Bound on the second derivative of one record's loss, inside the domain.
    gamma : float
        Regularization constant: the objective has gamma / n times the regularizer.
    mapXy_gr : callable, optional
        ``mapXy_gr(X, coeff)``: derivatives of the predictions, shape (d, n).
    loss_gr : callable, optional
        ``loss_gr(y_hat, y)``: derivatives of the losses, shape (n,).
    regularizer_gr : callable, optional
        ``regularizer_gr(coeff)``: gradient, shape (d,). Where one of the three gradients is not
        given, NLopt's COBYLA minimizes, else its MMA.

    Attributes
    ----------
    coeff : ndarray of shape (d,) or None
        The released coefficients, after `fit`.
    results : ModelResults or None
        Result of the last `fit`.
    mapXy, mapXy_gr, loss, loss_gr, regularizer, regularizer_gr : callable or None
        As given; the functions of ``"l2"`` where that was given.
    eps, delta, domain, zeta, gamma, ``lambda_``
        As given; `fit` reads them.

    Raises
    ------
    PydpstatError
        If `regularizer` is something else.

    See Also
    --------
    LinearRegressionDP : the model of this kind.
    ols : pydpstat's model, with intervals.

    Notes
    -----
    Guarantee: (epsilon, delta) for one record added or removed, if `zeta` and `lambda_` are right
    and the minimum is found exactly. One replaced record may lose up to
    ``log(1 + lambda_ / (gamma + 2 lambda_ / eps))`` more; `fit` warns with the figure. It needs the
    package nlopt.

    References
    ----------
    Kifer, D., Smith, A. and Thakurta, A. (2012). Private convex empirical risk minimization and
    high-dimensional regression. Proceedings of the 25th Annual Conference on Learning Theory.

    Examples
    --------
    >>> import warnings
    >>> from pydpstat import PrivacyWarning
    >>> warnings.simplefilter("ignore", PrivacyWarning)
    >>> from pydpstat import RRandom, dppack
    >>> model = dppack.EmpiricalRiskMinimizationDP_KST(
    ...     dppack.mapXy_linear, dppack.loss_squared_error, "l2", 1.0, 0.0,
    ...     {"constraints": lambda w: w @ w - 1.0, "jacobian": lambda w: 2.0 * w},
    ...     zeta=2.0, lambda_=1.0, gamma=1.0,
    ...     mapXy_gr=dppack.mapXy_gr_linear, loss_gr=dppack.loss_gr_squared_error,
    ... )
    >>> x = [[0.2], [0.4], [0.9]]
    >>> r = model.fit(x, [0.1, 0.5, 1.0], [1, 1], [0, -1], rng=RRandom(123))
    >>> model.coeff.round(3)
    array([0.098])
    """

    # whether columns and response are divided by their bounds, which determine zeta and lambda
    _has_scaled_records = False
    # largest distance of two records' gradients, in units of zeta, with one coefficient and with more
    _gradient_distances = (GRADIENT_DISTANCE, GRADIENT_DISTANCE)
    # conditions of the guarantee besides those of the regularizer
    _conditions: tuple[str, ...] = (*PUBLIC_SIZE_CONDITIONS, MINIMUM_CONDITION, LOSS_CONDITION)

    def __init__(
        self,
        mapXy: Function,
        loss: Function,
        regularizer: str | Function,
        eps: float | None,
        delta: float,
        domain: Mapping[str, Function],
        zeta: float | None,
        lambda_: float | None,
        gamma: float,
        mapXy_gr: Function | None = None,
        loss_gr: Function | None = None,
        regularizer_gr: Function | None = None,
    ) -> None:
        super().__init__(mapXy, mapXy_gr, loss, loss_gr, regularizer, regularizer_gr)
        self.eps, self.delta, self.gamma = eps, delta, gamma
        self.domain = domain
        self.zeta, self.lambda_ = zeta, lambda_

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
            Responses; values outside their bounds are clipped to them.
        upper_bounds, lower_bounds : array_like of shape (p + 1,)
            Public bounds of the columns and, last, of y, chosen without looking at them.
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
        MissingExtraError
            If the package nlopt is not installed; the message has the command.
        PydpstatError
            If R stops or would return NaN.

        Warns
        -----
        PrivacyWarning
            That the minimum is not exact, and where the guarantee of the fit is weaker than `eps`.

        Examples
        --------
        >>> import warnings
        >>> from pydpstat import PrivacyWarning
        >>> warnings.simplefilter("ignore", PrivacyWarning)
        >>> from pydpstat import LinearRegressionDP, RRandom
        >>> model = LinearRegressionDP("l2", 1.0, 0.0, 1.0)
        >>> r = model.fit([[0.2], [0.9]], [0.1, 0.8], [1, 1], [0, 0], rng=RRandom(123))
        >>> r.nobs
        2
        """
        name = type(self).__name__
        require_nlopt(name)
        source = source_from(rng, int_seeds_r=True)
        bias = checks.check_boolean(add_bias, "add_bias")
        if bias and "bias" in getattr(X, "columns", ()):
            raise PydpstatError("X must have no column named 'bias' if add_bias is True; rename it.")
        records = clip_records(read_records(X, y, bias), upper_bounds, lower_bounds, bias, clip_response=True)
        size = len(records.names)
        if self._has_scaled_records:
            self.zeta, self.lambda_ = 2.0 * size**1.5, float(size)
            records = scale_regression(records)
        if not isinstance(self.domain, Mapping) or not callable(self.domain.get("constraints")):
            raise PydpstatError(
                "domain must be a mapping with a function 'constraints'; got "
                f"{type(self.domain).__name__}. Add 'jacobian' if gradients are given."
            )
        plan = self._make_plan(size)
        published = ModelFields(
            model=name,
            names=records.names,
            # a user's function might refer to data, so a result does not store it
            prediction=Prediction("linear") if self.mapXy is mapXy_linear else None,
            noise=None,
            claim=plan.claim,
            gamma=checks.check_scalar(self.gamma, "gamma"),
            bounds=records.bounds,
            nobs=records.y.size,
            record=ModelCall(
                name,
                get_constructor_arguments(self, self._argument_names, self.regularizer is regularizer_l2),
                (("upper_bounds", upper_bounds), ("lower_bounds", lower_bounds), ("add_bias", bias)),
            ),
            facts=(("Added regularization:", f"{plan.extra:.6g}"),),
        )
        result = release_model(
            partial(self._minimize_objective, records, plan.extra),
            plan.draw,
            source,
            size=size,
            perturbation="objective",
            unscale=records.unscale_coefficients,
            guarantee=add_source_condition(plan.guarantee, source),
            fields=published,
        )
        self.coeff, self.results = result.coeff.copy(), result
        return result

    def _make_plan(self, size: int) -> KSTPlan:
        """Calibrate the noise as R does, determine the guarantee, and warn if it is weaker than claimed.

        An error is raised if R stops, or if the parameters have no meaning.
        """
        name = type(self).__name__
        # R takes NULL for infinity here
        eps = math.inf if self.eps is None else checks.check_scalar(self.eps, "eps")
        delta = checks.check_scalar(self.delta, "delta")
        zeta, lam = checks.check_scalar(self.zeta, "zeta"), checks.check_scalar(self.lambda_, "lambda_")
        gamma = checks.check_scalar(self.gamma, "gamma")
        if not eps > 0.0 or not delta >= 0.0 or not math.isfinite(gamma):
            raise PydpstatError(
                f"eps must be above 0, delta at least 0 and gamma finite; got {eps!r}, {delta!r} and "
                f"{gamma!r}, with which nothing is guaranteed. Give for example eps=1, delta=0, "
                "gamma=1."
            )
        _warnings.warn_large_eps(eps)
        extra = 2.0 * lam / eps
        if not math.isfinite(extra):
            raise PydpstatError(f"lambda_ must be finite, and eps not too small for it; got {lam!r}, {eps!r}.")
        l2 = self.regularizer is regularizer_l2
        conditions = self._conditions if l2 else (*self._conditions, REGULARIZER_CONDITION)
        nothing = Guarantee(math.inf, 0.0, "bounded", conditions)
        plan = KSTPlan(extra, make_objective_sampler(eps, delta, zeta, size), Guarantee(eps, min(delta, 1.0)), nothing)
        # a user's regularizer is only known to be convex
        strength = extra + (gamma if l2 else 0.0)
        _warnings.warn_inexact_minimum(name)
        for argument, value, bad, advice in (
            ("eps", eps, math.isinf(eps), "a finite eps"),
            ("gamma", gamma, gamma < 0.0 and (strength <= 0.0 or not l2), "a gamma of at least 0"),
            ("lambda_", lam, lam < 0.0, "another lambda_"),
        ):
            if bad:
                _warnings.warn_no_guarantee(name, argument, value, advice)
                return plan
        if self._has_wrong_gradient(size):
            _warnings.warn_wrong_gradient(name)
            return plan
        pair = self._gradient_distances[size > 1]
        epsilon = partial(
            compute_replaced_epsilon,
            eps,
            delta,
            lam=lam,
            strength=strength,
            gradient_distance=pair,
            size=size,
        )
        if delta >= 1.0:
            proven = find_smallest_delta(epsilon, eps)
            _warnings.warn_large_model_delta(name, delta, eps, proven)
            return plan._replace(guarantee=Guarantee(eps, proven, "bounded", conditions))
        actual = epsilon(delta)
        if actual > eps * (1.0 + ROUNDING_TOLERANCE):
            _warnings.warn_replaced_record(name, eps, delta, actual)
        added = f"{ADDED_RECORD_CONDITION} {compute_added_epsilon(eps, delta, lam, strength):.6g}"
        return plan._replace(guarantee=Guarantee(max(actual, eps), delta, "bounded", (*conditions, added)))

    def _minimize_objective(self, records: FitRecords, extra: float, drawn: Floats) -> Floats:
        jacobian = self.domain.get("jacobian") if self._has_gradients() else None
        if self._has_gradients() and not callable(jacobian):
            raise PydpstatError("domain must have a function 'jacobian' if gradients are given; got none. Add it.")
        objective = Objective(
            n=records.y.size,
            predict=partial(self._predict_responses, records),
            losses=lambda y_hat: self.loss(y_hat, records.y),
            loss_gradient=self._make_loss_gradient(records, strict=True),
            penalty=self.regularizer,
            penalty_gradient=self.regularizer_gr,
            gamma=checks.check_scalar(self.gamma, "gamma"),
            extra=extra,
            b=drawn,
            has_divided_extra=True,
        )
        return minimize_constrained(
            objective.compute_value, self.domain["constraints"], drawn.size, objective.gradient, jacobian
        )

    def _predict_responses(self, records: FitRecords, coeff: Floats) -> Floats:
        y_hat = np.asarray(self.mapXy(records.X, coeff), dtype=np.float64).ravel()
        if y_hat.size != records.y.size:
            raise PydpstatError(f"mapXy must return {records.y.size} predictions; got {y_hat.size}.")
        return y_hat

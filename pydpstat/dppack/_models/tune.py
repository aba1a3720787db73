"""DPpack's selection among models that are fitted on separate groups of records."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TypeVar
from warnings import catch_warnings, simplefilter

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat._answering import explain_wrong_calls
from pydpstat._release.calibration import SEEDED_CONDITION
from pydpstat._release.charging import charge_once, get_open_budgets, preview_guarantee
from pydpstat._release.choice import release_choice
from pydpstat.dppack import _warnings
from pydpstat.dppack._models.erm_cms import EmpiricalRiskMinimizationDP_CMS
from pydpstat.dppack._models.noise import ADDED_RECORD_CONDITION
from pydpstat.dppack._models.records import Model, RecordGroups, read_bound_vector
from pydpstat.dppack._models.regressions import LinearRegressionDP
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._exponential import Choice
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import Source, secure, source_from
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results.model_results import ModelResults

_Model = TypeVar("_Model")
DISJOINT_GROUPS_CONDITION = (
    "a record's position determines its part of the data: the parts are disjoint, so the "
    "guarantee is that of the largest epsilon"
)
OTHER_MODELS_CONDITION = "not all models are pydpstat's, so the guarantee of their fits is not known in advance"
# largest number of errors due to one record
ERROR_SENSITIVITY = 1.0


@explain_wrong_calls
def tune_classification_model(
    DPmodels: Sequence[_Model],
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    upper_bounds: npt.ArrayLike | None = None,
    lower_bounds: npt.ArrayLike | None = None,
    add_bias: bool = False,
    weights: npt.ArrayLike | None = None,
    weights_upper_bound: float | None = None,
    *,
    rng: object = None,
) -> _Model:
    """Choose among private classifiers by their errors on held-out records.

    R's function is ``DPpack::tune_classification_model``.

    Each of m models is fitted on a separate group of records: the i-th on records i, i + m + 1,
    i + 2 (m + 1), ... The errors of each model are counted in the remaining group, and the
    exponential mechanism selects a model with few errors.

    Parameters
    ----------
    DPmodels : sequence of LogisticRegressionDP or svmDP
        The models, each with its own settings. All are fitted, as in R. The `eps` of the first model
        is also that of the selection; use the same for all.
    X : DataFrame or array_like of shape (n, p)
        Predictors; values outside their bounds are clipped to them for the fits.
    y : array_like of shape (n,)
        Labels 0 or 1.
    upper_bounds, lower_bounds : array_like of shape (p,), optional
        Public bounds of the columns, chosen without looking at them. Support vector machines with a
        Gaussian kernel do not use them, all other models need them.
    add_bias : bool, default False
        Whether to put a column "bias" of ones in front; for a DataFrame only, as in R.
    weights : array_like of shape (n,), optional
        Weights of the records, for models that take them.
    weights_upper_bound : float, optional
        Public upper bound of the weights.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    LogisticRegressionDP or svmDP
        The chosen one of `DPmodels`. Its ``results`` is the `ModelResults` of its fit, with the claim
        and the guarantee of the whole tuning.

    Raises
    ------
    PydpstatError
        If R stops or would return nothing.

    Warns
    -----
    PrivacyWarning
        Those of the models' fits.

    See Also
    --------
    LogisticRegressionDP, svmDP : the models.
    tune_linear_regression_model : the same for linear regressions.

    Notes
    -----
    Guarantee: for one replaced record the largest epsilon among the models' and the choice's, since
    the groups are disjoint. It covers all fitted models together, not only the selected one.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109, Section 6.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat import LogisticRegressionDP, RRandom, tune_classification_model
    >>> models = [LogisticRegressionDP("l2", 2.0, 1.0), LogisticRegressionDP("l2", 2.0, 0.5)]
    >>> x = np.linspace(0, 1, 90).reshape(-1, 1)
    >>> chosen = tune_classification_model(models, x, x[:, 0] > 0.5, [1], [0], rng=RRandom(1))
    >>> chosen.gamma, str(chosen.results.guarantee)
    (1.0, '(epsilon 2, delta 0), bounded neighbors')
    """
    source = source_from(rng, int_seeds_r=True)
    bias = checks.check_boolean(add_bias, "add_bias")
    groups = RecordGroups(DPmodels, X, y, weights, weights_upper_bound)
    groups.require_argument("predict", "raw_value", "Give LogisticRegressionDP or svmDP objects.")
    if weights is not None:
        groups.require_argument("fit", "weights", "Give svmDP objects, or leave the weights out.")

    def count_errors(model: Model, X_new: npt.ArrayLike, y_new: Floats) -> float:
        difference = y_new - model.predict(X_new, bias, raw_value=False)
        return math.nan if np.isnan(difference).any() else float(np.count_nonzero(difference))

    arguments = {"upper_bounds": upper_bounds, "lower_bounds": lower_bounds, "add_bias": bias}
    function, keeps = "tune_classification_model", Guarantee(groups.eps)
    return DPmodels[_choose_within_budget(function, groups, arguments, count_errors, ERROR_SENSITIVITY, keeps, source)]


@explain_wrong_calls
def tune_linear_regression_model(
    DPmodels: Sequence[_Model],
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    upper_bounds: npt.ArrayLike,
    lower_bounds: npt.ArrayLike,
    add_bias: bool = False,
    *,
    rng: object = None,
) -> _Model:
    """Choose among private linear regressions by held-out errors.

    R's function is ``DPpack::tune_linear_regression_model``.

    Each of m models is fitted on a separate group of records, as in `tune_classification_model`.
    The sum of squared errors of each model is computed in the remaining group, and the exponential mechanism
    selects a model with a small sum.

    Parameters
    ----------
    DPmodels : sequence of LinearRegressionDP
        The models, each with its own settings. All are fitted, as in R. The `eps` of the first model
        is also that of the selection; use the same for all.
    X : DataFrame or array_like of shape (n, p)
        Predictors. The fits clip values outside their bounds to them; the validation does not.
    y : array_like of shape (n,)
        Responses, treated likewise.
    upper_bounds, lower_bounds : array_like of shape (p + 1,)
        Public bounds of the columns and, last, of y, chosen without looking at them.
    add_bias : bool, default False
        Whether to put a column "bias" of ones in front; for a DataFrame only, as in R.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    LinearRegressionDP
        The chosen one of `DPmodels`. Its ``results`` is the `ModelResults` of its fit, with the claim
        and the guarantee of the whole tuning.

    Raises
    ------
    MissingExtraError
        If the package nlopt is not installed; the message has the command.
    PydpstatError
        If R stops or would return nothing.

    Warns
    -----
    PrivacyWarning
        That the validation data are not clipped, and those of the models' fits.

    See Also
    --------
    LinearRegressionDP : the model.
    tune_classification_model : the same for classifiers.

    Notes
    -----
    Guarantee: none, since one record far outside the bounds decides the choice. If every record lies
    inside them, the largest epsilon among the models' and the choice's holds for one replaced record.
    The choice's is eps with `add_bias`, and without it eps (2 M / (upper - lower))^2 with M the larger
    size of y's bounds, because predictions lie between -M and M.

    References
    ----------
    McSherry, F. and Talwar, K. (2007). Mechanism design via differential privacy. FOCS 2007.

    Examples
    --------
    >>> import warnings
    >>> from pydpstat import PrivacyWarning
    >>> warnings.simplefilter("ignore", PrivacyWarning)
    >>> import numpy as np
    >>> from pydpstat import LinearRegressionDP, RRandom, tune_linear_regression_model
    >>> models = [LinearRegressionDP("l2", 1.0, 0.0, gamma) for gamma in (1.0, 10.0)]
    >>> x = np.linspace(-1, 1, 90)
    >>> chosen = tune_linear_regression_model(
    ...     models, x.reshape(-1, 1), x / 2, [1, 1], [-1, -1], rng=RRandom(1)
    ... )
    """
    source = source_from(rng, int_seeds_r=True)
    bias = checks.check_boolean(add_bias, "add_bias")
    groups = RecordGroups(DPmodels, X, y)
    upper, lower = (
        _get_response_bound(upper_bounds, "upper_bounds"),
        _get_response_bound(lower_bounds, "lower_bounds"),
    )
    sensitivity = (upper - lower) * (upper - lower)
    if not 0.0 < sensitivity < math.inf:
        raise PydpstatError(
            "the bounds of y, the last ones, must be finite and differ: "
            f"got {checks.describe_value(upper)} and {checks.describe_value(lower)}."
        )
    plain = all(isinstance(model, LinearRegressionDP) for model in groups.models)
    inside = _compute_inside_epsilon(groups.eps, upper, lower, bias) if plain else math.inf
    _warnings.warn_unclipped_validation(groups.eps, inside, bias)

    def sum_squared_errors(model: Model, X_new: npt.ArrayLike, y_new: Floats) -> float:
        difference = y_new - model.predict(X_new, bias)
        # a model with an infinite error is not selected
        with np.errstate(over="ignore"):
            return float(r.sum(difference * difference))

    arguments = {"upper_bounds": upper_bounds, "lower_bounds": lower_bounds, "add_bias": bias}
    function, keeps = "tune_linear_regression_model", Guarantee(inside)
    outside = "the validation data are not clipped to the bounds, so nothing is guaranteed"
    return DPmodels[
        _choose_within_budget(function, groups, arguments, sum_squared_errors, sensitivity, keeps, source, outside)
    ]


def _compute_inside_epsilon(eps: float, upper: float, lower: float, bias: bool) -> float:
    """Return the epsilon of the selection if every record lies within the bounds."""
    if not lower < upper:
        return math.inf
    if bias:
        # predictions lie within the bounds of y
        return eps
    widest = 2.0 * max(abs(lower), abs(upper))
    return eps * max(1.0, (widest / (upper - lower)) ** 2)


def _get_response_bound(bounds: npt.ArrayLike, name: str) -> float:
    """Return the last bound, which is that of y."""
    values = read_bound_vector(bounds, name)
    if not values.size:
        raise PydpstatError(f"{name} must have a number for each column and for y; got none.")
    return float(values[-1])


def _choose_within_budget(
    function: str,
    groups: RecordGroups,
    arguments: Mapping[str, object],
    errors: Callable[[Model, npt.ArrayLike, Floats], float],
    sensitivity: float,
    choice_guarantee: Guarantee,
    source: Source,
    outside_condition: str = "",
) -> int:
    """Tune the models, charged as one release since the groups are disjoint; return the index of the selected model."""
    data, public = [(name, name) for name in ("DPmodels", "X", "y")], dict(arguments)
    if groups.weights is not None:
        data.append(("weights=weights", "weights = weights"))
        public["weights_upper_bound"] = groups.weights_upper_bound
    record = Call(function, tuple(data), tuple(public.items()), "DPpack")
    bounds = tuple(arguments.values())
    guarantee = (
        _derive_tuning_guarantee(groups, bounds, choice_guarantee, outside_condition) if get_open_budgets() else None
    )
    with nullcontext() if guarantee is None else charge_once(None, guarantee, record, "exponential"):
        return _fit_and_choose(groups, bounds, errors, sensitivity, choice_guarantee, source, record, outside_condition)


def _derive_tuning_guarantee(
    groups: RecordGroups, bounds: Sequence[object], choice_guarantee: Guarantee, outside_condition: str
) -> Guarantee:
    """Return the guarantee of a tuning before its first draw; it is infinite for models of other classes."""
    guarantees = [choice_guarantee]
    for i, model in enumerate(groups.models):
        is_cms = isinstance(model, EmpiricalRiskMinimizationDP_CMS)
        if outside_condition or not is_cms:
            return Guarantee(math.inf, conditions=(outside_condition or OTHER_MODELS_CONDITION,))
        X, y, options = groups.get_group(i)
        # use a copy, as a fit sets fields; warnings are given by the actual fits
        with catch_warnings():
            simplefilter("ignore")
            guarantees.append(preview_guarantee(lambda: copy.copy(model).fit(X, y, *bounds, **options)))
    inside = _compose_parallel(guarantees)
    return Guarantee(inside.epsilon, inside.delta, "bounded", (DISJOINT_GROUPS_CONDITION,))


def _fit_and_choose(
    groups: RecordGroups,
    bounds: Sequence[object],
    errors: Callable[[Model, npt.ArrayLike, Floats], float],
    sensitivity: float,
    choice_guarantee: Guarantee,
    source: Source,
    record: Call,
    outside_condition: str,
) -> int:
    """Fit each model on its group, select one by its errors in the last group, and return its index."""
    m, eps = len(groups.models), groups.eps
    X_new, y_new, _ = groups.get_group(m)
    # argument `rng` with which a fit continues to draw from the source
    rng = getattr(source, "stream", getattr(source, "generator", None))
    results: dict[int, ModelResults] = {}
    utility = np.empty(m)
    for i, model in enumerate(groups.models):
        # the last fit counts if an object occurs twice, as in R
        X, y, options = groups.get_group(i)
        results[id(model)] = model.fit(X, y, *bounds, rng=rng, **options)
        utility[i] = -errors(model, X_new, y_new)
    if np.isnan(utility).any():
        raise PydpstatError(
            "X and y must not have missing values among the records for validation, on which R stops; "
            "replace them first."
        )
    choice = Choice(utility, eps, sensitivity)
    choice.check_candidates()
    fitted = results.values()
    inside = _compose_parallel([choice_guarantee, *(result.guarantee for result in fitted)])
    conditions = [line for result in fitted for line in result.guarantee.conditions if _is_tuning_condition(line)]
    if outside_condition:
        conditions = [outside_condition, f"if every record lies inside the bounds: {inside}", *conditions]
    guarantee = Guarantee(
        math.inf if outside_condition else inside.epsilon,
        0.0 if outside_condition else inside.delta,
        "bounded",
        tuple(dict.fromkeys((DISJOINT_GROUPS_CONDITION, *conditions))),
    )
    selected = release_choice(
        "choice of a model",
        lambda uniforms: (choice.choose_index(float(uniforms[0])), Labels("choice")),
        source,
        n_draws=1,
        sensitivity=sensitivity,
        claim=_compose_parallel([Guarantee(eps), *(result.claim for result in fitted)]),
        guarantee=guarantee,
        call=record,
        choose_exactly=lambda: (secure.choose(utility, secure.choice_rate(eps, sensitivity)), Labels("choice")),
    )
    index = int(selected)
    model = groups.models[index]
    winner = results[id(model)]
    model.results = replace(
        winner,
        claim=selected.claim,
        guarantee=selected.guarantee,
        record=record,
        nobs=groups.y.size,
        facts=(*winner.facts, ("Chosen among:", f"{m} models")),
    )
    return index


def _is_tuning_condition(condition: str) -> bool:
    """Return whether a condition of a fit applies to the tuning; an added record changes all groups."""
    return condition != SEEDED_CONDITION and not condition.startswith(ADDED_RECORD_CONDITION)


def _compose_parallel(guarantees: Sequence[Guarantee]) -> Guarantee:
    """Return the joint guarantee of releases of disjoint groups: the largest epsilon and delta."""
    return Guarantee(
        max(guarantee.epsilon for guarantee in guarantees), max(guarantee.delta for guarantee in guarantees)
    )

"""Common base of the estimators: coefficients, features, public bounds, randomness, and scikit-learn's import."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.alignment import check_equal_indexes
from pydpstat._data.columns import VariableBounds, check_column_bounds
from pydpstat._data.containers import is_pandas_series, with_default_index
from pydpstat._null_distributions.logistic.cell_logit import CellLogit
from pydpstat._records.groups import Keys
from pydpstat._release.charging import get_budget_defaults
from pydpstat._warn import note_r_warning
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.inference.logistic._cell_regression import bound_slopes
from pydpstat.inference.regression._coefficients import LogitCombinations, MomentCombinations
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import Source, source_from
from pydpstat.results.regression_results import RegressionResults

if TYPE_CHECKING:
    from pydpstat._release.pipeline import Chargeable

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise MissingExtraError("pydpstat.sklearn", "scikit-learn 1.6 or later", "sklearn") from error

# the estimators' modules import scikit-learn's names from here, where its absence raises an explained error
__all__ = ["ClassifierMixin", "RegressorMixin", "check_classification_targets"]


# if the noise hides a coefficient, all are regularized by the public noise scale, without an error bound
def get_logistic_coefficients(results: RegressionResults) -> Floats:
    """Return the constant and the slopes of a logistic regression on numbers, in the data's units.

    >>> import pydpstat
    >>> x = np.linspace(0, 1, 100)
    >>> r = pydpstat.logit(x > 0.5, x, 0.1, bounds=(0, 1), rng=1)
    >>> bool(r.params.isna().all()), bool(np.isfinite(get_logistic_coefficients(r)).all())
    (True, True)
    """
    coefficients = results.params.to_numpy()
    if not np.isnan(coefficients).any():
        return coefficients
    combinations = cast(LogitCombinations, results._combinations)
    inference = combinations.inference
    if isinstance(inference, CellLogit):
        return combinations.scaled @ bound_slopes(inference)[0]
    return combinations.scaled @ inference.compute_regularized_estimates()


def get_linear_coefficients(results: RegressionResults) -> Floats:
    """Return the constant and the slopes of a linear regression on numbers, in the data's units.

    >>> import pydpstat
    >>> x = np.linspace(0, 1, 100)
    >>> r = pydpstat.ols(x, x, 0.1, bounds=(0, 1), rng=1)
    >>> bool(r.params.isna().any()), bool(np.isfinite(get_linear_coefficients(r)).all())
    (True, True)
    """
    coefficients = results.params.to_numpy()
    if not np.isnan(coefficients).any():
        return coefficients
    return cast(MomentCombinations, results._combinations).tests.compute_regularized_estimates()


# used if no bounds are given: public and independent of the data
DEFAULT_BOUNDS: VariableBounds = (-1.0, 1.0)


class PrivateEstimator(BaseEstimator):
    """A linear model that is fitted by one release."""

    bounds: object
    random_state: object
    budget: Chargeable | None
    results_: RegressionResults
    n_features_in_: int
    bounds_: tuple[VariableBounds, ...]
    coef_: Floats
    intercept_: Floats | float

    def __sklearn_clone__(self) -> Self:
        # a copied budget would spend again what the first one has spent, so copies share it
        bare = copy.copy(self)
        bare.budget = None
        twin = super(PrivateEstimator, bare).__sklearn_clone__()
        twin.budget = self.budget
        return twin

    def _read_data(
        self, X: object, y: object, unit: Keys | None, numeric: bool
    ) -> tuple[Floats, npt.NDArray[np.generic]]:
        """Check the data as scikit-learn does, and return them. Private."""
        check_equal_indexes(("X", X), ("y", y), ("unit", unit))
        features, target = _validate_records(self, X, _clip_infinite(y), y_numeric=numeric)
        return _check_no_missing(features), target

    @property
    def _feature_names(self) -> tuple[str, ...]:
        """Names of the features; x1, x2 and so on if they have none."""
        default = [f"x{i + 1}" for i in range(self.n_features_in_)]
        return tuple(map(str, getattr(self, "feature_names_in_", default)))

    def _make_response_name(self, y: object) -> str:
        """Return the response's name, or "y"; lengthened if a feature has the same name."""
        series_name = getattr(y, "name", None)
        name = series_name if isinstance(series_name, str) else "y"
        while name in self._feature_names:
            name += "_"
        return name

    def _get_feature_bounds(self) -> tuple[VariableBounds, ...]:
        """Return the public bounds of each feature, in their order."""
        bounds = self._resolve_bounds(
            self.bounds, "bounds", "every feature", "a pair for each column, or a dict by name"
        )
        return check_column_bounds(bounds, self._feature_names, len(self._feature_names))

    def _resolve_bounds(self, bounds: object, argument: str, subject: str, form: str) -> object:
        """Return bounds, or the default ones with a warning."""
        if bounds is not None:
            return bounds
        note_r_warning(
            f"{type(self).__name__} clips {subject} to (-1, 1), because {argument} is not given. Give "
            f"{argument}=(lower, upper), {form}: the public range, chosen without looking at the data."
        )
        return DEFAULT_BOUNDS

    def _check_unit(self, unit: Keys | None) -> Keys | None:
        """Return the given ids; raise an error for a column of X, which would be a feature and an id."""
        name = unit if isinstance(unit, str) else get_budget_defaults(self.budget).unit if unit is None else None
        if isinstance(unit, str) or name in self._feature_names:
            raise PydpstatError(
                f"unit must be an id for each record, apart from X; got {name!r}, a name. Write for example "
                f"fit(X.drop(columns={name!r}), y, unit=X[{name!r}])."
            )
        # the features and the response that are read have no index
        return with_default_index(unit) if is_pandas_series(unit) else unit

    def _make_source(self) -> Source:
        """Return the source of randomness for `random_state`."""
        state = self.random_state
        if isinstance(state, np.random.RandomState):
            state = int(state.randint(2**31 - 1))
        return source_from(state, name="random_state")

    def _predict_linear(self, X: object) -> Floats:
        """Return the linear predictor of new records, clipped to the bounds as in the fit."""
        check_is_fitted(self, "results_")
        features = _validate_records(self, X, reset=False)
        features, (low, high) = _check_no_missing(features), np.array(self.bounds_).T
        return np.asarray(np.clip(features, low, high) @ np.ravel(self.coef_) + self.intercept_)


def _check_no_missing(features: Floats) -> Floats:
    """Check that no value is missing; infinite ones are clipped later, since an error would reveal a record."""
    if np.isnan(features).any():
        raise PydpstatError(
            "X must have no missing values; Input X contains NaN, which this error reveals. Replace them by "
            "a public value, for example with SimpleImputer(strategy='constant', fill_value=0)."
        )
    return features


def _clip_infinite(y: object) -> object:
    """Return a response with infinite values replaced by the largest floats, since an error would reveal them."""
    if not isinstance(y, (list, tuple, np.ndarray)) and not hasattr(y, "to_numpy"):
        return y
    values = checks.to_array(y)
    if values.dtype.kind != "f" or not np.isinf(values).any():
        return y
    largest = np.finfo(values.dtype).max
    return np.clip(values, -largest, largest)


def _validate_records(estimator: object, X: object, *y: object, **options: object) -> Any:
    """Check the data as scikit-learn does; errors contain no values, only public types of columns."""
    try:
        return validate_data(estimator, X, *y, dtype=np.float64, ensure_all_finite=False, **options)
    except (PydpstatError, TypeError, MissingExtraError):
        raise
    except Exception as error:  # an object among the features may raise any error
        # scikit-learn's own errors have no context, except the one on complex numbers
        is_own_error = (error.__context__ or error.__cause__) is None or "Complex data" in str(error)
        if isinstance(error, ValueError) and is_own_error and "could not convert" not in str(error):
            raise
    # types of the columns of a frame
    kinds = dict(zip(getattr(X, "columns", ()), getattr(X, "dtypes", ())))
    texts = [str(name) for name, kind in kinds.items() if getattr(kind, "kind", "") == "O"]
    reason = f"X has text in {checks.format_public_value(texts)}" if texts else "there is text in X or y"
    # outside of the handler, so that the original error is not its context
    raise PydpstatError(
        f"X, and the y of a linear regression, must be numbers; {reason}. Leave it out, or convert "
        "it to columns of 0 and 1 with OneHotEncoder(categories=[...]), whose categories are "
        "public."
    )

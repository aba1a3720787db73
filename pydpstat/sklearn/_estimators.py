"""What the estimators share: coefficients, features, public bounds, randomness, and scikit-learn itself."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Pair, bounds_of
from pydpstat._release.payment import defaults
from pydpstat._warn import note
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.inference._cell_regression import moderate
from pydpstat.inference._coefficients import LawCombinations, MomentCombinations
from pydpstat.inference._null_distributions.cell_logit import CellLogit
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import Source, source_from
from pydpstat.results.regression_results import RegressionResults
from pydpstat.statistics._kernels.scope import Keys

if TYPE_CHECKING:
    from pydpstat._release.additive import Spender

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise MissingExtraError("pydpstat.sklearn", "scikit-learn 1.6 or later", "sklearn") from error

# of the estimators' modules, which import scikit-learn from here, where its absence has a message
__all__ = ["ClassifierMixin", "RegressorMixin", "check_classification_targets"]


# Results have no estimate where the noise hides a coefficient, and a prediction needs all of them. Then all
# are regularized by the size of the noise, which is public: it is post-processing, without any error bound.
def logistic_coefficients(results: RegressionResults) -> Floats:
    """Return the constant and the slopes of a logistic regression on numbers, in the data's units.

    >>> import pydpstat
    >>> x = np.linspace(0, 1, 100)
    >>> r = pydpstat.logit(x > 0.5, x, 0.1, bounds=(0, 1), rng=1)
    >>> bool(r.params.isna().all()), bool(np.isfinite(logistic_coefficients(r)).all())
    (True, True)
    """
    found = results.params.to_numpy()
    if not np.isnan(found).any():
        return found
    combinations = cast(LawCombinations, results.combinations)
    law = combinations.law
    if isinstance(law, CellLogit):
        return combinations.scaled @ moderate(law)[0]
    return combinations.scaled @ law.regularized()


def linear_coefficients(results: RegressionResults) -> Floats:
    """Return the constant and the slopes of a linear regression on numbers, in the data's units.

    >>> import pydpstat
    >>> x = np.linspace(0, 1, 100)
    >>> r = pydpstat.ols(x, x, 0.1, bounds=(0, 1), rng=1)
    >>> bool(r.params.isna().any()), bool(np.isfinite(linear_coefficients(r)).all())
    (True, True)
    """
    found = results.params.to_numpy()
    if not np.isnan(found).any():
        return found
    return cast(MomentCombinations, results.combinations).tests.regularized()


# where no bounds are given: public, the same whatever the data are
UNIT: Pair = (-1.0, 1.0)


class PrivateEstimator(BaseEstimator):
    """A linear model that is fitted by one release."""

    bounds: object
    random_state: object
    budget: Spender | None
    results_: RegressionResults
    n_features_in_: int
    bounds_: tuple[Pair, ...]
    coef_: Floats
    intercept_: Floats | float

    def __sklearn_clone__(self) -> Self:
        # a copied budget would spend once more what the first one has spent: the copies share it
        bare = copy.copy(self)
        bare.budget = None
        twin = super(PrivateEstimator, bare).__sklearn_clone__()
        twin.budget = self.budget
        return twin

    def _read(self, X: object, y: object, numeric: bool) -> tuple[Floats, npt.NDArray[np.generic]]:
        """Check the data as scikit-learn does, and return them. Private."""
        features, target = _validated(self, X, _finite(y), y_numeric=numeric)
        return _without_missing(features), target

    @property
    def _names(self) -> tuple[str, ...]:
        """The features' names; x1, x2 and so on where they have none."""
        default = [f"x{place + 1}" for place in range(self.n_features_in_)]
        return tuple(map(str, getattr(self, "feature_names_in_", default)))

    def _response_name(self, y: object) -> str:
        """Return the response's name: its own or y, and a longer one where a feature has the same."""
        own = getattr(y, "name", None)
        name = own if isinstance(own, str) else "y"
        while name in self._names:
            name += "_"
        return name

    def _pairs(self) -> tuple[Pair, ...]:
        """Return the public bounds of each feature, in their order."""
        given = self._given(
            self.bounds, "bounds", "every feature", "a pair for each column, or a dict by name"
        )
        return bounds_of(given, self._names, len(self._names))

    def _given(self, bounds: object, argument: str, whose: str, form: str) -> object:
        """Return bounds, or, with a warning, the default ones."""
        if bounds is not None:
            return bounds
        note(
            f"{type(self).__name__} clips {whose} to (-1, 1), because {argument} is not given. Give "
            f"{argument}=(lower, upper), {form}: the public range, chosen without looking at the data."
        )
        return UNIT

    def _unit(self, unit: Keys | None) -> Keys | None:
        """Return the ids that were given; a column of X would be a feature and an id."""
        name = unit if isinstance(unit, str) else defaults(self.budget).unit if unit is None else None
        if isinstance(unit, str) or name in self._names:
            raise PydpstatError(
                f"unit must be an id for each record, apart from X; got {name!r}, a name. Write for example "
                f"fit(X.drop(columns={name!r}), y, unit=X[{name!r}])."
            )
        return unit

    def _source(self) -> Source:
        """Return what `random_state` stands for."""
        chosen = self.random_state
        if isinstance(chosen, np.random.RandomState):
            chosen = int(chosen.randint(2**31 - 1))
        return source_from(chosen, name="random_state")

    def _linear(self, X: object) -> Floats:
        """Return the linear predictor of new records, clipped to the bounds as those of the fit were."""
        check_is_fitted(self, "results_")
        features = _validated(self, X, reset=False)
        features, (low, high) = _without_missing(features), np.array(self.bounds_).T
        return np.asarray(np.clip(features, low, high) @ np.ravel(self.coef_) + self.intercept_)


def _without_missing(features: Floats) -> Floats:
    """Check that none is missing; infinite ones are clipped later, since an error would reveal a record."""
    if np.isnan(features).any():
        raise PydpstatError(
            "X must have no missing values; Input X contains NaN, which this error reveals. Replace them by "
            "a public value, for example with SimpleImputer(strategy='constant', fill_value=0)."
        )
    return features


def _finite(y: object) -> object:
    """Return a response with the largest floats in place of infinite values: an error would reveal them."""
    if not isinstance(y, (list, tuple, np.ndarray)) and not hasattr(y, "to_numpy"):
        return y
    values = checks.array_of(y)
    if values.dtype.kind != "f" or not np.isinf(values).any():
        return y
    largest = np.finfo(values.dtype).max
    return np.clip(values, -largest, largest)


def _validated(estimator: object, X: object, *y: object, **options: object) -> Any:
    """Check the data as scikit-learn does; errors contain no values, only public types of columns."""
    try:
        return validate_data(estimator, X, *y, dtype=np.float64, ensure_all_finite=False, **options)
    except (PydpstatError, TypeError, MissingExtraError):
        raise
    except Exception as error:  # an object among the features may raise any error
        # scikit-learn's errors have no context, except the one on complex numbers
        own = (error.__context__ or error.__cause__) is None or "Complex data" in str(error)
        if isinstance(error, ValueError) and own and "could not convert" not in str(error):
            raise
    # the columns of a frame
    kinds = dict(zip(getattr(X, "columns", ()), getattr(X, "dtypes", ())))
    texts = [str(name) for name, kind in kinds.items() if getattr(kind, "kind", "") == "O"]
    named = f"X has text in {checks.excerpt(texts)}" if texts else "there is text in X or y"
    # outside of the handler, so that the original error is not its context
    raise PydpstatError(
        f"X, and the y of a linear regression, must be numbers; {named}. Leave it out, or convert "
        "it to columns of 0 and 1 with OneHotEncoder(categories=[...]), whose categories are "
        "public."
    )

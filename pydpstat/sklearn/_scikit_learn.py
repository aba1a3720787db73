"""What the estimators use of scikit-learn, which is an extra: it is imported here alone."""

from __future__ import annotations

from pydpstat.errors import MissingExtraError

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise MissingExtraError("pydpstat.sklearn", "scikit-learn 1.6 or later", "sklearn") from error

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "RegressorMixin",
    "check_classification_targets",
    "check_is_fitted",
    "validate_data",
]

"""Private regressions as scikit-learn's estimators.

`LogisticRegression` and `LinearRegression` fit with `pydpstat.logit` and `pydpstat.ols`, and work in
scikit-learn's pipelines, cross-validation and searches. They need the extra ``pydpstat[sklearn]``.
"""

from pydpstat.errors import MissingExtraError

try:
    # the newest name that is needed
    from sklearn.utils.validation import validate_data as _  # noqa: F401
except ImportError as error:
    raise MissingExtraError("pydpstat.sklearn", "scikit-learn 1.6 or later", "sklearn") from error

from pydpstat.sklearn.classifiers import LogisticRegression
from pydpstat.sklearn.regressors import LinearRegression

__all__ = ["LinearRegression", "LogisticRegression"]

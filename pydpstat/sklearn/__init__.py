"""Private regressions as scikit-learn's estimators, from the extra ``pydpstat[sklearn]``.

`LogisticRegression` and `LinearRegression` fit with `pydpstat.logit` and `pydpstat.ols`, and work in
scikit-learn's pipelines, cross-validation and searches.
"""

from pydpstat._lazy import attach_names as _attach

_HOMES = {
    "LinearRegression": "pydpstat.sklearn.regressors",
    "LogisticRegression": "pydpstat.sklearn.classifiers",
}

__all__ = list(_HOMES)

__getattr__, __dir__ = _attach(globals(), _HOMES)

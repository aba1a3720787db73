# Written by tools/stubs.py from the names in __init__.py.

from pydpstat.sklearn.classifiers import LogisticRegression as LogisticRegression
from pydpstat.sklearn.regressors import LinearRegression as LinearRegression

__all__ = [
    "LinearRegression",
    "LogisticRegression",
]

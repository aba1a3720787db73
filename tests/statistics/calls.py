"""A call of each statistic of numbers between 0 and 10."""

import numpy as np

import pydpstat as dp
from pydpstat.statistics._catalog import COLUMN_STATISTICS, list_statistics

BOUNDS = (0.0, 10.0)


def _call_columns(name):
    return lambda x, **how: getattr(dp, name)(x, 1.0, bounds=BOUNDS, **how)


def _call_pairs(name):
    return lambda x, **how: getattr(dp, name)(x, x, 1.0, bounds=(BOUNDS, BOUNDS), **how)


def _call_condition(name):
    return lambda x, **how: getattr(dp, name)(np.asarray(x) > 5, 1.0, **how)


CALLS = {
    **{name: _call_columns(name) for name in COLUMN_STATISTICS},
    **{name: _call_pairs(name) for name in list_statistics("pairs")},
    "quantile": lambda x, **how: dp.quantile(x, 0.25, 1.0, bounds=BOUNDS, **how),
    "quantiles": lambda x, **how: dp.quantiles(x, [0.25, 0.5], 1.0, bounds=BOUNDS, **how),
    "median": lambda x, **how: dp.median(x, 1.0, bounds=BOUNDS, **how),
    "histogram": lambda x, **how: dp.histogram(x, 1.0, edges=[0, 5, 10], **how),
}
TABLES = {
    "crosstab": lambda x, **how: dp.crosstab(x, 1.0, levels=[0, 3], **how),
    "crosstab, discover": lambda x, **how: dp.crosstab(x, 1.0, levels="discover", delta=1e-6, **how),
}
TRUTHS = {
    **{name: _call_condition(name) for name in list_statistics("conditions")},
}

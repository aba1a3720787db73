"""Results of DPpack's and diffpriv's functions in R's form, with R's messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pydpstat import diffpriv, r_arithmetic
from pydpstat.diffpriv._sampler_plan import make_sampler_plan
from pydpstat.porting.r._histograms import convert_to_r_type
from pydpstat.porting.r._shapes import get_row_names, with_dimnames
from pydpstat.porting.r._strings import message
from pydpstat.porting.r._values import Value


def access(found: tuple[Value, ...]) -> dict[str, Value]:
    """Return the result of a DPpack data access function as a list with R's names.

    The breaks of a histogram are integers where R has integers.

    Examples
    --------
    >>> from pydpstat import dppack
    >>> access(dppack.meanDataAccess([1, 4, 3, 2], 0, 5))
    {'True.Values': 2.5, 'Sensitivity': 1.25}
    """
    parts = {name.replace("_", "."): getattr(found, name) for name in found._fields}  # type: ignore[attr-defined]
    return {
        name: replace(each, breaks=convert_to_r_type(each.breaks)) if isinstance(each, r_arithmetic.Histogram) else each
        for name, each in parts.items()
    }


def column_of(function: Callable[..., Value], X: Value, *more: Value, **options: Value) -> Value:
    """Return a DPpack function's result for records as a matrix of one column, as in R.

    It has the row names of `X`. The result of a function that is not DPpack's is unchanged.

    Examples
    --------
    >>> from pydpstat import dppack
    >>> column_of(dppack.mapXy_linear, np.ones((2, 2)), [0.5, 1])
    array([[1.5],
           [1.5]])
    """
    found = function(X, *more, **options)
    if not getattr(function, "__module__", "").startswith("pydpstat.dppack"):
        return found
    # results computed from kernels have no names
    kernel = getattr(getattr(function, "__self__", None), "kernel", None) not in (None, "linear")
    return with_dimnames(np.asarray(found).reshape(-1, 1), (None if kernel else get_row_names(X), None))


def sensitivitySampler(object: Value, oracle: Value, n: Value, **options: Value) -> Value:
    """Call diffpriv's ``sensitivitySampler``, and write R's message."""
    plan = make_sampler_plan(options.get("m"), options.get("gamma"))
    message(f"Sampling sensitivity with m={plan.m} gamma=", plan.gamma, f" k={plan.k}")
    return diffpriv.sensitivitySampler(object, oracle, n, **options)

"""Warnings of values and arguments that look wrong, made from released numbers and public arguments alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import VariableBounds
from pydpstat._warn import warn_usage
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results.results import DPResults

# number of standard deviations of noise within which a number may equal a bound
_NOISE_LIMIT = 3.0
# a number whose noise is larger, as a share of the width of the bounds, does not say where the records are
_MAX_NOISE_SHARE = 0.01
# log weight of records inside the bounds, above that of all points, from which a bound is not selected by chance
_MIN_LOG_WEIGHT = 3.0


def warn_argument_order(function: str, name: str, share: float, epsilon: object, also: str = "epsilon") -> None:
    """Warn if the share of a quantile and epsilon look interchanged, as in R's order of arguments."""
    if share == 1 and checks.is_number(epsilon) and checks.as_float(epsilon) < 1.0:
        warn_usage(
            f"{function} was given {name}=1, the maximum, and {also}={epsilon:g}. The order is "
            f"{function}(x, {name}, {also}): if you meant the other order, write {function}(x, "
            f"{name}={epsilon:g}, {also}=1, ...)."
        )


def warn_values_at_bounds(
    statistic: str, variable: str | None, values: Floats, bounds: VariableBounds, sds: npt.ArrayLike = 0.0
) -> None:
    """Warn if a released mean or quantile is a bound, or with noise may be: then records may lie outside the bounds.

    `values` are those of one variable in all groups, and `sds` the standard deviations of their noise; with 0 a value
    must equal the bound. What is clipped is private, so that the released numbers alone decide.
    """
    lower, upper = bounds
    margins = _NOISE_LIMIT * np.broadcast_to(np.asarray(sds, dtype=np.float64), values.shape)
    informative = margins <= _MAX_NOISE_SHARE * (upper - lower)
    for bound, name, distances in ((lower, "lower", values - lower), (upper, "upper", upper - values)):
        at_bound = informative & (distances <= margins)
        if not at_bound.any():
            continue
        value = float(values[at_bound][0])
        subject = f"the {statistic}{f' of {variable}' if variable else ''}{' of a group' if values.size > 1 else ''}"
        relation = "is" if value == bound else "is within noise of"
        warn_usage(
            f"{subject}, {value:g}, {relation} the {name} bound. Many records, or all, have this value or lie outside "
            f"the bounds ({lower:g}, {upper:g}), to which they are clipped: are the bounds in the units of the data?",
            "values at bounds",
        )
        return


def warn_means_at_bounds(result: DPResults, names: Sequence[str | None], bounds: Sequence[VariableBounds]) -> None:
    """Warn of released means of variables, in all groups, that are at a bound, except for noise."""
    sds = np.asarray(result.post.compute_standard_error(result.noise, result.value), dtype=np.float64)
    shape = -1, len(bounds)
    values, sds = result.value.reshape(shape), np.broadcast_to(sds, result.value.shape).reshape(shape)
    for column, (name, pair) in enumerate(zip(names, bounds)):
        warn_values_at_bounds(result.statistic.replace("_", " "), name, values[:, column], pair, sds[:, column])


def warn_quantiles_at_bounds(
    result: DPResults, variable: str | None, shares: Floats, *, n_groups: int, n_points: int, n_parts: int
) -> None:
    """Warn if all released quantiles of a group are a bound, unless chance may have selected it.

    They were selected from `n_points` points in `n_parts` parts of epsilon. A private number of records is not used.
    """
    inner_shares = np.minimum(shares, 1 - shares)
    # the smallest and the largest record may well be a bound
    if not inner_shares.any():
        return
    if result.nobs is not None:
        log_weight = float(inner_shares.max()) * result.nobs / n_groups * result.epsilon / (2 * n_parts)
        if log_weight < math.log(n_points) + _MIN_LOG_WEIGHT:
            return
    bounds = cast(VariableBounds, result.bounds)
    values = np.asarray(result.value, dtype=np.float64).reshape(n_groups, -1)
    # some of several quantiles may be a bound as well
    alike = np.where(values.min(axis=1) == values.max(axis=1), values[:, 0], np.nan)
    warn_values_at_bounds(result.statistic, variable, alike, bounds)

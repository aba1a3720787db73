"""Records of a fit as R prepares them: checked, clipped, scaled to length 1, labels read."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat.dppack._models.design import design_matrix
from pydpstat.dppack._models.linear_algebra import Floats
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import doubles
from pydpstat.random import Source

Bounds = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass
class Records:
    """What a fit works with; it lives no longer than the fit.

    Parameters
    ----------
    X : ndarray of shape (n, d), column-major
    y : ndarray of shape (n,)
    names : tuple of str
        The coefficients' names.
    bounds : (tuple, tuple)
        Upper and lower bounds as given.
    limits : ndarray of shape (d,)
        The largest size of each column, by the bounds.
    divisors : ndarray of shape (d,)
        What the coefficients are divided by at the end.
    weights : ndarray of shape (n,) or None
    weight : float
        Upper bound of the weights.
    expand : callable, optional
        Turns the records into those of a kernel's features, which it draws from the source.
    """

    X: Floats
    y: Floats
    names: tuple[str, ...]
    bounds: Bounds
    limits: Floats
    divisors: Floats
    weights: Floats | None = None
    weight: float = 1.0
    expand: Callable[[Records, Source | None], Records] | None = None


def read_records(X: Any, y: Any, add_bias: bool) -> Records:
    """Read predictors and responses."""
    matrix, names = design_matrix(X, add_bias)
    responses = response(y)
    if matrix.shape[0] != responses.size or not responses.size or not names:
        raise PydpstatError(
            f"X and y must have the same number of rows, at least one, and X a column; got "
            f"{matrix.shape[0]} and {responses.size} rows and {matrix.shape[1]} columns."
        )
    if not (np.isfinite(matrix).all() and np.isfinite(responses).all()):
        _refuse_missing(matrix, responses)
    ones = np.ones(len(names))
    return Records(matrix, responses, names, ((), ()), ones, ones)


def response(y: Any) -> Floats:
    """Return responses, one a record; a frame or matrix must have one column."""
    if hasattr(y, "columns"):
        y = np.asarray(y)
    if isinstance(y, str) or y is None or str(getattr(y, "dtype", "")) == "category":
        raise PydpstatError(f"y must be a numeric vector; got {type(y).__name__}. Give numbers 0 and 1.")
    shape = checks.array_of(y).shape
    if len(shape) > 1 and shape[1] != 1:
        raise PydpstatError(f"y must have one column; got {shape[1]}.")
    return doubles(y, "y")


def clip_records(records: Records, upper_bounds: Any, lower_bounds: Any, add_bias: bool) -> Records:
    """Move the columns onto their bounds; the bias column's are 1."""
    columns = len(records.names)
    given = columns - 1 if add_bias else columns
    upper, lower = bound_vector(upper_bounds, "upper_bounds"), bound_vector(lower_bounds, "lower_bounds")
    for bounds, name in ((upper, "upper_bounds"), (lower, "lower_bounds")):
        if bounds.size != given:
            raise PydpstatError(
                f"Length of {name} must be equal to the number of columns of X, {given}; got {bounds.size}."
            )
    kept = (tuple(upper.tolist()), tuple(lower.tolist()))
    if add_bias:
        upper, lower = np.append(1.0, upper), np.append(1.0, lower)
    X = records.X
    # the upper bound first, as in R: it matters where the bounds are reversed
    np.minimum(X, upper, out=X)
    np.maximum(X, lower, out=X)
    if not np.isfinite(X).all():
        _refuse_missing(X, records.y)
    limits = np.maximum(np.abs(lower), np.abs(upper))
    return replace(records, bounds=kept, limits=limits)


def scale_records(records: Records) -> Records:
    """Divide each column by its limit and by the root of their number: no record is longer than 1."""
    root = math.sqrt(len(records.names))
    if not np.all(records.limits > 0.0):
        raise PydpstatError("upper_bounds and lower_bounds must not both be 0 for a column; leave it out.")
    with np.errstate(invalid="ignore"):
        np.divide(records.X, records.limits, out=records.X)
    np.divide(records.X, root, out=records.X)
    return replace(records, limits=np.full(records.limits.shape, 1.0 / root), divisors=records.limits * root)


def bound_vector(values: Any, name: str) -> Floats:
    """Return bounds as a vector of numbers that are not missing."""
    if values is None:
        raise PydpstatError(f"{name} must be a vector of numbers; got None. Give a public bound a column.")
    try:
        bounds = doubles(np.atleast_1d(np.asarray(values)), name)
    except (TypeError, ValueError) as error:
        if isinstance(error, PydpstatError):
            raise
        raise PydpstatError(f"{name} must be a vector of numbers; got {checks.shown(values)}.") from None
    if np.isnan(bounds).any():
        raise PydpstatError(
            f"{name} must not be missing; got {checks.shown(values)}. Give a number a column."
        )
    return bounds


def binary_labels(y: Floats) -> None:
    """Check labels 0 and 1; the message shows none."""
    if not np.all((y == 0.0) | (y == 1.0)):
        raise PydpstatError("y must be a numeric vector of binary labels 0 and 1; got another value in it.")


def read_weights(records: Records, weights: Any, upper_bound: Any) -> Records:
    """Read the records' weights and move them onto their public upper bound."""
    if upper_bound is None:
        raise PydpstatError(
            "weights_upper_bound must be given if weights are; got None. Give a public bound, for example 1."
        )
    values, bound = doubles(weights, "weights"), checks.scalar(upper_bound, "weights_upper_bound")
    if values.size != records.y.size:
        raise PydpstatError(
            f"weights must be same length as label vector y, {records.y.size}; got {values.size}."
        )
    if not np.all(values >= 0.0):
        raise PydpstatError("Weights must be nonnegative and not missing; got another value among them.")
    return replace(records, weights=np.minimum(values, bound), weight=bound)


def _refuse_missing(X: Floats, y: Floats) -> None:
    """Refuse what R cannot fit: a missing value, or an infinite one within infinite bounds."""
    if np.isnan(X).any() or np.isnan(y).any():
        raise PydpstatError("X and y must not have missing values, on which R stops; replace them first.")

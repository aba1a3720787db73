"""Preparation of records for a fit as in R: reading, checks, clipping, scaling and division into groups."""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.containers import (
    find_library,
    get_column_names,
    get_columns,
    has_columns,
    has_rows,
    is_categorical,
    is_frame,
    take_rows,
)
from pydpstat._data.native import read_frame, read_variable, to_public_list
from pydpstat._data.values import suggest_columns
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import to_doubles
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results.model_results import ModelResults

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class FitRecords:
    """Data of a fit, which exist only during the fit.

    X, of shape (n, d), is column-major. `bounds` are the upper and the lower bounds as given, `limits` the largest
    absolute value of each column by them, and the coefficients are divided by `divisors` at the end. `max_weight`
    is the upper bound of the weights; `response_transform` has the shift and the divisor of the response.
    """

    X: Floats
    y: Floats
    names: tuple[str, ...]
    bounds: tuple[tuple[float, ...], tuple[float, ...]]
    limits: Floats
    divisors: Floats
    weights: Floats | None = None
    max_weight: float = 1.0
    response_transform: tuple[float, float] | None = None

    def unscale_coefficients(self, coeff: Floats) -> Floats:
        """Transform coefficients of the scaled records to those of the records as given."""
        coeff = coeff / self.divisors
        if self.response_transform is not None:
            shift, scale = self.response_transform
            coeff = coeff * scale
            coeff[0] += shift
        return coeff


def build_design_matrix(X: npt.ArrayLike, add_bias: bool = False) -> tuple[Floats, tuple[str, ...]]:
    """Return predictors as a new column-major matrix, and the names of the columns.

    With `add_bias` a column "bias" of ones is put in front, as R does for data frames only; an existing column of
    this name is replaced. Error messages show only the type and shape of X.
    """
    X = read_frame(X, "X", needs_order=True) if find_library(X) else X
    if is_frame(X):
        return _convert_frame(X, add_bias)
    if add_bias:
        raise PydpstatError(
            f"X must be a DataFrame if add_bias is True; got {type(X).__name__}. Give "
            "pandas.DataFrame(X), or add the column of ones yourself."
        )
    try:
        matrix = np.array(X)
    except (TypeError, ValueError):
        raise PydpstatError(
            f"X must have rows of equal length; got {type(X).__name__}, which cannot be converted to a matrix."
        ) from None
    if matrix.ndim != 2:
        hint = suggest_columns(X, "Give x.reshape(-1, 1) for a single predictor.")
        raise PydpstatError(
            f"X must be a DataFrame or a matrix with a row for each record; got {type(X).__name__} "
            f"with {matrix.ndim} dimensions. {hint}"
        )
    values = _convert_to_floats(matrix)
    return np.asfortranarray(values), tuple(f"x{j + 1}" for j in range(values.shape[1]))


def read_predictors(X: npt.ArrayLike, add_bias: bool = False) -> Floats:
    """Return new records for a prediction; a vector is one column, as in R's as.matrix."""
    X = read_frame(X, "X", needs_order=True) if find_library(X) else X
    if np.ndim(X) == 1 and not has_columns(X) and not add_bias:
        X = np.reshape(np.asarray(X), (-1, 1))
    return build_design_matrix(X, add_bias)[0]


def _convert_frame(X: pd.DataFrame, add_bias: bool) -> tuple[Floats, tuple[str, ...]]:
    names = list(get_column_names(X))
    columns: list[np.ndarray] = list(map(np.asarray, get_columns(X)))
    if add_bias:
        if names == ["bias"]:
            raise PydpstatError(
                "X must not have a column 'bias' if add_bias is True; rename it, or leave add_bias out."
            )
        index = names.index("bias") if "bias" in names else len(names)
        names[index : index + 1], columns[index : index + 1] = ["bias"], [np.ones(len(X))]
        # R moves the last column to the front, even if it is not the bias
        names.insert(0, names.pop())
        columns.insert(0, columns.pop())
    values = np.empty((len(X), len(names)), order="F")
    for j, column in enumerate(columns):
        values[:, j] = _convert_to_floats(column)
    return values, tuple(names)


def _convert_to_floats(values: np.ndarray) -> Floats:
    if values.dtype.kind == "O":
        plain = [np.nan if value is None else value for value in values.ravel().tolist()]
        # values that do not form an array of this shape raise the error below
        with contextlib.suppress(TypeError, ValueError):
            values = np.array(plain).reshape(values.shape)
    if values.dtype.kind not in "fiub":
        raise PydpstatError(
            f"X must have numeric columns only; got one of type {values.dtype}. Convert factors and "
            "strings to indicator columns first."
        )
    return values.astype(np.float64)


def read_records(X: npt.ArrayLike, y: npt.ArrayLike, add_bias: bool) -> FitRecords:
    """Read predictors and responses."""
    matrix, names = build_design_matrix(X, add_bias)
    responses = read_response(y)
    if matrix.shape[0] != responses.size or not responses.size or not names:
        raise PydpstatError(
            f"X and y must have the same number of rows, at least one, and X a column; got "
            f"{matrix.shape[0]} and {responses.size} rows and {matrix.shape[1]} columns."
        )
    if np.isnan(matrix).any() or np.isnan(responses).any():
        raise PydpstatError("X and y must not have missing values, on which R stops; replace them first.")
    ones = np.ones(len(names))
    return FitRecords(matrix, responses, names, ((), ()), ones, ones)


def read_response(y: npt.ArrayLike) -> Floats:
    """Read responses, one per record; a frame or matrix must have one column."""
    y = read_variable(y, "y", needs_order=True) if find_library(y) else y
    if has_columns(y):
        y = checks.to_array(y)
    if isinstance(y, str) or y is None or is_categorical(y):
        raise PydpstatError(f"y must be a numeric vector; got {type(y).__name__}. Give numbers 0 and 1.")
    shape = checks.to_array(y).shape
    if len(shape) > 1 and shape[1] != 1:
        raise PydpstatError(f"y must have one column; got {shape[1]}.")
    return to_doubles(y, "y")


def clip_records(
    records: FitRecords,
    upper_bounds: npt.ArrayLike | None,
    lower_bounds: npt.ArrayLike | None,
    add_bias: bool,
    clip_response: bool = False,
) -> FitRecords:
    """Clip the columns to their bounds; those of the bias column are 1.

    With `clip_response` the last bounds are those of y, which is clipped likewise.
    """
    columns = len(records.names)
    n_features = columns - 1 if add_bias else columns
    upper, lower = (
        read_bound_vector(upper_bounds, "upper_bounds"),
        read_bound_vector(lower_bounds, "lower_bounds"),
    )
    for bounds, name in ((upper, "upper_bounds"), (lower, "lower_bounds")):
        if bounds.size != n_features + clip_response:
            hint = f" plus 1 (for y), {n_features + 1}" if clip_response else f", {n_features}"
            raise PydpstatError(
                f"Length of {name} must be equal to the number of columns of X{hint}; got {bounds.size}. "
                f"Give a list with one for each column{', and then that of y' * clip_response}."
            )
    given_bounds = (tuple(upper.tolist()), tuple(lower.tolist()))
    y = np.maximum(np.minimum(records.y, upper[-1]), lower[-1]) if clip_response else records.y
    upper, lower = upper[:n_features], lower[:n_features]
    if add_bias:
        upper, lower = np.append(1.0, upper), np.append(1.0, lower)
    X = records.X
    # the upper bound first, as in R: the order matters if the bounds are reversed
    np.minimum(X, upper, out=X)
    np.maximum(X, lower, out=X)
    limits = np.maximum(np.abs(lower), np.abs(upper))
    return replace(records, y=y, bounds=given_bounds, limits=limits)


def scale_records(records: FitRecords) -> FitRecords:
    """Divide each column by its limit and by the square root of their number, so that records have norm at most 1."""
    root = math.sqrt(len(records.names))
    _require_positive_limits(records)
    with np.errstate(invalid="ignore"):
        np.divide(records.X, records.limits, out=records.X)
    np.divide(records.X, root, out=records.X)
    return replace(records, limits=np.full(records.limits.shape, 1.0 / root), divisors=records.limits * root)


def scale_regression(records: FitRecords) -> FitRecords:
    """Divide columns and response by their bounds as in R; the last bounds are those of the response."""
    _require_positive_limits(records)
    upper, lower = records.bounds[0][-1], records.bounds[1][-1]
    size = len(records.names)
    # with a bias column there are as many coefficients as bounds, including those of y
    if size == len(records.bounds[0]):
        shift, scale = lower + (upper - lower) / 2.0, (upper - lower) / (2.0 * size)
    else:
        shift, scale = 0.0, max(abs(lower), abs(upper)) / size
    if scale == 0.0 or not np.isfinite([shift, scale]).all():
        raise PydpstatError(
            "the bounds of y, the last ones, must be finite, differ if add_bias is True, and "
            "otherwise not both be 0. Give public bounds of y."
        )
    np.divide(records.X, records.limits, out=records.X)
    return replace(records, y=(records.y - shift) / scale, divisors=records.limits, response_transform=(shift, scale))


def make_feature_records(records: FitRecords, count: int) -> FitRecords:
    """Return records to be mapped to `count` kernel features, each at most 1 / sqrt(count) in absolute value."""
    if not np.isfinite(records.X).all():
        raise PydpstatError("X must be finite with the Gaussian kernel, or R stops; replace infinite values first.")
    root = math.sqrt(2.0 / count)
    return replace(
        records,
        names=tuple(f"V{j + 1}" for j in range(count)),
        limits=np.full(count, 1.0 / math.sqrt(count)),
        divisors=np.full(count, root * math.sqrt(count)),
    )


def read_bound_vector(values: npt.ArrayLike | None, name: str) -> Floats:
    """Read bounds as a vector of numbers without missing values."""
    values = to_public_list(values, name) if find_library(values) else values
    array = np.atleast_1d(checks.to_array(values))
    if array.size == 1 and array.dtype.kind == "O" and array.reshape(-1)[0] is None:
        # the result of a ragged list
        raise PydpstatError(
            f"{name} must be a vector of numbers; got {checks.describe_value(values)}. Give a public bound for "
            "each column."
        )
    bounds = to_doubles(array, name)
    if np.isnan(bounds).any():
        raise PydpstatError(
            f"{name} must not be missing; got {checks.describe_value(values)}. Give a number for each column."
        )
    return bounds


def encode_binary_labels(y: Floats, labels: tuple[float, float]) -> Floats:
    """Check labels 0 and 1, without showing any in the message, and map them to `labels`."""
    if not np.all((y == 0.0) | (y == 1.0)):
        raise PydpstatError("y must be a numeric vector of binary labels 0 and 1; it has other values.")
    return y if labels == (0.0, 1.0) else np.where(y == 0.0, *labels)


def read_weights(records: FitRecords, weights: npt.ArrayLike, upper_bound: float | None) -> FitRecords:
    """Read the weights of the records and clip them to their public upper bound."""
    if upper_bound is None:
        raise PydpstatError(
            "weights_upper_bound must be given if weights are; got None. Give a public bound, for example 1."
        )
    values, bound = to_doubles(weights, "weights"), checks.check_scalar(upper_bound, "weights_upper_bound")
    if values.size != records.y.size:
        raise PydpstatError(f"weights must be same length as label vector y, {records.y.size}; got {values.size}.")
    if not np.all(values >= 0.0):
        raise PydpstatError("Weights must be nonnegative and not missing; there are other values.")
    return replace(records, weights=np.minimum(values, bound), max_weight=bound)


def _require_positive_limits(records: FitRecords) -> None:
    if not np.all(records.limits > 0.0):
        raise PydpstatError("upper_bounds and lower_bounds must not both be 0 for a column; leave it out.")


class Model(Protocol):
    """Methods of a model that can be tuned."""

    results: ModelResults | None
    fit: Callable[..., ModelResults]
    predict: Callable[..., Floats]


class RecordGroups:
    """Division of the records into m + 1 groups by position, the last one for validation."""

    def __init__(
        self,
        DPmodels: object,
        X: object,
        y: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        weights_upper_bound: float | None = None,
    ) -> None:
        if not isinstance(DPmodels, (list, tuple)) or not DPmodels or not all(map(_is_model, DPmodels)):
            raise PydpstatError(
                "DPmodels must be a list of model objects, at least one; "
                f"got {type(DPmodels).__name__}. Give for example [LogisticRegressionDP('l2', 1.0, 1.0)]."
            )
        y = read_variable(y, "y", needs_order=True) if find_library(y) else y
        if has_columns(y):
            raise PydpstatError("y must be a vector, not a DataFrame, on which R stops here; give y.iloc[:, 0].")
        X = read_frame(X, "X", needs_order=True) if find_library(X) else X
        self.models: list[Model] = list(DPmodels)
        self.X = X if has_rows(X) else checks.to_array(X)
        self.y = read_response(y)
        self.weights = None if weights is None else to_doubles(weights, "weights")
        self.weights_upper_bound = weights_upper_bound
        self.n, self.step = self.y.size, len(self.models) + 1
        has_few_weights = self.weights is not None and self.weights.size < self.n
        # longer data are truncated to the length of y, as in R
        if self.X.ndim != 2 or len(self.X) < self.n or has_few_weights or self.n < self.step:
            raise PydpstatError(
                "X must be a DataFrame or matrix with a row, and weights an element, for each record of y. "
                f"There must be at least {self.step} records, one more than models; got {self.n} records."
            )
        self.eps = checks.check_epsilon(getattr(self.models[0], "eps", None), "eps of the first model")

    def require_argument(self, method: str, argument: str, advice: str) -> None:
        """Check that a method of all models has an argument."""
        for model in self.models:
            if argument not in inspect.signature(getattr(model, method)).parameters:
                raise PydpstatError(
                    f"DPmodels: {method} of {type(model).__name__} has no argument {argument}. {advice}"
                )

    def get_group(self, index: int) -> tuple[npt.ArrayLike, Floats, dict[str, object]]:
        """Return predictors, responses and weights of a group, as arguments of `fit`.

        Groups are counted from 0; group m, after those of all models, is for validation.
        """
        group = slice(index, self.n, self.step)
        options: dict[str, object] = {}
        if self.weights is not None:
            options = {"weights": self.weights[group], "weights_upper_bound": self.weights_upper_bound}
        return take_rows(self.X, group), self.y[group], options


def _is_model(model: object) -> bool:
    return callable(getattr(model, "fit", None)) and callable(getattr(model, "predict", None))

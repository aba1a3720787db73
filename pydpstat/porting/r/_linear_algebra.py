"""R's matrix products, inverses and related functions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._matrices import as_matrix, colnames, rownames, set_colnames, set_rownames, t
from pydpstat.porting.r._shapes import (
    Array,
    BlankNamedList,
    MatrixAxisNames,
    count_dimensions,
    get_dimnames,
    make_list,
    parse_dimnames,
    to_vector,
    with_dimnames,
    with_names,
)
from pydpstat.porting.r._summaries import _drop_missing, mean, sum
from pydpstat.porting.r._values import Value, Vector, to_strings
from pydpstat.r_arithmetic.moments import HAS_80_BIT, sum_long_doubles


def diag(x: Value = 1.0, nrow: int | None = None) -> Array:
    """Return the diagonal of a matrix, a matrix with a diagonal, or an identity matrix.

    Examples
    --------
    >>> diag(2)
    array([[1., 0.],
           [0., 1.]])
    """
    if count_dimensions(x) == 2:
        return np.diagonal(np.asarray(x)).copy()
    values = to_vector(x)
    if values.size == 1 and nrow is None:
        return np.eye(int(values[0]))
    return np.diag(np.resize(values, int(nrow) if nrow else values.size))


# reciprocal condition number below which the digits of a solution are those of the library
_MIN_INVERSE_CONDITION = 1e-10


def solve(a: Value, b: Value = None) -> Value:
    """Solve ``a %*% x == b``, or invert a matrix, by LAPACK as R does.

    The last bits depend on NumPy's library. Computationally singular matrices are refused, as in R.

    Examples
    --------
    >>> solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    array([1. , 0.5])
    """
    left = np.asarray(as_matrix(a), dtype=np.float64)
    if left.shape[0] != left.shape[1]:
        raise PydpstatError(f"a must have as many rows as columns; got {left.shape}")
    with np.errstate(all="ignore"):
        inverse_condition = 1 / np.linalg.cond(left, 1) if np.linalg.slogdet(left)[0] else 0.0
    if _MIN_INVERSE_CONDITION > inverse_condition >= np.finfo(float).eps:
        raise PydpstatError("a is nearly singular, so that R's digits depend on its library: scale or drop columns")
    if not inverse_condition >= np.finfo(float).eps:
        raise PydpstatError("a is computationally singular: some of its columns follow from the others")
    rows, columns = get_dimnames(as_matrix(a))
    if b is None:
        return with_dimnames(np.linalg.inv(left), (columns, rows))
    right = np.asarray(as_matrix(b), dtype=np.float64)
    if len(right) != len(left):
        raise PydpstatError(f"b must have {len(left)} rows, as a has; got {len(right)}")
    found = np.linalg.solve(left, right)
    return (
        with_dimnames(found, (columns, get_dimnames(b)[1]))
        if count_dimensions(b) == 2
        else with_names(found[:, 0], columns)
    )


def det(x: Value) -> float:
    """Return the determinant, computed from its logarithm as in R.

    Examples
    --------
    >>> round(det([[2.0, 0.0], [0.0, 3.0]]), 12)
    6.0
    """
    sign, size = np.linalg.slogdet(np.asarray(x, dtype=np.float64))
    return float(sign * np.exp(size))


def matmul(x: Value, y: Value) -> Array:
    """Return R's ``x %*% y``, summed in the order of the reference BLAS; the result is always a matrix.

    Examples
    --------
    >>> matmul([1, 2], [3, 4]), matmul(np.eye(2), [3, 4])
    (array([[11.]]), array([[3.],
           [4.]]))
    """
    left, right = as_matrix(x), as_matrix(y)
    if count_dimensions(x) < 2 and (count_dimensions(y) < 2 or len(left) == len(right)):
        left = t(left)
    if count_dimensions(y) < 2 and left.shape[1] == 1 != len(right):
        right = t(right)
    if left.shape[1] != right.shape[0]:
        raise PydpstatError(f"x must have as many columns as y has rows; got {left.shape} and {right.shape}")
    a, b = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        # in this case R sums in long double
        a, b = a.astype(np.longdouble), b.astype(np.longdouble)
    total = np.zeros((len(a), b.shape[1]), dtype=a.dtype)
    with np.errstate(invalid="ignore"):
        for column, row in zip(a.T, b):
            total += np.multiply.outer(column, row)
    return with_dimnames(total.astype(np.float64), (get_dimnames(left)[0], get_dimnames(right)[1]))


def crossprod(x: Value, y: Value = None) -> Array:
    """Return ``t(x) %*% y``, or ``t(x) %*% x`` without `y`.

    Examples
    --------
    >>> crossprod([1, 2])
    array([[5.]])
    """
    left, right = (each if count_dimensions(each) == 2 else to_vector(each) for each in (x, x if y is None else y))
    return matmul(t(as_matrix(left)), as_matrix(right))


def tcrossprod(x: Value, y: Value = None) -> Array:
    """Return ``x %*% t(y)``, or ``x %*% t(x)`` without `y`.

    Examples
    --------
    >>> tcrossprod([1, 2]).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    # a vector is a column, whose rows have no names
    left, right = (each if count_dimensions(each) == 2 else to_vector(each) for each in (x, x if y is None else y))
    return matmul(as_matrix(left), t(as_matrix(right)))


_SWEEP_OPERATORS = {"-": np.subtract, "+": np.add, "*": np.multiply, "/": np.divide}


def sweep(x: Value, MARGIN: int, STATS: Value, FUN: str | Callable[..., Value] = "-") -> Value:
    """Subtract a value from each row (1) or column (2) of a matrix, or apply another function.

    Examples
    --------
    >>> sweep(np.array([[1, 2], [3, 4]]), 2, [1, 2])
    array([[0, 0],
           [2, 2]])
    """
    if np.ndim(MARGIN):
        raise PydpstatError(f"MARGIN must be 1 or 2; got {list(MARGIN)!r:.60}")  # type: ignore[call-overload]
    source, stats = as_matrix(x), to_vector(STATS)
    if stats.size not in (1, source.shape[MARGIN - 1]):
        raise PydpstatError(f"STATS must have {source.shape[MARGIN - 1]} values; got {stats.size}")
    function = _SWEEP_OPERATORS[FUN] if isinstance(FUN, str) else FUN
    wide = np.broadcast_to(stats[:, None] if MARGIN == 1 else stats, source.shape)
    result = function(np.asarray(source), wide)
    if isinstance(x, pd.DataFrame):
        return pd.DataFrame(result, columns=x.columns, index=x.index)
    return with_dimnames(result, get_dimnames(source))


def isSymmetric(object: Value, tol: float = 100 * float(np.finfo(np.float64).eps)) -> bool:  # noqa: A002
    """Return whether a matrix is symmetric, up to a relative tolerance.

    Examples
    --------
    >>> isSymmetric(np.eye(2)), isSymmetric(np.ones((1, 2)))
    (True, False)
    """
    x = np.asarray(as_matrix(object), np.float64)
    if x.shape[0] != x.shape[1]:
        return False
    apart, scale = np.abs(x - x.T).sum(), np.abs(x).sum()
    return bool(apart <= tol * scale) and get_dimnames(as_matrix(object))[0] == get_dimnames(as_matrix(object))[1]


def upper_tri(x: Value, diag: bool = False) -> Array:
    """Return whether each cell of a matrix is above the diagonal.

    Examples
    --------
    >>> upper_tri(np.ones((2, 2)))
    array([[False,  True],
           [False, False]])
    """
    return np.triu(np.ones(np.shape(x), bool), 1 - diag)


def lower_tri(x: Value, diag: bool = False) -> Array:
    """Return whether each cell of a matrix is below the diagonal.

    Examples
    --------
    >>> lower_tri(np.ones((2, 2)))
    array([[False, False],
           [ True, False]])
    """
    return np.tril(np.ones(np.shape(x), bool), diag - 1)


def drop(x: Value) -> Value:
    """Return a matrix of one row or column as a vector, and other values unchanged.

    Examples
    --------
    >>> drop(np.ones((1, 2)))
    array([1., 1.])
    """
    names = [each for each, n in zip(get_dimnames(x), np.shape(x)) if n != 1]
    cells = np.squeeze(np.asarray(x))
    if cells.ndim == np.ndim(x):
        return x
    return with_names(cells, names[0]) if cells.ndim == 1 else with_dimnames(cells, names)


def array(data: Value = math.nan, dim: Value = None, dimnames: Value = None) -> Array:
    """Return an array with the given dimensions, filled with the first index varying fastest.

    Examples
    --------
    >>> int(array(range(1, 9), [2, 2, 2])[1, 0, 1])
    6
    """
    values = to_vector(list(data) if isinstance(data, range) else data, "data")
    shape = [values.size] if dim is None else to_vector(dim, "dim").astype(int).tolist()
    cells = np.resize(values, math.prod(shape)).reshape(shape, order="F")
    if len(shape) == 1:
        return with_names(cells, None if dimnames is None else dimnames[0])
    return with_dimnames(cells, *parse_dimnames(dimnames, len(shape)))


def dimnames(x: Value) -> Value:
    """Return the row and column names as a list, or NULL without names; the parts have a table's labels.

    Examples
    --------
    >>> dimnames(with_dimnames(np.ones((1, 2)), (None, ["a", "b"])))
    [None, array(['a', 'b'], dtype=object)]
    >>> dimnames(with_dimnames(np.ones((1, 1)), (["f"], ["no"]), ("sex", "smoker")))
    {'sex': array(['f'], dtype=object), 'smoker': array(['no'], dtype=object)}
    """
    found = [rownames(x), colnames(x)] if count_dimensions(x) == 2 else [*get_dimnames(x)]
    if all(each is None for each in found):
        return None
    labels = [None if each is None else np.array([*each], object) for each in found]
    axes = [str(each) for each in getattr(x, "axes", ())]
    if not any(axes):
        return BlankNamedList(labels) if axes else labels
    return make_list(labels, axes)


def set_dimnames(x: Value, value: Value) -> Value:
    """Return an array after R's ``dimnames(x) <- value``.

    Examples
    --------
    >>> set_dimnames(np.ones((1, 2)), [None, ["a", "b"]]).dimnames
    (None, ['a', 'b'])
    """
    if isinstance(value, dict):
        _, axes = parse_dimnames(value, len(value))
        return with_dimnames(np.asarray(x), set_dimnames(x, list(value.values())).dimnames, axes)
    if isinstance(getattr(x, "axes", ()), MatrixAxisNames):
        x = with_dimnames(np.asarray(x), x.dimnames)
    labels = [None if each is None else to_strings(each).tolist() for each in value or [None] * count_dimensions(x)]
    if len(labels) == count_dimensions(x) == 2:
        return set_colnames(set_rownames(x, labels[0]), labels[1])
    if [n if each is None else len(each) for n, each in zip(np.shape(x), labels)] != [*np.shape(x)]:
        raise PydpstatError(f"there must be names for the dimensions {list(np.shape(x))}")
    return with_dimnames(np.asarray(x), labels)


def scale(x: Value, center: bool = True, scale: bool = True) -> Value:
    """Center and scale columns by their means and standard deviations; a vector is a column.

    Examples
    --------
    >>> scale([1, 2, 3]).tolist()
    [[-1.0], [0.0], [1.0]]
    """
    source = as_matrix(x)
    cells, attributes, names = np.array(source, np.float64), {}, get_dimnames(source)
    with np.errstate(all="ignore"):
        for on, key in ((center, "scaled:center"), (scale, "scaled:scale")):
            if on:
                known = [_drop_missing(each, True) for each in cells.T]
                found = np.array(
                    [
                        _compute_column_mean(each) if key == "scaled:center" else _compute_root_mean_square(each)
                        for each in known
                    ]
                )
                cells = cells - found if key == "scaled:center" else cells / found
                attributes[key] = with_names(found, names[1])
    result = with_dimnames(cells, names)
    result.attributes = attributes  # type: ignore[attr-defined]
    return result


def _compute_column_mean(x: Vector) -> float:
    return float(sum_long_doubles(x) / np.longdouble(x.size)) if HAS_80_BIT else mean(x)


def _compute_root_mean_square(x: Vector) -> float:
    return math.sqrt(sum(x * x) / max(1, x.size - 1))

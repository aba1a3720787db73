"""R's functions of matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._groups import as_matrix, is_table
from pydpstat.porting.r._shapes import Array, Matrix, Names, dimnames_of, named, vector
from pydpstat.r_arithmetic.moments import wide_sum


def matrix(
    data: Any = math.nan,
    nrow: int | None = None,
    ncol: int | None = None,
    byrow: bool = False,
    dimnames: Any = None,
) -> Array:
    """Return a matrix of values that are repeated as often as it needs, by columns unless `byrow`.

    Examples
    --------
    >>> matrix([1, 2, 3, 4], nrow=2)
    array([[1, 3],
           [2, 4]])
    """
    values = vector(data, "data")
    if nrow is None:
        nrow = math.ceil(values.size / ncol) if ncol else values.size
    ncol = math.ceil(values.size / nrow) if ncol is None and nrow else ncol or 0
    shape = (int(nrow), int(ncol))
    cells = np.resize(values if values.size else np.array([math.nan]), shape[0] * shape[1])
    names = [None if each is None else vector(each).tolist() for each in dimnames or (None, None)]
    return named(cells.reshape(shape, order="C" if byrow else "F"), names)


def dim(x: Any) -> Array | None:
    """Return the numbers of rows and columns of a matrix, table or frame, and None for a vector.

    Examples
    --------
    >>> dim(np.ones((2, 3)))
    array([2, 3])
    """
    shape = np.shape(getattr(x, "counts", x))
    return np.array(shape) if len(shape) > 1 or is_table(x) else None


def nrow(x: Any) -> int | None:
    """Return the number of rows, and None for a vector.

    Examples
    --------
    >>> nrow(np.ones((2, 3))), nrow([1, 2])
    (2, None)
    """
    return None if (sides := dim(x)) is None else int(sides[0])


def ncol(x: Any) -> int | None:
    """Return the number of columns, and None for a vector.

    Examples
    --------
    >>> ncol(np.ones((2, 3)))
    3
    """
    return None if (sides := dim(x)) is None or len(sides) < 2 else int(sides[1])


def _names(x: Any, axis: int) -> Any:
    if isinstance(x, (list, tuple, dict)):
        return None
    found = dimnames_of(as_matrix(x))[axis] if np.ndim(x) > 1 or is_table(x) else None
    return None if found is None else np.array(found, dtype=object)


def rownames(x: Any) -> Any:
    """Return the names of a matrix's rows, or None. Those of a frame are its numbers of rows.

    Examples
    --------
    >>> rownames(pd.DataFrame({"a": [1.5]})).tolist()
    ['1']
    """
    if isinstance(x, pd.DataFrame):
        return np.array([row_name(each) for each in x.index], dtype=object)
    return _names(x, 0)


def row_name(label: object) -> str:
    """Return the name of a frame's row: R counts from 1 what the index counts from 0.

    Examples
    --------
    >>> row_name(0), row_name("a")
    ('1', 'a')
    """
    return str(label + 1) if isinstance(label, (int, np.integer)) else str(label)


def colnames(x: Any) -> Any:
    """Return the names of the columns of a matrix or frame, or None.

    Examples
    --------
    >>> colnames(pd.DataFrame({"a": [1.5]})).tolist()
    ['a']
    """
    if isinstance(x, pd.DataFrame):
        return np.array(list(x.columns), dtype=object)
    return None if is_table(x) else _names(x, 1)


def set_dimnames(x: Any, rows: Any = None, columns: Any = None) -> Any:
    """Return a matrix or frame with other names of rows or columns, as after ``colnames(x) <- names``.

    Examples
    --------
    >>> set_dimnames(np.ones((1, 2)), columns=["a", "b"])["a"].tolist()
    Traceback (most recent call last):
    ...
    pydpstat.errors.PydpstatError: there is no row or column 'a': the names are None
    """
    given = [None if each is None else vector(each).tolist() for each in (rows, columns)]
    if wrong := [(len(g), n) for g, n in zip(given, np.shape(x)) if g is not None and len(g) != n]:
        raise PydpstatError(f"there must be {wrong[0][1]} names; got {wrong[0][0]}")
    if isinstance(x, pd.DataFrame):
        index, labels = (given[0] or x.index), (given[1] or x.columns)
        return x.set_axis(pd.Index(index), axis=0).set_axis(pd.Index(labels, dtype=object), axis=1)
    return named(x, [g or own for g, own in zip(given, dimnames_of(as_matrix(x)))])


def cells(x: Any, i: Any = None, j: Any = None, drop: bool = True) -> Any:
    """Return ``x[i, j]`` of a matrix, table or frame, by R's places from 1, names or truth values.

    Examples
    --------
    >>> m = matrix([1, 2, 3, 4], nrow=2)
    >>> int(cells(m, 2, 1)), cells(m, None, -1), cells(m, 1, drop=False)
    (2, array([3, 4]), array([[1, 3]]))
    """
    frame = isinstance(x, pd.DataFrame)
    source = x if frame else as_matrix(x)
    names = (rownames(x), colnames(x)) if frame else dimnames_of(source)
    rows, columns = (_places(k, n, names[a]) for a, (k, n) in enumerate(zip((i, j), source.shape)))
    if frame:
        picked = source.iloc[rows, columns]
        return column_of(picked) if drop and len(columns) == 1 else picked
    kept = [None if n is None else [n[k] for k in p] for n, p in zip(names, (rows, columns))]
    result = np.asarray(source)[np.ix_(rows, columns)]
    if not drop or min(result.shape) != 1:
        return named(result, kept, getattr(source, "axes", ()))
    if result.size == 1:
        return result[0, 0]
    labels = kept[0] if result.shape[1] == 1 else kept[1]
    return (
        result.ravel() if labels is None else pd.Series(result.ravel(), index=pd.Index(labels, dtype=object))
    )


def column_of(frame: pd.DataFrame) -> Any:
    """Return a frame's only column as a vector; one of one row is a single value.

    Examples
    --------
    >>> column_of(pd.DataFrame({"a": [1, 2]}))
    array([1, 2])
    """
    only = frame.iloc[:, 0]
    values = only.array if isinstance(only.dtype, pd.CategoricalDtype) else vector(only)
    return values[0] if len(values) == 1 and isinstance(values, np.ndarray) else values


def replaced_cells(x: Any, i: Any, j: Any, value: Any) -> Any:
    """Return what a matrix or frame is after ``x[i, j] <- value``.

    Examples
    --------
    >>> replaced_cells(np.zeros((2, 2)), None, 1, [5, 6])
    array([[5., 0.],
           [6., 0.]])
    """
    if isinstance(x, pd.DataFrame):
        rows, columns = _places(i, len(x), rownames(x)), _places(j, x.shape[1], colnames(x))
        parts = np.resize(vector(value), len(rows) * len(columns)).reshape((len(rows), -1), order="F")
        new = x.copy()
        for place, part in zip(columns, parts.T):
            values = vector(x.iloc[:, place])
            values = values.astype(np.result_type(values, part))
            values[rows] = part
            new[x.columns[place]] = values
        return new
    source, new_value = as_matrix(x), vector(value)
    places = [_places(k, n, names) for k, n, names in zip((i, j), source.shape, dimnames_of(source))]
    result = np.array(source, dtype=np.result_type(source, new_value))
    count = len(places[0]) * len(places[1])
    if not new_value.size or count % new_value.size:
        raise PydpstatError(f"value must have a length that divides {count}; got {new_value.size}")
    result[np.ix_(*places)] = np.resize(new_value, count).reshape([len(p) for p in places], order="F")
    return named(result, dimnames_of(source), getattr(source, "axes", ()))


def _places(key: Any, n: int, names: Any) -> list[int]:
    """The places from 0 for R's index of rows or columns."""
    if key is None:
        return list(range(n))
    keys = vector(key)
    if keys.dtype.kind == "O":
        known = {} if names is None else {name: place for place, name in reversed(list(enumerate(names)))}
        if unknown := [each for each in keys if each not in known]:
            raise PydpstatError(f"there is no row or column {unknown[0]!r}: the names are {list(known)}")
        return [known[each] for each in keys]
    if keys.dtype.kind == "b":
        if keys.size == 0 or n % keys.size:
            raise PydpstatError(f"an index of truth values must have one for each of {n}; got {keys.size}")
        return np.flatnonzero(np.resize(keys, n)).tolist()
    whole = [int(each) for each in keys.tolist() if each == each and abs(each) <= n]
    if len(whole) < keys.size or (min(whole, default=0) < 0 < max(whole, default=0)):
        raise PydpstatError(f"an index must be from 1 to {n}, or negative; got {keys.tolist()}")
    if min(whole, default=0) < 0:
        return [place for place in range(n) if -place - 1 not in whole]
    return [each - 1 for each in whole if each]


def t(x: Any) -> Array:
    """Return the transpose of a matrix or frame; a vector becomes a matrix of one row.

    Examples
    --------
    >>> t([1, 2])
    array([[1, 2]])
    """
    source = as_matrix(x)
    return named(np.asarray(source).T, dimnames_of(source)[::-1])


def diag(x: Any = 1.0, nrow: int | None = None) -> Array:
    """Return a matrix's diagonal, a matrix with that diagonal, or for one number an identity matrix.

    Examples
    --------
    >>> diag(2)
    array([[1., 0.],
           [0., 1.]])
    """
    if np.ndim(x) == 2:
        return np.diagonal(np.asarray(x)).copy()
    values = vector(x)
    if values.size == 1 and nrow is None:
        return np.eye(int(values[0]))
    return np.diag(np.resize(values.astype(np.float64), int(nrow) if nrow else values.size))


def solve(a: Any, b: Any = None) -> Array:
    """Return the solution of ``a %*% x == b``, or the inverse of a matrix, by LAPACK as R does.

    The last bits are those of NumPy's library. What R calls computationally singular is refused.

    Examples
    --------
    >>> solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    array([1. , 0.5])
    """
    left = (
        np.asarray(a, dtype=np.float64) if np.ndim(a) == 2 else np.asarray(a, dtype=np.float64).reshape(1, 1)
    )
    if left.shape[0] != left.shape[1]:
        raise PydpstatError(f"a must have as many rows as columns; got {left.shape}")
    with np.errstate(all="ignore"):
        singular = not np.linalg.det(left) or 1 / np.linalg.cond(left, 1) < np.finfo(float).eps
    if singular:
        raise PydpstatError("a is computationally singular: some of its columns follow from the others")
    names = dimnames_of(a)[::-1] if isinstance(a, Matrix) else (None, None)
    if b is None:
        return named(np.linalg.inv(left), names)
    right = np.asarray(b, dtype=np.float64)
    return np.linalg.solve(left, right if right.ndim == 2 else right.ravel())


def det(x: Any) -> float:
    """Return the determinant, from its logarithm as R's ``det``.

    Examples
    --------
    >>> round(det([[2.0, 0.0], [0.0, 3.0]]), 12)
    6.0
    """
    sign, size = np.linalg.slogdet(np.asarray(x, dtype=np.float64))
    return float(sign * np.exp(size))


def matmul(x: Any, y: Any) -> Array:
    """Return R's ``x %*% y``, summed in the order of the reference BLAS: a matrix, also of vectors.

    Examples
    --------
    >>> matmul([1, 2], [3, 4]), matmul(np.eye(2), [3, 4])
    (array([[11.]]), array([[3.],
           [4.]]))
    """
    if np.ndim(x) < 2 and np.ndim(y) < 2:
        left, right = as_matrix(x), as_matrix(y)
        same = len(left) == len(right)
        left, right = (t(left), right) if same or len(right) != 1 else (left, t(right))
    elif np.ndim(x) < 2:
        left, right = as_matrix(x), as_matrix(y)
        left = t(left) if len(left) == len(right) else left
    else:
        left, right = as_matrix(x), as_matrix(y)
        right = t(right) if np.ndim(y) < 2 and left.shape[1] != len(right) and left.shape[1] == 1 else right
    if left.shape[1] != right.shape[0]:
        raise PydpstatError(f"x must have as many columns as y has rows; got {left.shape} and {right.shape}")
    names = (dimnames_of(left)[0], dimnames_of(right)[1])
    a, b = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    wide = not (np.isfinite(a).all() and np.isfinite(b).all())
    total = np.zeros((len(a), b.shape[1]), dtype=np.longdouble if wide else np.float64)
    with np.errstate(invalid="ignore"):
        for column, row in zip(a.T, b):
            total += np.multiply.outer(column.astype(total.dtype), row)
    return named(total.astype(np.float64), names)


def crossprod(x: Any, y: Any = None) -> Array:
    """Return ``t(x) %*% y``, and ``t(x) %*% x`` without `y`.

    Examples
    --------
    >>> crossprod([1, 2])
    array([[5.]])
    """
    return matmul(t(x), as_matrix(x if y is None else y))


def tcrossprod(x: Any, y: Any = None) -> Array:
    """Return ``x %*% t(y)``, and ``x %*% t(x)`` without `y`.

    Examples
    --------
    >>> tcrossprod([1, 2]).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    return matmul(as_matrix(x), t(x if y is None else y))


def _sums(x: Any, axis: int, na_rm: bool, means: bool) -> Any:
    source = as_matrix(x)
    if np.ndim(getattr(x, "counts", x)) < 2:
        raise PydpstatError("x must be a matrix or a frame; got a vector")
    labels = dimnames_of(source)[axis]
    lines = np.asarray(source, dtype=np.float64) if axis == 0 else np.asarray(source, dtype=np.float64).T
    results = []
    for line in lines:
        line = line[~np.isnan(line)] if na_rm else line
        with np.errstate(invalid="ignore"):
            results.append(float(wide_sum(line) / np.longdouble(line.size) if means else wide_sum(line)))
    values = np.array(results, dtype=np.float64)
    return values if labels is None else pd.Series(values, index=pd.Index(labels, dtype=object))


def rowSums(x: Any, na_rm: bool = False) -> Any:
    """Return sums of rows.

    Examples
    --------
    >>> rowSums(np.array([[1, 2], [3, 4]]))
    array([3., 7.])
    """
    return _sums(x, 0, na_rm, False)


def colSums(x: Any, na_rm: bool = False) -> Any:
    """Return sums of columns, with the names of the columns.

    Examples
    --------
    >>> colSums(np.array([[1, 2], [3, 4]]))
    array([4., 6.])
    """
    return _sums(x, 1, na_rm, False)


def rowMeans(x: Any, na_rm: bool = False) -> Any:
    """Return means of rows.

    Examples
    --------
    >>> rowMeans(np.array([[1, 2], [3, 4]]))
    array([1.5, 3.5])
    """
    return _sums(x, 0, na_rm, True)


def colMeans(x: Any, na_rm: bool = False) -> Any:
    """Return means of columns, with the names of the columns.

    Examples
    --------
    >>> colMeans(np.array([[1, 2], [3, 4]]))
    array([2., 3.])
    """
    return _sums(x, 1, na_rm, True)


_SIGNS = {"-": np.subtract, "+": np.add, "*": np.multiply, "/": np.divide}


def sweep(x: Any, MARGIN: int, STATS: Any, FUN: str | Callable[..., Any] = "-") -> Any:
    """Return a matrix less a value for each row (1) or column (2), or combined with it by another function.

    Examples
    --------
    >>> sweep(np.array([[1, 2], [3, 4]]), 2, [1, 2])
    array([[0, 0],
           [2, 2]])
    """
    source, stats = as_matrix(x), vector(STATS)
    if stats.size not in (1, source.shape[MARGIN - 1]):
        raise PydpstatError(f"STATS must have {source.shape[MARGIN - 1]} values; got {stats.size}")
    function = _SIGNS[FUN] if isinstance(FUN, str) else FUN
    whole = np.broadcast_to(stats[:, None] if MARGIN == 1 else stats, source.shape)
    return named(function(np.asarray(source), whole), dimnames_of(source))


def bound(parts: list[Any], names: Names, axis: int) -> Array:
    """Return vectors and matrices one below the other (`axis` 0) or side by side, as ``rbind`` and ``cbind``.

    Examples
    --------
    >>> bound([np.array([1, 2]), 3], None, 0)
    array([[1, 2],
           [3, 3]])
    """
    labels = names or [""] * len(parts)
    wide = [as_matrix(p) if np.ndim(getattr(p, "counts", p)) > 1 else None for p in parts]
    sizes = [m.shape[1 - axis] for m in wide if m is not None] or [max(vector(p).size for p in parts)]
    if len(set(sizes)) > 1 or any(m is None and sizes[0] % vector(p).size for m, p in zip(wide, parts)):
        raise PydpstatError(f"vectors and matrices must have lengths that fit together; got {sizes}")
    blocks, own, others = [], [], None
    for part, block, label in zip(parts, wide, labels):
        if block is None:
            line = np.resize(vector(part), sizes[0])
            block = line[None, :] if axis == 0 else line[:, None]
            own.append(label)
            inner = list(part.index) if isinstance(part, pd.Series) and len(part) == sizes[0] else None
        else:
            along = dimnames_of(block)
            own += along[axis] or [""] * block.shape[axis]
            inner = along[1 - axis]
        blocks.append(np.asarray(block))
        others = others or inner
    if any(b.dtype.kind == "O" for b in blocks):
        blocks = [vector([*b.ravel().tolist(), ""])[:-1].reshape(b.shape) for b in blocks]
    final = own if any(own) else None
    return named(np.concatenate(blocks, axis=axis), (final, others) if axis == 0 else (others, final))

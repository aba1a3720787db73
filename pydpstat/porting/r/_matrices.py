"""R's functions for matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._integers import make_r_integer
from pydpstat.porting.r._shapes import (
    Array,
    count_dimensions,
    format_row_name,
    get_dimnames,
    get_element_names,
    get_names_and_elements,
    get_row_names,
    is_one_way_table,
    parse_dimnames,
    take_rows,
    to_vector,
    to_vector_or_factor,
    with_dimnames,
    with_names,
)
from pydpstat.porting.r._values import Value
from pydpstat.porting.r._values import to_single_integer as int_of
from pydpstat.r_arithmetic import Table
from pydpstat.r_arithmetic.moments import sum_long_doubles
from pydpstat.results.results import DPResults


def as_matrix(x: Value) -> Array:
    """Return a data frame, table or vector as a matrix; a vector becomes a column.

    Examples
    --------
    >>> as_matrix(pd.DataFrame({"a": [1, 2], "b": [0.5, 1]})).dimnames
    (None, ['a', 'b'])
    """
    if isinstance(x, DPResults):
        return with_dimnames(x, (list(x.estimate.index), list(x.estimate.columns)), ("", ""))
    if isinstance(x, Table):
        return with_dimnames(x.counts, list(map(list, x.dimnames)), x.names)
    if isinstance(x, pd.DataFrame):
        columns = [to_vector(each) for each in get_names_and_elements(x)[1]]
        if len({each.dtype.kind == "O" for each in columns}) > 1:
            raise PydpstatError("a frame must have numbers or strings only to become a matrix; it has both")
        cells = np.column_stack(columns) if columns else np.empty((len(x), 0))
        return with_dimnames(cells, (get_row_names(x), list(x.columns)))
    if count_dimensions(x) < 2:
        return with_dimnames(to_vector(x)[:, None], (get_element_names(x), None))
    return x if isinstance(x, np.ndarray) else np.asarray(x)


def matrix(
    data: Value = math.nan, nrow: Value = ..., ncol: Value = ..., byrow: bool = False, dimnames: Value = None
) -> Array:
    """Return a matrix of recycled values, filled by columns unless `byrow`.

    Examples
    --------
    >>> matrix([1, 2, 3, 4], nrow=2)
    array([[1, 3],
           [2, 4]])
    """
    values = to_vector(data, "data")
    rows = int_of(nrow) if nrow is not ... else values.size if ncol is ... else math.ceil(values.size / ncol)
    columns = int_of(ncol) if ncol is not ... else math.ceil(values.size / max(rows, 1))
    cells = np.resize(values if values.size else np.array([math.nan]), rows * columns)
    return with_dimnames(cells.reshape((rows, columns), order="C" if byrow else "F"), *parse_dimnames(dimnames, 2))


def dim(x: Any) -> Array | None:
    """Return the numbers of rows and columns of a matrix, table or data frame, or None for a vector.

    Examples
    --------
    >>> dim(np.ones((2, 3)))
    array([2, 3])
    """
    shape = np.shape(getattr(x, "counts", x))
    return np.array(shape) if len(shape) > 1 or is_one_way_table(x) else None


def nrow(x: Value) -> int | None:
    """Return the number of rows, or None for a vector.

    Examples
    --------
    >>> nrow(np.ones((2, 3))), nrow([1, 2])
    (2, None)
    """
    return None if (found := dim(x)) is None else make_r_integer(found[0])


def ncol(x: Value) -> int | None:
    """Return the number of columns, or None for a vector.

    Examples
    --------
    >>> ncol(np.ones((2, 3)))
    3
    """
    return None if (found := dim(x)) is None or len(found) < 2 else make_r_integer(found[1])


def _get_axis_names(x: Value, axis: int) -> Value:
    if isinstance(x, pd.DataFrame):
        found: Value = [x.columns if axis else [format_row_name(each) for each in x.index]][0]
    else:
        found = get_dimnames(as_matrix(x))[axis] if count_dimensions(x) > 1 or is_one_way_table(x) else None
    return None if found is None else np.array(list(found), dtype=object)


def rownames(x: Value) -> Value:
    """Return the row names of a matrix, or None; for a data frame, its row names or numbers.

    Examples
    --------
    >>> rownames(pd.DataFrame({"a": [1.5]})).tolist()
    ['1']
    """
    return _get_axis_names(x, 0)


def colnames(x: Value) -> Value:
    """Return the column names of a matrix or data frame, or None.

    Examples
    --------
    >>> colnames(pd.DataFrame({"a": [1.5]})).tolist()
    ['a']
    """
    return _get_axis_names(x, 1)


def set_rownames(x: Value, value: Value) -> Value:
    """Return a matrix or data frame with new row names.

    Examples
    --------
    >>> rownames(set_rownames(np.ones((1, 2)), ["a"])).tolist()
    ['a']
    """
    return _set_axis_names(x, value, 0)


def set_colnames(x: Value, value: Value) -> Value:
    """Return a matrix or data frame with new column names.

    Examples
    --------
    >>> colnames(set_colnames(np.ones((1, 2)), ["a", "b"])).tolist()
    ['a', 'b']
    """
    return _set_axis_names(x, value, 1)


def _set_axis_names(x: Value, value: Value, axis: int) -> Value:
    names = None if value is None else to_vector(value).tolist()
    if names is not None and len(names) != np.shape(x)[axis]:
        raise PydpstatError(f"there must be {np.shape(x)[axis]} names; got {len(names)}")
    if isinstance(x, pd.DataFrame):
        return x.reset_index(drop=True) if names is None else x.set_axis(pd.Index(names, dtype=object), axis=axis)
    own = list(get_dimnames(as_matrix(x)))
    own[axis] = names
    return with_dimnames(x, own, getattr(x, "axes", ()))


def cells(x: Value, *keys: Value, drop: bool = True) -> Value:
    """Return ``x[i, j]`` of a matrix, table or data frame, for positions from 1, names or logical values.

    None is an omitted key.

    Examples
    --------
    >>> m = matrix([1, 2, 3, 4], nrow=2)
    >>> int(cells(m, 2, 1)), cells(m, None, -1), cells(m, 1, drop=False)
    (2, array([3, 4]), array([[1, 3]]))
    """
    keys = keys if len(keys) > 1 else (*keys, None)
    if isinstance(x, pd.DataFrame):
        i, j = keys
        rows, columns = (
            resolve_axis_index(i, len(x), rownames(x)),
            resolve_axis_index(j, x.shape[1], x.columns),
        )
        if not drop or len(columns) != 1:
            return x.iloc[rows, columns]
        only = take_rows(to_vector_or_factor(x.iloc[:, columns[0]]), rows)
        return only[0] if len(only) == 1 and isinstance(only, np.ndarray) else only
    source = as_matrix(x)
    if len(keys) != source.ndim:
        raise PydpstatError(f"there must be a key for each of {source.ndim} dimensions; got {len(keys)}")
    at = [resolve_axis_index(k, n, names) for k, n, names in zip(keys, source.shape, get_dimnames(source))]
    kept = [None if n is None else [n[k] for k in p] for n, p in zip(get_dimnames(source), at)]
    result, axes = np.asarray(source)[np.ix_(*at)], getattr(source, "axes", ())
    left = [k for k, n in enumerate(result.shape) if n != 1 or not drop]
    if len(left) < 2:
        return with_names(result.ravel(), kept[left[0]]) if left else result.item()
    result = result.reshape([result.shape[k] for k in left])
    return with_dimnames(result, [kept[k] for k in left], [axes[k] for k in left] if axes else ())


def replaced_cells(x: Value, *given: Value) -> Value:
    """Return a matrix or data frame after R's ``x[i, j] <- value``, given the keys and the value.

    Examples
    --------
    >>> replaced_cells(np.zeros((2, 2)), None, 1, [5, 6])
    array([[5., 0.],
           [6., 0.]])
    """
    *keys, value = given
    frame, new = isinstance(x, pd.DataFrame), to_vector(value)
    names = [rownames(x), x.columns] if frame else get_dimnames(as_matrix(x))
    at = [resolve_axis_index(k, n, each) for k, n, each in zip(keys, np.shape(x), names, strict=True)]
    count = math.prod(map(len, at))
    if not new.size or count % new.size:
        raise PydpstatError(f"value must have a length that divides {count}; got {new.size}")
    block = np.resize(new, count).reshape([len(each) for each in at], order="F")
    if not frame:
        source = as_matrix(x)
        result = np.array(source, dtype=np.result_type(source, new))
        result[np.ix_(*at)] = block
        return with_dimnames(result, get_dimnames(source), getattr(source, "axes", ()))
    for place, part in zip(at[1], block.T):
        old = to_vector_or_factor(x.iloc[:, place])
        if isinstance(old, pd.Categorical) or (old.dtype.kind == "O") != (part.dtype.kind == "O"):
            raise PydpstatError(f"value must be of the kind of the column {x.columns[place]!r}, and no factor")
        old = old.astype(np.result_type(old, part))
        old[at[0]] = part
        x = x.assign(**{x.columns[place]: old})
    return x


def rows(x: pd.DataFrame, i: Value) -> pd.DataFrame:
    """Return ``x[i, ]`` of a data frame.

    Examples
    --------
    >>> rows(pd.DataFrame({"a": [1, 2, 3]}), [3, 1])["a"].tolist()
    [3, 1]
    """
    return cells(x, i, drop=False)


def columns(x: pd.DataFrame, j: Value) -> pd.DataFrame:
    """Return ``x[j]`` of a data frame.

    Examples
    --------
    >>> columns(pd.DataFrame({"a": [1], "b": [2]}), -1).columns.tolist()
    ['b']
    """
    return cells(x, None, j, drop=False)


def resolve_axis_index(key: Value, n: int, names: Value) -> list[int]:
    """Return the zero-based positions of an R index: numbers, negative numbers, names or logical values.

    Examples
    --------
    >>> resolve_axis_index(-1, 3, None), resolve_axis_index("b", 2, ["a", "b"])
    ([1, 2], [1])
    """
    keys = np.arange(1, n + 1) if key is None else to_vector(key)
    if keys.dtype.kind == "O":
        known = [] if names is None else list(names)
        if unknown := [each for each in keys if each not in known]:
            raise PydpstatError(f"there is no row or column {unknown[0]!r}: the names are {known}")
        return [known.index(each) for each in keys]
    if keys.dtype.kind == "b":
        if keys.size == 0 or n % keys.size:
            raise PydpstatError(f"an index of truth values must have one for each of {n}; got {keys.size}")
        return np.flatnonzero(np.resize(keys, n)).tolist()
    known = [int(each) for each in keys.tolist() if abs(each) <= n]
    if len(known) < keys.size or min(known, default=0) < 0 < max(known, default=0):
        raise PydpstatError(f"an index must be from 1 to {n}, or negative; got {keys.tolist()}")
    if min(known, default=0) < 0:
        return [place for place in range(n) if -place - 1 not in known]
    return [each - 1 for each in known if each]


def t(x: Value) -> Array:
    """Return the transpose of a matrix or data frame; a vector becomes a matrix of one row.

    Examples
    --------
    >>> t([1, 2])
    array([[1, 2]])
    """
    source = as_matrix(x)
    return with_dimnames(np.asarray(source).T, get_dimnames(source)[::-1], getattr(source, "axes", ())[::-1])


def _compute_axis_sums(x: Value, axis: int, na_rm: bool, means: bool) -> Value:
    if count_dimensions(x) < 2:
        raise PydpstatError("x must be a matrix or a frame; got a vector")
    source = as_matrix(x)
    values = np.asarray(source, dtype=np.float64)
    results = []
    for line in values if axis == 0 else values.T:
        line = line[~np.isnan(line)] if na_rm else line
        with np.errstate(invalid="ignore"):
            results.append(float(sum_long_doubles(line) / np.longdouble(line.size if means else 1)))
    return with_names(np.array(results, dtype=np.float64), get_dimnames(source)[axis])


def rowSums(x: Value, na_rm: bool = False) -> Value:
    """Return the sum of each row.

    Examples
    --------
    >>> rowSums(np.array([[1, 2], [3, 4]]))
    array([3., 7.])
    """
    return _compute_axis_sums(x, 0, na_rm, False)


def colSums(x: Value, na_rm: bool = False) -> Value:
    """Return the sum of each column, with the column names.

    Examples
    --------
    >>> colSums(np.array([[1, 2], [3, 4]]))
    array([4., 6.])
    """
    return _compute_axis_sums(x, 1, na_rm, False)


def rowMeans(x: Value, na_rm: bool = False) -> Value:
    """Return the mean of each row.

    Examples
    --------
    >>> rowMeans(np.array([[1, 2], [3, 4]]))
    array([1.5, 3.5])
    """
    return _compute_axis_sums(x, 0, na_rm, True)


def colMeans(x: Value, na_rm: bool = False) -> Value:
    """Return the mean of each column, with the column names.

    Examples
    --------
    >>> colMeans(np.array([[1, 2], [3, 4]]))
    array([2., 3.])
    """
    return _compute_axis_sums(x, 1, na_rm, True)


def bind_arrays(parts: Sequence[Value], names: Sequence[str], axis: int) -> Array:
    """Stack vectors and matrices by rows (`axis` 0) or columns, as ``rbind`` and ``cbind``.

    Examples
    --------
    >>> bind_arrays([np.array([1, 2]), 3], ["", ""], 0)
    array([[1, 2],
           [3, 3]])
    """
    if any(count_dimensions(p) > 1 or to_vector(p).size for p in parts):
        if any(count_dimensions(p) < 2 and not to_vector(p).size for p in parts):
            raise PydpstatError("vectors without elements must not be beside others: leave them out")
    sizes = {np.shape(p)[1 - axis] for p in parts if count_dimensions(p) > 1} or {max(to_vector(p).size for p in parts)}
    size = max(sizes)
    if len(sizes) > 1 or any(count_dimensions(p) < 2 and size % max(1, to_vector(p).size) for p in parts):
        raise PydpstatError(f"vectors and matrices must have lengths that fit together; got {sorted(sizes)}")
    blocks, own, others = [], [], None
    for part, label in zip(parts, names):
        if count_dimensions(part) > 1:
            block = as_matrix(part)
            along, inner = get_dimnames(block)[axis], get_dimnames(block)[1 - axis]
            own += along or [""] * block.shape[axis]
        else:
            block = np.expand_dims(np.resize(to_vector(part), size), axis)
            inner = get_element_names(part) if len(to_vector(part)) == size else None
            own.append(label)
        blocks.append(np.asarray(block))
        others = others or inner
    if any(block.dtype.kind == "O" for block in blocks):
        blocks = [to_vector([*block.ravel().tolist(), ""])[:-1].reshape(block.shape) for block in blocks]
    ends = (own if any(own) else None, others)
    return with_dimnames(np.concatenate(blocks, axis=axis), ends[:: 1 if axis == 0 else -1])

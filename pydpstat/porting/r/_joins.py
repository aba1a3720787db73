"""Joins, combinations and aggregation of data frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._attributed import with_attributes
from pydpstat.porting.r._formulas import collect_formula_variables
from pydpstat.porting.r._frames import concatenate_columns, data_frame, make_join_keys, match_join_keys, order_rows
from pydpstat.porting.r._shapes import (
    Array,
    combine_values,
    find_missing,
    get_column,
    get_names_and_elements,
    make_data_frame,
    take_rows,
    to_vector,
    to_vector_or_factor,
)
from pydpstat.porting.r._typed_frames import IncompleteIntegers
from pydpstat.porting.r._values import Value
from pydpstat.r_arithmetic.factor import find_categories


def expand_grid(*unnamed: Value, stringsAsFactors: bool = True, **vectors: Value) -> pd.DataFrame:
    """Return a data frame of all combinations, the first vector varying fastest, as R's ``expand.grid``.

    Examples
    --------
    >>> expand_grid(a=[1, 2], b=[5, 6]).to_dict("list")
    {'a': [1, 2, 1, 2], 'b': [5, 5, 6, 6]}
    """
    given = {**{f"Var{i + 1}": each for i, each in enumerate(unnamed)}, **vectors}
    parts = [to_vector_or_factor(each) for each in given.values()]
    if stringsAsFactors:
        parts = [pd.Categorical(p, list(dict.fromkeys(p))) if p.dtype == object else p for p in parts]
    grids = np.indices([len(each) for each in parts])
    return make_data_frame({name: take_rows(p, grid.ravel(order="F")) for name, p, grid in zip(given, parts, grids)})


def _order_by_shell_sort(keys: list[int]) -> list[int]:
    """Return the order of whole numbers by R's Shell sort, which does not preserve the order of ties."""
    order, n = list(range(len(keys))), len(keys)
    gap = 1
    while gap <= n // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            moved, j = order[i], i
            while j >= gap and keys[order[j - gap]] > keys[moved]:
                order[j] = order[j - gap]
                j -= gap
            order[j] = moved
        gap //= 3
    return order


def merge(
    x: pd.DataFrame,
    y: pd.DataFrame,
    by: Value = None,
    by_x: Value = None,
    by_y: Value = None,
    all: bool = False,
    all_x: bool | None = None,
    all_y: bool | None = None,
    sort: bool = True,
    suffixes: Sequence[str] = (".x", ".y"),
) -> pd.DataFrame:
    """Merge the rows of two data frames with equal keys, in R's order of rows and columns.

    Examples
    --------
    >>> x, y = pd.DataFrame({"k": [2, 1], "v": [3, 4]}), pd.DataFrame({"k": [1, 2], "v": [5, 6]})
    >>> merge(x, y, by="k").to_dict("list")
    {'k': [1, 2], 'v.x': [4, 3], 'v.y': [5, 6]}
    """
    common = [name for name in x.columns if name in y.columns] if by is None else to_vector(by).tolist()
    keys_x, keys_y = (common if k is None else to_vector(k).tolist() for k in (by_x, by_y))
    if not keys_x or len(keys_x) != len(keys_y):
        raise PydpstatError(f"by must name columns of both frames, equally many; got {keys_x} and {keys_y}")
    left, right = make_join_keys(x, keys_x), make_join_keys(y, keys_y)
    found, back = match_join_keys(left, right), match_join_keys(right, left)
    # R's order of groups: by the position of their first row in x among the rows with a match
    order_x = _order_by_shell_sort([1 + back[at[0]][0] if at else 0 for at in found])
    order_y = _order_by_shell_sort([1 + at[0] if at else 0 for at in back])
    after = {j: place for place, j in enumerate(order_y)}
    pairs = [(i, j) for i in order_x for j in sorted(found[i], key=after.__getitem__)]
    alone_x = [i for i in order_x if not found[i]] if (all if all_x is None else all_x) else []
    alone_y = [j for j in order_y if not back[j]] if (all if all_y is None else all_y) else []
    at_x = [*(i for i, _ in pairs), *alone_x]
    at_y = [*(j for _, j in pairs), *[-1] * len(alone_x), *alone_y]
    keys = {}
    for name, other in zip(keys_x, keys_y):
        mine = take_rows(get_column(x, name), at_x)
        keys[name] = concatenate_columns([mine, take_rows(get_column(y, other), alone_y)]) if alone_y else mine
    result = dict(keys)
    both = set(x.columns.drop(keys_x)) & set(y.columns.drop(keys_y))
    for name in x.columns.drop(keys_x):
        new = name + suffixes[0] * (name in both)
        result[new] = take_rows(get_column(x, name), [*at_x, *[-1] * len(alone_y)])
    for name in y.columns.drop(keys_y):
        result[name + suffixes[1] * (name in both or name in keys)] = take_rows(get_column(y, name), at_y)
    frame = make_data_frame(result)
    if not sort or not len(frame):
        return frame
    unmatched = alone_x or alone_y
    return take_rows(
        frame,
        order_rows(list(keys.values()) if unmatched else [combine_values([left[i] for i in at_x])], locale=True),
    )


def complete_cases(*parts: Value) -> Array:
    """Return whether each row of data frames, or element of vectors, has no missing value.

    Examples
    --------
    >>> complete_cases(pd.DataFrame({"a": [1, None], "b": ["x", "y"]}))
    array([ True, False])
    """
    vectors = [
        v for part in parts for v in (get_names_and_elements(part)[1] if isinstance(part, pd.DataFrame) else [part])
    ]
    return ~np.logical_or.reduce([find_missing(each) for each in vectors])


def na_omit(object: Value) -> Value:
    """Return a data frame without the rows, or a vector without the elements, that have missing values.

    Examples
    --------
    >>> na_omit([1.0, None, 2.0])
    array([1., 2.])
    """
    keep = complete_cases(object)
    if isinstance(object, pd.DataFrame):
        return object[keep]
    found = object[keep] if isinstance(object, IncompleteIntegers) else take_rows(object, np.flatnonzero(keep))
    if not isinstance(found, np.ndarray) or keep.all():
        return found
    if np.ndim(object) > 1:
        raise PydpstatError("object must be a frame or a vector: write x[complete.cases(x), ]")
    return with_attributes(found, {"na.action": with_attributes(np.flatnonzero(~keep) + 1, {}, "omit")})


def aggregate(
    x: Value, by: Value = None, FUN: Value = None, *args: Value, data: Value = None, **more: Value
) -> pd.DataFrame:
    """Apply a function by group and return a data frame, the first group varying fastest, as in R.

    `x` is a formula, such as ``"income ~ sex + region"`` or ``"cbind(a, b) ~ g"``, with the data second; or
    a vector or data frame, with a dict of groups second. Rows with missing values are dropped as in R.

    Examples
    --------
    >>> frame = pd.DataFrame({"y": [1.0, 2.0, 6.0], "g": ["b", "a", "b"]})
    >>> aggregate("y ~ g", frame, np.mean).to_dict("list")
    {'g': ['a', 'b'], 'y': [2.0, 3.5]}
    """
    if isinstance(x, str):
        frame = by if data is None else data
        left, right = collect_formula_variables(x, list(frame.columns))
        if set(left) & set(right):
            raise PydpstatError(f"the groups must be other variables than the values; got {x!r}")
        frame = na_omit(frame[[*dict.fromkeys([*left, *right])]])
        values, groups = frame[left], frame[right]
    else:
        values = x if isinstance(x, pd.DataFrame) else make_data_frame({"x": to_vector(x)})
        named = isinstance(by, (dict, pd.DataFrame))
        groups = data_frame(by if named else {f"Group.{i + 1}": each for i, each in enumerate(by)}, check_names=False)
    at = np.flatnonzero(complete_cases(groups))
    if not at.size:
        raise PydpstatError("there must be rows without missing values to aggregate; got none")
    codes = np.array([find_categories(each).codes[at] for each in get_names_and_elements(groups)[1]][::-1])
    _, first, place = np.unique(codes, axis=1, return_index=True, return_inverse=True)
    result = dict(zip(*get_names_and_elements(take_rows(groups, at[first]))))  # type: ignore[arg-type]
    for name, source in zip(*get_names_and_elements(values)):  # type: ignore[arg-type]
        answers = [to_vector(FUN(source[at[place.ravel() == g]], *args, **more)).tolist() for g in range(len(first))]
        if any(len(each) != 1 for each in answers):
            raise PydpstatError("FUN must return a single value for each group; R makes a column of matrices of it")
        result[name] = combine_values([each[0] for each in answers])
    return make_data_frame(result)

"""R's functions that apply a function to elements or groups: sapply, tapply, split and others."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from itertools import accumulate as accumulated
from itertools import product

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._matrices import as_matrix
from pydpstat.porting.r._shapes import (
    Array,
    MatrixAxisNames,
    Names,
    combine_results,
    combine_values,
    get_dimnames,
    get_element_names,
    get_names_and_elements,
    make_list,
    take_rows,
    to_vector,
    to_vector_or_factor,
    with_dimnames,
    with_names,
)
from pydpstat.porting.r._values import Value
from pydpstat.r_arithmetic.factor import Factor, find_categories

Function = Callable[..., Value]


def lapply(X: Value, FUN: Function, *args: Value, **more: Value) -> Value:
    """Apply a function to each element and return a list, as R's ``lapply``.

    Examples
    --------
    >>> lapply({"a": [1, 2], "b": [3]}, len)
    {'a': 2, 'b': 1}
    """
    names, elements = get_names_and_elements(X)
    return make_list([FUN(each, *args, **more) for each in elements], names)


def sapply(
    X: Value, FUN: Function, *args: Value, simplify: bool = True, USE_NAMES: bool = True, **more: Value
) -> Value:
    """Apply a function to each element and return a vector or matrix, as R's ``sapply``.

    Names of elements, or elements that are strings, become names of the result. Results that are lists or
    data frames, of which R makes a matrix of lists, are refused: write `lapply`.

    Examples
    --------
    >>> sapply([1, 2, 3], lambda i: i**2)
    array([1, 4, 9])
    >>> sapply({"a": [1, 2], "b": [3]}, len).to_dict()
    {'a': 2, 'b': 1}
    """
    names, elements = get_names_and_elements(X)
    if not elements and isinstance(X, np.ndarray) and X.dtype.kind == "O":
        names = []
    return _collect_results([FUN(each, *args, **more) for each in elements], names, elements, simplify, USE_NAMES)


def _collect_results(
    results: list[Value], names: Names, elements: list[Value], simplify: bool, use_names: bool
) -> Value:
    if names is None and elements and all(isinstance(each, str) for each in elements):
        names = elements
    return (combine_results if simplify and results else make_list)(results, names if use_names else None)


def vapply(X: Value, FUN: Function, FUN_VALUE: Value, *args: Value, USE_NAMES: bool = True, **more: Value) -> Value:
    """Apply `sapply`, where each result has the type and length of `FUN_VALUE`.

    Examples
    --------
    >>> vapply([[1, 2], [3]], len, 0)
    array([2, 1])
    """
    like = to_vector(FUN_VALUE, "FUN_VALUE")
    for values in map(to_vector, answers := lapply(get_names_and_elements(X)[1], FUN, *args, **more)):
        if values.size != like.size or "biufO".find(values.dtype.kind) > "biufO".find(like.dtype.kind):
            raise PydpstatError(f"FUN must return {like.size} {like.dtype}; got {values.size} {values.dtype}")
    if like.dtype.kind == "f":
        answers = [with_names(to_vector(each).astype(np.float64), get_element_names(each)) for each in answers]
    found = _collect_results(answers, *get_names_and_elements(X), True, USE_NAMES) if answers else like[:0]
    if like.size > 1 and (labels := get_element_names(FUN_VALUE)) is not None:
        return with_dimnames(found, (labels, get_dimnames(found)[1]))
    return found


def mapply(
    FUN: Function,
    *vectors: Value,
    MoreArgs: Value = None,
    SIMPLIFY: bool = True,
    USE_NAMES: bool = True,
    **more: Value,
) -> Value:
    """Apply a function to the first elements, the second ones and so on, as R's ``mapply``.

    Examples
    --------
    >>> mapply(lambda a, b: a + b, [1, 2], [10, 20])
    array([11, 22])
    """
    parts = [get_names_and_elements(each) for each in (*vectors, *more.values())]
    lengths = [len(elements) for _, elements in parts]
    n = max(lengths) if all(lengths) else 0
    if any(n % length for length in lengths if length):
        raise PydpstatError(f"the vectors must have lengths that divide the longest; got {lengths}")
    rows = [[elements[i % len(elements)] for _, elements in parts] for i in range(n)]
    k, fixed = len(vectors), MoreArgs or {}
    answers = [FUN(*row[:k], **dict(zip(more, row[k:])), **fixed) for row in rows]
    return _collect_results(answers, *parts[0], SIMPLIFY, USE_NAMES)


def Map(f: Function, *vectors: Value, **more: Value) -> Value:
    """Apply a function to corresponding elements and return a list, as R's ``Map``.

    Examples
    --------
    >>> Map(lambda a, b: a + b, [1, 2], [10, 20])
    [11, 22]
    """
    return mapply(f, *vectors, SIMPLIFY=False, **more)


def Reduce(f: Function, x: Value, init: Value = None, right: bool = False, accumulate: bool = False) -> Value:
    """Combine elements by a function of two values, from first to last, as R's ``Reduce``.

    Examples
    --------
    >>> Reduce(lambda a, b: a + b, [1, 2, 3], accumulate=True)
    array([1, 3, 6])
    """
    elements = [*([] if init is None else [init]), *get_names_and_elements(x)[1][:: -1 if right else 1]]
    step = (lambda a, b: f(b, a)) if right else f
    if not accumulate:
        return reduce(step, elements) if elements else None
    steps = list(accumulated(elements, step))[:: -1 if right else 1]
    single = all(np.ndim(each) == 0 and not isinstance(each, dict) for each in steps)
    return combine_values(steps) if single else steps


def Filter(f: Function, x: Value) -> Value:
    """Return the elements for which a function is true, as R's ``Filter``.

    Examples
    --------
    >>> Filter(lambda v: v > 1, np.array([1, 2, 3]))
    array([2, 3])
    """
    names, elements = get_names_and_elements(x)
    keep = [i for i, each in enumerate(elements) if f(each)]
    if isinstance(x, pd.DataFrame):
        return x.iloc[:, keep]
    if isinstance(x, (dict, list)):
        return make_list([elements[i] for i in keep], names and [names[i] for i in keep])
    return take_rows(x, keep)


def replicate(n: int, expr: Function, simplify: bool = True) -> Value:
    """Return the results of `n` calls of a function without arguments, as R's ``replicate``.

    Examples
    --------
    >>> replicate(3, lambda: 7)
    array([7, 7, 7])
    """
    return _collect_results([expr() for _ in range(int(n))], None, [], simplify, False)


def do_call(what: Function, args: Value) -> Value:
    """Call a function with the elements of a list, or with those of a dict as named arguments.

    Examples
    --------
    >>> do_call(max, [1, 3, 2])
    3
    """
    return what(**args) if isinstance(args, dict) else what(*args)


def with_stream(function: Function, rng: Value) -> Function:
    """Return a mirror's function with its random number stream bound.

    Examples
    --------
    >>> from pydpstat import RRandom, dppack
    >>> found = do_call(with_stream(dppack.meanDP, RRandom(3)), [[1, 2, 3], 1, 0, 5])
    >>> bool(found == dppack.meanDP([1, 2, 3], 1, 0, 5, rng=RRandom(3)))
    True
    """
    return partial(function, rng=rng)


def apply(X: Value, MARGIN: Value, FUN: Function, *args: Value, **more: Value) -> Value:
    """Apply a function to each row (1), column (2) or cell ([1, 2]), as R's ``apply``.

    Examples
    --------
    >>> apply(np.array([[1, 2], [3, 4]]), 1, np.sum)
    array([3, 7])
    """
    cells = as_matrix(X)
    margin = [int(each) - 1 for each in to_vector(MARGIN)]
    if not margin or not set(margin) < set(range(cells.ndim + (len(margin) > 1))):
        raise PydpstatError(f"MARGIN must be 1 (rows), 2 (columns) or [1, 2] (cells); got {MARGIN!r}")
    rest = [k for k in range(cells.ndim) if k not in margin]
    lines = np.transpose(np.asarray(cells), [*margin[::-1], *rest])
    shape, names = [cells.shape[k] for k in margin], get_dimnames(cells)
    axes = [getattr(cells, "axes", ())[k : k + 1] for k in margin]
    parts: Value = lines.reshape([-1, *(cells.shape[k] for k in rest)])
    if len(rest) < 2:
        parts = [with_names(part, names[rest[0]]) for part in parts] if rest else parts.tolist()
    labels = names[margin[0]] if len(margin) < 2 else None
    answers = [FUN(part, *args, **more) for part in parts]
    if any(isinstance(each, (list, dict)) for each in answers):
        return make_list(answers, labels)
    if len({np.size(each) for each in answers}) > 1:
        if len(margin) > 1:
            raise PydpstatError("FUN must return a single value for each cell")
        return make_list(answers, labels)
    # names of single results, and names that differ, are lost
    if any(np.size(each) == 1 or get_element_names(each) != get_element_names(answers[0]) for each in answers):
        answers = [to_vector(each) for each in answers]
    result = combine_results(answers, labels)
    if len(margin) > 1:
        if np.shape(result) != (math.prod(shape),):
            raise PydpstatError("FUN must return a single value for each cell")
        return with_dimnames(
            result.reshape(shape, order="F"), [names[k] for k in margin], MatrixAxisNames(sum(axes, ()))
        )
    if np.ndim(result) == 2 and axes[0]:
        result.axes = MatrixAxisNames(("", *axes[0]))
    return result


def _get_grouping_factors(index: Value) -> tuple[list[Factor], list[str]]:
    """Return the grouping factors and their names."""
    if isinstance(index, (dict, pd.DataFrame)):
        names, vectors = get_names_and_elements(index)
        return list(map(find_categories, vectors)), list(map(str, names or []))
    several = isinstance(index, (list, tuple)) and len(index) and np.ndim(index[0])
    vectors = list(index) if several else [index]
    return list(map(find_categories, vectors)), []


def _find_group_positions(factors: list[Factor], n: int) -> list[Array]:
    """Return the positions of each group's elements, with the first factor's levels varying fastest."""
    if wrong := [len(each) for each in factors if len(each) != n]:
        raise PydpstatError(f"groups must have one value for each of {n} elements; got {wrong[0]}")
    code, stride, known = np.zeros(n, dtype=np.intp), 1, np.ones(n, dtype=bool)
    for each in factors:
        code += each.codes * stride
        known &= each.codes >= 0
        stride *= len(each.levels)
    code[~known] = stride
    ends = np.cumsum(np.bincount(code, minlength=stride + 1))
    return np.split(np.argsort(code, kind="stable"), ends[:-1])[:stride]


def split(x: Value, f: Value, drop: bool = False) -> dict[str, Value]:
    """Split a vector or the rows of a data frame by group, in the order of levels, as R's ``split``.

    Examples
    --------
    >>> split(np.array([1, 2, 3]), ["b", "a", "b"])
    {'a': array([2]), 'b': array([1, 3])}
    """
    factors, _ = _get_grouping_factors(f)
    n = len(x)
    factors = [
        Factor(np.resize(each.codes, n), each.levels) if len(each) and not n % len(each) else each for each in factors
    ]
    names = [".".join(map(str, each[::-1])) for each in product(*(each.levels for each in factors[::-1]))]
    groups = zip(names, _find_group_positions(factors, n))
    part = (lambda at: x.iloc[at]) if isinstance(x, pd.DataFrame) else partial(take_rows, x)
    return {name: part(places) for name, places in groups if places.size or not drop}


def tapply(X: Value, INDEX: Value, FUN: Function, *args: Value, default: Value = math.nan, **more: Value) -> Value:
    """Apply a function by one factor and return a Series, or by several and return a named matrix.

    The value of an empty group is `default`. Results longer than 1 by one factor are returned as a dict.

    Examples
    --------
    >>> tapply([1.0, 2.0, 3.0], ["b", "a", "b"], np.mean).to_dict()
    {'a': 2.0, 'b': 2.0}
    """
    factors, names = _get_grouping_factors(INDEX)
    groups = _find_group_positions(factors, len(X))
    answers = [FUN(take_rows(X, places), *args, **more) if places.size else None for places in groups]
    levels = [list(each.levels) for each in factors]
    if any(isinstance(each, (dict, list, pd.DataFrame)) or np.size(each) != 1 for each in answers):  # type: ignore[arg-type]
        if len(factors) > 1:
            raise PydpstatError("FUN must return a single value for groups of several factors")
        return dict(zip(levels[0], answers))
    flat = combine_values([to_vector(a).tolist()[0] if g.size else default for a, g in zip(answers, groups)])
    if len(factors) == 1:
        return with_names(flat, levels[0])
    return with_dimnames(flat.reshape([len(each) for each in levels], order="F"), levels, MatrixAxisNames(names))


def ave(x: Value, *groups: Value, FUN: Function = r_arithmetic.mean) -> Value:
    """Return for each element the result of a function for its group, as R's ``ave``.

    Examples
    --------
    >>> ave([1.0, 2.0, 5.0], ["a", "b", "a"])
    array([3., 2., 3.])
    """
    values = to_vector(x)
    factors = [each for group in groups for each in _get_grouping_factors(group)[0]]
    found = values.tolist()
    for at in _find_group_positions(factors, len(values)) if groups else [np.arange(len(values))]:
        answers = to_vector(FUN(values[at])) if len(at) else at
        if len(at) and (not len(answers) or len(at) % len(answers)):
            raise PydpstatError(f"FUN must return one value or {len(at)} for a group; got {len(answers)}")
        for place, each in zip(at, np.resize(answers, len(at)).tolist()):
            found[place] = each
    return with_names(combine_values(found), get_element_names(x))


def rowsum(x: Value, group: Value, reorder: bool = True, na_rm: bool = False) -> Value:
    """Return sums by group of the rows of a matrix or data frame, as R's ``rowsum``.

    Examples
    --------
    >>> rowsum([1, 2, 4], ["b", "a", "b"])
    array([[2],
           [5]])
    """
    cells, found = as_matrix(x), find_categories(group)
    if len(found) != len(cells) or (found.codes < 0).any():
        raise PydpstatError(f"group must have a value for each of {len(cells)} rows, and none is missing")
    codes, first = np.unique(found.codes, return_index=True)
    codes = codes if reorder else found.codes[np.sort(first)]
    known = np.where(np.isnan(cells), 0, cells) if na_rm else np.asarray(cells)
    sums = [[r_arithmetic.sum(part) for part in known[found.codes == code].T] for code in codes]
    labels = [found.levels[code] for code in codes]
    result = with_dimnames(np.array(sums).reshape(len(labels), -1), (labels, get_dimnames(cells)[1]))
    if not isinstance(x, pd.DataFrame):
        return result
    return pd.DataFrame(np.asarray(result), pd.Index(labels, dtype=object), x.columns)


def relevel(x: Value, ref: Value) -> pd.Categorical:
    """Return a factor with another first level, given by name or position.

    Examples
    --------
    >>> list(relevel(pd.Categorical(["a", "b"]), "b").categories)
    ['b', 'a']
    """
    own = to_vector_or_factor(x)
    if not isinstance(own, pd.Categorical) or own.ordered:
        raise PydpstatError("x must be a factor that is not ordered: write factor(x)")
    levels = list(own.categories)
    first = ref if isinstance(ref, str) or not 0 < ref <= len(levels) else levels[int(ref) - 1]
    if first not in levels:
        raise PydpstatError(f"ref must be one of the levels {levels}; got {ref!r}")
    return own.reorder_categories([first, *(each for each in levels if each != first)])

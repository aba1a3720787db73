"""Contingency tables, with margins and proportions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._formulas import collect_formula_variables
from pydpstat.porting.r._groups import apply, tapply
from pydpstat.porting.r._joins import complete_cases
from pydpstat.porting.r._matrices import as_matrix
from pydpstat.porting.r._shapes import (
    count_dimensions,
    get_dimnames,
    is_one_way_table,
    make_one_way_table,
    take_rows,
    to_vector,
    to_vector_or_factor,
    with_dimnames,
)
from pydpstat.porting.r._values import Value


def table(*factors: Value, useNA: str | None = None, exclude: Value = "", dnn: Value = None, **more: Value) -> Value:
    """Count combinations of levels: a Series for one factor, otherwise a named matrix, as R's ``table``.

    The index of the Series has a name, "" without `dnn`, which distinguishes a table from a named vector.

    Examples
    --------
    >>> table(["a", "b", "a"]).to_dict()
    {'a': 2, 'b': 1}
    >>> int(table(["a", "b", "a"], [1, 1, 2])["a", "2"])
    1
    """
    if more:
        dnn, factors = [*[""] * len(factors), *more], (*factors, *more.values())
    excluded = {"exclude": exclude} if not isinstance(exclude, str) or exclude else {}
    flat = (to_vector(each) if isinstance(each, np.ndarray) else each for each in factors)
    found = r_arithmetic.table(*flat, useNA=useNA, dnn=dnn, **excluded)
    if len(found.dimnames) > 1 and not all(map(len, found.dimnames)):
        raise PydpstatError("a table needs a value of each factor: one has missing values only")
    if len(found.dimnames) > 1:
        return with_dimnames(found.counts, list(map(list, found.dimnames)), found.names)
    return make_one_way_table(found.counts, found.dimnames[0], found.names[0])


def xtabs(formula: str, data: Value, addNA: bool = False) -> Value:
    """Return the counts, or the sums of the left side, by one or two factors, as R's ``xtabs``.

    Examples
    --------
    >>> xtabs("n ~ g", {"g": ["a", "b", "a"], "n": [1, 2, 3]}).to_dict()
    {'a': 4, 'b': 2}
    """
    left, right = collect_formula_variables(formula, list(data))
    if addNA or len(left) > 1 or not right:
        raise PydpstatError(f"formula must have factors and at most one variable of sums; got {formula!r}")
    # rows with missing values do not contribute levels
    known = np.flatnonzero(complete_cases(*(data[name] for name in [*left, *right])))
    groups = {name: take_rows(to_vector_or_factor(data[name]), known) for name in right}
    if not left:
        return table(**groups)
    values = to_vector(data[left[0]])[known]
    sums = tapply(values, groups, r_arithmetic.sum, default=0)
    axes = list(groups)
    return (
        with_dimnames(sums, sums.dimnames, axes)
        if len(axes) > 1
        else make_one_way_table(to_vector(sums), sums.index, axes[0])
    )


def marginSums(x: Value, margin: Value = None) -> Value:
    """Return the sums of a table's rows (1), columns (2), or all cells, as R's ``marginSums``.

    Examples
    --------
    >>> marginSums(table(["a", "b", "a"], [1, 1, 2]), 1).to_dict()
    {'a': 2, 'b': 1}
    """
    if margin is None or count_dimensions(x) == 1:
        return r_arithmetic.sum(to_vector(x)) if margin is None else x
    cells, sums = as_matrix(x), apply(x, margin, lambda part: r_arithmetic.sum(to_vector(part)))
    axes = [axis for k in to_vector(margin) for axis in getattr(cells, "axes", ())[int(k) - 1 : int(k)]]
    if not axes or np.ndim(sums) > 1:
        return with_dimnames(sums, get_dimnames(sums), axes) if axes else sums
    return make_one_way_table(to_vector(sums), sums.index, axes[0])


margin_table = marginSums


def proportions(x: Value, margin: Value = None) -> Value:
    """Return a table's cells divided by their total, or by the total of their row (1) or column (2).

    Examples
    --------
    >>> proportions(table(["a", "b", "a", "a"])).to_dict()
    {'a': 0.75, 'b': 0.25}
    """
    cells = x if isinstance(x, pd.Series) else to_vector(x) if count_dimensions(x) < 2 else as_matrix(x)
    sums = marginSums(cells, margin)
    if margin is not None:
        kept = [int(k) - 1 for k in to_vector(margin)]
        sums = np.broadcast_to(
            np.reshape(np.asarray(sums), [n if k in kept else 1 for k, n in enumerate(cells.shape)]),
            cells.shape,
        )
    with np.errstate(invalid="ignore"):
        return cells / sums


prop_table = proportions


def addmargins(A: Value, margin: int | None = None) -> Value:
    """Return a table with sums as a further row (`margin` 1), column (2), or both, named ``Sum``.

    Examples
    --------
    >>> int(addmargins(table(["a", "b", "a"], [1, 1, 2]))["Sum", "Sum"])
    3
    """
    if is_one_way_table(A):
        counts = np.append(to_vector(A), marginSums(A)).astype(np.float64)
        return make_one_way_table(counts, [*A.index, "Sum"], A.index.name)
    cells = as_matrix(A)
    names, full = list(get_dimnames(cells)), np.asarray(cells, np.float64)
    for k in range(2):
        if margin in (None, k + 1):
            full = np.concatenate([full, np.expand_dims(to_vector(marginSums(full, 2 - k)), k)], axis=k)
            names[k] = [*(names[k] or [""] * (full.shape[k] - 1)), "Sum"]
    return with_dimnames(full, names, getattr(cells, "axes", ()))

"""Contingency tables as counted by R's table()."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._checks import unwrap_scalar
from pydpstat._data.containers import has_columns
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import has_length
from pydpstat.r_arithmetic.factor import Factor, Label, convert_levels, find_categories, is_categorical, to_labels

_CHUNK_SIZE = 32768
_MAX_CELLS = 2**31 - 1
_USE_NA = ("no", "ifany", "always")


class _DefaultExclude:
    """R's default for `exclude`, which depends on `useNA`."""

    def __repr__(self) -> str:
        return "<NaN and NA unless useNA is given>"


_DEFAULT_EXCLUDE = _DefaultExclude()


@dataclass(frozen=True, eq=False)
class Table:
    """Counts of a cross-classification.

    Parameters
    ----------
    counts : ndarray of int
        One axis per factor; flattened in Fortran order it is R's vector of counts.
    dimnames : tuple of tuples of str
        The labels along each axis; None is the label of the missing values.
    names : tuple of str
        The names of the axes, empty where there is none.

    See Also
    --------
    table : creates it.

    Examples
    --------
    >>> table(["a", "b", "a"]).counts
    array([2, 1])
    """

    counts: npt.NDArray[np.int64]
    dimnames: tuple[tuple[Label, ...], ...]
    names: tuple[str, ...]


def table(
    *factors: object,
    useNA: str | None = None,
    exclude: object = _DEFAULT_EXCLUDE,
    dnn: Sequence[str] | str | None = None,
) -> Table:
    """Count the combinations of the levels of one or more factors.

    Parameters
    ----------
    *factors : array_like, pandas Categorical or Series, or Factor
        Equally long vectors, made categorical as `factor` does; or one mapping or DataFrame of
        such columns, whose names become the names of the axes.
    useNA : {"no", "ifany", "always"}, optional
        Whether missing values are a level: never (the default), if there are any, or always.
    exclude : iterable, optional
        Values not counted, by default the missing ones if `useNA` is "no". None counts all.
        If given without a missing value, `useNA` is "ifany" by default.
    dnn : str or sequence of str, optional
        Names of the axes.

    Returns
    -------
    Table

    Raises
    ------
    PydpstatError
        If there is no factor, the lengths differ, the table has 2**31 cells or more, or an
        argument is invalid.

    See Also
    --------
    Table : the result.
    pydpstat.crosstab : a private one.

    References
    ----------
    R Core Team, R 4.2.2, ``?table``.

    Examples
    --------
    >>> t = table(["a", "b", "a"], [1, 1, 2], dnn=("letter", "number"))
    >>> t.counts
    array([[1, 1],
           [1, 0]])
    >>> t.dimnames, t.names
    ((('a', 'b'), ('1', '2')), ('letter', 'number'))
    """
    columns, names = _read_columns(factors)
    names = _resolve_axis_names(dnn, names)
    excluded, choice = _resolve_missing_rules(useNA, exclude)
    coded = [_encode_dimension(column, excluded, choice) for column in columns]
    dims = tuple(len(dimension.levels) for dimension in coded)
    if math.prod(dims) > _MAX_CELLS:
        raise PydpstatError(f"a table of {dims} cells is too large: the limit is 2**31 - 1")
    counts = _count_combinations([dimension.codes for dimension in coded], dims)
    return Table(counts, tuple(dimension.levels for dimension in coded), names)


def _read_columns(factors: tuple[Any, ...]) -> tuple[list[Sized], tuple[str, ...]]:
    """Return the vectors, and their names if they have names."""
    if len(factors) == 1 and (isinstance(factors[0], Mapping) or has_columns(factors[0])):
        frame = factors[0]
        names = tuple(str(name) for name in frame.keys())
        columns = [frame[name] for name in frame.keys()]
    else:
        names, columns = ("",) * len(factors), list(factors)
    columns = [c if has_length(c) else [unwrap_scalar(c)] for c in columns]
    if not columns:
        raise PydpstatError("factors must be one or more vectors; got none. Give for example tableDP(sex, region).")
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        raise PydpstatError(
            f"all vectors must have the same length; got {lengths}. Give columns of one data frame, "
            "and other arguments by name, such as eps=1."
        )
    return columns, names


def _resolve_axis_names(dnn: Sequence[str] | str | None, names: tuple[str, ...]) -> tuple[str, ...]:
    if dnn is None:
        return names
    if isinstance(dnn, str) or not isinstance(dnn, Iterable):
        dnn = (dnn,)
    axis_names = tuple(dnn)
    if not all(isinstance(name, str) for name in axis_names):
        raise PydpstatError("dnn must be strings, one name for each axis")
    if len(axis_names) != len(names):
        raise PydpstatError(f"dnn must have one name for each of {len(names)} axes, got {axis_names}")
    return axis_names


def _resolve_missing_rules(use_na: str | None, exclude: object) -> tuple[tuple[Label, ...] | None, str]:
    """Return the excluded labels (None if not given) and the effective `useNA`."""
    if use_na is not None and not (isinstance(use_na, str) and use_na in _USE_NA):
        raise PydpstatError(f"useNA must be one of {_USE_NA}, got {use_na!r}")
    if exclude is _DEFAULT_EXCLUDE:
        return None, use_na or "no"
    excluded = to_labels(exclude)
    return excluded, use_na or ("no" if None in excluded else "ifany")


def has_data_dependent_levels(useNA: str | None = None, exclude: object = _DEFAULT_EXCLUDE, dnn: object = None) -> bool:
    """Return whether a missing value in the data adds a level to a table with these arguments.

    >>> has_data_dependent_levels(), has_data_dependent_levels(exclude="a"), has_data_dependent_levels("always")
    (False, True, False)
    """
    excluded, choice = _resolve_missing_rules(useNA, exclude)
    return choice == "ifany" and (excluded is None or None not in excluded)


def _encode_dimension(column: object, excluded: tuple[Label, ...] | None, use_na: str) -> Factor:
    """Return the column coded by the levels of its axis, with code -1 for values that are not counted."""
    categories = find_categories(column)
    is_factor = is_categorical(column)
    without: Iterable[Label] = excluded if excluded is not None else ()
    levels = [label for label in categories.levels if label not in without]
    if is_factor:
        extra = _has_missing_level(categories, use_na) and None not in levels and None not in without
    elif use_na == "no":
        extra = excluded is not None and None not in without and _has_missing_level(categories, "ifany")
    else:
        extra = _has_missing_level(categories, use_na)
    result = convert_levels(categories, (*levels, None) if extra else tuple(levels))
    if extra and None in without:
        return Factor(np.where(categories.codes < 0, -1, result.codes), result.levels)
    return result


def _has_missing_level(found: Factor, use_na: str) -> bool:
    """Return whether missing values have a level."""
    return use_na == "always" or (use_na == "ifany" and bool(found.codes.min(initial=0) < 0))


def _count_combinations(codes: list[npt.NDArray[np.integer]], dims: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Count the combinations of codes, with the first axis varying fastest."""
    cells = math.prod(dims)
    counts = np.zeros(cells, dtype=np.int64)
    for start in range(0, codes[0].size, _CHUNK_SIZE):
        pieces = [axis_codes[start : start + _CHUNK_SIZE] for axis_codes in codes]
        cell = pieces[0].astype(np.intp)
        valid = cell >= 0
        stride = dims[0]
        for piece, size in zip(pieces[1:], dims[1:], strict=True):
            wide = piece.astype(np.intp)
            valid &= wide >= 0
            cell += wide * stride
            stride *= size
        if not valid.all():
            cell = cell[valid]
        counts += np.bincount(cell, minlength=cells)
    return counts.reshape(dims, order="F")

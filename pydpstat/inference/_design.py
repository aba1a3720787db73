"""The variables of a regression: from a formula or from arrays, with public bounds and public levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Pair, bounds_pair, check_filling, numbers_of, one_column, several_bounds
from pydpstat._data.containers import has_rows, is_categorical, is_frame, is_vector, name_of
from pydpstat._data.table import Chunk, Table, table_of
from pydpstat._data.values import missing_values
from pydpstat._release.statistic import Missing
from pydpstat.errors import PydpstatError
from pydpstat.inference._formulas import Term, formula_terms
from pydpstat.statistics._kernels.levels import (
    DECLARED,
    PublicLevels,
    Variables,
    codes_of,
    levels_of,
    plain,
    variables_of,
)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Predictor:
    """A predictor; all of it is public.

    Parameters
    ----------
    column : str
        Its column's name.
    text : str
        Its name among the coefficients.
    bounds : (float, float) or None
        Of a number.
    levels : tuple or None
        Of a categorical one; the first is the reference.
    """

    column: str
    text: str
    bounds: Pair | None
    levels: tuple[Any, ...] | None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its coefficients."""
        if self.levels is None:
            return (self.text,)
        return tuple(f"{self.text}[T.{level}]" for level in self.levels[1:])

    def read(self, column: Any, missing: Missing = "error") -> npt.NDArray[Any]:
        """Return numbers, or codes of levels: what is no level counts as the reference."""
        if self.levels is None:
            return _floats(column, self.column, missing)
        codes = codes_of(column, PublicLevels(self.levels, False)).astype(np.int64)
        if missing == "error" and bool((codes < 0).any()):
            raise missing_values()
        return np.where((codes < 0) | (codes >= len(self.levels)), 0, codes)


@dataclass(frozen=True, slots=True)
class LinearDesign:
    """The response and the predictors of a regression, and how new records become predictors. Public.

    Parameters
    ----------
    response : str
        Its name.
    response_bounds : (float, float)
        Its bounds.
    predictors : tuple of Predictor
        In their order.
    constant : str
        The constant's name.
    declared : bool
        Whether levels are the declared categories.
    """

    response: str
    response_bounds: Pair
    predictors: tuple[Predictor, ...]
    constant: str
    declared: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The coefficients' names, the constant first."""
        return (self.constant, *(name for each in self.predictors for name in each.names))

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the guarantee rests on."""
        return (DECLARED,) if self.declared else ()

    @property
    def bounds(self) -> tuple[Pair, ...]:
        """The bounds of the numbers, the response's first."""
        return (self.response_bounds, *(each.bounds for each in self.predictors if each.bounds is not None))

    @property
    def arguments(self) -> tuple[tuple[str, object], ...]:
        """The public arguments for the call."""
        shown: list[tuple[str, object]] = [("bounds", self.bounds)]
        own = [tuple(map(plain, each.levels)) for each in self.predictors if each.levels is not None]
        if own:
            shown.append(("levels", "declared" if self.declared else own))
        return tuple(shown)

    def matrix(self, data: Any) -> Floats:
        """Return the predictors of new records, a constant first and a column for each coefficient."""
        columns = _by_name(data, [each.column for each in self.predictors], "exog")
        read = [each.read(column) for each, column in zip(self.predictors, columns)]
        if len({each.size for each in read}) > 1:
            raise PydpstatError("exog must have columns of one length; it has several lengths.")
        return expanded(self.predictors, read)


def expanded(predictors: Sequence[Predictor], read: Sequence[npt.NDArray[Any]]) -> Floats:
    """Return a matrix with a constant, the numbers, and an indicator of each level but the reference."""
    size = read[0].size if read else 0
    parts = [np.ones((size, 1))]
    for each, values in zip(predictors, read):
        if each.levels is None:
            parts.append(values[:, None].astype(np.float64))
        else:
            parts.append((values[:, None] == np.arange(1, len(each.levels))).astype(np.float64))
    return np.concatenate(parts, axis=1)


class Regression(NamedTuple):
    """Records of a regression: the response and a column for each predictor. Private but for the design."""

    design: LinearDesign
    response: Floats
    predictors: tuple[npt.NDArray[Any], ...]

    def __repr__(self) -> str:
        return "Regression(values withheld)"


def read_regression(
    formula: object, data: object, bounds: object, levels: object, missing: Missing
) -> Regression:
    """Read a regression: by a formula, or the response and the predictors themselves."""
    if isinstance(formula, str):
        response, terms = formula_terms(formula)
        names = [response, *(each.column for each in terms)]
        constant, columns = "Intercept", _by_name(data, names, "data")
    else:
        response, target, names, columns = _arrays(formula, data)
        terms = tuple(Term(name, name, False) for name in names)
        names, constant, columns = [response, *names], "const", [target, *columns]
    design = _design(response, terms, columns[1:], bounds, levels, constant)
    check_filling(missing, design.bounds)
    values = _floats(columns[0], response, missing)
    read = tuple(each.read(column, missing) for each, column in zip(design.predictors, columns[1:]))
    if any(each.size != values.size for each in read):
        raise PydpstatError(
            "data must have every predictor of the same records as the response, which formula names or is; "
            "they have different lengths. Give one value a record in each."
        )
    return Regression(design, values, read)


def _floats(column: Any, name: str, missing: Missing) -> Floats:
    values = np.asarray(one_column(column, name).arrays[0], dtype=np.float64)
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    if not isinstance(missing, float):
        raise missing_values()
    return np.where(gaps, missing, values)


def _by_name(data: Any, names: list[str], argument: str) -> list[Any]:
    """Return the columns of these names, or those of an array in their order."""
    table = table_of(data)
    if table is not None:
        return _gathered(table, names, argument)
    if isinstance(data, Mapping) or is_frame(data):
        found = variables_of(data, argument)
        columns = dict(zip(found.names, found.columns))
        gone = [name for name in names if name not in columns]
        if gone:
            shown = checks.excerpt(list(columns))
            raise PydpstatError(f"{argument} must have a column {gone[0]!r}; it has {shown}.")
        return [columns[name] for name in names]
    found_numbers = numbers_of(data, argument)
    if argument == "data" or len(found_numbers.arrays) != len(names):
        raise PydpstatError(
            f"{argument} must have the columns {checks.excerpt(names)}; got {len(found_numbers.arrays)} "
            "without names. Give a DataFrame, or a dict of columns."
        )
    return list(found_numbers.arrays)


def _gathered(table: Table, names: Sequence[str], argument: str) -> list[Any]:
    """Return some columns of a table, all of its records in memory."""
    gone = [name for name in names if name not in table.names]
    if gone:
        raise PydpstatError(
            f"{argument} must have a column {gone[0]!r}; it has {checks.excerpt(list(table.names))}."
        )
    import pandas as pd

    def taken(chunk: Chunk) -> list[list[Any]]:
        return [[pd.Series(chunk.columns[name])] for name in names]

    parts = table.select(list(names)).fold(taken, lambda one, other: [a + b for a, b in zip(one, other)])
    return [pd.concat(part, ignore_index=True) for part in parts]


def _arrays(response: object, data: Any) -> tuple[str, Any, list[str], list[Any]]:
    """Return the response's name and values, and the predictors' names and columns."""
    try:
        held = table_of(response)
    except PydpstatError as error:
        raise PydpstatError(f"formula{str(error).removeprefix('data')}") from error.__cause__
    target: Any = response if held is None else _gathered(held, held.names, "formula")[0]
    target = one_column(target, "formula").arrays[0]
    name = (held.names[0] if held is not None else None) or name_of(response) or "y"
    if table_of(data) is not None:
        table = table_of(data)
        assert table is not None
        names = list(table.names)
        return name, target, names, _gathered(table, names, "data")
    if isinstance(data, Mapping) or is_frame(data):
        found = variables_of(data)
        return name, target, list(found.names), list(found.columns)
    columns = numbers_of(data)
    single = is_vector(data) and has_rows(data) and name_of(data)
    names = [str(single)] if single else [f"x{place + 1}" for place in range(len(columns.arrays))]
    return name, target, names, list(columns.arrays)


def _design(
    response: str,
    terms: Sequence[Term],
    columns: Sequence[Any],
    bounds: object,
    levels: object,
    constant: str,
) -> LinearDesign:
    own, declared = _levels(terms, columns, levels)
    numeric = [each.column for each in terms if each.column not in own]
    pairs = _pairs(bounds, [response, *numeric])
    predictors = tuple(
        Predictor(each.column, each.text, pairs.get(each.column), own.get(each.column)) for each in terms
    )
    names = [constant, *(name for each in predictors for name in each.names)]
    if len(set(names)) != len(names):
        raise PydpstatError("data must have columns whose coefficients have different names. Rename one.")
    return LinearDesign(response, pairs[response], predictors, constant, declared)


def _levels(
    terms: Sequence[Term], columns: Sequence[Any], levels: object
) -> tuple[dict[str, tuple[Any, ...]], bool]:
    """Return the public levels of the categorical predictors, by column, and whether they are declared."""
    by_name = dict(zip((each.column for each in terms), columns))
    if isinstance(levels, Mapping):
        wanted = [name for name in by_name if name in levels]
        other = [name for name in levels if name not in by_name]
        if other:
            raise PydpstatError(f"levels must be of predictors; got {checks.shown(other[0])}. Leave it out.")
    else:
        said = {each.column for each in terms if each.categorical}
        wanted = [name for name in by_name if name in said or is_categorical(by_name[name])]
    gone = [each.column for each in terms if each.categorical and each.column not in wanted]
    if gone or (wanted and levels is None):
        name = (gone or wanted)[0]
        raise PydpstatError(
            f"levels must have the public levels of {name!r}, as levels that come from the data would tell "
            f"which values occur. Give levels={{{name!r}: [...]}}, the reference first, or 'declared' where "
            "the categories of Categoricals are public."
        )
    if not wanted:
        if levels is not None and not isinstance(levels, Mapping):
            raise PydpstatError(
                f"levels must be left out where no predictor is categorical; got {checks.shown(levels)}. "
                "Write C(column) in a formula, or give a dict by column."
            )
        return {}, False
    chosen = [by_name[name] for name in wanted]
    given = {name: levels[name] for name in wanted} if isinstance(levels, Mapping) else levels
    found = levels_of(given, Variables(tuple(chosen), tuple(wanted), 0))
    own = {name: each.levels for name, each in zip(wanted, found)}
    for name, each in own.items():
        texts = [str(plain(level)) for level in each]
        if len(each) < 2 or len(set(texts)) != len(texts):
            raise PydpstatError(
                f"levels[{name!r}] must be two or more, different as texts; got {checks.shown(each)}."
            )
    return own, isinstance(levels, str)


def _pairs(bounds: object, names: list[str]) -> dict[str, Pair]:
    """Return public bounds by name: one pair for all, one for each with the response's first, or a dict."""
    if isinstance(bounds, Mapping):
        found = checks.by_name(bounds, names, "bounds", "column", "(lower, upper)")
        return {name: bounds_pair(pair, f"bounds[{name!r}]") for name, pair in zip(names, found)}
    if several_bounds(bounds):
        if len(bounds) != len(names):
            raise PydpstatError(
                f"bounds must be one pair, or one for each variable of the data, {checks.excerpt(names)}; "
                f"got {len(bounds)}."
            )
        return {name: bounds_pair(pair, f"bounds[{i}]") for i, (name, pair) in enumerate(zip(names, bounds))}
    return dict.fromkeys(names, bounds_pair(bounds))

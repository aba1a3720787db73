"""The variables of a regression: from a formula or from arrays, with public bounds and public levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Pair, bounds_pair, check_filling, one_column, several_bounds, truths_of
from pydpstat._data.containers import is_categorical
from pydpstat._data.lookup import kind_of
from pydpstat._data.values import missing_values
from pydpstat._release.statistic import Missing
from pydpstat.errors import PydpstatError
from pydpstat.inference._formulas import Term, formula_terms
from pydpstat.inference._given_columns import Reader, all_columns, columns_by_name, response_column
from pydpstat.statistics._kernels.levels import DECLARED, PublicLevels, Variables, codes_of, levels_of, plain

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

    def read(self, column: Any, argument: str = "data") -> npt.NDArray[Any]:
        """Return numbers, NaN where one is missing, or codes: -1 where one is, their number for no level."""
        if self.levels is None:
            return _floats(column, f"{argument}[{self.column!r}]")
        return codes_of(column, PublicLevels(self.levels, False)).astype(np.int64)

    def filled(self, values: npt.NDArray[Any], missing: Missing) -> npt.NDArray[Any]:
        """Put a public number in the place of missing ones; what is no level counts as the reference."""
        if self.levels is None:
            return _filled(values, missing)
        if missing == "error" and bool((values < 0).any()):
            raise missing_values()
        return np.where((values < 0) | (values >= len(self.levels)), 0, values)

    def checked(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return numbers or codes of which none is missing, and none stands for what is no level."""
        whole = not np.isnan(values).any() if self.levels is None else bool((values >= 0).all())
        if whole and (self.levels is None or bool((values < len(self.levels)).all())):
            return values
        allowed = "numbers" if self.levels is None else f"levels among {checks.excerpt(list(self.levels))}"
        raise PydpstatError(
            f"exog[{self.column!r}] must be {allowed}, none missing; it has others. Leave these records out."
        )


class Truths(Predictor):
    """A response of truth values: its levels are False and True, which need no declaration."""

    __slots__ = ()

    def read(self, column: Any, argument: str = "data") -> npt.NDArray[Any]:
        """Return 0 and 1, and -1 where a value is missing."""
        try:
            found = one_column(column, argument, truths_of)
        except PydpstatError as error:
            raise _no_outcome(self.text, self.column, column) from error
        codes = found.arrays[0].astype(np.int64)
        return codes if found.missing[0] is None else np.where(found.missing[0], -1, codes)


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
    outcome : Predictor or None
        A response of two levels, of which the second one counts as 1; None where the response is a number.
    """

    response: str
    response_bounds: Pair
    predictors: tuple[Predictor, ...]
    constant: str
    declared: bool = False
    outcome: Predictor | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The coefficients' names, the constant first."""
        return (self.constant, *(name for each in self.predictors for name in each.names))

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the guarantee rests on."""
        return (DECLARED,) if self.declared else ()

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What holds of the levels."""
        given = not self.declared and bool(self._own_levels)
        return ("a value that is none of the levels counts as the first one",) if given else ()

    @property
    def _own_levels(self) -> list[tuple[Any, ...]]:
        """The levels that were given, the response's first."""
        own = [self.outcome] if self.outcome is not None and not isinstance(self.outcome, Truths) else []
        return [each.levels for each in (*own, *self.predictors) if each.levels is not None]

    @property
    def bounds(self) -> tuple[Pair, ...]:
        """The bounds of the numbers, the response's first."""
        return (self.response_bounds, *(each.bounds for each in self.predictors if each.bounds is not None))

    @property
    def arguments(self) -> tuple[tuple[str, object], ...]:
        """The public arguments for the call."""
        shown: list[tuple[str, object]] = [("bounds", self.bounds)]
        own = [tuple(map(plain, levels)) for levels in self._own_levels]
        if own:
            shown.append(("levels", "declared" if self.declared else own))
        return tuple(shown)

    def matrix(self, data: Any) -> Floats:
        """Return the predictors of new records, a constant first and a column for each coefficient."""
        given = columns_by_name(data, [each.column for each in self.predictors], "exog")
        read = given.read([partial(each.read, argument="exog") for each in self.predictors])
        if len({each.size for each in read}) > 1:
            raise PydpstatError("exog must have columns of one length; it has several lengths.")
        checked = [each.checked(values) for each, values in zip(self.predictors, read)]
        return expanded(self.predictors, checked)


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
    formula: object,
    data: object,
    bounds: object,
    levels: object,
    missing: Missing,
    binary: bool = False,
) -> Regression:
    """Read a regression: by a formula, or the response and the predictors themselves.

    The bounds are also those of the response, unless that is `binary`: then it has two levels, and is read as
    0 and 1.
    """
    if isinstance(formula, str):
        response, terms = formula_terms(formula)
        given = [columns_by_name(data, [response, *(each.column for each in terms)], "data")]
        constant, shown = "Intercept", f"data[{response!r}]"
    else:
        columns_given = all_columns(data)
        response, target = response_column(formula, columns_given.names, binary)
        given = [target, columns_given]
        terms = tuple(Term(name, name, False) for name in given[1].names)
        constant, shown = "const", "formula"
        if response in given[1].names:
            raise PydpstatError(
                f"formula must be a response of another name than the predictors; got {response!r}. Rename "
                "one of the two."
            )
    columns = [column for each in given for column in each.columns]
    design = _design(response, terms, columns, bounds, shown if binary else None, levels, constant)
    outcome = design.outcome
    check_filling(missing, design.bounds if outcome is None else design.bounds[1:])
    readers: list[Reader] = [partial(_floats, name=shown) if outcome is None else outcome.read]
    readers += [each.read for each in design.predictors]
    read: list[npt.NDArray[Any]] = []
    for each in given:
        start = len(read)
        read += each.read(readers[start : start + len(each.names)])
    if any(values.size != read[0].size for values in read):
        raise PydpstatError(
            "data must have every predictor of the same records as the response, which formula names or is; "
            "they have different lengths. Give one value a record in each."
        )
    if missing == "drop":
        read = _complete(read)
    predictors = tuple(each.filled(values, missing) for each, values in zip(design.predictors, read[1:]))
    found = _filled(read[0], missing) if outcome is None else outcome.filled(read[0], missing)
    return Regression(design, found.astype(np.float64, copy=False), predictors)


def _complete(read: Sequence[npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
    """Return the records that miss no variable: no number, which would be NaN, and no level, which is -1."""
    gaps = [np.isnan(values) if values.dtype.kind == "f" else values < 0 for values in read]
    kept = ~np.logical_or.reduce(gaps)
    return [values[kept] for values in read]


def _floats(column: Any, name: str) -> Floats:
    return np.asarray(one_column(column, name).arrays[0], dtype=np.float64)


def _filled(values: Floats, missing: Missing) -> Floats:
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    if not isinstance(missing, float):
        raise missing_values()
    return np.where(gaps, missing, values)


def _design(
    response: str,
    terms: Sequence[Term],
    columns: Sequence[Any],
    bounds: object,
    binary: str | None,
    levels: object,
    constant: str,
) -> LinearDesign:
    """Return the design; a response of two levels has its argument's name in `binary`."""
    outcome = None
    if binary:
        own, declared = _levels((Term(response, response, False), *terms), columns, levels)
        outcome = _outcome(response, binary, columns[0], own.pop(response, None))
    else:
        own, declared = _levels(terms, columns[1:], levels)
    numeric = [each.column for each in terms if each.column not in own]
    pairs = _pairs(bounds, numeric if binary else [response, *numeric])
    if binary:
        pairs[response] = 0.0, 1.0
    predictors = tuple(
        Predictor(each.column, each.text, pairs.get(each.column), own.get(each.column)) for each in terms
    )
    names = [constant, *(name for each in predictors for name in each.names)]
    if len(set(names)) != len(names):
        raise PydpstatError("data must have columns whose coefficients have different names. Rename one.")
    return LinearDesign(response, pairs[response], predictors, constant, declared, outcome)


def _outcome(response: str, shown: str, column: Any, levels: tuple[Any, ...] | None) -> Predictor:
    """Return a response of two levels, which are given, or truth values by its type."""
    if levels is not None and len(levels) == 2:
        return Predictor(response, shown, None, levels)
    if levels is not None:
        raise PydpstatError(
            f"levels[{response!r}] must be two, of which the second one counts as 1; got "
            f"{checks.shown(levels)}. Make a condition of the response first."
        )
    if kind_of(column) is not None and getattr(column.dtype, "kind", "O") != "b":
        raise _no_outcome(shown, response, column)
    return Truths(response, shown, None, (False, True))


def _no_outcome(shown: str, response: str, column: Any) -> PydpstatError:
    kind = f" of type {column.dtype}" if hasattr(column, "dtype") else ""
    return PydpstatError(
        f"{shown}, the response, must be truth values, or have its two levels given, as other values do "
        f"not say which of them count as 1; got {type(column).__name__}{kind}. Give levels={{{response!r}: "
        "[0, 1]}, the level that counts as 1 last, or make a condition of it first, such as age >= 30."
    )


def _levels(
    terms: Sequence[Term], columns: Sequence[Any], levels: object
) -> tuple[dict[str, tuple[Any, ...]], bool]:
    """Return the public levels of the categorical predictors, by column, and whether they are declared."""
    by_name = dict(zip((each.column for each in terms), columns))
    if isinstance(levels, Mapping):
        wanted = [name for name in by_name if name in levels]
        other = [name for name in levels if name not in by_name]
        if other:
            raise PydpstatError(
                f"levels must be of predictors, {checks.excerpt(list(by_name))}; got {len(other)} for what "
                "is none. Name columns, as g for C(g)."
            )
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
    """Return public bounds by name: one pair for all, one for each in their order, or a dict."""
    if not names and bounds is None:
        return {}
    if isinstance(bounds, Mapping):
        found = checks.by_name(bounds, names, "bounds", "column", "(lower, upper)")
        return {name: bounds_pair(pair, f"bounds[{name!r}]") for name, pair in zip(names, found)}
    if several_bounds(bounds):
        if len(bounds) != len(names):
            raise PydpstatError(
                f"bounds must be one pair, or one for each number of the data, {checks.excerpt(names)}; "
                f"got {len(bounds)}."
            )
        return {name: bounds_pair(pair, f"bounds[{i}]") for i, (name, pair) in enumerate(zip(names, bounds))}
    return dict.fromkeys(names, bounds_pair(bounds))

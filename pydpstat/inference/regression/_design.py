"""Variables of a regression, from a formula or from arrays, with public bounds and public levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.alignment import check_equal_indexes
from pydpstat._data.columns import VariableBounds, check_bounds, check_fill_value, has_several_bounds
from pydpstat._data.containers import Column, is_categorical
from pydpstat._data.labels import get_value_kind
from pydpstat._frozen import hide_values
from pydpstat._records.column_release import check_shared_bounds
from pydpstat._records.levels import (
    DECLARED_CATEGORIES_CONDITION,
    CrossedVariables,
    check_levels,
    check_other,
    convert_to_plain_level,
)
from pydpstat._release.options import Missing, Options
from pydpstat.errors import PydpstatError
from pydpstat.inference._samples import (
    Reader,
    compute_id_hashes,
    get_all_columns,
    get_response_column,
    has_column,
    read_unit_ids,
    select_columns,
    select_one_per_unit,
)
from pydpstat.inference.regression._formulas import FormulaFactor, ParsedFormula, encode_terms, parse_formula
from pydpstat.inference.regression._predictors import (
    BooleanResponse,
    DerivedPredictor,
    Predictor,
    build_design_matrix,
    clip_to_bounds,
    make_response_error,
    read_numbers,
)
from pydpstat.r_arithmetic.elementary import Floats


@dataclass(frozen=True, slots=True)
class RegressionDesign:
    """Public description of the response and the predictors of a regression, which also encodes new records."""

    response: str
    response_bounds: VariableBounds
    predictors: tuple[Predictor, ...]
    constant: str
    declared: bool = False
    binary_response: Predictor | None = None
    columns: tuple[Predictor, ...] = ()
    responses: tuple[Predictor, ...] = ()
    other: str | None = None

    @property
    def source_columns(self) -> tuple[Predictor, ...]:
        """Columns from which the predictors are computed, without repetition."""
        return self.columns or self.predictors

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients, the constant first."""
        return (self.constant, *(name for predictor in self.predictors for name in predictor.names))

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions of the guarantee."""
        return (DECLARED_CATEGORIES_CONDITION,) if self.declared else ()

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions about values outside the levels of predictors."""
        has_given_levels = not self.declared and any(column.levels is not None for column in self.source_columns)
        assumption = f"a value that is none of the levels counts as {self.other!r}"
        return (assumption,) if has_given_levels and self.other is not None else ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the treatment of values outside the levels."""
        sentences, outcome = [], self.binary_response
        if outcome is not None and not isinstance(outcome, BooleanResponse) and not self.declared:
            no, yes = outcome.levels or (False, True)
            sentences.append(f"{self.response} = {yes} counts as 1, and any other value as {no}.")
        open_levels = [column for column in self.source_columns if set(column.levels or ()) - {False, True}]
        if open_levels and self.other is None and not self.declared:
            references = ", ".join(f"{column.levels[0]} of {column.column}" for column in open_levels if column.levels)
            sentences.append(f"Values that are none of the levels count as the reference: {references}.")
        return tuple(sentences)

    @property
    def _variables_with_levels(self) -> list[Predictor]:
        """Variables with given levels, the response first."""
        outcome = self.binary_response
        response = [] if outcome is None or isinstance(outcome, BooleanResponse) else [outcome]
        return [variable for variable in (*response, *self.source_columns) if variable.levels is not None]

    @property
    def has_levels(self) -> bool:
        """Whether records are compared with levels, so that the types of columns matter."""
        return bool(self._variables_with_levels)

    @property
    def bounds(self) -> tuple[VariableBounds, ...]:
        """Bounds of the response and of the numeric predictors."""
        return (self.response_bounds, *(each.bounds for each in self.predictors if each.bounds is not None))

    @property
    def units(self) -> tuple[Floats, Floats]:
        """Middle and half width of the bounds for each coefficient but the constant; 0 and 1 for levels."""
        pairs = [predictor.bounds or (-1.0, 1.0) for predictor in self.predictors for _ in predictor.names]
        low, high = np.array(pairs).reshape(-1, 2).T
        return 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low

    @property
    def sparse_coefficients(self) -> tuple[tuple[int, bool], ...]:
        """Indices of coefficients whose predictors are 0 outside a level, and whether they are 1 in it."""
        predictors = [predictor for predictor in self.predictors for _ in predictor.names]
        return tuple(
            (index, predictor.levels is not None)
            for index, predictor in enumerate(predictors, 1)
            if predictor.levels is not None or isinstance(predictor, DerivedPredictor) and predictor.cells
        )

    @property
    def bounds_by_column(self) -> dict[str, VariableBounds]:
        """Bounds by column, in the order of a list of bounds: the response first if it is numeric."""
        bounds = {} if self.binary_response is not None or self.responses else {self.response: self.response_bounds}
        columns = (*self.responses, *self.source_columns)
        return bounds | {column.column: column.bounds for column in columns if column.bounds is not None}

    @property
    def arguments(self) -> tuple[tuple[str, object], ...]:
        """Public arguments of the call."""
        levels = {
            variable.column: tuple(map(convert_to_plain_level, variable.declared_levels))
            for variable in self._variables_with_levels
        }
        shown = {
            "bounds": tuple(self.bounds_by_column.values()),
            "levels": "declared" if levels and self.declared else levels,
            "other": self.other,
        }
        return tuple((name, value) for name, value in shown.items() if value)

    def build_matrix(self, data: object) -> Floats:
        """Return the design matrix of new records, with a constant first."""
        columns = select_columns(data, [column.column for column in self.source_columns], "exog")
        read = columns.read_columns([partial(column.read_column, argument="exog") for column in self.source_columns])
        if len({values.size for values in read}) > 1:
            raise PydpstatError("exog must have columns of the same length; the lengths differ.")
        checked = [column.check_values(values) for column, values in zip(self.source_columns, read)]
        matrix = build_design_matrix(self.predictors, self.build_predictors(checked))
        if not np.isfinite(matrix).all():
            raise PydpstatError(
                "exog must have numbers for which the formula's transformations are defined; it has "
                "other values. Leave out these records."
            )
        return matrix

    def build_predictors(self, read: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Compute the predictors of records from the columns as read."""
        by_name = {column.column: values for column, values in zip(self.source_columns, read)}
        return tuple(predictor.compute_values(by_name) for predictor in self.predictors)


class Regression(NamedTuple):
    """Records of a regression: the response and the predictors' values; private except for the design."""

    design: RegressionDesign
    response: Floats
    predictors: tuple[np.ndarray, ...]
    unit: str | None = None
    formula: str = "formula"

    def __repr__(self) -> str:
        return hide_values(self)


def read_regression(
    formula: object,
    data: object,
    bounds: object,
    levels: object,
    missing: Missing,
    binary: bool = False,
    other: str | None = None,
    options: Options | None = None,
) -> Regression:
    """Read one record of each unit for a regression given by a formula or by response and predictors."""
    check_other(other)
    check_equal_indexes(("data", data), ("formula", formula), ("unit", options and options.scope.unit))
    unit = None if options is None else read_unit_ids(data, options.scope)
    if isinstance(formula, str):
        parsed = parse_formula(formula, partial(has_column, data))
        inputs = [select_columns(data, [*parsed.response.columns, *parsed.columns], "data")]
        constant, shown, text = "Intercept", f"data[{parsed.response.columns[0]!r}]", repr(formula)
    else:
        columns_given = get_all_columns(data).drop_column(None if unit is None else unit[0])
        name, target = get_response_column(formula, columns_given.names, binary)
        inputs = [target, columns_given]
        parsed = ParsedFormula(
            FormulaFactor((name,), name), tuple((FormulaFactor((each,), each),) for each in columns_given.names)
        )
        constant, shown, text = "const", "formula", "formula"
        if name in columns_given.names:
            raise PydpstatError(
                "formula must have a response whose name differs from those of the predictors; got "
                f"{name!r}. Rename one of them."
            )
    columns = [column for each in inputs for column in each.columns]
    design = _make_design(parsed, columns, bounds, shown if binary else None, levels, other, constant)
    check_fill_value(missing, list(design.bounds_by_column.values()))
    numeric = Predictor(design.response, design.response, design.response_bounds, None)
    responses = design.responses or (design.binary_response or numeric,)
    readers: list[Reader] = [each.read_column for each in (*responses, *design.source_columns)]
    if unit is not None and unit[1] is None:
        # the unit's column is read with the others, because some data can be read only once
        inputs[-1] = select_columns(data, [*inputs[-1].names, unit[0]], "data")
        readers.append(partial(compute_id_hashes, name=unit[0]))
    if design.binary_response is None and not isinstance(formula, str):
        readers[0] = partial(read_numbers, name=shown)
    read: list[np.ndarray] = []
    for each in inputs:
        read += each.read_columns(readers[len(read) : len(read) + len(each.names)])
    if any(values.size != read[0].size for values in read):
        raise PydpstatError(
            "data must have the predictors of the same records as the response; they have different "
            "lengths. Give one value for each record."
        )
    if options is not None and unit is not None:
        read = select_one_per_unit(unit, read, options.source)
    read = _drop_incomplete_records(read) if missing == "drop" else read
    filled = [each.fill_missing(values, missing) for each, values in zip((*responses, *design.source_columns), read)]
    response, predictors = filled[0], tuple(filled[len(responses) :])
    # bounds of transformations are implied by those of their columns, which must therefore be clipped first
    if parsed.response.expression is not None:
        response = parsed.response.expression.compute_values(
            dict(zip((each.column for each in responses), clip_to_bounds(responses, filled)))
        )
    if design.columns:
        predictors = design.build_predictors(clip_to_bounds(design.columns, predictors))
    unit_name = None if unit is None else unit[0]
    return Regression(design, response.astype(np.float64, copy=False), predictors, unit_name, text)


def _drop_incomplete_records(read: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Drop records with missing values: NaN in numbers or -1 in level codes."""
    gaps = [np.isnan(values) if values.dtype.kind == "f" else values < 0 for values in read]
    is_complete = ~np.logical_or.reduce(gaps)
    return [values[is_complete] for values in read]


def _make_design(
    parsed: ParsedFormula,
    columns: Sequence[object],
    bounds: object,
    binary_argument: str | None,
    levels: object,
    other: str | None,
    constant: str,
) -> RegressionDesign:
    """Return the design; `binary_argument` is the name of the argument with a binary response, else None."""
    outcome, (response, *more) = None, parsed.response.columns
    if binary_argument and parsed.response.expression is not None:
        raise PydpstatError(
            f"formula must have a column as the response of logit, or a condition, not {parsed.response.text!r}."
        )
    start = 0 if binary_argument else len(parsed.response.columns)
    names = [*parsed.response.columns, *parsed.columns]
    factors, declared = _check_predictor_levels(names[start:], parsed.categorical_columns, columns[start:], levels)
    if binary_argument:
        outcome = _make_binary_response(response, binary_argument, columns[0], factors.pop(response, None))
    text = next((name for name in parsed.transformed_columns if name in factors), None)
    if text is not None:
        raise PydpstatError(
            f"formula must have transformations of numeric variables only; got one of {text!r}, which "
            "has levels. Leave out its levels, or the transformation."
        )
    numeric = [name for name in parsed.columns if name not in factors]
    also = "For a column of groups give levels={column: [...]} instead."
    if constant == "const":
        also = "Without a formula the response comes first, as in ols(y, X, ...)."
    pairs = _check_bounds_by_name(bounds, numeric if binary_argument else [*names[:start], *numeric], also)
    kinds = {name: getattr(getattr(column, "dtype", None), "kind", "") for name, column in zip(names, columns)}

    def is_closed(name: str) -> bool:
        """Return whether all values of a column are levels by its type."""
        return declared or (kinds[name] == "b" and len(factors.get(name, ())) == 2)

    read = {
        name: _make_column_predictor(name, pairs.get(name), factors.get(name), None if is_closed(name) else other)
        for name in parsed.columns
    }
    predictors = encode_terms(parsed.terms, read)
    sources = () if not any(isinstance(each, DerivedPredictor) for each in predictors) else tuple(read.values())
    responses: tuple[Predictor, ...] = ()
    pair = (0.0, 1.0) if binary_argument else pairs[response]
    if parsed.response.expression is not None:
        responses = tuple(Predictor(name, name, pairs[name], None) for name in (response, *more))
        pair = parsed.response.expression.compute_bounds(pairs)
        response = parsed.response.text
    names = [constant, *(name for predictor in predictors for name in predictor.names)]
    if len(set(names)) != len(names):
        raise PydpstatError("data must have columns whose coefficients have different names. Rename one.")
    return RegressionDesign(response, pair, predictors, constant, declared, outcome, sources, responses, other)


def _make_column_predictor(
    name: str, bounds: VariableBounds | None, levels: tuple[object, ...] | None, other: str | None
) -> Predictor:
    """Return the predictor of a column, with a level `other` for values outside its levels."""
    if levels is None or other is None:
        return Predictor(name, name, bounds, levels)
    texts = [str(convert_to_plain_level(level)) for level in levels]
    if other in texts:
        return Predictor(name, name, None, levels, texts.index(other))
    return Predictor(name, name, None, (*levels, other), len(levels), True)


def _make_binary_response(response: str, argument: str, column: Column, levels: tuple[object, ...] | None) -> Predictor:
    """Return a response with two given levels, or a boolean response."""
    if levels is not None and len(levels) == 2:
        return Predictor(response, argument, None, levels)
    if levels is not None:
        raise PydpstatError(
            f"levels[{response!r}] must be two, of which the second one counts as 1; got "
            f"{checks.describe_value(levels)}. Make the response a condition first."
        )
    if get_value_kind(column) is not None and getattr(column.dtype, "kind", "O") != "b":
        raise make_response_error(argument, response, column)
    return BooleanResponse(response, argument, None, (False, True))


def _check_predictor_levels(
    names: Sequence[str], categories: Sequence[str], columns: Sequence[object], levels: object
) -> tuple[dict[str, tuple[object, ...]], bool]:
    """Return the public levels of the categorical predictors by column, and whether they are declared."""
    by_name = dict(zip(names, columns))
    if isinstance(levels, Mapping):
        wanted = [name for name in by_name if name in levels]
        other = [name for name in levels if name not in by_name]
        if other:
            fix = f"levels={{key: levels[key] for key in {checks.format_public_value(wanted)}}}" if wanted else "levels"
            raise PydpstatError(
                f"levels must be of columns of the model, {checks.format_public_value(list(by_name))}; got "
                f"{len(other)} for other names. {'Leave out others: ' if wanted else 'Leave out '}{fix}."
            )
    else:
        wanted = [name for name in by_name if name in categories or is_categorical(by_name[name])]
    missing = [name for name in categories if name not in wanted]
    if missing or (wanted and levels is None):
        name = (missing or wanted)[0]
        raise PydpstatError(
            f"levels must include the public levels of {name!r}, because levels from the data would "
            f"reveal which values occur. Give levels={{{name!r}: [...]}}, the reference level first, "
            "or 'declared' if the categories of Categoricals are public."
        )
    if not wanted:
        if levels is not None and not isinstance(levels, Mapping):
            raise PydpstatError(
                f"levels must be left out if no predictor is categorical; got {checks.describe_value(levels)}. "
                "Write C(column) in a formula, or give a dict by column."
            )
        return {}, False
    chosen = [by_name[name] for name in wanted]
    selected_levels = {name: levels[name] for name in wanted} if isinstance(levels, Mapping) else levels
    public = check_levels(selected_levels, CrossedVariables(tuple(chosen), tuple(wanted), 0))
    levels_by_name = {name: values.levels for name, values in zip(wanted, public)}
    for name, values in levels_by_name.items():
        if len(values) < 2:
            raise PydpstatError(f"levels[{name!r}] must be two or more levels; got {checks.describe_value(values)}.")
    return levels_by_name, isinstance(levels, str)


def _check_bounds_by_name(bounds: object, names: list[str], also: str) -> dict[str, VariableBounds]:
    """Return public bounds by name from one pair for all, a list of pairs or a dict."""
    if not names and bounds is None:
        return {}
    if isinstance(bounds, Mapping):
        pairs = checks.select_by_names(bounds, names, "bounds", "column", "(lower, upper)", extra_hint=also)
        return {name: check_bounds(pair, f"bounds[{name!r}]") for name, pair in zip(names, pairs)}
    if has_several_bounds(bounds):
        if len(bounds) != len(names):
            raise PydpstatError(
                "bounds must be one pair, or one for each numeric variable of the data, "
                f"{checks.format_public_value(names)}; got {len(bounds)}."
            )
        return {name: check_bounds(pair, f"bounds[{i}]") for i, (name, pair) in enumerate(zip(names, bounds))}
    check_shared_bounds(bounds, names)
    return dict.fromkeys(names, check_bounds(bounds))

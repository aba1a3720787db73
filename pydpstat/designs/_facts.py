"""Facts declared by a design: public facts of a study, checked once."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydpstat import _checks as checks
from pydpstat._data.columns import VariableBounds, check_bounds
from pydpstat._data.native import to_public_list
from pydpstat._data.values import is_missing
from pydpstat._records.levels import check_level_values
from pydpstat._release.charging import Chargeable, get_budget_defaults, get_open_budgets
from pydpstat._release.options import Missing
from pydpstat.designs._conditions import Condition, parse_expression
from pydpstat.designs._expressions import Clipping
from pydpstat.errors import PydpstatError

NEIGHBORS = ("bounded", "unbounded")
MISSING_RULES = ("error", "drop")
# words of pandas, SciPy and R that are not meant as levels
_WORDS_FOR_RULES = ("exclude", "fail", "ignore", "na.exclude", "na.fail", "na.omit", "omit", "raise", "remove", "skip")
Levels = tuple[object, ...] | str


class Facts(NamedTuple):
    """Public facts, described in `Design`."""

    bounds: Mapping[str, VariableBounds]
    levels: Mapping[str, Levels]
    unit: str | None
    max_records: int | None
    weights: str | None
    strata: str | None
    missing: Missing | Mapping[str, Missing]
    neighbors: str
    other: str | None
    assigned: Mapping[str, str]

    @property
    def declared_columns(self) -> tuple[str, ...]:
        """Columns that have bounds or levels."""
        return tuple(dict.fromkeys([*self.bounds, *self.levels]))

    def check_condition(self, condition: Condition, data_columns: Sequence[str] = ()) -> None:
        """Raise an error for a condition that does not fit the declared facts; `data_columns` are all columns."""
        condition.check_expression(self.declared_columns, data_columns)
        condition.check_values(self.bounds, self.levels)

    def get_missing_rule(self, name: str) -> Missing:
        """Return the rule of a column; that of an assigned column is "drop" if one of its sources has this rule."""
        if not isinstance(self.missing, Mapping):
            return self.missing
        if name in self.missing or name not in self.assigned:
            return self.missing.get(name, "error")
        rules = map(self.get_missing_rule, parse_expression(self.assigned[name]).names)
        return "drop" if "drop" in rules else "error"

    def find_sources(self, names: Iterable[str]) -> list[str]:
        """Return the columns of the data from which columns are computed."""
        return [
            source
            for name in names
            for source in (
                self.find_sources(parse_expression(self.assigned[name]).names) if name in self.assigned else [name]
            )
        ]

    def get_number_bounds(self) -> dict[str, VariableBounds]:
        """Return the bounds of all numeric columns; 0 and 1 for Booleans."""
        truths = {
            name: (0.0, 1.0) for name, column_levels in self.levels.items() if set(column_levels) <= {False, True}
        }
        return {**truths, **self.bounds}

    @property
    def clipping_bounds(self) -> Clipping:
        """Bounds of all columns, to which they are clipped before anything is computed from them."""
        return tuple(self.get_number_bounds().items())

    def get_undefined_value(self, name: str) -> float:
        """Return the value of an assigned column where undefined: NaN if missing values have a rule, else a bound.

        The bound is the lower one. An error would reveal a record; a rule for missing values does not.
        """
        clipped = name in self.bounds and self.get_missing_rule(name) == "error"
        return self.bounds[name][0] if clipped else math.nan

    def with_columns(self, data_columns: Sequence[str], columns: Mapping[str, object], bounds: Any) -> Facts:
        """Return the facts with assigned columns added; see `Design.assign`."""
        several = isinstance(bounds, Mapping)
        bounds_by_column = bounds if several else dict.fromkeys(columns, bounds)
        single = several or bounds is None or len(columns) == 1
        if not columns or not {*bounds_by_column} <= {*columns} or not single:
            raise PydpstatError(
                "assign must have columns, and their bounds: a pair for one column, or a dict by "
                f"column; got the columns {checks.format_public_value(list(columns))} and as bounds "
                f"{checks.describe_value(bounds)}. Write for example assign(log_income='log(income)', "
                "bounds=(5, 13))."
            )
        facts = self
        for name, text in columns.items():
            if name in data_columns:
                raise PydpstatError(f"assign must make new columns; got {name!r}, which exists. Choose another name.")
            if not isinstance(text, str):
                raise PydpstatError(
                    f"{name} must be an expression, a string such as 'log(income)'; got "
                    f"{checks.describe_value(text)}. The expression is applied to each record by pydpstat."
                )
            facts = facts._with_column(name, text, bounds_by_column.get(name), data_columns)
        return facts

    def _with_column(self, name: str, text: str, bounds: object, data_columns: Sequence[str]) -> Facts:
        expression = parse_expression(text, self.clipping_bounds)
        facts = self._replace(assigned={**self.assigned, name: text})
        if isinstance(expression, Condition):
            self.check_condition(expression, data_columns)
            if bounds is not None:
                raise PydpstatError(
                    f"bounds must be left out for {name!r}, which has truth values, because {text!r} is a condition."
                )
            return facts._replace(levels={**self.levels, name: (False, True)})
        expression.check_expression(self.declared_columns, data_columns)
        if bounds is None:
            bounds = expression.compute_bounds(self.get_number_bounds())
            if not -math.inf < bounds[0] < bounds[1] < math.inf:
                column_bounds = {column: self.get_number_bounds().get(column) for column in expression.names}
                raise PydpstatError(
                    f"bounds must be given for {name!r}: {text!r} has no finite bounds with those of "
                    f"its columns, {column_bounds}. Give them, assign({name}={text!r}, bounds=(lower, upper))."
                )
        return facts._replace(bounds={**self.bounds, name: check_bounds(bounds, f"bounds of {name!r}")})

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as plain values, for a file."""
        return {
            "bounds": {name: list(pair) for name, pair in self.bounds.items()},
            "levels": {
                name: column_levels
                if isinstance(column_levels, str)
                else list(map(checks.unwrap_scalar, column_levels))
                for name, column_levels in self.levels.items()
            },
            **{name: getattr(self, name) for name in self._fields[2:-1]},
            **({"assigned": dict(self.assigned)} if self.assigned else {}),
        }


def check_facts(
    columns: Collection[str] | None,
    bounds: object,
    levels: object,
    unit: str | None,
    max_records: int | None,
    weights: str | None,
    strata: str | None,
    missing: Missing | Mapping[str, Missing],
    neighbors: str,
    other: str | None,
) -> Facts:
    """Check public facts; `columns` are those of the data, None if there are no data."""
    checked_bounds = {
        name: check_bounds(pair, f"bounds[{name!r}]")
        for name, pair in _check_facts_by_column(bounds, "bounds", columns, "{'age': (0, 110)}").items()
    }
    checked_levels = {
        name: _check_levels(name, each)
        for name, each in _check_facts_by_column(levels, "levels", columns, "{'sex': ['f', 'm']}").items()
    }
    for each, (low, high) in checked_bounds.items():
        numbers = [level for level in checked_levels.get(each, ()) if checks.is_number(level)]
        if beyond := [level for level in numbers if not low <= checks.as_float(level) <= high]:
            raise PydpstatError(
                f"levels[{each!r}] must be within bounds[{each!r}], {(low, high)}; got {beyond[0]!r}. "
                "Numbers need bounds and groups levels: declare one of them, or both for the same values."
            )
    for argument, name in (("unit", unit), ("weights", weights), ("strata", strata)):
        if name is not None:
            _check_column(name, argument, columns, checks.describe_option(name))
    checked_max_records = None
    if unit is not None:
        hint = "With 1, one record of each unit counts."
        checked_max_records = checks.check_integer(
            1 if max_records is None else max_records, "max_records", 1, hint=hint
        )
    elif max_records is not None:
        raise PydpstatError("max_records must not be given without unit. Name the column that identifies units.")
    if weights is not None and weights not in checked_bounds:
        raise PydpstatError(
            f"bounds must include those of the weights; {weights!r} has none. Give for example "
            f"bounds={{{weights!r}: (0, 3)}}."
        )
    if weights is not None and checked_bounds[weights][0] < 0.0:
        raise PydpstatError(
            f"bounds of the weights {weights!r} must not be below 0; got {checked_bounds[weights]}. Give for "
            "example (0, 3)."
        )
    if strata is not None and strata not in checked_levels:
        raise PydpstatError(
            f"levels must include those of the strata; {strata!r} has none. Give for example "
            f"levels={{{strata!r}: ['small', 'large']}}."
        )
    if other is not None and not isinstance(other, str):
        raise PydpstatError(
            "other must be a name for values that are in no level, or None; got "
            f"{checks.describe_value(other)}. None leaves out these records."
        )
    if isinstance(missing, Mapping):
        missing = dict(_check_facts_by_column(missing, "missing", columns, "{'income': 'drop'}"))
        checked_levels = {name: _add_level(each, missing.get(name)) for name, each in checked_levels.items()}
    for rule in missing.values() if isinstance(missing, Mapping) else (missing,):
        _check_missing_rule(rule, checked_levels)
    checks.check_choice(neighbors, "neighbors", NEIGHBORS)
    return Facts(
        checked_bounds, checked_levels, unit, checked_max_records, weights, strata, missing, neighbors, other, {}
    )


def is_fill_value(rule: object) -> bool:
    """Return whether a rule is a value that replaces missing ones."""
    return not (isinstance(rule, str) and rule in MISSING_RULES)


def _add_level(levels: Levels, rule: object) -> Levels:
    """Return the levels of a column with the one that its missing values get, unless that may be a misspelled rule."""
    if not isinstance(rule, str) or isinstance(levels, str) or rule in (*MISSING_RULES, *_WORDS_FOR_RULES, *levels):
        return levels
    return levels if checks.suggest_spelling(rule, MISSING_RULES).startswith("Did") else (*levels, rule)


def _check_missing_rule(rule: object, levels: Mapping[str, Levels]) -> None:
    """Raise an error for a string that is neither a rule nor a declared level that replaces missing values."""
    if not is_fill_value(rule) or not isinstance(rule, str):
        return
    if not any(column_levels == "declared" or rule in column_levels for column_levels in levels.values()):
        raise PydpstatError(
            "missing must be 'error', 'drop', or a value that replaces missing ones; got "
            f"{checks.describe_option(rule)}, which is not a declared level. "
            f"{checks.suggest_choice(rule, 'missing', MISSING_RULES)}"
        )


def _check_facts_by_column(
    value_by_column: object, argument: str, columns: Collection[str] | None, example: str
) -> Mapping[str, Any]:
    if value_by_column is None:
        return {}
    if not isinstance(value_by_column, Mapping):
        raise PydpstatError(
            f"{argument} must be a dict by column; got {type(value_by_column).__name__}. Give for example {example}."
        )
    for name in value_by_column:
        # a name that is not similar to a column may be a value of the data
        near = columns is None or checks.suggest_spelling(name, tuple(columns)).startswith("Did")
        _check_column(name, argument, columns, checks.describe_option(name) if near else checks.describe_value(name))
    return value_by_column


def _check_column(name: object, argument: str, columns: Collection[str] | None, description: str) -> None:
    if isinstance(name, str) and (columns is None or name in columns):
        return
    column_names = () if columns is None else tuple(columns)
    raise PydpstatError(
        f"{argument} must name columns of the data; got {description}. "
        f"{checks.suggest_spelling(name, column_names)} The columns are "
        f"{checks.format_public_value(list(column_names))}."
    )


def _check_levels(name: str, levels: object) -> Levels:
    if isinstance(levels, str) and levels == "declared":
        return levels
    values = to_public_list(levels, f"levels[{name!r}]")
    if not isinstance(values, (list, tuple)) or not values or isinstance(levels, str):
        raise PydpstatError(
            f"levels[{name!r}] must be a list of the public levels, or 'declared' for those of a "
            f"Categorical; got {checks.describe_option(levels)}. Give for example ['f', 'm']."
        )
    for value in values:
        if is_missing(value) or isinstance(value, (list, tuple, dict, set)):
            raise PydpstatError(
                f"levels[{name!r}] must be strings, numbers or truth values; got {checks.describe_value(value)} "
                "among them. A missing value is not a level: missing= says how it is treated."
            )
    return check_level_values(levels, f"levels[{name!r}]")


def check_narrower_bounds(facts: Facts, names: Sequence[str], bounds: object) -> None:
    """Raise an error if bounds of a call are wider than those of its design; None is allowed."""
    if bounds is None:
        return
    bounds_by_column = bounds if isinstance(bounds, Mapping) else dict.fromkeys(names, bounds)
    for name, given_pair in bounds_by_column.items():
        if name not in names:
            raise PydpstatError(
                f"bounds must be those of the variables, {checks.format_public_value(list(names))}; got some of "
                f"{name!r}. {checks.suggest_spelling(name, names)}"
            )
        pair = check_bounds(given_pair)
        low, high = facts.bounds.get(name, (-float("inf"), float("inf")))
        if not low <= pair[0] < pair[1] <= high:
            raise PydpstatError(
                f"bounds of {name!r} must lie within the declared ones, {(low, high)}; got {pair}. Give the "
                "declared ones or narrower: a call cannot widen a design."
            )


def _assign_levels(names: Sequence[str], levels: object) -> Mapping[str, Any]:
    """Return the levels of each variable, which several have in their order or by name."""
    if isinstance(levels, Mapping):
        return levels
    lists = to_public_list(levels, "levels")
    if len(names) < 2 or not isinstance(lists, (list, tuple)):
        return dict.fromkeys(names, levels)
    nested = all(each == "declared" if isinstance(each, str) else hasattr(each, "__len__") for each in lists)
    if len(lists) != len(names) or not nested:
        example = ", ".join(f"{name!r}: [...]" for name in names)
        raise PydpstatError(
            f"levels must be a list of levels for each of {', '.join(map(repr, names))}; got "
            f"{checks.describe_value(levels)}. Write levels={{{example}}}, or leave out what is declared."
        )
    return dict(zip(names, lists))


def check_fewer_levels(facts: Facts, names: str | Sequence[str] | None, levels: object) -> None:
    """Raise an error if levels of a call are not among those of its design; None is allowed."""
    if levels is None:
        return
    group_names = [names] if isinstance(names, str) else names or []
    levels_by_column = _assign_levels(group_names, levels)
    for name, values in levels_by_column.items():
        declared_levels, values = facts.levels.get(name), to_public_list(values, "levels")
        if not isinstance(declared_levels, tuple) or not isinstance(values, (list, tuple)):
            continue
        if more := [value for value in values if value not in declared_levels]:
            raise PydpstatError(
                f"levels of {name!r} must be among the declared ones, "
                f"{checks.format_public_value(list(declared_levels))}; got {len(more)} others. Give the "
                "declared ones or fewer: a call cannot widen a design."
            )


def resolve_unit_and_neighbors(
    unit: str | None, neighbors: str | None, budget: Chargeable | None
) -> tuple[str | None, str]:
    """Return the unit and neighbors of the design, checked against the budget that will be charged."""
    if budget is None and not get_open_budgets():
        return unit, "unbounded" if neighbors is None else neighbors
    paid = get_budget_defaults(budget)
    unit = paid.unit if unit is None else unit
    neighbors = paid.neighbors if neighbors is None else checks.check_choice(neighbors, "neighbors", NEIGHBORS)
    if budget is not None and not hasattr(budget, "neighbors"):
        # other objects with a method `spend` have no neighbors
        return unit, neighbors
    write = f"write pydpstat.Budget(..., neighbors={neighbors!r}{'' if unit is None else f', unit={unit!r}'})"
    if isinstance(unit, str) and unit != paid.unit:
        raise PydpstatError(
            f"unit must be the budget's, {paid.unit!r}; got {checks.describe_option(unit)}. A budget's unit is "
            f"the name of the column that identifies the unit of each record: {write}."
        )
    if neighbors != paid.neighbors:
        raise PydpstatError(
            f"neighbors must be the budget's, {paid.neighbors!r}; got {neighbors!r}. Leave them out, or {write}."
        )
    return unit, neighbors

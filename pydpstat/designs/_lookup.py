"""Resolution of names in calls of a design: sides of formulas, and declared columns.

A formula may replace names: ``income ~ 1``, ``before - after ~ 1``, ``~ region + sex``. Its sides are columns,
from which nothing is computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pydpstat import _checks as checks
from pydpstat._release.charging import Chargeable
from pydpstat._release.declared_facts import record_facts
from pydpstat.designs._conditions import Condition
from pydpstat.designs._facts import Facts, Levels
from pydpstat.designs._signatures import (
    CONDITION_METHODS,
    GROUP_METHODS,
    TABLE_METHODS,
    CachedCall,
    get_method_signature,
)
from pydpstat.designs._views import RECORDS_COLUMN, ComputedColumn, NewColumn
from pydpstat.errors import PydpstatError

_DIFFERENCE_METHODS = ("ttest_rel", "wilcoxon")
_ONE_SAMPLE_METHODS = ("binomtest", "kstest", "quantile_test", "ttest_1samp", "wilcoxon")
_TABLE_METHODS = (*TABLE_METHODS, "kendalltau")


def is_formula(variables: object, columns: Sequence[str]) -> bool:
    """Return whether a string is a formula, rather than a column's name or a condition on strings."""
    if not isinstance(variables, str) or "~" not in variables or variables in columns:
        return False
    return "'" not in variables and '"' not in variables


def parse_variables(formula: str, name: str, columns: Sequence[str]) -> str | list[str]:
    """Parse a formula of one sample, of pairs or of a table, and return its variables.

    Examples
    --------
    >>> parse_variables("income ~ 1", "ttest_1samp", ["income"])
    'income'
    >>> parse_variables("before - after ~ 1", "ttest_rel", ["before", "after"])
    ['before', 'after']
    >>> parse_variables("~ region + sex", "crosstab", ["region", "sex"])
    ['region', 'sex']
    """
    left, right = _split_formula(formula, name, get_formula_example(name))
    if right == "1" and left and name in (*_ONE_SAMPLE_METHODS, *_DIFFERENCE_METHODS):
        pair = [variable.strip() for variable in left.split("-")]
        if left not in columns and len(pair) == 2 and name in _DIFFERENCE_METHODS:
            return pair
        if name in _ONE_SAMPLE_METHODS:
            return left
    if not left and name in _TABLE_METHODS:
        variables = [variable.strip() for variable in right.split("+")]
        return variables if len(variables) > 1 else variables[0]
    raise _make_formula_error(formula, name, get_formula_example(name))


def parse_groups(formula: object, name: str, columns: Sequence[str]) -> list[str]:
    """Parse a formula of groups, and return its variable and its column of groups.

    Examples
    --------
    >>> parse_groups("income ~ sex", "ttest_ind", ["income", "sex"])
    ['income', 'sex']
    """
    example = "'income ~ sex'"
    left, right = _split_formula(formula, name, example) if isinstance(formula, str) else ("", "")
    if not left or right == "1":
        raise _make_formula_error(formula, name, example)
    if right not in columns and not right.isidentifier():
        raise PydpstatError(
            f"formula must have one column of groups on its right side; got {checks.format_public_value(right)}. "
            "Make a column of a condition first, design.assign(old='age >= 65')."
        )
    return [left, right]


def _split_formula(formula: str, name: str, example: str) -> list[str]:
    sides = [side.strip() for side in formula.split("~")]
    if len(sides) != 2 or not sides[1]:
        raise _make_formula_error(formula, name, example)
    return sides


def get_formula_example(name: str) -> str:
    """Return an example of a formula for a function; empty if it accepts none."""
    if name in _DIFFERENCE_METHODS:
        return "'before - after ~ 1'" + (" or 'change ~ 1'" if name in _ONE_SAMPLE_METHODS else "")
    if name in _ONE_SAMPLE_METHODS:
        return "'income ~ 1'"
    return "'~ region + sex'" if name in _TABLE_METHODS else ""


def _make_formula_error(formula: object, name: str, example: str) -> PydpstatError:
    description = checks.describe_option(formula)
    if not example:
        return PydpstatError(
            f"variables must be column names for {name}, which takes no formula; got {description}. Give "
            "for example 'income', with by='region' for groups."
        )
    if name in GROUP_METHODS:
        requirement, hint = "formula must be a variable and its groups", "One sample has ttest_1samp, quantile_test"
    else:
        requirement, hint = (
            f"a formula of {name} must be a sample or a table",
            "Groups have ttest_ind, f_oneway, kruskal",
        )
    return PydpstatError(f"{requirement}; got {description}. Write for example {example}. {hint} and their like.")


class Design(Protocol):
    """Attributes of a design that its methods use."""

    _data: Any
    facts: Facts
    columns: tuple[str, ...]
    budget: Chargeable | None
    rng: object
    condition: Condition | None
    _cached_calls: dict[tuple[str, str, str | None] | None, CachedCall]

    def _select_columns(
        self,
        names: list[str],
        new_columns: Sequence[NewColumn],
        single: bool,
        zero_column: str | None = None,
    ) -> object:
        """Return columns of the data."""


def resolve_columns(design: Design, variables: object, name: str) -> tuple[list[str], list[ComputedColumn]]:
    """Return the requested columns, and those of them that must be computed."""
    if variables is None and name == "count":
        return [RECORDS_COLUMN], [ComputedColumn(RECORDS_COLUMN, None)]
    names = [variables] if isinstance(variables, str) else variables
    if not isinstance(names, (list, tuple)) or not names or not all(isinstance(column, str) for column in names):
        if name in CONDITION_METHODS:
            raise PydpstatError(
                f"{get_method_signature(name).first_parameter} must be a condition in quotes, or a column name; got "
                f"{checks.describe_value(variables)}. Write for example 'age >= 18': the design has the data."
            )
        raise PydpstatError(
            f"variables must be a column name, or a list of names; got {checks.describe_value(variables)}. "
            "Give for example 'income'."
        )
    computed_columns = []
    for column in names:
        if column in design.columns:
            continue
        if column.isidentifier():
            raise PydpstatError(
                f"variables must be columns of the data; got {column!r}. "
                f"{checks.suggest_spelling(column, design.columns)} "
                f"The columns are {checks.format_public_value(list(design.columns))}."
            )
        condition = Condition(column, design.facts.clipping_bounds)
        design.facts.check_condition(condition, design.columns)
        computed_columns.append(ComputedColumn(column, condition))
    return list(names), computed_columns


def is_condition(design: Design, name: str) -> bool:
    """Return whether a variable is a condition, rather than a column."""
    return name not in design.columns and not name.isidentifier()


def check_group_columns(by: object) -> list[str]:
    """Check the columns of groups in a call, and return their names."""
    keys = [] if by is None else [by] if isinstance(by, str) else by
    if isinstance(keys, (list, tuple)) and all(isinstance(key, str) for key in keys):
        return list(keys)
    raise PydpstatError(
        f"by must name columns of the design's data; got {checks.describe_value(by)}. Give for example by='region'."
    )


def is_single_grouped_variable(design: Design, names: Sequence[str], group_columns: Sequence[str]) -> bool:
    """Return whether keys leave one variable of a frame, for which functions accept a pair of bounds."""
    return len(names) == 1 and bool(group_columns or design.facts.unit)


def get_declared_bounds(design: Design, names: Sequence[str], single: bool, is_difference: bool) -> Any:
    """Return the declared bounds of variables, or of the difference of two."""
    facts = design.facts
    record_facts("bounds", names)
    for name in names:
        if name not in facts.bounds:
            raise make_undeclared_error(design, "bounds", name, "(lower, upper)")
    pairs = [facts.bounds[name] for name in names]
    if is_difference:
        return pairs[0][0] - pairs[1][1], pairs[0][1] - pairs[1][0]
    return pairs[0] if single else dict(zip(names, pairs))


def make_undeclared_error(design: Design, argument: str, name: str, example: str) -> PydpstatError:
    """Return the error for a column without a declaration that is needed."""
    hint = f"Declare them, dp.design(..., {argument}={{{name!r}: {example}}})."
    if name not in design.columns:
        return PydpstatError(
            f"{argument} must include those of {name!r}, which is not a column of the design. "
            f"{checks.suggest_spelling(name, design.columns)} The columns are "
            f"{checks.format_public_value(list(design.columns))}."
        )
    if argument == "bounds" and name in design.facts.levels:
        hint = f"It has levels, which are for groups, tables and conditions. {hint}"
    if argument == "levels" and name in design.facts.bounds:
        middle = sum(design.facts.bounds[name]) / 2
        hint = (
            "It has bounds, which are for numbers. Make groups of them, "
            f"design.assign(high='{name} >= {middle:g}'), or declare levels in place of bounds."
        )
    if argument == "bounds or levels":
        hint = (
            f"Declare bounds of numbers, dp.design(..., bounds={{{name!r}: (lower, upper)}}), or levels of "
            f"groups, levels={{{name!r}: [...]}}."
        )
    return PydpstatError(f"{argument} must include those of {name!r}; none are declared. {hint}")


def get_declared_levels(design: Design, names: Sequence[str], as_list: bool) -> Any:
    """Return the declared levels of columns: a list for one, else a dict."""
    levels_by_name: dict[str, Levels] = {}
    record_facts("levels", [each for each in names if not is_condition(design, each)])
    for each in names:
        if each not in design.facts.levels and not is_condition(design, each):
            raise make_undeclared_error(design, "levels", each, "[...]")
        levels_by_name[each] = design.facts.levels.get(each, (False, True))
    if all(isinstance(each, str) for each in levels_by_name.values()):
        return "declared"
    lists = {key: each if isinstance(each, str) else list(each) for key, each in levels_by_name.items()}
    return lists[names[0]] if as_list else lists


def fill_levels(design: Design, names: Sequence[str], levels: Any, as_list: bool, purpose: str = "") -> Any:
    """Return levels of columns, from the call if given, else as declared.

    If `purpose` is given, which has no data, they are lists.
    """
    remaining_names = [name for name in names if levels is None or isinstance(levels, Mapping) and name not in levels]
    if not remaining_names:
        return levels
    declared_levels = (
        get_listed_levels(design, remaining_names, purpose, as_list)
        if purpose
        else get_declared_levels(design, remaining_names, as_list)
    )
    return (
        declared_levels
        if levels is None
        else {**declared_levels, **levels}
        if isinstance(declared_levels, Mapping) and declared_levels
        else levels
    )


def get_listed_levels(design: Design, names: Sequence[str], purpose: str, as_list: bool) -> Any:
    """Return declared levels as lists, for a purpose that has no data from which to take them."""
    for name in names:
        if design.facts.levels.get(name) == "declared":
            raise PydpstatError(
                f"levels of {name!r} must be a list for {purpose}; the design has 'declared'. Name them, "
                f"dp.design(..., levels={{{name!r}: [...]}})."
            )
    return get_declared_levels(design, names, as_list)

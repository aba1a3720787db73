"""Options of a function in a call of a design: the declared facts, and the rules for missing values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydpstat import _checks as checks
from pydpstat._release.options import Missing
from pydpstat.designs._facts import Facts, is_fill_value
from pydpstat.designs._fills import FilledColumn, find_incomplete_columns
from pydpstat.designs._lookup import Design, check_group_columns
from pydpstat.designs._signatures import TABLE_METHODS, CallOptions, MethodSignature
from pydpstat.designs._views import ComputedColumn, NewColumn
from pydpstat.errors import MissingValuesError, PydpstatError

Returned = TypeVar("Returned")
Fills = list[FilledColumn]


def split_missing_rules(facts: Facts, variables: Sequence[str], others: Sequence[str] = ()) -> tuple[Missing, Fills]:
    """Return the rule that a function applies to its variables, and the columns that are filled before.

    A value that replaces the missing ones of some columns is not a rule for the others, which include groups and
    weights. A function applies such a value itself only to its variables, if all of them have it.
    """
    if not isinstance(facts.missing, Mapping):
        return facts.missing, []
    rules = {name: facts.get_missing_rule(name) for name in (*variables, *others)}
    filled = {name: rule for name, rule in rules.items() if is_fill_value(rule)}
    shared = {(type(rules[name]), rules[name]) for name in variables}
    has_one_value = len(shared) == 1 and all(rules[name] == "error" for name in others if name not in variables)
    if filled and has_one_value and _fit_levels(facts, filled):
        return next(iter(filled.values())), []
    fills = [FilledColumn(name, rule) for name, rule in filled.items()]
    # nothing is missing any more if all columns are filled
    is_dropping = "drop" in rules.values() or len(filled) == len(rules) and facts.neighbors == "unbounded"
    return "drop" if is_dropping else "error", fills


def _fit_levels(facts: Facts, filled: dict[str, Missing]) -> bool:
    """Return whether the values have the type of their columns' levels, so that no column has to change its type."""
    return all(
        isinstance(facts.levels.get(name, "declared"), str)
        or all(type(level) is type(value) for level in facts.levels[name])
        for name, value in filled.items()
    )


def get_declared_options(
    design: Design,
    signature: MethodSignature,
    variables: Sequence[str],
    bound_arguments: CallOptions,
    others: Sequence[str] = (),
) -> tuple[CallOptions, Fills]:
    """Return the declared options that a function accepts, and the columns to fill before the call.

    `variables` are columns to which the function applies its rule for missing values, and `others` the other ones that
    are read as they are.
    """
    facts = design.facts
    options: CallOptions = {"neighbors": facts.neighbors, "budget": design.budget, "rng": design.rng}
    fills: Fills = []
    if "missing" not in bound_arguments:
        options["missing"], fills = split_missing_rules(facts, variables, others)
    if (
        bound_arguments.get("by") is not None
        or bound_arguments.get("strata") is not None
        or signature.function.__name__ in TABLE_METHODS
    ):
        options["other"] = facts.other
    if facts.unit is not None:
        # functions without a unit may count the units themselves
        if "unit" not in signature.option_names and {*variables, *others} - {
            *check_group_columns(bound_arguments.get("by"))
        } != {facts.unit}:
            if signature.function.__name__ == "nunique":
                raise PydpstatError(
                    "variables must be the unit for nunique, which counts the units themselves; got "
                    f"{checks.format_public_value([*variables, *others])}. Write design.nunique({facts.unit!r}, 1.0), "
                    "or count other values with crosstab."
                )
            raise PydpstatError(
                f"{signature.function.__name__} protects records, but the design has the unit "
                f"{facts.unit!r}. Declare a design without unit if every unit has one record."
            )
        if checks.is_number(bound_arguments.get("max_records")) and bound_arguments["max_records"] > facts.max_records:
            max_records = bound_arguments["max_records"]
            raise PydpstatError(
                f"max_records must be at most the declared one, {facts.max_records}; got {max_records}. Declare "
                f"dp.design(..., max_records={max_records})."
            )
        # population intervals need independent records, one per unit, as in tests
        max_counted_records = 1 if bound_arguments.get("population") is True else facts.max_records
        options["unit"], options["max_records"] = facts.unit, max_counted_records
    return {key: value for key, value in options.items() if key in signature.option_names}, fills


def call_on_columns(
    design: Design,
    names: Sequence[str],
    new_columns: Sequence[NewColumn],
    function: Callable[..., Returned],
    *arguments: Any,
    **options: Any,
) -> Returned:
    """Call a function on columns of a design; the error that values are missing names the columns.

    The error comes with the condition that it is public whether values are missing: one call for each of the columns
    would tell the same.
    """
    try:
        return function(*arguments, **options)
    except MissingValuesError as error:
        text = _name_incomplete_columns(design, names, new_columns)
        raise error if text is None else MissingValuesError(text) from None


def _name_incomplete_columns(design: Design, names: Sequence[str], new_columns: Sequence[NewColumn]) -> str | None:
    """Return the message that names the columns with missing values; None if they cannot be found."""
    facts = design.facts
    sources = {column.name: column.needs for column in new_columns if isinstance(column, ComputedColumn)}
    filled = {column.name for column in new_columns if isinstance(column, FilledColumn)}
    read = [source for name in names for source in facts.find_sources(sources.get(name, (name,)))]
    unfilled = [name for name in dict.fromkeys(read) if name not in filled and name != facts.unit]
    try:
        found = find_incomplete_columns(design._select_columns(unfilled, [], False), unfilled) if unfilled else []
    except PydpstatError:
        # chunks of an iterator are read once
        return None
    if not found:
        return None
    shown = f"{', '.join(map(repr, found[:-1]))} and {found[-1]!r}" if len(found) > 1 else repr(found[0])
    rules = {name: _suggest_rule(facts, name) for name in found}
    return (
        f"missing must say how to treat missing values, because {shown} {'has' if len(found) == 1 else 'have'} some, "
        f"which this error reveals. Declare a rule for each column, as in dp.design(..., missing={rules}): a public "
        "value that replaces missing ones, or 'drop' with neighbors='unbounded'."
    )


def _suggest_rule(facts: Facts, name: str) -> Missing:
    if name in facts.levels and not {*facts.levels[name]} <= {False, True}:
        return "no answer"
    if facts.neighbors == "unbounded":
        return "drop"
    return facts.bounds[name][0] if name in facts.bounds else False

"""How a function becomes a method of a design: its data by name, its options from what is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pydpstat
from pydpstat import _checks as checks
from pydpstat._release.declared import compared, declared, noted
from pydpstat._wrong_calls import answer
from pydpstat.designs._conditions import Condition
from pydpstat.designs._facts import check_fewer, check_narrower
from pydpstat.designs._lookup import (
    Design,
    bounds_of,
    completed,
    example_of,
    groups_of,
    is_formula,
    levels_of,
    named_levels,
    undeclared,
    variables_of,
)
from pydpstat.designs._signatures import (
    CELLS,
    CONDITIONS,
    DECLARED,
    FIXED,
    GROUPS,
    MODELS,
    ONE_BY_ONE,
    PAIRS,
    TOGETHER,
    WEIGHTED,
    Known,
    Options,
    Repeated,
    Signature,
    Typed,
    known_by,
    signature_of,
)
from pydpstat.designs._views import RECORDS, Made, frame_of, samples_of, types_of, whole
from pydpstat.errors import ArgumentError, PydpstatError

# they hand records to a function
_CALLABLES = ("any_interval", "any_test")


def asked(design: Design, name: str, arguments: tuple[Any, ...], options: Options) -> object:
    """Call a function for a design."""
    if known := design._known.get(known_by(name, arguments, options)):
        with declared(Repeated(name, known, arguments[1]), known.facts, types_of(design._data)):
            data, own = design._view(known.names, (), not options), dict(budget=design.budget, rng=design.rng)
            return known.function(data, arguments[1], **known.options, **own)
    if name == "count" and (not arguments or checks.is_number(arguments[0])) and "condition" not in options:
        # how many records there are
        arguments = (None, *arguments)
    how = signature_of(name)
    given = _bound(how, name, arguments, options)
    if design.facts.strata is not None and "strata" in how.options and given.get("by") is None:
        given.setdefault("strata", design.facts.strata)
    typed = Typed(name, arguments, options, design.condition, design.facts.levels)
    with declared(typed, (), types_of(design._data)):
        if name in GROUPS:
            return _by_groups(design, how, given.pop("formula"), given, name)
        if name in MODELS:
            return _model(design, how, given.pop("formula"), given)
        variables = given.pop(how.first, None)
        if is_formula(variables, design.columns):
            variables = variables_of(variables, name, design.columns)
        _check_number(name, variables)
        keys = _keys(given.get("strata") if given.get("by") is None else given["by"])
        check_fewer(design.facts, keys or variables, given.get("levels"))
        return _of_variables(design, how, name, variables, given)


def _check_number(name: str, variables: object) -> None:
    """Refuse one variable where there must be several, and several where there must be one."""
    several = isinstance(variables, (list, tuple)) and len(variables) != 1
    if name in TOGETHER and not several:
        raise PydpstatError(
            f"variables must be two columns or more for {name}; got {checks.shown_option(variables)}. Give "
            "for example ['income', 'age']."
        )
    if name in WEIGHTED and not isinstance(variables, str):
        raise PydpstatError(
            f"variables must be one column name for {name}; got {checks.shown(variables)}. Call it for each."
        )


def planned(design: Design, function: str, variables: Any, places: Sequence[object], given: Options) -> Any:
    """Call `pydpstat.plan` for a design: as `asked`, without data."""
    about = None if checks.is_number(variables) else variables
    typed = Typed(function, (about, *places), given, design.condition, design.facts.levels)
    with declared(typed, (), types_of(design._data)):
        if design.condition is not None:
            compared()
        return _planned(design, function, variables, places, given)


def _planned(design: Design, function: str, variables: Any, places: Sequence[object], given: Options) -> Any:
    from pydpstat.statistics.plan import PLANNED, TESTS

    # its overloads tell of tests, whose epsilon may be looked for
    ask: Any = pydpstat.plan
    if function not in (*PLANNED, *TESTS):
        return ask(function, *places[:1], **given)
    how, options = signature_of(function), dict(given)
    if checks.is_number(variables):
        variables, places = None, (variables, *places)
    if variables is None and function not in ("count", *TESTS):
        raise PydpstatError(
            f"variables must be given for the plan of {function}; got none. Write "
            f"design.plan({function!r}, 'income', 1.0)."
        )
    if len(places) > len(how.places):
        raise PydpstatError(f"{function} takes {', '.join(how.places)} by position; got {len(places)}.")
    # an epsilon alone is the last one
    options.update(zip(how.places[-1:] if len(places) == 1 else how.places, places))
    epsilon = options.pop("epsilon", None)
    if function in GROUPS and variables is not None:
        variables = groups_of(variables, function, design.columns)[0]
    elif is_formula(variables, design.columns):
        variables = variables_of(variables, function, design.columns)
    names = [] if variables is None else [variables] if isinstance(variables, str) else list(variables)
    single, keys = isinstance(variables, str), _keys(options.get("by"))
    check_narrower(design.facts, names, options.get("bounds"))
    check_fewer(design.facts, keys or names, options.get("levels"))
    if function in TESTS:
        options.setdefault("neighbors", design.facts.neighbors)
    if names and "bounds" in how.options and "bounds" not in options:
        alone = single or _alone(design, names, keys)
        options["bounds"] = bounds_of(design, names, alone, function in PAIRS)
    if function in PLANNED:
        own = _common(design, how, names, options)
        options = {**{key: own[key] for key in own if key not in ("budget", "rng")}, **options}
        keys = names if function in CELLS else keys
        if keys:
            options["levels"] = completed(design, keys, options.get("levels"), len(keys) == 1, "a plan")
        if len(names) > 1 or names and (not single or function == "histogram") and function not in CELLS:
            options.setdefault("columns", names)
    return ask(function, epsilon, **options)


def _bound(how: Signature, name: str, arguments: tuple[object, ...], options: Options) -> Options:
    """Return what was given, by the method's parameters."""
    named = options.keys()
    if len(arguments) == len(how.plain) and how.needed <= named <= how.options and not FIXED & named:
        # as nearly always, and many times quicker than a signature
        given = {**dict(zip(how.plain, arguments)), **options}
    else:
        try:
            given = dict(how.own.bind(*arguments, **options).arguments)
        except TypeError:
            once = FIXED - {"max_weight"} | ({"weights"} if name in WEIGHTED else set())
            said = answer(f"design.{name}", how.own, arguments, options, once).removeprefix(f"design.{name}")
            raise ArgumentError(f"{name} of a design{said}") from None
    return {key: value for key, value in given.items() if key not in DECLARED or value is not None}


def _of_variables(design: Design, how: Signature, name: str, variables: Any, given: Options) -> object:
    names, made = _named(design, variables, name)
    single = (isinstance(variables, str) or variables is None) and name not in TOGETHER
    # a variable alone is one sample
    pair = name in PAIRS and not (single and name == "wilcoxon")
    if pair and len(names) != 2:
        raise PydpstatError(
            f"variables must be two columns for {name}; got {checks.excerpt(names)}. Give for example "
            f"['before', 'after'], or a formula, {example_of(name)}."
        )
    keys = _keys(given.get("strata") if given.get("by") is None else given["by"])
    made_of = {each.name: each.needs for each in made}
    read = [column for each in [*names, *keys] for column in made_of.get(each, (each,))]
    if name in WEIGHTED and design.facts.weights is not None:
        read.append(design.facts.weights)
    options = {**_common(design, how, read, given), **given}
    if "bounds" in how.options and "bounds" not in given:
        options["bounds"] = bounds_of(design, names, single or _alone(design, names, keys), pair)
    else:
        check_narrower(design.facts, names, given.get("bounds"))
    levels = names if name in CELLS else keys
    if levels and "levels" in how.options:
        options["levels"] = completed(design, levels, given.get("levels"), single and name in CELLS)
    unit = [options["unit"]] if isinstance(options.get("unit"), str) else []
    extra = [*keys, *unit]
    if name in WEIGHTED:
        weights = design.facts.weights
        if weights is None:
            raise PydpstatError(
                f"the design must have weights for {name}. Declare the column of weights, "
                "dp.design(..., weights='w')."
            )
        if name == "weighted_total" and (design.facts.max_records or 1) > 1:
            raise PydpstatError(
                f"max_records must be 1 for {name}: one record of each {design.facts.unit} counts, and the "
                "total of several is larger. Add up the records of each first, and make a design of the sums."
            )
        options.setdefault("max_weight", bounds_of(design, [weights], True, False)[1])
        # how many records a sample has outside of a subset is part of the variance
        whole_sample = given.get("strata") is not None or name == "weighted_total" and not keys
        used = list(dict.fromkeys([*names, weights, *extra]))
        data: list[object] = [design._view(used, made, False, weights if whole_sample else None), weights]
    elif pair or name in _CALLABLES:
        columns = whole(design._view([*names, *unit], made, False))
        data = [columns[each] for each in names]
        if not pair:
            data = data if single else [frame_of(columns, names)]
        if unit:
            options["unit"] = columns[unit[0]]
    else:
        data = [design._view([*names, *extra], made, single and not extra)]
        data += [None] * (len(how.data) - 1)
    before = [given[each] for each in how.places if each in given]
    options = {key: value for key, value in options.items() if key in how.options}
    by = {key: each for key, each in given.items() if key != "epsilon"}
    if name in ONE_BY_ONE and single and not made and by.keys() <= {"by"} and extra == [*by.values()]:
        fixed = {key: each for key, each in options.items() if key not in ("budget", "rng")}
        typed = Typed(name, (variables, 0.0), by, design.condition, {})
        known = Known(how.function, [*names, *extra], fixed, noted(), *typed.around_epsilon())
        design._known[name, variables, by.get("by")] = known
    return how.function(*data, *before, **options)


def _model(design: Design, how: Signature, formula: object, given: Options) -> object:
    from pydpstat.inference._formulas import formula_terms

    if not isinstance(formula, str):
        raise PydpstatError(
            f"formula must be a string such as 'income ~ age + C(sex)'; got {checks.shown(formula)}."
        )
    said = formula_terms(formula)
    names, made = _named(design, [*said.response.columns, *said.columns], how.function.__name__)
    facts = design.facts
    factors = [each for each in said.columns if each in said.categories or each not in facts.bounds]
    numbers = [each for each in names if each not in factors]
    if how.function.__name__ == "logit":
        response = said.response.columns[0]
        numbers.remove(response)
        if response in facts.levels:
            factors = [response, *factors]
    options = {**_common(design, how, names, given), **given}
    # a call may narrow some columns; the others keep their declared bounds and levels
    bounds, levels = given.get("bounds") or {}, given.get("levels") or {}
    if isinstance(bounds, Mapping) and isinstance(levels, Mapping):
        for each in said.columns:
            if each in design.columns and each not in (*facts.declared, *bounds, *levels):
                raise undeclared(design, "bounds or levels", each, "")
    check_narrower(facts, numbers, bounds)
    check_fewer(facts, factors, levels)
    if isinstance(bounds, Mapping) and (rest := [each for each in numbers if each not in bounds]):
        options["bounds"] = {**bounds_of(design, rest, False, False), **bounds}
    if isinstance(levels, Mapping) and (rest := [each for each in factors if each not in levels]):
        found = levels_of(design, rest, listed=False)
        own = found if isinstance(found, Mapping) or not levels else dict.fromkeys(rest, found)
        options["levels"] = {**own, **levels} if levels else own
    epsilon = options.pop("epsilon")
    unit = [options["unit"]] if "unit" in options else []
    return how.function(formula, design._view([*names, *unit], made, False), epsilon, **options)


def _by_groups(design: Design, how: Signature, formula: object, given: Options, name: str) -> object:
    names, made = _named(design, groups_of(formula, name, design.columns), name)
    value, group = names
    if group in design.facts.bounds and value in design.facts.levels:
        raise PydpstatError(
            f"formula must have its groups on the right side of ~; got {checks.excerpt(formula)}. Write "
            f"'{group} ~ {value}'."
        )
    levels = named_levels(design, names[1:], name, listed=True)
    if len(how.data) == 2 and len(levels) != 2:
        raise PydpstatError(
            f"{name} must have two groups; {names[1]!r} has {len(levels)} levels: "
            f"{checks.excerpt(list(levels))}. Use f_oneway or kruskal, or levels={{{names[1]!r}: [...]}}."
        )
    options = {**_common(design, how, names, given), **given}
    if "bounds" in how.options and "bounds" not in given:
        options["bounds"] = bounds_of(design, names[:1], True, False)
    else:
        check_narrower(design.facts, names[:1], given.get("bounds"))
    unit = [options["unit"]] if "unit" in options else []
    columns = whole(design._view([*names, *unit], made, False))
    compared()
    samples = samples_of(columns, names, levels, unit)
    epsilon = options.pop("epsilon")
    if len(how.data) == 2:
        return how.function(*samples, epsilon, **options)
    return how.function(*samples, epsilon=epsilon, **options)


def _named(design: Design, variables: object, name: str) -> tuple[list[str], list[Made]]:
    """Return the columns that are asked for, and those of them that have to be made."""
    if variables is None and name == "count":
        return [RECORDS], [Made(RECORDS, None)]
    given = [variables] if isinstance(variables, str) else variables
    if not isinstance(given, (list, tuple)) or not given or not all(isinstance(each, str) for each in given):
        if name in CONDITIONS:
            raise PydpstatError(
                f"{signature_of(name).first} must be a condition in quotes, or a column name; got "
                f"{checks.shown(variables)}. Write for example 'age >= 18': the design has the data."
            )
        raise PydpstatError(
            f"variables must be a column name, or a list of names; got {checks.shown(variables)}. "
            "Give for example 'income'."
        )
    made = []
    for each in given:
        if each in design.columns:
            continue
        if each.isidentifier():
            raise PydpstatError(
                f"variables must be columns of the data; got {each!r}. "
                f"{checks.did_you_mean(each, design.columns)} "
                f"The columns are {checks.excerpt(list(design.columns))}."
            )
        condition = Condition(each, design.facts.clipping)
        design.facts.check(condition, design.columns)
        made.append(Made(each, condition))
    return list(given), made


def _common(design: Design, how: Signature, names: Sequence[str], given: Options) -> Options:
    """Return the declared options that a function takes."""
    facts = design.facts
    options = {"neighbors": facts.neighbors, "budget": design.budget, "rng": design.rng}
    if "missing" not in given and "missing" in how.options:
        options["missing"] = facts.missing_of(names)
    if given.get("by") is not None or given.get("strata") is not None or how.function.__name__ in CELLS:
        options["other"] = facts.other
    if facts.unit is not None:
        # what has no unit may count the units themselves
        if "unit" not in how.options and {*names} - {*_keys(given.get("by"))} != {facts.unit}:
            if how.function.__name__ == "nunique":
                raise PydpstatError(
                    "variables must be the unit for nunique, which counts the units themselves; got "
                    f"{checks.excerpt(names)}. Write design.nunique({facts.unit!r}, 1.0), or count other "
                    "values with crosstab."
                )
            raise PydpstatError(
                f"{how.function.__name__} protects records, but the design has the unit "
                f"{facts.unit!r}. Declare a design without unit if every unit has one record."
            )
        if checks.is_number(given.get("max_records")) and given["max_records"] > facts.max_records:
            raise PydpstatError(
                f"max_records must be at most the declared one, {facts.max_records}; got "
                f"{given['max_records']}. Declare dp.design(..., max_records={given['max_records']})."
            )
        # of independent records intervals of the population need one a unit, as tests take
        most = 1 if given.get("population") is True else facts.max_records
        options["unit"], options["max_records"] = facts.unit, most
    return {key: value for key, value in options.items() if key in how.options}


def _keys(by: object) -> list[str]:
    keys = [] if by is None else [by] if isinstance(by, str) else by
    if isinstance(keys, (list, tuple)) and all(isinstance(each, str) for each in keys):
        return list(keys)
    raise PydpstatError(
        f"by must name columns of the design's data; got {checks.shown(by)}. Give for example by='region'."
    )


def _alone(design: Design, names: Sequence[str], keys: Sequence[str]) -> bool:
    """Tell whether keys leave one variable of a frame, for which functions take a pair of bounds."""
    return len(names) == 1 and bool(keys or design.facts.unit)

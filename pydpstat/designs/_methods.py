"""Calls of functions as methods of a design: data by name, and options from the declared facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pydpstat
from pydpstat import _checks as checks
from pydpstat._release.declared_facts import DesignCallContext, get_recorded_facts, record_comparison
from pydpstat._wrong_calls import explain_call
from pydpstat.designs._facts import check_fewer_levels, check_narrower_bounds
from pydpstat.designs._lookup import (
    Design,
    check_group_columns,
    fill_levels,
    get_declared_bounds,
    get_declared_levels,
    get_formula_example,
    get_listed_levels,
    is_formula,
    is_single_grouped_variable,
    make_undeclared_error,
    parse_groups,
    parse_variables,
    resolve_columns,
)
from pydpstat.designs._options import call_on_columns, get_declared_options
from pydpstat.designs._signatures import (
    FIXED_ARGUMENTS,
    GROUP_METHODS,
    JOINT_METHODS,
    MODEL_METHODS,
    NARROWABLE_ARGUMENTS,
    PAIR_METHODS,
    SINGLE_VARIABLE_METHODS,
    TABLE_METHODS,
    WEIGHTED_METHODS,
    CachedCall,
    CallOptions,
    MethodCall,
    MethodSignature,
    RepeatedCall,
    get_method_signature,
    make_cache_key,
)
from pydpstat.designs._views import NewColumn, get_types_condition, read_columns, select_frame, split_samples
from pydpstat.errors import ArgumentError, PydpstatError

# methods that pass records to a user's function
_CALLABLE_METHODS = ("any_interval", "any_test")


def call_for_design(design: Design, name: str, arguments: tuple[Any, ...], options: CallOptions) -> object:
    """Call a function as a method of a design."""
    if cached_call := design._cached_calls.get(make_cache_key(name, arguments, options)):
        with DesignCallContext(
            RepeatedCall(name, cached_call, arguments[1]), cached_call.facts, get_types_condition(design._data)
        ):
            data = design._select_columns(cached_call.names, (), not options)
            settings = {**cached_call.options, "budget": design.budget, "rng": design.rng}
            function, names = cached_call.function, cached_call.names
            return call_on_columns(design, names, (), function, data, arguments[1], **settings)
    if name == "count" and (not arguments or checks.is_number(arguments[0])) and "condition" not in options:
        # without a condition, count all records
        arguments = (None, *arguments)
    signature = get_method_signature(name)
    bound_arguments = _bind_arguments(signature, name, arguments, options)
    if design.facts.strata is not None and "strata" in signature.option_names and bound_arguments.get("by") is None:
        bound_arguments.setdefault("strata", design.facts.strata)
    typed = MethodCall(name, arguments, options, design.condition, design.facts.levels)
    with DesignCallContext(typed, (), get_types_condition(design._data)):
        if name in GROUP_METHODS:
            return _call_by_groups(design, signature, bound_arguments.pop("formula"), bound_arguments, name)
        if name in MODEL_METHODS:
            return _call_model(design, signature, bound_arguments.pop("formula"), bound_arguments)
        variables = bound_arguments.pop(signature.first_parameter, None)
        if is_formula(variables, design.columns):
            variables = parse_variables(variables, name, design.columns)
        _check_n_variables(name, variables)
        keys = check_group_columns(
            bound_arguments.get("strata") if bound_arguments.get("by") is None else bound_arguments["by"]
        )
        check_fewer_levels(design.facts, keys or variables, bound_arguments.get("levels"))
        return _call_on_variables(design, signature, name, variables, bound_arguments)


def _check_n_variables(name: str, variables: object) -> None:
    """Raise an error for one variable if there must be several, and for several if there must be one."""
    several = isinstance(variables, (list, tuple)) and len(variables) != 1
    if name in JOINT_METHODS and not several:
        raise PydpstatError(
            f"variables must be two columns or more for {name}; got {checks.describe_option(variables)}. Give "
            "for example ['income', 'age']."
        )
    if name in WEIGHTED_METHODS and not isinstance(variables, str):
        raise PydpstatError(
            f"variables must be one column name for {name}; got {checks.describe_value(variables)}. Call it for each."
        )


def call_plan(
    design: Design,
    function: str,
    variables: Any,
    positional_arguments: Sequence[object],
    keyword_arguments: CallOptions,
) -> Any:
    """Call `pydpstat.plan` for a design: as `call_for_design`, without data."""
    about = None if checks.is_number(variables) else variables
    typed = MethodCall(
        function, (about, *positional_arguments), keyword_arguments, design.condition, design.facts.levels
    )
    with DesignCallContext(typed, (), get_types_condition(design._data)):
        if design.condition is not None:
            record_comparison()
        return _call_plan_with_facts(design, function, variables, positional_arguments, keyword_arguments)


def _call_plan_with_facts(
    design: Design,
    function: str,
    variables: Any,
    positional_arguments: Sequence[object],
    keyword_arguments: CallOptions,
) -> Any:
    from pydpstat.planning.plan import PLANNED_FUNCTIONS, TEST_FUNCTIONS

    # typed as Any, since the overloads distinguish tests by literal names
    ask: Any = pydpstat.plan
    if function not in (*PLANNED_FUNCTIONS, *TEST_FUNCTIONS):
        return ask(function, *positional_arguments[:1], **keyword_arguments)
    signature, options = get_method_signature(function), dict(keyword_arguments)
    if checks.is_number(variables):
        variables, positional_arguments = None, (variables, *positional_arguments)
    if variables is None and function not in ("count", *TEST_FUNCTIONS):
        raise PydpstatError(
            f"variables must be given for the plan of {function}; got none. Write "
            f"design.plan({function!r}, 'income', 1.0)."
        )
    if len(positional_arguments) > len(signature.positional_parameters):
        raise PydpstatError(
            f"{function} takes {', '.join(signature.positional_parameters)} by position; "
            f"got {len(positional_arguments)}."
        )
    # a single positional argument is epsilon, the last parameter
    options.update(
        zip(
            signature.positional_parameters[-1:] if len(positional_arguments) == 1 else signature.positional_parameters,
            positional_arguments,
        )
    )
    epsilon = options.pop("epsilon", None)
    if function in GROUP_METHODS and variables is not None:
        variables = parse_groups(variables, function, design.columns)[0]
    elif is_formula(variables, design.columns):
        variables = parse_variables(variables, function, design.columns)
    names = [] if variables is None else [variables] if isinstance(variables, str) else list(variables)
    single, keys = isinstance(variables, str), check_group_columns(options.get("by"))
    check_narrower_bounds(design.facts, names, options.get("bounds"))
    check_fewer_levels(design.facts, keys or names, options.get("levels"))
    if function in TEST_FUNCTIONS:
        options.setdefault("neighbors", design.facts.neighbors)
    if names and "bounds" in signature.option_names and "bounds" not in options:
        alone = single or is_single_grouped_variable(design, names, keys)
        options["bounds"] = get_declared_bounds(design, names, alone, function in PAIR_METHODS)
    if function in PLANNED_FUNCTIONS:
        declared_options, _ = get_declared_options(design, signature, [*names, *keys], options)
        options = {
            **{key: declared_options[key] for key in declared_options if key not in ("budget", "rng")},
            **options,
        }
        keys = names if function in TABLE_METHODS else keys
        if keys:
            options["levels"] = fill_levels(design, keys, options.get("levels"), len(keys) == 1, "a plan")
        if len(names) > 1 or names and (not single or function == "histogram") and function not in TABLE_METHODS:
            options.setdefault("columns", names)
    return ask(function, epsilon, **options)


def _bind_arguments(
    signature: MethodSignature, name: str, arguments: tuple[object, ...], options: CallOptions
) -> CallOptions:
    """Return the given arguments by the names of the method's parameters."""
    option_names = options.keys()
    if (
        len(arguments) == len(signature.required_positional)
        and signature.required_options <= option_names <= signature.option_names
        and not FIXED_ARGUMENTS & option_names
    ):
        # the usual case, much faster than binding by the signature
        bound_arguments = {**dict(zip(signature.required_positional, arguments)), **options}
    else:
        try:
            bound_arguments = dict(signature.signature.bind(*arguments, **options).arguments)
        except TypeError:
            once = FIXED_ARGUMENTS - {"max_weight"} | ({"weights"} if name in WEIGHTED_METHODS else set())
            explanation = explain_call(f"design.{name}", signature.signature, arguments, options, once).removeprefix(
                f"design.{name}"
            )
            raise ArgumentError(f"{name} of a design{explanation}") from None
    return {
        key: value for key, value in bound_arguments.items() if key not in NARROWABLE_ARGUMENTS or value is not None
    }


def _call_on_variables(
    design: Design, signature: MethodSignature, name: str, variables: Any, bound_arguments: CallOptions
) -> object:
    names, computed_columns = resolve_columns(design, variables, name)
    single = (isinstance(variables, str) or variables is None) and name not in JOINT_METHODS
    # a single variable is one sample
    pair = name in PAIR_METHODS and not (single and name == "wilcoxon")
    if pair and len(names) != 2:
        raise PydpstatError(
            f"variables must be two columns for {name}; got {checks.format_public_value(names)}. Give for example "
            f"['before', 'after'], or a formula, {get_formula_example(name)}."
        )
    keys = check_group_columns(
        bound_arguments.get("strata") if bound_arguments.get("by") is None else bound_arguments["by"]
    )
    made_of = {each.name: each.needs for each in computed_columns}
    sources = [column for each in names for column in made_of.get(each, ())]
    others = [*keys, *sources]
    if name in WEIGHTED_METHODS and design.facts.weights is not None:
        others.append(design.facts.weights)
    direct = [each for each in names if each not in made_of]
    declared_options, fills = get_declared_options(design, signature, direct, bound_arguments, others)
    options = {**declared_options, **bound_arguments}
    new_columns: list[NewColumn] = [*fills, *computed_columns]
    if "bounds" in signature.option_names and "bounds" not in bound_arguments:
        options["bounds"] = get_declared_bounds(
            design, names, single or is_single_grouped_variable(design, names, keys), pair
        )
    else:
        check_narrower_bounds(design.facts, names, bound_arguments.get("bounds"))
    levels = names if name in TABLE_METHODS else keys
    if levels and "levels" in signature.option_names:
        options["levels"] = fill_levels(design, levels, bound_arguments.get("levels"), single and name in TABLE_METHODS)
    unit = [options["unit"]] if isinstance(options.get("unit"), str) else []
    extra = [*keys, *unit]
    if name in WEIGHTED_METHODS:
        weights = design.facts.weights
        if weights is None:
            raise PydpstatError(
                f"the design must have weights for {name}. Declare the column of weights, dp.design(..., weights='w')."
            )
        if name == "weighted_total" and (design.facts.max_records or 1) > 1:
            raise PydpstatError(
                f"max_records must be 1 for {name}: one record of each {design.facts.unit} counts, and the "
                "total of several is larger. Add up the records of each first, and make a design of the sums."
            )
        options.setdefault("max_weight", get_declared_bounds(design, [weights], True, False)[1])
        # the variance depends on the number of sampled records outside the subset
        whole_sample = bound_arguments.get("strata") is not None or name == "weighted_total" and not keys
        used = list(dict.fromkeys([*names, weights, *extra]))
        data: list[object] = [
            design._select_columns(used, new_columns, False, weights if whole_sample else None),
            weights,
        ]
    elif pair or name in _CALLABLE_METHODS:
        columns = read_columns(design._select_columns([*names, *unit], new_columns, False))
        data = [columns[each] for each in names]
        if not pair:
            data = data if single else [select_frame(columns, names)]
        if unit:
            options["unit"] = columns[unit[0]]
    else:
        data = [design._select_columns([*names, *extra], new_columns, single and not extra)]
        data += [None] * (len(signature.data_parameters) - 1)
    before = [bound_arguments[each] for each in signature.positional_parameters if each in bound_arguments]
    options = {key: value for key, value in options.items() if key in signature.option_names}
    by = {key: each for key, each in bound_arguments.items() if key != "epsilon"}
    if (
        name in SINGLE_VARIABLE_METHODS
        and single
        and not new_columns
        and by.keys() <= {"by"}
        and extra == [*by.values()]
    ):
        fixed = {key: each for key, each in options.items() if key not in ("budget", "rng")}
        typed = MethodCall(name, (variables, 0.0), by, design.condition, {})
        cached_call = CachedCall(
            signature.function, [*names, *extra], fixed, get_recorded_facts(), *typed.split_call_at_epsilon()
        )
        design._cached_calls[name, variables, by.get("by")] = cached_call
    return call_on_columns(design, [*names, *keys], new_columns, signature.function, *data, *before, **options)


def _call_model(design: Design, signature: MethodSignature, formula: object, bound_arguments: CallOptions) -> object:
    from pydpstat.inference.regression._formulas import parse_formula

    if not isinstance(formula, str):
        raise PydpstatError(
            f"formula must be a string such as 'income ~ age + C(sex)'; got {checks.describe_value(formula)}."
        )
    parsed = parse_formula(formula)
    if parsed.response.is_condition and signature.function.__name__ != "logit":
        raise PydpstatError(
            f"formula must have a numeric response for ols; got {parsed.response.text!r}, a condition. Use logit."
        )
    names, computed_columns = resolve_columns(
        design, [*parsed.response.columns, *parsed.columns], signature.function.__name__
    )
    facts = design.facts
    factors = [each for each in parsed.columns if each in parsed.categorical_columns or each not in facts.bounds]
    numbers = [each for each in names if each not in factors]
    if signature.function.__name__ == "logit":
        response = parsed.response.columns[0]
        numbers.remove(response)
        if response in facts.levels:
            factors = [response, *factors]
    declared_options, fills = get_declared_options(design, signature, numbers, bound_arguments, factors)
    options = {**declared_options, **bound_arguments}
    new_columns: list[NewColumn] = [*fills, *computed_columns]
    # a call may narrow some columns; the others keep their declared bounds and levels
    bounds, levels = bound_arguments.get("bounds") or {}, bound_arguments.get("levels") or {}
    if isinstance(bounds, Mapping) and isinstance(levels, Mapping):
        for each in parsed.columns:
            if each in design.columns and each not in (*facts.declared_columns, *bounds, *levels):
                raise make_undeclared_error(design, "bounds or levels", each, "")
    check_narrower_bounds(facts, numbers, bounds)
    check_fewer_levels(facts, factors, levels)
    if isinstance(bounds, Mapping) and (remaining_names := [each for each in numbers if each not in bounds]):
        options["bounds"] = {**get_declared_bounds(design, remaining_names, False, False), **bounds}
    if isinstance(levels, Mapping) and (remaining_names := [each for each in factors if each not in levels]):
        declared_levels = get_declared_levels(design, remaining_names, as_list=False)
        filled_levels = (
            declared_levels
            if isinstance(declared_levels, Mapping) or not levels
            else dict.fromkeys(remaining_names, declared_levels)
        )
        options["levels"] = {**filled_levels, **levels} if levels else filled_levels
    epsilon = options.pop("epsilon")
    unit = [options["unit"]] if "unit" in options else []
    data = design._select_columns([*names, *unit], new_columns, False)
    return call_on_columns(design, names, new_columns, signature.function, formula, data, epsilon, **options)


def _call_by_groups(
    design: Design, signature: MethodSignature, formula: object, bound_arguments: CallOptions, name: str
) -> object:
    names, computed_columns = resolve_columns(design, parse_groups(formula, name, design.columns), name)
    value, group = names
    if group in design.facts.bounds and value in design.facts.levels:
        raise PydpstatError(
            f"formula must have its groups on the right side of ~; got {checks.format_public_value(formula)}. Write "
            f"'{group} ~ {value}'."
        )
    levels = get_listed_levels(design, names[1:], name, as_list=True)
    if len(signature.data_parameters) == 2 and len(levels) != 2:
        raise PydpstatError(
            f"{name} must have two groups; {names[1]!r} has {len(levels)} levels: "
            f"{checks.format_public_value(list(levels))}. Use f_oneway or kruskal, or levels={{{names[1]!r}: [...]}}."
        )
    declared_options, fills = get_declared_options(design, signature, [value], bound_arguments, [group])
    options = {**declared_options, **bound_arguments}
    new_columns: list[NewColumn] = [*fills, *computed_columns]
    if "bounds" in signature.option_names and "bounds" not in bound_arguments:
        options["bounds"] = get_declared_bounds(design, names[:1], True, False)
    else:
        check_narrower_bounds(design.facts, names[:1], bound_arguments.get("bounds"))
    unit = [options["unit"]] if "unit" in options else []
    columns = read_columns(design._select_columns([*names, *unit], new_columns, False))
    record_comparison()
    samples = split_samples(columns, names, levels, unit)
    return call_on_columns(design, names, new_columns, signature.function, *samples, **options)

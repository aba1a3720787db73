"""Error messages for calls that do not fit a function's signature: the wrong argument, and what to write instead.

Users may write argument names of R, pandas, SciPy and statsmodels; `pydpstat._words` translates them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from pydpstat import _checks as checks
from pydpstat._ways import ARGUMENT_HINTS, FUNCTION_HINTS
from pydpstat._words import (
    ARGUMENT_SYNONYMS,
    EXAMPLE_CALLS,
    EXAMPLE_VALUES,
    FOREIGN_NAME_HINTS,
    FUNCTION_NOTES,
    FUNCTION_SYNONYMS,
    LOWER_SYNONYMS,
    METHOD_HINTS,
    PUBLIC_ARGUMENT_TYPES,
    UPPER_SYNONYMS,
)
from pydpstat.errors import ArgumentError

# largest number of public numbers that are written out
_MAX_LISTED_NUMBERS = 12
# largest number of names that are listed
_MAX_LISTED_NAMES = 20
# smallest similarity ratio of a name that is suggested
_NAME_CUTOFF = 0.7
# all names and synonyms of arguments of releases
_ARGUMENT_WORDS = {
    *ARGUMENT_SYNONYMS,
    *(word for words in ARGUMENT_SYNONYMS.values() for word in words),
    *ARGUMENT_HINTS,
}


def raise_call_error(function: Callable[..., object], arguments: Sequence[object], options: Mapping[str, Any]) -> None:
    """Raise an explained error if the arguments do not fit the function's signature."""
    signature, name = inspect.signature(function), function.__name__
    try:
        signature.bind(*arguments, **options)
    except TypeError:
        pass
    else:
        return
    if next(iter(signature.parameters), "") == "self" and arguments:
        # the class of the object, which may have inherited the method
        instance, arguments = arguments[0], arguments[1:]
        kind, signature = type(instance).__name__, signature.replace(parameters=list(signature.parameters.values())[1:])
        if not _has_method(instance, function):
            raise ArgumentError(
                f"{name} must be called on an object, not on its class; got {checks.describe_value(instance)} in the "
                f"object's place. Create an object, and write object{_format_example_call(f'.{name}', signature)}."
            ) from None
        name = kind if name == "__init__" else f"{kind}.{name}"
    raise ArgumentError(explain_call(name, signature, arguments, options)) from None


def _has_method(thing: object, function: Callable[..., object]) -> bool:
    """Return whether a function is a method of an object, possibly wrapped by a decorator."""
    methods = (vars(kind).get(function.__name__) for kind in type(thing).__mro__)
    unwrapped = inspect.unwrap(function)
    return any(callable(method) and inspect.unwrap(method) is unwrapped for method in methods)


def explain_call(
    name: str,
    signature: inspect.Signature,
    arguments: Sequence[object],
    options: Mapping[str, object],
    declared: Collection[str] = (),
) -> str:
    """Return the error message for a wrong call; `declared` are arguments that a design declares for all calls."""
    parameters = list(signature.parameters.values())
    unknown = {each: value for each, value in options.items() if each not in signature.parameters}
    if any(each.kind == each.VAR_KEYWORD for each in parameters):
        # the names that the function accepts as keyword arguments are unknown
        synonyms = {synonym for parameter in signature.parameters for synonym in ARGUMENT_SYNONYMS.get(parameter, ())}
        unknown = {each: value for each, value in unknown.items() if each in synonyms}
    if unknown:
        return explain_unknown_arguments(
            name, list(signature.parameters), unknown, _format_example_call(name, signature), declared
        )
    positional = [each.name for each in parameters if each.kind == each.POSITIONAL_OR_KEYWORD]
    various = any(each.kind == each.VAR_POSITIONAL for each in parameters)
    if len(arguments) > len(positional) and not various:
        accepted = (
            f"{_join_words(positional)} by position, and all others by name"
            if positional
            else "no positional arguments"
        )
        number = f"{len(arguments)} value{'s' * (len(arguments) > 1)}"
        message = f"{name} takes {accepted}; got {number} by position. Write {_format_example_call(name, signature)}."
        return message + FUNCTION_NOTES.get(name, "")
    twice = [each for each in positional[: len(arguments)] if each in options]
    if twice:
        example = _format_example_call(name, signature)
        return f"{name} was given {twice[0]} twice, by position and by name. Write {example}."
    given_names = {*positional[: len(arguments)], *options}
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    required = [each.name for each in parameters if each.default is each.empty and each.kind not in several]
    missing = [each for each in required if each not in given_names]
    message = f"{name} needs {_join_words(missing)}; got none. Write {_format_example_call(name, signature)}."
    return message + FUNCTION_NOTES.get(name, "")


def explain_unknown_arguments(
    name: str,
    known: Sequence[str],
    unknown: Mapping[str, Any],
    example: str = "",
    declared: Collection[str] = (),
) -> str:
    """Return the error message for unknown arguments; `example` is a correct call of the function."""
    message = f"{name} has no argument {_join_words([repr(given_name) for given_name in unknown], 'or')}"
    function = name.rpartition(" ")[2].rpartition(".")[2]
    planned, design = name.startswith("plan of "), name.startswith("design.")
    scopes = [f"{name}.", f"{function}.", *["plan."] * planned, *["."] * design]
    if planned or design or "neighbors" in known and {"rng", "random_state"} & {*known}:
        scopes.append("")
    # R's names may have dots
    unknown = {given_name.replace(".", "_"): value for given_name, value in unknown.items()}
    low, high = (
        next((unknown[synonym] for synonym in synonyms if synonym in unknown), None)
        for synonyms in (LOWER_SYNONYMS, UPPER_SYNONYMS)
    )
    write, hints, suggestions = [], [], []
    bounded = not (low is None and high is None)
    if "bounds" in known and bounded:
        write.append(
            f"bounds=({_format_argument('bounds', low, 'lower')}, {_format_argument('bounds', high, 'upper')})"
        )
    elif "edges" in known and bounded:
        limits = f"{_format_argument('bounds', low, 'lower')}, {_format_argument('bounds', high, 'upper')}"
        write.append(f"edges=np.linspace({limits}, 21)")
    for given_name, value in unknown.items():
        if {"bounds", "edges"} & {*known} and given_name in (*LOWER_SYNONYMS, *UPPER_SYNONYMS):
            continue
        if (function, given_name) in METHOD_HINTS:
            hints.append(METHOD_HINTS[function, given_name].format(method=function))
            continue
        if fixed := next(
            (
                argument
                for argument in sorted(declared)
                if given_name == argument or given_name in ARGUMENT_SYNONYMS.get(argument, ())
            ),
            "",
        ):
            value = _format_argument(fixed, value, EXAMPLE_VALUES.get(fixed, ""))
            hints.append(f"declare {fixed}{'=' * bool(value)}{value} once, in dp.design(frame, ...)")
            continue
        hint = next(
            (ARGUMENT_HINTS[f"{scope}{given_name}"] for scope in scopes if f"{scope}{given_name}" in ARGUMENT_HINTS), ""
        )
        hint = hint or FUNCTION_HINTS.get(function, "") * (given_name in _ARGUMENT_WORDS)
        argument = next(
            (
                argument
                for argument, synonyms in ARGUMENT_SYNONYMS.items()
                if argument in known and given_name in synonyms
            ),
            None,
        )
        if given_name in ("bounds", *ARGUMENT_SYNONYMS["bounds"]) and "edges" in known:
            pair = value if isinstance(value, tuple) and len(value) == 2 else ()
            limits = ", ".join(map(repr, pair)) if pair and all(map(checks.is_number, pair)) else "0, 100"
            write.append(f"edges=np.linspace({limits}, 21)")
        elif given_name in ARGUMENT_SYNONYMS["bounds"] + ("bounds",) and "lower_bound" in known:
            write.append("lower_bound=0, upper_bound=100")
        elif argument is not None:
            usual = EXAMPLE_VALUES.get(f"{name}.{argument}", EXAMPLE_VALUES.get(argument, "..."))
            write.append(f"{argument}={_format_argument(argument, value, usual)}")
        elif hint:
            hints.append(hint.format(name=function, example=example or f"{function}(...)"))
        else:
            suggestions.append(checks.suggest_spelling(given_name, known))
    if write:
        hints.append(f"write {', '.join(dict.fromkeys(write))}")
    if hints:
        return f"{message}: {'; '.join(dict.fromkeys(hints))}."
    if not known:
        return f"{message}. It has none: write {EXAMPLE_CALLS.get(name, f'{name}()')}."
    suggestion = next((text for text in suggestions if text.startswith("Did")), "")
    return f"{message}. {suggestion + ' ' * bool(suggestion)}It has {', '.join(known) or 'none'}."


def _format_argument(name: str, value: Any, usual: str) -> str:
    """Format the given value of a public argument; if it cannot be shown, return the usual value."""
    kinds = PUBLIC_ARGUMENT_TYPES.get(name, ())
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "edges" and number and 0 < value < 1000:
        return f"np.linspace(0, 100, {int(value) + 1})"
    if name == "alpha" and number and 0 < value < 1:
        # a number near 1 is meant as a confidence level
        return f"{round(1 - value, 12):g}" if value > 0.5 else repr(value)
    if name == "correction" and value not in ("holm", "bonferroni"):
        return usual
    several = isinstance(value, (list, tuple)) and len(value) <= _MAX_LISTED_NUMBERS and list in kinds
    if several and all(isinstance(element, (int, float)) for element in value):
        return repr(value)
    plain = isinstance(value, tuple(kind for kind in kinds if kind is not list))
    return repr(value) if plain and not (isinstance(value, str) and len(value) > 40) else usual


def _format_example_call(name: str, signature: inspect.Signature) -> str:
    """Format an example call of a function with its required arguments."""
    if name in EXAMPLE_CALLS:
        return EXAMPLE_CALLS[name]
    arguments: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind == parameter.VAR_POSITIONAL:
            arguments.append("first, second")
        elif parameter.default is parameter.empty and parameter.kind != parameter.VAR_KEYWORD:
            has_names = any("=" in argument for argument in arguments)
            usual = EXAMPLE_VALUES.get(parameter.name, "..." if has_names else None)
            plain = name.startswith("design.") and parameter.kind == parameter.POSITIONAL_OR_KEYWORD and usual
            arguments.append(plain or (parameter.name if usual is None else f"{parameter.name}={usual}"))
    # a method is shown without the name of the object, which is the user's
    kind, dot, method = name.rpartition(".")
    return f"{name if kind == 'design' else dot + method}({', '.join(arguments)})"


def _join_words(names: Sequence[str], word: str = "and") -> str:
    """Join names as in "a, b and c"."""
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def translate_function_name(name: str, known: Collection[str]) -> str:
    """Return the name here of a function of another package; an empty string if there is none."""
    return next(
        (
            function_name
            for function_name, synonyms in FUNCTION_SYNONYMS.items()
            if name in synonyms and function_name in known
        ),
        "",
    )


def suggest_name(name: str, known: Collection[str]) -> str:
    """Return a hint for an unknown name, to be appended to a message, or an empty string."""
    translated = translate_function_name(name, known)
    if translated:
        return f". Use {translated!r}."
    if name in FOREIGN_NAME_HINTS:
        return f". {FOREIGN_NAME_HINTS[name].format(name=name)}."
    # for short names, similar names are often unrelated
    suggestion = checks.suggest_spelling(name, [*known], _NAME_CUTOFF)
    if suggestion.startswith("Did"):
        return f". {suggestion}"
    return f". It has {', '.join(sorted(known))}." if len(known) <= _MAX_LISTED_NAMES else ""

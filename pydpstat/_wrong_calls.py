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
    own, name = inspect.signature(function), function.__name__
    try:
        own.bind(*arguments, **options)
    except TypeError:
        pass
    else:
        return
    if next(iter(own.parameters), "") == "self" and arguments:
        # the class of the object, which may have inherited the method
        thing, arguments = arguments[0], arguments[1:]
        kind, own = type(thing).__name__, own.replace(parameters=list(own.parameters.values())[1:])
        if not _has_method(thing, function):
            raise ArgumentError(
                f"{name} must be called on an object, not on its class; got {checks.describe_value(thing)} in the "
                f"object's place. Create an object, and write object{_format_example_call(f'.{name}', own)}."
            ) from None
        name = kind if name == "__init__" else f"{kind}.{name}"
    raise ArgumentError(explain_call(name, own, arguments, options)) from None


def _has_method(thing: object, function: Callable[..., object]) -> bool:
    """Return whether a function is a method of an object, possibly wrapped by a decorator."""
    methods = (vars(kind).get(function.__name__) for kind in type(thing).__mro__)
    own = inspect.unwrap(function)
    return any(callable(each) and inspect.unwrap(each) is own for each in methods)


def explain_call(
    name: str,
    signature: inspect.Signature,
    arguments: Sequence[object],
    options: Mapping[str, object],
    declared: Collection[str] = (),
) -> str:
    """Return the error message for a wrong call; `declared` are arguments that a design declares for all calls."""
    known = list(signature.parameters.values())
    unknown = {each: value for each, value in options.items() if each not in signature.parameters}
    if any(each.kind == each.VAR_KEYWORD for each in known):
        # the names that the function accepts as keyword arguments are unknown
        words = {word for here in signature.parameters for word in ARGUMENT_SYNONYMS.get(here, ())}
        unknown = {each: value for each, value in unknown.items() if each in words}
    if unknown:
        return explain_unknown_arguments(
            name, list(signature.parameters), unknown, _format_example_call(name, signature), declared
        )
    places = [each.name for each in known if each.kind == each.POSITIONAL_OR_KEYWORD]
    various = any(each.kind == each.VAR_POSITIONAL for each in known)
    if len(arguments) > len(places) and not various:
        taken = f"{_join_words(places)} by position, and all others by name" if places else "no positional arguments"
        number = f"{len(arguments)} value{'s' * (len(arguments) > 1)}"
        said = f"{name} takes {taken}; got {number} by position. Write {_format_example_call(name, signature)}."
        return said + FUNCTION_NOTES.get(name, "")
    twice = [each for each in places[: len(arguments)] if each in options]
    if twice:
        way = _format_example_call(name, signature)
        return f"{name} was given {twice[0]} twice, by position and by name. Write {way}."
    got = {*places[: len(arguments)], *options}
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [each.name for each in known if each.default is each.empty and each.kind not in several]
    gone = [each for each in needed if each not in got]
    said = f"{name} needs {_join_words(gone)}; got none. Write {_format_example_call(name, signature)}."
    return said + FUNCTION_NOTES.get(name, "")


def explain_unknown_arguments(
    name: str,
    known: Sequence[str],
    unknown: Mapping[str, Any],
    example: str = "",
    declared: Collection[str] = (),
) -> str:
    """Return the error message for unknown arguments; `example` is a correct call of the function."""
    said = f"{name} has no argument {_join_words([repr(each) for each in unknown], 'or')}"
    function = name.rpartition(" ")[2].rpartition(".")[2]
    planned, design = name.startswith("plan of "), name.startswith("design.")
    scopes = [f"{name}.", f"{function}.", *["plan."] * planned, *["."] * design]
    if planned or design or "neighbors" in known and {"rng", "random_state"} & {*known}:
        scopes.append("")
    # R's names may have dots
    unknown = {each.replace(".", "_"): value for each, value in unknown.items()}
    low, high = (
        next((unknown[each] for each in words if each in unknown), None) for words in (LOWER_SYNONYMS, UPPER_SYNONYMS)
    )
    write, ways, near = [], [], []
    bounded = not (low is None and high is None)
    if "bounds" in known and bounded:
        write.append(
            f"bounds=({_format_argument('bounds', low, 'lower')}, {_format_argument('bounds', high, 'upper')})"
        )
    elif "edges" in known and bounded:
        ends = f"{_format_argument('bounds', low, 'lower')}, {_format_argument('bounds', high, 'upper')}"
        write.append(f"edges=np.linspace({ends}, 21)")
    for each, value in unknown.items():
        if {"bounds", "edges"} & {*known} and each in (*LOWER_SYNONYMS, *UPPER_SYNONYMS):
            continue
        if (function, each) in METHOD_HINTS:
            ways.append(METHOD_HINTS[function, each].format(method=function))
            continue
        if fixed := next(
            (here for here in sorted(declared) if each == here or each in ARGUMENT_SYNONYMS.get(here, ())), ""
        ):
            value = _format_argument(fixed, value, EXAMPLE_VALUES.get(fixed, ""))
            ways.append(f"declare {fixed}{'=' * bool(value)}{value} once, in dp.design(frame, ...)")
            continue
        way = next((ARGUMENT_HINTS[f"{scope}{each}"] for scope in scopes if f"{scope}{each}" in ARGUMENT_HINTS), "")
        way = way or FUNCTION_HINTS.get(function, "") * (each in _ARGUMENT_WORDS)
        here = next((here for here, words in ARGUMENT_SYNONYMS.items() if here in known and each in words), None)
        if each in ("bounds", *ARGUMENT_SYNONYMS["bounds"]) and "edges" in known:
            pair = value if isinstance(value, tuple) and len(value) == 2 else ()
            ends = ", ".join(map(repr, pair)) if pair and all(map(checks.is_number, pair)) else "0, 100"
            write.append(f"edges=np.linspace({ends}, 21)")
        elif each in ARGUMENT_SYNONYMS["bounds"] + ("bounds",) and "lower_bound" in known:
            write.append("lower_bound=0, upper_bound=100")
        elif here is not None:
            usual = EXAMPLE_VALUES.get(f"{name}.{here}", EXAMPLE_VALUES.get(here, "..."))
            write.append(f"{here}={_format_argument(here, value, usual)}")
        elif way:
            ways.append(way.format(name=function, example=example or f"{function}(...)"))
        else:
            near.append(checks.suggest_spelling(each, known))
    if write:
        ways.append(f"write {', '.join(dict.fromkeys(write))}")
    if ways:
        return f"{said}: {'; '.join(dict.fromkeys(ways))}."
    if not known:
        return f"{said}. It has none: write {EXAMPLE_CALLS.get(name, f'{name}()')}."
    word = next((each for each in near if each.startswith("Did")), "")
    return f"{said}. {word + ' ' * bool(word)}It has {', '.join(known) or 'none'}."


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
    if several and all(isinstance(each, (int, float)) for each in value):
        return repr(value)
    plain = isinstance(value, tuple(each for each in kinds if each is not list))
    return repr(value) if plain and not (isinstance(value, str) and len(value) > 40) else usual


def _format_example_call(name: str, signature: inspect.Signature) -> str:
    """Format an example call of a function with its required arguments."""
    if name in EXAMPLE_CALLS:
        return EXAMPLE_CALLS[name]
    parts: list[str] = []
    for each in signature.parameters.values():
        if each.kind == each.VAR_POSITIONAL:
            parts.append("first, second")
        elif each.default is each.empty and each.kind != each.VAR_KEYWORD:
            named = any("=" in part for part in parts)
            usual = EXAMPLE_VALUES.get(each.name, "..." if named else None)
            plain = name.startswith("design.") and each.kind == each.POSITIONAL_OR_KEYWORD and usual
            parts.append(plain or (each.name if usual is None else f"{each.name}={usual}"))
    # a method is shown without the name of the object, which is the user's
    kind, dot, method = name.rpartition(".")
    return f"{name if kind == 'design' else dot + method}({', '.join(parts)})"


def _join_words(names: Sequence[str], word: str = "and") -> str:
    """Join names as in "a, b and c"."""
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def translate_function_name(name: str, known: Collection[str]) -> str:
    """Return the name here of a function of another package; an empty string if there is none."""
    return next((here for here, words in FUNCTION_SYNONYMS.items() if name in words and here in known), "")


def suggest_name(name: str, known: Collection[str]) -> str:
    """Return a hint for an unknown name, to be appended to a message, or an empty string."""
    here = translate_function_name(name, known)
    if here:
        return f". Use {here!r}."
    if name in FOREIGN_NAME_HINTS:
        return f". {FOREIGN_NAME_HINTS[name].format(name=name)}."
    # for short names, similar names are often unrelated
    near = checks.suggest_spelling(name, [*known], _NAME_CUTOFF)
    if near.startswith("Did"):
        return f". {near}"
    return f". It has {', '.join(sorted(known))}." if len(known) <= _MAX_LISTED_NAMES else ""

"""Argument checks: each names the argument, the value given, what is allowed and what to do."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from types import FunctionType
from typing import Any, TypeGuard

import numpy as np

from pydpstat._words import CHOICE_MEANINGS
from pydpstat.errors import PydpstatError

# below this magnitude every integer converts to float without overflow
_SAFE_MAGNITUDE = 1e300
# a longer string is not a misspelled option
_MAX_OPTION_LENGTH = 40
# larger sizes are not shown
_MAX_REPORTED_SIZE = 20
# exceptions of Python's parser; the last two for expressions that are nested too deeply
SYNTAX_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)
# kinds of intervals, which users may pass as alpha by mistake
_INTERVAL_KINDS = ("noise", "population", "confidence", "randomization")


def describe_value(value: Any) -> str:
    """Describe an argument in an error message: numbers by value, anything else by type and shape.

    The argument may be the data, passed in the wrong position, so neither elements nor large lengths are shown.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (numbers.Number, Decimal)):
        return format_public_value(value)
    kind = type(value).__name__
    if isinstance(value, type):
        return f"the type {value.__name__}"
    if isinstance(value, FunctionType):
        return f"the function {value.__name__}"
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        if not all(isinstance(length, int) for length in shape):
            # the shape of a lazy query is not computed
            return f"an object of type {kind}"
        lengths = ", ".join(map(_describe_size, shape))
        return f"{kind} of shape ({lengths}{',' * (len(shape) == 1)})"
    try:
        return f"{kind} of length {_describe_size(len(value))}"
    except Exception:  # the object has no length, or computing it fails
        return f"an object of type {kind}"


def _describe_size(size: object) -> str:
    """Format a length if it is small: the number of records may be private, as their elements are."""
    return str(size) if not isinstance(size, int) or size <= _MAX_REPORTED_SIZE else f"above {_MAX_REPORTED_SIZE}"


def describe_option(value: object) -> str:
    """Describe the value of a named option: a short string is shown because it may be misspelled."""
    return (
        format_public_value(value)
        if isinstance(value, str) and len(value) <= _MAX_OPTION_LENGTH
        else describe_value(value)
    )


def format_public_value(public: object) -> str:
    """Format a public value, such as the column names of a frame, shortened if it is long."""
    text = repr(public)
    return text if len(text) <= 60 else text[:57] + "..."


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number, as R's numeric: a boolean or a string is not."""
    # the common types first because checks against abstract classes are slower
    return type(value) in (float, int) or (isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)))


def unwrap_scalar(value: object) -> Any:
    """Return the only element of an array or sequence of length 1, which is a scalar in R."""
    while isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if isinstance(value, np.ndarray) and value.size == 1:
        return value.reshape(-1)[0]
    return value


def to_array(value: object) -> np.ndarray:
    """Convert a value to an array; a ragged list becomes an array of objects, which no check accepts."""
    try:
        return np.asarray(value)
    except Exception:  # an element may raise any exception
        return np.array([None], dtype=object)


def as_float(value: Any) -> float:
    """Convert a real number to float; an integer beyond the range of floats becomes infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def check_positive(value: Any, name: str, advice: str = "") -> float:
    """Check a finite number above 0 and return it as a float; error messages end with `advice`."""
    if type(value) in (float, int) and 0.0 < value < _SAFE_MAGNITUDE:
        return float(value)
    number = unwrap_scalar(value)
    if is_number(number) and 0.0 < as_float(number) < math.inf:
        return as_float(number)
    hint = f" {advice}" if advice else ""
    raise PydpstatError(f"{name} must be a positive finite number; got {describe_value(value)}.{hint}")


def check_epsilon(value: object, name: str = "epsilon") -> float:
    """Check a privacy parameter epsilon: a finite number above 0."""
    hint = "Give one number, for example 1."
    if hasattr(value, "__len__") and not isinstance(value, str):
        hint += f" Several columns are one argument, as frame[['sex', 'region']]. Data come before {name}."
    return check_positive(value, name, hint)


def check_probability(value: object, name: str, hint: str = "0.05 is usual.") -> float:
    """Check a number above 0 and below 1."""
    if not is_number(value) or not 0.0 < value < 1.0:
        raise PydpstatError(f"{name} must be a number between 0 and 1; got {describe_value(value)}. {hint}")
    return float(value)


def check_alpha(value: object) -> float:
    """Check alpha, the probability that an interval misses.

    It must be above 0 and at most 0.5; a larger number is probably a confidence level given by mistake.
    """
    hint = "0.05 is usual, for a 95 % interval."
    if isinstance(value, str) and value in _INTERVAL_KINDS:
        hint = f"Name the kind: kind={value!r}."
    return check_number(value, "alpha", "above 0 and at most 0.5", lambda x: 0.0 < x <= 0.5, hint)


def check_scalar(value: Any, name: str) -> float:
    """Check one number that is not NaN but may be infinite; a boolean counts as 0 or 1, as in R."""
    if type(value) in (float, int) and -_SAFE_MAGNITUDE < value < _SAFE_MAGNITUDE:
        return float(value)
    number = unwrap_scalar(value)
    if isinstance(number, (list, tuple, np.ndarray)):
        raise PydpstatError(f"{name} must be one number; got {describe_value(value)}.")
    if not isinstance(number, (numbers.Real, np.bool_)) or math.isnan(as_float(number)):
        raise PydpstatError(f"{name} must be a number and not missing; got {describe_value(value)}. Give one number.")
    return as_float(number)


def check_number(value: object, name: str, allowed: str, is_allowed: Callable[[float], bool], hint: str) -> float:
    """Check that one real number, not a boolean, is allowed, and return it as a float."""
    scalar = unwrap_scalar(value)
    if is_number(scalar) and is_allowed(as_float(scalar)):
        return as_float(scalar)
    raise PydpstatError(f"{name} must be {allowed}; got {describe_value(value)}. {hint}")


def check_positive_integer(value: object, name: str) -> int:
    """Check an integer of at least 1, which may be given as a float."""
    return check_integer(value, name, 1, hint="Give for example 2.")


def as_integer(value: object) -> int | None:
    """Convert an integer, or a float with an integer value, to int; return None for anything else, even a boolean.

    R represents integers as floats.
    """
    if type(value) is int:
        return value
    if isinstance(value, np.generic) or isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    return int(value) if is_number(value) and abs(value) < math.inf and value == int(value) else None


def check_integer(
    value: object,
    name: str,
    minimum: int | None = None,
    maximum: float = math.inf,
    *,
    allowed: str = "",
    hint: str = "",
) -> int:
    """Check an integer within limits, which may be given as a float but not as a boolean, and return it as an int.

    Without `minimum` the lower limit is minus `maximum`. `allowed` describes the valid values in the message, by
    default with `minimum`, or with both limits if the number exceeds `maximum`. The message ends with the hint.
    """
    number = as_integer(unwrap_scalar(value))
    smallest = -maximum if minimum is None else minimum
    if number is not None and smallest <= number <= maximum:
        return number
    if number is not None and abs(number) > maximum:
        within = f" from {int(smallest)} to {int(maximum)}"
    else:
        within = "" if minimum is None else f" of at least {minimum}"
    allowed = allowed or f"a whole number{within}"
    raise PydpstatError(f"{name} must be {allowed}; got {describe_value(value)}.{' ' + hint if hint else ''}")


def check_choice(value: object, name: str, allowed: Sequence[str], hint: str = "") -> str:
    """Check that a string is one of those allowed; the hint is for a value that resembles none of them."""
    if isinstance(value, str) and value in allowed:
        return value
    choices, suggestion = ", ".join(repr(choice) for choice in allowed), suggest_choice(value, name, allowed, hint)
    raise PydpstatError(f"{name} must be one of {{{choices}}}; got {describe_option(value)}. {suggestion}")


def suggest_choice(value: object, name: str, allowed: Sequence[str], hint: str = "") -> str:
    """Return a hint for an invalid choice: the closest match, or else what the choices mean."""
    spelling = suggest_spelling(value, allowed)
    return spelling if spelling.startswith("Did") else hint or CHOICE_MEANINGS.get(name, spelling)


def select_by_names(
    mapping: Mapping[Any, object],
    names: Sequence[str],
    argument: str,
    key_kind: str,
    value_example: str,
    *,
    extra_hint: str = "",
) -> list[object]:
    """Return the mapping's values in the order of `names`; it must have every name and no other.

    Error messages end with `extra_hint`, about another likely intention.
    """
    value_of = {str(name): value for name, value in mapping.items()}
    if set(value_of) != set(names) or len(value_of) != len(mapping):
        missing = [name for name in names if name not in value_of]
        unknown = [name for name in value_of if name not in names]
        lacks = [f"lacks {format_public_value(missing[0])}"] if missing else []
        lacks += [f"has {len(unknown)} that {'is' if len(unknown) == 1 else 'are'} not among them"] if unknown else []
        lack = f"it {', and '.join(lacks)}" if lacks else f"got {describe_value(mapping)}"
        hint = f"Give {argument}={{{key_kind}: {value_example}, ...}}."
        if unknown and not missing:
            hint = (
                f"Leave out others: {argument}={{key: {argument}[key] for key in {format_public_value(list(names))}}}."
            )
        raise PydpstatError(
            f"{argument} must name every {key_kind} and no other; {lack}, for the {key_kind}s "
            f"{format_public_value(list(names))}. {hint}{' ' * bool(extra_hint)}{extra_hint}"
        )
    return [value_of[name] for name in names]


def describe_duplicate(values: Sequence[object]) -> str:
    """Return a description of the first value that occurs twice, for a message.

    A long list may be the data, so nothing of it is shown.
    """
    if len(values) > _MAX_REPORTED_SIZE:
        return "a value twice"
    twice = next((value for i, value in enumerate(values) if value in values[:i]), None)
    return "a value twice" if twice is None else f"{format_public_value(twice)} twice"


def suggest_spelling(value: object, allowed: Sequence[str], cutoff: float = 0.6) -> str:
    """Return a hint for a misspelled word: the closest allowed word, if one is similar.

    Words are similar if their similarity ratio (`difflib`) is at least `cutoff`.
    """
    # a function or a class may be given instead of its name
    value = getattr(value, "__name__", value)
    if not isinstance(value, str):
        return "Give one of them."
    from difflib import get_close_matches

    by_lower_case = {choice.lower(): choice for choice in allowed}
    matches = get_close_matches(value[:60].lower(), by_lower_case, n=1, cutoff=cutoff)
    return f"Did you mean {by_lower_case[matches[0]]!r}?" if matches else "Give one of them."


def has_parameter(function: Callable[..., object], name: str) -> bool:
    """Return whether a function has an argument of this name; False for built-ins without a signature."""
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def check_boolean(value: object, name: str, hint: str = "") -> bool:
    """Check a truth value: a boolean, or a number interpreted as in R (0 is false)."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if is_number(value) and not math.isnan(as_float(value)):
        return bool(value)
    raise PydpstatError(f"{name} must be True or False; got {describe_value(value)}.{' ' * bool(hint)}{hint}")


def check_noise_draw(values: np.ndarray, size: int, grid: float | None, name: str) -> np.ndarray:
    """Check the noise drawn by a custom class: the right length and, with a grid, integers in grid units.

    A fraction of a unit would be cut off, and with it perhaps all of the noise.
    """
    shape = getattr(values, "shape", None)
    if shape != (size,):
        received = type(values).__name__ if shape is None else f"an array of shape {shape}"
        raise PydpstatError(
            f"draw of {name} must return an array of shape ({size},), with a number for each element; "
            f"got {received}. Nothing was released."
        )
    if grid is None or values.dtype.kind in "iu":
        return values
    if values[0] % 1 if size == 1 else np.any(values % 1):
        raise PydpstatError(
            f"draw of {name} must return whole numbers of grid units if it is given a grid; got a "
            "fraction. Nothing was released. Use the source's exact draws, for example "
            "source.laplace(size, scale, grid)."
        )
    return values

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

from pydpstat._words import MEANINGS
from pydpstat.errors import PydpstatError

# below it every whole number becomes a float without further thought
_LARGE = 1e300
# a longer text is no option that somebody misspelled
_SHORT = 40
# lengths above it are not shown
_MANY = 20
# what Python's parser raises for a text that it cannot read; the last two where it is nested too deeply
SYNTAX_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)
# kinds of intervals, which are given in the place of alpha
_INTERVALS = ("noise", "population", "confidence", "randomization")


def shown(value: Any) -> str:
    """Show an argument in a message: a number as it is, of all else type and shape.

    What stands in an argument's place may be the data, given in the wrong order: no element of them
    comes into a message, nor how many there are.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (numbers.Number, Decimal)):
        return excerpt(value)
    kind = type(value).__name__
    if isinstance(value, type):
        return f"the type {value.__name__}"
    if isinstance(value, FunctionType):
        return f"the function {value.__name__}"
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        if not all(isinstance(each, int) for each in shape):
            # a query that has not been computed
            return f"an object of type {kind}"
        sides = ", ".join(map(_few, shape))
        return f"{kind} of shape ({sides}{',' * (len(shape) == 1)})"
    try:
        return f"{kind} of length {_few(len(value))}"
    except Exception:  # it has none, or does not say it
        return f"an object of type {kind}"


def _few(number: object) -> str:
    """Show a small number: how many records there are may be private, as elements of them are."""
    return str(number) if not isinstance(number, int) or number <= _MANY else f"above {_MANY}"


def shown_option(value: object) -> str:
    """Show what was given for a named option: a short text as it is, which may be misspelled."""
    return excerpt(value) if isinstance(value, str) and len(value) <= _SHORT else shown(value)


def excerpt(public: object) -> str:
    """Show a public value that is no data, such as a frame's column names, shortened."""
    text = repr(public)
    return text if len(text) <= 60 else text[:57] + "..."


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether a value is a real number in R's sense of numeric: a boolean or a string is not."""
    # the first is the usual case, and asking an abstract class takes longer
    return type(value) in (float, int) or (
        isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    )


def unwrap(value: object) -> Any:
    """Return the only element of an array or sequence of length 1, as R's scalars have one."""
    while isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if isinstance(value, np.ndarray) and value.size == 1:
        return value.reshape(-1)[0]
    return value


def array_of(value: object) -> np.ndarray:
    """Return a value as an array; a ragged list as an array of objects, which no check lets pass."""
    try:
        return np.asarray(value)
    except Exception:  # an element may raise any error
        return np.array([None], dtype=object)


def as_float(value: Any) -> float:
    """Return a real number as a float; a whole number beyond all floats is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def positive(value: Any, name: str, unit: str = "") -> float:
    """Check a finite number above 0 and return it as a float; a message ends with `unit`, what to do."""
    if type(value) in (float, int) and 0.0 < value < _LARGE:
        return float(value)
    number = unwrap(value)
    if is_number(number) and 0.0 < as_float(number) < math.inf:
        return as_float(number)
    hint = f" {unit}" if unit else ""
    raise PydpstatError(f"{name} must be a positive finite number; got {shown(value)}.{hint}")


def epsilon(value: object, name: str = "epsilon") -> float:
    """Check a privacy parameter epsilon: a finite number above 0."""
    hint = "Give one number, for example 1."
    if hasattr(value, "__len__") and not isinstance(value, str):
        hint += f" Several columns are one argument, as frame[['sex', 'region']]. Data come before {name}."
    return positive(value, name, hint)


def probability(value: object, name: str, hint: str = "0.05 is usual.") -> float:
    """Check a number above 0 and below 1."""
    if not is_number(value) or not 0.0 < value < 1.0:
        raise PydpstatError(f"{name} must be a number between 0 and 1; got {shown(value)}. {hint}")
    return float(value)


def alpha_of(value: object) -> float:
    """Check how often an interval may miss; a level that is given by mistake is above one half."""
    hint = "0.05 is usual, for a 95 % interval."
    if isinstance(value, str) and value in _INTERVALS:
        hint = f"Name the kind: kind={value!r}."
    return number(value, "alpha", "above 0 and at most 0.5", lambda x: 0.0 < x <= 0.5, hint)


def scalar(value: Any, name: str) -> float:
    """Check one number (a boolean counts as 0 or 1, as in R) that is not NaN; it may be infinite."""
    if type(value) in (float, int) and -_LARGE < value < _LARGE:
        return float(value)
    number = unwrap(value)
    if isinstance(number, (list, tuple, np.ndarray)):
        raise PydpstatError(f"{name} must be one number; got {shown(value)}.")
    if not isinstance(number, (numbers.Real, np.bool_)) or math.isnan(as_float(number)):
        raise PydpstatError(f"{name} must be a number and not missing; got {shown(value)}. Give one number.")
    return as_float(number)


def number(value: object, name: str, allowed: str, fits: Callable[[float], bool], hint: str) -> float:
    """Check one real number, no boolean, that fits, and return it as a float; NaN fits no range."""
    given = unwrap(value)
    if is_number(given) and fits(as_float(given)):
        return as_float(given)
    raise PydpstatError(f"{name} must be {allowed}; got {shown(value)}. {hint}")


def whole(value: object, name: str) -> int:
    """Check a whole number of at least 1; a float that is one passes."""
    return integer(value, name, 1, hint="Give for example 2.")


def as_integer(value: object) -> int | None:
    """Return an integer, or a float that is one, as an int; None for anything else, a boolean among it.

    R has whole numbers as floats.
    """
    if type(value) is int:
        return value
    if isinstance(value, np.generic) or isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    return int(value) if is_number(value) and abs(value) < math.inf and value == int(value) else None


def integer(
    value: object,
    name: str,
    least: int | None = None,
    most: float = math.inf,
    *,
    allowed: str = "",
    hint: str = "",
) -> int:
    """Check an integer within limits, and return it as an int; a float may be one, a boolean is none.

    Without `least` the smallest is minus `most`. The message says that `allowed` is, by default a whole
    number of at least `least`, and has `most` only where `allowed` does. It ends with the hint.
    """
    number = as_integer(unwrap(value))
    if number is not None and (-most if least is None else least) <= number <= most:
        return number
    allowed = allowed or "a whole number" + ("" if least is None else f" of at least {least}")
    raise PydpstatError(f"{name} must be {allowed}; got {shown(value)}.{' ' + hint if hint else ''}")


def one_of(value: object, name: str, allowed: Sequence[str], hint: str = "") -> str:
    """Check that a text is one of those allowed, to the letter; the hint is for one that is near to none."""
    if isinstance(value, str) and value in allowed:
        return value
    choices = ", ".join(repr(choice) for choice in allowed)
    raise PydpstatError(
        f"{name} must be one of {{{choices}}}; got {shown_option(value)}. {meant(value, name, allowed, hint)}"
    )


def meant(value: object, name: str, allowed: Sequence[str], hint: str = "") -> str:
    """Return the way out of a wrong choice: the nearest one, or else what the choices mean."""
    near = did_you_mean(value, allowed)
    return near if near.startswith("Did") else hint or MEANINGS.get(name, near)


def by_name(
    given: Mapping[Any, object], names: Sequence[str], argument: str, word: str, form: str, *, also: str = ""
) -> list[object]:
    """Return what a mapping has for each name, in their order; it must have every name and no other.

    A message ends with `also`, what else may be meant.
    """
    found = {str(name): each for name, each in given.items()}
    if set(found) != set(names) or len(found) != len(given):
        gone = [name for name in names if name not in found]
        more = [name for name in found if name not in names]
        lacks = [f"lacks {excerpt(gone[0])}"] if gone else []
        lacks += [f"has {len(more)} that {'is' if len(more) == 1 else 'are'} not among them"] if more else []
        lack = f"it {', and '.join(lacks)}" if lacks else f"got {shown(given)}"
        way = f"Give {argument}={{{word}: {form}, ...}}."
        if more and not gone:
            way = f"Leave out others: {argument}={{key: {argument}[key] for key in {excerpt(list(names))}}}."
        raise PydpstatError(
            f"{argument} must name every {word} and no other; {lack}, for the {word}s "
            f"{excerpt(list(names))}. {way}{' ' * bool(also)}{also}"
        )
    return [found[name] for name in names]


def repeated(values: Sequence[object]) -> str:
    """Return the first value that is given twice, as a message shows it.

    A long list may be the data: nothing of it is shown.
    """
    if len(values) > _MANY:
        return "a value twice"
    twice = next((each for place, each in enumerate(values) if each in values[:place]), None)
    return "a value twice" if twice is None else f"{excerpt(twice)} twice"


def did_you_mean(value: object, allowed: Sequence[str], least: float = 0.6) -> str:
    """Return the way out of a misspelled word: the nearest one that is allowed, where one is near.

    Words are near that have at least a share `least` of their letters in common.
    """
    # a function or a class in the place of its name
    value = getattr(value, "__name__", value)
    if not isinstance(value, str):
        return "Give one of them."
    from difflib import get_close_matches

    by_lower_case = {choice.lower(): choice for choice in allowed}
    near = get_close_matches(value[:60].lower(), by_lower_case, n=1, cutoff=least)
    return f"Did you mean {by_lower_case[near[0]]!r}?" if near else "Give one of them."


def takes(function: Callable[..., object], name: str) -> bool:
    """Tell whether a function has an argument of this name; some built-in functions do not say."""
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def flag(value: object, name: str, hint: str = "") -> bool:
    """Check a truth value: a boolean, or a number as R reads it (0 is false)."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if is_number(value) and not math.isnan(as_float(value)):
        return bool(value)
    raise PydpstatError(f"{name} must be True or False; got {shown(value)}.{' ' * bool(hint)}{hint}")


def drawn(values: np.ndarray, size: int, grid: float | None, name: str) -> np.ndarray:
    """Check what noise of that class drew, and return it: so many numbers, on a grid whole units of it.

    A fraction of a unit would be cut off, and with it perhaps all of the noise.
    """
    shape = getattr(values, "shape", None)
    if shape != (size,):
        got = type(values).__name__ if shape is None else f"an array of shape {shape}"
        raise PydpstatError(
            f"draw of {name} must return an array of shape ({size},), with a number for each element; "
            f"got {got}. Nothing was released."
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

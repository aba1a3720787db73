"""Helpful error messages for wrong calls and for wrong attribute, item and operator access."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, NoReturn, ParamSpec, TypeVar

from pydpstat import _checks as checks
from pydpstat._ways import ATTRIBUTE_HINTS
from pydpstat._wrong_calls import raise_call_error, translate_function_name
from pydpstat.errors import ArgumentError, AttributeNameError, FrozenError, PydpstatError

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")
Kind = TypeVar("Kind")
Raised = TypeVar("Raised", bound=PydpstatError)
# format hints for objects that are not numbers: the first attribute that the object has decides
_FORMAT_HINTS = {
    "pvalue": "write f'{result.pvalue:.3f}'",
    "estimate": "write result.estimate.round(2)",
    "power": "write f'{plan.power:.2f}'",
    "accuracy": "write plan.accuracy(), which is a number or a Series",
    "epsilon_lower": "write f'{result.epsilon_lower:.2f}'",
    "remaining": "write f'{budget.remaining.epsilon:.2f}'",
    "epsilon": "write f'{guarantee.epsilon:.2f}'",
}


def explain_wrong_calls(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Decorate a function so that a call that does not fit its signature raises an explained error."""

    @wraps(function)
    def call_function(*arguments: Parameters.args, **options: Parameters.kwargs) -> Returned:
        try:
            return function(*arguments, **options)
        except PydpstatError as error:
            raise hide_frames(error) from error.__cause__
        except TypeError:
            try:
                raise_call_error(function, arguments, options)
            except PydpstatError as explained:
                raise hide_frames(explained) from None
            raise

    return call_function


def hide_frames(error: Raised) -> Raised:
    """Return an error about a call without the frames of the package, which tell its user nothing.

    All frames are kept in Python's development mode (``python -X dev``) and in tests run by pytest. Other errors, which
    are unexpected, always keep theirs.
    """
    is_kept = sys.flags.dev_mode or "PYTEST_CURRENT_TEST" in os.environ
    return error if is_kept else error.with_traceback(None)


_WRAPPER_CODE = explain_wrong_calls(len).__code__


class HelpfulErrors:
    """Base of classes with error messages that suggest the correct call, name or value.

    The public methods of subclasses explain wrong calls, as functions decorated with `explain_wrong_calls` do.
    """

    # without slots every result would have a dictionary
    __slots__ = ()

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        for name, attribute in list(vars(cls).items()):
            public = name == "__init__" or not name.startswith("_")
            # a dataclass with slots creates its class twice
            if public and inspect.isfunction(attribute) and attribute.__code__ is not _WRAPPER_CODE:
                setattr(cls, name, explain_wrong_calls(attribute))
        if "__dataclass_fields__" in vars(cls):
            # the methods that dataclasses generate fail for properties of a class with slots
            for name in {"__setattr__", "__delattr__"} & {*vars(cls)}:
                setattr(cls, name, _raise_frozen_error)

    def _suggest_attribute(self, name: str) -> str:
        """Return a hint for an attribute that the class lacks; an empty string if the name is unknown."""
        translated = translate_function_name(name, dir(type(self)))
        return f"write .{translated}(...)" if translated else ""

    # hidden from type checkers, which would otherwise accept every name and comparison
    if not TYPE_CHECKING:

        def __getattr__(self, name):
            # the object is being created or copied
            if name.startswith("__") or hasattr(type(self), name):
                raise AttributeError(f"{name!r} of {type(self).__name__} is not set")
            raise AttributeNameError(_explain_missing_name(self, name))

        def __setattr__(self, name, value):
            try:
                super().__setattr__(name, value)
            except AttributeError:
                raise AttributeNameError(
                    f"{name} of {type(self).__name__} cannot be set; got {checks.describe_value(value)}. It is "
                    "given when the object is created: create another."
                ) from None

        def __getitem__(self, key):
            kind, key_text = type(self).__name__, checks.describe_option(key)
            is_attribute = isinstance(key, str) and key.isidentifier() and hasattr(type(self), key)
            hint = f"write .{key}" if is_attribute else self._suggest_attribute(key) if isinstance(key, str) else ""
            hint = hint or _find_hint(self, "[ ]")
            raise ArgumentError(f"{kind} has no elements for [ ]; got {key_text}. {_format_hint(hint, self)}")

        def _refuse_comparison(self, other):
            raise ArgumentError(
                f"{type(self).__name__} cannot be compared by < or >; got {checks.describe_value(other)}. "
                f"{_format_hint('compare result.pvalue' * hasattr(type(self), 'pvalue'), self)}"
            )

        __lt__ = __le__ = __gt__ = __ge__ = _refuse_comparison

        def __bool__(self):
            # without this, truth testing would call __len__
            return True

        def __len__(self):
            hint = _format_hint(_find_hint(self, "len()"), self)
            raise ArgumentError(f"{type(self).__name__} has no length. {hint}")

        def _refuse_arithmetic(self, other):
            raise ArgumentError(
                f"{type(self).__name__} cannot be calculated with; got {checks.describe_value(other)}. "
                f"{_format_hint(_find_hint(self, '+'), self)}"
            )

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse_arithmetic
        __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _refuse_arithmetic

        def __format__(self, spec):
            if not spec:
                return str(self)
            kind = type(self)
            hint = next((hint for marker, hint in _FORMAT_HINTS.items() if hasattr(kind, marker)), "")
            raise ArgumentError(
                f"{kind.__name__} is no number that a format could show; got {checks.format_public_value(spec)}. "
                f"{_format_hint(hint, self)}"
            )


def _raise_frozen_error(self: object, name: str, *value: object) -> NoReturn:
    raise FrozenError(
        f"{name} of {type(self).__name__} cannot be changed; got "
        f"{checks.describe_value(value[0]) if value else 'a deletion'}. Results are immutable: compute with a "
        f"variable, as in {name} = result.{name}."
    )


def explain_frozen_changes(cls: type[Kind]) -> type[Kind]:
    """Decorate a frozen dataclass without slots so that changes raise an explained error."""
    for name in ("__setattr__", "__delattr__"):
        setattr(cls, name, _raise_frozen_error)
    return cls


def _explain_missing_name(thing: HelpfulErrors, name: str) -> str:
    """Return the error message for an attribute that an object lacks."""
    hint = thing._suggest_attribute(name) or _find_hint(thing, name)
    return f"{type(thing).__name__} has no attribute {name!r}. {_format_hint(hint, thing, name)}"


def _format_hint(hint: str, thing: object, name: str = "") -> str:
    """Return a hint as a sentence; without a hint, a similar name or the list of public names."""
    if hint:
        return f"{hint[0].upper()}{hint[1:]}."
    attributes = [attribute for attribute in dir(thing) if not attribute.startswith("_")]
    suggestion = checks.suggest_spelling(name, attributes)
    return suggestion if suggestion.startswith("Did") else f"It has {', '.join(attributes)}."


def _find_hint(thing: object, word: str) -> str:
    """Return the hint for a word from the first row of the table whose attribute the object has."""
    hints = (hint for marker, names, hint in ATTRIBUTE_HINTS if word in names and hasattr(type(thing), marker))
    return next(hints, "").format(name=word)

"""The call that made a release, as text: argument names stand for the data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np

from pydpstat._data.containers import find_library, to_list
from pydpstat._data.native import to_public_list
from pydpstat.results._words import describe_model_subject, describe_statistic, join_names

# the largest power of 10 that 64 bits hold
_EXACT_POWER = 27
# in a title
_MAX_GROUPS_IN_TITLE, _MAX_TITLE_LENGTH = 6, 80
_PLAIN_TYPES = frozenset((type(None), bool, int, float, str))


@dataclass(frozen=True, slots=True)
class DesignCallText:
    """A design's call as it was typed, and what it asks for in words."""

    # it can be run with a design of the same facts
    text: str
    # what stands for the data in the function's own call: a variable's name, several, or a formula
    data: str
    # variables and groups: "income by sex"
    subject: str
    # their names, where groups are compared
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A call without its data."""

    function: str
    # texts that stand for the data arguments: in Python and in R
    data: tuple[tuple[str, str], ...]
    # the public ones, by their Python names
    arguments: tuple[tuple[str, object], ...]
    # R's, where the function is a mirror
    package: str = ""
    # methods of the release that were called one after the other
    method_calls: tuple[str, ...] = field(default=(), kw_only=True)
    design_call: DesignCallText | None = field(default=None, kw_only=True)
    # the data's own, where labels do not tell them
    names: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        # plain copies: neither a later change nor anything else of the caller's stays reachable
        # bounds, the usual tuple, are a pair of floats
        if all([type(value) in _PLAIN_TYPES or _is_plain_tuple(value) for _, value in self.arguments]):
            return
        frozen = tuple([(name, _freeze_argument(value, name)) for name, value in self.arguments])
        object.__setattr__(self, "arguments", frozen)

    def format_python(self) -> str:
        """Return the call as Python would show it."""
        data = [python for python, _ in self.data]
        public = [f"{name}={_format_python_value(value)}" for name, value in self.arguments]
        return ".".join([f"{self.function}({', '.join([*data, *public])})", *self.method_calls])

    def format_source(self) -> str:
        """Return the call as the user typed it, of a design or of the function itself."""
        return (
            self.format_python() if self.design_call is None else ".".join([self.design_call.text, *self.method_calls])
        )

    def describe_subject(self, variables: str = "") -> str:
        """Return variables and groups in words; those of the data where the call does not say them."""
        if self.design_call is not None:
            return self.design_call.subject
        said = describe_model_subject(self.function, self.data[0][0]) if self.data else None
        return join_names(self.names) or (variables if said is None else said)

    def describe_release(self, variables: str = "") -> str:
        """Return what was asked in words, empty where the call says more."""
        return describe_statistic(self.function, self.describe_subject(variables))

    def format_heading(self, what: str, named: str = "") -> str:
        """Return the title of what was released: a test or a statistic, what it is about, and its groups."""
        about, groups = (
            self.describe_subject(named),
            () if self.design_call is None else self.design_call.groups,
        )
        named = ", ".join(groups)
        told = f" ({named})" if 0 < len(groups) <= _MAX_GROUPS_IN_TITLE and len(named) <= _MAX_TITLE_LENGTH else ""
        return f"{what}: {about}{told}" if about else what

    def add_method_call(self, method: str, *arguments: object, **keywords: object) -> Call:
        """Return the call of a method of what this one released."""
        placed = [(method, each) for each in arguments]
        return replace(self, method_calls=(*self.method_calls, format_call(method, placed, keywords)))

    def replace_subject(self, subject: str) -> Call:
        """Return the call with other words for variables and groups, if there are some."""
        if not subject:
            return self
        if self.design_call is None:
            return replace(self, names=(subject,))
        _, *subset = self.design_call.subject.partition(" where ")
        return replace(self, design_call=replace(self.design_call, subject="".join([subject, *subset])))

    def format_r(self) -> str | None:
        """Return the same release as an R expression; None where R has no such function."""
        if not self.package or self.method_calls:
            return None
        data = [r for _, r in self.data]
        public = [f"{to_r_name(name)} = {_format_r_value(value)}" for name, value in self.arguments]
        return f"{self.package}::{self.function}({', '.join([*data, *public])})"


def format_call(method: str, positional: Sequence[tuple[str, object]], keywords: Mapping[str, object]) -> str:
    """Return a call as Python would show it; its last arguments by place are left out where they are None."""
    count = max((place for place, (_, each) in enumerate(positional, 1) if each is not None), default=0)
    shown = [format_argument(each, name) for name, each in positional[:count]]
    shown += [f"{name}={format_argument(each, name)}" for name, each in keywords.items()]
    return f"{method}({', '.join(shown)})"


def format_argument(value: object, name: str) -> str:
    """Return a public argument as Python would show it; its name where it has no plain text."""
    return _format_python_value(_freeze_argument(value, name))


def to_r_name(name: str) -> str:
    """Return R's name of an argument: underscores are dots; a last one only keeps Python's words apart."""
    return name.removesuffix("_").replace("_", ".")


def quote_r_symbol(name: str) -> str:
    """Return a name as R reads it, in backticks where it is no syntactic name."""
    return name if re.fullmatch(r"[A-Za-z][A-Za-z0-9._]*", name) else f"`{name}`"


@dataclass(frozen=True, slots=True)
class NamedArgument:
    """Stands for an argument that has no plain text, such as a function: its name."""

    name: str


@dataclass(frozen=True, slots=True)
class _ArgumentMapping:
    """Values by their names, as a dict has them."""

    items: tuple[tuple[str, object], ...]


def _is_plain_tuple(value: object) -> bool:
    return type(value) is tuple and all([type(each) in _PLAIN_TYPES for each in value])


def _freeze_argument(value: object, name: str) -> object:
    if type(value) in _PLAIN_TYPES or type(value) in (NamedArgument, _ArgumentMapping):
        return value
    if isinstance(value, Mapping):
        return _ArgumentMapping(tuple([(str(key), _freeze_argument(each, name)) for key, each in value.items()]))
    if type(value) is tuple:
        return tuple([_freeze_argument(item, name) for item in value])
    if isinstance(value, np.generic):
        return value.item()
    if callable(value):
        ours = str(getattr(value, "__module__", "")).startswith("pydpstat.")
        return NamedArgument(getattr(value, "__name__", name) if ours else name)
    value = to_public_list(value, name) if find_library(value) else to_list(value)
    if isinstance(value, (list, tuple, range, set)):
        return tuple(_freeze_argument(item, name) for item in value)
    return value if isinstance(value, (bool, int, float, str)) else NamedArgument(name)


def _format_python_value(value: object) -> str:
    if isinstance(value, NamedArgument):
        return value.name
    if isinstance(value, tuple):
        return f"[{', '.join(map(_format_python_value, value))}]"
    if isinstance(value, _ArgumentMapping):
        return f"{{{', '.join(f'{key!r}: {_format_python_value(each)}' for key, each in value.items)}}}"
    return repr(value)


def _format_r_value(value: object, is_element: bool = False) -> str:
    if isinstance(value, NamedArgument):
        return to_r_name(value.name)
    if value is None:
        return "NA" if is_element else "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        return f"c({', '.join(_format_r_value(item, True) for item in value)})"
    if isinstance(value, _ArgumentMapping):
        return f"list({', '.join(f'{quote_r_symbol(key)} = {_format_r_value(each)}' for key, each in value.items)})"
    return _format_r_float(value) if isinstance(value, float) else repr(value)


def _format_r_float(value: float) -> str:
    if value != value:
        return "NaN"
    if abs(value) == float("inf"):
        return "Inf" if value > 0 else "-Inf"
    if value == int(value) and abs(value) < 1e15:
        return repr(int(value))
    return next((text for text in (repr(value), f"{value:.17g}") if _read_number_as_r(text) == value), value.hex())


def _read_number_as_r(text: str) -> float | None:
    """Return the number that R's parser makes of a decimal text; None where it rounds more than twice."""
    # R divides the digits by (or multiplies with) a power of 10 in numbers of 64 bits, and rounds to a double
    sign, digits, power = Decimal(text).as_tuple()
    if abs(int(power)) > _EXACT_POWER:
        return None
    exact = Fraction(int("".join(map(str, digits)))) * Fraction(10) ** int(power)
    places = 64 - exact.numerator.bit_length() + exact.denominator.bit_length()
    if exact * Fraction(2) ** places >= 2**64:
        places -= 1
    rounded = float(round(exact * Fraction(2) ** places) / Fraction(2) ** places)
    return -rounded if sign else rounded


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A constructor's call and the call of `fit`, without data."""

    function: str
    arguments: tuple[tuple[str, object], ...]
    fit_arguments: tuple[tuple[str, object], ...]
    # further data arguments of fit that were given, such as "weights"
    data_arguments: tuple[str, ...] = ()
    package: str = "DPpack"

    def __post_init__(self) -> None:
        # plain copies, as those of a Call
        for name in ("arguments", "fit_arguments"):
            object.__setattr__(self, name, Call("", (), tuple(getattr(self, name))).arguments)

    def format_python(self) -> str:
        """Return the calls as Python would show them."""
        return f"{Call(self.function, (), self.arguments).format_python()}.{self._make_fit_call('').format_python()}"

    def format_source(self) -> str:
        """Return the calls as the user typed them."""
        return self.format_python()

    def describe_release(self, variables: str = "") -> str:
        """Return nothing: R's classes keep their names."""
        return ""

    def format_r(self) -> str | None:
        """Return the same model as an R expression; None where R has no such class."""
        if not self.package:
            return None
        made = Call(f"{to_r_name(self.function)}$new", (), self.arguments, self.package).format_r()
        fitted = self._make_fit_call("x").format_r()
        return f"{made}${str(fitted).removeprefix('x::')}"

    def _make_fit_call(self, package: str) -> Call:
        data = (("X", "X"), ("y", "y"))
        named = tuple((name, NamedArgument(name)) for name in self.data_arguments)
        return Call("fit", data, (*self.fit_arguments, *named), package)

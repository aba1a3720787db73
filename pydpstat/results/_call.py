"""Text of the call that made a release, with argument names in place of the data."""

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

# largest power of 10 that is exact with a 64-bit mantissa
_EXACT_POWER = 27
# limits of the groups in a title
_MAX_GROUPS_IN_TITLE, _MAX_TITLE_LENGTH = 6, 80
_PLAIN_TYPES = frozenset((type(None), bool, int, float, str))


@dataclass(frozen=True, slots=True)
class DesignCallText:
    """Source text of a call of a design's method, and its subject in words."""

    # can be run again with a design that has the same declarations
    text: str
    # text in place of the data in the function's call: a variable name, several, or a formula
    data: str
    # variables and groups, such as "income by sex"
    subject: str
    # names of the groups that are compared
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Call:
    """A call without its data."""

    function: str
    # texts in place of the data arguments, in Python and in R
    data: tuple[tuple[str, str], ...]
    # public arguments, by their Python names
    arguments: tuple[tuple[str, object], ...]
    # R package of a mirrored function
    package: str = ""
    # calls of the release's methods, in order
    method_calls: tuple[str, ...] = field(default=(), kw_only=True)
    design_call: DesignCallText | None = field(default=None, kw_only=True)
    # variable names of the data, if the labels do not have them
    names: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        # plain copies, so that no object of the caller stays referenced or can change the record
        # fast path: bounds, the usual tuple, are a pair of floats
        if all([type(value) in _PLAIN_TYPES or _is_plain_tuple(value) for _, value in self.arguments]):
            return
        frozen = tuple([(name, _freeze_argument(value, name)) for name, value in self.arguments])
        object.__setattr__(self, "arguments", frozen)

    def format_python(self) -> str:
        """Return the call as Python source."""
        data = [python for python, _ in self.data]
        public = [f"{name}={_format_python_value(value)}" for name, value in self.arguments]
        return ".".join([f"{self.function}({', '.join([*data, *public])})", *self.method_calls])

    def format_source(self) -> str:
        """Return the call as the user typed it, of a design's method or of the function."""
        return (
            self.format_python() if self.design_call is None else ".".join([self.design_call.text, *self.method_calls])
        )

    def describe_subject(self, variables: str = "") -> str:
        """Describe variables and groups in words; fall back to `variables` if the call names none."""
        if self.design_call is not None:
            return self.design_call.subject
        model_subject = describe_model_subject(self.function, self.data[0][0]) if self.data else None
        return join_names(self.names) or (variables if model_subject is None else model_subject)

    def describe_release(self, variables: str = "") -> str:
        """Describe the released statistic in words; empty if the call itself is more informative."""
        return describe_statistic(self.function, self.describe_subject(variables))

    def format_heading(self, what: str, named: str = "") -> str:
        """Return the title of a test or a statistic, with its subject and its groups."""
        subject, groups = (
            self.describe_subject(named),
            () if self.design_call is None else self.design_call.groups,
        )
        named = ", ".join(groups)
        suffix = f" ({named})" if 0 < len(groups) <= _MAX_GROUPS_IN_TITLE and len(named) <= _MAX_TITLE_LENGTH else ""
        return f"{what}: {subject}{suffix}" if subject else what

    def add_method_call(self, method: str, *arguments: object, **keywords: object) -> Call:
        """Return the call extended by a method call on its result."""
        positional = [(method, argument) for argument in arguments]
        return replace(self, method_calls=(*self.method_calls, format_call(method, positional, keywords)))

    def replace_subject(self, subject: str) -> Call:
        """Return the call with another description of variables and groups, unless it is empty."""
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
    """Return a method call as Python source, without trailing positional arguments that are None."""
    count = max((position for position, (_, value) in enumerate(positional, 1) if value is not None), default=0)
    shown = [format_argument(value, name) for name, value in positional[:count]]
    shown += [f"{name}={format_argument(value, name)}" for name, value in keywords.items()]
    return f"{method}({', '.join(shown)})"


def format_argument(value: object, name: str) -> str:
    """Return a public argument as Python source, or its name if it has no literal."""
    return _format_python_value(_freeze_argument(value, name))


def to_r_name(name: str) -> str:
    """Return R's name of an argument: dots for underscores, without the trailing one of a Python keyword."""
    return name.removesuffix("_").replace("_", ".")


def quote_r_symbol(name: str) -> str:
    """Return a name as an R symbol, in backticks if it is not syntactic."""
    return name if re.fullmatch(r"[A-Za-z][A-Za-z0-9._]*", name) else f"`{name}`"


@dataclass(frozen=True, slots=True)
class NamedArgument:
    """Name of an argument that has no literal, such as a function."""

    name: str


@dataclass(frozen=True, slots=True)
class _ArgumentMapping:
    """Immutable copy of a dict argument."""

    items: tuple[tuple[str, object], ...]


def _is_plain_tuple(value: object) -> bool:
    return type(value) is tuple and all([type(item) in _PLAIN_TYPES for item in value])


def _freeze_argument(value: object, name: str) -> object:
    if type(value) in _PLAIN_TYPES or type(value) in (NamedArgument, _ArgumentMapping):
        return value
    if isinstance(value, Mapping):
        return _ArgumentMapping(tuple([(str(key), _freeze_argument(entry, name)) for key, entry in value.items()]))
    if type(value) is tuple:
        return tuple([_freeze_argument(item, name) for item in value])
    if isinstance(value, np.generic):
        return value.item()
    if callable(value):
        is_own = str(getattr(value, "__module__", "")).startswith("pydpstat.")
        return NamedArgument(getattr(value, "__name__", name) if is_own else name)
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
        return f"{{{', '.join(f'{key!r}: {_format_python_value(item)}' for key, item in value.items)}}}"
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
        return f"list({', '.join(f'{quote_r_symbol(key)} = {_format_r_value(entry)}' for key, entry in value.items)})"
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
    """Return the double that R's parser reads from a decimal text, or None if it rounds more than twice."""
    # R scales the digits by a power of 10 with 64-bit precision, then rounds to a double
    sign, digits, power = Decimal(text).as_tuple()
    if abs(int(power)) > _EXACT_POWER:
        return None
    exact = Fraction(int("".join(map(str, digits)))) * Fraction(10) ** int(power)
    shift = 64 - exact.numerator.bit_length() + exact.denominator.bit_length()
    if exact * Fraction(2) ** shift >= 2**64:
        shift -= 1
    rounded = float(round(exact * Fraction(2) ** shift) / Fraction(2) ** shift)
    return -rounded if sign else rounded


@dataclass(frozen=True, slots=True, weakref_slot=True)
class ModelCall:
    """Calls of a model's constructor and of `fit`, without data."""

    function: str
    arguments: tuple[tuple[str, object], ...]
    fit_arguments: tuple[tuple[str, object], ...]
    # further data arguments that were given to fit, such as "weights"
    data_arguments: tuple[str, ...] = ()
    package: str = "DPpack"

    def __post_init__(self) -> None:
        # plain copies, as in Call
        for name in ("arguments", "fit_arguments"):
            object.__setattr__(self, name, Call("", (), tuple(getattr(self, name))).arguments)

    def format_python(self) -> str:
        """Return the calls as Python source."""
        return f"{Call(self.function, (), self.arguments).format_python()}.{self._make_fit_call('').format_python()}"

    def format_source(self) -> str:
        """Return the calls as the user typed them."""
        return self.format_python()

    def describe_release(self, variables: str = "") -> str:
        """Return an empty string: models are stated by their R class names."""
        return ""

    def format_r(self) -> str | None:
        """Return the same model as an R expression; None where R has no such class."""
        if not self.package:
            return None
        constructor = Call(f"{to_r_name(self.function)}$new", (), self.arguments, self.package).format_r()
        fit_call = self._make_fit_call("x").format_r()
        return f"{constructor}${str(fit_call).removeprefix('x::')}"

    def _make_fit_call(self, package: str) -> Call:
        data = (("X", "X"), ("y", "y"))
        data_arguments = tuple((name, NamedArgument(name)) for name in self.data_arguments)
        return Call("fit", data, (*self.fit_arguments, *data_arguments), package)

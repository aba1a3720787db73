"""The call that made a release, as text: argument names stand for the data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np

from pydpstat._data.containers import library_of, listed
from pydpstat._data.held import public_list
from pydpstat.results._words import in_words, joined, of_model

# the largest power of 10 that 64 bits hold
_EXACT_POWER = 27
# in a title
_MOST_GROUPS, _LONGEST = 6, 80
_PLAIN = frozenset((type(None), bool, int, float, str))


@dataclass(frozen=True, slots=True)
class Asked:
    """A design's call as it was typed, and what it asks for in words."""

    # it can be run with a design of the same facts
    typed: str
    # what stands for the data in the function's own call: a variable's name, several, or a formula
    data: str
    # variables and groups: "income by sex"
    about: str
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
    then: tuple[str, ...] = field(default=(), kw_only=True)
    asked: Asked | None = field(default=None, kw_only=True)
    # the data's own, where labels do not tell them
    names: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        # plain copies: neither a later change nor anything else of the caller's stays reachable
        # bounds, the usual tuple, are a pair of floats
        if all([type(value) in _PLAIN or _is_plain_tuple(value) for _, value in self.arguments]):
            return
        frozen = tuple([(name, _frozen(value, name)) for name, value in self.arguments])
        object.__setattr__(self, "arguments", frozen)

    def python(self) -> str:
        """Return the call as Python would show it."""
        data = [python for python, _ in self.data]
        public = [f"{name}={_python_value(value)}" for name, value in self.arguments]
        return ".".join([f"{self.function}({', '.join([*data, *public])})", *self.then])

    def typed(self) -> str:
        """Return the call as the user typed it, of a design or of the function itself."""
        return self.python() if self.asked is None else ".".join([self.asked.typed, *self.then])

    def about(self, named: str = "") -> str:
        """Return variables and groups in words; those of the data where the call does not say them."""
        if self.asked is not None:
            return self.asked.about
        said = of_model(self.function, self.data[0][0]) if self.data else None
        return joined(self.names) or (named if said is None else said)

    def in_words(self, named: str = "") -> str:
        """Return what was asked in words, empty where the call says more."""
        return in_words(self.function, self.about(named))

    def heading(self, what: str, named: str = "") -> str:
        """Return the title of what was released: a test or a statistic, what it is about, and its groups."""
        about, groups = self.about(named), () if self.asked is None else self.asked.groups
        named = ", ".join(groups)
        told = f" ({named})" if 0 < len(groups) <= _MOST_GROUPS and len(named) <= _LONGEST else ""
        return f"{what}: {about}{told}" if about else what

    def followed(self, method: str, *arguments: object, **named: object) -> Call:
        """Return the call of a method of what this one released."""
        placed = [(method, each) for each in arguments]
        return replace(self, then=(*self.then, written(method, placed, named)))

    def telling(self, about: str) -> Call:
        """Return the call with other words for variables and groups, if there are some."""
        if not about:
            return self
        if self.asked is None:
            return replace(self, names=(about,))
        _, *subset = self.asked.about.partition(" where ")
        return replace(self, asked=replace(self.asked, about="".join([about, *subset])))

    def r(self) -> str | None:
        """Return the same release as an R expression; None where R has no such function."""
        if not self.package or self.then:
            return None
        data = [r for _, r in self.data]
        public = [f"{r_name(name)} = {_r_value(value)}" for name, value in self.arguments]
        return f"{self.package}::{self.function}({', '.join([*data, *public])})"


def written(method: str, placed: Sequence[tuple[str, object]], named: Mapping[str, object]) -> str:
    """Return a call as Python would show it; its last arguments by place are left out where they are None."""
    count = max((place for place, (_, each) in enumerate(placed, 1) if each is not None), default=0)
    shown = [plainly(each, name) for name, each in placed[:count]]
    shown += [f"{name}={plainly(each, name)}" for name, each in named.items()]
    return f"{method}({', '.join(shown)})"


def plainly(value: object, name: str) -> str:
    """Return a public argument as Python would show it; its name where it has no plain text."""
    return _python_value(_frozen(value, name))


def r_name(name: str) -> str:
    """Return R's name of an argument: underscores are dots; a last one only keeps Python's words apart."""
    return name.removesuffix("_").replace("_", ".")


def r_symbol(name: str) -> str:
    """Return a name as R reads it, in backticks where it is no syntactic name."""
    return name if re.fullmatch(r"[A-Za-z][A-Za-z0-9._]*", name) else f"`{name}`"


@dataclass(frozen=True, slots=True)
class Named:
    """Stands for an argument that has no plain text, such as a function: its name."""

    name: str


@dataclass(frozen=True, slots=True)
class _ByName:
    """Values by their names, as a dict has them."""

    items: tuple[tuple[str, object], ...]


def _is_plain_tuple(value: object) -> bool:
    return type(value) is tuple and all([type(each) in _PLAIN for each in value])


def _frozen(value: object, name: str) -> object:
    if type(value) in _PLAIN or type(value) in (Named, _ByName):
        return value
    if isinstance(value, Mapping):
        return _ByName(tuple([(str(key), _frozen(each, name)) for key, each in value.items()]))
    if type(value) is tuple:
        return tuple([_frozen(item, name) for item in value])
    if isinstance(value, np.generic):
        return value.item()
    if callable(value):
        ours = str(getattr(value, "__module__", "")).startswith("pydpstat.")
        return Named(getattr(value, "__name__", name) if ours else name)
    value = public_list(value, name) if library_of(value) else listed(value)
    if isinstance(value, (list, tuple, range, set)):
        return tuple(_frozen(item, name) for item in value)
    return value if isinstance(value, (bool, int, float, str)) else Named(name)


def _python_value(value: object) -> str:
    if isinstance(value, Named):
        return value.name
    if isinstance(value, tuple):
        return f"[{', '.join(map(_python_value, value))}]"
    if isinstance(value, _ByName):
        return f"{{{', '.join(f'{key!r}: {_python_value(each)}' for key, each in value.items)}}}"
    return repr(value)


def _r_value(value: object, inside: bool = False) -> str:
    if isinstance(value, Named):
        return r_name(value.name)
    if value is None:
        return "NA" if inside else "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        return f"c({', '.join(_r_value(item, True) for item in value)})"
    if isinstance(value, _ByName):
        return f"list({', '.join(f'{r_symbol(key)} = {_r_value(each)}' for key, each in value.items)})"
    return _r_float(value) if isinstance(value, float) else repr(value)


def _r_float(value: float) -> str:
    if value != value:
        return "NaN"
    if abs(value) == float("inf"):
        return "Inf" if value > 0 else "-Inf"
    if value == int(value) and abs(value) < 1e15:
        return repr(int(value))
    return next((text for text in (repr(value), f"{value:.17g}") if _read_by_r(text) == value), value.hex())


def _read_by_r(text: str) -> float | None:
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
    private: tuple[str, ...] = ()
    package: str = "DPpack"

    def __post_init__(self) -> None:
        # plain copies, as those of a Call
        for name in ("arguments", "fit_arguments"):
            object.__setattr__(self, name, Call("", (), tuple(getattr(self, name))).arguments)

    def python(self) -> str:
        """Return the calls as Python would show them."""
        return f"{Call(self.function, (), self.arguments).python()}.{self._fit('').python()}"

    def typed(self) -> str:
        """Return the calls as the user typed them."""
        return self.python()

    def in_words(self, named: str = "") -> str:
        """Return nothing: R's classes keep their names."""
        return ""

    def r(self) -> str | None:
        """Return the same model as an R expression; None where R has no such class."""
        if not self.package:
            return None
        made = Call(f"{r_name(self.function)}$new", (), self.arguments, self.package).r()
        fitted = self._fit("x").r()
        return f"{made}${str(fitted).removeprefix('x::')}"

    def _fit(self, package: str) -> Call:
        data = (("X", "X"), ("y", "y"))
        named = tuple((name, Named(name)) for name in self.private)
        return Call("fit", data, (*self.fit_arguments, *named), package)

"""Events of an outcome, each with a test on arrays of outcomes and a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from pydpstat.auditing._sampling import Draws

PART = 32_768


class Projection(Protocol):
    """A number computed from an outcome's numbers."""

    @property
    def name(self) -> str:
        """What it is called in sentences."""
        ...

    def of(self, draws: Draws) -> np.ndarray:
        """Return it for each outcome."""
        ...


@dataclass(frozen=True)
class Element:
    """One element of the result."""

    name: str
    column: int

    def of(self, draws: Draws) -> np.ndarray:
        """Return it for each outcome."""
        return draws.values[:, self.column]


@dataclass(frozen=True)
class Sum:
    """The sum of the first elements."""

    name: str
    columns: int

    def of(self, draws: Draws) -> np.ndarray:
        """Return it for each outcome."""
        return draws.values[:, : self.columns].sum(axis=1)


@dataclass(frozen=True)
class Norm:
    """The Euclidean length of the first elements."""

    name: str
    columns: int

    def of(self, draws: Draws) -> np.ndarray:
        """Return it for each outcome."""
        part = draws.values[:, : self.columns]
        return np.sqrt(np.einsum("ij,ij->i", part, part))


@dataclass(frozen=True, eq=False)
class LikelihoodRatio:
    """The log likelihood ratio as estimated in the search, the elements taken as independent."""

    name: str
    parts: tuple[tuple[int, np.ndarray, np.ndarray], ...]

    def of(self, draws: Draws) -> np.ndarray:
        """Return it for each outcome."""
        total = np.zeros(len(draws))
        for column, edges, ratios in self.parts:
            total += ratios[np.searchsorted(edges, draws.values[:, column], side="right")]
        return total


@dataclass(frozen=True)
class Cut:
    """A place on the line, just before a value or just after it."""

    value: float
    after: bool = False

    def below(self, z: np.ndarray) -> np.ndarray:
        """Tell which values lie before it."""
        return z <= self.value if self.after else z < self.value

    def above(self, z: np.ndarray) -> np.ndarray:
        """Tell which values lie behind it."""
        return z > self.value if self.after else z >= self.value


# a range; None is no end
Pair = tuple[Cut | None, Cut | None]


class Event(Protocol):
    """Something that an outcome is or is not."""

    @property
    def words(self) -> str:
        """Return the event as a sentence."""
        ...

    @property
    def projection(self) -> Projection | None:
        """The number that the event is about; None where it is about the form."""
        ...

    def contains(self, draws: Draws) -> np.ndarray:
        """Tell for each outcome whether it is in the event."""
        ...


@dataclass(frozen=True)
class FormEvent:
    """The outcome has one of some forms."""

    words: str
    codes: tuple[int, ...]
    projection: Projection | None = None

    def contains(self, draws: Draws) -> np.ndarray:
        """Tell for each outcome whether it is in the event."""
        return np.isin(draws.codes, self.codes)


@dataclass(frozen=True)
class Missing:
    """A number is missing."""

    projection: Projection

    @property
    def words(self) -> str:
        """Return the event as a sentence."""
        return f"{self.projection.name} is missing (NaN)"

    def contains(self, draws: Draws) -> np.ndarray:
        """Tell for each outcome whether it is in the event."""
        return np.isnan(self.projection.of(draws))


@dataclass(frozen=True)
class Ranges:
    """A number lies in one of some ranges."""

    projection: Projection
    ranges: tuple[Pair, ...]

    @property
    def words(self) -> str:
        """Return the event as a sentence."""
        name, texts = self.projection.name, [_range_words(pair) for pair in self.ranges]
        if all(map(is_value, self.ranges)) and len(texts) > 1:
            return f"{name} is one of {', '.join(number(low.value) for low, _ in self.ranges if low)}"
        return f"{name} " + " or ".join(texts)

    def contains(self, draws: Draws) -> np.ndarray:
        """Tell for each outcome whether it is in the event."""
        z = self.projection.of(draws)
        inside = np.zeros(z.size, dtype=bool)
        for low, high in self.ranges:
            if low is not None and high is not None:
                inside |= low.above(z) & high.below(z)
            elif high is not None:
                inside |= high.below(z)
            elif low is not None:
                inside |= low.above(z)
        return inside


@dataclass(frozen=True)
class Multiple:
    """A number is, or is not, a multiple of a power of two, perhaps inside a range with an end at 0."""

    projection: Projection
    exponent: int
    holds: bool
    reach: float = 0.0

    @property
    def words(self) -> str:
        """Return the event as a sentence."""
        name = self.projection.name
        head = f"{name} is"
        if self.reach > 0.0:
            head = f"0 < {name} < {number(self.reach)} and it is"
        elif self.reach < 0.0:
            head = f"{number(self.reach)} < {name} < 0 and it is"
        return f"{head}{'' if self.holds else ' not'} a multiple of 2^{self.exponent}"

    def contains(self, draws: Draws) -> np.ndarray:
        """Tell for each outcome whether it is in the event."""
        z = self.projection.of(draws)
        with np.errstate(over="ignore", invalid="ignore"):
            if abs(self.exponent) <= 1_000:
                scaled = z * 2.0**-self.exponent
            else:
                # in two steps, as 2^-exponent may be no float
                scaled = np.ldexp(np.ldexp(z, -self.exponent // 2), -self.exponent - -self.exponent // 2)
            inside = (scaled == np.rint(scaled)) == self.holds
        inside &= np.isfinite(z)
        if self.reach > 0.0:
            inside &= (z > 0.0) & (z < self.reach)
        elif self.reach < 0.0:
            inside &= (z < 0.0) & (z > self.reach)
        return inside


@dataclass(frozen=True)
class Zeros:
    """The last bits of a number's mantissa are 0, or are not."""

    projection: Projection
    bits: int
    holds: bool

    @property
    def words(self) -> str:
        """Return the event as a sentence."""
        name = self.projection.name
        if self.bits == 1:
            return f"the last bit of {name} (of 53) is {'0' if self.holds else '1'}"
        return f"the last {self.bits} bits of {name} (of 53) are {'' if self.holds else 'not all '}0"

    def contains(self, draws: Draws) -> np.ndarray:
        """Tell for each outcome whether it is in the event."""
        z = self.projection.of(draws)
        # of a double's 64 bits the lower 52 are the mantissa's, without its leading 1
        last = np.ascontiguousarray(z).view(np.int64) & ((1 << self.bits) - 1)
        return ((last == 0) == self.holds) & np.isfinite(z)


@dataclass(frozen=True, eq=False)
class Support:
    """A number lies where the published noise law can put it when its uniform has few bits."""

    projection: Projection
    law: Any = field(repr=False)
    center: float
    bits: int
    tolerance: float = 1e-3

    @property
    def words(self) -> str:
        """Return the event as a sentence."""
        return (
            f"2^{self.bits} F({self.projection.name} - {self.center!r}) is within {self.tolerance:g} "
            "of a whole number, where F is the published law of the noise"
        )

    def contains(self, draws: Draws) -> np.ndarray:
        """Tell for each outcome whether it is in the event."""
        return self.on_support(self.projection.of(draws))

    def on_support(self, z: np.ndarray) -> np.ndarray:
        """Tell which numbers the event holds."""
        with np.errstate(invalid="ignore"):
            places = np.ldexp(self.law.cdf(z - self.center), self.bits)
            return np.abs(places - np.rint(places)) < self.tolerance


def count(event: Event, draws: Draws) -> int:
    """Count the outcomes in an event, a part at a time so that the parts stay in the cache."""
    return sum(
        int(np.count_nonzero(event.contains(Draws(draws.codes[i : i + PART], draws.values[i : i + PART]))))
        for i in range(0, len(draws), PART)
    )


def number(value: float) -> str:
    """Return a number in as few digits as say it exactly."""
    return f"{value:.0f}" if abs(value) < 1e6 and value == int(value) else repr(float(value))


def is_value(pair: Pair) -> bool:
    """Tell whether a range is one value."""
    low, high = pair
    if low is None or high is None:
        return False
    return low.value == high.value and not low.after and high.after


def _range_words(pair: Pair) -> str:
    low, high = pair
    if low is not None and high is not None:
        if is_value(pair):
            return f"is {number(low.value)}"
        first = f"is {'above' if low.after else 'at least'} {number(low.value)}"
        return f"{first} and {'at most' if high.after else 'below'} {number(high.value)}"
    if high is not None:
        return f"is {'at most' if high.after else 'below'} {number(high.value)}"
    assert low is not None
    return f"is {'above' if low.after else 'at least'} {number(low.value)}"

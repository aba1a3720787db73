"""Events of an outcome: what an event is, the numbers that events are about, and how outcomes are counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pydpstat.auditing._sampling import Draws

PART = 32_768


@dataclass(frozen=True, eq=False)
class Projection(ABC):
    """A number computed from an outcome's numbers, with what it is called in sentences."""

    name: str

    @abstractmethod
    def of(self, draws: Draws) -> np.ndarray:
        """Return it for each outcome."""


@dataclass(frozen=True)
class Element(Projection):
    """One element of the result."""

    column: int

    def of(self, draws: Draws) -> np.ndarray:
        return draws.values[:, self.column]


@dataclass(frozen=True)
class Sum(Projection):
    """The sum of the first elements."""

    columns: int

    def of(self, draws: Draws) -> np.ndarray:
        return draws.values[:, : self.columns].sum(axis=1)


@dataclass(frozen=True)
class Norm(Projection):
    """The Euclidean length of the first elements."""

    columns: int

    def of(self, draws: Draws) -> np.ndarray:
        part = draws.values[:, : self.columns]
        return np.sqrt(np.einsum("ij,ij->i", part, part))


@dataclass(frozen=True, eq=False)
class LikelihoodRatio(Projection):
    """The log likelihood ratio as estimated in the search, the elements taken as independent."""

    parts: tuple[tuple[int, np.ndarray, np.ndarray], ...]

    def of(self, draws: Draws) -> np.ndarray:
        total = np.zeros(len(draws))
        for column, edges, ratios in self.parts:
            total += ratios[np.searchsorted(edges, draws.values[:, column], side="right")]
        return total


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


# an event, and the forecasts of its bound where it is more likely under the data, or under the neighbour
Found = tuple[Event, tuple[float, float]]


@dataclass(frozen=True, eq=False)
class NumberEvent(ABC):
    """Something that a number of the outcome is or is not."""

    projection: Projection

    @abstractmethod
    def includes(self, z: np.ndarray) -> np.ndarray:
        """Tell which numbers are in the event."""

    def contains(self, draws: Draws) -> np.ndarray:
        """Tell for each outcome whether it is in the event."""
        return self.includes(self.projection.of(draws))


@dataclass(frozen=True)
class Missing(NumberEvent):
    """A number is missing."""

    @property
    def words(self) -> str:
        return f"{self.projection.name} is missing (NaN)"

    def includes(self, z: np.ndarray) -> np.ndarray:
        return np.isnan(z)


def count(event: Event, draws: Draws) -> int:
    """Count the outcomes in an event, a part at a time so that the parts stay in the cache."""
    return sum(
        int(np.count_nonzero(event.contains(Draws(draws.codes[i : i + PART], draws.values[i : i + PART]))))
        for i in range(0, len(draws), PART)
    )


def number(value: float) -> str:
    """Return a number in as few digits as say it exactly."""
    return f"{value:.0f}" if abs(value) < 1e6 and value == int(value) else repr(float(value))

"""What a script does with data: its releases, what it shows, and what could not be followed."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydpstat.porting._forms import Place
from pydpstat.porting._releases import Release
from pydpstat.porting._values import Made, Value


@dataclass(frozen=True, slots=True)
class Output:
    """A value of the data that is shown, written or drawn."""

    place: Place
    how: str
    value: Value


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise that a script adds by itself, and the public numbers that it is made with."""

    place: Place
    made: Made
    value: Value


@dataclass(slots=True)
class Facts:
    """What a script does."""

    releases: list[Release] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    noises: list[Noise] = field(default_factory=list)
    closures: list[Place] = field(default_factory=list)
    declared: list[tuple[Place, str, Value]] = field(default_factory=list)
    not_followed: dict[tuple[int, str], Place] = field(default_factory=dict)
    budgets: dict[str, float] = field(default_factory=dict)
    origins: set[str] = field(default_factory=set)

"""The table of pydpstat beside other packages: its cells, and what is said beneath it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import table


class Taken(NamedTuple):
    """The seconds of a call.

    Parameters
    ----------
    seconds : float
        On all records.
    part : int
        The call was timed on the records divided by this, and the time multiplied.
    """

    seconds: float
    part: int = 1


@dataclass(frozen=True)
class Compared:
    """A line: a call in every package that has it.

    Parameters
    ----------
    what, size : str
    taken : mapping of str to Taken
        By package, ours first.
    """

    what: str
    size: str
    taken: Mapping[str, Taken]


@dataclass(frozen=True)
class PeerTable:
    """What was measured beside other packages.

    Parameters
    ----------
    versions : mapping of str to str
        Of each package, ours first.
    lines : sequence of Compared
    reasons : sequence of str
        What is missing, and why.
    privacy : mapping of str to str
        What each package's releases keep, where that differs from ours.
    """

    versions: Mapping[str, str] = field(default_factory=dict)
    lines: Sequence[Compared] = ()
    reasons: Sequence[str] = ()
    privacy: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self) | {
            "lines": [
                asdict(line) | {"taken": {name: list(taken) for name, taken in line.taken.items()}}
                for line in self.lines
            ]
        }

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> PeerTable:
        """Return what `to_dict` was made from."""
        lines = [
            Compared(
                line["what"],
                line["size"],
                {name: Taken(*taken) for name, taken in line["taken"].items()},
            )
            for line in found["lines"]
        ]
        return cls(found["versions"], lines, found["reasons"], found["privacy"])

    def cells(self) -> list[list[str]]:
        """Return the head and the lines, as texts."""
        names = list(self.versions)
        head = ["What", "Size", *names]
        return [head, *([line.what, line.size, *_cells(line, names)] for line in self.lines)]

    def right(self) -> list[bool]:
        """Return which columns are aligned on the right."""
        return [False, *(True for _ in self.cells()[0][1:])]

    def caption(self) -> str:
        """Return the packages with their versions."""
        return ", ".join(f"{name} {version}" for name, version in self.versions.items())

    def notes(self) -> list[str]:
        """Return what belongs beneath the table, a sentence each."""
        scaled = any(taken.part > 1 for line in self.lines for taken in line.taken.values())
        mark = "~: timed on a tenth, a hundredth or a thousandth of the records, and multiplied."
        return [
            *([mark] if scaled else []),
            *(f"{name}: {privacy}." for name, privacy in self.privacy.items()),
            *(f"Missing: {reason}." for reason in self.reasons),
        ]


def _cells(line: Compared, names: Sequence[str]) -> list[str]:
    ours = line.taken.get(names[0])
    return [_cell(line.taken.get(name), ours if name != names[0] else None) for name in names]


def _cell(taken: Taken | None, ours: Taken | None) -> str:
    """Return a time, and behind a peer's what part of it ours takes."""
    if taken is None:
        return "-"
    shown = ("~" if taken.part > 1 else "") + table.duration(taken.seconds)
    if not ours:
        return shown
    ratio = ours.seconds / taken.seconds
    return f"{shown} ({ratio:.{'0f' if ratio >= 10.0 else '2g'}})"

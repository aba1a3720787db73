"""Events of an outcome: what an event is, the numbers that events are about, and events of the form."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._outcomes import FACTS, Form
from pydpstat.auditing._sampling import Draws
from pydpstat.results._labels import Labels
from pydpstat.results._report import one_line

PART = 32_768
_LONG = 160
PLAIN = ("the error", "the choice", "the result", "the labels", "nobs", "the noise scale", "the shape")


@dataclass(frozen=True, eq=False)
class Projection:
    """A number computed from an outcome's numbers, with what it is called in sentences.

    Of one that orders outcomes by what they tell, only the tails are events.
    """

    name: str
    of: Callable[[Draws], np.ndarray]
    tails_only: bool = False


def element(name: str, column: int) -> Projection:
    """Return one element of the result."""
    return Projection(name, lambda draws: draws.values[:, column])


def total(name: str, columns: int) -> Projection:
    """Return the sum of the first elements."""
    return Projection(name, lambda draws: draws.values[:, :columns].sum(axis=1))


def length(name: str, columns: int) -> Projection:
    """Return the Euclidean length of the first elements."""

    def of(draws: Draws) -> np.ndarray:
        part = draws.values[:, :columns]
        return np.sqrt(np.einsum("ij,ij->i", part, part))

    return Projection(name, of)


@dataclass(frozen=True, eq=False)
class Event:
    """Something that an outcome is or is not: its family, a sentence, the number that it is about.

    `includes` tells it of such numbers, or of the codes of the forms where there is no number.
    """

    family: str
    words: str
    projection: Projection | None
    includes: Callable[[np.ndarray], np.ndarray]

    def contains(self, draws: Draws) -> np.ndarray:
        """Tell for each outcome whether it is in the event."""
        return self.includes(draws.codes if self.projection is None else self.projection.of(draws))


# an event, and the forecasts of its bound where it is more likely under the data, or under the neighbor
Found = tuple[Event, tuple[float, float]]


def missing(projection: Projection) -> Event:
    """Return the event that a number is missing."""
    return Event("missing", f"{projection.name} is missing (NaN)", projection, np.isnan)


def form_event(words: str, codes: Sequence[int]) -> Event:
    """Return the event that the outcome has one of some forms."""
    return Event("form", words, None, lambda seen: np.isin(seen, codes))


def count(event: Event, draws: Draws) -> int:
    """Count the outcomes in an event, a part at a time so that the parts stay in the cache."""
    return sum(
        int(np.count_nonzero(event.contains(Draws(draws.codes[i : i + PART], draws.values[i : i + PART]))))
        for i in range(0, len(draws), PART)
    )


def number(value: float) -> str:
    """Return a number in as few digits as say it exactly."""
    return f"{value:.0f}" if abs(value) < 1e6 and value == int(value) else repr(float(value))


def form_events(
    first: np.ndarray, second: np.ndarray, forms: list[Form], forecast: Forecast
) -> Iterator[Found]:
    """Yield one event for each value of each fact in which the forms differ."""
    if len(forms) < 2:
        return
    counts = np.array(
        [np.bincount(codes, minlength=len(forms)) for codes in (first, second)], dtype=np.float64
    )
    for words, codes in _groups(forms):
        yield form_event(words, codes), forecast.of(*counts[:, codes].sum(axis=1))


def _groups(forms: list[Form]) -> Iterator[tuple[str, list[int]]]:
    groups: dict[tuple[str, Hashable], list[int]] = {}
    for code, form in enumerate(forms):
        for name, value in zip(FACTS[str(form[0])], form):
            groups.setdefault((name, value), []).append(code)
    # facts that set the same forms apart are one event, told by the fact that says most
    told: set[tuple[int, ...]] = set()
    for name, value in sorted(
        groups, key=lambda fact: PLAIN.index(fact[0]) if fact[0] in PLAIN else len(PLAIN)
    ):
        codes = groups[name, value]
        if len(codes) < len(forms) and tuple(codes) not in told:
            told.add(tuple(codes))
            yield _sentence(name, value), codes


def _sentence(name: str, value: Hashable) -> str:
    if name == "the result's kind":
        return "the call raises an error" if value == "error" else f"the call returns a result ({value})"
    if name.startswith("the error"):
        return one_line(f"the call raises {value}", _LONG)
    if isinstance(value, Labels):
        return f"the labels are {_labels(value)}"
    if name == "the shape":
        return f"the result has shape {value}" if value != () else "the result is one number"
    verb = "are" if name in ("the labels", "the parts", "the bounds") else "is"
    return one_line(f"{name} {verb} {value!r}", _LONG)


def _labels(labels: Labels) -> str:
    if labels.breaks is not None:
        return one_line("the breaks " + " ".join(f"{each:.6g}" for each in labels.breaks), _LONG)
    if labels.dimnames is not None:
        return one_line(" x ".join("(" + ", ".join(levels) + ")" for levels in labels.dimnames), _LONG)
    return one_line(repr(labels.names if labels.names is not None else labels.name), _LONG)

"""Events of the form: errors, shapes, labels, noise scales, words."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._events import Found
from pydpstat.auditing._outcomes import FACTS, Form
from pydpstat.auditing._sampling import Draws
from pydpstat.results._labels import Labels

_LONG = 160
PLAIN = ("the error", "the choice", "the result", "the labels", "nobs", "the noise scale", "the shape")


@dataclass(frozen=True)
class FormEvent:
    """The outcome has one of some forms."""

    words: str
    codes: tuple[int, ...]
    projection: None = None

    def contains(self, draws: Draws) -> np.ndarray:
        """Tell for each outcome whether it is in the event."""
        return np.isin(draws.codes, self.codes)


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
        yield FormEvent(words, tuple(codes)), forecast.of(*counts[:, codes].sum(axis=1))


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
        return _short(f"the call raises {value}")
    if isinstance(value, Labels):
        return f"the labels are {_labels(value)}"
    if name == "the shape":
        return f"the result has shape {value}" if value != () else "the result is one number"
    verb = "are" if name in ("the labels", "the parts", "the bounds") else "is"
    return _short(f"{name} {verb} {value!r}")


def _labels(labels: Labels) -> str:
    if labels.breaks is not None:
        return _short("the breaks " + " ".join(f"{each:.6g}" for each in labels.breaks))
    if labels.dimnames is not None:
        return _short(" x ".join("(" + ", ".join(levels) + ")" for levels in labels.dimnames))
    return _short(repr(labels.names if labels.names is not None else labels.name))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONG else text[: _LONG - 3] + "..."

"""A noisy statistic in its distribution under the null hypothesis, as a picture shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pydpstat.plots._pictures import Head, Null
from pydpstat.results._drawn import Drawn

_BINS, _TAIL = 60, 5e-4
# up to so many values of a discrete statistic have a bin each
_MOST_VALUES = 180
# a bin is not drawn where it would be narrower than this share of the others
_NARROW = 0.3


class Tail(Protocol):
    """The upper tail of a distribution."""

    @property
    def ends(self) -> tuple[float, float]:
        """Return between which values nearly all are."""

    def __call__(self, x: float) -> float:
        """Return the probability of at least x."""


@dataclass(frozen=True, slots=True, eq=False)
class NullDistribution(Drawn):
    """The distribution of a noisy statistic under the null hypothesis.

    Parameters
    ----------
    tail : Tail
        The probability of a value at least as large.
    statistic : float
    highest : float or None
        The distribution is symmetric from 0 to it; None where only large values speak against the hypothesis.
    alternative : str
        Which values are at least as extreme.
    step : float
        The distance between two values of a discrete statistic, and 0 for any other.

    Examples
    --------
    >>> from pydpstat.inference._null_distributions.ranks import NoisyTail, signed_rank_law
    >>> NullDistribution(NoisyTail(signed_rank_law(3, 3), 1.0), 0.9, 1.0).extreme()
    ((-inf, 0.1), (0.9, inf))
    """

    tail: Tail
    statistic: float
    highest: float | None = None
    alternative: str = "two-sided"
    step: float = 0.0

    def extreme(self) -> tuple[tuple[float, float], ...]:
        """Return the ranges of values that are at least as extreme as the statistic."""
        at = self.statistic
        if self.highest is None or self.alternative == "greater":
            return ((at, np.inf),)
        if self.alternative == "less":
            return ((-np.inf, at),)
        low, high = sorted((at, round(self.highest - at, 12)))
        return (-np.inf, low), (high, np.inf)

    def _picture(self, alpha: float) -> Null:
        extreme = self.extreme()
        inner = [each for pair in extreme for each in pair if np.isfinite(each)]
        low, high = min(self._place(1.0 - _TAIL), *inner), max(self._place(_TAIL), *inner)
        room = 0.03 * (high - low)
        low, high = low - room, high + room
        if 0.0 < (high - low) <= _MOST_VALUES * self.step:
            places = self.step * np.arange(np.floor(low / self.step), np.ceil(high / self.step) + 1.0)
            edges = places - 0.5 * self.step
        else:
            edges = np.linspace(low, high, _BINS + 1)
            near = np.abs(edges[:, None] - np.array(inner)).min(axis=1) < _NARROW * (edges[1] - edges[0])
            places = edges = np.unique(np.concatenate([edges[~near], inner]))
        masses = -np.diff([self.tail(each) for each in places.tolist()])
        density, middles = np.maximum(masses, 0.0) / np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
        # a value is in the middle of its bin but for rounding
        slack = 0.25 * self.step
        far = [(first - slack <= middles) & (middles <= last + slack) for first, last in extreme]
        return Null(Head(""), edges, density, self.statistic, np.any(far, axis=0))

    def _place(self, share: float) -> float:
        """Return where this share lies above."""
        low, high = self.tail.ends
        for _ in range(50):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.tail(middle) > share else (low, middle)
        return high

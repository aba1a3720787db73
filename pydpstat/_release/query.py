"""The question that a release answers. It holds the true value, so it never leaves the package."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pydpstat.results._labels import Labels


class Question(NamedTuple):
    """What is asked of the data, without the answer.

    Parameters
    ----------
    statistic : str
        The statistic's name.
    sensitivities : tuple of float or Fraction
        As the query's.
    size : int
        How many elements the value has.
    integer : bool
        Whether they are integers.
    exact : bool
        Whether they were computed exactly.
    """

    statistic: str
    sensitivities: tuple[Any, ...]
    size: int
    integer: bool
    exact: bool


@dataclass(frozen=True, slots=True)
class Query:
    """A statistic's true value with its global sensitivity.

    Parameters
    ----------
    statistic : str
        The statistic's name (``"mean"``).
    value : ndarray of float64
        The true value; 0-d for a number, else in the statistic's own shape. Private.
    sensitivities : tuple of float or Fraction
        One L1 or L2 sensitivity of the whole value, or one for each of its elements, or of the blocks
        that get noise of their own.
    labels : Labels
        Public names of the value's elements.
    integer : bool
        Whether the value is made of integers (then it already lies on any grid).
    nobs : int or None
        Number of records where it is public.
    exact : tuple of Fraction or int, or None
        The value's elements (in Fortran order) as exact rationals, where the statistic was computed
        exactly; the sensitivities are then exact too. `value` holds the same as floats, which only
        a seeded source uses.
    """

    statistic: str
    value: np.ndarray
    sensitivities: tuple[Any, ...]
    labels: Labels
    integer: bool = False
    nobs: int | None = None
    exact: tuple[Fraction | int, ...] | None = None

    @property
    def question(self) -> Question:
        """What is asked, without the answer."""
        return Question(
            self.statistic, self.sensitivities, self.value.size, self.integer, self.exact is not None
        )

    def __repr__(self) -> str:
        return f"Query({self.statistic!r}, value withheld)"

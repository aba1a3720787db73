"""Linear combinations of a regression's coefficients, tested as the coefficients are."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen
from pydpstat.inference._laws import score_tests
from pydpstat.inference._laws.noisy_moments import Block, Forms, NoisyMoments
from pydpstat.inference._laws.score_tests import ScoreTests

Floats = npt.NDArray[np.float64]


class Law(Protocol):
    """What a logistic regression knows of combinations of its scaled coefficients."""

    @property
    def estimate(self) -> Floats:
        """The estimates."""

    def known(self, combination: Floats) -> bool:
        """Tell whether anything can be said of a combination."""

    def deviation(self, combination: Floats) -> float:
        """Return the standard error."""

    def pvalue(self, combination: Floats, value: float) -> float:
        """Return the p-value of a value."""

    def ends(self, combination: Floats, alpha: float) -> tuple[float, float]:
        """Return an interval's ends."""


@dataclass(frozen=True, eq=False)
class LawCombinations(Frozen):
    """Combinations of a logistic regression's coefficients."""

    law: Law
    scaled: Floats

    def of(self, weights: Floats) -> LawCombination:
        """Return a combination of the coefficients in the data's units."""
        return LawCombination(self.law, weights @ self.scaled)


@dataclass(frozen=True, eq=False)
class LawCombination(Frozen):
    """One combination of a logistic regression's coefficients."""

    law: Law
    combination: Floats

    @property
    def estimate(self) -> float:
        """Its estimate."""
        return float(self.combination @ self.law.estimate)

    @property
    def error(self) -> float:
        """Its standard error; infinite if the release is uninformative."""
        known = self.law.known(self.combination)
        return float(self.law.deviation(self.combination)) if known else math.inf

    def pvalue(self, value: float) -> float:
        """Return the two-sided p-value of the hypothesis that it has a value."""
        return float(self.law.pvalue(self.combination, value))

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of its interval."""
        low, high = self.law.ends(self.combination, alpha)
        return float(low), float(high)


class Hidden(NamedTuple):
    """A combination about which the release is uninformative."""

    estimate: float = math.nan
    error: float = math.inf

    def pvalue(self, value: float) -> float:
        """Return 1: no value is rejected."""
        return 1.0

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the whole line."""
        return -math.inf, math.inf


HIDDEN = Hidden()


@dataclass(frozen=True, eq=False)
class MomentCombinations(Frozen):
    """Combinations of the coefficients of a regression by noisy moments."""

    tests: ScoreTests
    places: tuple[int, ...]

    def of(self, weights: Floats) -> MomentCombination | Hidden:
        """Return a combination of the coefficients in the data's units."""
        tests, kept = self.tests, np.array(self.places) >= 0
        if weights[~kept].any():
            return HIDDEN
        weights = weights[kept]
        scaled, shift = weights * tests.units, float(weights @ tests.shifts)
        noisy, width = tests.noisy, len(tests.units)
        units, shifts = np.ones(width), np.zeros(width)
        if scaled[0] != 0.0:
            sign, units[0] = math.copysign(1.0, scaled[0]), abs(scaled[0])
            shifts[0] = sign * shift
            noisy = replace(noisy, origin=noisy.origin + scaled[1:] / scaled[0])
            return MomentCombination(ScoreTests(noisy, units, shifts), 0, sign)
        place = int(np.argmax(np.abs(scaled)))
        # predictors stay between -1 and 1, as tolerances take them to be
        units[place], shifts[place] = abs(scaled[place]), shift
        turned = _turned(noisy, scaled / units[place], place)
        return MomentCombination(ScoreTests(turned, units, shifts), place, 1.0)


def _turned(noisy: NoisyMoments, combination: Floats, place: int) -> NoisyMoments:
    """Return the moments for coefficients of which one is the combination instead."""
    basis = np.eye(len(combination) + 1)
    basis[place, : len(combination)] = -combination / combination[place]
    basis[place, place] = 1.0 / combination[place]
    # the constant stays as it is, and with it what the kinds of blocks rest on
    blocks = tuple(
        Block(each.kind, _forms(each.left, basis), _forms(each.right, basis)) for each in noisy.blocks
    )
    origin = noisy.origin @ basis[1:-1, 1:-1]
    return replace(noisy, matrix=basis.T @ noisy.matrix @ basis, blocks=blocks, origin=origin)


def _forms(forms: Forms, basis: Floats) -> Forms:
    """Return forms of the predictors as those of their combinations."""
    found = []
    for row in forms.rows:
        whole = sum((weight * basis[place] for place, weight in row), np.zeros(len(basis)))
        found.append(tuple((place, float(whole[place])) for place in np.flatnonzero(whole).tolist()))
    return Forms(tuple(found))


@dataclass(frozen=True, eq=False)
class MomentCombination(Frozen):
    """One combination, as a coefficient in another basis."""

    tests: ScoreTests
    place: int
    sign: float

    @property
    def estimate(self) -> float:
        """Its estimate."""
        return self.sign * float(self.tests.estimates()[0][self.place])

    @property
    def error(self) -> float:
        """Its standard error; infinite where the noise hides it."""
        return float(self.tests.estimates()[1][self.place])

    def pvalue(self, value: float) -> float:
        """Return the two-sided p-value of the hypothesis that it has a value."""
        return _pvalue(self, value)

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of its interval; infinite where values however far are not rejected."""
        return _ends(self, alpha)


# a simulation takes a tenth of a second, and results ask for the same numbers again
@lru_cache(maxsize=256)
def _pvalue(part: MomentCombination, value: float) -> float:
    tests, place = part.tests, part.place
    at = (part.sign * value - tests.shifts[place]) / tests.units[place]
    return float(score_tests.pvalues(tests.noisy, np.array([place]), np.array([[at]]))[0, 0])


@lru_cache(maxsize=256)
def _ends(part: MomentCombination, alpha: float) -> tuple[float, float]:
    tests, place = part.tests, part.place
    found = score_tests.ends(tests.noisy, alpha, np.array([place]))[place]
    low, high = (tests.units[place] * found + tests.shifts[place]).tolist()
    return (low, high) if part.sign > 0.0 else (-high, -low)

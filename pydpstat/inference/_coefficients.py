"""Coefficients that the noise hides, and linear combinations of coefficients."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen, frozen
from pydpstat.inference._design import LinearDesign
from pydpstat.inference._null_distributions import score_tests
from pydpstat.inference._null_distributions.noisy_moments import Block, Forms, NoisyMoments
from pydpstat.inference._null_distributions.score_tests import ScoreTests
from pydpstat.inference._predictors import Derived, Predictor, Truths
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.statistics._kernels.levels import Axis, plain
from pydpstat.statistics._kernels.scope import note_unused

if TYPE_CHECKING:
    from pydpstat.inference._null_distributions.cell_logit import CellLogit
    from pydpstat.inference._null_distributions.logistic_equations import WindowedLogit
    from pydpstat.inference._null_distributions.noisy_logit import LogitLaw

    # what a logistic regression knows of combinations of its scaled coefficients
    Law: TypeAlias = CellLogit | LogitLaw | WindowedLogit

# standard deviations of its noise up to which a number of records cannot be told from 0
_FAR = 2.0
# with fewer records the mean of skewed errors is far from normal
_FEW = 30


def hidden_names(names: Sequence[str], errors: Floats) -> str:
    """Return the names of the coefficients whose standard error is infinite."""
    return ", ".join(name for name, error in zip(names, errors.tolist()) if np.isinf(error))


def endless(names: Sequence[str], errors: Floats) -> list[str]:
    """Return the remark on coefficients whose interval has no end on a side."""
    gone = hidden_names(names, errors)
    return (
        [f"Because of the noise, the interval of {gone} is unbounded: there is no estimate."] if gone else []
    )


def empty_levels(
    design: LinearDesign, counts: Floats, sds: Floats, size: float
) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Return which coefficients are of levels that look empty, and a remark for each variable that has
    some.
    """
    found, remarks = np.zeros(counts.size + 1, dtype=bool), []
    looked = list(_looked(design, counts, sds, size))
    gone = {(each.column, code) for each, _, empty in looked for code in np.flatnonzero(empty).tolist()}
    for each, place, empty in looked:
        if isinstance(each, Derived):
            # of a level that looks empty more is said elsewhere
            cells = [not gone.isdisjoint(cell) for cell in each.cells]
            if each.levels is None:
                found[place : place + len(each.names)] = any(cells)
                continue
            found[place : place + len(each.names)] = empty[1:]
            remarks += _remark(each.text, each.levels, empty & ~np.array([True, *cells]), None)
        elif each.levels is not None:
            found[place : place + len(each.names)] = empty[1:]
            counted = None if design.declared else each.levels[each.other]
            if each.added and empty[each.other]:
                # it has no record where all values are levels
                told = f"No records, or too few to tell, have a value that is not a level of {each.text}"
                remarks.append(f"{told}: {each.text} = {counted} has no estimate.")
                empty[each.other] = False
            remarks += _remark(each.text, each.levels, empty, counted)
    return found, remarks


def few_records(design: LinearDesign, counts: Floats, sds: Floats, size: float) -> list[str]:
    """Return the remark on coefficients of levels of few records; the arguments are as in `empty_levels`."""
    found: list[str] = []
    for each, place, empty in _looked(design, counts, sds, size):
        own = counts[place - 1 : place - 1 + len(each.names)]
        few = ~empty & (np.append(size - own.sum(), own) < _FEW) if each.levels is not None else empty
        if few.any():
            found += each.names if few[0] else [name for name, tell in zip(each.names, few[1:]) if tell]
    if not found:
        return []
    return [
        f"The tests of {', '.join(found)} depend on fewer than {_FEW} records of a level: they assume that "
        "errors are close to normal, or that rare errors lead away from the nearer bound of the response."
    ]


def note_empty(design: LinearDesign, counts: Floats, sds: Floats, size: float) -> None:
    """Warn of levels that look empty as misspelled ones do; the arguments are as in `empty_levels`."""
    for each, place, _ in _looked(design, counts, sds, size):
        if design.declared or each.levels is None or isinstance(each, Derived):
            continue
        own, numbers = slice(place - 1, place - 1 + len(each.names)), np.zeros(len(each.levels))
        numbers[1:] = counts[own]
        numbers[0] = size - counts[own].sum()
        known = range(len(each.levels) - each.added)
        axis = Axis(tuple(map(plain, each.levels)), (*known, each.other, -1))
        note_unused(numbers, float(sds[own].max()), [(each.text, axis)])


def _looked(
    design: LinearDesign, counts: Floats, sds: Floats, size: float
) -> Iterator[tuple[Predictor, int, npt.NDArray[np.bool_]]]:
    """Yield each predictor, its first coefficient's place, and which of its levels look empty."""
    place = 1
    for each in design.predictors:
        own = slice(place - 1, place - 1 + len(each.names))
        empty = np.zeros(len(each.levels or ()), dtype=bool)
        if each.levels is not None:
            empty[1:] = counts[own] <= _FAR * sds[own]
            empty[0] = size - counts[own].sum() <= _FAR * np.sqrt(np.square(sds[own]).sum())
        yield each, place, empty
        place += len(each.names)


def empty_responses(design: LinearDesign, ones: float, sd: float, size: float) -> list[str]:
    """Return the remark on levels of the response, of which so many noisy records have the second one.

    It warns of one that looks empty, too.
    """
    levels = None if design.outcome is None else design.outcome.levels
    if levels is None:
        return []
    counted = None if design.declared else levels[0]
    if not design.declared and not isinstance(design.outcome, Truths):
        note_unused(
            [size - ones, ones], sd, [(design.response, Axis(tuple(map(plain, levels)), (0, 1, 0, -1)))]
        )
    return _remark(design.response, levels, np.array([size - ones, ones]) <= _FAR * sd, counted)


def _remark(
    text: str, levels: Sequence[object], empty: npt.NDArray[np.bool_], counted: object | None
) -> list[str]:
    """Return the remark on levels that look empty; `counted` is the level of a value that is none of them."""
    if not empty.any():
        return []
    shown = ", ".join(f"{text} = {level}" for level, each in zip(levels, empty.tolist()) if each)
    told = (
        f"The released numbers of records of {shown} cannot be distinguished from 0: few records "
        "have this level"
    )
    if counted is None:
        return [f"{told}, or none."]
    spelled = "or none, for example because it is misspelled"
    return [f"{told}, {spelled}. A value that is none of the levels counts as {counted}."]


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
class LawCombinations(Frozen):
    """Combinations of a logistic regression's coefficients; `empty` says which levels look empty."""

    law: Law
    scaled: Floats
    empty: tuple[bool, ...] = ()

    def of(self, weights: Floats) -> LawCombination | Hidden:
        """Return a combination of the coefficients in the data's units."""
        if any(gone and weight != 0.0 for gone, weight in zip(self.empty, weights.tolist())):
            return HIDDEN
        found = LawCombination(self.law, weights @ self.scaled)
        return found if found.told else HIDDEN


# the level of the intervals in results: an estimate requires one with an end
_SHOWN = 0.05


@dataclass(frozen=True, eq=False)
class LawCombination(Frozen):
    """One combination of a logistic regression's coefficients.

    Estimate, standard error, intervals and p-values are either all available or all missing. The p-value of a
    value inside the 95 % interval is at least 0.05.
    """

    law: Law
    combination: Floats

    @cached_property
    def told(self) -> bool:
        """Whether there is an estimate with a standard error, and an interval with an end."""
        law, own = self.law, self.combination
        if law.limited or not law.known(own) or not math.isfinite(self.error):
            return False
        return any(map(math.isfinite, self._shown))

    @cached_property
    def _shown(self) -> tuple[float, float]:
        """The ends of the 95 % interval."""
        low, high = self.law.ends(self.combination, _SHOWN)
        return float(low), float(high)

    @property
    def estimate(self) -> float:
        """Its estimate."""
        return float(self.combination @ self.law.estimate)

    @cached_property
    def error(self) -> float:
        """Its standard error; infinite if the release is uninformative."""
        return float(self.law.deviation(self.combination))

    def pvalue(self, value: float) -> float:
        """Return the two-sided p-value of the hypothesis that it has a value."""
        own, (low, high) = float(self.law.pvalue(self.combination, value)), self._shown
        # p-values may fall and rise again, and the interval has all values in between
        return max(own, _SHOWN) if low < value < high else own

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of its interval."""
        low, high = self._shown if alpha == _SHOWN else self.law.ends(self.combination, alpha)
        return float(low), float(high)


@dataclass(frozen=True, eq=False)
class MomentCombinations(Frozen):
    """Combinations of the coefficients of a regression by noisy moments.

    A combination is a coefficient in another basis: with b = B t, where t has the combination among its
    elements, the predictors' matrix X becomes X B, and the noisy moments A become P' A P with P = diag(1, B,
    1). Noise E becomes P' E P, whose distribution is known as well. So the score test of a combination is
    that of a coefficient. One with the constant needs no other basis: b_0 + o'b is the mean response where
    the predictors are o, which is the constant for another origin.
    """

    tests: ScoreTests

    def of(self, weights: Floats) -> MomentCombination:
        """Return a combination of the coefficients in the data's units."""
        tests = self.tests
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
    # the forms of levels are rewritten for the combinations of predictors
    inner = np.eye(len(combination))
    inner[place] = combination
    partitions = tuple(frozen(each @ inner.T) for each in noisy.partitions)
    return replace(
        noisy, matrix=basis.T @ noisy.matrix @ basis, blocks=blocks, origin=origin, partitions=partitions
    )


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

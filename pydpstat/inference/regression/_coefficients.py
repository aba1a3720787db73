"""Linear combinations of coefficients, and remarks on coefficients about which a release is uninformative."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._null_distributions.regression import score_tests
from pydpstat._null_distributions.regression.noisy_moments import LinearForms, MomentBlock, NoisyMoments
from pydpstat._null_distributions.regression.score_tests import ScoreTests
from pydpstat._records.groups import warn_unused_levels
from pydpstat._records.levels import LevelAxis, convert_to_plain_level
from pydpstat.inference.regression._design import RegressionDesign
from pydpstat.inference.regression._predictors import BooleanResponse, DerivedPredictor, Predictor
from pydpstat.r_arithmetic.elementary import Floats

if TYPE_CHECKING:
    from pydpstat._null_distributions.logistic.cell_logit import CellLogit
    from pydpstat._null_distributions.logistic.logistic_equations import WindowedLogit
    from pydpstat._null_distributions.logistic.noisy_logit import LogitInference

    # inference for combinations of the scaled coefficients of a logistic regression
    CoefficientInference: TypeAlias = CellLogit | LogitInference | WindowedLogit

# largest noisy number of records, in standard deviations of its noise, at which a level looks empty
_EMPTY_LEVEL_SDS = 2.0
# number of records below which the mean of skewed errors is far from normal
_MIN_LEVEL_RECORDS = 30


def collect_hidden_coefficients(names: Sequence[str], errors: Floats) -> str:
    """Return the names, joined by commas, of the coefficients with an infinite standard error."""
    return ", ".join(name for name, error in zip(names, errors.tolist()) if np.isinf(error))


def describe_unbounded_intervals(names: Sequence[str], errors: Floats) -> list[str]:
    """Return a remark on coefficients with an unbounded interval, if any."""
    hidden = collect_hidden_coefficients(names, errors)
    return [f"Because of the noise, the interval of {hidden} is unbounded: there is no estimate."] if hidden else []


def find_empty_levels(
    design: RegressionDesign, counts: Floats, sds: Floats, size: float
) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Return a mask of the coefficients of levels that look empty, and remarks on these levels by variable.

    `counts` are noisy numbers of records for each coefficient but the constant, and `sds` the standard deviations of
    their noise.
    """
    is_empty, remarks = np.zeros(counts.size + 1, dtype=bool), []
    looked = list(_iterate_empty_levels(design, counts, sds, size))
    empty_cells = {
        (predictor.column, code) for predictor, _, empty in looked for code in np.flatnonzero(empty).tolist()
    }
    for predictor, index, empty in looked:
        if isinstance(predictor, DerivedPredictor):
            # levels that look empty have their own remark
            cells = [not empty_cells.isdisjoint(cell) for cell in predictor.cells]
            if predictor.levels is None:
                is_empty[index : index + len(predictor.names)] = any(cells)
                continue
            is_empty[index : index + len(predictor.names)] = empty[1:]
            remarks += _describe_empty_levels(predictor.text, predictor.levels, empty & ~np.array([True, *cells]), None)
        elif predictor.levels is not None:
            is_empty[index : index + len(predictor.names)] = empty[1:]
            counted = None if design.declared else predictor.levels[predictor.default_code]
            if predictor.has_other_level and empty[predictor.default_code]:
                # the level `other` is empty if all values are levels
                sentence = f"No records, or too few to tell, have a value that is not a level of {predictor.text}"
                remarks.append(f"{sentence}: {predictor.text} = {counted} has no estimate.")
                empty[predictor.default_code] = False
            remarks += _describe_empty_levels(predictor.text, predictor.levels, empty, counted)
    return is_empty, remarks


def describe_small_levels(design: RegressionDesign, counts: Floats, sds: Floats, size: float) -> list[str]:
    """Return a remark on coefficients of levels with few records; the arguments are as in `find_empty_levels`."""
    names: list[str] = []
    for predictor, index, empty in _iterate_empty_levels(design, counts, sds, size):
        level_counts = counts[index - 1 : index - 1 + len(predictor.names)]
        few = (
            ~empty & (np.append(size - level_counts.sum(), level_counts) < _MIN_LEVEL_RECORDS)
            if predictor.levels is not None
            else empty
        )
        if few.any():
            names += predictor.names if few[0] else [name for name, tell in zip(predictor.names, few[1:]) if tell]
    if not names:
        return []
    return [
        f"The tests of {', '.join(names)} depend on fewer than {_MIN_LEVEL_RECORDS} records of a level: they assume "
        "that errors are close to normal, or that rare errors lead away from the nearer bound of the response."
    ]


def warn_empty_levels(design: RegressionDesign, counts: Floats, sds: Floats, size: float) -> None:
    """Warn of levels that look empty and may be misspelled; the arguments are as in `find_empty_levels`."""
    for predictor, index, _ in _iterate_empty_levels(design, counts, sds, size):
        if design.declared or predictor.levels is None or isinstance(predictor, DerivedPredictor):
            continue
        level_indices, numbers = slice(index - 1, index - 1 + len(predictor.names)), np.zeros(len(predictor.levels))
        numbers[1:] = counts[level_indices]
        numbers[0] = size - counts[level_indices].sum()
        positions = range(len(predictor.levels) - predictor.has_other_level)
        axis = LevelAxis(tuple(map(convert_to_plain_level, predictor.levels)), (*positions, predictor.default_code, -1))
        warn_unused_levels(numbers, float(sds[level_indices].max()), [(predictor.text, axis)])


def _iterate_empty_levels(
    design: RegressionDesign, counts: Floats, sds: Floats, size: float
) -> Iterator[tuple[Predictor, int, npt.NDArray[np.bool_]]]:
    """Yield each predictor, the index of its first coefficient, and a mask of its levels that look empty."""
    index = 1
    for predictor in design.predictors:
        level_indices = slice(index - 1, index - 1 + len(predictor.names))
        empty = np.zeros(len(predictor.levels or ()), dtype=bool)
        if predictor.levels is not None:
            empty[1:] = counts[level_indices] <= _EMPTY_LEVEL_SDS * sds[level_indices]
            empty[0] = size - counts[level_indices].sum() <= _EMPTY_LEVEL_SDS * np.sqrt(
                np.square(sds[level_indices]).sum()
            )
        yield predictor, index, empty
        index += len(predictor.names)


def describe_empty_responses(design: RegressionDesign, ones: float, sd: float, size: float) -> list[str]:
    """Return a remark on levels of the response that look empty, and warn of them.

    `ones` is the noisy number of records with the second level, and `sd` the standard deviation of its noise.
    """
    levels = None if design.binary_response is None else design.binary_response.levels
    if levels is None:
        return []
    counted = None if design.declared else levels[0]
    if not design.declared and not isinstance(design.binary_response, BooleanResponse):
        warn_unused_levels(
            [size - ones, ones],
            sd,
            [(design.response, LevelAxis(tuple(map(convert_to_plain_level, levels)), (0, 1, 0, -1)))],
        )
    return _describe_empty_levels(
        design.response, levels, np.array([size - ones, ones]) <= _EMPTY_LEVEL_SDS * sd, counted
    )


def _describe_empty_levels(
    text: str, levels: Sequence[object], empty: npt.NDArray[np.bool_], default_level: object | None
) -> list[str]:
    """Return a remark on levels that look empty; `default_level` is the level of values outside the levels."""
    if not empty.any():
        return []
    shown = ", ".join(f"{text} = {level}" for level, looks_empty in zip(levels, empty.tolist()) if looks_empty)
    sentence = f"The released numbers of records of {shown} cannot be distinguished from 0: few records have this level"
    if default_level is None:
        return [f"{sentence}, or none."]
    spelled = "or none, for example because it is misspelled"
    return [f"{sentence}, {spelled}. A value that is none of the levels counts as {default_level}."]


class UninformativeCombination(NamedTuple):
    """Combination of coefficients about which the release is uninformative."""

    estimate: float = math.nan
    standard_error: float = math.inf

    def compute_pvalue(self, value: float) -> float:
        """Return 1: no value is rejected."""
        return 1.0

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return infinite limits."""
        return -math.inf, math.inf


UNINFORMATIVE_COMBINATION = UninformativeCombination()


@dataclass(frozen=True, eq=False)
class LogitCombinations(ReadOnlyArrays):
    """Combinations of the coefficients of a logistic regression; `empty` marks those of levels that look empty."""

    inference: CoefficientInference
    scaled: Floats
    empty: tuple[bool, ...] = ()

    def make_combination(self, weights: Floats) -> LogitCombination | UninformativeCombination:
        """Return a combination of the coefficients, with weights in the units of the data."""
        if any(is_empty and weight != 0.0 for is_empty, weight in zip(self.empty, weights.tolist())):
            return UNINFORMATIVE_COMBINATION
        combination = LogitCombination(self.inference, weights @ self.scaled)
        return combination if combination.is_informative else UNINFORMATIVE_COMBINATION


# alpha of the intervals in results; an estimate requires that one of its limits is finite
_DEFAULT_ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class LogitCombination(ReadOnlyArrays):
    """Linear combination of the coefficients of a logistic regression.

    Estimate, standard error, intervals and p-values are either all available or all missing. The p-value of a
    value inside the 95 % interval is at least 0.05.
    """

    inference: CoefficientInference
    combination: Floats

    @cached_property
    def is_informative(self) -> bool:
        """Whether there are an estimate, a finite standard error and an interval with a finite limit."""
        inference, combination = self.inference, self.combination
        if inference.is_limited or not inference.is_identified(combination) or not math.isfinite(self.standard_error):
            return False
        return any(map(math.isfinite, self._default_limits))

    @cached_property
    def _default_limits(self) -> tuple[float, float]:
        """Limits of the 95 % interval."""
        low, high = self.inference.compute_limits(self.combination, _DEFAULT_ALPHA)
        return float(low), float(high)

    @property
    def estimate(self) -> float:
        """Estimate of the combination."""
        return float(self.combination @ self.inference.estimate)

    @cached_property
    def standard_error(self) -> float:
        """Standard error of the estimate; infinite if the release is uninformative."""
        return float(self.inference.compute_standard_error(self.combination))

    def compute_pvalue(self, value: float) -> float:
        """Return the two-sided p-value of the hypothesis that the combination equals `value`."""
        pvalue, (low, high) = float(self.inference.compute_pvalue(self.combination, value)), self._default_limits
        # the p-value need not be unimodal, and the interval includes all values between its limits
        return max(pvalue, _DEFAULT_ALPHA) if low < value < high else pvalue

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the confidence interval."""
        low, high = (
            self._default_limits if alpha == _DEFAULT_ALPHA else self.inference.compute_limits(self.combination, alpha)
        )
        return float(low), float(high)


@dataclass(frozen=True, eq=False)
class MomentCombinations(ReadOnlyArrays):
    """Combinations of the coefficients of a regression by noisy moments.

    A combination is a coefficient in another basis: with b = B t, where t has the combination among its
    elements, the matrix of predictors X becomes X B, and the noisy moments A become P' A P with P = diag(1, B,
    1). Noise E becomes P' E P, whose distribution is also known. So the score test of a combination is
    that of a coefficient. A combination that includes the constant needs no other basis: b_0 + o'b is the mean response
    at predictors o, which is the constant for another origin.
    """

    tests: ScoreTests

    def make_combination(self, weights: Floats) -> MomentCombination:
        """Return a combination of the coefficients, with weights in the units of the data."""
        tests = self.tests
        scaled, shift = weights * tests.units, float(weights @ tests.shifts)
        noisy, width = tests.noisy, len(tests.units)
        units, shifts = np.ones(width), np.zeros(width)
        if scaled[0] != 0.0:
            sign, units[0] = math.copysign(1.0, scaled[0]), abs(scaled[0])
            shifts[0] = sign * shift
            noisy = replace(noisy, origin=noisy.origin + scaled[1:] / scaled[0])
            return MomentCombination(ScoreTests(noisy, units, shifts), 0, sign)
        index = int(np.argmax(np.abs(scaled)))
        # predictors remain between -1 and 1, which tolerances assume
        units[index], shifts[index] = abs(scaled[index]), shift
        turned = _transform_basis(noisy, scaled / units[index], index)
        return MomentCombination(ScoreTests(turned, units, shifts), index, 1.0)


def _transform_basis(noisy: NoisyMoments, combination: Floats, index: int) -> NoisyMoments:
    """Return the moments in a basis where one coefficient is replaced by the combination."""
    basis = np.eye(len(combination) + 1)
    basis[index, : len(combination)] = -combination / combination[index]
    basis[index, index] = 1.0 / combination[index]
    # the constant is unchanged, as the kinds of blocks require
    blocks = tuple(
        MomentBlock(block.kind, _transform_forms(block.left, basis), _transform_forms(block.right, basis))
        for block in noisy.blocks
    )
    origin = noisy.origin @ basis[1:-1, 1:-1]
    # forms of levels are expressed in the transformed predictors
    inner = np.eye(len(combination))
    inner[index] = combination
    partitions = tuple(freeze_array(partition @ inner.T) for partition in noisy.partitions)
    return replace(noisy, matrix=basis.T @ noisy.matrix @ basis, blocks=blocks, origin=origin, partitions=partitions)


def _transform_forms(forms: LinearForms, basis: Floats) -> LinearForms:
    """Express forms of the predictors as forms of their combinations."""
    rows = []
    for row in forms.rows:
        coefficients = sum((weight * basis[index] for index, weight in row), np.zeros(len(basis)))
        rows.append(tuple((index, float(coefficients[index])) for index in np.flatnonzero(coefficients).tolist()))
    return LinearForms(tuple(rows))


@dataclass(frozen=True, eq=False)
class MomentCombination(ReadOnlyArrays):
    """Combination of coefficients, represented as a coefficient in another basis."""

    tests: ScoreTests
    index: int
    sign: float

    @property
    def estimate(self) -> float:
        """Estimate of the combination."""
        return self.sign * float(self.tests.compute_estimates()[0][self.index])

    @property
    def standard_error(self) -> float:
        """Standard error of the estimate; infinite if the release is uninformative."""
        return float(self.tests.compute_estimates()[1][self.index])

    def compute_pvalue(self, value: float) -> float:
        """Return the two-sided p-value of the hypothesis that the combination equals `value`."""
        return _compute_pvalue(self, value)

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the confidence interval; infinite if no distant value is rejected."""
        return _compute_limits(self, alpha)


# cached: a simulation takes a tenth of a second, and results use the same values repeatedly
@lru_cache(maxsize=256)
def _compute_pvalue(combination: MomentCombination, value: float) -> float:
    tests, index = combination.tests, combination.index
    at = (combination.sign * value - tests.shifts[index]) / tests.units[index]
    return float(score_tests.compute_score_pvalues(tests.noisy, np.array([index]), np.array([[at]]))[0, 0])


@lru_cache(maxsize=256)
def _compute_limits(combination: MomentCombination, alpha: float) -> tuple[float, float]:
    tests, index = combination.tests, combination.index
    limits = score_tests.compute_score_limits(tests.noisy, alpha, np.array([index]))[index]
    low, high = (tests.units[index] * limits + tests.shifts[index]).tolist()
    return (low, high) if combination.sign > 0.0 else (-high, -low)

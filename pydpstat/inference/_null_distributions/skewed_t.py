"""The t test of one mean from noisy sums of records, squares and cubes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.inference._null_distributions.mean_differences import deeper
from pydpstat.inference._null_distributions.noisy_t import (
    NoisySums,
    NoisyTInterval,
    NullLaw,
    Row,
    null_law,
    sizes,
)
from pydpstat.inference._null_distributions.noisy_welch import mean_above
from pydpstat.inference._null_distributions.simulation import DOWN, POWER, UP
from pydpstat.inference._null_distributions.skewed_shapes import (
    DOWNWARDS,
    SHARES,
    UPWARDS,
    Centered,
    Draws,
    correct_for_skewness,
    cube_about_mean,
    distance_to_bound,
    draws_of,
    shape_moments,
    shape_sums,
)
from pydpstat.r_arithmetic.elementary import Floats

Flags = npt.NDArray[np.bool_]
SIDES = (UPWARDS, DOWNWARDS)
# the probability that the true variance and shape are left out, and that for small p-values
LEFT_OUT, LEAST_LEFT_OUT = 0.002, 2e-7
# the number of weighted draws is 2 to this power
_FAR_POWER = 12
# an estimated skewness is shrunk by this multiple of the cubes' noise
_SHRUNK = 2.0
# the share of an estimated skewness that is removed, and the multiple of its standard error by which it is
# shrunk: for a normal sample almost nothing is removed
_TAKEN, _ERRORS = 0.7, 2.0
# largest ratio of successive variances, unless that takes more than so many of them
_RATIO, _MOST = 1.1, 31
# standard deviations and noise scales beyond which there are almost no draws, and the number of records at
# the bound that a long upper tail allows for
_NEAR_REACH, _FAR_REACH = (4.5, 9.0, 5.0), (6.0, 18.0, 15.0)
# largest slack at a jump of the distribution, as shares of the distance and of the number of rare records
_GROWTH, _PART = 0.12, 0.04
_TINY = 1e-300


@dataclass(frozen=True)
class SkewedLaw:
    """The distribution of a t statistic that allows for skewness, about a hypothetical mean.

    W, Q and C are the noisy sums of the distances from the mean, of their squares and of their cubes. The
    statistic is ``T + k / 6 + k T^2 / 3 + k^2 T^3 / 27``, where T is that of `NullLaw` and k a part of the
    skewness of W that the sums show: the sum of cubes about the sample's mean over ``(Q + var)^1.5``, shrunk
    by the noise and by its error in a normal sample. Its p-value is the largest over variances and shapes
    (`shape_sums`) that the release leaves possible: those for which neither q nor ``E = q - c / far`` is too
    small or too large, each with probability g / 4; q and c are Q and C about the sample's mean. Records at
    the bound, at a distance `far`, contribute almost nothing to E, which therefore estimates the variance of
    the others even if the sample has no record there.
    """

    law: NullLaw
    third_noise: Row
    far: bool = False

    @cached_property
    def draws(self) -> Draws:
        """Return the reference draws."""
        power = _FAR_POWER if self.far else POWER
        return draws_of(self.law.n, self.law.law, len(self.third_noise), power, far=self.far)

    @cached_property
    def noises(self) -> Centered:
        """Return the noises of W, Q and C at the draws."""
        rows = self.law.first_noise, self.law.second_noise, self.third_noise
        return Centered(*(np.array(row) @ self.draws.noises for row in rows))

    @property
    def third_sd(self) -> float:
        """The standard deviation of the noise of C."""
        return math.sqrt(2.0) * float(np.linalg.norm(self.third_noise))

    def drawn(self, variance: float, side: float, share: float) -> Centered:
        """Return the sums of records of a shape, with noise."""
        law = self.law
        exact = shape_sums(self.draws, law.n, law.mean, variance, side, share)
        return Centered(*(sums + noise for sums, noise in zip(exact, self.noises)))

    def weights(self, share: float) -> Floats | None:
        """Return the weights of the draws for records of a shape; None where all are 1."""
        if not self.far:
            return None
        normal, rare, noise = self.draws.weights
        return noise * (normal if share < 1.0 else 1.0) * (rare if share > 0.0 else 1.0)

    def statistic(self, sums: Centered, variance: float) -> Floats:
        """Return the statistic of sums under a variance."""
        n, mean = self.law.n, self.law.mean
        square = np.maximum(sums.second, self.law.least(variance))
        whole = square + self.law.spread
        most = (1.0 + abs(mean)) * square
        cube = np.clip(cube_about_mean(n, sums), -most, most)
        skewness = cube / (whole**1.5 + _SHRUNK * self.third_sd)
        square = skewness * skewness
        skewness = _TAKEN * skewness * square / (square + (_ERRORS * math.sqrt(6.0) / n) ** 2)
        return correct_for_skewness(sums.first / np.sqrt(whole), skewness)

    def about_sample(self, sums: Centered, side: float) -> tuple[Floats, Floats]:
        """Return the sum of squares about the sample's mean, and E, without records at a bound."""
        square = sums.second - sums.first * sums.first / self.law.n
        return square, square - cube_about_mean(self.law.n, sums) * (
            side / distance_to_bound(self.law.mean, side)
        )

    def reach(self, side: float) -> tuple[float, float]:
        """Return the scales of the noises of Q and E."""
        second, third = np.array(self.law.second_noise), np.array(self.third_noise)
        usual = second - third * (side / distance_to_bound(self.law.mean, side))
        return float(np.linalg.norm(second)), float(np.linalg.norm(usual))

    def steps(self, side: float) -> list[tuple[float, float]]:
        """Return the variances of `NullLaw.steps`, with slacks of at most a step."""
        n, far = self.law.n, distance_to_bound(self.law.mean, side)
        found = []
        for variance, slack in self.law.steps(UP if side > 0.0 else DOWN):
            most = max(_GROWTH * far, _PART * n * variance / far)
            found.append((variance, min(max(slack, -most), most)))
        return found


def skewed_law(known: NoisySums, mean: float, n: int, far: bool = False) -> SkewedLaw:
    """Return the distribution for n records with a hypothetical mean."""
    assert known.third is not None
    count, first, second = (np.array(row) for row in known.noise)
    third = np.array(known.third.noise) - 3.0 * mean * second + 3.0 * mean**2 * first - mean**3 * count
    return SkewedLaw(null_law(known, mean, n), tuple(third.tolist()), far)


def sums_about(known: NoisySums, mean: float) -> Centered:
    """Return the noisy sums about a hypothetical mean."""
    assert known.third is not None
    size, first, second = known.sums
    third = known.third.value - 3.0 * mean * second + 3.0 * mean**2 * first - mean**3 * size
    return Centered(
        np.asarray(first - mean * size),
        np.asarray(second - 2.0 * mean * first + mean * mean * size),
        np.asarray(third),
    )


class Beyond(NamedTuple):
    """Whether Q and E of a release are too large or too small for shapes (rows) and variances."""

    above: Flags
    below: Flags
    usual_above: Flags
    usual_below: Flags

    def kept(self) -> Flags:
        """Return which are possible, given that the truth may lie between two shares or variances.

        E decreases with the share, and both increase with the variance.
        """
        more, less = np.arange(1, self.above.shape[1] + 1), np.arange(-1, self.above.shape[1] - 1)
        more, less = np.minimum(more, more.size - 1), np.maximum(less, 0)
        rows = np.arange(self.above.shape[0])
        rarer, others = np.maximum(rows - 1, 0), np.minimum(rows + 1, rows.size - 1)
        out = self.above[:, more] | self.below[:, less]
        out |= self.usual_above[rarer][:, more] | self.usual_below[others][:, less]
        return np.asarray(~out)


def compare_moments(law: SkewedLaw, seen: Centered, variances: Floats, side: float) -> Beyond:
    """Compare shapes and variances with a release by the moments of records alone.

    Several releases are along the last axis.
    """
    n, far = law.law.n, distance_to_bound(law.law.mean, side)
    moments = shape_moments(law.law.mean, variances, side)
    noise, usual_noise = law.reach(side)
    square, usual = law.about_sample(seen, side)
    deviations, scales, squares = _FAR_REACH if law.far else _NEAR_REACH
    means, spreads = [], []
    for mean, variance, reach in (
        (moments.square, moments.square_variance, noise),
        (moments.usual, moments.usual_variance, usual_noise),
    ):
        # the term of the sample's mean is of the order of a record's square
        ends = n * mean, np.sqrt(deviations**2 * n * variance + (scales * reach) ** 2) + 6.0 * moments.square
        middle, spread = (each if np.ndim(square) == 0 else each[..., None] for each in ends)
        means.append(middle)
        spreads.append(spread)
    return Beyond(
        square > means[0] + spreads[0] + squares * far * far,
        square < means[0] - spreads[0],
        usual > means[1] + spreads[1],
        usual < means[1] - spreads[1],
    )


def variances_for(law: SkewedLaw, seen: Centered) -> Floats:
    """Return a fine grid of the variances that the release may leave possible."""
    coarse = law.law.variances()
    if coarse.size < 2:
        return coarse
    some = np.flatnonzero(
        np.any([compare_moments(law, seen, coarse, s).kept().any(axis=0) for s in SIDES], axis=0)
    )
    first, last = (max(some[0] - 1, 0), min(some[-1] + 1, coarse.size - 1)) if some.size else (0, -1)
    low, high = float(coarse[max(first, 1)]), float(coarse[last])
    points = min(max(math.ceil(math.log(max(high / low, 1.0)) / math.log(_RATIO)), 4), _MOST)
    fine = np.geomspace(low, max(high, low), points + 1)
    return np.append(0.0, fine) if first == 0 else fine


class _Seen:
    """Comparisons of a release with the draws of the shapes on one side and of variances."""

    def __init__(self, law: SkewedLaw, seen: Centered, variances: Floats, side: float, left_out: float):
        self.law, self.seen, self.variances, self.side = law, seen, variances, side
        self.tail = 0.25 * left_out
        self.beyond = compare_moments(law, seen, variances, side)
        self._drawn: dict[tuple[int, int], Centered] = {}
        for row, column in np.argwhere(self.beyond.kept()).tolist():
            self._compare(row, column)
        self.kept = self.beyond.kept()

    def drawn(self, row: int, column: int) -> Centered:
        """Return the draws of a shape and variance."""
        if (row, column) not in self._drawn:
            variance, share = float(self.variances[column]), SHARES[row]
            self._drawn[row, column] = self.law.drawn(variance, self.side, share)
        return self._drawn[row, column]

    def _compare(self, row: int, column: int) -> None:
        sums, weights = self.drawn(row, column), self.law.weights(SHARES[row])
        values, ours = (self.law.about_sample(each, self.side) for each in (sums, self.seen))
        for (above, below), each, own in zip((self.beyond[:2], self.beyond[2:]), values, ours):
            at_least = each >= own
            above[row, column] = _chance(at_least, weights) <= self.tail
            below[row, column] = _chance(~at_least, weights) <= self.tail


def _chance(found: Flags, weights: Floats | None) -> float:
    """Return the share of the draws; for weighted ones, plus two standard errors."""
    return np.count_nonzero(found) / found.size if weights is None else mean_above(found * weights)


def _nearest(law: SkewedLaw, seen: Centered, variances: Floats, side: float) -> list[tuple[int, int]]:
    """Return the variance that fits the release best for each share, if one fits."""
    n, moments = law.law.n, shape_moments(law.law.mean, variances, side)
    square, usual = law.about_sample(seen, side)
    noise, usual_noise = law.reach(side)
    apart = (square - n * moments.square) ** 2 / (n * moments.square_variance + 2.0 * noise**2 + _TINY)
    apart += (usual - n * moments.usual) ** 2 / (n * moments.usual_variance + 2.0 * usual_noise**2 + _TINY)
    best = apart.argmin(axis=1)
    return [(row, int(column)) for row, column in enumerate(best) if apart[row, column] < 1.0]


def _extreme(
    law: SkewedLaw,
    seen: Centered,
    sums: Centered,
    variance: float,
    weights: Floats | None,
    alternative: str,
) -> float:
    """Return the probability of a statistic as extreme as the observed one."""
    observed, drawn = law.statistic(seen, variance), law.statistic(sums, variance)
    if alternative == "two-sided":
        extreme = np.abs(drawn) >= abs(observed)
    else:
        extreme = drawn >= observed if alternative == "greater" else drawn <= observed
    if weights is None:
        return (1 + int(np.count_nonzero(extreme))) / (extreme.size + 1)
    return mean_above(extreme * weights)


def find_largest_share(
    law: SkewedLaw, seen: Centered, alternative: str, left_out: float, enough: float = 2.0
) -> float:
    """Return the largest probability of an extreme statistic over possible variances and shapes.

    The search ends at a probability above `enough`.
    """
    variances = variances_for(law, seen)
    if enough < 1.0:
        # a variance that is certainly possible may be enough
        for side in SIDES:
            for row, column in _nearest(law, seen, variances, side):
                variance, share_of = float(variances[column]), SHARES[row]
                sums, weights = law.drawn(variance, side, share_of), law.weights(share_of)
                if (found := _extreme(law, seen, sums, variance, weights, alternative)) > enough:
                    return found
    both = [_Seen(law, seen, variances, side, left_out) for side in SIDES]
    # the normal shape has no side: it counts once
    both[0].kept[0] &= both[1].kept[0]
    both[1].kept[0] = False
    most = 0.0

    for each in both:
        for row, column in np.argwhere(each.kept).tolist():
            variance, weights = float(variances[column]), law.weights(SHARES[row])
            sums = each.drawn(row, column)
            most = max(most, _extreme(law, seen, sums, variance, weights, alternative))
            if most > enough:
                return most
    for each in both:
        columns = np.flatnonzero(each.kept[-1])
        if columns.size == 0:
            continue
        low, high = float(variances[columns[0]]), float(variances[columns[-1]])
        for variance, slack in law.steps(each.side):
            if low <= variance <= high and most <= enough:
                first, second, third = law.drawn(variance, each.side, 1.0)
                moved = Centered(first + slack * (second < law.law.least(variance)), second, third)
                most = max(most, _extreme(law, seen, moved, variance, law.weights(1.0), alternative))
    return most


def skewed_pvalue(known: NoisySums, mean: float, alternative: str = "two-sided") -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical mean."""
    found, outside = sizes(known)
    law, seen = skewed_law(known, mean, found[0]), sums_about(known, mean)
    statistic = float(law.statistic(seen, 0.0))
    return statistic, _pvalue(known, mean, alternative, 2.0)


def _pvalue(
    known: NoisySums, mean: float, alternative: str, enough: float, seen: Centered | None = None
) -> float:
    """Return a p-value; one above `enough` is only known to be at least what is returned."""
    found, outside = sizes(known)
    seen, left_out = sums_about(known, mean) if seen is None else seen, LEFT_OUT + outside
    share, limit = 0.0, max(enough, 2.0 * left_out) - left_out
    for n in found:
        share = max(share, find_largest_share(skewed_law(known, mean, n), seen, alternative, LEFT_OUT, limit))
        if share > limit:
            break
    first = min(1.0, left_out + share)
    if first > 2.0 * left_out:
        return first
    found, outside = sizes(known, LEAST_LEFT_OUT)
    share = 0.0
    # every second of many possible numbers
    for n in sorted({*found[::2], found[-1]}):
        law = skewed_law(known, mean, n, far=True)
        share = max(share, find_largest_share(law, seen, alternative, LEAST_LEFT_OUT, left_out))
    return deeper(first, left_out, LEAST_LEFT_OUT + outside + share)


@dataclass(frozen=True)
class SkewedTInterval(NoisyTInterval):
    """The means that the t test with a sum of cubes does not reject, in the data's unit."""

    def _square(self, law: NullLaw, mean: float) -> float:
        return float(sums_about(self.known, mean).second)

    def _pvalues(self, alpha: float) -> Callable[[float], float]:
        size, first, _ = self.known.sums
        reach = max(size, 1.0)
        # a sum far beyond what records can add up to would reject every mean
        cut = min(max(first, -reach), reach)

        def at(mean: float) -> float:
            seen = sums_about(self.known, mean)._replace(first=np.asarray(cut - mean * size))
            return _pvalue(self.known, mean, self.alternative, alpha, seen)

        return at

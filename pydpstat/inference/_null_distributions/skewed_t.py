"""The t test of one mean from noisy sums of records, squares and cubes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pydpstat._frozen import frozen
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
# an estimated skewness is shrunk by this multiple of the cubes' noise
_SHRUNK = 2.0
# the share of an estimated skewness that is removed, and the multiple of its standard error by which it is
# shrunk: for a normal sample almost nothing is removed
_TAKEN, _ERRORS = 0.7, 2.0
# largest ratio of successive variances, unless that takes more than so many of them
_RATIO, _MOST = 1.1, 31
# the number of variances at which a shape is drawn
_POINTS = 5
# largest slack at a jump of the distribution, as shares of the distance and of the number of rare records
_GROWTH, _PART = 0.12, 0.04
_TINY = 1e-300


class Among(NamedTuple):
    """A group's place among several with independent draws, and how many draws: 2 to a power."""

    place: int
    groups: int
    power: int
    far_power: int


ALONE = Among(0, 1, POWER, 12)


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
    among: Among = ALONE

    @cached_property
    def draws(self) -> Draws:
        """Return the reference draws."""
        power = self.among.far_power if self.far else self.among.power
        where = self.among.place, self.among.groups
        return draws_of(self.law.n, self.law.law, len(self.third_noise), power, *where, far=self.far)

    @cached_property
    def noises(self) -> Centered:
        """Return the noises of W, Q and C at the draws."""
        rows = self.law.first_noise, self.law.second_noise, self.third_noise
        return Centered(*(frozen(np.array(row) @ self.draws.noises) for row in rows))

    @cached_property
    def third_sd(self) -> float:
        """The standard deviation of the noise of C."""
        return math.sqrt(2.0) * float(np.linalg.norm(self.third_noise))

    def drawn(self, variance: float, side: float, share: float) -> Centered:
        """Return the sums of records of a shape, with noise."""
        law = self.law
        exact = shape_sums(self.draws, law.n, law.mean, variance, side, share)
        return Centered(*(sums + noise for sums, noise in zip(exact, self.noises)))

    def weights(self, share: float) -> Floats:
        """Return the weights of the draws for records of a shape, which are 1 unless they reach far."""
        normal, rare, noise = self.draws.weights
        return noise * (normal if share < 1.0 else 1.0) * (rare if share > 0.0 else 1.0)

    def statistic(self, sums: Centered, variance: float) -> Floats:
        """Return the statistic of sums under a variance."""
        square = np.maximum(sums.second, self.law.least(variance))
        whole = square + self.law.spread
        skewness = self.skewness(cube_about_mean(self.law.n, sums), square, whole)
        return correct_for_skewness(sums.first / np.sqrt(whole), skewness)

    def skewness(self, cube: Floats, square: Floats, whole: Floats) -> Floats:
        """Return the part of the skewness of W to be removed, from sums of cubes and of squares."""
        most = (1.0 + abs(self.law.mean)) * square
        found = np.clip(cube, -most, most) / (whole * np.sqrt(whole) + _SHRUNK * self.third_sd)
        square = found * found
        return _TAKEN * found * square / (square + (_ERRORS * math.sqrt(6.0) / self.law.n) ** 2)

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


def skewed_law(known: NoisySums, mean: float, n: int, far: bool = False, among: Among = ALONE) -> SkewedLaw:
    """Return the distribution for n records with a hypothetical mean."""
    assert known.third is not None
    count, first, second = (np.array(row) for row in known.noise)
    third = np.array(known.third.noise) - 3.0 * mean * second + 3.0 * mean**2 * first - mean**3 * count
    return SkewedLaw(null_law(known, mean, n), tuple(third.tolist()), far, among)


def sums_about(known: NoisySums, mean: float) -> Centered:
    """Return the noisy sums about a hypothetical mean."""
    assert known.third is not None
    return center_sums(mean, *map(np.asarray, (*known.sums, known.third.value)))


def center_sums(mean: float, size: Floats, first: Floats, second: Floats, third: Floats) -> Centered:
    """Return the sums about a mean from those of 1, z, z^2 and z^3."""
    return Centered(
        first - mean * size,
        second - 2.0 * mean * first + mean * mean * size,
        third - 3.0 * mean * second + 3.0 * mean**2 * first - mean**3 * size,
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


def compare_moments(law: SkewedLaw, seen: Centered, variances: Floats, side: float, tail: float) -> Beyond:
    """Compare shapes and variances with a release by the moments of records, each with a tail probability.

    Several releases are along the last axis. Tails are those of a normal sum and Laplace noise. Sums of
    squares are skewed upwards, as chi-square and Poisson variables are, by their Cornish-Fisher terms.
    """
    n, far = law.law.n, distance_to_bound(law.law.mean, side)
    moments = shape_moments(law.law.mean, variances, side)
    square, usual = law.about_sample(seen, side)
    deviations, scales = -float(ndtri(tail)), -math.log(2.0 * tail)
    skewed = deviations**2 - 1.0
    # if there may be a rare record
    some = n * np.array(SHARES)[:, None] * variances > tail * far * far
    found = []
    for values, mean, variance, reach, rare in zip(
        (square, usual),
        (moments.square, moments.usual),
        (moments.square_variance, moments.usual_variance),
        law.reach(side),
        (far * far * (skewed / 6.0 + 0.5) * some, np.zeros(1)),
    ):
        spread = np.sqrt(deviations**2 * n * variance + (scales * reach) ** 2)
        # the sample's mean takes a record's square off
        ends = n * mean + spread + skewed / 1.5 * moments.square + rare, n * mean - spread - moments.square
        high, low = (each if np.ndim(values) == 0 else each[..., None] for each in ends)
        found += [values > high, values < low]
    return Beyond(*found)


def variances_for(law: SkewedLaw, seen: Centered, tail: float) -> Floats:
    """Return a fine grid of the variances that the release may leave possible."""
    coarse = law.law.variances()
    if coarse.size < 2:
        return coarse
    some = np.flatnonzero(
        np.any([compare_moments(law, seen, coarse, s, tail).kept().any(axis=0) for s in SIDES], axis=0)
    )
    first, last = (max(some[0] - 1, 0), min(some[-1] + 1, coarse.size - 1)) if some.size else (0, -1)
    low, high = float(coarse[max(first, 1)]), float(coarse[last])
    # powers of one number, so that draws of other releases can be used again
    ends = math.floor(math.log(low) / math.log(_RATIO)), math.ceil(math.log(high) / math.log(_RATIO))
    step = max(1, math.ceil((ends[1] - ends[0]) / _MOST))
    places = np.arange(ends[0] // step, -(-ends[1] // step) + 1)
    fine = np.unique(np.minimum(_RATIO ** (step * places.astype(np.float64)), coarse[-1]))
    return np.append(0.0, fine) if first == 0 else fine


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
    weights: Floats,
    alternative: str,
) -> float:
    """Return the probability of a statistic as extreme as the observed one."""
    observed, drawn = law.statistic(seen, variance), law.statistic(sums, variance)
    if alternative == "two-sided":
        extreme = np.abs(drawn) >= abs(observed)
    else:
        extreme = drawn >= observed if alternative == "greater" else drawn <= observed
    if not law.far:
        return (1 + int(np.count_nonzero(extreme))) / (extreme.size + 1)
    return mean_above(extreme * weights)


def find_largest_share(
    law: SkewedLaw, seen: Centered, alternative: str, left_out: float, enough: float = 2.0
) -> float:
    """Return the largest probability of an extreme statistic over possible variances and shapes.

    The search ends at a probability above `enough`.
    """
    tail = 0.25 * left_out
    variances = variances_for(law, seen, tail)

    def chance(row: int, column: int, side: float) -> float:
        variance, share = float(variances[column]), SHARES[row]
        sums, weights = law.drawn(variance, side, share), law.weights(share)
        return _extreme(law, seen, sums, variance, weights, alternative)

    if enough < 1.0:
        # a variance that is certainly possible may be enough
        for side in SIDES:
            for row, column in _nearest(law, seen, variances, side):
                if (found := chance(row, column, side)) > enough:
                    return found
    both = [compare_moments(law, seen, variances, side, tail).kept() for side in SIDES]
    # the normal shape has no side: it counts once
    both[0][0] &= both[1][0]
    both[1][0] = False
    most = 0.0
    for side, kept in zip(SIDES, both):
        for row in range(len(SHARES)):
            for column in thin(kept[row]):
                most = max(most, chance(row, column, side))
                if most > enough:
                    return most
    for side, kept in zip(SIDES, both):
        columns = np.flatnonzero(kept[-1])
        if columns.size == 0:
            continue
        low, high = float(variances[columns[0]]), float(variances[columns[-1]])
        for variance, slack in law.steps(side):
            if low <= variance <= high and most <= enough:
                first, second, third = law.drawn(variance, side, 1.0)
                moved = Centered(first + slack * (second < law.law.least(variance)), second, third)
                most = max(most, _extreme(law, seen, moved, variance, law.weights(1.0), alternative))
    return most


def thin(kept: Flags) -> list[int]:
    """Return at most five places that are kept, from the first to the last one."""
    places = np.flatnonzero(kept)
    some = np.linspace(0, places.size - 1, min(_POINTS, places.size)).round().astype(int)
    return [int(place) for place in places[some]]


def skewed_pvalue(
    known: NoisySums, mean: float, alternative: str = "two-sided", enough: float = 2.0
) -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical mean.

    A p-value above `enough` is only known to be at least what is returned.
    """
    law, seen = skewed_law(known, mean, sizes(known)[0][0]), sums_about(known, mean)
    return float(law.statistic(seen, 0.0)), _pvalue(known, mean, alternative, enough, seen)


def _pvalue(known: NoisySums, mean: float, alternative: str, enough: float, seen: Centered) -> float:
    found, outside = sizes(known)
    left_out = LEFT_OUT + outside
    share, limit = 0.0, max(enough, 2.0 * left_out) - left_out
    for n in found:
        share = max(share, find_largest_share(skewed_law(known, mean, n), seen, alternative, LEFT_OUT, limit))
        if share > limit:
            break
    first = min(1.0, left_out + share)
    if first > 2.0 * left_out or 2.0 * left_out <= enough < 1.0:
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

"""The t test of one noisy mean: its distribution hardly depends on the unknown variance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtri

from pydpstat._frozen import frozen
from pydpstat.inference._null_distributions.simulation import (
    DOWN,
    POWER,
    SHAPES,
    UP,
    NoiseLaw,
    Reference,
    centered_sums,
    outermost,
    reference,
)
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.r_arithmetic.elementary import Floats

Row = tuple[float, ...]
# the probability that the true variance is left out
LEFT_OUT = 0.001
VARIANCES = 47
# with fewer records, whose squares have few values, a larger variance may be possible above one that is not
FEW = 20
# expected numbers of records far off
_FEW = frozen(np.concatenate([np.arange(0.1, 3.3, 0.1), np.geomspace(3.3, 12.0, 43)]))


class Third(NamedTuple):
    """A noisy sum of z^3, and the coefficients of the noises in it."""

    value: float
    noise: Row


@dataclass(frozen=True)
class NoisySums:
    """Noisy sums of 1, z and z^2 over records z in [-1, 1], and the coefficients of their noises.

    `normal`: the records are assumed to be close to normal. `third` is the sum of cubes, if one was released.
    """

    sums: Row
    noise: tuple[Row, Row, Row]
    law: NoiseLaw
    size: int | None
    normal: bool = False
    third: Third | None = None

    @property
    def unit_variance(self) -> float:
        """The variance of a noise of scale 1."""
        return 2.0 if self.law == "laplace" else 1.0


@dataclass(frozen=True)
class NullLaw:
    """The distribution of the statistic for n records with a hypothetical mean, whatever their variance
    is.

    Of records z in [-1, 1] the noisy sums of 1, z and z^2 are known. About a hypothetical mean they give W,
    the sum of the distances, and Q, that of their squares; both are linear in the noise, so that Q is
    unbiased under the hypothesis. The statistic is ``W / sqrt(max(Q, floor) + var(noise of W))``, the floor
    depending on the noise and on the variance that is looked at (`least_square`).

    Its p-value is the largest over all variances that the release leaves possible, and over three shapes of
    the records' distribution (`centered_sums`), or over the normal one alone. A variance is possible unless Q
    is too small or too large for it in every shape, each with probability g / 2; g is added to the p-value
    (Berger, R. L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance
    parameter. Journal of the American Statistical Association 89, 1012-1016).
    """

    n: int
    mean: float
    law: NoiseLaw
    first_noise: Row
    second_noise: Row
    spread: float
    floor: float
    normal: bool = False

    def draws(self) -> Reference:
        """Return the reference draws."""
        return reference(self.n, self.law, len(self.first_noise))

    def noises(self) -> tuple[Floats, Floats]:
        """Return the noises of W and Q at the draws."""
        drawn = self.draws().noises
        return np.array(self.first_noise) @ drawn, np.array(self.second_noise) @ drawn

    def variances(self) -> Floats:
        """Return the variances that are looked at: 0 and a geometric sequence up to the largest one."""
        return variance_grid(1.0 - self.mean * self.mean, self.floor, self.n)

    def shapes(self, variance: float) -> tuple[int, ...]:
        """Return the shapes to consider; they are all the same if the variance is 0."""
        return SHAPES if variance > 0.0 and not self.normal else SHAPES[:1]

    def steps(self, shape: int) -> list[tuple[float, float]]:
        """Return the variances where few records, or all but few, are expected to be far off, and slacks.

        With little noise the statistic of a skewed distribution has few values, so that its distribution
        jumps with the variance. Between one variance here and the next the expected number grows by 0.1, or
        by 3 per cent. A sum grows by the slack meanwhile where no record is far off, and is moved by it.
        """
        far = 1.0 - self.mean if shape == UP else 1.0 + self.mean
        largest = 1.0 - self.mean * self.mean
        if self.normal or self.spread > far * far or largest <= 0.0:
            # there are no jumps, or the noise covers them
            return []
        few = _FEW[_FEW < self.n]
        found = np.concatenate([few / (self.n - few), (self.n - few) / few]) * far * far
        found = np.append(np.unique(found[found < largest]), largest)
        slacks = self.n * np.diff(found, append=largest) / far
        return list(zip(found.tolist(), (slacks if shape == DOWN else -slacks).tolist()))

    def least(self, variance: float) -> float:
        """Return what Q is at least taken to be where this is the variance."""
        return max(self.floor, least_square(self.n, self.mean, variance))

    def statistic(self, first: float, second: float, variance: float = 0.0) -> float:
        """Return the studentized sum, which leans on a hypothetical variance where Q is small."""
        return first / math.sqrt(max(second, self.least(variance)) + self.spread)

    def centered(self, sums: Row) -> tuple[float, float]:
        """Return W and Q from noisy sums of 1, z and z^2."""
        size, first, second = sums
        return first - self.mean * size, second - 2.0 * self.mean * first + self.mean * self.mean * size


def null_law(known: NoisySums, mean: float, n: int) -> NullLaw:
    """Return the distribution for n records with a hypothetical mean."""
    mix, unit = np.array(known.noise), known.unit_variance
    first = mix[1] - mean * mix[0]
    second = mix[2] - 2.0 * mean * mix[1] + mean * mean * mix[0]
    spread, floor = unit * float(first @ first), math.sqrt(0.5 * unit * float(mix[2] @ mix[2]))
    noises = tuple(first.tolist()), tuple(second.tolist())
    return NullLaw(n, mean, known.law, *noises, spread, floor, known.normal)


def least_square(n: int, mean: float, variance: float) -> float:
    """Return what a sum of squares is at least taken to be where the variance is hypothetical.

    Few records far from the others make most of a skewed law's variance. A sample that has none of them has
    a small Q, and its mean over the root of that is as large as the number of records allows, although the
    mean is not far off. Half of what is expected, up to two squares of the longest distance, keeps such
    samples from being extreme; without it the test has hardly any power where epsilon is large and n small.
    """
    return min(0.5 * n * variance, 2.0 * (1.0 + abs(mean)) ** 2)


def variance_grid(largest: float, floor: float, n: int, points: int = VARIANCES) -> Floats:
    """Return 0 and a geometric sequence up to the largest variance, fine where the noise can tell."""
    if largest <= 0.0:
        return np.zeros(1)
    least = min(max(1e-9, min(0.02 * floor / n, 0.1 / n, largest / 10.0)), largest)
    return np.concatenate([[0.0], np.geomspace(least, largest, points)])


def possible(too_small: npt.NDArray[np.bool_], too_large: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which variances of an ascending grid are possible, and the neighbors of these.

    The arguments tell for which ones the release would be too large and too small a one.
    """
    inside = ~(too_small | too_large)
    kept = inside.copy()
    kept[1:] |= inside[:-1]
    kept[:-1] |= inside[1:]
    if not inside.any():
        # the truth lies between two points, or beyond an end
        turn = int(np.argmin(too_small)) if not too_small.all() else too_small.size - 1
        kept[max(turn - 1, 0) : turn + 1] = True
    return kept


def outwards(size: int, start: int, flags: npt.NDArray[np.bool_], ordered: bool) -> Iterator[int]:
    """Yield the places from the start outwards, on each side up to the second that is not possible."""
    ends, sides = [start, start], [-1, 1]
    yield start
    if ordered:
        # below what is too small all are too small
        sides = [-1] * (not flags[0, start]) + [1] * (not flags[1, start])
    found = {-1: 0, 1: 0}
    while sides:
        for side in list(sides):
            which = int(side > 0)
            ends[which] += side
            place = ends[which]
            if not 0 <= place < size:
                sides.remove(side)
                continue
            yield place
            found[side] += bool(flags[which, place])
            if ordered and found[side] == 2:
                sides.remove(side)


class Extreme(NamedTuple):
    """The largest probability of a statistic as extreme as the observed one, and at which variance it is."""

    share: float
    place: int


def extreme(
    law: NullLaw, first: float, second: float, alternative: str, enough: float = 2.0, start: int = 0
) -> Extreme:
    """Return the largest probability, over possible variances and shapes, of a statistic as extreme as this.

    The search begins at the variance in the place `start`, and ends early with one that is above `enough`.
    """
    draws, noises, grid = law.draws(), law.noises(), law.variances()
    size, least = noises[0].size, 0.5 * LEFT_OUT * noises[0].size
    # what is not looked at lies below what is too small, or above what is too large
    flags = np.array([np.arange(grid.size) < start, np.arange(grid.size) > start])
    shares = np.zeros(grid.size)

    def share(sums: Floats, squares: Floats, variance: float, slack: float = 0.0) -> float:
        lowest, observed = law.least(variance), law.statistic(first, second, variance)
        if slack:
            sums = sums + slack * (squares < lowest)
        np.maximum(squares, lowest, out=squares)
        squares += law.spread
        count = np.count_nonzero(beyond(sums + noises[0], squares, observed, alternative))
        return (1 + int(count)) / (size + 1)

    for place in outwards(grid.size, min(start, grid.size - 1), flags, law.n >= FEW):
        above = below = 0
        variance = float(grid[place])
        for shape in law.shapes(variance):
            sums, squares = centered_sums(draws, law.n, law.mean, variance, shape)
            squares = squares + noises[1]
            count = int(np.count_nonzero(squares >= second))
            above, below = max(above, count), max(below, size - count)
            shares[place] = max(shares[place], share(sums, squares, variance))
        flags[:, place] = above <= least, below <= least
        if shares[place] > enough and not flags[:, place].any():
            return Extreme(float(shares[place]), place)
    kept = possible(*flags)
    shares[~kept] = 0.0
    place = int(np.argmax(shares))
    low, high = float(grid[kept][0]), float(grid[kept][-1])
    most = float(shares[place])
    for shape in (UP, DOWN):
        for variance, slack in law.steps(shape):
            if low <= variance <= high and most <= enough:
                sums, squares = centered_sums(draws, law.n, law.mean, variance, shape)
                most = max(most, share(sums, squares + noises[1], variance, slack))
    return Extreme(most, place)


def beyond(
    first: Floats, square: Floats, observed: float | Floats, alternative: str
) -> npt.NDArray[np.bool_]:
    """Tell which of ``first / sqrt(square)`` are as extreme as the observed one; `square` is changed."""
    if alternative == "two-sided":
        square *= observed * observed
        return first * first >= square
    np.sqrt(square, out=square)
    square *= observed
    return first >= square if alternative == "greater" else first <= square


def sizes(known: NoisySums, left_out: float = LEFT_OUT) -> tuple[tuple[int, ...], float]:
    """Return the numbers of records that are possible, and the probability that the true one is not there."""
    if known.size is not None:
        return (known.size,), 0.0
    scales = np.array([each for each in known.noise[0] if each])
    reach = float(np.linalg.norm(scales)) * _size_quantile(known.law, scales.size, left_out)
    low, high = max(known.sums[0] - reach, 1.0), max(known.sums[0] + reach, 1.0)
    points = 3 if high < 1.3 * low else 9
    return tuple(sorted({round(each) for each in np.geomspace(low, high, points)})), left_out


@lru_cache(maxsize=8)
def _size_quantile(law: NoiseLaw, noises: int, left_out: float) -> float:
    """Return the reach of the noise of the number of records, in units of the root of its scales' squares."""
    if isinstance(law, CubeNoise):
        return float(law.ppf(1.0 - 0.5 * left_out))
    if law == "normal":
        return float(ndtri(1.0 - 0.5 * left_out))
    if noises == 1:
        return -math.log(left_out)
    tail = brentq(lambda x: math.exp(-x) * (x * x + 5.0 * x + 8.0) / 16.0 - 0.5 * left_out, 0.0, 50.0)
    return float(tail) / math.sqrt(3.0)


def pvalue(
    known: NoisySums, mean: float, alternative: str = "two-sided", enough: float = 2.0
) -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical mean.

    A p-value above `enough` is only known to be at least what is returned.
    """
    found, left_out = sizes(known)
    limit = enough - LEFT_OUT - left_out
    share, place, value = 0.0, VARIANCES // 2, 0.0
    for i, n in enumerate(found):
        law = null_law(known, mean, n)
        first, second = law.centered(known.sums)
        if i == 0:
            value = law.statistic(first, second)
        each = extreme(law, first, second, alternative, limit, place)
        share, place = max(share, each.share), each.place
        if share > limit:
            break
    return value, min(1.0, LEFT_OUT + left_out + share)


def pvalue_floor(known: NoisySums) -> float:
    """Return the smallest p-value that `pvalue` returns."""
    return LEFT_OUT + sizes(known)[1] + 1.0 / (2**POWER + 1)


@dataclass(frozen=True)
class NoisyTInterval:
    """The means that the noisy t test does not reject, in the data's unit."""

    known: NoisySums
    middle: float
    half: float
    alternative: str = "two-sided"

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the mean with probability `alpha` at most."""
        ends = []
        for side, one_sided in ((-1.0, "greater"), (1.0, "less")):
            if self.alternative in ("two-sided", one_sided):
                ends.append(outermost(self._pvalues(alpha), alpha, *self._start(), side, 1.0))
            else:
                ends.append(side)
        # the sum may be rounded beyond the bounds
        bounds = self.middle - self.half, self.middle + self.half
        low, high = (min(max(self.middle + self.half * end, bounds[0]), bounds[1]) for end in ends)
        return low, high

    def _start(self) -> tuple[float, float]:
        size, first, _ = self.known.sums
        size = max(size, 1.0)
        mean = min(max(first / size, -1.0), 1.0)
        law = null_law(self.known, mean, sizes(self.known)[0][0])
        return mean, math.sqrt(max(self._square(law, mean), law.floor) + law.spread) / size

    def _square(self, law: NullLaw, mean: float) -> float:
        """Return the noisy sum of squares about a mean."""
        return law.centered(self.known.sums)[1]

    def _pvalues(self, alpha: float) -> Callable[[float], float]:
        found, left_out = sizes(self.known)
        left_out += LEFT_OUT
        size, first, square = self.known.sums
        reach = max(size, 1.0)
        cut = min(max(first, -reach), reach)
        places = dict.fromkeys(found, VARIANCES // 2)

        def at(mean: float) -> float:
            share = 0.0
            for n in found:
                law = null_law(self.known, mean, n)
                # far outside of what records can add up to, the noise alone would leave no mean
                distance, _ = law.centered((size, cut, square))
                _, second = law.centered(self.known.sums)
                each = extreme(law, distance, second, self.alternative, alpha - left_out, places[n])
                share, places[n] = max(share, each.share), each.place
                if share > alpha - left_out:
                    break
            return left_out + share

        return at

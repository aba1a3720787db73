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

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.simulation import (
    DOWNWARD_SHAPE,
    DRAWS_POWER,
    SHAPES,
    UPWARD_SHAPE,
    NoiseFamily,
    ReferenceDraws,
    draw_reference,
    find_interval_end,
    simulate_centered_sums,
)
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.r_arithmetic.elementary import Floats

Row = tuple[float, ...]
# the probability that the true variance is left out
EXCLUDED_PROBABILITY = 0.001
VARIANCE_POINTS = 47
# with fewer records, whose squares have few values, a larger variance may be possible above one that is not
MIN_ORDERED_RECORDS = 20
# expected numbers of records far off
_EXPECTED_FAR_RECORDS = freeze_array(np.concatenate([np.arange(0.1, 3.3, 0.1), np.geomspace(3.3, 12.0, 43)]))


class CubeSum(NamedTuple):
    """A noisy sum of z^3, and the coefficients of the noises in it."""

    value: float
    noise: Row


@dataclass(frozen=True)
class NoisySums:
    """Noisy sums of 1, z and z^2 over records z in [-1, 1], and the coefficients of their noises.

    `is_normal`: the records are assumed to be close to normal. `cube_sum` is the sum of cubes, if one was released.
    """

    sums: Row
    noise: tuple[Row, Row, Row]
    noise_family: NoiseFamily
    size: int | None
    is_normal: bool = False
    cube_sum: CubeSum | None = None

    @property
    def unit_variance(self) -> float:
        """The variance of a noise of scale 1."""
        return 2.0 if self.noise_family == "laplace" else 1.0


@dataclass(frozen=True)
class NoisyTDistribution:
    """The distribution of the statistic for n records with a hypothetical mean, whatever their variance
    is.

    Of records z in [-1, 1] the noisy sums of 1, z and z^2 are known. About a hypothetical mean they give W,
    the sum of the distances, and Q, that of their squares; both are linear in the noise, so that Q is
    unbiased under the hypothesis. The statistic is ``W / sqrt(max(Q, floor) + var(noise of W))``, the floor
    depending on the noise and on the variance that is looked at (`bound_square_sum`).

    Its p-value is the largest over all variances that the release leaves possible, and over three shapes of
    the records' distribution (`simulate_centered_sums`), or over the normal one alone. A variance is possible unless Q
    is too small or too large for it in every shape, each with probability g / 2; g is added to the p-value
    (Berger, R. L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance
    parameter. Journal of the American Statistical Association 89, 1012-1016).
    """

    n: int
    mean: float
    noise_family: NoiseFamily
    first_noise: Row
    second_noise: Row
    noise_variance: float
    floor: float
    is_normal: bool = False

    def get_reference_draws(self) -> ReferenceDraws:
        """Return the reference draws."""
        return draw_reference(self.n, self.noise_family, len(self.first_noise))

    def compute_noises(self) -> tuple[Floats, Floats]:
        """Return the noises of W and Q at the draws."""
        drawn = self.get_reference_draws().noises
        return np.array(self.first_noise) @ drawn, np.array(self.second_noise) @ drawn

    def make_variance_grid(self) -> Floats:
        """Return the variances that are looked at: 0 and a geometric sequence up to the largest one."""
        return make_variance_grid(1.0 - self.mean * self.mean, self.floor, self.n)

    def get_shapes(self, variance: float) -> tuple[int, ...]:
        """Return the shapes to consider; they are all the same if the variance is 0."""
        return SHAPES if variance > 0.0 and not self.is_normal else SHAPES[:1]

    def get_jump_variances(self, shape: int) -> list[tuple[float, float]]:
        """Return the variances where few records, or all but few, are expected to be far off, and slacks.

        With little noise the statistic of a skewed distribution has few values, so that its distribution
        jumps with the variance. Between one variance here and the next the expected number grows by 0.1, or
        by 3 per cent. A sum grows by the slack meanwhile where no record is far off, and is moved by it.
        """
        far = 1.0 - self.mean if shape == UPWARD_SHAPE else 1.0 + self.mean
        largest = 1.0 - self.mean * self.mean
        if self.is_normal or self.noise_variance > far * far or largest <= 0.0:
            # there are no jumps, or the noise covers them
            return []
        few = _EXPECTED_FAR_RECORDS[_EXPECTED_FAR_RECORDS < self.n]
        found = np.concatenate([few / (self.n - few), (self.n - few) / few]) * far * far
        found = np.append(np.unique(found[found < largest]), largest)
        slacks = self.n * np.diff(found, append=largest) / far
        return list(zip(found.tolist(), (slacks if shape == DOWNWARD_SHAPE else -slacks).tolist()))

    def bound_square_sum(self, variance: float) -> float:
        """Return what Q is at least taken to be where this is the variance."""
        return max(self.floor, bound_square_sum(self.n, self.mean, variance))

    def compute_statistic(self, first: float, second: float, variance: float = 0.0) -> float:
        """Return the studentized sum, which leans on a hypothetical variance where Q is small."""
        return first / math.sqrt(max(second, self.bound_square_sum(variance)) + self.noise_variance)

    def compute_centered_sums(self, sums: Row) -> tuple[float, float]:
        """Return W and Q from noisy sums of 1, z and z^2."""
        size, first, second = sums
        return first - self.mean * size, second - 2.0 * self.mean * first + self.mean * self.mean * size


def make_t_distribution(noisy_sums: NoisySums, mean: float, n: int) -> NoisyTDistribution:
    """Return the distribution for n records with a hypothetical mean."""
    mix, unit = np.array(noisy_sums.noise), noisy_sums.unit_variance
    first = mix[1] - mean * mix[0]
    second = mix[2] - 2.0 * mean * mix[1] + mean * mean * mix[0]
    spread, floor = unit * float(first @ first), math.sqrt(0.5 * unit * float(mix[2] @ mix[2]))
    noises = tuple(first.tolist()), tuple(second.tolist())
    return NoisyTDistribution(n, mean, noisy_sums.noise_family, *noises, spread, floor, noisy_sums.is_normal)


def bound_square_sum(n: int, mean: float, variance: float) -> float:
    """Return what a sum of squares is at least taken to be where the variance is hypothetical.

    Few records far from the others make most of a skewed law's variance. A sample that has none of them has
    a small Q, and its mean over the root of that is as large as the number of records allows, although the
    mean is not far off. Half of what is expected, up to two squares of the longest distance, keeps such
    samples from being extreme; without it the test has hardly any power where epsilon is large and n small.
    """
    return min(0.5 * n * variance, 2.0 * (1.0 + abs(mean)) ** 2)


def make_variance_grid(largest_variance: float, floor: float, n: int, points: int = VARIANCE_POINTS) -> Floats:
    """Return 0 and a geometric sequence up to the largest variance, fine where the noise can tell."""
    if largest_variance <= 0.0:
        return np.zeros(1)
    least = min(max(1e-9, min(0.02 * floor / n, 0.1 / n, largest_variance / 10.0)), largest_variance)
    return np.concatenate([[0.0], np.geomspace(least, largest_variance, points)])


def find_plausible_variances(
    too_small: npt.NDArray[np.bool_], too_large: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
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


def iterate_outwards(size: int, start: int, flags: npt.NDArray[np.bool_], is_ordered: bool) -> Iterator[int]:
    """Yield the places from the start outwards, on each side up to the second that is not possible."""
    ends, sides = [start, start], [-1, 1]
    yield start
    if is_ordered:
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
            if is_ordered and found[side] == 2:
                sides.remove(side)


class TailMaximum(NamedTuple):
    """The largest probability of a statistic as extreme as the observed one, and at which variance it is."""

    probability: float
    grid_index: int


def maximize_t_tail(
    distribution: NoisyTDistribution,
    first: float,
    second: float,
    alternative: str,
    stop_above: float = 2.0,
    start_index: int = 0,
) -> TailMaximum:
    """Return the largest probability, over possible variances and shapes, of a statistic as extreme as this.

    The search begins at the variance in the place `start_index`, and ends early with one that is above `stop_above`.
    """
    draws, noises, grid = (
        distribution.get_reference_draws(),
        distribution.compute_noises(),
        distribution.make_variance_grid(),
    )
    size, least = noises[0].size, 0.5 * EXCLUDED_PROBABILITY * noises[0].size
    # what is not looked at lies below what is too small, or above what is too large
    flags = np.array([np.arange(grid.size) < start_index, np.arange(grid.size) > start_index])
    shares = np.zeros(grid.size)

    def estimate_tail(sums: Floats, squares: Floats, variance: float, slack: float = 0.0) -> float:
        lowest, observed = (
            distribution.bound_square_sum(variance),
            distribution.compute_statistic(first, second, variance),
        )
        if slack:
            sums = sums + slack * (squares < lowest)
        np.maximum(squares, lowest, out=squares)
        squares += distribution.noise_variance
        count = np.count_nonzero(find_exceedances(sums + noises[0], squares, observed, alternative))
        return (1 + int(count)) / (size + 1)

    for place in iterate_outwards(
        grid.size, min(start_index, grid.size - 1), flags, distribution.n >= MIN_ORDERED_RECORDS
    ):
        above = below = 0
        variance = float(grid[place])
        for shape in distribution.get_shapes(variance):
            sums, squares = simulate_centered_sums(draws, distribution.n, distribution.mean, variance, shape)
            squares = squares + noises[1]
            count = int(np.count_nonzero(squares >= second))
            above, below = max(above, count), max(below, size - count)
            shares[place] = max(shares[place], estimate_tail(sums, squares, variance))
        flags[:, place] = above <= least, below <= least
        if shares[place] > stop_above and not flags[:, place].any():
            return TailMaximum(float(shares[place]), place)
    kept = find_plausible_variances(*flags)
    shares[~kept] = 0.0
    place = int(np.argmax(shares))
    low, high = float(grid[kept][0]), float(grid[kept][-1])
    most = float(shares[place])
    for shape in (UPWARD_SHAPE, DOWNWARD_SHAPE):
        for variance, slack in distribution.get_jump_variances(shape):
            if low <= variance <= high and most <= stop_above:
                sums, squares = simulate_centered_sums(draws, distribution.n, distribution.mean, variance, shape)
                most = max(most, estimate_tail(sums, squares + noises[1], variance, slack))
    return TailMaximum(most, place)


def find_exceedances(
    first: Floats, square: Floats, observed: float | Floats, alternative: str
) -> npt.NDArray[np.bool_]:
    """Tell which of ``first / sqrt(square)`` are as extreme as the observed one; `square` is changed."""
    if alternative == "two-sided":
        square *= observed * observed
        return first * first >= square
    np.sqrt(square, out=square)
    square *= observed
    return first >= square if alternative == "greater" else first <= square


def find_plausible_sizes(
    noisy_sums: NoisySums, excluded: float = EXCLUDED_PROBABILITY
) -> tuple[tuple[int, ...], float]:
    """Return the numbers of records that are possible, and the probability that the true one is not there."""
    if noisy_sums.size is not None:
        return (noisy_sums.size,), 0.0
    scales = np.array([each for each in noisy_sums.noise[0] if each])
    reach = float(np.linalg.norm(scales)) * _compute_size_quantile(noisy_sums.noise_family, scales.size, excluded)
    low, high = max(noisy_sums.sums[0] - reach, 1.0), max(noisy_sums.sums[0] + reach, 1.0)
    points = 3 if high < 1.3 * low else 9
    return tuple(sorted({round(each) for each in np.geomspace(low, high, points)})), excluded


@lru_cache(maxsize=8)
def _compute_size_quantile(noise_family: NoiseFamily, n_noises: int, excluded: float) -> float:
    """Return the reach of the noise of the number of records, in units of the root of its scales' squares."""
    if isinstance(noise_family, CubeNoise):
        return float(noise_family.ppf(1.0 - 0.5 * excluded))
    if noise_family == "normal":
        return float(ndtri(1.0 - 0.5 * excluded))
    if n_noises == 1:
        return -math.log(excluded)
    tail = brentq(lambda x: math.exp(-x) * (x * x + 5.0 * x + 8.0) / 16.0 - 0.5 * excluded, 0.0, 50.0)
    return float(tail) / math.sqrt(3.0)


def compute_t_pvalue(
    noisy_sums: NoisySums, mean: float, alternative: str = "two-sided", stop_above: float = 2.0
) -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical mean.

    A p-value above `stop_above` is only known to be at least what is returned.
    """
    found, left_out = find_plausible_sizes(noisy_sums)
    limit = stop_above - EXCLUDED_PROBABILITY - left_out
    share, place, value = 0.0, VARIANCE_POINTS // 2, 0.0
    for i, n in enumerate(found):
        law = make_t_distribution(noisy_sums, mean, n)
        first, second = law.compute_centered_sums(noisy_sums.sums)
        if i == 0:
            value = law.compute_statistic(first, second)
        each = maximize_t_tail(law, first, second, alternative, limit, place)
        share, place = max(share, each.probability), each.grid_index
        if share > limit:
            break
    return value, min(1.0, EXCLUDED_PROBABILITY + left_out + share)


def bound_t_pvalue(noisy_sums: NoisySums) -> float:
    """Return the smallest p-value that `compute_t_pvalue` returns."""
    return EXCLUDED_PROBABILITY + find_plausible_sizes(noisy_sums)[1] + 1.0 / (2**DRAWS_POWER + 1)


@dataclass(frozen=True)
class NoisyTInterval:
    """The means that the noisy t test does not reject, in the data's unit."""

    noisy_sums: NoisySums
    middle: float
    half_width: float
    alternative: str = "two-sided"

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the mean with probability `alpha` at most."""
        ends = []
        for side, one_sided in ((-1.0, "greater"), (1.0, "less")):
            if self.alternative in ("two-sided", one_sided):
                ends.append(find_interval_end(self._make_pvalue_function(alpha), alpha, *self._find_start(), side, 1.0))
            else:
                ends.append(side)
        # the sum may be rounded beyond the bounds
        bounds = self.middle - self.half_width, self.middle + self.half_width
        low, high = (min(max(self.middle + self.half_width * end, bounds[0]), bounds[1]) for end in ends)
        return low, high

    def _find_start(self) -> tuple[float, float]:
        size, first, _ = self.noisy_sums.sums
        size = max(size, 1.0)
        mean = min(max(first / size, -1.0), 1.0)
        law = make_t_distribution(self.noisy_sums, mean, find_plausible_sizes(self.noisy_sums)[0][0])
        return mean, math.sqrt(max(self._compute_square_sum(law, mean), law.floor) + law.noise_variance) / size

    def _compute_square_sum(self, distribution: NoisyTDistribution, mean: float) -> float:
        """Return the noisy sum of squares about a mean."""
        return distribution.compute_centered_sums(self.noisy_sums.sums)[1]

    def _make_pvalue_function(self, alpha: float) -> Callable[[float], float]:
        found, left_out = find_plausible_sizes(self.noisy_sums)
        left_out += EXCLUDED_PROBABILITY
        size, first, square = self.noisy_sums.sums
        reach = max(size, 1.0)
        cut = min(max(first, -reach), reach)
        places = dict.fromkeys(found, VARIANCE_POINTS // 2)

        def compute_pvalue(mean: float) -> float:
            share = 0.0
            for n in found:
                law = make_t_distribution(self.noisy_sums, mean, n)
                # far outside of what records can add up to, the noise alone would leave no mean
                distance, _ = law.compute_centered_sums((size, cut, square))
                _, second = law.compute_centered_sums(self.noisy_sums.sums)
                each = maximize_t_tail(law, distance, second, self.alternative, alpha - left_out, places[n])
                share, places[n] = max(share, each.probability), each.grid_index
                if share > alpha - left_out:
                    break
            return left_out + share

        return compute_pvalue

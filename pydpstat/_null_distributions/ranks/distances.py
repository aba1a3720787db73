"""Null distributions of distances between distributions and of rank sums, and intervals for pairs of records."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, kolmogorov, xlog1py, xlogy

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.noise import compute_normal_laplace_tail
from pydpstat._null_distributions.ranks.rank_statistics import UNIT_BITS, DiscreteDistribution, integrate_laplace_tail
from pydpstat._null_distributions.simulation import PVALUE_FLOOR
from pydpstat._search import bisect_up
from pydpstat.r_arithmetic.elementary import Floats

Integers = npt.NDArray[np.int64]
REFERENCE_DRAWS = 9_999
DRAWS_SEED = 20_061
# largest number of records whose orders are drawn; beyond, the limit distribution of ranks is used
MAX_SHUFFLED_RECORDS = 1_000
# largest group whose rank sum is drawn as a sum; those of larger groups are drawn as normal
MAX_SUMMED_RECORDS = 40
# binary digits to which a distance of rank sums is rounded down
DISTANCE_DIGITS = 10
# number of the largest draws that are replaced by a smooth tail, and number of its steps
_TAIL_DRAWS, _TAIL_STEPS = 50, 400
# orders per block
_BLOCK_SIZE = 1_111


def make_sampled_distribution(values: npt.NDArray[np.number]) -> DiscreteDistribution:
    """Return the distribution of draws and one more value at infinity."""
    positions, counts = np.unique(values, return_counts=True)
    masses = np.append(counts, 1.0) / (values.size + 1.0)
    return DiscreteDistribution(np.append(positions.astype(np.float64), np.inf), masses)


def permute_in_blocks(values: Integers) -> Iterator[Integers]:
    """Draw 9,999 random orders of values, in blocks of shape (m, N)."""
    generator = np.random.default_rng(DRAWS_SEED)
    for _ in range(REFERENCE_DRAWS // _BLOCK_SIZE):
        yield generator.permuted(np.broadcast_to(values, (_BLOCK_SIZE, values.size)), axis=1)


@lru_cache(maxsize=16)
def draw_rank_deviations(sizes: tuple[int, ...]) -> Floats:
    """Draw the groups' sums of 2 rank - (N + 1) under a common distribution, of shape (9999, k)."""
    size, generator = sum(sizes), np.random.default_rng(DRAWS_SEED)
    if size <= MAX_SHUFFLED_RECORDS:
        scores = 2 * np.arange(1, size + 1) - (size + 1)
        starts = np.cumsum((0, *sizes[:-1]))
        sums = [np.add.reduceat(block, starts, axis=1) for block in permute_in_blocks(scores)]
        return freeze_array(np.concatenate(sums, dtype=float))
    uniform_sums = np.empty((REFERENCE_DRAWS, len(sizes)))
    for group, number in enumerate(sizes):
        if number <= MAX_SUMMED_RECORDS:
            uniform_sums[:, group] = generator.random((REFERENCE_DRAWS, number)).sum(axis=1) - 0.5 * number
        else:
            uniform_sums[:, group] = generator.normal(0.0, math.sqrt(number / 12.0), REFERENCE_DRAWS)
    means = uniform_sums.sum(axis=1, keepdims=True) / size
    return freeze_array(2.0 * math.sqrt(size * (size + 1.0)) * (uniform_sums - np.array(sizes) * means))


def compute_scaled_distance(deviations: Sequence[int], weights: Sequence[Fraction | int]) -> int:
    """Return 2^10 times the square root of the weighted sum of squares, rounded down."""
    total = sum((weight * deviation * deviation for weight, deviation in zip(weights, deviations)), Fraction(0))
    return math.isqrt(math.floor(total * 4**DISTANCE_DIGITS))


def compute_distance_sensitivity(sizes: Sequence[int], weights: Sequence[Fraction | int]) -> int:
    """Return the sensitivity of the scaled distance, rounded up to an integer.

    A record of group g that passes m_h records of each group h lowers their rank sums by m_h and raises that
    of g by the sum of the m_h of the others; the deviations change by twice these. By the triangle
    inequality the distance changes by at most the norm of these changes, which is largest if all m_h are n_h.
    """
    size = sum(sizes)
    squares = [Fraction(weight) * number**2 for weight, number in zip(weights, sizes)]
    largest = max(
        weight * (size - number) ** 2 + sum(squares) - square for weight, number, square in zip(weights, sizes, squares)
    )
    return _round_root_up(4 * largest * 4**DISTANCE_DIGITS)


def _round_root_up(square: Fraction | int) -> int:
    ceiling = math.ceil(square)
    root = math.isqrt(ceiling)
    return root if root * root == ceiling else root + 1


@lru_cache(maxsize=64)
def make_distance_distribution(sizes: tuple[int, ...], weights: tuple[Fraction | int, ...]) -> DiscreteDistribution:
    """Return the null distribution of the scaled distance, from `draw_rank_deviations`.

    Beyond the largest 50 draws the tail decays as that of the limit for many records: the squared
    distance is a weighted sum of k - 1 squares of normal variables, with all weights set to the largest. The
    exact tail decays faster, the more so the fewer records there are; the smaller of this tail and that of the
    draws is used. A probability below 1e-6 is put at infinity.
    """
    float_weights = np.array([float(weight) for weight in weights])
    values = np.floor(2.0**DISTANCE_DIGITS * np.sqrt((draw_rank_deviations(sizes) ** 2 * float_weights).sum(axis=1)))
    number, size = np.array(sizes, dtype=np.float64), sum(sizes)
    covariance = (
        np.diag(number * float_weights)
        - np.outer(number, number) * np.sqrt(np.outer(float_weights, float_weights)) / size
    )
    scale = 4.0**DISTANCE_DIGITS * size * (size + 1.0) / 3.0 * float(np.linalg.eigvalsh(covariance)[-1])
    return append_chi_square_tail(np.sort(values), scale, len(sizes) - 1)


def append_chi_square_tail(values: Floats, scale: float, degrees: int) -> DiscreteDistribution:
    """Return the distribution of ascending draws, with a tail of the squares as in scaled chi-square."""
    from scipy.special import chdtrc, chdtri

    first, draws = float(values[-_TAIL_DRAWS]), values.size + 1.0
    start_tail = float(chdtrc(degrees, first * first / scale)) if scale > 0.0 else 0.0
    if start_tail == 0.0:
        # a single group, or draws so large that the limit tail underflows
        return make_sampled_distribution(values)
    tail_share = (draws - float(np.searchsorted(values, first))) / draws
    tail = np.ceil(
        np.sqrt(scale * chdtri(degrees, start_tail * np.geomspace(1.0, PVALUE_FLOOR / tail_share, _TAIL_STEPS)))
    )
    positions = np.unique(np.concatenate([values, tail[tail > first]]))
    sample_tails = (draws - np.searchsorted(values, positions)) / draws
    # the mass between two values is moved to the upper one
    lower_edges = np.append(first, np.maximum(positions[:-1], first))
    limit = tail_share * chdtrc(degrees, lower_edges * lower_edges / scale) / start_tail
    above = np.where(positions > first, np.minimum(sample_tails, limit), sample_tails)
    return DiscreteDistribution(np.append(positions, np.inf), -np.diff(np.concatenate([above, [PVALUE_FLOOR, 0.0]])))


# largest number of records for which the distribution of one sample is exact
MAX_EXACT_RECORDS = {"two-sided": 40, "greater": 100, "less": 100}
# standard units beyond which a distance has a probability below 1e-30
DISTANCE_RANGE = 6.0
DISTANCE_CELLS = 512


@lru_cache(maxsize=64)
def make_one_sample_distribution(records: int, alternative: str) -> DiscreteDistribution:
    """Return the distribution of n 2^32 D for n records of the hypothetical, continuous distribution.

    Simard, R. and L'Ecuyer, P. (2011). Computing the two-sided Kolmogorov-Smirnov distribution. Journal of
    Statistical Software 39(11). Vrbik, J. (2018). Small-sample corrections to Kolmogorov-Smirnov test
    statistic. Pioneer Journal of Theoretical and Applied Statistics 15, 15-23.
    """
    unit = float(records << UNIT_BITS)
    edges = np.linspace(0.0, min(1.0, DISTANCE_RANGE / math.sqrt(records)), DISTANCE_CELLS + 1)
    step = unit * edges[1]
    return DiscreteDistribution(
        step * (np.arange(DISTANCE_CELLS) + 0.5),
        _normalize_tail_masses(_compute_ks_tails(edges, records, alternative)),
        step,
    )


@lru_cache(maxsize=64)
def make_two_sample_distribution(first: int, second: int, alternative: str) -> DiscreteDistribution:
    """Return the distribution of n1 n2 D for two groups of one continuous distribution.

    Hodges, J. L. (1958). The significance probability of the Smirnov two-sample test. Arkiv for Matematik 3,
    469-486.

    It is sampled by 9,999 random orders up to 1,000 records; beyond, it is the limit distribution with its first
    correction on the possible values of the distance (for n1 n2 / (n1 + n2) up to 40, one-sided 100, that of one
    sample of this size), with an error below 5e-3, and below 6e-4 for p-values of at most 0.05.
    """
    size, n_pairs = first + second, first * second
    if size <= MAX_SHUFFLED_RECORDS:
        distances = []
        for steps in permute_in_blocks(np.repeat((second, -first), (first, second))):
            gaps = np.cumsum(steps, axis=1)
            above, below = np.maximum(gaps.max(axis=1), 0), np.maximum(-gaps.min(axis=1), 0)
            distances.append({"two-sided": np.maximum(above, below), "greater": above, "less": below}[alternative])
        return make_sampled_distribution(np.concatenate(distances))
    records = n_pairs / size
    span = min(1.0, DISTANCE_RANGE / math.sqrt(records)) * n_pairs
    lattice = math.gcd(first, second)
    # Hodges' correction: that of one sample if the other is large, and half a step for equal sizes
    smaller, larger = sorted((first, second))
    shift = (larger + 2.0 * smaller) / (6.0 * math.sqrt(n_pairs * size))
    limit = partial(_compute_ks_tails, effective_size=records, alternative=alternative, shift=shift)
    if span / lattice <= 16 * DISTANCE_CELLS:
        positions = np.arange(math.ceil(span / lattice) + 1, dtype=np.float64)
        edges = lattice * np.concatenate((positions - 0.5, positions[-1:] + 0.5))
        return DiscreteDistribution(
            lattice * positions, _normalize_tail_masses(limit(np.maximum(edges, 0.0) / n_pairs))
        )
    edges = np.linspace(0.0, span, DISTANCE_CELLS + 1)
    return DiscreteDistribution(
        edges[1] * (np.arange(DISTANCE_CELLS) + 0.5),
        _normalize_tail_masses(limit(edges / n_pairs)),
        float(edges[1]),
    )


def _compute_ks_tails(distances: Floats, effective_size: float, alternative: str, shift: float | None = None) -> Floats:
    """Return the probability of a distance at least as large; `effective_size` is n, or n1 n2 / (n1 + n2)."""
    root = math.sqrt(effective_size)
    if effective_size <= MAX_EXACT_RECORDS[alternative]:
        # in standard units, two samples have about the distribution of one with the effective size
        from scipy.stats import ksone, kstwo

        n = max(round(effective_size), 1)
        distribution = kstwo if alternative == "two-sided" else ksone
        return distribution.sf(np.minimum(distances * (root / math.sqrt(n)), 1.0), n)
    shifted = root * distances + (1.0 / (6.0 * root) if shift is None else shift)
    if alternative == "two-sided":
        correction = (root * distances - 1.0) / (4.0 * effective_size) if shift is None else 0.0
        tails = kolmogorov(shifted + correction)
    else:
        tails = np.exp(-2.0 * shifted * shifted)
    return np.where(distances <= 0.0, 1.0, tails)


def _normalize_tail_masses(tails: Floats) -> Floats:
    masses = np.maximum(-np.diff(tails), 0.0)
    return masses / masses.sum()


# number of values of a binomial distribution beyond which it is approximated as normal
MAX_BINOMIAL_VALUES = 4096
# noise scale, in steps, beyond which the tail is linear over a step
_WIDE_NOISE = 1e5


@dataclass(frozen=True, slots=True)
class PairInterval:
    """Confidence interval of a parameter scale * u + shift, with u the mean of a sign of each pair of records.

    Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the
    American Statistical Association 58, 13-30, section 5.

    The mean over all pairs is the conditional expectation, given the records, of the mean over m random pairs of
    different records, which are m independent signs. So it is smaller in convex order than their mean, whose
    distribution is binomial: no convex function has a larger expectation. The interval has every u for which
    the binomial mean with the noise is as extreme as the center with probability at least alpha / 2;
    between two values of the binomial mean, where that of all pairs may be, the probability is interpolated.
    The limits are found by bisection, as the distribution increases with u. Clipping the center moves it towards
    every u.
    """

    center: float
    n_pairs: int
    noise_scale: float
    alternative: str = "two-sided"
    scale: float = 1.0
    shift: float = 0.0

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval, which misses the parameter with probability at most `alpha`."""
        share = 0.5 * alpha if self.alternative == "two-sided" else alpha
        low = -1.0 if self.alternative == "less" else -self._find_upper_limit(-self.center, share)
        high = 1.0 if self.alternative == "greater" else self._find_upper_limit(self.center, share)
        return self.scale * low + self.shift, self.scale * high + self.shift

    def _find_upper_limit(self, center: float, tail_probability: float) -> float:
        """Return the largest u for which a center at most as large has at least `tail_probability`."""
        clipped = min(max(center, -1.0), 1.0)

        def is_plausible(u: float) -> bool:
            return compute_mean_tail(-u, -clipped, self.n_pairs, self.noise_scale) >= tail_probability

        if is_plausible(1.0) or not clipped < 1.0:
            return 1.0
        return bisect_up(is_plausible, clipped, 1.0, steps=50)[1]


def compute_mean_tail(u: float, x: float, n_pairs: int, noise_scale: float) -> float:
    """Return P(M + N >= x) for the mean M of `n_pairs` independent signs with expectation u, and Laplace noise N."""
    chance = min(max(0.5 + 0.5 * u, 0.0), 1.0)
    sd = math.sqrt(n_pairs * chance * (1.0 - chance))
    lowest = max(0, math.floor(n_pairs * chance - 9.0 * sd - 40.0))
    highest = min(n_pairs, math.ceil(n_pairs * chance + 9.0 * sd + 40.0))
    if highest - lowest > MAX_BINOMIAL_VALUES:
        distance, mean_sd = x - u, 2.0 * sd / n_pairs
        return float(compute_normal_laplace_tail(distance, mean_sd, noise_scale))
    k = np.arange(lowest, highest + 1, dtype=np.float64)
    logs = gammaln(n_pairs + 1.0) - gammaln(k + 1.0) - gammaln(n_pairs - k + 1.0)
    masses = np.exp(logs + xlogy(k, chance) + xlog1py(n_pairs - k, -chance))
    step, distances = 2.0 / n_pairs, x - (2.0 * k / n_pairs - 1.0)
    if noise_scale <= _WIDE_NOISE * step:
        averages = (
            integrate_laplace_tail(distances - step, noise_scale) - integrate_laplace_tail(distances, noise_scale)
        ) / step
        return float((masses * averages).sum())
    middle = distances - 0.5 * step
    # 1/2 everywhere for infinite noise
    tails = 0.5 * np.exp(-np.abs(middle) / noise_scale)
    return float((masses * np.where(middle >= 0.0, tails, 1.0 - tails)).sum())

"""Rank statistics and their null distributions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from pydpstat._frozen import ReadOnlyArrays
from pydpstat._null_distributions.noise import compute_geometric_tail
from pydpstat._order import convert_floats, count_discordant_pairs, make_blocks, order_by_two_keys
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats

# largest number of values of an exact distribution
MAX_EXACT_VALUES = 40_000
# largest number of operations for an exact distribution of signed ranks
MAX_OPERATIONS = 2e7
# largest smaller group for which the exact recursion is numerically stable
MAX_STABLE_RECORDS = 50
# size of the smaller group below which a scaled distribution with a smaller second group is used
MIN_GROUP_RECORDS = 20
# number of cells of a normal distribution, and their range in standard deviations
NORMAL_CELLS, NORMAL_RANGE = 4096, 9.0
# noise exceeds this divided by its rate with a probability below 1e-4
_NOISE_RANGE = 10.0
# second, fourth and sixth cumulant of a fair Bernoulli variable
TRIAL_CUMULANTS = (Fraction(1, 4), Fraction(-1, 8), Fraction(1, 4))
# the same of a uniform distribution on 0 to j - 1, divided by j^2 - 1, j^4 - 1 and j^6 - 1
UNIFORM_CUMULANTS = (Fraction(1, 12), Fraction(-1, 120), Fraction(1, 252))


@dataclass(frozen=True, slots=True, eq=False)
class DiscreteDistribution(ReadOnlyArrays):
    """Distribution of an integer-valued statistic, exact or in cells of width `step`."""

    positions: Floats
    masses: Floats
    step: float = 0.0

    @property
    def pvalue_floor(self) -> float:
        """Smallest p-value: the probability at infinity, beyond all draws."""
        return float(self.masses[np.isinf(self.positions)].sum())


@dataclass(frozen=True, slots=True, eq=False)
class NoisyTail(ReadOnlyArrays):
    """Upper tail of a noisy statistic, in the unit in which it is reported."""

    distribution: DiscreteDistribution
    rate: float
    unit: float = 1.0
    is_squared: bool = False

    def __call__(self, x: float) -> float:
        """Return the probability of a value of at least x."""
        size = math.sqrt(abs(x) / self.unit) if self.is_squared else abs(x) / self.unit
        return compute_upper_tail(self.distribution, math.copysign(size, x), self.rate)

    @property
    def effective_range(self) -> tuple[float, float]:
        """Range outside which lies less than a thousandth of the probability."""
        values = self.distribution.positions[np.isfinite(self.distribution.positions)]
        noise = _NOISE_RANGE / self.rate
        low, high = float(values.min()) - noise, float(values.max()) + noise
        if self.is_squared:
            low, high = low * abs(low), high * abs(high)
        return self.unit * low, self.unit * high


def compute_upper_tail(distribution: DiscreteDistribution, z: float, rate: float) -> float:
    """Return P(T + N >= z) for T with this distribution, and P(N = k) proportional to exp(-rate |k|).

    For a distribution in cells, N is approximated by a Laplace variable of the same variance, and z by z - 1/2.
    """
    distance = z - distribution.positions
    tails = (
        compute_geometric_tail(distance, rate)
        if distribution.step == 0.0
        else _compute_cell_tail(distance, distribution.step, rate)
    )
    # no BLAS product, because starting its threads takes longer than the sum
    return float(min(max((distribution.masses * tails).sum(), 0.0), 1.0))


def _compute_cell_tail(distance: Floats, step: float, rate: float) -> Floats:
    """Return P(N + U >= distance - 1/2), with U uniform on a cell."""
    # Var N = 1 / (2 sinh(rate / 2)^2), which equals the variance 2 scale^2 of the Laplace distribution
    scale = 0.5 / math.sinh(0.5 * rate) if rate < 1000.0 else 0.0
    cell_distance = distance - 0.5
    return (
        integrate_laplace_tail(cell_distance - 0.5 * step, scale)
        - integrate_laplace_tail(cell_distance + 0.5 * step, scale)
    ) / step


def integrate_laplace_tail(x: Floats, scale: float) -> Floats:
    """Return the integral of the upper tail of a Laplace distribution from x to infinity."""
    if scale == 0.0:
        return np.maximum(-x, 0.0)
    return np.maximum(-x, 0.0) + 0.5 * scale * np.exp(-np.abs(x) / scale)


def compute_rank_pvalue(
    distribution: DiscreteDistribution, z: float, highest: int, rate: float, alternative: str
) -> float:
    """Return the p-value of a noisy statistic with a symmetric distribution on 0 to `highest`.

    The two-sided one is twice the smaller of the one-sided ones, at most 1.
    """
    above, below = (
        compute_upper_tail(distribution, z, rate),
        compute_upper_tail(distribution, highest - z, rate),
    )
    if alternative == "two-sided":
        return min(1.0, 2.0 * min(above, below))
    return above if alternative == "greater" else below


@lru_cache(maxsize=64)
def make_mann_whitney_distribution(first: int, second: int) -> DiscreteDistribution:
    """Return the null distribution of the number of pairs in which the first record is larger.

    Mann, H. B. and Whitney, D. R. (1947). On a test of whether one of two random variables is stochastically
    larger than the other. Annals of Mathematical Statistics 18, 50-60.

    It is exact for up to 40,000 pairs and 50 records in the smaller group. Beyond, with fewer than 20 in it, it is
    that of a smaller second group, scaled; else normal with an Edgeworth correction by the fourth and sixth
    cumulants. The error of a p-value is then below 2e-6.
    """
    smaller, larger = sorted((first, second))
    cumulants = _compute_rank_sum_cumulants(smaller, larger)
    if smaller * larger <= MAX_EXACT_VALUES and smaller <= MAX_STABLE_RECORDS:
        return _make_lattice_distribution(_compute_mann_whitney_masses(smaller, larger))
    if smaller < MIN_GROUP_RECORDS:
        inner = MAX_EXACT_VALUES // smaller
        sd = math.sqrt(_compute_rank_sum_cumulants(smaller, inner)[0])
        return _make_cell_distribution(
            _compute_mann_whitney_masses(smaller, inner), 0.5 * smaller * larger, math.sqrt(cumulants[0]) / sd
        )
    return _make_edgeworth_distribution(0.5 * smaller * larger, cumulants)


@lru_cache(maxsize=64)
def make_signed_rank_distribution(records: int, cap: int) -> DiscreteDistribution:
    """Return the null distribution of the sum of capped ranks min(rank, cap) with a positive sign.

    It is exact if that takes up to 2e7 operations (300 records without a cap); else as in
    `make_mann_whitney_distribution`. Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics
    Bulletin 1, 80-83.
    """
    total = sum_capped_ranks(records, cap)
    if records * total <= MAX_OPERATIONS:
        masses, size = np.zeros(total + 1), 1
        masses[0] = 1.0
        for rank in range(1, records + 1):
            weight = min(rank, cap)
            half_masses = 0.5 * masses[:size]
            masses[:size] = half_masses
            masses[weight : size + weight] += half_masses
            size += weight
        return _make_lattice_distribution(masses)
    powers = (sum_powers(cap - 1, 2 * k) + (records - cap + 1) * cap ** (2 * k) for k in (1, 2, 3))
    return _make_edgeworth_distribution(
        0.5 * total, [float(cumulant * power) for cumulant, power in zip(TRIAL_CUMULANTS, powers)]
    )


def compute_discordant_variance(records: int) -> float:
    """Return the variance of the number of discordant pairs of independent variables without ties."""
    return records * (records - 1) * (2 * records + 5) / 72.0


@lru_cache(maxsize=64)
def make_kendall_distribution(records: int) -> DiscreteDistribution:
    """Return the null distribution of the number of concordant pairs of independent variables without ties.

    It is exact up to 40,000 pairs, else as in `make_mann_whitney_distribution`. Kendall, M. G. (1938). A new measure
    of rank correlation. Biometrika 30, 81-93.
    """
    total = records * (records - 1) // 2
    if total <= MAX_EXACT_VALUES:
        masses = np.ones(1)
        for values in range(2, records + 1):
            sums = np.cumsum(np.concatenate((masses, np.zeros(values - 1))))
            sums[values:] -= sums[:-values].copy()
            masses = sums / values
        return _make_lattice_distribution(masses)
    powers = (sum_powers(records, 2 * k) - records for k in (1, 2, 3))
    return _make_edgeworth_distribution(
        0.5 * total, [float(cumulant * power) for cumulant, power in zip(UNIFORM_CUMULANTS, powers)]
    )


def sum_capped_ranks(records: int, cap: int) -> int:
    """Return the sum of all capped ranks."""
    return cap * (cap - 1) // 2 + (records - cap + 1) * cap


@lru_cache(maxsize=256)
def choose_rank_cap(records: int, epsilon: float) -> int:
    """Choose the cap of ranks with the most power for a small shift of normal records, from public numbers.

    With w = cap / n and J(u) = min(u / w, 1), the mean of the capped sum changes by n cap E[|Z| J] / 2 per
    standard deviation of shift, with Z standard normal and u the fraction of smaller absolute values. Its variance is
    n cap^2 (1 - 2 w / 3) / 4 without a shift, plus that of the noise. In closed form
    E[|Z| J] = 2 (Phi(sqrt(2) x) - 1/2) / (sqrt(pi) w) with x = Phi^-1((1 + w) / 2).
    """
    caps = np.unique(np.maximum(np.rint(np.linspace(0.0, 1.0, 101) * records), 1.0))
    shares = np.minimum(caps / records, 1.0 - 1e-12)
    slopes = (ndtr(math.sqrt(2.0) * ndtri(0.5 + 0.5 * shares)) - 0.5) / shares
    noise = 0.5 / np.sinh(np.minimum(0.5 * epsilon / caps, 300.0)) ** 2 / caps**2
    variances = 0.25 * records * (1.0 - 2.0 / 3.0 * shares) + noise
    return int(caps[np.argmax(slopes * slopes / variances)])


def sum_powers(last: int, power: int) -> int:
    """Return 1 + 2^p + ... + last^p for p = 2, 4 or 6, exactly."""
    n = last
    base = n * (n + 1) * (2 * n + 1)
    if power == 2:
        return base // 6
    if power == 4:
        return base * (3 * n * n + 3 * n - 1) // 30
    return base * (3 * n**4 + 6 * n**3 - 3 * n + 1) // 42


def _compute_rank_sum_cumulants(few: int, many: int) -> list[float]:
    powers = (sum_powers(few + many, 2 * k) - sum_powers(many, 2 * k) - sum_powers(few, 2 * k) for k in (1, 2, 3))
    return [float(cumulant * power) for cumulant, power in zip(UNIFORM_CUMULANTS, powers)]


def _compute_mann_whitney_masses(few: int, many: int) -> Floats:
    """Return the probabilities of 0 to few * many, by the product of (1 - q^(many + i)) / (1 - q^i)."""
    masses = np.ones(1)
    for i in range(1, few + 1):
        size = i * many + 1
        rows = -(-(size + i) // i)
        work = np.zeros(rows * i)
        work[: masses.size] = masses
        # terms beyond the last coefficient of the quotient are not needed
        n_terms = min(masses.size, work.size - many - i)
        if n_terms > 0:
            work[many + i : many + i + n_terms] -= masses[:n_terms]
        quotient = np.cumsum(work.reshape(rows, i), axis=0).ravel()[:size]
        masses = quotient * (i / (many + i))
    return masses


def _make_lattice_distribution(masses: Floats) -> DiscreteDistribution:
    # removes negative rounding errors in the tails; the distribution is symmetric
    masses = np.maximum(0.5 * (masses + masses[::-1]), 0.0)
    return DiscreteDistribution(np.arange(masses.size, dtype=np.float64), masses / masses.sum())


def _make_cell_distribution(masses: Floats, center: float, step: float) -> DiscreteDistribution:
    lattice = _make_lattice_distribution(masses)
    return DiscreteDistribution(center + step * (lattice.positions - 0.5 * (masses.size - 1)), lattice.masses, step)


def _make_edgeworth_distribution(center: float, cumulants: Iterable[float]) -> DiscreteDistribution:
    """Return a distribution in cells from its variance, fourth and sixth cumulants; the odd ones are 0.

    Kolassa, J. E. (2006). Series approximation methods in statistics, third edition, chapter 3.
    """
    variance, fourth, sixth = cumulants
    sd = math.sqrt(variance)
    fourth, sixth = fourth / variance**2, sixth / variance**3
    edges = np.linspace(0.0, NORMAL_RANGE, NORMAL_CELLS // 2 + 1)
    square = edges * edges
    third_order = edges * (square - 3.0)
    fifth = edges * (square * square - 10.0 * square + 15.0)
    seventh = edges * (((square - 21.0) * square + 105.0) * square - 105.0)
    correction = fourth / 24.0 * third_order + sixth / 720.0 * fifth + fourth**2 / 1152.0 * seventh
    tails = ndtr(-edges) + np.exp(-0.5 * square) / math.sqrt(2.0 * math.pi) * correction
    half = np.maximum(-np.diff(tails), 0.0)
    masses = np.concatenate((half[::-1], half))
    step = sd * edges[1]
    middle = np.arange(NORMAL_CELLS) - 0.5 * (NORMAL_CELLS - 1)
    return DiscreteDistribution(center + step * middle, masses / masses.sum(), step)


Integers = npt.NDArray[np.int64]
# binary digits to which values of a distribution function are rounded
UNIT_BITS = 32
_MAX_COUNTED_RECORDS = 20_000_000


def rank_values(values: Floats, keys: Integers) -> Integers:
    """Return ranks from 1, with ties broken by the keys, integers from 0 on."""
    order, _ = order_by_two_keys(values, keys, convert_floats)
    ranks = np.empty(values.size, dtype=np.int64)
    ranks[order] = np.arange(1, values.size + 1)
    return ranks


def count_pairs_won(first: Floats, second: Floats, keys: Integers) -> int:
    """Return the number of pairs of a first and a second record in which the first is larger."""
    order, _ = order_by_two_keys(np.concatenate((first, second)), keys, convert_floats)
    places = sum(int((np.flatnonzero(order[rows] < first.size) + rows.start).sum()) for rows in make_blocks(order.size))
    return places - first.size * (first.size - 1) // 2


def sum_positive_ranks(values: Floats, signs: npt.NDArray[np.bool_], keys: Integers, cap: int) -> int:
    """Return the sum of min(rank of the absolute value, cap) over positive records; `signs` are those of zeros."""
    order, _ = order_by_two_keys(values, keys, _convert_sizes)
    is_positive = (values > 0.0) | ((values == 0.0) & signs)
    total = 0
    for rows in make_blocks(order.size):
        ranks = np.flatnonzero(is_positive[order[rows]]) + (rows.start + 1)
        total += int(np.minimum(ranks, cap).sum())
    return total


def _convert_sizes(values: Floats) -> npt.NDArray[np.uint64]:
    return convert_floats(np.abs(values))


def check_pair_count(size: int, argument: str) -> None:
    """Raise an error if there are too many records for an exact count of pairs."""
    if size > _MAX_COUNTED_RECORDS:
        raise PydpstatError(
            f"{argument} must have at most {_MAX_COUNTED_RECORDS} records, so that pairs can be counted "
            f"exactly; got {size}. Take a public part of them."
        )


def count_concordant_pairs(first: Floats, second: Floats, keys: Integers) -> int:
    """Return the number of pairs of records in the same order by both variables; `keys` are of shape (2, n)."""
    size = first.size
    order, _ = order_by_two_keys(first, keys[0], convert_floats)
    return size * (size - 1) // 2 - count_discordant_pairs(rank_values(second, keys[1])[order] - 1)


def compute_rank_deviations(groups: Sequence[Floats], keys: Integers) -> list[int]:
    """Return each group's sum of 2 rank - (N + 1), which has mean 0."""
    ranks = rank_values(np.concatenate(list(groups)), keys)
    group_ends = np.cumsum([group.size for group in groups])
    return [
        2 * int(ranks[end - group.size : end].sum()) - group.size * (ranks.size + 1)
        for group, end in zip(groups, group_ends.tolist())
    ]


def compute_ks_distance(cdf_values: Floats, left_cdf_values: Floats, alternative: str) -> int:
    """Return n 2^32 times the distance of an empirical distribution function from the hypothesis.

    The distance above is the maximum of the empirical function of `cdf_values` minus the identity; that below is
    the maximum of the identity minus the empirical function of `left_cdf_values`. The unscaled distance has the
    sensitivity 1 / n.
    """
    scaled_ranks = np.arange(cdf_values.size + 1, dtype=np.int64) << UNIT_BITS
    above = int((scaled_ranks[1:] - _sort_rounded_shares(cdf_values)).max())
    below = int((_sort_rounded_shares(left_cdf_values) - scaled_ranks[:-1]).max())
    # with an atom all values may be on one side
    return _select_distance(max(above, 0), max(below, 0), alternative)


def _sort_rounded_shares(shares: Floats) -> Integers:
    return np.sort(np.rint(shares * 2.0**UNIT_BITS).astype(np.int64)) * shares.size


def compute_two_sample_ks_distance(first: Floats, second: Floats, alternative: str) -> int:
    """Return n1 n2 times the distance of two empirical distribution functions, evaluated after all ties."""
    pooled = np.sort(np.concatenate((first, second)))
    at_first = np.searchsorted(np.sort(first), pooled, side="right")
    at_second = np.searchsorted(np.sort(second), pooled, side="right")
    gaps = at_first * second.size - at_second * first.size
    return _select_distance(max(int(gaps.max()), 0), max(-int(gaps.min()), 0), alternative)


def _select_distance(above: int, below: int, alternative: str) -> int:
    """Return the distance for an alternative: "greater" means a distribution function above."""
    return {"two-sided": max(above, below), "greater": above, "less": below}[alternative]

"""Confidence intervals for quantiles from noisy cell counts, for a public or private number of records."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._data.progress import Progress
from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._null_distributions.noise import (
    SMALLEST_RATE,
    compute_geometric_pmf,
    compute_noise_variance,
    compute_support_radius,
    make_geometric_sum,
)
from pydpstat._null_distributions.proportions.one_proportion import bound_binomial_deviation, compute_binomial_points
from pydpstat._null_distributions.proportions.shares import RANDOM_SAMPLE, ShareIntervals
from pydpstat.r_arithmetic.elementary import Floats

MIN_BINS, MAX_BINS = 8, 8192
# modulus below which Fourier coefficients are neglected
_NEGLIGIBLE_FREQUENCY = 1e-15
# largest number of lattice points; a wider distribution has a larger step
_MAX_LATTICE_POINTS = 2**16


def choose_bin_number(n: int, epsilon: float) -> int:
    """Return the number of bins of a histogram for quantile intervals."""
    target = 0.8 * math.pow(n * epsilon, 0.7)
    return int(2 ** round(math.log2(min(max(target, MIN_BINS), MAX_BINS))))


def compute_quantile_slope(
    quantile: Callable[[float], float], share: float, deviation: float, half_step: float
) -> float:
    """Return the change of a quantile per standard deviation of the noise in each cell."""
    low, high = quantile(max(share - half_step, 0.0)), quantile(min(share + half_step, 1.0))
    return (high - low) / (2.0 * deviation)


def compute_quantile_limits(
    noisy_cells: npt.ArrayLike, edges: npt.ArrayLike, n: int, q: float, alpha: float, rate: float
) -> tuple[float, float]:
    """Return limits that cover a population's q-quantile with probability at least 1 - alpha.

    Drechsler, J., Globus-Harris, I., McMillan, A., Sarathy, J. and Smith, A. (2022). Nonparametric
    differentially private confidence intervals for the median. Journal of Survey Statistics and Methodology
    10 (other intervals of the kind).

    Let Q be a q-quantile, P(X < Q) <= q <= P(X <= Q), of independent records. A_i is an estimate of the number of
    records below the edge e_i, and c_i the largest number with P(K + N_i <= c_i) <= alpha / 2, K binomial
    (n, q), N_i the noise of A_i. The lower limit L is the last edge before the first one with A_i > c_i.
    *It is above Q with probability at most alpha / 2.* If L > Q, let e_i be the first inner edge above
    Q: then e_i <= L, and A_i <= c_i. The true number of records below e_i is at least that of records <= Q,
    which is stochastically at least K as P(X <= Q) >= q. So the event has at most the probability of K + N_i
    <= c_i. Q determines the edge e_i, so that only one edge matters: no correction for many edges is needed.
    Ties and gaps change nothing. The upper limit is the mirror image, with 1 - q and the records at or above an
    edge: from P(X >= Q) >= 1 - q the same follows for the last inner edge that is not above Q. If the limits
    cross, their hull is returned, which contains both.

    A_i may be the sum of the i cells below, or n minus that of the others, with noise of i or B - i cells;
    for the middle half of the edges it is the mean of both, whose noise is half of that of all cells: a
    quarter of the variance of all, while each of the two has up to a half. The quantiles c_i are computed from the
    Fourier series of the distribution, with all terms above 1e-15.
    """
    cells = np.asarray(noisy_cells, dtype=np.float64)
    low = _find_last_edge(cells, n, (n, q), 0.5 * alpha, rate)
    return _order_edges(edges, low, cells.size - _find_last_edge(cells[::-1], n, (n, 1.0 - q), 0.5 * alpha, rate))


def compute_sample_limits(
    noisy_cells: npt.ArrayLike, edges: npt.ArrayLike, n: int, q: float, alpha: float, rate: float
) -> tuple[float, float]:
    """Return limits that cover the records' own q-quantile with probability at least 1 - alpha.

    Parameters and limits are as in `compute_quantile_limits`.
    """
    cells = np.asarray(noisy_cells, dtype=np.float64)
    first, last = max(math.floor(n * q), 1), max(n - math.ceil(n * q), 1)
    # a binomial variable with probability 1 is constant
    low = _find_last_edge(cells, n, (first, 1.0), 0.5 * alpha, rate)
    return _order_edges(edges, low, cells.size - _find_last_edge(cells[::-1], n, (last, 1.0), 0.5 * alpha, rate))


def _order_edges(edges: npt.ArrayLike, low: int, high: int) -> tuple[float, float]:
    """Return the edges at two indices in ascending order, or the adjacent ones if the indices are equal."""
    positions = np.asarray(edges, dtype=np.float64)
    if low == high:
        # avoids an interval of a single point
        low, high = max(low - 1, 0), min(high + 1, positions.size - 1)
    return float(positions[min(low, high)]), float(positions[max(low, high)])


def compute_one_sided_limits(
    noisy_cells: npt.ArrayLike,
    edges: npt.ArrayLike,
    n: int,
    q: float,
    tail_probabilities: tuple[float, float],
    rate: float,
) -> tuple[float, float]:
    """Return a lower and an upper limit of a quantile, each with its own probability of missing it; they may cross.

    The arguments are as in `compute_quantile_limits`; a probability of 0 gives the outer edge.
    """
    cells, positions = np.asarray(noisy_cells, dtype=np.float64), np.asarray(edges, dtype=np.float64)
    low = _find_last_edge(cells, n, (n, q), tail_probabilities[0], rate)
    high = _find_last_edge(cells[::-1], n, (n, 1.0 - q), tail_probabilities[1], rate)
    return float(positions[low]), float(positions[cells.size - high])


def _find_last_edge(cells: Floats, n: int, needed: tuple[int, float], tail_probability: float, rate: float) -> int:
    """Return the index of the last edge before the first one with significantly many records below.

    `needed` has the numbers of trials and the probability of the binomial number of records below a quantile.
    """
    if tail_probability <= 0.0 or rate < SMALLEST_RATE:
        return 0
    below, above = cells[:-1].cumsum(), n - cells[:0:-1].cumsum()[::-1]
    sums, means = _compute_count_thresholds(*needed, rate, tail_probability, cells.size)
    # counts at edges 1 to B - 1, doubled so that means of integers are integers
    twice = below + above
    outer = sums.size
    twice[:outer], twice[twice.size - outer :] = 2.0 * below[:outer], 2.0 * above[twice.size - outer :]
    limits = np.full(twice.size, means)
    limits[:outer], limits[limits.size - outer :] = 2.0 * sums, 2.0 * sums[::-1]
    passed = np.flatnonzero(twice > limits)
    return int(passed[0]) if passed.size else cells.size - 1


@lru_cache(maxsize=32)
def _compute_count_thresholds(
    n: int, q: float, rate: float, tail_probability: float, cells: int
) -> tuple[Floats, float]:
    """Return c for sums of 1, 2, ... cells, up to where means are better, and twice the c of means."""
    outer = min(max(1, cells // 4), cells - 1)
    sums = find_noisy_quantiles(n, q, rate, np.arange(1, outer + 1), tail_probability)
    doubled = find_noisy_quantiles(n, q, rate, np.array([cells]), tail_probability, 2)
    return freeze_array(sums), float(doubled[0])


def find_noisy_quantiles(
    n: int, q: float, rate: float, n_noises: npt.NDArray[np.integer], tail_probability: float, factor: int = 1
) -> Floats:
    """Return the largest c with P(factor K + N <= c) <= `tail_probability`.

    K is binomial, and N the sum of the given number of geometric variables.
    """
    from scipy import fft

    max_noises = int(n_noises.max())
    center = factor * round(n * q)
    radius = math.ceil(factor * (bound_binomial_deviation(n, q) + 1.0)) + compute_support_radius(rate, max_noises)
    step = -(-radius // _MAX_LATTICE_POINTS)
    half = radius // step + 2
    size = fft.next_fast_len(2 * half + 2, real=True)
    values, masses = compute_binomial_points(n, q)
    positions = (factor * values - center) / step
    # each value is divided between the two adjacent grid points, as for the noise
    count = _split_to_grid(positions, masses, size)
    pmf = compute_geometric_pmf(rate, min(half, math.ceil(40.0 / rate / step)), step)
    noise = np.zeros(size)
    noise[np.arange(-(pmf.size // 2), pmf.size // 2 + 1)] = pmf
    spectrum, decay = fft.rfft(count), fft.rfft(noise).real
    # roots of unity, in the order of their exponents
    unit = np.zeros(size)
    unit[1] = 1.0
    cyclic = _CyclicDistributions(spectrum, decay, fft.fft(unit).conj(), half)
    quantiles = np.empty(n_noises.size)
    # with more noises, fewer frequencies are non-negligible
    octaves = np.frexp(n_noises)[1]
    for octave in np.unique(octaves).tolist():
        selected = octaves == octave
        quantiles[selected] = step * cyclic.find_quantiles(n_noises[selected], tail_probability) + center
    return quantiles


class _CyclicDistributions(NamedTuple):
    """Transforms of distributions on integers modulo some number: of a count and of a noise, with roots of unity."""

    spectrum: npt.NDArray[np.complex128]
    decay: Floats
    unity_roots: npt.NDArray[np.complex128]
    half_size: int

    def find_quantiles(self, n_noises: npt.NDArray[np.integer], tail_probability: float) -> npt.NDArray[np.int64]:
        """Return the largest c with P(K + N <= c) <= `tail_probability`, with K counted from its middle."""
        size = self.unity_roots.size
        if n_noises.max() < 4:
            # with few noises many frequencies are non-negligible
            return np.array([self._find_quantile_by_sums(int(number), tail_probability) for number in n_noises])
        sizes = np.abs(self.spectrum) * np.abs(self.decay) ** int(n_noises.min())
        k = 1 + np.flatnonzero(sizes[1:] > _NEGLIGIBLE_FREQUENCY)
        # one of each conjugate pair is summed; the last of an even number has no conjugate
        weights = np.where(2 * k == size, 1.0, 2.0) / size * self.spectrum[k] / (self.unity_roots[k] - 1.0)
        series = weights * self.decay[k] ** n_noises[:, None]
        origin = (series * self.unity_roots[(-self.half_size * k) % size]).real.sum(axis=1)
        low, high = np.full(n_noises.size, -self.half_size), np.full(n_noises.size, self.half_size)
        for _ in range(int(2 * self.half_size).bit_length()):
            middle = (low + high + 1) // 2
            waves = self.unity_roots[(middle[:, None] + 1) * k % size]
            below = (middle + self.half_size + 1.0) / size + (series * waves).real.sum(axis=1) - origin
            low, high = (
                np.where(below <= tail_probability, middle, low),
                np.where(below <= tail_probability, high, middle - 1),
            )
        return low

    def _find_quantile_by_sums(self, n_noises: int, tail_probability: float) -> int:
        """Return the same quantile for one number of noises, from all probabilities."""
        from scipy import fft

        masses = fft.irfft(self.spectrum * self.decay**n_noises, self.unity_roots.size)
        below = np.roll(masses, self.half_size)[: 2 * self.half_size + 1].cumsum()
        return int(np.count_nonzero(below <= tail_probability)) - 1 - self.half_size


MAX_CELLS = 1024
# number of grid points on which distributions are convolved
_GRID_POINTS = 8192
# fraction of the tail probability for excluded numbers of records
_EXCLUDED_SHARE = 0.02
# truncation points of a distribution, in standard deviations and decay lengths of the noise
_SUPPORT_DEVIATIONS, _SUPPORT_DECAYS = 12.0, 40.0
_SMALLEST_TRANSFORM = 1e-300
# number of records below which smaller ones are tried, too, since the shape of the distribution depends on them
_FEW_RECORDS = 200


def compute_private_limits(
    noisy_cells: npt.ArrayLike, edges: npt.ArrayLike, q: float, alpha: float, rate: float, of_sample: bool = False
) -> tuple[float, float]:
    """Return limits that cover a population's q-quantile with probability at least 1 - alpha.

    With A_i and B_i the noisy numbers of records below and above the edge e_i,
    ``W_i = (1 - q) A_i - q B_i``. Let Q be the quantile and e_i the first inner edge above it. At least a
    fraction q of the population is below, so that W_i is stochastically at least
    ``K - q n + (1 - q) N - q N'``, K binomial (n, q), N and N' the noise of the cells below and above. c_i is
    the largest number that this is at most with probability alpha / 2. The lower limit is the last edge
    before the first one with W_i > c_i: if it is above Q, W_i is at most c_i at that edge, which Q
    determines. So only one edge matters, as with a public number of records. The upper limit is the mirror image. n
    is unknown in c_i only, and the distribution is wider for larger n: it is evaluated at an upper confidence limit,
    which is missed with a fiftieth of alpha / 2, and at smaller numbers if there are few records. For the
    records' own quantile K - q n is at least -1, whatever n is.

    Distributions are convolved on a grid, with values between two of its points divided between these, which
    preserves means and widens the distribution; c_i is one step lower than the result.
    """
    cells, positions = np.asarray(noisy_cells, dtype=np.float64), np.asarray(edges, dtype=np.float64)
    if rate < SMALLEST_RATE or cells.size < 2:
        return float(positions[0]), float(positions[-1])
    low = _find_last_private_edge(cells, q, 0.5 * alpha, rate, of_sample)
    high = cells.size - _find_last_private_edge(cells[::-1], 1.0 - q, 0.5 * alpha, rate, of_sample)
    if low == high:
        # avoids an interval of a single point
        low, high = max(low - 1, 0), min(high + 1, cells.size)
    return float(positions[min(low, high)]), float(positions[max(low, high)])


def _find_last_private_edge(cells: Floats, q: float, tail_probability: float, rate: float, of_sample: bool) -> int:
    """Return the index of the last edge before the first one with a significant weighted difference."""
    below = cells.cumsum()
    total = float(below[-1])
    weighted = (1.0 - q) * below[:-1] - q * (total - below[:-1])
    excluded = 0.0 if of_sample else _EXCLUDED_SHARE * tail_probability
    sizes = (0,) if of_sample else _find_plausible_sizes(total, cells.size, rate, excluded)
    differences = _WeightedDifferences(max(sizes), q, rate, cells.size)
    # thresholds lie within the support of the distribution, and above 0 by at most a step of the count
    open_ = np.flatnonzero(weighted > -differences.support_radius - 1.0)
    surely_passed = open_[weighted[open_] > 1.0]
    candidates = open_ if surely_passed.size == 0 else open_[open_ <= surely_passed[0]]
    if not candidates.size:
        return cells.size - 1
    limits = np.min(
        [
            _WeightedDifferences(n, q, rate, cells.size).compute_thresholds(candidates + 1, tail_probability - excluded)
            for n in sizes
        ],
        axis=0,
    )
    passed = candidates[weighted[candidates] > limits - (1.0 if of_sample else 0.0)]
    return int(passed[0]) if passed.size else cells.size - 1


def _find_plausible_sizes(total: float, cells: int, rate: float, excluded: float) -> tuple[int, ...]:
    """Return the upper confidence limit of the number of records, and smaller numbers if it is small."""
    max_size = math.ceil(max(total + make_geometric_sum(rate, cells).compute_quantile(excluded), 0.0))
    return (max_size,) if max_size > _FEW_RECORDS else tuple({max_size, max_size // 2, max_size // 4})


class _WeightedDifferences:
    """Distributions of K - q n + (1 - q) N - q N', K binomial (n, q).

    N and N' are the noise of the cells below and above an edge.
    """

    def __init__(self, n: int, q: float, rate: float, cells: int) -> None:
        self.n, self.q, self.rate, self.cells = n, q, rate, cells
        largest = max(q, 1.0 - q) ** 2 * cells * compute_noise_variance(rate)
        self.support_radius = (
            _SUPPORT_DEVIATIONS * math.sqrt(n * q * (1.0 - q) + largest) + _SUPPORT_DECAYS / rate + 1.0
        )

    def compute_thresholds(self, below: npt.NDArray[np.integer], tail_probability: float) -> Floats:
        """Return the largest numbers not exceeded with `tail_probability`, for given numbers of cells below."""
        from scipy import fft

        step = 2.0 * self.support_radius / _GRID_POINTS
        values, masses = compute_binomial_points(self.n, self.q)
        count = fft.rfft(_split_to_grid((values - self.q * self.n) / step, masses))
        # values that are much denser than the grid are merged
        spacing = max(1, math.floor(_SUPPORT_DECAYS / self.rate / _GRID_POINTS))
        pmf = compute_geometric_pmf(self.rate, math.ceil(_SUPPORT_DECAYS / self.rate / spacing), spacing)
        lattice = spacing / step * np.arange(-(pmf.size // 2), pmf.size // 2 + 1)
        # the transform of symmetric noise is real, and positive up to grid errors
        log_below, log_above = (
            np.log(np.maximum(fft.rfft(_split_to_grid(weight * lattice, pmf)).real, _SMALLEST_TRANSFORM))
            for weight in (1.0 - self.q, self.q)
        )
        # for a median it is the same for all edges
        number = below[:1] if self.q == 0.5 else below
        ranks = np.empty(number.size)
        for start in range(0, number.size, 64):
            chunk = number[start : start + 64, None]
            spectra = count * np.exp(chunk * log_below + (self.cells - chunk) * log_above)
            masses = np.roll(fft.irfft(spectra, _GRID_POINTS, axis=1), _GRID_POINTS // 2, axis=1)
            ranks[start : start + 64] = (masses.cumsum(axis=1) <= tail_probability).sum(axis=1)
        return np.broadcast_to((ranks - 2.0 - _GRID_POINTS // 2) * step, below.shape)


def _split_to_grid(places: npt.NDArray[np.floating[Any]], masses: Floats, points: int = _GRID_POINTS) -> Floats:
    """Distribute masses over a circular grid, each between the two adjacent points."""
    lower = np.floor(places)
    fraction = places - lower
    indices = lower.astype(np.int64)
    lower_masses: Any = np.bincount(indices % points, masses * (1.0 - fraction), points)
    grid_masses: Floats = lower_masses + np.bincount((indices + 1) % points, masses * fraction, points)
    return grid_masses


@dataclass(frozen=True, eq=False)
class HistogramIntervals(ShareIntervals):
    """Confidence intervals of the shares of histogram bins, and of quantiles."""

    def make_quantile_intervals(
        self, edges: Floats, shares: tuple[float, ...], shape: tuple[int, ...]
    ) -> QuantileIntervals:
        """Return the intervals of quantiles, ordered by group and then by quantile, in the given shape."""
        return QuantileIntervals(self.counts, edges, self.size, self.rate, shares, shape)


@dataclass(frozen=True, eq=False)
class QuantileIntervals(ReadOnlyArrays):
    """Intervals for quantiles of the records of a histogram, and of their populations."""

    cells: Floats
    edges: Floats
    size: int | None
    rate: float
    shares: tuple[float, ...]
    shape: tuple[int, ...]

    assumptions = (RANDOM_SAMPLE,)

    @property
    def validity(self) -> str:
        """Validity label of the intervals."""
        return "model" if self.size is None else "exact"

    def compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits for each quantile of the population."""
        return self._compute_all_limits(alpha, False)

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits for each quantile of the records."""
        return self._compute_all_limits(alpha, True)

    def _compute_all_limits(self, alpha: float, of_sample: bool) -> tuple[Floats, Floats]:
        rows = self.cells.reshape(-1, self.cells.shape[-1])
        items = [(row, share) for row in rows for share in self.shares]
        with Progress(lambda: len(items), "intervals") as progress:
            limits = [progress.count_one(self._compute_row_limits(*item, alpha, of_sample)) for item in items]
        low, high = np.array(limits).reshape(-1, 2).T
        return low.reshape(self.shape), high.reshape(self.shape)

    def _compute_row_limits(self, cells: Floats, share: float, alpha: float, of_sample: bool) -> tuple[float, float]:
        if self.rate < SMALLEST_RATE or self.size == 0 or cells.size == 1:
            return float(self.edges[0]), float(self.edges[-1])
        if self.size is None:
            return compute_private_limits(cells, self.edges, share, alpha, self.rate, of_sample)
        compute_limits = compute_sample_limits if of_sample else compute_quantile_limits
        return compute_limits(cells, self.edges, self.size, share, alpha, self.rate)

"""Intervals for quantiles from a histogram with noisy counts: exact for every distribution."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.inference._laws.binomial import Floats, binomial_points, binomial_reach
from pydpstat.inference._laws.geometric_sums import SMALLEST_RATE, geometric_pmf, noise_reach

FEWEST_BINS, MOST_BINS = 8, 8192
# frequencies of a distribution beyond which its Fourier transform is nothing
_NOTHING = 1e-15
# a distribution that reaches further is looked at in steps, by so many of them
_MOST = 2**16


def bin_number(n: int, epsilon: float) -> int:
    """Return how many bins a histogram for quantile intervals should have."""
    wanted = 0.8 * math.pow(n * epsilon, 0.7)
    return int(2 ** round(math.log2(min(max(wanted, FEWEST_BINS), MOST_BINS))))


def quantile_slope(quantile: Callable[[float], float], share: float, deviation: float, apart: float) -> float:
    """Return how far noise of a standard deviation of 1 in each cell moves a quantile."""
    low, high = quantile(max(share - apart, 0.0)), quantile(min(share + apart, 1.0))
    return (high - low) / (2.0 * deviation)


def quantile_ends(
    noisy_cells: npt.ArrayLike, edges: npt.ArrayLike, n: int, q: float, alpha: float, rate: float
) -> tuple[float, float]:
    """Return an interval that covers a population's q-quantile with a probability of 1 - alpha at least.

    Drechsler, J., Globus-Harris, I., McMillan, A., Sarathy, J. and Smith, A. (2022). Nonparametric
    differentially private confidence intervals for the median. Journal of Survey Statistics and Methodology
    10 (other intervals of the kind).
    """
    cells = np.asarray(noisy_cells, dtype=np.float64)
    low = _passage(cells, n, (n, q), 0.5 * alpha, rate)
    return _hull(edges, low, cells.size - _passage(cells[::-1], n, (n, 1.0 - q), 0.5 * alpha, rate))


def sample_ends(
    noisy_cells: npt.ArrayLike, edges: npt.ArrayLike, n: int, q: float, alpha: float, rate: float
) -> tuple[float, float]:
    """Return an interval that covers the records' own q-quantile with a probability of 1 - alpha at least.

    Parameters and ends are as in `quantile_ends`.
    """
    cells = np.asarray(noisy_cells, dtype=np.float64)
    first, last = max(math.floor(n * q), 1), max(n - math.ceil(n * q), 1)
    # a binomial number with the share 1 is no chance
    low = _passage(cells, n, (first, 1.0), 0.5 * alpha, rate)
    return _hull(edges, low, cells.size - _passage(cells[::-1], n, (last, 1.0), 0.5 * alpha, rate))


def _hull(edges: npt.ArrayLike, low: int, high: int) -> tuple[float, float]:
    """Return the edges in these places in their order, and those around them where they are one."""
    places = np.asarray(edges, dtype=np.float64)
    if low == high:
        # a single point would be the whole interval
        low, high = max(low - 1, 0), min(high + 1, places.size - 1)
    return float(places[min(low, high)]), float(places[max(low, high)])


def quantile_limits(
    noisy_cells: npt.ArrayLike,
    edges: npt.ArrayLike,
    n: int,
    q: float,
    shares: tuple[float, float],
    rate: float,
) -> tuple[float, float]:
    """Return a lower and an upper limit of a quantile, each missing it with its share; they may cross.

    The arguments are as in `quantile_ends`; a share of 0 gives the outer edge.
    """
    cells, places = np.asarray(noisy_cells, dtype=np.float64), np.asarray(edges, dtype=np.float64)
    low = _passage(cells, n, (n, q), shares[0], rate)
    high = _passage(cells[::-1], n, (n, 1.0 - q), shares[1], rate)
    return float(places[low]), float(places[cells.size - high])


def _passage(cells: Floats, n: int, needed: tuple[int, float], share: float, rate: float) -> int:
    """Return which edge is the last one before as many records are below as a quantile needs.

    Of `n` records so many are needed as a binomial number of these trials and this probability.
    """
    if share <= 0.0 or rate < SMALLEST_RATE:
        return 0
    below, above = cells[:-1].cumsum(), n - cells[:0:-1].cumsum()[::-1]
    sums, means = _thresholds(*needed, rate, share, cells.size)
    # at an edge i from 1 to B - 1: doubled, so that means of integers are integers
    twice = below + above
    outer = sums.size
    twice[:outer], twice[twice.size - outer :] = 2.0 * below[:outer], 2.0 * above[twice.size - outer :]
    limits = np.full(twice.size, means)
    limits[:outer], limits[limits.size - outer :] = 2.0 * sums, 2.0 * sums[::-1]
    passed = np.flatnonzero(twice > limits)
    return int(passed[0]) if passed.size else cells.size - 1


@lru_cache(maxsize=32)
def _thresholds(n: int, q: float, rate: float, share: float, cells: int) -> tuple[Floats, float]:
    """Return c for sums of 1, 2, ... cells, as far as means are no better, and twice the c of means."""
    outer = min(max(1, cells // 4), cells - 1)
    sums = lower_quantiles(n, q, rate, np.arange(1, outer + 1), share)
    doubled = lower_quantiles(n, q, rate, np.array([cells]), share, 2)
    return frozen(sums), float(doubled[0])


def lower_quantiles(
    n: int, q: float, rate: float, terms: npt.NDArray[np.integer], share: float, factor: int = 1
) -> Floats:
    """Return the largest c with P(factor K + N <= c) <= share, K binomial, N a sum of so many geometrics."""
    from scipy import fft

    most = int(terms.max())
    center = factor * round(n * q)
    reach = math.ceil(factor * (binomial_reach(n, q) + 1.0)) + noise_reach(rate, most)
    step = -(-reach // _MOST)
    half = reach // step + 2
    size = fft.next_fast_len(2 * half + 2, real=True)
    values, masses = binomial_points(n, q)
    places = (factor * values - center) / step
    lower = np.floor(places)
    # a value is divided between the two places around it, as the noise's values are
    part = places - lower
    count = np.bincount(lower.astype(np.int64) % size, masses * (1.0 - part), size)
    count += np.bincount((lower.astype(np.int64) + 1) % size, masses * part, size)
    one = geometric_pmf(rate, min(half, math.ceil(40.0 / rate / step)), step)
    noise = np.zeros(size)
    noise[np.arange(-(one.size // 2), one.size // 2 + 1)] = one
    spectrum, decay = fft.rfft(count), fft.rfft(noise).real
    # the roots of unity, by their exponents
    unit = np.zeros(size)
    unit[1] = 1.0
    circle = _Circle(spectrum, decay, fft.fft(unit).conj(), half)
    found = np.empty(terms.size)
    # the more noises, the fewer frequencies are left
    octaves = np.frexp(terms)[1]
    for octave in np.unique(octaves).tolist():
        chosen = octaves == octave
        found[chosen] = step * circle.lower_quantiles(terms[chosen], share) + center
    return found


class _Circle(NamedTuple):
    """Distributions on integers modulo some number: transforms of a count and a noise, and roots of unity."""

    spectrum: npt.NDArray[np.complex128]
    decay: Floats
    turns: npt.NDArray[np.complex128]
    half: int

    def lower_quantiles(self, terms: npt.NDArray[np.integer], share: float) -> npt.NDArray[np.int64]:
        """Return the largest c with P(K + N <= c) <= share, K counted from its middle."""
        size = self.turns.size
        if terms.max() < 4:
            # of few noises many frequencies are left
            return np.array([self._summed(int(number), share) for number in terms])
        left = np.abs(self.spectrum) * np.abs(self.decay) ** int(terms.min())
        k = 1 + np.flatnonzero(left[1:] > _NOTHING)
        # of the conjugate pairs one is summed; the last of an even number has none
        weights = np.where(2 * k == size, 1.0, 2.0) / size * self.spectrum[k] / (self.turns[k] - 1.0)
        series = weights * self.decay[k] ** terms[:, None]
        origin = (series * self.turns[(-self.half * k) % size]).real.sum(axis=1)
        low, high = np.full(terms.size, -self.half), np.full(terms.size, self.half)
        for _ in range(int(2 * self.half).bit_length()):
            middle = (low + high + 1) // 2
            waves = self.turns[(middle[:, None] + 1) * k % size]
            below = (middle + self.half + 1.0) / size + (series * waves).real.sum(axis=1) - origin
            low, high = np.where(below <= share, middle, low), np.where(below <= share, high, middle - 1)
        return low

    def _summed(self, terms: int, share: float) -> int:
        """Return the same for one number of noises, from all probabilities."""
        from scipy import fft

        masses = fft.irfft(self.spectrum * self.decay**terms, self.turns.size)
        below = np.roll(masses, self.half)[: 2 * self.half + 1].cumsum()
        return int(np.count_nonzero(below <= share)) - 1 - self.half

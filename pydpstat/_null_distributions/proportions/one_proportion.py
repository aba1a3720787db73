"""Tests and confidence intervals of a proportion from noisy counts, for a public or private number of records."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.noise import (
    SMALLEST_RATE,
    GeometricNoise,
    GeometricSum,
    Tulap,
    compute_noise_variance,
    make_geometric_sum,
)
from pydpstat._search import bisect_up
from pydpstat.r_arithmetic.elementary import Floats, exp, log

SymmetricNoise = Tulap | GeometricNoise | GeometricSum
# probability that is left out of the distribution of the count, and added to every p-value
DROPPED_PROBABILITY = 1e-15
# largest numbers of values of the count without merging, and without steps
_MAX_UNMERGED_VALUES, _MAX_VALUES = 2**14, 2**17


def bound_binomial_deviation(n: int, p: float, excluded: float = DROPPED_PROBABILITY) -> float:
    """Return a limit that |K - n p| of a binomial count K exceeds with probability at most `excluded` (Bernstein)."""
    depth = math.log(2.0 / excluded)
    return depth / 3.0 + math.sqrt(depth * depth / 9.0 + 2.0 * depth * n * p * (1.0 - p))


def compute_binomial_points(n: int, p: float, excluded: float = DROPPED_PROBABILITY) -> tuple[Floats, Floats]:
    """Return the values of a binomial count within the limit of its deviation, and their probabilities."""
    center, half_width = n * p, bound_binomial_deviation(n, p, excluded)
    first, last = max(0, math.ceil(center - half_width)), min(n, math.floor(center + half_width))
    if p == 0.0 or p == 1.0:
        first = last = round(center)
    step = -(-(last - first + 1) // _MAX_VALUES)
    k = np.arange(float(first), last + 1.0, step)
    # log ratio of successive probabilities; for a step of 1 the first term is log((n - k + 1) / k)
    middle = 0.5 * (k[1:] + k[:-1])
    odds = math.log(p) - math.log1p(-p) if k.size > 1 else 0.0
    steps = step * (np.asarray(log((n - middle + 0.5) / (middle + 0.5))) + odds)
    logs = np.append(0.0, steps.cumsum())
    masses = np.asarray(exp(logs - logs.max()))
    return k, masses / masses.sum()


def compute_noisy_tails(z: float, n: int, p: float, noise: SymmetricNoise) -> tuple[float, float]:
    """Return P(K + N >= z) and P(K + N <= z) for a binomial K and symmetric noise N.

    The sums leave out values of K with a total probability of 1e-15, which is added. More than 16,384
    values, as for n above 3 million, are merged and moved outwards, which increases both tails. Both are hence
    upper bounds, and otherwise exact to about 1e-15.
    """
    values, masses = compute_binomial_points(n, p)
    highest = values
    if values.size > _MAX_UNMERGED_VALUES:
        starts = np.arange(0, values.size, -(-values.size // _MAX_UNMERGED_VALUES))
        masses = np.add.reduceat(masses, starts)
        highest = values[np.append(starts[1:] - 1, values.size - 1)]
        values = values[starts]
    upper = float((masses * noise.compute_tail(z - highest)).sum()) + DROPPED_PROBABILITY
    lower = float((masses * noise.compute_tail(values - z)).sum()) + DROPPED_PROBABILITY
    return min(upper, 1.0), min(lower, 1.0)


def combine_tails(upper_tail: float, lower_tail: float, alternative: str) -> float:
    """Return the p-value of an alternative from those of both sides; twice the smaller one if two-sided."""
    return {"greater": upper_tail, "less": lower_tail}.get(alternative, min(1.0, 2.0 * min(upper_tail, lower_tail)))


def get_noisy_tails_floor(alternative: str) -> float:
    """Return the smallest possible p-value of `compute_noisy_tails`."""
    return combine_tails(DROPPED_PROBABILITY, DROPPED_PROBABILITY, alternative)


def split_alpha(alpha: float, alternative: str) -> tuple[float, float]:
    """Return the parts of alpha for the lower and the upper limit; a one-sided interval has one part of 0."""
    parts_by_alternative = {"greater": (alpha, 0.0), "less": (0.0, alpha)}
    return parts_by_alternative.get(alternative, (0.5 * alpha, 0.5 * alpha))


def find_crossing(
    function: Callable[[float], float], start: float, end: float, step: float, tolerance: float = 1e-13
) -> float:
    """Return the first point between `start` and `end` where a function falls below 0, or `end` if there is none."""
    from scipy.optimize import brentq

    inner = start
    if function(inner) < 0.0:
        return inner
    while True:
        outer = min(inner + step, end) if end > start else max(inner - step, end)
        if function(outer) < 0.0:
            return float(brentq(function, inner, outer, xtol=tolerance, rtol=1e-10))
        if outer == end:
            return end
        inner, step = outer, 2.0 * step


@dataclass(frozen=True)
class ProportionInterval:
    """Confidence interval for the probability of a binomial count, from the noisy count.

    Awan, J. and Slavkovic, A. (2020). Differentially private inference for binomial data. Journal of Privacy
    and Confidentiality 10(1).

    The lower limit is the largest p with P_p(K + N >= z) <= alpha / 2, and 0 if there is none; both tails
    are monotone in p, so the interval covers p with 1 - alpha for every p (Clopper and Pearson's construction). z is
    first clipped to [0, n]. This only lengthens the interval: for z > n the upper limit is 1 in either case, as
    P_1(K + N <= n) is at least 1/2, and the lower limit decreases with z.
    """

    noisy_count: float
    n: int
    rate: float
    alternative: str
    has_uniform_noise: bool = True
    n_noises: int = 1

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval."""
        z = min(max(self.noisy_count, 0.0), float(self.n))
        noise: SymmetricNoise = Tulap(self.rate) if self.has_uniform_noise else GeometricNoise(self.rate)
        if self.n_noises > 1:
            noise = make_geometric_sum(self.rate, self.n_noises)
        below, above = split_alpha(alpha, self.alternative)

        def compute_upper_excess(p: float) -> float:
            return compute_noisy_tails(z, self.n, p, noise)[0] - below

        def compute_lower_excess(p: float) -> float:
            return compute_noisy_tails(z, self.n, p, noise)[1] - above

        center = z / self.n
        step = (0.5 * math.sqrt(self.n) + math.sqrt(self.n_noises) / self.rate) / self.n
        # a tail is at least 1/2 at one end of the parameter's range, and may be less at the observed proportion
        lowest = (
            find_crossing(compute_upper_excess, center if compute_upper_excess(center) > 0.0 else 1.0, 0.0, step)
            if below
            else 0.0
        )
        highest = (
            find_crossing(compute_lower_excess, center if compute_lower_excess(center) > 0.0 else 0.0, 1.0, step)
            if above
            else 1.0
        )
        return lowest, highest


# number of sizes that are tried, size up to which all are, and points of the noise of each count
_TRIED_SIZES, _MAX_TRIED_RECORDS, _NOISE_POINTS = 9, 10, 257
# probability that the true size is excluded: for a p-value, and as a fraction of alpha
EXCLUDED_SIZES_PROBABILITY, _EXCLUDED_SHARE = 1e-6, 0.02
# tolerance of interval limits
_LIMIT_TOLERANCE = 1e-8
# largest statistic in the search for a critical value
_LARGEST_STATISTIC = 40.0
# initial step from the limit for one size to that for another, relative to the previous step
_STEP_FACTOR = 0.02


@dataclass(frozen=True)
class NoisyBinaryCounts:
    """Noisy counts of the records that meet a condition and of those that do not.

    Berger, R. L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter.
    Journal of the American Statistical Association 89.

    Under the hypothesis p, W = (1 - p) met - p unmet has the mean 0 whatever the number of records n is. It
    is divided by an estimate of its standard deviation from met + unmet, ``T^2 = W^2 / (max(met + unmet, s
    sqrt(2)) p (1 - p) + ((1 - p)^2 j1 + p^2 j0) s^2)`` with s^2 the variance of one noise, and j1 and j0 the
    numbers of noises. For given noises T
    depends only on the binomial count, whose distribution is summed exactly; the distributions of the noises are
    summed over all their values, or over 257 cells within which they are taken as uniform. The p-value is the
    largest over 9 sizes that are plausible for the noisy total (Berger and Boos), and over all sizes
    up to 10, plus the probability g = 1e-6 that the true one is excluded. For larger sizes the distribution of T
    hardly depends on n.
    """

    successes: float
    failures: float
    rate: float
    n_noises: tuple[int, int] = (1, 1)

    @property
    def proportion(self) -> float:
        """Estimated proportion of records that meet the condition; 1/2 if the noisy total is not positive."""
        total = self.successes + self.failures
        return min(max(self.successes / total, 0.0), 1.0) if total > 0.0 else 0.5

    @property
    def is_informative(self) -> bool:
        """Whether the noisy total exceeds the upper 2.5 % point of its noise."""
        return self.successes + self.failures > make_geometric_sum(self.rate, sum(self.n_noises)).compute_quantile(
            0.025
        )

    def compute_statistic(self, p: float) -> float:
        """Return T, the distance from the hypothesis in standard errors."""
        return float(
            _compute_studentized_counts(
                self.successes, self.failures, p, compute_noise_variance(self.rate), self.n_noises
            )
        )

    def compute_pvalue(self, p: float, alternative: str) -> float:
        """Return the p-value of the hypothesis that the proportion is p."""
        upper, lower = self.compute_tails(p, EXCLUDED_SIZES_PROBABILITY)
        return combine_tails(upper, lower, alternative)

    @staticmethod
    def get_pvalue_floor(alternative: str) -> float:
        """Return the smallest possible p-value, from the probability of excluded sizes."""
        return combine_tails(EXCLUDED_SIZES_PROBABILITY, EXCLUDED_SIZES_PROBABILITY, alternative)

    def compute_tails(self, p: float, excluded: float) -> tuple[float, float]:
        """Return the p-values of both sides, with probability `excluded` of excluded sizes."""
        if self.rate < SMALLEST_RATE:
            return 1.0, 1.0
        observed = self.compute_statistic(p)
        size_tails = [
            _compute_studentized_tails(observed, n, p, self.rate, self.n_noises)
            for n in self.find_plausible_sizes(excluded)
        ]
        upper, lower = (max(tails) for tails in zip(*size_tails))
        return min(1.0, upper + excluded), min(1.0, lower + excluded)

    def compute_tail(self, p: float, n: int, is_upper: bool) -> float:
        """Return the probability of a statistic at least (or at most) as large as observed, with n records."""
        return _compute_studentized_tails(self.compute_statistic(p), n, p, self.rate, self.n_noises)[not is_upper]

    def find_plausible_sizes(self, excluded: float) -> list[int]:
        """Return plausible numbers of records for the noisy total; `excluded` is the probability of others."""
        total = self.successes + self.failures
        half_width = make_geometric_sum(self.rate, sum(self.n_noises)).compute_quantile(0.5 * excluded)
        lowest, highest = max(0.0, total - half_width), max(0.0, total + half_width)
        tried_sizes = np.rint(np.linspace(lowest, highest, _TRIED_SIZES)).astype(np.int64).tolist()
        return sorted({*tried_sizes, *range(math.floor(lowest), min(math.ceil(highest), _MAX_TRIED_RECORDS) + 1)})


def compute_binary_power(
    n: int, rate: float, n_noises: tuple[int, int], p: float, true_proportion: float, level: float
) -> float:
    """Return the power of the test of `NoisyBinaryCounts` for a proportion above p, at `true_proportion`.

    The critical value is that for n records; those for other numbers hardly differ.
    """
    if rate < SMALLEST_RATE or level <= EXCLUDED_SIZES_PROBABILITY:
        return 0.0

    def is_not_rejected(statistic: float) -> bool:
        return _compute_studentized_tails(statistic, n, p, rate, n_noises)[0] + EXCLUDED_SIZES_PROBABILITY > level

    _, limit = bisect_up(is_not_rejected, -_LARGEST_STATISTIC, _LARGEST_STATISTIC, steps=40)
    return _compute_studentized_tails(limit, n, p, rate, n_noises, true_proportion)[0]


@dataclass(frozen=True)
class PrivateSizeProportionInterval:
    """Confidence interval for a proportion from noisy counts, for a private number of records."""

    counts: NoisyBinaryCounts
    alternative: str

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval."""
        below, above = split_alpha(alpha, self.alternative)
        return self.find_lower_limit(below), self.find_upper_limit(above)

    def find_lower_limit(self, tail_probability: float) -> float:
        """Return the lower limit, which exceeds the proportion with at most `tail_probability`; 0 if that is 0."""
        return self._find_limit(tail_probability, True)

    def find_upper_limit(self, tail_probability: float) -> float:
        """Return the upper limit, which is below the proportion with at most `tail_probability`; 1 if that is 0."""
        return self._find_limit(tail_probability, False)

    def _find_limit(self, tail_probability: float, is_lower: bool) -> float:
        """Return a limit for all plausible sizes, by moving from the limit of one size to that of the worst size."""
        counts, furthest = self.counts, 0.0 if is_lower else 1.0
        if not tail_probability or counts.rate < SMALLEST_RATE:
            return furthest
        clipped = NoisyBinaryCounts(max(counts.successes, 0.0), max(counts.failures, 0.0), counts.rate, counts.n_noises)
        total, excluded = clipped.successes + clipped.failures, _EXCLUDED_SHARE * tail_probability
        step = min(1.0, (0.5 * math.sqrt(total) + 1.0 / clipped.rate) / max(total, 1.0))
        sizes = clipped.find_plausible_sizes(excluded)
        end, n = clipped.successes / total if total else 0.5, sizes[len(sizes) // 2]
        while True:
            end = find_crossing(
                lambda p: clipped.compute_tail(p, n, is_lower) + excluded - tail_probability,
                end,
                furthest,
                step,
                _LIMIT_TOLERANCE,
            )
            tails = [clipped.compute_tail(end, size, is_lower) for size in sizes]
            worst = sizes[int(np.argmax(tails))]
            if end == furthest or worst == n or max(tails) + excluded <= tail_probability:
                return end
            n, step = worst, _STEP_FACTOR * step


def _compute_studentized_counts(
    successes: float | Floats, failures: float | Floats, p: float, variance: float, n_noises: tuple[int, int]
) -> Floats:
    deviation = (1.0 - p) * np.asarray(successes) - p * np.asarray(failures)
    return deviation / _compute_standard_error(np.asarray(successes) + failures, p, variance, n_noises)


def _compute_standard_error(total: Floats, p: float, variance: float, n_noises: tuple[int, int]) -> Floats:
    noise = ((1.0 - p) ** 2 * n_noises[0] + p * p * n_noises[1]) * variance
    # without noise and variance any deviation is infinitely large
    return np.sqrt(np.maximum(np.maximum(total, math.sqrt(2.0 * variance)) * p * (1.0 - p) + noise, 1e-300))


@lru_cache(maxsize=16)
def _tabulate_noise(rate: float, n_noises: int) -> tuple[Floats, Floats, int]:
    """Return the centers and probabilities of cells of a noise's values, and the width of the cells."""
    noise = make_geometric_sum(rate, n_noises)
    radius = noise.compute_quantile(1e-10) + 1
    width = -(-(2 * radius + 1) // _NOISE_POINTS)
    # odd, so that cells have an integer center
    width += 1 - width % 2
    half = width // 2
    cells = -(-max(radius - half, 0) // width)
    middles = width * np.arange(-cells, cells + 1.0)
    # cell edges lie between integers
    edges = noise.compute_tail(np.append(middles - half, middles[-1] + half + 1.0) - 0.5)
    masses = edges[:-1] - edges[1:]
    return freeze_array(middles), freeze_array(masses / masses.sum()), width


@lru_cache(maxsize=16)
def _compute_joint_masses(rate: float, n_noises: tuple[int, int]) -> Floats:
    """Return the joint probabilities of the noise cells of both counts."""
    return freeze_array(np.outer(_tabulate_noise(rate, n_noises[0])[1], _tabulate_noise(rate, n_noises[1])[1]))


def _compute_studentized_tails(
    statistic: float, n: int, p: float, rate: float, n_noises: tuple[int, int], true_proportion: float | None = None
) -> tuple[float, float]:
    """Return P(T >= t) and P(T <= t) for n records with proportion p, or `true_proportion` if given."""
    first, _, width = _tabulate_noise(rate, n_noises[0])
    second = _tabulate_noise(rate, n_noises[1])[0]
    values, masses = compute_binomial_points(n, p if true_proportion is None else true_proportion)
    shift = (1.0 - p) * first[:, None] - p * second
    distances = statistic * _compute_standard_error(
        n + first[:, None] + second, p, compute_noise_variance(rate), n_noises
    )
    # T >= t if the count is at least this
    thresholds = n * p - shift + distances
    window = (1.0 - p) * width if width > 1 else 0.0
    # rounding tolerance for ties
    slack = 0.0 if window else 1e-9 * max(1.0, abs(n * p))
    weights = _compute_joint_masses(rate, n_noises)
    above = float((weights * _compute_window_tails(values, masses, thresholds - slack, window)).sum())
    if window:
        return above, 1.0 - above
    return above, 1.0 - float((weights * _compute_window_tails(values, masses, thresholds + slack, window)).sum())


def _compute_window_tails(values: Floats, masses: Floats, thresholds: Floats, window: float) -> Floats:
    """Return P(K + V >= x) for thresholds x, with V uniform on an interval of length `window` around 0."""
    step = values[1] - values[0] if values.size > 1 else 1.0
    positions, window = (thresholds - values[0]) / step, window / step
    tails = np.append(masses[::-1].cumsum()[::-1], 0.0)
    if not window:
        return tails[np.clip(np.ceil(positions), 0.0, values.size).astype(np.intp)]
    # integral of the tail function, piecewise linear between grid points
    integrals = np.append(0.0, tails.cumsum()[:-1])
    grid = np.arange(-1.0, values.size)

    def integrate_tail(x: Floats) -> Floats:
        beyond = np.minimum(x, -1.0) + 1.0
        return np.interp(x, grid, integrals) + beyond

    upper, lower = positions + 0.5 * window, positions - 0.5 * window
    return (integrate_tail(upper) - integrate_tail(lower)) / window

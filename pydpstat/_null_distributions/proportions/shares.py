"""Confidence intervals of population shares and correlations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pydpstat._data.progress import Progress
from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._null_distributions.correlations import compute_correlation_limits, make_interval_arrays
from pydpstat._null_distributions.noise import SMALLEST_RATE
from pydpstat._null_distributions.proportions.one_proportion import (
    NoisyBinaryCounts,
    PrivateSizeProportionInterval,
    ProportionInterval,
)
from pydpstat._null_distributions.weight_moments import PARABOLA_BASIS
from pydpstat._search import bisect_up
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._population import Difference, TableTest

IntervalLimits = tuple[float, float]
IntervalsType = TypeVar("IntervalsType", bound="ShareIntervals")
SHARES_SUBJECT = "each cell's share of the population"
GROUP_SHARES_SUBJECT = f"{SHARES_SUBJECT}, within its group"
RANDOM_SAMPLE = "the records are a random sample"
UNINFORMATIVE_REMARK = "The noise may be as large as the number of records in a group: the result is uninformative."


def compute_share_limits(
    noisy_count: float,
    other_count: float,
    size: int | None,
    rate: float,
    n_noises: tuple[int, int],
    alpha: float,
) -> IntervalLimits:
    """Return confidence limits for the share of the records in some cells."""
    if rate < SMALLEST_RATE or size == 0 or size is None and not n_noises[1]:
        return 0.0, 1.0
    if size is None:
        return PrivateSizeProportionInterval(
            NoisyBinaryCounts(noisy_count, other_count, rate, n_noises), "two-sided"
        ).compute_limits(alpha)
    if 0 < n_noises[1] < n_noises[0]:
        noisy_count, n_noises = size - other_count, n_noises[::-1]
    return ProportionInterval(
        noisy_count, size, rate, "two-sided", has_uniform_noise=False, n_noises=n_noises[0]
    ).compute_limits(alpha)


@dataclass(frozen=True, eq=False)
class ShareIntervals(ReadOnlyArrays):
    """Confidence intervals of population shares from noisy counts, and differences of two shares."""

    counts: Floats
    rests: Floats
    size: int | None
    rate: float
    noises: npt.ArrayLike = (1, 1)
    subject: str = ""

    assumptions = (RANDOM_SAMPLE,)

    @property
    def validity(self) -> str:
        """Validity label of the intervals."""
        return "model" if self.size is None else "exact"

    @property
    def estimates(self) -> Floats:
        """Estimated shares from the noisy counts, from 0 to 1."""
        totals = self.counts + self.rests if self.size is None else float(self.size)
        return (self.counts / np.maximum(totals, 1.0)).clip(0.0, 1.0)

    def compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits for each count, in the shape of the counts."""
        cached_limits: dict[tuple[float, float, tuple[int, int]], IntervalLimits] = {}
        counts, rests = self.counts.ravel().tolist(), self.rests.ravel().tolist()
        keys = [
            # limits are cached by count; with a public size the rest is irrelevant unless it has less noise
            (count, 0.0 if self.size is not None and n_noises <= n_rest_noises else rest, (n_noises, n_rest_noises))
            for count, rest, (n_noises, n_rest_noises) in zip(counts, rests, self._get_noise_numbers())
        ]
        for key in keys:
            if key not in cached_limits:
                cached_limits[key] = compute_share_limits(*key[:2], self.size, self.rate, key[2], alpha)
        low, high = np.array([cached_limits[key] for key in keys]).reshape(-1, 2).T
        return low.reshape(self.counts.shape), high.reshape(self.counts.shape)

    def make_share_intervals(
        self, counts: Floats, rests: Floats, noises: npt.ArrayLike, covers_all: bool, subject: str
    ) -> ShareIntervals:
        """Return the intervals for sums of the counts."""
        size = self.size if covers_all else None
        return ShareIntervals(counts, rests, size, self.rate, np.asarray(noises), subject)

    def compare_groups(self, first: int, second: int) -> Difference:
        """Compare the shares at two flat indices, which are ordered by group and then by value."""
        from pydpstat._null_distributions.proportions.two_proportions import ShareDifference

        terms = self._get_noise_numbers()
        group1, group2 = (
            NoisyBinaryCounts(float(self.counts.flat[index]), float(self.rests.flat[index]), self.rate, terms[index])
            for index in (first, second)
        )
        difference = ShareDifference(group1, group2)
        p = difference.compute_pvalue()
        # normal quantile that corresponds to the p-value
        statistic = math.copysign(NormalDist().inv_cdf(1.0 - 0.5 * p), difference.estimate)
        remarks = () if group1.is_informative and group2.is_informative else (UNINFORMATIVE_REMARK,)
        name = "Test of two proportions"
        return Difference(
            name, statistic, p, difference.estimate, difference, "measured", remarks, difference.pvalue_floor
        )

    def _get_noise_numbers(self) -> list[tuple[int, int]]:
        rows = np.broadcast_to(np.asarray(self.noises), (self.counts.size, 2)).tolist()
        return [(n_noises, n_rest_noises) for n_noises, n_rest_noises in rows]


@dataclass(frozen=True, eq=False)
class TableIntervals(ShareIntervals):
    """Confidence intervals of the shares of table cells, and the table's test of independence."""

    def run_independence_test(self, rows: int, columns: int) -> TableTest:
        """Test independence in the first rows and columns of a table.

        If some cells are left out, the number of records in the others is private.
        """
        from pydpstat._null_distributions.simulation import PVALUE_FLOOR
        from pydpstat._null_distributions.tables import compute_independence_pvalue

        cells = self.counts[:rows, :columns]
        size = self.size if cells.shape == self.counts.shape else None
        statistic, pvalue = compute_independence_pvalue(cells, size, self.rate)
        return TableTest(statistic, pvalue, PVALUE_FLOOR)


def make_cell_intervals(
    kind: type[IntervalsType], counts: Floats, size: int | None, rate: float, by_group: bool
) -> IntervalsType:
    """Return the intervals of cells; with `by_group` each row is a group, else the table is one group."""
    total = counts.sum(axis=-1, keepdims=True) if by_group else counts.sum()
    n_others = (counts.shape[-1] if by_group else counts.size) - 1
    return kind(counts, total - counts, size, rate, (1, n_others), GROUP_SHARES_SUBJECT if by_group else SHARES_SUBJECT)


# levels at which noise intervals are tabulated; smaller ones are not distinguished
_NOISE_LEVELS = (0.98, 0.8, 0.6, 0.4, 0.3, *(0.2 * 0.5**step for step in range(22)))
_LOG_LEVELS = freeze_array(np.log(0.5 * np.array(_NOISE_LEVELS)))
# grid of sampling errors of Fisher's z, in standard deviations, and their weights
_SAMPLING_ERRORS = freeze_array(np.linspace(-8.0, 8.0, 161))
_ERROR_WEIGHTS = freeze_array(np.exp(-0.5 * _SAMPLING_ERRORS**2) / np.exp(-0.5 * _SAMPLING_ERRORS**2).sum())
# largest z in the search; larger ones count as a correlation of 1
_LARGEST_Z, _LARGEST_CORRELATION, _MIN_DIVISOR = 18.0, 1.0 - 1e-12, 1e-12
# standard deviations of noise by which a nuisance parameter is moved to the conservative side
_NUISANCE_DEVIATIONS = 2.0


class CorrelationSpread(NamedTuple):
    """Noisy estimates of the quantities that determine the sampling variance of a correlation."""

    size: float
    fourth_moment: float
    fourth_limit: float

    def compute_sd(self, correlation: float) -> float:
        """Return the standard deviation of Fisher's z."""
        square = correlation * correlation
        normal = 1.0 + 2.0 * square
        # clipped heavy tails are less elliptical the larger the correlation is
        heavy = 1.0 + max(0.0, self.fourth_limit / normal - 1.0) * (1.0 + square)
        light = min(max(0.5 * (normal - self.fourth_moment), 0.0), square) / max(1.0 - square, _MIN_DIVISOR)
        freedom = self.size - 3.0
        # for correlations near 1 with light tails, z is far from normal
        return math.sqrt((heavy + min(light, 0.25 * freedom)) / freedom)


def estimate_spread(sums: tuple[float, ...], size: int | None, sd: float) -> CorrelationSpread | None:
    """Return the estimates from noisy sums of the nine products of weights; None if they are uninformative."""
    moments = PARABOLA_BASIS @ np.array(sums).reshape(3, 3) @ PARABOLA_BASIS.T
    count = float(moments[0, 0]) if size is None else float(size)
    # the number of records has nine noises
    min_count = count - _NUISANCE_DEVIATIONS * 3.0 * sd if size is None else count
    if min_count <= 3.5:
        return None
    means = float(moments[1, 0]) / count, float(moments[0, 1]) / count
    spreads = float(moments[2, 0]) / count - means[0] ** 2, float(moments[0, 2]) / count - means[1] ** 2
    if min(spreads) <= 0.0:
        return None
    squares = [np.array([mean * mean, -2.0 * mean, 1.0]) for mean in means]
    noise_sd = sd * math.prod(
        float(np.sqrt(np.square(coefficients @ PARABOLA_BASIS).sum())) for coefficients in squares
    )
    fourth, unit = float(squares[0] @ moments @ squares[1]), count * spreads[0] * spreads[1]
    return CorrelationSpread(min_count, fourth / unit, (fourth + _NUISANCE_DEVIATIONS * noise_sd) / unit)


@lru_cache(maxsize=256)
def _tabulate_noise_limits(sums: tuple[float, ...], size: int | None, noise: Any) -> tuple[Floats, Floats]:
    """Return the lower and the upper limits of the noise interval at all levels."""
    limits = np.array([compute_correlation_limits(sums, size, noise, level) for level in _NOISE_LEVELS]).T
    return freeze_array(np.minimum.accumulate(limits[0])), freeze_array(np.maximum.accumulate(limits[1]))


def _compute_lower_tail(correlations: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return the probabilities of an estimate at most as large as observed, for given sample correlations."""
    high = np.exp(np.interp(correlations, upper, _LOG_LEVELS))
    low = 1.0 - np.exp(np.interp(-correlations, -lower, _LOG_LEVELS))
    return np.where(correlations > upper[0], high, np.where(correlations < lower[0], low, 0.5))


def _find_upper_limit(lower: Floats, upper: Floats, spread: CorrelationSpread, tail: float) -> float:
    """Return the largest correlation for which an estimate at most as large as observed has more than `tail`."""

    def is_plausible(z: float) -> bool:
        # below 1, where uninformative noise intervals end
        samples = np.tanh(z + spread.compute_sd(math.tanh(z)) * _SAMPLING_ERRORS).clip(
            -_LARGEST_CORRELATION, _LARGEST_CORRELATION
        )
        return float(_ERROR_WEIGHTS @ _compute_lower_tail(samples, lower, upper)) > tail

    return 1.0 if is_plausible(_LARGEST_Z) else math.tanh(bisect_up(is_plausible, -_LARGEST_Z, _LARGEST_Z, steps=50)[1])


def compute_population_limits(sums: tuple[float, ...], size: int | None, noise: Any, alpha: float) -> IntervalLimits:
    """Return confidence limits for the correlation of the population.

    Fisher, R. A. (1921). On the probable error of a coefficient of correlation deduced from a small sample.
    Metron 1, 3-32. Muirhead, R. J. (1982). Aspects of multivariate statistical theory, section 5.1.4. Wiley.

    For a population correlation r the sample correlation is distributed by Fisher's z, whose variance is
    ``k / (n - 3)``: k is 1 for a normal distribution, the common kurtosis m / (1 + 2 r^2) of an elliptical one,
    and m for independent variables of any distribution, where m is the mean of the product of squares. The excess
    of a common kurtosis over 1 is multiplied by ``1 + r^2``, for tails that are clipped to the bounds. For two
    signs, whose m is 1, k is ``1 / (1 - r^2)``, and between these and a normal distribution it is linear in m.
    The noisy sums give m, which is increased by two standard deviations of its noise where this increases k, and
    k is at least 1. The noise interval, at all levels, gives the probability of an estimate as low (or high)
    for a given sample correlation; its mean over samples is the p-value of the population correlation.
    """
    spread = estimate_spread(sums, size, float(np.asarray(noise.std())))
    if spread is None:
        return -1.0, 1.0
    lower, upper = _tabulate_noise_limits(sums, size, noise)
    tail = 0.5 * alpha
    return -_find_upper_limit(-upper, -lower, spread, tail), _find_upper_limit(lower, upper, spread, tail)


@dataclass(frozen=True, eq=False)
class CorrelationIntervals(ReadOnlyArrays):
    """Confidence intervals of population correlations, for two variables or all pairs of several."""

    values: Floats
    sums: tuple[tuple[float, ...], ...]
    size: int | None
    width: int | None
    noise: Any

    validity = "measured"
    assumptions = (
        RANDOM_SAMPLE,
        "the two variables have a joint normal or other elliptical distribution, or are independent",
        "the correlation is that of values clipped to the bounds, and these clip no heavy tails",
    )

    def compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits for each value, in the shape of the values; each interval contains its value."""
        with Progress(lambda: len(self.sums), "intervals") as progress:
            limits = [
                progress.count_one(compute_population_limits(sums, self.size, self.noise, alpha)) for sums in self.sums
            ]
        return make_interval_arrays(self.values, limits, self.width)

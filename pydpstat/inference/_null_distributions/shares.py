"""Intervals of the population's shares and correlations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pydpstat._data.progress import Progress
from pydpstat._frozen import Frozen, frozen
from pydpstat._search import bisect_up
from pydpstat.inference._null_distributions.noise import SMALLEST_RATE
from pydpstat.inference._null_distributions.proportions import (
    NoisyPair,
    NoisyPairInterval,
    ProportionInterval,
)
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._population import Difference, TableTest
from pydpstat.statistics._kernels.association_interval import around, correlation_range
from pydpstat.statistics._kernels.partition import PARABOLA

Ends = tuple[float, float]
S = TypeVar("S", bound="ShareIntervals")
SHARES = "each cell's share of the population"
IN_GROUPS = f"{SHARES}, within its group"
INDEPENDENT = "the records are a random sample"
NOTHING_SAID = "The noise may be as large as the number of records in a group: the result is uninformative."


def share_ends(
    noisy: float, rest: float, size: int | None, rate: float, noises: tuple[int, int], alpha: float
) -> Ends:
    """Return an interval for the share of the records that some cells have."""
    if rate < SMALLEST_RATE or size == 0 or size is None and not noises[1]:
        return 0.0, 1.0
    if size is None:
        return NoisyPairInterval(NoisyPair(noisy, rest, rate, noises), "two-sided").ends(alpha)
    if 0 < noises[1] < noises[0]:
        noisy, noises = size - rest, noises[::-1]
    return ProportionInterval(noisy, size, rate, "two-sided", smooth=False, terms=noises[0]).ends(alpha)


@dataclass(frozen=True, eq=False)
class ShareIntervals(Frozen):
    """Intervals of the shares that kinds of records have of the population, and differences of two shares."""

    counts: Floats
    rests: Floats
    size: int | None
    rate: float
    noises: npt.ArrayLike = (1, 1)
    about: str = ""

    assumptions = (INDEPENDENT,)

    @property
    def validity(self) -> str:
        """How far they can be trusted."""
        return "model" if self.size is None else "exact"

    @property
    def estimates(self) -> Floats:
        """The shares that the noisy counts have, from 0 to 1."""
        whole = self.counts + self.rests if self.size is None else float(self.size)
        return (self.counts / np.maximum(whole, 1.0)).clip(0.0, 1.0)

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each count, in their shape."""
        known: dict[tuple[float, float, tuple[int, int]], Ends] = {}
        counts, rests = self.counts.ravel().tolist(), self.rests.ravel().tolist()
        keys = [
            # cells often have the same count; a public number of records makes the rest of no interest
            (count, 0.0 if self.size is not None and own <= other else rest, (own, other))
            for count, rest, (own, other) in zip(counts, rests, self._terms())
        ]
        for key in keys:
            if key not in known:
                known[key] = share_ends(*key[:2], self.size, self.rate, key[2], alpha)
        low, high = np.array([known[key] for key in keys]).reshape(-1, 2).T
        return low.reshape(self.counts.shape), high.reshape(self.counts.shape)

    def shares(
        self, counts: Floats, rests: Floats, noises: npt.ArrayLike, whole: bool, about: str
    ) -> ShareIntervals:
        """Return the intervals for sums of the counts."""
        size = self.size if whole else None
        return ShareIntervals(counts, rests, size, self.rate, np.asarray(noises), about)

    def difference(self, first: int, second: int) -> Difference:
        """Compare the shares of the groups in these places, of all values one group after the other."""
        from pydpstat.inference._null_distributions.two_proportions import ShareDifference

        terms = self._terms()
        one, other = (
            NoisyPair(float(self.counts.flat[place]), float(self.rests.flat[place]), self.rate, terms[place])
            for place in (first, second)
        )
        found = ShareDifference(one, other)
        p = found.pvalue()
        # as many standard deviations of a normal variable as the p-value stands for
        statistic = math.copysign(NormalDist().inv_cdf(1.0 - 0.5 * p), found.estimate)
        remarks = () if one.tell and other.tell else (NOTHING_SAID,)
        name = "Test of two proportions"
        return Difference(name, statistic, p, found.estimate, found, "measured", remarks, found.floor)

    def _terms(self) -> list[tuple[int, int]]:
        rows = np.broadcast_to(np.asarray(self.noises), (self.counts.size, 2)).tolist()
        return [(own, other) for own, other in rows]


@dataclass(frozen=True, eq=False)
class TableIntervals(ShareIntervals):
    """Intervals of the shares of a table's cells, and the test of its independence."""

    def independence(self, rows: int, columns: int) -> TableTest:
        """Test whether rows and columns of the first cells of a table are independent.

        Where some cells are left out, the number of records in the others is private.
        """
        from pydpstat.inference._null_distributions.simulation import FLOOR
        from pydpstat.inference._null_distributions.tables import independence_pvalue

        cells = self.counts[:rows, :columns]
        size = self.size if cells.shape == self.counts.shape else None
        statistic, pvalue = independence_pvalue(cells, size, self.rate)
        return TableTest(statistic, pvalue, FLOOR)


def cell_shares(kind: type[S], counts: Floats, size: int | None, rate: float, grouped: bool) -> S:
    """Return the intervals of cells, of which a group has a row; of a table all cells are one group's."""
    total = counts.sum(axis=-1, keepdims=True) if grouped else counts.sum()
    others = (counts.shape[-1] if grouped else counts.size) - 1
    return kind(counts, total - counts, size, rate, (1, others), IN_GROUPS if grouped else SHARES)


# levels of the noise's interval at which its ends are looked up; beyond the last one nothing is told apart
_LEVELS = (0.98, 0.8, 0.6, 0.4, 0.3, *(0.2 * 0.5**step for step in range(22)))
_LOGS = frozen(np.log(0.5 * np.array(_LEVELS)))
# sampling errors of Fisher's z that are looked at, in standard deviations, and what each weighs
_ERRORS = frozen(np.linspace(-8.0, 8.0, 161))
_WEIGHTS = frozen(np.exp(-0.5 * _ERRORS**2) / np.exp(-0.5 * _ERRORS**2).sum())
# from here on Fisher's z is that of a correlation of 1
_LAST, _ALMOST, _LEAST = 18.0, 1.0 - 1e-12, 1e-12
# how many standard deviations of its noise a nuisance is moved to the careful side
_CAREFUL = 2.0


class Spread(NamedTuple):
    """What the noisy sums say of how much a sample's correlation varies."""

    size: float
    fourth: float
    most: float

    def sd(self, correlation: float) -> float:
        """Return the standard deviation of Fisher's z."""
        square = correlation * correlation
        normal = 1.0 + 2.0 * square
        # bounds that cut heavy tails leave less of an ellipse the more the variables are correlated
        heavy = 1.0 + max(0.0, self.most / normal - 1.0) * (1.0 + square)
        light = min(max(0.5 * (normal - self.fourth), 0.0), square) / max(1.0 - square, _LEAST)
        freedom = self.size - 3.0
        # near 1 a light tail's z is far from normal
        return math.sqrt((heavy + min(light, 0.25 * freedom)) / freedom)


def spread_of(sums: tuple[float, ...], size: int | None, sd: float) -> Spread | None:
    """Return what noisy sums of the nine products of weights say; None where it is nothing."""
    moments = PARABOLA @ np.array(sums).reshape(3, 3) @ PARABOLA.T
    count = float(moments[0, 0]) if size is None else float(size)
    # nine noises are in the number of records
    least = count - _CAREFUL * 3.0 * sd if size is None else count
    if least <= 3.5:
        return None
    means = float(moments[1, 0]) / count, float(moments[0, 1]) / count
    spreads = float(moments[2, 0]) / count - means[0] ** 2, float(moments[0, 2]) / count - means[1] ** 2
    if min(spreads) <= 0.0:
        return None
    squares = [np.array([mean * mean, -2.0 * mean, 1.0]) for mean in means]
    off = sd * math.prod(float(np.sqrt(np.square(each @ PARABOLA).sum())) for each in squares)
    fourth, unit = float(squares[0] @ moments @ squares[1]), count * spreads[0] * spreads[1]
    return Spread(least, fourth / unit, (fourth + _CAREFUL * off) / unit)


@lru_cache(maxsize=256)
def _curve(sums: tuple[float, ...], size: int | None, noise: Any) -> tuple[Floats, Floats]:
    """Return the ends of the noise's interval at all levels, the lower and the upper ones."""
    found = np.array([correlation_range(sums, size, noise, level) for level in _LEVELS]).T
    return frozen(np.minimum.accumulate(found[0])), frozen(np.maximum.accumulate(found[1]))


def _below(correlations: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return how probable so low an estimate is where the sample has these correlations."""
    high = np.exp(np.interp(correlations, upper, _LOGS))
    low = 1.0 - np.exp(np.interp(-correlations, -lower, _LOGS))
    return np.where(correlations > upper[0], high, np.where(correlations < lower[0], low, 0.5))


def _upper_end(lower: Floats, upper: Floats, spread: Spread, tail: float) -> float:
    """Return the largest correlation whose samples give so low an estimate more often than `tail`."""

    def probable(z: float) -> bool:
        # short of 1, where all levels of noise that say nothing end
        samples = np.tanh(z + spread.sd(math.tanh(z)) * _ERRORS).clip(-_ALMOST, _ALMOST)
        return float(_WEIGHTS @ _below(samples, lower, upper)) > tail

    return 1.0 if probable(_LAST) else math.tanh(bisect_up(probable, -_LAST, _LAST, steps=50)[1])


def population_ends(sums: tuple[float, ...], size: int | None, noise: Any, alpha: float) -> Ends:
    """Return an interval for the correlation of the population.

    Fisher, R. A. (1921). On the probable error of a coefficient of correlation deduced from a small sample.
    Metron 1, 3-32. Muirhead, R. J. (1982). Aspects of multivariate statistical theory, section 5.1.4. Wiley.

    For a population's correlation r the sample's is drawn by Fisher's z, whose variance is ``k / (n - 3)``: k
    is 1 for a normal distribution, the common kurtosis m / (1 + 2 r^2) of an elliptical one, and m for
    independent variables of any distribution, where m is the mean of the squares multiplied. What a common
    kurtosis is above 1 counts ``1 + r^2`` times, for tails that are cut at the bounds. Of two signs, whose m
    is 1, k is ``1 / (1 - r^2)``, and between these and a normal distribution a line in m. The noisy sums hold
    m, which is taken two standard deviations of its noise too large where it makes k larger, and k is at
    least 1. The noise's own interval, at all levels, tells how probable so low (or high) an estimate is for a
    sample's correlation; the mean of that over samples is the population's p-value.
    """
    spread = spread_of(sums, size, float(np.asarray(noise.std())))
    if spread is None:
        return -1.0, 1.0
    lower, upper = _curve(sums, size, noise)
    tail = 0.5 * alpha
    return -_upper_end(-upper, -lower, spread, tail), _upper_end(lower, upper, spread, tail)


@dataclass(frozen=True, eq=False)
class CorrelationIntervals(Frozen):
    """Intervals of the correlations of the population, of two variables or of all pairs of several."""

    values: Floats
    sums: tuple[tuple[float, ...], ...]
    size: int | None
    width: int | None
    noise: Any

    validity = "measured"
    assumptions = (
        INDEPENDENT,
        "the two variables have a joint normal or other elliptical distribution, or are independent",
        "the correlation is that of values clipped to the bounds, and these clip no heavy tails",
    )

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each value, in their shape; each holds the value."""
        with Progress(lambda: len(self.sums), "intervals") as progress:
            ends = [
                progress.counted(population_ends(sums, self.size, self.noise, alpha)) for sums in self.sums
            ]
        return around(self.values, ends, self.width)

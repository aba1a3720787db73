"""Quantiles of records with weights, from noisy sums of the weights and of their squares in cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.inference._null_distributions.noisy_t import NoisySums, pvalue
from pydpstat.inference._null_distributions.quantiles import quantile_slope
from pydpstat.inference._null_distributions.simulation import outermost
from pydpstat.inference._null_distributions.weighted_means import noisy_about
from pydpstat.r_arithmetic.elementary import Floats

# noises that a sum of many is taken to be made of; fewer have the longer tails
_MOST = 4
# what may be left out of a characteristic function, and how many of its values are added up
_LEFT, _NODES = 1e-12, 2**15


@dataclass(frozen=True)
class WeightedCells:
    """Noisy sums of weights v in [0, 1] and of their squares in cells."""

    weights: tuple[float, ...]
    squares: tuple[float, ...]
    rest: float
    edges: tuple[float, ...]
    scales: tuple[float, float]
    size: int | None

    def quantile(self, share: float) -> float:
        """Return the point below which the noisy cells have this share of weight."""
        edges, inner = np.array(self.edges), np.cumsum(self.weights)
        if inner[-1] <= 1.0:
            return float(0.5 * edges[0] + 0.5 * edges[-1])
        below = np.concatenate([[0.0], np.maximum.accumulate(inner.clip(0.0, inner[-1]))])
        wanted = share * below[-1]
        cell = int(np.clip(np.searchsorted(below, wanted) - 1, 0, edges.size - 2))
        part = (wanted - below[cell]) / max(below[cell + 1] - below[cell], 1e-300)
        return float(edges[cell] + min(max(part, 0.0), 1.0) * (edges[cell + 1] - edges[cell]))

    def slope(self, share: float) -> float:
        """Return how far noise of a standard deviation of 1 in each cell moves the quantile.

        NaN where the noise of all cells is above a tenth of their weight.
        """
        cells, at = len(self.weights), self.quantile(share)
        deviation = math.sqrt(2.0) * self.scales[0]
        total = float(np.cumsum(self.weights).max())
        if math.sqrt(cells) * deviation > 0.1 * total:
            return math.nan
        below = int(np.clip(np.searchsorted(self.edges, at) - 1, 0, cells - 1))
        spread = math.sqrt(below * (1.0 - share) ** 2 + (cells - 1 - below) * share**2)
        return quantile_slope(self.quantile, share, deviation, spread * deviation / total)

    def about(self, place: int, share: float) -> NoisySums:
        """Return the sums for the share of weight below the edge in this place, 1 below and -1 beyond."""
        mean = 2.0 * share - 1.0
        below, beyond = 1.0 - mean, -1.0 - mean
        columns: list[tuple[float, float, float, float]] = []
        first, second = self.scales
        for count, distance in ((place, below), (len(self.weights) - place, beyond)):
            parts = min(count, _MOST)
            spread = math.sqrt(count / parts) if parts else 0.0
            known = 0.0 if self.size is not None else first * spread
            columns += [(known, distance * first * spread, 0.0, 0.0)] * parts
            columns += [(0.0, 0.0, distance * distance * second * spread, 0.0)] * parts
        if self.size is None:
            columns.append((first, 0.0, 0.0, 0.0))
        noise = np.array(columns).T
        sums = [math.fsum(each[:place]) for each in (self.weights, self.squares)]
        above = [math.fsum(each[place:]) for each in (self.weights, self.squares)]
        size = float(self.size) if self.size is not None else sums[0] + above[0] + self.rest
        values = (size, below * sums[0] + beyond * above[0], below**2 * sums[1] + beyond**2 * above[1])
        return noisy_about(mean, values, noise[:3], self.size)


@dataclass(frozen=True)
class WeightedQuantileInterval:
    """The quantiles of the population, by weight, that are not told to be elsewhere.

    At an edge of the cells the share of weight below it is a weighted mean, of records that are 1 below and
    -1 beyond; the noisy t test of it (`weighted_means`) tells whether the quantile can be on the other side.
    The test at one fixed edge has its level whatever the others do: the interval ends at the first edges,
    from the estimate outwards, that are told to be beyond (Woodruff, R. S. (1952). Confidence intervals for
    medians and other position measures. Journal of the American Statistical Association 47, 635-646).
    """

    known: WeightedCells
    share: float

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the quantile with probability `alpha` at most."""
        edges, mean = self.known.edges, 2.0 * self.share - 1.0
        last = len(edges) - 1
        center = int(np.searchsorted(edges, self.known.quantile(self.share)).clip(1, last))
        half = 0.5 * alpha

        @cache
        def at(place: int, beyond: str) -> float:
            if place in (0, last):
                return 0.0
            return pvalue(self.known.about(place, self.share), mean, beyond, half)[1]

        # the weight below an edge that is left of the quantile is less than the share
        low = outermost(lambda x: at(max(math.floor(x), 0), "less"), half, center, 1.0, -1.0, 0.0)
        high = outermost(
            lambda x: at(min(math.ceil(x), last), "greater"), half, center, 1.0, 1.0, float(last)
        )
        return edges[max(math.floor(low), 0)], edges[min(math.ceil(high), last)]

    def noise_ends(self, alpha: float) -> tuple[float, float]:
        """Return the interval that misses the records' own quantile with probability `alpha` at most.

        At an edge above the quantile the weight below it, less the quantile's share of all weight, is at
        least 0, and at one above the record before that at least minus one record's weight. The lower end is
        the last edge before the first where it is larger than the noise alone would explain. As in the proof
        of `pydpstat.inference._null_distributions.quantiles.quantile_ends` one edge alone counts, which the
        records fix. The upper end is the mirror image. Whole cells are in the interval, wherever in them the
        records are.
        """
        known, share, half = self.known, self.share, 0.5 * alpha
        weights = np.array(known.weights)
        low = _passage(weights, share, known.scales[0], half)
        high = weights.size - _passage(weights[::-1], 1.0 - share, known.scales[0], half)
        return known.edges[min(low, high)], known.edges[max(low, high)]


def _passage(weights: Floats, share: float, scale: float, half: float) -> int:
    """Return which edge is the last one before as much weight is below as the records' quantile needs."""
    for place in range(1, weights.size):
        excess = (1.0 - share) * math.fsum(weights[:place]) - share * math.fsum(weights[place:])
        # one record's weight is 1 at most
        if laplace_below((excess + 1.0) / scale, (1.0 - share, share), (place, weights.size - place)) > half:
            return place - 1
    return weights.size - 1


def laplace_below(x: float, weights: tuple[float, float], terms: tuple[int, int]) -> float:
    """Return a lower bound of P(S <= x), S a weighted sum of independent Laplace variables of scale 1.

    Davies, R. B. (1973). Numerical inversion of a characteristic function. Biometrika 60, 415-417.

    The characteristic function ``prod (1 + (w u)^2)^-m`` is inverted at midpoints. With steps of pi / R the
    error is at most the probability of beyond R, below 1e-12 for R of 8 standard deviations and 60 times the
    largest scale (Chernoff); what is left out at the end of the series is at most the function there, which
    is subtracted.
    """
    deviation = math.sqrt(2.0 * (terms[0] * weights[0] ** 2 + terms[1] * weights[1] ** 2))
    reach = 8.0 * deviation + 60.0 * max(weights)
    if abs(x) >= reach:
        return float(x > 0.0)
    step, number, left = math.pi / reach, 32, 1.0
    while left > _LEFT and number < _NODES:
        number *= 2
        left = math.exp(_log_spectrum(np.array(step * number), weights, terms))
    nodes = step * (np.arange(number) + 0.5)
    series = np.exp(_log_spectrum(nodes, weights, terms)) * np.sin(nodes * x) / nodes
    return 0.5 + step / math.pi * float(series.sum()) - left


def _log_spectrum(u: npt.NDArray[Any], weights: tuple[float, float], terms: tuple[int, int]) -> Floats:
    return -(terms[0] * np.log1p((weights[0] * u) ** 2) + terms[1] * np.log1p((weights[1] * u) ** 2))

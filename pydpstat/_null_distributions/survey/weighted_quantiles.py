"""Quantiles of weighted records, from noisy cell sums of the weights and of their squares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._null_distributions.means.noisy_t import NoisySums, compute_t_pvalue
from pydpstat._null_distributions.quantiles.sample_quantiles import compute_quantile_slope
from pydpstat._null_distributions.simulation import find_interval_end
from pydpstat._null_distributions.survey.weighted_means import convert_centered_noisy_sums
from pydpstat.r_arithmetic.elementary import Floats

# number of noises that approximate a sum of many; fewer have longer tails
_MAX_NOISES = 4
# truncation error of a characteristic function, and largest number of its values
_TRUNCATION_ERROR, _MAX_NODES = 1e-12, 2**15


@dataclass(frozen=True)
class WeightedCells:
    """Noisy cell sums of weights v in [0, 1] and of their squares."""

    weights: tuple[float, ...]
    squares: tuple[float, ...]
    remaining_weight: float
    edges: tuple[float, ...]
    noise_scales: tuple[float, float]
    size: int | None

    def compute_quantile(self, probability: float) -> float:
        """Return the point below which the noisy cells have the fraction `probability` of the weight."""
        edges, inner = np.array(self.edges), np.cumsum(self.weights)
        if inner[-1] <= 1.0:
            return float(0.5 * edges[0] + 0.5 * edges[-1])
        below = np.concatenate([[0.0], np.maximum.accumulate(inner.clip(0.0, inner[-1]))])
        target = probability * below[-1]
        cell = int(np.clip(np.searchsorted(below, target) - 1, 0, edges.size - 2))
        fraction = (target - below[cell]) / max(below[cell + 1] - below[cell], 1e-300)
        return float(edges[cell] + min(max(fraction, 0.0), 1.0) * (edges[cell + 1] - edges[cell]))

    def compute_slope(self, probability: float) -> float:
        """Return the change of the quantile per standard deviation of the noise in each cell.

        It is NaN if the noise of all cells exceeds a tenth of their weight.
        """
        cells, quantile = len(self.weights), self.compute_quantile(probability)
        deviation = math.sqrt(2.0) * self.noise_scales[0]
        total = float(np.cumsum(self.weights).max())
        if math.sqrt(cells) * deviation > 0.1 * total:
            return math.nan
        below = int(np.clip(np.searchsorted(self.edges, quantile) - 1, 0, cells - 1))
        spread = math.sqrt(below * (1.0 - probability) ** 2 + (cells - 1 - below) * probability**2)
        return compute_quantile_slope(self.compute_quantile, probability, deviation, spread * deviation / total)

    def compute_edge_sums(self, edge: int, probability: float) -> NoisySums:
        """Return the sums for the fraction of weight below an edge, with records coded 1 below and -1 above."""
        mean = 2.0 * probability - 1.0
        below, beyond = 1.0 - mean, -1.0 - mean
        columns: list[tuple[float, float, float, float]] = []
        linear_scale, quadratic_scale = self.noise_scales
        for count, distance in ((edge, below), (len(self.weights) - edge, beyond)):
            n_parts = min(count, _MAX_NOISES)
            spread = math.sqrt(count / n_parts) if n_parts else 0.0
            size_scale = 0.0 if self.size is not None else linear_scale * spread
            columns += [(size_scale, distance * linear_scale * spread, 0.0, 0.0)] * n_parts
            columns += [(0.0, 0.0, distance * distance * quadratic_scale * spread, 0.0)] * n_parts
        if self.size is None:
            columns.append((linear_scale, 0.0, 0.0, 0.0))
        noise = np.array(columns).T
        sums = [math.fsum(cell_sums[:edge]) for cell_sums in (self.weights, self.squares)]
        above = [math.fsum(cell_sums[edge:]) for cell_sums in (self.weights, self.squares)]
        size = float(self.size) if self.size is not None else sums[0] + above[0] + self.remaining_weight
        values = (size, below * sums[0] + beyond * above[0], below**2 * sums[1] + beyond**2 * above[1])
        return convert_centered_noisy_sums(mean, values, noise[:3], self.size)


@dataclass(frozen=True)
class WeightedQuantileInterval:
    """Confidence interval of a weighted quantile of the population.

    At an edge of the cells the fraction of weight below it is a weighted mean, of records that are 1 below and
    -1 above; its noisy t test (`weighted_means`) decides whether the quantile can be on the other side.
    The test at one fixed edge has its level whatever the other tests do: the limits are the first edges,
    from the estimate outwards, that are rejected (Woodruff, R. S. (1952). Confidence intervals for
    medians and other position measures. Journal of the American Statistical Association 47, 635-646).
    """

    weighted_cells: WeightedCells
    probability: float

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval, which misses the quantile with probability at most `alpha`."""
        edges, mean = self.weighted_cells.edges, 2.0 * self.probability - 1.0
        last = len(edges) - 1
        center = int(np.searchsorted(edges, self.weighted_cells.compute_quantile(self.probability)).clip(1, last))
        half = 0.5 * alpha

        @cache
        def compute_pvalue(edge: int, alternative: str) -> float:
            if edge in (0, last):
                return 0.0
            return compute_t_pvalue(
                self.weighted_cells.compute_edge_sums(edge, self.probability), mean, alternative, half
            )[1]

        # below an edge to the left of the quantile, the fraction of weight is less than `probability`
        low = find_interval_end(lambda x: compute_pvalue(max(math.floor(x), 0), "less"), half, center, 1.0, -1.0, 0.0)
        high = find_interval_end(
            lambda x: compute_pvalue(min(math.ceil(x), last), "greater"), half, center, 1.0, 1.0, float(last)
        )
        return edges[max(math.floor(low), 0)], edges[min(math.ceil(high), last)]

    def compute_noise_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of an interval that misses the records' own quantile with probability at most `alpha`.

        At an edge above the quantile the weight below it, minus `probability` times all weight, is at least 0,
        and at one above the preceding record at least minus one record's weight. The lower limit is the last
        edge before the first where it is larger than the noise alone explains. As in the proof of
        `pydpstat._null_distributions.quantiles.sample_quantiles.compute_quantile_limits` only one edge matters, which
        the records determine. The upper limit is the mirror image. The interval consists of whole cells,
        wherever in them the records are.
        """
        cells, share, half = self.weighted_cells, self.probability, 0.5 * alpha
        weights = np.array(cells.weights)
        low = _find_last_weighted_edge(weights, share, cells.noise_scales[0], half)
        high = weights.size - _find_last_weighted_edge(weights[::-1], 1.0 - share, cells.noise_scales[0], half)
        return cells.edges[min(low, high)], cells.edges[max(low, high)]


def _find_last_weighted_edge(weights: Floats, probability: float, noise_scale: float, tail_probability: float) -> int:
    """Return the index of the last edge before the first one with significantly more weight below it."""
    for edge in range(1, weights.size):
        excess = (1.0 - probability) * math.fsum(weights[:edge]) - probability * math.fsum(weights[edge:])
        # the weight of a record is at most 1
        if (
            bound_laplace_sum_cdf(
                (excess + 1.0) / noise_scale, (1.0 - probability, probability), (edge, weights.size - edge)
            )
            > tail_probability
        ):
            return edge - 1
    return weights.size - 1


def bound_laplace_sum_cdf(x: float, weights: tuple[float, float], terms: tuple[int, int]) -> float:
    """Return a lower bound of P(S <= x) for a weighted sum S of independent Laplace variables of scale 1.

    Davies, R. B. (1973). Numerical inversion of a characteristic function. Biometrika 60, 415-417.

    The characteristic function ``prod (1 + (w u)^2)^-m`` is inverted at midpoints. With steps of pi / R the
    error is at most P(|S| > R), below 1e-12 for R of 8 standard deviations and 60 times the
    largest scale (Chernoff); the truncation error of the series is at most the function at its end, which
    is subtracted.
    """
    deviation = math.sqrt(2.0 * (terms[0] * weights[0] ** 2 + terms[1] * weights[1] ** 2))
    period = 8.0 * deviation + 60.0 * max(weights)
    if abs(x) >= period:
        return float(x > 0.0)
    step, n_nodes, truncation_error = math.pi / period, 32, 1.0
    while truncation_error > _TRUNCATION_ERROR and n_nodes < _MAX_NODES:
        n_nodes *= 2
        truncation_error = math.exp(_evaluate_log_spectrum(np.array(step * n_nodes), weights, terms))
    nodes = step * (np.arange(n_nodes) + 0.5)
    series = np.exp(_evaluate_log_spectrum(nodes, weights, terms)) * np.sin(nodes * x) / nodes
    return 0.5 + step / math.pi * float(series.sum()) - truncation_error


def _evaluate_log_spectrum(u: npt.NDArray[Any], weights: tuple[float, float], terms: tuple[int, int]) -> Floats:
    return -(terms[0] * np.log1p((weights[0] * u) ** 2) + terms[1] * np.log1p((weights[1] * u) ** 2))

"""What follows from a released histogram: quantiles, and the distribution function at its edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import ReadOnlyArrays
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import make_noise_sum
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _ranges as ranges
from pydpstat.results._labels import GroupLabels, Labels
from pydpstat.results._population import SupportsShares
from pydpstat.results._postprocessing import (
    NO_COST_STEP,
    PopulationInference,
    RatioIntervals,
    ValueWithIntervals,
    bound_sum_quantile,
)
from pydpstat.results._tables import TableResults

_HISTOGRAM_STEP = NO_COST_STEP.format("histogram")


class QuantileInference(PopulationInference, Protocol):
    """The intervals of quantiles, of populations and of the records."""

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each quantile of the records."""


@runtime_checkable
class SupportsQuantiles(Protocol):
    """What has intervals for the quantiles of populations."""

    def make_quantile_intervals(
        self, edges: Floats, shares: tuple[float, ...], shape: tuple[int, ...]
    ) -> QuantileInference:
        """Return the intervals of these quantiles, of each group's one after another, in that shape."""


@dataclass(frozen=True, eq=False)
class NoisyCumulation(ReadOnlyArrays):
    """How many of the records of a histogram are below its inner edges."""

    cells: Floats
    # where it is public, those below an edge are also all but those above: the less noisy side counts
    size: int | None
    # of each cell: symmetric, on the integers
    noise: Noise

    @property
    def _edge_positions(self) -> npt.NDArray[np.intp]:
        return np.arange(1, self.cells.size)

    @property
    def sides(self) -> tuple[Floats, Floats]:
        """The noisy numbers of records below and above each inner edge."""
        return self.cells[:-1].cumsum(), self.cells[:0:-1].cumsum()[::-1]

    def _count_below_edges(self, size: int) -> tuple[Floats, npt.NDArray[np.intp], Floats]:
        """Return the noisy numbers below the edges, how many noises are in each, and the noises' factors."""
        below, above = self.sides
        fewer = np.minimum(self._edge_positions, self.cells.size - self._edge_positions)
        middle = 4 * fewer > self.cells.size
        one = np.where(2 * self._edge_positions <= self.cells.size, below, size - above)
        found = np.where(middle, 0.5 * (below + size - above), one)
        return found, np.where(middle, self.cells.size, fewer), np.where(middle, 0.5, 1.0)

    def _make_ratios(self) -> RatioIntervals:
        return RatioIntervals(
            self.noise, *self.sides, np.array([self._edge_positions, self.cells.size - self._edge_positions])
        )

    def compute_shares(self) -> Floats:
        """Return the shares of the records below the inner edges: from 0 to 1, and ascending."""
        if self.size:
            raw = np.clip(self._count_below_edges(self.size)[0] / self.size, 0.0, 1.0)
        else:
            raw = np.nan_to_num(self._make_ratios().compute_shares(), nan=0.5)
        # as far from the largest before as from the smallest after
        return 0.5 * (np.maximum.accumulate(raw) + np.minimum.accumulate(raw[::-1])[::-1]) + 0.0

    def compute_slopes(self) -> Floats:
        """Return how far noise of a standard deviation of 1 in each cell moves the shares; NaN if unknown."""
        if not self.size:
            return self._make_ratios().compute_slopes()
        _, terms, factors = self._count_below_edges(self.size)
        return factors * np.sqrt(terms) / self.size

    def compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the noise intervals of the shares below the inner edges."""
        if not self.size:
            return self._make_ratios().compute_noise_interval(alpha)
        found, reach = self._count_below_edges(self.size)[0], self._compute_half_widths(self.size, alpha)
        # counts that are moved into their range lengthen the interval
        found = np.clip(found, 0.0, self.size)
        return ranges.PROPORTION.clip_values((found - reach) / self.size), ranges.PROPORTION.clip_values(
            (found + reach) / self.size
        )

    def _compute_half_widths(self, size: int, alpha: float) -> Floats:
        _, terms, factors = self._count_below_edges(size)
        known = {each: compute_noise_sum_quantile(self.noise, each, alpha) for each in set(terms.tolist())}
        return factors * np.array([known[each] for each in terms.tolist()])

    def find_last_edge_below(self, share: float, alpha: float) -> int:
        """Return the last edge before the quantile, above it with a probability of alpha / 2 at most."""
        if self.size:
            needed = max(math.floor(self.size * share), 1)
            passed = self._count_below_edges(self.size)[0] - needed < -self._compute_half_widths(self.size, alpha)
        else:
            (below, above), places = self.sides, self._edge_positions
            # at the first edge above the quantile this is above -1, but for the noise
            excess = (1.0 - share) * below - share * above + 1.0
            spread = np.sqrt((1.0 - share) ** 2 * places + share**2 * (self.cells.size - places))
            # one record for the steps of integers, as in RatioIntervals
            passed = excess < -(bound_sum_quantile(self.noise, alpha) * float(self.noise.std()) * spread + 1.0)
        return int(np.argmin(np.append(passed, False)))

    def compute_quantile(self, share: float, edges: Floats) -> float:
        """Return the point below which that share of the records seems to be."""
        below = np.concatenate([[0.0], self.compute_shares(), [1.0]])
        place = min(max(int(np.searchsorted(below, share, side="right")) - 1, 0), self.cells.size - 1)
        gap = float(below[place + 1] - below[place])
        part = min(max((share - float(below[place])) / gap, 0.0), 1.0) if gap > 0.0 else 0.5
        return float((1.0 - part) * edges[place] + part * edges[place + 1])

    def compute_quantile_slope(self, share: float, edges: Floats) -> float:
        """Return how far noise of a standard deviation of 1 in each cell moves a quantile.

        NaN where a standard deviation of the noise is above a tenth of all records.
        """
        slopes = self.compute_slopes()
        if not slopes.size:
            return math.nan
        deviation = float(self.noise.std())
        apart = deviation * float(np.interp(self.compute_quantile(share, edges), edges[1:-1], slopes))
        if not apart <= 0.1:
            return math.nan
        ends = [self.compute_quantile(min(max(each, 0.0), 1.0), edges) for each in (share - apart, share + apart)]
        return (ends[1] - ends[0]) / (2.0 * deviation)


@lru_cache(maxsize=1024)
def compute_noise_sum_quantile(noise: Noise, terms: int, alpha: float) -> float:
    """Return how far a sum of so many noises reaches, with probability 1 - alpha; NaN if unknown."""
    known = make_noise_sum(noise, terms)
    return math.nan if known is None else float(known.ppf(1.0 - 0.5 * alpha))


@dataclass(frozen=True, eq=False)
class CumulationIntervals(ReadOnlyArrays):
    """Noise intervals of the shares below edges, in the shape of the published values."""

    rows: tuple[NoisyCumulation, ...]
    shape: tuple[int, ...]
    # the outer edges, at which the shares are 0 and 1
    outer: tuple[float, float] | None = None

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each share."""
        ends = [each.compute_interval(alpha) for each in self.rows]
        low, high = (np.concatenate([pair[place] for pair in ends]).reshape(self.shape) for place in (0, 1))
        return low, high


@dataclass(frozen=True, eq=False)
class QuantileNoiseIntervals(ReadOnlyArrays):
    """Noise intervals of quantiles of the records: the edges between which each must be."""

    # If the lower end is above the quantile, the count below the first edge above the quantile was too small
    # for its noise, and this edge is fixed by the records: one edge alone counts.

    rows: tuple[NoisyCumulation, ...]
    edges: Floats
    quantiles: tuple[float, ...]
    shape: tuple[int, ...]

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each quantile."""
        ends = np.array([self._find_edge_range(row, q, alpha) for row in self.rows for q in self.quantiles])
        low, high = self.edges[ends.T]
        return low.reshape(self.shape), high.reshape(self.shape)

    def _find_edge_range(self, row: NoisyCumulation, q: float, alpha: float) -> tuple[int, int]:
        mirrored = NoisyCumulation(row.cells[::-1], row.size, row.noise)
        low, high = (
            row.find_last_edge_below(q, alpha),
            row.cells.size - mirrored.find_last_edge_below(1.0 - q, alpha),
        )
        low, high = min(low, high), max(low, high)
        # a single point would be the whole interval
        return (low, high) if low < high else (max(low - 1, 0), min(high + 1, row.cells.size))


class HistogramResults(TableResults):
    """What can be computed from a released histogram at no additional privacy cost."""

    __slots__ = ()

    def quantile(self, q: float | Sequence[float] = 0.5) -> Self:
        """Return quantiles from a released histogram, at no additional privacy cost.

        It is post-processing of a `histogram`: any number of quantiles can be computed from the same
        counts. By group each group has its own.

        Parameters
        ----------
        q : float or list of float, default 0.5
            Which quantiles, each from 0 to 1; the default is the median.

        Returns
        -------
        DPResults
            The quantiles with the histogram's guarantee, interpolated within a bin. Both kinds of intervals
            end at edges of bins: those of the noise are for the quantile of these records, and
            ``conf_int(kind="population")`` is for the population's. Values outside the edges count as
            at the outer edges.

        Raises
        ------
        PydpstatError
            If this release is no histogram with public edges and noise on the integers, or `q` is not in
            its range.

        See Also
        --------
        DPResults.cdf : the inverse.
        quantiles : a release of quantiles alone, which is more accurate.

        Notes
        -----
        Noise intervals: the count below each edge is compared with what the quantile needs, given the noise
        in the count. One edge alone, fixed by the records, decides whether an end is wrong, so that nothing
        is lost by looking at many. Intervals for the population are exact where the number of records is
        public, and exact under a model where it is private. `pydpstat.quantiles` with ``population=True``
        chooses its cells by n and epsilon, and is the better release if quantiles are all that is wanted.

        References
        ----------
        Drechsler, J., Globus-Harris, I., McMillan, A., Sarathy, J. and Smith, A. (2022). Nonparametric
        differentially private confidence intervals for the median. Journal of Survey Statistics and
        Methodology 10.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> age = np.arange(20.0, 80.0, 0.1)
        >>> r = pydpstat.histogram(age, 1.0, edges=np.arange(0, 101, 5), rng=1)
        >>> median = r.quantile(0.5)
        >>> abs(float(median) - 50.0) < 2.0, median.epsilon
        (True, 1.0)
        >>> median.conf_int(kind="population").to_numpy().tolist()
        [[45.0, 55.0]]
        """
        edges, rows = self._get_cumulations()
        many = isinstance(q, (list, tuple, np.ndarray))
        asked = tuple(
            float(checks.check_number(each, "q", "from 0 to 1", lambda x: 0.0 <= x <= 1.0, "0.5 is the median."))
            for each in (np.ravel(q).tolist() if many else [q])
        )
        if not asked:
            raise PydpstatError("q must have one or more numbers from 0 to 1; got none. Leave it out for 0.5.")
        groups = self.value.shape[:-1]
        shape = (*groups, len(asked)) if many else groups
        value = np.array([row.compute_quantile(each, edges) for row in rows for each in asked]).reshape(shape)
        slopes = np.array([row.compute_quantile_slope(each, edges) for row in rows for each in asked]).reshape(shape)
        population = self.post.population
        known = (
            population.make_quantile_intervals(edges, asked, shape)
            if isinstance(population, SupportsQuantiles)
            else None
        )
        names = tuple(map(str, asked)) if many else None
        own = Labels(self.labels.xname if self.labels.xname != "x" else "quantile", names=names)
        shown: object = list(asked) if many else asked[0]
        noise = QuantileNoiseIntervals(rows, edges, asked, shape) if known is None else known
        flat, steps = tuple(slopes.ravel(order="F").tolist()), ("between edges of bins", _HISTOGRAM_STEP)
        post = ValueWithIntervals(flat, steps, noise, population=known)
        return self._derive_release("quantile", value, self._make_group_labels(own), post, ("quantile", shown))

    def cdf(self) -> Self:
        """Return the share of the records below each edge of a released histogram.

        It is the distribution function at the inner edges, post-processing of a `histogram` at no additional
        privacy cost.

        Returns
        -------
        DPResults
            The shares, ascending from 0 to 1, with the histogram's guarantee. ``to_frame()`` has a row for
            each edge with the noise interval; ``conf_int(kind="population")`` has intervals for the share
            of the population that is below.

        Raises
        ------
        PydpstatError
            If this release is no histogram with public edges and noise on the integers.

        See Also
        --------
        DPResults.quantile : the inverse.
        DPResults.shares : the share of each interval.

        Notes
        -----
        Where the number of records is public, the noise intervals have the exact distribution of the sum of
        the noises below the edge or above, whichever are fewer, or of the mean of both counts. Otherwise they
        are Fieller's, of the count below over the sum of all. Each interval stands alone;
        ``conf_int(joint=True)`` has those that hold together.

        References
        ----------
        Fieller, E. C. (1954). Some problems in interval estimation. Journal of the Royal Statistical Society
        B 16.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> age = np.arange(20.0, 80.0, 0.1)
        >>> r = pydpstat.histogram(age, 1.0, edges=[0, 30, 50, 70, 100], rng=1)
        >>> r.cdf().to_frame()["estimate"].round(1).to_dict()
        {30.0: 0.2, 50.0: 0.5, 70.0: 0.8}
        """
        edges, rows = self._get_cumulations()
        inner = edges[1:-1]
        if not inner.size:
            raise PydpstatError("cdf() needs an edge between two bins; this histogram has one bin.")
        shape = (*self.value.shape[:-1], inner.size)
        value = np.array([row.compute_shares() for row in rows]).reshape(shape)
        slopes = np.array([row.compute_slopes() for row in rows]).reshape(shape)
        population, known = self.post.population, None
        if isinstance(population, SupportsShares):
            below, above = (np.array([row.sides[place] for row in rows]).reshape(shape) for place in (0, 1))
            places = np.tile(np.arange(1, edges.size - 1), len(rows))
            noises = np.stack([places, edges.size - 1 - places], axis=1)
            known = population.make_share_intervals(below, above, noises, True, "")
        flat = tuple(slopes.ravel(order="F").tolist())
        steps = ("added up from below", "made ascending", ranges.CLIPPED_STEP, _HISTOGRAM_STEP)
        noise = CumulationIntervals(rows, shape, (float(edges[0]), float(edges[-1])))
        post = ValueWithIntervals(flat, steps, noise, population=known, within=ranges.PROPORTION)
        name = "share below"
        if isinstance(self.labels, GroupLabels):
            names = tuple(f"{edge:.10g}" for edge in inner.tolist())
            labels = self._make_group_labels(Labels(name, names=names, xname=self.labels.xname))
        else:
            labels = Labels(name, dimnames=(tuple(inner.tolist()),), dimension_names=(self.labels.xname,))
        return self._derive_release("share below", value, labels, post, ("cdf",))

    def _make_group_labels(self, labels_of_each: Labels) -> Labels:
        """Return the labels of a value that each group has, where there are groups."""
        labels = self.labels
        return (
            GroupLabels.from_labels(labels_of_each, labels.rows, labels.keys)
            if isinstance(labels, GroupLabels)
            else labels_of_each
        )

    def _get_cumulations(self) -> tuple[Floats, tuple[NoisyCumulation, ...]]:
        """Return the edges, and the noisy counts of all records or of each group."""
        if self.statistic != "histogram" or self.labels.breaks is None or not self.labels.left_closed:
            raise PydpstatError(
                f"this release of {self.statistic} is not a histogram, so it has no quantiles. "
                "Release a pydpstat.histogram with public edges."
            )
        counts, _ = self._get_noisy_counts()
        rows = counts.reshape(-1, counts.shape[-1])
        return np.array(self.labels.breaks), tuple(NoisyCumulation(row, self.nobs, self.noise) for row in rows)

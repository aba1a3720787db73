"""Results of a histogram, with quantiles and the distribution function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _ranges as ranges
from pydpstat.results._cumulation import CumulationIntervals, NoisyCumulation, QuantileNoiseIntervals, SupportsQuantiles
from pydpstat.results._labels import GroupLabels, Labels
from pydpstat.results._noisy_counts import can_sum_counts, derive_by_method, get_noisy_counts
from pydpstat.results._population import SupportsShares
from pydpstat.results._postprocessing import NO_COST_STEP, ValueWithIntervals
from pydpstat.results._shapes import GROUPED_HISTOGRAMS, HISTOGRAM, represents
from pydpstat.results.grouped_results import GroupedResults
from pydpstat.results.results import DPResults

_HISTOGRAM_STEP = NO_COST_STEP.format("histogram")


@represents(HISTOGRAM)
class HistogramResults(DPResults):
    """A released histogram: counts of records between public edges.

    `histogram` returns it. All that `DPResults` has is here, with the bins as names; operators are those of
    single numbers.

    See Also
    --------
    DPResults : a number or several.
    GroupedHistogramResults : a histogram of each group.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> r = pydpstat.histogram(np.arange(20.0, 80.0, 0.1), 1.0, edges=[0, 30, 50, 70, 100], rng=1)
    >>> type(r).__name__, 45.0 < float(r.quantile(0.5)) < 55.0
    ('HistogramResults', True)
    """

    __slots__ = ()

    @property
    def _unavailable_names(self) -> tuple[str, ...]:
        names = super()._unavailable_names
        if not can_sum_counts(self):
            return (*names, "cdf", "quantile")
        return names if len(self.labels.breaks or ()) > 2 else (*names, "cdf")

    def quantile(self, q: float | Sequence[float] = 0.5) -> DPResults:
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
            If the noise is not on the integers, or `q` is not in its range.

        See Also
        --------
        HistogramResults.cdf : the inverse.
        quantiles : a release of quantiles alone, which is more accurate.

        Notes
        -----
        Noise intervals: the count below each edge is compared with the count that the quantile requires, given
        the noise. A single edge, fixed by the records, decides whether a limit is wrong, so that no correction
        for several edges is needed. Intervals for the population are exact where the number of records is
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
        is_sequence = isinstance(q, (list, tuple, np.ndarray))
        probabilities = tuple(
            float(checks.check_number(p, "q", "from 0 to 1", lambda x: 0.0 <= x <= 1.0, "0.5 is the median."))
            for p in (np.ravel(q).tolist() if is_sequence else [q])
        )
        if not probabilities:
            raise PydpstatError("q must have one or more numbers from 0 to 1; got none. Leave it out for 0.5.")
        groups = self.value.shape[:-1]
        shape = (*groups, len(probabilities)) if is_sequence else groups
        value = np.array([row.compute_quantile(p, edges) for row in rows for p in probabilities]).reshape(shape)
        slopes = np.array([row.compute_quantile_slope(p, edges) for row in rows for p in probabilities]).reshape(shape)
        population = self.post.population
        intervals = (
            population.make_quantile_intervals(edges, probabilities, shape)
            if isinstance(population, SupportsQuantiles)
            else None
        )
        names = tuple(map(str, probabilities)) if is_sequence else None
        labels = Labels(self.labels.xname if self.labels.xname != "x" else "quantile", names=names)
        argument: object = list(probabilities) if is_sequence else probabilities[0]
        noise = QuantileNoiseIntervals(rows, edges, probabilities, shape) if intervals is None else intervals
        flat_slopes, steps = tuple(slopes.ravel(order="F").tolist()), ("between edges of bins", _HISTOGRAM_STEP)
        post = ValueWithIntervals(flat_slopes, steps, noise, population=intervals)
        return derive_by_method(self, "quantile", value, self._make_group_labels(labels), post, ("quantile", argument))

    def cdf(self) -> DPResults:
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
            If the noise is not on the integers, or there is one bin.

        See Also
        --------
        HistogramResults.quantile : the inverse.
        TableResults.shares : the share of each interval.

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
        population, intervals = self.post.population, None
        if isinstance(population, SupportsShares):
            below, above = (np.array([row.sides[side] for row in rows]).reshape(shape) for side in (0, 1))
            n_below = np.tile(np.arange(1, edges.size - 1), len(rows))
            noises = np.stack([n_below, edges.size - 1 - n_below], axis=1)
            intervals = population.make_share_intervals(below, above, noises, True, "")
        flat_slopes = tuple(slopes.ravel(order="F").tolist())
        steps = ("added up from below", "made ascending", ranges.CLIPPED_STEP, _HISTOGRAM_STEP)
        noise = CumulationIntervals(rows, shape, (float(edges[0]), float(edges[-1])))
        post = ValueWithIntervals(flat_slopes, steps, noise, population=intervals, within=ranges.PROPORTION)
        name = "share below"
        if isinstance(self.labels, GroupLabels):
            names = tuple(f"{edge:.10g}" for edge in inner.tolist())
            labels = self._make_group_labels(Labels(name, names=names, xname=self.labels.xname))
        else:
            labels = Labels(name, dimnames=(tuple(inner.tolist()),), dimension_names=(self.labels.xname,))
        return derive_by_method(self, "share below", value, labels, post, ("cdf",))

    def _make_group_labels(self, labels_of_each: Labels) -> Labels:
        """Return the labels of a derived value, by group if there are groups."""
        labels = self.labels
        return (
            GroupLabels.from_labels(labels_of_each, labels.rows, labels.keys)
            if isinstance(labels, GroupLabels)
            else labels_of_each
        )

    def _get_cumulations(self) -> tuple[Floats, tuple[NoisyCumulation, ...]]:
        """Return the edges, and the cumulative noisy counts of all records or of each group."""
        counts, _ = get_noisy_counts(self)
        rows = counts.reshape(-1, counts.shape[-1])
        return np.array(self.labels.breaks), tuple(NoisyCumulation(row, self.nobs, self.noise) for row in rows)


@represents(GROUPED_HISTOGRAMS)
class GroupedHistogramResults(HistogramResults, GroupedResults):
    """A released histogram of each group, whose bins can be compared.

    `histogram` with ``by=`` returns it.

    See Also
    --------
    HistogramResults, GroupedResults : what it has.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> age, region = np.linspace(20, 60, 600), np.tile(["north", "south"], 300)
    >>> r = pydpstat.histogram(age, 1.0, edges=[0, 30, 60], by=region, levels=["north", "south"], rng=1)
    >>> type(r).__name__, r.quantile(0.5).estimate.index.tolist()
    ('GroupedHistogramResults', ['north', 'south', 'other'])
    """

    __slots__ = ()

"""Quantiles of records with survey weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, GivenBounds, bounds_pair
from pydpstat._release.additive import Spender
from pydpstat._release.statistic import Missing, check_budget, quiet, release_statistic
from pydpstat.inference._laws.weighted_mean import ASSUMPTIONS
from pydpstat.inference._laws.weighted_quantile import WeightedCells, WeightedQuantileInterval
from pydpstat.inference._population import Intervals
from pydpstat.inference._weighted_sums import (
    LINEAR,
    cell_sums,
    noise_scales,
    note_counted,
    read_weighted,
    sums_of,
    weighted_options,
    weighted_query,
)
from pydpstat.random import source_from
from pydpstat.results._postprocessing import BetweenEdges, PostProcessing
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import record_grid
from pydpstat.statistics._kernels.scope import Keys, Scope

Floats = npt.NDArray[np.float64]
_FEWEST, _MOST = 8, 256


@dataclass(frozen=True)
class WeightedQuantiles(Intervals):
    """Intervals of groups' quantiles, for the population and for the records."""

    assumptions = ASSUMPTIONS

    def noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for the records' own quantiles."""
        parts = [each for each in self.parts if isinstance(each, WeightedQuantileInterval)]
        low, high = np.array([each.noise_interval(alpha) for each in parts]).T
        return low, high


@quiet
def weighted_quantile(
    data: Data,
    weights: Data | str,
    q: float,
    epsilon: float,
    *,
    bounds: GivenBounds,
    max_weight: float,
    neighbors: str | None = None,
    missing: Missing = "error",
    bins: int = 64,
    by: Keys | None = None,
    levels: object = None,
    other: str | None = "other",
    unit: Keys | None = None,
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release a quantile of records with survey weights.

    Parameters
    ----------
    data, weights, epsilon, bounds, max_weight, neighbors, missing, by, levels, other, unit, rng, budget
        As in `weighted_mean`.
    q : float
        Share of the weight below the quantile; between 0 and 1.
    bins : int, default 64
        In how many cells of equal width the weight is counted, from 8 to 256. Few cells are coarse, many have
        much noise together. It must not depend on the data.

    Returns
    -------
    DPResults
        Its estimate is a float, by group a Series, between two edges in proportion. Its intervals end at
        edges; ``conf_int(kind="population")`` is design-based.

    Raises
    ------
    PydpstatError
        As in `weighted_mean`, and where `q` or `bins` is not allowed.

    See Also
    --------
    quantile, median : without weights.
    weighted_mean : the mean.

    Notes
    -----
    Guarantee: epsilon. A record adds its weight v to the sum of one cell, with three quarters of epsilon, and
    v^2 to another sum of the cell with one quarter: at most 1 in all, as in `weighted_mean`. The estimate is
    post-processing of the cells. `bse` is half the distance of the quantiles whose shares are a standard
    deviation of the noise below and above; NaN where the noise of all cells is above a tenth of their weight.
    The noise interval is exact for all records and weights, ties included: it ends at edges whose
    noisy weight below no longer fits the quantile, and has all of the cell in which this is.

    References
    ----------
    Woodruff, R. S. (1952). Confidence intervals for medians and other position measures. Journal of the
    American Statistical Association 47, 635-646.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> income, weight = np.linspace(0, 100, 10_000), np.repeat([1.0, 3.0], 5000)
    >>> r = pydpstat.weighted_quantile(income, weight, 0.5, 1.0, bounds=(0, 100), max_weight=4, rng=1)
    >>> abs(float(r) - 200 / 3) < 2
    True
    """
    pair, source = bounds_pair(bounds), source_from(rng)
    share = checks.probability(q, "q", "0.5 is the median.")
    allowed = f"a whole number from {_FEWEST} to {_MOST}"
    count = checks.integer(bins, "bins", _FEWEST, _MOST, allowed=allowed, hint="64 is the default.")
    how = weighted_options(epsilon, neighbors, missing, budget)
    scope = Scope.of(by, levels, other, unit, None, None, None, budget).independent()
    known = read_weighted(data, weights, pair, max_weight, how, source, scope)
    how, shape = known.how, known.records.shape
    places = np.linspace(-1.0, 1.0, count + 1)
    edges = tuple((0.5 * pair[0] + 0.5 * pair[1] + record_grid.half_width(pair) * places).tolist())
    sums, size = known.sums(partial(cell_sums, edges=places))
    scales = noise_scales(how)

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        rows = [sums_of(row, count, count) for row in noisy.reshape(len(sums), -1)]
        note_counted(known, rows)
        found = [WeightedCells(*row, edges, scales, size) for row in rows]
        parts = tuple(WeightedQuantileInterval(each, share) for each in found)
        intervals = WeightedQuantiles(parts, shape, "measured") if shape else parts[0]
        slopes = tuple(each.slope(share) / float(LINEAR) for each in found)
        post = BetweenEdges(slopes, ("between edges of noisy cells",), intervals, population=intervals)
        return np.array([each.quantile(share) for each in found]).reshape(shape), post

    query = weighted_query("weighted_quantile", sums, count, known, size)
    arguments = (("q", share), ("bounds", pair), ("bins", count), *known.arguments)
    return release_statistic(
        "weighted_quantile",
        query,
        how,
        source,
        check_budget(budget),
        data=("data", "weights"),
        arguments=arguments,
        bounds=pair,
        publish=publish,
        conditions=known.records.conditions,
    )

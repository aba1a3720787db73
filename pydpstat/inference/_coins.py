"""A test of a mean by coins, one for each record, which holds for every distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from pydpstat._data.columns import Pair
from pydpstat._release.additive import Query, Spender
from pydpstat._release.statistic import Missing, Options, check_records, release_statistic
from pydpstat.inference._laws.binomial import ProportionInterval, floor_of, noisy_tails, pvalue_of
from pydpstat.inference._laws.geometric_sums import GeometricNoise
from pydpstat.inference._mean_tests import CLIPPED, PUBLIC, standard
from pydpstat.random import Source
from pydpstat.results import InferenceResults
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.record_grid import BITS, RecordGrid, completed, standard_grid
from pydpstat.statistics._kernels.records import Part, Records


@dataclass(frozen=True)
class _CoinInterval:
    """The means that the test by coins does not reject: the shares of heads, in the data's unit."""

    shares: ProportionInterval
    pair: Pair

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the mean with probability `alpha` at most."""
        lower, upper = self.pair
        middle, half = 0.5 * lower + 0.5 * upper, 0.5 * upper - 0.5 * lower
        low, high = (middle + half * (2.0 * share - 1.0) for share in self.shares.ends(alpha))
        return min(max(low, lower), upper), min(max(high, lower), upper)


def by_coins(
    records: Records,
    pair: Pair,
    how: Options,
    popmean: float,
    alternative: str,
    asked: tuple[tuple[str, object], ...],
    source: Source,
    budget: Spender | None,
) -> InferenceResults:
    """Release how many coins show heads, a coin for each record, and test with that."""
    grid = standard_grid(*pair)
    placed = records.fold(partial(_placed, grid=grid, missing=how.missing), _joined)
    size = placed.size
    check_records(how, size, 1, "test of a mean", "a")
    # (1 + z) / 2 is a multiple of the probability of one of these integers
    heads = int(np.count_nonzero(source.integers(size, 2 << BITS) < (placed + 1.0) / grid.unit))
    labels = Labels("heads")
    query = Query("heads", np.asarray(float(heads)), (1,), labels, integer=True, nobs=size, exact=(heads,))
    release = release_statistic(
        "ttest_1samp", query, how, source, budget, data=("a",), arguments=asked, bounds=pair
    )
    count, middle, half = float(release.value), 0.5 * pair[0] + 0.5 * pair[1], 0.5 * pair[1] - 0.5 * pair[0]
    heads_law = 0.5 * (1.0 + standard(popmean, pair))
    tails = noisy_tails(count, size, heads_law, GeometricNoise(how.epsilon))
    shares = ProportionInterval(count, size, how.epsilon, alternative, smooth=False)
    estimate = middle + half * (2.0 * min(max(count / size, 0.0), 1.0) - 1.0)
    return InferenceResults.of(
        release,
        test="One-sample exact test of the mean",
        statistic=count,
        pvalue=pvalue_of(*tails, alternative),
        pvalue_floor=floor_of(alternative),
        alternative=alternative,
        null=(("mean", popmean),),
        estimates=(("mean", min(max(estimate, pair[0]), pair[1])),),
        parameter="mean",
        interval=_CoinInterval(shares, pair),
        validity="exact",
        assumptions=("independent records of one distribution", CLIPPED, PUBLIC),
        remarks=("Each record was replaced by a coin: another release tosses other coins.",),
    )


def _placed(part: Part, grid: RecordGrid, missing: Missing) -> np.ndarray:
    """Return records on the grid, from -1 to 1, missing ones dealt with."""
    placed = [grid.place(part.columns.arrays[0])]
    if np.isnan(placed[0].sum()):
        placed, _ = completed(placed, (grid,), missing)
    return placed[0]


def _joined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.concatenate([first, second])

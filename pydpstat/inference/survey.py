"""Statistics of records with survey weights, and what they say of the population."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pydpstat._data.columns import Data, GivenBounds, bounds_pair
from pydpstat._release.additive import Spender
from pydpstat._release.options import Missing
from pydpstat._release.statistic import quiet, release_statistic
from pydpstat.inference._null_distributions.shares import NOTHING_SAID
from pydpstat.inference._null_distributions.weighted_means import (
    ASSUMPTIONS,
    OF_STRATA,
    StratifiedSums,
    WeightedMeanInterval,
    WeightedSums,
)
from pydpstat.inference._population import Intervals
from pydpstat.inference._weighted_sums import (
    LINEAR,
    Weighted,
    mean_sums,
    noise_scales,
    note_counted,
    read_weighted,
    sums_of,
    weighted_options,
    weighted_query,
)
from pydpstat.results import _ranges as ranges
from pydpstat.results._population import Difference
from pydpstat.results._postprocessing import Derived, PostProcessing
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import partition, record_grid
from pydpstat.statistics._kernels.scope import Keys

STEPS = ("weighted mean of the noisy sums", ranges.CLIPPED)


@dataclass(frozen=True)
class WeightedMeans(Intervals):
    """Intervals of groups' weighted means, and differences of two of them."""

    def difference(self, first: int, second: int) -> Difference:
        """Compare the means of the groups in these places."""
        from pydpstat.inference._null_distributions.mean_differences import FLOOR
        from pydpstat.inference._null_distributions.weighted_means import weighted_difference

        one, other = self.parts[first], self.parts[second]
        assert isinstance(one, WeightedMeanInterval) and isinstance(other, WeightedMeanInterval)
        known = one.known, other.known
        statistic, p, interval, tell = weighted_difference(known, one.half)
        estimate = one.half * (one.known.mean - other.known.mean)
        remarks, floor = ((), FLOOR) if tell else ((NOTHING_SAID,), 0.0)
        name = "Welch's t test of two weighted means"
        return Difference(name, statistic, p, estimate, interval, "measured", remarks, floor)


@quiet
def weighted_mean(
    data: Data,
    weights: Data | str,
    epsilon: float,
    *,
    bounds: GivenBounds,
    max_weight: float,
    neighbors: str | None = None,
    missing: Missing = "error",
    by: Keys | None = None,
    levels: object = None,
    other: str | None = "other",
    strata: Keys | None = None,
    unit: Keys | None = None,
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release the mean of records with survey weights.

    Parameters
    ----------
    data : array_like of shape (n,), or frame
        Numbers; values outside the bounds are clipped to them. A frame may have the columns of `weights` and
        `by` beside the variable, and nothing else.
    weights : array_like of shape (n,) or str
        The records' weights, private like the records: how many persons of the population each stands for. A
        text is the name of a column of `data`.
    epsilon : float
        Privacy parameter; above 0 and finite.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them.
    max_weight : float
        Public bound of the weights: larger ones are clipped to it, negative ones to 0. The noise grows with
        it, and the estimate is biased where many weights are clipped.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record and its weight replaced (the number of records
        public). Unbounded: one added or removed (the number private).
    missing : {"error", "drop"}, default "error"
        What to do where a value or a weight is missing: raise an error, or leave the record out (unbounded
        only).
    by : str, list of str, or columns, optional
        Release by group: columns of `data`, or a separate column (or a dict or tuple of them) with a value
        for each record. One release has all groups, also empty ones.
    levels : list, dict, list of lists or "declared", optional
        The public levels of the keys, as in `crosstab`; needed with `by`.
    other : str or None, default "other"
        The group of values that are in no level, as in `crosstab`. None leaves such records out.
    strata : str, list of str, or columns, optional
        By what strata the sample was drawn, with their public `levels`, in the place of `by`: the interval of
        kind "population" is then by the variances within strata. The noise is that of all strata together,
        its standard deviation as the root of their number.
    unit : str or column, optional
        Whose data a record is, such as a person's id: a column of the data, or an id for each record. At
        most one record of each unit counts, drawn at random, and what is protected is a unit. By default the
        budget's.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    DPResults
        Its estimate is a float, by group a Series with the groups as its index;
        ``conf_int(kind="population")`` is design-based, and ``difference(a, b)`` compares two groups.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, data and weights differ in length, there is no record under bounded
        neighbors, or a value is missing with ``missing="error"``.

    See Also
    --------
    mean : without weights.
    weighted_proportion, weighted_total, weighted_quantile : other statistics with weights.

    Notes
    -----
    Guarantee: epsilon. With v a weight as a share of `max_weight` and z the record's place between -1 (lower)
    and 1 (upper), the sums of v (1 - z) / 2 and v (1 + z) / 2 are released with three quarters of epsilon,
    and for the interval those of v^2 times three parts that add up to 1 with one quarter. None of it is
    negative and a record adds at most 1 to all, so that the L1 sensitivity is 1 under unbounded and 2 under
    bounded neighbors (`pydpstat.inference._weighted_sums`). The estimate, ``sum(v z) / sum(v)``, is
    post-processing; where the noisy sum of v is at most 1 it is the middle of the bounds.

    By group the sums of every group are released in one vector, with that of 1 - v, for the groups' numbers
    of records are private. A record is in one group: all groups together cost what one does. Under bounded
    neighbors a record may leave one group and enter another, which moves the sums by 2.

    The interval of kind "population" inverts a test whose statistic is studentized by the released squares,
    and takes records as independent draws with their weights. Its level was measured. ``difference`` is
    Welch's test with noise in its distribution, of means that are linearized about the released ones.

    With `strata` the sums of every stratum are released as those of groups are. Its number of records is
    taken as given, and from its squares about the mean is taken off what its mean is away from it, in so far
    as this is more than noise. Where strata differ little, or noise is large, the interval is the longer one.
    What is estimated may be of a domain, whose number of records in a stratum is random: a record without
    weight counts as one of its stratum, and so does one that ``missing="drop"`` leaves out, and in a design
    one outside of the subset. A unit's record is drawn before.

    References
    ----------
    Hajek, J. (1971). Comment on "An essay on the logical foundations of survey sampling, part one". In:
    Foundations of Statistical Inference. Holt, Rinehart and Winston.
    Sarndal, C.-E., Swensson, B. and Wretman, J. (1992). Model assisted survey sampling. Springer.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> income, weight = np.repeat([20.0, 60.0], 500), np.repeat([1.0, 3.0], 500)
    >>> r = pydpstat.weighted_mean(income, weight, 1.0, bounds=(0, 100), max_weight=4, rng=1)
    >>> round(float(r), 1)
    50.6
    >>> r.conf_int(kind="population").round(1).to_numpy().tolist()
    [[49.3, 51.9]]

    A domain table, from the columns of a frame:

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"income": income, "w": weight, "region": ["north", "south"] * 500})
    >>> public = {"bounds": (0, 100), "max_weight": 4, "levels": ["north", "south"], "other": None}
    >>> table = pydpstat.weighted_mean(frame, "w", 2.0, by="region", rng=1, **public)
    >>> bool(table.params.between(45, 55).all()), table.difference("north", "south").pvalue > 0.05
    (True, True)
    """
    pair = bounds_pair(bounds)
    how = weighted_options(epsilon, neighbors, missing, rng, budget)
    how = how.by_groups(by, levels, other, unit).independent()
    known = read_weighted(data, weights, pair, max_weight, how, strata)
    return _mean("weighted_mean", known, (("bounds", pair),), "data")


@quiet
def weighted_proportion(
    condition: Data,
    weights: Data | str,
    epsilon: float,
    *,
    max_weight: float,
    neighbors: str | None = None,
    missing: Missing = "error",
    by: Keys | None = None,
    levels: object = None,
    other: str | None = "other",
    strata: Keys | None = None,
    unit: Keys | None = None,
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release the weighted share of records that meet a condition.

    Parameters
    ----------
    condition : array_like of bool, shape (n,), or frame
        One truth value a record; a frame as in `weighted_mean`.
    weights, epsilon, max_weight, neighbors, missing, by, levels, other, strata, unit, rng, budget
        As in `weighted_mean`.

    Returns
    -------
    DPResults
        Its estimate is a float between 0 and 1, by group a Series; ``conf_int(kind="population")`` is
        design-based.

    Raises
    ------
    PydpstatError
        As in `weighted_mean`.

    See Also
    --------
    proportion : without weights.
    weighted_mean : of numbers.

    Notes
    -----
    Guarantee: epsilon. It is the weighted mean of truth values, 1 where the condition is met.

    References
    ----------
    Sarndal, C.-E., Swensson, B. and Wretman, J. (1992). Model assisted survey sampling. Springer.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> employed, weight = np.repeat([True, False], 500), np.repeat([3.0, 1.0], 500)
    >>> r = pydpstat.weighted_proportion(employed, weight, 1.0, max_weight=4, rng=1)
    >>> round(float(r), 2)
    0.75
    """
    how = weighted_options(epsilon, neighbors, missing, rng, budget)
    how = how.by_groups(by, levels, other, unit).independent()
    known = read_weighted(condition, weights, (0.0, 1.0), max_weight, how, strata, truths=True)
    return _mean("weighted_proportion", known, (), "condition")


def _mean(
    statistic: str, known: Weighted, arguments: tuple[tuple[str, object], ...], first: str
) -> DPResults:
    """Release a weighted mean, of all records or of each group."""
    pair, half, shape = known.pair, record_grid.half_width(known.pair), known.shape
    middle, within = 0.5 * pair[0] + 0.5 * pair[1], ranges.means([pair])
    sums, size = known.sums(mean_sums)
    scales = noise_scales(known.how)

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        rows = [sums_of(row, 2, 3) for row in noisy.reshape(len(sums), -1)]
        found: list[WeightedSums | StratifiedSums] = [WeightedSums(*row, scales, size) for row in rows]
        note_counted(known, rows)
        if known.stratified:
            found = [StratifiedSums(tuple(each for each in found if isinstance(each, WeightedSums)))]
        parts = tuple(WeightedMeanInterval(each, middle, half) for each in found)
        # of strata each has the noise of one
        share = math.sqrt(len(sums) / len(found)) / float(LINEAR)
        gradients = [partition.moments(np.array(each.line), partition.LINE).gradients[1] for each in found]
        post = Derived(
            tuple(half * float(partition.lengths(each)) * share for each in gradients),
            STEPS,
            population=WeightedMeans(
                parts, shape, "measured", OF_STRATA if known.stratified else ASSUMPTIONS
            ),
            within=within,
        )
        return within.clip(np.array([middle + half * each.mean for each in found]).reshape(shape)), post

    return release_statistic(
        statistic,
        weighted_query(statistic, sums, 2, known, size),
        known.how,
        data=(first, "weights"),
        arguments=(*arguments, *known.arguments),
        bounds=pair,
        publish=publish,
        conditions=known.records.conditions,
    )

"""Means and proportions of records with survey weights, with population intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pydpstat._data.columns import Data, GivenBounds, check_bounds
from pydpstat._null_distributions import weight_moments
from pydpstat._null_distributions.proportions.shares import UNINFORMATIVE_REMARK
from pydpstat._null_distributions.survey.weighted_means import (
    STRATA_ASSUMPTIONS,
    WEIGHTED_ASSUMPTIONS,
    StratifiedSums,
    WeightedMeanInterval,
    WeightedSums,
)
from pydpstat._records import record_grid
from pydpstat._records.groups import Keys
from pydpstat._records.population import ValueIntervals
from pydpstat._records.value_warnings import warn_means_at_bounds
from pydpstat._release.options import Missing
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release, release_statistic
from pydpstat.inference.survey._weighted_sums import (
    LINEAR_SHARE,
    WeightedRecords,
    compute_mean_sums,
    compute_noise_scales,
    make_weighted_options,
    make_weighted_query,
    read_weighted_records,
    unscale_weighted_sums,
    warn_empty_weighted_groups,
)
from pydpstat.results import _ranges as ranges
from pydpstat.results._population import Difference
from pydpstat.results._postprocessing import DerivedValue, PostProcessing
from pydpstat.results.results import DPResults

MEAN_STEPS = ("weighted mean of the noisy sums", ranges.CLIPPED_STEP)


@dataclass(frozen=True)
class WeightedMeans(ValueIntervals):
    """Intervals for the weighted means of groups, and differences of two of them."""

    def compare_groups(self, first: int, second: int) -> Difference:
        """Compare the means of the groups at these indices."""
        from pydpstat._null_distributions.means.mean_differences import PVALUE_FLOOR
        from pydpstat._null_distributions.survey.weighted_means import compare_weighted_means

        interval1, interval2 = self.parts[first], self.parts[second]
        assert isinstance(interval1, WeightedMeanInterval) and isinstance(interval2, WeightedMeanInterval)
        weighted_sums = interval1.weighted_sums, interval2.weighted_sums
        statistic, p, interval, tell = compare_weighted_means(weighted_sums, interval1.half_width)
        estimate = interval1.half_width * (interval1.weighted_sums.mean - interval2.weighted_sums.mean)
        remarks, floor = ((), PVALUE_FLOOR) if tell else ((UNINFORMATIVE_REMARK,), 0.0)
        name = "Welch's t test of two weighted means"
        return Difference(name, statistic, p, estimate, interval, "measured", remarks, floor)


@guard_release
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
    budget: Chargeable | None = None,
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
        Privacy parameter; positive and finite.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them.
    max_weight : float
        Public bound of the weights: larger ones are clipped to it, negative ones to 0. The noise grows with
        it, and the estimate is biased where many weights are clipped.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
        A record is replaced, added or removed with its weight.
    missing : {"error", "drop"}, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        record is dropped if its value or its weight is missing.
    by : str, list of str, or columns, optional
        Columns that define the groups: names of columns of the data, or a separate column (or a dict or tuple of them)
        with a value for each record. The release has all groups, including empty ones.
    levels : list, dict, list of lists or "declared", optional
        Public levels, or ``"declared"`` for Categoricals whose categories are public. Those of the keys in `by`, which
        requires them, in a form that `crosstab` has.
    other : str or None, default "other"
        Name of an additional level for values that are not among the levels. None leaves records with such values out.
    strata : str, list of str, or columns, optional
        By what strata the sample was drawn, with their public `levels`, in the place of `by`: the interval of
        kind "population" is then by the variances within strata. The noise is that of all strata together,
        its standard deviation as the root of their number.
    unit : str or column, optional
        Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a
        unit are protected together, and `neighbors` differ in one unit. One record of each unit is used, drawn at
        random. The default is that of `budget`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    DPResults
        Its estimate is a float, by group a Series with the groups as its index;
        ``conf_int(kind="population")`` is design-based, and ``difference(a, b)`` compares two groups.

    Raises
    ------
    PydpstatError
        If an argument is invalid, data and weights differ in length, there is no record under bounded neighbors, or a
        value is missing with ``missing="error"``.

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
    bounded neighbors (`pydpstat.inference.survey._weighted_sums`). The estimate, ``sum(v z) / sum(v)``, is
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
    pair = check_bounds(bounds)
    options = make_weighted_options(epsilon, neighbors, missing, rng, budget)
    options = options.add_scope(by, levels, other, unit).use_independent_records()
    weighted = read_weighted_records(data, weights, pair, max_weight, options, strata)
    return _release_weighted_mean("weighted_mean", weighted, (("bounds", pair),), "data")


@guard_release
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
    budget: Chargeable | None = None,
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
    options = make_weighted_options(epsilon, neighbors, missing, rng, budget)
    options = options.add_scope(by, levels, other, unit).use_independent_records()
    weighted = read_weighted_records(condition, weights, (0.0, 1.0), max_weight, options, strata, is_boolean=True)
    return _release_weighted_mean("weighted_proportion", weighted, (), "condition")


def _release_weighted_mean(
    statistic: str, weighted: WeightedRecords, arguments: tuple[tuple[str, object], ...], argument: str
) -> DPResults:
    """Release a weighted mean of all records or of each group."""
    pair, half, shape = weighted.bounds, record_grid.compute_half_width(weighted.bounds), weighted.shape
    middle, within = 0.5 * pair[0] + 0.5 * pair[1], ranges.make_mean_range([pair])
    sums, size = weighted.compute_sums(compute_mean_sums)
    scales = compute_noise_scales(weighted.options)

    def make_means(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        rows = [unscale_weighted_sums(row, 2, 3) for row in noisy.reshape(len(sums), -1)]
        groups: list[WeightedSums | StratifiedSums] = [WeightedSums(*row, scales, size) for row in rows]
        warn_empty_weighted_groups(weighted, rows, size)
        if weighted.is_stratified:
            groups = [StratifiedSums(tuple(group for group in groups if isinstance(group, WeightedSums)))]
        intervals = tuple(WeightedMeanInterval(group, middle, half) for group in groups)
        # the noises of strata are independent: the standard deviation grows with the root of their number
        share = math.sqrt(len(sums) / len(groups)) / float(LINEAR_SHARE)
        gradients = [
            weight_moments.compute_moments(np.array(group.linear_sums), weight_moments.LINE_BASIS).gradients[1]
            for group in groups
        ]
        post = DerivedValue(
            tuple(half * float(weight_moments.compute_row_norms(gradient)) * share for gradient in gradients),
            MEAN_STEPS,
            population=WeightedMeans(
                intervals,
                shape,
                "measured",
                STRATA_ASSUMPTIONS if weighted.is_stratified else WEIGHTED_ASSUMPTIONS,
            ),
            within=within,
        )
        return within.clip_values(np.array([middle + half * group.mean for group in groups]).reshape(shape)), post

    released = release_statistic(
        statistic,
        make_weighted_query(statistic, sums, 2, weighted, size),
        weighted.options,
        data_names=(argument, "weights"),
        public_arguments=(*arguments, *weighted.arguments),
        bounds=pair,
        postprocess=make_means,
        conditions=weighted.records.conditions,
    )
    if statistic == "weighted_mean":
        warn_means_at_bounds(released, (weighted.records.name,), (pair,))
    return released

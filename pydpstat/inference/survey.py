"""Statistics of records with survey weights, and what they say of the population."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import add

import numpy as np

from pydpstat._data.columns import Data, GivenBounds, bounds_pair
from pydpstat._release.additive import Spender
from pydpstat._release.statistic import Missing, OnlyBounded, check_budget, quiet, release_statistic
from pydpstat.inference._laws.noisy_t import NoisyTInterval
from pydpstat.inference._laws.weighted_mean import TotalInterval, WeightedMeanInterval, WeightedSums
from pydpstat.inference._moment_release import release_sums, sum_names, tallied
from pydpstat.inference._weighted_sums import (
    LINEAR,
    Weighted,
    mean_sums,
    noise_scales,
    read_products,
    read_weighted,
    sums_of,
    weighted_options,
    weighted_query,
)
from pydpstat.random import Source, source_from
from pydpstat.results import _ranges as ranges
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import Derived, PostProcessing, Scaled
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import partition, record_grid

TOTAL_STEPS = ("number of records times the noisy mean", ranges.CLIPPED)
STEPS = ("weighted mean of the noisy sums", ranges.CLIPPED)
_BOUNDED = OnlyBounded(
    "for a weighted total, whose interval needs the public number of records",
    "Neighbors are the budget's: use pydpstat.sum of the products, which has no interval.",
)
_FEWEST, _MOST = 8, 256


@quiet
def weighted_mean(
    data: Data,
    weights: Data,
    epsilon: float,
    *,
    bounds: GivenBounds,
    max_weight: float,
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release the mean of records with survey weights.

    Parameters
    ----------
    data : array_like of shape (n,)
        Numbers; values outside the bounds are moved onto them.
    weights : array_like of shape (n,)
        The records' weights, private like the records: how many persons of the population each stands for.
    epsilon : float
        Privacy parameter; above 0 and finite.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them.
    max_weight : float
        Public bound of the weights: larger ones are moved onto it, negative ones onto 0. The noise grows with
        it, and the estimate is biased where many weights are cut.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record and its weight replaced (the number of records
        public). Unbounded: one added or removed (the number private).
    missing : {"error", "drop"}, default "error"
        What to do where a value or a weight is missing: raise an error, or leave the record out (unbounded
        only).
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    DPResults
        Its estimate is a float; ``conf_int(kind="population")`` is design-based.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, data and weights differ in length, there is no record under bounded
        neighbors, or a value is missing with ``missing="error"``.

    Notes
    -----
    Guarantee: epsilon. With v a weight as a share of `max_weight` and z the record's place between -1 (lower)
    and 1 (upper), the sums of v (1 - z) / 2 and v (1 + z) / 2 are released with three quarters of epsilon,
    and for the interval those of v^2 times three parts that add up to 1 with one quarter. None of it is
    negative and a record adds at most 1 to all, so that the L1 sensitivity is 1 under unbounded and 2 under
    bounded neighbors (`pydpstat.inference._weighted_sums`). The estimate, ``sum(v z) / sum(v)``, is
    post-processing; where the noisy sum of v is at most 1 it is the middle of the bounds.

    The interval of kind "population" inverts a test whose statistic is studentised by the released squares,
    and takes records as independent draws with their weights. Its level was measured.

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
    """
    pair, source = bounds_pair(bounds), source_from(rng)
    how = weighted_options(epsilon, neighbors, missing, budget)
    known = read_weighted(data, weights, pair, max_weight, how, source)
    return _mean("weighted_mean", known, (("bounds", pair),), "data", source, budget)


@quiet
def weighted_proportion(
    condition: Data,
    weights: Data,
    epsilon: float,
    *,
    max_weight: float,
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release the share of the weight that records have which meet a condition.

    Parameters
    ----------
    condition : array_like of bool, shape (n,)
        One truth value a record.
    weights, epsilon, max_weight, neighbors, missing, rng, budget
        As in `weighted_mean`.

    Returns
    -------
    DPResults
        Its estimate is a float between 0 and 1; ``conf_int(kind="population")`` is design-based.

    Raises
    ------
    PydpstatError
        As in `weighted_mean`.

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
    source, how = source_from(rng), weighted_options(epsilon, neighbors, missing, budget)
    known = read_weighted(condition, weights, (0.0, 1.0), max_weight, how, source, truths=True)
    return _mean("weighted_proportion", known, (), "condition", source, budget)


@quiet
def weighted_total(
    data: Data,
    weights: Data,
    epsilon: float,
    *,
    bounds: GivenBounds,
    max_weight: float,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release the sum of records times their survey weights: an estimate of the population's total.

    Parameters
    ----------
    data, weights, epsilon, bounds, max_weight, missing, rng, budget
        As in `weighted_mean`; neighbors are bounded.

    Returns
    -------
    DPResults
        Its estimate is a float; ``conf_int(kind="population")`` is design-based.

    Raises
    ------
    PydpstatError
        As in `weighted_mean`, and where the budget's neighbors are unbounded.

    Notes
    -----
    Guarantee: epsilon, for bounded neighbors: the interval needs the number of records. It is a release of
    the sum of the products and of that of their squares, whose noise is that of the sum alone (`moments`).

    References
    ----------
    Hansen, M. H. and Hurwitz, W. N. (1943). On the theory of sampling from finite populations. Annals of
    Mathematical Statistics 14, 333-362.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> income, weight = np.repeat([20.0, 60.0], 500), np.repeat([1.0, 3.0], 500)
    >>> r = pydpstat.weighted_total(income, weight, 1.0, bounds=(0, 100), max_weight=4, rng=1)
    >>> abs(float(r) - 100_000) < 3000
    True
    """
    pair, source = bounds_pair(bounds), source_from(rng)
    how = weighted_options(epsilon, None, missing, budget, _BOUNDED)
    records, ends, largest = read_products(data, weights, pair, max_weight, how, source)
    found, n = tallied(records, (ends,), how, "weighted total", "data")
    arguments = (("bounds", pair), ("max_weight", largest))
    release, (made,) = release_sums(
        "weighted_total",
        sum_names(("z",), how),
        [(found, n, 1)],
        how,
        source,
        check_budget(budget),
        data=("data", "weights"),
        arguments=arguments,
        bounds=pair,
    )
    middle, half = 0.5 * ends[0] + 0.5 * ends[1], record_grid.half_width(ends)
    total = n * middle + half * float(release.value[0])
    population = TotalInterval(NoisyTInterval(made.sums[0], middle, half), n)
    # the sum of z is twice what got the noise
    within = ranges.sums([ends], n)
    post = Scaled(2.0 * half, TOTAL_STEPS, population=population, within=within)
    return replace(
        release,
        value=within.clip(total),
        labels=Labels(records.name or "weighted_total"),
        noise_scale=half * float(np.asarray(release.noise_scale)[0]),
        sensitivity=2.0 * half,
        post=post,
        grid=None,
    )


def _mean(
    statistic: str,
    known: Weighted,
    arguments: tuple[tuple[str, object], ...],
    first: str,
    source: Source,
    budget: Spender | None,
) -> DPResults:
    """Release a weighted mean."""
    pair, half = known.pair, record_grid.half_width(known.pair)
    within = ranges.means([pair])

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        line, parabola, rest = sums_of(noisy, 2, 3)
        sums = WeightedSums(line, parabola, rest, noise_scales(known.how), known.size)
        middle = 0.5 * pair[0] + 0.5 * pair[1]
        gradient = partition.moments(np.array(line), partition.LINE).gradients[1]
        post = Derived(
            (half * float(partition.lengths(gradient)) / float(LINEAR),),
            STEPS,
            population=WeightedMeanInterval(sums, middle, half),
            within=within,
        )
        return within.clip(middle + half * sums.mean), post

    query = weighted_query(statistic, known.records.fold(partial(mean_sums, known=known), add), 2, known)
    return release_statistic(
        statistic,
        query,
        known.how,
        source,
        check_budget(budget),
        data=(first, "weights"),
        arguments=(*arguments, ("max_weight", known.largest)),
        bounds=pair,
        publish=publish,
    )

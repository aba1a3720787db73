"""Statistics of records with survey weights, and what they say of the population."""

from __future__ import annotations

from functools import partial
from operator import add

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, GivenBounds, bounds_pair
from pydpstat._release.additive import Spender
from pydpstat._release.statistic import Missing, Options, check_budget, options, quiet, release_statistic
from pydpstat.inference._laws.weighted_mean import WeightedMeanInterval, WeightedSums
from pydpstat.inference._laws.weighted_quantile import WeightedCells, WeightedQuantileInterval
from pydpstat.inference._weighted_sums import (
    LINEAR,
    Weighted,
    cell_sums,
    mean_sums,
    missing_weighted,
    read_weighted,
    weighted_query,
)
from pydpstat.random import Source, source_from
from pydpstat.results._postprocessing import Derived, PostProcessing
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import partition, record_grid

STEPS = ("weighted mean of the noisy sums", "cut to the bounds")
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
    how = _options(epsilon, neighbors, missing, budget)
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
    source, how = source_from(rng), _options(epsilon, neighbors, missing, budget)
    known = read_weighted(condition, weights, (0.0, 1.0), max_weight, how, source, truths=True)
    return _mean("weighted_proportion", known, (), "condition", source, budget)


@quiet
def weighted_quantile(
    data: Data,
    weights: Data,
    q: float,
    epsilon: float,
    *,
    bounds: GivenBounds,
    max_weight: float,
    neighbors: str | None = None,
    missing: Missing = "error",
    bins: int = 64,
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release a quantile of records with survey weights.

    Parameters
    ----------
    data, weights, epsilon, bounds, max_weight, neighbors, missing, rng, budget
        As in `weighted_mean`.
    q : float
        Share of the weight below the quantile; between 0 and 1.
    bins : int, default 64
        In how many cells of equal width the weight is counted, from 8 to 256. Few cells are coarse, many have
        much noise together. It must not depend on the data.

    Returns
    -------
    DPResults
        Its estimate is a float, between two edges in proportion; ``conf_int(kind="population")`` is
        design-based, and ends at edges.

    Raises
    ------
    PydpstatError
        As in `weighted_mean`, and where `q` or `bins` is not allowed.

    Notes
    -----
    Guarantee: epsilon. A record adds its weight v to the sum of one cell, with three quarters of epsilon, and
    v^2 to another sum of the cell with one quarter: at most 1 in all, as in `weighted_mean`. The estimate is
    post-processing of the cells. `bse` is by the delta method.

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
    how = _options(epsilon, neighbors, missing, budget)
    known = read_weighted(data, weights, pair, max_weight, how, source)
    places = np.linspace(-1.0, 1.0, count + 1)
    edges = tuple((0.5 * pair[0] + 0.5 * pair[1] + record_grid.half_width(pair) * places).tolist())

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        linear, squares, rest = _parts(noisy, count)
        cells = WeightedCells(linear, squares, rest, edges, _scales(how), known.size)
        post = Derived(
            (cells.slope(share) / float(LINEAR),),
            ("between edges of noisy cells",),
            population=WeightedQuantileInterval(cells, share),
        )
        return np.asarray(cells.quantile(share)), post

    sums = known.records.fold(partial(cell_sums, known=known, edges=places), add)
    query = weighted_query("weighted_quantile", sums, count, known)
    arguments = (("q", share), ("bounds", pair), ("max_weight", known.largest), ("bins", count))
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
    )


def _options(epsilon: float, neighbors: str | None, missing: Missing, budget: Spender | None) -> Options:
    missing_weighted(missing)
    return options(epsilon, 0, "laplace", neighbors, missing, budget=budget)


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

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        line, parabola, rest = _parts(noisy, 2)
        sums = WeightedSums(line, parabola, rest, _scales(known.how), known.size)
        middle = 0.5 * pair[0] + 0.5 * pair[1]
        gradient = partition.moments(np.array(line), partition.LINE).gradients[1]
        post = Derived(
            (half * float(partition.lengths(gradient)) / float(LINEAR),),
            STEPS,
            population=WeightedMeanInterval(sums, middle, half),
        )
        return np.asarray(middle + half * sums.mean).clip(*pair), post

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


def _scales(how: Options) -> tuple[float, float]:
    """Return the noise's scales of the sums of weights and of their squares."""
    reach = (2.0 if how.bounded else 1.0) / how.epsilon
    return reach / float(LINEAR), reach / float(1 - LINEAR)


def _parts(noisy: np.ndarray, linear: int) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Return the noisy sums of weights, of their squares, and of what they lack to 1, where it is there."""
    last = linear + (linear if linear != 2 else 3)
    shares = float(LINEAR), float(1 - LINEAR)
    rest = float(noisy[last]) / shares[0] if noisy.size > last else 0.0
    first, second = noisy[:linear] / shares[0], noisy[linear:last] / shares[1]
    return tuple(first.tolist()), tuple(second.tolist()), rest

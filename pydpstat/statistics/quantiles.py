"""Quantiles: the exponential mechanism over a public grid of points."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from pydpstat._data.columns import Data
from pydpstat._release.additive import Spender
from pydpstat._release.statistic import Missing, quiet
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.order_grid import farthest, grid_places, grid_runs, rank_range, rank_utility
from pydpstat.statistics._kernels.quantile_points import (
    GRID_POINTS,
    Asked,
    ask,
    complete,
    counts_of,
    released,
    share_of,
    shares_of,
    split_quantiles,
)
from pydpstat.statistics._kernels.selection import below, places, weighted, weighted_point

# ties are put in random order among so many places, in powers of two
_PLACES = 16
# with so many points for each record there are few records
_FEW = 4


@quiet
def quantile(
    x: Data,
    q: float,
    epsilon: float,
    *,
    bounds: tuple[float, float],
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
    grid_points: int = GRID_POINTS,
) -> DPResults:
    """Release a quantile.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data. Values outside the bounds, infinities included, are moved onto them.
    q : float
        Which quantile, between 0 (the minimum) and 1. It is rounded to a multiple of 2^-20.
    epsilon : float
        Privacy parameter; above 0 and finite.
    bounds : (float, float), keyword only
        Public bounds of the variable, chosen without looking at the data.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop"} or float, default "error"
        What to do with missing values: raise an error, leave them out (unbounded only), or put a
        public number within the bounds in their place.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the choice. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.
    grid_points : int, default 65537
        How many points from the lower to the upper bound can be the result; both bounds are among
        them. With ``bounds=(0, 100), grid_points=101`` the result is an integer. More points
        resolve more, cost more time, and hardly any accuracy.

    Returns
    -------
    DPResults
        Its estimate is a grid point, and `grid` the distance between two. `noise` is None: how far
        the estimate is off depends on the data.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, `x` is not made of numbers, it is empty under bounded
        neighbors, or a value is missing with ``missing="error"``.

    Notes
    -----
    Guarantee: (epsilon, 0). With ``missing="error"`` it rests on the public knowledge that no value
    is missing.

    Each record is moved to its nearest grid point, which depends on this record alone. A grid point
    z has the utility -max(0, #{x < z} - q n, q n - #{x <= z}): 0 where z is a q-quantile, else minus
    the number of records between. It is chosen with probability proportional to
    exp(epsilon * utility / r). Adding a record at x changes the first difference by -q or 1 - q, the
    second by q or q - 1, so the utility by at most max(q, 1 - q) either way: r = 2 max(q, 1 - q) for
    unbounded neighbors, also where n is private. Replacing one leaves q n and moves each rank by at most 1:
    r = 2, and this is reached. For the minimum and maximum all utilities move to the same
    side, by at most 1, so r = 1. Ties and gaps between the records change nothing in this. All
    counts are integers and q n is exact, and so is the choice (`pydpstat.random.secure`).

    References
    ----------
    McSherry, F. and Talwar, K. (2007). Mechanism design via differential privacy. FOCS 2007.
    Smith, A. (2011). Privacy-preserving statistical estimation with optimal convergence rates.
    STOC 2011, algorithm 2.

    Examples
    --------
    >>> import pydpstat
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17] * 100
    >>> r = pydpstat.quantile(ages, 0.75, 1.0, bounds=(0, 120), grid_points=121, rng=1)
    >>> float(r)
    50.0
    """
    share = share_of(q)
    asked = ask(x, epsilon, bounds, neighbors, missing, rng, grid_points, budget)
    return _quantile("quantile", asked, share, (("q", q),), budget)


@quiet
def median(
    x: Data,
    epsilon: float,
    *,
    bounds: tuple[float, float],
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
    grid_points: int = GRID_POINTS,
) -> DPResults:
    """Release a median: `quantile` with q = 0.5.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data. Values outside the bounds, infinities included, are moved onto them.
    epsilon : float
        Privacy parameter; above 0 and finite.
    bounds : (float, float), keyword only
        Public bounds of the variable, chosen without looking at the data.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop"} or float, default "error"
        What to do with missing values: raise an error, leave them out (unbounded only), or put a
        public number within the bounds in their place.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the choice. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.
    grid_points : int, default 65537
        How many points from the lower to the upper bound can be the result.

    Returns
    -------
    DPResults
        As for `quantile`.

    Raises
    ------
    PydpstatError
        As for `quantile`.

    Notes
    -----
    Guarantee: (epsilon, 0), as `quantile` shows. With r = 2 for bounded and r = 1 for unbounded
    neighbors, a median that protects one added or removed record is twice as accurate.

    References
    ----------
    McSherry, F. and Talwar, K. (2007). Mechanism design via differential privacy. FOCS 2007.
    Smith, A. (2011). Privacy-preserving statistical estimation with optimal convergence rates.
    STOC 2011, algorithm 2.

    Examples
    --------
    >>> import pydpstat
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17] * 100
    >>> 40 <= float(pydpstat.median(ages, 1.0, bounds=(0, 120), rng=1)) <= 43
    True
    """
    asked = ask(x, epsilon, bounds, neighbors, missing, rng, grid_points, budget)
    return _quantile("median", asked, 0.5, (), budget)


def _quantile(
    function: str, asked: Asked, share: float, own: tuple[tuple[str, object], ...], budget: Spender | None
) -> DPResults:
    how, grid, column, source = asked
    reach = rank_range(share, how.neighbors)
    rate = Fraction(how.epsilon) / reach
    starts = None
    if column.size * _FEW <= grid.points:
        # sorting a few records takes less time than going through all points
        counts, starts, widths = grid_runs(grid_places(complete(asked), *grid), grid.points)
    else:
        counts = counts_of(asked)
    labels = Labels(column.name or function)

    def choose(_: object = None) -> tuple[float, Labels]:
        utility = np.maximum(rank_utility(counts, share), -farthest(rate))
        if starts is None:
            chosen = weighted(utility, rate, source)
        else:
            chosen = weighted_point(utility, rate, source, starts, widths)
        return grid.at(chosen), labels

    return released(function, asked, choose, own, budget, float(reach) / 2)


@quiet
def quantiles(
    x: Data,
    qs: Sequence[float],
    epsilon: float,
    *,
    bounds: tuple[float, float],
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
    grid_points: int = GRID_POINTS,
) -> DPResults:
    """Release several quantiles together, ascending where `qs` is.

    The middle one is chosen first; it splits the records, and each side goes on with its own
    shares. So m quantiles cost as much as about log2(m) single ones.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data. Values outside the bounds, infinities included, are moved onto them.
    qs : sequence of float
        Which quantiles, each between 0 and 1, in any order.
    epsilon : float
        Privacy parameter of all quantiles together; above 0 and finite.
    bounds : (float, float), keyword only
        Public bounds of the variable, chosen without looking at the data.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop"} or float, default "error"
        What to do with missing values: raise an error, leave them out (unbounded only), or put a
        public number within the bounds in their place.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the choices. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.
    grid_points : int, default 65537
        How many points from the lower to the upper bound can be a result.

    Returns
    -------
    DPResults
        Its estimate is a Series of grid points, named by `qs` and in their order. `noise` is None.

    Raises
    ------
    PydpstatError
        As for `quantile`.

    Notes
    -----
    Guarantee: (epsilon, 0). With ``missing="error"`` it rests on the public knowledge that no value
    is missing.

    Each of the k levels, 2^k > m, gets epsilon / k. A chosen point z sends the records below it to
    the left and the others to the right, where a share q becomes q' of the records there. The
    utility of a point is minus the distance from #{x < z} to q' n', with the private n' of that
    side. One record added or removed touches one problem of a level, and there each utility by at
    most max(q', 1 - q'), as `quantile` shows: weights exp(c * utility) with
    c = epsilon / k / (2 max(q', 1 - q')) keep epsilon / k. One record replaced either stays in a
    problem, which is then worth 2 c, or leaves one and enters another: with half of that c both
    together keep epsilon / k, and so does the first.
    Where a level has a single problem, as the first has, c is epsilon / k / 2. (Replacing counts no
    more than twice adding or removing, and with q' = 1/2 it is the account of a single quantile.)

    Ties would spoil the shares of the two sides. So each record first gets a random place among
    2^16 at its grid point, which depends on this record alone; points are chosen among these places
    and published without them. Neighbors that share their records' random places show the same guarantee
    for the average over them.

    References
    ----------
    Kaplan, H., Schnapp, S. and Stemmer, U. (2022). Differentially private approximate quantiles.
    ICML 2022.

    Examples
    --------
    >>> import pydpstat
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17] * 100
    >>> r = pydpstat.quantiles(ages, [0.25, 0.5, 0.75], 2.0, bounds=(0, 120), grid_points=121, rng=1)
    >>> r.estimate.round().tolist()
    [16.0, 42.0, 50.0]
    """
    wanted = shares_of(qs)
    asked = ask(x, epsilon, bounds, neighbors, missing, rng, grid_points, budget)
    how, grid, column, source = asked
    distinct = sorted(set(wanted))
    labels = Labels("quantile" if column.name is None else column.name, names=tuple(map(str, qs)))
    values = complete(asked)

    def choose(_: object = None) -> tuple[np.ndarray, Labels]:
        records = grid_places(values, *grid).astype(np.int64) << _PLACES
        records += places(records.size, _PLACES, source)
        records.sort()
        chosen = split_quantiles(
            records,
            grid.points << _PLACES,
            distinct,
            Fraction(how.epsilon),
            how.neighbors,
            lambda widths, utility, rate: weighted(utility, rate, source, widths),
            lambda limit: below(limit, source),
        )
        found = {q: grid.at(each >> _PLACES) for q, each in zip(distinct, chosen)}
        return np.array([found[q] for q in wanted]), labels

    return released("quantiles", asked, choose, (("qs", qs),), budget, 1.0)

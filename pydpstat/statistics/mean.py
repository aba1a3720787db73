"""The mean and the sum of bounded records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from pydpstat._data.columns import (
    Bounds,
    Columns,
    Data,
    GivenBounds,
    Pair,
    check_filling,
    column_bounds,
    numbers_of,
)
from pydpstat._release.additive import Query, Spender
from pydpstat._release.statistic import (
    Missing,
    Options,
    check_records,
    columns_query,
    options,
    quiet,
    release_statistic,
)
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.r_arithmetic._products import norm
from pydpstat.results._postprocessing import Publish
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import partition, record_grid

LARGEST = 1e290
Ask = Callable[[str, Columns, Bounds, Options], tuple[Query, Publish | None]]
STEPS = ("mean of the noisy sums", "cut to the bounds")


@quiet
def mean(
    data: Data,
    epsilon: float,
    *,
    bounds: GivenBounds,
    delta: float = 0,
    mechanism: str | Mechanism = "laplace",
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release a mean.

    Parameters
    ----------
    data : array_like of shape (n,) or (n, d)
        Numbers; values outside the bounds are moved onto them. A frame or a matrix is treated column
        by column.
    epsilon : float
        Privacy parameter of the whole release; above 0 and finite.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them. For a frame one pair for all
        columns, one for each, or a dict of them by column.
    delta : float, default 0
        Above 0 and below 1 for ``"gaussian"``; 0 otherwise.
    mechanism : {"laplace", "gaussian"} or Mechanism, default "laplace"
        The noise; Gaussian noise has the analytic calibration.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop"} or float, default "error"
        What to do with missing values: raise an error, leave them out (unbounded only), or put a
        public number within the bounds in their place.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    DPResults
        Its estimate is a float, or a Series for several columns.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, there is no record under bounded neighbors, or a value is
        missing with ``missing="error"``.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` it rests on the public knowledge that no
    value is missing. Of d columns each gets epsilon / d with Laplace noise; Gaussian noise covers all
    together, each column in units of its range.

    Bounded neighbors: records are rounded, one by one, to multiples of a public unit inside the bounds
    and added up as integers. The mean of the rounded records is a rational number, and replacing one
    of them moves it by at most (upper - lower) / n. This is exact: nothing else is rounded before the
    noise, and what bringing the mean onto the noise's grid may add is paid for.

    Unbounded neighbors: with z the record's place between -1 (lower) and 1 (upper), the sums A of
    (1 - z) / 2 and B of (1 + z) / 2 are released. One record adds two nonnegative numbers that add up
    to 1, exactly, so the L1 sensitivity of the pair is 1 (and the L2 sensitivity at most 1): one noise
    scale 1 / epsilon serves both, where releasing a sum and a count would split epsilon. B / (A + B) is
    post-processing; its mean squared error is about ``R^2 / (n epsilon)^2 (1 + t^2)``, with R the range
    and t the mean's place between -1 and 1. Where A + B is at most 1 the midpoint is returned. `bse` is
    by the delta method, from the noisy sums. The records' rounding, 2^-41 of the range, stays below 1 %
    of the noise up to n epsilon = 3e10.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.
    Casacuberta, S., Shoemate, M., Vadhan, S. and Wagaman, C. (2022). Widespread underestimation of
    sensitivity in differentially private libraries and how to fix it. CCS 2022.
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy. ICML
    2018.

    Examples
    --------
    >>> import pydpstat
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> r = pydpstat.mean(ages, 1.0, bounds=(0, 100), rng=pydpstat.RRandom(123))
    >>> round(r, 3)
    30.869
    >>> r.sensitivity
    10.0
    """
    how = options(epsilon, delta, mechanism, neighbors, missing, budget=budget)
    return release_columns("mean", mean_query, data, bounds, how, rng, budget)


def release_columns(
    name: str, ask: Ask, data: Data, bounds: GivenBounds, how: Options, rng: object, budget: Spender | None
) -> DPResults:
    """Release a statistic of every column."""
    columns = numbers_of(data)
    pairs, shown = column_bounds(bounds, columns)
    check_filling(how.missing, pairs)
    query, publish = ask(name, columns, pairs, how)
    return release_statistic(
        name, query, how, rng, budget, arguments=(("bounds", shown),), bounds=shown, publish=publish
    )


def mean_query(
    statistic: str, columns: Columns, pairs: Bounds, how: Options
) -> tuple[Query, Publish | None]:
    """Ask for the mean of each column, and say what is made of the noisy sums where these are asked for."""
    if how.bounded:
        check_records(columns.size, 1, statistic)
    grids = record_grid.grids_for(pairs, how, columns.size)
    sums = record_grid.each_column(columns, grids, how.missing)
    if not how.bounded:
        blocks = [partition.weight_sums(each, partition.LINE_WEIGHTS) for each in sums]
        return partition.column_weights(statistic, columns, pairs, how, blocks, _placed, STEPS)
    exact = [
        record_grid.ratio(each.first[0], columns.size, grid.unit, grid.center)
        for grid, each in zip(grids, sums)
    ]
    sensitivities = [record_grid.width(pair, columns.size) for pair in pairs]
    return columns_query(statistic, columns, exact, sensitivities), None


def _placed(noisy: np.ndarray, pair: Pair) -> tuple[float, float]:
    """Return the mean and its slope from the noisy sums."""
    at, half = partition.moments(noisy, partition.LINE), record_grid.half_width(pair)
    mean = 0.5 * pair[0] + 0.5 * pair[1] + half * float(at.means[1])
    return min(max(mean, pair[0]), pair[1]), half * norm(at.gradients[1])


@quiet
def sum(  # the statistic's name, meant to be used as pydpstat.sum
    data: Data,
    epsilon: float,
    *,
    bounds: GivenBounds,
    delta: float = 0,
    mechanism: str | Mechanism = "laplace",
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release a sum.

    Parameters
    ----------
    data : array_like of shape (n,) or (n, d)
        Numbers; values outside the bounds are moved onto them. A frame or a matrix is treated column
        by column.
    epsilon : float
        Privacy parameter of the whole release; above 0 and finite.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them. For a frame one pair for all
        columns, one for each, or a dict of them by column.
    delta : float, default 0
        Above 0 and below 1 for ``"gaussian"``; 0 otherwise.
    mechanism : {"laplace", "gaussian"} or Mechanism, default "laplace"
        The noise; Gaussian noise has the analytic calibration.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop"} or float, default "error"
        What to do with missing values: raise an error, leave them out (unbounded only), or put a
        public number within the bounds in their place.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    DPResults
        Its estimate is a float, or a Series for several columns.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or a value is missing with ``missing="error"``.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` it rests on the public knowledge that no
    value is missing. Of d columns each gets epsilon / d with Laplace noise; Gaussian noise covers all
    together, each column in units of its sensitivity.

    Records are rounded, one by one, to multiples of a public unit inside the bounds and added up as
    integers. Replacing a record hence moves the sum by at most upper - lower, and adding or removing
    one by at most max(\\|lower\\|, \\|upper\\|); rounding adds nothing to either. Under unbounded neighbors
    the unit is 2^-41 of the range or less, which stays below 1 % of the noise up to n epsilon = 3e10.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.
    Casacuberta, S., Shoemate, M., Vadhan, S. and Wagaman, C. (2022). Widespread underestimation of
    sensitivity in differentially private libraries and how to fix it. CCS 2022.

    Examples
    --------
    >>> import pydpstat
    >>> r = pydpstat.sum([3, 1, 4, 1, 5], 1.0, bounds=(0, 5), neighbors="unbounded", rng=123)
    >>> r.sensitivity, r.nobs is None
    (5.0, True)
    """
    how = options(epsilon, delta, mechanism, neighbors, missing, budget=budget)
    return release_columns("sum", _sum_query, data, bounds, how, rng, budget)


def _sum_query(statistic: str, columns: Columns, pairs: Bounds, how: Options) -> tuple[Query, None]:
    sizes = [max(abs(lower), abs(upper)) for lower, upper in pairs]
    # a sum beyond all floats would be an error that depends on the data
    if max(sizes) > LARGEST:
        raise PydpstatError(f"bounds must be at most {LARGEST} in size for a sum. Rescale the data.")
    if how.bounded:
        grids = record_grid.grids_for(pairs, how, columns.size)
        sensitivities = [record_grid.width(pair) for pair in pairs]
    else:
        grids = [record_grid.data_grid(lower, upper) for lower, upper in pairs]
        sensitivities = [Fraction(size) for size in sizes]
    sums = record_grid.each_column(columns, grids, how.missing)
    exact = [
        each.count * Fraction(grid.center) + record_grid.ratio(each.first[0], 1, grid.unit)
        for grid, each in zip(grids, sums)
    ]
    query = columns_query(statistic, columns, exact, sensitivities)
    return query if how.bounded else replace(query, nobs=None), None

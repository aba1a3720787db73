"""The sum of bounded records."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from pydpstat._data.columns import Data, numbers_of
from pydpstat._quiet import quiet
from pydpstat._release.additive import Spender
from pydpstat._release.options import GivenBounds, Missing, check_filling, options
from pydpstat._release.statistic import release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import records
from pydpstat.statistics._kernels.record_grid import data_grid

LARGEST = 1e290


@quiet
def sum(  # the statistic's name, meant to be used as pydpstat.sum
    data: Data,
    epsilon: float,
    *,
    bounds: GivenBounds,
    delta: float = 0,
    mechanism: str | Mechanism = "laplace",
    neighbors: str = "bounded",
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
    mechanism : {"laplace", "gaussian"}, default "laplace"
        The noise; Gaussian noise has the analytic calibration.
    neighbors : {"bounded", "unbounded"}, default "bounded"
        One record replaced (the number of records public), or one added or removed (private).
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
    how = options(epsilon, delta, mechanism, neighbors, missing)
    columns = numbers_of(data)
    pairs, shown = records.column_bounds(bounds, columns)
    check_filling(how.missing, pairs)
    _check_size(pairs)
    if how.bounded:
        grids = records.grids_for(pairs, how, columns.size)
        sensitivities = [records.width(pair) for pair in pairs]
    else:
        grids = [data_grid(lower, upper) for lower, upper in pairs]
        sensitivities = [Fraction(max(abs(lower), abs(upper))) for lower, upper in pairs]
    sums = records.each_column(columns, grids, how.missing)
    exact = [
        each.count * Fraction(grid.center) + records.ratio(each.first[0], 1, grid.unit)
        for grid, each in zip(grids, sums)
    ]
    query = records.bounded_query("sum", columns, exact, sensitivities)
    if not how.bounded:
        query = replace(query, nobs=None)
    return release_statistic("sum", query, how, rng, budget, arguments=(("bounds", shown),), bounds=shown)


def _check_size(pairs: records.Bounds) -> None:
    # a sum beyond all floats would be an error that depends on the data
    if any(max(abs(lower), abs(upper)) > LARGEST for lower, upper in pairs):
        raise PydpstatError(f"bounds must be at most {LARGEST} in size for a sum. Rescale the data.")

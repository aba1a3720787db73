"""Iterative proportional fitting: a table scaled until it has given margins."""

from __future__ import annotations

import warnings

import numpy as np

from pydpstat._answering import answered
from pydpstat._checks import integer, positive
from pydpstat.consistency._margins import (
    Fit,
    Margin,
    check_agreement,
    expanded,
    gaps,
    margin,
    read_margins,
    solution,
    table_fit,
)
from pydpstat.consistency.tables import ConvergenceWarning, TableFit, check_not_negative, read_table
from pydpstat.errors import PydpstatError


@answered
def ipf(table: object, margins: object, *, tolerance: float = 1e-10, max_iterations: int = 1000) -> TableFit:
    """Scale a table until it has given margins (raking).

    Parameters
    ----------
    table : array_like, DataFrame, Series or DPResults
        Numbers of at least 0, with any number of ways: an array, a DataFrame, a Series with an index
        level for each way (combinations that it lacks count as 0), or a release's result.
    margins : dict
        From an axis, or a tuple of axes, to the sums that the table must have there: places (0, 1,
        ...), or names where the table has them; ``()`` is the total. Values are arrays with the axes in
        the key's order; pandas objects and results are put in order by their labels.
    tolerance : float, default 1e-10
        Largest gap that may be left, as a share of each margin's largest value.
    max_iterations : int, default 1000
        How often all margins are gone through at most.

    Returns
    -------
    TableFit
        With ``estimate`` (the fitted table in the form of `table`), ``converged``, ``iterations``,
        ``gaps``, ``largest_gap``, ``status`` and ``summary()``.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, margins do not agree with each other, or no table with the
        zeros of `table` has them.

    Warns
    -----
    ConvergenceWarning
        Where the margins are not met after `max_iterations`.

    See Also
    --------
    least_squares : the closest table in squares, which may be below 0.
    controlled_rounding : whole numbers.

    Notes
    -----
    Post-processing: it costs no privacy budget, as long as table and margins were released, or are
    public. The zeros of the table stay zeros, and the odds ratios stay what they are. Of all tables
    that have the margins, the fitted one is the nearest in relative entropy.

    Where it does not converge, a linear program finds out why: there is no solution (an error), all
    solutions have further zeros (then each iteration gains less than the one before), or it needs
    more iterations.

    Noisy margins do not agree with each other, and then no table has them all: `least_squares` makes
    them agree first.

    References
    ----------
    Deming, W. E. and Stephan, F. F. (1940). On a least squares adjustment of a sampled frequency table
    when the expected marginal totals are known. Annals of Mathematical Statistics 11.
    Csiszar, I. (1975). I-divergence geometry of probability distributions and minimization problems.
    Annals of Probability 3 (when there is a solution).

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.consistency import ipf
    >>> fitted = ipf(np.array([[40, 30], [35, 50]]), {0: [80, 70], 1: [75, 75]})
    >>> fitted.estimate.round(2)
    array([[45.96, 34.04],
           [29.04, 40.96]])
    >>> fitted.converged, fitted.largest_gap < 1e-8
    (True, True)
    """
    values, form = read_table(table, gaps=True)
    check_not_negative(values, "table")
    wanted = read_margins(margins, form, values.shape)
    for each in wanted:
        check_not_negative(each.goal, each.name)
    check_agreement(wanted)
    check_support(values, wanted)
    limit = positive(tolerance, "tolerance", "1e-10 is usual.")
    most = integer(max_iterations, "max_iterations", 1, hint="1000 is usual.")
    found = fit(values, wanted, limit, most)
    status = f"the margins are met to {limit:g} of their largest values"
    if not found.converged:
        status = _why(solution(values, wanted), max(gaps(found.values, wanted)), most)
        warnings.warn(ConvergenceWarning(f"ipf: {status}."), stacklevel=2)
    method = "iterative proportional fitting"
    return table_fit(method, found, form, wanted, status, (method,))


def fit(values: np.ndarray, margins: list[Margin], tolerance: float, most: int) -> Fit:
    """Scale a table to one margin after the other until it has them all, as a new one.

    Each cell of a margin that is above 0 has a cell of the table above 0. The tolerance is the largest gap
    between a margin and the table's, in units of the margin's largest cell.

    Examples
    --------
    >>> rows = Margin((0,), np.array([3.0, 7.0]), np.asarray(0.0), "rows")
    >>> fit(np.ones((2, 2)), [rows], 1e-10, 10).values
    array([[1.5, 1.5],
           [3.5, 3.5]])
    """
    fitted = values.copy()
    limits = [tolerance * float(each.goal.max(initial=0.0)) for each in margins]
    for iteration in range(1, most + 1):
        near = True
        for each, limit in zip(margins, limits):
            sums = margin(fitted, each.axes)
            near = near and float(np.abs(sums - each.goal).max()) <= limit
            # a sum of 0 has a goal of 0
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                factors = each.goal / np.where(sums > 0.0, sums, 1.0)
                fitted *= expanded(factors, each.axes, fitted.ndim)
        # the sums were taken before the last steps, which only bring the table nearer
        if near and all(gap <= limit for gap, limit in zip(gaps(fitted, margins), limits)):
            return Fit(fitted, iteration, True)
    if not np.isfinite(fitted).all():
        raise PydpstatError(
            "table must have positive cells that differ less in size: scaling them overflows."
        )
    return Fit(fitted, most, False)


def check_support(values: np.ndarray, margins: list[Margin]) -> None:
    """Check that no goal above 0 is for cells that are all 0."""
    for each in margins:
        empty = int(((margin(values, each.axes) == 0.0) & (each.goal > 0.0)).sum())
        if empty:
            raise PydpstatError(
                f"table must have a cell above 0 wherever {each.name} is above 0; for {empty} of "
                f"{each.goal.size} of its sums all cells are 0, and scaling keeps them at 0. Put a "
                "small number into cells that are not certain to be 0."
            )


def _why(kind: str, gap: float, most: int) -> str:
    """Say why a fit did not converge, or raise an error where it cannot."""
    if kind == "none":
        raise PydpstatError(
            "table has too many zeros: no table with these zeros has all of the margins, though the "
            "margins agree with each other. Put a small number into cells that are not certain to be "
            "0, or drop a margin."
        )
    far = f"not converged after {most} iterations; a gap of {gap:.3g} is left"
    return {
        "edge": f"{far}: every table with these margins has more zeros than this one, so convergence "
        "becomes ever slower",
        "inner": f"{far}: a solution exists, so give a larger max_iterations",
        "unknown": f"{far}: it is unknown whether a solution exists, because the table is large",
    }[kind]

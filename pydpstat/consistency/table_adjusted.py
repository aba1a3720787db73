"""Adjustment of tables to margins by iterative proportional fitting, and controlled rounding."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pydpstat._answering import explain_wrong_calls
from pydpstat._checks import check_integer, check_positive
from pydpstat.consistency._margins import (
    Axes,
    Margin,
    MarginFit,
    check_agreement,
    compute_gaps,
    compute_margin,
    expand_margin,
    find_solution_kind,
    make_incidence_matrix,
    make_table_fit,
    parse_axes,
    read_margins,
)
from pydpstat.consistency._tree import check_integer_range
from pydpstat.consistency.tables import ConvergenceWarning, TableFit, TableForm, check_not_negative, read_table
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    from scipy import sparse

# time limit in seconds of a search that may find no solution
TIME_LIMIT = 10.0
# a cell closer than this to an integer counts as an integer
_INTEGER_TOLERANCE = 1e-9
# further units by which a cell may change if the adjacent integers do not suffice
_MAX_EXTRA_UNITS = 2
# relative gap to the optimal sum of squares at which a rounding is accepted
_RELATIVE_GAP = 1e-3


@explain_wrong_calls
def ipf(table: object, margins: object, *, tolerance: float = 1e-10, max_iterations: int = 1000) -> TableFit:
    """Scale a table to given margins (raking).

    Parameters
    ----------
    table : array_like, DataFrame, Series or DPResults
        Numbers of at least 0, with any number of ways: an array, a DataFrame, a Series with an index
        level for each way (absent combinations count as 0), or a release's result.
    margins : dict
        Maps an axis, or a tuple of axes, to the sums required there. Axes are given by position (0, 1,
        ...), or by name if the table has names; ``()`` is the total. Values are arrays with the axes in
        the key's order; pandas objects and results are aligned by their labels.
    tolerance : float, default 1e-10
        Largest remaining gap, relative to each margin's largest value.
    max_iterations : int, default 1000
        Largest number of passes over all margins.

    Returns
    -------
    TableFit
        With ``estimate`` (the fitted table in the form of `table`), ``converged``, ``iterations``,
        ``gaps``, ``largest_gap``, ``status`` and ``summary()``.

    Raises
    ------
    PydpstatError
        If an argument is invalid, margins do not agree with each other, or no table with the zeros of `table` has them.

    Warns
    -----
    ConvergenceWarning
        If the margins are not met after `max_iterations`.

    See Also
    --------
    least_squares : the closest table in squares, which may have negative cells.
    controlled_rounding : round a table to integers.

    Notes
    -----
    Post-processing: it costs no privacy budget, as long as table and margins were released, or are
    public. Zeros and odds ratios of the table are preserved. Of all tables
    with these margins, the fitted one is the closest in relative entropy.

    If it does not converge, a linear program determines the reason: there is no solution (an error), all
    solutions have further zeros (then convergence is sublinear), or more iterations
    are needed.

    Noisy margins do not agree with each other, so that no table has them all: `least_squares` makes
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
    values, form = read_table(table, allow_missing_cells=True)
    check_not_negative(values, "table")
    targets = read_margins(margins, form, values.shape)
    for target in targets:
        check_not_negative(target.goal, target.name)
    check_agreement(targets)
    check_support(values, targets)
    limit = check_positive(tolerance, "tolerance", "1e-10 is usual.")
    iteration_limit = check_integer(max_iterations, "max_iterations", 1, hint="1000 is usual.")
    fit = fit_by_scaling(values, targets, limit, iteration_limit)
    status = f"the margins are met to {limit:g} of their largest values"
    if not fit.converged:
        status = _explain_scaling_failure(
            find_solution_kind(values, targets), max(compute_gaps(fit.values, targets)), iteration_limit
        )
        warnings.warn(ConvergenceWarning(f"ipf: {status}."), stacklevel=2)
    method = "iterative proportional fitting"
    return make_table_fit(method, fit, form, targets, status, (method,))


def fit_by_scaling(values: np.ndarray, margins: list[Margin], tolerance: float, max_iterations: int) -> MarginFit:
    """Scale a table to one margin after the other until it has all of them.

    The tolerance is in units of each margin's largest cell.
    """
    fitted = values.copy()
    limits = [tolerance * float(margin.goal.max(initial=0.0)) for margin in margins]
    for iteration in range(1, max_iterations + 1):
        is_near = True
        for margin, limit in zip(margins, limits):
            sums = compute_margin(fitted, margin.axes)
            is_near = is_near and float(np.abs(sums - margin.goal).max()) <= limit
            # a sum of 0 has a goal of 0
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                factors = margin.goal / np.where(sums > 0.0, sums, 1.0)
                fitted *= expand_margin(factors, margin.axes, fitted.ndim)
        # the gaps were computed before the last steps, which can only reduce them
        if is_near and all(gap <= limit for gap, limit in zip(compute_gaps(fitted, margins), limits)):
            return MarginFit(fitted, iteration, True)
    if not np.isfinite(fitted).all():
        raise PydpstatError("table must have positive cells that differ less in size: scaling them overflows.")
    return MarginFit(fitted, max_iterations, False)


def check_support(values: np.ndarray, margins: list[Margin]) -> None:
    """Check that no positive goal is for a sum of cells that are all 0."""
    for margin in margins:
        empty = int(((compute_margin(values, margin.axes) == 0.0) & (margin.goal > 0.0)).sum())
        if empty:
            raise PydpstatError(
                f"table must have a cell above 0 wherever {margin.name} is above 0; for {empty} of "
                f"{margin.goal.size} of its sums all cells are 0, and scaling keeps them at 0. Put a "
                "small number into cells that are not certain to be 0."
            )


def _explain_scaling_failure(kind: str, gap: float, n_iterations: int) -> str:
    """Return the reason why a fit did not converge, or raise an error if it cannot converge."""
    if kind == "none":
        raise PydpstatError(
            "table has too many zeros: no table with these zeros has all of the margins, though the "
            "margins agree with each other. Put a small number into cells that are not certain to be "
            "0, or drop a margin."
        )
    message = f"not converged after {n_iterations} iterations; a gap of {gap:.3g} is left"
    return {
        "edge": f"{message}: every table with these margins has more zeros than this one, so convergence "
        "becomes ever slower",
        "inner": f"{message}: a solution exists, so give a larger max_iterations",
        "unknown": f"{message}: it is unknown whether a solution exists, because the table is large",
    }[kind]


@explain_wrong_calls
def controlled_rounding(table: object, margins: object = None, *, time_limit: float = TIME_LIMIT) -> TableFit:
    """Round a table to integers so that it remains consistent with its margins.

    Parameters
    ----------
    table : array_like, DataFrame, Series or DPResults
        Numbers below 2^53 in size, with any number of ways.
    margins : list of axes, optional
        The margins to preserve: an axis or a tuple of axes each, by position or name; ``()`` is the total.
        By default each axis and the total.
    time_limit : float, default 10
        Time limit in seconds for the search of integers if a solution may not exist.

    Returns
    -------
    TableFit
        ``estimate`` is of int64. Each cell is rounded up or down (``status`` states where
        that was not possible), as is each sum of the margins; integers remain unchanged.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or no such table is found.

    See Also
    --------
    least_squares, ipf : fit the table to round.

    Notes
    -----
    Post-processing: it costs no privacy budget. Of all such tables it has the smallest sum of
    squared changes, or one within a thousandth of it. For a two-way table with its rows, columns and total
    (any margins in two chains of nested sets) a solution always exists. With three or more
    ways there may be none.

    References
    ----------
    Cox, L. H. and Ernst, L. R. (1982). Controlled rounding. INFOR 20.

    Examples
    --------
    >>> from pydpstat.consistency import controlled_rounding
    >>> controlled_rounding([[1.5, 2.5, 4.0], [2.5, 0.5, 1.0]]).estimate.sum(axis=1)
    array([8, 4])
    """
    values, form = read_table(table)
    seconds = check_positive(time_limit, "time_limit", "Give seconds.")
    axes = _read_margin_axes(margins, form)
    rounding = round_table(values, axes, [None] * len(axes), seconds)
    rounded_margins = [
        Margin(margin_axes, compute_margin(values, margin_axes), np.asarray(0.0), f"axes {margin_axes}")
        for margin_axes in axes
    ]
    fit = MarginFit(rounding.table, 0, True)
    return make_table_fit("controlled rounding", fit, form, rounded_margins, rounding.step, (rounding.step,))


def _read_margin_axes(margins: object, form: TableForm) -> list[Axes]:
    """Read the axes of the margins to be preserved."""
    if margins is None:
        return [(), *((axis,) for axis in range(len(form.names)))]
    if not isinstance(margins, (list, tuple, set)) or not margins:
        raise PydpstatError(
            f"margins must be a list of axes or tuples of axes; got {type(margins).__name__}. "
            "For example [0, 1], or [('sex', 'age')]."
        )
    return list(dict.fromkeys(tuple(sorted(parse_axes(key, form.names))) for key in margins))


class TableRounding(NamedTuple):
    """A table of integers, and whether each cell is the integer below or above its value."""

    table: np.ndarray
    is_adjacent: bool

    @property
    def step(self) -> str:
        """Description of the rounding."""
        if self.is_adjacent:
            return "controlled rounding to the whole number below or above"
        return f"controlled rounding to whole numbers, by up to {_MAX_EXTRA_UNITS + 1}"


def round_table(
    values: np.ndarray, axes: list[Axes], goals: list[np.ndarray | None], time_limit: float
) -> TableRounding:
    """Round a table to integers so that its margins are integers near theirs, or the given goals.

    The choice of the cells to round up is an integer linear program, as the squared changes are linear in that choice.
    If the margins are two chains of subsets it is a network flow, which always has a solution. Otherwise cells may
    change by further units, and there may be no solution. The time limit is for each of two searches.
    """
    from scipy import sparse

    check_integer_range(values)
    nearest, low = np.rint(values), np.floor(values)
    fixed = np.abs(values - nearest) <= _INTEGER_TOLERANCE
    base = np.where(fixed, nearest, low).astype(np.int64)
    fractions = np.where(fixed, 0.0, values - low).ravel()
    matrix = make_incidence_matrix(values.shape, axes)
    limits = _compute_sum_limits(values, base, axes, goals)
    free = np.flatnonzero(~fixed.ravel())
    # (1 - r)^2 - r^2
    costs = 1.0 - 2.0 * fractions[free]
    seconds = math.inf if can_always_round(axes) else time_limit
    changes = np.zeros(fractions.size, dtype=np.int64)
    raised = _solve_integer_program(costs, np.ones(free.size), matrix[:, free], limits, seconds)
    if raised is not None:
        changes[free] = raised
        return TableRounding(base + changes.reshape(base.shape), True)
    steps = _solve_integer_program(
        np.concatenate([costs, np.where(fractions > 0.0, 3.0 - 2.0 * fractions, 1.0), 1.0 + 2.0 * fractions]),
        np.concatenate([np.ones(free.size), np.full(fractions.size, _MAX_EXTRA_UNITS), _bound_decreases(values, base)]),
        sparse.hstack([matrix[:, free], matrix, -matrix]).tocsc(),
        limits,
        time_limit,
    )
    if steps is None:
        raise PydpstatError(
            f"the table has no whole numbers within {_MAX_EXTRA_UNITS + 1} of its cells that keep these margins, "
            f"or the search did not find them in {time_limit:g} seconds. With three or more axes there may "
            "be none: keep fewer margins, or give a larger time_limit."
        )
    changes[free], increases, decreases = np.split(steps, [free.size, free.size + fractions.size])
    return TableRounding(base + (changes + increases - decreases).reshape(base.shape), False)


def can_always_round(axes: list[Axes]) -> bool:
    """Return whether every table has a rounding, which is so if the margins form two chains of subsets."""
    chain_of: dict[Axes, bool] = {}

    def assign_side(each: Axes, side: bool) -> bool:
        if each in chain_of:
            return chain_of[each] == side
        chain_of[each] = side
        crossing = [other for other in axes if not (set(other) <= set(each) or set(each) <= set(other))]
        return all([assign_side(other, not side) for other in crossing])

    # margins of which neither is a subset of the other belong to different chains
    return all([margin_axes in chain_of or assign_side(margin_axes, True) for margin_axes in axes])


def _compute_sum_limits(
    values: np.ndarray, base: np.ndarray, axes: list[Axes], goals: list[np.ndarray | None]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest increases of the base's sums."""
    lower, upper = [], []
    for margin_axes, goal in zip(axes, goals):
        have, real = compute_margin(base, margin_axes), compute_margin(values, margin_axes)
        nearest = np.rint(real)
        is_integer = np.abs(real - nearest) <= _INTEGER_TOLERANCE * np.maximum(1.0, np.abs(real))
        low = np.where(is_integer, nearest, np.floor(real)) if goal is None else goal
        high = np.where(is_integer, nearest, np.ceil(real)) if goal is None else goal
        lower.append(np.ravel(low - have))
        upper.append(np.ravel(high - have))
    return np.concatenate(lower), np.concatenate(upper)


def _bound_decreases(values: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Return the largest decreases of cells: not below 0 if no value is negative."""
    max_decreases = np.full(base.size, float(_MAX_EXTRA_UNITS))
    return np.minimum(base.ravel(), max_decreases) if (values >= 0.0).all() else max_decreases


def _solve_integer_program(
    costs: np.ndarray,
    upper: np.ndarray,
    matrix: sparse.csc_matrix,
    limits: tuple[np.ndarray, np.ndarray],
    time_limit: float,
) -> np.ndarray | None:
    """Return integers from 0 to `upper` of low cost whose sums are within limits, or None."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    if not costs.size:
        return np.zeros(0, dtype=np.int64) if (limits[0] <= 0).all() and (limits[1] >= 0).all() else None
    solution = milp(
        costs,
        integrality=np.ones(costs.size),
        bounds=Bounds(0.0, upper),
        constraints=LinearConstraint(matrix, *limits),
        options={"time_limit": time_limit, "mip_rel_gap": _RELATIVE_GAP},
    )
    if solution.x is None:
        return None
    steps = np.rint(solution.x).astype(np.int64)
    grown = matrix @ steps
    if (grown < limits[0]).any() or (grown > limits[1]).any():
        raise PydpstatError(
            "the search for whole numbers did not meet a margin: the table's cells differ too much "
            "in size. Round fewer cells at a time."
        )
    return steps

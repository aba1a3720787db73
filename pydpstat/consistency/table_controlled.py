"""Controlled rounding: a table of integers that still adds up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pydpstat._answering import answered
from pydpstat._checks import positive
from pydpstat.consistency._margins import Axes, Fit, Margin, axes_of, incidence, margin, table_fit
from pydpstat.consistency._tree import check_size
from pydpstat.consistency.tables import Form, TableFit, read_table
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    from scipy import sparse

# seconds for a search that may find nothing
TIME_LIMIT = 10.0
# nearer than this a cell is whole already
_WHOLE = 1e-9
# how many more units a cell may go where the next integer does not do
_FURTHER = 2
# a rounding whose squares are so near to the best is good enough
_GOOD = 1e-3


@answered
def controlled_rounding(table: object, margins: object = None, *, time_limit: float = TIME_LIMIT) -> TableFit:
    """Round a table to integers so that it still adds up.

    Parameters
    ----------
    table : array_like, DataFrame, Series or DPResults
        Numbers below 2^53 in size, with any number of ways.
    margins : list of axes, optional
        The margins to keep: an axis or a tuple of axes each, by place or by name; ``()`` is the total.
        By default each axis and the total.
    time_limit : float, default 10
        Seconds for the search of integers where there may be none.

    Returns
    -------
    TableFit
        ``estimate`` is of int64. Each cell is the integer below or above (``status`` says where
        that was not possible), and so is each of the margins' sums; those that were whole stay.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or no such table is found.

    See Also
    --------
    least_squares, ipf : tables that it rounds.

    Notes
    -----
    Post-processing: it costs no privacy budget. Of all such tables it is the nearest, in the sum of
    squares, or within a thousandth of it. For a two-way table with its rows, columns and total (any
    margins of which each is part of the next, in two chains) there always is one. With three or more
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
    seconds = positive(time_limit, "time_limit", "Give seconds.")
    axes = _axes(margins, form)
    rounding = rounded_table(values, axes, [None] * len(axes), seconds)
    kept = [Margin(each, margin(values, each), np.asarray(0.0), f"axes {each}") for each in axes]
    fit = Fit(rounding.table, 0, True)
    return table_fit("controlled rounding", fit, form, kept, rounding.step, (rounding.step,))


def _axes(margins: object, form: Form) -> list[Axes]:
    """Read which margins are to be kept."""
    if margins is None:
        return [(), *((axis,) for axis in range(len(form.names)))]
    if not isinstance(margins, (list, tuple, set)) or not margins:
        raise PydpstatError(
            f"margins must be a list of axes or tuples of axes; got {type(margins).__name__}. "
            "For example [0, 1], or [('sex', 'age')]."
        )
    return list(dict.fromkeys(tuple(sorted(axes_of(key, form.names))) for key in margins))


class Rounding(NamedTuple):
    """A table of integers, and whether each cell is the integer below or above its value."""

    table: np.ndarray
    adjacent: bool

    @property
    def step(self) -> str:
        """What was done, in words."""
        if self.adjacent:
            return "controlled rounding to the whole number below or above"
        return f"controlled rounding to whole numbers, by up to {_FURTHER + 1}"


def rounded_table(
    values: np.ndarray, axes: list[Axes], goals: list[np.ndarray | None], time_limit: float
) -> Rounding:
    """Round a table to integers so that its margins are integers near theirs, or given ones.

    A margin is given by its axes. A goal has the integers that it must have, the table's own sums but for
    floating-point error; None is for those below or above its sums. The time limit is in seconds for each of
    two searches, where there may be no solution.

    Notes
    -----
    Which cells go up is a linear program in integers: the sum of squared changes is linear in
    that choice. Where each margin belongs to one of two chains, each a part of the next (the rows and
    the columns of a two-way table, with or without the total), the program is a network flow, and its
    vertices are integers: there is a solution always. For three and more ways there may be none.
    Then cells may go further than to the next integer, and there may still be none.

    References
    ----------
    Cox, L. H. and Ernst, L. R. (1982). Controlled rounding. INFOR 20.

    Examples
    --------
    >>> values = np.array([[0.5, 1.5], [1.5, 0.5]])
    >>> rounded_table(values, [(0,), (1,)], [None, None], 10.0).table.sum(axis=0)
    array([2, 2])
    """
    from scipy import sparse

    check_size(values)
    near, low = np.rint(values), np.floor(values)
    fixed = np.abs(values - near) <= _WHOLE
    base = np.where(fixed, near, low).astype(np.int64)
    rest = np.where(fixed, 0.0, values - low).ravel()
    matrix = incidence(values.shape, axes)
    limits = _limits(values, base, axes, goals)
    free = np.flatnonzero(~fixed.ravel())
    # (1 - r)^2 - r^2
    costs = 1.0 - 2.0 * rest[free]
    first = math.inf if always(axes) else time_limit
    moves = np.zeros(rest.size, dtype=np.int64)
    up = _solved(costs, np.ones(free.size), matrix[:, free], limits, first)
    if up is not None:
        moves[free] = up
        return Rounding(base + moves.reshape(base.shape), True)
    steps = _solved(
        np.concatenate([costs, np.where(rest > 0.0, 3.0 - 2.0 * rest, 1.0), 1.0 + 2.0 * rest]),
        np.concatenate([np.ones(free.size), np.full(rest.size, _FURTHER), _room(values, base)]),
        sparse.hstack([matrix[:, free], matrix, -matrix]).tocsc(),
        limits,
        time_limit,
    )
    if steps is None:
        raise PydpstatError(
            f"the table has no whole numbers within {_FURTHER + 1} of its cells that keep these margins, "
            f"or the search did not find them in {time_limit:g} seconds. With three or more axes there may "
            "be none: keep fewer margins, or give a larger time_limit."
        )
    moves[free], more, less = np.split(steps, [free.size, free.size + rest.size])
    return Rounding(base + (moves + more - less).reshape(base.shape), False)


def always(axes: list[Axes]) -> bool:
    """Tell whether a rounding exists for all tables: whether the margins make up two chains of parts.

    Examples
    --------
    >>> always([(), (0,), (1,)]), always([(0, 1), (0, 2), (1, 2)])
    (True, False)
    """
    sides: dict[Axes, bool] = {}

    def fits(each: Axes, side: bool) -> bool:
        if each in sides:
            return sides[each] == side
        sides[each] = side
        apart = [other for other in axes if not (set(other) <= set(each) or set(each) <= set(other))]
        return all([fits(other, not side) for other in apart])

    # margins of which none is part of the other belong to different chains
    return all([each in sides or fits(each, True) for each in axes])


def _limits(
    values: np.ndarray, base: np.ndarray, axes: list[Axes], goals: list[np.ndarray | None]
) -> tuple[np.ndarray, np.ndarray]:
    """Return how much the sums of the base must grow at least, and may at most."""
    least, most = [], []
    for each, goal in zip(axes, goals):
        have, real = margin(base, each), margin(values, each)
        near = np.rint(real)
        whole = np.abs(real - near) <= _WHOLE * np.maximum(1.0, np.abs(real))
        low = np.where(whole, near, np.floor(real)) if goal is None else goal
        high = np.where(whole, near, np.ceil(real)) if goal is None else goal
        least.append(np.ravel(low - have))
        most.append(np.ravel(high - have))
    return np.concatenate(least), np.concatenate(most)


def _room(values: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Return how far cells may go down: not below 0, where none is."""
    room = np.full(base.size, float(_FURTHER))
    return np.minimum(base.ravel(), room) if (values >= 0.0).all() else room


def _solved(
    costs: np.ndarray,
    upper: np.ndarray,
    matrix: sparse.csc_matrix,
    limits: tuple[np.ndarray, np.ndarray],
    seconds: float,
) -> np.ndarray | None:
    """Return the integers from 0 to `upper` of low cost whose sums are within limits, or None.

    The sums are checked to the last unit.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    if not costs.size:
        return np.zeros(0, dtype=np.int64) if (limits[0] <= 0).all() and (limits[1] >= 0).all() else None
    found = milp(
        costs,
        integrality=np.ones(costs.size),
        bounds=Bounds(0.0, upper),
        constraints=LinearConstraint(matrix, *limits),
        options={"time_limit": seconds, "mip_rel_gap": _GOOD},
    )
    if found.x is None:
        return None
    steps = np.rint(found.x).astype(np.int64)
    grown = matrix @ steps
    if (grown < limits[0]).any() or (grown > limits[1]).any():
        raise PydpstatError(
            "the search for whole numbers did not meet a margin: the table's cells differ too much "
            "in size. Round fewer cells at a time."
        )
    return steps

"""Controlled rounding: a table of whole numbers that still adds up."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat._checks import positive
from pydpstat.consistency._fitting import gaps
from pydpstat.consistency._margins import axes_of
from pydpstat.consistency._sums import Axes, Margin, margin
from pydpstat.consistency._table_rounding import TIME_LIMIT, rounded_table, rounding_step
from pydpstat.consistency._tables import Form, read_table
from pydpstat.consistency.table_results import TableFit
from pydpstat.errors import PydpstatError


def controlled_rounding(table: Any, margins: Any = None, *, time_limit: float = TIME_LIMIT) -> TableFit:
    """Round a table to whole numbers so that it still adds up.

    Parameters
    ----------
    table : array_like, DataFrame, Series or DPResults
        Numbers below 2^53 in size, with any number of ways.
    margins : list of axes, optional
        The margins to keep: an axis or a tuple of axes each, by place or by name; ``()`` is the total.
        By default each axis and the total.
    time_limit : float, default 10
        Seconds for the search of whole numbers where there may be none.

    Returns
    -------
    TableFit
        ``estimate`` is of int64. Each cell is the whole number below or above (``status`` says where
        that was not possible), and so is each of the margins' sums; those that were whole stay.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or no such table is found.

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
    axes = _axes(margins, form, values.ndim)
    rounding = rounded_table(values, axes, [None] * len(axes), seconds)
    kept = [Margin(each, margin(values, each), np.asarray(0.0), f"axes {each}") for each in axes]
    step = rounding_step(rounding.adjacent)
    return TableFit(
        "controlled rounding",
        rounding.table,
        form,
        tuple(each.name for each in kept),
        tuple(gaps(rounding.table, kept)),
        0,
        True,
        step,
        (step,),
    )


def _axes(margins: Any, form: Form, dimensions: int) -> list[Axes]:
    """Read which margins are to be kept."""
    if margins is None:
        return [(), *((axis,) for axis in range(dimensions))]
    if not isinstance(margins, (list, tuple, set)) or not margins:
        raise PydpstatError(
            f"margins must be a list of axes or tuples of axes; got {type(margins).__name__}. "
            "For example [0, 1], or [('sex', 'age')]."
        )
    return list(dict.fromkeys(tuple(sorted(axes_of(key, form.names, dimensions))) for key in margins))

"""What k-anonymity costs: the loss against k."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydpstat._answering import answered
from pydpstat.errors import PydpstatError
from pydpstat.plots._frames import frame_of, numbers_in
from pydpstat.plots._style import DASHES, MARKERS, axes_for, check_curves, finish, palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("k", "loss", "method")
# from this ratio of the largest to the smallest value on, an axis is logarithmic
WIDE = 20.0
# as many values of k are written at the axis
MOST_TICKS = 10


@answered
def k_against_loss(frame: object, ax: Axes | None = None, *, unit: str = "mean squared error") -> Axes:
    """Draw the loss of several anonymization methods against k.

    Parameters
    ----------
    frame : DataFrame
        A row for each anonymized table, with the columns k (the smallest group, at least 1), loss (at
        least 0) and method (its name).
    {ax}
    unit : str, default "mean squared error"
        What the loss is, for the axis.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or there are more than seven methods.
    MissingExtraError
        Where matplotlib is not installed; the message has the command.

    See Also
    --------
    pydpstat.anonymity.evaluate_anonymization : what it shows.

    Notes
    -----
    An axis is logarithmic where its largest value is twenty times the smallest or more, and none is 0.
    k says how small a group can be, and no more: it is no guarantee of differential privacy.

    References
    ----------
    Domingo-Ferrer, J. and Mateo-Sanz, J. M. (2002). Practical data-oriented microaggregation for
    statistical disclosure control. IEEE Transactions on Knowledge and Data Engineering 14.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat import plots
    >>> losses = pd.DataFrame(
    ...     {"k": [3, 30, 3, 30], "loss": [1, 9, 2, 11], "method": ["mdav", "mdav", "fast", "fast"]}
    ... )
    >>> ax = plots.k_against_loss(losses)  # doctest: +SKIP
    """
    rows = frame_of(frame, "frame", COLUMNS)
    k, loss = numbers_in(rows, "frame", "k", 0.0), numbers_in(rows, "frame", "loss")
    if (loss < 0.0).any():
        raise PydpstatError("frame['loss'] must be at least 0; got negative numbers. Give a squared error.")
    names = rows["method"].astype(object).to_numpy()
    methods = list(dict.fromkeys(names.tolist()))
    if rows["method"].isna().any():
        raise PydpstatError("frame['method'] must name a method in each row; got missing values.")
    check_curves("frame['method'] must have", "names", len(methods), "Draw fewer.")
    axes = axes_for("k_against_loss", ax)
    for place, method in enumerate(methods):
        at = np.flatnonzero([name == method for name in names])
        at = at[np.argsort(k[at], kind="stable")]
        axes.plot(
            k[at],
            loss[at],
            color=palette(axes)[place],
            linestyle=DASHES[place],
            marker=MARKERS[place],
            markersize=5,
            clip_on=False,
            label=str(method),
        )
    if _is_wide(k):
        axes.set_xscale("log")
    if _is_wide(loss):
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0.0)
    ticks = np.unique(k)
    if ticks.size <= MOST_TICKS:
        axes.set_xticks(ticks, [f"{each:,.10g}" for each in ticks])
        axes.set_xticks([], minor=True)
    axes.set_xlabel("k, records in the smallest group" + (" (log scale)" if _is_wide(k) else ""))
    axes.set_ylabel(f"loss: {unit}" + (" (log scale)" if _is_wide(loss) else ""))
    finish(axes)
    return axes


def _is_wide(values: np.ndarray) -> bool:
    return bool(values.min() > 0.0 and values.max() >= WIDE * values.min())

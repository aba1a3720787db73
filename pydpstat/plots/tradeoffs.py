"""Privacy against accuracy, in two panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import answered
from pydpstat.errors import PydpstatError
from pydpstat.plots._frames import frame_of, numbers_in
from pydpstat.plots._style import DASHES, check_curves, finish, ink, palette, panels_for, soft

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIDDLES = ("median", "mean")
COLUMNS = ("epsilon", "n", "estimate", "uncertainty")


@answered
def tradeoff(
    frame: object, truth: float | None = None, axes: object = None, *, middle: str = "median"
) -> tuple[Axes, Axes]:
    """Draw estimates and their uncertainty against epsilon, by number of records.

    The left panel has every run's estimate as a dot, from 0 to 1, and the middle of the runs as a
    line; the right panel the uncertainties, on a logarithmic scale.

    Parameters
    ----------
    frame : DataFrame
        A row for each run, with the columns epsilon (above 0), n (number of records, above 0),
        estimate (a share) and uncertainty (in the estimate's unit). Further columns, such as the
        run's number, are not used.
    truth : float, optional
        The true share, drawn as a line. It is known in a simulation only.
    axes : two matplotlib Axes, optional
        Where to draw; a new figure's by default.
    middle : {"median", "mean"}, default "median"
        What the lines go through: each epsilon's median of the runs, or their mean.

    Returns
    -------
    tuple of two matplotlib Axes

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or there are more than seven values of n.
    MissingExtraError
        Where matplotlib is not installed; the message has the command.

    See Also
    --------
    pydpstat.plan : the same in numbers.

    Notes
    -----
    Estimates outside [0, 1] are counted in a note and not drawn. An uncertainty of 0 has no place on
    a logarithmic scale and is left out.

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias.
    Journal of the American Statistical Association 60.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat import plots
    >>> runs = pd.DataFrame(
    ...     {"epsilon": [0.5, 1.0], "n": 100, "estimate": [0.3, 0.25], "uncertainty": [0.4, 0.2]}
    ... )
    >>> left, right = plots.tradeoff(runs, truth=0.2)  # doctest: +SKIP
    """
    import pandas as pd

    rows = frame_of(frame, "frame", COLUMNS)
    epsilon, n = (numbers_in(rows, "frame", column, 0.0) for column in COLUMNS[:2])
    estimate, uncertainty = (numbers_in(rows, "frame", column) for column in COLUMNS[2:])
    sizes = np.unique(n)
    check_curves("frame['n'] must have", "values", sizes.size, "Draw fewer.")
    known = None if truth is None else checks.scalar(truth, "truth")
    if known is not None and not 0.0 <= known <= 1.0:
        raise PydpstatError(f"truth must be a share from 0 to 1; got {checks.shown(truth)}.")
    checks.one_of(middle, "middle", MIDDLES)
    left, right = panels_for("tradeoff", axes, 2)
    for size, colour, dashes in zip(sizes, palette(left), DASHES):
        at, label = n == size, f"n = {size:,.10g}"
        for panel, values in ((left, estimate), (right, np.where(uncertainty > 0.0, uncertainty, np.nan))):
            panel.plot(epsilon[at], values[at], ".", color=colour, markersize=3, alpha=0.35, zorder=1)
            # a missing value counts in no median or mean
            lines = pd.Series(values[at]).groupby(epsilon[at]).agg(middle)
            panel.plot(
                lines.index, lines, linestyle=dashes, color=colour, linewidth=1.6, label=label, zorder=2
            )
    if known is not None:
        left.axhline(
            known, color=ink(left), linestyle="--", linewidth=1.2, label=f"true share {known:.4g}", zorder=3
        )
    left.set_ylim(0.0, 1.0)
    outside = int(((estimate < 0.0) | (estimate > 1.0)).sum())
    if outside:
        note = f"{outside:,} of {estimate.size:,} estimates are outside"
        left.text(
            0.99, 0.01, note, transform=left.transAxes, ha="right", va="bottom", color=soft(left), fontsize=8
        )
    left.set_ylabel(f"estimated share (lines: {middle} of the runs)")
    right.set(yscale="log", ylabel="uncertainty (in shares, log scale)")
    for panel in (left, right):
        panel.set_xlabel("epsilon")
        finish(panel)
    return left, right

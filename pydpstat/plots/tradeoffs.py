"""Plots of privacy against accuracy, and of the loss by k-anonymity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.plots._style import (
    DASHES,
    MARKERS,
    apply_axes_style,
    check_curves,
    check_plot_frame,
    get_axes,
    get_finite_column,
    get_line_colors,
    get_muted_color,
    get_panel_axes,
    get_text_color,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIDDLE_STATISTICS = ("median", "mean")
TRADEOFF_COLUMNS = ("epsilon", "n", "estimate", "uncertainty")


@explain_wrong_calls
def tradeoff(
    frame: object, truth: float | None = None, axes: object = None, *, middle: str = "median"
) -> tuple[Axes, Axes]:
    """Draw estimates and their uncertainty against epsilon, by number of records.

    The left panel shows every run's estimate as a dot, from 0 to 1, and the median or mean of the runs
    as a line; the right panel shows the uncertainties, on a logarithmic scale.

    Parameters
    ----------
    frame : DataFrame
        A row for each run, with the columns epsilon (above 0), n (number of records, above 0),
        estimate (a share) and uncertainty (in the estimate's unit). Further columns, such as the
        run's number, are not used.
    truth : float, optional
        The true share, drawn as a line. It is known in a simulation only.
    axes : two matplotlib Axes, optional
        Axes to draw on; by default those of a new figure.
    middle : {"median", "mean"}, default "median"
        Statistic of the runs at each epsilon that the lines connect.

    Returns
    -------
    tuple of two matplotlib Axes

    Raises
    ------
    PydpstatError
        If an argument is invalid, or there are more than seven values of n.
    MissingExtraError
        If matplotlib is not installed; the message has the command.

    See Also
    --------
    pydpstat.plan : the same in numbers.

    Notes
    -----
    Estimates outside [0, 1] are counted in a note and not drawn. An uncertainty of 0 cannot be shown
    on a logarithmic scale and is left out.

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
    rows = check_plot_frame(frame, "frame", TRADEOFF_COLUMNS)
    epsilon, n = (get_finite_column(rows, "frame", column, 0.0) for column in TRADEOFF_COLUMNS[:2])
    estimate, uncertainty = (get_finite_column(rows, "frame", column) for column in TRADEOFF_COLUMNS[2:])
    sizes = np.unique(n)
    check_curves("frame['n'] must have", "values", sizes.size, "Draw fewer.")
    true_share = None if truth is None else checks.check_scalar(truth, "truth")
    if true_share is not None and not 0.0 <= true_share <= 1.0:
        raise PydpstatError(f"truth must be a share from 0 to 1; got {checks.describe_value(truth)}.")
    checks.check_choice(middle, "middle", MIDDLE_STATISTICS)
    left, right = get_panel_axes("tradeoff", axes, 2)
    for size, colour, dashes in zip(sizes, get_line_colors(left), DASHES):
        has_size, label = n == size, f"n = {size:,.10g}"
        for panel, values in ((left, estimate), (right, np.where(uncertainty > 0.0, uncertainty, np.nan))):
            panel.plot(epsilon[has_size], values[has_size], ".", color=colour, markersize=3, alpha=0.35, zorder=1)
            # missing values are ignored in the median or mean
            lines = pd.Series(values[has_size]).groupby(epsilon[has_size]).agg(middle)
            panel.plot(lines.index, lines, linestyle=dashes, color=colour, linewidth=1.6, label=label, zorder=2)
    if true_share is not None:
        left.axhline(
            true_share,
            color=get_text_color(left),
            linestyle="--",
            linewidth=1.2,
            label=f"true share {true_share:.4g}",
            zorder=3,
        )
    left.set_ylim(0.0, 1.0)
    outside = int(((estimate < 0.0) | (estimate > 1.0)).sum())
    if outside:
        note = f"{outside:,} of {estimate.size:,} estimates are outside"
        left.text(
            0.99,
            0.01,
            note,
            transform=left.transAxes,
            ha="right",
            va="bottom",
            color=get_muted_color(left),
            fontsize=8,
        )
    left.set_ylabel(f"estimated share (lines: {middle} of the runs)")
    right.set(yscale="log", ylabel="uncertainty (in shares, log scale)")
    for panel in (left, right):
        panel.set_xlabel("epsilon")
        apply_axes_style(panel)
    return left, right


LOSS_COLUMNS = ("k", "loss", "method")
# from this ratio of the largest to the smallest value on, an axis is logarithmic
LOG_SCALE_RATIO = 20.0
# largest number of values of k with a tick
MAX_TICKS = 10


@explain_wrong_calls
def k_against_loss(frame: object, ax: Axes | None = None, *, unit: str = "mean squared error") -> Axes:
    """Draw the loss of several anonymization methods against k.

    Parameters
    ----------
    frame : DataFrame
        A row for each anonymized table, with the columns k (the smallest group, at least 1), loss (at
        least 0) and method (its name).
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure.
    unit : str, default "mean squared error"
        Name of the loss, for the axis label.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PydpstatError
        If an argument is invalid, or there are more than seven methods.
    MissingExtraError
        If matplotlib is not installed; the message has the command.

    See Also
    --------
    pydpstat.anonymity.evaluate_anonymization : the data shown.

    Notes
    -----
    An axis is logarithmic if its largest value is at least twenty times the smallest, and none is 0.
    k is only the smallest size of a group: it is not a guarantee of differential privacy.

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
    rows = check_plot_frame(frame, "frame", LOSS_COLUMNS)
    k, loss = get_finite_column(rows, "frame", "k", 0.0), get_finite_column(rows, "frame", "loss")
    if (loss < 0.0).any():
        raise PydpstatError("frame['loss'] must be at least 0; got negative numbers. Give a squared error.")
    names = rows["method"].astype(object).to_numpy()
    methods = list(dict.fromkeys(names.tolist()))
    if rows["method"].isna().any():
        raise PydpstatError("frame['method'] must name a method in each row; got missing values.")
    check_curves("frame['method'] must have", "names", len(methods), "Draw fewer.")
    axes = get_axes("k_against_loss", ax)
    for i, method in enumerate(methods):
        indices = np.flatnonzero([name == method for name in names])
        indices = indices[np.argsort(k[indices], kind="stable")]
        axes.plot(
            k[indices],
            loss[indices],
            color=get_line_colors(axes)[i],
            linestyle=DASHES[i],
            marker=MARKERS[i],
            markersize=5,
            clip_on=False,
            label=str(method),
        )
    if _has_wide_range(k):
        axes.set_xscale("log")
    if _has_wide_range(loss):
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0.0)
    ticks = np.unique(k)
    if ticks.size <= MAX_TICKS:
        axes.set_xticks(ticks, [f"{tick:,.10g}" for tick in ticks])
        axes.set_xticks([], minor=True)
    axes.set_xlabel("k, records in the smallest group" + (" (log scale)" if _has_wide_range(k) else ""))
    axes.set_ylabel(f"loss: {unit}" + (" (log scale)" if _has_wide_range(loss) else ""))
    apply_axes_style(axes)
    return axes


def _has_wide_range(values: np.ndarray) -> bool:
    return bool(values.min() > 0.0 and values.max() >= LOG_SCALE_RATIO * values.min())

"""Plots that compare counts: a private and a true histogram, a hierarchy before and after adjustment."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from pydpstat._answering import explain_wrong_calls
from pydpstat.errors import PydpstatError
from pydpstat.plots._style import (
    Floats,
    apply_axes_style,
    check_plot_frame,
    get_axes,
    get_background_color,
    get_finite_column,
    get_line_colors,
    get_muted_color,
    get_text_color,
    get_text_size,
    to_finite_floats,
)
from pydpstat.plots._text import (
    compute_name_width,
    compute_text_width,
    escape_plot_text,
    fit_names,
    format_plot_number,
    format_tick,
    get_size_in_points,
    set_axis_numbers,
)
from pydpstat.privacy import Guarantee

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# size of the numbers above bars, in points
BAR_NUMBER_SIZE = 7.0


@runtime_checkable
class ReleasedHistogram(Protocol):
    """Interface of a released histogram (`DPResults`), which is defined in a module that may not be imported here."""

    guarantee: Guarantee
    labels: object

    @property
    def estimate(self) -> object:
        """The counts and their edges."""


@explain_wrong_calls
def histograms(true: object, private: object, ax: Axes | None = None) -> Axes:
    """Draw a private histogram next to the true one.

    The plot shows the true counts: it is for teaching and for checking, with simulated or public
    data, as the legend states. `DPResults.plot` draws the private counts alone.

    Parameters
    ----------
    true : Histogram or (counts, edges)
        The true counts: `pydpstat.r_arithmetic.hist`'s result or ``numpy.histogram``'s.
    private : DPResults, Histogram or (counts, edges)
        The private counts in the same classes. For a `DPResults` the legend shows the true epsilon.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PydpstatError
        If an argument is not a histogram, or the two have different edges.
    MissingExtraError
        If matplotlib is not installed; the message has the command.

    See Also
    --------
    pydpstat.histogram : release a histogram.

    Notes
    -----
    Publishing the plot would publish the true counts: it has no guarantee.

    References
    ----------
    Okabe, M. and Ito, K. (2008). Color universal design (the palette).

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> from pydpstat import plots
    >>> age = np.array([18, 25, 31, 34, 47, 52, 58, 71])
    >>> private = pydpstat.histogram(age, 1, edges=[0, 25, 50, 75])
    >>> ax = plots.histograms(np.histogram(age, [0, 25, 50, 75]), private)  # doctest: +SKIP
    """
    shapes = _read_histogram(true, "true"), _read_histogram(private, "private")
    edges, name = shapes[0][1], shapes[1][2] or shapes[0][2] or "x"
    if not np.array_equal(edges, shapes[1][1]):
        raise PydpstatError(
            f"private must have the edges of true; they differ ({shapes[1][1].size} and {edges.size} "
            "edges). Use the same classes for both."
        )
    axes = get_axes("histograms", ax)
    # the two bars of a class touch in its middle, with gaps between classes
    width, middle = 0.45 * np.diff(edges), 0.5 * (edges[:-1] + edges[1:])
    # width of a unit in points, with matplotlib's margins
    unit = get_size_in_points(axes)[0] / (1.1 * (edges[-1] - edges[0]))
    labels = "true (not for publication)", f"private{_format_guarantee_suffix(private)}"
    for (counts, _, _), shift, colour, label in zip(shapes, (-0.5 * width, 0.5 * width), get_line_colors(axes), labels):
        bars = axes.bar(middle + shift, counts, width, color=colour, label=label)
        numbers = [format_plot_number(number) for number in counts.tolist()]
        if max(compute_text_width(number, BAR_NUMBER_SIZE) for number in numbers) <= width.min() * unit:
            axes.bar_label(bars, numbers, fontsize=BAR_NUMBER_SIZE, color=get_text_color(axes), padding=1)
    set_axis_numbers(axes.yaxis)
    set_axis_numbers(axes.xaxis)
    tick_labels = [format_tick(edge) for edge in edges.tolist()]
    if max(compute_text_width(number, get_text_size()) for number in tick_labels) + 6.0 <= np.diff(edges).min() * unit:
        axes.set_xticks(edges, tick_labels)
    axes.axhline(0.0, color=get_text_color(axes), linewidth=0.8)
    axes.set(xlabel=name, ylabel="count")
    apply_axes_style(axes)
    return axes


def _read_histogram(histogram: object, argument: str) -> tuple[Floats, Floats, str]:
    """Return counts, edges and the variable's name."""
    if isinstance(histogram, ReleasedHistogram):
        histogram = histogram.estimate
    name = getattr(histogram, "xname", "")
    if hasattr(histogram, "breaks") and hasattr(histogram, "counts"):
        histogram = histogram.counts, histogram.breaks
    if isinstance(histogram, (tuple, list)) and len(histogram) == 2:
        counts, edges = map(to_finite_floats, histogram)
        if counts is not None and edges is not None and counts.ndim == edges.ndim == 1:
            if edges.size == counts.size + 1 > 1 and (np.diff(edges) > 0.0).all():
                return counts, edges, str(name)
    raise PydpstatError(
        f"{argument} must be a histogram: a released one, R's, or (counts, edges) with one edge more than "
        f"counts and increasing; got {type(histogram).__name__}. Give for example np.histogram(x, edges)."
    )


def _format_guarantee_suffix(private: object) -> str:
    if not isinstance(private, ReleasedHistogram):
        return ""
    epsilon = private.guarantee.epsilon
    return f", epsilon = {epsilon:.4g}" if math.isfinite(epsilon) else ", no guarantee"


CountKey = tuple[Hashable, Hashable]
HIERARCHY_COLUMNS = ("level", "label", "value")
# largest number of rows on a page
MAX_HIERARCHY_ROWS = 80


@explain_wrong_calls
def hierarchy(before: object, after: object, ax: Axes | None = None) -> Axes:
    """Draw each count of a hierarchy, noisy and consistent.

    Parameters
    ----------
    before, after : DataFrame
        The noisy counts and the consistent ones: the columns level (its name), label (the count's
        name, a string or a tuple) and value. Both have the same levels and labels; levels come in the
        order of `before`, the top first.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure with a height for all rows.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PydpstatError
        If an argument is invalid, the frames have different counts, or more than 80.
    MissingExtraError
        If matplotlib is not installed; the message has the command.

    See Also
    --------
    pydpstat.consistency.release_hierarchy : the data shown.

    Notes
    -----
    Post-processing: the plot shows released counts only, and costs no budget.

    References
    ----------
    Hay, M., Rastogi, V., Miklau, G. and Suciu, D. (2010). Boosting the accuracy of differentially
    private histograms through consistency. VLDB 2010.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat import plots
    >>> noisy = pd.DataFrame(
    ...     {"level": ["all", "half", "half"], "label": ["all", "a", "b"], "value": [9, 6, 5]}
    ... )
    >>> ax = plots.hierarchy(noisy, noisy.assign(value=[10, 5.5, 4.5]))  # doctest: +SKIP
    """
    rows_before, noisy = _read_hierarchy_rows(before, "before")
    rows_after, consistent = _read_hierarchy_rows(after, "after")
    if len(rows_before) > MAX_HIERARCHY_ROWS:
        raise PydpstatError(
            f"before must have at most {MAX_HIERARCHY_ROWS} rows, which a picture can hold; got {len(rows_before)}. "
            "Select a part of the hierarchy in both frames."
        )
    consistent = consistent[_match_rows(rows_before, rows_after)]
    levels = list(dict.fromkeys(level for level, _ in rows_before))
    order = sorted(range(len(rows_before)), key=lambda row: levels.index(rows_before[row][0]))
    keys = [rows_before[row] for row in order]
    axes = get_axes("hierarchy", ax, height=1.2 + 0.27 * (len(rows_before) + len(levels)))
    # each heading takes one row
    y = np.array([row + levels.index(level) + 1.0 for row, (level, _) in enumerate(keys)])
    low, high = noisy[order], consistent[order]
    axes.hlines(y, low, high, color=get_muted_color(axes), linewidth=1.2, zorder=1)
    hollow: dict[str, Any] = {
        "markersize": 7,
        "markerfacecolor": get_background_color(axes),
        "markeredgewidth": 1.6,
    }
    axes.plot(low, y, "o", color=get_line_colors(axes)[1], label="with noise", zorder=2, **hollow)
    axes.plot(high, y, "D", color=get_line_colors(axes)[0], label="consistent", zorder=3, markersize=4.5)
    _name_hierarchy_rows(axes, keys, levels, y)
    _write_row_values(axes, y, low, high)
    axes.set_xlabel("count")
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]) if min(low.min(), high.min()) < 0.0 else 0.0)
    set_axis_numbers(axes.xaxis)
    apply_axes_style(axes)
    return axes


def _read_hierarchy_rows(frame: object, name: str) -> tuple[list[CountKey], Floats]:
    rows = check_plot_frame(frame, name, HIERARCHY_COLUMNS)
    values = get_finite_column(rows, name, "value")
    return list(zip(rows["level"].tolist(), rows["label"].tolist())), values


def _match_rows(first: list[CountKey], second: list[CountKey]) -> list[int]:
    """Return the position in the second frame of each row of the first."""
    if first == second:
        return list(range(len(first)))
    index_of = {key: i for i, key in enumerate(second)}
    if len(index_of) != len(second) or len(set(first)) != len(first) or set(first) != set(second):
        raise PydpstatError(
            f"after must have the levels and labels of before, each once; they differ ({len(second)} "
            f"and {len(first)} rows). Give the noisy and the consistent data frame of one hierarchy."
        )
    return [index_of[key] for key in first]


def _name_hierarchy_rows(axes: Axes, keys: list[CountKey], levels: list[Hashable], y: Floats) -> None:
    """Label the rows, with each level's name above its rows."""
    names = [" / ".join(map(str, label)) if isinstance(label, tuple) else str(label) for _, label in keys]
    height = get_size_in_points(axes)[1] / (len(keys) + len(levels))
    size = min(0.8 * height, get_text_size())
    labels = fit_names([escape_plot_text(name) for name in [*names, *levels]], compute_name_width(axes), size, height)
    tops = [min(row_height for row_height, key in zip(y, keys) if key[0] == level) - 1.0 for level in levels]
    axes.set_yticks([*y, *tops], labels, fontsize=size)
    for label in axes.get_yticklabels()[len(names) :]:
        label.set(fontweight="bold", color=get_text_color(axes))
    for top in tops[1:]:
        axes.axhline(top - 0.5, color=get_muted_color(axes), alpha=0.4, linewidth=0.8, zorder=0)
    axes.set_ylim(len(keys) + len(levels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def _write_row_values(axes: Axes, y: Floats, low: Floats, high: Floats) -> None:
    """Write both values next to each row, since a small change of a large count is not visible."""
    size = min(0.8 * get_size_in_points(axes)[1] / (y.max() + 1.0), 8.0)
    options: dict[str, Any] = {"va": "center", "fontsize": size, "color": get_text_color(axes)}
    options["transform"] = axes.get_yaxis_transform()
    axes.text(1.01, 0.0, "with noise → consistent", **options)
    for height, noisy, consistent in zip(y, _format_equal_decimals(low), _format_equal_decimals(high)):
        axes.text(1.01, height, f"{noisy} → {consistent}", **options)


def _format_equal_decimals(values: Floats) -> list[str]:
    """Format numbers with equal numbers of decimals, and without if all are integers."""
    integer = (values == np.rint(values)).all()
    decimals = 0 if integer else 2 if np.abs(values).max() < 100.0 else 1
    return [f"{value:,.{decimals}f}" for value in values]

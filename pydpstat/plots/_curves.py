"""Plots along a numeric axis: histograms, distribution functions and curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat.plots._pictures import (
    CurvePicture,
    DistributionPicture,
    Floats,
    GroupSizePicture,
    HistogramPicture,
    NullPicture,
    Panel,
    PictureValues,
    SamplePicture,
)
from pydpstat.plots._style import (
    DASHES,
    add_legend_above,
    compute_longest_interval,
    get_background_color,
    get_muted_color,
    get_series_color,
    get_text_color,
    get_text_size,
    split_axes,
)
from pydpstat.plots._text import (
    compute_text_width,
    escape_plot_text,
    format_plot_number,
    format_tick,
    get_size_in_points,
    set_axis_numbers,
    wrap_to_width,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Look = dict[str, Any]
MAX_PANELS_PER_ROW = 3
# with more bins, intervals are drawn as a band instead of bars
_MAX_BARS = 60
_BAND_ALPHAS = (0.3, 0.15)
# a shorter interval, in points, cannot be distinguished from a point
_MIN_VISIBLE_LENGTH = 6.0
# above this number of sizes they are binned; from this ratio on, the axis is logarithmic
_MAX_SINGLE_SIZES, _N_SIZE_BINS, _LOG_SCALE_RATIO = 30, 25, 20


def compute_panels_size(picture: HistogramPicture | DistributionPicture) -> tuple[float, float]:
    """Return the width and height of a new figure in inches."""
    count = len(picture.panels)
    rows = -(-count // MAX_PANELS_PER_ROW)
    return (8.0, 4.5) if count == 1 else (10.0, min(1.2 + 2.7 * rows, 14.0))


def draw_columns(picture: HistogramPicture, axes: Axes, look: Look) -> None:
    """Draw histograms with intervals."""
    titles = [escape_plot_text(each.title) for each in picture.panels]
    rows = split_axes(axes, len(picture.panels), MAX_PANELS_PER_ROW, (_compute_panel_gap(picture.edges), 24.0), titles)
    top, bottom = _compute_y_limits(picture.panels)
    colour = get_series_color(axes, look)
    for panel_axes, panel in zip([each for row in rows for each in row], picture.panels):
        heights = np.nan_to_num(panel.values.values)
        panel_axes.stairs(heights, picture.edges, fill=True, color=colour, alpha=0.35)
        panel_axes.stairs(heights, picture.edges, color=colour, linewidth=look.get("linewidth", 1.0))
        # lines between adjacent bins, as high as the lower one
        lower = np.minimum(heights[:-1], heights[1:]).clip(0.0)
        panel_axes.vlines(picture.edges[1:-1], 0.0, lower, color=colour, linewidth=0.6)
        _draw_intervals(panel_axes, 0.5 * (picture.edges[:-1] + picture.edges[1:]), picture.edges, panel.values)
        panel_axes.axhline(0.0, color=get_text_color(panel_axes), linewidth=0.8)
        panel_axes.set(xlim=(picture.edges[0], picture.edges[-1]), ylim=(bottom, top))
        panel_axes.margins(x=0.02)
    _label_axes(rows, picture.axis, picture.unit)
    high = get_size_in_points(rows[0][0])[1] / (top - bottom)
    values = picture.panels[0].values
    is_visible = any(
        compute_longest_interval(each.values.thick, high) >= _MIN_VISIBLE_LENGTH for each in picture.panels
    )
    if values.thin is not None and not is_visible:
        # the legend omits thick intervals that are too short to be visible
        values = values._replace(thick=None)
    add_legend_above(axes, _make_interval_handles(axes, values, picture), picture.head.lines)


def _compute_y_limits(panels: Sequence[Panel]) -> tuple[float, float]:
    flat = np.concatenate([np.ravel(array) for panel in panels for array in panel.values.all_arrays])
    finite = flat[np.isfinite(flat)]
    low, high = min(0.0, float(finite.min(initial=0.0))), float(finite.max(initial=0.0))
    margin = 0.05 * (high - low) or 1.0
    return high + margin, low - (margin if low < 0.0 else 0.0)


def _draw_intervals(axes: Axes, middles: Floats, edges: Floats, values: PictureValues) -> None:
    """Draw intervals as bars at the middles of the bins, or as a band if there are many bins."""
    thick = float(np.clip(0.25 * get_size_in_points(axes)[0] / max(middles.size, 1), 1.0, 5.0))
    for kind, (low, high) in values.intervals:
        if middles.size > _MAX_BARS:
            axes.stairs(high, edges, baseline=low, fill=True, color=get_text_color(axes), alpha=_BAND_ALPHAS[kind])
            continue
        width, alpha = (thick, 0.5) if values.has_both_intervals and kind == 0 else (1.3, 1.0)
        axes.vlines(middles, low, high, color=get_text_color(axes), linewidth=width, alpha=alpha)


def _compute_panel_gap(*numbers: Floats) -> float:
    """Return the space in points that the numbers at the ends of two adjacent axes require."""
    flat = np.concatenate([np.ravel(array) for array in numbers] or [np.zeros(1)])
    limits = [float(flat.min(initial=0.0)), float(flat.max(initial=0.0))]
    return max(compute_text_width(format_tick(float(f"{end:.2g}")), get_text_size()) for end in limits) + 10.0


def _label_axes(rows: list[list[Axes]], axis: str, unit: str) -> None:
    """Label the axes of panels, once for each row and column."""
    size = get_text_size()
    for number, row in enumerate(rows):
        for column, panel_axes in enumerate(row):
            width, height = get_size_in_points(panel_axes)
            set_axis_numbers(panel_axes.xaxis)
            set_axis_numbers(panel_axes.yaxis)
            panel_axes.spines[["top", "right"]].set_visible(False)
            # the last panel of a column may be in the second last row
            if number == len(rows) - 1 or number == len(rows) - 2 and column >= len(rows[-1]):
                panel_axes.set_xlabel(wrap_to_width(escape_plot_text(axis), max(width, 80.0), size))
            if column:
                panel_axes.tick_params(labelleft=False)
            else:
                panel_axes.set_ylabel(wrap_to_width(escape_plot_text(unit), max(height, 60.0), size))


def _make_interval_handles(
    axes: Axes, values: PictureValues, picture: HistogramPicture | DistributionPicture, colour: Any = None
) -> list[Artist]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if isinstance(picture, HistogramPicture) and picture.edges.size - 1 > _MAX_BARS:
        bands = (
            (values.thick, picture.head.thick, _BAND_ALPHAS[0]),
            (values.thin, picture.head.thin, _BAND_ALPHAS[1]),
        )
        return [
            Patch(facecolor=get_text_color(axes), alpha=alpha, label=label)
            for limits, label, alpha in bands
            if limits is not None
        ]

    handle_color = get_text_color(axes) if colour is None else colour
    handles: list[Artist] = []
    if values.thick is not None:
        strong: Look = {"linewidth": 5.0, "alpha": 0.5} if values.has_both_intervals else {"linewidth": 1.5}
        handles.append(Line2D([], [], color=handle_color, label=picture.head.thick, **strong))
    if values.thin is not None:
        handles.append(Line2D([], [], color=handle_color, linewidth=1.3, label=picture.head.thin))
    return handles


def draw_distribution(picture: DistributionPicture, axes: Axes, look: Look) -> None:
    """Draw distribution functions: shares at given points, or quantiles for given shares."""
    positions = [each.values.values for each in picture.panels] if picture.is_of_quantiles else [picture.at]
    titles = [escape_plot_text(each.title) for each in picture.panels]
    rows = split_axes(axes, len(picture.panels), MAX_PANELS_PER_ROW, (_compute_panel_gap(*positions), 24.0), titles)
    colour = get_series_color(axes, look)
    for panel_axes, panel in zip([each for row in rows for each in row], picture.panels):
        values = panel.values
        x, y = (values.values, picture.at) if picture.is_of_quantiles else (picture.at, values.values)
        line = _break_at_masses(x, y) if picture.support is None else _add_support(x, y, picture.support)
        panel_axes.plot(*line, color=colour, linewidth=look.get("linewidth", 1.2), alpha=0.7)
        size = look.get("markersize", 5.0)
        panel_axes.plot(x, y, look.get("marker", "o"), color=colour, markersize=size, zorder=3)
        bars = panel_axes.hlines if picture.is_of_quantiles else panel_axes.vlines
        for kind, limits in values.intervals:
            width, alpha = (4.0, 0.4) if values.has_both_intervals and kind == 0 else (1.4, 1.0)
            bars(picture.at, *limits, color=colour, linewidth=width, alpha=alpha)
        for share in (0.0, 1.0):
            panel_axes.axhline(share, color=get_muted_color(panel_axes), linewidth=0.8)
        panel_axes.set_ylim(-0.04, 1.04)
        panel_axes.margins(x=0.05)
    _label_axes(rows, picture.axis, "share at or below")
    add_legend_above(axes, _make_interval_handles(axes, picture.panels[0].values, picture, colour), picture.head.lines)


def _break_at_masses(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the points of a distribution function with gaps between equal values, where it jumps."""
    jumps = 1 + np.flatnonzero(np.diff(x) == 0.0)
    return np.insert(x, jumps, np.nan), np.insert(y, jumps, np.nan)


def _add_support(x: Floats, y: Floats, support: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return the points of a distribution function with the ends of its support, where it is 0 and 1."""
    return np.concatenate(([support[0]], x, [support[1]])), np.concatenate(([0.0], y, [1.0]))


def draw_lines(picture: CurvePicture, axes: Axes, look: Look) -> None:
    """Draw curves, with a mark at the point of the plan."""
    from matplotlib.lines import Line2D

    handles: list[Artist] = []
    for i, (name, values) in enumerate(zip(picture.names, picture.values)):
        options = {
            "color": get_series_color(axes, look, i),
            "linestyle": DASHES[i % len(DASHES)],
            "linewidth": look.get("linewidth", 1.6),
        }
        # 0 cannot be shown on a logarithmic axis
        axes.plot(picture.places, np.where(values > 0.0, values, np.nan), **options)
        handles += [Line2D([], [], label=escape_plot_text(name), **options)] if name else []
    if picture.plan_point is not None:
        axes.plot(*picture.plan_point, "o", color=get_text_color(axes), markersize=7, zorder=4)
        handles.append(Line2D([], [], marker="o", linestyle="none", color=get_text_color(axes), label="as planned"))
    axes.set(xscale="log", yscale="log")
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        ticks = _round_ticks(*limits)
        axis.set_ticks(ticks, [format_plot_number(tick) for tick in ticks])
        axis.set_ticks([], minor=True)
    axes.set_xlabel(
        wrap_to_width(escape_plot_text(picture.axis), max(get_size_in_points(axes)[0], 100.0), get_text_size())
    )
    axes.set_ylabel(
        wrap_to_width(escape_plot_text(picture.unit), max(get_size_in_points(axes)[1], 60.0), get_text_size())
    )
    axes.grid(color=get_muted_color(axes), alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    add_legend_above(axes, handles, picture.head.lines)


def _round_ticks(low: float, high: float) -> list[float]:
    """Return round numbers for a logarithmic axis: 1, 2 and 5 times powers of 10, or only the powers."""
    powers = 10.0 ** np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1.0)
    steps = [1.0, 2.0, 5.0] if len(powers) <= 4 else [1.0]
    ticks = np.outer(powers, steps).ravel()
    return [float(f"{tick:.3g}") for tick in ticks[(ticks >= low) & (ticks <= high)]]


def draw_null(picture: NullPicture, axes: Axes, look: Look) -> None:
    """Draw a statistic in its null distribution, with the part that is at least as extreme filled."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    colour, edges = get_series_color(axes, look), picture.edges
    axes.stairs(picture.density, edges, color=colour, linewidth=1.0)
    axes.stairs(np.where(picture.is_extreme, picture.density, 0.0), edges, fill=True, color=colour, alpha=0.5)
    axes.axvline(picture.statistic, color=get_text_color(axes), linewidth=1.6)
    handles: list[Artist] = [
        Line2D([], [], color=get_text_color(axes), linewidth=1.6, label="statistic"),
        Patch(facecolor="none", edgecolor=colour, label="distribution under the null hypothesis"),
        Patch(facecolor=colour, alpha=0.5, label="at least as extreme"),
    ]
    axes.set(xlabel="statistic with its noise", ylabel="density", xlim=(edges[0], edges[-1]))
    axes.set_ylim(bottom=0.0)
    set_axis_numbers(axes.xaxis)
    set_axis_numbers(axes.yaxis)
    axes.spines[["top", "right"]].set_visible(False)
    add_legend_above(axes, handles, picture.head.lines)


def draw_samples(picture: SamplePicture, axes: Axes, look: Look) -> None:
    """Draw the distributions of two samples, with the event's part filled."""
    from matplotlib.patches import Patch

    handles: list[Artist] = []
    for i, label in enumerate(("data", "neighbor")):
        colour = get_series_color(axes, look, i)
        shares, marked = picture.shares[i], picture.event_shares[i]
        hatch = "//" if i else None
        if picture.edges is None:
            positions = np.arange(len(picture.names)) + 0.4 * i - 0.2
            axes.bar(positions, shares, 0.36, edgecolor=colour, fill=False)
            axes.bar(positions, marked, 0.36, facecolor=colour, edgecolor=colour, alpha=0.45, hatch=hatch)
        else:
            axes.stairs(shares, picture.edges, color=colour, linestyle=DASHES[i])
            axes.stairs(marked, picture.edges, facecolor=colour, edgecolor=colour, alpha=0.45, fill=True, hatch=hatch)
        handles.append(Patch(edgecolor=colour, facecolor="none", linestyle="--" if i else "-", label=label))
        handles.append(
            Patch(edgecolor=colour, facecolor=colour, alpha=0.45, hatch=hatch, label=f"{label}, in the event")
        )
    if picture.edges is None:
        label_width = get_size_in_points(axes)[0] / max(len(picture.names), 1)
        names = [
            wrap_to_width(escape_plot_text(name), max(label_width, 30.0), get_text_size()) for name in picture.names
        ]
        axes.set_xticks(np.arange(len(names)), names)
    else:
        # bins of width 1 around integers
        set_axis_numbers(axes.xaxis, only_integers=bool(picture.edges[1] - picture.edges[0] == 1.0))
    set_axis_numbers(axes.yaxis)
    axes.set(xlabel=escape_plot_text(picture.axis), ylabel="share of the draws")
    axes.spines[["top", "right"]].set_visible(False)
    add_legend_above(axes, handles, picture.head.title)


def draw_sizes(picture: GroupSizePicture, axes: Axes, look: Look) -> None:
    """Draw the number of groups of each size."""
    from matplotlib.lines import Line2D

    sizes = picture.sizes
    k, end = sizes[0], sizes[-1] + 1
    wide = sizes[-1] >= _LOG_SCALE_RATIO * k
    is_discrete = end - k <= _MAX_SINGLE_SIZES
    if is_discrete:
        edges = np.arange(k, end + 1)
    else:
        edges = np.geomspace(k, end, _N_SIZE_BINS + 1) if wide else np.linspace(k, end, _N_SIZE_BINS + 1)
    # edges between integers, so that each size is inside one bin
    edges = np.unique(np.rint(edges)) - 0.5
    axes.hist(
        sizes,
        edges.tolist(),
        weights=picture.counts,
        color=get_series_color(axes, look),
        edgecolor=get_background_color(axes),
    )
    if not is_discrete and wide:
        axes.set_xscale("log")
        ticks = _round_ticks(edges[0], edges[-1])
        axes.set_xticks(ticks, [format_plot_number(tick) for tick in ticks])
        axes.set_xticks([], minor=True)
    else:
        set_axis_numbers(axes.xaxis, only_integers=True)
    set_axis_numbers(axes.yaxis, only_integers=True)
    options: Look = {"color": get_text_color(axes), "linewidth": 1.0, "linestyle": "--"}
    axes.axvline(edges[0], **options)
    axes.set_xlabel("rows in a group" + (" (log scale)" if wide and not is_discrete else ""))
    axes.set_ylabel("groups in a bin" if np.diff(edges).max() > 1.0 else "groups")
    axes.spines[["top", "right"]].set_visible(False)
    add_legend_above(axes, [Line2D([], [], label=f"no group below k = {k:,}", **options)], picture.head.title)

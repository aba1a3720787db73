"""Estimates as points with intervals as bars, one row per name and one panel per scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat.plots._pictures import Floats, Panel, PictureValues, PointPicture
from pydpstat.plots._style import (
    MARKERS,
    add_legend_above,
    compute_longest_interval,
    compute_side_width,
    get_muted_color,
    get_series_color,
    get_text_color,
    get_text_size,
    split_axes,
)
from pydpstat.plots._text import (
    compute_name_width,
    compute_text_width,
    compute_width_share,
    count_name_lines,
    escape_plot_text,
    fit_names,
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
MAX_PANELS_PER_ROW = 4
# height of rows and of lines of names in a new figure, in inches, and limits of a panel's height
_ROW_HEIGHT, _LINE_HEIGHT, _MAX_HEIGHT, _MIN_HEIGHT = 0.24, 0.22, 10.5, 1.0
# a row with a range larger than the median by this factor does not determine the scale; it ends in arrows
_OUTLIER_FACTOR = 8.0
# width of a point, in points
_MARK_SIZE = 6.5
_PVALUE_TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 1.0)


def compute_points_size(picture: PointPicture) -> tuple[float, float]:
    """Return the width and height of a new figure in inches."""
    rows = -(-len(picture.panels) // MAX_PANELS_PER_ROW)
    row = max(_ROW_HEIGHT * max(1.0, 0.6 * len(picture.series)), _LINE_HEIGHT * count_name_lines(picture.names))
    each = max(_MIN_HEIGHT, min(_MAX_HEIGHT, row * len(picture.names)))
    width = 8.0 if len(picture.panels) < 3 else 10.0
    # a title of more than two lines requires extra height
    head_texts = (picture.head.title, picture.head.numbers, picture.head.privacy)
    lines = sum(-(-len(line) // 80) for line in head_texts)
    return width, min(1.3 + 0.2 * max(lines - 2, 0) + rows * (each + 0.6), 14.0)


def draw_points(picture: PointPicture, axes: Axes, look: Look) -> None:
    """Draw estimates with their intervals."""
    count, max_columns = (
        len(picture.panels),
        int(np.clip(get_size_in_points(axes)[0] / 100.0, 1, MAX_PANELS_PER_ROW)),
    )
    limits = [(1e-4, 1.0) if each.is_log else _compute_x_limits(each) for each in picture.panels]
    if picture.has_shared_scale:
        limits = [(min(low for low, _ in limits), max(high for _, high in limits))] * count
    # space for the numbers at the ends of two adjacent axes
    gap = (
        max(compute_text_width(format_tick(float(f"{end:.2g}")), get_text_size()) for pair in limits for end in pair)
        + 10.0
    )
    titles = [escape_plot_text(each.title) for each in picture.panels]
    panels = split_axes(axes, count, max_columns, (max(gap, 26.0), 30.0 if picture.has_shared_scale else 62.0), titles)
    ordered = [each for row in panels for each in row]
    for panel, content, panel_limits in zip(ordered, picture.panels, limits):
        _draw_panel(panel, content, picture, panel_limits, look)
    for row in panels:
        _name_rows(row[0], picture, compute_name_width(axes), 1.0)
        for inner_axes in row[1:]:
            inner_axes.set_yticks(np.arange(len(picture.names)))
            inner_axes.tick_params(labelleft=False)
    first_axes = panels[0][0]
    width_share = compute_width_share(axes, compute_side_width(first_axes))
    # one label for a column of panels with the same scale
    first_labeled = max(count - len(panels[0]), 0) if picture.has_shared_scale else 0
    for panel, content in list(zip(ordered, picture.panels))[first_labeled:]:
        wide = max(width_share * get_size_in_points(panel)[0], 100.0)
        panel.set_xlabel(wrap_to_width(escape_plot_text(content.label), wide, get_text_size()))
    scales = [get_size_in_points(each)[0] / np.ptp(each.get_xlim()) for each in ordered]
    hidden = not any(
        compute_longest_interval(content.values.thick, scale) > _MARK_SIZE
        for content, scale in zip(picture.panels, scales)
    )
    space = add_legend_above(
        axes, _make_legend_handles(axes, picture, hidden, look), picture.head.lines, compute_side_width(first_axes)
    )
    for row in panels:
        _name_rows(row[0], picture, compute_name_width(axes), space)


def _draw_panel(axes: Axes, panel: Panel, picture: PointPicture, limits: tuple[float, float], look: Look) -> None:
    values = panel.values
    rows, series = values.values.shape
    width, height = get_size_in_points(axes)
    pitch = height / max(rows, 1) / max(series, 1)
    if panel.is_log:
        axes.set_xscale("log")
        limits = min(limits[0], 0.5 * float(values.values.min())), 1.15
    axes.set(xlim=limits, ylim=(max(rows, 1) - 0.4, -0.6))
    if not rows:
        axes.text(
            0.5,
            0.5,
            "no values",
            transform=axes.transAxes,
            ha="center",
            va="center",
            color=get_muted_color(axes),
        )
    for i in range(series):
        heights = np.arange(rows) + (i - 0.5 * (series - 1)) * 0.72 / series
        series_values = values.map_arrays(lambda array: array[:, i])
        _draw_series(axes, series_values, heights, i, min(0.5 * pitch, 9.0), look)
        belongs = True if panel.rows is None else panel.rows
        finite = [series_values.values, *(low for _, (low, _) in series_values.intervals)]
        for row in heights[np.isnan(finite).all(axis=0) & belongs]:
            options: Look = {"color": get_muted_color(axes), "va": "center", "ha": "center", "fontsize": "small"}
            axes.text(0.5, row, "no estimate", transform=axes.get_yaxis_transform(), **options)
        if picture.has_numbers and series == 1 and pitch > 20.0:
            _write_numbers(axes, series_values.values, heights, limits, panel.point_label)
    if panel.null is not None:
        axes.axvline(panel.null, color=get_text_color(axes), linewidth=0.9, linestyle="--", zorder=0.5)
    if panel.rows is not None and not panel.rows.all():
        # a line from each name to its points, which may be in the next panel
        axes.grid(axis="y", color=get_muted_color(axes), alpha=0.35, linewidth=0.6, linestyle=":")
    if panel.is_log:
        ticks = _choose_pvalue_ticks(limits, width)
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xticks([], minor=True)
    else:
        set_axis_numbers(axes.xaxis)
    if series > 1:
        # series within a row are closer than rows
        for row in range(0, rows, 2):
            axes.axhspan(row - 0.5, row + 0.5, color=get_muted_color(axes), alpha=0.12, linewidth=0.0, zorder=0.1)
    axes.grid(axis="x", color=get_muted_color(axes), alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    # space for arrows at the edge
    axes.tick_params(axis="y", length=0.0, pad=7.0)


def _choose_pvalue_ticks(limits: tuple[float, float], width: float) -> list[float]:
    """Return the p-values that are labeled along an axis, the largest first, as many as fit."""
    ticks: list[float] = []
    for tick in _PVALUE_TICKS[::-1]:
        distance = width * math.log(ticks[-1] / tick) / math.log(limits[1] / limits[0]) if ticks else math.inf
        if tick >= limits[0] and distance > compute_text_width(f"{tick:g}", get_text_size()) + 4.0:
            ticks.append(tick)
    return ticks


def _draw_series(axes: Axes, values: PictureValues, at: Floats, index: int, thick: float, look: Look) -> None:
    colour = get_series_color(axes, look, index)
    low, high = axes.get_xlim()
    widths = float(look.get("linewidth", np.clip(0.8 * thick, 1.2, 5.5))), np.clip(0.25 * thick, 0.8, 1.6)
    for kind, interval in values.intervals:
        is_known = ~np.isnan(interval[0]) & ~np.isnan(interval[1])
        # if there is only one kind of interval, it is a plain bar
        width = (widths[0], max(widths[1], 1.0))[kind] if values.has_both_intervals else min(widths[0], 2.2)
        options: Look = {"linewidth": width, "alpha": 0.45 if values.has_both_intervals and kind == 0 else 1.0}
        clipped = np.maximum(interval[0][is_known], low), np.minimum(interval[1][is_known], high)
        axes.hlines(at[is_known], *clipped, color=colour, zorder=(1.5, 2.0)[kind], **options)
        # infinite and distant limits are drawn as arrows at the edge
        for edge, sign, beyond in ((low, "<", interval[0] < low), (high, ">", interval[1] > high)):
            is_beyond = is_known & beyond
            if is_beyond.any():
                axes.plot(
                    np.full(is_beyond.sum(), edge), at[is_beyond], sign, color=colour, markersize=5, clip_on=False
                )
    size = look.get("markersize", float(np.clip(0.8 * thick, 2.2, 6.5)))
    axes.plot(
        np.where((values.values >= low) & (values.values <= high), values.values, np.nan),
        at,
        look.get("marker", MARKERS[index % len(MARKERS)]),
        color=colour,
        markersize=size,
        linestyle="none",
        zorder=3,
        # points at the start of an axis are not clipped
        clip_on=False,
    )


def _write_numbers(axes: Axes, values: Floats, at: Floats, limits: tuple[float, float], point_label: str) -> None:
    options: Look = {
        "textcoords": "offset points",
        "va": "bottom",
        "fontsize": "small",
        "color": get_text_color(axes),
    }
    for value, row in zip(values, at):
        if np.isfinite(value):
            # above the point, or towards the middle near an end
            share = (value - limits[0]) / (limits[1] - limits[0])
            alignment = "left" if share < 0.12 else "right" if share > 0.88 else "center"
            axes.annotate(
                point_label or format_plot_number(float(value)), (value, row), (0, 7), ha=alignment, **options
            )


def _compute_x_limits(panel: Panel) -> tuple[float, float]:
    """Return the limits of an axis that shows all finite numbers, except those of rows with outlying ranges."""
    values, null, start = panel.values, panel.null, panel.axis_start
    every = np.array(values.all_arrays)
    finite = np.where(np.isfinite(every), every, np.nan).reshape(len(every), -1)
    finite = finite[:, ~np.isnan(finite).all(axis=0)]
    if not finite.size:
        return (0.0, 1.0) if null is None else (null - 1.0, null + 1.0)
    lows, highs = np.nanmin(finite, axis=0), np.nanmax(finite, axis=0)
    # the range that most rows require
    wide = highs - lows
    is_usual = wide <= _OUTLIER_FACTOR * np.median(wide)
    width = max(float(highs[is_usual].max() - lows[is_usual].min()), 1e-300)
    if float(highs.max() - lows.min()) > 0.5 * _OUTLIER_FACTOR * width:
        lows, highs = lows[is_usual], highs[is_usual]
    points = [float(lows.min()), float(highs.max()), *([] if null is None else [null])]
    low, high = min(points), max(points)
    margin = 0.06 * (high - low) or 0.1 * abs(low) or 1.0
    if start is not None and low >= start:
        return start, (high + 0.06 * (high - start)) or 1.0
    return low - margin, high + margin


def _name_rows(axes: Axes, picture: PointPicture, wide: float, left: float) -> None:
    """Label as many rows as fit into the remaining height of the axes."""
    names = [escape_plot_text(name) for name in picture.names]
    height = get_size_in_points(axes)[1] * left
    pitch = height / max(len(names), 1)
    size = float(np.clip(0.8 * pitch, 6.0, get_text_size()))
    step = max(1, int(np.ceil(1.2 * size / pitch)))
    # a single name among very many is not informative
    selected = slice(None, None, step) if 2 * step <= max(len(names), 2) else slice(0)
    axes.set_yticks(
        np.arange(len(names))[selected], fit_names(names[selected], wide, size, step * pitch), fontsize=size
    )
    kind = escape_plot_text(picture.kind)
    if not names[selected]:
        kind = f"{kind or 'group'} ({len(names):,})" if names else ""
    elif step > 1:
        kind = f"{kind or 'group'} (every {_format_ordinal(step)} of {len(names):,} is named)"
    if kind and len(names) > 1:
        axes.set_ylabel(wrap_to_width(kind, max(height, 60.0), get_text_size()))


def _format_ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number > 20 else "th"
    return {2: "second", 3: "third", 4: "fourth", 5: "fifth"}.get(number, f"{number:,}{ending}")


def _make_legend_handles(axes: Axes, picture: PointPicture, hidden: bool, look: Look) -> list[Artist]:
    from matplotlib.lines import Line2D

    first_values = picture.panels[0].values
    several = len(picture.series) > 1
    handles: list[Artist] = [
        Line2D(
            [],
            [],
            color=get_series_color(axes, look, i),
            marker=look.get("marker", MARKERS[i % len(MARKERS)]),
            linestyle="none",
            label=escape_plot_text(name),
        )
        for i, name in enumerate(picture.series)
        if several
    ]
    colour = get_text_color(axes) if several else get_series_color(axes, look)
    # thick intervals hidden by the points are omitted, unless the legend would be empty
    if first_values.thick is not None and picture.head.thick and not (first_values.has_both_intervals and hidden):
        width, alpha = (5.0, 0.45) if first_values.has_both_intervals else (2.0, 1.0)
        handles.append(Line2D([], [], color=colour, linewidth=width, alpha=alpha, label=picture.head.thick))
    if first_values.thin is not None and picture.head.thin:
        handles.append(Line2D([], [], color=colour, linewidth=1.5, label=picture.head.thin))
    return handles

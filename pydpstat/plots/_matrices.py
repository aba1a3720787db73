"""Two-way tables as heat maps with numbers, and additive amounts as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat.plots._pictures import AmountPicture, Floats, MatrixPicture
from pydpstat.plots._style import (
    add_legend_above,
    compute_luminance,
    compute_side_width,
    get_line_colors,
    get_muted_color,
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
    get_size_in_points,
    set_axis_numbers,
    trim_names,
    wrap_to_width,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

Look = dict[str, Any]
MAX_PANELS_PER_ROW = 3
# smallest legible size of a number, and largest width of a rotated name, in points
_MIN_NUMBER_SIZE, _MAX_NAME_WIDTH = 5.0, 110.0
# of more amounts, the smallest are combined in one bar
MAX_AMOUNTS = 40


def compute_matrix_size(picture: MatrixPicture) -> tuple[float, float]:
    """Return the width and height of a new figure in inches."""
    count = len(picture.panels)
    aside, rows = min(count, MAX_PANELS_PER_ROW), -(-count // MAX_PANELS_PER_ROW)
    names = max((len(each) for each in picture.rows), default=0)
    pitch = 0.36 if len(picture.columns) * aside > 16 else 0.55
    cells = aside * float(np.clip(pitch * len(picture.columns), 1.8, 9.0 / aside))
    wide = 1.8 + min(0.09 * names, 2.2) + cells
    # height of rotated names
    below = max((0.07 * len(each) for each in picture.columns), default=0.0)
    each = float(np.clip(0.28 * len(picture.rows), 1.2, 8.5))
    high = 2.2 + min(below, 1.2) * (below > pitch) + rows * each + 0.9 * (rows - 1)
    return float(np.clip(wide, 6.0, 12.5)), min(high, 14.0)


def draw_matrix(picture: MatrixPicture, axes: Axes, look: Look) -> None:
    """Draw tables as cells that are colored by value, with numbers if they fit."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    coloured = [values for _, values in picture.panels] if picture.colours is None else [picture.colours]
    flat = np.concatenate([np.ravel(each) for each in coloured])
    finite = flat[np.isfinite(flat)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    centred = picture.colours is not None
    scale = Normalize(-1.0, 1.0) if centred else Normalize(min(low, 0.0) if low > -0.1 * high else low, high)
    painted = ScalarMappable(scale, look.get("cmap", "RdBu_r" if centred else "viridis"))
    turned = _compute_name_rotation(picture, axes)
    high = turned[1]
    below = 24.0 + (high if len(picture.panels) > MAX_PANELS_PER_ROW else 0.0)
    titles = [escape_plot_text(name) for name, _ in picture.panels]
    rows = split_axes(axes, len(picture.panels), MAX_PANELS_PER_ROW, (14.0, below + 24.0), titles)
    ordered = [each for row in rows for each in row]
    firsts = [row[0] for row in rows]
    for panel_axes, (_, values) in zip(ordered, picture.panels):
        colours = values if picture.colours is None else picture.colours
        _draw_cells(panel_axes, np.ma.masked_where(np.isnan(values), np.nan_to_num(colours)), painted)
        _name_rows_and_columns(panel_axes, picture, panel_axes in firsts, turned, (1.0, 1.0))
    # the layout reduces the axes by the names and the color bar
    side_width = compute_side_width(firsts[0], True)
    space = add_legend_above(axes, [], picture.head.lines, side_width, high)
    wide = max(compute_width_share(axes, side_width), 0.1)
    size = get_text_size("small")
    trimmed = trim_names(titles, wide * get_size_in_points(firsts[0])[0], size)
    if len(rows) > 1:
        turned = turned[0], space * high
    for panel_axes, title, (_, values) in zip(ordered, trimmed, picture.panels):
        if len(ordered) > 1:
            panel_axes.set_title(title, fontsize=size, pad=0.4 * size)
        _name_rows_and_columns(panel_axes, picture, panel_axes in firsts, turned, (wide, space))
        _write_cell_values(panel_axes, values, painted, (wide, space))
    aspect = max(20.0, get_size_in_points(axes)[1] / 12.0)
    # nested grids have no layout
    options: Look = {"ax": axes, "pad": 0.02, "fraction": 0.05, "aspect": aspect, "use_gridspec": False}
    bar = axes.figure.colorbar(painted, **options)
    bar.set_label(
        wrap_to_width(escape_plot_text(picture.unit), max(get_size_in_points(axes)[1], 80.0), get_text_size())
    )
    bar.outline.set_visible(False)
    set_axis_numbers(bar.ax.yaxis)


def _draw_cells(axes: Axes, colours: Floats, color_map: ScalarMappable) -> None:
    rows, columns = colours.shape
    options: Look = {"cmap": color_map.cmap, "norm": color_map.norm}
    axes.imshow(colours, aspect="auto", interpolation="none", **options)
    axes.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=axes.get_facecolor(), linewidth=0.6)
    # the background of missing cells
    axes.set_facecolor((0.5, 0.5, 0.5, 0.25))
    axes.tick_params(which="both", length=0.0)
    axes.spines[:].set_visible(False)


def _write_cell_values(axes: Axes, values: Floats, color_map: ScalarMappable, left: tuple[float, float]) -> None:
    """Write the values into the cells if they fit; `left` has the remaining shares of the axes' width and height."""
    rows, columns = values.shape
    texts = np.array([_format_cell_number(cell) for cell in values.ravel().tolist()], dtype=object).reshape(
        values.shape
    )
    width, height = get_size_in_points(axes)
    usual = get_text_size("small")
    widest = max((compute_text_width(cell, usual) for cell in texts.ravel()), default=1.0)
    size = min(usual, 0.85 * usual * width * left[0] / columns / widest, 0.62 * height * left[1] / rows)
    if size < _MIN_NUMBER_SIZE:
        return
    coloured: Any = axes.images[0].get_array()
    shades = color_map.to_rgba(coloured)
    for row, column in np.ndindex(rows, columns):
        light = compute_luminance(shades[row, column].tolist()) > 0.5
        shade = get_text_color(axes) if np.isnan(values[row, column]) else "black" if light else "white"
        axes.text(column, row, str(texts[row, column]), ha="center", va="center", fontsize=size, color=shade)


def _format_cell_number(value: float) -> str:
    """Format a number for a cell: 12,300 in full, larger ones as 1.2e6, and 0.05."""
    if not np.isfinite(value):
        return format_plot_number(value)
    if abs(value) >= 1e5:
        mantissa, power = f"{value:.1e}".split("e")
        return f"{mantissa}e{int(power)}"
    if abs(value) >= 1.0 or value == 0.0:
        return format_plot_number(value, 3)
    if abs(value) < 0.005:
        return f"{value:.0e}".replace("e-0", "e-")
    return f"{value:.2f}"


def _compute_name_rotation(picture: MatrixPicture, axes: Axes) -> tuple[bool, float]:
    """Return whether the columns' names are rotated, and their height in points."""
    aside = min(len(picture.panels), MAX_PANELS_PER_ROW)
    cell_width = 0.8 * get_size_in_points(axes)[0] / aside / max(len(picture.columns), 1)
    widest = max(
        (compute_text_width(escape_plot_text(column), get_text_size()) for column in picture.columns), default=0.0
    )
    longest = min(_MAX_NAME_WIDTH, 0.28 * get_size_in_points(axes)[1])
    return (True, min(widest, longest)) if widest > 0.9 * cell_width else (False, get_text_size())


def _name_rows_and_columns(
    axes: Axes, picture: MatrixPicture, first: bool, rotation: tuple[bool, float], left: tuple[float, float]
) -> None:
    width, height = (share * size for share, size in zip(left, get_size_in_points(axes)))
    # names below several rows of panels reduce the panels' height
    height *= 0.65 if len(picture.panels) > MAX_PANELS_PER_ROW else 1.0
    usual = get_text_size()
    turned, high = rotation
    for axis, names, pitch in (
        (axes.xaxis, picture.columns, width / max(len(picture.columns), 1)),
        (axes.yaxis, picture.rows, height / max(len(picture.rows), 1)),
    ):
        across = axis is axes.xaxis
        size = float(np.clip(0.75 * pitch, 6.0, usual)) if turned or not across else usual
        step = max(1, int(np.ceil(1.35 * size / pitch))) if turned or not across else 1
        max_width = high if across and turned else 150.0
        labels = trim_names([escape_plot_text(name) for name in names[::step]], max_width, size)
        axis.set_ticks(np.arange(len(names))[::step], labels, fontsize=size)
    if turned:
        axes.tick_params(axis="x", rotation=90)
    if not first:
        axes.tick_params(labelleft=False)
    elif picture.axes[0]:
        axes.set_ylabel(wrap_to_width(escape_plot_text(picture.axes[0]), max(height, 60.0), usual))
    axes.set_xlabel(wrap_to_width(escape_plot_text(picture.axes[1]), max(width, 80.0), usual))


def compute_amounts_size(picture: AmountPicture) -> tuple[float, float]:
    """Return the width and height of a new figure in inches."""
    row = max(0.3, 0.22 * count_name_lines(picture.names))
    return 8.0, 1.5 + row * (min(len(picture.names), MAX_AMOUNTS) + (picture.remaining is not None))


def draw_amounts(picture: AmountPicture, axes: Axes, look: Look) -> None:
    """Draw amounts as bars that start at 0, each with its number."""
    names, values = _group_small_amounts(picture)
    colours = look.get("color") or get_line_colors(axes)
    colour = colours if isinstance(colours, str) else colours[0]
    if picture.remaining is not None:
        names, values = [*names, picture.remaining[0]], np.append(values, picture.remaining[1])
    positions = np.arange(len(names))
    bars = axes.barh(positions, values, 0.7, color=colour, edgecolor=colour)
    if picture.remaining is not None:
        bars[-1].set(facecolor="none", hatch="///")
    height = get_size_in_points(axes)[1] / max(len(names), 1)
    size = float(np.clip(0.65 * height, 6.0, get_text_size()))
    for position, value in zip(positions, values):
        axes.annotate(
            format_plot_number(float(value)),
            (max(value, 0.0), position),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=size,
            color=get_text_color(axes),
        )
    wide = compute_name_width(axes)
    axes.set_yticks(positions, fit_names([escape_plot_text(name) for name in names], wide, size, height), fontsize=size)
    maximum = float(np.max(values, initial=0.0)) or 1.0
    # space for the numbers at the ends of the bars
    axes.set(xlim=(0.0, 1.15 * maximum), ylim=(max(len(names), 1) - 0.4, -0.6))
    if not len(names):
        axes.text(
            0.5,
            0.5,
            "nothing",
            transform=axes.transAxes,
            ha="center",
            va="center",
            color=get_muted_color(axes),
        )
    set_axis_numbers(axes.xaxis)
    axes.set_xlabel(
        wrap_to_width(escape_plot_text(picture.axis), max(get_size_in_points(axes)[0], 100.0), get_text_size())
    )
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0.0)
    add_legend_above(axes, [], picture.head.lines, compute_side_width(axes))


def _group_small_amounts(picture: AmountPicture) -> tuple[list[str], Floats]:
    """Return the largest amounts in their order, and the sum of the others."""
    names, values = list(picture.names), np.asarray(picture.values, dtype=np.float64)
    if len(names) <= MAX_AMOUNTS:
        return names, values
    selected = np.sort(np.argsort(-values, kind="stable")[: MAX_AMOUNTS - 1])
    n_others = len(names) - selected.size
    return [*(names[index] for index in selected), f"{n_others} others"], np.append(
        values[selected], values.sum() - values[selected].sum()
    )

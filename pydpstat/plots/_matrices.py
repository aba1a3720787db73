"""Tables of two dimensions as heat maps with numbers, and amounts that add up as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat.plots._pictures import Amounts, Floats, Matrix
from pydpstat.plots._style import beside, ink, legend_above, luminance, palette, soft, split, text_size
from pydpstat.plots._text import (
    escaped,
    fitted,
    lines_of,
    number_axis,
    number_shown,
    points_of,
    room_for_names,
    shortened,
    width_left,
    width_of,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

Look = dict[str, Any]
MOST_ASIDE = 3
# a number that is smaller cannot be read; a name on its side is at most so long
_SMALLEST, _LONGEST = 5.0, 110.0
# of more amounts the smallest are one bar
MOST_AMOUNTS = 40


def matrix_size(picture: Matrix) -> tuple[float, float]:
    """Return the width and height in inches that a new figure needs."""
    count = len(picture.panels)
    aside, rows = min(count, MOST_ASIDE), -(-count // MOST_ASIDE)
    names = max((len(each) for each in picture.rows), default=0)
    pitch = 0.36 if len(picture.columns) * aside > 16 else 0.55
    cells = aside * float(np.clip(pitch * len(picture.columns), 1.8, 9.0 / aside))
    wide = 1.8 + min(0.09 * names, 2.2) + cells
    # names that stand on their sides
    below = max((0.07 * len(each) for each in picture.columns), default=0.0)
    each = float(np.clip(0.28 * len(picture.rows), 1.2, 8.5))
    high = 2.2 + min(below, 1.2) * (below > pitch) + rows * each + 0.9 * (rows - 1)
    return float(np.clip(wide, 6.0, 12.5)), min(high, 14.0)


def draw_matrix(picture: Matrix, axes: Axes, look: Look) -> None:
    """Draw tables as cells that are colored by their values, with numbers where there is room."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    coloured = [values for _, values in picture.panels] if picture.colours is None else [picture.colours]
    flat = np.concatenate([np.ravel(each) for each in coloured])
    finite = flat[np.isfinite(flat)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    centred = picture.colours is not None
    scale = Normalize(-1.0, 1.0) if centred else Normalize(min(low, 0.0) if low > -0.1 * high else low, high)
    painted = ScalarMappable(scale, look.get("cmap", "RdBu_r" if centred else "viridis"))
    turned = _turned(picture, axes)
    high = turned[1]
    below = 24.0 + (high if len(picture.panels) > MOST_ASIDE else 0.0)
    titles = [escaped(name) for name, _ in picture.panels]
    rows = split(axes, len(picture.panels), MOST_ASIDE, (14.0, below + 24.0), titles)
    ordered = [each for row in rows for each in row]
    firsts = [row[0] for row in rows]
    for part, (_, values) in zip(ordered, picture.panels):
        colours = values if picture.colours is None else picture.colours
        _paint(part, np.ma.masked_where(np.isnan(values), np.nan_to_num(colours)), painted)
        _name_cells(part, picture, part in firsts, turned, (1.0, 1.0))
    # the layout takes room for names and the bar from the axes
    taken = beside(firsts[0], True)
    left = legend_above(axes, [], picture.head.lines, taken, high)
    wide = max(width_left(axes, taken), 0.1)
    size = text_size("small")
    told = shortened(titles, wide * points_of(firsts[0])[0], size)
    if len(rows) > 1:
        turned = turned[0], left * high
    for part, title, (_, values) in zip(ordered, told, picture.panels):
        if len(ordered) > 1:
            part.set_title(title, fontsize=size, pad=0.4 * size)
        _name_cells(part, picture, part in firsts, turned, (wide, left))
        _number_cells(part, values, painted, (wide, left))
    aspect = max(20.0, points_of(axes)[1] / 12.0)
    # a grid inside of the figure's grid has no layout
    how: Look = {"ax": axes, "pad": 0.02, "fraction": 0.05, "aspect": aspect, "use_gridspec": False}
    bar = axes.figure.colorbar(painted, **how)
    bar.set_label(wrapped(escaped(picture.unit), max(points_of(axes)[1], 80.0), text_size()))
    bar.outline.set_visible(False)
    number_axis(bar.ax.yaxis)


def _paint(axes: Axes, colours: Floats, painted: ScalarMappable) -> None:
    rows, columns = colours.shape
    how: Look = {"cmap": painted.cmap, "norm": painted.norm}
    axes.imshow(colours, aspect="auto", interpolation="none", **how)
    axes.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=axes.get_facecolor(), linewidth=0.6)
    # behind what is missing
    axes.set_facecolor((0.5, 0.5, 0.5, 0.25))
    axes.tick_params(which="both", length=0.0)
    axes.spines[:].set_visible(False)


def _number_cells(axes: Axes, values: Floats, painted: ScalarMappable, left: tuple[float, float]) -> None:
    """Write the values into cells that can hold them; so much of the axes' width and height is left."""
    rows, columns = values.shape
    texts = np.array([_compact(each) for each in values.ravel().tolist()], dtype=object).reshape(values.shape)
    width, height = points_of(axes)
    usual = text_size("small")
    widest = max((width_of(each, usual) for each in texts.ravel()), default=1.0)
    size = min(usual, 0.85 * usual * width * left[0] / columns / widest, 0.62 * height * left[1] / rows)
    if size < _SMALLEST:
        return
    coloured: Any = axes.images[0].get_array()
    shades = painted.to_rgba(coloured)
    for row, column in np.ndindex(rows, columns):
        light = luminance(shades[row, column].tolist()) > 0.5
        shade = ink(axes) if np.isnan(values[row, column]) else "black" if light else "white"
        axes.text(column, row, str(texts[row, column]), ha="center", va="center", fontsize=size, color=shade)


def _compact(value: float) -> str:
    """Return a number as a cell has room for it: 12,300 in full, larger ones as 1.2e6, and 0.05."""
    if not np.isfinite(value):
        return number_shown(value)
    if abs(value) >= 1e5:
        mantissa, power = f"{value:.1e}".split("e")
        return f"{mantissa}e{int(power)}"
    if abs(value) >= 1.0 or value == 0.0:
        return number_shown(value, 3)
    if abs(value) < 0.005:
        return f"{value:.0e}".replace("e-0", "e-")
    return f"{value:.2f}"


def _turned(picture: Matrix, axes: Axes) -> tuple[bool, float]:
    """Return whether the columns' names have to stand on their sides, and how high they are then."""
    aside = min(len(picture.panels), MOST_ASIDE)
    room = 0.8 * points_of(axes)[0] / aside / max(len(picture.columns), 1)
    widest = max((width_of(escaped(each), text_size()) for each in picture.columns), default=0.0)
    longest = min(_LONGEST, 0.28 * points_of(axes)[1])
    return (True, min(widest, longest)) if widest > 0.9 * room else (False, text_size())


def _name_cells(
    axes: Axes, picture: Matrix, first: bool, how: tuple[bool, float], left: tuple[float, float]
) -> None:
    width, height = (share * size for share, size in zip(left, points_of(axes)))
    # names below several rows of panels take from their height
    height *= 0.65 if len(picture.panels) > MOST_ASIDE else 1.0
    usual = text_size()
    turned, high = how
    for axis, names, pitch in (
        (axes.xaxis, picture.columns, width / max(len(picture.columns), 1)),
        (axes.yaxis, picture.rows, height / max(len(picture.rows), 1)),
    ):
        across = axis is axes.xaxis
        size = float(np.clip(0.75 * pitch, 6.0, usual)) if turned or not across else usual
        step = max(1, int(np.ceil(1.35 * size / pitch))) if turned or not across else 1
        long = high if across and turned else 150.0
        shown = shortened([escaped(each) for each in names[::step]], long, size)
        axis.set_ticks(np.arange(len(names))[::step], shown, fontsize=size)
    if turned:
        axes.tick_params(axis="x", rotation=90)
    if not first:
        axes.tick_params(labelleft=False)
    elif picture.axes[0]:
        axes.set_ylabel(wrapped(escaped(picture.axes[0]), max(height, 60.0), usual))
    axes.set_xlabel(wrapped(escaped(picture.axes[1]), max(width, 80.0), usual))


def amounts_size(picture: Amounts) -> tuple[float, float]:
    """Return the width and height in inches that a new figure needs."""
    row = max(0.3, 0.22 * lines_of(picture.names))
    return 8.0, 1.5 + row * (min(len(picture.names), MOST_AMOUNTS) + (picture.left is not None))


def draw_amounts(picture: Amounts, axes: Axes, look: Look) -> None:
    """Draw amounts as bars from 0, each with its number."""
    names, values = _largest(picture)
    colours = look.get("color") or palette(axes)
    colour = colours if isinstance(colours, str) else colours[0]
    if picture.left is not None:
        names, values = [*names, picture.left[0]], np.append(values, picture.left[1])
    places = np.arange(len(names))
    bars = axes.barh(places, values, 0.7, color=colour, edgecolor=colour)
    if picture.left is not None:
        bars[-1].set(facecolor="none", hatch="///")
    height = points_of(axes)[1] / max(len(names), 1)
    size = float(np.clip(0.65 * height, 6.0, text_size()))
    for place, value in zip(places, values):
        axes.annotate(
            number_shown(float(value)),
            (max(value, 0.0), place),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=size,
            color=ink(axes),
        )
    wide = room_for_names(axes)
    axes.set_yticks(places, fitted([escaped(name) for name in names], wide, size, height), fontsize=size)
    most = float(np.max(values, initial=0.0)) or 1.0
    # room for the numbers behind the bars
    axes.set(xlim=(0.0, 1.15 * most), ylim=(max(len(names), 1) - 0.4, -0.6))
    if not len(names):
        axes.text(0.5, 0.5, "nothing", transform=axes.transAxes, ha="center", va="center", color=soft(axes))
    number_axis(axes.xaxis)
    axes.set_xlabel(wrapped(escaped(picture.axis), max(points_of(axes)[0], 100.0), text_size()))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0.0)
    legend_above(axes, [], picture.head.lines, beside(axes))


def _largest(picture: Amounts) -> tuple[list[str], Floats]:
    """Return the largest amounts in their order, and the sum of the others."""
    names, values = list(picture.names), np.asarray(picture.values, dtype=np.float64)
    if len(names) <= MOST_AMOUNTS:
        return names, values
    kept = np.sort(np.argsort(-values, kind="stable")[: MOST_AMOUNTS - 1])
    rest = len(names) - kept.size
    return [*(names[place] for place in kept), f"{rest} others"], np.append(
        values[kept], values.sum() - values[kept].sum()
    )

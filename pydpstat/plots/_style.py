"""Common style of the plots: axes, colors, titles, legends and panels; and checks of frames."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat._checks import suggest_spelling, to_array
from pydpstat._data.containers import is_numeric, is_pandas_frame, to_floats
from pydpstat._lazy import pd
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.plots._pictures import Floats
from pydpstat.plots._text import compute_text_width, compute_width_share, get_size_in_points, trim_names, wrap_to_width

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

# Okabe and Ito's palette, which color-blind readers can distinguish
COLOURS = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#F0E442", "#999999")
# thin lines need contrast: dark colors first on a light background, light ones first on a dark one
LINE_COLORS = tuple(COLOURS[place] for place in (4, 5, 2, 3, 1, 0, 7))
LINE_COLORS_ON_DARK = tuple(COLOURS[place] for place in (0, 1, 2, 3, 6, 5, 7))
# markers distinguish series in gray print
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


def get_axes(function: str, ax: Axes | None, height: float = 4.5, width: float = 8.0) -> Axes:
    """Return the given axes, or those of a new figure; errors are as for `get_panel_axes`."""
    return get_panel_axes(function, None if ax is None else (ax,), 1, "ax", (width, height))[0]


def get_panel_axes(
    function: str, axes: object, count: int, name: str = "axes", size: tuple[float, float] = (10.0, 4.5)
) -> tuple[Axes, ...]:
    """Return the given axes, or those of a new figure with panels side by side.

    Without matplotlib, a ``MissingExtraError`` with the installation command is raised; for other objects or another
    number of axes, a ``PydpstatError``.
    """
    try:
        from matplotlib.axes import Axes

        if axes is None:
            # pyplot, which initializes a window system, is needed for new figures only
            from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError(f"{function}()", "matplotlib", "plot") from error
    if axes is None:
        # larger text needs a larger figure
        scale = max(float(pyplot.rcParams["font.size"]) / 10.0, 1.0)
        wanted_size = scale * size[0], scale * size[1]
        new = pyplot.subplots(1, count, figsize=wanted_size, layout="constrained", squeeze=False)[1]
        return tuple(new[0])
    several: Any = getattr(axes, "flat", axes)
    given_axes = tuple(several) if hasattr(axes, "__iter__") else (axes,)
    if len(given_axes) != count or not all(isinstance(item, Axes) for item in given_axes):
        expected = "a matplotlib Axes" if count == 1 else f"{count} matplotlib Axes"
        raise PydpstatError(
            f"{name} must be {expected} or None; got {_describe_types(given_axes)}. "
            f"Leave it out, or give {'plt.gca()' if count == 1 else f'plt.subplots(1, {count})[1]'}."
        )
    return given_axes


def check_curves(wanted: str, unit: str, count: int, hint: str) -> None:
    """Check that there are at most as many curves as colors; `wanted` starts the error message."""
    if count > len(LINE_COLORS):
        raise PydpstatError(
            f"{wanted} at most {len(LINE_COLORS)} {unit}, which a reader can distinguish; got {count}. {hint}"
        )


def _describe_types(given: tuple[object, ...]) -> str:
    kinds = ", ".join(type(item).__name__ for item in given[:4])
    return f"{len(given)} ({kinds})" if len(given) != 1 else kinds


def is_dark(axes: Axes) -> bool:
    """Return whether axes have a dark background, as with matplotlib's style dark_background."""
    from matplotlib.colors import to_rgba

    ground = to_rgba(axes.get_facecolor())
    if ground[3] < 0.5:
        ground = to_rgba(axes.figure.get_facecolor())
    return compute_luminance(ground) < 0.4


def compute_luminance(colour: Sequence[float]) -> float:
    """Return the perceived lightness of a color, from 0 to 1."""
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]


def get_text_color(axes: Axes) -> ColorType:
    """Return the color of lines and texts on axes: that of their labels."""
    return axes.xaxis.label.get_color()


def get_muted_color(axes: Axes) -> str:
    """Return a gray for secondary elements that contrasts with the axes' background."""
    return "#AAAAAA" if is_dark(axes) else "#767676"


def get_background_color(axes: Axes) -> str:
    """Return black or white, as the axes' background."""
    return "black" if is_dark(axes) else "white"


def get_line_colors(axes: Axes) -> tuple[str, ...]:
    """Return distinct colors that contrast with the axes' background."""
    return LINE_COLORS_ON_DARK if is_dark(axes) else LINE_COLORS


def get_series_color(axes: Axes, look: Mapping[str, Any], index: int = 0) -> ColorType:
    """Return the color of one of several series: that of the style if it has colors."""
    colours = look.get("color") or get_line_colors(axes)
    return colours if isinstance(colours, str) else colours[index % len(colours)]


def get_text_size(part: str = "medium") -> float:
    """Return a text size in points, given in matplotlib's terms relative to the default size."""
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=part).get_size_in_points())


def apply_axes_style(axes: Axes) -> None:
    """Remove the upper and right spines, and add a legend above the axes if an artist has a label."""
    axes.spines[["top", "right"]].set_visible(False)
    add_legend_above(axes, axes.get_legend_handles_labels()[0])
    make_room(axes)


def make_room(axes: Axes) -> None:
    """Lay out a figure once so that no text is cut off, unless it has a layout or user-set margins."""
    from matplotlib.figure import SubplotParams
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    # a subfigure has the layout of its figure
    figure: Any = axes.figure.figure
    names = ("left", "right", "bottom", "top", "wspace", "hspace")
    usual = all(getattr(figure.subplotpars, name) == getattr(SubplotParams(), name) for name in names)
    # before matplotlib 3.7, axes outside a grid have no such method
    placed = getattr(axes, "get_subplotspec", lambda: None)() is not None
    if figure.get_layout_engine() is None and usual and placed:
        with warnings.catch_warnings():
            # if there is no room, the layout stays unchanged
            warnings.simplefilter("ignore", UserWarning)
            # the numbers of an axis depend on its length
            for _ in range(2):
                # text can be wider in files of low resolution
                ConstrainedLayoutEngine(w_pad=0.12).execute(figure)


def compute_side_width(axes: Axes, bar: bool = False) -> float:
    """Return the width in points of the names next to axes, and of a color bar if there is one."""
    names = [
        compute_text_width(line, float(label.get_fontsize()))
        for label in axes.get_yticklabels()
        for line in label.get_text().split("\n")
    ]
    label_height = 1.8 * get_text_size() if axes.get_ylabel() else 0.0
    return max(names, default=0.0) + 14.0 + label_height + (0.07 * get_size_in_points(axes)[0] + 50.0 if bar else 0.0)


def add_legend_above(
    axes: Axes, handles: Sequence[Artist], title: str = "", taken: float = 0.0, below: float = 0.0
) -> float:
    """Add a legend between the title and the axes, in as few rows as fit, and return the axes' share of the height.

    `taken` is the width of names and bars next to the axes, `below` the height of names below, for which a layout will
    reduce the axes; both in points.
    """
    width, height = get_size_in_points(axes)
    size, width = get_text_size("small"), max(compute_width_share(axes, taken) * width, 120.0)
    rows = 0
    if handles:
        # a handle and its spacing are 4.8 times as wide as the text size
        labels = trim_names([str(each.get_label()) for each in handles], width - 4.8 * size, size)
        for handle, label in zip(handles, labels):
            handle.set_label(label)
        wide = [compute_text_width(label, size) + 4.8 * size for label in labels]
        columns = next(
            each for each in range(len(labels), 0, -1) if each == 1 or _compute_legend_width(wide, each) <= width
        )
        rows = -(-len(labels) // columns)
        # the columns differ by at most one entry in length
        columns = -(-len(labels) // rows)
        axes.legend(
            handles=list(handles),
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=columns,
            frameon=False,
            fontsize=size,
            borderaxespad=0.2,
        )
    if title:
        usual = get_text_size("medium")
        pad = (1.7 * rows + 0.9) * size if rows else None
        axes.set_title(wrap_to_width(title, width, usual), fontsize=usual, pad=pad)
    lines = axes.get_title().count("\n") + 1 if title else 0
    head = 1.4 * get_text_size("medium") * lines + (1.7 * rows + 0.9) * size
    # space for the numbers and the label below
    return float(np.clip((height / 0.77 - head - below - 3.5 * size) / height, 0.2, 1.0))


def compute_longest_interval(limits: tuple[Floats, Floats] | None, scale: float) -> float:
    """Return the length of the longest interval in points (`scale` points per unit); 0 without intervals."""
    if limits is None:
        return 0.0
    lengths = np.ravel(limits[1] - limits[0])
    return float(lengths[~np.isnan(lengths)].max(initial=0.0)) * scale


def _compute_legend_width(wide: list[float], columns: int) -> float:
    """Return the width of a legend that is filled column by column."""
    rows, longer = divmod(len(wide), columns)
    total, start = 0.0, 0
    for column in range(columns):
        count = rows + (column < longer)
        total += max(wide[start : start + count])
        start += count
    return total


def split_axes(
    axes: Axes, count: int, max_per_row: int, spacing: tuple[float, float], titles: Sequence[str] = ()
) -> list[list[Axes]]:
    """Return rows of `count` panels inside axes, or the axes themselves for one panel.

    `spacing` is the horizontal and vertical space between panels in points, without their titles.
    """
    if count == 1:
        return [[axes]]
    columns = min(count, max_per_row)
    rows = -(-count // columns)
    width, height = get_size_in_points(axes)
    size = get_text_size("small")
    head = 1.6 * size / height if any(titles) else 0.0
    aside, below = min(spacing[0] / width, 0.3), min(spacing[1] / height, 0.3) + head
    wide = (1.0 - aside * (columns - 1)) / columns
    high = (1.0 - head - below * (rows - 1)) / rows
    axes.set_axis_off()
    trimmed = trim_names(titles, wide * width, size)
    panels = []
    for index in range(count):
        left, low = index % columns * (wide + aside), 1.0 - head - high - index // columns * (high + below)
        panels.append(axes.inset_axes((left, low, wide, high)))
        if any(titles):
            panels[-1].set_title(trimmed[index], fontsize=size, pad=0.4 * size)
    return [panels[row * columns : (row + 1) * columns] for row in range(rows)]


def check_plot_frame(frame: object, name: str, columns: Sequence[str]) -> pd.DataFrame:
    """Check that a frame has rows and each of these columns once, and return the columns."""
    if not is_pandas_frame(frame):
        raise PydpstatError(
            f"{name} must be a DataFrame with the columns {', '.join(columns)}; got {type(frame).__name__}."
        )
    have = list(frame.columns)
    for column in columns:
        if have.count(column) != 1:
            suggestion = suggest_spelling(column, [label for label in have if isinstance(label, str)])
            hint = suggestion if suggestion.startswith("Did") else "Rename the frame's columns."
            raise PydpstatError(
                f"{name} must have one column {column!r} (of {', '.join(columns)}); "
                f"got {have.count(column)} of {len(have)}. {hint}"
            )
    if not len(frame):
        raise PydpstatError(f"{name} must have rows; got none.")
    return frame[list(columns)]


def to_finite_floats(values: object) -> Floats | None:
    """Return finite numbers as an array of floats; None for anything else."""
    array = to_array(values)
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        return None
    return array.astype(np.float64)


def get_finite_column(frame: pd.DataFrame, name: str, column: str, lower_limit: float | None = None) -> Floats:
    """Return a column of finite numbers as floats, all above `lower_limit` if it is given."""
    values = frame[column]
    numeric = is_numeric(values) and not pd.api.types.is_bool_dtype(values)
    array = to_floats(values) if numeric else np.array([np.nan])
    if not np.isfinite(array).all() or lower_limit is not None and not (array > lower_limit).all():
        expected = "finite numbers" + ("" if lower_limit is None else f" above {lower_limit:g}")
        raise PydpstatError(
            f"{name}[{column!r}] must be {expected}; got other values among {len(frame)} of type "
            f"{values.dtype}. Convert the column, or drop these rows."
        )
    return array

"""Drawing of a result's picture by its type, with checks of axes, title and style."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pydpstat._checks import describe_option, is_number
from pydpstat._data.containers import to_list
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.plots import _curves, _matrices, _points
from pydpstat.plots import _pictures as pictures
from pydpstat.plots._style import get_axes, make_room
from pydpstat.plots._text import escape_plot_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# largest width or height of a figure, in inches
_MAX_FIGURE_SIDE = 200.0
_LINE_STYLE = ("color", "linewidth", "marker", "markersize")


class PictureKind(NamedTuple):
    """Drawing function of a type of picture, the size of a new figure in inches, and the allowed style options."""

    draw: Callable[[Any, Axes, dict[str, Any]], None]
    size: Callable[[Any], tuple[float, float]]
    style: tuple[str, ...]


def _get_default_size(_: object) -> tuple[float, float]:
    return 8.0, 4.5


PICTURE_KINDS: dict[type, PictureKind] = {
    pictures.PointPicture: PictureKind(_points.draw_points, _points.compute_points_size, _LINE_STYLE),
    pictures.HistogramPicture: PictureKind(_curves.draw_columns, _curves.compute_panels_size, ("color", "linewidth")),
    pictures.DistributionPicture: PictureKind(_curves.draw_distribution, _curves.compute_panels_size, _LINE_STYLE),
    pictures.CurvePicture: PictureKind(_curves.draw_lines, _get_default_size, ("color", "linewidth")),
    pictures.MatrixPicture: PictureKind(_matrices.draw_matrix, _matrices.compute_matrix_size, ("cmap",)),
    pictures.AmountPicture: PictureKind(_matrices.draw_amounts, _matrices.compute_amounts_size, ("color",)),
    pictures.NullPicture: PictureKind(_curves.draw_null, _get_default_size, ("color",)),
    pictures.SamplePicture: PictureKind(_curves.draw_samples, _get_default_size, ("color",)),
    pictures.GroupSizePicture: PictureKind(_curves.draw_sizes, _get_default_size, ("color",)),
}


def draw_picture(picture: Any, ax: Axes | None, title: object, style: Mapping[str, object]) -> Axes:
    """Draw a picture on the given axes, or on those of a new figure, and return the axes."""
    kind = PICTURE_KINDS[type(picture)]
    given_axes = None if ax is None else get_axes("plot", ax)
    if title is not None and not isinstance(title, str):
        raise PydpstatError(f"title must be a string or None; got {describe_option(title)}. '' draws no title.")
    head = picture.head
    # a dollar sign in a name is escaped; in a title given by the user it may start a formula
    usual = "\n".join(escape_plot_text(line) for line in (head.title, head.numbers) if line)
    head_texts = (title, "") if title is not None else (usual, escape_plot_text(head.privacy))
    titled = picture._replace(head=head._replace(title=head_texts[0], privacy=head_texts[1]))
    size = _check_figure_size(style.get("figsize"), given_axes is None)
    look = _check_style({name: value for name, value in style.items() if name != "figsize"}, kind.style)
    # a new figure is created only after all checks
    width, height = kind.size(picture)
    axes = get_axes("plot", None, height, width) if given_axes is None else given_axes
    if size is not None:
        figure: Any = axes.figure
        figure.set_size_inches(size)
    kind.draw(titled, axes, look)
    make_room(axes)
    return axes


def _check_figure_size(figsize: object, is_new: bool) -> tuple[float, float] | None:
    """Check the size of a new figure in inches; None if none is given."""
    if figsize is None:
        return None
    pair = to_list(figsize)
    sizes = [float(length) for length in pair if is_number(length)] if isinstance(pair, (list, tuple)) else []
    if len(sizes) != 2 or len(pair) != 2 or not all(0.0 < length <= _MAX_FIGURE_SIDE for length in sizes):
        raise PydpstatError(
            f"figsize must be the width and height of a new figure in inches, each above 0 and at most "
            f"{_MAX_FIGURE_SIDE:g}; got {describe_option(figsize)}. Give for example (8, 5)."
        )
    if not is_new:
        raise PydpstatError(
            "figsize must be left out where ax is given: the figure of ax has a size. Give one of them."
        )
    return sizes[0], sizes[1]


def _check_style(style: Mapping[str, object], allowed: tuple[str, ...]) -> dict[str, Any]:
    """Check style options and return them under matplotlib's long names."""
    if not style:
        return {}
    try:
        from matplotlib import colormaps
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.colors import Colormap, is_color_like
        from matplotlib.lines import Line2D
        from matplotlib.markers import MarkerStyle
    except ImportError as error:
        raise MissingExtraError("plot()", "matplotlib", "plot") from error
    try:
        options: dict[str, Any] = normalize_kwargs(dict(style), Line2D)
    except TypeError as error:
        raise PydpstatError(f"a style was given twice: {error}. Give each once.") from None
    for name, value in options.items():
        if name not in allowed:
            raise PydpstatError(
                f"plot() got an unexpected keyword {name!r}; this plot takes {', '.join(allowed)} and figsize. "
                "Change anything else on the Axes that plot() returns."
            )
        colours = [value] if is_color_like(value) else value
        if name == "color":
            good = isinstance(colours, (list, tuple)) and bool(colours) and all(map(is_color_like, colours))
            expected, example = "a matplotlib color, or a list of them", "'#0072B2'"
            options[name] = colours
        elif name == "cmap":
            good = isinstance(value, Colormap) or isinstance(value, str) and value in colormaps
            expected, example = "a matplotlib colormap", "'viridis'"
        elif name == "marker":
            good = _is_marker(value, MarkerStyle)
            expected, example = "a matplotlib marker", "'o'"
        else:
            good = is_number(value) and float(value) > 0.0
            expected, example = "a number of points above 0", "2"
        if not good:
            raise PydpstatError(f"{name} must be {expected}; got {describe_option(value)}. Give for example {example}.")
    return options


def _is_marker(value: object, marker_style: Callable[..., object]) -> bool:
    try:
        marker_style(value)
    except (ValueError, TypeError):
        return False
    return value is not None

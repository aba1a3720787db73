"""The look that the pictures share: axes, palette, frame and legend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydpstat.errors import MissingExtraError, PydpstatError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette, which colour-blind readers can tell apart
COLOURS = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#F0E442", "#999999")
INK = "#333333"
SOFT = "#888888"
# the palette's dark colours first: thin lines need contrast with white
LINES = tuple(COLOURS[place] for place in (4, 5, 2, 3, 1, 0, 7))
# a second sign besides colour
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


def axes_for(function: str, ax: Axes | None, height: float = 4.5) -> Axes:
    """Return the axes to draw on: those given, or a new figure's; errors are those of `panels_for`."""
    return panels_for(function, None if ax is None else (ax,), 1, "ax", (8.0, height))[0]


def panels_for(
    function: str, axes: object, count: int, name: str = "axes", size: tuple[float, float] = (10.0, 4.5)
) -> tuple[Axes, ...]:
    """Return several axes to draw on, side by side in a new figure where none are given.

    Without matplotlib it is a ``MissingExtraError``, whose message has the command; where something else is
    given, or another number of axes, a ``PydpstatError``.
    """
    try:
        from matplotlib.axes import Axes

        if axes is None:
            # only a new figure has to do with windows
            from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError(f"{function}()", "matplotlib", "plot") from error
    if axes is None:
        new = pyplot.subplots(1, count, figsize=size, layout="constrained", squeeze=False)[1]
        return tuple(new[0])
    several: Any = getattr(axes, "flat", axes)
    given = tuple(several) if hasattr(axes, "__iter__") else (axes,)
    if len(given) != count or not all(isinstance(each, Axes) for each in given):
        wanted = "a matplotlib Axes" if count == 1 else f"{count} matplotlib Axes"
        raise PydpstatError(
            f"{name} must be {wanted} or None; got {_kinds(given)}. "
            f"Leave it out, or give {'plt.gca()' if count == 1 else f'plt.subplots(1, {count})[1]'}."
        )
    return given


def check_curves(wanted: str, unit: str, count: int, hint: str) -> None:
    """Refuse more curves than a picture has colours for; `wanted` names the argument and what it must do."""
    if count > len(LINES):
        raise PydpstatError(
            f"{wanted} at most {len(LINES)} {unit}, which a reader can tell apart; got {count}. {hint}"
        )


def _kinds(given: tuple[object, ...]) -> str:
    kinds = ", ".join(type(each).__name__ for each in given[:4])
    return f"{len(given)} ({kinds})" if len(given) != 1 else kinds


# a legend above the axes: to look for a free place takes longer the more is drawn
ABOVE = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 2, "borderaxespad": 0.2}


def finish(axes: Axes, **legend: Any) -> None:
    """Take the frame's upper right half away and add a legend where something has a label."""
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, **legend)

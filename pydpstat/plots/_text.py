"""Texts that fit: their widths, lines that are broken or cut to a width, and numbers of an axis."""

from __future__ import annotations

import textwrap
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def escaped(text: object) -> str:
    """Return a name in one line, in which a dollar is a dollar and no formula."""
    return " ".join(str(text).split()).replace("$", r"\$")


@lru_cache(maxsize=4096)
def width_of(text: str, size: float) -> float:
    """Return the width of a line in points, in the font of the present style."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    shown = text.replace(r"\$", "$")
    return float(text_to_path.get_text_width_height_descent(shown, FontProperties(size=size), False)[0])


def wrapped(text: str, width: float, size: float) -> str:
    """Return a text in lines that are at most so many points wide."""
    lines = []
    for line in text.split("\n"):
        count = len(line)
        while count > 4 and any(width_of(each, size) > width for each in textwrap.wrap(line, count)):
            count = max(4, int(0.95 * count))
        lines += textwrap.wrap(line, count) if line else [""]
    return "\n".join(lines)


def shortened(text: str, width: float, size: float) -> str:
    """Return a name that is at most so many points wide; both of its ends are kept."""
    kept = len(text)
    shown = text
    while width_of(shown, size) > width and kept > 2:
        kept -= 1
        shown = (
            f"{text[: -(-kept // 2)].rstrip()}\N{HORIZONTAL ELLIPSIS}{text[len(text) - kept // 2 :].lstrip()}"
        )
    return shown


def fitted(name: str, wide: float, size: float, high: float) -> str:
    """Return a name beside axes in two lines where there is room for them, else shortened to one."""
    lines = wrapped(name, wide, size)
    fits = lines.count("\n") == 1 and high > 2.5 * size
    fits = fits and width_of(max(lines.split("\n"), key=len), size) <= wide
    return lines if fits else shortened(name, wide, size)


def number_shown(value: float, digits: int = 4) -> str:
    """Return a number with so many significant digits, or a whole one with all of them."""
    if not np.isfinite(value):
        return "\N{EN DASH}" if np.isnan(value) else f"{value:g}"
    size = abs(value)
    if 10.0 ** (digits - 1) <= size < 1e10:
        return f"{value:,.0f}"
    return f"{value + 0.0:.{digits}g}"


def points_of(axes: Axes) -> tuple[float, float]:
    """Return the width and the height of axes in points, as they are before any layout."""
    box = axes.get_window_extent()
    scale = 72.0 / axes.figure.dpi
    return float(box.width) * scale, float(box.height) * scale


def room_for_names(axes: Axes) -> float:
    """Return how wide names beside axes may be, in points: a third of a figure or of a cell of its grid."""
    figure = float(axes.figure.bbox.width) * 72.0 / axes.figure.dpi
    return 0.3 * min(figure, 2.0 * points_of(axes)[0])


def tick_text(value: float, digits: int = 4, largest: float = 0.0) -> str:
    """Return a number of an axis in full, unless the axis' largest one is very large or small."""
    size = abs(value)
    if size == 0.0 or 1e-3 <= max(size, largest) < 1e7:
        text = f"{value + 0.0:,.10g}"
        return f"{value:.12f}".rstrip("0") if "e" in text else text
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"

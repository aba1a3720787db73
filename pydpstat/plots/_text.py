"""Text in plots: widths, wrapping and shortening to a width, and numbers along an axis."""

from __future__ import annotations

import math
import re
import textwrap
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from os.path import commonprefix
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat._markup import as_latex, join_lines
from pydpstat.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.ticker import Formatter, Locator

_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
# largest number of lines of a name next to axes
_MAX_NAME_LINES = 3
# assumed number of letters per line of a name
_LETTERS_PER_LINE = 26


def escape_plot_text(text: object) -> str:
    """Return a name in one line, escaped so that it contains no formula or command."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("plot()", "matplotlib", "plot") from error

    line = " ".join(join_lines(str(text)).split())
    return as_latex(line) if matplotlib.rcParams["text.usetex"] else line.replace("$", r"\$")


@lru_cache(maxsize=4096)
def compute_text_width(text: str, size: float) -> float:
    """Return the width of a line in points, in the current font."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    plain = text.replace(r"\$", "$")
    return float(text_to_path.get_text_width_height_descent(plain, FontProperties(size=size), False)[0])


def wrap_to_width(text: str, width: float, size: float) -> str:
    """Wrap a text into lines of about equal length, at most `width` points wide."""
    lines = []
    for line in text.split("\n"):
        count = len(line)
        while count > 4 and any(compute_text_width(piece, size) > width for piece in textwrap.wrap(line, count)):
            count = max(4, int(0.95 * count))
        wrapped = textwrap.wrap(line, count) if line else [""]
        while count > 4 and len(textwrap.wrap(line, count - 1)) == len(wrapped) > 1:
            count -= 1
            wrapped = textwrap.wrap(line, count)
        lines += wrapped
    return "\n".join(lines)


def trim_names(names: Sequence[str], width: float, size: float) -> list[str]:
    """Shorten names to at most `width` points so that different names remain different.

    A name keeps its two ends, or the words in which it differs from names with the same ends.
    """
    # escapes are removed first so that a backslash is not separated from its dollar sign
    plain = [name.replace(r"\$", "$") for name in names]
    trimmed = [_trim_name("", name, "", width, size) for name in plain]
    alike: dict[str, list[int]] = {}
    for index, text in enumerate(trimmed):
        alike.setdefault(text, []).append(index)
    for indices in alike.values():
        if len({plain[index] for index in indices}) > 1:
            for index, words in zip(indices, _split_common_words([plain[index] for index in indices])):
                trimmed[index] = _trim_name(*words, width, size)
    return [text.replace("$", r"\$") for text in trimmed]


def _trim_name(before: str, middle: str, after: str, width: float, size: float) -> str:
    """Shorten a name: first the words that it shares with others, then its middle."""

    def make_text(n_letters: int) -> str:
        if n_letters < len(middle):
            return (
                f"{middle[: -(-n_letters // 2)].rstrip()}{_ELLIPSIS}{middle[len(middle) - n_letters // 2 :].lstrip()}"
            )
        n_before = -(-(n_letters - len(middle)) // 2)
        n_after = n_letters - len(middle) - n_before
        head, tail = before[:n_before], after[max(len(after) - n_after, 0) :]
        return "".join(
            (
                head if head == before else f"{head.rstrip()}{_ELLIPSIS}",
                middle if tail == after else middle.rstrip(),
                tail if tail == after else f"{_ELLIPSIS}{tail.lstrip()}",
            )
        )

    # enough letters for both ends in full, even if one is longer than the other
    max_letters = len(middle) + 2 * max(len(before), len(after))
    fitting = bisect_left(
        range(max_letters), True, key=lambda kept: compute_text_width(make_text(kept + 1), size) > width
    )
    return make_text(max(fitting, min(2, len(middle))))


def _split_common_words(names: Sequence[str]) -> list[tuple[str, str, str]]:
    """Split each name into common first words, words that differ, and common last words."""
    words = [re.split(r"(?<= )", name) for name in names]
    min_count = min(map(len, words))
    # at least one word of each name counts as different
    start = min(len(commonprefix(words)), min_count - 1)
    end = min(len(commonprefix([word[::-1] for word in words])), min_count - 1 - start)
    return [
        ("".join(word[:start]), "".join(word[start : len(word) - end]), "".join(word[len(word) - end :]))
        for word in words
    ]


def fit_names(names: Sequence[str], wide: float, size: float, high: float) -> list[str]:
    """Return names next to axes in as many lines as fit, or shortened to one line."""
    lines = [wrap_to_width(name, wide, size) for name in names]
    max_lines = min(int(high / (1.25 * size)), _MAX_NAME_LINES)
    return [
        text
        if wrapped.count("\n") >= max(max_lines, 1)
        or any(compute_text_width(line, size) > wide for line in wrapped.split("\n"))
        else wrapped
        for wrapped, text in zip(lines, trim_names(names, wide, size))
    ]


def count_name_lines(names: Sequence[str]) -> int:
    """Return the number of lines of the longest name next to the axes of a new figure."""
    lines = -(-max(map(len, names), default=0) // _LETTERS_PER_LINE)
    return lines if lines <= _MAX_NAME_LINES else 1


def format_plot_number(value: float, digits: int = 4) -> str:
    """Format a number with `digits` significant digits, or a large one as an integer with all digits."""
    if not np.isfinite(value):
        return "\N{EN DASH}" if np.isnan(value) else f"{value:g}"
    size = abs(value)
    if 10.0 ** (digits - 1) <= size < 1e10:
        return f"{value:,.0f}"
    return f"{value + 0.0:.{digits}g}"


def get_size_in_points(axes: Axes) -> tuple[float, float]:
    """Return the width and height of axes in points, before any layout."""
    box = axes.get_window_extent()
    scale = 72.0 / axes.figure.dpi
    return float(box.width) * scale, float(box.height) * scale


def compute_width_share(axes: Axes, taken: float) -> float:
    """Return the share of their width that axes keep if `taken` points next to them are used."""
    # matplotlib's default margins are 0.225 of a figure's width
    return min(1.0, 1.0 / 0.79 - taken / get_size_in_points(axes)[0])


def compute_name_width(axes: Axes) -> float:
    """Return the largest width of names next to axes in points: 0.3 of the figure or of twice the axes."""
    figure = float(axes.figure.bbox.width) * 72.0 / axes.figure.dpi
    return 0.3 * min(figure, 2.0 * get_size_in_points(axes)[0])


def format_tick(value: float, digits: int = 4, largest: float = 0.0) -> str:
    """Format a number of an axis in full, unless the axis' largest number is very large or small."""
    size = abs(value)
    if size == 0.0 or 1e-3 <= max(size, largest) < 1e7:
        text = f"{value + 0.0:,.10g}"
        return f"{value:.12f}".rstrip("0") if "e" in text else text
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"


# smallest space between numbers in points, and step sizes, first round ones, then others
_MIN_TICK_SPACE = 12.0
_TICK_STEPS = ([1, 2, 2.5, 5, 10], [1, 2, 2.5, 3, 4, 5, 6, 8, 10])
_MAX_TICKS = 8


def _count_tick_digits(axis: Axis) -> int:
    """Return the number of digits that distinguish two numbers of an axis."""
    low, high = axis.get_view_interval()
    largest, span = max(abs(low), abs(high), 1e-300), max(abs(high - low), 1e-300)
    return max(4, math.ceil(math.log10(largest / span)) + 3)


def _format_axis_number(axis: Any, value: float) -> str:
    """Format a number in the same way as all numbers of an axis."""
    return format_tick(value, _count_tick_digits(axis), max(map(abs, axis.get_view_interval())))


def set_axis_numbers(axis: Axis, only_integers: bool = False) -> None:
    """Set round tick numbers on an axis, as many as fit, formatted in full; only integers for counts."""
    locator, texts = _make_tick_classes()
    axis.set_major_locator(locator(only_integers))
    axis.set_major_formatter(texts())


@cache
def _make_tick_classes() -> tuple[Callable[[bool], Locator], Callable[[], Formatter]]:
    """Return the locator and formatter classes, which derive from matplotlib's and are created on demand."""
    from matplotlib.axis import XAxis
    from matplotlib.ticker import Formatter, MaxNLocator

    class RoundNumberLocator(MaxNLocator):
        """Locator of round numbers, as many as fit on an axis of the current length."""

        def __init__(self, only_integers: bool) -> None:
            super().__init__(nbins=_MAX_TICKS, min_n_ticks=1, integer=only_integers)

        def __call__(self) -> Sequence[float]:
            """Return the tick locations: two or more if they fit."""
            axis: Any = self.axis
            box, dpi = axis.axes.bbox, axis.axes.figure.dpi
            size = float(axis.majorTicks[0].label1.get_fontsize()) if axis.majorTicks else 10.0
            low, high = sorted(axis.get_view_interval())
            across = isinstance(axis, XAxis)
            length = (box.width if across else box.height) * 72.0 / dpi
            middle: list[float] = []
            for steps in _TICK_STEPS:
                self.set_params(steps=steps)
                for max_bins in range(_MAX_TICKS, 0, -1):
                    self.set_params(nbins=max_bins)
                    ticks = super().__call__()
                    inside = [each for each in ticks if low <= each <= high]
                    # a single number if two do not fit
                    middle = inside[len(inside) // 2 :][:1] or middle
                    texts = [_format_axis_number(axis, float(each)) for each in inside]
                    widest = max((compute_text_width(each, size) for each in texts), default=0.0)
                    min_distance = widest + _MIN_TICK_SPACE if across else 2.5 * size
                    if len(inside) > 1 and (inside[1] - inside[0]) / (high - low) * length >= min_distance:
                        return ticks
            return middle

    class FullNumberFormatter(Formatter):
        """Formatter of numbers in full, with commas, unless they are very large or small."""

        def __call__(self, value: float, pos: int | None = None) -> str:
            """Return the text of a number."""
            return _format_axis_number(self.axis, value)

    return RoundNumberLocator, FullNumberFormatter

"""Numbers along an axis: round ones, as many as there is room for when it is drawn, and written in full."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from pydpstat.plots._text import tick_text, width_of

if TYPE_CHECKING:
    from matplotlib.axis import Axis

# the least space between numbers in points, and steps from the roundest to others
_BETWEEN = 12.0
_STEPS = ([1, 2, 2.5, 5, 10], [1, 2, 2.5, 3, 4, 5, 6, 8, 10])
_MOST = 8


def _digits(axis: Any) -> int:
    """Return how many digits tell two numbers of an axis apart."""
    low, high = axis.get_view_interval()
    largest, span = max(abs(low), abs(high), 1e-300), max(abs(high - low), 1e-300)
    return max(4, math.ceil(math.log10(largest / span)) + 3)


def _text(axis: Any, value: float) -> str:
    """Return a number as all those of an axis are written."""
    return tick_text(value, _digits(axis), max(map(abs, axis.get_view_interval())))


def number_axis(axis: Axis, whole: bool = False) -> None:
    """Give an axis as many round numbers as it has room for, written in full; only whole ones of counts."""
    places, texts = _kinds()
    axis.set_major_locator(places(whole))
    axis.set_major_formatter(texts())


@cache
def _kinds() -> tuple[Any, Any]:
    """Return the classes of places and of texts, which are matplotlib's and made when they are needed."""
    from matplotlib.axis import XAxis
    from matplotlib.ticker import Formatter, MaxNLocator

    class RoundNumbers(MaxNLocator):
        """Places of round numbers, as many as an axis of the present length has room for."""

        def __init__(self, whole: bool) -> None:
            super().__init__(nbins=_MOST, min_n_ticks=1, integer=whole)

        def __call__(self) -> Any:
            """Return the places: two or more, where these have room."""
            axis: Any = self.axis
            box, dpi = axis.axes.bbox, axis.axes.figure.dpi
            size = float(axis.majorTicks[0].label1.get_fontsize()) if axis.majorTicks else 10.0
            low, high = sorted(axis.get_view_interval())
            across = isinstance(axis, XAxis)
            length = (box.width if across else box.height) * 72.0 / dpi
            found: Any = []
            for steps in _STEPS:
                self.set_params(steps=steps)
                for most in range(_MOST, 0, -1):
                    self.set_params(nbins=most)
                    places = super().__call__()
                    inside = [each for each in places if low <= each <= high]
                    # one number, if there is no room for two
                    found = inside[len(inside) // 2 :][:1] or found
                    texts = [_text(axis, float(each)) for each in inside]
                    widest = max((width_of(each, size) for each in texts), default=0.0)
                    room = widest + _BETWEEN if across else 2.5 * size
                    if len(inside) > 1 and (inside[1] - inside[0]) / (high - low) * length >= room:
                        return places
            return found

    class FullNumbers(Formatter):
        """Numbers in full, with commas, unless they are very large or small."""

        def __call__(self, value: float, pos: int | None = None) -> str:
            """Return a number's text."""
            return _text(self.axis, value)

    return RoundNumbers, FullNumbers

"""Pictures of results: each kind is described by plain data, which `draw` puts on axes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.plots._style import COLOURS, INK, LINES, MARKERS, finish
from pydpstat.r_arithmetic.histogram import Histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
# from this ratio of the largest to the smallest size of a group on, the axis is logarithmic
_WIDE = 20
# sizes over a wider range are drawn in bins
_MOST_SIZES, _BINS = 30, 25
# names of more bars than these are turned, and longer ones together
_MOST_LEVEL, _MOST_LETTERS = 8, 90
# of more names some are left out, and of longer ones the end
_MOST_NAMES, _LONGEST = 40, 28
# more values than these are dots with whiskers, as bars would be needles
_MOST_BARS, _MOST_SIDE = 24, 3
_ORDINALS = {2: "nd", 3: "rd"}


class Released(NamedTuple):
    """Released values with the ends of their intervals: title, values, ends and the intervals' name."""

    title: str
    values: Floats
    low: Floats
    high: Floats
    label: str


class Classes(NamedTuple):
    """A released histogram, and what it counts."""

    released: Released
    shape: Histogram
    unit: str


class Bars(NamedTuple):
    """Released values, a bar each: their names, and those of the axes."""

    released: Released
    names: Sequence[str]
    axis: str | None
    unit: str


class Groups(NamedTuple):
    """A released matrix, a group of bars for each row: the levels of both dimensions."""

    released: Released
    levels: Sequence[Sequence[object]]
    axis: str | None
    unit: str


class ByGroup(NamedTuple):
    """Released values of groups, a row each: the groups' names, the columns' names, and those of the axes."""

    released: Released
    names: Sequence[str]
    series: Sequence[str]
    axis: str | None
    unit: str


class Proportions(NamedTuple):
    """Proportions with intervals of several kinds: the name of each kind, lower and upper ends."""

    title: str
    values: Floats
    names: Sequence[str]
    intervals: Sequence[tuple[str, Floats, Floats]]


class Samples(NamedTuple):
    """Two samples, the data's and the neighbour's: shares in bins or at names, and the event's part."""

    title: str
    axis: str
    edges: Floats | None
    names: Sequence[str]
    shares: Floats
    marked: Floats


class Errors(NamedTuple):
    """Errors of columns in standard deviations."""

    title: str
    names: Sequence[str]
    values: Floats


class Sizes(NamedTuple):
    """How many groups there are of each size, the sizes increasing."""

    title: str
    sizes: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]


@singledispatch
def draw(picture: object, axes: Axes) -> Axes:
    """Draw what a result describes, and return the axes."""
    raise TypeError(f"no picture is known of {type(picture).__name__}")


@draw.register(Classes)
def _classes(picture: Classes, axes: Axes) -> Axes:
    shape, values = picture.shape, picture.released.values
    widths = np.diff(shape.breaks)
    axes.bar(
        shape.breaks[:-1], values, widths, align="edge", color=COLOURS[0], edgecolor="white", label="private"
    )
    _whiskers(axes, shape.mids, *picture.released[1:])
    return _framed(axes, picture.released.title, shape.xname, picture.unit)


@draw.register(Bars)
def _bars(picture: Bars, axes: Axes) -> Axes:
    heights, low, high = (np.ravel(each, order="F") for each in picture.released[1:4])
    positions = np.arange(heights.size, dtype=np.float64)
    axes.bar(positions, heights, color=COLOURS[0], label="private")
    _whiskers(axes, positions, heights, low, high, picture.released.label)
    _named(axes, positions, picture.names)
    return _framed(axes, picture.released.title, picture.axis, picture.unit)


@draw.register(Groups)
def _groups(picture: Groups, axes: Axes) -> Axes:
    title, values, low, high, label = picture.released
    rows, columns = values.shape
    width = 0.8 / columns
    for j in range(columns):
        positions = np.arange(rows) + (j - (columns - 1) / 2) * width
        colour = COLOURS[j % len(COLOURS)]
        axes.bar(positions, values[:, j], 0.94 * width, color=colour, label=picture.levels[1][j])
        last = label if j == columns - 1 else None
        _whiskers(axes, positions, values[:, j], low[:, j], high[:, j], last)
    axes.set_xticks(np.arange(rows), list(map(str, picture.levels[0])))
    return _framed(axes, title, picture.axis, picture.unit)


@draw.register(ByGroup)
def _by_group(picture: ByGroup, axes: Axes) -> Axes:
    title, values, low, high, label = picture.released
    names, series, axis, unit = picture[1:]
    few = values.size <= _MOST_BARS and values.shape[1] <= _MOST_SIDE
    if few and values.shape[1] == 1:
        return _bars(Bars(picture.released, list(map(_short, names)), axis, unit), axes)
    if few:
        _groups(Groups(picture.released, (list(map(_short, names)), series), axis, unit), axes)
        _named(axes, np.arange(len(names), dtype=np.float64), list(map(_short, names)))
        return axes
    places, columns = np.arange(len(names), dtype=np.float64), values.shape[1]
    small = 4 if len(names) <= 100 else 2
    for j in range(columns):
        colour, sign = LINES[j % len(LINES)], MARKERS[(j + j // len(LINES)) % len(MARKERS)]
        at = places + (j - (columns - 1) / 2) * 0.7 / columns
        y, name = values[:, j], series[j] if columns > 1 else "private"
        middle = y.clip(low[:, j], high[:, j])
        width = 1.0 if len(names) <= 100 else 0.6
        ends = [middle - low[:, j], high[:, j] - middle]
        axes.errorbar(at, middle, ends, fmt="none", ecolor=colour, elinewidth=width, alpha=0.6)
        axes.plot(at, y, sign, color=colour, markersize=small, linestyle="none", label=name)
    step = -(-len(names) // _MOST_NAMES)
    _named(axes, places[::step], [_short(name) for name in names[::step]])
    if step > 1:
        axis = f"{axis or 'group'} (every {step}{_ORDINALS.get(step, 'th')} of {len(names):,} is named)"
    axes.set(xlabel=axis or "", ylabel=unit, title=title, xlim=(-0.8, len(names) - 0.2))
    # what the whiskers are
    axes.plot([], [], color=INK, linewidth=1.0, label=label)
    bottom, top = axes.get_ylim()
    if bottom < 0.0 < top:
        axes.axhline(0.0, color=INK, linewidth=0.8)
    rows = -(-(columns + 1) // 4)
    return _with_room(axes, bottom, top + 0.08 * (rows - 1) * (top - bottom), 4)


@draw.register(Proportions)
def _proportions(picture: Proportions, axes: Axes) -> Axes:
    places = np.arange(len(picture.names), dtype=float)
    for (label, low, high), colour, side in zip(picture.intervals, COLOURS[4:], (-0.06, 0.06)):
        axes.vlines(places + side, low, high, color=colour, linewidth=2.5, label=label)
        axes.plot(places + side, picture.values, "o", color=colour)
    _named(axes, places, picture.names)
    axes.set(xlim=(-0.6, len(places) - 0.4), ylabel="proportion", title=picture.title)
    bottom, top = axes.get_ylim()
    # what no proportion can be is marked where it is in sight
    for at in (0.0, 1.0):
        if bottom <= at <= top:
            axes.axhline(at, color=INK, linewidth=0.8)
    return _with_room(axes, bottom, top, 2)


@draw.register(Samples)
def _samples(picture: Samples, axes: Axes) -> Axes:
    for side, (label, colour) in enumerate(zip(("data", "neighbour"), COLOURS[4:])):
        filled = f"{label}, in the event"
        shares, marked = picture.shares[side], picture.marked[side]
        if picture.edges is None:
            places = np.arange(len(picture.names)) + 0.4 * side - 0.2
            axes.bar(places, shares, 0.36, edgecolor=colour, fill=False, label=label)
            axes.bar(places, marked, 0.36, color=colour, alpha=0.45, label=filled)
        else:
            axes.stairs(shares, picture.edges, color=colour, label=label)
            axes.stairs(marked, picture.edges, color=colour, alpha=0.45, fill=True, label=filled)
    if picture.edges is None:
        axes.set_xticks(np.arange(len(picture.names)), picture.names)
    axes.set(xlabel=picture.axis, ylabel="share of the draws")
    axes.set_title(picture.title, fontsize="medium", color=INK)
    # room above the shares, so that the legend hides nothing
    axes.set_ylim(top=1.18 * axes.get_ylim()[1])
    finish(axes, loc="upper right", ncols=2)
    return axes


@draw.register(Errors)
def _errors(picture: Errors, axes: Axes) -> Axes:
    places = np.arange(len(picture.names))[::-1]
    bars = axes.barh(places, picture.values, 0.7, color=COLOURS[4])
    axes.bar_label(bars, [f"{each:.3g}" for each in picture.values], padding=3)
    axes.set_yticks(places, picture.names)
    axes.set_xlabel("root mean squared error, in standard deviations of the column")
    axes.margins(x=0.1)
    axes.set_xlim(left=0.0)
    axes.set_title(picture.title, color=INK)
    finish(axes)
    return axes


@draw.register(Sizes)
def _sizes(picture: Sizes, axes: Axes) -> Axes:
    sizes = picture.sizes
    k, end = sizes[0], sizes[-1] + 1
    wide = sizes[-1] >= _WIDE * k
    few = end - k <= _MOST_SIZES
    if few:
        edges = np.arange(k, end + 1)
    else:
        edges = np.geomspace(k, end, _BINS + 1) if wide else np.linspace(k, end, _BINS + 1)
    # between integers, so that each size is inside one bin
    edges = np.unique(np.rint(edges)) - 0.5
    axes.hist(sizes, edges.tolist(), weights=picture.counts, color=COLOURS[4], edgecolor="white")
    if few:
        axes.set_xticks(np.arange(k, end))
    elif wide:
        axes.set_xscale("log")
    axes.axvline(edges[0], color=INK, linewidth=1.0, linestyle="--", label=f"no group below k = {k:,}")
    axes.set_xlabel("rows in a group" + (" (log scale)" if wide and not few else ""))
    axes.set_ylabel("groups in a bin" if np.diff(edges).max() > 1.0 else "groups")
    axes.set_title(picture.title, color=INK)
    finish(axes)
    return axes


def _whiskers(axes: Axes, x: Floats, y: Floats, low: Floats, high: Floats, label: str | None) -> None:
    known = ~np.isnan(y)
    if not known.any():
        return
    x, low, high = x[known], low[known], high[known]
    # a count as it was drawn may lie outside of its interval
    y = y[known].clip(low, high)
    axes.errorbar(
        x, y, yerr=[y - low, high - y], fmt="none", ecolor=INK, elinewidth=1, capsize=2, label=label
    )


def _named(axes: Axes, places: Floats, names: Sequence[str]) -> None:
    level = len(names) <= _MOST_LEVEL and sum(map(len, names)) <= _MOST_LETTERS
    axes.set_xticks(places, names, rotation=0 if level else 90)


def _short(name: str) -> str:
    """Return a name that leaves room for the picture, in one line."""
    name = " ".join(name.split())
    return name if len(name) <= _LONGEST else name[: _LONGEST - 3] + "..."


def _framed(axes: Axes, title: str, axis: str | None, unit: str) -> Axes:
    """Name the axes of a release, draw the line at 0 and finish."""
    if axis is not None:
        axes.set_xlabel(axis)
    axes.set(ylabel=unit, title=title)
    axes.axhline(0.0, color=INK, linewidth=0.8)
    bottom, top = axes.get_ylim()
    return _with_room(axes, bottom, top, 3)


def _with_room(axes: Axes, bottom: float, top: float, columns: int) -> Axes:
    """Leave room above what is drawn, so that the legend hides nothing, and finish."""
    axes.set_ylim(bottom, top + 0.14 * (top - bottom))
    finish(axes, loc="upper right", ncols=columns)
    return axes

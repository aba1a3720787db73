"""Pictures along an axis of numbers: histograms, distribution functions, and curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat.plots._pictures import Columns, Distribution, Floats, Lines, Null, Panel, Samples, Sizes, Values
from pydpstat.plots._style import DASHES, ground, hue, ink, legend_above, longest, soft, split, text_size
from pydpstat.plots._text import escaped, number_axis, number_shown, points_of, tick_text, width_of, wrapped

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Look = dict[str, Any]
MOST_ASIDE = 3
# more bins have a band in the place of bars
_MOST_BARS = 60
_BAND = (0.3, 0.15)
# an interval that is shorter, in points, cannot be told from a point
_SEEN = 6.0
# sizes over a wider range are drawn in bins; from this ratio on, on a logarithmic scale
_MOST_SIZES, _BINS, _WIDE = 30, 25, 20


def panels_size(picture: Columns | Distribution) -> tuple[float, float]:
    """Return the width and height in inches that a new figure needs."""
    count = len(picture.panels)
    rows = -(-count // MOST_ASIDE)
    return (8.0, 4.5) if count == 1 else (10.0, min(1.2 + 2.7 * rows, 14.0))


def draw_columns(picture: Columns, axes: Axes, look: Look) -> None:
    """Draw histograms, with intervals."""
    titles = [escaped(each.title) for each in picture.panels]
    rows = split(axes, len(picture.panels), MOST_ASIDE, (_gap(picture.edges), 24.0), titles)
    top, bottom = _heights(picture.panels)
    colour = hue(axes, look)
    for part, panel in zip([each for row in rows for each in row], picture.panels):
        heights = np.nan_to_num(panel.values.values)
        part.stairs(heights, picture.edges, fill=True, color=colour, alpha=0.35)
        part.stairs(heights, picture.edges, color=colour, linewidth=look.get("linewidth", 1.0))
        # between two bins, where both are high
        lower = np.minimum(heights[:-1], heights[1:]).clip(0.0)
        part.vlines(picture.edges[1:-1], 0.0, lower, color=colour, linewidth=0.6)
        _bars(part, 0.5 * (picture.edges[:-1] + picture.edges[1:]), picture.edges, panel.values)
        part.axhline(0.0, color=ink(part), linewidth=0.8)
        part.set(xlim=(picture.edges[0], picture.edges[-1]), ylim=(bottom, top))
        part.margins(x=0.02)
    _name(rows, picture.axis, picture.unit)
    high = points_of(rows[0][0])[1] / (top - bottom)
    shown = picture.panels[0].values
    seen = any(longest(each.values.thick, high) >= _SEEN for each in picture.panels)
    if shown.thin is not None and not seen:
        # a legend tells of nothing that is hidden
        shown = shown._replace(thick=None)
    legend_above(axes, _handles(axes, shown, picture), picture.head.lines)


def _heights(panels: Sequence[Panel]) -> tuple[float, float]:
    flat = np.concatenate([np.ravel(each) for panel in panels for each in panel.values.every])
    finite = flat[np.isfinite(flat)]
    low, high = min(0.0, float(finite.min(initial=0.0))), float(finite.max(initial=0.0))
    room = 0.05 * (high - low) or 1.0
    return high + room, low - (room if low < 0.0 else 0.0)


def _bars(axes: Axes, middles: Floats, edges: Floats, values: Values) -> None:
    """Draw intervals at the bins' middles, or as a band where there are many."""
    thick = float(np.clip(0.25 * points_of(axes)[0] / max(middles.size, 1), 1.0, 5.0))
    for kind, (low, high) in values.intervals:
        if middles.size > _MOST_BARS:
            axes.stairs(high, edges, baseline=low, fill=True, color=ink(axes), alpha=_BAND[kind])
            continue
        width, alpha = (thick, 0.5) if values.both and kind == 0 else (1.3, 1.0)
        axes.vlines(middles, low, high, color=ink(axes), linewidth=width, alpha=alpha)


def _gap(*places: Floats) -> float:
    """Return how much room two numbers need that are at the ends of axes side by side, in points."""
    flat = np.concatenate([np.ravel(each) for each in places] or [np.zeros(1)])
    ends = [float(flat.min(initial=0.0)), float(flat.max(initial=0.0))]
    return max(width_of(tick_text(float(f"{end:.2g}")), text_size()) for end in ends) + 10.0


def _name(rows: list[list[Axes]], axis: str, unit: str) -> None:
    """Name the axes of panels, once for each row and column."""
    size = text_size()
    for number, row in enumerate(rows):
        for place, part in enumerate(row):
            width, height = points_of(part)
            number_axis(part.xaxis)
            number_axis(part.yaxis)
            part.spines[["top", "right"]].set_visible(False)
            # nothing may be below the last panel of a column
            if number == len(rows) - 1 or number == len(rows) - 2 and place >= len(rows[-1]):
                part.set_xlabel(wrapped(escaped(axis), max(width, 80.0), size))
            if place:
                part.tick_params(labelleft=False)
            else:
                part.set_ylabel(wrapped(escaped(unit), max(height, 60.0), size))


def _handles(axes: Axes, values: Values, picture: Columns | Distribution, colour: Any = None) -> list[Artist]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if isinstance(picture, Columns) and picture.edges.size - 1 > _MOST_BARS:
        bands = (values.thick, picture.head.thick, _BAND[0]), (values.thin, picture.head.thin, _BAND[1])
        return [
            Patch(facecolor=ink(axes), alpha=alpha, label=label)
            for ends, label, alpha in bands
            if ends is not None
        ]

    shown = ink(axes) if colour is None else colour
    handles: list[Artist] = []
    if values.thick is not None:
        strong: Look = {"linewidth": 5.0, "alpha": 0.5} if values.both else {"linewidth": 1.5}
        handles.append(Line2D([], [], color=shown, label=picture.head.thick, **strong))
    if values.thin is not None:
        handles.append(Line2D([], [], color=shown, linewidth=1.3, label=picture.head.thin))
    return handles


def draw_distribution(picture: Distribution, axes: Axes, look: Look) -> None:
    """Draw distribution functions: shares at given places, or quantiles of given shares."""
    shown = [each.values.values for each in picture.panels] if picture.quantiles else [picture.at]
    titles = [escaped(each.title) for each in picture.panels]
    rows = split(axes, len(picture.panels), MOST_ASIDE, (_gap(*shown), 24.0), titles)
    colour = hue(axes, look)
    for part, panel in zip([each for row in rows for each in row], picture.panels):
        values = panel.values
        x, y = (values.values, picture.at) if picture.quantiles else (picture.at, values.values)
        line = (x, y) if picture.ends is None else _from_0_to_1(x, y, picture.ends)
        part.plot(*line, color=colour, linewidth=look.get("linewidth", 1.2), alpha=0.7)
        size = look.get("markersize", 5.0)
        part.plot(x, y, look.get("marker", "o"), color=colour, markersize=size, zorder=3)
        bars = part.hlines if picture.quantiles else part.vlines
        for kind, ends in values.intervals:
            width, alpha = (4.0, 0.4) if values.both and kind == 0 else (1.4, 1.0)
            bars(picture.at, *ends, color=colour, linewidth=width, alpha=alpha)
        for share in (0.0, 1.0):
            part.axhline(share, color=soft(part), linewidth=0.8)
        part.set_ylim(-0.04, 1.04)
        part.margins(x=0.05)
    _name(rows, picture.axis, "share at or below")
    legend_above(axes, _handles(axes, picture.panels[0].values, picture, colour), picture.head.lines)


def _from_0_to_1(x: Floats, y: Floats, ends: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return a distribution function's line with its ends: below the first place it is 0, at the last 1."""
    return np.concatenate(([ends[0]], x, [ends[1]])), np.concatenate(([0.0], y, [1.0]))


def draw_lines(picture: Lines, axes: Axes, look: Look) -> None:
    """Draw curves over an axis, with a mark where the plan is."""
    from matplotlib.lines import Line2D

    handles: list[Artist] = []
    for place, (name, values) in enumerate(zip(picture.names, picture.values)):
        how = {
            "color": hue(axes, look, place),
            "linestyle": DASHES[place % len(DASHES)],
            "linewidth": look.get("linewidth", 1.6),
        }
        # what is 0 has no place on a logarithmic axis
        axes.plot(picture.places, np.where(values > 0.0, values, np.nan), **how)
        handles += [Line2D([], [], label=escaped(name), **how)] if name else []
    if picture.marked is not None:
        axes.plot(*picture.marked, "o", color=ink(axes), markersize=7, zorder=4)
        handles.append(Line2D([], [], marker="o", linestyle="none", color=ink(axes), label="as planned"))
    axes.set(xscale="log", yscale="log")
    for axis, ends in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        ticks = _round_ticks(*ends)
        axis.set_ticks(ticks, [number_shown(each) for each in ticks])
        axis.set_ticks([], minor=True)
    axes.set_xlabel(wrapped(escaped(picture.axis), max(points_of(axes)[0], 100.0), text_size()))
    axes.set_ylabel(wrapped(escaped(picture.unit), max(points_of(axes)[1], 60.0), text_size()))
    axes.grid(color=soft(axes), alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    legend_above(axes, handles, picture.head.lines)


def _round_ticks(low: float, high: float) -> list[float]:
    """Return round numbers on a logarithmic axis, 1, 2 and 5 times powers of 10, or these alone."""
    powers = 10.0 ** np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1.0)
    steps = [1.0, 2.0, 5.0] if len(powers) <= 4 else [1.0]
    ticks = np.outer(powers, steps).ravel()
    return [float(f"{each:.3g}") for each in ticks[(ticks >= low) & (ticks <= high)]]


def draw_null(picture: Null, axes: Axes, look: Look) -> None:
    """Draw a statistic in its distribution, with what is at least as extreme filled."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    colour, edges = hue(axes, look), picture.edges
    axes.stairs(picture.density, edges, color=colour, linewidth=1.0)
    axes.stairs(np.where(picture.extreme, picture.density, 0.0), edges, fill=True, color=colour, alpha=0.5)
    axes.axvline(picture.statistic, color=ink(axes), linewidth=1.6)
    handles: list[Artist] = [
        Line2D([], [], color=ink(axes), linewidth=1.6, label="statistic"),
        Patch(facecolor="none", edgecolor=colour, label="distribution under the null hypothesis"),
        Patch(facecolor=colour, alpha=0.5, label="at least as extreme"),
    ]
    axes.set(xlabel="statistic with its noise", ylabel="density", xlim=(edges[0], edges[-1]))
    axes.set_ylim(bottom=0.0)
    number_axis(axes.xaxis)
    number_axis(axes.yaxis)
    axes.spines[["top", "right"]].set_visible(False)
    legend_above(axes, handles, picture.head.lines)


def draw_samples(picture: Samples, axes: Axes, look: Look) -> None:
    """Draw two samples beside each other, with the event's part filled."""
    from matplotlib.patches import Patch

    handles: list[Artist] = []
    for side, label in enumerate(("data", "neighbor")):
        colour = hue(axes, look, side)
        shares, marked = picture.shares[side], picture.marked[side]
        hatch = "//" if side else None
        if picture.edges is None:
            places = np.arange(len(picture.names)) + 0.4 * side - 0.2
            axes.bar(places, shares, 0.36, edgecolor=colour, fill=False)
            axes.bar(places, marked, 0.36, facecolor=colour, edgecolor=colour, alpha=0.45, hatch=hatch)
        else:
            axes.stairs(shares, picture.edges, color=colour, linestyle=DASHES[side])
            axes.stairs(
                marked, picture.edges, facecolor=colour, edgecolor=colour, alpha=0.45, fill=True, hatch=hatch
            )
        handles.append(
            Patch(edgecolor=colour, facecolor="none", linestyle="--" if side else "-", label=label)
        )
        handles.append(
            Patch(edgecolor=colour, facecolor=colour, alpha=0.45, hatch=hatch, label=f"{label}, in the event")
        )
    if picture.edges is None:
        room = points_of(axes)[0] / max(len(picture.names), 1)
        names = [wrapped(escaped(name), max(room, 30.0), text_size()) for name in picture.names]
        axes.set_xticks(np.arange(len(names)), names)
    else:
        # around whole numbers there are bins of width 1
        number_axis(axes.xaxis, whole=bool(picture.edges[1] - picture.edges[0] == 1.0))
    number_axis(axes.yaxis)
    axes.set(xlabel=escaped(picture.axis), ylabel="share of the draws")
    axes.spines[["top", "right"]].set_visible(False)
    legend_above(axes, handles, picture.head.title)


def draw_sizes(picture: Sizes, axes: Axes, look: Look) -> None:
    """Draw how many groups there are of each size."""
    from matplotlib.lines import Line2D

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
    axes.hist(sizes, edges.tolist(), weights=picture.counts, color=hue(axes, look), edgecolor=ground(axes))
    if not few and wide:
        axes.set_xscale("log")
        ticks = _round_ticks(edges[0], edges[-1])
        axes.set_xticks(ticks, [number_shown(each) for each in ticks])
        axes.set_xticks([], minor=True)
    else:
        number_axis(axes.xaxis, whole=True)
    number_axis(axes.yaxis, whole=True)
    least: Look = {"color": ink(axes), "linewidth": 1.0, "linestyle": "--"}
    axes.axvline(edges[0], **least)
    axes.set_xlabel("rows in a group" + (" (log scale)" if wide and not few else ""))
    axes.set_ylabel("groups in a bin" if np.diff(edges).max() > 1.0 else "groups")
    axes.spines[["top", "right"]].set_visible(False)
    legend_above(axes, [Line2D([], [], label=f"no group below k = {k:,}", **least)], picture.head.title)

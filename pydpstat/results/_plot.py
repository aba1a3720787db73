"""Pictures of a release: bars with the interval of the privacy noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat.plots._style import COLOURS, INK, axes_for, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pydpstat.results.results import DPResults


def plot(result: DPResults, ax: Axes | None, alpha: float) -> Axes:
    """Draw the released values with the interval of their noise, and return the axes."""
    axes = axes_for("plot", ax)
    low, high = result._interval(alpha)
    label = f"{100 * (1 - alpha):.4g}% noise interval"
    if result.labels.breaks is not None:
        _histogram(axes, result, low, high, label)
    elif result.value.ndim == 2:
        _grouped_bars(axes, result, low, high, label)
    else:
        _bars(axes, result, low, high, label)
    kept = result.epsilon
    privacy = f"epsilon = {kept:.4g}" if np.isfinite(kept) else "no guarantee"
    axes.set_title(f"{result.record.function}, {result.mechanism} noise, {privacy}")
    axes.axhline(0.0, color=INK, linewidth=0.8)
    # room above the bars, so that the legend hides nothing
    bottom, top = axes.get_ylim()
    axes.set_ylim(bottom, top + 0.14 * (top - bottom))
    finish(axes, loc="upper right", ncols=3)
    return axes


def _histogram(axes: Any, result: DPResults, low: np.ndarray, high: np.ndarray, label: str) -> None:
    shape = result.labels.histogram(result.value)
    axes.bar(
        shape.breaks[:-1],
        result.value,
        np.diff(shape.breaks),
        align="edge",
        color=COLOURS[0],
        edgecolor="white",
        label="private",
    )
    _whiskers(axes, shape.mids, result.value, low, high, label)
    axes.set_xlabel(shape.xname)
    axes.set_ylabel("share" if "divided by their sum" in result.postprocessing else "count")


def _bars(axes: Any, result: DPResults, low: np.ndarray, high: np.ndarray, label: str) -> None:
    heights, bottom, top = (np.ravel(each, order="F") for each in (result.value, low, high))
    positions = np.arange(heights.size)
    axes.bar(positions, heights, color=COLOURS[0], label="private")
    _whiskers(axes, positions, heights, bottom, top, label)
    names = result.labels.elements(result.value)
    axes.set_xticks(positions, names, rotation=0 if len(names) <= 8 else 90)
    if result.labels.dimension_names:
        axes.set_xlabel(" : ".join(result.labels.dimension_names))
    axes.set_ylabel("count" if result.labels.dimnames is not None else result.statistic)


def _grouped_bars(axes: Any, result: DPResults, low: np.ndarray, high: np.ndarray, label: str) -> None:
    rows, columns = result.value.shape
    width = 0.8 / columns
    levels = result.labels.dimnames or (tuple(map(str, range(rows))), tuple(map(str, range(columns))))
    for j in range(columns):
        positions = np.arange(rows) + (j - (columns - 1) / 2) * width
        colour = COLOURS[j % len(COLOURS)]
        axes.bar(positions, result.value[:, j], 0.94 * width, color=colour, label=levels[1][j])
        whisker_label = label if j == columns - 1 else None
        _whiskers(axes, positions, result.value[:, j], low[:, j], high[:, j], whisker_label)
    axes.set_xticks(np.arange(rows), levels[0])
    if result.labels.dimension_names:
        axes.set_xlabel(result.labels.dimension_names[0])
    axes.set_ylabel("count" if result.statistic == "table" else result.statistic)


def _whiskers(
    axes: Any, x: np.ndarray, y: np.ndarray, low: np.ndarray, high: np.ndarray, label: str | None
) -> None:
    axes.errorbar(
        x, y, yerr=[y - low, high - y], fmt="none", ecolor=INK, elinewidth=1, capsize=2, label=label
    )

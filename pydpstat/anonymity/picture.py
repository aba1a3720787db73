"""Pictures of an evaluation: the columns' errors, or the groups' sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat import checks

if TYPE_CHECKING:
    from pydpstat.anonymity.results import AnonymizationResults

KINDS = ("errors", "sizes")
# from this ratio of the largest to the smallest size on, the axis is logarithmic
_WIDE = 20
# more different sizes are drawn in bins
_MOST_SIZES, _BINS = 30, 25


def plot(result: AnonymizationResults, kind: str, ax: Any) -> Any:
    """Draw one of the two pictures and return the axes."""
    from pydpstat.plots.style import axes_for
    from pydpstat.results.plot import INK

    checks.one_of(kind, "kind", KINDS)
    axes = axes_for("plot", ax)
    (_errors if kind == "errors" else _sizes)(result, axes)
    axes.set_title(
        f"k = {result.k:,}, {result.groups:,} groups of {result.nobs:,} rows, loss {result.loss:.3g}",
        color=INK,
    )
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _errors(result: AnonymizationResults, axes: Any) -> None:
    from pydpstat.results.plot import COLOURS

    known = result.relative_errors[np.isfinite(result.relative_errors.to_numpy())]
    places = np.arange(len(known))[::-1]
    bars = axes.barh(places, known, 0.7, color=COLOURS[4])
    axes.bar_label(bars, [f"{each:.3g}" for each in known], padding=3)
    axes.set_yticks(places, [str(name) for name in known.index])
    axes.set_xlabel("root mean squared error, in standard deviations of the column")
    axes.margins(x=0.1)
    axes.set_xlim(left=0.0)


def _sizes(result: AnonymizationResults, axes: Any) -> None:
    from pydpstat.results.plot import COLOURS, INK

    sizes, counts = result.group_sizes.index.to_numpy(), result.group_sizes.to_numpy()
    wide = sizes[-1] >= _WIDE * sizes[0]
    if len(sizes) <= _MOST_SIZES and not wide:
        axes.bar(sizes, counts, 0.8 * (np.diff(sizes).min() if len(sizes) > 1 else 1.0), color=COLOURS[4])
        if sizes[-1] - sizes[0] < _MOST_SIZES:
            axes.set_xticks(np.arange(sizes[0], sizes[-1] + 1))
    else:
        edges = (
            np.geomspace(sizes[0], sizes[-1] + 1, _BINS + 1)
            if wide
            else np.linspace(sizes[0], sizes[-1] + 1, _BINS + 1)
        )
        axes.hist(sizes, edges, weights=counts, color=COLOURS[4], edgecolor="white")
        if wide:
            axes.set_xscale("log")
    axes.axvline(result.k, color=INK, linewidth=1.0, linestyle="--", label=f"k = {result.k:,}")
    axes.set_xlabel("rows in a group" + (" (log scale)" if wide else ""))
    axes.set_ylabel("groups")
    axes.legend(frameon=False)

"""Pictures of an evaluation: the columns' errors, or the groups' sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.plots._style import COLOURS, INK, axes_for, finish

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pydpstat.anonymity.results import AnonymizationResults

KINDS = ("errors", "sizes")
# from this ratio of the largest to the smallest size on, the axis is logarithmic
_WIDE = 20
# sizes over a wider range are drawn in bins
_MOST_SIZES, _BINS = 30, 25


def plot(result: AnonymizationResults, kind: str, ax: Axes | None) -> Axes:
    """Draw one of the two pictures and return the axes."""
    checks.one_of(kind, "kind", KINDS)
    known = result.relative_errors[np.isfinite(result.relative_errors.to_numpy())]
    if kind == "errors" and known.empty:
        raise PydpstatError(
            "kind must be 'sizes' where no column has numbers in both tables; got 'errors'. "
            "There is no error to draw."
        )
    axes = axes_for("plot", ax)
    if kind == "errors":
        _errors(known, axes)
    else:
        _sizes(result, axes)
    loss = "" if np.isnan(result.loss) else f", loss {result.loss:.3g}"
    axes.set_title(f"k = {result.k:,}, {result.groups:,} groups of {result.nobs:,} rows{loss}", color=INK)
    finish(axes)
    return axes


def _errors(errors: pd.Series, axes: Any) -> None:
    places = np.arange(len(errors))[::-1]
    bars = axes.barh(places, errors, 0.7, color=COLOURS[4])
    axes.bar_label(bars, [f"{each:.3g}" for each in errors], padding=3)
    axes.set_yticks(places, [str(name) for name in errors.index])
    axes.set_xlabel("root mean squared error, in standard deviations of the column")
    axes.margins(x=0.1)
    axes.set_xlim(left=0.0)


def _sizes(result: AnonymizationResults, axes: Any) -> None:
    sizes, counts = result.group_sizes.index.to_numpy(), result.group_sizes.to_numpy()
    ends = sizes[0], sizes[-1] + 1
    wide = sizes[-1] >= _WIDE * sizes[0]
    few = ends[1] - ends[0] <= _MOST_SIZES
    if few:
        edges = np.arange(ends[0], ends[1] + 1)
    else:
        edges = np.geomspace(*ends, _BINS + 1) if wide else np.linspace(*ends, _BINS + 1)
    # between whole numbers, so that each size is inside one bin
    edges = np.unique(np.rint(edges)) - 0.5
    axes.hist(sizes, edges, weights=counts, color=COLOURS[4], edgecolor="white")
    if few:
        axes.set_xticks(np.arange(*ends))
    elif wide:
        axes.set_xscale("log")
    axes.axvline(edges[0], color=INK, linewidth=1.0, linestyle="--", label=f"no group below k = {result.k:,}")
    axes.set_xlabel("rows in a group" + (" (log scale)" if wide and not few else ""))
    axes.set_ylabel("groups in a bin" if np.diff(edges).max() > 1.0 else "groups")

"""The picture of an estimate behind randomised answers: points with the intervals of both kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydpstat.local._intervals import KINDS
from pydpstat.plots._style import COLOURS, INK, axes_for, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pydpstat.local.results import ResponseResults

_SHOWN = {"randomization": "persons asked", "population": "population"}


def plot(result: ResponseResults, ax: Axes | None, alpha: float) -> Axes:
    """Draw the proportions, and return the axes."""
    axes = axes_for("plot", ax)
    names = result.labels.elements(result.value)
    places = np.arange(len(names), dtype=float)
    values = np.ravel(result.value)
    for kind, colour, side in zip(KINDS, (COLOURS[4], COLOURS[5]), (-0.06, 0.06)):
        frame = result.to_frame(alpha, kind)
        label = f"{100 * (1 - alpha):.4g}% interval, {_SHOWN[kind]}"
        axes.vlines(places + side, frame["lower"], frame["upper"], color=colour, linewidth=2.5, label=label)
        axes.plot(places + side, values, "o", color=colour)
    axes.set_xticks(places, names, rotation=0 if len(names) <= 8 else 90)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_ylabel("proportion")
    bottom, top = axes.get_ylim()
    # what no proportion can be is marked where it is in sight
    for at in (0.0, 1.0):
        if bottom <= at <= top:
            axes.axhline(at, color=INK, linewidth=0.8)
    axes.set_title(f"Randomized response, {result.nobs} answers, epsilon = {result.epsilon:.4g}")
    # room above the bars, so that the legend hides nothing
    axes.set_ylim(bottom, top + 0.14 * (top - bottom))
    finish(axes, loc="upper right", ncols=2)
    return axes

"""A private histogram beside the true one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from pydpstat._answering import answered
from pydpstat.errors import PydpstatError
from pydpstat.plots._frames import Floats, finite
from pydpstat.plots._style import axes_for, finish, ink, palette, text_size
from pydpstat.plots._text import number_shown, points_of, tick_text, width_of
from pydpstat.plots._ticks import number_axis
from pydpstat.privacy import Guarantee

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# size of the numbers above bars, in points
SMALL = 7.0


@runtime_checkable
class Released(Protocol):
    """What is needed of a released histogram, a `DPResults`, which is made above this room."""

    guarantee: Guarantee
    labels: object

    @property
    def estimate(self) -> object:
        """The counts, with their edges."""


@answered
def histograms(true: object, private: object, ax: Axes | None = None) -> Axes:
    """Draw a private histogram next to the true one.

    The picture shows the true counts: it is for teaching and for checking, with made-up or public
    data, and says so in the legend. `DPResults.plot` draws the private counts alone.

    Parameters
    ----------
    true : Histogram or (counts, edges)
        The true counts: `pydpstat.r_arithmetic.hist`'s result or ``numpy.histogram``'s.
    private : DPResults, Histogram or (counts, edges)
        The private counts in the same classes. Of a `DPResults` the legend has the epsilon that holds.
    {ax}

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PydpstatError
        Where an argument is no histogram, or the two have different edges.
    MissingExtraError
        Where matplotlib is not installed; the message has the command.

    See Also
    --------
    pydpstat.histogram : a histogram that is released.

    Notes
    -----
    Publishing the picture would publish the true counts: it has no guarantee.

    References
    ----------
    Okabe, M. and Ito, K. (2008). Color universal design (the palette).

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> from pydpstat import plots
    >>> age = np.array([18, 25, 31, 34, 47, 52, 58, 71])
    >>> private = pydpstat.histogram(age, 1, edges=[0, 25, 50, 75])
    >>> ax = plots.histograms(np.histogram(age, [0, 25, 50, 75]), private)  # doctest: +SKIP
    """
    shapes = _counts(true, "true"), _counts(private, "private")
    edges, name = shapes[0][1], shapes[1][2] or shapes[0][2] or "x"
    if not np.array_equal(edges, shapes[1][1]):
        raise PydpstatError(
            f"private must have the edges of true; they differ ({shapes[1][1].size} and {edges.size} "
            "edges). Use the same classes for both."
        )
    axes = axes_for("histograms", ax)
    # two bars touch at the middle of each class, and a gap parts the classes
    width, middle = 0.45 * np.diff(edges), 0.5 * (edges[:-1] + edges[1:])
    # points that a unit is wide, with matplotlib's margins
    unit = points_of(axes)[0] / (1.1 * (edges[-1] - edges[0]))
    labels = "true (not for publication)", f"private{_kept(private)}"
    for (counts, _, _), shift, colour, label in zip(
        shapes, (-0.5 * width, 0.5 * width), palette(axes), labels
    ):
        bars = axes.bar(middle + shift, counts, width, color=colour, label=label)
        numbers = [number_shown(each) for each in counts.tolist()]
        if max(width_of(each, SMALL) for each in numbers) <= width.min() * unit:
            axes.bar_label(bars, numbers, fontsize=SMALL, color=ink(axes), padding=1)
    number_axis(axes.yaxis)
    number_axis(axes.xaxis)
    named = [tick_text(edge) for edge in edges.tolist()]
    if max(width_of(each, text_size()) for each in named) + 6.0 <= np.diff(edges).min() * unit:
        axes.set_xticks(edges, named)
    axes.axhline(0.0, color=ink(axes), linewidth=0.8)
    axes.set(xlabel=name, ylabel="count")
    finish(axes)
    return axes


def _counts(shape: object, argument: str) -> tuple[Floats, Floats, str]:
    """Return counts, edges and the variable's name."""
    if isinstance(shape, Released):
        shape = shape.estimate
    name = getattr(shape, "xname", "")
    if hasattr(shape, "breaks") and hasattr(shape, "counts"):
        shape = shape.counts, shape.breaks
    if isinstance(shape, (tuple, list)) and len(shape) == 2:
        counts, edges = map(finite, shape)
        if counts is not None and edges is not None and counts.ndim == edges.ndim == 1:
            if edges.size == counts.size + 1 > 1 and (np.diff(edges) > 0.0).all():
                return counts, edges, str(name)
    raise PydpstatError(
        f"{argument} must be a histogram: a released one, R's, or (counts, edges) with one edge more than "
        f"counts and increasing; got {type(shape).__name__}. Give for example np.histogram(x, edges)."
    )


def _kept(private: object) -> str:
    if not isinstance(private, Released):
        return ""
    kept = private.guarantee.epsilon
    return f", epsilon = {kept:.4g}" if math.isfinite(kept) else ", no guarantee"

"""What all results share that can be drawn: the method, and how pictures speak of levels and of privacy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pydpstat import _checks as checks
from pydpstat.results._words import mechanism_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Drawn:
    """A result that can be drawn."""

    __slots__ = ()

    def _picture(self, alpha: float) -> object:
        """Describe the picture, as one of those in `pydpstat.plots._pictures`."""
        raise NotImplementedError

    def plot(
        self, ax: Axes | None = None, title: str | None = None, *, alpha: float = 0.05, **style: object
    ) -> Axes:
        """Plot the result with its intervals; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure's, as high as names and values need.
        title : str, optional
            The title; by default what was released, with which noise and epsilon. ``""`` draws none.
        alpha : float, default 0.05
            Probability that an interval misses; above 0 and at most 0.5. It is not the opacity of the marks.
        **style
            As matplotlib has them, where the picture has such marks: `color` (or a list for several series),
            `marker`, `markersize`, `linewidth`, and `cmap` of a heat map; and `figsize`, the width and height
            of a new figure in inches.

        Returns
        -------
        matplotlib Axes
            Those that were drawn on. Panels lie inside of them, as their ``child_axes``.

        Raises
        ------
        PydpstatError
            If an argument is not allowed, or there is no number to draw.
        MissingExtraError
            If matplotlib is not installed; the message has the command.

        Notes
        -----
        Intervals of the privacy noise are thick where there are confidence intervals for the population, too,
        which are thin; up to 24 means, variances and correlations have the latter, and up to 200 other
        values. An arrow at the edge is an interval that goes far beyond the others. The picture is
        post-processing: it shows nothing but what was released.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.count([True, False, True], 1.0, rng=1)
        >>> ax = r.plot(title="Smokers")  # doctest: +SKIP
        """
        from pydpstat.plots._draw import drawn

        return drawn(self._picture(checks.alpha_of(alpha)), ax, title, style)


def level_of(alpha: float) -> str:
    """Return a level as a legend has it.

    Examples
    --------
    >>> level_of(0.05)
    '95 %'
    """
    return f"{100.0 * (1.0 - alpha):.4g} %"


def privacy_line(result: Any, mechanism: str = "") -> str:
    """Return what a picture says of privacy, in one line."""
    held = "no guarantee"
    if math.isfinite(result.epsilon):
        held = f"epsilon = {result.epsilon:.4g}" + (f", delta = {result.delta:.4g}" if result.delta else "")
    named = mechanism_words(mechanism)
    noise = named if named.endswith("mechanism") else f"{named} noise"
    return f"{noise}, {held}" if mechanism else held

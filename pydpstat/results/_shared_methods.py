"""Methods shared by several result classes as attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pydpstat import _checks as checks
from pydpstat.results._numbers import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from statsmodels.iolib.summary import Summary


class HasPicture(Protocol):
    """Result that describes its picture."""

    def _describe_picture(self, alpha: float) -> object:
        """Describe the picture, as one of those in `pydpstat.plots._pictures`."""


class HasAlphaRows(Protocol):
    """Result whose page has intervals of any level."""

    def _make_rows(self, alpha: float) -> Rows:
        """Return the column headers, row names and cells of the table."""

    def _make_page(self, rows: Rows) -> Summary:
        """Return the page with these rows."""


def summary(self: HasAlphaRows, alpha: float = 0.05) -> Summary:
    """Return the result as a table in statsmodels' form.

    Parameters
    ----------
    alpha : float, default 0.05
        Probability that an interval in the table misses.

    Returns
    -------
    statsmodels.iolib.summary.Summary
        Has ``as_text``, ``as_html``, ``as_latex`` and ``as_csv``; printing it shows the text.

    See Also
    --------
    DPResults.to_frame : the numbers as a frame.
    DPResults.statement : a paragraph for a paper.

    Examples
    --------
    >>> import pydpstat
    >>> r = pydpstat.meanDP([1, 2, 3, 4], 1.0, 0, 5, rng=pydpstat.RRandom(123))
    >>> "Laplace" in r.summary().as_text()
    True
    """
    return self._make_page(self._make_rows(alpha))


def plot(
    self: HasPicture, ax: Axes | None = None, title: str | None = None, *, alpha: float = 0.05, **style: object
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
        If an argument is invalid, or there is no number to draw.
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
    from pydpstat.plots._draw import draw_picture

    return draw_picture(self._describe_picture(checks.check_alpha(alpha)), ax, title, style)

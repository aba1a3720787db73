"""The tutorial's picture: a histogram and its private version, bar beside bar."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pydpstat._files import unfinished
from pydpstat.errors import MissingExtraError

if TYPE_CHECKING:
    from pydpstat.r_arithmetic import Histogram

NAME = "tutorial-histogram.png"


def write_picture(true: Histogram, private: Histogram, folder: str | os.PathLike[str]) -> Path:
    """Draw two histograms with the same breaks on one axis, and write them as a PNG file.

    The file gets its name when it is complete. The picture shows the true counts, so it is for
    data that are public or simulated.

    Parameters
    ----------
    true, private : Histogram
        The counts without and with noise.
    folder : str or path
        Where to write; it is made if it does not exist.

    Returns
    -------
    Path
        The file ``tutorial-histogram.png`` in that folder.

    Raises
    ------
    MissingExtraError
        Where matplotlib is not installed; the message has the command.
    OSError
        Where the folder cannot be written to.

    References
    ----------
    Okabe, M. and Ito, K. (2008). Color universal design (the palette).

    Examples
    --------
    >>> from pydpstat import r_arithmetic as r
    >>> from pydpstat.tutorial.picture import write_picture
    >>> h = r.hist([1.0, 2.0, 2.5])
    >>> write_picture(h, h, "output").name  # doctest: +SKIP
    'tutorial-histogram.png'
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("The picture", "matplotlib", "plot") from error
    from pydpstat.plots import histograms

    # a figure of its own: no window, and no state shared with the user's figures
    figure = Figure(figsize=(9, 4.5), dpi=150, layout="constrained")
    axes = histograms(true, private, ax=figure.add_subplot())
    axes.set_title("500 normal numbers: histogram and private histogram, Laplace noise, claimed epsilon 1")

    target = Path(folder) / NAME
    with unfinished(target) as part:
        figure.savefig(part, format="png")
    return target

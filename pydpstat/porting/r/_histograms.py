"""Histograms without plots, their numbers of bins, and round numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._shapes import Array, to_vector
from pydpstat.porting.r._values import Value


def hist(x: Value, breaks: Value = "Sturges", plot: bool = True, xname: str = "x") -> r_arithmetic.Histogram:
    """Compute R's histogram, without a plot.

    Examples
    --------
    >>> hist([1.0, 2.0, 4.0], [0, 2, 4], plot=False).counts.tolist()
    [2, 1]
    """
    if plot:
        raise PydpstatError("hist draws a picture. Write plot = FALSE in the script, or draw with matplotlib.")
    given = not isinstance(breaks, str) and np.ndim(breaks) > 0
    found = r_arithmetic.hist(to_vector(x), to_vector(breaks) if given else breaks)
    return replace(found, breaks=found.breaks if given else convert_to_r_type(found.breaks), xname=xname)


def convert_to_r_type(points: Array) -> Array:
    """Return the results of R's ``pretty`` in R's type: integers if all are whole and none is 0.

    Examples
    --------
    >>> convert_to_r_type(np.array([1.0, 2.0])), convert_to_r_type(np.array([0.0, 2.0]))
    (array([1, 2]), array([0., 2.]))
    """
    whole = (points == np.trunc(points)) & (points != 0) & (np.abs(points) < 2**31)
    return points.astype(np.int64) if whole.all() else points


def nclass_Sturges(x: Value) -> float:
    """Return Sturges' number of bins.

    Examples
    --------
    >>> nclass_Sturges([1, 2, 3, 4])
    3.0
    """
    return r_arithmetic.breaks_sturges(to_vector(x))


def nclass_scott(x: Value) -> float:
    """Return Scott's number of bins."""
    return r_arithmetic.breaks_scott(to_vector(x))


def nclass_FD(x: Value) -> float:
    """Return Freedman and Diaconis' number of bins."""
    return r_arithmetic.breaks_fd(to_vector(x))


def pretty(x: Value, n: int = 5, min_n: int | None = None) -> Array:
    """Return about n + 1 equally spaced round numbers that cover x.

    Examples
    --------
    >>> pretty([0, 9.3])
    array([ 0.,  2.,  4.,  6.,  8., 10.])
    """
    values = to_vector(x).astype(np.float64)
    return convert_to_r_type(r_arithmetic.pretty(float(values.min()), float(values.max()), n, min_n))

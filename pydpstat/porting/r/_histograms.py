"""Histograms without a picture, their numbers of classes, and round numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._shapes import Array, vector
from pydpstat.porting.r._values import Value


def hist(x: Value, breaks: Value = "Sturges", plot: bool = True, xname: str = "x") -> r_arithmetic.Histogram:
    """Return R's histogram; nothing is drawn.

    Examples
    --------
    >>> hist([1.0, 2.0, 4.0], [0, 2, 4], plot=False).counts.tolist()
    [2, 1]
    """
    if plot:
        raise PydpstatError(
            "hist draws a picture. Write plot = FALSE in the script, or draw with matplotlib."
        )
    given = not isinstance(breaks, str) and np.ndim(breaks) > 0
    found = r_arithmetic.hist(vector(x), vector(breaks) if given else breaks)
    return replace(found, breaks=found.breaks if given else _typed(found.breaks), xname=xname)


def access(found: tuple[Value, ...]) -> dict[str, Value]:
    """Return the result of one of DPpack's data access functions as a list with R's names.

    Examples
    --------
    >>> from pydpstat import dppack
    >>> access(dppack.meanDataAccess([1, 4, 3, 2], 0, 5))
    {'True.Values': 2.5, 'Sensitivity': 1.25}
    """
    parts = {name.replace("_", "."): getattr(found, name) for name in found._fields}  # type: ignore[attr-defined]
    return {
        name: replace(each, breaks=_typed(each.breaks)) if isinstance(each, r_arithmetic.Histogram) else each
        for name, each in parts.items()
    }


def _typed(points: Array) -> Array:
    """Return round numbers as R's seq.int has them: integers if all are, unless R sets one to a double 0."""
    whole = (points == np.trunc(points)) & (points != 0) & (np.abs(points) < 2**31)
    return points.astype(np.int64) if whole.all() else points


def nclass_Sturges(x: Value) -> float:
    """Return Sturges' number of classes.

    Examples
    --------
    >>> nclass_Sturges([1, 2, 3, 4])
    3.0
    """
    return r_arithmetic.breaks_sturges(vector(x))


def nclass_scott(x: Value) -> float:
    """Return Scott's number of classes."""
    return r_arithmetic.breaks_scott(vector(x))


def nclass_FD(x: Value) -> float:
    """Return Freedman and Diaconis' number of classes."""
    return r_arithmetic.breaks_fd(vector(x))


def pretty(x: Value, n: int = 5, min_n: int | None = None) -> Array:
    """Return about n + 1 round numbers that cover x.

    Examples
    --------
    >>> pretty([0, 9.3])
    array([ 0.,  2.,  4.,  6.,  8., 10.])
    """
    values = vector(x).astype(np.float64)
    return _typed(r_arithmetic.pretty(float(values.min()), float(values.max()), n, min_n))

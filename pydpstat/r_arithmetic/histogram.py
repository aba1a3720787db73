"""Histogram counts as computed by R's hist(plot = FALSE)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat._answering import HelpfulErrors
from pydpstat._checks import describe_option, describe_value, suggest_spelling
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import Numeric, to_numeric
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.r_arithmetic.moments import mean, var
from pydpstat.r_arithmetic.order import median, quantile
from pydpstat.r_arithmetic.rounding import pretty, round_significant

_FUZZ = 1e-7
_EPSILON = float(np.finfo(np.float64).eps)
# a chunk of doubles and its indices fit into the cache
_CHUNK_SIZE = 16384
_MAX_CLASSES = 1_000_000

# argument of `hist`: a rule's name, a number or break points, or a function that returns one of the last two
Breaks = npt.ArrayLike | Callable[[Numeric], npt.ArrayLike]


@dataclass(frozen=True, eq=False, slots=True)
class Histogram(HelpfulErrors):
    """Counts of a histogram, with R's component names.

    Parameters
    ----------
    breaks : ndarray, shape (k + 1,)
        Ends of the classes, which are closed on the right.
    counts : ndarray of int, shape (k,)
    density : ndarray, shape (k,), or None
    mids : ndarray, shape (k,)
        Centers of the classes.
    xname : str
    equidist : bool
        Whether the classes have equal widths.

    See Also
    --------
    hist : creates it.

    Examples
    --------
    >>> hist([1.0, 2.0, 2.5]).counts
    array([1, 1, 1])
    """

    breaks: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]
    density: npt.NDArray[np.float64] | None
    mids: npt.NDArray[np.float64]
    xname: str
    equidist: bool


def breaks_sturges(x: npt.ArrayLike) -> float:
    """Return the number of classes by Sturges' rule, R's ``nclass.Sturges``.

    See Also
    --------
    breaks_fd, breaks_scott : other rules.

    Examples
    --------
    >>> breaks_sturges(range(100))
    8.0
    """
    n = to_numeric(x).size
    return float(math.ceil(math.log2(n) + 1)) if n else -math.inf


def breaks_scott(x: npt.ArrayLike) -> float:
    """Return the number of classes by Scott's normal reference rule.

    It is R's ``nclass.scott``.

    See Also
    --------
    breaks_fd, breaks_sturges : other rules.

    Examples
    --------
    >>> breaks_scott(range(100))
    5.0
    """
    values = to_numeric(x)
    spread = var(values)
    if math.isnan(spread):
        raise PydpstatError("x must have two values at least for breaks='Scott', and no NaN")
    h = 3.5 * math.sqrt(spread) * math.pow(values.size, -1 / 3)
    return max(1.0, float(math.ceil(_compute_range(values) / h))) if h > 0 else 1.0


def breaks_fd(x: npt.ArrayLike, digits: int = 5) -> float:
    """Return the number of classes by Freedman and Diaconis' rule.

    It is R's ``nclass.FD``.

    See Also
    --------
    breaks_scott, breaks_sturges : other rules.

    Examples
    --------
    >>> breaks_fd(range(100))
    5.0
    """
    values = to_numeric(x)
    rounded = round_significant(values, digits)
    quarter, three_quarters = quantile(rounded, [0.25, 0.75])
    h = 2 * (three_quarters - quarter)
    tail = 1 / 4
    while h == 0 and tail / 2 >= 1 / 512:
        tail /= 2
        low, high = quantile(rounded, [tail, 1 - tail])
        h = (high - low) / (1 - 2 * tail)
    if h == 0:
        h = 3.5 * math.sqrt(var(values))
    if math.isnan(h):
        raise PydpstatError("x must have two values at least for breaks='FD', and no NaN")
    if not h > 0:
        return 1.0
    return float(math.ceil(_compute_range(values) / h * math.pow(values.size, 1 / 3)))


def hist(x: npt.ArrayLike, breaks: Breaks = "Sturges", xname: str = "x") -> Histogram:
    """Count the values in classes that are closed on the right.

    Parameters
    ----------
    x : array_like
        Numbers; only the finite ones count.
    breaks : str, int, array_like or callable, optional
        ``"Sturges"``, ``"Scott"`` or ``"FD"`` (``"Freedman-Diaconis"``), in any case and
        shortened as R allows; a desired number of classes; the break points; or a function of
        the finite values that returns one of the last two.
    xname : str, optional
        Name of the values, kept in the result.

    Returns
    -------
    Histogram
        Values within 1e-7 class widths of a break point count as lying on it.

    Raises
    ------
    PydpstatError
        If R stops: `x` is not numeric, the breaks are invalid or do not span `x`.

    See Also
    --------
    Histogram : the result.
    pydpstat.histogram : a private one.

    References
    ----------
    R Core Team, R 4.2.2, ``?hist``.

    Examples
    --------
    >>> h = hist([0.5, 1.0, 1.5, 4.0], breaks=[0.0, 1.0, 2.0, 4.0])
    >>> h.counts, h.equidist
    (array([2, 1, 1]), False)
    """
    values, low, high = _select_finite(x)
    points, is_given = _compute_break_points(values, low, high, breaks)
    h = np.diff(points)
    with np.errstate(all="ignore"):
        equidist = not is_given or bool((h.max() - h.min()) < 1e-7 * mean(h))
        if not is_given and (h <= 0).any():
            raise PydpstatError("breaks are not strictly increasing: x has too small a range")
        diddle = _compute_break_tolerance(high - low, h)
        if high - low == math.inf:
            raise PydpstatError("x must have a range that is a finite number; scale x")
        edges = points + diddle
        edges[0] = points[0] - diddle
        if values.size and not (edges[0] <= low and high <= edges[-1]):
            raise PydpstatError("some x are not counted: breaks must span the range of x; give wider breaks")
        counts = _count_classes(values, points, edges, diddle)
        density = counts / (values.size * h)
        mids = 0.5 * (points[1:] + points[:-1])
    return Histogram(points, counts, density, mids, xname, equidist)


def _select_finite(x: npt.ArrayLike) -> tuple[Numeric, float, float]:
    """Return the finite values (`x` itself if all are finite), their minimum and maximum."""
    values = to_numeric(x)
    if values.dtype.kind == "b":
        raise PydpstatError("x must be numeric; got boolean values. Convert them to numbers first.")
    if values.size == 0:
        return values, math.inf, -math.inf
    low, high = float(values.min()), float(values.max())
    if math.isfinite(low) and math.isfinite(high):
        return values, low, high
    return _select_finite(values[np.isfinite(values)])


def _compute_break_points(x: Numeric, low: float, high: float, breaks: Breaks) -> tuple[Floats, bool]:
    """Return the break points, and whether they were given as such."""
    computed = isinstance(breaks, str) or callable(breaks)
    if isinstance(breaks, str):
        breaks = _find_break_rule(breaks)(x)
    elif callable(breaks):
        breaks = breaks(x)
    kind = to_numeric(breaks, "breaks")
    points = kind.astype(np.float64)
    if points.size != 1:
        if np.isnan(points).any() and not computed:
            raise PydpstatError("breaks must not have missing values, for which R stops; remove them")
        points = np.sort(points[~np.isnan(points)])
        if points.size < 2:
            raise PydpstatError("breaks must be a number or at least two points; give more points")
        return points, True
    n = float(points[0])
    if not math.isfinite(n) or n < 1 or kind.dtype.kind == "b":
        received = "the result of a rule" if computed else describe_value(breaks)
        raise PydpstatError(f"breaks must be a finite number of at least 1; got {received}. Give for example 10.")
    if x.size == 0:
        raise PydpstatError("x must have finite values if breaks are not given as points")
    return pretty(low, high, min(n, _MAX_CLASSES), 1), False


def _find_break_rule(name: str) -> Callable[[Numeric], float]:
    """Return the rule whose name starts with `name`, ignoring case."""
    rules: dict[str, Callable[[Numeric], float]] = {
        "sturges": breaks_sturges,
        "fd": breaks_fd,
        "freedman-diaconis": breaks_fd,
        "scott": breaks_scott,
    }
    matches = [rule for full, rule in rules.items() if full.startswith(name.lower())]
    exact = rules.get(name.lower())
    if exact is None and len(matches) != 1:
        raise PydpstatError(
            f"breaks must be one of 'Sturges', 'Scott', 'FD', 'Freedman-Diaconis'; got {describe_option(name)}. "
            + suggest_spelling(name, ("Sturges", "Scott", "FD", "Freedman-Diaconis"))
        )
    return exact or matches[0]


def _compute_range(x: Numeric) -> float:
    return float(x.max()) - float(x.min()) if x.size else -math.inf


def _compute_break_tolerance(width: float, h: Floats) -> float:
    """Return the distance by which a value may exceed a break point and still count as equal to it."""
    if h.size >= 5:
        return _FUZZ * median(h)
    if h.size <= 2:
        return _FUZZ * width
    return _FUZZ * float(h[h > 0].min(initial=math.inf))


def _count_classes(x: Numeric, points: Floats, edges: Floats, diddle: float) -> npt.NDArray[np.int64]:
    """Return the numbers of values above one edge and at most the next, with the lowest edge included."""
    classes = points.size - 1
    counts = np.zeros(classes + 1, dtype=np.int64)
    scale = classes / (points[-1] - points[0])
    origin = points[0] + diddle
    doubt = _bound_position_error(points, scale)
    # if the rounding error is far below the tolerance, a division finds the class
    equal = doubt < 0.25 * diddle * scale
    for start in range(0, x.size, _CHUNK_SIZE):
        piece = x[start : start + _CHUNK_SIZE]
        if equal:
            position = (piece - origin) * scale
            index = np.ceil(position)
            above = index - position
        # too close to an edge to determine the class by division
        if not equal or above.min() < doubt or above.max() > 1 - doubt:
            # the lowest edge belongs to the first class, as index 0 does
            index = np.searchsorted(edges, piece, side="left")
        counts += np.bincount(index.astype(np.intp, copy=False), minlength=classes + 1)
    counts[1] += counts[0]
    return counts[1:]


def _bound_position_error(points: Floats, scale: float) -> float:
    """Return the largest error, in classes, of a position found by division."""
    equal_spacing = points[0] + np.arange(points.size) / scale
    largest = float(np.abs(points).max())
    return (float(np.abs(points - equal_spacing).max()) + 8 * _EPSILON * largest) * float(scale)

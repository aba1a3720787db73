"""Sorting, median and quantiles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import Numeric, to_doubles, to_numeric
from pydpstat.r_arithmetic.moments import mean

_PROBABILITY_SLACK = 100 * float(np.finfo(np.float64).eps)


def sort(x: npt.ArrayLike, decreasing: bool = False) -> Numeric:
    """Sorted values without the NaN.

    Parameters
    ----------
    x : array_like
        Numbers.
    decreasing : bool, optional
        Whether the largest comes first.

    Returns
    -------
    ndarray
        A new array. Zeros of either sign keep their order, as in R.

    Raises
    ------
    PydpstatError
        If `x` is not numeric.

    See Also
    --------
    quantile : what follows from the order.

    References
    ----------
    R Core Team, R 4.2.2, ``?sort``.

    Examples
    --------
    >>> sort([3.0, float("nan"), 1.0])
    array([1., 3.])
    >>> sort([3, 1, 2], decreasing=True)
    array([3, 2, 1])
    """
    values = to_numeric(x)
    ordered = np.sort(values)
    if values.dtype.kind == "f":
        # NumPy sorts NaN to the end
        ordered = ordered[: int(np.searchsorted(ordered, np.nan))]
        # zeros of both signs compare equal, and R's sort is stable
        zeros = values[values == 0.0]
        first = int(np.searchsorted(ordered, 0.0))
        ordered[first : first + zeros.size] = zeros[::-1] if decreasing else zeros
    return ordered[::-1].copy() if decreasing else ordered


def median(x: npt.ArrayLike) -> float:
    """Median; for an even number of values the mean of the middle two.

    Parameters
    ----------
    x : array_like
        Numbers.

    Returns
    -------
    float
        NaN, where R has NA, if `x` is empty or has a NaN. A zero may have another sign than in R
        if zeros of both signs are in `x`.

    Raises
    ------
    PydpstatError
        If `x` is not numeric.

    See Also
    --------
    quantile : other shares.
    pydpstat.median : a private one.

    References
    ----------
    R Core Team, R 4.2.2, ``?median``.

    Examples
    --------
    >>> median([5.0, 1.0, 2.0, 4.0])
    3.0
    """
    values = to_numeric(x)
    n = values.size
    if n == 0:
        return float("nan")
    half = (n - 1) // 2
    # the largest value is also put in place because it is NaN if there is one
    partitioned = np.partition(values, sorted({half, n // 2, n - 1}))
    if partitioned[n - 1] != partitioned[n - 1]:
        return float("nan")
    return float(partitioned[half]) if n % 2 else mean(partitioned[half : half + 2])


def quantile(x: npt.ArrayLike, probs: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Quantiles of type 7, R's default.

    Parameters
    ----------
    x : array_like
        Numbers.
    probs : float or array_like
        Probabilities in [0, 1], give or take 100 machine epsilons. NaN gives NaN.

    Returns
    -------
    ndarray, shape (len(probs),)
        NaN, where R has NA, if `x` is empty. A zero may have another sign than in R if zeros of
        both signs are in `x`.

    Raises
    ------
    PydpstatError
        If `x` has a NaN or is not numeric, or if a probability is outside [0, 1].

    See Also
    --------
    median : half.
    pydpstat.quantile : a private one.

    References
    ----------
    Hyndman, R. J. and Fan, Y. (1996). Sample quantiles in statistical packages. American
    Statistician 50, 361-365. R Core Team, R 4.2.2, ``?quantile``.

    Examples
    --------
    >>> quantile([1.0, 2.0, 4.0, 8.0], [0.25, 0.5])
    array([1.75, 3.  ])
    """
    values = to_doubles(x)
    p = to_doubles(probs, "probs")
    outside = (p < -_PROBABILITY_SLACK) | (p > 1 + _PROBABILITY_SLACK)
    if outside.any():
        raise PydpstatError(f"probs must be in [0, 1], but {p[outside][0]} is not")
    if np.isnan(values).any():
        raise PydpstatError("x must not have a NaN: drop the missing values first")
    is_known = ~np.isnan(p)
    result = np.full(p.size, np.nan)
    if values.size == 0 or not is_known.any():
        return result
    index = (values.size - 1) * np.clip(p[is_known], 0.0, 1.0) + 1.0
    low = np.floor(index)
    below, above = low.astype(np.intp) - 1, np.ceil(index).astype(np.intp) - 1
    ordered = np.partition(values, np.unique(np.concatenate([below, above])))
    lower, upper = ordered[below], ordered[above]
    h = index - low
    with np.errstate(all="ignore"):
        between = (1 - h) * lower + h * upper
    result[is_known] = np.where((index > low) & (upper != lower), between, lower)
    return result

"""DPpack's data access functions of moments and quantiles: a value without noise, and its sensitivity.

The results are not private: the values are those of the data. The functions are for checks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat._answering import explain_wrong_calls
from pydpstat.dppack._values import RANK_SENSITIVITY, compute_rank_utility, read_flat_numbers, read_vector
from pydpstat.errors import PydpstatError


class Access(NamedTuple):
    """True value and its sensitivity, under R's names.

    Examples
    --------
    >>> Access(2.5, 1.25).Sensitivity
    1.25
    """

    True_Values: float
    Sensitivity: float


class QuantileAccess(NamedTuple):
    """Utility of each interval between the sorted data, and the ends of the intervals.

    Examples
    --------
    >>> QuantileAccess(np.array([0.0]), np.array([0.0, 1.0]), 1.0).Sensitivity
    1.0
    """

    Utility: np.ndarray
    Sorted: np.ndarray
    Sensitivity: float


@explain_wrong_calls
def meanDataAccess(x: npt.ArrayLike, lower_bound: float, upper_bound: float) -> Access:
    """Return a mean and its sensitivity, without privacy.

    R's function is ``DPpack::meanDataAccess``.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data. They are not clipped to the bounds.
    lower_bound, upper_bound : float
        Bounds of the data.

    Returns
    -------
    Access
        ``True_Values`` and ``Sensitivity``, (upper_bound - lower_bound) / n.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R would return NA, NaN or an infinite value.

    See Also
    --------
    meanDP : the release.
    mean : pydpstat's function.

    Notes
    -----
    Guarantee: none. `meanDP` releases this value.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> meanDataAccess([1, 4, 3, 2], 0, 5)
    Access(True_Values=2.5, Sensitivity=1.25)
    """
    values = read_flat_numbers(x, "x")
    width = checks.check_scalar(upper_bound, "upper_bound") - checks.check_scalar(lower_bound, "lower_bound")
    return _make_access(r.mean(values), width, values.size)


@explain_wrong_calls
def varDataAccess(x: npt.ArrayLike, lower_bound: float, upper_bound: float) -> Access:
    """Return a variance and its sensitivity, without privacy.

    R's function is ``DPpack::varDataAccess``.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data. They are not clipped to the bounds.
    lower_bound, upper_bound : float
        Bounds of the data.

    Returns
    -------
    Access
        ``True_Values`` and ``Sensitivity``, (upper_bound - lower_bound)^2 / n.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R would return NA, NaN or an infinite value.

    See Also
    --------
    varDP : the release.
    var : pydpstat's function.

    Notes
    -----
    Guarantee: none. `varDP` releases this value.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> varDataAccess([1, 4, 3, 2], 0, 5).Sensitivity
    6.25
    """
    values = read_vector(x, "x")
    width = checks.check_scalar(upper_bound, "upper_bound") - checks.check_scalar(lower_bound, "lower_bound")
    return _make_access(r.var(values), width * width, values.size)


@explain_wrong_calls
def covDataAccess(
    x1: npt.ArrayLike,
    x2: npt.ArrayLike,
    lower_bound1: float,
    upper_bound1: float,
    lower_bound2: float,
    upper_bound2: float,
) -> Access:
    """Return a covariance and its sensitivity, without privacy.

    R's function is ``DPpack::covDataAccess``.

    Parameters
    ----------
    x1, x2 : array_like of shape (n,)
        The data. They are not clipped to the bounds.
    lower_bound1, upper_bound1, lower_bound2, upper_bound2 : float
        Bounds of `x1` and `x2`.

    Returns
    -------
    Access
        ``True_Values`` and ``Sensitivity``, the product of the ranges / n.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R would return NA, NaN or an infinite value.

    See Also
    --------
    covDP : the release.
    cov : pydpstat's function.

    Notes
    -----
    Guarantee: none. `covDP` releases this value.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> covDataAccess([1, 4, 3, 2], [-2, -3, -4, -1], 0, 5, -5, 0).Sensitivity
    6.25
    """
    xs, ys = read_vector(x1, "x1", beside=True), read_vector(x2, "x2", beside=True)
    reach1 = checks.check_scalar(upper_bound1, "upper_bound1") - checks.check_scalar(lower_bound1, "lower_bound1")
    reach2 = checks.check_scalar(upper_bound2, "upper_bound2") - checks.check_scalar(lower_bound2, "lower_bound2")
    if xs.size != ys.size:
        raise PydpstatError(f"x1 and x2 must have the same length; got {xs.size} and {ys.size}. Give pairs of values.")
    return _make_access(r.cov(xs, ys), reach1 * reach2, xs.size)


@explain_wrong_calls
def quantileDataAccess(x: npt.ArrayLike, quant: float, lower_bound: float, upper_bound: float) -> QuantileAccess:
    """Return the utilities of the intervals for a quantile, without privacy.

    R's function is ``DPpack::quantileDataAccess``.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; missing ones are left out of ``Sorted``, but count in n.
    quant : float
        Which quantile.
    lower_bound, upper_bound : float
        Bounds of the data; values outside are clipped to them.

    Returns
    -------
    QuantileAccess
        ``Utility`` of shape (n + 1,), ``Sorted`` of shape (n + 2,) with the bounds at its ends,
        and ``Sensitivity``, 1.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R would return an infinite value.

    See Also
    --------
    quantileDP : the release.
    quantile : pydpstat's function.

    Notes
    -----
    Guarantee: none. `quantileDP` releases a value between two of ``Sorted``.

    References
    ----------
    Smith, A. (2011). Privacy-preserving statistical estimation with optimal convergence rates.
    STOC 2011, algorithm 2.

    Examples
    --------
    >>> access = quantileDataAccess([1, 1, -2, 8, -6], 0.25, -10, 10)
    >>> access.Utility
    array([-1.25, -0.25, -0.75, -1.75, -2.75, -3.75])
    >>> access.Sorted
    array([-10.,  -6.,  -2.,   1.,   1.,   8.,  10.])
    """
    values = read_flat_numbers(x, "x").astype(np.float64)
    lower, upper = (
        checks.check_scalar(lower_bound, "lower_bound"),
        checks.check_scalar(upper_bound, "upper_bound"),
    )
    utility = compute_rank_utility(0, values.size, checks.check_scalar(quant, "quant"), values.size)
    if isinstance(quant, (bool, np.bool_)):
        utility += 0.0  # R computes with integers here, which have no -0.0
    inner = np.minimum(np.maximum(r.sort(values), lower), upper)
    edges = np.concatenate([[lower], inner, [upper]])
    if not (np.isfinite(edges).all() and np.isfinite(utility).all()):
        raise PydpstatError("lower_bound, upper_bound and quant must be finite; R returns infinite values.")
    return QuantileAccess(utility, edges, RANK_SENSITIVITY)


def _make_access(value: float, scaled_sensitivity: float, n: int) -> Access:
    sensitivity = scaled_sensitivity / n if n else np.nan
    check_finite_figures(value, sensitivity)
    return Access(float(value), sensitivity)


def check_finite_figures(*figures: float) -> None:
    """Raise an error if R would return a value that is not finite."""
    if not np.isfinite(figures).all():
        raise PydpstatError(
            "the value or its sensitivity is not a finite number, and R returns NA, NaN or Inf. "
            "Remove missing values, and give at least two records for a measure of spread, and "
            "finite bounds."
        )

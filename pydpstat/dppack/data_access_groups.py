"""DPpack's data access functions of counts and of groups: values without noise, and sensitivities.

The results are not private: the values are those of the data. The functions are for checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat._answering import explain_wrong_calls
from pydpstat._release.calibration import compute_count_sensitivity
from pydpstat.dppack._values import (
    MECHANISMS,
    PooledStatistic,
    build_contingency_table,
    compute_pooled_covariance,
    compute_pooled_variance,
    read_flat_numbers,
    read_table_variables,
)
from pydpstat.dppack.data_access import check_finite_figures
from pydpstat.dppack.pooled import read_group, read_pairs
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.histogram import Breaks


class NeighborsAccess(NamedTuple):
    """True values and their sensitivities for a record replaced, and for one added or removed.

    Examples
    --------
    >>> NeighborsAccess(2.5, 2.0, 1.0).Unbounded_Sensitivities
    1.0
    """

    True_Values: object
    Bounded_Sensitivities: float
    Unbounded_Sensitivities: float


@explain_wrong_calls
def histogramDataAccess(x: npt.ArrayLike, breaks: Breaks, mechanism: str) -> NeighborsAccess:
    """Return a histogram and its sensitivities, without privacy.

    R's function is ``DPpack::histogramDataAccess``.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; missing ones are left out.
    breaks : str, int, array_like or callable
        Bins as in R's hist.
    mechanism : {"Laplace", "Gaussian", "analytic"}
        Determines the norm of the sensitivities: L1 for Laplace, else L2.

    Returns
    -------
    NeighborsAccess
        ``True_Values``, a `Histogram` without a density, ``Bounded_Sensitivities`` and
        ``Unbounded_Sensitivities``.

    Raises
    ------
    PydpstatError
        If an argument is invalid.

    See Also
    --------
    histogramDP : the release.
    histogram : pydpstat's function.

    Notes
    -----
    Guarantee: none. `histogramDP` releases these values.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, section 3.3.

    Examples
    --------
    >>> histogramDataAccess([1, 4, 3, 2, 3], "Sturges", "Laplace").True_Values.counts
    array([2, 2, 1])
    """
    counted = r.hist(read_flat_numbers(x, "x"), breaks)
    plain = r.Histogram(counted.breaks, counted.counts, None, counted.mids, counted.xname, counted.equidist)
    return _make_count_access(plain, mechanism)


@explain_wrong_calls
def tableDataAccess(*factors: object, mechanism: str = "Laplace", **columns: object) -> NeighborsAccess:
    """Return a contingency table and its sensitivities, without privacy.

    R's function is ``DPpack::tableDataAccess``.

    Parameters
    ----------
    *factors : array_like of shape (n,), or one DataFrame
        The variables to cross: lists, arrays, Series or Categoricals (levels kept, as factors).
    mechanism : {"Laplace", "Gaussian", "analytic"}, default "Laplace"
        Determines the norm of the sensitivities: L1 for Laplace, else L2.
    **columns
        Further variables, whose keywords become names of dimensions, and ``useNA``, ``exclude`` and
        ``dnn`` as in R's table.

    Returns
    -------
    NeighborsAccess
        ``True_Values``, a Series, a DataFrame, or a Series with a MultiIndex, for one, two or more
        variables; ``Bounded_Sensitivities`` and ``Unbounded_Sensitivities``.

    Raises
    ------
    PydpstatError
        If an argument is invalid.

    See Also
    --------
    tableDP : the release.
    crosstab : pydpstat's function.

    Notes
    -----
    Guarantee: none. `tableDP` releases these values.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, section 3.3.

    Examples
    --------
    >>> tableDataAccess(["b", "a", "b"]).True_Values.to_dict()
    {'a': 1, 'b': 2}
    """
    variables, names, rules = read_table_variables(factors, columns)
    counts, labels = build_contingency_table(variables, names, **rules)
    return _make_count_access(labels.to_pandas(counts).astype(np.int64), mechanism)


@explain_wrong_calls
def pooledVarDataAccess(
    samples: Sequence[npt.ArrayLike], lower_bound: float, upper_bound: float, approx_n_max: bool
) -> NeighborsAccess:
    """Return a pooled variance and its sensitivities, without privacy.

    R's function is ``DPpack::pooledVarDataAccess``.

    Parameters
    ----------
    samples : sequence of array_like of shape (n_j,)
        The groups. They are not clipped to the bounds.
    lower_bound, upper_bound : float
        Bounds of the data.
    approx_n_max : bool
        Use a slightly larger sensitivity that does not reveal the size of the largest group.

    Returns
    -------
    NeighborsAccess
        ``True_Values``, ``Bounded_Sensitivities`` and ``Unbounded_Sensitivities``.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R would return NA, NaN or an infinite value.

    See Also
    --------
    pooledVarDP : the release.
    var : pydpstat's function.

    Notes
    -----
    Guarantee: none. `pooledVarDP` releases this value.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> pooledVarDataAccess([[1, 2], [4, 8]], 0, 10, False)
    NeighborsAccess(True_Values=4.25, Bounded_Sensitivities=25.0, Unbounded_Sensitivities=37.5)
    """
    groups = [read_group(sample).astype(np.float64) for sample in _check_groups(samples)]
    lower, upper = (
        checks.check_scalar(lower_bound, "lower_bound"),
        checks.check_scalar(upper_bound, "upper_bound"),
    )
    return _make_pooled_access(
        compute_pooled_variance(groups, lower, upper, checks.check_boolean(approx_n_max, "approx_n_max"))
    )


@explain_wrong_calls
def pooledCovDataAccess(
    samples: Sequence[npt.ArrayLike],
    lower_bound1: float,
    upper_bound1: float,
    lower_bound2: float,
    upper_bound2: float,
    approx_n_max: bool,
) -> NeighborsAccess:
    """Return a pooled covariance and its sensitivities, without privacy.

    R's function is ``DPpack::pooledCovDataAccess``.

    Parameters
    ----------
    samples : sequence of array_like of shape (n_j, 2) or DataFrames
        The groups of pairs. They are not clipped to the bounds.
    lower_bound1, upper_bound1, lower_bound2, upper_bound2 : float
        Bounds of the first and the second column.
    approx_n_max : bool
        Use a slightly larger bounded sensitivity that does not reveal the size of the largest group.

    Returns
    -------
    NeighborsAccess
        ``True_Values``, ``Bounded_Sensitivities`` and ``Unbounded_Sensitivities``.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R would return NA, NaN or an infinite value.

    See Also
    --------
    pooledCovDP : the release.
    cov : pydpstat's function.

    Notes
    -----
    Guarantee: none. `pooledCovDP` releases this value.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> group = [[1, 8], [4, -6], [-2, -3]]
    >>> pooledCovDataAccess([group], -10, 10, -10, 10, True).Bounded_Sensitivities
    200.0
    """
    groups = [read_pairs(sample) for sample in _check_groups(samples)]
    bounds1 = (
        checks.check_scalar(lower_bound1, "lower_bound1"),
        checks.check_scalar(upper_bound1, "upper_bound1"),
    )
    bounds2 = (
        checks.check_scalar(lower_bound2, "lower_bound2"),
        checks.check_scalar(upper_bound2, "upper_bound2"),
    )
    return _make_pooled_access(
        compute_pooled_covariance(groups, bounds1, bounds2, checks.check_boolean(approx_n_max, "approx_n_max"))
    )


def _make_pooled_access(pooled: PooledStatistic) -> NeighborsAccess:
    check_finite_figures(pooled.value, pooled.bounded_sensitivity, pooled.unbounded_sensitivity)
    return NeighborsAccess(pooled.value, pooled.bounded_sensitivity, pooled.unbounded_sensitivity)


def _make_count_access(counted: object, mechanism: object) -> NeighborsAccess:
    norm = 1 if checks.check_choice(mechanism, "mechanism", MECHANISMS) == "Laplace" else 2
    return NeighborsAccess(
        counted, compute_count_sensitivity("bounded", norm), compute_count_sensitivity("unbounded", norm)
    )


def _check_groups(samples: object) -> Sequence[npt.ArrayLike]:
    if not isinstance(samples, (list, tuple)) or not samples:
        raise PydpstatError(f"samples must be a list of groups; got {type(samples).__name__}. Give [group1, group2].")
    return samples

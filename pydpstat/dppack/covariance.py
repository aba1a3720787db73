"""DPpack's covariance of bounded pairs of records."""

from __future__ import annotations

from typing import Any

from pydpstat.dppack._arguments import bound, vector
from pydpstat.dppack._moments import release_moment
from pydpstat.dppack._queries.moments import clipped_covariance
from pydpstat.errors import PydpstatError
from pydpstat.results.results import DPResults


def covDP(
    x1: Any,
    x2: Any,
    eps: float,
    lower_bound1: float,
    upper_bound1: float,
    lower_bound2: float,
    upper_bound2: float,
    which_sensitivity: str = "bounded",
    mechanism: str = "Laplace",
    delta: float = 0,
    type_DP: str = "aDP",
    *,
    rng: Any = None,
) -> DPResults:
    """Release a covariance (divisor n - 1), as ``DPpack::covDP`` does.

    Parameters
    ----------
    x1, x2 : array_like of shape (n,)
        The data; values outside the bounds are moved onto them.
    eps : float
        Privacy parameter epsilon; above 0 and finite.
    lower_bound1, upper_bound1, lower_bound2, upper_bound2 : float
        Public bounds of `x1` and `x2`, chosen without looking at them.
    which_sensitivity : {"bounded", "unbounded", "both"}, default "bounded"
        Neighbors: one record replaced, or one added or removed. The noise is the same.
    mechanism : {"Laplace", "Gaussian", "analytic"}, default "Laplace"
        The noise; ``"analytic"`` is Gaussian with the analytic calibration.
    delta : float, default 0
        Privacy parameter delta; above 0 for the Gaussian mechanisms, not used for Laplace.
    type_DP : {"aDP", "pDP"}, default "aDP"
        Approximate or probabilistic privacy, for ``"Gaussian"`` only.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    DPResults
        Its estimate is a float.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or where R would return NA, NaN or an infinite value.

    Warns
    -----
    PrivacyWarning
        With ``"unbounded"`` or ``"both"``: the noise scale reveals the number of records.

    Notes
    -----
    Guarantee: (epsilon, delta) for one replaced record, the number of records public.
    The sensitivity is the product of the two ranges / n.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> from pydpstat import RRandom, covDP
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> salaries = [100, 300, 200, 100, 500, 300, 700, 300, 500, 200]
    >>> round(covDP(ages, salaries, 1.0, 0, 100, 0, 1000, rng=RRandom(123)), 1)
    -6662.3
    """
    first, second = vector(x1, "x1"), vector(x2, "x2")
    upper1, lower1 = bound(upper_bound1, "upper_bound1"), bound(lower_bound1, "lower_bound1")
    upper2, lower2 = bound(upper_bound2, "upper_bound2"), bound(lower_bound2, "lower_bound2")
    if first.size != second.size:
        raise PydpstatError(
            f"x1 and x2 must have the same length; got {first.size} and {second.size}. Give pairs of values."
        )
    bounds = ((lower1, upper1), (lower2, upper2))
    query = clipped_covariance(first, second, *bounds)
    arguments = {
        "eps": eps,
        "lower_bound1": lower_bound1,
        "upper_bound1": upper_bound1,
        "lower_bound2": lower_bound2,
        "upper_bound2": upper_bound2,
        "which_sensitivity": which_sensitivity,
        "mechanism": mechanism,
        "delta": delta,
        "type_DP": type_DP,
    }
    return release_moment("covDP", query, arguments, bounds, (("x1", "x1"), ("x2", "x2")), rng)

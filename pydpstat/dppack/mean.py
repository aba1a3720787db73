"""DPpack's mean of bounded records."""

from __future__ import annotations

from typing import Any

from pydpstat.dppack._arguments import bound, column_name, numbers
from pydpstat.dppack._moments import release_moment
from pydpstat.dppack._queries.moments import clipped_mean
from pydpstat.results.results import DPResults


def meanDP(
    x: Any,
    eps: float,
    lower_bound: float,
    upper_bound: float,
    which_sensitivity: str = "bounded",
    mechanism: str = "Laplace",
    delta: float = 0,
    type_DP: str = "aDP",
    *,
    rng: Any = None,
) -> DPResults:
    """Release a mean, as ``DPpack::meanDP`` does.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; values outside the bounds are moved onto them.
    eps : float
        Privacy parameter epsilon; above 0 and finite.
    lower_bound, upper_bound : float
        Public bounds of the data, chosen without looking at them.
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
    The sensitivity is (upper_bound - lower_bound) / n.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> from pydpstat import RRandom, meanDP
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> round(meanDP(ages, 1.0, 0, 100, rng=RRandom(123)), 3)
    30.869
    """
    upper, lower = bound(upper_bound, "upper_bound"), bound(lower_bound, "lower_bound")
    values = numbers(x, "x")
    query = clipped_mean(values, lower, upper, column_name(x, "mean"))
    arguments = {
        "eps": eps,
        "lower_bound": lower_bound,
        "upper_bound": upper_bound,
        "which_sensitivity": which_sensitivity,
        "mechanism": mechanism,
        "delta": delta,
        "type_DP": type_DP,
    }
    return release_moment("meanDP", query, arguments, (lower, upper), (("x", "x"),), rng)

"""DPpack's variance and standard deviation of bounded records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pydpstat.dppack._arguments import bound, column_name, vector
from pydpstat.dppack._moments import release_moment
from pydpstat.dppack._queries.moments import clipped_variance
from pydpstat.results._postprocessing import AsDrawn, PostProcessing, SquareRoot
from pydpstat.results.results import DPResults

REDRAWN = "redrawn until positive"


def varDP(
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
    """Release a variance (divisor n - 1), as ``DPpack::varDP`` does.

    The whole draw is repeated until the result is positive. With Laplace noise this keeps
    epsilon + log(2 - exp(-epsilon)) only.

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
        Its estimate is a float above 0.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or where R would return NA, NaN or an infinite value.

    Warns
    -----
    PrivacyWarning
        With Laplace noise, and with ``"unbounded"`` or ``"both"``; the message has the true figure.

    Notes
    -----
    Guarantee: with Gaussian noise (epsilon, delta) for one replaced record; with Laplace noise
    epsilon + log(2 - exp(-epsilon)). The sensitivity is (upper_bound - lower_bound)^2 / n.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> from pydpstat import RRandom, varDP
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> r = varDP(ages, 1.0, 0, 100, mechanism="analytic", delta=1e-3, rng=RRandom(123))
    >>> round(r, 1), r.postprocessing
    (4394.1, ('redrawn until positive',))
    """
    return _spread(
        "varDP", x, lower_bound, upper_bound, _keep, rng, eps, which_sensitivity, mechanism, delta, type_DP
    )


def sdDP(
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
    """Release a standard deviation, as ``DPpack::sdDP`` does: the square root of `varDP`.

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
        The noise of the variance.
    delta : float, default 0
        Privacy parameter delta; above 0 for the Gaussian mechanisms, not used for Laplace.
    type_DP : {"aDP", "pDP"}, default "aDP"
        Approximate or probabilistic privacy, for ``"Gaussian"`` only.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    DPResults
        Its estimate is a float above 0. `noise`, `noise_scale` and `sensitivity` are those of the
        variance; `bse` is the delta method's.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or where R would return NA, NaN or an infinite value.

    Warns
    -----
    PrivacyWarning
        As for `varDP`.

    Notes
    -----
    Guarantee: that of `varDP`, because the square root is post-processing.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> from pydpstat import RRandom, sdDP
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> round(sdDP(ages, 1.0, 0, 100, mechanism="analytic", delta=1e-3, rng=RRandom(123)), 2)
    66.29
    """
    return _spread(
        "sdDP", x, lower_bound, upper_bound, _root, rng, eps, which_sensitivity, mechanism, delta, type_DP
    )


def _spread(
    function: str,
    x: Any,
    lower_bound: Any,
    upper_bound: Any,
    publish: Callable[[np.ndarray], tuple[np.ndarray, PostProcessing]],
    rng: Any,
    *privacy: Any,
) -> DPResults:
    """Release a variance or its root."""
    values = vector(x, "x")
    upper, lower = bound(upper_bound, "upper_bound"), bound(lower_bound, "lower_bound")
    statistic = "variance" if function == "varDP" else "standard deviation"
    query = replace(clipped_variance(values, lower, upper, column_name(x, statistic)), statistic=statistic)
    eps, which_sensitivity, mechanism, delta, type_DP = privacy
    arguments = {
        "eps": eps,
        "lower_bound": lower_bound,
        "upper_bound": upper_bound,
        "which_sensitivity": which_sensitivity,
        "mechanism": mechanism,
        "delta": delta,
        "type_DP": type_DP,
    }
    return release_moment(
        function, query, arguments, (lower, upper), (("x", "x"),), rng, accept=_is_positive, publish=publish
    )


def _is_positive(value: np.ndarray) -> bool:
    return bool(value > 0.0)


def _keep(value: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
    return value, AsDrawn((REDRAWN,))


def _root(value: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
    return np.sqrt(value), SquareRoot((REDRAWN, "square root"))

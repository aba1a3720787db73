"""DPpack's mean, variance, standard deviation and covariance of bounded records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pydpstat import checks, privacy_warnings
from pydpstat.dppack.arguments import SENSITIVITIES, bound, column_name, numbers, vector
from pydpstat.dppack.protect import check_mechanism, protect
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.laplace import truncated_positive_epsilon
from pydpstat.postprocessing import AsDrawn, PostProcessing, SquareRoot
from pydpstat.privacy import Guarantee
from pydpstat.queries import Query
from pydpstat.queries.moments import clipped_covariance, clipped_mean, clipped_variance
from pydpstat.random import source_from
from pydpstat.results.call import Call
from pydpstat.results.results import DPResults

FIXED = (
    "the number of records is public",
    "no value is missing, and everybody knows it",
)
SCALE_TELLS_N = "for added or removed records nothing holds: the noise scale reveals their number"
REDRAWN = "redrawn until positive"


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
    arguments = _arguments(eps, lower_bound, upper_bound, which_sensitivity, mechanism, delta, type_DP)
    return _moment("meanDP", query, arguments, (lower, upper), ("x",), rng)


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
    (1908.9, ('redrawn until positive',))
    """
    return _spread("varDP", x, lower_bound, upper_bound, _keep, rng, eps, which_sensitivity, mechanism, delta, type_DP)


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
    43.69
    """
    return _spread("sdDP", x, lower_bound, upper_bound, _root, rng, eps, which_sensitivity, mechanism, delta, type_DP)


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
    -6605.6
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
    return _moment("covDP", query, arguments, bounds, ("x1", "x2"), rng)


def _arguments(
    eps: Any, lower_bound: Any, upper_bound: Any, which_sensitivity: Any, mechanism: Any, delta: Any, type_DP: Any
) -> dict[str, Any]:
    return {
        "eps": eps,
        "lower_bound": lower_bound,
        "upper_bound": upper_bound,
        "which_sensitivity": which_sensitivity,
        "mechanism": mechanism,
        "delta": delta,
        "type_DP": type_DP,
    }


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
    eps, *rest = privacy
    arguments = _arguments(eps, lower_bound, upper_bound, *rest)
    return _moment(
        function, query, arguments, (lower, upper), ("x",), rng, accept=_is_positive, publish=publish
    )


def _moment(
    function: str,
    query: Query,
    arguments: dict[str, Any],
    bounds: Any,
    data: tuple[str, ...],
    rng: Any,
    **pipeline: Any,
) -> DPResults:
    """Check what is left in R's order and release."""
    which = checks.one_of(arguments["which_sensitivity"], "which_sensitivity", SENSITIVITIES)
    mechanism = check_mechanism(arguments["mechanism"])
    if which == "both":
        privacy_warnings.warn(
            f"{function}: bounded and unbounded sensitivity are the same here, so one value is returned.",
            UserWarning,
        )
    redrawn = "accept" in pipeline and mechanism == "Laplace"

    def correct(kept: Guarantee) -> Guarantee:
        epsilon, conditions = kept.epsilon, FIXED
        if redrawn:
            privacy_warnings.redrawn(function, epsilon)
            epsilon = truncated_positive_epsilon(epsilon)
        if which != "bounded":
            privacy_warnings.noise_scale_tells_n(function)
            conditions = (*FIXED, SCALE_TELLS_N)
        return Guarantee(epsilon, kept.delta, "bounded", conditions)

    return protect(
        function,
        query if which == "bounded" else replace(query, nobs=None),
        arguments["eps"],
        mechanism,
        arguments["delta"],
        arguments["type_DP"],
        source_from(rng, int_seeds_r=True),
        neighbors="bounded" if which == "bounded" else "unbounded",
        record=Call(function, data, tuple(arguments.items()), "DPpack"),
        correct=correct,
        bounds=bounds,
        **pipeline,
    )


def _is_positive(value: np.ndarray) -> bool:
    return bool(value > 0.0)


def _keep(value: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
    return value, AsDrawn((REDRAWN,))


def _root(value: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
    return np.sqrt(value), SquareRoot((REDRAWN, "square root"))

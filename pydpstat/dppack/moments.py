"""DPpack's mean, variance, standard deviation and covariance of bounded records."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat._answering import explain_wrong_calls
from pydpstat.dppack._moments import REDRAWN_STEP, MomentQuery, is_positive, publish_unchanged, release_moment
from pydpstat.dppack._values import clip_to_bounds, get_column_name, read_flat_numbers, read_vector
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.r_arithmetic.moments import compute_double_mean
from pydpstat.results._postprocessing import PostProcessing, PostProcessor, SquareRootValue
from pydpstat.results._ranges import make_covariance_range, make_mean_range, make_variance_range
from pydpstat.results.results import DPResults


@explain_wrong_calls
def meanDP(
    x: npt.ArrayLike,
    eps: float,
    lower_bound: float,
    upper_bound: float,
    which_sensitivity: str = "bounded",
    mechanism: str = "Laplace",
    delta: float = 0,
    type_DP: str = "aDP",
    *,
    rng: object = None,
) -> DPResults:
    """Release a mean, as ``DPpack::meanDP`` does.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; values outside the bounds are clipped to them.
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
        If an argument is invalid, or if R would return NA, NaN or an infinite value.

    Warns
    -----
    PrivacyWarning
        With ``"unbounded"`` or ``"both"``: the noise scale reveals the number of records.

    See Also
    --------
    mean : pydpstat's function, for a release.
    medianDP, varDP, sdDP : other statistics of DPpack.

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
    upper, lower = (
        checks.check_scalar(upper_bound, "upper_bound"),
        checks.check_scalar(lower_bound, "lower_bound"),
    )
    if lower > upper:
        raise PydpstatError(f"lower_bound must be below upper_bound; got {lower!r} and {upper!r}. Swap them.")
    values = read_flat_numbers(x, "x")
    moment = MomentQuery("mean", compute_double_mean(clip_to_bounds(values, lower, upper)), upper - lower, values.size)
    arguments = (eps, lower_bound, upper_bound, which_sensitivity, mechanism, delta, type_DP)
    publish = publish_unchanged(make_mean_range([(lower, upper)]))
    return release_moment("meanDP", moment, get_column_name(x, "mean"), arguments, (lower, upper), rng, publish)


@explain_wrong_calls
def varDP(
    x: npt.ArrayLike,
    eps: float,
    lower_bound: float,
    upper_bound: float,
    which_sensitivity: str = "bounded",
    mechanism: str = "Laplace",
    delta: float = 0,
    type_DP: str = "aDP",
    *,
    rng: object = None,
) -> DPResults:
    """Release a variance (divisor n - 1), as ``DPpack::varDP`` does.

    The whole draw is repeated until the result is positive. With Laplace noise the true epsilon is
    therefore epsilon + log(2 - exp(-epsilon)).

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; values outside the bounds are clipped to them.
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
        If an argument is invalid, or if R would return NA, NaN or an infinite value.

    Warns
    -----
    PrivacyWarning
        With Laplace noise, and with ``"unbounded"`` or ``"both"``; the message has the true figure.

    See Also
    --------
    var : pydpstat's function, for a release.
    sdDP, covDP, pooledVarDP : other measures of spread of DPpack.

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
    arguments = (eps, lower_bound, upper_bound, which_sensitivity, mechanism, delta, type_DP)
    return _release_spread("varDP", "variance", x, arguments, _publish_variance, rng)


@explain_wrong_calls
def sdDP(
    x: npt.ArrayLike,
    eps: float,
    lower_bound: float,
    upper_bound: float,
    which_sensitivity: str = "bounded",
    mechanism: str = "Laplace",
    delta: float = 0,
    type_DP: str = "aDP",
    *,
    rng: object = None,
) -> DPResults:
    """Release a standard deviation, as ``DPpack::sdDP`` does.

    It is the square root of `varDP`.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; values outside the bounds are clipped to them.
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
        If an argument is invalid, or if R would return NA, NaN or an infinite value.

    Warns
    -----
    PrivacyWarning
        As for `varDP`.

    See Also
    --------
    std : pydpstat's function, for a release.
    varDP : its square.

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
    arguments = (eps, lower_bound, upper_bound, which_sensitivity, mechanism, delta, type_DP)
    return _release_spread("sdDP", "standard deviation", x, arguments, _publish_root, rng)


@explain_wrong_calls
def covDP(
    x1: npt.ArrayLike,
    x2: npt.ArrayLike,
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
    rng: object = None,
) -> DPResults:
    """Release a covariance (divisor n - 1), as ``DPpack::covDP`` does.

    Parameters
    ----------
    x1, x2 : array_like of shape (n,)
        The data; values outside the bounds are clipped to them.
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
        If an argument is invalid, or if R would return NA, NaN or an infinite value.

    Warns
    -----
    PrivacyWarning
        With ``"unbounded"`` or ``"both"``: the noise scale reveals the number of records.

    See Also
    --------
    cov : pydpstat's function, for a release.
    varDP, pooledCovDP : other measures of spread of DPpack.

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
    xs, ys = read_vector(x1, "x1", beside=True), read_vector(x2, "x2", beside=True)
    upper1, lower1 = (
        checks.check_scalar(upper_bound1, "upper_bound1"),
        checks.check_scalar(lower_bound1, "lower_bound1"),
    )
    upper2, lower2 = (
        checks.check_scalar(upper_bound2, "upper_bound2"),
        checks.check_scalar(lower_bound2, "lower_bound2"),
    )
    if xs.size != ys.size:
        raise PydpstatError(f"x1 and x2 must have the same length; got {xs.size} and {ys.size}. Give pairs of values.")
    bounds = ((lower1, upper1), (lower2, upper2))
    value = r.cov(clip_to_bounds(xs, lower1, upper1), clip_to_bounds(ys, lower2, upper2))
    moment = MomentQuery("covariance", value, (upper1 - lower1) * (upper2 - lower2), xs.size)
    ranges = (lower_bound1, upper_bound1, lower_bound2, upper_bound2)
    arguments = (eps, *ranges, which_sensitivity, mechanism, delta, type_DP)
    within = make_covariance_range(0.5 * (upper1 - lower1), 0.5 * (upper2 - lower2), None)
    return release_moment("covDP", moment, "covariance", arguments, bounds, rng, publish_unchanged(within))


def _release_spread(
    function: str,
    statistic: str,
    x: npt.ArrayLike,
    arguments: tuple[object, ...],
    publish: Callable[[float], PostProcessor],
    rng: object,
) -> DPResults:
    """Release a variance or its square root; the sensitivity is (upper - lower)^2 / n.

    `publish` makes the post-processing for half the difference of the bounds.
    """
    values = read_vector(x, "x")
    upper, lower = (
        checks.check_scalar(arguments[2], "upper_bound"),
        checks.check_scalar(arguments[1], "lower_bound"),
    )
    width = upper - lower
    moment = MomentQuery(statistic, r.var(clip_to_bounds(values, lower, upper)), width * width, values.size)
    name = get_column_name(x, statistic)
    return release_moment(
        function, moment, name, arguments, (lower, upper), rng, publish(0.5 * width), accept=is_positive
    )


def _publish_variance(half_width: float) -> PostProcessor:
    return publish_unchanged(make_variance_range([half_width], None), (REDRAWN_STEP,))


def _publish_root(half_width: float) -> PostProcessor:
    within = make_variance_range([half_width], None, is_deviation=True)

    def publish_value(value: Floats) -> tuple[Floats, PostProcessing]:
        return np.sqrt(value), SquareRootValue((REDRAWN_STEP, "square root"), within=within)

    return publish_value

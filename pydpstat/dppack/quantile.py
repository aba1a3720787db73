"""DPpack's quantile and median by the exponential mechanism."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._records.value_warnings import warn_argument_order
from pydpstat._release.choice import release_choice
from pydpstat.dppack import _warnings
from pydpstat.dppack._moments import PUBLIC_SIZE_CONDITIONS
from pydpstat.dppack._values import (
    RANK_SENSITIVITY,
    SENSITIVITIES,
    UNDERFLOW_EXPONENT,
    Intervals,
    check_mirror_epsilon,
    get_column_name,
    make_quantile_intervals,
    read_flat_numbers,
)
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.random import secure, source_from
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults

POINT_CONDITION = (
    "the interval is chosen exactly; the rounding of its length and of the point within it is not covered by the proof"
)


@explain_wrong_calls
def quantileDP(
    x: npt.ArrayLike,
    quant: float,
    eps: float,
    lower_bound: float,
    upper_bound: float,
    which_sensitivity: str = "bounded",
    mechanism: str = "exponential",
    *,
    rng: object = None,
) -> DPResults:
    """Release a quantile, as ``DPpack::quantileDP`` does.

    An interval between two sorted records is chosen by the exponential mechanism, and then a uniform point
    within it.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; values outside the bounds are clipped to them.
    quant : float
        Which quantile, between 0 and 1.
    eps : float
        Privacy parameter epsilon; above 0 and finite.
    lower_bound, upper_bound : float
        Public bounds of the data, chosen without looking at them.
    which_sensitivity : {"bounded", "unbounded", "both"}, default "bounded"
        Neighbors: one record replaced, or one added or removed. The release is the same.
    mechanism : {"exponential"}, default "exponential"
        The mechanism.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the choice. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    DPResults
        Its estimate is a float. `noise` is None: the error of the estimate depends on the data.

    Raises
    ------
    PydpstatError
        If an argument is invalid, if a value is missing, or if R would return ``numeric(0)``: equal bounds, or so many
        equal records that all weights underflow.

    Warns
    -----
    PrivacyWarning
        With an infinite upper bound: then nothing is guaranteed.

    See Also
    --------
    quantile, quantiles : pydpstat's function, for a release.
    medianDP : half of the records.

    Notes
    -----
    Guarantee: epsilon for one replaced record, the number of records public; for one added or
    removed record max(quant, 1 - quant) * epsilon, the number of records private.
    Without `rng` the estimate lies on a public grid of 2^-30 of the bounds' distance.

    References
    ----------
    Smith, A. (2011). Privacy-preserving statistical estimation with optimal convergence rates.
    STOC 2011, algorithm 2.

    Examples
    --------
    >>> from pydpstat import RRandom, quantileDP
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> round(quantileDP(ages, 0.75, 1.0, 0, 100, rng=RRandom(123)), 2)
    47.73
    """
    return _release_quantile("quantileDP", x, quant, eps, lower_bound, upper_bound, which_sensitivity, mechanism, rng)


@explain_wrong_calls
def medianDP(
    x: npt.ArrayLike,
    eps: float,
    lower_bound: float,
    upper_bound: float,
    which_sensitivity: str = "bounded",
    mechanism: str = "exponential",
    *,
    rng: object = None,
) -> DPResults:
    """Release a median, as ``DPpack::medianDP`` does.

    It is `quantileDP` with quant = 0.5.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; values outside the bounds are clipped to them.
    eps : float
        Privacy parameter epsilon; above 0 and finite.
    lower_bound, upper_bound : float
        Public bounds of the data, chosen without looking at them.
    which_sensitivity : {"bounded", "unbounded", "both"}, default "bounded"
        Neighbors: one record replaced, or one added or removed. The release is the same.
    mechanism : {"exponential"}, default "exponential"
        The mechanism.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the choice. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    DPResults
        Its estimate is a float. `noise` is None: the error of the estimate depends on the data.

    Raises
    ------
    PydpstatError
        As for `quantileDP`.

    Warns
    -----
    PrivacyWarning
        As for `quantileDP`.

    See Also
    --------
    median : pydpstat's function, for a release.
    quantileDP : other shares.

    Notes
    -----
    Guarantee: epsilon for one replaced record, the number of records public; epsilon / 2 for one
    added or removed record, the number of records private.

    References
    ----------
    Smith, A. (2011). Privacy-preserving statistical estimation with optimal convergence rates.
    STOC 2011, algorithm 2.

    Examples
    --------
    >>> from pydpstat import RRandom, medianDP
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> round(medianDP(ages, 1.0, 0, 100, rng=RRandom(123)), 2)
    35.13
    """
    return _release_quantile("medianDP", x, 0.5, eps, lower_bound, upper_bound, which_sensitivity, mechanism, rng)


def _release_quantile(
    function: str,
    x: npt.ArrayLike,
    quant: object,
    eps: object,
    lower_bound: object,
    upper_bound: object,
    which_sensitivity: object,
    mechanism: object,
    rng: object,
) -> DPResults:
    """Check in R's order, weight the intervals, determine the guarantee, and release."""
    upper, lower = (
        checks.check_scalar(upper_bound, "upper_bound"),
        checks.check_scalar(lower_bound, "lower_bound"),
    )
    values = read_flat_numbers(x, "x")
    share = checks.check_scalar(quant, "quant")
    if not 0.0 <= share <= 1.0:
        raise PydpstatError(f"quant must be between 0 and 1; got {checks.describe_value(quant)}. The median is 0.5.")
    which = checks.check_choice(which_sensitivity, "which_sensitivity", SENSITIVITIES)
    checks.check_choice(mechanism, "mechanism", ("exponential",))
    epsilon = check_mirror_epsilon(eps)
    if which == "both":
        _warnings.note_single_value(function)
    if function == "quantileDP":
        warn_argument_order(function, "quant", share, epsilon, "eps")
    _check_data(values, lower, upper)
    source = source_from(rng, int_seeds_r=True)
    finite = math.isfinite(upper - lower)
    intervals = make_quantile_intervals(values, share, epsilon, lower, upper)
    try:
        intervals.choice.check_candidates()
    except PydpstatError as error:
        raise PydpstatError(
            "no interval between the records can be chosen, and R returns numeric(0): the bounds "
            "must be finite and differ, and too many records are equal for this eps. Use a smaller "
            "eps, or add a little random noise to equal records."
        ) from error
    if upper == math.inf:
        _warnings.warn_infinite_upper_bound(function)
    statistic = function.removesuffix("DP")
    labels = Labels(get_column_name(x, statistic))
    arguments = {
        **({"quant": quant} if statistic == "quantile" else {}),
        "eps": epsilon,
        "lower_bound": lower_bound,
        "upper_bound": upper_bound,
        "which_sensitivity": which_sensitivity,
        "mechanism": mechanism,
    }
    grid = None if source.reproducible else _get_grid_unit(lower, upper)
    neighbors = "bounded" if which == "bounded" else "unbounded"

    def publish_point(point: float) -> tuple[float, Labels]:
        if grid is not None:
            # a number of full precision would reveal between which records it lies
            point = min(max(round(point / grid) * grid, lower), upper)
        return point, labels

    return release_choice(
        statistic,
        lambda uniforms: publish_point(intervals.select_point(uniforms)),
        source,
        n_draws=2,
        sensitivity=RANK_SENSITIVITY,
        claim=Guarantee(epsilon, 0.0, neighbors),
        guarantee=_derive_guarantee(epsilon, share, neighbors, upper, values.size),
        call=Call(function, (("x", "x"),), tuple(arguments.items()), "DPpack"),
        bounds=(lower, upper),
        nobs=values.size if neighbors == "bounded" else None,
        grid=grid,
        choose_exactly=(lambda: publish_point(_select_exact_point(intervals, epsilon, upper - lower)))
        if finite
        else None,
        exact_condition=POINT_CONDITION,
    )


def _select_exact_point(intervals: Intervals, eps: float, width: float) -> float:
    """Select an interval by its exact probability, and a point within it."""
    complete = intervals.make_complete or (lambda: intervals)

    def get_candidates() -> tuple[np.ndarray, np.ndarray]:
        every = complete()
        return every.utility, every.widths

    # twice the width, as it may have been rounded down
    rest = secure.Rest(intervals.first_index, intervals.max_other_utility, 2.0 * width, get_candidates)
    index = secure.choose(intervals.utility, secure.choice_rate(eps, RANK_SENSITIVITY), intervals.widths, rest)
    uniform, inside = float(secure.uniform(1)[0]), index - intervals.first_index
    if 0 <= inside < intervals.widths.size:
        return intervals.compute_point(inside, uniform)
    return complete().compute_point(index, uniform)


def _get_grid_unit(lower: float, upper: float) -> float | None:
    """Return the unit of the public grid; None for infinite bounds."""
    half = upper / 2.0 - lower / 2.0
    if half == math.inf:
        return None
    unit = math.ldexp(secure.grid_unit(half, half), -9)
    if unit == 0.0 or half == 0.0:
        raise PydpstatError("lower_bound and upper_bound are too close for a grid between them; rescale x.")
    return unit


def _check_data(values: np.ndarray, lower: float, upper: float) -> None:
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise PydpstatError(
            "x must have no missing values; some are missing (R stops because of the length of "
            "measure). Remove or replace them."
        )
    if lower > upper:
        raise PydpstatError(f"lower_bound must be below upper_bound; got {lower!r} and {upper!r}. Swap them.")


def _derive_guarantee(eps: float, quant: float, neighbors: str, upper: float, n: int) -> Guarantee:
    """Return the guarantee; adding a record changes a utility by quant or 1 - quant, which is less than 1."""
    if upper == math.inf:
        return Guarantee(math.inf, 0.0, neighbors)
    ties: tuple[str, ...] = ()
    if neighbors != "bounded" or eps * n / 2.0 > UNDERFLOW_EXPONENT - 1.0:
        ties = (f"fewer than {math.floor(2.0 * (UNDERFLOW_EXPONENT - 1.0) / eps)} records are equal once clipped",)
    if neighbors == "bounded":
        return Guarantee(eps, 0.0, neighbors, (*PUBLIC_SIZE_CONDITIONS, *ties))
    replaced = f"for one replaced record epsilon is {eps:.6g}"
    return Guarantee(max(quant, 1.0 - quant) * eps, 0.0, neighbors, (*PUBLIC_SIZE_CONDITIONS[1:], *ties, replaced))

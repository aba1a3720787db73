"""DPpack's pooled variance and covariance: the spread within groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._data.containers import is_frame
from pydpstat._data.native import read_frame, read_variable
from pydpstat._release.calibration import calibrate_release
from pydpstat._release.charging import charge_once
from pydpstat._release.pipeline import Query, release_query
from pydpstat.dppack import _warnings
from pydpstat.dppack._moments import (
    ARGUMENT_NAMES,
    PAIR_ARGUMENT_NAMES,
    REDRAWN_STEP,
    SCALE_REVEALS_SIZE,
    is_positive,
    publish_unchanged,
    warn_about_moment,
)
from pydpstat.dppack._noise import make_statistic_calibrator
from pydpstat.dppack._values import (
    MECHANISMS,
    SENSITIVITIES,
    PooledStatistic,
    clip_to_bounds,
    compute_pooled_covariance,
    compute_pooled_variance,
    read_flat_numbers,
)
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee, compose_basic
from pydpstat.random import source_from
from pydpstat.results import DPResults, DPResultsPair
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import PostProcessor
from pydpstat.results._ranges import make_covariance_range, make_variance_range

PUBLIC_GROUPS_CONDITIONS = (
    "the size of every group is public, and no record changes groups",
    "whether values are missing is treated as public",
)


@explain_wrong_calls
def pooledVarDP(
    *samples: npt.ArrayLike,
    eps: float = 1,
    lower_bound: float,
    upper_bound: float,
    which_sensitivity: str = "bounded",
    mechanism: str = "Laplace",
    delta: float = 0,
    type_DP: str = "aDP",
    approx_n_max: bool = False,
    rng: object = None,
) -> DPResults | DPResultsPair:
    """Release a pooled variance, as ``DPpack::pooledVarDP`` does.

    The groups' variances (divisor n_j - 1) are averaged with the weights n_j - 1. The whole draw is
    repeated until the result is positive. With Laplace noise the true epsilon is therefore epsilon + log(2
    - exp(-epsilon)).

    Parameters
    ----------
    *samples : array_like of shape (n_j,)
        The groups, each with at least two records; values outside the bounds are clipped to them.
    eps : float, default 1
        Privacy parameter epsilon; above 0 and finite.
    lower_bound, upper_bound : float
        Public bounds of the data, chosen without looking at them.
    which_sensitivity : {"bounded", "unbounded", "both"}, default "bounded"
        Neighbors: one record replaced, or one added or removed. The noise is the same, except
        where the groups have two records on average: then ``"both"`` makes two releases.
    mechanism : {"Laplace", "Gaussian", "analytic"}, default "Laplace"
        The noise; ``"analytic"`` is Gaussian with the analytic calibration.
    delta : float, default 0
        Privacy parameter delta; above 0 for the Gaussian mechanisms, not used for Laplace.
    type_DP : {"aDP", "pDP"}, default "aDP"
        Approximate or probabilistic privacy, for ``"Gaussian"`` only.
    approx_n_max : bool, default False
        Use a slightly larger sensitivity that does not reveal the size of the largest group.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    DPResults or DPResultsPair
        The estimate is a float above 0. With ``"both"``, if the sensitivities differ, a mapping
        with the keys ``"Bounded"`` and ``"Unbounded"``.

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
    var : pydpstat's function, with ``by=`` for groups.
    varDP : one sample.

    Notes
    -----
    Guarantee: with Gaussian noise (epsilon, delta) for one record replaced within its group, the
    groups' sizes public; with Laplace noise epsilon + log(2 - exp(-epsilon)). The sensitivity is
    (upper_bound - lower_bound)^2 (1 - 1 / max(n_j)) / (n - J) for n records in J groups.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> from pydpstat import RRandom, pooledVarDP
    >>> here, there = [43, 15, 50, 51, 16], [40, 14, 49, 69, 17, 33]
    >>> gauss = dict(mechanism="analytic", delta=1e-3)
    >>> r = pooledVarDP(here, there, lower_bound=0, upper_bound=100, **gauss, rng=RRandom(123))
    >>> round(r, 1), r.postprocessing
    (4096.8, ('redrawn until positive',))
    """
    lower, upper = (
        checks.check_scalar(lower_bound, "lower_bound"),
        checks.check_scalar(upper_bound, "upper_bound"),
    )
    groups = [clip_to_bounds(read_group(sample), lower, upper) for sample in samples]
    values = (eps, lower_bound, upper_bound, which_sensitivity, mechanism, delta, type_DP, approx_n_max)
    arguments = dict(zip((*ARGUMENT_NAMES, "approx_n_max"), values))
    pool = partial(compute_pooled_variance, groups, lower, upper)
    publish = publish_unchanged(make_variance_range([0.5 * (upper - lower)], None), (REDRAWN_STEP,))
    return _release_pooled("pooledVarDP", pool, arguments, (lower, upper), len(groups), rng, publish)


@explain_wrong_calls
def pooledCovDP(
    *samples: npt.ArrayLike,
    eps: float = 1,
    lower_bound1: float,
    upper_bound1: float,
    lower_bound2: float,
    upper_bound2: float,
    which_sensitivity: str = "bounded",
    mechanism: str = "Laplace",
    delta: float = 0,
    type_DP: str = "aDP",
    approx_n_max: bool = False,
    rng: object = None,
) -> DPResults | DPResultsPair:
    """Release a pooled covariance, as ``DPpack::pooledCovDP`` does.

    The groups' covariances (divisor n_j - 1) are averaged with the weights n_j - 1.

    Parameters
    ----------
    *samples : array_like of shape (n_j, 2) or DataFrame
        The groups of pairs, each with at least two; values outside the bounds are clipped to them.
        Further columns are not used.
    eps : float, default 1
        Privacy parameter epsilon; above 0 and finite.
    lower_bound1, upper_bound1, lower_bound2, upper_bound2 : float
        Public bounds of the first and the second column, chosen without looking at them.
    which_sensitivity : {"bounded", "unbounded", "both"}, default "bounded"
        Neighbors: one record replaced, one added or removed, or two releases, one for each.
    mechanism : {"Laplace", "Gaussian", "analytic"}, default "Laplace"
        The noise; ``"analytic"`` is Gaussian with the analytic calibration.
    delta : float, default 0
        Privacy parameter delta; above 0 for the Gaussian mechanisms, not used for Laplace.
    type_DP : {"aDP", "pDP"}, default "aDP"
        Approximate or probabilistic privacy, for ``"Gaussian"`` only.
    approx_n_max : bool, default False
        Use a slightly larger bounded sensitivity that does not reveal the size of the largest group.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    DPResults or DPResultsPair
        The estimate is a float. With ``"both"`` a mapping with the keys ``"Bounded"`` and
        ``"Unbounded"``.

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
    cov : pydpstat's function, with ``by=`` for groups.
    pooledVarDP : variances.

    Notes
    -----
    Guarantee: (epsilon, delta) for one record replaced within its group, the groups' sizes public.
    The sensitivity is the product of the two ranges times (1 - 1 / max(n_j)) / (n - J) for n
    records in J groups, and a larger one for ``"unbounded"``.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> from pydpstat import RRandom, pooledCovDP
    >>> here, there = [[43, 10], [15, 30], [50, 20]], [[51, 15], [16, 50], [40, 30], [14, 70]]
    >>> bounds = dict(lower_bound1=0, upper_bound1=100, lower_bound2=0, upper_bound2=100)
    >>> round(pooledCovDP(here, there, eps=2, **bounds, rng=RRandom(123)), 1)
    -720.1
    """
    # lower bounds first, as R checks them
    lower1, lower2 = (
        checks.check_scalar(lower_bound1, "lower_bound1"),
        checks.check_scalar(lower_bound2, "lower_bound2"),
    )
    upper1, upper2 = (
        checks.check_scalar(upper_bound1, "upper_bound1"),
        checks.check_scalar(upper_bound2, "upper_bound2"),
    )
    bounds1, bounds2 = (lower1, upper1), (lower2, upper2)
    lower, upper = np.transpose([bounds1, bounds2])
    groups = [clip_to_bounds(read_pairs(sample), lower, upper) for sample in samples]
    ranges = (lower_bound1, upper_bound1, lower_bound2, upper_bound2)
    values = (eps, *ranges, which_sensitivity, mechanism, delta, type_DP, approx_n_max)
    arguments = dict(zip((*PAIR_ARGUMENT_NAMES, "approx_n_max"), values))
    pool = partial(compute_pooled_covariance, groups, bounds1, bounds2)
    publish = publish_unchanged(make_covariance_range(0.5 * (upper1 - lower1), 0.5 * (upper2 - lower2), None))
    return _release_pooled("pooledCovDP", pool, arguments, (bounds1, bounds2), len(groups), rng, publish)


def read_pairs(sample: object) -> np.ndarray:
    """Read the first two columns of a matrix or a frame as floats."""
    sample = read_frame(sample, "samples", needs_order=True)
    try:
        table: Any = sample.iloc if is_frame(sample) else np.asarray(sample)
        if isinstance(table, np.ndarray) and table.ndim != 2:
            raise TypeError
        return np.column_stack([read_flat_numbers(table[:, column], "samples").astype(np.float64) for column in (0, 1)])
    except PydpstatError:
        raise
    except (IndexError, TypeError, ValueError):
        raise PydpstatError(
            f"samples must be matrices with two columns of numbers; got a {type(sample).__name__}. "
            "Give each group as an array of shape (n, 2) or a DataFrame."
        ) from None


def read_group(sample: npt.ArrayLike) -> np.ndarray:
    """Read the records of a group, a vector or a matrix with one column."""
    sample = read_variable(sample, "samples")
    values = read_flat_numbers(sample, "samples")
    shape = np.shape(sample) if np.ndim(sample) > 1 else ()
    if shape and shape[1:] != (1,):
        raise PydpstatError(
            f"samples must be numeric vectors; got one of shape {shape}. Give each group as one vector."
        )
    return values


def _release_pooled(
    function: str,
    pool: Callable[[bool], PooledStatistic],
    arguments: dict[str, object],
    bounds: tuple[object, ...],
    groups: int,
    rng: object,
    publish: PostProcessor,
) -> DPResults | DPResultsPair:
    """Release for one kind of neighbors, or for both in sequence from one stream."""
    if not groups:
        raise PydpstatError("samples must have at least one group; got none. Give each group as an argument.")
    which = checks.check_choice(arguments["which_sensitivity"], "which_sensitivity", SENSITIVITIES)
    checks.check_choice(arguments["mechanism"], "mechanism", MECHANISMS)
    pooled = pool(checks.check_boolean(arguments["approx_n_max"], "approx_n_max"))
    is_variance = function == "pooledVarDP"
    statistic = "pooled variance" if is_variance else "pooled covariance"
    source = source_from(rng, int_seeds_r=True)
    data = tuple((f"sample{number}", f"sample{number}") for number in range(1, groups + 1))
    accept = is_positive if is_variance else None

    def make_release(
        neighbors: str, sensitivity: float, first: bool = True
    ) -> tuple[Guarantee, Callable[[], DPResults]]:
        query = Query(
            statistic,
            np.asarray(pooled.value, dtype=np.float64),
            (sensitivity,),
            Labels(statistic),
            nobs=pooled.nobs if which == "bounded" else None,
        )
        spec = make_statistic_calibrator(
            function,
            arguments,
            neighbors,
            conditions=PUBLIC_GROUPS_CONDITIONS
            if which == "bounded"
            else (*PUBLIC_GROUPS_CONDITIONS, SCALE_REVEALS_SIZE),
            guaranteed_neighbors="bounded",
            is_redrawn=is_variance,
        )
        prepared = calibrate_release(query.spec, spec, source.reproducible)
        spec.warn_weak_noise(query.spec)
        if first:
            warn_about_moment(spec, query.spec, which != "bounded", pooled.nobs)
        return prepared.guarantee, partial(
            release_query,
            query,
            prepared,
            source,
            call=record,
            bounds=bounds,
            is_acceptable=accept,
            postprocess=publish,
        )

    record = Call(function, data, tuple(arguments.items()), "DPpack")
    if which == "bounded":
        return make_release("bounded", pooled.bounded_sensitivity)[1]()
    if which == "both" and is_variance and pooled.bounded_sensitivity == pooled.unbounded_sensitivity:
        _warnings.note_single_value(function)
        return make_release("unbounded", pooled.bounded_sensitivity)[1]()
    if not math.isfinite(pooled.unbounded_sensitivity):
        # check before any draw
        raise PydpstatError(
            "the unbounded sensitivity is not finite, so R stops or returns an infinite value. "
            "Give more records, finite bounds, or which_sensitivity='bounded'."
        )
    if which == "unbounded":
        return make_release("unbounded", pooled.unbounded_sensitivity)[1]()
    first, draw = make_release("bounded", pooled.bounded_sensitivity)
    second, draw_second = make_release("unbounded", pooled.unbounded_sensitivity, first=False)
    together = compose_basic(first, second)
    # charge both before the first is drawn
    with charge_once(None, together, record, str(arguments["mechanism"])):
        return DPResultsPair(draw(), draw_second(), together)

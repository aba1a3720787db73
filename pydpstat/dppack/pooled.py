"""DPpack's pooled variance and covariance: the spread within groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import answered
from pydpstat._data.containers import is_frame
from pydpstat._data.held import read_frame, variable
from pydpstat._release.additive import Query, release
from pydpstat._release.calibration import prepare
from pydpstat._release.payment import paid
from pydpstat.dppack import _warnings
from pydpstat.dppack._moments import (
    NAMES,
    NAMES_OF_PAIRS,
    REDRAWN,
    SCALE_TELLS_N,
    as_drawn,
    is_positive,
    warn_of_moment,
)
from pydpstat.dppack._noise import statistic_spec
from pydpstat.dppack._values import (
    MECHANISMS,
    SENSITIVITIES,
    Pooled,
    clip,
    numbers,
    pooled_covariance,
    pooled_variance,
)
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee, compose_basic
from pydpstat.random import source_from
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import Publish
from pydpstat.results._ranges import covariance, spreads
from pydpstat.results.results import DPResults, DPResultsPair

FIXED_GROUPS = (
    "the size of every group is public, and no record changes groups",
    "whether values are missing is treated as public",
)


@answered
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
        Use a slightly larger sensitivity that does not tell the size of the largest group.
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
        Where an argument is not allowed, or where R would return NA, NaN or an infinite value.

    Warns
    -----
    PrivacyWarning
        With Laplace noise, and with ``"unbounded"`` or ``"both"``; the message has the true figure.

    See Also
    --------
    var : pydpstat's own, with ``by=`` for groups.
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
    lower, upper = checks.scalar(lower_bound, "lower_bound"), checks.scalar(upper_bound, "upper_bound")
    groups = [clip(column(sample), lower, upper) for sample in samples]
    values = (eps, lower_bound, upper_bound, which_sensitivity, mechanism, delta, type_DP, approx_n_max)
    arguments = dict(zip((*NAMES, "approx_n_max"), values))
    pool = partial(pooled_variance, groups, lower, upper)
    publish = as_drawn(spreads([0.5 * (upper - lower)], None), (REDRAWN,))
    return _release("pooledVarDP", pool, arguments, (lower, upper), len(groups), rng, publish)


@answered
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
        Use a slightly larger bounded sensitivity that does not tell the size of the largest group.
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
        Where an argument is not allowed, or where R would return NA, NaN or an infinite value.

    Warns
    -----
    PrivacyWarning
        With ``"unbounded"`` or ``"both"``: the noise scale reveals the number of records.

    See Also
    --------
    cov : pydpstat's own, with ``by=`` for groups.
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
    lower1, lower2 = checks.scalar(lower_bound1, "lower_bound1"), checks.scalar(lower_bound2, "lower_bound2")
    upper1, upper2 = checks.scalar(upper_bound1, "upper_bound1"), checks.scalar(upper_bound2, "upper_bound2")
    bounds1, bounds2 = (lower1, upper1), (lower2, upper2)
    lower, upper = np.transpose([bounds1, bounds2])
    groups = [clip(pairs(sample), lower, upper) for sample in samples]
    ranges = (lower_bound1, upper_bound1, lower_bound2, upper_bound2)
    values = (eps, *ranges, which_sensitivity, mechanism, delta, type_DP, approx_n_max)
    arguments = dict(zip((*NAMES_OF_PAIRS, "approx_n_max"), values))
    pool = partial(pooled_covariance, groups, bounds1, bounds2)
    publish = as_drawn(covariance(0.5 * (upper1 - lower1), 0.5 * (upper2 - lower2), None))
    return _release("pooledCovDP", pool, arguments, (bounds1, bounds2), len(groups), rng, publish)


def pairs(sample: object) -> np.ndarray:
    """Return the first two columns of a matrix or a frame as floats."""
    sample = read_frame(sample, "samples", beside=True)
    try:
        table: Any = sample.iloc if is_frame(sample) else np.asarray(sample)
        if isinstance(table, np.ndarray) and table.ndim != 2:
            raise TypeError
        return np.column_stack([numbers(table[:, place], "samples").astype(np.float64) for place in (0, 1)])
    except PydpstatError:
        raise
    except (IndexError, TypeError, ValueError):
        raise PydpstatError(
            f"samples must be matrices with two columns of numbers; got a {type(sample).__name__}. "
            "Give each group as an array of shape (n, 2) or a DataFrame."
        ) from None


def column(sample: npt.ArrayLike) -> np.ndarray:
    """Return one group's records, a vector or a matrix of one column."""
    sample = variable(sample, "samples")
    values = numbers(sample, "samples")
    shape = np.shape(sample) if np.ndim(sample) > 1 else ()
    if shape and shape[1:] != (1,):
        raise PydpstatError(
            f"samples must be numeric vectors; got one of shape {shape}. Give each group as one vector."
        )
    return values


def _release(
    function: str,
    pool: Callable[[bool], Pooled],
    arguments: dict[str, object],
    bounds: tuple[object, ...],
    groups: int,
    rng: object,
    publish: Publish,
) -> DPResults | DPResultsPair:
    """Release for one kind of neighbors, or for both in turn on one stream."""
    if not groups:
        raise PydpstatError("samples must have at least one group; got none. Give each group as an argument.")
    which = checks.one_of(arguments["which_sensitivity"], "which_sensitivity", SENSITIVITIES)
    checks.one_of(arguments["mechanism"], "mechanism", MECHANISMS)
    pooled = pool(checks.flag(arguments["approx_n_max"], "approx_n_max"))
    is_variance = function == "pooledVarDP"
    statistic = "pooled variance" if is_variance else "pooled covariance"
    source = source_from(rng, int_seeds_r=True)
    data = tuple((f"sample{place}", f"sample{place}") for place in range(1, groups + 1))
    accept = is_positive if is_variance else None

    def protected(
        neighbors: str, sensitivity: float, first: bool = True
    ) -> tuple[Guarantee, Callable[[], DPResults]]:
        query = Query(
            statistic,
            np.asarray(pooled.value, dtype=np.float64),
            (sensitivity,),
            Labels(statistic),
            nobs=pooled.nobs if which == "bounded" else None,
        )
        spec = statistic_spec(
            function,
            arguments,
            neighbors,
            conditions=FIXED_GROUPS if which == "bounded" else (*FIXED_GROUPS, SCALE_TELLS_N),
            kept_for="bounded",
            redrawn=is_variance,
        )
        prepared = prepare(query.question, spec, source.reproducible)
        spec.warn(query.question)
        if first:
            warn_of_moment(spec, query.question, which != "bounded", pooled.nobs)
        return prepared.guarantee, partial(
            release, query, prepared, source, record=record, bounds=bounds, accept=accept, publish=publish
        )

    record = Call(function, data, tuple(arguments.items()), "DPpack")
    if which == "bounded":
        return protected("bounded", pooled.bounded)[1]()
    if which == "both" and is_variance and pooled.bounded == pooled.unbounded:
        _warnings.one_value(function)
        return protected("unbounded", pooled.bounded)[1]()
    if not math.isfinite(pooled.unbounded):
        # before any draw
        raise PydpstatError(
            "the unbounded sensitivity is not finite, so R stops or returns an infinite value. "
            "Give more records, finite bounds, or which_sensitivity='bounded'."
        )
    if which == "unbounded":
        return protected("unbounded", pooled.unbounded)[1]()
    first, draw = protected("bounded", pooled.bounded)
    second, draw_second = protected("unbounded", pooled.unbounded, first=False)
    together = compose_basic(first, second)
    # both are paid for before the first is drawn
    with paid(None, together, record, str(arguments["mechanism"])):
        return DPResultsPair(draw(), draw_second(), together)

"""DPpack's histogram and contingency table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat._answering import explain_wrong_calls
from pydpstat._release.calibration import Calibration, calibrate_release, compute_count_sensitivity
from pydpstat._release.charging import charge_once
from pydpstat._release.pipeline import Query, release_query
from pydpstat.dppack import _warnings
from pydpstat.dppack._noise import make_statistic_calibrator
from pydpstat.dppack._values import (
    MECHANISMS,
    SENSITIVITIES,
    build_contingency_table,
    count_in_bins,
    read_flat_numbers,
    read_table_variables,
)
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic._arrays import has_length, to_numeric
from pydpstat.r_arithmetic.factor import is_categorical
from pydpstat.r_arithmetic.table import has_data_dependent_levels
from pydpstat.random import source_from
from pydpstat.results import DPResults, DPResultsPair
from pydpstat.results._call import Call, quote_r_symbol
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import NoisyValue, PostProcessing, PostProcessor, ShareOfTotal
from pydpstat.results._ranges import PROPORTION
from pydpstat.results._ranges import make_count_range as counts_range

PUBLIC_SIZE_CONDITION = "the number of records is public"
_COUNT_RANGE = counts_range(None)


@explain_wrong_calls
def histogramDP(
    x: npt.ArrayLike,
    eps: float,
    lower_bound: float,
    upper_bound: float,
    breaks: object = "Sturges",
    normalize: bool = False,
    which_sensitivity: str = "bounded",
    mechanism: str = "Laplace",
    delta: float = 0,
    type_DP: str = "aDP",
    allow_negative: bool = False,
    *,
    rng: object = None,
) -> DPResults | DPResultsPair:
    """Release a histogram, as ``DPpack::histogramDP`` does.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; values outside the bounds are clipped to them, missing ones are left out.
    eps : float
        Privacy parameter epsilon; above 0 and finite.
    lower_bound, upper_bound : float
        Public bounds of the data, chosen without looking at them.
    breaks : str, int, array_like or callable, default "Sturges"
        Bins as in R's hist: ``"Sturges"``, ``"Scott"``, ``"FD"``, a number of bins, the
        edges, or a function of the data. Only edges that span the bounds are private.
    normalize : bool, default False
        Divide the noisy counts by their sum instead of rounding them.
    which_sensitivity : {"bounded", "unbounded", "both"}, default "bounded"
        Neighbors: one record replaced, one added or removed, or two releases, one for each.
    mechanism : {"Laplace", "Gaussian", "analytic"}, default "Laplace"
        The noise; ``"analytic"`` is Gaussian with the analytic calibration.
    delta : float, default 0
        Privacy parameter delta; above 0 for the Gaussian mechanisms, not used for Laplace.
    type_DP : {"aDP", "pDP"}, default "aDP"
        Approximate or probabilistic privacy, for ``"Gaussian"`` only.
    allow_negative : bool, default False
        Keep negative noisy counts instead of setting them to 0.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    DPResults or DPResultsPair
        The estimate is a `Histogram` with R's ``breaks counts mids xname equidist``. With
        ``"both"`` a mapping with the keys ``"Bounded"`` and ``"Unbounded"``.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R would stop, return NaN or never return.

    Warns
    -----
    PrivacyWarning
        Unless `breaks` is a vector that spans the bounds: other breaks come from the data.

    See Also
    --------
    histogram : pydpstat's function, for a release.
    tableDP : categories.

    Notes
    -----
    Guarantee: (epsilon, delta) if `breaks` is public and spans the bounds, else none.
    The L1 sensitivity is 2 (bounded) or 1 (unbounded); the L2 sensitivity sqrt(2) or 1.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, section 3.3.

    Examples
    --------
    >>> from pydpstat import RRandom, histogramDP
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> r = histogramDP(ages, 1.0, 0, 75, breaks=[0, 25, 50, 75], rng=RRandom(123))
    >>> r.estimate.counts
    array([3., 6., 2.])
    """
    upper, lower = (
        checks.check_scalar(upper_bound, "upper_bound"),
        checks.check_scalar(lower_bound, "lower_bound"),
    )
    values = read_flat_numbers(x, "x")
    arguments = {
        "eps": eps,
        "lower_bound": lower_bound,
        "upper_bound": upper_bound,
        "breaks": breaks,
        "normalize": normalize,
        "which_sensitivity": which_sensitivity,
        "mechanism": mechanism,
        "delta": delta,
        "type_DP": type_DP,
        "allow_negative": allow_negative,
    }

    return _release_counts(
        "histogramDP",
        lambda: count_in_bins(values, lower, upper, breaks),
        arguments,
        (("x", "x"),),
        rng,
        records=values.size,
        bounds=(lower, upper),
        condition="the breaks were chosen without the data" if _has_covering_breaks(breaks, lower, upper) else "",
        warn=_warnings.warn_breaks_from_data,
        publish=lambda noisy: _publish_histogram(noisy, normalize, allow_negative),
    )


@explain_wrong_calls
def tableDP(
    *factors: object,
    eps: float = 1,
    which_sensitivity: str = "bounded",
    mechanism: str = "Laplace",
    delta: float = 0,
    type_DP: str = "aDP",
    allow_negative: bool = False,
    rng: object = None,
    **columns: object,
) -> DPResults | DPResultsPair:
    """Release a contingency table, as ``DPpack::tableDP`` does.

    Parameters
    ----------
    *factors : array_like of shape (n,), or one DataFrame
        The variables to cross: lists, arrays, Series or Categoricals (levels kept, as factors).
        Records with a missing value are left out.
    eps : float, default 1
        Privacy parameter epsilon; above 0 and finite.
    which_sensitivity : {"bounded", "unbounded", "both"}, default "bounded"
        Neighbors: one record replaced, one added or removed, or two releases, one for each.
    mechanism : {"Laplace", "Gaussian", "analytic"}, default "Laplace"
        The noise; ``"analytic"`` is Gaussian with the analytic calibration.
    delta : float, default 0
        Privacy parameter delta; above 0 for the Gaussian mechanisms, not used for Laplace.
    type_DP : {"aDP", "pDP"}, default "aDP"
        Approximate or probabilistic privacy, for ``"Gaussian"`` only.
    allow_negative : bool, default False
        Keep negative noisy counts instead of setting them to 0.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds R's stream.
    **columns
        Further variables, whose keywords become names of dimensions, and ``useNA``, ``exclude`` and
        ``dnn`` as in R's table.

    Returns
    -------
    DPResults or DPResultsPair
        The estimate is a Series, a DataFrame, or a Series with a MultiIndex, for one, two or more
        variables. With ``"both"`` a mapping with the keys ``"Bounded"`` and ``"Unbounded"``.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or if R would stop.

    Warns
    -----
    PrivacyWarning
        Unless every variable is a Categorical: other levels come from the data.

    See Also
    --------
    crosstab : pydpstat's function, for a release.
    histogramDP : numbers in bins.

    Notes
    -----
    Guarantee: (epsilon, delta) if the levels are public, else none.
    The L1 sensitivity is 2 (bounded) or 1 (unbounded); the L2 sensitivity sqrt(2) or 1.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, section 3.3.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat import RRandom, tableDP
    >>> answer = pd.Categorical(["yes", "no", "yes", "yes"], categories=["no", "yes"])
    >>> tableDP(answer, eps=1, rng=RRandom(123)).estimate
    no    0.0
    yes   5.0
    Name: table, dtype: float64
    """
    variables, names, rules = read_table_variables(factors, columns)
    arguments = {
        "eps": eps,
        "which_sensitivity": which_sensitivity,
        "mechanism": mechanism,
        "delta": delta,
        "type_DP": type_DP,
        "allow_negative": allow_negative,
        **rules,
    }
    declared = all(is_categorical(variable) for variable in variables) and not has_data_dependent_levels(**rules)

    return _release_counts(
        "tableDP",
        lambda: build_contingency_table(variables, names, **rules),
        arguments,
        _format_columns(names, len(columns) - len(rules)),
        rng,
        records=_count_records(variables),
        condition="the levels are public" if declared else "",
        warn=_warnings.warn_levels_from_data,
        publish=lambda noisy: _publish_table(noisy, allow_negative),
    )


def _release_counts(
    function: str,
    count: Callable[[], tuple[np.ndarray, Labels]],
    arguments: dict[str, object],
    data: tuple[tuple[str, str], ...],
    rng: object,
    *,
    records: int,
    condition: str,
    warn: Callable[[], None],
    publish: PostProcessor,
    bounds: tuple[float, float] | None = None,
) -> DPResults | DPResultsPair:
    """Release counts for one kind of neighbors, or for both in sequence from one stream.

    `condition` is the condition of the guarantee; if it is empty, nothing is guaranteed, and `warn` gives the
    reason.
    """
    which = checks.check_choice(arguments["which_sensitivity"], "which_sensitivity", SENSITIVITIES)
    mechanism = checks.check_choice(arguments["mechanism"], "mechanism", MECHANISMS)
    counts, labels = count()
    source = source_from(rng, int_seeds_r=True)

    def make_release(neighbors: str, first: bool = True) -> tuple[Calibration, Callable[[], DPResults]]:
        sensitivity = compute_count_sensitivity(neighbors, 1 if mechanism == "Laplace" else 2)
        public, nobs = ((PUBLIC_SIZE_CONDITION,), records) if neighbors == "bounded" else ((), None)
        query = Query(labels.name, counts, (sensitivity,), labels, integer=True, nobs=nobs)
        spec = make_statistic_calibrator(function, arguments, neighbors, (condition, *public), is_void=not condition)
        prepared = calibrate_release(query.spec, spec, source.reproducible)
        spec.warn_weak_noise(query.spec)
        # R checks its flags last; here this is still before any draw
        checks.check_boolean(arguments["allow_negative"], "allow_negative")
        checks.check_boolean(arguments.get("normalize", False), "normalize")
        if spec.is_void and first:
            warn()
        return prepared, partial(
            release_query, query, prepared, source, call=record, bounds=bounds, postprocess=publish
        )

    record = Call(function, data, tuple(arguments.items()), "DPpack")
    if which != "both":
        return make_release(which)[1]()
    (first, draw), (second, draw_second) = make_release("bounded"), make_release("unbounded", first=False)
    together = _combine_guarantees(first, second)
    # charge both before the first is drawn
    with charge_once(None, together, record, first.noise.name):
        return DPResultsPair(draw(), draw_second(), together)


def _combine_guarantees(first: Calibration, second: Calibration) -> Guarantee:
    """Return the joint guarantee of both releases for one replaced record, which changes both tables."""
    guarantee = first.guarantee
    if math.isinf(guarantee.epsilon):
        return guarantee
    if isinstance(first.noise, GaussianNoise) and isinstance(second.noise, GaussianNoise):
        epsilon, guarantee = 2.0 * guarantee.epsilon, replace(guarantee, loss=None)
        if first.noise.sd == 0.0:
            return replace(guarantee, epsilon=epsilon, delta=1.0)
        # two Gaussian releases are equivalent to one whose squared inverse standard deviation is the sum of theirs
        joint = GaussianNoise(1.0 / math.hypot(1.0 / first.noise.sd, 1.0 / second.noise.sd))
        return replace(guarantee, epsilon=epsilon, delta=float(joint.delta(epsilon, math.sqrt(2.0))))
    # the loss of the first release is not that of both
    return replace(guarantee, epsilon=float(2.0 / first.noise.scale + 2.0 / second.noise.scale), loss=None)


def _count_records(variables: tuple[object, ...]) -> int:
    variable = variables[0] if variables else ()
    return len(variable) if has_length(variable) else 1


def _has_covering_breaks(breaks: object, lower: float, upper: float) -> bool:
    """Return whether breaks are a vector that spans the bounds, so that no bin depends on the data."""
    if isinstance(breaks, str) or callable(breaks):
        return False
    try:
        edges = to_numeric(breaks, "breaks")
    except PydpstatError:
        return False  # an error is raised later, when R would read them
    return edges.size > 1 and bool(edges.min() <= min(lower, upper) and edges.max() >= max(lower, upper))


def _publish_histogram(noisy: np.ndarray, normalize: bool, allow_negative: bool) -> tuple[np.ndarray, PostProcessing]:
    steps: tuple[str, ...] = () if allow_negative else ("negative counts to 0",)
    counts = noisy if allow_negative else np.where(noisy < 0.0, 0.0, noisy)
    if not normalize:
        return np.rint(counts), NoisyValue((*steps, "rounded"), within=_COUNT_RANGE)
    total = r.sum(counts)
    if total == 0.0:
        raise PydpstatError(
            "normalize divides by the sum of the noisy counts, which is 0 (R returns NaN). "
            "Use normalize=False or a larger eps."
        )
    return counts / total, ShareOfTotal(total, (*steps, "divided by their sum"), within=PROPORTION)


def _publish_table(noisy: np.ndarray, allow_negative: bool) -> tuple[np.ndarray, PostProcessing]:
    rounded = np.rint(noisy)
    if allow_negative:
        return rounded, NoisyValue(("rounded",), within=_COUNT_RANGE)
    steps = ("rounded", "negative counts to 0")
    return np.where(rounded < 0.0, 0.0, rounded), NoisyValue(steps, within=_COUNT_RANGE)


def _format_columns(names: tuple[str, ...], keywords: int) -> tuple[tuple[str, str], ...]:
    """Return the text of each variable in a call, in Python and in R; the last `keywords` ones are keywords."""
    texts = [(name or f"x{number}", quote_r_symbol(name or f"x{number}")) for number, name in enumerate(names, start=1)]
    n_positional = len(names) - keywords
    keyword_texts = [(f"{python}={python}", f"{in_r} = {in_r}") for python, in_r in texts[n_positional:]]
    return (*texts[:n_positional], *keyword_texts)

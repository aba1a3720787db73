"""Histograms with public edges."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import numpy.typing as npt

from pydpstat._checks import as_float, describe_value, is_number
from pydpstat._data.columns import Data, check_fill_value, read_single_column
from pydpstat._data.native import to_public_list
from pydpstat._data.values import should_fill
from pydpstat._null_distributions.quantiles.sample_quantiles import HistogramIntervals
from pydpstat._records.aggregates import count_bins_in_engine
from pydpstat._records.cells import count_bins, count_group_bins, make_cells_postprocessing, make_cells_query
from pydpstat._records.groups import Keys, warn_empty_groups
from pydpstat._records.records import RecordChunk, read_records
from pydpstat._release.calibration import INTEGER_MECHANISMS
from pydpstat._release.options import Missing, options
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release, release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.results._labels import Labels
from pydpstat.results.histogram_results import HistogramResults

MAX_HISTOGRAM_CELLS = 10**7


@guard_release
def histogram(
    x: Data,
    epsilon: float,
    *,
    edges: npt.ArrayLike | None = None,
    delta: float = 0,
    mechanism: str | Mechanism = "geometric",
    neighbors: str | None = None,
    missing: Missing = "error",
    by: Keys | None = None,
    levels: object = None,
    other: str | None = "other",
    unit: Keys | None = None,
    max_records: int | None = None,
    max_groups: int | None = None,
    sample: float | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> HistogramResults:
    """Release a histogram: the number of records in each bin.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; a frame where `by` or `unit` are columns of it. Values outside the edges, infinities
        included, are counted in the outer bins.
    epsilon : float
        Privacy parameter; positive and finite.
    edges : sequence of float, keyword only, needed
        Public edges of the bins, ascending, of any widths, chosen without looking at the data.
    delta : float, default 0
        Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0.
    mechanism : {"geometric", "gaussian"} or Mechanism, default "geometric"
        Noise mechanism. ``"geometric"`` is symmetric geometric noise, ``"gaussian"`` is discrete Gaussian noise; both
        are integers.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: a public number within the edges.
    by, levels, other, unit, max_records, max_groups, sample : optional
        By group, by unit, and on a sample, as in `mean`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    HistogramResults
        Its estimate has the parts ``breaks counts mids xname equidist``. Counts are integers
        and may be negative: setting these to 0 would bias sums upwards. By group it is a frame
        with a row for each group and a column for each bin.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `edges` is not given or would come from the data, `x` is not numeric, or a value is
        missing with ``missing="error"``.

    See Also
    --------
    quantiles : quantiles without bins.
    crosstab : categories instead of bins.
    histogramDP : R's DPpack with the numbers that R returns.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public.

    Bins are half-open as in ``numpy.histogram``: [a, b), the last one [a, b]. (R's ``hist`` and
    `histogramDP` have (a, b].)

    Sensitivity: every record is in exactly one bin, found by comparing it with the edges. Adding
    or removing one changes one count by 1: 1 in the L1 and in the L2 norm. Replacing one changes two
    counts by 1: 2 and sqrt(2). Counts and noise are integers, so nothing is rounded.

    By group every record is in exactly one bin of one group, or left out: the same sensitivities hold for
    all groups together, as groups and bins divide the records like more bins. With a unit each of its
    max_records = m records is added or removed, or is replaced: m times as much, which is attained if all are
    in one bin.

    ``conf_int(kind="population")`` has an interval for each bin's share of the population (by group: of the
    group's), not for a count, where the noise is geometric and at most one record of each unit counts: the
    records are then a random sample. It is exact where the number of records is public, and the one of
    `binomtest` where it is private.

    The result has more, at no additional privacy cost: ``quantile`` and ``cdf``, and by group ``difference``
    and ``pairs`` of the shares in a bin.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.
    Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020.

    Examples
    --------
    >>> import pydpstat
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> r = pydpstat.histogram(ages, 1.0, edges=[0, 20, 40, 60, 80], rng=1)
    >>> r.estimate.breaks.tolist(), r.estimate.counts.size
    ([0.0, 20.0, 40.0, 60.0, 80.0], 4)
    >>> r.sensitivity
    2.0
    """
    checked_options = options(
        epsilon, delta, mechanism, neighbors, missing, mechanisms=INTEGER_MECHANISMS, rng=rng, budget=budget
    )
    breaks = _check_edges(edges)
    check_fill_value(checked_options.missing, [(breaks[0], breaks[-1])], "edges")
    checked_options = checked_options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    records, checked_options = read_records(x, checked_options, read_single_column, "x")
    cells = (records.n_groups or 1) * (breaks.size - 1)
    if records.groups is not None and cells > MAX_HISTOGRAM_CELLS:
        raise PydpstatError(
            f"levels and edges must make at most {MAX_HISTOGRAM_CELLS} cells; they make {cells}. Use fewer of either."
        )
    engine_counts = None
    if records.engine_table is not None:
        engine_counts = count_bins_in_engine(records, breaks, checked_options.missing)
    if engine_counts is None:
        tally = partial(_count_part_bins, edges=breaks, missing=checked_options.missing, groups=records.n_groups)
        counts = records.fold(tally, np.add)
    else:
        counts = _add_missing_counts(*engine_counts, breaks, checked_options.missing)
    size = int(counts.sum())
    name = records.name if records.names is None else records.names[0]
    labels = records.label_groups(_make_bin_labels(name or "x", breaks))
    released = release_statistic(
        "histogram",
        make_cells_query("histogram", counts, labels, size, checked_options),
        checked_options,
        data_names=("x",),
        public_arguments=(("edges", breaks.tolist()), *records.arguments),
        postprocess=make_cells_postprocessing(checked_options, size, records.groups is not None, HistogramIntervals),
        conditions=records.conditions,
        is_total=True,
    )
    assert isinstance(released, HistogramResults)
    if records.groups is not None:
        sds = np.asarray(released.post.compute_standard_error(released.noise, released.value))
        warn_empty_groups(records.groups, released.value.sum(axis=-1), float(sds.max()) * math.sqrt(breaks.size - 1))
    return released


def _count_part_bins(part: RecordChunk, edges: np.ndarray, missing: Missing, groups: int | None) -> np.ndarray:
    """Count the records in each bin, of shape (bins,) or (groups, bins), with missing values as `missing` specifies."""
    x, group_codes = part.columns.arrays[0], part.group_codes
    counts: np.ndarray
    n_missing: int | np.ndarray
    if groups is None or group_codes is None:
        counts, n_missing = count_bins(x, edges)
    else:
        counts, n_missing = count_group_bins(x, group_codes, groups, edges)
    return _add_missing_counts(counts, n_missing, edges, missing)


def _add_missing_counts(
    counts: np.ndarray, n_missing: int | np.ndarray, edges: np.ndarray, missing: Missing
) -> np.ndarray:
    """Add the counts of the value that replaces missing ones, of which there are `n_missing` by group."""
    if should_fill(int(np.sum(n_missing)), missing):
        if counts.ndim == 1:
            n_missing = int(np.sum(n_missing))
        counts += np.multiply.outer(n_missing, count_bins(np.array([missing]), edges)[0])
    return counts


def _check_edges(edges: npt.ArrayLike | None) -> np.ndarray:
    if edges is None:
        raise PydpstatError(
            "edges must be given: bins from the data would reveal records (the range is two "
            "records). Give public edges, for example edges=np.linspace(0, 100, 21)."
        )
    if isinstance(edges, str) or is_number(edges):
        raise PydpstatError(
            f"edges must be a sequence of numbers; got {describe_value(edges)}. A number of bins or a rule "
            "would use the range of the data. Give public edges, for example edges=np.linspace(0, "
            "100, 21)."
        )
    values = to_public_list(edges, "edges")
    if isinstance(values, (list, tuple, range)) and len(values) > 1 and all(map(is_number, values)):
        array = np.array(list(map(as_float, values)))
        if np.isfinite(array).all() and (array[1:] > array[:-1]).all():
            return array + 0.0
    raise PydpstatError(
        f"edges must be two or more finite numbers in increasing order; got {_describe_invalid_edges(values)}. Give "
        "for example [0, 20, 40, 60]."
    )


def _describe_invalid_edges(values: object) -> str:
    """Describe what is wrong with edges."""
    if not isinstance(values, (list, tuple, range)) or len(values) < 2:
        return describe_value(values)
    if not all(map(is_number, values)):
        return f"{next(type(value).__name__ for value in values if not is_number(value))} among them"
    array = np.array(list(map(as_float, values)))
    if not np.isfinite(array).all():
        return "one that is not finite"
    return "one twice" if len(set(values)) < len(values) else "them in a different order"


def _make_bin_labels(name: str, edges: np.ndarray) -> Labels:
    middles = edges[:-1] / 2.0 + edges[1:] / 2.0
    widths = np.diff(edges)
    return Labels(
        "histogram",
        breaks=tuple(edges.tolist()),
        mids=tuple(middles.tolist()),
        xname=name,
        # R's tolerance of 1e-7 times the mean width
        equidist=bool(np.ptp(widths) <= 1e-7 * widths.mean()),
        left_closed=True,
    )

"""Number and proportion of the records that meet a condition."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from pydpstat._data.columns import Data, read_booleans
from pydpstat._data.values import should_fill
from pydpstat._null_distributions.proportions.shares import ShareIntervals
from pydpstat._records.aggregates import count_truths_in_engine
from pydpstat._records.cells import compute_share_rate
from pydpstat._records.groups import Keys, warn_empty_groups
from pydpstat._records.partition import compute_weight_sensitivity, convert_to_fortran_order
from pydpstat._records.records import RecordChunk, Records, read_records
from pydpstat._release.calibration import INTEGER_MECHANISMS
from pydpstat._release.options import Missing, Options, check_min_records, options
from pydpstat._release.pipeline import Chargeable, Query
from pydpstat._release.statistic import guard_release, release_statistic
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.results import _ranges as ranges
from pydpstat.results._postprocessing import DerivedValue, NoisyValue, PostProcessing, PostProcessor, ScaledValue
from pydpstat.results.results import DPResults

SHARE_STEPS = ("divided by the number of records", ranges.CLIPPED_STEP)


@guard_release
def count(
    condition: Data,
    epsilon: float,
    *,
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
) -> DPResults:
    """Release the number of records that meet a condition.

    Parameters
    ----------
    condition : array_like of bool, shape (n,) or (n, d)
        One Boolean per record, such as ``age > 65``. A frame or a matrix is counted column by
        column.
    epsilon : float
        Privacy parameter; positive and finite. It covers the whole release.
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
        scalar replaces them: True or False.
    by, levels, other, unit, max_records, max_groups, sample : optional
        By group, by unit, and on a sample, as in `mean`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    DPResults
        Its estimate is a float, or a Series for several columns. It is an integer and may be negative, so
        that counts add up without bias; its interval is not below 0.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `condition` is not Boolean, or a value is missing with ``missing="error"``.

    See Also
    --------
    proportion : the share of records instead of their number.
    crosstab : the number of records of each combination of levels.
    nunique : the number of persons or other units.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public.

    Sensitivity: one record changes a count by at most 1, whether it is replaced, added or removed. By group
    a replaced record may change two counts, so under bounded neighbors the L1 sensitivity is 2.
    d columns have the L1 sensitivity d and the L2 sensitivity sqrt(d), so each column's count is
    released with epsilon / d, or all together with Gaussian noise. (For more than two columns that is
    calibrated by concentrated privacy, which requires a few per cent more noise than an exact curve
    would.) Counts and noise are integers, so nothing is rounded. The number of all records is public
    under bounded neighbors and needs no release.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.
    Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> age = np.array([43, 15, 50, 71, 16, 80])
    >>> r = pydpstat.count(age > 65, 1.0)
    >>> float(r).is_integer(), r.sensitivity
    (True, 1.0)
    """
    public = (epsilon, delta, mechanism, neighbors, missing)
    checked_options = options(*public, mechanisms=INTEGER_MECHANISMS, fill_type=bool, rng=rng, budget=budget)
    checked_options = checked_options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    records, checked_options = read_records(condition, checked_options, read_booleans, "condition")
    truth_counts, size = _count_truths(records, checked_options, 0)
    query = _make_count_query(
        "count", truth_counts[0].reshape(records.shape), records, checked_options, size, records.has_several_groups
    )
    within = ranges.make_count_range(query.nobs)

    def publish_counts(noisy_counts: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        return noisy_counts, NoisyValue(within=within)

    released = _release_counts("count", query, records, checked_options, publish_counts)
    sd = float(np.max(released.post.compute_standard_error(released.noise, released.value)))
    values = released.value.reshape(records.n_groups or 1, -1)[:, 0]
    warn_empty_groups(
        records.groups,
        values,
        sd,
        has_all_records=False,
        quantity="number of records that meet the condition",
    )
    return released


@guard_release
def proportion(
    condition: Data,
    epsilon: float,
    *,
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
) -> DPResults:
    """Release the share of records that meet a condition.

    Parameters
    ----------
    condition : array_like of bool, shape (n,) or (n, d)
        One Boolean per record. A frame or a matrix is treated column by column.
    epsilon : float
        Privacy parameter; positive and finite. It covers the whole release.
    delta : float, default 0
        Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0.
    mechanism : {"geometric", "gaussian"} or Mechanism, default "geometric"
        Noise mechanism. ``"geometric"`` is symmetric geometric noise, ``"gaussian"`` is discrete Gaussian noise, of the
        count.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: True or False.
    by, levels, other, unit, max_records, max_groups, sample : optional
        By group, by unit, and on a sample, as in `mean`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    DPResults
        Its estimate is a float between 0 and 1, or a Series for several columns. `noise` is the distribution
        of the counts' noise; `bse` is in the share's unit.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `condition` is not Boolean, it is empty under bounded neighbors, or a value is
        missing with ``missing="error"``.

    See Also
    --------
    count : the number instead of the share.
    binomtest : a test of the share.
    weighted_proportion : with survey weights.

    Notes
    -----
    Guarantee: (epsilon, delta), split over d columns as `count` does. With ``missing="error"`` whether
    values are missing is treated as public.

    Bounded neighbors: the count of true values, of sensitivity 1, is released with integer noise and
    divided by the public n. Unbounded neighbors: the counts of true and of false values are
    released. One record adds 1 to one of the two, so the L1 and the L2 sensitivity of the pair are 1
    and both get the noise of a single count; their share is post-processing. Its error is
    ``sqrt(p^2 + (1 - p)^2)`` times that of a count over n, at most that of the bounded release. In
    both cases the share is clipped to [0, 1]; it is 1/2 if the noisy counts add up to at most 0.

    ``conf_int(kind="population")`` is an interval for the population's share, at no additional privacy
    cost, if the noise is geometric and at most one record of each unit counts: records are then a random
    sample. With a public number of records it inverts the binomial distribution with the noise in it
    (Clopper and Pearson) and is exact; with a private one it is the interval of `binomtest`. By group
    ``difference`` and ``pairs`` compare shares.

    References
    ----------
    Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case
    of the binomial. Biometrika 26, 404-413.
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> employed = np.repeat([True, False], [600, 400])
    >>> r = pydpstat.proportion(employed, 1.0, rng=pydpstat.RRandom(123))
    >>> abs(float(r) - 0.6) < 0.02
    True
    """
    public = (epsilon, delta, mechanism, neighbors, missing)
    checked_options = options(*public, mechanisms=INTEGER_MECHANISMS, fill_type=bool, rng=rng, budget=budget)
    checked_options = checked_options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    records, checked_options = read_records(condition, checked_options, read_booleans, "condition")
    truth_counts, size = _count_truths(records, checked_options, 1)
    publish: PostProcessor
    rate = compute_share_rate(checked_options, compute_weight_sensitivity(records.width, checked_options))

    def make_share_intervals(met: np.ndarray, unmet: np.ndarray) -> ShareIntervals | None:
        public_size = size if checked_options.has_public_size else None
        return None if rate is None else ShareIntervals(met, unmet, public_size, rate)

    if checked_options.has_public_size:
        query = _make_count_query("proportion", truth_counts[0].reshape(records.shape), records, checked_options, size)

        def publish(noisy_counts: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
            shares = make_share_intervals(noisy_counts, size - noisy_counts)
            post = ScaledValue(1.0 / size, SHARE_STEPS, population=shares, within=ranges.PROPORTION)
            return ranges.PROPORTION.clip_values(noisy_counts / size), post

    else:
        query = _make_count_query("proportion", truth_counts.reshape(-1), records, checked_options, size)
        totals: list[np.ndarray] = []

        def publish(noisy_counts: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
            met, unmet = noisy_counts.reshape(2, -1)
            totals.append((met + unmet).reshape(records.n_groups or 1, -1)[:, 0])
            positive = met + unmet > 0.0
            total = np.where(positive, met + unmet, 1.0)
            shares = np.where(positive, ranges.PROPORTION.clip_values(met / total), 0.5)
            # gradient norms of a / (a + b) with respect to (a, b), at the published share
            slopes = np.where(positive, np.hypot(shares, 1.0 - shares) / total, np.nan)
            steps = ("share of the noisy counts", ranges.CLIPPED_STEP)
            intervals = make_share_intervals(met.reshape(records.shape), unmet.reshape(records.shape))
            slopes_of = convert_to_fortran_order(slopes, records.shape)
            post = DerivedValue(slopes_of, steps, population=intervals, within=ranges.PROPORTION)
            return shares.reshape(records.shape), post

    released = _release_counts("proportion", query, records, checked_options, publish)
    if not checked_options.has_public_size:
        # the numbers of records of groups are private under both neighbors
        sd = math.sqrt(2.0) * float(np.max(released.noise.std()))
        warn_empty_groups(records.groups, totals[0], sd)
    return released


def _count_truths(records: Records, options: Options, min_records: int) -> tuple[np.ndarray, int]:
    """Return the counts of true and false values by group and column, and the public number of records.

    Under bounded neighbors there must be at least `min_records` records.
    """

    def count_all_truths() -> np.ndarray:
        if records.engine_table is not None:
            engine_counts = count_truths_in_engine(records, options.missing)
            if engine_counts is not None:
                return engine_counts
        tally = partial(_count_part_truths, missing=options.missing, groups=records.n_groups)
        return records.fold(tally, np.add)

    check = partial(check_min_records, options, min_records=min_records, statistic="proportion", argument="condition")
    truth_counts, size = records.sum_with_size(count_all_truths, lambda found: int(found[:, 0, 0].sum()), check)
    return truth_counts.reshape(2, -1), size or 0


def _count_part_truths(part: RecordChunk, missing: Missing, groups: int | None) -> np.ndarray:
    """Count true and false values, of shape (2, groups, columns); treat missing values as `missing` specifies."""
    columns = part.columns
    truth_counts = np.zeros((2, groups or 1, len(columns.arrays)), dtype=np.int64)
    for column, (truths, absent) in enumerate(zip(columns.arrays, columns.missing)):
        group_codes = part.group_codes if groups is not None else None
        if absent is not None and absent.any():
            if should_fill(int(np.count_nonzero(absent)), missing):
                truths = np.where(absent, bool(missing), truths)
            else:
                truths, group_codes = truths[~absent], None if group_codes is None else group_codes[~absent]
        if group_codes is None:
            true = int(np.count_nonzero(truths))
            truth_counts[:, 0, column] = true, truths.size - true
        else:
            truth_counts[0, :, column] = np.bincount(group_codes[truths], minlength=groups or 1)
            truth_counts[1, :, column] = np.bincount(group_codes[~truths], minlength=groups or 1)
    return truth_counts


def _make_count_query(
    statistic: str,
    counts: np.ndarray,
    records: Records,
    options: Options,
    size: int,
    has_separate_positions: bool = True,
) -> Query:
    """Make the query of counts; a record changes one count of each column by 1.

    `has_separate_positions` is that of `compute_weight_sensitivity`.
    """
    return Query(
        statistic,
        counts.astype(np.float64),
        (compute_weight_sensitivity(records.width, options, has_separate_positions),),
        records.make_labels(statistic),
        integer=True,
        nobs=size if options.has_public_size else None,
        exact=tuple(counts.ravel(order="F").tolist()),
    )


def _release_counts(
    function: str, query: Query, records: Records, options: Options, postprocess: PostProcessor
) -> DPResults:
    return release_statistic(
        function,
        query,
        options,
        data_names=("condition",),
        public_arguments=records.arguments,
        postprocess=postprocess,
        conditions=records.conditions,
        is_total=function == "count",
    )

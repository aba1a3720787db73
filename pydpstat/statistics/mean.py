"""Mean and sum of bounded records."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, Data, GivenBounds, VariableBounds
from pydpstat._null_distributions import weight_moments
from pydpstat._records import partition, record_grid
from pydpstat._records.column_release import compute_exact_sums, make_column_query, release_columns, sum_on_grid
from pydpstat._records.group_sums import split_sums_by_group
from pydpstat._records.groups import Keys
from pydpstat._records.record_grid import ExactSums
from pydpstat._records.records import Records
from pydpstat._release.calibration import VECTOR_MECHANISMS
from pydpstat._release.options import Missing, Options, options
from pydpstat._release.pipeline import Chargeable, Query
from pydpstat._release.statistic import guard_release
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.results import _ranges as ranges
from pydpstat.results._postprocessing import NoisyValue, PostProcessing, PostProcessor, ScaledValue
from pydpstat.results.results import DPResults

MAX_BOUND = 1e290


@guard_release
def mean(
    data: Data,
    epsilon: float,
    *,
    bounds: GivenBounds,
    delta: float = 0,
    mechanism: str | Mechanism | None = None,
    neighbors: str | None = None,
    missing: Missing = "error",
    by: Keys | None = None,
    levels: object = None,
    other: str | None = "other",
    unit: Keys | None = None,
    max_records: int | None = None,
    max_groups: int | None = None,
    sample: float | None = None,
    population: bool = False,
    rng: object = None,
    budget: Chargeable | None = None,
) -> DPResults:
    """Release a mean.

    Parameters
    ----------
    data : array_like of shape (n,) or (n, d)
        Numbers; values outside the bounds are clipped to them. A frame or a matrix is treated column
        by column.
    epsilon : float
        Privacy parameter; positive and finite. It covers the whole release.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them. For a frame a pair for each
        column, or a dict of them by column; one pair for all if their names do not differ but by digits.
    delta : float, default 0
        Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0.
    mechanism : {"laplace", "gaussian", "linf"} or Mechanism, optional
        Noise mechanism. By default Laplace noise for one column, and for several ``"linf"``, the K-norm mechanism of
        the cube, which has less noise. Gaussian noise has the analytic calibration.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: a public number within the bounds.
    by : str, list of str, or columns, optional
        Columns that define the groups: names of columns of the data, or a separate column (or a dict or tuple of them)
        with a value for each record. The release has all groups, including empty ones.
    levels : list, dict, list of lists or "declared", optional
        Public levels, or ``"declared"`` for Categoricals whose categories are public. Those of the keys in `by`, which
        requires them, in a form that `crosstab` has.
    other : str or None, default "other"
        Name of an additional level for values that are not among the levels. Missing values of the keys are counted
        there if a number replaces missing values. None leaves records with such values out.
    unit : str or column, optional
        Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a
        unit are protected together, and `neighbors` differ in one unit. It requires `max_records`.
    max_records : int, optional
        Largest number of records of a unit that are used, drawn at random for each release.
    max_groups : int, optional
        Largest number of groups in which a unit counts, with `by`; by default `max_records`.
    sample : float or int, optional
        Size of a random sample, drawn for this release: a share of the records, or under bounded neighbors a number of
        them. `epsilon` and `delta` are those of the release on the sample, and the result's are those that follow for
        all records, which are smaller.
    population : bool, default False
        Whether to release what ``conf_int(kind="population")`` requires. One record of each unit is then used. Also the
        sums are then released, with Laplace or Gaussian noise. The noise of the mean is the same for bounded neighbors
        without groups.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    DPResults
        Its estimate is a float, or a Series for several columns; by group a Series or a frame with the groups
        as its index. It is clipped to the bounds, and its interval stays within them.

    Raises
    ------
    PydpstatError
        If an argument is invalid, there is no record under bounded neighbors, or a value is missing with
        ``missing="error"``.

    See Also
    --------
    sum : the total.
    median : the middle record, which is robust to a few large values.
    moments : means, variances and tests from one release.
    meanDP : R's DPpack with the numbers that R returns.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public.
    The noise of the cube and Gaussian noise cover several columns together, each in units of its range;
    with Laplace noise each of d columns gets epsilon / d.

    Bounded neighbors: records are rounded, one by one, to multiples of a public unit inside the bounds
    and added up as integers. The mean of the rounded records is a rational number, and replacing one
    of them changes it by at most (upper - lower) / n. This is exact: nothing else is rounded before the
    noise, and the noise covers the rounding of the mean to its grid.

    Unbounded neighbors: with z the record's place between -1 (lower) and 1 (upper), the sums A of
    (1 - z) / 2 and B of (1 + z) / 2 are released. One record adds two nonnegative numbers that add up
    to 1, exactly, so the L1 sensitivity of the pair is 1 (and the L2 sensitivity at most 1): one noise
    scale 1 / epsilon serves both, where releasing a sum and a count would split epsilon. B / (A + B) is
    post-processing; its mean squared error is about ``R^2 / (n epsilon)^2 (1 + t^2)``, with R the range
    and t the mean's place between -1 and 1. Where A + B is at most 1 the midpoint is returned. `bse` is
    by the delta method, from the noisy sums. The records' rounding, 2^-41 of the range, stays below 1 %
    of the noise up to n epsilon = 3e10.

    If the number of records is private and A + B is above 1, the ratio is above and below the true mean with
    equal probability, so the estimate is nearly median-unbiased. It is biased if the noise is not small
    relative to the number of records: the ratio is then skewed, and the midpoint is often returned. For a
    group of 5 records with mean 0.8, bounds (0, 1), the average of 4,000 estimates is 0.775 at epsilon 1 and
    0.699 at epsilon 0.5, their median 0.790 and 0.718; with 50 records the average is 0.801 at epsilon 1.

    By group: the pair (A, B) of every group is released. Unbounded: a record is in one group, so all
    groups together have the sensitivity of one, and each has the noise of a separate release. Bounded: a
    record may change groups; the L1 sensitivity is 2, the L2 sensitivity at most sqrt(2).
    The number of all records is then public, those of the groups are not.

    With a unit: at most max_records = m records of each unit count. They are selected by a keyed hash
    of that unit's records only, so that other units do not affect the selection. For every key a unit changes
    the sums by at most m times the change by one record, in any norm: all sensitivities are m times as large.
    Under bounded neighbors the records of a unit are removed and those of another added, as for a record that
    changes groups. The number of records is private under both.

    With ``population=True`` the sum of the squares z^2 is released in addition to that of the z, as
    `moments` does: replacing a record changes half of the one and a quarter of the other by at most 1
    together, the sensitivity of the first alone. Unbounded, and by group: the three weights of `var` replace
    the two. The interval of kind "population" inverts a studentized test, as in `ttest_1samp`;
    its level was measured.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.
    Casacuberta, S., Shoemate, M., Vadhan, S. and Wagaman, C. (2022). Widespread underestimation of
    sensitivity in differentially private libraries and how to fix it. CCS 2022.
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy. ICML
    2018.

    Examples
    --------
    >>> import pydpstat
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> r = pydpstat.mean(ages, 1.0, bounds=(0, 100), rng=pydpstat.RRandom(123))
    >>> round(r, 3)
    30.869
    >>> r.sensitivity
    10.0
    """
    more = checks.check_boolean(population, "population")
    public = (epsilon, delta, mechanism, neighbors, missing)
    checked_options = options(*public, mechanisms=VECTOR_MECHANISMS, allow_objects=not more, rng=rng, budget=budget)
    checked_options = checked_options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    if more:
        from pydpstat._records.population import release_column_moments

        return release_column_moments("mean", data, bounds, checked_options)
    return release_columns("mean", make_mean_query, data, bounds, checked_options)


def make_mean_query(statistic: str, records: Records, bounds: Bounds, options: Options) -> tuple[Query, PostProcessor]:
    """Make the query of the mean of each column, or of the sums from which it is computed, with its post-processing."""
    grids, rows, size = sum_on_grid(statistic, records, bounds, options, 1)
    within = ranges.make_mean_range(bounds)
    if not options.has_public_size:
        weights, step = partition.LINE_WEIGHTS, "mean of the noisy sums"
        return partition.make_column_weights_query(
            statistic, records, bounds, options, weights, rows, _compute_means, step, within
        )
    exact = [record_grid.compute_ratio(each.first[0], size, grid.unit, grid.center) for grid, each in zip(grids, rows)]
    sensitivities = [record_grid.compute_width(pair, size) for pair in bounds]
    query = make_column_query(statistic, records, exact, sensitivities, size, options)
    return query, lambda noisy: (within.clip_values(noisy), NoisyValue((ranges.CLIPPED_STEP,), within=within))


def _compute_means(noisy_sums: np.ndarray, bounds: VariableBounds) -> tuple[np.ndarray, np.ndarray]:
    """Compute the means and their slopes from rows of noisy sums."""
    at = weight_moments.compute_moments(noisy_sums, weight_moments.LINE_BASIS)
    half = record_grid.compute_half_width(bounds)
    mean = 0.5 * bounds[0] + 0.5 * bounds[1] + half * at.means[..., 1]
    return mean, half * weight_moments.compute_row_norms(at.gradients[..., 1, :])


@guard_release
def sum(  # the statistic's name, to be used as pydpstat.sum
    data: Data,
    epsilon: float,
    *,
    bounds: GivenBounds,
    delta: float = 0,
    mechanism: str | Mechanism | None = None,
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
    """Release a sum.

    Parameters
    ----------
    data : array_like of shape (n,) or (n, d)
        Numbers; values outside the bounds are clipped to them. A frame or a matrix is treated column
        by column.
    epsilon : float
        Privacy parameter; positive and finite. It covers the whole release.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them. For a frame a pair for each
        column, or a dict of them by column; one pair for all if their names do not differ but by digits.
    delta : float, default 0
        Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0.
    mechanism : {"laplace", "gaussian", "linf"} or Mechanism, optional
        Noise mechanism. By default Laplace noise for one column, and for several ``"linf"``, the K-norm mechanism of
        the cube, which has less noise. Gaussian noise has the analytic calibration.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: a public number within the bounds.
    by, levels, other, unit, max_records, max_groups, sample : optional
        By group, by unit, and on a sample, as in `mean`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    DPResults
        Its estimate is a float, or a Series for several columns; by group a Series or a frame with the groups
        as its index. It is not clipped, so that sums add up without bias; its interval has the sign
        that the bounds allow, and under bounded neighbors lies between n times the bounds.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or a value is missing with ``missing="error"``.

    See Also
    --------
    mean : per record.
    weighted_total : with survey weights.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public.
    The noise of the cube and Gaussian noise cover several columns together, each in units of its
    sensitivity; with Laplace noise each of d columns gets epsilon / d.

    Records are rounded, one by one, to multiples of a public unit inside the bounds and added up as
    integers. Replacing a record hence changes the sum by at most upper - lower, and adding or removing
    one by at most max(\\|lower\\|, \\|upper\\|); rounding adds nothing to either. Under unbounded neighbors
    the unit is 2^-41 of the range or less, which stays below 1 % of the noise up to n epsilon = 3e10.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.
    Casacuberta, S., Shoemate, M., Vadhan, S. and Wagaman, C. (2022). Widespread underestimation of
    sensitivity in differentially private libraries and how to fix it. CCS 2022.

    Examples
    --------
    >>> import pydpstat
    >>> r = pydpstat.sum([3, 1, 4, 1, 5], 1.0, bounds=(0, 5), neighbors="unbounded", rng=123)
    >>> r.sensitivity, r.nobs is None
    (5.0, True)
    """
    checked_options = options(
        epsilon, delta, mechanism, neighbors, missing, mechanisms=VECTOR_MECHANISMS, rng=rng, budget=budget
    )
    checked_options = checked_options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    return release_columns("sum", _make_sum_query, data, bounds, checked_options)


def _make_sum_query(statistic: str, records: Records, bounds: Bounds, options: Options) -> tuple[Query, PostProcessor]:
    sizes = [max(abs(lower), abs(upper)) for lower, upper in bounds]
    # an overflow of the sum would be an error that depends on the data
    if max(sizes) > MAX_BOUND:
        raise PydpstatError(f"bounds must be at most {MAX_BOUND} in size for a sum. Rescale the data.")
    if options.has_public_size:
        grids, column_sums, size = sum_on_grid(statistic, records, bounds, options, 0)
        sensitivities = [record_grid.compute_width(pair) for pair in bounds]
        exact = [_compute_exact_total(total, grid) for grid, total in zip(grids, column_sums)]
        return make_column_query(statistic, records, exact, sensitivities, size, options), _make_sum_postprocessing(
            bounds, size
        )
    grids = [record_grid.make_data_grid(lower, upper) for lower, upper in bounds]
    rows = split_sums_by_group(compute_exact_sums(records, grids, options))
    sensitivities = [
        _compute_sum_sensitivity(pair, Fraction(size), options, records.has_several_groups)
        for pair, size in zip(bounds, sizes)
    ]
    exact = [_compute_exact_total(total, grid) for row in rows for grid, total in zip(grids, row)]
    if records.groups is None:
        return make_column_query(statistic, records, exact, sensitivities, None, options), _make_sum_postprocessing(
            bounds
        )
    return _make_group_sums_query(statistic, records, exact, sensitivities, bounds, options)


def _make_sum_postprocessing(bounds: Bounds, size: int | None = None) -> PostProcessor:
    """Return the post-processing of sums, without clipping, so that those of groups or releases add up without bias."""
    within = ranges.make_sum_range(bounds, size)
    return lambda noisy: (noisy, NoisyValue(within=within))


def _compute_exact_total(sums: ExactSums, grid: record_grid.RecordGrid) -> Fraction:
    return sums.count * Fraction(grid.center) + record_grid.compute_ratio(sums.first[0], 1, grid.unit)


def _compute_sum_sensitivity(
    bounds: VariableBounds, largest_value: Fraction, options: Options, has_several_groups: bool
) -> Fraction:
    """Compute the sensitivity of one column's sums in the noise's norm.

    The absolute value of a record is at most `largest_value`. A replaced record that changes groups
    (`has_several_groups`) changes two sums; one that is replaced within its group changes one sum by at most the
    range, which is larger than the L2 norm of the former if the bounds have different signs. Units may have
    different numbers of records, so records may be removed without replacement.
    """
    if options.n_changed_groups == 1:
        return options.contribution_bound * largest_value
    return options.contribution_bound * max(
        largest_value * partition.compute_separate_vectors_norm(2 if has_several_groups else 1, options),
        record_grid.compute_width(bounds),
    )


def _make_group_sums_query(
    statistic: str,
    records: Records,
    exact: list[Fraction],
    sensitivities: list[Fraction],
    bounds: Bounds,
    options: Options,
) -> tuple[Query, PostProcessor]:
    """Make the query of the sums of every group; those of several columns are in units of their sensitivities."""
    shape = records.shape
    units = sensitivities if len(sensitivities) > 1 else [Fraction(1)]
    sums = tuple(group_sum / units[index % len(units)] for index, group_sum in enumerate(exact))
    sensitivity = sensitivities[0] if len(units) == 1 else partition.compute_ones_norm(len(units), options)
    value = np.array([number.numerator / number.denominator for number in sums])
    layout = (len(units), 1)
    query = Query(statistic, value, (sensitivity,), records.make_labels(statistic), exact=sums, vector_shape=layout)
    factors = list(map(float, units))
    if len(units) == 1 and len(shape) == 1:
        return query, _make_sum_postprocessing(bounds)

    def publish_group_sums(noisy_sums: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        scales = np.broadcast_to(np.array(factors), shape)
        steps = ("multiplied by the sensitivities",)
        factors_of = partition.convert_to_fortran_order(scales, shape)
        return noisy_sums.reshape(shape) * scales, ScaledValue(
            factors_of, steps, within=ranges.make_sum_range(bounds, None)
        )

    return query, publish_group_sums

"""Variance and standard deviation of bounded records."""

from __future__ import annotations

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, Data, GivenBounds, VariableBounds
from pydpstat._null_distributions import weight_moments
from pydpstat._records import partition, record_grid
from pydpstat._records.column_release import make_column_query, release_columns, sum_on_grid
from pydpstat._records.groups import Keys
from pydpstat._records.records import Records
from pydpstat._release.calibration import VECTOR_MECHANISMS
from pydpstat._release.options import Missing, Options, options
from pydpstat._release.pipeline import Chargeable, Query
from pydpstat._release.statistic import guard_release
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.results import _ranges as ranges
from pydpstat.results._postprocessing import DerivedValue, NoisyValue, PostProcessing, PostProcessor, SquareRootValue
from pydpstat.results.results import DPResults


@guard_release
def var(
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
    """Release a variance with divisor n - 1.

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
    population : bool, default False
        Whether to release what ``conf_int(kind="population")`` requires. One record of each unit is then used. The
        noisy sums of `moments` are then released, with Laplace or Gaussian noise; the variance has slightly more noise.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    DPResults
        Its estimate is a float of at least 0, or a Series for several columns.

    Raises
    ------
    PydpstatError
        If an argument is invalid, there are fewer than two records under bounded neighbors, or a value is missing with
        ``missing="error"``.

    See Also
    --------
    std : its root.
    cov : two variables.
    moments : mean and spread from one release.
    varDP : R's DPpack with the numbers that R returns.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public.
    The noise of the cube and Gaussian noise cover several columns together, each in units of its
    sensitivity; with Laplace noise each of d columns gets epsilon / d. The noisy variance is clipped to the
    variances that records within the bounds can have, after a single draw, as post-processing.

    Bounded neighbors: records are rounded one by one to a public grid, y, and their squares to another
    of unit w, q. Released is ``V = (sum(q) - sum(y)^2 / n) / (n - 1)``, computed in integers. It is the
    variance of the y plus ``sum(q - y^2) / (n - 1)``. The other n - 1 records having the mean m,
    replacing y by y' changes the first by ``((y' - m)^2 - (y - m)^2) / n``, at most R^2 / n as both
    distances are within the range R; it changes the second by at most 2 w / (n - 1), as q is within w
    of y^2. The sensitivity is R^2 / n + 2 w / (n - 1), where w is about 2^-40 R^2.

    Unbounded neighbors: with z the record's place between -1 and 1 and s its rounded square, the sums of
    the weights (1 - 2z + s) / 4, (1 - s) / 2 and (1 + 2z + s) / 4 are released. They are not negative and
    add up to 1 for each record, exactly (`PARABOLA_WEIGHTS` of `pydpstat._records.partition`), so the L1
    sensitivity of the three sums is 1. The number of records, the sum of z and the sum of s are linear
    combinations of them, and the variance is post-processing; it is 0 where the noisy number is at most
    1. `bse` is by the delta method.

    With ``population=True`` the sums of z and s are released under bounded neighbors, as `moments` does, and
    the variance is post-processing. The interval of kind "population" rests on inequalities for sums of
    bounded variables, and is exact: it covers the population's variance for every distribution between the
    bounds. It is a wide one for small samples.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.
    Casacuberta, S., Shoemate, M., Vadhan, S. and Wagaman, C. (2022). Widespread underestimation of
    sensitivity in differentially private libraries and how to fix it. CCS 2022.
    Bentkus, V. (2004). On Hoeffding's inequalities. Annals of Probability 32, 1650-1673.

    Examples
    --------
    >>> import pydpstat
    >>> r = pydpstat.var([1, 2, 3, 4] * 100, 1.0, bounds=(0, 5), rng=pydpstat.RRandom(123))
    >>> round(r, 3), round(r.sensitivity, 6)
    (1.219, 0.0625)
    """
    more = checks.check_boolean(population, "population")
    public = (epsilon, delta, mechanism, neighbors, missing)
    checked_options = options(*public, mechanisms=VECTOR_MECHANISMS, allow_objects=not more, rng=rng, budget=budget)
    checked_options = checked_options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    if more:
        from pydpstat._records.population import release_column_moments

        return release_column_moments("var", data, bounds, checked_options)
    return release_columns("var", _make_variance_query, data, bounds, checked_options)


@guard_release
def std(
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
    """Release a standard deviation, the square root of a released variance.

    Parameters
    ----------
    data, epsilon, bounds, delta, mechanism, neighbors, missing, rng, budget
        As in `var`.
    by, levels, other, unit, max_records, max_groups, sample : optional
        By group, by unit, and on a sample, as in `mean`.
    population : bool, default False
        As in `var`.

    Returns
    -------
    DPResults
        Its estimate is a float of at least 0, or a Series for several columns. `noise`, `noise_scale`
        and `sensitivity` are the variance's; `bse` is by the delta method, NaN at 0.

    Raises
    ------
    PydpstatError
        As in `var`.

    See Also
    --------
    var : its square.
    moments : mean and spread from one release.
    sdDP : R's DPpack with the numbers that R returns.

    Notes
    -----
    Guarantee: that of `var`, one draw of noise; clipping at 0 and the root are post-processing.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.

    Examples
    --------
    >>> import pydpstat
    >>> r = pydpstat.std([1, 2, 3, 4] * 100, 1.0, bounds=(0, 5), rng=pydpstat.RRandom(123))
    >>> round(r, 3), r.postprocessing
    (1.104, ("clipped to the parameter's range", 'square root'))
    """
    more = checks.check_boolean(population, "population")
    public = (epsilon, delta, mechanism, neighbors, missing)
    checked_options = options(*public, mechanisms=VECTOR_MECHANISMS, allow_objects=not more, rng=rng, budget=budget)
    checked_options = checked_options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    if more:
        from pydpstat._records.population import release_column_moments

        return release_column_moments("std", data, bounds, checked_options)
    return release_columns("std", _make_std_query, data, bounds, checked_options)


def _make_variance_query(
    statistic: str, records: Records, bounds: Bounds, options: Options
) -> tuple[Query, PostProcessor]:
    check_squared_bounds(bounds)
    grids, sums, n = sum_on_grid("variance", records, bounds, options, 2, ((0, 0),))
    within = _get_spread_range(bounds, options, n)
    if not options.has_public_size:
        weights, step = partition.PARABOLA_WEIGHTS, "variance from the noisy sums"
        return partition.make_column_weights_query(
            statistic, records, bounds, options, weights, sums, _compute_variances, step, within
        )
    exact = [
        record_grid.compute_exact_covariance(
            n, column_sums.first[0], column_sums.first[0], column_sums.products[0], grid, grid
        )
        for column_sums, grid in zip(sums, grids)
    ]
    sensitivities = [
        record_grid.compute_covariance_sensitivity(n, grid, grid, pair, pair) for grid, pair in zip(grids, bounds)
    ]
    query = make_column_query(statistic, records, exact, sensitivities, n, options)
    return query, lambda noisy: (within.clip_values(noisy), NoisyValue((ranges.CLIPPED_STEP,), within=within))


def _get_spread_range(bounds: Bounds, options: Options, n: int, is_root: bool = False) -> ranges.ParameterRange:
    return ranges.make_variance_range(
        list(map(record_grid.compute_half_width, bounds)), n if options.has_public_size else None, is_root
    )


def _compute_variances(noisy_sums: np.ndarray, bounds: VariableBounds) -> tuple[np.ndarray, np.ndarray]:
    """Compute the variances and their slopes from rows of noisy sums."""
    value, gradient = weight_moments.compute_covariance(
        weight_moments.compute_moments(noisy_sums, weight_moments.PARABOLA_BASIS), 1, 1, 2
    )
    half = record_grid.compute_half_width(bounds)
    return half * half * value, half * half * weight_moments.compute_row_norms(gradient)


def _make_std_query(statistic: str, records: Records, bounds: Bounds, options: Options) -> tuple[Query, PostProcessor]:
    query, variance = _make_variance_query(statistic, records, bounds, options)
    within = _get_spread_range(bounds, options, query.nobs or 0, True)

    def publish_roots(noisy_values: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        squared, post = variance(noisy_values)
        root, steps = np.sqrt(squared), (*post.steps, "square root")
        if not isinstance(post, DerivedValue):
            return root, SquareRootValue(steps, within=within)
        flat = np.ravel(root, order="F")
        slopes = np.where(flat > 0.0, np.array(post.slopes) / (2.0 * flat), np.nan)
        return root, DerivedValue(tuple(slopes.tolist()), steps, sizes=post.sizes, within=within)

    return query, publish_roots


def check_squared_bounds(bounds: Bounds) -> None:
    """Check that squares of numbers between the bounds are normal floats."""
    for lower, upper in bounds:
        record_grid.check_bounds_range(lower, upper, 1e-140, 1e140, " for squares")

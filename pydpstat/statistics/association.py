"""Covariance and correlation of bounded records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pydpstat._data.columns import Data, GivenBounds, check_fill_value
from pydpstat._null_distributions.correlations import CorrelationValue
from pydpstat._null_distributions.proportions.shares import CorrelationIntervals
from pydpstat._records.association import make_bounded_query, make_corner_query, make_square_query, read_variables
from pydpstat._records.groups import Keys
from pydpstat._release.calibration import VECTOR_MECHANISMS
from pydpstat._release.options import Missing, Options, choose_column_mechanism, options
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release, release_statistic
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.results.results import DPResults
from pydpstat.statistics.spread import check_squared_bounds


@guard_release
def cov(
    x: Data,
    y: Data | float | None = None,
    epsilon: float | None = None,
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
    """Release a covariance (divisor n - 1), or a matrix of covariances.

    Parameters
    ----------
    x : array_like of shape (n,) or (n, d)
        Numbers; values outside the bounds are clipped to them. Without `y` a frame or a matrix of at
        least two columns.
    y : array_like of shape (n,), optional
        A second variable.
    epsilon : float
        Privacy parameter; positive and finite. It covers the whole release. For a frame it may come second:
        ``cov(frame, 1.0, bounds=...)``.
    bounds : pair of pairs
        Public bounds: ``((lower, upper), (lower, upper))`` of `x` and `y`, for a frame a pair for each column,
        or a dict of them by column. One pair for all, if their names do not say that they are different.
    delta : float, default 0
        Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0.
    mechanism : {"laplace", "gaussian", "linf"} or Mechanism, optional
        Noise mechanism. By default Laplace noise for two variables, and for a frame ``"linf"``, the K-norm mechanism of
        the cube, which has less noise. Gaussian noise has the analytic calibration.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only).
        Records are dropped if any variable is missing. A scalar replaces them: a public number within the bounds.
    by, levels, other, unit, max_records, max_groups, sample : optional
        By group, by unit, and on a sample, as in `mean`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    DPResults
        Its estimate is a float, or a symmetric DataFrame of shape (d, d).

    Raises
    ------
    PydpstatError
        If an argument is invalid, the variables differ in length, there are fewer than two records under bounded
        neighbors, or a value is missing with ``missing="error"``.

    See Also
    --------
    corr : correlations.
    var : one variable's variance.
    covDP : R's DPpack with the numbers that R returns.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public.

    Bounded neighbors: records are rounded one by one to public grids, and their products to another of
    unit w; the covariance follows in integers. The other n - 1 records having the means m1 and m2,
    replacing (y1, y2) changes it by ``((y1' - m1)(y2' - m2) - (y1 - m1)(y2 - m2)) / n``, at most
    R1 R2 / n: the product is linear in each variable, so its extremes are at the corners, and opposite
    corners differ by ``R1 b + R2 a - R1 R2`` with a in [0, R1] and b in [0, R2]. The products' rounding
    adds at most 2 w / (n - 1), w about 2^-40 R1 R2. For a frame the d (d + 1) / 2 different entries are
    released in units of R1 R2: together their L1 sensitivity is d (d + 1) / 2 times that of one (some
    data attain it), the L2 sensitivity its root. Each changes by at most one unit, which is the
    sensitivity of the cube's noise. With Laplace noise each entry gets epsilon divided
    by d (d + 1) / 2. Each entry is clipped to its range for records within the bounds, so that variances are
    not negative; the matrix need not be positive definite.

    Unbounded neighbors: with z1, z2 between -1 and 1, the sums of the four weights
    ``(1 +- z1)(1 +- z2) / 4`` are released, which are not negative and add up to 1 for each record
    (`CORNER_WEIGHTS` of `pydpstat._records.partition`), so the L1 sensitivity is 1; the covariance follows from
    them as post-processing, 0 where the noisy number of records is at most 1. For a frame each of
    the d (d - 1) / 2 pairs gets the nine products of the weights that `var` uses, and an equal part of
    epsilon (Gaussian noise covers all together); a variance is the mean of those of its pairs.
    `bse` is by the delta method.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.
    Casacuberta, S., Shoemate, M., Vadhan, S. and Wagaman, C. (2022). Widespread underestimation of
    sensitivity in differentially private libraries and how to fix it. CCS 2022.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0, 10, 1000)
    >>> r = pydpstat.cov(x, 5 - x / 2, 1.0, bounds=((0, 10), (0, 5)), rng=pydpstat.RRandom(123))
    >>> abs(float(r) - float(np.cov(x, 5 - x / 2)[0, 1])) < 0.5
    True
    """
    y, epsilon = _resolve_y_and_epsilon(y, epsilon)
    checked_options = options(
        epsilon, delta, mechanism, neighbors, missing, mechanisms=VECTOR_MECHANISMS, rng=rng, budget=budget
    )
    checked_options = checked_options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    return _release_association("cov", x, y, bounds, checked_options)


@guard_release
def corr(
    x: Data,
    y: Data | float | None = None,
    epsilon: float | None = None,
    *,
    bounds: GivenBounds,
    delta: float = 0,
    mechanism: str | Mechanism = "laplace",
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
    """Release Pearson's correlation, or a matrix of correlations.

    Parameters
    ----------
    x, y, epsilon, bounds, delta, mechanism, neighbors, missing, rng, budget
        As in `cov`.
    by, levels, other, unit, max_records, max_groups, sample : optional
        By group, by unit, and on a sample, as in `mean`.

    Returns
    -------
    DPResults
        Its estimate is a float between -1 and 1, or a symmetric DataFrame of shape (d, d) with ones on
        the diagonal; NaN where a noisy variance is not above 0.

    Raises
    ------
    PydpstatError
        As in `cov`.

    See Also
    --------
    cov : covariances, from which it follows.
    kendalltau : a test of association based on ranks.
    ols : a slope, with other predictors.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public.
    The correlation is post-processing of noisy variances and covariances: clipped to [-1, 1], and NaN if
    a noisy variance is not above 0, which `postprocessing`, the short form and the summary then state. `bse`
    is by the delta method, NaN if that is undefined. `conf_int` is not: it covers the correlation of these
    (clipped) records over the noise, for every number of them, and lies between -1 and 1; if the noise is too
    large, it is that whole range (`pydpstat._null_distributions.correlations`).
    For a frame each interval has its level by itself.

    ``conf_int(kind="population")`` is an interval for the population correlation, at no additional privacy
    cost, if one record of each unit counts: Fisher's z with the noise in its distribution and with a
    variance that depends on the tails. Its level was measured on normal, heavy-tailed, skewed, clipped and
    two-valued pairs.

    Unbounded neighbors: released are for each pair the sums of the nine products of the weights that
    `var` uses, which are not negative and add up to 1 for each record up to a rounding of 9 * 2^-41
    (`PRODUCT_WEIGHTS_NORM` of `pydpstat._records.partition`). The L1 sensitivity is 1 + 9 * 2^-41 a pair, and each
    pair gets an equal part of epsilon.

    Bounded neighbors: the same sums. Replacing a record removes such a vector and adds another: the
    L1 sensitivity doubles, and the L2 sensitivity grows by sqrt(2), as the product of two vectors
    without negative elements is not negative. Noisy variances and covariances, each with separate
    noise, would have an error about twice as large.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.
    Fieller, E. C. (1954). Some problems in interval estimation. Journal of the Royal Statistical
    Society B 16, 175-185.
    Fisher, R. A. (1921). On the probable error of a coefficient of correlation deduced from a small
    sample. Metron 1, 3-32.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0, 10, 10000)
    >>> r = pydpstat.corr(x, 5 - x / 2, 1.0, bounds=((0, 10), (0, 5)), rng=pydpstat.RRandom(123))
    >>> -1.0 <= float(r) < -0.9
    True
    """
    y, epsilon = _resolve_y_and_epsilon(y, epsilon)
    checked_options = options(epsilon, delta, mechanism, neighbors, missing, rng=rng, budget=budget)
    checked_options = checked_options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    return _release_association("corr", x, y, bounds, checked_options)


def _resolve_y_and_epsilon(y: Any, epsilon: float | None) -> tuple[Any, Any]:
    """Return the second variable and epsilon, which may be the second argument, as in cov(frame, 1.0, bounds=...)."""
    if epsilon is not None:
        return y, epsilon
    return (None, y) if np.ndim(y) == 0 else (y, None)


def _release_association(function: str, x: Data, y: Data | None, bounds: GivenBounds, options: Options) -> DPResults:
    variables, options = read_variables(x, y, bounds, options)
    check_squared_bounds(variables.bounds_by_column)
    check_fill_value(options.missing, variables.bounds_by_column)
    if function == "cov" and variables.is_matrix:
        options = choose_column_mechanism(options, variables.width)
    if function == "cov" and options.has_public_size:
        query, publish = make_bounded_query(variables, options)
    elif function == "cov" and not variables.is_matrix:
        query, publish = make_corner_query(variables, options)
    else:
        query, publish = make_square_query(function, variables, options)
    release = release_statistic(
        function,
        query,
        options,
        data_names=variables.data,
        public_arguments=(("bounds", variables.call_bounds), *variables.records.arguments),
        bounds=variables.call_bounds,
        postprocess=publish,
        conditions=variables.records.conditions,
    )
    post = release.post
    # several records of a unit are not independent
    if not isinstance(post, CorrelationValue) or release.noise is None or options.contribution_bound > 1:
        return release
    intervals = CorrelationIntervals(release.value, post.sums, post.size, post.width, release.noise)
    return replace(release, post=replace(post, population=intervals))

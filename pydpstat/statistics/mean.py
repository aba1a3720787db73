"""The mean and the sum of bounded records."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, Data, GivenBounds, Pair
from pydpstat._release.additive import Query, Spender
from pydpstat._release.calibration import VECTOR
from pydpstat._release.options import Missing, Options, options
from pydpstat._release.statistic import quiet
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.results import _ranges as ranges
from pydpstat.results._postprocessing import AsDrawn, PostProcessing, Publish, Scaled
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import partition, record_grid
from pydpstat.statistics._kernels.column_release import added, per_column, release_columns, summed
from pydpstat.statistics._kernels.group_sums import by_group
from pydpstat.statistics._kernels.record_grid import Sums
from pydpstat.statistics._kernels.records import Records
from pydpstat.statistics._kernels.scope import Keys

LARGEST = 1e290


@quiet
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
    budget: Spender | None = None,
) -> DPResults:
    """Release a mean.

    Parameters
    ----------
    data : array_like of shape (n,) or (n, d)
        Numbers; values outside the bounds are clipped to them. A frame or a matrix is treated column
        by column.
    epsilon : float
        Privacy parameter of the whole release; above 0 and finite.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them. For a frame one pair for all
        columns, one for each, or a dict of them by column.
    delta : float, default 0
        Above 0 and below 1 for ``"gaussian"``; 0 otherwise.
    mechanism : {"laplace", "gaussian", "linf"} or Mechanism, optional
        The noise: by default Laplace noise of one column, and of several ``"linf"``, the K-norm mechanism of
        the cube, which has less. Gaussian noise has the analytic calibration.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop"} or float, default "error"
        What to do with missing values: raise an error, leave them out (unbounded only), or put a
        public number within the bounds in their place.
    by : str, list of str, or columns, optional
        Release by group: columns of the data, or a separate column (or a dict or tuple of them) with a
        value for each record. One release has all groups, also empty ones.
    levels : list, dict, list of lists or "declared", optional
        The public levels of the keys, as in `crosstab`; needed with `by`. ``"declared"``: the keys are
        Categoricals whose categories are public.
    other : str or None, default "other"
        The group of values that are in no level, as in `crosstab`, and of missing ones if a number replaces
        missing values. None leaves such records out.
    unit : str or column, optional
        Whose data a record is, such as a person's id: what is protected is then all records of a unit, and
        `neighbors` speak of units. It needs `max_records`.
    max_records : int, optional
        How many records of a unit count; which ones is drawn at random for each release.
    max_groups : int, optional
        How many groups a unit's records may be in, with `by`; by default up to `max_records`.
    sample : float or int, optional
        Release on a random sample, drawn for this release: a share of the records, or under bounded
        neighbors a number of them. `epsilon` and `delta` are then of the release on the sample, and the
        result's are those that follow for all records, which are smaller.
    population : bool, default False
        Whether to release also what ``conf_int(kind="population")`` needs, with Laplace or Gaussian noise; of
        a unit one record counts then. Bounded neighbors without groups: the mean's own noise stays the same.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    DPResults
        Its estimate is a float, or a Series for several columns; by group a Series or a frame with the groups
        as its index. It is clipped to the bounds, and its interval stays within them.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, there is no record under bounded neighbors, or a value is
        missing with ``missing="error"``.

    See Also
    --------
    sum : the total.
    median : the middle record, which few large values do not move.
    moments : means, variances and tests from one release.
    meanDP : R's DPpack with the numbers that R returns.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public.
    The noise of the cube and Gaussian noise cover several columns together, each in units of its range;
    with Laplace noise each of d columns gets epsilon / d.

    Bounded neighbors: records are rounded, one by one, to multiples of a public unit inside the bounds
    and added up as integers. The mean of the rounded records is a rational number, and replacing one
    of them moves it by at most (upper - lower) / n. This is exact: nothing else is rounded before the
    noise, and what bringing the mean onto the noise's grid may add is paid for.

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
    groups together cost what one does, and each has the noise of a separate release. Bounded: a record
    can leave one group and enter another; the L1 sensitivity is 2, the L2 sensitivity at most sqrt(2).
    The number of all records is public then, those of the groups are not.

    With a unit: of each unit at most max_records = m records count. Which ones follows from a keyed hash
    of that unit's records alone, so that another unit changes nothing in it. For every key a unit moves
    the sums by at most m times what a record does, in any norm: all sensitivities are m times as large.
    Under bounded neighbors a unit's records are taken away and another's added, as a record that leaves
    a group and enters another. How many records there are is private under both.

    With ``population=True`` the sum of the squares z^2 is released in addition to that of the z, as
    `moments` does: replacing a record moves half of the one and a quarter of the other by at most 1
    together, which the first does alone. Unbounded, and by group: the three weights of `var` take the
    place of the two. The interval of kind "population" inverts a studentized test, as in `ttest_1samp`;
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
    more = checks.flag(population, "population")
    public = (epsilon, delta, mechanism, neighbors, missing)
    how = options(*public, mechanisms=VECTOR, others=not more, rng=rng, budget=budget)
    how = how.by_groups(by, levels, other, unit, max_records, max_groups, sample)
    if more:
        from pydpstat.inference._population import release_moments

        return release_moments("mean", data, bounds, how)
    return release_columns("mean", mean_query, data, bounds, how)


def mean_query(statistic: str, records: Records, pairs: Bounds, how: Options) -> tuple[Query, Publish]:
    """Ask for the mean of each column, or for the sums that it follows from, and say what is made of them."""
    grids, found, size = summed(statistic, records, pairs, how, 1)
    within = ranges.means(pairs)
    if not how.bounded:
        weights, step = partition.LINE_WEIGHTS, "mean of the noisy sums"
        return partition.column_weights(statistic, records, pairs, how, weights, found, _placed, step, within)
    exact = [
        record_grid.ratio(each.first[0], size, grid.unit, grid.center) for grid, each in zip(grids, found)
    ]
    sensitivities = [record_grid.width(pair, size) for pair in pairs]
    query = per_column(statistic, records, exact, sensitivities, size, how)
    return query, lambda noisy: (within.clip(noisy), AsDrawn((ranges.CLIPPED,), within=within))


def _placed(noisy: np.ndarray, pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """Return the means and their slopes from rows of noisy sums."""
    at, half = partition.moments(noisy, partition.LINE), record_grid.half_width(pair)
    mean = 0.5 * pair[0] + 0.5 * pair[1] + half * at.means[..., 1]
    return mean, half * partition.lengths(at.gradients[..., 1, :])


@quiet
def sum(  # the statistic's name, meant to be used as pydpstat.sum
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
    budget: Spender | None = None,
) -> DPResults:
    """Release a sum.

    Parameters
    ----------
    data : array_like of shape (n,) or (n, d)
        Numbers; values outside the bounds are clipped to them. A frame or a matrix is treated column
        by column.
    epsilon : float
        Privacy parameter of the whole release; above 0 and finite.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them. For a frame one pair for all
        columns, one for each, or a dict of them by column.
    delta : float, default 0
        Above 0 and below 1 for ``"gaussian"``; 0 otherwise.
    mechanism : {"laplace", "gaussian", "linf"} or Mechanism, optional
        The noise: by default Laplace noise of one column, and of several ``"linf"``, the K-norm mechanism of
        the cube, which has less. Gaussian noise has the analytic calibration.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop"} or float, default "error"
        What to do with missing values: raise an error, leave them out (unbounded only), or put a
        public number within the bounds in their place.
    by, levels, other, unit, max_records, max_groups, sample : optional
        By group, by unit, and on a sample, as in `mean`.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    DPResults
        Its estimate is a float, or a Series for several columns; by group a Series or a frame with the groups
        as its index. It is left as it was drawn, so that sums add up without bias; its interval has the sign
        that the bounds allow, and under bounded neighbors lies between n times the bounds.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or a value is missing with ``missing="error"``.

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
    integers. Replacing a record hence moves the sum by at most upper - lower, and adding or removing
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
    how = options(epsilon, delta, mechanism, neighbors, missing, mechanisms=VECTOR, rng=rng, budget=budget)
    how = how.by_groups(by, levels, other, unit, max_records, max_groups, sample)
    return release_columns("sum", _sum_query, data, bounds, how)


def _sum_query(statistic: str, records: Records, pairs: Bounds, how: Options) -> tuple[Query, Publish]:
    sizes = [max(abs(lower), abs(upper)) for lower, upper in pairs]
    # a sum beyond all floats would be an error that depends on the data
    if max(sizes) > LARGEST:
        raise PydpstatError(f"bounds must be at most {LARGEST} in size for a sum. Rescale the data.")
    if how.bounded:
        grids, found, size = summed(statistic, records, pairs, how, 0)
        sensitivities = [record_grid.width(pair) for pair in pairs]
        exact = [_total(each, grid) for grid, each in zip(grids, found)]
        return per_column(statistic, records, exact, sensitivities, size, how), _as_drawn(pairs, size)
    grids = [record_grid.data_grid(lower, upper) for lower, upper in pairs]
    rows = by_group(added(records, grids, how))
    sensitivities = [_reach(pair, Fraction(size), how, records.apart) for pair, size in zip(pairs, sizes)]
    exact = [_total(each, grid) for row in rows for grid, each in zip(grids, row)]
    if records.groups is None:
        return per_column(statistic, records, exact, sensitivities, None, how), _as_drawn(pairs)
    return _group_sums(statistic, records, exact, sensitivities, pairs, how)


def _as_drawn(pairs: Bounds, size: int | None = None) -> Publish:
    """Publish sums as they are: those of groups or of releases are to add up without bias."""
    within = ranges.sums(pairs, size)
    return lambda noisy: (noisy, AsDrawn(within=within))


def _total(found: Sums, grid: record_grid.RecordGrid) -> Fraction:
    return found.count * Fraction(grid.center) + record_grid.ratio(found.first[0], 1, grid.unit)


def _reach(pair: Pair, size: Fraction, how: Options, apart: bool) -> Fraction:
    """Return how far a neighbor moves one column's sums, in the noise's norm.

    A record is at most `size`. One that leaves a group and enters another, `apart`, moves two sums, and one
    that is replaced in its group moves one by at most the range, which is the larger in the L2 norm where
    the bounds have different signs. Units may have different numbers of records: nobody's records need be
    in the place of those that go.
    """
    if how.ends == 1:
        return how.most * size
    return how.most * max(size * partition.norm_apart(2 if apart else 1, how), record_grid.width(pair))


def _group_sums(
    statistic: str,
    records: Records,
    exact: list[Fraction],
    sensitivities: list[Fraction],
    pairs: Bounds,
    how: Options,
) -> tuple[Query, Publish]:
    """Ask for the sums of every group, of several columns in units of their sensitivities."""
    shape = records.shape
    units = sensitivities if len(sensitivities) > 1 else [Fraction(1)]
    parts = tuple(each / units[place % len(units)] for place, each in enumerate(exact))
    reach = sensitivities[0] if len(units) == 1 else partition.norm_of(len(units), how)
    value = np.array([part.numerator / part.denominator for part in parts])
    ball = (len(units), 1)
    query = Query(statistic, value, (reach,), records.labels(statistic), exact=parts, ball=ball)
    factors = list(map(float, units))
    if len(units) == 1 and len(shape) == 1:
        return query, _as_drawn(pairs)

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        scales = np.broadcast_to(np.array(factors), shape)
        steps = ("multiplied by the sensitivities",)
        factors_of = partition.in_columns(scales, shape)
        return noisy.reshape(shape) * scales, Scaled(factors_of, steps, within=ranges.sums(pairs, None))

    return query, publish

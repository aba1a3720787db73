"""Quantiles by permute-and-flip over a public grid of points."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pydpstat import _checks as checks
from pydpstat._data.columns import Data
from pydpstat._records.groups import Keys
from pydpstat._records.quantile_points import (
    QuantileQuery,
    check_quantile_options,
    check_raw_shares,
    check_share,
    check_shares,
    choose_points_for_share,
    choose_points_for_shares,
    compute_split_depth,
    read_quantile_query,
    release_points,
)
from pydpstat._records.ranks import RankTarget, compute_rank_range, compute_utility_limit
from pydpstat._records.value_warnings import warn_argument_order
from pydpstat._release.options import Missing
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults


@guard_release
def quantile(
    x: Data,
    q: float,
    epsilon: float,
    *,
    bounds: tuple[float, float],
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
    grid_points: int | None = None,
    population: bool = False,
) -> DPResults:
    """Release a quantile.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; a frame where `by` or `unit` are columns of it. Values outside the bounds, infinities
        included, are clipped to them.
    q : float
        Which quantile, between 0 (the minimum) and 1. It is rounded to a multiple of 2^-20.
    epsilon : float
        Privacy parameter; positive and finite.
    bounds : (float, float), keyword only
        Public bounds of the variable, chosen without looking at the data.
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
    grid_points : int, optional
        Number of equally spaced candidates from bound to bound. By default the whole numbers within whole
        bounds, if they are at most 2^20 and the variable has an integer dtype, or has no dtype, as a list,
        and `bounds` are integers at least 64 apart, ``(0, 100)`` and not ``(0.0, 100.0)``; otherwise 65,537
        points. With ``population=True`` the number of edges of the cells, from 9 to 1025.
    population : bool, default False
        Whether to release what ``conf_int(kind="population")`` requires. One record of each unit is then used. Noisy
        counts in public cells are then released instead of one value. Not with a sample.

    Returns
    -------
    DPResults
        Its estimate is a grid point, by group a Series of them, and `grid` the distance between two;
        `postprocessing` says if the candidates were whole numbers. `noise` is None: the error of the
        estimate depends on the data. With ``population=True`` the result has intervals of both kinds.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `x` is not numeric, it is empty under bounded neighbors, or a value is missing with
        ``missing="error"``.

    See Also
    --------
    median, quantiles : half of the records, and several shares from one release.
    quantileDP : R's DPpack with the numbers that R returns.

    Notes
    -----
    Guarantee: (epsilon, 0). With ``missing="error"`` whether values are missing is treated as public.

    Each record is rounded to its nearest grid point, which depends on this record only. A grid point
    z has the utility min(q n - #{x < z}, #{x <= z} - q n): if z has records and is the q-quantile, the depth
    of its rank within theirs, else minus the number of records in between. Adding a record at
    x changes the first number by q or q - 1, the second by -q or 1 - q, so the utility by at most
    max(q, 1 - q) either way: r = 2 max(q, 1 - q) for unbounded neighbors, also where n is private. Replacing
    one leaves q n unchanged and changes each rank by at most 1: r = 2, which is attained. For the minimum and
    maximum all utilities change in the same direction, by at most 1, so r = 1. Ties and gaps between the
    records do not affect this. All counts are integers and q n is exact, and so is the choice
    (`pydpstat.random.secure`): the largest epsilon * utility / r plus standard exponential noise, which is
    permute-and-flip. It satisfies epsilon if utilities change by at most r / 2 either way, and adding the
    same number to all of them has no effect; its expected utility is never below the exponential mechanism's.
    In a budget with ``accountant="zcdp"``, except on a sample, the exponential mechanism is used instead,
    with probabilities proportional to exp(epsilon * utility / r): the range of its loss is epsilon, so its
    rho is epsilon^2 / 8. If the dtype of a column determines the grid, the guarantee states that types are
    public.

    By group every group has a separate choice; in one without records every point has the same
    probability. The groups' numbers of records are private, so r = 2 max(q, 1 - q), 1 for q 0 or 1, is that
    of one record added or removed, which affects one group: for unbounded neighbors c is epsilon / r in
    each. Bounded: a record that is replaced is one that is removed and one that is added, be it to
    another group or to the same. With c = epsilon / (2 r) each of the two changes the probability of
    all choices together by a factor of at most exp(epsilon / 2), and both by exp(epsilon).

    With a unit at most m = max_records of its records are added or removed, in any groups:
    c is m times smaller. (For bounded neighbors m are removed and m others added.)

    With ``population=True`` a histogram is released with the whole of epsilon, of symmetric geometric noise;
    its number of cells is computed from n and epsilon, and is 128 if n, or a group's, is private. A record is
    in one cell of one group, so that each group has the noise of a separate release; under bounded neighbors
    it may change groups, and changes two cells by 1. The records at a bound or outside of it have their own cell, so
    that a point mass there is found. Elsewhere the estimate is interpolated between edges, and `bse` is half the
    distance between the points one standard deviation of the noise below and above; NaN if the noise is above a tenth
    of all records. Both kinds of intervals are exact for every distribution, ties included: they end at edges. That of
    the noise ends where the noisy number of records below is implausible for the rank of the records' quantile, and
    includes the whole cell of this point. That of kind "population" ends where this number is implausible for a
    binomial variable with the share q; for private numbers of records
    `pydpstat._null_distributions.quantiles.sample_quantiles` has the distribution.

    References
    ----------
    Smith, A. (2011). Privacy-preserving statistical estimation with optimal convergence rates.
    STOC 2011, algorithm 2.
    McKenna, R. and Sheldon, D. (2020). Permute-and-flip: a new mechanism for differentially private
    selection. NeurIPS 2020.

    Examples
    --------
    >>> import pydpstat
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17] * 100
    >>> r = pydpstat.quantile(ages, 0.75, 1.0, bounds=(0, 120), rng=1)
    >>> float(r)
    50.0
    """
    share = check_share(q)
    warn_argument_order("quantile", "q", share, epsilon)
    more = checks.check_boolean(population, "population")
    options = check_quantile_options(epsilon, neighbors, missing, more, rng, budget)
    options = options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    if more:
        from pydpstat._records.population import release_population_quantiles

        return release_population_quantiles("quantile", x, bounds, (share,), None, (("q", q),), grid_points, options)
    return _release_quantile("quantile", read_quantile_query(x, bounds, grid_points, options), share, (("q", q),))


@guard_release
def median(
    x: Data,
    epsilon: float,
    *,
    bounds: tuple[float, float],
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
    grid_points: int | None = None,
    population: bool = False,
) -> DPResults:
    """Release a median: `quantile` with q = 0.5.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; a frame where `by` or `unit` are columns of it. Values outside the bounds, infinities
        included, are clipped to them.
    epsilon : float
        Privacy parameter; positive and finite.
    bounds : (float, float), keyword only
        Public bounds of the variable, chosen without looking at the data.
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
    grid_points, population : optional
        As in `quantile`.

    Returns
    -------
    DPResults
        As for `quantile`.

    Raises
    ------
    PydpstatError
        As for `quantile`.

    See Also
    --------
    quantile, quantiles, quantile_test : other shares than a half, and a test.
    medianDP : R's DPpack with the numbers that R returns.

    Notes
    -----
    Guarantee: (epsilon, 0), as `quantile` shows. With r = 2 for bounded and r = 1 for unbounded
    neighbors, a median that protects one added or removed record is twice as accurate.

    References
    ----------
    As for `quantile`.

    Examples
    --------
    >>> import pydpstat
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17] * 100
    >>> 40 <= float(pydpstat.median(ages, 1.0, bounds=(0, 120), rng=1)) <= 43
    True
    """
    more = checks.check_boolean(population, "population")
    options = check_quantile_options(epsilon, neighbors, missing, more, rng, budget)
    options = options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    if more:
        from pydpstat._records.population import release_population_quantiles

        return release_population_quantiles("median", x, bounds, (0.5,), None, (), grid_points, options)
    return _release_quantile("median", read_quantile_query(x, bounds, grid_points, options), 0.5, ())


def _release_quantile(
    function: str, query: QuantileQuery, share: float, own_arguments: tuple[tuple[str, object], ...]
) -> DPResults:
    rank_range = query.n_epsilon_parts * compute_rank_range(share, query.neighbors)
    rate = Fraction(query.options.epsilon) / rank_range
    counts = query.count_points_near(RankTarget(share, compute_utility_limit(rate)))
    labels = query.records.label_groups(Labels(query.name or function))

    def choose_points(_: object = None) -> tuple[object, Labels]:
        return choose_points_for_share(counts, query, share, rate), labels

    return release_points(function, query, choose_points, own_arguments, float(rank_range) / 2, counts.size, [share])


@guard_release
def quantiles(
    x: Data,
    qs: Sequence[float] | float,
    epsilon: float,
    *,
    bounds: tuple[float, float],
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
    grid_points: int | None = None,
    population: bool = False,
) -> DPResults:
    """Release several quantiles together, ascending where `qs` is.

    The middle one is chosen first; it splits the records, and each side continues with its shares. So m
    quantiles cost about as much as log2(m) single ones.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data; a frame where `by` or `unit` are columns of it. Values outside the bounds, infinities
        included, are clipped to them.
    qs : float or sequence of float
        Which quantiles, each between 0 and 1, in any order.
    epsilon : float
        Privacy parameter; positive and finite. It covers all quantiles together.
    bounds : (float, float), keyword only
        Public bounds of the variable, chosen without looking at the data.
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
    grid_points, population : optional
        As in `quantile`: with ``population=True`` the intervals of all follow from the same cells.

    Returns
    -------
    DPResults
        Its estimate is a Series of grid points, named by `qs` and in their order; by group a frame with a
        row for each group. `noise` is None.

    Raises
    ------
    PydpstatError
        As for `quantile`.

    See Also
    --------
    quantile, median, histogram : one of them, and the whole distribution.

    Notes
    -----
    Guarantee: (epsilon, 0). With ``missing="error"`` whether values are missing is treated as public.

    Each of the k levels, 2^k > m, gets epsilon / k. A chosen point z splits the records into those below
    it, on the left, and the others, on the right, where a share q becomes q' of the records there. The
    utility of a point is minus the distance from #{x < z} to q' n', with the private n' of that
    side. One record added or removed changes one problem of a level, and there each utility by at
    most max(q', 1 - q'), as `quantile` shows: a choice by c * utility with
    c = epsilon / k / (2 max(q', 1 - q')) satisfies epsilon / k. One record replaced either remains in a
    problem, with a loss of 2 c, or moves from one problem to another: with half of that c both cases
    satisfy epsilon / k.
    If a level has a single problem, as the first has, c is epsilon / k / 2. (Replacing counts at
    most twice as much as adding or removing, and with q' = 1/2 this is the case of a single quantile.)

    Ties would distort the shares of the two sides. So each record first gets a random position among 2^16 at
    its grid point, independently of the others; points are chosen among these positions and published without
    them. The guarantee holds for given random positions of the records, and hence for the average over them.
    (They are drawn point by point, after the records are counted; the distribution is the same, and so is a
    seeded result in whatever order the records come.)

    By group each group has separate problems. One record added or removed changes one problem of a level
    in one group, so that c for unbounded neighbors satisfies epsilon for all groups together. A record that
    is replaced, also within its group, is one removed and one added; a unit is m = max_records of these. Data
    sets that differ in k records have k times the loss: epsilon / (2 m) for bounded and epsilon / m for
    unbounded neighbors replace epsilon.

    References
    ----------
    Kaplan, H., Schnapp, S. and Stemmer, U. (2022). Differentially private approximate quantiles. ICML 2022.

    Examples
    --------
    >>> import pydpstat
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17] * 100
    >>> r = pydpstat.quantiles(ages, [0.25, 0.5, 0.75], 2.0, bounds=(0, 120), rng=1)
    >>> r.estimate.tolist()
    [16.0, 42.0, 50.0]
    """
    raw_shares, wanted = check_raw_shares(qs), check_shares(qs)
    if len(wanted) == 1:
        warn_argument_order("quantiles", "qs", wanted[0], epsilon)
    more = checks.check_boolean(population, "population")
    options = check_quantile_options(epsilon, neighbors, missing, more, rng, budget)
    options = options.add_scope(by, levels, other, unit, max_records, max_groups, sample)
    if more:
        from pydpstat._records.population import release_population_quantiles

        names, own_arguments = tuple(map(str, raw_shares)), (("qs", qs),)
        return release_population_quantiles("quantiles", x, bounds, wanted, names, own_arguments, grid_points, options)
    query = read_quantile_query(x, bounds, grid_points, options)
    counts = query.count_points()
    labels = query.records.label_groups(Labels(query.name or "quantile", names=tuple(map(str, raw_shares))))

    def choose_points(_: object = None) -> tuple[object, Labels]:
        return choose_points_for_shares(counts, query, wanted), labels

    n_parts = compute_split_depth(len(set(wanted)))
    return release_points("quantiles", query, choose_points, (("qs", qs),), 1.0, counts.size, wanted, n_parts)

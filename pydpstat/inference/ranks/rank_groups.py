"""Rank tests of independent groups: Mann-Whitney and Kruskal-Wallis."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from pydpstat._data.columns import Data
from pydpstat._null_distributions.ranks.distances import (
    DISTANCE_DIGITS,
    PairInterval,
    compute_distance_sensitivity,
    compute_scaled_distance,
    make_distance_distribution,
)
from pydpstat._null_distributions.ranks.rank_statistics import (
    NoisyTail,
    compute_rank_deviations,
    compute_rank_pvalue,
    compute_upper_tail,
    count_pairs_won,
    make_mann_whitney_distribution,
)
from pydpstat._records.groups import Keys
from pydpstat._release.options import Missing
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release
from pydpstat.errors import PydpstatError
from pydpstat.inference._samples import read_samples_by_unit
from pydpstat.inference._testing import (
    INDEPENDENT_ASSUMPTION,
    MEASURED_INTERVAL_REMARK,
    describe_equal_distributions,
    draw_tie_keys,
    get_group_names,
    make_range_remarks,
    make_test_options,
    read_samples,
    release_test_statistic,
)
from pydpstat.results import InferenceResults
from pydpstat.results._inference_pictures import NullDistribution

# largest noise, in units of the square root of H, at which groups of unequal sizes have Kruskal's weights
MAX_WEIGHTED_NOISE = 0.5


@guard_release
def kruskal(
    *samples: Data,
    epsilon: float,
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether several groups have the same distribution (Kruskal-Wallis).

    Parameters
    ----------
    *samples : array_like
        Two groups or more, of numbers that need no bounds. Their sizes are public.
    epsilon : float
        Privacy parameter; positive and finite. As a record is in one group, each group has all of it.
    neighbors : {"bounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. Unbounded neighbors are an error. A
        record that is replaced stays in its group.
    missing : "error" or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, a scalar replaces them: a public number.
    unit : str or list of columns, optional
        Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a
        unit are protected together, and `neighbors` differ in one unit. One record of each unit is used, drawn at
        random, so that a unit is in one sample. A name is that of a column of each frame; a list has the values for
        each sample. The default is that of `budget`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    InferenceResults
        `statistic` is the noisy H where the distance has Kruskal's weights, else the noisy distance.

    Raises
    ------
    PydpstatError
        If an argument is invalid, there are fewer than two groups, or a value is missing with ``missing="error"``.

    See Also
    --------
    mannwhitneyu : two groups.
    f_oneway : means in the place of ranks.
    scipy.stats.kruskal : the test without privacy.

    Notes
    -----
    Guarantee: (epsilon, 0), as the groups' sizes and who is in which group are public. Ties are settled by
    random keys, one a record, drawn without looking at the data.

    Released is the root of the sum of w_g (R_g - E_g)^2, with R_g the rank sum of group g and E_g its mean,
    in units of 2^-11 and with symmetric geometric noise. With the weights w_g = 1 / n_g it is the root of
    H N (N + 1) / 12, with H the statistic of Kruskal and Wallis; with w_g = 1 it has less noise where sizes
    differ. Which one is used follows from the sizes and epsilon: H where the noise is below half its root's
    unit, or sizes are equal.

    Sensitivity: a record of group g that moves past the other groups takes at most n_h from R_h and adds
    what it takes to R_g. The distance moves by at most the root of ``w_g (N - n_g)^2`` plus the sum of ``w_h
    n_h^2`` over the other groups, for the worst g: the triangle inequality. This requires each record to be
    in one group. In k groups, with m records each, it takes k n_h from R_h of another group and adds n_h to
    R_g of each of its groups, as its copies move past each other: with w = 1 and n_h far above m the distance
    moves by n_h times the root of k^2 + k, which is the root of (k^2 + k) / 2 times what is stated. A design
    therefore assigns each record to one group.

    Validity "model": where all groups have one distribution, all orders of the records are equally likely.
    The distribution of the distance is that of 9,999 random orders with a fixed seed, so p is right to about
    0.002 at 0.05. Beyond the largest 50 of them its tail falls as the limit's, which falls more slowly than
    its own: p is too large there, by a factor of 2 or so at 1e-4 for groups of 10 records, and at least 1e-6.
    Beyond 1,000 records the rank sums are drawn from their limit.

    With epsilon 1e6 and no ties p is SciPy's up to these draws and to its chi-squared approximation.

    References
    ----------
    Kruskal, W. H. and Wallis, W. A. (1952). Use of ranks in one-criterion variance analysis. Journal of the
    American Statistical Association 47, 583-621.
    Couch, S., Kazan, Z., Shi, K., Bray, A. and Groce, A. (2019). Differentially private nonparametric
    hypothesis testing. CCS 2019. (The sum of absolute values.)

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0.0, 10.0, 50)
    >>> r = pydpstat.kruskal(x, x + 4.0, x + 8.0, epsilon=1.0, rng=pydpstat.RRandom(123))
    >>> r.pvalue < 0.05
    True
    """
    options = make_test_options("kruskal", epsilon, neighbors, missing, rng, budget)
    if len(samples) < 2:
        raise PydpstatError(
            f"samples must be two or more groups; got {len(samples)}. Give one argument for each group."
        )
    arguments = tuple(f"samples[{i}]" for i in range(len(samples)))
    samples_by_unit = read_samples_by_unit(samples, arguments, unit, options)
    groups, options = read_samples(samples_by_unit, arguments, options)
    # empty groups are not compared
    groups = [group for group in groups if group.size]
    sizes = tuple(group.size for group in groups)
    weights = choose_group_weights(sizes, options.epsilon)
    scaled_distance = (
        compute_scaled_distance(compute_rank_deviations(groups, draw_tie_keys(options.source, sum(sizes))), weights)
        if sizes
        else 0
    )
    sensitivity = max(compute_distance_sensitivity(sizes, weights), 1) if sizes else 1
    noisy = release_test_statistic(
        "kruskal", f"2^{DISTANCE_DIGITS + 1} distance", scaled_distance, sensitivity, sizes, options, data=arguments
    )
    z, distance = float(noisy), float(noisy) / 2 ** (DISTANCE_DIGITS + 1)
    compared = len(sizes) > 1
    distribution = make_distance_distribution(sizes, weights) if compared else None
    is_weighted = any(weight != 1 for weight in weights)
    factor = 12.0 / (sum(sizes) * (sum(sizes) + 1.0)) if is_weighted else 1.0
    h = factor * math.copysign(distance**2, z) if is_weighted else distance
    tail = None
    if distribution is not None:
        unit = factor * 0.5 ** ((DISTANCE_DIGITS + 1) * (1 + is_weighted))
        tail = NoisyTail(distribution, options.epsilon / sensitivity, unit, is_weighted)
    return InferenceResults.of(
        noisy,
        test="Kruskal-Wallis test" if is_weighted else "Kruskal-Wallis test, unweighted distance",
        statistic=h,
        pvalue=1.0 if distribution is None else compute_upper_tail(distribution, z, options.epsilon / sensitivity),
        pvalue_floor=0.0 if distribution is None else distribution.pvalue_floor,
        behind=None if tail is None else NullDistribution(tail, h),
        validity="model",
        assumptions=(INDEPENDENT_ASSUMPTION, describe_equal_distributions(samples_by_unit)),
        remarks=make_range_remarks(noisy, float(_compute_max_distance(sizes, weights)) if compared else 0.0),
    )


def choose_group_weights(sizes: tuple[int, ...], epsilon: float) -> tuple[Fraction | int, ...]:
    """Choose the groups' weights, 1 / n of each group or 1 for all, from public numbers alone."""
    if not sizes:
        return ()
    size, min_size = sum(sizes), min(sizes)
    noise = math.sqrt(24.0 * (size - min_size) / (min_size * (size + 1.0))) / epsilon
    if noise <= MAX_WEIGHTED_NOISE or len(set(sizes)) == 1:
        return tuple(Fraction(1, number) for number in sizes)
    return (1,) * len(sizes)


def _compute_max_distance(sizes: tuple[int, ...], weights: tuple[Fraction | int, ...]) -> int:
    """Return the scaled distance if all ranks of each group are above those of the groups before it."""
    cumulative_sizes = np.cumsum(sizes).tolist()
    return compute_scaled_distance(
        [n * (2 * last_rank - n - cumulative_sizes[-1]) for n, last_rank in zip(sizes, cumulative_sizes)], weights
    )


@guard_release
def mannwhitneyu(
    x: Data,
    y: Data,
    epsilon: float,
    *,
    alternative: str = "two-sided",
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether two samples have the same distribution (Mann-Whitney).

    Parameters
    ----------
    x, y : array_like of shape (n1,), (n2,)
        Two samples, of numbers that need no bounds. Their sizes are public.
    epsilon : float
        Privacy parameter; positive and finite.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis. ``"greater"``: values of `x` are larger.
    neighbors : {"bounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. Unbounded neighbors are an error. A
        record that is replaced stays in its sample.
    missing : "error" or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, a scalar replaces them: a public number.
    unit : str or list of columns, optional
        Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a
        unit are protected together, and `neighbors` differ in one unit. One record of each unit is used, drawn at
        random, so that a unit is in one sample. A name is that of a column of each frame; a list has the values for
        each sample. The default is that of `budget`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    InferenceResults
        `statistic` is the noisy number U of pairs won by `x`. The estimate and the interval are of
        ``P(x > y) + P(x = y) / 2``.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or a value is missing with ``missing="error"``.

    See Also
    --------
    kruskal : more than two groups.
    ttest_ind : means in the place of ranks.
    scipy.stats.mannwhitneyu : the test without privacy.

    Notes
    -----
    Guarantee: (epsilon, 0), as the groups' sizes and who is in which group are public. Ties are settled by
    random keys, one a record, drawn without looking at the data: the null distribution is then that of no
    ties.

    Sensitivity: a record of `x` takes part in n2 pairs, one of `y` in n1. Replacing it changes U by at most
    max(n1, n2), and some data attain it. Noise is symmetric geometric of rate epsilon / max(n1, n2). A record
    in both samples would win n2 pairs and lose n1 others: it would change U by at most abs(n1 - n2) + 1,
    which is not more.

    Validity "model": where both samples have one distribution, p is exact, as U plus noise has a known
    distribution (see `pydpstat._null_distributions.ranks.rank_statistics` for large samples). Samples that differ
    in spread alone have another. The interval is "measured", for all distributions: it takes U / (n1 n2) for
    the mean of min(n1, n2) independent pairs, which is more spread out
    (`pydpstat._null_distributions.ranks.distances`).

    With epsilon 1e6 and no ties p is that of SciPy: exactly with ``method="exact"``, and with its continuity
    correction nearly for large samples.

    References
    ----------
    Mann, H. B. and Whitney, D. R. (1947). On a test of whether one of two random variables is
    stochastically larger than the other. Annals of Mathematical Statistics 18, 50-60.
    Couch, S., Kazan, Z., Shi, K., Bray, A. and Groce, A. (2019). Differentially private nonparametric
    hypothesis testing. CCS 2019.
    Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the
    American Statistical Association 58, 13-30, section 5.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0.0, 10.0, 50)
    >>> r = pydpstat.mannwhitneyu(x + 3.0, x, 1.0, rng=pydpstat.RRandom(123))
    >>> r.pvalue < 0.05, r.conf_int().low > 0.5
    (True, True)
    """
    options = make_test_options("mannwhitneyu", epsilon, neighbors, missing, rng, budget, alternative)
    samples = read_samples_by_unit((x, y), ("x", "y"), unit, options)
    (x_values, y_values), options = read_samples(samples, ("x", "y"), options)
    sizes = x_values.size, y_values.size
    won = count_pairs_won(x_values, y_values, draw_tie_keys(options.source, sum(sizes)))
    pairs, sensitivity = sizes[0] * sizes[1], max(*sizes, 1)
    noisy = release_test_statistic(
        "mannwhitneyu", "U", won, sensitivity, sizes, options, data=("x", "y"), alternative=alternative
    )
    u = float(noisy)
    distribution = make_mann_whitney_distribution(*sizes)
    p = 1.0 if pairs == 0 else compute_rank_pvalue(distribution, u, pairs, options.epsilon / sensitivity, alternative)
    share = min(max(u / max(pairs, 1), 0.0), 1.0)
    center = 2.0 * u / pairs - 1.0 if pairs else 0.0
    noise = 2.0 * sensitivity / (options.epsilon * max(pairs, 1)) if pairs else np.inf
    larger = "P({} > {})".format(*get_group_names(samples, ("x", "y")))
    return InferenceResults.of(
        noisy,
        test="Mann-Whitney U test",
        statistic=u,
        pvalue=p,
        alternative=alternative,
        null=((larger, 0.5),),
        estimates=((larger, share),) if pairs else (),
        parameter=larger,
        interval=PairInterval(center, max(min(sizes), 1), noise, alternative, 0.5, 0.5),
        validity="model",
        assumptions=(INDEPENDENT_ASSUMPTION, describe_equal_distributions(samples)),
        remarks=(*make_range_remarks(noisy, 0.5 * pairs), MEASURED_INTERVAL_REMARK),
    )

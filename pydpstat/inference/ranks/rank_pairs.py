"""Rank tests of paired values: Kendall's tau and Wilcoxon's signed-rank test."""

from __future__ import annotations

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data
from pydpstat._null_distributions.ranks.distances import PairInterval
from pydpstat._null_distributions.ranks.rank_statistics import (
    NoisyTail,
    check_pair_count,
    choose_rank_cap,
    compute_rank_pvalue,
    count_concordant_pairs,
    make_kendall_distribution,
    make_signed_rank_distribution,
    sum_capped_ranks,
    sum_positive_ranks,
)
from pydpstat._records.groups import Keys
from pydpstat._release.options import Missing, check_min_records
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release
from pydpstat.inference._testing import (
    INDEPENDENT_ASSUMPTION,
    MEASURED_INTERVAL_REMARK,
    draw_tie_keys,
    get_alternative_argument,
    make_range_remarks,
    make_test_options,
    read_pair,
    read_sample,
    release_test_statistic,
)
from pydpstat.results import InferenceResults
from pydpstat.results._inference_pictures import NullDistribution


@guard_release
def kendalltau(
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
    """Test whether two variables are independent (Kendall's tau).

    Parameters
    ----------
    x, y : array_like of shape (n,)
        Two variables of the same records, of numbers that need no bounds.
    epsilon : float
        Privacy parameter; positive and finite.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis. ``"greater"``: the association is positive.
    neighbors : {"bounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. Unbounded neighbors are an error. A
        record has both variables.
    missing : "error" or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, a scalar replaces them: a public number.
    unit : str or column, optional
        Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a
        unit are protected together, and `neighbors` differ in one unit. One record of each unit is used, drawn at
        random. The default is that of `budget`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    InferenceResults
        `statistic` is the noisy tau; the estimate is clipped to [-1, 1], and the interval is of tau.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `x` and `y` differ in length, there is no record or more than 2e7, or a value is
        missing with ``missing="error"``.

    See Also
    --------
    corr : Pearson's correlation, with an interval.
    ols : a slope; ``method="rank"`` tests it by the same ranks.
    scipy.stats.kendalltau : the test without privacy.

    Notes
    -----
    Guarantee: (epsilon, 0). Ties of each variable are broken by separate random keys, drawn without
    looking at the data: tau counts a tied pair as half concordant (Kendall's tau-a).

    Sensitivity: a record takes part in n - 1 pairs. Replacing it changes the number C of concordant pairs by
    at most n - 1, and some data attain it. Released is C with symmetric geometric noise of rate
    epsilon / (n - 1), and tau = 4 C / (n (n - 1)) - 1.

    Validity "model": where x and y are independent, all orders of one within the other are equally likely,
    and p is exact (see `pydpstat._null_distributions.ranks.rank_statistics` for large n). The interval is
    "measured", for all distributions: it takes tau for the mean of n / 2 independent pairs, which is more
    spread out: its variance 2 (1 - tau^2) / n is the largest that tau can have
    (`pydpstat._null_distributions.ranks.distances`).

    With epsilon 1e6 and no ties p is that of SciPy, as in `mannwhitneyu`.

    References
    ----------
    Kendall, M. G. (1938). A new measure of rank correlation. Biometrika 30, 81-93.
    Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the
    American Statistical Association 58, 13-30, section 5.
    Kusner, M. J., Sun, Y., Sridharan, K. and Weinberger, K. Q. (2016). Private causal inference. AISTATS
    2016.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0.0, 10.0, 200)
    >>> r = pydpstat.kendalltau(x, x + 5.0 * np.sin(9.0 * x), 1.0, rng=pydpstat.RRandom(123))
    >>> r.pvalue < 0.05, r.conf_int().low > 0.0
    (True, True)
    """
    options = make_test_options("kendalltau", epsilon, neighbors, missing, rng, budget, alternative)
    x_values, y_values, options = read_pair(x, y, options.use_one_record_per_unit(unit))
    size = x_values.size
    check_min_records(options, size, 1, "test", "x")
    check_pair_count(size, "x")
    concordant = count_concordant_pairs(x_values, y_values, draw_tie_keys(options.source, 2 * size).reshape(2, size))
    pairs, sensitivity = size * (size - 1) // 2, max(size - 1, 1)
    name, data = "concordant pairs", ("x", "y")
    noisy = release_test_statistic(
        "kendalltau", name, concordant, sensitivity, size, options, data=data, alternative=alternative
    )
    c, rate = float(noisy), options.epsilon / sensitivity
    tau = 2.0 * c / pairs - 1.0 if pairs else 0.0
    noise = 2.0 / (rate * pairs) if pairs else np.inf
    return InferenceResults.of(
        noisy,
        test="Kendall's tau",
        statistic=tau,
        pvalue=compute_rank_pvalue(make_kendall_distribution(size), c, pairs, rate, alternative) if pairs else 1.0,
        alternative=alternative,
        null=(("tau", 0.0),),
        estimates=(("tau", min(max(tau, -1.0), 1.0)),) if pairs else (),
        parameter="tau",
        interval=PairInterval(tau, max(size // 2, 1), noise, alternative),
        validity="model",
        assumptions=(INDEPENDENT_ASSUMPTION, "x and y are independent under the null hypothesis"),
        remarks=(*make_range_remarks(noisy, 0.5 * pairs), MEASURED_INTERVAL_REMARK),
    )


@guard_release
def wilcoxon(
    x: Data,
    y: Data | float | None = None,
    epsilon: float | None = None,
    *,
    cap: int | None = None,
    alternative: str = "two-sided",
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test by signed ranks whether records are symmetric about 0.

    The records may be differences of pairs.

    Parameters
    ----------
    x : array_like of shape (n,)
        Numbers, or the first of each pair. They need no bounds.
    y : array_like of shape (n,), optional
        The second of each pair: the differences ``x - y`` are tested.
    epsilon : float
        Privacy parameter; positive and finite. Without `y` it may come second: ``wilcoxon(x, 1.0)``.
    cap : int, optional
        Ranks above it count as it, from 1 (the sign test) to n (Wilcoxon's own). By default what shows
        a small shift best for this n and epsilon: n where epsilon is large.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis. ``"greater"``: positive values are larger, or more frequent.
    unit : str or column, optional
        Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a
        unit are protected together, and `neighbors` differ in one unit. With `y`, the records are pairs. One record of
        each unit is used, drawn at random. The default is that of `budget`.
    neighbors, missing, rng, budget
        As in `mannwhitneyu`.

    Returns
    -------
    InferenceResults
        `statistic` is the noisy sum of the capped ranks of positive records, SciPy's `r_plus` where nothing
        is capped.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `x` and `y` differ in length, there is no record, or a value is missing with
        ``missing="error"``.

    See Also
    --------
    ttest_rel : means in the place of ranks.
    mannwhitneyu : two samples that are no pairs.
    scipy.stats.wilcoxon : the test without privacy.

    Notes
    -----
    Guarantee: (epsilon, 0). Zeros get a random sign, and ties of the absolute values are settled by
    random keys, drawn without looking at the data.

    The statistic is the sum of min(rank of abs(x), cap) over the positive records.

    Sensitivity: the cap. Let a record of rank r get rank s. Its own contribution lies between 0 and
    min(r, cap) before, and between 0 and min(s, cap) after. If r < s, the ranks from r + 1 to s fall by
    one: the others lose between 0 and min(s, cap) - min(r, cap), while the record itself gains at most
    min(s, cap) and loses at most min(r, cap). The sum hence rises by at most the cap, and falls by at most
    min(s, cap). If r > s, the same goes backwards.

    A cap gives less noise for a weaker statistic. At n = 500, epsilon 0.1 and a shift of 0.2 standard
    deviations the power is about 0.6 with the cap that is chosen, and 0.4 with Wilcoxon's ranks.

    Validity "model": for independent records of distributions that are symmetric about 0, each sign is a fair
    coin whatever the absolute values are, so that p is exact. Records may have different distributions.

    With epsilon 1e6, no zeros and no ties p is that of SciPy, as in `mannwhitneyu`.

    References
    ----------
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.
    Couch, S., Kazan, Z., Shi, K., Bray, A. and Groce, A. (2019). Differentially private nonparametric
    hypothesis testing. CCS 2019. (Uncapped ranks.)

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> before = np.linspace(0.0, 10.0, 60)
    >>> after = before + np.sin(before) + 1.0
    >>> pydpstat.wilcoxon(after, before, 1.0, rng=pydpstat.RRandom(123)).pvalue < 0.05
    True
    """
    if epsilon is None:
        # in wilcoxon(x, 1.0) the second argument is epsilon
        y, epsilon = (None, y) if y is None or checks.to_array(y).ndim == 0 else (y, None)  # type: ignore[arg-type, assignment]
    options = make_test_options("wilcoxon", epsilon, neighbors, missing, rng, budget, alternative)  # type: ignore[arg-type]
    options = options.use_one_record_per_unit(unit)
    if y is None:
        values, options = read_sample(x, "x", options)
    else:
        x_values, y_values, options = read_pair(x, y, options)
        # two infinite values of the same sign are a tie
        values = np.nan_to_num(x_values - y_values, nan=0.0, posinf=np.inf, neginf=-np.inf)
    size = values.size
    check_min_records(options, size, 1, "test", "x")
    chosen = choose_rank_cap(size, options.epsilon) if cap is None else _check_cap(cap, size)
    signs = draw_tie_keys(options.source, size) % 2 == 1
    rank_sum = sum_positive_ranks(values, signs, draw_tie_keys(options.source, size), chosen)
    data = ("x",) if y is None else ("x", "y")
    arguments = (*get_alternative_argument(alternative), *((("cap", chosen),) if cap is not None else ()))
    noisy = release_test_statistic(
        "wilcoxon", "positive ranks", rank_sum, chosen, size, options, data=data, arguments=arguments
    )
    t, total = float(noisy), sum_capped_ranks(size, chosen)
    distribution, rate = make_signed_rank_distribution(size, chosen), options.epsilon / chosen
    tail = NoisyTail(distribution, rate)
    name = "Wilcoxon signed-rank test" if chosen == size else f"Signed-rank test, ranks capped at {chosen}"
    return InferenceResults.of(
        noisy,
        test="Sign test" if chosen == 1 else name,
        statistic=t,
        pvalue=compute_rank_pvalue(distribution, t, total, rate, alternative),
        alternative=alternative,
        null=(("center of symmetry", 0.0),),
        validity="model",
        assumptions=(
            INDEPENDENT_ASSUMPTION,
            "each has a symmetric distribution about 0 under the null hypothesis",
        ),
        remarks=make_range_remarks(noisy, 0.5 * total),
        behind=NullDistribution(tail, t, float(total), alternative, 1.0),
    )


def _check_cap(cap: object, size: int) -> int:
    allowed = f"from 1 to the number of records, {size}"
    hint = "1 is the sign test, n Wilcoxon's test; leave it out to choose the cap by epsilon."
    return checks.check_integer(cap, "cap", 1, size, allowed=allowed, hint=hint)

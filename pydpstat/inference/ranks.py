"""Tests by ranks of one sample or of two."""

from __future__ import annotations

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data
from pydpstat._release.additive import Spender
from pydpstat._release.statistic import Missing, check_records, quiet
from pydpstat.inference._laws import rank_laws
from pydpstat.inference._laws.pair_intervals import PairInterval
from pydpstat.inference._laws.rank_values import pairs_won, positive_ranks
from pydpstat.inference._testing import (
    ALTERNATIVES,
    GROUPS,
    INDEPENDENT,
    MEASURED_INTERVAL,
    group_names,
    groups_of,
    keys_of,
    one_distribution,
    pair_of,
    protected,
    released,
    remarks_on,
    sample_of,
    shown_alternative,
)
from pydpstat.inference._units import samples_of
from pydpstat.random import source_from
from pydpstat.results import InferenceResults
from pydpstat.results._inference_pictures import NullDistribution
from pydpstat.statistics._kernels.scope import Keys, Scope


@quiet
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
    budget: Spender | None = None,
) -> InferenceResults:
    """Test whether two samples have the same distribution (Mann-Whitney).

    Parameters
    ----------
    x, y : array_like of shape (n1,), (n2,)
        Two samples, of numbers that need no bounds. Their sizes are public.
    {epsilon}
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        As in SciPy: "greater" has larger values in `x`.
    neighbors : {"bounded"}, optional
        One record replaced, which stays in its sample. Unbounded neighbors are refused.
    {missing (bounded), unit (samples), rng, budget}

    Returns
    -------
    InferenceResults
        `statistic` is the noisy number U of pairs won by `x`. The estimate and the interval are of
        ``P(x > y) + P(x = y) / 2``.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or a value is missing with ``missing="error"``.

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
    max(n1, n2), and some data attain it. Noise is symmetric geometric of rate epsilon / max(n1, n2).

    Validity "model": where both samples have one distribution, p is exact, as U plus noise has a known
    distribution (see `pydpstat.inference._laws.rank_laws` for large samples). Samples that differ in spread
    alone have another. The interval is "measured", for all distributions: it takes U / (n1 n2) for the mean
    of min(n1, n2) independent pairs, which is more spread out (`pydpstat.inference._laws.pair_intervals`).

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
    how = protected("mannwhitneyu", epsilon, neighbors, missing, budget)
    checks.one_of(alternative, "alternative", ALTERNATIVES)
    source = source_from(rng)
    given = samples_of((x, y), ("x", "y"), unit, source, budget)
    (first, second), how = groups_of(given, ("x", "y"), how, source)
    sizes = first.size, second.size
    won = pairs_won(first, second, keys_of(source, sum(sizes)))
    pairs, reach = sizes[0] * sizes[1], max(*sizes, 1)
    noisy = released(
        "mannwhitneyu",
        "U",
        won,
        reach,
        sum(sizes),
        how,
        source,
        budget,
        data=("x", "y"),
        arguments=shown_alternative(alternative),
        conditions=(GROUPS,),
    )
    u = float(noisy)
    law = rank_laws.mann_whitney_law(*sizes)
    p = 1.0 if pairs == 0 else rank_laws.p_value(law, u, pairs, how.epsilon / reach, alternative)
    share = min(max(u / max(pairs, 1), 0.0), 1.0)
    center = 2.0 * u / pairs - 1.0 if pairs else 0.0
    noise = 2.0 * reach / (how.epsilon * max(pairs, 1)) if pairs else np.inf
    larger = "P({} > {})".format(*group_names(given, ("x", "y")))
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
        assumptions=(INDEPENDENT, one_distribution(given)),
        remarks=(*remarks_on(noisy, 0.5 * pairs), MEASURED_INTERVAL),
    )


@quiet
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
    budget: Spender | None = None,
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
        Privacy parameter; above 0 and finite. Without `y` it may come second: ``wilcoxon(x, 1.0)``.
    cap : int, optional
        Ranks above it count as it, from 1 (the sign test) to n (Wilcoxon's own). By default what shows
        a small shift best for this n and epsilon: n where epsilon is large.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        As in SciPy: "greater" has more, or larger, positive values.
    unit : str or column, optional
        Whose data a record or pair is, such as a person's id: a column of the data, or an id for each of
        them. At most one of each unit counts, drawn at random, and what is protected is a unit. By default
        the budget's.
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
        Where an argument is not allowed, `x` and `y` differ in length, there is no record, or a value is
        missing with ``missing="error"``.

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
        # wilcoxon(x, 1.0): the second argument is epsilon where there is no third
        y, epsilon = (None, y) if y is None or checks.array_of(y).ndim == 0 else (y, None)  # type: ignore[arg-type, assignment]
    how = protected("wilcoxon", epsilon, neighbors, missing, budget)  # type: ignore[arg-type]
    checks.one_of(alternative, "alternative", ALTERNATIVES)
    source = source_from(rng)
    scope = Scope.one(unit, budget)
    if y is None:
        values, how = sample_of(x, "x", how, scope, source)
    else:
        first, second, how = pair_of(x, y, how, scope, source)
        # two infinite values of one sign are a tie
        values = np.nan_to_num(first - second, nan=0.0, posinf=np.inf, neginf=-np.inf)
    size = values.size
    check_records(how, size, 1, "test", "x")
    chosen = rank_laws.best_cap(size, how.epsilon) if cap is None else _cap(cap, size)
    keys = keys_of(source, 2 * size).reshape(2, size)
    found = positive_ranks(values, keys[0] % 2 == 1, keys[1], chosen)
    noisy = released(
        "wilcoxon",
        "positive ranks",
        found,
        chosen,
        size,
        how,
        source,
        budget,
        data=("x",) if y is None else ("x", "y"),
        arguments=(*shown_alternative(alternative), *((("cap", chosen),) if cap is not None else ())),
    )
    t, total = float(noisy), rank_laws.capped_total(size, chosen)
    law, rate = rank_laws.signed_rank_law(size, chosen), how.epsilon / chosen
    tail = rank_laws.NoisyTail(law, rate)
    name = "Wilcoxon signed-rank test" if chosen == size else f"Signed-rank test, ranks capped at {chosen}"
    return InferenceResults.of(
        noisy,
        test="Sign test" if chosen == 1 else name,
        statistic=t,
        pvalue=rank_laws.p_value(law, t, total, rate, alternative),
        alternative=alternative,
        null=(("center of symmetry", 0.0),),
        validity="model",
        assumptions=(INDEPENDENT, "each has a symmetric distribution about 0 under the null hypothesis"),
        remarks=remarks_on(noisy, 0.5 * total),
        behind=NullDistribution(tail, t, float(total), alternative, 1.0),
    )


def _cap(cap: object, size: int) -> int:
    allowed = f"from 1 to the number of records, {size}"
    hint = "1 is the sign test, n Wilcoxon's test; leave it out to choose the cap by epsilon."
    return checks.integer(cap, "cap", 1, size, allowed=allowed, hint=hint)

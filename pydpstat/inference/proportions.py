"""Tests and confidence intervals for one proportion and for two."""

from __future__ import annotations

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data
from pydpstat._null_distributions.noise import Tulap
from pydpstat._null_distributions.proportions.one_proportion import (
    NoisyBinaryCounts,
    PrivateSizeProportionInterval,
    ProportionInterval,
    combine_tails,
    compute_noisy_tails,
    get_noisy_tails_floor,
)
from pydpstat._null_distributions.proportions.two_proportions import ContrastInterval, NoisyGroupCounts, ProportionLine
from pydpstat._records.groups import Keys
from pydpstat._release.options import BoundedOnly, Missing, Options
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release, release_statistic
from pydpstat.inference._samples import read_samples_by_unit
from pydpstat.inference._testing import (
    IID_ASSUMPTION,
    PUBLIC_GROUPS_CONDITION,
    UNINFORMATIVE_REMARK,
    count_booleans,
    count_disjoint_cells,
    format_contrast_name,
    get_alternative_argument,
    get_group_names,
    make_count_options,
    make_counts_query,
    read_boolean_variable,
)
from pydpstat.results.inference_results import InferenceResults

COMPARISONS = ("diff", "ratio")
# default names of groups
_DEFAULT_GROUP_NAMES = ("1", "2")
_ONLY_BOUNDED = BoundedOnly(
    "for proportions_test, as the groups' sizes are public",
    "If they are private, use proportion(data, epsilon, by=, levels=).difference(a, b).",
)


@guard_release
def binomtest(
    condition: Data,
    epsilon: float,
    *,
    p: float = 0.5,
    alternative: str = "two-sided",
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test a proportion: the share of a population that meets a condition.

    Parameters
    ----------
    condition : array_like of bool, shape (n,)
        One truth value a record, such as ``age > 65``; `scipy.stats.binomtest` takes the counts k and n.
    epsilon : float
        Privacy parameter; positive and finite. It covers the whole release.
    p : float, default 0.5
        The proportion under the null hypothesis; from 0 to 1.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis. ``"greater"``: the proportion is above `p`.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: True or False.
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
        Its `statistic` is the noisy count; ``conf_int()`` is for the proportion, at any level, at no
        additional privacy cost.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `condition` is not made of truth values, it is empty under bounded neighbors, or a
        value is missing with ``missing="error"``.

    See Also
    --------
    proportion : the share, with an interval for the population's.
    proportions_test : comparison of two shares.
    scipy.stats.binomtest : the test without privacy.

    Notes
    -----
    Guarantee: epsilon. With ``missing="error"`` whether values are missing is treated as public.

    Bounded neighbors: the count, of sensitivity 1, is released with symmetric geometric noise, as by `count`.
    A uniform number between -1/2 and 1/2 is added to it afterwards, and kept in the result. Count and noise
    then have a continuous distribution, of which p-value and interval are exact, whatever the proportion and
    the number of records: validity ``exact``. Against one side it is the uniformly most powerful private
    test. For two sides the p-value is twice the smaller one, and the interval has equal tails.

    Unbounded neighbors: the counts of true and of false values are released; one record changes one of them
    by 1. The test is of ``(1 - p) true - p false``, which is 0 on average whatever the number of records,
    over its standard error. The p-value is the largest over the numbers of records that the counts leave
    possible: validity ``model``.

    References
    ----------
    Awan, J. and Slavkovic, A. (2018). Differentially private uniformly most powerful tests for binomial data.
    NeurIPS 2018.
    Awan, J. and Slavkovic, A. (2020). Differentially private inference for binomial data. Journal of Privacy
    and Confidentiality 10(1).

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> employed = np.repeat([True, False], [60, 40])
    >>> r = pydpstat.binomtest(employed, 1.0, p=0.5, alternative="greater", rng=1)
    >>> round(r.pvalue, 4), r.validity
    (0.0135, 'exact')
    >>> low, high = pydpstat.binomtest(employed, 1.0, rng=1).conf_int(0.05)
    >>> round(low, 3), round(high, 3)
    (0.513, 0.709)
    """
    checks.check_number(p, "p", "a number from 0 to 1", lambda share: 0.0 <= share <= 1.0, "0.5 is usual.")
    options = make_count_options(epsilon, alternative, neighbors, missing, bool, rng, budget)
    options = options.use_one_record_per_unit(unit)
    counts, size, options = count_disjoint_cells(
        condition, options, "condition", "test", read_boolean_variable, count_booleans
    )
    run = _test_with_public_size if options.has_public_size else _test_with_private_size
    return run(counts, size, float(checks.unwrap_scalar(p)), alternative, options)


def _test_with_public_size(
    counts: np.ndarray, size: int, p: float, alternative: str, options: Options
) -> InferenceResults:
    """Test a proportion from the noisy number of true values and the public number of records."""
    release = release_statistic(
        "binomtest",
        make_counts_query(counts[:1], ("count",), 1, size, options),
        options,
        data_names=("condition",),
        public_arguments=(("p", p), *get_alternative_argument(alternative)),
    )
    noise = Tulap(options.epsilon)
    count = float(release)
    smooth = count + float(options.source.uniform(1)[0]) - 0.5
    return InferenceResults.of(
        release,
        test="Binomial test",
        statistic=smooth,
        pvalue=combine_tails(*compute_noisy_tails(smooth, size, p, noise), alternative),
        pvalue_floor=get_noisy_tails_floor(alternative),
        alternative=alternative,
        null=(("proportion", p),),
        released=(("count", count), ("count and a uniform number", smooth)),
        estimates=(("proportion", min(max(count / size, 0.0), 1.0)),),
        parameter="proportion",
        interval=ProportionInterval(smooth, size, options.epsilon, alternative),
        validity="exact",
        assumptions=(IID_ASSUMPTION,),
        remarks=(UNINFORMATIVE_REMARK,) if float(noise.ppf(0.975)) >= size else (),
    )


def _test_with_private_size(
    counts: np.ndarray, size: int, p: float, alternative: str, options: Options
) -> InferenceResults:
    """Test a proportion from the noisy numbers of true and of false values."""
    release = release_statistic(
        "binomtest",
        make_counts_query(counts, ("true", "false"), 1, size, options),
        options,
        data_names=("condition",),
        public_arguments=(("p", p), *get_alternative_argument(alternative)),
    )
    met, unmet = release.value.tolist()
    pair = NoisyBinaryCounts(met, unmet, options.epsilon)
    return InferenceResults.of(
        release,
        test="Binomial test",
        statistic=pair.compute_statistic(p),
        pvalue=pair.compute_pvalue(p, alternative),
        pvalue_floor=pair.get_pvalue_floor(alternative),
        alternative=alternative,
        null=(("proportion", p),),
        released=(("true", met), ("false", unmet)),
        estimates=(("proportion", pair.proportion),),
        parameter="proportion",
        interval=PrivateSizeProportionInterval(pair, alternative),
        validity="model",
        assumptions=(IID_ASSUMPTION,),
        remarks=() if pair.is_informative else (UNINFORMATIVE_REMARK,),
    )


@guard_release
def proportions_test(
    condition1: Data,
    condition2: Data,
    epsilon: float,
    *,
    value: float | None = None,
    compare: str = "diff",
    alternative: str = "two-sided",
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether two groups have the same proportion.

    The proportions are compared by their difference or their ratio.

    Parameters
    ----------
    condition1, condition2 : array_like of bool, shapes (n1,) and (n2,)
        One truth value a record of either group.
    epsilon : float
        Privacy parameter; positive and finite. It covers the whole release. As a record is in one group, each count has
        all of it.
    value : float, optional
        The difference (first minus second, between -1 and 1, by default 0) or the ratio (first to second,
        above 0, by default 1) under the null hypothesis.
    compare : {"diff", "ratio"}, default "diff"
        What is tested and has the interval.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis. ``"greater"``: the difference or ratio is above `value`.
    neighbors : {"bounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. Unbounded neighbors are an error. A
        record that is replaced stays in its group. If it is private who is in which group, use `chi2_contingency`.
    missing : {"error", True, False}, default "error"
        Treatment of missing values: ``"error"`` raises an error, a scalar replaces them: True or False.
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
        Its `statistic` is the distance from the null hypothesis in standard errors; ``conf_int()`` is for the
        difference or the ratio, at any level.

    Raises
    ------
    PydpstatError
        If an argument is invalid, a condition is not made of truth values or is empty, a value is missing with
        ``missing="error"``, or neighbors are unbounded.

    See Also
    --------
    binomtest : one share.
    chi2_contingency : more groups or levels.

    Notes
    -----
    Guarantee: epsilon. The groups' sizes and who is in which group are treated as public, and so is whether
    values are missing with ``missing="error"``.

    Both counts are released with symmetric geometric noise: replacing a record of a group changes its count
    by at most 1, and the other one not at all. The statistic is that of Farrington and Manning with the
    noise's variance added, the null hypothesis's proportions being estimated by least squares. Its
    distribution is summed over both noisy counts, without a normal approximation, for all proportions that
    the null hypothesis and exact limits from the counts leave possible; the p-value is the largest of these,
    plus the limits' probability of being wrong, 1e-6 a side. So p is at least 2e-6. The interval has the
    values that a test with half of alpha a side would not reject. Validity ``model``.

    References
    ----------
    Farrington, C. P. and Manning, G. (1990). Test statistics and sample size formulae for comparative
    binomial trials with null hypothesis of non-zero risk difference or non-unity relative risk. Statistics in
    Medicine 9. Berger, R. L. and Boos, D. D. (1994). P values maximized over a confidence set for the
    nuisance parameter. Journal of the American Statistical Association 89.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> treated, control = np.repeat([True, False], [62, 38]), np.repeat([True, False], [41, 59])
    >>> r = pydpstat.proportions_test(treated, control, 1.0, rng=1)
    >>> round(r.pvalue, 4), r.validity
    (0.0242, 'model')
    >>> low, high = r.conf_int()
    >>> round(low, 3), round(high, 3)
    (0.021, 0.314)
    """
    checks.check_choice(compare, "compare", COMPARISONS)
    ratio = compare == "ratio"
    line, tested = _make_null_line(value, ratio)
    options = make_count_options(epsilon, alternative, neighbors, missing, bool, rng, budget, _ONLY_BOUNDED)
    arguments = "condition1", "condition2"
    samples = read_samples_by_unit((condition1, condition2), arguments, unit, options)
    counts_and_sizes: list[tuple[np.ndarray, int]] = []
    for (data, scope), name in zip(samples, arguments):
        sample_counts, size, options = count_disjoint_cells(
            data, options._replace(scope=scope), name, "test", read_boolean_variable, count_booleans
        )
        counts_and_sizes.append((sample_counts, size))
    (counts1, size1), (counts2, size2) = counts_and_sizes
    groups = get_group_names(samples, _DEFAULT_GROUP_NAMES)
    join = " " if groups == _DEFAULT_GROUP_NAMES else " of "
    counts, names = np.append(counts1[:1], counts2[:1]), tuple(f"count{join}{group}" for group in groups)
    shown = (("value", tested), ("compare", compare), *get_alternative_argument(alternative))
    release = release_statistic(
        "proportions_test",
        make_counts_query(counts, names, 1, size1 + size2, options),
        options,
        data_names=arguments,
        public_arguments=shown,
        conditions=(PUBLIC_GROUPS_CONDITION,),
    )
    count1, count2 = release.value.tolist()
    noisy = NoisyGroupCounts((count1, count2), (size1, size2), options.epsilon)
    shares = noisy.proportions
    estimates = [(f"proportion{join}{group}", share) for group, share in zip(groups, shares)]
    name = format_contrast_name("ratio" if ratio else "difference", groups, _DEFAULT_GROUP_NAMES)
    if not ratio:
        estimates.append((name, shares[0] - shares[1]))
    elif shares[1]:
        estimates.append((name, shares[0] / shares[1]))
    remarks = [f"The groups have {size1} and {size2} records."]
    return InferenceResults.of(
        release,
        test="Test of two proportions",
        statistic=noisy.compute_statistic(line),
        pvalue=noisy.compute_pvalue(line, alternative),
        pvalue_floor=noisy.get_pvalue_floor(alternative),
        alternative=alternative,
        null=((name, tested),),
        released=tuple(zip(names, (count1, count2))),
        estimates=tuple(estimates),
        parameter=name,
        interval=ContrastInterval(noisy, ratio, alternative),
        validity="model",
        assumptions=("the records of a group are independent and identically distributed",),
        remarks=(*remarks, *(() if noisy.is_informative else (UNINFORMATIVE_REMARK,))),
    )


def _make_null_line(value: float | None, is_ratio: bool) -> tuple[ProportionLine, float]:
    """Return the pairs of proportions under the null hypothesis, and the checked null value."""
    if is_ratio:
        hint = "1 is usual: equal proportions."
        tested = 1.0 if value is None else checks.check_positive(value, "value", hint)
        return ProportionLine.from_ratio(tested), tested
    hint = "0 is usual: equal proportions."
    tested = 0.0
    if value is not None:
        allowed = "a difference between -1 and 1"
        tested = checks.check_number(value, "value", allowed, lambda each: -1.0 < each < 1.0, hint)
    return ProportionLine.from_difference(tested), tested

"""Chi-square tests of noisy tables: goodness of fit and independence."""

from __future__ import annotations

import math

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data
from pydpstat._data.native import to_public_list
from pydpstat._null_distributions.tables import (
    PVALUE_FLOOR,
    compute_fit_pvalue,
    compute_independence_pvalue,
    project_to_shares,
)
from pydpstat._records.groups import Keys
from pydpstat._release.options import Missing
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release
from pydpstat.errors import PydpstatError
from pydpstat.inference.tables._noisy_tables import get_null_probabilities, release_noisy_table
from pydpstat.results import InferenceResults

INDEPENDENT = "the records are independent of each other"


@guard_release
def chisquare(
    data: Data,
    epsilon: float,
    *,
    levels: object = None,
    other: str | None = None,
    f_exp: object = None,
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether the levels of a variable have given probabilities.

    Parameters
    ----------
    data : array_like of shape (n,)
        One variable: the level of each record, and not counts as in SciPy, as counts would have lost their
        protection.
    epsilon : float
        Privacy parameter; positive and finite.
    levels : list, dict, list of lists or "declared", optional
        Public levels, or ``"declared"`` for Categoricals whose categories are public. A value that is not among them is
        treated as missing.
    other : str, optional
        Name of an additional level for values that are not among the levels. It is released and not tested, so that the
        number of records in the levels is private. By default such values are treated as missing.
    f_exp : list or dict by level, optional
        What is expected of each level, as probabilities, shares or frequencies: any numbers above 0, which
        are divided by their sum. By default all levels have the same probability.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: a level, which is added if it is new. Without `other`, values that are not among the
        levels are missing.
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
        `statistic` is close to Pearson's where there is little noise. The released numbers are the noisy
        counts, the estimates the levels' shares. There is no interval.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `levels` is not given, or a value is missing or, without `other`, no level with
        ``missing="error"``.

    See Also
    --------
    chi2_contingency : independence of two variables.
    crosstab : the table itself.
    scipy.stats.chisquare : the test without privacy.

    Notes
    -----
    Guarantee: epsilon. The counts of the levels are released with symmetric geometric noise, as by
    `crosstab`; all else is post-processing. With ``missing="error"`` whether every record has one of the
    levels is treated as public.

    Validity: with a public n the null hypothesis leaves nothing unknown, and the p-value is exact up to
    simulation (9,999 tables, fewer where there are more than 25 levels): ``model``, where the records are
    independent. With a private n it is the largest over nine numbers of records that the noisy total leaves
    possible: ``measured``.

    The statistic is the square of the noisy counts' distance from what is expected, in units of sampling and
    noise together, without the one direction in which there is noise alone. A table of two levels has more
    power with a test of one proportion, which needs half the noise.

    References
    ----------
    Gaboardi, M., Lim, H., Rogers, R. and Vadhan, S. (2016). Differentially private chi-squared hypothesis
    testing: goodness of fit and independence testing. ICML 2016.
    Kifer, D. and Rogers, R. (2017). A new class of private chi-square hypothesis tests. AISTATS 2017.

    Examples
    --------
    >>> import pydpstat
    >>> answers = ["yes"] * 70 + ["no"] * 50 + ["perhaps"] * 30
    >>> r = pydpstat.chisquare(answers, 1.0, levels=["yes", "no", "perhaps"], rng=1)
    >>> r.validity, r.pvalue < 0.01
    ('model', True)
    """
    table = release_noisy_table(
        "chisquare", ("data",), data, epsilon, levels, neighbors, missing, rng, budget, unit, f_exp, other
    )
    (names,) = table.names
    p = get_null_probabilities(f_exp, names)
    n = table.size
    statistic, pvalue = compute_fit_pvalue(table.noisy, p, n, table.rate)
    estimated = project_to_shares(table.noisy[None], np.array([table.total]))[0].tolist()
    return InferenceResults.of(
        table.release,
        test="Chi-square test of given probabilities",
        statistic=statistic,
        pvalue=pvalue,
        pvalue_floor=PVALUE_FLOOR,
        null=tuple((f"share of {name}", share) for name, share in zip(names, p.tolist())),
        released=table.released,
        estimates=tuple((f"share of {name}", share) for name, share in zip(names, estimated)),
        validity="measured" if n is None else "model",
        assumptions=(INDEPENDENT,),
        remarks=table.remarks,
        df=math.prod(len(levels_of_axis) - 1 for levels_of_axis in table.names),
    )


@guard_release
def chi2_contingency(
    x: Data,
    y: Data,
    epsilon: float,
    *,
    levels: object = None,
    other: str | None = None,
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether two variables with levels are independent.

    Parameters
    ----------
    x, y : array_like of shape (n,)
        The levels of each record, a record in the same place of both; not a table of counts as in SciPy, as
        counts would have lost their protection.
    epsilon : float
        Privacy parameter; positive and finite.
    levels : list, dict, list of lists or "declared", optional
        Public levels, or ``"declared"`` for Categoricals whose categories are public. A list of the levels of `x` and
        one of those of `y`, or a dict of both. A value that is not among them is treated as missing.
    other : str, optional
        Name of an additional level for values that are not among the levels. Both variables have it. It is released and
        not tested, so that the number of records in the levels is private. By default such values are treated as
        missing.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: a level, which is added if it is new. Without `other`, values that are not among the
        levels are missing.
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
        `statistic` is close to Pearson's (without a correction for continuity) where there is little noise.
        The released numbers are the noisy counts, the estimates the shares of the levels of `x` and of `y`.
        There is no interval.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `levels` is not given, or a value is missing or, without `other`, no level with
        ``missing="error"``.

    See Also
    --------
    crosstab : the table; its ``chi2()`` is the test of a table that is released anyway.
    chisquare : given shares.
    scipy.stats.chi2_contingency : the test without privacy.

    Notes
    -----
    Guarantee: epsilon. The cells' counts are released with symmetric geometric noise, as by `crosstab`; all
    else is post-processing. With ``missing="error"`` whether every record has two of the levels is treated
    as public.

    Validity: ``measured``. The statistic is the square of the noisy counts' distance from those of
    independent variables, in units of sampling and noise together, after changes of the margins are taken
    away (a score test). Its distribution hardly depends on the true margins. It is found by simulation at the
    estimated margins and at two others, more and less concentrated by one standard error; with a private n
    also at two other numbers of records. The largest p-value counts. Empty cells do no harm. Small p-values
    are found by multilevel splitting, down to 1e-6.

    References
    ----------
    Neyman, J. (1959). Optimal asymptotic tests of composite statistical hypotheses. In Probability and
    Statistics: The Harald Cramer Volume (the statistic's form).
    Gaboardi, M., Lim, H., Rogers, R. and Vadhan, S. (2016). Differentially private chi-squared hypothesis
    testing: goodness of fit and independence testing. ICML 2016.

    Examples
    --------
    >>> import pydpstat
    >>> smokes, ill = ["no", "no", "yes", "yes"] * 50, ["no"] * 150 + ["yes"] * 50
    >>> r = pydpstat.chi2_contingency(smokes, ill, 1.0, levels=(["no", "yes"], ["no", "yes"]), rng=1)
    >>> r.pvalue > 0.05
    True
    """
    if isinstance(levels, (list, tuple)) and not all(
        isinstance(to_public_list(names_of_axis, "levels"), (list, tuple, range)) for names_of_axis in levels
    ):
        raise PydpstatError(
            f"levels must be two lists, of the levels of x and of y; got {checks.describe_value(levels)}. Give for "
            "example (['no', 'yes'], ['low', 'high'])."
        )
    table = release_noisy_table(
        "chi2_contingency",
        ("x", "y"),
        (x, y),
        epsilon,
        levels,
        neighbors,
        missing,
        rng,
        budget,
        unit,
        other=other,
    )
    n = table.size
    statistic, pvalue = compute_independence_pvalue(table.noisy, n, table.rate)
    estimates: list[tuple[str, float]] = []
    called = table.release.labels.dimension_names or ("x", "y")
    for axis, (variable, names) in enumerate(zip(called, table.names)):
        shares = project_to_shares(table.noisy.sum(axis=1 - axis)[None], np.array([table.total]))[0].tolist()
        estimates += [(f"share of {variable} = {name}", share) for name, share in zip(names, shares)]
    return InferenceResults.of(
        table.release,
        test="Chi-square test of independence",
        statistic=statistic,
        pvalue=pvalue,
        pvalue_floor=PVALUE_FLOOR,
        released=table.released,
        estimates=tuple(estimates),
        validity="measured",
        assumptions=(INDEPENDENT,),
        remarks=table.remarks,
        df=math.prod(len(names_of_axis) - 1 for names_of_axis in table.names),
        behind=table.release._get_tested_shares(),
    )

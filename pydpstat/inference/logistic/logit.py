"""Logistic regression from noisy sums, with intervals for sampling and noise."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pydpstat._data.columns import Data, GivenBounds
from pydpstat._null_distributions.logistic.logistic_cells import fit_minimax_line, limit_slopes
from pydpstat._null_distributions.logistic.logistic_equations import (
    EquationQueries,
    LogitSums,
    Scaling,
    WindowedLogit,
    has_enough_records,
    has_steep_slopes,
    solve_equations,
    sum_remaining_epsilon,
)
from pydpstat._null_distributions.logistic.noisy_logit import LogitInference, unpack_symmetric
from pydpstat._records.groups import Keys
from pydpstat._records.record_grid import check_bounds_range
from pydpstat._release.charging import charge_once
from pydpstat._release.options import Missing, check_min_records, options
from pydpstat._release.pipeline import Chargeable, Query
from pydpstat._release.statistic import guard_release, make_call, make_stage_guarantees, release_stage
from pydpstat.errors import PydpstatError
from pydpstat.inference._testing import check_inference_epsilon
from pydpstat.inference.logistic._cell_regression import fit_by_cells, make_logit_results
from pydpstat.inference.logistic._logit_records import LogitRecords, unscale_moments, unscale_score
from pydpstat.inference.regression._coefficients import describe_empty_responses
from pydpstat.inference.regression._design import Regression, RegressionDesign, read_regression
from pydpstat.mechanisms.mechanism import split_by_shares
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults

# fractions of epsilon for the moments and for the successive scores
FEW_SCORES_SHARES, MANY_SCORES_SHARES = (0.65, 0.1, 0.25), (0.6, 0.08, 0.12, 0.2)
# function that releases a query of sensitivity 1 with an epsilon; it returns values and noise scale
ScoreRelease = Callable[[Query, float], tuple[Floats, float]]
_UNINFORMATIVE_REMARK = (
    "The release is uninformative about {}: too few records of a response, or the noise hides how "
    "the predictors are related. Use more records, a larger epsilon or fewer predictors."
)


@guard_release
def logit(
    formula: str | Data,
    data: Data,
    epsilon: float,
    *,
    bounds: GivenBounds | None = None,
    levels: object = None,
    other: str | None = None,
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> RegressionResults:
    """Fit a logistic regression, with tests and confidence intervals.

    Tests and intervals cover sampling and noise.

    Parameters
    ----------
    formula : str or array_like of shape (n,)
        A formula as statsmodels has it, ``"y ~ x1 * C(group) + log(x2)"``, with terms as in `ols`; or the
        responses. A response is a truth value, or one of two `levels`.
    data : DataFrame, dict of columns, or array_like of shape (n,) or (n, p)
        The columns of the formula; or the predictors, without a constant, which is added.
    epsilon : float
        Privacy parameter; positive and finite. It covers the whole release.
    bounds : (float, float), list of pairs, or dict, keyword only
        Public bounds of the predictors that are numbers: one for each in their order, or by name; one pair for all,
        if their names do not say that they are different. Values outside are clipped to them, before any
        transformation. Not needed where all predictors are categorical.
    levels : dict of lists by name, or "declared", optional
        Public levels, or ``"declared"`` for Categoricals whose categories are public. Those of categorical predictors
        by name, the reference level first. Those of a response that is not Boolean, as ``{"y": [0, 1]}``: the second
        one counts as 1, all other values as 0.
    other : str, optional
        Name of an additional level for values that are not among the levels. Predictors have it if all of them are
        categorical. By default such values count as the reference level.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only).
        Records are dropped if any variable is missing. A scalar replaces them: a public number within all bounds; a
        missing category is then the reference level, and a missing response is 0.
    unit : str or column, optional
        Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a
        unit are protected together, and `neighbors` differ in one unit. One record of each unit is used, drawn at
        random. The default is that of `budget`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged. The fit is charged once.

    Returns
    -------
    RegressionResults
        With ``params bse tvalues pvalues conf_int predict summary to_frame``, the coefficients in the
        data's units; NaN if the release is uninformative, with the reason in `remarks`. ``tvalues`` are the
        coefficients over their standard errors, from which the p-values do not follow; ``test(name,
        value)`` tests other values than 0.

    Raises
    ------
    PydpstatError
        If an argument is invalid, the response is neither made of truth values nor has its levels given, or a value is
        missing.

    See Also
    --------
    ols : a response that is a number.
    proportion : the share alone, or by group.
    LogisticRegressionDP : R's DPpack with the numbers that R returns.

    Notes
    -----
    Guarantee: (epsilon, 0), for noisy sums one after another, whose epsilons add up (Dwork and Roth 2014,
    theorem 3.16); no minimizer is part of it. With ``missing="error"`` whether values are missing is
    treated as public.

    *Categorical predictors, or a private number of records.* A record is in one cell: it has one level of
    each categorical predictor, and one response. So the noise of what is counted by cell does not depend on
    how many levels there are. Of categorical predictors alone the counts are released with geometric noise,
    and all follows from them. Further numbers are summed by cell, too; at the coefficients that follow, what
    lines in each cell leave of the score and of the information is released, and once more from there, with a
    fifth of epsilon. The vectors of sums have a cube's noise (Hardt and Talwar 2010). A coefficient rests on
    the sum of its level's cells: its noise grows with the root of their number, of which at most 2,000 are
    allowed. Between the last release and a hypothesis the score is moved by a model, in which numbers have a
    beta distribution within cells; the distributions of tests are saddlepoint approximations with binomial
    counts.

    *Numbers alone, whose number of records is public.* First come noisy sums of y, y z, z and z z', where z
    are the predictors scaled to [-1, 1]. Their L1 sensitivity is 1 in units in which the sums with y have
    Laplace noise of scale (p + 2)^2 / (4 epsilon), which is little more than they alone would need.
    Predictors that were normal would have certain coefficients then; there what a straight line leaves of the
    score and of the information is released, all addends clipped to public bounds; and from the coefficients
    after a Newton step again. The line's own part follows from the first sums. So the noise of the responses'
    sums is paid for once, and the further steps take a small part of epsilon.

    *Steep slopes.* Lines cannot approximate the curve if bounds are wide in relation to a predictor's values.
    If the absolute slopes, each times the half width of its bounds, add up to more than 6 (8 by cell), or the
    noise hides a predictor's variance, the remaining epsilon is spent on other sums: first, if the noise
    blurs variances, on sums of numbers and squares within a window about the noisy mean; then on sums of
    (y - s(v'b)) a, where a are the predictors minus their noisy means, in units of a few of their noisy
    standard deviations, clipped to [-1, 1]. The windows and the further steps depend on noisy numbers alone,
    so that epsilons add up as before. The linear predictor v'b is clipped to the given bounds only: at the
    true coefficients the expected value is 0 for every window. The remarks state the windows.

    The estimate, standard error, interval and p-value of a coefficient are either all available or all
    missing. They are missing, with the reason in the remarks, if the noise hides the information on it, if
    the iteration reaches its limit, or if the curvature between the last sums and the estimate is too large.

    Tests are score tests (Neyman's C(alpha)) with the known distribution of all noises: a normal variable for
    the sampling, plus Laplace variables whose factors are public functions of what was released; their tail
    is a saddlepoint approximation. An interval has the values that are not rejected. It is infinite where the
    noise hides the information, as with several predictors and few records: for p predictors about n epsilon
    > 1000 p^2 is needed. The validity is ``measured``: no rate of wrong rejections stood out above the level
    on the grids in the documentation. Of numbers alone nothing is said with fewer than about ten ones or
    zeros a coefficient, as the score's distribution may be far from a normal one. Intervals are wide where
    the steps end far from the coefficients, as they may where predictors fill little of their bounds.

    References
    ----------
    Neyman, J. (1959). Optimal asymptotic tests of composite statistical hypotheses. In Grenander, U. (ed.),
    Probability and Statistics. Wiley.
    Lugannani, R. and Rice, S. (1980). Saddle point approximation for the distribution of the sum of
    independent random variables. Advances in Applied Probability 12, 475-490.
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy.
    Hardt, M. and Talwar, K. (2010). On the geometry of differential privacy. STOC 2010.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> draw = np.random.default_rng(2)
    >>> x = draw.uniform(0, 10, 5000)
    >>> y = draw.logistic(size=5000) < 0.5 * x - 2
    >>> r = pydpstat.logit(y, x, 2.0, bounds=(0, 10), rng=1)
    >>> low, high = r.conf_int().loc["x1"]
    >>> bool(low < 0.5 < high), r.validity["x1"]
    (True, 'measured')
    """
    checked_options = options(epsilon, 0, "laplace", neighbors, missing, allow_objects=False, rng=rng, budget=budget)
    check_inference_epsilon(checked_options)
    regression = read_regression(
        formula,
        data,
        bounds,
        levels,
        checked_options.missing,
        True,
        other,
        checked_options.use_one_record_per_unit(unit),
    )
    checked_options = checked_options._replace(unit=regression.unit)
    design = regression.design
    checked_options = checked_options.add_type_conditions() if design.has_levels else checked_options
    if other is not None and any(predictor.levels is None for predictor in design.predictors):
        raise PydpstatError(
            f"other must be None for logit with numeric predictors; got {other!r}. An empty level "
            "would hide them; values of no level count as the reference level."
        )
    if checked_options.has_public_size:
        check_min_records(checked_options, regression.response.size, 1, "logistic regression")
    if not checked_options.has_public_size or any(predictor.levels is not None for predictor in design.predictors):
        return fit_by_cells(regression, checked_options, design.arguments)
    records = make_logit_records(regression)
    slopes = len(records.names)
    shares = split_epsilon(checked_options.epsilon, records.size, slopes)
    record = make_call("logit", checked_options, (regression.formula, "data"), design.arguments)
    claim, guarantee = make_stage_guarantees(checked_options, design.conditions)

    releases: list[DPResults] = []

    def release_query(query: Query, share: float) -> tuple[Floats, float]:
        releases.append(release_stage(query, checked_options, share, design.conditions, record))
        return releases[-1].value, float(np.max(releases[-1].noise_scale))

    with charge_once(checked_options.budget, guarantee, record, checked_options.mechanism.name):
        inference = fit_logit_model(records, shares, release_query)
    return make_logit_results(
        inference,
        releases,
        design,
        records.scaling,
        hidden_remark=_UNINFORMATIVE_REMARK,
        remarks=_describe_response_levels(releases[0], design),
        method="noisy scores",
        claim=claim,
        guarantee=guarantee,
    )


def make_logit_records(regression: Regression) -> LogitRecords:
    """Return the records, with predictors in the units of the public bounds; private."""
    for pair in regression.design.bounds[1:]:
        check_bounds_range(*pair)
    return LogitRecords(regression, Scaling(*regression.design.units))


def split_epsilon(epsilon: float, n: int, p: int) -> tuple[float, ...]:
    """Return the epsilons of the moments and of the successive scores."""
    return split_by_shares(epsilon, MANY_SCORES_SHARES if has_enough_records(n, epsilon, p + 1) else FEW_SCORES_SHARES)


def fit_logit_model(
    records: LogitRecords, epsilons: tuple[float, ...], release_query: ScoreRelease
) -> LogitInference | WindowedLogit:
    """Return the inference from the last score, or from estimating equations if slopes are too steep for lines.

    `epsilons` are those of the moments and of the successive scores. All queries, and their fractions
    of the remaining epsilon, depend on noisy numbers only.
    """
    n, p = records.size, len(records.names)
    d = p + 1
    moments = unscale_moments(*release_query(records.make_moments_query(), epsilons[0]), n, p)
    products = unpack_symmetric(moments.products, d)
    deviations = math.sqrt(2.0) * np.diag(unpack_symmetric(moments.products_scale, d))
    sums = LogitSums(n, moments.response, products, deviations, (True,) * p)
    ridge = 1.5 * math.sqrt(p) * float(moments.products_scale[1]) / n + 1e-6
    center = began = sums.find_start(ridge)
    for index, epsilon in enumerate(epsilons[1:], 1):
        left = epsilons[index:]
        # slopes from moments can look steep because of a few values, so the first score ignores them
        look = np.zeros(p) if index == 1 else center[1:]
        if has_steep_slopes(look, sums) and has_enough_records(n, math.fsum(epsilons), d):
            queries = EquationQueries(
                records.compute_sensitivities(2),
                float(records.compute_window_factor(2)),
                lambda window, own: release_query(records.make_window_query(window, 2, n), own),
                lambda at, own: release_query(records.make_equations_query(at, 2, n), own),
            )
            return solve_equations(sums, began, sum_remaining_epsilon(left), queries)
        center = limit_slopes(center, sums.mean)
        half_width = float(np.abs(center[1:]).sum())
        line = fit_minimax_line(center[0] - half_width, center[0] + half_width)
        score_remainder, informed, third, fourth = unscale_score(
            *release_query(records.make_score_query(center, line), epsilon), line, d
        )
        inference = LogitInference(
            center,
            moments.response - line.level * products[0] - line.slope * (products @ center) - score_remainder,
            line.weight * products + unpack_symmetric(informed, d),
            products,
            n,
            line,
            moments.response_scale,
            moments.products_scale,
            third,
            fourth,
        )
        center = inference.estimate
    return inference


def _describe_response_levels(release: DPResults, design: RegressionDesign) -> list[str]:
    """Return remarks on levels of the response that look empty by the noisy moments."""
    size, slopes = release.nobs or 0, len(design.names) - 1
    moments = unscale_moments(release.value, float(np.max(release.noise_scale)), size, slopes)
    ones, sd = float(moments.response[0]) + 0.5 * size, math.sqrt(2.0) * float(moments.response_scale[0])
    return describe_empty_responses(design, ones, sd, size)

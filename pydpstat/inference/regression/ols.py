"""Linear regression: least squares from noisy moments, or tests by ranks and signs."""

from __future__ import annotations

from typing import Any

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, GivenBounds
from pydpstat._records.groups import Keys
from pydpstat._release.calibration import VECTOR_MECHANISMS
from pydpstat._release.options import BoundedOnly, Missing, check_min_records, options
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release, make_call
from pydpstat.errors import PydpstatError
from pydpstat.inference._testing import check_inference_epsilon
from pydpstat.inference.regression._design import RegressionDesign, read_regression
from pydpstat.inference.regression._linear_regression import fit_by_moments, fit_by_ranks
from pydpstat.mechanisms.geometric import Geometric
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.results.regression_results import RegressionResults

METHODS = ("moments", "rank")
COV_TYPES = ("nonrobust", "HC3")
_ONLY_BOUNDED = BoundedOnly(
    "for a regression by ranks, whose number of records must be public",
    "Give neighbors='bounded' if it is, or use method='moments'.",
)


@guard_release
def ols(
    formula: str | Data,
    data: Data,
    epsilon: float,
    *,
    bounds: GivenBounds,
    levels: object = None,
    other: str | None = None,
    method: str = "moments",
    cov_type: str = "nonrobust",
    coefficients: object = None,
    null: float = 0.0,
    interval: bool = False,
    delta: float = 0,
    mechanism: str | Mechanism | None = None,
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> RegressionResults:
    """Fit a linear regression, with tests and confidence intervals.

    Coefficients, tests and intervals come from one release; they cover sampling and noise.

    Parameters
    ----------
    formula : str, or array_like of shape (n,)
        A formula such as ``"log(y) ~ x1 * C(group) + I(x1**2)"``; see the notes. Or the response itself, as
        in statsmodels' ``OLS``.
    data : DataFrame or dict of columns, or array_like of shape (n,) or (n, p)
        What the formula names; besides the response, the predictors. The constant is always in the model and
        must not be among them.
    epsilon : float
        Privacy parameter; positive and finite. It covers the whole release.
    bounds : (float, float), list of pairs, or dict by column
        Public bounds of the response's column and of every other column that is a number, chosen without
        looking at them: the response's first and then the predictors', or by name; one pair for all, if their names
        do not say that they are different. Values outside are clipped to them, before any transformation.
    levels : dict of lists by name, or "declared", optional
        Public levels, or ``"declared"`` for Categoricals whose categories are public. Those of categorical predictors
        by name, the reference level first, which require them. With ``"moments"`` `remarks` say which levels look empty
        by the noisy counts.
    other : str, optional
        Name of an additional level for values that are not among the levels. Predictors have it. By default such values
        count as the reference level: as the number of records is public, no record can be left out.
    method : {"moments", "rank"}, default "moments"
        How: see the notes. ``"moments"`` estimates everything, ``"rank"`` has far more power.
    cov_type : {"nonrobust", "HC3"}, default "nonrobust"
        With ``"moments"``: ``"nonrobust"`` takes errors to have one variance, ``"HC3"`` allows for any
        variances, and spends a quarter of epsilon on them; it has no `t_test`, `f_test` and `get_prediction`.
    coefficients : str or list of str, optional
        With ``"rank"`` the names of the slopes to test, which share epsilon; by default all.
    null : float, default 0
        The value that every coefficient is tested for.
    interval : bool, default False
        With ``"rank"``, whether there are estimates and intervals, too. One slope's test then comes from its
        interval, which has the whole of epsilon; with several slopes half of epsilon goes to intervals.
    delta : float, default 0
        Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0.
    mechanism : {"laplace", "gaussian", "linf"} or Mechanism, optional
        Noise mechanism. By default ``"linf"``, which has the least noise without a delta for the moments: see the
        notes. Gaussian noise is less from about nine variables on. Ranks have geometric noise.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
        ``"unbounded"`` requires ``"moments"``, which releases the number with noise.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only).
        Records are dropped if any variable is missing. A scalar replaces them: a public number within all bounds; a
        missing level is then the reference level.
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
    RegressionResults
        ``params``, ``bse``, ``tvalues``, ``pvalues``, ``conf_int()``, ``predict()``, ``rsquared``,
        ``summary()`` as statsmodels has them, ``to_frame()``, and the ``validity`` of each coefficient. A
        coefficient about which the release is uninformative has no estimate (NaN), and `remarks` say why.

    Raises
    ------
    PydpstatError
        If an argument is invalid, the neighbors are unbounded with ``"rank"``, or a value is missing with
        ``missing="error"``.
    MissingExtraError
        For a formula, where neither patsy nor formulaic is installed.

    See Also
    --------
    logit : a response of two levels.
    corr : one correlation.
    LinearRegressionDP : R's DPpack with the numbers that R returns.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public.

    Formulas: terms are columns, ``C(column)`` and public transformations, and interactions ``a:b`` and
    ``a*b`` of these. Transformations are ``I()`` of arithmetic, such as ``I(x**2)`` or ``I(x - 40)``, and
    ``log``, ``log2``, ``log10``, ``log1p``, ``exp``, ``expm1``, ``sqrt`` and ``abs``, with or without
    ``np.``, also of the response. Each is computed from one record by itself, and its bounds follow from the
    columns' bounds. What learns from the data, such as ``center``, ``scale`` or ``bs``, is refused. Names and
    coding are patsy's; patsy or formulaic reads the terms, and nothing is evaluated as code.

    Moments: numbers are scaled to [-1, 1] by their bounds. Released at once are their sums, cross products
    and squares. Categorical predictors make tables, of which each cell has its count of records and their
    sums: one table of all of them if that has less noise in the end, or else one of each and the counts of
    each two. Coefficients are least squares' from the noisy moments.

    By default sums and cross products, squares, and tables have a share of epsilon each, which depends on
    the number of variables and of levels alone. In its share each has K-norm noise: cross products that of
    the body of all that a record can move (`pydpstat.mechanisms.CrossProductNoise`), squares that of a cube,
    and a table that of a cube for each cell, whatever the number of cells, because a record is in one of
    them. With four variables, the response among them, the standard deviation of a cross product's noise is
    11.2 / epsilon, that of Laplace noise 17.7 / epsilon. `pydpstat._records.moment_noise` has the proofs.

    Unbounded neighbors: a record adds to each sum, product, square and cell instead of moving it, and
    the noise of cells is halved. Without categorical predictors the number of records has noise together with
    sums and products: with two variables its standard deviation, and theirs, is 2.8 / epsilon, with four
    5.1 / epsilon, before shares. Otherwise it is the sum over the cells.

    Other noise has a table of each predictor, and one sensitivity of all that is released. With D numbers
    that of the L1 norm is (D + 1)^2 / 2 with squares counted half, and with Q categorical predictors
    2 floor(D^2 / 4) + 2 Q D + Q (Q + 1). With normal noise that of the L2 norm is D + 1, or the root of
    D^2 + 2 Q D + Q (Q + 1). Unbounded, the L1 norm and the square of the L2 norm are (D + 1)^2 / 2, or
    D^2 / 2 + Q (D + 1) + Q (Q - 1) / 2. `pydpstat.inference.regression._regression_moments` has the proof, and that of
    the roundings.

    The test of a coefficient is a score test. Its statistic is the product of what is left of the response,
    less null times the predictor, and of the predictor, after the other predictors, studentized for sampling
    and noise. Its distribution is simulated, noise and estimation included, for the estimated nuisance
    parameters and eight sets near them, whose numbers of records differ, too, where that is private; the
    p-value is the largest. What a score owes to the sampling of the response is not drawn but integrated, so
    that the simulation's own error is small: at 0.05 less than 0.003. Coefficients share the simulation.
    Errors are normal. If the response's mean is so near to a bound that they must be skewed, the p-value is
    the larger of those for normal errors and for rare events (the module `rare_errors` has the details). The
    interval has all values that are not rejected, and those between them (Anderson and Rubin 1949): it is the
    whole line where the noise hides the predictor. No proof covers this; the level was measured
    (``measured``). Below 0.005 a p-value is that of an exponential tail beyond the simulated statistics
    (`pydpstat._null_distributions.simulation`), down to 1e-6 (`pvalue_floor`); with fewer than 20
    records more than coefficients it is not below 0.00025.

    ``"HC3"``: where a few records lie far out and errors are larger there, standard errors that take errors
    to have one variance are too small. A second release, with a quarter of epsilon, has for each coefficient
    the sum over records of the square of what a record adds to the estimate, where its residual is divided by
    one less its leverage, or by 1/2 if that is less (MacKinnon and White 1985). A square is at most what the
    bounds allow, so the sums, in units of that, have the noise of a cube. Of a coefficient's variance the
    upper limit of 99.9 % is taken that the noise leaves, and p-values have 0.001 on top. Standard errors are
    the wider the further the largest square that the bounds allow is above the usual ones.

    Ranks, one slope in all: Kendall's S between the predictor and response - null * predictor, ties broken at
    random, with sensitivity 2 (n - 1) (``model``: exact where errors do not depend on the predictor).
    Several: records are put into random blocks. In each they are paired by what the other predictors leave of
    this one, the largest with the smallest, and the pairs' differences are freed from the other predictors.
    What remains is a contrast of the differences of two errors each, whose sign is fair under the hypothesis,
    whatever the other coefficients are. Released is the sum over blocks of the sign times min(rank, k), with
    sensitivity 2 k (``model``: exact where errors are independent and have one distribution or symmetric
    distributions). The blocks' size and k follow from n, epsilon and the number of predictors. With
    `interval` a histogram of the blocks' estimates of the slope, with cells of equal angles, is released,
    too; its intervals are exact under the same assumptions (`pydpstat._null_distributions.regression.slopes`),
    infinite beyond the outer cells.

    One slope with `interval`: the numbers of pairs of records whose own slope lies in public cells, first in
    coarse ones, and then in finer ones within the interval of the look before (Theil 1950, Sen 1968). Under
    the true slope the number of pairs below it has the distribution of Kendall's statistic, whatever the
    distribution of the errors (``model``). A record is in n - 1 pairs, so the sensitivity is 2 (n - 1); more
    than 20,000 records are divided into random groups, within which the pairs are made.

    For a test by ranks name the slope in `coefficients`, so that it has the whole of epsilon: with 100
    records, epsilon 1 and two predictors its power is about 0.4 where the moments' is below 0.1.

    References
    ----------
    Anderson, T. W. and Rubin, H. (1949). Estimation of the parameters of a single equation in a complete
    system of stochastic equations. Annals of Mathematical Statistics 20, 46-63.
    Kendall, M. G. (1970). Rank correlation methods, 4th edition. Griffin.
    Sen, P. K. (1968). Estimates of the regression coefficient based on Kendall's tau. Journal of the
    American Statistical Association 63, 1379-1389.
    MacKinnon, J. G. and White, H. (1985). Some heteroskedasticity-consistent covariance matrix estimators
    with improved finite sample properties. Journal of Econometrics 29, 305-325.
    Alabi, D. and Vadhan, S. (2022). Hypothesis testing for differentially private linear regression. NeurIPS
    2022 (another test).

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> rng = np.random.default_rng(1)
    >>> data = {"x": rng.uniform(0, 10, 2000), "group": rng.choice(["a", "b"], 2000)}
    >>> data["y"] = 1 + 0.5 * data["x"] + (data["group"] == "b") + rng.normal(0, 1, 2000)
    >>> public = {"bounds": {"y": (-3, 10), "x": (0, 10)}, "levels": {"group": ["a", "b"]}}
    >>> fit = pydpstat.ols("y ~ x + C(group)", data, 5.0, **public, rng=1)
    >>> list(fit.params.index)
    ['Intercept', 'x', 'C(group)[T.b]']
    >>> bool(fit.pvalues["x"] < 0.01)
    True
    >>> test = pydpstat.ols("y ~ x + C(group)", data, 1.0, **public, method="rank", coefficients="x", rng=1)
    >>> bool(test.pvalues["x"] < 0.01), test.validity["x"]
    (True, 'model')
    """
    ranked = checks.check_choice(method, "method", METHODS) == "rank"
    mechanisms = (Geometric(),) if ranked else VECTOR_MECHANISMS
    plain = mechanism is None or isinstance(mechanism, str) and mechanism == "laplace"
    chosen = "geometric" if ranked and plain else mechanism
    public = (epsilon, delta, chosen, neighbors, missing)
    checked_options = options(
        *public,
        mechanisms=mechanisms,
        allow_objects=not ranked,
        rng=rng,
        budget=budget,
        bounded_only=_ONLY_BOUNDED if ranked else None,
    )
    check_inference_epsilon(checked_options)
    value = checks.check_number(null, "null", "a finite number", lambda x: abs(x) < 1e300, "0 is usual.")
    wanted = checks.check_boolean(interval, "interval")
    if not ranked and (coefficients is not None or wanted):
        raise PydpstatError(
            "coefficients and interval must be left out with method 'moments', which tests and "
            "estimates all coefficients. Use method='rank' for them."
        )
    robust = checks.check_choice(cov_type, "cov_type", COV_TYPES) == "HC3"
    if ranked and robust:
        raise PydpstatError(
            "cov_type must be left out with method 'rank', which does not use the variance of the "
            "errors. Use method='moments' for it."
        )
    checked_options = checked_options.use_one_record_per_unit(unit)
    regression = read_regression(
        formula, data, bounds, levels, checked_options.missing, other=other, options=checked_options
    )
    checked_options = checked_options._replace(unit=regression.unit)
    design = regression.design
    checked_options = checked_options.add_type_conditions() if design.has_levels else checked_options
    if checked_options.has_public_size:
        check_min_records(checked_options, len(regression.response), 1, "regression")
    arguments = design.arguments
    if value != 0.0:
        arguments = (*arguments, ("null", value))
    if robust:
        arguments = (*arguments, ("cov_type", cov_type))
    if not ranked:
        return fit_by_moments(regression, checked_options, value, arguments, robust)
    arguments = (*arguments, ("method", method))
    if coefficients is not None:
        arguments = (*arguments, ("coefficients", coefficients))
    if wanted:
        arguments = (*arguments, ("interval", True))
    tested = _check_coefficients(coefficients, design)
    record = make_call("ols", checked_options, (regression.formula, "data"), arguments)
    return fit_by_ranks(regression, checked_options, value, tested, wanted, record)


def _check_coefficients(coefficients: object, design: RegressionDesign) -> tuple[str, ...]:
    """Check the names of the slopes to test; all slopes by default."""
    slopes = design.names[1:]
    if coefficients is None:
        return slopes
    names: Any = (coefficients,) if isinstance(coefficients, str) else coefficients
    is_valid = isinstance(names, (list, tuple)) and all(isinstance(name, str) and name in slopes for name in names)
    if is_valid and names and len(set(names)) == len(names):
        return tuple(names)
    raise PydpstatError(
        f"coefficients must be names of slopes, each once; got {checks.describe_value(coefficients)}. The "
        f"slopes are {checks.format_public_value(list(slopes))}."
    )

"""The t tests of one mean and of the mean of paired differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.alignment import check_equal_indexes
from pydpstat._data.columns import Columns, Data, VariableBounds, check_bounds, check_fill_value, read_single_column
from pydpstat._data.native import ensure_countable
from pydpstat._records.association import TwoVariables, check_lengths
from pydpstat._records.groups import Keys
from pydpstat._records.moment_release import sum_moments
from pydpstat._records.records import Records, read_records
from pydpstat._release.calibration import INTEGER_MECHANISMS
from pydpstat._release.declared_facts import suggest_exchange
from pydpstat._release.options import BoundedOnly, Missing, Options, options
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release
from pydpstat.errors import PydpstatError
from pydpstat.inference._testing import (
    ALTERNATIVES,
    SHAPES,
    check_inference_epsilon,
    get_alternative_argument,
    get_shape_argument,
)
from pydpstat.inference.means._cubic_release import sum_groups_with_cubic
from pydpstat.inference.means._mean_tests import (
    METHODS,
    make_one_sample_results,
    release_bernoulli_test,
    release_sample_sums,
    standardize_value,
)
from pydpstat.results import InferenceResults

# from this number of records on, sums with a noisy variance are more precise than Bernoulli draws
_MIN_SIZE_FOR_SUMS = 200
_ONLY_BOUNDED_EXACT = BoundedOnly(
    "with method 'exact', which needs the number of records", "If it is private, leave method out."
)
_MAX_ABS_VALUE = 8e307


@guard_release
def ttest_1samp(
    a: Data,
    popmean: float,
    epsilon: float,
    *,
    bounds: VariableBounds,
    alternative: str = "two-sided",
    method: str = "t",
    shape: str = "any",
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether a mean is a given number.

    Parameters
    ----------
    a : array_like of shape (n,)
        Numbers; values outside the bounds are clipped to them.
    popmean : float
        The mean under the null hypothesis, within the bounds.
    epsilon : float
        Privacy parameter; positive and finite.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis. ``"greater"``: the mean is above `popmean`.
    method : {"t", "exact"}, default "t"
        The noisy t test, or one for every distribution, with an interval 1.25 to 2.5 times as wide.
    shape : {"any", "normal"}, default "any"
        The assumed shape of the records' distribution: any, or close to normal, which gives more power if
        epsilon is large and there are few records. Not with ``method="exact"``, which has no assumption.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
        ``method="exact"`` requires ``"bounded"``.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: a public number within the bounds.
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
        With ``statistic``, ``pvalue`` and ``conf_int(alpha)`` for the mean. ``moments`` releases the same
        noisy sums for several tests.

    Raises
    ------
    PydpstatError
        If an argument is invalid, there is no record under bounded neighbors, or a value is missing with
        ``missing="error"``.

    See Also
    --------
    moments : tests of many means from one release.
    wilcoxon : by ranks.
    scipy.stats.ttest_1samp : the test without privacy.

    Notes
    -----
    Guarantee: epsilon. With ``missing="error"`` whether values are missing is treated as public. With
    ``method="t"``, and ``"exact"`` from 200 records on, the noisy sums of `moments` are released. With
    ``shape="any"`` and epsilon at least 4 (if n is public, also at least 40 / sqrt(n), and n at least 8), a
    tenth of epsilon is spent on a further sum, of 4 z^3 - 3 z, where z is a record scaled to [-1, 1]. This
    also lies within [-1, 1]: replacing a record changes its sum by at most 2, adding one by at most 1.

    Level: with ``"t"`` it was measured, never above 0.05 beyond sampling error, and is exact up to Monte
    Carlo error for records of two values. The statistic is the sum of the distances from `popmean` over the
    root of that of their squares, all of them noisy; the p-value is the largest over the variances that the
    noisy sums leave possible, and over three shapes of the distribution, of which two are the most skewed
    ones that the bounds allow. If the sum of cubes is released, the statistic is corrected for part of the
    skewness (Hall's transformation), and the shapes are those between the normal and the most skewed ones
    that the noisy sums leave possible: skewness that they rule out costs no power. With ``shape="normal"``
    the p-value is maximized over variances alone: the level is then that of normal records. The smallest
    p-value is 1e-6: if 0.001 (0.002 with cubes), for variances left out, would be most of a p-value, more
    variances and weighted draws are used instead.

    ``"exact"``: below 200 records each is replaced by a coin that falls with the probability (1 + z) / 2, z
    being its place between -1 and 1. The number of heads is binomial for any distribution, and gets symmetric
    geometric noise: a record changes one coin. From 200 on, the noisy sum of squares bounds the variance, and
    that the tails of the mean, by Bentkus's inequality.

    References
    ----------
    Berger, R. L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter.
    Journal of the American Statistical Association 89, 1012-1016.
    Hall, P. (1992). On the removal of skewness by transformation. Journal of the Royal Statistical Society B
    54, 221-228.
    Bentkus, V. (2004). On Hoeffding's inequalities. Annals of Probability 32, 1650-1673.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(20, 60, 500)
    >>> r = pydpstat.ttest_1samp(x, 35, 1.0, bounds=(0, 100), rng=1)
    >>> r.pvalue < 0.01, r.validity
    (True, 'measured')
    >>> low, high = r.conf_int()
    >>> low < 40 < high
    True
    """
    checks.check_choice(alternative, "alternative", ALTERNATIVES)
    checks.check_choice(method, "method", METHODS)
    check_assumed_shape(shape, method)
    only = _ONLY_BOUNDED_EXACT if method == "exact" else None
    checked_options = options(
        epsilon,
        0,
        "laplace",
        neighbors,
        missing,
        allow_objects=False,
        rng=rng,
        budget=budget,
        bounded_only=only,
    )
    check_inference_epsilon(checked_options)
    pair = check_bounds(bounds)
    standardize_value(popmean, pair, hint=suggest_exchange(checked_options.epsilon))
    popmean = checks.as_float(checks.unwrap_scalar(popmean))
    check_fill_value(checked_options.missing, (pair,))
    data = ensure_countable(a, "a") if method == "exact" else a
    records, checked_options = read_records(
        data, checked_options.use_one_record_per_unit(unit), read_single_column, "a"
    )
    public_arguments = _get_public_arguments(popmean, pair, alternative, method, shape)
    if method == "exact" and records.size is not None and records.size < _MIN_SIZE_FOR_SUMS:
        public = (epsilon, 0, "geometric", checked_options.neighbors, missing)
        coins = options(*public, mechanisms=INTEGER_MECHANISMS, budget=budget, bounded_only=_ONLY_BOUNDED_EXACT)
        checked_options = coins._replace(unit=checked_options.unit, source=checked_options.source)
        return release_bernoulli_test(records, pair, checked_options, popmean, alternative, public_arguments)
    return _release_mean_test(
        "ttest_1samp", records, pair, checked_options, popmean, alternative, method, shape, public_arguments
    )


def check_assumed_shape(shape: str, method: str = "t") -> None:
    """Check the assumed shape; the exact test allows "any" only."""
    checks.check_choice(shape, "shape", SHAPES)
    if method == "exact" and shape != "any":
        raise PydpstatError(
            f"shape must be 'any' with method 'exact', which assumes no shape; got {shape!r}. Leave out "
            "shape or method."
        )


def _get_public_arguments(
    popmean: float | None, bounds: VariableBounds, alternative: str, method: str, shape: str
) -> tuple[tuple[str, object], ...]:
    """Return the public arguments of the call that differ from their defaults."""
    shown: list[tuple[str, object]] = [] if popmean is None else [("popmean", popmean)]
    shown += [("bounds", bounds), *get_alternative_argument(alternative)]
    shown += [("method", method)] if method != "t" else []
    return (*shown, *get_shape_argument(shape))


def _release_mean_test(
    function: str,
    records: Records,
    bounds: VariableBounds,
    options: Options,
    popmean: float,
    alternative: str,
    method: str,
    shape: str,
    public_arguments: tuple[tuple[str, object], ...],
) -> InferenceResults:
    data = ("a",) if function == "ttest_1samp" else ("a", "b")
    public: dict[str, Any] = {"data_names": data, "public_arguments": public_arguments, "bounds": bounds}
    if method == "exact":
        (sums,), cubic = [sum_moments(records, (bounds,), options, "t test", "a")[0]], False
    else:
        (sums,), cubic = sum_groups_with_cubic([(records, "a")], bounds, options, "t test", shape)
    release, (noisy_sums,) = release_sample_sums(function, [sums], cubic, ["z"], options, shape=shape, **public)
    test = "One-sample t test" if function == "ttest_1samp" else "Paired t test"
    return make_one_sample_results(release, noisy_sums, bounds, popmean, alternative, method, test)


def _read_differences(both: Any, argument: str) -> Columns:
    """Read the differences of two variables, record by record."""
    check_equal_indexes(("a", both.x), ("b", both.y))
    a_column, b_column = read_single_column(both.x, "a"), read_single_column(both.y, "b")
    check_lengths(a_column.size, b_column.size, "a and b")
    # the difference of two infinities would be NaN
    values = [
        np.clip(column.arrays[0].astype(np.float64), -_MAX_ABS_VALUE, _MAX_ABS_VALUE) for column in (a_column, b_column)
    ]
    return Columns((values[0] - values[1],), (None,), None, None, a_column.size)


@guard_release
def ttest_rel(
    a: Data,
    b: Data,
    epsilon: float,
    *,
    bounds: VariableBounds,
    alternative: str = "two-sided",
    method: str = "t",
    shape: str = "any",
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether the mean of the differences a - b is 0.

    Parameters
    ----------
    a, b : array_like of shape (n,)
        Numbers, a record in the same place of both.
    epsilon : float
        Privacy parameter; positive and finite.
    bounds : (float, float)
        Public bounds of the differences a - b, chosen without looking at them; 0 must lie within. Narrow ones
        are worth much: differences are mostly smaller than the values.
    alternative, method, shape, neighbors, unit, rng, budget
        As in `ttest_1samp`.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces the difference of a pair in which a value is missing: a public number.

    Returns
    -------
    InferenceResults
        Its interval is for the mean of the differences.

    Raises
    ------
    PydpstatError
        As in `ttest_1samp`, or where a and b differ in length.

    See Also
    --------
    ttest_1samp : one sample.
    wilcoxon : by ranks.
    scipy.stats.ttest_rel : the test without privacy.

    Notes
    -----
    Guarantee: that of `ttest_1samp`, for the differences. A record is a pair.

    References
    ----------
    Berger, R. L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter.
    Journal of the American Statistical Association 89, 1012-1016.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> before = np.linspace(50, 90, 800)
    >>> r = pydpstat.ttest_rel(before, before - 3, 1.0, bounds=(-20, 20), rng=1)
    >>> r.pvalue < 0.05, r.parameter
    (True, 'mean')
    """
    checks.check_choice(alternative, "alternative", ALTERNATIVES)
    checks.check_choice(method, "method", METHODS)
    check_assumed_shape(shape, method)
    only = _ONLY_BOUNDED_EXACT if method == "exact" else None
    checked_options = options(
        epsilon,
        0,
        "laplace",
        neighbors,
        missing,
        allow_objects=False,
        rng=rng,
        budget=budget,
        bounded_only=only,
    )
    check_inference_epsilon(checked_options)
    pair = check_bounds(bounds)
    if not pair[0] <= 0.0 <= pair[1]:
        raise PydpstatError(
            "bounds must contain 0, the mean difference under the null hypothesis; got a pair that "
            "does not. They are bounds of the differences a - b."
        )
    check_fill_value(checked_options.missing, (pair,))
    records, checked_options = read_records(
        TwoVariables(a, b), checked_options.use_one_record_per_unit(unit), _read_differences, "a"
    )
    public_arguments = _get_public_arguments(None, pair, alternative, method, shape)
    return _release_mean_test(
        "ttest_rel", records, pair, checked_options, 0.0, alternative, method, shape, public_arguments
    )

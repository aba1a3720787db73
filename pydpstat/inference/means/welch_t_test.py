"""Welch's t test of two means."""

from __future__ import annotations

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, VariableBounds, check_bounds, check_fill_value
from pydpstat._records.groups import Keys
from pydpstat._release.options import Missing, options
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release
from pydpstat.errors import PydpstatError
from pydpstat.inference._samples import read_samples_by_unit
from pydpstat.inference._testing import (
    ALTERNATIVES,
    SHAPES,
    check_inference_epsilon,
    get_alternative_argument,
    get_group_names,
    get_shape_argument,
    warn_empty_samples,
)
from pydpstat.inference.means._mean_tests import DEFAULT_GROUP_NAMES, make_two_sample_results, release_group_samples
from pydpstat.results import InferenceResults


@guard_release
def ttest_ind(
    a: Data,
    b: Data,
    epsilon: float,
    *,
    bounds: VariableBounds,
    equal_var: bool = False,
    alternative: str = "two-sided",
    shape: str = "any",
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether two groups have the same mean, by Welch's t test.

    The variances may differ.

    Parameters
    ----------
    a, b : array_like of shape (n1,) and (n2,)
        The groups' numbers; values outside the bounds are clipped to them. Series with different names name
        the groups.
    epsilon : float
        Privacy parameter; positive and finite. As a record is in one group, each group has all of it.
    bounds : (float, float)
        Public bounds of both groups' data, chosen without looking at them.
    equal_var : bool, default False
        Only False. (SciPy's default is True: Student's test, which assumes that both groups have the same
        variance.)
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis. ``"greater"``: the mean of `a` is above that of `b`.
    shape : {"any", "normal"}, default "any"
        The assumed shape of the groups' distributions: any, or close to normal, as in `ttest_1samp`.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
        A record that is replaced stays in its group, so that the groups' sizes are public.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: a public number within the bounds.
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
        Its interval is for the mean of `a` minus that of `b`. For a test alone, `mannwhitneyu` often has more
        power.

    Raises
    ------
    PydpstatError
        If an argument is invalid, a group is empty under bounded neighbors, or a value is missing with
        ``missing="error"``.

    See Also
    --------
    f_oneway : more than two groups.
    mannwhitneyu : by ranks.
    scipy.stats.ttest_ind : the test without privacy.

    Notes
    -----
    Guarantee: epsilon. Under bounded neighbors the groups' sizes and who is in which group are treated as
    public, and so is whether values are missing with ``missing="error"``. Released are the noisy sums of
    `moments` for each group. A record moves those of its group alone, so each has the noise of a
    separate release. With ``shape="any"`` a tenth of epsilon is spent on sums of cubes where `ttest_1samp`
    spends it, for the size of the smaller group. Without them, and where sizes are private, it is the test of
    ``mean(by=, population=True).difference``.

    Level: measured. As in `ttest_1samp` the p-value is the largest over the variances that are possible, of
    both groups, and over shapes of their distributions; the common mean is estimated. With sums of cubes each
    group's distance from the common mean is corrected for part of its skewness.

    References
    ----------
    Welch, B. L. (1947). The generalization of "Student's" problem when several different population variances
    are involved. Biometrika 34, 28-35.
    Berger, R. L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter.
    Journal of the American Statistical Association 89, 1012-1016.
    Hall, P. (1992). On the removal of skewness by transformation. Journal of the Royal Statistical Society B
    54, 221-228.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(20, 60, 500)
    >>> r = pydpstat.ttest_ind(x + 8, x, 1.0, bounds=(0, 100), rng=1)
    >>> r.pvalue < 0.01
    True
    >>> low, high = r.conf_int()
    >>> low < 8 < high
    True
    """
    checks.check_choice(alternative, "alternative", ALTERNATIVES)
    checks.check_choice(shape, "shape", SHAPES)
    if not isinstance(equal_var, (bool, np.bool_)) or equal_var:
        raise PydpstatError(
            f"equal_var must be False; got {checks.describe_value(equal_var)}. Whether variances are equal is "
            "private. Leave it out: Welch's test does not need it and loses little."
        )
    checked_options = options(epsilon, 0, "laplace", neighbors, missing, allow_objects=False, rng=rng, budget=budget)
    check_inference_epsilon(checked_options)
    pair = check_bounds(bounds)
    check_fill_value(checked_options.missing, (pair,))
    samples = read_samples_by_unit((a, b), DEFAULT_GROUP_NAMES, unit, checked_options)
    names = get_group_names(samples, DEFAULT_GROUP_NAMES)
    public_arguments = (*get_alternative_argument(alternative), *get_shape_argument(shape))
    release, noisy_sums = release_group_samples(
        "ttest_ind", samples, DEFAULT_GROUP_NAMES, names, pair, checked_options, public_arguments, shape
    )
    warn_empty_samples(names, noisy_sums)
    return make_two_sample_results(release, noisy_sums, pair, alternative, names)

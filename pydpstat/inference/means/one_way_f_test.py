"""Analysis of variance of several means that does not assume equal variances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, VariableBounds, check_bounds, check_fill_value
from pydpstat._null_distributions.means.group_comparisons import compare_means, make_t_interval
from pydpstat._null_distributions.means.group_means import NoiseMixing, get_equal_means_floor
from pydpstat._null_distributions.means.noisy_t import NoisySums
from pydpstat._records.groups import Keys
from pydpstat._records.population import MeanIntervals
from pydpstat._records.record_grid import GRID_BITS
from pydpstat._release.options import Missing, Options, options
from pydpstat._release.pipeline import Chargeable, Query
from pydpstat._release.statistic import guard_release, release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.inference._samples import Sample, read_samples_by_unit
from pydpstat.inference._testing import (
    PUBLIC_GROUPS_CONDITION,
    SHAPES,
    check_inference_epsilon,
    get_numbered_group_names,
    get_shape_argument,
    get_shape_assumption,
    warn_empty_samples,
)
from pydpstat.inference.means._mean_tests import estimate_mean, release_sample_sums, sum_samples
from pydpstat.results import DPResults, GroupedResults, InferenceResults
from pydpstat.results._labels import GroupLabels, Labels
from pydpstat.results._postprocessing import NoisyValue
from pydpstat.results._shapes import derive_release

MAX_GROUPS = 100


@guard_release
def f_oneway(
    *samples: Data,
    epsilon: float,
    bounds: VariableBounds,
    shape: str = "any",
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Test whether several groups have the same mean, by Welch's ANOVA.

    Parameters
    ----------
    *samples : array_like
        Two groups or more, of numbers. Values outside the bounds are clipped to them: the test is about the
        means after that. Series with different names name the groups.
    epsilon : float
        Privacy parameter; positive and finite. As a record is in one group, each group has all of it.
    bounds : (float, float), keyword only
        Public bounds of the data, chosen without looking at them.
    shape : {"any", "normal"}, default "any"
        What the groups' distributions may be: of any shape, or close to normal ones, which gives more power
        where epsilon is large and groups are small.
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
        `statistic` is Welch's weighted sum of squares over the number of groups less one. The released
        numbers are halves of the groups' sums of z and quarters of those of z^2, where z is a record's place
        between -1 (the lower bound) and 1 (the upper one); under unbounded neighbors three sums of each
        group, as in `moments`; with cubes each group's sums one after the other, as of `ttest_ind`. The
        estimates are the groups' means. There is no interval.

    Raises
    ------
    PydpstatError
        If an argument is invalid, there are fewer than two groups, a group has no record under bounded neighbors, or a
        value is missing with ``missing="error"``.

    See Also
    --------
    ttest_ind : two groups.
    kruskal : by ranks, with more power at a small epsilon.
    scipy.stats.f_oneway : the test without privacy, of equal variances.

    Notes
    -----
    Guarantee: epsilon. Under bounded neighbors the groups' sizes, and who is in which, are public. With z the
    record's place on a grid and s its square, rounded to the grid, sum(z) / 2 and sum(s) / 4 of each group
    are released with Laplace noise. Replacing a record moves the two by at most 1 together: as s lies between
    2 \\|z\\| - 1 and 1, which are on the grid, (z, s) is in the triangle with the corners (-1, 1), (1, 1) and
    (0, -1), and ``|z - z'| / 2 + |s - s'| / 4``, which is convex, is largest between corners: 1 for each two
    of them. So the mean has the noise of a mean released alone, and the variance costs nothing. Under
    unbounded neighbors a group's sums of (1 - 2z + s) / 4, (1 - s) / 2 and (1 + 2z + s) / 4 are released,
    which are at least 0 and add up to 1 for a record: adding it moves them by 1 together, and the sums of no
    other group.

    With ``shape="any"`` a tenth of epsilon is spent on sums of cubes where `ttest_1samp` spends it, for the
    size of the smallest group.

    Validity: ``measured``. Equal variances are not assumed. Each mean is weighted by the inverse of its
    variance, sampling and noise together; the statistic's distribution hardly depends on the true variances,
    whatever they are. It is found by simulation for means, variances and shapes (normal, and the most skewed
    ones that the bounds allow) that the release leaves possible, and the largest p-value counts. With sums of
    cubes the means are corrected for part of their skewness, as in `ttest_ind`, with whose p-value that of
    two groups then agrees. With next to no noise and ``shape="normal"`` the p-value is about that of Welch's
    test; with ``"any"`` it is larger, as a group of a few records may have a skewed distribution. A private
    size is simulated with its noise; a group whose noisy number of records may be noise alone is left out.

    If only a test is needed, one of ranks such as Kruskal's is far more powerful at small epsilon.

    References
    ----------
    Welch, B. L. (1951). On the comparison of several mean values: an alternative approach. Biometrika 38.
    Swanberg, M., Globus-Harris, I., Griffith, I., Ritz, A., Groce, A. and Bray, A. (2019). Improved
    differentially private analysis of variance. PoPETs 2019 (another private statistic).

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(20, 60, 400)
    >>> r = pydpstat.f_oneway(x, x, x + 8, epsilon=1.0, bounds=(0, 100), rng=1)
    >>> r.validity, r.pvalue < 0.01
    ('measured', True)
    """
    checks.check_choice(shape, "shape", SHAPES)
    checked_options = options(epsilon, 0, "laplace", neighbors, missing, allow_objects=False, rng=rng, budget=budget)
    if not 2 <= len(samples) <= MAX_GROUPS:
        raise PydpstatError(
            f"samples must be 2 to {MAX_GROUPS} groups; got {len(samples)}. Give each group as a "
            "separate argument, and epsilon by name."
        )
    check_inference_epsilon(checked_options)
    pair = check_bounds(bounds)
    check_fill_value(checked_options.missing, (pair,))
    argument_names = tuple(f"sample{index + 1}" for index in range(len(samples)))
    read_samples = read_samples_by_unit(samples, argument_names, unit, checked_options)
    names = get_numbered_group_names(read_samples)
    release, noisy = release_group_means(read_samples, argument_names, names, pair, checked_options, shape)
    warn_empty_samples(names, noisy)
    statistic, pvalue, compared = compare_means(noisy)
    remarks = describe_excluded_groups(names, compared)
    if max(2.0 / (checked_options.epsilon * max(sums.sums[0], 1.0)) for sums in noisy) > 1.0:
        remarks += ("The noise of a mean is wider than its bounds: the result is almost uninformative.",)
    return InferenceResults.of(
        release,
        test="Welch's one-way analysis of variance",
        statistic=statistic / max(len(compared) - 1, 1),
        pvalue=pvalue,
        pvalue_floor=get_equal_means_floor(len(compared)),
        null=(("largest difference of means", 0.0),),
        estimates=tuple((f"mean of {name}", estimate_mean(sums, pair)) for name, sums in zip(names, noisy)),
        validity="measured",
        assumptions=(
            *get_shape_assumption(noisy),
            "the records are independent of each other",
            "the means are those of records clipped to the bounds",
        ),
        remarks=remarks,
        behind=_make_mean_results(release, noisy, names, pair),
    )


def _make_mean_results(
    release: DPResults, noisy: Sequence[NoisySums], names: Sequence[str], bounds: VariableBounds
) -> GroupedResults:
    """Return the groups' means with confidence intervals, in the form of a release of means."""
    middle, half = 0.5 * bounds[0] + 0.5 * bounds[1], 0.5 * bounds[1] - 0.5 * bounds[0]
    # the intervals do not use the assumed shape
    intervals = tuple(make_t_interval(replace(sums, is_normal=False), middle, half) for sums in noisy)
    population = MeanIntervals(intervals, (len(noisy),), "measured")
    made: GroupedResults = derive_release(
        release,
        statistic="mean",
        value=np.array([estimate_mean(sums, bounds) for sums in noisy]),
        labels=GroupLabels.from_labels(Labels("mean"), tuple((name,) for name in names), ("",)),
        noise=None,
        noise_scale=math.nan,
        post=NoisyValue(("from noisy sums",), population=population),
    )
    return made


def release_group_means(
    samples: Sequence[Sample],
    argument_names: tuple[str, ...],
    names: Sequence[str],
    bounds: VariableBounds,
    options: Options,
    shape: str = "any",
) -> tuple[DPResults, list[NoisySums]]:
    """Release the sums of groups; for public sizes and without cubics, all of z / 2 and then all of z^2 / 4."""
    exact_sums, cubic, options = sum_samples("f_oneway", samples, argument_names, bounds, options, shape)
    public: dict[str, Any] = {
        "data_names": argument_names,
        "public_arguments": (("bounds", bounds), *get_shape_argument(shape)),
        "bounds": bounds,
        "conditions": (PUBLIC_GROUPS_CONDITION,) if options.has_public_size else (),
    }
    if cubic or not options.has_public_size:
        return release_sample_sums("f_oneway", exact_sums, cubic, names, options, shape=shape, **public)
    sizes = tuple(group_sums.count for group_sums in exact_sums)
    exact = [Fraction(group_sums.first[0], 2 << GRID_BITS) for group_sums in exact_sums]
    exact += [Fraction(group_sums.products[0], 4 << GRID_BITS) for group_sums in exact_sums]
    labels = tuple(f"{sum_name}, {name}" for sum_name in ("sum of z / 2", "sum of z^2 / 4") for name in names)
    query = Query.from_exact(
        "f_oneway", exact, Fraction(1), Labels("f_oneway", labels), sum(sizes), has_internal_labels=True
    )
    release = release_statistic("f_oneway", query, options, **public)
    sums = (np.asarray(release.value).reshape(2, -1) * [[2.0], [4.0]]).tolist()
    noise = NoiseMixing.from_epsilon(float(1.0 / np.max(release.noise_scale))).coefficients
    return release, [
        NoisySums((float(size), *values), noise, "laplace", size, shape == "normal")
        for size, *values in zip(sizes, *sums)
    ]


def describe_excluded_groups(names: Sequence[str], compared: tuple[int, ...]) -> tuple[str, ...]:
    """Return a remark for each group that is not compared."""
    return tuple(
        f"{name} is left out: it may have no records at all."
        for index, name in enumerate(names)
        if index not in compared
    )

"""Tests of one mean and of two means, from noisy sums or from Bernoulli draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import VariableBounds, read_single_column
from pydpstat._null_distributions.means.exact_moments import (
    EXCLUDED_PROBABILITY,
    ExactMeanInterval,
    compute_exact_pvalue,
)
from pydpstat._null_distributions.means.group_comparisons import compare_two_means, make_t_interval
from pydpstat._null_distributions.means.mean_differences import (
    PVALUE_FLOOR,
    compute_refined_t_pvalue,
    get_t_pvalue_floor,
)
from pydpstat._null_distributions.means.noisy_t import NoisySums, NoisyTInterval
from pydpstat._null_distributions.means.skewed_t import compute_skewed_pvalue
from pydpstat._null_distributions.noise import GeometricNoise
from pydpstat._null_distributions.proportions.one_proportion import (
    ProportionInterval,
    combine_tails,
    compute_noisy_tails,
    get_noisy_tails_floor,
)
from pydpstat._records.moment_release import collect_sum_names, release_sums
from pydpstat._records.record_grid import GRID_BITS, ExactSums, RecordGrid, fill_missing, make_standard_grid
from pydpstat._records.records import RecordChunk, Records, read_records
from pydpstat._release.options import Missing, Options, check_min_records
from pydpstat._release.pipeline import Query
from pydpstat._release.statistic import release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.inference._samples import Sample
from pydpstat.inference._testing import PUBLIC_GROUPS_CONDITION, format_contrast_name, get_shape_assumption
from pydpstat.inference.means._cubic_release import release_cubic, sum_groups_with_cubic
from pydpstat.results import DPResults, InferenceResults
from pydpstat.results._labels import Labels

METHODS = ("t", "exact")
# names of tests in errors about the number of records
TEST_NAMES = {"ttest_ind": "t test", "f_oneway": "analysis of variance"}
# default names of two groups
DEFAULT_GROUP_NAMES = ("a", "b")
CLIPPED_ASSUMPTION = "the mean is that of values clipped to the bounds"
PUBLIC_BOUNDS_ASSUMPTION = "the bounds were chosen without looking at the data"
EMPTY_GROUP_REMARK = "A group may have no records at all: the result is uninformative."
WIDE_NOISE_REMARK = "The noise is as large as half the width of the bounds: hardly any mean can be ruled out."


def standardize_value(value: float, bounds: VariableBounds, name: str = "popmean", hint: str = "") -> float:
    """Check that a number lies within the bounds, and return it on the scale where these are -1 and 1."""
    low, high = bounds
    hint = hint or "The mean of values within the bounds lies there; the data come first."
    number = checks.check_number(value, name, "a number within the bounds", lambda x: low <= x <= high, hint)
    exact_value, lower, upper = map(Fraction, (number, low, high))
    return float((2 * exact_value - lower - upper) / (upper - lower))


def make_one_sample_results(
    release: DPResults,
    noisy: NoisySums,
    bounds: VariableBounds,
    popmean: float,
    alternative: str,
    method: str,
    test: str = "One-sample t test",
) -> InferenceResults:
    """Return the test and the confidence interval of a mean from noisy sums."""
    mean = standardize_value(popmean, bounds)
    middle, half = 0.5 * bounds[0] + 0.5 * bounds[1], 0.5 * bounds[1] - 0.5 * bounds[0]
    if method == "exact":
        if noisy.size is None:
            raise PydpstatError(
                "method must be 't' if the number of records is private; got 'exact'. Use "
                "neighbors='bounded', or leave method out."
            )
        (statistic, p), floor = compute_exact_pvalue(noisy, mean, alternative), EXCLUDED_PROBABILITY
        interval: ExactMeanInterval | NoisyTInterval = ExactMeanInterval(noisy, middle, half, alternative)
    else:
        if noisy.cube_sum is not None:
            (statistic, p), floor = compute_skewed_pvalue(noisy, mean, alternative), PVALUE_FLOOR
        else:
            (statistic, p), floor = (
                compute_refined_t_pvalue(noisy, mean, alternative),
                get_t_pvalue_floor(noisy),
            )
        interval = make_t_interval(noisy, middle, half, alternative)
    return InferenceResults.of(
        release,
        test=test if method == "t" else test.replace("t test", "exact test of the mean"),
        statistic=statistic,
        pvalue=p,
        pvalue_floor=floor,
        alternative=alternative,
        null=(("mean", checks.as_float(checks.unwrap_scalar(popmean))),),
        released=_collect_released_values(release),
        estimates=(("mean", estimate_mean(noisy, bounds)),),
        parameter="mean",
        interval=interval,
        validity="exact" if method == "exact" else "measured",
        assumptions=(
            *get_shape_assumption([noisy]),
            "independent records of one distribution",
            CLIPPED_ASSUMPTION,
            PUBLIC_BOUNDS_ASSUMPTION,
        ),
        remarks=_make_noise_remarks(noisy),
    )


def estimate_mean(noisy: NoisySums, bounds: VariableBounds) -> float:
    """Return the estimate of the mean from noisy sums, clipped to the bounds, in the units of the data."""
    middle, half = 0.5 * bounds[0] + 0.5 * bounds[1], 0.5 * bounds[1] - 0.5 * bounds[0]
    mean = middle + half * min(max(noisy.sums[1] / max(noisy.sums[0], 1.0), -1.0), 1.0)
    return min(max(mean, bounds[0]), bounds[1])


def sum_samples(
    function: str,
    samples: Sequence[Sample],
    arguments: tuple[str, ...],
    bounds: VariableBounds,
    options: Options,
    shape: str,
) -> tuple[list[ExactSums], bool, Options]:
    """Compute the exact sums of samples; also return whether cubics are included, and the options with the unit."""
    groups = []
    for (data, scope), argument in zip(samples, arguments):
        records, options = read_records(data, options._replace(scope=scope), read_single_column, argument)
        groups.append((records, argument))
    return *sum_groups_with_cubic(groups, bounds, options, TEST_NAMES[function], shape), options


def release_sample_sums(
    function: str,
    found: Sequence[ExactSums],
    cubic: bool,
    names: Sequence[str],
    options: Options,
    *,
    shape: str,
    **public: Any,
) -> tuple[DPResults, list[NoisySums]]:
    """Release the sums of one sample or of several, with or without cubics; `public` is passed to the release."""
    if cubic:
        return release_cubic(function, names, found, options, **public)
    labels = [label for name in names for label in collect_sum_names((name,), options)]
    blocks = [(item, item.count if options.has_public_size else 0, 1) for item in found]
    release, matrices = release_sums(function, labels, blocks, options, **public)
    return release, [replace(item.sums[0], is_normal=shape == "normal") for item in matrices]


def release_group_samples(
    function: str,
    samples: Sequence[Sample],
    arguments: tuple[str, ...],
    names: Sequence[str],
    bounds: VariableBounds,
    options: Options,
    public_arguments: tuple[tuple[str, object], ...],
    shape: str = "any",
) -> tuple[DPResults, list[NoisySums]]:
    """Sum and release samples; `arguments` are their names in the call and `names` those in results."""
    sums, cubic, options = sum_samples(function, samples, arguments, bounds, options, shape)
    public = {"data_names": arguments, "public_arguments": (("bounds", bounds), *public_arguments), "bounds": bounds}
    conditions = (PUBLIC_GROUPS_CONDITION,) if options.has_public_size else ()
    return release_sample_sums(function, sums, cubic, names, options, shape=shape, conditions=conditions, **public)


def make_two_sample_results(
    release: DPResults,
    noisy: Sequence[NoisySums],
    bounds: VariableBounds,
    alternative: str,
    names: tuple[str, ...],
) -> InferenceResults:
    """Return Welch's test and the confidence interval of the difference of two means from noisy sums."""
    half = 0.5 * bounds[1] - 0.5 * bounds[0]
    statistic, p, interval, tell = compare_two_means((noisy[0], noisy[1]), half, alternative)
    means = [estimate_mean(sums, bounds) for sums in noisy]
    difference = format_contrast_name("difference", names, DEFAULT_GROUP_NAMES)
    remarks = tuple(dict.fromkeys(remark for sums in noisy for remark in _make_noise_remarks(sums)))
    return InferenceResults.of(
        release,
        test="Welch's t test",
        statistic=statistic,
        pvalue=p,
        pvalue_floor=PVALUE_FLOOR if tell else 0.0,
        alternative=alternative,
        null=((difference, 0.0),),
        released=_collect_released_values(release),
        estimates=(
            *((f"mean of {name}", mean) for name, mean in zip(names, means)),
            (difference, means[0] - means[1]),
        ),
        parameter=difference,
        interval=interval,
        validity="measured",
        assumptions=(
            *get_shape_assumption(noisy),
            "independent, identically distributed records in each group",
            CLIPPED_ASSUMPTION,
            PUBLIC_BOUNDS_ASSUMPTION,
        ),
        remarks=remarks if tell else (EMPTY_GROUP_REMARK,),
    )


def _collect_released_values(release: DPResults) -> tuple[tuple[str, float], ...]:
    return tuple((str(name), float(value)) for name, value in release.params.items())


def _make_noise_remarks(noisy: NoisySums) -> tuple[str, ...]:
    """Return remarks on uninformative results, from public and released numbers alone."""
    size = noisy.size if noisy.size is not None else noisy.sums[0]
    if size < 2:
        return ("The variance of one record cannot be estimated: the test rests on the bounds alone.",)
    sd = math.sqrt(noisy.unit_variance * sum(coefficient * coefficient for coefficient in noisy.noise[1]))
    return (WIDE_NOISE_REMARK,) if sd >= size else ()


@dataclass(frozen=True)
class _BernoulliMeanInterval:
    """Confidence interval of a mean that inverts the test by Bernoulli draws, in the units of the data."""

    shares: ProportionInterval
    bounds: VariableBounds

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval, which misses the mean with probability at most `alpha`."""
        lower, upper = self.bounds
        middle, half = 0.5 * lower + 0.5 * upper, 0.5 * upper - 0.5 * lower
        low, high = (middle + half * (2.0 * share - 1.0) for share in self.shares.compute_limits(alpha))
        return min(max(low, lower), upper), min(max(high, lower), upper)


def release_bernoulli_test(
    records: Records,
    bounds: VariableBounds,
    options: Options,
    popmean: float,
    alternative: str,
    public_arguments: tuple[tuple[str, object], ...],
) -> InferenceResults:
    """Test a mean by randomized rounding: each record becomes a Bernoulli draw, whose noisy sum is released."""
    grid = make_standard_grid(*bounds)
    placed = records.fold(partial(_standardize_part, grid=grid, missing=options.missing), _concatenate_arrays)
    size = placed.size
    check_min_records(options, size, 1, "test of a mean", "a")
    # (1 + z) / 2 is a multiple of the probability of each of these integers, so the draws are exact
    heads = int(np.count_nonzero(options.source.integers(size, 2 << GRID_BITS) < (placed + 1.0) / grid.unit))
    labels = Labels("heads")
    query = Query("heads", np.asarray(float(heads)), (1,), labels, integer=True, nobs=size, exact=(heads,))
    release = release_statistic(
        "ttest_1samp", query, options, data_names=("a",), public_arguments=public_arguments, bounds=bounds
    )
    count, middle, half = (
        float(release.value),
        0.5 * bounds[0] + 0.5 * bounds[1],
        0.5 * bounds[1] - 0.5 * bounds[0],
    )
    heads_law = 0.5 * (1.0 + standardize_value(popmean, bounds))
    tails = compute_noisy_tails(count, size, heads_law, GeometricNoise(options.epsilon))
    shares = ProportionInterval(count, size, options.epsilon, alternative, has_uniform_noise=False)
    estimate = middle + half * (2.0 * min(max(count / size, 0.0), 1.0) - 1.0)
    return InferenceResults.of(
        release,
        test="One-sample exact test of the mean",
        statistic=count,
        pvalue=combine_tails(*tails, alternative),
        pvalue_floor=get_noisy_tails_floor(alternative),
        alternative=alternative,
        null=(("mean", popmean),),
        estimates=(("mean", min(max(estimate, bounds[0]), bounds[1])),),
        parameter="mean",
        interval=_BernoulliMeanInterval(shares, bounds),
        validity="exact",
        assumptions=("independent records of one distribution", CLIPPED_ASSUMPTION, PUBLIC_BOUNDS_ASSUMPTION),
        remarks=("Each record was replaced by a coin: another release tosses other coins.",),
    )


def _standardize_part(part: RecordChunk, grid: RecordGrid, missing: Missing) -> np.ndarray:
    """Return the records of a chunk on the standard grid, from -1 to 1, with missing values filled or dropped."""
    placed = [grid.round_records(part.columns.arrays[0])]
    if np.isnan(placed[0].sum()):
        placed, _ = fill_missing(placed, (grid,), missing)
    return placed[0]


def _concatenate_arrays(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.concatenate([first, second])
